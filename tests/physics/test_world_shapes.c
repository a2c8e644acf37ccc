// SPDX-License-Identifier: Apache-2.0
// Bodies of every kind of shape on every kind of ground: they come to rest, the ground carries
// their weight, and nothing sinks; rolling cylinders; patches by the three rules; refusals.
#include "helpers/world.h"
#include "math/math.h"

static const SticMaterialId own = {0, 0};
static const double g = 9.81;

/* ---- shapes ---- */

enum { GROUNDS = 4 };
static const char* const grounds[GROUNDS] = {"half-space", "box", "mesh", "height-field"};

static const SticShape* keep(TestWorld* tw, SticShape* shape)
{
    test_less(tw->shapes, TEST_SHAPES);
    tw->shape[tw->shapes++] = shape;
    return shape;
}

// two triangles over [-2, 2]^2, or a field of 9 x 9 points
static void add_ground(TestWorld* tw, int kind)
{
    SticBodyDef def = stic_body_default_def();
    SticShape* made = NULL;
    def.kind = STIC_BODY_FIXED;
    def.name = "ground";
    if (kind == 0) {
        test_world_plane(tw, stic_vec3(0, 0, 1), 0.0, own);
        return;
    }
    if (kind == 1) {
        def.position = stic_vec3(0, 0, -0.5);
        test_world_add(tw, &def, test_world_box(tw, 2.0, 2.0, 0.5), own);
        return;
    }
    if (kind == 2) {
        static const SticVec3 vertex[4] = {{-2, -2, 0}, {2, -2, 0}, {2, 2, 0}, {-2, 2, 0}};
        static const int32_t face[6] = {0, 1, 2, 0, 2, 3};
        SticMeshDef mesh = stic_mesh_default_def();
        mesh.vertex = vertex;
        mesh.vertex_count = 4;
        mesh.face_vertex = face;
        mesh.face_count = 2;
        TEST_TRY(tw, stic_shape_create_mesh(&tw->context, &mesh, &made, &tw->error));
    } else {
        static const double height[81] = {0.0};
        const SticHeightFieldDef field = {height, 9, 9, 0.5, 0.5};
        TEST_TRY(tw, stic_shape_create_height_field(&tw->context, &field, &made, &tw->error));
        def.position = stic_vec3(-2.0, -2.0, 0.0);
    }
    test_world_add(tw, &def, keep(tw, made), own);
}

// an L of two boxes
static SticShape* make_compound(TestWorld* tw)
{
    const SticShape* const part[2] = {test_world_box(tw, 0.3, 0.1, 0.1),
                                      test_world_box(tw, 0.1, 0.1, 0.2)};
    const SticPose pose[2] = {stic_pose_rigid(stic_mat3_identity(), stic_vec3(0, 0, 0.1)),
                              stic_pose_rigid(stic_mat3_identity(), stic_vec3(-0.2, 0, 0.4))};
    SticCompoundDef def = stic_compound_default_def();
    SticShape* made = NULL;
    def.shape = part;
    def.pose = pose;
    def.count = 2;
    TEST_TRY(tw, stic_shape_create_compound(&tw->context, &def, &made, &tw->error));
    return made;
}

// octahedron cut flat below, as a hull or as a closed mesh
static SticShape* make_hull(TestWorld* tw, bool mesh)
{
    static const SticVec3 vertex[5] = {
        {0.2, 0, 0}, {0, 0.2, 0}, {-0.2, 0, 0}, {0, -0.2, 0}, {0, 0, 0.3}};
    static const int32_t begin[6] = {0, 4, 7, 10, 13, 16};
    static const int32_t face[16] = {3, 2, 1, 0, 0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4};
    SticShape* made = NULL;
    if (mesh) {
        SticMeshDef def = stic_mesh_default_def();
        def.vertex = vertex;
        def.vertex_count = 5;
        def.face_begin = begin;
        def.face_vertex = face;
        def.face_count = 5;
        def.closed = true;
        TEST_TRY(tw, stic_shape_create_mesh(&tw->context, &def, &made, &tw->error));
        return made;
    }
    SticPolyhedronDef def = stic_polyhedron_default_def();
    def.vertex = vertex;
    def.vertex_count = 5;
    TEST_TRY(tw, stic_shape_create_polyhedron(&tw->context, &def, &made, &tw->error));
    return made;
}

typedef struct Kind {
    const char* name;
    double rise;  // of the frame when it lies on the ground
    int contacts; // on a plane
    bool mesh;    // not for grounds made of triangles
} Kind;
static const Kind kinds[] = {
    {"sphere", 0.2, 1, false},    {"box", 0.1, 4, false},       {"capsule", 0.1, 2, false},
    {"cylinder", 0.15, 8, false}, {"ellipsoid", 0.1, 1, false}, {"polyhedron", 0.0, 4, false},
    {"compound", 0.0, 4, false},  {"mesh", 0.0, 4, true},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static const SticShape* make_shape(TestWorld* tw, int kind, SticBodyDef* def)
{
    SticShape* made = NULL;
    switch (kind) {
    case 0:
        return test_world_sphere(tw, 0.2);
    case 1:
        return test_world_box(tw, 0.2, 0.3, 0.1);
    case 2:
        TEST_TRY(tw, stic_shape_create_capsule(&tw->context, 0.1, 0.2, &made, &tw->error));
        def->orientation = test_turn(stic_vec3(1, 0, 0), 0.5 * STIC_PI);
        break;
    case 3:
        TEST_TRY(tw, stic_shape_create_cylinder(&tw->context, 0.2, 0.15, &made, &tw->error));
        break;
    case 4:
        TEST_TRY(tw, stic_shape_create_ellipsoid(&tw->context, stic_vec3(0.3, 0.2, 0.1), &made,
                                                 &tw->error));
        break;
    case 6:
        made = make_compound(tw);
        break;
    default:
        made = make_hull(tw, kind == 7);
        break;
    }
    return keep(tw, made);
}

// dropped by half a millimetre; returns the support force over the weight after one second
static double drop(const char* scheme, int kind, int ground, double* height, SticStepInfo* info)
{
    TestWorld tw;
    test_world_open(&tw, NULL, NULL);
    add_ground(&tw, ground);
    SticBodyDef def = stic_body_default_def();
    def.name = "body";
    const SticShape* shape = make_shape(&tw, kind, &def);
    const double h = 1e-3;
    def.position = stic_vec3(0.11, 0.07, kinds[kind].rise + 5e-4);
    const SticBodyId id = test_world_add(&tw, &def, shape, own);
    test_world_run(&tw, scheme, NULL, h, 1e-10);
    test_world_steps(&tw, 1000);
    const SticMemory* memory = stic_run_state(tw.run)->memory;
    double support = 0.0;
    for (int32_t i = 0; i < memory->count; ++i)
        support += memory->record[i].reaction[0];
    *height = test_world_place(&tw, id).z - kinds[kind].rise;
    *info = tw.info;
    const double weight = stic_world_mass(tw.system, id) * g;
    const double speed = stic_vec3_norm(test_world_motion(&tw, id).velocity);
    // an ellipsoid rocks without friction about the point that the search found, right to 3e-6 m
    test_less(speed, (kind == 4 ? 1e-5 : 1e-9));
    test_world_close(&tw);
    return support / (h * weight);
}

static void test_rest(void** unused)
{
    (void)unused;
    const TestTable table =
        test_table_begin("dropped by 0.5 mm, after 1 s: support over weight - 1, height [m]",
                         "shape       |ground      |koziara |height  |moreau  |height  |contacts");
    for (int kind = 0; kind < KINDS; ++kind)
        for (int ground = 0; ground < GROUNDS; ++ground) {
            if (kinds[kind].mesh && ground >= 2)
                continue;
            double height[2], force[2];
            SticStepInfo info;
            force[0] = drop("koziara", kind, ground, &height[0], &info) - 1.0;
            force[1] = drop("moreau", kind, ground, &height[1], &info) - 1.0;
            test_table_row(&table, "%s|%s|%.1e|%.1e|%.1e|%.1e|%d", kinds[kind].name,
                           grounds[ground], force[0], height[0], force[1], height[1],
                           info.contacts);
            for (int k = 0; k < 2; ++k) {
                test_less(fabs(force[k]), 1e-6);
                // contacts at rest stay within half of their slack, 1.25e-10 of the size
                test_less(fabs(height[k]), 1e-10);
            }
            if (ground == 0 || (ground == 1 && !kinds[kind].mesh))
                assert_int_equal(info.contacts, kinds[kind].contacts);
            else
                test_at_least(info.contacts, 1);
        }
}

/* ---- a cylinder rolls down ---- */

static void test_cylinder_rolls(void** unused)
{
    (void)unused;
    const double a = 0.2, R = 0.1, exact = 0.5 * (2.0 / 3.0) * g * sin(a);
    const SticVec3 n = stic_vec3(sin(a), 0, cos(a)), along = stic_vec3(cos(a), 0, -sin(a));
    double error[2];
    for (int k = 0; k < 2; ++k) {
        TestWorld tw;
        test_world_open(&tw, NULL, NULL);
        test_world_plane(&tw, n, 0.0, own);
        SticShape* made = NULL;
        TEST_TRY(&tw, stic_shape_create_cylinder(&tw.context, R, 0.2, &made, &tw.error));
        SticBodyDef def = stic_body_default_def();
        def.position = stic_vec3_scale(R - 1e-9, n);
        def.orientation = test_turn(stic_vec3(1, 0, 0), 0.5 * STIC_PI);
        const SticBodyId id = test_world_add(&tw, &def, keep(&tw, made), own);
        const double h = k == 0 ? 2e-3 : 1e-3;
        test_world_run(&tw, "koziara", "rotation=new2", h, 1e-12);
        test_world_steps(&tw, (int)lround(1.0 / h));
        const SticVec3 x = test_world_place(&tw, id);
        error[k] = stic_vec3_dot(x, along) - exact;
        print_message("cylinder rolls %.7f m (%.7f) at h = %g, aside %.1e, height %.1e\n",
                      stic_vec3_dot(x, along), exact, h, x.y, stic_vec3_dot(x, n) - R);
        test_less(fabs(error[k]), 1e-4);
        test_less(fabs(x.y), 1e-9);
        test_world_close(&tw);
    }
}

/* ---- rules and refusals ---- */

static void test_rules(void** unused)
{
    (void)unused;
    // a cube turned by 45 degrees on another: an octagon
    static const int expected[STIC_WORLD_CONTACTS_COUNT] = {8, 8, 1};
    for (int rule = 0; rule < STIC_WORLD_CONTACTS_COUNT; ++rule) {
        SticWorldDef world = stic_world_default_def();
        world.contact_rule = rule;
        TestWorld tw;
        test_world_open(&tw, NULL, &world);
        const SticShape* cube = test_world_box(&tw, 0.5, 0.5, 0.5);
        SticBodyDef def = stic_body_default_def();
        def.kind = STIC_BODY_FIXED;
        test_world_add(&tw, &def, cube, own);
        def.kind = STIC_BODY_RIGID;
        def.position = stic_vec3(0, 0, 1.0 - 1e-6);
        def.orientation = test_turn(stic_vec3(0, 0, 1), 0.25 * STIC_PI);
        test_world_add(&tw, &def, cube, own);
        test_world_run(&tw, "koziara", NULL, 1e-3, 1e-10);
        test_world_steps(&tw, 1);
        assert_int_equal(tw.info.contacts, expected[rule]);
        test_world_close(&tw);
    }
}

static void test_refusals(void** unused)
{
    (void)unused;
    TestWorld tw;
    test_world_open(&tw, NULL, NULL);
    add_ground(&tw, 2);
    SticBodyDef def = stic_body_default_def();
    def.name = "rock";
    def.position = stic_vec3(0, 0, 1);
    test_world_add(&tw, &def, keep(&tw, make_hull(&tw, true)), own);
    assert_int_equal(stic_world_system(tw.world, STIC_CHART_ROTATION, &tw.system, &tw.error),
                     STIC_UNSUPPORTED);
    print_message("%s\n", tw.error.text);
    assert_non_null(strstr(tw.error.text, "rock"));
    assert_non_null(strstr(tw.error.text, "ground"));
    test_world_close(&tw);
    SticWorldDef world = stic_world_default_def();
    world.contact_rule = 7;
    SticContext context = stic_context_default();
    SticError error;
    SticWorld* none = NULL;
    assert_int_equal(stic_world_create(&context, &world, &none, &error), STIC_BAD_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rest),
        cmocka_unit_test(test_cylinder_rolls),
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

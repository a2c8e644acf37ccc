// SPDX-License-Identifier: Apache-2.0
// Worlds: ids, materials, mass, refusals, start and poses, failing memory.
#include "helpers/world.h"

#include "world/contact.h"
#include "world/world.h"

static const SticMaterialId own = {0, 0};

static void test_ids(void** unused)
{
    (void)unused;
    TestWorld tw;
    test_world_open(&tw, NULL, NULL);
    const SticShape* ball = test_world_sphere(&tw, 0.1);
    SticBodyDef def = stic_body_default_def();
    def.name = "first";
    const SticBodyId first = test_world_add(&tw, &def, ball, own);
    def.name = "second";
    const SticBodyId second = test_world_add(&tw, &def, ball, own);
    assert_true(stic_body_is_valid(tw.world, first));
    assert_false(stic_body_is_valid(tw.world, (SticBodyId){0, 0}));
    assert_false(stic_body_is_valid(tw.world, (SticBodyId){9, 1}));
    assert_string_equal(stic_body_name(tw.world, second), "second");
    test_equal(second.index, 1);
    test_equal(second.generation, 1);
    const SticBodyId found = stic_body_find(tw.world, "second");
    assert_memory_equal(&found, &second, sizeof second);
    assert_int_equal(stic_body_find(tw.world, "third").generation, 0);
    assert_int_equal(stic_body_find(tw.world, "").generation, 0);

    // a slot is used again under another generation; the old id stays invalid
    TEST_TRY(&tw, stic_body_destroy(tw.world, first, &tw.error));
    assert_false(stic_body_is_valid(tw.world, first));
    assert_false(stic_body_has_shape(tw.world, (SticShapeId){0, 1}));
    assert_int_equal(stic_body_destroy(tw.world, first, &tw.error), STIC_BAD_ARGUMENT);
    const SticBodyId again = test_world_add(&tw, &def, ball, own);
    test_equal(again.index, 0);
    test_equal(again.generation, 2);
    assert_false(stic_body_is_valid(tw.world, first));
    assert_true(stic_body_has_shape(tw.world, (SticShapeId){0, 2}));
    TEST_TRY(&tw, stic_body_detach(tw.world, (SticShapeId){0, 2}, &tw.error));
    assert_int_equal(stic_body_detach(tw.world, (SticShapeId){0, 2}, &tw.error), STIC_BAD_ARGUMENT);
    test_world_close(&tw);
}

// laws of two materials: the later one counts, with its own numbers
static void test_mixed_laws(void** unused)
{
    (void)unused;
    TestWorld tw;
    SticWorldDef def = stic_world_default_def();
    def.material.surface = (SticSurface){.friction = 0.16, .cohesion = 3e5};
    test_world_open(&tw, NULL, &def);
    SticMaterialDef other = stic_material_default_def();
    SticMaterialId rubber, wood, ice;
    other.surface = (SticSurface){
        .law = STIC_FRICTION_ROLLING, .friction = 0.25, .rolling = 2e-3, .cohesion = 1e5};
    TEST_TRY(&tw, stic_material_create(tw.world, &other, &rubber, &tw.error));
    other.surface = (SticSurface){.law = STIC_FRICTION_ANISOTROPIC,
                                  .friction = 0.4,
                                  .across = 0.6,
                                  .grain = stic_vec3(1, 0, 0)};
    TEST_TRY(&tw, stic_material_create(tw.world, &other, &wood, &tw.error));
    other.surface = (SticSurface){.law = STIC_FRICTION_NONE};
    TEST_TRY(&tw, stic_material_create(tw.world, &other, &ice, &tw.error));

    const SticSurface mixed = stic_surface_get(tw.world, own, rubber);
    assert_int_equal(mixed.law, STIC_FRICTION_ROLLING);
    test_near(mixed.friction, 0.2, 1e-15);
    test_equal(mixed.rolling, 2e-3);
    test_equal(mixed.cohesion, 1e5);
    assert_int_equal(stic_surface_get(tw.world, wood, rubber).law, STIC_FRICTION_ROLLING);
    test_equal(stic_surface_get(tw.world, wood, own).across, 0.6);
    assert_int_equal(stic_surface_get(tw.world, ice, rubber).law, STIC_FRICTION_NONE);

    // every pair can be set, and every number is checked
    SticSurface set = {.law = STIC_FRICTION_CONTENSOU, .friction = 0.3, .patch = 0.01};
    TEST_TRY(&tw, stic_surface_set(tw.world, wood, rubber, &set, &tw.error));
    test_equal(stic_surface_get(tw.world, rubber, wood).patch, 0.01);
    const SticSurface bad[] = {
        {.law = STIC_FRICTION_COUNT},
        {.law = STIC_FRICTION_CONTENSOU, .friction = 0.3},
        {.law = STIC_FRICTION_ANISOTROPIC, .friction = 0.3, .across = 0.2},
        {.law = STIC_FRICTION_ROLLING, .friction = 0.3, .rolling = -1.0},
        {.law = STIC_FRICTION_TRESCA, .shear = (double)INFINITY},
        {.cohesion = -1.0},
        {.friction = (double)NAN},
    };
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; ++k) {
        assert_int_equal(stic_surface_set(tw.world, own, own, &bad[k], &tw.error),
                         STIC_BAD_ARGUMENT);
        print_message("%s\n", tw.error.text);
    }
    for (int law = 0; law < STIC_FRICTION_COUNT; ++law)
        assert_true(strcmp(stic_friction_name(law), "unknown") != 0);
    assert_string_equal(stic_friction_name(-1), "unknown");
    test_world_close(&tw);
}

static void test_mixing(void** unused)
{
    (void)unused;
    static const double expected[STIC_MIXING_COUNT] = {0.3, 0.5, 0.1, 0.9};
    for (int rule = 0; rule < STIC_MIXING_COUNT; ++rule) {
        TestWorld tw;
        SticWorldDef def = stic_world_default_def();
        def.friction_mixing = def.restitution_mixing = rule;
        def.material.surface = (SticSurface){.friction = 0.1, .restitution = {0.1, 0.9}};
        test_world_open(&tw, NULL, &def);
        SticMaterialDef steel = stic_material_default_def();
        SticMaterialId id;
        steel.name = "steel";
        steel.surface = (SticSurface){.friction = 0.9, .restitution = {0.9, 0.1}};
        TEST_TRY(&tw, stic_material_create(tw.world, &steel, &id, &tw.error));
        const SticSurface mixed = stic_surface_get(tw.world, id, own);
        test_less(fabs(mixed.friction - expected[rule]), 1e-15);
        test_less(fabs(mixed.restitution[0] - expected[rule]), 1e-15);
        test_less(fabs(mixed.restitution[1] - expected[rule]), 1e-15);
        test_equal(stic_surface_get(tw.world, id, id).friction, 0.9);

        // set in one order, read in the other; a second setting replaces the first
        for (int k = 0; k < 2; ++k) {
            const SticSurface set = {.friction = 0.7 + k, .restitution = {0.2, 0.3}};
            TEST_TRY(&tw, stic_surface_set(tw.world, id, own, &set, &tw.error));
            test_equal(stic_surface_get(tw.world, own, id).friction, 0.7 + k);
        }
        test_world_close(&tw);
    }
}

/* ---- mass ---- */

static void test_mass(void** unused)
{
    (void)unused;
    TestWorld tw;
    test_world_open(&tw, NULL, NULL);
    const SticShape* box = test_world_box(&tw, 0.5, 0.25, 0.125);
    SticBodyDef def = stic_body_default_def();
    def.position = stic_vec3(1, 2, 3);
    SticBodyId id[3];
    // from the shapes: two boxes side by side are one long box
    TEST_TRY(&tw, stic_body_create(tw.world, &def, &id[0], &tw.error));
    for (int k = 0; k < 2; ++k) {
        SticAttachDef attach = {.shape = box, .pose = stic_pose_identity()};
        attach.pose.origin = stic_vec3(k == 0 ? 0.0 : 1.0, 0, 0);
        TEST_TRY(&tw, stic_body_attach(tw.world, id[0], &attach, NULL, &tw.error));
    }
    // the same scaled to another mass, and given in full
    def.mass = 10.0;
    id[1] = test_world_add(&tw, &def, box, own);
    def.inertia = stic_mat3_diag(stic_vec3(2, 3, 4));
    def.centre = stic_vec3(0.1, 0.2, 0.3);
    id[2] = test_world_add(&tw, &def, box, own);
    for (int chart = STIC_CHART_ROTATION; chart <= STIC_CHART_SCALABLE; ++chart) {
        test_world_system(&tw, (SticChart)chart);
        const double m = 1000.0 * 2.0 * 0.5 * 0.25;
        test_less(fabs(stic_world_mass(tw.system, id[0]) - m), 1e-10);
        test_equal(stic_world_mass(tw.system, id[1]), 10.0);
        SticMass mass;
        TEST_TRY(&tw, tw.system->ops->mass(tw.system, NULL, NULL, &mass));
        const int n = chart == STIC_CHART_SCALABLE ? 7 : 6;
        const double* block = mass.A->value;
        const double J[3] = {m / 12.0 * (0.25 + 0.0625), m / 12.0 * (4.0 + 0.0625),
                             m / 12.0 * (4.0 + 0.25)};
        for (int k = 0; k < 3; ++k) {
            test_less(fabs(block[(n - 3 + k) * (n + 1)] - J[k]), 1e-12 * J[k]);
            test_greater(block[n * n + (n - 3 + k) * (n + 1)], 0.0);
            test_equal(block[2 * n * n + (n - 3 + k) * (n + 1)], 2.0 + k);
        }
        if (n == 7)
            test_equal(block[2 * n * n + 3 * 8], 4.5); // half the trace

        // the block starts at the centre of mass, the pose is that of the body's frame
        SticState* state = NULL;
        TEST_TRY(&tw, stic_state_create(&tw.context, &tw.system->layout, &state));
        stic_world_start(tw.world, tw.system, state);
        test_less(fabs(state->q[0] - 1.5), 1e-15);
        for (int k = 0; k < 3; ++k) {
            const SticPose pose = stic_world_pose(tw.system, state, id[k]);
            test_less(stic_vec3_distance(pose.origin, def.position), 1e-15);
        }
        stic_state_destroy(state, &tw.system->layout);
        stic_world_system_destroy(tw.system);
        tw.system = NULL;
    }
    test_world_close(&tw);
}

// start and poses agree for bodies with any placement, in every chart
static void test_start(void** unused)
{
    (void)unused;
    SticRandom random = stic_random_create(5);
    for (int chart = STIC_CHART_ROTATION; chart <= STIC_CHART_SCALABLE; ++chart) {
        TestWorld tw;
        test_world_open(&tw, NULL, NULL);
        double turn[4], x[9];
        test_random_unit(&random, 4, turn);
        test_random_vector(&random, 9, -1.0, 1.0, x);
        SticBodyDef def = stic_body_default_def();
        def.orientation = stic_quat_scale(3.0, stic_quat_load(turn));
        def.position = stic_vec3_load(x);
        def.velocity = stic_vec3_load(x + 3);
        def.angular_velocity = stic_vec3_load(x + 6);
        SticBodyId id;
        SticAttachDef attach = {.shape = test_world_sphere(&tw, 0.3), .pose = stic_pose_identity()};
        attach.pose.origin = stic_vec3(0.3, -0.2, 0.1);
        TEST_TRY(&tw, stic_body_create(tw.world, &def, &id, &tw.error));
        TEST_TRY(&tw, stic_body_attach(tw.world, id, &attach, NULL, &tw.error));
        SticBodyDef still_def = stic_body_default_def();
        still_def.kind = STIC_BODY_FIXED;
        still_def.orientation = def.orientation;
        still_def.position = def.position;
        const SticBodyId wall = test_world_add(&tw, &still_def, test_world_sphere(&tw, 0.1), own);
        test_world_system(&tw, (SticChart)chart);
        SticState* state = NULL;
        TEST_TRY(&tw, stic_state_create(&tw.context, &tw.system->layout, &state));
        stic_world_start(tw.world, tw.system, state);
        const SticMat3 R = stic_quat_to_matrix(stic_quat_load(turn));
        const SticTwist twist = stic_world_twist(tw.system, state, id);
        test_less(stic_vec3_distance(twist.velocity, def.velocity), 1e-15);
        test_less(stic_vec3_distance(twist.angular_velocity, def.angular_velocity), 1e-15);
        const SticBodyId both[2] = {id, wall};
        for (int k = 0; k < 2; ++k) {
            const SticPose pose = stic_world_pose(tw.system, state, both[k]);
            test_less(stic_vec3_distance(pose.origin, def.position), 1e-15);
            test_less(stic_mat3_norm(stic_mat3_sub(pose.F, R)), 1e-14);
        }
        assert_int_equal(stic_world_block(tw.system, id), 0);
        assert_int_equal(stic_world_block(tw.system, wall), -1);
        assert_int_equal(stic_world_block(tw.system, (SticBodyId){0, 7}), -1);
        const SticTwist still = stic_world_twist(tw.system, state, wall);
        test_equal(stic_vec3_norm(still.velocity), 0.0);
        stic_state_destroy(state, &tw.system->layout);
        test_world_close(&tw);
    }
}

/* ---- refusals ---- */

static void expect(const TestWorld* tw, SticStatus status, SticStatus wanted, const char* part)
{
    print_message("%s\n", tw->error.text);
    assert_int_equal(status, wanted);
    if (strstr(tw->error.text, part) == NULL)
        fail_msg("'%s' is not in the sentence", part);
}

static void test_refused_bodies(void** unused)
{
    (void)unused;
    TestWorld tw;
    test_world_open(&tw, NULL, NULL);
    SticBodyId id;
    SticBodyDef def = stic_body_default_def();
    def.name = "brick";
    def.velocity.y = (double)NAN;
    expect(&tw, stic_body_create(tw.world, &def, &id, &tw.error), STIC_BAD_ARGUMENT, "brick");
    def = stic_body_default_def();
    def.orientation = (SticQuat){0, 0, 0, 0};
    expect(&tw, stic_body_create(tw.world, &def, &id, &tw.error), STIC_BAD_ARGUMENT, "quaternion");
    def = stic_body_default_def();
    def.mass = -1.0;
    expect(&tw, stic_body_create(tw.world, &def, &id, &tw.error), STIC_BAD_ARGUMENT, "negative");
    def = stic_body_default_def();
    def.kind = 7;
    expect(&tw, stic_body_create(tw.world, &def, &id, &tw.error), STIC_BAD_ARGUMENT, "kind 7");
    char name[STIC_NAME_SIZE + 1];
    memset(name, 'x', sizeof name);
    name[STIC_NAME_SIZE] = '\0';
    def = stic_body_default_def();
    def.name = name;
    expect(&tw, stic_body_create(tw.world, &def, &id, &tw.error), STIC_BAD_ARGUMENT, "63");

    // shapes
    def = stic_body_default_def();
    def.name = "post";
    TEST_TRY(&tw, stic_body_create(tw.world, &def, &id, &tw.error));
    SticShape* surface = NULL;
    const SticVec3 vertex[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const int32_t face[3] = {0, 1, 2};
    SticMeshDef mesh = stic_mesh_default_def();
    mesh.vertex = vertex;
    mesh.vertex_count = 3;
    mesh.face_vertex = face;
    mesh.face_count = 1;
    TEST_TRY(&tw, stic_shape_create_surface(&tw.context, &mesh, &surface, &tw.error));
    SticAttachDef attach = {.shape = surface, .pose = stic_pose_identity()};
    expect(&tw, stic_body_attach(tw.world, id, &attach, NULL, &tw.error), STIC_UNSUPPORTED,
           "surface");
    attach.shape = test_world_sphere(&tw, 0.1);
    attach.pose.F.m[0][0] = 1.1;
    expect(&tw, stic_body_attach(tw.world, id, &attach, NULL, &tw.error), STIC_BAD_ARGUMENT,
           "rotation");
    attach.pose = stic_pose_identity();
    attach.material = (SticMaterialId){4, 1};
    expect(&tw, stic_body_attach(tw.world, id, &attach, NULL, &tw.error), STIC_BAD_ARGUMENT,
           "material 4");
    attach.shape = NULL;
    expect(&tw, stic_body_attach(tw.world, id, &attach, NULL, &tw.error), STIC_BAD_ARGUMENT,
           "no shape");
    const SticBodyId none = {3, 1};
    expect(&tw, stic_body_attach(tw.world, none, &attach, NULL, &tw.error), STIC_BAD_ARGUMENT,
           "no body 3");
    expect(&tw, stic_body_set_force(tw.world, none, stic_vec3_zero(), stic_vec3_zero(), &tw.error),
           STIC_BAD_ARGUMENT, "no body 3");
    stic_shape_destroy(surface);
    test_world_close(&tw);
}

static void test_refused_systems(void** unused)
{
    (void)unused;
    TestWorld tw;
    test_world_open(&tw, NULL, NULL);
    SticBodyId id;
    SticBodyDef def = stic_body_default_def();
    def.name = "ghost";
    TEST_TRY(&tw, stic_body_create(tw.world, &def, &id, &tw.error));
    expect(&tw, stic_world_system(tw.world, STIC_CHART_ROTATION, &tw.system, &tw.error),
           STIC_BAD_ARGUMENT, "ghost");
    expect(&tw, stic_world_system(tw.world, STIC_CHART_GENERAL, &tw.system, &tw.error),
           STIC_UNSUPPORTED, "general");
    TEST_TRY(&tw, stic_body_destroy(tw.world, id, &tw.error));
    def.inertia = stic_mat3_diag(stic_vec3(1, 1, 3));
    def.mass = 1.0;
    expect(&tw, stic_body_create(tw.world, &def, &id, &tw.error), STIC_BAD_ARGUMENT,
           "principal moments");

    // settings of materials and worlds
    SticMaterialDef material = stic_material_default_def();
    SticMaterialId made;
    material.density = 0.0;
    expect(&tw, stic_material_create(tw.world, &material, &made, &tw.error), STIC_BAD_ARGUMENT,
           "density");
    const SticSurface surface = {.friction = 0.1, .restitution = {0.0, 1.5}};
    expect(&tw, stic_surface_set(tw.world, own, own, &surface, &tw.error), STIC_BAD_ARGUMENT,
           "1.5");
    SticWorldDef world = stic_world_default_def();
    SticWorld* none = NULL;
    world.material.surface.friction = -0.5;
    expect(&tw, stic_world_create(&tw.context, &world, &none, &tw.error), STIC_BAD_ARGUMENT,
           "-0.5");
    assert_null(none);
    test_world_close(&tw);
}

// a system says so when its world has changed
static void test_stale_system(void** unused)
{
    (void)unused;
    TestWorld tw;
    test_world_open(&tw, NULL, NULL);
    const SticShape* ball = test_world_sphere(&tw, 0.1);
    test_world_body(&tw, ball, stic_vec3(0, 0, 1), stic_vec3_zero());
    test_world_run(&tw, "moreau", NULL, 1e-3, 1e-8);
    test_world_steps(&tw, 1);
    stic_world_set_gravity(tw.world, stic_vec3(0, 0, -1.0));
    test_world_steps(&tw, 1);
    test_world_body(&tw, ball, stic_vec3(0, 0, 2), stic_vec3_zero());
    assert_int_equal(stic_run_step(tw.run, &tw.info), STIC_BAD_DATA);
    print_message("%s\n", tw.info.error.text);
    test_world_close(&tw);
}

static void test_charts(void** unused)
{
    (void)unused;
    static const struct {
        const char* scheme;
        SticChart chart;
    } expected[] = {{"koziara", STIC_CHART_ROTATION},      {"moreau", STIC_CHART_QUATERNION},
                    {"consistent", STIC_CHART_QUATERNION}, {"relaxed", STIC_CHART_QUATERNION},
                    {"event", STIC_CHART_QUATERNION},      {"decomposed", STIC_CHART_SCALABLE}};
    for (size_t k = 0; k < sizeof expected / sizeof expected[0]; ++k) {
        SticChart chart = STIC_CHART_LINEAR;
        const SticScheme* scheme = stic_scheme_find(expected[k].scheme, NULL);
        assert_non_null(scheme);
        assert_true(stic_world_chart(scheme->charts, &chart));
        assert_int_equal(chart, expected[k].chart);
        TestWorld tw;
        test_world_open(&tw, NULL, NULL);
        test_world_body(&tw, test_world_sphere(&tw, 0.1), stic_vec3_zero(), stic_vec3_zero());
        test_world_system(&tw, chart);
        TEST_TRY(&tw, stic_scheme_accepts(scheme, tw.system, &tw.error));
        test_world_close(&tw);
    }
    // linear blocks only: rigid bodies have twelve coordinates and six constraints
    SticChart chart = STIC_CHART_QUATERNION;
    assert_true(stic_world_chart(STIC_CHART_BIT(STIC_CHART_LINEAR), &chart));
    assert_int_equal(chart, STIC_CHART_LINEAR);
    assert_false(stic_world_chart(STIC_CHART_BIT(STIC_CHART_GENERAL), &chart));
    TestWorld tw;
    test_world_open(&tw, NULL, NULL);
    test_world_body(&tw, test_world_sphere(&tw, 0.1), stic_vec3_zero(), stic_vec3_zero());
    test_world_system(&tw, STIC_CHART_LINEAR);
    assert_int_equal(tw.system->layout.nu, 12);
    test_world_close(&tw);
}

/* ---- memory ---- */

static SticStatus world_and_steps(const SticContext* context, void* self)
{
    (void)self;
    SticError error = {0};
    SticWorld* world = NULL;
    SticShape* shape[2] = {NULL, NULL};
    SticSystem* system = NULL;
    SticRun* run = NULL;
    SticStepInfo info;
    const SticWorldDef def = stic_world_default_def();
    SticRunParts run_def = stic_run_default_parts();
    SticStatus status = stic_world_create(context, &def, &world, &error);
    if (status != STIC_OK)
        return status;
    STIC_TRY_GOTO(
        status, done,
        stic_shape_create_half_space(context, stic_vec3(0, 0, 1), 0.0, &shape[0], &error));
    STIC_TRY_GOTO(status, done,
                  stic_shape_create_box(context, stic_vec3(0.1, 0.1, 0.1), &shape[1], &error));
    for (int k = 0; k < 3; ++k) {
        SticBodyDef body = stic_body_default_def();
        SticBodyId id;
        body.kind = k == 0 ? STIC_BODY_FIXED : STIC_BODY_RIGID;
        body.position = stic_vec3(0, 0, 0.2 * k - (k == 0 ? 0.0 : 0.101));
        STIC_TRY_GOTO(status, done, stic_body_create(world, &body, &id, &error));
        const SticAttachDef attach = {.shape = shape[k == 0 ? 0 : 1], .pose = stic_pose_identity()};
        STIC_TRY_GOTO(status, done, stic_body_attach(world, id, &attach, NULL, &error));
    }
    const SticSurface surface = {.friction = 0.3};
    STIC_TRY_GOTO(status, done, stic_surface_set(world, own, own, &surface, &error));
    STIC_TRY_GOTO(status, done, stic_world_system(world, STIC_CHART_ROTATION, &system, &error));
    run_def.system = system;
    run_def.scheme = stic_scheme_find("koziara", &error);
    run_def.step = 1e-3;
    STIC_TRY_GOTO(status, done, stic_run_assemble(context, &run_def, &run, &error));
    stic_world_start(world, system, stic_run_state(run));
    for (int k = 0; k < 2; ++k)
        STIC_TRY_GOTO(status, done, stic_run_step(run, &info));
done:
    stic_run_destroy(run);
    stic_world_system_destroy(system);
    stic_world_destroy(world);
    for (int k = 0; k < 2; ++k)
        stic_shape_destroy(shape[k]);
    return status;
}

static void test_memory(void** unused)
{
    (void)unused;
    test_greater(test_fail_every_allocation(world_and_steps, NULL), 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ids),
        cmocka_unit_test(test_mixing),
        cmocka_unit_test(test_mixed_laws),
        cmocka_unit_test(test_mass),
        cmocka_unit_test(test_start),
        cmocka_unit_test(test_refused_bodies),
        cmocka_unit_test(test_refused_systems),
        cmocka_unit_test(test_stale_system),
        cmocka_unit_test(test_charts),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// Contacts of the thesis' study of Newton solvers by the rule `centroid`, one per pair of elements
// that bear on each other (Koziara 2008, section 13.3, table 1): elements that share an edge or a
// corner have none.
#include "math/math.h"
#include "scene/scenes.h"

// two blocks of six elements each, face to face
static const char pair[] =
    "contacts{rule = 'centroid'}\n"
    "gravity{0, 0, -10}\n"
    "material{name = 'stone', density = 2200, friction = 0.5}\n"
    "local function block(x, kind)\n"
    "  local list = {}\n"
    "  for j = 1, 2 do for k = 1, 3 do list[#list + 1] = shape.box{size = {1, 1, 1}, position = "
    "{0, j, k}} end end\n"
    "  body{kind = kind, material = 'stone', position = {x, 0, 0}, shape = shape.compound{shape = "
    "list}}\n"
    "end\n"
    "block(0, 'fixed')\n"
    "block(1, 'rigid')\n";

static const char ending[] = "scheme 'quasi-static' {iterations = 1, damping = 4, displacement = "
                             "1e-3, reach = 0}\nrun{step = 1, duration = 1, policy = 'continue'}\n";

static int32_t contacts_of(SticScene* scene)
{
    const SticContext context = stic_context_default();
    SticStepInfo info = {0};
    SticSimulation* simulation = test_simulation(&context, scene);
    assert_int_equal(stic_simulation_step(simulation, &info), STIC_OK);
    stic_simulation_destroy(simulation);
    stic_scene_destroy(scene);
    return info.contacts;
}

// the scenes of the study
static void test_counts(void** unused)
{
    (void)unused;
    static const struct {
        const char *name, *file;
        const char* size[2]; // NULL: has no parameter
        int contacts;        // table 1 of the thesis
    } cases[] = {{"CUBE1", "cube", {"3", NULL}, 63},  {"CUBE2", "cube", {"5", NULL}, 325},
                 {"CUBE3", "cube", {"7", NULL}, 931}, {"WALL1", "wall", {"10", "5"}, 147},
                 {"WALL2", "wall", {"17", "9"}, 451}, {"WALL3", "wall", {"25", "13"}, 963},
                 {"DOME1", "dome", {"5", "12"}, 120}, {"DOME2", "dome", {"10", "22"}, 440},
                 {"DOME3", "dome", {"15", "32"}, 960}};
    const SticContext context = stic_context_default();
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        const SticSceneAssignment param[] = {{"n", cases[k].size[0]}, {"m", cases[k].size[1]}};
        SticSceneOptions options = stic_scene_default_options();
        SticScene* scene = NULL;
        SticError error = {0};
        char path[512];
        options.param = param;
        options.param_count = cases[k].size[1] == NULL ? 1 : 2;
        snprintf(path, sizeof path, STIC_SOURCE_DIR "/studies/%s.lua", cases[k].file);
        if (stic_scene_load(&context, path, &options, &scene, &error) != STIC_OK)
            fail_msg("%s:%d: %s", path, error.line, error.text);
        const int32_t found = contacts_of(scene);
        print_message("%s: %d contacts (thesis %d)\n", cases[k].name, found, cases[k].contacts);
        assert_int_equal(found, cases[k].contacts);
    }
}

static void test_blocks(void** unused)
{
    (void)unused;
    const SticContext context = stic_context_default();
    char whole[4096];
    snprintf(whole, sizeof whole, "%s%s", pair, ending);
    assert_int_equal(contacts_of(test_scene_good(&context, whole)), 6);
    // the arch of the thesis (13.4.7): 27 blocks that deform, of two by three elements, on two
    // supports
    snprintf(whole, sizeof whole,
             "contacts{rule = 'centroid'}\nmaterial{name = 's', density = 1, friction = 0.4}\n"
             "arch{thickness = 1.1, material = 's', elements = {2, 3}, young = 1e9}\n%s",
             ending);
    assert_int_equal(contacts_of(test_scene_good(&context, whole)), 28 * 6);
    // a wall of 10 x 5 bricks on a floor has 40 + 100 contacts
    snprintf(whole, sizeof whole,
             "contacts{rule = 'centroid'}\nmaterial{name = 's', density = 2200, friction = 0.4}\n"
             "floor{material = 's'}\nwall{courses = 10, bricks = 5, material = 's', young = 15e9, "
             "poisson = 0.1}\n%s",
             ending);
    assert_int_equal(contacts_of(test_scene_good(&context, whole)), 140);
    // three courses of two bricks of 2 x 1 elements: 1 + 2 + 1 head joints, and each of the six
    // elements of the middle course lies on one element and under one
    snprintf(whole, sizeof whole,
             "contacts{rule = 'centroid'}\nmaterial{name = 's', density = 2200, friction = 0.4}\n"
             "wall{courses = 3, bricks = 2, material = 's', young = 15e9, elements = {2, 1}}\n%s",
             ending);
    assert_int_equal(contacts_of(test_scene_good(&context, whole)), 4 + 12);
    // two rings of four blocks of 2 x 2 elements: four on each of the four bed joints, two (those
    // through the thickness) on each of the eight head joints
    snprintf(whole, sizeof whole,
             "contacts{rule = 'centroid'}\nmaterial{name = 's', density = 2200, friction = 0.4}\n"
             "dome{rings = 2, segments = 4, material = 's', young = 15e9, elements = {2, 2}}\n%s",
             ending);
    assert_int_equal(contacts_of(test_scene_good(&context, whole)), 16 + 16);
}

// a cube that shares an edge with a fixed one and is pushed over it: F h^2 / m to the left and
// nowhere else
static void test_shared_edge(void** unused)
{
    (void)unused;
    const SticContext context = stic_context_default();
    static const char text[] =
        "contacts{rule = 'centroid'}\ngravity{0, 0, 0}\nmaterial{name = 'm', density = 1, friction "
        "= 0}\nbody{kind = 'fixed', material = 'm', shape = shape.box{size = {1, 1, 1}}}\n"
        "body{material = 'm', position = {1, 0, 1}, force = {-1, 0, 0}, shape = shape.box{size = "
        "{1, 1, 1}}}\nscheme 'quasi-static'\nrun{step = 0.01, duration = 0.01}\n";
    SticScene* scene = test_scene_good(&context, text);
    SticSimulation* simulation = test_simulation(&context, scene);
    test_simulation_finish(simulation);
    const double* q = stic_run_now(stic_simulation_run(simulation))->q;
    print_message("moved by %.3e, %.3e (F h^2/m = -1e-4, 0)\n", q[0] - 1.0, q[2] - 1.0);
    test_less(fabs(q[0] - 1.0 + 1e-4), 1e-15);
    test_near(q[2], 1.0, 1e-15);
    stic_simulation_destroy(simulation);
    stic_scene_destroy(scene);
}

// joints of an arch of several elements: each contact in the middle of the face that two elements
// share, with the normal of the joint, whatever the thickness
static void test_middles(void** unused)
{
    (void)unused;
    const SticContext context = stic_context_default();
    double off = 0.0, lean = 0.0;
    for (int k = 0; k < 40; ++k) {
        const double thickness = 0.5 + 0.0875 * k;
        char text[1024];
        SticStepInfo info = {0};
        snprintf(text, sizeof text,
                 "contacts{rule = 'centroid'}\nmaterial{name = 's', density = 1, friction = 0.4}\n"
                 "arch{blocks = 15, thickness = %.17g, material = 's', elements = {2, 3}}\n%s",
                 thickness, ending);
        SticScene* scene = test_scene_good(&context, text);
        SticSimulation* simulation = test_simulation(&context, scene);
        assert_int_equal(stic_simulation_step(simulation, &info), STIC_OK);
        const SticContactForce* contact;
        int32_t count;
        assert_int_equal(stic_run_contacts(stic_simulation_run(simulation), &contact, &count),
                         STIC_OK);
        assert_int_equal(count, 16 * 6);
        for (int32_t c = 0; c < count; ++c) {
            // joints lie on radii at multiples of pi / 15
            const SticVec3 x = contact[c].point, n = contact[c].axis[0];
            const double part = acos(x.x / hypot(x.x, x.z)) / (STIC_PI / 15.0);
            const double angle = round(part) * (STIC_PI / 15.0);
            const double out = (hypot(x.x, x.z) - 10.0) / (thickness / 3.0), across = x.y / 1.25;
            off = test_worse(off, fabs(out - round(out)) * thickness / 3.0);
            off = test_worse(off, fabs(fabs(across) - 1.0) * 1.25);
            lean = test_worse(lean, hypot(n.y, n.x * cos(angle) + n.z * sin(angle)));
        }
        stic_simulation_destroy(simulation);
        stic_scene_destroy(scene);
    }
    print_message("arches of 40 thicknesses: points off the middles by %.1e m, normals by %.1e\n",
                  off, lean);
    // stretching by 1e-6 moves the borders of elements and supports, up to 5 m from their middles;
    // angles of 1e-16 by coordinates of 10 m over the sixth of a metre of the thinnest element
    test_less(off, 5e-6);
    test_less(lean, 6e-14);
}

// bricks of four elements each at rest: nothing is corrected, nothing sinks
static void test_rest(void** unused)
{
    (void)unused;
    const SticContext context = stic_context_default();
    SticScene* scene = test_scene_good(
        &context, "contacts{rule = 'centroid'}\n"
                  "material{name = 's', density = 2200, friction = 0.6}\nfloor{material = 's'}\n"
                  "wall{courses = 4, bricks = 6, material = 's', elements = {2, 2}}\n"
                  "run{step = 1e-3, duration = 0.1}\n");
    SticSimulation* simulation = test_simulation(&context, scene);
    SticStepInfo info = {0};
    double depth = 0.0, work = 0.0;
    while (!stic_simulation_is_done(simulation)) {
        assert_int_equal(stic_simulation_step(simulation, &info), STIC_OK);
        depth = test_worse(depth, info.penetration);
        work = test_worse(work, fabs(info.ledger.correction));
    }
    print_message("wall at rest: penetration %.1e m, work of the correction %.1e J\n", depth, work);
    test_less(depth, 1e-13);
    test_less(work, 1e-11);
    stic_simulation_destroy(simulation);
    stic_scene_destroy(scene);
}

// every search and both intersections: the same contacts, and the same motion up to the order of sums
static void test_searches(void** unused)
{
    (void)unused;
    static const char* const search[] = {"tree",         "hash3d",      "sweep-h2d", "sweep-h2dpst",
                                         "sweep-h1dpst", "sweep-pst2d", "hybrid",    "brute"};
    const SticContext context = stic_context_default();
    double first = 0.0;
    for (int k = 0; k < 9; ++k) {
        char text[1024];
        SticStepInfo info = {0};
        snprintf(text, sizeof text,
                 "contacts{rule = 'centroid', search = '%s', intersection = '%s'}\n"
                 "material{name = 's', density = 2200, friction = 0.4}\nfloor{material = 's'}\n"
                 "wall{courses = 4, bricks = 3, material = 's', young = 15e9, poisson = 0.1}\n%s",
                 search[k % 8], k == 8 ? "polarity" : "clipping", ending);
        SticSimulation* simulation = test_simulation(&context, test_scene_good(&context, text));
        assert_int_equal(stic_simulation_step(simulation, &info), STIC_OK);
        assert_int_equal(info.contacts, 2 * 2 + 2 * 3 + 3 + 3 * 6);
        const double z = stic_run_now(stic_simulation_run(simulation))->q[2];
        first = k == 0 ? z : first;
        test_near(z, first, 1e-9);
        stic_simulation_destroy(simulation);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),      cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_shared_edge), cmocka_unit_test(test_middles),
        cmocka_unit_test(test_rest),        cmocka_unit_test(test_searches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

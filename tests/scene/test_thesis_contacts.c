// SPDX-License-Identifier: Apache-2.0
// Contacts of the thesis' study of Newton solvers by the rule `centroid`, one per pair of elements
// that bear on each other (Koziara 2008, section 13.3, table 1): elements that share an edge or a
// corner have none.
#include "scene/scenes.h"

// n^3 cubes on a floor
static const char cube[] =
    "contacts{rule = 'centroid'}\n"
    "local n, a = param('n', 3), 0.1\n"
    "gravity{2, 2, -10}\n"
    "material{name = 'stone', density = 2200, friction = 0.5}\n"
    "floor{material = 'stone'}\n"
    "for k = 1, n do for j = 1, n do for i = 1, n do\n"
    "  body{material = 'stone', kind = 'pseudo_rigid', young = 15.5e9, poisson = 0.2,\n"
    "       position = {(i - 0.5) * a, (j - 0.5) * a, (k - 0.5) * a}, shape = shape.box{size = {a, "
    "a, a}}}\n"
    "end end end\n";

// a running bond with half units at the ends of every second course, a bar on top, a stop at the
// left foot
static const char wall[] =
    "contacts{rule = 'centroid'}\n"
    "local courses, units, l, w, h = param('n', 10), param('m', 5), 0.2, 0.2, 0.1\n"
    "gravity{0, 0, -10}\n"
    "material{name = 'stone', density = 2200, friction = 0.62}\n"
    "body{kind = 'fixed', material = 'stone', position = {units * l / 2, 0, -0.25}, shape = "
    "shape.box{size = {units * l + 2, 1, 0.5}}}\n"
    "body{kind = 'fixed', material = 'stone', position = {-0.05, 0, 0.05}, shape = "
    "shape.box{size = {0.1, 0.2, 0.09}}}\n"
    "local function lay(x, course, part)\n"
    "  body{material = 'stone', kind = 'pseudo_rigid', young = 15.5e9, poisson = 0.2, position = "
    "{x, 0, (course - 0.5) * h}, shape = shape.box{size = {part * l, w, h}}}\n"
    "end\n"
    "for course = 1, courses do\n"
    "  if course % 2 == 1 then for i = 1, units do lay((i - 0.5) * l, course, 1) end\n"
    "  else lay(0.25 * l, course, 0.5); for i = 1, units - 1 do lay(i * l, course, 1) end; "
    "lay((units - 0.25) * l, course, 0.5) end\n"
    "end\n"
    "body{material = 'stone', kind = 'pseudo_rigid', young = 15.5e9, poisson = 0.2, position = "
    "{units * l / 2, 0, courses * h + 0.1}, shape = shape.box{size = {units * l, 0.2, 0.2}}}\n";

// rings of blocks with an open eye on a base
static const char dome[] =
    "contacts{rule = 'centroid'}\n"
    "local rings, seg, R, th, eye = param('n', 5), param('m', 12), 10, 0.6, math.pi / 12\n"
    "gravity{0, 0, -10}\n"
    "material{name = 'stone', density = 2200, friction = 0.5}\n"
    "body{kind = 'fixed', material = 'stone', position = {0, 0, -0.5}, shape = shape.box{size = "
    "{40, 40, 1}}}\n"
    "for ring = 1, rings do for s = 1, seg do\n"
    "  local points = {}\n"
    "  for i = ring - 1, ring do for k = s - 1, s do\n"
    "    local polar, turn = math.pi / 2 - (math.pi / 2 - eye) * i / rings, 2 * math.pi * k / seg\n"
    "    for _, r in ipairs{R, R + th} do points[#points + 1] = {r * math.sin(polar) * "
    "math.cos(turn), r * math.sin(polar) * math.sin(turn), r * math.cos(polar)} end\n"
    "  end end\n"
    "  body{material = 'stone', kind = 'pseudo_rigid', young = 15.5e9, poisson = 0.2, shape = "
    "shape.hull{points = points}}\n"
    "end end\n";

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

static int32_t contacts_of(const char* text, const SticSceneOptions* options)
{
    const SticContext context = stic_context_default();
    char whole[4096];
    SticError error;
    SticStepInfo info = {0};
    snprintf(whole, sizeof whole, "%s%s", text, ending);
    SticScene* scene = test_scene_with(&context, whole, options, &error);
    if (scene == NULL)
        fail_msg("%d: %s", error.line, error.text);
    SticSimulation* simulation = test_simulation(&context, scene);
    assert_int_equal(stic_simulation_step(simulation, &info), STIC_OK);
    stic_simulation_destroy(simulation);
    stic_scene_destroy(scene);
    return info.contacts;
}

static void test_counts(void** unused)
{
    (void)unused;
    static const struct {
        const char* name;
        const char* text;
        const char* size[2]; // NULL: has no parameter
        int contacts;        // table 1 of the thesis
    } cases[] = {
        {"CUBE1", cube, {"3", NULL}, 63},   {"CUBE2", cube, {"5", NULL}, 325},
        {"CUBE3", cube, {"7", NULL}, 931},  {"WALL1", wall, {"10", "5"}, 147},
        {"WALL2", wall, {"17", "9"}, 451},  {"WALL3", wall, {"25", "13"}, 963},
        {"DOME1", dome, {"5", "12"}, 120},  {"DOME2", dome, {"10", "22"}, 440},
        {"DOME3", dome, {"15", "32"}, 960}, {"two blocks of six elements", pair, {NULL, NULL}, 6}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        const SticSceneAssignment param[] = {{"n", cases[k].size[0]}, {"m", cases[k].size[1]}};
        SticSceneOptions options = stic_scene_default_options();
        options.param = param;
        options.param_count = cases[k].size[0] == NULL ? 0 : cases[k].size[1] == NULL ? 1 : 2;
        const int32_t found = contacts_of(cases[k].text, &options);
        print_message("%s: %d contacts (thesis %d)\n", cases[k].name, found, cases[k].contacts);
        assert_int_equal(found, cases[k].contacts);
    }
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_counts),
                                       cmocka_unit_test(test_shared_edge)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

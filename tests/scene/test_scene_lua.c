// SPDX-License-Identifier: Apache-2.0
// Scenes as Lua scripts: statements, helpers, parameters, functions of time, the sandbox and its
// limits, errors with their places.
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "helpers/helpers.h"
#include "math/math.h"
#include "scene/scenes.h"
#include "stiction/extend/file.h"
#include "stiction/extend/shape.h"
#include "stiction/extend/world.h"

static const char scene_text[] =
    "title 'three ways'\n"
    "gravity{0, 0, -10}\n"
    "material{name = 'a', friction = 0.3}\n"
    "material{name = 'b', density = 7800}\n"
    "surface{'a', 'b', friction = 0.1, restitution = {0.5, 0.25}}\n"
    "floor{material = 'a'}\n"
    "local box = shape.box{size = {0.2, 0.2, 0.2}, material = 'b'}\n"
    "for i = 1, param('count', 3) do\n"
    "  body{name = 'box' .. i, position = {i, 0, 0.1}, shape = box}\n"
    "end\n"
    "local unnamed = body{position = {0, 0, 5}, shape = shape.sphere{radius = 0.1}}\n"
    "joint.rod{name = 'rod', a = unnamed, b = 'ground', point = {0, 0, 5}, to = {0, 0, 6}}\n"
    "scheme 'koziara' {rotation = 'new3'}\n"
    "solver{name = 'nsgs', tolerance = 1e-9}\n"
    "run{step = 0.01, duration = 0.1}\n";

static void test_statements(void** state)
{
    (void)state;
    TestMemory memory;
    const SticContext context = test_memory_context(&memory);
    SticScene* scene = test_scene_good(&context, scene_text);
    const SticSceneDef* def = stic_scene_def(scene);
    assert_string_equal(def->title, "three ways");
    assert_int_equal(def->body_count, 5);
    assert_string_equal(def->body[3].name, "box3");
    assert_string_equal(def->body[4].name, "body-5");
    // the box is one shape
    assert_int_equal(def->shape_count, 3);
    assert_int_equal(def->body[1].part[0].shape, def->body[3].part[0].shape);
    assert_int_equal(def->body[1].part[0].material, 1);
    test_equal(def->surface[0].surface.friction, 0.1);
    test_equal(def->surface[0].surface.restitution[1], 0.25);
    assert_string_equal(def->scheme, "koziara");
    assert_int_equal(def->joint[0].body[0], 4);
    // what the scene lists is in the world
    SticSimulation* simulation = test_simulation(&context, scene);
    assert_true(stic_joint_is_valid(stic_simulation_world(simulation),
                                    stic_simulation_joint(simulation, 0)));
    for (int32_t i = 0; i < def->shape_count; ++i)
        assert_int_equal(stic_shape_kind(stic_simulation_shape(simulation, i)), def->shape[i].kind);
    stic_simulation_destroy(simulation);
    // the text form gives the same scene
    SticText text = test_scene_text(&context, scene);
    SticScene* again = test_scene_good(&context, text.bytes);
    SticText second = test_scene_text(&context, again);
    assert_string_equal(text.bytes, second.bytes);
    stic_text_unload(&text);
    stic_text_unload(&second);
    stic_scene_destroy(again);
    stic_scene_destroy(scene);
    test_memory_check(&memory);
}

static void test_parameters(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticSceneAssignment given = {"count", "7"};
    SticSceneOptions options = stic_scene_default_options();
    options.param = &given;
    options.param_count = 1;
    SticError error;
    SticScene* scene = test_scene_with(&context, scene_text, &options, &error);
    assert_non_null(scene);
    assert_int_equal(stic_scene_def(scene)->body_count, 9);
    stic_scene_destroy(scene);
    given.value = "many";
    assert_null(test_scene_with(&context, scene_text, &options, &error));
    printf("%s:%d: %s\n", error.file, error.line, error.text);
    // what the caller gave is wrong, not a line of the scene
    assert_int_equal(error.status, STIC_BAD_ARGUMENT);
    assert_int_equal(error.line, 0);
    given.name = "cuont";
    assert_null(test_scene_with(&context, scene_text, &options, &error));
    printf("%s\n", error.text);
    assert_non_null(strstr(error.text, "no parameter 'cuont'; did you mean 'count'?"));
    given.name = "blocks";
    assert_null(test_scene_with(&context, scene_text, &options, &error));
    printf("%s\n", error.text);
    assert_non_null(strstr(error.text, "no parameter 'blocks'; it has count"));
}

// a function of time is sampled at the middle of each step, after --set
static void test_functions(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    const SticSceneAssignment set = {"run.step", "0.125"};
    SticSceneOptions options = stic_scene_default_options();
    options.set = &set;
    options.set_count = 1;
    SticError error;
    SticScene* scene = test_scene_with(
        &context,
        "body{mass = 1, inertia = {1, 1, 1}, force = {function(t) return 8 * math.cos(t) end, 0, "
        "signal.table{time = {0, 1}, value = {0, 4}}},\n"
        "     torque = function(t) return t, 2 * t, 3 * t end}\n"
        "run{step = 0.5, duration = 1}",
        &options, &error);
    if (scene == NULL)
        fail_msg("%s", error.text);
    const SticSceneDef* def = stic_scene_def(scene);
    const SticSceneBody* body = &def->body[0];
    const SticSignal* x = &def->signal[body->force.signal[0]];
    assert_int_equal(x->count, 8);
    for (int k = 0; k < 8; ++k) {
        const double t = (k + 0.5) * 0.125;
        test_equal(x->value[k], 8.0 * stic_cos(t));
        test_equal(def->signal[body->torque.signal[2]].value[k], 3.0 * t);
    }
    assert_int_equal(body->force.signal[1], -1);
    test_equal(stic_signal_value(&def->signal[body->force.signal[2]], 0.25), 1.0);
    // v_z after 1 s under 4 t / m - g
    SticSimulation* simulation = test_simulation(&context, scene);
    test_simulation_finish(simulation);
    const SticSceneHistory what = {
        .quantity = STIC_QUANTITY_VELOCITY, .body = 0, .joint = -1, .component = 2};
    double v = 0.0;
    assert_int_equal(stic_simulation_measure(simulation, &what, &v), STIC_OK);
    printf("v_z = %.15g, exact %.15g\n", v, 2.0 - 9.81);
    test_less(fabs(v - (2.0 - 9.81)), 1e-13);
    stic_simulation_destroy(simulation);
    stic_scene_destroy(scene);
}

static void test_helpers(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticScene* scene = test_scene_good(
        &context, "local a = arch{blocks = 5, thickness = 1}\n"
                  "assert(#a == 5 and a[3] == 'arch-3')\n"
                  "assert(#wall{courses = 10, bricks = 5, position = {20, 0, 0}} == 55)\n"
                  "assert(#dome{rings = 5, segments = 12, position = {60, 0, 0}} == 60)\n"
                  "assert(#pile{count = 8, shape = shape.sphere{radius = 0.3}} == 8)\n"
                  "local n = 0\n"
                  "grid{count = {2, 3, 4}, make = function(i, j, k, x) n = n + x[1] end}\n"
                  "assert(n == 12)\n");
    const SticSceneDef* def = stic_scene_def(scene);
    assert_int_equal(def->body_count, 5 + 2 + 55 + 60 + 8);
    // volume of the arch of straight-sided blocks: n sin(pi/n) r t w
    SticSimulation* simulation = test_simulation(&context, scene);
    double mass = 0.0;
    for (int i = 0; i < 5; ++i)
        mass += stic_world_mass(stic_simulation_system(simulation),
                                stic_simulation_body(simulation, i));
    const double exact = 1000.0 * 5.0 * sin(STIC_PI / 5.0) * 10.0 * 1.0 * 5.0;
    printf("mass of the arch: %.12g, exact %.12g\n", mass, exact);
    test_less(fabs(mass / exact - 1.0), 1e-13);
    stic_simulation_destroy(simulation);
    stic_scene_destroy(scene);
}

// what a script can see is the same in every run, and mathematics has our bits
static void test_determinism(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    static const char script[] =
        "local t = {zeta = 1, alpha = 2, [10] = 3, [2] = 4, mid = 5, [true] = 6}\n"
        "local order = ''\n"
        "for k, v in pairs(t) do order = order .. tostring(k) .. '=' .. v .. ' ' end\n"
        "local list = {}\n"
        "for i = 1, 500 do list[i] = {key = i % 7, number = i} end\n"
        "table.sort(list, function(a, b) return a.key < b.key end)\n"
        "for i = 2, 500 do\n"
        "  local a, b = list[i - 1], list[i]\n"
        "  assert(a.key < b.key or a.key == b.key and a.number < b.number)\n"
        "end\n"
        "title(order .. tostring({}) .. ' ' .. math.random(1, 1000) .. ' ' .. 0.1)\n"
        "body{mass = math.pow(2, 0.5), inertia = {math.exp(1), math.log(2), math.sin(1)}}\n";
    char first[256] = "";
    for (int k = 0; k < 5; ++k) {
        SticScene* scene = test_scene_good(&context, script);
        const SticSceneDef* def = stic_scene_def(scene);
        if (k == 0) {
            snprintf(first, sizeof first, "%s", def->title);
            printf("%s\n", first);
            assert_non_null(strstr(first, "2=4 10=3 alpha=2 mid=5 zeta=1 true=6 table"));
        }
        assert_string_equal(first, def->title);
        test_equal(def->body[0].mass, stic_pow(2.0, 0.5));
        test_equal(def->body[0].inertia.m[0][0], stic_exp(1.0));
        stic_scene_destroy(scene);
    }
}

typedef struct Bad {
    const char* script;
    int32_t line;
    const char* words;
} Bad;

static void test_refusals(void** state)
{
    (void)state;
    static const Bad bad[] = {
        // misspelt and wrong
        {"bodi{}", 1, "there is no 'bodi'; did you mean 'body'?"},
        {"\nbody{\n posision = {0,0,0}}", 2, "did you mean 'position'"},
        {"shape.bok{size={1,1,1}}", 1, "did you mean 'box'"},
        {"local s = 1\nshape.box{size = {1, -1, 1}}", 2, "three numbers > 0"},
        {"joint.hinge{a = 'x'}", 1, "there is no such body"},
        {"arch{thicknes = 1}", 1, "did you mean 'thickness'"},
        {"\n\narch{blocks = 1}", 3, "whole number"},
        {"arch{radius = 'x'}", 1, "must be a number"},
        {"body{position = {0, 0, 0/0}}", 1, "three finite numbers"},
        {"body{mass = {}}", 1, "mass = {}"},
        {"body{name = 3}", 1, "a text"},
        {"local t = {}; t.t = t; body{shape = t}", 1, "nested too deeply"},
        {"body{[1.5] = 1}", 1, "neither a name"},
        {"scheme 'moreau' {limit = 1}", 1, "there is no setting 'limit'"},
        {"solver 'nsgs' {omga = 1}", 1, "did you mean 'omega'"},
        {"body{position = {1, 2}}", 1, "position = {1, 2} is not accepted"},
        {"x = = 2", 1, "unexpected symbol"},
        {"body{}\nerror('mine')", 2, "mine"},
        {"body{}\nlocal a = nil + 1", 2, "arithmetic"},
        {"body{force = function(t) return 'x' end, mass = 1, inertia = {1,1,1}}", 1, "no finite"},
        {"local x = 2 ^ 0.5", 1, "math.pow"},
        {"-- a ^ b\nlocal s = 'a^b' .. [[ ^ ]]\nlocal y = 3 ^ 2\nlocal z = 3 ^ 2.5", 4, "math.pow"},
        // the sandbox
        {"io.open('x')", 1, "there is no 'io'"},
        {"os.execute('x')", 1, "there is no 'os'"},
        {"require 'x'", 1, "there is no 'require'"},
        {"load('x')", 1, "a table of fields"},
        {"dofile('x')", 1, "there is no 'dofile'"},
        {"debug.getinfo(1)", 1, "there is no 'debug'"},
        {"coroutine.wrap(print)", 1, "there is no 'coroutine'"},
        {"pcall(print)", 1, "there is no 'pcall'"},
        {"string.find('a', 'a')", 1, "attempt to call a nil value"},
        {"('x'):gsub('a', 'b')", 1, "attempt to call a nil value"},
        {"string.format('%p', {})", 1, "address"},
        {"string.format('%s', {})", 1, "cannot be written"},
        {"setmetatable({}, {__gc = print})", 1, "__gc"},
        {"pairs{[{}] = 1}", 1, "has no order"},
        {"shape.mesh{file = 'a.stl'}", 1, "reads no files"},
        // limits
        {"\nwhile true do end", 2, "endless loop"},
        {"local s = 'x'\nwhile true do s = s .. s end", 0, "MiB of memory"},
        {"local function f() return f() + 1 end\nf()", 0, "MiB of memory"},
        {"local t = ('x'):rep(1e10)", 1, "too large"},
        {"body{mass=1, inertia={1,1,1}, force = function() while true do end end}", 1, "endless"},
        // work inside one instruction
        {"local m = {__len = function() return 1 << 60 end}\n"
         "table.insert(setmetatable({}, m), 1, 0)",
         2, "__len"},
        {"table.remove(setmetatable({}, {__len = function() return 1 << 60 end}), 1)", 1, "__len"},
        {"table.concat(setmetatable({}, {__index = table.concat}), '', 1, 1 << 60)", 1, "endless"},
        {"table.unpack({}, math.mininteger, math.maxinteger)", 1, "endless"},
        {"while true do local s = ('x'):rep(4000000) end", 0, "endless"},
        {"local t = {}\nfor i = 1, 1e5 do t[i] = i end\nwhile true do table.insert(t, 1, 0) end", 3,
         "endless"},
        // values that grow when they are written out
        {"local t = {1}\nfor i = 1, 12 do t = {t, t, t, t, t, t, t, t} end\nbody{shape = t}", 3,
         "MiB of memory"},
        {"local t, s = {}, ('x'):rep(1000000)\nfor i = 1, 99 do t[i] = s end\nbody{shape = t}", 3,
         "MiB of memory"},
        {"while true do body{} end", 1, "MiB of memory"},
        // hidden from a look at the text
        {"string.format('\\0%p', 'x')", 1, "address"},
        {"-- a comment\rlocal x = 2 ^ 0.5", 1, "math.pow"},
        {"local s = 'a\\\r\n' x = 2 ^ 0.5 -- '", 2, "math.pow"},
        {"local s = 'a\\z\n' x = 2 ^ 0.5 -- '", 2, "math.pow"},
    };
    const SticContext context = stic_context_default();
    SticSceneOptions options = stic_scene_default_options();
    options.max_instructions = 2000000;
    options.max_bytes = 8 << 20;
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; ++k) {
        SticError error;
        SticScene* scene = test_scene_with(&context, bad[k].script, &options, &error);
        printf("%s:%d: %s\n", error.file, error.line, error.text);
        assert_null(scene);
        assert_int_equal(error.line, bad[k].line);
        assert_non_null(strstr(error.text, bad[k].words));
    }
}

// what is cheap stays allowed within the same limits
static void test_cheap(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticSceneOptions options = stic_scene_default_options();
    options.max_instructions = 2000000;
    options.max_bytes = 8 << 20;
    SticError error;
    SticScene* scene = test_scene_with(
        &context,
        "local t = {}\n"
        "for i = 1, 20000 do table.insert(t, i) end\n"
        "for i = 1, 19990 do table.remove(t) end\n"
        "table.insert(t, 1, 0)\n"
        "assert(table.concat(t, ' ') == '0 1 2 3 4 5 6 7 8 9 10')\n"
        "assert(table.concat(t, ' ', 2, 3) == '1 2' and table.remove(t, 1) == 0)\n"
        "assert(select('#', table.unpack(t)) == 10 and table.unpack(t, 4, 4) == 4)\n"
        "assert((''):rep(1 << 60) == '' and ('a'):rep(3, '-') == 'a-a-a')\n"
        "local list = setmetatable({}, {__index = {push = table.insert}})\n"
        "list:push('x')\n"
        "title(list[1])\nbody{}\n",
        &options, &error);
    if (scene == NULL)
        fail_msg("%d: %s", error.line, error.text);
    assert_string_equal(stic_scene_def(scene)->title, "x");
    stic_scene_destroy(scene);
    // a 0 byte would end the look at the text, but not the script
    static const char hidden[] = "--\0\nlocal x = 2 ^ 0.5";
    const SticText text = {
        .context = context, .bytes = (char*)(uintptr_t)hidden, .size = sizeof hidden - 1};
    error = (SticError){0};
    assert_int_equal(stic_scene_parse(&context, &text, "test.lua", &options, &scene, &error),
                     STIC_BAD_DATA);
    printf("%s\n", error.text);
    assert_non_null(strstr(error.text, "0 byte"));
}

static void write_file(const char* path, const char* text)
{
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static SticScene* load(const char* folder, const char* script, SticError* error)
{
    const SticContext context = stic_context_default();
    char path[TEST_PATH_SIZE];
    snprintf(path, sizeof path, "%.900s/scene.lua", folder);
    write_file(path, script);
    SticScene* scene = NULL;
    const SticSceneOptions options = stic_scene_default_options();
    *error = (SticError){0};
    const SticStatus status = stic_scene_load(&context, path, &options, &scene, error);
    assert_int_equal(status, error->status);
    unlink(path);
    return scene;
}

// meshes and tables of the scene's folder and below; nothing else, by whatever way
static void test_files(void** state)
{
    (void)state;
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE + 64];
    test_scratch_path("scene-folder", folder);
    assert_int_equal(mkdir(folder, 0700), 0);
    snprintf(path, sizeof path, "%s/in", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/in/t.csv", folder);
    write_file(path, "time, other, value\n0, 9, 1\n0.5; 9; 3\n1 9 2\n");
    snprintf(path, sizeof path, "%s/out.csv", folder);
    assert_int_equal(symlink("/etc/passwd", path), 0);
    snprintf(path, sizeof path, "%s/up", folder);
    assert_int_equal(symlink("/etc", path), 0);
    SticError error;
    SticScene* scene =
        load(folder,
             "local s = signal.table{file = 'in/t.csv', value_column = 3, scale = 2}\n"
             "body{mass = 1, inertia = {1, 1, 1}, force = {s, 0, 0}}\n",
             &error);
    if (scene == NULL)
        fail_msg("%s", error.text);
    const SticSignal* signal = &stic_scene_def(scene)->signal[0];
    assert_int_equal(signal->count, 3);
    test_equal(stic_signal_value(signal, 0.75), 5.0);
    stic_scene_destroy(scene);
    static const char* const outside[] = {
        "/etc/passwd", "../x.csv", "in/../../x.csv", "out.csv",    "up/passwd", "./in/t.csv",
        "in",          "",         "in//t.csv",      "missing.csv"};
    for (size_t k = 0; k < sizeof outside / sizeof outside[0]; ++k) {
        char script[256];
        snprintf(script, sizeof script, "signal.table{file = '%s'}", outside[k]);
        assert_null(load(folder, script, &error));
        printf("%d: %s\n", error.line, error.text);
        assert_int_equal(error.line, 1);
    }
    static const char* const names[] = {"in/t.csv", "in", "out.csv", "up"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k) {
        snprintf(path, sizeof path, "%s/%s", folder, names[k]);
        assert_int_equal(remove(path), 0);
    }
    assert_int_equal(rmdir(folder), 0);
}

static void copy_file(const char* name, const char* folder, char path[TEST_PATH_SIZE])
{
    char from[TEST_PATH_SIZE], bytes[4096];
    snprintf(from, sizeof from, "%s/tests/data/%s", STIC_SOURCE_DIR, name);
    snprintf(path, TEST_PATH_SIZE, "%.900s/%s", folder, name);
    FILE *in = fopen(from, "rb"), *out = fopen(path, "wb");
    assert_true(in != NULL && out != NULL);
    for (size_t got; (got = fread(bytes, 1, sizeof bytes, in)) > 0;)
        assert_int_equal(fwrite(bytes, 1, got, out), got);
    fclose(in);
    fclose(out);
}

// hulls, meshes and convex pieces from STL, OBJ and Gmsh, with their masses
static void test_meshes(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    char folder[TEST_PATH_SIZE], path[3][TEST_PATH_SIZE];
    test_scratch_path("mesh-folder", folder);
    assert_int_equal(mkdir(folder, 0700), 0);
    copy_file("cube_4.1.msh", folder, path[0]);
    copy_file("tetra.stl", folder, path[1]);
    copy_file("house.obj", folder, path[2]);
    SticError error;
    SticScene* scene = load(folder,
                            "body{name = 'pieces', shape = shape.compound{file = 'cube_4.1.msh'}}\n"
                            "body{name = 'hull', shape = shape.hull{file = 'cube_4.1.msh'}}\n"
                            "body{name = 'stl', shape = shape.hull{file = 'tetra.stl'}}\n"
                            "body{name = 'ground', kind = 'fixed'}\n",
                            &error);
    assert_null(scene);
    assert_non_null(strstr(error.text, "means no body"));
    scene = load(folder,
                 "body{name = 'pieces', shape = shape.compound{file = 'cube_4.1.msh'}}\n"
                 "body{name = 'hull', shape = shape.hull{file = 'cube_4.1.msh'}}\n"
                 "body{name = 'stl', shape = shape.hull{file = 'tetra.stl'}}\n"
                 "body{name = 'house', kind = 'fixed', shape = shape.mesh{file = 'house.obj'}}\n",
                 &error);
    if (scene == NULL)
        fail_msg("%s", error.text);
    SticText text = test_scene_text(&context, scene);
    SticScene* again = test_scene_good(&context, text.bytes);
    double mass[2][3];
    for (int k = 0; k < 2; ++k) {
        SticSimulation* simulation = test_simulation(&context, k == 0 ? scene : again);
        for (int i = 0; i < 3; ++i)
            mass[k][i] = stic_world_mass(stic_simulation_system(simulation),
                                         stic_simulation_body(simulation, i));
        stic_simulation_destroy(simulation);
    }
    const SticSceneDef* def = stic_scene_def(scene);
    printf("mass: pieces %.12g, their hull %.12g, tetrahedron %.12g; %d elements, %d faces\n",
           mass[0][0], mass[0][1], mass[0][2], def->shape[0].element_count,
           def->shape[3].face_count);
    // cube, pyramid, wedge and tetrahedron: 1 + 1/3 + 1/2 + 1/6; the hull by another program
    test_less(fabs(mass[0][0] / 2000.0 - 1.0), 1e-12);
    test_less(fabs(mass[0][1] / 2625.0 - 1.0), 1e-12);
    test_less(fabs(mass[0][2] * 6.0 / 1000.0 - 1.0), 1e-12);
    assert_memory_equal(mass[0], mass[1], sizeof mass[0]);
    test_greater(def->shape[0].element_count, 1);
    test_greater(def->shape[3].face_count, 4);
    // a mesh of another kind than the statement needs
    assert_null(load(folder, "shape.compound{file = 'tetra.stl'}", &error));
    printf("%s\n", error.text);
    assert_non_null(strstr(error.text, "missing"));
    stic_text_unload(&text);
    stic_scene_destroy(scene);
    stic_scene_destroy(again);
    for (int k = 0; k < 3; ++k)
        assert_int_equal(unlink(path[k]), 0);
    assert_int_equal(rmdir(folder), 0);
}

// a run continued from a snapshot sees the same loads and gives the same bits
static void test_resume(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticScene* scene = test_scene_good(
        &context,
        "material{name = 'm', friction = 0.3}\n"
        "body{name = 'plate', kind = 'prescribed', displacement = function(t)\n"
        "       return 0, 0, 0.01 * math.sin(40 * t) end,\n"
        "     shape = shape.box{size = {1, 1, 0.2}, position = {0, 0, -0.1}, material = 'm'}}\n"
        "body{name = 'box', position = {0, 0, 0.1}, force = function(t) return 5 * math.sin(9 * "
        "t), "
        "0, 0 end,\n"
        "     mass = 1, shape = shape.box{size = {0.2, 0.2, 0.2}, material = 'm'}}\n"
        "gravity{signal.wave{amplitude = 1, frequency = 20}, 0, -9.81}\n"
        "run{step = 1e-3, duration = 0.2}\n");
    SticSimulation* whole = test_simulation(&context, scene);
    SticSimulation* first = test_simulation(&context, scene);
    SticSimulation* second = test_simulation(&context, scene);
    SticArena* arena = NULL;
    const void* bytes = NULL;
    size_t count = 0;
    SticStepInfo info;
    SticError error = {0};
    test_simulation_finish(whole);
    for (int k = 0; k < 77; ++k)
        assert_int_equal(stic_simulation_step(first, &info), STIC_OK);
    assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
    assert_int_equal(stic_run_save(stic_simulation_run(first), arena, &bytes, &count), STIC_OK);
    assert_int_equal(stic_run_load(stic_simulation_run(second), bytes, count, &error), STIC_OK);
    test_simulation_finish(second);
    assert_int_equal(stic_run_totals(stic_simulation_run(second))->steps, 200);
    test_equal(stic_run_hash(stic_simulation_run(whole)),
               stic_run_hash(stic_simulation_run(second)));
    stic_arena_destroy(arena);
    stic_simulation_destroy(whole);
    stic_simulation_destroy(first);
    stic_simulation_destroy(second);
    stic_scene_destroy(scene);
}

static SticStatus make(const SticContext* context, void* self)
{
    const char* script = self;
    SticScene* scene = NULL;
    SticError error = {0};
    const SticText text = {
        .context = *context, .bytes = (char*)(uintptr_t)script, .size = strlen(script)};
    const SticSceneOptions options = stic_scene_default_options();
    const SticStatus status = stic_scene_parse(context, &text, "x", &options, &scene, &error);
    stic_scene_destroy(scene);
    return status;
}

static void test_memory(void** state)
{
    (void)state;
    static char script[] = "body{mass = 1, inertia = {1, 1, 1}, force = function(t) return t, 0, 0 "
                           "end, shape = shape.box{size = {1, 1, 1}}}\n"
                           "run{step = 0.1, duration = 1}";
    const int64_t calls = test_fail_every_allocation(make, script);
    printf("%lld allocations failed in turn\n", (long long)calls);
}

int main(void)
{
    if (!stic_scene_has_lua()) {
        printf("left out: built without Lua\n");
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_statements),  cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_functions),   cmocka_unit_test(test_helpers),
        cmocka_unit_test(test_determinism), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_files),       cmocka_unit_test(test_meshes),
        cmocka_unit_test(test_resume),      cmocka_unit_test(test_memory),
        cmocka_unit_test(test_cheap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

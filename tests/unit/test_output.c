// SPDX-License-Identifier: Apache-2.0
// Result files: what is written is read back, forces balance, a broken run goes on.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file/file.h"
#include "helpers/world.h"
#include "output/output.h"

#ifdef STIC_HAVE_HDF5

enum { BOXES = 3, STEPS = 40 };

typedef struct Scene {
    TestWorld tw;
    SticBodyId box[BOXES];
    char path[TEST_PATH_SIZE];
} Scene;

// three boxes dropped on a plane, slightly turned, with a joint between two of them
static void open_scene_of(Scene* scene, const char* name, const char* scheme,
                          const SticWorldDef* def_of_world)
{
    test_world_open(&scene->tw, NULL, def_of_world);
    test_world_plane(&scene->tw, stic_vec3(0.0, 0.0, 1.0), 0.0, (SticMaterialId){0, 0});
    const SticShape* shape = test_world_box(&scene->tw, 0.5, 0.4, 0.3);
    for (int i = 0; i < BOXES; ++i) {
        SticBodyDef def = stic_body_default_def();
        char text[16];
        snprintf(text, sizeof text, "box%d", i);
        def.name = text;
        def.position = stic_vec3(2.0 * i, 0.0, 0.31 + 0.01 * i);
        def.orientation = test_turn(stic_vec3(1.0, 2.0, 3.0), 0.02 * i);
        def.velocity = stic_vec3(0.3, 0.1 * i, -0.2);
        scene->box[i] = test_world_add(&scene->tw, &def, shape, (SticMaterialId){0, 0});
    }
    SticJointDef joint = stic_joint_default_def();
    joint.kind = STIC_JOINT_POINT;
    joint.name = "ball";
    joint.body[0] = scene->box[0];
    joint.body[1] = scene->box[1];
    TEST_TRY(&scene->tw, stic_joint_place(scene->tw.world, stic_vec3(1.0, 0.0, 0.3),
                                          stic_vec3(0.0, 0.0, 1.0), &joint, &scene->tw.error));
    SticJointId id;
    TEST_TRY(&scene->tw, stic_joint_create(scene->tw.world, &joint, &id, &scene->tw.error));
    test_world_run(&scene->tw, scheme, NULL, 1e-2, 1e-10);
    test_scratch_path(name, scene->path);
}

static void open_scene(Scene* scene, const char* name, const char* scheme)
{
    open_scene_of(scene, name, scheme, NULL);
}

static void close_scene(Scene* scene)
{
    char beside[TEST_PATH_SIZE + 16];
    assert_int_equal(stic_output_beside(scene->path, ".snapshot", beside, sizeof beside, NULL),
                     STIC_OK);
    remove(beside);
    remove(scene->path);
    test_world_close(&scene->tw);
}

static SticOutputDef output_def(const Scene* scene)
{
    SticOutputDef def = stic_output_default_def();
    def.path = scene->path;
    def.world = scene->tw.world;
    def.run = scene->tw.run;
    def.until = STEPS * 1e-2;
    def.title = "three boxes";
    def.source = "-- a scene\n";
    def.settings.contact_precision = STIC_PRECISION_DOUBLE;
    def.settings.flush = 0.0;
    def.settings.every = 1;
    return def;
}

static void make_steps(Scene* scene, SticOutput* output, int steps)
{
    for (int k = 0; k < steps; ++k) {
        test_world_steps(&scene->tw, 1);
        TEST_TRY(&scene->tw,
                 stic_output_step(output, scene->tw.run, &scene->tw.info,
                                  &(SticStepExtra){.seconds = 0.001}, &scene->tw.error));
    }
}

/* ---- reading back ---- */

static void test_read_back(void** unused)
{
    (void)unused;
    Scene scene;
    SticOutput* output = NULL;
    SticResult* result = NULL;
    SticArena* arena = NULL;
    open_scene(&scene, "read_back.h5", "moreau");
    const SticOutputDef def = output_def(&scene);
    TEST_TRY(&scene.tw, stic_output_create(&scene.tw.context, &def, &output, &scene.tw.error));
    make_steps(&scene, output, STEPS);
    assert_int_equal(stic_output_frames(output), STEPS + 1);
    TEST_TRY(&scene.tw, stic_output_close(output, &scene.tw.error));

    TEST_TRY(&scene.tw, stic_result_open(&scene.tw.context, scene.path, &result, &scene.tw.error));
    const SticResultInfo* info = stic_result_info(result);
    assert_false(info->in_use);
    assert_int_equal(info->frames, STEPS + 1);
    assert_int_equal(info->steps, STEPS);
    assert_int_equal(info->bodies, BOXES + 1);
    assert_int_equal(info->shapes, BOXES + 1);
    assert_int_equal(info->joints, 1);
    assert_string_equal(info->title, "three boxes");
    assert_string_equal(info->scheme, "moreau");
    assert_string_equal(info->solver, stic_run_parts(scene.tw.run)->solver->name);
    assert_string_equal(info->source, "-- a scene\n");
    assert_string_equal(info->determinism, "strict");
    assert_string_equal(stic_result_body(result, 2), "box1");

    // the last frame is the state, bit for bit
    assert_int_equal(stic_arena_create(&scene.tw.context, 0, &arena), STIC_OK);
    SticResultFrame frame;
    TEST_TRY(&scene.tw, stic_result_read(result, STEPS, arena, &frame, &scene.tw.error));
    test_equal(frame.hash, stic_run_hash(scene.tw.run));
    assert_int_equal(frame.step, STEPS);
    for (int i = 0; i < BOXES; ++i) {
        const SticVec3 place = test_world_place(&scene.tw, scene.box[i]);
        const SticTwist twist = test_world_motion(&scene.tw, scene.box[i]);
        const double* position = frame.position + 3 * (i + 1);
        test_equal(position[0], place.x);
        test_equal(position[1], place.y);
        test_equal(position[2], place.z);
        test_equal(frame.velocity[3 * (i + 1) + 2], twist.velocity.z);
    }
    SticResultSteps steps;
    TEST_TRY(&scene.tw, stic_result_steps(result, &steps, &scene.tw.error));
    const SticRunTotals* totals = stic_run_totals(scene.tw.run);
    assert_int_equal(steps.unsolved, 0);
    test_equal(steps.worst_error, totals->worst_error);
    assert_int_equal(steps.iterations, totals->iterations);
    test_near(steps.ledger.friction, totals->ledger.friction,
              1e-12 * fabs(totals->ledger.friction));
    print_message("frames %lld, contacts of the last %d, friction %.6g J\n",
                  (long long)info->frames, frame.contact_count, steps.ledger.friction);
    stic_result_close(result);
    stic_arena_destroy(arena);
    close_scene(&scene);
}

/* ---- forces ---- */

// gravity, contact forces and the joint change the momentum of every box between two frames
static void check_balance(Scene* scene, double tolerance)
{
    SticOutput* output = NULL;
    SticResult* result = NULL;
    SticArena* arena = NULL;
    const SticOutputDef def = output_def(scene);
    TEST_TRY(&scene->tw, stic_output_create(&scene->tw.context, &def, &output, &scene->tw.error));
    make_steps(scene, output, STEPS);
    TEST_TRY(&scene->tw, stic_output_close(output, &scene->tw.error));
    TEST_TRY(&scene->tw,
             stic_result_open(&scene->tw.context, scene->path, &result, &scene->tw.error));
    assert_int_equal(stic_arena_create(&scene->tw.context, 0, &arena), STIC_OK);
    const double mass = stic_world_mass(scene->tw.system, scene->box[2]);
    double worst = 0.0, largest = 0.0;
    int64_t contacts = 0;
    for (int64_t k = 1; k <= STEPS; ++k) {
        SticResultFrame old, now;
        TEST_TRY(&scene->tw, stic_result_read(result, k - 1, arena, &old, &scene->tw.error));
        TEST_TRY(&scene->tw, stic_result_read(result, k, arena, &now, &scene->tw.error));
        // box 2 has no joint; all three together feel the joint inside only
        SticVec3 sum = stic_vec3(0.0, 0.0, -9.81 * mass), sum_all = stic_vec3_scale(3.0, sum);
        for (int32_t i = 0; i < now.contact_count; ++i)
            for (int side = 0; side < 2; ++side) {
                const double sign = side == 0 ? 1.0 : -1.0;
                if (now.contact[i].body[side] == BOXES)
                    sum = stic_vec3_add(sum, stic_vec3_scale(sign, now.contact[i].force));
                if (now.contact[i].body[side] > 0)
                    sum_all = stic_vec3_add(sum_all, stic_vec3_scale(sign, now.contact[i].force));
            }
        contacts += now.contact_count;
        const double *v = now.velocity, *w = old.velocity;
        const double force[3] = {sum.x, sum.y, sum.z}, all[3] = {sum_all.x, sum_all.y, sum_all.z};
        for (int c = 0; c < 3; ++c) {
            const double gain = mass * (v[3 * BOXES + c] - w[3 * BOXES + c]) / now.h;
            double gain_all = 0.0;
            for (int b = 1; b <= BOXES; ++b)
                gain_all += mass * (v[3 * b + c] - w[3 * b + c]) / now.h;
            worst = test_worse(worst, fmax(fabs(gain - force[c]), fabs(gain_all - all[c])));
            largest = test_worse(largest, fabs(all[c]));
        }
    }
    print_message("%s: %lld contacts, largest force %.4g N, balance to %.2e of it\n",
                  stic_result_info(result)->scheme, (long long)contacts, largest, worst / largest);
    test_greater(contacts, 100);
    test_at_most(worst, tolerance * largest);
    stic_result_close(result);
    stic_arena_destroy(arena);
}

static void test_forces_balance(void** unused)
{
    (void)unused;
    static const char* const schemes[] = {"moreau", "koziara"};
    for (int i = 0; i < 2; ++i)
        for (int law = 0; law < STIC_FRICTION_COUNT; ++law) {
            Scene scene;
            SticWorldDef def = stic_world_default_def();
            SticSurface* surface = &def.material.surface;
            surface->law = law;
            surface->across = 0.2;
            surface->grain = stic_vec3(1.0, 0.0, 0.0);
            surface->rolling = 0.01;
            surface->patch = 0.01;
            surface->shear = 500.0;
            print_message("%s: ", stic_friction_name(law));
            open_scene_of(&scene, "balance.h5", schemes[i], &def);
            check_balance(&scene, 1e-11);
            close_scene(&scene);
        }
    // two stages: the impulses of impacts are in the forces too
    Scene scene;
    open_scene(&scene, "balance.h5", "consistent");
    check_balance(&scene, 1e-9);
    close_scene(&scene);
}

/* ---- going on ---- */

// the same frames whether or not a run was broken off after a snapshot and a few more steps
static void test_resume(void** unused)
{
    (void)unused;
    Scene scene;
    SticOutput* output = NULL;
    uint64_t expected[STEPS + 1];
    SticArena* arena = NULL;
    for (int broken = 0; broken < 2; ++broken) {
        open_scene(&scene, "resume.h5", "moreau");
        SticOutputDef def = output_def(&scene);
        def.settings.every = 3;
        assert_int_equal(stic_arena_create(&scene.tw.context, 0, &arena), STIC_OK);
        TEST_TRY(&scene.tw, stic_output_create(&scene.tw.context, &def, &output, &scene.tw.error));
        if (broken) {
            char snapshot[TEST_PATH_SIZE + 16];
            stic_output_beside(scene.path, ".snapshot", snapshot, sizeof snapshot, NULL);
            make_steps(&scene, output, 16);
            TEST_TRY(&scene.tw, stic_output_snapshot(output, scene.tw.run, &scene.tw.error));
            make_steps(&scene, output, 7);
            // an extra frame, as a run that is interrupted stores it
            TEST_TRY(&scene.tw, stic_output_frame(output, scene.tw.run, &scene.tw.error));
            TEST_TRY(&scene.tw, stic_output_close(output, &scene.tw.error));
            TEST_TRY(&scene.tw, stic_run_load_file(scene.tw.run, snapshot, &scene.tw.error));
            TEST_TRY(&scene.tw,
                     stic_output_reopen(&scene.tw.context, &def, &output, &scene.tw.error));
            make_steps(&scene, output, STEPS - 16);
        } else {
            make_steps(&scene, output, STEPS);
        }
        TEST_TRY(&scene.tw, stic_output_close(output, &scene.tw.error));
        SticResult* result = NULL;
        TEST_TRY(&scene.tw,
                 stic_result_open(&scene.tw.context, scene.path, &result, &scene.tw.error));
        assert_int_equal(stic_result_info(result)->frames, STEPS / 3 + 1);
        assert_int_equal(stic_result_info(result)->steps, STEPS);
        for (int64_t k = 0; k <= STEPS / 3; ++k) {
            SticResultFrame frame;
            TEST_TRY(&scene.tw, stic_result_read(result, k, arena, &frame, &scene.tw.error));
            uint64_t hash = stic_hash_bytes(frame.hash, frame.position, 96);
            hash = stic_hash_bytes(hash, &frame.contact_count, sizeof frame.contact_count);
            for (int32_t i = 0; i < frame.contact_count; ++i)
                hash = stic_hash_doubles(hash, &frame.contact[i].force.x, 3);
            if (broken)
                test_equal(hash, expected[k]);
            expected[k] = hash;
        }
        stic_result_close(result);
        stic_arena_destroy(arena);
        close_scene(&scene);
    }
}

/* ---- failures ---- */

static void test_refusals(void** unused)
{
    (void)unused;
    Scene scene;
    SticOutput* output = NULL;
    SticResult* result = NULL;
    SticRepair repair;
    open_scene(&scene, "refusals.h5", "moreau");
    SticOutputDef def = output_def(&scene);
    def.path = "/no/such/folder/result.h5";
    assert_int_equal(stic_output_create(&scene.tw.context, &def, &output, &scene.tw.error),
                     STIC_IO_FAILED);
    assert_null(output);
    print_message("%s: %s\n", scene.tw.error.file, scene.tw.error.text);
    assert_non_null(strstr(scene.tw.error.text, "No such file or directory"));
    FILE* file = fopen(scene.path, "wb");
    fputs("not a result\n", file);
    fclose(file);
    assert_int_equal(stic_result_open(&scene.tw.context, scene.path, &result, &scene.tw.error),
                     STIC_BAD_FILE);
    assert_int_equal(stic_result_repair(scene.path, &repair, &scene.tw.error), STIC_BAD_FILE);
    // a name that the snapshot or the histories would have
    static const char* const wrong[] = {"a.snapshot", "a.csv", "a"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        def.path = wrong[i];
        assert_int_equal(stic_output_create(&scene.tw.context, &def, &output, &scene.tw.error),
                         STIC_BAD_ARGUMENT);
        assert_non_null(strstr(scene.tw.error.text, "must end in .h5"));
    }
    def.path = scene.path;
    assert_int_equal(stic_output_create(&scene.tw.context, &def, &output, &scene.tw.error),
                     STIC_IO_FAILED);
    assert_non_null(strstr(scene.tw.error.text, "exists"));
    def.replace = true;
    TEST_TRY(&scene.tw, stic_output_create(&scene.tw.context, &def, &output, &scene.tw.error));
    // one writer at a time
    SticOutput* second = NULL;
    assert_int_equal(stic_output_create(&scene.tw.context, &def, &second, &scene.tw.error),
                     STIC_IO_FAILED);
    assert_non_null(strstr(scene.tw.error.text, "is being written by another process"));
    assert_int_equal(stic_result_repair(scene.path, &repair, &scene.tw.error), STIC_IO_FAILED);
    // open while it is written
    TEST_TRY(&scene.tw, stic_result_open(&scene.tw.context, scene.path, &result, &scene.tw.error));
    assert_int_equal(stic_result_info(result)->frames, 1);
    stic_result_close(result);
    TEST_TRY(&scene.tw, stic_output_close(output, &scene.tw.error));
    close_scene(&scene);
}

/* ---- systems written by hand ---- */

static void test_models(void** unused)
{
    (void)unused;
    const SticContext context = stic_context_default();
    SticError error = {.status = STIC_OK};
    for (int32_t i = 0; stic_model_table[i] != NULL; ++i) {
        const SticModel* model = stic_model_table[i];
        double parameters[64], path_seconds = 0.0;
        char path[TEST_PATH_SIZE];
        SticSystem* system = NULL;
        SticRun* run = NULL;
        SticOutput* output = NULL;
        SticResult* result = NULL;
        SticStepInfo info = {0};
        stic_fields_default(model->fields, parameters);
        SticChart chart = STIC_CHART_QUATERNION;
        if (model->charts != 0 && (model->charts & STIC_CHART_BIT(chart)) == 0)
            continue;
        if (model->create(&context, parameters, chart, &system, &error) != STIC_OK)
            continue;
        SticRunParts def = stic_run_default_parts();
        def.system = system;
        def.scheme = stic_scheme_find("moreau", NULL);
        def.step = 1e-4;
        def.policy = STIC_POLICY_CONTINUE;
        if (stic_run_assemble(&context, &def, &run, &error) == STIC_OK) {
            model->start(parameters, chart, stic_run_state(run));
            test_scratch_path("model.h5", path);
            SticOutputDef out = stic_output_default_def();
            out.path = path;
            out.run = run;
            out.settings.every = 1;
            assert_int_equal(stic_output_create(&context, &out, &output, &error), STIC_OK);
            for (int k = 0; k < 20; ++k) {
                assert_int_equal(stic_run_step(run, &info), STIC_OK);
                assert_int_equal(stic_output_step(output, run, &info, &(SticStepExtra){0}, &error),
                                 STIC_OK);
            }
            path_seconds = stic_output_seconds(output);
            assert_int_equal(stic_output_close(output, &error), STIC_OK);
            assert_int_equal(stic_result_open(&context, path, &result, &error), STIC_OK);
            assert_int_equal(stic_result_info(result)->nq, system->layout.nq);
            SticArena* arena = NULL;
            SticResultFrame frame;
            assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
            assert_int_equal(stic_result_read(result, 20, arena, &frame, &error), STIC_OK);
            test_equal(frame.q[0], stic_run_now(run)->q[0]);
            print_message("%-24s %2d coordinates, %.2g s\n", model->name, system->layout.nq,
                          path_seconds);
            stic_arena_destroy(arena);
            stic_result_close(result);
            remove(path);
        }
        stic_run_destroy(run);
        stic_model_destroy(model, system);
    }
}

/* ---- memory ---- */

static SticStatus write_and_read(const SticContext* context, void* self)
{
    Scene* scene = self;
    SticOutput* output = NULL;
    SticResult* result = NULL;
    SticError error = {.status = STIC_OK};
    SticOutputDef def = output_def(scene);
    def.replace = true;
    STIC_TRY(stic_output_create(context, &def, &output, &error));
    SticStatus status =
        stic_output_step(output, scene->tw.run, &scene->tw.info, &(SticStepExtra){0}, &error);
    const SticStatus closed = stic_output_close(output, &error);
    STIC_TRY(status);
    STIC_TRY(closed);
    STIC_TRY(stic_result_open(context, scene->path, &result, &error));
    SticArena* arena = NULL;
    SticResultFrame frame;
    status = stic_arena_create(context, 0, &arena);
    if (status == STIC_OK)
        status = stic_result_read(result, 1, arena, &frame, &error);
    stic_arena_destroy(arena);
    stic_result_close(result);
    return status;
}

static void test_memory(void** unused)
{
    (void)unused;
    Scene scene;
    open_scene(&scene, "memory.h5", "moreau");
    test_world_steps(&scene.tw, 5);
    const int64_t calls = test_fail_every_allocation(write_and_read, &scene);
    print_message("%lld allocations failed in turn\n", (long long)calls);
    close_scene(&scene);
}

static void test_beside(void** unused)
{
    (void)unused;
    char name[64];
    static const char* const cases[][2] = {{"a.h5", "a.xdmf"},
                                           {"b.c/a", "b.c/a.xdmf"},
                                           {".hidden", ".hidden.xdmf"},
                                           {"x/y.z.h5", "x/y.z.xdmf"}};
    for (int i = 0; i < 4; ++i) {
        assert_int_equal(stic_output_beside(cases[i][0], ".xdmf", name, sizeof name, NULL),
                         STIC_OK);
        assert_string_equal(name, cases[i][1]);
    }
    assert_int_equal(stic_output_beside("12345", ".xdmf", name, 10, NULL), STIC_BAD_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_beside),         cmocka_unit_test(test_read_back),
        cmocka_unit_test(test_forces_balance), cmocka_unit_test(test_resume),
        cmocka_unit_test(test_refusals),       cmocka_unit_test(test_models),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
    return 0;
}

#endif

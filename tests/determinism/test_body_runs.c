// SPDX-License-Identifier: Apache-2.0
// labels: threads
// All kinds of bodies on a shaken plate: the same bits for repeated runs, for two threads and after
// a restart at any step; every allocation fails once; a step allocates nothing.
#include "helpers/drop.h"
#include "helpers/helpers.h"

enum { STEPS = 60 };

static void shake(const void* self, double t, SticBodyMotion* at)
{
    (void)self;
    // a polynomial, so that the bits do not depend on the library of sines
    at->position = stic_vec3(0.05 * t * t, 0.0, 0.02 * t * t * t);
    at->velocity = stic_vec3(0.1 * t, 0.0, 0.06 * t * t);
    at->angular_velocity = stic_vec3(0.0, 0.0, 0.5);
}

static SticStatus add(SticWorld* world, const SticBodyDef* def, const SticShape* shape,
                      SticBodyId* id, SticError* error)
{
    const SticAttachDef attach = {.shape = shape, .pose = stic_pose_identity()};
    STIC_TRY(stic_body_create(world, def, id, error));
    return stic_body_attach(world, *id, &attach, NULL, error);
}

// a plate, and three of each: rigid boxes, pseudo-rigid boxes, points; a rod and a spring
static SticStatus fill(SticWorld* world, SticShape* const shape[3], SticError* error)
{
    SticBodyId id[9], plate;
    SticBodyDef def = stic_body_default_def();
    def.kind = STIC_BODY_PRESCRIBED;
    def.motion = shake;
    STIC_TRY(add(world, &def, shape[2], &plate, error));
    static const int32_t kinds[] = {STIC_BODY_RIGID, STIC_BODY_PSEUDO_RIGID, STIC_BODY_POINT};
    for (int i = 0; i < 9; ++i) {
        def = stic_body_default_def();
        def.kind = kinds[i % 3];
        def.elastic = (SticElastic){1e6, 0.3};
        def.position = stic_vec3(0.17 * (i % 3), 0.13 * (i / 3), 0.155 + 0.12 * (i / 3));
        def.velocity = stic_vec3(0.1 * i, -0.2, -0.5);
        if (def.kind != STIC_BODY_POINT)
            def.angular_velocity = stic_vec3(1.0, 0.3 * i, -1.0);
        STIC_TRY(add(world, &def, shape[def.kind == STIC_BODY_POINT], &id[i], error));
    }
    SticJointDef joint = stic_joint_default_def();
    SticJointId made;
    joint.kind = STIC_JOINT_ROD;
    joint.body[0] = id[4];
    joint.body[1] = plate;
    STIC_TRY(stic_joint_create(world, &joint, &made, error));
    joint.kind = STIC_JOINT_SPAN;
    joint.body[1] = id[2];
    joint.spring = (SticSpring){.stiffness = 100.0, .damping = 1.0};
    return stic_joint_create(world, &joint, &made, error);
}

typedef struct Scene {
    SticContext context;
    SticShape* shape[3];
    SticWorld* world;
    SticSystem* system;
    SticRun* run;
    SticError error;
} Scene;

static SticStatus open_scene(Scene* scene, const SticContext* context, const char* name)
{
    const SticWorldDef def = stic_world_default_def();
    const SticScheme* scheme = stic_scheme_find(name, &scene->error);
    SticChart chart = STIC_CHART_LINEAR;
    SticRunParts run = stic_run_default_parts();
    memset(scene, 0, sizeof *scene);
    scene->context = *context;
    STIC_TRY(stic_shape_create_box(context, stic_vec3(0.05, 0.05, 0.05), &scene->shape[0],
                                   &scene->error));
    STIC_TRY(stic_shape_create_sphere(context, 0.05, &scene->shape[1], &scene->error));
    STIC_TRY(
        stic_shape_create_box(context, stic_vec3(2.0, 2.0, 0.1), &scene->shape[2], &scene->error));
    STIC_TRY(stic_world_create(context, &def, &scene->world, &scene->error));
    STIC_TRY(fill(scene->world, scene->shape, &scene->error));
    stic_world_chart(scheme->charts, &chart);
    STIC_TRY(stic_world_system(scene->world, chart, &scene->system, &scene->error));
    run.system = scene->system;
    run.scheme = scheme;
    run.step = 5e-4;
    run.solve.tolerance = 1e-6;
    run.solve.max_iterations = 5000;
    run.policy = STIC_POLICY_CONTINUE;
    STIC_TRY(stic_run_assemble(context, &run, &scene->run, &scene->error));
    stic_world_start(scene->world, scene->system, stic_run_state(scene->run));
    return STIC_OK;
}

static void close_scene(Scene* scene)
{
    stic_run_destroy(scene->run);
    stic_world_system_destroy(scene->system);
    stic_world_destroy(scene->world);
    for (int k = 0; k < 3; ++k)
        stic_shape_destroy(scene->shape[k]);
}

static SticStatus go(Scene* scene, int steps, SticStepInfo* info)
{
    for (int k = 0; k < steps; ++k)
        STIC_TRY(stic_run_step(scene->run, info));
    return STIC_OK;
}

static const char* const schemes[] = {"koziara", "moreau", "theta"};

static void same_bits(void** state)
{
    (void)state;
    for (size_t s = 0; s < sizeof schemes / sizeof schemes[0]; ++s) {
        const SticContext alone = stic_context_default();
        SticContext pair = stic_context_default();
        assert_int_equal(stic_pool_create(&pair, 2, &pair.pool), STIC_OK);
        Scene one, two, again;
        SticStepInfo info;
        uint64_t hash[STEPS + 1];
        const void* bytes[STEPS + 1];
        size_t count[STEPS + 1];
        SticArena* arena = NULL;
        assert_int_equal(stic_arena_create(&alone, 0, &arena), STIC_OK);
        assert_int_equal(open_scene(&one, &alone, schemes[s]), STIC_OK);
        assert_int_equal(open_scene(&two, &pair, schemes[s]), STIC_OK);
        assert_int_equal(open_scene(&again, &alone, schemes[s]), STIC_OK);
        int contacts = 0;
        for (int k = 0; k <= STEPS; ++k) {
            hash[k] = stic_run_hash(one.run);
            assert_int_equal(stic_run_save(one.run, arena, &bytes[k], &count[k]), STIC_OK);
            test_equal(stic_run_hash(two.run), hash[k]);
            if (k == STEPS)
                break;
            if (go(&one, 1, &info) != STIC_OK)
                fail_msg("%s: %s", schemes[s], info.error.text);
            contacts = contacts > info.contacts ? contacts : info.contacts;
            assert_int_equal(go(&two, 1, &info), STIC_OK);
        }
        // a restart at any step continues with the same bits
        for (int k = 0; k < STEPS; ++k) {
            assert_int_equal(stic_run_load(again.run, bytes[k], count[k], &again.error), STIC_OK);
            assert_int_equal(go(&again, 1, &info), STIC_OK);
            test_equal(stic_run_hash(again.run), hash[k + 1]);
        }
        printf("%-8s %d contacts, %d unsolved steps, hash %016llx\n", schemes[s], contacts,
               (int)stic_run_totals(one.run)->unsolved, (unsigned long long)hash[STEPS]);
        test_at_least(contacts, 8);
        close_scene(&one);
        close_scene(&two);
        close_scene(&again);
        stic_arena_destroy(arena);
        stic_pool_destroy(pair.pool);
    }
}

static SticStatus short_run(const SticContext* context, void* self)
{
    Scene scene;
    SticStepInfo info;
    SticStatus status = open_scene(&scene, context, self);
    if (status == STIC_OK)
        status = go(&scene, 12, &info);
    close_scene(&scene);
    return status;
}

static void memory_fails(void** state)
{
    (void)state;
    for (size_t s = 0; s < sizeof schemes / sizeof schemes[0]; ++s) {
        char name[16];
        snprintf(name, sizeof name, "%s", schemes[s]);
        test_fail_every_allocation(short_run, name);
    }
}

// below the high-water mark of contacts a step allocates nothing
static void steps_allocate_nothing(void** state)
{
    (void)state;
    for (size_t s = 0; s < sizeof schemes / sizeof schemes[0]; ++s) {
        TestMemory memory;
        const SticContext context = test_memory_context(&memory);
        Scene scene;
        SticStepInfo info;
        SticArena* arena = NULL;
        const void* bytes = NULL;
        size_t count = 0;
        const SticContext other = stic_context_default();
        assert_int_equal(stic_arena_create(&other, 0, &arena), STIC_OK);
        assert_int_equal(open_scene(&scene, &context, schemes[s]), STIC_OK);
        assert_int_equal(stic_run_save(scene.run, arena, &bytes, &count), STIC_OK);
        // the arena joins its pieces at the step after the one that was larger than all before, and
        // the states that take turns change places from run to run
        for (int k = 0; k < 3; ++k) {
            assert_int_equal(go(&scene, STEPS, &info), STIC_OK);
            assert_int_equal(stic_run_load(scene.run, bytes, count, &scene.error), STIC_OK);
        }
        const int64_t calls = memory.calls;
        assert_int_equal(go(&scene, STEPS, &info), STIC_OK);
        printf("%-8s %lld allocations in the fourth run\n", schemes[s],
               (long long)(memory.calls - calls));
        test_equal(memory.calls, calls);
        stic_arena_destroy(arena);
        close_scene(&scene);
        test_memory_check(&memory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bits),
        cmocka_unit_test(memory_fails),
        cmocka_unit_test(steps_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

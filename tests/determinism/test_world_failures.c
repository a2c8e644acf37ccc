// SPDX-License-Identifier: Apache-2.0
// A hundred boxes and spheres drop on a plane: no allocation below the high-water mark, and failed
// steps that leave no trace.
#include "helpers/drop.h"
#include "world/world.h"

static void test_no_allocation(void** unused)
{
    (void)unused;
    for (int scheme = 0; scheme < TEST_DROP_SCHEMES; ++scheme) {
        TestMemory memory;
        const SticContext context = test_memory_context(&memory);
        TestWorld tw;
        test_drop_open(&tw, &context, scheme);
        test_world_steps(&tw, 100);
        TestSnapshot middle = test_drop_save(&tw);
        test_world_steps(&tw, 50);
        const uint64_t hash = stic_run_hash(tw.run);
        // the same steps again have no more contacts than there were; a jump back in time changes
        // more pairs at once than a step does, so that the broad phase grows once more, and again
        // at the second jump, which finds its boxes as the first one left them
        int64_t calls = 0;
        for (int round = 0; round < 3; ++round) {
            calls = memory.calls;
            test_drop_load(&tw, &middle);
            test_world_steps(&tw, 50);
        }
        print_message("%s: %lld allocations (%.1f MB) in 250 steps, %lld in 50 more\n",
                      test_drop_schemes[scheme].name, (long long)calls,
                      1e-6 * (double)memory.peak_bytes, (long long)(memory.calls - calls));
        assert_int_equal(memory.calls, calls);
        test_equal(stic_run_hash(tw.run), hash);
        test_drop_release(&middle);
        test_world_close(&tw);
        test_memory_check(&memory);
    }
}

// the present state as bytes
static void assert_same_state(TestWorld* tw, const SticState* kept, uint64_t hash)
{
    const SticLayout* layout = &tw->system->layout;
    const SticState* now = stic_run_state(tw->run);
    test_equal(stic_run_hash(tw->run), hash);
    assert_memory_equal(&now->t, &kept->t, sizeof now->t);
    assert_memory_equal(now->q, kept->q, (size_t)layout->nq * sizeof *now->q);
    assert_memory_equal(now->u, kept->u, (size_t)layout->nu * sizeof *now->u);
    assert_int_equal(now->memory->count, kept->memory->count);
    assert_memory_equal(now->memory->record, kept->memory->record,
                        (size_t)now->memory->count * sizeof *now->memory->record);
}

static void test_force_not_finite(void** unused)
{
    (void)unused;
    for (int scheme = 0; scheme < TEST_DROP_SCHEMES; ++scheme) {
        TestWorld tw, plain;
        test_drop_open(&tw, NULL, scheme);
        test_drop_open(&plain, NULL, scheme);
        test_world_steps(&tw, 60);
        test_world_steps(&plain, 70);
        SticState* kept = NULL;
        const SticLayout* layout = &tw.system->layout;
        assert_int_equal(stic_state_create(&tw.context, layout, &kept), STIC_OK);
        assert_int_equal(stic_state_copy(layout, stic_run_state(tw.run), kept), STIC_OK);
        const uint64_t hash = stic_run_hash(tw.run);
        const SticBodyId body = {7, 1};
        const double bad[] = {(double)NAN, (double)INFINITY};
        for (int k = 0; k < 2; ++k) {
            const SticVec3 force = {0.0, bad[k], 0.0}, torque = {bad[k], 0.0, 0.0};
            assert_int_equal(stic_body_set_force(tw.world, body, force, torque, &tw.error),
                             STIC_NOT_FINITE);
            // past the refusal, as if it had gone wrong on its way
            tw.world->body[body.index].def.force = force;
            tw.world->body[body.index].def.torque = torque;
            const SticStatus status = stic_run_step(tw.run, &tw.info);
            assert_true(status != STIC_OK);
            if (scheme == 0 || k == 0)
                print_message("%s, force %g: %s\n", test_drop_schemes[scheme].name, bad[k],
                              tw.info.error.text);
            assert_true(tw.info.error.text[0] != '\0');
            assert_same_state(&tw, kept, hash);
        }
        // the run goes on as if nothing had happened
        TEST_TRY(&tw, stic_body_set_force(tw.world, body, stic_vec3_zero(), stic_vec3_zero(),
                                          &tw.error));
        test_world_steps(&tw, 10);
        test_equal(stic_run_hash(tw.run), stic_run_hash(plain.run));
        stic_state_destroy(kept, layout);
        test_world_close(&tw);
        test_world_close(&plain);
    }
}

static void test_solver_limit(void** unused)
{
    (void)unused;
    for (int scheme = 0; scheme < TEST_DROP_SCHEMES; ++scheme) {
        TestWorld tw;
        test_drop_open(&tw, NULL, scheme);
        test_world_steps(&tw, 110);
        TestSnapshot snapshot = test_drop_save(&tw);
        test_world_steps(&tw, 10);
        const uint64_t after = stic_run_hash(tw.run);

        // the same state in a run that may iterate once
        SticRunParts def = stic_run_default_parts();
        SticRun* hasty = NULL;
        def.system = tw.system;
        def.scheme = tw.scheme;
        def.scheme_settings = tw.scheme->fields == NULL ? NULL : tw.settings;
        def.step = test_drop_schemes[scheme].step;
        def.solve.tolerance = TEST_DROP_TOLERANCE;
        def.solve.max_iterations = 1;
        def.policy = STIC_POLICY_STOP;
        TEST_TRY(&tw, stic_run_assemble(&tw.context, &def, &hasty, &tw.error));
        TEST_TRY(&tw, stic_run_load(hasty, snapshot.bytes, snapshot.count, &tw.error));
        const uint64_t before = stic_run_hash(hasty);
        const SticRunTotals totals = *stic_run_totals(hasty);
        for (int k = 0; k < 2; ++k) {
            assert_int_equal(stic_run_step(hasty, &tw.info), STIC_STEP_FAILED);
            test_equal(stic_run_hash(hasty), before);
            assert_memory_equal(stic_run_totals(hasty), &totals, sizeof totals);
        }
        print_message("%s: %s\n", test_drop_schemes[scheme].name, tw.info.error.text);
        assert_true(strstr(tw.info.error.text, "iteration-limit") != NULL);

        // what it holds after the failures is good for going on
        SticArena* arena = NULL;
        const void* bytes = NULL;
        size_t count = 0;
        assert_int_equal(stic_arena_create(&tw.context, 0, &arena), STIC_OK);
        TEST_TRY(&tw, stic_run_save(hasty, arena, &bytes, &count));
        TEST_TRY(&tw, stic_run_load(tw.run, bytes, count, &tw.error));
        test_world_steps(&tw, 10);
        test_equal(stic_run_hash(tw.run), after);
        stic_arena_destroy(arena);
        stic_run_destroy(hasty);
        test_drop_release(&snapshot);
        test_world_close(&tw);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_allocation),
        cmocka_unit_test(test_force_not_finite),
        cmocka_unit_test(test_solver_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

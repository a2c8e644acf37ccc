// SPDX-License-Identifier: Apache-2.0
// labels: threads
// A hundred boxes and spheres drop on a plane: the same bits for one and two threads and after a
// restart.
#include "helpers/drop.h"
#include "helpers/helpers.h"

enum { STEPS = 300, MIDDLE = 150 };

static void test_same_bits(void** unused)
{
    (void)unused;
    const TestTable table =
        test_table_begin("100 bodies, 300 steps, every step solved to 1e-6",
                         "scheme      |h [s] |contacts|sweeps |penetration|hash            ");
    for (int scheme = 0; scheme < TEST_DROP_SCHEMES; ++scheme) {
        TestWorld one, two, again;
        test_drop_open(&one, NULL, scheme);
        test_world_steps(&one, MIDDLE);
        TestSnapshot middle = test_drop_save(&one);
        test_world_steps(&one, STEPS - MIDDLE);
        const uint64_t hash = stic_run_hash(one.run);
        const SticRunTotals totals = *stic_run_totals(one.run);
        test_table_row(&table, "%s|%g|%d|%lld|%.1e|%016llx", test_drop_schemes[scheme].name,
                       test_drop_schemes[scheme].step, one.info.contacts,
                       (long long)totals.iterations, totals.penetration, (unsigned long long)hash);
        assert_int_equal(totals.steps, STEPS);
        assert_int_equal(totals.unsolved + totals.halved + totals.retried, 0);
        test_at_most(totals.worst_error, TEST_DROP_TOLERANCE);
        test_greater(one.info.contacts, 150);

        // two threads
        SticContext context = stic_context_default();
        assert_int_equal(stic_pool_create(&context, 2, &context.pool), STIC_OK);
        test_drop_open(&two, &context, scheme);
        test_world_steps(&two, STEPS);
        test_equal(stic_run_hash(two.run), hash);
        assert_memory_equal(stic_run_totals(two.run), &totals, sizeof totals);
        test_world_close(&two);
        stic_pool_destroy(context.pool);

        // a fresh run that takes up the snapshot
        test_drop_open(&again, NULL, scheme);
        test_drop_load(&again, &middle);
        test_world_steps(&again, STEPS - MIDDLE);
        test_equal(stic_run_hash(again.run), hash);
        assert_memory_equal(stic_run_totals(again.run), &totals, sizeof totals);
        test_world_close(&again);
        test_world_close(&one);
        test_drop_release(&middle);
    }
}

// many chunks: 1500 bodies of a dense pile, a few steps with a bounded number of sweeps
static uint64_t dense_pile(const SticContext* context, const char* scheme, int32_t* contacts)
{
    TestWorld tw;
    test_world_open(&tw, context, NULL);
    test_world_plane(&tw, stic_vec3(0, 0, 1), 0.0, (SticMaterialId){0, 0});
    const SticShape* shape[2] = {test_world_box(&tw, 0.1, 0.1, 0.1), test_world_sphere(&tw, 0.1)};
    for (int i = 0; i < 1500; ++i) {
        const int layer = i / 144, cell = i % 144;
        test_world_body(&tw, shape[(i + layer) % 2],
                        stic_vec3(0.199 * (cell % 12) + 0.01 * (layer % 3),
                                  0.199 * (cell / 12) + 0.01 * (layer % 2), 0.099 + 0.199 * layer),
                        stic_vec3_zero());
    }
    test_world_run(&tw, scheme, NULL, 1e-3, TEST_DROP_TOLERANCE);
    SticRunParts def = stic_run_default_parts();
    SticRun* run = NULL;
    def.system = tw.system;
    def.scheme = tw.scheme;
    def.step = 1e-3;
    def.policy = STIC_POLICY_CONTINUE;
    def.solve.tolerance = 1e-8;
    def.solve.max_iterations = 20;
    TEST_TRY(&tw, stic_run_assemble(&tw.context, &def, &run, &tw.error));
    stic_world_start(tw.world, tw.system, stic_run_state(run));
    for (int k = 0; k < 10; ++k)
        TEST_TRY(&tw, stic_run_step(run, &tw.info));
    const uint64_t hash = stic_run_hash(run);
    *contacts = tw.info.contacts;
    stic_run_destroy(run);
    test_world_close(&tw);
    return hash;
}

static void test_same_bits_in_chunks(void** unused)
{
    (void)unused;
    for (int scheme = 0; scheme < 2; ++scheme) {
        uint64_t hash[3];
        int32_t contacts = 0;
        for (int threads = 1; threads <= 3; ++threads) {
            SticContext context = stic_context_default();
            assert_int_equal(stic_pool_create(&context, threads, &context.pool), STIC_OK);
            hash[threads - 1] = dense_pile(&context, test_drop_schemes[scheme].name, &contacts);
            stic_pool_destroy(context.pool);
        }
        print_message("%s: %d contacts of 1500 bodies, hash %016llx with 1, 2 and 3 threads\n",
                      test_drop_schemes[scheme].name, contacts, (unsigned long long)hash[0]);
        test_equal(hash[0], hash[1]);
        test_equal(hash[0], hash[2]);
        test_greater(contacts, 5000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_same_bits_in_chunks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// Position correction: overlaps shrink by the stated rate, the ledger names the energy, velocities
// stay, joints close, and piles do not sink.
#include "helpers/helpers.h"
#include "helpers/joints.h"

static const SticMaterialId own = {0, 0};
static const double g = 9.81;

// as test_world_run, with a correction
static void run_with(TestWorld* tw, const char* scheme, double step, SticCorrection correction)
{
    SticChart chart = STIC_CHART_LINEAR;
    tw->scheme = stic_scheme_find(scheme, &tw->error);
    assert_true(stic_world_chart(tw->scheme->charts, &chart));
    test_world_system(tw, chart);
    SticRunParts def = stic_run_default_parts();
    def.system = tw->system;
    def.scheme = tw->scheme;
    def.step = step;
    def.solve.tolerance = 1e-10;
    def.correction = correction;
    // corrections as they are asked for, and nothing else
    def.projection = false;
    TEST_TRY(tw, stic_run_assemble(&tw->context, &def, &tw->run, &tw->error));
    stic_world_start(tw->world, tw->system, stic_run_state(tw->run));
}

// a block set 5 mm into the ground comes out by the rate per step; the lift is in the ledger
static void test_rate(void** unused)
{
    (void)unused;
    static const char* const schemes[] = {"koziara", "moreau", "consistent"};
    const double rate = 0.1, allowance = 1e-4, deep = 5e-3;
    for (int s = 0; s < 3; ++s) {
        TestWorld tw;
        test_world_open(&tw, NULL, NULL);
        test_world_plane(&tw, stic_vec3(0, 0, 1), 0.0, own);
        const SticBodyId id = test_world_body(&tw, test_world_box(&tw, 0.2, 0.15, 0.1),
                                              stic_vec3(0, 0, 0.1 - deep), stic_vec3_zero());
        run_with(&tw, schemes[s], 1e-3, (SticCorrection){.rate = rate, .allowance = allowance});
        double worst = 0.0;
        for (int k = 1; k <= 50; ++k) {
            test_world_steps(&tw, 1);
            const double z = test_world_place(&tw, id).z - 0.1;
            const double exact = -allowance - (deep - allowance) * pow(1.0 - rate, k);
            worst = test_worse(worst, fabs(z - exact));
            test_less(stic_vec3_norm(test_world_motion(&tw, id).velocity), 1e-12);
        }
        const SticLedger* ledger = &stic_run_totals(tw.run)->ledger;
        const double lift = test_world_place(&tw, id).z - 0.1 + deep;
        const double energy = stic_world_mass(tw.system, id) * g * lift;
        print_message("%s: depth within %.1e of the closed form, correction %.9f J (%.9f), "
                      "integration %.1e J\n",
                      schemes[s], worst, ledger->correction, energy, ledger->integration);
        test_less(worst, 1e-9);
        test_less(fabs(ledger->correction - energy), 1e-9 * energy);
        test_less(fabs(ledger->integration), 1e-9 * energy);
        assert_int_equal(stic_run_totals(tw.run)->uncorrected, 0);
        test_world_close(&tw);
    }
}

// a pendulum on a fixed point: the joint drifts by O(h^2) without correction
static void test_joint_drift(void** unused)
{
    (void)unused;
    double drift[2];
    for (int k = 0; k < 2; ++k) {
        TestWorld tw;
        test_world_open(&tw, NULL, NULL);
        const SticVec3 pivot = stic_vec3_zero();
        const SticBodyId id = test_world_body(&tw, test_world_box(&tw, 0.1, 0.1, 0.1),
                                              stic_vec3(0.7, 0, 0.5), stic_vec3(0, 0.5, 0));
        SticJointDef joint = stic_joint_default_def();
        joint.body[0] = id;
        TEST_TRY(&tw, stic_joint_place(tw.world, pivot, stic_vec3(0, 0, 1), &joint, &tw.error));
        SticJointId made;
        TEST_TRY(&tw, stic_joint_create(tw.world, &joint, &made, &tw.error));
        run_with(&tw, "koziara", 5e-3, (SticCorrection){.rate = k == 0 ? 0.0 : 1.0});
        drift[k] = 0.0;
        for (int i = 0; i < 2000; ++i) {
            test_world_steps(&tw, 1);
            const SticJointView seen = stic_world_joint(tw.system, stic_run_state(tw.run), made);
            for (int c = 0; c < 3; ++c)
                drift[k] = test_worse(drift[k], fabs(seen.gap[c]));
        }
        test_world_close(&tw);
    }
    print_message("fixed point of a pendulum, 10 s: open by %.1e m, corrected %.1e m\n", drift[0],
                  drift[1]);
    test_less(drift[1], 1e-8);
    test_less(drift[1], 1e-2 * drift[0]);
}

// boxes fall on each other in any orientation
static void pile(TestWorld* tw, SticCorrection correction)
{
    test_world_open(tw, NULL, NULL);
    test_world_plane(tw, stic_vec3(0, 0, 1), 0.0, own);
    SticRandom random = stic_random_create(3);
    const SticShape* box = test_world_box(tw, 0.1, 0.07, 0.05);
    for (int i = 0; i < 24; ++i) {
        SticBodyDef def = stic_body_default_def();
        double a[4];
        test_random_unit(&random, 4, a);
        def.position = stic_vec3(0.28 * (i % 2), 0.28 * (i / 2 % 2), 0.2 + 0.28 * (i / 4));
        def.orientation = stic_quat_load(a);
        test_world_add(tw, &def, box, own);
    }
    run_with(tw, "koziara", 2e-3, correction);
}

static void test_pile(void** unused)
{
    (void)unused;
    double deepest[2];
    uint64_t hash[2];
    for (int k = 0; k < 3; ++k) {
        TestWorld tw;
        pile(&tw, (SticCorrection){.rate = k == 0 ? 0.0 : 0.2, .allowance = 1e-4});
        test_world_steps(&tw, 1400);
        double last = 0.0;
        for (int i = 0; i < 100; ++i) {
            test_world_steps(&tw, 1);
            last = test_worse(last, tw.info.penetration);
        }
        const SticLedger* l = &stic_run_totals(tw.run)->ledger;
        if (k < 2) {
            deepest[k] = last;
            print_message(
                "pile of 24, 3 s, rate %.1f: deepest in the last 0.2 s %.1e m, correction "
                "%.2e J of %.0f J, integration %.1e J\n",
                k == 0 ? 0.0 : 0.2, last, l->correction, -l->potential, l->integration);
            // the ledger closes by definition; what is not named stays small
            test_less(fabs(l->integration), 1e-3 * fabs(l->potential));
            if (k == 0) {
                test_equal(l->correction, 0.0);
            } else {
                test_greater(l->correction, 0.0);
            }
            test_less(l->correction, 0.02 * fabs(l->potential));
        }
        if (k > 0)
            hash[k - 1] = stic_run_hash(tw.run);
        test_world_close(&tw);
    }
    test_less(deepest[1], 1e-3);
    test_less(deepest[1], 0.2 * deepest[0]);
    test_equal(hash[0], hash[1]);
}

// what the step has left for output is not overwritten by the correction behind it
static void test_record(void** unused)
{
    (void)unused;
    TestWorld tw;
    const double h = 1e-3;
    test_world_open(&tw, NULL, NULL);
    test_world_plane(&tw, stic_vec3(0, 0, 1), 0.0, own);
    const SticBodyId id = test_world_body(&tw, test_world_box(&tw, 0.2, 0.15, 0.1),
                                          stic_vec3(0, 0, 0.1 - 5e-3), stic_vec3_zero());
    run_with(&tw, "koziara", h, (SticCorrection){.rate = 0.1, .allowance = 1e-4});
    for (int k = 0; k < 3; ++k) {
        test_world_steps(&tw, 1);
        const SticStepRecord* record = stic_run_record(tw.run);
        double sum = 0.0;
        for (int32_t i = 0; i < record->set.count; ++i)
            sum += record->r[record->set.row_at[i]];
        const double weight = stic_world_mass(tw.system, id) * g;
        print_message("corrected by %.2e m; impulses left in the record %.9g N s (%.9g)\n",
                      tw.info.corrected, sum, weight * h);
        test_greater(tw.info.corrected, 0.0);
        assert_true(record->filled);
        test_less(fabs(sum - weight * h), 1e-8 * weight * h);
    }
    test_world_close(&tw);
}

static void test_refusals(void** unused)
{
    (void)unused;
    TestWorld tw;
    test_world_open(&tw, NULL, NULL);
    test_world_body(&tw, test_world_sphere(&tw, 0.1), stic_vec3_zero(), stic_vec3_zero());
    test_world_system(&tw, STIC_CHART_ROTATION);
    static const SticCorrection bad[] = {{.rate = (double)NAN},
                                         {.rate = 1.5},
                                         {.rate = 0.1, .allowance = -1e-3},
                                         {.rate = 0.1, .allowance = (double)NAN}};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; ++k) {
        SticRunParts def = stic_run_default_parts();
        def.system = tw.system;
        def.scheme = stic_scheme_find("koziara", NULL);
        def.step = 1e-3;
        def.correction = bad[k];
        assert_int_equal(stic_run_assemble(&tw.context, &def, &tw.run, &tw.error),
                         STIC_BAD_ARGUMENT);
        print_message("%s\n", tw.error.text);
    }
    test_world_close(&tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rate),     cmocka_unit_test(test_joint_drift),
        cmocka_unit_test(test_pile),     cmocka_unit_test(test_record),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// Existence at scale: a bed of more than 100000 contacts between two walls that move differently,
// interior point at 20000; problems of the collection with multiplied friction.
#include "certify/build.h"

#include <time.h>

#include "certify/bed.h"
#include "helpers/problem.h"

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// decide, and check the witness once more
static SticExistence decide_bed(const Scene* scene, int32_t program_most, double* seconds)
{
    SticExistenceSettings settings = stic_existence_default_settings();
    SticArena* arena = build_arena();
    SticExistence result;
    SticWitnessCheck check;
    SticError error = {0};
    settings.margin = program_most > 0;
    settings.program_most = program_most;
    const double start = cpu_seconds();
    assert_int_equal(stic_existence_decide(&scene->problem, &settings, arena, &result, &error),
                     STIC_OK);
    *seconds = cpu_seconds() - start;
    assert_non_null(result.witness);
    assert_int_equal(stic_witness_verify(arena, &scene->problem, STIC_CONDITION_SUFFICIENT,
                                         result.witness, &check),
                     STIC_OK);
    test_equal(check.margin, result.margin);
    print_message("%d contacts, %s: %s by %s, margin %.3e to %.3e, %d steps, %.1f s, %.0f MiB\n",
                  scene->contacts, program_most > 0 ? "program" : "search",
                  stic_verdict_name(result.verdict), stic_evidence_name(result.found_by),
                  result.margin, result.margin_most, result.steps, *seconds,
                  (double)result.bytes / 1048576.0);
    stic_arena_destroy(arena);
    return result;
}

static void test_large_bed(void** state)
{
    (void)state;
    Scene scene;
    double seconds = 0.0;
    bed_create(&scene, 40, 26, 0.4);
    test_greater(scene.contacts, 100000);
    bed_move(&scene, &bed_opening);
    const SticExistence result = decide_bed(&scene, 0, &seconds);
    assert_int_equal(result.verdict, STIC_VERDICT_EXISTS_ROBUST);
    test_less(seconds, 60.0);
    scene_release(&scene);
}

static void test_interior_point(void** state)
{
    (void)state;
    Scene scene;
    double seconds = 0.0;
    bed_create(&scene, 22, 14, 0.4);
    bed_move(&scene, &bed_opening);
    SticExistence result = decide_bed(&scene, 30000, &seconds);
    assert_int_equal(result.verdict, STIC_VERDICT_EXISTS_ROBUST);
    // closing walls: A is impossible for certain, A' is not: the surface is free
    bed_move(&scene, &bed_closing);
    result = decide_bed(&scene, 30000, &seconds);
    assert_int_equal(result.verdict, STIC_VERDICT_UNKNOWN);
    scene_release(&scene);
}

// friction multiplied, where our solvers fail: what is known
static void test_multiplied(void** state)
{
    (void)state;
    static const char* const names[] = {"fc2d/FrictionContactProblem00727.dat",
                                        "fc3d-local-dat/RockPile_tob1.dat.gz"};
    const SticContext context = stic_context_default();
    for (int32_t k = 0; k < 2; ++k)
        for (int32_t f = 1; f <= 5; f += f == 1 ? 1 : 3) {
            char path[TEST_PATH_SIZE];
            test_problem_path(names[k], path);
            SticProblemStore* store = test_problem_read(&context, path);
            SticProblem problem = *stic_problem_view(store);
            SticArena* arena = build_arena();
            double(*coef)[4] = calloc((size_t)problem.count, sizeof *coef);
            assert_non_null(coef);
            memcpy(coef, problem.coef, (size_t)problem.count * sizeof *coef);
            for (int32_t i = 0; i < problem.count; ++i)
                coef[i][0] *= f;
            problem.coef = (const double(*)[4])coef;
            // W of the first has eigenvalues of -1e-8 of the largest, that of the second is
            // symmetric to 1e-3
            SticExistenceSettings settings = stic_existence_default_settings();
            SticExistence result;
            SticError error = {0};
            settings.asymmetry = k == 0 ? 1e-7 : 1e-2;
            settings.dense_most = 2000;
            assert_int_equal(stic_existence_decide(&problem, &settings, arena, &result, &error),
                             STIC_OK);
            print_message(
                "%s, friction times %d: %s, margin %.3e to %.3e of max|b| %.3e, A' to %.3e\n",
                names[k], f, stic_verdict_name(result.verdict), result.margin, result.margin_most,
                result.size, result.necessary_most);
            if (f == 1)
                assert_int_equal(result.verdict, STIC_VERDICT_EXISTS_ROBUST);
            assert_int_not_equal(result.verdict, STIC_VERDICT_NONE);
            free(coef);
            stic_arena_destroy(arena);
            stic_problem_destroy(store);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_large_bed),
        cmocka_unit_test(test_interior_point),
        cmocka_unit_test(test_multiplied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

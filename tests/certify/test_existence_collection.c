// SPDX-License-Identifier: Apache-2.0
// Every problem of the public collection gets a verdict; what a solver solves is never called none.
#include "certify/build.h"

#include "helpers/problem.h"
#include "solver/collection.h"

enum { FILES = sizeof collection / sizeof collection[0] };

static SticExistence decide(SticArena* arena, const SticProblem* problem, double asymmetry)
{
    SticExistenceSettings settings = stic_existence_default_settings();
    SticExistence result;
    SticError error = {0};
    settings.asymmetry = asymmetry;
    if (stic_existence_decide(problem, &settings, arena, &result, &error) != STIC_OK)
        fail_msg("%s", error.text);
    return result;
}

// whether some solver of the library is known to solve it (tests/solver/collection.h)
static bool is_solvable(const CollectionEntry* entry)
{
    return entry->nsgs == 'S' || entry->sor_prox == 'S' || entry->extragradient == 'S';
}

static void test_collection(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    const TestTable table = test_table_begin(
        "verdicts of the collection; with W made symmetric where it is so to 1 percent",
        "problem                                  |contacts|verdict          |margin    |at most   "
        "|"
        "about symmetric part|ms");
    int32_t count[STIC_VERDICT_COUNT] = {0}, relaxed[STIC_VERDICT_COUNT] = {0};
    for (int32_t k = 0; k < FILES; ++k) {
        char path[TEST_PATH_SIZE];
        test_problem_path(collection[k].name, path);
        SticProblemStore* store = test_problem_read(&context, path);
        const SticProblem* problem = stic_problem_view(store);
        SticArena* arena = build_arena();
        const SticExistence result = decide(arena, problem, 1e-12);
        const SticExistence other = decide(arena, problem, 1e-2);
        test_table_row(
            &table, "%s|%d|%s|%.2e|%.2e|%s|%.1f", strchr(collection[k].name, '/') + 1,
            problem->count, stic_verdict_name(result.verdict), result.margin, result.margin_most,
            other.symmetrised ? stic_verdict_name(other.verdict) : "", 1e3 * result.seconds);
        count[result.verdict] += 1;
        relaxed[other.verdict] += 1;
        if (is_solvable(&collection[k])) {
            assert_int_not_equal(result.verdict, STIC_VERDICT_NONE);
            assert_int_not_equal(other.verdict, STIC_VERDICT_NONE);
        }
        // the theorem covers contacts with Coulomb friction and a symmetric W only
        if (!result.applies) {
            test_at_least(result.verdict, STIC_VERDICT_UNKNOWN);
        }
        stic_arena_destroy(arena);
        stic_problem_destroy(store);
    }
    print_message(
        "%d files: %d robust, %d borderline, %d unknown, %d none; with the symmetric part of "
        "W: %d, %d, %d, %d\n",
        (int)FILES, count[0], count[1], count[2], count[3], relaxed[0], relaxed[1], relaxed[2],
        relaxed[3]);
    assert_int_equal(count[STIC_VERDICT_NONE], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_collection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

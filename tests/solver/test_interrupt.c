// SPDX-License-Identifier: Apache-2.0
// SticContext.interrupt: long solves, inquiries and enumerations end on request, and bits do not
// depend on being asked.
#include <string.h>

#include "helpers/helpers.h"
#include "stiction/certify.h"
#include "stiction/extend/certify.h"
#include "stiction/extend/solver.h"

enum { CONTACTS = 60, ROWS = 3 * CONTACTS };

// an ear that counts, and stops at a number of questions
typedef struct Ear {
    int asked, most;
} Ear;

static bool hear(void* self)
{
    Ear* ear = self;
    return ++ear->asked > ear->most;
}

// W = H' H of a random square H: regular, dense, badly conditioned, so that all methods are long
static SticProblemStore* make(const SticContext* context, int32_t contacts)
{
    static double H[ROWS][ROWS], W[ROWS * ROWS], b[ROWS], mu[CONTACTS];
    SticRandom random = stic_random_create(7);
    SticProblemStore* store = NULL;
    SticError error = {0};
    const int32_t rows = 3 * contacts;
    for (int32_t i = 0; i < rows; ++i)
        for (int32_t j = 0; j < rows; ++j)
            H[i][j] = stic_random_range(&random, -1.0, 1.0);
    for (int32_t i = 0; i < rows; ++i) {
        b[i] = stic_random_range(&random, -2.0, 0.5);
        mu[i / 3] = 0.8;
        for (int32_t j = 0; j < rows; ++j) {
            W[i * rows + j] = 0.0;
            for (int32_t k = 0; k < rows; ++k)
                W[i * rows + j] += H[k][i] * H[k][j];
        }
    }
    const SticProblemDef def = {.contacts = contacts, .contact_rows = 3, .mu = mu, .W = W, .b = b};
    assert_int_equal(stic_problem_create(context, &def, &store, &error), STIC_OK);
    return store;
}

typedef struct Outcome {
    SticStatus status;
    SticSolveInfo info;
    uint64_t hash; // of r
} Outcome;

static Outcome solve(Ear* ear, const SticProblem* problem, const SticSolver* solver)
{
    SticContext context = stic_context_default();
    SticWorkspace* workspace = NULL;
    double r[ROWS] = {0}, u[ROWS];
    Outcome made = {.status = STIC_OK};
    if (ear != NULL)
        context.interrupt = (SticInterrupt){.self = ear, .asked = hear};
    assert_int_equal(stic_workspace_create(&context, &workspace), STIC_OK);
    SticSolveRequest request = {
        .solver = solver, .settings = stic_solve_default_settings(), .workspace = workspace};
    request.settings.tolerance = 1e-13;
    request.settings.max_iterations = 3000;
    made.status = stic_solve(problem, &request, r, u, &made.info);
    made.hash = stic_hash_bytes(0, r, sizeof r);
    stic_workspace_destroy(workspace);
    return made;
}

static void test_solvers(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticProblemStore* store = make(&context, CONTACTS);
    const SticProblem* problem = stic_problem_view(store);
    int stopped = 0, all = 0;
    for (const SticSolver* solver = stic_solver_table; solver->name != NULL; ++solver) {
        Ear patient = {.most = 1 << 30}, deaf = {.most = 0};
        const Outcome alone = solve(NULL, problem, solver);
        if (alone.status != STIC_OK)
            continue;
        // to be asked changes no bit
        const Outcome watched = solve(&patient, problem, solver);
        assert_int_equal(watched.status, STIC_OK);
        test_equal(watched.hash, alone.hash);
        all += 1;
        // what is too short to be asked ends by itself
        const Outcome ended = solve(&deaf, problem, solver);
        print_message("%-16s %8.2g work, asked %d times: %s\n", solver->name, alone.info.work,
                      patient.asked, ended.status == STIC_OK ? "ended" : ended.info.error.text);
        assert_int_equal(ended.status, patient.asked > 0 ? STIC_INTERRUPTED : STIC_OK);
        if (ended.status != STIC_OK)
            assert_string_equal(ended.info.error.text, "stopped on request");
        stopped += ended.status == STIC_INTERRUPTED;
    }
    assert_true(all >= 8 && 2 * stopped > all);
    stic_problem_destroy(store);
}

static void test_certificates(void** state)
{
    (void)state;
    Ear ear = {.most = 0};
    SticContext context = stic_context_default();
    SticProblemStore *large = make(&context, CONTACTS), *small = make(&context, 5);
    context.interrupt = (SticInterrupt){.self = &ear, .asked = hear};
    SticArena* arena = NULL;
    SticError error = {0};
    SticExistence existence;
    SticEnumeration all;
    SticExistenceSettings settings = stic_existence_default_settings();
    settings.margin = true;
    assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
    assert_int_equal(
        stic_existence_decide(stic_problem_view(large), &settings, arena, &existence, &error),
        STIC_INTERRUPTED);
    assert_int_equal(stic_solutions_enumerate(stic_problem_view(small), NULL, arena, &all, &error),
                     STIC_INTERRUPTED);
    // the arena serves again
    ear.most = 1 << 30;
    assert_int_equal(
        stic_existence_decide(stic_problem_view(large), &settings, arena, &existence, &error),
        STIC_OK);
    stic_arena_destroy(arena);
    stic_problem_destroy(large);
    stic_problem_destroy(small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_solvers),
                                       cmocka_unit_test(test_certificates)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

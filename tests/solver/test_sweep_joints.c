// SPDX-License-Identifier: Apache-2.0
// Joints as one visit of a sweep: masses on a line, hooked to each other and to the ground, against
// the forces that statics gives; chains of any length in the same number of sweeps; a redundant
// joint at the free end; a contact on top.
#include "helpers/helpers.h"
#include "helpers/problem.h"
#include "run.h"
#include "solver/method/chain.h"
#include "stiction/extend/sparse.h"

enum { MOST_LINKS = 2000 };

// joint k holds masses k - 1 and k together (0: ground and mass 0); `closed`: one more between the
// last mass and the ground; `pushed`: the last mass may not move up
typedef struct Line {
    int32_t links, joints, rows;
    int32_t row_at[MOST_LINKS + 3], one_at[MOST_LINKS + 1], begin[MOST_LINKS + 3];
    int32_t col[2 * MOST_LINKS + 4], own_begin[MOST_LINKS + 1], own_col[MOST_LINKS];
    int64_t value_at[2 * MOST_LINKS + 5], own_at[MOST_LINKS + 1];
    double value[2 * MOST_LINKS + 4], mass[MOST_LINKS], inverse[MOST_LINKS];
    double f[MOST_LINKS], w[MOST_LINKS + 2], coef[MOST_LINKS + 2][4];
    uint8_t law[MOST_LINKS + 2];
    SticBlockCsr Ht, A, inverse_A;
    SticMass M;
    SticProblem problem;
} Line;

static void add_block(Line* line, int32_t* at, int32_t body, double value)
{
    line->col[*at] = body;
    line->value[*at] = value;
    *at += 1;
    line->value_at[*at] = *at;
}

static void make_rows(Line* line, bool closed, bool pushed)
{
    int32_t at = 0;
    line->rows = 0;
    line->value_at[0] = 0;
    for (int32_t k = 0; k < line->links; ++k) {
        line->begin[line->rows++] = at;
        if (k > 0)
            add_block(line, &at, k - 1, -1.0);
        add_block(line, &at, k, 1.0);
    }
    for (int extra = 0; extra < (closed ? 1 : 0) + (pushed ? 1 : 0); ++extra) {
        line->begin[line->rows++] = at;
        add_block(line, &at, line->links - 1, -1.0);
    }
    line->begin[line->rows] = at;
    for (int32_t i = 0; i <= line->rows; ++i)
        line->row_at[i] = i;
    for (int32_t i = 0; i < line->rows; ++i)
        line->law[i] = STIC_LAW_FREE;
    if (pushed)
        line->law[line->rows - 1] = STIC_LAW_NONNEG;
}

static void make_line(Line* line, int32_t links, bool closed, bool pushed)
{
    memset(line, 0, sizeof *line);
    line->links = links;
    make_rows(line, closed, pushed);
    for (int32_t k = 0; k < links; ++k) {
        line->mass[k] = 1.0 + k % 3;
        line->inverse[k] = 1.0 / line->mass[k];
        line->f[k] = 1.0 + 0.5 * (k % 5);
        line->one_at[k + 1] = line->own_begin[k + 1] = k + 1;
        line->own_at[k + 1] = k + 1;
        line->own_col[k] = k;
    }
    line->Ht = (SticBlockCsr){.rows = line->rows,
                              .cols = links,
                              .row_at = line->row_at,
                              .col_at = line->one_at,
                              .begin = line->begin,
                              .col = line->col,
                              .value_at = line->value_at,
                              .value = line->value};
    line->A = (SticBlockCsr){.rows = links,
                             .cols = links,
                             .row_at = line->one_at,
                             .col_at = line->one_at,
                             .begin = line->own_begin,
                             .col = line->own_col,
                             .value_at = line->own_at,
                             .value = line->mass};
    line->inverse_A = line->A;
    line->inverse_A.value = line->inverse;
    line->M = (SticMass){.kind = STIC_MASS_BLOCKS, .A = &line->A, .inverse = &line->inverse_A};
    line->problem = (SticProblem){.count = line->rows,
                                  .rows = line->rows,
                                  .dof = links,
                                  .row_at = line->row_at,
                                  .law = line->law,
                                  .coef = (const double(*)[4])line->coef,
                                  .M = &line->M,
                                  .Ht = &line->Ht,
                                  .f = line->f,
                                  .w = line->w};
}

// force in joint k against that of everything behind it; largest difference over the first force
static double off_statics(const Line* line, const double* r)
{
    double sum = 0.0, worst = 0.0;
    for (int32_t k = line->links - 1; k >= 0; --k) {
        sum += line->f[k];
        worst = fmax(worst, fabs(r[k] + sum));
    }
    return worst / sum;
}

static void test_chains(void** state)
{
    (void)state;
    static Line line;
    static Run run;
    const SticContext context = stic_context_default();
    static const int32_t links[] = {20, 200, 2000};
    const char* const solvers[] = {"auto", "nsgs", "asgs"};
    for (size_t s = 0; s < 3; ++s)
        for (size_t n = 0; n < 3; ++n) {
            make_line(&line, links[n], false, false);
            run_solver(&context, &line.problem, solvers[s], "", 1e-10, &run);
            const double off = off_statics(&line, run.r);
            print_message("%s: %d links, %d sweeps, %.1e from statics\n", solvers[s], links[n],
                          run.info.iterations, off);
            assert_int_equal(run.info.outcome, STIC_OUTCOME_SOLVED);
            // one by one it would take some n^2
            test_at_most(run.info.iterations, 3);
            test_less(off, 1e-12);
        }
}

// the masses as they hang from each other in another order of the joints, cut into two chains, and
// with a branch: the first is eliminated link by link, the others go the general way, and all hold
static void test_elimination(void** state)
{
    (void)state;
    static Line line;
    static Run run;
    const SticContext context = stic_context_default();
    enum { LINKS = 60, WHOLE, CUT, BRANCHED, KINDS };
    for (int kind = WHOLE; kind < KINDS; ++kind) {
        int32_t at = 0;
        make_line(&line, LINKS, false, false);
        for (int32_t row = 0; row < LINKS; ++row) {
            const int32_t k = (7 * row + 3) % LINKS; // 7 and 60 have no common factor
            const int32_t last = kind == CUT && k == 40        ? -1
                                 : kind == BRANCHED && k == 50 ? 20
                                                               : k - 1;
            line.begin[row] = at;
            if (last >= 0)
                add_block(&line, &at, last, -1.0);
            add_block(&line, &at, k, 1.0);
        }
        line.begin[LINKS] = at;
        run_solver(&context, &line.problem, "auto", "", 1e-6, &run);
        // all masses are held
        static double force[LINKS];
        double speed = 0.0, sum = 0.0;
        memcpy(force, line.f, sizeof force);
        for (int32_t row = 0; row < LINKS; ++row)
            for (int32_t e = line.begin[row]; e < line.begin[row + 1]; ++e)
                force[line.col[e]] += line.value[e] * run.r[row];
        for (int32_t k = 0; k < LINKS; ++k) {
            speed = fmax(speed, fabs(line.inverse[k] * force[k]));
            sum += line.f[k];
        }
        print_message("%d: method %s, fastest mass %.1e\n", kind, run.info.method, speed);
        assert_int_equal(run.info.outcome, STIC_OUTCOME_SOLVED);
        assert_int_equal(strcmp(run.info.method, "chain") == 0, kind == WHOLE);
        test_less(speed, 1e-9 * sum);
    }
}

// the elimination of a chain serves other right-hand sides: velocities that they take away; not after
// another solve, nor for another chain
static void test_again(void** state)
{
    (void)state;
    enum { LINKS = 50 };
    static Line line, other;
    const SticContext context = stic_context_default();
    SticSolveRequest request = test_request(&context, "auto");
    SticRandom random = stic_random_create(1);
    SticSolveInfo info;
    double r[LINKS], u[LINKS], given[LINKS];
    make_line(&line, LINKS, false, false);
    make_line(&other, LINKS, false, false);
    request.settings.tolerance = 1e-6;
    assert_int_equal(stic_solve(&line.problem, &request, r, u, &info), STIC_OK);
    assert_string_equal(info.method, "chain");
    test_random_vector(&random, LINKS, -1.0, 1.0, given);
    assert_false(stic_chain_again(request.workspace, &other.Ht, given, r));
    assert_true(stic_chain_again(request.workspace, &line.Ht, given, r));
    // u = H' M^-1 H r
    double v[LINKS] = {0.0};
    stic_block_csr_multiply_transpose(1.0, &line.Ht, r, 0.0, v);
    for (int k = 0; k < LINKS; ++k)
        v[k] *= line.inverse[k];
    stic_block_csr_multiply(1.0, &line.Ht, v, 0.0, u);
    for (int k = 0; k < LINKS; ++k)
        test_near(u[k], -given[k], 1e-12);
    make_line(&other, 2, false, false);
    assert_int_equal(stic_solve(&other.problem, &request, r, u, &info), STIC_OK);
    assert_false(stic_chain_again(request.workspace, &line.Ht, given, r));
    stic_workspace_destroy(request.workspace);
}

// two joints hold what one of them could: forces are not determined, velocities are
static void test_redundant(void** state)
{
    (void)state;
    static Line line;
    static Run run;
    const SticContext context = stic_context_default();
    make_line(&line, 200, true, false);
    run_solver(&context, &line.problem, "auto", "", 1e-10, &run);
    double speed = 0.0;
    for (int32_t k = 0; k < line.links; ++k) {
        const double next = k + 1 < line.links ? run.r[k + 1] : run.r[line.rows - 1];
        speed = fmax(speed, fabs(line.inverse[k] * (line.f[k] + run.r[k] - next)));
    }
    print_message("redundant: %d sweeps, fastest mass %.1e\n", run.info.iterations, speed);
    assert_int_equal(run.info.outcome, STIC_OUTCOME_SOLVED);
    test_less(speed, 1e-9);
}

// the last mass is pressed against a stop, with the chain unhooked from the ground: the stop
// carries everything
static void test_contact(void** state)
{
    (void)state;
    static Line line;
    static Run run;
    const SticContext context = stic_context_default();
    make_line(&line, 200, false, true);
    // joint 0 loses its hold: it is a stop, too, and open
    line.law[0] = STIC_LAW_NONNEG;
    line.w[0] = 1.0;
    run_solver(&context, &line.problem, "auto", "", 1e-10, &run);
    double sum = 0.0;
    for (int32_t k = 0; k < line.links; ++k)
        sum += line.f[k];
    print_message("stop: %d iterations, carries %.12f of %g, the hook %.1e\n", run.info.iterations,
                  run.r[line.rows - 1], sum, run.r[0]);
    assert_int_equal(run.info.outcome, STIC_OUTCOME_SOLVED);
    test_less(fabs(run.r[line.rows - 1] - sum), 1e-8 * sum);
    test_equal(run.r[0], 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chains),  cmocka_unit_test(test_elimination),
        cmocka_unit_test(test_again),   cmocka_unit_test(test_redundant),
        cmocka_unit_test(test_contact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// Validation of problems: each fault is found and named.
#include "helpers/problem.h"

#include <math.h>
#include <string.h>

typedef struct Fixture {
    SticArena* arena;
    SticProblem problem;
    int32_t row_at[8];
    uint8_t law[8];
    double coef[8][4];
    double bound[8], b[32], u_shift[32];
    int32_t bound_row[8];
    double value[1024];
    SticBlockCsr W;
} Fixture;

static void make(Fixture* fixture, int32_t bodies)
{
    const SticContext context = stic_context_default();
    SticRandom random = stic_random_create(2);
    const TestProblemDef def = {STIC_LAW_CONE, 4, 3, 0, bodies, false};
    assert_int_equal(stic_arena_create(&context, 0, &fixture->arena), STIC_OK);
    SticProblem* problem = &fixture->problem;
    *problem = test_problem_random(fixture->arena, &random, &def);
    // every array that the cases alter becomes writable
    memcpy(fixture->row_at, problem->row_at, 5 * sizeof(int32_t));
    memcpy(fixture->law, problem->law, 4);
    memcpy(fixture->coef, problem->coef, 4 * sizeof *fixture->coef);
    memset(fixture->u_shift, 0, sizeof fixture->u_shift);
    for (int i = 0; i < 8; ++i) {
        fixture->bound[i] = 0.0;
        fixture->bound_row[i] = -1;
    }
    problem->row_at = fixture->row_at;
    problem->law = fixture->law;
    problem->coef = (const double(*)[4])fixture->coef;
    problem->bound = fixture->bound;
    problem->bound_row = fixture->bound_row;
    problem->u_shift = fixture->u_shift;
    if (bodies == 0) {
        fixture->W = *problem->W;
        memcpy(fixture->value, problem->W->value, 144 * sizeof(double));
        memcpy(fixture->b, problem->b, 12 * sizeof(double));
        fixture->W.value = fixture->value;
        problem->W = &fixture->W;
        problem->b = fixture->b;
    }
}

static void expect(Fixture* fixture, SticStatus status, const char* words)
{
    SticError error = {0};
    const SticStatus found = stic_problem_check(&fixture->problem, &error);
    print_message("%s: %s\n", stic_status_name(found), error.text);
    assert_int_equal(found, status);
    if (strstr(error.text, words) == NULL)
        fail_msg("'%s' lacks '%s'", error.text, words);
    stic_arena_destroy(fixture->arena);
}

static void good_problems_pass(void** state)
{
    (void)state;
    Fixture fixture;
    make(&fixture, 0);
    expect(&fixture, STIC_OK, "");
    make(&fixture, 3);
    expect(&fixture, STIC_OK, "");
    SticProblem empty = {0};
    const int32_t zero[1] = {0};
    const int64_t zero64[1] = {0};
    const double none[1] = {0.0};
    const SticBlockCsr W = {.row_at = zero, .col_at = zero, .begin = zero, .value_at = zero64};
    empty.row_at = zero;
    empty.W = &W;
    empty.b = none;
    SticError error = {0};
    assert_int_equal(stic_problem_check(&empty, &error), STIC_OK);
}

static void shapes(void** state)
{
    (void)state;
    Fixture fixture;
    make(&fixture, 0);
    fixture.problem.rows = -1;
    expect(&fixture, STIC_BAD_DATA, "negative");
    make(&fixture, 0);
    fixture.problem.W = NULL;
    expect(&fixture, STIC_BAD_DATA, "neither");
    make(&fixture, 0);
    fixture.row_at[4] = 11;
    expect(&fixture, STIC_BAD_DATA, "row_at");
    make(&fixture, 0);
    fixture.row_at[2] = 2;
    expect(&fixture, STIC_BAD_DATA, "interaction 1");
    make(&fixture, 0);
    fixture.row_at[1] = 2;
    fixture.law[1] = STIC_LAW_CONE_CONTENSOU;
    expect(&fixture, STIC_BAD_DATA, "W");
    make(&fixture, 3);
    fixture.problem.dof = 17;
    expect(&fixture, STIC_BAD_DATA, "18 x 18 instead of 17 x 17");
    make(&fixture, 0);
    fixture.W.rows = fixture.W.cols = 3;
    expect(&fixture, STIC_BAD_DATA, "W");
}

static void laws(void** state)
{
    (void)state;
    Fixture fixture;
    make(&fixture, 0);
    fixture.law[2] = 200;
    expect(&fixture, STIC_BAD_DATA, "interaction 2 has the unknown law 200");
    make(&fixture, 0);
    fixture.law[1] = STIC_LAW_NONNEG;
    expect(&fixture, STIC_BAD_DATA, "interaction 1 has 3 rows");
    make(&fixture, 0);
    fixture.coef[3][0] = -0.1;
    expect(&fixture, STIC_BAD_DATA, "mu of interaction 3");
    make(&fixture, 0);
    fixture.coef[3][0] = nan("");
    expect(&fixture, STIC_NOT_FINITE, "mu of interaction 3");
    make(&fixture, 0);
    fixture.bound[2] = -1.0;
    expect(&fixture, STIC_BAD_DATA, "bound of interaction 2");
    make(&fixture, 0);
    fixture.bound_row[2] = 12;
    expect(&fixture, STIC_BAD_DATA, "row 12 of 12");
    make(&fixture, 0);
    fixture.bound_row[2] = -2;
    expect(&fixture, STIC_BAD_DATA, "row -2");
}

static void values(void** state)
{
    (void)state;
    Fixture fixture;
    make(&fixture, 0);
    fixture.b[5] = HUGE_VAL;
    expect(&fixture, STIC_NOT_FINITE, "b is not finite in row 5");
    make(&fixture, 0);
    fixture.u_shift[7] = nan("");
    expect(&fixture, STIC_NOT_FINITE, "u_shift is not finite in row 7");
    make(&fixture, 0);
    fixture.value[20] = nan("");
    expect(&fixture, STIC_NOT_FINITE, "W: block (0, 2)");
    make(&fixture, 0);
    fixture.value[5 * 9] = 0.0;
    expect(&fixture, STIC_SINGULAR, "contact 1 has a singular diagonal block");
    make(&fixture, 0);
    fixture.value[0] = -1e-30;
    expect(&fixture, STIC_SINGULAR, "contact 0 has a singular diagonal block");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(good_problems_pass),
                                       cmocka_unit_test(shapes), cmocka_unit_test(laws),
                                       cmocka_unit_test(values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// Existence in the plane against GLPK: 1000 random problems in doubles, small integer ones in exact
// rational arithmetic.
#include "certify/build.h"
#include "helpers/helpers.h"

#include <glpk.h>

enum { FEASIBLE, RANDOM, BORDERLINE, KINDS };

// max s, u_N - s >= +- mu u_T for every contact, s <= size; `exact`: by rational arithmetic
static double glpk_margin(const BuildDef* def, bool necessary, double size, bool exact)
{
    glp_prob* lp = glp_create_prob();
    glp_smcp settings;
    const int sides = necessary ? 1 : 2;
    int index[BUILD_DOF + 2];
    double value[BUILD_DOF + 2];
    glp_init_smcp(&settings);
    settings.msg_lev = GLP_MSG_OFF;
    glp_set_obj_dir(lp, GLP_MAX);
    glp_add_cols(lp, def->dof + 1);
    glp_add_rows(lp, sides * def->contacts);
    for (int k = 1; k <= def->dof; ++k)
        glp_set_col_bnds(lp, k, GLP_FR, 0.0, 0.0);
    glp_set_col_bnds(lp, def->dof + 1, GLP_UP, 0.0, size);
    glp_set_obj_coef(lp, def->dof + 1, 1.0);
    for (int i = 0; i < def->contacts; ++i)
        for (int side = 0; side < sides; ++side) {
            const double f = necessary ? 0.0 : side == 0 ? def->mu[i] : -def->mu[i];
            const double *N = def->H + 2 * i * def->dof, *T = N + def->dof;
            for (int k = 0; k < def->dof; ++k) {
                index[k + 1] = k + 1;
                value[k + 1] = N[k] - f * T[k];
            }
            index[def->dof + 1] = def->dof + 1;
            value[def->dof + 1] = -1.0;
            glp_set_mat_row(lp, sides * i + side + 1, def->dof + 1, index, value);
            glp_set_row_bnds(lp, sides * i + side + 1, GLP_LO,
                             -(def->w[2 * i] - f * def->w[2 * i + 1]), 0.0);
        }
    assert_int_equal(exact ? glp_exact(lp, &settings) : glp_simplex(lp, &settings), 0);
    assert_int_equal(glp_get_status(lp), GLP_OPT);
    const double s = glp_get_obj_val(lp);
    glp_delete_prob(lp);
    return s;
}

static SticVerdict expected_verdict(double sufficient, double necessary, double slack)
{
    if (sufficient > slack)
        return STIC_VERDICT_EXISTS_ROBUST;
    if (sufficient >= -slack)
        return STIC_VERDICT_EXISTS_BORDERLINE;
    return necessary < -slack ? STIC_VERDICT_NONE : STIC_VERDICT_UNKNOWN;
}

static double largest(const BuildDef* def)
{
    double size = 0.0;
    for (int32_t k = 0; k < 2 * def->contacts; ++k)
        size = test_worse(size, def->mu[k / 2] > 0.0 || k % 2 == 0 ? fabs(def->w[k]) : 0.0);
    return size > 0.0 ? size : 1.0;
}

static void random_problem(SticRandom* random, int32_t kind, BuildDef* def)
{
    *def = (BuildDef){.rows_each = 2};
    def->contacts = 1 + (int32_t)(stic_random_uniform(random) * 12.0);
    def->dof = 1 + (int32_t)(stic_random_uniform(random) * 8.0);
    const int32_t rows = 2 * def->contacts;
    double v[BUILD_DOF];
    test_random_vector(random, rows * def->dof, -1.0, 1.0, def->H);
    test_random_vector(random, def->dof, -1.0, 1.0, v);
    for (int32_t k = 0; k < def->dof; ++k)
        def->mass[k] = stic_random_range(random, 0.5, 2.0);
    for (int32_t i = 0; i < def->contacts; ++i)
        def->mu[i] = stic_random_range(random, 0.0, 1.0);
    for (int32_t row = 0; row < rows; ++row) {
        if (kind == RANDOM)
            def->w[row] = stic_random_range(random, -1.0, 0.7);
        for (int32_t k = 0; k < def->dof && kind != RANDOM; ++k)
            def->w[row] -= def->H[row * def->dof + k] * v[k];
        if (kind == FEASIBLE && row % 2 == 0)
            def->w[row] += stic_random_range(random, 0.0, 0.2);
    }
}

static void test_random(void** state)
{
    (void)state;
    SticArena* arena = build_arena();
    SticRandom random = stic_random_create(5);
    int32_t count[STIC_VERDICT_COUNT] = {0}, wrong = 0;
    double worst = 0.0;
    for (int32_t trial = 0; trial < 1000; ++trial) {
        const SticArenaMark mark = stic_arena_mark(arena);
        BuildDef def;
        Build made;
        random_problem(&random, trial % KINDS, &def);
        const double size = largest(&def), slack = 1e-9 * size;
        const double s = glpk_margin(&def, false, size, false);
        const double t = glpk_margin(&def, true, size, false);
        const SticVerdict expected = expected_verdict(s, t, slack);
        build_global(arena, &def, &made);
        const SticProblem local = build_local(arena, &made.problem);
        const SticExistence result[2] = {build_decide(arena, &made.problem),
                                         build_decide(arena, &local)};
        for (int32_t form = 0; form < 2; ++form) {
            if (result[form].verdict != expected) {
                print_message(
                    "trial %d (%s): GLPK %g, A' %g, %s; ours %s, margin %g to %g, A' %g\n", trial,
                    form == 0 ? "global" : "local", s, t, stic_verdict_name(expected),
                    stic_verdict_name(result[form].verdict), result[form].margin,
                    result[form].margin_most, result[form].necessary_most);
                wrong += 1;
            }
            // the verified bounds enclose the optimum of the other program
            if (form == 0 && s < size) {
                worst = test_worse(worst, fabs(result[form].margin - s) / size);
                test_at_most(result[form].margin, s + 1e-9 * size);
                test_at_least(result[form].margin_most, s - 1e-9 * size);
            }
        }
        count[expected] += 1;
        stic_arena_rewind(arena, mark);
    }
    print_message("GLPK on 1000 problems: %d robust, %d borderline, %d unknown, %d none; %d differ "
                  "in 2000 answers; margins to %.1e\n",
                  count[0], count[1], count[2], count[3], wrong, worst);
    assert_int_equal(wrong, 0);
    test_greater(count[0], 100);
    test_greater(count[1], 100);
    test_greater(count[2], 50);
    test_greater(count[3], 50);
    test_less(worst, 1e-8);
    stic_arena_destroy(arena);
}

// entries -2 to 2, mu a multiple of 1/4: all numbers are exact in both
static void test_exact(void** state)
{
    (void)state;
    SticArena* arena = build_arena();
    SticRandom random = stic_random_create(29);
    int32_t count[STIC_VERDICT_COUNT] = {0};
    glp_term_out(GLP_OFF);
    for (int32_t trial = 0; trial < 400; ++trial) {
        const SticArenaMark mark = stic_arena_mark(arena);
        BuildDef def = {.rows_each = 2, .contacts = 1 + trial % 5, .dof = 1 + trial / 5 % 3};
        Build made;
        for (int32_t k = 0; k < 2 * def.contacts * def.dof; ++k)
            def.H[k] = floor(stic_random_range(&random, -2.0, 3.0));
        // a normal that moves no body is refused
        for (int32_t i = 0; i < def.contacts; ++i)
            if (def.H[2 * i * def.dof] == 0.0)
                def.H[2 * i * def.dof] = 1.0;
        // every second one in the range of the kinematics: often borderline
        for (int32_t k = 0; k < 2 * def.contacts; ++k)
            def.w[k] = trial % 2 == 0 ? floor(stic_random_range(&random, -2.0, 3.0))
                                      : def.H[k * def.dof] - 2.0 * def.H[(k + 1) * def.dof - 1];
        for (int32_t k = 0; k < def.dof; ++k)
            def.mass[k] = 1.0;
        for (int32_t i = 0; i < def.contacts; ++i)
            def.mu[i] = 0.25 * floor(stic_random_range(&random, 0.0, 5.0));
        const double size = largest(&def);
        // exact: no slack
        const SticVerdict expected = expected_verdict(glpk_margin(&def, false, size, true),
                                                      glpk_margin(&def, true, size, true), 0.0);
        build_global(arena, &def, &made);
        const SticExistence result = build_decide(arena, &made.problem);
        if (result.verdict != expected)
            fail_msg("trial %d: exactly %s, ours %s, margin %g to %g, A' %g", trial,
                     stic_verdict_name(expected), stic_verdict_name(result.verdict), result.margin,
                     result.margin_most, result.necessary_most);
        count[expected] += 1;
        stic_arena_rewind(arena, mark);
    }
    print_message("exact arithmetic on 400 integer problems: %d robust, %d borderline, %d unknown, "
                  "%d none, all the same\n",
                  count[0], count[1], count[2], count[3]);
    test_greater(count[0], 20);
    test_greater(count[1], 20);
    test_greater(count[2], 5);
    test_greater(count[3], 20);
    stic_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// All solutions of small problems against formulas: the bar of Acary and Cadoux 2013, the rod of
// Kikuuwe and Brogliato 2017, hyperstatic blocks, contacts in space.
#include "certify/build.h"

#include "helpers/problem.h"
#include "helpers/residual.h"

static const double pi = 3.14159265358979323846;

static SticEnumeration enumerate(SticArena* arena, const SticProblem* problem)
{
    const SticEnumerateSettings settings = stic_enumerate_default_settings();
    SticEnumeration result;
    SticError error = {0};
    if (stic_solutions_enumerate(problem, &settings, arena, &result, &error) != STIC_OK)
        fail_msg("%s", error.text);
    // every solution again by independent code
    for (int32_t m = 0; m < result.motions; ++m)
        test_less(test_residual_relative(problem, result.solution[m].r), 1e-7);
    return result;
}

/* ---- the bar ---- */

// example 1, g = -1: a solution exists iff u0 <= 0, or u0 > 0 and tan theta > mu
static void test_bar_falling(void** state)
{
    (void)state;
    SticArena* arena = build_arena();
    int32_t one = 0, none = 0;
    for (int32_t a = 1; a <= 17; ++a)
        for (int32_t m = 0; m <= 12; ++m)
            for (int32_t s = -2; s <= 2; ++s) {
                const double theta = a * pi / 36.0, mu = 0.13 * m, u0 = 0.75 * s, t = tan(theta);
                const SticArenaMark mark = stic_arena_mark(arena);
                BuildDef def;
                Build bar;
                build_bar(arena, &(BuildBar){theta, mu, u0, -1.0}, &def, &bar);
                const SticEnumeration result = enumerate(arena, &bar.problem);
                const SticExistence exists = build_decide(arena, &bar.problem);
                const bool solvable = u0 <= 0.0 || t > mu;
                if (!result.complete || result.motions != solvable ||
                    (result.verdict == STIC_VERDICT_NONE) != !solvable)
                    fail_msg("theta %g mu %g u0 %g: %d motions, complete %d, %d of %d refuted",
                             theta, mu, u0, result.motions, result.complete, (int)result.refuted,
                             (int)result.branches);
                // the program alone cannot tell: A' holds
                assert_int_equal(exists.verdict == STIC_VERDICT_UNKNOWN, !solvable);
                assert_int_not_equal(exists.verdict, STIC_VERDICT_NONE);
                one += solvable;
                none += !solvable;
                if (solvable && u0 != 0.0) {
                    const double r = u0 < 0.0 ? t / (t + mu) : t / (t - mu);
                    test_near(result.solution[0].r[0], r, 1e-9 * r);
                    assert_int_equal(result.solution[0].force_dimension, 0);
                }
                // at rest the friction force is not determined: one motion, a segment of forces
                if (u0 == 0.0)
                    assert_int_equal(result.solution[0].force_dimension, mu > 0.0);
                stic_arena_rewind(arena, mark);
            }
    print_message("bar, g = -1: %d with one motion, %d with none, as the formula says\n", one,
                  none);
    stic_arena_destroy(arena);
}

// example 2, g = +1, u0 = 1: take-off, and for mu > tan theta a sliding solution besides
static void test_bar_rising(void** state)
{
    (void)state;
    SticArena* arena = build_arena();
    int32_t one = 0, two = 0;
    for (int32_t a = 1; a <= 17; ++a)
        for (int32_t m = 0; m <= 12; ++m) {
            const double theta = a * pi / 36.0, mu = 0.13 * m, t = tan(theta);
            const SticArenaMark mark = stic_arena_mark(arena);
            BuildDef def;
            Build bar;
            build_bar(arena, &(BuildBar){theta, mu, 1.0, 1.0}, &def, &bar);
            const SticEnumeration result = enumerate(arena, &bar.problem);
            assert_true(result.complete);
            assert_int_equal(result.motions, mu > t ? 2 : 1);
            assert_int_equal(result.solution[0].state[0], STIC_STATE_OPEN);
            one += result.motions == 1;
            two += result.motions == 2;
            const SticVerdict verdict = build_decide(arena, &bar.problem).verdict;
            assert_int_equal(verdict, mu > t ? STIC_VERDICT_UNKNOWN : STIC_VERDICT_EXISTS_ROBUST);
            if (result.motions == 2) {
                const double r = -t / (t - mu);
                assert_int_equal(result.solution[1].state[0], STIC_STATE_SLIDE);
                test_near(result.solution[1].r[0], r, 1e-9 * r);
            }
            stic_arena_rewind(arena, mark);
        }
    print_message("bar, g = +1: %d with one motion, %d with two\n", one, two);
    test_greater(one, 50);
    test_greater(two, 50);
    stic_arena_destroy(arena);
}

/* ---- Painlevé's rod ---- */

// W = A and b = -b_paper of Kikuuwe and Brogliato for m = g = 1, p_n = p_n' = 0, p_t' = -1
typedef struct Rod {
    double angle, spin, mu, l, delta, zeta;
    double W[4], b[2], G_A, G_B;
} Rod;

static void rod_fill(Rod* rod)
{
    const double c = cos(rod->angle), s = sin(rod->angle), l = rod->l;
    // rows N, T: J = [0 1 -l cos; 1 0 l sin], M = diag(1, 1, l^2/3)
    const double NN = 1.0 + 3.0 * c * c, TT = 1.0 + 3.0 * s * s, NT = -3.0 * s * c;
    const double W[4] = {NN, NT, NT, TT};
    memcpy(rod->W, W, sizeof W);
    // accelerations of the contact point without contact
    const double spin2 = rod->spin * rod->spin;
    rod->b[0] = -1.0 + l * s * spin2;
    rod->b[1] = l * c * spin2 + 2.0 * rod->zeta / rod->delta * -1.0;
    const double det = NN * TT - NT * NT;
    // r_b = A^-1 [1; 0] in the order T, N
    const double r_T = NN / det, r_N = -NT / det;
    rod->G_B = r_T - rod->mu * r_N;
    rod->G_A = -rod->b[0];
}

static SticEnumeration rod_enumerate(SticArena* arena, const Rod* rod, Build* made)
{
    static const int32_t row_at[2] = {0, 2};
    const SticPartition partition = {.rows = 1, .cols = 1, .row_at = row_at, .col_at = row_at};
    memset(made, 0, sizeof *made);
    made->law[0] = STIC_LAW_CONE;
    made->coef[0][0] = rod->mu;
    assert_int_equal(stic_block_csr_from_dense(&partition, rod->W, arena, &made->A), STIC_OK);
    made->problem = (SticProblem){.count = 1,
                                  .rows = 2,
                                  .row_at = row_at,
                                  .law = made->law,
                                  .coef = (const double(*)[4])made->coef,
                                  .W = &made->A,
                                  .b = rod->b};
    return enumerate(arena, &made->problem);
}

static void test_rod_grid(void** state)
{
    (void)state;
    SticArena* arena = build_arena();
    int32_t seen[4] = {0};
    for (int32_t a = 1; a < 45; ++a)
        for (int32_t w = 0; w <= 8; ++w)
            for (int32_t m = 0; m <= 10; ++m) {
                const SticArenaMark mark = stic_arena_mark(arena);
                Rod rod = {.angle = a * pi / 90.0,
                           .spin = 0.5 * w,
                           .mu = 0.25 * m,
                           .l = 1.0,
                           .delta = 1e-6,
                           .zeta = 0.5};
                Build made;
                rod_fill(&rod);
                const SticEnumeration result = rod_enumerate(arena, &rod, &made);
                // away from the borders of the regions
                if (fabs(rod.G_A) < 1e-4 || fabs(rod.G_B) < 1e-4)
                    continue;
                const int32_t expected = rod.G_B < 0.0 && rod.G_A < 0.0 ? 3 : 1;
                if (!result.complete || result.motions != expected)
                    fail_msg("angle %g spin %g mu %g: G_A %g, G_B %g: %d solutions", rod.angle,
                             rod.spin, rod.mu, rod.G_A, rod.G_B, result.motions);
                // which they are: detach; slip on the boundary; stick of order 1/delta
                const uint8_t first = result.solution[0].state[0];
                if (rod.G_B > 0.0)
                    assert_int_equal(first, rod.G_A < 0.0  ? STIC_STATE_OPEN
                                            : rod.mu > 0.0 ? STIC_STATE_BACK
                                                           : STIC_STATE_CLOSED);
                if (rod.G_B < 0.0 && rod.G_A > 0.0) {
                    assert_int_equal(first, STIC_STATE_STICK);
                    test_greater(result.solution[0].r[0], 1e4);
                }
                seen[(rod.G_B < 0.0) * 2 + (rod.G_A < 0.0)] += 1;
                stic_arena_rewind(arena, mark);
            }
    print_message("rod: %d slide, %d detach, %d jam, %d with three solutions\n", seen[0], seen[1],
                  seen[2], seen[3]);
    test_greater(seen[0], 100);
    test_greater(seen[1], 100);
    test_greater(seen[2], 10);
    test_greater(seen[3], 10);
    stic_arena_destroy(arena);
}

// the smallest friction for which some angle jams: 4/3 for a uniform rod
static bool rod_jams(SticArena* arena, double mu, double delta)
{
    bool jams = false;
    for (int32_t a = 1; a < 2000 && !jams; ++a) {
        const SticArenaMark mark = stic_arena_mark(arena);
        // near the critical angle, tan = 2
        Rod rod = {.angle = atan(2.0) + (a - 1000) * 2e-5,
                   .mu = mu,
                   .l = 1.0,
                   .delta = delta,
                   .zeta = 0.5};
        Build made;
        rod_fill(&rod);
        const SticEnumeration result = rod_enumerate(arena, &rod, &made);
        jams = result.motions == 1 && result.solution[0].state[0] == STIC_STATE_STICK;
        stic_arena_rewind(arena, mark);
    }
    return jams;
}

static void test_rod_critical(void** state)
{
    (void)state;
    SticArena* arena = build_arena();
    double gap[2];
    for (int32_t d = 0; d < 2; ++d) {
        const double delta = d == 0 ? 1e-5 : 1e-6;
        double low = 1.0, high = 2.0;
        for (int32_t k = 0; k < 28; ++k) {
            const double middle = 0.5 * (low + high);
            if (rod_jams(arena, middle, delta))
                high = middle;
            else
                low = middle;
        }
        gap[d] = fabs(high - 4.0 / 3.0);
        print_message("rod: critical friction %.9f by bisection for delta %.0e, 4/3 = %.9f\n", high,
                      delta, 4.0 / 3.0);
    }
    // off by O(delta), on a grid of angles of 2e-5
    test_less(gap[0], 1e-4);
    test_less(gap[1], 1e-5);
    test_greater(gap[0] / gap[1], 9.0);
    test_less(gap[0] / gap[1], 11.0);
    stic_arena_destroy(arena);
}

/* ---- continua of reactions ---- */

// a planar block (x, y, rotation) on two corners: one motion, the friction forces are not
// determined
static void block(SticArena* arena, double push, double mu, int32_t corners, BuildDef* def,
                  Build* made)
{
    static const double place[3] = {-1.0, 1.0, 0.0};
    *def = (BuildDef){.contacts = corners, .rows_each = 2, .dof = 3, .mass = {1.0, 1.0, 0.5}};
    for (int32_t i = 0; i < corners; ++i) {
        double *N = def->H + 6 * i, *T = N + 3;
        def->mu[i] = mu;
        N[1] = 1.0;
        N[2] = place[i];
        T[0] = 1.0;
        T[2] = 0.5;
    }
    def->f[0] = push;
    def->f[1] = -1.0;
    build_global(arena, def, made);
}

static void test_continuum(void** state)
{
    (void)state;
    SticArena* arena = build_arena();
    BuildDef def;
    Build made;
    // at rest: N determined, T1 + T2 = -push: a segment; three corners: one more for N, one for T
    block(arena, 0.1, 0.5, 2, &def, &made);
    SticEnumeration result = enumerate(arena, &made.problem);
    assert_true(result.complete);
    assert_int_equal(result.motions, 1);
    assert_int_equal(result.solution[0].force_dimension, 1);
    assert_int_equal(result.solution[0].state[0], STIC_STATE_STICK);
    block(arena, 0.1, 0.5, 3, &def, &made);
    result = enumerate(arena, &made.problem);
    assert_true(result.complete);
    assert_int_equal(result.motions, 1);
    assert_int_equal(result.solution[0].force_dimension, 3);
    // just held: all friction forces are at their limit, two corners leave nothing open
    block(arena, 0.5, 0.5, 2, &def, &made);
    result = enumerate(arena, &made.problem);
    assert_int_equal(result.motions, 1);
    assert_int_equal(result.solution[0].force_dimension, 0);
    // sliding: unique with two corners, a segment of N with three
    block(arena, 0.8, 0.5, 2, &def, &made);
    result = enumerate(arena, &made.problem);
    assert_int_equal(result.motions, 1);
    assert_int_equal(result.solution[0].force_dimension, 0);
    assert_int_equal(result.solution[0].state[0], STIC_STATE_SLIDE);
    block(arena, 0.8, 0.5, 3, &def, &made);
    result = enumerate(arena, &made.problem);
    assert_int_equal(result.motions, 1);
    assert_int_equal(result.solution[0].force_dimension, 1);
    // without friction the normal forces of three corners are a segment too
    block(arena, 0.8, 0.0, 3, &def, &made);
    result = enumerate(arena, &made.problem);
    assert_int_equal(result.motions, 1);
    assert_int_equal(result.solution[0].force_dimension, 1);
    stic_arena_destroy(arena);
}

/* ---- complementarity problems by hand ---- */

static SticEnumeration complementarity(SticArena* arena, const double W[9], const double b[3],
                                       Build* made)
{
    static const int32_t row_at[4] = {0, 1, 2, 3};
    const SticPartition partition = {.rows = 3, .cols = 3, .row_at = row_at, .col_at = row_at};
    memset(made, 0, sizeof *made);
    memset(made->law, STIC_LAW_NONNEG, 3);
    assert_int_equal(stic_block_csr_from_dense(&partition, W, arena, &made->A), STIC_OK);
    made->problem = (SticProblem){.count = 3,
                                  .rows = 3,
                                  .row_at = row_at,
                                  .law = made->law,
                                  .coef = (const double(*)[4])made->coef,
                                  .W = &made->A,
                                  .b = b};
    return enumerate(arena, &made->problem);
}

static void test_complementarity(void** state)
{
    (void)state;
    SticArena* arena = build_arena();
    Build made;
    // u2 = r1 - 1, u3 = 1 - r1: r1 = 1, and then u1 = b1 - r2 - r3 = 0
    const double pang[9] = {0.0, -1.0, -1.0, 1.0, 0.0, 0.0, -1.0, 0.0, 0.0};
    const double isolated[3] = {0.0, -1.0, 1.0}, perturbed[3] = {-1e-4, -1.0, 1.0};
    SticEnumeration result = complementarity(arena, pang, isolated, &made);
    assert_true(result.complete);
    test_equal(result.motions, 1);
    assert_int_equal(result.solution[0].force_dimension, 0);
    assert_int_equal(result.solution[0].motion_dimension, 0);
    test_less(fabs(result.solution[0].r[0] - 1.0), 1e-9);
    result = complementarity(arena, pang, perturbed, &made);
    assert_int_equal(result.verdict, STIC_VERDICT_NONE);
    assert_int_equal(result.refuted, 8);
    // u1 = b1 - r2 + r3 = 0 instead: a ray of reactions
    const double ray[9] = {0.0, -1.0, 1.0, 1.0, 0.0, 0.0, -1.0, 0.0, 0.0};
    result = complementarity(arena, ray, perturbed, &made);
    assert_true(result.complete);
    test_equal(result.motions, 1);
    assert_int_equal(result.solution[0].force_dimension, 1);
    // r1 = r2 = t leaves u3 = 1 + t: a continuum of motions, which no symmetric W has
    const double drift[9] = {1.0, -1.0, 0.0, -1.0, 1.0, 0.0, 1.0, 0.0, 1.0};
    const double lift[3] = {0.0, 0.0, 1.0};
    result = complementarity(arena, drift, lift, &made);
    test_at_least(result.motions, 1);
    int32_t widest = 0;
    for (int32_t m = 0; m < result.motions; ++m)
        widest = result.solution[m].motion_dimension > widest ? result.solution[m].motion_dimension
                                                              : widest;
    assert_int_equal(widest, 1);
    stic_arena_destroy(arena);
}

/* ---- random problems: what a solver finds is in the list ---- */

static void test_against_solver(void** state)
{
    (void)state;
    SticArena* arena = build_arena();
    SticRandom random = stic_random_create(41);
    const SticContext context = stic_context_default();
    int32_t solved = 0, several = 0, missing = 0, incomplete = 0;
    SticSolveRequest request = test_request(&context, "nsgs");
    request.settings.tolerance = 1e-12;
    request.settings.max_iterations = 20000;
    for (int32_t trial = 0; trial < 150; ++trial) {
        const SticArenaMark mark = stic_arena_mark(arena);
        // planar with 1 to 3 contacts, then in space with 1 and 2
        const bool space = trial >= 75;
        BuildDef def = {.contacts = space ? 1 + trial % 2 : 1 + trial % 3,
                        .rows_each = space ? 3 : 2,
                        .dof = space ? 6 : 3 + trial % 2};
        Build made;
        SticSolveInfo info = {0};
        double r[BUILD_ROWS] = {0.0}, u[BUILD_ROWS] = {0.0};
        test_random_vector(&random, def.contacts * def.rows_each * def.dof, -1.0, 1.0, def.H);
        test_random_vector(&random, def.dof, -1.0, 1.0, def.f);
        for (int32_t k = 0; k < def.dof; ++k)
            def.mass[k] = stic_random_range(&random, 0.5, 2.0);
        for (int32_t i = 0; i < def.contacts; ++i)
            def.mu[i] = stic_random_range(&random, 0.1, 1.0);
        build_global(arena, &def, &made);
        const SticEnumeration result = enumerate(arena, &made.problem);
        assert_int_equal(stic_solve(&made.problem, &request, r, u, &info), STIC_OK);
        if (info.outcome == STIC_OUTCOME_SOLVED) {
            bool found = false;
            for (int32_t m = 0; m < result.motions && !found; ++m) {
                double gap = 0.0;
                for (int32_t k = 0; k < made.problem.rows; ++k)
                    gap = test_worse(gap, fabs(result.solution[m].u[k] - u[k]));
                found = gap < 1e-6;
            }
            missing += !found;
            if (!found)
                print_message("trial %d: the motion of nsgs is not among %d\n", trial,
                              result.motions);
            solved += 1;
        }
        several += result.motions > 1;
        incomplete += !result.complete;
        assert_true(result.complete || (space && def.contacts == 2));
        stic_arena_rewind(arena, mark);
    }
    print_message(
        "random: %d solved by nsgs, %d not in the list; %d with several motions; %d lists "
        "not complete\n",
        solved, missing, several, incomplete);
    test_greater(solved, 120);
    assert_int_equal(missing, 0);
    stic_workspace_destroy(request.workspace);
    stic_arena_destroy(arena);
}

/* ---- joints and shifts, in both forms ---- */

static void test_shifts(void** state)
{
    (void)state;
    SticArena* arena = build_arena();
    SticRandom random = stic_random_create(53);
    const SticContext context = stic_context_default();
    int32_t motions = 0;
    for (int32_t trial = 0; trial < 60; ++trial) {
        const SticArenaMark mark = stic_arena_mark(arena);
        const TestProblemDef def = {.law = trial % 5 == 0 ? STIC_LAW_NONNEG : STIC_LAW_CONE,
                                    .contacts = 2,
                                    .contact_rows = trial % 5 == 0 ? 1 : 2 + trial % 2,
                                    .joints = trial / 2 % 2,
                                    .bodies = trial / 4 % 2 == 0 ? 0 : 3,
                                    .shifts = true};
        const SticProblem drawn = test_problem_random(arena, &random, &def);
        SticProblemStore* store = NULL;
        // the copy inverts the masses
        assert_int_equal(stic_problem_copy(&context, &drawn, &store), STIC_OK);
        const SticProblem* problem = stic_problem_view(store);
        const SticEnumeration result = enumerate(arena, problem);
        // regular W: A holds, so that there is a solution
        const SticExistence exists = build_decide(arena, problem);
        if (exists.verdict <= STIC_VERDICT_EXISTS_BORDERLINE && result.complete)
            test_greater(result.motions, 0);
        assert_true(exists.verdict != STIC_VERDICT_NONE || result.motions == 0);
        motions += result.motions;
        stic_problem_destroy(store);
        stic_arena_rewind(arena, mark);
    }
    print_message("joints and shifts: %d motions of 60 problems\n", motions);
    test_greater(motions, 40);
    stic_arena_destroy(arena);
}

/* ---- refusals and memory ---- */

static void test_refused(void** state)
{
    (void)state;
    SticArena* arena = build_arena();
    const SticEnumerateSettings settings = stic_enumerate_default_settings();
    BuildDef def = {.contacts = 12, .rows_each = 2, .dof = 3, .mass = {1.0, 1.0, 1.0}};
    Build made;
    SticEnumeration result;
    SticError error = {0};
    for (int32_t i = 0; i < 12; ++i) {
        def.mu[i] = 0.5;
        def.H[6 * i] = def.H[6 * i + 4] = 1.0;
    }
    build_global(arena, &def, &made);
    assert_int_equal(stic_solutions_enumerate(&made.problem, &settings, arena, &result, &error),
                     STIC_UNSUPPORTED);
    assert_non_null(strstr(error.text, "too many combinations"));
    // friction bounded by a constant is another law
    made.law[0] = STIC_LAW_BALL;
    assert_int_equal(stic_solutions_enumerate(&made.problem, &settings, arena, &result, &error),
                     STIC_UNSUPPORTED);
    assert_non_null(strstr(error.text, "law ball"));
    stic_arena_destroy(arena);
}

static SticStatus enumerate_once(const SticContext* context, void* self)
{
    const SticEnumerateSettings settings = stic_enumerate_default_settings();
    SticArena* arena = NULL;
    SticEnumeration result;
    SticError error = {0};
    STIC_TRY(stic_arena_create(context, 0, &arena));
    const SticStatus status = stic_solutions_enumerate(self, &settings, arena, &result, &error);
    stic_arena_destroy(arena);
    return status;
}

static void test_memory(void** state)
{
    (void)state;
    SticArena* arena = build_arena();
    BuildDef def;
    Build made;
    block(arena, 0.1, 0.5, 3, &def, &made);
    test_fail_every_allocation(enumerate_once, &made.problem);
    stic_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bar_falling),     cmocka_unit_test(test_bar_rising),
        cmocka_unit_test(test_rod_grid),        cmocka_unit_test(test_rod_critical),
        cmocka_unit_test(test_continuum),       cmocka_unit_test(test_against_solver),
        cmocka_unit_test(test_complementarity), cmocka_unit_test(test_shifts),
        cmocka_unit_test(test_refused),         cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

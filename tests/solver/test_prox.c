// SPDX-License-Identifier: Apache-2.0
// Prox iterations: published counts, the same answers as block Gauss-Seidel, equalities between the
// methods.
#include "helpers/problem.h"
#include "helpers/solve.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stiction/extend/law.h"
#include "stiction/extend/solver.h"

enum { MOST = 64, MOST_ROWS = 160 };

/* ---- small dense problems ---- */

typedef struct Dense {
    SticProblem problem;
    int32_t row_at[MOST + 1], bound_row[MOST];
    uint8_t law[MOST];
    double coef[MOST][4], bound[MOST], u_shift[MOST_ROWS], b[MOST_ROWS];
    SticBlockCsr W;
    int32_t begin[MOST + 1], col[MOST * MOST];
    int64_t value_at[MOST * MOST + 1];
    double value[MOST_ROWS * MOST_ROWS];
} Dense;

static void add(Dense* d, SticForceLaw law, int32_t bound_row)
{
    const int32_t i = d->problem.count++;
    d->law[i] = (uint8_t)law.law;
    d->row_at[i + 1] = d->row_at[i] + law.rows;
    d->bound_row[i] = bound_row;
    d->bound[i] = law.bound;
    memcpy(d->coef[i], law.coef, sizeof law.coef);
    d->problem.rows = d->row_at[i + 1];
    test_less(d->problem.count, MOST);
    test_at_most(d->problem.rows, MOST_ROWS);
}

// all blocks of a dense W [rows rows]; b is set by the caller
static const SticProblem* finish(Dense* d, const double* W)
{
    const int32_t count = d->problem.count, rows = d->problem.rows;
    int64_t at = 0;
    for (int32_t i = 0, block = 0; i < count; ++i) {
        d->begin[i] = block;
        for (int32_t j = 0; j < count; ++j, ++block) {
            d->col[block] = j;
            d->value_at[block] = at;
            for (int32_t a = d->row_at[i]; a < d->row_at[i + 1]; ++a)
                for (int32_t c = d->row_at[j]; c < d->row_at[j + 1]; ++c)
                    d->value[at++] = W[a * rows + c];
        }
        d->begin[i + 1] = block;
    }
    d->value_at[count * count] = at;
    d->W =
        (SticBlockCsr){count, count, d->row_at, d->row_at, d->begin, d->col, d->value_at, d->value};
    d->problem.row_at = d->row_at;
    d->problem.law = d->law;
    d->problem.coef = (const double(*)[4])d->coef;
    d->problem.bound = d->bound;
    d->problem.bound_row = d->bound_row;
    d->problem.u_shift = d->u_shift;
    d->problem.W = &d->W;
    d->problem.b = d->b;
    return &d->problem;
}

/* ---- solving with settings written as text ---- */

typedef struct Run {
    double tolerance;
    int32_t max_iterations;
    const char* method;
    const char* settings; // "omega=1.2 rho=diagonal"
} Run;

static SticSolveInfo solve_in(const SticContext* context, const SticProblem* problem, Run run,
                              double* r, double* u, SticStatus* status)
{
    SticError error = {0};
    TestSettings settings;
    SticSolveInfo info = {0};
    SticSolveRequest request = {.solver = stic_solver_find(run.method, &error),
                                .settings = test_solve_settings(),
                                .method_settings = settings.bytes};
    assert_non_null(request.solver);
    test_settings(request.solver, run.settings, &settings);
    request.settings.tolerance = run.tolerance;
    request.settings.max_iterations = run.max_iterations;
    *status = stic_workspace_create(context, &request.workspace);
    if (*status == STIC_OK)
        *status = stic_solve(problem, &request, r, u, &info);
    stic_workspace_destroy(request.workspace);
    info.history = NULL;
    return info;
}

static SticSolveInfo solve(const SticProblem* problem, Run run, double* r, double* u)
{
    const SticContext context = stic_context_default();
    SticStatus status;
    const SticSolveInfo info = solve_in(&context, problem, run, r, u, &status);
    if (status != STIC_OK)
        fail_msg("%s: %s", run.method, info.error.text);
    return info;
}

/* ---- published numbers ---- */

// Möller 2011, eq. 2.57: a set of two rows, its solution inside; plain projected Jacobi needs
// "more than 1e5 steps", recovered Jacobi one. With criterion 2.46 at 1e-9 the rate 1 - 1e-4 must
// bring the step 1e-4 (1 - 1e-4)^n below 1e-9: n = 115 125.
static void test_recovered_jacobi(void** state)
{
    (void)state;
    static Dense d;
    const double W[4] = {1e4, 0.0, 0.0, 1.0};
    double r[2], u[2];
    memset(&d, 0, sizeof d);
    add(&d, stic_force_tresca(2, 10.0), -1);
    d.b[0] = d.b[1] = 1.0;
    const SticProblem* problem = finish(&d, W);
    const SticSolveInfo plain =
        solve(problem,
              (Run){0.0, 1000000, "jor-prox", "rho=diagonal recover=no step_tolerance=1e-9"}, r, u);
    print_message("plain Jacobi: %d steps, r = %.9g %.9g\n", plain.iterations, r[0], r[1]);
    assert_int_equal(plain.iterations, 115125);
    test_less(fabs(r[1] + 1.0), 1.1e-5);
    const SticSolveInfo recovered =
        solve(problem, (Run){1e-14, 1, "jor-prox", "rho=diagonal recover=yes"}, r, u);
    print_message("recovered Jacobi: %d step, error %.1e, r = %.9g %.9g\n", recovered.iterations,
                  recovered.errors.relative, r[0], r[1]);
    assert_int_equal(recovered.outcome, STIC_OUTCOME_SOLVED);
    test_less(fabs(r[0] + 1e-4), 1e-18);
    test_less(fabs(r[1] + 1.0), 1e-15);
}

// Möller 2011, eqs. 3.163-3.168: sprag clutch and elastic contact gain energy; mass 1, u- = (1, -1)
static void test_sprag_clutch(void** state)
{
    (void)state;
    static Dense d;
    const double W[4] = {1.0, -1.0, -1.0, 2.0};
    double r[2], u[2];
    memset(&d, 0, sizeof d);
    add(&d, stic_force_sprag_clutch(), -1);
    add(&d, stic_force_unilateral(), -1);
    d.b[0] = 1.0;
    d.b[1] = -2.0;
    d.u_shift[1] = 1.0 * -2.0; // restitution 1 on the approach velocity
    const SticProblem* problem = finish(&d, W);
    const SticSolveInfo info =
        solve(problem, (Run){0.0, 1000, "sor-prox", "rho=diagonal step_tolerance=1e-14"}, r, u);
    const double u1 = 1.0 + r[0] - r[1], u2 = -1.0 + r[1];
    const double gain = 0.5 * (u1 * u1 + u2 * u2) - 1.0;
    print_message("sprag clutch: %d sweeps, impulses %.15g %.15g, u+ = %.2g %.15g, energy %+.15g\n",
                  info.iterations, r[0], r[1], u1, u2, gain);
    test_near(r[0], 2.0, 3e-14);
    test_near(r[1], 3.0, 3e-14);
    test_less(fabs(u1), 3e-14);
    test_near(u2, 2.0, 3e-14);
    test_less(fabs(gain - 1.0), 1e-13);
    // the error halves per sweep: 1e-14 takes 47 and the start is of order 3
    assert_in_range(info.iterations, 47, 50);

    // without restitution there is nothing to gain
    d.u_shift[1] = 0.0;
    solve(problem, (Run){1e-14, 1000, "sor-prox", ""}, r, u);
    const double v1 = 1.0 + r[0] - r[1], v2 = -1.0 + r[1];
    test_at_most(0.5 * (v1 * v1 + v2 * v2) - 1.0, 0.0);
}

/* ---- the block of Studer & Glocker ---- */

// section 5.8: corners (unilateral 1, 2; friction 3, 4), Coulomb bound mu lambda
static const SticProblem* block_problem(Dense* d, double mu, double Fx, double Fy, double M)
{
    const double m = 2.1, J = 0.018, l = 0.15, h = 0.05;
    const double dir[3][4] = {{0, 0, 1, 1}, {1, 1, 0, 0}, {-l, l, h, h}};
    const double inverse[3] = {1 / m, 1 / m, 1 / J}, load[3] = {Fx, Fy, M};
    double W[16];
    memset(d, 0, sizeof *d);
    add(d, stic_force_unilateral(), -1);
    add(d, stic_force_unilateral(), -1);
    add(d, stic_force_friction(1, mu), 0);
    add(d, stic_force_friction(1, mu), 1);
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 3; ++k) {
            d->b[i] += dir[k][i] * inverse[k] * load[k];
            for (int j = 0; j < 4; ++j)
                W[4 * i + j] = (k == 0 ? 0.0 : W[4 * i + j]) + dir[k][i] * inverse[k] * dir[k][j];
        }
    return finish(d, W);
}

static void test_block_matrix(void** state)
{
    (void)state;
    static Dense d;
    const SticProblem* problem = block_problem(&d, 0.4, 2.0, -20.6, 0.0);
    const double* W = problem->W->value; // blocks of one entry, row by row
    const double known[4][4] = {{1.726190, -0.773810, -0.416667, -0.416667},
                                {-0.773810, 1.726190, 0.416667, 0.416667},
                                {-0.416667, 0.416667, 0.615079, 0.615079},
                                {-0.416667, 0.416667, 0.615079, 0.615079}};
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            test_less(fabs(W[4 * i + j] - known[i][j]), 5e-7);
}

// iterations against omega: a finite interval, wider and lower for SORprox; accelerations unique
static void test_block_states(void** state)
{
    (void)state;
    static const struct {
        const char* name;
        double Fx, M;
    } states[] = {{"stick", 2.0, 0.0}, {"slide", 12.0, 0.0}, {"one opens", 2.0, 4.0}};
    const TestTable table =
        test_table_begin("block: omega for which the method converges, least iterations",
                         "state        |jor from|  to|least|sor from|  to|least");
    for (int s = 0; s < 3; ++s) {
        static Dense d;
        const SticProblem* problem = block_problem(&d, 0.4, states[s].Fx, -2.1 * 9.81, states[s].M);
        double low[2] = {9.0, 9.0}, high[2] = {0.0, 0.0}, known[4] = {0};
        int least[2] = {1000000, 1000000}, runs = 0;
        for (int m = 0; m < 2; ++m)
            for (double omega = 0.05; omega < 2.2; omega += 0.05) {
                double r[4], u[4];
                char text[64];
                snprintf(text, sizeof text, "rho=diagonal omega=%.2f", omega);
                const SticSolveInfo info =
                    solve(problem, (Run){1e-9, 3000, m == 0 ? "jor-prox" : "sor-prox", text}, r, u);
                if (info.outcome != STIC_OUTCOME_SOLVED)
                    continue;
                low[m] = fmin(low[m], omega);
                high[m] = test_worse(high[m], omega);
                least[m] = info.iterations < least[m] ? info.iterations : least[m];
                if (runs++ == 0)
                    memcpy(known, u, sizeof known);
                // accelerations are unique though the forces need not be
                test_less(test_largest_difference(4, u, known), 1e-6);
            }
        test_table_row(&table, "%s|%.2f|%.2f|%d|%.2f|%.2f|%d", states[s].name, low[0], high[0],
                       least[0], low[1], high[1], least[1]);
        test_greater(high[1], high[0]);
        test_less(high[0], 2.0);
        test_less(high[1], 2.1);
        test_less(least[1], least[0]);
        // the state is the one announced
        const bool slides = fabs(known[2]) > 0.1, opens = known[0] > 0.1 || known[1] > 0.1;
        assert_true(slides == (s == 1) || s == 2);
        test_equal(opens, (s == 2));
    }
}

/* ---- one answer for all methods ---- */

// joints, contacts, foreign bounds: every law once
static const SticProblem* zoo(Dense* d, SticRandom* random, double condition)
{
    static double W[MOST_ROWS * MOST_ROWS];
    memset(d, 0, sizeof *d);
    add(d, stic_force_bilateral(3), -1);
    add(d, stic_force_unilateral(), -1); // row 3
    add(d, stic_force_friction(1, 0.3), 3);
    add(d, stic_force_friction(2, 0.4), 3);
    add(d, stic_force_tresca(2, 0.3), -1);
    add(d, stic_force_motor(0.1, 0.2), -1);
    add(d, stic_force_coulomb(2, 0.3), -1);
    for (int i = 0; i < 3; ++i)
        add(d, stic_force_coulomb(3, 0.3), -1);
    add(d, stic_force_anisotropic(0.4, 0.1), -1);
    add(d, stic_force_contensou(0.3, 0.5), -1);
    add(d, stic_force_rolling(5, 0.3, 0.1), -1);
    add(d, stic_force_rolling(3, 0.3, 0.1), -1);
    add(d, (SticForceLaw){STIC_LAW_ELLIPSE, 2, {0.4, 0.1}, 0.5}, -1);
    add(d, (SticForceLaw){STIC_LAW_ELLIPSOID, 3, {0.4, 0.4, 0.05}, 0.5}, -1);
    add(d, (SticForceLaw){STIC_LAW_CYLINDER, 3, {0.4, 0.0, 0.05}, 0.5}, -1);
    add(d, (SticForceLaw){STIC_LAW_CONTENSOU, 3, {0.4, 0.0, 0.0, 0.2}, 0.5}, 3);
    const int32_t n = d->problem.rows;
    test_random_spd(random, n, condition, W);
    test_random_vector(random, n, -1.0, 1.0, d->b);
    return finish(d, W);
}

static void test_same_answer(void** state)
{
    (void)state;
    static const Run runs[] = {
        {1e-11, 20000, "jacobi-prox", "rho=block"},
        {1e-11, 20000, "jor-prox", "rho=dominance"},
        {1e-11, 20000, "jor-prox", "rho=row-sum friction=cone"},
        {1e-11, 20000, "jor-prox", "rho=spectral transform=no recover=no"},
        {1e-11, 20000, "jor-prox", "rho=adaptive"},
        {1e-11, 20000, "sor-prox", "rho=diagonal"},
        {1e-11, 20000, "sor-prox", "rho=block friction=cone"},
        {1e-11, 20000, "sor-prox", "rho=diagonal omega=1.3 transform=no recover=no"},
        {1e-11, 20000, "sor-prox", "rho=adaptive"},
        {1e-11, 20000, "gamma-prox", "rho=diagonal"},
        {1e-11, 20000, "gamma-prox", "rho=row-sum seidel=no"},
        {1e-11, 20000, "uzawa", "variant=pair rho=row-sum"},
        {1e-11, 20000, "uzawa", "variant=augmented"},
        {1e-11, 20000, "uzawa", "variant=augmented penalty=100 rho=diagonal inner_sweeps=500"},
    };
    enum { RUNS = sizeof runs / sizeof runs[0], PROBLEMS = 5 };
    SticRandom random = stic_random_create(47);
    int most[RUNS] = {0};
    double worst[RUNS] = {0.0};
    for (int p = 0; p < PROBLEMS; ++p) {
        static Dense d;
        const SticProblem* problem = zoo(&d, &random, 20.0);
        const int32_t n = problem->rows;
        double r[MOST_ROWS], u[MOST_ROWS], r0[MOST_ROWS], u0[MOST_ROWS];
        const SticSolveInfo reference = solve(problem, (Run){1e-12, 20000, "nsgs", ""}, r0, u0);
        assert_int_equal(reference.outcome, STIC_OUTCOME_SOLVED);
        for (int k = 0; k < RUNS; ++k) {
            const SticSolveInfo info = solve(problem, runs[k], r, u);
            if (info.outcome != STIC_OUTCOME_SOLVED)
                print_message("%s %s: %s after %d, error %.1e\n", runs[k].method, runs[k].settings,
                              stic_outcome_name(info.outcome), info.iterations,
                              info.errors.relative);
            most[k] = info.iterations > most[k] ? info.iterations : most[k];
            worst[k] = test_worse(worst[k], test_largest_difference(n, r, r0));
        }
    }
    const TestTable table = test_table_begin(
        "five problems with every law, 49 rows, condition 20",
        "method and settings                                                        |most "
        "iterations|   from nsgs");
    for (int k = 0; k < RUNS; ++k)
        test_table_row(&table, "%s %s|%d|%.1e", runs[k].method, runs[k].settings, most[k],
                       worst[k]);
    for (int k = 0; k < RUNS; ++k) {
        test_less(most[k], 20000);
        test_less(worst[k], 1e-8);
    }
}

// eqs. 107, 108 give the iterates of JORprox
static void test_uzawa_pair_is_jor(void** state)
{
    (void)state;
    static Dense d;
    SticRandom random = stic_random_create(53);
    const SticProblem* problem = zoo(&d, &random, 20.0);
    double r[MOST_ROWS], u[MOST_ROWS], q[MOST_ROWS], v[MOST_ROWS];
    for (int32_t most = 1; most < 40; most += 13) {
        solve(problem, (Run){0.0, most, "jor-prox", "rho=row-sum omega=0.8 recover=no"}, r, u);
        solve(problem, (Run){0.0, most, "uzawa", "variant=pair rho=row-sum omega=0.8"}, q, v);
        assert_memory_equal(r, q, (size_t)problem->rows * sizeof *r);
    }
}

// ellipsoids: projecting them as balls is what makes them cheap (Möller 2011, section 2.5.2)
static void test_transformation(void** state)
{
    (void)state;
    static Dense d;
    // one body under drilling: the moment row is 1/J with a lever of 5 mm
    const double lever = 0.005, W[9] = {1.0, 0.1, 0.0, 0.1, 1.2, 5.0, 0.0, 5.0, 3e4};
    double r[3], u[3], q[3];
    int iterations[2];
    memset(&d, 0, sizeof d);
    add(&d, (SticForceLaw){STIC_LAW_ELLIPSOID, 3, {0.3, 0.3, 0.3 * lever}, 2.0}, -1);
    d.b[0] = 0.9;
    d.b[1] = -0.4;
    d.b[2] = 100.0;
    const SticProblem* problem = finish(&d, W);
    for (int transform = 0; transform < 2; ++transform) {
        const SticSolveInfo info = solve(
            problem,
            (Run){1e-10, 1000000, "sor-prox",
                  transform == 0 ? "rho=diagonal transform=no" : "rho=diagonal transform=yes"},
            transform == 0 ? q : r, u);
        assert_int_equal(info.outcome, STIC_OUTCOME_SOLVED);
        iterations[transform] = info.iterations;
    }
    print_message("ellipsoid: %d sweeps as it is, %d as a ball, results differ by %.1e\n",
                  iterations[0], iterations[1], test_largest_difference(3, r, q));
    test_greater(iterations[0], 20 * iterations[1]);
    test_less(test_largest_difference(3, r, q), 1e-8);
}

// eq. 68 on a matrix small enough for the head
static void test_lipschitz(void** state)
{
    (void)state;
    static Dense d;
    const double W[4] = {2.0, 0.5, 0.5, 1.0};
    double r[2], u[2];
    memset(&d, 0, sizeof d);
    add(&d, stic_force_unilateral(), -1);
    add(&d, stic_force_unilateral(), -1);
    d.b[0] = -1.0;
    d.b[1] = -2.0;
    const SticProblem* problem = finish(&d, W);
    const SticSolveInfo one = solve(problem, (Run){1e-12, 1000, "jor-prox", "rho=dominance"}, r, u);
    test_less(fabs(one.lipschitz - 0.5), 1e-15); // eq. 69: strictly dominant
    const SticSolveInfo half =
        solve(problem, (Run){1e-12, 1000, "jor-prox", "rho=diagonal omega=0.5"}, r, u);
    test_less(fabs(half.lipschitz - 0.75), 1e-15);
    const SticSolveInfo sums = solve(problem, (Run){1e-12, 1000, "jor-prox", "rho=row-sum"}, r, u);
    // lengths 1/2.5 and 1/1.5: |1 - 0.8| + 0.2 and |1 - 2/3| + 1/3
    test_less(fabs(sums.lipschitz - 2.0 / 3.0), 1e-15);
    print_message("Lipschitz 0.5, 0.75, 2/3 as by hand; %d, %d, %d iterations to 1e-12\n",
                  one.iterations, half.iterations, sums.iterations);
    // the estimate is a bound of the contraction: error * L^n
    test_at_most(one.iterations, 1 + (int)ceil(log(1e-13) / log(0.5)));
}

// files of the public collection: velocities as by nsgs (reactions need not be unique)
static void test_collection(void** state)
{
    (void)state;
    static const char* const files[] = {
        "fc2d/FrictionContactProblem00071.dat",
        "fc3d-local-dat/FC3D_Example1.dat",
        "fc3d-local-dat/FrictionContact3D_RR_1c.dat",
        "fc3d-local-dat/Confeti-ex03-Fc3D-SBM.dat",
        "fc3d-local-dat/Rover1040.dat",
        "fc3d-local-dat/NESpheres_10_1.dat",
        "fc3d-global/GFC3D_Example1.dat",
        "rolling/RFC3D_cube_1.dat",
        "rolling/GRFC3D_Chute-ndof-768-nc-4-3.dat",
    };
    static const Run runs[] = {{1e-10, 50000, "sor-prox", "friction=cone"},
                               {1e-10, 50000, "jor-prox", "rho=adaptive"},
                               {1e-10, 50000, "uzawa", ""}};
    const SticContext context = stic_context_default();
    static double r[4096], u[4096], u0[4096];
    const TestTable table =
        test_table_begin("public problems: iterations to 1e-10",
                         "file                                      |sor|jor|uzawa|from nsgs");
    for (size_t f = 0; f < sizeof files / sizeof files[0]; ++f) {
        char path[TEST_PATH_SIZE];
        int iterations[3];
        double apart = 0.0, size = 0.0;
        test_problem_path(files[f], path);
        SticProblemStore* store = test_problem_read(&context, path);
        const SticProblem* problem = stic_problem_view(store);
        test_at_most(problem->rows, 4096);
        const SticSolveInfo nsgs = solve(problem, (Run){1e-11, 50000, "nsgs", ""}, r, u0);
        assert_int_equal(nsgs.outcome, STIC_OUTCOME_SOLVED);
        for (int32_t k = 0; k < problem->rows; ++k)
            size = test_worse(size, fabs(u0[k]));
        for (int m = 0; m < 3; ++m) {
            const SticSolveInfo info = solve(problem, runs[m], r, u);
            if (info.outcome != STIC_OUTCOME_SOLVED)
                fail_msg("%s: %s on %s, error %.1e", runs[m].method,
                         stic_outcome_name(info.outcome), files[f], info.errors.relative);
            iterations[m] = info.iterations;
            apart = test_worse(apart, test_largest_difference(problem->rows, u, u0));
        }
        test_table_row(&table, "%s|%d|%d|%d|%.1e", strrchr(files[f], '/') + 1, iterations[0],
                       iterations[1], iterations[2], apart / size);
        test_less(apart, 1e-6 * size);
        stic_problem_destroy(store);
    }
}

/* ---- refusals, memory ---- */

static void test_refusals(void** state)
{
    (void)state;
    static Dense d;
    const SticContext context = stic_context_default();
    const SticProblem* problem = block_problem(&d, 0.4, 2.0, -20.6, 0.0);
    double r[4], u[4];
    SticStatus status;
    const SticSolveInfo info =
        solve_in(&context, problem, (Run){1e-8, 10, "gamma-prox", ""}, r, u, &status);
    print_message("%s\n", info.error.text);
    assert_int_equal(status, STIC_UNSUPPORTED);
    assert_non_null(strstr(info.error.text, "positive definite"));
}

typedef struct Failing {
    const SticProblem* problem;
    Run run;
} Failing;

static SticStatus solve_failing(const SticContext* context, void* self)
{
    const Failing* failing = self;
    double r[MOST_ROWS], u[MOST_ROWS];
    SticStatus status;
    solve_in(context, failing->problem, failing->run, r, u, &status);
    return status;
}

static void test_memory(void** state)
{
    (void)state;
    static const char* const methods[] = {"jacobi-prox", "jor-prox", "sor-prox", "gamma-prox",
                                          "uzawa"};
    static Dense d;
    SticRandom random = stic_random_create(59);
    const SticProblem* problem = zoo(&d, &random, 20.0);
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; ++m) {
        Failing failing = {problem, {1e-3, 50, methods[m], ""}};
        test_fail_every_allocation(solve_failing, &failing);

        // a second solve of this size allocates nothing
        TestMemory memory;
        const SticContext context = test_memory_context(&memory);
        SticSolveRequest request = test_request(&context, methods[m]);
        double r[MOST_ROWS], u[MOST_ROWS];
        SticSolveInfo info = {0};
        assert_int_equal(stic_solve(problem, &request, r, u, &info), STIC_OK);
        const int64_t calls = memory.calls;
        assert_int_equal(stic_solve(problem, &request, r, u, &info), STIC_OK);
        assert_int_equal(memory.calls, calls);
        stic_workspace_destroy(request.workspace);
        test_memory_check(&memory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recovered_jacobi), cmocka_unit_test(test_sprag_clutch),
        cmocka_unit_test(test_block_matrix),     cmocka_unit_test(test_block_states),
        cmocka_unit_test(test_same_answer),      cmocka_unit_test(test_uzawa_pair_is_jor),
        cmocka_unit_test(test_transformation),   cmocka_unit_test(test_lipschitz),
        cmocka_unit_test(test_collection),       cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

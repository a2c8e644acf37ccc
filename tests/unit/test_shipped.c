// SPDX-License-Identifier: Apache-2.0
// The problems that come with the library are what problems/README.md says: closed-form solutions
// of the block, rigid motions of the stack.
#include "helpers/problem.h"

#include "stiction/extend/sparse.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double mass = 2.1, inertia = 0.018, l = 0.15, h = 0.05, mu = 0.4, step = 0.01,
                    gravity = 9.81;

static SticProblemStore* read_shipped(const char* name)
{
    const SticContext context = stic_context_default();
    char path[TEST_PATH_SIZE];
    snprintf(path, sizeof path, "%s/problems/%s", STIC_SOURCE_DIR, name);
    return test_problem_read(&context, path);
}

// errors of r, and u = W r + b; the tolerance covers rounding of a handful of operations
static void assert_solves(const SticProblem* problem, const double* r, double* u)
{
    const SticContext context = stic_context_default();
    SticArena* arena = NULL;
    SticErrors errors;
    assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
    assert_int_equal(stic_errors_compute(arena, problem, r, u, &errors), STIC_OK);
    print_message("r = %.6f %.6f %.6f %.6f: error %.1e\n", r[0], r[1], r[2], r[3], errors.relative);
    test_less(errors.relative, 1e-14);
    stic_arena_destroy(arena);
}

// the matrix of Studer and Glocker 2006, section 5.8, in our order N1 T1 N2 T2
static void block_has_the_published_matrix(void** state)
{
    (void)state;
    static const char* const names[] = {"block-sticks.dat", "block-slides.dat", "block-tips.dat"};
    static const double published[16] = {
        1.726190,  -0.416667, -0.773810, -0.416667, -0.416667, 0.615079, 0.416667, 0.615079,
        -0.773810, 0.416667,  1.726190,  0.416667,  -0.416667, 0.615079, 0.416667, 0.615079};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        SticProblemStore* store = read_shipped(names[i]);
        double W[16];
        stic_block_csr_to_dense(stic_problem_view(store)->W, W);
        for (int k = 0; k < 16; ++k)
            test_less(fabs(W[k] - published[k]), 1e-6);
        test_equal(stic_problem_view(store)->coef[1][0], mu);
        assert_non_null(stic_problem_metadata(store)->description);
        stic_problem_destroy(store);
    }
}

// equilibrium with 2 N along x: forces and the moment about the centre vanish
static void block_sticks(void** state)
{
    (void)state;
    const double weight = mass * gravity * step, push = 2.0 * step;
    // l (N2 - N1) + h (T1 + T2) = 0, N1 + N2 = weight, T1 + T2 = -push; any split of T does
    const double half = 0.5 * h * push / l;
    const double r[4] = {0.5 * weight - half, -0.25 * push, 0.5 * weight + half, -0.75 * push};
    double u[4];
    SticProblemStore* store = read_shipped("block-sticks.dat");
    assert_solves(stic_problem_view(store), r, u);
    for (int k = 0; k < 4; ++k)
        test_less(fabs(u[k]), 1e-15);
    stic_problem_destroy(store);
}

static void block_slides(void** state)
{
    (void)state;
    const double weight = mass * gravity * step, push = 12.0 * step;
    const double half = 0.5 * h * mu * weight / l;
    const double N1 = 0.5 * weight - half, N2 = 0.5 * weight + half;
    const double r[4] = {N1, -mu * N1, N2, -mu * N2};
    double u[4];
    SticProblemStore* store = read_shipped("block-slides.dat");
    assert_solves(stic_problem_view(store), r, u);
    test_less(fabs(u[1] - (push - mu * weight) / mass), 1e-15);
    test_less(fabs(u[3] - u[1]), 1e-15);
    stic_problem_destroy(store);
}

// a moment of 4 N m lifts the right corner; the left one sticks: two equations
static void block_tips(void** state)
{
    (void)state;
    const double b[2] = {step * (-gravity - l * 4.0 / inertia),
                         step * (2.0 / mass + h * 4.0 / inertia)};
    const double W[3] = {1.0 / mass + l * l / inertia, -l * h / inertia,
                         1.0 / mass + h * h / inertia};
    const double det = W[0] * W[2] - W[1] * W[1];
    const double r[4] = {(-b[0] * W[2] + b[1] * W[1]) / det, (b[0] * W[1] - b[1] * W[0]) / det, 0.0,
                         0.0};
    double u[4];
    test_greater(r[0], 0.0);
    test_less(fabs(r[1]), mu * r[0]);
    SticProblemStore* store = read_shipped("block-tips.dat");
    assert_solves(stic_problem_view(store), r, u);
    test_greater(u[2], 0.0);
    stic_problem_destroy(store);
}

#ifdef STIC_HAVE_HDF5

// velocities of the boxes when all turn about the origin of the ground like one body
static void rigid_motion(const double v[3], const double omega[3], double* velocity)
{
    for (int box = 0; box < 5; ++box) {
        const double x[3] = {0.0, 0.0, 0.1 * box + 0.05};
        for (int k = 0; k < 3; ++k) {
            const int a = (k + 1) % 3, b = (k + 2) % 3;
            velocity[6 * box + k] = v[k] + omega[a] * x[b] - omega[b] * x[a];
            velocity[6 * box + 3 + k] = omega[k];
        }
    }
}

static void stack_moves_as_a_stack(void** state)
{
    (void)state;
    SticProblemStore* store = read_shipped("stack.h5");
    const SticProblem* problem = stic_problem_view(store);
    assert_int_equal(problem->count, 20);
    assert_int_equal(problem->dof, 30);
    const double v[3] = {0.3, -0.2, 0.7}, omega[3] = {0.5, 0.4, -0.6};
    double velocity[30], u[60];
    rigid_motion(v, omega, velocity);
    stic_block_csr_multiply(1.0, problem->Ht, velocity, 0.0, u);
    for (int i = 0; i < 20; ++i) {
        // on the ground the velocity of the corner, normal first; between boxes nothing
        const int corner = i % 4;
        const double x = corner < 2 ? -0.1 : 0.1, y = corner % 2 == 0 ? -0.1 : 0.1;
        const double point[3] = {v[2] + omega[0] * y - omega[1] * x, v[0] - omega[2] * y,
                                 v[1] + omega[2] * x};
        for (int k = 0; k < 3; ++k)
            test_less(fabs(u[3 * i + k] - (i < 4 ? point[k] : 0.0)), 1e-15);
        test_equal(problem->coef[i][0], 0.5);
    }
    // masses, weight along and across the slope, push of the middle box
    double M[900];
    stic_block_csr_to_dense(problem->M->A, M);
    const double slope = acos(-1.0) / 18.0, impulse = 8.0 * 9.81 * 0.001;
    for (int box = 0; box < 5; ++box) {
        const double* f = problem->f + 6 * box;
        test_equal(M[31 * 6 * box], 8.0);
        test_less(fabs(M[31 * (6 * box + 5)] - 8.0 / 12.0 * 0.08), 1e-16);
        test_less(fabs(f[0] - impulse * sin(slope)), 1e-16);
        test_less(fabs(f[2] + impulse * cos(slope)), 1e-16);
        test_less(fabs(f[1] - (box == 2 ? 1.6 : 0.0)), 1e-15);
    }
    stic_problem_destroy(store);
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_has_the_published_matrix),
        cmocka_unit_test(block_sticks),
        cmocka_unit_test(block_slides),
        cmocka_unit_test(block_tips),
#ifdef STIC_HAVE_HDF5
        cmocka_unit_test(stack_moves_as_a_stack),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

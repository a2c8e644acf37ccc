// SPDX-License-Identifier: Apache-2.0
// Accelerations under redundant conditions with sliding friction: conditions and equations of
// motion hold, and the forces are the least of all, also where forces without a part along the
// redundancy do not exist. The null space is found here by elimination.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "helpers/helpers.h"
#include "step/saddle.h"

enum { DOF = 6, ROWS = 5 };

typedef struct Case {
    double mass[DOF], P[ROWS][DOF], H[ROWS][DOF], T[ROWS][DOF], f[DOF], w[ROWS];
    double y[ROWS], z[ROWS], E[ROWS]; // left and right null vectors of W, squares of its diagonal
} Case;

// conditions of which the last repeats the others, and friction of mu along other directions
static void make(uint64_t seed, double mu, Case* c)
{
    double a[DOF];
    SticRandom random = stic_random_create(seed);
    for (int k = 0; k < DOF; ++k) {
        c->mass[k] = 0.5 + stic_random_uniform(&random);
        c->f[k] = stic_random_uniform(&random) - 0.5;
        a[k] = stic_random_uniform(&random) - 0.5;
    }
    memset(c->P, 0, sizeof c->P);
    for (int r = 0; r < ROWS; ++r) {
        c->y[r] = r + 1 < ROWS ? 2.0 * stic_random_uniform(&random) - 1.0 : -1.0;
        for (int k = 0; k < DOF; ++k) {
            if (r + 1 < ROWS)
                c->P[r][k] = 2.0 * stic_random_uniform(&random) - 1.0;
            c->T[r][k] = 2.0 * stic_random_uniform(&random) - 1.0;
        }
    }
    for (int r = 0; r + 1 < ROWS; ++r)
        for (int k = 0; k < DOF; ++k)
            c->P[ROWS - 1][k] += c->y[r] * c->P[r][k];
    for (int r = 0; r < ROWS; ++r) {
        c->w[r] = c->E[r] = 0.0;
        for (int k = 0; k < DOF; ++k) {
            c->H[r][k] = c->P[r][k] + mu * c->T[r][k];
            c->w[r] -= c->P[r][k] * a[k];
            c->E[r] += c->P[r][k] * c->P[r][k] / c->mass[k];
        }
    }
}

// z of W z = 0 with the last entry 1; y . E z
static double find_null(Case* c)
{
    double W[ROWS - 1][ROWS];
    for (int r = 0; r + 1 < ROWS; ++r)
        for (int s = 0; s < ROWS; ++s) {
            W[r][s] = 0.0;
            for (int k = 0; k < DOF; ++k)
                W[r][s] += c->P[r][k] * c->H[s][k] / c->mass[k];
        }
    for (int p = 0; p + 1 < ROWS; ++p) {
        int best = p;
        for (int r = p; r + 1 < ROWS; ++r)
            best = fabs(W[r][p]) > fabs(W[best][p]) ? r : best;
        for (int s = 0; s < ROWS; ++s) {
            const double keep = W[p][s];
            W[p][s] = W[best][s];
            W[best][s] = keep;
        }
        for (int r = 0; r + 1 < ROWS; ++r) {
            const double part = W[r][p] / W[p][p];
            for (int s = 0; r != p && s < ROWS; ++s)
                W[r][s] -= part * W[p][s];
        }
    }
    double sum = 0.0;
    for (int r = 0; r < ROWS; ++r) {
        c->z[r] = r + 1 < ROWS ? -W[r][ROWS - 1] / W[r][r] : 1.0;
        sum += c->y[r] * c->E[r] * c->z[r];
    }
    return sum;
}

static void solve(SticArena* arena, const Case* c, double a[DOF], double lambda[ROWS])
{
    static const int32_t one[2] = {0, 1}, dof[2] = {0, DOF}, zero[ROWS] = {0};
    static const int64_t start = 0;
    int32_t begin[ROWS + 1];
    int64_t at[ROWS];
    double M[DOF * DOF] = {0.0}, inverse[DOF * DOF] = {0.0};
    for (int k = 0; k < DOF; ++k) {
        M[k * DOF + k] = c->mass[k];
        inverse[k * DOF + k] = 1.0 / c->mass[k];
    }
    for (int r = 0; r <= ROWS; ++r)
        begin[r] = r;
    for (int r = 0; r < ROWS; ++r)
        at[r] = (int64_t)r * DOF;
    const SticBlockCsr A = {1, 1, dof, dof, one, zero, &start, M};
    const SticBlockCsr B = {1, 1, dof, dof, one, zero, &start, inverse};
    const SticBlockCsr Ht = {ROWS, 1, begin, dof, begin, zero, at, c->H[0]};
    const SticBlockCsr Pt = {ROWS, 1, begin, dof, begin, zero, at, c->P[0]};
    const SticMass mass = {.kind = STIC_MASS_BLOCKS, .A = &A, .inverse = &B};
    SticSaddle* saddle = NULL;
    assert_int_equal(stic_saddle_create(arena, &mass, &Ht, &Pt, &saddle), STIC_OK);
    stic_saddle_solve(saddle, c->f, c->w, a, lambda);
}

// largest errors of conditions, motion and of "least", in parts of what they consist of
static void check(SticArena* arena, uint64_t seed, double mu, double limit)
{
    Case c;
    double a[DOF], lambda[ROWS], broken = 0.0, moved = 0.0, least = 0.0, size = 0.0;
    make(seed, mu, &c);
    const double angle = find_null(&c);
    solve(arena, &c, a, lambda);
    for (int r = 0; r < ROWS; ++r) {
        double sum = c.w[r], F = 0.0;
        for (int k = 0; k < DOF; ++k) {
            sum += c.P[r][k] * a[k];
            F += c.H[r][k] * c.H[r][k] / c.mass[k];
        }
        broken = fmax(broken, fabs(sum));
        // forces are least in the norm F = diag(H_i' M^-1 H_i)
        least += c.z[r] * F * lambda[r];
        size += fabs(c.z[r] * F * lambda[r]);
    }
    for (int k = 0; k < DOF; ++k) {
        double sum = c.f[k] - c.mass[k] * a[k];
        for (int r = 0; r < ROWS; ++r)
            sum += c.H[r][k] * lambda[r];
        moved = fmax(moved, fabs(sum));
    }
    printf("mu = %-8.5f y.E z = %9.1e: conditions %.1e, motion %.1e, least %.1e of %.1f\n", mu,
           angle, broken, moved, fabs(least), size);
    test_less(broken, limit);
    test_less(moved, limit);
    test_less(fabs(least), limit * size);
}

// the least friction at which y . E z = 0; 0: none up to 2
static double critical(uint64_t seed)
{
    Case c;
    double low = 0.0, high = 0.0, sign = 0.0;
    for (int k = 0; k <= 200 && high == 0.0; ++k) {
        make(seed, 0.01 * k, &c);
        const double now = find_null(&c);
        high = now * sign < 0.0 ? 0.01 * k : 0.0;
        low = high == 0.0 ? 0.01 * k : low;
        sign = high == 0.0 ? now : sign;
    }
    for (int k = 0; high > 0.0 && k < 60; ++k) {
        const double middle = 0.5 * (low + high);
        make(seed, middle, &c);
        if (find_null(&c) * sign > 0.0)
            low = middle;
        else
            high = middle;
    }
    // signs change at poles too
    make(seed, low, &c);
    return high > 0.0 && fabs(find_null(&c)) < 1e-10 ? low : 0.0;
}

static void test_least(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticArena* arena = NULL;
    int found = 0;
    assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
    for (uint64_t seed = 1; seed <= 40; ++seed) {
        const double mu = critical(seed);
        if (mu == 0.0)
            continue;
        ++found;
        check(arena, seed, 0.0, 1e-11);
        check(arena, seed, 0.5 * mu, 1e-11);
        check(arena, seed, mu, 1e-11);
        check(arena, seed, 1.5 * mu, 1e-11);
    }
    test_greater(found, 0);
    stic_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_least)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

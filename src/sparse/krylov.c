// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients and restarted GMRES on operators given by a function.
//
// CG: Hestenes and Stiefel 1952, preconditioned as in Saad, Iterative Methods for Sparse Linear
// Systems (2nd ed. 2003), algorithm 9.1; 4 vectors. GMRES(m): Saad, algorithm 6.9 with modified
// Gram-Schmidt, Givens rotations (section 6.5.3) and right preconditioning (algorithm 9.5), so that
// the residual it minimises is that of the system itself; m + 2 vectors.
// Both stop on their running residual, then recompute it; where the two disagree they go on from
// the recomputed one as long as that helps. Sums run in four lanes added at the end.
#include "sparse/sparse.h"
#include "stiction/extend/base.h"

#include <float.h>
#include <math.h>
#include <string.h>

SticKrylovSettings stic_krylov_default_settings(void)
{
    const SticKrylovSettings settings = {.tolerance = 1e-10, .max_iterations = 1000, .restart = 30};
    return settings;
}

void stic_block_csr_apply(const void* A, const double* x, double* y)
{
    stic_block_csr_multiply(1.0, A, x, 0.0, y);
}

static double dot(int32_t n, const double* x, const double* y)
{
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    int32_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (int32_t lane = 0; lane < 4; ++lane)
            sum[lane] += x[i + lane] * y[i + lane];
    for (; i < n; ++i)
        sum[i % 4] += x[i] * y[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// y += a x
static void add_scaled(int32_t n, double a, const double* x, double* y)
{
    for (int32_t i = 0; i < n; ++i)
        y[i] += a * x[i];
}

static void precondition(const SticLinearOperator* A, const double* x, double* y)
{
    if (A->precondition != NULL)
        A->precondition(A->precondition_self, x, y);
    else
        memcpy(y, x, (size_t)A->size * sizeof *y);
}

// residual = b - A x; gives its norm
static double recompute(const SticLinearOperator* A, const double* b, const double* x,
                        double* residual)
{
    A->apply(A->self, x, residual);
    for (int32_t i = 0; i < A->size; ++i)
        residual[i] = b[i] - residual[i];
    return sqrt(dot(A->size, residual, residual));
}

// one run of CG from the residual in work; ends at the target, the limit or a bad direction
static void run_cg(const SticLinearOperator* A, double target, int32_t limit, double* work,
                   double* x, SticKrylovInfo* info)
{
    const int32_t n = A->size;
    double *r = work, *z = r + n, *p = z + n, *q = p + n;
    precondition(A, r, z);
    memcpy(p, z, (size_t)n * sizeof *p);
    double rz = dot(n, r, z);
    while (info->iterations < limit) {
        A->apply(A->self, p, q);
        info->iterations += 1;
        const double curvature = dot(n, p, q);
        if (!(curvature > 0.0) || !(rz > 0.0)) {
            info->not_definite = true;
            return;
        }
        const double step = rz / curvature;
        add_scaled(n, step, p, x);
        add_scaled(n, -step, q, r);
        if (sqrt(dot(n, r, r)) <= target)
            return;
        precondition(A, r, z);
        const double before = rz;
        rz = dot(n, r, z);
        for (int32_t i = 0; i < n; ++i)
            p[i] = z[i] + rz / before * p[i];
    }
}

size_t stic_cg_work(int32_t size)
{
    STIC_ASSERT(size >= 0);
    return 4 * (size_t)size;
}

void stic_cg_solve(const SticLinearOperator* A, const double* b, const SticKrylovSettings* settings,
                   double* work, double* x, SticKrylovInfo* info)
{
    const double size = sqrt(dot(A->size, b, b)), target = settings->tolerance * size;
    memset(info, 0, sizeof *info);
    double norm = recompute(A, b, x, work);
    while (norm > target && info->iterations < settings->max_iterations && !info->not_definite) {
        const double before = norm;
        run_cg(A, target, settings->max_iterations, work, x, info);
        norm = recompute(A, b, x, work);
        // rounding keeps the two residuals apart: another run would not help
        if (!(norm < 0.5 * before))
            break;
    }
    info->residual = size > 0.0 ? norm / size : norm;
    info->solved = norm <= target;
}

// vectors and small arrays of GMRES inside the workspace
typedef struct Arnoldi {
    int32_t n, m;
    double* basis;  // m + 1 vectors
    double* z;      // one more
    double* H;      // column j at j * (m + 1): rotated Hessenberg matrix
    double *c, *s;  // rotations
    double* g;      // rotated right-hand side
    double* y;      // coefficients of the combination
    double largest; // largest |A v| seen, the scale of rounding
} Arnoldi;

static Arnoldi make_arnoldi(int32_t n, int32_t m, double* work)
{
    Arnoldi a = {.n = n, .m = m, .basis = work};
    a.z = a.basis + (size_t)(m + 1) * (size_t)n;
    a.H = a.z + n;
    a.c = a.H + (size_t)m * (size_t)(m + 1);
    a.s = a.c + m;
    a.g = a.s + m;
    a.y = a.g + m + 1;
    return a;
}

size_t stic_gmres_work(int32_t size, int32_t restart)
{
    STIC_ASSERT(size >= 0 && restart >= 0);
    const size_t n = (size_t)size, m = (size_t)restart;
    return (m + 2) * n + m * (m + 1) + 4 * m + 1;
}

// new direction j+1, orthogonal to the others; column j of H. False if there is none: what is left
// after subtracting the others is rounding
static bool extend_basis(const SticLinearOperator* A, Arnoldi* a, int32_t j)
{
    double* h = a->H + (size_t)j * (size_t)(a->m + 1);
    double* next = a->basis + (size_t)(j + 1) * (size_t)a->n;
    precondition(A, a->basis + (size_t)j * (size_t)a->n, a->z);
    A->apply(A->self, a->z, next);
    const double length = sqrt(dot(a->n, next, next));
    a->largest = length > a->largest ? length : a->largest;
    for (int32_t i = 0; i <= j; ++i) {
        const double* v = a->basis + (size_t)i * (size_t)a->n;
        h[i] = dot(a->n, v, next);
        add_scaled(a->n, -h[i], v, next);
    }
    h[j + 1] = sqrt(dot(a->n, next, next));
    // rounding of sums over n entries
    if (!(h[j + 1] > a->n * DBL_EPSILON * a->largest)) {
        h[j + 1] = 0.0;
        return false;
    }
    for (int32_t i = 0; i < a->n; ++i)
        next[i] /= h[j + 1];
    return true;
}

// apply the earlier rotations to column j, then one more that clears its last entry
static void rotate_column(const Arnoldi* a, int32_t j)
{
    double* h = a->H + (size_t)j * (size_t)(a->m + 1);
    for (int32_t i = 0; i < j; ++i) {
        const double upper = a->c[i] * h[i] + a->s[i] * h[i + 1];
        h[i + 1] = a->c[i] * h[i + 1] - a->s[i] * h[i];
        h[i] = upper;
    }
    const double length = sqrt(h[j] * h[j] + h[j + 1] * h[j + 1]);
    a->c[j] = length > 0.0 ? h[j] / length : 1.0;
    a->s[j] = length > 0.0 ? h[j + 1] / length : 0.0;
    h[j] = length;
    a->g[j + 1] = -a->s[j] * a->g[j];
    a->g[j] = a->c[j] * a->g[j];
}

// z = preconditioned combination of the first `count` directions
static void combine(const SticLinearOperator* A, const Arnoldi* a, int32_t count)
{
    double most = 0.0;
    for (int32_t i = 0; i < count; ++i) {
        const double pivot = a->H[(size_t)i * (size_t)(a->m + 1) + (size_t)i];
        most = pivot > most ? pivot : most;
    }
    for (int32_t i = count - 1; i >= 0; --i) {
        double sum = a->g[i];
        for (int32_t j = i + 1; j < count; ++j)
            sum -= a->H[(size_t)j * (size_t)(a->m + 1) + (size_t)i] * a->y[j];
        // a pivot that is rounding only means a singular operator: leave that direction out
        const double pivot = a->H[(size_t)i * (size_t)(a->m + 1) + (size_t)i];
        a->y[i] = pivot > a->n * DBL_EPSILON * most ? sum / pivot : 0.0;
    }
    memset(a->z, 0, (size_t)a->n * sizeof *a->z);
    for (int32_t j = 0; j < count; ++j)
        add_scaled(a->n, a->y[j], a->basis + (size_t)j * (size_t)a->n, a->z);
    precondition(A, a->z, a->basis);
    memcpy(a->z, a->basis, (size_t)a->n * sizeof *a->z);
}

// directions of one cycle from the residual in the first basis vector; gives their number
static int32_t run_cycle(const SticLinearOperator* A, Arnoldi* a, double norm, double target,
                         int32_t limit)
{
    for (int32_t i = 0; i < a->n; ++i)
        a->basis[i] /= norm;
    a->g[0] = norm;
    int32_t count = 0;
    bool more = true;
    while (more && count < a->m && count < limit && fabs(a->g[count]) > target) {
        more = extend_basis(A, a, count);
        rotate_column(a, count++);
    }
    return count;
}

void stic_gmres_solve(const SticLinearOperator* A, const double* b,
                      const SticKrylovSettings* settings, double* work, double* x,
                      SticKrylovInfo* info)
{
    Arnoldi a = make_arnoldi(A->size, settings->restart, work);
    const double size = sqrt(dot(A->size, b, b)), target = settings->tolerance * size;
    memset(info, 0, sizeof *info);
    double norm = recompute(A, b, x, a.basis);
    while (norm > target && info->iterations < settings->max_iterations) {
        const int32_t count =
            run_cycle(A, &a, norm, target, settings->max_iterations - info->iterations);
        info->iterations += count;
        combine(A, &a, count);
        add_scaled(a.n, 1.0, a.z, x);
        const double next = recompute(A, b, x, a.basis);
        // a cycle that gains nothing is undone; later ones would not gain either
        if (!(next < norm)) {
            add_scaled(a.n, -1.0, a.z, x);
            break;
        }
        norm = next;
    }
    info->residual = size > 0.0 ? norm / size : norm;
    info->solved = norm <= target;
}

// SPDX-License-Identifier: Apache-2.0
// Local solves off the fast path: bisection, quartic, projected steps, regularised blocks.
#include "solver/local.h"
#include "stiction/extend/base.h"

#include <string.h>

#include "math/math.h"

enum { MAX_ROWS = 6 };

/* ---- slip equation ---- */

// h(s) up to the positive factor |a|: mu P - |a|; n and t at s
static double slip_value(const SticSlip* slip, double s, double* n, double* t)
{
    const double A = slip->S[0] + s, B = slip->S[3] + s;
    const double a1 = B * slip->c[0] - slip->S[1] * slip->c[1];
    const double a2 = A * slip->c[1] - slip->S[2] * slip->c[0];
    const double d = A * B - slip->S[1] * slip->S[2];
    t[0] = -a1 / d;
    t[1] = -a2 / d;
    *n = slip->beta - slip->g[0] * t[0] - slip->g[1] * t[1];
    return slip->mu * (slip->beta * d + slip->g[0] * a1 + slip->g[1] * a2) -
           sqrt(a1 * a1 + a2 * a2);
}

void stic_slip_bisect(const SticSlip* slip, double* n, double* t)
{
    double low = 0.0, high = fabs(slip->S[0]) + fabs(slip->S[3]);
    // 2^60 times the block is beyond any friction coefficient that differs from 0
    for (int step = 0; step < 60 && !(slip_value(slip, high, n, t) > 0.0); ++step)
        high *= 2.0;
    for (int step = 0; step < 200; ++step) {
        const double middle = 0.5 * (low + high);
        if (middle <= low || middle >= high)
            break;
        if (slip_value(slip, middle, n, t) > 0.0)
            high = middle;
        else
            low = middle;
    }
    slip_value(slip, high, n, t);
    // in any case the result is in the cone
    const double length = sqrt(t[0] * t[0] + t[1] * t[1]);
    if (!(*n > 0.0) || !isfinite(length)) {
        *n = slip->beta;
        t[0] = t[1] = 0.0;
    } else if (length > slip->mu * *n) {
        t[0] *= slip->mu * *n / length;
        t[1] *= slip->mu * *n / length;
    }
}

int32_t stic_slip_roots(const SticSlip* slip, double n[4], double t[4][2])
{
    const double* S = slip->S;
    const double* c = slip->c;
    // a(s) = a + c s and P(s) = p0 + p1 s + beta s^2
    const double a1 = S[3] * c[0] - S[1] * c[1], a2 = S[0] * c[1] - S[2] * c[0];
    const double ga = slip->g[0] * a1 + slip->g[1] * a2;
    const double gc = slip->g[0] * c[0] + slip->g[1] * c[1];
    const double p0 = slip->beta * (S[0] * S[3] - S[1] * S[2]) + ga;
    const double p1 = slip->beta * (S[0] + S[3]) + gc, p2 = slip->beta;
    const double mu2 = slip->mu * slip->mu;
    const double quartic[5] = {mu2 * p0 * p0 - (a1 * a1 + a2 * a2),
                               2.0 * (mu2 * p0 * p1 - (a1 * c[0] + a2 * c[1])),
                               mu2 * (p1 * p1 + 2.0 * p0 * p2) - (c[0] * c[0] + c[1] * c[1]),
                               2.0 * mu2 * p1 * p2, mu2 * p2 * p2};
    double roots[4];
    int32_t found = 0;
    const int32_t count = stic_polynomial_roots(4, quartic, 0.0, INFINITY, roots);
    // squaring added the roots with P < 0
    for (int32_t k = 0; k < count; ++k) {
        if (p0 + roots[k] * (p1 + roots[k] * p2) <= 0.0)
            continue;
        slip_value(slip, roots[k], &n[found], t[found]);
        found += n[found] > 0.0 && isfinite(n[found]);
    }
    return found;
}

bool stic_slip_quartic(const SticSlip* slip, double* n, double* t)
{
    double all_n[4], all_t[4][2];
    if (stic_slip_roots(slip, all_n, all_t) == 0)
        return false;
    *n = all_n[0];
    memcpy(t, all_t[0], sizeof all_t[0]);
    return true;
}

/* ---- blocks ---- */

// smallest pivot of LDL' of the symmetric part, relative to its diagonal entry
static double smallest_pivot(const double* D, int32_t n)
{
    double L[MAX_ROWS][MAX_ROWS], d[MAX_ROWS], least = 1.0;
    for (int32_t j = 0; j < n; ++j) {
        d[j] = D[j * n + j];
        for (int32_t k = 0; k < j; ++k) {
            L[j][k] = 0.5 * (D[j * n + k] + D[k * n + j]);
            for (int32_t m = 0; m < k; ++m)
                L[j][k] -= L[j][m] * d[m] * L[k][m];
            L[j][k] = d[k] != 0.0 ? L[j][k] / d[k] : 0.0;
            d[j] -= L[j][k] * L[j][k] * d[k];
        }
        const double relative = D[j * n + j] > 0.0 ? d[j] / D[j * n + j] : 0.0;
        least = relative < least ? relative : least;
    }
    return least;
}

bool stic_local_block(const double* W_ii, int32_t rows, double* D)
{
    STIC_ASSERT(rows >= 1 && rows <= 6);
    memcpy(D, W_ii, (size_t)(rows * rows) * sizeof *D);
    double trace = 0.0;
    for (int32_t a = 0; a < rows; ++a)
        trace += W_ii[a * rows + a];
    if (!(W_ii[0] > 0.0) || !isfinite(trace))
        return false;
    // half of the digits: large enough to solve with, small enough not to slow down the iteration
    if (smallest_pivot(W_ii, rows) < 1e-10)
        for (int32_t a = 0; a < rows; ++a)
            D[a * rows + a] += 1e-8 * trace / rows;
    return true;
}

SticContactBlock stic_local_contact(const double* D, double mu)
{
    STIC_ASSERT(mu >= 0.0);
    SticContactBlock block = {.mu = mu, .accuracy = stic_slip_exact, .inverse_NN = 1.0 / D[0]};
    memcpy(block.D, D, sizeof block.D);
    const double g1 = D[1] * block.inverse_NN, g2 = D[2] * block.inverse_NN;
    const double S11 = D[4] - D[3] * g1, S12 = D[5] - D[3] * g2;
    const double S21 = D[7] - D[6] * g1, S22 = D[8] - D[6] * g2;
    block.inverse_det = 1.0 / (S11 * S22 - S12 * S21);
    return block;
}

/* ---- projected steps ---- */

void stic_local_iterate(const SticLawBlock* block, const double rho[3], const double* D,
                        const double* q, SticLocalLimits limits, double* r)
{
    const int32_t n = block->rows;
    double scale = 1.0, first = 0.0, last = INFINITY;
    for (int32_t step = 0; step < limits.iterations; ++step) {
        const double lengths[3] = {scale * rho[0], scale * rho[1], scale * rho[2]};
        double u[MAX_ROWS], p[MAX_ROWS], change = 0.0;
        for (int32_t a = 0; a < n; ++a) {
            u[a] = q[a];
            for (int32_t k = 0; k < n; ++k)
                u[a] += D[a * n + k] * r[k];
        }
        stic_law_step(block, lengths, u, r, p);
        for (int32_t a = 0; a < n; ++a)
            change += (p[a] - r[a]) * (p[a] - r[a]);
        memcpy(r, p, (size_t)n * sizeof *r);
        change = sqrt(change);
        // coupling between the groups can make the full lengths too long
        if (change > 0.95 * last && scale > 0.1)
            scale *= 0.7;
        first = step == 0 ? change : first;
        last = change;
        if (change <= limits.tolerance * first)
            break;
    }
}

// SPDX-License-Identifier: Apache-2.0
// Exact solution of one contact with Coulomb friction: find r with u = D r + q and
// K* ∋ u + mu |u_T| n ⊥ r ∈ K, D = W_ii (rows N, T1, T2), everything else frozen in q.
//
//   open   q_N >= 0:  r = 0
//   else   eliminate r_N with u_N = 0:   beta = -q_N/D_NN,  g = D_NT/D_NN,  n(t) = beta - g t,
//          S = D_TT - D_TN g,  c = q_T - D_TN q_N/D_NN,  so that u_T = c + S t
//   stick  t = -S^-1 c,  if |t| <= mu n(t)
//   slip   u_T = -s t with s > 0:  (S + s I) t = -c  and  |t| = mu n(t), one equation for s.
//          With a(s) = adj(S + s I) c and d(s) = det(S + s I), both polynomials, t = -a/d and
//              h(s) = mu P(s)/|a(s)| - 1 = 0,    P = beta d + g a = n d.
//          h < 0 at s = 0 where stick fails, and h grows like s for large s: a root exists wherever
//          S + s I is regular for s >= 0. h is exactly linear for S a multiple of I and g = 0, and
//          nearly so elsewhere: Newton from 0 takes 1 to 4 steps.
//   Steps that leave the bracket of the root are replaced by halving it; if the iteration does not
//   settle, bisection takes over, which is counted.
//
// No rotation of the tangents is needed: the 2 x 2 adjugate costs less than rotating, and D need
// not be symmetric. The same equation as a quartic, mu^2 P^2 = |a|^2, is in local.c.
#ifndef STIC_SOLVER_LOCAL_CONTACT_H
#define STIC_SOLVER_LOCAL_CONTACT_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/// The slip equation of one contact: S by rows, c, beta, g, mu as above.
typedef struct SticSlip {
    double S[4];
    double c[2];
    double beta;
    double g[2];
    double mu;
    double accuracy; ///< relative step at which Newton's method ends; the error left is its square
} SticSlip;

/// For callers that want r as exact as possible.
static const double stic_slip_exact = 1e-9;

/// Fallback where Newton's method fails: bisection on h; local.c.
void stic_slip_bisect(const SticSlip* slip, double* n, double* t);
/// All solutions of the slip equation with n > 0, through the quartic, by growing s; how many, at
/// most 4; local.c.
int32_t stic_slip_roots(const SticSlip* slip, double n[4], double t[4][2]);
/// The first of them; false if there is none; local.c.
bool stic_slip_quartic(const SticSlip* slip, double* n, double* t);

// steps before bisection takes over; 2 to 6 are typical
enum { STIC_SLIP_STEPS = 30 };

/// Newton for the slip equation inside a bracket of the root; n, t and whether it settled.
static inline bool stic_slip_newton(const SticSlip* slip, double* n, double* t)
{
    const double S11 = slip->S[0], S12 = slip->S[1], S21 = slip->S[2], S22 = slip->S[3];
    const double c1 = slip->c[0], c2 = slip->c[1], g1 = slip->g[0], g2 = slip->g[1];
    const double scale = S11 + S22, gc = g1 * c1 + g2 * c2;
    double s = 0.0, low = 0.0, high = INFINITY;
    for (int step = 0; step < STIC_SLIP_STEPS; ++step) {
        const double A = S11 + s, B = S22 + s;
        const double a1 = B * c1 - S12 * c2, a2 = A * c2 - S21 * c1;
        const double P = slip->beta * (A * B - S12 * S21) + g1 * a1 + g2 * a2;
        const double square = a1 * a1 + a2 * a2;
        const double h = slip->mu * P - sqrt(square);
        const double slope =
            slip->mu * (slip->beta * (A + B) + gc - P * ((a1 * c1 + a2 * c2) / square));
        const double next = s - h / slope;
        // quadratic convergence: the error left behind is the square of this step
        if (fabs(next - s) <= slip->accuracy * (scale + s)) {
            const double e1 = S11 + next, e2 = S22 + next;
            const double inverse = 1.0 / (e1 * e2 - S12 * S21);
            t[0] = -(e2 * c1 - S12 * c2) * inverse;
            t[1] = -(e1 * c2 - S21 * c1) * inverse;
            *n = slip->beta - g1 * t[0] - g2 * t[1];
            return *n > 0.0;
        }
        if (h < 0.0)
            low = s;
        else
            high = s;
        // outside the bracket, or not a number: halve it, or look further out
        s = next > low && next < high ? next
            : high < INFINITY         ? 0.5 * (low + high)
                                      : 2.0 * low + scale;
    }
    return false;
}

/// The parts of D a visit needs, prepared once; entries of D as in the file's head.
typedef struct SticContactBlock {
    double mu;
    double accuracy;    ///< of the slip equation
    double inverse_NN;  ///< 1 / D_NN
    double inverse_det; ///< 1 / det S
    double D[9];
} SticContactBlock;

/// Solve one contact: r from q. Returns 1 if the second choice was needed, else 0. `quartic` asks
/// for the quartic first.
static inline int stic_local_contact_solve(const SticContactBlock* block, const double q[3],
                                           bool quartic, double r[3])
{
    r[0] = r[1] = r[2] = 0.0;
    if (q[0] >= 0.0)
        return 0;
    const double* D = block->D;
    const double beta = -q[0] * block->inverse_NN;
    const double g1 = D[1] * block->inverse_NN, g2 = D[2] * block->inverse_NN;
    const double S11 = D[4] - D[3] * g1, S12 = D[5] - D[3] * g2;
    const double S21 = D[7] - D[6] * g1, S22 = D[8] - D[6] * g2;
    const double c1 = q[1] + D[3] * beta, c2 = q[2] + D[6] * beta;
    const double t1 = -(S22 * c1 - S12 * c2) * block->inverse_det;
    const double t2 = -(S11 * c2 - S21 * c1) * block->inverse_det;
    const double n = beta - g1 * t1 - g2 * t2;
    const double limit = block->mu * n;
    if (limit >= 0.0 && t1 * t1 + t2 * t2 <= limit * limit) {
        r[0] = n;
        r[1] = t1;
        r[2] = t2;
        return 0;
    }
    if (block->mu <= 0.0) {
        r[0] = beta;
        return 0;
    }
    const SticSlip slip = {.S = {S11, S12, S21, S22},
                           .c = {c1, c2},
                           .beta = beta,
                           .g = {g1, g2},
                           .mu = block->mu,
                           .accuracy = block->accuracy};
    if (quartic && stic_slip_quartic(&slip, &r[0], &r[1]))
        return 0;
    if (stic_slip_newton(&slip, &r[0], &r[1]))
        return quartic ? 1 : 0;
    stic_slip_bisect(&slip, &r[0], &r[1]);
    return 1;
}

/// Solve one planar contact, D = [D_NN D_NT; D_TN D_TT] by rows: closed form, since t(s) keeps its
/// sign. `inverse_NN` = 1/D[0].
static inline void stic_local_contact_solve_planar(double mu, double inverse_NN, const double D[4],
                                                   const double q[2], double r[2])
{
    r[0] = r[1] = 0.0;
    if (q[0] >= 0.0)
        return;
    const double beta = -q[0] * inverse_NN, g = D[1] * inverse_NN;
    const double S = D[3] - D[2] * g, c = q[1] + D[2] * beta;
    const double stick = -c / S, n = beta - g * stick;
    if (fabs(stick) <= mu * n) {
        r[0] = n;
        r[1] = stick;
        return;
    }
    // slip against c: t = side mu n in n = beta - g t
    const double side = c > 0.0 ? -1.0 : 1.0;
    const double lean = 1.0 + side * mu * g;
    r[0] = lean > 0.0 ? beta / lean : beta;
    r[1] = side * mu * r[0];
}

#endif

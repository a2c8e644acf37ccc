// SPDX-License-Identifier: Apache-2.0
// Visits of packs. Included by one file per instruction set, which defines PACK_TARGET, the
// attribute of every function, and PACK_AVX where intrinsics of AVX may be used.
//
// The operations of each lane are those of visit_records in sweep.c and of
// stic_local_contact_solve, in their order. Vector types and operators are those of gcc and clang;
// where the processor has narrower registers the compiler splits them, which changes no result.
#ifndef STIC_SOLVER_PACK_TEMPLATE_H
#define STIC_SOLVER_PACK_TEMPLATE_H

#include "solver/pack.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "solver/local_contact.h"

// vectors are handed over between functions of this file only, which are all inlined
#pragma GCC diagnostic ignored "-Wpsabi"

#define PACK_INLINE static inline __attribute__((always_inline)) PACK_TARGET

// all bits of a lane, or none
typedef int64_t Mask __attribute__((vector_size(32)));

PACK_INLINE SticLanes pick(Mask mask, SticLanes yes, SticLanes no)
{
    return (SticLanes)(((Mask)yes & mask) | ((Mask)no & ~mask));
}

PACK_INLINE bool any(Mask mask)
{
#ifdef PACK_AVX
    return _mm256_movemask_pd((__m256d)mask) != 0;
#else
    return (mask[0] | mask[1] | mask[2] | mask[3]) != 0;
#endif
}

PACK_INLINE SticLanes all(double x)
{
    return (SticLanes){x, x, x, x};
}

PACK_INLINE SticLanes root_of(SticLanes x)
{
#ifdef PACK_AVX
    return (SticLanes)_mm256_sqrt_pd((__m256d)x);
#else
    return (SticLanes){sqrt(x[0]), sqrt(x[1]), sqrt(x[2]), sqrt(x[3])};
#endif
}

PACK_INLINE SticLanes size_of(SticLanes x)
{
    return (SticLanes)((Mask)x & INT64_MAX);
}

/* ---- velocities ---- */

// rows into columns
PACK_INLINE void transpose(SticLanes x[4])
{
    const SticLanes a = __builtin_shufflevector(x[0], x[1], 0, 4, 2, 6);
    const SticLanes b = __builtin_shufflevector(x[0], x[1], 1, 5, 3, 7);
    const SticLanes c = __builtin_shufflevector(x[2], x[3], 0, 4, 2, 6);
    const SticLanes d = __builtin_shufflevector(x[2], x[3], 1, 5, 3, 7);
    x[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    x[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    x[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    x[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

// the eight places of four bodies: velocities, travel, one that nobody reads
PACK_INLINE void load(const double* v, const int32_t* at, SticLanes x[8])
{
    for (int k = 0; k < STIC_LANES; ++k) {
        x[k] = *(const SticLanes*)(v + at[k]);
        x[4 + k] = *(const SticLanes*)(v + at[k] + 4);
    }
    transpose(x);
    transpose(x + 4);
}

PACK_INLINE void store(SticLanes x[8], const int32_t* at, double* v)
{
    transpose(x);
    transpose(x + 4);
    for (int k = 0; k < STIC_LANES; ++k) {
        *(SticLanes*)(v + at[k]) = x[k];
        *(SticLanes*)(v + at[k] + 4) = x[4 + k];
    }
}

enum { PACK_TRAVEL = 6 };

// u += H v in the two interleaved sums of stic_tile_add_36
PACK_INLINE void pull(const SticLanes H[18], const SticLanes* v, SticLanes u[3])
{
    for (int a = 0; a < 3; ++a) {
        const SticLanes* row = H + 6 * a;
        u[a] += (row[0] * v[0] + row[2] * v[2] + row[4] * v[4]) +
                (row[1] * v[1] + row[3] * v[3] + row[5] * v[5]);
    }
}

PACK_INLINE void push(const SticLanes H[18], const SticLanes dr[3], SticLanes* v)
{
    for (int c = 0; c < 6; ++c)
        v[c] += H[c] * dr[0] + H[6 + c] * dr[1] + H[12 + c] * dr[2];
}

/* ---- one contact per lane ---- */

// SticSlip in lanes
typedef struct Slips {
    SticLanes S11, S12, S21, S22, c1, c2, beta, g1, g2, mu;
    double accuracy;
} Slips;

// bisection, where Newton has not settled
static void bisect_lane(const Slips* slips, int k, SticLanes found[3])
{
    const SticSlip slip = {.S = {slips->S11[k], slips->S12[k], slips->S21[k], slips->S22[k]},
                           .c = {slips->c1[k], slips->c2[k]},
                           .beta = slips->beta[k],
                           .g = {slips->g1[k], slips->g2[k]},
                           .mu = slips->mu[k],
                           .accuracy = slips->accuracy};
    double n = 0.0, t[2] = {0.0, 0.0};
    stic_slip_bisect(&slip, &n, t);
    found[0][k] = n;
    found[1][k] = t[0];
    found[2][k] = t[1];
}

// stic_slip_newton in the lanes of `active`; those that did not settle are left in it
PACK_INLINE void slip_newton(const Slips* slip, Mask* active, SticLanes found[3])
{
    const SticLanes S11 = slip->S11, S12 = slip->S12, S21 = slip->S21, S22 = slip->S22;
    const SticLanes c1 = slip->c1, c2 = slip->c2, g1 = slip->g1, g2 = slip->g2;
    const SticLanes scale = S11 + S22, gc = g1 * c1 + g2 * c2, far = all(INFINITY);
    SticLanes s = all(0.0), low = s, high = far;
    Mask going = *active, failed = {0};
    for (int step = 0; step < STIC_SLIP_STEPS && any(going); ++step) {
        const SticLanes A = S11 + s, B = S22 + s;
        const SticLanes a1 = B * c1 - S12 * c2, a2 = A * c2 - S21 * c1;
        const SticLanes P = slip->beta * (A * B - S12 * S21) + g1 * a1 + g2 * a2;
        const SticLanes square = a1 * a1 + a2 * a2;
        const SticLanes h = slip->mu * P - root_of(square);
        const SticLanes slope =
            slip->mu * (slip->beta * (A + B) + gc - P * ((a1 * c1 + a2 * c2) / square));
        const SticLanes next = s - h / slope;
        const Mask settled = going & (size_of(next - s) <= slip->accuracy * (scale + s));
        if (any(settled)) {
            const SticLanes e1 = S11 + next, e2 = S22 + next;
            const SticLanes inverse = 1.0 / (e1 * e2 - S12 * S21);
            const SticLanes t1 = -(e2 * c1 - S12 * c2) * inverse;
            const SticLanes t2 = -(e1 * c2 - S21 * c1) * inverse;
            const SticLanes n = slip->beta - g1 * t1 - g2 * t2;
            found[0] = pick(settled, n, found[0]);
            found[1] = pick(settled, t1, found[1]);
            found[2] = pick(settled, t2, found[2]);
            failed |= settled & ~(n > 0.0);
            going &= ~settled;
        }
        const Mask below = h < 0.0;
        low = pick(below, s, low);
        high = pick(below, high, s);
        const SticLanes out = pick(high < far, 0.5 * (low + high), 2.0 * low + scale);
        s = pick((next > low) & (next < high), next, out);
    }
    *active = going | failed;
}

// stic_local_contact_solve in lanes; how many needed their second choice
PACK_INLINE int solve(const SticPack* pack, const SticLanes q[3], double accuracy,
                      SticLanes found[3])
{
    const SticLanes* D = pack->D;
    const SticLanes beta = -q[0] * pack->inverse_NN;
    const SticLanes g1 = D[1] * pack->inverse_NN, g2 = D[2] * pack->inverse_NN;
    const SticLanes S11 = D[3] - D[1] * g1, S12 = D[4] - D[1] * g2;
    const SticLanes S21 = D[4] - D[2] * g1, S22 = D[5] - D[2] * g2;
    const SticLanes c1 = q[1] + D[1] * beta, c2 = q[2] + D[2] * beta;
    const SticLanes t1 = -(S22 * c1 - S12 * c2) * pack->inverse_det;
    const SticLanes t2 = -(S11 * c2 - S21 * c1) * pack->inverse_det;
    const SticLanes n = beta - g1 * t1 - g2 * t2;
    const SticLanes limit = pack->mu * n;
    // comparisons with NaN are false, as in the visit of a single contact
    const Mask loaded = ~(q[0] >= 0.0);
    const Mask sticks = (limit >= 0.0) & (t1 * t1 + t2 * t2 <= limit * limit);
    const Mask stuck = loaded & sticks;
    found[0] = (SticLanes)((Mask)n & stuck);
    found[1] = (SticLanes)((Mask)t1 & stuck);
    found[2] = (SticLanes)((Mask)t2 & stuck);
    const Mask slips = loaded & ~sticks;
    if (!any(slips))
        return 0;
    const Mask smooth = slips & (pack->mu <= 0.0);
    Mask active = slips & ~smooth;
    found[0] = pick(smooth, beta, found[0]);
    const Slips slip = {S11, S12, S21, S22, c1, c2, beta, g1, g2, pack->mu, accuracy};
    slip_newton(&slip, &active, found);
    int fallbacks = 0;
    for (int k = 0; k < STIC_LANES; ++k)
        if (active[k] != 0) {
            bisect_lane(&slip, k, found);
            fallbacks += 1;
        }
    return fallbacks;
}

/* ---- the visit ---- */

// see note_travel of sweep.c
PACK_INLINE void note_lanes(SticPack* pack, SticLanes energy, SticLanes u_N, SticLanes* va,
                            SticLanes* vb)
{
    const SticLanes travel = va[PACK_TRAVEL] + vb[PACK_TRAVEL], zero = all(0.0);
    const SticLanes way = root_of(pick(energy > zero, energy, zero));
    va[PACK_TRAVEL] += way;
    vb[PACK_TRAVEL] += way * pack->two;
    Mask open = energy == zero;
    for (int a = 0; a < 3; ++a)
        open &= (pack->r[a] == zero) & (pack->before[a] == zero);
    pack->idle = (SticLanes)((Mask)(travel + 0.99 * u_N * pack->root) & open);
}

PACK_INLINE void visit(SticPack* pack, const SticPackVisit* how, SticLanes sum[2],
                       int64_t* fallbacks)
{
    SticLanes va[8], vb[8], u[3], r[3], q[3], found[3], dr[3];
    load(how->v, pack->body[0], va);
    load(how->v, pack->body[1], vb);
    if (!any(~(va[PACK_TRAVEL] + vb[PACK_TRAVEL] < pack->idle)))
        return;
    for (int a = 0; a < 3; ++a) {
        u[a] = pack->w[a];
        r[a] = pack->r[a] + how->beta * (pack->r[a] - pack->before[a]);
        pack->before[a] = pack->r[a];
    }
    pull(pack->H[0], va, u);
    pull(pack->H[1], vb, u);
    const SticLanes* d = pack->D;
    q[0] = u[0] - (d[0] * r[0] + d[1] * r[1] + d[2] * r[2]);
    q[1] = u[1] - (d[1] * r[0] + d[3] * r[1] + d[4] * r[2]);
    q[2] = u[2] - (d[2] * r[0] + d[4] * r[1] + d[5] * r[2]);
    *fallbacks += solve(pack, q, how->accuracy, found);
    for (int a = 0; a < 3; ++a) {
        dr[a] = how->omega * (found[a] - r[a]);
        pack->r[a] = r[a] + dr[a];
    }
    push(pack->H[0], dr, va);
    push(pack->H[1], dr, vb);
    const SticLanes energy = d[0] * dr[0] * dr[0] + d[3] * dr[1] * dr[1] + d[5] * dr[2] * dr[2] +
                             2.0 * (dr[0] * (d[1] * dr[1] + d[2] * dr[2]) + d[4] * dr[1] * dr[2]);
    sum[0] += d[0] * d[0] * (dr[0] * dr[0] + dr[1] * dr[1] + dr[2] * dr[2]);
    sum[1] += energy;
    if (how->idles)
        note_lanes(pack, energy, q[0], va, vb);
    store(va, pack->body[0], how->v);
    store(vb, pack->body[1], how->v);
}

static PACK_TARGET void visit_packs(SticPack* pack, int32_t count, int32_t step,
                                    const SticPackVisit* how, SticPackChange* change)
{
    SticLanes sum[2] = {all(0.0), all(0.0)};
    for (int32_t k = 0; k < count; ++k, pack += step)
        visit(pack, how, sum, &change->fallbacks);
    for (int lane = 0; lane < STIC_LANES; ++lane) {
        change->square += sum[0][lane];
        change->energy += sum[1][lane];
    }
}

#endif

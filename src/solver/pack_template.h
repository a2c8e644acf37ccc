// SPDX-License-Identifier: Apache-2.0
// Visits of packs. Included by one file per instruction set, which defines LANES_TARGET, the
// attribute of every function, and LANES_AVX where intrinsics of AVX may be used.
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

#include "math/lanes.h"
#include "solver/local_contact.h"

/* ---- velocities ---- */

// the eight places of four bodies: velocities, travel, one that nobody reads
LANES_INLINE void load(const double* v, const int32_t* at, SticLanes x[8])
{
    for (int k = 0; k < STIC_LANES; ++k) {
        x[k] = *(const SticLanes*)(v + at[k]);
        x[4 + k] = *(const SticLanes*)(v + at[k] + 4);
    }
    lanes_transpose(x);
    lanes_transpose(x + 4);
}

LANES_INLINE void store(SticLanes x[8], const int32_t* at, double* v)
{
    lanes_transpose(x);
    lanes_transpose(x + 4);
    for (int k = 0; k < STIC_LANES; ++k) {
        *(SticLanes*)(v + at[k]) = x[k];
        *(SticLanes*)(v + at[k] + 4) = x[4 + k];
    }
}

enum { PACK_TRAVEL = 6 };

// u += H v in the two interleaved sums of stic_tile_add_36
LANES_INLINE void pull(const SticLanes H[18], const SticLanes* v, SticLanes u[3])
{
    for (int a = 0; a < 3; ++a) {
        const SticLanes* row = H + 6 * a;
        u[a] += (row[0] * v[0] + row[2] * v[2] + row[4] * v[4]) +
                (row[1] * v[1] + row[3] * v[3] + row[5] * v[5]);
    }
}

LANES_INLINE void push(const SticLanes H[18], const SticLanes dr[3], SticLanes* v)
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
LANES_INLINE void slip_newton(const Slips* slip, SticLaneMask* active, SticLanes found[3])
{
    const SticLanes S11 = slip->S11, S12 = slip->S12, S21 = slip->S21, S22 = slip->S22;
    const SticLanes c1 = slip->c1, c2 = slip->c2, g1 = slip->g1, g2 = slip->g2;
    const SticLanes scale = S11 + S22, gc = g1 * c1 + g2 * c2, far = lanes_all(INFINITY);
    SticLanes s = lanes_all(0.0), low = s, high = far;
    SticLaneMask going = *active, failed = {0};
    for (int step = 0; step < STIC_SLIP_STEPS && lanes_any(going); ++step) {
        const SticLanes A = S11 + s, B = S22 + s;
        const SticLanes a1 = B * c1 - S12 * c2, a2 = A * c2 - S21 * c1;
        const SticLanes P = slip->beta * (A * B - S12 * S21) + g1 * a1 + g2 * a2;
        const SticLanes square = a1 * a1 + a2 * a2;
        const SticLanes h = slip->mu * P - lanes_root(square);
        const SticLanes slope =
            slip->mu * (slip->beta * (A + B) + gc - P * ((a1 * c1 + a2 * c2) / square));
        const SticLanes next = s - h / slope;
        const SticLaneMask settled = going & (lanes_abs(next - s) <= slip->accuracy * (scale + s));
        if (lanes_any(settled)) {
            const SticLanes e1 = S11 + next, e2 = S22 + next;
            const SticLanes inverse = 1.0 / (e1 * e2 - S12 * S21);
            const SticLanes t1 = -(e2 * c1 - S12 * c2) * inverse;
            const SticLanes t2 = -(e1 * c2 - S21 * c1) * inverse;
            const SticLanes n = slip->beta - g1 * t1 - g2 * t2;
            found[0] = lanes_pick(settled, n, found[0]);
            found[1] = lanes_pick(settled, t1, found[1]);
            found[2] = lanes_pick(settled, t2, found[2]);
            failed |= settled & ~(n > 0.0);
            going &= ~settled;
        }
        const SticLaneMask below = h < 0.0;
        low = lanes_pick(below, s, low);
        high = lanes_pick(below, high, s);
        const SticLanes out = lanes_pick(high < far, 0.5 * (low + high), 2.0 * low + scale);
        s = lanes_pick((next > low) & (next < high), next, out);
    }
    *active = going | failed;
}

// stic_local_contact_solve in lanes; how many needed their second choice
LANES_INLINE int solve(const SticPack* pack, const SticLanes q[3], double accuracy,
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
    const SticLaneMask loaded = ~(q[0] >= 0.0);
    const SticLaneMask sticks = (limit >= 0.0) & (t1 * t1 + t2 * t2 <= limit * limit);
    const SticLaneMask stuck = loaded & sticks;
    found[0] = (SticLanes)((SticLaneMask)n & stuck);
    found[1] = (SticLanes)((SticLaneMask)t1 & stuck);
    found[2] = (SticLanes)((SticLaneMask)t2 & stuck);
    const SticLaneMask slips = loaded & ~sticks;
    if (!lanes_any(slips))
        return 0;
    const SticLaneMask smooth = slips & (pack->mu <= 0.0);
    SticLaneMask active = slips & ~smooth;
    found[0] = lanes_pick(smooth, beta, found[0]);
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

// The same pack to read again: else the compiler keeps all of H on the stack between its two uses,
// which takes more instructions than reading it twice.
LANES_INLINE SticPack* again(SticPack* pack)
{
    __asm__("" : "+r"(pack));
    return pack;
}

// see note_travel of sweep.c
LANES_INLINE void note_lanes(SticPack* pack, SticLanes energy, SticLanes u_N, SticLanes* va,
                             SticLanes* vb)
{
    const SticLanes travel = va[PACK_TRAVEL] + vb[PACK_TRAVEL], zero = lanes_all(0.0);
    const SticLanes way = lanes_root(lanes_pick(energy > zero, energy, zero));
    va[PACK_TRAVEL] += way;
    vb[PACK_TRAVEL] += way * pack->two;
    SticLaneMask open = energy == zero;
    for (int a = 0; a < 3; ++a)
        open &= (pack->r[a] == zero) & (pack->before[a] == zero);
    pack->idle = (SticLanes)((SticLaneMask)(travel + 0.99 * u_N * pack->root) & open);
}

LANES_INLINE void visit(SticPack* pack, const SticPackVisit* how, SticLanes sum[2],
                        int64_t* fallbacks)
{
    SticLanes va[8], vb[8], u[3], r[3], q[3], found[3], dr[3];
    load(how->v, pack->body[0], va);
    load(how->v, pack->body[1], vb);
    if (!lanes_any(~(va[PACK_TRAVEL] + vb[PACK_TRAVEL] < pack->idle)))
        return;
    for (int a = 0; a < 3; ++a) {
        u[a] = pack->w[a];
        r[a] = pack->r[a] + how->beta * (pack->r[a] - pack->before[a]);
        pack->before[a] = pack->r[a];
    }
    pull(pack->H[0], va, u);
    pull(pack->H[1], vb, u);
    pack = again(pack);
    const SticLanes* d = pack->D;
    q[0] = u[0] - (d[0] * r[0] + d[1] * r[1] + d[2] * r[2]);
    q[1] = u[1] - (d[1] * r[0] + d[3] * r[1] + d[4] * r[2]);
    q[2] = u[2] - (d[2] * r[0] + d[4] * r[1] + d[5] * r[2]);
    *fallbacks += solve(pack, q, how->accuracy, found);
    pack = again(pack);
    d = pack->D;
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

static LANES_TARGET void visit_packs(SticPack* pack, int32_t count, int32_t step,
                                     const SticPackVisit* how, SticPackChange* change)
{
    SticLanes sum[2] = {lanes_all(0.0), lanes_all(0.0)};
    for (int32_t k = 0; k < count; ++k, pack += step)
        visit(pack, how, sum, &change->fallbacks);
    for (int lane = 0; lane < STIC_LANES; ++lane) {
        change->square += sum[0][lane];
        change->energy += sum[1][lane];
    }
}

#endif

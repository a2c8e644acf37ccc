// SPDX-License-Identifier: Apache-2.0
// Contacts of rest.c four at a time. Included by one file per instruction set (math/lanes.h).
//
// Sums of each lane run in the order of stic_tile_add_36 and stic_kernel_cone3_step, so that the
// results are those of the records of a sweep and of problem/errors.c.
#ifndef STIC_SOLVER_REST_TEMPLATE_H
#define STIC_SOLVER_REST_TEMPLATE_H

#include "math/lanes.h"
#include "solver/rest_pack.h"

// one body of each of four contacts
typedef struct LaneBody {
    SticLanes H[18], mass, J[6];
    const double *v[4], *v_free[4];
} LaneBody;

// places of the 18 values of H' of lane k, and its body
LANES_INLINE void load_body(const SticRestData* data, const int32_t contact[4], int side,
                            LaneBody* to)
{
    static const double none[18] = {0.0};
    static const SticRestBody nobody = {.mass = 0.0};
    const SticBlockCsr* Ht = data->problem->Ht;
    const double *H[4], *body[4];
    for (int lane = 0; lane < STIC_LANES; ++lane) {
        const int32_t e = Ht->begin[contact[lane]] + side;
        const bool there = e < Ht->begin[contact[lane] + 1];
        const int32_t k = there ? Ht->col[e] : 0, at = Ht->col_at[k];
        H[lane] = there ? Ht->value + Ht->value_at[e] : none;
        body[lane] = there ? &data->body[k].mass : &nobody.mass;
        to->v[lane] = there ? data->v + at : none;
        to->v_free[lane] = there ? data->v_free + at : none;
    }
    for (int part = 0; part < 5; ++part) {
        const int at = part < 4 ? 4 * part : 14;
        const double* const from[4] = {H[0] + at, H[1] + at, H[2] + at, H[3] + at};
        lanes_gather(from, to->H + at);
    }
    SticLanes first[4], second[4];
    const double* const late[4] = {body[0] + 3, body[1] + 3, body[2] + 3, body[3] + 3};
    lanes_gather(body, first);
    lanes_gather(late, second);
    to->mass = first[0];
    for (int n = 0; n < 3; ++n) {
        to->J[n] = first[n + 1];
        to->J[n + 3] = second[n + 1];
    }
}

LANES_INLINE void load_velocities(const double* const v[4], SticLanes to[6])
{
    const double* const late[4] = {v[0] + 2, v[1] + 2, v[2] + 2, v[3] + 2};
    SticLanes second[4];
    lanes_gather(v, to);
    lanes_gather(late, second);
    to[4] = second[2];
    to[5] = second[3];
}

LANES_INLINE void load_rows(const SticRestData* data, const int32_t contact[4], const double* x,
                            SticLanes to[3])
{
    const int32_t* at = data->problem->row_at;
    for (int a = 0; a < 3; ++a)
        to[a] = (SticLanes){x[at[contact[0]] + a], x[at[contact[1]] + a], x[at[contact[2]] + a],
                            x[at[contact[3]] + a]};
}

// out += H' v
LANES_INLINE void pull(const SticLanes H[18], const SticLanes v[6], SticLanes out[3])
{
    for (int a = 0; a < 3; ++a) {
        const SticLanes* row = H + 6 * a;
        out[a] += (row[0] * v[0] + row[2] * v[2] + row[4] * v[4]) +
                  (row[1] * v[1] + row[3] * v[3] + row[5] * v[5]);
    }
}

// lower triangle of W += H' M^-1 H
LANES_INLINE void add_block(const LaneBody* body, SticLanes W[6])
{
    const SticLanes* J = body->J;
    for (int a = 0, n = 0; a < 3; ++a) {
        const SticLanes *own = body->H + 6 * a, *x = own + 3;
        const SticLanes turned[3] = {J[0] * x[0] + J[1] * x[1] + J[3] * x[2],
                                     J[1] * x[0] + J[2] * x[1] + J[4] * x[2],
                                     J[3] * x[0] + J[4] * x[1] + J[5] * x[2]};
        for (int c = 0; c <= a; ++c, ++n) {
            const SticLanes* other = body->H + 6 * c;
            W[n] += body->mass * (own[0] * other[0] + own[1] * other[1] + own[2] * other[2]) +
                    (turned[0] * other[3] + turned[1] * other[4] + turned[2] * other[5]);
        }
    }
}

LANES_INLINE void factorise(SticRestPack* pack)
{
    const SticLanes* W = pack->W;
    SticLanes *l = pack->l, *d = pack->d;
    l[0] = W[1] / W[0];
    l[1] = W[3] / W[0];
    d[0] = W[0];
    d[1] = W[2] - l[0] * W[1];
    l[2] = (W[4] - l[1] * W[1]) / d[1];
    d[2] = W[5] - l[1] * W[3] - l[2] * l[2] * d[1];
}

LANES_INLINE SticLanes form(const SticLanes W[6], const SticLanes x[3])
{
    return W[0] * x[0] * x[0] + W[2] * x[1] * x[1] + W[5] * x[2] * x[2] +
           2.0 * (W[1] * x[0] * x[1] + W[3] * x[0] * x[2] + W[4] * x[1] * x[2]);
}

static LANES_TARGET void fill_pack(const SticRestData* data, const int32_t contact[4],
                                   SticRestPack* pack)
{
    const SticProblem* problem = data->problem;
    const SticLanes zero = lanes_all(0.0);
    SticLanes b[3], v[6], shift[3] = {zero, zero, zero};
    load_rows(data, contact, problem->w, b);
    if (problem->u_shift != NULL)
        load_rows(data, contact, problem->u_shift, shift);
    load_rows(data, contact, data->r, pack->x);
    for (int a = 0; a < 3; ++a)
        b[a] += shift[a];
    for (int n = 0; n < 6; ++n)
        pack->W[n] = zero;
    for (int side = 0; side < 2; ++side) {
        LaneBody body;
        load_body(data, contact, side, &body);
        load_velocities(body.v_free, v);
        pull(body.H, v, b);
        add_block(&body, pack->W);
    }
    factorise(pack);
    const SticLanes z1 = b[1] - pack->l[0] * b[0], z2 = b[2] - pack->l[1] * b[0] - pack->l[2] * z1;
    const SticLanes energy = b[0] * b[0] / pack->d[0] + z1 * z1 / pack->d[1] + z2 * z2 / pack->d[2];
    // stic_gauge_opens of cones
    const SticLaneMask opens = (shift[0] > zero) & (b[0] >= zero);
    pack->b = b[0] * b[0] + b[1] * b[1] + b[2] * b[2];
    pack->b_energy = lanes_pick(opens, zero, energy);
}

/* ---- errors ---- */

LANES_INLINE SticLanes larger(SticLanes a, SticLanes b)
{
    return lanes_pick(a > b, a, b);
}

// x - p, with p of stic_kernel_cone3_step
LANES_INLINE void find_defect(SticLanes mu, SticLanes rho_N, SticLanes rho_T, const SticLanes y[3],
                              const SticLanes x[3], SticLanes out[3])
{
    const SticLanes zero = lanes_all(0.0), k = rho_N / rho_T;
    const SticLanes slip = lanes_root(y[1] * y[1] + y[2] * y[2]);
    const SticLanes along = x[0] - rho_N * (y[0] + mu * slip);
    const SticLanes t1 = x[1] - rho_T * y[1], t2 = x[2] - rho_T * y[2];
    const SticLanes across = lanes_root(t1 * t1 + t2 * t2);
    const SticLanes lifted = (along + mu * k * across) / (1.0 + mu * mu * k);
    const SticLanes height = larger(zero, larger(along, lifted)), limit = mu * height;
    const SticLanes cut = lanes_pick(across > limit, limit / across, lanes_all(1.0));
    out[0] = x[0] - height;
    out[1] = x[1] - cut * t1;
    out[2] = x[2] - cut * t2;
}

// stic_eigen2_largest
LANES_INLINE SticLanes largest(SticLanes a, SticLanes b, SticLanes c)
{
    const SticLanes half = lanes_abs(0.5 * (a - c)), side = lanes_abs(b), zero = lanes_all(0.0);
    const SticLanes top = larger(half, side), low = lanes_pick(half > side, side, half);
    const SticLanes ratio = lanes_pick(top > zero, low / top, zero);
    return 0.5 * (a + c) + top * lanes_root(1.0 + ratio * ratio);
}

static LANES_TARGET void measure_pack(const SticRestData* data, const int32_t contact[4],
                                      const SticRestPack* pack, SticRestErrors* errors)
{
    const SticProblem* problem = data->problem;
    const SticLanes one = lanes_all(1.0), *x = pack->x;
    SticLanes y[3], p[3], q[3], v[6], shift[3];
    load_rows(data, contact, problem->w, y);
    for (int side = 0; side < 2; ++side) {
        LaneBody body;
        load_body(data, contact, side, &body);
        load_velocities(body.v, v);
        pull(body.H, v, y);
    }
    for (int lane = 0; lane < STIC_LANES; ++lane)
        for (int a = 0; a < 3; ++a)
            data->u[problem->row_at[contact[lane]] + a] = y[a][lane];
    if (problem->u_shift != NULL) {
        load_rows(data, contact, problem->u_shift, shift);
        for (int a = 0; a < 3; ++a)
            y[a] += shift[a];
    }
    const SticLanes mu = {problem->coef[contact[0]][0], problem->coef[contact[1]][0],
                          problem->coef[contact[2]][0], problem->coef[contact[3]][0]};
    find_defect(mu, one, one, y, x, p);
    find_defect(mu, 1.0 / pack->W[0], 1.0 / largest(pack->W[2], pack->W[4], pack->W[5]), y, x, q);
    errors->defect = p[0] * p[0] + p[1] * p[1] + p[2] * p[2];
    errors->energy = form(pack->W, q);
    errors->x_norm = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
    errors->y_norm = y[0] * y[0] + y[1] * y[1] + y[2] * y[2];
    errors->x_energy = form(pack->W, x);
}

#endif

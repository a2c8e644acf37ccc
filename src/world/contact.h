// SPDX-License-Identifier: Apache-2.0
// Kernels of contacts: features frozen in two body frames, and their values at given poses.
//
// A point of a body lies at x + R p (side.h), with R the rotation matrix of the chart, a
// deformation gradient, or the scaled rotation s R of its quaternion, |A|^2 = s: quadratic in the
// coordinates and never normalised, so that discrete derivatives stay exact (Möller 2011,
// section 5.4). With d for the difference of two such points, seen from B to A:
//
//   plane        g = n_B . d - radius             p_A | point and normal of the plane in B | radius
//   round        g = |d| - r_A - r_B              centre in A | centre in B | r_A r_B
//   round-edge   g = |d - tau e_B| - r_A - r_B    centre in A | point and direction in B | r_A r_B
//   edge-edge    g = n . d, n ~ e_A x e_B         point and direction in A | the same in B
//
// Each gap has a gradient of the form n . (d x_A) - n . (d x_B) at material points p_A and p_B, the
// feet of the shortest line; the plane adds the turning of its normal. Tangents are fixed in B for
// the plane and a function of the normal for the others.
#ifndef STIC_WORLD_CONTACT_H
#define STIC_WORLD_CONTACT_H

#include <math.h>

#include "collide/collide.h"
#include "world/side.h"

/// A contact at a pose.
typedef struct SticTouch {
    double gap;
    SticVec3 axis[3]; ///< gradient of the gap (unit but for a scaled plane), two unit tangents
    SticVec3 point;   ///< where the reaction acts
    SticVec3 foot[2]; ///< material points of the gradient, in the frames of A and B
    SticVec3 lever;   ///< plane: d, which the turning normal sees; else zero
    SticVec3 normal;  ///< plane: normal in the frame of B; else zero
    SticVec3 axis_rate[3], point_rate; ///< only with rates
    SticVec3 place[2], place_rate[2];  ///< the feet in space; only with rates
} SticTouch;

/// Where the feet are in space, and how they move there.
static inline void stic_touch_feet(SticTouch* touch, SticVec3 a, SticVec3 a_rate, SticVec3 b,
                                   SticVec3 b_rate)
{
    touch->place[0] = a;
    touch->place[1] = b;
    touch->place_rate[0] = a_rate;
    touch->place_rate[1] = b_rate;
}

/// Rate of the two tangents of stic_mat3_frame(n) for the rate dn of n; derivative of its formula.
static inline void stic_axes_rate(double sign, SticVec3 n, SticVec3 dn, SticVec3* dt1,
                                  SticVec3* dt2)
{
    const double a = -1.0 / (sign + n.z), da = a * a * dn.z;
    const double db = (dn.x * n.y + n.x * dn.y) * a + n.x * n.y * da;
    *dt1 = stic_vec3(sign * (2.0 * n.x * dn.x * a + n.x * n.x * da), sign * db, -sign * dn.x);
    *dt2 = stic_vec3(db, 2.0 * n.y * dn.y * a + n.y * n.y * da, -dn.y);
}

/// Part of a rate across a unit vector, divided by a length.
static inline SticVec3 stic_unit_rate(SticVec3 n, SticVec3 rate, double length)
{
    const SticVec3 across = stic_vec3_add_scaled(rate, -stic_vec3_dot(n, rate), n);
    return stic_vec3_scale(1.0 / length, across);
}

/// Tangents, and their rates, that are a function of the unit normal.
static inline void stic_touch_frame(SticTouch* touch, bool rates)
{
    const SticMat3 frame = stic_mat3_frame(touch->axis[0]);
    touch->axis[1] = stic_mat3_column(frame, 1);
    touch->axis[2] = stic_mat3_column(frame, 2);
    if (rates)
        stic_axes_rate(touch->axis[0].z < 0.0 ? -1.0 : 1.0, touch->axis[0], touch->axis_rate[0],
                       &touch->axis_rate[1], &touch->axis_rate[2]);
    touch->lever = touch->normal = stic_vec3_zero();
}

/// Which of the two formulas of stic_mat3_frame the tangents come from: the sign of the normal's z,
/// or, where that is rounding, the sign in t1.z = -sign n.x; 0 if there are no tangents.
static inline double stic_tangents_sign(const double tangent[6])
{
    const SticVec3 t1 = stic_vec3_load(tangent);
    const SticVec3 n = stic_vec3_cross(t1, stic_vec3_load(tangent + 3));
    const double which = fabs(n.z) > 1e-8 ? n.z : -n.x * t1.z;
    return stic_vec3_norm2(n) == 0.0 ? 0.0 : which < 0.0 ? -1.0 : 1.0;
}

/// Tangents as a function of the normal that continue those where the contact was detected: the
/// formula for n.z >= 0 is smooth except at n = (0, 0, -1), and that for n.z < 0 except at the
/// opposite, so that rows go on smoothly where a normal passes the horizontal.
static inline void stic_touch_continue(SticTouch* touch, const double tangent[6], bool rates)
{
    const SticVec3 n = touch->axis[0];
    // where the formula gives up
    const double LEAST = -0.9;
    const double sign = stic_tangents_sign(tangent);
    const bool fixed_in_body = stic_vec3_norm2(touch->normal) > 0.0;
    if (fixed_in_body || sign == 0.0 || sign == (n.z < 0.0 ? -1.0 : 1.0) || sign * n.z < LEAST)
        return;
    const double a = -1.0 / (sign + n.z), b = n.x * n.y * a;
    touch->axis[1] = stic_vec3(1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x);
    touch->axis[2] = stic_vec3(b, sign + n.y * n.y * a, -n.y);
    if (rates)
        stic_axes_rate(sign, n, touch->axis_rate[0], &touch->axis_rate[1], &touch->axis_rate[2]);
}

/// Point or sphere of A on a plane of B that deforms: its normal is F^-T n, and the foot on B is
/// the material point under the tip, so that the turning of the normal is in the gradient n
/// (foot)'.
static inline void stic_touch_plane_affine(const SticSide* B, SticVec3 tip, double radius,
                                           bool rates, SticTouch* touch)
{
    const SticMat3 cofactor = stic_mat3_cofactor(B->R);
    const SticVec3 n = stic_vec3_normalize(stic_mat3_mul_vec(cofactor, touch->normal));
    const double height = stic_vec3_dot(n, stic_vec3_sub(tip, stic_vec3_add(B->x, touch->lever)));
    touch->axis[0] = n;
    touch->gap = height - radius;
    touch->point = stic_vec3_add_scaled(tip, -radius, n);
    touch->foot[1] = stic_side_material(B, stic_vec3_add_scaled(tip, -height, n));
    if (rates) {
        const SticVec3 turned = stic_mat3_transpose_mul_vec(B->L, n);
        touch->axis_rate[0] =
            stic_vec3_add_scaled(stic_vec3_neg(turned), stic_vec3_dot(n, turned), n);
    }
    stic_touch_frame(touch, rates);
}

/// Point or sphere of A on a plane of B.
static inline void stic_touch_plane(const SticSide* A, const SticSide* B, const double* local,
                                    bool rates, SticTouch* touch)
{
    const SticVec3 nb = stic_vec3_load(local + 6);
    const SticVec3 arm = stic_side_turn(A, local), base = stic_side_turn(B, local + 3);
    const SticVec3 tip = stic_vec3_add(A->x, arm);
    const SticVec3 d = stic_vec3_sub(tip, stic_vec3_add(B->x, base));
    const double radius = local[9];
    touch->foot[0] = stic_vec3_load(local);
    if (B->deforms) {
        touch->lever = base;
        touch->normal = nb;
        stic_touch_plane_affine(B, tip, radius, rates, touch);
    } else {
        const SticMat3 frame = stic_mat3_frame(nb);
        touch->axis[0] = stic_mat3_mul_vec(B->R, nb);
        for (int k = 1; k < 3; ++k)
            touch->axis[k] =
                stic_vec3_scale(1.0 / B->s, stic_mat3_mul_vec(B->R, stic_mat3_column(frame, k)));
        touch->gap = stic_vec3_dot(touch->axis[0], d) - radius;
        touch->point = stic_vec3_add_scaled(tip, -radius, touch->axis[0]);
        touch->foot[1] = stic_vec3_load(local + 3);
        touch->lever = d;
        touch->normal = nb;
        for (int k = 0; rates && k < 3; ++k)
            touch->axis_rate[k] = stic_side_spin(B, touch->axis[k]);
    }
    if (!rates)
        return;
    const SticVec3 n = touch->axis[0], n_rate = touch->axis_rate[0];
    const SticVec3 tip_rate = stic_vec3_add(A->v, stic_side_spin(A, arm));
    const SticVec3 base_rate = stic_vec3_add(B->v, stic_side_spin(B, base));
    const double height = touch->gap + radius;
    const double height_rate =
        stic_vec3_dot(n_rate, d) + stic_vec3_dot(n, stic_vec3_sub(tip_rate, base_rate));
    const SticVec3 along = stic_vec3_add_scaled(tip_rate, -height_rate, n);
    touch->point_rate = stic_vec3_add_scaled(tip_rate, -radius, n_rate);
    stic_touch_feet(touch, tip, tip_rate, stic_vec3_add_scaled(tip, -height, n),
                    stic_vec3_add_scaled(along, -height, n_rate));
}

/// Common part of round features: the line across from the foot on B to the centre in A has the
/// length `length`, its rate is `rate`.
static inline void stic_touch_finish(SticTouch* touch, SticVec3 across, SticVec3 centre,
                                     const double radius[2])
{
    const double length = stic_vec3_norm(across);
    // a centre on the feature itself has no normal: any one will do
    touch->axis[0] =
        length > 0.0 ? stic_vec3_scale(1.0 / length, across) : stic_vec3(0.0, 0.0, 1.0);
    touch->gap = length - (radius[0] + radius[1]);
    touch->point = stic_vec3_add_scaled(centre, -(radius[0] + 0.5 * touch->gap), touch->axis[0]);
}

/// Rates of the results of stic_touch_finish.
static inline void stic_touch_finish_rate(SticTouch* touch, SticVec3 across, SticVec3 across_rate,
                                          SticVec3 centre_rate, double radius)
{
    const double length = stic_vec3_norm(across);
    touch->axis_rate[0] =
        length > 0.0 ? stic_unit_rate(touch->axis[0], across_rate, length) : stic_vec3_zero();
    const double gap_rate = stic_vec3_dot(touch->axis[0], across_rate);
    const SticVec3 along = stic_vec3_add_scaled(centre_rate, -0.5 * gap_rate, touch->axis[0]);
    touch->point_rate =
        stic_vec3_add_scaled(along, -(radius + 0.5 * touch->gap), touch->axis_rate[0]);
}

/// Sphere of A on a sphere or vertex of B.
static inline void stic_touch_round(const SticSide* A, const SticSide* B, const double* local,
                                    bool rates, SticTouch* touch)
{
    const SticVec3 arm_a = stic_side_turn(A, local), arm_b = stic_side_turn(B, local + 3);
    const SticVec3 centre = stic_vec3_add(A->x, arm_a);
    const SticVec3 d = stic_vec3_sub(centre, stic_vec3_add(B->x, arm_b));
    touch->foot[0] = stic_vec3_load(local);
    touch->foot[1] = stic_vec3_load(local + 3);
    stic_touch_finish(touch, d, centre, local + 6);
    if (rates) {
        const SticVec3 rate_a = stic_vec3_add(A->v, stic_side_spin(A, arm_a));
        const SticVec3 rate_b = stic_vec3_add(B->v, stic_side_spin(B, arm_b));
        stic_touch_finish_rate(touch, d, stic_vec3_sub(rate_a, rate_b), rate_a, local[6]);
        stic_touch_feet(touch, centre, rate_a, stic_vec3_sub(centre, d), rate_b);
    }
    stic_touch_frame(touch, rates);
}

/// Sphere of A on an edge of B.
static inline void stic_touch_round_edge(const SticSide* A, const SticSide* B, const double* local,
                                         bool rates, SticTouch* touch)
{
    const SticVec3 arm_a = stic_side_turn(A, local), arm_b = stic_side_turn(B, local + 3);
    const SticVec3 e = stic_side_turn(B, local + 6);
    const SticVec3 centre = stic_vec3_add(A->x, arm_a);
    const SticVec3 d = stic_vec3_sub(centre, stic_vec3_add(B->x, arm_b));
    const double square = stic_vec3_dot(e, e), tau = stic_vec3_dot(d, e) / square;
    const SticVec3 across = stic_vec3_add_scaled(d, -tau, e);
    const double radius[2] = {local[9], local[10]};
    touch->foot[0] = stic_vec3_load(local);
    touch->foot[1] =
        stic_vec3_add_scaled(stic_vec3_load(local + 3), tau, stic_vec3_load(local + 6));
    stic_touch_finish(touch, across, centre, radius);
    if (rates) {
        const SticVec3 rate_a = stic_vec3_add(A->v, stic_side_spin(A, arm_a));
        const SticVec3 rate_b = stic_vec3_add(B->v, stic_side_spin(B, arm_b));
        const SticVec3 d_rate = stic_vec3_sub(rate_a, rate_b), e_rate = stic_side_spin(B, e);
        const double tau_rate = (stic_vec3_dot(d_rate, e) + stic_vec3_dot(d, e_rate) -
                                 2.0 * tau * stic_vec3_dot(e, e_rate)) /
                                square;
        const SticVec3 across_rate =
            stic_vec3_add_scaled(stic_vec3_add_scaled(d_rate, -tau_rate, e), -tau, e_rate);
        stic_touch_finish_rate(touch, across, across_rate, rate_a, radius[0]);
        stic_touch_feet(touch, centre, rate_a, stic_vec3_sub(centre, across),
                        stic_vec3_sub(rate_a, across_rate));
    }
    stic_touch_frame(touch, rates);
}

/// Two edges in space, of A and B.
typedef struct SticEdges {
    SticVec3 arm[2]; ///< from the origin of each side to a point of its edge
    SticVec3 e[2];   ///< directions
    SticVec3 d;      ///< between the two points, from B to A
    double t[2];     ///< the nearest points lie at these multiples of the directions
} SticEdges;

/// Rates of an edge-edge contact.
static inline void stic_touch_edges_rate(const SticSide* A, const SticSide* B,
                                         const SticEdges* edges, SticTouch* touch)
{
    const SticVec3 *arm = edges->arm, *e = edges->e;
    const SticVec3 c = stic_vec3_cross(e[0], e[1]), d = edges->d, n = touch->axis[0];
    const double* t = edges->t;
    const double size = stic_vec3_norm(c);
    const SticVec3 e_rate[2] = {stic_side_spin(A, e[0]), stic_side_spin(B, e[1])};
    const SticVec3 x_rate[2] = {stic_vec3_add(A->v, stic_side_spin(A, arm[0])),
                                stic_vec3_add(B->v, stic_side_spin(B, arm[1]))};
    const SticVec3 d_rate = stic_vec3_sub(x_rate[0], x_rate[1]);
    const SticVec3 c_rate =
        stic_vec3_add(stic_vec3_cross(e_rate[0], e[1]), stic_vec3_cross(e[0], e_rate[1]));
    const double size_rate = stic_vec3_dot(n, c_rate);
    touch->axis_rate[0] = stic_unit_rate(n, c_rate, size);
    SticVec3 foot_rate[2];
    for (int k = 0; k < 2; ++k) {
        const SticVec3 f = e[1 - k], f_rate = e_rate[1 - k];
        const double change =
            stic_vec3_dot(d_rate, stic_vec3_cross(f, n)) +
            stic_vec3_dot(d, stic_vec3_add(stic_vec3_cross(f_rate, n),
                                           stic_vec3_cross(f, touch->axis_rate[0])));
        const double t_rate = -(change + t[k] * size_rate) / size;
        foot_rate[k] =
            stic_vec3_add_scaled(stic_vec3_add_scaled(x_rate[k], t_rate, e[k]), t[k], e_rate[k]);
    }
    touch->point_rate = stic_vec3_scale(0.5, stic_vec3_add(foot_rate[0], foot_rate[1]));
    SticVec3 foot[2];
    for (int k = 0; k < 2; ++k)
        foot[k] = stic_vec3_add(k == 0 ? A->x : B->x, stic_vec3_add_scaled(arm[k], t[k], e[k]));
    stic_touch_feet(touch, foot[0], foot_rate[0], foot[1], foot_rate[1]);
}

/// Edge of A on an edge of B; they must not be parallel.
static inline void stic_touch_edge_edge(const SticSide* A, const SticSide* B, const double* local,
                                        bool rates, SticTouch* touch)
{
    SticEdges edges = {.arm = {stic_side_turn(A, local), stic_side_turn(B, local + 6)},
                       .e = {stic_side_turn(A, local + 3), stic_side_turn(B, local + 9)}};
    const SticVec3 x[2] = {stic_vec3_add(A->x, edges.arm[0]), stic_vec3_add(B->x, edges.arm[1])};
    const SticVec3 c = stic_vec3_cross(edges.e[0], edges.e[1]);
    const double size = stic_vec3_norm(c);
    const SticVec3 n = stic_vec3_scale(1.0 / size, c);
    edges.d = stic_vec3_sub(x[0], x[1]);
    touch->axis[0] = n;
    touch->gap = stic_vec3_dot(n, edges.d);
    // d + t0 e0 - t1 e1 is parallel to n
    SticVec3 foot[2];
    for (int k = 0; k < 2; ++k) {
        edges.t[k] = -stic_vec3_dot(edges.d, stic_vec3_cross(edges.e[1 - k], n)) / size;
        foot[k] = stic_vec3_add_scaled(x[k], edges.t[k], edges.e[k]);
        touch->foot[k] = stic_vec3_add_scaled(stic_vec3_load(local + 6 * k), edges.t[k],
                                              stic_vec3_load(local + 6 * k + 3));
    }
    touch->point = stic_vec3_scale(0.5, stic_vec3_add(foot[0], foot[1]));
    if (rates)
        stic_touch_edges_rate(A, B, &edges, touch);
    stic_touch_frame(touch, rates);
}

/// Any kernel.
static inline void stic_touch_any(SticContactKernel kernel, const SticSide side[2],
                                  const double* local, bool rates, SticTouch* touch)
{
    switch (kernel) {
    case STIC_CONTACT_PLANE:
        stic_touch_plane(&side[0], &side[1], local, rates, touch);
        break;
    case STIC_CONTACT_ROUND:
        stic_touch_round(&side[0], &side[1], local, rates, touch);
        break;
    case STIC_CONTACT_ROUND_EDGE:
        stic_touch_round_edge(&side[0], &side[1], local, rates, touch);
        break;
    default:
        stic_touch_edge_edge(&side[0], &side[1], local, rates, touch);
        break;
    }
}

#endif

// SPDX-License-Identifier: Apache-2.0
// Blocks over a step of the energy-consistent schemes.
//
// QUATERNION, middle   A_E - A_B = h/4 (A_B + A_E)(0, omega)
//   A_E = A_B ((1 - |s|^2), 2 s)/(1 + |s|^2), s = h omega/4: Cayley's map, |A| is kept exactly
// SCALABLE, beginning  A_E - A_B = h/(2 |A_B|^2) A_B (nu, omega)
// SCALABLE, middle     A_E = A_B (e0, e): with A = (A_B + A_E)/2 the equation 2 A*(A_E - A_B) =
//   h (nu, omega) has the components |A_B|^2 (|(e0, e)|^2 - 1) = h nu and 2 |A_B|^2 e = h omega
// Others               q_E = q_B + h w
#include "step/kinematics.h"

#include <math.h>
#include <string.h>

#include "math/math.h"
#include "stiction/extend/vec3.h"

static bool is_flat(const SticKinematics* block)
{
    return block->chart == STIC_CHART_LINEAR || block->chart == STIC_CHART_GENERAL;
}

// e of the relative turn (e0, e) of a scalable block in the middle, and the square of e0
static SticVec3 middle_part(const SticKinematics* block, const double* w, double* square)
{
    const SticQuat a = stic_quat_load(block->q + 3);
    const double s = stic_quat_dot(a, a);
    const SticVec3 e = stic_vec3_scale(0.5 * block->h / s, stic_vec3_load(w + 4));
    *square = 1.0 + block->h * w[3] / s - stic_vec3_norm2(e);
    return e;
}

static SticQuat middle_turn(const SticKinematics* block, const double* w)
{
    double square;
    const SticVec3 e = middle_part(block, w, &square);
    return stic_quat(sqrt(square > 0.0 ? square : 0.0), e);
}

bool stic_kinematics_turns(const SticKinematics* block, const double* w)
{
    double part = 1.0;
    if (block->chart == STIC_CHART_SCALABLE && block->middle)
        middle_part(block, w, &part);
    // A_E = A_B (e0, e) with |A_E| = 1 has two solutions for e, -e0 beside e0: a turn by more than
    // half a revolution in a step belongs to another motion
    else if (block->chart == STIC_CHART_SCALABLE) {
        const SticQuat a = stic_quat_load(block->q + 3);
        part = 1.0 + 0.5 * block->h * w[3] / stic_quat_dot(a, a);
    }
    return part > 0.0;
}

void stic_kinematics_move(const SticKinematics* block, const double* w, double* q_end)
{
    if (block->chart == STIC_CHART_SCALABLE && !block->middle) {
        stic_chart_drift(block->chart, block->n, block->q, w, block->h, q_end);
        return;
    }
    for (int32_t c = 0; c < (is_flat(block) ? block->n : 3); ++c)
        q_end[c] = block->q[c] + block->h * w[c];
    if (is_flat(block))
        return;
    const SticQuat a = stic_quat_load(block->q + 3);
    if (block->chart == STIC_CHART_QUATERNION)
        stic_quat_store(stic_rotation_cayley(a, stic_vec3_load(w + 3), block->h), q_end + 3);
    else
        stic_quat_store(stic_quat_mul(a, middle_turn(block, w)), q_end + 3);
}

void stic_kinematics_pull(const SticKinematics* block, const double* w, const double* p,
                          double* out)
{
    const double h = block->h;
    if (is_flat(block)) {
        for (int32_t c = 0; c < block->n; ++c)
            out[c] = h * p[c];
        return;
    }
    if (block->chart == STIC_CHART_SCALABLE && !block->middle) {
        stic_chart_pull_back(block->chart, block->n, block->q, p, out);
        for (int32_t c = 0; c < block->n; ++c)
            out[c] *= h;
        return;
    }
    for (int c = 0; c < 3; ++c)
        out[c] = h * p[c];
    // p . d(A_B E) = (A_B* p) . dE
    const SticQuat a = stic_quat_load(block->q + 3);
    const SticQuat z = stic_quat_mul(stic_quat_conjugate(a), stic_quat_load(p + 3));
    const SticVec3 zv = stic_quat_vector(z);
    if (block->chart == STIC_CHART_QUATERNION) {
        const SticVec3 s = stic_vec3_scale(0.25 * h, stic_vec3_load(w + 3));
        const double c = 1.0 / (1.0 + stic_vec3_norm2(s));
        const double along = -4.0 * c * c * (z.w + stic_vec3_dot(s, zv));
        const SticVec3 row = stic_vec3_add_scaled(stic_vec3_scale(2.0 * c, zv), along, s);
        stic_vec3_store(stic_vec3_scale(0.25 * h, row), out + 3);
        return;
    }
    const SticQuat E = middle_turn(block, w);
    const double scale = 0.5 * h / stic_quat_dot(a, a), turn = E.w > 0.0 ? z.w / E.w : 0.0;
    out[3] = scale * turn;
    stic_vec3_store(stic_vec3_scale(scale, stic_vec3_add_scaled(zv, -turn, stic_quat_vector(E))),
                    out + 4);
}

bool stic_kinematics_in_middle(const SticKinematics* block)
{
    return block->chart == STIC_CHART_QUATERNION ||
           (block->chart == STIC_CHART_SCALABLE && block->middle);
}

// q* from the two ends
static void place(const SticKinematics* block, const double* q_end, double* q)
{
    const int32_t n = stic_chart_q_size(block->chart, block->n);
    const bool middle = stic_kinematics_in_middle(block);
    for (int32_t c = 0; c < n; ++c)
        q[c] = middle ? 0.5 * (block->q[c] + q_end[c]) : block->q[c];
}

void stic_kinematics_force(const SticKinematics* block, const double* q_end, const double* p,
                           double* out)
{
    double q[STIC_CHART_MAX_Q];
    if (!is_flat(block))
        place(block, q_end, q);
    stic_chart_pull_back(block->chart, block->n, q, p, out);
}

void stic_kinematics_turn(const SticKinematics* block, const double* q_end, double* direction)
{
    double p[STIC_CHART_MAX_Q];
    const SticQuat a = stic_quat_load(block->q + 3), b = stic_quat_load(direction + 3);
    memcpy(p, direction, 3 * sizeof *p);
    stic_quat_store(stic_quat_scale(2.0, stic_quat_mul(a, b)), p + 3);
    stic_kinematics_force(block, q_end, p, direction);
}

/* ---- gyroscopic forces ---- */

static SticMat3 inertia_of(const SticKinematics* block, const double* mass)
{
    SticMat3 J;
    const int32_t n = block->n, at = n - 3;
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
            J.m[r][c] = mass[(at + r) * n + at + c];
    return J;
}

// -omega x J omega; its slope by omega is -(hat(omega) J - hat(J omega))
static void unit_gyro(const SticKinematics* block, const double* mass, const double* w, double* f,
                      double* slope)
{
    stic_chart_add_gyro(block->chart, mass, block->q, w, f);
    if (slope == NULL)
        return;
    const SticMat3 J = inertia_of(block, mass);
    const SticVec3 omega = stic_vec3_load(w + 3);
    const SticMat3 part = stic_mat3_sub(stic_mat3_mul(stic_mat3_skew(omega), J),
                                        stic_mat3_skew(stic_mat3_mul_vec(J, omega)));
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
            slope[(3 + r) * 6 + 3 + c] += 0.5 * block->h * part.m[r][c];
}

// H dA for the gyroscopic matrix H of a scalable block on (a0, a), made of J omega (Möller 5.80)
static SticQuat turn_by(SticVec3 momentum, SticQuat d)
{
    const SticVec3 p = stic_vec3_scale(4.0, momentum), v = stic_quat_vector(d);
    return stic_quat(-stic_vec3_dot(p, v),
                     stic_vec3_sub(stic_vec3_scale(d.w, p), stic_vec3_cross(p, v)));
}

// -F* 'H(u) dq/h; H is skew, so that it does no work on w = Q* dq/h
static void scalable_gyro(const SticKinematics* block, const double* mass, const double* u,
                          const double* w, double* f, double* slope)
{
    double q_end[STIC_CHART_MAX_Q], covector[STIC_CHART_MAX_Q] = {0.0}, force[7];
    const SticMat3 J = inertia_of(block, mass);
    const double* turning = block->middle ? w : u;
    const SticVec3 momentum = stic_mat3_mul_vec(J, stic_vec3_load(turning + 4));
    stic_kinematics_move(block, w, q_end);
    const SticQuat d = stic_quat_add(stic_quat_load(q_end + 3),
                                     stic_quat_scale(-1.0, stic_quat_load(block->q + 3)));
    stic_quat_store(turn_by(momentum, d), covector + 3);
    stic_kinematics_force(block, q_end, covector, force);
    for (int c = 3; c < 7; ++c)
        f[c] -= force[c] / block->h;
    if (slope == NULL)
        return;
    // columns by differentiating dq and, in the middle, the momentum
    for (int k = 0; k < 4; ++k) {
        double unit[7] = {0.0}, column[4], part[7];
        for (int c = 0; c < 4; ++c) {
            memset(unit, 0, sizeof unit);
            unit[3 + c] = 1.0;
            stic_kinematics_pull(block, w, unit, part);
            column[c] = part[3 + k];
        }
        SticQuat change = turn_by(momentum, stic_quat_load(column));
        if (block->middle && k > 0) {
            const SticVec3 own = stic_mat3_column(J, k - 1);
            change = stic_quat_add(change, turn_by(own, d));
        }
        stic_quat_store(change, covector + 3);
        stic_kinematics_force(block, q_end, covector, force);
        for (int r = 3; r < 7; ++r)
            slope[r * 7 + 3 + k] += 0.5 * force[r];
    }
}

void stic_kinematics_gyro(const SticKinematics* block, const double* mass, const double* u,
                          const double* w, double* f, double* slope)
{
    if (block->chart == STIC_CHART_QUATERNION)
        unit_gyro(block, mass, w, f, slope);
    else if (block->chart == STIC_CHART_SCALABLE)
        scalable_gyro(block, mass, u, w, f, slope);
}

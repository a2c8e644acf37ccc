// SPDX-License-Identifier: Apache-2.0
// Charts: the map F of qdot = F(q) u, its transpose, motion along it, and the gyroscopic terms.
//
// ROTATION   Lambda' = Lambda hat(Omega)                       Koziara (3.1)
// QUATERNION A' = 1/2 A (0, omega)                             Möller (4.119)
// SCALABLE   A' = 1/(2|A|^2) A (nu, omega)                     Möller (4.117)
#include "body/body.h"

#include <string.h>

#include "math/math.h"
#include "stiction/extend/base.h"
#include "stiction/extend/vec3.h"

static const char* const chart_names[] = {"linear", "rotation", "quaternion", "scalable",
                                          "general"};

const char* stic_chart_name(SticChart chart)
{
    return (unsigned)chart < STIC_CHART_COUNT ? chart_names[chart] : "unknown";
}

int32_t stic_chart_q_size(SticChart chart, int32_t n)
{
    switch (chart) {
    case STIC_CHART_ROTATION:
        return 12;
    case STIC_CHART_QUATERNION:
    case STIC_CHART_SCALABLE:
        return 7;
    default:
        return n;
    }
}

int32_t stic_chart_u_size(SticChart chart, int32_t n)
{
    switch (chart) {
    case STIC_CHART_ROTATION:
    case STIC_CHART_QUATERNION:
        return 6;
    case STIC_CHART_SCALABLE:
        return 7;
    default:
        return n;
    }
}

void stic_chart_identity(SticChart chart, double* q)
{
    if (chart == STIC_CHART_ROTATION)
        stic_mat3_store(stic_mat3_identity(), q + 3);
    if (chart == STIC_CHART_QUATERNION || chart == STIC_CHART_SCALABLE)
        stic_quat_store(stic_quat_identity(), q + 3);
}

void stic_chart_rate(SticChart chart, int32_t n, const double* q, const double* u, double* qdot)
{
    if (chart == STIC_CHART_LINEAR || chart == STIC_CHART_GENERAL) {
        memcpy(qdot, u, (size_t)n * sizeof *u);
        return;
    }
    memcpy(qdot, u, 3 * sizeof *u);
    if (chart == STIC_CHART_ROTATION) {
        const SticMat3 lambda = stic_mat3_load(q + 3);
        stic_mat3_store(stic_mat3_mul(lambda, stic_mat3_skew(stic_vec3_load(u + 3))), qdot + 3);
        return;
    }
    const SticQuat a = stic_quat_load(q + 3);
    const bool scalable = chart == STIC_CHART_SCALABLE;
    const SticQuat rate = scalable ? stic_quat_load(u + 3) : stic_quat(0.0, stic_vec3_load(u + 3));
    const double factor = scalable ? 0.5 / stic_quat_dot(a, a) : 0.5;
    stic_quat_store(stic_quat_scale(factor, stic_quat_mul(a, rate)), qdot + 3);
}

void stic_chart_pull_back(SticChart chart, int32_t n, const double* q, const double* p, double* f)
{
    if (chart == STIC_CHART_LINEAR || chart == STIC_CHART_GENERAL) {
        memcpy(f, p, (size_t)n * sizeof *p);
        return;
    }
    memcpy(f, p, 3 * sizeof *p);
    if (chart == STIC_CHART_ROTATION) {
        // P : Lambda hat(d) = (Lambda' P) : hat(d)
        const SticMat3 a = stic_mat3_transpose_mul(stic_mat3_load(q + 3), stic_mat3_load(p + 3));
        f[3] = a.m[2][1] - a.m[1][2];
        f[4] = a.m[0][2] - a.m[2][0];
        f[5] = a.m[1][0] - a.m[0][1];
        return;
    }
    // p . (A B) = (A* P) . B
    const SticQuat a = stic_quat_load(q + 3);
    const SticQuat product = stic_quat_mul(stic_quat_conjugate(a), stic_quat_load(p + 3));
    if (chart == STIC_CHART_SCALABLE)
        stic_quat_store(stic_quat_scale(0.5 / stic_quat_dot(a, a), product), f + 3);
    else
        stic_vec3_store(stic_vec3_scale(0.5, stic_quat_vector(product)), f + 3);
}

void stic_chart_rate_change(SticChart chart, int32_t n, const double* q, const double* u,
                            double* qddot)
{
    memset(qddot, 0, (size_t)stic_chart_q_size(chart, n) * sizeof *qddot);
    if (chart == STIC_CHART_ROTATION) {
        const SticMat3 hat = stic_mat3_skew(stic_vec3_load(u + 3));
        const SticMat3 lambda = stic_mat3_load(q + 3);
        stic_mat3_store(stic_mat3_mul(stic_mat3_mul(lambda, hat), hat), qddot + 3);
    }
    if (chart != STIC_CHART_QUATERNION && chart != STIC_CHART_SCALABLE)
        return;
    double qdot[7];
    stic_chart_rate(chart, n, q, u, qdot);
    const SticQuat a = stic_quat_load(q + 3), rate = stic_quat_load(qdot + 3);
    if (chart == STIC_CHART_QUATERNION) {
        const SticQuat spin = stic_quat(0.0, stic_vec3_load(u + 3));
        stic_quat_store(stic_quat_scale(0.5, stic_quat_mul(rate, spin)), qddot + 3);
        return;
    }
    // A' = 1/(2s) A B with s = |A|^2 gives A'' = 1/(2s) A' B - s'/s A'
    const double s = stic_quat_dot(a, a), change = 2.0 * stic_quat_dot(a, rate);
    const SticQuat turned = stic_quat_mul(rate, stic_quat_load(u + 3));
    stic_quat_store(
        stic_quat_add(stic_quat_scale(0.5 / s, turned), stic_quat_scale(-change / s, rate)),
        qddot + 3);
}

void stic_chart_rate_gradient(SticChart chart, int32_t n, const double* q, const double* u,
                              const double* p, double* z)
{
    memset(z, 0, (size_t)stic_chart_q_size(chart, n) * sizeof *z);
    if (chart == STIC_CHART_ROTATION) {
        // P : (dLambda hat(Omega)) = (P hat(Omega)') : dLambda
        const SticMat3 hat = stic_mat3_skew(stic_vec3_load(u + 3));
        stic_mat3_store(stic_mat3_mul_transpose(stic_mat3_load(p + 3), hat), z + 3);
    }
    if (chart != STIC_CHART_QUATERNION && chart != STIC_CHART_SCALABLE)
        return;
    // P . (dA B) = (P B*) . dA, and the change of 1/(2s) for the scalable chart
    const SticQuat a = stic_quat_load(q + 3), P = stic_quat_load(p + 3);
    const bool scalable = chart == STIC_CHART_SCALABLE;
    const SticQuat rate = scalable ? stic_quat_load(u + 3) : stic_quat(0.0, stic_vec3_load(u + 3));
    const SticQuat turned = stic_quat_mul(P, stic_quat_conjugate(rate));
    if (!scalable) {
        stic_quat_store(stic_quat_scale(0.5, turned), z + 3);
        return;
    }
    const double s = stic_quat_dot(a, a), along = stic_quat_dot(P, stic_quat_mul(a, rate));
    stic_quat_store(
        stic_quat_add(stic_quat_scale(0.5 / s, turned), stic_quat_scale(-along / (s * s), a)),
        z + 3);
}

void stic_chart_turn_gradient(SticChart chart, const double* turn, const double D[9],
                              double* gradient)
{
    if (chart != STIC_CHART_QUATERNION && chart != STIC_CHART_SCALABLE) {
        memcpy(gradient, D, 9 * sizeof *gradient);
        return;
    }
    // s R = (w^2 - v.v) I + 2 v v' + 2 w hat(v)
    const SticMat3 dyad = stic_mat3_load(D);
    const SticQuat a = stic_quat_load(turn);
    const SticVec3 v = stic_quat_vector(a), m = stic_vec3_scale(2.0, stic_mat3_axial(dyad));
    const double trace = stic_mat3_trace(dyad);
    const SticVec3 both =
        stic_vec3_add(stic_mat3_mul_vec(dyad, v), stic_mat3_transpose_mul_vec(dyad, v));
    const SticVec3 slope = stic_vec3_add_scaled(stic_vec3_add_scaled(both, -trace, v), a.w, m);
    gradient[0] = 2.0 * (a.w * trace + stic_vec3_dot(m, v));
    stic_vec3_store(stic_vec3_scale(2.0, slope), gradient + 1);
}

void stic_chart_velocity(SticChart chart, int32_t n, const double* q, const double* qdot, double* u)
{
    STIC_ASSERT(chart != STIC_CHART_ROTATION && chart != STIC_CHART_QUATERNION);
    memcpy(u, qdot, (size_t)n * sizeof *u);
    if (chart == STIC_CHART_SCALABLE) {
        const SticQuat conjugate = stic_quat_conjugate(stic_quat_load(q + 3));
        stic_quat_store(stic_quat_scale(2.0, stic_quat_mul(conjugate, stic_quat_load(qdot + 3))),
                        u + 3);
    }
}

void stic_chart_lift(SticChart chart, int32_t n, const double* q, const double* f, double* p)
{
    STIC_ASSERT(chart != STIC_CHART_ROTATION && chart != STIC_CHART_QUATERNION);
    memcpy(p, f, (size_t)n * sizeof *p);
    if (chart == STIC_CHART_SCALABLE)
        stic_quat_store(
            stic_quat_scale(2.0, stic_quat_mul(stic_quat_load(q + 3), stic_quat_load(f + 3))),
            p + 3);
}

void stic_chart_drift(SticChart chart, int32_t n, const double* q, const double* u, double h,
                      double* q_new)
{
    if (chart == STIC_CHART_ROTATION) {
        const SticMat3 step = stic_rotation_exp(stic_vec3_scale(h, stic_vec3_load(u + 3)));
        stic_mat3_store(stic_mat3_mul(stic_mat3_load(q + 3), step), q_new + 3);
        for (int i = 0; i < 3; ++i)
            q_new[i] = q[i] + h * u[i];
        return;
    }
    double qdot[STIC_CHART_MAX_Q];
    const int32_t nq = stic_chart_q_size(chart, n);
    stic_chart_rate(chart, n, q, u, qdot);
    for (int32_t i = 0; i < nq; ++i)
        q_new[i] = q[i] + h * qdot[i];
}

// J omega of the rotation part of a mass block with `size` columns that starts at `at`
static SticVec3 spin(const double* mass, int size, int at, SticVec3 omega)
{
    double w[3], p[3];
    stic_vec3_store(omega, w);
    for (int r = 0; r < 3; ++r) {
        const double* row = mass + (size_t)(at + r) * (size_t)size + at;
        p[r] = row[0] * w[0] + row[1] * w[1] + row[2] * w[2];
    }
    return stic_vec3_load(p);
}

void stic_chart_add_gyro(SticChart chart, const double* mass, const double* q, const double* u,
                         double* f)
{
    if (chart == STIC_CHART_ROTATION || chart == STIC_CHART_QUATERNION) {
        const SticVec3 omega = stic_vec3_load(u + 3);
        const SticVec3 torque = stic_vec3_cross(spin(mass, 6, 3, omega), omega);
        stic_vec3_store(stic_vec3_add(stic_vec3_load(f + 3), torque), f + 3);
    }
    if (chart == STIC_CHART_SCALABLE) {
        // Möller (4.117), brought to the right-hand side
        const double nu = u[3],
                     scale = 1.0 / stic_quat_dot(stic_quat_load(q + 3), stic_quat_load(q + 3));
        const SticVec3 omega = stic_vec3_load(u + 4);
        const SticVec3 momentum = spin(mass, 7, 4, omega);
        f[3] += scale * stic_vec3_dot(omega, momentum);
        const SticVec3 turn =
            stic_vec3_add(stic_vec3_scale(nu, momentum), stic_vec3_cross(omega, momentum));
        stic_vec3_store(stic_vec3_add_scaled(stic_vec3_load(f + 4), -scale, turn), f + 4);
    }
}

void stic_chart_normalize(SticChart chart, double* q)
{
    if (chart == STIC_CHART_QUATERNION || chart == STIC_CHART_SCALABLE)
        stic_quat_store(stic_quat_normalize(stic_quat_load(q + 3)), q + 3);
}

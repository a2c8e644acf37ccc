// SPDX-License-Identifier: Apache-2.0
// Rotation schemes: halves, Koziara's NEW1, NEW2, NEW3, and two others to compare with.
//
//   halves         J (Om' - Om) = -h Omm x J Omm,  L' = L cay[h Omm],  Omm = (Om + Om')/2
//                  over half a step without torques, once before and once after the reactions
//   NEW1-NEW3      one torque at mid-step                           Koziara (5.2.9-5.2.16)
//   Simo-Wong      th = h Om + h^2/2 A,  L' = L exp[th]             Simo and Wong 1991, explicit
//                  J Om' = L'^T (L J Om + h/2 (t + t'))
//                  A' = 2/h (Om' - Om) - A
//   LIEMID[EA]     P = J Om + h/2 L^T t                             Krysl 2005
//                  twice: exp[h/4 w] J w = P, L := L exp[h/2 w], P := exp[-h/2 w] P
//                  J Om' = P + h/2 L'^T t'
//
// The thesis names the last two without printing them; these forms give the errors that it reports
// for them. They take the torque at both ends of the step, so that reactions, which are known at
// mid-step only, have no place in them. NEW2 needs two exponentials, Simo-Wong one; NEW3 and LIEMID
// solve one and two nonlinear equations by Newton with the differential of the exponential map.
//
// The midpoint rule of `halves` is (1 + h/2 [Omm]) J Om' = (1 - h/2 [Omm]) J Om, that is J Om' =
// cay[h Omm]' J Om: with the Cayley map the momentum in space is kept, and Omm . J (Om' - Om) = 0
// is the conservation of energy, both whatever h is. Reactions act between two halves on velocities
// of one moment: a gyroscopic term over the whole step would ignore what they change, and be of
// first order.
#include "step/turn.h"

#include <float.h>

#include "stiction/extend/base.h"

#include "math/math.h"

// momentum of the beginning carried to the mid-step body frame: exp[-h/2 Om] J Om
static SticVec3 carried_momentum(SticMat3 J, SticVec3 omega, double h)
{
    const SticMat3 turn = stic_rotation_exp(stic_vec3_scale(-0.5 * h, omega));
    return stic_mat3_mul_vec(turn, stic_mat3_mul_vec(J, omega));
}

SticVec3 stic_turn_free(const SticTurnBody* body, SticVec3 omega, SticVec3 impulse, double h)
{
    STIC_ASSERT(h > 0.0);
    const SticVec3 carried = carried_momentum(body->J, omega, h);
    const SticVec3 middle =
        stic_mat3_mul_vec(body->inverse, stic_vec3_add_scaled(carried, 0.5, impulse));
    const SticVec3 gyro = stic_vec3_cross(middle, stic_mat3_mul_vec(body->J, middle));
    const SticVec3 start = stic_mat3_mul_vec(body->J, omega);
    return stic_vec3_add_scaled(stic_vec3_add(start, impulse), -h, gyro);
}

// solve exp[h/2 w] J w = c; Newton with the differential of the exponential map
static SticVec3 implicit_velocity(SticMat3 J, SticVec3 start, SticVec3 c, double h)
{
    SticVec3 omega = start;
    for (int k = 0; k < 20; ++k) {
        const SticVec3 p = stic_vec3_scale(0.5 * h, omega);
        const SticMat3 turn = stic_rotation_exp(p);
        const SticVec3 v = stic_mat3_mul_vec(turn, stic_mat3_mul_vec(J, omega));
        const SticMat3 slope =
            stic_mat3_add_scaled(stic_mat3_mul(turn, J), -0.5 * h,
                                 stic_mat3_mul(stic_mat3_skew(v), stic_rotation_tangent(p)));
        SticMat3 inverse;
        if (!stic_mat3_inverse(slope, &inverse))
            return omega;
        const SticVec3 change = stic_mat3_mul_vec(inverse, stic_vec3_sub(v, c));
        omega = stic_vec3_sub(omega, change);
        // Newton converges quadratically: a change of 1e-9 leaves an error at rounding level
        if (stic_vec3_norm(change) <= 1e-9 * stic_vec3_norm(omega))
            break;
    }
    return omega;
}

SticVec3 stic_turn_end(SticTurnScheme scheme, const SticTurnBody* body, const SticVec3 omega[2],
                       SticVec3 impulse, double h)
{
    STIC_ASSERT(h > 0.0);
    if (scheme == STIC_TURN_NEW1)
        return omega[1];
    const SticVec3 bracket = stic_vec3_add(carried_momentum(body->J, omega[0], h), impulse);
    if (scheme == STIC_TURN_NEW3)
        return implicit_velocity(body->J, omega[1], bracket, h);
    const SticMat3 turn = stic_rotation_exp(stic_vec3_scale(-0.5 * h, omega[1]));
    return stic_mat3_mul_vec(body->inverse, stic_mat3_mul_vec(turn, bracket));
}

// one step of the midpoint rule by Newton; false if it does not converge
static bool midpoint_velocity(SticMat3 J, SticVec3 start, double h, SticVec3* end)
{
    SticVec3 omega = start;
    for (int k = 0; k < 20; ++k) {
        const SticVec3 mean = stic_vec3_scale(0.5, stic_vec3_add(start, omega));
        const SticVec3 momentum = stic_mat3_mul_vec(J, mean);
        const SticVec3 change = stic_mat3_mul_vec(J, stic_vec3_sub(omega, start));
        const SticVec3 residual = stic_vec3_add_scaled(change, h, stic_vec3_cross(mean, momentum));
        // bodies with one moment of inertia, those that turn about a principal axis, and those that
        // turn so slowly that nothing but rounding is left
        if (stic_vec3_norm_max(residual) <= 0.25 * DBL_EPSILON * stic_vec3_norm_max(momentum)) {
            *end = omega;
            return true;
        }
        const SticMat3 slope =
            stic_mat3_sub(stic_mat3_mul(stic_mat3_skew(mean), J), stic_mat3_skew(momentum));
        SticMat3 inverse;
        if (!stic_mat3_inverse(stic_mat3_add_scaled(J, 0.5 * h, slope), &inverse))
            return false;
        const SticVec3 step = stic_mat3_mul_vec(inverse, residual);
        omega = stic_vec3_sub(omega, step);
        // Newton converges quadratically: a change of 1e-9 leaves an error at rounding level
        if (stic_vec3_norm(step) <= 1e-14 * stic_vec3_norm(omega)) {
            *end = omega;
            return true;
        }
    }
    return false;
}

// the same over `parts` steps that add up to h
static bool midpoint_turn(const SticTurnBody* body, double h, int32_t parts, SticVec3* omega,
                          SticQuat* turn)
{
    const double part = h / parts;
    for (int32_t k = 0; k < parts; ++k) {
        SticVec3 end;
        if (!midpoint_velocity(body->J, *omega, part, &end))
            return false;
        // cay[a] turns as the quaternion (1, a/2) does
        const SticVec3 half = stic_vec3_scale(0.25 * part, stic_vec3_add(*omega, end));
        const SticQuat step = stic_quat_normalize(stic_quat(1.0, half));
        *turn = stic_quat_mul(*turn, step);
        *omega = end;
    }
    return true;
}

SticVec3 stic_turn_half(const SticTurnBody* body, SticVec3 omega, double h, SticQuat* turn)
{
    // up to an angle of 1 Newton's method converges except for extreme inertias; with shorter and
    // shorter parts it converges for all of them
    enum { MOST_PARTS = 1 << 20 };
    int32_t parts = 1;
    while (h * stic_vec3_norm(omega) > parts && parts < MOST_PARTS)
        parts *= 2;
    for (; parts <= MOST_PARTS; parts *= 2) {
        SticVec3 end = omega;
        *turn = stic_quat(1.0, stic_vec3_zero());
        if (midpoint_turn(body, h, parts, &end, turn)) {
            *turn = stic_quat_normalize(*turn);
            return end;
        }
    }
    // not finite: the step will fail anyway
    return omega;
}

static void carry_by(SticVec3 angle, SticTurnState* state)
{
    const SticMat3 turn = stic_rotation_exp(angle);
    state->L = stic_mat3_mul(state->L, turn);
    state->momentum = stic_mat3_transpose_mul_vec(turn, state->momentum);
}

void stic_turn_carry(SticTurnScheme scheme, const SticTurnBody* body, SticVec3 torque, double h,
                     SticVec3 omega, SticTurnState* state)
{
    STIC_ASSERT(h > 0.0);
    state->momentum = stic_vec3_add_scaled(stic_mat3_mul_vec(body->J, omega), 0.5 * h, torque);
    if (scheme == STIC_TURN_SIMO_WONG) {
        const SticVec3 angle =
            stic_vec3_add_scaled(stic_vec3_scale(h, omega), 0.5 * h * h, state->acceleration);
        carry_by(angle, state);
        return;
    }
    SticVec3 w = omega;
    for (int k = 0; k < 2; ++k) {
        w = implicit_velocity(body->J, w, state->momentum, 0.5 * h);
        carry_by(stic_vec3_scale(0.5 * h, w), state);
    }
}

// SPDX-License-Identifier: Apache-2.0
// Rotation schemes: Koziara's NEW1, NEW2, NEW3, and two others to compare with.
//
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
#include "step/turn.h"

#include "stiction/math.h"

// momentum of the beginning carried to the mid-step body frame: exp[-h/2 Om] J Om
static SticVec3 carried_momentum(SticMat3 J, SticVec3 omega, double h)
{
    const SticMat3 turn = stic_rotation_exp(stic_vec3_scale(-0.5 * h, omega));
    return stic_mat3_mul_vec(turn, stic_mat3_mul_vec(J, omega));
}

SticVec3 stic_turn_free(const SticTurnBody* body, SticVec3 omega, SticVec3 impulse, double h)
{
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
    if (scheme == STIC_TURN_NEW1)
        return omega[1];
    const SticVec3 bracket = stic_vec3_add(carried_momentum(body->J, omega[0], h), impulse);
    if (scheme == STIC_TURN_NEW3)
        return implicit_velocity(body->J, omega[1], bracket, h);
    const SticMat3 turn = stic_rotation_exp(stic_vec3_scale(-0.5 * h, omega[1]));
    return stic_mat3_mul_vec(body->inverse, stic_mat3_mul_vec(turn, bracket));
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

// SPDX-License-Identifier: Apache-2.0
// Koziara's dynamic scheme (thesis 5.1.1-5.2.16, algorithm 12.0.1) with the rotation schemes NEW1,
// NEW2, NEW3.
//
//   half step to q(t+h/2); contacts with a gap <= 0 there take part
//   linear motion    u' = u + M^-1 (h f + H R)
//   rotation         Tm = body torque at mid-step, Lm = L exp[h/2 Om]
//                    Omm = J^-1 (exp[-h/2 Om] J Om + h/2 Tm)          (5.2.11)
//                    Omf = Om + h J^-1 (Tm - Omm x J Omm)             (5.2.12) enters the contact
//                    problem Om1 = Omf + J^-1 H_rot R
//     NEW1           Om' = Om1                                         (5.2.13)
//     NEW2           Om' = J^-1 exp[-h/2 Om1] (exp[-h/2 Om] J Om + h Tm + H_rot R)   (5.2.14)
//     NEW3           solve exp[h/2 Om'] J Om' = that bracket           (5.2.15) by Newton
//   second half step with u', rotations of NEW2 with Om1
//
// Holonomic joints are imposed on the mean velocity of the step (U+ + U- = 0): on the end velocity,
// as the text has it, the scheme is of first order and loses energy, which contradicts the thesis'
// own examples. Drives and prescribed velocities hold at the end of the step. Contacts take U+ +
// eta min(0, U-) (10.1.27), tangential restitution U+ + tau U-.
#include "step/parts.h"
#include "step/schemes.h"

#include "stiction/math.h"

typedef enum Rotation { NEW1, NEW2, NEW3 } Rotation;

typedef struct KoziaraSettings {
    int32_t rotation;
} KoziaraSettings;

static const char* const rotation_names[] = {"new1", "new2", "new3", NULL};
static const SticField fields[] = {
    STIC_FIELD_PICK(
        KoziaraSettings, rotation, NEW2, 2, rotation_names,
        "rotation scheme; new2 dissipates at large increments, new3 keeps energy bounded"),
};
const SticFieldTable stic_koziara_fields = {"koziara", fields, 1, sizeof(KoziaraSettings)};

/// What the end of a rotation needs: scheme, step, velocities of the beginning, impulses h Tm + H
/// R.
typedef struct Turn {
    Rotation rotation;
    double h;
    const double* u;
    const double* impulse;
} Turn;

static SticMat3 inertia_of(const SticBlockCsr* A, int32_t block)
{
    const double* value = A->value + A->value_at[A->begin[block]];
    SticMat3 J;
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
            J.m[r][c] = value[(3 + r) * 6 + 3 + c];
    return J;
}

// momentum of the beginning carried to the mid-step body frame: exp[-h/2 Om] J Om
static SticVec3 carried_momentum(SticMat3 J, SticVec3 omega, double h)
{
    const SticMat3 turn = stic_rotation_exp(stic_vec3_scale(-0.5 * h, omega));
    return stic_mat3_mul_vec(turn, stic_mat3_mul_vec(J, omega));
}

// J Omf from J Om and the torque impulse h Tm
static SticVec3 free_momentum(SticMat3 J, SticMat3 J_inverse, SticVec3 omega, SticVec3 impulse,
                              double h)
{
    const SticVec3 carried = carried_momentum(J, omega, h);
    const SticVec3 middle =
        stic_mat3_mul_vec(J_inverse, stic_vec3_add_scaled(carried, 0.5, impulse));
    const SticVec3 gyro = stic_vec3_cross(middle, stic_mat3_mul_vec(J, middle));
    const SticVec3 start = stic_mat3_mul_vec(J, omega);
    return stic_vec3_add_scaled(stic_vec3_add(start, impulse), -h, gyro);
}

// solve exp[h/2 w] J w = c; Newton with the differential of the exponential map
static SticVec3 new3_velocity(SticMat3 J, SticVec3 start, SticVec3 c, double h)
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

// the end velocity of one rotating block, from the impulse h Tm + H_rot R
static SticVec3 end_velocity(Rotation rotation, SticMat3 J, SticVec3 omega, SticVec3 omega1,
                             SticVec3 impulse, double h)
{
    if (rotation == NEW1)
        return omega1;
    const SticVec3 bracket = stic_vec3_add(carried_momentum(J, omega, h), impulse);
    if (rotation == NEW3)
        return new3_velocity(J, omega1, bracket, h);
    SticMat3 J_inverse;
    if (!stic_mat3_inverse(J, &J_inverse))
        return omega1;
    const SticMat3 turn = stic_rotation_exp(stic_vec3_scale(-0.5 * h, omega1));
    return stic_mat3_mul_vec(J_inverse, stic_mat3_mul_vec(turn, bracket));
}

// momentum on entry holds h f; on return M u_free
static void add_free_motion(const SticLayout* layout, const SticMass* mass, const double* u,
                            double h, double* momentum)
{
    for (int32_t i = 0; i < layout->blocks; ++i) {
        if (layout->chart[i] != STIC_CHART_ROTATION)
            continue;
        const double* omega = u + layout->u_at[i] + 3;
        double* rotation = momentum + layout->u_at[i] + 3;
        const SticVec3 start = stic_mat3_mul_vec(inertia_of(mass->A, i), stic_vec3_load(omega));
        const SticVec3 free = free_momentum(inertia_of(mass->A, i), inertia_of(mass->inverse, i),
                                            stic_vec3_load(omega), stic_vec3_load(rotation), h);
        // M u is added for all blocks below
        stic_vec3_store(stic_vec3_sub(free, start), rotation);
    }
    stic_block_csr_multiply(1.0, mass->A, u, 1.0, momentum);
}

// end velocities of all rotating blocks; `u_end` holds Om1 on entry
static void finish_rotations(const SticLayout* layout, const SticMass* mass, const Turn* turn,
                             double* u_end)
{
    for (int32_t i = 0; i < layout->blocks; ++i) {
        if (layout->chart[i] != STIC_CHART_ROTATION)
            continue;
        const int32_t at = layout->u_at[i] + 3;
        const SticVec3 end =
            end_velocity(turn->rotation, inertia_of(mass->A, i), stic_vec3_load(turn->u + at),
                         stic_vec3_load(u_end + at), stic_vec3_load(turn->impulse + at), turn->h);
        stic_vec3_store(end, u_end + at);
    }
}

static void shift_rows(const SticSet* set, const double* before, double* shift)
{
    for (int32_t i = 0; i < set->count; ++i) {
        const SticInteraction* interaction = &set->interaction[i];
        for (int32_t row = set->row_at[i]; row < set->row_at[i + 1]; ++row) {
            const bool first = row == set->row_at[i];
            if (interaction->level == STIC_LEVEL_POSITION)
                shift[row] = before[row];
            else if (interaction->level == STIC_LEVEL_CONTACT && first)
                shift[row] = interaction->restitution[0] * (before[row] < 0.0 ? before[row] : 0.0);
            else if (interaction->law != STIC_LAW_FREE)
                shift[row] = interaction->restitution[1] * before[row];
        }
    }
}

// prescribed velocities hold at the end of the step: chi there instead of mid-step
static SticStatus shift_drives(SticStepper* stepper, const SticSystem* system,
                               const SticMiddle* middle, double t_to, double* shift)
{
    const SticSet* set = &middle->directions.set;
    if (set->rows == 0 || (system->offers & STIC_OFFERS_SCLERONOMIC) != 0)
        return STIC_OK;
    SticDirections end = middle->directions;
    SticState state = middle->state;
    state.t = t_to;
    end.measures.chi = NULL;
    STIC_TRY(stic_directions_measure(stepper, system, &state, STIC_WANT_CHI, NULL, &end));
    for (int32_t i = 0; i < set->count; ++i)
        for (int32_t row = set->row_at[i];
             set->interaction[i].level == STIC_LEVEL_RATE && row < set->row_at[i + 1]; ++row)
            shift[row] += end.measures.chi[row] - middle->directions.measures.chi[row];
    return STIC_OK;
}

SticStatus stic_koziara_advance(SticStepper* stepper, const SticSystem* system,
                                const SticState* from, double t_to, SticState* to,
                                SticStepInfo* info)
{
    SticArena* arena = stepper->arena;
    const SticLayout* layout = &system->layout;
    const KoziaraSettings* settings = stepper->settings;
    const double h = t_to - from->t;
    SticMiddle middle;
    STIC_TRY(stic_parts_middle(stepper, system, from, h, &middle));
    stic_parts_count(&middle.directions, info);

    // free motion
    double *impulse = middle.force, *momentum = NULL;
    STIC_TRY(STIC_TAKE(arena, &momentum, layout->nu));
    for (int32_t c = 0; c < layout->nu; ++c)
        momentum[c] = impulse[c] *= h;
    add_free_motion(layout, &middle.mass, from->u, h, momentum);

    // reactions
    const SticSet* set = &middle.directions.set;
    SticProblem laws;
    double *shift = NULL, *r = NULL;
    STIC_TRY(stic_parts_problem(stepper, &middle.directions, h, &laws, &shift));
    STIC_TRY(STIC_TAKE(arena, &r, set->rows));
    shift_rows(set, middle.before, shift);
    STIC_TRY(shift_drives(stepper, system, &middle, t_to, shift));
    const SticStage stage = {&middle.directions, &middle.mass, momentum, &laws, from->memory};
    STIC_TRY(stic_parts_stage(stepper, &stage, r, to->u, info));

    // rotations get their momentum back; the second half step turns by Om1 for NEW2 (5.2.14) and by
    // the end velocity for the others
    if (set->rows > 0)
        stic_block_csr_multiply_transpose(1.0, &middle.directions.Ht, r, 1.0, impulse);
    const Turn turn = {(Rotation)settings->rotation, h, from->u, impulse};
    const bool early = turn.rotation == NEW2;
    if (early)
        stic_parts_drift(layout, middle.state.q, to->u, 0.5 * h, to->q);
    finish_rotations(layout, &middle.mass, &turn, to->u);
    if (!early)
        stic_parts_drift(layout, middle.state.q, to->u, 0.5 * h, to->q);
    to->t = t_to;
    const SticClosing closing = {&middle.directions, r, middle.before, &middle.state};
    return stic_parts_close(stepper, system, &closing, from, to, info);
}

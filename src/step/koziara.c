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
// own examples. Drives and the velocities of prescribed bodies at contacts hold at the end of the
// step: on the mean they would ring. Contacts take U+ + eta min(0, U-) (10.1.27), tangential
// restitution U+ + tau U-.
#include "step/parts.h"
#include "step/schemes.h"
#include "step/turn.h"

typedef struct KoziaraSettings {
    int32_t rotation;
    bool limit;
} KoziaraSettings;

static const char* const rotation_names[] = {"new1", "new2", "new3", "simo-wong", "liemid", NULL};
static const SticField fields[] = {
    STIC_FIELD_PICK(
        KoziaraSettings, rotation, STIC_TURN_NEW2, STIC_TURN_COUNT - 1, rotation_names,
        "rotation scheme; new2 dissipates at large increments, new3 keeps energy "
        "bounded; simo-wong and liemid are comparisons for bodies that nothing touches"),
    STIC_FIELD_FLAG(KoziaraSettings, limit, true,
                    "refuse steps beyond the stability limit of bodies that deform"),
};
const SticFieldTable stic_koziara_fields = {"koziara", fields, 2, sizeof(KoziaraSettings)};

/* ---- rotations ---- */

static bool is_comparison(SticTurnScheme scheme)
{
    return scheme == STIC_TURN_SIMO_WONG || scheme == STIC_TURN_LIEMID;
}

static SticMat3 turning_part(const SticBlockCsr* A, int32_t block)
{
    const double* value = A->value + A->value_at[A->begin[block]];
    SticMat3 J;
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
            J.m[r][c] = value[(3 + r) * 6 + 3 + c];
    return J;
}

static SticTurnBody body_of(const SticMass* mass, int32_t block)
{
    return (SticTurnBody){turning_part(mass->A, block), turning_part(mass->inverse, block)};
}

// momentum on entry holds h f; on return M u_free
static void add_free_motion(const SticLayout* layout, const SticMass* mass, const double* u,
                            double h, double* momentum)
{
    for (int32_t i = 0; i < layout->blocks; ++i) {
        if (layout->chart[i] != STIC_CHART_ROTATION)
            continue;
        const SticVec3 omega = stic_vec3_load(u + layout->u_at[i] + 3);
        double* rotation = momentum + layout->u_at[i] + 3;
        const SticTurnBody body = body_of(mass, i);
        const SticVec3 free = stic_turn_free(&body, omega, stic_vec3_load(rotation), h);
        // M u is added for all blocks below
        stic_vec3_store(stic_vec3_sub(free, stic_mat3_mul_vec(body.J, omega)), rotation);
    }
    stic_block_csr_multiply(1.0, mass->A, u, 1.0, momentum);
}

/// What the end of the rotations needs: velocities of the beginning, impulses h Tm + H R.
typedef struct Turn {
    SticTurnScheme scheme;
    double h;
    const double* u;
    const double* impulse;
} Turn;

// end velocities of all rotating blocks; `u_end` holds Om1 on entry
static void finish_rotations(const SticLayout* layout, const SticMass* mass, const Turn* turn,
                             double* u_end)
{
    for (int32_t i = 0; i < layout->blocks; ++i) {
        if (layout->chart[i] != STIC_CHART_ROTATION)
            continue;
        const int32_t at = layout->u_at[i] + 3;
        const SticVec3 omega[2] = {stic_vec3_load(turn->u + at), stic_vec3_load(u_end + at)};
        const SticTurnBody body = body_of(mass, i);
        const SticVec3 end =
            stic_turn_end(turn->scheme, &body, omega, stic_vec3_load(turn->impulse + at), turn->h);
        stic_vec3_store(end, u_end + at);
    }
}

/* ---- comparisons ---- */

// records of the scheme's own: behind all interactions
static uint64_t acceleration_id(int32_t block)
{
    return (uint64_t)15 << 60 | (uint64_t)block;
}

static SticStatus check_untouched(const SticSystem* system, const SticSet* set, SticError* error)
{
    for (int32_t i = 0; i < set->count; ++i)
        for (int k = 0; k < 2; ++k) {
            const int32_t block = set->interaction[i].block[k];
            if (block >= 0 && system->layout.chart[block] == STIC_CHART_ROTATION)
                return stic_error_set(error, STIC_UNSUPPORTED,
                                      "the rotation schemes simo-wong and liemid are comparisons "
                                      "without reactions; in system '%s' something touches a "
                                      "rotating body: take new1, new2 or new3",
                                      system->name);
        }
    return STIC_OK;
}

// angular acceleration of the beginning: remembered, at first from Euler's equation
static SticVec3 acceleration_of(const SticState* from, int32_t block, const SticTurnBody* body,
                                SticVec3 omega, SticVec3 torque)
{
    const SticMemoryRecord* record = stic_memory_find(from->memory, acceleration_id(block));
    if (record != NULL)
        return stic_vec3_load(record->reaction);
    const SticVec3 gyro = stic_vec3_cross(omega, stic_mat3_mul_vec(body->J, omega));
    return stic_mat3_mul_vec(body->inverse, stic_vec3_sub(torque, gyro));
}

// rotations of `to` by a comparison scheme; its positions are there, `turns` [blocks] is filled
static SticStatus compare_rotations(SticStepper* stepper, const SticSystem* system,
                                    const SticMass* mass, const SticState* from, SticState* to,
                                    SticTurnState* turns)
{
    const SticLayout* layout = &system->layout;
    const KoziaraSettings* settings = stepper->settings;
    const double h = to->t - from->t;
    double* force = NULL;
    STIC_TRY(STIC_TAKE(stepper->arena, &force, layout->nu));
    STIC_TRY(stic_system_force(system, from, stepper->arena, force));
    for (int32_t i = 0; i < layout->blocks; ++i) {
        if (layout->chart[i] != STIC_CHART_ROTATION)
            continue;
        const SticTurnBody body = body_of(mass, i);
        const SticVec3 omega = stic_vec3_load(from->u + layout->u_at[i] + 3);
        const SticVec3 torque = stic_vec3_load(force + layout->u_at[i] + 3);
        turns[i].L = stic_mat3_load(from->q + layout->q_at[i] + 3);
        turns[i].acceleration = acceleration_of(from, i, &body, omega, torque);
        stic_turn_carry((SticTurnScheme)settings->rotation, &body, torque, h, omega, &turns[i]);
        stic_mat3_store(turns[i].L, to->q + layout->q_at[i] + 3);
    }
    // the second half of the torque where the step ends
    const SticState end = {to->t, to->q, from->u, from->memory};
    STIC_TRY(stic_system_force(system, &end, stepper->arena, force));
    for (int32_t i = 0; i < layout->blocks; ++i) {
        if (layout->chart[i] != STIC_CHART_ROTATION)
            continue;
        const int32_t at = layout->u_at[i] + 3;
        const SticVec3 momentum =
            stic_vec3_add_scaled(turns[i].momentum, 0.5 * h, stic_vec3_load(force + at));
        const SticVec3 omega = stic_mat3_mul_vec(body_of(mass, i).inverse, momentum);
        const SticVec3 change = stic_vec3_sub(omega, stic_vec3_load(from->u + at));
        turns[i].acceleration =
            stic_vec3_sub(stic_vec3_scale(2.0 / h, change), turns[i].acceleration);
        stic_vec3_store(omega, to->u + at);
    }
    return STIC_OK;
}

static SticStatus remember_accelerations(const SticLayout* layout, const SticTurnState* turns,
                                         SticMemory* memory)
{
    int32_t count = memory->count;
    STIC_TRY(stic_memory_resize(memory, count + layout->blocks));
    for (int32_t i = 0; i < layout->blocks; ++i) {
        if (layout->chart[i] != STIC_CHART_ROTATION)
            continue;
        SticMemoryRecord record = {.id = acceleration_id(i)};
        stic_vec3_store(turns[i].acceleration, record.reaction);
        memory->record[count++] = record;
    }
    memory->count = count;
    return STIC_OK;
}

/* ---- reactions ---- */

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
            else if (interaction->law != STIC_LAW_FREE &&
                     (interaction->level != STIC_LEVEL_CONTACT || row < set->row_at[i] + 3))
                shift[row] = interaction->restitution[1] * before[row];
        }
    }
}

/// Velocities of prescribed motions at the ends of the step; NULL where there are none.
typedef struct Ends {
    double *begin, *end; // [rows] chi
    double* before;      // [rows] relative velocities of the beginning
    double* mean;        // [rows] of chi, for the ledger
} Ends;

// contacts and drives see prescribed velocities of the beginning in U-, of the end in U+; joints
// those of mid-step
static SticStatus find_ends(SticStepper* stepper, const SticSystem* system,
                            const SticMiddle* middle, double h, Ends* ends)
{
    const SticSet* set = &middle->directions.set;
    const double* own = middle->directions.measures.chi;
    *ends = (Ends){.before = middle->before};
    if (set->rows == 0 || (system->offers & STIC_OFFERS_SCLERONOMIC) != 0)
        return STIC_OK;
    STIC_TRY(STIC_TAKE(stepper->arena, &ends->begin, set->rows));
    STIC_TRY(STIC_TAKE(stepper->arena, &ends->end, set->rows));
    STIC_TRY(STIC_TAKE(stepper->arena, &ends->before, set->rows));
    STIC_TRY(STIC_TAKE(stepper->arena, &ends->mean, set->rows));
    STIC_TRY(stic_directions_chi(stepper, system, &middle->directions, &middle->state, -0.5 * h,
                                 ends->begin));
    STIC_TRY(stic_directions_chi(stepper, system, &middle->directions, &middle->state, 0.5 * h,
                                 ends->end));
    for (int32_t i = 0; i < set->count; ++i)
        for (int32_t row = set->row_at[i]; row < set->row_at[i + 1]; ++row) {
            if (set->interaction[i].level == STIC_LEVEL_POSITION)
                ends->begin[row] = ends->end[row] = own[row];
            ends->before[row] = middle->before[row] + (ends->begin[row] - own[row]);
            ends->mean[row] = 0.5 * (ends->begin[row] + ends->end[row]);
        }
    return STIC_OK;
}

SticStatus stic_koziara_advance(SticStepper* stepper, const SticSystem* system,
                                const SticState* from, double t_to, SticState* to,
                                SticStepInfo* info)
{
    SticArena* arena = stepper->arena;
    const SticLayout* layout = &system->layout;
    const KoziaraSettings* settings = stepper->settings;
    const SticTurnScheme scheme = (SticTurnScheme)settings->rotation;
    const double h = t_to - from->t;
    SticMiddle middle;
    SticTurnState* turns = NULL;
    STIC_TRY(stic_parts_check_step(system, from, h, settings->limit, info));
    STIC_TRY(stic_parts_middle(stepper, system, from, h, &middle));
    stic_parts_count(&middle.directions, info);
    if (is_comparison(scheme)) {
        STIC_TRY(check_untouched(system, &middle.directions.set, &info->error));
        STIC_TRY(STIC_TAKE(arena, &turns, layout->blocks));
    }

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
    Ends ends;
    STIC_TRY(find_ends(stepper, system, &middle, h, &ends));
    SticBondStart bonds;
    STIC_TRY(stic_parts_bonds(stepper, system, from, set, &bonds));
    shift_rows(set, ends.before, shift);
    stic_parts_close_gaps(set, middle.directions.measures.gap, h, from->memory, shift);
    stic_parts_bond_shift(set, &bonds, ends.before, (const double[]){1.0, 1.0 / h}, shift);
    for (int32_t row = 0; ends.end != NULL && row < set->rows; ++row)
        shift[row] += ends.end[row] - middle.directions.measures.chi[row];
    const uint8_t* opens = NULL;
    const SticStage stage = {&middle.directions, &middle.mass, momentum, &laws,
                             from->memory,       &opens};
    STIC_TRY(stic_parts_stage(stepper, &stage, r, to->u, info));

    // rotations get their momentum back; the second half step turns by Om1 for NEW2 (5.2.14) and by
    // the end velocity for the others
    if (set->rows > 0)
        stic_block_csr_multiply_transpose(1.0, &middle.directions.Ht, r, 1.0, impulse);
    const Turn turn = {scheme, h, from->u, impulse};
    const bool early = scheme == STIC_TURN_NEW2 || is_comparison(scheme);
    to->t = t_to;
    if (early)
        stic_parts_drift(layout, middle.state.q, to->u, 0.5 * h, to->q);
    if (turns != NULL)
        STIC_TRY(compare_rotations(stepper, system, &middle.mass, from, to, turns));
    else
        finish_rotations(layout, &middle.mass, &turn, to->u);
    if (!early)
        stic_parts_drift(layout, middle.state.q, to->u, 0.5 * h, to->q);
    const SticClosing closing = {&middle.directions, r,    middle.before, &middle.state,
                                 ends.mean,          NULL, opens};
    STIC_TRY(stic_parts_close(stepper, system, &closing, from, to, info));
    return scheme == STIC_TURN_SIMO_WONG ? remember_accelerations(layout, turns, to->memory)
                                         : STIC_OK;
}

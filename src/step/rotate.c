// SPDX-License-Identifier: Apache-2.0
// Rotations of all blocks in a step with reactions in its middle; turn.c does it for one body.
//
//   halves     x_M = x + h/2 v, free rotation over h/2; reactions act on the velocities there; the
//              same again. No gyroscopic term is left for the forces.
//   new1-new3  half a step at the velocities of the beginning; the body torque and the momentum at
//              mid-step give Omf, which enters the contact problem:
//                Tm = body torque at mid-step, Lm = L exp[h/2 Om]
//                Omm = J^-1 (exp[-h/2 Om] J Om + h/2 Tm)             (5.2.11)
//                Omf = Om + h J^-1 (Tm - Omm x J Omm)                (5.2.12)
//                Om1 = Omf + J^-1 H_rot R
//              new1    Om' = Om1                                                    (5.2.13)
//              new2    Om' = J^-1 exp[-h/2 Om1] (exp[-h/2 Om] J Om + h Tm + H_rot R) (5.2.14)
//              new3    exp[h/2 Om'] J Om' = that bracket, by Newton                 (5.2.15)
//              The second half turns by Om1 with new2, by Om' with the others.
//   explicit   the gyroscopic term at the velocities of the beginning, as a force
#include <string.h>

#include "math/math.h"
#include "problem/mass.h"
#include "step/leapfrog.h"
#include "stiction/extend/base.h"
#include "stiction/extend/sparse.h"

static bool is_comparison(SticTurnScheme scheme)
{
    return scheme == STIC_TURN_SIMO_WONG || scheme == STIC_TURN_LIEMID;
}

static bool is_rotation(const SticLayout* layout, int32_t block)
{
    return layout->chart[block] == STIC_CHART_ROTATION ||
           layout->chart[block] == STIC_CHART_QUATERNION;
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

/* ---- halves ---- */

// coordinates of a rotating block moved by half a step of free rotation
static void turn_half(const SticLayout* layout, int32_t block, const SticTurnBody* body, double h,
                      double* q, double* u)
{
    double *x = q + layout->q_at[block], *v = u + layout->u_at[block];
    SticQuat turn;
    const SticVec3 omega = stic_turn_half(body, stic_vec3_load(v + 3), h, &turn);
    stic_vec3_store(stic_vec3_add_scaled(stic_vec3_load(x), h, stic_vec3_load(v)), x);
    stic_vec3_store(omega, v + 3);
    if (layout->chart[block] == STIC_CHART_QUATERNION) {
        const SticQuat a = stic_quat_mul(stic_quat_load(x + 3), turn);
        stic_quat_store(stic_quat_normalize(a), x + 3);
    } else {
        const SticMat3 L = stic_mat3_mul(stic_mat3_load(x + 3), stic_quat_to_matrix(turn));
        stic_mat3_store(stic_rotation_clean(L), x + 3);
    }
}

// one block over a time, in place
static void drift_block(const SticLayout* layout, const SticMass* mass, int32_t block, double time,
                        double* q, double* u)
{
    double* x = q + layout->q_at[block];
    if (is_rotation(layout, block)) {
        const SticTurnBody body = body_of(mass, block);
        turn_half(layout, block, &body, time, q, u);
    } else {
        stic_chart_drift((SticChart)layout->chart[block],
                         layout->u_at[block + 1] - layout->u_at[block], x, u + layout->u_at[block],
                         time, x);
    }
}

// blocks of one piece of work: about 20 microseconds
enum { BLOCKS = 128 };

typedef struct Halves {
    SticLeap* leap;
    const SticMass* mass;
} Halves;

static void run_halves(Halves* halves, SticChunkWork work)
{
    const int32_t blocks = halves->leap->system->layout.blocks;
    SticPool* pool = stic_arena_context(halves->leap->stepper->arena)->pool;
    stic_pool_run(pool, (blocks + BLOCKS - 1) / BLOCKS, work, halves);
}

static void begin_chunk(void* self, int32_t chunk)
{
    const Halves* halves = self;
    SticLeap* leap = halves->leap;
    const SticLayout* layout = &leap->system->layout;
    for (int32_t i = chunk * BLOCKS; i < layout->blocks && i < (chunk + 1) * BLOCKS; ++i)
        drift_block(layout, halves->mass, i, 0.5 * leap->h, leap->middle.q, leap->middle.u);
}

static SticStatus begin_halves(SticLeap* leap)
{
    const SticLayout* layout = &leap->system->layout;
    SticMass mass;
    STIC_TRY(STIC_TAKE(leap->stepper->arena, &leap->middle.u, layout->nu));
    STIC_TRY(leap->system->ops->mass(leap->system, leap->from, leap->stepper->arena, &mass));
    memcpy(leap->middle.q, leap->from->q, (size_t)layout->nq * sizeof(double));
    memcpy(leap->middle.u, leap->from->u, (size_t)layout->nu * sizeof(double));
    Halves halves = {.leap = leap, .mass = &mass};
    run_halves(&halves, begin_chunk);
    return STIC_OK;
}

static void end_chunk(void* self, int32_t chunk)
{
    SticLeap* leap = ((const Halves*)self)->leap;
    const SticLayout* layout = &leap->system->layout;
    SticState* to = leap->to;
    for (int32_t i = chunk * BLOCKS; i < layout->blocks && i < (chunk + 1) * BLOCKS; ++i) {
        const double delay = leap->delay == NULL ? 0.0 : leap->delay[i];
        double* x = to->q + layout->q_at[i];
        drift_block(layout, &leap->mass, i, (0.5 - delay) * leap->h, to->q, to->u);
        if (delay == 0.0)
            continue;
        // forces act in the middle, whenever the impact is
        stic_chart_drift((SticChart)layout->chart[i], layout->u_at[i + 1] - layout->u_at[i], x,
                         leap->added + layout->u_at[i], delay * leap->h, x);
        stic_chart_normalize((SticChart)layout->chart[i], x);
    }
}

static void end_halves(SticLeap* leap)
{
    Halves halves = {.leap = leap, .mass = &leap->mass};
    memcpy(leap->to->q, leap->middle.q, (size_t)leap->system->layout.nq * sizeof(double));
    run_halves(&halves, end_chunk);
}

bool stic_rotate_can_delay(const SticLeap* leap)
{
    return leap->style.rotation == STIC_TURN_HALVES;
}

void stic_rotate_delay(SticLeap* leap)
{
    const SticLayout* layout = &leap->system->layout;
    for (int32_t i = 0; i < layout->blocks; ++i) {
        if (leap->delay[i] == 0.0)
            continue;
        const int32_t at = layout->u_at[i] + 3;
        const SticVec3 before =
            is_rotation(layout, i) ? stic_vec3_load(leap->middle.u + at) : stic_vec3_zero();
        drift_block(layout, &leap->mass, i, leap->delay[i] * leap->h, leap->middle.q,
                    leap->middle.u);
        if (!is_rotation(layout, i))
            continue;
        const SticVec3 change = stic_vec3_sub(stic_vec3_load(leap->middle.u + at), before);
        const SticVec3 moment = stic_mat3_mul_vec(turning_part(leap->mass.A, i), change);
        stic_vec3_store(stic_vec3_add(stic_vec3_load(leap->momentum + at), moment),
                        leap->momentum + at);
    }
}

double stic_rotate_delay_work(const SticLeap* leap)
{
    // the end lies where the reactions' part of u+ has acted for (1/2 - delay) h instead of h/2
    const SticLayout* layout = &leap->system->layout;
    double work = 0.0;
    for (int32_t i = 0; i < layout->blocks; ++i)
        for (int32_t c = layout->u_at[i]; leap->delay[i] != 0.0 && c < layout->u_at[i + 1]; ++c)
            work += leap->delay[i] * leap->impulse[c] *
                    (leap->to->u[c] - leap->middle.u[c] - leap->added[c]);
    return work;
}

/* ---- Koziara's schemes ---- */

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

// end velocities of all rotating blocks; to->u holds Om1 on entry, impulse h Tm + H R
static void finish_rotations(const SticLeap* leap)
{
    const SticLayout* layout = &leap->system->layout;
    for (int32_t i = 0; i < layout->blocks; ++i) {
        if (layout->chart[i] != STIC_CHART_ROTATION)
            continue;
        const int32_t at = layout->u_at[i] + 3;
        const SticVec3 omega[2] = {stic_vec3_load(leap->from->u + at),
                                   stic_vec3_load(leap->to->u + at)};
        const SticTurnBody body = body_of(&leap->mass, i);
        const SticVec3 end = stic_turn_end(leap->style.rotation, &body, omega,
                                           stic_vec3_load(leap->impulse + at), leap->h);
        stic_vec3_store(end, leap->to->u + at);
    }
}

/* ---- comparisons ---- */

// records of the scheme's own, after those of all interactions
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

// rotations of the end by a comparison scheme; its positions are there
static SticStatus compare_rotations(SticLeap* leap)
{
    SticStepper* stepper = leap->stepper;
    const SticSystem* system = leap->system;
    const SticLayout* layout = &system->layout;
    const SticState* from = leap->from;
    const SticMass* mass = &leap->mass;
    SticState* to = leap->to;
    SticTurnState* turns = leap->turns;
    const double h = leap->h;
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
        stic_turn_carry(leap->style.rotation, &body, torque, h, omega, &turns[i]);
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

SticStatus stic_rotate_remember(const SticLeap* leap)
{
    const SticLayout* layout = &leap->system->layout;
    SticMemory* memory = leap->to->memory;
    int32_t count = memory->count;
    if (leap->style.rotation != STIC_TURN_SIMO_WONG)
        return STIC_OK;
    STIC_TRY(stic_memory_resize(memory, count + layout->blocks));
    for (int32_t i = 0; i < layout->blocks; ++i) {
        if (layout->chart[i] != STIC_CHART_ROTATION)
            continue;
        SticMemoryRecord record = {.id = acceleration_id(i)};
        stic_vec3_store(leap->turns[i].acceleration, record.reaction);
        memory->record[count++] = record;
    }
    memory->count = count;
    return STIC_OK;
}

/* ---- the parts of a step ---- */

bool stic_rotate_changes_velocity(const SticLeap* leap)
{
    return leap->style.rotation == STIC_TURN_HALVES;
}

SticStatus stic_rotate_begin(SticLeap* leap)
{
    const SticState* from = leap->from;
    leap->middle = (SticState){.t = from->t + 0.5 * leap->h, .u = from->u, .memory = from->memory};
    STIC_TRY(STIC_TAKE(leap->stepper->arena, &leap->middle.q, leap->system->layout.nq));
    if (leap->style.rotation == STIC_TURN_HALVES)
        return begin_halves(leap);
    stic_parts_drift(&leap->system->layout, from->q, from->u, 0.5 * leap->h, leap->middle.q);
    return STIC_OK;
}

SticStatus stic_rotate_momentum(SticLeap* leap)
{
    const SticSystem* system = leap->system;
    const int32_t nu = system->layout.nu;
    SticArena* arena = leap->stepper->arena;
    double *impulse = leap->impulse, *momentum = NULL;
    STIC_TRY(STIC_TAKE(arena, &momentum, nu));
    leap->momentum = momentum;
    if (leap->style.rotation == STIC_TURN_EXPLICIT || leap->style.rotation == STIC_TURN_HALVES) {
        memcpy(momentum, impulse, (size_t)nu * sizeof *momentum);
        if (leap->style.rotation == STIC_TURN_EXPLICIT)
            STIC_TRY(stic_system_add_gyro(system, &leap->middle, &leap->mass, arena, momentum));
        else
            STIC_TRY(stic_system_add_inertia(system, &leap->middle, arena, momentum));
        stic_mass_multiply(&leap->mass, leap->middle.u, leap->h, momentum);
    }
    for (int32_t c = 0; c < nu; ++c)
        impulse[c] *= leap->h;
    if (leap->style.rotation != STIC_TURN_EXPLICIT && leap->style.rotation != STIC_TURN_HALVES) {
        memcpy(momentum, impulse, (size_t)nu * sizeof *momentum);
        add_free_motion(&system->layout, &leap->mass, leap->middle.u, leap->h, momentum);
    }
    if (!is_comparison(leap->style.rotation))
        return STIC_OK;
    return STIC_TAKE(arena, &leap->turns, system->layout.blocks);
}

static SticStatus end_koziara(SticLeap* leap)
{
    const SticLayout* layout = &leap->system->layout;
    SticState* to = leap->to;
    // rotations get their momentum back; the second half step turns by Om1 for NEW2 (5.2.14) and by
    // the end velocity for the others
    const bool early = leap->style.rotation == STIC_TURN_NEW2 || leap->turns != NULL;
    if (early)
        stic_parts_drift(layout, leap->middle.q, to->u, 0.5 * leap->h, to->q);
    if (leap->turns != NULL) {
        STIC_TRY(check_untouched(leap->system, &leap->directions.set, &leap->info->error));
        STIC_TRY(compare_rotations(leap));
    } else {
        finish_rotations(leap);
    }
    if (!early)
        stic_parts_drift(layout, leap->middle.q, to->u, 0.5 * leap->h, to->q);
    return STIC_OK;
}

SticStatus stic_rotate_end(SticLeap* leap)
{
    const SticLayout* layout = &leap->system->layout;
    SticState* to = leap->to;
    if (leap->style.rotation == STIC_TURN_HALVES) {
        end_halves(leap);
        return STIC_OK;
    }
    if (leap->style.rotation != STIC_TURN_EXPLICIT)
        return end_koziara(leap);
    stic_parts_drift(layout, leap->middle.q, to->u, 0.5 * leap->h, to->q);
    for (int32_t i = 0; i < layout->blocks; ++i)
        stic_chart_normalize((SticChart)layout->chart[i], to->q + layout->q_at[i]);
    return STIC_OK;
}

// SPDX-License-Identifier: Apache-2.0
// The step that moreau and koziara share.
//
//   1  half a step to the middle: q_M, velocities u- (rotate.c)
//   2  contacts there: those that may close within the step, or with a gap <= 0
//   3  M u+ = M u- + h f + H r, with the laws of contacts and joints (gap_law.c, or the scheme's
//      own law on velocities)
//   4  half a step at u+; timed impacts move q_E
//
// Cost: one detection, two measures, one problem. Contacts on curved surfaces that carried
// something are also searched for at the beginning of the step, pair by pair.
#include "step/leapfrog.h"

#include <math.h>
#include <string.h>

#include "problem/mass.h"
#include "step/gap_law.h"
#include "step/momentum.h"
#include "step/stray.h"
#include "step/tension.h"
#include "stiction/extend/base.h"
#include "stiction/extend/sparse.h"

/* ---- the middle ---- */

static SticStatus find_middle(SticLeap* leap)
{
    const SticSystem* system = leap->system;
    SticArena* arena = leap->stepper->arena;
    STIC_TRY(stic_rotate_begin(leap));
    STIC_TRY(STIC_TAKE(arena, &leap->applied, system->layout.nu));
    STIC_TRY(STIC_TAKE(arena, &leap->impulse, system->layout.nu));
    STIC_TRY(system->ops->mass(system, &leap->middle, arena, &leap->mass));
    STIC_TRY(system->ops->force(system, &leap->middle, leap->applied));
    STIC_TRY(stic_system_potential_force(system, &leap->middle, arena, leap->impulse, NULL));
    for (int32_t c = 0; c < system->layout.nu; ++c)
        leap->impulse[c] += leap->applied[c];
    return stic_rotate_momentum(leap);
}

// gap, chi and H of the set at hand, and the velocities before the reactions
static SticStatus measure(SticLeap* leap)
{
    SticDirections* directions = &leap->directions;
    STIC_TRY(stic_directions_prepare(leap->stepper, leap->system, directions));
    const bool bare = leap->system->speeds;
    const uint32_t want = STIC_WANT_GAP | STIC_WANT_CHI | STIC_WANT_H | STIC_WANT_SPEED |
                          (bare ? STIC_WANT_TANGENT : 0);
    // what forces add, while directions are at hand
    directions->measures.further = leap->added;
    if (leap->added != NULL)
        STIC_TRY(STIC_TAKE(leap->stepper->arena, &directions->measures.further_speed,
                           directions->set.rows));
    STIC_TRY(stic_directions_measure(leap->stepper, leap->system, &leap->middle, want, NULL,
                                     directions));
    if (bare)
        directions->set.tangent = (const double(*)[6])directions->measures.tangent;
    leap->before = directions->measures.speed;
    return STIC_OK;
}

static SticStatus detect(SticLeap* leap, const SticReach* reach)
{
    SticReach own = *reach;
    memset(&leap->directions, 0, sizeof leap->directions);
    // tangents are measured with the rest
    own.bare = leap->system->speeds;
    return leap->system->ops->detect(leap->system, &leap->middle, &own, leap->stepper->arena,
                                     &leap->directions.set);
}

/* ---- prescribed motions ---- */

/// Velocities of prescribed motions at the ends of the step; NULL where there are none.
typedef struct Ends {
    double *begin, *end; // [rows] chi
    double* before;      // [rows] relative velocities before the reactions
    double* mean;        // [rows] of chi, for the ledger
} Ends;

// contacts and drives see prescribed velocities of the beginning in U-, of the end in U+; joints
// those of mid-step
static SticStatus find_ends(SticLeap* leap, bool wanted, Ends* ends)
{
    SticStepper* stepper = leap->stepper;
    const SticDirections* directions = &leap->directions;
    const SticSet* set = &directions->set;
    const double *own = directions->measures.chi, h = leap->h;
    *ends = (Ends){.before = leap->before};
    if (!wanted || set->rows == 0 || (leap->system->offers & STIC_OFFERS_SCLERONOMIC) != 0)
        return STIC_OK;
    STIC_TRY(STIC_TAKE(stepper->arena, &ends->begin, set->rows));
    STIC_TRY(STIC_TAKE(stepper->arena, &ends->end, set->rows));
    STIC_TRY(STIC_TAKE(stepper->arena, &ends->before, set->rows));
    STIC_TRY(STIC_TAKE(stepper->arena, &ends->mean, set->rows));
    STIC_TRY(stic_directions_chi(stepper, leap->system, directions, &leap->middle, -0.5 * h,
                                 ends->begin));
    STIC_TRY(
        stic_directions_chi(stepper, leap->system, directions, &leap->middle, 0.5 * h, ends->end));
    for (int32_t i = 0; i < set->count; ++i)
        for (int32_t row = set->row_at[i]; row < set->row_at[i + 1]; ++row) {
            if (set->interaction[i].level == STIC_LEVEL_POSITION)
                ends->begin[row] = ends->end[row] = own[row];
            ends->before[row] = leap->before[row] + (ends->begin[row] - own[row]);
            ends->mean[row] = 0.5 * (ends->begin[row] + ends->end[row]);
        }
    return STIC_OK;
}

/* ---- the law on gaps ---- */

// what forces and prescribed motions add to the relative velocities in the step
static double* find_gain(const SticLeap* leap, const Ends* ends)
{
    const SticDirections* directions = &leap->directions;
    double* gain = directions->measures.further_speed;
    for (int32_t row = 0; ends->end != NULL && row < directions->set.rows; ++row)
        gain[row] += ends->end[row] - ends->begin[row];
    return gain;
}

// everything that the law on gaps needs, for the set at hand
static SticStatus fill_law(SticLeap* leap, Ends* ends, SticGapLaw* law)
{
    SticArena* arena = leap->stepper->arena;
    const SticSet* set = &leap->directions.set;
    double* r = NULL;
    STIC_TRY(measure(leap));
    STIC_TRY(find_ends(leap, true, ends));
    STIC_TRY(STIC_TAKE(arena, &r, set->rows));
    stic_parts_warm_start(set, leap->from->memory, r);
    *law = (SticGapLaw){.set = set,
                        .h = leap->h,
                        .until = stic_gap_law_until(leap->stepper, leap->h, 0.5),
                        .share = 1.0,
                        .gap = leap->directions.measures.gap,
                        .before = ends->before,
                        .gain = find_gain(leap, ends),
                        .may_time = stic_rotate_can_delay(leap),
                        .r = r};
    if (set->rows == 0)
        return STIC_OK;
    return stic_gap_law_start(leap->stepper, leap->system, &leap->directions, leap->from, law);
}

// move the bodies of timed impacts from the middle to where these happen
static SticStatus place_impacts(SticLeap* leap, const SticGapLaw* law)
{
    const SticSet* set = law->set;
    const int32_t blocks = leap->system->layout.blocks;
    for (int32_t i = 0; i < set->count; ++i) {
        const SticInteraction* interaction = &set->interaction[i];
        if (interaction->level != STIC_LEVEL_CONTACT || isnan(law->delay[i]))
            continue;
        if (leap->delay == NULL) {
            STIC_TRY(STIC_TAKE(leap->stepper->arena, &leap->delay, blocks));
            memset(leap->delay, 0, (size_t)blocks * sizeof *leap->delay);
        }
        for (int k = 0; k < 2; ++k)
            if (interaction->block[k] >= 0)
                leap->delay[interaction->block[k]] = law->delay[i];
    }
    if (leap->delay != NULL)
        stic_rotate_delay(leap);
    return STIC_OK;
}

// directions of timed impacts where they happen: their bodies meet nothing else, so that all others
// stay as they are
static SticStatus measure_impacts(SticLeap* leap, Ends* ends, SticGapLaw* law)
{
    STIC_TRY(place_impacts(leap, law));
    if (leap->delay == NULL)
        return STIC_OK;
    SticDirections* directions = &leap->directions;
    STIC_TRY(stic_directions_measure(leap->stepper, leap->system, &leap->middle, STIC_WANT_H, NULL,
                                     directions));
    stic_directions_velocity(directions, leap->middle.u, leap->before);
    stic_block_csr_multiply_on(directions->pool, 1.0, &directions->Ht, leap->added, 0.0,
                               directions->measures.further_speed);
    for (int32_t row = 0; ends->begin != NULL && row < law->set->rows; ++row)
        ends->before[row] =
            leap->before[row] + (ends->begin[row] - leap->directions.measures.chi[row]);
    law->gain = find_gain(leap, ends);
    return STIC_OK;
}

// contacts that may close within the step
static SticStatus find_closing(SticLeap* leap, Ends* ends, SticGapLaw* law)
{
    SticArena* arena = leap->stepper->arena;
    const int32_t blocks = leap->system->layout.blocks;
    const int32_t nu = leap->system->layout.nu;
    double* free = NULL;
    bool all = true;
    STIC_TRY(STIC_TAKE(arena, &free, nu));
    STIC_TRY(STIC_TAKE(arena, &leap->added, nu));
    stic_mass_divide(&leap->mass, leap->momentum, free);
    for (int32_t c = 0; c < nu; ++c)
        leap->added[c] = free[c] - leap->middle.u[c];
    struct SticStray* stray = leap->stepper->stray;
    const double* change = stic_stray_change(stray, leap->added);
    const double until = stic_gap_law_until(leap->stepper, leap->h, 0.5);
    STIC_TRY(detect(leap, &(SticReach){.time = until, .u = free, .change = change}));
    stic_stray_note(&leap->directions.set, leap->h / until, leap->info);
    STIC_TRY(fill_law(leap, ends, law));
    STIC_TRY(stic_gap_law_choose(law, blocks, arena, &all));
    STIC_TRY(stic_gap_law_leave(leap->system, &leap->middle, arena, law, &all));
    if (!all) {
        SticSet part;
        STIC_TRY(stic_parts_keep(arena, law->set, law->role, &part));
        leap->directions = (SticDirections){.set = part};
        STIC_TRY(fill_law(leap, ends, law));
        STIC_TRY(stic_gap_law_choose(law, blocks, arena, &all));
    }
    stic_stray_leave(stray, &(struct SticStray){leap->directions.set, free, leap->added,
                                                until - 0.5 * leap->h, NULL});
    return measure_impacts(leap, ends, law);
}

/* ---- the step ---- */

// contacts of the step with the law on velocities
static SticStatus find_closed(SticLeap* leap, Ends* ends)
{
    STIC_TRY(detect(leap, &(SticReach){.gap = 0.0}));
    STIC_TRY(measure(leap));
    return find_ends(leap, leap->style.ends, ends);
}

// shifts of all rows; `law` is NULL for the law on velocities
static SticStatus shift_laws(SticLeap* leap, const Ends* ends, const SticGapLaw* law, double* shift)
{
    const SticSet* set = &leap->directions.set;
    SticBondStart bonds;
    STIC_TRY(stic_parts_bonds(leap->stepper, leap->system, leap->from, set, &bonds));
    if (law != NULL) {
        stic_gap_law_shift(law, shift);
    } else {
        leap->style.velocity_law(set, ends->before, shift);
        stic_parts_close_gaps(set, leap->directions.measures.gap, leap->h, leap->from->memory,
                              shift);
    }
    stic_parts_bond_shift(set, &bonds, ends->before, (const double[]){1.0, 1.0 / leap->h}, shift);
    for (int32_t row = 0; ends->end != NULL && row < set->rows; ++row)
        shift[row] += ends->end[row] - leap->directions.measures.chi[row];
    return STIC_OK;
}

// velocities that friction opposes: those of the law, with the turning of the contact
static SticStatus find_slip(SticLeap* leap, const double* shift)
{
    const SticSet* set = &leap->directions.set;
    STIC_TRY(STIC_TAKE(leap->stepper->arena, &leap->slip, set->rows));
    for (int32_t row = 0; row < set->rows; ++row)
        leap->slip[row] = leap->after[row] + shift[row];
    for (int32_t i = 0; i < set->count; ++i)
        if (set->interaction[i].level == STIC_LEVEL_CONTACT)
            leap->slip[set->row_at[i]] = leap->after[set->row_at[i]];
    return STIC_OK;
}

// velocities after the reactions are summed up by kick alone
static bool is_kicked(const SticLeap* leap)
{
    return stic_rotate_changes_velocity(leap) && leap->system->ops->gyro == NULL;
}

// reactions and velocities after them; `opens` says which bonds do
static SticStatus solve(SticLeap* leap, const Ends* ends, const SticGapLaw* law, double* r,
                        const uint8_t** opens)
{
    SticProblem laws;
    double* shift = NULL;
    STIC_TRY(stic_parts_problem(leap->stepper, &leap->directions, leap->h, &laws, &shift));
    STIC_TRY(shift_laws(leap, ends, law, shift));
    // the law on gaps has already looked up the last reactions
    if (law != NULL)
        memcpy(r, law->r, (size_t)laws.rows * sizeof *r);
    const SticStage stage = {&leap->directions,
                             &leap->mass,
                             leap->momentum,
                             &laws,
                             law != NULL ? NULL : leap->from->memory,
                             opens};
    stic_parts_tell(leap->stepper, leap->system, &leap->directions.set, ends->before);
    if (law != NULL && ends->end == NULL)
        leap->stepper->rows.gain = law->gain;
    double* v = is_kicked(leap) && leap->delay == NULL ? NULL : leap->to->u;
    STIC_TRY(stic_parts_stage_relative(leap->stepper, &stage, r, v, &leap->after, leap->info));
    return law == NULL ? STIC_OK : find_slip(leap, shift);
}

// velocities after the reactions, also into to->u. Added to those before: M^-1 M u- differs from u-
// by a rounding that has a sign, and eats 1e-11 of the energy of a free body in 1e5 steps.
static SticStatus kick(SticLeap* leap, double** kicked)
{
    const int32_t nu = leap->system->layout.nu;
    STIC_TRY(STIC_TAKE(leap->stepper->arena, kicked, nu));
    if (is_kicked(leap)) {
        stic_mass_divide(&leap->mass, leap->impulse, leap->to->u);
        for (int32_t c = 0; c < nu; ++c)
            leap->to->u[c] += leap->middle.u[c];
    }
    memcpy(*kicked, leap->to->u, (size_t)nu * sizeof **kicked);
    return STIC_OK;
}

// the promise on momentum: forces must explain its change
static void judge_momentum(const SticLeap* leap, const double* r, SticMomentum* momentum)
{
    SticOutside outside = {.size = 0.0};
    stic_momentum_outside(&leap->directions, r, &outside);
    stic_momentum_take(&outside, momentum);
    stic_momentum_add(leap->system, &leap->mass, leap->to->u, 1.0, momentum);
    stic_momentum_add(leap->system, &leap->mass, leap->from->u, -1.0, momentum);
    leap->info->violation[STIC_PROMISE_MOMENTUM] =
        stic_momentum_missed(leap->system, momentum, leap->stepper->passed);
}

// how far bodies swing in the step under the tension of their joints
static SticStatus find_swing(SticLeap* leap, const double* r)
{
    double most = 0.0;
    if (leap->system->jointed != NULL)
        STIC_TRY(stic_tension(&(SticPulls){&leap->directions, &leap->mass, &leap->system->layout, r,
                                           1u << STIC_LEVEL_POSITION},
                              leap->stepper->arena, &most));
    leap->info->swing = sqrt(leap->h * most);
    return STIC_OK;
}

SticStatus stic_leap(SticLeap* leap, double t_to)
{
    SticArena* arena = leap->stepper->arena;
    const SticSystem* system = leap->system;
    const bool gaps = leap->stepper->law == STIC_CONTACT_LAW_GAP;
    leap->h = t_to - leap->from->t;
    leap->to->t = t_to;
    STIC_TRY(stic_parts_check_step(system, leap->from, leap->h, leap->style.limit, leap->info));
    STIC_TRY(find_middle(leap));
    Ends ends;
    SticGapLaw law;
    STIC_TRY(gaps ? find_closing(leap, &ends, &law) : find_closed(leap, &ends));

    const SticSet* set = &leap->directions.set;
    double *r = NULL, *allowance = NULL, *kicked = NULL;
    const uint8_t* opens = NULL;
    STIC_TRY(STIC_TAKE(arena, &r, set->rows));
    STIC_TRY(solve(leap, &ends, gaps ? &law : NULL, r, &opens));
    if (gaps)
        STIC_TRY(stic_gap_law_count(&law, r, arena, &allowance, leap->info));
    else
        stic_parts_count(&leap->directions, leap->info);
    const bool changes = stic_rotate_changes_velocity(leap);
    if (leap->delay != NULL)
        leap->info->ledger.impact += stic_rotate_delay_work(leap);
    SticMomentum momentum = {.size = 0.0};
    stic_momentum_explain(system, leap->impulse, 1.0, &momentum);
    if (set->rows > 0)
        stic_block_csr_multiply_transpose(1.0, &leap->directions.Ht, r, 1.0, leap->impulse);
    if (changes)
        STIC_TRY(kick(leap, &kicked));
    STIC_TRY(stic_rotate_end(leap));
    judge_momentum(leap, r, &momentum);
    STIC_TRY(find_swing(leap, r));
    const bool own = leap->style.rotation == STIC_TURN_EXPLICIT || changes;
    const SticClosing closing = {.directions = &leap->directions,
                                 .r = r,
                                 .before = leap->before,
                                 .at = &leap->middle,
                                 // timed impacts move the middle
                                 .force = leap->delay == NULL ? leap->applied : NULL,
                                 .chi = ends.mean,
                                 .after = own ? leap->after : NULL,
                                 .u = {changes ? leap->middle.u : NULL, kicked},
                                 .velocity = leap->slip,
                                 .last = gaps ? law.r : NULL,
                                 .allowance = allowance,
                                 .opens = opens};
    STIC_TRY(stic_parts_close(leap->stepper, system, &closing, leap->from, leap->to, leap->info));
    return stic_rotate_remember(leap);
}

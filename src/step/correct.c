// SPDX-License-Identifier: Apache-2.0
// Position correction: overlaps and open joints that the velocity level leaves are taken back.
//
//   min 1/2 d' M d   with   H'd + s >= 0 (contacts),  H'd + s = 0 (joints),
//   s = rate (g + allowance) where a contact is deeper than the allowance, g + allowance where it
//   is not, rate g for joints
//
// d is a displacement, not a velocity: only the coordinates move, along their charts, and what that
// does to the potential energy is the ledger's term `correction`. It is a projection of the kind
// that Möller (2011, section 5.2) and others use after a step; nothing else in a step depends on
// it. The allowance keeps contacts closed, so that the next step finds them. Friction rows take no
// part. Cost: one detection and one problem with normal rows, only if something is too deep.
#include <math.h>
#include <string.h>

#include "step/parts.h"

// contacts with their normal row alone, and joints
static SticStatus select_gaps(SticStepper* stepper, const SticSystem* system,
                              const SticState* state, double reach, SticDirections* directions)
{
    SticSet all;
    SticArena* arena = stepper->arena;
    memset(directions, 0, sizeof *directions);
    const SticReach near = {.gap = reach};
    STIC_TRY(system->ops->detect(system, state, &near, arena, &all));
    const uint32_t levels = 1u << STIC_LEVEL_POSITION | 1u << STIC_LEVEL_CONTACT;
    STIC_TRY(stic_parts_select(arena, &all, levels, &directions->set));
    SticSet* set = &directions->set;
    SticInteraction* interaction = NULL;
    int32_t* row_at = NULL;
    STIC_TRY(STIC_TAKE(arena, &interaction, set->count));
    STIC_TRY(STIC_TAKE(arena, &row_at, set->count + 1));
    row_at[0] = 0;
    for (int32_t i = 0; i < set->count; ++i) {
        interaction[i] = set->interaction[i];
        interaction[i].cohesion = 0.0;
        if (interaction[i].level == STIC_LEVEL_CONTACT) {
            interaction[i].law = STIC_LAW_NONNEG;
            interaction[i].rows = 1;
        }
        row_at[i + 1] = row_at[i] + interaction[i].rows;
    }
    set->interaction = interaction;
    set->row_at = row_at;
    set->rows = row_at[set->count];
    STIC_TRY(stic_directions_prepare(stepper, system, directions));
    return stic_directions_measure(stepper, system, state,
                                   STIC_WANT_GAP | STIC_WANT_CHI | STIC_WANT_H, NULL, directions);
}

// shifts of the problem; returns the largest overlap beyond the allowance, or joint gap
static double fill_shift(const SticDirections* directions, const SticCorrection* correction,
                         double* shift)
{
    const SticSet* set = &directions->set;
    double worst = 0.0;
    for (int32_t i = 0; i < set->count; ++i)
        for (int32_t row = set->row_at[i]; row < set->row_at[i + 1]; ++row) {
            double gap = directions->measures.gap[row];
            const bool contact = set->interaction[i].level == STIC_LEVEL_CONTACT;
            if (contact)
                gap += correction->allowance;
            shift[row] = contact && gap > 0.0 ? gap : correction->rate * gap;
            const double excess = contact ? -gap : fabs(gap) - correction->allowance;
            worst = excess > worst ? excess : worst;
        }
    return worst;
}

static SticStatus displace(SticStepper* stepper, const SticSystem* system,
                           const SticDirections* directions, const SticProblem* laws,
                           SticState* state, SticSolveInfo* info)
{
    SticArena* arena = stepper->arena;
    const SticLayout* layout = &system->layout;
    SticMass mass;
    double *zero = NULL, *r = NULL, *u = NULL, *d = NULL, *scratch = NULL, *q = NULL;
    STIC_TRY(system->ops->mass(system, state, arena, &mass));
    STIC_TRY(STIC_TAKE(arena, &zero, layout->nu + directions->set.rows));
    STIC_TRY(STIC_TAKE(arena, &r, directions->set.rows));
    STIC_TRY(STIC_TAKE(arena, &u, directions->set.rows));
    STIC_TRY(STIC_TAKE(arena, &d, layout->nu));
    STIC_TRY(STIC_TAKE(arena, &scratch, layout->nu));
    STIC_TRY(STIC_TAKE(arena, &q, layout->nq));
    memset(zero, 0, (size_t)(layout->nu + directions->set.rows) * sizeof *zero);
    memset(r, 0, (size_t)directions->set.rows * sizeof *r);
    SticProblem problem = *laws;
    problem.dof = layout->nu;
    problem.M = &mass;
    problem.Ht = &directions->Ht;
    problem.f = zero;
    problem.w = zero + layout->nu;
    SticSolveRequest request = stepper->solve;
    request.settings.warm_start = false;
    STIC_TRY(stic_solve(&problem, &request, r, u, info));
    if (info->outcome != STIC_OUTCOME_SOLVED)
        return STIC_OK;
    stic_parts_velocity(&mass, &directions->Ht, zero, r, d, scratch);
    stic_parts_drift(layout, state->q, d, 1.0, q);
    for (int32_t i = 0; i < layout->blocks; ++i)
        stic_chart_normalize((SticChart)layout->chart[i], q + layout->q_at[i]);
    memcpy(state->q, q, (size_t)layout->nq * sizeof *q);
    return STIC_OK;
}

SticStatus stic_step_correct(SticStepper* stepper, const SticSystem* system,
                             const SticCorrection* correction, SticState* state, SticStepInfo* info)
{
    SticDirections directions;
    SticProblem laws;
    SticSolveInfo solve = {.outcome = STIC_OUTCOME_SOLVED};
    double *shift = NULL, before = 0.0, after = 0.0;
    info->corrected = 0.0;
    info->correction = STIC_OUTCOME_SOLVED;
    // behind the record that the step has left in the arena
    const SticArenaMark mark = stic_arena_mark(stepper->arena);
    STIC_TRY(select_gaps(stepper, system, state, correction->allowance, &directions));
    STIC_TRY(stic_parts_problem(stepper, &directions, 0.0, &laws, &shift));
    const double worst = fill_shift(&directions, correction, shift);
    if (worst == 0.0) {
        stic_arena_rewind(stepper->arena, mark);
        return STIC_OK;
    }
    STIC_TRY(stic_system_potential(system, state, stepper->arena, &before));
    const SticStatus status = displace(stepper, system, &directions, &laws, state, &solve);
    if (status != STIC_OK) {
        info->error = solve.error;
        return status;
    }
    STIC_TRY(stic_system_potential(system, state, stepper->arena, &after));
    info->corrected = solve.outcome == STIC_OUTCOME_SOLVED ? correction->rate * worst : 0.0;
    info->correction = solve.outcome;
    info->ledger.potential += after - before;
    info->ledger.correction += after - before;
    stic_arena_rewind(stepper->arena, mark);
    return STIC_OK;
}

// SPDX-License-Identifier: Apache-2.0
// Bonds in a step on velocities: the shifts of the laws of bonded rows, and what is left of the
// bonds afterwards.
//
// A contact may hold on the velocity at the end of a step, seen along the directions H of mid-step:
// bodies that turn together then move apart, by half the square of the angle of a step. A bond
// holds like a joint. With U0 for its relative velocity where the step begins, U- for the same
// velocities seen along H, and e for gap and slip at the beginning,
//
//   U+ = -share (U- - U0) - RATE e / h        share = (1 - theta) / theta, 1 at mid-step
//
// U- - U0 is the change that the turning of the directions up to H makes to a motion that keeps the
// bond; the same amount with the opposite sign remains until the end. On the mean velocity, as for
// joints, an error at the beginning would come back with the opposite sign in every step; here it
// ends within the step. The remaining error is of second order and does not accumulate, because e
// is removed.
//
// With e' = e + h (w + w')/2 and w' = -RATE e / h the error falls by the roots of
// z^2 - (1 - RATE/2) z + RATE/2; RATE = 6 - 4 sqrt 2 makes them one, 0.414.
//
// Koziara's law (10.4) holds for the reaction and the largest pull together. There a bond that was
// pulled with all its force is gone for good; here only if it also opens: in a patch of four points
// the forces are not unique, and one of them may be at its limit although the patch carries the
// load. The load that a patch carries then does not depend on the solver.
#include <math.h>
#include <string.h>

#include "problem/operator_kernel.h"
#include "step/parts.h"
#include "stiction/extend/base.h"
#include "stiction/extend/law.h"

#define RATE 0.3431457505076198

// part of a force by which reactions at a limit may differ from it: solvers stop at 1e-8 and below
#define LIMIT_PART 1e-6

SticStatus stic_parts_bonds(SticStepper* stepper, const SticSystem* system, const SticState* from,
                            const SticSet* set, SticBondStart* start)
{
    int32_t bonded = 0;
    start->velocity = start->gap = NULL;
    for (int32_t i = 0; i < set->count; ++i)
        bonded += set->interaction[i].bonded;
    if (bonded == 0)
        return STIC_OK;
    SticDirections directions = {.set = *set};
    STIC_TRY(stic_directions_prepare(stepper, system, &directions));
    STIC_TRY(stic_directions_measure(
        stepper, system, from, STIC_WANT_GAP | STIC_WANT_CHI | STIC_WANT_H, NULL, &directions));
    STIC_TRY(STIC_TAKE(stepper->arena, &start->velocity, set->rows));
    stic_directions_velocity(&directions, from->u, start->velocity);
    start->gap = directions.measures.gap;
    return STIC_OK;
}

void stic_parts_bond_shift(const SticSet* set, const SticBondStart* start, const double* before,
                           const double factor[2], double* shift)
{
    for (int32_t i = 0; start->velocity != NULL && i < set->count; ++i)
        for (int32_t row = set->row_at[i]; set->interaction[i].bonded && row < set->row_at[i + 1];
             ++row)
            shift[row] = factor[0] * (before[row] - start->velocity[row]) +
                         RATE * factor[1] * start->gap[row];
}

// whether the friction of a bond is at its limit; x is the reaction and the largest pull together
static bool slides(const SticInteraction* interaction, const double* x)
{
    double wider[STIC_SET_DIM];
    const int32_t rows = interaction->rows;
    if (rows < 2)
        return false;
    const SticConvexSet set =
        stic_law_set((SticLaw)interaction->law, rows, interaction->coef, x[0]);
    for (int32_t k = 0; k < rows; ++k)
        wider[k] = k == 0 ? x[0] : x[k] * (1.0 + LIMIT_PART);
    return !stic_set_contains(&set, wider + (rows - set.n), 0.0);
}

SticStatus stic_parts_opening(SticStepper* stepper, const SticProblem* problem, const double* u,
                              const uint8_t** opens)
{
    uint8_t* made = NULL;
    *opens = NULL;
    if (problem->r_shift == NULL || problem->M->kind != STIC_MASS_BLOCKS)
        return STIC_OK;
    STIC_TRY(STIC_TAKE(stepper->arena, &made, problem->count));
    for (int32_t i = 0; i < problem->count; ++i) {
        const int32_t row = problem->row_at[i];
        const double most = problem->r_shift[row];
        made[i] = most > 0.0 && u[row] + problem->u_shift[row] >
                                    LIMIT_PART * most * stic_diagonal_first(problem, i);
    }
    *opens = made;
    return STIC_OK;
}

SticStatus stic_parts_opening_of(SticStepper* stepper, const SticDirections* directions,
                                 const SticMass* mass, const double* u, SticReactions* reactions)
{
    SticProblem problem;
    double* shift = NULL;
    STIC_TRY(stic_parts_problem(stepper, directions, reactions->h, &problem, &shift));
    problem.M = mass;
    problem.Ht = &directions->Ht;
    return stic_parts_opening(stepper, &problem, u, &reactions->opens);
}

// what is left of a bond: nothing if it was pulled with all its force and opens
static bool holds(const SticReactions* reactions, int32_t i, double x, double most)
{
    // at h = 0 nothing was pulled: these are the bonds of the start
    if (reactions->h == 0.0 || x > LIMIT_PART * most)
        return true;
    return reactions->opens != NULL && reactions->opens[i] == 0;
}

SticStatus stic_parts_keep_bonds(const SticSet* set, const SticReactions* reactions,
                                 SticMemory* memory)
{
    int32_t room = 0, count = 0;
    for (int32_t i = 0; i < set->count; ++i)
        room += set->interaction[i].cohesion > 0.0 ? 1 : 0;
    STIC_TRY(stic_memory_resize_bonds(memory, room));
    for (int32_t n = 0; room > 0 && n < set->count; ++n) {
        const int32_t i = set->by_id == NULL ? n : set->by_id[n];
        const SticInteraction* interaction = &set->interaction[i];
        const double most = reactions->h * interaction->cohesion;
        double x[STIC_SET_DIM];
        for (int32_t k = 0; k < interaction->rows; ++k)
            x[k] = reactions->r[set->row_at[i] + k] + (k == 0 ? most : 0.0);
        if (interaction->cohesion <= 0.0 || set->local == NULL || !holds(reactions, i, x[0], most))
            continue;
        SticBond bond = {.id = interaction->id,
                         .part = {interaction->part[0], interaction->part[1]},
                         .area = interaction->area,
                         .cohesion = interaction->cohesion,
                         .slid = reactions->h > 0.0 && slides(interaction, x)};
        memcpy(bond.local, set->local[i], sizeof bond.local);
        memory->bond[count++] = bond;
    }
    memory->bonds = count;
    return STIC_OK;
}

SticStatus stic_parts_first_bonds(SticStepper* stepper, const SticSystem* system,
                                  const SticState* from, SticMemory* memory)
{
    SticSet set;
    double* r = NULL;
    const SticReach touching = {.gap = 0.0};
    STIC_TRY(system->ops->detect(system, from, &touching, stepper->arena, &set));
    STIC_TRY(STIC_TAKE(stepper->arena, &r, set.rows));
    if (set.rows > 0)
        memset(r, 0, (size_t)set.rows * sizeof *r);
    // room from the arena: the memory is that of one step and is never made larger
    *memory = *from->memory;
    memory->begun = true;
    memory->bond_capacity = (size_t)set.count;
    STIC_TRY(STIC_TAKE(stepper->arena, &memory->bond, set.count));
    const SticReactions none = {r, 0.0, NULL};
    return stic_parts_keep_bonds(&set, &none, memory);
}

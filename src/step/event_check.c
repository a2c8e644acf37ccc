// SPDX-License-Identifier: Apache-2.0
// Event-driven scheme: conditions that contradict each other.
//
// Prescribed motions, drives, welds and limits may ask together for what no motion gives: a wall
// pushes a box against another wall. Equations have an answer there, too, which is nearest to all
// of them; the laws have none. So velocities behind impacts and at the ends of smooth parts are held
// against what is asked of them. Where they leave it, the state is not one to go on from with
// events: the rest of the call is one step of Moreau's rule, and counts as not solved.
#include <float.h>
#include <math.h>
#include <string.h>

#include "problem/mass.h"
#include "step/event.h"
#include "stiction/extend/base.h"

// part of what is asked for that velocities behind an impact may leave: well above rounding with
// large ratios of masses
#define IMPACT_PART 1e-6
// part of the velocities of the bodies by which smooth motion may leave its conditions: well above
// what borders of curved features are wrong by
#define SMOOTH_PART 1e-4

// normals and joints; friction asks for nothing that its bound does not limit
static bool is_condition(const SticEventInstant* now, int32_t k, int32_t r, bool* unilateral)
{
    SticEventLaw law;
    if (stic_event_law(&now->all.set.interaction[now->of[k]], &law) != STIC_OK)
        return false;
    *unilateral = law.normal;
    return law.normal ? now->row[k][r] == 0 : law.groups == 0;
}

// largest velocity that conditions ask to be changed
static double largest_asked(const SticEventMotion* m, const SticEventInstant* now,
                            const double* target)
{
    double most = 0.0;
    for (int32_t k = 0; k < now->active.count; ++k)
        for (int32_t r = 0; r < now->active.interaction[k].rows; ++r) {
            bool unilateral = false;
            if (!is_condition(now, k, r, &unilateral))
                continue;
            most = stic_event_more(most, fabs(stic_event_row(m, now, k, r, now->gamma)));
            most = stic_event_more(most, fabs(target[now->active.row_at[k] + r]));
        }
    return most;
}

// The velocity along a row that the kinetic energies of its two bodies could give: what they have at
// the instant, not when the list was made, from when none along the row may be known.
static SticStatus possible_velocity(const SticEventMotion* m, const SticEventInstant* now,
                                    const double* u, int32_t i, int32_t row, double* possible)
{
    const SticLayout* layout = &m->system->layout;
    const SticInteraction* interaction = &now->all.set.interaction[i];
    SticArena* arena = m->stepper->arena;
    const SticArenaMark mark = stic_arena_mark(arena);
    double *work[2], energy = 0.0;
    STIC_TRY(STIC_TAKE(arena, &work[0], layout->nu));
    STIC_TRY(STIC_TAKE(arena, &work[1], layout->nu));
    const double mobility = stic_event_mobility(now, &now->mass, i, row, work, layout->nu);
    memset(work[0], 0, (size_t)layout->nu * sizeof *work[0]);
    for (int side = 0; side < 2; ++side) {
        const int32_t block = interaction->block[side], at = block < 0 ? 0 : layout->u_at[block];
        if (block >= 0)
            memcpy(work[0] + at, u + at, (size_t)(layout->u_at[block + 1] - at) * sizeof *work[0]);
    }
    stic_mass_multiply(&now->mass, work[0], 0.0, work[1]);
    for (int32_t c = 0; c < layout->nu; ++c)
        energy += work[0][c] * work[1][c];
    *possible = sqrt(mobility * energy) + fabs(now->all.measures.chi[now->all.set.row_at[i] + row]);
    stic_arena_rewind(arena, mark);
    return STIC_OK;
}

// what a row may be left by
static SticStatus allowance(const SticEventMotion* m, const SticEventInstant* now,
                            const SticEventAsked* asked, int32_t i, int32_t row, double* none)
{
    double possible = 0.0;
    STIC_TRY(possible_velocity(m, now, asked->u, i, row, &possible));
    // rounding[] holds 64 roundings of the velocities of the bodies
    const double known = m->rounding[i] / (64.0 * DBL_EPSILON);
    *none =
        stic_event_more(SMOOTH_PART * stic_event_more(known, possible), stic_event_velocity(m, i));
    return STIC_OK;
}

SticStatus stic_event_unmet(const SticEventMotion* m, const SticEventInstant* now,
                            const SticEventAsked* asked, int32_t* worst, double* by)
{
    const double* target = asked->target;
    const double most = target == NULL ? 0.0 : largest_asked(m, now, target);
    *worst = -1;
    *by = 0.0;
    for (int32_t k = 0; k < now->active.count; ++k)
        for (int32_t r = 0; r < now->active.interaction[k].rows; ++r) {
            const int32_t i = now->of[k];
            bool unilateral = false;
            if (!is_condition(now, k, r, &unilateral))
                continue;
            const double aim = target == NULL ? 0.0 : target[now->active.row_at[k] + r],
                         left = stic_event_row(m, now, k, r, asked->gamma) - aim;
            const double beyond = unilateral ? -left : fabs(left);
            double none = stic_event_more(IMPACT_PART * most, m->rounding[i]);
            if (beyond > *by && target == NULL)
                STIC_TRY(allowance(m, now, asked, i, now->row[k][r], &none));
            if (beyond > none && beyond > *by) {
                *worst = i;
                *by = beyond;
            }
        }
    return STIC_OK;
}

SticStatus stic_event_check(SticEventMotion* m, const SticEventInstant* now,
                            const SticEventAsked* asked)
{
    SticStepInfo* info = m->info;
    double by = 0.0;
    int32_t i = -1;
    STIC_TRY(stic_event_unmet(m, now, asked, &i, &by));
    if (i < 0)
        return STIC_OK;
    m->contradiction = true;
    if (!(by > info->contradiction))
        return STIC_OK;
    const SticInteraction* interaction = &now->all.set.interaction[i];
    info->contradiction = by;
    for (int side = 0; side < 2; ++side) {
        info->contradiction_block[side] = interaction->block[side];
        info->contradiction_part[side] = interaction->surface < 0 ? -1 : interaction->part[side];
    }
    return STIC_OK;
}

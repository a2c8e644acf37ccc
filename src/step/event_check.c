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

int32_t stic_event_unmet(const SticEventMotion* m, const SticEventInstant* now, const double* gamma,
                         const double* target, double* by)
{
    const double asked = target == NULL ? 0.0 : largest_asked(m, now, target);
    int32_t worst = -1;
    *by = 0.0;
    for (int32_t k = 0; k < now->active.count; ++k)
        for (int32_t r = 0; r < now->active.interaction[k].rows; ++r) {
            const int32_t i = now->of[k];
            bool unilateral = false;
            if (!is_condition(now, k, r, &unilateral))
                continue;
            const double aim = target == NULL ? 0.0 : target[now->active.row_at[k] + r],
                         left = stic_event_row(m, now, k, r, gamma) - aim;
            // rounding[] holds 64 roundings of the velocities of the bodies
            const double none =
                target != NULL
                    ? stic_event_more(IMPACT_PART * asked, m->rounding[i])
                    : stic_event_more(SMOOTH_PART / (64.0 * DBL_EPSILON) * m->rounding[i],
                                      stic_event_velocity(m, i));
            const double beyond = unilateral ? -left : fabs(left);
            if (beyond > none && beyond > *by) {
                worst = i;
                *by = beyond;
            }
        }
    return worst;
}

void stic_event_check(SticEventMotion* m, const SticEventInstant* now, const double* gamma,
                      const double* target)
{
    SticStepInfo* info = m->info;
    double by = 0.0;
    const int32_t i = stic_event_unmet(m, now, gamma, target, &by);
    if (i < 0)
        return;
    m->contradiction = true;
    if (!(by > info->contradiction))
        return;
    const SticInteraction* interaction = &now->all.set.interaction[i];
    info->contradiction = by;
    for (int side = 0; side < 2; ++side) {
        info->contradiction_block[side] = interaction->block[side];
        info->contradiction_part[side] = interaction->surface < 0 ? -1 : interaction->part[side];
    }
}

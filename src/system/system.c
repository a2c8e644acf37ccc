// SPDX-License-Identifier: Apache-2.0
// Energies and smooth forces of a system, from its callbacks and the charts.
#include "stiction/extend/system.h"

#include "body/body.h"
#include "problem/mass.h"
#include "stiction/extend/base.h"

#include <math.h>
#include <string.h>

SticStatus stic_system_kinetic(const SticSystem* system, const SticState* state, SticArena* scratch,
                               double* energy)
{
    STIC_ASSERT(system != NULL);
    STIC_ASSERT(state != NULL);
    STIC_ASSERT(scratch != NULL);
    const SticArenaMark mark = stic_arena_mark(scratch);
    SticMass mass;
    STIC_TRY(system->ops->mass(system, state, scratch, &mass));
    *energy = 0.5 * stic_mass_form(&mass, state->u, state->u);
    stic_arena_rewind(scratch, mark);
    return STIC_OK;
}

SticStatus stic_system_kinetic_change(const SticSystem* system, const SticState* from,
                                      const SticState* to, SticArena* scratch, double* change)
{
    STIC_ASSERT(system != NULL);
    STIC_ASSERT(from != NULL);
    STIC_ASSERT(to != NULL);
    STIC_ASSERT(scratch != NULL);
    if ((system->offers & STIC_OFFERS_CONSTANT_MASS) == 0) {
        double before, after;
        STIC_TRY(stic_system_kinetic(system, from, scratch, &before));
        STIC_TRY(stic_system_kinetic(system, to, scratch, &after));
        *change = after - before;
        return STIC_OK;
    }
    // T(to) - T(from) = (to + from) . M (to - from) / 2: one product, and nothing cancels in it
    const int32_t nu = system->layout.nu;
    const SticArenaMark mark = stic_arena_mark(scratch);
    SticMass mass;
    double *sum = NULL, *difference = NULL;
    STIC_TRY(system->ops->mass(system, from, scratch, &mass));
    if (mass.diagonal != NULL) {
        double twice = 0.0;
        for (int32_t c = 0; c < nu; ++c)
            twice += (to->u[c] + from->u[c]) * mass.diagonal[c] * (to->u[c] - from->u[c]);
        *change = 0.5 * twice;
        stic_arena_rewind(scratch, mark);
        return STIC_OK;
    }
    STIC_TRY(STIC_TAKE(scratch, &sum, nu));
    STIC_TRY(STIC_TAKE(scratch, &difference, nu));
    for (int32_t c = 0; c < nu; ++c) {
        sum[c] = to->u[c] + from->u[c];
        difference[c] = to->u[c] - from->u[c];
    }
    *change = 0.5 * stic_mass_form(&mass, sum, difference);
    stic_arena_rewind(scratch, mark);
    return STIC_OK;
}

SticStatus stic_system_potential(const SticSystem* system, const SticState* state,
                                 SticArena* scratch, double* energy)
{
    STIC_ASSERT(system != NULL);
    STIC_ASSERT(state != NULL);
    STIC_ASSERT(scratch != NULL);
    *energy = 0.0;
    if ((system->offers & STIC_OFFERS_POTENTIAL) == 0)
        return STIC_OK;
    const SticArenaMark mark = stic_arena_mark(scratch);
    SticTerms terms;
    STIC_TRY(system->ops->potential(system, state, 0, scratch, &terms));
    for (int32_t k = 0; k < terms.count; ++k)
        *energy += terms.value[k];
    stic_arena_rewind(scratch, mark);
    return STIC_OK;
}

// f -= F' dV/dq, term by term; `alone`: see stic_system_potential_force
static SticStatus add_potential_force(const SticSystem* system, const SticState* state,
                                      SticArena* scratch, double* f, double* alone)
{
    const SticLayout* layout = &system->layout;
    SticTerms terms;
    STIC_TRY(system->ops->potential(system, state, 1, scratch, &terms));
    const double* gradient = terms.gradient;
    for (int32_t k = 0; k < terms.count; ++k) {
        const int32_t* member = NULL;
        const int32_t members = stic_terms_blocks(&terms, k, &member);
        int32_t blocks = 0;
        for (int32_t side = 0; side < members; ++side)
            blocks += member[side] >= 0;
        for (int32_t side = 0; side < members; ++side) {
            const int32_t block = member[side];
            if (block < 0)
                continue;
            double part[STIC_CHART_MAX_U];
            const int32_t u_at = layout->u_at[block], q_at = layout->q_at[block];
            const int32_t nu = layout->u_at[block + 1] - u_at;
            stic_chart_pull_back((SticChart)layout->chart[block], nu, state->q + q_at, gradient,
                                 part);
            for (int32_t c = 0; c < nu; ++c)
                f[u_at + c] -= part[c];
            for (int32_t c = 0; c < nu && alone != NULL && blocks == 1; ++c)
                alone[part[c] > 0.0 ? layout->nu + u_at + c : u_at + c] += fabs(part[c]);
            gradient += layout->q_at[block + 1] - q_at;
        }
    }
    return STIC_OK;
}

SticStatus stic_system_force(const SticSystem* system, const SticState* state, SticArena* scratch,
                             double* f)
{
    STIC_ASSERT(system != NULL);
    STIC_ASSERT(state != NULL);
    STIC_ASSERT(scratch != NULL);
    const SticArenaMark mark = stic_arena_mark(scratch);
    STIC_TRY(system->ops->force(system, state, f));
    if (system->offers & STIC_OFFERS_POTENTIAL)
        STIC_TRY(add_potential_force(system, state, scratch, f, NULL));
    stic_arena_rewind(scratch, mark);
    return STIC_OK;
}

SticStatus stic_system_potential_force(const SticSystem* system, const SticState* state,
                                       SticArena* scratch, double* f, double* alone)
{
    STIC_ASSERT(system != NULL && state != NULL && scratch != NULL && f != NULL);
    const SticArenaMark mark = stic_arena_mark(scratch);
    memset(f, 0, (size_t)system->layout.nu * sizeof *f);
    if (alone != NULL)
        memset(alone, 0, 2 * (size_t)system->layout.nu * sizeof *alone);
    if (system->offers & STIC_OFFERS_POTENTIAL)
        STIC_TRY(add_potential_force(system, state, scratch, f, alone));
    stic_arena_rewind(scratch, mark);
    return STIC_OK;
}

SticStatus stic_system_add_gyro(const SticSystem* system, const SticState* state,
                                const SticMass* mass, SticArena* scratch, double* f)
{
    STIC_ASSERT(system != NULL);
    STIC_ASSERT(state != NULL);
    STIC_ASSERT(mass != NULL);
    STIC_ASSERT(scratch != NULL);
    const SticLayout* layout = &system->layout;
    for (int32_t i = 0; i < layout->blocks; ++i) {
        const double* block = mass->A->value + mass->A->value_at[mass->A->begin[i]];
        stic_chart_add_gyro((SticChart)layout->chart[i], block, state->q + layout->q_at[i],
                            state->u + layout->u_at[i], f + layout->u_at[i]);
    }
    return stic_system_add_inertia(system, state, scratch, f);
}

SticStatus stic_system_add_inertia(const SticSystem* system, const SticState* state,
                                   SticArena* scratch, double* f)
{
    STIC_ASSERT(system != NULL);
    STIC_ASSERT(state != NULL);
    STIC_ASSERT(scratch != NULL);
    const SticLayout* layout = &system->layout;
    if (system->ops->gyro == NULL)
        return STIC_OK;
    const SticArenaMark mark = stic_arena_mark(scratch);
    double* gyro = NULL;
    STIC_TRY(STIC_TAKE(scratch, &gyro, layout->nu));
    STIC_TRY(system->ops->gyro(system, state, gyro));
    for (int32_t c = 0; c < layout->nu; ++c)
        f[c] += gyro[c];
    stic_arena_rewind(scratch, mark);
    return STIC_OK;
}

SticStatus stic_system_follow(const SticSystem* system, SticState* state)
{
    STIC_ASSERT(system != NULL);
    STIC_ASSERT(state != NULL);
    return system->ops->follow == NULL ? STIC_OK : system->ops->follow(system, state);
}

SticStatus stic_system_winding(const SticSystem* system, const SticState* state, double* rate)
{
    STIC_ASSERT(system != NULL);
    STIC_ASSERT(state != NULL);
    STIC_ASSERT(rate != NULL);
    *rate = 0.0;
    return system->ops->winding == NULL ? STIC_OK : system->ops->winding(system, state, rate);
}

void stic_system_rate(const SticSystem* system, const SticState* state, double* qdot)
{
    STIC_ASSERT(system != NULL);
    STIC_ASSERT(state != NULL);
    const SticLayout* layout = &system->layout;
    for (int32_t i = 0; i < layout->blocks; ++i)
        stic_chart_rate((SticChart)layout->chart[i], layout->u_at[i + 1] - layout->u_at[i],
                        state->q + layout->q_at[i], state->u + layout->u_at[i],
                        qdot + layout->q_at[i]);
}

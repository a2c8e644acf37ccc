// SPDX-License-Identifier: Apache-2.0
// What the energy-consistent schemes share.
#include "step/consistent.h"

#include <math.h>
#include <string.h>

#include "step/schemes.h"

static const SticField fields[] = {
    STIC_FIELD_COUNT(SticConsistentSettings, max_newton, 30, 1, 1000, "-",
                     "outer iterations of the motion stage"),
    STIC_FIELD_REAL(SticConsistentSettings, newton_tolerance, 1e-12, 1e-15, 1.0, "-",
                    "relative change of the velocities that ends them"),
    STIC_FIELD_REAL(SticConsistentSettings, activation, 0.0, 0.0, 1e300, "m",
                    "contacts with a gap at most this take part"),
    STIC_FIELD_FLAG(SticConsistentSettings, midpoint, 0,
                    "structure matrices at mid-step instead of the beginning (decomposed mass)"),
    STIC_FIELD_FLAG(SticConsistentSettings, begin_directions, 0,
                    "gap directions at the beginning instead of the discrete derivative"),
};
const SticFieldTable stic_consistent_fields = {"consistent", fields,
                                               (int32_t)(sizeof fields / sizeof fields[0]),
                                               sizeof(SticConsistentSettings)};

SticStatus stic_consistent_begin(SticStepper* stepper, const SticSystem* system,
                                 const SticState* from, uint32_t want, SticConsistentStart* start,
                                 SticStepInfo* info)
{
    const SticConsistentSettings* settings = stepper->settings;
    SticDirections* directions = &start->directions;
    STIC_TRY(STIC_TAKE(stepper->arena, &start->u_impact, system->layout.nu));
    STIC_TRY(system->ops->mass(system, from, stepper->arena, &start->mass));
    STIC_TRY(stic_directions_detect(stepper, system, from, settings->activation, directions));
    STIC_TRY(stic_directions_measure(stepper, system, from, want, NULL, directions));
    stic_parts_count(directions, info);
    return STIC_OK;
}

SticStatus stic_consistent_impact(SticStepper* stepper, const SticMass* mass,
                                  const SticDirections* directions, const SticState* from,
                                  double* u_impact, SticStepInfo* info)
{
    const SticSet* set = &directions->set;
    const int32_t dof = mass->A->row_at[mass->A->rows];
    SticProblem laws;
    double *shift = NULL, *before = NULL, *r = NULL, *momentum = NULL, *mean = NULL;
    // bounds that are forces have no impulse in an instant: h = 0
    STIC_TRY(stic_parts_problem(stepper, directions, 0.0, &laws, &shift));
    STIC_TRY(STIC_TAKE(stepper->arena, &before, set->rows));
    STIC_TRY(STIC_TAKE(stepper->arena, &mean, set->rows));
    STIC_TRY(STIC_TAKE(stepper->arena, &r, set->rows));
    STIC_TRY(STIC_TAKE(stepper->arena, &momentum, dof));
    stic_directions_velocity(directions, from->u, before);
    stic_parts_restitution(set, before, shift);
    stic_block_csr_multiply(1.0, mass->A, from->u, 0.0, momentum);
    const SticMemory nothing = {.count = 0};
    const SticStage stage = {directions, mass, momentum, &laws, &nothing, NULL};
    STIC_TRY(stic_parts_stage(stepper, &stage, r, u_impact, info));
    stic_directions_velocity(directions, u_impact, mean);
    for (int32_t row = 0; row < set->rows; ++row)
        mean[row] = 0.5 * (mean[row] + before[row]);
    STIC_TRY(stic_ledger_add_reactions(stepper, set, r, mean, &info->ledger));
    stic_parts_record(stepper, directions, r, from, 0.0);
    return STIC_OK;
}

SticStatus stic_consistent_move(SticStepper* stepper, const SticImplicit* motion, double* x,
                                double* r, SticStepInfo* info)
{
    const SticConsistentSettings* settings = stepper->settings;
    const SticSolveInfo impact = info->solve;
    SticImplicit implicit = *motion;
    implicit.arena = stepper->arena;
    implicit.max_iterations = settings->max_newton;
    implicit.tolerance = settings->newton_tolerance;
    STIC_TRY(stic_parts_implicit(stepper, &implicit, x, r, info));
    if (impact.outcome != STIC_OUTCOME_SOLVED)
        info->solve = impact;
    return STIC_OK;
}

SticStatus stic_consistent_close(SticStepper* stepper, const SticSystem* system,
                                 const SticConsistentEnd* end, const SticState* from, SticState* to,
                                 SticStepInfo* info)
{
    const SticSet* set = &end->laws->set;
    STIC_TRY(stic_ledger_add_reactions(stepper, set, end->r, end->mean, &info->ledger));
    STIC_TRY(
        stic_ledger_add_applied(stepper, system, end->middle, end->displacement, &info->ledger));
    STIC_TRY(stic_ledger_close(stepper, system, from, to, &info->ledger));
    stic_parts_record(stepper, end->laws, end->r, from, end->h);
    SticReactions reactions = {.r = end->r, .h = end->h};
    STIC_TRY(stic_parts_opening_of(stepper, end->bonds, end->mass, end->mean, &reactions));
    return stic_parts_remember(set, &reactions, to->memory);
}

static double mass_norm(const SticMass* mass, const double* x, double* scratch)
{
    double sum = 0.0;
    stic_block_csr_multiply(1.0, mass->A, x, 0.0, scratch);
    for (int32_t c = 0; c < mass->A->row_at[mass->A->rows]; ++c)
        sum += x[c] * scratch[c];
    return sqrt(sum < 0.0 ? 0.0 : sum);
}

// The scheme makes the change of kinetic energy equal that of -V, and V(end) - V(begin) is known to
// `rounding` only: with m u du = dT, velocities that belong to a small kinetic energy beside a
// large potential are known to rounding / |u|_M^2, whatever is iterated. Twice that for the
// difference of two iterates, twice again for the operations inside V.
SticImplicitChange stic_consistent_change(const SticMass* mass, const double* change,
                                          const double* u_old, const double* u_new, double rounding,
                                          double* scratch)
{
    const double size_old = mass_norm(mass, u_old, scratch);
    const double size_new = mass_norm(mass, u_new, scratch);
    const double size = size_old > size_new ? size_old : size_new;
    const double moved = mass_norm(mass, change, scratch);
    if (!(size > 0.0))
        return (SticImplicitChange){.size = moved == 0.0 ? 0.0 : 1.0};
    return (SticImplicitChange){.size = moved / size, .floor = 4.0 * rounding / (size * size)};
}

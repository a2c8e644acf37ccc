// SPDX-License-Identifier: Apache-2.0
// Relaxed ODE of Kikuuwe and Brogliato (2017, eqs. 63-65), integrated by the classical Runge-Kutta
// method.
//
//   M a = f + H lambda,   eta = H' a + bias + (2 zeta/delta) u_rel + (1/delta^2) g   obeys the law
//   with lambda q' = F u,  u' = a
//
// eta is the acceleration that would bring gap and velocity back with the time constant delta and
// the damping zeta; g enters on rows that have a gap. Friction holds for constant load without
// creep; a normal impact takes a time of order delta and has the restitution exp(-zeta acos(2
// zeta^2 - 1)/sqrt(1 - zeta^2)). One Coulomb problem per stage; four stages per internal step of
// length `step`, which must stay well below delta.
#include "step/parts.h"
#include "step/runge_kutta.h"
#include "step/schemes.h"

#include <math.h>
#include <string.h>

typedef struct RelaxedSettings {
    double delta, zeta, step, reach;
} RelaxedSettings;

static const SticField fields[] = {
    STIC_FIELD_REAL(RelaxedSettings, delta, 1e-3, 1e-12, 1e6, "s", "relaxation time"),
    STIC_FIELD_REAL(RelaxedSettings, zeta, 1.0, 0.0, 1e6, "-", "damping of the relaxation"),
    STIC_FIELD_REAL(RelaxedSettings, step, 1e-4, 1e-12, 1e6, "s", "longest internal step"),
    STIC_FIELD_REAL(RelaxedSettings, reach, 1e300, 0.0, 1e300, "m",
                    "contacts with a larger gap are left out"),
};
const SticFieldTable stic_relaxed_fields = {
    "relaxed", fields, (int32_t)(sizeof fields / sizeof fields[0]), sizeof(RelaxedSettings)};

typedef struct Relaxed {
    SticStepper* stepper;
    const SticSystem* system;
    const RelaxedSettings* settings;
    SticStepInfo* info;
    SticMemory* memory; // reactions of the last stage, for the next start value
} Relaxed;

// w of the problem: bias + 2 zeta/delta u_rel + g/delta^2
static void fill_offset(const Relaxed* relaxed, const SticDirections* d, const double* u_rel,
                        double* w)
{
    const double rate = 2.0 * relaxed->settings->zeta / relaxed->settings->delta;
    const double spring = 1.0 / (relaxed->settings->delta * relaxed->settings->delta);
    for (int32_t row = 0; row < d->set.rows; ++row)
        w[row] = d->measures.bias[row] + rate * u_rel[row] + spring * d->measures.gap[row];
}

// accelerations at a state; works of the stage enter the ledger with the weight of the quadrature,
// s
static SticStatus accelerate(const Relaxed* relaxed, const SticState* state, double weight,
                             double* acceleration)
{
    SticStepper* stepper = relaxed->stepper;
    const SticSystem* system = relaxed->system;
    SticArena* arena = stepper->arena;
    const SticArenaMark mark = stic_arena_mark(arena);
    SticMass mass;
    SticDirections d;
    SticProblem problem;
    double *force = NULL, *u_rel = NULL, *w = NULL, *shift = NULL, *lambda = NULL, *eta = NULL;
    STIC_TRY(STIC_TAKE(arena, &force, system->layout.nu));
    STIC_TRY(system->ops->mass(system, state, arena, &mass));
    STIC_TRY(stic_system_force(system, state, arena, force));
    STIC_TRY(stic_system_add_gyro(system, state, &mass, arena, force));
    STIC_TRY(stic_directions_detect(stepper, system, state, relaxed->settings->reach, &d));
    STIC_TRY(stic_directions_measure(stepper, system, state,
                                     STIC_WANT_GAP | STIC_WANT_CHI | STIC_WANT_BIAS | STIC_WANT_H,
                                     NULL, &d));
    STIC_TRY(stic_parts_problem(stepper, &d, 1.0, &problem, &shift));
    STIC_TRY(STIC_TAKE(arena, &u_rel, d.set.rows));
    STIC_TRY(STIC_TAKE(arena, &w, d.set.rows));
    STIC_TRY(STIC_TAKE(arena, &lambda, d.set.rows));
    STIC_TRY(STIC_TAKE(arena, &eta, d.set.rows));
    stic_directions_velocity(&d, state->u, u_rel);
    fill_offset(relaxed, &d, u_rel, w);
    problem.dof = system->layout.nu;
    problem.M = &mass;
    problem.Ht = &d.Ht;
    problem.f = force;
    problem.w = w;
    stic_parts_warm_start(&d.set, relaxed->memory, lambda);
    STIC_TRY(stic_parts_solve(stepper, &problem, lambda, eta, relaxed->info));
    double* scratch = NULL;
    STIC_TRY(STIC_TAKE(arena, &scratch, system->layout.nu));
    stic_parts_velocity(&mass, &d.Ht, force, lambda, acceleration, scratch);

    // power of reactions and applied forces, times the weight
    for (int32_t row = 0; row < d.set.rows; ++row)
        u_rel[row] *= weight;
    STIC_TRY(stic_ledger_add_reactions(stepper, &d.set, lambda, u_rel, &relaxed->info->ledger));
    stic_ledger_add_prescribed(d.set.rows, lambda, d.measures.chi, weight, &relaxed->info->ledger);
    for (int32_t c = 0; c < system->layout.nu; ++c)
        scratch[c] = weight * state->u[c];
    STIC_TRY(stic_ledger_add_applied(stepper, system, state, scratch, &relaxed->info->ledger));
    SticReactions reactions = {.r = lambda, .h = 1.0};
    STIC_TRY(stic_parts_opening(stepper, &problem, eta, &reactions.opens));
    STIC_TRY(stic_parts_remember(&d.set, &reactions, relaxed->memory));
    stic_arena_rewind(arena, mark);
    return STIC_OK;
}

// slope of (q, u) at a stage
static SticStatus slope_at(void* self, double t, const double* y, double weight, double* slope)
{
    const Relaxed* relaxed = self;
    const int32_t nq = relaxed->system->layout.nq;
    const SticState state = {t, (double*)y, (double*)y + nq, relaxed->memory};
    stic_system_rate(relaxed->system, &state, slope);
    return accelerate(relaxed, &state, weight, slope + nq);
}

SticStatus stic_relaxed_advance(SticStepper* stepper, const SticSystem* system,
                                const SticState* from, double t_to, SticState* to,
                                SticStepInfo* info)
{
    const RelaxedSettings* settings = stepper->settings;
    const SticLayout* layout = &system->layout;
    Relaxed relaxed = {stepper, system, settings, info, to->memory};
    const SticOde ode = {layout->nq + layout->nu, &relaxed, slope_at};
    double *work = NULL, *y = NULL;
    STIC_TRY(STIC_TAKE(stepper->arena, &work, 3 * (int64_t)ode.n));
    STIC_TRY(STIC_TAKE(stepper->arena, &y, ode.n));
    STIC_TRY(stic_state_copy(layout, from, to));
    memcpy(y, to->q, (size_t)layout->nq * sizeof *y);
    memcpy(y + layout->nq, to->u, (size_t)layout->nu * sizeof *y);
    const double length = t_to - from->t;
    info->substeps = (int32_t)ceil(length / settings->step * (1.0 - 1e-12));
    for (int32_t i = 0; i < info->substeps; ++i) {
        STIC_TRY(stic_runge_kutta_classic(&ode, to->t, length / info->substeps, work, y));
        for (int32_t k = 0; k < layout->blocks; ++k)
            stic_chart_normalize((SticChart)layout->chart[k], y + layout->q_at[k]);
        to->t = from->t + length * (i + 1) / info->substeps;
    }
    memcpy(to->q, y, (size_t)layout->nq * sizeof *y);
    memcpy(to->u, y + layout->nq, (size_t)layout->nu * sizeof *y);
    to->t = t_to;
    info->interactions = to->memory->count;
    return stic_ledger_close(stepper, system, from, to, &info->ledger);
}

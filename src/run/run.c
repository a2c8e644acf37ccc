// SPDX-License-Identifier: Apache-2.0
// A run: steps by policy, sums, the energy ledger.
//
// The time after step k is t0 + k h, not a sum of h, so that a resumed run has the same bits.
#include "run/run.h"

#include "step/step.h"
#include "stiction/extend/base.h"
#include "stiction/extend/law.h"
#include "stiction/extend/problem.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

const char* stic_policy_name(SticPolicy policy)
{
    static const char* const names[] = {"stop", "retry", "halve", "continue", "adapt"};
    return (uint32_t)policy <= STIC_POLICY_ADAPT ? names[policy] : "unknown";
}

SticRunParts stic_run_default_parts(void)
{
    SticRunParts def = {.solver = stic_solver_find("auto", NULL),
                        .solve = stic_solve_default_settings(),
                        .accuracy = STIC_ACCURACY_STANDARD,
                        .policy = STIC_POLICY_ADAPT,
                        .max_halvings = 3,
                        .energy_alarm = 0.01,
                        .law = STIC_CONTACT_LAW_GAP,
                        .projection = true,
                        .correction = {.rate = -1.0}};
    def.solve.tolerance = 0.0;
    def.solve.norm = STIC_NORM_UNIT_FREE;
    def.solve.warm_start = true;
    def.solve.per_island = true;
    return def;
}

SticAccuracy stic_run_accuracy(const SticRunParts* def)
{
    STIC_ASSERT(def != NULL);
    return def->solve.tolerance > 0.0 ? STIC_ACCURACY_TOLERANCE : def->accuracy;
}

static SticStatus check_accuracy(const SticRunParts* def, SticError* error)
{
    if ((uint32_t)def->accuracy >= STIC_ACCURACY_COUNT)
        return stic_error_set(error, STIC_BAD_ARGUMENT, "there is no level of accuracy %d",
                              (int)def->accuracy);
    if (def->solve.tolerance > 0.0)
        return STIC_OK;
    if (def->accuracy == STIC_ACCURACY_TOLERANCE)
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "accuracy 'tolerance' needs a tolerance of the solver, such as "
                              "solver.tolerance=1e-8; without one it is preview, standard or "
                              "strict");
    if (def->solve.norm != STIC_NORM_UNIT_FREE || !def->solve.per_island)
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "a level of accuracy is about the unit-free error of every island: "
                              "another norm, or none per island, needs a tolerance of the solver");
    return STIC_OK;
}

// a solver that cannot take the system's laws would fail as soon as such a contact closes
static SticStatus check_solver(const SticRunParts* def, const SticSolver* solver, SticError* error)
{
    const uint32_t missing = solver == NULL ? 0 : def->system->laws & ~solver->laws;
    for (int i = 0; missing != 0 && i < STIC_LAW_COUNT; ++i)
        if ((missing & STIC_LAW_BIT(i)) != 0)
            return stic_error_set(
                error, STIC_UNSUPPORTED,
                "solver '%s' does not handle the law '%s', which system '%s' uses; auto does",
                solver->name, stic_law_name((SticLaw)i), def->system->name);
    return STIC_OK;
}

static SticStatus check_def(const SticRunParts* def, SticError* error)
{
    if (!(def->step > 0.0) || def->step > 1e300)
        return stic_error_set(error, STIC_BAD_ARGUMENT, "the step must be positive, not %g",
                              def->step);
    if ((uint32_t)def->policy > STIC_POLICY_ADAPT)
        return stic_error_set(error, STIC_BAD_ARGUMENT, "there is no policy %d", (int)def->policy);
    if ((uint32_t)def->law > STIC_CONTACT_LAW_VELOCITY)
        return stic_error_set(error, STIC_BAD_ARGUMENT, "there is no law of contacts %d",
                              (int)def->law);
    if (def->policy == STIC_POLICY_RETRY && def->second == NULL)
        return stic_error_set(error, STIC_BAD_ARGUMENT, "the policy 'retry' needs a second solver");
    if (def->max_halvings < 0 || def->max_halvings > STIC_MAX_HALVINGS)
        return stic_error_set(error, STIC_BAD_ARGUMENT, "max_halvings must be in [0, %d], not %d",
                              STIC_MAX_HALVINGS, def->max_halvings);
    if (!(def->correction.rate <= 1.0))
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "the rate of position correction must be at most 1, not %g",
                              def->correction.rate);
    if (!(def->correction.allowance >= 0.0) || !isfinite(def->correction.allowance))
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "the allowance of position correction must be finite and not "
                              "negative, not %g",
                              def->correction.allowance);
    if (!(def->energy_alarm >= 0.0) || !isfinite(def->energy_alarm))
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "the energy alarm is a share of at least 0, not %g",
                              def->energy_alarm);
    STIC_TRY(stic_fields_check(&stic_solve_fields, &def->solve, error));
    STIC_TRY(check_accuracy(def, error));
    STIC_TRY(stic_sleep_check(def, error));
    STIC_TRY(stic_scheme_suits(def->scheme, def->scheme_settings, def->system, error));
    STIC_TRY(check_solver(def, def->solver, error));
    return check_solver(def, def->policy == STIC_POLICY_RETRY ? def->second : NULL, error);
}

// SticLoads.set of a stepper: instants inside a step
static SticStatus load_instant(void* self, double begin, double end, SticError* error)
{
    SticRun* run = self;
    return stic_run_load_time(run, run->part, begin, end, error);
}

// SticLoads.kink of a stepper
static double load_kink(void* self, double t)
{
    const SticLoads* loads = &((const SticRun*)self)->def.loads;
    return loads->kink != NULL ? loads->kink(loads->self, t) : INFINITY;
}

// SticLoads.smooth of a stepper
static double load_smooth(void* self, double t, double end)
{
    const SticLoads* loads = &((const SticRun*)self)->def.loads;
    return loads->smooth != NULL ? loads->smooth(loads->self, t, end) : end;
}

SticStatus stic_run_assemble(const SticContext* context, const SticRunParts* def, SticRun** run,
                             SticError* error)
{
    context = stic_context_given(context);
    STIC_ASSERT(def != NULL);
    STIC_ASSERT(run != NULL);
    *run = NULL;
    STIC_TRY(check_def(def, error));
    SticRun* made = NULL;
    STIC_TRY(STIC_ALLOCATE(context, &made, 1));
    made->context = *context;
    made->def = *def;
    made->pending.context = made->classes.context = *context;
    made->events.context = made->earlier.context = *context;
    SticStatus status = stic_stepper_create(context, def->scheme, &made->stepper);
    for (int i = 0; status == STIC_OK && i < 3; ++i)
        status = stic_state_create(context, &def->system->layout, &made->state[i]);
    if (status == STIC_OK)
        status = stic_sleep_create(made);
    if (status != STIC_OK) {
        stic_run_destroy(made);
        return stic_error_set(error, status, "the run could not be set up: %s",
                              stic_status_text(status));
    }
    made->stepper->settings = def->scheme_settings;
    made->stepper->solve.settings = def->solve;
    made->stepper->law = def->law;
    made->projects = def->projection && def->scheme->projects;
    made->correction = def->correction;
    if (made->correction.rate < 0.0) {
        made->correction.rate = made->projects ? STIC_CORRECTION_RATE : 0.0;
        made->correction.by_size = true;
    }
    made->stepper->accuracy = stic_run_accuracy(def);
    if (made->stepper->accuracy != STIC_ACCURACY_TOLERANCE)
        made->stepper->solve.settings.tolerance =
            stic_accuracy_promise(made->stepper->accuracy)->uniform;
    made->stepper->record = &made->record;
    made->stepper->loads = (SticLoads){.set = load_instant,
                                       .kink = load_kink,
                                       .smooth = load_smooth,
                                       .self = made,
                                       .potential = def->loads.potential};
    *run = made;
    return STIC_OK;
}

void stic_run_destroy(SticRun* run)
{
    if (run == NULL)
        return;
    const SticContext context = run->context;
    if (run->settings[0] != NULL)
        stic_release(&context, run->settings[0], run->def.scheme->fields->size);
    if (run->settings[1] != NULL)
        stic_release(&context, run->settings[1], run->def.solver->fields->size);
    for (int i = 0; i < 3; ++i)
        stic_state_destroy(run->state[i], &run->def.system->layout);
    stic_stepper_destroy(run->stepper);
    stic_classes_release(&run->pending);
    stic_classes_release(&run->classes);
    stic_events_release(&run->events);
    stic_acted_release(&run->earlier);
    for (int i = 0; i < 2; ++i)
        STIC_RELEASE(&context, run->loaded[i].item, run->loaded[i].capacity);
    stic_sleep_destroy(run);
    STIC_RELEASE(&context, run->placed, run->def.system->layout.blocks);
    STIC_RELEASE(&context, run->control, run->control_capacity);
    stic_arena_destroy(run->report);
    stic_world_system_destroy(run->system);
    if (run->world != NULL)
        stic_world_leave(run->world);
    STIC_RELEASE(&context, run, 1);
}

SticState* stic_run_state(SticRun* run)
{
    STIC_ASSERT(run != NULL);
    return run->state[0];
}

const SticState* stic_run_now(const SticRun* run)
{
    STIC_ASSERT(run != NULL);
    return run->state[0];
}

const SticRunTotals* stic_run_totals(const SticRun* run)
{
    return run != NULL ? &run->totals : NULL;
}

const SticRunParts* stic_run_parts(const SticRun* run)
{
    STIC_ASSERT(run != NULL);
    return &run->def;
}

void stic_run_observe(SticRun* run, SticObserver observer)
{
    run->stepper->observer = observer;
}

const SticEvent* stic_run_events(const SticRun* run, int32_t* count)
{
    if (count != NULL)
        *count = run == NULL ? 0 : run->stepper->events->count;
    return run == NULL ? NULL : run->stepper->events->item;
}

const SticStepRecord* stic_run_record(const SticRun* run)
{
    STIC_ASSERT(run != NULL);
    return &run->record;
}

const SticClassLedger* stic_run_classes(const SticRun* run, int32_t* count)
{
    STIC_ASSERT(run != NULL);
    *count = run->classes.count;
    return run->classes.item;
}

SticStatus stic_run_add_classes(const SticClasses* from, SticClasses* to)
{
    for (int32_t k = 0; k < from->count; ++k)
        STIC_TRY(stic_classes_add(to, &from->item[k]));
    return STIC_OK;
}

uint64_t stic_run_hash(const SticRun* run)
{
    return run == NULL ? 0 : stic_state_hash(&run->def.system->layout, run->state[0]);
}

static void add_totals(SticRun* run, const SticStepInfo* info)
{
    SticRunTotals* totals = &run->totals;
    const double error = stic_errors_get(&info->solve.errors, (SticNorm)run->def.solve.norm);
    totals->steps += 1;
    totals->iterations += info->solve.iterations;
    // at the floor of double precision the number says nothing about the solver
    totals->at_floor += info->solve.at_floor ? 1 : 0;
    totals->loose += info->solve.islands_short > 0 ? 1 : 0;
    if (!stic_run_solved(info) && stic_run_missed(&info->solve) > totals->worst_ratio)
        totals->worst_ratio = stic_run_missed(&info->solve);
    totals->newton_missed +=
        !stic_run_solved(info) && info->solve.newton_ratio > info->solve.ratio ? 1 : 0;
    if (error > totals->worst_error && !info->solve.at_floor)
        totals->worst_error = error;
    if (info->penetration > totals->penetration)
        totals->penetration = info->penetration;
    if (info->penetration_part > totals->penetration_part)
        totals->penetration_part = info->penetration_part;
    for (int k = 0; k < STIC_PROMISE_COUNT; ++k)
        if (info->violation[k] > totals->violation[k])
            totals->violation[k] = info->violation[k];
    if (info->held_gap > totals->held_gap)
        totals->held_gap = info->held_gap;
    totals->broken_promises |= info->broken_promises;
    stic_ledger_add(&totals->ledger, &info->ledger);
}

static SticStatus check_gravity(const SticRun* run, SticError* error)
{
    if (run->world == NULL || stic_vec3_is_finite(run->world->gravity))
        return STIC_OK;
    return stic_error_set(error, STIC_NOT_FINITE, "gravity is not finite: (%g, %g, %g) m/s^2",
                          run->world->gravity.x, run->world->gravity.y, run->world->gravity.z);
}

// energy and time of the start, taken when the first step is made
static SticStatus begin(SticRun* run, SticStepInfo* info)
{
    double kinetic = 0.0, potential = 0.0;
    const double t = run->state[0]->t;
    STIC_TRY(stic_run_load_time(run, run->state[0], t, t + run->def.step, &info->error));
    run->loads_until = t + run->def.step;
    STIC_TRY(stic_arena_reset(run->stepper->arena));
    STIC_TRY(stic_system_kinetic(run->def.system, run->state[0], run->stepper->arena, &kinetic));
    STIC_TRY(
        stic_system_potential(run->def.system, run->state[0], run->stepper->arena, &potential));
    if (!isfinite(kinetic + potential))
        return stic_error_set(&info->error, STIC_NOT_FINITE,
                              "the run begins with an energy that is not finite: bodies are too "
                              "fast, too heavy or too far away");
    run->totals.energy_start = kinetic + potential;
    run->t_start = t;
    STIC_TRY(stic_alarm_begin(run, kinetic));
    return stic_watch_begin(run);
}

// moreau, koziara and theta say themselves whether something is too deep
static bool needs_correction(const SticRun* run, const SticStepInfo* info)
{
    if (run->correction.rate == 0.0)
        return false;
    return !run->correction.by_size || info->excess > 0.0;
}

// a step whose energies, or their sums, are beyond double precision is none
static SticStatus check_energy(const SticRun* run, SticStepInfo* info)
{
    SticLedger sum = run->totals.ledger;
    bool finite = true;
    stic_ledger_add(&sum, &info->ledger);
    for (int32_t k = 0; k < STIC_LEDGER_TERMS; ++k)
        finite = finite && isfinite(stic_ledger_term(&sum, k));
    if (finite)
        return STIC_OK;
    return stic_error_set(&info->error, STIC_NOT_FINITE,
                          "the energy is not finite after the step from t = %g", run->state[0]->t);
}

// The energy of St Venant and Kirchhoff's material is finite for a body that is pressed to nothing,
// and has no force there: one that came so far stays flat, or goes on inside out. Its force falls
// from 0.58 of a length on
static SticStatus check_volumes(const SticRun* run, SticStepInfo* info)
{
    static const double least = 1e-3; // far below what has any meaning
    const SticLayout* layout = &run->def.system->layout;
    for (int32_t i = 0; stic_world_of(run->def.system) != NULL && i < layout->blocks; ++i) {
        if (layout->chart[i] != STIC_CHART_LINEAR || layout->q_at[i + 1] - layout->q_at[i] != 12)
            continue;
        const SticMat3 F = stic_mat3_load(run->state[1]->q + layout->q_at[i] + 3);
        const double volume = stic_mat3_det(F);
        if (volume > least)
            continue;
        info->broken = i;
        return stic_error_set(&info->error, STIC_NOT_FINITE,
                              "a pseudo-rigid body is pressed flat, to %g of its volume: its "
                              "material is too soft for these loads",
                              volume);
    }
    return STIC_OK;
}

// the fastest block where a step begins, the likely cause where its end is not known
static int32_t find_fastest(const SticLayout* layout, const SticState* state)
{
    double most = -1.0;
    int32_t fastest = -1;
    for (int32_t i = 0; i < layout->blocks; ++i)
        for (int32_t k = layout->u_at[i]; k < layout->u_at[i + 1]; ++k)
            if (fabs(state->u[k]) > most) {
                most = fabs(state->u[k]);
                fastest = i;
            }
    return fastest;
}

static SticStatus step_failed(SticRun* run, const SticRunTotals* before, SticStatus status,
                              SticStepInfo* info)
{
    run->totals = *before;
    // a motion that broke the step is its cause, whatever the scheme saw of it
    if (status == STIC_NOT_FINITE && stic_world_of(run->def.system) != NULL)
        (void)stic_world_check_motions(run->def.system, &info->error);
    if (status == STIC_NOT_FINITE && info->broken < 0)
        info->broken = find_fastest(&run->def.system->layout, run->state[0]);
    return status;
}

static SticStatus make_step(SticRun* run, SticStepInfo* info)
{
    const SticRunTotals start = run->totals;
    run->loads_until = NAN;
    const SticStatus gravity = check_gravity(run, &info->error);
    if (gravity != STIC_OK)
        return step_failed(run, &start, gravity, info);
    const SticStatus begun = run->totals.steps == 0 ? begin(run, info) : stic_watch_placed(run);
    if (begun != STIC_OK)
        return step_failed(run, &start, begun, info);
    stic_watch_forget(run);
    const SticRunTotals before = run->totals;
    const double t_to = run->t_start + (double)(run->totals.steps + 1) * run->def.step;
    SticStatus status = stic_run_make(run, t_to, info);
    if (status == STIC_OK && needs_correction(run, info)) {
        status =
            stic_step_correct(run->stepper, run->def.system, &run->correction, run->state[1], info);
        run->totals.uncorrected += info->correction != STIC_OUTCOME_SOLVED ? 1 : 0;
    }
    SticNotice notice[STIC_NOTICE_COUNT];
    if (status == STIC_OK)
        status = check_energy(run, info);
    if (status == STIC_OK)
        status = check_volumes(run, info);
    if (status == STIC_OK)
        status = stic_watch_step(run, info, notice);
    if (status == STIC_OK)
        status = stic_sleep_settle(run, info);
    if (status == STIC_OK)
        status = stic_run_add_classes(&run->pending, &run->classes);
    if (status != STIC_OK)
        return step_failed(run, &before, status, info);
    add_totals(run, info);
    stic_alarm_step(run);
    stic_watch_accept(run, notice);
    SticState* old = run->state[0];
    run->state[0] = run->state[1];
    run->state[1] = old;
    run->acted = true;
    return STIC_OK;
}

SticStatus stic_run_step(SticRun* run, SticStepInfo* info)
{
    STIC_GIVEN(run, NULL);
    SticStepInfo unused;
    info = info == NULL ? &unused : info;
    memset(info, 0, sizeof *info);
    info->broken = -1;
    run->acted = run->collected = false;
    STIC_TRY(stic_world_check(run->def.system, &info->error));
    stic_run_exchange(run, true);
    stic_sleep_mask(run, true);
    const SticStatus status = make_step(run, info);
    stic_sleep_mask(run, false);
    stic_run_exchange(run, false);
    return status;
}

SticStatus stic_run_advance(SticRun* run, double until, SticError* error)
{
    STIC_GIVEN(run, error);
    const double step = run->def.step, now = run->state[0]->t;
    SticStepInfo info;
    if (!isfinite(until))
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "a run cannot be advanced to t = %g: the time must be finite", until);
    if (until < now - 0.5 * step)
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "a run at t = %g s cannot be advanced to t = %g s, which has passed",
                              now, until);
    while (run->state[0]->t + 0.5 * step < until) {
        const SticStatus status = stic_run_step(run, &info);
        if (status != STIC_OK)
            return stic_error_set(error, status, "%s",
                                  info.error.text[0] != '\0' ? info.error.text
                                                             : stic_status_text(status));
    }
    return STIC_OK;
}

// SPDX-License-Identifier: Apache-2.0
// A run: steps by policy, sums, the energy ledger.
//
// The time after step k is t0 + k h, not a sum of h, so that a resumed run has the same bits.
#include "run/run.h"

#include "step/step.h"
#include "stiction/extend/base.h"
#include "stiction/extend/problem.h"

#include <math.h>
#include <string.h>

enum { FINEST = 10 }; // parts of a step that bodies ask for: 2^10

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
    if (stic_run_accuracy(def) == STIC_ACCURACY_TOLERANCE)
        return STIC_OK;
    if (def->solve.norm != STIC_NORM_UNIT_FREE || !def->solve.per_island)
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "a level of accuracy is about the unit-free error of every island: "
                              "another norm, or none per island, needs a tolerance of the solver");
    return STIC_OK;
}

static SticStatus check_def(const SticRunParts* def, SticError* error)
{
    if (!(def->step > 0.0) || def->step > 1e300)
        return stic_error_set(error, STIC_BAD_ARGUMENT, "the step must be positive, not %g",
                              def->step);
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
    return stic_scheme_accepts(def->scheme, def->system, error);
}

// SticLoads.set of a stepper: instants inside a step
static SticStatus load_instant(void* self, double begin, double end, SticError* error)
{
    SticRun* run = self;
    return stic_run_load_time(run, run->part, begin, end, error);
}

SticStatus stic_run_assemble(const SticContext* context, const SticRunParts* def, SticRun** run,
                             SticError* error)
{
    STIC_ASSERT(context != NULL);
    STIC_ASSERT(def != NULL);
    STIC_ASSERT(run != NULL);
    *run = NULL;
    STIC_TRY(check_def(def, error));
    SticRun* made = NULL;
    STIC_TRY(STIC_ALLOCATE(context, &made, 1));
    made->context = *context;
    made->def = *def;
    made->pending.context = made->classes.context = *context;
    SticStatus status = stic_stepper_create(context, def->scheme, &made->stepper);
    for (int i = 0; status == STIC_OK && i < 3; ++i)
        status = stic_state_create(context, &def->system->layout, &made->state[i]);
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
    made->stepper->loads =
        (SticLoads){.set = load_instant, .self = made, .potential = def->loads.potential};
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
    for (int i = 0; i < 2; ++i)
        STIC_RELEASE(&context, run->loaded[i].item, run->loaded[i].capacity);
    STIC_RELEASE(&context, run->control, run->control_capacity);
    stic_arena_destroy(run->report);
    stic_world_system_destroy(run->system);
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
    STIC_ASSERT(run != NULL);
    return &run->totals;
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

void stic_run_interrupt(SticRun* run, SticInterrupt interrupt)
{
    run->stepper->interrupt = interrupt;
}

const SticEvent* stic_run_events(const SticRun* run, int32_t* count)
{
    STIC_ASSERT(run != NULL);
    *count = run->stepper->events->count;
    return run->stepper->events->item;
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

static SticStatus add_classes(const SticClasses* from, SticClasses* to)
{
    for (int32_t k = 0; k < from->count; ++k)
        STIC_TRY(stic_classes_add(to, &from->item[k]));
    return STIC_OK;
}

uint64_t stic_run_hash(const SticRun* run)
{
    STIC_ASSERT(run != NULL);
    return stic_state_hash(&run->def.system->layout, run->state[0]);
}

// one attempt with the first or the second solver, from state `from` to state `to`
static SticStatus attempt(SticRun* run, bool second, const SticState* from, double t_to,
                          SticState* to, SticStepInfo* info)
{
    SticSolveRequest* request = &run->stepper->solve;
    request->solver = second ? run->def.second : run->def.solver;
    request->method_settings = second ? NULL : run->def.solver_settings;
    // parts of a step have the same length unless it is known better; what follows them is a whole
    // one
    const double own = run->after > 0.0 ? run->after : t_to - from->t;
    run->stepper->next = t_to < run->t_end ? own : run->def.step;
    run->stepper->passed = run->totals.largest.kinetic;
    run->part = from;
    STIC_TRY(stic_run_load_time(run, from, from->t, t_to, &info->error));
    STIC_TRY(stic_step(run->stepper, run->def.system, from, t_to, to, info));
    if (!run->projects && (run->def.scheme->promises & STIC_PROMISE_BIT(STIC_PROMISE_GAP)) != 0)
        return stic_step_meet(run->stepper, run->def.system, from, to, run->def.step, info);
    if (!run->projects)
        return STIC_OK;
    STIC_TRY(stic_step_close(run->stepper, run->def.system, to, info));
    return run->def.law == STIC_CONTACT_LAW_GAP
               ? stic_step_depth(run->stepper, run->def.system, from, to, run->def.step, info)
               : STIC_OK;
}

static bool solved(const SticStepInfo* info)
{
    return info->solve.outcome == STIC_OUTCOME_SOLVED;
}

// by how much a step missed what was asked of it: of its laws, or of Newton's iteration
static double missed_by(const SticSolveInfo* solve)
{
    return solve->newton_ratio > solve->ratio ? solve->newton_ratio : solve->ratio;
}

static SticStatus unsolved_error(const SticRun* run, SticStepInfo* info)
{
    const double t = run->state[0]->t, tolerance = info->solve.tolerance;
    const double error = info->solve.ratio * tolerance;
    if (info->solve.outcome == STIC_OUTCOME_NO_SOLUTION)
        return stic_error_set(&info->error, STIC_STEP_FAILED,
                              "the step from t = %g was not solved: it has no solution, as a "
                              "certificate proves; %s ended at an error of %.2g (asked: %.2g)",
                              t, info->solve.method, error, tolerance);
    if (info->newton > 0 && error <= tolerance)
        return stic_error_set(
            &info->error, STIC_STEP_FAILED,
            "the step from t = %g was not solved: Newton's iteration of scheme '%s' %s after %d "
            "iterations at a relative change of %.2g (what rounding can make: %.2g; part of each "
            "step taken in the end: %g)",
            t, run->stepper->scheme->name,
            info->solve.outcome == STIC_OUTCOME_STALLED ? "no longer converged"
                                                        : "reached its limit",
            info->newton, info->solve.newton_change, info->solve.newton_floor,
            info->solve.newton_part);
    return stic_error_set(
        &info->error, STIC_STEP_FAILED,
        "the step from t = %g was not solved: %s ended with %s at an error of %.2g (asked: %.2g)",
        t, info->solve.method, stic_outcome_name(info->solve.outcome), error, tolerance);
}

// the worst of the parts of a step so far
typedef struct Worst {
    double depth[3], missed[STIC_PROMISE_COUNT], ratio;
    uint32_t broken;
} Worst;

static void keep_larger(double* own, double* worst)
{
    *worst = *own = *own > *worst ? *own : *worst;
}

static void keep_worst(SticStepInfo* info, Worst* worst)
{
    keep_larger(&info->penetration, &worst->depth[0]);
    keep_larger(&info->penetration_part, &worst->depth[1]);
    keep_larger(&info->depth_part, &worst->depth[2]);
    keep_larger(&info->broken_ratio, &worst->ratio);
    for (int k = 0; k < STIC_PROMISE_COUNT; ++k)
        keep_larger(&info->violation[k], &worst->missed[k]);
    worst->broken = info->broken_promises |= worst->broken;
}

static SticStatus turn_error(const SticRun* run, SticStepInfo* info)
{
    return stic_error_set(
        &info->error, STIC_STEP_FAILED,
        "the step from t = %g was not solved: a body turns by %.3g rad in a %dth part of it, and "
        "scheme '%s' has no steps of 2 rad and more: take shorter steps, or scheme 'consistent'",
        run->state[0]->t, info->turn, 1 << run->level, run->stepper->scheme->name);
}

// a step that ended in state `last` must end in state 1
static void put_end(SticRun* run, int32_t last)
{
    SticState* held = run->state[last];
    run->state[last] = run->state[1];
    run->state[1] = held;
}

// 2^level steps of equal length from state 0 into state 1, through state 2; it ends at the first
// one that is not solved unless the run goes on with such steps `anyway`, and then tells of the
// worst
static SticStatus split(SticRun* run, int32_t level, double t_to, bool anyway, SticStepInfo* info)
{
    const SticState* from = run->state[0];
    const int64_t parts = (int64_t)1 << level;
    const double begin = from->t;
    SticLedger ledger = {0};
    SticSolveInfo missed = {.outcome = STIC_OUTCOME_SOLVED};
    int64_t iterations = 0;
    Worst worst = {.ratio = 0.0};
    run->pending.count = 0;
    for (int64_t k = 0; k < parts; ++k) {
        const double t =
            k + 1 == parts ? t_to : begin + (t_to - begin) * (double)(k + 1) / (double)parts;
        SticState* to = run->state[1 + k % 2];
        if (k > 0 && stic_stepper_interrupted(run->stepper))
            return stic_error_set(&info->error, STIC_INTERRUPTED,
                                  "stopped on request at t = %g, inside the step from %g to %g",
                                  from->t, begin, t_to);
        STIC_TRY(attempt(run, false, from, t, to, info));
        if (!solved(info) && !anyway)
            return STIC_OK;
        if (!solved(info) && !(missed_by(&info->solve) < missed_by(&missed)))
            missed = info->solve;
        stic_ledger_add(&ledger, &info->ledger);
        iterations += info->solve.iterations;
        keep_worst(info, &worst);
        if (k + 1 < parts)
            STIC_TRY(add_classes(run->stepper->classes, &run->pending));
        from = to;
    }
    put_end(run, parts % 2 == 0 ? 2 : 1);
    if (missed.outcome != STIC_OUTCOME_SOLVED)
        info->solve = missed;
    info->ledger = ledger;
    info->solve.iterations = (int32_t)(iterations < INT32_MAX ? iterations : INT32_MAX);
    info->substeps = (int32_t)parts;
    return STIC_OK;
}

static SticStatus split_more(SticRun* run, double t_to, SticStepInfo* info)
{
    const int32_t begin = run->level, most = begin + run->def.max_halvings;
    while (run->level < most && !solved(info)) {
        run->level += 1;
        STIC_TRY(split(run, run->level, t_to, false, info));
    }
    if (solved(info))
        run->totals.halved += 1;
    else
        run->level = begin;
    return STIC_OK;
}

// the step with the best reactions that are found; one in one piece has been made already if
// nothing was tried after it
static SticStatus take_anyway(SticRun* run, double t_to, bool made, SticStepInfo* info)
{
    run->totals.unsolved += 1;
    if (run->level > 0)
        return split(run, run->level, t_to, true, info);
    run->pending.count = 0;
    return made ? STIC_OK : attempt(run, false, run->state[0], t_to, run->state[1], info);
}

static SticStatus apply_policy(SticRun* run, double t_to, SticStepInfo* info)
{
    const SticRunParts* def = &run->def;
    if (info->turn >= 2.0)
        return turn_error(run, info);
    switch (def->policy) {
    case STIC_POLICY_CONTINUE:
        return take_anyway(run, t_to, true, info);
    case STIC_POLICY_RETRY:
        STIC_TRY(attempt(run, true, run->state[0], t_to, run->state[1], info));
        run->totals.retried += solved(info) ? 1 : 0;
        break;
    case STIC_POLICY_HALVE:
        STIC_TRY(split_more(run, t_to, info));
        break;
    case STIC_POLICY_ADAPT:
        STIC_TRY(split_more(run, t_to, info));
        return solved(info) ? STIC_OK : take_anyway(run, t_to, def->max_halvings == 0, info);
    case STIC_POLICY_STOP:
        break;
    }
    return solved(info) ? STIC_OK : unsolved_error(run, info);
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
    if (!solved(info) && missed_by(&info->solve) > totals->worst_ratio)
        totals->worst_ratio = missed_by(&info->solve);
    totals->newton_missed += !solved(info) && info->solve.newton_ratio > info->solve.ratio ? 1 : 0;
    if (error > totals->worst_error && !info->solve.at_floor)
        totals->worst_error = error;
    if (info->penetration > totals->penetration)
        totals->penetration = info->penetration;
    if (info->penetration_part > totals->penetration_part)
        totals->penetration_part = info->penetration_part;
    for (int k = 0; k < STIC_PROMISE_COUNT; ++k)
        if (info->violation[k] > totals->violation[k])
            totals->violation[k] = info->violation[k];
    totals->broken_promises |= info->broken_promises;
    stic_ledger_add(&totals->ledger, &info->ledger);
}

// energy and time of the start, taken when the first step is made
static SticStatus begin(SticRun* run, SticStepInfo* info)
{
    double kinetic = 0.0, potential = 0.0;
    const double t = run->state[0]->t;
    STIC_TRY(stic_run_load_time(run, run->state[0], t, t + run->def.step, &info->error));
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
    if (status == STIC_NOT_FINITE && info->broken < 0)
        info->broken = find_fastest(&run->def.system->layout, run->state[0]);
    return status;
}

// half of what a run should never show, in the size of the smaller body
#define DEEP_PART 5e-3
// rad: bodies that turn by more in a part may be anywhere after it
#define WIDE_TURN 0.3

// Parts of a step that what happens in it asks for. Bodies that meet others further away than they
// are thick are led there in parts that are shorter than that: what they do after the first touch,
// such as turning about it and touching again, happens before they would be through. Nor does a
// body that joints pull back swing by more than half of what is stable, nor one turn by more than
// half of what the scheme can.
static double parts_asked(const SticRun* run, const SticStepInfo* info)
{
    double parts = info->passes > info->turn ? info->passes : info->turn;
    // schemes that do not project say so where Newton fails only
    if (run->projects || !solved(info))
        parts = info->swing > parts ? info->swing : parts;
    return parts;
}

static int32_t finer_level(const SticRun* run, double parts)
{
    int32_t level = run->level;
    for (; parts > 1.0 && level < FINEST; parts *= 0.5)
        ++level;
    return level;
}

// Parts may ask for more of them where they are not solved: a body that an impact sets spinning
static SticStatus split_asked(SticRun* run, double t_to, SticStepInfo* info)
{
    double parts = parts_asked(run, info);
    while (parts > 1.0 && run->level < FINEST) {
        run->level = finer_level(run, parts);
        STIC_TRY(split(run, run->level, t_to, false, info));
        parts = run->projects || solved(info) ? 0.0 : parts_asked(run, info);
    }
    return STIC_OK;
}

// a step in parts of unequal length, each 2^-level of it
typedef struct Walk {
    const SticState* from;
    double begin, end;
    int32_t at, least, level; // in ticks, 2^FINEST of a step; coarsest and present level
    int32_t last;             // number of the state that was reached
    int32_t parts;
    int64_t iterations;
    SticLedger ledger;
    Worst worst;
    double limit;    // of depth_part
    double tried[2]; // depth_part of the last two attempts on this part
} Walk;

enum { TICKS = 1 << FINEST };

static double tick_time(const Walk* walk, int32_t at)
{
    const double length = walk->end - walk->begin;
    return at == TICKS ? walk->end : walk->begin + length * (double)at / (double)TICKS;
}

// level of the part after the present one: as long again, or twice as long where that fits
static int32_t level_after(const Walk* walk)
{
    const int32_t length = TICKS >> walk->level;
    const bool fits = (walk->at + length) % (2 * length) == 0;
    return walk->level > walk->least && fits ? walk->level - 1 : walk->level;
}

// whether the present part is to be made in halves
static bool is_too_deep(const Walk* walk, const SticStepInfo* info)
{
    return walk->level < FINEST && info->depth_part > walk->limit &&
           (info->depth_part < 0.9 * walk->tried[1] || info->depth_turn > WIDE_TURN);
}

static SticStatus accept_part(SticRun* run, Walk* walk, SticStepInfo* info)
{
    const int32_t next = level_after(walk);
    stic_ledger_add(&walk->ledger, &info->ledger);
    walk->iterations += info->solve.iterations;
    walk->parts += 1;
    // halves did not help: what it begins with is taken back by and by
    walk->limit = info->depth_part > walk->limit ? info->depth_part : walk->limit;
    keep_worst(info, &walk->worst);
    walk->last = 3 - walk->last;
    walk->from = run->state[walk->last];
    walk->at += TICKS >> walk->level;
    walk->level = next;
    walk->tried[0] = walk->tried[1] = INFINITY;
    return walk->at < TICKS ? add_classes(run->stepper->classes, &run->pending) : STIC_OK;
}

// Bodies that turn far in a step end it inside of others. It is made in parts until what they
// overlap by is no more than DEEP_PART of the smaller one, or until parts of a quarter help no
// more: an overlap that they begin with is taken back by and by. Only parts of the step in which
// that happens are made finer, and those after them longer again: an instant that asks for 2^8
// parts costs some twenty.
static SticStatus split_deep(SticRun* run, double t_to, SticStepInfo* info)
{
    // schemes that keep overlaps meet others all the time, and are dear: all of it for them
    const double limit = run->projects ? DEEP_PART : 2.0 * DEEP_PART;
    if (!solved(info) || !(info->depth_part > limit) || run->level >= FINEST)
        return STIC_OK;
    Walk walk = {.from = run->state[0],
                 .begin = run->state[0]->t,
                 .end = t_to,
                 .least = run->level,
                 .level = run->level + 1,
                 .last = 2,
                 .limit = limit,
                 .tried = {info->depth_part, INFINITY}};
    run->pending.count = 0;
    while (walk.at < TICKS) {
        const int32_t end = walk.at + (TICKS >> walk.level);
        if (walk.parts > 0 && stic_stepper_interrupted(run->stepper))
            return stic_error_set(&info->error, STIC_INTERRUPTED,
                                  "stopped on request at t = %g, inside the step from %g to %g",
                                  walk.from->t, walk.begin, t_to);
        run->after = (t_to - walk.begin) / (double)(1 << level_after(&walk));
        const SticStatus status =
            attempt(run, false, walk.from, tick_time(&walk, end), run->state[3 - walk.last], info);
        run->after = 0.0;
        STIC_TRY(status);
        if (!solved(info)) {
            run->level = walk.level;
            return apply_policy(run, t_to, info);
        }
        if (is_too_deep(&walk, info)) {
            walk.tried[1] = walk.tried[0];
            walk.tried[0] = info->depth_part;
            walk.level += 1;
        } else {
            STIC_TRY(accept_part(run, &walk, info));
        }
    }
    put_end(run, walk.last);
    info->ledger = walk.ledger;
    info->solve.iterations = (int32_t)(walk.iterations < INT32_MAX ? walk.iterations : INT32_MAX);
    info->substeps = walk.parts;
    return STIC_OK;
}

SticStatus stic_run_step(SticRun* run, SticStepInfo* info)
{
    STIC_ASSERT(run != NULL);
    STIC_ASSERT(info != NULL);
    memset(info, 0, sizeof *info);
    info->broken = -1;
    run->acted = run->collected = false;
    const SticRunTotals start = run->totals;
    if (run->totals.steps == 0) {
        const SticStatus begun = begin(run, info);
        if (begun != STIC_OK)
            return step_failed(run, &start, begun, info);
    }
    const SticRunTotals before = run->totals;
    run->pending.count = 0;
    const double t_to = run->t_start + (double)(run->totals.steps + 1) * run->def.step;
    run->t_end = t_to;
    run->level =
        run->projects ? stic_step_halvings(run->def.system, run->state[0], run->def.step) : 0;
    SticStatus status = run->level == 0
                            ? attempt(run, false, run->state[0], t_to, run->state[1], info)
                            : split(run, run->level, t_to, false, info);
    if (status == STIC_OK)
        status = split_asked(run, t_to, info);
    if (status == STIC_OK && !solved(info))
        status = apply_policy(run, t_to, info);
    if (status == STIC_OK)
        status = split_deep(run, t_to, info);
    // works of the last attempt join those of the parts before it
    if (status == STIC_OK)
        status = add_classes(run->stepper->classes, &run->pending);
    if (status == STIC_OK && needs_correction(run, info)) {
        status =
            stic_step_correct(run->stepper, run->def.system, &run->correction, run->state[1], info);
        run->totals.uncorrected += info->correction != STIC_OUTCOME_SOLVED ? 1 : 0;
    }
    SticNotice notice[STIC_NOTICE_COUNT];
    if (status == STIC_OK)
        status = check_energy(run, info);
    if (status == STIC_OK)
        status = stic_watch_step(run, info, notice);
    if (status == STIC_OK)
        status = add_classes(&run->pending, &run->classes);
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

SticStatus stic_run_advance(SticRun* run, double until, SticError* error)
{
    STIC_ASSERT(run != NULL);
    const double step = run->def.step;
    SticStepInfo info;
    while (run->state[0]->t + 0.5 * step < until) {
        const SticStatus status = stic_run_step(run, &info);
        if (status != STIC_OK)
            return stic_error_set(error, status, "%s",
                                  info.error.text[0] != '\0' ? info.error.text
                                                             : stic_status_text(status));
    }
    return STIC_OK;
}

// SPDX-License-Identifier: Apache-2.0
// One step of a run: in one piece, or in parts where it needs them.
//
// Parts of equal length are for what is known of the whole step: bodies that turn, swing or pass
// others too fast for one piece, and the policies on steps that were not solved. Parts of unequal
// length, made finer where something happens and longer again after it, are for what happens at
// some instant of the step: bodies that meet, and equations that were not solved. No step begins
// where one has ended whose equations were not solved.
#include "run/run.h"

#include "step/step.h"
#include "stiction/extend/base.h"

#include <math.h>
#include <string.h>

enum {
    FINEST = 10, // parts of a step that bodies ask for: 2^10
    EASED = 2    // halvings of what is dear; the last parts are solved whatever they cost
};

// the step of the scheme, and the projections behind it
static SticStatus make_part(SticRun* run, const SticState* from, double t_to, SticState* to,
                            SticStepInfo* info)
{
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

// one attempt with the first or the second solver, from state `from` to state `to`
static SticStatus attempt(SticRun* run, bool second, const SticState* from, double t_to,
                          SticState* to, SticStepInfo* info)
{
    SticSolveRequest* request = &run->stepper->solve;
    request->solver = second ? run->def.second : run->def.solver;
    request->method_settings = second ? NULL : run->def.solver_settings;
    request->brief = run->brief;
    // parts of a step have the same length unless it is known better; what follows them is a whole
    // one
    const double own = run->after > 0.0 ? run->after : t_to - from->t;
    run->stepper->next = t_to < run->t_end ? own : run->def.step;
    run->stepper->passed = run->totals.largest.kinetic;
    run->part = from;
    // controls may have a memory: none is asked twice for the first step
    const bool set = from == run->state[0] && t_to == run->loads_until;
    run->loads_until = NAN;
    if (!set)
        STIC_TRY(stic_run_load_time(run, from, from->t, t_to, &info->error));
    STIC_TRY(stic_sleep_look(run, from));
    if (stic_sleep_rests(run))
        return stic_sleep_pass(run, from, t_to, to, info);
    // what is pushed out of its sleep takes part from the beginning
    for (bool again = true; again;) {
        STIC_TRY(make_part(run, from, t_to, to, info));
        STIC_TRY(stic_sleep_follow(run, from, to, &again));
    }
    return STIC_OK;
}

bool stic_run_solved(const SticStepInfo* info)
{
    return info->solve.outcome == STIC_OUTCOME_SOLVED;
}

// Whether a scheme that keeps its equations has not solved those of a step: no other step may begin
// where it ends, unless the policy says so. Laws that were solved loosely are another matter: they
// only make a step less exact.
static bool is_lost(const SticRun* run, const SticStepInfo* info)
{
    return !run->projects && run->def.policy != STIC_POLICY_CONTINUE && !stic_run_solved(info) &&
           info->solve.newton_ratio > 0.0;
}

// Whether Newton's iteration is what failed. Schemes that project positions may go on from there, at
// a price that shorter steps avoid.
static bool is_stuck(const SticRun* run, const SticStepInfo* info)
{
    return run->def.max_halvings > 0 && !stic_run_solved(info) &&
           info->solve.newton_ratio > info->solve.ratio;
}

// whether a step seems to have solved its equations and yet breaks what they promise: two branches
// of them meet, or rounding grows far beyond the usual
static bool is_doubtful(const SticRun* run, const SticStepInfo* info)
{
    const uint32_t equations = STIC_PROMISE_BIT(STIC_PROMISE_ENERGY) |
                               STIC_PROMISE_BIT(STIC_PROMISE_POSITION) |
                               STIC_PROMISE_BIT(STIC_PROMISE_RATE);
    return !run->projects && stic_run_solved(info) && (info->broken_promises & equations) != 0;
}

// by how much a step missed what was asked of it: of its laws, or of Newton's iteration
double stic_run_missed(const SticSolveInfo* solve)
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
    if (info->newton == 0 && info->solve.newton_ratio == INFINITY)
        return stic_error_set(&info->error, STIC_STEP_FAILED,
                              "the step from t = %g was not solved: the equations of scheme '%s' "
                              "are singular there",
                              t, run->stepper->scheme->name);
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

// what the parts of a step so far come to
typedef struct Worst {
    double depth[3], missed[STIC_PROMISE_COUNT], held, ratio, contradiction;
    int32_t block[2], part[2]; // of the contradiction
    uint32_t broken;
} Worst;

static void keep_larger(double* own, double* worst)
{
    *worst = *own = *own > *worst ? *own : *worst;
}

// Energy, momentum and gaps are changes over a step: those of its parts add up. Of the others, the
// value at its end and the worst on the way are reported.
static bool adds_up(int promise)
{
    return promise == STIC_PROMISE_ENERGY || promise == STIC_PROMISE_MOMENTUM ||
           promise == STIC_PROMISE_GAP;
}

static void keep_contradiction(SticStepInfo* info, Worst* worst)
{
    const bool larger = info->contradiction > worst->contradiction;
    memcpy(larger ? worst->block : info->contradiction_block,
           larger ? info->contradiction_block : worst->block, sizeof worst->block);
    memcpy(larger ? worst->part : info->contradiction_part,
           larger ? info->contradiction_part : worst->part, sizeof worst->part);
    keep_larger(&info->contradiction, &worst->contradiction);
}

static void keep_worst(SticStepInfo* info, Worst* worst)
{
    keep_larger(&info->penetration, &worst->depth[0]);
    keep_larger(&info->penetration_part, &worst->depth[1]);
    keep_larger(&info->depth_part, &worst->depth[2]);
    keep_larger(&info->broken_ratio, &worst->ratio);
    for (int k = 0; k < STIC_PROMISE_COUNT; ++k) {
        if (adds_up(k))
            info->violation[k] += worst->missed[k];
        keep_larger(&info->violation[k], &worst->missed[k]);
    }
    keep_contradiction(info, worst);
    worst->held = info->held_gap += worst->held;
    worst->broken = info->broken_promises |= worst->broken;
}

// forget the parts of an attempt
static void begin_parts(SticRun* run)
{
    run->pending.count = run->events.count = 0;
    stic_acted_clear(&run->earlier);
}

static SticStatus append_events(const SticEvents* from, SticEvents* to)
{
    STIC_TRY(STIC_RESERVE(&to->context, &to->item, &to->capacity, to->count + from->count));
    if (from->count > 0)
        memcpy(to->item + to->count, from->item, (size_t)from->count * sizeof *to->item);
    to->count += from->count;
    return STIC_OK;
}

// what the next part would overwrite of one that ends at `to`
static SticStatus keep_part(SticRun* run, const SticState* to)
{
    STIC_TRY(stic_run_add_classes(run->stepper->classes, &run->pending));
    STIC_TRY(append_events(run->stepper->events, &run->events));
    return stic_run_keep_part(run, to);
}

// events and works of the last part join those of the parts before it
static SticStatus end_parts(SticRun* run)
{
    if (run->events.count > 0) {
        STIC_TRY(append_events(run->stepper->events, &run->events));
        const SticEvents all = run->events;
        run->events = *run->stepper->events;
        *run->stepper->events = all;
    }
    return stic_run_add_classes(run->stepper->classes, &run->pending);
}

static SticStatus turn_error(const SticRun* run, SticStepInfo* info)
{
    return stic_error_set(
        &info->error, STIC_STEP_FAILED,
        "the step from t = %g was not solved: a body, or a joint with a spring or limits, turns by "
        "%.3g rad in a %dth part of it, and scheme '%s' has no steps of 2 rad and more there: take "
        "shorter steps",
        run->state[0]->t, info->turn, 1 << run->level, run->stepper->scheme->name);
}

// a step that ended in state `last` must end in state 1
static void put_end(SticRun* run, int32_t last)
{
    SticState* held = run->state[last];
    run->state[last] = run->state[1];
    run->state[1] = held;
}

// 2^level steps of equal length from state 0 into state 1, through state 2. It ends at the first one
// that is not solved, unless the run goes on with such steps `anyway`; then it reports the worst. It
// always ends at one that is lost.
static SticStatus split(SticRun* run, int32_t level, double t_to, bool anyway, SticStepInfo* info)
{
    const SticState* from = run->state[0];
    const int64_t parts = (int64_t)1 << level;
    const double begin = from->t;
    SticLedger ledger = {0};
    SticSolveInfo missed = {.outcome = STIC_OUTCOME_SOLVED};
    int64_t iterations = 0;
    Worst worst = {.ratio = 0.0};
    begin_parts(run);
    for (int64_t k = 0; k < parts; ++k) {
        const double t =
            k + 1 == parts ? t_to : begin + (t_to - begin) * (double)(k + 1) / (double)parts;
        SticState* to = run->state[1 + k % 2];
        if (k > 0 && stic_stepper_interrupted(run->stepper))
            return stic_error_set(&info->error, STIC_INTERRUPTED,
                                  "stopped on request at t = %g, inside the step from %g to %g",
                                  from->t, begin, t_to);
        STIC_TRY(attempt(run, false, from, t, to, info));
        if (!stic_run_solved(info) && (!anyway || is_lost(run, info)))
            return STIC_OK;
        if (!stic_run_solved(info) && !(stic_run_missed(&info->solve) < stic_run_missed(&missed)))
            missed = info->solve;
        stic_ledger_add(&ledger, &info->ledger);
        iterations += info->solve.iterations;
        keep_worst(info, &worst);
        if (k + 1 < parts)
            STIC_TRY(keep_part(run, to));
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
    while (run->level < most && !stic_run_solved(info)) {
        run->level += 1;
        STIC_TRY(split(run, run->level, t_to, false, info));
    }
    if (stic_run_solved(info))
        run->totals.halved += 1;
    else
        run->level = begin;
    return STIC_OK;
}

// the step with the best reactions that are found; one in one piece has been made already if
// nothing was tried after it
static SticStatus take_anyway(SticRun* run, double t_to, bool made, SticStepInfo* info)
{
    begin_parts(run);
    if (run->level > 0)
        STIC_TRY(split(run, run->level, t_to, true, info));
    else if (!made)
        STIC_TRY(attempt(run, false, run->state[0], t_to, run->state[1], info));
    run->totals.unsolved += is_lost(run, info) ? 0 : 1;
    return STIC_OK;
}

// half of what a run should never show, in the size of the smaller body
#define DEEP_PART 5e-3
// rad: bodies that turn by more in a part may be anywhere after it
#define WIDE_TURN 0.3

// Number of parts that a step needs for what happens in it. A body on its way to others that are
// further away than it is thick gets there in parts shorter than its thickness: what it does after
// the first touch, such as turning about it and touching again, happens before it would be through.
// No body that joints pull back swings by more than half of what is stable, and none turns by more
// than half of what the scheme can follow.
static double parts_asked(const SticRun* run, const SticStepInfo* info)
{
    double parts = info->passes > info->turn ? info->passes : info->turn, swing = info->swing;
    // In schemes that do not project this matters only where Newton fails. Laws that a solver has
    // not solved are no easier for it in hundreds of parts: the policy decides how many are tried.
    if (!run->projects && stic_run_solved(info))
        return parts;
    if (!run->projects && !(info->solve.newton_ratio > 0.0)) {
        const int32_t finest = run->def.max_halvings < FINEST ? run->def.max_halvings : FINEST;
        const double most = run->level < finest ? (double)(1 << (finest - run->level)) : 1.0;
        swing = swing < most ? swing : most;
    }
    return swing > parts ? swing : parts;
}

static int32_t finer_level(const SticRun* run, double parts)
{
    int32_t level = run->level;
    for (; parts > 1.0 && level < FINEST; parts *= 0.5)
        ++level;
    return level;
}

// Parts that are not solved may need more parts themselves: an impact sets a body spinning
static SticStatus split_asked(SticRun* run, double t_to, SticStepInfo* info)
{
    double parts = parts_asked(run, info);
    while (parts > 1.0 && run->level < FINEST) {
        run->level = finer_level(run, parts);
        STIC_TRY(split(run, run->level, t_to, false, info));
        parts = run->projects || stic_run_solved(info) ? 0.0 : parts_asked(run, info);
    }
    return STIC_OK;
}

// a step in parts of unequal length, each 2^-level of it
typedef enum WalkMode {
    WALK_SOLVED, // ends at the first part that was not solved
    WALK_ANYWAY, // only if its equations were not solved: laws may be
    WALK_EASED   // parts that are dear are made in halves
} WalkMode;

typedef struct Walk {
    WalkMode mode;
    const SticState* from;
    double begin, end;
    int32_t at, least, level; // in ticks, 2^FINEST of a step; coarsest and present level
    int32_t last;             // number of the state that was reached
    int32_t parts;
    int64_t iterations;
    SticLedger ledger;
    Worst worst;
    SticSolveInfo missed; // the worst part that was not solved
    double limit;         // of depth_part
    double tried[2];      // depth_part of the last two attempts on this part
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

static void go_finer(Walk* walk, const SticStepInfo* info)
{
    walk->tried[1] = walk->tried[0];
    walk->tried[0] = info->depth_part;
    walk->level += 1;
}

static SticStatus accept_part(SticRun* run, Walk* walk, SticStepInfo* info)
{
    const int32_t next = level_after(walk);
    if (!stic_run_solved(info) && !(stic_run_missed(&info->solve) < stic_run_missed(&walk->missed)))
        walk->missed = info->solve;
    stic_ledger_add(&walk->ledger, &info->ledger);
    walk->iterations += info->solve.iterations;
    walk->parts += 1;
    // halves did not help: an overlap that it begins with is taken back step by step
    walk->limit = info->depth_part > walk->limit ? info->depth_part : walk->limit;
    keep_worst(info, &walk->worst);
    walk->last = 3 - walk->last;
    walk->from = run->state[walk->last];
    walk->at += TICKS >> walk->level;
    walk->level = next;
    walk->tried[0] = walk->tried[1] = INFINITY;
    return walk->at < TICKS ? keep_part(run, walk->from) : STIC_OK;
}

// schemes that keep overlaps meet other bodies all the time and cost more: the whole limit for them
static double depth_limit(const SticRun* run)
{
    return run->projects ? DEEP_PART : 2.0 * DEEP_PART;
}

// whether the present part is to be made again in halves
static bool goes_finer(const SticRun* run, const Walk* walk, bool brief, const SticStepInfo* info)
{
    const bool lost = is_lost(run, info) || is_doubtful(run, info) || is_stuck(run, info);
    return (walk->mode == WALK_ANYWAY && lost && walk->level < FINEST) ||
           (brief && !stic_run_solved(info)) || (stic_run_solved(info) && is_too_deep(walk, info));
}

// From state 0 into state 1 through state 2, in parts that begin at the level after the present
// one.
static SticStatus walk(SticRun* run, double t_to, WalkMode mode, SticStepInfo* info)
{
    Walk walk = {.mode = mode,
                 .from = run->state[0],
                 .begin = run->state[0]->t,
                 .end = t_to,
                 .least = run->level,
                 .level = run->level + 1,
                 .last = 2,
                 .iterations = mode == WALK_EASED ? info->solve.iterations : 0,
                 .missed = {.outcome = STIC_OUTCOME_SOLVED},
                 .limit = depth_limit(run),
                 .tried = {info->depth_part, INFINITY}};
    begin_parts(run);
    while (walk.at < TICKS) {
        const int32_t end = walk.at + (TICKS >> walk.level);
        const bool brief = mode == WALK_EASED && walk.level < walk.least + EASED;
        if (walk.parts > 0 && stic_stepper_interrupted(run->stepper))
            return stic_error_set(&info->error, STIC_INTERRUPTED,
                                  "stopped on request at t = %g, inside the step from %g to %g",
                                  walk.from->t, walk.begin, t_to);
        run->after = (t_to - walk.begin) / (double)(1 << level_after(&walk));
        run->brief = brief;
        const SticStatus status =
            attempt(run, false, walk.from, tick_time(&walk, end), run->state[3 - walk.last], info);
        run->brief = false;
        run->after = 0.0;
        STIC_TRY(status);
        if (goes_finer(run, &walk, brief, info)) {
            walk.iterations += brief ? info->solve.iterations : 0;
            go_finer(&walk, info);
            continue;
        }
        run->level = walk.level;
        if (!stic_run_solved(info) && (mode != WALK_ANYWAY || is_lost(run, info)))
            return STIC_OK;
        STIC_TRY(accept_part(run, &walk, info));
    }
    put_end(run, walk.last);
    if (walk.missed.outcome != STIC_OUTCOME_SOLVED)
        info->solve = walk.missed;
    info->ledger = walk.ledger;
    info->solve.iterations = (int32_t)(walk.iterations < INT32_MAX ? walk.iterations : INT32_MAX);
    info->substeps = walk.parts;
    return STIC_OK;
}

// Equations that were not solved usually have a solution in shorter steps, around an instant.
static SticStatus refine(SticRun* run, double t_to, SticStepInfo* info)
{
    const bool finest = run->level >= FINEST;
    if (!finest)
        STIC_TRY(walk(run, t_to, WALK_ANYWAY, info));
    if (is_lost(run, info))
        return info->turn >= 2.0 ? turn_error(run, info) : unsolved_error(run, info);
    if (finest)
        return STIC_OK;
    if (stic_run_solved(info))
        run->totals.halved += 1;
    else
        run->totals.unsolved += 1;
    // what is too deep was looked at on the way
    info->depth_part = 0.0;
    return STIC_OK;
}

// the step in parts; laws that are solved loosely in these too are accepted, equations are not
static SticStatus adapt(SticRun* run, double t_to, SticStepInfo* info)
{
    if (is_lost(run, info) || is_doubtful(run, info))
        return refine(run, t_to, info);
    STIC_TRY(split_more(run, t_to, info));
    if (is_stuck(run, info))
        return refine(run, t_to, info);
    if (!stic_run_solved(info) && !is_lost(run, info))
        STIC_TRY(take_anyway(run, t_to, run->def.max_halvings == 0, info));
    return is_lost(run, info) ? refine(run, t_to, info) : STIC_OK;
}

static SticStatus apply_policy(SticRun* run, double t_to, SticStepInfo* info)
{
    const SticPolicy policy = run->def.policy;
    if (info->turn >= 2.0 && policy != STIC_POLICY_ADAPT)
        return turn_error(run, info);
    switch (policy) {
    case STIC_POLICY_CONTINUE:
        return take_anyway(run, t_to, true, info);
    case STIC_POLICY_RETRY:
        begin_parts(run);
        STIC_TRY(attempt(run, true, run->state[0], t_to, run->state[1], info));
        run->totals.retried += stic_run_solved(info) ? 1 : 0;
        break;
    case STIC_POLICY_HALVE:
        STIC_TRY(split_more(run, t_to, info));
        break;
    case STIC_POLICY_ADAPT:
        return adapt(run, t_to, info);
    case STIC_POLICY_STOP:
        break;
    }
    return stic_run_solved(info) ? STIC_OK : unsolved_error(run, info);
}

// Bodies that turn far in a step may end it inside others. The step is made in parts until they
// overlap by no more than DEEP_PART of the smaller one, or until parts a quarter as long do not help
// either: an overlap that they begin with is taken back step by step. Parts are made finer only
// where that happens, and longer again after it: an instant that needs 2^8 parts costs some twenty.
static SticStatus split_deep(SticRun* run, double t_to, SticStepInfo* info)
{
    if (!stic_run_solved(info) || !(info->depth_part > depth_limit(run)) || run->level >= FINEST)
        return STIC_OK;
    STIC_TRY(walk(run, t_to, WALK_SOLVED, info));
    return stic_run_solved(info) ? STIC_OK : apply_policy(run, t_to, info);
}

// Whether steps that are dear may be made in halves instead. How many sweeps a step takes where
// things creep to rest is a matter of luck: a pile of 1000 has steps that take a hundred times what
// its others take, while their halves are as cheap as any other. Whoever asks for a tolerance gets
// the steps that were asked for.
static bool may_ease(const SticRun* run)
{
    return run->def.policy == STIC_POLICY_ADAPT && run->def.max_halvings >= EASED &&
           stic_run_accuracy(&run->def) != STIC_ACCURACY_TOLERANCE && run->projects &&
           run->level == 0;
}

static SticStatus ease(SticRun* run, double t_to, SticStepInfo* info)
{
    STIC_TRY(walk(run, t_to, WALK_EASED, info));
    run->totals.halved += stic_run_solved(info) ? 1 : 0;
    // what is too deep was looked at on the way
    if (stic_run_solved(info))
        info->depth_part = 0.0;
    return STIC_OK;
}

SticStatus stic_run_make(SticRun* run, double t_to, SticStepInfo* info)
{
    begin_parts(run);
    run->t_end = t_to;
    run->level =
        run->projects ? stic_step_halvings(run->def.system, run->state[0], run->def.step) : 0;
    const bool brief = may_ease(run);
    run->brief = brief;
    const SticStatus status = run->level == 0
                                  ? attempt(run, false, run->state[0], t_to, run->state[1], info)
                                  : split(run, run->level, t_to, false, info);
    run->brief = false;
    STIC_TRY(status);
    STIC_TRY(split_asked(run, t_to, info));
    if (brief && run->level == 0 && !stic_run_solved(info))
        STIC_TRY(ease(run, t_to, info));
    if (!stic_run_solved(info) || (is_doubtful(run, info) && run->def.policy == STIC_POLICY_ADAPT))
        STIC_TRY(apply_policy(run, t_to, info));
    STIC_TRY(split_deep(run, t_to, info));
    return end_parts(run);
}

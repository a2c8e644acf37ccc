// SPDX-License-Identifier: Apache-2.0
// The ladder of auto: one method after the other until the recomputed error passes.
//
// Each rung is a method with a limit of counted iterations, never of time, and some end earlier
// where the error falls too slowly to reach the tolerance within it (stic_task_stage). The best r
// of all rungs is kept, and most rungs start from it. In order:
//   bodies       admm, where faces touch (many rows per velocity) and its factor on the
//                graph of bodies is cheap: stacks and masonry at rest, whatever their size
//   sweeps       asgs, as long as its iterations cost less than the factors that the next rungs
//                would need; above UNSEEN contacts W is not even formed before
//   near         prox-newton from the start value of the caller, if that is near
//   interior     interior points, then prox-newton; for a handful of contacts Newton comes first
//   turns        from LARGE contacts on: asgs from where interior points ended, prox-newton from
//                the best r, apgd, prox-newton again; above UNSEEN contacts over and over while
//                a round halves the error (piles: once), Newton with as much work as was spent
//                before it
//   walks        from UNSEEN contacts on here, from LARGE on at the end: asgs from 0 with little
//                momentum and no guard, and from the best r of that the path with folds below
//   states       below MIDDLE contacts: the path of the proximal parameter from 0, from event
//                to event (state_path.h), which comes to a solution wherever it is not lost
//   newton       prox-newton from 0 on the maps of Jean-Moreau, Alart-Curnier, Fischer-Burmeister;
//                after some hundred sweeps; with little regularisation and many steps. Above UNSEEN
//                contacts each of them has a limit of FACTORS factorisations
//   states       below UNSEEN contacts: the same path from the best r; below MIDDLE from 0 again,
//                with a centre that is off in another direction
//   path         from LARGE contacts on: the path of the proximal parameter from the best r, round
//                its folds (prox_path.h)
//   last         asgs, apgd and admm with large limits, then plain sweeps until they stall: the
//                only rungs where a factor of W would be too large
// Limits are multiples of what the method needs on the scenes it is good at; docs/theory/solvers.md
// has the measurements.
#include "solver/ladder.h"

#include <math.h>
#include <string.h>

#include "solver/admm.h"
#include "solver/asgs.h"
#include "solver/prox_path.h"
#include "solver/state_path.h"

enum {
    HANDFUL = 10,          // contacts below which Newton from 0 beats interior points
    MIDDLE = 500,          // contacts below which the path from 0 is worth it before other starts
    LARGE = 100,           // contacts from which methods without a factor of W come first
    UNSEEN = 2000,         // contacts from which W is not formed before they have failed
    FACTORS = 150,         // factorisations of a rung above that, unless it has earned more
    FAST_SWEEPS = 60,      // sweeps at the start while they converge
    PROBE_SWEEPS = 4,      // of them before it is asked whether they will
    MANY_SWEEPS = 300,     // sweeps before prox-newton of the rung `swept`
    BODY_ITERATIONS = 300, // of admm: resting scenes need 20 to 110
    SWEEP_PAIRS = 2000,    // of asgs
    FEW_PAIRS = 100,       // fewer are not worth their set-up
    TURN_PAIRS = 20000,    // of asgs and apgd in turn with Newton
    STATE_FACTORS = 20,    // factorisations per contact along the path from event to event
    STATE_START = 1000,    // and for any number of contacts
    PATH_FACTORS = 1500,   // factorisations along the path of the proximal parameter
    WALK_PAIRS = 120000,   // of asgs with little momentum
    WALK_FACTORS = 600,    // factorisations of the path from there
    LAST_PAIRS = 50000,    // of asgs and apgd in the last rungs
    LAST_SWEEPS = 20000,   // sweeps of the last rung
    LAST_PATIENCE = 3000,  // of them without the error halving
    SETTINGS_SIZE = 32     // doubles that hold the settings of any method
};

/* ---- Gauss-Seidel ---- */

// laws whose diagonal block cannot be solved with have no sweeps; that is no error here
SticStatus stic_ladder_begin(SticSolveTask* task, double factor_values, bool near,
                             SticLadder* ladder)
{
    const SticSweepOptions options = {.form = STIC_FORM_AUTO,
                                      .local = STIC_LOCAL_NEWTON,
                                      .omega = 1.0,
                                      .limits = {.iterations = 100, .tolerance = 1e-4},
                                      .op = task->op};
    *ladder = (SticLadder){
        .task = task, .factor_values = factor_values, .near = near, .followed = INFINITY};
    stic_fields_default(&stic_prox_newton_fields, &ladder->newton_settings);
    const SticStatus status =
        stic_sweep_create(task->arena, task->problem, &options, &ladder->sweep, &task->info->error);
    if (status == STIC_OUT_OF_MEMORY)
        return status;
    if (status != STIC_OK) {
        ladder->sweep = NULL;
        task->info->error = (SticError){.status = STIC_OK};
        return STIC_OK;
    }
    task->sweep = ladder->sweep;
    return STIC_TAKE(task->arena, &ladder->u, task->problem->rows);
}

// whether sweeps whose change falls as it did from the second to the last of the probe are too slow
// and will not pass in `left` more; as a rule the fall gets slower from sweep to sweep
static bool is_slow(const SticSolveTask* task, double second, double last, int32_t left)
{
    const double rate = sqrt(last / second);
    double reached = last * (task->b_norm > 0.0 ? 1.0 / task->b_norm : 1.0);
    for (int32_t k = 0; k < left; ++k)
        reached *= rate;
    // chains and bridges, which sweeps solve: 0.4 to 0.6; walls, arches, piles: 0.8 to 0.9
    const double fair = 0.8;
    return rate > fair && reached > task->settings->tolerance;
}

// at most `count` sweeps from task->r, of which the first ones of a large problem say whether the
// others are worth it; false if the task stopped them
static bool run_sweeps(SticLadder* ladder, int32_t count, int32_t patience)
{
    double second = 0.0;
    SticSolveTask* task = ladder->task;
    if (ladder->sweep == NULL)
        return true;
    const double work = stic_sweep_work(ladder->sweep);
    const double scale = task->b_norm > 0.0 ? 1.0 / task->b_norm : 1.0;
    stic_sweep_start(ladder->sweep, task->r);
    for (int32_t k = 0; k < count; ++k) {
        const double change = stic_sweep_run(ladder->sweep);
        second = k == 1 ? change : second;
        ladder->slow = ladder->probe && k + 1 == PROBE_SWEEPS && count > PROBE_SWEEPS &&
                       is_slow(task, second, change, count - PROBE_SWEEPS);
        if (!stic_task_count(task, work, scale * change)) {
            if (ladder->slow)
                break;
            continue;
        }
        stic_sweep_get(ladder->sweep, task->r);
        if (!stic_task_judge(task, task->r))
            return false;
        if (stic_task_stalled(task, patience))
            break;
        stic_sweep_start(ladder->sweep, task->r);
        stic_task_velocity(task, ladder->u);
        stic_sweep_correct(ladder->sweep, ladder->u);
    }
    stic_sweep_get(ladder->sweep, task->r);
    return true;
}

// after a method has ended the task: one that ran away or broke down is no reason not to try the
// next
static bool goes_on_after(SticLadder* ladder)
{
    SticSolveTask* task = ladder->task;
    const bool failed =
        task->outcome == STIC_OUTCOME_DIVERGED || task->outcome == STIC_OUTCOME_BROKE_DOWN;
    if (task->solved || ladder->status != STIC_OK || task->status != STIC_OK || !failed)
        return false;
    task->stopped = false;
    task->outcome = STIC_OUTCOME_STALLED;
    return true;
}

// as long as `count` of them halve the error twice, or a near start is close to the tolerance
static bool sweep_while_fast(SticLadder* ladder, int32_t count)
{
    SticSolveTask* task = ladder->task;
    for (int32_t done = 0; done < FAST_SWEEPS && ladder->sweep != NULL; done += count) {
        const double before = task->best_error;
        ladder->probe = done == 0 && task->problem->count >= LARGE;
        const bool goes_on = run_sweeps(ladder, count, INT32_MAX);
        ladder->probe = false;
        // given up: a check would cost more than these sweeps did
        if (goes_on && ladder->slow)
            break;
        if (!goes_on || stic_task_check(task, task->r))
            return false;
        // from a near start the last bit of the way costs less than a factor, even if it is slow
        const bool close = ladder->near && task->error <= 4.0 * task->settings->tolerance;
        if (task->stopped || !(close || task->error <= 0.25 * before))
            break;
    }
    return !task->stopped;
}

bool stic_ladder_sweep(SticLadder* ladder, int32_t count)
{
    return sweep_while_fast(ladder, count) || goes_on_after(ladder);
}

/* ---- rungs ---- */

// take the memory of the methods with a factor, unless it is there
static SticStatus prepare_direct(SticLadder* ladder)
{
    SticSolveTask* task = ladder->task;
    SticError* error = &task->info->error;
    const SticProblem* problem = task->problem;
    if (ladder->direct)
        return STIC_OK;
    ladder->direct = true;
    ladder->cones = true;
    for (int32_t i = 0; i < problem->count; ++i)
        if ((STIC_INTERIOR_LAWS & STIC_LAW_BIT(problem->law[i])) == 0)
            ladder->cones = false;
    STIC_TRY(stic_scaled_create(task->arena, problem, &ladder->scaled, error));
    STIC_TRY(STIC_TAKE(task->arena, &ladder->x, problem->rows));
    STIC_TRY(stic_newton_system_choose(task, &ladder->scaled, STIC_SYSTEM_AUTO, &ladder->system));
    ladder->factor = ladder->system.factor_values <= ladder->factor_values;
    if (!ladder->factor)
        return STIC_OK;
    STIC_TRY(stic_newton_system_prepare(task->arena, STIC_FACTOR_LU, &ladder->system, error));
    STIC_TRY(stic_prox_newton_create(task, &ladder->scaled, &ladder->system, &ladder->newton));
    return ladder->cones
               ? stic_interior_create(task, &ladder->scaled, &ladder->system, &ladder->interior)
               : STIC_OK;
}

// one rung: what it does and with which numbers
typedef struct Rung Rung;
struct Rung {
    const char* method;
    bool (*run)(SticLadder* ladder, const Rung* rung); // false if the task stopped it
    SticMap map;
    int32_t steps;
    double c;
};

// another method of the table from task->r, at most `steps` iterations; false: out of memory
static bool run_method(SticLadder* ladder, SticStatus (*run)(SticSolveTask*), const void* settings,
                       int32_t steps, int32_t window)
{
    SticSolveTask* task = ladder->task;
    const void* own = task->method;
    const SticArenaMark mark = stic_arena_mark(task->arena);
    task->method = settings;
    stic_task_stage(task, steps, window);
    const SticStatus status = run(task);
    stic_task_stage(task, 0, 0);
    task->method = own;
    stic_arena_rewind(task->arena, mark);
    if (status == STIC_OUT_OF_MEMORY) {
        ladder->status = status;
        return false;
    }
    // refused: the next rung
    if (status != STIC_OK)
        task->info->error = (SticError){.status = STIC_OK};
    return !task->solved && !task->stopped;
}

// prox-newton from x; above UNSEEN contacts at most `factors` factorisations
static bool newton_within(SticLadder* ladder, const Rung* rung, double c, int32_t factors)
{
    SticSolveTask* task = ladder->task;
    ladder->newton_settings.map = (int32_t)rung->map;
    ladder->newton_settings.outer_steps = rung->steps;
    if (task->problem->count >= UNSEEN) {
        stic_task_stage(task, factors, 0);
        // what was earned may be used: the factorisations are the limit then
        if (factors > FACTORS)
            ladder->newton_settings.outer_steps = factors;
    }
    stic_prox_newton_stage(&ladder->newton, &ladder->newton_settings, c, ladder->x);
    stic_task_stage(task, 0, 0);
    if (task->solved || task->stopped)
        return false;
    // its best x may never have been checked
    stic_scaled_to(&ladder->scaled, ladder->x, task->r);
    return !stic_task_check(task, task->r) && !task->stopped;
}

static bool newton_from(SticLadder* ladder, const Rung* rung, double c)
{
    return newton_within(ladder, rung, c, FACTORS);
}

// factorisations that cost as much as everything before: with that no rung more than doubles the
// work, and where a factor is cheap next to the sweeps that came near, Newton is not cut short
static int32_t earned_factors(const SticLadder* ladder)
{
    const double most = 10.0 * FACTORS;
    const double earned = ladder->task->info->work / ladder->system.factor_work;
    return earned > most ? (int32_t)most : earned > FACTORS ? (int32_t)earned : FACTORS;
}

// error of task->r in scaled variables, which are left in x
static double scaled_start(SticLadder* ladder)
{
    stic_scaled_from(&ladder->scaled, ladder->task->r, ladder->x);
    stic_scaled_velocity(&ladder->scaled, ladder->x, ladder->newton.y);
    return stic_scaled_error(&ladder->scaled, ladder->x, ladder->newton.y);
}

static bool run_near(SticLadder* ladder, const Rung* rung)
{
    // a start with a larger error than this is worth no more than 0
    const double near = 1e-2;
    if (!ladder->near)
        return true;
    stic_task_best(ladder->task, ladder->task->r);
    const double error = scaled_start(ladder);
    return error > near || newton_within(ladder, rung, error, earned_factors(ladder));
}

// where a path was lost
static const Rung path_end = {"prox-newton", run_near, STIC_MAP_ALART_CURNIER, 50, 0.0};

// its points are of no use to sweeps and Newton before they come near c = 0: the last direct rung
static bool run_path(SticLadder* ladder, const Rung* rung)
{
    SticSolveTask* task = ladder->task;
    const SticArenaMark mark = stic_arena_mark(task->arena);
    SticProxPath path;
    // the same start has the same path
    if (!(task->best_error < ladder->followed))
        return true;
    ladder->followed = task->best_error;
    ladder->status = stic_prox_path_create(&ladder->newton, &path);
    if (ladder->status != STIC_OK)
        return false;
    stic_task_best(task, task->r);
    stic_scaled_from(&ladder->scaled, task->r, ladder->x);
    ladder->newton_settings.map = (int32_t)rung->map;
    stic_task_stage(task, rung->steps, 0);
    stic_prox_path_run(&path, &ladder->newton_settings, ladder->x);
    stic_task_stage(task, 0, 0);
    stic_arena_rewind(task->arena, mark);
    if (task->solved || task->stopped)
        return false;
    stic_scaled_to(&ladder->scaled, ladder->x, task->r);
    return !stic_task_check(task, task->r) && !task->stopped;
}

// from the best r where c is given, else from 0; where it was lost, Newton goes on from its best x
static bool run_states(SticLadder* ladder, const Rung* rung)
{
    SticSolveTask* task = ladder->task;
    const SticArenaMark mark = stic_arena_mark(task->arena);
    SticStatePath path;
    if (!stic_state_path_takes(task->problem))
        return true;
    ladder->status = stic_state_path_create(&ladder->newton, &path);
    if (ladder->status != STIC_OK)
        return false;
    stic_task_best(task, task->r);
    stic_scaled_from(&ladder->scaled, task->r, ladder->x);
    if (rung->c == 0.0)
        memset(ladder->x, 0, (size_t)task->problem->rows * sizeof *ladder->x);
    ladder->newton_settings.map = (int32_t)rung->map;
    stic_task_stage(task, STATE_START + rung->steps * task->problem->count, 0);
    ladder->paths += 1;
    stic_state_path_run(&path, &ladder->newton_settings, (uint64_t)ladder->paths, ladder->x);
    stic_task_stage(task, 0, 0);
    stic_arena_rewind(task->arena, mark);
    if (task->solved || task->stopped)
        return false;
    stic_scaled_to(&ladder->scaled, ladder->x, task->r);
    return !stic_task_check(task, task->r) && !task->stopped && run_near(ladder, &path_end);
}

static bool run_newton(SticLadder* ladder, const Rung* rung)
{
    memset(ladder->x, 0, (size_t)ladder->task->problem->rows * sizeof *ladder->x);
    return newton_from(ladder, rung, rung->c);
}

static bool run_interior(SticLadder* ladder, const Rung* rung)
{
    const SticInteriorLimits limits = {.term = STIC_TERM_EXACT, .steps = 40, .error = 1e-6};
    if (!ladder->cones)
        return true;
    if (!stic_interior_run(&ladder->interior, &limits))
        return false;
    // far from a solution: nothing to start from
    if (!(ladder->interior.best_error < 1e-4))
        return true;
    stic_interior_get(&ladder->interior, ladder->x);
    return newton_from(ladder, rung, ladder->interior.best_error);
}

static bool run_swept(SticLadder* ladder, const Rung* rung)
{
    SticSolveTask* task = ladder->task;
    memset(task->r, 0, (size_t)task->problem->rows * sizeof *task->r);
    if (!run_sweeps(ladder, MANY_SWEEPS, INT32_MAX))
        return false;
    const double error = scaled_start(ladder);
    return newton_from(ladder, rung, error < rung->c ? error : rung->c);
}

static bool run_last_sweeps(SticLadder* ladder, const Rung* rung)
{
    (void)rung;
    stic_task_best(ladder->task, ladder->task->r);
    return run_sweeps(ladder, LAST_SWEEPS, LAST_PATIENCE);
}

// in velocities only: in reactions it would need the factor that prox-newton uses better
static bool run_bodies(SticLadder* ladder, const Rung* rung)
{
    // blocks of the factor per body: walls 22, pyramids 15, piles of 10 000 spheres 74
    enum { CHEAP = 40 };
    const SticProblem* problem = ladder->task->problem;
    SticAdmmSettings settings;
    const bool bodies = problem->W == NULL && problem->M->kind == STIC_MASS_BLOCKS;
    const bool last = rung->steps == LAST_PAIRS;
    if (!bodies || (!last && stic_admm_is_pile(problem)))
        return true;
    stic_fields_default(&stic_admm_fields, &settings);
    settings.side = STIC_ADMM_VELOCITIES;
    const double cheap = last ? INFINITY : CHEAP * 6.0 * (double)problem->dof;
    settings.factor_values = cheap < ladder->factor_values ? cheap : ladder->factor_values;
    // a few sweeps from 0 are a worse start than 0
    if (last || ladder->near)
        stic_task_best(ladder->task, ladder->task->r);
    else
        memset(ladder->task->r, 0, (size_t)problem->rows * sizeof *ladder->task->r);
    return run_method(ladder, stic_admm_run, &settings, rung->steps, rung->steps / 3);
}

static bool run_default(SticLadder* ladder, const Rung* rung, const SticFieldTable* fields,
                        SticStatus (*run)(SticSolveTask*), int32_t window)
{
    double settings[SETTINGS_SIZE];
    STIC_ASSERT(fields->size <= sizeof settings);
    stic_fields_default(fields, settings);
    return run_method(ladder, run, settings, rung->steps, window);
}

static bool run_asgs(SticLadder* ladder, const Rung* rung)
{
    stic_task_best(ladder->task, ladder->task->r);
    return ladder->sweep == NULL ||
           run_default(ladder, rung, &stic_asgs_fields, stic_asgs_run, rung->steps / 4);
}

// to the limit, over plateaus, too
static bool run_asgs_whole(SticLadder* ladder, const Rung* rung)
{
    stic_task_best(ladder->task, ladder->task->r);
    return ladder->sweep == NULL || run_default(ladder, rung, &stic_asgs_fields, stic_asgs_run, 0);
}

// where interior points stall, the forces through the whole scene are often right already: sweeps
// from there may take a tenth of what they take from their own best (docs/theory/solvers.md)
static bool run_asgs_inside(SticLadder* ladder, const Rung* rung)
{
    if (!ladder->cones || !(ladder->interior.best_error < 1e-2) || ladder->sweep == NULL)
        return run_asgs(ladder, rung);
    stic_interior_get(&ladder->interior, ladder->x);
    stic_scaled_to(&ladder->scaled, ladder->x, ladder->task->r);
    return run_default(ladder, rung, &stic_asgs_fields, stic_asgs_run, rung->steps / 4);
}

// from 0 with little momentum and whatever the error does, c: the momentum
static bool run_walk(SticLadder* ladder, const Rung* rung)
{
    SticSolveTask* task = ladder->task;
    SticAsgsSettings settings;
    if (ladder->sweep == NULL)
        return true;
    stic_fields_default(&stic_asgs_fields, &settings);
    settings.beta = rung->c;
    settings.patience = 0;
    memset(task->r, 0, (size_t)task->problem->rows * sizeof *task->r);
    return run_method(ladder, stic_asgs_run, &settings, rung->steps, 0);
}

static bool run_apgd(SticLadder* ladder, const Rung* rung)
{
    stic_task_best(ladder->task, ladder->task->r);
    return run_default(ladder, rung, &stic_apgd_fields, stic_apgd_run, rung->steps / 4);
}

/* ---- the list ---- */

static const Rung bodies_rung = {"admm", run_bodies, STIC_MAP_JEAN_MOREAU, BODY_ITERATIONS, 0.0};
static const Rung near_rung = {"prox-newton", run_near, STIC_MAP_JEAN_MOREAU, 10, 0.0};
static const Rung interior_rung = {"interior-point", run_interior, STIC_MAP_JEAN_MOREAU, 20, 0.0};
static const Rung quick_rung = {"prox-newton", run_newton, STIC_MAP_JEAN_MOREAU, 30, 1e-2};
static const Rung newton_rung = {"prox-newton", run_newton, STIC_MAP_JEAN_MOREAU, 200, 1e-2};
static const Rung later_rungs[] = {
    {"prox-newton", run_newton, STIC_MAP_ALART_CURNIER, 200, 1e-2},
    {"prox-newton", run_newton, STIC_MAP_FISCHER_BURMEISTER, 200, 1e-2},
    {"prox-newton", run_swept, STIC_MAP_JEAN_MOREAU, 100, 1e-2},
    {"prox-newton", run_swept, STIC_MAP_ALART_CURNIER, 100, 1e-2},
    {"prox-newton", run_newton, STIC_MAP_JEAN_MOREAU, 500, 1e-3},
    {"prox-newton", run_newton, STIC_MAP_ALART_CURNIER, 500, 1e-3},
    {"prox-newton", run_newton, STIC_MAP_NATURAL, 500, 1e-3},
};
static const Rung first_turn = {"asgs", run_asgs_inside, STIC_MAP_JEAN_MOREAU, TURN_PAIRS, 0.0};
static const Rung next_turn = {"asgs", run_asgs, STIC_MAP_JEAN_MOREAU, TURN_PAIRS, 0.0};
static const Rung turn_rungs[] = {
    {"prox-newton", run_near, STIC_MAP_ALART_CURNIER, 50, 0.0},
    {"apgd", run_apgd, STIC_MAP_JEAN_MOREAU, TURN_PAIRS, 0.0},
    {"prox-newton", run_near, STIC_MAP_JEAN_MOREAU, 50, 0.0},
};
static const Rung state_rung = {"prox-newton", run_states, STIC_MAP_ALART_CURNIER, STATE_FACTORS,
                                0.0};
static const Rung state_again[] = {
    {"prox-newton", run_states, STIC_MAP_ALART_CURNIER, STATE_FACTORS, 1.0},
    {"prox-newton", run_states, STIC_MAP_ALART_CURNIER, STATE_FACTORS, 0.0},
};
static const Rung path_rung = {"prox-newton", run_path, STIC_MAP_ALART_CURNIER, PATH_FACTORS, 0.0};
// In large piles that slide no iteration converges that was tried: contacts that creep on the
// border of their cones come to rest for a while and break loose again, and the error falls and
// rises between 1e-6 and 1e-4 for good. Paths from the lowest points of such a walk end in a
// solution or do not, and another momentum is another walk. Walks from the r of rungs before, with
// the large forces that their momentum wound up, do not get as low as those from 0.
static const Rung walk_rungs[] = {
    {"asgs", run_walk, STIC_MAP_JEAN_MOREAU, WALK_PAIRS, 0.8},
    {"prox-newton", run_path, STIC_MAP_ALART_CURNIER, WALK_FACTORS, 0.0},
    {"asgs", run_walk, STIC_MAP_JEAN_MOREAU, WALK_PAIRS, 0.85},
    {"prox-newton", run_path, STIC_MAP_ALART_CURNIER, WALK_FACTORS, 0.0},
    {"asgs", run_walk, STIC_MAP_JEAN_MOREAU, WALK_PAIRS, 0.88},
    {"prox-newton", run_path, STIC_MAP_ALART_CURNIER, WALK_FACTORS, 0.0},
    {"asgs", run_walk, STIC_MAP_JEAN_MOREAU, WALK_PAIRS, 0.9},
    {"prox-newton", run_path, STIC_MAP_ALART_CURNIER, WALK_FACTORS, 0.0},
};
static const Rung inside_rung = {"asgs", run_asgs_inside, STIC_MAP_JEAN_MOREAU, SWEEP_PAIRS, 0.0};
static const Rung last_rungs[] = {
    {"asgs", run_asgs, STIC_MAP_JEAN_MOREAU, LAST_PAIRS, 0.0},
    {"apgd", run_apgd, STIC_MAP_JEAN_MOREAU, LAST_PAIRS, 0.0},
    {"admm", run_bodies, STIC_MAP_JEAN_MOREAU, LAST_PAIRS, 0.0},
};
static const Rung final_rung = {"nsgs", run_last_sweeps, STIC_MAP_JEAN_MOREAU, 0, 0.0};

/* ---- the ladder ---- */

// false: the ladder ends here
static bool climb(SticLadder* ladder, const Rung* rung)
{
    SticSolveTask* task = ladder->task;
    const double before = task->best_error;
    const bool goes_on = rung->run(ladder, rung);
    if (task->best_error < before || task->solved)
        task->info->method = rung->method;
    return goes_on || goes_on_after(ladder);
}

static bool climb_list(SticLadder* ladder, const Rung* rungs, size_t count)
{
    for (size_t k = 0; k < count; ++k)
        if (!climb(ladder, &rungs[k]))
            return false;
    return true;
}

// pairs of sweeps that cost as much as the ten factorisations that interior points take at least;
// -1: there are no such factorisations
static double pairs_for_factors(const SticLadder* ladder)
{
    if (!ladder->direct || !ladder->factor || ladder->sweep == NULL)
        return -1.0;
    return 10.0 * ladder->system.factor_work / (2.0 * stic_sweep_work(ladder->sweep));
}

// sweeps with momentum unless they are so few that they are not worth the set-up
static bool climb_asgs(SticLadder* ladder, double pairs, bool whole)
{
    const double most = pairs < TURN_PAIRS ? pairs : TURN_PAIRS;
    const Rung rung = {
        .method = "asgs", .run = whole ? run_asgs_whole : run_asgs, .steps = (int32_t)most};
    return pairs < FEW_PAIRS || climb(ladder, &rung);
}

// methods without a factor of W; false: the ladder ends here
static bool climb_large(SticLadder* ladder)
{
    if (ladder->task->problem->count < LARGE)
        return true;
    if (!climb(ladder, &bodies_rung))
        return false;
    if (ladder->task->problem->count < UNSEEN) {
        // piles: what few sweeps with momentum can do comes before W is formed
        const SticProblem* problem = ladder->task->problem;
        if (problem->W == NULL && stic_admm_is_pile(problem) &&
            !climb_asgs(ladder, FEW_PAIRS, true))
            return false;
        ladder->status = prepare_direct(ladder);
        if (ladder->status != STIC_OK)
            return false;
    }
    const double pairs = pairs_for_factors(ladder);
    return climb_asgs(ladder, pairs < 0.0 || pairs > SWEEP_PAIRS ? SWEEP_PAIRS : pairs, false);
}

// above UNSEEN contacts the price of a factor is known only now, and it may be that of thousands of
// sweeps (piles, whose factors fill): what was given up as too slow for SWEEP_PAIRS goes on, over
// plateaus, too
static bool climb_rest(SticLadder* ladder)
{
    if (ladder->task->problem->count < UNSEEN)
        return true;
    return climb_asgs(ladder, pairs_for_factors(ladder) - SWEEP_PAIRS, true);
}

// sweeps repair single contacts, Newton the forces through the scene: each goes on where the other
// stalled, and a round that halves the error is worth another one where Newton from 0 is far off
static bool climb_turns(SticLadder* ladder)
{
    const SticSolveTask* task = ladder->task;
    const Rung* sweeps = &first_turn;
    for (double before = INFINITY;; sweeps = &next_turn) {
        if (!climb(ladder, sweeps) ||
            !climb_list(ladder, turn_rungs, sizeof turn_rungs / sizeof turn_rungs[0]))
            return false;
        // piles: walks come nearer than another round
        if (task->problem->count < UNSEEN || stic_admm_is_pile(task->problem) ||
            !(task->best_error <= 0.5 * before))
            return true;
        before = task->best_error;
    }
}

static bool climb_direct(SticLadder* ladder)
{
    const int32_t count = ladder->task->problem->count;
    const bool handful = count <= HANDFUL;
    if (!climb(ladder, &near_rung) || !climb(ladder, handful ? &quick_rung : &interior_rung) ||
        (handful && !climb(ladder, &interior_rung)))
        return false;
    // whoever came near is a start; Newton from 0 comes before that where factors are cheap
    ladder->near = true;
    const bool swept = count >= LARGE && count < UNSEEN && ladder->task->problem->W == NULL;
    if ((swept && !climb(ladder, &inside_rung)) ||
        (count < UNSEEN && !climb(ladder, &newton_rung)) ||
        (count >= LARGE && !climb_turns(ladder)) ||
        (count >= UNSEEN &&
         !climb_list(ladder, walk_rungs, sizeof walk_rungs / sizeof walk_rungs[0])) ||
        (count >= UNSEEN && !climb(ladder, &newton_rung)))
        return false;
    return (count >= MIDDLE || climb(ladder, &state_rung)) &&
           climb_list(ladder, later_rungs, sizeof later_rungs / sizeof later_rungs[0]) &&
           (count >= UNSEEN || climb_list(ladder, state_again, count < MIDDLE ? 2 : 1)) &&
           (count < LARGE || climb(ladder, &path_rung)) &&
           (count < LARGE || count >= UNSEEN ||
            climb_list(ladder, walk_rungs, sizeof walk_rungs / sizeof walk_rungs[0]));
}

SticStatus stic_ladder_climb(SticLadder* ladder)
{
    if (!climb_large(ladder))
        return ladder->status;
    STIC_TRY(prepare_direct(ladder));
    if (ladder->factor && (!climb_rest(ladder) || !climb_direct(ladder)))
        return ladder->status;
    if (!climb_list(ladder, last_rungs, sizeof last_rungs / sizeof last_rungs[0]))
        return ladder->status;
    if (climb(ladder, &final_rung))
        stic_task_stop(ladder->task, STIC_OUTCOME_STALLED);
    return ladder->status;
}

// SPDX-License-Identifier: Apache-2.0
// The attempts of `auto`: methods with a start and a limit of counted work, never of time.
//
// portfolio.c says which of them run, in which order, and puts the start into task->r. Each leaves
// its r to the task, which keeps the best, and returns whether another one may follow.
#include "solver/portfolio.h"

#include <math.h>
#include <string.h>

#include "solver/method/admm.h"
#include "solver/method/asgs.h"
#include "solver/method/prox_path.h"
#include "solver/method/state_path.h"

enum {
    FACTORS = 150,      // factorisations of Newton on huge problems, unless it has earned more
    FEW_PAIRS = 100,    // fewer are not worth their set-up
    STATE_START = 1000, // factorisations along a path of states for any number of contacts
    PATIENCE = 3000,    // plain sweeps without the error halving
    SETTINGS_SIZE = 32  // doubles that hold the settings of any method
};

// limits of an attempt in its own iterations, and of a member of a round in work
static void begin_stage(const SticPortfolio* portfolio, int32_t steps, int32_t window)
{
    stic_task_stage(portfolio->task, steps, window);
    if (portfolio->budget > 0.0)
        stic_task_stage_work(portfolio->task, portfolio->budget);
}

/* ---- Gauss-Seidel ---- */

// there are no sweeps for laws whose diagonal block is singular; that is not an error here
SticStatus stic_attempt_prepare(SticPortfolio* portfolio)
{
    SticSolveTask* task = portfolio->task;
    STIC_TRY(STIC_TAKE(task->arena, &portfolio->kept, task->problem->rows));
    STIC_TRY(STIC_TAKE(task->arena, &portfolio->kept_u, task->problem->rows));
    const SticSweepOptions options = {.form = STIC_FORM_AUTO,
                                      .local = STIC_LOCAL_NEWTON,
                                      .omega = 1.0,
                                      .limits = {.iterations = 100, .tolerance = 1e-4},
                                      .op = task->op};
    const SticStatus status = stic_sweep_create(task->arena, task->problem, &options,
                                                &portfolio->sweep, &task->info->error);
    if (status == STIC_OUT_OF_MEMORY)
        return status;
    if (status != STIC_OK) {
        portfolio->sweep = NULL;
        task->info->error = (SticError){.status = STIC_OK};
        return STIC_OK;
    }
    task->sweep = portfolio->sweep;
    return STIC_TAKE(task->arena, &portfolio->u, task->problem->rows);
}

// at most `count` plain sweeps from task->r; false if the task stopped them
static bool run_sweeps(SticPortfolio* portfolio, int32_t count)
{
    SticSolveTask* task = portfolio->task;
    if (portfolio->sweep == NULL)
        return true;
    const double work = stic_sweep_work(portfolio->sweep);
    const double scale = task->b_norm > 0.0 ? 1.0 / task->b_norm : 1.0;
    stic_sweep_start(portfolio->sweep, task->r);
    for (int32_t k = 0; k < count; ++k) {
        const double change = stic_sweep_run(portfolio->sweep);
        if (!stic_task_count(task, work, scale * change))
            continue;
        stic_sweep_get(portfolio->sweep, task->r);
        if (!stic_task_judge(task, task->r))
            return !task->solved && !task->stopped;
        if (stic_task_stalled(task, PATIENCE))
            break;
        stic_sweep_start(portfolio->sweep, task->r);
        stic_task_velocity(task, portfolio->u);
        stic_sweep_correct(portfolio->sweep, portfolio->u);
    }
    stic_sweep_get(portfolio->sweep, task->r);
    return true;
}

bool stic_attempt_sweeps(SticPortfolio* portfolio, const SticAttempt* attempt)
{
    begin_stage(portfolio, attempt->steps, 0);
    const bool more = run_sweeps(portfolio, attempt->steps);
    stic_task_stage(portfolio->task, 0, 0);
    return more;
}

/* ---- other methods of the table ---- */

// a method from task->r, at most `steps` iterations; false: solved, stopped, out of memory
static bool run_method(SticPortfolio* portfolio, SticStatus (*run)(SticSolveTask*),
                       const void* settings, int32_t steps, int32_t window)
{
    SticSolveTask* task = portfolio->task;
    const void* own = task->method;
    const SticArenaMark mark = stic_arena_mark(task->arena);
    task->method = settings;
    begin_stage(portfolio, steps, window);
    const SticStatus status = run(task);
    stic_task_stage(task, 0, 0);
    task->method = own;
    stic_arena_rewind(task->arena, mark);
    if (status == STIC_OUT_OF_MEMORY) {
        portfolio->status = status;
        return false;
    }
    // refused: try the next attempt
    if (status != STIC_OK)
        task->info->error = (SticError){.status = STIC_OK};
    return !task->solved && !task->stopped;
}

static bool run_default(SticPortfolio* portfolio, const SticFieldTable* fields,
                        SticStatus (*run)(SticSolveTask*), int32_t steps, int32_t window)
{
    double settings[SETTINGS_SIZE];
    STIC_ASSERT(fields->size <= sizeof settings);
    stic_fields_default(fields, settings);
    return run_method(portfolio, run, settings, steps, window);
}

// in velocities only: in reactions it would need the factor that prox-newton uses better
bool stic_attempt_admm(SticPortfolio* portfolio, const SticAttempt* attempt)
{
    // blocks of the factor per body: walls 22, pyramids 15, piles of 10 000 spheres 74
    enum { CHEAP = 40 };
    const SticProblem* problem = portfolio->task->problem;
    SticAdmmSettings settings;
    stic_fields_default(&stic_admm_fields, &settings);
    settings.side = STIC_ADMM_VELOCITIES;
    const double cheap =
        attempt->effort == STIC_EFFORT_HIGH ? INFINITY : CHEAP * 6.0 * (double)problem->dof;
    settings.factor_values = cheap < portfolio->factor_values ? cheap : portfolio->factor_values;
    return run_method(portfolio, stic_admm_run, &settings, attempt->steps, attempt->steps / 3);
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

// number of steps of `work` each within the limits of an attempt, the larger of the two
static int32_t steps_within(const SticPortfolio* portfolio, const SticAttempt* attempt, double work)
{
    // where a factor is too large for the later attempts, nothing is gained by saving its price
    const bool direct = (portfolio->traits & STIC_TRAIT_FACTOR) != 0;
    const bool limited = attempt->round == 0 && (attempt->spent > 0.0 || attempt->factors > 0.0);
    if (!limited || (attempt->factors > 0.0 && !direct))
        return attempt->steps;
    const double price = attempt->factors * portfolio->system.factor_work,
                 spent = attempt->spent * portfolio->task->info->work;
    return (int32_t)smaller(attempt->steps, (price > spent ? price : spent) / work);
}

bool stic_attempt_asgs(SticPortfolio* portfolio, const SticAttempt* attempt)
{
    if (portfolio->sweep == NULL)
        return true;
    const int32_t pairs = steps_within(portfolio, attempt, 2.0 * stic_sweep_work(portfolio->sweep));
    // without patience a method continues across plateaus
    const int32_t window = attempt->c < 0.0 ? 0 : pairs / 4;
    return pairs < FEW_PAIRS ||
           run_default(portfolio, &stic_asgs_fields, stic_asgs_run, pairs, window);
}

// with little momentum, whatever the error does
bool stic_attempt_walk(SticPortfolio* portfolio, const SticAttempt* attempt)
{
    SticAsgsSettings settings;
    if (portfolio->sweep == NULL)
        return true;
    stic_fields_default(&stic_asgs_fields, &settings);
    settings.beta = attempt->c;
    settings.patience = 0;
    return run_method(portfolio, stic_asgs_run, &settings, attempt->steps, 0);
}

bool stic_attempt_apgd(SticPortfolio* portfolio, const SticAttempt* attempt)
{
    // two products with W, the most expensive part, or a little more than a sweep
    const double work = portfolio->sweep != NULL ? 1.5 * stic_sweep_work(portfolio->sweep) : 1.0;
    const int32_t steps = steps_within(portfolio, attempt, work);
    return steps < FEW_PAIRS ||
           run_default(portfolio, &stic_apgd_fields, stic_apgd_run, steps, steps / 4);
}

// the sweeps of flow.c, with the full limit
static bool run_flow(SticPortfolio* portfolio, const SticAttempt* attempt, bool plain)
{
    SticSolveTask* task = portfolio->task;
    const SticArenaMark mark = stic_arena_mark(task->arena);
    SticIslands islands;
    SticFlow flow;
    SticFlowResult result;
    if (portfolio->sweep == NULL)
        return true;
    SticFlowLimits limits =
        stic_portfolio_sweeps(task, task->problem->count, task->settings->tolerance, 0.0);
    const int32_t steps = steps_within(portfolio, attempt, stic_sweep_work(portfolio->sweep));
    limits.yields = false;
    limits.plain = plain;
    if (plain || steps < limits.sweeps)
        limits.sweeps = steps;
    for (int32_t row = 0; attempt->c > 0.0 && row < task->problem->rows; ++row)
        task->r[row] *= attempt->c;
    bool possible = limits.sweeps > 0;
    SticStatus status = stic_islands_all(task->arena, task->problem, &islands);
    if (status == STIC_OK && possible)
        status = stic_flow_create(task, &islands, &flow, &possible);
    if (status == STIC_OK && possible) {
        status = stic_flow_run(&flow, 0, &limits, &result);
        task->info->work += result.work - stic_gauge_work(task->gauge) * result.checks;
    }
    stic_arena_rewind(task->arena, mark);
    portfolio->status = status;
    return status == STIC_OK && !task->solved && !task->stopped;
}

bool stic_attempt_flow(SticPortfolio* portfolio, const SticAttempt* attempt)
{
    return run_flow(portfolio, attempt, false);
}

bool stic_attempt_plain(SticPortfolio* portfolio, const SticAttempt* attempt)
{
    return run_flow(portfolio, attempt, true);
}

/* ---- methods with a factor of W ---- */

SticStatus stic_attempt_prepare_direct(SticPortfolio* portfolio)
{
    SticSolveTask* task = portfolio->task;
    SticError* error = &task->info->error;
    const SticProblem* problem = task->problem;
    if (portfolio->direct)
        return STIC_OK;
    portfolio->direct = true;
    bool cones = true;
    for (int32_t i = 0; i < problem->count; ++i)
        if ((STIC_INTERIOR_LAWS & STIC_LAW_BIT(problem->law[i])) == 0)
            cones = false;
    STIC_TRY(stic_scaled_create(task->arena, problem, &portfolio->scaled, error));
    STIC_TRY(STIC_TAKE(task->arena, &portfolio->x, problem->rows));
    STIC_TRY(
        stic_newton_system_choose(task, &portfolio->scaled, STIC_SYSTEM_AUTO, &portfolio->system));
    if (portfolio->system.factor_values > portfolio->factor_values)
        return STIC_OK;
    portfolio->traits |= STIC_TRAIT_FACTOR | (cones ? STIC_TRAIT_CONES : 0u);
    STIC_TRY(stic_newton_system_prepare(task->arena, STIC_FACTOR_LU, &portfolio->system, error));
    STIC_TRY(
        stic_prox_newton_create(task, &portfolio->scaled, &portfolio->system, &portfolio->newton));
    return cones ? stic_interior_create(task, &portfolio->scaled, &portfolio->system,
                                        &portfolio->interior)
                 : STIC_OK;
}

// prox-newton from x; on huge problems at most `factors` factorisations
static bool newton_within(SticPortfolio* portfolio, const SticAttempt* attempt, double c,
                          int32_t factors)
{
    SticSolveTask* task = portfolio->task;
    portfolio->newton_settings.map = attempt->map;
    portfolio->newton_settings.outer_steps = attempt->steps;
    if (portfolio->budget > 0.0)
        begin_stage(portfolio, INT32_MAX / 2, 0);
    if (portfolio->size == STIC_SIZE_HUGE || (portfolio->traits & STIC_TRAIT_LOOSE) != 0) {
        begin_stage(portfolio, factors, 0);
        // it may use what it has earned: then the factorisations are the limit
        if (factors > FACTORS)
            portfolio->newton_settings.outer_steps = factors;
    }
    stic_prox_newton_stage(&portfolio->newton, &portfolio->newton_settings, c, portfolio->x);
    stic_task_stage(task, 0, 0);
    if (task->solved || task->stopped)
        return false;
    // its best x may never have been checked
    stic_scaled_to(&portfolio->scaled, portfolio->x, task->r);
    return !stic_task_check(task, task->r) && !task->stopped;
}

// Number of factorisations that cost as much as everything before, so that no attempt more than
// doubles the work; up to `most`, where a factor is cheap next to the sweeps that came near. If
// rest is asked for, FACTORS of them are allowed in any case. In motion a single step must not
// become that expensive: if Newton has not converged within the share of the work that its row
// allows, more would not help.
static int32_t earned_factors(const SticPortfolio* portfolio, const SticAttempt* attempt,
                              int32_t most)
{
    const bool loose = (portfolio->traits & STIC_TRAIT_LOOSE) != 0;
    const double share = loose && attempt->spent > 0.0 ? attempt->spent : 1.0;
    const double earned = share * portfolio->task->info->work / portfolio->system.factor_work;
    const int32_t least = loose ? 1 : FACTORS;
    return earned > most ? most : earned > least ? (int32_t)earned : least;
}

// error of task->r in scaled variables, which are left in x
static double scaled_start(SticPortfolio* portfolio)
{
    stic_scaled_from(&portfolio->scaled, portfolio->task->r, portfolio->x);
    stic_scaled_velocity(&portfolio->scaled, portfolio->x, portfolio->newton.y);
    return stic_scaled_error(&portfolio->scaled, portfolio->x, portfolio->newton.y);
}

bool stic_attempt_near(SticPortfolio* portfolio, const SticAttempt* attempt)
{
    // a start with a larger error than this is worth no more than 0
    const double near = 1e-2;
    const double error = scaled_start(portfolio);
    return error > near || newton_within(portfolio, attempt, error,
                                         earned_factors(portfolio, attempt, 10 * FACTORS));
}

bool stic_attempt_newton(SticPortfolio* portfolio, const SticAttempt* attempt)
{
    stic_scaled_from(&portfolio->scaled, portfolio->task->r, portfolio->x);
    return newton_within(portfolio, attempt, attempt->c,
                         earned_factors(portfolio, attempt, FACTORS));
}

bool stic_attempt_interior(SticPortfolio* portfolio, const SticAttempt* attempt)
{
    const SticInteriorLimits limits = {
        .term = STIC_TERM_EXACT, .steps = earned_factors(portfolio, attempt, 40), .error = 1e-6};
    if (!stic_interior_run(&portfolio->interior, &limits))
        return false;
    // a method that came close provides a start
    portfolio->traits |= STIC_TRAIT_NEAR;
    // far from a solution: nothing to start from
    if (!(portfolio->interior.best_error < 1e-4))
        return true;
    stic_interior_get(&portfolio->interior, portfolio->x);
    // near a solution Newton takes a few factorisations, or far too many
    if ((portfolio->size & (STIC_SIZE_HANDFUL | STIC_SIZE_SMALL)) == 0)
        portfolio->budget = portfolio->task->info->work;
    return newton_within(portfolio, attempt, portfolio->interior.best_error, FACTORS);
}

// its points are of no use to sweeps and Newton until they come near c = 0
bool stic_attempt_path(SticPortfolio* portfolio, const SticAttempt* attempt)
{
    SticSolveTask* task = portfolio->task;
    const SticArenaMark mark = stic_arena_mark(task->arena);
    SticProxPath path;
    // the same start would give the same path
    if (!(task->best_error < portfolio->followed))
        return true;
    portfolio->followed = task->best_error;
    portfolio->status = stic_prox_path_create(&portfolio->newton, &path);
    if (portfolio->status != STIC_OK)
        return false;
    stic_scaled_from(&portfolio->scaled, task->r, portfolio->x);
    portfolio->newton_settings.map = attempt->map;
    begin_stage(portfolio, attempt->steps, 0);
    stic_prox_path_run(&path, &portfolio->newton_settings, portfolio->x);
    stic_task_stage(task, 0, 0);
    stic_arena_rewind(task->arena, mark);
    if (task->solved || task->stopped)
        return false;
    stic_scaled_to(&portfolio->scaled, portfolio->x, task->r);
    return !stic_task_check(task, task->r) && !task->stopped;
}

// where it was lost, Newton goes on from its best x
bool stic_attempt_states(SticPortfolio* portfolio, const SticAttempt* attempt)
{
    SticSolveTask* task = portfolio->task;
    const SticArenaMark mark = stic_arena_mark(task->arena);
    SticAttempt end = *attempt;
    SticStatePath path;
    if (!stic_state_path_takes(task->problem))
        return true;
    portfolio->status = stic_state_path_create(&portfolio->newton, &path);
    if (portfolio->status != STIC_OK)
        return false;
    stic_scaled_from(&portfolio->scaled, task->r, portfolio->x);
    portfolio->newton_settings.map = attempt->map;
    begin_stage(portfolio, STATE_START + attempt->steps * task->problem->count, 0);
    portfolio->paths += 1;
    stic_state_path_run(&path, &portfolio->newton_settings, (uint64_t)portfolio->paths,
                        portfolio->x);
    stic_task_stage(task, 0, 0);
    stic_arena_rewind(task->arena, mark);
    if (task->solved || task->stopped)
        return false;
    stic_scaled_to(&portfolio->scaled, portfolio->x, task->r);
    if (stic_task_check(task, task->r) || task->stopped)
        return false;
    end.steps = 50;
    stic_task_best(task, task->r);
    return stic_attempt_near(portfolio, &end);
}

// SPDX-License-Identifier: Apache-2.0
// The solver `auto`: a portfolio of attempts on a problem that cannot be taken apart.
//
// One table; its order is the policy. A row says for which sizes and traits an attempt is made,
// where it starts, and how much it may cost: in its own iterations, in the price of so many
// factorisations, in multiples of all work before it. Work is counted, never timed. Attempts do not
// know of each other; the task keeps the best r of all of them, and its recomputed error alone
// decides when it is enough. Before all of them come the sweeps of flow.c, in the arrays of the
// whole (reduce.c).
//
// Traits are measured: contacts; rows per velocity (faces or points); whether sweeps found anything
// that slides; the laws; whether the caller gave a start; the size and price of a factor, which is
// found out where the first row asks for it.
//
// bench/bench_portfolio prints what each row wins, on a set that rows were tuned on and on one that
// they were not (docs/theory/solvers.md). Walks and paths that take minutes run only with
// effort = high.
#include "solver/portfolio.h"

#include <math.h>
#include <string.h>

#include "solver/method/admm.h"
#include "solver/method/state_path.h"
#include "solver/methods.h"

typedef struct AutoSettings {
    int32_t effort;       ///< 0 normal, 1 high
    int32_t sweeps;       ///< sweeps with momentum at the start
    double factor_values; ///< largest factor, in numbers
    bool islands;         ///< solve islands on their own
} AutoSettings;

static const char* const effort_names[] = {"normal", "high", NULL};

static const SticField auto_fields[] = {
    STIC_FIELD_PICK(AutoSettings, effort, 0, 1, effort_names,
                    "high: when all else fails, walks and paths that take minutes, too"),
    STIC_FIELD_COUNT(AutoSettings, sweeps, 10000, 0, 1000000, "sweeps",
                     "sweeps with momentum before anything else, at most"),
    STIC_FIELD_REAL(AutoSettings, factor_values, 2e8, 0.0, 1e15, "numbers",
                    "largest factor of a matrix; above it only methods without one are tried"),
    STIC_FIELD_FLAG(AutoSettings, islands, 1, "solve connected groups of interactions apart"),
};

const SticFieldTable stic_auto_fields = {
    .name = "auto",
    .fields = auto_fields,
    .count = sizeof auto_fields / sizeof auto_fields[0],
    .size = sizeof(AutoSettings),
};

/* ---- the table ---- */

// short names for the columns
enum {
    HANDFUL = STIC_SIZE_HANDFUL,
    SMALL = STIC_SIZE_SMALL,
    MIDDLE = STIC_SIZE_MIDDLE,
    LARGE = STIC_SIZE_LARGE,
    ABOVE = STIC_SIZE_HUGE,
    ANY = STIC_SIZE_ANY,
    BODIES = STIC_TRAIT_BODIES,
    POINTS = STIC_TRAIT_POINTS,
    RESTS = STIC_TRAIT_RESTS,
    NEAR = STIC_TRAIT_NEAR,
    CONES = STIC_TRAIT_CONES,
    FACTOR = STIC_TRAIT_FACTOR,
    LOOSE = STIC_TRAIT_LOOSE,
    TIGHT = STIC_TRAIT_TIGHT,
    BEST = STIC_START_BEST,
    GIVEN = STIC_START_GIVEN,
    ZERO = STIC_START_ZERO,
    CALLER = STIC_START_CALLER,
    INSIDE = STIC_START_INSIDE,
    OWN = STIC_START_OWN,
    BRIEF = STIC_EFFORT_BRIEF,
    NORMAL = STIC_EFFORT_NORMAL,
    HIGH = STIC_EFFORT_HIGH,
    JM = STIC_MAP_JEAN_MOREAU,
    AC = STIC_MAP_ALART_CURNIER
};

// clang-format off
const SticAttempt stic_portfolio_table[] = {
    // name            method            sizes                needs             avoids  start   run                    steps  factors spent map c     round effort
    // stacks and masonry at rest, whatever their size: 20 to 110 iterations
    {"admm-rest",      "admm",           ANY,                  BODIES|RESTS,     POINTS, CALLER, stic_attempt_admm,       300,  0,  0,  JM, 0,     0, BRIEF},
    // Sweeps with momentum leave a part of the error that accelerated gradients, which move
    // everything at once, remove: the first 12 iterations leave 0.72 of it, 24 leave 0.69 (piles of
    // 1000 that come to rest), where 15 plain sweeps leave all of it.
    {"apgd-best",      "apgd",           MIDDLE|LARGE|ABOVE,  LOOSE|NEAR,       RESTS,  BEST,   stic_attempt_apgd,       200,  0,  0,  JM, 0,     0, BRIEF},
    // Where contacts creep, the number of sweeps needed is a matter of luck: where those from the
    // last reactions circle, others reach 1e-3, from a part of these reactions or from none.
    // Another start is another try, at a known price.
    {"flow-half",      "asgs",           MIDDLE|LARGE|ABOVE,  LOOSE|NEAR,       RESTS,  BEST,   stic_attempt_flow,      6000,  0,  0,  JM, 0.5,   0, BRIEF},
    {"apgd-loose",     "apgd",           MIDDLE|LARGE|ABOVE,  LOOSE|NEAR,       RESTS,  GIVEN,  stic_attempt_apgd,      6000,  0,  2,  JM, 0,     0, NORMAL},
    {"flow-cold",      "asgs",           MIDDLE|LARGE|ABOVE,  LOOSE|POINTS|NEAR, RESTS, ZERO,   stic_attempt_flow,      6000,  0,  0,  JM, 0,     0, NORMAL},
    // sweeps from 0 with all momentum, forward and backward, which circle where the others do not
    {"asgs",           "asgs",           MIDDLE|LARGE|ABOVE,   0,                LOOSE|RESTS|TIGHT, OWN,  stic_attempt_asgs,    20000, 40,  1,  JM, -1,    0, NORMAL},
    {"near",           "prox-newton",    ANY,                 FACTOR|NEAR,      0,      BEST,   stic_attempt_near,        10,  0, .25, JM, 0,     0, NORMAL},
    // without momentum sweeps are slow but do not circle: 1000 to 9000 from the given start
    {"flow-plain",     "asgs",           MIDDLE|LARGE|ABOVE,  LOOSE|NEAR,       RESTS,  GIVEN,  stic_attempt_plain,    10000,  0,  0,  JM, 0,     0, NORMAL},
    {"apgd-plain",     "apgd",           MIDDLE|LARGE|ABOVE,  LOOSE|NEAR,       RESTS,  BEST,   stic_attempt_apgd,       200,  0,  0,  JM, 0,     0, NORMAL},
    {"newton-quick",   "prox-newton",    HANDFUL,             FACTOR,           0,      ZERO,   stic_attempt_newton,      30,  0,  0,  JM, 1e-2,  0, NORMAL},
    {"interior",       "interior-point", ANY,                 FACTOR|CONES,     0,      BEST,   stic_attempt_interior,    20,  0,  0,  JM, 0,     0, NORMAL},
    // interior points get the forces through the whole scene right, sweeps repair the contacts
    {"asgs-inside",    "asgs",           MIDDLE|LARGE,        FACTOR|BODIES,    0,      INSIDE, stic_attempt_asgs,      2000,  0,  2,  JM, 0,     0, NORMAL},
    // few contacts of bodies: cheaper than Newton, and where masses or levers differ by 1e3 and more it
    // ends where Newton is left in its rounding
    {"admm-few",       "admm",           HANDFUL|SMALL,       BODIES,           0,      CALLER, stic_attempt_admm,      2000,  0,  0,  JM, 0,     0, NORMAL},
    {"newton-tight",   "prox-newton",    MIDDLE|LARGE|ABOVE,  FACTOR|TIGHT,     0,      ZERO,   stic_attempt_newton,     200,  0,  0,  JM, 1e-2,  0, NORMAL},
    {"newton",         "prox-newton",    HANDFUL|SMALL,       FACTOR,           0,      ZERO,   stic_attempt_newton,     200,  0,  0,  JM, 1e-2,  0, NORMAL},
    {"states",         "prox-newton",    HANDFUL|SMALL,       FACTOR,           0,      ZERO,   stic_attempt_states,      20,  0,  0,  AC, 0,     0, NORMAL},
    {"states-again",   "prox-newton",    HANDFUL|SMALL,       FACTOR,           0,      ZERO,   stic_attempt_states,      20,  0,  0,  AC, 0,     0, NORMAL},
    // a drive of 1e8 N that presses against a limit: rows that depend on each other with forces of 1e6 times the rest
    {"newton-ac",      "prox-newton",    HANDFUL|SMALL,       FACTOR,           0,      ZERO,   stic_attempt_newton,     200,  0, .25, AC, 1e-2,  0, NORMAL},
    // In turn. None of them solves everything, and each may take a hundred times as long as another:
    // each may cost a part of all work before it, more in every turn, so that the price of the round
    // is a multiple of that of its best member.
    {"turn-asgs",      "asgs",           MIDDLE|LARGE|ABOVE,   0,                0,      OWN,    stic_attempt_asgs,     20000,  0, .5,  JM, -1,    1, NORMAL},
    {"turn-sweeps",    "nsgs",           MIDDLE|LARGE|ABOVE,   0,                0,      BEST,   stic_attempt_sweeps,   50000,  0, .5,  JM, 0,     1, NORMAL},
    {"turn-newton",    "prox-newton",    MIDDLE|LARGE|ABOVE,   FACTOR,           0,      ZERO,   stic_attempt_newton,     200,  0,  1,  JM, 1e-2,  1, NORMAL},
    {"turn-newton-ac", "prox-newton",    MIDDLE|LARGE|ABOVE,   FACTOR,           0,      BEST,   stic_attempt_near,        50,  0, .25, AC, 0,     1, NORMAL},
    {"turn-admm",      "admm",           MIDDLE|LARGE|ABOVE,   BODIES,           0,      CALLER, stic_attempt_admm,     20000,  0, .5,  JM, 0,     1, NORMAL},
    {"turn-apgd",      "apgd",           MIDDLE|LARGE|ABOVE,   0,                0,      BEST,   stic_attempt_apgd,     20000,  0, .25, JM, 0,     1, NORMAL},
    {"turn-newton-jm", "prox-newton",    MIDDLE|LARGE|ABOVE,   FACTOR,           0,      BEST,   stic_attempt_near,        50,  0, .25, JM, 0,     1, NORMAL},
    // In large sliding piles none of the iterations tried converges: contacts that creep on the
    // border of their cones come to rest for a while and break loose again. Paths from the lowest
    // points of such a walk may or may not end in a solution, and another momentum is another walk.
    {"path",           "prox-newton",    MIDDLE|LARGE|ABOVE,   FACTOR,           0,      BEST,   stic_attempt_path,      1500,  0,  0,  AC, 0,     0, HIGH},
    {"walk-80",        "asgs",           MIDDLE|LARGE|ABOVE,   FACTOR,           0,      ZERO,   stic_attempt_walk,    120000,  0,  0,  JM, 0.8,   0, HIGH},
    {"walk-80-path",   "prox-newton",    MIDDLE|LARGE|ABOVE,   FACTOR,           0,      BEST,   stic_attempt_path,       600,  0,  0,  AC, 0,     0, HIGH},
    {"walk-85",        "asgs",           MIDDLE|LARGE|ABOVE,   FACTOR,           0,      ZERO,   stic_attempt_walk,    120000,  0,  0,  JM, 0.85,  0, HIGH},
    {"walk-85-path",   "prox-newton",    MIDDLE|LARGE|ABOVE,   FACTOR,           0,      BEST,   stic_attempt_path,       600,  0,  0,  AC, 0,     0, HIGH},
    {"walk-88",        "asgs",           MIDDLE|LARGE|ABOVE,   FACTOR,           0,      ZERO,   stic_attempt_walk,    120000,  0,  0,  JM, 0.88,  0, HIGH},
    {"walk-88-path",   "prox-newton",    MIDDLE|LARGE|ABOVE,   FACTOR,           0,      BEST,   stic_attempt_path,       600,  0,  0,  AC, 0,     0, HIGH},
    {"walk-90",        "asgs",           MIDDLE|LARGE|ABOVE,   FACTOR,           0,      ZERO,   stic_attempt_walk,    120000,  0,  0,  JM, 0.9,   0, HIGH},
    {"walk-90-path",   "prox-newton",    MIDDLE|LARGE|ABOVE,   FACTOR,           0,      BEST,   stic_attempt_path,       600,  0,  0,  AC, 0,     0, HIGH},
    // What nothing solves ends at an r that depends little on its way, so that iterations around it
    // come to an end.
    {"last-asgs",      "asgs",           HANDFUL|SMALL,       0,                0,      BEST,   stic_attempt_asgs,     50000,  0,  1,  JM, 0,     0, NORMAL},
    {"last-sweeps",    "nsgs",           HANDFUL|SMALL,       0,                0,      BEST,   stic_attempt_sweeps,   20000,  0,  0,  JM, 0,     0, NORMAL},
    {NULL,             NULL,             0,                   0,                0,      BEST,   NULL,                      0,  0,  0,  JM, 0,     0, NORMAL},
};
// clang-format on

/* ---- traits ---- */

static uint32_t size_of(int32_t contacts)
{
    return contacts <= 10    ? STIC_SIZE_HANDFUL
           : contacts < 100  ? STIC_SIZE_SMALL
           : contacts < 500  ? STIC_SIZE_MIDDLE
           : contacts < 2000 ? STIC_SIZE_LARGE
                             : STIC_SIZE_HUGE;
}

// above this tolerance motion matters, not rest
static bool is_loose(double tolerance)
{
    return tolerance >= 0.999e-3;
}

static uint32_t traits_of(const SticSolveTask* task)
{
    static const double tight = 3e-5;
    const SticProblem* problem = task->problem;
    uint32_t traits = 0;
    if (problem->W == NULL && problem->M->kind == STIC_MASS_BLOCKS)
        traits |= STIC_TRAIT_BODIES;
    if (stic_admm_is_pile(problem))
        traits |= STIC_TRAIT_POINTS;
    if (task->rests)
        traits |= STIC_TRAIT_RESTS;
    if (task->warm)
        traits |= STIC_TRAIT_NEAR;
    if (is_loose(task->settings->tolerance))
        traits |= STIC_TRAIT_LOOSE;
    // sweeps take longer with each digit, Newton does not
    if (task->settings->tolerance < tight)
        traits |= STIC_TRAIT_TIGHT;
    return traits;
}

// Sweeps after which islands in motion are given up. What has not converged by then circles, and
// another start finds the solution sooner than more sweeps. A sweep carries a change on by a few
// contacts, so that patience grows with the length of an island, as its cube root. Hard steps of
// piles of 220 to 500 (104) take 1.8e5 sweeps in all with 700, 1000 or 1500; of piles of 1000, 1500
// solve all 37 and 1000 leave four to factorisations; 56 of walls of 20 courses (3200 contacts)
// take 4.5e4 with 1000 or 2000 and 5.7e4 with 4000.
static int32_t patience(int32_t contacts)
{
    enum { PER_LENGTH = 110 };
    int32_t length = 1;
    while (length < 100 && length * length * length < contacts)
        ++length;
    return PER_LENGTH * length;
}

SticFlowLimits stic_portfolio_sweeps(const SticSolveTask* task, int32_t contacts, double tolerance,
                                     double enough)
{
    STIC_ASSERT(contacts >= 0);
    STIC_ASSERT(tolerance >= 0.0);
    const AutoSettings* settings = task->method;
    // The slower a motion, the more digits it asks for (accuracy.c). Down to this tolerance sweeps
    // are the way to get them, as far as they can; below it things rest, and factors pay.
    static const double rest = 0.999e-4;
    const bool moves = is_loose(enough) && tolerance >= rest;
    // small islands and tight tolerances: about the price of interior points, which grows with the
    // fill
    const bool loose = moves || is_loose(tolerance);
    const int32_t price =
        loose ? (contacts < 100 ? 400 + 5 * contacts : patience(contacts)) : 200 + contacts;
    const int32_t sweeps = price < settings->sweeps ? price : settings->sweeps;
    return (SticFlowLimits){.tolerance = tolerance,
                            .enough = moves ? enough : 0.0,
                            .sweeps = sweeps,
                            .yields = !moves || !task->warm,
                            .impatient = !loose};
}

bool stic_portfolio_splits(const SticSolveTask* task)
{
    return ((const AutoSettings*)task->method)->islands;
}

/* ---- the loop ---- */

// where the r of attempts that go on from their own is kept: they share it with others of the same
// method
static double** own_of(SticPortfolio* portfolio, const SticAttempt* attempt)
{
    int32_t first = 0;
    while (stic_portfolio_table[first].start != STIC_START_OWN ||
           strcmp(stic_portfolio_table[first].method, attempt->method) != 0)
        ++first;
    return &portfolio->own[first];
}

static void put_start(SticPortfolio* portfolio, const SticAttempt* attempt)
{
    const SticStart start = (SticStart)attempt->start;
    SticSolveTask* task = portfolio->task;
    const bool inside =
        (portfolio->traits & STIC_TRAIT_CONES) != 0 && portfolio->interior.best_error < 1e-2;
    const double* own = start == STIC_START_OWN ? *own_of(portfolio, attempt) : NULL;
    if (own != NULL) {
        memcpy(task->r, own, (size_t)task->problem->rows * sizeof *own);
    } else if (start == STIC_START_ZERO || start == STIC_START_OWN ||
               (start == STIC_START_CALLER && !task->warm)) {
        memset(task->r, 0, (size_t)task->problem->rows * sizeof *task->r);
    } else if (start == STIC_START_INSIDE && inside) {
        stic_interior_get(&portfolio->interior, portfolio->x);
        stic_scaled_to(&portfolio->scaled, portfolio->x, task->r);
    } else if (start == STIC_START_GIVEN && task->given != NULL) {
        for (int32_t row = 0; row < task->problem->rows; ++row)
            task->r[row] = task->given[row];
    } else {
        stic_task_best(task, task->r);
    }
}

// after an attempt has ended the task: one that ran away or broke down does not rule out the next
static bool goes_on(SticPortfolio* portfolio)
{
    SticSolveTask* task = portfolio->task;
    const bool failed =
        task->outcome == STIC_OUTCOME_DIVERGED || task->outcome == STIC_OUTCOME_BROKE_DOWN;
    if (task->solved || portfolio->status != STIC_OK || task->status != STIC_OK || !failed)
        return false;
    task->stopped = false;
    task->outcome = STIC_OUTCOME_STALLED;
    return true;
}

// whether an attempt is for this problem; what needs a factor asks for its price
static SticStatus suits(SticPortfolio* portfolio, const SticAttempt* attempt, bool* fits)
{
    *fits = (attempt->sizes & portfolio->size) != 0 && attempt->effort <= portfolio->effort &&
            (attempt->avoids & portfolio->traits) == 0;
    const uint32_t others = attempt->needs & ~(uint32_t)(STIC_TRAIT_FACTOR | STIC_TRAIT_CONES);
    *fits = *fits && (others & ~portfolio->traits) == 0;
    if (*fits && ((attempt->needs & STIC_TRAIT_FACTOR) != 0 || attempt->factors > 0.0))
        STIC_TRY(stic_attempt_prepare_direct(portfolio));
    *fits = *fits && (attempt->needs & ~portfolio->traits) == 0;
    return STIC_OK;
}

// what a member of a round may cost, but a few iterations in any case
static double budget_of(const SticPortfolio* portfolio, const SticAttempt* attempt)
{
    enum { FACTORS = 40, SWEEPS = 200 };
    const bool direct = (attempt->needs & STIC_TRAIT_FACTOR) != 0;
    const double sweep = portfolio->sweep != NULL ? stic_sweep_work(portfolio->sweep) : 0.0;
    const double least = direct ? FACTORS * portfolio->system.factor_work : SWEEPS * sweep;
    const double budget = attempt->spent * portfolio->task->info->work;
    if (attempt->round == 0)
        return direct ? attempt->factors * portfolio->system.factor_work : 0.0;
    return budget > least ? budget : least;
}

// the attempt with a best r of its own: what goes back to the best, or gives up because it does not
// come below it, must not be led by the r of another one
static bool run_apart(SticPortfolio* portfolio, const SticAttempt* attempt)
{
    SticSolveTask* task = portfolio->task;
    const size_t bytes = (size_t)task->problem->rows * sizeof(double);
    const SticErrors errors = task->best_errors;
    const double error = task->best_error;
    memcpy(portfolio->kept, task->best, bytes);
    memcpy(portfolio->kept_u, task->best_u, bytes);
    task->best_error = task->halved_error = INFINITY;
    const bool more = attempt->run(portfolio, attempt);
    if (attempt->start == STIC_START_OWN && task->best_error < INFINITY) {
        double** own = own_of(portfolio, attempt);
        if (*own == NULL)
            portfolio->status = STIC_TAKE(task->arena, own, task->problem->rows);
        if (portfolio->status != STIC_OK)
            return false;
        stic_task_best(task, *own);
    }
    if (!task->solved && error < task->best_error) {
        task->best_error = task->halved_error = error;
        task->best_errors = errors;
        memcpy(task->best, portfolio->kept, bytes);
        memcpy(task->best_u, portfolio->kept_u, bytes);
    }
    return more;
}

// false: nothing may follow
static bool try_one(SticPortfolio* portfolio, const SticAttempt* attempt)
{
    SticSolveTask* task = portfolio->task;
    const double before = task->best_error;
    SticAttemptCount* count = &task->attempts[attempt - stic_portfolio_table];
    const double work = task->info->work;
    if (stic_task_interrupted(task, work))
        return false;
    put_start(portfolio, attempt);
    portfolio->budget = budget_of(portfolio, attempt);
    const bool apart = attempt->start == STIC_START_OWN;
    const bool more = (apart ? run_apart : attempt->run)(portfolio, attempt);
    if (portfolio->budget > 0.0 && task->info->work >= work + 0.5 * portfolio->budget)
        portfolio->cut = true;
    portfolio->budget = 0.0;
    if (task->best_error < before || task->solved)
        task->info->method = attempt->method;
    count->tried += 1;
    count->won += task->solved;
    count->work += task->info->work - work;
    return more || goes_on(portfolio);
}

// At the last member of a round: whether the round begins again. The parts of its members compound to
// 13 times the work before a turn at most, so that there are few.
static bool repeats(const SticPortfolio* portfolio, const SticAttempt* attempt)
{
    enum { TURNS = 1 };
    const bool last = attempt->round > 0 && attempt[1].round != attempt->round;
    return last && portfolio->cut &&
           (portfolio->effort == STIC_EFFORT_HIGH || portfolio->turns < TURNS);
}

static SticStatus try_all(SticPortfolio* portfolio)
{
    for (const SticAttempt* attempt = stic_portfolio_table; attempt->name != NULL; ++attempt) {
        bool fits = false;
        STIC_TRY(suits(portfolio, attempt, &fits));
        if (fits && (portfolio->task->without >> (attempt - stic_portfolio_table) & 1) == 0 &&
            !try_one(portfolio, attempt))
            return portfolio->status;
        if (repeats(portfolio, attempt)) {
            const int32_t round = attempt->round;
            while (attempt->round == round)
                --attempt;
            portfolio->turns += 1;
            portfolio->cut = false;
        }
    }
    stic_task_stop(portfolio->task, portfolio->effort == STIC_EFFORT_BRIEF
                                        ? STIC_OUTCOME_ITERATION_LIMIT
                                        : STIC_OUTCOME_STALLED);
    return portfolio->status;
}

// factors of small islands cost less than another way
static int32_t effort_of(const SticPortfolio* portfolio, const AutoSettings* settings)
{
    const bool small = (portfolio->size & (STIC_SIZE_HANDFUL | STIC_SIZE_SMALL)) != 0;
    if (portfolio->task->brief && (portfolio->traits & STIC_TRAIT_LOOSE) != 0 && !small)
        return STIC_EFFORT_BRIEF;
    return settings->effort == 1 ? STIC_EFFORT_HIGH : STIC_EFFORT_NORMAL;
}

SticStatus stic_auto_run(SticSolveTask* task)
{
    const AutoSettings* settings = task->method;
    SticPortfolio portfolio = {.task = task,
                               .factor_values = settings->factor_values,
                               .traits = traits_of(task),
                               .size = size_of(task->problem->count),
                               .followed = INFINITY};
    portfolio.effort = effort_of(&portfolio, settings);
    stic_fields_default(&stic_prox_newton_fields, &portfolio.newton_settings);
    STIC_TRY(stic_attempt_prepare(&portfolio));
    return try_all(&portfolio);
}

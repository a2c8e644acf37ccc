// SPDX-License-Identifier: Apache-2.0
// Nonlinear equations coupled to laws: projected Newton in its nested and in its literal form.
//
//   f(x, r) = 0,  g(x) obeys the laws with r                                       (Möller 2.69)
//
// nested   tangent problem at x -> r; x += dx(r)      until the change of x is small
// literal  x := x - (df/dx)^-1 f(x, r);  r_i := prox(r_i - rho_i g_i(x))           (2.72)
//          rho_i = alpha / max_k [-dg_i/dx (df/dx)^-1 df/dr_i]_kk                   (2.73)
//          until the changes of x and r are small
//
// Neither differentiates the laws. The nested form takes the reactions of the last tangent problem,
// not increments, so that nothing accumulates; each iteration has one linearisation and one linear
// inclusion, and 2 to 5 iterations are the rule. The literal form converges linearly, like the
// Jacobi iteration that it is for linear f and g, and not always.
//
// Departures in the literal form: eq. 2.73 prints rho without the minus sign, which makes it
// negative (for f = x - W r - c, g = x, df/dr is -W). rho is computed once, at the start value, as
// the thesis advises; df/dx is as fresh as the equations make it. Normal and friction rows of a
// contact have a rho each, as they are laws of their own there, the normal one first. The result is
// checked like that of any solve: r must solve the tangent problem at x.
#include "stiction/extend/solver.h"

#include <math.h>
#include <string.h>

#include "problem/operator_kernel.h"
#include "stiction/extend/base.h"
#include "stiction/extend/law.h"

// Converged at the tolerance, or where rounding is reached:
//   * the changes no longer shrink, at a level that rounding explains: that of the tangent system
//     (1e-9 leaves room for condition numbers up to 1e7), what the equations state themselves, or a
//     hundred times the tolerance of the inner solve, which the tangent multiplies;
//     A single change that is not smaller may belong to a convergence that is not monotone: above a
//     hundred times the tolerance it takes STALLS of them;
//   * they shrink slowly, by a factor q of 1/2 to 1, and the sum of those to come, q/(1 - q) of the
//     last one, is below what the equations state, the tolerance, or that of the inner solve. Slow
//     linear convergence therefore goes on while its error is still visible.
// `settling` holds what is known of the earlier changes and is updated.
// With laws, the iteration also ends at a hundredth of the tolerance of the inner solve: below it
// the changes are due to the errors of the reactions.
enum { STALLS = 4 };

typedef struct Settling {
    double smallest; // change so far
    int32_t stalls;  // changes since then that rounding may explain
} Settling;

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static bool converged(const SticImplicit* implicit, const SticImplicitChange* change,
                      double inner_tolerance, bool with_laws, Settling* settling)
{
    const double laws = with_laws ? 0.01 * inner_tolerance : 0.0;
    const double level = larger(100.0 * inner_tolerance, larger(change->floor, 1e-9));
    const double inner = larger(inner_tolerance, larger(change->floor, implicit->tolerance));
    const double sure = larger(100.0 * implicit->tolerance, change->floor);
    const double size = change->size, before = settling->smallest;
    settling->smallest = size < before ? size : before;
    settling->stalls = size < before ? 0 : settling->stalls + (size <= level ? 1 : 0);
    if (size <= implicit->tolerance || size <= laws)
        return true;
    if (size >= before && size <= level && (size <= sure || settling->stalls >= STALLS))
        return true;
    return size >= 0.5 * before && size < before && size * size <= (before - size) * inner;
}

// Reactions that are solved anew may be solved tighter than they are judged, for the sake of
// energy: while the changes still shrink, iterate until the equations hold as they do for kept
// reactions
static bool goes_further(const SticImplicit* implicit, const SticImplicitChange* change,
                         double before)
{
    return change->size > implicit->tolerance && change->size > change->floor &&
           change->size < 0.5 * before;
}

// Kept reactions push a light body that heavy ones press on ever further away, where reactions that
// follow it would hold it: changes that grow by this factor are no longer due to active sets that
// settle
#define RUNAWAY 100.0
// and kept reactions may fail this often where x has settled for them
enum { MOST_FAILURES = 2 };
// While x changes by more than this, the tangent differs every time, and reactions of an earlier
// one would lead x astray, as with a body that is stiff for the step
static const double far_off = 1e-2;
// Reactions that are kept and solved anew in turns may go round in a cycle of active sets, with x
// settling for each of them: they are solved anew at most this often without the change that this
// makes being halved
enum { MOST_RENEWALS = 4 };
// tolerance of those solves, as a fraction of the tolerance that judges the reactions, at first;
// and as a fraction of the last change, so that the errors of the reactions do not keep x from
// settling
#define TIGHT        1e-3
#define TIGHT_CHANGE 1e-2

// the loosest tolerance of a tangent
static double loosest(const SticSolveRequest* request, const SticProblem* tangent)
{
    if (request->tolerance == NULL)
        return request->settings.tolerance;
    double most = 0.0;
    for (int32_t i = 0; i < tangent->count; ++i)
        most = request->tolerance[i] > most ? request->tolerance[i] : most;
    return most;
}

// tolerance of the tangent problems where it is loosest, unless the equations ask for another;
// `part` below 1: reactions are solved that much tighter in every iteration
static double inner_tolerance(const SticImplicit* implicit, const SticSolveRequest* request,
                              const SticProblem* tangent, double part)
{
    if (implicit->inner > 0.0 && part == 1.0)
        return implicit->inner;
    return request->tolerance == NULL ? request->settings.tolerance
                                      : part * loosest(request, tangent);
}

/* ---- literal form ---- */

typedef struct Literal {
    const SticImplicit* implicit;
    const SticSolveRequest* request;
    double (*rho)[3];  // [count] by group of rows
    double *R, *u;     // [rows]
    double change;     // of the reactions, relative, rows weighed by 1/rho
    double target;     // change at which the error is looked at
    Settling settling; // of x
} Literal;

// rho = alpha / largest diagonal entry of the group's block of W
static void find_rho(const SticProblem* tangent, const SticOperator* op, double alpha,
                     double (*rho)[3])
{
    for (int32_t i = 0; i < tangent->count; ++i) {
        const int32_t rows = tangent->row_at[i + 1] - tangent->row_at[i];
        const double* W = stic_operator_diagonal(op, i);
        int32_t at[4];
        const int32_t groups = stic_law_groups((SticLaw)tangent->law[i], rows, at);
        for (int32_t g = 0; g < 3; ++g) {
            double most = 0.0;
            for (int32_t a = g < groups ? at[g] : rows; g < groups && a < at[g + 1]; ++a)
                most = W[a * rows + a] > most ? W[a * rows + a] : most;
            rho[i][g] = most > 0.0 ? alpha / most : 1.0;
        }
    }
}

// r_i := prox(r_i - rho_i g_i), laws that bound others first in the order of the interactions
static void project(Literal* literal, const SticProblem* tangent, double* r)
{
    double moved = 0.0, size = 0.0;
    for (int32_t i = 0; i < tangent->count; ++i) {
        const int32_t at = tangent->row_at[i], rows = tangent->row_at[i + 1] - at;
        double next[6], group_rho[6];
        int32_t group_at[4];
        for (int32_t a = at; a < at + rows; ++a) {
            literal->R[a] = r[a] + (tangent->r_shift != NULL ? tangent->r_shift[a] : 0.0);
            literal->u[a] = tangent->w[a] + (tangent->u_shift != NULL ? tangent->u_shift[a] : 0.0);
        }
        const SticLawBlock block = {.law = (SticLaw)tangent->law[i],
                                    .rows = rows,
                                    .coef = tangent->coef[i],
                                    .B = stic_problem_bound(tangent, i, r)};
        const int32_t groups = stic_law_groups(block.law, rows, group_at);
        for (int32_t g = 0; g < groups; ++g)
            for (int32_t a = group_at[g]; a < group_at[g + 1]; ++a)
                group_rho[a] = literal->rho[i][g];
        stic_law_step_split(&block, literal->rho[i], literal->u + at, literal->R + at, next);
        for (int32_t a = 0; a < rows; ++a) {
            const double d = next[a] - literal->R[at + a];
            moved += d * d / group_rho[a];
            size += next[a] * next[a] / group_rho[a];
            r[at + a] += d;
        }
    }
    literal->change = moved > 0.0 ? sqrt(moved / size) : 0.0;
}

static SticStatus prepare(Literal* literal, const SticProblem* tangent, SticSolveInfo* info)
{
    SticArena* arena = literal->implicit->arena;
    STIC_TRY(STIC_TAKE(arena, &literal->rho, tangent->count));
    STIC_TRY(STIC_TAKE(arena, &literal->R, tangent->rows));
    STIC_TRY(STIC_TAKE(arena, &literal->u, tangent->rows));
    if (tangent->rows == 0)
        return STIC_OK;
    if (tangent->w == NULL)
        return stic_error_set(&info->error, STIC_UNSUPPORTED,
                              "the literal form of projected Newton needs w = g(x) in the tangent");
    SticOperator* op = NULL;
    const SticArenaMark mark = stic_arena_mark(arena);
    STIC_TRY(stic_operator_create(arena, tangent, STIC_FORM_AUTO, &op, &info->error));
    find_rho(tangent, op, literal->request->settings.implicit_alpha, literal->rho);
    stic_arena_rewind(arena, mark);
    return STIC_OK;
}

// the error of r in the tangent problem, recomputed; the outcome says whether it passes
static SticStatus certify(const Literal* literal, const SticProblem* tangent, double* r,
                          SticSolveInfo* info)
{
    SticSolveRequest request = *literal->request;
    request.settings.warm_start = true;
    request.settings.max_iterations = 0;
    STIC_TRY(stic_solve(tangent, &request, r, literal->u, info));
    info->method = "projected-newton";
    if (info->outcome != STIC_OUTCOME_SOLVED)
        info->outcome = STIC_OUTCOME_STALLED;
    return STIC_OK;
}

// one iteration: linearise, project, advance; `done` if the changes are small and r passes
static SticStatus iterate(Literal* literal, int32_t iteration, double* x, double* r,
                          SticSolveInfo* info, bool* done)
{
    const SticImplicit* implicit = literal->implicit;
    SticProblem tangent;
    SticImplicitChange change = {0};
    STIC_TRY(implicit->linearise(implicit->self, x, implicit->arena, &tangent));
    const double tolerance = inner_tolerance(implicit, literal->request, &tangent, 1.0);
    if (iteration == 1) {
        literal->target = tolerance;
        STIC_TRY(prepare(literal, &tangent, info));
    } else if (tangent.rows > 0)
        project(literal, &tangent, r);
    STIC_TRY(implicit->advance(implicit->self, r, x, &change));
    const bool last = iteration >= implicit->max_iterations;
    const bool settled = converged(implicit, &change, tolerance, false, &literal->settling);
    *done = iteration > 1 && literal->change <= literal->target && settled;
    if (!*done && !last)
        return STIC_OK;
    STIC_TRY(implicit->linearise(implicit->self, x, implicit->arena, &tangent));
    STIC_TRY(certify(literal, &tangent, r, info));
    info->newton = iteration;
    // with linear convergence a small change does not mean a small error
    literal->target = 0.1 * literal->change;
    *done = *done && info->outcome == STIC_OUTCOME_SOLVED;
    if (!*done)
        info->outcome = STIC_OUTCOME_STALLED;
    return STIC_OK;
}

static SticStatus solve_literal(const SticImplicit* implicit, const SticSolveRequest* request,
                                double* x, double* r, SticSolveInfo* info)
{
    Literal literal = {.implicit = implicit, .request = request, .settling = {INFINITY, 0}};
    bool done = false;
    stic_solve_info_clear(info);
    const SticArenaMark start = stic_arena_mark(implicit->arena);
    // the first tangent stays, below the vectors that the first iteration takes
    STIC_TRY(iterate(&literal, 1, x, r, info, &done));
    const SticArenaMark mark = stic_arena_mark(implicit->arena);
    for (int32_t iteration = 2; !done && iteration <= implicit->max_iterations; ++iteration) {
        STIC_TRY(iterate(&literal, iteration, x, r, info, &done));
        stic_arena_rewind(implicit->arena, mark);
    }
    stic_arena_rewind(implicit->arena, start);
    return STIC_OK;
}

/* ---- nested form ---- */

// Course of a nested iteration. Changes of x may grow for a while (active sets that settle), but
// where the smallest one has not been beaten for PATIENCE iterations, or not been halved for twice
// as many, the iteration cycles or runs away: it starts again from the best x with half of each
// step. This ends cycles between active sets, and also helps against an outdated derivative.
enum { PATIENCE = 8 };
static const double least_part = 1.0 / 64.0;

typedef struct Nested {
    const SticImplicit* implicit;
    double *best, *before; // [unknowns] x of the smallest change; x before a step
    double smallest;       // change
    Settling settling;     // as `converged` keeps it
    int32_t best_at;       // its iteration
    double halved;         // change that the limit is counted from
    int32_t halved_at;
    double last;      // the change before
    double part;      // of each step that is taken
    bool keeps;       // reactions are kept while they pass, see Laws
    bool loose;       // they are kept from the beginning, since they may be loose
    bool tight;       // they are solved anew in every iteration, and far enough for that
    double renewed;   // change that reactions made that were solved anew, which is counted from
    int32_t renewals; // since then
    bool damped;      // kept reactions go round in a cycle: they are followed in parts of steps
} Nested;

static void copy(int32_t n, const double* from, double* to)
{
    if (n > 0)
        memcpy(to, from, (size_t)n * sizeof *to);
}

// changes from here on belong to other reactions: what was reached before says nothing about them
static void begin_anew(Nested* nested, int32_t iteration)
{
    nested->smallest = nested->halved = nested->last = INFINITY;
    nested->settling = (Settling){INFINITY, 0};
    nested->best_at = nested->halved_at = iteration;
}

// back to the best x, with half of each step; true if it may go on
static bool halve(Nested* nested, int32_t iteration, double* x)
{
    copy(nested->implicit->unknowns, nested->best, x);
    if (nested->part <= least_part)
        return false;
    nested->part *= 0.5;
    nested->best_at = nested->halved_at = iteration;
    return true;
}

// Kept reactions were solved anew, which made a change. If these changes do not shrink, no number
// of renewals will end the iteration: reactions are then solved in every iteration and only a part
// of each step is taken, so that x may come to rest between two active sets. True if it may go on.
static bool renew(Nested* nested, int32_t iteration, double size, double* x)
{
    nested->renewals += 1;
    if (size <= 0.5 * nested->renewed) {
        nested->renewed = size;
        nested->renewals = 0;
    }
    if (nested->renewals < MOST_RENEWALS || nested->damped)
        return true;
    nested->damped = nested->tight = true;
    nested->keeps = false;
    begin_anew(nested, iteration);
    return halve(nested, iteration, x);
}

// keep what the iteration has reached; true if it may go on
static bool follow(Nested* nested, int32_t iteration, double size, double* x)
{
    const int32_t n = nested->implicit->unknowns;
    if (size < nested->smallest) {
        nested->smallest = size;
        nested->best_at = iteration;
        copy(n, nested->before, nested->best);
    }
    if (size <= 0.5 * nested->halved) {
        nested->halved = size;
        nested->halved_at = iteration;
    }
    if (iteration - nested->halved_at >= nested->implicit->max_iterations)
        return false;
    const bool slow = iteration - nested->halved_at >= 2 * PATIENCE,
               runs_away = nested->loose && !nested->tight && size > RUNAWAY * nested->smallest;
    if ((iteration - nested->best_at < PATIENCE && !slow && !runs_away) || n == 0)
        return true;
    if (nested->loose && !nested->tight) {
        nested->tight = true;
        begin_anew(nested, iteration);
        copy(n, nested->best, x);
        return true;
    }
    if (nested->keeps || nested->damped)
        return halve(nested, iteration, x);
    // the remaining changes may be due to the errors of the reactions alone
    nested->keeps = true;
    nested->best_at = nested->halved_at = iteration;
    copy(n, nested->best, x);
    return true;
}

/* ---- laws of a tangent ---- */

// Where interactions have tolerances of their own, which may be loose, and where the iteration does
// not settle otherwise, r is kept for as long as it passes, so that x settles for fixed reactions.
// r is checked after the first change, after every other large change, and where x has settled; it
// is solved to a tenth of the tolerance that judges it, so that small changes of x do not make it
// fail, and so that what is left does not have the same sign in every step: a box that slid on a
// reaction kept at half of it went 1.4 % too far. The errors reported are those of the last solve.
typedef struct Laws {
    const SticImplicit* implicit;
    const SticSolveRequest* request;
    bool keeps;  // r is kept
    bool tight;  // see Nested
    double part; // of tolerances that tight reactions are solved to
    bool locked; // a smaller part cannot be reached
    bool failed; // r was checked where x had settled, and did not pass
    int32_t failures;
    bool looked;    // r was checked at the present tangent
    double change;  // of x, the last one
    double reached; // largest error over what was aimed at, by the last solve
    SticSolveInfo sum;
} Laws;

// work of one solve added to that of the iteration
static void count(Laws* laws, const SticSolveInfo* info)
{
    laws->sum.iterations += info->iterations;
    laws->sum.factorisations += info->factorisations;
    laws->sum.checks += info->checks;
    laws->sum.fallbacks += info->fallbacks;
    laws->sum.work += info->work;
    laws->sum.seconds += info->seconds;
}

// errors of r in a tangent, against what was asked
static SticStatus weigh(Laws* laws, const SticProblem* tangent, double* r, SticSolveInfo* found)
{
    SticSolveRequest own = *laws->request;
    double* u = NULL;
    own.settings.max_iterations = 0;
    *found = (SticSolveInfo){.method = NULL};
    STIC_TRY(STIC_TAKE(laws->implicit->arena, &u, tangent->rows));
    const SticStatus status = stic_solve(tangent, &own, r, u, found);
    count(laws, found);
    return status;
}

// whether r passes for a tangent; it need not be better than what the last solve could reach
static SticStatus check(Laws* laws, const SticProblem* tangent, double* r, SticSolveInfo* info,
                        bool* passes)
{
    SticSolveInfo found;
    const SticStatus status = weigh(laws, tangent, r, &found);
    if (status != STIC_OK)
        info->error = found.error;
    *passes = found.outcome == STIC_OUTCOME_SOLVED &&
              (found.aim_ratio <= 1.0 || found.aim_ratio <= laws->reached);
    return status;
}

// A solve that missed the part of a tolerance that it aimed at may well have reached the tolerance
static SticStatus tell_aim(Laws* laws, const SticProblem* tangent, double* r, SticSolveInfo* info)
{
    SticSolveInfo found;
    const SticStatus status = weigh(laws, tangent, r, &found);
    if (status != STIC_OK)
        info->error = found.error;
    info->aim_ratio = found.aim_ratio;
    info->islands_short = found.islands_short;
    return status;
}

static SticStatus solve_laws(Laws* laws, int32_t iteration, const SticProblem* tangent, double* r,
                             SticSolveInfo* info)
{
    SticArena* arena = laws->implicit->arena;
    SticSolveRequest own = *laws->request;
    double *u = NULL, *tighter = NULL;
    laws->looked = !laws->keeps || iteration <= 2 || laws->failed || laws->change > far_off;
    if (!laws->looked)
        return STIC_OK;
    if (laws->keeps && iteration > 1 && !laws->failed && info->outcome == STIC_OUTCOME_SOLVED) {
        bool passes = false;
        STIC_TRY(check(laws, tangent, r, info, &passes));
        if (passes)
            return STIC_OK;
    }
    laws->failed = false;
    STIC_TRY(STIC_TAKE(arena, &u, tangent->rows));
    STIC_TRY(STIC_TAKE(arena, &tighter, tangent->count));
    const double part = laws->tight ? laws->part : laws->keeps ? 0.1 : 1.0;
    for (int32_t i = 0; part < 1.0 && own.tolerance != NULL && i < tangent->count; ++i) {
        const double less = part * own.tolerance[i];
        tighter[i] = less < own.settings.tolerance ? less : own.settings.tolerance;
    }
    if (part < 1.0 && own.tolerance != NULL)
        own.tolerance = tighter;
    else
        own.settings.tolerance *= part;
    STIC_TRY(stic_solve(tangent, &own, r, u, info));
    laws->reached = info->aim_ratio;
    count(laws, info);
    return part < 1.0 && info->islands_short > 0 ? tell_aim(laws, tangent, r, info) : STIC_OK;
}

// x has settled: does r pass?
static SticStatus confirm(Laws* laws, const SticProblem* tangent, double* r, SticSolveInfo* info,
                          bool* solved)
{
    if (!*solved || laws->looked || info->outcome != STIC_OUTCOME_SOLVED)
        return STIC_OK;
    STIC_TRY(check(laws, tangent, r, info, solved));
    laws->failed = !*solved;
    laws->failures += laws->failed ? 1 : 0;
    return STIC_OK;
}

// The next reactions are as exact as the last change asks for. Returns whether the present ones did
// not reach what was asked of them, so that they must be solved again, less tightly.
static bool tighten(Laws* laws, const SticProblem* tangent, double change, SticSolveInfo* info)
{
    const double most = loosest(laws->request, tangent), least = laws->implicit->tolerance / most;
    if (!laws->tight || laws->locked || laws->request->tolerance == NULL || !(most > 0.0))
        return false;
    if (info->outcome != STIC_OUTCOME_SOLVED) {
        laws->locked = true;
        const bool again = laws->part < TIGHT;
        laws->part = TIGHT;
        return again;
    }
    const double asked = larger(TIGHT_CHANGE * change / most, least);
    laws->part = asked < laws->part ? asked : laws->part;
    return false;
}

/* ---- the loop ---- */

static SticStatus solve_nested(const SticImplicit* implicit, const SticSolveRequest* request,
                               double* x, double* r, SticSolveInfo* info)
{
    const int32_t n = implicit->unknowns;
    Nested nested = {.implicit = implicit, .part = 1.0, .renewed = INFINITY};
    Laws laws = {.implicit = implicit, .request = request, .part = TIGHT};
    begin_anew(&nested, 0);
    const SticArenaMark start = stic_arena_mark(implicit->arena);
    STIC_TRY(STIC_TAKE(implicit->arena, &nested.best, n));
    STIC_TRY(STIC_TAKE(implicit->arena, &nested.before, n));
    copy(n, x, nested.best);
    bool solved = false, goes_on = true;
    for (int32_t iteration = 1; !solved && goes_on; ++iteration) {
        const SticArenaMark mark = stic_arena_mark(implicit->arena);
        // the solves inside may be too small to ask
        if (iteration % 16 == 0)
            STIC_TRY(stic_context_ask(stic_arena_context(implicit->arena), &info->error));
        SticProblem tangent;
        SticImplicitChange change = {0};
        const SticStatus status = implicit->linearise(implicit->self, x, implicit->arena, &tangent);
        // an iterate that ran away to where there is no tangent
        if (status == STIC_SINGULAR && iteration > 1 && n > 0) {
            stic_arena_rewind(implicit->arena, mark);
            goes_on = halve(&nested, iteration, x);
            continue;
        }
        STIC_TRY(status);
        nested.loose = implicit->inner > 0.0 && request->tolerance != NULL;
        laws.keeps = nested.keeps || (nested.loose && !nested.tight);
        laws.tight = nested.tight && !nested.keeps;
        const bool renewed = laws.failed;
        if (renewed)
            begin_anew(&nested, iteration);
        STIC_TRY(solve_laws(&laws, iteration, &tangent, r, info));
        copy(n, x, nested.before);
        STIC_TRY(implicit->advance(implicit->self, r, x, &change));
        if (!isfinite(change.size) && n > 0) {
            stic_arena_rewind(implicit->arena, mark);
            info->newton = iteration;
            info->newton_change = INFINITY;
            goes_on = halve(&nested, iteration, x);
            continue;
        }
        double tolerance =
            inner_tolerance(implicit, request, &tangent, laws.tight ? laws.part : 1.0);
        // reactions that are solved anew differ in the digits that rounding leaves open
        if (laws.tight && info->at_floor && info->errors.floor_unit_free > tolerance)
            tolerance = info->errors.floor_unit_free;
        solved = implicit->once ||
                 (converged(implicit, &change, tolerance, tangent.rows > 0, &nested.settling) &&
                  !(laws.tight && goes_further(implicit, &change, nested.last)));
        nested.last = laws.change = change.size;
        solved = !tighten(&laws, &tangent, change.size, info) && solved;
        STIC_TRY(confirm(&laws, &tangent, r, info, &solved));
        nested.tight = nested.tight || (nested.loose && laws.failures >= MOST_FAILURES);
        stic_arena_rewind(implicit->arena, mark);
        info->newton = iteration;
        info->newton_change = change.size;
        info->newton_floor = change.floor;
        for (int32_t c = 0; !solved && nested.part < 1.0 && c < n; ++c)
            x[c] = nested.before[c] + nested.part * (x[c] - nested.before[c]);
        goes_on = solved || (follow(&nested, iteration, change.size, x) &&
                             (!renewed || renew(&nested, iteration, change.size, x)));
    }
    info->newton_part = nested.part;
    const SticSolveInfo* sum = &laws.sum;
    info->iterations = sum->iterations;
    info->factorisations = sum->factorisations;
    info->checks = sum->checks;
    info->fallbacks = sum->fallbacks;
    info->work = sum->work;
    info->seconds = sum->seconds;
    // the inclusion may be solved, but the equations are not
    if (!solved) {
        const double end =
            info->newton_floor > implicit->tolerance ? info->newton_floor : implicit->tolerance;
        info->outcome = nested.part < 1.0 ? STIC_OUTCOME_STALLED : STIC_OUTCOME_ITERATION_LIMIT;
        info->newton_ratio = info->newton_change / end;
    }
    stic_arena_rewind(implicit->arena, start);
    return STIC_OK;
}

SticStatus stic_implicit_solve(const SticImplicit* implicit, const SticSolveRequest* request,
                               double* x, double* r, SticSolveInfo* info)
{
    STIC_ASSERT(implicit != NULL);
    STIC_ASSERT(request != NULL);
    STIC_ASSERT(info != NULL);
    return request->settings.implicit == STIC_IMPLICIT_LITERAL
               ? solve_literal(implicit, request, x, r, info)
               : solve_nested(implicit, request, x, r, info);
}

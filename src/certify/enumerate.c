// SPDX-License-Identifier: Apache-2.0
// All solutions of a small problem: every combination of contact states.
//
//   for every branch   solve its equations, keep what obeys its inequalities and the residual of the
//                      whole problem, else have a refutation verified (branch.c, slide.c)
//   motions            solutions with the same u are one motion: the reactions of a motion are a
//                      convex set, of which the dimension and a point inside are computed
//   verdict            `none` if every branch is refuted by a verified inequality
// Kikuuwe and Brogliato 2017, section 6.3, for the count of the rod's solutions; Acary and Cadoux
// 2013, section 4.3.2, for problems without a solution though A' holds. Departures: contacts on the
// border of two states belong to both, so that solutions are compared by their motion. Branches with
// three or more contacts that slide in space (a block on its corners) are left undecided, but one of
// their solutions is found by a solver.
// Cost: 4^contacts branches in the plane, 3^contacts in space, a small dense factorisation each.
#include <math.h>
#include <string.h>

#include "certify/branch.h"

#include "stiction/extend/base.h"
#include "stiction/extend/law.h"
#include "stiction/extend/problem.h"
#include "stiction/solver.h"

static const SticField enumerate_fields[] = {
    STIC_FIELD_REAL(SticEnumerateSettings, tolerance, 1e-9, 0.0, 1e-2, "-",
                    "what counts as equal, relative to the terms that are summed"),
    STIC_FIELD_REAL(SticEnumerateSettings, reach, 1e6, 1.0, 1e12, "-",
                    "refutations hold for reactions up to this times their own size"),
    STIC_FIELD_COUNT(SticEnumerateSettings, most_branches, 1000000, 1, 1e9, "branches",
                     "combinations of states; larger problems are refused"),
    STIC_FIELD_COUNT(SticEnumerateSettings, directions, 720, 8, 1e6, "-",
                     "samples per turn where two contacts slide in space"),
};

const SticFieldTable stic_enumerate_fields = {
    .name = "enumerate",
    .fields = enumerate_fields,
    .count = sizeof enumerate_fields / sizeof enumerate_fields[0],
    .size = sizeof(SticEnumerateSettings),
};

SticEnumerateSettings stic_enumerate_default_settings(void)
{
    SticEnumerateSettings settings;
    stic_fields_default(&stic_enumerate_fields, &settings);
    return settings;
}

const char* stic_branch_state_name(SticBranchState state)
{
    static const char* const names[STIC_STATE_COUNT] = {"open",  "closed", "stick",
                                                        "slide", "back",   "joint"};
    return names[state];
}

enum { MOST_MOTIONS = 256 };

typedef struct Enumerator {
    SticMinor minor;
    const SticProblem* original;
    SticEnumeration* result;
    SticSolution* solution;   // [MOST_MOTIONS]
    double *all_r, *all_u;    // [MOST_MOTIONS * rows] their arrays
    uint8_t* all_state;       // [MOST_MOTIONS * count]
    double *r, *u, *x, *y;    // [rows] scratch
    int32_t motion_dimension; // of the branch at hand
} Enumerator;

/* ---- motions ---- */

// the solution with this motion, or -1
static int32_t find_motion(const Enumerator* all, const double* x, const double* y)
{
    const SticMinor* minor = &all->minor;
    // solutions are exact to rounding, branches on a border to the tolerance; what an interior
    // point found in a singular branch to some digits of max|b|
    const double equal = 10.0 * minor->settings->tolerance;
    const double least = minor->singular_too ? 1000.0 * minor->settings->tolerance : 0.0;
    for (int32_t m = 0; m < all->result->motions; ++m) {
        const SticSolution* other = &all->solution[m];
        bool same = true;
        for (int32_t k = 0; k < minor->rows && same; ++k)
            all->x[k] = other->r[k] / (minor->size * minor->scale[k]);
        for (int32_t k = 0; k < minor->rows && same; ++k) {
            const double a = stic_minor_row_size(minor, x, k);
            const double b = stic_minor_row_size(minor, all->x, k);
            const double mine = y[k], his = other->u[k] * minor->scale[k] / minor->size;
            same = fabs(mine - his) <= equal * (a > b ? a : b) + least;
        }
        if (same)
            return m;
    }
    return -1;
}

// r and u in the problem's units, with the shifts taken off again
static void unscale(const Enumerator* all, const double* x, double* r)
{
    const SticMinor* minor = &all->minor;
    const double* shift = all->original->r_shift;
    for (int32_t k = 0; k < minor->rows; ++k)
        r[k] = minor->size * minor->scale[k] * x[k] - (shift != NULL ? shift[k] : 0.0);
}

// keep a solution whose residual is that of rounding and whose motion is new
static SticStatus keep(void* self, const uint8_t* state, const double* x, const double* y)
{
    Enumerator* all = self;
    const SticMinor* minor = &all->minor;
    SticErrors errors;
    unscale(all, x, all->r);
    STIC_TRY(stic_errors_compute(minor->arena, all->original, all->r, all->u, &errors));
    const double floor = errors.floor_unit_free < 0.1 ? 10.0 * errors.floor_unit_free : 0.0;
    if (!(errors.unit_free <= 100.0 * minor->settings->tolerance + floor) ||
        find_motion(all, x, y) >= 0 || all->result->motions == MOST_MOTIONS)
        return STIC_OK;
    const int32_t m = all->result->motions++;
    double *r = all->all_r + m * minor->rows, *u = all->all_u + m * minor->rows;
    // x without shifts, until the end
    for (int32_t k = 0; k < minor->rows; ++k) {
        r[k] = minor->size * minor->scale[k] * x[k];
        u[k] = minor->size / minor->scale[k] * y[k];
    }
    memcpy(all->all_state + m * minor->count, state, (size_t)minor->count);
    all->solution[m] = (SticSolution){.r = r,
                                      .u = u,
                                      .state = all->all_state + m * minor->count,
                                      .motion_dimension = all->motion_dimension,
                                      .error = errors.unit_free};
    return STIC_OK;
}

// states as the motion itself says: what it leaves open to the reactions
static void states_of_motion(const Enumerator* all, const double* x, const double* y,
                             uint8_t* state)
{
    const SticMinor* minor = &all->minor;
    const SticProblem* problem = minor->problem;
    const double equal = 10.0 * minor->settings->tolerance;
    for (int32_t i = 0; i < minor->count; ++i) {
        const int32_t at = problem->row_at[i], rows = problem->row_at[i + 1] - at;
        const bool friction = stic_minor_mu(minor, i) > 0.0;
        bool sticks = true;
        for (int32_t k = at + 1; k < at + rows; ++k)
            sticks = sticks && fabs(y[k]) <= equal * stic_minor_row_size(minor, x, k);
        if (problem->law[i] == STIC_LAW_FREE)
            state[i] = STIC_STATE_JOINT;
        else if (y[at] > equal * stic_minor_row_size(minor, x, at))
            state[i] = STIC_STATE_OPEN;
        else if (!friction)
            state[i] = STIC_STATE_CLOSED;
        else if (sticks)
            state[i] = STIC_STATE_STICK;
        else
            state[i] = rows == 3 || y[at + 1] > 0.0 ? STIC_STATE_SLIDE : STIC_STATE_BACK;
    }
}

// dimension of the reactions of a motion, a point inside, and its residual again
static SticStatus finish_motion(Enumerator* all, int32_t m)
{
    SticMinor* minor = &all->minor;
    SticSolution* solution = &all->solution[m];
    double *r = all->all_r + m * minor->rows, *u = all->all_u + m * minor->rows;
    uint8_t* state = all->all_state + m * minor->count;
    SticErrors errors;
    for (int32_t k = 0; k < minor->rows; ++k) {
        all->x[k] = r[k] / (minor->size * minor->scale[k]);
        all->y[k] = u[k] * minor->scale[k] / minor->size;
    }
    states_of_motion(all, all->x, all->y, state);
    if (solution->motion_dimension == 0)
        STIC_TRY(stic_branch_forces(minor, state, all->y, all->x, &solution->force_dimension));
    unscale(all, all->x, r);
    STIC_TRY(stic_errors_compute(minor->arena, all->original, r, u, &errors));
    solution->error = errors.unit_free;
    return STIC_OK;
}

/* ---- branches ---- */

// states that interaction i can have; how many
static int32_t states_of(const SticMinor* minor, int32_t i, uint8_t state[4])
{
    const SticProblem* problem = minor->problem;
    state[0] = STIC_STATE_OPEN;
    if (problem->law[i] == STIC_LAW_FREE) {
        state[0] = STIC_STATE_JOINT;
        return 1;
    }
    state[1] = STIC_STATE_CLOSED;
    if (!(stic_minor_mu(minor, i) > 0.0))
        return 2;
    state[1] = STIC_STATE_STICK;
    state[2] = STIC_STATE_SLIDE;
    state[3] = STIC_STATE_BACK;
    return problem->row_at[i + 1] - problem->row_at[i] == 3 ? 3 : 4;
}

static SticStatus visit(Enumerator* all, const uint8_t* state, bool* later)
{
    SticMinor* minor = &all->minor;
    SticBranchEnd end = STIC_BRANCH_UNDECIDED;
    bool slips = false, refuted = false, sure = true;
    for (int32_t i = 0; i < minor->count; ++i)
        slips = slips || stic_minor_slips(minor, state, i);
    all->motion_dimension = 0;
    if (!slips) {
        STIC_TRY(stic_branch_solve(minor, state, &end, &all->motion_dimension));
        *later = end == STIC_BRANCH_LATER;
        all->result->refuted += end == STIC_BRANCH_REFUTED;
        all->result->undecided += end == STIC_BRANCH_UNDECIDED;
        return end == STIC_BRANCH_SOLVED ? keep(all, state, minor->x, minor->y) : STIC_OK;
    }
    STIC_TRY(stic_branch_relax(minor, state, &refuted));
    all->result->refuted += refuted;
    if (refuted)
        return STIC_OK;
    STIC_TRY(stic_branch_slide(minor, state, keep, all, &sure));
    all->result->undecided += !sure;
    return STIC_OK;
}

static void decode(const SticMinor* minor, int64_t branch, uint8_t* state)
{
    uint8_t choice[4];
    for (int32_t i = 0; i < minor->count; ++i) {
        const int32_t count = states_of(minor, i, choice);
        state[i] = choice[branch % count];
        branch /= count;
    }
}

// regular branches first: their solutions are exact, and those of singular ones are compared with
// them
static SticStatus visit_all(Enumerator* all)
{
    SticMinor* minor = &all->minor;
    uint8_t *state = NULL, *later = NULL;
    STIC_TRY(STIC_TAKE(minor->arena, &state, minor->count + 1));
    STIC_TRY(STIC_TAKE(minor->arena, &later, all->result->branches));
    memset(later, 1, (size_t)all->result->branches);
    for (int32_t pass = 0; pass < 2; ++pass) {
        minor->singular_too = pass == 1;
        for (int64_t branch = 0; branch < all->result->branches; ++branch) {
            bool again = false;
            if (!later[branch])
                continue;
            if (branch % 64 == 63)
                STIC_TRY(stic_context_ask(stic_arena_context(minor->arena), minor->error));
            decode(minor, branch, state);
            STIC_TRY(visit(all, state, &again));
            later[branch] = again;
        }
    }
    return STIC_OK;
}

/* ---- the whole ---- */

// branches are left: a solution among them is worth having, though others may exist. A solver finds
// it to rounding, so that its motion can be told from those that are there.
static SticStatus ask_solver(Enumerator* all)
{
    SticMinor* minor = &all->minor;
    const SticContext* context = stic_arena_context(minor->arena);
    SticSolveRequest request = {.solver = stic_solver_find("auto", NULL),
                                .settings = stic_solve_default_settings()};
    SticSolveInfo info = {0};
    uint8_t* state = NULL;
    STIC_TRY(STIC_TAKE(minor->arena, &state, minor->count + 1));
    STIC_TRY(stic_workspace_create(context, &request.workspace));
    request.settings.norm = STIC_NORM_UNIT_FREE;
    request.settings.tolerance = 1e-3 * minor->settings->tolerance;
    const SticStatus status = stic_solve(all->original, &request, all->r, all->u, &info);
    stic_workspace_destroy(request.workspace);
    // a solver that does not take the problem leaves the enumeration as it is
    if (status == STIC_OUT_OF_MEMORY || status == STIC_INTERRUPTED)
        return status;
    if (status != STIC_OK)
        return STIC_OK;
    const double* shift = all->original->r_shift;
    for (int32_t k = 0; k < minor->rows; ++k)
        minor->x[k] =
            (all->r[k] + (shift != NULL ? shift[k] : 0.0)) / (minor->size * minor->scale[k]);
    stic_minor_velocity(minor, minor->x, minor->y);
    states_of_motion(all, minor->x, minor->y, state);
    all->motion_dimension = 0;
    return keep(all, state, minor->x, minor->y);
}

static SticStatus check_size(const SticProblem* problem, const SticEnumerateSettings* settings,
                             SticEnumeration* result, SticError* error)
{
    const SticMinor minor = {.problem = problem};
    uint8_t choice[4];
    result->branches = 1;
    for (int32_t i = 0; i < problem->count; ++i) {
        const SticLaw law = (SticLaw)problem->law[i];
        if (law != STIC_LAW_FREE && law != STIC_LAW_NONNEG && law != STIC_LAW_CONE)
            return stic_error_set(
                error, STIC_UNSUPPORTED,
                "interaction %d has the law %s: only joints, contacts and Coulomb "
                "friction can be enumerated",
                (int)i, stic_law_name(law));
        result->branches *= states_of(&minor, i, choice);
        if (result->branches > settings->most_branches || problem->rows > STIC_BRANCH_ROWS)
            return stic_error_set(error, STIC_UNSUPPORTED,
                                  "%d contacts have too many combinations of states to enumerate "
                                  "(limits: %d combinations, %d rows)",
                                  (int)problem->count, (int)settings->most_branches,
                                  (int)STIC_BRANCH_ROWS);
    }
    return STIC_OK;
}

static SticStatus run(Enumerator* all)
{
    SticMinor* minor = &all->minor;
    const size_t room = MOST_MOTIONS * ((size_t)minor->rows + 1);
    STIC_TRY(STIC_TAKE(minor->arena, &all->solution, MOST_MOTIONS));
    STIC_TRY(STIC_TAKE(minor->arena, &all->all_r, room));
    STIC_TRY(STIC_TAKE(minor->arena, &all->all_u, room));
    STIC_TRY(STIC_TAKE(minor->arena, &all->all_state, room));
    STIC_TRY(STIC_TAKE(minor->arena, &all->r, minor->rows + 1));
    STIC_TRY(STIC_TAKE(minor->arena, &all->u, minor->rows + 1));
    STIC_TRY(STIC_TAKE(minor->arena, &all->x, minor->rows + 1));
    STIC_TRY(STIC_TAKE(minor->arena, &all->y, minor->rows + 1));
    STIC_TRY(visit_all(all));
    SticEnumeration* result = all->result;
    if (result->undecided > 0)
        STIC_TRY(ask_solver(all));
    for (int32_t m = 0; m < result->motions; ++m)
        STIC_TRY(finish_motion(all, m));
    result->solution = all->solution;
    result->complete = result->undecided == 0 && result->motions < MOST_MOTIONS;
    result->verdict =
        result->refuted == result->branches ? STIC_VERDICT_NONE : STIC_VERDICT_UNKNOWN;
    return STIC_OK;
}

SticStatus stic_solutions_enumerate(const SticProblem* problem,
                                    const SticEnumerateSettings* settings, SticArena* arena,
                                    SticEnumeration* result, SticError* error)
{
    STIC_GIVEN(problem, error);
    STIC_GIVEN(arena, error);
    STIC_GIVEN(result, error);
    const SticEnumerateSettings usual = stic_enumerate_default_settings();
    settings = settings == NULL ? &usual : settings;
    const double start = stic_timer_seconds();
    SticProblem folded, local;
    Enumerator all = {.original = problem, .result = result};
    *result = (SticEnumeration){.verdict = STIC_VERDICT_UNKNOWN};
    STIC_TRY(stic_problem_check(problem, error));
    STIC_TRY(stic_fields_check(&stic_enumerate_fields, settings, error));
    STIC_TRY(check_size(problem, settings, result, error));
    STIC_TRY(stic_problem_fold(arena, problem, &folded));
    STIC_TRY(stic_problem_condense(arena, &folded, &local, error));
    all.minor.settings = settings;
    all.minor.error = error;
    STIC_TRY(stic_minor_create(arena, &local, &all.minor));
    const SticStatus status = run(&all);
    result->seconds = stic_timer_seconds() - start;
    return status;
}

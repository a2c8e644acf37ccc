// SPDX-License-Identifier: Apache-2.0
// Which solution to take where a one-step problem has several (Painlevé; Kikuuwe and Brogliato
// 2017, section 5.3).
//
// All combinations of contact states are tried (certify.h). Of motions that solve the problem
//
//   least-energy   energy falls fastest: least power of the reactions, (H r) . u, then least
//                  v . M v / 2, the next term of the energy; on velocity level the latter alone
//   stick          most sticking contacts, then most closed ones, then least energy
//   nearest        least (v - v_last) . M (v - v_last), v_last by the last reactions
//
// All are reported as events, the one that was taken first. Cost: up to MOST_BRANCHES small dense
// systems per problem; larger problems are left to the solver, and the run gets a notice.
#include "step/branch.h"

#include <string.h>

#include "problem/mass.h"
#include "step/parts.h"
#include "stiction/extend/base.h"
#include "stiction/extend/certify.h"
#include "stiction/extend/sparse.h"

const char* const stic_branch_names[] = {"solver", "least-energy", "stick", "nearest", NULL};

// six contacts of the plane, four states each; seven in space
enum { MOST_BRANCHES = 4096 };

// what solutions are ranked by: the first difference that is more than rounding decides
typedef struct Rank {
    double key[3];
    double power; // of the reactions, W; on velocity level the kinetic energy behind them, J
    int32_t closed;
} Rank;

static bool before(const Rank* a, const Rank* b)
{
    for (int k = 0; k < 3; ++k) {
        const double size =
            (a->key[k] < 0.0 ? -a->key[k] : a->key[k]) + (b->key[k] < 0.0 ? -b->key[k] : b->key[k]);
        const double apart = a->key[k] - b->key[k];
        if (apart < -1e-9 * size)
            return true;
        if (apart > 1e-9 * size)
            return false;
    }
    return false;
}

static SticStatus rank_of(const SticStepper* stepper, const SticProblem* problem,
                          const SticSolution* solution, const double* last, Rank* rank)
{
    SticArena* arena = stepper->arena;
    const SticArenaMark mark = stic_arena_mark(arena);
    const double* velocity = stepper->branch.velocity;
    double *v = NULL, *other = NULL, *scratch = NULL, *push = NULL, sticking = 0.0, power = 0.0;
    STIC_TRY(STIC_TAKE(arena, &v, problem->dof));
    STIC_TRY(STIC_TAKE(arena, &other, problem->dof));
    STIC_TRY(STIC_TAKE(arena, &scratch, problem->dof));
    STIC_TRY(STIC_TAKE(arena, &push, problem->rows));
    rank->closed = 0;
    for (int32_t i = 0; i < problem->count; ++i) {
        sticking += solution->state[i] == STIC_STATE_STICK ? 1.0 : 0.0;
        rank->closed +=
            solution->state[i] != STIC_STATE_OPEN && solution->state[i] != STIC_STATE_JOINT ? 1 : 0;
    }
    stic_parts_velocity(problem->M, problem->Ht, problem->f, solution->r, v, scratch);
    const double kinetic = 0.5 * stic_mass_form(problem->M, v, v);
    if (velocity != NULL) {
        memset(push, 0, (size_t)problem->rows * sizeof *push);
        stic_block_csr_multiply(1.0, problem->Ht, velocity, 1.0, push);
        for (int32_t row = 0; row < problem->rows; ++row)
            power += push[row] * solution->r[row];
    }
    rank->power = velocity != NULL ? power : kinetic;
    rank->key[0] = rank->power;
    rank->key[1] = rank->key[2] = kinetic;
    if (stepper->branch.rule == STIC_BRANCH_STICK) {
        rank->key[0] = -sticking;
        rank->key[1] = -(double)rank->closed;
        rank->key[2] = rank->power;
    } else if (stepper->branch.rule == STIC_BRANCH_NEAREST) {
        stic_parts_velocity(problem->M, problem->Ht, problem->f, last, other, scratch);
        for (int32_t c = 0; c < problem->dof; ++c)
            other[c] = v[c] - other[c];
        rank->key[0] = stic_mass_form(problem->M, other, other);
    }
    stic_arena_rewind(arena, mark);
    return STIC_OK;
}

// events of all solutions, the one taken first
static SticStatus tell(SticStepper* stepper, const Rank* rank, int32_t count, int32_t best)
{
    for (int32_t k = 0; stepper->branch.tell && k < count; ++k) {
        const int32_t at = k == 0 ? best : k <= best ? k - 1 : k;
        const SticEvent event = {
            .t = stepper->branch.t,
            .kind = stepper->branch.velocity != NULL ? STIC_EVENT_BRANCH : STIC_EVENT_IMPACT_BRANCH,
            .points = rank[at].closed,
            .block = {-1, -1},
            .part = {-1, -1},
            .value = rank[at].power};
        STIC_TRY(stic_events_add(stepper->events, &event));
    }
    return STIC_OK;
}

static SticStatus take_best(SticStepper* stepper, const SticProblem* problem,
                            const SticEnumeration* all, double* r, double* u)
{
    Rank* rank = NULL;
    int32_t best = 0;
    STIC_TRY(STIC_TAKE(stepper->arena, &rank, all->motions));
    for (int32_t k = 0; k < all->motions; ++k) {
        STIC_TRY(rank_of(stepper, problem, &all->solution[k], r, &rank[k]));
        best = before(&rank[k], &rank[best]) ? k : best;
    }
    memcpy(r, all->solution[best].r, (size_t)problem->rows * sizeof *r);
    memcpy(u, all->solution[best].u, (size_t)problem->rows * sizeof *u);
    return tell(stepper, rank, all->motions, best);
}

SticStatus stic_choice_make(SticStepper* stepper, const SticProblem* problem, double* r, double* u,
                            SticStepInfo* info, bool* taken)
{
    SticArena* arena = stepper->arena;
    const SticArenaMark mark = stic_arena_mark(arena);
    SticEnumerateSettings settings = stic_enumerate_default_settings();
    SticEnumeration all;
    SticError error = {0};
    *taken = false;
    stepper->branch.found = 0;
    settings.most_branches = MOST_BRANCHES;
    if (problem->count == 0)
        return STIC_OK;
    const SticStatus status = stic_solutions_enumerate(problem, &settings, arena, &all, &error);
    if (status == STIC_OUT_OF_MEMORY)
        return status;
    if (status != STIC_OK)
        info->unsearched = MOST_BRANCHES;
    *taken = status == STIC_OK && all.motions > 1;
    stepper->branch.found = *taken ? all.motions : 0;
    if (*taken) {
        STIC_TRY(take_best(stepper, problem, &all, r, u));
        stic_solve_info_clear(&info->solve);
        info->solve.outcome = STIC_OUTCOME_SOLVED;
        STIC_TRY(stic_errors_compute(arena, problem, r, u, &info->solve.errors));
    }
    stic_arena_rewind(arena, mark);
    return STIC_OK;
}

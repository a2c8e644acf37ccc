// SPDX-License-Identifier: Apache-2.0
// Projection of velocities on the bilateral conditions of a state, and their rank.
//
//   M v = M u + H r,  H' v + chi = 0          Koziara (8.2.5)-(8.2.6), with b = M u(0)
//
// Only interactions with the law FREE take part. The rank is that of W = H' M^-1 H scaled to a unit
// diagonal: a Cholesky factorisation in the order of the rows, in which a pivot that vanishes shows
// a row that depends on earlier ones. Cost: rows times a product with H and M^-1 for W, rows^3 / 3
// for the factor.
#include "step/parts.h"

#include "stiction/extend/base.h"
#include "stiction/extend/sparse.h"

#include <math.h>
#include <string.h>

// sine squared of the angle between a row and the span of those before it, below which it counts as
// dependent: well above the rounding of W for bodies with mass ratios up to 1e4
static const double DEPENDENT = 1e-10;

static SticStatus select_bilateral(SticStepper* stepper, const SticSystem* system,
                                   const SticState* state, SticDirections* directions)
{
    SticSet all, part;
    SticArena* arena = stepper->arena;
    memset(directions, 0, sizeof *directions);
    const SticReach touching = {.gap = 0.0};
    STIC_TRY(system->ops->detect(system, state, &touching, arena, &all));
    const uint32_t levels = 1u << STIC_LEVEL_POSITION | 1u << STIC_LEVEL_RATE;
    STIC_TRY(stic_parts_select(arena, &all, levels, &part));
    // laws that are not bilateral are left out too; nothing refers to them
    SticInteraction* kept = NULL;
    int32_t *row_at = NULL, count = 0, rows = 0;
    double(*local)[12] = NULL;
    STIC_TRY(STIC_TAKE(arena, &kept, part.count));
    STIC_TRY(STIC_TAKE(arena, &row_at, part.count + 1));
    STIC_TRY(STIC_TAKE(arena, &local, part.count));
    for (int32_t i = 0; i < part.count; ++i) {
        if (part.interaction[i].law != STIC_LAW_FREE)
            continue;
        kept[count] = part.interaction[i];
        kept[count].bound_of = -1;
        if (part.local != NULL)
            memcpy(local[count], part.local[i], sizeof local[count]);
        row_at[count++] = rows;
        rows += part.interaction[i].rows;
    }
    row_at[count] = rows;
    directions->set = (SticSet){.count = count,
                                .rows = rows,
                                .interaction = kept,
                                .row_at = row_at,
                                .local = part.local == NULL ? NULL : (const double(*)[12])local};
    return stic_directions_prepare(stepper, system, directions);
}

// W, dense, scaled to a unit diagonal
static SticStatus scaled_delassus(SticStepper* stepper, const SticDirections* directions,
                                  const SticMass* mass, double* W)
{
    const int32_t n = directions->set.rows, dof = mass->A->row_at[mass->A->rows];
    double *unit = NULL, *zero = NULL, *v = NULL, *scratch = NULL;
    STIC_TRY(STIC_TAKE(stepper->arena, &unit, n));
    STIC_TRY(STIC_TAKE(stepper->arena, &zero, dof));
    STIC_TRY(STIC_TAKE(stepper->arena, &v, dof));
    STIC_TRY(STIC_TAKE(stepper->arena, &scratch, dof));
    memset(unit, 0, (size_t)n * sizeof *unit);
    memset(zero, 0, (size_t)dof * sizeof *zero);
    for (int32_t j = 0; j < n; ++j) {
        unit[j] = 1.0;
        stic_parts_velocity(mass, &directions->Ht, zero, unit, v, scratch);
        stic_block_csr_multiply(1.0, &directions->Ht, v, 0.0, W + (size_t)j * (size_t)n);
        unit[j] = 0.0;
    }
    for (int32_t i = 0; i < n; ++i)
        unit[i] = sqrt(W[(size_t)i * (size_t)n + (size_t)i]);
    for (int32_t i = 0; i < n; ++i)
        for (int32_t j = 0; j < n; ++j) {
            const double size = unit[i] * unit[j];
            W[(size_t)i * (size_t)n + (size_t)j] /= size > 0.0 ? size : 1.0;
        }
    return STIC_OK;
}

// rows that do not depend on earlier ones; first: the first that does, -1 if there is none
static int32_t rank_of(int32_t n, double* W, int32_t* first)
{
    int32_t rank = 0;
    *first = -1;
    for (int32_t j = 0; j < n; ++j) {
        double* row = W + (size_t)j * (size_t)n;
        const double pivot = row[j];
        if (!(pivot > DEPENDENT)) {
            *first = *first < 0 ? j : *first;
            continue;
        }
        rank += 1;
        for (int32_t i = j + 1; i < n; ++i) {
            double* below = W + (size_t)i * (size_t)n;
            const double factor = below[j] / pivot;
            for (int32_t c = j; c < n && factor != 0.0; ++c)
                below[c] -= factor * row[c];
        }
    }
    return rank;
}

static SticStatus find_rank(SticStepper* stepper, const SticDirections* directions,
                            const SticMass* mass, SticProjection* report)
{
    const SticSet* set = &directions->set;
    report->rank = -1;
    if (set->rows > STIC_PROJECTION_ROWS)
        return STIC_OK;
    double* W = NULL;
    int32_t first = -1;
    STIC_TRY(STIC_TAKE(stepper->arena, &W, (size_t)set->rows * (size_t)set->rows));
    STIC_TRY(scaled_delassus(stepper, directions, mass, W));
    report->rank = rank_of(set->rows, W, &first);
    for (int32_t i = 0; first >= 0 && i < set->count; ++i)
        if (first >= set->row_at[i] && first < set->row_at[i + 1])
            report->redundant = set->interaction[i].id;
    return STIC_OK;
}

// Scalable blocks stand for rigid bodies, and |A| = 1 is a condition of schemes, not one of the
// set: a joint that pulls does not make them grow
static void hold_scales(const SticSystem* system, SticDirections* directions)
{
    const SticLayout* layout = &system->layout;
    enum { SCALE = 3 };
    for (int32_t e = 0; e < 2 * directions->set.count; ++e) {
        const SticInteraction* interaction = &directions->set.interaction[e / 2];
        const int64_t at = directions->u_pattern.at[e / 2][e % 2];
        if (at < 0 || layout->chart[interaction->block[e % 2]] != STIC_CHART_SCALABLE)
            continue;
        for (int32_t row = 0; row < interaction->rows; ++row)
            directions->measures.H[at + row * 7 + SCALE] = 0.0;
    }
}

static double largest(int32_t n, const double* values)
{
    double most = 0.0;
    for (int32_t i = 0; i < n; ++i)
        most = fabs(values[i]) > most ? fabs(values[i]) : most;
    return most;
}

static SticStatus project(SticStepper* stepper, const SticSystem* system, SticState* state,
                          SticProjection* report, SticStepInfo* info)
{
    SticDirections directions;
    SticMass mass;
    SticArena* arena = stepper->arena;
    const int32_t nu = system->layout.nu;
    STIC_TRY(select_bilateral(stepper, system, state, &directions));
    const int32_t rows = report->rows = directions.set.rows;
    if (rows == 0)
        return STIC_OK;
    STIC_TRY(system->ops->mass(system, state, arena, &mass));
    STIC_TRY(stic_directions_measure(
        stepper, system, state, STIC_WANT_GAP | STIC_WANT_CHI | STIC_WANT_H, NULL, &directions));
    hold_scales(system, &directions);
    double *relative = NULL, *momentum = NULL, *r = NULL, *v = NULL, *shift = NULL;
    STIC_TRY(STIC_TAKE(arena, &relative, rows));
    STIC_TRY(STIC_TAKE(arena, &r, rows));
    STIC_TRY(STIC_TAKE(arena, &momentum, nu));
    STIC_TRY(STIC_TAKE(arena, &v, nu));
    report->gap = largest(rows, directions.measures.gap);
    stic_directions_velocity(&directions, state->u, relative);
    report->rate_before = largest(rows, relative);
    STIC_TRY(find_rank(stepper, &directions, &mass, report));

    SticProblem laws;
    STIC_TRY(stic_parts_problem(stepper, &directions, 1.0, &laws, &shift));
    stic_block_csr_multiply(1.0, mass.A, state->u, 0.0, momentum);
    const SticMemory nothing = {.count = 0};
    const SticStage stage = {&directions, &mass, momentum, &laws, &nothing, NULL};
    STIC_TRY(stic_parts_stage(stepper, &stage, r, v, info));
    stic_directions_velocity(&directions, v, relative);
    report->rate_after = largest(rows, relative);
    for (int32_t c = 0; c < nu; ++c)
        if (!isfinite(v[c]))
            return STIC_NOT_FINITE;
    memcpy(state->u, v, (size_t)nu * sizeof *v);
    return STIC_OK;
}

SticStatus stic_step_project(SticStepper* stepper, const SticSystem* system, SticState* state,
                             SticProjection* report, SticError* error)
{
    STIC_ASSERT(stepper != NULL);
    STIC_ASSERT(system != NULL);
    STIC_ASSERT(state != NULL);
    STIC_ASSERT(report != NULL);
    SticStepInfo info;
    memset(&info, 0, sizeof info);
    memset(report, 0, sizeof *report);
    SticStatus status = stic_arena_reset(stepper->arena);
    if (status == STIC_OK)
        status = project(stepper, system, state, report, &info);
    report->solve = info.solve;
    if (status == STIC_OK)
        return STIC_OK;
    if (info.error.status != STIC_OK)
        return stic_error_set(error, status, "%s", info.error.text);
    return stic_error_set(
        error, status, "velocities cannot be brought onto the joints of system '%s'", system->name);
}

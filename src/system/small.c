// SPDX-License-Identifier: Apache-2.0
// Small systems written by hand: a list of interactions and plain callbacks behind the system
// interface.
//
// Everything that can be prepared once is (layout, constant mass and its inverse); a step costs the
// callbacks and one copy of their dense results into the block pattern.
#include "stiction/extend/system.h"

#include <math.h>
#include <string.h>

#include "math/math.h"
#include "stiction/extend/base.h"
#include "stiction/extend/law.h"

typedef struct Small {
    SticSystem system; // first: the public handle
    SticSystemOps ops; // without gyro where there is none
    SticContext context;
    SticSmallDef def;
    SticMass mass; // constant mass
    SticBlockCsr mass_csr, inverse_csr;
    int32_t *q_at, *u_at, *begin, *col;
    int64_t* value_at;
    double *mass_value, *inverse_value;
    double* diagonal; // of a constant mass that is diagonal, then its inverses; else NULL
    // copies of the definition's arrays
    uint8_t* chart;
    SticInteraction* interaction;
    int32_t (*term_block)[2];
    unsigned char* self;
    // doubles in the gradients and Hessians of all terms
    int32_t gradients, hessians;
} Small;

static const Small* small_of(const SticSystem* system)
{
    return system->self;
}

// inverse of each block; a mass that is not positive definite is refused
static SticStatus invert_blocks(const SticBlockCsr* A, double* inverse)
{
    for (int32_t i = 0; i < A->rows; ++i) {
        const int32_t n = A->row_at[i + 1] - A->row_at[i];
        const int64_t at = A->value_at[i];
        STIC_TRY(stic_dense_spd_inverse(n, A->value + at, inverse + at));
    }
    return STIC_OK;
}

static SticStatus small_mass(const SticSystem* system, const SticState* state, SticArena* arena,
                             SticMass* mass)
{
    const Small* small = small_of(system);
    if (small->def.mass_at == NULL) {
        *mass = small->mass;
        return STIC_OK;
    }
    // M(q): fresh values on the same pattern
    double *value = NULL, *inverse = NULL;
    SticBlockCsr *A = NULL, *A_inverse = NULL;
    const int64_t values = small->value_at[system->layout.blocks];
    STIC_TRY(STIC_TAKE(arena, &value, values));
    STIC_TRY(STIC_TAKE(arena, &inverse, values));
    STIC_TRY(STIC_TAKE(arena, &A, 1));
    STIC_TRY(STIC_TAKE(arena, &A_inverse, 1));
    small->def.mass_at(small->def.self, state->q, value);
    *A = *A_inverse = small->mass_csr;
    A->value = value;
    A_inverse->value = inverse;
    STIC_TRY(invert_blocks(A, inverse));
    *mass = (SticMass){.kind = STIC_MASS_BLOCKS, .A = A, .inverse = A_inverse};
    return STIC_OK;
}

static SticStatus small_force(const SticSystem* system, const SticState* state, double* f)
{
    const Small* small = small_of(system);
    memset(f, 0, (size_t)system->layout.nu * sizeof *f);
    if (small->def.force != NULL)
        small->def.force(small->def.self, state->t, state->q, state->u, f);
    return STIC_OK;
}

static SticStatus small_gyro(const SticSystem* system, const SticState* state, double* f)
{
    const Small* small = small_of(system);
    memset(f, 0, (size_t)system->layout.nu * sizeof *f);
    if (small->def.gyro != NULL)
        small->def.gyro(small->def.self, state->q, state->u, f);
    return STIC_OK;
}

static SticStatus small_inertia(const SticSystem* system, const SticState* state, double* slope,
                                double* G)
{
    const Small* small = small_of(system);
    memset(slope, 0, (size_t)system->layout.nq * sizeof *slope);
    if (G != NULL)
        memset(G, 0, (size_t)small->value_at[system->layout.blocks] * sizeof *G);
    small->def.inertia(small->def.self, state->q, state->u, slope, G);
    return STIC_OK;
}

static int32_t term_size(const Small* small, int32_t k)
{
    int32_t size = 0;
    for (int side = 0; side < 2; ++side) {
        const int32_t block = small->def.term_block[k][side];
        size += block < 0 ? 0 : small->q_at[block + 1] - small->q_at[block];
    }
    return size;
}

static SticStatus small_potential(const SticSystem* system, const SticState* state, int order,
                                  SticArena* arena, SticTerms* terms)
{
    const Small* small = small_of(system);
    *terms = (SticTerms){.count = small->def.terms, .block = small->def.term_block};
    STIC_TRY(STIC_TAKE(arena, &terms->value, terms->count));
    if (order >= 1)
        STIC_TRY(STIC_TAKE(arena, &terms->gradient, small->gradients));
    if (order >= 2)
        STIC_TRY(STIC_TAKE(arena, &terms->hessian, small->hessians));
    double *gradient = terms->gradient, *hessian = terms->hessian;
    for (int32_t k = 0; k < terms->count; ++k) {
        terms->value[k] = small->def.potential(small->def.self, k, state->q, gradient, hessian);
        if (order == 0)
            continue;
        const int32_t size = term_size(small, k);
        gradient += size;
        hessian = hessian == NULL ? NULL : hessian + size * size;
    }
    return STIC_OK;
}

// contacts within reach, everything that is always on, and friction whose contact is in
static SticStatus choose(const Small* small, const SticState* state, double reach, int32_t* chosen,
                         int32_t* chosen_count)
{
    const SticInteraction* interaction = small->def.interaction;
    const int32_t all = small->def.interactions;
    int32_t count = 0;
    for (int32_t i = 0; i < all; ++i) {
        chosen[i] = 1;
        if (interaction[i].level != STIC_LEVEL_CONTACT)
            continue;
        SticPointMeasures point;
        point.gap[0] = 0.0;
        small->def.measure(small->def.self, i, state, STIC_WANT_GAP, NULL, &point);
        // neither open nor closed: any comparison would make it an open one
        if (isnan(point.gap[0]))
            return STIC_NOT_FINITE;
        chosen[i] = point.gap[0] <= reach ? 1 : 0;
    }
    for (int32_t i = 0; i < all; ++i) {
        if (interaction[i].level == STIC_LEVEL_RATE && interaction[i].bound_of >= 0)
            chosen[i] = chosen[interaction[i].bound_of];
        count += chosen[i];
    }
    *chosen_count = count;
    return STIC_OK;
}

static SticStatus small_detect(const SticSystem* system, const SticState* state,
                               const SticReach* reach, SticArena* arena, SticSet* set)
{
    const Small* small = small_of(system);
    int32_t *place = NULL, *row_at = NULL;
    SticInteraction* interaction = NULL;
    STIC_TRY(STIC_TAKE(arena, &place, small->def.interactions));
    int32_t count = 0;
    STIC_TRY(choose(small, state, reach->time > 0.0 ? INFINITY : reach->gap, place, &count));
    STIC_TRY(STIC_TAKE(arena, &interaction, count));
    STIC_TRY(STIC_TAKE(arena, &row_at, count + 1));

    // copy the chosen ones; references to other interactions follow them
    int32_t next = 0, rows = 0;
    for (int32_t i = 0; i < small->def.interactions; ++i) {
        if (place[i] == 0)
            continue;
        place[i] = next;
        interaction[next] = small->def.interaction[i];
        interaction[next].kernel = (uint8_t)i;
        row_at[next++] = rows;
        rows += small->def.interaction[i].rows;
    }
    row_at[next] = rows;
    for (int32_t i = 0; i < count; ++i)
        if (interaction[i].bound_of >= 0)
            interaction[i].bound_of = place[interaction[i].bound_of];
    *set = (SticSet){.count = count, .rows = rows, .interaction = interaction, .row_at = row_at};
    return STIC_OK;
}

// the two blocks of one interaction in a pattern: how many values they have, and where they begin
typedef struct Sides {
    int32_t values[2]; // 0: no such block
    int64_t at[2];
} Sides;

static Sides sides_of(const SticPattern* pattern, const SticInteraction* interaction, int32_t i)
{
    Sides sides;
    for (int side = 0; side < 2; ++side) {
        const int32_t* col_at = pattern->csr.col_at + interaction->block[side];
        sides.at[side] = pattern->at[i][side];
        sides.values[side] = sides.at[side] < 0 ? 0 : interaction->rows * (col_at[1] - col_at[0]);
    }
    return sides;
}

static void clear_blocks(const Sides* sides, double block[2][6 * 12])
{
    for (int side = 0; side < 2; ++side)
        if (sides->values[side] > 0)
            memset(block[side], 0, (size_t)sides->values[side] * sizeof(double));
}

static void copy_blocks(const Sides* sides, double from[2][6 * 12], double* to)
{
    for (int side = 0; side < 2; ++side)
        if (sides->values[side] > 0)
            memcpy(to + sides->at[side], from[side], (size_t)sides->values[side] * sizeof(double));
}

// one to six numbers: calling memcpy would cost more
static inline void copy_rows(int32_t rows, const double* from, double* to)
{
    for (int32_t row = 0; row < rows; ++row)
        to[row] = from[row];
}

static bool has_nan(const double* values, int32_t count)
{
    bool found = false;
    for (int32_t k = 0; k < count; ++k)
        found = found || isnan(values[k]);
    return found;
}

// Whether the callback gave up, which it can say by its numbers alone: by a gap, asked for or not,
// or by rows that were asked for.
static bool is_broken(const SticPointMeasures* point, uint32_t want, int32_t rows)
{
    return isnan(point->gap[0]) || ((want & STIC_WANT_GAP) && has_nan(point->gap, rows)) ||
           ((want & STIC_WANT_CHI) && has_nan(point->chi, rows)) ||
           ((want & STIC_WANT_BIAS) && has_nan(point->bias, rows));
}

// what the callback is asked for, dense, then copied into the pattern; only that much is cleared,
// since the matrices of a point are large
static SticStatus measure_one(const Small* small, const SticSet* set, int32_t i,
                              const SticState* state, SticMeasures* measures)
{
    const SticInteraction* interaction = &set->interaction[i];
    const uint32_t want = measures->want;
    const int32_t at = set->row_at[i], rows = interaction->rows;
    SticPointMeasures point;
    Sides u_sides, q_sides;
    memset(&point, 0, offsetof(SticPointMeasures, H));
    if (want & STIC_WANT_H) {
        u_sides = sides_of(measures->u_pattern, interaction, i);
        clear_blocks(&u_sides, point.H);
    }
    if (want & (STIC_WANT_G | STIC_WANT_C)) {
        q_sides = sides_of(measures->q_pattern, interaction, i);
        clear_blocks(&q_sides, point.G);
        clear_blocks(&q_sides, point.C);
    }
    small->def.measure(small->def.self, interaction->kernel, state, want, measures->y, &point);
    if (is_broken(&point, want, rows))
        return STIC_NOT_FINITE;
    if (want & STIC_WANT_GAP)
        copy_rows(rows, point.gap, measures->gap + at);
    if (want & STIC_WANT_CHI)
        copy_rows(rows, point.chi, measures->chi + at);
    if (want & STIC_WANT_BIAS)
        copy_rows(rows, point.bias, measures->bias + at);
    if (want & STIC_WANT_H)
        copy_blocks(&u_sides, point.H, measures->H);
    if (want & STIC_WANT_G)
        copy_blocks(&q_sides, point.G, measures->G);
    if (want & STIC_WANT_C)
        copy_blocks(&q_sides, point.C, measures->C);
    return STIC_OK;
}

static SticStatus small_measure(const SticSystem* system, const SticSet* set,
                                const SticState* state, SticMeasures* measures)
{
    // only chi is asked for ahead of time
    SticState at = *state;
    at.t += measures->lead;
    for (int32_t i = 0; i < set->count; ++i)
        STIC_TRY(measure_one(small_of(system), set, i, &at, measures));
    return STIC_OK;
}

static const SticSystemOps small_ops = {
    .mass = small_mass,
    .force = small_force,
    .gyro = NULL,
    .potential = small_potential,
    .tangent = NULL,
    .detect = small_detect,
    .measure = small_measure,
};

// -1 stands for what does not move
static bool are_blocks(const SticSmallDef* def, const int32_t block[2])
{
    return block[0] >= -1 && block[0] < def->blocks && block[1] >= -1 && block[1] < def->blocks;
}

// sizes that SticPointMeasures has room for, and blocks and bounds that exist
static SticStatus check_indices(const SticSmallDef* def, SticError* error)
{
    enum { MOST_SIZE = 12 };
    for (int32_t i = 0; i < def->blocks; ++i)
        if ((def->chart[i] == STIC_CHART_LINEAR || def->chart[i] == STIC_CHART_GENERAL) &&
            (def->size[i] < 1 || def->size[i] > MOST_SIZE))
            return stic_error_set(error, STIC_BAD_ARGUMENT,
                                  "system '%s', block %d: %d coordinates; blocks have 1 to %d",
                                  def->name, i, def->size[i], MOST_SIZE);
    for (int32_t k = 0; k < def->terms; ++k)
        if (!are_blocks(def, def->term_block[k]))
            return stic_error_set(error, STIC_BAD_ARGUMENT,
                                  "system '%s', term %d: there is no block %d or %d", def->name, k,
                                  def->term_block[k][0], def->term_block[k][1]);
    for (int32_t i = 0; i < def->interactions; ++i) {
        const SticInteraction* one = &def->interaction[i];
        if (!are_blocks(def, one->block))
            return stic_error_set(error, STIC_BAD_ARGUMENT,
                                  "system '%s', interaction %d: there is no block %d or %d",
                                  def->name, i, one->block[0], one->block[1]);
        if (one->bound_of < -1 || one->bound_of >= def->interactions)
            return stic_error_set(error, STIC_BAD_ARGUMENT,
                                  "system '%s', interaction %d: its bound is that of interaction "
                                  "%d, which does not exist",
                                  def->name, i, one->bound_of);
    }
    return STIC_OK;
}

static SticStatus check_def(const SticSmallDef* def, SticError* error)
{
    if (def->interactions > 255)
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "system '%s' has %d interactions; a small system takes 255",
                              def->name, def->interactions);
    for (int32_t i = 0; i < def->interactions; ++i) {
        const SticInteraction* interaction = &def->interaction[i];
        const bool ordered = i == 0 || def->interaction[i - 1].id < interaction->id;
        if (!ordered || !stic_law_takes_rows((SticLaw)interaction->law, interaction->rows))
            return stic_error_set(
                error, STIC_BAD_ARGUMENT,
                "system '%s', interaction %d: ids must ascend and law %s must take "
                "%d rows",
                def->name, i, stic_law_name((SticLaw)interaction->law), interaction->rows);
    }
    return check_indices(def, error);
}

static SticStatus copy_bytes(const SticContext* context, const void* from, size_t bytes, void** to)
{
    STIC_TRY(stic_allocate(context, bytes, to));
    if (bytes > 0)
        memcpy(*to, from, bytes);
    return STIC_OK;
}

static SticStatus copy_def(Small* small)
{
    SticSmallDef* def = &small->def;
    const SticContext* context = &small->context;
    const size_t blocks = (size_t)def->blocks, interactions = (size_t)def->interactions;
    STIC_TRY(copy_bytes(context, def->chart, blocks, (void**)&small->chart));
    STIC_TRY(copy_bytes(context, def->interaction, interactions * sizeof(SticInteraction),
                        (void**)&small->interaction));
    STIC_TRY(copy_bytes(context, def->term_block, (size_t)def->terms * sizeof *def->term_block,
                        (void**)&small->term_block));
    STIC_TRY(copy_bytes(context, def->self, def->self_size, (void**)&small->self));
    def->chart = small->chart;
    def->interaction = small->interaction;
    def->term_block = (const int32_t(*)[2])small->term_block;
    def->self = small->self;
    return STIC_OK;
}

static SticStatus build_layout(Small* small)
{
    const SticContext* context = &small->context;
    const SticSmallDef* def = &small->def;
    STIC_TRY(STIC_ALLOCATE(context, &small->q_at, def->blocks + 1));
    STIC_TRY(STIC_ALLOCATE(context, &small->u_at, def->blocks + 1));
    STIC_TRY(STIC_ALLOCATE(context, &small->begin, def->blocks + 1));
    STIC_TRY(STIC_ALLOCATE(context, &small->col, def->blocks));
    STIC_TRY(STIC_ALLOCATE(context, &small->value_at, def->blocks + 1));
    for (int32_t i = 0; i < def->blocks; ++i) {
        const SticChart chart = (SticChart)def->chart[i];
        const int32_t n = stic_chart_u_size(chart, def->size == NULL ? 0 : def->size[i]);
        small->u_at[i + 1] = small->u_at[i] + n;
        small->q_at[i + 1] = small->q_at[i] + stic_chart_q_size(chart, n);
        small->value_at[i + 1] = small->value_at[i] + n * n;
        small->begin[i + 1] = i + 1;
        small->col[i] = i;
    }
    for (int32_t k = 0; k < def->terms; ++k) {
        const int32_t size = term_size(small, k);
        small->gradients += size;
        small->hessians += size * size;
    }
    small->system.layout = (SticLayout){.blocks = def->blocks,
                                        .nq = small->q_at[def->blocks],
                                        .nu = small->u_at[def->blocks],
                                        .chart = small->chart,
                                        .q_at = small->q_at,
                                        .u_at = small->u_at};
    small->mass_csr = (SticBlockCsr){.rows = def->blocks,
                                     .cols = def->blocks,
                                     .row_at = small->u_at,
                                     .col_at = small->u_at,
                                     .begin = small->begin,
                                     .col = small->col,
                                     .value_at = small->value_at};
    return STIC_OK;
}

static bool is_diagonal(const SticBlockCsr* A)
{
    for (int32_t i = 0; i < A->rows; ++i) {
        const int32_t n = A->row_at[i + 1] - A->row_at[i];
        for (int32_t k = 0; k < n * n; ++k)
            if (k % (n + 1) != 0 && A->value[A->value_at[i] + k] != 0.0)
                return false;
    }
    return true;
}

static void copy_diagonal(const SticBlockCsr* A, double* diagonal)
{
    for (int32_t i = 0; i < A->rows; ++i) {
        const int32_t n = A->row_at[i + 1] - A->row_at[i];
        for (int32_t k = 0; k < n; ++k)
            diagonal[A->row_at[i] + k] = A->value[A->value_at[i] + k * (n + 1)];
    }
}

static SticStatus build_mass(Small* small)
{
    const SticContext* context = &small->context;
    const int64_t values = small->value_at[small->def.blocks];
    STIC_TRY(STIC_ALLOCATE(context, &small->mass_value, values));
    STIC_TRY(STIC_ALLOCATE(context, &small->inverse_value, values));
    if (small->def.mass == NULL)
        return STIC_OK;
    memcpy(small->mass_value, small->def.mass, (size_t)values * sizeof(double));
    small->mass_csr.value = small->mass_value;
    small->inverse_csr = small->mass_csr;
    small->inverse_csr.value = small->inverse_value;
    small->mass =
        (SticMass){.kind = STIC_MASS_BLOCKS, .A = &small->mass_csr, .inverse = &small->inverse_csr};
    STIC_TRY(invert_blocks(&small->mass_csr, small->inverse_value));
    if (!is_diagonal(&small->mass_csr))
        return STIC_OK;
    const int32_t nu = small->u_at[small->def.blocks];
    STIC_TRY(STIC_ALLOCATE(context, &small->diagonal, 2 * nu));
    copy_diagonal(&small->mass_csr, small->diagonal);
    copy_diagonal(&small->inverse_csr, small->diagonal + nu);
    small->mass.diagonal = small->diagonal;
    small->mass.inverse_diagonal = small->diagonal + nu;
    return STIC_OK;
}

SticStatus stic_small_create(const SticContext* context, const SticSmallDef* def,
                             SticSystem** system, SticError* error)
{
    context = stic_context_given(context);
    STIC_ASSERT(def != NULL);
    STIC_ASSERT(system != NULL);
    *system = NULL;
    STIC_TRY(check_def(def, error));
    Small* small = NULL;
    STIC_TRY(STIC_ALLOCATE(context, &small, 1));
    small->context = *context;
    small->def = *def;
    small->system.name = def->name;
    small->system.offers = def->offers;
    for (int32_t i = 0; i < def->interactions; ++i)
        small->system.laws |= STIC_LAW_BIT(def->interaction[i].law);
    small->ops = small_ops;
    small->ops.gyro = def->gyro != NULL ? small_gyro : NULL;
    small->ops.inertia = def->inertia != NULL ? small_inertia : NULL;
    if (def->inertia != NULL)
        small->system.offers |= STIC_OFFERS_INERTIA;
    small->system.ops = &small->ops;
    small->system.self = small;
    SticStatus status = copy_def(small);
    if (status == STIC_OK)
        status = build_layout(small);
    if (status == STIC_OK)
        status = build_mass(small);
    if (status != STIC_OK) {
        stic_small_destroy(&small->system);
        return stic_error_set(error, status, "system '%s': %s", def->name,
                              stic_status_text(status));
    }
    *system = &small->system;
    return STIC_OK;
}

void stic_small_destroy(SticSystem* system)
{
    if (system == NULL)
        return;
    Small* small = (Small*)system;
    const SticContext context = small->context;
    const int32_t blocks = small->def.blocks;
    const int64_t values = small->value_at == NULL ? 0 : small->value_at[blocks];
    STIC_RELEASE(&context, small->mass_value, values);
    STIC_RELEASE(&context, small->inverse_value, values);
    if (small->diagonal != NULL)
        STIC_RELEASE(&context, small->diagonal, 2 * small->u_at[blocks]);
    STIC_RELEASE(&context, small->value_at, blocks + 1);
    STIC_RELEASE(&context, small->col, blocks);
    STIC_RELEASE(&context, small->begin, blocks + 1);
    STIC_RELEASE(&context, small->u_at, blocks + 1);
    STIC_RELEASE(&context, small->q_at, blocks + 1);
    STIC_RELEASE(&context, small->chart, blocks);
    STIC_RELEASE(&context, small->interaction, small->def.interactions);
    STIC_RELEASE(&context, small->term_block, small->def.terms);
    stic_release(&context, small->self, small->def.self_size);
    STIC_RELEASE(&context, small, 1);
}

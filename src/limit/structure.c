// SPDX-License-Identifier: Apache-2.0
// A structure from a world: contacts at the start, directions along rigid motions, loads.
//
// Bodies that deform by one gradient have stresses of any size at collapse: only their rigid motions
// do work there, Fdot = hat(omega) F. The directions of the system are multiplied by these.
#include <string.h>

#include "limit/limit.h"
#include "math/math.h"
#include "stiction/extend/base.h"
#include "stiction/extend/law.h"
#include "stiction/extend/vec3.h"

enum { AFFINE = 12, RIGID = 6 };

// velocities of a block in those of the system: 12 x 6 for pseudo-rigid bodies
static void rigid_motions(const double* q, double T[AFFINE][RIGID])
{
    memset(T, 0, sizeof(double) * AFFINE * RIGID);
    const SticMat3 F = stic_mat3_load(q + 3);
    for (int k = 0; k < 3; ++k) {
        double rate[9], axis[3] = {0.0, 0.0, 0.0};
        T[k][k] = 1.0;
        axis[k] = 1.0;
        stic_mat3_store(stic_mat3_mul(stic_mat3_skew(stic_vec3_load(axis)), F), rate);
        for (int i = 0; i < 9; ++i)
            T[3 + i][3 + k] = rate[i];
    }
}

static int32_t size_of(const SticLimit* limit, int32_t block)
{
    const SticLayout* layout = &limit->system->layout;
    return layout->u_at[block + 1] - layout->u_at[block];
}

// laws whose reactions lie in a cone, and joints that hold
static SticStatus check_laws(const SticLimit* limit, SticError* error)
{
    for (int32_t i = 0; i < limit->set.count; ++i) {
        const SticInteraction* one = &limit->set.interaction[i];
        const bool contact = one->level == STIC_LEVEL_CONTACT &&
                             (one->law == STIC_LAW_NONNEG || one->law == STIC_LAW_CONE ||
                              one->law == STIC_LAW_CONE_ELLIPSE);
        if (contact || (one->level == STIC_LEVEL_POSITION && one->law == STIC_LAW_FREE))
            continue;
        return stic_error_set(error, STIC_UNSUPPORTED,
                              "limit analysis knows contacts with Coulomb's friction, isotropic or "
                              "not, and joints without friction, limits and drives; '%s' has law "
                              "'%s'",
                              stic_world_block_name(limit->system, one->block[0] >= 0
                                                                       ? one->block[0]
                                                                       : one->block[1]),
                              stic_law_name((SticLaw)one->law));
    }
    return STIC_OK;
}

static SticStatus take_columns(SticLimit* limit)
{
    const SticLayout* layout = &limit->system->layout;
    STIC_TRY(STIC_TAKE(limit->arena, &limit->col_at, layout->blocks + 1));
    limit->col_at[0] = 0;
    for (int32_t b = 0; b < layout->blocks; ++b) {
        const int32_t n = size_of(limit, b);
        limit->col_at[b + 1] = limit->col_at[b] + (n > RIGID ? RIGID : n);
    }
    limit->dof = limit->col_at[layout->blocks];
    return STIC_OK;
}

// a block of m rows from velocities of the system to rigid ones
static void copy_rigid(const SticLimit* limit, int32_t block, int32_t m, const double* from,
                       double* to)
{
    const int32_t n = size_of(limit, block);
    double T[AFFINE][RIGID];
    if (n <= RIGID) {
        memcpy(to, from, (size_t)(m * n) * sizeof *to);
        return;
    }
    rigid_motions(limit->state->q + limit->system->layout.q_at[block], T);
    for (int32_t i = 0; i < m; ++i)
        for (int32_t j = 0; j < RIGID; ++j) {
            double sum = 0.0;
            for (int32_t k = 0; k < n; ++k)
                sum += from[i * n + k] * T[k][j];
            to[i * RIGID + j] = sum;
        }
}

static SticStatus fill_directions(SticLimit* limit, SticError* error)
{
    const SticLayout* layout = &limit->system->layout;
    SticArena* arena = limit->arena;
    SticPattern pattern;
    SticMeasures measures = {.want = STIC_WANT_H};
    STIC_TRY(stic_pattern_create(arena, &limit->set, layout, layout->u_at, &pattern));
    STIC_TRY(STIC_TAKE(arena, &measures.H, pattern.values + 1));
    measures.u_pattern = &pattern;
    STIC_TRY(limit->system->ops->measure(limit->system, &limit->set, limit->state, &measures));
    limit->Ht = pattern.csr;
    limit->Ht.value = measures.H;
    STIC_TRY(STIC_TAKE(arena, &limit->zero, limit->set.rows + 1));
    memset(limit->zero, 0, (size_t)limit->set.rows * sizeof *limit->zero);
    const int32_t blocks = stic_block_csr_count(&pattern.csr);
    int32_t *row = NULL, *col = NULL;
    double* value = NULL;
    STIC_TRY(STIC_TAKE(arena, &row, blocks + 1));
    STIC_TRY(STIC_TAKE(arena, &col, blocks + 1));
    STIC_TRY(STIC_TAKE(arena, &value, pattern.values + 1));
    double* to = value;
    for (int32_t i = 0; i < limit->set.count; ++i)
        for (int32_t e = pattern.csr.begin[i]; e < pattern.csr.begin[i + 1]; ++e) {
            const int32_t b = pattern.csr.col[e],
                          m = limit->set.row_at[i + 1] - limit->set.row_at[i];
            row[e] = i;
            col[e] = b;
            copy_rigid(limit, b, m, measures.H + pattern.csr.value_at[e], to);
            to += m * (limit->col_at[b + 1] - limit->col_at[b]);
        }
    const SticPartition partition = {.rows = limit->set.count,
                                     .cols = layout->blocks,
                                     .row_at = limit->set.row_at,
                                     .col_at = limit->col_at};
    const SticBlockTriplets triplets = {.count = blocks, .row = row, .col = col, .value = value};
    return stic_block_csr_from_blocks(&partition, &triplets, arena, &limit->A, error);
}

static SticStatus fill_load(SticLimit* limit)
{
    const SticLayout* layout = &limit->system->layout;
    double* f = NULL;
    STIC_TRY(STIC_TAKE(limit->arena, &f, layout->nu + 1));
    STIC_TRY(STIC_TAKE(limit->arena, &limit->scratch, layout->nu + 1));
    memset(limit->scratch, 0, (size_t)layout->nu * sizeof *f);
    STIC_TRY(STIC_TAKE(limit->arena, &limit->load, limit->dof + 1));
    STIC_TRY(stic_system_force(limit->system, limit->state, limit->arena, f));
    for (int32_t b = 0; b < layout->blocks; ++b) {
        // a force is a block of one row: f v = (f T) w
        copy_rigid(limit, b, 1, f + layout->u_at[b], limit->load + limit->col_at[b]);
    }
    return STIC_OK;
}

static SticStatus build(SticLimit* made, SticError* error)
{
    const SticReach touching = {.gap = 0.0};
    STIC_TRY(stic_arena_create(&made->context, 0, &made->arena));
    STIC_TRY(stic_world_system(made->world, STIC_CHART_QUATERNION, &made->system, error));
    // the nodes of an elastic body are blocks of their own, which nothing here holds together
    if (made->system->wide)
        return stic_error_set(error, STIC_UNSUPPORTED,
                              "limit analysis knows rigid and pseudo-rigid bodies and points, not "
                              "elastic ones: at collapse these count as rigid, those that are held "
                              "as fixed; give them these kinds");
    STIC_TRY(stic_state_create(&made->context, &made->system->layout, &made->state));
    stic_world_start(made->world, made->system, made->state);
    STIC_TRY(
        made->system->ops->detect(made->system, made->state, &touching, made->arena, &made->set));
    if (made->set.count == 0 || made->system->layout.blocks == 0)
        return stic_error_set(
            error, STIC_BAD_DATA,
            "nothing touches at the start, so that there is no limit to look for");
    STIC_TRY(check_laws(made, error));
    STIC_TRY(take_columns(made));
    STIC_TRY(fill_directions(made, error));
    return fill_load(made);
}

SticStatus stic_limit_create(const SticContext* context, const SticWorld* world, SticLimit** limit,
                             SticError* error)
{
    context = stic_context_given(context);
    STIC_ASSERT(world != NULL && limit != NULL);
    SticLimit* made = NULL;
    *limit = NULL;
    STIC_TRY(STIC_ALLOCATE(context, &made, 1));
    *made = (SticLimit){.context = *context, .world = world};
    const SticStatus status = build(made, error);
    if (status == STIC_OK)
        *limit = made;
    else
        stic_limit_destroy(made);
    return status;
}

void stic_limit_destroy(SticLimit* limit)
{
    if (limit == NULL)
        return;
    if (limit->system != NULL)
        stic_state_destroy(limit->state, &limit->system->layout);
    stic_world_system_destroy(limit->system);
    stic_arena_destroy(limit->arena);
    const SticContext context = limit->context;
    STIC_RELEASE(&context, limit, 1);
}

int32_t stic_limit_count(const SticLimit* limit)
{
    return limit->set.count;
}

int32_t stic_limit_dof(const SticLimit* limit)
{
    return limit->dof;
}

const double* stic_limit_load(const SticLimit* limit)
{
    return limit->load;
}

void stic_limit_velocities(const SticLimit* limit, const double* motion, double* u)
{
    const SticLayout* layout = &limit->system->layout;
    for (int32_t b = 0; b < layout->blocks; ++b) {
        const double* v = motion + limit->col_at[b];
        double* to = u + layout->u_at[b];
        const int32_t n = size_of(limit, b);
        double T[AFFINE][RIGID];
        if (n <= RIGID) {
            memcpy(to, v, (size_t)n * sizeof *to);
            continue;
        }
        rigid_motions(limit->state->q + layout->q_at[b], T);
        for (int32_t i = 0; i < n; ++i) {
            to[i] = 0.0;
            for (int32_t k = 0; k < RIGID; ++k)
                to[i] += T[i][k] * v[k];
        }
    }
}

SticTwist stic_limit_twist(const SticLimit* limit, const double* motion, SticBodyId body)
{
    STIC_ASSERT(limit != NULL && motion != NULL);
    SticState at = *limit->state;
    at.u = limit->scratch;
    stic_limit_velocities(limit, motion, limit->scratch);
    return stic_world_twist(limit->system, &at, body);
}

// SPDX-License-Identifier: Apache-2.0
// Tangent matrices of implicit steps.
//
//   J = M + a K - b S      K = F' (ddV) F,  S = df/du: sums of local terms over one or two bodies
//
// Without forces between bodies J is block diagonal and inverted block by block. Springs and
// dampers between bodies couple two blocks each. Newton without these couplings converges linearly,
// with the factor of the couplings relative to the blocks, a k/(m + a k) for a spring: where this
// is above 1 %, J is factorised as a whole (sparse LU; gyroscopic terms are not symmetric) and
// Newton is quadratic. The contact problem is then condensed by one solve per row, into a full
// matrix: above MOST_ROWS rows (72 MB) the couplings are left out again, unless they are those of
// solids, without which Newton goes nowhere. Everything is in the arena of the step and made anew
// for each linearisation, but for the factors of solids (kept_factor.h).
//
// F' in front of dV depends on the coordinates too; its derivative is left out (it is of the order
// h^2 torque/J, for rotations only).
#include "step/tangent.h"

#include <math.h>
#include <string.h>

#include "math/math.h"
#include "solver/arena_context.h"
#include "step/kept_factor.h"
#include "stiction/extend/sparse.h"

enum { MOST_ROWS = 3000 };
// largest acceptable factor of linear convergence: seven iterations for 1e-14
static const double weak = 0.01;

/* ---- local terms ---- */

/// Where the parts of terms go: blocks of single bodies, or those of pairs as triplets.
typedef struct Parts {
    const SticLayout* layout;
    const double* q; // NULL: terms are by velocities already
    double weight;
    const SticBlockCsr* M;
    double* diagonal; // on the blocks of M; NULL: pairs are wanted
    int32_t *row, *col;
    double* value;
    int32_t pairs;
    int64_t values;
} Parts;

static int32_t velocities(const SticLayout* layout, int32_t block)
{
    return layout->u_at[block + 1] - layout->u_at[block];
}

static int32_t coordinates(const SticLayout* layout, int32_t block)
{
    return layout->q_at[block + 1] - layout->q_at[block];
}

// value [n_a * n_b] += weight F_a' P F_b, P [nq_a x nq_b] part of a matrix with `size` columns
static void add_by_coordinates(const Parts* parts, const int32_t block[2], const double* P,
                               int32_t size, double* value)
{
    const SticLayout* layout = parts->layout;
    const int32_t na = velocities(layout, block[0]), nb = velocities(layout, block[1]);
    const int32_t qa = coordinates(layout, block[0]), qb = coordinates(layout, block[1]);
    const double *at_a = parts->q + layout->q_at[block[0]],
                 *at_b = parts->q + layout->q_at[block[1]];
    double unit[STIC_CHART_MAX_U] = {0.0}, rate[STIC_CHART_MAX_Q], bent[STIC_CHART_MAX_Q],
           column[STIC_CHART_MAX_U];
    for (int32_t c = 0; c < nb; ++c) {
        unit[c] = 1.0;
        stic_chart_rate((SticChart)layout->chart[block[1]], nb, at_b, unit, rate);
        unit[c] = 0.0;
        for (int32_t r = 0; r < qa; ++r) {
            bent[r] = 0.0;
            for (int32_t k = 0; k < qb; ++k)
                bent[r] += P[r * size + k] * rate[k];
        }
        stic_chart_pull_back((SticChart)layout->chart[block[0]], na, at_a, bent, column);
        for (int32_t r = 0; r < na; ++r)
            value[r * nb + c] += parts->weight * column[r];
    }
}

static void add_by_velocities(const Parts* parts, const int32_t block[2], const double* P,
                              int32_t size, double* value)
{
    const int32_t na = velocities(parts->layout, block[0]),
                  nb = velocities(parts->layout, block[1]);
    for (int32_t r = 0; r < na; ++r)
        for (int32_t c = 0; c < nb; ++c)
            value[r * nb + c] += parts->weight * P[r * size + c];
}

static void add_part(Parts* parts, const int32_t block[2], const double* P, int32_t size)
{
    double* value = NULL;
    if (block[0] == block[1]) {
        value = parts->diagonal + parts->M->value_at[parts->M->begin[block[0]]];
    } else {
        const int64_t count =
            (int64_t)velocities(parts->layout, block[0]) * velocities(parts->layout, block[1]);
        value = parts->value + parts->values;
        memset(value, 0, (size_t)count * sizeof *value);
        parts->row[parts->pairs] = block[0];
        parts->col[parts->pairs++] = block[1];
        parts->values += count;
    }
    const uint8_t* chart = parts->layout->chart;
    const bool straight =
        chart[block[0]] == STIC_CHART_LINEAR && chart[block[1]] == STIC_CHART_LINEAR;
    if (parts->q != NULL && !straight)
        add_by_coordinates(parts, block, P, size, value);
    else
        add_by_velocities(parts, block, P, size, value);
}

static int32_t size_of(const Parts* parts, int32_t block)
{
    if (block < 0)
        return 0;
    return parts->q != NULL ? coordinates(parts->layout, block) : velocities(parts->layout, block);
}

// parts of all terms: of single bodies if `diagonal` is given, else those that couple two
static void add_terms(Parts* parts, const SticTerms* terms)
{
    const double* matrix = terms->hessian;
    for (int32_t k = 0; k < terms->count; ++k) {
        const int32_t* member = NULL;
        const int32_t members = stic_terms_blocks(terms, k, &member);
        int32_t size = 0, first[2] = {0, 0};
        for (int32_t s = 0; s < members; ++s)
            size += size_of(parts, member[s]);
        for (int32_t s = 0; s < members; first[0] += size_of(parts, member[s++])) {
            first[1] = 0;
            for (int32_t t = 0; t < members; first[1] += size_of(parts, member[t++])) {
                const int32_t block[2] = {member[s], member[t]};
                if (block[0] >= 0 && block[1] >= 0 && (s == t) == (parts->diagonal != NULL))
                    add_part(parts, block, matrix + (int64_t)first[0] * size + first[1], size);
            }
        }
        matrix += (int64_t)size * size;
    }
}

/* ---- both kinds of terms ---- */

// no terms where a system offers none
static SticStatus find_terms(SticStepper* stepper, const SticSystem* system, const SticState* at,
                             SticTangent* tangent)
{
    memset(&tangent->potential, 0, sizeof tangent->potential);
    memset(&tangent->dampers, 0, sizeof tangent->dampers);
    if ((system->offers & STIC_OFFERS_HESSIAN) != 0)
        STIC_TRY(system->ops->potential(system, at, 2, stepper->arena, &tangent->potential));
    if (system->ops->tangent != NULL)
        STIC_TRY(system->ops->tangent(system, at, stepper->arena, &tangent->dampers));
    return STIC_OK;
}

static void add_all(Parts* parts, const SticTangent* tangent, const double* q)
{
    parts->q = q;
    parts->weight = tangent->weights.stiffness;
    add_terms(parts, &tangent->potential);
    parts->q = NULL;
    parts->weight = -tangent->weights.slope;
    add_terms(parts, &tangent->dampers);
}

// parts of terms that couple two blocks, and their values
static void count_pairs(const SticLayout* layout, const SticTerms* terms, SticTangent* tangent)
{
    for (int32_t k = 0; k < terms->count; ++k) {
        const int32_t* member = NULL;
        const int32_t members = stic_terms_blocks(terms, k, &member);
        int64_t size = 0, squares = 0, count = 0;
        for (int32_t s = 0; s < members; ++s) {
            const int32_t n = member[s] >= 0 ? velocities(layout, member[s]) : 0;
            count += member[s] >= 0 ? 1 : 0;
            size += n;
            squares += (int64_t)n * n;
        }
        tangent->pairs += count * (count - 1);
        tangent->pair_values += size * size - squares;
    }
}

SticStatus stic_tangent_stiffness(SticStepper* stepper, const SticSystem* system,
                                  const SticState* at, const SticBlockCsr* M, double* K)
{
    SticTerms terms;
    Parts parts = {.layout = &system->layout, .q = at->q, .weight = 1.0, .M = M, .diagonal = K};
    memset(K, 0, (size_t)M->value_at[M->begin[M->rows]] * sizeof *K);
    STIC_TRY(system->ops->potential(system, at, 2, stepper->arena, &terms));
    add_terms(&parts, &terms);
    return STIC_OK;
}

/* ---- the matrix ---- */

SticStatus stic_tangent_create(SticStepper* stepper, const SticBlockCsr* M,
                               SticTangentWeights weights, SticTangent* tangent)
{
    const int64_t values = M->value_at[M->begin[M->rows]];
    *tangent = (SticTangent){.M = M, .weights = weights, .blocks = *M, .inverse = *M};
    STIC_TRY(STIC_TAKE(stepper->arena, &tangent->value, values));
    STIC_TRY(STIC_TAKE(stepper->arena, &tangent->inverse_value, values));
    tangent->blocks.value = tangent->value;
    tangent->inverse.value = tangent->inverse_value;
    return STIC_OK;
}

SticStatus stic_tangent_fill(SticStepper* stepper, const SticSystem* system, const SticState* at,
                             SticTangent* tangent)
{
    const SticBlockCsr* M = tangent->M;
    Parts parts = {.layout = &system->layout, .M = M, .diagonal = tangent->value};
    memcpy(tangent->value, M->value, (size_t)M->value_at[M->begin[M->rows]] * sizeof(double));
    STIC_TRY(find_terms(stepper, system, at, tangent));
    add_all(&parts, tangent, at->q);
    tangent->pairs = tangent->pair_values = 0;
    count_pairs(&system->layout, &tangent->potential, tangent);
    count_pairs(&system->layout, &tangent->dampers, tangent);
    return STIC_OK;
}

// largest coupling relative to the diagonal: the factor of linear convergence without it
static double strength(const SticTangent* tangent, const Parts* parts)
{
    const SticBlockCsr* M = tangent->M;
    const double* value = parts->value;
    double most = 0.0;
    for (int32_t k = 0; k < parts->pairs; ++k) {
        const int32_t na = velocities(parts->layout, parts->row[k]),
                      nb = velocities(parts->layout, parts->col[k]);
        const double *A = tangent->value + M->value_at[M->begin[parts->row[k]]],
                     *B = tangent->value + M->value_at[M->begin[parts->col[k]]];
        for (int32_t r = 0; r < na; ++r)
            for (int32_t c = 0; c < nb; ++c, ++value) {
                const double ratio = fabs(*value) / sqrt(fabs(A[r * na + r] * B[c * nb + c]));
                most = ratio > most ? ratio : most;
            }
    }
    return most;
}

// the factor of a solid is kept: its pattern stays, and with linear material its values too
static SticStatus factorise_kept(SticStepper* stepper, SticTangent* tangent, SticError* error)
{
    STIC_TRY(stic_kept_factor_make(stepper->kept_factor, &tangent->J, error));
    const SticKeptFactor* kept = stepper->kept_factor;
    tangent->factor = kept->factor;
    tangent->replaced = kept->info.replaced;
    tangent->mass = (SticMass){.kind = STIC_MASS_FACTOR,
                               .A = &tangent->J,
                               .solve = stic_kept_factor_solve,
                               .columns = stic_kept_factor_columns,
                               .factor = kept};
    return STIC_OK;
}

static SticStatus solve_coupled(const void* factor, double* x)
{
    stic_factor_solve(factor, x);
    return STIC_OK;
}

// the blocks of single bodies first, then those of pairs
static SticStatus take_parts(SticStepper* stepper, const SticSystem* system, const SticState* at,
                             const SticTangent* tangent, Parts* parts)
{
    const SticBlockCsr* M = tangent->M;
    const int64_t own = M->value_at[M->begin[M->rows]];
    const size_t room = (size_t)M->rows + (size_t)tangent->pairs;
    *parts = (Parts){.layout = &system->layout, .M = M};
    STIC_TRY(STIC_TAKE(stepper->arena, &parts->row, room));
    STIC_TRY(STIC_TAKE(stepper->arena, &parts->col, room));
    STIC_TRY(STIC_TAKE(stepper->arena, &parts->value, own + tangent->pair_values));
    add_all(parts, tangent, at->q);
    return STIC_OK;
}

// J from its parts, with the blocks of single bodies behind those of pairs
static SticStatus assemble(SticStepper* stepper, const Parts* parts, SticTangent* tangent,
                           SticError* error)
{
    const SticBlockCsr* M = tangent->M;
    const int64_t own = M->value_at[M->begin[M->rows]];
    for (int32_t i = 0; i < M->rows; ++i)
        parts->row[parts->pairs + i] = parts->col[parts->pairs + i] = i;
    memcpy(parts->value + parts->values, tangent->value, (size_t)own * sizeof(double));
    const SticPartition partition = {
        .rows = M->rows, .cols = M->cols, .row_at = M->row_at, .col_at = M->col_at};
    const SticBlockTriplets triplets = {.count = parts->pairs + M->rows,
                                        .row = parts->row,
                                        .col = parts->col,
                                        .value = parts->value};
    return stic_block_csr_from_blocks(&partition, &triplets, stepper->arena, &tangent->J, error);
}

static SticStatus factorise(SticStepper* stepper, SticTangent* tangent, SticError* error)
{
    SticFactorInfo info;
    SticSymbolic* symbolic = NULL;
    SticFactor* factor = NULL;
    const SticContext context = stic_arena_context_make(stepper->arena);
    STIC_TRY(stic_symbolic_create(&context, &tangent->J, STIC_ORDERING_AMD, &symbolic, error));
    STIC_TRY(stic_factor_create(symbolic, STIC_FACTOR_LU, &factor, error));
    STIC_TRY(stic_factor_compute(factor, &tangent->J, NULL, &info));
    tangent->factor = factor;
    tangent->replaced = info.replaced;
    tangent->mass = (SticMass){
        .kind = STIC_MASS_FACTOR, .A = &tangent->J, .solve = solve_coupled, .factor = factor};
    return STIC_OK;
}

static SticStatus invert_blocks(SticTangent* tangent)
{
    const SticBlockCsr* M = tangent->M;
    for (int32_t i = 0; i < M->rows; ++i) {
        const int64_t at = M->value_at[M->begin[i]];
        STIC_TRY(stic_dense_inverse(M->row_at[i + 1] - M->row_at[i], tangent->value + at,
                                    tangent->inverse_value + at));
    }
    tangent->mass =
        (SticMass){.kind = STIC_MASS_BLOCKS, .A = &tangent->blocks, .inverse = &tangent->inverse};
    return STIC_OK;
}

SticStatus stic_tangent_finish(SticStepper* stepper, const SticSystem* system, const SticState* at,
                               int32_t rows, SticTangent* tangent)
{
    STIC_ASSERT(rows >= 0);
    SticError error;
    const bool weighty = rows > MOST_ROWS && !system->wide;
    if (tangent->pairs == 0 || weighty || (tangent->decided && !tangent->coupled))
        return invert_blocks(tangent);
    if (tangent->pairs > INT32_MAX - tangent->M->rows)
        return STIC_OUT_OF_MEMORY;
    Parts parts;
    STIC_TRY(take_parts(stepper, system, at, tangent, &parts));
    if (!tangent->decided)
        tangent->coupled = strength(tangent, &parts) > weak;
    tangent->decided = true;
    if (!tangent->coupled)
        return invert_blocks(tangent);
    STIC_TRY(assemble(stepper, &parts, tangent, &error));
    return system->wide ? factorise_kept(stepper, tangent, &error)
                        : factorise(stepper, tangent, &error);
}

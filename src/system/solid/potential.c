// SPDX-License-Identifier: Apache-2.0
// Strain energy of cells as terms of the potential, and weights.
//
//   D = sum of d_a x dN_a/dX    V = sum over points of volume psi(D)
//   dV/d(d_a)_i = volume P_ij dN_a/dX_j
//   ddV/d(d_a)_i d(d_b)_k = volume dN_a/dX_j K_ijkl dN_b/dX_l
//
// The discrete derivative has the stress of each point between the ends a and b of a step, with
// D = (D_a + D_b)/2, d = D_b - D_a:
//
//   linear   P(D)
//   others   F(D) (S + 2 (psi_b - psi_a - S : dC/2)/(dC : dC) dC)           (Gonzalez 2000)
//
// with S at (C_a + C_b)/2 and dC = C_b - C_a; for St Venant and Kirchhoff's material, whose energy is
// quadratic in C, that is the mean of S_a and S_b (Simo and Tarnow 1992). P : d is the change of psi,
// so that energy is kept; all keep momentum, and angular momentum too (linear: for small rotations).
// A point that turns is not strained by the step: P at D, which is shorter by the square of the
// angle, would strain stiff bodies. The derivative by the end is half the stiffness in the middle, up
// to terms of second order: Newton converges linearly, with a factor of that order.
//
// A term holds the nodes of a cell that are free along some axis, and of each the free axes only.
// Cells are shared among threads; one of 8 nodes costs 8 points of about 2000 multiplications for its Hessian, one of 20
// nodes 27 points of 11000.
#include <float.h>
#include <math.h>
#include <string.h>

#include "stiction/extend/base.h"
#include "stiction/extend/vec3.h"
#include "system/solid/solid.h"

enum { MOST = 3 * STIC_SOLID_CELL_NODES };

SticVec3 stic_solid_displacement(const SticSystem* system, const SticState* state, int32_t node)
{
    STIC_ASSERT(system != NULL);
    STIC_ASSERT(state != NULL);
    const SticSolid* solid = stic_solid_of(system);
    STIC_ASSERT(node >= 0 && node < solid->mesh.nodes);
    double d[3];
    for (int axis = 0; axis < 3; ++axis) {
        const int32_t at = solid->coordinate[3 * node + axis];
        d[axis] = at >= 0 ? state->q[at] : state->t * stic_vec3_get(solid->rate[node], axis);
    }
    return stic_vec3_load(d);
}

// gradient of the displacements at a point of a cell
static SticMat3 gradient_at(int32_t nodes, const SticVec3* d, const double* slope)
{
    SticMat3 D = stic_mat3_zero();
    for (int32_t a = 0; a < nodes; ++a)
        D = stic_mat3_add(D, stic_mat3_outer(d[a], stic_vec3_load(slope + 3 * a)));
    return D;
}

static void add_gradient(int32_t nodes, double volume, const double P[9], const double* slope,
                         double* gradient)
{
    for (int32_t a = 0; a < nodes; ++a)
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                gradient[3 * a + i] += volume * P[3 * i + j] * slope[3 * a + j];
}

// the blocks (a, b) with a <= b
static void add_hessian(int32_t nodes, double volume, const double K[81], const double* slope,
                        double* hessian)
{
    const int32_t n = 3 * nodes;
    for (int32_t b = 0; b < nodes; ++b) {
        // K_ijkl dN_b/dX_l, by i, j, k
        double part[27];
        for (int c = 0; c < 27; ++c)
            part[c] = volume * (K[3 * c] * slope[3 * b] + K[3 * c + 1] * slope[3 * b + 1] +
                                K[3 * c + 2] * slope[3 * b + 2]);
        for (int32_t a = 0; a <= b; ++a) {
            const double* s = slope + 3 * a;
            for (int i = 0; i < 3; ++i)
                for (int k = 0; k < 3; ++k)
                    hessian[(3 * a + i) * n + 3 * b + k] += s[0] * part[9 * i + k] +
                                                            s[1] * part[9 * i + 3 + k] +
                                                            s[2] * part[9 * i + 6 + k];
        }
    }
}

static void mirror(int32_t n, double* hessian)
{
    for (int32_t r = 0; r < n; ++r)
        for (int32_t c = 0; c < r; ++c)
            if (c / 3 < r / 3)
                hessian[r * n + c] = hessian[c * n + r];
}

SticStatus stic_solid_cell_energy(const SticSolid* solid, const SticState* state, int32_t cell,
                                  double* energy, double* gradient, double* hessian)
{
    const int32_t nodes = stic_solid_cell_nodes(solid->mesh.kind), n = 3 * nodes;
    const int32_t* node = solid->mesh.cell + (int64_t)cell * nodes;
    SticVec3 d[STIC_SOLID_CELL_NODES];
    for (int32_t a = 0; a < nodes; ++a)
        d[a] = stic_solid_displacement(&solid->system, state, node[a]);
    *energy = 0.0;
    if (gradient != NULL)
        memset(gradient, 0, (size_t)n * sizeof *gradient);
    const size_t square = (size_t)n * (size_t)n;
    const bool known = solid->stiffness != NULL;
    if (hessian != NULL && known)
        memcpy(hessian, solid->stiffness + (size_t)cell * square, square * sizeof *hessian);
    else if (hessian != NULL)
        memset(hessian, 0, square * sizeof *hessian);
    for (int32_t p = 0; p < solid->points; ++p) {
        const int64_t point = (int64_t)cell * solid->points + p;
        const double *slope = solid->slope + point * n, volume = solid->volume[point];
        double psi = 0.0, P[9], K[81];
        STIC_TRY(stic_solid_material_energy(&solid->material, gradient_at(nodes, d, slope), &psi,
                                            gradient != NULL ? P : NULL,
                                            hessian != NULL && !known ? K : NULL));
        *energy += volume * psi;
        if (gradient != NULL)
            add_gradient(nodes, volume, P, slope, gradient);
        if (hessian != NULL && !known)
            add_hessian(nodes, volume, K, slope, hessian);
    }
    if (hessian != NULL && !known)
        mirror(n, hessian);
    return STIC_OK;
}

/* ---- between two states ---- */

// C - 1 for F = 1 + D
static SticMat3 strain_of(SticMat3 D)
{
    return stic_mat3_add_scaled(stic_mat3_scale(2.0, stic_mat3_symmetric(D)), 1.0,
                                stic_mat3_transpose_mul(D, D));
}

// D = U - 1 with U'U = 1 + A, U upper triangular (Cholesky); small A keep their digits. False where
// there is none.
static bool stretch_of(SticMat3 A, SticMat3* D)
{
    *D = stic_mat3_zero();
    for (int r = 0; r < 3; ++r) {
        double rest = A.m[r][r];
        for (int k = 0; k < r; ++k)
            rest -= D->m[k][r] * D->m[k][r];
        if (!(rest > -1.0))
            return false;
        const double pivot = sqrt(1.0 + rest);
        D->m[r][r] = rest / (1.0 + pivot);
        for (int c = r + 1; c < 3; ++c) {
            double entry = A.m[r][c];
            for (int k = 0; k < r; ++k)
                entry -= D->m[k][r] * D->m[k][c];
            D->m[r][c] = entry / pivot;
        }
    }
    return true;
}

// Stress of a point that makes P : (D_b - D_a) the change of its energy; the sum of both energies.
// An energy that a rotation leaves as it is depends on C alone, and its stress S at a C is that at
// any F with F'F = C.
static SticStatus stress_between(const SticSolidMaterial* material, const SticMat3 D[2],
                                 double P[9], double* size)
{
    const SticMat3 middle = stic_mat3_scale(0.5, stic_mat3_add(D[0], D[1]));
    double psi[2], mean, own[2][9], rounding = 0.0;
    for (int side = 0; side < 2; ++side) {
        STIC_TRY(stic_solid_material_energy(material, D[side], &psi[side], own[side], NULL));
        rounding += stic_mat3_norm(stic_mat3_load(own[side])) *
                    stic_mat3_norm(stic_mat3_add(stic_mat3_identity(), D[side]));
    }
    *size = fabs(psi[0]) + fabs(psi[1]);
    rounding = 4.0 * DBL_EPSILON * (*size + rounding);
    if (material->kind == STIC_SOLID_LINEAR)
        return stic_solid_material_energy(material, middle, &mean, P, NULL);
    const SticMat3 A = strain_of(D[0]), change = stic_mat3_sub(strain_of(D[1]), A);
    SticMat3 stretch, inverse;
    if (!stretch_of(stic_mat3_add_scaled(A, 0.5, change), &stretch) ||
        !stic_mat3_inverse(stic_mat3_add(stic_mat3_identity(), stretch), &inverse))
        return STIC_SINGULAR;
    STIC_TRY(stic_solid_material_energy(material, stretch, &mean, P, NULL));
    SticMat3 S = stic_mat3_mul(inverse, stic_mat3_load(P));
    const double miss = psi[1] - psi[0] - 0.5 * stic_mat3_contract(S, change);
    // what is rounding says nothing, and divided by a small change it would be large
    if (fabs(miss) > rounding)
        S = stic_mat3_add_scaled(S, 2.0 * miss / stic_mat3_contract(change, change), change);
    stic_mat3_store(stic_mat3_mul(stic_mat3_add(stic_mat3_identity(), middle), S), P);
    return STIC_OK;
}

static SticStatus cell_between(const SticSolid* solid, const SticState* const ends[2], int32_t cell,
                               double* size, double gradient[MOST])
{
    const int32_t nodes = stic_solid_cell_nodes(solid->mesh.kind), n = 3 * nodes;
    const int32_t* node = solid->mesh.cell + (int64_t)cell * nodes;
    SticVec3 d[2][STIC_SOLID_CELL_NODES];
    for (int32_t k = 0; k < 2 * nodes; ++k)
        d[k / nodes][k % nodes] =
            stic_solid_displacement(&solid->system, ends[k / nodes], node[k % nodes]);
    memset(gradient, 0, (size_t)n * sizeof *gradient);
    *size = 0.0;
    for (int32_t p = 0; p < solid->points; ++p) {
        const int64_t point = (int64_t)cell * solid->points + p;
        const double* slope = solid->slope + point * n;
        const SticMat3 D[2] = {gradient_at(nodes, d[0], slope), gradient_at(nodes, d[1], slope)};
        double P[9], own;
        STIC_TRY(stress_between(&solid->material, D, P, &own));
        add_gradient(nodes, solid->volume[point], P, slope, gradient);
        *size += solid->volume[point] * own;
    }
    return STIC_OK;
}

/* ---- terms ---- */

// places of the free displacements of a cell among all its displacements, in the order of the term
static int32_t free_of(const SticSolid* solid, int32_t cell, int32_t free[MOST])
{
    const int32_t nodes = stic_solid_cell_nodes(solid->mesh.kind);
    int32_t count = 0;
    for (int32_t k = 0; k < 3 * nodes; ++k) {
        const int32_t node = solid->mesh.cell[(int64_t)cell * nodes + k / 3];
        if (solid->coordinate[3 * node + k % 3] >= 0)
            free[count++] = k;
    }
    return count;
}

// cells of one piece of work: a hundred microseconds of Hessians
enum { CELL_CHUNK = 8 };

// terms of all cells, each written to its own place: the same bits for any number of threads
typedef struct Work {
    const SticSolid* solid;
    const SticState* state;       // where they are taken
    const SticState* const* ends; // or between which states; NULL: at one
    double *value, *slope, *bend; // of all cells; slope and bend may be NULL
    SticStatus* status;           // [chunks]
} Work;

static SticStatus cell_term(const Work* work, int32_t cell, double* full)
{
    const SticSolid* solid = work->solid;
    double slope[MOST];
    int32_t free[MOST];
    const int32_t n = 3 * stic_solid_cell_nodes(solid->mesh.kind);
    if (work->ends != NULL)
        STIC_TRY(cell_between(solid, work->ends, cell, &work->value[cell], slope));
    else
        STIC_TRY(stic_solid_cell_energy(solid, work->state, cell, &work->value[cell],
                                        work->slope != NULL ? slope : NULL,
                                        work->bend != NULL ? full : NULL));
    if (work->slope == NULL)
        return STIC_OK;
    double *to = work->slope + solid->slope_at[cell],
           *square = work->bend == NULL ? NULL : work->bend + solid->bend_at[cell];
    const int32_t count = free_of(solid, cell, free);
    for (int32_t r = 0; r < count; ++r)
        *to++ = slope[free[r]];
    for (int32_t r = 0; square != NULL && r < count; ++r)
        for (int32_t c = 0; c < count; ++c)
            *square++ = full[free[r] * n + free[c]];
    return STIC_OK;
}

static void cell_chunk(void* self, int32_t index)
{
    const Work* work = self;
    const int32_t cells = work->solid->mesh.cells, begin = index * CELL_CHUNK;
    const int32_t end = begin + CELL_CHUNK < cells ? begin + CELL_CHUNK : cells;
    double full[MOST * MOST];
    SticStatus status = STIC_OK;
    for (int32_t cell = begin; cell < end && status == STIC_OK; ++cell)
        status = cell_term(work, cell, full);
    work->status[index] = status;
}

static SticStatus run_cells(Work* work, SticArena* arena)
{
    const SticArenaMark mark = stic_arena_mark(arena);
    const int32_t chunks = (work->solid->mesh.cells + CELL_CHUNK - 1) / CELL_CHUNK;
    SticStatus status = STIC_OK;
    STIC_TRY(STIC_TAKE(arena, &work->status, chunks));
    stic_pool_run(work->solid->context.pool, chunks, cell_chunk, work);
    for (int32_t k = 0; k < chunks && status == STIC_OK; ++k)
        status = work->status[k];
    stic_arena_rewind(arena, mark);
    return status;
}

SticStatus stic_solid_add_cells(const SticSolid* solid, const SticState* state, SticArena* arena,
                                SticTerms* at)
{
    const int32_t cells = solid->mesh.cells;
    Work work = {.solid = solid,
                 .state = state,
                 .value = at->value,
                 .slope = at->gradient,
                 .bend = at->hessian};
    STIC_TRY(run_cells(&work, arena));
    at->value += cells;
    at->gradient = at->gradient == NULL ? NULL : at->gradient + solid->slope_at[cells];
    at->hessian = at->hessian == NULL ? NULL : at->hessian + solid->bend_at[cells];
    return STIC_OK;
}

SticStatus stic_solid_put_between(const SticSolid* solid, const SticState* const ends[2],
                                  SticArena* arena, double* value, double** gradient)
{
    Work work = {.solid = solid, .ends = ends, .value = value, .slope = *gradient};
    STIC_TRY(run_cells(&work, arena));
    *gradient += solid->slope_at[solid->mesh.cells];
    return STIC_OK;
}

// weight of the node of a block: -m g . d
static void weight_term(const SticSolid* solid, const SticState* state, int32_t block,
                        SticTerms* terms)
{
    const int32_t node = solid->node_of[block];
    double value = 0.0;
    int32_t count = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const int32_t at = solid->coordinate[3 * node + axis];
        if (at < 0)
            continue;
        const double pull = -solid->mass[node] * stic_vec3_get(solid->gravity, axis);
        value += pull * state->q[at];
        if (terms->gradient != NULL)
            *terms->gradient++ = pull;
        count += 1;
    }
    *terms->value++ = value;
    for (int32_t k = 0; terms->hessian != NULL && k < count * count; ++k)
        *terms->hessian++ = 0.0;
}

SticStatus stic_solid_potential(const SticSystem* system, const SticState* state, int order,
                                SticArena* arena, SticTerms* terms)
{
    const SticSolid* solid = stic_solid_of(system);
    *terms =
        (SticTerms){.count = solid->terms, .member_at = solid->member_at, .member = solid->member};
    STIC_TRY(STIC_TAKE(arena, &terms->value, terms->count));
    if (order >= 1)
        STIC_TRY(STIC_TAKE(arena, &terms->gradient, solid->gradients));
    if (order >= 2)
        STIC_TRY(STIC_TAKE(arena, &terms->hessian, solid->hessians));
    SticTerms at = *terms;
    STIC_TRY(stic_solid_add_cells(solid, state, arena, &at));
    for (int32_t block = 0; block < solid->terms - solid->mesh.cells; ++block)
        weight_term(solid, state, block, &at);
    return STIC_OK;
}

/* ---- discrete derivative ---- */

SticStatus stic_solid_discrete(const SticSystem* system, const SticState* begin,
                               const SticState* end, SticArena* arena, SticTerms* terms)
{
    const SticSolid* solid = stic_solid_of(system);
    const SticState* const ends[2] = {begin, end};
    SticState middle = {.t = 0.5 * (begin->t + end->t)};
    STIC_TRY(STIC_TAKE(arena, &middle.q, system->layout.nq));
    for (int32_t c = 0; c < system->layout.nq; ++c)
        middle.q[c] = 0.5 * (begin->q[c] + end->q[c]);
    STIC_TRY(stic_solid_potential(system, &middle, 2, arena, terms));
    double* gradient = terms->gradient;
    STIC_TRY(stic_solid_put_between(solid, ends, arena, terms->value, &gradient));
    for (int32_t k = solid->mesh.cells; k < solid->terms; ++k)
        terms->value[k] = fabs(terms->value[k]);
    for (int64_t k = 0; k < solid->hessians; ++k)
        terms->hessian[k] *= 0.5;
    return STIC_OK;
}

/* ---- questions ---- */

SticStatus stic_solid_stress(const SticSystem* system, const SticState* state, int32_t cell,
                             SticMat3* stress)
{
    STIC_ASSERT(system != NULL);
    STIC_ASSERT(state != NULL);
    STIC_ASSERT(stress != NULL);
    const SticSolid* solid = stic_solid_of(system);
    STIC_ASSERT(cell >= 0 && cell < solid->mesh.cells);
    const int32_t nodes = stic_solid_cell_nodes(solid->mesh.kind);
    const int32_t* node = solid->mesh.cell + (int64_t)cell * nodes;
    SticVec3 d[STIC_SOLID_CELL_NODES];
    SticMat3 sum = stic_mat3_zero();
    double volume = 0.0;
    for (int32_t a = 0; a < nodes; ++a)
        d[a] = stic_solid_displacement(system, state, node[a]);
    for (int32_t p = 0; p < solid->points; ++p) {
        const int64_t point = (int64_t)cell * solid->points + p;
        const SticMat3 D = gradient_at(nodes, d, solid->slope + point * 3 * nodes);
        const SticMat3 F = stic_mat3_add(stic_mat3_identity(), D);
        double psi = 0.0, P[9];
        STIC_TRY(stic_solid_material_energy(&solid->material, D, &psi, P, NULL));
        // sigma = P F'/J; that of the linear material is P itself
        const SticMat3 own = solid->material.kind == STIC_SOLID_LINEAR
                                 ? stic_mat3_load(P)
                                 : stic_mat3_scale(1.0 / stic_mat3_det(F),
                                                   stic_mat3_mul_transpose(stic_mat3_load(P), F));
        sum = stic_mat3_add_scaled(sum, solid->volume[point], own);
        volume += solid->volume[point];
    }
    *stress = stic_mat3_scale(1.0 / volume, sum);
    return STIC_OK;
}

SticStatus stic_solid_inner_force(const SticSystem* system, const SticState* state, int32_t node,
                                  SticVec3* force)
{
    STIC_ASSERT(system != NULL);
    STIC_ASSERT(state != NULL);
    STIC_ASSERT(force != NULL);
    const SticSolid* solid = stic_solid_of(system);
    const int32_t nodes = stic_solid_cell_nodes(solid->mesh.kind);
    *force = stic_vec3_zero();
    for (int32_t cell = 0; cell < solid->mesh.cells; ++cell)
        for (int32_t a = 0; a < nodes; ++a) {
            double energy, gradient[MOST];
            if (solid->mesh.cell[(int64_t)cell * nodes + a] != node)
                continue;
            STIC_TRY(stic_solid_cell_energy(solid, state, cell, &energy, gradient, NULL));
            *force = stic_vec3_sub(*force, stic_vec3_load(gradient + 3 * a));
        }
    return STIC_OK;
}

// SPDX-License-Identifier: Apache-2.0
// Stacks of deformable cubes: the CUBE family of Koziara's thesis, section 13.3, as problems in
// global form.
//
// size^3 cubes of edge 0.1 m (E = 15.5 GPa, nu = 0.2, 2200 kg/m^3) on a rigid foundation under the
// gravity (2, 2, -10) m/s^2, one contact point in the middle of every shared face: 3 n^2 (n - 1) +
// n^2 contacts, CUBE1 to 3 are n = 3, 5, 7. Bodies are pseudo-rigid: velocities (x', rows of F'),
// St Venant-Kirchhoff material. One quasi-static step of h = 1 (section 5.3):
//     (M + h^2 K(F)) v = h (weight - V P(F)) + H r
// Inertia is scaled by the rules of that section: E0 so that lambda_max(E0^-1 K(I)) h = 4, which is
// E0 = V (3 lambda + 2 mu) h/4 since the stiffest mode is a change of volume; and every mass to
// m = f_max h^2/l_max with l_max = 1 mm, f_max the weight of a cube; the weight keeps the true
// mass. Frames and arms are frozen, only F follows the increments.
// In a header of its own since benchmarks link no test helpers.
#ifndef STIC_TEST_HELPERS_CUBES_H
#define STIC_TEST_HELPERS_CUBES_H

#include <math.h>
#include <string.h>

#include "sparse/sparse.h"
#include "stiction/extend/base.h"
#include "stiction/extend/problem.h"
#include "stiction/extend/sparse.h"

enum { CUBES_DOF = 12 };

/// A stack with its memory; `problem` points into it.
typedef struct Cubes {
    SticProblem problem;
    SticArena* arena;
    int32_t size, bodies, contacts;
    double (*F)[9]; ///< [bodies] deformation gradients
    SticMass mass;
    SticBlockCsr A, inverse, Ht;
    int32_t *row_at, *body_at, *begin, *col, *mass_begin, *mass_col;
    int64_t *value_at, *mass_value_at;
    double *value, *mass_value, *f, *w;
    double (*coef)[4];
    uint8_t* law;
} Cubes;

static const double cubes_edge = 0.1, cubes_density = 2200.0, cubes_step = 1.0,
                    cubes_largest_move = 1e-3;
static const double cubes_gravity[3] = {2.0, 2.0, -10.0};
static const double cubes_young = 15.5e9, cubes_poisson = 0.2;

/// Force V P(F) and tangent K = V dP/dF, F by rows.
static inline void cubes_material(const double F[9], double force[9], double K[81])
{
    const double V = cubes_edge * cubes_edge * cubes_edge;
    const double lambda =
        cubes_young * cubes_poisson / ((1.0 + cubes_poisson) * (1.0 - 2.0 * cubes_poisson));
    const double mu = cubes_young / (2.0 + 2.0 * cubes_poisson);
    double S[9], FF[9], trace = 0.0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            double strain = i == j ? -0.5 : 0.0, square = 0.0;
            for (int k = 0; k < 3; ++k) {
                strain += 0.5 * F[3 * k + i] * F[3 * k + j];
                square += F[3 * i + k] * F[3 * j + k];
            }
            S[3 * i + j] = 2.0 * mu * strain;
            FF[3 * i + j] = square;
            trace += i == j ? strain : 0.0;
        }
    for (int i = 0; i < 3; ++i)
        S[4 * i] += lambda * trace;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            force[3 * i + j] = 0.0;
            for (int k = 0; k < 3; ++k)
                force[3 * i + j] += V * F[3 * i + k] * S[3 * k + j];
            for (int k = 0; k < 3; ++k)
                for (int l = 0; l < 3; ++l)
                    K[9 * (3 * i + j) + 3 * k + l] =
                        V * ((i == k ? S[3 * l + j] : 0.0) + lambda * F[3 * i + j] * F[3 * k + l] +
                             mu * (F[3 * i + l] * F[3 * k + j] + (j == l ? FF[3 * i + k] : 0.0)));
        }
}

/// Matrix and right-hand side for the present F.
static inline SticStatus cubes_assemble(Cubes* cubes, SticError* error)
{
    const double h = cubes_step, V = cubes_edge * cubes_edge * cubes_edge;
    const double lambda =
        cubes_young * cubes_poisson / ((1.0 + cubes_poisson) * (1.0 - 2.0 * cubes_poisson));
    const double mu = cubes_young / (2.0 + 2.0 * cubes_poisson);
    const double E0 = 0.25 * V * (3.0 * lambda + 2.0 * mu) * h;
    const double weight = cubes_density * V * sqrt(4.0 + 4.0 + 100.0);
    const double mass = weight * h * h / cubes_largest_move;
    for (int32_t b = 0; b < cubes->bodies; ++b) {
        double force[9], K[81];
        double* M = cubes->mass_value + 144 * (int64_t)b;
        double* f = cubes->f + CUBES_DOF * b;
        cubes_material(cubes->F[b], force, K);
        memset(M, 0, 144 * sizeof *M);
        for (int i = 0; i < 3; ++i) {
            M[13 * i] = mass;
            f[i] = h * cubes_density * V * cubes_gravity[i];
        }
        for (int i = 0; i < 9; ++i) {
            f[3 + i] = -h * force[i];
            for (int j = 0; j < 9; ++j)
                M[12 * (3 + i) + 3 + j] = (i == j ? E0 : 0.0) + h * h * K[9 * i + j];
        }
    }
    return stic_block_csr_invert_diagonal(&cubes->A, cubes->arena, &cubes->inverse, error);
}

/// Rows (N, T1, T2) of a body, its contact point in the middle of a face.
static inline void cubes_add_block(Cubes* cubes, int32_t c, int32_t body, int axis, bool above)
{
    const int32_t block = cubes->begin[c + 1]++;
    double* to = cubes->value + 36 * (int64_t)block;
    for (int row = 0; row < 3; ++row) {
        const int d = (axis + row) % 3;
        // the body above is pushed along the axis, its arm is -edge/2
        to[12 * row + d] = above ? 1.0 : -1.0;
        to[12 * row + 3 + 3 * d + axis] = -0.5 * cubes_edge;
    }
    cubes->col[block] = body;
    cubes->value_at[block + 1] = 36 * ((int64_t)block + 1);
}

/// Contact between `below` (-1: foundation) and `above`.
static inline void cubes_add_contact(Cubes* cubes, int32_t below, int32_t above, int axis)
{
    const int32_t c = cubes->contacts++;
    cubes->begin[c + 1] = cubes->begin[c];
    cubes->row_at[c + 1] = 3 * (c + 1);
    if (below >= 0)
        cubes_add_block(cubes, c, below, axis, false);
    cubes_add_block(cubes, c, above, axis, true);
}

static inline void cubes_connect(Cubes* cubes)
{
    const int32_t n = cubes->size, stride[3] = {n * n, n, 1};
    for (int32_t b = 0; b < cubes->bodies; ++b) {
        const int32_t place[3] = {b / (n * n), b / n % n, b % n};
        for (int axis = 0; axis < 3; ++axis)
            if (place[axis] + 1 < n)
                cubes_add_contact(cubes, b, b + stride[axis], axis);
        if (place[2] == 0)
            cubes_add_contact(cubes, -1, b, 2);
    }
}

static inline SticStatus cubes_take(Cubes* cubes)
{
    const int32_t n = cubes->size, bodies = n * n * n, contacts = 3 * n * n * (n - 1) + n * n;
    STIC_TRY(STIC_TAKE(cubes->arena, &cubes->F, bodies));
    STIC_TRY(STIC_TAKE(cubes->arena, &cubes->row_at, contacts + 1));
    STIC_TRY(STIC_TAKE(cubes->arena, &cubes->begin, contacts + 1));
    STIC_TRY(STIC_TAKE(cubes->arena, &cubes->col, 2 * contacts));
    STIC_TRY(STIC_TAKE(cubes->arena, &cubes->value_at, 2 * contacts + 1));
    STIC_TRY(STIC_TAKE(cubes->arena, &cubes->value, 72 * contacts));
    STIC_TRY(STIC_TAKE(cubes->arena, &cubes->law, contacts));
    STIC_TRY(STIC_TAKE(cubes->arena, &cubes->coef, contacts));
    STIC_TRY(STIC_TAKE(cubes->arena, &cubes->w, 3 * contacts));
    STIC_TRY(STIC_TAKE(cubes->arena, &cubes->body_at, bodies + 1));
    STIC_TRY(STIC_TAKE(cubes->arena, &cubes->mass_begin, bodies + 1));
    STIC_TRY(STIC_TAKE(cubes->arena, &cubes->mass_col, bodies));
    STIC_TRY(STIC_TAKE(cubes->arena, &cubes->mass_value_at, bodies + 1));
    STIC_TRY(STIC_TAKE(cubes->arena, &cubes->mass_value, 144 * bodies));
    STIC_TRY(STIC_TAKE(cubes->arena, &cubes->f, CUBES_DOF * bodies));
    memset(cubes->value, 0, 72 * (size_t)contacts * sizeof(double));
    memset(cubes->w, 0, 3 * (size_t)contacts * sizeof(double));
    cubes->row_at[0] = cubes->begin[0] = cubes->body_at[0] = cubes->mass_begin[0] = 0;
    cubes->value_at[0] = cubes->mass_value_at[0] = 0;
    for (int32_t b = 0; b < bodies; ++b) {
        cubes->body_at[b + 1] = CUBES_DOF * (b + 1);
        cubes->mass_begin[b + 1] = b + 1;
        cubes->mass_col[b] = b;
        cubes->mass_value_at[b + 1] = 144 * ((int64_t)b + 1);
        for (int k = 0; k < 9; ++k)
            cubes->F[b][k] = k % 4 == 0 ? 1.0 : 0.0;
    }
    cubes->bodies = bodies;
    return STIC_OK;
}

/// Make a stack of size^3 cubes; release it with cubes_release, whatever the status.
static inline SticStatus cubes_create(const SticContext* context, int32_t size, double mu,
                                      Cubes* cubes, SticError* error)
{
    *cubes = (Cubes){.size = size};
    STIC_TRY(stic_arena_create(context, 0, &cubes->arena));
    STIC_TRY(cubes_take(cubes));
    cubes_connect(cubes);
    const int32_t n = cubes->bodies, m = cubes->contacts;
    for (int32_t c = 0; c < m; ++c) {
        cubes->law[c] = STIC_LAW_CONE;
        memcpy(cubes->coef[c], (const double[4]){mu}, sizeof cubes->coef[c]);
    }
    cubes->A = (SticBlockCsr){n,
                              n,
                              cubes->body_at,
                              cubes->body_at,
                              cubes->mass_begin,
                              cubes->mass_col,
                              cubes->mass_value_at,
                              cubes->mass_value};
    cubes->Ht = (SticBlockCsr){
        m,           n, cubes->row_at, cubes->body_at, cubes->begin, cubes->col, cubes->value_at,
        cubes->value};
    cubes->mass = (SticMass){.kind = STIC_MASS_BLOCKS, .A = &cubes->A, .inverse = &cubes->inverse};
    cubes->problem = (SticProblem){.count = m,
                                   .rows = 3 * m,
                                   .dof = CUBES_DOF * n,
                                   .row_at = cubes->row_at,
                                   .law = cubes->law,
                                   .coef = (const double(*)[4])cubes->coef,
                                   .M = &cubes->mass,
                                   .Ht = &cubes->Ht,
                                   .f = cubes->f,
                                   .w = cubes->w};
    return cubes_assemble(cubes, error);
}

/// Next increment: F moves with the velocities that belong to the reactions r.
static inline SticStatus cubes_advance(Cubes* cubes, const double* r, SticError* error)
{
    double* v = cubes->f;
    stic_block_csr_multiply_transpose(1.0, &cubes->Ht, r, 1.0, v);
    for (int32_t b = 0; b < cubes->bodies; ++b)
        for (int i = 0; i < 9; ++i) {
            const double* row = cubes->inverse.value + 144 * (int64_t)b + 12 * (3 + i);
            double rate = 0.0;
            for (int j = 0; j < CUBES_DOF; ++j)
                rate += row[j] * v[CUBES_DOF * b + j];
            cubes->F[b][i] += cubes_step * rate;
        }
    return cubes_assemble(cubes, error);
}

static inline void cubes_release(Cubes* cubes)
{
    stic_arena_destroy(cubes->arena);
}

#endif

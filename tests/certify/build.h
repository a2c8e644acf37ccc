// SPDX-License-Identifier: Apache-2.0
// Small dense one-step problems for the tests of existence and enumeration.
#ifndef STIC_TEST_CERTIFY_BUILD_H
#define STIC_TEST_CERTIFY_BUILD_H

#include "helpers/solve.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stiction/extend/certify.h"
#include "stiction/extend/problem.h"
#include "stiction/extend/solver.h"
#include "stiction/extend/sparse.h"

enum { BUILD_ROWS = 64, BUILD_DOF = 64 };

/// A problem written down by hand: contacts of 2 or 3 rows (1: no friction), unit blocks.
typedef struct BuildDef {
    int32_t contacts, rows_each, dof;
    double H[BUILD_ROWS * BUILD_DOF]; ///< H' by rows, rows x dof
    double w[BUILD_ROWS], mu[BUILD_ROWS];
    double mass[BUILD_DOF], f[BUILD_DOF];
} BuildDef;

/// Its view with the memory behind it; not to be moved.
typedef struct Build {
    SticProblem problem;
    SticMass mass;
    SticBlockCsr A, inverse, Ht;
    int32_t row_at[BUILD_ROWS + 1], dof_at[BUILD_DOF + 1];
    double coef[BUILD_ROWS][4], inverse_mass[BUILD_DOF];
    uint8_t law[BUILD_ROWS];
    double dense[BUILD_DOF * BUILD_DOF];
} Build;

/// Global form.
static inline void build_global(SticArena* arena, const BuildDef* def, Build* made)
{
    const SticPartition masses = {
        .rows = def->dof, .cols = def->dof, .row_at = made->dof_at, .col_at = made->dof_at};
    const SticPartition jacobian = {
        .rows = def->contacts, .cols = def->dof, .row_at = made->row_at, .col_at = made->dof_at};
    memset(made, 0, sizeof *made);
    for (int32_t k = 0; k <= def->dof; ++k)
        made->dof_at[k] = k;
    for (int32_t i = 0; i <= def->contacts; ++i)
        made->row_at[i] = i * def->rows_each;
    for (int32_t i = 0; i < def->contacts; ++i) {
        made->law[i] = def->rows_each == 1 ? STIC_LAW_NONNEG : STIC_LAW_CONE;
        made->coef[i][0] = def->rows_each == 1 ? 0.0 : def->mu[i];
    }
    for (int32_t k = 0; k < def->dof; ++k)
        made->dense[k * def->dof + k] = def->mass[k];
    assert_int_equal(stic_block_csr_from_dense(&masses, made->dense, arena, &made->A), STIC_OK);
    for (int32_t k = 0; k < def->dof; ++k)
        made->dense[k * def->dof + k] = 1.0 / def->mass[k];
    assert_int_equal(stic_block_csr_from_dense(&masses, made->dense, arena, &made->inverse),
                     STIC_OK);
    assert_int_equal(stic_block_csr_from_dense(&jacobian, def->H, arena, &made->Ht), STIC_OK);
    made->mass = (SticMass){.kind = STIC_MASS_BLOCKS, .A = &made->A, .inverse = &made->inverse};
    made->problem = (SticProblem){.count = def->contacts,
                                  .rows = def->contacts * def->rows_each,
                                  .dof = def->dof,
                                  .row_at = made->row_at,
                                  .law = made->law,
                                  .coef = (const double(*)[4])made->coef,
                                  .M = &made->mass,
                                  .Ht = &made->Ht,
                                  .f = def->f,
                                  .w = def->w};
}

/// The same problem as W and b only, in memory of `arena`.
static inline SticProblem build_local(SticArena* arena, const SticProblem* global)
{
    SticProblem local;
    SticError error = {0};
    assert_int_equal(stic_problem_condense(arena, global, &local, &error), STIC_OK);
    local.dof = 0;
    local.M = NULL;
    local.Ht = local.Pt = NULL;
    local.f = local.w = NULL;
    return local;
}

static inline SticArena* build_arena(void)
{
    const SticContext context = stic_context_default();
    SticArena* arena = NULL;
    assert_int_equal(stic_arena_create(&context, 1 << 18, &arena), STIC_OK);
    return arena;
}

/// Decide with given settings; the arrays of the answer are in `arena`.
static inline SticExistence build_decide_by(SticArena* arena, const SticProblem* problem,
                                            SticExistenceSettings settings)
{
    SticExistence result;
    SticError error = {0};
    if (stic_existence_decide(problem, &settings, arena, &result, &error) != STIC_OK)
        fail_msg("%s", error.text);
    return result;
}

/// With default settings.
static inline SticExistence build_decide(SticArena* arena, const SticProblem* problem)
{
    return build_decide_by(arena, problem, stic_existence_default_settings());
}

/// The bar of examples 1 and 2: one velocity, m = l = h = 1, v0 = 0.
typedef struct BuildBar {
    double theta, mu, u0, g;
} BuildBar;

static inline void build_bar(SticArena* arena, const BuildBar* bar, BuildDef* def, Build* made)
{
    *def = (BuildDef){.contacts = 1, .rows_each = 2, .dof = 1, .mass = {1.0}, .mu = {bar->mu}};
    def->H[0] = sin(bar->theta);
    def->H[1] = cos(bar->theta);
    def->w[1] = bar->u0;
    def->f[0] = bar->g * sin(bar->theta); // ours has the other sign
    build_global(arena, def, made);
}

/// Example 3: a ball of three translations between a ground at rest and a plane that comes down
/// with `speed`.
static inline void build_ball(SticArena* arena, double speed, double mu, BuildDef* def, Build* made)
{
    *def = (BuildDef){
        .contacts = 2, .rows_each = 3, .dof = 3, .mass = {2.0, 2.0, 2.0}, .mu = {mu, mu}};
    def->H[0 * 3 + 2] = 1.0;
    def->H[1 * 3 + 0] = def->H[2 * 3 + 1] = 1.0;
    def->H[3 * 3 + 2] = -1.0;
    def->H[4 * 3 + 0] = def->H[5 * 3 + 1] = 1.0;
    def->w[3] = -speed;
    def->f[2] = -9.81;
    build_global(arena, def, made);
}

#endif

// SPDX-License-Identifier: Apache-2.0
// One combination of contact states: equations, inequalities, refutation.
//
//   state    unknowns        equations      inequalities
//   open     none            none           u_N >= 0
//   closed   r_N             u_N = 0        r_N >= 0
//   stick    r               u = 0          |r_T| <= mu r_N
//   slide    r_N             u_N = 0        r_N >= 0, side u_T >= 0   with r_T = -side mu r_N
//   joint    r               u = 0          none
// As many equations as unknowns, E z = g. Regular: one z, which obeys the inequalities or violates
// one of them, a . z + c < 0; then E' l = -a gives multipliers (l, 1) that refute the branch for
// all z. Singular: a feasibility problem; the margin program of rows.c finds a z inside, or
// multipliers. Multipliers of either kind are substituted by verify.c.
// Cost: a dense factorisation per branch; singular ones some twenty of them.
#include "certify/rows.h"

#include <math.h>
#include <string.h>

#include "math/math.h"
#include "stiction/extend/base.h"

/* ---- unknowns and equations ---- */

static void fill_equations(SticMinor* minor, int32_t unknowns)
{
    for (int32_t e = 0; e < unknowns; ++e) {
        for (int32_t k = 0; k < unknowns; ++k)
            minor->E[e * unknowns + k] = minor->WC[minor->row[e] * minor->rows + k];
        minor->g[e] = -minor->b[minor->row[e]];
    }
}

int32_t stic_branch_equations(SticMinor* minor, const uint8_t* state)
{
    STIC_ASSERT(minor != NULL && state != NULL);
    const int32_t unknowns = stic_minor_unknowns(minor, state);
    fill_equations(minor, unknowns);
    memcpy(minor->factor, minor->E, (size_t)(unknowns * unknowns) * sizeof *minor->factor);
    return unknowns;
}

static void set_solution(SticMinor* minor, int32_t unknowns)
{
    const int32_t n = minor->rows;
    for (int32_t k = 0; k < n; ++k) {
        minor->x[k] = 0.0;
        for (int32_t j = 0; j < unknowns; ++j)
            minor->x[k] += minor->C[k * n + j] * minor->z[j];
    }
    stic_minor_velocity(minor, minor->x, minor->y);
}

/* ---- refutation of a regular branch ---- */

// value of inequality block j of the condition at z, and its multipliers with E' l = -a
static double block_value(const SticMinor* minor, const SticRows* rows, int32_t j,
                          double* direction)
{
    const int32_t at = minor->row_at[j], n = minor->row_at[j + 1] - at;
    double value[3] = {0.0}, across = 0.0;
    for (int32_t k = 0; k < n; ++k) {
        value[k] = minor->c[at + k];
        for (int32_t l = 0; l < rows->unknowns; ++l)
            value[k] += minor->S[(at + k) * rows->unknowns + l] * minor->z[l];
        across += k > 0 ? value[k] * value[k] : 0.0;
    }
    across = sqrt(across);
    const double mu = minor->law[j] == STIC_LAW_CONE ? minor->coef[j][0] : 0.0;
    direction[0] = 1.0;
    // a rounding inside the dual cone
    for (int32_t k = 1; k < n; ++k)
        direction[k] = across > 0.0 ? -(1.0 - 0x1p-50) * mu * value[k] / across : 0.0;
    return value[0] - mu * across;
}

// multipliers of block j and of the equations before it; true if the verifier accepts them
static SticStatus refute_by(SticRows* rows, int32_t j, const double* direction, bool* refuted)
{
    SticMinor* minor = rows->minor;
    const SticArenaMark mark = stic_arena_mark(minor->arena);
    const int32_t at = minor->row_at[j], n = minor->row_at[j + 1] - at;
    SticBlockCsr S;
    SticProblem condition;
    SticCertificateCheck check;
    memset(minor->multiplier, 0, (size_t)rows->rows * sizeof *minor->multiplier);
    memset(minor->back, 0, (size_t)rows->unknowns * sizeof *minor->back);
    for (int32_t k = 0; k < n; ++k) {
        minor->multiplier[at + k] = direction[k];
        for (int32_t l = 0; l < rows->unknowns; ++l)
            minor->back[l] -= direction[k] * minor->S[(at + k) * rows->unknowns + l];
    }
    if (rows->unknowns > 0)
        stic_dense_lu_solve_transpose(rows->unknowns, minor->factor, minor->pivot, minor->back);
    memcpy(minor->multiplier, minor->back, (size_t)rows->unknowns * sizeof *minor->multiplier);
    STIC_TRY(stic_rows_condition(rows, &S, &condition));
    STIC_TRY(stic_certificate_verify(minor->arena, &condition, STIC_CONDITION_SUFFICIENT,
                                     minor->settings->reach, minor->multiplier, &check));
    *refuted = check.valid && check.most < 0.0;
    stic_arena_rewind(minor->arena, mark);
    return STIC_OK;
}

// equations of the branch as joints, then its inequalities
SticRows stic_branch_rows(SticMinor* minor, const uint8_t* state, int32_t unknowns)
{
    STIC_ASSERT(unknowns >= 0);
    SticRows rows = stic_rows_begin(minor, unknowns);
    for (int32_t e = 0; e < unknowns; ++e) {
        stic_rows_add(&rows, minor->row[e], 1.0, true);
        stic_rows_end(&rows, STIC_LAW_FREE, 0.0);
    }
    for (int32_t i = 0; i < minor->count; ++i)
        stic_rows_inequalities(&rows, state, i, true);
    return rows;
}

static SticStatus refute(SticMinor* minor, const uint8_t* state, int32_t unknowns, bool* refuted)
{
    SticRows rows = stic_branch_rows(minor, state, unknowns);
    *refuted = false;
    for (int32_t j = unknowns; j < rows.count && !*refuted; ++j) {
        double direction[3];
        if (block_value(minor, &rows, j, direction) < 0.0)
            STIC_TRY(refute_by(&rows, j, direction, refuted));
    }
    return STIC_OK;
}

/* ---- branches ---- */

static SticStatus solve_singular(SticMinor* minor, const uint8_t* state, int32_t unknowns,
                                 SticBranchEnd* end)
{
    SticRows rows = stic_branch_rows(minor, state, unknowns);
    SticCertificateCheck check;
    double margin = 0.0;
    STIC_TRY(stic_rows_inspect(&rows, &check, &margin));
    const double bound = check.most < INFINITY ? check.most : check.value;
    *end = check.valid && bound < -minor->settings->tolerance ? STIC_BRANCH_REFUTED
                                                              : STIC_BRANCH_UNDECIDED;
    if (margin < -minor->settings->tolerance)
        return STIC_OK;
    set_solution(minor, unknowns);
    if (stic_minor_obeys(minor, state, minor->x, minor->y))
        *end = STIC_BRANCH_SOLVED;
    return STIC_OK;
}

SticStatus stic_branch_solve(SticMinor* minor, const uint8_t* state, SticBranchEnd* end,
                             int32_t* motion)
{
    // beyond this condition number no digit of a solution is left at the tolerance
    const double regular = 1e12;
    const int32_t unknowns = stic_branch_equations(minor, state);
    bool refuted = false;
    *motion = 0;
    const bool singular =
        unknowns > 0 &&
        (stic_dense_lu(unknowns, minor->factor, minor->pivot) != STIC_OK ||
         !(stic_dense_lu_condition(unknowns, minor->factor, minor->pivot,
                                   stic_dense_norm1(unknowns, minor->E), minor->S) < regular));
    if (singular && !minor->singular_too) {
        *end = STIC_BRANCH_LATER;
        return STIC_OK;
    }
    if (singular) {
        STIC_TRY(solve_singular(minor, state, unknowns, end));
        return *end == STIC_BRANCH_SOLVED ? stic_branch_spread(minor, state, unknowns, motion)
                                          : STIC_OK;
    }
    memcpy(minor->z, minor->g, (size_t)unknowns * sizeof *minor->z);
    if (unknowns > 0)
        stic_dense_lu_solve(unknowns, minor->factor, minor->pivot, minor->z);
    set_solution(minor, unknowns);
    *end = STIC_BRANCH_SOLVED;
    if (stic_minor_obeys(minor, state, minor->x, minor->y))
        return STIC_OK;
    STIC_TRY(refute(minor, state, unknowns, &refuted));
    *end = refuted ? STIC_BRANCH_REFUTED : STIC_BRANCH_UNDECIDED;
    return STIC_OK;
}

SticStatus stic_branch_relax(SticMinor* minor, const uint8_t* state, bool* refuted)
{
    const SticProblem* problem = minor->problem;
    const SticArenaMark mark = stic_arena_mark(minor->arena);
    uint8_t* relaxed = NULL;
    SticCertificateCheck check;
    double margin = 0.0;
    STIC_TRY(STIC_TAKE(minor->arena, &relaxed, minor->count + 1));
    for (int32_t i = 0; i < minor->count; ++i)
        relaxed[i] = stic_minor_slips(minor, state, i) ? (uint8_t)STIC_STATE_STICK : state[i];
    const int32_t unknowns = stic_minor_unknowns(minor, relaxed);
    SticRows rows = stic_rows_begin(minor, unknowns);
    for (int32_t i = 0; i < minor->count; ++i)
        for (int32_t k = problem->row_at[i]; k < problem->row_at[i + 1]; ++k) {
            const bool all = relaxed[i] == STIC_STATE_JOINT ||
                             (relaxed[i] == STIC_STATE_STICK && !stic_minor_slips(minor, state, i));
            if (relaxed[i] == STIC_STATE_OPEN || (k > problem->row_at[i] && !all))
                continue;
            stic_rows_add(&rows, k, 1.0, true);
            stic_rows_end(&rows, STIC_LAW_FREE, 0.0);
        }
    for (int32_t i = 0; i < minor->count; ++i)
        stic_rows_inequalities(&rows, relaxed, i, true);
    STIC_TRY(stic_rows_inspect(&rows, &check, &margin));
    const double bound = check.most < INFINITY ? check.most : check.value;
    *refuted = check.valid && bound < -minor->settings->tolerance;
    stic_arena_rewind(minor->arena, mark);
    return STIC_OK;
}

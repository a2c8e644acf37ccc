// SPDX-License-Identifier: Apache-2.0
// The set of reactions that belong to one motion: its dimension, and a point inside.
//
// Given u, the reactions are r = 0 in open contacts, a ray in sliding ones, a cone in those that
// stick, with W r = u - b: a convex set. Its dimension is unknowns minus rank on the smallest face
// that holds it: rows whose multiplier is positive where the largest margin is 0 vanish on the
// whole set and become equations, until the margin is positive (facial reduction). Cost: one margin
// program per round, at most two rounds per contact.
#include "certify/rows.h"

#include <math.h>
#include <string.h>

#include "math/math.h"
#include "stiction/extend/base.h"

// unknowns of the reactions that a motion leaves open: sliding in space along its own direction
static int32_t fill_directions(SticMinor* minor, const uint8_t* state, const double* y)
{
    const SticProblem* problem = minor->problem;
    const int32_t n = minor->rows, unknowns = stic_minor_unknowns(minor, state);
    for (int32_t j = 0; j < unknowns; ++j)
        for (int32_t i = 0; i < minor->count; ++i) {
            const int32_t at = problem->row_at[i];
            // stic_minor_unknowns wrote the direction of a planar contact
            if (minor->row[j] != at || state[i] != STIC_STATE_SLIDE ||
                problem->row_at[i + 1] - at != 3)
                continue;
            const double length = sqrt(y[at + 1] * y[at + 1] + y[at + 2] * y[at + 2]);
            for (int32_t k = 1; k < 3; ++k)
                minor->C[(at + k) * n + j] =
                    length > 0.0 ? -stic_minor_mu(minor, i) * y[at + k] / length : 0.0;
        }
    stic_dense_mul(n, n, n, minor->W, minor->C, minor->WC);
    return unknowns;
}

// a motion's force set on the way to its smallest face
typedef struct Face {
    uint8_t* state; // [count] sliding where only a ray of a cone is left
    double* way;    // [rows] y, or the opposite of that ray
    uint8_t* fixed; // [2 count] inequalities that have become equations
} Face;

// W C z = y - b, then the inequalities of the reactions; fixed ones as equations
static SticRows force_rows(SticMinor* minor, const Face* face, const double* y, int32_t unknowns)
{
    SticRows rows = stic_rows_begin(minor, unknowns);
    for (int32_t k = 0; k < minor->rows; ++k) {
        stic_rows_add(&rows, k, 1.0, true);
        minor->c[rows.rows - 1] -= y[k];
        stic_rows_end(&rows, STIC_LAW_FREE, 0.0);
    }
    for (int32_t i = 0; i < minor->count; ++i) {
        const int32_t before = rows.count;
        stic_rows_inequalities(&rows, face->state, i, false);
        for (int32_t j = before; j < rows.count; ++j)
            if (face->fixed[2 * i + j - before])
                minor->law[j] = STIC_LAW_FREE;
    }
    return rows;
}

// block j of contact i has a positive multiplier: it vanishes on the whole set. Of a cone in space
// a ray is left where the multiplier is on the boundary
static void fix_block(SticMinor* minor, int32_t i, int32_t j, int32_t side, Face* face)
{
    const int32_t at = minor->problem->row_at[i];
    const double* m = minor->multiplier + minor->row_at[j];
    const double across = minor->law[j] == STIC_LAW_CONE ? sqrt(m[1] * m[1] + m[2] * m[2]) : 0.0;
    if (minor->law[j] == STIC_LAW_CONE && across > (1.0 - 1e-6) * minor->coef[j][0] * m[0]) {
        face->state[i] = STIC_STATE_SLIDE;
        face->way[at + 1] = m[1];
        face->way[at + 2] = m[2];
        return;
    }
    face->fixed[2 * i + side] = 1;
}

// how many inequalities were fixed
static int32_t fix_active(SticMinor* minor, const SticRows* rows, Face* face)
{
    double most = 0.0;
    int32_t more = 0, j = minor->rows;
    for (int32_t k = minor->rows; k < rows->count; ++k)
        if (minor->law[k] != STIC_LAW_FREE && minor->multiplier[minor->row_at[k]] > most)
            most = minor->multiplier[minor->row_at[k]];
    for (int32_t i = 0; i < minor->count; ++i) {
        const SticProblem* problem = minor->problem;
        const bool open = face->state[i] == STIC_STATE_OPEN || face->state[i] == STIC_STATE_JOINT;
        const bool edges =
            face->state[i] == STIC_STATE_STICK && problem->row_at[i + 1] - problem->row_at[i] == 2;
        for (int32_t side = 0; !open && side < (edges ? 2 : 1); ++side, ++j)
            // a strictly complementary multiplier: those of the others vanish
            if (minor->law[j] != STIC_LAW_FREE && most > 0.0 &&
                minor->multiplier[minor->row_at[j]] > 1e-3 * most) {
                fix_block(minor, i, j, side, face);
                more += 1;
            }
    }
    return more;
}

// dimension of the solutions of the equations, those of the face included
static SticStatus equation_nullity(SticMinor* minor, const SticRows* rows, int32_t* nullity)
{
    const SticArenaMark mark = stic_arena_mark(minor->arena);
    int32_t equations = 0;
    double* A = NULL;
    STIC_TRY(STIC_TAKE(minor->arena, &A, (size_t)(rows->rows * rows->unknowns) + 1));
    for (int32_t j = 0; j < rows->count; ++j)
        for (int32_t k = minor->row_at[j]; k < minor->row_at[j + 1]; ++k)
            if (minor->law[j] == STIC_LAW_FREE)
                memcpy(A + rows->unknowns * equations++, minor->S + k * rows->unknowns,
                       (size_t)rows->unknowns * sizeof *A);
    *nullity = rows->unknowns - stic_rows_rank(equations, rows->unknowns, A);
    stic_arena_rewind(minor->arena, mark);
    return STIC_OK;
}

SticStatus stic_branch_forces(SticMinor* minor, const uint8_t* state, const double* y, double* x,
                              int32_t* dimension)
{
    // the motion itself is known to the tolerance only
    const double inside = 10.0 * minor->settings->tolerance;
    const int32_t n = minor->rows;
    const SticArenaMark mark = stic_arena_mark(minor->arena);
    Face face;
    STIC_TRY(STIC_TAKE(minor->arena, &face.state, minor->count + 1));
    STIC_TRY(STIC_TAKE(minor->arena, &face.fixed, 2 * minor->count + 1));
    STIC_TRY(STIC_TAKE(minor->arena, &face.way, n + 1));
    memcpy(face.state, state, (size_t)minor->count);
    memcpy(face.way, y, (size_t)n * sizeof *y);
    memset(face.fixed, 0, 2 * (size_t)minor->count + 1);
    // every round fixes an inequality or is the last one
    for (int32_t round = 0; round <= 2 * minor->count; ++round) {
        const int32_t unknowns = fill_directions(minor, face.state, face.way);
        SticRows rows = force_rows(minor, &face, y, unknowns);
        SticCertificateCheck check;
        double margin = 0.0;
        STIC_TRY(equation_nullity(minor, &rows, dimension));
        if (*dimension == 0)
            break;
        STIC_TRY(stic_rows_inspect(&rows, &check, &margin));
        for (int32_t k = 0; k < n && margin > inside; ++k) {
            x[k] = 0.0;
            for (int32_t j = 0; j < unknowns; ++j)
                x[k] += minor->C[k * n + j] * minor->z[j];
        }
        if (margin > inside || fix_active(minor, &rows, &face) == 0)
            break;
    }
    stic_arena_rewind(minor->arena, mark);
    return STIC_OK;
}

/* ---- velocities of a branch ---- */

// rank of the equations among the rows, and of them with all velocities
static SticStatus ranks(SticMinor* minor, const SticRows* rows, int32_t* equations, int32_t* both)
{
    const SticArenaMark mark = stic_arena_mark(minor->arena);
    const int32_t n = minor->rows, unknowns = rows->unknowns;
    double *A = NULL, *B = NULL;
    int32_t count = 0;
    STIC_TRY(STIC_TAKE(minor->arena, &A, (size_t)((rows->rows + n) * unknowns) + 1));
    STIC_TRY(STIC_TAKE(minor->arena, &B, (size_t)((rows->rows + n) * unknowns) + 1));
    for (int32_t j = 0; j < rows->count; ++j)
        for (int32_t k = minor->row_at[j]; k < minor->row_at[j + 1]; ++k)
            if (minor->law[j] == STIC_LAW_FREE)
                memcpy(A + unknowns * count++, minor->S + k * unknowns,
                       (size_t)unknowns * sizeof *A);
    memcpy(B, A, (size_t)(count * unknowns) * sizeof *B);
    for (int32_t k = 0; k < n; ++k)
        memcpy(B + unknowns * (count + k), minor->WC + k * n, (size_t)unknowns * sizeof *B);
    *equations = stic_rows_rank(count, unknowns, A);
    *both = stic_rows_rank(count + n, unknowns, B);
    stic_arena_rewind(minor->arena, mark);
    return STIC_OK;
}

SticStatus stic_branch_spread(SticMinor* minor, const uint8_t* state, int32_t unknowns,
                              int32_t* motion)
{
    const double inside = 10.0 * minor->settings->tolerance;
    const SticArenaMark mark = stic_arena_mark(minor->arena);
    uint8_t* fixed = NULL;
    STIC_TRY(STIC_TAKE(minor->arena, &fixed, 3 * (size_t)minor->rows + 1));
    memset(fixed, 0, 3 * (size_t)minor->rows + 1);
    // as for force sets; a cone in space is fixed as a whole
    for (int32_t more = 1; more > 0;) {
        SticRows rows = stic_branch_rows(minor, state, unknowns);
        SticCertificateCheck check;
        int32_t equations = 0, both = 0;
        double margin = 0.0, most = 0.0;
        for (int32_t j = unknowns; j < rows.count; ++j)
            if (fixed[j])
                minor->law[j] = STIC_LAW_FREE;
        STIC_TRY(ranks(minor, &rows, &equations, &both));
        *motion = both - equations;
        if (*motion == 0)
            break;
        STIC_TRY(stic_rows_inspect(&rows, &check, &margin));
        more = 0;
        for (int32_t j = unknowns; j < rows.count && margin <= inside; ++j)
            if (!fixed[j] && minor->multiplier[minor->row_at[j]] > most)
                most = minor->multiplier[minor->row_at[j]];
        for (int32_t j = unknowns; j < rows.count && most > 0.0; ++j)
            if (!fixed[j] && minor->multiplier[minor->row_at[j]] > 1e-3 * most) {
                fixed[j] = 1;
                more += 1;
            }
    }
    stic_arena_rewind(minor->arena, mark);
    return STIC_OK;
}

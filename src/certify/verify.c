// SPDX-License-Identifier: Apache-2.0
// Verifier: substitutes witnesses and certificates into the conditions A and A' and decides the
// verdict from what that gives. It shares no code with the search for them.
//
//   witness      u = S v + c row by row in pairs of doubles;  margin = min_i u_N - mu |u_T|
//                minus its rounding and what 16 roundings of every number in S and c can change
//   certificate  r in K_mu (A) or r_N >= 0, r_T = 0 (A'), r free in joints. For every v with margin s
//                    s sum r_N <= sum r . u = c . r + (S' r) . v <= c . r + sum_k |(S' r)_k| V_k
//                with |v_k| <= V_k = reach max|c| / max_i |S_ik|. S' r = 0 in exact arithmetic; in
//                doubles the last term says how far the velocities reach for which the bound holds.
//
// Acary and Cadoux 2013, section 4.3: A suffices for a solution, A' is necessary; eq. 4.39 for s.
// The rounding of a sum of n products in pairs is at most (n + 4)^2 2^-104 times the sum of the
// absolute values (Ogita, Rump, Oishi 2005, proposition 5.5, with room to spare).
// Cost: one product with S each. Workspace: one pair and one number per velocity.
#include <math.h>
#include <string.h>

#include "certify/condition.h"
#include "math/extended.h"
#include "stiction/extend/base.h"
#include "stiction/extend/law.h"
#include "stiction/extend/sparse.h"

const char* stic_verdict_name(SticVerdict verdict)
{
    static const char* const names[STIC_VERDICT_COUNT] = {"exists-robust", "exists-borderline",
                                                          "unknown", "none"};
    return (unsigned)verdict < STIC_VERDICT_COUNT ? names[verdict] : "unknown";
}

/* ---- the conditions ---- */

SticConditionRows stic_condition_rows(const SticProblem* problem, SticCondition condition,
                                      int32_t i)
{
    STIC_ASSERT(i >= 0 && i < problem->count);
    const int32_t at = problem->row_at[i], rows = problem->row_at[i + 1] - at;
    const SticLaw law = (SticLaw)problem->law[i];
    const bool friction = condition == STIC_CONDITION_SUFFICIENT;
    SticConditionRows made = {.equality = law == STIC_LAW_FREE};
    if (law == STIC_LAW_FREE)
        for (int32_t a = 0; a < rows; ++a) {
            made.row[made.count] = at + a;
            made.factor[made.count++] = 1.0;
        }
    if (law == STIC_LAW_NONNEG || stic_law_has_normal(law)) {
        made.row[made.count] = at;
        made.factor[made.count++] = 1.0;
    }
    if (friction && (law == STIC_LAW_CONE || law == STIC_LAW_CONE_ELLIPSE))
        for (int32_t a = 1; a < rows; ++a) {
            const double mu = problem->coef[i][law == STIC_LAW_CONE ? 0 : a - 1];
            if (!(mu > 0.0))
                continue;
            made.row[made.count] = at + a;
            made.factor[made.count++] = mu;
        }
    return made;
}

bool stic_condition_covers(const SticProblem* problem)
{
    const uint32_t covered = STIC_LAW_BIT(STIC_LAW_FREE) | STIC_LAW_BIT(STIC_LAW_NONNEG) |
                             STIC_LAW_BIT(STIC_LAW_CONE) | STIC_LAW_BIT(STIC_LAW_CONE_ELLIPSE);
    for (int32_t i = 0; i < problem->count; ++i)
        if ((covered & STIC_LAW_BIT(problem->law[i])) == 0)
            return false;
    return true;
}

const SticBlockCsr* stic_condition_matrix(const SticProblem* problem)
{
    if (problem->M == NULL)
        return problem->W;
    return problem->Pt != NULL ? problem->Pt : problem->Ht;
}

double stic_condition_offset(const SticProblem* problem, int32_t row)
{
    const double c = problem->M != NULL ? problem->w[row] : problem->b[row];
    return c + (problem->u_shift != NULL ? problem->u_shift[row] : 0.0);
}

double stic_condition_size(const SticProblem* problem, SticCondition condition)
{
    double most = 0.0;
    for (int32_t i = 0; i < problem->count; ++i) {
        const SticConditionRows rows = stic_condition_rows(problem, condition, i);
        for (int32_t k = 0; k < rows.count; ++k) {
            const double size = fabs(stic_condition_offset(problem, rows.row[k]));
            most = size > most ? size : most;
        }
    }
    return most > 0.0 ? most : 1.0;
}

/* ---- witnesses ---- */

// rounding of a sum of n products in pairs, relative to the sum of the absolute values
static double pair_rounding(int32_t n)
{
    return (n + 4.0) * (n + 4.0) * 0x1p-104;
}

// the data themselves are rounded: a margin that rests on their last bits does not count. A
// singular W in doubles is regular, and a huge v would reach anything
static const double data_rounding = 0x1p-48;

// u of a row as a pair; its rounding
static SticExtended row_velocity(const SticProblem* problem, int32_t i, int32_t row,
                                 const double* v, double* rounding)
{
    const SticBlockCsr* S = stic_condition_matrix(problem);
    const double c = problem->M != NULL ? problem->w[row] : problem->b[row];
    const double shift = problem->u_shift != NULL ? problem->u_shift[row] : 0.0;
    SticExtended sum = stic_extended_sum(c, shift);
    double size = fabs(c) + fabs(shift);
    int32_t terms = 2;
    for (int32_t e = S->begin[i]; e < S->begin[i + 1]; ++e) {
        const int32_t col = S->col_at[S->col[e]], n = S->col_at[S->col[e] + 1] - col;
        const double* a = S->value + S->value_at[e] + (int64_t)(row - S->row_at[i]) * n;
        sum = stic_extended_dot_pair(sum, a, v + col, (size_t)n);
        for (int32_t k = 0; k < n; ++k)
            size += fabs(a[k] * v[col + k]);
        terms += n;
    }
    *rounding = (pair_rounding(terms) + data_rounding) * size;
    return sum;
}

// u_N - |factor u_T| of the rows of a cone, from below
static double cone_margin(const SticProblem* problem, int32_t i, const SticConditionRows* rows,
                          const double* v)
{
    SticExtended square = stic_extended_from(0.0);
    double rounding = 0.0, slack = 0.0;
    for (int32_t k = 1; k < rows->count; ++k) {
        const SticExtended u = stic_extended_mul_double(
            row_velocity(problem, i, rows->row[k], v, &rounding), rows->factor[k]);
        square = stic_extended_add(square, stic_extended_mul(u, u));
        slack += rows->factor[k] * rounding;
    }
    const SticExtended across = stic_extended_sqrt(square);
    const SticExtended normal = row_velocity(problem, i, rows->row[0], v, &rounding);
    slack += rounding + 0x1p-98 * (fabs(normal.high) + across.high);
    const SticExtended margin = stic_extended_sub(normal, across);
    return stic_extended_value(stic_extended_add_double(margin, -slack));
}

SticStatus stic_witness_verify(SticArena* scratch, const SticProblem* problem,
                               SticCondition condition, const double* v, SticWitnessCheck* check)
{
    STIC_ASSERT(scratch != NULL);
    STIC_ASSERT(problem != NULL);
    STIC_ASSERT(check != NULL);
    (void)scratch;
    *check = (SticWitnessCheck){.margin = INFINITY, .joint = 0.0};
    for (int32_t i = 0; i < problem->count; ++i) {
        const SticConditionRows rows = stic_condition_rows(problem, condition, i);
        for (int32_t k = 0; rows.equality && k < rows.count; ++k) {
            double rounding = 0.0;
            const SticExtended u = row_velocity(problem, i, rows.row[k], v, &rounding);
            const double size = fabs(stic_extended_value(u)) + rounding;
            // written so that a value that is not a number counts
            if (!(size <= check->joint))
                check->joint = isnan(size) ? INFINITY : size;
        }
        if (rows.equality || rows.count == 0)
            continue;
        const double margin = cone_margin(problem, i, &rows, v);
        if (!(margin >= check->margin))
            check->margin = isnan(margin) ? -INFINITY : margin;
    }
    return STIC_OK;
}

/* ---- certificates ---- */

// whether the multipliers of one interaction are in the dual set of the condition
static bool in_dual(const SticProblem* problem, int32_t i, const SticConditionRows* rows,
                    const double* r)
{
    bool used[STIC_CONDITION_ROWS] = {false};
    for (int32_t k = 0; k < rows->count; ++k)
        used[rows->row[k] - problem->row_at[i]] = true;
    for (int32_t row = problem->row_at[i]; row < problem->row_at[i + 1]; ++row)
        if (!isfinite(r[row]) || (!used[row - problem->row_at[i]] && r[row] != 0.0))
            return false;
    if (rows->equality || rows->count == 0)
        return true;
    // |r_T / factor| <= r_N, compared as squares in pairs and from the safe side
    SticExtended square = stic_extended_from(0.0);
    for (int32_t k = 1; k < rows->count; ++k) {
        const SticExtended part = stic_extended_div(stic_extended_from(r[rows->row[k]]),
                                                    stic_extended_from(rows->factor[k]));
        square = stic_extended_add(square, stic_extended_mul(part, part));
    }
    const SticExtended across = stic_extended_sqrt(stic_extended_mul_double(square, 1.0 + 0x1p-52));
    const double r_N = r[rows->row[0]];
    return r_N >= 0.0 &&
           stic_extended_value(stic_extended_sub(stic_extended_from(r_N), across)) >= 0.0;
}

// sums over all interactions
typedef struct CertificateSums {
    SticExtended value;  // c . r
    double size;         // sum of |c r|
    double normal;       // sum of r_N, from below
    double absolute;     // sum of |r|
    SticExtended* image; // [cols] S' r
    double* bound;       // [cols] sum of |S r|, then largest |S|
} CertificateSums;

static void add_interaction(const SticProblem* problem, int32_t i, const SticConditionRows* rows,
                            const double* r, CertificateSums* sums)
{
    const SticBlockCsr* S = stic_condition_matrix(problem);
    for (int32_t k = 0; k < rows->count; ++k) {
        const int32_t row = rows->row[k];
        const double c = problem->M != NULL ? problem->w[row] : problem->b[row];
        const double shift = problem->u_shift != NULL ? problem->u_shift[row] : 0.0;
        sums->value = stic_extended_add(sums->value, stic_extended_product(c, r[row]));
        sums->value = stic_extended_add(sums->value, stic_extended_product(shift, r[row]));
        sums->size += fabs(c * r[row]) + fabs(shift * r[row]);
        sums->absolute += fabs(r[row]);
        if (k == 0 && !rows->equality)
            sums->normal += r[row];
        for (int32_t e = S->begin[i]; e < S->begin[i + 1]; ++e) {
            const int32_t col = S->col_at[S->col[e]], n = S->col_at[S->col[e] + 1] - col;
            const double* a = S->value + S->value_at[e] + (int64_t)(row - S->row_at[i]) * n;
            for (int32_t j = 0; j < n; ++j)
                sums->image[col + j] =
                    stic_extended_add(sums->image[col + j], stic_extended_product(a[j], r[row]));
        }
    }
}

// |(S' r)_k| and its rounding over the largest |S_ik|: sum over k, in units of a velocity
static double image_size(const SticProblem* problem, SticCondition condition, const double* r,
                         CertificateSums* sums)
{
    const SticBlockCsr* S = stic_condition_matrix(problem);
    const int32_t cols = stic_block_csr_width(S);
    double* most = sums->bound;
    double* total = sums->bound + cols;
    memset(most, 0, 2 * (size_t)cols * sizeof *most);
    for (int32_t i = 0; i < problem->count; ++i) {
        const SticConditionRows rows = stic_condition_rows(problem, condition, i);
        for (int32_t k = 0; k < rows.count; ++k)
            for (int32_t e = S->begin[i]; e < S->begin[i + 1]; ++e) {
                const int32_t col = S->col_at[S->col[e]], n = S->col_at[S->col[e] + 1] - col;
                const double* a =
                    S->value + S->value_at[e] + (int64_t)(rows.row[k] - S->row_at[i]) * n;
                for (int32_t j = 0; j < n; ++j) {
                    const double size = fabs(a[j]);
                    most[col + j] = size > most[col + j] ? size : most[col + j];
                    total[col + j] += size * fabs(r[rows.row[k]]);
                }
            }
    }
    double sum = 0.0;
    for (int32_t k = 0; k < cols; ++k)
        if (most[k] > 0.0)
            sum += (fabs(stic_extended_value(sums->image[k])) +
                    pair_rounding(problem->rows) * total[k]) /
                   most[k];
    return sum * (1.0 + 0x1p-30); // rounding of these sums themselves
}

SticStatus stic_certificate_verify(SticArena* scratch, const SticProblem* problem,
                                   SticCondition condition, double reach, const double* r,
                                   SticCertificateCheck* check)
{
    STIC_ASSERT(scratch != NULL);
    STIC_ASSERT(problem != NULL);
    STIC_ASSERT(check != NULL);
    const SticArenaMark mark = stic_arena_mark(scratch);
    const int32_t cols = stic_block_csr_width(stic_condition_matrix(problem));
    CertificateSums sums = {0};
    *check = (SticCertificateCheck){.valid = true, .most = INFINITY, .value = INFINITY};
    STIC_TRY(STIC_TAKE(scratch, &sums.image, cols + 1));
    STIC_TRY(STIC_TAKE(scratch, &sums.bound, 2 * (size_t)cols + 1));
    memset(sums.image, 0, ((size_t)cols + 1) * sizeof *sums.image);
    for (int32_t i = 0; i < problem->count && check->valid; ++i) {
        const SticConditionRows rows = stic_condition_rows(problem, condition, i);
        check->valid = in_dual(problem, i, &rows, r);
        if (check->valid)
            add_interaction(problem, i, &rows, r, &sums);
    }
    if (check->valid && sums.absolute > 0.0) {
        const double size = stic_condition_size(problem, condition);
        const double rounding = pair_rounding(problem->rows) * sums.size;
        check->defect = reach * size * image_size(problem, condition, r, &sums) + rounding;
        const double top = stic_extended_value(sums.value) + check->defect;
        check->value = top / sums.absolute;
        // quotients towards the safe side: away from 0 only where that weakens the bound
        if (sums.normal > 0.0)
            check->most = top / sums.normal + 0x1p-40 * fabs(top / sums.normal);
        if (!isfinite(top))
            check->valid = false;
    } else {
        check->valid = false;
    }
    stic_arena_rewind(scratch, mark);
    return STIC_OK;
}

/* ---- the verdict ---- */

SticVerdict stic_findings_decide(const SticFindings* findings, double tolerance)
{
    const double slack = tolerance * findings->size;
    const SticCertificateCheck* necessary = &findings->necessary;
    const double most = necessary->most < INFINITY ? necessary->most : necessary->value;
    const bool refuted = findings->refuted && necessary->valid && most < -slack;
    const bool holds = findings->applies && findings->witness && findings->best.joint <= slack &&
                       findings->best.margin >= -slack;
    // evidence for both verdicts is possible only within the tolerance: then nothing is known
    if (holds && refuted)
        return STIC_VERDICT_UNKNOWN;
    if (refuted)
        return STIC_VERDICT_NONE;
    if (!holds)
        return STIC_VERDICT_UNKNOWN;
    return findings->best.margin > slack ? STIC_VERDICT_EXISTS_ROBUST
                                         : STIC_VERDICT_EXISTS_BORDERLINE;
}

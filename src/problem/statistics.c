// SPDX-License-Identifier: Apache-2.0
// Figures of a problem: counts, density, rank, condition, eigenvalues, bound for uniqueness.
//
// Rank and inertia: pivots of LDL' of the symmetric part (LU of W itself where it is unsymmetric);
// pivots below 1e-9 of their row do not count. Eigenvalues of the symmetric part by Lanczos with
// full reorthogonalisation from a fixed start vector, the smallest one through the factor where it
// exists; extremal Ritz values of the tridiagonal matrix by bisection with Sturm counts. Both are
// estimates from inside the spectrum. Uniqueness (Koziara's thesis, eq. 10.3.42): mu <= sqrt(
// lmin^2 / (lmax^2 - lmin^2) ). Cost: two factorisations and up to 2 x 60 products; workspace 60
// vectors.
#include "sparse/sparse.h"
#include "stiction/extend/base.h"
#include "stiction/extend/law.h"
#include "stiction/extend/problem.h"
#include "stiction/extend/sparse.h"

#include <math.h>
#include <string.h>

enum { LANCZOS_STEPS = 60, DENSE_ROWS = 2000 };

// relative size of what counts for the rank
static const double rank_threshold = 1e-9;

/* ---- counts ---- */

static void count_interactions(const SticProblem* problem, SticProblemStatistics* statistics)
{
    int32_t contact_rows = 0;
    bool any = false;
    statistics->interactions = problem->count;
    statistics->rows = problem->rows;
    statistics->dof = problem->dof;
    for (int32_t i = 0; i < problem->count; ++i) {
        const SticLaw law = (SticLaw)problem->law[i];
        const double mu = problem->coef[i][0];
        statistics->law[law] += 1;
        if (law != STIC_LAW_NONNEG && !stic_law_has_normal(law))
            continue;
        statistics->contacts += 1;
        contact_rows += problem->row_at[i + 1] - problem->row_at[i];
        if (law == STIC_LAW_NONNEG)
            continue;
        statistics->mu_least = !any || mu < statistics->mu_least ? mu : statistics->mu_least;
        statistics->mu_most = mu > statistics->mu_most ? mu : statistics->mu_most;
        any = true;
    }
    statistics->density = problem->dof > 0 ? (double)contact_rows / problem->dof : 0.0;
}

/* ---- symmetric part ---- */

// (W + W')/2 with the pattern of both
static SticStatus symmetric_part(SticArena* arena, const SticBlockCsr* W, SticBlockCsr* S)
{
    const int32_t blocks = stic_block_csr_count(W);
    const int64_t values = W->value_at[blocks];
    int32_t *row = NULL, *col = NULL;
    double* value = NULL;
    STIC_TRY(STIC_TAKE(arena, &row, 2 * (size_t)blocks));
    STIC_TRY(STIC_TAKE(arena, &col, 2 * (size_t)blocks));
    STIC_TRY(STIC_TAKE(arena, &value, 2 * values));
    int32_t count = 0;
    double* to = value;
    for (int side = 0; side < 2; ++side)
        for (int32_t i = 0; i < W->rows; ++i)
            for (int32_t k = W->begin[i]; k < W->begin[i + 1]; ++k, ++count) {
                const int32_t j = W->col[k];
                const int32_t m = W->row_at[i + 1] - W->row_at[i];
                const int32_t n = W->col_at[j + 1] - W->col_at[j];
                const double* from = W->value + W->value_at[k];
                row[count] = side == 0 ? i : j;
                col[count] = side == 0 ? j : i;
                for (int32_t e = 0; e < m * n; ++e)
                    *to++ = 0.5 * (side == 0 ? from[e] : from[(e % m) * n + e / m]);
            }
    const SticPartition partition = {W->rows, W->cols, W->row_at, W->col_at};
    const SticBlockTriplets triplets = {.count = count, .row = row, .col = col, .value = value};
    return stic_block_csr_from_blocks(&partition, &triplets, arena, S, NULL);
}

/* ---- factors ---- */

typedef struct Factored {
    SticSymbolic* symbolic;
    SticFactor* factor;
    SticFactorInfo info;
} Factored;

static SticStatus factorise(const SticContext* context, const SticBlockCsr* A, SticFactorKind kind,
                            const SticPivotSettings* settings, Factored* made)
{
    *made = (Factored){0};
    STIC_TRY(stic_symbolic_create(context, A, STIC_ORDERING_AMD, &made->symbolic, NULL));
    STIC_TRY(stic_factor_create(made->symbolic, kind, &made->factor, NULL));
    return stic_factor_compute(made->factor, A, settings, &made->info);
}

static void release_factor(Factored* made)
{
    stic_factor_destroy(made->factor);
    stic_symbolic_destroy(made->symbolic);
}

/* ---- extremal eigenvalues ---- */

// product with A, or with its inverse
typedef struct Spectrum {
    const SticBlockCsr* A;
    const SticFactor* inverse; // NULL: A itself
    int32_t n, steps;
    double* basis; // [steps+1][n]
    double alpha[LANCZOS_STEPS], beta[LANCZOS_STEPS];
} Spectrum;

static double dot(const double* x, const double* y, int32_t n)
{
    double sum = 0.0;
    for (int32_t k = 0; k < n; ++k)
        sum += x[k] * y[k];
    return sum;
}

static void spectrum_apply(const Spectrum* spectrum, const double* x, double* y)
{
    if (spectrum->inverse == NULL) {
        stic_block_csr_multiply(1.0, spectrum->A, x, 0.0, y);
        return;
    }
    memcpy(y, x, (size_t)spectrum->n * sizeof *y);
    stic_factor_solve(spectrum->inverse, y);
}

// fixed start vector with parts in all directions
static void start_vector(double* x, int32_t n)
{
    SticRandom random = stic_random_create(1);
    for (int32_t k = 0; k < n; ++k)
        x[k] = stic_random_range(&random, -1.0, 1.0);
    const double scale = 1.0 / sqrt(dot(x, x, n));
    for (int32_t k = 0; k < n; ++k)
        x[k] *= scale;
}

// alpha and beta of the tridiagonal matrix; stops where the space is exhausted
static void lanczos(Spectrum* spectrum)
{
    const int32_t n = spectrum->n;
    double largest = 0.0;
    start_vector(spectrum->basis, n);
    spectrum->steps = 0;
    while (spectrum->steps < LANCZOS_STEPS && spectrum->steps < n) {
        const int32_t j = spectrum->steps++;
        const double* q = spectrum->basis + (size_t)j * (size_t)n;
        double* next = spectrum->basis + ((size_t)j + 1) * (size_t)n;
        spectrum_apply(spectrum, q, next);
        spectrum->alpha[j] = dot(q, next, n);
        // twice is enough
        for (int pass = 0; pass < 2; ++pass)
            for (int32_t i = j; i >= 0; --i) {
                const double* old = spectrum->basis + (size_t)i * (size_t)n;
                const double part = dot(old, next, n);
                for (int32_t k = 0; k < n; ++k)
                    next[k] -= part * old[k];
            }
        const double beta = sqrt(dot(next, next, n));
        spectrum->beta[j] = beta;
        largest = fabs(spectrum->alpha[j]) > largest ? fabs(spectrum->alpha[j]) : largest;
        if (beta <= 1e-13 * largest)
            break;
        for (int32_t k = 0; k < n; ++k)
            next[k] /= beta;
    }
}

// eigenvalues of the tridiagonal matrix below x (Sturm sequence)
static int32_t count_below(const Spectrum* spectrum, double x)
{
    int32_t count = 0;
    double pivot = 1.0;
    for (int32_t j = 0; j < spectrum->steps; ++j) {
        const double off = j > 0 ? spectrum->beta[j - 1] : 0.0;
        pivot = spectrum->alpha[j] - x - (j > 0 ? off * off / pivot : 0.0);
        if (pivot == 0.0)
            pivot = 1e-300;
        count += pivot < 0.0;
    }
    return count;
}

// smallest (index 0) or largest Ritz value
static double ritz_value(const Spectrum* spectrum, bool largest)
{
    double low = INFINITY, high = -INFINITY;
    for (int32_t j = 0; j < spectrum->steps; ++j) {
        const double off = (j > 0 ? spectrum->beta[j - 1] : 0.0) +
                           (j + 1 < spectrum->steps ? spectrum->beta[j] : 0.0);
        low = spectrum->alpha[j] - off < low ? spectrum->alpha[j] - off : low;
        high = spectrum->alpha[j] + off > high ? spectrum->alpha[j] + off : high;
    }
    const int32_t wanted = largest ? spectrum->steps : 1;
    for (int step = 0; step < 200; ++step) {
        const double middle = 0.5 * (low + high);
        if (middle <= low || middle >= high)
            break;
        if (count_below(spectrum, middle) >= wanted)
            high = middle;
        else
            low = middle;
    }
    return 0.5 * (low + high);
}

// extremes of the spectrum of S; the smallest one through its factor unless that is singular
static SticStatus find_eigenvalues(SticArena* scratch, const SticBlockCsr* S,
                                   const Factored* factored, SticProblemStatistics* statistics)
{
    const SticArenaMark mark = stic_arena_mark(scratch);
    Spectrum spectrum = {.A = S, .n = statistics->rows};
    STIC_TRY(STIC_TAKE(scratch, &spectrum.basis,
                       (size_t)(LANCZOS_STEPS + 1) * (size_t)statistics->rows));
    lanczos(&spectrum);
    statistics->eigenvalue_most = ritz_value(&spectrum, true);
    statistics->eigenvalue_least = ritz_value(&spectrum, false);
    if (factored->info.negative == 0 && factored->info.replaced == 0) {
        spectrum.inverse = factored->factor;
        lanczos(&spectrum);
        statistics->eigenvalue_least = 1.0 / ritz_value(&spectrum, true);
    }
    stic_arena_rewind(scratch, mark);
    return STIC_OK;
}

/* ---- rank ---- */

// eigenvalues of S above `shift`: positive pivots of LDL' of S - shift I
static SticStatus count_above(SticArena* scratch, const SticBlockCsr* S, double shift,
                              int32_t* count)
{
    const SticArenaMark mark = stic_arena_mark(scratch);
    Factored factored = {0};
    SticBlockCsr shifted = *S;
    double* value = NULL;
    STIC_TRY(STIC_TAKE(scratch, &value, S->value_at[stic_block_csr_count(S)]));
    memcpy(value, S->value, (size_t)S->value_at[stic_block_csr_count(S)] * sizeof *value);
    for (int32_t i = 0; i < S->rows; ++i) {
        const int32_t k = stic_block_csr_find(S, i, i), n = S->row_at[i + 1] - S->row_at[i];
        for (int32_t a = 0; k >= 0 && a < n; ++a)
            value[S->value_at[k] + (int64_t)a * (n + 1)] -= shift;
    }
    shifted.value = value;
    // only pivots that vanish are replaced: the signs are what counts
    const SticPivotSettings settings = {.tiny = 0x1p-60, .replacement = 0x1p-60};
    const SticStatus status =
        factorise(stic_arena_context(scratch), &shifted, STIC_FACTOR_LDL, &settings, &factored);
    *count = factored.info.positive;
    release_factor(&factored);
    stic_arena_rewind(scratch, mark);
    return status;
}

// largest entry of the rows and columns from k on
static double largest_entry(const double* A, int32_t n, int32_t k, int32_t place[2])
{
    double largest = 0.0;
    for (int32_t i = k; i < n; ++i)
        for (int32_t j = k; j < n; ++j) {
            const double size = fabs(A[(size_t)i * (size_t)n + (size_t)j]);
            if (size > largest) {
                largest = size;
                place[0] = i;
                place[1] = j;
            }
        }
    return largest;
}

// rank of a dense matrix by elimination with complete pivoting; A is destroyed
static int32_t dense_rank(double* A, int32_t n)
{
    double first = 0.0;
    for (int32_t k = 0; k < n; ++k) {
        int32_t place[2] = {k, k};
        const double pivot = largest_entry(A, n, k, place);
        first = k == 0 ? pivot : first;
        if (pivot <= rank_threshold * first)
            return k;
        for (int32_t j = 0; j < n; ++j) {
            const size_t here = (size_t)k * (size_t)n + (size_t)j;
            const size_t there = (size_t)place[0] * (size_t)n + (size_t)j;
            const double kept = A[here];
            A[here] = A[there];
            A[there] = kept;
        }
        for (int32_t i = 0; i < n; ++i) {
            double* row = A + (size_t)i * (size_t)n;
            const double kept = row[k];
            row[k] = row[place[1]];
            row[place[1]] = kept;
        }
        const double* top = A + (size_t)k * (size_t)n;
        for (int32_t i = k + 1; i < n; ++i) {
            double* row = A + (size_t)i * (size_t)n;
            const double factor = row[k] / top[k];
            for (int32_t j = k; factor != 0.0 && j < n; ++j)
                row[j] -= factor * top[j];
        }
    }
    return n;
}

static SticStatus find_symmetric_rank(SticArena* scratch, const SticBlockCsr* S,
                                      SticProblemStatistics* statistics)
{
    const double threshold = rank_threshold * fabs(statistics->eigenvalue_most);
    int32_t above = 0, not_below = 0;
    STIC_TRY(count_above(scratch, S, threshold, &above));
    STIC_TRY(count_above(scratch, S, -threshold, &not_below));
    statistics->negative = statistics->rows - not_below;
    statistics->rank = above + statistics->negative;
    if (statistics->negative == 0)
        return STIC_OK;
    // Lanczos may miss a negative eigenvalue near 0: bracket it by counting, to two digits
    double low = threshold, high = threshold;
    for (int step = 0; step < 60 && not_below < statistics->rows; ++step) {
        low = high;
        high *= 4.0;
        STIC_TRY(count_above(scratch, S, -high, &not_below));
    }
    for (int step = 0; step < 8; ++step) {
        const double middle = sqrt(low * high);
        STIC_TRY(count_above(scratch, S, -middle, &not_below));
        if (not_below < statistics->rows)
            low = middle;
        else
            high = middle;
    }
    statistics->eigenvalue_least = -sqrt(low * high);
    return STIC_OK;
}

// W itself where it is unsymmetric: rank and condition
static SticStatus find_general_rank(SticArena* scratch, const SticBlockCsr* W,
                                    SticProblemStatistics* statistics)
{
    Factored general = {0};
    SticPivotSettings settings = stic_pivot_default_settings();
    settings.tiny = rank_threshold;
    SticStatus status =
        factorise(stic_arena_context(scratch), W, STIC_FACTOR_LU, &settings, &general);
    statistics->rank = statistics->rows - general.info.replaced;
    if (status == STIC_OK && statistics->rows <= DENSE_ROWS) {
        const SticArenaMark mark = stic_arena_mark(scratch);
        double* A = NULL;
        status = STIC_TAKE(scratch, &A, (size_t)statistics->rows * (size_t)statistics->rows);
        if (status == STIC_OK) {
            stic_block_csr_to_dense(W, A);
            statistics->rank = dense_rank(A, statistics->rows);
        }
        stic_arena_rewind(scratch, mark);
    }
    if (status == STIC_OK)
        statistics->condition = stic_factor_condition(general.factor, W);
    release_factor(&general);
    return status;
}

/* ---- public ---- */

static double unique_bound(double least, double most)
{
    if (!(least > 0.0))
        return 0.0;
    return most > least ? least / sqrt((most - least) * (most + least)) : INFINITY;
}

static SticStatus measure_matrix(SticArena* scratch, const SticBlockCsr* W,
                                 SticProblemStatistics* statistics)
{
    const SticContext* context = stic_arena_context(scratch);
    SticBlockCsr S;
    Factored factored = {0};
    statistics->blocks = stic_block_csr_count(W);
    statistics->asymmetry = stic_block_csr_asymmetry(W);
    if (statistics->rows == 0)
        return STIC_OK;
    STIC_TRY(symmetric_part(scratch, W, &S));
    SticStatus status = factorise(context, &S, STIC_FACTOR_LDL, NULL, &factored);
    if (status == STIC_OK)
        status = find_eigenvalues(scratch, &S, &factored, statistics);
    if (status == STIC_OK)
        status = find_symmetric_rank(scratch, &S, statistics);
    const bool definite = status == STIC_OK && statistics->rank == statistics->rows;
    if (definite)
        statistics->condition = stic_factor_condition(factored.factor, &S);
    if (status == STIC_OK && statistics->asymmetry > 1e-12)
        status = find_general_rank(scratch, W, statistics);
    release_factor(&factored);
    // below the threshold of the rank an eigenvalue is rounding
    if (fabs(statistics->eigenvalue_least) <= rank_threshold * statistics->eigenvalue_most ||
        (!definite && statistics->negative == 0))
        statistics->eigenvalue_least = 0.0;
    if (statistics->rank < statistics->rows)
        statistics->condition = INFINITY;
    statistics->mu_unique = unique_bound(statistics->eigenvalue_least, statistics->eigenvalue_most);
    return status;
}

SticStatus stic_problem_statistics(SticArena* scratch, const SticProblem* problem,
                                   SticProblemStatistics* statistics, SticError* error)
{
    STIC_ASSERT(scratch != NULL);
    STIC_ASSERT(problem != NULL);
    STIC_ASSERT(statistics != NULL);
    const SticArenaMark mark = stic_arena_mark(scratch);
    SticProblem local;
    *statistics = (SticProblemStatistics){0};
    count_interactions(problem, statistics);
    SticStatus status = stic_problem_condense(scratch, problem, &local, error);
    if (status == STIC_OK) {
        status = measure_matrix(scratch, local.W, statistics);
        if (status != STIC_OK)
            stic_error_set(error, status, "the statistics of W cannot be computed: %s",
                           stic_status_text(status));
    }
    stic_arena_rewind(scratch, mark);
    return status;
}

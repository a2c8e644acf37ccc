// SPDX-License-Identifier: Apache-2.0
// lemke: complementary pivoting on a dense linear complementarity problem.
//
// Contacts without friction: 0 <= W r + b ⊥ r >= 0 as it is. With friction the disc of directions
// is replaced by m unit vectors d_k (the two senses in the plane, where this is exact), r_T = sum
// lambda_k d_k, and g >= 0 stands for |u_T| (Klarbring 1986; Stewart and Trinkle 1996, eq. 20):
//     0 <= u_N                     ⊥  r_N >= 0
//     0 <= <d_k, u_T> + g          ⊥  lambda_k >= 0
//     0 <= mu r_N - sum lambda_k   ⊥  g >= 0
// w = q + M z + c z0 is kept as a dictionary of the basic variables; z0 enters first, then always
// the complement of what left, until z0 leaves (Lemke 1965; Cottle, Pang, Stone 1992, alg. 4.4.5).
// Ties are broken lexicographically: the coefficients of the perturbation q_k + eps^k are those of
// w_k in the dictionary, so that no cycle is possible in exact arithmetic. The basis found is
// solved again from the data by LU. A ray (no leaving variable) is answered by another covering
// vector c.
//
// In space the facets of sliding contacts are turned before the next round so that one of them is
// opposite to the slip found: at a fixed point the friction law is exact and not faceted. Where the
// rounds do not settle, and where a contact sticks beyond the chords of the facets, the outcome is
// `stalled`, with the error of the facets.
//
// Cost: n^2 per pivot for n variables of the complementarity problem, n or a few times n pivots;
// memory n^2. Made for a few hundred rows.
#include "solver/methods.h"

#include <math.h>
#include <string.h>

#include "math/math.h"

typedef struct LemkeSettings {
    int32_t facets; ///< directions of friction in space
    int32_t rounds; ///< times the directions are turned
    int32_t covers; ///< covering vectors tried
    int32_t most;   ///< variables at most
} LemkeSettings;

static const SticField lemke_fields[] = {
    STIC_FIELD_COUNT(LemkeSettings, facets, 8, 3, 64, "directions",
                     "directions of friction of a spatial contact"),
    STIC_FIELD_COUNT(LemkeSettings, rounds, 30, 1, 100000, "rounds",
                     "times the directions are turned towards the slip found"),
    STIC_FIELD_COUNT(LemkeSettings, covers, 8, 1, 1000, "vectors",
                     "covering vectors tried where the path ends in a ray"),
    STIC_FIELD_COUNT(LemkeSettings, most, 3000, 1, 20000, "variables",
                     "variables of the complementarity problem at most; more are refused"),
};

const SticFieldTable stic_lemke_fields = {
    .name = "lemke",
    .fields = lemke_fields,
    .count = sizeof lemke_fields / sizeof lemke_fields[0],
    .size = sizeof(LemkeSettings),
};

typedef struct Lemke {
    const SticProblem* problem;
    const double* b;
    double* u;                 // [rows]
    double* W;                 // [rows][rows]
    int32_t rows, n;           // of the problem; variables of the complementarity problem
    int32_t* first;            // [count+1] first variable of each interaction
    double (*slip)[2];         // [count] direction the facets are turned to
    double *M, *q, *scale, *c; // data of the complementarity problem, scaled
    double size;               // largest |q| before it was divided by it
    // dictionary: basic_i = rhs_i + sum_j T_ij nonbasic_j; variables: k < n z_k, n + k w_k, 2 n z0
    double *T, *rhs; // [n][n+1], [n]
    int32_t *basic, *nonbasic,
        *column;           // [n], [n+1], [2n+1] column of a variable, -1 - row if basic
    double *z, *square;    // [n], [n*n] of the final solve
    int32_t *pick, *pivot; // [n]
} Lemke;

static int32_t variables_of(const SticProblem* problem, int32_t i, int32_t facets)
{
    const int32_t rows = problem->row_at[i + 1] - problem->row_at[i];
    if (problem->law[i] == STIC_LAW_NONNEG || problem->coef[i][0] == 0.0)
        return 1;
    return rows == 2 ? 4 : facets + 2;
}

// direction k of interaction i
static void direction(const Lemke* l, int32_t i, int32_t k, double d[2])
{
    const int32_t rows = l->problem->row_at[i + 1] - l->problem->row_at[i];
    const int32_t facets = l->first[i + 1] - l->first[i] - 2;
    double s = 0.0, c = 1.0;
    if (rows == 2) {
        d[0] = k == 0 ? 1.0 : -1.0;
        d[1] = 0.0;
        return;
    }
    stic_sincos(6.283185307179586 * k / facets, &s, &c);
    d[0] = c * l->slip[i][0] - s * l->slip[i][1];
    d[1] = s * l->slip[i][0] + c * l->slip[i][1];
}

// column k of G, r = G z: row offsets and values of at most two entries; their number
static int32_t column_of(const Lemke* l, int32_t i, int32_t k, int32_t at[2], double value[2])
{
    const int32_t row = l->problem->row_at[i], rows = l->problem->row_at[i + 1] - row;
    const int32_t count = l->first[i + 1] - l->first[i];
    at[0] = row;
    value[0] = 1.0;
    if (k == 0)
        return 1;
    if (k == count - 1)
        return 0;
    direction(l, i, k - 1, value);
    at[0] = row + 1;
    at[1] = row + 2;
    return rows == 2 ? 1 : 2;
}

/* ---- the complementarity problem ---- */

// M = G' W G, without the rows of friction bounds
static void fill_products(Lemke* l)
{
    const int32_t n = l->n;
    for (int32_t i = 0; i < l->problem->count; ++i)
        for (int32_t a = 0; a < l->first[i + 1] - l->first[i]; ++a) {
            int32_t at_a[2], at_b[2];
            double value_a[2], value_b[2];
            const int32_t terms_a = column_of(l, i, a, at_a, value_a);
            double* M = l->M + (int64_t)(l->first[i] + a) * n;
            l->q[l->first[i] + a] = 0.0;
            for (int32_t s = 0; s < terms_a; ++s)
                l->q[l->first[i] + a] += value_a[s] * l->b[at_a[s]];
            for (int32_t j = 0; j < l->problem->count; ++j)
                for (int32_t b = 0; b < l->first[j + 1] - l->first[j]; ++b) {
                    const int32_t terms_b = column_of(l, j, b, at_b, value_b);
                    double sum = 0.0;
                    for (int32_t s = 0; s < terms_a; ++s)
                        for (int32_t t = 0; t < terms_b; ++t)
                            sum += value_a[s] * value_b[t] *
                                   l->W[(int64_t)at_a[s] * l->rows + at_b[t]];
                    M[l->first[j] + b] = sum;
                }
        }
}

// friction bounds, then scaling to a unit diagonal and a unit largest q: z = scale size z'
static void fill_bounds(Lemke* l)
{
    const int32_t n = l->n;
    for (int32_t i = 0; i < l->problem->count; ++i) {
        const int32_t at = l->first[i], count = l->first[i + 1] - at, g = at + count - 1;
        double largest = 0.0;
        for (int32_t k = at; k < (count > 1 ? g : g + 1); ++k) {
            const double diagonal = l->M[(int64_t)k * n + k];
            l->scale[k] = diagonal > 0.0 ? 1.0 / sqrt(diagonal) : 1.0;
            largest = l->scale[k] > largest ? l->scale[k] : largest;
        }
        if (count == 1)
            continue;
        l->scale[g] = 1.0 / largest;
        l->M[(int64_t)g * n + at] = l->problem->coef[i][0];
        for (int32_t k = at + 1; k < g; ++k) {
            l->M[(int64_t)g * n + k] = -1.0;
            l->M[(int64_t)k * n + g] = 1.0;
        }
    }
    l->size = 0.0;
    for (int32_t a = 0; a < n; ++a) {
        l->q[a] *= l->scale[a];
        l->size = fabs(l->q[a]) > l->size ? fabs(l->q[a]) : l->size;
        for (int32_t k = 0; k < n; ++k)
            l->M[(int64_t)a * n + k] *= l->scale[a] * l->scale[k];
    }
    for (int32_t a = 0; a < n && l->size > 0.0; ++a)
        l->q[a] /= l->size;
}

static void reactions_of(const Lemke* l, const double* z, double* r)
{
    memset(r, 0, (size_t)l->rows * sizeof *r);
    for (int32_t i = 0; i < l->problem->count; ++i)
        for (int32_t k = 0; k < l->first[i + 1] - l->first[i]; ++k) {
            int32_t at[2];
            double value[2];
            const int32_t terms = column_of(l, i, k, at, value);
            for (int32_t t = 0; t < terms; ++t)
                r[at[t]] += value[t] * l->size * l->scale[l->first[i] + k] * z[l->first[i] + k];
        }
}

/* ---- pivoting ---- */

static void start_dictionary(Lemke* l)
{
    const int32_t n = l->n;
    for (int32_t i = 0; i < n; ++i) {
        memcpy(l->T + (int64_t)i * (n + 1), l->M + (int64_t)i * n, (size_t)n * sizeof(double));
        l->T[(int64_t)i * (n + 1) + n] = l->c[i];
        l->rhs[i] = l->q[i];
        l->basic[i] = n + i;
        l->nonbasic[i] = i;
        l->column[i] = i;
        l->column[n + i] = -1 - i;
    }
    l->nonbasic[n] = 2 * n;
    l->column[2 * n] = n;
}

// exchange the basic variable of row p with the nonbasic one of column c
static void exchange(Lemke* l, int32_t p, int32_t c)
{
    const int32_t n = l->n;
    double* row = l->T + (int64_t)p * (n + 1);
    const double inverse = 1.0 / row[c];
    for (int32_t k = 0; k <= n; ++k)
        row[k] *= -inverse;
    row[c] = inverse;
    l->rhs[p] *= -inverse;
    for (int32_t i = 0; i < n; ++i) {
        double* to = l->T + (int64_t)i * (n + 1);
        const double factor = to[c];
        if (i == p || factor == 0.0)
            continue;
        to[c] = 0.0;
        for (int32_t k = 0; k <= n; ++k)
            to[k] += factor * row[k];
        l->rhs[i] += factor * l->rhs[p];
    }
    const int32_t out = l->basic[p], in = l->nonbasic[c];
    l->basic[p] = in;
    l->nonbasic[c] = out;
    l->column[in] = -1 - p;
    l->column[out] = c;
}

// coefficient of eps^k in the basic variable of row i
static double perturbation(const Lemke* l, int32_t i, int32_t k)
{
    const int32_t column = l->column[l->n + k];
    if (column < 0)
        return column == -1 - i ? 1.0 : 0.0;
    return -l->T[(int64_t)i * (l->n + 1) + column];
}

// whether row a leaves before row b: smaller (rhs, perturbations) / divisor in lexicographic order
static bool before(const Lemke* l, int32_t a, double divisor_a, int32_t b, double divisor_b)
{
    // rounding of n sums of numbers of size 1
    const double tie = 1e-12;
    for (int32_t k = -1; k < l->n; ++k) {
        const double x = (k < 0 ? l->rhs[a] : perturbation(l, a, k)) / divisor_a;
        const double y = (k < 0 ? l->rhs[b] : perturbation(l, b, k)) / divisor_b;
        if (fabs(x - y) > tie * (1.0 + fabs(x) + fabs(y)))
            return x < y;
    }
    return a < b;
}

// row that leaves when column c grows, -1: none
static int32_t leaving(const Lemke* l, int32_t c)
{
    const int32_t n = l->n;
    int32_t best = -1;
    double divisor = 0.0;
    for (int32_t i = 0; i < n; ++i) {
        const double slope = -l->T[(int64_t)i * (n + 1) + c];
        if (slope > 1e-11 && (best < 0 || before(l, i, slope, best, divisor))) {
            best = i;
            divisor = slope;
        }
    }
    // z0 may leave wherever it ties: the end of the path
    const int32_t z0 = -1 - l->column[2 * n];
    if (best >= 0 && z0 >= 0 && z0 != best) {
        const double slope = -l->T[(int64_t)z0 * (n + 1) + c];
        if (slope > 1e-11 &&
            l->rhs[z0] / slope <= l->rhs[best] / divisor + 1e-13 * (1.0 + l->rhs[best] / divisor))
            return z0;
    }
    return best;
}

// row that z0 replaces first: the most negative q_i / c_i, the last one of equals, so that the
// perturbations of all others stay positive
static int32_t first_row(const Lemke* l)
{
    int32_t worst = -1;
    for (int32_t i = 0; i < l->n; ++i)
        if (l->rhs[i] < 0.0 && (worst < 0 || l->rhs[i] * l->c[worst] <= l->rhs[worst] * l->c[i]))
            worst = i;
    return worst;
}

typedef enum PathEnd { PATH_SOLVED, PATH_RAY, PATH_LIMIT } PathEnd;

static PathEnd follow(SticSolveTask* task, Lemke* l)
{
    const int32_t n = l->n;
    start_dictionary(l);
    int32_t row = first_row(l), c = n;
    const double work = (double)n * n;
    while (row >= 0) {
        const int32_t out = l->basic[row];
        exchange(l, row, c);
        stic_task_count(task, work, -1.0);
        if (task->stopped)
            return PATH_LIMIT;
        if (out == 2 * n)
            break;
        // the complement of what left enters
        c = l->column[out < n ? out + n : out - n];
        row = leaving(l, c);
        if (row < 0)
            return PATH_RAY;
    }
    return PATH_SOLVED;
}

// values of z in the dictionary, then from the data: M_BB z_B = -q_B
static void read_solution(Lemke* l)
{
    const int32_t n = l->n;
    int32_t count = 0;
    memset(l->z, 0, (size_t)n * sizeof *l->z);
    for (int32_t k = 0; k < n; ++k)
        if (l->column[k] < 0) {
            l->z[k] = l->rhs[-1 - l->column[k]];
            l->z[k] = l->z[k] > 0.0 ? l->z[k] : 0.0;
            l->pick[count++] = k;
        }
    double* x = l->rhs;
    for (int32_t a = 0; a < count; ++a) {
        x[a] = -l->q[l->pick[a]];
        for (int32_t k = 0; k < count; ++k)
            l->square[(int64_t)a * count + k] = l->M[(int64_t)l->pick[a] * n + l->pick[k]];
    }
    if (count == 0 || stic_dense_lu(count, l->square, l->pivot) != STIC_OK)
        return;
    stic_dense_lu_solve(count, l->square, l->pivot, x);
    // a basis that is singular to rounding gives nonsense: then keep the values of the dictionary
    for (int32_t a = 0; a < count; ++a)
        if (!(fabs(x[a] - l->z[l->pick[a]]) <= 1e-6 * (1.0 + l->z[l->pick[a]])))
            return;
    for (int32_t a = 0; a < count; ++a)
        l->z[l->pick[a]] = x[a] > 0.0 ? x[a] : 0.0;
}

/* ---- set-up and rounds ---- */

static SticStatus take_arrays(SticArena* arena, Lemke* l)
{
    const int64_t n = l->n;
    STIC_TRY(STIC_TAKE(arena, &l->M, n * n));
    STIC_TRY(STIC_TAKE(arena, &l->square, n * n));
    STIC_TRY(STIC_TAKE(arena, &l->T, n * (n + 1)));
    STIC_TRY(STIC_TAKE(arena, &l->q, n));
    STIC_TRY(STIC_TAKE(arena, &l->scale, n));
    STIC_TRY(STIC_TAKE(arena, &l->c, n));
    STIC_TRY(STIC_TAKE(arena, &l->rhs, n));
    STIC_TRY(STIC_TAKE(arena, &l->z, n));
    STIC_TRY(STIC_TAKE(arena, &l->basic, n));
    STIC_TRY(STIC_TAKE(arena, &l->nonbasic, n + 1));
    STIC_TRY(STIC_TAKE(arena, &l->column, 2 * n + 1));
    STIC_TRY(STIC_TAKE(arena, &l->pick, n));
    return STIC_TAKE(arena, &l->pivot, n);
}

static SticStatus prepare(SticSolveTask* task, Lemke* l)
{
    const LemkeSettings* settings = task->method;
    SticProblem local;
    int64_t n = 0;
    *l = (Lemke){.problem = task->problem, .rows = task->problem->rows};
    STIC_TRY(STIC_TAKE(task->arena, &l->first, l->problem->count + 1));
    STIC_TRY(STIC_TAKE(task->arena, &l->slip, l->problem->count));
    for (int32_t i = 0; i < l->problem->count; ++i) {
        l->first[i] = (int32_t)n;
        l->slip[i][0] = 1.0;
        l->slip[i][1] = 0.0;
        n += variables_of(l->problem, i, settings->facets);
        if (n > settings->most)
            return stic_error_set(
                &task->info->error, STIC_UNSUPPORTED,
                "lemke works on a dense problem of at most %d variables; this one "
                "has more",
                settings->most);
    }
    l->first[l->problem->count] = l->n = (int32_t)n;
    STIC_TRY(stic_problem_condense(task->arena, task->problem, &local, &task->info->error));
    STIC_TRY(STIC_TAKE(task->arena, &l->W, (int64_t)l->rows * l->rows));
    STIC_TRY(STIC_TAKE(task->arena, &l->u, l->rows));
    stic_block_csr_to_dense(local.W, l->W);
    l->b = local.b;
    return take_arrays(task->arena, l);
}

// turn the facets of sliding spatial contacts against the slip found; how far the largest turned
static double turn(const Lemke* l, const double* u, const double* r, double b_norm)
{
    const SticProblem* problem = l->problem;
    double most = 0.0;
    for (int32_t i = 0; i < problem->count; ++i) {
        const int32_t at = problem->row_at[i];
        if (problem->row_at[i + 1] - at != 3 || !(r[at] > 0.0))
            continue;
        const double length = sqrt(u[at + 1] * u[at + 1] + u[at + 2] * u[at + 2]);
        // sticking contacts keep their facets
        if (!(length > 1e-12 * b_norm))
            continue;
        const double s = -u[at + 1] / length, t = -u[at + 2] / length;
        const double change = fabs(s - l->slip[i][0]) + fabs(t - l->slip[i][1]);
        most = change > most ? change : most;
        l->slip[i][0] = s;
        l->slip[i][1] = t;
    }
    return most;
}

SticStatus stic_lemke_run(SticSolveTask* task)
{
    const LemkeSettings* settings = task->method;
    SticRandom random = stic_random_create(task->context->seed);
    Lemke l;
    STIC_TRY(prepare(task, &l));
    for (int32_t round = 0; round < settings->rounds; ++round) {
        fill_products(&l);
        fill_bounds(&l);
        PathEnd end = PATH_RAY;
        for (int32_t cover = 0; cover < settings->covers && end == PATH_RAY; ++cover) {
            for (int32_t k = 0; k < l.n; ++k)
                l.c[k] = cover == 0 ? 1.0 : stic_random_range(&random, 0.1, 1.9);
            end = follow(task, &l);
        }
        read_solution(&l);
        reactions_of(&l, l.z, task->r);
        if (stic_task_check(task, task->r) || task->stopped || end != PATH_SOLVED)
            break;
        stic_task_velocity(task, l.u);
        if (!(turn(&l, l.u, task->r, task->b_norm) > 1e-15))
            break;
    }
    if (!task->solved)
        stic_task_stop(task, STIC_OUTCOME_STALLED);
    return STIC_OK;
}

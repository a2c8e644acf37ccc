// SPDX-License-Identifier: Apache-2.0
// One combination of contact states: equations, inequalities, refutation, dimension of force sets.
//
//   state    unknowns        equations      inequalities
//   open     none            none           u_N >= 0
//   closed   r_N             u_N = 0        r_N >= 0
//   stick    r               u = 0          |r_T| <= mu r_N
//   slide    r_N             u_N = 0        r_N >= 0, side u_T >= 0   with r_T = -side mu r_N
//   joint    r               u = 0          none
// As many equations as unknowns, E z = g. Regular: one z, which obeys the inequalities or violates
// one of them, a . z + c < 0; then E' l = -a gives multipliers (l, 1) that refute the branch for
// all z. Singular: a feasibility problem; the margin program of existence.c finds a z inside, or
// multipliers. Multipliers of either kind are substituted by verify.c.
//
// Dimension of a force set: unknowns minus rank, on the smallest face that holds the set. Rows
// whose multiplier is positive where the largest margin is 0 vanish on the whole set: they become
// equations, until the margin is positive (facial reduction).
// Cost: a dense factorisation per branch; singular ones some twenty of them.
#include "certify/branch.h"

#include <math.h>
#include <string.h>

#include "certify/program.h"
#include "stiction/math.h"

/* ---- the small problem ---- */

double stic_minor_mu(const SticMinor* minor, int32_t i)
{
    return minor->problem->law[i] == STIC_LAW_CONE ? minor->problem->coef[i][0] : 0.0;
}

bool stic_minor_slips(const SticMinor* minor, const uint8_t* state, int32_t i)
{
    return state[i] == STIC_STATE_SLIDE &&
           minor->problem->row_at[i + 1] - minor->problem->row_at[i] == 3;
}

static SticStatus take(SticArena* arena, SticMinor* made)
{
    const size_t n = (size_t)made->rows + 1, square = n * n;
    // rows of a branch as a condition: equations, and at most two inequalities per row
    const size_t conditions = 3 * n;
    double** const squares[] = {&made->W, &made->C, &made->WC, &made->E, &made->factor};
    double** const vectors[] = {&made->b, &made->scale, &made->x,   &made->y,
                                &made->g, &made->z,     &made->back};
    for (size_t k = 0; k < sizeof squares / sizeof squares[0]; ++k)
        STIC_TRY(STIC_TAKE(arena, squares[k], square));
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; ++k)
        STIC_TRY(STIC_TAKE(arena, vectors[k], n));
    STIC_TRY(STIC_TAKE(arena, &made->pivot, n));
    STIC_TRY(STIC_TAKE(arena, &made->row, n));
    STIC_TRY(STIC_TAKE(arena, &made->S, conditions * n));
    STIC_TRY(STIC_TAKE(arena, &made->c, conditions));
    STIC_TRY(STIC_TAKE(arena, &made->multiplier, conditions));
    STIC_TRY(STIC_TAKE(arena, &made->row_at, conditions + 1));
    STIC_TRY(STIC_TAKE(arena, &made->col_at, n + 1));
    STIC_TRY(STIC_TAKE(arena, &made->law, conditions));
    return STIC_TAKE(arena, &made->coef, conditions);
}

SticStatus stic_minor_create(SticArena* arena, const SticProblem* folded, SticMinor* made)
{
    const int32_t n = folded->rows;
    made->problem = folded;
    made->arena = arena;
    made->rows = n;
    made->count = folded->count;
    STIC_TRY(take(arena, made));
    stic_block_csr_to_dense(folded->W, made->W);
    for (int32_t i = 0; i < folded->count; ++i) {
        double trace = 0.0;
        for (int32_t k = folded->row_at[i]; k < folded->row_at[i + 1]; ++k)
            trace += fabs(made->W[k * n + k]);
        trace /= folded->row_at[i + 1] - folded->row_at[i];
        for (int32_t k = folded->row_at[i]; k < folded->row_at[i + 1]; ++k)
            made->scale[k] = trace > 0.0 ? 1.0 / sqrt(trace) : 1.0;
    }
    made->size = 0.0;
    for (int32_t k = 0; k < n; ++k) {
        made->b[k] = folded->b[k] * made->scale[k];
        made->size = fabs(made->b[k]) > made->size ? fabs(made->b[k]) : made->size;
        for (int32_t j = 0; j < n; ++j)
            made->W[k * n + j] *= made->scale[k] * made->scale[j];
    }
    made->size = made->size > 0.0 ? made->size : 1.0;
    for (int32_t k = 0; k < n; ++k)
        made->b[k] /= made->size;
    return STIC_OK;
}

void stic_minor_velocity(const SticMinor* minor, const double* x, double* y)
{
    stic_dense_mul_vec(minor->rows, minor->rows, minor->W, x, y);
    for (int32_t k = 0; k < minor->rows; ++k)
        y[k] += minor->b[k];
}

double stic_minor_row_size(const SticMinor* minor, const double* x, int32_t k)
{
    double most = fabs(minor->b[k]);
    for (int32_t j = 0; j < minor->rows; ++j) {
        const double term = fabs(minor->W[k * minor->rows + j] * x[j]);
        most = term > most ? term : most;
    }
    return most;
}

bool stic_minor_obeys(const SticMinor* minor, const uint8_t* state, const double* x,
                      const double* y)
{
    const SticProblem* problem = minor->problem;
    double largest = 0.0;
    for (int32_t k = 0; k < minor->rows; ++k)
        largest = fabs(x[k]) > largest ? fabs(x[k]) : largest;
    const double slack = minor->settings->tolerance * largest;
    for (int32_t i = 0; i < minor->count; ++i) {
        const int32_t at = problem->row_at[i], rows = problem->row_at[i + 1] - at;
        const double mu = stic_minor_mu(minor, i);
        double across = 0.0, along = 0.0;
        for (int32_t k = 1; k < rows; ++k) {
            across += x[at + k] * x[at + k];
            along += y[at + k] * x[at + k];
        }
        const double normal = minor->settings->tolerance * stic_minor_row_size(minor, x, at);
        if (state[i] == STIC_STATE_OPEN && y[at] < -normal)
            return false;
        if (state[i] != STIC_STATE_OPEN && state[i] != STIC_STATE_JOINT && x[at] < -slack)
            return false;
        if (state[i] == STIC_STATE_STICK && sqrt(across) > mu * x[at] + slack)
            return false;
        const double tangent =
            rows > 1 ? minor->settings->tolerance * stic_minor_row_size(minor, x, at + 1) : 0.0;
        if (rows == 2 && state[i] == STIC_STATE_SLIDE && y[at + 1] < -tangent)
            return false;
        if (rows == 2 && state[i] == STIC_STATE_BACK && y[at + 1] > tangent)
            return false;
        if (rows == 3 && state[i] == STIC_STATE_SLIDE && along > slack * tangent)
            return false;
    }
    return true;
}

/* ---- unknowns and equations ---- */

// columns of C: one per unknown; their number
static int32_t fill_unknowns(SticMinor* minor, const uint8_t* state)
{
    const SticProblem* problem = minor->problem;
    const int32_t n = minor->rows;
    int32_t unknowns = 0;
    memset(minor->C, 0, (size_t)(n * n) * sizeof *minor->C);
    for (int32_t i = 0; i < minor->count; ++i) {
        const int32_t at = problem->row_at[i], rows = problem->row_at[i + 1] - at;
        const bool all = state[i] == STIC_STATE_STICK || state[i] == STIC_STATE_JOINT;
        for (int32_t k = 0; k < rows && state[i] != STIC_STATE_OPEN; ++k) {
            if (k > 0 && !all)
                break;
            minor->C[(at + k) * n + unknowns] = 1.0;
            if (state[i] == STIC_STATE_SLIDE)
                minor->C[(at + 1) * n + unknowns] = -stic_minor_mu(minor, i);
            if (state[i] == STIC_STATE_BACK)
                minor->C[(at + 1) * n + unknowns] = stic_minor_mu(minor, i);
            minor->row[unknowns++] = at + k;
        }
    }
    stic_dense_mul(n, n, n, minor->W, minor->C, minor->WC);
    return unknowns;
}

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
    const int32_t unknowns = fill_unknowns(minor, state);
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

/* ---- the branch as a condition ---- */

// a condition in the making: rows of S z + c
typedef struct Rows {
    SticMinor* minor;
    int32_t unknowns, count, rows;
} Rows;

// add a row of x (velocity false) or y, times `sign`; a first row of a block gets its law
static void add_row(Rows* rows, int32_t k, double sign, bool velocity)
{
    const SticMinor* minor = rows->minor;
    const double* from = (velocity ? minor->WC : minor->C) + k * minor->rows;
    double* to = minor->S + rows->rows * rows->unknowns;
    for (int32_t j = 0; j < rows->unknowns; ++j)
        to[j] = sign * from[j];
    minor->c[rows->rows++] = velocity ? sign * minor->b[k] : 0.0;
}

// add f x_N + h x_T
static void add_edge(Rows* rows, int32_t at, double f, double h)
{
    const SticMinor* minor = rows->minor;
    const double *N = minor->C + at * minor->rows, *T = N + minor->rows;
    double* to = minor->S + rows->rows * rows->unknowns;
    for (int32_t j = 0; j < rows->unknowns; ++j)
        to[j] = f * N[j] + h * T[j];
    minor->c[rows->rows++] = 0.0;
}

static void end_block(Rows* rows, SticLaw law, double mu)
{
    rows->minor->law[rows->count] = (uint8_t)law;
    memset(rows->minor->coef[rows->count], 0, sizeof rows->minor->coef[0]);
    rows->minor->coef[rows->count][0] = mu;
    rows->minor->row_at[++rows->count] = rows->rows;
}

// reactions of contact i in their set, and velocities where `moving`
static void add_inequalities(Rows* rows, const uint8_t* state, int32_t i, bool moving)
{
    const SticProblem* problem = rows->minor->problem;
    const int32_t at = problem->row_at[i], n = problem->row_at[i + 1] - at;
    const double mu = stic_minor_mu(rows->minor, i);
    if (state[i] == STIC_STATE_OPEN && moving) {
        add_row(rows, at, 1.0, true);
        end_block(rows, STIC_LAW_NONNEG, 0.0);
    }
    if (state[i] == STIC_STATE_CLOSED || state[i] == STIC_STATE_SLIDE ||
        state[i] == STIC_STATE_BACK) {
        add_row(rows, at, 1.0, false);
        end_block(rows, STIC_LAW_NONNEG, 0.0);
    }
    for (int32_t side = -1; side <= 1 && state[i] == STIC_STATE_STICK && n == 2; side += 2) {
        add_edge(rows, at, mu, side);
        end_block(rows, STIC_LAW_NONNEG, 0.0);
    }
    if (state[i] == STIC_STATE_STICK && n == 3) {
        // |r_T| <= mu r_N as a contact with 1/mu between "velocities" r
        for (int32_t k = 0; k < n; ++k)
            add_row(rows, at + k, 1.0, false);
        end_block(rows, STIC_LAW_CONE, 1.0 / mu);
    }
    if (moving && n == 2 && (state[i] == STIC_STATE_SLIDE || state[i] == STIC_STATE_BACK)) {
        add_row(rows, at + 1, state[i] == STIC_STATE_SLIDE ? 1.0 : -1.0, true);
        end_block(rows, STIC_LAW_NONNEG, 0.0);
    }
}

// equations, then inequalities of all contacts, as a problem that the verifier reads
static SticStatus make_condition(Rows* rows, SticBlockCsr* S, SticProblem* made)
{
    const SticMinor* minor = rows->minor;
    for (int32_t k = 0; k <= rows->unknowns; ++k)
        minor->col_at[k] = k;
    const SticPartition partition = {.rows = rows->count,
                                     .cols = rows->unknowns,
                                     .row_at = minor->row_at,
                                     .col_at = minor->col_at};
    STIC_TRY(stic_block_csr_from_dense(&partition, minor->S, minor->arena, S));
    *made = (SticProblem){.count = rows->count,
                          .rows = rows->rows,
                          .row_at = minor->row_at,
                          .law = minor->law,
                          .coef = (const double(*)[4])minor->coef,
                          .W = S,
                          .b = minor->c};
    return STIC_OK;
}

static Rows begin_rows(SticMinor* minor, int32_t unknowns)
{
    minor->row_at[0] = 0;
    return (Rows){.minor = minor, .unknowns = unknowns};
}

// largest margin of the inequalities; z inside, multipliers in `multiplier`
static SticStatus inspect(Rows* rows, SticCertificateCheck* check, double* margin)
{
    SticMinor* minor = rows->minor;
    const SticArenaMark mark = stic_arena_mark(minor->arena);
    const SticProgramGoal goal = {.tolerance = minor->settings->tolerance,
                                  .reach = minor->settings->reach,
                                  .steps = 100,
                                  .margin = true};
    SticBlockCsr S;
    SticProblem condition;
    SticProgram program;
    SticProgramPoint point = {.margin = -INFINITY, .most = INFINITY};
    int32_t steps = 0;
    STIC_TRY(make_condition(rows, &S, &condition));
    STIC_TRY(stic_program_create(minor->arena, &condition, STIC_CONDITION_SUFFICIENT, false,
                                 &program, minor->error));
    STIC_TRY(STIC_TAKE(minor->arena, &point.v, program.cols + 1));
    STIC_TRY(STIC_TAKE(minor->arena, &point.x, program.rows + 1));
    memset(point.v, 0, ((size_t)program.cols + 1) * sizeof *point.v);
    memset(point.x, 0, ((size_t)program.rows + 1) * sizeof *point.x);
    STIC_TRY(stic_program_maximise(minor->arena, &program, &goal, &point, &steps, minor->error));
    *margin = point.margin * program.size;
    if (point.margin > -INFINITY)
        stic_program_witness(&program, point.v, minor->z);
    stic_program_certificate(&program, point.x, minor->multiplier);
    STIC_TRY(stic_certificate_verify(minor->arena, &condition, STIC_CONDITION_SUFFICIENT,
                                     minor->settings->reach, minor->multiplier, check));
    stic_arena_rewind(minor->arena, mark);
    return STIC_OK;
}

/* ---- refutation of a regular branch ---- */

// value of inequality block j of the condition at z, and its multipliers with E' l = -a
static double block_value(const SticMinor* minor, const Rows* rows, int32_t j, double* direction)
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

// multipliers of block j and of the equations in front of it; true if the verifier accepts them
static SticStatus refute_by(Rows* rows, int32_t j, const double* direction, bool* refuted)
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
    STIC_TRY(make_condition(rows, &S, &condition));
    STIC_TRY(stic_certificate_verify(minor->arena, &condition, STIC_CONDITION_SUFFICIENT,
                                     minor->settings->reach, minor->multiplier, &check));
    *refuted = check.valid && check.most < 0.0;
    stic_arena_rewind(minor->arena, mark);
    return STIC_OK;
}

// equations of the branch as joints, then its inequalities
static Rows branch_rows(SticMinor* minor, const uint8_t* state, int32_t unknowns)
{
    Rows rows = begin_rows(minor, unknowns);
    for (int32_t e = 0; e < unknowns; ++e) {
        add_row(&rows, minor->row[e], 1.0, true);
        end_block(&rows, STIC_LAW_FREE, 0.0);
    }
    for (int32_t i = 0; i < minor->count; ++i)
        add_inequalities(&rows, state, i, true);
    return rows;
}

static SticStatus refute(SticMinor* minor, const uint8_t* state, int32_t unknowns, bool* refuted)
{
    Rows rows = branch_rows(minor, state, unknowns);
    *refuted = false;
    for (int32_t j = unknowns; j < rows.count && !*refuted; ++j) {
        double direction[3];
        if (block_value(minor, &rows, j, direction) < 0.0)
            STIC_TRY(refute_by(&rows, j, direction, refuted));
    }
    return STIC_OK;
}

/* ---- rank ---- */

// rank of an m x n matrix by rows, by elimination with complete pivoting; destroys it
static int32_t matrix_rank(int32_t m, int32_t n, double* A)
{
    // W is scaled to 1: rounding of its products, with room to spare
    const double tiny = 1e-10;
    double largest = 0.0;
    for (int32_t k = 0; k < m * n; ++k)
        largest = fabs(A[k]) > largest ? fabs(A[k]) : largest;
    int32_t rank = 0;
    for (; rank < m && rank < n; ++rank) {
        int32_t row = rank, col = rank;
        for (int32_t i = rank; i < m; ++i)
            for (int32_t j = rank; j < n; ++j)
                if (fabs(A[i * n + j]) > fabs(A[row * n + col]))
                    row = i, col = j;
        if (!(fabs(A[row * n + col]) > tiny * largest))
            break;
        for (int32_t j = 0; j < n; ++j) {
            const double swap = A[rank * n + j];
            A[rank * n + j] = A[row * n + j];
            A[row * n + j] = swap;
        }
        for (int32_t i = 0; i < m; ++i) {
            const double swap = A[i * n + rank];
            A[i * n + rank] = A[i * n + col];
            A[i * n + col] = swap;
        }
        for (int32_t i = rank + 1; i < m; ++i) {
            const double f = A[i * n + rank] / A[rank * n + rank];
            for (int32_t j = rank; j < n; ++j)
                A[i * n + j] -= f * A[rank * n + j];
        }
    }
    return rank;
}

/* ---- branches ---- */

static SticStatus solve_singular(SticMinor* minor, const uint8_t* state, int32_t unknowns,
                                 SticBranchEnd* end)
{
    Rows rows = branch_rows(minor, state, unknowns);
    SticCertificateCheck check;
    double margin = 0.0;
    STIC_TRY(inspect(&rows, &check, &margin));
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
                             int32_t* nullity, int32_t* motion)
{
    // beyond this a solution has no digits left at the tolerance
    const double regular = 1e12;
    const int32_t unknowns = stic_branch_equations(minor, state), n = minor->rows;
    bool refuted = false;
    *nullity = *motion = 0;
    const bool singular =
        unknowns > 0 &&
        (stic_dense_lu(unknowns, minor->factor, minor->pivot) != STIC_OK ||
         !(stic_dense_lu_condition(unknowns, minor->factor, minor->pivot,
                                   stic_dense_norm1(unknowns, minor->E), minor->S) < regular));
    if (singular) {
        // velocities of the null space: rank of all rows of W C beyond that of the equations
        const int32_t rank = matrix_rank(unknowns, unknowns, minor->E);
        memset(minor->S, 0, (size_t)(n * n) * sizeof *minor->S);
        for (int32_t k = 0; k < n; ++k)
            for (int32_t j = 0; j < unknowns; ++j)
                minor->S[k * unknowns + j] = minor->WC[k * n + j];
        *motion = matrix_rank(n, unknowns, minor->S) - rank;
        *nullity = unknowns - rank;
        return solve_singular(minor, state, unknowns, end);
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
    const int32_t unknowns = fill_unknowns(minor, relaxed);
    Rows rows = begin_rows(minor, unknowns);
    for (int32_t i = 0; i < minor->count; ++i)
        for (int32_t k = problem->row_at[i]; k < problem->row_at[i + 1]; ++k) {
            const bool all = relaxed[i] == STIC_STATE_JOINT ||
                             (relaxed[i] == STIC_STATE_STICK && !stic_minor_slips(minor, state, i));
            if (relaxed[i] == STIC_STATE_OPEN || (k > problem->row_at[i] && !all))
                continue;
            add_row(&rows, k, 1.0, true);
            end_block(&rows, STIC_LAW_FREE, 0.0);
        }
    for (int32_t i = 0; i < minor->count; ++i)
        add_inequalities(&rows, relaxed, i, true);
    STIC_TRY(inspect(&rows, &check, &margin));
    const double bound = check.most < INFINITY ? check.most : check.value;
    *refuted = check.valid && bound < -minor->settings->tolerance;
    stic_arena_rewind(minor->arena, mark);
    return STIC_OK;
}

/* ---- force sets ---- */

// unknowns of the reactions that a motion leaves open: sliding in space along its own direction
static int32_t fill_directions(SticMinor* minor, const uint8_t* state, const double* y)
{
    const SticProblem* problem = minor->problem;
    const int32_t n = minor->rows, unknowns = fill_unknowns(minor, state);
    for (int32_t j = 0; j < unknowns; ++j)
        for (int32_t i = 0; i < minor->count; ++i) {
            const int32_t at = problem->row_at[i];
            // fill_unknowns wrote the direction of a planar contact
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
static Rows force_rows(SticMinor* minor, const Face* face, const double* y, int32_t unknowns)
{
    Rows rows = begin_rows(minor, unknowns);
    for (int32_t k = 0; k < minor->rows; ++k) {
        add_row(&rows, k, 1.0, true);
        minor->c[rows.rows - 1] -= y[k];
        end_block(&rows, STIC_LAW_FREE, 0.0);
    }
    for (int32_t i = 0; i < minor->count; ++i) {
        const int32_t before = rows.count;
        add_inequalities(&rows, face->state, i, false);
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
static int32_t fix_active(SticMinor* minor, const Rows* rows, Face* face)
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
static SticStatus equation_nullity(SticMinor* minor, const Rows* rows, int32_t* nullity)
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
    *nullity = rows->unknowns - matrix_rank(equations, rows->unknowns, A);
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
    // every round fixes an inequality, or is the last
    for (int32_t round = 0; round <= 2 * minor->count; ++round) {
        const int32_t unknowns = fill_directions(minor, face.state, face.way);
        Rows rows = force_rows(minor, &face, y, unknowns);
        SticCertificateCheck check;
        double margin = 0.0;
        STIC_TRY(equation_nullity(minor, &rows, dimension));
        if (*dimension == 0)
            break;
        STIC_TRY(inspect(&rows, &check, &margin));
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

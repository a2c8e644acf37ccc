// SPDX-License-Identifier: Apache-2.0
// Joints of a chain: where all laws are u = 0 and no body has more than two joints, W has blocks
// between neighbours only, and in the order of the chain
//
//   D_1 = W_11,  D_k = W_kk - C_k E_k     C_k = W_k,k-1,  E_k = D_k-1^-1 C_k'
//   z_k = u_k - E_k' z_k-1,               x_k = D_k^-1 z_k - E_k+1 x_k+1
//
// solves W x = u in O(n). Reactions are -x for u = b, whatever the start; the errors are then
// recomputed from the data by the formulas of all problems (problem/gauge.h), and a second round
// removes what rounding has left. What this path cannot do is left to the general one: loops,
// branches, several chains, joints that depend on each other, tolerances near rounding. Cost: some
// thousand operations per joint, a tenth of it where the elimination is used again; memory: 100
// numbers per joint.
#include "solver/method/chain.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "problem/gauge.h"
#include "problem/mass.h"
#include "problem/operator_kernel.h"
#include "solver/task.h"
#include "stiction/extend/law.h"

enum { ROWS = STIC_SET_DIM, ROUNDS = 2 };
// fraction of the diagonal entry below which a pivot is rounding: the joint depends on others
static const double dependent = 1e-10;
// errors below this many units of rounding need the compensated sums of the general path
static const double plain_rounding = 1e5 * DBL_EPSILON;

// one joint in its place of the chain
typedef struct Link {
    int32_t item, rows;
    double W[ROWS * ROWS]; // diagonal block
    double L[ROWS * ROWS]; // of D = L d L', unit lower triangle
    double d[ROWS];        // 1/d
    double E[ROWS * ROWS]; // rows of the link before x rows
} Link;

struct SticChain {
    const double* H;       // values of H' that it was made of
    const int32_t* row_at; // [count + 1]
    int32_t count;
    Link* link; // [count]
};

// a solve
typedef struct Solve {
    const SticProblem* problem;
    SticChain* chain;
    double* b;             // [rows] u + u_shift at r = 0
    double *y, *found, *u; // [rows]
    double *g, *v;         // [dof]
} Solve;

/* ---- the order ---- */

static bool is_plain(const SticProblem* problem)
{
    const SticMass* M = problem->M;
    if (problem->W != NULL || problem->Pt != NULL || problem->r_shift != NULL || M == NULL ||
        M->kind != STIC_MASS_BLOCKS || M->inverse == NULL || problem->count < 2)
        return false;
    // bodies by themselves
    for (int32_t k = 0; k < M->inverse->rows; ++k)
        if (M->inverse->begin[k + 1] != k + 1 || M->inverse->col[k] != k)
            return false;
    for (int32_t i = 0; i < problem->count; ++i)
        if (problem->law[i] != STIC_LAW_FREE)
            return false;
    return true;
}

// the two joints of each body; false where one has more
static bool find_bodies(const SticBlockCsr* Ht, int32_t (*joint)[2])
{
    for (int32_t k = 0; k < Ht->cols; ++k)
        joint[k][0] = joint[k][1] = -1;
    for (int32_t i = 0; i < Ht->rows; ++i)
        for (int32_t e = Ht->begin[i]; e < Ht->begin[i + 1]; ++e) {
            int32_t* own = joint[Ht->col[e]];
            if (own[1] >= 0)
                return false;
            own[own[0] < 0 ? 0 : 1] = i;
        }
    return true;
}

// the joint after i, coming from `from`; -1: none; -2: one that i is bound to twice
static int32_t next_of(const SticBlockCsr* Ht, const int32_t (*joint)[2], int32_t i, int32_t from)
{
    int32_t next = -1, back = 0;
    for (int32_t e = Ht->begin[i]; e < Ht->begin[i + 1]; ++e) {
        const int32_t* own = joint[Ht->col[e]];
        const int32_t other = own[0] == i ? own[1] : own[0];
        if (other < 0)
            continue;
        if (other == from && back++ == 0)
            continue;
        next = next == -1 && other != from ? other : -2;
    }
    return next;
}

// joints from one end to the other; false if they are not a single chain
static bool find_order(const SticBlockCsr* Ht, const int32_t (*joint)[2], Link* link)
{
    int32_t begin = 0, count = 0, from = -1;
    // the first with one neighbour: coming from nowhere, -2 stands for two or more
    while (begin < Ht->rows && next_of(Ht, joint, begin, -1) < 0)
        ++begin;
    for (int32_t i = begin; i >= 0 && i < Ht->rows && count < Ht->rows;) {
        const int32_t next = next_of(Ht, joint, i, from);
        link[count++] = (Link){.item = i, .rows = Ht->row_at[i + 1] - Ht->row_at[i]};
        if (next == -2)
            return false;
        from = i;
        i = next;
    }
    return count == Ht->rows;
}

/* ---- the matrix ---- */

// out [rows x n] = H M^-1 of a body
static void divide_rows(const double* H, int32_t rows, const SticMass* M, int32_t body, double* out)
{
    const int32_t at = M->inverse->row_at[body], n = M->inverse->row_at[body + 1] - at;
    const double* inverse = M->inverse->value + M->inverse->value_at[body];
    for (int32_t a = 0; a < rows; ++a, H += n, out += n) {
        if (M->inverse_diagonal != NULL) {
            for (int32_t c = 0; c < n; ++c)
                out[c] = H[c] * M->inverse_diagonal[at + c];
            continue;
        }
        if (n == 6) {
            stic_row_times_66(H, inverse, out);
            continue;
        }
        memset(out, 0, (size_t)n * sizeof *out);
        stic_tile_add_transposed(inverse, n, n, H, out);
    }
}

// W [rows x cols] += A B' of a body of n velocities
static void add_product(const double* A, int32_t rows, const double* B, int32_t cols, int32_t n,
                        double* W)
{
    for (int32_t a = 0; a < rows; ++a, A += n, W += cols) {
        if (n == 6 && cols == 3)
            stic_tile_add_36(B, A, W);
        else
            stic_tile_add(B, cols, n, A, W);
    }
}

// diagonal block of a link, and C = its block with the link before
static void form_link(const SticProblem* problem, const Link* before, Link* link, double* C)
{
    const SticBlockCsr* Ht = problem->Ht;
    double Y[ROWS * STIC_BLOCK_MAX];
    memset(C, 0, (size_t)(ROWS * ROWS) * sizeof *C);
    for (int32_t e = Ht->begin[link->item]; e < Ht->begin[link->item + 1]; ++e) {
        const int32_t body = Ht->col[e], n = Ht->col_at[body + 1] - Ht->col_at[body];
        const double* H = Ht->value + Ht->value_at[e];
        divide_rows(H, link->rows, problem->M, body, Y);
        add_product(Y, link->rows, H, link->rows, n, link->W);
        for (int32_t f = before == NULL ? 0 : Ht->begin[before->item];
             before != NULL && f < Ht->begin[before->item + 1]; ++f)
            if (Ht->col[f] == body)
                add_product(Y, link->rows, Ht->value + Ht->value_at[f], before->rows, n, C);
    }
}

// D = L d L'; false where a row depends on those before it
static inline bool factorise_sized(Link* link, int32_t n, double* D)
{
    for (int32_t j = 0; j < n; ++j) {
        double pivot = D[j * n + j];
        for (int32_t k = 0; k < j; ++k) {
            double entry = D[j * n + k];
            for (int32_t m = 0; m < k; ++m)
                entry -= D[j * n + m] * link->L[k * n + m];
            D[j * n + k] = entry; // L d
            link->L[j * n + k] = entry * link->d[k];
            pivot -= entry * link->L[j * n + k];
        }
        if (!(pivot > dependent * link->W[j * n + j]))
            return false;
        link->d[j] = 1.0 / pivot;
    }
    return true;
}

static bool factorise(Link* link, double* D)
{
    return link->rows == 3 ? factorise_sized(link, 3, D) : factorise_sized(link, link->rows, D);
}

// x = D^-1 x
static inline void solve_sized(const Link* link, int32_t n, double* x)
{
    for (int32_t j = 1; j < n; ++j)
        for (int32_t k = 0; k < j; ++k)
            x[j] -= link->L[j * n + k] * x[k];
    for (int32_t j = 0; j < n; ++j)
        x[j] *= link->d[j];
    for (int32_t j = n - 1; j >= 0; --j)
        for (int32_t k = j + 1; k < n; ++k)
            x[j] -= link->L[k * n + j] * x[k];
}

static void solve_link(const Link* link, double* x)
{
    if (link->rows == 3)
        solve_sized(link, 3, x);
    else
        solve_sized(link, link->rows, x);
}

// E of a link from C, and D = W - C E; n rows, m of the link before
static inline void eliminate_sized(const Link* before, Link* link, int32_t n, int32_t m,
                                   const double* C, double* D)
{
    for (int32_t a = 0; a < n; ++a) {
        double column[ROWS];
        for (int32_t k = 0; k < m; ++k)
            column[k] = C[a * m + k];
        solve_sized(before, m, column);
        for (int32_t k = 0; k < m; ++k)
            link->E[k * n + a] = column[k];
    }
    for (int32_t a = 0; a < n; ++a)
        for (int32_t c = 0; c <= a; ++c)
            for (int32_t k = 0; k < m; ++k)
                D[a * n + c] -= C[a * m + k] * link->E[k * n + c];
}

static void eliminate(const Link* before, Link* link, const double* C, double* D)
{
    if (link->rows == 3 && before->rows == 3)
        eliminate_sized(before, link, 3, 3, C, D);
    else
        eliminate_sized(before, link, link->rows, before->rows, C, D);
}

static bool factorise_chain(const SticProblem* problem, const SticChain* chain)
{
    double C[ROWS * ROWS], D[ROWS * ROWS];
    for (int32_t k = 0; k < chain->count; ++k) {
        Link *link = &chain->link[k], *before = k > 0 ? link - 1 : NULL;
        form_link(problem, before, link, C);
        memcpy(D, link->W, sizeof D);
        if (before != NULL)
            eliminate(before, link, C, D);
        if (!factorise(link, D))
            return false;
    }
    return true;
}

// y = W^-1 y, in place
static void solve_chain(const SticChain* chain, double* y)
{
    const int32_t *row_at = chain->row_at, count = chain->count;
    for (int32_t k = 1; k < count; ++k) {
        const Link *link = &chain->link[k], *before = link - 1;
        double *own = y + row_at[link->item], *last = y + row_at[before->item];
        for (int32_t c = 0; c < before->rows; ++c)
            for (int32_t a = 0; a < link->rows; ++a)
                own[a] -= link->E[c * link->rows + a] * last[c];
    }
    for (int32_t k = count - 1; k >= 0; --k) {
        const Link *link = &chain->link[k], *after = link + 1;
        double* own = y + row_at[link->item];
        solve_link(link, own);
        if (k + 1 == count)
            continue;
        const double* next = y + row_at[after->item];
        for (int32_t a = 0; a < link->rows; ++a)
            for (int32_t c = 0; c < after->rows; ++c)
                own[a] -= after->E[a * after->rows + c] * next[c];
    }
}

/* ---- errors ---- */

// u = H' M^-1 (f + H r) + w, and y = u + u_shift; r NULL: 0
static void compute_u(const Solve* solve, const double* r, double* u, double* y)
{
    const SticProblem* problem = solve->problem;
    memcpy(solve->g, problem->f, (size_t)problem->dof * sizeof *solve->g);
    if (r != NULL)
        stic_block_csr_multiply_transpose(1.0, problem->Ht, r, 1.0, solve->g);
    stic_mass_divide(problem->M, solve->g, solve->v);
    memcpy(u, problem->w, (size_t)problem->rows * sizeof *u);
    stic_block_csr_multiply(1.0, problem->Ht, solve->v, 1.0, u);
    for (int32_t row = 0; row < problem->rows; ++row)
        y[row] = u[row] + (problem->u_shift != NULL ? problem->u_shift[row] : 0.0);
}

// x' W x
static double energy_of(const Link* link, const double* x)
{
    double sum = 0.0;
    for (int32_t a = 0; a < link->rows; ++a)
        for (int32_t c = 0; c < link->rows; ++c)
            sum += x[a] * link->W[a * link->rows + c] * x[c];
    return sum;
}

// The step length of the measure is 1 over the largest eigenvalue of W, and not larger than 1 over its
// largest entry on the diagonal: the error with that one is at least the right one, and at most
// `rows` times as large.
static double longest_rho(const Link* link)
{
    double most = 0.0;
    for (int32_t a = 0; a < link->rows; ++a)
        most = link->W[a * (link->rows + 1)] > most ? link->W[a * (link->rows + 1)] : most;
    return 1.0 / most;
}

static inline double square_of(const double* x, int32_t count)
{
    double sum = 0.0;
    for (int32_t row = 0; row < count; ++row)
        sum += x[row] * x[row];
    return sum;
}

// errors of r, with u into solve->u: the projected step of a law that asks for y = 0 is r - rho y
static SticErrors measure(const Solve* solve, const double* r)
{
    const SticProblem* problem = solve->problem;
    SticErrorParts parts = {0};
    compute_u(solve, r, solve->u, solve->y);
    for (int32_t k = 0; k < problem->count; ++k) {
        const Link* link = &solve->chain->link[k];
        const int32_t at = problem->row_at[link->item];
        const double rho = longest_rho(link);
        double b_energy = 0.0;
        // regular up to rounding, or the elimination would have ended
        (void)stic_gauge_inverse_energy(link->W, link->rows, solve->b + at, &b_energy);
        parts.x_energy += energy_of(link, r + at);
        parts.energy += rho * rho * energy_of(link, solve->y + at);
        parts.b_energy += b_energy;
    }
    const double y_norm = sqrt(square_of(solve->y, problem->rows));
    return stic_gauge_errors(&(SticErrorParts){.defect = y_norm,
                                               .energy = sqrt(parts.energy),
                                               .x_norm = sqrt(square_of(r, problem->rows)),
                                               .y_norm = y_norm,
                                               .x_energy = sqrt(parts.x_energy),
                                               .b_norm = sqrt(square_of(solve->b, problem->rows)),
                                               .b_energy = sqrt(parts.b_energy)});
}

static bool passes(const SticSolveSettings* settings, const SticErrors* errors)
{
    SticSolveSettings plain = *settings;
    bool at_floor = false;
    plain.tolerance -= plain_rounding * (1.0 + errors->growth);
    return plain.tolerance > 0.0 && stic_task_passes(&plain, errors, &at_floor) && !at_floor;
}

/* ---- solve ---- */

static SticStatus make_chain(SticArena* arena, const SticProblem* problem, SticChain** made)
{
    SticChain* chain = NULL;
    int32_t(*joint)[2] = NULL;
    *made = NULL;
    STIC_TRY(STIC_TAKE(arena, &joint, problem->Ht->cols));
    if (!find_bodies(problem->Ht, joint))
        return STIC_OK;
    STIC_TRY(STIC_TAKE(arena, &chain, 1));
    *chain =
        (SticChain){.H = problem->Ht->value, .row_at = problem->row_at, .count = problem->count};
    STIC_TRY(STIC_TAKE(arena, &chain->link, problem->count));
    if (find_order(problem->Ht, (const int32_t(*)[2])joint, chain->link) &&
        factorise_chain(problem, chain))
        *made = chain;
    return STIC_OK;
}

static SticStatus prepare(SticArena* arena, Solve* solve)
{
    const SticProblem* problem = solve->problem;
    double** const rows[] = {&solve->b, &solve->y, &solve->found, &solve->u};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k)
        STIC_TRY(STIC_TAKE(arena, rows[k], problem->rows));
    STIC_TRY(STIC_TAKE(arena, &solve->g, problem->dof));
    return STIC_TAKE(arena, &solve->v, problem->dof);
}

SticStatus stic_chain_solve(const SticProblem* problem, const SticSolveRequest* request, double* r,
                            double* u, SticSolveInfo* info, bool* solved)
{
    const SticSolveSettings* settings = &request->settings;
    SticArena* arena = request->workspace->arena;
    Solve solve = {.problem = problem};
    const double start = stic_timer_seconds();
    const size_t bytes = (size_t)problem->rows * sizeof *r;
    *solved = false;
    if (!is_plain(problem))
        return STIC_OK;
    stic_arena_rewind(request->workspace->kept, (SticArenaMark){.block = 0, .used = 0});
    STIC_TRY(make_chain(request->workspace->kept, problem, &solve.chain));
    if (solve.chain == NULL)
        return STIC_OK;
    STIC_TRY(prepare(arena, &solve));
    compute_u(&solve, NULL, solve.u, solve.b);
    memset(solve.found, 0, bytes);
    memcpy(solve.y, solve.b, bytes);
    for (int round = 1; round <= ROUNDS && !*solved; ++round) {
        solve_chain(solve.chain, solve.y);
        for (int32_t row = 0; row < problem->rows; ++row)
            solve.found[row] -= solve.y[row];
        info->errors = measure(&solve, solve.found);
        info->iterations = info->checks = round;
        info->work = 200.0 * problem->rows * round;
        *solved = passes(settings, &info->errors);
    }
    if (!*solved)
        return STIC_OK;
    memcpy(r, solve.found, bytes);
    memcpy(u, solve.u, bytes);
    request->workspace->chain = solve.chain;
    info->outcome = STIC_OUTCOME_SOLVED;
    info->seconds = stic_timer_seconds() - start;
    return STIC_OK;
}

bool stic_chain_again(const SticWorkspace* workspace, const SticBlockCsr* Ht, const double* u,
                      double* r)
{
    const SticChain* chain = workspace->chain;
    if (chain == NULL || chain->H != Ht->value || chain->count != Ht->rows)
        return false;
    const int32_t rows = chain->row_at[chain->count];
    memcpy(r, u, (size_t)rows * sizeof *r);
    solve_chain(chain, r);
    for (int32_t row = 0; row < rows; ++row)
        r[row] = -r[row];
    return true;
}

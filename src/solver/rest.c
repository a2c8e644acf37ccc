// SPDX-License-Identifier: Apache-2.0
// Where bodies rest, the reactions of the last step and one sweep over the contacts solve the next
// one. That sweep is made here straight from the data, without an operator, step lengths or
// records, which would cost thirty times as much:
//
//   v = M^-1 (f + H r)                                    by body
//   y = H' v + w + u_shift,  W_ii                         by contact, one after the other:
//   x = r - W_ii^-1 y if that is inside the cone, 0 if that opens, else a projected step
//   v += M^-1 H_i (x - r)
//
// and the errors of the result are those of problem/errors.c, by island. Plain sums of k terms are
// off by k/2 units in the last place of the largest partial sum, which is below the sum of sizes:
// with k interactions at a body 1.5 k additions of each, in the norm of energies sqrt(k) times the
// largest r in v and sqrt(k) of that in u, and twice that for the sweep: 4 k^2 units of |r|.
// Memory: 20 numbers per contact.
#include "solver/rest.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "law/law_kernel.h"
#include "math/math.h"
#include "problem/gauge.h"
#include "problem/mass.h"
#include "problem/operator_kernel.h"
#include "stiction/extend/base.h"
#include "stiction/extend/sparse.h"

// inverse mass of a rigid body
typedef struct Body {
    bool rigid;
    int32_t met;       // interactions
    double mass, J[6]; // 1/m, lower triangle of the inverse inertia by rows
} Body;

typedef struct Point {
    double W[6];                // lower triangle of W_ii by rows
    double x[3];                // reaction
    double b, b_energy, energy; // |b_i|^2, <W_ii^-1 b_i, b_i>, that of the change
} Point;

struct SticRest {
    const SticProblem* problem;
    SticIslands islands;
    SticRestIsland* island;
    Body* body;             // [bodies]
    Point* point;           // [count]
    double *v, *v_free, *u; // [dof], [dof], [rows]
    double work;
};

bool stic_rest_takes(const SticProblem* problem)
{
    const SticMass* M = problem->M;
    if (problem->W != NULL || problem->Pt != NULL || problem->r_shift != NULL || M == NULL ||
        M->kind != STIC_MASS_BLOCKS || M->inverse == NULL)
        return false;
    for (int32_t k = 0; k < M->inverse->rows; ++k)
        if (M->inverse->begin[k + 1] != k + 1 || M->inverse->col[k] != k)
            return false;
    return true;
}

/* ---- bodies ---- */

static Body body_of(const SticBlockCsr* inverse, int32_t k)
{
    const double* A = inverse->value + inverse->value_at[k];
    Body body = {.rigid = inverse->row_at[k + 1] - inverse->row_at[k] == 6};
    if (!body.rigid)
        return body;
    body.mass = A[0];
    for (int32_t a = 0; a < 3; ++a)
        for (int32_t c = 0; c < 3; ++c) {
            const bool apart = A[6 * a + c + 3] == 0.0 && A[6 * (a + 3) + c] == 0.0;
            const bool even = A[6 * (a + 3) + c + 3] == A[6 * (c + 3) + a + 3];
            body.rigid = body.rigid && apart && even && A[6 * a + c] == (c == a ? body.mass : 0.0);
        }
    for (int32_t a = 0, n = 0; a < 3; ++a)
        for (int32_t c = 0; c <= a; ++c)
            body.J[n++] = A[6 * (a + 3) + c + 3];
    return body;
}

static inline void turn(const double J[6], const double* x, double* y)
{
    y[0] = J[0] * x[0] + J[1] * x[1] + J[3] * x[2];
    y[1] = J[1] * x[0] + J[2] * x[1] + J[4] * x[2];
    y[2] = J[3] * x[0] + J[4] * x[1] + J[5] * x[2];
}

// lower triangle of W += H' M^-1 H
static inline void add_block(const double* H, const Body* body, double W[6])
{
    for (int32_t a = 0, n = 0; a < 3; ++a) {
        const double* own = H + 6 * a;
        double turned[3];
        turn(body->J, own + 3, turned);
        for (int32_t c = 0; c <= a; ++c, ++n) {
            const double* other = H + 6 * c;
            W[n] += body->mass * (own[0] * other[0] + own[1] * other[1] + own[2] * other[2]) +
                    (turned[0] * other[3] + turned[1] * other[4] + turned[2] * other[5]);
        }
    }
}

// v += M^-1 H dx
static inline void push(const double* H, const Body* body, const double* dx, double* v)
{
    double g[6] = {0.0}, turned[3];
    stic_tile_add_transposed_36(H, dx, g);
    turn(body->J, g + 3, turned);
    for (int32_t c = 0; c < 3; ++c) {
        v[c] += body->mass * g[c];
        v[c + 3] += turned[c];
    }
}

/* ---- contacts ---- */

static inline double form(const double W[6], const double* x)
{
    return W[0] * x[0] * x[0] + W[2] * x[1] * x[1] + W[5] * x[2] * x[2] +
           2.0 * (W[1] * x[0] * x[1] + W[3] * x[0] * x[2] + W[4] * x[1] * x[2]);
}

// W = L d L'
typedef struct Factor {
    double l1, l2, l3, d[3];
    bool regular;
} Factor;

static inline Factor factorise(const double W[6])
{
    Factor f = {.l1 = W[1] / W[0], .l2 = W[3] / W[0], .d = {W[0]}};
    f.d[1] = W[2] - f.l1 * W[1];
    f.l3 = (W[4] - f.l2 * W[1]) / f.d[1];
    f.d[2] = W[5] - f.l2 * W[3] - f.l3 * f.l3 * f.d[1];
    // a pivot that is rounding of the diagonal entry is no stiffness, as in the measure
    f.regular = W[0] > 0.0 && f.d[1] > 1e-12 * W[2] && f.d[2] > 1e-12 * W[5];
    return f;
}

static inline void find_rho(const double W[6], double rho[2])
{
    rho[0] = 1.0 / W[0];
    rho[1] = 1.0 / stic_eigen2_largest(W[2], W[4], W[5]);
}

// reaction x that solves contact i for the velocities y at point->x
static inline void visit(const Factor* f, double mu, const double* y, const Point* point, double* x)
{
    const double *W = point->W, *last = point->x;
    if (last[0] == 0.0 && y[0] >= 0.0 && last[1] == 0.0 && last[2] == 0.0) {
        memset(x, 0, 3 * sizeof *x);
        return;
    }
    // sticks
    const double z1 = y[1] - f->l1 * y[0], z2 = y[2] - f->l2 * y[0] - f->l3 * z1;
    const double s2 = z2 / f->d[2], s1 = z1 / f->d[1] - f->l3 * s2;
    x[0] = last[0] - (y[0] / f->d[0] - f->l1 * s1 - f->l2 * s2);
    x[1] = last[1] - s1;
    x[2] = last[2] - s2;
    if (x[0] > 0.0 && x[1] * x[1] + x[2] * x[2] <= mu * mu * (x[0] * x[0]))
        return;
    // opens
    if (y[0] - (W[0] * last[0] + W[1] * last[1] + W[3] * last[2]) >= 0.0) {
        memset(x, 0, 3 * sizeof *x);
        return;
    }
    double rho[2];
    find_rho(W, rho);
    stic_kernel_cone3_step(mu, rho, y, last, x);
}

// one visit of contact i; false where W_ii is singular
static bool sweep_contact(SticRest* rest, int32_t i, const double* r)
{
    const SticProblem* problem = rest->problem;
    const SticBlockCsr* Ht = problem->Ht;
    const int32_t at = problem->row_at[i];
    const double *shift = problem->u_shift, *w = problem->w + at;
    double b[3], y[3], x[3], dx[3];
    Point* point = &rest->point[i];
    memset(point->W, 0, sizeof point->W);
    for (int32_t a = 0; a < 3; ++a) {
        y[a] = b[a] = w[a] + (shift != NULL ? shift[at + a] : 0.0);
        point->x[a] = r[at + a];
    }
    for (int32_t e = Ht->begin[i]; e < Ht->begin[i + 1]; ++e) {
        const double* H = Ht->value + Ht->value_at[e];
        const int32_t col = Ht->col_at[Ht->col[e]];
        stic_tile_add_36(H, rest->v + col, y);
        stic_tile_add_36(H, rest->v_free + col, b);
        add_block(H, &rest->body[Ht->col[e]], point->W);
    }
    const Factor f = factorise(point->W);
    if (!f.regular)
        return false;
    const double z1 = b[1] - f.l1 * b[0], z2 = b[2] - f.l2 * b[0] - f.l3 * z1;
    const bool opens = stic_gauge_opens(STIC_LAW_CONE, shift != NULL ? shift[at] : 0.0, b);
    point->b = b[0] * b[0] + b[1] * b[1] + b[2] * b[2];
    point->b_energy = opens ? 0.0 : b[0] * b[0] / f.d[0] + z1 * z1 / f.d[1] + z2 * z2 / f.d[2];
    visit(&f, problem->coef[i][0], y, point, x);
    for (int32_t a = 0; a < 3; ++a) {
        dx[a] = x[a] - point->x[a];
        point->x[a] = x[a];
    }
    point->energy = form(point->W, dx);
    for (int32_t e = Ht->begin[i]; e < Ht->begin[i + 1]; ++e)
        push(Ht->value + Ht->value_at[e], &rest->body[Ht->col[e]], dx,
             rest->v + Ht->col_at[Ht->col[e]]);
    return true;
}

// whether interaction i is a contact of rigid bodies
static bool is_contact(const SticRest* rest, int32_t i)
{
    const SticProblem* problem = rest->problem;
    const SticBlockCsr* Ht = problem->Ht;
    bool contact =
        problem->law[i] == STIC_LAW_CONE && problem->row_at[i + 1] - problem->row_at[i] == 3;
    for (int32_t e = Ht->begin[i]; e < Ht->begin[i + 1]; ++e)
        contact = contact && rest->body[Ht->col[e]].rigid;
    return contact;
}

/* ---- islands ---- */

// Where contacts open, or their bodies move as one, without reactions, none are a solution. The last
// ones would be measured by themselves there, since nothing else is left to compare them with.
// Returns the energy of a further change.
static double leave_free(SticRest* rest, int32_t k)
{
    const SticIslands* islands = &rest->islands;
    const int32_t* at = rest->problem->M->inverse->row_at;
    for (int32_t m = islands->begin[k]; m < islands->begin[k + 1]; ++m)
        memset(rest->point[islands->member[m]].x, 0, sizeof rest->point->x);
    for (int32_t m = islands->body_begin[k]; m < islands->body_begin[k + 1]; ++m) {
        const int32_t body = islands->body[m];
        memcpy(rest->v + at[body], rest->v_free + at[body],
               (size_t)(at[body + 1] - at[body]) * sizeof *rest->v);
    }
    return 0.0;
}

static void sweep_island(SticRest* rest, int32_t k, const double* r)
{
    const SticIslands* islands = &rest->islands;
    SticRestIsland* island = &rest->island[k];
    double energy = 0.0, b_energy = 0.0, least = INFINITY, largest = 0.0;
    *island = (SticRestIsland){.swept = false};
    for (int32_t m = islands->begin[k]; m < islands->begin[k + 1]; ++m)
        if (!is_contact(rest, islands->member[m]))
            return;
    for (int32_t m = islands->begin[k]; m < islands->begin[k + 1]; ++m) {
        const Point* point = &rest->point[islands->member[m]];
        if (!sweep_contact(rest, islands->member[m], r))
            return;
        energy += point->energy;
        b_energy += point->b_energy;
        least = point->W[0] < least ? point->W[0] : least;
        largest = point->W[0] > largest ? point->W[0] : largest;
    }
    if (b_energy == 0.0)
        energy = leave_free(rest, k);
    island->swept = true;
    island->estimate = sqrt(energy < 0.0 ? 0.0 : energy) / (b_energy > 0.0 ? sqrt(b_energy) : 1.0);
    island->share = largest > least ? sqrt(least / largest) : 1.0;
}

static SticStatus prepare(SticArena* arena, const double* r, SticRest* rest)
{
    const SticProblem* problem = rest->problem;
    const SticBlockCsr *inverse = problem->M->inverse, *Ht = problem->Ht;
    double* g = NULL;
    STIC_TRY(STIC_TAKE(arena, &rest->v, problem->dof));
    STIC_TRY(STIC_TAKE(arena, &rest->v_free, problem->dof));
    STIC_TRY(STIC_TAKE(arena, &rest->u, problem->rows));
    STIC_TRY(STIC_TAKE(arena, &g, problem->dof));
    STIC_TRY(STIC_TAKE(arena, &rest->body, inverse->rows));
    STIC_TRY(STIC_TAKE(arena, &rest->point, problem->count));
    for (int32_t k = 0; k < inverse->rows; ++k)
        rest->body[k] = body_of(inverse, k);
    for (int32_t e = 0; e < Ht->begin[Ht->rows]; ++e)
        rest->body[Ht->col[e]].met += 1;
    memcpy(g, problem->f, (size_t)problem->dof * sizeof *g);
    stic_block_csr_multiply_transpose(1.0, Ht, r, 1.0, g);
    stic_mass_divide(problem->M, problem->f, rest->v_free);
    stic_mass_divide(problem->M, g, rest->v);
    return STIC_OK;
}

SticStatus stic_rest_sweep(SticArena* arena, const SticProblem* problem, const double* r,
                           SticRest** made)
{
    STIC_ASSERT(problem->count > 0);
    SticRest* rest = NULL;
    STIC_TRY(STIC_TAKE(arena, &rest, 1));
    *rest = (SticRest){.problem = problem};
    STIC_TRY(stic_islands_find(arena, problem, &rest->islands));
    STIC_TRY(STIC_TAKE(arena, &rest->island, rest->islands.count));
    STIC_TRY(prepare(arena, r, rest));
    for (int32_t k = 0; k < rest->islands.count; ++k)
        sweep_island(rest, k, r);
    // counted like other sweeps, without their set-up
    rest->work = 2.0 * (double)problem->Ht->value_at[problem->Ht->begin[problem->count]] +
                 20.0 * problem->rows;
    *made = rest;
    return STIC_OK;
}

const SticIslands* stic_rest_islands(const SticRest* rest)
{
    return &rest->islands;
}

const SticRestIsland* stic_rest_island(const SticRest* rest, int32_t k)
{
    STIC_ASSERT(k >= 0 && k < rest->islands.count);
    return &rest->island[k];
}

// u of contact i at the end, and its parts of the errors
static void add_errors(const SticRest* rest, int32_t i, SticErrorParts* parts)
{
    static const double unit[2] = {1.0, 1.0};
    const SticProblem* problem = rest->problem;
    const SticBlockCsr* Ht = problem->Ht;
    const Point* point = &rest->point[i];
    const int32_t at = problem->row_at[i];
    const double *x = point->x, mu = problem->coef[i][0];
    double *u = rest->u + at, y[3], p[3], q[3], rho[2];
    memcpy(u, problem->w + at, 3 * sizeof *u);
    for (int32_t e = Ht->begin[i]; e < Ht->begin[i + 1]; ++e)
        stic_tile_add_36(Ht->value + Ht->value_at[e], rest->v + Ht->col_at[Ht->col[e]], u);
    for (int32_t a = 0; a < 3; ++a)
        y[a] = u[a] + (problem->u_shift != NULL ? problem->u_shift[at + a] : 0.0);
    find_rho(point->W, rho);
    stic_kernel_cone3_step(mu, unit, y, x, p);
    stic_kernel_cone3_step(mu, rho, y, x, q);
    for (int32_t a = 0; a < 3; ++a) {
        p[a] = x[a] - p[a];
        q[a] = x[a] - q[a];
    }
    parts->defect += p[0] * p[0] + p[1] * p[1] + p[2] * p[2];
    parts->energy += form(point->W, q);
    parts->x_norm += x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
    parts->y_norm += y[0] * y[0] + y[1] * y[1] + y[2] * y[2];
    parts->x_energy += form(point->W, x);
    parts->b_norm += point->b;
    parts->b_energy += point->b_energy;
}

void stic_rest_measure(SticRest* rest, int32_t k)
{
    STIC_ASSERT(rest->island[k].swept);
    const SticIslands* islands = &rest->islands;
    SticRestIsland* island = &rest->island[k];
    SticErrorParts parts = {.defect = 0.0};
    double most = 0.0;
    for (int32_t m = islands->begin[k]; m < islands->begin[k + 1]; ++m)
        add_errors(rest, islands->member[m], &parts);
    for (int32_t m = islands->body_begin[k]; m < islands->body_begin[k + 1]; ++m)
        most = rest->body[islands->body[m]].met > most ? rest->body[islands->body[m]].met : most;
    // sums that rounding makes negative are 0; what is not a number stays so
    double* const sums[] = {&parts.defect, &parts.energy,   &parts.x_norm,  &parts.y_norm,
                            &parts.b_norm, &parts.x_energy, &parts.b_energy};
    for (size_t s = 0; s < sizeof sums / sizeof sums[0]; ++s)
        *sums[s] = sqrt(*sums[s] < 0.0 ? 0.0 : *sums[s]);
    island->errors = stic_gauge_errors(&parts);
    island->rounding = 4.0 * most * most * DBL_EPSILON * (1.0 + island->errors.growth);
    island->measured = true;
    rest->work += (islands->begin[k + 1] - islands->begin[k]) * 150.0;
}

void stic_rest_get(const SticRest* rest, int32_t k, double* r, double* u)
{
    STIC_ASSERT(rest->island[k].swept && (u == NULL || rest->island[k].measured));
    const SticIslands* islands = &rest->islands;
    for (int32_t m = islands->begin[k]; m < islands->begin[k + 1]; ++m) {
        const int32_t i = islands->member[m], at = rest->problem->row_at[i];
        memcpy(r + at, rest->point[i].x, 3 * sizeof *r);
        if (u != NULL)
            memcpy(u + at, rest->u + at, 3 * sizeof *u);
    }
}

double stic_rest_work(const SticRest* rest)
{
    return rest->work;
}

// SPDX-License-Identifier: Apache-2.0
// Where bodies rest, the reactions of the last step and one sweep over the contacts solve the next
// one, and where little moves a few do. These sweeps are made here straight from the data, without
// an operator, step lengths or records, which would cost thirty times as much as the first one:
//
//   v = M^-1 (f + H r)                                    by body
//   y = H' v + w + u_shift,  W_ii                         by contact, one after the other:
//   x = r - W_ii^-1 y if that is inside the cone, 0 if that opens, else a projected step
//   v += M^-1 H_i (x - r)
//
// with the momentum of flow.c from the second sweep on. // Islands of normal rows alone, as corrections of overlaps have them, are swept in the same way:
// x = max(0, r - y/W_ii). The errors of the result are those of problem/errors.c, by island. Plain sums of k terms are
// off by k/2 units in the last place of the largest partial sum, which is below the sum of sizes:
// with k interactions at a body 1.5 k additions of each, in the norm of energies sqrt(k) times the
// largest r in v and sqrt(k) of that in u, and twice that for the sweep: 4 k^2 units of |r|.
// What does not depend on the order of visits (W_ii, its factors, b, errors) is computed for four
// contacts at a time. Memory: 20 numbers per contact.
#include "solver/rest.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "law/law_kernel.h"
#include "math/math.h"
#include "problem/gauge.h"
#include "problem/mass.h"
#include "problem/operator_kernel.h"
#include "solver/rest_pack.h"
#include "stiction/extend/base.h"
#include "stiction/extend/sparse.h"

struct SticRest {
    const SticProblem* problem;
    SticIslands islands;
    SticArenaMark mark; // behind them
    SticRestIsland* island;
    SticRestBody* body; // [bodies]
    SticRestPack* pack;
    SticLanes (*before)[3]; // [packs] reactions after the sweep before
    int32_t* pack_at; // [islands + 1] member n of island k is lane n % 4 of pack pack_at[k] + n / 4
    SticRestData data;
    SticRestLanes lanes;
    double *v, *v_free, *u; // [dof], [dof], [rows]
    double* v_before;       // [dof] v after the sweep before
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

// a body whose inverse mass is a diagonal
static SticRestBody diagonal_body(const double d[6])
{
    return (SticRestBody){.mass = d[0],
                          .J = {d[3], 0.0, d[4], 0.0, 0.0, d[5]},
                          .rigid = d[1] == d[0] && d[2] == d[0]};
}

static SticRestBody body_of(const SticMass* M, int32_t k)
{
    const SticBlockCsr* inverse = M->inverse;
    if (M->inverse_diagonal != NULL && inverse->row_at[k + 1] - inverse->row_at[k] == 6)
        return diagonal_body(M->inverse_diagonal + inverse->row_at[k]);
    const double* A = inverse->value + inverse->value_at[k];
    SticRestBody body = {.rigid = inverse->row_at[k + 1] - inverse->row_at[k] == 6};
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

// v += M^-1 H dx
static inline void push(const double* H, const SticRestBody* body, const double* dx, double* v)
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

// one lane of a pack
typedef struct Point {
    double W[6]; // lower triangle of W_ii by rows
    double l[3], d[3];
    double x[3];
} Point;

static inline double get(const SticLanes* lanes, int32_t lane)
{
    return ((const double*)lanes)[lane];
}

static inline void set(double x, int32_t lane, SticLanes* lanes)
{
    ((double*)lanes)[lane] = x;
}

static inline Point point_of(const SticRestPack* pack, int32_t lane)
{
    Point point;
    for (int32_t n = 0; n < 6; ++n)
        point.W[n] = get(&pack->W[n], lane);
    for (int32_t a = 0; a < 3; ++a) {
        point.l[a] = get(&pack->l[a], lane);
        point.d[a] = get(&pack->d[a], lane);
        point.x[a] = get(&pack->x[a], lane);
    }
    return point;
}

// the contacts of a pack that begins with member m of island k; further lanes repeat its first
static int32_t contacts_of(const SticIslands* islands, int32_t k, int32_t m,
                           int32_t contact[STIC_LANES])
{
    const int32_t left = islands->begin[k + 1] - m, count = left < STIC_LANES ? left : STIC_LANES;
    for (int32_t lane = 0; lane < STIC_LANES; ++lane)
        contact[lane] = islands->member[lane < count ? m + lane : m];
    return count;
}

static inline double form(const double W[6], const double* x)
{
    return W[0] * x[0] * x[0] + W[2] * x[1] * x[1] + W[5] * x[2] * x[2] +
           2.0 * (W[1] * x[0] * x[1] + W[3] * x[0] * x[2] + W[4] * x[1] * x[2]);
}

// a pivot that is rounding of the diagonal entry is no stiffness, as in the measure
static inline bool is_regular(const Point* point)
{
    const double *W = point->W, *d = point->d;
    return W[0] > 0.0 && d[1] > 1e-12 * W[2] && d[2] > 1e-12 * W[5];
}

// reaction x that solves a contact for the velocities y at point->x
static inline void visit(const Point* point, double mu, const double* y, double* x)
{
    const double *W = point->W, *l = point->l, *d = point->d, *last = point->x;
    if (last[0] == 0.0 && y[0] >= 0.0 && last[1] == 0.0 && last[2] == 0.0) {
        memset(x, 0, 3 * sizeof *x);
        return;
    }
    // sticks
    const double z1 = y[1] - l[0] * y[0], z2 = y[2] - l[1] * y[0] - l[2] * z1;
    const double s2 = z2 / d[2], s1 = z1 / d[1] - l[2] * s2;
    x[0] = last[0] - (y[0] / d[0] - l[0] * s1 - l[1] * s2);
    x[1] = last[1] - s1;
    x[2] = last[2] - s2;
    if (x[0] > 0.0 && x[1] * x[1] + x[2] * x[2] <= mu * mu * (x[0] * x[0]))
        return;
    // opens
    if (y[0] - (W[0] * last[0] + W[1] * last[1] + W[3] * last[2]) >= 0.0) {
        memset(x, 0, 3 * sizeof *x);
        return;
    }
    const double rho[2] = {1.0 / W[0], 1.0 / stic_eigen2_largest(W[2], W[4], W[5])};
    stic_kernel_cone3_step(mu, rho, y, last, x);
}

// one visit of contact i; false where W_ii is singular
static inline bool sweep_contact(SticRest* rest, int32_t i, SticRestPack* pack, int32_t lane,
                                 double* energy)
{
    const SticProblem* problem = rest->problem;
    const SticBlockCsr* Ht = problem->Ht;
    const int32_t at = problem->row_at[i];
    const double *shift = problem->u_shift, *w = problem->w + at;
    const Point point = point_of(pack, lane);
    double y[3], x[3], dx[3];
    if (!is_regular(&point))
        return false;
    for (int32_t a = 0; a < 3; ++a)
        y[a] = w[a] + (shift != NULL ? shift[at + a] : 0.0);
    for (int32_t e = Ht->begin[i]; e < Ht->begin[i + 1]; ++e)
        stic_tile_add_36(Ht->value + Ht->value_at[e], rest->v + Ht->col_at[Ht->col[e]], y);
    visit(&point, problem->coef[i][0], y, x);
    for (int32_t a = 0; a < 3; ++a) {
        dx[a] = x[a] - point.x[a];
        set(x[a], lane, &pack->x[a]);
    }
    *energy += form(point.W, dx);
    for (int32_t e = Ht->begin[i]; e < Ht->begin[i + 1]; ++e)
        push(Ht->value + Ht->value_at[e], &rest->body[Ht->col[e]], dx,
             rest->v + Ht->col_at[Ht->col[e]]);
    return true;
}

// whether interaction i is between one or two rigid bodies, or one and what does not move
static bool is_rigid(const SticRest* rest, int32_t i)
{
    const SticBlockCsr* Ht = rest->problem->Ht;
    bool rigid = Ht->begin[i + 1] - Ht->begin[i] <= 2;
    for (int32_t e = Ht->begin[i]; e < Ht->begin[i + 1]; ++e)
        rigid = rigid && rest->body[Ht->col[e]].rigid;
    return rigid;
}

// whether island k has nothing but contacts of rigid bodies, or the normal rows of such
static bool are_contacts(const SticRest* rest, int32_t k, bool normal)
{
    const SticProblem* problem = rest->problem;
    const int32_t* row_at = problem->row_at;
    const int32_t *member = rest->islands.member, end = rest->islands.begin[k + 1],
                  rows = normal ? 1 : 3;
    const uint8_t law = normal ? STIC_LAW_NONNEG : STIC_LAW_CONE;
    for (int32_t m = rest->islands.begin[k]; m < end; ++m) {
        const int32_t i = member[m];
        if (problem->law[i] != law || row_at[i + 1] - row_at[i] != rows || !is_rigid(rest, i))
            return false;
    }
    return true;
}

/* ---- normal rows ---- */

// M^-1 times row h of a body
static inline void turn_row(const SticRestBody* body, const double* h, double z[6])
{
    for (int32_t c = 0; c < 3; ++c)
        z[c] = body->mass * h[c];
    turn(body->J, h + 3, z + 3);
}

static inline double dot6(const double* a, const double* b)
{
    return (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) + (a[3] * b[3] + a[4] * b[4] + a[5] * b[5]);
}

// w + u_shift + h v of row i
static inline double row_velocity(const SticRest* rest, int32_t i, const double* v, double* shift)
{
    const SticProblem* problem = rest->problem;
    const SticBlockCsr* Ht = problem->Ht;
    const int32_t at = problem->row_at[i];
    double y = problem->w[at];
    *shift = problem->u_shift != NULL ? problem->u_shift[at] : 0.0;
    for (int32_t e = Ht->begin[i]; e < Ht->begin[i + 1]; ++e)
        y += dot6(Ht->value + Ht->value_at[e], v + Ht->col_at[Ht->col[e]]);
    return y + *shift;
}

static void fill_normal(const SticRest* rest, int32_t i, SticRestPack* pack, int32_t lane)
{
    const SticBlockCsr* Ht = rest->problem->Ht;
    double W = 0.0, shift = 0.0, z[6];
    for (int32_t e = Ht->begin[i]; e < Ht->begin[i + 1]; ++e) {
        const double* h = Ht->value + Ht->value_at[e];
        turn_row(&rest->body[Ht->col[e]], h, z);
        W += dot6(h, z);
    }
    const double b = row_velocity(rest, i, rest->v_free, &shift);
    const bool opens = shift > 0.0 && b >= 0.0; // stic_gauge_opens
    set(W, lane, &pack->W[0]);
    set(rest->data.r[rest->problem->row_at[i]], lane, &pack->x[0]);
    set(b * b, lane, &pack->b);
    set(opens || !(W > 0.0) ? 0.0 : b * b / W, lane, &pack->b_energy);
}

static inline bool sweep_normal(SticRest* rest, int32_t i, SticRestPack* pack, int32_t lane,
                                double* energy)
{
    const SticBlockCsr* Ht = rest->problem->Ht;
    const double W = get(&pack->W[0], lane), last = get(&pack->x[0], lane);
    double shift = 0.0, z[6];
    if (!(W > 0.0))
        return false;
    const double step = last - row_velocity(rest, i, rest->v, &shift) / W;
    const double x = step > 0.0 ? step : 0.0, dx = x - last;
    if (dx == 0.0)
        return true;
    set(x, lane, &pack->x[0]);
    *energy += W * dx * dx;
    for (int32_t e = Ht->begin[i]; e < Ht->begin[i + 1]; ++e) {
        double* v = rest->v + Ht->col_at[Ht->col[e]];
        turn_row(&rest->body[Ht->col[e]], Ht->value + Ht->value_at[e], z);
        for (int32_t c = 0; c < 6; ++c)
            v[c] += z[c] * dx;
    }
    return true;
}

static void measure_normal(const SticRest* rest, int32_t i, const SticRestPack* pack, int32_t lane,
                           SticErrorParts* parts)
{
    double shift = 0.0;
    const double W = get(&pack->W[0], lane), x = get(&pack->x[0], lane),
                 y = row_velocity(rest, i, rest->v, &shift);
    const double defect = x - y > 0.0 ? y : x, scaled = x - y / W > 0.0 ? y / W : x;
    rest->u[rest->problem->row_at[i]] = y - shift;
    parts->defect += defect * defect;
    parts->energy += W * scaled * scaled;
    parts->x_norm += x * x;
    parts->y_norm += y * y;
    parts->x_energy += W * x * x;
    parts->b_norm += get(&pack->b, lane);
    parts->b_energy += get(&pack->b_energy, lane);
}

/* ---- islands ---- */

// Where contacts open, or their bodies move as one, without reactions, none are a solution. The last
// ones would be measured by themselves there, since nothing else is left to compare them with.
// Returns the energy of a further change.
static double leave_free(SticRest* rest, int32_t k)
{
    const SticIslands* islands = &rest->islands;
    const int32_t* at = rest->problem->M->inverse->row_at;
    for (int32_t n = rest->pack_at[k]; n < rest->pack_at[k + 1]; ++n)
        memset(rest->pack[n].x, 0, sizeof rest->pack[n].x);
    for (int32_t m = islands->body_begin[k]; m < islands->body_begin[k + 1]; ++m) {
        const int32_t body = islands->body[m];
        memcpy(rest->v + at[body], rest->v_free + at[body],
               (size_t)(at[body + 1] - at[body]) * sizeof *rest->v);
    }
    return 0.0;
}

// sums over an island
typedef struct Sums {
    double energy, b_energy, least, largest;
    bool warm;
} Sums;

static double estimate_of(double energy, double b_energy)
{
    return sqrt(energy < 0.0 ? 0.0 : energy) / (b_energy > 0.0 ? sqrt(b_energy) : 1.0);
}

static void fill(const SticRest* rest, int32_t k, const int32_t contact[STIC_LANES],
                 SticRestPack* pack)
{
    if (!rest->island[k].normal)
        rest->lanes.fill(&rest->data, contact, pack);
    for (int32_t lane = 0; rest->island[k].normal && lane < STIC_LANES; ++lane)
        fill_normal(rest, contact[lane], pack, lane);
}

// fill a pack, with what its contacts add to the sums of the start
static void begin_pack(const SticRest* rest, int32_t k, const int32_t contact[STIC_LANES],
                       int32_t count, SticRestPack* pack, Sums* sums)
{
    fill(rest, k, contact, pack);
    for (int32_t lane = 0; lane < count; ++lane) {
        const double W = get(&pack->W[0], lane);
        sums->warm = sums->warm || get(&pack->x[0], lane) != 0.0;
        sums->b_energy += get(&pack->b_energy, lane);
        sums->least = W < sums->least ? W : sums->least;
        sums->largest = W > sums->largest ? W : sums->largest;
    }
}

// the contacts of island k, whose packs the first sweep fills
static bool sweep_packs(SticRest* rest, int32_t k, Sums* sums)
{
    const SticIslands* islands = &rest->islands;
    const bool normal = rest->island[k].normal, first = rest->island[k].sweeps == 0;
    const int32_t end = islands->begin[k + 1];
    SticRestPack* pack = rest->pack + rest->pack_at[k];
    double energy = 0.0;
    for (int32_t m = islands->begin[k]; m < end; m += STIC_LANES, ++pack) {
        const int32_t *member = islands->member + m,
                      count = end - m < STIC_LANES ? end - m : STIC_LANES;
        int32_t contact[STIC_LANES];
        if (first) {
            contacts_of(islands, k, m, contact);
            begin_pack(rest, k, contact, count, pack, sums);
        }
        for (int32_t lane = 0; lane < count && !normal; ++lane)
            if (!sweep_contact(rest, member[lane], pack, lane, &energy))
                return false;
        for (int32_t lane = 0; lane < count && normal; ++lane)
            if (!sweep_normal(rest, member[lane], pack, lane, &energy))
                return false;
    }
    sums->energy = energy;
    return true;
}

static void sweep_island(SticRest* rest, int32_t k)
{
    const SticIslands* islands = &rest->islands;
    SticRestIsland* island = &rest->island[k];
    Sums sums = {.least = INFINITY};
    const bool normal = rest->problem->law[islands->member[islands->begin[k]]] == STIC_LAW_NONNEG;
    *island = (SticRestIsland){.swept = false, .normal = normal};
    if (!are_contacts(rest, k, normal) || !sweep_packs(rest, k, &sums))
        return;
    if (sums.b_energy == 0.0)
        sums.energy = leave_free(rest, k);
    island->swept = true;
    island->warm = sums.warm;
    island->sweeps = 1;
    island->b_energy = sums.b_energy;
    island->estimate = estimate_of(sums.energy, sums.b_energy);
    island->share = sums.largest > sums.least ? sqrt(sums.least / sums.largest) : 1.0;
}

static SticStatus take_packs(SticArena* arena, SticRest* rest)
{
    const SticIslands* islands = &rest->islands;
    STIC_TRY(STIC_TAKE(arena, &rest->pack_at, islands->count + 1));
    rest->pack_at[0] = 0;
    for (int32_t k = 0; k < islands->count; ++k)
        rest->pack_at[k + 1] =
            rest->pack_at[k] +
            (islands->begin[k + 1] - islands->begin[k] + STIC_LANES - 1) / STIC_LANES;
    STIC_TRY(STIC_TAKE(arena, &rest->before, rest->pack_at[islands->count]));
    return STIC_TAKE(arena, &rest->pack, rest->pack_at[islands->count]);
}

static SticStatus prepare(SticArena* arena, const double* r, SticRest* rest)
{
    const SticProblem* problem = rest->problem;
    const SticBlockCsr *inverse = problem->M->inverse, *Ht = problem->Ht;
    double* g = NULL;
    STIC_TRY(STIC_TAKE(arena, &rest->v, problem->dof));
    STIC_TRY(STIC_TAKE(arena, &rest->v_free, problem->dof));
    STIC_TRY(STIC_TAKE(arena, &rest->v_before, problem->dof));
    STIC_TRY(STIC_TAKE(arena, &rest->u, problem->rows));
    STIC_TRY(STIC_TAKE(arena, &g, problem->dof));
    STIC_TRY(STIC_TAKE(arena, &rest->body, inverse->rows));
    STIC_TRY(take_packs(arena, rest));
    for (int32_t k = 0; k < inverse->rows; ++k)
        rest->body[k] = body_of(problem->M, k);
    for (int32_t e = 0; e < Ht->begin[Ht->rows]; ++e)
        rest->body[Ht->col[e]].met += 1;
    memcpy(g, problem->f, (size_t)problem->dof * sizeof *g);
    stic_block_csr_multiply_transpose(1.0, Ht, r, 1.0, g);
    stic_mass_divide(problem->M, problem->f, rest->v_free);
    stic_mass_divide(problem->M, g, rest->v);
    rest->data = (SticRestData){problem, rest->body, r, rest->v, rest->v_free, rest->u};
    rest->lanes = stic_rest_lanes(false);
    return STIC_OK;
}

// counted like other sweeps, without their set-up
static double sweep_work(const SticProblem* problem, int32_t contacts)
{
    const double values = (double)problem->Ht->value_at[problem->Ht->begin[problem->count]];
    return (2.0 * values + 20.0 * problem->rows) * contacts / problem->count;
}

SticStatus stic_rest_sweep(SticArena* arena, const SticProblem* problem, const double* r,
                           SticRest** made)
{
    STIC_ASSERT(problem->count > 0);
    SticRest* rest = NULL;
    STIC_TRY(STIC_TAKE(arena, &rest, 1));
    *rest = (SticRest){.problem = problem};
    STIC_TRY(stic_islands_find(arena, problem, &rest->islands));
    rest->mark = stic_arena_mark(arena);
    STIC_TRY(STIC_TAKE(arena, &rest->island, rest->islands.count));
    STIC_TRY(prepare(arena, r, rest));
    for (int32_t k = 0; k < rest->islands.count; ++k)
        sweep_island(rest, k);
    rest->work = sweep_work(problem, problem->count);
    *made = rest;
    return STIC_OK;
}

// Extrapolate reactions and velocities of an island, which stay consistent. Velocities of the start
// are not kept, so that momentum begins after the second sweep.
static void extrapolate(SticRest* rest, int32_t k)
{
    static const double cap = 0.8;
    const SticIslands* islands = &rest->islands;
    const SticRestIsland* island = &rest->island[k];
    const int32_t *at = rest->problem->M->inverse->row_at, rows = island->normal ? 1 : 3;
    const double ramp = (double)(island->sweeps - 1) / (double)(island->sweeps + 2),
                 beta = ramp < cap ? ramp : cap;
    for (int32_t n = rest->pack_at[k]; n < rest->pack_at[k + 1]; ++n)
        for (int32_t a = 0; a < rows; ++a) {
            const SticLanes x = rest->pack[n].x[a];
            if (beta > 0.0)
                rest->pack[n].x[a] += beta * (x - rest->before[n][a]);
            rest->before[n][a] = x;
        }
    for (int32_t m = islands->body_begin[k]; m < islands->body_begin[k + 1]; ++m)
        for (int32_t c = at[islands->body[m]]; c < at[islands->body[m] + 1]; ++c) {
            const double v = rest->v[c];
            if (beta > 0.0)
                rest->v[c] += beta * (v - rest->v_before[c]);
            rest->v_before[c] = v;
        }
}

void stic_rest_again(SticRest* rest, int32_t k)
{
    STIC_ASSERT(rest->island[k].swept);
    const SticIslands* islands = &rest->islands;
    SticRestIsland* island = &rest->island[k];
    Sums sums = {.least = INFINITY};
    extrapolate(rest, k);
    sweep_packs(rest, k, &sums);
    island->sweeps += 1;
    island->estimate = estimate_of(sums.energy, island->b_energy);
    island->measured = false;
    rest->work += sweep_work(rest->problem, islands->begin[k + 1] - islands->begin[k]);
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

// u of the contacts of a pack at the end, and their parts of the errors
static void add_errors(const SticRest* rest, int32_t k, int32_t m, const SticRestPack* pack,
                       SticErrorParts* parts)
{
    int32_t contact[STIC_LANES];
    SticRestErrors errors;
    const int32_t count = contacts_of(&rest->islands, k, m, contact);
    for (int32_t lane = 0; rest->island[k].normal && lane < count; ++lane)
        measure_normal(rest, contact[lane], pack, lane, parts);
    if (rest->island[k].normal)
        return;
    rest->lanes.measure(&rest->data, contact, pack, &errors);
    for (int32_t lane = 0; lane < count; ++lane) {
        parts->defect += get(&errors.defect, lane);
        parts->energy += get(&errors.energy, lane);
        parts->x_norm += get(&errors.x_norm, lane);
        parts->y_norm += get(&errors.y_norm, lane);
        parts->x_energy += get(&errors.x_energy, lane);
        parts->b_norm += get(&pack->b, lane);
        parts->b_energy += get(&pack->b_energy, lane);
    }
}

void stic_rest_measure(SticRest* rest, int32_t k)
{
    STIC_ASSERT(rest->island[k].swept);
    const SticIslands* islands = &rest->islands;
    SticRestIsland* island = &rest->island[k];
    SticErrorParts parts = {.defect = 0.0};
    double most = 0.0;
    const SticRestPack* pack = rest->pack + rest->pack_at[k];
    for (int32_t m = islands->begin[k]; m < islands->begin[k + 1]; m += STIC_LANES)
        add_errors(rest, k, m, pack++, &parts);
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

// reactions of the lanes of a pack, and velocities, of contacts or normal rows
static inline void get_pack(const SticRest* rest, const SticRestPack* pack, const int32_t* member,
                            int32_t count, int32_t rows, double* const to[2])
{
    for (int32_t lane = 0; lane < count; ++lane) {
        const int32_t at = rest->problem->row_at[member[lane]];
        for (int32_t a = 0; a < rows; ++a) {
            to[0][at + a] = get(&pack->x[a], lane);
            if (to[1] != NULL)
                to[1][at + a] = rest->u[at + a];
        }
    }
}

void stic_rest_get(const SticRest* rest, int32_t k, double* r, double* u)
{
    STIC_ASSERT(rest->island[k].swept && (u == NULL || rest->island[k].measured));
    const SticIslands* islands = &rest->islands;
    const SticRestPack* pack = rest->pack + rest->pack_at[k];
    double* const to[2] = {r, u};
    for (int32_t m = islands->begin[k]; m < islands->begin[k + 1]; m += STIC_LANES, ++pack) {
        const int32_t left = islands->begin[k + 1] - m,
                      count = left < STIC_LANES ? left : STIC_LANES;
        // with constant numbers of rows
        if (rest->island[k].normal)
            get_pack(rest, pack, islands->member + m, count, 1, to);
        else
            get_pack(rest, pack, islands->member + m, count, 3, to);
    }
}

void stic_rest_drop(SticRest* rest, SticArena* arena)
{
    stic_arena_rewind(arena, rest->mark);
    rest->island = NULL;
    rest->pack = NULL;
}

double stic_rest_work(const SticRest* rest)
{
    return rest->work;
}

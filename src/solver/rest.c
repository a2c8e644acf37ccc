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
// with the momentum of flow.c from the second sweep on. Islands of normal rows alone, as corrections of overlaps have them, are swept in the same way:
// x = max(0, r - y/W_ii). The errors of the result are those of problem/errors.c, by island. Plain sums of k terms are
// off by k/2 units in the last place of the largest partial sum, which is below the sum of sizes:
// with k interactions at a body 1.5 k additions of each, in the norm of energies sqrt(k) times the
// largest r in v and sqrt(k) of that in u, and twice that for the sweep: 4 k^2 units of |r|.
// What does not depend on the order of visits (W_ii, its factors, b, errors) is computed for four
// contacts at a time. Memory: 20 numbers per contact, 35 per normal row.
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

typedef double Pair __attribute__((vector_size(16)));

// contacts and normal rows that are swept more than once; `at` is -1 for a second body that is not
// there
typedef struct Spot {
    double root;            // of 1/W_NN
    double idle;            // open, with nothing to do before its bodies have travelled this far
    int32_t body[2], at[2]; // at: the first velocity of each
} Spot;

typedef struct Row {
    Spot spot;
    Pair h[2][3], z[2][3]; // row of H', and M^-1 times it
    double w, W;           // with u_shift; its diagonal entry
    double x, before;
} Row;

// one lane of a pack
typedef struct Point {
    double W[6]; // lower triangle of W_ii by rows
    double l[3], d[3];
    double x[3];
} Point;

typedef struct Contact {
    Spot spot;
    Pair h[2][9], z[2][9]; // rows of H', and M^-1 times them
    Point point;
    double w[3], before[3]; // as above
    double mu, rho[2];
} Contact;

// how far a body has travelled in the sweeps, in the norm of its mass, which is by rows here
typedef struct Travel {
    double made;
    double mass, J[6];
} Travel;

// sums over an island
typedef struct Sums {
    double energy, b, b_energy, least, largest;
    bool warm;
} Sums;

struct SticRest {
    SticArena* arena;
    const SticProblem* problem;
    SticIslands islands;
    SticArenaMark mark; // behind them
    SticRestIsland* island;
    SticRestBody* body; // [bodies]
    Travel* travel;     // [bodies + 1], the last of what does not move
    SticRestPack* pack;
    Contact* contact;     // of the island that is swept again, in its order, NULL: none
    int32_t again;        // that island
    SticArenaMark behind; // before its contacts
    // [islands + 1] member n of island k is lane n % 4 of pack pack_at[k] + n / 4 or row row_at[k] + n
    int32_t *pack_at, *row_at;
    Row* row;
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

// 1/W_NN, and the inverse of the larger eigenvalue of W_TT
static inline void step_lengths(const double W[6], double rho[2])
{
    rho[0] = 1.0 / W[0];
    rho[1] = 1.0 / stic_eigen2_largest(W[2], W[4], W[5]);
}

// reaction x that solves a contact for the velocities y at point->x; `rho`: NULL where unknown
static inline void visit(const Point* point, double mu, const double* rho, const double* y,
                         double* x)
{
    double own[2];
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
    if (rho == NULL)
        step_lengths(W, own);
    stic_kernel_cone3_step(mu, rho != NULL ? rho : own, y, last, x);
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
    visit(&point, problem->coef[i][0], NULL, y, x);
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

/* ---- sweeps after the first ---- */

static inline Pair pair_at(const double* from)
{
    Pair x;
    memcpy(&x, from, sizeof x);
    return x;
}

// h v of six velocities
static inline double dot6(const Pair h[3], const double* v)
{
    const Pair sum = h[0] * pair_at(v) + h[1] * pair_at(v + 2) + h[2] * pair_at(v + 4);
    return sum[0] + sum[1];
}

// v += z x
static inline void add6(const Pair z[3], double x, double* v)
{
    for (int32_t c = 0; c < 3; ++c) {
        const Pair sum = pair_at(v + 2 * c) + x * z[c];
        memcpy(v + 2 * c, &sum, sizeof sum);
    }
}

// six numbers h of a row, and M^-1 times them
static inline void put_row(const SticRestBody* body, const double* h, Pair to[3], Pair z[3])
{
    double turned[6];
    for (int32_t c = 0; c < 3; ++c)
        turned[c] = body->mass * h[c];
    turn(body->J, h + 3, turned + 3);
    memcpy(to, h, 3 * sizeof *to);
    memcpy(z, turned, sizeof turned);
}

// Open ones. |h dv| <= sqrt(W_NN) (|dv_a| + |dv_b|) in the norms of the masses, in which a visit
// moves each body by sqrt(<W_ii dx, dx>) at most: nothing is to do before the bodies have travelled
// u_N/sqrt(W_NN), and an open one is passed over until then, which changes no bit of the result. As
// in sweep.c.
static inline double travelled(const SticRest* rest, const Spot* spot)
{
    return rest->travel[spot->body[0]].made + rest->travel[spot->body[1]].made;
}

static inline void add_travel(const SticRest* rest, const Spot* spot, double way)
{
    rest->travel[spot->body[0]].made += way;
    if (spot->at[1] >= 0)
        rest->travel[spot->body[1]].made += way;
}

static inline double idle_until(const Spot* spot, double made, double velocity)
{
    return made + 0.99 * velocity * spot->root;
}

// the norm of a body; a body that cannot turn about some axis has none, and nothing idles
static void begin_travel(const SticRestBody* body, Travel* travel)
{
    const double* J = body->J;
    const double c[6] = {J[2] * J[5] - J[4] * J[4], J[3] * J[4] - J[1] * J[5],
                         J[0] * J[5] - J[3] * J[3], J[1] * J[4] - J[2] * J[3],
                         J[1] * J[3] - J[0] * J[4], J[0] * J[2] - J[1] * J[1]};
    const double det = J[0] * c[0] + J[1] * c[1] + J[3] * c[3];
    travel->mass = 1.0 / body->mass;
    for (int32_t n = 0; n < 6; ++n)
        travel->J[n] = det > 0.0 ? c[n] / det : INFINITY;
}

static inline double length_of(const Travel* travel, const double* v)
{
    double turned[3];
    turn(travel->J, v + 3, turned);
    return sqrt(travel->mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) +
                (v[3] * turned[0] + v[4] * turned[1] + v[5] * turned[2]));
}

static Spot spot_of(const SticBlockCsr* Ht, int32_t i, double W)
{
    Spot spot = {.root = 1.0 / sqrt(W), .body = {0, Ht->cols}, .at = {0, -1}};
    for (int32_t e = Ht->begin[i], side = 0; e < Ht->begin[i + 1]; ++e, ++side) {
        spot.body[side] = Ht->col[e];
        spot.at[side] = Ht->col_at[Ht->col[e]];
    }
    return spot;
}

static inline double shift_at(const SticProblem* problem, int32_t row)
{
    return problem->u_shift != NULL ? problem->u_shift[row] : 0.0;
}

/* ---- normal rows ---- */

// w + u_shift + h v
static inline double row_velocity(const Row* row, const double* v)
{
    const int32_t* at = row->spot.at;
    const double y = row->w + dot6(row->h[0], v + at[0]);
    return at[1] >= 0 ? y + dot6(row->h[1], v + at[1]) : y;
}

// the row of interaction i, with what it adds to the sums of the start
static void begin_row(const SticRest* rest, int32_t i, Row* row, Sums* sums)
{
    const SticProblem* problem = rest->problem;
    const SticBlockCsr* Ht = problem->Ht;
    const int32_t at = problem->row_at[i];
    const double shift = shift_at(problem, at);
    double W = 0.0;
    *row = (Row){.w = problem->w[at] + shift, .x = rest->data.r[at], .before = rest->data.r[at]};
    for (int32_t e = Ht->begin[i], side = 0; e < Ht->begin[i + 1]; ++e, ++side) {
        const double* h = Ht->value + Ht->value_at[e];
        put_row(&rest->body[Ht->col[e]], h, row->h[side], row->z[side]);
        W += dot6(row->z[side], h);
    }
    row->W = W;
    row->spot = spot_of(Ht, i, W);
    const double b = row_velocity(row, rest->v_free);
    const bool opens = shift > 0.0 && b >= 0.0; // stic_gauge_opens
    sums->warm = sums->warm || row->x != 0.0;
    sums->b += b * b;
    sums->b_energy += opens || !(W > 0.0) ? 0.0 : b * b / W;
    sums->least = W < sums->least ? W : sums->least;
    sums->largest = W > sums->largest ? W : sums->largest;
}

// one visit, with momentum; false where W is 0
static inline bool sweep_row(const SticRest* rest, Row* row, double beta, double* energy)
{
    Spot* spot = &row->spot;
    const double made = travelled(rest, spot);
    if (made < spot->idle)
        return true;
    if (!(row->W > 0.0))
        return false;
    const double last = row->x + beta * (row->x - row->before), y = row_velocity(row, rest->v);
    const double step = last - y / row->W, x = step > 0.0 ? step : 0.0, dx = x - last;
    const bool open = x == 0.0 && last == 0.0 && row->x == 0.0;
    spot->idle = open ? idle_until(spot, made, y) : 0.0;
    row->before = row->x;
    row->x = x;
    if (dx == 0.0)
        return true;
    *energy += row->W * dx * dx;
    add6(row->z[0], dx, rest->v + spot->at[0]);
    if (spot->at[1] >= 0)
        add6(row->z[1], dx, rest->v + spot->at[1]);
    add_travel(rest, spot, row->W * spot->root * fabs(dx));
    return true;
}

static void measure_row(const SticRest* rest, int32_t i, const Row* row, SticErrorParts* parts)
{
    const double W = row->W, x = row->x, y = row_velocity(row, rest->v);
    const double defect = x - y > 0.0 ? y : x, scaled = x - y / W > 0.0 ? y / W : x;
    rest->u[rest->problem->row_at[i]] = y - shift_at(rest->problem, rest->problem->row_at[i]);
    parts->defect += defect * defect;
    parts->energy += W * scaled * scaled;
    parts->x_norm += x * x;
    parts->y_norm += y * y;
    parts->x_energy += W * x * x;
}

/* ---- contacts again ---- */

// contact i from a lane of a pack
static void begin_contact(const SticRest* rest, int32_t i, const SticRestPack* pack, int32_t lane,
                          Contact* contact)
{
    const SticProblem* problem = rest->problem;
    const SticBlockCsr* Ht = problem->Ht;
    const int32_t at = problem->row_at[i];
    memset(contact->h, 0, sizeof contact->h);
    memset(contact->z, 0, sizeof contact->z);
    contact->point = point_of(pack, lane);
    contact->spot = spot_of(Ht, i, contact->point.W[0]);
    contact->mu = problem->coef[i][0];
    step_lengths(contact->point.W, contact->rho);
    for (int32_t a = 0; a < 3; ++a) {
        contact->w[a] = problem->w[at + a] + shift_at(problem, at + a);
        contact->before[a] = contact->point.x[a];
    }
    for (int32_t e = Ht->begin[i], side = 0; e < Ht->begin[i + 1]; ++e, ++side)
        for (int32_t a = 0; a < 3; ++a)
            put_row(&rest->body[Ht->col[e]], Ht->value + Ht->value_at[e] + 6 * a,
                    contact->h[side] + 3 * a, contact->z[side] + 3 * a);
}

// v += z x of three rows
static inline void add18(const Pair z[9], const double* x, double* v)
{
    for (int32_t c = 0; c < 3; ++c) {
        const Pair sum = pair_at(v + 2 * c) + (x[0] * z[c] + x[1] * z[3 + c] + x[2] * z[6 + c]);
        memcpy(v + 2 * c, &sum, sizeof sum);
    }
}

static inline bool is_zero(const double* x)
{
    return x[0] == 0.0 && x[1] == 0.0 && x[2] == 0.0;
}

// one visit, with momentum
static inline void sweep_again(const SticRest* rest, Contact* contact, double beta, double* energy)
{
    Spot* spot = &contact->spot;
    Point* point = &contact->point;
    const double made = travelled(rest, spot);
    double y[3], x[3], dx[3], *v = rest->v;
    if (made < spot->idle)
        return;
    for (int32_t a = 0; a < 3; ++a) {
        const double last = point->x[a];
        point->x[a] = last + beta * (last - contact->before[a]);
        contact->before[a] = last;
        y[a] = contact->w[a] + dot6(contact->h[0] + 3 * a, v + spot->at[0]);
    }
    for (int32_t a = 0; a < 3 && spot->at[1] >= 0; ++a)
        y[a] += dot6(contact->h[1] + 3 * a, v + spot->at[1]);
    // stays open
    if (is_zero(point->x) && y[0] >= 0.0) {
        spot->idle = is_zero(contact->before) ? idle_until(spot, made, y[0]) : 0.0;
        return;
    }
    visit(point, contact->mu, contact->rho, y, x);
    spot->idle = 0.0;
    for (int32_t a = 0; a < 3; ++a) {
        dx[a] = x[a] - point->x[a];
        point->x[a] = x[a];
    }
    const double change = form(point->W, dx);
    *energy += change;
    add18(contact->z[0], dx, v + spot->at[0]);
    if (spot->at[1] >= 0)
        add18(contact->z[1], dx, v + spot->at[1]);
    add_travel(rest, spot, sqrt(change > 0.0 ? change : 0.0));
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
    for (int32_t n = rest->row_at[k]; n < rest->row_at[k + 1]; ++n)
        rest->row[n].x = rest->row[n].spot.idle = 0.0;
    for (int32_t m = islands->body_begin[k]; m < islands->body_begin[k + 1]; ++m) {
        const int32_t body = islands->body[m];
        memcpy(rest->v + at[body], rest->v_free + at[body],
               (size_t)(at[body + 1] - at[body]) * sizeof *rest->v);
    }
    return 0.0;
}

static double estimate_of(double energy, double b_energy)
{
    return sqrt(energy < 0.0 ? 0.0 : energy) / (b_energy > 0.0 ? sqrt(b_energy) : 1.0);
}

// fill a pack, with what its contacts add to the sums of the start
static void begin_pack(const SticRest* rest, const int32_t contact[STIC_LANES], int32_t count,
                       SticRestPack* pack, Sums* sums)
{
    rest->lanes.fill(&rest->data, contact, pack);
    for (int32_t lane = 0; lane < count; ++lane) {
        const double W = get(&pack->W[0], lane);
        sums->warm = sums->warm || get(&pack->x[0], lane) != 0.0;
        sums->b += get(&pack->b, lane);
        sums->b_energy += get(&pack->b_energy, lane);
        sums->least = W < sums->least ? W : sums->least;
        sums->largest = W > sums->largest ? W : sums->largest;
    }
}

// the contacts of island k, whose packs the first sweep fills
static bool sweep_packs(SticRest* rest, int32_t k, Sums* sums)
{
    const SticIslands* islands = &rest->islands;
    const bool first = rest->island[k].sweeps == 0;
    const int32_t end = islands->begin[k + 1];
    SticRestPack* pack = rest->pack + rest->pack_at[k];
    double energy = 0.0;
    for (int32_t m = islands->begin[k]; m < end; m += STIC_LANES, ++pack) {
        const int32_t *member = islands->member + m,
                      count = end - m < STIC_LANES ? end - m : STIC_LANES;
        int32_t contact[STIC_LANES];
        if (first) {
            contacts_of(islands, k, m, contact);
            begin_pack(rest, contact, count, pack, sums);
        }
        for (int32_t lane = 0; lane < count; ++lane)
            if (!sweep_contact(rest, member[lane], pack, lane, &energy))
                return false;
    }
    sums->energy = energy;
    return true;
}

// the rows of island k, which the first sweep fills
static bool sweep_rows(SticRest* rest, int32_t k, double beta, Sums* sums)
{
    const SticIslands* islands = &rest->islands;
    const bool first = rest->island[k].sweeps == 0;
    Row* row = rest->row + rest->row_at[k];
    double energy = 0.0;
    for (int32_t m = islands->begin[k]; m < islands->begin[k + 1]; ++m, ++row) {
        if (first)
            begin_row(rest, islands->member[m], row, sums);
        if (!sweep_row(rest, row, beta, &energy))
            return false;
    }
    sums->energy = energy;
    return true;
}

// the contacts of island k once more
static double sweep_contacts(const SticRest* rest, int32_t k, double beta)
{
    const int32_t count = rest->islands.begin[k + 1] - rest->islands.begin[k];
    double energy = 0.0;
    for (int32_t n = 0; n < count; ++n)
        sweep_again(rest, rest->contact + n, beta, &energy);
    return energy;
}

// whether island k begins with a normal row
static bool is_normal(const SticProblem* problem, const SticIslands* islands, int32_t k)
{
    return problem->law[islands->member[islands->begin[k]]] == STIC_LAW_NONNEG;
}

static void sweep_island(SticRest* rest, int32_t k)
{
    const SticIslands* islands = &rest->islands;
    SticRestIsland* island = &rest->island[k];
    Sums sums = {.least = INFINITY};
    const bool normal = is_normal(rest->problem, islands, k);
    *island = (SticRestIsland){.swept = false, .normal = normal};
    if (!are_contacts(rest, k, normal) ||
        !(normal ? sweep_rows(rest, k, 0.0, &sums) : sweep_packs(rest, k, &sums)))
        return;
    if (sums.b_energy == 0.0)
        sums.energy = leave_free(rest, k);
    island->swept = true;
    island->warm = sums.warm;
    island->sweeps = 1;
    island->b = sums.b;
    island->b_energy = sums.b_energy;
    island->estimate = estimate_of(sums.energy, sums.b_energy);
    island->share = sums.largest > sums.least ? sqrt(sums.least / sums.largest) : 1.0;
}

static SticStatus take_packs(SticArena* arena, SticRest* rest)
{
    const SticIslands* islands = &rest->islands;
    STIC_TRY(STIC_TAKE(arena, &rest->pack_at, islands->count + 1));
    STIC_TRY(STIC_TAKE(arena, &rest->row_at, islands->count + 1));
    rest->pack_at[0] = rest->row_at[0] = 0;
    for (int32_t k = 0; k < islands->count; ++k) {
        const bool normal = is_normal(rest->problem, islands, k);
        const int32_t count = islands->begin[k + 1] - islands->begin[k];
        rest->pack_at[k + 1] =
            rest->pack_at[k] + (normal ? 0 : (count + STIC_LANES - 1) / STIC_LANES);
        rest->row_at[k + 1] = rest->row_at[k] + (normal ? count : 0);
    }
    STIC_TRY(STIC_TAKE(arena, &rest->row, rest->row_at[islands->count]));
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
    STIC_TRY(STIC_TAKE(arena, &rest->travel, inverse->rows + 1));
    memset(rest->travel, 0, ((size_t)inverse->rows + 1) * sizeof *rest->travel);
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
    *rest = (SticRest){.arena = arena, .problem = problem};
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

// Momentum of the next sweep. Velocities of the start are not kept, so that it begins after the
// second one. Rows without friction do not circle: they bear more of it.
static double next_beta(const SticRestIsland* island)
{
    const double cap = island->normal ? 0.9 : 0.8;
    const double ramp = (double)(island->sweeps - 1) / (double)(island->sweeps + 2);
    return ramp < cap ? ramp : cap;
}

// extrapolate the velocities of an island; its reactions follow in the visits
static void extrapolate(SticRest* rest, int32_t k, double beta)
{
    const SticIslands* islands = &rest->islands;
    const int32_t* at = rest->problem->M->inverse->row_at;
    for (int32_t m = islands->body_begin[k]; m < islands->body_begin[k + 1]; ++m) {
        const int32_t body = islands->body[m];
        double *v = rest->v + at[body], *before = rest->v_before + at[body], step[6];
        for (int32_t c = 0; c < 6; ++c) {
            step[c] = beta > 0.0 ? beta * (v[c] - before[c]) : 0.0;
            before[c] = v[c];
        }
        for (int32_t c = 0; c < 6; ++c)
            v[c] += step[c];
        if (beta > 0.0)
            rest->travel[body].made += length_of(&rest->travel[body], step);
    }
}

// reactions of the sweeps after the first
static void settle(const SticRest* rest, int32_t k)
{
    const int32_t count = rest->islands.begin[k + 1] - rest->islands.begin[k];
    for (int32_t n = 0; rest->contact != NULL && rest->again == k && n < count; ++n)
        for (int32_t a = 0; a < 3; ++a)
            set(rest->contact[n].point.x[a], n % STIC_LANES,
                &rest->pack[rest->pack_at[k] + n / STIC_LANES].x[a]);
}

// what the sweeps after the first need, in place of what the island before needed
static SticStatus prepare_again(SticRest* rest, int32_t k)
{
    const SticIslands* islands = &rest->islands;
    const int32_t first = islands->begin[k], count = islands->begin[k + 1] - first;
    for (int32_t m = islands->body_begin[k]; m < islands->body_begin[k + 1]; ++m)
        begin_travel(&rest->body[islands->body[m]], &rest->travel[islands->body[m]]);
    if (rest->island[k].normal)
        return STIC_OK;
    if (rest->contact != NULL) {
        settle(rest, rest->again);
        stic_arena_rewind(rest->arena, rest->behind);
    }
    rest->behind = stic_arena_mark(rest->arena);
    rest->again = k;
    STIC_TRY(STIC_TAKE(rest->arena, &rest->contact, count));
    for (int32_t n = 0; n < count; ++n)
        begin_contact(rest, islands->member[first + n],
                      &rest->pack[rest->pack_at[k] + n / STIC_LANES], n % STIC_LANES,
                      rest->contact + n);
    return STIC_OK;
}

SticStatus stic_rest_again(SticRest* rest, int32_t k)
{
    STIC_ASSERT(rest->island[k].swept);
    const SticIslands* islands = &rest->islands;
    SticRestIsland* island = &rest->island[k];
    const double beta = next_beta(island);
    Sums sums = {.least = INFINITY};
    if (island->sweeps == 1)
        STIC_TRY(prepare_again(rest, k));
    STIC_ASSERT(island->normal || rest->again == k);
    extrapolate(rest, k, beta);
    if (island->normal)
        sweep_rows(rest, k, beta, &sums);
    else
        sums.energy = sweep_contacts(rest, k, beta);
    island->sweeps += 1;
    island->estimate = estimate_of(sums.energy, island->b_energy);
    island->measured = false;
    rest->work += sweep_work(rest->problem, islands->begin[k + 1] - islands->begin[k]);
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

// u of the contacts of a pack at the end, and their parts of the errors
static void add_errors(const SticRest* rest, int32_t k, int32_t m, const SticRestPack* pack,
                       SticErrorParts* parts)
{
    int32_t contact[STIC_LANES];
    SticRestErrors errors;
    const int32_t count = contacts_of(&rest->islands, k, m, contact);
    rest->lanes.measure(&rest->data, contact, pack, &errors);
    for (int32_t lane = 0; lane < count; ++lane) {
        parts->defect += get(&errors.defect, lane);
        parts->energy += get(&errors.energy, lane);
        parts->x_norm += get(&errors.x_norm, lane);
        parts->y_norm += get(&errors.y_norm, lane);
        parts->x_energy += get(&errors.x_energy, lane);
    }
}

void stic_rest_measure(SticRest* rest, int32_t k)
{
    STIC_ASSERT(rest->island[k].swept);
    const SticIslands* islands = &rest->islands;
    SticRestIsland* island = &rest->island[k];
    SticErrorParts parts = {.b_norm = island->b, .b_energy = island->b_energy};
    double most = 0.0;
    settle(rest, k);
    const SticRestPack* pack = rest->pack + rest->pack_at[k];
    const Row* row = rest->row + rest->row_at[k];
    for (int32_t m = islands->begin[k]; island->normal && m < islands->begin[k + 1]; ++m)
        measure_row(rest, islands->member[m], row++, &parts);
    for (int32_t m = islands->begin[k]; !island->normal && m < islands->begin[k + 1];
         m += STIC_LANES)
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

// reactions of the lanes of a pack, and velocities
static inline void get_pack(const SticRest* rest, const SticRestPack* pack, const int32_t* member,
                            int32_t count, double* const to[2])
{
    for (int32_t lane = 0; lane < count; ++lane) {
        const int32_t at = rest->problem->row_at[member[lane]];
        for (int32_t a = 0; a < 3; ++a) {
            to[0][at + a] = get(&pack->x[a], lane);
            if (to[1] != NULL)
                to[1][at + a] = rest->u[at + a];
        }
    }
}

static void get_rows(const SticRest* rest, int32_t k, double* const to[2])
{
    const SticIslands* islands = &rest->islands;
    const Row* row = rest->row + rest->row_at[k];
    for (int32_t m = islands->begin[k]; m < islands->begin[k + 1]; ++m, ++row) {
        const int32_t at = rest->problem->row_at[islands->member[m]];
        to[0][at] = row->x;
        if (to[1] != NULL)
            to[1][at] = rest->u[at];
    }
}

void stic_rest_get(const SticRest* rest, int32_t k, double* r, double* u)
{
    STIC_ASSERT(rest->island[k].swept && (u == NULL || rest->island[k].measured));
    const SticIslands* islands = &rest->islands;
    const SticRestPack* pack = rest->pack + rest->pack_at[k];
    double* const to[2] = {r, u};
    settle(rest, k);
    if (rest->island[k].normal) {
        get_rows(rest, k, to);
        return;
    }
    for (int32_t m = islands->begin[k]; m < islands->begin[k + 1]; m += STIC_LANES, ++pack) {
        const int32_t left = islands->begin[k + 1] - m;
        get_pack(rest, pack, islands->member + m, left < STIC_LANES ? left : STIC_LANES, to);
    }
}

void stic_rest_drop(SticRest* rest, SticArena* arena)
{
    stic_arena_rewind(arena, rest->mark);
    rest->island = NULL;
    rest->pack = NULL;
    rest->row = NULL;
}

double stic_rest_work(const SticRest* rest)
{
    return rest->work;
}

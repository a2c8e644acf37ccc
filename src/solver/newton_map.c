// SPDX-License-Identifier: Apache-2.0
// Non-smooth equations of the laws and elements of their generalised Jacobians.
//
// With d = x - rho y, every law is x = prox_C(d); parts of a law that have a normal row in front
// are split as in Koziara's thesis, eq. 10.3.33 and section 10.3:
//   FREE               F = rho y
//   normal row         F = x - max(d, 0)
//   friction rows      F = x - prox_{C(B)}(d)
// B is the bound. Jean-Moreau takes B = max(x_N, 0) of the reaction itself (Jean and Moreau 1987),
// Alart-Curnier B = max(d_N, 0) (Alart and Curnier, Comput. Methods Appl. Mech. Engrg. 92, 1991).
// Sets are homogeneous, C(B) = B C(1), so that with P = prox, J its derivative
//   dP = J dd + (P - J d)/B dB.
// Bounds that come from other interactions always use x, so that the Jacobian stays in the pattern.
//   natural            F = x - prox_K(x - rho (y + mu |y_T| n)),  dF = (I - J) dx + rho J G dy
//   Fischer-Burmeister F = a + b - (a o a + b o b)^1/2 in the Jordan algebra of the cone, with
//                      a = x and b = rho (y + mu |y_T| n) in variables that make the cone self-dual
//                      (Fukushima, Luo, Tseng, SIAM J. Optim. 12, 2001). Laws without a cone use
//                      the first forms; so does ROLLING, whose cone is not self-dual.
#include "solver/newton_map.h"
#include "stiction/extend/base.h"

#include "stiction/extend/law.h"

#include <math.h>
#include <string.h>

enum { MOST = STIC_SET_DIM };

/* ---- a part of a law: the rows that one set holds ---- */

typedef struct Part {
    int32_t first, rows;
    SticConvexSet set; // for bound B
    double B;
    bool grows;  // with the row that gives it
    int32_t own; // row of the interaction that gives B, -1: none or another interaction's
} Part;

// friction parts of interaction i for a bound B; how many there are
static int32_t parts_of(const SticProblem* problem, int32_t i, double B, bool grows, Part part[2])
{
    const SticLaw law = (SticLaw)problem->law[i];
    const int32_t rows = problem->row_at[i + 1] - problem->row_at[i];
    const double* coef = problem->coef[i];
    part[0] = (Part){.first = 1, .rows = rows - 1, .B = B, .grows = grows, .own = 0};
    switch (law) {
    case STIC_LAW_CONE:
        part[0].set = stic_set_ball(rows - 1, coef[0] * B);
        return 1;
    case STIC_LAW_ROLLING:
        part[1] = part[0];
        part[0].rows = part[1].rows = rows / 2;
        part[1].first = 1 + rows / 2;
        part[0].set = stic_set_ball(rows / 2, coef[0] * B);
        part[1].set = stic_set_ball(rows / 2, coef[2] * B);
        return 2;
    case STIC_LAW_CONE_ELLIPSE:
    case STIC_LAW_CONE_CONTENSOU:
        part[0].set = stic_law_set(law, rows, coef, B);
        return 1;
    default:
        break;
    }
    const int32_t row = problem->bound_row != NULL ? problem->bound_row[i] : -1;
    const bool own = row >= problem->row_at[i] && row < problem->row_at[i + 1];
    part[0].first = 0;
    part[0].rows = rows;
    part[0].own = own ? row - problem->row_at[i] : -1;
    part[0].set = stic_law_set(law, rows, coef, B);
    return 1;
}

/* ---- normal and friction apart ---- */

// the bound and whether it grows with its row
static double bound_of(const SticMapPoint* point, int32_t i, double d_normal, bool* grows)
{
    const SticProblem* problem = &point->scaled->problem;
    const double* x = point->x;
    const bool normal = stic_law_has_normal((SticLaw)problem->law[i]);
    const int32_t row = problem->bound_row != NULL ? problem->bound_row[i] : -1;
    const double constant = problem->bound != NULL ? problem->bound[i] : 0.0;
    double value = 0.0;
    if (normal)
        value = point->map == STIC_MAP_ALART_CURNIER ? d_normal : x[problem->row_at[i]];
    else if (row >= 0)
        value = x[row];
    *grows = value > 0.0;
    return constant + (value > 0.0 ? value : 0.0);
}

// derivatives of a friction part at d; p = prox(d)
static void linearise_part(const SticMapPoint* point, const Part* part, const double* d,
                           const double* p, int32_t n, SticMapBlock* block)
{
    const double rho = point->rho;
    double J[MOST * MOST] = {0.0};
    // the set {0}: x = 0 whatever d is
    if (part->B > 0.0)
        stic_set_prox_derivative(&part->set, d, J);
    for (int32_t a = 0; a < part->rows; ++a) {
        double slope = p[a];
        const int32_t row = part->first + a;
        for (int32_t c = 0; c < part->rows; ++c) {
            block->A[row * n + part->first + c] = (a == c) - J[a * part->rows + c];
            block->B[row * n + part->first + c] = rho * J[a * part->rows + c];
            slope -= J[a * part->rows + c] * d[c];
        }
        slope = part->grows ? slope / part->B : 0.0;
        if (part->own < 0) {
            block->bound[row] = -slope;
            continue;
        }
        block->A[row * n + part->own] -= slope;
        if (point->map == STIC_MAP_ALART_CURNIER && part->first >= 1)
            block->B[row * n] += rho * slope;
    }
}

static void split_map(const SticMapPoint* point, int32_t i, double F[6], SticMapBlock* block)
{
    const SticProblem* problem = &point->scaled->problem;
    const double *x = point->x, *y = point->y, rho = point->rho;
    const int32_t at = problem->row_at[i], n = problem->row_at[i + 1] - at;
    const SticLaw law = (SticLaw)problem->law[i];
    double d[MOST], p[MOST];
    for (int32_t a = 0; a < n; ++a)
        d[a] = x[at + a] - rho * y[at + a];
    if (law == STIC_LAW_FREE || law == STIC_LAW_NONNEG || stic_law_has_normal(law)) {
        const int32_t last = law == STIC_LAW_FREE ? n : 1;
        for (int32_t a = 0; a < last; ++a) {
            const bool active = law == STIC_LAW_FREE || d[a] > 0.0;
            F[a] = active ? rho * y[at + a] : x[at + a];
            if (block != NULL) {
                block->A[a * n + a] = active ? 0.0 : 1.0;
                block->B[a * n + a] = active ? rho : 0.0;
            }
        }
        if (law == STIC_LAW_FREE || law == STIC_LAW_NONNEG)
            return;
    }
    Part part[2];
    bool grows = false;
    const double B = bound_of(point, i, d[0], &grows);
    const int32_t count = parts_of(problem, i, B, grows, part);
    for (int32_t k = 0; k < count; ++k) {
        const double* from = d + part[k].first;
        if (part[k].B > 0.0)
            stic_set_prox(&part[k].set, from, p);
        else
            memset(p, 0, sizeof p);
        for (int32_t a = 0; a < part[k].rows; ++a)
            F[part[k].first + a] = x[at + part[k].first + a] - p[a];
        if (block != NULL)
            linearise_part(point, &part[k], from, p, n, block);
    }
}

// spatial Coulomb friction, the case of nearly every contact, without sets
static void split_cone3(const SticMapPoint* point, int32_t i, double F[6], SticMapBlock* block)
{
    const SticProblem* problem = &point->scaled->problem;
    const double *x = point->x + problem->row_at[i], *y = point->y + problem->row_at[i];
    const double mu = problem->coef[i][0], rho = point->rho;
    const bool alart = point->map == STIC_MAP_ALART_CURNIER;
    const double d_N = x[0] - rho * y[0];
    const double d1 = x[1] - rho * y[1], d2 = x[2] - rho * y[2];
    const double bound = alart ? d_N : x[0];
    const double radius = bound > 0.0 ? mu * bound : 0.0;
    const double square = d1 * d1 + d2 * d2;
    const bool closed = d_N > 0.0, stick = square <= radius * radius && radius > 0.0;
    const double length = stick ? 1.0 : sqrt(square);
    const double cut = stick ? 1.0 : length > 0.0 ? radius / length : 0.0;
    F[0] = closed ? rho * y[0] : x[0];
    F[1] = stick ? rho * y[1] : x[1] - cut * d1;
    F[2] = stick ? rho * y[2] : x[2] - cut * d2;
    if (block == NULL)
        return;
    double *A = block->A, *B = block->B;
    memset(A, 0, 9 * sizeof *A);
    memset(B, 0, 9 * sizeof *B);
    A[0] = closed ? 0.0 : 1.0;
    B[0] = closed ? rho : 0.0;
    if (stick) {
        B[4] = B[8] = rho;
        return;
    }
    A[4] = A[8] = 1.0;
    if (radius == 0.0)
        return;
    const double v1 = d1 / length, v2 = d2 / length;
    const double J11 = cut * (1.0 - v1 * v1), J12 = -cut * v1 * v2, J22 = cut * (1.0 - v2 * v2);
    A[3] = -mu * v1;
    A[6] = -mu * v2;
    A[4] -= J11;
    A[5] = A[7] = -J12;
    A[8] -= J22;
    B[4] = rho * J11;
    B[5] = B[7] = rho * J12;
    B[8] = rho * J22;
    if (alart) {
        B[3] = rho * mu * v1;
        B[6] = rho * mu * v2;
    }
}

/* ---- one projection on the cone ---- */

// sum of mu |y_T| over the friction parts; gradient in g[1…]
static double de_saxce(const SticProblem* problem, int32_t i, const double* y, double* g)
{
    const int32_t rows = problem->row_at[i + 1] - problem->row_at[i];
    const bool rolling = problem->law[i] == STIC_LAW_ROLLING;
    const int32_t half = rolling ? rows / 2 : rows - 1;
    double term = 0.0;
    for (int32_t first = 1; first < rows; first += half) {
        const double mu = problem->coef[i][first == 1 ? 0 : 2];
        double square = 0.0;
        for (int32_t a = first; a < first + half; ++a)
            square += y[a] * y[a];
        const double slip = sqrt(square);
        term += mu * slip;
        for (int32_t a = first; a < first + half; ++a)
            g[a] = slip > 0.0 ? mu * (y[a] / slip) : 0.0;
    }
    return term;
}

static void natural_map(const SticMapPoint* point, int32_t i, double F[6], SticMapBlock* block)
{
    const SticProblem* problem = &point->scaled->problem;
    const double *x = point->x, *y = point->y, rho = point->rho;
    const int32_t at = problem->row_at[i], n = problem->row_at[i + 1] - at;
    const SticConvexSet set = stic_law_set((SticLaw)problem->law[i], n, problem->coef[i], 0.0);
    double d[MOST], p[MOST], g[MOST] = {0.0}, J[MOST * MOST];
    const double term = point->term != NULL ? point->term[i] : de_saxce(problem, i, y + at, g);
    for (int32_t a = 0; a < n; ++a)
        d[a] = x[at + a] - rho * (y[at + a] + (a == 0 ? term : 0.0));
    stic_set_prox(&set, d, p);
    for (int32_t a = 0; a < n; ++a)
        F[a] = x[at + a] - p[a];
    if (block == NULL)
        return;
    stic_set_prox_derivative(&set, d, J);
    for (int32_t a = 0; a < n; ++a)
        for (int32_t c = 0; c < n; ++c) {
            block->A[a * n + c] = (a == c) - J[a * n + c];
            // G = I + n g'
            block->B[a * n + c] = rho * (J[a * n + c] + J[a * n] * g[c]);
        }
}

/* ---- Fischer-Burmeister ---- */

// root of z and the derivative of that: S = dz^1/2/dz = L(w)^-1 / 2 with w = z^1/2
static void cone_root(int32_t n, const double* z, double* w, double* S)
{
    double across = 0.0;
    for (int32_t a = 1; a < n; ++a)
        across += z[a] * z[a];
    across = sqrt(across);
    const double low = z[0] - across > 0.0 ? sqrt(z[0] - across) : 0.0;
    const double high = sqrt(z[0] + across);
    w[0] = 0.5 * (high + low);
    for (int32_t a = 1; a < n; ++a)
        w[a] = across > 0.0 ? 0.5 * (high - low) * (z[a] / across) : 0.0;
    // L(w)^-1 in the frame (1, e)/2, (1, -e)/2: eigenvalues high, low, and their mean across; a
    // vanishing one is kept away from 0, which picks an element of the generalised Jacobian
    const double least = 1e-12 * (high > 0.0 ? high : 1.0);
    const double l = low > least ? low : least, h = high > least ? high : least;
    const double inverse = 2.0 / (h + l);
    for (int32_t a = 0; a < n; ++a)
        for (int32_t c = 0; c < n; ++c) {
            const double ea = a > 0 ? (across > 0.0 ? z[a] / across : (a == 1)) : 0.0;
            const double ec = c > 0 ? (across > 0.0 ? z[c] / across : (c == 1)) : 0.0;
            const double pa = a == 0 ? 1.0 : ea, pc = c == 0 ? 1.0 : ec;
            const double ma = a == 0 ? 1.0 : -ea, mc = c == 0 ? 1.0 : -ec;
            double value = 0.5 * (pa * pc / h + ma * mc / l);
            if (a > 0 && c > 0)
                value += inverse * ((a == c) - ea * ec);
            S[a * n + c] = 0.5 * value;
        }
}

// L(a): a o b = L(a) b
static void arrow(int32_t n, const double* a, double* L)
{
    memset(L, 0, (size_t)(n * n) * sizeof *L);
    for (int32_t k = 0; k < n; ++k)
        L[k] = L[k * n] = a[k];
    for (int32_t k = 1; k < n; ++k)
        L[k * n + k] = a[0];
}

static void burmeister_map(const SticMapPoint* point, int32_t i, double F[6], SticMapBlock* block)
{
    const SticProblem* problem = &point->scaled->problem;
    const double *x = point->x, *y = point->y, rho = point->rho;
    const int32_t at = problem->row_at[i], n = problem->row_at[i + 1] - at;
    const double mu = problem->coef[i][0];
    double a[MOST], b[MOST], z[MOST] = {0.0}, w[MOST], S[MOST * MOST], g[MOST] = {0.0};
    const double term = de_saxce(problem, i, y + at, g);
    // the cone is self-dual in a = (mu x_N, x_T), b = (y_N / mu, y_T), which keep <a, b> = <x, y>
    a[0] = mu * x[at];
    b[0] = rho * (y[at] + term) / mu;
    for (int32_t k = 1; k < n; ++k) {
        a[k] = x[at + k];
        b[k] = rho * y[at + k];
    }
    for (int32_t k = 0; k < n; ++k)
        z[0] += a[k] * a[k] + b[k] * b[k];
    for (int32_t k = 1; k < n; ++k)
        z[k] = 2.0 * (a[0] * a[k] + b[0] * b[k]);
    cone_root(n, z, w, S);
    for (int32_t k = 0; k < n; ++k)
        F[k] = a[k] + b[k] - w[k];
    if (block == NULL)
        return;
    double La[MOST * MOST], Lb[MOST * MOST];
    arrow(n, a, La);
    arrow(n, b, Lb);
    for (int32_t r = 0; r < n; ++r) {
        double row[MOST];
        for (int32_t c = 0; c < n; ++c) {
            double da = r == c, db = r == c;
            for (int32_t k = 0; k < n; ++k) {
                da -= 2.0 * S[r * n + k] * La[k * n + c];
                db -= 2.0 * S[r * n + k] * Lb[k * n + c];
            }
            block->A[r * n + c] = da * (c == 0 ? mu : 1.0);
            row[c] = db;
        }
        // db = rho diag(1/mu, 1, 1) (I + n g') dy
        for (int32_t c = 0; c < n; ++c)
            block->B[r * n + c] = rho * (row[c] * (c == 0 ? 1.0 / mu : 1.0) + row[0] * g[c] / mu);
    }
}

/* ---- choice ---- */

static void map_block(const SticMapPoint* point, int32_t i, double F[6], SticMapBlock* block)
{
    const SticProblem* problem = &point->scaled->problem;
    const SticMap map = point->map;
    const SticLaw law = (SticLaw)problem->law[i];
    const int32_t n = problem->row_at[i + 1] - problem->row_at[i];
    const bool split = map == STIC_MAP_JEAN_MOREAU || map == STIC_MAP_ALART_CURNIER;
    if (law == STIC_LAW_CONE && n == 3 && split) {
        split_cone3(point, i, F, block);
        return;
    }
    if (block != NULL) {
        memset(block->A, 0, (size_t)(n * n) * sizeof *block->A);
        memset(block->B, 0, (size_t)(n * n) * sizeof *block->B);
        memset(block->bound, 0, sizeof block->bound);
    }
    if (map == STIC_MAP_FISCHER_BURMEISTER && law == STIC_LAW_CONE && problem->coef[i][0] > 0.0)
        burmeister_map(point, i, F, block);
    else if (map == STIC_MAP_NATURAL && (law == STIC_LAW_CONE || law == STIC_LAW_ROLLING))
        natural_map(point, i, F, block);
    else
        split_map(point, i, F, block);
}

void stic_map_value(const SticMapPoint* point, int32_t i, double F[6])
{
    STIC_ASSERT(i >= 0 && i < point->scaled->problem.count);
    map_block(point, i, F, NULL);
}

void stic_map_linearise(const SticMapPoint* point, int32_t i, SticMapBlock* block)
{
    STIC_ASSERT(i >= 0 && i < point->scaled->problem.count);
    map_block(point, i, block->F, block);
}

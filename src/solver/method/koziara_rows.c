// SPDX-License-Identifier: Apache-2.0
// Koziara's Newton methods: rows of one interaction.
//
// With d = R - rho U the laws of a contact are (Koziara's thesis, eq. 10.3.33)
//     C_N = R_N - max(0, d_N)
//     C_T = max(mu d_N, |d_T|) R_T - mu max(0, d_N) d_T
// All directions solve Omega dR = Pi with T = W R + b - U, rows (algs. 11.2.1 to 11.2.4)
//     open, d_N < 0       dR = -R
//     normal, d_N >= 0    W_N dR = -U_N - T_N
//     slip                (I - M) dR_T + rho M W_T dR - mu v dR_N = mu v R_N - R_T - rho M T_T
//                         v = d_T/|d_T|, M = e (I - F), e = mu d_N/|d_T|,
//                         F = R_T d_T' / (max(mu d_N, |R_T|) |d_T|)           (eqs. 11.2.10-19)
//     stick               W_T dR = -U_T - T_T;  NEWT: W_T dR + U_T/d_N dR_N =
//                                                     -(1 + rho U_N/d_N) U_T - T_T
//     slip without bound  dR_T = -R_T
// A part slips if |d_T| >= mu B, with B = d_N (NEWT), R_N (HYB), a frozen number (FIX, which has no
// column of dR_N and takes that number for d_N as well). The max() in F is the thesis' correction
// of plain Newton, which keeps the iterates near the cone. Equality counts as slip: from R = U = 0
// the first step is frictionless contact everywhere.
//
// Beyond the thesis: sets other than the disc. Semi-axes c_k B are discs of radius c B, c = max
// c_k, in the variables R_k c/c_k and U_k c_k/c (the metric of the thesis' anisotropic friction,
// section 10.3); an interval [-c_0 B, c_1 B] is one around its middle; rolling resistance and
// cylinders are two discs. Bounds have a constant part (Tresca) and may come from a row of another
// interaction, then with the d of that row. Bilateral rows are W dR = -U - T.
#include "solver/method/koziara_newton.h"
#include "stiction/extend/base.h"

#include <math.h>
#include <string.h>

// friction rows that share one disc
typedef struct Part {
    int32_t first, rows;
    double mu;       // radius over bound
    double scale[3]; // R = scale s, 0: held at 0
    double centre;   // of the disc over bound, one row only
    double constant; // part of the bound
    int32_t row;     // whose reaction is the rest of it, -1: none
} Part;

/* ---- laws as discs ---- */

// rows [first, first + rows) with semi-axes coef[] over bound
static Part make_part(int32_t first, int32_t rows, const double* coef)
{
    Part part = {.first = first, .rows = rows, .row = -1};
    for (int32_t k = 0; k < rows; ++k)
        part.mu = coef[k] > part.mu ? coef[k] : part.mu;
    for (int32_t k = 0; k < rows; ++k)
        part.scale[k] = part.mu > 0.0 ? coef[k] / part.mu : 1.0;
    return part;
}

static Part make_disc(int32_t first, int32_t rows, double mu)
{
    return make_part(first, rows, (const double[3]){mu, mu, mu});
}

// friction parts of interaction i; how many there are
static int32_t parts_of(const SticProblem* problem, int32_t i, Part part[STIC_KOZIARA_PARTS])
{
    const int32_t at = problem->row_at[i], rows = problem->row_at[i + 1] - at;
    const double* coef = problem->coef[i];
    int32_t count = 1;
    switch ((SticLaw)problem->law[i]) {
    case STIC_LAW_CONE:
        part[0] = make_disc(1, rows - 1, coef[0]);
        break;
    case STIC_LAW_CONE_ELLIPSE:
        part[0] = make_part(1, rows - 1, coef);
        break;
    case STIC_LAW_ROLLING:
        part[0] = make_disc(1, rows / 2, coef[0]);
        part[1] = make_disc(1 + rows / 2, rows / 2, coef[2]);
        count = 2;
        break;
    case STIC_LAW_CYLINDER:
        part[0] = make_disc(0, 2, coef[0]);
        part[1] = make_disc(2, 1, coef[2]);
        count = 2;
        break;
    case STIC_LAW_INTERVAL:
        part[0] = make_disc(0, 1, 0.5 * (coef[0] + coef[1]));
        part[0].centre = 0.5 * (coef[1] - coef[0]);
        break;
    case STIC_LAW_BALL:
        part[0] = make_disc(0, rows, coef[0]);
        break;
    case STIC_LAW_ELLIPSE:
    case STIC_LAW_ELLIPSOID:
        part[0] = make_part(0, rows, coef);
        break;
    default:
        return 0;
    }
    for (int32_t k = 0; k < count; ++k) {
        const bool normal = stic_law_has_normal((SticLaw)problem->law[i]);
        part[k].constant = !normal && problem->bound != NULL ? problem->bound[i] : 0.0;
        part[k].row = normal ? at : problem->bound_row != NULL ? problem->bound_row[i] : -1;
    }
    return count;
}

void stic_koziara_newton_rho(const SticScaled* scaled, int32_t i, double rho[3])
{
    STIC_ASSERT(i >= 0 && i < scaled->problem.count);
    const SticProblem* problem = &scaled->problem;
    const int32_t n = problem->row_at[i + 1] - problem->row_at[i];
    const SticLaw law = (SticLaw)problem->law[i];
    const double* D = scaled->W.value + scaled->W.value_at[scaled->diagonal[i]];
    double block[36], group[3];
    Part part[STIC_KOZIARA_PARTS];
    const int32_t parts = parts_of(problem, i, part);
    memcpy(block, D, (size_t)(n * n) * sizeof *block);
    // in the variables in which the sets are discs
    for (int32_t p = 0; p < parts; ++p)
        for (int32_t k = 0; k < part[p].rows; ++k)
            for (int32_t c = 0; c < n; ++c) {
                block[(part[p].first + k) * n + c] *= part[p].scale[k];
                block[c * n + part[p].first + k] *= part[p].scale[k];
            }
    // one rho per contact, 1/lambda_max(W_aa); forces and moments have one each
    const bool mixed = law == STIC_LAW_ROLLING || law == STIC_LAW_CYLINDER;
    stic_law_rho(mixed ? law : STIC_LAW_FREE, n, block, group);
    rho[0] = group[0];
    rho[1] = mixed ? group[law == STIC_LAW_ROLLING ? 1 : 0] : group[0];
    rho[2] = mixed ? group[law == STIC_LAW_ROLLING ? 2 : 1] : group[0];
}

/* ---- one friction part at a point ---- */

// bounds and the vectors of a part
typedef struct Friction {
    bool coupled;          // the bound follows its row
    double limit;          // B in the place of d_N
    double border;         // B that decides between stick and slip
    double current;        // B of the reactions as they are
    double rho_row, U_row; // of the row that gives the bound
    double rho;
    double s[3], d[3], s_norm, d_norm;
} Friction;

static double norm_of(const double* x, int32_t n)
{
    double sum = 0.0;
    for (int32_t k = 0; k < n; ++k)
        sum += x[k] * x[k];
    return sqrt(sum);
}

static void find_bounds(const SticKoziaraPoint* point, const Part* part, Friction* friction)
{
    const int32_t row = part->row;
    *friction =
        (Friction){.limit = part->constant, .border = part->constant, .current = part->constant};
    if (row < 0)
        return;
    if (point->variant == STIC_KOZIARA_FIX) {
        friction->limit += point->frozen[row] > 0.0 ? point->frozen[row] : 0.0;
        friction->border = friction->current = friction->limit;
        return;
    }
    friction->rho_row = point->rho[point->scaled->owner[row]][0];
    friction->U_row = point->U[row];
    const double d = point->R[row] - friction->rho_row * friction->U_row;
    friction->coupled = d >= 0.0;
    if (!friction->coupled)
        return;
    friction->limit += d;
    friction->current += point->R[row];
    friction->border = point->variant == STIC_KOZIARA_NEWT ? friction->limit : friction->current;
}

static Friction friction_at(const SticKoziaraPoint* point, const Part* part, int32_t at, double rho)
{
    Friction friction;
    find_bounds(point, part, &friction);
    friction.rho = rho;
    for (int32_t k = 0; k < part->rows; ++k) {
        const double scale = part->scale[k];
        const int32_t row = at + part->first + k;
        friction.s[k] = scale > 0.0 ? point->R[row] / scale - part->centre * friction.current : 0.0;
        friction.d[k] = friction.s[k] - rho * (scale * point->U[row]);
    }
    friction.s_norm = norm_of(friction.s, part->rows);
    friction.d_norm = norm_of(friction.d, part->rows);
    return friction;
}

/* ---- rows ---- */

// factor of a row that holds reactions
static double row_factor(const SticKoziaraPoint* point, int32_t i, int32_t a, double scale)
{
    const SticScaled* scaled = point->scaled;
    const int32_t n = scaled->problem.row_at[i + 1] - scaled->problem.row_at[i];
    const double d = scaled->W.value[scaled->W.value_at[scaled->diagonal[i]] + a * n + a];
    return point->row_scaling && d > 0.0 ? scale * d : 1.0;
}

// dR = -R
static void zero_row(const SticKoziaraPoint* point, int32_t i, int32_t a, SticMapBlock* block)
{
    const int32_t at = point->scaled->problem.row_at[i];
    const int32_t n = point->scaled->problem.row_at[i + 1] - at;
    const double factor = row_factor(point, i, a, 1.0);
    block->A[a * n + a] = factor;
    block->F[a] = -factor * point->R[at + a];
}

// W dR = -U - T
static void closed_row(const SticKoziaraPoint* point, int32_t i, int32_t a, SticMapBlock* block)
{
    const int32_t at = point->scaled->problem.row_at[i];
    const int32_t n = point->scaled->problem.row_at[i + 1] - at;
    block->B[a * n + a] = 1.0;
    block->F[a] = -point->U[at + a] - point->T[at + a];
}

// coefficient of the reaction that gives the bound
static void add_bound(const SticKoziaraPoint* point, const Part* part, int32_t i, int32_t a,
                      double value, SticMapBlock* block)
{
    const int32_t at = point->scaled->problem.row_at[i];
    const int32_t n = point->scaled->problem.row_at[i + 1] - at;
    if (part->row >= at && part->row < at + n)
        block->A[a * n + part->row - at] += value;
    else
        block->bound[a] += value;
}

static void stick_row(const SticKoziaraPoint* point, const Part* part, const Friction* friction,
                      int32_t k, int32_t i, SticMapBlock* block)
{
    const int32_t a = part->first + k;
    closed_row(point, i, a, block);
    if (point->variant != STIC_KOZIARA_NEWT || !friction->coupled)
        return;
    // U_T (k+1) = (1 - R_N (k+1)/d_N) U_T (k)
    const double slope = point->U[point->scaled->problem.row_at[i] + a] / friction->limit;
    add_bound(point, part, i, a, slope, block);
    block->F[a] -= friction->rho_row * friction->U_row * slope;
}

static void slip_row(const SticKoziaraPoint* point, const Part* part, const Friction* friction,
                     int32_t k, int32_t i, SticMapBlock* block)
{
    const int32_t at = point->scaled->problem.row_at[i], a = part->first + k;
    const int32_t n = point->scaled->problem.row_at[i + 1] - at;
    const double radius = part->mu * friction->limit, length = friction->d_norm;
    const double e = radius / length, v = friction->d[k] / length, rho = friction->rho;
    const double below = (radius > friction->s_norm ? radius : friction->s_norm) * length;
    const double factor = row_factor(point, i, a, part->scale[k]);
    double right = part->mu * v * friction->current - friction->s[k], row_sum = 0.0;
    for (int32_t c = 0; c < part->rows; ++c) {
        if (part->scale[c] == 0.0)
            continue;
        const double M = e * ((k == c) - friction->s[k] * friction->d[c] / below);
        row_sum += (k == c) - M;
        right -= rho * M * part->scale[c] * point->T[at + part->first + c];
        block->B[a * n + part->first + c] = factor * rho * M * part->scale[c];
        block->A[a * n + part->first + c] = factor * ((k == c) - M) / part->scale[c];
    }
    if (friction->coupled)
        add_bound(point, part, i, a, -factor * (part->mu * v + row_sum * part->centre), block);
    block->F[a] = factor * right;
}

static SticKoziaraMode part_rows(const SticKoziaraPoint* point, const Part* part, double rho,
                                 int32_t i, SticMapBlock* block)
{
    const int32_t at = point->scaled->problem.row_at[i];
    const Friction friction = friction_at(point, part, at, rho);
    const bool slip = friction.d_norm - part->mu * friction.border >= 0.0;
    const bool empty = point->variant == STIC_KOZIARA_UNIL ||
                       (slip && !(part->mu * friction.limit > 0.0 && friction.d_norm > 0.0));
    for (int32_t k = 0; k < part->rows; ++k) {
        if (empty || part->scale[k] == 0.0)
            zero_row(point, i, part->first + k, block);
        else if (slip)
            slip_row(point, part, &friction, k, i, block);
        else
            stick_row(point, part, &friction, k, i, block);
    }
    return slip || empty ? STIC_KOZIARA_SLIP : STIC_KOZIARA_STICK;
}

void stic_koziara_newton_linearise(const SticKoziaraPoint* point, int32_t i, SticMapBlock* block,
                                   uint8_t mode[1 + STIC_KOZIARA_PARTS])
{
    STIC_ASSERT(i >= 0);
    const SticProblem* problem = &point->scaled->problem;
    const int32_t at = problem->row_at[i], n = problem->row_at[i + 1] - at;
    const SticLaw law = (SticLaw)problem->law[i];
    const bool unilateral = law == STIC_LAW_NONNEG || stic_law_has_normal(law);
    memset(block->A, 0, (size_t)(n * n) * sizeof *block->A);
    memset(block->B, 0, (size_t)(n * n) * sizeof *block->B);
    memset(block->bound, 0, sizeof block->bound);
    memset(mode, STIC_KOZIARA_OPEN, 1 + STIC_KOZIARA_PARTS);
    if (unilateral && point->R[at] - point->rho[i][0] * point->U[at] < 0.0) {
        for (int32_t a = 0; a < n; ++a)
            zero_row(point, i, a, block);
        return;
    }
    mode[0] = STIC_KOZIARA_STICK;
    const int32_t closed = law == STIC_LAW_FREE ? n : unilateral ? 1 : 0;
    for (int32_t a = 0; a < closed; ++a)
        closed_row(point, i, a, block);
    Part part[STIC_KOZIARA_PARTS];
    const int32_t parts = parts_of(problem, i, part);
    for (int32_t p = 0; p < parts; ++p)
        mode[1 + p] = (uint8_t)part_rows(point, &part[p], point->rho[i][1 + p], i, block);
}

/* ---- start ---- */

/// Reactions this near their border slip: starts are solutions with an error.
#define BORDER 1e-6

// rows of a part with the bound B
static void start_part(const SticKoziaraPoint* point, const Part* part, double B, int32_t at,
                       double* U)
{
    double s[3], along = 0.0;
    for (int32_t k = 0; k < part->rows; ++k)
        s[k] = part->scale[k] > 0.0
                   ? point->R[at + part->first + k] / part->scale[k] - part->centre * B
                   : 0.0;
    const double size = norm_of(s, part->rows), radius = part->mu * B;
    const bool slips = size > 0.0 && size >= (1.0 - BORDER) * radius;
    for (int32_t k = 0; k < part->rows && slips; ++k)
        along -= s[k] / size * (part->scale[k] * U[at + part->first + k]);
    for (int32_t k = 0; k < part->rows; ++k)
        if (part->scale[k] > 0.0)
            U[at + part->first + k] =
                slips && along > 0.0 ? -along * s[k] / size / part->scale[k] : 0.0;
}

void stic_koziara_newton_start(const SticKoziaraPoint* point, int32_t i, double* U)
{
    STIC_ASSERT(i >= 0);
    const SticProblem* problem = &point->scaled->problem;
    const int32_t at = problem->row_at[i], n = problem->row_at[i + 1] - at;
    const SticLaw law = (SticLaw)problem->law[i];
    if (law == STIC_LAW_FREE)
        memset(U + at, 0, (size_t)n * sizeof *U);
    if (law == STIC_LAW_NONNEG || stic_law_has_normal(law)) {
        // a contact that carries nothing may be about to close: its velocity decides
        if (!(point->R[at] > 0.0))
            return;
        U[at] = 0.0;
    }
    Part part[STIC_KOZIARA_PARTS];
    const int32_t parts = parts_of(problem, i, part);
    for (int32_t p = 0; p < parts; ++p) {
        const double R =
            part[p].row >= 0 && point->R[part[p].row] > 0.0 ? point->R[part[p].row] : 0.0;
        start_part(point, &part[p], part[p].constant + R, at, U);
    }
}

/* ---- merit ---- */

static double part_merit(const SticKoziaraPoint* point, const Part* part, double rho, int32_t at,
                         bool projected)
{
    const Friction friction = friction_at(point, part, at, rho);
    const double radius = part->mu * friction.limit;
    const double most = radius > friction.d_norm ? radius : friction.d_norm;
    double sum = 0.0;
    for (int32_t k = 0; k < part->rows; ++k) {
        double C = most * friction.s[k] - radius * friction.d[k];
        if (projected)
            C = most > 0.0 ? C / most : friction.s[k];
        if (part->scale[k] == 0.0)
            C = point->R[at + part->first + k];
        sum += C * C;
    }
    return sum;
}

double stic_koziara_newton_merit(const SticKoziaraPoint* point, int32_t i, bool projected)
{
    STIC_ASSERT(i >= 0);
    const SticProblem* problem = &point->scaled->problem;
    const int32_t at = problem->row_at[i], n = problem->row_at[i + 1] - at;
    const SticLaw law = (SticLaw)problem->law[i];
    const double* rho = point->rho[i];
    double sum = 0.0;
    for (int32_t a = 0; law == STIC_LAW_FREE && a < n; ++a)
        sum += rho[0] * point->U[at + a] * (rho[0] * point->U[at + a]);
    if (law == STIC_LAW_NONNEG || stic_law_has_normal(law)) {
        const double d = point->R[at] - rho[0] * point->U[at];
        const double C = d > 0.0 ? rho[0] * point->U[at] : point->R[at];
        sum += C * C;
    }
    Part part[STIC_KOZIARA_PARTS];
    const int32_t parts = parts_of(problem, i, part);
    for (int32_t p = 0; p < parts; ++p)
        sum += part_merit(point, &part[p], rho[1 + p], at, projected);
    return sum;
}

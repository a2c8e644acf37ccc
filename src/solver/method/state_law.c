// SPDX-License-Identifier: Apache-2.0
// The states of one interaction as smooth equations.
//
// With d = x - rho y the map of Alart and Curnier (newton_map.c) is one of
//   open     F = x                                               d_N <= 0
//   closed   F = rho y                                           d_N > 0, |d_T| <= mu d_N
//   slip     F = (rho y_N, x_T - mu d_N v),  v = d_T / |d_T|     d_N > 0, |d_T| > mu d_N
// each of which is smooth beyond the border of its own region, too. At F = 0 the borders are
//   open     y_N = 0                      -> slip (closed, where there is no friction)
//   closed   |x_T| = mu x_N               -> slip (x_N = 0 -> open, where there is no friction)
//   slip     x_N = 0                      -> open
//            |d_T| = mu x_N (no velocity) -> closed
// and do not depend on rho.
//
// Powers of s along x(s), y(s): with L = |d_T| the slip law is quadratic in (x, y, L, v),
//     L L = d_T . d_T,   L v = d_T,   F_T = x_T - mu d_N v,
// so that power k of each is linear in the unknown x_k, y_k, with A and B of the derivative, plus
// products of lower powers (the way of the asymptotic numerical method: Cochelin, Comput. Struct.
// 53, 1994).
#include "solver/method/state_law.h"
#include "stiction/extend/base.h"

#include <math.h>

static bool has_friction(const SticStateContact* contact)
{
    return contact->law == STIC_LAW_CONE && contact->rows > 1;
}

bool stic_state_law_takes(const SticProblem* problem, int32_t i)
{
    STIC_ASSERT(i >= 0 && i < problem->count);
    const SticLaw law = (SticLaw)problem->law[i];
    const int32_t rows = problem->row_at[i + 1] - problem->row_at[i];
    return law == STIC_LAW_FREE || law == STIC_LAW_NONNEG || (law == STIC_LAW_CONE && rows <= 3);
}

// direction v of d_T, zeros behind it; gives |d_T|
static double direction_of(const SticStateContact* contact, const double* x, const double* y,
                           double v[2])
{
    double square = 0.0;
    v[0] = v[1] = 0.0;
    for (int32_t a = 1; a < contact->rows; ++a) {
        v[a - 1] = x[a] - contact->rho * y[a];
        square += v[a - 1] * v[a - 1];
    }
    const double length = sqrt(square);
    for (int32_t a = 1; a < contact->rows; ++a)
        v[a - 1] = length > 0.0 ? v[a - 1] / length : (a == 1);
    return length;
}

SticPathState stic_state_law_at(const SticStateContact* contact, const double* x, const double* y)
{
    double v[2];
    const double normal = x[0] - contact->rho * y[0];
    if (contact->law == STIC_LAW_FREE)
        return STIC_PATH_CLOSED;
    if (!(normal > 0.0))
        return STIC_PATH_OPEN;
    if (!has_friction(contact) || direction_of(contact, x, y, v) <= contact->mu * normal)
        return STIC_PATH_CLOSED;
    return STIC_PATH_SLIP;
}

// rows of the friction of a sliding contact
static void linearise_slip(const SticStateContact* contact, const double* x, const double* y,
                           double* F, double* A, double* B)
{
    const int32_t n = contact->rows;
    const double mu = contact->mu, rho = contact->rho, normal = x[0] - rho * y[0];
    double v[2];
    const double length = direction_of(contact, x, y, v);
    const double cut = length > 0.0 ? mu * normal / length : 0.0;
    for (int32_t a = 1; a < n; ++a)
        F[a] = x[a] - mu * normal * v[a - 1];
    if (A == NULL)
        return;
    B[0] = rho;
    for (int32_t a = 1; a < n; ++a) {
        A[a * n] = -mu * v[a - 1];
        B[a * n] = rho * mu * v[a - 1];
        for (int32_t k = 1; k < n; ++k) {
            const double J = cut * ((a == k) - v[a - 1] * v[k - 1]);
            A[a * n + k] = (a == k) - J;
            B[a * n + k] = rho * J;
        }
    }
}

void stic_state_law_linearise(const SticStateContact* contact, const double* x, const double* y,
                              double* F, double* A, double* B)
{
    const int32_t n = contact->rows;
    for (int32_t a = 0; a < n; ++a)
        F[a] = contact->state == STIC_PATH_OPEN ? x[a] : contact->rho * y[a];
    for (int32_t k = 0; k < n * n && A != NULL; ++k) {
        const bool diagonal = k % (n + 1) == 0;
        A[k] = diagonal && contact->state == STIC_PATH_OPEN ? 1.0 : 0.0;
        B[k] = diagonal && contact->state == STIC_PATH_CLOSED ? contact->rho : 0.0;
    }
    if (contact->state == STIC_PATH_SLIP)
        linearise_slip(contact, x, y, F, A, B);
}

double stic_state_law_size(const SticStateContact* contact, const double* x, const double* y)
{
    double square = 0.0;
    for (int32_t a = 0; a < contact->rows; ++a) {
        const double d = x[a] - contact->rho * y[a];
        square += d * d;
    }
    return sqrt(square);
}

/* ---- borders ---- */

int32_t stic_state_law_margins(const SticStateContact* contact, const double* xy[2],
                               const double* dxy[2], SticStateMargin margin[2])
{
    const double *x = xy[0], *y = xy[1], *dx = dxy[0], *dy = dxy[1];
    const double mu = contact->mu, rho = contact->rho;
    double v[2], across = 0.0, growth = 0.0;
    if (contact->law == STIC_LAW_FREE)
        return 0;
    if (contact->state == STIC_PATH_OPEN) {
        margin[0] = (SticStateMargin){rho * y[0], rho * dy[0],
                                      has_friction(contact) ? STIC_PATH_SLIP : STIC_PATH_CLOSED};
        return 1;
    }
    margin[0] = (SticStateMargin){x[0], dx[0], STIC_PATH_OPEN};
    if (!has_friction(contact))
        return 1;
    if (contact->state == STIC_PATH_CLOSED) {
        for (int32_t a = 1; a < contact->rows; ++a)
            across += x[a] * x[a];
        across = sqrt(across);
        for (int32_t a = 1; a < contact->rows; ++a)
            growth += across > 0.0 ? x[a] / across * dx[a] : fabs(dx[a]);
        margin[0] = (SticStateMargin){mu * x[0] - across, mu * dx[0] - growth, STIC_PATH_SLIP};
        return 1;
    }
    across = direction_of(contact, x, y, v);
    for (int32_t a = 1; a < contact->rows; ++a)
        growth += v[a - 1] * (dx[a] - rho * dy[a]);
    margin[1] = (SticStateMargin){across - mu * x[0], growth - mu * dx[0], STIC_PATH_CLOSED};
    return 2;
}

/* ---- powers ---- */

// power k of |d_T| without d_k: from L L = d_T . d_T
static double lower_length(const SticStateContact* contact, const SticStateSeries* series,
                           int32_t k)
{
    const int32_t at = contact->at;
    const double rho = contact->rho;
    double sum = 0.0;
    for (int32_t j = 1; j < k; ++j) {
        for (int32_t a = 1; a < contact->rows; ++a)
            sum += (series->x[j][at + a] - rho * series->y[j][at + a]) *
                   (series->x[k - j][at + a] - rho * series->y[k - j][at + a]);
        sum -= series->slide[j][at] * series->slide[k - j][at];
    }
    return sum / (2.0 * series->slide[0][at]);
}

void stic_state_law_rest(const SticStateContact* contact, const SticStateSeries* series, int32_t k,
                         double* rest)
{
    const int32_t at = contact->at, n = contact->rows;
    const double rho = contact->rho;
    for (int32_t a = 0; a < n; ++a)
        rest[a] = 0.0;
    if (contact->state != STIC_PATH_SLIP)
        return;
    const double normal = series->x[0][at] - rho * series->y[0][at];
    const double length = series->slide[0][at], l = lower_length(contact, series, k);
    for (int32_t a = 1; a < n; ++a) {
        // of -L_0 v_k, and of the product d_N v
        double turned = series->slide[0][at + a] * l, sum = 0.0;
        for (int32_t j = 1; j < k; ++j) {
            turned += series->slide[j][at + a] * series->slide[k - j][at];
            sum += (series->x[j][at] - rho * series->y[j][at]) * series->slide[k - j][at + a];
        }
        rest[a] = contact->mu * (normal * turned / length - sum);
    }
}

void stic_state_law_slide(const SticStateContact* contact, const SticStateSeries* series, int32_t k)
{
    const int32_t at = contact->at, n = contact->rows;
    const double length = series->slide[0][at];
    double* slide = series->slide[k] + at;
    double v[2];
    if (contact->state != STIC_PATH_SLIP)
        return;
    if (k == 0) {
        slide[0] = direction_of(contact, series->x[0] + at, series->y[0] + at, v);
        for (int32_t a = 1; a < n; ++a)
            slide[a] = v[a - 1];
        return;
    }
    slide[0] = lower_length(contact, series, k);
    for (int32_t a = 1; a < n; ++a) {
        v[a - 1] = series->x[k][at + a] - contact->rho * series->y[k][at + a];
        slide[0] += series->slide[0][at + a] * v[a - 1];
    }
    for (int32_t a = 1; a < n; ++a) {
        double sum = v[a - 1];
        for (int32_t j = 0; j < k; ++j)
            sum -= series->slide[j][at + a] * series->slide[k - j][at];
        slide[a] = sum / length;
    }
}

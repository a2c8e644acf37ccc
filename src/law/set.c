// SPDX-License-Identifier: Apache-2.0
// Convex sets as plain data: proximal points and their derivatives.
//
// prox_C(x) = argmin_{z in C} |x - z|; `inside` says that x was in C already (Möller 2011, eqs.
// 2.8, 2.14-2.19; Studer & Glocker 2006, eqs. 21-23). Boxes, balls and cones are closed forms;
// ellipsoid.c and contensou.c find a root. The cones share one formula, derived in law_kernel.h:
// the height of the projection is the largest root of a few lines.
#include <math.h>
#include <string.h>

#include "law/law_kernel.h"
#include "law/set_parts.h"
#include "stiction/extend/base.h"

static SticConvexSet set_of(SticSetKind kind, int32_t n)
{
    STIC_ASSERT(n >= 1 && n <= STIC_SET_DIM);
    SticConvexSet set;
    memset(&set, 0, sizeof set);
    set.kind = kind;
    set.n = n;
    return set;
}

SticConvexSet stic_set_all(int32_t n)
{
    return set_of(STIC_SET_ALL, n);
}

SticConvexSet stic_set_nonneg(int32_t n)
{
    return set_of(STIC_SET_NONNEG, n);
}

SticConvexSet stic_set_interval(double low, double high)
{
    return stic_set_box(1, &low, &high);
}

SticConvexSet stic_set_box(int32_t n, const double* low, const double* high)
{
    SticConvexSet set = set_of(STIC_SET_BOX, n);
    for (int32_t k = 0; k < n; ++k) {
        STIC_ASSERT(low[k] <= high[k]);
        set.low[k] = low[k];
        set.size[k] = high[k];
    }
    return set;
}

SticConvexSet stic_set_ball(int32_t n, double radius)
{
    SticConvexSet set = set_of(STIC_SET_BALL, n);
    set.size[0] = stic_kernel_max(radius, 0.0);
    return set;
}

SticConvexSet stic_set_ellipsoid(int32_t n, const double* axes)
{
    SticConvexSet set = set_of(STIC_SET_ELLIPSOID, n);
    for (int32_t k = 0; k < n; ++k)
        set.size[k] = stic_kernel_max(axes[k], 0.0);
    return set;
}

SticConvexSet stic_set_cylinder(double radius, double half)
{
    SticConvexSet set = set_of(STIC_SET_CYLINDER, 3);
    set.size[0] = stic_kernel_max(radius, 0.0);
    set.size[1] = stic_kernel_max(half, 0.0);
    return set;
}

// without drilling resistance the body is a disc, without force a point
SticConvexSet stic_set_contensou(double force, double lever)
{
    if (!(force > 0.0 && lever > 0.0))
        return stic_set_cylinder(force, 0.0);
    SticConvexSet set = set_of(STIC_SET_CONTENSOU, 3);
    set.size[0] = force;
    set.size[1] = lever;
    return set;
}

SticConvexSet stic_set_cone(int32_t n, double mu)
{
    STIC_ASSERT(mu >= 0.0);
    SticConvexSet set = set_of(STIC_SET_CONE, n);
    set.size[0] = mu;
    return set;
}

SticConvexSet stic_set_rolling_cone(int32_t n, double mu, double mu_roll)
{
    STIC_ASSERT((n == 3 || n == 5) && mu >= 0.0 && mu_roll >= 0.0);
    SticConvexSet set = set_of(STIC_SET_ROLLING_CONE, n);
    set.size[0] = mu;
    set.size[1] = mu_roll;
    return set;
}

/* ---- cones ---- */

enum { NO_CONE = 0, FIRST_CONE = 1, SECOND_CONE = 2 };

// projection on one or two cones over the axis x0: its height and what the height depends on
typedef struct ConeFoot {
    int32_t parts;    // cones, 1 or 2
    int32_t at[3];    // rows of the parts
    double mu[2];     // their coefficients
    double across[2]; // |x_T|, |x_R|
    double height;
    int active; // cones whose line gave the height; -1: the apex
} ConeFoot;

// one line of law_kernel.h's minimum: (x_N + sum mu a) / (1 + sum mu^2) over the cones of `mask`;
// an infinite coefficient asks for no height
static double line_root(const ConeFoot* foot, double along, int mask)
{
    double top = along, bottom = 1.0;
    for (int part = 0; part < foot->parts; ++part) {
        const double mu = foot->mu[part];
        if ((mask & (1 << part)) != 0 && !isinf(mu)) {
            top += mu * foot->across[part];
            bottom += mu * mu;
        }
    }
    return top / bottom;
}

static ConeFoot cone_foot(const SticConvexSet* set, const double* x)
{
    const bool rolling = set->kind == STIC_SET_ROLLING_CONE;
    const int32_t middle = rolling ? (set->n + 1) / 2 : set->n;
    ConeFoot foot = {.parts = rolling ? 2 : 1,
                     .at = {1, middle, set->n},
                     .mu = {set->size[0], set->size[1]},
                     .active = -1};
    for (int part = 0; part < foot.parts; ++part)
        foot.across[part] = stic_norm(foot.at[part + 1] - foot.at[part], x + foot.at[part]);
    // the plain height first, so that points of the set stay where they are
    for (int mask = NO_CONE; mask < 1 << foot.parts; ++mask) {
        const double root = line_root(&foot, x[0], mask);
        if (root > foot.height || (mask == NO_CONE && root == 0.0)) {
            foot.height = root;
            foot.active = mask;
        }
    }
    return foot;
}

static double cone_limit(const ConeFoot* foot, int part)
{
    return isinf(foot->mu[part]) ? INFINITY : foot->mu[part] * foot->height;
}

static bool cone_prox(const SticConvexSet* set, const double* x, double* p)
{
    const ConeFoot foot = cone_foot(set, x);
    bool inside = x[0] >= 0.0;
    for (int part = 0; part < foot.parts; ++part)
        inside = inside && (isinf(foot.mu[part]) || foot.across[part] <= foot.mu[part] * x[0]);
    if (inside) {
        memmove(p, x, (size_t)set->n * sizeof *p);
        return true;
    }
    for (int part = 0; part < foot.parts; ++part) {
        const double cut = stic_kernel_cut(foot.across[part], cone_limit(&foot, part));
        for (int32_t k = foot.at[part]; k < foot.at[part + 1]; ++k)
            p[k] = cut * x[k];
    }
    p[0] = foot.height;
    return false;
}

// Height t: dt = (dx_N + sum mu e' dx_T) / (1 + sum mu^2) over the active cones. Across: identity
// where x_T was not cut, else mu e dt + (mu t / a) (I - e e').
static void cone_derivative(const SticConvexSet* set, const double* x, double* J)
{
    const int32_t n = set->n;
    const ConeFoot foot = cone_foot(set, x);
    double gradient[STIC_SET_DIM] = {0.0};
    double bottom = 1.0;
    memset(J, 0, (size_t)(n * n) * sizeof *J);
    if (foot.active >= 0) {
        gradient[0] = 1.0;
        for (int part = 0; part < foot.parts; ++part) {
            const double mu = foot.mu[part];
            if ((foot.active & (1 << part)) == 0 || isinf(mu) || foot.across[part] == 0.0)
                continue;
            bottom += mu * mu;
            for (int32_t k = foot.at[part]; k < foot.at[part + 1]; ++k)
                gradient[k] = mu * (x[k] / foot.across[part]);
        }
        for (int32_t k = 0; k < n; ++k)
            J[k] = gradient[k] /= bottom;
    }
    for (int part = 0; part < foot.parts; ++part) {
        const double across = foot.across[part], limit = cone_limit(&foot, part);
        const bool cut = across > limit;
        const double factor = cut ? limit / across : 1.0;
        for (int32_t i = foot.at[part]; i < foot.at[part + 1]; ++i) {
            const double e = cut ? x[i] / across : 0.0;
            J[i * n + i] += factor;
            for (int32_t j = foot.at[part]; cut && j < foot.at[part + 1]; ++j)
                J[i * n + j] -= factor * e * (x[j] / across);
            for (int32_t j = 0; cut && j < n; ++j)
                J[i * n + j] += foot.mu[part] * e * gradient[j];
        }
    }
}

/* ---- all kinds ---- */

static bool box_prox(const SticConvexSet* set, const double* x, double* p)
{
    bool inside = true;
    for (int32_t k = 0; k < set->n; ++k) {
        const double low = set->kind == STIC_SET_NONNEG ? 0.0 : set->low[k];
        const double high = set->kind == STIC_SET_NONNEG ? INFINITY : set->size[k];
        inside = inside && x[k] >= low && x[k] <= high;
        p[k] = x[k] < low ? low : x[k] > high ? high : x[k];
    }
    return inside;
}

static bool cylinder_prox(const SticConvexSet* set, const double* x, double* p)
{
    const double half = set->size[1];
    const bool flat = fabs(x[2]) <= half;
    const double moment = flat ? x[2] : copysign(half, x[2]);
    const bool round = stic_ball_prox(2, set->size[0], x, p);
    p[2] = moment;
    return flat && round;
}

bool stic_set_prox(const SticConvexSet* set, const double* x, double* p)
{
    STIC_ASSERT(set != NULL);
    switch (set->kind) {
    case STIC_SET_ALL:
        memmove(p, x, (size_t)set->n * sizeof *p);
        return true;
    case STIC_SET_NONNEG:
    case STIC_SET_BOX:
        return box_prox(set, x, p);
    case STIC_SET_BALL:
        return stic_ball_prox(set->n, set->size[0], x, p);
    case STIC_SET_ELLIPSOID:
        return stic_ellipsoid_prox(set->n, set->size, x, p);
    case STIC_SET_CYLINDER:
        return cylinder_prox(set, x, p);
    case STIC_SET_CONTENSOU:
        return stic_contensou_prox(set->size[0], set->size[1], x, p);
    case STIC_SET_CONE:
    case STIC_SET_ROLLING_CONE:
        return cone_prox(set, x, p);
    }
    return false;
}

// (radius/|x|) (I - e e') outside, I inside; n x n block of a matrix with `stride` columns
static void ball_derivative(int32_t n, double radius, const double* x, int32_t stride, double* J)
{
    const double length = stic_norm(n, x);
    const bool inside = length <= radius;
    const double factor = inside ? 1.0 : radius / length;
    for (int32_t i = 0; i < n; ++i)
        for (int32_t j = 0; j < n; ++j)
            J[i * stride + j] =
                factor * ((i == j) - (inside ? 0.0 : (x[i] / length) * (x[j] / length)));
}

static void box_derivative(const SticConvexSet* set, const double* x, double* J)
{
    double p[STIC_SET_DIM];
    box_prox(set, x, p);
    for (int32_t k = 0; k < set->n; ++k)
        J[k * set->n + k] = p[k] == x[k] ? 1.0 : 0.0;
}

void stic_set_prox_derivative(const SticConvexSet* set, const double* x, double* J)
{
    STIC_ASSERT(set != NULL);
    const int32_t n = set->n;
    memset(J, 0, (size_t)(n * n) * sizeof *J);
    switch (set->kind) {
    case STIC_SET_ALL:
        for (int32_t k = 0; k < n; ++k)
            J[k * n + k] = 1.0;
        return;
    case STIC_SET_NONNEG:
    case STIC_SET_BOX:
        box_derivative(set, x, J);
        return;
    case STIC_SET_BALL:
        ball_derivative(n, set->size[0], x, n, J);
        return;
    case STIC_SET_ELLIPSOID:
        stic_ellipsoid_derivative(n, set->size, x, J);
        return;
    case STIC_SET_CYLINDER:
        ball_derivative(2, set->size[0], x, 3, J);
        J[8] = fabs(x[2]) <= set->size[1] ? 1.0 : 0.0;
        return;
    case STIC_SET_CONTENSOU:
        stic_contensou_derivative(set->size[0], set->size[1], x, J);
        return;
    case STIC_SET_CONE:
    case STIC_SET_ROLLING_CONE:
        cone_derivative(set, x, J);
        return;
    }
}

// prox of r S at x is r prox_S(x / r)
void stic_set_kappa(const SticConvexSet* set, const double* x, double r, double* k)
{
    STIC_ASSERT(set != NULL);
    double scaled[STIC_SET_DIM];
    STIC_ASSERT(r > 0.0);
    for (int32_t i = 0; i < set->n; ++i)
        scaled[i] = x[i] / r;
    const bool inside = stic_set_prox(set, scaled, scaled);
    for (int32_t i = 0; i < set->n; ++i)
        k[i] = inside ? 0.0 : x[i] - r * scaled[i];
}

bool stic_set_contains(const SticConvexSet* set, const double* x, double slack)
{
    STIC_ASSERT(set != NULL);
    double p[STIC_SET_DIM], gap[STIC_SET_DIM];
    if (stic_set_prox(set, x, p))
        return true;
    for (int32_t k = 0; k < set->n; ++k)
        gap[k] = x[k] - p[k];
    return stic_norm(set->n, gap) <= slack * stic_norm(set->n, x);
}

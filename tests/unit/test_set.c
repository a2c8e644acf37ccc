// SPDX-License-Identifier: Apache-2.0
// Convex sets: the projection against its variational inequality, brute force and formulas.
#include "helpers/helpers.h"

#include <math.h>
#include <stdio.h>

#include "stiction/extend/law.h"

enum { SAMPLES = 400, MEMBERS = 40, N = STIC_SET_DIM };

static double distance(int32_t n, const double* x, const double* y)
{
    double sum = 0.0;
    for (int32_t k = 0; k < n; ++k)
        sum += (x[k] - y[k]) * (x[k] - y[k]);
    return sqrt(sum);
}

/* ---- the sets under test ---- */

typedef struct Case {
    const char* name;
    SticConvexSet set;
} Case;

static int32_t all_cases(Case* cases)
{
    const double low[3] = {-1.0, -INFINITY, 0.5}, high[3] = {2.0, 0.0, INFINITY};
    const double ellipse[2] = {2.0, 0.3}, ellipsoid[3] = {1.0, 1.0, 0.05}, flat[3] = {1, 0, 2};
    int32_t n = 0;
    cases[n++] = (Case){"R^3", stic_set_all(3)};
    cases[n++] = (Case){"R+", stic_set_nonneg(1)};
    cases[n++] = (Case){"R+^4", stic_set_nonneg(4)};
    cases[n++] = (Case){"interval", stic_set_interval(-0.5, 1.5)};
    cases[n++] = (Case){"box", stic_set_box(3, low, high)};
    cases[n++] = (Case){"disc", stic_set_ball(2, 0.7)};
    cases[n++] = (Case){"ball 6", stic_set_ball(6, 1.3)};
    cases[n++] = (Case){"ball 0", stic_set_ball(3, 0.0)};
    cases[n++] = (Case){"ellipse", stic_set_ellipsoid(2, ellipse)};
    cases[n++] = (Case){"ellipsoid", stic_set_ellipsoid(3, ellipsoid)};
    cases[n++] = (Case){"flat ellipsoid", stic_set_ellipsoid(3, flat)};
    cases[n++] = (Case){"cylinder", stic_set_cylinder(1.0, 0.4)};
    cases[n++] = (Case){"Contensou", stic_set_contensou(1.2, stic_contensou_lever(0.1))};
    cases[n++] = (Case){"Contensou scaled", stic_set_contensou(1.2, 1.0)};
    cases[n++] = (Case){"Contensou flat", stic_set_contensou(1.2, 0.0)};
    cases[n++] = (Case){"cone 2D", stic_set_cone(2, 0.5)};
    cases[n++] = (Case){"cone 3D", stic_set_cone(3, 0.7)};
    cases[n++] = (Case){"cone 6D", stic_set_cone(6, 3.0)};
    cases[n++] = (Case){"ray", stic_set_cone(3, 0.0)};
    cases[n++] = (Case){"half-space", stic_set_cone(3, INFINITY)};
    cases[n++] = (Case){"cone mu 1e9", stic_set_cone(3, 1e9)};
    cases[n++] = (Case){"rolling 3", stic_set_rolling_cone(3, 0.5, 0.1)};
    cases[n++] = (Case){"rolling 5", stic_set_rolling_cone(5, 0.5, 0.8)};
    cases[n++] = (Case){"rolling mu 0", stic_set_rolling_cone(5, 0.0, 0.8)};
    cases[n++] = (Case){"rolling mu inf", stic_set_rolling_cone(5, INFINITY, 0.3)};
    return n;
}

/* ---- random members, made without any projection ---- */

static void in_ball(SticRandom* random, int32_t n, double radius, double* x)
{
    test_random_unit(random, n, x);
    // half of them on the surface
    const double length = stic_random_uniform(random) < 0.5 ? 1.0 : stic_random_uniform(random);
    for (int32_t k = 0; k < n; ++k)
        x[k] *= radius * length;
}

// boundary of the body by the published formulas, with the C library's asin
static void boundary_reference(double v, double* force, double* moment)
{
    const double pi = acos(-1.0);
    if (v <= 1.0) {
        *force = 3.0 * pi / 32.0 * (4.0 * v - v * v * v);
        *moment = (3.0 * pow(v, 4) - 8.0 * v * v + 8.0) / 8.0;
    } else {
        const double root = sqrt(v * v - 1.0);
        *force = 3.0 / 16.0 * ((4.0 * v - v * v * v) * asin(1.0 / v) + (v * v + 2.0) / v * root);
        *moment =
            ((3.0 * pow(v, 4) - 8.0 * v * v + 8.0) * asin(1.0 / v) + (6.0 - 3.0 * v * v) * root) /
            (4.0 * pi);
    }
}

static void member(const SticConvexSet* set, SticRandom* random, double* z)
{
    const int32_t n = set->n;
    const double* size = set->size;
    test_random_vector(random, n, -3.0, 3.0, z);
    switch (set->kind) {
    case STIC_SET_ALL:
        break;
    case STIC_SET_NONNEG:
        for (int32_t k = 0; k < n; ++k)
            z[k] = fabs(z[k]);
        break;
    case STIC_SET_BOX:
        for (int32_t k = 0; k < n; ++k)
            z[k] = fmin(fmax(z[k], set->low[k]), size[k]);
        break;
    case STIC_SET_BALL:
        in_ball(random, n, size[0], z);
        break;
    case STIC_SET_ELLIPSOID:
        in_ball(random, n, 1.0, z);
        for (int32_t k = 0; k < n; ++k)
            z[k] *= size[k];
        break;
    case STIC_SET_CYLINDER:
        in_ball(random, 2, size[0], z);
        z[2] = stic_random_range(random, -size[1], size[1]);
        break;
    case STIC_SET_CONTENSOU: {
        double force, moment;
        boundary_reference(tan(stic_random_uniform(random) * 1.5), &force, &moment);
        in_ball(random, 2, force * size[0], z);
        in_ball(random, 1, moment * size[0] * size[1], z + 2);
        break;
    }
    case STIC_SET_CONE:
        z[0] = fabs(z[0]);
        in_ball(random, n - 1, fmin(size[0] * z[0], 10.0), z + 1);
        break;
    case STIC_SET_ROLLING_CONE:
        z[0] = fabs(z[0]);
        in_ball(random, n / 2, fmin(size[0] * z[0], 10.0), z + 1);
        in_ball(random, n / 2, fmin(size[1] * z[0], 10.0), z + 1 + n / 2);
        break;
    }
}

// a point to project: near and far, some on the axes, some members
static void sample(const SticConvexSet* set, SticRandom* random, int index, double* x)
{
    const double far = index % 3 == 0 ? 0.5 : index % 3 == 1 ? 3.0 : 1000.0;
    test_random_vector(random, set->n, -far, far, x);
    if (index % 7 == 0)
        x[index % set->n] = 0.0;
    if (index % 11 == 0)
        member(set, random, x);
    if (index == 1)
        for (int32_t k = 0; k < set->n; ++k)
            x[k] = 0.0;
}

/* ---- properties of every projection ---- */

static void test_variational_inequality(void** state)
{
    (void)state;
    Case cases[32];
    const int32_t count = all_cases(cases);
    SticRandom random = stic_random_create(7);
    const TestTable table = test_table_begin(
        "projections", "set               |inside|  inequality|  idempotence|  expansion");
    for (int32_t c = 0; c < count; ++c) {
        const SticConvexSet* set = &cases[c].set;
        const int32_t n = set->n;
        double worst = 0.0, again = 0.0, expansion = 0.0, last[N] = {0}, last_p[N] = {0};
        int inside_count = 0;
        for (int i = 0; i < SAMPLES; ++i) {
            double x[N], p[N], q[N], z[N], away[N], along[N];
            sample(set, &random, i, x);
            const bool inside = stic_set_prox(set, x, p);
            const double scale = 1.0 + test_dot(n, x, x);
            inside_count += inside;
            // inside means unmoved; what is outside moves, unless it lies on the surface
            if (inside)
                test_equal(distance(n, x, p), 0.0);
            assert_true(inside || distance(n, x, p) > 0.0 || i % 11 == 0);
            for (int m = 0; m < MEMBERS; ++m) {
                member(set, &random, z);
                for (int32_t k = 0; k < n; ++k) {
                    away[k] = x[k] - p[k];
                    along[k] = z[k] - p[k];
                }
                worst = test_worse(worst, test_dot(n, away, along) / (scale + test_dot(n, z, z)));
            }
            stic_set_prox(set, p, q);
            again = test_worse(again, distance(n, p, q) / sqrt(scale));
            assert_true(stic_set_contains(set, p, 1e-14));
            if (i > 0 && distance(n, x, last) > 0.0)
                expansion = test_worse(expansion, distance(n, p, last_p) / distance(n, x, last));
            for (int32_t k = 0; k < n; ++k) {
                last[k] = x[k];
                last_p[k] = p[k];
            }
            // in place
            stic_set_prox(set, x, x);
            assert_memory_equal(x, p, sizeof(double) * (size_t)n);
        }
        test_table_row(&table, "%s|%d|%.1e|%.1e|%.6f", cases[c].name, inside_count, worst, again,
                       expansion);
        test_less(worst, 5e-15);
        test_less(again, 5e-15);
        test_at_most(expansion, 1.0 + 1e-12);
    }
}

// members are recognised: the flag and the projection agree with an independent description
static void test_members_inside(void** state)
{
    (void)state;
    Case cases[32];
    const int32_t count = all_cases(cases);
    SticRandom random = stic_random_create(11);
    for (int32_t c = 0; c < count; ++c)
        for (int i = 0; i < SAMPLES; ++i) {
            double z[N], p[N];
            member(&cases[c].set, &random, z);
            stic_set_prox(&cases[c].set, z, p);
            test_at_most(distance(cases[c].set.n, z, p),
                         1e-14 * (1.0 + sqrt(test_dot(cases[c].set.n, z, z))));
        }
}

// differences, at points where they agree from both sides
static void test_derivatives(void** state)
{
    (void)state;
    Case cases[32];
    const int32_t count = all_cases(cases);
    SticRandom random = stic_random_create(3);
    const TestTable table =
        test_table_begin("derivatives of the prox", "set               |compared|   difference");
    for (int32_t c = 0; c < count; ++c) {
        const SticConvexSet* set = &cases[c].set;
        const int32_t n = set->n;
        double worst = 0.0;
        int compared = 0;
        for (int i = 0; i < 200; ++i) {
            double x[N], J[N * N];
            test_random_vector(&random, n, -2.5, 2.5, x);
            stic_set_prox_derivative(set, x, J);
            for (int32_t j = 0; j < n; ++j) {
                const double h = 1e-6;
                double p[N], more[N], less[N], y[N];
                stic_set_prox(set, x, p);
                for (int32_t k = 0; k < n; ++k)
                    y[k] = x[k];
                y[j] = x[j] + h;
                stic_set_prox(set, y, more);
                y[j] = x[j] - h;
                stic_set_prox(set, y, less);
                double kink = 0.0, error = 0.0;
                for (int32_t k = 0; k < n; ++k) {
                    kink = test_worse(kink, fabs(more[k] + less[k] - 2.0 * p[k]) / h);
                    error = test_worse(error, fabs((more[k] - less[k]) / (2.0 * h) - J[k * n + j]));
                    test_less(fabs(J[k * n + j] - J[j * n + k]), 1e-12);
                }
                if (kink > 1e-2)
                    continue;
                compared += 1;
                worst = test_worse(worst, error);
            }
        }
        test_table_row(&table, "%s|%d|%.1e", cases[c].name, compared, worst);
        test_greater(compared, 150);
        test_less(worst, 2e-6);
    }
}

static void test_kappa(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(5);
    for (int i = 0; i < SAMPLES; ++i) {
        const double a = stic_random_range(&random, 0.1, 2.0),
                     r = stic_random_range(&random, 0.1, 3.0);
        const SticConvexSet disc = stic_set_ball(2, a);
        double x[2], k[2];
        test_random_vector(&random, 2, -4.0, 4.0, x);
        stic_set_kappa(&disc, x, r, k);
        // Studer & Glocker 2006, eq. 23
        const double length = sqrt(x[0] * x[0] + x[1] * x[1]);
        const double factor = length > r * a ? 1.0 - r * a / length : 0.0;
        test_less(fabs(k[0] - factor * x[0]), 1e-14);
        test_less(fabs(k[1] - factor * x[1]), 1e-14);
    }
}

/* ---- closed forms and other algorithms ---- */

// nearest point of an ellipse by its angle: scan, then golden section
static double ellipse_distance(const double axes[2], const double x[2])
{
    double best = INFINITY, at = 0.0;
    for (int i = 0; i < 720; ++i) {
        const double angle = i * acos(-1.0) / 360.0;
        const double q[2] = {axes[0] * cos(angle), axes[1] * sin(angle)};
        if (distance(2, q, x) < best) {
            best = distance(2, q, x);
            at = angle;
        }
    }
    double low = at - 0.01, high = at + 0.01;
    for (int i = 0; i < 60; ++i) {
        const double m1 = low + 0.382 * (high - low), m2 = low + 0.618 * (high - low);
        const double q1[2] = {axes[0] * cos(m1), axes[1] * sin(m1)};
        const double q2[2] = {axes[0] * cos(m2), axes[1] * sin(m2)};
        if (distance(2, q1, x) < distance(2, q2, x))
            high = m2;
        else
            low = m1;
        best = fmin(best, fmin(distance(2, q1, x), distance(2, q2, x)));
    }
    return best;
}

static void test_ellipse_brute_force(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(13);
    double worst = 0.0;
    for (int i = 0; i < 200; ++i) {
        const double axes[2] = {stic_random_range(&random, 0.2, 2.0),
                                stic_random_range(&random, 0.05, 2.0)};
        double x[2], p[2];
        test_random_vector(&random, 2, -3.0, 3.0, x);
        const SticConvexSet set = stic_set_ellipsoid(2, axes);
        if (stic_set_prox(&set, x, p))
            continue;
        worst = test_worse(worst, fabs(distance(2, x, p) - ellipse_distance(axes, x)));
    }
    print_message("ellipse against a scan of its boundary: %.1e\n", worst);
    test_less(worst, 1e-12);
}

// an ellipsoid with equal axes is the ball; a sphere seen along one axis is an interval
static void test_ellipsoid_limits(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(17);
    const double equal[3] = {0.8, 0.8, 0.8}, line[3] = {0.0, 0.6, 0.0};
    const SticConvexSet round = stic_set_ellipsoid(3, equal), ball = stic_set_ball(3, 0.8);
    const SticConvexSet thin = stic_set_ellipsoid(3, line);
    for (int i = 0; i < SAMPLES; ++i) {
        double x[3], p[3], q[3];
        test_random_vector(&random, 3, -2.0, 2.0, x);
        test_equal(stic_set_prox(&round, x, p), stic_set_prox(&ball, x, q));
        test_less(distance(3, p, q), 1e-15);
        stic_set_prox(&thin, x, p);
        const double end[3] = {0.0, fmin(fmax(x[1], -0.6), 0.6), 0.0};
        test_less(distance(3, p, end), 1e-15);
    }
}

// Koziara 2008, section 10.3: the three cases of the cone in his words
static void test_cone_cases(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(19);
    for (int i = 0; i < 4 * SAMPLES; ++i) {
        const double mu = stic_random_range(&random, 0.0, 2.0);
        const SticConvexSet cone = stic_set_cone(3, mu);
        double x[3], p[3], q[3] = {0.0, 0.0, 0.0};
        test_random_vector(&random, 3, -1.0, 1.0, x);
        stic_set_prox(&cone, x, p);
        const double across = sqrt(x[1] * x[1] + x[2] * x[2]);
        if (across <= mu * x[0]) {
            for (int k = 0; k < 3; ++k)
                q[k] = x[k];
        } else if (mu * across > -x[0]) {
            const double part = (across - mu * x[0]) / (1.0 + mu * mu);
            q[0] = x[0] + part * mu;
            q[1] = x[1] - part * x[1] / across;
            q[2] = x[2] - part * x[2] / across;
        }
        test_less(distance(3, p, q), 1e-15);
    }
}

// Dykstra's alternating projections on the two cones of the intersection
static void dykstra(double mu, double mu_roll, const double x[5], double y[5])
{
    double correction[2][5] = {{0.0}};
    const SticConvexSet cones[2] = {stic_set_cone(3, mu), stic_set_cone(3, mu_roll)};
    for (int k = 0; k < 5; ++k)
        y[k] = x[k];
    for (int sweep = 0; sweep < 4000; ++sweep)
        for (int c = 0; c < 2; ++c) {
            double z[5], part[3];
            for (int k = 0; k < 5; ++k)
                z[k] = y[k] + correction[c][k];
            part[0] = z[0];
            part[1] = z[1 + 2 * c];
            part[2] = z[2 + 2 * c];
            stic_set_prox(&cones[c], part, part);
            for (int k = 0; k < 5; ++k)
                y[k] = z[k];
            y[0] = part[0];
            y[1 + 2 * c] = part[1];
            y[2 + 2 * c] = part[2];
            for (int k = 0; k < 5; ++k)
                correction[c][k] = z[k] - y[k];
        }
}

static void test_rolling_dykstra(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(23);
    double worst = 0.0;
    int seen[4] = {0};
    for (int i = 0; i < 200; ++i) {
        const double mu = stic_random_range(&random, 0.2, 1.5);
        const double mu_roll = stic_random_range(&random, 0.2, 1.5);
        double x[5], p[5], y[5];
        test_random_vector(&random, 5, -1.0, 1.0, x);
        const SticConvexSet set = stic_set_rolling_cone(5, mu, mu_roll);
        stic_set_prox(&set, x, p);
        dykstra(mu, mu_roll, x, y);
        worst = test_worse(worst, distance(5, p, y));
        // which faces the foot lies on
        const bool slides = sqrt(p[1] * p[1] + p[2] * p[2]) > (1.0 - 1e-12) * mu * p[0];
        const bool rolls = sqrt(p[3] * p[3] + p[4] * p[4]) > (1.0 - 1e-12) * mu_roll * p[0];
        seen[slides + 2 * rolls] += 1;
    }
    print_message(
        "rolling cone against Dykstra: %.1e; inner %d, slide face %d, roll face %d, both or "
        "apex %d\n",
        worst, seen[0], seen[1], seen[2], seen[3]);
    test_less(worst, 1e-9);
    for (int k = 0; k < 4; ++k)
        test_greater(seen[k], 0);
}

/* ---- the Coulomb-Contensou body ---- */

// Möller 2011, eqs. 3.118, 3.119: values to six digits
static void test_contensou_table(void** state)
{
    (void)state;
    static const double rows[][3] = {{0.25, 0.289922, 0.938965}, {0.5, 0.552233, 0.773438},
                                     {0.75, 0.759320, 0.556152}, {1.0, 0.883573, 0.375000},
                                     {1.5, 0.953118, 0.234510},  {2.0, 0.974279, 0.173007},
                                     {3.0, 0.988752, 0.114101},  {9.0, 0.998764, 0.037759}};
    const TestTable table = test_table_begin("Coulomb-Contensou boundary",
                                             "v       |     bT|  btau/Rbar|   defect of normal");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        double force, moment, more[2], less[2];
        const double v = rows[i][0], h = 1e-6;
        stic_contensou_boundary(v, &force, &moment);
        // v R bT' + btau' = 0 with R = 16/(3 pi) in units of the lever
        stic_contensou_boundary(v + h, &more[0], &more[1]);
        stic_contensou_boundary(v - h, &less[0], &less[1]);
        const double R = 16.0 / (3.0 * acos(-1.0));
        const double normal = (v * R * (more[0] - less[0]) + (more[1] - less[1])) / (2.0 * h);
        test_table_row(&table, "%g|%.6f|%.6f|%.1e", v, force, moment, normal);
        test_less(fabs(force - rows[i][1]), 5.1e-7);
        test_less(fabs(moment - rows[i][2]), 5.1e-7);
        test_less(fabs(normal), 1e-8);
    }
    double force, moment;
    stic_contensou_boundary(0.0, &force, &moment);
    test_equal(force, 0.0);
    test_equal(moment, 1.0);
    stic_contensou_boundary(INFINITY, &force, &moment);
    test_equal(force, 1.0);
    test_equal(moment, 0.0);
}

// the published closed form where it is accurate, its asymptotics where it is not
static void test_contensou_range(void** state)
{
    (void)state;
    double worst = 0.0, tail = 0.0;
    for (int i = 1; i < 2000; ++i) {
        const double v = i * 0.01;
        double force, moment, f, m;
        stic_contensou_boundary(v, &force, &moment);
        boundary_reference(v, &f, &m);
        // the closed form loses v^3 and v^4 roundings
        worst = test_worse(worst, fabs(force - f) / (1.0 + v * v * v));
        worst = test_worse(worst, fabs(moment - m) / (1.0 + v * v * v * v));
    }
    for (double v = 200.0; v < 1e8; v *= 1.7) {
        double force, moment;
        stic_contensou_boundary(v, &force, &moment);
        // what the first neglected terms allow: 3/280 v^-4 and 1/14 v^-2
        tail = test_worse(tail, fabs(force - (1.0 - 0.1 / (v * v))) / (0.011 / pow(v, 4) + 3e-16));
        tail = test_worse(tail, fabs(moment * v * 15.0 * acos(-1.0) / 16.0 - 1.0) /
                                    (0.072 / (v * v) + 1e-15));
    }
    print_message("boundary against the closed form, in its roundings: %.1e; tail: %.2f\n", worst,
                  tail);
    test_less(worst, 2e-15);
    test_at_most(tail, 1.0);
}

// friction of the patch by quadrature: Hertz' pressure, pointwise Coulomb
static void patch_quadrature(double v, double* force, double* moment)
{
    const double pi = acos(-1.0);
    const int radial = 600, angular = 600;
    double sum_force = 0.0, sum_moment = 0.0;
    for (int i = 0; i < radial; ++i)
        for (int j = 0; j < angular; ++j) {
            // rho = sin(s) takes the root out of the pressure 3/(2 pi) sqrt(1 - rho^2)
            const double s = (i + 0.5) * 0.5 * pi / radial, angle = (j + 0.5) * pi / angular;
            const double rho = sin(s), step = 0.5 * pi / radial * 2.0 * pi / angular;
            const double weight = 1.5 / pi * cos(s) * cos(s) * rho * step;
            // sliding v along x, unit spin: velocity (v - y, x)
            const double x = rho * cos(angle), y = rho * sin(angle);
            for (int side = -1; side <= 1; side += 2) {
                const double ux = v - side * y, uy = x, speed = sqrt(ux * ux + uy * uy);
                if (speed == 0.0)
                    continue;
                sum_force += 0.5 * weight * ux / speed;
                sum_moment += 0.5 * weight * (x * uy - side * y * ux) / speed;
            }
        }
    *force = sum_force;
    *moment = sum_moment / (3.0 * pi / 16.0);
}

static void test_contensou_quadrature(void** state)
{
    (void)state;
    static const double v[] = {0.1, 0.5, 0.9, 1.0, 1.3, 4.0};
    double worst = 0.0;
    for (size_t i = 0; i < sizeof v / sizeof v[0]; ++i) {
        double force, moment, f, m;
        stic_contensou_boundary(v[i], &force, &moment);
        patch_quadrature(v[i], &f, &m);
        worst = test_worse(worst, fmax(fabs(force - f), fabs(moment - m)));
    }
    print_message("boundary against quadrature over the patch: %.1e\n", worst);
    test_less(worst, 2e-6);
}

// between the disc's ball and the ellipsoid: largest overestimate of the ellipsoid is 6.4 %
static void test_contensou_in_ellipsoid(void** state)
{
    (void)state;
    double least = 1.0, at = 0.0;
    for (int i = 0; i <= 4000; ++i) {
        const double v = tan(i * acos(-1.0) / 8000.0);
        double force, moment;
        stic_contensou_boundary(v, &force, &moment);
        const double radius = sqrt(force * force + moment * moment);
        test_at_most(radius, 1.0 + 1e-15);
        if (radius < least) {
            least = radius;
            at = v;
        }
    }
    print_message("least scaled radius %.4f at v = %.3f\n", least, at);
    test_near(least, 0.940, 5e-4);
    test_near(at, 0.686, 2e-3);
}

// projections from points placed on outward normals: the foot is known
static void test_contensou_normals(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(29);
    double worst = 0.0;
    for (int i = 0; i < 2000; ++i) {
        const double v = tan(stic_random_uniform(&random) * 1.5707),
                     turn = stic_random_range(&random, 0, 6.28);
        const double lever = stic_random_range(&random, 0.01, 2.0), size = 1.7;
        double force, moment;
        stic_contensou_boundary(v, &force, &moment);
        const double nx = v * lever * 16.0 / (3.0 * acos(-1.0)), length = sqrt(nx * nx + 1.0);
        const double away = stic_random_range(&random, 0.0, i % 2 == 0 ? 0.1 : 100.0);
        const double radius = size * force + away * nx / length;
        const double x[3] = {radius * cos(turn), radius * sin(turn),
                             -(size * lever * moment + away / length)};
        const double foot[3] = {size * force * cos(turn), size * force * sin(turn),
                                -size * lever * moment};
        double p[3];
        const SticConvexSet body = stic_set_contensou(size, lever);
        stic_set_prox(&body, x, p);
        worst = test_worse(worst, distance(3, p, foot) / (1.0 + away));
    }
    print_message("feet of %d outward normals: %.1e\n", 2000, worst);
    test_less(worst, 1e-14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_variational_inequality),
        cmocka_unit_test(test_members_inside),
        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_kappa),
        cmocka_unit_test(test_ellipse_brute_force),
        cmocka_unit_test(test_ellipsoid_limits),
        cmocka_unit_test(test_cone_cases),
        cmocka_unit_test(test_rolling_dykstra),
        cmocka_unit_test(test_contensou_table),
        cmocka_unit_test(test_contensou_range),
        cmocka_unit_test(test_contensou_quadrature),
        cmocka_unit_test(test_contensou_in_ellipsoid),
        cmocka_unit_test(test_contensou_normals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

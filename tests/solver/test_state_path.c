// SPDX-License-Identifier: Apache-2.0
// The path of the proximal parameter from event to event: its pieces against the map of Alart and
// Curnier and against divided differences, and problems that it solves from 0 in one run.
#include "paths.h"

#include "helpers/helpers.h"
#include "solver/method/state_path.h"

/* ---- one interaction ---- */

static SticStateContact cone(int32_t rows, SticPathState state)
{
    return (SticStateContact){
        .rows = rows, .law = STIC_LAW_CONE, .mu = 0.7, .rho = 0.4, .state = state};
}

// in its own region each state is the map of Alart and Curnier, written anew here; at random
// points, 2 and 3 rows
static void test_states(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(5);
    int32_t seen[3] = {0};
    double worst = 0.0;
    for (int trial = 0; trial < 3000; ++trial) {
        double x[3], y[3], F[6];
        SticStateContact contact = cone(2 + trial % 2, STIC_PATH_OPEN);
        test_random_vector(&random, 3, -1.0, 1.0, x);
        test_random_vector(&random, 3, -1.0, 1.0, y);
        contact.state = stic_state_law_at(&contact, x, y);
        seen[contact.state] += 1;
        stic_state_law_linearise(&contact, x, y, F, NULL, NULL);
        const double d_N = x[0] - contact.rho * y[0], radius = contact.mu * fmax(d_N, 0.0);
        const double d1 = x[1] - contact.rho * y[1];
        const double d2 = contact.rows == 3 ? x[2] - contact.rho * y[2] : 0.0;
        const double cut = fmin(1.0, radius / sqrt(d1 * d1 + d2 * d2));
        worst = test_worse(worst, fabs(F[0] - (x[0] - fmax(d_N, 0.0))));
        worst = test_worse(worst, fabs(F[1] - (x[1] - cut * d1)));
        if (contact.rows == 3)
            worst = test_worse(worst, fabs(F[2] - (x[2] - cut * d2)));
    }
    print_message("open %d, closed %d, slip %d; largest difference %.1e\n", seen[STIC_PATH_OPEN],
                  seen[STIC_PATH_CLOSED], seen[STIC_PATH_SLIP], worst);
    test_greater(seen[0], 300);
    test_greater(seen[1], 300);
    test_greater(seen[2], 300);
    test_less(worst, 1e-14);
}

// derivatives of F and of margins against central differences of step h: error h^2
static void test_slopes(void** state)
{
    (void)state;
    const double h = 1e-5;
    SticRandom random = stic_random_create(6);
    double worst = 0.0;
    for (int trial = 0; trial < 300; ++trial) {
        double x[3], y[3], dx[3], dy[3], F[6], A[36], B[36], side[2][6], value[2][2];
        SticStateMargin margin[2], other[2];
        const SticStateContact contact = cone(3, (SticPathState)(trial % 3));
        test_random_vector(&random, 3, 0.5, 1.0, x);
        test_random_vector(&random, 3, -1.0, -0.5, y);
        test_random_vector(&random, 3, -1.0, 1.0, dx);
        test_random_vector(&random, 3, -1.0, 1.0, dy);
        stic_state_law_linearise(&contact, x, y, F, A, B);
        const double* dxy[2] = {dx, dy};
        const int32_t count =
            stic_state_law_margins(&contact, (const double* [2]){x, y}, dxy, margin);
        for (int k = 0; k < 2; ++k) {
            double xs[3], ys[3];
            for (int a = 0; a < 3; ++a) {
                xs[a] = x[a] + (k == 0 ? -h : h) * dx[a];
                ys[a] = y[a] + (k == 0 ? -h : h) * dy[a];
            }
            stic_state_law_linearise(&contact, xs, ys, side[k], NULL, NULL);
            stic_state_law_margins(&contact, (const double* [2]){xs, ys}, dxy, other);
            for (int32_t m = 0; m < count; ++m)
                value[k][m] = other[m].value;
        }
        for (int a = 0; a < 3; ++a) {
            double slope = 0.0;
            for (int b = 0; b < 3; ++b)
                slope += A[3 * a + b] * dx[b] + B[3 * a + b] * dy[b];
            worst = test_worse(worst, fabs(slope - (side[1][a] - side[0][a]) / (2.0 * h)));
        }
        for (int32_t m = 0; m < count; ++m)
            worst =
                test_worse(worst, fabs(margin[m].slope - (value[1][m] - value[0][m]) / (2.0 * h)));
    }
    print_message("slopes: largest difference %.1e\n", worst);
    test_less(worst, 1e-8);
}

// powers of F of a sliding contact along given powers of x and y: their sum at s against F there
static void test_powers(void** state)
{
    (void)state;
    enum { N = STIC_STATE_ORDER };
    SticRandom random = stic_random_create(7);
    double memory[3][N + 1][3] = {{{0}}}, worst = 0.0;
    const SticStateContact contact = cone(3, STIC_PATH_SLIP);
    SticStateSeries series;
    for (int k = 0; k <= N; ++k) {
        series.x[k] = memory[0][k];
        series.y[k] = memory[1][k];
        series.slide[k] = memory[2][k];
    }
    for (int trial = 0; trial < 50; ++trial) {
        double F[6], A[36], B[36], sum[3] = {0.0}, x[3] = {0.0}, y[3] = {0.0};
        // |d_1|/|d_0| is at most 3: what is cut off is of the size (3 s)^13 = 1e-16
        const double s = 0.02;
        for (int k = 0; k <= N; ++k) {
            test_random_vector(&random, 3, k == 0 ? 0.5 : -1.0, 1.0, series.x[k]);
            test_random_vector(&random, 3, k == 0 ? -1.0 : -0.5, k == 0 ? -0.5 : 0.5, series.y[k]);
        }
        stic_state_law_linearise(&contact, series.x[0], series.y[0], F, A, B);
        double power = 1.0;
        for (int k = 0; k <= N; ++k, power *= s) {
            double rest[6] = {0.0};
            if (k > 0)
                stic_state_law_rest(&contact, &series, k, rest);
            stic_state_law_slide(&contact, &series, k);
            for (int a = 0; a < 3; ++a) {
                double term = k == 0 ? F[a] : rest[a];
                for (int b = 0; b < 3 && k > 0; ++b)
                    term += A[3 * a + b] * series.x[k][b] + B[3 * a + b] * series.y[k][b];
                sum[a] += power * term;
                x[a] += power * series.x[k][a];
                y[a] += power * series.y[k][a];
            }
        }
        stic_state_law_linearise(&contact, x, y, F, NULL, NULL);
        for (int a = 0; a < 3; ++a)
            worst = test_worse(worst, fabs(sum[a] - F[a]));
    }
    print_message("powers: largest difference %.1e\n", worst);
    test_less(worst, 1e-12);
}

/* ---- paths ---- */

static void run(SticProxNewton* newton, const SticProxNewtonSettings* settings, double* x,
                PathEnd* end)
{
    SticStatePath path;
    assert_true(stic_state_path_takes(&newton->scaled->problem));
    assert_int_equal(stic_state_path_create(newton, &path), STIC_OK);
    stic_state_path_run(&path, settings, 1, x);
    end->points = path.points;
    end->folds = path.folds;
    end->changes = path.events;
}

static void test_monotone(void** state)
{
    (void)state;
    path_monotone(run, 1e-8);
}

// from 0; the pyramid is symmetric: its contacts change in pairs unless the centre is a little off
static void test_piles(void** state)
{
    (void)state;
    static const char* const names[] = {"spheres20-slide", "spheres50-slide", "wall5-slide",
                                        "pyramid5-slide",  "spheres50-hit",   "capsules20",
                                        "chain5",          "spheres100-slide"};
    path_scenes(run, names, sizeof names / sizeof names[0], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_states), cmocka_unit_test(test_slopes), cmocka_unit_test(test_powers),
        cmocka_unit_test(test_monotone), cmocka_unit_test(test_piles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

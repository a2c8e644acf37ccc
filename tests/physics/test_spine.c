// SPDX-License-Identifier: Apache-2.0
// The spine: every model with every scheme. Each cell is an error against the model's reference, or
// the sentence with which the scheme refuses the system. Bounds are the measured errors of first-
// and second-order schemes at the step given, rounded up; a change of a scheme shows here.
#include "helpers/helpers.h"
#include "physics/run.h"

typedef double (*Error)(TestRun* run, double h);

static void advance(TestRun* run, double t, double h)
{
    const SticStatus status = test_run_until(run, t, h);
    if (status != STIC_OK)
        fail_msg("%s with %s: %s", run->model->name, run->scheme->name, run->info.error.text);
}

/* ---- references ---- */

// block sliding to a stop: d = v0^2 / (2 mu g) = 2.548420 m for v0 = 5, mu = 0.5
static double sliding_stop(TestRun* run, double h)
{
    advance(run, 1.2, h);
    return fabs(run->now->q[0] - 25.0 / (2.0 * 0.5 * 9.81)) + fabs(run->now->u[0]);
}

// planar block, v0 = 1, mu = 0.3: both corners slide, x = v0 t - mu g t^2/2
static double block_slide(TestRun* run, double h)
{
    advance(run, 0.1, h);
    return fabs(run->now->q[0] - (0.1 - 0.5 * 0.3 * 9.81 * 0.01)) + fabs(run->now->q[2]);
}

// the same block under its weight does not move when pushed below the friction limit
static double block_rest(TestRun* run, double h)
{
    advance(run, 1.0, h);
    return fabs(run->now->q[0]) + fabs(run->now->q[1] - 0.05) + fabs(run->now->q[2]);
}

// Painlevé rod, mu = 0.5: the slip phase integrated with fourth order in the test
static void rod_rate(const double y[2], double rate[2])
{
    // angle and its rate; contact sliding towards -x (friction along +x), constraint y = l sin th
    const double s = sin(y[0]), c = cos(y[0]), w = y[1], mu = 0.5, g = 9.81;
    // N from m y'' = N - m g and y'' = c a - s w^2; moment about the centre: a/3 = N (mu s - c)
    const double a = 3.0 * (mu * s - c) * (g - s * w * w) / (1.0 - 3.0 * c * (mu * s - c));
    rate[0] = w;
    rate[1] = a;
}

static double rod_slide(TestRun* run, double h)
{
    double y[2] = {1.0, 0.0};
    const int steps = 2000;
    for (int i = 0; i < steps; ++i) {
        const double dt = 0.1 / steps;
        double k[4][2], z[2];
        for (int s = 0; s < 4; ++s) {
            const double part = s == 0 ? 0.0 : s == 3 ? dt : 0.5 * dt;
            for (int c = 0; c < 2; ++c)
                z[c] = y[c] + (s == 0 ? 0.0 : part * k[s - 1][c]);
            rod_rate(z, k[s]);
        }
        for (int c = 0; c < 2; ++c)
            y[c] += dt / 6.0 * (k[0][c] + 2.0 * k[1][c] + 2.0 * k[2][c] + k[3][c]);
    }
    advance(run, 0.1, h);
    return fabs(run->now->q[2] - y[0]) + fabs(run->now->u[2] - y[1]);
}

// bar pressed onto the belt (Acary and Cadoux 4.32): one small step has the reaction m g tan
// th/(tan th + mu) per second
static double bar_reaction(TestRun* run, double h)
{
    advance(run, h, h);
    const double tangent = tan(0.6), expected = tangent / (tangent + 0.5);
    const SticMemory* memory = run->now->memory;
    assert_int_equal(memory->count, 1);
    return fabs(memory->record[0].reaction[0] / h - expected);
}

// oscillator at 0.5 s: x1 = 0.10382 m (limit of two independent schemes at 1e-6 s)
static double oscillator_height(TestRun* run, double h)
{
    advance(run, 0.5, h);
    return fabs(run->now->q[0] - 0.10382);
}

// oscillator resting on its spring: equilibrium x2 = l - (m1 + m2) g/c
static double oscillator_rest(TestRun* run, double h)
{
    advance(run, 20.0 * h, h);
    const double expected = 0.1 - (10.0 + 1e-3) * 9.81 / 4e5;
    return fabs(run->now->q[0] - expected) + fabs(run->now->q[1] - expected);
}

// pendulum at 1 s: (-0.9871705634, 0.8403307208), from the elliptic integral
static double pendulum_position(TestRun* run, double h)
{
    advance(run, 1.0, h);
    return hypot(run->now->q[0] + 0.9871705634, run->now->q[1] - 0.8403307208);
}

static double pendulum_angle(TestRun* run, double h)
{
    advance(run, 1.0, h);
    return fabs(run->now->q[0] - atan2(-0.9871705634, 1.0 - 0.8403307208));
}

// double pendulum at 0.5 s: angles 1.381728132, 2.024965002 (Runge-Kutta in minimal coordinates)
static double double_pendulum(TestRun* run, double h)
{
    advance(run, 0.5, h);
    const double* q = run->now->q;
    const double a1 = atan2(q[0], q[1]), a2 = atan2(q[2] - q[0], q[3] - q[1]);
    return fabs(a1 - 1.381728132) + fabs(a2 - 2.024965002);
}

static double double_pendulum_angles(TestRun* run, double h)
{
    advance(run, 0.5, h);
    return fabs(run->now->q[0] - 1.381728132) + fabs(run->now->q[1] - 2.024965002);
}

// Möller's counter-example: the impact gains 1 J
static double clutch_gain(TestRun* run, double h)
{
    advance(run, h, h);
    return fabs(test_run_energy(run) - 2.0) + fabs(run->now->u[0]) + fabs(run->now->u[1] - 2.0);
}

// the same impact without restitution: both masses stop
static double clutch_plastic(TestRun* run, double h)
{
    advance(run, h, h);
    return fabs(run->now->u[0]) + fabs(run->now->u[1]);
}

// woodpecker at 0.01 … 0.10 s: (y, phi) of the limit of two schemes at 1e-6 s, largest error in
// units of the amplitudes 7e-3 m and 0.5 rad
static double woodpecker_until(TestRun* run, double h, double end)
{
    static const double table[][3] = {
        {0.01, -2.932405e-3, -0.358732}, {0.02, -4.373548e-3, -0.452310},
        {0.03, -4.407447e-3, -0.526191}, {0.05, -4.407447e-3, -0.392983},
        {0.07, -4.696855e-3, -0.053158}, {0.08, -7.2207e-3, 0.102616},
        {0.09, -6.849e-3, 0.06580},      {0.10, -7.067e-3, 0.0077},
    };
    double worst = 0.0;
    for (size_t i = 0; i < sizeof table / sizeof table[0] && table[i][0] <= end; ++i) {
        advance(run, table[i][0], h);
        worst = test_worse(worst, fabs(run->now->q[0] - table[i][1]) / 7e-3);
        worst = test_worse(worst, fabs(run->now->q[2] - table[i][2]) / 0.5);
    }
    return worst;
}

static double woodpecker(TestRun* run, double h)
{
    return woodpecker_until(run, h, 0.1);
}

static double woodpecker_start(TestRun* run, double h)
{
    return woodpecker_until(run, h, 0.07);
}

// wheel at 0.5 s: phi = -0.9060, phi' = -1.4702 (variant 0, restitution 0)
static double wheel(TestRun* run, double h)
{
    advance(run, 0.5, h);
    return fabs(run->now->q[0] + 0.9060) + fabs(run->now->u[0] + 1.4702);
}

// tippe top: the axis passes the horizontal at 0.9729 s
static double tippe_top(TestRun* run, double h)
{
    const bool matrix = run->system->layout.chart[0] == STIC_CHART_ROTATION;
    for (int k = 1; run->now->t < 1.1; ++k) {
        assert_int_equal(test_run_step(run, k * h), STIC_OK);
        const double* q = run->now->q;
        const double axis = matrix ? q[11] : q[3] * q[3] - q[4] * q[4] - q[5] * q[5] + q[6] * q[6];
        if (axis <= 0.0)
            return fabs(run->now->t - 0.9729);
    }
    return 1.0;
}

// torque-free body of Koziara 5.2.4 at t = 100: body momentum
static double free_body(TestRun* run, double h)
{
    advance(run, 100.0, h);
    const double* omega =
        run->now->u + (run->system->layout.chart[0] == STIC_CHART_SCALABLE ? 4 : 3);
    const double expected[3] = {0.6615686039, 0.6341307090, 0.4000247709};
    const double J[3] = {0.9144, 1.098, 1.66};
    double square = 0.0;
    for (int i = 0; i < 3; ++i)
        square += (J[i] * omega[i] - expected[i]) * (J[i] * omega[i] - expected[i]);
    return sqrt(square);
}

// skate on a slope (Neimark and Fufaev): x = a/(2 w^2) sin^2 w t, y = a/(2 w^2) (w t - sin(2 w
// t)/2)
static double skate(TestRun* run, double h)
{
    advance(run, 1.0, h);
    const double scale = 2.0 / (2.0 * 1.5 * 1.5), s = sin(1.5);
    return hypot(run->now->q[0] - scale * s * s, run->now->q[1] - scale * (1.5 - 0.5 * sin(3.0)));
}

// quasi-static scheme where no equilibrium exists: from rest its velocity over h is the
// acceleration that the event-driven scheme finds for the same state
static double rest_acceleration(TestRun* run, double h)
{
    TestRun other;
    SticError error = {0};
    assert_int_equal(test_run_open(&other, run->model->name, "event", "", "", &error), STIC_OK);
    memset(other.now->u, 0, (size_t)other.system->layout.nu * sizeof(double));
    memset(run->now->u, 0, (size_t)run->system->layout.nu * sizeof(double));
    const double t = 1e-6;
    assert_int_equal(test_run_step(&other, t), STIC_OK);
    advance(run, h, h);
    double worst = 0.0, scale = 1.0;
    for (int i = 0; i < run->system->layout.nu; ++i) {
        worst = test_worse(worst, fabs(run->now->u[i] / h - other.now->u[i] / t));
        scale = test_worse(scale, fabs(other.now->u[i] / t));
    }
    test_run_close(&other);
    return worst / scale;
}

// the same next to one explicit step from rest, for models that the event-driven scheme refuses
static double rest_step(TestRun* run, double h)
{
    TestRun other;
    SticError error = {0};
    assert_int_equal(
        test_run_open(&other, run->model->name, "theta", "", "theta=0 activation=current", &error),
        STIC_OK);
    memset(other.now->u, 0, (size_t)other.system->layout.nu * sizeof(double));
    memset(run->now->u, 0, (size_t)run->system->layout.nu * sizeof(double));
    other.stepper->solve.settings.tolerance = 1e-10;
    // surely in contact
    other.now->q[2] -= 1e-6;
    run->now->q[2] -= 1e-6;
    assert_int_equal(test_run_step(&other, h), STIC_OK);
    advance(run, h, h);
    double worst = 0.0, scale = 0.0;
    for (int i = 0; i < run->system->layout.nu; ++i) {
        worst = test_worse(worst, fabs(run->now->u[i] - other.now->u[i]));
        scale = test_worse(scale, fabs(other.now->u[i]));
    }
    test_run_close(&other);
    return worst / scale;
}

/* ---- the table ---- */

enum { SCHEMES = 9 };
static const char* const schemes[SCHEMES] = {"moreau",     "koziara", "consistent",
                                             "decomposed", "relaxed", "quasi-static",
                                             "event",      "theta",   "penalty"};

typedef struct Cell {
    double h;     // step; 0: the scheme must refuse
    double bound; // of the error
    const char* settings;
} Cell;

typedef struct Row {
    const char* model;
    const char* parameters;
    Error error, error_at_rest; // at rest: what the quasi-static scheme is asked
    Cell cell[SCHEMES];
} Row;

// one cell pulled along x without lateral contraction: half of its mass on a spring E A/L, which
// begins at rest, x = (pull L/E)(1 - cos(sqrt(2 E/rho) t/L)); relative to pull L/E
static double elastic_swing(TestRun* run, double h)
{
    advance(run, 0.02, h);
    return fabs(run->now->q[0] / 1e-4 - (1.0 - cos(sqrt(2e4) * run->now->t)));
}

static double elastic_rest(TestRun* run, double h)
{
    advance(run, 5.0 * h, h);
    return fabs(run->now->q[0] / 1e-4 - 1.0);
}

#define REFUSED                                                                                    \
    {                                                                                              \
        0.0, 0.0, NULL                                                                             \
    }

// clang-format off
static const Row rows[] = {
    {"point-mass", "vx=5", sliding_stop, rest_acceleration,
     // the energy-consistent schemes stick with a velocity that alternates in sign (Möller 5.7.2): mu g h/2 at most
     {{1e-3, 6e-7, ""}, {1e-3, 6e-7, ""}, {1e-3, 2.5e-3, ""}, {1e-3, 2.5e-3, ""}, {1e-3, 7e-7, ""}, {1e-3, 1e-12, ""}, {0.1, 1e-10, ""}, {1e-3, 6e-7, ""}, {1e-3, 3e-3, ""}}},
    // contacts that chatter between closed and just open by rounding would sink by g h^2/2: activation tolerance
    {"planar-block", "vx=1", block_slide, block_rest,
     {{1e-3, 3e-5, ""}, {1e-3, 3e-5, ""}, {1e-3, 1e-12, "activation=1e-9"}, {1e-3, 1e-12, "activation=1e-9"}, {1e-3, 1e-10, ""}, {0.1, 1e-9, ""}, {0.1, 1e-9, ""}, {1e-3, 1e-12, ""}, {1e-3, 2e-4, ""}}},
    {"painleve-rod", "", rod_slide, rest_acceleration,
     {{1e-3, 1e-5, ""}, {1e-3, 1e-5, ""}, {1e-3, 6e-5, ""}, {1e-3, 6e-5, ""}, {1e-3, 1e-9, ""}, {1e-3, 1e-9, ""}, {0.1, 3e-8, ""}, {1e-3, 1.2e-5, ""}, {1e-3, 2e-4, ""}}},
    {"bar", "", bar_reaction, rest_acceleration,
     {{1e-3, 1e-12, ""}, {1e-3, 1e-12, ""}, {1e-3, 1e-6, ""}, {1e-3, 1e-6, ""}, {1e-3, 1e-12, ""}, {1e-3, 1e-9, ""}, {1e-3, 1e-12, ""}, {1e-3, 1e-12, ""}, {1e-3, 1.5e-6, "stiffness=1e12 time=0"}}},
    {"oscillator", "", oscillator_height, oscillator_rest,
     {{1e-5, 1e-4, ""}, {1e-5, 1e-4, ""}, {1e-3, 3e-3, ""}, {1e-3, 3e-3, ""}, {1e-2, 1e-4, "delta=1e-5 zeta=2 step=5e-6"}, {1.0, 1e-8, ""}, {0.1, 1e-4, ""}, {1e-5, 1e-4, ""}, {1e-5, 4e-3, ""}}},
    {"pendulum", "", pendulum_position, rest_acceleration,
     {{1e-3, 1.5e-2, ""}, {1e-3, 4e-6, ""}, {1e-3, 3e-6, ""}, {1e-3, 3e-6, ""}, {0.1, 1e-9, ""}, {1e-3, 1e-9, ""}, {0.1, 1e-6, ""}, {1e-3, 3e-6, ""}, {1e-3, 1.5e-3, ""}}},
    {"pendulum-angle", "", pendulum_angle, rest_acceleration,
     {{1e-3, 1e-6, ""}, {1e-3, 1e-6, ""}, {1e-3, 1e-6, ""}, {1e-3, 1e-6, ""}, {0.1, 1e-9, ""}, {1e-3, 1e-5, ""}, {0.1, 1e-8, ""}, {1e-3, 1.5e-6, ""}, {1e-3, 1.5e-3, ""}}},
    {"double-pendulum", "", double_pendulum, rest_acceleration,
     {{1e-3, 2e-2, ""}, {1e-3, 3e-6, ""}, {1e-3, 3e-6, ""}, {1e-3, 3e-6, ""}, {0.1, 2e-9, ""}, {1e-3, 1e-6, ""}, {0.1, 3e-7, ""}, {1e-3, 3e-6, ""}, {1e-3, 4e-4, ""}}},
    {"double-pendulum-angles", "", double_pendulum_angles, NULL,
     {{1e-3, 1e-3, ""}, REFUSED, REFUSED, {1e-3, 2e-2, ""}, {0.1, 2e-9, ""}, REFUSED, {0.1, 3e-7, ""}, {1e-3, 2e-4, ""}, {1e-3, 1.5e-3, ""}}},
    {"sprag-clutch", "", clutch_gain, rest_acceleration,
     // the relaxed ODE has one restitution for all: the plastic limit of large zeta, e(10) = 2.4e-3
     {{1e-3, 1e-8, ""}, {1e-3, 1e-8, ""}, {1e-3, 1e-8, ""}, {1e-3, 1e-8, ""}, {0.05, 5e-3, "zeta=10 step=2e-5"}, {1e-3, 1e-12, ""}, {1e-3, 1e-8, ""}, {1e-3, 1e-8, ""}, {1e-3, 6e-4, "stiffness=1e9 time=1e-3"}}},
    {"woodpecker", "", woodpecker, rest_acceleration,
     // the relaxed ODE is compared before the beak strikes with its restitution of one half
     {{1e-5, 5e-4, ""}, {1e-5, 5e-4, ""}, {1e-5, 1e-3, ""}, {1e-5, 1e-3, ""}, {1e-3, 1e-2, "delta=1e-5 zeta=2 step=1e-5"}, {1e-5, 1e-4, ""}, {1e-2, 2e-3, ""}, {1e-5, 5e-4, ""}, {1e-5, 4.5e-3, "stiffness=1e5 time=1e-3"}}},
    {"wheel", "", wheel, rest_acceleration,
     {{1e-3, 1e-4, "law=velocity rotation=explicit"}, {1e-3, 2e-4, ""}, {1e-3, 2e-4, ""}, {1e-3, 2e-4, ""}, {1e-2, 5e-4, ""}, {1e-3, 1e-4, ""}, {0.1, 5e-4, ""}, {1e-3, 5e-4, ""}, {1e-3, 2e-3, ""}}},
    {"tippe-top", "", tippe_top, rest_step,
     {{1e-5, 5e-5, ""}, {1e-5, 1e-4, ""}, {1e-4, 3e-4, ""}, {1e-4, 3e-4, "midpoint=1"}, REFUSED, {1e-3, 1e-8, ""}, REFUSED, {1e-4, 1e-3, ""}, {1e-5, 5e-2, "stiffness=1e4"}}},
    {"free-body", "J1=0.9144 J2=1.098 J3=1.66 omega1=0.45549 omega2=0.82623 omega3=0.03476", free_body, rest_acceleration,
     {{1e-2, 2e-2, ""}, {1e-2, 4e-5, ""}, {1e-2, 5e-6, ""}, {1e-2, 1e-4, "midpoint=1"}, {1.0, 1e-9, "step=1e-2"}, {1e-3, 1e-12, ""}, {1.0, 1e-9, ""}, {1e-2, 1e-5, ""}, {1e-3, 2e-3, ""}}},
    {"skate", "", skate, rest_acceleration,
     {{1e-3, 8e-4, ""}, {1e-3, 8e-4, ""}, {1e-3, 8e-4, ""}, {1e-3, 8e-4, ""}, {0.1, 1e-10, ""}, {1e-3, 1e-9, ""}, {0.1, 2e-9, ""}, {1e-3, 8e-4, ""}, {1e-3, 1.5e-3, ""}}},
    {"elastic-box", "cell=hex8 cells_x=1 material=linear poisson=0 gravity=0 floor=0 held=1 pull=1000", elastic_swing, elastic_rest,
     {{1e-4, 1e-4, ""}, {1e-4, 1e-4, ""}, {1e-4, 1e-4, ""}, {1e-4, 1e-4, ""}, {0.01, 1e-7, ""}, {1.0, 1e-12, ""}, {0.01, 1e-7, ""}, {1e-4, 1e-4, ""}, {1e-4, 2e-2, ""}}},
};
// clang-format on

// references that a scheme needs in place of the model's own
static Error error_of(const Row* row, int scheme)
{
    if (strcmp(schemes[scheme], "quasi-static") == 0)
        return row->error_at_rest;
    // relaxed has one restitution for all, penalty has none
    const bool plastic =
        strcmp(schemes[scheme], "relaxed") == 0 || strcmp(schemes[scheme], "penalty") == 0;
    if (plastic && row->error == clutch_gain)
        return clutch_plastic;
    if (plastic && row->error == woodpecker)
        return woodpecker_start;
    return row->error;
}

static void check_cell(const Row* row, int scheme)
{
    const Cell* cell = &row->cell[scheme];
    TestRun run;
    SticError error = {0};
    const double start = stic_timer_seconds();
    const SticStatus status =
        test_run_open(&run, row->model, schemes[scheme], row->parameters, cell->settings, &error);
    if (cell->h == 0.0) {
        printf("%-23s %-13s refused: %s\n", row->model, schemes[scheme], error.text);
        assert_int_equal(status, STIC_UNSUPPORTED);
        // one sentence that names both
        assert_non_null(strstr(error.text, row->model));
        assert_non_null(strstr(error.text, schemes[scheme]));
    } else {
        if (status != STIC_OK)
            fail_msg("%s with %s: %s", row->model, schemes[scheme], error.text);
        run.stepper->solve.settings.tolerance = 1e-10;
        const double value = error_of(row, scheme)(&run, cell->h);
        printf("%-23s %-13s h %-6g error %-9.3g bound %-8g %5.2f s\n", row->model, schemes[scheme],
               cell->h, value, cell->bound, stic_timer_seconds() - start);
        if (!(value <= cell->bound))
            fail_msg("%s with %s: error %g above %g", row->model, schemes[scheme], value,
                     cell->bound);
        assert_int_equal(run.unsolved, 0);
    }
    test_run_close(&run);
}

static void test_table(void** state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
        for (int scheme = 0; scheme < SCHEMES; ++scheme)
            check_cell(&rows[i], scheme);
}

// every registered scheme and model has a column and a row
static void test_complete(void** state)
{
    (void)state;
    int count = 0;
    for (; stic_scheme_table[count].name != NULL; ++count) {
        bool found = false;
        for (int k = 0; k < SCHEMES; ++k)
            found = found || strcmp(schemes[k], stic_scheme_table[count].name) == 0;
        assert_true(found);
    }
    assert_int_equal(count, SCHEMES);
    for (count = 0; stic_model_table[count] != NULL; ++count) {
        bool found = false;
        for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k)
            found = found || strcmp(rows[k].model, stic_model_table[count]->name) == 0;
        assert_true(found);
    }
}

/* ---- orders of convergence and blow-up ---- */

static double error_at(const char* model, const char* scheme, Error error, double h)
{
    TestRun run;
    SticError refusal = {0};
    assert_int_equal(test_run_open(&run, model, scheme, "", "", &refusal), STIC_OK);
    run.stepper->solve.settings.tolerance = 1e-12;
    const double value = error(&run, h);
    test_run_close(&run);
    return value;
}

// Koziara 13.4.1: error ratio 4 per halving for the pendulum; the same for D2 and E2
static void test_order(void** state)
{
    static const char* const names[] = {"koziara", "consistent", "decomposed"};
    (void)state;
    for (int i = 0; i < 3; ++i) {
        const double coarse = error_at("pendulum", names[i], pendulum_position, 1.0 / 512);
        const double fine = error_at("pendulum", names[i], pendulum_position, 1.0 / 1024);
        printf("pendulum %-11s errors %.4g %.4g ratio %.3f\n", names[i], coarse, fine,
               coarse / fine);
        test_less(fabs(coarse / fine - 4.0), 0.02);
    }
}

// Möller 6.1: Moreau's rule blows up above omega h = 2 (h = 1e-4 s) and stays bounded just below
static void test_stability(void** state)
{
    (void)state;
    for (int i = 0; i < 2; ++i) {
        TestRun run;
        SticError error = {0};
        const double h = i == 0 ? 1.1e-4 : 9.9e-5;
        double energy = 0.0;
        assert_int_equal(test_run_open(&run, "oscillator", "moreau", "", "", &error), STIC_OK);
        for (int k = 1; k <= 3000 && fabs(energy) < 1e6; ++k) {
            assert_int_equal(test_run_step(&run, k * h), STIC_OK);
            energy = test_run_energy(&run);
        }
        printf("oscillator moreau h %g: energy %.6g J at %.4g s\n", h, energy, run.now->t);
        if (i == 0) {
            test_at_least(energy, 1e6);
        } else {
            test_less(energy, 11.0);
        }
        test_run_close(&run);
    }
}

// Möller 5.111: energy never grows with D2, for every step size
static void test_energy(void** state)
{
    static const double steps[] = {1e-2, 1e-3, 1e-4, 1e-5};
    (void)state;
    for (int i = 0; i < 4; ++i) {
        TestRun run;
        SticError error = {0};
        double worst = 0.0, before;
        assert_int_equal(test_run_open(&run, "oscillator", "decomposed", "", "", &error), STIC_OK);
        run.stepper->solve.settings.tolerance = 1e-13;
        before = test_run_energy(&run);
        for (int k = 1; k <= 0.2 / steps[i]; ++k) {
            assert_int_equal(test_run_step(&run, k * steps[i]), STIC_OK);
            const double energy = test_run_energy(&run);
            worst = test_worse(worst, energy - before);
            before = energy;
        }
        printf("oscillator decomposed h %g: largest increase of energy %.2g J\n", steps[i], worst);
        test_at_most(worst, 1e-12);
        test_run_close(&run);
    }
}

// one period of bounces: the event-driven ball rests at sqrt(2 z/g) (1+e)/(1-e) = 1.354570923 s for
// e = 1/2
static void test_zeno(void** state)
{
    (void)state;
    TestRun run;
    SticError error = {0};
    assert_int_equal(test_run_open(&run, "point-mass", "event", "z=1 restitution=0.5", "", &error),
                     STIC_OK);
    const double rest = 1.354570923;
    assert_int_equal(test_run_step(&run, rest - 1e-5), STIC_OK);
    const double before = fabs(run.now->u[2]) + run.now->q[2];
    assert_int_equal(test_run_step(&run, rest + 1e-5), STIC_OK);
    const double after = fabs(run.now->u[2]) + fabs(run.now->q[2]);
    printf("Zeno ball: |v| + z = %.3g before and %.3g after %.9f s\n", before, after, rest);
    test_greater(before, 1e-6);
    test_less(after, 1e-12);
    test_run_close(&run);
}

// Potra-Anitescu block (m = 1, mu = 0.8, 8 cos t): plateaus of the slips with the event-driven
// scheme
static void test_stick_slip(void** state)
{
    (void)state;
    static const double table[][2] = {
        {2.0, 0.004348570}, {5.0, -0.008697167}, {8.0, 0.004348570}, {10.0, -0.008697167}};
    TestRun run;
    SticError error = {0};
    assert_int_equal(
        test_run_open(&run, "point-mass", "event", "friction=0.8 force=8 frequency=1", "", &error),
        STIC_OK);
    for (int i = 0; i < 4; ++i) {
        advance(&run, table[i][0], 0.5);
        printf("stick-slip at %4.1f s: x = %.9f, exact %.9f\n", table[i][0], run.now->q[0],
               table[i][1]);
        test_less(fabs(run.now->q[0] - table[i][1]), 2e-9);
    }
    test_run_close(&run);
}

// Kikuuwe and Brogliato (104): restitution of the relaxed impact, started at q = 0 with the speed 1
static void test_relaxed_impact(void** state)
{
    static const double zeta[] = {0.1, 0.5, 0.9, 2.0};
    (void)state;
    for (int i = 0; i < 4; ++i) {
        TestRun run;
        SticError error = {0};
        char settings[64];
        const double z = zeta[i];
        const double expected = z < 1.0 ? exp(-z * acos(2.0 * z * z - 1.0) / sqrt(1.0 - z * z))
                                        : exp(-z * acosh(2.0 * z * z - 1.0) / sqrt(z * z - 1.0));
        snprintf(settings, sizeof settings, "delta=1e-3 step=5e-6 zeta=%g", z);
        assert_int_equal(
            test_run_open(&run, "point-mass", "relaxed", "gravity=0 vz=-1", settings, &error),
            STIC_OK);
        assert_int_equal(test_run_step(&run, 0.05), STIC_OK);
        printf("relaxed impact zeta %.1f: restitution %.8f, formula %.8f\n", z, run.now->u[2],
               expected);
        test_less(fabs(run.now->u[2] - expected), 1e-5);
        test_run_close(&run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_complete),   cmocka_unit_test(test_table),
        cmocka_unit_test(test_order),      cmocka_unit_test(test_stability),
        cmocka_unit_test(test_energy),     cmocka_unit_test(test_zeno),
        cmocka_unit_test(test_stick_slip), cmocka_unit_test(test_relaxed_impact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

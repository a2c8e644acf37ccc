// SPDX-License-Identifier: Apache-2.0
// The relaxed ODE against the formulas of Kikuuwe and Brogliato: damping and restitution, duration
// of a collision, decay of slips and of constraint errors, implicit Euler.
#include "helpers/helpers.h"
#include "math/math.h"
#include "physics/run.h"
#include "step/relaxed_way.h"
#include "step/schemes.h"

// damping of a restitution, both ways, and back
static void test_damping(void** state)
{
    (void)state;
    const double touching = stic_relaxed_damping(0.5, true),
                 arriving = stic_relaxed_damping(0.5, false);
    print_message("zeta(e = 0.5): %.7f starting on the surface, %.7f arriving\n", touching,
                  arriving);
    test_less(fabs(touching - 0.2552756), 1e-7);
    test_less(fabs(arriving - 0.2154538), 1e-7);
    for (double e = 0.05; e < 1.0; e += 0.1)
        for (int k = 0; k < 2; ++k)
            test_less(fabs(stic_relaxed_restitution(stic_relaxed_damping(e, k == 1), k == 1) - e),
                      1e-12);
    // the limit at 1 is exp(-2), and the function is continuous there
    test_less(fabs(stic_relaxed_restitution(1.0, true) - exp(-2.0)), 1e-12);
    test_less(fabs(stic_relaxed_restitution(1.0 + 1e-6, true) -
                   stic_relaxed_restitution(1.0 - 1e-6, true)),
              1e-5);
}

// Velocity after the collision of a mass, and when the force vanished: where the gap was
// -2 zeta delta times the velocity, from where it flew freely.
static double collide(const char* parameters, const char* settings, double delta, double zeta,
                      double* duration)
{
    TestRun run;
    SticError error = {0};
    assert_int_equal(test_run_open(&run, "point-mass", "relaxed", parameters, settings, &error),
                     STIC_OK);
    for (int k = 1; k <= 4000; ++k)
        assert_int_equal(test_run_step(&run, 0.005 * k * delta), STIC_OK);
    const double after = run.now->u[2];
    *duration = run.now->t - run.now->q[2] / after - 2.0 * zeta * delta;
    test_run_close(&run);
    return after;
}

// restitution (104) and its order in delta under gravity
static void test_restitution(void** state)
{
    (void)state;
    static const double zeta[] = {0.0, 0.1, 0.3, 0.5, 0.8, 1.0, 1.5};
    for (int k = 0; k < 7; ++k) {
        char settings[128];
        double duration = 0.0;
        snprintf(settings, sizeof settings, "delta=1e-3 zeta=%.17g tolerance=1e-11", zeta[k]);
        const double e = collide("gravity=0 friction=0 vz=-1", settings, 1e-3, zeta[k], &duration);
        const double exact = stic_relaxed_restitution(zeta[k], true);
        const double d = 1.0 - zeta[k] * zeta[k], x = 2.0 * zeta[k] * zeta[k] - 1.0;
        const double time = fabs(d) < 1e-9 ? 2.0
                            : d > 0.0      ? acos(x) / sqrt(d)
                                           : acosh(x) / sqrt(-d);
        print_message("zeta %.1f: e = %.9f, formula %.9f; duration %.7f delta, formula %.6f\n",
                      zeta[k], e, exact, duration / 1e-3, time);
        test_less(fabs(e - exact), 1e-6);
        test_less(fabs(duration / 1e-3 - time), 1e-6);
    }
    // an arriving body with the damping of its restitution
    double duration = 0.0;
    const double arriving = collide("gravity=0 friction=0 z=1e-3 vz=-1 restitution=0.5",
                                    "delta=1e-3 tolerance=1e-11", 1e-3, 0.0, &duration);
    print_message("arriving with e = 0.5: %.9f\n", arriving);
    test_less(fabs(arriving - 0.5), 1e-6);
    // a collision takes time: positions afterwards are late by a first-order term in delta
    double error[2];
    for (int k = 0; k < 2; ++k) {
        char settings[128];
        TestRun run;
        SticError failure = {0};
        snprintf(settings, sizeof settings, "delta=%.17g zeta=0.5 tolerance=1e-11",
                 k == 0 ? 1e-3 : 5e-4);
        assert_int_equal(test_run_open(&run, "point-mass", "relaxed", "gravity=0 friction=0 vz=-1",
                                       settings, &failure),
                         STIC_OK);
        assert_int_equal(test_run_step(&run, 0.1), STIC_OK);
        error[k] = fabs(run.now->q[2] - 0.1 * stic_relaxed_restitution(0.5, true));
        test_run_close(&run);
    }
    print_message("place after an impact: errors %.6e (delta = 1e-3), %.6e (half), ratio %.6f\n",
                  error[0], error[1], error[0] / error[1]);
    test_less(fabs(error[0] / error[1] - 2.0), 1e-4);
}

// a slip that is held decays as exp(-2 zeta t/delta), to nothing: no creep under load
static void test_sticking(void** state)
{
    (void)state;
    static const double zeta[] = {0.5, 1.0};
    for (int k = 0; k < 2; ++k) {
        TestRun run;
        SticError error = {0};
        char settings[128];
        snprintf(settings, sizeof settings, "delta=1e-3 zeta=%g tolerance=1e-13", zeta[k]);
        assert_int_equal(test_run_open(&run, "point-mass", "relaxed",
                                       "friction=0.8 force=5 vx=1e-6", settings, &error),
                         STIC_OK);
        assert_int_equal(test_run_step(&run, 2e-3), STIC_OK);
        const double early = run.now->u[0];
        assert_int_equal(test_run_step(&run, 4e-3), STIC_OK);
        const double rate = log(early / run.now->u[0]) / 2.0;
        assert_int_equal(test_run_step(&run, 50e-3), STIC_OK);
        print_message("slip at zeta %.1f: decays by exp(-%.9f t/delta), %.1e m/s after 50 delta\n",
                      zeta[k], rate, fabs(run.now->u[0]));
        test_less(fabs(rate - 2.0 * zeta[k]), 1e-6);
        test_less(fabs(run.now->u[0]), 1e-12);
        test_run_close(&run);
    }
}

// a mass at rest on the floor under a push that friction holds: the relaxed law lets it stay, the
// penalty with the same time constant lets it creep to lambda/K, in proportion to the load
static void test_creep(void** state)
{
    (void)state;
    static const double push[] = {2.0, 5.0};
    const double delta = 1e-3, K = 1.0 / (delta * delta);
    print_message("after 50 delta       push N    x, m        v, m/s\n");
    for (int k = 0; k < 4; ++k) {
        TestRun run;
        SticError error = {0};
        char parameters[64], settings[96];
        snprintf(parameters, sizeof parameters, "friction=0.8 force=%g", push[k % 2]);
        if (k < 2)
            snprintf(settings, sizeof settings, "delta=%g zeta=0.5 tolerance=1e-13", delta);
        else
            snprintf(settings, sizeof settings, "stiffness=%.17g time=%g", K, delta);
        assert_int_equal(test_run_open(&run, "point-mass", k < 2 ? "relaxed" : "penalty",
                                       parameters, settings, &error),
                         STIC_OK);
        // implicit Euler damps by itself: steps of delta/50
        for (int s = 1; s <= 2500; ++s)
            assert_int_equal(test_run_step(&run, s * delta / 50.0), STIC_OK);
        print_message("  %-10s %14.1f %12.3e %12.3e\n", run.scheme->name, push[k % 2],
                      run.now->q[0], run.now->u[0]);
        if (k < 2) {
            test_less(fabs(run.now->q[0]), 1e-12);
            test_less(fabs(run.now->u[0]), 1e-12);
        } else
            test_less(fabs(run.now->q[0] * K / push[k % 2] - 1.0), 1e-6);
        // deviations are in the memory of the state
        if (k >= 2) {
            assert_int_equal(run.now->memory->count, 1);
            test_less(fabs(run.now->memory->record[0].deviation[1] + run.now->q[0]), 1e-15);
            test_less(fabs(run.now->memory->record[0].deviation[0] - 9.81 / K), 1e-12);
        }
        test_run_close(&run);
    }
}

// constraint error of a pendulum that starts off its circle: g'' + 2 zeta/delta g' + g/delta^2 = 0
static void test_baumgarte(void** state)
{
    (void)state;
    static const double zeta[] = {0.5, 1.0, 2.0};
    for (int k = 0; k < 3; ++k) {
        TestRun run;
        SticError error = {0};
        char settings[128];
        const double delta = 1e-2, off = 1e-6, t = 3e-2;
        snprintf(settings, sizeof settings, "delta=%g zeta=%g tolerance=1e-13", delta, zeta[k]);
        assert_int_equal(test_run_open(&run, "pendulum", "relaxed", "", settings, &error), STIC_OK);
        // at the height of the pivot (0, 1): the rod lies along x
        run.now->q[0] = sqrt(1.0 + 2.0 * off);
        assert_int_equal(test_run_step(&run, t), STIC_OK);
        const double x = run.now->q[0], z = run.now->q[1] - 1.0, s = t / delta;
        const double left = 0.5 * (x * x + z * z - 1.0);
        double exact = 0.0;
        if (zeta[k] < 1.0) {
            const double w = sqrt(1.0 - zeta[k] * zeta[k]);
            exact = exp(-zeta[k] * s) * (cos(w * s) + zeta[k] / w * sin(w * s));
        } else if (zeta[k] > 1.0) {
            const double w = sqrt(zeta[k] * zeta[k] - 1.0);
            exact = exp(-zeta[k] * s) * (cosh(w * s) + zeta[k] / w * sinh(w * s));
        } else {
            exact = exp(-s) * (1.0 + s);
        }
        print_message("pendulum, zeta %.1f: error %.6e of 1e-6 left after 3 delta, formula %.6e\n",
                      zeta[k], left / off, exact);
        test_less(fabs(left / off - exact), 1e-8);
        test_run_close(&run);
    }
}

// zeta = 1/2, delta = h: the linearised implicit Euler step of a mass that arrives on the floor,
// g + h u' >= 0, u' = u + h (-g0 + lambda)
static void test_euler(void** state)
{
    (void)state;
    const double h = 1e-3, weight = 9.81;
    TestRun run;
    SticError error = {0};
    assert_int_equal(test_run_open(&run, "point-mass", "relaxed", "friction=0 z=0.01 vz=-1",
                                   "method=euler delta=1e-3 zeta=0.5 step=1e-3 reach=1", &error),
                     STIC_OK);
    double z = 0.01, u = -1.0, worst = 0.0;
    for (int k = 1; k <= 40; ++k) {
        assert_int_equal(test_run_step(&run, h * k), STIC_OK);
        const double freely = u - h * weight;
        u = z + h * freely >= 0.0 ? freely : -z / h;
        z += h * u;
        worst = test_worse(worst, fabs(run.now->q[2] - z) + h * fabs(run.now->u[2] - u));
    }
    print_message("implicit Euler: apart by %.1e m after 40 steps, height %.1e\n", worst,
                  run.now->q[2]);
    test_less(worst, 1e-15);
    test_run_close(&run);
}

// CVODE's stiff methods where delta is far below the step of the run: a mass that falls, is held
// by the floor and by friction, and stays
static void test_bdf(void** state)
{
    (void)state;
#ifdef STIC_HAVE_SUNDIALS
    static const char* const method[] = {"pair", "bdf"};
    int32_t steps[2] = {0, 0};
    for (int k = 0; k < 2; ++k) {
        TestRun run;
        SticError error = {0};
        char settings[128];
        snprintf(settings, sizeof settings, "method=%s delta=1e-5 zeta=1 tolerance=1e-9",
                 method[k]);
        assert_int_equal(test_run_open(&run, "point-mass", "relaxed",
                                       "friction=0.5 force=3 vx=1 z=0.05", settings, &error),
                         STIC_OK);
        for (int s = 1; s <= 60; ++s) {
            assert_int_equal(test_run_step(&run, 0.01 * s), STIC_OK);
            steps[k] += run.info.substeps;
        }
        // falls for t1 with the push of 3 N, then friction 4.905 N minus 3 N, and what the impact
        // takes: mu times the speed of the fall
        const double g = 9.81, t1 = sqrt(2.0 * 0.05 / g), v1 = 1.0 + 3.0 * t1,
                     v2 = v1 - 0.5 * g * t1, a = 0.5 * g - 3.0;
        const double x = t1 + 1.5 * t1 * t1 + v2 * v2 / (2.0 * a);
        print_message("%s: rests at %.9f, exact limit %.9f, speed %.1e m/s, %d internal steps, "
                      "%d unsolved\n",
                      method[k], run.now->q[0], x, fabs(run.now->u[0]), steps[k], run.unsolved);
        // a collision lasts some delta, in which friction brakes: first order in delta
        test_less(fabs(run.now->q[0] - x), 2e-4);
        // what rests moves by no more than the tolerance of the step lets it
        test_less(fabs(run.now->u[0]), 1e-9);
        test_less(fabs(run.now->q[2]), 1e-8);
        test_run_close(&run);
    }
    test_less(steps[1], steps[0] / 5);
#else
    skip();
#endif
}

// the ways of the algebraic inclusion on a mass that slides under friction: exact ones agree with
// the formula, the convex one lifts off, facets brake along their own directions
static void test_ways(void** state)
{
    (void)state;
    const double v = hypot(1.0, 0.4), t = 0.1, exact = v - 0.5 * 9.81 * t;
    for (int k = 0; stic_way_names[k] != NULL; ++k) {
        TestRun run;
        SticError error = {0};
        char settings[128];
        snprintf(settings, sizeof settings, "delta=1e-3 zeta=0.5 tolerance=1e-11 way=%s",
                 stic_way_names[k]);
        assert_int_equal(test_run_open(&run, "point-mass", "relaxed", "friction=0.5 vx=1 vy=0.4",
                                       settings, &error),
                         STIC_OK);
        assert_int_equal(test_run_step(&run, t), STIC_OK);
        const double apart = fabs(hypot(run.now->u[0], run.now->u[1]) - exact);
        const bool known = stic_way_is_exact(k);
        print_message("way %-10s %-11s speed off by %.1e m/s, height %.2e m, error %.1e\n",
                      stic_way_names[k], known ? "exact" : "approximate", apart, run.now->q[2],
                      run.info.solve.errors.unit_free);
        assert_int_equal(run.unsolved, 0);
        if (known || k == 3) {
            test_less(apart, 1e-7);
            test_less(fabs(run.now->q[2]), 1e-9);
        }
        // it floats at about mu |u_T| delta, where the gap term stands against the slip
        if (k == 2) {
            test_greater(run.now->q[2], 1e-4);
            test_less(run.now->q[2], 1e-3);
        }
        if (k == 5)
            test_greater(apart, 1e-6);
        test_run_close(&run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_damping),  cmocka_unit_test(test_restitution),
        cmocka_unit_test(test_sticking), cmocka_unit_test(test_baumgarte),
        cmocka_unit_test(test_euler),    cmocka_unit_test(test_bdf),
        cmocka_unit_test(test_ways),     cmocka_unit_test(test_creep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// The energy-consistent schemes (Möller 2011): stiff springs and dampers, joints on both levels,
// the variants of the family, what each of them promises. Numbers without a formula are those of
// independent implementations of the schemes.
#include "physics/run.h"

#include "helpers/helpers.h"
#include "helpers/joints.h"
#include "physics/double_pendulum.h"

static const char* const both[] = {"consistent", "decomposed"};

/* ---- springs and dampers between bodies ---- */

// two masses of 1 kg on a spring along x, or one on a spring to the ground
static void open_spring(TestWorld* tw, bool ground, double k, double c)
{
    const SticWorldDef def = test_joint_gravity(stic_vec3_zero());
    SticBodyId body[2];
    test_world_open(tw, NULL, &def);
    for (int i = 0; i < 2; ++i) {
        SticBodyDef made = stic_body_default_def();
        made.mass = 1.0;
        made.inertia = stic_mat3_diag(stic_vec3(1e-3, 1e-3, 1e-3));
        made.position = stic_vec3(i, 0.0, 0.0);
        made.velocity = stic_vec3(i == 0 ? 0.1 : -0.1, 0.0, 0.0);
        TEST_TRY(tw, stic_body_create(tw->world, &made, &body[i], &tw->error));
    }
    SticJointDef spring = stic_joint_default_def();
    spring.kind = STIC_JOINT_SPAN;
    spring.body[0] = ground ? test_ground : body[0];
    spring.body[1] = body[1];
    spring.frame[0].point = stic_vec3_zero();
    spring.frame[1].point = stic_vec3_zero();
    spring.spring = (SticSpring){.stiffness = k, .damping = c, .rest = 1.0};
    test_joint_add(tw, &spring);
}

static void test_stiff(void** state)
{
    static const double stiffness[] = {1e4, 1e5, 1e6};
    (void)state;
    for (int e = 0; e < 12; ++e) {
        TestWorld tw;
        double worst = 0.0;
        int32_t most = 0;
        open_spring(&tw, e % 2 == 1, stiffness[e / 4], 0.0);
        test_world_run(&tw, both[e / 2 % 2], "", 1e-2, 1e-10);
        const double start = test_joint_energy(&tw);
        for (int i = 0; i < 100; ++i) {
            test_world_steps(&tw, 1);
            most = tw.info.newton > most ? tw.info.newton : most;
            worst = test_worse(worst, fabs(test_joint_energy(&tw) - start));
        }
        printf("spring of %g N/m %s, h = 1e-2, %s: at most %d iterations, energy off by %.1e of "
               "%g J\n",
               stiffness[e / 4], e % 2 == 1 ? "to the ground" : "between two masses",
               both[e / 2 % 2], most, worst, start);
        test_at_most(most, 6);
        test_less(worst, 1e-12);
        test_world_close(&tw);
    }
}

static void test_dampers(void** state)
{
    static const double damping[] = {400.0, 1000.0};
    (void)state;
    for (int e = 0; e < 4; ++e) {
        TestWorld tw, other;
        double apart = 0.0, gain = 0.0, ledger = 0.0;
        open_spring(&tw, false, 1e4, damping[e / 2]);
        open_spring(&other, false, 1e4, damping[e / 2]);
        test_world_run(&tw, both[e % 2], "", 1e-2, 1e-12);
        test_world_run(&other, "theta", "theta=0.5 newton_tolerance=1e-14", 1e-2, 1e-12);
        double before = test_joint_energy(&tw);
        for (int i = 0; i < 50; ++i) {
            test_world_steps(&tw, 1);
            test_world_steps(&other, 1);
            const double now = test_joint_energy(&tw);
            gain = test_worse(gain, now - before);
            ledger = test_worse(ledger, fabs(tw.info.ledger.integration));
            before = now;
            for (int b = 0; b < 2; ++b) {
                const SticTwist a = test_world_motion(&tw, (SticBodyId){(uint32_t)b, 1}),
                                c = test_world_motion(&other, (SticBodyId){(uint32_t)b, 1});
                apart = test_worse(apart, fabs(a.velocity.x - c.velocity.x));
            }
        }
        printf("damper of %g N s/m, %s: %.1e m/s from theta = 1/2, largest gain %.1e J, ledger "
               "closes to %.1e J\n",
               damping[e / 2], both[e % 2], apart, gain, ledger);
        test_less(apart, 1e-8);
        test_at_most(gain, 1e-16);
        test_less(ledger, 1e-14);
        test_world_close(&tw);
        test_world_close(&other);
    }
}

/* ---- joints on both levels ---- */

typedef struct Levels {
    double energy, position, rate;
} Levels;

// worst violations of a model's joints: from a projection of its end states, which measures both
static Levels model_levels(const char* model, const char* scheme, double end, double h)
{
    TestRun run;
    SticError error = {0};
    SticProjection report;
    Levels worst = {0};
    assert_int_equal(test_run_open(&run, model, scheme, "", "newton_tolerance=1e-15", &error),
                     STIC_OK);
    run.stepper->solve.settings.tolerance = 1e-14;
    const double start = test_run_energy(&run);
    for (long k = 1; k <= lround(end / h); ++k) {
        assert_int_equal(test_run_step(&run, (double)k * h), STIC_OK);
        worst.energy = test_worse(worst.energy, fabs(test_run_energy(&run) / start - 1.0));
        // the projection works on a copy
        assert_int_equal(stic_state_copy(&run.system->layout, run.now, run.next), STIC_OK);
        assert_int_equal(stic_step_project(run.stepper, run.system, run.next, &report, &error),
                         STIC_OK);
        worst.position = test_worse(worst.position, report.gap);
        worst.rate = test_worse(worst.rate, report.rate_before);
    }
    assert_int_equal(run.unsolved, 0);
    test_run_close(&run);
    return worst;
}

// Möller 6.2, l = 0.5 m, |v| up to 7 m/s; g and gamma of the model are l times those of the rods
static void test_double_pendulum(void** state)
{
    (void)state;
    for (int s = 0; s < 2; ++s) {
        const Levels worst = model_levels("double-pendulum", both[s], 5.0, 1e-2);
        printf("double pendulum, %s, 5 s at 1e-2: |E/E0 - 1| %.1e, g_S %.1e m2, gamma_S %.1e "
               "m2/s\n",
               both[s], worst.energy, worst.position, worst.rate);
        test_less(worst.energy, 1e-12);
        test_less(worst.position, 1e-15 * 0.5);
        test_less(worst.rate, 1e-14 * 7.0 * 0.5);
    }
}

// heavy top on a point joint: M = 20, l = 0.1, g = 10; the rows of the joint are lengths
static void test_heavy_top(void** state)
{
    (void)state;
    for (int s = 0; s < 2; ++s) {
        TestWorld tw;
        const SticWorldDef def = test_joint_gravity(stic_vec3(0.0, 0.0, -10.0));
        test_world_open(&tw, NULL, &def);
        SticBodyDef body = stic_body_default_def();
        SticBodyId top;
        const SticQuat tilt = test_turn(stic_vec3(1.0, 0.0, 0.0), 0.3);
        const SticVec3 axis = stic_quat_rotate(tilt, stic_vec3(0.0, 0.0, 1.0)),
                       spin = stic_vec3_scale(50.0, axis);
        body.mass = 20.0;
        body.inertia = stic_mat3_diag(stic_vec3(4.8, 4.8, 1.0));
        body.orientation = tilt;
        body.position = stic_vec3_scale(0.1, axis);
        body.angular_velocity = spin;
        TEST_TRY(&tw, stic_body_create(tw.world, &body, &top, &tw.error));
        const SticJointDef foot =
            test_joint_def(&tw, STIC_JOINT_POINT, top, stic_vec3_zero(), stic_vec3(0.0, 0.0, 1.0));
        const SticJointId joint = test_joint_add(&tw, &foot);
        test_world_run(&tw, both[s],
                       s == 0 ? "newton_tolerance=1e-15" : "newton_tolerance=1e-15 midpoint=1",
                       1e-2, 1e-14);
        const double start = test_joint_energy(&tw);
        Levels worst = {0};
        for (int i = 0; i < 500; ++i) {
            test_world_steps(&tw, 1);
            const SticState* now = stic_run_state(tw.run);
            const SticJointView seen = stic_world_joint(tw.system, now, joint);
            const SticTwist motion = test_world_motion(&tw, top);
            const SticVec3 arm = stic_vec3_neg(test_world_place(&tw, top));
            const SticVec3 rate =
                stic_vec3_add(motion.velocity, stic_vec3_cross(motion.angular_velocity, arm));
            for (int row = 0; row < seen.rows; ++row)
                worst.position = test_worse(worst.position, fabs(seen.gap[row]));
            worst.rate = test_worse(worst.rate, stic_vec3_norm(rate));
            worst.energy = test_worse(worst.energy, fabs(test_joint_energy(&tw) / start - 1.0));
        }
        printf("heavy top, %s, 5 s at 1e-2: |E/E0 - 1| %.1e, g_S %.1e m, gamma_S %.1e m/s\n",
               both[s], worst.energy, worst.position, worst.rate);
        // |omega| l = 5 m/s
        test_less(worst.energy, 1e-12);
        test_less(worst.position, 1e-15 * 0.1);
        test_less(worst.rate, 1e-14 * 5.0);
        test_world_close(&tw);
    }
}

/* ---- one stage ---- */

// Möller 5.8.1: a mass at rest sinks at delta g h/2 with one stage, and stays with two
static void test_sinking(void** state)
{
    static const double restitution[] = {0.0, 0.5, 1.0};
    (void)state;
    for (int e = 0; e < 6; ++e) {
        TestRun run;
        SticError error = {0};
        char parameters[64];
        const double eps = restitution[e / 2], h = 1e-3;
        const bool one = e % 2 == 0;
        snprintf(parameters, sizeof parameters, "restitution=%g", eps);
        assert_int_equal(test_run_open(&run, "point-mass", "consistent", parameters,
                                       one ? "stages=one activation=1e-9" : "activation=1e-9",
                                       &error),
                         STIC_OK);
        run.stepper->solve.settings.tolerance = 1e-14;
        const double expected = one ? -(1.0 - eps) / (1.0 + eps) * 9.81 * h / 2.0 : 0.0;
        assert_int_equal(test_run_until(&run, 1.0, h), STIC_OK);
        const double first = run.now->q[2];
        assert_int_equal(test_run_until(&run, 2.0, h), STIC_OK);
        const double speed = run.now->q[2] - first;
        printf("resting mass, eps = %g, %s: sinks at %.15f m/s, formula %.15f\n", eps,
               one ? "one stage" : "two stages", speed, expected);
        test_less(fabs(speed - expected), 1e-12);
        test_run_close(&run);
    }
}

/* ---- tippe top at 1e-3 ---- */

typedef struct TopRun {
    const char *scheme, *settings;
    bool elastic;
    double phi[8];   // at 0.5, 1, 1.5, 2, 4, 5, 6, 8 s
    int compared;    // so many of these angles, to their last digit
    double least[2]; // smallest gaps
} TopRun;

static double inclination(const double* q)
{
    return acos(q[3] * q[3] - q[4] * q[4] - q[5] * q[5] + q[6] * q[6]);
}

static void compare_top(const TopRun* expected)
{
    static const int at[8] = {500, 1000, 1500, 2000, 4000, 5000, 6000, 8000};
    TestRun run;
    SticError error = {0};
    double phi[8] = {0.0}, least[2] = {0.0, 0.0}, gain = 0.0;
    char settings[128], parameters[64];
    int next = 0;
    snprintf(settings, sizeof settings, "settle=0 friction=begin %s", expected->settings);
    // The thesis' friction radius 3 pi/16 R is rounded to 2.945e-4 m, by a part of 8e-5. After the
    // handle has touched that is another motion: with restitution 1 it leaves -3.7e-5 and -4.8e-5 m
    // as least gaps instead of -4.4e-5 and -5.1e-5, and phi(8 s) = 1.552 instead of 1.783
    snprintf(parameters, sizeof parameters, "patch_radius=%.17g restitution=%d",
             2.945e-4 * 16.0 / (3.0 * 3.141592653589793), expected->elastic ? 1 : 0);
    assert_int_equal(
        test_run_open(&run, "tippe-top", expected->scheme, parameters, settings, &error), STIC_OK);
    run.stepper->solve.settings.tolerance = 1e-11;
    double before = test_run_energy(&run);
    for (int i = 1; i <= 8000; ++i) {
        assert_int_equal(test_run_step(&run, i * 1e-3), STIC_OK);
        const double *q = run.now->q, axis = cos(inclination(q));
        const double gap[2] = {q[2] + 0.003 * axis - 0.015, q[2] + 0.016 * axis - 0.005};
        for (int c = 0; c < 2; ++c)
            least[c] = gap[c] < least[c] ? gap[c] : least[c];
        if (i == at[next])
            phi[next++] = inclination(q);
        const double energy = test_run_energy(&run);
        gain = test_worse(gain, energy - before);
        before = energy;
    }
    printf("tippe top %s %s%s: phi", expected->scheme, expected->settings,
           expected->elastic ? " eps = 1" : "");
    for (int c = 0; c < 8; ++c)
        printf(" %.5f (%g)", phi[c], expected->phi[c]);
    printf(", least gaps %.2e %.2e (%.1e %.1e), largest gain %.1e J, unsolved %d\n", least[0],
           least[1], expected->least[0], expected->least[1], gain, run.unsolved);
    // the angle at 4 s has one digit less
    for (int c = 0; c < expected->compared; ++c)
        test_near(phi[c], expected->phi[c], c == 4 ? 6e-5 : 1.1e-5);
    // two digits of the reference
    for (int c = 0; c < 2 && expected->compared == 8; ++c)
        test_near(least[c], expected->least[c], -0.03 * expected->least[c]);
    test_less(gain, 1e-16);
    test_equal(run.unsolved, 0);
    test_run_close(&run);
}

// The reference missed its tolerance on 14 steps of the run with matrices of the beginning and on 66
// of that with matrices of the middle, between the fifth and the sixth second, where both spheres
// touch; these are solved here
static void test_tippe_top(void** state)
{
    static const TopRun runs[] = {
        {"consistent",
         "stages=one",
         false,
         {0.50429, 1.53440, 2.56307, 2.60586, 1.8613, 1.34385, 1.19793, 1.19802},
         8,
         {-3.5e-2, -2.0e-2}},
        {"consistent",
         "stages=one",
         true,
         {0.51182, 1.52264, 3.05325, 3.00016, 2.8345, 2.44289, 2.40503, 1.78337},
         8,
         {-4.4e-5, -5.1e-5}},
        {"consistent",
         "",
         false,
         {0.51248, 1.52485, 3.05211, 2.98598, 2.7913, 2.44889, 2.39374, 1.43323},
         8,
         {-4.9e-6, -4.6e-6}},
        {"consistent",
         "begin_directions=1",
         false,
         {0.50950, 1.53109, 2.99818, 2.98037, 3.0344, 2.69930, 2.73741, 1.66714},
         8,
         {-4.4e-4, -2.2e-3}},
        {"decomposed",
         "",
         false,
         {0.80592, 1.99720, 2.96532, 3.04194, 2.8071, 2.45185, 2.38694, 1.99727},
         6,
         {-5.4e-6, -3.3e-5}},
        {"decomposed",
         "begin_directions=1",
         false,
         {0.82322, 2.03234, 2.92446, 3.07803, 3.1145, 3.11214, 3.10936, 3.10259},
         8,
         {-2.4e-2, -2.7e-2}},
        {"decomposed",
         "midpoint=1",
         false,
         {0.52435, 1.57323, 3.03765, 2.97575, 2.8654, 2.44777, 2.41073, 1.65387},
         6,
         {-1.5e-5, -1.2e-5}},
    };
    (void)state;
    for (size_t k = 0; k < sizeof runs / sizeof runs[0]; ++k)
        compare_top(&runs[k]);
}

/* ---- the other variants ---- */

// B1 and B2: free affine body, J = (1, 2, 2.5), omega = (0.1, 2, 0.1), 1000 steps of 0.05 s. B1
// keeps angular momentum and lets constraint velocities alternate, 2.2e-3 at most; B2 the other way
// round
static void test_affine_levels(void** state)
{
    (void)state;
    for (int both_levels = 0; both_levels < 2; ++both_levels) {
        TestWorld tw;
        const SticWorldDef def = test_joint_gravity(stic_vec3_zero());
        test_world_open(&tw, NULL, &def);
        SticBodyDef body = stic_body_default_def();
        SticBodyId id;
        body.mass = 1.0;
        body.inertia = stic_mat3_diag(stic_vec3(1.0, 2.0, 2.5));
        body.angular_velocity = stic_vec3(0.1, 2.0, 0.1);
        TEST_TRY(&tw, stic_body_create(tw.world, &body, &id, &tw.error));
        test_world_system(&tw, STIC_CHART_LINEAR);
        SticRunParts run = stic_run_default_parts();
        tw.scheme = run.scheme = stic_scheme_find("decomposed", &tw.error);
        stic_fields_default(run.scheme->fields, tw.settings);
        TEST_TRY(&tw, stic_fields_set(run.scheme->fields, tw.settings, "levels",
                                      both_levels ? "both" : "position", &tw.error));
        TEST_TRY(&tw, stic_fields_set(run.scheme->fields, tw.settings, "newton_tolerance", "1e-15",
                                      &tw.error));
        run.system = tw.system;
        run.scheme_settings = tw.settings;
        run.step = 0.05;
        TEST_TRY(&tw, stic_run_assemble(&tw.context, &run, &tw.run, &tw.error));
        stic_world_start(tw.world, tw.system, stic_run_state(tw.run));
        const double start = test_joint_energy(&tw);
        double energy = 0.0, rate = 0.0, spin = 0.0;
        for (int k = 0; k < 1000; ++k) {
            test_world_steps(&tw, 1);
            const SticState* now = stic_run_state(tw.run);
            const SticMat3 F = stic_mat3_load(now->q + 3), dF = stic_mat3_load(now->u + 3);
            const SticMat3 S = stic_mat3_transpose_mul(F, dF);
            for (int r = 0; r < 3; ++r)
                for (int c = 0; c <= r; ++c)
                    rate = test_worse(rate, fabs(S.m[r][c] + S.m[c][r]));
            energy = test_worse(energy, fabs(test_joint_energy(&tw) / start - 1.0));
            // L = sum over axes of F E x dF, E = tr(J)/2 - J
            const double E[3] = {1.75, 0.75, 0.25};
            SticVec3 L = stic_vec3_zero();
            for (int c = 0; c < 3; ++c)
                L = stic_vec3_add_scaled(
                    L, E[c], stic_vec3_cross(stic_mat3_column(F, c), stic_mat3_column(dF, c)));
            const SticVec3 exact = stic_vec3(0.1, 4.0, 0.25);
            spin =
                test_worse(spin, stic_vec3_norm(stic_vec3_sub(L, exact)) / stic_vec3_norm(exact));
        }
        printf("affine body, %s: |dE|/E %.1e, constraint velocities %.2e, angular momentum %.1e\n",
               both_levels ? "B2" : "B1", energy, rate, spin);
        test_less(energy, 1e-12);
        if (both_levels) {
            test_less(rate, 1e-13);
            test_greater(spin, 1e-5);
            test_less(spin, 4e-4);
        } else {
            test_greater(rate, 1e-3);
            test_less(rate, 5e-3);
            test_less(spin, 1e-12);
        }
        test_world_close(&tw);
    }
}

// C: energy to rounding, first order; errors at 1 s of an independent implementation (-6.0e-2,
// 8.7e-2) at 1e-2 s and (-6.2e-3, 8.7e-3) at 1e-3 s
static void test_general_mass(void** state)
{
    static const double expected[2][2] = {{-6.0e-2, 8.7e-2}, {-6.2e-3, 8.7e-3}};
    (void)state;
    double exact[4] = {0.0, 0.0, 5.0, 5.0};
    test_double_pendulum_at(1.0, exact);
    for (int k = 0; k < 2; ++k) {
        TestRun run;
        SticError refusal = {0};
        const double h = k == 0 ? 1e-2 : 1e-3;
        double energy = 0.0, error[2];
        assert_int_equal(test_run_open(&run, "double-pendulum-angles", "decomposed", "wall=0",
                                       "newton_tolerance=1e-15", &refusal),
                         STIC_OK);
        const double start = test_run_energy(&run);
        for (long i = 1; i <= lround(1.0 / h); ++i) {
            assert_int_equal(test_run_step(&run, (double)i * h), STIC_OK);
            energy = test_worse(energy, fabs(test_run_energy(&run) / start - 1.0));
        }
        for (int c = 0; c < 2; ++c)
            error[c] = run.now->q[c] - exact[c];
        printf("double pendulum in angles, C, h %g: errors %.3g, %.3g (%g, %g) at 1 s, energy "
               "%.1e\n",
               h, error[0], error[1], expected[k][0], expected[k][1], energy);
        test_less(energy, 1e-13);
        for (int c = 0; c < 2; ++c)
            test_less(fabs(error[c] / expected[k][c] - 1.0), 0.02);
        test_run_close(&run);
    }
}

// D1: elastic wall in one stage, energy to rounding
static void test_one_stage_elastic(void** state)
{
    (void)state;
    TestRun run;
    SticError error = {0};
    double worst = 0.0;
    assert_int_equal(test_run_open(&run, "double-pendulum", "decomposed", "", "stages=one", &error),
                     STIC_OK);
    run.stepper->solve.settings.tolerance = 1e-14;
    const double start = test_run_energy(&run);
    for (int k = 1; k <= 500; ++k) {
        assert_int_equal(test_run_step(&run, k * 1e-2), STIC_OK);
        worst = test_worse(worst, fabs(test_run_energy(&run) / start - 1.0));
    }
    printf("double pendulum with elastic wall, D1, 5 s at 1e-2: |E/E0 - 1| %.1e\n", worst);
    test_less(worst, 1e-12);
    test_equal(run.unsolved, 0);
    test_run_close(&run);
}

// the woodpecker's sleeve sticks from 0.0215 s to 0.06 s: with two stages its velocity alternates
// by some 9e-3 m/s at 1e-3 s, with the mixed variant and with settling it is zero
static void test_sticking(void** state)
{
    static const char* const settings[] = {"settle=0", "stages=mixed", "settle=1"};
    (void)state;
    for (int e = 0; e < 3; ++e) {
        TestRun run;
        SticError error = {0};
        double most = 0.0, gain = 0.0;
        int turns = 0;
        assert_int_equal(test_run_open(&run, "woodpecker", "decomposed", "", settings[e], &error),
                         STIC_OK);
        run.stepper->solve.settings.tolerance = 1e-12;
        double before = 0.0, energy = test_run_energy(&run);
        for (int k = 1; k <= 55; ++k) {
            assert_int_equal(test_run_step(&run, k * 1e-3), STIC_OK);
            gain = test_worse(gain, test_run_energy(&run) - energy);
            energy = test_run_energy(&run);
            if (k <= 30)
                continue;
            most = test_worse(most, fabs(run.now->u[0]));
            turns += run.now->u[0] * before < 0.0 ? 1 : 0;
            before = run.now->u[0];
        }
        printf("sticking sleeve, %-12s: velocity up to %.2e m/s, %d changes of sign in 25 steps, "
               "largest gain %.1e J\n",
               settings[e], most, turns, gain);
        if (e == 0) {
            test_greater(most, 5e-3);
            test_less(most, 1.5e-2);
            test_at_least(turns, 23);
        } else
            test_less(most, 1e-9);
        if (e != 1) {
            test_less(gain, 1e-17);
        }
        test_run_close(&run);
    }
}

// free box, 100 s at 5 ms: energy to 1e-12, |A| to 1e-13
static void test_free_box(void** state)
{
    (void)state;
    TestRun run;
    SticError error = {0};
    double energy = 0.0, unit = 0.0, ledger = 0.0;
    assert_int_equal(test_run_open(&run, "free-body", "consistent",
                                   "J1=1 J2=2 J3=3 omega1=0.1 "
                                   "omega2=2 omega3=0.1",
                                   "newton_tolerance=1e-15", &error),
                     STIC_OK);
    const double start = test_run_energy(&run);
    for (int k = 1; k <= 20000; ++k) {
        assert_int_equal(test_run_step(&run, k * 5e-3), STIC_OK);
        energy = test_worse(energy, fabs(test_run_energy(&run) / start - 1.0));
        ledger = test_worse(ledger, run.info.violation[STIC_PROMISE_ENERGY]);
        const double* A = run.now->q + 3;
        unit = test_worse(unit,
                          fabs(sqrt(A[0] * A[0] + A[1] * A[1] + A[2] * A[2] + A[3] * A[3]) - 1.0));
    }
    printf("free box, 100 s at 5 ms: energy %.1e, |A| - 1 %.1e, ledger closes to %.1e per step\n",
           energy, unit, ledger);
    test_less(energy, 1e-12);
    test_less(unit, 1e-13);
    test_less(ledger, 1e-12);
    test_run_close(&run);
}

// Painlevé: a rod of 1 m and 1 kg at atan 2, its tip slides at 2 m/s against friction 1.5 without a
// reaction that could hold it. A plastic impact without approach stops the tip: omega = 2.68 rad/s
static void test_seized_rod(void** state)
{
    (void)state;
    for (int e = 0; e < 4; ++e) {
        TestWorld tw;
        const double angle = atan(2.0), r = 1e-3, h = e / 2 == 0 ? 1e-3 : 1e-4;
        SticWorldDef def = stic_world_default_def();
        def.gravity = stic_vec3(0.0, 0.0, -9.81);
        def.material.surface = (SticSurface){.friction = 1.5};
        test_world_open(&tw, NULL, &def);
        test_world_plane(&tw, stic_vec3(0.0, 0.0, 1.0), 0.0, (SticMaterialId){0, 0});
        TEST_TRY(&tw,
                 stic_shape_create_capsule(&tw.context, r, 0.5, &tw.shape[tw.shapes], &tw.error));
        SticBodyDef body = stic_body_default_def();
        body.mass = 1.0;
        body.inertia = stic_mat3_diag(stic_vec3(1.0 / 12.0, 1.0 / 12.0, 1e-4));
        body.position = stic_vec3(0.5 * cos(angle), 0.0, 0.5 * sin(angle) + r);
        body.orientation = test_turn(stic_vec3(0.0, 1.0, 0.0), 1.5707963267948966 - angle);
        body.velocity = stic_vec3(-2.0, 0.0, 0.0);
        const SticBodyId rod =
            test_world_add(&tw, &body, tw.shape[tw.shapes++], (SticMaterialId){0, 0});
        test_world_run(&tw, both[e % 2], "", h, 1e-10);
        test_world_steps(&tw, 3);
        const SticTwist motion = test_world_motion(&tw, rod);
        // angular momentum about the tip: J0 omega = m v l/2 sin(angle), J0 = 1/12 + 1/4; then the
        // weight, with the lever l/2 cos(angle); the tip is round, by 1e-3 of the length
        const double J0 = 1.0 / 12.0 + 0.25,
                     expected = (-2.0 * 0.5 * sin(angle) + 3.0 * h * 9.81 * 0.5 * cos(angle)) / J0;
        printf("seized rod, %s, h %g: omega %.4f rad/s, plastic impact %.4f\n", both[e % 2], h,
               motion.angular_velocity.y, expected);
        test_less(fabs(motion.angular_velocity.y - expected), 3e-3 + 5.0 * h);
        test_world_close(&tw);
    }
}

// A box slides to a stop on its four corners and stays: x = v^2/(2 mu g), and no velocity is left,
// although reactions at the corners are not unique and lie at their bounds
static void test_stop(void** state)
{
    static const char* const settings[] = {"", "", "midpoint=1"};
    (void)state;
    for (int e = 0; e < 3; ++e) {
        TestWorld tw;
        SticWorldDef def = stic_world_default_def();
        const double mu = 0.3, v = 2.0, g = 9.81;
        def.gravity = stic_vec3(0.0, 0.0, -g);
        def.material.surface = (SticSurface){.friction = mu};
        test_world_open(&tw, NULL, &def);
        test_world_plane(&tw, stic_vec3(0.0, 0.0, 1.0), 0.0, (SticMaterialId){0, 0});
        const SticBodyId box = test_world_body(&tw, test_world_box(&tw, 0.2, 0.2, 0.05),
                                               stic_vec3(0.0, 0.0, 0.05), stic_vec3(v, 0.0, 0.0));
        test_world_run(&tw, both[e > 0], settings[e], 1e-3, 1e-12);
        test_world_steps(&tw, 1000);
        const SticTwist motion = test_world_motion(&tw, box);
        const double x = test_world_place(&tw, box).x, exact = v * v / (2.0 * mu * g);
        const double left =
            stic_vec3_norm(motion.velocity) + stic_vec3_norm(motion.angular_velocity);
        printf("box slides to a stop, %s %s: %.9f m (%.9f), left with %.1e m/s\n", both[e > 0],
               settings[e], x, exact, left);
        test_near(x, exact, 1e-6);
        test_less(left, 1e-12);
        test_world_close(&tw);
    }
}

// an ellipsoid rocks on a floor from 0.2 rad: the point of contact wanders over it. It must neither
// sink nor swing further than it began
static void test_rocking(void** state)
{
    (void)state;
    for (int s = 0; s < 2; ++s) {
        TestWorld tw;
        SticWorldDef def = stic_world_default_def();
        const double a = 0.1, c = 0.05, tilt = 0.2;
        def.material.surface = (SticSurface){.friction = 1.0};
        test_world_open(&tw, NULL, &def);
        test_world_plane(&tw, stic_vec3(0.0, 0.0, 1.0), 0.0, (SticMaterialId){0, 0});
        TEST_TRY(&tw, stic_shape_create_ellipsoid(&tw.context, stic_vec3(a, c, c),
                                                  &tw.shape[tw.shapes], &tw.error));
        SticBodyDef body = stic_body_default_def();
        body.position = stic_vec3(
            0.0, 0.0, sqrt(c * c * cos(tilt) * cos(tilt) + a * a * sin(tilt) * sin(tilt)));
        body.orientation = test_turn(stic_vec3(0.0, 1.0, 0.0), tilt);
        const SticBodyId id =
            test_world_add(&tw, &body, tw.shape[tw.shapes++], (SticMaterialId){0, 0});
        test_world_run(&tw, both[s], s == 0 ? "" : "midpoint=1", 1e-3, 1e-10);
        const double start = test_joint_energy(&tw);
        double deepest = 0.0, widest = 0.0;
        for (int k = 0; k < 3000; ++k) {
            test_world_steps(&tw, 1);
            const SticPose pose = stic_world_pose(tw.system, stic_run_state(tw.run), id);
            deepest = test_worse(deepest, tw.info.penetration);
            widest = test_worse(widest, fabs(asin(pose.F.m[2][0])));
        }
        const double lost = start - test_joint_energy(&tw);
        printf(
            "rocking ellipsoid, %s, 3 s at 1e-3: penetration %.1e m, swings to %.9f rad, %.1e of "
            "%.4f J lost\n",
            both[s], deepest, widest, lost, start);
        test_less(deepest, 1e-9);
        test_less(widest, tilt + 1e-7);
        test_at_least(lost, 0.0);
        test_less(lost, 1e-4 * start);
        test_world_close(&tw);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stiff),
        cmocka_unit_test(test_dampers),
        cmocka_unit_test(test_double_pendulum),
        cmocka_unit_test(test_heavy_top),
        cmocka_unit_test(test_affine_levels),
        cmocka_unit_test(test_general_mass),
        cmocka_unit_test(test_one_stage_elastic),
        cmocka_unit_test(test_sticking),
        cmocka_unit_test(test_free_box),
        cmocka_unit_test(test_seized_rod),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_rocking),
        cmocka_unit_test(test_sinking),
        cmocka_unit_test(test_tippe_top),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

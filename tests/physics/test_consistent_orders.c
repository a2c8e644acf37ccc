// SPDX-License-Identifier: Apache-2.0
// Orders of the energy-consistent schemes on smooth motion: two for B, E, and D where structure
// matrices are constant or those of mid-step; one for C, and for D with those of the beginning.
#include "physics/run.h"

#include "helpers/helpers.h"
#include "helpers/joints.h"
#include "physics/double_pendulum.h"

// a variant and how much its error falls when the step is halved
typedef struct Variant {
    const char *name, *scheme, *settings;
    double ratio;
} Variant;

static void report(const char* motion, const Variant* variant, double coarse, double fine)
{
    printf("%s, %s (%s %s): errors %.3g, %.3g, order %.3f\n", motion, variant->name,
           variant->scheme, variant->settings, coarse, fine, log2(coarse / fine));
    test_less(fabs(coarse / fine - variant->ratio), 0.08 * variant->ratio);
}

/* ---- free bodies ---- */

static const double J[3] = {1.0, 2.0, 2.5}, spin[3] = {0.4, 1.0, 0.7};

// Euler's equations and the attitude, by Runge-Kutta of fourth order
static void turn_rate(const double y[12], double rate[12])
{
    const SticVec3 omega = stic_vec3_load(y + 9);
    stic_mat3_store(stic_mat3_mul(stic_mat3_load(y), stic_mat3_skew(omega)), rate);
    for (int c = 0; c < 3; ++c) {
        const int a = (c + 1) % 3, b = (c + 2) % 3;
        rate[9 + c] = (J[a] - J[b]) / J[c] * y[9 + a] * y[9 + b];
    }
}

// attitude and omega in body axes after a time
static void turn(double end, double y[12])
{
    const double start[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    memcpy(y, start, sizeof start);
    memcpy(y + 9, spin, sizeof spin);
    const int steps = 4000;
    const double dt = end / steps;
    for (int i = 0; i < steps; ++i) {
        double k[4][12], z[12];
        for (int s = 0; s < 4; ++s) {
            for (int c = 0; c < 12; ++c)
                z[c] = y[c] + (s == 0 ? 0.0 : (s == 3 ? dt : 0.5 * dt) * k[s - 1][c]);
            turn_rate(z, k[s]);
        }
        for (int c = 0; c < 12; ++c)
            y[c] += dt / 6.0 * (k[0][c] + 2.0 * k[1][c] + 2.0 * k[2][c] + k[3][c]);
    }
}

// error of omega in body axes at 2 s
static double free_body_error(const Variant* variant, double h)
{
    TestRun run;
    SticError error = {0};
    double exact[12], square = 0.0;
    turn(2.0, exact);
    assert_int_equal(test_run_open(&run, "free-body", variant->scheme,
                                   "J1=1 J2=2 J3=2.5 omega1=0.4 omega2=1 omega3=0.7",
                                   variant->settings, &error),
                     STIC_OK);
    assert_int_equal(test_run_until(&run, 2.0, h), STIC_OK);
    const double* omega = run.now->u + (run.system->layout.chart[0] == STIC_CHART_SCALABLE ? 4 : 3);
    for (int c = 0; c < 3; ++c)
        square += (omega[c] - exact[9 + c]) * (omega[c] - exact[9 + c]);
    test_run_close(&run);
    return sqrt(square);
}

static void test_free_body(void** state)
{
    static const Variant variants[] = {{"E", "consistent", "", 4.0},
                                       {"D, midpoint", "decomposed", "midpoint=1", 4.0},
                                       {"D", "decomposed", "", 2.0}};
    (void)state;
    for (int k = 0; k < 3; ++k)
        report("free body", &variants[k], free_body_error(&variants[k], 4e-3),
               free_body_error(&variants[k], 2e-3));
}

// largest error of the nine numbers of F at 4 s
static double affine_error(const char* levels, double h)
{
    TestWorld tw;
    const SticWorldDef def = test_joint_gravity(stic_vec3_zero());
    test_world_open(&tw, NULL, &def);
    SticBodyDef body = stic_body_default_def();
    SticBodyId id;
    body.mass = 1.0;
    body.inertia = stic_mat3_diag(stic_vec3_load(J));
    body.angular_velocity = stic_vec3_load(spin);
    TEST_TRY(&tw, stic_body_create(tw.world, &body, &id, &tw.error));
    test_world_system(&tw, STIC_CHART_LINEAR);
    SticRunParts run = stic_run_default_parts();
    tw.scheme = run.scheme = stic_scheme_find("decomposed", &tw.error);
    stic_fields_default(run.scheme->fields, tw.settings);
    TEST_TRY(&tw, stic_fields_set(run.scheme->fields, tw.settings, "levels", levels, &tw.error));
    run.system = tw.system;
    run.scheme_settings = tw.settings;
    run.step = h;
    TEST_TRY(&tw, stic_run_assemble(&tw.context, &run, &tw.run, &tw.error));
    stic_world_start(tw.world, tw.system, stic_run_state(tw.run));
    test_world_steps(&tw, (int)lround(4.0 / h));
    double exact[12], worst = 0.0;
    turn(4.0, exact);
    for (int c = 0; c < 9; ++c)
        worst = test_worse(worst, fabs(stic_run_state(tw.run)->q[3 + c] - exact[c]));
    test_world_close(&tw);
    return worst;
}

static void test_affine(void** state)
{
    static const Variant variants[] = {{"B1", "decomposed", "position", 4.0},
                                       {"B2", "decomposed", "both", 4.0}};
    (void)state;
    for (int k = 0; k < 2; ++k)
        report("free affine body", &variants[k], affine_error(variants[k].settings, 2e-2),
               affine_error(variants[k].settings, 1e-2));
}

/* ---- the double pendulum before it hits the wall ---- */

static double pendulum_error(const Variant* variant, const char* model, double h)
{
    TestRun run;
    SticError error = {0};
    double exact[4] = {0.0, 0.0, 5.0, 5.0}, angle[2];
    test_double_pendulum_at(0.5, exact);
    assert_int_equal(test_run_open(&run, model, variant->scheme, "", variant->settings, &error),
                     STIC_OK);
    assert_int_equal(test_run_until(&run, 0.5, h), STIC_OK);
    const double* q = run.now->q;
    const bool angles = strcmp(model, "double-pendulum") != 0;
    angle[0] = angles ? q[0] : atan2(q[0], q[1]);
    angle[1] = angles ? q[1] : atan2(q[2] - q[0], q[3] - q[1]);
    test_run_close(&run);
    return hypot(angle[0] - exact[0], angle[1] - exact[1]);
}

static void test_double_pendulum(void** state)
{
    static const Variant variants[] = {{"B2", "consistent", "", 4.0},
                                       {"D, Q = I", "decomposed", "", 4.0},
                                       {"C", "decomposed", "", 2.0}};
    (void)state;
    for (int k = 0; k < 3; ++k) {
        const char* model = k == 2 ? "double-pendulum-angles" : "double-pendulum";
        report("double pendulum", &variants[k], pendulum_error(&variants[k], model, 5e-3),
               pendulum_error(&variants[k], model, 2.5e-3));
    }
}

/* ---- a heavy top on a point joint ---- */

// place of its centre after 0.2 s
static SticVec3 top_at(const Variant* variant, double h)
{
    TestWorld tw;
    const SticWorldDef def = test_joint_gravity(stic_vec3(0.0, 0.0, -10.0));
    test_world_open(&tw, NULL, &def);
    SticBodyDef body = stic_body_default_def();
    SticBodyId top;
    const SticQuat tilt = test_turn(stic_vec3(1.0, 0.0, 0.0), 0.3);
    const SticVec3 axis = stic_quat_rotate(tilt, stic_vec3(0.0, 0.0, 1.0));
    body.mass = 20.0;
    body.inertia = stic_mat3_diag(stic_vec3(4.8, 4.8, 1.0));
    body.orientation = tilt;
    body.position = stic_vec3_scale(0.1, axis);
    body.angular_velocity = stic_vec3_scale(20.0, axis);
    TEST_TRY(&tw, stic_body_create(tw.world, &body, &top, &tw.error));
    const SticJointDef foot =
        test_joint_def(&tw, STIC_JOINT_POINT, top, stic_vec3_zero(), stic_vec3(0.0, 0.0, 1.0));
    test_joint_add(&tw, &foot);
    test_world_run(&tw, variant->scheme, variant->settings, h, 1e-13);
    test_world_steps(&tw, (int)lround(0.2 / h));
    const SticVec3 place = test_world_place(&tw, top);
    test_world_close(&tw);
    return place;
}

// the differences of three steps, each half of the one before
static void test_heavy_top(void** state)
{
    static const Variant variants[] = {{"E", "consistent", "", 4.0},
                                       {"D, midpoint", "decomposed", "midpoint=1", 4.0},
                                       {"D", "decomposed", "", 2.0}};
    (void)state;
    for (int k = 0; k < 3; ++k) {
        SticVec3 place[3];
        for (int i = 0; i < 3; ++i)
            place[i] = top_at(&variants[k], 1e-3 / (1 << i));
        report("heavy top", &variants[k], stic_vec3_norm(stic_vec3_sub(place[0], place[1])),
               stic_vec3_norm(stic_vec3_sub(place[1], place[2])));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_body), cmocka_unit_test(test_affine),
        cmocka_unit_test(test_double_pendulum), cmocka_unit_test(test_heavy_top)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

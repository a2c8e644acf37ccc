// SPDX-License-Identifier: Apache-2.0
// Joints of worlds: the examples of Koziara's thesis with joints, and closed forms.
#include "helpers/joints.h"

#include "helpers/helpers.h"
#include "math/math.h"
#include "stiction/extend/joint.h"

static double distance12(const double* a, const double* b)
{
    double sum = 0.0;
    for (int c = 0; c < 12; ++c)
        sum += (a[c] - b[c]) * (a[c] - b[c]);
    return sqrt(sum);
}

/* ---- 13.1.3: rotating plate on a rod ---- */

static SticBodyId open_plate(TestWorld* tw, const char* rotation, double step)
{
    test_world_open(tw, NULL, NULL);
    SticBodyDef def = stic_body_default_def();
    def.mass = 4e-4;
    def.inertia =
        stic_mat3_diag(stic_vec3(4e-4 / 12 * 0.0401, 4e-4 / 12 * 0.0401, 4e-4 / 12 * 0.08));
    def.angular_velocity = stic_vec3(0.0, 0.0, 50.0);
    SticBodyId plate;
    TEST_TRY(tw, stic_body_create(tw->world, &def, &plate, &tw->error));
    test_joint_rod(tw, plate, stic_vec3(0.1, 0.0, 0.0), test_ground, stic_vec3(0.0, 0.0, 0.3));
    char settings[64];
    snprintf(settings, sizeof settings, "rotation=%s", rotation);
    char thesis[128];
    snprintf(thesis, sizeof thesis, "%s law=velocity", settings);
    test_world_run(tw, "koziara", thesis, step, 1e-13);
    return plate;
}

static double plate_error(const char* rotation, double step)
{
    static const double reference[12] = {-0.000271517, 0.000126220, -0.000797024, .96245665,
                                         -.27115555,   -.01232339,  .27133976,    .96233065,
                                         .01715958,    .00720626,   -.01985917,   .99977682};
    TestWorld tw;
    open_plate(&tw, rotation, step);
    test_world_steps(&tw, (int)lround(1.0 / step));
    const double error = distance12(stic_run_state(tw.run)->q, reference);
    test_world_close(&tw);
    return error;
}

static void test_plate(void** unused)
{
    (void)unused;
    static const struct {
        const char* rotation;
        double error[3], ratio; // printed; ratio from 2^-13 to 2^-14
    } cases[] = {{"new1", {1.58, 0.427, 2.7e-2}, 2.00},
                 {"new2", {1.49e-2, 9.7e-4, 4.1e-6}, 3.98},
                 {"new3", {9.2e-3, 3.0e-4, 9.1e-7}, 4.07}};
    const TestTable table =
        test_table_begin("plate on a rod, |q - q*| at t = 1 (thesis 13.1.3), expected in brackets",
                         "rotation|h=2^-8 |        |h=2^-10|        |h=2^-14|        |ratio|    ");
    for (int k = 0; k < 3; ++k) {
        static const double steps[3] = {0x1p-8, 0x1p-10, 0x1p-14};
        double error[3];
        for (int i = 0; i < 3; ++i) {
            error[i] = plate_error(cases[k].rotation, steps[i]);
            // two digits
            test_less(fabs(error[i] - cases[k].error[i]), 0.02 * cases[k].error[i]);
        }
        const double ratio = plate_error(cases[k].rotation, 0x1p-13) / error[2];
        test_table_row(&table, "%s|%.3g|(%.3g)|%.3g|(%.3g)|%.3g|(%.3g)|%.2f|(%.2f)",
                       cases[k].rotation, error[0], cases[k].error[0], error[1], cases[k].error[1],
                       error[2], cases[k].error[2], ratio, cases[k].ratio);
        test_less(fabs(ratio - cases[k].ratio), 0.15);
    }
}

// ten seconds at 2^-10: energies and the length of the rod, sqrt(0.1)
static void test_plate_energy(void** unused)
{
    (void)unused;
    static const struct {
        const char* rotation;
        double energy[2], length[2]; // least and most
    } cases[] = {{"new2", {0.00333284, 0.00333342}, {0.316223, 0.316271}},
                 {"new3", {0.00333333, 0.00333372}, {0.316166, 0.316228}},
                 {"new1", {0.00258, 0.0}, {0.0, 0.0}}};
    for (int k = 0; k < 3; ++k) {
        TestWorld tw;
        const SticBodyId plate = open_plate(&tw, cases[k].rotation, 0x1p-10);
        double energy[2] = {INFINITY, 0.0}, length[2] = {INFINITY, 0.0}, fastest = 0.0, end = 0.0;
        for (int i = 0; i < 10240; ++i) {
            test_world_steps(&tw, 1);
            const SticPose pose = stic_world_pose(tw.system, stic_run_state(tw.run), plate);
            const SticVec3 tip = stic_pose_apply(&pose, stic_vec3(0.1, 0.0, 0.0));
            const double now = stic_vec3_distance(tip, stic_vec3(0.0, 0.0, 0.3));
            end = test_joint_energy(&tw);
            energy[0] = fmin(energy[0], end);
            energy[1] = fmax(energy[1], end);
            length[0] = fmin(length[0], now);
            length[1] = fmax(length[1], now);
            fastest = fmax(fastest, end - 4e-4 * 9.81 * pose.origin.z);
        }
        print_message("plate, %s: energy in [%.8f, %.8f], at the end %.6f, rod in [%.6f, %.6f], "
                      "largest kinetic energy %.6f\n",
                      cases[k].rotation, energy[0], energy[1], end, length[0], length[1], fastest);
        if (k == 2) {
            test_less(fabs(end - cases[k].energy[0]), 6e-6);
        } else {
            test_less(fabs(fastest - 0.003428), 6e-7);
            for (int i = 0; i < 2; ++i) {
                test_less(fabs(energy[i] - cases[k].energy[i]), 6e-9);
                test_less(fabs(length[i] - cases[k].length[i]), 6e-7);
            }
        }
        test_world_close(&tw);
    }
}

/* ---- 13.4.1: pendulum ---- */

static SticVec3 pendulum_at(double step, double t)
{
    TestWorld tw;
    const SticBodyId body = test_pendulum(&tw, step);
    test_world_steps(&tw, (int)lround(t / step));
    const SticVec3 at = test_world_place(&tw, body);
    test_world_close(&tw);
    return at;
}

static void test_pendulum_swing(void** unused)
{
    (void)unused;
    static const double steps[] = {0.001, 0.005, 0.025};
    static const double longest[] = {1.00000247, 1.0000617, 1.001543};
    for (int k = 0; k < 3; ++k) {
        TestWorld tw;
        const SticBodyId body = test_pendulum(&tw, steps[k]);
        double most = 0.0, least = 2.0, energy = 0.0, back = 0.0, before = 0.0;
        const int count = (int)lround(4.0 * 2.36068 / steps[k]);
        for (int i = 0; i < count; ++i) {
            test_world_steps(&tw, 1);
            const SticVec3 at = test_world_place(&tw, body);
            const double length = stic_vec3_norm(stic_vec3_sub(at, stic_vec3(0.0, 0.0, 1.0)));
            most = length > most ? length : most;
            least = length < least ? length : least;
            energy = test_worse(energy, fabs(test_joint_energy(&tw) - 9.869604401089358));
            // the period: back at the top on the side of the start
            const double v = test_world_motion(&tw, body).velocity.z;
            if (back == 0.0 && at.x > 0.0 && before > 0.0 && v <= 0.0)
                back = stic_run_state(tw.run)->t - steps[k];
            before = v;
        }
        print_message("pendulum h = %.3f: length in [%.10f, %.10f], |E - pi^2| <= %.1e, back at "
                      "t = %.3f\n",
                      steps[k], least, most, energy, back);
        test_less(fabs(most - longest[k]), 0.01 * (longest[k] - 1.0));
        test_greater(least, 1.0 - 1e-9);
        test_less(energy, 1e-8);
        if (k == 0)
            test_less(fabs(back - 2.360), 1e-9);
        test_world_close(&tw);
    }
    const SticVec3 exact = stic_vec3(-0.9871705634, 0.0, 0.8403307208);
    const double coarse = stic_vec3_distance(pendulum_at(0x1p-10, 1.0), exact);
    const double fine = stic_vec3_distance(pendulum_at(0x1p-11, 1.0), exact);
    print_message("pendulum at t = 1: errors %.2e (2^-10), %.2e (2^-11), ratio %.3f\n", coarse,
                  fine, coarse / fine);
    test_near(coarse, 3.3e-6, 0.1e-6);
    test_near(coarse / fine, 4.0, 0.02);
}

/* ---- 13.1.2: heavy top with a fixed point ---- */

static double top_error(const char* rotation, double step, double energy[2])
{
    // M g l = 20 and J = diag(5, 5, 1) about the point, with M = 1, l = 1, g = 20
    static const double L[9] = {-.74921559, .60259892,  -.27486461, -.65303960, -.74134630,
                                .15474152,  -.11052279, .29543223,  .94894916};
    const SticWorldDef world = test_joint_gravity(stic_vec3(0.0, 0.0, -20.0));
    TestWorld tw;
    test_world_open(&tw, NULL, &world);
    SticBodyDef def = stic_body_default_def();
    def.mass = 1.0;
    def.inertia = stic_mat3_diag(stic_vec3(4.0, 4.0, 1.0));
    def.centre = stic_vec3(0.0, 0.0, 1.0);
    def.orientation = test_turn(stic_vec3(1.0, 0.0, 0.0), 0.3);
    def.angular_velocity = stic_vec3(0.0, -50.0 * sin(0.3), 50.0 * cos(0.3));
    SticBodyId top;
    TEST_TRY(&tw, stic_body_create(tw.world, &def, &top, &tw.error));
    const SticJointDef point =
        test_joint_def(&tw, STIC_JOINT_POINT, top, stic_vec3_zero(), stic_vec3(0.0, 0.0, 1.0));
    test_joint_add(&tw, &point);
    char settings[64];
    snprintf(settings, sizeof settings, "rotation=%s", rotation);
    char thesis[128];
    snprintf(thesis, sizeof thesis, "%s law=velocity", settings);
    test_world_run(&tw, "koziara", thesis, step, 1e-13);
    energy[0] = test_joint_energy(&tw);
    energy[1] = 0.0;
    const int count = (int)lround(10.0 / step);
    for (int k = 0; k < count; ++k) {
        test_world_steps(&tw, 1);
        energy[1] = test_worse(energy[1], fabs(test_joint_energy(&tw) - energy[0]));
    }
    double sum = 0.0;
    const double* q = stic_run_state(tw.run)->q + 3;
    for (int c = 0; c < 9; ++c)
        sum += (q[c] - L[c]) * (q[c] - L[c]);
    test_world_close(&tw);
    return sqrt(sum);
}

static void test_top(void** unused)
{
    (void)unused;
    double energy[2];
    for (int k = 0; k < 2; ++k) {
        const char* rotation = k == 0 ? "new2" : "new3";
        const double coarse = top_error(rotation, 0x1p-10, energy);
        test_less(fabs(energy[0] - 1269.106730), 1e-6);
        const double fine = top_error(rotation, 0x1p-11, energy);
        print_message("heavy top, fixed point, %s: |L - L*| %.2e (2^-10), %.2e (2^-11), ratio "
                      "%.2f; energy within %.1e of %.6f\n",
                      rotation, coarse, fine, coarse / fine, energy[1], energy[0]);
        test_less(fabs(coarse / fine - 4.0), 0.2);
    }
}

/* ---- 13.4.4: double pendulum on a wall ---- */

static void test_wall(void** unused)
{
    (void)unused;
    static const double times[] = {0.5452, 0.7076, 1.2841, 2.0967, 2.1306};
    static const double energies[] = {18.841, 10.718, 10.462, 10.343, 9.817};
    static const double places[5][2] = {
        {0.0962, 0.7603}, {0.2237, 0.1732}, {0.0755, 0.3451}, {0.1236, 0.0499}, {0.0220, 0.0239}};
    SticWorldDef world = stic_world_default_def();
    world.material.surface = (SticSurface){.friction = 0.0, .restitution = {0.1, 0.0}};
    TestWorld tw;
    test_world_open(&tw, NULL, &world);
    const double radius = 0.05;
    const SticShape* sphere = test_world_sphere(&tw, radius);
    SticBodyDef def = stic_body_default_def();
    def.mass = 1.0;
    const SticVec3 pivot = stic_vec3(0.0, 0.0, 2.0);
    const SticVec3 x1 = stic_vec3(sin(STIC_PI / 3.0), 0.0, 2.0 - cos(STIC_PI / 3.0));
    const SticVec3 x2 = stic_vec3_add(x1, stic_vec3(sin(STIC_PI / 5.0), 0.0, -cos(STIC_PI / 5.0)));
    SticBodyId mass[2];
    def.position = x1;
    mass[0] = test_world_add(&tw, &def, sphere, (SticMaterialId){0, 0});
    def.position = x2;
    mass[1] = test_world_add(&tw, &def, sphere, (SticMaterialId){0, 0});
    test_world_plane(&tw, stic_vec3(1.0, 0.0, 0.0), -radius, (SticMaterialId){0, 0});
    test_joint_rod(&tw, mass[0], x1, test_ground, pivot);
    test_joint_rod(&tw, mass[1], x2, mass[0], x1);
    test_world_run(&tw, "koziara", "rotation=new2 law=velocity", 0.001, 1e-12);
    double worst = 0.0, energy = test_joint_energy(&tw);
    test_less(fabs(energy - 21.49354), 1e-5);
    int impacts = 0;
    for (int k = 1; k <= 2500; ++k) {
        test_world_steps(&tw, 1);
        const double now = test_joint_energy(&tw);
        if (energy - now > 1e-3 && impacts < 5) {
            print_message("wall: impact %d at t = %.3f (%.4f), E = %.3f (%.3f)\n", impacts + 1,
                          stic_run_state(tw.run)->t, times[impacts], now, energies[impacts]);
            test_less(fabs(stic_run_state(tw.run)->t - times[impacts]), 4e-3);
            test_less(fabs(now - energies[impacts]), 0.05);
            impacts += 1;
        }
        energy = now;
        if (k % 500 == 0) {
            const double a = test_world_place(&tw, mass[0]).x, b = test_world_place(&tw, mass[1]).x;
            worst = test_worse(
                worst, fmax(fabs(a - places[k / 500 - 1][0]), fabs(b - places[k / 500 - 1][1])));
        }
    }
    print_message("wall: %d impacts, positions at five times within %.1e\n", impacts, worst);
    assert_int_equal(impacts, 5);
    test_less(worst, 5e-3);
    test_world_close(&tw);
}

/* ---- 13.4.6: Newton's cradle ---- */

static void test_cradle_period(void** unused)
{
    (void)unused;
    static const double steps[] = {0.01, 0.001}, periods[] = {1.5, 1.438};
    for (int k = 0; k < 2; ++k) {
        TestWorld tw;
        SticBodyId ball[5];
        test_cradle(&tw, steps[k], ball);
        const double start = test_joint_energy(&tw);
        double before = 0.0, back = 0.0;
        // energy at the start is above the rest position of all balls
        const int count = (int)lround(14.32297 / steps[k]);
        for (int i = 0; i < count; ++i) {
            test_world_steps(&tw, 1);
            const double v = test_world_motion(&tw, ball[0]).velocity.x;
            const double x = test_world_place(&tw, ball[0]).x;
            if (back == 0.0 && before < 0.0 && v >= 0.0 && x < -0.1)
                back = stic_run_state(tw.run)->t - steps[k];
            before = v;
        }
        const double change = test_joint_energy(&tw) - start;
        print_message("cradle h = %g: period %.4f (%.4f), E = %.6f, change after ten periods "
                      "%.1e\n",
                      steps[k], back, periods[k], start, change);
        test_less(fabs(start - 0.195497), 1e-6);
        test_less(fabs(change), 1e-9);
        test_less(fabs(back - periods[k]), 1e-9);
        test_world_close(&tw);
    }
}

/* ---- closed forms ---- */

// angle of a physical pendulum by Runge-Kutta steps: theta'' = -k sin(theta)
static double swing(double k, double theta, double t)
{
    const int count = 20000;
    const double h = t / count;
    double w = 0.0;
    for (int i = 0; i < count; ++i) {
        const double a1 = -k * sin(theta), b1 = w;
        const double a2 = -k * sin(theta + 0.5 * h * b1), b2 = w + 0.5 * h * a1;
        const double a3 = -k * sin(theta + 0.5 * h * b2), b3 = w + 0.5 * h * a2;
        const double a4 = -k * sin(theta + h * b3), b4 = w + h * a3;
        theta += h / 6.0 * (b1 + 2.0 * b2 + 2.0 * b3 + b4);
        w += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
    }
    return theta;
}

// a bar of length 1 hinged at its end falls from the horizontal; optionally held by two hinges
static double door_angle(double step, const char* scheme, bool redundant, SticProjection* report)
{
    TestWorld tw;
    test_world_open(&tw, NULL, NULL);
    const SticBodyId bar =
        test_joint_body(&tw, 2.0, stic_vec3(0.01, 1.0 / 6.0, 1.0 / 6.0), stic_vec3(0.5, 0.0, 0.0));
    const SticVec3 axis = stic_vec3(0.0, 1.0, 0.0);
    const SticJointDef def = test_joint_def(&tw, STIC_JOINT_HINGE, bar, stic_vec3_zero(), axis);
    const SticJointId hinge = test_joint_add(&tw, &def);
    if (redundant) {
        const SticJointDef second =
            test_joint_def(&tw, STIC_JOINT_HINGE, bar, stic_vec3(0.0, 0.3, 0.0), axis);
        test_joint_add(&tw, &second);
    }
    test_world_run(&tw, scheme, NULL, step, redundant ? 1e-10 : 1e-13);
    if (report != NULL) {
        SticStepper* stepper = NULL;
        assert_int_equal(stic_stepper_create(&tw.context, tw.scheme, &stepper), STIC_OK);
        TEST_TRY(&tw,
                 stic_step_project(stepper, tw.system, stic_run_state(tw.run), report, &tw.error));
        stic_stepper_destroy(stepper);
    }
    test_world_steps(&tw, (int)lround(0.5 / step));
    const SticJointView seen = stic_world_joint(tw.system, stic_run_state(tw.run), hinge);
    test_world_close(&tw);
    return seen.coordinate;
}

static void test_door(void** unused)
{
    (void)unused;
    // distance of the centre 1/2, J about the hinge m / 3 (1/6 + 2/4 = 2/3)
    const double exact = STIC_PI / 2.0 - swing(9.81 * 2.0 * 0.5 / (2.0 / 3.0), STIC_PI / 2.0, 0.5);
    static const char* const schemes[] = {"koziara", "moreau", "consistent", "relaxed",
                                          "event",   "theta",  "decomposed"};
    // relaxed and event step inside
    static const double order[] = {4.0, 4.0, 4.0, 0.0, 0.0, 4.0, 4.0};
    static const double bound[] = {2e-5, 2e-5, 2e-5, 1e-10, 1e-13, 1e-4, 1e-4};
    for (int k = 0; k < 7; ++k) {
        const double coarse = fabs(door_angle(0x1p-8, schemes[k], false, NULL) - exact);
        const double fine = fabs(door_angle(0x1p-9, schemes[k], false, NULL) - exact);
        print_message("door, %s: angle %.8f, errors %.2e (2^-8), %.2e (2^-9), ratio %.2f\n",
                      schemes[k], exact, coarse, fine, coarse / fine);
        test_less(fine, bound[k]);
        if (order[k] > 0.0)
            test_less(fabs(coarse / fine - order[k]), 0.05 * order[k]);
    }
    SticProjection report;
    const double once = door_angle(0x1p-8, "koziara", false, &report);
    assert_int_equal(report.rows, 5);
    assert_int_equal(report.rank, 5);
    test_equal(report.redundant, 0);
    const double twice = door_angle(0x1p-8, "koziara", true, &report);
    print_message("door with two hinges: %d rows, rank %d, angle differs by %.1e\n", report.rows,
                  report.rank, twice - once);
    assert_int_equal(report.rows, 10);
    assert_int_equal(report.rank, 5);
    assert_true(report.redundant != 0);
    test_less(fabs(twice - once), 1e-7);
}

// Largest moment of a free hinge about its own axis in 0.2 s, N m; `other`: the body is B of the
// joint, and A the ground. `across`: the largest one across the axis.
static double axis_moment(const char* scheme, double step, bool other, double* across)
{
    TestWorld tw;
    const SticJointForce* joint = NULL;
    int32_t count = 0;
    double most = 0.0;
    test_world_open(&tw, NULL, NULL);
    const SticBodyId bar =
        test_joint_body(&tw, 2.0, stic_vec3(0.01, 0.02, 0.03), stic_vec3(0.4, 0.05, 0.0));
    SticJointDef def = stic_joint_default_def();
    def.kind = STIC_JOINT_HINGE;
    def.body[other ? 1 : 0] = bar;
    TEST_TRY(&tw, stic_joint_place(tw.world, stic_vec3_zero(), stic_vec3(0.0, 1.0, 0.0), &def,
                                   &tw.error));
    test_joint_add(&tw, &def);
    test_world_run(&tw, scheme, NULL, step, 1e-13);
    *across = 0.0;
    for (int k = 0; k < (int)lround(0.2 / step); ++k) {
        test_world_steps(&tw, 1);
        TEST_TRY(&tw, stic_run_joints(tw.run, &joint, &count));
        most = test_worse(most, fabs(joint[0].torque.y));
        *across = test_worse(*across, hypot(joint[0].torque.x, joint[0].torque.z));
    }
    test_world_close(&tw);
    return most;
}

// A hinge without friction or drive has no moment about its axis in the pose where its force acts:
// 47 N at a lever of 0.4 m that turns by up to 0.013 rad in a step. The lever of another pose of the
// step gave 0.12 N m at 2 ms. What is left is of second order: the points of A and B that a step
// leaves apart, and multipliers of velocities that act in the mean of two poses.
static void test_axis_moment(void** unused)
{
    (void)unused;
    static const char* const schemes[] = {"koziara", "moreau", "consistent", "relaxed",
                                          "event",   "theta",  "decomposed"};
    const TestTable table =
        test_table_begin("moment of a free hinge about its axis, N m, h = 2 ms and 1 ms",
                         "scheme    |body|2 ms   |1 ms   |across it");
    for (int k = 0; k < 14; ++k) {
        double across = 0.0;
        const bool other = k % 2 == 1;
        const double coarse = axis_moment(schemes[k / 2], 2e-3, other, &across),
                     fine = axis_moment(schemes[k / 2], 1e-3, other, &across);
        test_table_row(&table, "%s|%s|%.1e|%.1e|%.3f", schemes[k / 2], other ? "B" : "A", coarse,
                       fine, across);
        test_less(coarse, 2e-4);
        if (coarse > 1e-12)
            test_greater(coarse / fine, 3.5);
        // the weight beside the joint, and what turns it
        test_greater(across, 0.5);
    }
}

// two bodies on spherical joints, a third on a hinge, tumbling: the scheme with constraints on both
// levels keeps energy and joints to the tolerance of its equations
static void test_decomposed_chain(void** unused)
{
    (void)unused;
    TestWorld tw;
    test_world_open(&tw, NULL, NULL);
    SticBodyId body[3];
    for (int k = 0; k < 3; ++k) {
        SticBodyDef def = stic_body_default_def();
        def.mass = 1.0 + 0.5 * k;
        def.inertia = stic_mat3_diag(stic_vec3(0.02, 0.1, 0.11));
        def.position = stic_vec3(0.5 + k, 0.0, 0.0);
        def.velocity = stic_vec3(0.0, 1.0 * k, 0.0);
        def.angular_velocity = stic_vec3(2.0, 0.0, 1.0);
        TEST_TRY(&tw, stic_body_create(tw.world, &def, &body[k], &tw.error));
    }
    SticJointId joint[3];
    for (int k = 0; k < 3; ++k) {
        SticJointDef def = stic_joint_default_def();
        def.kind = k == 2 ? STIC_JOINT_HINGE : STIC_JOINT_POINT;
        def.body[0] = body[k];
        if (k > 0)
            def.body[1] = body[k - 1];
        TEST_TRY(&tw, stic_joint_place(tw.world, stic_vec3(k, 0.0, 0.0), stic_vec3(0.0, 1.0, 0.3),
                                       &def, &tw.error));
        joint[k] = test_joint_add(&tw, &def);
    }
    test_world_run(&tw, "decomposed", "midpoint=1", 5e-3, 1e-12);
    SticStepper* stepper = NULL;
    SticProjection report;
    assert_int_equal(stic_stepper_create(&tw.context, tw.scheme, &stepper), STIC_OK);
    TEST_TRY(&tw,
             stic_step_project(stepper, tw.system, stic_run_state(tw.run), &report, &tw.error));
    stic_stepper_destroy(stepper);
    const double start = test_joint_energy(&tw);
    double energy = 0.0, gap = 0.0, rounds = 0.0;
    for (int k = 0; k < 400; ++k) {
        test_world_steps(&tw, 1);
        energy = test_worse(energy, fabs(test_joint_energy(&tw) - start));
        rounds = test_worse(rounds, tw.info.newton);
        for (int j = 0; j < 3; ++j) {
            const SticJointView seen =
                stic_world_joint(tw.system, stic_run_state(tw.run), joint[j]);
            for (int row = 0; row < seen.rows; ++row)
                gap = test_worse(gap, fabs(seen.gap[row]));
        }
    }
    print_message(
        "chain with 'decomposed', 400 steps of 5 ms: energy off by %.1e of %.3f J, joints "
        "by %.1e, at most %.0f iterations\n",
        energy, start, gap, rounds);
    test_less(energy, 1e-9);
    test_less(gap, 1e-11);
    test_world_close(&tw);
}

static void test_slider(void** unused)
{
    (void)unused;
    const double slope = 0.5, m = 3.0, weight = m * 9.81 * sin(slope);
    static const double share[] = {0.0, 0.4, 1.0 + 1e-9};
    for (int k = 0; k < 3; ++k) {
        TestWorld tw;
        test_world_open(&tw, NULL, NULL);
        const SticBodyId body =
            test_joint_body(&tw, m, stic_vec3(0.1, 0.2, 0.25), stic_vec3(0.2, -0.1, 0.0));
        const SticVec3 down = stic_vec3(cos(slope), 0.0, -sin(slope));
        SticJointDef def = test_joint_def(&tw, STIC_JOINT_SLIDER, body, stic_vec3_zero(), down);
        def.friction = share[k] * weight;
        const SticJointId slider = test_joint_add(&tw, &def);
        test_world_run(&tw, "koziara", NULL, 0.01, 1e-13);
        test_world_steps(&tw, 100);
        const SticJointView seen = stic_world_joint(tw.system, stic_run_state(tw.run), slider);
        const double exact = k == 2 ? 0.0 : 0.5 * (1.0 - share[k]) * weight / m;
        print_message("slider on a slope, friction %.1f of the weight: moved %.12f (%.12f), "
                      "friction force %.6f\n",
                      share[k], seen.coordinate, exact, seen.friction / 0.01);
        test_less(fabs(seen.coordinate - exact), 1e-11);
        test_less(fabs(seen.friction / 0.01 + fmin(share[k], 1.0) * weight), 1e-6);
        test_world_close(&tw);
    }
}

// falls on the limit at 0.5 with restitution 1/2: Newton's law, then rest on the limit
static void test_limit(void** unused)
{
    (void)unused;
    TestWorld tw;
    test_world_open(&tw, NULL, NULL);
    const SticBodyId body = test_joint_body(&tw, 1.0, stic_vec3(0.1, 0.2, 0.25), stic_vec3_zero());
    SticJointDef def =
        test_joint_def(&tw, STIC_JOINT_LINE, body, stic_vec3_zero(), stic_vec3(0.0, 0.0, -1.0));
    def.limit[1] = 0.5;
    def.restitution = 0.5;
    const SticJointId line = test_joint_add(&tw, &def);
    const double h = 0.001;
    test_world_run(&tw, "koziara", NULL, h, 1e-13);
    double before = 0.0, after = 0.0;
    for (int k = 0; k < 3000; ++k) {
        test_world_steps(&tw, 1);
        const double rate = stic_world_joint(tw.system, stic_run_state(tw.run), line).rate;
        if (after == 0.0 && rate < 0.0)
            after = rate;
        before = after == 0.0 ? rate : before;
    }
    const SticJointView seen = stic_world_joint(tw.system, stic_run_state(tw.run), line);
    print_message("limit: hits with %.4f (%.4f), leaves with %.4f, rests at %.6f with %.1e\n",
                  before, sqrt(9.81), after, seen.coordinate, seen.rate);
    test_less(fabs(before - sqrt(9.81)), 2.0 * 9.81 * h);
    test_less(fabs(after + 0.5 * before), 9.81 * h);
    test_near(seen.coordinate, 0.5, sqrt(9.81) * h);
    test_less(fabs(seen.rate), 1e-9);
    test_world_close(&tw);
}

// a rotor of inertia 0.5 behind a drive of 2 rad/s with at most 0.25 N m: 0.5 rad/s2 for 4 s
static void test_motor(void** unused)
{
    (void)unused;
    const SticWorldDef world = test_joint_gravity(stic_vec3_zero());
    TestWorld tw;
    test_world_open(&tw, NULL, &world);
    const SticBodyId body = test_joint_body(&tw, 1.0, stic_vec3(0.3, 0.4, 0.5), stic_vec3_zero());
    SticJointDef def =
        test_joint_def(&tw, STIC_JOINT_HINGE, body, stic_vec3_zero(), stic_vec3(0.0, 0.0, 1.0));
    def.driven = true;
    def.drive.speed = 2.0;
    def.drive_force = 0.25;
    const SticJointId hinge = test_joint_add(&tw, &def);
    test_world_run(&tw, "koziara", NULL, 0.01, 1e-13);
    double worst = 0.0;
    for (int k = 1; k <= 600; ++k) {
        test_world_steps(&tw, 1);
        const double t = 0.01 * k, exact = t < 4.0 ? 0.5 * t : 2.0;
        const SticJointView seen = stic_world_joint(tw.system, stic_run_state(tw.run), hinge);
        worst = test_worse(worst, fabs(seen.rate - exact));
    }
    const double torque = stic_world_joint(tw.system, stic_run_state(tw.run), hinge).drive / 0.01;
    print_message("motor with a limit: speed within %.1e of the closed form, torque at the end "
                  "%.1e\n",
                  worst, torque);
    test_less(worst, 1e-11);
    test_less(fabs(torque), 1e-9);
    test_world_close(&tw);
}

// a drive without a bound is a prescribed velocity: the end velocity of every step
static double prescribed_error(double h)
{
    TestWorld tw;
    test_world_open(&tw, NULL, NULL);
    const SticBodyId body = test_joint_body(&tw, 1.0, stic_vec3(0.3, 0.4, 0.5), stic_vec3_zero());
    SticJointDef def =
        test_joint_def(&tw, STIC_JOINT_SLIDER, body, stic_vec3_zero(), stic_vec3(0.0, 0.0, 1.0));
    def.driven = true;
    def.drive = (SticDrive){.amplitude = 0.3, .frequency = 4.0};
    const SticJointId slider = test_joint_add(&tw, &def);
    test_world_run(&tw, "koziara", NULL, h, 1e-13);
    test_world_steps(&tw, (int)lround(1.0 / h));
    const SticJointView seen = stic_world_joint(tw.system, stic_run_state(tw.run), slider);
    test_world_close(&tw);
    return fabs(seen.coordinate - 0.3 / 4.0 * (1.0 - cos(4.0)));
}

static void test_prescribed(void** unused)
{
    (void)unused;
    const double coarse = prescribed_error(0.01), fine = prescribed_error(0.005);
    print_message("prescribed velocity: errors of the place %.2e (0.01), %.2e (0.005), ratio "
                  "%.2f\n",
                  coarse, fine, coarse / fine);
    test_less(coarse, 2e-5);
    test_near(coarse / fine, 4.0, 0.1);
}

// how far a driven hinge turns in a step: by the quaternion map of each scheme, as the guide says
static void test_motor_phase(void** unused)
{
    (void)unused;
    static const char* const schemes[] = {"moreau", "koziara", "theta", "consistent", "decomposed"};
    const double w = 20.0, h = 1e-2;
    for (int s = 0; s < 5; ++s) {
        const SticWorldDef world = test_joint_gravity(stic_vec3_zero());
        TestWorld tw;
        test_world_open(&tw, NULL, &world);
        const SticBodyId body =
            test_joint_body(&tw, 1.0, stic_vec3(0.02, 0.03, 0.04), stic_vec3_zero());
        SticJointDef def =
            test_joint_def(&tw, STIC_JOINT_HINGE, body, stic_vec3_zero(), stic_vec3(0.0, 0.0, 1.0));
        def.driven = true;
        def.drive.speed = w;
        const SticJointId joint = test_joint_add(&tw, &def);
        test_world_run(&tw, schemes[s], NULL, h, 1e-12);
        // the first step brings it to its speed
        test_world_steps(&tw, 1);
        const double first = stic_world_joint(tw.system, stic_run_state(tw.run), joint).coordinate;
        test_world_steps(&tw, 100);
        const double turned =
            stic_world_joint(tw.system, stic_run_state(tw.run), joint).coordinate - first;
        const double exact = s < 4 ? 4.0 * atan(0.25 * h * w) : 2.0 * asin(0.5 * h * w);
        print_message("driven by 0.2 rad a step, %s: turns by %.9f (%.9f)\n", schemes[s],
                      0.01 * turned, exact);
        test_near(0.01 * turned, exact, 1e-9);
        test_world_close(&tw);
    }
}

/* ---- springs ---- */

// place of a mass on a spring after one period 2 pi sqrt(m / k)
static double spring_error(bool torsional, double step_share)
{
    const SticWorldDef world = test_joint_gravity(stic_vec3_zero());
    TestWorld tw;
    test_world_open(&tw, NULL, &world);
    const SticBodyId body =
        test_joint_body(&tw, 2.0, stic_vec3(2.0, 1.7, 1.5), stic_vec3(1.2, 0.0, 0.0));
    SticJointDef def;
    if (torsional) {
        def = test_joint_def(&tw, STIC_JOINT_HINGE, body, stic_vec3(1.2, 0.0, 0.0),
                             stic_vec3(1.0, 0.0, 0.0));
        def.spring = (SticSpring){.stiffness = 50.0, .rest = 0.2};
    } else {
        def = test_joint_def(&tw, STIC_JOINT_SPAN, body, stic_vec3(1.2, 0.0, 0.0),
                             stic_vec3(1.0, 0.0, 0.0));
        def.frame[1].point = stic_vec3_zero();
        def.spring = (SticSpring){.stiffness = 50.0, .rest = 1.0};
    }
    const SticJointId joint = test_joint_add(&tw, &def);
    const double period = 2.0 * STIC_PI * sqrt(2.0 / 50.0);
    test_world_run(&tw, "koziara", NULL, period * step_share, 1e-13);
    // a quarter of the period, where the speed is largest
    test_world_steps(&tw, (int)lround(1.25 / step_share));
    const SticJointView seen = stic_world_joint(tw.system, stic_run_state(tw.run), joint);
    const double error = fabs(seen.coordinate - (torsional ? 0.2 : 1.0));
    test_world_close(&tw);
    return error;
}

static void test_spring(void** unused)
{
    (void)unused;
    for (int k = 0; k < 2; ++k) {
        const double coarse = spring_error(k == 1, 1.0 / 100),
                     fine = spring_error(k == 1, 1.0 / 200);
        print_message("%s spring after 5/4 periods: errors %.2e (T/100), %.2e (T/200), ratio "
                      "%.2f\n",
                      k == 0 ? "linear" : "torsional", coarse, fine, coarse / fine);
        // central differences: relative error of the period (omega h)^2 / 24
        const double phase = 1.25 * 2.0 * STIC_PI * pow(2.0 * STIC_PI / 100, 2) / 24.0 * 0.2;
        test_less(fabs(coarse - phase), 0.01 * phase);
        test_less(fabs(coarse / fine - 4.0), 0.05);
    }
}

// a body that spins about a principal axis across that of its torsion spring: the angle of the spring
// stays 0, and so does its torque, while the axis is tilted up to 143 degrees in any direction
static void test_tilted_spring(void** unused)
{
    (void)unused;
    static const char* const schemes[] = {"moreau",     "koziara",    "theta",
                                          "consistent", "decomposed", "event"};
    for (int s = 0; s < 6; ++s)
        for (int way = 0; way < 4; ++way) {
            const SticWorldDef world = test_joint_gravity(stic_vec3_zero());
            TestWorld tw;
            test_world_open(&tw, NULL, &world);
            const double angle = 0.5 * way;
            SticBodyDef body = stic_body_default_def();
            body.mass = 1.0;
            // two equal moments: every axis across z is a principal one
            body.inertia = stic_mat3_diag(stic_vec3(0.03, 0.03, 0.04));
            body.angular_velocity = stic_vec3(3.0 * cos(angle), 3.0 * sin(angle), 0.0);
            SticBodyId id;
            TEST_TRY(&tw, stic_body_create(tw.world, &body, &id, &tw.error));
            SticJointDef def = test_joint_def(&tw, STIC_JOINT_TURNING, id, stic_vec3_zero(),
                                              stic_vec3(0.0, 0.0, 1.0));
            def.spring = (SticSpring){.stiffness = 100.0};
            const SticJointId joint = test_joint_add(&tw, &def);
            test_world_run(&tw, schemes[s], NULL, 1e-2, 1e-12);
            test_world_steps(&tw, 83);
            const SticJointView seen = stic_world_joint(tw.system, stic_run_state(tw.run), joint);
            const SticVec3 omega = test_world_motion(&tw, id).angular_velocity;
            print_message("tilted by 143 degrees, %s: angle %.1e, angular velocity off by %.1e\n",
                          schemes[s], seen.coordinate,
                          stic_vec3_distance(omega, body.angular_velocity));
            test_less(fabs(seen.coordinate), 1e-8);
            test_less(stic_vec3_distance(omega, body.angular_velocity), 1e-8);
            test_world_close(&tw);
        }
}

/* ---- pairs of free bodies ---- */

typedef struct Momentum {
    SticVec3 linear, angular;
} Momentum;

static Momentum momentum_of(TestWorld* tw, const SticBodyId body[2], const double mass[2],
                            const SticVec3 inertia[2])
{
    Momentum sum = {stic_vec3_zero(), stic_vec3_zero()};
    for (int k = 0; k < 2; ++k) {
        const SticTwist twist = test_world_motion(tw, body[k]);
        const SticPose pose = stic_world_pose(tw->system, stic_run_state(tw->run), body[k]);
        const SticVec3 p = stic_vec3_scale(mass[k], twist.velocity);
        const SticVec3 omega = stic_mat3_transpose_mul_vec(pose.F, twist.angular_velocity);
        const SticVec3 spin =
            stic_mat3_mul_vec(pose.F, stic_mat3_mul_vec(stic_mat3_diag(inertia[k]), omega));
        sum.linear = stic_vec3_add(sum.linear, p);
        sum.angular =
            stic_vec3_add(sum.angular, stic_vec3_add(spin, stic_vec3_cross(pose.origin, p)));
    }
    return sum;
}

typedef struct Drift {
    double linear, angular, gap, energy, before, after;
} Drift;

static Drift pair_drift(SticJointKind kind, double step)
{
    const SticWorldDef world = test_joint_gravity(stic_vec3_zero());
    const double mass[2] = {1.0, 2.0};
    const SticVec3 inertia[2] = {stic_vec3(0.1, 0.12, 0.15), stic_vec3(0.3, 0.2, 0.25)};
    TestWorld tw;
    test_world_open(&tw, NULL, &world);
    SticBodyId body[2];
    for (int k = 0; k < 2; ++k) {
        SticBodyDef def = stic_body_default_def();
        def.mass = mass[k];
        def.inertia = stic_mat3_diag(inertia[k]);
        def.position = k == 0 ? stic_vec3(0.4, 0.1, 0.0) : stic_vec3(-0.5, 0.2, 0.3);
        def.orientation = test_turn(stic_vec3(1.0, k, 2.0), 0.7);
        def.velocity = stic_vec3(0.3, -0.2 * k, 0.1);
        def.angular_velocity = stic_vec3(1.0 - k, 2.0, 0.5 + k);
        TEST_TRY(&tw, stic_body_create(tw.world, &def, &body[k], &tw.error));
    }
    SticJointDef def = stic_joint_default_def();
    def.kind = (int32_t)kind;
    def.body[0] = body[0];
    def.body[1] = body[1];
    TEST_TRY(&tw, stic_joint_place(tw.world, stic_vec3(0.0, 0.1, 0.2), stic_vec3(1.0, 2.0, 3.0),
                                   &def, &tw.error));
    if (kind == STIC_JOINT_ROD)
        def.frame[1].point = stic_joint_point(tw.world, body[1], stic_vec3(-0.3, 0.0, 0.1));
    const SticJointId joint = test_joint_add(&tw, &def);
    test_world_run(&tw, "koziara", "rotation=new3 law=velocity", step, 1e-13);
    SticStepper* stepper = NULL;
    SticProjection report;
    assert_int_equal(stic_stepper_create(&tw.context, tw.scheme, &stepper), STIC_OK);
    stepper->solve.settings.tolerance = 1e-13;
    const Momentum given = momentum_of(&tw, body, mass, inertia);
    TEST_TRY(&tw,
             stic_step_project(stepper, tw.system, stic_run_state(tw.run), &report, &tw.error));
    stic_stepper_destroy(stepper);
    assert_int_equal(report.rank, report.rows);
    const double energy = test_joint_energy(&tw);
    test_world_steps(&tw, (int)lround(1.0 / step));
    const Momentum last = momentum_of(&tw, body, mass, inertia);
    const SticJointView seen = stic_world_joint(tw.system, stic_run_state(tw.run), joint);
    Drift drift = {.linear = stic_vec3_distance(given.linear, last.linear),
                   .angular = stic_vec3_distance(given.angular, last.angular),
                   .energy = fabs(test_joint_energy(&tw) - energy) / energy,
                   .before = report.rate_before,
                   .after = report.rate_after};
    for (int32_t i = 0; i < seen.rows; ++i)
        drift.gap = test_worse(drift.gap, fabs(seen.gap[i]));
    test_world_close(&tw);
    return drift;
}

static void test_pairs(void** unused)
{
    (void)unused;
    const TestTable table =
        test_table_begin("two free bodies joined, projected start, 1 s, h = 1/100 and 1/200",
                         "kind    |rate before|after  |momentum|angular |energy |gap    |ratio");
    for (int kind = 0; kind <= STIC_JOINT_ROD; ++kind) {
        const Drift coarse = pair_drift((SticJointKind)kind, 0.01);
        const Drift fine = pair_drift((SticJointKind)kind, 0.005);
        test_table_row(&table, "%s|%.2e|%.1e|%.1e|%.1e|%.1e|%.1e|%.2f",
                       stic_joint_kind_name((SticJointKind)kind), coarse.before, coarse.after,
                       coarse.linear, coarse.angular, coarse.energy, coarse.gap,
                       coarse.gap / fine.gap);
        test_less(coarse.after, 1e-11);
        test_less(coarse.linear, 1e-11);
        // the moment of reactions is taken at mid-step, where points of a joint need not coincide
        test_less(coarse.angular, 1e-3);
        test_less(coarse.gap, 1e-3);
        test_greater(coarse.gap / fine.gap, 3.5);
    }
}

/* ---- exclusions, memory ---- */

// two spheres that overlap, joined by a rod between their centres, or by a weld
static int touching(SticJointKind kind, SticJoined contacts)
{
    TestWorld tw;
    test_world_open(&tw, NULL, NULL);
    const SticShape* sphere = test_world_sphere(&tw, 0.3);
    const SticBodyId a = test_world_body(&tw, sphere, stic_vec3_zero(), stic_vec3_zero());
    const SticBodyId b = test_world_body(&tw, sphere, stic_vec3(0.5, 0.0, 0.0), stic_vec3_zero());
    SticJointDef def = stic_joint_default_def();
    def.kind = (int32_t)kind;
    def.body[0] = a;
    def.body[1] = b;
    def.contacts = (int32_t)contacts;
    if (kind == STIC_JOINT_WELD)
        TEST_TRY(&tw, stic_joint_place(tw.world, stic_vec3_zero(), stic_vec3(0.0, 0.0, 1.0), &def,
                                       &tw.error));
    test_joint_add(&tw, &def);
    test_world_run(&tw, "koziara", NULL, 0.001, 1e-10);
    test_world_steps(&tw, 1);
    const int count = tw.info.contacts;
    test_world_close(&tw);
    return count;
}

static void test_exclusion(void** unused)
{
    (void)unused;
    static const struct {
        SticJointKind kind;
        SticJoined given;
        int contacts;
    } cases[] = {
        {STIC_JOINT_ROD, STIC_JOINED_BY_KIND, 1}, {STIC_JOINT_ROD, STIC_JOINED_APART, 0},
        {STIC_JOINT_ROD, STIC_JOINED_TOUCH, 1},   {STIC_JOINT_WELD, STIC_JOINED_BY_KIND, 0},
        {STIC_JOINT_WELD, STIC_JOINED_APART, 0},  {STIC_JOINT_WELD, STIC_JOINED_TOUCH, 1}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k)
        assert_int_equal(touching(cases[k].kind, cases[k].given), cases[k].contacts);
}

/* ---- refusals ---- */

static void test_refusals(void** unused)
{
    (void)unused;
    TestWorld tw;
    test_world_open(&tw, NULL, NULL);
    const SticBodyId a = test_joint_body(&tw, 1.0, stic_vec3(1.0, 1.0, 1.0), stic_vec3_zero());
    const SticBodyId b =
        test_joint_body(&tw, 1.0, stic_vec3(1.0, 1.0, 1.0), stic_vec3(1.0, 0.0, 0.0));
    SticJointId id;
    SticJointDef def = stic_joint_default_def();
    assert_int_equal(stic_joint_create(tw.world, &def, &id, &tw.error), STIC_BAD_ARGUMENT);
    print_message("%s\n", tw.error.text);
    def.body[0] = a;
    def.body[1] = a;
    assert_int_equal(stic_joint_create(tw.world, &def, &id, &tw.error), STIC_BAD_ARGUMENT);
    print_message("%s\n", tw.error.text);
    def.body[1] = b;
    assert_int_equal(stic_joint_create(tw.world, &def, &id, &tw.error), STIC_BAD_ARGUMENT);
    print_message("%s\n", tw.error.text);
    def.frame[0].point = stic_vec3(1.0, 0.0, 0.0);
    TEST_TRY(&tw, stic_joint_create(tw.world, &def, &id, &tw.error));
    def.friction = 1.0;
    assert_int_equal(stic_joint_create(tw.world, &def, &id, &tw.error), STIC_BAD_ARGUMENT);
    print_message("%s\n", tw.error.text);
    def = stic_joint_default_def();
    def.kind = STIC_JOINT_HINGE;
    def.body[0] = a;
    def.limit[0] = 1.0;
    def.limit[1] = 0.5;
    assert_int_equal(stic_joint_create(tw.world, &def, &id, &tw.error), STIC_BAD_ARGUMENT);
    print_message("%s\n", tw.error.text);
    // a joint ends with its body, and its slot is used again with another generation
    def.limit[0] = -INFINITY;
    TEST_TRY(&tw, stic_joint_create(tw.world, &def, &id, &tw.error));
    TEST_TRY(&tw, stic_body_destroy(tw.world, a, &tw.error));
    assert_false(stic_joint_is_valid(tw.world, id));
    assert_int_equal(stic_joint_destroy(tw.world, id, &tw.error), STIC_BAD_ARGUMENT);
    def.body[0] = b;
    TEST_TRY(&tw, stic_joint_place(tw.world, stic_vec3_zero(), stic_vec3(0.0, 1.0, 0.0), &def,
                                   &tw.error));
    SticJointId next;
    TEST_TRY(&tw, stic_joint_create(tw.world, &def, &next, &tw.error));
    assert_true(stic_joint_is_valid(tw.world, next));
    test_world_close(&tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plate),          cmocka_unit_test(test_plate_energy),
        cmocka_unit_test(test_pendulum_swing), cmocka_unit_test(test_top),
        cmocka_unit_test(test_wall),           cmocka_unit_test(test_cradle_period),
        cmocka_unit_test(test_door),           cmocka_unit_test(test_decomposed_chain),
        cmocka_unit_test(test_slider),         cmocka_unit_test(test_limit),
        cmocka_unit_test(test_motor),          cmocka_unit_test(test_motor_phase),
        cmocka_unit_test(test_prescribed),     cmocka_unit_test(test_spring),
        cmocka_unit_test(test_tilted_spring),  cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_axis_moment),    cmocka_unit_test(test_exclusion),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

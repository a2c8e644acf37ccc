// SPDX-License-Identifier: Apache-2.0
// The theta scheme: its amplification factors on linear springs and dampers, the explicit step by
// hand, orders with directions frozen and iterated, both activations, deforming bodies far beyond
// the explicit limit.
#include "physics/run.h"

#include "helpers/world.h"
#include "math/math.h"

/* ---- linear spring and damper ---- */

typedef struct Slide {
    double stiffness, damping, mass;
} Slide;

// a point on an axial spring and damper along x, without weight
static SticBodyId add_slide(TestWorld* tw, const Slide* slide, double start)
{
    SticBodyDef def = stic_body_default_def();
    SticBodyId id;
    SticJointId joint;
    def.kind = STIC_BODY_POINT;
    def.mass = slide->mass;
    def.position = stic_vec3(start, 0.0, 0.0);
    TEST_TRY(tw, stic_body_create(tw->world, &def, &id, &tw->error));
    SticJointDef spring = stic_joint_default_def();
    spring.kind = STIC_JOINT_AXIAL;
    spring.body[0] = id;
    spring.frame[0].axes = spring.frame[1].axes = stic_mat3_identity();
    spring.spring = (SticSpring){.stiffness = slide->stiffness, .damping = slide->damping};
    TEST_TRY(tw, stic_joint_create(tw->world, &spring, &joint, &tw->error));
    return id;
}

// x and v after steps, next to the powers of the exact amplification matrix of the method
static double slide_error(double theta, const Slide* slide, double h, int steps, double* size)
{
    TestWorld tw;
    char settings[64];
    SticWorldDef def = stic_world_default_def();
    def.gravity = stic_vec3_zero();
    snprintf(settings, sizeof settings, "theta=%.17g", theta);
    test_world_open(&tw, NULL, &def);
    add_slide(&tw, slide, 0.1);
    test_world_run(&tw, "theta", settings, h, 1e-12);
    double x = 0.1, v = 0.0;
    const double k = slide->stiffness / slide->mass, c = slide->damping / slide->mass;
    for (int n = 0; n < steps; ++n) {
        test_world_steps(&tw, 1);
        // (1 + th h c + th^2 h^2 k) v' = v - h (k x + th h (1-th) k v + (1-th) c v)
        const double old = v, part = 1.0 - theta;
        v = (v - h * (k * x + theta * h * part * k * v + part * c * v)) /
            (1.0 + theta * h * c + theta * theta * h * h * k);
        x += theta == 0.0 ? h * v : h * (theta * v + part * old);
    }
    const SticState* state = stic_run_state(tw.run);
    *size = hypot(x * sqrt(k), v);
    const double error = fmax(fabs(state->q[0] - x) * sqrt(k), fabs(state->u[0] - v));
    const SticLedger* ledger = &stic_run_totals(tw.run)->ledger;
    printf("theta %.2f, k h^2/m %.3g, c h/m %.3g: |x, v| %.6g after %d steps, off by %.1e; damping "
           "%.3g J, applied %.1g J\n",
           theta, k * h * h, c * h, *size, steps, error, ledger->damping, ledger->applied);
    // dampers are not applied forces
    test_equal(ledger->applied, 0.0);
    if (c != 0.0) {
        test_less(ledger->damping, 0.0);
    }
    test_world_close(&tw);
    return error;
}

static void linear_factors(void** state)
{
    (void)state;
    const Slide spring = {.stiffness = 100.0, .mass = 1.0}, stiff = {.stiffness = 1e6, .mass = 1.0};
    const Slide damped = {.stiffness = 100.0, .damping = 1e4, .mass = 1.0};
    double size = 0.0;
    test_less(slide_error(0.0, &spring, 0.01, 100, &size), 1e-12);
    // theta = 1/2 keeps the energy for any step, theta = 1 damps by (1 + k h^2)^(-1/2) a step
    test_less(slide_error(0.5, &spring, 0.01, 100, &size), 1e-12);
    test_less(fabs(size - 1.0), 1e-12);
    test_less(slide_error(0.5, &stiff, 0.01, 100, &size), 1e-9);
    test_less(fabs(size - 100.0), 1e-8);
    test_less(slide_error(1.0, &spring, 0.01, 100, &size), 1e-12);
    test_less(fabs(size - pow(1.01, -50.0)), 1e-12);
    test_less(slide_error(0.75, &stiff, 0.01, 20, &size), 1e-9);
    test_less(slide_error(1.0, &damped, 0.01, 50, &size), 1e-12);
    test_less(slide_error(0.5, &damped, 0.01, 50, &size), 1e-12);
}

/* ---- orders ---- */

static double pendulum_error(const char* settings, double h)
{
    TestRun run;
    SticError error = {0};
    assert_int_equal(test_run_open(&run, "pendulum", "theta", "", settings, &error), STIC_OK);
    run.stepper->solve.settings.tolerance = 1e-12;
    assert_int_equal(test_run_until(&run, 1.0, h), STIC_OK);
    const double off = hypot(run.now->q[0] + 0.9871705634, run.now->q[1] - 0.8403307208);
    test_run_close(&run);
    return off;
}

static void orders(void** state)
{
    (void)state;
    const struct {
        const char* settings;
        double low, high;
    } cases[] = {{"theta=0.5 iterate=1", 3.9, 4.1},
                 {"theta=0.5 iterate=0", 1.8, 2.2},
                 {"theta=1 iterate=1", 1.8, 2.2},
                 {"theta=0", 1.8, 2.2}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        const double one = pendulum_error(cases[k].settings, 0x1p-10);
        const double two = pendulum_error(cases[k].settings, 0x1p-11);
        printf("pendulum, %-20s errors %.3g, %.3g, ratio %.2f\n", cases[k].settings, one, two,
               one / two);
        test_greater(one / two, cases[k].low);
        test_less(one / two, cases[k].high);
    }
}

/* ---- contacts ---- */

// a ball falls on a plane: how deep it gets, and one step by hand
static double deepest(const char* settings, double h)
{
    TestWorld tw;
    SticWorldDef def = stic_world_default_def();
    test_world_open(&tw, NULL, &def);
    test_world_plane(&tw, stic_vec3(0.0, 0.0, 1.0), 0.0, (SticMaterialId){0, 0});
    test_world_body(&tw, test_world_sphere(&tw, 0.1), stic_vec3(0.0, 0.0, 0.1234),
                    stic_vec3(0.0, 0.0, -1.0));
    test_world_run(&tw, "theta", settings, h, 1e-12);
    double depth = 0.0;
    for (int k = 0; k < 100; ++k) {
        test_world_steps(&tw, 1);
        depth = test_worse(depth, 0.1 - stic_run_state(tw.run)->q[2]);
    }
    test_world_close(&tw);
    return depth;
}

static void activations(void** state)
{
    (void)state;
    const double current = deepest("theta=0.5 activation=current law=velocity", 0.01);
    const double predicted = deepest("theta=0.5 activation=predicted law=velocity", 0.01);
    printf("ball at 1 m/s, h 0.01: sinks %.3g m with current gaps, %.3g m with predicted ones\n",
           current, predicted);
    // at v = 1.21 m/s a contact that is seen when closed has gone on for up to h v, and its own
    // step moves by h v / 2 more; half a step ahead it is seen h v / 2 earlier
    const double step = 0.01 * 1.21;
    test_greater(current, 0.5 * step);
    test_less(current, 1.5 * step);
    test_less(predicted, step);
    // the law on gaps stops it on the plane, but for half a step of the landing itself
    const double gap = deepest("theta=0.5", 0.01);
    printf("with the law on gaps %.3g m\n", gap);
    test_less(gap, 0.5 * step);

    // (4.17): v' = v + h g, q' = q + h v'
    TestWorld tw;
    test_world_open(&tw, NULL, NULL);
    test_world_body(&tw, test_world_sphere(&tw, 0.1), stic_vec3(0.0, 0.0, 5.0),
                    stic_vec3(1.0, 0.0, -1.0));
    test_world_run(&tw, "theta", "theta=0", 0.01, 1e-12);
    test_world_steps(&tw, 1);
    const SticState* now = stic_run_state(tw.run);
    test_equal(now->u[2], -1.0 - 0.01 * 9.81);
    test_near(now->q[2], (5.0 + 0.01 * now->u[2]), 1e-15);
    test_near(now->q[0], 0.01, 1e-17);
    test_world_close(&tw);
}

// between 0 and 1/2 the method is unstable: refused
static void refused(void** state)
{
    (void)state;
    TestWorld tw;
    test_world_open(&tw, NULL, NULL);
    test_world_body(&tw, test_world_sphere(&tw, 0.1), stic_vec3_zero(), stic_vec3_zero());
    test_world_run(&tw, "theta", "theta=0.3", 0.01, 1e-12);
    assert_int_equal(stic_run_step(tw.run, &tw.info), STIC_BAD_ARGUMENT);
    printf("%s\n", tw.info.error.text);
    test_world_close(&tw);
}

/* ---- bodies that deform ---- */

// a stone cube of 0.1 m dropped on a plane with 600 times the explicit limit
static void stiff_cube(void** state)
{
    (void)state;
    TestWorld tw;
    SticWorldDef world = stic_world_default_def();
    world.material.density = 2200.0;
    test_world_open(&tw, NULL, &world);
    test_world_plane(&tw, stic_vec3(0.0, 0.0, 1.0), 0.0, (SticMaterialId){0, 0});
    SticBodyDef def = stic_body_default_def();
    def.kind = STIC_BODY_PSEUDO_RIGID;
    def.elastic = (SticElastic){15.5e9, 0.2};
    def.position = stic_vec3(0.0, 0.0, 0.1);
    def.velocity = stic_vec3(0.5, 0.0, 0.0);
    const SticBodyId cube =
        test_world_add(&tw, &def, test_world_box(&tw, 0.05, 0.05, 0.05), (SticMaterialId){0, 0});
    // W holds stiffnesses and masses that are 1e5 apart: a solver with second derivatives
    SticRunParts run = stic_run_default_parts();
    test_world_system(&tw, STIC_CHART_QUATERNION);
    run.system = tw.system;
    run.scheme = stic_scheme_find("theta", &tw.error);
    stic_fields_default(run.scheme->fields, tw.settings);
    TEST_TRY(&tw, stic_fields_set(run.scheme->fields, tw.settings, "theta", "1", &tw.error));
    run.scheme_settings = tw.settings;
    run.step = 0.01;
    run.solver = stic_solver_find("prox-newton", &tw.error);
    run.solve.tolerance = 1e-10;
    TEST_TRY(&tw, stic_run_assemble(&tw.context, &run, &tw.run, &tw.error));
    stic_world_start(tw.world, tw.system, stic_run_state(tw.run));
    int newton = 0;
    for (int k = 0; k < 100; ++k) {
        test_world_steps(&tw, 1);
        assert_int_equal(tw.info.solve.outcome, STIC_OUTCOME_SOLVED);
        newton = newton > tw.info.newton ? newton : tw.info.newton;
    }
    const double sigma = stic_world_stress(tw.system, stic_run_state(tw.run), cube).m[2][2];
    const SticTwist twist = test_world_motion(&tw, cube);
    printf(
        "stone cube, h %.0f times the limit: at rest to %.1e m/s, sigma_zz %.2f (%.2f) Pa, at most "
        "%d iterations\n",
        0.01 / tw.system->step_limit, stic_vec3_norm(twist.velocity), sigma,
        -0.5 * 2200.0 * 9.81 * 0.1, newton);
    test_less(stic_vec3_norm(twist.velocity), 1e-6);
    test_less(fabs(sigma / (-0.5 * 2200.0 * 9.81 * 0.1) - 1.0), 1e-3);
    test_world_close(&tw);
}

/* ---- springs on what moves ---- */

static void shake(const void* self, double t, SticBodyMotion* at)
{
    const double w = *(const double*)self;
    at->position = stic_vec3(0.05 * sin(w * t), 0.0, 0.0);
    at->velocity = stic_vec3(0.05 * w * cos(w * t), 0.0, 0.0);
}

static void join(TestWorld* tw, SticBodyId a, SticBodyId b, double stiffness)
{
    SticJointDef spring = stic_joint_default_def();
    SticJointId joint;
    spring.kind = STIC_JOINT_AXIAL;
    spring.body[0] = a;
    spring.body[1] = b;
    spring.frame[0].axes = spring.frame[1].axes = stic_mat3_identity();
    spring.spring.stiffness = stiffness;
    TEST_TRY(tw, stic_joint_create(tw->world, &spring, &joint, &tw->error));
}

static void open_weightless(TestWorld* tw)
{
    SticWorldDef def = stic_world_default_def();
    def.gravity = stic_vec3_zero();
    test_world_open(tw, NULL, &def);
}

static SticBodyId add_point(TestWorld* tw, double mass, double x)
{
    SticBodyDef def = stic_body_default_def();
    SticBodyId id;
    def.kind = STIC_BODY_POINT;
    def.mass = mass;
    def.position = stic_vec3(x, 0.0, 0.0);
    TEST_TRY(tw, stic_body_create(tw->world, &def, &id, &tw->error));
    return id;
}

// a prescribed body works on a spring: theta = 1/2 is exact about it, and nothing is left over
static void shaken_spring(void** state)
{
    (void)state;
    TestWorld tw;
    const double w = 7.0, k = 100.0, h = 0.01;
    open_weightless(&tw);
    const SticBodyId point = add_point(&tw, 1.0, 0.0);
    SticBodyDef def = stic_body_default_def();
    SticBodyId moved;
    def.kind = STIC_BODY_PRESCRIBED;
    def.motion = shake;
    def.motion_self = &w;
    TEST_TRY(&tw, stic_body_create(tw.world, &def, &moved, &tw.error));
    join(&tw, point, moved, k);
    test_world_run(&tw, "theta", "theta=0.5", h, 1e-12);
    double work = 0.0;
    for (int n = 0; n < 500; ++n) {
        const double p = 0.05 * sin(w * h * n), q = stic_run_state(tw.run)->q[0];
        test_world_steps(&tw, 1);
        const double p1 = 0.05 * sin(w * h * (n + 1)), q1 = stic_run_state(tw.run)->q[0];
        // force of the support on the spring along its way
        work += k * 0.5 * ((p - q) + (p1 - q1)) * (p1 - p);
    }
    const SticLedger* ledger = &stic_run_totals(tw.run)->ledger;
    printf("shaken spring: support works %.12g J (%.12g), integration %.1e J\n", ledger->prescribed,
           work, ledger->integration);
    test_greater(fabs(work), 1e-3);
    test_near(ledger->prescribed, work, 1e-9 * fabs(work));
    test_less(fabs(ledger->integration), 1e-9 * fabs(work));
    test_world_close(&tw);
}

// a stiff spring and a stiff damper between two bodies: linear, so that Newton needs one step, and
// a second one to see it
static void stiff_pair(void** state)
{
    (void)state;
    const double m = 1.0, h = 0.01, tolerance = 1e-12, start = 0.1, fast = 0.3;
    const double thetas[] = {0.5, 0.75, 1.0};
    for (int i = 0; i < 6; ++i) {
        const double theta = thetas[i % 3], k = i < 3 ? 1e4 * m / (h * h) : 0.0,
                     c = i < 3 ? 0.0 : 1e4 * m / h;
        TestWorld tw;
        char settings[64];
        snprintf(settings, sizeof settings, "theta=%g", theta);
        open_weightless(&tw);
        const SticBodyId a = add_point(&tw, m, start), b = add_point(&tw, m, 0.0);
        SticJointDef def = stic_joint_default_def();
        SticJointId id;
        def.kind = STIC_JOINT_AXIAL;
        def.body[0] = a;
        def.body[1] = b;
        def.spring = (SticSpring){.stiffness = k, .damping = c};
        TEST_TRY(&tw, stic_joint_create(tw.world, &def, &id, &tw.error));
        test_world_run(&tw, "theta", settings, h, tolerance);
        stic_run_state(tw.run)->u[0] = fast;
        test_world_steps(&tw, 1);
        // distance s and its rate v: m/2 (v' - v) = -h (theta f' + (1 - theta) f), f = k s + c v
        const double mean = 0.5 * m, ahead = start + h * (1.0 - theta) * fast;
        const double pull = theta * k * ahead + (1.0 - theta) * (k * start + c * fast);
        const double exact = (mean * fast - h * pull) / (mean + h * theta * (c + k * h * theta));
        const double rate = stic_run_state(tw.run)->u[0] - stic_run_state(tw.run)->u[3];
        const double error = fabs(rate - exact) / fmax(fabs(exact), fast);
        printf("stiff pair, theta %.2f, k h^2/m %g, c h/m %g: %d iterations, off by %.1e\n", theta,
               k * h * h / m, c * h / m, tw.info.newton, error);
        test_less(error, 1e-10);
        test_at_most(tw.info.newton, 3);
        test_world_close(&tw);
    }
}

// two tumbling boxes, corners joined by a spring and a damper, axes by a torsional spring: three
// coefficients
static void open_boxes(TestWorld* tw, const double spring[3], double h, const char* settings,
                       SticBodyId id[2])
{
    open_weightless(tw);
    const SticShape* box = test_world_box(tw, 0.1, 0.15, 0.2);
    for (int k = 0; k < 2; ++k) {
        SticBodyDef def = stic_body_default_def();
        def.position = stic_vec3(k, 0.0, 0.0);
        def.velocity = stic_vec3(0.0, 0.2 * k, 0.1);
        def.angular_velocity = stic_vec3(0.5, k == 0 ? 1.0 : -0.7, 0.3);
        id[k] = test_world_add(tw, &def, box, (SticMaterialId){0, 0});
    }
    SticJointDef def = stic_joint_default_def();
    SticJointId joint;
    def.kind = STIC_JOINT_SPAN;
    def.body[0] = id[0];
    def.body[1] = id[1];
    def.frame[0].point = stic_vec3(0.1, 0.15, 0.2);
    def.frame[1].point = stic_vec3(-0.1, -0.15, 0.2);
    def.spring = (SticSpring){.stiffness = spring[0], .rest = sqrt(0.73), .damping = spring[1]};
    TEST_TRY(tw, stic_joint_create(tw->world, &def, &joint, &tw->error));
    def = stic_joint_default_def();
    def.kind = STIC_JOINT_TURNING;
    def.body[0] = id[0];
    def.body[1] = id[1];
    def.spring = (SticSpring){.stiffness = spring[2]};
    TEST_TRY(tw, stic_joint_create(tw->world, &def, &joint, &tw->error));
    test_world_run(tw, "theta", settings, h, 1e-12);
}

// k h^2/m and k h^2/J of 1e4: few iterations although rotations make the springs nonlinear
static void stiff_boxes(void** state)
{
    (void)state;
    const double h = 0.01, m = 0.2 * 0.3 * 0.4 * 1000.0, J = m / 12.0 * (0.09 + 0.16);
    const struct {
        const char* name;
        double spring[3]; // stiffness, damping, torsional stiffness
    } cases[] = {{"spring", {1e4 * m / (h * h), 0.0, 0.0}},
                 {"damper", {0.0, 1e4 * m / h, 0.0}},
                 {"torsion", {0.0, 0.0, 1e4 * J / (h * h)}}};
    for (int i = 0; i < 3; ++i) {
        TestWorld tw;
        SticBodyId id[2];
        int most = 0, sum = 0;
        open_boxes(&tw, cases[i].spring, h, "theta=1", id);
        for (int n = 0; n < 100; ++n) {
            test_world_steps(&tw, 1);
            most = tw.info.newton > most ? tw.info.newton : most;
            sum += tw.info.newton;
        }
        printf("stiff boxes, %s: %.2f iterations, at most %d\n", cases[i].name, sum / 100.0, most);
        test_at_most(most, 8);
        test_at_most(sum, 600);
        test_world_close(&tw);
    }
}

// second order of theta = 1/2 with forces between bodies
static void coupled_order(void** state)
{
    (void)state;
    double place[4][6], error[3];
    for (int i = 0; i < 4; ++i) {
        const int steps = i < 3 ? 200 << i : 12800;
        TestWorld tw;
        SticBodyId id[2];
        const double spring[3] = {2000.0, 5.0, 50.0};
        open_boxes(&tw, spring, 0.5 / steps, "theta=0.5", id);
        test_world_steps(&tw, steps);
        for (int k = 0; k < 2; ++k)
            stic_vec3_store(test_world_place(&tw, id[k]), place[i] + 3 * k);
        test_world_close(&tw);
    }
    for (int i = 0; i < 3; ++i) {
        error[i] = 0.0;
        for (int c = 0; c < 6; ++c)
            error[i] = fmax(error[i], fabs(place[i][c] - place[3][c]));
    }
    printf(
        "boxes on springs, h = 2.5, 1.25, 0.625 ms: errors %.2e, %.2e, %.2e, ratios %.2f, %.2f\n",
        error[0], error[1], error[2], error[0] / error[1], error[1] / error[2]);
    test_greater(error[0] / error[1], 3.8);
    test_less(error[0] / error[1], 4.2);
    test_greater(error[1] / error[2], 3.8);
    test_less(error[1] / error[2], 4.2);
}

// two boxes on a plane pushed apart by a stiff spring that friction holds: the contact problem goes
// through the factor of both
static void stiff_on_ground(void** state)
{
    (void)state;
    const double h = 0.01, m = 8.0, k = 1e4 * m / (h * h), mu = 0.5, push = 0.4 * m * 9.81;
    TestWorld tw;
    SticBodyId id[2];
    test_world_open(&tw, NULL, NULL);
    SticMaterialDef material = stic_material_default_def();
    SticMaterialId own;
    material.surface.friction = mu;
    material.density = 1000.0;
    TEST_TRY(&tw, stic_material_create(tw.world, &material, &own, &tw.error));
    test_world_plane(&tw, stic_vec3(0, 0, 1), 0.0, own);
    const SticShape* box = test_world_box(&tw, 0.1, 0.1, 0.1);
    for (int i = 0; i < 2; ++i) {
        SticBodyDef def = stic_body_default_def();
        def.position = stic_vec3(0.5 * i, 0.0, 0.1);
        id[i] = test_world_add(&tw, &def, box, own);
    }
    SticJointDef def = stic_joint_default_def();
    SticJointId joint;
    def.kind = STIC_JOINT_SPAN;
    def.body[0] = id[0];
    def.body[1] = id[1];
    def.spring = (SticSpring){.stiffness = k, .rest = 0.5 + push / k};
    TEST_TRY(&tw, stic_joint_create(tw.world, &def, &joint, &tw.error));
    test_world_run(&tw, "theta", "theta=1", h, 1e-10);
    int most = 0;
    for (int n = 0; n < 100; ++n) {
        test_world_steps(&tw, 1);
        most = tw.info.newton > most ? tw.info.newton : most;
    }
    const double apart = test_world_place(&tw, id[1]).x - test_world_place(&tw, id[0]).x;
    const double fast = stic_vec3_norm(test_world_motion(&tw, id[0]).velocity);
    printf("boxes held by friction against a stiff spring: apart by %.1e m, %.1e m/s, at most %d "
           "iterations\n",
           apart - 0.5, fast, most);
    test_near(apart, 0.5, 1e-9);
    test_less(fast, 1e-8);
    test_at_most(most, 6);
    test_world_close(&tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_factors), cmocka_unit_test(orders),
        cmocka_unit_test(activations),    cmocka_unit_test(refused),
        cmocka_unit_test(stiff_cube),     cmocka_unit_test(shaken_spring),
        cmocka_unit_test(stiff_pair),     cmocka_unit_test(stiff_boxes),
        cmocka_unit_test(coupled_order),  cmocka_unit_test(stiff_on_ground),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

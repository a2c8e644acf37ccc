// SPDX-License-Identifier: Apache-2.0
// Pseudo-rigid bodies: order of free motion against a fourth-order integration, bounded energy,
// the stability limit from both sides, stresses under weight by formula, stacks, joints, sliding,
// impact.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "body/body.h"
#include "helpers/world.h"
#include "math/math.h"

static const double g = 9.81;
static const double edge = 0.1, density = 2200.0;

typedef struct Cube {
    SticElastic elastic;
    SticVec3 position, velocity, angular_velocity;
} Cube;

static SticBodyId add_cube(TestWorld* tw, const Cube* cube)
{
    SticBodyDef def = stic_body_default_def();
    def.kind = STIC_BODY_PSEUDO_RIGID;
    def.elastic = cube->elastic;
    def.position = cube->position;
    def.velocity = cube->velocity;
    def.angular_velocity = cube->angular_velocity;
    return test_world_add(tw, &def, test_world_box(tw, 0.5 * edge, 0.5 * edge, 0.5 * edge),
                          (SticMaterialId){0, 0});
}

static SticWorldDef world_def(double mu, SticVec3 gravity)
{
    SticWorldDef def = stic_world_default_def();
    def.gravity = gravity;
    def.material.density = density;
    def.material.surface.friction = mu;
    return def;
}

static double critical_step(const SticElastic* elastic)
{
    const double lambda = elastic->young * elastic->poisson /
                          ((1.0 + elastic->poisson) * (1.0 - 2.0 * elastic->poisson));
    const double mu = elastic->young / (2.0 + 2.0 * elastic->poisson);
    return 2.0 / sqrt((3.0 * lambda + 2.0 * mu) / (density * edge * edge / 12.0));
}

/* ---- free motion ---- */

static const SticElastic soft = {1e5, 0.3};

// F'' = -V0 P(F) E0^-1 with E0 = m a^2/12 I, by the classical Runge-Kutta method
static void exact_motion(double end, SticMat3* F, SticMat3* rate)
{
    const int steps = 20000;
    const double dt = end / steps, scale = -12.0 / (density * edge * edge);
    for (int i = 0; i < steps; ++i) {
        SticMat3 kF[4], kV[4];
        for (int s = 0; s < 4; ++s) {
            const double part = s == 0 ? 0.0 : s == 3 ? dt : 0.5 * dt;
            SticMat3 at = *F, v = *rate;
            if (s > 0) {
                at = stic_mat3_add_scaled(*F, part, kF[s - 1]);
                v = stic_mat3_add_scaled(*rate, part, kV[s - 1]);
            }
            kF[s] = v;
            kV[s] = stic_mat3_scale(scale, stic_elastic_stress(&soft, at));
        }
        for (int s = 0; s < 4; ++s) {
            const double weight = dt / (s == 0 || s == 3 ? 6.0 : 3.0);
            *F = stic_mat3_add_scaled(*F, weight, kF[s]);
            *rate = stic_mat3_add_scaled(*rate, weight, kV[s]);
        }
    }
}

static const Cube spinning = {
    .elastic = {1e5, 0.3}, .velocity = {1.0, 2.0, 3.0}, .angular_velocity = {5.0, -10.0, 20.0}};

// a stretched, sheared cube that spins: error of F at the end
static double free_error(const char* scheme, double h, double end, double* energy)
{
    TestWorld tw;
    const SticWorldDef def = world_def(0.5, stic_vec3_zero());
    test_world_open(&tw, NULL, &def);
    add_cube(&tw, &spinning);
    test_world_run(&tw, scheme, "", h, 1e-12);
    SticState* state = stic_run_state(tw.run);
    state->q[3] += 0.05;
    state->q[4] -= 0.03;
    SticMat3 F = stic_mat3_load(state->q + 3), rate = stic_mat3_load(state->u + 3);
    exact_motion(end, &F, &rate);
    *energy = 0.0;
    for (int k = 0; k < (int)lround(end / h); ++k) {
        test_world_steps(&tw, 1);
        *energy = test_worse(*energy, fabs(stic_run_totals(tw.run)->ledger.integration));
    }
    const double error =
        stic_mat3_norm(stic_mat3_sub(stic_mat3_load(stic_run_state(tw.run)->q + 3), F));
    test_world_close(&tw);
    return error;
}

static void free_motion(void** state)
{
    (void)state;
    const double end = 0.05, m = density * edge * edge * edge;
    const double energy0 = 0.5 * m * edge * edge / 6.0 * 525.0; // of the spin
    for (int k = 0; k < 3; ++k) {
        static const char* const schemes[] = {"koziara", "moreau", "consistent"};
        double energy[2];
        const double one = free_error(schemes[k], end / 400.0, end, &energy[0]);
        const double two = free_error(schemes[k], end / 800.0, end, &energy[1]);
        printf("free cube %-10s errors of F %.3g, %.3g, ratio %.2f; energy off by %.1e of it\n",
               schemes[k], one, two, one / two, energy[0] / energy0);
        test_greater(one / two, 3.8);
        test_less(one / two, 4.2);
        // the discrete derivative of the consistent scheme is exact
        test_less(energy[0] / energy0, (k == 2 ? 1e-11 : 1e-1));
    }
}

// symplectic: the energy of 1e5 steps oscillates and does not drift
static void bounded_energy(void** state)
{
    (void)state;
    TestWorld tw;
    const SticWorldDef def = world_def(0.5, stic_vec3_zero());
    const double h = 0.2 * critical_step(&soft);
    test_world_open(&tw, NULL, &def);
    add_cube(&tw, &spinning);
    test_world_run(&tw, "koziara", "", h, 1e-12);
    stic_run_state(tw.run)->q[3] += 0.05;
    double range[2][2] = {{INFINITY, -INFINITY}, {INFINITY, -INFINITY}};
    for (int k = 0; k < 100000; ++k) {
        test_world_steps(&tw, 1);
        // deviation of the energy in the first and the last tenth
        const double off = stic_run_totals(tw.run)->ledger.integration;
        const int part = k < 10000 ? 0 : k >= 90000 ? 1 : -1;
        if (part >= 0) {
            range[part][0] = fmin(range[part][0], off);
            range[part][1] = test_worse(range[part][1], off);
        }
    }
    printf("energy off by [%.4g, %.4g] J in the first 1e4 of 1e5 steps, [%.4g, %.4g] in the last\n",
           range[0][0], range[0][1], range[1][0], range[1][1]);
    const double width = range[0][1] - range[0][0];
    test_less(fabs(range[1][0] - range[0][0]), 0.1 * width);
    test_less(fabs(range[1][1] - range[0][1]), 0.1 * width);
    test_world_close(&tw);
}

/* ---- stability ---- */

static const SticElastic stone = {15.5e9, 0.2};

static double growth(double part)
{
    TestWorld tw;
    const SticWorldDef def = world_def(0.5, stic_vec3_zero());
    test_world_open(&tw, NULL, &def);
    add_cube(&tw, &(Cube){.elastic = stone});
    test_world_run(&tw, "koziara", "limit=0", part * critical_step(&stone), 1e-12);
    // the mode of the limit is the change of volume
    const double start = 1e-9;
    for (int k = 0; k < 3; ++k)
        stic_run_state(tw.run)->q[3 + 4 * k] += start;
    double largest = 0.0;
    for (int k = 0; k < 50; ++k) {
        test_world_steps(&tw, 1);
        largest = test_worse(largest, fabs(stic_run_state(tw.run)->q[3] - 1.0) / start);
    }
    test_world_close(&tw);
    return largest;
}

static void stability_limit(void** state)
{
    (void)state;
    const double below = growth(0.99), above = growth(1.01);
    printf("h_crit %.6g s: 50 steps of 0.99 of it grow by %.3g, of 1.01 by %.3g\n",
           critical_step(&stone), below, above);
    test_less(below, 10.0);
    // |1 - 2 1.01^2| + sqrt(that^2 - 1) = 1.326 a step
    test_greater(above, 1e5);

    // steps beyond are refused with a sentence
    TestWorld tw;
    const SticWorldDef def = world_def(0.5, stic_vec3_zero());
    test_world_open(&tw, NULL, &def);
    add_cube(&tw, &(Cube){.elastic = stone});
    test_world_run(&tw, "koziara", "", 1.01 * critical_step(&stone), 1e-12);
    test_less(fabs(tw.system->step_limit / critical_step(&stone) - 1.0), 1e-12);
    assert_int_equal(stic_run_step(tw.run, &tw.info), STIC_BAD_ARGUMENT);
    printf("%s\n", tw.info.error.text);
    test_world_close(&tw);
}

// The limit along the run. A cube stretched evenly by s has P = s (s^2 - 1)/2 (3 lambda + 2 mu):
// the stiffness of that mode is (3 s^2 - 1)/2 of the one at rest. The material grows stiff when
// stretched and soft when compressed, but a cube compressed along one axis swells along the others.
static void deformed_limit(void** state)
{
    (void)state;
    const struct {
        double F[3], h; // step over the limit at rest
        bool refused;
    } cases[] = {{{1.3, 1.3, 1.3}, 0.95, true},
                 {{0.7, 0.7, 0.7}, 0.95, false},
                 {{1.3, 1.3, 0.5}, 0.95, true},
                 {{1.3, 1.3, 0.5}, 0.60, false}};
    for (int i = 0; i < 4; ++i) {
        TestWorld tw;
        const SticWorldDef def = world_def(0.5, stic_vec3_zero());
        const double h = cases[i].h * critical_step(&stone);
        test_world_open(&tw, NULL, &def);
        add_cube(&tw, &(Cube){.elastic = stone});
        test_world_run(&tw, "koziara", "", h, 1e-12);
        double* q = stic_run_state(tw.run)->q;
        for (int k = 0; k < 3; ++k)
            q[3 + 4 * k] = cases[i].F[k];
        const uint64_t before = stic_run_hash(tw.run);
        const SticStatus status = stic_run_step(tw.run, &tw.info);
        // largest eigenvalue of the tangent, by differences of the stress and powers of it
        double x[9] = {0.3, 0.1, -0.2, 0.4, 0.9, 0.1, 0.2, -0.1, 1.0}, y[9], largest = 0.0;
        const SticMat3 F = {{{cases[i].F[0], 0, 0}, {0, cases[i].F[1], 0}, {0, 0, cases[i].F[2]}}};
        for (int n = 0; n < 20000; ++n) {
            const double step = 1e-4;
            double norm = 0.0, dot = 0.0;
            const SticMat3 d = stic_mat3_load(x);
            const SticMat3 slope =
                stic_mat3_sub(stic_elastic_stress(&stone, stic_mat3_add_scaled(F, step, d)),
                              stic_elastic_stress(&stone, stic_mat3_add_scaled(F, -step, d)));
            stic_mat3_store(stic_mat3_scale(0.5 / step, slope), y);
            // moved up, so that the largest is also the largest in size
            for (int c = 0; c < 9; ++c) {
                dot += x[c] * y[c];
                y[c] += 2.0 * stone.young * x[c];
                norm += y[c] * y[c];
            }
            double size = 0.0;
            for (int c = 0; c < 9; ++c)
                size += x[c] * x[c];
            largest = dot / size;
            for (int c = 0; c < 9; ++c)
                x[c] = y[c] / sqrt(norm);
        }
        const double limit = 2.0 / sqrt(largest / (density * edge * edge / 12.0));
        printf("cube at F = diag(%.1f, %.1f, %.1f): limit %.4f of that at rest (%.4f by powers), h "
               "%.2f: %s\n",
               cases[i].F[0], cases[i].F[1], cases[i].F[2],
               tw.info.step_limit / critical_step(&stone), limit / critical_step(&stone),
               cases[i].h, status == STIC_OK ? "taken" : "refused");
        if (i == 0)
            test_less(fabs(limit / critical_step(&stone) - sqrt(2.0 / 4.07)), 1e-6);
        if (cases[i].refused) {
            printf("%s\n", tw.info.error.text);
            assert_int_equal(status, STIC_BAD_ARGUMENT);
            test_less(fabs(tw.info.step_limit / limit - 1.0), 1e-6);
            test_equal(stic_run_hash(tw.run), before);
        } else {
            assert_int_equal(status, STIC_OK);
            test_at_least(tw.info.step_limit, h);
            test_at_most(tw.info.step_limit, limit * (1.0 + 1e-6));
        }
        test_world_close(&tw);
    }
}

/* ---- weight ---- */

static void settle(TestWorld* tw, double h, int steps)
{
    test_world_run(tw, "quasi-static", "", h, 1e-12);
    test_world_steps(tw, steps);
}

// a cube on a smooth plane carries half of its weight on average: sigma_zz = -rho g a/2
static void stress_of_weight(void** state)
{
    (void)state;
    TestWorld tw;
    const SticWorldDef def = world_def(0.0, stic_vec3(0.0, 0.0, -g));
    const SticElastic elastic = {1e7, 0.2};
    test_world_open(&tw, NULL, &def);
    test_world_plane(&tw, stic_vec3(0.0, 0.0, 1.0), 0.0, (SticMaterialId){0, 0});
    SticBodyId cube[2];
    for (int k = 0; k < 2; ++k)
        cube[k] =
            add_cube(&tw, &(Cube){.elastic = elastic, .position = {0.0, 0.0, (0.5 + k) * edge}});
    // the compressed cube is stiff against turning with -sigma: only its inertia keeps A positive
    settle(&tw, 0.01, 100);
    const double unit = density * g * edge;
    for (int k = 0; k < 2; ++k) {
        const SticMat3 sigma = stic_world_stress(tw.system, stic_run_state(tw.run), cube[k]);
        const double expected = -(k == 0 ? 1.5 : 0.5) * unit;
        // forces by present areas: (1 + nu s)^2 of the reference, with the strain s = sigma / E
        const double area = 1.0 + 2.0 * elastic.poisson * -expected / elastic.young;
        printf("cube %d of 2: sigma_zz %.6f (%.6f) Pa, sigma_xx %.2g, shear %.2g\n", k,
               sigma.m[2][2], expected / area, sigma.m[0][0], sigma.m[0][2]);
        // second order of the strains, 3e-4
        test_less(fabs(sigma.m[2][2] / (expected / area) - 1.0), 1e-6);
        test_less(fabs(sigma.m[0][0]), 1e-6 * unit);
        test_less(fabs(sigma.m[0][2]), 1e-6 * unit);
    }
    test_world_close(&tw);

    // with a longer step it is not, and the scheme says so
    test_world_open(&tw, NULL, &def);
    test_world_plane(&tw, stic_vec3(0.0, 0.0, 1.0), 0.0, (SticMaterialId){0, 0});
    add_cube(&tw, &(Cube){.elastic = elastic, .position = {0.0, 0.0, 0.5 * edge}});
    test_world_run(&tw, "quasi-static", "", 0.1, 1e-12);
    test_world_steps(&tw, 1);
    assert_int_equal(stic_run_step(tw.run, &tw.info), STIC_SINGULAR);
    printf("%s\n", tw.info.error.text);
    test_world_close(&tw);
}

// hanging from the centre of its upper face: sigma_zz = +rho g a/2
static void hanging(void** state)
{
    (void)state;
    TestWorld tw;
    const SticWorldDef def = world_def(0.0, stic_vec3(0.0, 0.0, -g));
    const SticElastic elastic = {1e7, 0.2};
    test_world_open(&tw, NULL, &def);
    const SticBodyId cube = add_cube(&tw, &(Cube){.elastic = elastic});
    SticJointDef joint = stic_joint_default_def();
    SticJointId id;
    joint.body[0] = cube;
    TEST_TRY(&tw, stic_joint_place(tw.world, stic_vec3(0.0, 0.0, 0.5 * edge),
                                   stic_vec3(0.0, 0.0, 1.0), &joint, &tw.error));
    TEST_TRY(&tw, stic_joint_create(tw.world, &joint, &id, &tw.error));
    settle(&tw, 0.05, 100);
    const SticMat3 sigma = stic_world_stress(tw.system, stic_run_state(tw.run), cube);
    const double expected = 0.5 * density * g * edge;
    const double area = 1.0 - 2.0 * elastic.poisson * expected / elastic.young;
    const double force = stic_world_joint(tw.system, stic_run_state(tw.run), id).reaction[2] / 0.05;
    printf("hanging cube: sigma_zz %.6f (%.6f) Pa, joint %.9f (%.9f) N\n", sigma.m[2][2],
           expected / area, force, density * edge * edge * edge * g);
    test_less(fabs(sigma.m[2][2] / (expected / area) - 1.0), 1e-6);
    test_less(fabs(force / (density * edge * edge * edge * g) - 1.0), 1e-9);
    test_world_close(&tw);
}

/* ---- motion with contacts ---- */

// a stiff cube slides down a slope as a rigid one, x = v t + g (sin - mu cos) t^2/2, as long as its
// swinging does not make it stick: the speed is above that of the swinging corners
static void slope(void** state)
{
    (void)state;
    TestWorld tw;
    const double angle = 0.5, mu = 0.3, end = 0.2;
    const SticWorldDef def = world_def(mu, stic_vec3(g * sin(angle), 0.0, -g * cos(angle)));
    const SticElastic elastic = {1e8, 0.2};
    test_world_open(&tw, NULL, &def);
    test_world_plane(&tw, stic_vec3(0.0, 0.0, 1.0), 0.0, (SticMaterialId){0, 0});
    const SticBodyId cube = add_cube(&tw, &(Cube){.elastic = elastic,
                                                  .position = {0.0, 0.0, 0.5 * edge},
                                                  .velocity = {1.0, 0.0, 0.0}});
    const int steps = (int)ceil(end / (0.5 * critical_step(&elastic)));
    test_world_run(&tw, "koziara", "", end / steps, 1e-10);
    test_world_steps(&tw, steps);
    const double exact = end + 0.5 * g * (sin(angle) - mu * cos(angle)) * end * end;
    const SticVec3 place = test_world_place(&tw, cube);
    const SticLedger* ledger = &stic_run_totals(tw.run)->ledger;
    printf("cube on a slope: x %.8f (%.8f), %d steps; friction %.4g J, integration %.2g J\n",
           place.x, exact, steps, ledger->friction, ledger->integration);
    // sinking and swinging of the order of the elastic deflection rho g a^2 / E = 2e-6 m
    test_near(place.x, exact, 1e-5);
    test_less(fabs(place.y), 1e-7);
    test_world_close(&tw);
}

// impact without restitution: the contact takes energy, never gives it; the body bounces by its
// elasticity alone
static void impact(void** state)
{
    (void)state;
    TestWorld tw;
    const SticWorldDef def = world_def(0.0, stic_vec3(0.0, 0.0, -g));
    const SticElastic elastic = {1e6, 0.2};
    test_world_open(&tw, NULL, &def);
    test_world_plane(&tw, stic_vec3(0.0, 0.0, 1.0), 0.0, (SticMaterialId){0, 0});
    const SticBodyId cube = add_cube(&tw, &(Cube){.elastic = elastic,
                                                  .position = {0.0, 0.0, 0.5 * edge + 0.01},
                                                  .velocity = {0.0, 0.0, -1.0}});
    test_world_run(&tw, "koziara", "", 0.1 * critical_step(&elastic), 1e-10);
    double highest = -INFINITY, worst = 0.0;
    bool touched = false;
    for (int k = 0; k < 4000; ++k) {
        test_world_steps(&tw, 1);
        touched = touched || tw.info.contacts > 0;
        worst = test_worse(worst, tw.info.ledger.impact);
        if (touched)
            highest = test_worse(highest, test_world_motion(&tw, cube).velocity.z);
    }
    const SticLedger* ledger = &stic_run_totals(tw.run)->ledger;
    const double m = density * edge * edge * edge;
    printf("impact at 1.1 m/s: leaves with %.4f m/s; contact %.4g J, largest gain of a step %.1e, "
           "integration %.2g of %.4g J\n",
           highest, ledger->impact, worst, ledger->integration, 0.5 * m);
    test_greater(highest, 0.1);
    test_less(highest, 1.1);
    // a contact that opens and is pressed again within one step: second order in the step
    test_less(ledger->impact, 0.0);
    test_less(worst, -1e-5 * ledger->impact);
    test_less(fabs(ledger->integration), 1e-2 * m);
    test_world_close(&tw);
}

// A cube at v that a floor stops at its lower face keeps 3/8 m v^2, in F33 alone where nu = 0. The
// energy of pressing it flat is V E/8: beyond v = sqrt(E/(3 rho)) it does not come back
static void pressed_flat(void** state)
{
    const SticElastic weak = {1e4, 0.0};
    const double least = sqrt(weak.young / (3.0 * density));
    (void)state;
    for (int k = 0; k < 2; ++k) {
        TestWorld tw;
        const SticWorldDef def = world_def(0.0, stic_vec3_zero());
        const double v = (k == 0 ? 0.99 : 1.01) * least;
        test_world_open(&tw, NULL, &def);
        test_world_plane(&tw, stic_vec3(0, 0, 1), 0.0, (SticMaterialId){0, 0});
        const Cube cube = {.elastic = weak,
                           .position = stic_vec3(0, 0, 0.5 * edge),
                           .velocity = stic_vec3(0, 0, -v)};
        const SticBodyId id = add_cube(&tw, &cube);
        test_world_run(&tw, "consistent", "", 1e-4, 1e-12);
        SticStatus status = STIC_OK;
        for (int i = 0; i < 6000 && status == STIC_OK; ++i)
            status = stic_run_step(tw.run, &tw.info);
        printf("cube at %.4f of the speed that presses it flat: %s, %s\n", v / least,
               stic_status_text(status), tw.info.error.text);
        if (k == 0) {
            assert_int_equal(status, STIC_OK);
            test_greater(test_world_motion(&tw, id).velocity.z, 0.0);
        } else {
            assert_int_equal(status, STIC_NOT_FINITE);
            assert_int_equal(tw.info.broken, 0);
            assert_non_null(strstr(tw.info.error.text, "pressed flat"));
        }
        test_world_close(&tw);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_motion),
        cmocka_unit_test(bounded_energy),
        cmocka_unit_test(stability_limit),
        cmocka_unit_test(deformed_limit),
        cmocka_unit_test(stress_of_weight),
        cmocka_unit_test(hanging),
        cmocka_unit_test(slope),
        cmocka_unit_test(impact),
        cmocka_unit_test(pressed_flat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

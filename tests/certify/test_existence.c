// SPDX-License-Identifier: Apache-2.0
// Existence verdicts against the formulas of Acary and Cadoux 2013, perturbations, other forms.
#include "certify/build.h"

#include "helpers/helpers.h"
#include "helpers/scenes.h"

static const double pi = 3.14159265358979323846;

/* ---- example 1 and 2: the bar ---- */

// the formulas for the bar: A holds iff u0 <= 0 ... or tan theta > mu
static SticVerdict bar_verdict(double theta, double mu, double u0)
{
    // u = (v sin, v cos + u0): margin > 0 for some v iff v sin > mu |v cos + u0| for some v
    const double t = tan(theta);
    if (u0 == 0.0)
        return t > mu ? STIC_VERDICT_EXISTS_ROBUST : STIC_VERDICT_EXISTS_BORDERLINE;
    // v cos + u0 = 0 needs v of the sign of -u0
    return u0 < 0.0 || t > mu ? STIC_VERDICT_EXISTS_ROBUST : STIC_VERDICT_UNKNOWN;
}

static void test_bar_grid(void** state)
{
    (void)state;
    SticArena* arena = build_arena();
    int32_t count[STIC_VERDICT_COUNT] = {0};
    for (int32_t a = 1; a <= 17; ++a)
        for (int32_t m = 0; m <= 12; ++m)
            for (int32_t s = -2; s <= 2; ++s) {
                const double theta = a * pi / 36.0, mu = 0.13 * m, u0 = 0.75 * s;
                const SticArenaMark mark = stic_arena_mark(arena);
                BuildDef def;
                Build bar;
                build_bar(arena, &(BuildBar){theta, mu, u0, -1.0}, &def, &bar);
                const SticExistence global = build_decide(arena, &bar.problem);
                const SticProblem local_view = build_local(arena, &bar.problem);
                const SticExistence local = build_decide(arena, &local_view);
                const SticVerdict expected = bar_verdict(theta, mu, u0);
                if (global.verdict != expected || local.verdict != expected)
                    fail_msg("theta %g mu %g u0 %g: %s expected, %s global, %s local", theta, mu,
                             u0, stic_verdict_name(expected), stic_verdict_name(global.verdict),
                             stic_verdict_name(local.verdict));
                count[expected] += 1;
                stic_arena_rewind(arena, mark);
            }
    print_message("bar: %d robust, %d borderline, %d unknown, none of them refuted\n", count[0],
                  count[1], count[2]);
    test_greater(count[0], 100);
    test_greater(count[1], 10);
    test_greater(count[2], 100);
    stic_arena_destroy(arena);
}

/* ---- example 3: crushed ball, example 6: two obstacles ---- */

static void test_crushed_ball(void** state)
{
    (void)state;
    SticArena* arena = build_arena();
    BuildDef def;
    Build ball;
    for (double speed = 1e-6; speed < 1e7; speed *= 10.0) {
        build_ball(arena, speed, 0.5, &def, &ball);
        const SticExistence closing = build_decide(arena, &ball.problem);
        assert_int_equal(closing.verdict, STIC_VERDICT_NONE);
        // both planes share the approach: no margin above -speed/2
        test_at_most(fabs(closing.necessary_most + 0.5 * speed), 1e-6 * speed);
        build_ball(arena, -speed, 0.5, &def, &ball);
        const SticExistence opening = build_decide(arena, &ball.problem);
        assert_int_equal(opening.verdict, STIC_VERDICT_EXISTS_ROBUST);
        test_near(opening.margin, 0.5 * speed, 1e-6 * speed);
    }
    build_ball(arena, 0.0, 0.5, &def, &ball);
    assert_int_equal(build_decide(arena, &ball.problem).verdict, STIC_VERDICT_EXISTS_BORDERLINE);
    // without the interior point
    SticExistenceSettings settings = stic_existence_default_settings();
    SticExistence result;
    SticError error = {0};
    settings.margin = false;
    settings.program_most = 0;
    for (int32_t side = -1; side <= 1; side += 2) {
        build_ball(arena, side, 0.5, &def, &ball);
        assert_int_equal(stic_existence_decide(&ball.problem, &settings, arena, &result, &error),
                         STIC_OK);
        assert_int_equal(result.verdict, side > 0 ? STIC_VERDICT_NONE : STIC_VERDICT_EXISTS_ROBUST);
        if (side > 0)
            assert_int_equal(result.refuted_by, STIC_EVIDENCE_SEARCH);
    }
    stic_arena_destroy(arena);
}

// fig. 4.6: a disc in a corner whose two sides move differently: floor along x with speed a, wall
// along x with speed b
static void test_two_obstacles(void** state)
{
    (void)state;
    SticArena* arena = build_arena();
    const double mu = 0.4;
    int32_t robust = 0, unknown = 0;
    for (int32_t k = -8; k <= 8; ++k) {
        const double wall = 0.25 * k;
        BuildDef def = {.contacts = 2, .rows_each = 2, .dof = 2, .mass = {1.0, 1.0}};
        Build disc;
        def.mu[0] = def.mu[1] = mu;
        // floor: normal y, tangent x; ceiling that slides along x: normal -y, tangent x
        def.H[1] = def.H[2] = 1.0;
        def.H[5] = -1.0;
        def.H[6] = 1.0;
        def.w[3] = wall;
        build_global(arena, &def, &disc);
        const SticExistence result = build_decide(arena, &disc.problem);
        // v_y >= mu |v_x| and -v_y >= mu |v_x + wall|: only wall = 0
        if (k == 0)
            assert_int_equal(result.verdict, STIC_VERDICT_EXISTS_BORDERLINE);
        else
            assert_int_equal(result.verdict, STIC_VERDICT_UNKNOWN);
        unknown += result.verdict == STIC_VERDICT_UNKNOWN;
        // margin of A: -mu |wall| / 2
        test_at_most(fabs(result.margin_most + 0.5 * mu * fabs(wall)), 1e-6);
        // the same with the ceiling lifting fast enough
        def.w[2] = 2.0;
        build_global(arena, &def, &disc);
        const SticExistence lifting = build_decide(arena, &disc.problem);
        const double margin = 1.0 - 0.5 * mu * fabs(wall);
        assert_int_equal(lifting.verdict, STIC_VERDICT_EXISTS_ROBUST);
        test_near(lifting.margin, margin, 1e-6);
        robust += 1;
    }
    print_message("two obstacles: %d unknown, %d robust\n", unknown, robust);
    stic_arena_destroy(arena);
}

/* ---- example 5: deformable body ---- */

// every node touches at most one plane of any direction and speed: A holds for every mu
static void test_deformable(void** state)
{
    (void)state;
    SticArena* arena = build_arena();
    SticRandom random = stic_random_create(3);
    const double mus[3] = {0.1, 1.0, 10.0};
    for (int32_t m = 0; m < 3; ++m)
        for (int32_t trial = 0; trial < 20; ++trial) {
            BuildDef def = {.contacts = 10, .rows_each = 3, .dof = 36};
            Build body;
            const SticArenaMark mark = stic_arena_mark(arena);
            for (int32_t k = 0; k < def.dof; ++k)
                def.mass[k] = stic_random_range(&random, 0.5, 2.0);
            for (int32_t i = 0; i < def.contacts; ++i) {
                double R[9];
                test_random_rotation(&random, R);
                def.mu[i] = mus[m];
                for (int32_t a = 0; a < 3; ++a) {
                    def.w[3 * i + a] = stic_random_range(&random, -1.0, 1.0);
                    for (int32_t c = 0; c < 3; ++c)
                        def.H[(3 * i + a) * def.dof + 3 * i + c] = R[3 * a + c];
                }
            }
            build_global(arena, &def, &body);
            assert_int_equal(build_decide(arena, &body.problem).verdict,
                             STIC_VERDICT_EXISTS_ROBUST);
            stic_arena_rewind(arena, mark);
        }
    stic_arena_destroy(arena);
}

/* ---- example 7: without friction the verdict is that of the quadratic program ---- */

static void test_frictionless(void** state)
{
    (void)state;
    SticArena* arena = build_arena();
    SticRandom random = stic_random_create(17);
    const SticContext context = stic_context_default();
    int32_t none = 0, exists = 0;
    SticSolveRequest request = test_request(&context, "lemke");
    for (int32_t trial = 0; trial < 200; ++trial) {
        const SticArenaMark mark = stic_arena_mark(arena);
        BuildDef def = {.contacts = 1 + trial % 7, .rows_each = 1, .dof = 1 + trial / 7 % 3};
        Build body;
        SticSolveInfo info = {0};
        double r[BUILD_ROWS] = {0.0}, u[BUILD_ROWS] = {0.0};
        test_random_vector(&random, def.contacts * def.dof, -1.0, 1.0, def.H);
        test_random_vector(&random, def.contacts, -1.0, 0.5, def.w);
        for (int32_t k = 0; k < def.dof; ++k) {
            def.mass[k] = stic_random_range(&random, 0.5, 2.0);
            def.f[k] = stic_random_range(&random, -1.0, 1.0);
        }
        build_global(arena, &def, &body);
        const SticExistence result = build_decide(arena, &body.problem);
        assert_int_equal(stic_solve(&body.problem, &request, r, u, &info), STIC_OK);
        const bool solved = info.outcome == STIC_OUTCOME_SOLVED;
        if (result.verdict == STIC_VERDICT_UNKNOWN ||
            (result.verdict != STIC_VERDICT_NONE) != solved)
            fail_msg("trial %d: %s but %s; margin %g to %g, A' at most %g", trial,
                     stic_verdict_name(result.verdict), stic_outcome_name(info.outcome),
                     result.margin, result.margin_most, result.necessary_most);
        none += !solved;
        exists += solved;
        stic_arena_rewind(arena, mark);
    }
    print_message("frictionless: %d with a solution, %d without, all as the verdict says\n", exists,
                  none);
    test_greater(none, 30);
    test_greater(exists, 30);
    stic_workspace_destroy(request.workspace);
    stic_arena_destroy(arena);
}

/* ---- robustness of the verdict ---- */

// |dH v + dw| stays below the margin at the witness: the verdict stays
static void test_perturbations(void** state)
{
    (void)state;
    SticArena* arena = build_arena();
    SticRandom random = stic_random_create(23);
    int32_t kept = 0, robust = 0;
    for (int32_t trial = 0; trial < 10; ++trial) {
        BuildDef def = {.contacts = 4, .rows_each = 3, .dof = 8};
        Build body;
        double v0[BUILD_DOF];
        test_random_vector(&random, 12 * 8, -1.0, 1.0, def.H);
        test_random_vector(&random, def.dof, -1.0, 1.0, v0);
        for (int32_t k = 0; k < def.dof; ++k)
            def.mass[k] = 1.0;
        for (int32_t i = 0; i < def.contacts; ++i) {
            def.mu[i] = 0.5;
            for (int32_t a = 0; a < 3; ++a)
                for (int32_t k = 0; k < def.dof; ++k)
                    def.w[3 * i + a] -= def.H[(3 * i + a) * def.dof + k] * v0[k];
            def.w[3 * i] += 0.2;
        }
        build_global(arena, &def, &body);
        const SticExistence result = build_decide(arena, &body.problem);
        assert_int_equal(result.verdict, STIC_VERDICT_EXISTS_ROBUST);
        robust += 1;
        double length = 1.0;
        for (int32_t k = 0; k < def.dof; ++k)
            length += fabs(result.witness[k]);
        // u_N changes by at most e length, mu |u_T| by mu sqrt(2) e length
        const double e = 0.99 * result.margin / ((1.0 + 0.5 * sqrt(2.0)) * length);
        for (int32_t p = 0; p < 10; ++p) {
            BuildDef moved = def;
            Build other;
            for (int32_t k = 0; k < 12 * 8; ++k)
                moved.H[k] += stic_random_range(&random, -e, e);
            for (int32_t k = 0; k < 12; ++k)
                moved.w[k] += stic_random_range(&random, -e, e);
            build_global(arena, &moved, &other);
            kept += build_decide(arena, &other.problem).verdict == STIC_VERDICT_EXISTS_ROBUST;
        }
    }
    print_message("perturbations: %d problems, %d of 100 changes below the margin keep the word\n",
                  robust, kept);
    assert_int_equal(kept, 100);
    stic_arena_destroy(arena);
}

/* ---- the verifier ---- */

static void test_verifier_refuses(void** state)
{
    (void)state;
    SticArena* arena = build_arena();
    BuildDef def;
    Build ball;
    SticWitnessCheck witness;
    SticCertificateCheck check;
    build_ball(arena, 1.0, 0.5, &def, &ball);
    const SticProblem* problem = &ball.problem;
    // every velocity violates a contact, by at least half the approach
    const double v[3] = {0.0, 0.0, 0.25};
    assert_int_equal(stic_witness_verify(arena, problem, STIC_CONDITION_SUFFICIENT, v, &witness),
                     STIC_OK);
    test_less(fabs(witness.margin + 1.25), 1e-13);
    // a correct certificate, then one out of its cone, one with friction under A', one unbalanced
    double r[6] = {1.0, 0.0, 0.0, 1.0, 0.0, 0.0};
    assert_int_equal(
        stic_certificate_verify(arena, problem, STIC_CONDITION_NECESSARY, 1e6, r, &check), STIC_OK);
    assert_true(check.valid);
    test_less(check.most, -0.4999);
    test_greater(check.most, -0.5001);
    r[1] = 1e-3;
    r[4] = -1e-3;
    assert_int_equal(
        stic_certificate_verify(arena, problem, STIC_CONDITION_NECESSARY, 1e6, r, &check), STIC_OK);
    assert_false(check.valid);
    assert_int_equal(
        stic_certificate_verify(arena, problem, STIC_CONDITION_SUFFICIENT, 1e6, r, &check),
        STIC_OK);
    assert_true(check.valid);
    test_less(check.most, 0.0);
    r[1] = 0.6;
    assert_int_equal(
        stic_certificate_verify(arena, problem, STIC_CONDITION_SUFFICIENT, 1e6, r, &check),
        STIC_OK);
    assert_false(check.valid);
    r[1] = r[4] = 0.0;
    r[0] = -1.0;
    assert_int_equal(
        stic_certificate_verify(arena, problem, STIC_CONDITION_NECESSARY, 1e6, r, &check), STIC_OK);
    assert_false(check.valid);
    // not in balance: it holds for slow motions only, and those are not enough
    r[0] = 1.001;
    assert_int_equal(
        stic_certificate_verify(arena, problem, STIC_CONDITION_NECESSARY, 1e6, r, &check), STIC_OK);
    assert_true(check.valid);
    test_greater(check.most, 0.0);
    assert_int_equal(
        stic_certificate_verify(arena, problem, STIC_CONDITION_NECESSARY, 10.0, r, &check),
        STIC_OK);
    assert_true(check.valid);
    test_less(check.most, 0.0);
    // not a number is never a witness
    const double wrong[3] = {NAN, 0.0, 0.0};
    assert_int_equal(
        stic_witness_verify(arena, problem, STIC_CONDITION_SUFFICIENT, wrong, &witness), STIC_OK);
    test_equal(witness.margin, -INFINITY);
    stic_arena_destroy(arena);
}

/* ---- generated scenes ---- */

// obstacles at rest: v = 0 is a witness; joints hold; both forms agree
static void test_scenes(void** state)
{
    (void)state;
    static const SceneDef defs[] = {{SCENE_ARCH, 9, 0.7, 0.0, 0.0},
                                    {SCENE_CHAIN, 10, 0.4, 0.0, 0.0},
                                    {SCENE_STACK, 10, 0.5, 1.0, 0.0},
                                    {SCENE_SPHERES, 60, 0.4, 1.0, 0.0},
                                    {SCENE_BRIDGE, 4, 0.5, 0.0, 0.0}};
    for (size_t k = 0; k < sizeof defs / sizeof defs[0]; ++k) {
        SticArena* arena = build_arena();
        Scene scene;
        scene_create(&scene, &defs[k]);
        const SticExistence result = build_decide(arena, &scene.problem);
        print_message("scene %d: %d contacts, %s, margin %.3e, %d steps, %.3f s\n", defs[k].kind,
                      scene.problem.count, stic_verdict_name(result.verdict), result.margin,
                      result.steps, result.seconds);
        test_at_most(result.verdict, STIC_VERDICT_EXISTS_BORDERLINE);
        scene_release(&scene);
        stic_arena_destroy(arena);
    }
}

/* ---- example 4: all obstacles move as one rigid body ---- */

// box, drum or plate: every contact with a fixed body gets the velocity a + o x p of its point
static void test_common_motion(void** state)
{
    (void)state;
    static const SceneDef defs[] = {{SCENE_SPHERES, 60, 0.4, 0.0, 0.0},
                                    {SCENE_ARCH, 9, 0.7, 0.0, 0.0},
                                    {SCENE_CHAIN, 10, 0.4, 0.0, 0.0}};
    const double a[3] = {0.3, -1.0, -2.0}, o[3] = {0.5, 0.2, -0.7};
    for (size_t k = 0; k < sizeof defs / sizeof defs[0]; ++k) {
        SticArena* arena = build_arena();
        SticExistenceSettings settings = stic_existence_default_settings();
        SticExistence result;
        SticError error = {0};
        Scene scene;
        scene_create(&scene, &defs[k]);
        for (int32_t c = 0; c < scene.contacts; ++c) {
            const SceneContact* contact = &scene.contact[c];
            const double *p = contact->point, sign = contact->a < 0 ? -1.0 : 1.0;
            double axis[3][3];
            memcpy(axis[0], contact->normal, sizeof axis[0]);
            scene_tangents(axis[0], axis[1], axis[2]);
            for (int row = 0; row < 3 && (contact->a < 0 || contact->b < 0); ++row)
                for (int d = 0; d < 3; ++d)
                    scene.w[3 * c + row] +=
                        sign * axis[row][d] *
                        (a[d] + o[(d + 1) % 3] * p[(d + 2) % 3] - o[(d + 2) % 3] * p[(d + 1) % 3]);
        }
        // the cheap candidate alone
        settings.margin = false;
        settings.search_steps = settings.program_steps = 0;
        assert_int_equal(stic_existence_decide(&scene.problem, &settings, arena, &result, &error),
                         STIC_OK);
        print_message("common motion, scene %d: %s by %s, margin %.1e\n", defs[k].kind,
                      stic_verdict_name(result.verdict), stic_evidence_name(result.found_by),
                      result.margin);
        test_at_most(result.verdict, STIC_VERDICT_EXISTS_BORDERLINE);
        // the abutments of the arch leave it: v = 0 does as well
        assert_int_equal(result.found_by,
                         defs[k].kind == SCENE_ARCH ? STIC_EVIDENCE_REST : STIC_EVIDENCE_KINEMATIC);
        scene_release(&scene);
        stic_arena_destroy(arena);
    }
}

/* ---- memory ---- */

static SticStatus decide_once(const SticContext* context, void* self)
{
    const SticExistenceSettings settings = stic_existence_default_settings();
    SticArena* arena = NULL;
    SticExistence result;
    SticError error = {0};
    STIC_TRY(stic_arena_create(context, 0, &arena));
    const SticStatus status = stic_existence_decide(self, &settings, arena, &result, &error);
    if (status == STIC_OK)
        assert_int_equal(result.verdict, STIC_VERDICT_NONE);
    stic_arena_destroy(arena);
    return status;
}

static void test_memory(void** state)
{
    (void)state;
    SticArena* arena = build_arena();
    BuildDef def;
    Build ball;
    build_ball(arena, 1.0, 0.5, &def, &ball);
    print_message("memory: every one of %d allocations failed once\n",
                  (int)test_fail_every_allocation(decide_once, &ball.problem));
    SticProblem local = build_local(arena, &ball.problem);
    test_fail_every_allocation(decide_once, &local);
    stic_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bar_grid),         cmocka_unit_test(test_crushed_ball),
        cmocka_unit_test(test_two_obstacles),    cmocka_unit_test(test_deformable),
        cmocka_unit_test(test_frictionless),     cmocka_unit_test(test_perturbations),
        cmocka_unit_test(test_verifier_refuses), cmocka_unit_test(test_scenes),
        cmocka_unit_test(test_common_motion),    cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

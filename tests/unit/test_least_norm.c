// SPDX-License-Identifier: Apache-2.0
// Contact forces of least norm: closed forms, independence of the solver, the same motion.
#include <math.h>
#include <stdio.h>

#include "helpers/world.h"
#include "output/least_norm.h"
#include "output/output.h"
#include "stiction/extend/sparse.h"

// what acted in the last step of a run, as contacts
typedef struct Forces {
    SticArena* arena;
    SticTableRows rows;
    SticActing acting;
    SticContactRow* contact;
    int32_t count;
    double norm;
} Forces;

static Forces collect(TestWorld* tw, bool least)
{
    Forces f = {.norm = 0.0};
    assert_int_equal(stic_arena_create(&tw->context, 0, &f.arena), STIC_OK);
    assert_int_equal(stic_table_rows_create(tw->world, f.arena, &f.rows), STIC_OK);
    assert_int_equal(stic_output_acting(tw->run, tw->world, least, f.arena, &f.acting), STIC_OK);
    assert_int_equal(
        stic_output_contacts(&f.acting, tw->world, &f.rows, f.arena, &f.contact, &f.count),
        STIC_OK);
    for (int32_t i = 0; i < f.count; ++i)
        f.norm += stic_vec3_dot(f.contact[i].force, f.contact[i].force);
    f.norm = sqrt(f.norm);
    return f;
}

// largest difference of H r between two sets of reactions, over the largest entry
static double motion_difference(const Forces* a, const Forces* b, int32_t dof)
{
    double x[256] = {0.0}, y[256] = {0.0}, worst = 0.0, size = 0.0;
    test_at_most(dof, 256);
    stic_block_csr_multiply_transpose(1.0, &a->acting.Ht, a->acting.r, 0.0, x);
    stic_block_csr_multiply_transpose(1.0, &b->acting.Ht, b->acting.r, 0.0, y);
    for (int32_t k = 0; k < dof; ++k) {
        worst = test_worse(worst, fabs(x[k] - y[k]));
        size = test_worse(size, fabs(x[k]));
    }
    return worst / size;
}

/* ---- a box on four points ---- */

// sum f = W and the moments of an eccentric weight: f = W/4 (1 + x ex/a^2 + y ey/b^2), which is
// the least-norm solution as long as it is positive, and no friction
static void test_box(void** unused)
{
    (void)unused;
    const double a = 0.5, b = 0.4, ex = 0.12, ey = -0.07, mass = 10.0;
    TestWorld tw;
    test_world_open(&tw, NULL, NULL);
    test_world_plane(&tw, stic_vec3(0.0, 0.0, 1.0), 0.0, (SticMaterialId){0, 0});
    SticBodyDef def = stic_body_default_def();
    def.position = stic_vec3(0.0, 0.0, 0.3 - 1e-6);
    def.mass = mass;
    def.centre = stic_vec3(ex, ey, 0.0);
    def.inertia = stic_mat3_scale(1.0, stic_mat3_identity());
    test_world_add(&tw, &def, test_world_box(&tw, a, b, 0.3), (SticMaterialId){0, 0});
    test_world_run(&tw, "moreau", NULL, 1e-3, 1e-13);
    test_world_steps(&tw, 3);
    Forces solver = collect(&tw, false), least = collect(&tw, true);
    assert_int_equal(least.count, 4);
    double worst = 0.0;
    for (int i = 0; i < 4; ++i) {
        const SticContactRow* row = &least.contact[i];
        const double weight = 9.81 * mass / 4.0;
        const double expected =
            weight * (1.0 + row->point.x * ex / (a * a) + row->point.y * ey / (b * b));
        worst = test_worse(worst, fabs(row->force.z - expected) / weight);
        worst = test_worse(worst, fmax(fabs(row->force.x), fabs(row->force.y)) / weight);
        assert_int_equal(row->status, 1);
    }
    print_message("box: norm %.12g by the solver, %.12g least; closed form to %.1e\n", solver.norm,
                  least.norm, worst);
    test_less(worst, 1e-9);
    test_at_most(least.norm, solver.norm * (1.0 + 1e-12));
    stic_arena_destroy(solver.arena);
    stic_arena_destroy(least.arena);
    test_world_close(&tw);
}

/* ---- what is open carries nothing ---- */

static void add_pedestal(TestWorld* tw, double x, double top)
{
    SticBodyDef def = stic_body_default_def();
    def.kind = STIC_BODY_FIXED;
    def.position = stic_vec3(x, 0.0, top - 0.5);
    test_world_add(tw, &def, test_world_box(tw, 0.5, 1.0, 0.5), (SticMaterialId){0, 0});
}

// a slab on a pedestal, its overhang a little above another one: a quarter of the weight at each
// corner of the first, nothing at those of the second, which are found but have a gap
static void test_overhang(void** unused)
{
    (void)unused;
    static const double gaps[] = {1e-3, 1e-5, 1e-8};
    static const char* const schemes[] = {"moreau", "koziara", "quasi-static"};
    for (int k = 0; k < 9; ++k) {
        TestWorld tw;
        test_world_open(&tw, NULL, NULL);
        add_pedestal(&tw, 0.0, 0.0);
        add_pedestal(&tw, 1.2, -gaps[k / 3]);
        SticBodyDef def = stic_body_default_def();
        def.position = stic_vec3(0.0, 0.0, 0.1);
        def.mass = 10.0;
        def.inertia = stic_mat3_identity();
        test_world_add(&tw, &def, test_world_box(&tw, 1.5, 0.5, 0.1), (SticMaterialId){0, 0});
        test_world_run(&tw, schemes[k % 3], NULL, 1e-3, 1e-12);
        test_world_steps(&tw, 2);
        Forces least = collect(&tw, true);
        double worst = 0.0, open = 0.0;
        for (int32_t i = 0; i < least.count; ++i) {
            const SticContactRow* row = &least.contact[i];
            const bool carries = fabs(row->point.x) < 0.6 && fabs(row->gap) < 1e-9;
            worst = test_worse(worst, carries ? fabs(fabs(row->force.z) - 9.81 * 10.0 / 4.0) : 0.0);
            open = test_worse(open, carries ? 0.0 : stic_vec3_norm(row->force));
        }
        print_message("overhang with a gap of %g m, %s: %d contacts, %.1e N beside a quarter of "
                      "the weight, %.1e N at what is open\n",
                      gaps[k / 3], schemes[k % 3], least.count, worst, open);
        test_less(worst, 1e-6);
        test_near(open, 0.0, 0.0);
        stic_arena_destroy(least.arena);
        test_world_close(&tw);
    }
}

/* ---- different solvers, one answer ---- */

static void build_stack(TestWorld* tw, double angle, const char* solver)
{
    test_world_open(tw, NULL, NULL);
    test_world_plane(tw, stic_vec3(sin(angle), 0.0, cos(angle)), 0.0, (SticMaterialId){0, 0});
    const SticShape* shape = test_world_box(tw, 0.25, 0.2, 0.1);
    for (int i = 0; i < 5; ++i) {
        SticBodyDef def = stic_body_default_def();
        const double up = 0.1 + 0.2 * i - 1e-6 * (i + 1);
        def.position = stic_vec3(up * sin(angle) + 0.02 * i * cos(angle), 0.01 * i,
                                 up * cos(angle) - 0.02 * i * sin(angle));
        def.orientation = test_turn(stic_vec3(0.0, 1.0, 0.0), angle);
        test_world_add(tw, &def, shape, (SticMaterialId){0, 0});
    }
    SticChart chart = STIC_CHART_QUATERNION;
    SticRunParts def = stic_run_default_parts();
    tw->scheme = stic_scheme_find("moreau", &tw->error);
    assert_true(stic_world_chart(tw->scheme->charts, &chart));
    test_world_system(tw, chart);
    def.system = tw->system;
    def.scheme = tw->scheme;
    def.solver = stic_solver_find(solver, &tw->error);
    assert_non_null(def.solver);
    def.step = 1e-3;
    def.solve.tolerance = 1e-12;
    def.solve.max_iterations = 1000000;
    def.policy = STIC_POLICY_CONTINUE;
    TEST_TRY(tw, stic_run_assemble(&tw->context, &def, &tw->run, &tw->error));
    stic_world_start(tw->world, tw->system, stic_run_state(tw->run));
    test_world_steps(tw, 1);
}

// five boxes on a slope, at rest (friction 0.5 holds 26 degrees) or sliding
static void check_stack(double angle, bool slides)
{
    TestWorld tw[2];
    Forces solver[2], least[2];
    static const char* const names[2] = {"nsgs", "apgd"};
    for (int k = 0; k < 2; ++k) {
        build_stack(&tw[k], angle, names[k]);
        solver[k] = collect(&tw[k], false);
        least[k] = collect(&tw[k], true);
        const double moved = motion_difference(&solver[k], &least[k], 30);
        print_message("%s at %.0f degrees: norm %.9g, least %.9g, the same motion to %.1e\n",
                      names[k], angle * 180.0 / acos(-1.0), solver[k].norm, least[k].norm, moved);
        test_less(moved, 1e-8);
        test_at_most(least[k].norm, solver[k].norm * (1.0 + 1e-9));
        for (int32_t i = 0; i < least[k].count; ++i)
            assert_true(least[k].contact[i].status != 2 || slides);
    }
    assert_int_equal(least[0].count, 20);
    assert_int_equal(least[1].count, 20);
    double differ = 0.0, apart = 0.0;
    for (int32_t i = 0; i < 20; ++i) {
        test_equal(least[0].contact[i].id, least[1].contact[i].id);
        differ = test_worse(differ, stic_vec3_norm(stic_vec3_sub(solver[0].contact[i].force,
                                                                 solver[1].contact[i].force)));
        apart = test_worse(apart, stic_vec3_norm(stic_vec3_sub(least[0].contact[i].force,
                                                               least[1].contact[i].force)));
    }
    print_message("forces of the two solvers differ by %.2e of the norm, least-norm forces by "
                  "%.2e\n",
                  differ / least[0].norm, apart / least[0].norm);
    test_less(apart, 1e-6 * least[0].norm);
    for (int k = 0; k < 2; ++k) {
        stic_arena_destroy(solver[k].arena);
        stic_arena_destroy(least[k].arena);
        test_world_close(&tw[k]);
    }
}

static void test_stack(void** unused)
{
    (void)unused;
    const double degree = acos(-1.0) / 180.0;
    check_stack(0.0, false);
    check_stack(15.0 * degree, false);
    check_stack(35.0 * degree, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_box), cmocka_unit_test(test_overhang),
                                       cmocka_unit_test(test_stack)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

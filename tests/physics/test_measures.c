// SPDX-License-Identifier: Apache-2.0
// What a step measures: a stack at rest and a swinging chain once with directions, and what is left
// out of the second measure makes no difference.
#include "helpers/joints.h"

#include "stiction/extend/system.h"

typedef SticStatus Measure(const SticSystem* system, const SticSet* set, const SticState* state,
                           SticMeasures* measures);

// calls of measure with directions or the velocities along them, of gaps alone, and with
// interactions that are left out
typedef struct Count {
    Measure* measure; // of the system itself
    int directed, gaps, aside;
} Count;
static Count count;

static SticStatus counting(const SticSystem* system, const SticSet* set, const SticState* state,
                           SticMeasures* measures)
{
    const bool directed = (measures->want & (STIC_WANT_H | STIC_WANT_SPEED)) != 0;
    count.directed += directed;
    count.gaps += !directed;
    count.aside += measures->aside != NULL;
    return count.measure(system, set, state, measures);
}

static SticStatus measuring_all(const SticSystem* system, const SticSet* set,
                                const SticState* state, SticMeasures* measures)
{
    SticMeasures all = *measures;
    all.aside = NULL;
    const SticStatus status = count.measure(system, set, state, &all);
    all.aside = measures->aside;
    *measures = all;
    return status;
}

// let a system measure by another function
static void replace(TestWorld* tw, SticSystemOps* ops, Measure* measure)
{
    *ops = *tw->system->ops;
    count = (Count){.measure = ops->measure};
    ops->measure = measure;
    tw->system->ops = ops;
}

static void stack(TestWorld* tw, double spin)
{
    test_world_open(tw, NULL, NULL);
    test_world_plane(tw, stic_vec3(0, 0, 1), 0.0, (SticMaterialId){0, 0});
    const SticShape* box = test_world_box(tw, 0.5, 0.5, 0.5);
    for (int k = 0; k < 4; ++k) {
        SticBodyDef body = stic_body_default_def();
        body.position = stic_vec3(0.05 * k, 0.04 * (k % 2), 0.5 + k);
        test_world_add(tw, &body, box, (SticMaterialId){0, 0});
    }
    // and one that slides and turns beside them
    SticBodyDef body = stic_body_default_def();
    body.position = stic_vec3(5.0, 0.0, 0.5);
    body.velocity = stic_vec3(spin, 0.0, 0.0);
    body.angular_velocity = stic_vec3(0.0, 0.0, spin);
    if (spin != 0.0)
        test_world_add(tw, &body, box, (SticMaterialId){0, 0});
    test_world_run(tw, "moreau", NULL, 2e-3, 0.0);
}

// nothing turns at rest: one measure is enough
static void test_rest(void** unused)
{
    (void)unused;
    TestWorld tw;
    SticSystemOps ops;
    stack(&tw, 0.0);
    test_world_steps(&tw, 50);
    replace(&tw, &ops, counting);
    test_world_steps(&tw, 20);
    print_message("20 steps at rest: %d measures with directions, %d of gaps\n", count.directed,
                  count.gaps);
    assert_int_equal(count.directed, 20);
    test_world_close(&tw);
}

// beside a body that moves, contacts at rest are left out: the same bits as if they were not
static void test_aside(void** unused)
{
    (void)unused;
    uint64_t hash[2];
    for (int all = 0; all < 2; ++all) {
        TestWorld tw;
        SticSystemOps ops;
        stack(&tw, 2.0);
        replace(&tw, &ops, all ? measuring_all : counting);
        test_world_steps(&tw, 60);
        if (!all)
            test_at_least(count.aside, 60);
        hash[all] = stic_run_hash(tw.run);
        test_world_close(&tw);
    }
    assert_true(hash[0] == hash[1]);
}

// a chain that swings: its joints are measured once with directions, and closed by their gaps
static void test_chain(void** unused)
{
    (void)unused;
    enum { LINKS = 20 };
    const SticWorldDef world = test_joint_gravity(stic_vec3(0.0, 0.0, -9.81));
    TestWorld tw;
    SticSystemOps ops;
    SticBodyId last = test_ground;
    test_world_open(&tw, NULL, &world);
    const SticShape* box = test_world_box(&tw, 0.1, 0.02, 0.02);
    for (int k = 0; k < LINKS; ++k) {
        const SticBodyId link =
            test_world_body(&tw, box, stic_vec3(0.1 + 0.2 * k, 0.0, 0.0), stic_vec3_zero());
        SticJointDef def = stic_joint_default_def();
        def.kind = STIC_JOINT_POINT;
        def.body[0] = link;
        def.body[1] = last;
        def.contacts = false;
        TEST_TRY(&tw, stic_joint_place(tw.world, stic_vec3(0.2 * k, 0.0, 0.0),
                                       stic_vec3(0.0, 0.0, 1.0), &def, &tw.error));
        test_joint_add(&tw, &def);
        last = link;
    }
    test_world_run(&tw, "moreau", NULL, 2e-3, 0.0);
    test_world_steps(&tw, 50);
    replace(&tw, &ops, counting);
    double worst = 0.0;
    for (int k = 0; k < 100; ++k) {
        test_world_steps(&tw, 1);
        worst = fmax(worst, tw.info.joint_part);
    }
    print_message("100 steps of a chain: %d measures with directions, %d of gaps, joints open by "
                  "%.1e of their bodies\n",
                  count.directed, count.gaps, worst);
    assert_int_equal(count.directed, 100);
    test_at_most(count.gaps, 300);
    test_at_most(worst, 1e-9);
    test_world_close(&tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rest),
        cmocka_unit_test(test_aside),
        cmocka_unit_test(test_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

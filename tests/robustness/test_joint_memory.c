// SPDX-License-Identifier: Apache-2.0
// Worlds with joints out of memory: every allocation fails once; and same bits for repeated runs.
#include "helpers/helpers.h"

#include "stiction/extend/run.h"
#include "stiction/extend/vec3.h"
#include "stiction/extend/world.h"

// a chain of three bodies: hinge with all that a coordinate can have, slider, spring to the ground
static SticStatus fill(SticWorld* world, SticError* error)
{
    SticBodyId body[3];
    SticJointId id;
    for (int k = 0; k < 3; ++k) {
        SticBodyDef def = stic_body_default_def();
        def.mass = 1.0 + k;
        def.inertia = stic_mat3_diag(stic_vec3(0.2, 0.3, 0.4));
        def.position = stic_vec3(0.5 + k, 0.0, 0.0);
        STIC_TRY(stic_body_create(world, &def, &body[k], error));
    }
    SticJointDef def = stic_joint_default_def();
    def.kind = STIC_JOINT_HINGE;
    def.body[0] = body[0];
    def.limit[0] = -1.0;
    def.limit[1] = 0.05;
    def.friction = 0.1;
    def.driven = true;
    def.drive.speed = 0.3;
    def.drive_force = 0.5;
    def.spring = (SticSpring){.stiffness = 1.0, .damping = 0.1};
    STIC_TRY(stic_joint_place(world, stic_vec3_zero(), stic_vec3(0.0, 1.0, 0.0), &def, error));
    STIC_TRY(stic_joint_create(world, &def, &id, error));
    def = stic_joint_default_def();
    def.kind = STIC_JOINT_SLIDER;
    def.body[0] = body[1];
    def.body[1] = body[0];
    STIC_TRY(
        stic_joint_place(world, stic_vec3(1.0, 0.0, 0.0), stic_vec3(1.0, 0.0, 1.0), &def, error));
    STIC_TRY(stic_joint_create(world, &def, &id, error));
    def = stic_joint_default_def();
    def.kind = STIC_JOINT_SPAN;
    def.body[0] = body[2];
    def.body[1] = body[1];
    def.spring = (SticSpring){.stiffness = 20.0, .rest = 0.8, .damping = 0.2};
    return stic_joint_create(world, &def, &id, error);
}

static SticStatus go(SticRun* run, const SticWorld* world, const SticSystem* system, uint64_t* hash)
{
    SticStepInfo info;
    stic_world_start(world, system, stic_run_state(run));
    for (int k = 0; k < 50; ++k)
        STIC_TRY(stic_run_step(run, &info));
    *hash = stic_run_hash(run);
    return STIC_OK;
}

static SticStatus project(const SticContext* context, const SticSystem* system, SticState* state,
                          SticProjection* report, SticError* error)
{
    SticStepper* stepper = NULL;
    STIC_TRY(stic_stepper_create(context, stic_scheme_find("koziara", error), &stepper));
    const SticStatus status = stic_step_project(stepper, system, state, report, error);
    stic_stepper_destroy(stepper);
    return status;
}

static SticStatus whole_run(const SticContext* context, void* self)
{
    SticWorld* world = NULL;
    SticSystem* system = NULL;
    SticRun* run = NULL;
    SticError error = {0};
    SticProjection report;
    const SticWorldDef def = stic_world_default_def();
    SticStatus status = stic_world_create(context, &def, &world, &error);
    if (status == STIC_OK)
        status = fill(world, &error);
    if (status == STIC_OK)
        status = stic_world_system(world, STIC_CHART_ROTATION, &system, &error);
    if (status == STIC_OK) {
        SticRunParts run_def = stic_run_default_parts();
        run_def.system = system;
        run_def.scheme = stic_scheme_find("koziara", &error);
        run_def.step = 0.005;
        status = stic_run_assemble(context, &run_def, &run, &error);
    }
    if (status == STIC_OK)
        status = project(context, system, stic_run_state(run), &report, &error);
    if (status == STIC_OK)
        status = go(run, world, system, self);
    stic_run_destroy(run);
    stic_world_system_destroy(system);
    stic_world_destroy(world);
    return status;
}

static void test_memory(void** unused)
{
    (void)unused;
    uint64_t hash = 0;
    test_fail_every_allocation(whole_run, &hash);
}

static void test_repeat(void** unused)
{
    (void)unused;
    uint64_t hash[2] = {0, 1};
    for (int k = 0; k < 2; ++k) {
        TestMemory memory;
        const SticContext context = test_memory_context(&memory);
        assert_int_equal(whole_run(&context, &hash[k]), STIC_OK);
        test_memory_check(&memory);
    }
    print_message("chain of joints, 50 steps: %016llx\n", (unsigned long long)hash[0]);
    test_equal(hash[0], hash[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_repeat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

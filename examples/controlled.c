// SPDX-License-Identifier: Apache-2.0
// A pendulum whose hinge has a motor: a controller in C holds it at 60 degrees.
#include <stdio.h>

#include "stiction/stiction.h"

// torque of a PD controller, from what the joint does where a step begins
typedef struct Controller {
    SticJointId hinge;
    double angle, stiffness, damping;
} Controller;

static double torque(void* self, const SticRun* run, double t)
{
    const Controller* controller = self;
    const SticJointView seen = stic_run_joint(run, controller->hinge);
    (void)t;
    return controller->stiffness * (controller->angle - seen.coordinate) -
           controller->damping * seen.rate;
}

int main(void)
{
    SticError error = {0};
    SticWorld* world = NULL;
    SticRun* run = NULL;
    Controller controller = {.angle = 1.0472, .stiffness = 200.0, .damping = 20.0};
    const SticJointForce* joint = NULL;
    int32_t count = 0, failed = stic_world_create(NULL, NULL, &world, &error) != STIC_OK;
    SticBodyDef bob = stic_body_default_def();
    SticJointDef hinge = stic_joint_default_def();
    bob.mass = 1.0;
    bob.position = stic_vec3(0, 0, -1);
    bob.shape = failed ? NULL : stic_world_sphere(world, 0.1, &error);
    hinge.kind = STIC_JOINT_HINGE;
    failed = failed || stic_body_create(world, &bob, &hinge.body[0], &error) ||
             stic_joint_place(world, stic_vec3(0, 0, 0), stic_vec3(0, 1, 0), &hinge, &error) ||
             stic_joint_create(world, &hinge, &controller.hinge, &error) ||
             stic_run_create(NULL, world, NULL, &run, &error) ||
             stic_run_control_force(run, controller.hinge, torque, &controller, &error) ||
             stic_run_advance(run, 5.0, &error) || stic_run_joints(run, &joint, &count);
    for (int32_t k = 0; k < count; ++k)
        printf("angle %.4f rad, torque %.4f N m\n", joint[k].coordinate,
               torque(&controller, run, 0));
    fputs(error.text, stderr);
    stic_run_destroy(run);
    stic_world_destroy(world);
    return failed;
}

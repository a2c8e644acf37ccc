// SPDX-License-Identifier: Apache-2.0
// Bodies, contacts and joints of a run of a world, and the functions that control them.
#include <math.h>
#include <string.h>

#include "run/acting.h"
#include "run/run.h"
#include "stiction/extend/base.h"
#include "world/world.h"

// the state that is seen: the present one, or the one that a control is asked at
static const SticState* seen_state(const SticRun* run)
{
    return run->seen != NULL ? run->seen : run->state[0];
}

double stic_run_time(const SticRun* run)
{
    return run == NULL ? 0.0 : run->state[0]->t;
}

SticStatus stic_run_energy(const SticRun* run, double* kinetic, double* potential)
{
    STIC_GIVEN(run, NULL);
    double unused;
    kinetic = kinetic == NULL ? &unused : kinetic;
    potential = potential == NULL ? &unused : potential;
    SticArena* scratch = run->stepper->arena;
    const SticArenaMark mark = stic_arena_mark(scratch);
    SticStatus status = stic_system_kinetic(run->def.system, run->state[0], scratch, kinetic);
    if (status == STIC_OK)
        status = stic_system_potential(run->def.system, run->state[0], scratch, potential);
    stic_arena_rewind(scratch, mark);
    return status;
}

// bodies and joints can be looked at
static bool has_world(const SticRun* run)
{
    return run != NULL && stic_world_of(run->def.system) != NULL;
}

SticPose stic_run_pose(const SticRun* run, SticBodyId body)
{
    return has_world(run) ? stic_world_pose(run->def.system, seen_state(run), body)
                          : stic_pose_identity();
}

SticTwist stic_run_twist(const SticRun* run, SticBodyId body)
{
    return has_world(run) ? stic_world_twist(run->def.system, seen_state(run), body)
                          : (SticTwist){0};
}

int32_t stic_run_nodes(const SticRun* run, SticBodyId body, SticVec3* place, SticVec3* velocity,
                       int32_t room)
{
    return has_world(run)
               ? stic_world_nodes(run->def.system, seen_state(run), body, place, velocity, room)
               : 0;
}

SticMat3 stic_run_stress(const SticRun* run, SticBodyId body, int32_t cell)
{
    if (!has_world(run))
        return stic_mat3_zero();
    return cell == -1 ? stic_world_stress(run->def.system, seen_state(run), body)
                      : stic_world_cell_stress(run->def.system, seen_state(run), body, cell);
}

SticJointView stic_run_joint(const SticRun* run, SticJointId joint)
{
    return has_world(run) ? stic_world_joint(run->def.system, seen_state(run), joint)
                          : (SticJointView){0};
}

static SticStatus check_world(const SticRun* run, SticError* error)
{
    if (stic_world_of(run->def.system) != NULL)
        return STIC_OK;
    return stic_error_set(error, STIC_UNSUPPORTED, "system '%s' is no world: it has no bodies",
                          run->def.system->name);
}

SticStatus stic_run_set_pose(SticRun* run, SticBodyId body, SticVec3 position, SticQuat orientation,
                             SticError* error)
{
    STIC_GIVEN(run, error);
    STIC_TRY(check_world(run, error));
    const SticSystem* system = run->def.system;
    if (run->placed == NULL)
        STIC_TRY(STIC_ALLOCATE(&run->context, &run->placed, system->layout.blocks));
    STIC_TRY(stic_world_set_pose(system, body, position, orientation, run->state[0], error));
    run->placed[stic_world_block(system, body)] = 1;
    run->any_placed = true;
    return stic_sleep_wake(run, stic_world_block(system, body));
}

SticStatus stic_run_set_twist(SticRun* run, SticBodyId body, const SticTwist* twist,
                              SticError* error)
{
    STIC_GIVEN(run, error);
    STIC_GIVEN(twist, error);
    STIC_TRY(check_world(run, error));
    STIC_TRY(stic_world_set_twist(run->def.system, body, twist, run->state[0], error));
    return stic_sleep_wake(run, stic_world_block(run->def.system, body));
}

/* ---- what acted ---- */

// joints that are alive, without gaps between them
static int32_t close_up(SticJointForce* joint, uint32_t slots)
{
    int32_t count = 0;
    for (uint32_t k = 0; k < slots; ++k)
        if (joint[k].joint.generation > 0)
            joint[count++] = joint[k];
    return count;
}

static SticStatus collect(SticRun* run)
{
    const SticWorld* world = stic_world_of(run->def.system);
    SticActing acting;
    if (world == NULL)
        return STIC_UNSUPPORTED;
    if (run->report == NULL)
        STIC_TRY(stic_arena_create(&run->context, 0, &run->report));
    STIC_TRY(stic_arena_reset(run->report));
    run->contacts = run->joints = 0;
    run->contact = NULL;
    run->joint = NULL;
    if (!run->acted)
        return STIC_OK;
    STIC_TRY(stic_run_acting(run, run->report, &acting));
    STIC_TRY(stic_acting_contacts(&acting, world, run->report, &run->contact, &run->contacts));
    STIC_TRY(STIC_TAKE(run->report, &run->joint, world->joints + 1));
    STIC_TRY(stic_acting_joints(&acting, world, run->state[0], run->report, run->joint));
    run->joints = close_up(run->joint, world->joints);
    run->collected = true;
    return STIC_OK;
}

SticStatus stic_run_contacts(SticRun* run, const SticContactForce** contact, int32_t* count)
{
    STIC_GIVEN(run, NULL);
    STIC_GIVEN(contact, NULL);
    STIC_GIVEN(count, NULL);
    const SticStatus status = run->collected ? STIC_OK : collect(run);
    *contact = status == STIC_OK ? run->contact : NULL;
    *count = status == STIC_OK ? run->contacts : 0;
    return status;
}

SticStatus stic_run_joints(SticRun* run, const SticJointForce** joint, int32_t* count)
{
    STIC_GIVEN(run, NULL);
    STIC_GIVEN(joint, NULL);
    STIC_GIVEN(count, NULL);
    const SticStatus status = run->collected ? STIC_OK : collect(run);
    *joint = status == STIC_OK ? run->joint : NULL;
    *count = status == STIC_OK ? run->joints : 0;
    return status;
}

int32_t stic_run_bodies(const SticRun* run, SticBodyState* state, int32_t room)
{
    if (run == NULL)
        return 0;
    const SticSystem* system = run->def.system;
    const SticWorld* world = stic_world_of(system);
    int32_t count = 0;
    for (uint32_t k = 0; world != NULL && k < world->bodies; ++k) {
        if (!world->body[k].alive)
            continue;
        if (state != NULL && count < room) {
            const SticBodyId id = {.index = k, .generation = world->body[k].generation};
            const SticPose pose = stic_world_pose(system, seen_state(run), id);
            const SticTwist twist = stic_world_twist(system, seen_state(run), id);
            state[count] = (SticBodyState){.body = id,
                                           .position = pose.origin,
                                           .orientation = stic_pose_orientation(&pose),
                                           .velocity = twist.velocity,
                                           .angular_velocity = twist.angular_velocity};
        }
        count += 1;
    }
    return count;
}

SticArena* stic_run_detach(SticRun* run)
{
    STIC_ASSERT(run != NULL);
    SticArena* report = run->report;
    run->report = NULL;
    run->contact = NULL;
    run->joint = NULL;
    run->contacts = run->joints = 0;
    run->collected = false;
    return report;
}

/* ---- controls ---- */

static SticLabel label_of(const SticRun* run, SticBodyId body)
{
    return stic_label(stic_body_name(run->world, body), body.index);
}

static SticStatus joint_not_finite(const SticRun* run, const SticControl* control, const char* what,
                                   double t, SticError* error)
{
    const uint32_t slot = control->joint.index;
    return stic_error_set(error, STIC_NOT_FINITE,
                          "the control of joint %s gave a %s that is not finite at t = %g s",
                          stic_label(run->world->joint[slot].name, slot).text, what, t);
}

// The velocity of a drive over a step. A scheme that integrates between events holds joints by
// accelerations, and needs the rate of that velocity too: the chord over the step, by which the
// velocity is continuous where the function is one of time. Inside the step the chord stays.
static SticStatus apply_velocity(SticRun* run, const SticControl* control, double begin, double end,
                                 SticError* error)
{
    SticDrive drive = {0};
    if (!run->def.scheme->events) {
        const double t = begin + 0.5 * (end - begin);
        drive.speed = control->velocity(control->self, run, t);
        if (!isfinite(drive.speed))
            return joint_not_finite(run, control, "speed", t, error);
        return stic_joint_set_drive(run->world, control->joint, &drive, error);
    }
    if (!(end > begin))
        return STIC_OK;
    const double from = control->velocity(control->self, run, begin);
    const double to = control->velocity(control->self, run, end);
    if (!isfinite(from) || !isfinite(to))
        return joint_not_finite(run, control, "speed", isfinite(from) ? end : begin, error);
    drive.acceleration = (to - from) / (end - begin);
    drive.speed = from - drive.acceleration * begin;
    return stic_joint_set_drive(run->world, control->joint, &drive, error);
}

static SticStatus apply(SticRun* run, const SticControl* control, double begin, double end,
                        SticError* error)
{
    // equilibria are those of the loads at the end
    const double t = run->def.scheme->still ? end : begin + 0.5 * (end - begin);
    if (control->push != NULL) {
        SticVec3 force = stic_vec3_zero(), torque = stic_vec3_zero();
        control->push(control->self, run, t, &force, &torque);
        if (!(stic_vec3_is_finite(force) && stic_vec3_is_finite(torque)))
            return stic_error_set(
                error, STIC_NOT_FINITE,
                "the control of body %s gave a force or torque that is not finite "
                "at t = %g s",
                label_of(run, control->body).text, t);
        return stic_body_set_force(run->world, control->body, force, torque, error);
    }
    if (control->velocity != NULL)
        return apply_velocity(run, control, begin, end, error);
    const double force = control->force(control->self, run, t);
    if (!isfinite(force))
        return joint_not_finite(run, control, "force", t, error);
    return stic_joint_set_force(run->world, control->joint, force, error);
}

SticStatus stic_run_load_time(SticRun* run, const SticState* from, double begin, double end,
                              SticError* error)
{
    const SticLoads* loads = &run->def.loads;
    if (loads->set != NULL)
        STIC_TRY(loads->set(loads->self, begin, end, error));
    SticStatus status = STIC_OK;
    run->seen = from;
    for (int32_t k = 0; status == STIC_OK && k < run->controls; ++k) {
        // the function may change the controls
        const SticControl control = run->control[k];
        status = apply(run, &control, begin, end, error);
    }
    run->seen = NULL;
    return status;
}

// what the world has where a control acts; nothing, if the body or joint is gone
static void read_world(const SticWorld* world, const SticControl* control, SticControlled* now)
{
    *now = control->aside;
    if (control->kind == STIC_CONTROL_BODY && stic_body_is_valid(world, control->body)) {
        now->force = world->body[control->body.index].def.force;
        now->torque = world->body[control->body.index].def.torque;
    } else if (stic_joint_is_valid(world, control->joint)) {
        now->drive = world->joint[control->joint.index].def.drive;
        now->actuator = world->joint[control->joint.index].def.force;
    }
}

// these values were accepted once, there is nothing to check
static void write_world(SticWorld* world, const SticControl* control, const SticControlled* value)
{
    if (control->kind == STIC_CONTROL_BODY && stic_body_is_valid(world, control->body)) {
        world->body[control->body.index].def.force = value->force;
        world->body[control->body.index].def.torque = value->torque;
    } else if (stic_joint_is_valid(world, control->joint)) {
        if (control->kind == STIC_CONTROL_DRIVE)
            world->joint[control->joint.index].def.drive = value->drive;
        else
            world->joint[control->joint.index].def.force = value->actuator;
    }
}

void stic_run_exchange(SticRun* run, bool into)
{
    run->exchanged = into;
    for (int32_t k = 0; k < run->controls; ++k) {
        SticControl* control = &run->control[k];
        SticControlled now;
        read_world(run->world, control, &now);
        if (control->acted)
            write_world(run->world, control, &control->aside);
        control->aside = now;
        control->acted = true;
    }
}

static bool is_same(const SticControl* a, const SticControl* b)
{
    return memcmp(&a->body, &b->body, sizeof a->body) == 0 &&
           memcmp(&a->joint, &b->joint, sizeof a->joint) == 0 && a->kind == b->kind;
}

// replace the control of the same number, or add one; `ends`: remove it
static SticStatus set_control(SticRun* run, const SticControl* control, bool ends, SticError* error)
{
    int32_t at = 0;
    while (at < run->controls && !is_same(&run->control[at], control))
        ++at;
    if (ends) {
        if (at == run->controls)
            return STIC_OK;
        if (run->exchanged)
            write_world(run->world, &run->control[at], &run->control[at].aside);
        run->control[at] = run->control[--run->controls];
        return STIC_OK;
    }
    const SticStatus status =
        STIC_RESERVE(&run->context, &run->control, &run->control_capacity, run->controls + 1);
    if (status != STIC_OK)
        return stic_error_set(error, status, "no memory for a control");
    SticControl made = *control;
    if (at < run->controls) {
        made.aside = run->control[at].aside;
        made.acted = run->control[at].acted;
    } else if (run->exchanged) {
        read_world(run->world, control, &made.aside);
        made.acted = true;
    }
    run->control[at] = made;
    run->controls += at == run->controls ? 1 : 0;
    return STIC_OK;
}

static SticStatus check_control(const SticRun* run, SticError* error)
{
    if (run->world != NULL)
        return STIC_OK;
    return stic_error_set(
        error, STIC_UNSUPPORTED,
        "a run that was put together has no controls: use the loads of its parts");
}

SticStatus stic_run_control_body(SticRun* run, SticBodyId body, SticBodyControl control, void* self,
                                 SticError* error)
{
    STIC_GIVEN(run, error);
    STIC_TRY(check_control(run, error));
    if (!stic_body_is_valid(run->world, body))
        return stic_error_set(error, STIC_BAD_ARGUMENT, "there is no body %u (generation %u)",
                              body.index, body.generation);
    const SticControl made = {
        .kind = STIC_CONTROL_BODY, .body = body, .push = control, .self = self};
    return set_control(run, &made, control == NULL, error);
}

static SticStatus control_joint(SticRun* run, const SticControl* control, bool ends,
                                SticError* error)
{
    STIC_TRY(check_control(run, error));
    if (!stic_joint_is_valid(run->world, control->joint))
        return stic_error_set(error, STIC_BAD_ARGUMENT, "there is no joint %u (generation %u)",
                              control->joint.index, control->joint.generation);
    return set_control(run, control, ends, error);
}

SticStatus stic_run_control_drive(SticRun* run, SticJointId joint, SticJointControl velocity,
                                  void* self, SticError* error)
{
    STIC_GIVEN(run, error);
    STIC_TRY(check_control(run, error));
    const SticControl made = {
        .kind = STIC_CONTROL_DRIVE, .joint = joint, .velocity = velocity, .self = self};
    if (stic_joint_is_valid(run->world, joint) && !run->world->joint[joint.index].def.driven)
        return stic_error_set(error, STIC_BAD_ARGUMENT, "joint %s was made without a drive",
                              stic_label(run->world->joint[joint.index].name, joint.index).text);
    return control_joint(run, &made, velocity == NULL, error);
}

SticStatus stic_run_control_force(SticRun* run, SticJointId joint, SticJointControl force,
                                  void* self, SticError* error)
{
    STIC_GIVEN(run, error);
    STIC_TRY(check_control(run, error));
    if (stic_joint_is_valid(run->world, joint) && force != NULL)
        STIC_TRY(stic_joint_set_force(run->world, joint, run->world->joint[joint.index].def.force,
                                      error));
    const SticControl made = {
        .kind = STIC_CONTROL_ACTUATOR, .joint = joint, .force = force, .self = self};
    return control_joint(run, &made, force == NULL, error);
}

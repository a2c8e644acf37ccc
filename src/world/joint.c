// SPDX-License-Identifier: Apache-2.0
// Joints of a world: definitions and their checks.
#include <float.h>
#include <math.h>

#include "math/math.h"
#include "shape/shape.h"
#include "stiction/extend/base.h"
#include "world/world.h"

SticJointDef stic_joint_default_def(void)
{
    const SticJointFrame frame = {stic_vec3_zero(), stic_mat3_identity()};
    return (SticJointDef){.kind = STIC_JOINT_POINT,
                          .frame = {frame, frame},
                          .limit = {-INFINITY, INFINITY},
                          .drive_force = INFINITY};
}

static bool is_ground(SticBodyId id)
{
    return id.generation == 0;
}

// where the frame of a body is at the start
static SticPose start_pose(const SticWorld* world, SticBodyId id)
{
    if (is_ground(id))
        return stic_pose_identity();
    return stic_body_start(&world->body[id.index].def);
}

SticVec3 stic_joint_point(const SticWorld* world, SticBodyId body, SticVec3 point)
{
    if (world == NULL)
        return point;
    const SticPose pose = start_pose(world, body);
    return stic_mat3_transpose_mul_vec(pose.F, stic_vec3_sub(point, pose.origin));
}

static uint32_t free_joint(const SticWorld* world)
{
    for (uint32_t i = 0; world->free_joints > 0 && i < world->joints; ++i)
        if (!world->joint[i].alive)
            return i;
    return world->joints;
}

static SticStatus check_bodies(const SticWorld* world, const SticJointDef* def, SticError* error)
{
    const SticLabel label = stic_label(def->name, free_joint(world));
    const char* name = label.text;
    bool moves = false;
    for (int k = 0; k < 2; ++k) {
        if (is_ground(def->body[k]))
            continue;
        if (!stic_body_is_valid(world, def->body[k]))
            return stic_error_set(error, STIC_BAD_ARGUMENT,
                                  "joint %s: there is no body %u (generation %u)", name,
                                  def->body[k].index, def->body[k].generation);
        if (world->body[def->body[k].index].def.kind == STIC_BODY_ELASTIC)
            return stic_error_set(
                error, STIC_UNSUPPORTED,
                "joint %s: body %s is elastic, and joints need bodies with a frame: rigid, point "
                "or pseudo-rigid ones",
                name, stic_label(stic_body_name(world, def->body[k]), def->body[k].index).text);
        moves = moves || stic_body_moves((SticBodyKind)world->body[def->body[k].index].def.kind);
    }
    if (!moves)
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "joint %s is between things that do not move", name);
    if (!is_ground(def->body[0]) && def->body[0].index == def->body[1].index &&
        !is_ground(def->body[1]))
        return stic_error_set(
            error, STIC_BAD_ARGUMENT, "joint %s joins body %s to itself", name,
            stic_label(stic_body_name(world, def->body[0]), def->body[0].index).text);
    return STIC_OK;
}

SticStatus stic_joint_place(const SticWorld* world, SticVec3 point, SticVec3 axis,
                            SticJointDef* def, SticError* error)
{
    STIC_GIVEN(world, error);
    STIC_GIVEN(def, error);
    STIC_TRY(check_bodies(world, def, error));
    const SticVec3 unit = stic_vec3_normalize(axis);
    if (!stic_vec3_is_finite(point) || !stic_vec3_is_finite(unit) || !(stic_vec3_norm(unit) > 0.5))
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "joint %s: point and axis must be finite, and the axis not 0",
                              stic_label(def->name, free_joint(world)).text);
    for (int k = 0; k < 2; ++k) {
        const SticPose pose = start_pose(world, def->body[k]);
        def->frame[k].point = stic_joint_point(world, def->body[k], point);
        def->frame[k].axes = stic_mat3_transpose_mul(pose.F, stic_mat3_frame(unit));
    }
    return STIC_OK;
}

/* ---- checks ---- */

static SticStatus check_frames(const SticJointDef* def, const char* name, SticError* error)
{
    for (int k = 0; k < 2; ++k) {
        const SticMat3 axes = def->frame[k].axes;
        const SticMat3 defect =
            stic_mat3_sub(stic_mat3_transpose_mul(axes, axes), stic_mat3_identity());
        // rounding of products of a few rotations
        if (!stic_vec3_is_finite(def->frame[k].point) || !(stic_mat3_norm(defect) <= 1e-12) ||
            !(stic_mat3_det(axes) > 0.0))
            return stic_error_set(error, STIC_BAD_ARGUMENT,
                                  "joint %s: frames must have a finite point and orthonormal, "
                                  "right-handed axes",
                                  name);
    }
    return STIC_OK;
}

static bool is_finite(const SticDrive* drive)
{
    return isfinite(drive->speed) && isfinite(drive->acceleration) && isfinite(drive->amplitude) &&
           isfinite(drive->frequency) && isfinite(drive->phase);
}

// whether a drive does anything other than hold
static bool asks(const SticDrive* drive)
{
    return drive->speed != 0.0 || drive->acceleration != 0.0 || drive->amplitude != 0.0 ||
           drive->velocity != NULL;
}

static SticStatus check_numbers(const SticJointDef* def, const char* name, SticError* error)
{
    const struct {
        const char* name;
        double value, low, high;
    } number[] = {{"length", def->length, 0.0, DBL_MAX},
                  {"friction", def->friction, 0.0, DBL_MAX},
                  {"stiffness", def->spring.stiffness, 0.0, DBL_MAX},
                  {"damping", def->spring.damping, 0.0, DBL_MAX},
                  {"rest of the spring", def->spring.rest, -DBL_MAX, DBL_MAX},
                  {"restitution", def->restitution, 0.0, 1.0},
                  {"drive force", def->drive_force, 0.0, INFINITY},
                  {"force of the actuator", def->force, -DBL_MAX, DBL_MAX}};
    for (size_t k = 0; k < sizeof number / sizeof number[0]; ++k)
        if (!(number[k].value >= number[k].low && number[k].value <= number[k].high))
            return stic_error_set(error, STIC_BAD_ARGUMENT, "joint %s: the %s is %g; it must %s",
                                  name, number[k].name, number[k].value,
                                  number[k].high == 1.0  ? "lie in [0, 1]"
                                  : number[k].low == 0.0 ? "not be negative"
                                                         : "be finite");
    if (!is_finite(&def->drive))
        return stic_error_set(error, STIC_BAD_ARGUMENT, "joint %s: the drive is not finite", name);
    if (!def->driven && asks(&def->drive))
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "joint %s: its drive asks for a velocity, but acts only where "
                              "`driven` is true",
                              name);
    if (!(def->limit[0] < def->limit[1]))
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "joint %s: the lower limit %g is not below the upper one %g", name,
                              def->limit[0], def->limit[1]);
    return STIC_OK;
}

static SticStatus check_coordinate(const SticJointDef* def, const char* name, SticError* error)
{
    const SticJointKind kind = (SticJointKind)def->kind;
    const bool limited = isfinite(def->limit[0]) || isfinite(def->limit[1]);
    const bool used = limited || def->friction > 0.0 || def->driven ||
                      def->spring.stiffness > 0.0 || def->spring.damping > 0.0 || def->force != 0.0;
    if (stic_joint_kind_coordinate(kind) == STIC_JOINT_NO_COORDINATE && used)
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "joint %s: the kind %s has no coordinate for limits, friction, "
                              "drives, actuators or springs",
                              name, stic_joint_kind_name(kind));
    return STIC_OK;
}

// a joint that is not closed at the start cannot be closed on the velocity level
static SticStatus check_closed(const SticWorld* world, SticJointDef* def, const char* name,
                               SticError* error)
{
    double q[2][12], gap[STIC_JOINT_ROWS], size = 0.0;
    SticJointSide side[2];
    for (int k = 0; k < 2; ++k) {
        const SticPose pose = start_pose(world, def->body[k]);
        stic_vec3_store(pose.origin, q[k]);
        stic_mat3_store(pose.F, q[k] + 3);
        side[k] = (SticJointSide){.chart = STIC_CHART_ROTATION, .n = 6, .q = q[k]};
        size += stic_vec3_norm(pose.origin) + stic_vec3_norm(def->frame[k].point);
    }
    SticJoint joint = {.kind = STIC_JOINT_SPAN, .frame = {def->frame[0], def->frame[1]}};
    double distance = 0.0;
    stic_joint_measures_coordinate(&joint, side, &(SticJointMeasures){.gap = &distance});
    if (def->kind == STIC_JOINT_ROD && def->length == 0.0)
        def->length = distance;
    if ((def->kind == STIC_JOINT_ROD || def->kind == STIC_JOINT_SPAN) && !(distance > 0.0))
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "joint %s: the two points of a %s must not coincide", name,
                              stic_joint_kind_name((SticJointKind)def->kind));
    joint.kind = def->kind;
    joint.length = def->kind == STIC_JOINT_ROD ? def->length : 0.0;
    stic_joint_measures_fill(&joint, side, &(SticJointMeasures){.gap = gap});
    // rounding from placing bodies and points, with room for input of six digits
    for (int32_t i = 0; i < stic_joint_kind_rows((SticJointKind)def->kind); ++i)
        if (!(fabs(gap[i]) <= 1e-6 * (size > 0.0 ? size : 1.0)))
            return stic_error_set(error, STIC_BAD_ARGUMENT,
                                  "joint %s (%s) is open at the start: row %d is off by %g", name,
                                  stic_joint_kind_name((SticJointKind)def->kind), i, gap[i]);
    return STIC_OK;
}

/* ---- slots ---- */

SticStatus stic_joint_create(SticWorld* world, const SticJointDef* def, SticJointId* id,
                             SticError* error)
{
    STIC_GIVEN(world, error);
    STIC_GIVEN(def, error);
    SticJointId unused;
    id = id == NULL ? &unused : id;
    *id = (SticJointId){0, 0};
    SticJointSlot made = {.alive = true, .def = *def};
    STIC_TRY(stic_name_set(made.name, def->name, error));
    made.def.name = NULL;
    const uint32_t slot = free_joint(world);
    const SticLabel label = stic_label(made.name, slot);
    if (def->kind < 0 || def->kind >= STIC_JOINT_KIND_COUNT)
        return stic_error_set(error, STIC_BAD_ARGUMENT, "joint %s: there is no kind %d", label.text,
                              def->kind);
    if (def->contacts < 0 || def->contacts > STIC_JOINED_APART)
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "joint %s: contacts is a SticJoined, not %d", label.text,
                              def->contacts);
    STIC_TRY(check_bodies(world, def, error));
    STIC_TRY(check_frames(def, label.text, error));
    STIC_TRY(check_numbers(def, label.text, error));
    STIC_TRY(check_coordinate(def, label.text, error));
    STIC_TRY(check_closed(world, &made.def, label.text, error));
    if (slot == world->joints) {
        const SticStatus status =
            STIC_RESERVE(&world->context, &world->joint, &world->joint_capacity, world->joints + 1);
        if (status != STIC_OK)
            return stic_error_set(error, status, "no memory for joint %s", label.text);
        world->joint[slot].generation = 0;
        world->joints += 1;
    } else {
        world->free_joints -= 1;
    }
    made.generation = world->joint[slot].generation + 1;
    world->joint[slot] = made;
    world->edition += 1;
    *id = (SticJointId){slot, made.generation};
    return STIC_OK;
}

bool stic_joint_is_valid(const SticWorld* world, SticJointId id)
{
    return world != NULL && id.generation > 0 && id.index < world->joints &&
           world->joint[id.index].alive && world->joint[id.index].generation == id.generation;
}

static SticStatus check_id(const SticWorld* world, SticJointId id, SticError* error)
{
    if (stic_joint_is_valid(world, id))
        return STIC_OK;
    return stic_error_set(error, STIC_BAD_ARGUMENT, "there is no joint %u (generation %u)",
                          id.index, id.generation);
}

SticStatus stic_joint_set_drive(SticWorld* world, SticJointId id, const SticDrive* drive,
                                SticError* error)
{
    STIC_GIVEN(world, error);
    STIC_GIVEN(drive, error);
    STIC_TRY(check_id(world, id, error));
    SticJointSlot* slot = &world->joint[id.index];
    if (!slot->def.driven)
        return stic_error_set(error, STIC_BAD_ARGUMENT, "joint %s was made without a drive",
                              stic_label(slot->name, id.index).text);
    if (!is_finite(drive))
        return stic_error_set(error, STIC_NOT_FINITE, "joint %s: the drive is not finite",
                              stic_label(slot->name, id.index).text);
    slot->def.drive = *drive;
    return STIC_OK;
}

SticStatus stic_joint_set_force(SticWorld* world, SticJointId id, double force, SticError* error)
{
    STIC_GIVEN(world, error);
    STIC_TRY(check_id(world, id, error));
    SticJointSlot* slot = &world->joint[id.index];
    if (stic_joint_kind_coordinate((SticJointKind)slot->def.kind) == STIC_JOINT_NO_COORDINATE)
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "joint %s: the kind %s has no coordinate for an actuator",
                              stic_label(slot->name, id.index).text,
                              stic_joint_kind_name((SticJointKind)slot->def.kind));
    if (!isfinite(force))
        return stic_error_set(error, STIC_NOT_FINITE,
                              "joint %s: the force of the actuator is not finite",
                              stic_label(slot->name, id.index).text);
    slot->def.force = force;
    return STIC_OK;
}

SticStatus stic_joint_destroy(SticWorld* world, SticJointId id, SticError* error)
{
    STIC_GIVEN(world, error);
    STIC_TRY(check_id(world, id, error));
    world->joint[id.index].alive = false;
    world->free_joints += 1;
    world->edition += 1;
    return STIC_OK;
}

void stic_joint_drop_of(SticWorld* world, uint32_t body)
{
    for (uint32_t k = 0; k < world->joints; ++k) {
        SticJointSlot* slot = &world->joint[k];
        for (int s = 0; s < 2; ++s)
            if (slot->alive && !is_ground(slot->def.body[s]) && slot->def.body[s].index == body) {
                slot->alive = false;
                world->free_joints += 1;
            }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Shapes and world of a simulation, from the definition of its scene.
#include <stdio.h>
#include <string.h>

#include "math/math.h"
#include "scene/simulation.h"
#include "shape/shape.h"
#include "stiction/extend/base.h"
#include "stiction/extend/shape.h"
#include "stiction/extend/vec3.h"

/* ---- shapes ---- */

static SticStatus build_elements(const SticSimulation* simulation, const SticSceneShape* from,
                                 SticShape** shape, SticError* error)
{
    SticElementsDef def = stic_elements_default_def();
    def.node = from->vertex;
    def.node_count = from->vertex_count;
    def.kind = from->element_kind;
    def.element_begin = from->element_begin;
    def.element_node = from->element_node;
    def.element_count = from->element_count;
    return stic_shape_create_elements(&simulation->context, &def, shape, error);
}

static SticPose pose_of(const SticScenePart* part)
{
    return stic_pose_rigid(stic_quat_to_matrix(stic_quat_normalize(part->orientation)),
                           part->position);
}

static SticStatus build_compound(const SticSimulation* simulation, const SticSceneShape* from,
                                 SticShape** shape, SticError* error)
{
    if (from->element_count > 0)
        return build_elements(simulation, from, shape, error);
    const SticContext* context = &simulation->context;
    SticCompoundDef def = stic_compound_default_def();
    const SticShape** parts = NULL;
    SticPose* poses = NULL;
    SticStatus status = STIC_ALLOCATE(context, &parts, from->part_count);
    if (status == STIC_OK)
        status = STIC_ALLOCATE(context, &poses, from->part_count);
    for (int32_t k = 0; status == STIC_OK && k < from->part_count; ++k) {
        parts[k] = simulation->shape[from->part[k].shape];
        poses[k] = pose_of(&from->part[k]);
    }
    def.shape = parts;
    def.pose = poses;
    def.count = from->part_count;
    if (status == STIC_OK)
        status = stic_shape_create_compound(context, &def, shape, error);
    STIC_RELEASE(context, parts, from->part_count);
    STIC_RELEASE(context, poses, from->part_count);
    return status;
}

static SticStatus build_polyhedron(const SticContext* context, const SticSceneShape* from,
                                   SticShape** shape, SticError* error)
{
    SticPolyhedronDef def = stic_polyhedron_default_def();
    def.vertex = from->vertex;
    def.vertex_count = from->vertex_count;
    if (from->face_count > 0) {
        def.face_begin = from->face_begin;
        def.face_vertex = from->face_vertex;
        def.face_count = from->face_count;
    }
    return stic_shape_create_polyhedron(context, &def, shape, error);
}

static SticMeshDef mesh_def(const SticSceneShape* from)
{
    SticMeshDef def = stic_mesh_default_def();
    def.vertex = from->vertex;
    def.vertex_count = from->vertex_count;
    def.face_begin = from->face_begin;
    def.face_vertex = from->face_vertex;
    def.face_count = from->face_count;
    def.drop_degenerate = true;
    return def;
}

static SticStatus build_mesh(const SticContext* context, const SticSceneShape* from,
                             SticShape** shape, SticError* error)
{
    const SticMeshDef def = mesh_def(from);
    return stic_shape_create_mesh(context, &def, shape, error);
}

SticStatus stic_scene_mesh_flaws(const SticContext* context, const SticSceneShape* shape,
                                 SticMeshFlaws* flaws)
{
    STIC_ASSERT(shape != NULL);
    *flaws = (SticMeshFlaws){0};
    if (shape->kind != STIC_SHAPE_MESH)
        return STIC_OK;
    const SticMeshDef def = mesh_def(shape);
    return stic_mesh_flaws(context, &def, flaws);
}

static SticStatus create_shape(const SticSimulation* simulation, const SticSceneShape* from,
                               SticShape** shape, SticError* error)
{
    const SticContext* context = &simulation->context;
    switch (from->kind) {
    case STIC_SHAPE_SPHERE:
        return stic_shape_create_sphere(context, from->radius, shape, error);
    case STIC_SHAPE_BOX:
        return stic_shape_create_box(context, stic_vec3_scale(0.5, from->size), shape, error);
    case STIC_SHAPE_CAPSULE:
        return stic_shape_create_capsule(context, from->radius, 0.5 * from->length, shape, error);
    case STIC_SHAPE_CYLINDER:
        return stic_shape_create_cylinder(context, from->radius, 0.5 * from->length, shape, error);
    case STIC_SHAPE_ELLIPSOID:
        return stic_shape_create_ellipsoid(context, from->size, shape, error);
    case STIC_SHAPE_POLYHEDRON:
        return build_polyhedron(context, from, shape, error);
    case STIC_SHAPE_COMPOUND:
        return build_compound(simulation, from, shape, error);
    case STIC_SHAPE_HALF_SPACE:
        return stic_shape_create_half_space(context, from->normal, from->offset, shape, error);
    case STIC_SHAPE_MESH:
        return build_mesh(context, from, shape, error);
    case STIC_SHAPE_HEIGHT_FIELD: {
        const SticHeightFieldDef def = {.height = from->height,
                                        .columns = from->columns,
                                        .rows = from->height_count / from->columns,
                                        .dx = from->dx,
                                        .dy = from->dy};
        return stic_shape_create_height_field(context, &def, shape, error);
    }
    default:
        return stic_error_set(error, STIC_UNSUPPORTED, "a scene has no shapes of kind %s",
                              stic_shape_kind_name((SticShapeKind)from->kind));
    }
}

SticStatus stic_simulation_build_shape(SticSimulation* simulation, int32_t i, SticError* error)
{
    const SticSceneShape* from = &simulation->def->shape[i];
    SticError local = {0};
    const SticStatus status = create_shape(simulation, from, &simulation->shape[i], &local);
    if (status == STIC_OK)
        return STIC_OK;
    return stic_error_set(error, status, "shape %d (%s%s%.100s): %s", i + 1,
                          stic_shape_kind_name((SticShapeKind)from->kind),
                          from->file != NULL ? " " : "", from->file != NULL ? from->file : "",
                          local.text[0] != '\0' ? local.text : stic_status_text(status));
}

/* ---- world ---- */

static SticStatus build_materials(SticSimulation* simulation, SticError* error)
{
    const SticSceneDef* def = simulation->def;
    for (int32_t i = 0; i < def->material_count; ++i) {
        const SticSceneMaterial* from = &def->material[i];
        const SticMaterialDef made = {
            .name = from->name, .density = from->density, .surface = from->surface};
        STIC_TRY(stic_material_create(simulation->world, &made, &simulation->material[i], error));
        STIC_ASSERT(simulation->material[i].index <= (uint32_t)def->material_count);
        simulation->material_colour[simulation->material[i].index] = from->colour;
    }
    for (int32_t i = 0; i < def->surface_count; ++i) {
        const SticSceneSurface* from = &def->surface[i];
        STIC_TRY(stic_surface_set(simulation->world, simulation->material[from->material[0]],
                                  simulation->material[from->material[1]], &from->surface, error));
    }
    return STIC_OK;
}

double stic_scene_scalar_at(const SticSceneDef* def, const SticSceneScalar* scalar,
                            SticSceneTime at)
{
    return scalar->constant +
           (scalar->signal >= 0 ? stic_scene_signal_at(&def->signal[scalar->signal], at) : 0.0);
}

static double rate_at(const SticSceneDef* def, int32_t signal, double t)
{
    return signal >= 0 ? stic_signal_rate(&def->signal[signal], t) : 0.0;
}

static double curvature_at(const SticSceneDef* def, int32_t signal, double t)
{
    return signal >= 0 ? stic_signal_curvature(&def->signal[signal], t) : 0.0;
}

// position + velocity t + displacement(t), turned by angle(t) about the axis
static void move(const void* self, double t, SticBodyMotion* at)
{
    const SticSceneMotion* motion = self;
    const SticSceneDef* def = motion->def;
    const SticSceneBody* body = motion->body;
    const SticSceneLoad* path = &body->displacement;
    double x[3] = {path->constant.x, path->constant.y, path->constant.z}, v[3], a[3];
    for (int k = 0; k < 3; ++k) {
        x[k] += path->signal[k] >= 0 ? stic_signal_value(&def->signal[path->signal[k]], t) : 0.0;
        v[k] = rate_at(def, path->signal[k], t);
        a[k] = curvature_at(def, path->signal[k], t);
    }
    const SticVec3 drift = stic_vec3_scale(t, body->velocity);
    *at = (SticBodyMotion){.orientation = body->orientation};
    at->position = stic_vec3_add(stic_vec3_add(body->position, drift), stic_vec3(x[0], x[1], x[2]));
    at->velocity = stic_vec3_add(body->velocity, stic_vec3(v[0], v[1], v[2]));
    at->acceleration = stic_vec3(a[0], a[1], a[2]);
    const SticVec3 axis = stic_vec3_normalize(body->axis);
    const double angle = stic_scene_scalar_at(def, &body->angle, (SticSceneTime){.t = t});
    const SticQuat turn =
        stic_quat(stic_cos(0.5 * angle), stic_vec3_scale(stic_sin(0.5 * angle), axis));
    at->orientation = stic_quat_mul(turn, body->orientation);
    at->angular_velocity = stic_vec3_scale(rate_at(def, body->angle.signal, t), axis);
    at->angular_acceleration = stic_vec3_scale(curvature_at(def, body->angle.signal, t), axis);
}

static double sooner(const SticSceneDef* def, int32_t signal, double t, double kink)
{
    const double own = signal >= 0 ? stic_signal_kink(&def->signal[signal], t) : INFINITY;
    return own < kink ? own : kink;
}

static double kink_of(const void* self, double t)
{
    const SticSceneMotion* motion = self;
    double kink = sooner(motion->def, motion->body->angle.signal, t, INFINITY);
    for (int k = 0; k < 3; ++k)
        kink = sooner(motion->def, motion->body->displacement.signal[k], t, kink);
    return kink;
}

// what a path does to others are its accelerations
static double smooth_until(const void* self, double t, double end)
{
    const SticSceneMotion* motion = self;
    const SticSignal* signal = motion->def->signal;
    if (motion->body->angle.signal >= 0)
        end = stic_signal_smooth(&signal[motion->body->angle.signal], 2, t, end);
    for (int k = 0; k < 3; ++k)
        if (motion->body->displacement.signal[k] >= 0)
            end = stic_signal_smooth(&signal[motion->body->displacement.signal[k]], 2, t, end);
    return end;
}

// a body whose mass is to come from its shapes, all of which are meshes without volume: say why
static SticStatus check_volume(const SticSimulation* simulation, const SticSceneBody* body,
                               SticError* error)
{
    const SticSceneDef* def = simulation->def;
    const SticSceneShape* mesh = NULL;
    SticMeshFlaws flaws;
    char text[256];
    const bool moves = body->kind != STIC_BODY_FIXED && body->kind != STIC_BODY_PRESCRIBED;
    const bool given =
        body->kind == STIC_BODY_POINT ? body->mass > 0.0 : stic_mat3_norm(body->inertia) > 0.0;
    if (!moves || given)
        return STIC_OK;
    for (int32_t k = 0; k < body->part_count; ++k) {
        const int32_t shape = body->part[k].shape;
        if (simulation->shape[shape]->has_volume)
            return STIC_OK;
        mesh = def->shape[shape].kind == STIC_SHAPE_MESH ? &def->shape[shape] : mesh;
    }
    if (mesh == NULL)
        return STIC_OK;
    STIC_TRY(stic_scene_mesh_flaws(&simulation->context, mesh, &flaws));
    stic_mesh_flaws_text(&flaws, text, sizeof text);
    if (text[0] == '\0')
        return STIC_OK;
    return stic_error_set(
        error, STIC_BAD_DATA,
        "body '%s': its mesh%s%.100s has no volume to take a mass from, since %s. %s, or give the "
        "body a mass, a centre and an inertia",
        body->name != NULL ? body->name : "", mesh->file != NULL ? " " : "",
        mesh->file != NULL ? mesh->file : "", text,
        flaws.open_edges + flaws.crowded_edges > 0 ? "Close it in a mesh program"
                                                   : "Turn them over in a mesh program");
}

// a body of finite elements: mesh and supports live until the world has copied them
static SticStatus build_elastic(SticSimulation* simulation, int32_t i, SticBodyDef* def,
                                SticError* error)
{
    const SticSceneBody* from = &simulation->def->body[i];
    SticSolidMesh mesh = {.nodes = 0};
    SticSolidSupport* support = NULL;
    int32_t material = from->material;
    SticStatus status = stic_simulation_solid(simulation, from, &mesh, error);
    if (status == STIC_OK)
        status = stic_simulation_hold(simulation, from, &mesh, &support, &def->supports, error);
    if (status == STIC_OK) {
        material = from->part[0].material >= 0 ? from->part[0].material : material;
        if (material >= 0)
            def->material = simulation->material[material];
        def->mesh = &mesh;
        def->support = support;
        def->stored = from->stored;
        status = stic_body_create(simulation->world, def, &simulation->body[i], error);
    }
    STIC_RELEASE(&simulation->context, support, support == NULL ? 0 : mesh.nodes);
    stic_solid_mesh_release(&mesh);
    return status;
}

static SticStatus attach_parts(SticSimulation* simulation, int32_t i, SticError* error)
{
    const SticSceneBody* from = &simulation->def->body[i];
    for (int32_t k = 0; k < from->part_count; ++k) {
        const SticScenePart* part = &from->part[k];
        const int32_t material = part->material >= 0 ? part->material : from->material;
        SticAttachDef attach = {.shape = simulation->shape[part->shape], .pose = pose_of(part)};
        if (material >= 0)
            attach.material = simulation->material[material];
        STIC_TRY(stic_body_attach(simulation->world, simulation->body[i], &attach, NULL, error));
    }
    return check_volume(simulation, from, error);
}

static SticStatus build_body(SticSimulation* simulation, int32_t i, SticError* error)
{
    const SticSceneBody* from = &simulation->def->body[i];
    SticBodyDef def = stic_body_default_def();
    def.name = from->name;
    def.kind = from->kind;
    def.position = from->position;
    def.orientation = from->orientation;
    def.velocity = from->velocity;
    def.angular_velocity = from->angular_velocity;
    def.mass = from->mass;
    def.centre = from->centre;
    def.inertia = from->inertia;
    def.force = from->force.constant;
    def.torque = from->torque.constant;
    def.elastic = from->elastic;
    def.volume = from->volume;
    const bool turns = from->angle.signal >= 0 || from->angle.constant != 0.0;
    const int32_t* path = from->displacement.signal;
    if (from->kind == STIC_BODY_PRESCRIBED &&
        (turns || path[0] >= 0 || path[1] >= 0 || path[2] >= 0)) {
        simulation->motion[i] = (SticSceneMotion){simulation->def, from};
        def.motion = move;
        def.motion_kink = kink_of;
        def.motion_smooth = smooth_until;
        def.motion_self = &simulation->motion[i];
    }
    const bool elastic = from->kind == STIC_BODY_ELASTIC;
    if (elastic)
        STIC_TRY(build_elastic(simulation, i, &def, error));
    else
        STIC_TRY(stic_body_create(simulation->world, &def, &simulation->body[i], error));
    STIC_ASSERT(simulation->body[i].index < (uint32_t)simulation->def->body_count);
    const uint32_t slot = simulation->body[i].index;
    simulation->body_colour[slot] = from->colour;
    simulation->body_look[slot] =
        (SticLook){.opacity = (uint8_t)(255.0 * from->opacity + 0.5), .visible = from->visible};
    return elastic ? STIC_OK : attach_parts(simulation, i, error);
}

// velocity of a drive by a time function
static double drive_of(const void* self, double t, double* rate)
{
    const SticSceneDriven* driven = self;
    const SticSignal* signal = &driven->def->signal[driven->signal];
    if (rate != NULL)
        *rate = stic_signal_rate(signal, t);
    return stic_signal_value(signal, t);
}

static double drive_kink(const void* self, double t)
{
    const SticSceneDriven* driven = self;
    return stic_signal_kink(&driven->def->signal[driven->signal], t);
}

static double drive_smooth(const void* self, double t, double end)
{
    const SticSceneDriven* driven = self;
    return stic_signal_smooth(&driven->def->signal[driven->signal], 1, t, end);
}

static SticStatus build_joint(SticSimulation* simulation, int32_t i, SticError* error)
{
    const SticSceneJoint* from = &simulation->def->joint[i];
    SticWorld* world = simulation->world;
    SticJointDef def = stic_joint_default_def();
    def.name = from->name;
    def.kind = from->kind;
    for (int k = 0; k < 2; ++k)
        if (from->body[k] >= 0)
            def.body[k] = simulation->body[from->body[k]];
    STIC_TRY(stic_joint_place(world, from->point, from->axis, &def, error));
    if (from->kind == STIC_JOINT_ROD || from->kind == STIC_JOINT_SPAN)
        def.frame[1].point = stic_joint_point(world, def.body[1], from->end);
    def.length = from->length;
    def.limit[0] = from->limit[0];
    def.limit[1] = from->limit[1];
    def.restitution = from->restitution;
    def.friction = from->friction;
    def.driven = from->driven;
    def.drive = from->drive;
    def.drive.speed = from->speed.constant;
    def.drive.velocity = NULL;
    def.drive.velocity_kink = NULL;
    def.drive.velocity_smooth = NULL;
    if (from->speed.signal >= 0) {
        simulation->driven[i] = (SticSceneDriven){simulation->def, from->speed.signal};
        def.drive.velocity = drive_of;
        def.drive.velocity_kink = drive_kink;
        def.drive.velocity_smooth = drive_smooth;
        def.drive.velocity_self = &simulation->driven[i];
    }
    def.drive_force = from->drive_force;
    def.force = from->force.constant;
    def.spring = from->spring;
    def.contacts = from->contacts;
    return stic_joint_create(world, &def, &simulation->joint[i], error);
}

SticStatus stic_scene_blame(SticStatus status, int32_t line, SticError* error)
{
    if (status == STIC_OK)
        return STIC_OK;
    error->line = line;
    if (status == STIC_BAD_ARGUMENT)
        error->status = STIC_BAD_DATA;
    return error->status;
}

SticStatus stic_simulation_build_world(SticSimulation* simulation, SticError* error)
{
    const SticSceneDef* def = simulation->def;
    SticWorldDef world = stic_world_default_def();
    world.gravity = def->gravity.constant;
    world.friction_mixing = def->friction_mixing;
    world.restitution_mixing = def->restitution_mixing;
    world.cohesion_mixing = def->cohesion_mixing;
    world.contact_rule = def->contact_rule;
    world.intersection = def->intersection;
    world.search = def->search;
    STIC_TRY(stic_world_create(&simulation->context, &world, &simulation->world, error));
    STIC_TRY(build_materials(simulation, error));
    for (int32_t i = 0; i < def->shape_count; ++i)
        STIC_TRY(stic_scene_blame(stic_simulation_build_shape(simulation, i, error),
                                  def->shape[i].line, error));
    for (int32_t i = 0; i < def->body_count; ++i)
        STIC_TRY(stic_scene_blame(build_body(simulation, i, error), def->body[i].line, error));
    for (int32_t i = 0; i < def->joint_count; ++i)
        STIC_TRY(stic_scene_blame(build_joint(simulation, i, error), def->joint[i].line, error));
    return stic_simulation_build_loads(simulation, error);
}

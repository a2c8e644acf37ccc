// SPDX-License-Identifier: Apache-2.0
// Bodies of a world, their shapes and their mass.
#include "world/world.h"

#include <math.h>
#include <string.h>

#include "math/math.h"
#include "shape/shape.h"
#include "stiction/extend/base.h"
#include "world/soft.h"

/* ---- bodies ---- */

SticBodyDef stic_body_default_def(void)
{
    return (SticBodyDef){.kind = STIC_BODY_RIGID, .orientation = stic_quat_identity()};
}

static SticStatus check_young(const SticBodyDef* def, const char* name, SticError* error)
{
    const SticElastic* elastic = &def->elastic;
    if (def->kind != STIC_BODY_PSEUDO_RIGID && def->kind != STIC_BODY_ELASTIC)
        return STIC_OK;
    if (!(elastic->young > 0.0) || !isfinite(elastic->young) || !(elastic->poisson > -1.0) ||
        !(elastic->poisson < 0.5))
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "body %s: %s body needs a Young's modulus above 0 and a "
                              "Poisson's ratio in (-1, 1/2), not %g and %g",
                              name,
                              def->kind == STIC_BODY_ELASTIC ? "an elastic" : "a pseudo-rigid",
                              elastic->young, elastic->poisson);
    if (!(def->volume >= 0.0) || !isfinite(def->volume))
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "body %s: the volume must not be negative, it is %g", name,
                              def->volume);
    return STIC_OK;
}

// moments of a body with extent in space: positive, none larger than the sum of the others
static SticStatus check_inertia(const char* name, const SticMassProperties* mass, SticError* error)
{
    SticVec3 moments;
    SticMat3 axes;
    stic_inertia_principal(mass, &moments, &axes);
    // the limit case of a flat body is within rounding
    const bool possible = moments.x > 0.0 && isfinite(moments.z) &&
                          moments.z <= (moments.x + moments.y) * (1.0 + 1e-12);
    const SticMat3 skew = stic_mat3_sub(mass->inertia, stic_mat3_transpose(mass->inertia));
    if (stic_mat3_norm(skew) > 1e-12 * stic_mat3_norm(mass->inertia))
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "body %s: the matrix of inertia is not symmetric", name);
    if (!isfinite(moments.x + moments.y + moments.z))
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "body %s: its inertia is too large for a number; its size or its "
                              "density must be smaller",
                              name);
    if (!possible)
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "body %s: no body has the principal moments of inertia %g, %g, %g",
                              name, moments.x, moments.y, moments.z);
    return STIC_OK;
}

static SticStatus check_finite(const SticBodyDef* def, const char* name, SticError* error)
{
    const struct {
        const char* name;
        bool finite;
    } part[] = {{"position", stic_vec3_is_finite(def->position)},
                {"velocity", stic_vec3_is_finite(def->velocity)},
                {"angular velocity", stic_vec3_is_finite(def->angular_velocity)},
                {"mass", isfinite(def->mass)},
                {"centre of mass", stic_vec3_is_finite(def->centre)},
                {"inertia", stic_mat3_is_finite(def->inertia)},
                {"force", stic_vec3_is_finite(def->force)},
                {"torque", stic_vec3_is_finite(def->torque)}};
    for (size_t k = 0; k < sizeof part / sizeof part[0]; ++k)
        if (!part[k].finite)
            return stic_error_set(error, STIC_BAD_ARGUMENT, "body %s: the %s is not finite", name,
                                  part[k].name);
    return STIC_OK;
}

// an inertia that is given does not depend on shapes added later
static SticStatus check_given_inertia(const SticBodyDef* def, const char* name, SticError* error)
{
    const SticMassProperties given = {
        .mass = def->mass, .centre = def->centre, .inertia = def->inertia};
    const bool used = def->kind == STIC_BODY_RIGID || def->kind == STIC_BODY_PSEUDO_RIGID;
    if (!used || !(stic_mat3_norm(def->inertia) > 0.0))
        return STIC_OK;
    if (def->mass == 0.0)
        return stic_error_set(error, STIC_BAD_ARGUMENT, "body %s has an inertia but no mass", name);
    return check_inertia(name, &given, error);
}

static SticStatus check_def(const SticBodyDef* def, uint32_t slot, SticError* error)
{
    const SticLabel label = stic_label(def->name, slot);
    const char* name = label.text;
    if (def->kind < 0 || def->kind >= STIC_BODY_KIND_COUNT)
        return stic_error_set(error, STIC_BAD_ARGUMENT, "body %s: there is no kind %d", name,
                              def->kind);
    STIC_TRY(check_finite(def, name, error));
    const double norm = stic_quat_norm(def->orientation);
    if (!(norm > 0.0) || !isfinite(norm))
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "body %s: the orientation is no quaternion that can be scaled to "
                              "length 1",
                              name);
    if (def->kind == STIC_BODY_POINT && stic_vec3_norm(stic_quat_vector(def->orientation)) > 0.0)
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "body %s: a point has no orientation; turn its shapes", name);
    const double motion = stic_vec3_norm(def->velocity) + stic_vec3_norm(def->angular_velocity);
    const double load = stic_vec3_norm(def->force) + stic_vec3_norm(def->torque);
    if (def->kind == STIC_BODY_FIXED && (motion > 0.0 || load > 0.0))
        return stic_error_set(error, STIC_BAD_ARGUMENT, "body %s: a fixed body has no %s; %s", name,
                              motion > 0.0 ? "velocity" : "force or torque",
                              motion > 0.0 ? "one that moves by itself is prescribed"
                                           : "nothing would come of it");
    if (def->mass < 0.0)
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "body %s: the mass must not be negative, it is %g", name, def->mass);
    STIC_TRY(check_given_inertia(def, name, error));
    STIC_TRY(check_young(def, name, error));
    return stic_soft_check(def, name, error);
}

// the first free slot, or a new one
static uint32_t free_body(const SticWorld* world)
{
    for (uint32_t i = 0; world->free_bodies > 0 && i < world->bodies; ++i)
        if (!world->body[i].alive)
            return i;
    return world->bodies;
}

// the shape of a body that comes with its definition; for an elastic one its surface
static SticStatus attach_own(SticWorld* world, const SticBodyDef* def, SticBodyId id,
                             SticError* error)
{
    SticAttachDef attach = {
        .shape = def->shape, .pose = stic_pose_identity(), .material = def->material};
    if (def->kind == STIC_BODY_ELASTIC) {
        SticShape* surface = NULL;
        STIC_TRY(stic_soft_surface(&world->context, &world->body[id.index].mesh, &surface, error));
        const SticStatus status = stic_world_keep(world, surface, error);
        if (status != STIC_OK) {
            stic_shape_destroy(surface);
            return status;
        }
        attach.shape = surface;
        // quarters of quadrilaterals, which the shape cuts into halves
        const bool square = def->mesh->kind == STIC_SOLID_HEX8;
        world->body[id.index].facets = (square ? 2 : 1) * surface->as.mesh.triangle_count;
    }
    return attach.shape == NULL ? STIC_OK : stic_body_attach(world, id, &attach, NULL, error);
}

SticStatus stic_body_create(SticWorld* world, const SticBodyDef* def, SticBodyId* id,
                            SticError* error)
{
    STIC_GIVEN(world, error);
    STIC_GIVEN(def, error);
    SticBodyId unused;
    id = id == NULL ? &unused : id;
    *id = (SticBodyId){0, 0};
    SticBodySlot made = {.alive = true, .def = *def};
    STIC_TRY(check_def(def, free_body(world), error));
    STIC_TRY(stic_name_set(made.name, def->name, error));
    made.def.name = NULL;
    made.def.orientation = stic_quat_normalize(def->orientation);
    const uint32_t slot = free_body(world);
    if (slot == world->bodies) {
        const SticStatus status =
            STIC_RESERVE(&world->context, &world->body, &world->body_capacity, world->bodies + 1);
        if (status != STIC_OK)
            return stic_error_set(error, status, "no memory for body %s",
                                  stic_label(made.name, slot).text);
        world->body[slot].generation = 0;
        world->body[slot].alive = false;
        world->bodies += 1;
        world->free_bodies += 1;
    }
    STIC_TRY(stic_soft_copy(&world->context, def, &made, error));
    world->free_bodies -= 1;
    made.generation = world->body[slot].generation + 1;
    world->body[slot] = made;
    world->edition += 1;
    *id = (SticBodyId){slot, made.generation};
    const SticStatus status = attach_own(world, def, *id, error);
    if (status != STIC_OK) {
        (void)stic_body_destroy(world, *id, NULL);
        *id = (SticBodyId){0, 0};
    }
    return status;
}

bool stic_body_is_valid(const SticWorld* world, SticBodyId id)
{
    return world != NULL && id.generation > 0 && id.index < world->bodies &&
           world->body[id.index].alive && world->body[id.index].generation == id.generation;
}

static SticStatus check_id(const SticWorld* world, SticBodyId id, SticError* error)
{
    if (stic_body_is_valid(world, id))
        return STIC_OK;
    return stic_error_set(error, STIC_BAD_ARGUMENT, "there is no body %u (generation %u)", id.index,
                          id.generation);
}

static void drop_shape(SticWorld* world, uint32_t slot)
{
    world->shape[slot].alive = false;
    world->free_shapes += 1;
}

SticStatus stic_body_destroy(SticWorld* world, SticBodyId id, SticError* error)
{
    STIC_GIVEN(world, error);
    STIC_TRY(check_id(world, id, error));
    for (uint32_t k = 0; k < world->shapes; ++k)
        if (world->shape[k].alive && world->shape[k].body == id.index)
            drop_shape(world, k);
    stic_joint_drop_of(world, id.index);
    stic_soft_release(&world->context, &world->body[id.index]);
    world->body[id.index].alive = false;
    world->free_bodies += 1;
    world->edition += 1;
    return STIC_OK;
}

const char* stic_body_name(const SticWorld* world, SticBodyId id)
{
    return stic_body_is_valid(world, id) ? world->body[id.index].name : "";
}

const char* stic_world_part_name(const SticWorld* world, int32_t part)
{
    STIC_ASSERT(world != NULL);
    const int32_t slot = stic_world_part_slot(world, part);
    return slot >= 0 ? world->body[world->shape[slot].body].name : "";
}

SticBodyId stic_body_find(const SticWorld* world, const char* name)
{
    for (uint32_t i = 0; world != NULL && name != NULL && i < world->bodies; ++i)
        if (world->body[i].alive && name[0] != '\0' && strcmp(world->body[i].name, name) == 0)
            return (SticBodyId){i, world->body[i].generation};
    return (SticBodyId){0, 0};
}

SticStatus stic_body_set_force(SticWorld* world, SticBodyId id, SticVec3 force, SticVec3 torque,
                               SticError* error)
{
    STIC_GIVEN(world, error);
    STIC_TRY(check_id(world, id, error));
    if (!stic_vec3_is_finite(force) || !stic_vec3_is_finite(torque))
        return stic_error_set(error, STIC_NOT_FINITE, "body %s: force or torque is not finite",
                              stic_label(world->body[id.index].name, id.index).text);
    if (world->body[id.index].def.kind == STIC_BODY_ELASTIC && stic_vec3_norm(torque) > 0.0)
        return stic_error_set(error, STIC_UNSUPPORTED, "body %s: an elastic body takes no torque",
                              stic_label(world->body[id.index].name, id.index).text);
    world->body[id.index].def.force = force;
    world->body[id.index].def.torque = torque;
    return STIC_OK;
}

SticStatus stic_body_set_point_forces(SticWorld* world, SticBodyId id, const SticPointForce* at,
                                      int32_t count, SticError* error)
{
    STIC_GIVEN(world, error);
    STIC_TRY(check_id(world, id, error));
    if (count < 0)
        return stic_error_set(error, STIC_BAD_ARGUMENT, "%d forces at points of a body",
                              (int)count);
    if (count > 0)
        STIC_GIVEN(at, error);
    SticBodySlot* slot = &world->body[id.index];
    SticVec3 sum = stic_vec3_zero();
    SticMat3 lever = stic_mat3_zero();
    for (int32_t k = 0; k < count; ++k) {
        if (!stic_vec3_is_finite(at[k].point) || !stic_vec3_is_finite(at[k].force))
            return stic_error_set(error, STIC_NOT_FINITE,
                                  "body %s: force %d at a point is not finite",
                                  stic_label(slot->name, id.index).text, (int)k + 1);
        sum = stic_vec3_add(sum, at[k].force);
        lever = stic_mat3_add(lever, stic_mat3_outer(at[k].force, at[k].point));
    }
    slot->pushed = sum;
    slot->lever = lever;
    if (slot->def.kind == STIC_BODY_ELASTIC)
        stic_soft_set_points(slot, at, count);
    return STIC_OK;
}

/* ---- shapes of bodies ---- */

// affine images of flat faces are flat, those of spheres and ellipsoids are ellipsoids; for
// capsules and cylinders, contacts would know only one point of a line or cap
static bool keeps_form(const SticShape* shape)
{
    const SticShapeKind kind = stic_shape_kind(shape);
    if (kind != STIC_SHAPE_COMPOUND)
        return kind == STIC_SHAPE_BOX || kind == STIC_SHAPE_POLYHEDRON ||
               kind == STIC_SHAPE_SPHERE || kind == STIC_SHAPE_ELLIPSOID;
    for (int32_t k = 0; k < shape->as.compound.count; ++k)
        if (!keeps_form(shape->as.compound.element[k].shape))
            return false;
    return true;
}

static SticStatus check_attach(const SticWorld* world, uint32_t body, const SticAttachDef* def,
                               SticError* error)
{
    const SticLabel label = stic_label(world->body[body].name, body);
    const char* name = label.text;
    if (def->shape == NULL)
        return stic_error_set(error, STIC_BAD_ARGUMENT, "body %s: no shape is given", name);
    const SticShapeKind kind = stic_shape_kind(def->shape);
    const bool elastic = world->body[body].def.kind == STIC_BODY_ELASTIC;
    if (elastic && kind != STIC_SHAPE_SURFACE)
        return stic_error_set(error, STIC_UNSUPPORTED,
                              "body %s: an elastic body has the surface of its mesh and takes no "
                              "other shapes",
                              name);
    if (kind == STIC_SHAPE_SURFACE && !elastic)
        return stic_error_set(error, STIC_UNSUPPORTED,
                              "body %s: a surface has no form of its own; take a mesh", name);
    // R'R = I up to the rounding of products of a few rotations
    const SticMat3 defect =
        stic_mat3_sub(stic_mat3_transpose_mul(def->pose.F, def->pose.F), stic_mat3_identity());
    const bool turns = stic_mat3_norm(defect) <= 1e-12 && stic_mat3_det(def->pose.F) > 0.0;
    if (!def->pose.rigid || def->pose.vertex != NULL || !turns ||
        !stic_vec3_is_finite(def->pose.origin))
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "body %s: the pose of a shape must be a rotation and a finite "
                              "translation",
                              name);
    if (world->body[body].def.kind == STIC_BODY_PSEUDO_RIGID && !keeps_form(def->shape))
        return stic_error_set(error, STIC_UNSUPPORTED,
                              "body %s: a %s does not stay one when it deforms; a pseudo-rigid "
                              "body takes boxes, polyhedra, spheres, ellipsoids and compounds of "
                              "them",
                              name, stic_shape_kind_name(kind));
    if (!stic_material_is_valid(world, def->material))
        return stic_error_set(error, STIC_BAD_ARGUMENT, "body %s: there is no material %u", name,
                              def->material.index);
    return STIC_OK;
}

static uint32_t free_shape(const SticWorld* world)
{
    for (uint32_t i = 0; world->free_shapes > 0 && i < world->shapes; ++i)
        if (!world->shape[i].alive)
            return i;
    return world->shapes;
}

SticStatus stic_body_attach(SticWorld* world, SticBodyId body, const SticAttachDef* def,
                            SticShapeId* id, SticError* error)
{
    STIC_GIVEN(world, error);
    STIC_GIVEN(def, error);
    STIC_TRY(check_id(world, body, error));
    STIC_TRY(check_attach(world, body.index, def, error));
    const uint32_t slot = free_shape(world);
    if (slot == world->shapes) {
        const SticStatus status =
            STIC_RESERVE(&world->context, &world->shape, &world->shape_capacity, world->shapes + 1);
        if (status != STIC_OK)
            return stic_error_set(error, status, "no memory for a shape of body %s",
                                  stic_label(world->body[body.index].name, body.index).text);
        world->shape[slot].generation = 0;
        world->shapes += 1;
    } else {
        world->free_shapes -= 1;
    }
    const uint32_t generation = world->shape[slot].generation + 1;
    world->shape[slot] =
        (SticShapeSlot){.generation = generation,
                        .alive = true,
                        .body = body.index,
                        .material = def->material.generation == 0 ? 0 : def->material.index,
                        .shape = def->shape,
                        .pose = def->pose};
    world->edition += 1;
    if (id != NULL)
        *id = (SticShapeId){slot, generation};
    return STIC_OK;
}

bool stic_body_has_shape(const SticWorld* world, SticShapeId id)
{
    STIC_ASSERT(world != NULL);
    return id.generation > 0 && id.index < world->shapes && world->shape[id.index].alive &&
           world->shape[id.index].generation == id.generation;
}

SticStatus stic_body_detach(SticWorld* world, SticShapeId id, SticError* error)
{
    STIC_ASSERT(world != NULL);
    if (!stic_body_has_shape(world, id))
        return stic_error_set(error, STIC_BAD_ARGUMENT, "there is no shape %u (generation %u)",
                              id.index, id.generation);
    drop_shape(world, id.index);
    world->edition += 1;
    return STIC_OK;
}

/* ---- mass ---- */

SticStatus stic_body_add_shapes(const SticWorld* world, SticMassProperties* sum, SticError* error)
{
    if (world->bodies > 0)
        memset(sum, 0, world->bodies * sizeof *sum);
    for (uint32_t k = 0; k < world->shapes; ++k) {
        const SticShapeSlot* slot = &world->shape[k];
        if (!slot->alive || !slot->shape->has_volume)
            continue;
        SticMassProperties part, *whole = &sum[slot->body];
        STIC_TRY(stic_shape_mass(slot->shape, world->material[slot->material].def.density, &part,
                                 error));
        part = stic_inertia_transform(&part, &slot->pose);
        *whole = whole->mass > 0.0 ? stic_inertia_add(whole, &part) : part;
    }
    return STIC_OK;
}

// a point: its mass, and where it lies in the body's frame
static SticStatus point_mass(const SticBodySlot* slot, const char* name, SticMassProperties* mass,
                             SticError* error)
{
    if (!(mass->mass > 0.0))
        mass->centre = slot->def.centre;
    if (slot->def.mass > 0.0)
        mass->mass = slot->def.mass;
    if (!(mass->mass > 0.0))
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "point %s has neither a mass nor a shape with volume", name);
    return STIC_OK;
}

// a body that deforms must have extent in all directions
static SticStatus check_deformable(const SticBodySlot* slot, const char* name,
                                   SticMassProperties* mass, SticError* error)
{
    SticVec3 values;
    SticMat3 axes;
    stic_eigen3_symmetric(mass->euler, &values, &axes);
    if (slot->def.volume > 0.0)
        mass->volume = slot->def.volume;
    if (!(values.x > 1e-12 * values.z) || !(mass->volume > 0.0))
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "pseudo-rigid body %s needs a volume and extent in all directions",
                              name);
    return STIC_OK;
}

SticStatus stic_body_mass(const SticWorld* world, uint32_t body, SticMassProperties* mass,
                          SticError* error)
{
    const SticBodySlot* slot = &world->body[body];
    const SticBodyDef* def = &slot->def;
    const SticLabel label = stic_label(slot->name, body);
    if (def->kind == STIC_BODY_POINT)
        return point_mass(slot, label.text, mass, error);
    if (stic_mat3_norm(def->inertia) > 0.0) {
        STIC_ASSERT(def->mass > 0.0); // checked when the body was made
        mass->mass = def->mass;
        mass->centre = def->centre;
        mass->inertia = def->inertia;
        // E0 = tr(J)/2 I - J
        mass->euler = stic_mat3_sub(
            stic_mat3_scale(0.5 * stic_mat3_trace(def->inertia), stic_mat3_identity()),
            def->inertia);
    } else {
        if (!(mass->mass > 0.0))
            return stic_error_set(error, STIC_BAD_ARGUMENT,
                                  "body %s has neither an inertia nor a shape with volume",
                                  label.text);
        const double factor = def->mass > 0.0 ? def->mass / mass->mass : 1.0;
        mass->mass *= factor;
        mass->euler = stic_mat3_scale(factor, mass->euler);
        mass->inertia = stic_mat3_scale(factor, mass->inertia);
    }
    STIC_TRY(check_inertia(label.text, mass, error));
    return def->kind == STIC_BODY_PSEUDO_RIGID ? check_deformable(slot, label.text, mass, error)
                                               : STIC_OK;
}

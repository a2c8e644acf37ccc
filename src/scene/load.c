// SPDX-License-Identifier: Apache-2.0
// Loads of a scene at points and faces of its bodies.
//
// A body has one gradient of velocity, so that a uniform traction on plane faces works as its
// resultant at the centroid of their area: both are forces at points of the body. On an elastic body
// a traction is a force at each node of its plane face. They are sorted by body once, and the forces
// of a body are set together.
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "scene/simulation.h"
#include "shape/shape.h"
#include "stiction/extend/base.h"
#include "stiction/extend/shape.h"
#include "stiction/extend/solid.h"
#include "stiction/extend/vec3.h"
#include "world/world.h"

// faces whose normal is that of a load up to rounding of what a scene states
#define ALONG (1.0 - 1e-9)

// area of plane faces, and area times centroid
typedef struct Patch {
    double area;
    SticVec3 moment;
} Patch;

// faces of a convex shape at a pose in the body's frame that have a normal
static void add_faces(const SticShape* shape, const SticPose* pose, SticVec3 normal, Patch* patch)
{
    const SticPolyhedron* p = stic_shape_polyhedron(shape);
    for (int32_t f = 0; p != NULL && f < p->face_count; ++f) {
        const SticVec3 own = stic_mat3_mul_vec(pose->F, p->plane[f].normal);
        if ((p->face_flag[f] & STIC_FACE_INTERNAL) != 0 || stic_vec3_dot(own, normal) < ALONG)
            continue;
        const SticVec3 centre =
            stic_vec3_add(pose->origin, stic_mat3_mul_vec(pose->F, p->face_centre[f]));
        patch->area += p->face_area[f];
        patch->moment = stic_vec3_add_scaled(patch->moment, p->face_area[f], centre);
    }
}

static SticPose pose_of(const SticScenePart* part)
{
    return stic_pose_rigid(stic_quat_to_matrix(stic_quat_normalize(part->orientation)),
                           part->position);
}

// the faces of a body with a normal in its frame
static Patch patch_of(const SticSimulation* simulation, const SticSceneBody* body, SticVec3 normal)
{
    Patch patch = {0.0, stic_vec3_zero()};
    for (int32_t k = 0; k < body->part_count; ++k) {
        const SticShape* shape = simulation->shape[body->part[k].shape];
        const SticPose pose = pose_of(&body->part[k]);
        if (stic_shape_kind(shape) != STIC_SHAPE_COMPOUND) {
            add_faces(shape, &pose, normal, &patch);
            continue;
        }
        for (int32_t e = 0; e < shape->as.compound.count; ++e) {
            const SticElement* element = &shape->as.compound.element[e];
            const SticPose place = stic_pose_rigid(
                stic_mat3_mul(pose.F, element->pose.F),
                stic_vec3_add(pose.origin, stic_mat3_mul_vec(pose.F, element->pose.origin)));
            add_faces(element->shape, &place, normal, &patch);
        }
    }
    return patch;
}

// where a load acts in the frame of its body, and the area that its traction acts on
static SticStatus place_load(const SticSimulation* simulation, const SticScenePoint* from,
                             SticScenePlace* place, SticError* error)
{
    const SticSceneBody* body = &simulation->def->body[from->body];
    const SticMat3 R = stic_quat_to_matrix(stic_quat_normalize(body->orientation));
    const double length = stic_vec3_norm(from->face);
    *place = (SticScenePlace){.area = 1.0};
    place->point = stic_mat3_transpose_mul_vec(R, stic_vec3_sub(from->point, body->position));
    if (!(length > 0.0))
        return STIC_OK;
    const SticVec3 normal =
        stic_mat3_transpose_mul_vec(R, stic_vec3_scale(1.0 / length, from->face));
    const Patch patch = patch_of(simulation, body, normal);
    if (!(patch.area > 0.0))
        return stic_error_set(
            error, STIC_BAD_DATA, "load: body '%s' has no plane face with the normal {%g, %g, %g}",
            body->name != NULL ? body->name : "", from->face.x, from->face.y, from->face.z);
    place->area = patch.area;
    place->point = stic_vec3_scale(1.0 / patch.area, patch.moment);
    return STIC_OK;
}

SticVec3 stic_scene_load_at(const SticSceneDef* def, const SticSceneLoad* load, SticSceneTime at)
{
    double x[3];
    for (int k = 0; k < 3; ++k) {
        x[k] = stic_vec3_get(load->constant, k);
        if (load->signal[k] >= 0)
            x[k] += stic_scene_signal_at(&def->signal[load->signal[k]], at);
    }
    return stic_vec3(x[0], x[1], x[2]);
}

bool stic_scene_load_changes(const SticSceneLoad* load)
{
    return load->signal[0] >= 0 || load->signal[1] >= 0 || load->signal[2] >= 0;
}

double stic_scene_load_kink(const SticSceneDef* def, const SticSceneLoad* load, double t,
                            double first)
{
    for (int k = 0; k < 3; ++k) {
        const double kink =
            load->signal[k] >= 0 ? stic_signal_kink(&def->signal[load->signal[k]], t) : INFINITY;
        first = kink < first ? kink : first;
    }
    return first;
}

double stic_scene_load_smooth(const SticSceneDef* def, const SticSceneLoad* load, double t,
                              double end)
{
    for (int k = 0; k < 3; ++k)
        if (load->signal[k] >= 0)
            end = stic_signal_smooth(&def->signal[load->signal[k]], 0, t, end);
    return end;
}

static const SticSceneLoad* load_of(const SticScenePoint* from)
{
    return stic_vec3_norm(from->face) > 0.0 ? &from->traction : &from->force;
}

SticVec3 stic_simulation_point_force(const SticSimulation* simulation, int32_t body,
                                     SticSceneTime at)
{
    const SticSceneDef* def = simulation->def;
    SticVec3 sum = stic_vec3_zero();
    for (int32_t k = 0; k < simulation->places; ++k)
        if (simulation->place[k].body == body)
            sum = stic_vec3_add_scaled(
                sum, simulation->place[k].area,
                stic_scene_load_at(def, load_of(&def->point[simulation->place[k].load]), at));
    return sum;
}

SticStatus stic_simulation_push(SticSimulation* simulation, SticSceneTime at, bool all,
                                SticError* error)
{
    const SticSceneDef* def = simulation->def;
    SticPointForce* force = simulation->pushing;
    for (int32_t begin = 0, end = 0; begin < simulation->places; begin = end) {
        const int32_t body = simulation->place[begin].body;
        bool changing = all;
        for (end = begin; end < simulation->places && simulation->place[end].body == body; ++end) {
            const SticScenePlace* place = &simulation->place[end];
            const SticSceneLoad* load = load_of(&def->point[place->load]);
            changing = changing || stic_scene_load_changes(load);
            force[end - begin] = (SticPointForce){
                place->point, stic_vec3_scale(place->area, stic_scene_load_at(def, load, at))};
        }
        if (changing)
            STIC_TRY(stic_body_set_point_forces(simulation->world, simulation->body[body], force,
                                                end - begin, error));
    }
    return STIC_OK;
}

double stic_simulation_push_kink(const SticSimulation* simulation, double t, double first)
{
    const SticSceneDef* def = simulation->def;
    for (int32_t k = 0; k < def->point_count; ++k)
        first = stic_scene_load_kink(def, load_of(&def->point[k]), t, first);
    return first;
}

double stic_simulation_push_smooth(const SticSimulation* simulation, double t, double end)
{
    const SticSceneDef* def = simulation->def;
    for (int32_t k = 0; k < def->point_count; ++k)
        end = stic_scene_load_smooth(def, load_of(&def->point[k]), t, end);
    return end;
}

// the mesh of an elastic body that has a face loaded, else NULL
static const SticSolidMesh* loaded_mesh(const SticSimulation* simulation,
                                        const SticScenePoint* from)
{
    const bool face = stic_vec3_norm(from->face) > 0.0;
    return face && simulation->def->body[from->body].kind == STIC_BODY_ELASTIC
               ? &simulation->world->body[simulation->body[from->body].index].mesh
               : NULL;
}

// a traction on the plane face of a mesh that lies farthest along its normal: a share for each node
static SticStatus spread_load(SticSimulation* simulation, int32_t load, const SticSolidMesh* mesh,
                              SticError* error)
{
    const SticScenePoint* from = &simulation->def->point[load];
    const SticSceneBody* body = &simulation->def->body[from->body];
    const SticMat3 R = stic_quat_to_matrix(stic_quat_normalize(body->orientation));
    const SticVec3 normal = stic_mat3_transpose_mul_vec(R, stic_vec3_normalize(from->face));
    double *area = NULL, most = -(double)INFINITY;
    for (int32_t i = 0; i < mesh->nodes; ++i) {
        const double along = stic_vec3_dot(normal, mesh->node[i]);
        most = along > most ? along : most;
    }
    STIC_TRY(STIC_ALLOCATE(&simulation->context, &area, (size_t)mesh->nodes));
    const SticStatus status = stic_solid_areas(mesh, normal, most, area, NULL);
    for (int32_t i = 0; status == STIC_OK && i < mesh->nodes; ++i)
        if (area[i] != 0.0)
            simulation->place[simulation->places++] = (SticScenePlace){
                .body = from->body, .load = load, .point = mesh->node[i], .area = area[i]};
    STIC_RELEASE(&simulation->context, area, (size_t)mesh->nodes);
    if (status == STIC_OK)
        return STIC_OK;
    return stic_error_set(
        error, status, "load: elastic body '%s' has no plane face with the normal {%g, %g, %g}",
        body->name != NULL ? body->name : "", from->face.x, from->face.y, from->face.z);
}

static SticStatus take_places(SticSimulation* simulation)
{
    const SticSceneDef* def = simulation->def;
    simulation->place_room = def->point_count;
    for (int32_t k = 0; k < def->point_count; ++k) {
        const SticSolidMesh* mesh = loaded_mesh(simulation, &def->point[k]);
        simulation->place_room += mesh == NULL ? 0 : mesh->nodes;
    }
    STIC_TRY(STIC_ALLOCATE(&simulation->context, &simulation->place, simulation->place_room));
    return STIC_ALLOCATE(&simulation->context, &simulation->pushing, simulation->place_room);
}

SticStatus stic_simulation_build_loads(SticSimulation* simulation, SticError* error)
{
    const SticSceneDef* def = simulation->def;
    if (def->point_count == 0)
        return STIC_OK;
    STIC_TRY(take_places(simulation));
    for (int32_t body = 0; body < def->body_count; ++body)
        for (int32_t k = 0; k < def->point_count; ++k) {
            if (def->point[k].body != body)
                continue;
            const SticSolidMesh* mesh = loaded_mesh(simulation, &def->point[k]);
            SticScenePlace* place = &simulation->place[simulation->places];
            const SticStatus status = mesh != NULL
                                          ? spread_load(simulation, k, mesh, error)
                                          : place_load(simulation, &def->point[k], place, error);
            STIC_TRY(stic_scene_blame(status, def->point[k].line, error));
            if (mesh != NULL)
                continue;
            place->body = body;
            place->load = k;
            simulation->places += 1;
        }
    return stic_simulation_push(simulation, (SticSceneTime){.t = 0.0}, true, error);
}

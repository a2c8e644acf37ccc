// SPDX-License-Identifier: Apache-2.0
// Life of shapes, and the polyhedron as a shape.
#include "shape/build.h"

#include <string.h>

const char* stic_shape_kind_name(SticShapeKind kind)
{
    static const char* const names[STIC_SHAPE_KIND_COUNT] = {
        "sphere",   "box",        "capsule", "cylinder",     "ellipsoid", "polyhedron",
        "compound", "half-space", "mesh",    "height field", "surface"};
    return kind >= 0 && kind < STIC_SHAPE_KIND_COUNT ? names[kind] : "unknown";
}

SticStatus stic_shape_no_memory(SticError* error)
{
    return stic_error_set(error, STIC_OUT_OF_MEMORY, "out of memory while making a shape");
}

SticStatus stic_shape_allocate(const SticContext* context, SticShapeKind kind, SticShape** shape,
                               SticError* error)
{
    *shape = NULL;
    if (STIC_ALLOCATE(context, shape, 1) != STIC_OK)
        return stic_shape_no_memory(error);
    (*shape)->context = *context;
    (*shape)->kind = kind;
    return STIC_OK;
}

void stic_shape_destroy(SticShape* shape)
{
    if (shape == NULL)
        return;
    const SticContext context = shape->context;
    switch (shape->kind) {
    case STIC_SHAPE_BOX:
        stic_polyhedron_release(&context, &shape->as.box.hull);
        break;
    case STIC_SHAPE_POLYHEDRON:
        stic_polyhedron_release(&context, &shape->as.polyhedron);
        break;
    case STIC_SHAPE_COMPOUND:
        stic_compound_release(&context, &shape->as.compound);
        break;
    case STIC_SHAPE_MESH:
    case STIC_SHAPE_SURFACE:
        stic_mesh_release(&context, &shape->as.mesh);
        break;
    case STIC_SHAPE_HEIGHT_FIELD:
        stic_release(&context, shape->as.field.memory, shape->as.field.bytes);
        break;
    default:
        break;
    }
    STIC_RELEASE(&context, shape, 1);
}

SticStatus stic_shape_copy(const SticContext* context, const SticShape* from, SticShape** to)
{
    STIC_ASSERT(stic_shape_is_convex(from));
    STIC_TRY(stic_shape_allocate(context, from->kind, to, NULL));
    **to = *from;
    (*to)->context = *context;
    SticStatus status = STIC_OK;
    if (from->kind == STIC_SHAPE_BOX)
        status = stic_polyhedron_copy(context, &from->as.box.hull, &(*to)->as.box.hull);
    if (from->kind == STIC_SHAPE_POLYHEDRON)
        status = stic_polyhedron_copy(context, &from->as.polyhedron, &(*to)->as.polyhedron);
    if (status != STIC_OK) {
        stic_shape_destroy(*to);
        *to = NULL;
    }
    return status;
}

SticShapeKind stic_shape_kind(const SticShape* shape)
{
    STIC_ASSERT(shape != NULL);
    return shape->kind;
}

bool stic_shape_is_convex(const SticShape* shape)
{
    return shape->kind <= STIC_SHAPE_POLYHEDRON;
}

double stic_shape_size(const SticShape* shape)
{
    STIC_ASSERT(shape != NULL);
    return 2.0 * shape->radius;
}

// shapes that are not convex have no inner ball: only objects that are small against them could pass
// unseen
double stic_shape_thickness(const SticShape* shape)
{
    STIC_ASSERT(shape != NULL);
    return shape->inner_radius > 0.0 ? shape->inner_radius : 0.1 * shape->radius;
}

const SticPolyhedron* stic_shape_polyhedron(const SticShape* shape)
{
    if (shape->kind == STIC_SHAPE_POLYHEDRON)
        return &shape->as.polyhedron;
    return shape->kind == STIC_SHAPE_BOX ? &shape->as.box.hull : NULL;
}

SticStatus stic_shape_check_points(const SticVec3* point, int32_t count, const char* what,
                                   SticError* error)
{
    STIC_ASSERT(count >= 0);
    for (int32_t i = 0; i < count; ++i)
        if (!stic_vec3_is_finite(point[i]))
            return stic_error_set(error, STIC_NOT_FINITE, "%s %d is not finite: (%g, %g, %g)", what,
                                  i, point[i].x, point[i].y, point[i].z);
    return STIC_OK;
}

SticStatus stic_shape_check_tolerance(double tolerance, SticError* error)
{
    if (tolerance >= 0.0 && tolerance < 0.1)
        return STIC_OK;
    return stic_error_set(error, STIC_BAD_ARGUMENT, "the tolerance must be in [0, 0.1), not %g",
                          tolerance);
}

void stic_shape_set_moments(SticShape* shape, const SticMoments* moments)
{
    shape->has_volume = true;
    shape->unit = stic_inertia_from_moments(moments, 1.0);
    shape->centre = moments->centre;
}

void stic_shape_set_polyhedron(SticShape* shape, const SticMoments* moments)
{
    const SticPolyhedron* p = stic_shape_polyhedron(shape);
    const SticPose identity = stic_pose_identity();
    stic_shape_set_moments(shape, moments);
    shape->radius = p->radius;
    shape->inner_radius = p->inner_radius;
    shape->bounds = stic_shape_bounds(shape, &identity, 0.0);
}

SticPolyhedronDef stic_polyhedron_default_def(void)
{
    return (SticPolyhedronDef){.tolerance = 1e-9};
}

SticPolyhedronDef stic_polyhedron_def_from(const SticMeshData* mesh)
{
    STIC_ASSERT(mesh != NULL);
    SticPolyhedronDef def = stic_polyhedron_default_def();
    def.vertex = mesh->vertex;
    def.vertex_count = mesh->vertex_count;
    def.face_begin = mesh->face_begin;
    def.face_vertex = mesh->face_vertex;
    def.face_count = mesh->face_count;
    return def;
}

static SticStatus build_polyhedron(const SticShapeWork* work, const void* from, SticShape* shape)
{
    const SticPolyhedronDef* def = from;
    SticFaces faces = {.vertex = def->vertex,
                       .vertex_count = def->vertex_count,
                       .begin = def->face_begin,
                       .corner = def->face_vertex,
                       .count = def->face_count};
    const bool given = def->face_begin != NULL;
    if (given && def->face_count < 4)
        return stic_error_set(work->error, STIC_BAD_DATA,
                              "a polyhedron needs at least 4 faces, not %d", def->face_count);
    if (!given)
        STIC_TRY(stic_qhull_faces(work, def->vertex, def->vertex_count, &faces));
    const SticPolyhedronOptions options = {
        .tolerance = def->tolerance, .merge = true, .given = given, .node = NULL, .owner = ""};
    SticMoments moments;
    STIC_TRY(stic_polyhedron_build(work, &faces, &options, &shape->as.polyhedron, &moments));
    stic_shape_set_polyhedron(shape, &moments);
    return STIC_OK;
}

SticStatus stic_shape_create_polyhedron(const SticContext* context, const SticPolyhedronDef* def,
                                        SticShape** shape, SticError* error)
{
    context = stic_context_given(context);
    STIC_GIVEN(def, error);
    STIC_GIVEN(shape, error);
    *shape = NULL;
    STIC_TRY(stic_shape_check_tolerance(def->tolerance, error));
    if (def->vertex_count < 0)
        return stic_error_set(error, STIC_BAD_ARGUMENT, "a polyhedron of %d vertices",
                              (int)def->vertex_count);
    if (def->vertex_count > 0)
        STIC_GIVEN(def->vertex, error);
    if (def->face_begin != NULL && def->face_count > 0)
        STIC_GIVEN(def->face_vertex, error);
    STIC_TRY(stic_shape_check_points(def->vertex, def->vertex_count, "vertex", error));
    return stic_shape_build(context, STIC_SHAPE_POLYHEDRON, build_polyhedron, def, shape, error);
}

SticStatus stic_shape_finish(SticStatus status, SticShape* made, SticShape** shape,
                             SticError* error)
{
    *shape = NULL;
    if (status == STIC_OK)
        *shape = made;
    else
        stic_shape_destroy(made);
    return status == STIC_OUT_OF_MEMORY ? stic_shape_no_memory(error) : status;
}

SticStatus stic_shape_build(const SticContext* context, SticShapeKind kind, SticShapeBuild* build,
                            const void* def, SticShape** shape, SticError* error)
{
    SticShape* made;
    *shape = NULL;
    STIC_TRY(stic_shape_allocate(context, kind, &made, error));
    SticShapeWork work = {.context = context, .arena = NULL, .error = error};
    SticStatus status = stic_arena_create(context, 0, &work.arena);
    if (status == STIC_OK)
        status = build(&work, def, made);
    stic_arena_destroy(work.arena);
    return stic_shape_finish(status, made, shape, error);
}

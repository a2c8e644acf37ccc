// SPDX-License-Identifier: Apache-2.0
// Surfaces of shapes as triangles with their sharp edges.
//
// Round shapes become rings of MERIDIANS points; a viewer that wants them rounder draws them from
// their parameters. Faces of polyhedra are cut into fans.
#include "output/surface.h"

#include <string.h>

#include "math/math.h"
#include "shape/shape.h"

enum { MERIDIANS = 16, PARALLELS = 8 }; // points around and from pole to pole

/* ---- growing ---- */

static SticStatus add_vertex(SticSurfaceFaces* faces, SticVec3 vertex)
{
    STIC_TRY(
        STIC_RESERVE(&faces->context, &faces->vertex, &faces->vertex_room, faces->vertices + 1));
    faces->vertex[faces->vertices++] = vertex;
    return STIC_OK;
}

static SticStatus add_face(SticSurfaceFaces* faces, int32_t a, int32_t b, int32_t c)
{
    STIC_TRY(STIC_RESERVE(&faces->context, &faces->face, &faces->face_room, faces->faces + 1));
    int32_t* face = faces->face[faces->faces++];
    face[0] = a;
    face[1] = b;
    face[2] = c;
    return STIC_OK;
}

static SticStatus add_edge(SticSurfaceFaces* faces, int32_t a, int32_t b)
{
    STIC_TRY(STIC_RESERVE(&faces->context, &faces->edge, &faces->edge_room, faces->edges + 1));
    int32_t* edge = faces->edge[faces->edges++];
    edge[0] = a;
    edge[1] = b;
    return STIC_OK;
}

void stic_surface_faces_clear(SticSurfaceFaces* faces)
{
    const SticContext context = faces->context;
    STIC_RELEASE(&context, faces->vertex, faces->vertex_room);
    STIC_RELEASE(&context, faces->face, faces->face_room);
    STIC_RELEASE(&context, faces->edge, faces->edge_room);
    *faces = (SticSurfaceFaces){.context = context};
}

/* ---- round shapes: a pole, rings, a pole ---- */

// a ring of points at height z
static SticStatus add_ring(SticSurfaceFaces* faces, double rx, double ry, double z)
{
    for (int32_t i = 0; i < MERIDIANS; ++i) {
        double sine, cosine;
        stic_sincos(2.0 * STIC_PI * i / MERIDIANS, &sine, &cosine);
        STIC_TRY(add_vertex(faces, stic_vec3(rx * cosine, ry * sine, z)));
    }
    return STIC_OK;
}

// triangles of a stack of rings, vertex 0 below and the last one above them
static SticStatus close_rings(SticSurfaceFaces* faces, int32_t rings)
{
    const int32_t top = 1 + rings * MERIDIANS;
    for (int32_t i = 0; i < MERIDIANS; ++i) {
        const int32_t j = (i + 1) % MERIDIANS;
        STIC_TRY(add_face(faces, 0, 1 + j, 1 + i));
        for (int32_t k = 0; k + 1 < rings; ++k) {
            const int32_t low = 1 + k * MERIDIANS, high = low + MERIDIANS;
            STIC_TRY(add_face(faces, low + i, low + j, high + j));
            STIC_TRY(add_face(faces, low + i, high + j, high + i));
        }
        STIC_TRY(add_face(faces, top, top - MERIDIANS + i, top - MERIDIANS + j));
    }
    return STIC_OK;
}

// ellipsoid, stretched by 2 `half` along z at its equator: a capsule
static SticStatus add_round(SticSurfaceFaces* faces, SticVec3 axes, double half)
{
    int32_t rings = 0;
    STIC_TRY(add_vertex(faces, stic_vec3(0.0, 0.0, -axes.z - half)));
    for (int32_t k = 1; k < PARALLELS; ++k) {
        double sine, cosine;
        stic_sincos(STIC_PI * k / PARALLELS, &sine, &cosine);
        // the equator of a capsule is two rings
        const bool equator = 2 * k == PARALLELS;
        if (2 * k <= PARALLELS && ++rings > 0)
            STIC_TRY(add_ring(faces, sine * axes.x, sine * axes.y,
                              -half - (equator ? 0.0 : cosine * axes.z)));
        if ((equator && half > 0.0) || 2 * k > PARALLELS) {
            STIC_TRY(add_ring(faces, sine * axes.x, sine * axes.y,
                              half - (equator ? 0.0 : cosine * axes.z)));
            ++rings;
        }
    }
    STIC_TRY(add_vertex(faces, stic_vec3(0.0, 0.0, axes.z + half)));
    return close_rings(faces, rings);
}

static SticStatus add_cylinder(SticSurfaceFaces* faces, double radius, double half)
{
    STIC_TRY(add_vertex(faces, stic_vec3(0.0, 0.0, -half)));
    STIC_TRY(add_ring(faces, radius, radius, -half));
    STIC_TRY(add_ring(faces, radius, radius, half));
    STIC_TRY(add_vertex(faces, stic_vec3(0.0, 0.0, half)));
    for (int32_t i = 0; i < MERIDIANS; ++i)
        for (int32_t ring = 0; ring < 2; ++ring)
            STIC_TRY(add_edge(faces, 1 + ring * MERIDIANS + i,
                              1 + ring * MERIDIANS + (i + 1) % MERIDIANS));
    return close_rings(faces, 2);
}

/* ---- flat shapes ---- */

static SticStatus add_polyhedron(SticSurfaceFaces* faces, const SticPolyhedron* hull)
{
    for (int32_t i = 0; i < hull->vertex_count; ++i)
        STIC_TRY(add_vertex(faces, hull->vertex[i]));
    for (int32_t f = 0; f < hull->face_count; ++f) {
        const int32_t begin = hull->face_begin[f], end = hull->face_begin[f + 1];
        if (hull->face_flag[f] & STIC_FACE_INTERNAL)
            continue;
        for (int32_t k = begin + 1; k + 1 < end; ++k)
            STIC_TRY(add_face(faces, hull->face_vertex[begin], hull->face_vertex[k],
                              hull->face_vertex[k + 1]));
    }
    for (int32_t i = 0; i < hull->edge_count; ++i)
        STIC_TRY(add_edge(faces, hull->edge[i].vertex[0], hull->edge[i].vertex[1]));
    return STIC_OK;
}

static SticStatus add_mesh(SticSurfaceFaces* faces, const SticMesh* mesh)
{
    for (int32_t i = 0; i < mesh->vertex_count; ++i)
        STIC_TRY(add_vertex(faces, mesh->vertex[i]));
    for (int32_t i = 0; i < mesh->triangle_count; ++i)
        STIC_TRY(add_face(faces, mesh->triangle[i][0], mesh->triangle[i][1], mesh->triangle[i][2]));
    for (int32_t i = 0; i < mesh->edge_count; ++i)
        if (mesh->edge_form[i] != STIC_EDGE_FLAT)
            STIC_TRY(add_edge(faces, mesh->edge[i].vertex[0], mesh->edge[i].vertex[1]));
    return STIC_OK;
}

static SticStatus add_field(SticSurfaceFaces* faces, const SticHeightField* field)
{
    for (int32_t j = 0; j < field->rows; ++j)
        for (int32_t i = 0; i < field->columns; ++i)
            STIC_TRY(add_vertex(faces, stic_vec3(i * field->dx, j * field->dy,
                                                 field->height[j * field->columns + i])));
    for (int32_t j = 0; j + 1 < field->rows; ++j)
        for (int32_t i = 0; i + 1 < field->columns; ++i) {
            const int32_t a = j * field->columns + i, b = a + field->columns;
            STIC_TRY(add_face(faces, a, a + 1, b + 1));
            STIC_TRY(add_face(faces, a, b + 1, b));
        }
    return STIC_OK;
}

// elements one after the other, in the frame of the compound
static SticStatus add_compound(SticSurfaceFaces* faces, const SticCompound* compound)
{
    const int32_t first = faces->vertices;
    for (int32_t i = 0; i < compound->count; ++i) {
        const SticElement* element = &compound->element[i];
        const int32_t vertex = faces->vertices, face = faces->faces, edge = faces->edges;
        if (!element->surface)
            continue;
        STIC_TRY(stic_surface_faces_add(faces, element->shape));
        for (int32_t k = vertex; k < faces->vertices; ++k)
            faces->vertex[k] = stic_pose_apply(&element->pose, faces->vertex[k]);
        for (int32_t k = face; k < faces->faces; ++k)
            for (int c = 0; c < 3; ++c)
                faces->face[k][c] += vertex - first;
        for (int32_t k = edge; k < faces->edges; ++k)
            for (int c = 0; c < 2; ++c)
                faces->edge[k][c] += vertex - first;
    }
    return STIC_OK;
}

SticStatus stic_surface_faces_add(SticSurfaceFaces* faces, const SticShape* shape)
{
    switch (shape->kind) {
    case STIC_SHAPE_SPHERE: {
        const double radius = shape->as.sphere.radius;
        return add_round(faces, stic_vec3(radius, radius, radius), 0.0);
    }
    case STIC_SHAPE_CAPSULE: {
        const double radius = shape->as.capsule.radius;
        return add_round(faces, stic_vec3(radius, radius, radius), shape->as.capsule.half_length);
    }
    case STIC_SHAPE_CYLINDER:
        return add_cylinder(faces, shape->as.cylinder.radius, shape->as.cylinder.half_height);
    case STIC_SHAPE_ELLIPSOID:
        return add_round(faces, shape->as.ellipsoid.semi_axes, 0.0);
    case STIC_SHAPE_BOX:
    case STIC_SHAPE_POLYHEDRON:
        return add_polyhedron(faces, stic_shape_polyhedron(shape));
    case STIC_SHAPE_COMPOUND:
        return add_compound(faces, &shape->as.compound);
    case STIC_SHAPE_MESH:
    case STIC_SHAPE_SURFACE:
        return add_mesh(faces, &shape->as.mesh);
    case STIC_SHAPE_HEIGHT_FIELD:
        return add_field(faces, &shape->as.field);
    default:
        return STIC_OK;
    }
}

void stic_primitive_parameters(const SticShape* shape, double parameter[4])
{
    memset(parameter, 0, 4 * sizeof *parameter);
    switch (shape->kind) {
    case STIC_SHAPE_SPHERE:
        parameter[0] = shape->as.sphere.radius;
        break;
    case STIC_SHAPE_BOX:
        stic_vec3_store(shape->as.box.half, parameter);
        break;
    case STIC_SHAPE_CAPSULE:
        parameter[0] = shape->as.capsule.radius;
        parameter[1] = shape->as.capsule.half_length;
        break;
    case STIC_SHAPE_CYLINDER:
        parameter[0] = shape->as.cylinder.radius;
        parameter[1] = shape->as.cylinder.half_height;
        break;
    case STIC_SHAPE_ELLIPSOID:
        stic_vec3_store(shape->as.ellipsoid.semi_axes, parameter);
        break;
    case STIC_SHAPE_HALF_SPACE:
        stic_vec3_store(shape->as.half_space.normal, parameter);
        parameter[3] = shape->as.half_space.offset;
        break;
    default:
        break;
    }
}

// SPDX-License-Identifier: Apache-2.0
// Compounds: unions of convex shapes with places of their own, and which of their faces are inside.
//
// Two faces of different elements touch if they look at each other and one lies in the plane of the
// other up to tolerance * diameter. The area they share is found by clipping one polygon with the
// other. A face that is covered by its neighbours except for a rim of that width is internal: it
// takes no part in contact (Koziara 2008, chapter 2). Elements that overlap each other are
// accepted; what they share counts twice in the mass and in the covered area. Cost: tree query per
// element, sides * sides per touching pair of faces.
#include "shape/build.h"

#include <string.h>

void stic_compound_release(const SticContext* context, SticCompound* compound)
{
    for (int32_t i = 0; compound->element != NULL && i < compound->count; ++i)
        stic_shape_destroy(compound->element[i].shape);
    STIC_RELEASE(context, compound->element, compound->count);
    compound->element = NULL;
    stic_tree_release(context, &compound->tree);
}

SticCompoundDef stic_compound_default_def(void)
{
    return (SticCompoundDef){.tolerance = 1e-9};
}

bool stic_compound_adjacent(const SticCompound* compound, int32_t i, int32_t j)
{
    STIC_ASSERT(i >= 0 && i < compound->count);
    STIC_ASSERT(j >= 0 && j < compound->count);
    const SticPolyhedron* p = stic_shape_polyhedron(compound->element[i].shape);
    const SticPolyhedron* q = stic_shape_polyhedron(compound->element[j].shape);
    if (p == NULL || q == NULL)
        return false;
    for (int32_t f = 0; f < p->face_count; ++f)
        if (p->face_neighbour[f] == j)
            return true;
    for (int32_t f = 0; f < q->face_count; ++f)
        if (q->face_neighbour[f] == i)
            return true;
    for (int32_t v = 0; compound->shared_nodes && v < p->vertex_count; ++v)
        for (int32_t w = 0; w < q->vertex_count; ++w)
            if (p->node[v] == q->node[w])
                return true;
    return false;
}

// farthest point of an element from the centre of the compound, or a bound on it
static double element_reach(const SticElement* element, SticVec3 centre)
{
    const SticPolyhedron* p = stic_shape_polyhedron(element->shape);
    if (p == NULL) {
        const double stretch = element->pose.rigid ? 1.0 : stic_mat3_norm(element->pose.F);
        return stic_vec3_distance(stic_pose_apply(&element->pose, element->shape->centre), centre) +
               stretch * element->shape->radius;
    }
    double reach = 0.0;
    for (int32_t v = 0; v < p->vertex_count; ++v) {
        const double r = stic_vec3_distance(stic_pose_apply(&element->pose, p->vertex[v]), centre);
        reach = r > reach ? r : reach;
    }
    return reach;
}

static void measure(SticShape* shape)
{
    const SticCompound* compound = &shape->as.compound;
    const SticPose identity = stic_pose_identity();
    SticMassProperties sum = {.mass = 0.0};
    for (int32_t i = 0; i < compound->count; ++i) {
        const SticElement* element = &compound->element[i];
        SticMassProperties part = stic_inertia_transform(&element->shape->unit, &element->pose);
        if (!element->pose.rigid) {
            // the density stays 1, so the mass follows the volume
            const double det = stic_mat3_det(element->pose.F);
            part.mass *= det;
            part.euler = stic_mat3_scale(det, part.euler);
        }
        sum = i == 0 ? part : stic_inertia_add(&sum, &part);
    }
    const SticMoments moments = {.volume = sum.mass, .centre = sum.centre, .euler = sum.euler};
    stic_shape_set_moments(shape, &moments);
    shape->bounds = stic_shape_bounds(shape, &identity, 0.0);
    shape->radius = 0.0;
    for (int32_t i = 0; i < compound->count; ++i) {
        const double reach = element_reach(&compound->element[i], shape->centre);
        shape->radius = reach > shape->radius ? reach : shape->radius;
    }
}

static bool has_surface(const SticShape* shape)
{
    const SticPolyhedron* p = stic_shape_polyhedron(shape);
    if (p == NULL)
        return true;
    for (int32_t f = 0; f < p->face_count; ++f)
        if ((p->face_flag[f] & STIC_FACE_INTERNAL) == 0)
            return true;
    return false;
}

SticStatus stic_compound_complete(const SticShapeWork* work, SticShape* shape)
{
    SticCompound* compound = &shape->as.compound;
    const SticArenaMark mark = stic_arena_mark(work->arena);
    SticBounds* box;
    measure(shape);
    STIC_TRY(STIC_TAKE(work->arena, &box, compound->count));
    for (int32_t i = 0; i < compound->count; ++i) {
        SticElement* element = &compound->element[i];
        element->surface = has_surface(element->shape);
        box[i] = stic_shape_bounds(element->shape, &element->pose, 0.0);
    }
    stic_tree_release(work->context, &compound->tree);
    STIC_TRY(stic_tree_build(work, box, compound->count, &compound->tree));
    stic_arena_rewind(work->arena, mark);
    return STIC_OK;
}

/* ---- internal faces by geometry ---- */

// faces of all polyhedral elements in the frame of the compound
typedef struct Patches {
    int32_t* first;      // [elements+1] first face of each element
    SticPlane* plane;    // [faces]
    double* area;        // [faces]
    double* perimeter;   // [faces]
    double* covered;     // [faces] area shared with neighbours
    double* best;        // [faces] largest area shared with one neighbour
    int32_t* neighbour;  // [faces]
    int32_t* begin;      // [faces+1] first corner of each face
    SticVec3* corner;    // corners of all faces
    SticVec3* buffer[2]; // polygons while they are clipped
    double distance;     // tolerance * diameter
} Patches;

static SticStatus take_patches(const SticShapeWork* work, const SticCompound* compound, Patches* p)
{
    size_t faces = 0, corners = 0;
    STIC_TRY(STIC_TAKE(work->arena, &p->first, (size_t)compound->count + 1));
    for (int32_t i = 0; i < compound->count; ++i) {
        const SticPolyhedron* hull = stic_shape_polyhedron(compound->element[i].shape);
        p->first[i] = (int32_t)faces;
        faces += hull == NULL ? 0 : (size_t)hull->face_count;
        corners += hull == NULL ? 0 : 2 * (size_t)hull->edge_count;
    }
    p->first[compound->count] = (int32_t)faces;
    if (corners > INT32_MAX)
        return STIC_OUT_OF_MEMORY;
    STIC_TRY(STIC_TAKE(work->arena, &p->plane, faces));
    STIC_TRY(STIC_TAKE(work->arena, &p->area, faces));
    STIC_TRY(STIC_TAKE(work->arena, &p->perimeter, faces));
    STIC_TRY(STIC_TAKE(work->arena, &p->covered, faces));
    STIC_TRY(STIC_TAKE(work->arena, &p->best, faces));
    STIC_TRY(STIC_TAKE(work->arena, &p->neighbour, faces));
    STIC_TRY(STIC_TAKE(work->arena, &p->begin, faces + 1));
    STIC_TRY(STIC_TAKE(work->arena, &p->corner, corners));
    STIC_TRY(STIC_TAKE(work->arena, &p->buffer[0], corners));
    return STIC_TAKE(work->arena, &p->buffer[1], corners);
}

// twice the area of a polygon times its normal
static SticVec3 polygon_area(const SticVec3* corner, int32_t sides)
{
    SticVec3 sum = stic_vec3_zero();
    for (int32_t j = 2; j < sides; ++j)
        sum = stic_vec3_add(sum, stic_vec3_cross(stic_vec3_sub(corner[j - 1], corner[0]),
                                                 stic_vec3_sub(corner[j], corner[0])));
    return sum;
}

static void fill_patch(Patches* p, int32_t face)
{
    const SticVec3* corner = p->corner + p->begin[face];
    const int32_t sides = p->begin[face + 1] - p->begin[face];
    const SticVec3 area = polygon_area(corner, sides);
    p->plane[face].normal = stic_vec3_normalize(area);
    p->plane[face].offset = stic_vec3_dot(p->plane[face].normal, corner[0]);
    p->area[face] = 0.5 * stic_vec3_norm(area);
    p->covered[face] = p->best[face] = p->perimeter[face] = 0.0;
    p->neighbour[face] = -1;
    for (int32_t j = 0; j < sides; ++j)
        p->perimeter[face] += stic_vec3_distance(corner[j], corner[(j + 1) % sides]);
}

// corners relative to the centre of the compound
static void fill_patches(const SticCompound* compound, SticVec3 centre, Patches* p)
{
    int32_t at = 0, face = 0;
    p->begin[0] = 0;
    for (int32_t i = 0; i < compound->count; ++i) {
        const SticElement* element = &compound->element[i];
        const SticPolyhedron* hull = stic_shape_polyhedron(element->shape);
        for (int32_t f = 0; hull != NULL && f < hull->face_count; ++f, ++face) {
            for (int32_t k = hull->face_begin[f]; k < hull->face_begin[f + 1]; ++k)
                p->corner[at++] = stic_vec3_sub(
                    stic_pose_apply(&element->pose, hull->vertex[hull->face_vertex[k]]), centre);
            p->begin[face + 1] = at;
            fill_patch(p, face);
        }
    }
}

// keep the part of a polygon on the inner side of the line from a to b of a face with normal n
// (Sutherland & Hodgman 1974)
static int32_t clip(const SticVec3* in, int32_t count, const SticVec3 edge[2], SticVec3 n,
                    SticVec3* out)
{
    const SticVec3 inward = stic_vec3_cross(n, stic_vec3_sub(edge[1], edge[0]));
    int32_t kept = 0;
    for (int32_t j = 0; j < count; ++j) {
        const SticVec3 x = in[j], y = in[j + 1 < count ? j + 1 : 0];
        const double at_x = stic_vec3_dot(inward, stic_vec3_sub(x, edge[0]));
        const double at_y = stic_vec3_dot(inward, stic_vec3_sub(y, edge[0]));
        if (at_x >= 0.0)
            out[kept++] = x;
        if ((at_x < 0.0) != (at_y < 0.0))
            out[kept++] = stic_vec3_lerp(x, y, at_x / (at_x - at_y));
    }
    return kept;
}

// area that face f shares with face g when both lie in one plane
static double shared_area(const Patches* p, int32_t f, int32_t g)
{
    int32_t count = p->begin[f + 1] - p->begin[f];
    const SticVec3* polygon = p->corner + p->begin[f];
    const int32_t sides = p->begin[g + 1] - p->begin[g];
    for (int32_t j = 0; j < sides && count > 0; ++j) {
        const SticVec3 edge[2] = {p->corner[p->begin[g] + j],
                                  p->corner[p->begin[g] + (j + 1) % sides]};
        count = clip(polygon, count, edge, p->plane[g].normal, p->buffer[j % 2]);
        polygon = p->buffer[j % 2];
    }
    return count < 3 ? 0.0 : 0.5 * stic_vec3_norm(polygon_area(polygon, count));
}

static bool lies_in_plane(const Patches* p, int32_t f, const SticPlane* plane)
{
    for (int32_t k = p->begin[f]; k < p->begin[f + 1]; ++k)
        if (fabs(stic_vec3_dot(plane->normal, p->corner[k]) - plane->offset) > p->distance)
            return false;
    return true;
}

static void cover(Patches* p, int32_t face, double area, int32_t element)
{
    p->covered[face] += area;
    if (area > p->best[face]) {
        p->best[face] = area;
        p->neighbour[face] = element;
    }
}

static void cover_pair(Patches* p, int32_t i, int32_t j)
{
    for (int32_t f = p->first[i]; f < p->first[i + 1]; ++f)
        for (int32_t g = p->first[j]; g < p->first[j + 1]; ++g) {
            if (!(stic_vec3_dot(p->plane[f].normal, p->plane[g].normal) < 0.0) ||
                !(lies_in_plane(p, f, &p->plane[g]) || lies_in_plane(p, g, &p->plane[f])))
                continue;
            const double area = shared_area(p, f, g);
            cover(p, f, area, j);
            cover(p, g, area, i);
        }
}

static SticStatus mark_internal(const SticShapeWork* work, SticShape* shape, double tolerance)
{
    SticCompound* compound = &shape->as.compound;
    Patches p = {.distance = 2.0 * tolerance * shape->radius};
    int32_t* near;
    STIC_TRY(take_patches(work, compound, &p));
    STIC_TRY(STIC_TAKE(work->arena, &near, compound->count));
    fill_patches(compound, shape->centre, &p);
    for (int32_t i = 0; i < compound->count; ++i) {
        const SticElement* element = &compound->element[i];
        if (p.first[i] == p.first[i + 1])
            continue;
        const SticBounds box = stic_shape_bounds(element->shape, &element->pose, p.distance);
        const int32_t found =
            stic_tree_query(&compound->tree, compound->tree.node, box, compound->count, near);
        for (int32_t j = 0; j < found; ++j)
            if (near[j] > i)
                cover_pair(&p, i, near[j]);
    }
    for (int32_t i = 0; i < compound->count; ++i)
        for (int32_t f = p.first[i]; f < p.first[i + 1]; ++f)
            if (p.covered[f] >= p.area[f] - p.distance * p.perimeter[f] && p.neighbour[f] >= 0)
                stic_polyhedron_mark_face(
                    (SticPolyhedron*)stic_shape_polyhedron(compound->element[i].shape),
                    f - p.first[i], p.neighbour[f]);
    return STIC_OK;
}

/* ---- creation ---- */

static SticStatus check_pose(const SticPose* pose, int32_t i, SticError* error)
{
    if (pose->vertex != NULL || !stic_mat3_is_finite(pose->F) || !stic_vec3_is_finite(pose->origin))
        return stic_error_set(error, STIC_NOT_FINITE, "the pose of element %d is not finite", i);
    if (!(stic_mat3_det(pose->F) > 0.0))
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "the pose of element %d turns it inside out or flat", i);
    const SticMat3 defect =
        stic_mat3_sub(stic_mat3_transpose_mul(pose->F, pose->F), stic_mat3_identity());
    if (pose->rigid && !(stic_mat3_norm(defect) <= 1e-9))
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "the pose of element %d is called rigid, but its matrix is no "
                              "rotation (F'F differs from 1 by %g)",
                              i, stic_mat3_norm(defect));
    return STIC_OK;
}

static SticStatus check_def(const SticCompoundDef* def, int32_t* elements, SticError* error)
{
    STIC_TRY(stic_shape_check_tolerance(def->tolerance, error));
    int64_t count = 0;
    if (def->count > 0) {
        STIC_GIVEN(def->shape, error);
        STIC_GIVEN(def->pose, error);
    }
    for (int32_t i = 0; i < def->count; ++i) {
        const SticShape* shape = def->shape[i];
        if (shape == NULL)
            return stic_error_set(error, STIC_BAD_ARGUMENT, "element %d of a compound is NULL", i);
        if (!stic_shape_is_convex(shape) && shape->kind != STIC_SHAPE_COMPOUND)
            return stic_error_set(error, STIC_UNSUPPORTED,
                                  "element %d is a %s; a compound is made of convex shapes", i,
                                  stic_shape_kind_name(shape->kind));
        STIC_TRY(check_pose(&def->pose[i], i, error));
        count += shape->kind == STIC_SHAPE_COMPOUND ? shape->as.compound.count : 1;
    }
    if (count < 1 || count > INT32_MAX)
        return stic_error_set(error, STIC_BAD_DATA,
                              "a compound needs at least one element and less than 2^31");
    *elements = (int32_t)count;
    return STIC_OK;
}

static SticStatus copy_elements(const SticContext* context, const SticCompoundDef* def,
                                SticCompound* compound)
{
    int32_t at = 0;
    for (int32_t i = 0; i < def->count; ++i) {
        const SticShape* shape = def->shape[i];
        const bool nested = shape->kind == STIC_SHAPE_COMPOUND;
        const int32_t parts = nested ? shape->as.compound.count : 1;
        for (int32_t j = 0; j < parts; ++j, ++at) {
            const SticElement* part = nested ? &shape->as.compound.element[j] : NULL;
            SticElement* element = &compound->element[at];
            STIC_TRY(stic_shape_copy(context, nested ? part->shape : shape, &element->shape));
            element->pose = nested ? stic_pose_compose(&def->pose[i], &part->pose) : def->pose[i];
        }
    }
    return STIC_OK;
}

static SticStatus build(const SticShapeWork* work, const void* from, SticShape* shape)
{
    const SticCompoundDef* def = from;
    SticCompound* compound = &shape->as.compound;
    STIC_TRY(check_def(def, &compound->count, work->error));
    STIC_TRY(STIC_ALLOCATE(work->context, &compound->element, compound->count));
    STIC_TRY(copy_elements(work->context, def, compound));
    STIC_TRY(stic_compound_complete(work, shape));
    STIC_TRY(mark_internal(work, shape, def->tolerance));
    return stic_compound_complete(work, shape);
}

SticStatus stic_shape_create_compound(const SticContext* context, const SticCompoundDef* def,
                                      SticShape** shape, SticError* error)
{
    context = stic_context_given(context);
    STIC_GIVEN(def, error);
    STIC_GIVEN(shape, error);
    return stic_shape_build(context, STIC_SHAPE_COMPOUND, build, def, shape, error);
}

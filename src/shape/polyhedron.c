// SPDX-License-Identifier: Apache-2.0
// Convex polyhedra from faces: checks, planes, edges, neighbours of vertices.
//
// Steps: check indices and pair half-edges (open and inconsistent surfaces are found here);
// moments, sign of the volume and mean thickness; join coplanar faces (topology.c); number what is
// left and fill the arrays; check that every vertex lies inside every plane. All lengths are
// compared with tolerance * diameter, diameter = 2 max |vertex - centre|, which does not change
// under rotation. Everything is computed relative to the first vertex, so that a polyhedron far
// from the origin of its frame loses nothing. Cost: O(n log n), and vertices * faces for the last
// check up to a limit, beyond it neighbours only: a closed surface that is convex along every edge
// is convex.
#include "shape/build.h"

#include <string.h>

// compare all vertices with all planes up to this many comparisons, some hundredths of a second
static const double full_check_limit = 0x1p26;

// arrays of a polyhedron while they are filled
typedef struct Arrays {
    SticVec3* vertex;
    double* coordinate;
    SticPlane* plane;
    double* face_area;
    SticVec3 *face_centre, *face_side;
    uint8_t* face_flag;
    int32_t *face_neighbour, *face_begin, *face_vertex, *face_edge;
    SticEdge* edge;
    int32_t *vertex_begin, *vertex_neighbour, *vertex_edge, *node;
} Arrays;

// lay the arrays out in a block; returns its size
static size_t place_arrays(const SticPolyhedron* p, void* base, Arrays* a)
{
    SticBlockPlan plan = {.base = base, .used = 0};
    const size_t vertices = (size_t)p->vertex_count, faces = (size_t)p->face_count;
    const size_t edges = (size_t)p->edge_count, stride = (size_t)p->stride;
    a->vertex = stic_block_plan_next(&plan, vertices, sizeof *a->vertex);
    a->coordinate = stic_block_plan_next(&plan, 3 * stride, sizeof *a->coordinate);
    a->plane = stic_block_plan_next(&plan, faces, sizeof *a->plane);
    a->face_area = stic_block_plan_next(&plan, faces, sizeof *a->face_area);
    a->face_centre = stic_block_plan_next(&plan, faces, sizeof *a->face_centre);
    a->face_side = stic_block_plan_next(&plan, 2 * edges, sizeof *a->face_side);
    a->face_flag = stic_block_plan_next(&plan, faces, sizeof *a->face_flag);
    a->face_neighbour = stic_block_plan_next(&plan, faces, sizeof *a->face_neighbour);
    a->face_begin = stic_block_plan_next(&plan, faces + 1, sizeof *a->face_begin);
    a->face_vertex = stic_block_plan_next(&plan, 2 * edges, sizeof *a->face_vertex);
    a->face_edge = stic_block_plan_next(&plan, 2 * edges, sizeof *a->face_edge);
    a->edge = stic_block_plan_next(&plan, edges, sizeof *a->edge);
    a->vertex_begin = stic_block_plan_next(&plan, vertices + 1, sizeof *a->vertex_begin);
    a->vertex_neighbour = stic_block_plan_next(&plan, 2 * edges, sizeof *a->vertex_neighbour);
    a->vertex_edge = stic_block_plan_next(&plan, 2 * edges, sizeof *a->vertex_edge);
    a->node = stic_block_plan_next(&plan, vertices, sizeof *a->node);
    return plan.used;
}

static void publish(SticPolyhedron* p, const Arrays* a)
{
    p->vertex = a->vertex;
    p->coordinate = a->coordinate;
    p->plane = a->plane;
    p->face_area = a->face_area;
    p->face_centre = a->face_centre;
    p->face_side = a->face_side;
    p->face_flag = a->face_flag;
    p->face_neighbour = a->face_neighbour;
    p->face_begin = a->face_begin;
    p->face_vertex = a->face_vertex;
    p->face_edge = a->face_edge;
    p->edge = a->edge;
    p->vertex_begin = a->vertex_begin;
    p->vertex_neighbour = a->vertex_neighbour;
    p->vertex_edge = a->vertex_edge;
    p->node = a->node;
}

SticStatus stic_polyhedron_copy(const SticContext* context, const SticPolyhedron* from,
                                SticPolyhedron* to)
{
    Arrays arrays;
    *to = *from;
    to->memory = NULL;
    STIC_TRY(stic_allocate(context, from->bytes, &to->memory));
    memcpy(to->memory, from->memory, from->bytes);
    place_arrays(to, to->memory, &arrays);
    publish(to, &arrays);
    return STIC_OK;
}

void stic_polyhedron_release(const SticContext* context, SticPolyhedron* polyhedron)
{
    stic_release(context, polyhedron->memory, polyhedron->bytes);
    polyhedron->memory = NULL;
}

void stic_polyhedron_mark_face(SticPolyhedron* polyhedron, int32_t face, int32_t neighbour)
{
    Arrays arrays;
    place_arrays(polyhedron, polyhedron->memory, &arrays);
    arrays.face_flag[face] |= STIC_FACE_INTERNAL;
    arrays.face_neighbour[face] = neighbour;
}

// what is known while a polyhedron is made
typedef struct Build {
    const SticPolyhedronOptions* options;
    SticFaces given;   // as given, but relative to `from`
    SticFaces faces;   // joined faces, vertices renumbered, relative to `from`
    int32_t* original; // [faces.vertex_count] number of each vertex in `given`
    SticVec3 from;     // first vertex
    double diameter;
    SticError* error;
} Build;

static int32_t name_of(const Build* b, int32_t given_vertex)
{
    return b->options->node == NULL ? given_vertex : b->options->node[given_vertex];
}

static SticStatus check_indices(const Build* b)
{
    const SticFaces* faces = &b->given;
    if (stic_face_begin(faces, 0) != 0)
        return stic_error_set(b->error, STIC_BAD_DATA, "%sthe first face must begin at 0",
                              b->options->owner);
    for (int32_t f = 0; f < faces->count; ++f) {
        const int32_t begin = stic_face_begin(faces, f), end = stic_face_begin(faces, f + 1);
        if (end - begin < 3)
            return stic_error_set(b->error, STIC_BAD_DATA, "%sface %d has fewer than 3 vertices",
                                  b->options->owner, f);
        for (int32_t k = begin; k < end; ++k) {
            const int32_t v = faces->corner[k];
            if (v < 0 || v >= faces->vertex_count)
                return stic_error_set(b->error, STIC_BAD_DATA,
                                      "%sface %d refers to vertex %d, but there are %d vertices",
                                      b->options->owner, f, v, faces->vertex_count);
            if (v == faces->corner[stic_face_next(faces, f, k)])
                return stic_error_set(b->error, STIC_BAD_DATA,
                                      "%sface %d has vertex %d twice in a row", b->options->owner,
                                      f, name_of(b, v));
        }
    }
    return STIC_OK;
}

static SticStatus check_closed(const Build* b, const int32_t* face_of, const int32_t* twin)
{
    const SticFaces* faces = &b->given;
    const int32_t half_edges = stic_face_begin(faces, faces->count);
    for (int32_t k = 0; k < half_edges; ++k) {
        if (twin[k] >= 0)
            continue;
        const int32_t v = name_of(b, faces->corner[k]);
        const int32_t w = name_of(b, faces->corner[stic_face_next(faces, face_of[k], k)]);
        if (twin[k] == STIC_TWIN_NONE)
            return stic_error_set(b->error, STIC_BAD_DATA,
                                  "%sthe surface is open: only face %d has the edge between "
                                  "vertices %d and %d",
                                  b->options->owner, face_of[k], v, w);
        return stic_error_set(b->error, STIC_BAD_DATA,
                              "%sthe faces at the edge between vertices %d and %d (one is face %d) "
                              "are more than two or run in the same direction",
                              b->options->owner, v, w, face_of[k]);
    }
    return STIC_OK;
}

static double total_area(const SticFaces* faces)
{
    double sum = 0.0;
    for (int32_t f = 0; f < faces->count; ++f)
        sum += 0.5 * stic_vec3_norm(stic_area_vector(faces, f));
    return sum;
}

// diameter from the vertices that faces use, sign of the volume, thickness
static SticStatus check_volume(Build* b)
{
    const SticFaces* faces = &b->given;
    const SticMoments moments = stic_moments_of_faces(faces);
    double radius = 0.0;
    for (int32_t k = 0; k < stic_face_begin(faces, faces->count); ++k) {
        const double r = stic_vec3_distance(faces->vertex[faces->corner[k]], moments.centre);
        radius = r > radius ? r : radius;
    }
    b->diameter = 2.0 * radius;
    // 2 V / A is the thickness of a plate and half that of a needle
    const double area = total_area(faces);
    const double thickness = area > 0.0 ? 2.0 * fabs(moments.volume) / area : 0.0;
    if (!(thickness > b->options->tolerance * b->diameter))
        return stic_error_set(
            b->error, STIC_BAD_DATA,
            "%sthe polyhedron is flat: its mean thickness %g is at most %g of its "
            "diameter %g",
            b->options->owner, thickness, b->options->tolerance, b->diameter);
    if (moments.volume < 0.0)
        return stic_error_set(b->error, STIC_BAD_DATA,
                              "%sthe polyhedron is inverted: its volume is %g, so its faces run "
                              "clockwise seen from outside",
                              b->options->owner, moments.volume);
    return STIC_OK;
}

static SticPlane plane_of(const SticFaces* faces, int32_t f)
{
    SticPlane plane = {.normal = stic_face_normal(faces, f)};
    const int32_t begin = stic_face_begin(faces, f), end = stic_face_begin(faces, f + 1);
    for (int32_t k = begin; k < end; ++k) {
        const double height = stic_vec3_dot(plane.normal, faces->vertex[faces->corner[k]]);
        plane.offset = k == begin || height > plane.offset ? height : plane.offset;
    }
    return plane;
}

// every face of the user has an area and is plane
static SticStatus check_faces(const Build* b)
{
    const SticFaces* faces = &b->given;
    const double distance = b->options->tolerance * b->diameter;
    for (int32_t f = 0; f < faces->count; ++f) {
        const int32_t begin = stic_face_begin(faces, f), end = stic_face_begin(faces, f + 1);
        const SticPlane plane = plane_of(faces, f);
        double length = 0.0, lowest = plane.offset;
        for (int32_t k = begin; k < end; ++k) {
            const SticVec3 v = faces->vertex[faces->corner[k]];
            const SticVec3 w = faces->vertex[faces->corner[stic_face_next(faces, f, k)]];
            const double height = stic_vec3_dot(plane.normal, v);
            const double side = stic_vec3_distance(v, w);
            lowest = height < lowest ? height : lowest;
            length = side > length ? side : length;
        }
        if (!(stic_vec3_norm(stic_area_vector(faces, f)) > distance * length))
            return stic_error_set(b->error, STIC_BAD_DATA, "%sface %d has no area",
                                  b->options->owner, f);
        if (plane.offset - lowest > 2.0 * distance)
            return stic_error_set(b->error, STIC_BAD_DATA,
                                  "%sface %d is not plane: its vertices deviate by %g, that is %g "
                                  "of the diameter; split it into triangles",
                                  b->options->owner, f, 0.5 * (plane.offset - lowest),
                                  0.5 * (plane.offset - lowest) / b->diameter);
    }
    return STIC_OK;
}

// keep the vertices that faces use, in their old order
static SticStatus renumber(SticArena* work, Build* b, const SticMergedFaces* merged)
{
    int32_t *number, *corner;
    SticVec3* vertex;
    const int32_t sides = merged->begin[merged->count];
    STIC_TRY(STIC_TAKE(work, &number, b->given.vertex_count));
    STIC_TRY(STIC_TAKE(work, &corner, sides));
    STIC_TRY(STIC_TAKE(work, &b->original, b->given.vertex_count));
    STIC_TRY(STIC_TAKE(work, &vertex, b->given.vertex_count));
    for (int32_t v = 0; v < b->given.vertex_count; ++v)
        number[v] = -1;
    for (int32_t k = 0; k < sides; ++k)
        number[merged->corner[k]] = 0;
    int32_t count = 0;
    for (int32_t v = 0; v < b->given.vertex_count; ++v) {
        if (number[v] < 0)
            continue;
        vertex[count] = b->given.vertex[v];
        b->original[count] = v;
        number[v] = count++;
    }
    for (int32_t k = 0; k < sides; ++k)
        corner[k] = number[merged->corner[k]];
    b->faces = (SticFaces){.vertex = vertex,
                           .vertex_count = count,
                           .begin = merged->begin,
                           .corner = corner,
                           .count = merged->count};
    return STIC_OK;
}

static void fill_vertices(const Build* b, const SticVec3* given, SticPolyhedron* p, Arrays* a)
{
    for (int32_t v = 0; v < p->vertex_count; ++v) {
        a->vertex[v] = given[b->original[v]];
        a->node[v] = name_of(b, b->original[v]);
    }
    for (int32_t v = 0; v < p->stride; ++v) {
        const SticVec3 x = a->vertex[v < p->vertex_count ? v : 0];
        a->coordinate[v] = x.x;
        a->coordinate[p->stride + v] = x.y;
        a->coordinate[2 * p->stride + v] = x.z;
    }
}

// centroid from the triangles of a fan
static SticVec3 face_centroid(const SticFaces* faces, int32_t f, SticVec3 normal)
{
    const int32_t* corner = faces->corner + stic_face_begin(faces, f);
    const int32_t sides = stic_face_begin(faces, f + 1) - stic_face_begin(faces, f);
    const SticVec3 from = faces->vertex[corner[0]];
    SticVec3 moment = stic_vec3_zero();
    double area = 0.0;
    for (int32_t j = 1; j + 1 < sides; ++j) {
        const SticVec3 u = stic_vec3_sub(faces->vertex[corner[j]], from);
        const SticVec3 w = stic_vec3_sub(faces->vertex[corner[j + 1]], from);
        const double part = stic_vec3_triple(normal, u, w);
        area += part;
        moment = stic_vec3_add_scaled(moment, part, stic_vec3_add(u, w));
    }
    return stic_vec3_add_scaled(from, 1.0 / (3.0 * area), moment);
}

static void fill_faces(const Build* b, SticPolyhedron* p, Arrays* a)
{
    for (int32_t f = 0; f < p->face_count; ++f) {
        const SticPlane plane = plane_of(&b->faces, f);
        a->plane[f].normal = plane.normal;
        a->plane[f].offset = plane.offset + stic_vec3_dot(plane.normal, b->from);
        a->face_area[f] = 0.5 * stic_vec3_norm(stic_area_vector(&b->faces, f));
        a->face_centre[f] = stic_vec3_add(face_centroid(&b->faces, f, plane.normal), b->from);
        a->face_neighbour[f] = -1;
        a->face_begin[f] = b->faces.begin[f];
        for (int32_t k = b->faces.begin[f]; k < b->faces.begin[f + 1]; ++k) {
            const int32_t next = k + 1 < b->faces.begin[f + 1] ? k + 1 : b->faces.begin[f];
            const SticVec3 e = stic_vec3_sub(b->faces.vertex[b->faces.corner[next]],
                                             b->faces.vertex[b->faces.corner[k]]);
            a->face_side[k] = stic_vec3_normalize(stic_vec3_cross(e, plane.normal));
        }
    }
    a->face_begin[p->face_count] = b->faces.begin[p->face_count];
    memcpy(a->face_vertex, b->faces.corner, (size_t)(2 * p->edge_count) * sizeof *a->face_vertex);
}

static void fill_edges(const Build* b, const int32_t* face_of, const int32_t* twin, Arrays* a)
{
    int32_t count = 0;
    const int32_t half_edges = stic_face_begin(&b->faces, b->faces.count);
    for (int32_t k = 0; k < half_edges; ++k) {
        if (twin[k] < k)
            continue;
        a->edge[count] = (SticEdge){.vertex = {b->faces.corner[k], b->faces.corner[twin[k]]},
                                    .face = {face_of[k], face_of[twin[k]]}};
        a->face_edge[k] = a->face_edge[twin[k]] = count++;
    }
}

// turn about each vertex: the half-edge after k is the twin of the one before k in its face
static void fill_neighbours(const Build* b, const int32_t* face_of, const int32_t* twin,
                            int32_t* start, Arrays* a)
{
    const SticFaces* faces = &b->faces;
    const int32_t half_edges = stic_face_begin(faces, faces->count);
    for (int32_t k = half_edges - 1; k >= 0; --k)
        start[faces->corner[k]] = k;
    int32_t at = 0;
    for (int32_t v = 0; v < faces->vertex_count; ++v) {
        a->vertex_begin[v] = at;
        int32_t k = start[v];
        do {
            a->vertex_neighbour[at] = faces->corner[twin[k]];
            a->vertex_edge[at++] = a->face_edge[k];
            const int32_t f = face_of[k];
            const int32_t before =
                (k > stic_face_begin(faces, f) ? k : stic_face_begin(faces, f + 1)) - 1;
            k = twin[before];
        } while (k != start[v] && at < half_edges);
    }
    a->vertex_begin[faces->vertex_count] = at;
}

// all vertices inside all planes up to the tolerance
static SticStatus check_convex(const Build* b, const SticPolyhedron* p)
{
    const SticFaces* faces = &b->faces;
    const bool full = (double)p->vertex_count * p->face_count <= full_check_limit;
    const double distance = b->options->tolerance * b->diameter;
    for (int32_t f = 0; f < p->face_count; ++f) {
        const SticPlane plane = plane_of(faces, f);
        if (!(stic_vec3_norm2(plane.normal) > 0.0))
            return stic_error_set(b->error, STIC_BAD_DATA, "%sface %d has no area",
                                  b->options->owner, f);
        const int32_t begin = p->face_begin[f];
        const int32_t count = full ? p->vertex_count : p->face_begin[f + 1] - begin;
        for (int32_t i = 0; i < count; ++i) {
            // without the full check: the vertex that follows each side in the face across it
            int32_t v = i;
            if (!full) {
                const SticEdge* edge = &p->edge[p->face_edge[begin + i]];
                const int32_t g = edge->face[edge->face[0] == f];
                int32_t k = p->face_begin[g];
                while (p->face_edge[k] != p->face_edge[begin + i])
                    ++k;
                v = p->face_vertex[stic_face_next(faces, g, stic_face_next(faces, g, k))];
            }
            const double height = stic_vec3_dot(plane.normal, faces->vertex[v]) - plane.offset;
            if (height > distance)
                return stic_error_set(b->error, STIC_BAD_DATA,
                                      "%sthe polyhedron is not convex: vertex %d lies %g (%g of "
                                      "the diameter) outside "
                                      "the face with vertices %d, %d and %d",
                                      b->options->owner, p->node[v], height, height / b->diameter,
                                      p->node[p->face_vertex[begin]],
                                      p->node[p->face_vertex[begin + 1]],
                                      p->node[p->face_vertex[begin + 2]]);
        }
    }
    return STIC_OK;
}

static void measure(const Build* b, SticPolyhedron* p, SticMoments* moments)
{
    *moments = stic_moments_of_faces(&b->faces);
    const SticVec3 centre = moments->centre;
    p->radius = 0.0;
    for (int32_t v = 0; v < p->vertex_count; ++v) {
        const double r = stic_vec3_distance(b->faces.vertex[v], centre);
        p->radius = r > p->radius ? r : p->radius;
    }
    for (int32_t f = 0; f < p->face_count; ++f) {
        const SticPlane plane = plane_of(&b->faces, f);
        const double depth = plane.offset - stic_vec3_dot(plane.normal, centre);
        p->inner_radius = f == 0 || depth < p->inner_radius ? depth : p->inner_radius;
    }
    moments->centre = stic_vec3_add(centre, b->from);
    p->centre = moments->centre;
}

static SticStatus fill(const SticContext* context, SticArena* work, const Build* b,
                       const SticVec3* given, SticPolyhedron* p)
{
    const int32_t half_edges = b->faces.begin[b->faces.count];
    int32_t *face_of, *twin, *start;
    STIC_TRY(STIC_TAKE(work, &face_of, half_edges));
    STIC_TRY(STIC_TAKE(work, &twin, half_edges));
    STIC_TRY(STIC_TAKE(work, &start, b->faces.vertex_count));
    STIC_TRY(stic_faces_pair(work, &b->faces, face_of, twin));
    for (int32_t k = 0; k < half_edges; ++k)
        if (twin[k] < 0)
            return stic_error_set(b->error, STIC_BAD_DATA,
                                  "%stwo faces of the polyhedron share more than one edge",
                                  b->options->owner);
    if (b->faces.vertex_count - half_edges / 2 + b->faces.count != 2)
        return stic_error_set(b->error, STIC_BAD_DATA,
                              "%sthe faces do not form one closed surface without holes",
                              b->options->owner);
    p->vertex_count = b->faces.vertex_count;
    p->face_count = b->faces.count;
    p->edge_count = half_edges / 2;
    p->stride = (p->vertex_count + 7) / 8 * 8;
    Arrays arrays;
    p->bytes = place_arrays(p, NULL, &arrays);
    STIC_TRY(stic_allocate(context, p->bytes, &p->memory));
    place_arrays(p, p->memory, &arrays);
    publish(p, &arrays);
    fill_vertices(b, given, p, &arrays);
    fill_faces(b, p, &arrays);
    fill_edges(b, face_of, twin, &arrays);
    fill_neighbours(b, face_of, twin, start, &arrays);
    return STIC_OK;
}

static SticStatus join_faces(SticArena* work, Build* b)
{
    const SticFaces* faces = &b->given;
    const int32_t half_edges = stic_face_begin(faces, faces->count);
    int32_t *face_of, *twin;
    STIC_TRY(STIC_TAKE(work, &face_of, half_edges));
    STIC_TRY(STIC_TAKE(work, &twin, half_edges));
    STIC_TRY(stic_faces_pair(work, faces, face_of, twin));
    STIC_TRY(check_closed(b, face_of, twin));
    STIC_TRY(check_volume(b));
    if (b->options->given)
        STIC_TRY(check_faces(b));
    SticMergedFaces merged;
    if (b->options->merge) {
        STIC_TRY(stic_faces_merge(work, faces, face_of, twin, b->options->tolerance * b->diameter,
                                  &merged));
        return renumber(work, b, &merged);
    }
    merged.count = faces->count;
    STIC_TRY(STIC_TAKE(work, &merged.begin, faces->count + 1));
    STIC_TRY(STIC_TAKE(work, &merged.corner, half_edges));
    for (int32_t f = 0; f <= faces->count; ++f)
        merged.begin[f] = stic_face_begin(faces, f);
    memcpy(merged.corner, faces->corner, (size_t)half_edges * sizeof *merged.corner);
    return renumber(work, b, &merged);
}

SticStatus stic_polyhedron_build(const SticShapeWork* work, const SticFaces* faces,
                                 const SticPolyhedronOptions* options, SticPolyhedron* polyhedron,
                                 SticMoments* moments)
{
    Build b = {.options = options, .given = *faces, .error = work->error};
    const SticArenaMark mark = stic_arena_mark(work->arena);
    memset(polyhedron, 0, sizeof *polyhedron);
    STIC_TRY(check_indices(&b));

    // relative to the first vertex that is used
    SticVec3* vertex;
    STIC_TRY(STIC_TAKE(work->arena, &vertex, faces->vertex_count));
    b.from = faces->vertex[faces->corner[0]];
    for (int32_t v = 0; v < faces->vertex_count; ++v)
        vertex[v] = stic_vec3_sub(faces->vertex[v], b.from);
    b.given.vertex = vertex;

    STIC_TRY(join_faces(work->arena, &b));
    SticStatus status = fill(work->context, work->arena, &b, faces->vertex, polyhedron);
    if (status == STIC_OK)
        status = check_convex(&b, polyhedron);
    if (status == STIC_OK)
        measure(&b, polyhedron, moments);
    else
        stic_polyhedron_release(work->context, polyhedron);
    stic_arena_rewind(work->arena, mark);
    return status;
}

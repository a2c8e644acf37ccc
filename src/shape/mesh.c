// SPDX-License-Identifier: Apache-2.0
// Triangle meshes: MESH (one form) and SURFACE (vertices given with each pose).
//
// Steps: split polygons into triangles (polygon.c); sort out triangles without height; pair
// half-edges; planes and the form of edges; volume if closed; tree over triangles. Lengths are
// compared with tolerance * diameter, diameter = 2 max distance from the mean vertex. Cost: O(n log
// n). Workspace: about 200 bytes per triangle.
#include "shape/build.h"

#include <string.h>

typedef struct Arrays {
    SticVec3* vertex;
    int32_t (*triangle)[3];
    int32_t (*triangle_edge)[3];
    int32_t* triangle_face;
    SticPlane* plane;
    SticEdge* edge;
    uint8_t* edge_form;
    int32_t* region;
} Arrays;

static size_t place_arrays(const SticMesh* mesh, void* base, Arrays* a)
{
    SticBlockPlan plan = {.base = base, .used = 0};
    const size_t triangles = (size_t)mesh->triangle_count, edges = (size_t)mesh->edge_count;
    a->vertex = stic_block_plan_next(&plan, (size_t)mesh->vertex_count, sizeof *a->vertex);
    a->triangle = stic_block_plan_next(&plan, triangles, sizeof *a->triangle);
    a->triangle_edge = stic_block_plan_next(&plan, triangles, sizeof *a->triangle_edge);
    a->triangle_face = stic_block_plan_next(&plan, triangles, sizeof *a->triangle_face);
    a->plane = stic_block_plan_next(&plan, triangles, sizeof *a->plane);
    a->edge = stic_block_plan_next(&plan, edges, sizeof *a->edge);
    a->region = stic_block_plan_next(&plan, triangles, sizeof *a->region);
    a->edge_form = stic_block_plan_next(&plan, edges, sizeof *a->edge_form);
    return plan.used;
}

void stic_mesh_release(const SticContext* context, SticMesh* mesh)
{
    stic_release(context, mesh->memory, mesh->bytes);
    mesh->memory = NULL;
    stic_tree_release(context, &mesh->tree);
}

SticMeshDef stic_mesh_default_def(void)
{
    return (SticMeshDef){.tolerance = 1e-9};
}

SticMeshDef stic_mesh_def_from(const SticMeshData* mesh)
{
    STIC_ASSERT(mesh != NULL);
    SticMeshDef def = stic_mesh_default_def();
    def.vertex = mesh->vertex;
    def.vertex_count = mesh->vertex_count;
    def.face_begin = mesh->face_begin;
    def.face_vertex = mesh->face_vertex;
    def.face_count = mesh->face_count;
    return def;
}

typedef struct Build {
    const SticMeshDef* def;
    const SticShapeWork* work;
    double diameter;
    SticVec3* vertex;       // relative to the first one
    int32_t (*triangle)[3]; // [count]
    int32_t* face;          // [count] face of the definition
    int32_t count;
    int32_t *face_of, *twin; // of the half-edges
} Build;

static int32_t face_begin(const SticMeshDef* def, int32_t f)
{
    return def->face_begin == NULL ? 3 * f : def->face_begin[f];
}

static SticStatus check_def(const SticMeshDef* def, SticError* error)
{
    if (def->vertex_count < 3 || def->face_count < 1)
        return stic_error_set(error, STIC_BAD_DATA,
                              "a mesh needs at least 3 vertices and 1 face, not %d and %d",
                              def->vertex_count, def->face_count);
    STIC_GIVEN(def->vertex, error);
    STIC_GIVEN(def->face_vertex, error);
    // half-edges of triangles are counted in 32 bits
    if (def->face_count > INT32_MAX / 9 || face_begin(def, def->face_count) > INT32_MAX / 3)
        return stic_error_set(error, STIC_BAD_DATA, "a mesh of %d faces is too large",
                              def->face_count);
    STIC_TRY(stic_shape_check_tolerance(def->tolerance, error));
    STIC_TRY(stic_shape_check_points(def->vertex, def->vertex_count, "vertex", error));
    if (face_begin(def, 0) != 0)
        return stic_error_set(error, STIC_BAD_DATA, "the first face must begin at 0");
    for (int32_t f = 0; f < def->face_count; ++f) {
        const int32_t sides = face_begin(def, f + 1) - face_begin(def, f);
        if (sides < 3)
            return stic_error_set(error, STIC_BAD_DATA, "face %d has fewer than 3 vertices", f);
        for (int32_t k = face_begin(def, f); k < face_begin(def, f + 1); ++k)
            if (def->face_vertex[k] < 0 || def->face_vertex[k] >= def->vertex_count)
                return stic_error_set(error, STIC_BAD_DATA,
                                      "face %d refers to vertex %d, but there are %d vertices", f,
                                      def->face_vertex[k], def->vertex_count);
    }
    return STIC_OK;
}

static SticStatus move_vertices(Build* b)
{
    const int32_t count = b->def->vertex_count;
    STIC_TRY(STIC_TAKE(b->work->arena, &b->vertex, count));
    SticVec3 mean = stic_vec3_zero();
    for (int32_t v = 0; v < count; ++v) {
        b->vertex[v] = stic_vec3_sub(b->def->vertex[v], b->def->vertex[0]);
        mean = stic_vec3_add(mean, b->vertex[v]);
    }
    mean = stic_vec3_scale(1.0 / count, mean);
    for (int32_t v = 0; v < count; ++v) {
        const double across = 2.0 * stic_vec3_distance(b->vertex[v], mean);
        b->diameter = across > b->diameter ? across : b->diameter;
    }
    return STIC_OK;
}

static SticVec3 triangle_area(const SticVec3* vertex, const int32_t corner[3])
{
    return stic_vec3_cross(stic_vec3_sub(vertex[corner[1]], vertex[corner[0]]),
                           stic_vec3_sub(vertex[corner[2]], vertex[corner[0]]));
}

// keep a triangle, or refuse or drop it if it has no height
static SticStatus add_triangle(Build* b, int32_t f, int32_t i, int32_t j, int32_t k)
{
    const int32_t corner[3] = {i, j, k};
    double length = 0.0;
    for (int c = 0; c < 3; ++c) {
        const double side =
            stic_vec3_distance(b->vertex[corner[c]], b->vertex[corner[(c + 1) % 3]]);
        length = side > length ? side : length;
    }
    const double twice_area = stic_vec3_norm(triangle_area(b->vertex, corner));
    if (i == j || j == k || k == i || !(twice_area > b->def->tolerance * b->diameter * length)) {
        if (b->def->drop_degenerate)
            return STIC_OK;
        return stic_error_set(b->work->error, STIC_BAD_DATA,
                              "face %d is degenerate: the triangle of vertices %d, %d and %d has "
                              "no area",
                              f, i, j, k);
    }
    memcpy(b->triangle[b->count], corner, sizeof corner);
    b->face[b->count++] = f;
    return STIC_OK;
}

static SticStatus split_face(Build* b, int32_t f, int32_t* scratch, int32_t (*part)[3])
{
    const SticMeshDef* def = b->def;
    const int32_t* corner = def->face_vertex + face_begin(def, f);
    const int32_t sides = face_begin(def, f + 1) - face_begin(def, f);
    if (!stic_polygon_split(b->vertex, corner, sides, scratch, part)) {
        if (def->drop_degenerate)
            return STIC_OK;
        return stic_error_set(b->work->error, STIC_BAD_DATA,
                              "face %d of %d vertices has no area or crosses itself", f, sides);
    }
    for (int32_t t = 0; t < sides - 2; ++t)
        STIC_TRY(add_triangle(b, f, part[t][0], part[t][1], part[t][2]));
    return STIC_OK;
}

static SticStatus split_faces(Build* b)
{
    const SticMeshDef* def = b->def;
    int32_t most = 3, *scratch, (*part)[3];
    for (int32_t f = 0; f < def->face_count; ++f) {
        const int32_t sides = face_begin(def, f + 1) - face_begin(def, f);
        most = sides > most ? sides : most;
    }
    const size_t corners = (size_t)face_begin(def, def->face_count);
    STIC_TRY(STIC_TAKE(b->work->arena, &scratch, most));
    STIC_TRY(STIC_TAKE(b->work->arena, &part, most));
    STIC_TRY(STIC_TAKE(b->work->arena, &b->triangle, corners));
    STIC_TRY(STIC_TAKE(b->work->arena, &b->face, corners));
    for (int32_t f = 0; f < def->face_count; ++f)
        STIC_TRY(split_face(b, f, scratch, part));
    if (b->count == 0)
        return stic_error_set(b->work->error, STIC_BAD_DATA,
                              "the mesh is degenerate: no triangle has an area");
    return STIC_OK;
}

// a surface keeps the numbers of its vertices, a mesh drops those that no triangle uses
static SticStatus number_vertices(const Build* b, bool keep, int32_t** number, int32_t* count)
{
    const int32_t given = b->def->vertex_count;
    STIC_TRY(STIC_TAKE(b->work->arena, number, given));
    for (int32_t v = 0; v < given; ++v)
        (*number)[v] = -1;
    for (int32_t t = 0; t < b->count; ++t)
        for (int c = 0; c < 3; ++c)
            (*number)[b->triangle[t][c]] = 0;
    *count = 0;
    for (int32_t v = 0; v < given; ++v) {
        if ((*number)[v] < 0 && keep)
            return stic_error_set(b->work->error, STIC_BAD_DATA,
                                  "vertex %d of the surface belongs to no triangle", v);
        if ((*number)[v] >= 0)
            (*number)[v] = (*count)++;
    }
    return STIC_OK;
}

static SticStatus check_closed(const Build* b)
{
    for (int32_t k = 0; k < 3 * b->count; ++k) {
        if (b->twin[k] >= 0)
            continue;
        const int32_t* t = b->triangle[k / 3];
        if (b->twin[k] == STIC_TWIN_NONE)
            return stic_error_set(b->work->error, STIC_BAD_DATA,
                                  "the mesh is open: only face %d has the edge between vertices %d "
                                  "and %d",
                                  b->face[k / 3], t[k % 3], t[(k + 1) % 3]);
        return stic_error_set(b->work->error, STIC_BAD_DATA,
                              "the faces at the edge between vertices %d and %d (one is face %d) "
                              "are more than two or run in the same direction",
                              t[k % 3], t[(k + 1) % 3], b->face[k / 3]);
    }
    return STIC_OK;
}

static SticPlane triangle_plane(const Build* b, int32_t t)
{
    const SticFaces one = {.vertex = b->vertex, .corner = b->triangle[t], .count = 1};
    SticPlane plane = {.normal = stic_face_normal(&one, 0)};
    plane.offset = stic_vec3_dot(plane.normal, b->vertex[b->triangle[t][0]]);
    return plane;
}

static SticEdgeForm edge_form(const Build* b, int32_t k)
{
    const int32_t other = b->twin[k], s = k / 3, t = other / 3;
    if (b->face[s] == b->face[t])
        return STIC_EDGE_FLAT;
    const SticPlane p = triangle_plane(b, s), q = triangle_plane(b, t);
    // heights of the third corners over the plane of the other triangle
    const SticVec3 over_p = b->vertex[b->triangle[t][(other + 2) % 3]];
    const SticVec3 over_q = b->vertex[b->triangle[s][(k + 2) % 3]];
    const double first = stic_vec3_dot(p.normal, over_p) - p.offset;
    const double second = stic_vec3_dot(q.normal, over_q) - q.offset;
    const double height = fabs(first) > fabs(second) ? first : second;
    if (fabs(height) <= b->def->tolerance * b->diameter)
        // two triangles folded onto each other are a knife, not a plane
        return stic_vec3_dot(p.normal, q.normal) > 0.0 ? STIC_EDGE_FLAT : STIC_EDGE_CONVEX;
    return height < 0.0 ? STIC_EDGE_CONVEX : STIC_EDGE_CONCAVE;
}

static void fill_edges(const Build* b, Arrays* a)
{
    int32_t count = 0;
    for (int32_t k = 0; k < 3 * b->count; ++k) {
        const int32_t twin = b->twin[k];
        if (twin >= 0 && twin < k)
            continue;
        const int32_t* corner = a->triangle[k / 3];
        a->edge[count] = (SticEdge){.vertex = {corner[k % 3], corner[(k + 1) % 3]},
                                    .face = {k / 3, twin >= 0 ? twin / 3 : -1}};
        a->edge_form[count] = (uint8_t)(twin >= 0 ? edge_form(b, k) : STIC_EDGE_BORDER);
        a->triangle_edge[k / 3][k % 3] = count;
        if (twin >= 0)
            a->triangle_edge[twin / 3][twin % 3] = count;
        count += 1;
    }
}

// the first triangle of a region; paths to it are halved on the way
static int32_t first_of(int32_t* region, int32_t t)
{
    for (; region[t] != t; t = region[t])
        region[t] = region[region[t]];
    return t;
}

static void fill_regions(const SticMesh* mesh, int32_t* region)
{
    for (int32_t t = 0; t < mesh->triangle_count; ++t)
        region[t] = t;
    for (int32_t e = 0; e < mesh->edge_count; ++e) {
        if (mesh->edge_form[e] != STIC_EDGE_FLAT)
            continue;
        const int32_t s = first_of(region, mesh->edge[e].face[0]);
        const int32_t t = first_of(region, mesh->edge[e].face[1]);
        region[s < t ? t : s] = s < t ? s : t;
    }
    for (int32_t t = 0; t < mesh->triangle_count; ++t)
        region[t] = first_of(region, t);
}

static SticStatus fill(const Build* b, bool keep_numbers, SticMesh* mesh)
{
    int32_t* number;
    Arrays a;
    STIC_TRY(number_vertices(b, keep_numbers, &number, &mesh->vertex_count));
    mesh->triangle_count = b->count;
    mesh->closed = true;
    for (int32_t k = 0; k < 3 * b->count; ++k) {
        mesh->edge_count += b->twin[k] < k;
        mesh->closed = mesh->closed && b->twin[k] >= 0;
    }
    mesh->bytes = place_arrays(mesh, NULL, &a);
    STIC_TRY(stic_allocate(b->work->context, mesh->bytes, &mesh->memory));
    place_arrays(mesh, mesh->memory, &a);
    mesh->vertex = a.vertex;
    mesh->triangle = (const int32_t(*)[3])a.triangle;
    mesh->triangle_edge = (const int32_t(*)[3])a.triangle_edge;
    mesh->triangle_face = a.triangle_face;
    mesh->plane = a.plane;
    mesh->edge = a.edge;
    mesh->edge_form = a.edge_form;
    mesh->region = a.region;

    for (int32_t v = 0; v < b->def->vertex_count; ++v)
        if (number[v] >= 0)
            a.vertex[number[v]] = b->def->vertex[v];
    for (int32_t t = 0; t < b->count; ++t) {
        for (int c = 0; c < 3; ++c)
            a.triangle[t][c] = number[b->triangle[t][c]];
        a.triangle_face[t] = b->face[t];
        a.plane[t] = triangle_plane(b, t);
        a.plane[t].offset += stic_vec3_dot(a.plane[t].normal, b->def->vertex[0]);
    }
    fill_edges(b, &a);
    fill_regions(mesh, a.region);
    return STIC_OK;
}

static SticStatus build_tree(const Build* b, SticMesh* mesh)
{
    SticBounds* box;
    STIC_TRY(STIC_TAKE(b->work->arena, &box, mesh->triangle_count));
    for (int32_t t = 0; t < mesh->triangle_count; ++t)
        box[t] = stic_mesh_triangle_bounds(mesh, mesh->vertex, t);
    return stic_tree_build(b->work, box, mesh->triangle_count, &mesh->tree);
}

SticBounds stic_mesh_triangle_bounds(const SticMesh* mesh, const SticVec3* vertex, int32_t triangle)
{
    STIC_ASSERT(triangle >= 0 && triangle < mesh->triangle_count);
    const int32_t* corner = mesh->triangle[triangle];
    const SticVec3 a = vertex[corner[0]], b = vertex[corner[1]], c = vertex[corner[2]];
    return (SticBounds){.low = stic_vec3_min(stic_vec3_min(a, b), c),
                        .high = stic_vec3_max(stic_vec3_max(a, b), c)};
}

// centroid of the area
static SticVec3 area_centre(const Build* b)
{
    SticVec3 moment = stic_vec3_zero();
    double weight = 0.0;
    for (int32_t t = 0; t < b->count; ++t) {
        const int32_t* c = b->triangle[t];
        const double area = stic_vec3_norm(triangle_area(b->vertex, c));
        const SticVec3 sum =
            stic_vec3_add(stic_vec3_add(b->vertex[c[0]], b->vertex[c[1]]), b->vertex[c[2]]);
        moment = stic_vec3_add_scaled(moment, area, sum);
        weight += area;
    }
    return stic_vec3_scale(1.0 / (3.0 * weight), moment);
}

static SticStatus set_common(const Build* b, SticShape* shape)
{
    const SticMesh* mesh = &shape->as.mesh;
    const SticFaces faces = {.vertex = b->vertex,
                             .vertex_count = b->def->vertex_count,
                             .corner = b->triangle[0],
                             .count = b->count};
    const SticPose identity = stic_pose_identity();
    SticMoments moments = stic_moments_of_faces(&faces);
    if (b->def->closed && !(moments.volume > 0.0))
        return stic_error_set(b->work->error, STIC_BAD_DATA,
                              "the mesh is inverted or flat: its volume is %g", moments.volume);
    shape->centre = stic_vec3_add(area_centre(b), b->def->vertex[0]);
    if (mesh->closed && moments.volume > 0.0) {
        moments.centre = stic_vec3_add(moments.centre, b->def->vertex[0]);
        stic_shape_set_moments(shape, &moments);
    }
    for (int32_t v = 0; v < mesh->vertex_count; ++v) {
        const double r = stic_vec3_distance(mesh->vertex[v], shape->centre);
        shape->radius = r > shape->radius ? r : shape->radius;
    }
    shape->bounds = stic_shape_bounds(shape, &identity, 0.0);
    return STIC_OK;
}

static SticStatus build(const SticShapeWork* work, const void* def, SticShape* shape)
{
    Build* const b = &(Build){.def = def, .work = work};
    STIC_TRY(move_vertices(b));
    STIC_TRY(split_faces(b));
    const SticFaces faces = {.vertex = b->vertex,
                             .vertex_count = b->def->vertex_count,
                             .corner = b->triangle[0],
                             .count = b->count};
    STIC_TRY(STIC_TAKE(b->work->arena, &b->face_of, 3 * (size_t)b->count));
    STIC_TRY(STIC_TAKE(b->work->arena, &b->twin, 3 * (size_t)b->count));
    STIC_TRY(stic_faces_pair(b->work->arena, &faces, b->face_of, b->twin));
    if (b->def->closed)
        STIC_TRY(check_closed(b));
    STIC_TRY(fill(b, shape->kind == STIC_SHAPE_SURFACE, &shape->as.mesh));
    STIC_TRY(set_common(b, shape));
    return build_tree(b, &shape->as.mesh);
}

static SticStatus create(const SticContext* context, SticShapeKind kind, const SticMeshDef* def,
                         SticShape** shape, SticError* error)
{
    *shape = NULL;
    STIC_TRY(check_def(def, error));
    return stic_shape_build(context, kind, build, def, shape, error);
}

SticStatus stic_shape_create_mesh(const SticContext* context, const SticMeshDef* def,
                                  SticShape** shape, SticError* error)
{
    context = stic_context_given(context);
    STIC_GIVEN(def, error);
    STIC_GIVEN(shape, error);
    return create(context, STIC_SHAPE_MESH, def, shape, error);
}

SticStatus stic_shape_create_surface(const SticContext* context, const SticMeshDef* def,
                                     SticShape** shape, SticError* error)
{
    return create(context, STIC_SHAPE_SURFACE, def, shape, error);
}

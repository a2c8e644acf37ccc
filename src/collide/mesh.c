// SPDX-License-Identifier: Apache-2.0
// Contacts of a convex part with triangle meshes, moving surfaces and height fields.
//
// Each triangle near the part is looked at as a polyhedron with one face. Its edges carry the
// normal of the neighbour, so that the test of crossing arcs lets an edge touch only along the
// normals between the two triangles; flat and concave edges have no arc and touch nothing, and
// corners of patches on flat edges are left out: a body that slides over the mesh does not feel how
// it was triangulated. If the best axis is a face of the part, and it meets the triangle in a
// vertex or edge that is not a feature, or would leave through the back, the triangle itself is the
// reference. Edges that are no features leave no axis to a part that is beside them: no contact is
// deeper than what the part has below the triangle, inside the prism over it. Triangles are
// one-sided: parts whose centre lies behind them are ignored. Contacts found by two triangles at
// one place with one normal are merged. An edge or vertex that a ball or capsule touches is left
// out if it also belongs to a nearer triangle.
//
// A half-space touches the vertices of a mesh. A SURFACE takes the vertices of its pose; its
// features are frozen where they are now. Cost: tree query plus a pair of polyhedra per triangle;
// if the pose of a SURFACE brings no fitted boxes, its tree is fitted for the pair, O(triangles).
#include <math.h>

#include "collide/part.h"

#include "stiction/extend/base.h"

/// Normals of contacts with a smaller sine between them are one.
#define SAME_NORMAL 1e-6

/// Area of a contact that will be dropped.
#define GHOST (-1.0)

enum { FIRST_GUESS = 256 };

typedef struct Triangle {
    SticPolyhedron p;
    SticVec3 vertex[3], face_centre[4];
    double coordinate[24], face_area[4];
    SticPlane plane[4];
    uint8_t face_flag[4];
    int32_t face_begin[5], face_vertex[3], face_edge[3];
    SticEdge edge[3];
    int32_t vertex_begin[4], vertex_neighbour[6], vertex_edge[6];
} Triangle;

// neighbours of a triangle
typedef struct Corners {
    SticVec3 vertex[3], normal[3];
    uint8_t form[3];
} Corners;

static SticVec3 normal_of(const SticVec3 v[3])
{
    return stic_vec3_normalize(
        stic_vec3_cross(stic_vec3_sub(v[1], v[0]), stic_vec3_sub(v[2], v[0])));
}

static void fill_coordinates(Triangle* t)
{
    for (int i = 0; i < 8; ++i) {
        const SticVec3 v = t->vertex[i < 3 ? i : 0];
        t->coordinate[i] = v.x;
        t->coordinate[8 + i] = v.y;
        t->coordinate[16 + i] = v.z;
    }
}

static void fill_edge(Triangle* t, const Corners* c, int j)
{
    const SticVec3 a = t->vertex[j], e = stic_vec3_sub(t->vertex[(j + 1) % 3], a);
    const SticVec3 n = t->plane[0].normal;
    SticVec3 other = c->normal[j];
    t->face_flag[1 + j] = 0;
    if (c->form[j] == STIC_EDGE_BORDER) {
        other = stic_vec3_normalize(stic_vec3_cross(e, n));
    } else if (c->form[j] != STIC_EDGE_CONVEX) {
        other = n;
        t->face_flag[1 + j] =
            c->form[j] == STIC_EDGE_FLAT ? STIC_FACE_INTERNAL | STIC_FACE_FLAT : STIC_FACE_INTERNAL;
    }
    t->plane[1 + j] = (SticPlane){other, stic_vec3_dot(other, a)};
    t->edge[j] = (SticEdge){{j, (j + 1) % 3}, {0, 1 + j}};
    t->face_vertex[j] = t->face_edge[j] = j;
    t->face_begin[1 + j] = 3;
    t->vertex_begin[j] = 2 * j;
    t->vertex_neighbour[2 * j] = (j + 1) % 3;
    t->vertex_edge[2 * j] = j;
    t->vertex_neighbour[2 * j + 1] = (j + 2) % 3;
    t->vertex_edge[2 * j + 1] = (j + 2) % 3;
}

static void make_triangle(const Corners* c, Triangle* t)
{
    for (int j = 0; j < 3; ++j)
        t->vertex[j] = c->vertex[j];
    const SticVec3 n = normal_of(c->vertex);
    t->plane[0] = (SticPlane){n, stic_vec3_dot(n, c->vertex[0])};
    t->face_flag[0] = 0;
    t->face_begin[0] = 0;
    t->face_begin[4] = 3;
    t->vertex_begin[3] = 6;
    fill_coordinates(t);
    const SticVec3 centre = stic_vec3_scale(
        1.0 / 3.0, stic_vec3_add(c->vertex[0], stic_vec3_add(c->vertex[1], c->vertex[2])));
    double radius = 0.0;
    for (int j = 0; j < 3; ++j) {
        fill_edge(t, c, j);
        const double r = stic_vec3_distance(centre, c->vertex[j]);
        radius = r > radius ? r : radius;
    }
    for (int f = 0; f < 4; ++f) {
        t->face_area[f] = (double)INFINITY; // the reference in case of a tie
        t->face_centre[f] = centre;
    }
    t->p = (SticPolyhedron){.vertex_count = 3,
                            .face_count = 4,
                            .edge_count = 3,
                            .stride = 8,
                            .vertex = t->vertex,
                            .coordinate = t->coordinate,
                            .plane = t->plane,
                            .face_area = t->face_area,
                            .face_centre = t->face_centre,
                            .face_flag = t->face_flag,
                            .face_begin = t->face_begin,
                            .face_vertex = t->face_vertex,
                            .face_edge = t->face_edge,
                            .edge = t->edge,
                            .vertex_begin = t->vertex_begin,
                            .vertex_neighbour = t->vertex_neighbour,
                            .vertex_edge = t->vertex_edge,
                            .centre = centre,
                            .radius = radius};
}

/* ---- triangles of meshes ---- */

static void corners_of_mesh(const SticMesh* mesh, const SticVec3* vertex, int32_t index, Corners* c)
{
    const bool moved = vertex != mesh->vertex;
    for (int j = 0; j < 3; ++j)
        c->vertex[j] = vertex[mesh->triangle[index][j]];
    const SticVec3 n = normal_of(c->vertex);
    for (int j = 0; j < 3; ++j) {
        const int32_t e = mesh->triangle_edge[index][j];
        const int32_t* face = mesh->edge[e].face;
        const int32_t other = face[0] == index ? face[1] : face[0];
        c->form[j] = mesh->edge_form[e];
        c->normal[j] = n;
        if (other < 0)
            continue;
        SticVec3 v[3];
        for (int i = 0; i < 3; ++i)
            v[i] = vertex[mesh->triangle[other][i]];
        c->normal[j] = moved ? normal_of(v) : mesh->plane[other].normal;
        // the form of a moving surface is its present one
        if (moved)
            c->form[j] = (uint8_t)stic_fold_form(
                n, c->normal[j], stic_vec3_sub(c->vertex[(j + 1) % 3], c->vertex[j]));
    }
}

static SticStatus fit_tree(SticPairWork* work, const SticMesh* mesh, const SticVec3* vertex,
                           const SticTreeNode** nodes)
{
    SticTreeNode* refit;
    SticBounds* item;
    STIC_TRY(STIC_TAKE(work->arena, &refit, mesh->tree.node_count));
    STIC_TRY(STIC_TAKE(work->arena, &item, mesh->triangle_count));
    for (int32_t i = 0; i < mesh->tree.node_count; ++i)
        refit[i] = mesh->tree.node[i];
    for (int32_t i = 0; i < mesh->triangle_count; ++i)
        item[i] = stic_mesh_triangle_bounds(mesh, vertex, i);
    stic_tree_refit(&mesh->tree, item, refit);
    *nodes = refit;
    return STIC_OK;
}

static SticStatus mesh_near(SticPairWork* work, const SticMesh* mesh, const SticPose* pose,
                            SticBounds box, const int32_t** found, int32_t* count)
{
    const SticTreeNode* nodes = mesh->tree.node;
    int32_t* list;
    if (pose->vertex != NULL && pose->nodes != NULL)
        nodes = stic_surface_nodes_tree(pose->nodes);
    else if (pose->vertex != NULL)
        STIC_TRY(fit_tree(work, mesh, pose->vertex, &nodes));
    STIC_TRY(STIC_TAKE(work->arena, &list, FIRST_GUESS));
    *count = stic_tree_query(&mesh->tree, nodes, box, FIRST_GUESS, list);
    if (*count > FIRST_GUESS) {
        STIC_TRY(STIC_TAKE(work->arena, &list, *count));
        stic_tree_query(&mesh->tree, nodes, box, *count, list);
    }
    *found = list;
    return STIC_OK;
}

/* ---- triangles of height fields ---- */

static void corners_of_field(const SticHeightField* field, int32_t index, Corners* c)
{
    stic_height_field_triangle(field, index, c->vertex);
    const SticVec3 n = normal_of(c->vertex);
    for (int j = 0; j < 3; ++j) {
        const int32_t other = stic_height_field_across(field, index, j);
        c->form[j] = STIC_EDGE_BORDER;
        c->normal[j] = n;
        if (other < 0)
            continue;
        SticVec3 v[3];
        stic_height_field_triangle(field, other, v);
        c->normal[j] = normal_of(v);
        c->form[j] = (uint8_t)stic_fold_form(n, c->normal[j],
                                             stic_vec3_sub(c->vertex[(j + 1) % 3], c->vertex[j]));
    }
}

static SticStatus field_near(SticPairWork* work, const SticHeightField* field, SticBounds box,
                             const int32_t** found, int32_t* count)
{
    int32_t first[2], last[2], *list;
    *count = 0;
    *found = NULL;
    stic_height_field_cells(field, box, first, last);
    if (last[0] <= first[0] || last[1] <= first[1])
        return STIC_OK;
    STIC_TRY(STIC_TAKE(work->arena, &list,
                       2 * (size_t)(last[0] - first[0]) * (size_t)(last[1] - first[1])));
    for (int32_t j = first[1]; j < last[1]; ++j)
        for (int32_t i = first[0]; i < last[0]; ++i)
            for (int32_t k = 0; k < 2; ++k)
                list[(*count)++] = 2 * (j * (field->columns - 1) + i) + k;
    *found = list;
    return STIC_OK;
}

/* ---- one triangle ---- */

// whether a triangle may be touched along `n`, which points out of it, where it is highest
static bool may_touch(const SticPolyhedron* t, const SticVec3* vertex, SticVec3 n, double same)
{
    double height[3], top = -(double)INFINITY;
    for (int j = 0; j < 3; ++j) {
        height[j] = stic_vec3_dot(n, vertex[j]);
        top = height[j] > top ? height[j] : top;
    }
    for (int j = 0; j < 3; ++j) {
        // every edge with an end at the top must be a feature
        const bool at_top = height[j] >= top - same || height[(j + 1) % 3] >= top - same;
        if (at_top && t->face_flag[1 + j] & STIC_FACE_INTERNAL)
            return false;
    }
    return true;
}

// A part that is beside a triangle may reach below it, under its edge, and the edges that touch
// nothing have no axes to tell: contacts that are deep are those of what cuts it.
static bool is_false(const SticPairWork* work, const SticPart* convex, const SticPart* triangle,
                     int32_t first, double same)
{
    double deepest = 0.0;
    for (int32_t i = first; i < work->count; ++i)
        deepest = work->contact[i].gap < deepest ? work->contact[i].gap : deepest;
    return deepest < -same && !stic_part_cuts(convex, triangle);
}

static SticStatus touch_polyhedron(SticPairWork* work, const SticPart* convex,
                                   const SticPart* triangle, SticOnTriangle* kind)
{
    const SticPolyhedron* t = triangle->polyhedron;
    SticHull hull[2];
    const int own = triangle->side, other = convex->side;
    const SticPose seen = stic_part_seen_from(convex, triangle);
    STIC_TRY(stic_hull_place(work->arena, convex->polyhedron, &seen, &hull[other]));
    STIC_TRY(stic_hull_place(work->arena, t, NULL, &hull[own]));
    const double size = hull[0].size < hull[1].size ? hull[0].size : hull[1].size;
    SticAxis axis[3];
    bool apart;
    STIC_TRY(
        stic_hulls_separate(work->arena, hull, work->reach + STIC_TOUCH_PART * size, axis, &apart));
    if (apart)
        return STIC_OK;
    const SticVec3 n = stic_vec3_scale(own == 1 ? 1.0 : -1.0, axis[0].normal);
    if (axis[0].kind == other) {
        const SticVec3 m = t->plane[0].normal;
        const bool face = stic_vec3_norm(stic_vec3_cross(n, m)) <= SAME_NORMAL;
        // out through the back is no way out of a surface
        const bool back = axis[0].separation < 0.0 && stic_vec3_dot(n, m) <= 0.0;
        if (face || back || !may_touch(t, t->vertex, n, STIC_SAME_PART * size)) {
            const int32_t v = stic_hull_support(&hull[other], stic_vec3_neg(m));
            const double apart_by = stic_vec3_dot(m, hull[other].vertex[v]) - t->plane[0].offset;
            axis[0] = axis[1] =
                (SticAxis){own, {0, -1}, stic_vec3_scale(own == 1 ? 1.0 : -1.0, m), apart_by};
        }
    }
    // what lies below the triangle belongs to the body: the depth of a single triangle means
    // nothing
    axis[2] = axis[0];
    work->corners = false;
    const int32_t first = work->count;
    const SticStatus status = stic_hulls_touch_along(work, hull, axis);
    work->corners = true;
    STIC_TRY(status);
    if (is_false(work, convex, triangle, first, STIC_SAME_PART * size)) {
        work->count = first;
        return STIC_OK;
    }
    // several contacts with the triangle itself are corners of a patch, all over it
    if (axis[0].kind == own && work->count > first + 1)
        return STIC_OK;
    return stic_hull_limit_depth(work, hull, own, first, kind);
}

// whether contacts from `first` on lead out of a triangle through its back
static bool leads_back(const SticPairWork* work, const SticPart* convex, SticVec3 m, int32_t first)
{
    for (int32_t i = first; i < work->count; ++i) {
        const SticContact* c = &work->contact[i];
        const double up = (c->swapped ? 1 : 0) == convex->side ? 1.0 : -1.0;
        if (c->gap < 0.0 && up * stic_vec3_dot(m, c->normal) <= 0.0)
            return true;
    }
    return false;
}

static SticStatus touch_round(SticPairWork* work, const SticPart* convex, const SticPart* triangle,
                              SticOnTriangle* kind)
{
    const int32_t first = work->count;
    STIC_TRY(triangle->side == 1 ? stic_part_touch(work, convex, triangle)
                                 : stic_part_touch(work, triangle, convex));
    // a ball touches what is nearest to its centre
    if (stic_part_is(convex, STIC_SHAPE_SPHERE))
        return STIC_OK;
    const SticVec3 m = triangle->polyhedron->plane[0].normal;
    if (leads_back(work, convex, stic_mat3_mul_vec(triangle->pose.F, m), first))
        work->count = first;
    if (work->count > first)
        return STIC_OK;
    return stic_below_touch(work, convex, triangle, kind);
}

static SticStatus touch_triangle(SticPairWork* work, const SticPart* convex, const SticPose* pose,
                                 const Corners* corners, SticOnTriangle* kind)
{
    Triangle* t;
    STIC_TRY(STIC_TAKE(work->arena, &t, 1));
    make_triangle(corners, t);
    const SticPart triangle = {NULL, &t->p, *pose, 1 - convex->side};
    if (convex->polyhedron != NULL)
        return touch_polyhedron(work, convex, &triangle, kind);
    return touch_round(work, convex, &triangle, kind);
}

// whether a ball lies behind a triangle, too high above it, or beside its box
static bool out_of_reach(const SticVec3 v[3], SticVec3 centre, double radius)
{
    const SticVec3 low = stic_vec3_min(v[0], stic_vec3_min(v[1], v[2]));
    const SticVec3 high = stic_vec3_max(v[0], stic_vec3_max(v[1], v[2]));
    const SticVec3 inside = stic_vec3_max(low, stic_vec3_min(high, centre));
    if (stic_vec3_norm2(stic_vec3_sub(centre, inside)) > radius * radius)
        return true;
    const SticVec3 n = stic_vec3_cross(stic_vec3_sub(v[1], v[0]), stic_vec3_sub(v[2], v[0]));
    const double height = stic_vec3_dot(n, stic_vec3_sub(centre, v[0]));
    return height < 0.0 || height * height > radius * radius * stic_vec3_norm2(n);
}

/* ---- all triangles ---- */

void stic_contacts_join(SticPairWork* work, int32_t first, double same)
{
    int32_t count = first;
    for (int32_t i = first; i < work->count; ++i) {
        const SticContact* c = &work->contact[i];
        int32_t j = first;
        while (j < count && (stic_vec3_distance(c->point, work->contact[j].point) > same ||
                             stic_vec3_distance(c->normal, work->contact[j].normal) > SAME_NORMAL))
            ++j;
        if (j < count)
            work->contact[j].area += c->area;
        else
            work->contact[count++] = *c;
    }
    work->count = count;
}

/* ---- balls ---- */

// a triangle is within `same` of a point
static bool holds(const SticVec3 v[3], SticVec3 x, double same)
{
    const SticVec3 n = normal_of(v);
    if (fabs(stic_vec3_dot(n, stic_vec3_sub(x, v[0]))) > same)
        return false;
    for (int j = 0; j < 3; ++j) {
        const SticVec3 e = stic_vec3_normalize(stic_vec3_sub(v[(j + 1) % 3], v[j]));
        if (stic_vec3_dot(stic_vec3_cross(n, e), stic_vec3_sub(x, v[j])) < -same)
            return false;
    }
    return true;
}

// where a mesh, which is side `side` of the pair, is touched, in its own frame
static SticVec3 foot_on_mesh(const SticPairWork* work, const SticPose* frame, int32_t side,
                             const SticContact* c)
{
    // the point of a plane contact lies on A, that of others in the middle
    const bool first = (side == 1) == c->swapped;
    const double part = c->kernel != STIC_CONTACT_PLANE ? 0.5 : first ? 0.0 : 1.0;
    const SticVec3 point = stic_vec3_sub(c->point, work->base);
    const SticVec3 foot = stic_vec3_add_scaled(point, -part * c->gap, c->normal);
    return stic_mat3_transpose_mul_vec(frame->F, stic_vec3_sub(foot, frame->origin));
}

// the triangles of a mesh that a part was tested against
typedef struct Looked {
    const SticShape* mesh;
    const SticVec3* vertex;
    SticPose frame;
    const int32_t* found; // [count] triangles
    int32_t* begin;       // [count + 1] first contact of each
    uint8_t* kind;        // [count] SticOnTriangle
    int32_t count, side;
    bool bends; // the mesh is not in its reference form
    double same;
} Looked;

static void corners_at(const Looked* looked, int32_t index, SticVec3 v[3])
{
    if (looked->mesh->kind == STIC_SHAPE_HEIGHT_FIELD) {
        stic_height_field_triangle(&looked->mesh->as.field, index, v);
        return;
    }
    for (int j = 0; j < 3; ++j)
        v[j] = looked->vertex[looked->mesh->as.mesh.triangle[index][j]];
}

// whether a contact is with an edge or vertex of its triangle
static bool is_on_border(const Looked* looked, const SticContact* c, int32_t owner)
{
    SticVec3 v[3];
    corners_at(looked, owner, v);
    const SticVec3 n = stic_mat3_mul_vec(looked->frame.F, normal_of(v));
    return stic_vec3_norm(stic_vec3_cross(n, c->normal)) > SAME_NORMAL;
}

// whether a contact of triangle `t` holds the place of contact i of triangle `own`
static bool takes_over(const SticPairWork* work, const Looked* looked, int32_t t, int32_t i,
                       int32_t own)
{
    const double gap = work->contact[i].gap;
    for (int32_t j = looked->begin[t]; j < looked->begin[t + 1]; ++j) {
        const double there = work->contact[j].gap;
        bool nearer;
        if (looked->kind[own] == STIC_ON_FEATURE)
            nearer = looked->kind[t] != STIC_ON_COVERED && there < gap - looked->same;
        else if (looked->kind[t] == STIC_ON_LOWEST)
            nearer = there < gap || (there == gap && t < own);
        else
            nearer = there < gap + STIC_TOUCH_PART / STIC_SAME_PART * looked->same;
        if (nearer)
            return true;
    }
    return false;
}

// of what lies in the same plane and hangs together; a surface that is flat in its reference form may
// bend
static uint32_t region_of(const Looked* looked, int32_t index)
{
    const SticShape* mesh = looked->mesh;
    if (looked->bends)
        return (uint32_t)index + 1;
    return 1 + (uint32_t)(mesh->kind == STIC_SHAPE_HEIGHT_FIELD ? mesh->as.field.region[index]
                                                                : mesh->as.mesh.region[index]);
}

// Whether triangle `t` goes on in the plane of `own`, which has a lower contact elsewhere. A part is
// convex: at an edge within that plane it does not have its lowest point then, even if rounding
// hides what it has below t, which it cuts by next to nothing.
static bool goes_on_lower(const SticPairWork* work, const Looked* looked, int32_t t, int32_t i,
                          int32_t own)
{
    const uint32_t region = region_of(looked, looked->found[own]);
    if (t == own || looked->kind[own] != STIC_ON_LOWEST ||
        region_of(looked, looked->found[t]) != region)
        return false;
    for (int32_t s = 0; s < looked->count; ++s)
        for (int32_t j = looked->begin[s]; j < looked->begin[s + 1]; ++j)
            if (work->contact[j].gap < work->contact[i].gap && looked->kind[s] != STIC_ON_COVERED &&
                region_of(looked, looked->found[s]) == region)
                return true;
    return false;
}

static bool is_ghost(const SticPairWork* work, const Looked* looked, int32_t i, int32_t own)
{
    const SticContact* c = &work->contact[i];
    if (looked->kind[own] == STIC_ON_COVERED)
        return true;
    if (looked->kind[own] == STIC_ON_FEATURE && !is_on_border(looked, c, looked->found[own]))
        return false;
    const SticVec3 x = foot_on_mesh(work, &looked->frame, looked->side, c);
    for (int32_t t = 0; t < looked->count; ++t) {
        SticVec3 v[3];
        if (!takes_over(work, looked, t, i, own) && !goes_on_lower(work, looked, t, i, own))
            continue;
        corners_at(looked, looked->found[t], v);
        if (holds(v, x, looked->same))
            return true;
    }
    return false;
}

// A round part does not touch an edge or vertex that also belongs to a nearer triangle: it is only
// where the present triangle ends, below the contact with the other one. The same holds of lowest
// points: where a part reaches lower beyond the edge, that is what it has below the other one.
static void drop_ends(SticPairWork* work, const Looked* looked, bool round)
{
    int32_t count = looked->begin[0];
    for (int32_t t = 0; t < looked->count; ++t)
        for (int32_t i = looked->begin[t]; i < looked->begin[t + 1]; ++i)
            // only marked, since the others are still compared with it
            if ((round || looked->kind[t] != STIC_ON_FEATURE) && is_ghost(work, looked, i, t))
                work->contact[i].area = GHOST;
    for (int32_t i = count; i < work->count; ++i)
        if (work->contact[i].area != GHOST)
            work->contact[count++] = work->contact[i];
    work->count = count;
}

/* ---- peaks ---- */

// how far a ball is from leaving the region of a vertex of a mesh, or less than 0 outside of it:
// along the edges of all triangles there
static double left_at_vertex(const Looked* looked, SticVec3 x, SticVec3 d)
{
    double left = (double)INFINITY;
    for (int32_t i = 0; i < looked->count; ++i) {
        SticVec3 v[3];
        corners_at(looked, looked->found[i], v);
        for (int j = 0; j < 3; ++j) {
            if (!stic_vec3_is_equal(v[j], x))
                continue;
            for (int k = 1; k < 3; ++k) {
                const SticVec3 e = stic_vec3_normalize(stic_vec3_sub(v[(j + k) % 3], x));
                const double here = -stic_vec3_dot(d, e);
                left = here < left ? here : left;
            }
        }
    }
    return left;
}

// A vertex with a concave edge is no feature of the two triangles there: one of them is nearer as a
// rule. But on a peak from which crests and creases run down in turn every triangle has a crease.
static SticStatus touch_peaks(SticPairWork* work, const SticPart* ball, const Looked* looked,
                              const Corners* corners)
{
    const SticPart mesh = {looked->mesh, NULL, looked->frame, looked->side};
    const SticVec3 centre = stic_part_seen_from(ball, &mesh).origin;
    const double radius = ball->shape->as.sphere.radius, slack = STIC_TOUCH_PART * 2.0 * radius;
    for (int j = 0; j < 3; ++j) {
        const SticVec3 x = corners->vertex[j], d = stic_vec3_sub(centre, x);
        if ((corners->form[j] != STIC_EDGE_CONCAVE &&
             corners->form[(j + 2) % 3] != STIC_EDGE_CONCAVE) ||
            stic_vec3_norm(d) > radius + work->reach + slack)
            continue;
        const double left = left_at_vertex(looked, x, d);
        if (left < 0.0)
            continue;
        SticContact contact = {.kernel = STIC_CONTACT_ROUND,
                               .swapped = ball->side == 1,
                               .feature = stic_feature(2, 0, j, 0, 0),
                               .exit = left};
        stic_vec3_store(x, contact.local + 3);
        contact.local[6] = radius;
        STIC_TRY(stic_contact_put(work, &contact, slack));
    }
    return STIC_OK;
}

/* ---- all of it ---- */

static SticStatus touch_vertices(SticPairWork* work, const SticPart* plane, const SticShape* mesh,
                                 const SticPose* pose, const SticVec3* vertex)
{
    const int32_t count = mesh->kind == STIC_SHAPE_HEIGHT_FIELD
                              ? mesh->as.field.columns * mesh->as.field.rows
                              : mesh->as.mesh.vertex_count;
    const SticPlane* p = &plane->shape->as.half_space;
    const SticPart part = {mesh, NULL, *pose, 1 - plane->side};
    const SticPose seen = stic_part_seen_from(&part, plane);
    const double slack = STIC_TOUCH_PART * 2.0 * mesh->radius;
    for (int32_t i = 0; i < count; ++i) {
        SticVec3 x;
        if (mesh->kind == STIC_SHAPE_HEIGHT_FIELD) {
            const SticHeightField* f = &mesh->as.field;
            const int32_t column = i % f->columns, line = i / f->columns;
            x = stic_vec3(column * f->dx, line * f->dy, f->height[i]);
        } else {
            x = vertex[i];
        }
        if (stic_vec3_dot(p->normal, stic_pose_apply(&seen, x)) - p->offset > work->reach + slack)
            continue;
        SticContact contact = {.kernel = STIC_CONTACT_PLANE, .swapped = part.side == 1};
        contact.feature = stic_feature(0, 0, 0, i >> 18, i & 0x3ffff);
        contact.exit = (double)INFINITY;
        stic_vec3_store(x, contact.local);
        stic_vec3_store(stic_vec3_scale(p->offset, p->normal), contact.local + 3);
        stic_vec3_store(p->normal, contact.local + 6);
        STIC_TRY(stic_contact_put(work, &contact, slack));
    }
    return STIC_OK;
}

SticStatus stic_part_touch_mesh(SticPairWork* work, const SticPart* convex, const SticShape* mesh,
                                const SticPose* pose)
{
    // a surface with vertices of its own has the frame of space, moved to the base of the pair
    SticPose frame = *pose;
    frame.rigid = pose->rigid || pose->vertex != NULL;
    const SticVec3* vertex = pose->vertex != NULL ? pose->vertex : mesh->as.mesh.vertex;
    frame.vertex = NULL;
    if (!frame.rigid)
        return STIC_UNSUPPORTED;
    if (convex->shape->kind == STIC_SHAPE_HALF_SPACE)
        return touch_vertices(work, convex, mesh, &frame, vertex);
    const SticPart part = {mesh, NULL, frame, 1 - convex->side};
    const SticPose seen = stic_part_seen_from(convex, &part);
    const double size = 2.0 * convex->shape->radius;
    const SticBounds box =
        stic_shape_bounds(convex->shape, &seen, work->reach + STIC_TOUCH_PART * size);
    const bool field = mesh->kind == STIC_SHAPE_HEIGHT_FIELD;
    const int32_t* found;
    int32_t count;
    STIC_TRY(field ? field_near(work, &mesh->as.field, box, &found, &count)
                   : mesh_near(work, &mesh->as.mesh, pose, box, &found, &count));
    const int32_t first = work->count;
    Looked looked = {.mesh = mesh,
                     .vertex = vertex,
                     .frame = frame,
                     .found = found,
                     .count = count,
                     .side = part.side,
                     .bends = pose->vertex != NULL,
                     .same = STIC_SAME_PART * size};
    bool lowest = false;
    STIC_TRY(STIC_TAKE(work->arena, &looked.begin, count + 1));
    STIC_TRY(STIC_TAKE(work->arena, &looked.kind, count + 1));
    looked.begin[0] = first;
    const SticVec3 centre = stic_pose_apply(&seen, convex->shape->centre);
    const double stretch = convex->pose.rigid ? 1.0 : stic_mat3_norm(convex->pose.F);
    const double far = stretch * convex->shape->radius + work->reach + STIC_TOUCH_PART * size;
    for (int32_t i = 0; i < count; ++i) {
        Corners corners;
        SticVec3 v[3];
        SticOnTriangle kind = STIC_ON_FEATURE;
        looked.kind[i] = STIC_ON_FEATURE;
        looked.begin[i + 1] = work->count;
        corners_at(&looked, found[i], v);
        if (out_of_reach(v, centre, far))
            continue;
        if (field)
            corners_of_field(&mesh->as.field, found[i], &corners);
        else
            corners_of_mesh(&mesh->as.mesh, vertex, found[i], &corners);
        work->element[part.side] = (uint32_t)found[i] + 1;
        work->region[part.side] = region_of(&looked, found[i]);
        const SticArenaMark mark = stic_arena_mark(work->arena);
        STIC_TRY(touch_triangle(work, convex, &frame, &corners, &kind));
        if (work->count == looked.begin[i] && stic_part_is(convex, STIC_SHAPE_SPHERE))
            STIC_TRY(touch_peaks(work, convex, &looked, &corners));
        stic_arena_rewind(work->arena, mark);
        looked.kind[i] = (uint8_t)kind;
        looked.begin[i + 1] = work->count;
        lowest = lowest || kind != STIC_ON_FEATURE;
    }
    work->element[part.side] = work->region[part.side] = 0;
    const bool round = convex->polyhedron == NULL;
    if (round || lowest)
        drop_ends(work, &looked, round);
    stic_contacts_join(work, first, STIC_SAME_PART * size);
    return STIC_OK;
}

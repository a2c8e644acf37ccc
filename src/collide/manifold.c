// SPDX-License-Identifier: Apache-2.0
// Contact patch of two convex polyhedra: overlap of two faces, or the crossing of two edges.
//
// Faces. The face of the other hull that looks most against the reference face is cut by the planes
// through the sides of the reference face (Sutherland & Hodgman 1974). The corners of what is left
// are the contacts: vertices of the incident face, crossings of edges, corners of the reference
// face. Each is a point frozen in the incident shape against the plane of the reference face: a
// vertex keeps its gap exactly as the shapes move, the others slide and keep it to second order.
// A vertex outside by less than STIC_SAME_PART counts as inside, and points that near are one, so
// that exact alignment neither loses nor doubles a contact. An overlap without width, as that of
// diagonal neighbours in a wall, is no contact: each could pass the other.
//
// Area: that of the part of the overlap (cut without tolerance) whose gap is at most `reach`. The
// corners share it: each has half of the two triangles that it forms with its neighbours and the
// centroid; these are all positive and sum up to the area.
//
// Cost O(sides of the two faces, multiplied); memory from the arena.
#include <math.h>

#include "collide/hull.h"

/// A point that is dropped on request lies within this part of the size of the hull of the others.
#define REDUCE_PART 1e-3

enum { CORNER_VERTEX, CORNER_CROSSING, CORNER_REFERENCE, CORNER_DEEPEST };

// corner of a polygon; sides are edges of the incident hull (>= 0) or -1 - edge of the reference
typedef struct Corner {
    SticVec3 p;
    int32_t vertex; // of the incident hull, or -1
    int32_t before, after;
    double height; // above the line that cuts, later above the reference face
    double share;
} Corner;

typedef struct Patch {
    const SticHull *reference, *incident;
    int32_t side; // which hull is the reference
    int32_t face, incident_face;
    SticVec3 normal; // outward of the reference face
    double offset;
    double same; // points nearer than this are one
    Corner *list, *spare;
    int32_t count;
    bool fuzzy; // not the exact overlap: a tolerance was used, or corners were dropped
    bool flat;  // all corners lie on one side of the reference face
} Patch;

/* ---- cutting ---- */

// one cut; corners with height <= tolerance stay
static void cut(Patch* patch, int32_t line, double tolerance)
{
    int32_t count = 0;
    Corner* out = patch->spare;
    for (int32_t i = 0; i < patch->count; ++i) {
        Corner here = patch->list[i];
        const Corner next = patch->list[i + 1 < patch->count ? i + 1 : 0];
        const bool in = here.height <= tolerance, next_in = next.height <= tolerance;
        const Corner last = patch->list[i > 0 ? i - 1 : patch->count - 1];
        // a corner on the line serves as the crossing
        if (in && !next_in && here.height >= -tolerance)
            here.after = line;
        if (in && !(last.height <= tolerance) && here.height >= -tolerance)
            here.before = line;
        if (in) {
            patch->fuzzy = patch->fuzzy || here.height > 0.0;
            out[count++] = here;
        }
        if (in == next_in)
            continue;
        if ((in ? here.height : next.height) >= -tolerance) {
            patch->fuzzy = true;
            continue;
        }
        const double t = here.height / (here.height - next.height);
        out[count++] = (Corner){.p = stic_vec3_lerp(here.p, next.p, t),
                                .vertex = -1,
                                .before = in ? here.after : line,
                                .after = in ? line : here.after};
    }
    patch->spare = patch->list;
    patch->list = out;
    patch->count = count;
}

// the incident face inside the prism over the reference face
static void overlap(Patch* patch, double tolerance)
{
    const SticPolyhedron *p = patch->incident->topology, *q = patch->reference->topology;
    const int32_t begin = p->face_begin[patch->incident_face];
    const int32_t end = p->face_begin[patch->incident_face + 1];
    patch->count = 0;
    for (int32_t k = begin; k < end; ++k)
        patch->list[patch->count++] = (Corner){.p = patch->incident->vertex[p->face_vertex[k]],
                                               .vertex = p->face_vertex[k],
                                               .before = p->face_edge[k > begin ? k - 1 : end - 1],
                                               .after = p->face_edge[k]};
    const int32_t from = q->face_begin[patch->face], to = q->face_begin[patch->face + 1];
    patch->flat = false;
    for (int32_t k = from; k < to && patch->count > 0; ++k) {
        const SticVec3 a = patch->reference->vertex[q->face_vertex[k]];
        const SticVec3 b = patch->reference->vertex[q->face_vertex[k + 1 < to ? k + 1 : from]];
        const SticVec3 outward =
            stic_vec3_normalize(stic_vec3_cross(stic_vec3_sub(b, a), patch->normal));
        for (int32_t i = 0; i < patch->count; ++i)
            patch->list[i].height = stic_vec3_dot(outward, stic_vec3_sub(patch->list[i].p, a));
        cut(patch, -1 - q->face_edge[k], tolerance);
        double deepest = 0.0;
        for (int32_t i = 0; i < patch->count; ++i)
            deepest = patch->list[i].height < deepest ? patch->list[i].height : deepest;
        patch->flat = patch->flat || deepest >= -patch->same;
    }
}

/* ---- area ---- */

// area of the polygon seen along the normal, and its centroid
static double area_of(const Patch* patch, SticVec3* centroid)
{
    double area = 0.0;
    SticVec3 moment = stic_vec3_zero();
    const SticVec3 o = patch->list[0].p;
    for (int32_t i = 1; i + 1 < patch->count; ++i) {
        const SticVec3 a = stic_vec3_sub(patch->list[i].p, o);
        const SticVec3 b = stic_vec3_sub(patch->list[i + 1].p, o);
        const double part = -0.5 * stic_vec3_dot(patch->normal, stic_vec3_cross(a, b));
        area += part;
        moment = stic_vec3_add_scaled(moment, part / 3.0, stic_vec3_add(a, b));
    }
    *centroid = area > 0.0 ? stic_vec3_add_scaled(o, 1.0 / area, moment) : o;
    return area > 0.0 ? area : 0.0;
}

static void set_heights(Patch* patch, double above)
{
    for (int32_t i = 0; i < patch->count; ++i)
        patch->list[i].height =
            stic_vec3_dot(patch->normal, patch->list[i].p) - patch->offset - above;
}

// area of the part of the overlap with a gap up to `reach`; the polygon is lost
static double area_within(Patch* patch, double reach)
{
    SticVec3 centroid;
    if (patch->fuzzy)
        overlap(patch, 0.0);
    set_heights(patch, reach);
    cut(patch, 0, 0.0);
    return patch->count < 3 ? 0.0 : area_of(patch, &centroid);
}

// shares of the corners of the whole polygon
static void share_area(Patch* patch)
{
    SticVec3 centroid;
    if (patch->count < 3)
        return;
    area_of(patch, &centroid);
    for (int32_t i = 0; i < patch->count; ++i)
        patch->list[i].share = 0.0;
    for (int32_t i = 0; i < patch->count; ++i) {
        const int32_t j = i + 1 < patch->count ? i + 1 : 0;
        const SticVec3 a = stic_vec3_sub(patch->list[i].p, centroid);
        const SticVec3 b = stic_vec3_sub(patch->list[j].p, centroid);
        const double half = 0.25 * fabs(stic_vec3_dot(patch->normal, stic_vec3_cross(a, b)));
        patch->list[i].share += half;
        patch->list[j].share += half;
    }
}

/* ---- points ---- */

static int32_t rank(const Corner* corner)
{
    if (corner->vertex >= 0)
        return CORNER_VERTEX;
    return corner->before < 0 && corner->after < 0 ? CORNER_REFERENCE : CORNER_CROSSING;
}

// neighbours that are one point: the one of higher rank goes
static void merge(Patch* patch)
{
    for (int32_t i = 0; i < patch->count && patch->count > 1;) {
        const int32_t j = i + 1 < patch->count ? i + 1 : 0;
        if (stic_vec3_distance(patch->list[i].p, patch->list[j].p) > patch->same) {
            ++i;
            continue;
        }
        const int32_t gone = rank(&patch->list[j]) >= rank(&patch->list[i]) ? j : i;
        patch->fuzzy = true;
        for (int32_t k = gone; k + 1 < patch->count; ++k)
            patch->list[k] = patch->list[k + 1];
        patch->count -= 1;
        i = gone < i ? i - 1 : i;
    }
}

// drop corners that lie almost on the line of their neighbours
static void reduce(Patch* patch)
{
    const double near = REDUCE_PART / STIC_SAME_PART * patch->same;
    for (int32_t i = 0; i < patch->count && patch->count > 3;) {
        const SticVec3 a = patch->list[(i + patch->count - 1) % patch->count].p;
        const SticVec3 b = patch->list[(i + 1) % patch->count].p;
        const SticVec3 e = stic_vec3_normalize(stic_vec3_sub(b, a));
        const SticVec3 off = stic_vec3_cross(e, stic_vec3_sub(patch->list[i].p, a));
        if (stic_vec3_norm(off) > near) {
            ++i;
            continue;
        }
        patch->fuzzy = true;
        for (int32_t k = i; k + 1 < patch->count; ++k)
            patch->list[k] = patch->list[k + 1];
        patch->count -= 1;
    }
}

static uint64_t feature_of(const Patch* patch, const Corner* corner)
{
    const uint32_t side = (uint32_t)patch->side;
    switch (rank(corner)) {
    case CORNER_VERTEX:
        return stic_feature(CORNER_VERTEX, side, patch->face, corner->vertex, 0);
    case CORNER_REFERENCE:
        return stic_feature(CORNER_REFERENCE, side, patch->face, -1 - corner->before,
                            -1 - corner->after);
    default: {
        const bool enters = corner->before < 0;
        return stic_feature(CORNER_CROSSING, side, patch->face,
                            enters ? corner->after : corner->before,
                            -1 - (enters ? corner->before : corner->after));
    }
    }
}

// distance of a point over the reference face to its border
static double border(const Patch* patch, SticVec3 x)
{
    const SticPolyhedron* q = patch->reference->topology;
    const int32_t from = q->face_begin[patch->face], to = q->face_begin[patch->face + 1];
    double least = (double)INFINITY;
    for (int32_t k = from; k < to; ++k) {
        const SticVec3 a = patch->reference->vertex[q->face_vertex[k]];
        const SticVec3 b = patch->reference->vertex[q->face_vertex[k + 1 < to ? k + 1 : from]];
        const SticVec3 inward =
            stic_vec3_normalize(stic_vec3_cross(patch->normal, stic_vec3_sub(b, a)));
        const double left = stic_vec3_dot(inward, stic_vec3_sub(x, a));
        least = left < least ? left : least;
    }
    return least > 0.0 ? least : 0.0;
}

static SticStatus add_point(SticPairWork* work, const Patch* patch, const Corner* corner,
                            uint64_t feature)
{
    const SticPolyhedron *p = patch->incident->topology, *q = patch->reference->topology;
    SticContact* contact;
    STIC_TRY(stic_contact_add(work, STIC_CONTACT_PLANE, feature, patch->side == 0, &contact));
    const SticVec3 x = corner->vertex >= 0 ? p->vertex[corner->vertex]
                                           : stic_hull_local(patch->incident, corner->p);
    stic_vec3_store(x, contact->local);
    stic_vec3_store(q->vertex[q->face_vertex[q->face_begin[patch->face]]], contact->local + 3);
    stic_vec3_store(q->plane[patch->face].normal, contact->local + 6);
    contact->area = corner->share;
    contact->exit = corner->vertex >= 0 ? border(patch, corner->p) : 0.0;
    stic_contact_finish(work, STIC_TOUCH_PART * patch->same / STIC_SAME_PART);
    return STIC_OK;
}

// the face that looks most against a direction among those around a vertex, or -1
static int32_t face_around(const SticHull* hull, int32_t vertex, SticVec3 n)
{
    const SticPolyhedron* p = hull->topology;
    int32_t best = -1;
    double least = 0.0;
    for (int32_t k = p->vertex_begin[vertex]; k < p->vertex_begin[vertex + 1]; ++k)
        for (int j = 0; j < 2; ++j) {
            const int32_t f = p->edge[p->vertex_edge[k]].face[j];
            const double here = stic_vec3_dot(hull->plane[f].normal, n);
            // in case of a tie the lower number, whatever the order around the vertex
            if ((here < least || (here == least && f < best)) && stic_face_counts(p, f)) {
                least = here;
                best = f;
            }
        }
    return best;
}

// the face of a hull that looks most against a direction at its deepest vertex, or -1: a sliver far
// from there may look more against it
static int32_t face_against(const SticHull* hull, SticVec3 n)
{
    const SticPolyhedron* p = hull->topology;
    int32_t best = face_around(hull, stic_hull_support(hull, stic_vec3_neg(n)), n);
    double least = 0.0;
    // all faces there may be internal
    for (int32_t f = 0; f < p->face_count && best < 0; ++f) {
        const double here = stic_vec3_dot(hull->plane[f].normal, n);
        if (here < least && stic_face_counts(p, f)) {
            least = here;
            best = f;
        }
    }
    return best;
}

// corners on a side beyond which the reference face goes on are no corners of the whole patch
static bool on_flat_edge(const Patch* patch, const Corner* corner)
{
    const SticPolyhedron* q = patch->reference->topology;
    if (corner->vertex >= 0)
        return false;
    const int32_t side[2] = {corner->before, corner->after};
    for (int k = 0; k < 2; ++k)
        if (side[k] < 0 && q->face_flag[q->edge[-1 - side[k]].face[1]] & STIC_FACE_FLAT)
            return true;
    return false;
}

static SticStatus touch_faces(SticPairWork* work, const SticHull hull[2], const SticAxis* axis)
{
    const SticHull *R = &hull[axis->kind], *I = &hull[1 - axis->kind];
    const double size = R->size < I->size ? R->size : I->size;
    Patch patch = {.reference = R,
                   .incident = I,
                   .side = axis->kind,
                   .face = axis->index[0],
                   .normal = R->plane[axis->index[0]].normal,
                   .offset = R->plane[axis->index[0]].offset,
                   .same = STIC_SAME_PART * size};
    patch.incident_face = face_against(I, patch.normal);
    if (patch.incident_face < 0)
        return STIC_OK;
    const int32_t* begin = I->topology->face_begin;
    const int32_t* other = R->topology->face_begin;
    const int32_t sides = begin[patch.incident_face + 1] - begin[patch.incident_face] +
                          other[patch.face + 1] - other[patch.face] + 1;
    STIC_TRY(STIC_TAKE(work->arena, &patch.list, sides));
    STIC_TRY(STIC_TAKE(work->arena, &patch.spare, sides));
    overlap(&patch, patch.same);
    if (patch.flat && patch.count > 0)
        return STIC_OK;
    merge(&patch);
    if (work->settings->reduce)
        reduce(&patch);
    share_area(&patch);
    const int32_t first = work->count;
    for (int32_t i = 0; i < patch.count; ++i)
        if (!on_flat_edge(&patch, &patch.list[i]))
            STIC_TRY(add_point(work, &patch, &patch.list[i], feature_of(&patch, &patch.list[i])));
    double sum = 0.0;
    for (int32_t i = first; i < work->count; ++i)
        sum += work->contact[i].area;
    const double area = sum > 0.0 ? area_within(&patch, work->reach + STIC_TOUCH_PART * size) : 0.0;
    for (int32_t i = first; i < work->count; ++i)
        work->contact[i].area *= sum > 0.0 ? area / sum : 0.0;
    if (work->count > first || axis->separation >= -patch.same)
        return STIC_OK;
    // overlap, but not over the reference face: the deepest vertex
    const int32_t v = stic_hull_support(I, stic_vec3_neg(patch.normal));
    const Corner deepest = {.p = I->vertex[v], .vertex = v};
    return add_point(work, &patch, &deepest,
                     stic_feature(CORNER_DEEPEST, (uint32_t)patch.side, patch.face, v, 0));
}

// two edges in the frame of the pair
typedef struct Edges {
    SticVec3 e[2], x[2], cross;
    double t[2]; // of the nearest points, 0 to 1 on the edges
} Edges;

static Edges edges_of(const SticHull hull[2], const SticAxis* axis)
{
    Edges edges;
    for (int k = 0; k < 2; ++k) {
        const int32_t* vertex = hull[k].topology->edge[axis->index[k]].vertex;
        edges.x[k] = hull[k].vertex[vertex[0]];
        edges.e[k] = stic_vec3_sub(hull[k].vertex[vertex[1]], edges.x[k]);
    }
    const SticVec3 d = stic_vec3_sub(edges.x[0], edges.x[1]);
    edges.cross = stic_vec3_cross(edges.e[0], edges.e[1]);
    const double size2 = stic_vec3_norm2(edges.cross);
    for (int k = 0; k < 2; ++k)
        edges.t[k] = -stic_vec3_dot(d, stic_vec3_cross(edges.e[1 - k], edges.cross)) / size2;
    return edges;
}

// distance from the nearest points to the ends of the edges; negative beyond them
static double edges_left(const Edges* edges)
{
    double least = (double)INFINITY;
    for (int k = 0; k < 2; ++k) {
        const double t = edges->t[k];
        const double left = (t < 0.5 ? t : 1.0 - t) * stic_vec3_norm(edges->e[k]);
        least = left < least ? left : least;
    }
    return least;
}

static SticStatus touch_edges(SticPairWork* work, const SticHull hull[2], const SticAxis* axis)
{
    SticContact* contact;
    const Edges edges = edges_of(hull, axis);
    const double left = edges_left(&edges);
    const uint64_t feature = stic_feature(0, 0, axis->index[0], axis->index[1], 0);
    STIC_TRY(stic_contact_add(work, STIC_CONTACT_EDGE_EDGE, feature, false, &contact));
    for (int k = 0; k < 2; ++k) {
        const SticPolyhedron* p = hull[k].topology;
        const int32_t* vertex = p->edge[axis->index[k]].vertex;
        // e_A x e_B points from B to A
        const double sign = k == 0 && stic_vec3_dot(edges.cross, axis->normal) < 0.0 ? -1.0 : 1.0;
        const SticVec3 a = p->vertex[vertex[0]], b = p->vertex[vertex[1]];
        stic_vec3_store(stic_vec3_lerp(a, b, 0.5), contact->local + 6 * k);
        stic_vec3_store(stic_vec3_scale(sign, stic_vec3_sub(b, a)), contact->local + 6 * k + 3);
    }
    contact->exit = left > 0.0 ? left : 0.0;
    stic_contact_finish(work, (double)INFINITY);
    return STIC_OK;
}

SticStatus stic_hulls_touch(SticPairWork* work, const SticHull hull[2])
{
    SticAxis axis[2];
    bool apart;
    const double size = hull[0].size < hull[1].size ? hull[0].size : hull[1].size;
    const double reach = work->reach + STIC_TOUCH_PART * size;
    STIC_TRY(stic_hulls_separate(work->arena, hull, reach, axis, &apart));
    return apart ? STIC_OK : stic_hulls_touch_along(work, hull, axis);
}

SticStatus stic_hulls_touch_along(SticPairWork* work, const SticHull hull[2],
                                  const SticAxis axis[2])
{
    if (axis[0].kind == STIC_AXIS_EDGES) {
        const double size = hull[0].size < hull[1].size ? hull[0].size : hull[1].size;
        // apart and beyond an end the edges do not face each other
        const Edges edges = edges_of(hull, &axis[0]);
        if (axis[0].separation <= 0.0 || edges_left(&edges) >= -STIC_SAME_PART * size)
            return touch_edges(work, hull, &axis[0]);
        // corner to corner: no feature of one is over a feature of the other before they overlap
        if (axis[1].index[0] < 0 || axis[1].separation < 0.0)
            return STIC_OK;
    }
    return touch_faces(work, hull, &axis[1]);
}

/* ---- half-spaces ---- */

// every vertex within reach; the face that looks at the plane shares its area
SticStatus stic_hull_on_plane(SticPairWork* work, const SticHull* hull, const SticPlane* plane,
                              int32_t side)
{
    const SticPolyhedron* p = hull->topology;
    const double slack = STIC_TOUCH_PART * hull->size;
    Patch patch = {.incident = hull, .normal = plane->normal, .offset = plane->offset};
    patch.incident_face = face_against(hull, plane->normal);
    const int32_t begin = patch.incident_face < 0 ? 0 : p->face_begin[patch.incident_face];
    const int32_t end = patch.incident_face < 0 ? 0 : p->face_begin[patch.incident_face + 1];
    STIC_TRY(STIC_TAKE(work->arena, &patch.list, end - begin + 1));
    STIC_TRY(STIC_TAKE(work->arena, &patch.spare, end - begin + 1));
    for (int32_t k = begin; k < end; ++k)
        patch.list[patch.count++] = (Corner){.p = hull->vertex[p->face_vertex[k]], .vertex = k};
    share_area(&patch);
    const int32_t first = work->count;
    double sum = 0.0;
    for (int32_t v = 0; v < p->vertex_count; ++v) {
        SticContact* contact;
        if (stic_vec3_dot(plane->normal, hull->vertex[v]) - plane->offset > work->reach + slack)
            continue;
        const uint64_t feature = stic_feature(CORNER_VERTEX, 0, 0, v, 0);
        STIC_TRY(stic_contact_add(work, STIC_CONTACT_PLANE, feature, side == 1, &contact));
        stic_vec3_store(p->vertex[v], contact->local);
        contact->exit = (double)INFINITY;
        for (int32_t k = begin; k < end; ++k)
            contact->area = p->face_vertex[k] == v ? patch.list[k - begin].share : contact->area;
        sum += contact->area;
        // the plane itself is filled in by the caller's frame
        stic_vec3_store(stic_vec3_scale(plane->offset, plane->normal), contact->local + 3);
        stic_vec3_store(plane->normal, contact->local + 6);
        stic_contact_finish(work, (double)INFINITY);
    }
    const double area = sum > 0.0 ? area_within(&patch, work->reach + slack) : 0.0;
    for (int32_t i = first; i < work->count; ++i)
        work->contact[i].area *= sum > 0.0 ? area / sum : 0.0;
    return STIC_OK;
}

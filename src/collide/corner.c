// SPDX-License-Identifier: Apache-2.0
// Contacts of corners: a vertex near a vertex or an edge, and edges that lie along each other.
//
// Where polyhedra are nearest with features that do not face each other, the normal is not theirs
// but the direction between them, d / |d|. It loses its meaning where they touch: there a whole fan
// of normals would do, all those in the cones of both features. Edges and corners are therefore
// treated as rounded with a radius of ROUND parts of the size: the normal is that of d + rho
// (c_B - c_A), c the middle of the cone of each feature, which turns into d as |d| grows beyond
// rho, and is moved into the cones. So the edges of two cards that lean against each other have a
// normal between those of their faces, the same in every step, and gap and normal pass through zero
// continuously.
//
// Edges along each other touch at the two ends of their common part. If a face at one feature lies
// in one plane with a face at the other, they are not a contact: the bodies may slide past each
// other.
//
// The nearest vertices are those farthest along the axis of separation, if the features around them
// turn out to be the nearest; otherwise those of the distance of the hulls, moved apart if they
// touch. Cost: the pairs of edges at these vertices, and in the second case a distance.
#include <float.h>
#include <math.h>

#include "collide/contact.h"
#include "collide/gjk.h"

/// Part of the smaller size: radius of edges and corners, and how far hulls are moved apart.
#define ROUND STIC_SAME_PART
#define APART 0x1p-10
/// Beyond this many radii edges are sharp.
#define SHARP 10.0
/// Sine of the angle below which edges lie along each other, and faces in one plane.
#define ALONG 1e-2

enum { MOST_FEATURES = 48 };

// one hull, with the vertices and edges near the other
typedef struct Near {
    const SticPolyhedron* p;
    const SticHull* hull;
    const SticVec3* x; // placed vertices
    int32_t vertex[4], vertices;
    int32_t edge[MOST_FEATURES], edges;
} Near;

// a feature of each hull: an edge, or a vertex if that is -1
typedef struct Pair {
    int32_t edge[2], vertex[2];
    SticVec3 at[2]; // nearest points
    double distance;
} Pair;

/* ---- nearest vertices ---- */

static SticStatus place(SticArena* arena, const SticHull* hull, SticVec3 shift,
                        const SticVec3** placed)
{
    const SticPolyhedron* p = hull->topology;
    SticVec3* x;
    STIC_TRY(STIC_TAKE(arena, &x, p->vertex_count));
    for (int32_t i = 0; i < p->vertex_count; ++i)
        x[i] = stic_vec3_add(stic_hull_vertex(hull, i), shift);
    *placed = x;
    return STIC_OK;
}

static void add_vertex(Near* near, int32_t v)
{
    const SticPolyhedron* p = near->p;
    for (int32_t k = 0; k < near->vertices; ++k)
        if (near->vertex[k] == v)
            return;
    near->vertex[near->vertices++] = v;
    for (int32_t k = p->vertex_begin[v]; k < p->vertex_begin[v + 1]; ++k) {
        int32_t j = 0;
        while (j < near->edges && near->edge[j] != p->vertex_edge[k])
            ++j;
        if (j == near->edges && j < MOST_FEATURES)
            near->edge[near->edges++] = p->vertex_edge[k];
    }
}

static int32_t find_vertex(const SticVec3* x, int32_t count, SticVec3 point)
{
    int32_t v = 0;
    while (v + 1 < count && !stic_vec3_is_equal(x[v], point))
        ++v;
    return v;
}

/* ---- pairs ---- */

static void ends_of(const Near* near, int32_t edge, SticVec3 x[2])
{
    for (int k = 0; k < 2; ++k)
        x[k] = near->x[near->p->edge[edge].vertex[k]];
}

static void offer(Pair* best, const Pair* pair, double same)
{
    // where a vertex is as near as the edge that it ends, the vertex counts
    if (pair->distance < best->distance - same ||
        (pair->distance <= best->distance + same &&
         (pair->edge[0] < 0) + (pair->edge[1] < 0) > (best->edge[0] < 0) + (best->edge[1] < 0)))
        *best = *pair;
}

// a vertex of hull `k` and an edge of the other, or one of its ends
static void offer_vertex(const Near near[2], int k, int32_t vertex, int32_t edge, double same,
                         Pair* best)
{
    SticVec3 e[2];
    ends_of(&near[1 - k], edge, e);
    const SticVec3 x = near[k].x[vertex], along = stic_vec3_sub(e[1], e[0]);
    const double length = stic_vec3_norm(along);
    const double t = stic_vec3_dot(stic_vec3_sub(x, e[0]), along) / (length * length);
    const int end = t * length <= same ? 0 : (1.0 - t) * length <= same ? 1 : -1;
    Pair pair = {.edge = {-1, -1}, .vertex = {-1, -1}};
    pair.vertex[k] = vertex;
    pair.at[k] = x;
    pair.at[1 - k] = end >= 0 ? e[end] : stic_vec3_add_scaled(e[0], t, along);
    if (end >= 0)
        pair.vertex[1 - k] = near[1 - k].p->edge[edge].vertex[end];
    else
        pair.edge[1 - k] = edge;
    pair.distance = stic_vec3_distance(pair.at[0], pair.at[1]);
    offer(best, &pair, same);
}

static Pair nearest_corner(const Near near[2], double same)
{
    Pair best = {.edge = {0, 0}, .distance = (double)INFINITY};
    for (int k = 0; k < 2; ++k)
        for (int32_t j = 0; j < near[1 - k].edges; ++j)
            for (int32_t i = 0; i < near[k].vertices; ++i)
                offer_vertex(near, k, near[k].vertex[i], near[1 - k].edge[j], same, &best);
    return best;
}

/* ---- search ---- */

static SticStatus open_near(SticArena* arena, const SticHull hull[2], Near near[2])
{
    for (int k = 0; k < 2; ++k) {
        near[k].p = hull[k].topology;
        near[k].hull = &hull[k];
        near[k].x = hull[k].vertex;
        near[k].vertices = near[k].edges = 0;
        if (near[k].x == NULL)
            STIC_TRY(place(arena, &hull[k], stic_vec3_zero(), &near[k].x));
    }
    return STIC_OK;
}

// the nearest corner at the vertices that are farthest along the axis; false if the hulls are
// nearer elsewhere: then their separation along its direction is less than its distance
static bool guess(const SticHull hull[2], const SticAxis* axis, double same, Near near[2],
                  Pair* pair)
{
    add_vertex(&near[0], stic_hull_support(&hull[0], stic_vec3_neg(axis->normal)));
    add_vertex(&near[1], stic_hull_support(&hull[1], axis->normal));
    *pair = nearest_corner(near, same);
    const SticVec3 n =
        stic_vec3_scale(1.0 / pair->distance, stic_vec3_sub(pair->at[0], pair->at[1]));
    const SticVec3 a = near[0].x[stic_hull_support(&hull[0], stic_vec3_neg(n))];
    const SticVec3 b = near[1].x[stic_hull_support(&hull[1], n)];
    return stic_vec3_dot(n, stic_vec3_sub(a, b)) >= pair->distance - same;
}

// the nearest corner by the distance of the hulls, the first moved by `shift`
static SticStatus search(SticPairWork* work, const SticHull hull[2], SticVec3 shift, double same,
                         Near near[2], Pair* pair)
{
    const SticVec3* shifted;
    near[0].vertices = near[0].edges = near[1].vertices = near[1].edges = 0;
    STIC_TRY(place(work->arena, &hull[0], shift, &shifted));
    const SticCore a = stic_core_points(shifted, near[0].p->vertex_count);
    const SticCore b = stic_core_points(near[1].x, near[1].p->vertex_count);
    const SticGjk gjk = stic_gjk(&a, &b, (double)INFINITY, STIC_SUBDISTANCE_FACES);
    for (int32_t i = 0; i < gjk.count; ++i) {
        add_vertex(&near[0], find_vertex(shifted, a.point_count, gjk.simplex[i].a));
        add_vertex(&near[1], find_vertex(near[1].x, b.point_count, gjk.simplex[i].b));
    }
    *pair = nearest_corner(near, same);
    return STIC_OK;
}

static SticStatus find_corner(SticPairWork* work, const SticHull hull[2], const SticAxis* axis,
                              double size, Near near[2], Pair* pair)
{
    const double same = STIC_SAME_PART * size;
    const bool apart = axis->separation > APART * size;
    STIC_TRY(open_near(work->arena, hull, near));
    if (apart && guess(hull, axis, same, near, pair))
        return STIC_OK;
    const SticVec3 shift = stic_vec3_scale(apart ? 0.0 : APART * size, axis->normal);
    return search(work, hull, shift, same, near, pair);
}

/* ---- edges along each other ---- */

// the part that two edges have in common: points of both at its two ends, and whose ends these are
typedef struct Common {
    SticVec3 at[2][2]; // [end][hull]
    int owner[2];
    int32_t vertex[2];
} Common;

static bool common_part(const Near near[2], const int32_t edge[2], double same, Common* common)
{
    SticVec3 x[2][2];
    for (int k = 0; k < 2; ++k)
        ends_of(&near[k], edge[k], x[k]);
    const SticVec3 d = stic_vec3_sub(x[0][1], x[0][0]), e = stic_vec3_sub(x[1][1], x[1][0]);
    const double length = stic_vec3_norm(e), other = stic_vec3_norm(d);
    if (stic_vec3_norm(stic_vec3_cross(d, e)) > ALONG * length * other)
        return false;
    double at[2];
    for (int k = 0; k < 2; ++k)
        at[k] = stic_vec3_dot(e, stic_vec3_sub(x[0][k], x[1][0])) / length;
    const int low = at[1] < at[0];
    const double reach[2] = {at[low], at[1 - low]}, end[2] = {0.0, length};
    double where[2];
    for (int k = 0; k < 2; ++k) {
        // of two ends at one place, that of hull 0
        const int own = k == 0 ? low : 1 - low;
        common->owner[k] = k == 0 ? reach[0] < end[0] - same : reach[1] > end[1] + same;
        where[k] = common->owner[k] == 0 ? reach[k] : end[k];
        common->vertex[k] = near[common->owner[k]]
                                .p->edge[edge[common->owner[k]]]
                                .vertex[common->owner[k] == 0 ? own : k];
        const double t = (where[k] - at[0]) / (at[1] - at[0]);
        common->at[k][0] = common->owner[k] == 0 ? x[0][own] : stic_vec3_lerp(x[0][0], x[0][1], t);
        common->at[k][1] = stic_vec3_lerp(x[1][0], x[1][1], where[k] / length);
    }
    return where[1] - where[0] > same;
}

/* ---- normals ---- */

static SticVec3 face_normal(const SticHull* hull, int32_t face)
{
    if (hull->plane != NULL)
        return hull->plane[face].normal;
    return stic_mat3_mul_vec(hull->F, hull->topology->plane[face].normal);
}

// faces around a feature
static int32_t faces_of(const SticPolyhedron* p, int32_t edge, int32_t vertex, int32_t face[])
{
    if (edge >= 0) {
        face[0] = p->edge[edge].face[0];
        face[1] = p->edge[edge].face[1];
        return 2;
    }
    int32_t count = 0;
    for (int32_t k = p->vertex_begin[vertex]; k < p->vertex_begin[vertex + 1]; ++k)
        for (int j = 0; j < 2 && count < MOST_FEATURES; ++j) {
            const int32_t f = p->edge[p->vertex_edge[k]].face[j];
            int32_t i = 0;
            while (i < count && face[i] != f)
                ++i;
            if (i == count)
                face[count++] = f;
        }
    return count;
}

static SticVec3 middle_of(const Near* near, int32_t edge, int32_t vertex)
{
    int32_t face[MOST_FEATURES];
    const int32_t count = faces_of(near->p, edge, vertex, face);
    SticVec3 sum = stic_vec3_zero();
    for (int32_t i = 0; i < count; ++i)
        sum = stic_vec3_add(sum, face_normal(near->hull, face[i]));
    return stic_vec3_normalize(sum);
}

// whether a face at one feature and a face at the other lie in one plane
static bool slides_past(const Near near[2], const Pair* pair, SticVec3 d, double same)
{
    int32_t face[2][MOST_FEATURES], count[2];
    for (int k = 0; k < 2; ++k)
        count[k] = faces_of(near[k].p, pair->edge[k], pair->vertex[k], face[k]);
    for (int32_t i = 0; i < count[0]; ++i)
        for (int32_t j = 0; j < count[1]; ++j) {
            const SticVec3 a = face_normal(near[0].hull, face[0][i]);
            const SticVec3 b = face_normal(near[1].hull, face[1][j]);
            if (stic_vec3_dot(a, b) < 0.0 && stic_vec3_norm(stic_vec3_cross(a, b)) <= ALONG &&
                fabs(stic_vec3_dot(b, d)) <= same)
                return true;
        }
    return false;
}

// the direction nearest to n between the normals of the two faces of an edge
static SticVec3 into_arc(const Near* near, int32_t edge, SticVec3 n)
{
    const int32_t* face = near->p->edge[edge].face;
    const SticVec3 a = face_normal(near->hull, face[0]), b = face_normal(near->hull, face[1]);
    const double c = stic_vec3_dot(a, b);
    if (stic_vec3_dot(n, b) < c * stic_vec3_dot(n, a))
        return a;
    return stic_vec3_dot(n, a) < c * stic_vec3_dot(n, b) ? b : n;
}

// from hull 1 to hull 0; d is the difference of nearest points
static SticVec3 rounded_normal(const Near near[2], const Pair* pair, SticVec3 d, double radius)
{
    const SticVec3 c = stic_vec3_sub(middle_of(&near[1], pair->edge[1], pair->vertex[1]),
                                     middle_of(&near[0], pair->edge[0], pair->vertex[0]));
    const double part = 1.0 - stic_vec3_norm(d) / (SHARP * radius);
    SticVec3 n =
        part > 0.0 ? stic_vec3_add_scaled(d, part * part * radius, stic_vec3_normalize(c)) : d;
    // across the edges, within rounding or a lean
    for (int k = 0; k < 2; ++k)
        if (pair->edge[k] >= 0) {
            SticVec3 x[2];
            ends_of(&near[k], pair->edge[k], x);
            const SticVec3 e = stic_vec3_normalize(stic_vec3_sub(x[1], x[0]));
            n = stic_vec3_add_scaled(n, -stic_vec3_dot(n, e), e);
        }
    n = stic_vec3_normalize(n);
    if (pair->edge[1] >= 0)
        n = into_arc(&near[1], pair->edge[1], n);
    if (pair->edge[0] >= 0)
        n = stic_vec3_neg(into_arc(&near[0], pair->edge[0], stic_vec3_neg(n)));
    return n;
}

/* ---- contacts ---- */

// a point of hull `a` against the plane through a point of the other
static SticStatus put(SticPairWork* work, const SticHull hull[2], int a, const SticVec3 at[2],
                      SticVec3 n, uint64_t feature)
{
    const double size = hull[0].size < hull[1].size ? hull[0].size : hull[1].size;
    const SticVec3 m = a == 0 ? n : stic_vec3_neg(n);
    SticContact* contact;
    STIC_TRY(stic_contact_add(work, STIC_CONTACT_PLANE, feature, a == 1, &contact));
    stic_vec3_store(stic_hull_local(&hull[a], at[a]), contact->local);
    stic_vec3_store(stic_hull_local(&hull[1 - a], at[1 - a]), contact->local + 3);
    stic_vec3_store(
        hull[1 - a].moved ? stic_vec3_normalize(stic_mat3_transpose_mul_vec(hull[1 - a].F, m)) : m,
        contact->local + 6);
    contact->local[9] = contact->local[10] = contact->local[11] = 0.0;
    contact->area = 0.0;
    // at a border, but not 0: the normal belongs to the pair, not to a rounding of 1e-6 of the size
    contact->exit = DBL_MIN;
    stic_contact_finish(work, STIC_CONTACT_PLANE, STIC_TOUCH_PART * size);
    return STIC_OK;
}

static bool counts(const Near near[2], const Pair* pair)
{
    for (int k = 0; k < 2; ++k)
        if (pair->edge[k] >= 0 ? !stic_edge_counts(near[k].p, pair->edge[k])
                               : !stic_vertex_counts(near[k].p, pair->vertex[k]))
            return false;
    return true;
}

// numbers after those of the deepest vertex in manifold.c
enum { DEEPEST = 3, AT_COMMON = 1, AT_EDGE = 3, AT_VERTEX = 4 };

static SticStatus touch_common(SticPairWork* work, const SticHull hull[2], const Near near[2],
                               const int32_t edge[2], const Common* common, double radius)
{
    const Pair pair = {.edge = {edge[0], edge[1]}, .vertex = {-1, -1}};
    for (int k = 0; k < 2; ++k) {
        const int a = common->owner[k];
        const SticVec3 d = stic_vec3_sub(common->at[k][0], common->at[k][1]);
        const SticVec3 n = rounded_normal(near, &pair, d, radius);
        const uint64_t feature =
            stic_feature(DEEPEST, (uint32_t)a, edge[1 - a], common->vertex[k], AT_COMMON);
        STIC_TRY(put(work, hull, a, common->at[k], n, feature));
    }
    return STIC_OK;
}

static SticStatus touch_corner(SticPairWork* work, const SticHull hull[2], const Near near[2],
                               const Pair* pair, double radius)
{
    const SticVec3 d = stic_vec3_sub(pair->at[0], pair->at[1]);
    const int a = pair->edge[0] < 0 ? 0 : 1;
    const uint64_t feature =
        pair->edge[1 - a] >= 0
            ? stic_feature(DEEPEST, (uint32_t)a, pair->edge[1 - a], pair->vertex[a], AT_EDGE)
            : stic_feature(DEEPEST, 0, pair->vertex[0], pair->vertex[1], AT_VERTEX);
    return put(work, hull, a, pair->at, rounded_normal(near, pair, d, radius), feature);
}

// edges of a hull that a feature is, or ends
static int32_t edges_at(const Near* near, const Pair* pair, int k, const int32_t** edge)
{
    const SticPolyhedron* p = near->p;
    *edge = &pair->edge[k];
    if (pair->edge[k] >= 0)
        return 1;
    *edge = p->vertex_edge + p->vertex_begin[pair->vertex[k]];
    return p->vertex_begin[pair->vertex[k] + 1] - p->vertex_begin[pair->vertex[k]];
}

// edges along each other that are as near as the nearest corner
static bool find_common(const Near near[2], const Pair* corner, double same, int32_t edge[2],
                        Common* common)
{
    const int32_t* list[2];
    int32_t count[2];
    for (int k = 0; k < 2; ++k)
        count[k] = edges_at(&near[k], corner, k, &list[k]);
    for (int32_t i = 0; i < count[0]; ++i)
        for (int32_t j = 0; j < count[1]; ++j) {
            edge[0] = list[0][i];
            edge[1] = list[1][j];
            if (!common_part(near, edge, same, common))
                continue;
            const double u = stic_vec3_distance(common->at[0][0], common->at[0][1]);
            const double v = stic_vec3_distance(common->at[1][0], common->at[1][1]);
            if ((u < v ? u : v) <= corner->distance + same)
                return true;
        }
    return false;
}

SticStatus stic_corners_touch(SticPairWork* work, const SticHull hull[2], const SticAxis* axis,
                              int32_t first, bool only_edges)
{
    const double size = hull[0].size < hull[1].size ? hull[0].size : hull[1].size;
    const double same = STIC_SAME_PART * size, radius = ROUND * size;
    Near near[2];
    Pair pair;
    STIC_TRY(find_corner(work, hull, axis, size, near, &pair));
    double lowest = (double)INFINITY;
    for (int32_t i = first; i < work->count; ++i)
        lowest = work->contact[i].gap < lowest ? work->contact[i].gap : lowest;
    if (pair.distance > work->reach + same || pair.distance > fabs(lowest) + same)
        return STIC_OK;
    Common common;
    int32_t edge[2];
    const bool along = find_common(near, &pair, same, edge, &common);
    if (along)
        pair = (Pair){.edge = {edge[0], edge[1]},
                      .vertex = {-1, -1},
                      .at = {common.at[0][0], common.at[0][1]}};
    if ((only_edges && !along) || !counts(near, &pair) ||
        slides_past(near, &pair, stic_vec3_sub(pair.at[0], pair.at[1]), same))
        return STIC_OK;
    // a contact found on the border of a feature is this corner
    int32_t count = first;
    for (int32_t i = first; i < work->count; ++i)
        if (work->contact[i].gap > pair.distance + same)
            work->contact[count++] = work->contact[i];
    work->count = count;
    return along ? touch_common(work, hull, near, edge, &common, radius)
                 : touch_corner(work, hull, near, &pair, radius);
}

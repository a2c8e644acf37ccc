// SPDX-License-Identifier: Apache-2.0
// Contacts of two convex polyhedra: the corners of the overlap of two faces, or two edges.
//
// Each corner of the overlap (patch.c) is a pair of features, and its contact is frozen as such:
//   vertex of the incident face     a point against the plane of the reference face
//   vertex of the reference face    a point against the plane of the incident face
//   crossing                        an edge against an edge
// Gap and normal are those of the two features; they differ from height and normal of the reference
// face by the tilt of the faces, and neither they nor the ids depend on which face is the
// reference. At other poses the frozen gap is the one that a new search finds, as long as it finds
// the pair.
//
// With the slope s of the incident edge across the side of the face (m outward across the side) the
// height of a crossing changes by (n - s m).d for a motion d of the shape: only the normal of the
// two edges, (n - s m) / sqrt(1 + s^2), gives the gap to second order. Two cases:
//   faces tilted by more than TILT   The heights of corners differ by more than TILT times their
//     distance: only the lowest is active, and its normal is that of its features. All corners are
//     pairs of features, whatever their slope. Those that are none, such as edges whose nearest
//     points lie beyond their ends, do not face each other and are left out.
//   faces almost parallel   All corners carry load together, and their normals must agree: pairs of
//     features have slopes up to TILT. A steeper crossing, of edges that are almost parallel, would
//     lean by atan(s) and push the bodies sideways; it gets the normal of the reference face. So do
//     crossings at edges that are not features. Their point is frozen in the incident shape, where
//     its gap is exact, but the corner of a new search lies elsewhere on the edge: after a motion d
//     its gap differs by s (m.d), of first order. Its `exit` is close to 0, but not 0: schemes that
//     search anew at every instant for a contact that slides along its feature must not do so here,
//     where it runs along edges that are almost parallel by rounding.
//
// An overlap without width, like that of diagonal neighbours in a wall, is not a contact: each
// could slide past the other. Corners and parallel edges that are nearest without facing anything
// are in corner.c.
#include <float.h>
#include <math.h>

#include "collide/contact.h"
#include "collide/patch.h"

/// Angle between faces up to which they carry load with all their corners, and slope of an edge
/// across a side up to which a crossing is then a pair of features: bodies at rest are far below
/// it, and normals of one patch differ by no more.
#define TILT 1e-2
/// Least sine between two edges that are a pair.
#define ALONG 1e-2
/// Angle up to which faces lie on each other although edges between them separate better: a tenth
/// of TILT, beyond which depths of crossing edges would be visibly off.
#define FLAT_TILT 1e-3

/* ---- corners ---- */

// edge of the reference polyhedron that a cut was made by
static int32_t cutting_edge(const SticPatch* patch, int32_t line)
{
    const SticPolyhedron* q = patch->reference->topology;
    return q->face_edge[q->face_begin[patch->face] - 1 - line];
}

static uint64_t feature_of(const SticPatch* patch, const SticCorner* corner)
{
    const uint32_t side = (uint32_t)patch->reference_side;
    switch (stic_corner_kind(corner)) {
    case STIC_CORNER_VERTEX:
        return stic_feature(STIC_CORNER_VERTEX, side, patch->face, corner->vertex, 0);
    case STIC_CORNER_REFERENCE:
        return stic_feature(STIC_CORNER_REFERENCE, side, patch->face,
                            cutting_edge(patch, corner->before),
                            cutting_edge(patch, corner->after));
    default: {
        const bool enters = corner->before < 0;
        return stic_feature(STIC_CORNER_CROSSING, side, patch->face,
                            enters ? corner->after : corner->before,
                            cutting_edge(patch, enters ? corner->before : corner->after));
    }
    }
}

// distance of a point over the reference face to its border
static double border(const SticPatch* patch, SticVec3 x)
{
    double least = (double)INFINITY;
    for (int32_t k = 0; k < patch->sides; ++k) {
        const SticPatchSide* side = &patch->side[k];
        const double left = side->offset - side->outward[0] * x.x - side->outward[1] * x.y;
        least = left < least ? left : least;
    }
    return least > 0.0 ? least : 0.0;
}

// a point against a plane, each in its own frame
static void freeze_point(SticVec3 x, SticVec3 on_plane, SticVec3 normal, double local[12])
{
    stic_vec3_store(x, local);
    stic_vec3_store(on_plane, local + 3);
    stic_vec3_store(normal, local + 6);
    local[9] = local[10] = local[11] = 0.0;
}

static SticVec3 point_on(const SticPolyhedron* p, int32_t face)
{
    return p->vertex[p->face_vertex[p->face_begin[face]]];
}

static double slack_of(const SticPatch* patch)
{
    return STIC_TOUCH_PART / STIC_SAME_PART * patch->same;
}

// a point of the incident shape against the reference plane
static SticStatus add_point(SticPairWork* work, const SticPatch* patch, const SticCorner* corner,
                            uint64_t feature)
{
    const SticPolyhedron *p = patch->incident->topology, *q = patch->reference->topology;
    SticContact* contact;
    work->face_side = corner->vertex >= 0 ? patch->reference_side : -1;
    STIC_TRY(
        stic_contact_add(work, STIC_CONTACT_PLANE, feature, patch->reference_side == 0, &contact));
    work->face_side = -1;
    const SticVec3 x =
        corner->vertex >= 0 ? p->vertex[corner->vertex] : stic_patch_local(patch, corner->p);
    freeze_point(x, point_on(q, patch->face), q->plane[patch->face].normal, contact->local);
    contact->area = corner->share;
    contact->exit = corner->vertex >= 0 ? border(patch, corner->p) : DBL_MIN;
    stic_contact_finish(work, STIC_CONTACT_PLANE, slack_of(patch));
    return STIC_OK;
}

// outward normal of the incident face
static SticVec3 incident_normal(const SticPatch* patch)
{
    const SticVec3 n = patch->incident->topology->plane[patch->incident_face].normal;
    if (patch->rigid)
        return stic_mat3_mul_vec(patch->F, n);
    return stic_vec3_normalize(stic_mat3_mul_vec(stic_mat3_cofactor(patch->F), n));
}

// distance of a vertex of the reference from the border of the incident face with normal n, seen
// along that; negative outside
static double inside_incident(const SticPatch* patch, SticVec3 x, SticVec3 n)
{
    const SticPolyhedron* p = patch->incident->topology;
    const int32_t from = p->face_begin[patch->incident_face];
    const int32_t to = p->face_begin[patch->incident_face + 1];
    double least = (double)INFINITY;
    if (patch->rigid && p->face_side != NULL) {
        const SticVec3 X = stic_patch_local(patch, x);
        for (int32_t k = from; k < to; ++k) {
            const SticVec3 d = stic_vec3_sub(p->vertex[p->face_vertex[k]], X);
            const double left = stic_vec3_dot(p->face_side[k], d);
            least = left < least ? left : least;
        }
        return least;
    }
    SticVec3 a = stic_patch_placed(patch, p->vertex[p->face_vertex[to - 1]]);
    for (int32_t k = from; k < to; ++k) {
        const SticVec3 b = stic_patch_placed(patch, p->vertex[p->face_vertex[k]]);
        const SticVec3 inward = stic_vec3_cross(n, stic_vec3_sub(b, a));
        const double left = stic_vec3_dot(stic_vec3_normalize(inward), stic_vec3_sub(x, a));
        least = left < least ? left : least;
        a = b;
    }
    return least;
}

// where two sides of the reference face meet: the number of the one that begins there, or -1
static int32_t meeting(const SticPatch* patch, int32_t side, int32_t other)
{
    if (side == (other + 1 < patch->sides ? other + 1 : 0))
        return side;
    return other == (side + 1 < patch->sides ? side + 1 : 0) ? other : -1;
}

// the corners differ in height: they are features or nothing
static bool is_tilted(const SticPatch* patch)
{
    return incident_normal(patch).z > -(1.0 - 0.5 * TILT * TILT);
}

// a vertex of the reference against the incident plane; `done` if the two face each other, or need
// not
static SticStatus add_reference(SticPairWork* work, const SticPatch* patch,
                                const SticCorner* corner, bool* done)
{
    const SticPolyhedron *p = patch->incident->topology, *q = patch->reference->topology;
    const int32_t at = meeting(patch, -1 - corner->before, -1 - corner->after);
    const SticVec3 n = incident_normal(patch);
    SticContact* contact;
    *done = false;
    if (at < 0)
        return STIC_OK;
    const SticVec3 x = stic_vec3(patch->side[at].corner[0], patch->side[at].corner[1], 0.0);
    const double left = inside_incident(patch, x, n);
    *done = left >= -patch->same || is_tilted(patch);
    if (left < -patch->same)
        return STIC_OK;
    const int32_t side = 1 - patch->reference_side;
    const int32_t v = q->face_vertex[q->face_begin[patch->face] + at];
    const uint64_t feature =
        stic_feature(STIC_CORNER_VERTEX, (uint32_t)side, patch->incident_face, v, 0);
    STIC_TRY(stic_contact_add(work, STIC_CONTACT_PLANE, feature, side == 0, &contact));
    freeze_point(q->vertex[v], point_on(p, patch->incident_face),
                 p->plane[patch->incident_face].normal, contact->local);
    contact->area = corner->share;
    contact->exit = left > 0.0 ? left : 0.0;
    stic_contact_finish(work, STIC_CONTACT_PLANE, slack_of(patch));
    return STIC_OK;
}

/* ---- edges ---- */

// two edges in one frame, of hull 0 and 1
typedef struct Edges {
    int32_t index[2];
    SticVec3 e[2], x[2], cross;
    double cross2, length2[2]; // squares of lengths
    double left; // distance from their nearest points to their ends; negative beyond them
} Edges;

static void relate(Edges* edges)
{
    const SticVec3 d = stic_vec3_sub(edges->x[0], edges->x[1]);
    edges->cross = stic_vec3_cross(edges->e[0], edges->e[1]);
    edges->cross2 = stic_vec3_norm2(edges->cross);
    const double scale = -1.0 / edges->cross2;
    edges->left = (double)INFINITY;
    for (int k = 0; k < 2; ++k) {
        // of the nearest point, 0 to 1 on the edge
        const double t = scale * stic_vec3_dot(d, stic_vec3_cross(edges->e[1 - k], edges->cross));
        edges->length2[k] = stic_vec3_norm2(edges->e[k]);
        const double other = 1.0 - t, part = t < other ? t : other;
        const double left = part * sqrt(edges->length2[k]);
        edges->left = left < edges->left ? left : edges->left;
    }
}

static Edges edges_of(const SticHull hull[2], const SticAxis* axis)
{
    Edges edges = {.index = {axis->index[0], axis->index[1]}};
    for (int k = 0; k < 2; ++k) {
        const int32_t* vertex = hull[k].topology->edge[axis->index[k]].vertex;
        edges.x[k] = stic_hull_vertex(&hull[k], vertex[0]);
        edges.e[k] = stic_vec3_sub(stic_hull_vertex(&hull[k], vertex[1]), edges.x[k]);
    }
    relate(&edges);
    return edges;
}

// `outward`: the product of the edges points from hull 1 to hull 0
static SticStatus add_edges(SticPairWork* work, const SticHull hull[2], const Edges* edges,
                            bool outward, SticContact** contact)
{
    const uint64_t feature = stic_feature(0, 0, edges->index[0], edges->index[1], 0);
    STIC_TRY(stic_contact_add(work, STIC_CONTACT_EDGE_EDGE, feature, false, contact));
    for (int k = 0; k < 2; ++k) {
        const SticPolyhedron* p = hull[k].topology;
        const int32_t* vertex = p->edge[edges->index[k]].vertex;
        // e_A x e_B points from B to A
        const double sign = k == 0 && !outward ? -1.0 : 1.0;
        const SticVec3 a = p->vertex[vertex[0]], b = p->vertex[vertex[1]];
        stic_vec3_store(stic_vec3_lerp(a, b, 0.5), (*contact)->local + 6 * k);
        stic_vec3_store(stic_vec3_scale(sign, stic_vec3_sub(b, a)), (*contact)->local + 6 * k + 3);
    }
    (*contact)->exit = edges->left > 0.0 ? edges->left : 0.0;
    return STIC_OK;
}

// an edge against an edge; `done` if they are a pair of features, or need not be
static SticStatus add_crossing(SticPairWork* work, const SticHull hull[2], const SticPatch* patch,
                               const SticCorner* corner, bool* done)
{
    const SticPolyhedron *q = patch->reference->topology, *p = patch->incident->topology;
    const int r = patch->reference_side, i = 1 - r;
    const int32_t line = corner->before < 0 ? corner->before : corner->after;
    Edges edges;
    *done = false;
    edges.index[r] = cutting_edge(patch, line);
    edges.index[i] = corner->before < 0 ? corner->after : corner->before;
    if (!stic_edge_counts(q, edges.index[r]) || !stic_edge_counts(p, edges.index[i]))
        return STIC_OK;
    // from the first vertex of the edge to the second, as it is frozen
    const int32_t k = -1 - line, next = k + 1 < patch->sides ? k + 1 : 0;
    const bool along =
        q->edge[edges.index[r]].vertex[0] == q->face_vertex[q->face_begin[patch->face] + k];
    const double *a = patch->side[along ? k : next].corner,
                 *b = patch->side[along ? next : k].corner;
    const int32_t* w = p->edge[edges.index[i]].vertex;
    edges.x[r] = stic_vec3(a[0], a[1], 0.0);
    edges.e[r] = stic_vec3(b[0] - a[0], b[1] - a[1], 0.0);
    edges.x[i] = stic_patch_placed(patch, p->vertex[w[0]]);
    edges.e[i] = stic_mat3_mul_vec(patch->F, stic_vec3_sub(p->vertex[w[1]], p->vertex[w[0]]));
    relate(&edges);
    // along the normal, and the rest: |rest| / |along| is the slope s
    const double c = edges.cross.z;
    const bool tilted = is_tilted(patch);
    const bool pair = edges.left >= -patch->same &&
                      edges.cross2 >= ALONG * ALONG * edges.length2[0] * edges.length2[1] &&
                      (tilted || edges.cross2 <= (1.0 + TILT * TILT) * c * c);
    SticContact* contact;
    *done = pair || tilted;
    if (!pair)
        return STIC_OK;
    STIC_TRY(add_edges(work, hull, &edges, (r == 1) == (c >= 0.0), &contact));
    contact->area = corner->share;
    stic_contact_finish(work, STIC_CONTACT_EDGE_EDGE, slack_of(patch));
    return STIC_OK;
}

static SticStatus touch_edges(SticPairWork* work, const SticHull hull[2], const Edges* edges,
                              SticVec3 n)
{
    SticContact* contact;
    STIC_TRY(add_edges(work, hull, edges, !(stic_vec3_dot(edges->cross, n) < 0.0), &contact));
    contact->area = 0.0;
    stic_contact_finish(work, STIC_CONTACT_EDGE_EDGE, (double)INFINITY);
    return STIC_OK;
}

/* ---- faces ---- */

// crossings on a side beyond which the reference face goes on are not corners of the whole patch,
// nor are vertices between two such sides: where the flat region ends at a vertex, one of its
// triangles has a side that is not flat
static bool on_flat_edge(const SticPatch* patch, const SticCorner* corner)
{
    const SticPolyhedron* q = patch->reference->topology;
    if (corner->vertex >= 0)
        return false;
    const int32_t side[2] = {corner->before, corner->after};
    int sides = 0, flat = 0;
    for (int k = 0; k < 2; ++k)
        if (side[k] < 0) {
            sides += 1;
            flat += q->face_flag[q->edge[cutting_edge(patch, side[k])].face[1]] & STIC_FACE_FLAT
                        ? 1
                        : 0;
        }
    return sides > 0 && flat == sides;
}

static SticStatus add_corner(SticPairWork* work, const SticHull hull[2], const SticPatch* patch,
                             const SticCorner* corner)
{
    bool done = false;
    const SticCornerKind kind = stic_corner_kind(corner);
    // vertices of tilted faces that are out of reach
    if ((kind == STIC_CORNER_VERTEX && corner->p.z > work->reach + 2.0 * slack_of(patch)) ||
        on_flat_edge(patch, corner))
        return STIC_OK;
    if (kind == STIC_CORNER_REFERENCE)
        STIC_TRY(add_reference(work, patch, corner, &done));
    if (kind == STIC_CORNER_CROSSING)
        STIC_TRY(add_crossing(work, hull, patch, corner, &done));
    return done ? STIC_OK : add_point(work, patch, corner, feature_of(patch, corner));
}

// the whole polygon is the exact overlap and within reach
static bool is_whole(const SticPatch* patch, double reach)
{
    for (int32_t i = 0; i < patch->count; ++i)
        if (patch->list[i].p.z > reach)
            return false;
    return !patch->fuzzy;
}

// the contacts from `first` on share the area that is within reach
static void spread_area(SticPairWork* work, SticPatch* patch, int32_t first)
{
    const double reach = work->reach + slack_of(patch);
    if (work->count - first == patch->count && is_whole(patch, reach))
        return;
    double sum = 0.0;
    for (int32_t i = first; i < work->count; ++i)
        sum += work->contact[i].area;
    const double area = sum > 0.0 ? stic_patch_area(patch, reach) : 0.0;
    for (int32_t i = first; i < work->count; ++i)
        work->contact[i].area *= sum > 0.0 ? area / sum : 0.0;
}

// outcome of an axis
typedef enum Outcome {
    FOUND,  // contacts
    CORNER, // the nearest features may be corners or parallel edges, which face nothing: no contact
            // is as near as the axis says, or a single one on the border of a feature
    BORDER, // two edges may lie along each other: two contacts on the border of features are as
            // near
    ALONE,  // the shapes overlap, but nothing of the one is over the face of the other, and the
            // deepest vertex stands for it
    PASSING // the two faces lie in one plane beside each other: the shapes may slide past
} Outcome;

static Outcome judge(const SticPairWork* work, const SticPatch* patch, double separation,
                     int32_t first)
{
    int32_t near = 0, border = 0;
    if (separation < -patch->same)
        return FOUND;
    for (int32_t i = first; i < work->count && near < 3; ++i)
        if (work->contact[i].gap <= separation + patch->same) {
            near += 1;
            border += work->contact[i].exit <= patch->same;
        }
    if (near == 0)
        return CORNER;
    // faces that lie on each other begin at a border
    if (near > 2 || border < near || !is_tilted(patch))
        return FOUND;
    return near == 1 ? CORNER : BORDER;
}

static SticStatus touch_faces(SticPairWork* work, const SticHull hull[2], const SticAxis* axis,
                              Outcome* outcome)
{
    SticPatch patch;
    *outcome = FOUND;
    STIC_TRY(stic_patch_open(work->arena, hull, axis->kind, axis->index[0], &patch));
    if (patch.incident_face < 0)
        return STIC_OK;
    stic_patch_overlap(&patch, patch.same);
    if (patch.flat && patch.count > 0) {
        const bool past = !is_tilted(&patch) && fabs(axis->separation) <= patch.same;
        *outcome = past ? PASSING : judge(work, &patch, axis->separation, work->count);
        return STIC_OK;
    }
    stic_patch_merge(&patch);
    if (work->settings->reduce)
        stic_patch_reduce(&patch);
    stic_patch_share(&patch);
    const int32_t first = work->count;
    for (int32_t i = 0; i < patch.count; ++i)
        STIC_TRY(add_corner(work, hull, &patch, &patch.list[i]));
    spread_area(work, &patch, first);
    *outcome = judge(work, &patch, axis->separation, first);
    if (work->count > first || axis->separation >= -patch.same)
        return STIC_OK;
    *outcome = ALONE;
    const SticVec3 down = stic_vec3_neg(stic_mat3_row(patch.F, 2));
    const int32_t v = stic_polyhedron_support(patch.incident->topology, down, 0);
    const SticCorner deepest = {.p = stic_patch_placed(&patch, patch.incident->topology->vertex[v]),
                                .vertex = v};
    return add_point(
        work, &patch, &deepest,
        stic_feature(STIC_CORNER_DEEPEST, (uint32_t)patch.reference_side, patch.face, v, 0));
}

SticStatus stic_hulls_touch(SticPairWork* work, const SticHull hull[2])
{
    SticAxis axis[3];
    bool apart;
    const double size = hull[0].size < hull[1].size ? hull[0].size : hull[1].size;
    const double reach = work->reach + STIC_TOUCH_PART * size;
    STIC_TRY(stic_hulls_separate(work->arena, hull, reach, axis, &apart));
    return apart ? STIC_OK : stic_hulls_touch_along(work, hull, axis);
}

static SticStatus touch_along(SticPairWork* work, const SticHull hull[2], const SticAxis* axis,
                              const SticAxis* face, Outcome* outcome)
{
    *outcome = FOUND;
    if (axis->kind == STIC_AXIS_EDGES) {
        const double size = hull[0].size < hull[1].size ? hull[0].size : hull[1].size;
        // apart and beyond an end the edges do not face each other
        const Edges edges = edges_of(hull, axis);
        const double same = STIC_SAME_PART * size;
        *outcome = edges.left <= same && axis->separation >= -same ? CORNER : FOUND;
        if (axis->separation <= 0.0 || edges.left >= -same)
            return touch_edges(work, hull, &edges, axis->normal);
        if (face->index[0] < 0 || face->separation < 0.0)
            return STIC_OK;
    }
    return touch_faces(work, hull, face, outcome);
}

// whether contacts from `first` on are deeper than the axis of largest separation allows
static bool too_deep(const SticPairWork* work, const SticHull hull[2], double separation,
                     int32_t first)
{
    const double u = hull[0].size, v = hull[1].size;
    const double least =
        (separation < 0.0 ? separation : 0.0) -
        (STIC_DEPTH_PART * (u < v ? u : v) + STIC_DEPTH_ROUNDING * (u > v ? u : v));
    for (int32_t i = first; i < work->count; ++i)
        if (work->contact[i].gap < least)
            return true;
    return false;
}

// whether the part of the other hull that a face meets is a feature, not the inside of a compound
static bool is_felt(const SticHull hull[2], const SticAxis* axis)
{
    if (axis->kind == STIC_AXIS_EDGES)
        return true;
    const SticHull* other = &hull[1 - axis->kind];
    const SticVec3 n = axis->kind == 1 ? stic_vec3_neg(axis->normal) : axis->normal;
    return stic_vertex_counts(other->topology, stic_hull_support(other, n));
}

// Edges whose normal is that of a face up to the tilt of bodies at rest: a single point would then
// stand for the whole area that the faces share, and a body resting on it would fall.
static bool lie_flat(const SticAxis* axis, const SticAxis* face)
{
    if (axis->kind != STIC_AXIS_EDGES || face->index[0] < 0)
        return false;
    return stic_vec3_norm(stic_vec3_cross(axis->normal, face->normal)) <= FLAT_TILT;
}

// whether the contact that was added last is one of the features that also act: none that was found
// before, and not so deep that the shapes part more easily where its feature ends
static bool is_another(const SticPairWork* work, int32_t first)
{
    const SticContact* last = &work->contact[work->count - 1];
    for (int32_t i = first; i < work->count - 1; ++i)
        if (work->contact[i].feature == last->feature)
            return false;
    return last->gap > -last->exit;
}

// Where an edge of the one shape lies over an edge of the other, one contact says how near they are,
// but vertices and edges beside it follow as soon as the motion is turned by it: those over the
// face that separates best, as far as they are pairs of features.
static SticStatus touch_beside(SticPairWork* work, const SticHull hull[2], const SticAxis* face,
                               int32_t first)
{
    SticPatch patch;
    STIC_TRY(stic_patch_open(work->arena, hull, face->kind, face->index[0], &patch));
    if (patch.incident_face < 0)
        return STIC_OK;
    stic_patch_overlap(&patch, patch.same);
    if (patch.flat && patch.count > 0)
        return STIC_OK;
    stic_patch_merge(&patch);
    for (int32_t i = 0; i < patch.count; ++i) {
        const SticCorner* corner = &patch.list[i];
        const int32_t before = work->count;
        bool done;
        if (stic_corner_kind(corner) == STIC_CORNER_VERTEX)
            STIC_TRY(add_corner(work, hull, &patch, corner));
        else if (on_flat_edge(&patch, corner))
            continue;
        else if (stic_corner_kind(corner) == STIC_CORNER_REFERENCE)
            STIC_TRY(add_reference(work, &patch, corner, &done));
        else
            STIC_TRY(add_crossing(work, hull, &patch, corner, &done));
        if (work->count == before)
            continue;
        work->contact[before].area = 0.0;
        if (!is_another(work, first))
            work->count = before;
    }
    return STIC_OK;
}

SticStatus stic_hulls_touch_along(SticPairWork* work, const SticHull hull[2],
                                  const SticAxis axis[3])
{
    const int32_t first = work->count;
    Outcome outcome;
    const SticAxis* preferred = &axis[lie_flat(&axis[0], &axis[1])];
    STIC_TRY(touch_along(work, hull, preferred, &axis[1], &outcome));
    const bool same = preferred->kind == axis[2].kind && preferred->index[0] == axis[2].index[0] &&
                      preferred->index[1] == axis[2].index[1];
    const bool flat = work->count > first && lie_flat(&axis[2], &axis[1]);
    if (!same && is_felt(hull, &axis[2]) &&
        (outcome == ALONE || (!flat && too_deep(work, hull, axis[2].separation, first)))) {
        // the preferred axis reports more than the true depth: take the other one
        work->count = first;
        const SticAxis* face = axis[2].kind == STIC_AXIS_EDGES ? &axis[1] : &axis[2];
        STIC_TRY(touch_along(work, hull, &axis[2], face, &outcome));
    }
    if (work->settings->beside && outcome == FOUND && work->count == first + 1 &&
        work->contact[first].kernel == STIC_CONTACT_EDGE_EDGE && axis[1].index[0] >= 0)
        return touch_beside(work, hull, &axis[1], first);
    if ((outcome == CORNER || outcome == BORDER) && work->corners)
        return stic_corners_touch(work, hull, &axis[2], first, outcome == BORDER);
    return STIC_OK;
}

// height of the lowest vertex of the incident hull
static double whole_depth(const SticPatch* patch)
{
    const SticVec3 down = stic_vec3_neg(stic_mat3_row(patch->F, 2));
    const SticPolyhedron* p = patch->incident->topology;
    return stic_patch_placed(patch, p->vertex[stic_polyhedron_support(p, down, 0)]).z;
}

// Sides of the face that touch nothing have no axes, and the axis of largest separation may then
// look at what is far beside the face. But a shift by the depth below the face, along its normal,
// always separates the two: nothing is deeper.
SticStatus stic_hull_limit_depth(SticPairWork* work, const SticHull hull[2], int32_t side,
                                 int32_t first, SticOnTriangle* kind)
{
    SticPatch patch;
    SticCorner lowest;
    bool found;
    double deepest = 0.0;
    for (int32_t i = first; i < work->count; ++i)
        deepest = work->contact[i].gap < deepest ? work->contact[i].gap : deepest;
    const double size = hull[0].size < hull[1].size ? hull[0].size : hull[1].size;
    if (deepest >= -STIC_TOUCH_PART * size)
        return STIC_OK;
    STIC_TRY(stic_patch_open(work->arena, hull, side, 0, &patch));
    if (patch.incident_face < 0)
        return STIC_OK;
    STIC_TRY(stic_patch_lowest(work->arena, &patch, &lowest, &found));
    if (found && deepest >= lowest.p.z - patch.same)
        return STIC_OK;
    work->count = first;
    if (!found || lowest.p.z > work->reach + slack_of(&patch))
        return STIC_OK;
    if (on_flat_edge(&patch, &lowest))
        *kind = lowest.p.z <= whole_depth(&patch) + patch.same ? STIC_ON_COVERED : STIC_ON_LOWEST;
    return add_point(work, &patch, &lowest, feature_of(&patch, &lowest));
}

/* ---- half-spaces ---- */

// the face that looks at the plane, with its shares
static SticStatus open_on_plane(SticPairWork* work, const SticHull* hull, const SticPlane* plane,
                                SticPatch* patch)
{
    const SticPolyhedron* p = hull->topology;
    const SticMat3 T = stic_patch_frame(plane->normal);
    *patch = (SticPatch){.incident = hull, .same = STIC_SAME_PART * hull->size};
    patch->incident_face = stic_hull_face_against(hull, plane->normal);
    if (patch->incident_face < 0)
        return STIC_OK;
    const int32_t begin = p->face_begin[patch->incident_face];
    const int32_t end = p->face_begin[patch->incident_face + 1], room = end - begin + 1;
    STIC_TRY(STIC_TAKE(work->arena, &patch->list, 2 * room));
    patch->spare = patch->list + room;
    for (int32_t k = begin; k < end; ++k) {
        SticVec3 x = stic_mat3_mul_vec(T, hull->vertex[p->face_vertex[k]]);
        x.z -= plane->offset;
        patch->list[patch->count++] = (SticCorner){.p = x, .vertex = p->face_vertex[k]};
    }
    stic_patch_share(patch);
    return STIC_OK;
}

// every vertex within reach; the face that looks at the plane shares its area
SticStatus stic_hull_on_plane(SticPairWork* work, const SticHull* hull, const SticPlane* plane,
                              int32_t side)
{
    STIC_ASSERT(side == 0 || side == 1);
    const SticPolyhedron* p = hull->topology;
    const double slack = STIC_TOUCH_PART * hull->size;
    SticPatch patch;
    STIC_TRY(open_on_plane(work, hull, plane, &patch));
    const int32_t first = work->count;
    for (int32_t v = 0; v < p->vertex_count; ++v) {
        SticContact* contact;
        if (stic_vec3_dot(plane->normal, hull->vertex[v]) - plane->offset > work->reach + slack)
            continue;
        const uint64_t feature = stic_feature(STIC_CORNER_VERTEX, 0, 0, v, 0);
        STIC_TRY(stic_contact_add(work, STIC_CONTACT_PLANE, feature, side == 1, &contact));
        contact->exit = (double)INFINITY;
        contact->area = 0.0;
        for (int32_t k = 0; k < patch.count; ++k)
            contact->area = patch.list[k].vertex == v ? patch.list[k].share : contact->area;
        // the plane itself is filled in by the caller's frame
        freeze_point(p->vertex[v], stic_vec3_scale(plane->offset, plane->normal), plane->normal,
                     contact->local);
        stic_contact_finish(work, STIC_CONTACT_PLANE, (double)INFINITY);
    }
    if (patch.count > 0)
        spread_area(work, &patch, first);
    return STIC_OK;
}

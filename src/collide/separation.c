// SPDX-License-Identifier: Apache-2.0
// Separation of two convex polyhedra: the largest over the faces of both and over pairs of edges.
//
// The difference of two polyhedra has as faces the faces of each and the products of two edges
// whose arcs cross on the sphere of normals; the distance of the origin to the nearest of their
// planes is the depth, and any plane with the origin outside separates. Steps:
//   1  the line of centres, for a quick end
//   2  faces, with the farthest vertex of the other hull
//   3  pairs of edges whose arcs cross (Gregorius 2013); parallel edges bring no new axis
// Pruning: for any points a and b of the hulls n.(a - b) bounds the separation along n from above;
// so does n.d minus the two inner radii, d between the centres. The farthest vertices met on the
// way serve as such points: near the axis sought they leave a narrow cone. On the arc of an edge
// the bound is the larger one of its ends, divided by cos(angle/2) if it is positive.
// Preference: a face is taken before edges, and the larger face before the smaller, as long as they
// separate equally well up to a small part of the size: hulls at rest keep their features. The axis
// that separates best is returned too: where the preferred one would report a larger depth, which
// happens only where the depth is large, it is taken after all (manifold.c).
// Internal faces separate but cannot be the reference; edges next to them are left out. Hulls that
// such a face keeps apart, and no other axis better, face each other across the neighbour that
// covers it: within any reach they have no contact of their own.
// Cost O(f (log v) + e_A e_B) at worst; pruned, round hulls look at a few faces and edges.
#include <math.h>

#include "collide/hull.h"

#include "stiction/extend/base.h"

/// Parts of the size by which the smaller face, or edges, must separate better to be taken.
#define FACE_MARGIN 1e-6
#define EDGE_MARGIN 1e-5
/// Relative difference of areas that count as equal.
#define AREA_EQUAL 1e-6

enum { MOST_WITNESSES = 6 };

static void place_planes(const SticHull* hull, SticPlane* placed)
{
    const SticPolyhedron* p = hull->topology;
    const SticMat3 F = hull->F;
    const SticVec3 o = hull->origin;
    if (hull->rigid) {
        for (int32_t f = 0; f < p->face_count; ++f) {
            const SticVec3 n = stic_mat3_mul_vec(F, p->plane[f].normal);
            placed[f] = (SticPlane){n, p->plane[f].offset + stic_vec3_dot(n, o)};
        }
        return;
    }
    const SticMat3 cofactor = stic_mat3_cofactor(F);
    for (int32_t f = 0; f < p->face_count; ++f) {
        const SticPlane* plane = &p->plane[f];
        const SticVec3 n = stic_vec3_normalize(stic_mat3_mul_vec(cofactor, plane->normal));
        const SticVec3 x = stic_mat3_mul_vec(F, stic_vec3_scale(plane->offset, plane->normal));
        placed[f] = (SticPlane){n, stic_vec3_dot(n, stic_vec3_add(x, o))};
    }
}

// set field by field: clearing the struct first would take longer than filling it
static void describe(const SticPolyhedron* p, SticHull* hull)
{
    hull->topology = p;
    hull->inner = p->inner_radius;
    hull->size = 2.0 * p->radius;
    hull->rigid = true;
    hull->box = false;
}

void stic_hull_rest(const SticPolyhedron* p, SticHull* hull)
{
    describe(p, hull);
    hull->vertex = p->vertex;
    hull->plane = p->plane;
    hull->centre = p->centre;
    hull->F = stic_mat3_identity();
    hull->origin = stic_vec3_zero();
    hull->moved = false;
}

void stic_hull_outline(const SticPolyhedron* p, const SticPose* pose, SticHull* hull)
{
    describe(p, hull);
    hull->vertex = NULL;
    hull->plane = NULL;
    hull->F = pose->F;
    hull->origin = pose->origin;
    hull->moved = true;
}

SticStatus stic_hull_place(SticArena* arena, const SticPolyhedron* p, const SticPose* pose,
                           SticHull* hull)
{
    if (pose == NULL) {
        stic_hull_rest(p, hull);
        return STIC_OK;
    }
    stic_hull_outline(p, pose, hull);
    hull->centre = stic_pose_apply(pose, p->centre);
    SticVec3* vertex;
    SticPlane* plane;
    STIC_TRY(STIC_TAKE(arena, &vertex, p->vertex_count));
    STIC_TRY(STIC_TAKE(arena, &plane, p->face_count));
    hull->rigid = pose->rigid;
    const SticMat3 F = hull->F;
    const SticVec3 o = hull->origin;
    for (int32_t i = 0; i < p->vertex_count; ++i)
        vertex[i] = stic_vec3_add(stic_mat3_mul_vec(F, p->vertex[i]), o);
    place_planes(hull, plane);
    hull->vertex = vertex;
    hull->plane = plane;
    if (pose->rigid)
        return STIC_OK;
    // an affine map may squeeze the inner ball to nothing: no pruning then
    double radius2 = 0.0;
    for (int32_t i = 0; i < p->vertex_count; ++i) {
        const double r2 = stic_vec3_norm2(stic_vec3_sub(vertex[i], hull->centre));
        radius2 = r2 > radius2 ? r2 : radius2;
    }
    hull->inner = 0.0;
    hull->size = 2.0 * sqrt(radius2);
    return STIC_OK;
}

int32_t stic_hull_support(const SticHull* hull, SticVec3 direction)
{
    const SticVec3 d = hull->moved ? stic_mat3_transpose_mul_vec(hull->F, direction) : direction;
    return stic_polyhedron_support(hull->topology, d, 0);
}

SticVec3 stic_hull_local(const SticHull* hull, SticVec3 x)
{
    if (!hull->moved)
        return x;
    const SticVec3 d = stic_vec3_sub(x, hull->origin);
    if (hull->rigid)
        return stic_mat3_transpose_mul_vec(hull->F, d);
    SticMat3 inverse;
    stic_mat3_inverse(hull->F, &inverse);
    return stic_mat3_mul_vec(inverse, d);
}

typedef struct Search {
    const SticHull* hull;
    SticVec3 apart; // between the centres, from hull 1 to hull 0
    double inner;   // both inner radii
    double margin;  // pruning keeps what preference may want
    double best;    // largest separation so far
    double covered; // the same along internal faces
    double reach;
    SticAxis face[2]; // best of each hull
    SticAxis edges;
    SticVec3 w[MOST_WITNESSES]; // points of the difference of the hulls
    int32_t witnesses, next;
} Search;

// a point of the difference of the hulls, for pruning
static void add_witness(Search* search, SticVec3 w)
{
    // the latest witnesses survived the pruning by the others, and are nearest to the axis sought
    const int32_t at = search->next;
    search->w[at] = w;
    search->next = at + 1 < MOST_WITNESSES ? at + 1 : 0;
    search->witnesses += search->witnesses < MOST_WITNESSES;
}

// bound of the separation along n by all witnesses
static double bound_along(const Search* search, SticVec3 n)
{
    double least = (double)INFINITY;
    for (int32_t k = 0; k < search->witnesses; ++k) {
        const double here = stic_vec3_dot(n, search->w[k]);
        least = here < least ? here : least;
    }
    return least;
}

static bool is_real(const SticPolyhedron* p, int32_t face)
{
    return p->face_begin[face + 1] > p->face_begin[face];
}

// one face of a hull; true if it separates
static bool look_at_face(Search* search, int side, int32_t f)
{
    const SticHull *own = &search->hull[side], *other = &search->hull[1 - side];
    const double sign = side == 0 ? -1.0 : 1.0;
    const SticPlane plane = own->plane[f];
    SticAxis* best = &search->face[side];
    const int32_t v = stic_hull_support(other, stic_vec3_neg(plane.normal));
    const double here = stic_vec3_dot(plane.normal, other->vertex[v]) - plane.offset;
    if (here > search->reach)
        return true;
    const SticVec3 x = own->vertex[own->topology->face_vertex[own->topology->face_begin[f]]];
    add_witness(search, stic_vec3_scale(sign, stic_vec3_sub(other->vertex[v], x)));
    if (own->topology->face_flag[f] & STIC_FACE_INTERNAL) {
        search->covered = here > search->covered ? here : search->covered;
        return false;
    }
    if (here <= best->separation)
        return false;
    *best = (SticAxis){side, {f, -1}, stic_vec3_scale(sign, plane.normal), here};
    search->best = here > search->best ? here : search->best;
    return false;
}

// normals of all faces of a hull along the line of centres; the real face with the largest, or -1
static int32_t sight_faces(const Search* search, int side, double* along)
{
    const SticHull* own = &search->hull[side];
    const SticVec3 d = stic_vec3_scale(side == 0 ? -1.0 : 1.0, search->apart);
    int32_t top = -1;
    double most = -(double)INFINITY;
    for (int32_t f = 0; f < own->topology->face_count; ++f) {
        along[f] = stic_vec3_dot(own->plane[f].normal, d);
        if (along[f] > most && is_real(own->topology, f)) {
            most = along[f];
            top = f;
        }
    }
    return top;
}

// faces of one hull, the most promising first; true if one of them separates
static bool search_faces(Search* search, int side, int32_t top, const double* along)
{
    const SticHull* own = &search->hull[side];
    if (top < 0 || look_at_face(search, side, top))
        return top >= 0;
    const double sign = side == 0 ? -1.0 : 1.0;
    for (int32_t f = 0; f < own->topology->face_count; ++f) {
        const double least = search->best - search->margin;
        if (along[f] - search->inner >= least && f != top && is_real(own->topology, f) &&
            bound_along(search, stic_vec3_scale(sign, own->plane[f].normal)) >= least &&
            look_at_face(search, side, f))
            return true;
    }
    return false;
}

typedef struct Arc {
    SticVec3 e, from, to; // edge, normals of its two faces
    int32_t edge;
} Arc;

// whether the separation may reach `least` somewhere on the arc from a to b, by the point w
static bool may_reach(double least, SticVec3 a, SticVec3 b, SticVec3 w)
{
    const double u = stic_vec3_dot(a, w), v = stic_vec3_dot(b, w), top = u > v ? u : v;
    if (top >= least || top <= 0.0)
        return top >= least;
    // cos^2 of half the angle between the normals
    const double half2 = 0.5 * (1.0 + stic_vec3_dot(a, b));
    return top * top >= least * least * half2;
}

// what the witnesses leave of the normals of one hull
typedef struct Sight {
    SticVec3 point[MOST_WITNESSES + 1]; // the last is the line of centres
    double least[MOST_WITNESSES + 1];
    int32_t count;
    unsigned all, centre; // bits
} Sight;

enum { SIGHT_SKIP = 7 };

static void open_sight(const Search* search, int side, Sight* sight)
{
    const double sign = side == 0 ? -1.0 : 1.0;
    const int32_t last = search->witnesses;
    for (int32_t k = 0; k < last; ++k) {
        sight->point[k] = stic_vec3_scale(sign, search->w[k]);
        sight->least[k] = search->best;
    }
    sight->point[last] = stic_vec3_scale(sign, search->apart);
    sight->least[last] = search->best + search->inner;
    sight->count = last + 1;
    sight->centre = 1u << last;
    sight->all = 2u * sight->centre - 1;
}

// one bit for each witness that does not exclude the normal of a face; an arc is not excluded by
// those that keep one of its ends, or, if a positive bound is sought, may keep it: the arc bulges.
// Only faces on the side of the other hull are looked at, the rest have all bits but that of the
// line of centres.
static void see_faces(const Sight* sight, const SticHull* hull, const double* along, int32_t* near,
                      uint8_t* seen)
{
    const SticPolyhedron* p = hull->topology;
    const double centre = sight->least[sight->count - 1];
    const double side = centre < 0.0 ? centre : 0.0;
    int32_t count = 0;
    for (int32_t f = 0; f < p->face_count; ++f) {
        const unsigned skip = (unsigned)is_real(p, f) & p->face_flag[f] & STIC_FACE_INTERNAL;
        seen[f] = (uint8_t)(skip << SIGHT_SKIP | (sight->all ^ sight->centre));
        near[count] = f;
        count += along[f] >= side;
    }
    const double least = sight->least[0] < 0.0 ? sight->least[0] : 0.0;
    for (int32_t i = 0; i < count; ++i) {
        const SticVec3 n = hull->plane[near[i]].normal;
        unsigned bits = (seen[near[i]] & 1u << SIGHT_SKIP) | sight->centre;
        for (int32_t k = 0; k + 1 < sight->count; ++k)
            bits |= (unsigned)(stic_vec3_dot(n, sight->point[k]) >= least) << k;
        seen[near[i]] = (uint8_t)bits;
    }
}

// edges of one hull that may give a better axis
static int32_t collect_arcs(const Search* search, int side, const Sight* sight, const uint8_t* seen,
                            Arc* arcs)
{
    const SticHull* hull = &search->hull[side];
    const SticPolyhedron* p = hull->topology;
    int32_t count = 0;
    for (int32_t i = 0; i < p->edge_count; ++i) {
        const SticEdge* edge = &p->edge[i];
        if ((seen[edge->face[0]] | seen[edge->face[1]]) != sight->all)
            continue;
        const SticVec3 a = hull->plane[edge->face[0]].normal, b = hull->plane[edge->face[1]].normal;
        bool may = true;
        for (int32_t k = sight->count - 1; k >= 0 && may; --k)
            may = sight->least[k] <= 0.0 || may_reach(sight->least[k], a, b, sight->point[k]);
        if (!may)
            continue;
        const SticVec3 e =
            stic_vec3_sub(hull->vertex[edge->vertex[1]], hull->vertex[edge->vertex[0]]);
        arcs[count++] = (Arc){e, a, b, i};
    }
    return count;
}

static bool look_at_edges(Search* search, const Arc* A, const Arc* B)
{
    const SticVec3 cross = stic_vec3_cross(A->e, B->e);
    const double size2 = stic_vec3_norm2(cross);
    if (size2 <= STIC_PARALLEL * STIC_PARALLEL * stic_vec3_norm2(A->e) * stic_vec3_norm2(B->e))
        return false;
    // outward from hull 1, along its arc
    const double sign = stic_vec3_dot(cross, stic_vec3_add(B->from, B->to)) < 0.0 ? -1.0 : 1.0;
    const SticVec3 n = stic_vec3_scale(sign / sqrt(size2), cross);
    const SticHull* hull = search->hull;
    const SticVec3 a = hull[0].vertex[hull[0].topology->edge[A->edge].vertex[0]];
    const SticVec3 b = hull[1].vertex[hull[1].topology->edge[B->edge].vertex[0]];
    const double here = stic_vec3_dot(n, stic_vec3_sub(a, b));
    if (here > search->edges.separation)
        search->edges = (SticAxis){STIC_AXIS_EDGES, {A->edge, B->edge}, n, here};
    return here > search->reach;
}

// arcs of A against the opposite arcs of B; true if an axis separates
static bool search_edges(Search* search, const Arc* A, int32_t na, const Arc* B, int32_t nb)
{
    for (int32_t i = 0; i < na; ++i)
        for (int32_t j = 0; j < nb; ++j) {
            const double c = stic_vec3_dot(B[j].from, A[i].e), d = stic_vec3_dot(B[j].to, A[i].e);
            if (c * d >= 0.0)
                continue;
            const double a = stic_vec3_dot(A[i].from, B[j].e), b = stic_vec3_dot(A[i].to, B[j].e);
            if (a * b < 0.0 && c * b < 0.0 && look_at_edges(search, &A[i], &B[j]))
                return true;
        }
    return false;
}

void stic_axis_choose(const SticAxis face[2], const double area[2], const SticAxis* edges,
                      double size, SticAxis axis[3])
{
    const double lead = face[1].separation - face[0].separation;
    SticAxis best = face[lead > 0.0];
    axis[2] = edges->index[0] >= 0 && edges->separation > best.separation ? *edges : best;
    if (face[0].index[0] >= 0 && face[1].index[0] >= 0 && fabs(lead) <= FACE_MARGIN * size)
        best = face[area[1] > area[0] * (1.0 + AREA_EQUAL)];
    axis[0] = axis[1] = best;
    if (edges->index[0] >= 0 &&
        (best.index[0] < 0 || edges->separation > best.separation + EDGE_MARGIN * size))
        axis[0] = *edges;
}

static double area_of(const SticHull* hull, const SticAxis* face)
{
    return face->index[0] < 0 ? 0.0 : hull->topology->face_area[face->index[0]];
}

SticStatus stic_hulls_separate(SticArena* arena, const SticHull hull[2], double reach,
                               SticAxis axis[3], bool* apart)
{
    const double size = hull[0].size < hull[1].size ? hull[0].size : hull[1].size;
    const SticAxis none = {0, {-1, -1}, {0.0, 0.0, 0.0}, -(double)INFINITY};
    Search search = {.hull = hull,
                     .apart = stic_vec3_sub(hull[0].centre, hull[1].centre),
                     .inner = hull[0].inner + hull[1].inner,
                     .margin = FACE_MARGIN * size,
                     .best = -(double)INFINITY,
                     .covered = -(double)INFINITY,
                     .reach = reach,
                     .face = {none, none},
                     .edges = none};
    *apart = true;
    const SticVec3 n = stic_vec3_normalize(search.apart);
    const SticVec3 a = hull[0].vertex[stic_hull_support(&hull[0], stic_vec3_neg(n))];
    const SticVec3 b = hull[1].vertex[stic_hull_support(&hull[1], n)];
    if (stic_vec3_dot(n, stic_vec3_sub(a, b)) > reach)
        return STIC_OK;
    add_witness(&search, stic_vec3_sub(a, b));
    double* along[2];
    for (int side = 0; side < 2; ++side) {
        STIC_TRY(STIC_TAKE(arena, &along[side], hull[side].topology->face_count));
        const int32_t top = sight_faces(&search, side, along[side]);
        if (search_faces(&search, side, top, along[side]))
            return STIC_OK;
    }
    Arc* arcs[2];
    int32_t counts[2];
    for (int side = 0; side < 2; ++side) {
        const int32_t faces = hull[side].topology->face_count;
        uint8_t* seen;
        int32_t* near;
        Sight sight;
        STIC_TRY(STIC_TAKE(arena, &arcs[side], hull[side].topology->edge_count));
        STIC_TRY(STIC_TAKE(arena, &seen, faces));
        STIC_TRY(STIC_TAKE(arena, &near, faces));
        open_sight(&search, side, &sight);
        see_faces(&sight, &hull[side], along[side], near, seen);
        counts[side] = collect_arcs(&search, side, &sight, seen, arcs[side]);
    }
    if (search_edges(&search, arcs[0], counts[0], arcs[1], counts[1]))
        return STIC_OK;
    const double area[2] = {area_of(&hull[0], &search.face[0]), area_of(&hull[1], &search.face[1])};
    stic_axis_choose(search.face, area, &search.edges, size, axis);
    const bool across =
        search.covered > search.margin && search.covered > axis[2].separation + search.margin;
    *apart = axis[0].index[0] < 0 || across;
    return STIC_OK;
}

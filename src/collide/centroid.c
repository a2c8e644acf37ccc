// SPDX-License-Identifier: Apache-2.0
// One contact of two convex polyhedra: point and averaged normal (Koziara 2008, section 9.4).
//
// The boundary of the intersection is split into the pieces on the surface faces of either. The
// normal is the mean over the piece whose normals vary less, the point the centroid of the other
// piece; the gap is minus the distance from the point along the normal to the first piece. The
// variance is taken about the mean normal (the thesis subtracts the resultant): area - |sum|^2 /
// area. A tie, two flat pieces, gives the normal of the first hull and the point of the second. If
// one piece is empty, the other serves for both. If the hulls are apart but within reach: nearest
// points and their distance.
//
// Polyhedra that share little are stretched about their centres by EXPAND for the intersection, and
// points put back: those that touch without volume get a contact in the middle of their common
// face, and it moves away from that middle as the angle between faces grows. Without stretching,
// the first rounding error of a position turns a slab into a wedge, and the contact point of a block
// at rest jumps by a third of a face. The gap is that of the two faces at the point, so that it is
// the same frozen and found anew.
//
// Only volumetric intersections count (section 9.4): elements that meet only in two edges, a corner
// and an edge, or two corners, such as diagonal neighbours in a wall, have no normal. They are
// recognised by their separating planes: two of these, on faces more than 45 degrees apart, either
// touch both elements or leave a gap.
#include <math.h>

#include "collide/intersect.h"
#include "collide/part.h"
#include "stiction/extend/base.h"

/// Several orders below the shortest edge of all but extreme shapes.
#define EXPAND 1e-6
/// Variances nearer than this part of the area are equal.
#define VARIANCE_EQUAL 1e-9

static SticStatus intersect(SticPairWork* work, const SticHull hull[2], SticOverlap* overlap)
{
    return work->settings->intersection == STIC_INTERSECTION_POLARITY
               ? stic_overlap_by_polarity(work->arena, hull, overlap)
               : stic_overlap_by_clipping(work->arena, hull, overlap);
}

/// Depth below which faces count as touching, as a part of the smaller size: a thousandth of an
/// element is neither a bearing face nor an overlap that a run should have.
#define TOUCHING 1e-3

// how far a hull lies outside a face of another; negative: how deep it reaches behind that face
static double outside(const SticPlane* face, const SticHull* hull)
{
    double least = (double)INFINITY;
    for (int32_t i = 0; i < hull->topology->vertex_count; ++i) {
        const double h = stic_vec3_dot(face->normal, hull->vertex[i]) - face->offset;
        least = h < least ? h : least;
    }
    return least;
}

// whether two faces more than 45 degrees apart are both touched, or leave the hulls apart
static bool meet_at_border(const SticHull hull[2], double size)
{
    SticVec3 best = {0.0, 0.0, 0.0};
    double most = -TOUCHING * size;
    for (int pass = 0; pass < 2; ++pass)
        for (int side = 0; side < 2; ++side)
            for (int32_t f = 0; f < hull[side].topology->face_count; ++f) {
                const SticPlane* face = &hull[side].plane[f];
                const SticVec3 n = side == 0 ? face->normal : stic_vec3_neg(face->normal);
                const double h = outside(face, &hull[1 - side]);
                if (pass == 0 && h > most) {
                    most = h;
                    best = n;
                }
                if (pass == 1 && h > -TOUCHING * size && stic_vec3_dot(n, best) < sqrt(0.5))
                    return true;
            }
    return false;
}

static double variance(const SticOverlapSide* side)
{
    return side->area > 0.0 ? side->area - stic_vec3_norm2(side->normal) / side->area : 0.0;
}

// two points that face each other along the outward normal of one hull, the master; in the frame of
// the pair
typedef struct Facing {
    int master;
    SticVec3 point, base, normal; // base on the master
    double area;
} Facing;

// The second hull holds the plane, whichever is the master: when the master changes from step to
// step, as happens with variances of nearly flat pieces, this must not become another contact,
// without reaction and bond. Gap and directions are the same.
static SticStatus put(SticPairWork* work, const SticHull hull[2], const Facing* touch)
{
    const bool first = touch->master == 0;
    SticContact contact = {.kernel = STIC_CONTACT_PLANE, .area = touch->area};
    contact.feature = stic_feature(3, 1, 0, 0, 0);
    const SticHull *A = &hull[0], *B = &hull[1];
    const SticVec3 n = first ? stic_vec3_neg(touch->normal) : touch->normal;
    stic_vec3_store(stic_hull_local(A, first ? touch->base : touch->point), contact.local);
    stic_vec3_store(stic_hull_local(B, first ? touch->point : touch->base), contact.local + 3);
    // cof(F) N is parallel to n for N = F' n
    const SticVec3 N = B->moved ? stic_mat3_transpose_mul_vec(B->F, n) : n;
    stic_vec3_store(stic_vec3_normalize(N), contact.local + 6);
    return stic_contact_put(work, &contact, (double)INFINITY);
}

/// Part of a side that one face holds where it bears; less of it where it is cut by an edge.
#define BEARING 0.9

// the surface face of a hull that bears; -1: none
static int32_t bearing_face(const SticHull* hull, const SticOverlapSide* side)
{
    for (int32_t f = 0; f < hull->topology->face_count; ++f)
        if (!(hull->topology->face_flag[f] & STIC_FACE_INTERNAL) &&
            side->face[f].area >= BEARING * side->area)
            return f;
    return -1;
}

// Two faces that lie on each other are what touches: what stretching makes of the faces beside them,
// strips as high as it is, would turn the normal towards them. False if it is not two faces.
static bool take_faces(const SticHull hull[2], SticOverlapSide side[2], int32_t face[2])
{
    for (int k = 0; k < 2; ++k)
        face[k] = bearing_face(&hull[k], &side[k]);
    if (face[0] < 0 || face[1] < 0)
        return false;
    for (int k = 0; k < 2; ++k) {
        const SticOverlapFace bearing = side[k].face[face[k]];
        side[k] = (SticOverlapSide){bearing.area,
                                    stic_vec3_scale(bearing.area, hull[k].plane[face[k]].normal),
                                    bearing.moment, side[k].face};
    }
    return true;
}

// what stretching about the centre made of a point
static SticVec3 put_back(const SticHull* hull, SticVec3 x)
{
    return stic_vec3_add_scaled(x, -EXPAND / (1.0 + EXPAND), stic_vec3_sub(x, hull->centre));
}

// `overlap` of the hulls, or of the stretched ones
static SticStatus put_overlap(SticPairWork* work, const SticHull hull[2],
                              const SticOverlap* overlap, bool stretched)
{
    SticOverlapSide side[2] = {overlap->side[0], overlap->side[1]};
    int32_t face[2] = {-1, -1};
    const bool faces = stretched && take_faces(hull, side, face);
    const double v[2] = {variance(&side[0]), variance(&side[1])};
    const double area = side[0].area + side[1].area;
    int master = v[1] < v[0] - VARIANCE_EQUAL * area ? 1 : 0, other = 1 - master;
    if (!(side[master].area > 0.0))
        master = other;
    if (!(side[other].area > 0.0))
        other = master;
    const SticVec3 n = stic_vec3_normalize(side[master].normal);
    SticVec3 x = stic_vec3_scale(1.0 / side[other].area, side[other].moment);
    double top = -(double)INFINITY;
    for (int32_t i = 0; i < overlap->count; ++i) {
        const SticVec3 p =
            stretched ? put_back(&hull[master], overlap->point[i]) : overlap->point[i];
        const double h = stic_vec3_dot(n, p);
        top = overlap->owner[i] == master && h > top ? h : top;
    }
    x = stretched ? put_back(&hull[other], x) : x;
    top = faces ? hull[master].plane[face[master]].offset : top;
    const double gap = stic_vec3_dot(n, x) - top;
    const Facing touch = {master, x, stic_vec3_add_scaled(x, -gap, n), n,
                          stic_vec3_norm(side[master].normal)};
    return put(work, hull, &touch);
}

// stretched about its centre
static SticStatus expand(SticArena* arena, const SticHull* hull, SticHull* larger)
{
    const SticPolyhedron* p = hull->topology;
    SticVec3* vertex;
    SticPlane* plane;
    STIC_TRY(STIC_TAKE(arena, &vertex, p->vertex_count));
    STIC_TRY(STIC_TAKE(arena, &plane, p->face_count));
    for (int32_t i = 0; i < p->vertex_count; ++i)
        vertex[i] = stic_vec3_add_scaled(hull->vertex[i], EXPAND,
                                         stic_vec3_sub(hull->vertex[i], hull->centre));
    for (int32_t f = 0; f < p->face_count; ++f) {
        plane[f] = hull->plane[f];
        plane[f].offset +=
            EXPAND * (plane[f].offset - stic_vec3_dot(plane[f].normal, hull->centre));
    }
    *larger = *hull;
    larger->vertex = vertex;
    larger->plane = plane;
    return STIC_OK;
}

SticStatus stic_centroid_touch(SticPairWork* work, const SticPart* first, const SticPart* second)
{
    SticHull hull[2], larger[2];
    SticOverlap overlap;
    const bool rigid = second->pose.rigid;
    const SticPose seen = rigid ? stic_part_seen_from(first, second) : first->pose;
    STIC_TRY(stic_hull_place(work->arena, first->polyhedron, &seen, &hull[0]));
    STIC_TRY(
        stic_hull_place(work->arena, second->polyhedron, rigid ? NULL : &second->pose, &hull[1]));
    const SticCore a = stic_core_points(hull[0].vertex, hull[0].topology->vertex_count);
    const SticCore b = stic_core_points(hull[1].vertex, hull[1].topology->vertex_count);
    const double size = hull[0].size < hull[1].size ? hull[0].size : hull[1].size;
    const double touch = STIC_TOUCH_PART * size;
    const SticGjk gjk = stic_gjk(&a, &b, work->reach + touch, STIC_SUBDISTANCE_FACES);
    const double distance = gjk.overlap ? 0.0 : stic_vec3_norm(gjk.v);
    if (gjk.bound > work->reach + touch || meet_at_border(hull, size))
        return STIC_OK;
    // near a face, rounding may leave the distance of thin overlaps above zero: only its lower
    // bound says that hulls are apart, otherwise their intersection decides
    if (gjk.bound > touch) {
        const Facing apart = {1, gjk.a, gjk.b, stic_vec3_scale(1.0 / distance, gjk.v), 0.0};
        return put(work, hull, &apart);
    }
    // whether faces that lie on each other overlap is decided by rounding, for each of them in its
    // own way: volumes and points of their intersection mean nothing, those of the stretched do
    STIC_TRY(expand(work->arena, &hull[0], &larger[0]));
    STIC_TRY(expand(work->arena, &hull[1], &larger[1]));
    STIC_TRY(intersect(work, larger, &overlap));
    const double area = overlap.side[0].area + overlap.side[1].area;
    if (!(area > 0.0))
        return STIC_OK;
    // deeper on average than what counts as touching
    const bool deep = overlap.volume > TOUCHING * size * area;
    if (deep)
        STIC_TRY(intersect(work, hull, &overlap));
    return put_overlap(work, hull, &overlap, !deep);
}

SticStatus stic_centroid_on_plane(SticPairWork* work, const SticHull* hull, const SticPlane* plane,
                                  int32_t side)
{
    STIC_ASSERT(side == 0 || side == 1);
    const double lowest = outside(plane, hull);
    if (lowest > work->reach + STIC_TOUCH_PART * hull->size)
        return STIC_OK;
    // touching without volume: the part within EXPAND of its lowest point
    SticPlane level = *plane;
    level.offset += lowest > -EXPAND * hull->size ? lowest + EXPAND * hull->size : 0.0;
    SticOverlap overlap;
    STIC_TRY(stic_overlap_with_plane(work->arena, hull, &level, &overlap));
    const SticOverlapSide* below = &overlap.side[0];
    if (!(below->area > 0.0))
        return STIC_OK;
    SticVec3 x = stic_vec3_scale(1.0 / below->area, below->moment);
    // Strips beside a face that bears, as high as it is deep, would shift the centre towards those of
    // the outside: elements of one body have none between them.
    const bool deep = plane->offset - stic_vec3_dot(plane->normal, x) > TOUCHING * hull->size;
    const int32_t face = deep ? -1 : bearing_face(hull, below);
    if (face >= 0)
        x = stic_vec3_scale(1.0 / below->face[face].area, below->face[face].moment);
    SticContact contact = {.kernel = STIC_CONTACT_PLANE,
                           .swapped = side == 1,
                           .area = fabs(stic_vec3_dot(below->normal, plane->normal)),
                           .feature = stic_feature(3, 1, 0, 0, 0)};
    stic_vec3_store(stic_hull_local(hull, x), contact.local);
    stic_vec3_store(stic_vec3_scale(plane->offset, plane->normal), contact.local + 3);
    stic_vec3_store(plane->normal, contact.local + 6);
    return stic_contact_put(work, &contact, (double)INFINITY);
}

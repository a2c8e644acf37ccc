// SPDX-License-Identifier: Apache-2.0
// Overlap of two faces of convex polyhedra, seen along the normal of one of them.
//
// The incident face, the one that looks most against the reference face among those at the deepest
// vertex, is cut by the planes through the sides of the reference face (Sutherland & Hodgman 1974).
// Everything is done in the frame of the reference face, where sides are lines in the plane and the
// third coordinate is the height above the face. For the faces of a box that frame is a permutation
// of the axes: nothing is rounded.
//
// A vertex outside by less than STIC_SAME_PART counts as inside, and points that near are one, so
// that exact alignment neither loses nor doubles a corner. An overlap without width is marked.
//
// Area: that of the part of the overlap, cut without tolerance, whose gap is at most `reach`. The
// corners share it: each has half of the two triangles that it forms with its neighbours and the
// centroid; these are all positive and sum up to the area.
//
// Cost O(sides of the two faces, multiplied); memory from the arena.
#include "collide/patch.h"

#include "stiction/extend/base.h"

#include <math.h>

/// A corner that is dropped on request lies within this part of the size of the hull of the others.
#define REDUCE_PART 1e-3
/// Distances below this part of those that count as none, 1e-12 of the size, are rounding of positions:
/// the area of bodies that stand on each other is not worth a second cut without tolerance.
#define ROUNDING_PART 1e-6
/// Angles that differ by less are equal.
#define AS_MUCH 1e-6

/* ---- frame and faces ---- */

// whether two directions make the same angle with a third; the arguments are the cosines
static bool is_tie(double u, double v)
{
    return fabs(u - v) <= AS_MUCH && (u - v) * (u - v) <= AS_MUCH * AS_MUCH * (1.0 - u * u);
}

// the face that looks most against a direction among those around a vertex, or -1
static int32_t face_around(const SticPolyhedron* p, const SticPlane* plane, int32_t vertex,
                           SticVec3 n)
{
    int32_t best = -1;
    double least = 0.0;
    for (int32_t k = p->vertex_begin[vertex]; k < p->vertex_begin[vertex + 1]; ++k)
        for (int j = 0; j < 2; ++j) {
            const int32_t f = p->edge[p->vertex_edge[k]].face[j];
            const double here = stic_vec3_dot(plane[f].normal, n);
            // in case of a tie the lower number, whatever the order around the vertex and rounding
            const bool better = is_tie(here, least) ? f < best : here < least;
            if (better && stic_hull_face_counts(p, f)) {
                least = here;
                best = f;
            }
        }
    return best;
}

// a sliver far from the deepest vertex may face n more directly than the faces there
static int32_t face_against(const SticPolyhedron* p, const SticPlane* plane, int32_t deepest,
                            SticVec3 n)
{
    int32_t best = face_around(p, plane, deepest, n);
    double least = 0.0;
    // this may happen, since all faces there may be internal
    for (int32_t f = 0; f < p->face_count && best < 0; ++f) {
        const double here = stic_vec3_dot(plane[f].normal, n);
        if (here < least && stic_hull_face_counts(p, f)) {
            least = here;
            best = f;
        }
    }
    return best;
}

// the same for a box, whose faces are numbered -x +x -y +y -z +z
static int32_t box_face_against(SticVec3 n)
{
    const double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z);
    if (x >= y - AS_MUCH && x >= z - AS_MUCH)
        return n.x < 0.0;
    return y >= z - AS_MUCH ? 2 + (n.y < 0.0) : 4 + (n.z < 0.0);
}

// for a rigid hull and a direction of its own frame
static int32_t own_face_against(const SticHull* hull, SticVec3 n)
{
    const SticPolyhedron* p = hull->topology;
    if (hull->box)
        return box_face_against(n);
    return face_against(p, p->plane, stic_polyhedron_support(p, stic_vec3_neg(n), 0), n);
}

int32_t stic_hull_face_against(const SticHull* hull, SticVec3 n)
{
    if (hull->rigid)
        return own_face_against(hull, hull->moved ? stic_mat3_transpose_mul_vec(hull->F, n) : n);
    return face_against(hull->topology, hull->plane, stic_hull_support(hull, stic_vec3_neg(n)), n);
}

SticMat3 stic_patch_frame(SticVec3 normal)
{
    const SticMat3 frame = stic_mat3_frame(normal);
    return stic_mat3_from_rows(stic_mat3_column(frame, 1), stic_mat3_column(frame, 2), normal);
}

// place of the incident polyhedron in the frame of the face, T x - offset z
static void look_from(SticPatch* patch, SticMat3 T, double offset)
{
    const SticHull *R = patch->reference, *I = patch->incident;
    const bool turned = R->rigid && R->moved;
    const SticMat3 G = turned ? stic_mat3_mul_transpose(T, R->F) : T;
    const SticVec3 d = turned ? stic_vec3_sub(I->origin, R->origin) : I->origin;
    patch->rigid = I->rigid;
    patch->F = I->moved ? stic_mat3_mul(G, I->F) : G;
    patch->origin = stic_mat3_mul_vec(G, d);
    patch->origin.z -= offset;
}

// corner and outward direction of each side of the reference face
static SticStatus find_sides(SticArena* arena, SticPatch* patch, SticMat3 T)
{
    const SticHull* R = patch->reference;
    const SticPolyhedron* q = R->topology;
    const int32_t from = q->face_begin[patch->face], count = q->face_begin[patch->face + 1] - from;
    const SticVec3* vertex = R->rigid ? q->vertex : R->vertex;
    const SticVec3* known = R->rigid ? q->face_side : NULL;
    const SticVec3 u = stic_mat3_row(T, 0), v = stic_mat3_row(T, 1);
    SticPatchSide* side;
    STIC_TRY(STIC_TAKE(arena, &side, count));
    for (int32_t k = 0; k < count; ++k) {
        const SticVec3 a = vertex[q->face_vertex[from + k]];
        SticVec3 m;
        if (known != NULL) {
            m = known[from + k];
        } else {
            const SticVec3 b = vertex[q->face_vertex[k + 1 < count ? from + k + 1 : from]];
            m = stic_vec3_normalize(stic_vec3_cross(stic_vec3_sub(b, a), stic_mat3_row(T, 2)));
        }
        SticPatchSide* here = &side[k];
        here->corner[0] = stic_vec3_dot(u, a);
        here->corner[1] = stic_vec3_dot(v, a);
        here->outward[0] = stic_vec3_dot(u, m);
        here->outward[1] = stic_vec3_dot(v, m);
        here->offset = here->outward[0] * here->corner[0] + here->outward[1] * here->corner[1];
    }
    patch->side = side;
    patch->sides = count;
    return STIC_OK;
}

// set field by field: clearing the struct first would take as long as a cut
static void begin(const SticHull* reference, const SticHull* incident, SticPatch* patch)
{
    patch->reference = reference;
    patch->incident = incident;
    patch->same =
        STIC_SAME_PART * (reference->size < incident->size ? reference->size : incident->size);
    patch->count = 0;
    patch->fuzzy = patch->flat = false;
}

SticStatus stic_patch_open(SticArena* arena, const SticHull hull[2], int32_t side, int32_t face,
                           SticPatch* patch)
{
    STIC_ASSERT(side == 0 || side == 1);
    STIC_ASSERT(face >= 0);
    const SticHull *R = &hull[side], *I = &hull[1 - side];
    const SticPlane* plane = R->rigid ? &R->topology->plane[face] : &R->plane[face];
    begin(R, I, patch);
    patch->reference_side = side;
    patch->face = face;
    const SticMat3 T = stic_patch_frame(plane->normal);
    look_from(patch, T, plane->offset);
    patch->incident_face =
        I->rigid
            ? own_face_against(I, stic_mat3_row(patch->F, 2))
            : stic_hull_face_against(
                  I, R->rigid && R->moved ? stic_mat3_mul_vec(R->F, plane->normal) : plane->normal);
    if (patch->incident_face < 0)
        return STIC_OK;
    STIC_TRY(find_sides(arena, patch, T));
    const int32_t* begins = I->topology->face_begin + patch->incident_face;
    const int32_t room = begins[1] - begins[0] + patch->sides + 1;
    STIC_TRY(STIC_TAKE(arena, &patch->list, 2 * room));
    patch->spare = patch->list + room;
    return STIC_OK;
}

SticVec3 stic_patch_local(const SticPatch* patch, SticVec3 x)
{
    const SticVec3 d = stic_vec3_sub(x, patch->origin);
    SticMat3 inverse;
    if (patch->rigid)
        return stic_mat3_transpose_mul_vec(patch->F, d);
    stic_mat3_inverse(patch->F, &inverse);
    return stic_mat3_mul_vec(inverse, d);
}

/* ---- cutting ---- */

// where the side from `here` to `next` crosses the line
static void add_crossing(const SticCorner* here, const SticCorner* next, int32_t line,
                         SticCorner* made)
{
    const bool leaves = here->height < next->height;
    const double t = here->height / (here->height - next->height);
    made->p = stic_vec3_lerp(here->p, next->p, t);
    made->vertex = -1;
    made->before = leaves ? here->after : line;
    made->after = leaves ? line : here->after;
}

// one cut by a line with the number `line`; corners with height <= tolerance stay
static void cut(SticPatch* patch, int32_t line, double tolerance)
{
    const SticCorner *here = patch->list, *end = here + patch->count;
    SticCorner* out = patch->spare;
    const double rounding = ROUNDING_PART * tolerance;
    bool last_in = end[-1].height <= tolerance, in = here->height <= tolerance;
    for (; here < end; ++here) {
        const SticCorner* next = here + 1 < end ? here + 1 : patch->list;
        const bool next_in = next->height <= tolerance;
        if (in) {
            *out = *here;
            // a corner on the line serves as the crossing
            if (here->height >= -tolerance) {
                out->after = next_in ? out->after : line;
                out->before = last_in ? out->before : line;
                patch->fuzzy = patch->fuzzy || here->height > rounding;
            }
            ++out;
        }
        if (in != next_in) {
            const double inside = (in ? here : next)->height;
            if (inside >= -tolerance)
                patch->fuzzy = patch->fuzzy || inside < -rounding;
            else
                add_crossing(here, next, line, out++);
        }
        last_in = in;
        in = next_in;
    }
    patch->count = (int32_t)(out - patch->spare);
    SticCorner* spare = patch->list;
    patch->list = patch->spare;
    patch->spare = spare;
}

static void load_face(SticPatch* patch)
{
    const SticPolyhedron* p = patch->incident->topology;
    const int32_t begin = p->face_begin[patch->incident_face];
    const int32_t end = p->face_begin[patch->incident_face + 1];
    int32_t before = p->face_edge[end - 1];
    patch->count = end - begin;
    for (int32_t k = begin; k < end; ++k) {
        SticCorner* corner = &patch->list[k - begin];
        corner->p = stic_patch_placed(patch, p->vertex[p->face_vertex[k]]);
        corner->vertex = p->face_vertex[k];
        corner->before = before;
        corner->after = before = p->face_edge[k];
    }
}

void stic_patch_overlap(SticPatch* patch, double tolerance)
{
    STIC_ASSERT(tolerance >= 0.0);
    load_face(patch);
    patch->flat = false;
    for (int32_t k = 0; k < patch->sides && patch->count > 0; ++k) {
        const SticPatchSide side = patch->side[k];
        double highest = -(double)INFINITY, deepest = 0.0;
        for (int32_t i = 0; i < patch->count; ++i) {
            SticCorner* corner = &patch->list[i];
            const double h =
                side.outward[0] * corner->p.x + side.outward[1] * corner->p.y - side.offset;
            corner->height = h;
            highest = h > highest ? h : highest;
            deepest = h < deepest ? h : deepest;
        }
        // corners above the line go, the lowest stays
        if (highest > 0.0)
            cut(patch, -1 - k, tolerance);
        patch->flat = patch->flat || deepest >= -patch->same;
    }
}

// whether all points of a hull are beyond one side of the reference face
static bool is_beyond_side(const SticPatch* patch, const SticVec3* x, int32_t count)
{
    bool beyond = false;
    for (int32_t k = 0; k < patch->sides && !beyond; ++k) {
        const SticPatchSide side = patch->side[k];
        beyond = true;
        for (int32_t v = 0; v < count && beyond; ++v)
            beyond = side.outward[0] * x[v].x + side.outward[1] * x[v].y > side.offset;
    }
    return beyond;
}

// height of the lowest vertex of a face
static double lowest_of(const SticPolyhedron* p, int32_t face, const SticVec3* x)
{
    double least = (double)INFINITY;
    for (int32_t k = p->face_begin[face]; k < p->face_begin[face + 1]; ++k)
        least = x[p->face_vertex[k]].z < least ? x[p->face_vertex[k]].z : least;
    return least;
}

SticStatus stic_patch_lowest(SticArena* arena, SticPatch* patch, SticCorner* lowest, bool* found)
{
    const SticPolyhedron* p = patch->incident->topology;
    const int32_t first = patch->incident_face;
    int32_t room = 0, best = -1;
    SticVec3* x;
    *found = false;
    STIC_TRY(STIC_TAKE(arena, &x, p->vertex_count));
    for (int32_t v = 0; v < p->vertex_count; ++v)
        x[v] = stic_patch_placed(patch, p->vertex[v]);
    if (is_beyond_side(patch, x, p->vertex_count))
        return STIC_OK;
    for (int32_t f = 0; f < p->face_count; ++f) {
        const int32_t sides = p->face_begin[f + 1] - p->face_begin[f];
        room = sides > room ? sides : room;
    }
    room += patch->sides + 1;
    STIC_TRY(STIC_TAKE(arena, &patch->list, 2 * room));
    patch->spare = patch->list + room;
    lowest->p.z = (double)INFINITY;
    // the face that is most likely to have it comes first, so that most others need no cut
    for (int32_t k = -1; k < p->face_count; ++k) {
        const int32_t f = k < 0 ? first : k;
        if (f < 0 || k == first || !stic_hull_face_counts(p, f) ||
            !(lowest_of(p, f, x) < lowest->p.z))
            continue;
        patch->incident_face = f;
        stic_patch_overlap(patch, 0.0);
        for (int32_t i = 0; i < patch->count; ++i)
            if (patch->list[i].p.z < lowest->p.z) {
                *lowest = patch->list[i];
                best = f;
            }
    }
    lowest->share = 0.0;
    patch->incident_face = best >= 0 ? best : first;
    *found = best >= 0;
    return STIC_OK;
}

/* ---- area ---- */

// area of the polygon, which runs clockwise in the face, and its centroid
static double area_of(const SticPatch* patch, double centroid[2])
{
    double area = 0.0, moment[2] = {0.0, 0.0};
    const SticVec3 o = patch->list[0].p;
    double ax = patch->list[1].p.x - o.x, ay = patch->list[1].p.y - o.y;
    for (int32_t i = 2; i < patch->count; ++i) {
        const double bx = patch->list[i].p.x - o.x, by = patch->list[i].p.y - o.y;
        const double part = 0.5 * (ay * bx - ax * by);
        area += part;
        moment[0] += part * (ax + bx);
        moment[1] += part * (ay + by);
        ax = bx;
        ay = by;
    }
    const double scale = area > 0.0 ? 1.0 / (3.0 * area) : 0.0;
    centroid[0] = o.x + scale * moment[0];
    centroid[1] = o.y + scale * moment[1];
    return area > 0.0 ? area : 0.0;
}

double stic_patch_area(SticPatch* patch, double reach)
{
    double centroid[2];
    if (patch->fuzzy)
        stic_patch_overlap(patch, 0.0);
    for (int32_t i = 0; i < patch->count; ++i)
        patch->list[i].height = patch->list[i].p.z - reach;
    cut(patch, 0, 0.0);
    return patch->count < 3 ? 0.0 : area_of(patch, centroid);
}

void stic_patch_share(SticPatch* patch)
{
    double centroid[2];
    SticCorner* list = patch->list;
    if (patch->count < 3) {
        for (int32_t i = 0; i < patch->count; ++i)
            list[i].share = 0.0;
        return;
    }
    area_of(patch, centroid);
    SticCorner* last = &list[patch->count - 1];
    double ax = last->p.x - centroid[0], ay = last->p.y - centroid[1], before = 0.0;
    for (int32_t i = 0; i < patch->count; ++i) {
        const double bx = list[i].p.x - centroid[0], by = list[i].p.y - centroid[1];
        const double half = 0.25 * fabs(ay * bx - ax * by);
        // the share from the side before, and half of this one's
        last->share = before + half;
        before = half;
        last = &list[i];
        ax = bx;
        ay = by;
    }
    last->share += before;
}

/* ---- corners ---- */

SticCornerKind stic_corner_kind(const SticCorner* corner)
{
    if (corner->vertex >= 0)
        return STIC_CORNER_VERTEX;
    return (corner->before & corner->after) < 0 ? STIC_CORNER_REFERENCE : STIC_CORNER_CROSSING;
}

// neighbours that coincide: the one of higher kind is dropped
void stic_patch_merge(SticPatch* patch)
{
    const double same2 = patch->same * patch->same;
    for (int32_t i = 0; i < patch->count && patch->count > 1;) {
        const int32_t j = i + 1 < patch->count ? i + 1 : 0;
        const double apart2 = stic_vec3_norm2(stic_vec3_sub(patch->list[i].p, patch->list[j].p));
        if (apart2 > same2) {
            ++i;
            continue;
        }
        const bool later = stic_corner_kind(&patch->list[j]) >= stic_corner_kind(&patch->list[i]);
        const int32_t gone = later ? j : i;
        patch->fuzzy = patch->fuzzy || apart2 > ROUNDING_PART * ROUNDING_PART * same2;
        for (int32_t k = gone; k + 1 < patch->count; ++k)
            patch->list[k] = patch->list[k + 1];
        patch->count -= 1;
        i = gone < i ? i - 1 : i;
    }
}

// the loss of hull by a dropped corner is added to the earlier loss of its two sides
void stic_patch_reduce(SticPatch* patch)
{
    const double near = REDUCE_PART / STIC_SAME_PART * patch->same;
    SticCorner* list = patch->list;
    for (int32_t i = 0; i < patch->count; ++i)
        list[i].height = 0.0; // lost on the side from here to the next corner
    for (int32_t i = 0; i < patch->count && patch->count > 3;) {
        SticCorner* last = &list[(i + patch->count - 1) % patch->count];
        const SticVec3 b = list[(i + 1) % patch->count].p;
        const SticVec3 e = stic_vec3_normalize(stic_vec3_sub(b, last->p));
        const double before = last->height > list[i].height ? last->height : list[i].height;
        const double lost =
            before + stic_vec3_norm(stic_vec3_cross(e, stic_vec3_sub(list[i].p, last->p)));
        if (lost > near) {
            ++i;
            continue;
        }
        patch->fuzzy = true;
        last->height = lost;
        for (int32_t k = i; k + 1 < patch->count; ++k)
            list[k] = list[k + 1];
        patch->count -= 1;
    }
}

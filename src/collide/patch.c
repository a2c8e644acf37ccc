// SPDX-License-Identifier: Apache-2.0
// Overlap of two faces of convex polyhedra, seen along the normal of one of them.
//
// The incident face, the one that looks most against the reference face among those at the deepest
// vertex, is cut by the planes through the sides of the reference face (Sutherland & Hodgman 1974).
// Its vertices are brought into the frame of the reference polyhedron, where planes and sides are
// known; only a deformed reference is placed as a whole.
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

#include <math.h>

/// A corner that is dropped on request lies within this part of the size of the hull of the others.
#define REDUCE_PART 1e-3

/* ---- frame and faces ---- */

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
            // in case of a tie the lower number, whatever the order around the vertex
            if ((here < least || (here == least && f < best)) && stic_face_counts(p, f)) {
                least = here;
                best = f;
            }
        }
    return best;
}

// a sliver far from the deepest vertex may look more against n than the faces there
static int32_t face_against(const SticPolyhedron* p, const SticPlane* plane, int32_t deepest,
                            SticVec3 n)
{
    int32_t best = face_around(p, plane, deepest, n);
    double least = 0.0;
    // all faces there may be internal
    for (int32_t f = 0; f < p->face_count && best < 0; ++f) {
        const double here = stic_vec3_dot(plane[f].normal, n);
        if (here < least && stic_face_counts(p, f)) {
            least = here;
            best = f;
        }
    }
    return best;
}

int32_t stic_hull_face_against(const SticHull* hull, SticVec3 n)
{
    const SticPolyhedron* p = hull->topology;
    if (!hull->rigid)
        return face_against(p, hull->plane, stic_hull_support(hull, stic_vec3_neg(n)), n);
    const SticVec3 d = hull->moved ? stic_mat3_transpose_mul_vec(hull->F, n) : n;
    return face_against(p, p->plane, stic_polyhedron_support(p, stic_vec3_neg(d), 0), d);
}

// place of the incident polyhedron in the frame of the patch
static void look_from(SticPatch* patch)
{
    const SticHull *R = patch->reference, *I = patch->incident;
    patch->rigid = I->rigid;
    patch->F = I->F;
    patch->origin = I->origin;
    patch->vertex = R->rigid ? R->topology->vertex : R->vertex;
    if (!R->rigid || !R->moved)
        return;
    patch->F = I->moved ? stic_mat3_transpose_mul(R->F, I->F) : stic_mat3_transpose(R->F);
    patch->origin = stic_mat3_transpose_mul_vec(R->F, stic_vec3_sub(I->origin, R->origin));
}

// outward directions of the sides of the reference face, if they are not known
static SticStatus find_sides(SticArena* arena, SticPatch* patch)
{
    const SticPolyhedron* q = patch->reference->topology;
    const int32_t from = q->face_begin[patch->face], to = q->face_begin[patch->face + 1];
    if (patch->reference->rigid && q->face_side != NULL) {
        patch->across = q->face_side + from;
        return STIC_OK;
    }
    SticVec3* across;
    STIC_TRY(STIC_TAKE(arena, &across, to - from));
    for (int32_t k = from; k < to; ++k) {
        const SticVec3 a = patch->vertex[q->face_vertex[k]];
        const SticVec3 b = patch->vertex[q->face_vertex[k + 1 < to ? k + 1 : from]];
        across[k - from] = stic_vec3_normalize(stic_vec3_cross(stic_vec3_sub(b, a), patch->normal));
    }
    patch->across = across;
    return STIC_OK;
}

SticStatus stic_patch_open(SticArena* arena, const SticHull hull[2], int32_t side, int32_t face,
                           SticPatch* patch)
{
    const SticHull *R = &hull[side], *I = &hull[1 - side];
    const SticPlane plane = R->rigid ? R->topology->plane[face] : R->plane[face];
    *patch = (SticPatch){.reference = R,
                         .incident = I,
                         .side = side,
                         .face = face,
                         .normal = plane.normal,
                         .offset = plane.offset,
                         .same = STIC_SAME_PART * (R->size < I->size ? R->size : I->size)};
    look_from(patch);
    const SticVec3 n = R->rigid && R->moved ? stic_mat3_mul_vec(R->F, plane.normal) : plane.normal;
    patch->incident_face = stic_hull_face_against(I, n);
    if (patch->incident_face < 0)
        return STIC_OK;
    const int32_t* begin = I->topology->face_begin + patch->incident_face;
    const int32_t* other = R->topology->face_begin + face;
    const int32_t room = begin[1] - begin[0] + other[1] - other[0] + 1;
    STIC_TRY(STIC_TAKE(arena, &patch->list, 2 * room));
    patch->spare = patch->list + room;
    return find_sides(arena, patch);
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

// one cut; corners with height <= tolerance stay
static void cut(SticPatch* patch, int32_t line, double tolerance)
{
    int32_t count = 0;
    SticCorner* out = patch->spare;
    for (int32_t i = 0; i < patch->count; ++i) {
        SticCorner here = patch->list[i];
        const SticCorner* next = &patch->list[i + 1 < patch->count ? i + 1 : 0];
        const SticCorner* last = &patch->list[i > 0 ? i - 1 : patch->count - 1];
        const bool in = here.height <= tolerance, next_in = next->height <= tolerance;
        // a corner on the line serves as the crossing
        if (in && !next_in && here.height >= -tolerance)
            here.after = line;
        if (in && !(last->height <= tolerance) && here.height >= -tolerance)
            here.before = line;
        if (in) {
            patch->fuzzy = patch->fuzzy || here.height > 0.0;
            out[count++] = here;
        }
        if (in == next_in)
            continue;
        if ((in ? here.height : next->height) >= -tolerance) {
            patch->fuzzy = true;
            continue;
        }
        const double t = here.height / (here.height - next->height);
        out[count++] = (SticCorner){.p = stic_vec3_lerp(here.p, next->p, t),
                                    .vertex = -1,
                                    .before = in ? here.after : line,
                                    .after = in ? line : here.after};
    }
    patch->spare = patch->list;
    patch->list = out;
    patch->count = count;
}

static void load_face(SticPatch* patch)
{
    const SticPolyhedron* p = patch->incident->topology;
    const int32_t begin = p->face_begin[patch->incident_face];
    const int32_t end = p->face_begin[patch->incident_face + 1];
    const bool moved = patch->reference->moved || patch->incident->moved;
    patch->count = end - begin;
    for (int32_t k = begin; k < end; ++k) {
        const SticVec3 X = p->vertex[p->face_vertex[k]];
        patch->list[k - begin] = (SticCorner){.p = moved ? stic_patch_placed(patch, X) : X,
                                              .vertex = p->face_vertex[k],
                                              .before = p->face_edge[k > begin ? k - 1 : end - 1],
                                              .after = p->face_edge[k]};
    }
}

void stic_patch_overlap(SticPatch* patch, double tolerance)
{
    const SticPolyhedron* q = patch->reference->topology;
    const int32_t from = q->face_begin[patch->face], to = q->face_begin[patch->face + 1];
    load_face(patch);
    patch->flat = false;
    for (int32_t k = from; k < to && patch->count > 0; ++k) {
        const SticVec3 a = patch->vertex[q->face_vertex[k]], outward = patch->across[k - from];
        double highest = -(double)INFINITY, deepest = 0.0;
        for (int32_t i = 0; i < patch->count; ++i) {
            const double h = stic_vec3_dot(outward, stic_vec3_sub(patch->list[i].p, a));
            patch->list[i].height = h;
            highest = h > highest ? h : highest;
            deepest = h < deepest ? h : deepest;
        }
        // corners above the line go, the lowest stays
        if (highest > 0.0)
            cut(patch, -1 - q->face_edge[k], tolerance);
        patch->flat = patch->flat || deepest >= -patch->same;
    }
}

/* ---- area ---- */

// area of the polygon seen along the normal, and its centroid
static double area_of(const SticPatch* patch, SticVec3* centroid)
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

double stic_patch_area(SticPatch* patch, double reach)
{
    SticVec3 centroid;
    if (patch->fuzzy)
        stic_patch_overlap(patch, 0.0);
    for (int32_t i = 0; i < patch->count; ++i)
        patch->list[i].height =
            stic_vec3_dot(patch->normal, patch->list[i].p) - patch->offset - reach;
    cut(patch, 0, 0.0);
    return patch->count < 3 ? 0.0 : area_of(patch, &centroid);
}

void stic_patch_share(SticPatch* patch)
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

/* ---- corners ---- */

SticCornerKind stic_corner_kind(const SticCorner* corner)
{
    if (corner->vertex >= 0)
        return STIC_CORNER_VERTEX;
    return corner->before < 0 && corner->after < 0 ? STIC_CORNER_REFERENCE : STIC_CORNER_CROSSING;
}

// neighbours that are one point: the one of higher kind goes
void stic_patch_merge(SticPatch* patch)
{
    const double same2 = patch->same * patch->same;
    for (int32_t i = 0; i < patch->count && patch->count > 1;) {
        const int32_t j = i + 1 < patch->count ? i + 1 : 0;
        if (stic_vec3_norm2(stic_vec3_sub(patch->list[i].p, patch->list[j].p)) > same2) {
            ++i;
            continue;
        }
        const bool later = stic_corner_kind(&patch->list[j]) >= stic_corner_kind(&patch->list[i]);
        const int32_t gone = later ? j : i;
        patch->fuzzy = true;
        for (int32_t k = gone; k + 1 < patch->count; ++k)
            patch->list[k] = patch->list[k + 1];
        patch->count -= 1;
        i = gone < i ? i - 1 : i;
    }
}

// what a dropped corner takes from the hull adds up with what its two sides had lost before
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

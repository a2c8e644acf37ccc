// SPDX-License-Identifier: Apache-2.0
// Features of convex parts along a direction.
//
// The normal of a contact says what touches: a flat if it is its normal, a side or an edge if it is
// normal to that, else a point. Two answers are given. stic_feature_code is the only feature up to
// rounding, a name for a single point. stic_feature_of also takes features that lean by up to
// STIC_LEAN: bodies that rest on each other touch with the whole feature, and the parts of it that
// are out of reach are left out later, by their own gaps. So a side has both its ends, and a cap
// its rim, as long as they are within reach.
#include "collide/feature.h"

#include <math.h>

#include "math/math.h"
#include "stiction/extend/base.h"

static int32_t code_of(SticFeatureKind kind, int32_t number)
{
    return number << 2 | (int32_t)(kind < STIC_FEATURE_POLYGON ? kind : STIC_FEATURE_POLYGON);
}

/* ---- round parts ---- */

static void cap_of(const SticPart* part, const SticPose* pose, int32_t end, SticFeature* feature)
{
    const double sign = end == 1 ? 1.0 : -1.0, h = part->shape->as.cylinder.half_height;
    feature->kind = STIC_FEATURE_DISC;
    feature->code = code_of(STIC_FEATURE_DISC, end);
    feature->end = end;
    feature->x[0] = stic_pose_apply(pose, stic_vec3(0.0, 0.0, sign * h));
    feature->normal = stic_vec3_scale(sign, stic_mat3_column(pose->F, 2));
    feature->u = stic_mat3_column(pose->F, 0);
    feature->v = stic_mat3_column(pose->F, 1);
    feature->radius = part->shape->as.cylinder.radius;
}

static void side_of(const SticPose* pose, double h, double radius, bool ball, SticFeature* feature)
{
    feature->kind = STIC_FEATURE_SEGMENT;
    feature->code = code_of(STIC_FEATURE_SEGMENT, 2);
    feature->x[0] = stic_pose_apply(pose, stic_vec3(0.0, 0.0, -h));
    feature->x[1] = stic_pose_apply(pose, stic_vec3(0.0, 0.0, h));
    feature->radius = radius;
    feature->ball = ball;
}

SticVec3 stic_feature_rim(const SticFeature* disc, int k)
{
    STIC_ASSERT(k >= 0);
    double sine, cosine;
    stic_sincos(2.0 * STIC_PI * k / STIC_RIM, &sine, &cosine);
    const SticVec3 x = stic_vec3_add_scaled(disc->x[0], disc->radius * cosine, disc->u);
    return stic_vec3_add_scaled(x, disc->radius * sine, disc->v);
}

bool stic_feature_low(const SticFeature* disc, SticVec3 down, double same, SticVec3* low)
{
    const double a = stic_vec3_dot(disc->u, down), b = stic_vec3_dot(disc->v, down);
    const double across = sqrt(a * a + b * b);
    // how much lower it is than the lowest of the fixed points, at worst
    const double part = 1.0 - 0.92387953251128674; // cos(pi / STIC_RIM)
    if (!(disc->radius * across * part > same))
        return false;
    const SticVec3 x = stic_vec3_add_scaled(disc->x[0], disc->radius * a / across, disc->u);
    *low = stic_vec3_add_scaled(x, disc->radius * b / across, disc->v);
    return true;
}

/* ---- polyhedra ---- */

// a polyhedron and a direction to look along, in the frame of the polyhedron if it is rigid
typedef struct Sight {
    const SticPolyhedron* p;
    SticVec3 d;        // unit
    SticVec3 farthest; // the same for support points
    SticMat3 F, cofactor;
    bool rigid;
} Sight;

static Sight sight_of(const SticPart* part, const SticPose* pose, SticVec3 n)
{
    Sight sight = {.p = part->polyhedron, .rigid = pose->rigid, .F = pose->F};
    sight.farthest = stic_mat3_transpose_mul_vec(pose->F, n);
    sight.d = pose->rigid ? sight.farthest : n;
    if (!pose->rigid)
        sight.cofactor = stic_mat3_cofactor(pose->F);
    return sight;
}

static SticVec3 normal_of(const Sight* sight, int32_t face)
{
    const SticVec3 n = sight->p->plane[face].normal;
    return sight->rigid ? n : stic_vec3_normalize(stic_mat3_mul_vec(sight->cofactor, n));
}

// whether the direction lies between the normals of the two faces of an edge: always for the edges
// of a polyhedron that are farthest along it, not for those of a triangle, whose neighbours matter
static bool in_arc(const Sight* sight, int32_t edge, double sine)
{
    const SticEdge* here = &sight->p->edge[edge];
    const SticVec3 a = normal_of(sight, here->face[0]), b = normal_of(sight, here->face[1]);
    const SticVec3 across = stic_vec3_cross(a, b);
    const double slack = -sine * stic_vec3_norm(across);
    return stic_vec3_dot(stic_vec3_cross(sight->d, b), across) >= slack &&
           stic_vec3_dot(stic_vec3_cross(a, sight->d), across) >= slack;
}

// the face whose normal is nearest to the direction, at least up to a sine, or -1
static int32_t face_along(const Sight* sight, double sine)
{
    const SticPolyhedron* p = sight->p;
    int32_t best = -1;
    double least = sine;
    for (int32_t f = 0; f < p->face_count; ++f) {
        if (p->face_begin[f + 1] == p->face_begin[f])
            continue;
        const SticVec3 n = normal_of(sight, f);
        if (stic_vec3_dot(n, sight->d) <= 0.0)
            continue;
        const double here = stic_vec3_norm(stic_vec3_cross(n, sight->d));
        if (here <= least) {
            least = here;
            best = f;
        }
    }
    return best;
}

// the edge at the farthest vertex that is most across the direction, or -1
static int32_t edge_across(const Sight* sight, double sine, int32_t* vertex)
{
    const SticPolyhedron* p = sight->p;
    int32_t best = -1;
    double least = sine;
    const int32_t v = stic_polyhedron_support(p, sight->farthest, 0);
    for (int32_t k = p->vertex_begin[v]; k < p->vertex_begin[v + 1]; ++k) {
        SticVec3 e = stic_vec3_sub(p->vertex[p->vertex_neighbour[k]], p->vertex[v]);
        e = sight->rigid ? e : stic_mat3_mul_vec(sight->F, e);
        const double here = fabs(stic_vec3_dot(e, sight->d)) / stic_vec3_norm(e);
        if (here <= least) {
            least = here;
            best = p->vertex_edge[k];
        }
    }
    *vertex = v;
    return best;
}

static SticStatus face_feature(SticPairWork* work, const Sight* sight, const SticPose* pose,
                               int32_t face, SticFeature* feature)
{
    const SticPolyhedron* p = sight->p;
    const int32_t begin = p->face_begin[face], end = p->face_begin[face + 1];
    const SticVec3 n = normal_of(sight, face);
    SticVec3* corner;
    STIC_TRY(STIC_TAKE(work->arena, &corner, end - begin));
    for (int32_t k = begin; k < end; ++k)
        corner[k - begin] = stic_pose_apply(pose, p->vertex[p->face_vertex[k]]);
    *feature = (SticFeature){.kind = STIC_FEATURE_POLYGON,
                             .code = code_of(STIC_FEATURE_POLYGON, face),
                             .normal = pose->rigid ? stic_mat3_mul_vec(pose->F, n) : n,
                             .p = corner,
                             .count = end - begin,
                             .polyhedron = p,
                             .face = face};
    return STIC_OK;
}

static SticStatus polyhedron_feature(SticPairWork* work, const Sight* sight, const SticPose* pose,
                                     double sine, SticFeature* feature)
{
    const SticPolyhedron* p = sight->p;
    const int32_t face = face_along(sight, sine);
    if (face >= 0)
        return stic_hull_face_counts(p, face) ? face_feature(work, sight, pose, face, feature)
                                              : STIC_OK;
    int32_t vertex;
    const int32_t edge = edge_across(sight, STIC_LEAN, &vertex);
    if (edge < 0 || !stic_edge_counts(p, edge) || !in_arc(sight, edge, STIC_LEAN))
        return STIC_OK;
    feature->kind = STIC_FEATURE_SEGMENT;
    feature->code = code_of(STIC_FEATURE_SEGMENT, edge);
    for (int k = 0; k < 2; ++k)
        feature->x[k] = stic_pose_apply(pose, p->vertex[p->edge[edge].vertex[k]]);
    return STIC_OK;
}

static bool polyhedron_code(const SticPart* part, const SticPose* pose, SticVec3 n, double sine,
                            int32_t* code)
{
    const SticPolyhedron* p = part->polyhedron;
    const Sight sight = sight_of(part, pose, n);
    int32_t vertex;
    const int32_t face = face_along(&sight, sine);
    if (face >= 0) {
        *code = code_of(STIC_FEATURE_POLYGON, face);
        return stic_hull_face_counts(p, face);
    }
    const int32_t edge = edge_across(&sight, sine, &vertex);
    if (edge >= 0) {
        *code = code_of(STIC_FEATURE_SEGMENT, edge);
        return stic_edge_counts(p, edge) && in_arc(&sight, edge, sine);
    }
    *code = code_of(STIC_FEATURE_POINT, vertex);
    return stic_vertex_counts(p, vertex);
}

/* ---- all ---- */

SticStatus stic_feature_of(SticPairWork* work, const SticPart* part, const SticPose* pose,
                           SticVec3 n, double sine, SticFeature* feature)
{
    *feature = (SticFeature){.kind = STIC_FEATURE_POINT};
    if (part->polyhedron != NULL) {
        const Sight sight = sight_of(part, pose, n);
        return polyhedron_feature(work, &sight, pose, sine, feature);
    }
    if (stic_part_is(part, STIC_SHAPE_CAPSULE) && part->shape->as.capsule.half_length > 0.0) {
        side_of(pose, part->shape->as.capsule.half_length, part->shape->as.capsule.radius, true,
                feature);
    } else if (stic_part_is(part, STIC_SHAPE_CYLINDER)) {
        const SticVec3 d = stic_mat3_transpose_mul_vec(pose->F, n);
        if (sqrt(d.x * d.x + d.y * d.y) <= STIC_LEAN)
            cap_of(part, pose, d.z > 0.0, feature);
        else
            side_of(pose, part->shape->as.cylinder.half_height, part->shape->as.cylinder.radius,
                    false, feature);
    }
    return STIC_OK;
}

bool stic_feature_code(const SticPart* part, const SticPose* pose, SticVec3 n, double sine,
                       int32_t* code)
{
    *code = code_of(STIC_FEATURE_POINT, 0);
    if (part->polyhedron != NULL)
        return polyhedron_code(part, pose, n, sine, code);
    const bool cylinder = stic_part_is(part, STIC_SHAPE_CYLINDER);
    if (!cylinder && !stic_part_is(part, STIC_SHAPE_CAPSULE))
        return true;
    const SticVec3 d = stic_mat3_transpose_mul_vec(pose->F, n);
    const int32_t end = d.z > 0.0;
    if (fabs(d.z) <= sine)
        *code = code_of(STIC_FEATURE_SEGMENT, 2);
    else if (cylinder && sqrt(d.x * d.x + d.y * d.y) <= sine)
        *code = code_of(STIC_FEATURE_DISC, end);
    else
        *code = code_of(STIC_FEATURE_POINT, end);
    return true;
}

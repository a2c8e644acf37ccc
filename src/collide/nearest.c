// SPDX-License-Identifier: Apache-2.0
// The contact of the nearest points of two parts, one of which is round.
//
// The kernel is that of the features there: balls and sides by centre, axis and radius, so that
// they keep their gap as they roll; a flat by its plane; anything else by the tangent plane of the
// side that curves under the other. Borders inside compounds and meshes are not touched.
#include "collide/freeze.h"

// one side of a single contact
typedef struct Touching {
    SticFeatureKind kind;
    int32_t code;
    double radius;   // of the ball or side it belongs to, else 0
    bool ball;       // that radius is a ball's
    SticVec3 centre; // of the ball, or on the axis of the side; the point itself if there is none
    SticVec3 line;   // of a side or edge
} Touching;

static SticVec3 line_of(const SticPart* part, const SticPose* pose, int32_t code)
{
    if (part->polyhedron == NULL)
        return stic_mat3_column(pose->F, 2);
    const SticPolyhedron* p = part->polyhedron;
    const int32_t* v = p->edge[code >> 2].vertex;
    return stic_vec3_normalize(
        stic_mat3_mul_vec(pose->F, stic_vec3_sub(p->vertex[v[1]], p->vertex[v[0]])));
}

static bool touching(const SticSides* sides, const SticNearest* near, int k, Touching* t)
{
    const SticPart* part = sides->part[k];
    const SticPose* pose = &sides->pose[k];
    // from the surface inwards
    const SticVec3 in = k == 0 ? near->n : stic_vec3_neg(near->n);
    *t = (Touching){.centre = k == 0 ? near->a : near->b};
    const bool counts = stic_feature_code(part, pose, stic_vec3_neg(in), near->sine, &t->code);
    t->kind = stic_code_kind(t->code);
    const bool side = t->kind == STIC_FEATURE_SEGMENT && part->polyhedron == NULL;
    t->ball =
        stic_part_is(part, STIC_SHAPE_SPHERE) || (stic_part_is(part, STIC_SHAPE_CAPSULE) && !side);
    if (side || t->ball)
        t->radius = part->shape->kind == STIC_SHAPE_SPHERE    ? part->shape->as.sphere.radius
                    : part->shape->kind == STIC_SHAPE_CAPSULE ? part->shape->as.capsule.radius
                                                              : part->shape->as.cylinder.radius;
    if (t->kind == STIC_FEATURE_SEGMENT)
        t->line = line_of(part, pose, t->code);
    t->centre = stic_vec3_add_scaled(t->centre, t->radius, in);
    return counts;
}

// two balls frozen on the axes of sides that cross, or on a side and an edge
static SticStatus put_balls(SticPairWork* work, const SticSides* sides, const Touching t[2],
                            uint64_t feature)
{
    SticContact contact = {.kernel = STIC_CONTACT_ROUND, .feature = feature};
    for (int k = 0; k < 2; ++k) {
        stic_vec3_store(stic_to_local(&sides->pose[k], t[k].centre), contact.local + 3 * k);
        contact.local[6 + k] = t[k].radius;
    }
    return stic_contact_put(work, &contact, sides->slack);
}

// normal and a point of the flat that is touched along `n`
static void read_flat(const SticSides* sides, int r, int32_t code, SticBallTouch* touch)
{
    const SticPart* part = sides->part[r];
    const SticPose* pose = &sides->pose[r];
    const int32_t number = code >> 2;
    SticVec3 normal = stic_vec3(0.0, 0.0, number == 1 ? 1.0 : -1.0), base;
    if (part->polyhedron != NULL) {
        const SticPolyhedron* p = part->polyhedron;
        normal = p->plane[number].normal;
        base = p->vertex[p->face_vertex[p->face_begin[number]]];
    } else {
        base = stic_vec3_scale(part->shape->as.cylinder.half_height, normal);
    }
    touch->normal =
        pose->rigid ? stic_mat3_mul_vec(pose->F, normal)
                    : stic_vec3_normalize(stic_mat3_mul_vec(stic_mat3_cofactor(pose->F), normal));
    touch->base = stic_pose_apply(pose, base);
}

// which side a plane is frozen in: a flat, else the one that curves under a corner
static int plane_side(const SticSides* sides, const Touching t[2])
{
    if (t[0].kind >= STIC_FEATURE_DISC || t[1].kind >= STIC_FEATURE_DISC)
        return t[0].kind > t[1].kind ? 0 : 1;
    if (t[0].ball != t[1].ball)
        return t[0].ball ? 1 : 0;
    return sides->part[0]->polyhedron == NULL && sides->part[1]->polyhedron != NULL ? 0 : 1;
}

static bool is_corner(const SticPart* part, const Touching* t)
{
    return part->polyhedron != NULL && t->kind == STIC_FEATURE_POINT;
}

SticStatus stic_nearest_touch(SticPairWork* work, const SticSides* sides, const SticNearest* near)
{
    Touching t[2];
    // a border inside a compound or mesh is not touched
    if (!touching(sides, near, 0, &t[0]) || !touching(sides, near, 1, &t[1]))
        return STIC_OK;
    const uint64_t feature = stic_feature(STIC_LYING_NEAREST, 0, t[0].code, t[1].code, 0);
    // the distance means nothing where the axes meet or have passed each other
    const bool deep = near->apart < -STIC_LYING_DEEP * (t[0].radius + t[1].radius);
    const bool line[2] = {t[0].kind == STIC_FEATURE_SEGMENT, t[1].kind == STIC_FEATURE_SEGMENT};
    const bool corner[2] = {is_corner(sides->part[0], &t[0]), is_corner(sides->part[1], &t[1])};
    if (!deep && ((line[0] && line[1]) || (t[0].ball && corner[1]) || (t[1].ball && corner[0])))
        return put_balls(work, sides, t, feature);
    // a line with a radius, or one without under a ball
    for (int r = 1; r >= 0 && !deep; --r)
        if (line[r] && t[1 - r].kind == STIC_FEATURE_POINT &&
            (t[r].radius > 0.0 || t[1 - r].ball)) {
            const SticBallTouch ball = {.a = 1 - r,
                                        .centre = t[1 - r].centre,
                                        .base = t[r].centre,
                                        .radius = t[1 - r].radius,
                                        .feature = feature};
            return stic_freeze_ball_on_line(work, sides, &ball, t[r].line, t[r].radius);
        }
    const int r = plane_side(sides, t), i = 1 - r;
    SticBallTouch touch = {.a = i,
                           .centre = t[i].ball ? t[i].centre
                                     : i == 0  ? near->a
                                               : near->b,
                           .radius = t[i].ball ? t[i].radius : 0.0,
                           .base = i == 0 ? near->b : near->a,
                           .normal = r == 1 ? near->n : stic_vec3_neg(near->n),
                           .feature = feature,
                           .whole = t[r].kind == STIC_FEATURE_POLYGON};
    if (t[r].kind >= STIC_FEATURE_DISC)
        read_flat(sides, r, t[r].code, &touch);
    return stic_freeze_ball_on_plane(work, sides, &touch);
}

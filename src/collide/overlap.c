// SPDX-License-Identifier: Apache-2.0
// Where features lie along each other: the contacts of sides, caps and faces.
//
//   side or edge on a flat     the ends of the part over the flat
//   cap on a face              points of the rim over the face, corners of the face under the cap,
//                              and where the rim crosses a side
//   cap on a cap               the same with two rims
//   side along a side or edge  the ends of the part they have in common
// Each is a pair of features with a gap of its own, and pairs out of reach are left out, so that
// bodies that lean have the same contacts as those that lie flat, from the moment they come within
// reach. Ends that coincide up to STIC_SAME_PART belong to the first of the two, so that rounding
// does not decide.
//
// A cap stands on STIC_RIM = 8 points of its rim, fixed in the cylinder: contacts keep their places
// while it stands. The moment at which it begins to tip is too small by 1 - cos(pi/8) = 7.6 % at
// worst, 2.6 % in the mean over directions. If it leans so much that the lowest point of the rim is
// lower than these by more than STIC_SAME_PART, it stands on that point too, and the fixed points
// around it, which would only come and go as the cap rolls, are left out. The area of a patch is
// that of the disc over the face or the other disc; points share it equally.
//
// Sides are frozen by their axis and radius, not by the line of the surface that touches now: a
// cylinder that rolls keeps its gap. An end that leans by more than STIC_SAME_PART has the lowest
// point of its rim instead.
#include "collide/freeze.h"

#include <math.h>

#include "math/math.h"
#include "stiction/extend/base.h"

/// Cosine of the angle about the lowest point of a rim in which there are no fixed points: twice
/// their distance.
#define NEAR_LOW 0.70710678118654752
/// Sine of the angle below which sides have ends in common.
#define ALONG 0.1
/// Sine of the angle between a segment and a flat up to which both ends of the part over it carry
/// load, slope up to which one of them is then a pair of features, and least sine between segment
/// and side.
#define LEAN 1e-2
/// Sine of the angle up to which crossings that are not pairs carry load: they slide along the
/// border.
#define FLAT_LEAN 1e-4
/// Sine of the angle between normals that are not the same.
#define TURNED 1e-5
/// Sine of the angle up to which a side is level: the radius of its ends is wrong by 5e-15 of it.
#define LEVEL 1e-7
/// Part of the radius that an axis must be above a side to pass it.
#define LEAST_HEIGHT 0.1

enum { AT_RIM = 8, AT_CIRCLE = 1 << 17 };

static double least(double a, double b)
{
    return a < b ? a : b;
}

static double most(double a, double b)
{
    return a > b ? a : b;
}

/* ---- a segment on a flat ---- */

// a point of the flat's border or the flat itself; of a half-space any point
static SticVec3 base_of(const SticFeature* flat)
{
    return flat->kind == STIC_FEATURE_POLYGON ? flat->p[0] : flat->x[0];
}

// the part of the segment from s[0] to s[1] that is kept, and what ends it; -1: the segment itself
typedef struct Kept {
    double t[2];
    int32_t line[2];
} Kept;

// outward direction of side k of a polygon with the normal m
static SticVec3 outward_of(const SticFeature* polygon, int32_t k)
{
    const SticVec3 a = polygon->p[k], b = polygon->p[k + 1 < polygon->count ? k + 1 : 0];
    return stic_vec3_normalize(stic_vec3_cross(stic_vec3_sub(b, a), polygon->normal));
}

static bool keep_in_polygon(const SticFeature* polygon, const SticVec3 s[2], double same,
                            Kept* kept)
{
    for (int32_t k = 0; k < polygon->count; ++k) {
        const SticVec3 out = outward_of(polygon, k);
        const double u = stic_vec3_dot(out, stic_vec3_sub(s[0], polygon->p[k]));
        const double v = stic_vec3_dot(out, stic_vec3_sub(s[1], polygon->p[k]));
        if (u > same && v > same)
            return false;
        if (u > same && u / (u - v) > kept->t[0]) {
            kept->t[0] = u / (u - v);
            kept->line[0] = k;
        }
        if (v > same && u / (u - v) < kept->t[1]) {
            kept->t[1] = u / (u - v);
            kept->line[1] = k;
        }
    }
    return true;
}

// seen along the normal of the disc
static SticVec3 over_disc(const SticFeature* disc, SticVec3 x)
{
    const SticVec3 d = stic_vec3_sub(x, disc->x[0]);
    return stic_vec3_add_scaled(d, -stic_vec3_dot(d, disc->normal), disc->normal);
}

static bool keep_in_disc(const SticFeature* disc, const SticVec3 s[2], double same, Kept* kept)
{
    const SticVec3 a = over_disc(disc, s[0]), b = over_disc(disc, s[1]), e = stic_vec3_sub(b, a);
    const double ee = stic_vec3_norm2(e), ae = stic_vec3_dot(a, e), r = disc->radius;
    const bool in[2] = {stic_vec3_norm(a) <= r + same, stic_vec3_norm(b) <= r + same};
    const double root2 = ae * ae - ee * (stic_vec3_norm2(a) - r * r);
    if (in[0] && in[1])
        return true;
    if (!(root2 > 0.0) || !(ee > 0.0))
        return false;
    const double root = sqrt(root2);
    for (int k = 0; k < 2; ++k)
        if (!in[k]) {
            kept->t[k] = (-ae + (k == 0 ? -root : root)) / ee;
            kept->line[k] = AT_CIRCLE;
        }
    return kept->t[0] < 1.0 && kept->t[1] > 0.0;
}

// sides beyond which another triangle continues in the same plane
static bool goes_on(const SticFeature* polygon, int32_t side)
{
    const SticPolyhedron* p = polygon->polyhedron;
    const int32_t edge = p->face_edge[p->face_begin[polygon->face] + side];
    return ((p->face_flag[p->edge[edge].face[0]] | p->face_flag[p->edge[edge].face[1]]) &
            STIC_FACE_FLAT) != 0;
}

// the line of the surface that is lowest over the flat; true if axis and radius can stand for it
static bool lowest_line(const SticFeature* segment, SticVec3 m, SticVec3 s[2])
{
    const SticVec3 e = stic_vec3_normalize(stic_vec3_sub(segment->x[1], segment->x[0]));
    const double rise = stic_vec3_dot(e, m);
    const bool side = !segment->ball && segment->radius > 0.0;
    SticVec3 down = stic_vec3_neg(m);
    if (side)
        down = stic_vec3_normalize(stic_vec3_add_scaled(down, rise, e));
    for (int k = 0; k < 2; ++k)
        s[k] = stic_vec3_add_scaled(segment->x[k], segment->radius, down);
    return !side || fabs(rise) <= LEVEL;
}

// where the lines of an axis and of a side pass each other
typedef struct Passing {
    SticVec3 x[2]; // nearest points of the two
    double t, u;   // on the segment and on the side, 0 to 1
    double sine2;  // of the angle between them
} Passing;

static Passing pass(const SticVec3 s[2], const SticFeature* face, int32_t k)
{
    const SticVec3 side[2] = {face->p[k], face->p[k + 1 < face->count ? k + 1 : 0]};
    const SticVec3 d = stic_vec3_sub(s[1], s[0]), e = stic_vec3_sub(side[1], side[0]);
    const SticVec3 o = stic_vec3_sub(s[0], side[0]);
    const double dd = stic_vec3_norm2(d), ee = stic_vec3_norm2(e), de = stic_vec3_dot(d, e);
    const double f = stic_vec3_dot(d, o), g = stic_vec3_dot(e, o), det = dd * ee - de * de;
    Passing p = {.t = (de * g - ee * f) / det, .u = (dd * g - de * f) / det};
    p.sine2 = det / (dd * ee);
    p.x[0] = stic_vec3_add_scaled(s[0], p.t, d);
    p.x[1] = stic_vec3_add_scaled(side[0], p.u, e);
    return p;
}

// where the rim of a disc is nearest to the line of an axis, from a point of it nearby: Newton's
// method for the angle of p = R (cos, sin) with w the vector from the line, f = w.w / 2, f' = w.p',
// f'' = p'.p' - (p'.e)^2 + w.p''
static Passing pass_rim(const SticFeature* segment, const SticFeature* disc, SticVec3 from)
{
    const SticVec3* s = segment->x;
    const SticVec3 d = stic_vec3_sub(s[1], s[0]), o = stic_vec3_sub(disc->x[0], s[0]);
    const double length = stic_vec3_norm(d), R = disc->radius;
    const SticVec3 e = stic_vec3_scale(1.0 / length, d);
    SticVec3 p = stic_vec3_scale(R, stic_vec3_normalize(over_disc(disc, from)));
    Passing passing = {.u = 0.5};
    for (int step = 0; step < 6; ++step) {
        const SticVec3 x = stic_vec3_add(o, p), t = stic_vec3_cross(disc->normal, p);
        const SticVec3 w = stic_vec3_add_scaled(x, -stic_vec3_dot(x, e), e);
        const double along = stic_vec3_dot(t, e);
        const double f = stic_vec3_dot(w, t), f2 = R * R - along * along - stic_vec3_dot(w, p);
        passing.sine2 = 1.0 - along * along / (R * R);
        if (!(f2 > 0.0))
            break;
        p = stic_vec3_add_scaled(p, -f / f2, t);
        p = stic_vec3_scale(R, stic_vec3_normalize(p));
    }
    passing.x[1] = stic_vec3_add(disc->x[0], p);
    passing.t = stic_vec3_dot(stic_vec3_sub(passing.x[1], s[0]), e) / length;
    passing.x[0] = stic_vec3_add_scaled(s[0], passing.t, d);
    return passing;
}

// an axis that leaves the space over a flat across its border, as a pair of a ball on the axis and
// a point of the border: along a flat the normals of both ends must agree, and over a flat that the
// axis leans against only the lowest point is active (manifold.c); false if it is not a pair
static bool is_pair(const SticFeature* flat, const SticFeature* segment, bool leans,
                    const Passing* p)
{
    const SticVec3 across = stic_vec3_sub(p->x[0], p->x[1]);
    const double height = stic_vec3_dot(flat->normal, across), length2 = stic_vec3_norm2(across);
    // the distance means nothing where the axis is at the border or below it
    return segment->radius > 0.0 && p->sine2 >= LEAN * LEAN && p->t >= 0.0 && p->t <= 1.0 &&
           p->u >= 0.0 && p->u <= 1.0 && height >= LEAST_HEIGHT * segment->radius &&
           (leans || length2 <= (1.0 + LEAN * LEAN) * height * height);
}

static SticStatus put_pair(SticPairWork* work, const SticSides* sides, int r, const Passing* p,
                           double radius, uint64_t feature)
{
    SticContact contact = {.kernel = STIC_CONTACT_ROUND, .feature = feature, .swapped = r == 0};
    stic_vec3_store(stic_to_local(&sides->pose[1 - r], p->x[0]), contact.local);
    stic_vec3_store(stic_to_local(&sides->pose[r], p->x[1]), contact.local + 3);
    contact.local[6] = radius;
    return stic_contact_put(work, &contact, sides->slack);
}

static SticStatus touch_segment(SticPairWork* work, const SticSides* sides, int r,
                                const SticFeature feature[2], const SticNearest* near,
                                SticLeft* left)
{
    const SticFeature *flat = &feature[r], *segment = &feature[1 - r];
    Kept kept = {{0.0, 1.0}, {-1, -1}};
    SticVec3 s[2];
    const bool rolls = lowest_line(segment, flat->normal, s);
    const double length = stic_vec3_distance(s[0], s[1]);
    if (flat->kind == STIC_FEATURE_POLYGON && !keep_in_polygon(flat, s, sides->same, &kept))
        return STIC_OK;
    if (flat->kind == STIC_FEATURE_DISC && !keep_in_disc(flat, s, sides->same, &kept))
        return STIC_OK;
    if ((kept.t[1] - kept.t[0]) * length <= sides->same)
        return STIC_OK;
    *left = STIC_LEFT_MAYBE;
    const double rise = stic_vec3_dot(flat->normal, stic_vec3_sub(s[1], s[0])) / length;
    const bool leans = fabs(rise) > LEAN;
    const bool turned =
        near != NULL && stic_vec3_norm(stic_vec3_cross(flat->normal, near->n)) > TURNED;
    SticBallTouch touch = {.a = 1 - r,
                           .base = base_of(flat),
                           .normal = flat->normal,
                           .radius = rolls ? segment->radius : 0.0};
    for (int k = 0; k < 2; ++k) {
        const bool end = kept.line[k] < 0, side = !end && flat->kind == STIC_FEATURE_POLYGON;
        touch.feature =
            stic_feature(end ? STIC_LYING_POINT : STIC_LYING_CROSSING, (uint32_t)r, flat->code,
                         segment->code, end ? k : 4 * (kept.line[k] + 1) + k);
        if (side && goes_on(flat, kept.line[k])) {
            *left = *left == STIC_LEFT_MAYBE ? STIC_LEFT_NOTHING : *left;
            continue;
        }
        const SticVec3 x = stic_vec3_lerp(s[0], s[1], kept.t[k]);
        // over a cap that the axis leans against, the nearest points decide
        const Passing p = end || (!side && leans) ? (Passing){.t = -1.0}
                          : side                  ? pass(segment->x, flat, kept.line[k])
                                                  : pass_rim(segment, flat, x);
        if (is_pair(flat, segment, leans, &p)) {
            STIC_TRY(put_pair(work, sides, r, &p, segment->radius, touch.feature));
            continue;
        }
        // the nearest place, touched along another normal than the flat's, is not a point of it
        const bool lowest = turned && k == (rise > 0.0 ? 0 : 1);
        if (!end && (lowest || fabs(rise) > FLAT_LEAN)) {
            *left = lowest ? STIC_LEFT_NEAREST : *left;
            continue;
        }
        touch.centre = rolls ? stic_vec3_lerp(segment->x[0], segment->x[1], kept.t[k]) : x;
        touch.whole = end;
        STIC_TRY(stic_freeze_ball_on_plane(work, sides, &touch));
    }
    return STIC_OK;
}

/* ---- caps ---- */

// how far a point is outside a flat, seen along its normal; negative inside
static double outside_of(const SticFeature* flat, SticVec3 x)
{
    if (flat->kind == STIC_FEATURE_DISC)
        return stic_vec3_norm(over_disc(flat, x)) - flat->radius;
    double highest = -(double)INFINITY;
    for (int32_t k = 0; k < flat->count; ++k)
        highest = most(highest, stic_vec3_dot(outward_of(flat, k), stic_vec3_sub(x, flat->p[k])));
    return highest;
}

// points of the rim of the cap on side 1 - r over the flat on side r that are outside by no more
// than `border`
static SticStatus touch_rim(SticPairWork* work, const SticSides* sides, int r,
                            const SticFeature feature[2], double border)
{
    const SticFeature *flat = &feature[r], *disc = &feature[1 - r];
    const SticVec3 down = stic_vec3_neg(flat->normal);
    SticVec3 low;
    const bool leans = stic_feature_low(disc, down, sides->same, &low);
    const SticVec3 to_low = leans ? stic_vec3_sub(low, disc->x[0]) : stic_vec3_zero();
    const double near = NEAR_LOW * disc->radius * disc->radius;
    SticBallTouch touch = {
        .a = 1 - r, .base = base_of(flat), .normal = flat->normal, .whole = true};
    for (int k = 0; k < STIC_RIM; ++k) {
        touch.centre = stic_feature_rim(disc, k);
        const SticVec3 arm = stic_vec3_sub(touch.centre, disc->x[0]);
        if ((leans && stic_vec3_dot(arm, to_low) > near) || outside_of(flat, touch.centre) > border)
            continue;
        touch.feature =
            stic_feature(STIC_LYING_POINT, (uint32_t)r, flat->code, disc->code, AT_RIM + k);
        STIC_TRY(stic_freeze_ball_on_plane(work, sides, &touch));
    }
    if (!leans || outside_of(flat, low) > border)
        return STIC_OK;
    // named like the end of the side that it is
    touch.centre = low;
    touch.feature = stic_feature(STIC_LYING_POINT, (uint32_t)r, flat->code,
                                 2 << 2 | STIC_FEATURE_SEGMENT, disc->end);
    return stic_freeze_ball_on_plane(work, sides, &touch);
}

// corners of a face under a cap
static SticStatus touch_corners(SticPairWork* work, const SticSides* sides, int r,
                                const SticFeature feature[2])
{
    const SticFeature *face = &feature[r], *disc = &feature[1 - r];
    const SticPolyhedron* p = face->polyhedron;
    SticBallTouch touch = {.a = r, .base = disc->x[0], .normal = disc->normal};
    for (int32_t k = 0; k < face->count; ++k) {
        const int32_t before = k > 0 ? k - 1 : face->count - 1;
        touch.centre = face->p[k];
        if ((goes_on(face, k) && goes_on(face, before)) ||
            outside_of(disc, touch.centre) > -sides->same)
            continue;
        const int32_t v = p->face_vertex[p->face_begin[face->face] + k];
        touch.feature = stic_feature(STIC_LYING_POINT, (uint32_t)(1 - r), disc->code, v << 2, 0);
        STIC_TRY(stic_freeze_ball_on_plane(work, sides, &touch));
    }
    return STIC_OK;
}

// Ends of the parts of a face's sides that are under a cap, where its rim crosses them: points of the
// sides against the cap. A cap that tips over a side slides along it, so that points of the rim would
// leave the face. They are the same contacts, by name too, as those of a side alone on the cap
// (touch_segment), which take over where the face leans too much.
static SticStatus touch_crossings(SticPairWork* work, const SticSides* sides, int r,
                                  const SticFeature feature[2])
{
    const SticFeature *face = &feature[r], *disc = &feature[1 - r];
    const SticPolyhedron* p = face->polyhedron;
    SticBallTouch touch = {.a = r, .base = disc->x[0], .normal = disc->normal};
    for (int32_t k = 0; k < face->count; ++k) {
        const SticVec3 s[2] = {face->p[k], face->p[k + 1 < face->count ? k + 1 : 0]};
        const SticVec3 e = stic_vec3_sub(s[1], s[0]);
        const double rise = stic_vec3_dot(disc->normal, e) / stic_vec3_norm(e);
        Kept kept = {{0.0, 1.0}, {-1, -1}};
        if (fabs(rise) > FLAT_LEAN || goes_on(face, k) ||
            !keep_in_disc(disc, s, sides->same, &kept) ||
            (kept.t[1] - kept.t[0]) * stic_vec3_norm(e) <= sides->same)
            continue;
        const int32_t at = p->face_begin[face->face] + k, edge = p->face_edge[at];
        const bool along = p->edge[edge].vertex[0] == p->face_vertex[at];
        for (int end = 0; end < 2; ++end) {
            if (kept.line[end] < 0)
                continue;
            touch.centre = stic_vec3_lerp(s[0], s[1], kept.t[end]);
            touch.feature = stic_feature(STIC_LYING_CROSSING, (uint32_t)(1 - r), disc->code,
                                         stic_feature_edge(edge),
                                         4 * (kept.line[end] + 1) + (along ? end : 1 - end));
            STIC_TRY(stic_freeze_ball_on_plane(work, sides, &touch));
        }
    }
    return STIC_OK;
}

// area of the triangle from the centre of a disc to a and b that is inside the disc
static double sector_area(const SticFeature* disc, SticVec3 a, SticVec3 b)
{
    const SticVec3 n = disc->normal, e = stic_vec3_sub(b, a);
    const double r = disc->radius, ee = stic_vec3_norm2(e), ae = stic_vec3_dot(a, e);
    const double root2 = ae * ae - ee * (stic_vec3_norm2(a) - r * r);
    double t[4] = {0.0, 0.0, 1.0, 1.0}, area = 0.0;
    if (root2 > 0.0 && ee > 0.0)
        for (int s = 0; s < 2; ++s)
            t[1 + s] = least(1.0, most(0.0, (-ae + (s == 0 ? -1.0 : 1.0) * sqrt(root2)) / ee));
    else
        t[1] = t[2] = 0.0;
    // sector, triangle, sector
    for (int k = 0; k < 3; ++k) {
        const SticVec3 x = stic_vec3_add_scaled(a, t[k], e);
        const SticVec3 y = stic_vec3_add_scaled(a, t[k + 1], e);
        const double cross = stic_vec3_triple(n, x, y);
        area +=
            k == 1 ? 0.5 * cross
                   : 0.5 * r * r * (t[k + 1] > t[k] ? stic_atan2(cross, stic_vec3_dot(x, y)) : 0.0);
    }
    return area;
}

static double area_on_face(const SticFeature* disc, const SticFeature* face)
{
    double area = 0.0;
    for (int32_t k = 0; k < face->count; ++k)
        area += sector_area(disc, over_disc(disc, face->p[k]),
                            over_disc(disc, face->p[k + 1 < face->count ? k + 1 : 0]));
    return fabs(area);
}

// two discs with radii r and R, the smaller first, whose centres are d apart
static double area_on_disc(double r, double R, double d)
{
    if (d <= R - r)
        return STIC_PI * r * r;
    if (d >= r + R)
        return 0.0;
    const double x = (d * d + r * r - R * R) / (2.0 * d), y = sqrt(most(0.0, r * r - x * x));
    return r * r * stic_atan2(y, x) + R * R * stic_atan2(y, d - x) - d * y;
}

static void share_area(SticPairWork* work, int32_t first, double area)
{
    for (int32_t k = first; k < work->count; ++k)
        work->contact[k].area = area / (work->count - first);
}

static SticStatus touch_cap_on_face(SticPairWork* work, const SticSides* sides, int r,
                                    const SticFeature feature[2])
{
    const int32_t first = work->count;
    STIC_TRY(touch_rim(work, sides, r, feature, sides->same));
    double area = STIC_PI * feature[1 - r].radius * feature[1 - r].radius;
    if (feature[r].kind == STIC_FEATURE_POLYGON) {
        STIC_TRY(touch_corners(work, sides, r, feature));
        STIC_TRY(touch_crossings(work, sides, r, feature));
        area = area_on_face(&feature[1 - r], &feature[r]);
    }
    share_area(work, first, area);
    return STIC_OK;
}

static SticStatus touch_caps(SticPairWork* work, const SticSides* sides,
                             const SticFeature feature[2])
{
    // the smaller one stands on the other; of equal ones the first
    const int i = feature[1].radius < feature[0].radius - sides->same ? 1 : 0, r = 1 - i;
    const SticFeature *small = &feature[i], *large = &feature[r];
    const int32_t first = work->count;
    STIC_TRY(touch_rim(work, sides, r, feature, sides->same));
    STIC_TRY(touch_rim(work, sides, i, feature, -sides->same));
    const SticVec3 d = over_disc(large, small->x[0]);
    const double away = stic_vec3_norm(d);
    share_area(work, first,
               area_on_disc(least(small->radius, large->radius), most(small->radius, large->radius),
                            away));
    if (away <= large->radius - small->radius + sides->same)
        return STIC_OK;
    // the two corners of the lens
    const double x = (away * away + large->radius * large->radius - small->radius * small->radius) /
                     (2.0 * away);
    const double y2 = large->radius * large->radius - x * x;
    const SticVec3 along = stic_vec3_scale(1.0 / away, d);
    const SticVec3 across = stic_vec3_cross(large->normal, along);
    if (!(y2 > 0.0) || stic_vec3_norm(stic_vec3_cross(small->normal, large->normal)) > FLAT_LEAN)
        return STIC_OK;
    const SticVec3 middle = stic_vec3_add_scaled(large->x[0], x, along);
    SticBallTouch touch = {.a = i, .base = base_of(large), .normal = large->normal};
    for (int s = 0; s < 2; ++s) {
        const SticVec3 over = stic_vec3_add_scaled(middle, s == 0 ? -sqrt(y2) : sqrt(y2), across);
        // on the small cap above
        const double up = stic_vec3_dot(small->normal, stic_vec3_sub(small->x[0], over)) /
                          stic_vec3_dot(small->normal, large->normal);
        touch.centre = stic_vec3_add_scaled(over, up, large->normal);
        touch.feature = stic_feature(STIC_LYING_CROSSING, (uint32_t)r, large->code, small->code, s);
        STIC_TRY(stic_freeze_ball_on_plane(work, sides, &touch));
    }
    share_area(work, first,
               area_on_disc(least(small->radius, large->radius), most(small->radius, large->radius),
                            away));
    return STIC_OK;
}

/* ---- two segments ---- */

// one end of the part that two segments have in common
typedef struct End {
    int owner; // side whose end it is
    int32_t k; // which of its two
    double at; // along the segment of side 1
} End;

// ends of the common part; false if there is none. Of two ends at one place that of side 0 counts.
static bool common_part(const SticFeature feature[2], double same, End end[2])
{
    const SticVec3 o = feature[1].x[0], e = stic_vec3_sub(feature[1].x[1], o);
    const double length = stic_vec3_norm(e);
    double at[2];
    for (int k = 0; k < 2; ++k)
        at[k] = stic_vec3_dot(e, stic_vec3_sub(feature[0].x[k], o)) / length;
    const int32_t low = at[1] < at[0];
    end[0] = at[low] >= -same ? (End){0, low, at[low]} : (End){1, 0, 0.0};
    end[1] = at[1 - low] <= length + same ? (End){0, 1 - low, at[1 - low]} : (End){1, 1, length};
    return end[1].at - end[0].at > same;
}

// the rim of the end of a cylinder, a line through the point of it nearest to an edge, and that
// edge
static SticStatus touch_rim_on_edge(SticPairWork* work, const SticSides* sides, int a,
                                    const SticFeature* rim, const SticFeature* edge,
                                    uint64_t feature)
{
    const SticVec3 line = stic_vec3_sub(edge->x[1], edge->x[0]);
    const SticVec3 d = stic_vec3_sub(rim->x[0], edge->x[0]);
    const double t = stic_vec3_dot(d, line) / stic_vec3_norm2(line);
    const SticVec3 across = stic_vec3_add_scaled(d, -t, line);
    const Passing passing = pass_rim(edge, rim, stic_vec3_sub(rim->x[0], across));
    const SticVec3 x = passing.x[1];
    if (passing.t < 0.0 || passing.t > 1.0)
        return STIC_OK;
    SticVec3 tangent = stic_vec3_cross(rim->normal, stic_vec3_sub(x, rim->x[0]));
    if (stic_vec3_triple(tangent, line, across) < 0.0)
        tangent = stic_vec3_neg(tangent);
    SticContact contact = {.kernel = STIC_CONTACT_EDGE_EDGE, .swapped = a == 1, .feature = feature};
    stic_vec3_store(stic_to_local(&sides->pose[a], x), contact.local);
    stic_vec3_store(stic_line_to_local(&sides->pose[a], tangent), contact.local + 3);
    stic_vec3_store(stic_to_local(&sides->pose[1 - a], edge->x[0]), contact.local + 6);
    stic_vec3_store(stic_line_to_local(&sides->pose[1 - a], line), contact.local + 9);
    return stic_contact_put(work, &contact, sides->slack);
}

static SticStatus touch_end(SticPairWork* work, const SticSides* sides,
                            const SticFeature feature[2], const End* end)
{
    const SticFeature *own = &feature[end->owner], *other = &feature[1 - end->owner];
    const SticVec3 line = stic_vec3_normalize(stic_vec3_sub(other->x[1], other->x[0]));
    const SticVec3 d = stic_vec3_sub(own->x[end->k], other->x[0]);
    const SticVec3 across = stic_vec3_add_scaled(d, -stic_vec3_dot(d, line), line);
    SticBallTouch ball = {.a = end->owner,
                          .centre = own->x[end->k],
                          .base = other->x[0],
                          .radius = own->radius,
                          .feature = stic_feature(STIC_LYING_ENDS, (uint32_t)end->owner,
                                                  other->code, own->code, end->k)};
    if (!own->ball && own->radius > 0.0) {
        const SticVec3 e = stic_vec3_normalize(stic_vec3_sub(own->x[1], own->x[0]));
        const SticFeature rim = {.x = {ball.centre}, .normal = e, .radius = own->radius};
        const double away = stic_vec3_norm(across), rise = stic_vec3_dot(e, across) / away;
        // the distance of a point from an edge has no sign
        if (!(other->radius > 0.0))
            return touch_rim_on_edge(work, sides, end->owner, &rim, other, ball.feature);
        // the lowest point of the rim of an end that leans
        if (fabs(rise) > LEVEL) {
            ball.centre = pass_rim(other, &rim, stic_vec3_sub(ball.centre, across)).x[1];
            ball.radius = 0.0;
        }
    }
    // seen across the other, which leans, the end may lie beyond it
    const double at = stic_vec3_dot(stic_vec3_sub(ball.centre, other->x[0]), line);
    if (at < -sides->same || at > stic_vec3_distance(other->x[0], other->x[1]) + sides->same)
        return STIC_OK;
    return stic_freeze_ball_on_line(work, sides, &ball, line, other->radius);
}

// whether the crossing of two segments that are almost parallel is nearer than their ends by more
// than the tolerance
static bool crosses(const SticSides* sides, const SticFeature feature[2], const SticNearest* near,
                    const End end[2])
{
    double rise = 0.0;
    SticVec3 e[2];
    for (int k = 0; k < 2; ++k) {
        e[k] = stic_vec3_normalize(stic_vec3_sub(feature[k].x[1], feature[k].x[0]));
        rise = most(rise, fabs(stic_vec3_dot(e[k], near->n)));
    }
    const double turn = stic_vec3_norm(stic_vec3_cross(e[0], e[1]));
    const double aside = 0.5 * turn * (end[1].at - end[0].at);
    return rise <= STIC_NORMAL_EQUAL &&
           aside * aside > 2.0 * sides->same * (feature[0].radius + feature[1].radius);
}

static SticStatus touch_segments(SticPairWork* work, const SticSides* sides,
                                 const SticFeature feature[2], const SticNearest* near)
{
    End end[2];
    const SticVec3 d = stic_vec3_sub(feature[0].x[1], feature[0].x[0]);
    const SticVec3 e = stic_vec3_sub(feature[1].x[1], feature[1].x[0]);
    // the distance means nothing where a surface has reached the axis of the other or passed it
    const double thin = feature[0].radius > 0.0 && feature[1].radius > 0.0
                            ? least(feature[0].radius, feature[1].radius)
                            : feature[0].radius + feature[1].radius;
    if (near->apart < -STIC_LYING_DEEP * thin ||
        stic_vec3_norm(stic_vec3_cross(d, e)) > ALONG * stic_vec3_norm(d) * stic_vec3_norm(e) ||
        !common_part(feature, sides->same, end))
        return STIC_OK;
    if (crosses(sides, feature, near, end))
        STIC_TRY(stic_nearest_touch(work, sides, near));
    for (int k = 0; k < 2; ++k)
        STIC_TRY(touch_end(work, sides, feature, &end[k]));
    return STIC_OK;
}

SticStatus stic_features_touch(SticPairWork* work, const SticSides* sides, int r,
                               const SticFeature feature[2], const SticNearest* near,
                               SticLeft* left)
{
    const SticFeatureKind reference = feature[r].kind, incident = feature[1 - r].kind;
    *left = STIC_LEFT_MAYBE;
    if (incident == STIC_FEATURE_POINT)
        return STIC_OK;
    // a contact with only the border of a triangle is left to its neighbours
    if (reference == STIC_FEATURE_POLYGON &&
        stic_vec3_norm(stic_vec3_cross(feature[r].normal, near->n)) <= near->sine)
        for (int32_t k = 0; k < feature[r].count; ++k)
            *left = goes_on(&feature[r], k) ? STIC_LEFT_NOTHING : *left;
    if (reference == STIC_FEATURE_SEGMENT)
        return touch_segments(work, sides, feature, near);
    if (incident == STIC_FEATURE_SEGMENT)
        return touch_segment(work, sides, r, feature, near, left);
    if (reference == STIC_FEATURE_DISC)
        return touch_caps(work, sides, feature);
    return touch_cap_on_face(work, sides, r, feature);
}

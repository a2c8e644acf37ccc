// SPDX-License-Identifier: Apache-2.0
// Depth of two convex sets to the last digits: directions fixed by features, and Newton's method.
//
// The depth is the least height h(n) of the support planes of A - B over all directions n. At the
// minimum, the second derivatives of h across n, the sums of the radii of curvature of the two
// sets, are no less than h. Edges, sides and flats have radius 0 along some direction, so there n
// must sit in a kink of h, and a kink is known in closed form:
//   a point   n is the normal of a face, of a cap, or the product of the directions of two edges,
//             two sides, or one of each: all of them are tried
//   a line    n is normal to an edge or side, the other set is round: Newton's method in one
//             variable on that great circle
//   none      round on round, rim on rim: Newton's method in two variables on the sphere
// The second derivatives are exact: of a cylinder those of the rim, of an ellipsoid those of its
// form, of vertices zero. Lines and the last case begin at directions that the polytope of depth.c
// leaves open. Every direction gives an upper bound of the depth, so that the least is the best
// whatever happened in the steps.
// Cost: one support point per face and edge, 5 per Newton's method.
#include <math.h>

#include "collide/depth.h"

enum { MOST_STEPS = 16, MOST_LINES = 24 };

// longest step of Newton's method, in radians
#define LONGEST 0.3
// parts of the size by which a height must be better without a kink, and may be worse with one
#define BETTER 1e-13
#define TIE    1e-14
// shorter steps change heights by rounding only: half its square is 5e-13
#define SETTLE 1e-6
// parts of the size: points of one set this near to the other are over each other, heights that
// differ less are equal
#define MISS  1e-5
#define EQUAL 1e-9

/* ---- heights ---- */

static SticDifference support(const SticRefine* r, SticVec3 n)
{
    SticDifference s = {.a = stic_core_support(r->core[0], n),
                        .b = stic_core_support(r->core[1], stic_vec3_neg(n))};
    s.w = stic_vec3_sub(s.a, s.b);
    return s;
}

// keep a direction if it is the best so far
static double offer(SticRefine* r, SticVec3 n, const SticKink kink[2])
{
    const SticDifference s = support(r, n);
    const double h = stic_vec3_dot(n, s.w);
    // rounding must not decide between a kink and a direction next to it
    const int more = kink[0].order + kink[1].order - r->kink[0].order - r->kink[1].order;
    const double tie = more < 0 ? -BETTER * r->size : more > 0 ? TIE * r->size : 0.0;
    if (h < r->height + tie) {
        r->height = h;
        r->n = n;
        r->support = s;
        r->kink[0] = kink[0];
        r->kink[1] = kink[1];
    }
    return h;
}

static const SticKink smooth = {.order = 0};

// a direction with the same kinks that is as good up to rounding replaces the best
static void settle(SticRefine* r, SticVec3 n, const SticKink kink[2])
{
    const SticDifference s = support(r, n);
    const double h = stic_vec3_dot(n, s.w);
    if (kink[0].order == r->kink[0].order && kink[1].order == r->kink[1].order &&
        fabs(h - r->height) <= TIE * r->size) {
        r->height = h;
        r->n = n;
        r->support = s;
    }
}

static void offer_both(SticRefine* r, SticVec3 n, SticKink a, SticKink b)
{
    const double norm = stic_vec3_norm(n);
    if (!(norm > 0.0))
        return;
    const SticKink kink[2] = {a, b};
    offer(r, stic_vec3_scale(1.0 / norm, n), kink);
    offer(r, stic_vec3_scale(-1.0 / norm, n), kink);
}

// second derivative of the height of one set along u and v, at the unit direction n
static double curve(const SticCore* core, SticVec3 n, SticVec3 u, SticVec3 v)
{
    if (core->shape == NULL || core->margin > 0.0)
        return 0.0;
    const SticVec3 m = stic_mat3_transpose_mul_vec(core->F, n);
    const SticVec3 U = stic_mat3_transpose_mul_vec(core->F, u);
    const SticVec3 V = stic_mat3_transpose_mul_vec(core->F, v);
    switch (core->shape->kind) {
    case STIC_SHAPE_CYLINDER: {
        const double rho2 = m.x * m.x + m.y * m.y, rho = sqrt(rho2);
        const double a = m.x * U.y - m.y * U.x, b = m.x * V.y - m.y * V.x;
        return rho > 0.0 ? core->shape->as.cylinder.radius * a * b / (rho2 * rho) : 0.0;
    }
    case STIC_SHAPE_SPHERE:
    case STIC_SHAPE_CAPSULE: {
        const double radius = core->shape->kind == STIC_SHAPE_SPHERE
                                  ? core->shape->as.sphere.radius
                                  : core->shape->as.capsule.radius;
        const double m2 = stic_vec3_norm2(m);
        return radius / sqrt(m2) *
               (stic_vec3_dot(U, V) - stic_vec3_dot(m, U) * stic_vec3_dot(m, V) / m2);
    }
    case STIC_SHAPE_ELLIPSOID: {
        const SticVec3 a = core->shape->as.ellipsoid.semi_axes;
        const SticVec3 p = stic_vec3_mul(a, m), q = stic_vec3_mul(a, U), t = stic_vec3_mul(a, V);
        const double p2 = stic_vec3_norm2(p);
        return (stic_vec3_dot(q, t) - stic_vec3_dot(p, q) * stic_vec3_dot(p, t) / p2) / sqrt(p2);
    }
    default:
        return 0.0;
    }
}

static double curve_of_both(const SticRefine* r, SticVec3 n, SticVec3 u, SticVec3 v)
{
    return curve(r->core[0], n, u, v) + curve(r->core[1], stic_vec3_neg(n), u, v);
}

/* ---- Newton's method ---- */

static SticVec3 step_to(SticVec3 n, double x, SticVec3 u, double y, SticVec3 v)
{
    const double length = sqrt(x * x + y * y), part = length > LONGEST ? LONGEST / length : 1.0;
    return stic_vec3_normalize(
        stic_vec3_add_scaled(stic_vec3_add_scaled(n, part * x, u), part * y, v));
}

// length of a step on the great circle across `line`; none where the height is not convex
static double step_circle(const SticRefine* r, SticVec3* n, SticVec3 line)
{
    const SticVec3 t = stic_vec3_cross(line, *n), w = support(r, *n).w;
    const double g = stic_vec3_dot(t, w);
    const double H = curve_of_both(r, *n, t, t) - stic_vec3_dot(*n, w);
    if (!(H > 0.0))
        return LONGEST;
    *n = step_to(*n, -g / H, t, 0.0, t);
    // rounding along the line must not accumulate
    *n = stic_vec3_normalize(stic_vec3_add_scaled(*n, -stic_vec3_dot(*n, line), line));
    return fabs(g / H);
}

// one step on the sphere
static double step_sphere(const SticRefine* r, SticVec3* n)
{
    const SticMat3 frame = stic_mat3_frame(*n);
    const SticVec3 u = stic_mat3_column(frame, 1), v = stic_mat3_column(frame, 2);
    const SticVec3 w = support(r, *n).w;
    const double h = stic_vec3_dot(*n, w);
    const double a = curve_of_both(r, *n, u, u) - h, b = curve_of_both(r, *n, u, v);
    const double c = curve_of_both(r, *n, v, v) - h, det = a * c - b * b;
    if (!(a > 0.0 && det > 0.0))
        return LONGEST;
    const double p = stic_vec3_dot(u, w), q = stic_vec3_dot(v, w);
    const double x = (b * q - c * p) / det, y = (b * p - a * q) / det;
    *n = step_to(*n, x, u, y, v);
    return sqrt(x * x + y * y);
}

// steps as long as the height falls, then, where rounding hides its changes, as long as they get
// shorter: the direction is as exact as the points
static void descend(SticRefine* r, SticVec3 n, const SticVec3* line, const SticKink kink[2])
{
    double h = offer(r, n, kink), last = SETTLE;
    bool falls = true;
    for (int step = 0; step < MOST_STEPS; ++step) {
        const double length = line != NULL ? step_circle(r, &n, *line) : step_sphere(r, &n);
        const double next = falls ? offer(r, n, kink) : h;
        falls = falls && next < h;
        h = next;
        if (falls)
            continue;
        if (!(length < last))
            return;
        last = 0.5 * length;
        settle(r, n, kink);
    }
}

static void descend_circle(SticRefine* r, SticVec3 from, SticVec3 line, const SticKink kink[2])
{
    const SticVec3 n = stic_vec3_add_scaled(from, -stic_vec3_dot(from, line), line);
    const double norm = stic_vec3_norm(n);
    if (norm > LONGEST)
        descend(r, stic_vec3_scale(1.0 / norm, n), &line, kink);
}

static void descend_sphere(SticRefine* r, SticVec3 n)
{
    const SticKink none[2] = {smooth, smooth};
    descend(r, n, NULL, none);
}

/* ---- kinks ---- */

static SticVec3 edge_of(const SticCore* core, int32_t edge)
{
    const int32_t* v = core->polyhedron->edge[edge].vertex;
    const SticVec3 e =
        stic_vec3_sub(core->polyhedron->vertex[v[1]], core->polyhedron->vertex[v[0]]);
    return stic_vec3_normalize(stic_mat3_mul_vec(core->F, e));
}

// the direction of the side of a cylinder or capsule, or of a segment
static bool side_of(const SticCore* core, SticVec3* line)
{
    if (core->shape == NULL && core->point_count == 2) {
        *line = stic_vec3_normalize(stic_vec3_sub(core->point[1], core->point[0]));
        return true;
    }
    if (core->shape == NULL ||
        (core->shape->kind != STIC_SHAPE_CYLINDER && core->shape->kind != STIC_SHAPE_CAPSULE))
        return false;
    *line = stic_vec3_normalize(stic_mat3_column(core->F, 2));
    return true;
}

static SticKink line_kink(SticVec3 line)
{
    return (SticKink){.order = 1, .line = line};
}

// faces of polyhedra and caps
static void try_flats(SticRefine* r, int k)
{
    const SticCore* core = r->core[k];
    const SticKink flat = {.order = 2}, a = k == 0 ? flat : smooth, b = k == 0 ? smooth : flat;
    if (core->polyhedron != NULL) {
        const SticMat3 cofactor = stic_mat3_cofactor(core->F);
        const SticPolyhedron* p = core->polyhedron;
        for (int32_t f = 0; f < p->face_count; ++f)
            if (p->face_begin[f + 1] > p->face_begin[f])
                offer_both(r, stic_mat3_mul_vec(cofactor, p->plane[f].normal), a, b);
    } else if (core->shape != NULL && core->shape->kind == STIC_SHAPE_CYLINDER) {
        offer_both(r, stic_mat3_column(stic_mat3_cofactor(core->F), 2), a, b);
    }
}

// products of the side of one set with the side or the edges of the other
static void try_products(SticRefine* r, int k)
{
    const SticCore* other = r->core[1 - k];
    SticVec3 line, second;
    if (!side_of(r->core[k], &line))
        return;
    const SticKink own = line_kink(line);
    if (k == 0 && side_of(other, &second))
        offer_both(r, stic_vec3_cross(line, second), own, line_kink(second));
    if (other->polyhedron == NULL)
        return;
    const SticPolyhedron* p = other->polyhedron;
    const SticMat3 cofactor = stic_mat3_cofactor(other->F);
    // edges whose arc of normals crosses the great circle of the side
    const SticVec3 across = stic_mat3_transpose_mul_vec(cofactor, line);
    for (int32_t i = 0; i < p->edge_count; ++i) {
        const double u = stic_vec3_dot(across, p->plane[p->edge[i].face[0]].normal);
        const double v = stic_vec3_dot(across, p->plane[p->edge[i].face[1]].normal);
        if (u * v > 0.0 && p->vertex_count > 3)
            continue;
        const SticVec3 e = edge_of(other, i);
        offer_both(r, stic_vec3_cross(line, e), k == 0 ? own : line_kink(e),
                   k == 0 ? line_kink(e) : own);
    }
}

SticRefine stic_refine_start(const SticCore* A, const SticCore* B, double size)
{
    SticRefine r = {.core = {A, B}, .size = size, .height = (double)INFINITY};
    for (int k = 0; k < 2; ++k) {
        try_flats(&r, k);
        try_products(&r, k);
    }
    return r;
}

void stic_refine_from(SticRefine* r, SticVec3 n)
{
    for (int k = 0; k < 2; ++k) {
        const SticCore* core = r->core[k];
        SticVec3 line;
        if (side_of(core, &line)) {
            const SticKink kink[2] = {k == 0 ? line_kink(line) : smooth,
                                      k == 0 ? smooth : line_kink(line)};
            descend_circle(r, n, line, kink);
        }
        if (core->polyhedron == NULL)
            continue;
        // the edges around the vertex there
        const SticPolyhedron* p = core->polyhedron;
        const SticVec3 d = stic_mat3_transpose_mul_vec(core->F, k == 0 ? n : stic_vec3_neg(n));
        const int32_t v = stic_polyhedron_support(p, d, 0);
        const int32_t from = p->vertex_begin[v], to = p->vertex_begin[v + 1];
        for (int32_t i = from; i < to && i < from + MOST_LINES; ++i) {
            const SticKink edge = line_kink(edge_of(core, p->vertex_edge[i]));
            const SticKink kink[2] = {k == 0 ? edge : smooth, k == 0 ? smooth : edge};
            descend_circle(r, n, edge.line, kink);
        }
    }
    descend_sphere(r, n);
}

/* ---- the answer ---- */

// the point of a set that has the height of its support point; exact where that is the only one
static SticVec3 lift(SticVec3 x, SticVec3 support_point, SticVec3 n)
{
    return stic_vec3_add_scaled(x, stic_vec3_dot(n, stic_vec3_sub(support_point, x)), n);
}

// two lines: where they cross, seen along n
static void cross_lines(const SticRefine* r, SticDepth* depth)
{
    const SticVec3 d = r->kink[0].line, e = r->kink[1].line;
    const SticVec3 o = stic_vec3_sub(r->support.a, r->support.b);
    const double c = stic_vec3_dot(d, e), f = stic_vec3_dot(d, o), g = stic_vec3_dot(e, o);
    const double det = 1.0 - c * c;
    depth->a = stic_vec3_add_scaled(r->support.a, (c * g - f) / det, d);
    depth->b = stic_vec3_add_scaled(r->support.b, (g - c * f) / det, e);
}

// distance of a point from the line through another
static double off_line(SticVec3 x, SticVec3 on, SticVec3 line)
{
    return stic_vec3_norm(stic_vec3_cross(stic_vec3_sub(x, on), line));
}

// points of the two sets that lie over each other along n, as far as the kinks determine them; and
// by how much they miss the sets or each other
static double place_points(const SticRefine* r, SticDepth* depth)
{
    const int i = r->kink[0].order, j = r->kink[1].order;
    depth->a = r->support.a;
    depth->b = r->support.b;
    if (i == 1 && j == 1)
        cross_lines(r, depth);
    else if (i > 0)
        depth->a = stic_vec3_add_scaled(depth->b, r->height, r->n);
    else if (j > 0)
        depth->b = stic_vec3_add_scaled(depth->a, -r->height, r->n);
    if (i == 1 && j == 0)
        return off_line(depth->a, r->support.a, r->kink[0].line);
    if (i == 0 && j == 1)
        return off_line(depth->b, r->support.b, r->kink[1].line);
    const SticVec3 d = stic_vec3_sub(depth->a, depth->b);
    return stic_vec3_norm(stic_vec3_add_scaled(d, -r->height, r->n));
}

// a set with more than one point at the height of its support point
static bool has_flats(const SticCore* core)
{
    return core->shape == NULL ||
           (core->shape->kind != STIC_SHAPE_ELLIPSOID && core->shape->kind != STIC_SHAPE_SPHERE);
}

// a set that rests on a flat of the other with more than a point: its nearby point is as high
static bool is_tied(const SticRefine* r, const SticVec3 near[2])
{
    const SticVec3 s[2] = {r->support.a, r->support.b};
    for (int k = 0; k < 2; ++k)
        if (r->kink[1 - k].order == 2 && has_flats(r->core[k]) &&
            fabs(stic_vec3_dot(r->n, stic_vec3_sub(near[k], s[k]))) <= EQUAL * r->size)
            return true;
    return false;
}

void stic_refine_finish(const SticRefine* r, SticDepth* depth)
{
    const SticVec3 near[2] = {depth->a, depth->b};
    depth->normal = stic_vec3_neg(r->n);
    depth->depth = r->height;
    depth->found = true;
    const double miss = place_points(r, depth);
    // both have more than one point at that height: near the points of the polytope
    if (miss > MISS * r->size || is_tied(r, near)) {
        depth->a = lift(near[0], r->support.a, r->n);
        depth->b = lift(near[1], r->support.b, r->n);
    }
}

// SPDX-License-Identifier: Apache-2.0
// Random pairs of polyhedra and brute-force answers for the tests of the narrow phase.
//
// Nothing here shares code with collide/: separation by all face normals and all products of edges,
// distance by all pairs of vertex and face, vertex and vertex, edge and edge.
#ifndef STIC_TEST_HELPERS_NARROW_H
#define STIC_TEST_HELPERS_NARROW_H

#include <math.h>
#include <stdio.h>

#include "collide/collide.h"
#include "helpers/helpers.h"
#include "math/math.h"
#include "shape/shape.h"

static inline SticVec3 narrow_random_vec(SticRandom* random, double size)
{
    return stic_vec3(stic_random_range(random, -size, size), stic_random_range(random, -size, size),
                     stic_random_range(random, -size, size));
}

static inline SticShape* narrow_box(double x, double y, double z)
{
    const SticContext context = stic_context_default();
    SticShape* shape = NULL;
    assert_int_equal(stic_shape_create_box(&context, stic_vec3(x, y, z), &shape, NULL), STIC_OK);
    return shape;
}

/// Hull of points.
static inline SticShape* narrow_hull_of(const SticVec3* point, int32_t count)
{
    const SticContext context = stic_context_default();
    SticPolyhedronDef def = stic_polyhedron_default_def();
    def.vertex = point;
    def.vertex_count = count;
    SticShape* shape = NULL;
    assert_int_equal(stic_shape_create_polyhedron(&context, &def, &shape, NULL), STIC_OK);
    return shape;
}

/// Hull of points on an ellipsoid, stretched along z.
static inline SticShape* narrow_hull(SticRandom* random, int32_t count, double stretch)
{
    SticVec3 point[256];
    for (int32_t i = 0; i < count; ++i) {
        double x[3];
        test_random_unit(random, 3, x);
        point[i] = stic_vec3(x[0], x[1], stretch * x[2]);
    }
    return narrow_hull_of(point, count);
}

enum { NARROW_MOST = 64 };

/// Contacts of a pair.
typedef struct NarrowFound {
    SticContact list[NARROW_MOST];
    int32_t count;
} NarrowFound;

/// Contacts that stic_collide_pair finds, copied.
static inline NarrowFound narrow_find(SticCollide* collide, const SticCollider* a,
                                      const SticCollider* b, double reach)
{
    const SticContact* contacts;
    NarrowFound found;
    assert_int_equal(stic_collide_pair(collide, a, b, reach, &contacts, &found.count), STIC_OK);
    test_at_most(found.count, NARROW_MOST);
    for (int32_t i = 0; i < found.count; ++i)
        found.list[i] = contacts[i];
    return found;
}

/// A posed polyhedron as plain points.
typedef struct NarrowBody {
    const SticPolyhedron* p;
    SticVec3 vertex[256], normal[512];
} NarrowBody;

static inline void narrow_body(const SticShape* shape, const SticPose* pose, NarrowBody* body)
{
    body->p = stic_shape_polyhedron(shape);
    for (int32_t i = 0; i < body->p->vertex_count; ++i)
        body->vertex[i] = stic_pose_apply(pose, body->p->vertex[i]);
    for (int32_t f = 0; f < body->p->face_count; ++f)
        body->normal[f] = stic_mat3_mul_vec(pose->F, body->p->plane[f].normal);
}

static inline double narrow_along(const NarrowBody* A, const NarrowBody* B, SticVec3 n)
{
    double low = (double)INFINITY, high = -(double)INFINITY;
    for (int32_t i = 0; i < A->p->vertex_count; ++i)
        low = fmin(low, stic_vec3_dot(n, A->vertex[i]));
    for (int32_t i = 0; i < B->p->vertex_count; ++i)
        high = fmax(high, stic_vec3_dot(n, B->vertex[i]));
    return low - high;
}

/// Largest separation over all directions that matter; negative: minus the depth.
static inline double narrow_separation(const NarrowBody* A, const NarrowBody* B)
{
    double best = -(double)INFINITY;
    for (int32_t f = 0; f < A->p->face_count; ++f)
        best = fmax(best, narrow_along(A, B, stic_vec3_neg(A->normal[f])));
    for (int32_t f = 0; f < B->p->face_count; ++f)
        best = fmax(best, narrow_along(A, B, B->normal[f]));
    for (int32_t i = 0; i < A->p->edge_count; ++i)
        for (int32_t j = 0; j < B->p->edge_count; ++j) {
            const int32_t *v = A->p->edge[i].vertex, *w = B->p->edge[j].vertex;
            const SticVec3 d = stic_vec3_sub(A->vertex[v[1]], A->vertex[v[0]]);
            const SticVec3 e = stic_vec3_sub(B->vertex[w[1]], B->vertex[w[0]]);
            const SticVec3 c = stic_vec3_cross(d, e);
            if (stic_vec3_norm(c) < 1e-9 * stic_vec3_norm(d) * stic_vec3_norm(e))
                continue;
            const SticVec3 n = stic_vec3_normalize(c);
            best = fmax(best, fmax(narrow_along(A, B, n), narrow_along(A, B, stic_vec3_neg(n))));
        }
    return best;
}

static inline double narrow_point_triangle(SticVec3 p, SticVec3 a, SticVec3 b, SticVec3 c)
{
    // inside: distance to the plane; else the nearest of the three sides
    const SticVec3 v[3] = {a, b, c};
    const SticVec3 n =
        stic_vec3_normalize(stic_vec3_cross(stic_vec3_sub(b, a), stic_vec3_sub(c, a)));
    bool inside = true;
    double best = (double)INFINITY;
    for (int i = 0; i < 3; ++i) {
        const SticVec3 e = stic_vec3_sub(v[(i + 1) % 3], v[i]), d = stic_vec3_sub(p, v[i]);
        if (stic_vec3_triple(n, e, d) < 0.0)
            inside = false;
        const double t = fmin(1.0, fmax(0.0, stic_vec3_dot(d, e) / stic_vec3_norm2(e)));
        best = fmin(best, stic_vec3_norm(stic_vec3_add_scaled(d, -t, e)));
    }
    return inside ? fabs(stic_vec3_dot(n, stic_vec3_sub(p, a))) : best;
}

static inline double narrow_segments(SticVec3 a, SticVec3 d, SticVec3 b, SticVec3 e)
{
    // inner solution if it is inside both, else ends
    const SticVec3 o = stic_vec3_sub(a, b);
    const double dd = stic_vec3_norm2(d), ee = stic_vec3_norm2(e), de = stic_vec3_dot(d, e);
    const double det = dd * ee - de * de;
    const double f = stic_vec3_dot(d, o), g = stic_vec3_dot(e, o);
    if (det > 1e-12 * dd * ee) {
        const double s = (de * g - ee * f) / det, t = (dd * g - de * f) / det;
        if (s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0)
            return stic_vec3_norm(stic_vec3_add_scaled(stic_vec3_add_scaled(o, s, d), -t, e));
    }
    return (double)INFINITY; // the ends are answered by vertices and faces
}

static inline double narrow_vertex_faces(const NarrowBody* A, const NarrowBody* B)
{
    double best = (double)INFINITY;
    for (int32_t i = 0; i < A->p->vertex_count; ++i)
        for (int32_t f = 0; f < B->p->face_count; ++f) {
            const int32_t from = B->p->face_begin[f], to = B->p->face_begin[f + 1];
            for (int32_t k = from + 1; k + 1 < to; ++k)
                best = fmin(best,
                            narrow_point_triangle(A->vertex[i], B->vertex[B->p->face_vertex[from]],
                                                  B->vertex[B->p->face_vertex[k]],
                                                  B->vertex[B->p->face_vertex[k + 1]]));
        }
    return best;
}

/// Distance of two polyhedra that are apart.
static inline double narrow_distance(const NarrowBody* A, const NarrowBody* B)
{
    double best = fmin(narrow_vertex_faces(A, B), narrow_vertex_faces(B, A));
    for (int32_t i = 0; i < A->p->edge_count; ++i)
        for (int32_t j = 0; j < B->p->edge_count; ++j) {
            const int32_t *v = A->p->edge[i].vertex, *w = B->p->edge[j].vertex;
            best = fmin(best, narrow_segments(A->vertex[v[0]],
                                              stic_vec3_sub(A->vertex[v[1]], A->vertex[v[0]]),
                                              B->vertex[w[0]],
                                              stic_vec3_sub(B->vertex[w[1]], B->vertex[w[0]])));
        }
    return best;
}

static inline SticCollide* narrow_create(void)
{
    const SticContext context = stic_context_default();
    const SticCollideSettings settings = stic_collide_default_settings();
    SticCollide* collide = NULL;
    assert_int_equal(stic_collide_create(&context, &settings, &collide), STIC_OK);
    return collide;
}

enum { NARROW_KINDS = 7 };
static const char* const narrow_kind_name[NARROW_KINDS] __attribute__((unused)) = {
    "sphere", "box", "capsule", "cylinder", "ellipsoid", "hull", "half-space"};

// a shape of one of these kinds, about 1 m large
static inline SticShape* narrow_kind(int kind, SticRandom* random)
{
    const SticContext context = stic_context_default();
    SticShape* shape = NULL;
    SticStatus status = STIC_OK;
    switch (kind) {
    case 0:
        status = stic_shape_create_sphere(&context, 0.6, &shape, NULL);
        break;
    case 1:
        return narrow_box(0.8, 0.5, 0.3);
    case 2:
        status = stic_shape_create_capsule(&context, 0.3, 0.7, &shape, NULL);
        break;
    case 3:
        status = stic_shape_create_cylinder(&context, 0.5, 0.4, &shape, NULL);
        break;
    case 4:
        status = stic_shape_create_ellipsoid(&context, stic_vec3(0.4, 0.6, 0.9), &shape, NULL);
        break;
    case 5:
        return narrow_hull(random, 14, 0.7);
    default:
        status = stic_shape_create_half_space(&context, stic_vec3(0, 0, 1), -0.2, &shape, NULL);
    }
    assert_int_equal(status, STIC_OK);
    return shape;
}

/// Sum of the areas of the contacts found.
static inline double narrow_area_sum(const NarrowFound* found)
{
    double sum = 0.0;
    for (int32_t i = 0; i < found->count; ++i)
        sum += found->list[i].area;
    return sum;
}

/// A shape of a pair, turned by R and placed at a point.
static inline SticCollider narrow_at(const SticShape* shape, SticMat3 R, double x, double y,
                                     double z, uint32_t key)
{
    return (SticCollider){shape, stic_pose_rigid(R, stic_vec3(x, y, z)), key};
}

#endif

// SPDX-License-Identifier: Apache-2.0
// Support points against definitions, boxes against support points.
#include <math.h>
#include <string.h>

#include "helpers/helpers.h"
#include "helpers/narrow.h"
#include "math/math.h"
#include "shape/shape.h"

enum { SHAPES = 9 };

static const SticVec3 corners[8] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0},
                                    {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1.5}};

static SticShape* hull_of(SticRandom* random, int32_t count)
{
    static SticVec3 point[5000];
    for (int32_t i = 0; i < count; ++i) {
        double x[3];
        test_random_unit(random, 3, x);
        point[i] = stic_vec3(x[0], x[1], 2.0 * x[2] + 0.5);
    }
    return narrow_hull_of(point, count);
}

static void make_shapes(SticShape* shape[SHAPES])
{
    const SticContext c = stic_context_default();
    SticRandom random = stic_random_create(1);
    assert_int_equal(stic_shape_create_sphere(&c, 0.7, &shape[0], NULL), STIC_OK);
    assert_int_equal(stic_shape_create_box(&c, stic_vec3(1, 2, 3), &shape[1], NULL), STIC_OK);
    assert_int_equal(stic_shape_create_capsule(&c, 0.5, 1.5, &shape[2], NULL), STIC_OK);
    assert_int_equal(stic_shape_create_cylinder(&c, 0.5, 1.5, &shape[3], NULL), STIC_OK);
    assert_int_equal(stic_shape_create_ellipsoid(&c, stic_vec3(1, 2, 0.3), &shape[4], NULL),
                     STIC_OK);
    shape[5] = hull_of(&random, 20);
    shape[6] = hull_of(&random, 3000);
    SticMeshDef mesh = stic_mesh_default_def();
    const int32_t triangle[9] = {0, 1, 3, 1, 5, 7, 4, 6, 2};
    mesh.vertex = corners;
    mesh.vertex_count = 8;
    mesh.face_vertex = triangle;
    mesh.face_count = 3;
    assert_int_equal(stic_shape_create_mesh(&c, &mesh, &shape[7], NULL), STIC_OK);
    SticCompoundDef def = stic_compound_default_def();
    const SticShape* const part[2] = {shape[1], shape[0]};
    const SticPose place[2] = {
        stic_pose_identity(),
        stic_pose_affine(stic_mat3_diag(stic_vec3(2, 1, 1)), stic_vec3(2, 0, 4))};
    def.shape = part;
    def.pose = place;
    def.count = 2;
    assert_int_equal(stic_shape_create_compound(&c, &def, &shape[8], NULL), STIC_OK);
}

// distance outside the definition of the shape, 0 if inside
static double outside(const SticShape* shape, SticVec3 x)
{
    switch (shape->kind) {
    case STIC_SHAPE_SPHERE:
        return fmax(0.0, stic_vec3_norm(x) - 0.7);
    case STIC_SHAPE_BOX:
        return fmax(0.0, fmax(fabs(x.x) - 1.0, fmax(fabs(x.y) - 2.0, fabs(x.z) - 3.0)));
    case STIC_SHAPE_CAPSULE:
        return fmax(0.0, stic_vec3_norm(stic_vec3(x.x, x.y, fmax(0.0, fabs(x.z) - 1.5))) - 0.5);
    case STIC_SHAPE_CYLINDER:
        return fmax(0.0, fmax(sqrt(x.x * x.x + x.y * x.y) - 0.5, fabs(x.z) - 1.5));
    case STIC_SHAPE_ELLIPSOID:
        return fmax(0.0, sqrt(x.x * x.x + x.y * x.y / 4.0 + x.z * x.z / 0.09) - 1.0);
    default:
        return 0.0;
    }
}

// the support point belongs to the shape and no other point of it lies farther
static void test_definition(void** state)
{
    (void)state;
    SticShape* shape[SHAPES];
    make_shapes(shape);
    SticRandom random = stic_random_create(3);
    for (int s = 0; s < 5; ++s)
        for (int trial = 0; trial < 2000; ++trial) {
            double d[3], y[3];
            test_random_unit(&random, 3, d);
            if (trial % 7 == 0)
                d[trial % 3] = 0.0;
            if (trial % 11 == 0)
                d[0] = d[1] = 0.0;
            if (d[0] == 0.0 && d[1] == 0.0 && d[2] == 0.0)
                continue;
            const SticVec3 dir = stic_vec3_scale(trial % 2 ? 1e-180 : 3.0, stic_vec3_load(d));
            const SticVec3 x = stic_shape_support(shape[s], dir);
            test_less(outside(shape[s], x), 1e-15 * 4);
            // random points of the shape, many near the support point
            for (int i = 0; i < 20; ++i) {
                test_random_vector(&random, 3, -1.0, 1.0, y);
                const SticVec3 p = stic_vec3_add_scaled(x, i % 2 ? 0.1 : 3.0, stic_vec3_load(y));
                if (outside(shape[s], p) == 0.0)
                    test_at_most(stic_vec3_dot(dir, stic_vec3_sub(p, x)),
                                 1e-15 * 8 * stic_vec3_norm(dir));
            }
        }
    for (int s = 0; s < SHAPES; ++s)
        stic_shape_destroy(shape[s]);
}

// polyhedra against all vertices, small and climbed, from any start
static void test_brute_force(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(4);
    for (int32_t count = 4; count <= 4000; count = count * 2 + 1) {
        SticShape* shape = hull_of(&random, count);
        const SticPolyhedron* p = stic_shape_polyhedron(shape);
        for (int trial = 0; trial < 500; ++trial) {
            double d[3];
            test_random_unit(&random, 3, d);
            SticVec3 dir = stic_vec3_load(d);
            if (trial % 3 == 0)
                dir = p->plane[trial % p->face_count].normal;
            int32_t best = 0;
            for (int32_t v = 1; v < p->vertex_count; ++v)
                if (stic_vec3_dot(dir, p->vertex[v]) > stic_vec3_dot(dir, p->vertex[best]))
                    best = v;
            const int32_t start = (int32_t)(stic_random_uniform(&random) * p->vertex_count);
            const int32_t got = stic_polyhedron_support(p, dir, start);
            test_at_least(stic_vec3_dot(dir, p->vertex[got]),
                          stic_vec3_dot(dir, p->vertex[best]) - 1e-15 * 8);
            if (p->vertex_count <= 32)
                assert_int_equal(got, best);
        }
        stic_shape_destroy(shape);
    }
}

// posed boxes: tight in all six directions, wider by the margin
static void test_bounds(void** state)
{
    (void)state;
    SticShape* shape[SHAPES];
    make_shapes(shape);
    SticRandom random = stic_random_create(5);
    double worst = 0.0;
    for (int s = 0; s < SHAPES; ++s)
        for (int trial = 0; trial < 200; ++trial) {
            double R[9], S[9];
            test_random_rotation(&random, R);
            test_random_vector(&random, 9, -0.3, 0.3, S);
            for (int i = 0; i < 9; ++i)
                S[i] += R[i];
            const SticPose pose = trial % 2
                                      ? stic_pose_rigid(stic_mat3_load(R), stic_vec3(3, 4, 5))
                                      : stic_pose_affine(stic_mat3_load(S), stic_vec3(3, 4, 5));
            const SticBounds box = stic_shape_bounds(shape[s], &pose, 0.25);
            for (int axis = 0; axis < 3; ++axis) {
                double e[3] = {0.0, 0.0, 0.0};
                e[axis] = 1.0;
                const SticVec3 up = stic_vec3_load(e);
                const double high =
                    stic_vec3_dot(up, stic_shape_support_posed(shape[s], &pose, up));
                const double low =
                    stic_vec3_dot(up, stic_shape_support_posed(shape[s], &pose, stic_vec3_neg(up)));
                const double d = fmax(fabs(stic_vec3_get(box.high, axis) - high - 0.25),
                                      fabs(stic_vec3_get(box.low, axis) - low + 0.25));
                worst = test_worse(worst, d);
            }
        }
    print_message("boxes and support points agree to %.1e\n", worst);
    test_less(worst, 1e-14);
    for (int s = 0; s < SHAPES; ++s)
        stic_shape_destroy(shape[s]);
}

// the bounding sphere holds the shape, the inner one lies in it
static void test_spheres(void** state)
{
    (void)state;
    SticShape* shape[SHAPES];
    make_shapes(shape);
    SticRandom random = stic_random_create(6);
    for (int s = 0; s < SHAPES; ++s)
        for (int trial = 0; trial < 1000; ++trial) {
            double d[3];
            test_random_unit(&random, 3, d);
            const SticVec3 dir = stic_vec3_load(d);
            const SticVec3 x = stic_shape_support(shape[s], dir);
            test_at_most(stic_vec3_distance(x, shape[s]->centre), shape[s]->radius * (1.0 + 1e-14));
            const double depth = stic_vec3_dot(dir, stic_vec3_sub(x, shape[s]->centre));
            test_at_least(depth, shape[s]->inner_radius * (1.0 - 1e-14));
            if (stic_shape_is_convex(shape[s])) {
                test_greater(shape[s]->inner_radius, 0.0);
            }
        }
    for (int s = 0; s < SHAPES; ++s)
        stic_shape_destroy(shape[s]);
}

static void test_half_space(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticShape* shape = NULL;
    assert_int_equal(stic_shape_create_half_space(&context, stic_vec3(0, 0, 5), 2.0, &shape, NULL),
                     STIC_OK);
    const SticPose pose = stic_pose_rigid(stic_mat3_identity(), stic_vec3(1, 1, 1));
    SticBounds box = stic_shape_bounds(shape, &pose, 0.5);
    test_equal(box.high.z, 3.5);
    assert_true(isinf(box.low.z) && isinf(box.high.x) && isinf(box.low.y));
    // turned to face -x
    const SticMat3 turn = {{{0, 0, -1}, {0, 1, 0}, {1, 0, 0}}};
    const SticPose side = stic_pose_rigid(turn, stic_vec3(1, 1, 1));
    box = stic_shape_bounds(shape, &side, 0.0);
    test_equal(box.low.x, -1.0);
    assert_true(isinf(box.high.x) && isinf(box.high.z));
    assert_true(isinf(stic_shape_size(shape)));
    stic_shape_destroy(shape);
}

// vertices given with the pose
static void test_moving_vertices(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticMeshDef def = stic_mesh_default_def();
    SticVec3 now[8];
    const int32_t triangle[12] = {0, 1, 2, 1, 3, 2, 4, 6, 5, 5, 6, 7};
    SticShape* shape = NULL;
    def.vertex = corners;
    def.vertex_count = 8;
    def.face_vertex = triangle;
    def.face_count = 4;
    assert_int_equal(stic_shape_create_surface(&context, &def, &shape, NULL), STIC_OK);
    for (int i = 0; i < 8; ++i)
        now[i] = stic_vec3(10.0 + corners[i].x * corners[i].z, corners[i].y, -corners[i].z);
    const SticPose pose = stic_pose_vertices(now);
    const SticBounds box = stic_shape_bounds(shape, &pose, 1.0);
    assert_true(stic_vec3_is_equal(box.low, stic_vec3(9.0, -1.0, -2.5)));
    assert_true(stic_vec3_is_equal(box.high, stic_vec3(12.5, 2.0, 1.0)));
    const SticVec3 x = stic_shape_support_posed(shape, &pose, stic_vec3(1.0, 0.1, 0.0));
    assert_true(stic_vec3_is_equal(x, stic_vec3(11.5, 1.0, -1.5)));
    // without vertices the reference form is placed
    const SticPose still = stic_pose_rigid(stic_mat3_identity(), stic_vec3(1, 0, 0));
    assert_true(
        stic_vec3_is_equal(stic_shape_bounds(shape, &still, 0.0).high, stic_vec3(2.0, 1.0, 1.5)));
    stic_shape_destroy(shape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_definition), cmocka_unit_test(test_brute_force),
        cmocka_unit_test(test_bounds),     cmocka_unit_test(test_spheres),
        cmocka_unit_test(test_half_space), cmocka_unit_test(test_moving_vertices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

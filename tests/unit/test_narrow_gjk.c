// SPDX-License-Identifier: Apache-2.0
// Distance of convex shapes against enumeration of features and against formulas.
#include "helpers/helpers.h"
#include "helpers/narrow.h"

enum { PAIRS = 2000 };

static void check_pair(const SticShape* A, const SticPose* a, const SticShape* B, const SticPose* b,
                       double* worst, int64_t* steps)
{
    static NarrowBody bodies[2];
    narrow_body(A, a, &bodies[0]);
    narrow_body(B, b, &bodies[1]);
    const double apart = narrow_separation(&bodies[0], &bodies[1]);
    const double expected = apart > 0.0 ? narrow_distance(&bodies[0], &bodies[1]) : 0.0;
    for (int method = 0; method < 2; ++method) {
        const SticDistance d = stic_gjk_distance(A, a, B, b, (SticSubdistance)method);
        const double error = fabs(d.distance - expected);
        *worst = error > *worst ? error : *worst;
        *steps += d.iterations;
        if (d.distance > 0.0) {
            test_less(fabs(stic_vec3_norm(d.normal) - 1.0), 1e-14);
            test_less(fabs(stic_vec3_distance(d.point[0], d.point[1]) - d.distance), 1e-12);
            // nothing of A lies below the plane through its point, nothing of B above
            test_greater(narrow_along(&bodies[0], &bodies[1], d.normal), d.distance - 1e-10);
        }
    }
}

static void test_polyhedra(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(3);
    double worst = 0.0;
    int64_t steps = 0;
    for (int32_t k = 0; k < PAIRS; ++k) {
        const double thin = k % 4 == 0 ? 1e-4 : k % 4 == 1 ? 0.1 : 1.0;
        SticShape* A = k % 3 == 0 ? narrow_box(1.0, 0.5, thin) : narrow_hull(&random, 8, thin);
        SticShape* B = k % 2 == 0 ? narrow_box(1.0, 1.0, 1.0) : narrow_hull(&random, 12, 1.0);
        const SticPose a =
            stic_pose_rigid(test_random_turn(&random), narrow_random_vec(&random, 2.5));
        SticPose b = stic_pose_identity();
        if (k % 5 != 0)
            b.F = test_random_turn(&random);
        check_pair(A, &a, B, &b, &worst, &steps);
        stic_shape_destroy(A);
        stic_shape_destroy(B);
    }
    print_message("distance of %d pairs: largest error %.2e, %.2f support points\n", PAIRS, worst,
                  (double)steps / (2.0 * PAIRS));
    test_less(worst, 1e-12);
}

static void test_round(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticShape *sphere, *capsule, *ellipsoid;
    assert_int_equal(stic_shape_create_sphere(&context, 0.5, &sphere, NULL), STIC_OK);
    assert_int_equal(stic_shape_create_capsule(&context, 0.25, 1.0, &capsule, NULL), STIC_OK);
    assert_int_equal(
        stic_shape_create_ellipsoid(&context, stic_vec3(1.0, 2.0, 3.0), &ellipsoid, NULL), STIC_OK);
    const SticPose o = stic_pose_identity();
    const SticPose x = stic_pose_rigid(stic_mat3_identity(), stic_vec3(3.0, 0.0, 0.3));
    SticDistance d = stic_gjk_distance(sphere, &x, capsule, &o, STIC_SUBDISTANCE_FACES);
    test_less(fabs(d.distance - 2.25), 1e-15);
    d = stic_gjk_distance(sphere, &x, sphere, &o, STIC_SUBDISTANCE_JOHNSON);
    test_less(fabs(d.distance - (sqrt(9.09) - 1.0)), 1e-15);
    // the ellipsoid along its first axis
    const SticPose far = stic_pose_rigid(stic_mat3_identity(), stic_vec3(7.0, 0.0, 0.0));
    d = stic_gjk_distance(sphere, &far, ellipsoid, &o, STIC_SUBDISTANCE_FACES);
    print_message("sphere and ellipsoid: %.17g, %d support points\n", d.distance, d.iterations);
    test_less(fabs(d.distance - 5.5), 1e-11);
    stic_shape_destroy(sphere);
    stic_shape_destroy(capsule);
    stic_shape_destroy(ellipsoid);
}

// the same answer for any scale, exactly for powers of two
static void test_scale(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(5);
    for (int32_t k = 0; k < 200; ++k) {
        const double s = k % 2 == 0 ? 0x1p-30 : 0x1p30;
        SticShape *A = narrow_box(1.0, 2.0, 0.25), *B = narrow_box(s, 2.0 * s, 0.25 * s);
        SticPose a = stic_pose_rigid(test_random_turn(&random), narrow_random_vec(&random, 4.0));
        const SticPose o = stic_pose_identity();
        const double one = stic_gjk_distance(A, &a, A, &o, STIC_SUBDISTANCE_FACES).distance;
        a.origin = stic_vec3_scale(s, a.origin);
        const double two = stic_gjk_distance(B, &a, B, &o, STIC_SUBDISTANCE_FACES).distance;
        test_equal(one * s, two);
        stic_shape_destroy(A);
        stic_shape_destroy(B);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_polyhedra),
        cmocka_unit_test(test_round),
        cmocka_unit_test(test_scale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// Mass properties: closed forms, sums, transformations, principal axes, poses.
#include <math.h>
#include <string.h>

#include "helpers/helpers.h"
#include "math/math.h"
#include "shape/shape.h"

static SticMassProperties mass_of(const SticShape* shape, double density)
{
    SticMassProperties mass;
    SticError error = {0};
    if (stic_shape_mass(shape, density, &mass, &error) != STIC_OK)
        fail_msg("%s", error.text);
    return mass;
}

static double relative(SticMat3 a, SticMat3 b)
{
    return stic_mat3_norm(stic_mat3_sub(a, b)) / stic_mat3_norm(b);
}

// mass m and principal moments A, B, C about x, y, z, textbook values
static void expect(SticShape* shape, double m, double A, double B, double C)
{
    const double density = 7.8;
    const SticMassProperties mass = mass_of(shape, density);
    test_less(fabs(mass.mass / (density * m) - 1.0), 1e-15 * 4);
    test_less(fabs(mass.volume / m - 1.0), 1e-15 * 4);
    test_equal(stic_vec3_norm(mass.centre), 0.0);
    const SticMat3 J = stic_mat3_diag(stic_vec3(density * A, density * B, density * C));
    test_less(relative(mass.inertia, J), 1e-15 * 4);
    // J = tr(E) I - E the other way round: E = tr(J)/2 I - J
    const SticMat3 E =
        stic_mat3_sub(stic_mat3_scale(0.5 * stic_mat3_trace(J), stic_mat3_identity()), J);
    test_less(relative(mass.euler, E), 1e-14);
    stic_shape_destroy(shape);
}

static void test_closed_forms(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    const double pi = 3.14159265358979323846;
    SticShape* shape = NULL;

    const double r = 0.3;
    assert_int_equal(stic_shape_create_sphere(&context, r, &shape, NULL), STIC_OK);
    double m = 4.0 / 3.0 * pi * r * r * r;
    expect(shape, m, 0.4 * m * r * r, 0.4 * m * r * r, 0.4 * m * r * r);

    const double a = 2.0, b = 3.0, c = 5.0;
    assert_int_equal(stic_shape_create_box(&context, stic_vec3(a / 2, b / 2, c / 2), &shape, NULL),
                     STIC_OK);
    m = a * b * c;
    expect(shape, m, m / 12 * (b * b + c * c), m / 12 * (a * a + c * c), m / 12 * (a * a + b * b));

    const double h = 1.7;
    assert_int_equal(stic_shape_create_cylinder(&context, r, h / 2, &shape, NULL), STIC_OK);
    m = pi * r * r * h;
    expect(shape, m, m / 12 * (3 * r * r + h * h), m / 12 * (3 * r * r + h * h), m / 2 * r * r);

    assert_int_equal(stic_shape_create_ellipsoid(&context, stic_vec3(a, b, c), &shape, NULL),
                     STIC_OK);
    m = 4.0 / 3.0 * pi * a * b * c;
    expect(shape, m, m / 5 * (b * b + c * c), m / 5 * (a * a + c * c), m / 5 * (a * a + b * b));

    // capsule: cylinder and two half balls moved out by Steiner's theorem
    assert_int_equal(stic_shape_create_capsule(&context, r, h / 2, &shape, NULL), STIC_OK);
    const double mc = pi * r * r * h, mb = 2.0 / 3.0 * pi * r * r * r;
    const double own = 83.0 / 320.0 * mb * r * r, arm = h / 2 + 3.0 / 8.0 * r;
    const double across = mc / 12 * (3 * r * r + h * h) + 2.0 * (own + mb * arm * arm);
    expect(shape, mc + 2 * mb, across, across, mc / 2 * r * r + 2.0 * 0.4 * mb * r * r);
    // without its segment a capsule is a ball
    assert_int_equal(stic_shape_create_capsule(&context, r, 0.0, &shape, NULL), STIC_OK);
    m = 2 * mb;
    expect(shape, m, 0.4 * m * r * r, 0.4 * m * r * r, 0.4 * m * r * r);
}

// fine hulls of round bodies approach the closed forms at second order in the spacing
static void test_hulls_of_round_bodies(void** state)
{
    (void)state;
    enum { MOST = 96 * 49 };
    static SticVec3 point[MOST];
    const SticContext context = stic_context_default();
    const SticVec3 axes = stic_vec3(1.0, 0.6, 0.35);
    SticShape* exact = NULL;
    assert_int_equal(stic_shape_create_ellipsoid(&context, axes, &exact, NULL), STIC_OK);
    const SticMassProperties expected = mass_of(exact, 1.0);
    double before = 0.0;
    for (int n = 24; n <= 96; n *= 2) {
        int32_t count = 0;
        for (int i = 0; i < n; ++i)
            for (int j = 0; j <= n / 2; ++j) {
                const double u = 2 * STIC_PI * i / n, v = 2 * STIC_PI * j / n;
                point[count++] =
                    stic_vec3_mul(axes, stic_vec3(cos(u) * sin(v), sin(u) * sin(v), cos(v)));
            }
        SticPolyhedronDef def = stic_polyhedron_default_def();
        def.vertex = point;
        def.vertex_count = count;
        SticShape* hull = NULL;
        SticError error = {0};
        if (stic_shape_create_polyhedron(&context, &def, &hull, &error) != STIC_OK)
            fail_msg("%s", error.text);
        const SticMassProperties mass = mass_of(hull, 1.0);
        const double defect = relative(mass.inertia, expected.inertia);
        print_message("ellipsoid as hull of %4d points, %4d faces: inertia off by %.2e%s%.2f\n",
                      count, stic_shape_polyhedron(hull)->face_count, defect,
                      before > 0 ? ", order " : " ", before > 0 ? log2(before / defect) : 0.0);
        if (before > 0.0)
            test_less(fabs(log2(before / defect) - 2.0), 0.05);
        before = defect;
        stic_shape_destroy(hull);
    }
    stic_shape_destroy(exact);
}

static void test_transform_and_add(void** state)
{
    (void)state;
    // eight small boxes make a large one
    const SticContext context = stic_context_default();
    SticShape *small = NULL, *large = NULL;
    const SticVec3 half = stic_vec3(0.5, 0.25, 1.0);
    assert_int_equal(stic_shape_create_box(&context, half, &small, NULL), STIC_OK);
    assert_int_equal(stic_shape_create_box(&context, stic_vec3_scale(2.0, half), &large, NULL),
                     STIC_OK);
    const SticMassProperties one = mass_of(small, 3.0), whole = mass_of(large, 3.0);
    SticMassProperties sum = {0};
    for (int i = 0; i < 8; ++i) {
        const SticPose pose = stic_pose_rigid(
            stic_mat3_identity(), stic_vec3(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y,
                                            i & 4 ? half.z : -half.z));
        const SticMassProperties part = stic_inertia_transform(&one, &pose);
        sum = stic_inertia_add(&sum, &part);
    }
    test_less(fabs(sum.mass / whole.mass - 1.0), 1e-15);
    test_less(relative(sum.inertia, whole.inertia), 1e-15);
    test_less(stic_vec3_norm(sum.centre), 1e-16);

    // a stretched ball is an ellipsoid
    SticShape *ball = NULL, *ellipsoid = NULL;
    const SticVec3 axes = stic_vec3(1.0, 2.0, 4.0);
    assert_int_equal(stic_shape_create_sphere(&context, 1.0, &ball, NULL), STIC_OK);
    assert_int_equal(stic_shape_create_ellipsoid(&context, axes, &ellipsoid, NULL), STIC_OK);
    const SticPose stretch = stic_pose_affine(stic_mat3_diag(axes), stic_vec3_zero());
    const SticMassProperties round = mass_of(ball, 8.0), expected = mass_of(ellipsoid, 1.0);
    const SticMassProperties got = stic_inertia_transform(&round, &stretch);
    test_less(fabs(got.volume / expected.volume - 1.0), 1e-15);
    test_less(fabs(got.mass / expected.mass - 1.0), 1e-15);
    test_less(relative(got.euler, expected.euler), 1e-15);
    stic_shape_destroy(small);
    stic_shape_destroy(large);
    stic_shape_destroy(ball);
    stic_shape_destroy(ellipsoid);
}

static void test_principal(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticRandom random = stic_random_create(2);
    SticShape* shape = NULL;
    assert_int_equal(stic_shape_create_box(&context, stic_vec3(1.0, 2.0, 3.0), &shape, NULL),
                     STIC_OK);
    const SticMassProperties mass = mass_of(shape, 1.0);
    for (int trial = 0; trial < 100; ++trial) {
        double R[9];
        test_random_rotation(&random, R);
        const SticPose pose = stic_pose_rigid(stic_mat3_load(R), stic_vec3(1.0, 2.0, 3.0));
        const SticMassProperties turned = stic_inertia_transform(&mass, &pose);
        SticVec3 moments;
        SticMat3 axes;
        stic_inertia_principal(&turned, &moments, &axes);
        const double m = mass.mass / 3.0;
        test_less(fabs(moments.x / (m * 5.0) - 1.0), 1e-14);
        test_less(fabs(moments.y / (m * 10.0) - 1.0), 1e-14);
        test_less(fabs(moments.z / (m * 13.0) - 1.0), 1e-14);
        test_less(fabs(stic_mat3_det(axes) - 1.0), 1e-14);
        const SticMat3 back =
            stic_mat3_mul_transpose(stic_mat3_mul(axes, stic_mat3_diag(moments)), axes);
        test_less(relative(back, turned.inertia), 1e-14);
    }
    stic_shape_destroy(shape);
}

static void test_poses(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(12);
    double R[9], S[9], x[3];
    for (int trial = 0; trial < 100; ++trial) {
        test_random_rotation(&random, R);
        test_random_vector(&random, 9, -1.0, 1.0, S);
        test_random_vector(&random, 3, -1.0, 1.0, x);
        const SticPose outer = stic_pose_rigid(stic_mat3_load(R), stic_vec3(1.0, -2.0, 3.0));
        const SticPose inner = stic_pose_affine(stic_mat3_load(S), stic_vec3_load(x));
        const SticPose both = stic_pose_compose(&outer, &inner);
        const SticVec3 X = stic_vec3(x[1], x[2], x[0]);
        const SticVec3 two = stic_pose_apply(&outer, stic_pose_apply(&inner, X));
        test_less(stic_vec3_distance(two, stic_pose_apply(&both, X)), 1e-14);
        assert_false(both.rigid);
    }
    const SticPose same = stic_pose_identity();
    assert_true(same.rigid);
    assert_true(stic_vec3_is_equal(stic_pose_apply(&same, stic_vec3(1, 2, 3)), stic_vec3(1, 2, 3)));
}

static void refuse(SticStatus status, SticStatus expected, const SticShape* shape,
                   const SticError* error, const char* word)
{
    print_message("%s\n", error->text);
    assert_int_equal(status, expected);
    assert_int_equal(error->status, expected);
    assert_null(shape);
    if (strstr(error->text, word) == NULL)
        fail_msg("'%s' does not mention '%s'", error->text, word);
}

static void test_refused(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    const double nan = (double)NAN, inf = (double)INFINITY;
    SticShape* s = NULL;
    SticError e = {0};
    refuse(stic_shape_create_sphere(&context, 0.0, &s, &e), STIC_BAD_ARGUMENT, s, &e, "radius");
    refuse(stic_shape_create_sphere(&context, nan, &s, &e), STIC_NOT_FINITE, s, &e, "radius");
    refuse(stic_shape_create_box(&context, stic_vec3(1, -1, 1), &s, &e), STIC_BAD_ARGUMENT, s, &e,
           "half length");
    refuse(stic_shape_create_box(&context, stic_vec3(1, inf, 1), &s, &e), STIC_NOT_FINITE, s, &e,
           "half length");
    refuse(stic_shape_create_capsule(&context, 0.0, 1.0, &s, &e), STIC_BAD_ARGUMENT, s, &e,
           "radius");
    refuse(stic_shape_create_capsule(&context, 1.0, -1.0, &s, &e), STIC_BAD_ARGUMENT, s, &e,
           "half length");
    refuse(stic_shape_create_cylinder(&context, 1.0, 0.0, &s, &e), STIC_BAD_ARGUMENT, s, &e,
           "half height");
    refuse(stic_shape_create_ellipsoid(&context, stic_vec3(1, 1, 0), &s, &e), STIC_BAD_ARGUMENT, s,
           &e, "semi-axis");
    refuse(stic_shape_create_half_space(&context, stic_vec3_zero(), 0.0, &s, &e), STIC_BAD_ARGUMENT,
           s, &e, "normal");
    refuse(stic_shape_create_half_space(&context, stic_vec3(0, nan, 1), 0.0, &s, &e),
           STIC_NOT_FINITE, s, &e, "half-space");

    SticMassProperties mass;
    assert_int_equal(stic_shape_create_half_space(&context, stic_vec3(0, 0, 2), 1.0, &s, &e),
                     STIC_OK);
    refuse(stic_shape_mass(s, 1.0, &mass, &e), STIC_BAD_DATA, NULL, &e, "half-space");
    stic_shape_destroy(s);
    assert_int_equal(stic_shape_create_sphere(&context, 1.0, &s, &e), STIC_OK);
    refuse(stic_shape_mass(s, 0.0, &mass, &e), STIC_BAD_ARGUMENT, NULL, &e, "density");
    refuse(stic_shape_mass(s, nan, &mass, &e), STIC_BAD_ARGUMENT, NULL, &e, "density");
    stic_shape_destroy(s);
    stic_shape_destroy(NULL);
    for (int k = 0; k < STIC_SHAPE_KIND_COUNT; ++k)
        test_greater(strlen(stic_shape_kind_name((SticShapeKind)k)), 2);
}

static SticStatus make_all(const SticContext* context, void* self)
{
    (void)self;
    SticShape* s = NULL;
    STIC_TRY(stic_shape_create_sphere(context, 1.0, &s, NULL));
    stic_shape_destroy(s);
    STIC_TRY(stic_shape_create_box(context, stic_vec3(1, 1, 1), &s, NULL));
    stic_shape_destroy(s);
    STIC_TRY(stic_shape_create_half_space(context, stic_vec3(1, 1, 1), 1.0, &s, NULL));
    stic_shape_destroy(s);
    return STIC_OK;
}

static void test_memory(void** state)
{
    (void)state;
    test_fail_every_allocation(make_all, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed_forms),
        cmocka_unit_test(test_hulls_of_round_bodies),
        cmocka_unit_test(test_transform_and_add),
        cmocka_unit_test(test_principal),
        cmocka_unit_test(test_poses),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// Vectors, matrices and quaternions: algebraic identities on random data.
#include "helpers/helpers.h"

#include <math.h>
#include <stdio.h>

#include "math/math.h"
#include "stiction/extend/vec3.h"

enum { CASES = 2000 };

static SticVec3 random_vec(SticRandom* random)
{
    const double x = stic_random_range(random, -1.0, 1.0);
    const double y = stic_random_range(random, -1.0, 1.0);
    return stic_vec3(x, y, stic_random_range(random, -1.0, 1.0));
}

static SticMat3 random_mat(SticRandom* random)
{
    const SticVec3 a = random_vec(random), b = random_vec(random);
    return stic_mat3_from_rows(a, b, random_vec(random));
}

static SticQuat random_quat(SticRandom* random)
{
    const SticVec3 v = random_vec(random);
    return stic_quat(stic_random_range(random, -1.0, 1.0), v);
}

static double mat_distance(SticMat3 a, SticMat3 b)
{
    return stic_mat3_norm(stic_mat3_sub(a, b));
}

static void vector_identities(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(1);
    double lagrange = 0.0, jacobi = 0.0, unit = 0.0;
    for (int i = 0; i < CASES; ++i) {
        const SticVec3 a = random_vec(&random), b = random_vec(&random), c = random_vec(&random);
        // |a x b|^2 + (a.b)^2 = |a|^2 |b|^2
        const double ab = stic_vec3_dot(a, b);
        lagrange = test_worse(lagrange, fabs(stic_vec3_norm2(stic_vec3_cross(a, b)) + ab * ab -
                                             stic_vec3_norm2(a) * stic_vec3_norm2(b)));
        // a x (b x c) + b x (c x a) + c x (a x b) = 0
        const SticVec3 sum =
            stic_vec3_add(stic_vec3_cross(a, stic_vec3_cross(b, c)),
                          stic_vec3_add(stic_vec3_cross(b, stic_vec3_cross(c, a)),
                                        stic_vec3_cross(c, stic_vec3_cross(a, b))));
        jacobi = test_worse(jacobi, stic_vec3_norm(sum));
        // any size can be normalised
        const double size = ldexp(1.0, (int)stic_random_range(&random, -1060.0, 1020.0));
        const SticVec3 n = stic_vec3_normalize(stic_vec3_scale(size, a));
        if (size > 0x1p-1000)
            unit = test_worse(unit, stic_vec3_distance(n, stic_vec3_normalize(a)));
        unit = test_worse(unit, fabs(stic_vec3_norm(n) - 1.0));
    }
    printf("lagrange %.1e, jacobi %.1e, unit length %.1e\n", lagrange, jacobi, unit);
    test_less(lagrange, 4e-15);
    test_less(jacobi, 4e-15);
    test_less(unit, 1e-15);
    assert_true(stic_vec3_is_equal(stic_vec3_normalize(stic_vec3_zero()), stic_vec3_zero()));
    assert_false(stic_vec3_is_finite(stic_vec3(0.0, NAN, 0.0)));
}

static void matrix_identities(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(2);
    double inverse_error = 0.0, det_error = 0.0, skew_error = 0.0, transpose_error = 0.0;
    for (int i = 0; i < CASES; ++i) {
        const SticMat3 a = random_mat(&random), b = random_mat(&random);
        const SticVec3 x = random_vec(&random), y = random_vec(&random);
        SticMat3 inverse;
        assert_true(stic_mat3_inverse(a, &inverse));
        // the error of a cofactor inverse grows with the condition number
        const double condition = stic_mat3_norm(a) * stic_mat3_norm(inverse);
        inverse_error =
            test_worse(inverse_error,
                       mat_distance(stic_mat3_mul(a, inverse), stic_mat3_identity()) / condition);
        det_error = test_worse(det_error, fabs(stic_mat3_det(stic_mat3_mul(a, b)) -
                                               stic_mat3_det(a) * stic_mat3_det(b)));
        skew_error =
            test_worse(skew_error, stic_vec3_distance(stic_mat3_mul_vec(stic_mat3_skew(x), y),
                                                      stic_vec3_cross(x, y)));
        skew_error =
            test_worse(skew_error, stic_vec3_distance(stic_mat3_axial(stic_mat3_skew(x)), x));
        // (a b)' = b' a', and the three products with a transpose
        transpose_error =
            test_worse(transpose_error, mat_distance(stic_mat3_mul_transpose(a, b),
                                                     stic_mat3_mul(a, stic_mat3_transpose(b))));
        transpose_error = test_worse(
            transpose_error, mat_distance(stic_mat3_transpose(stic_mat3_transpose_mul(a, b)),
                                          stic_mat3_transpose_mul(b, a)));
        transpose_error =
            test_worse(transpose_error, fabs(stic_vec3_dot(stic_mat3_mul_vec(a, x), y) -
                                             stic_vec3_dot(x, stic_mat3_transpose_mul_vec(a, y))));
        // x' A y = A : (x y')
        transpose_error =
            test_worse(transpose_error, fabs(stic_vec3_dot(x, stic_mat3_mul_vec(a, y)) -
                                             stic_mat3_contract(a, stic_mat3_outer(x, y))));
    }
    printf("inverse %.1e x condition, det %.1e, skew %.1e, transpose %.1e\n", inverse_error,
           det_error, skew_error, transpose_error);
    test_less(inverse_error, 3e-15);
    test_less(det_error, 4e-15);
    test_equal(skew_error, 0.0);
    test_less(transpose_error, 2e-15);

    SticMat3 inverse;
    const SticVec3 a = stic_vec3(1.0, 2.0, 3.0);
    assert_false(stic_mat3_inverse(stic_mat3_outer(a, a), &inverse));
    test_equal(stic_mat3_norm(inverse), 0.0);
    double store[9];
    stic_mat3_store(stic_mat3_skew(a), store);
    test_equal(mat_distance(stic_mat3_load(store), stic_mat3_skew(a)), 0.0);
}

static void frames(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(3);
    double worst = 0.0;
    for (int i = 0; i < CASES; ++i) {
        SticVec3 n = stic_vec3_normalize(random_vec(&random));
        if (i < 6)
            n = stic_vec3(i / 2 == 0 ? 1.0 : 0.0, i / 2 == 1 ? 1.0 : 0.0, i / 2 == 2 ? 1.0 : 0.0);
        if (i < 6 && i % 2 == 1)
            n = stic_vec3_neg(n);
        const SticMat3 frame = stic_mat3_frame(n);
        worst = test_worse(
            worst, mat_distance(stic_mat3_transpose_mul(frame, frame), stic_mat3_identity()));
        worst = test_worse(worst, fabs(stic_mat3_det(frame) - 1.0));
        assert_true(stic_vec3_is_equal(stic_mat3_column(frame, 0), n));
    }
    printf("contact frames: distance from orthonormal %.1e\n", worst);
    test_less(worst, 2e-15);
}

static double quat_distance(SticQuat a, SticQuat b)
{
    return stic_quat_norm(stic_quat_add(a, stic_quat_scale(-1.0, b)));
}

static void quaternion_algebra(void** state)
{
    (void)state;
    // i j = k
    const SticQuat i = {0.0, 1.0, 0.0, 0.0}, j = {0.0, 0.0, 1.0, 0.0}, k = {0.0, 0.0, 0.0, 1.0};
    test_equal(quat_distance(stic_quat_mul(i, j), k), 0.0);
    SticRandom random = stic_random_create(4);
    double product = 0.0, rotation = 0.0, phi_error = 0.0, back = 0.0;
    for (int n = 0; n < CASES; ++n) {
        const SticQuat a = random_quat(&random), b = random_quat(&random);
        const SticVec3 x = random_vec(&random);
        // (a b)* = b* a*, |a b| = |a| |b|
        const SticQuat ab = stic_quat_mul(a, b);
        product = test_worse(
            product, quat_distance(stic_quat_conjugate(ab),
                                   stic_quat_mul(stic_quat_conjugate(b), stic_quat_conjugate(a))));
        product =
            test_worse(product, fabs(stic_quat_norm(ab) - stic_quat_norm(a) * stic_quat_norm(b)));
        // the three ways to rotate, and s R = a a' + 2 a0 hat(a) + a0^2 I + hat(a)^2
        const SticQuat axa =
            stic_quat_mul(stic_quat_mul(a, stic_quat(0.0, x)), stic_quat_conjugate(a));
        const SticMat3 scaled = stic_quat_to_scaled_matrix(a);
        rotation = test_worse(rotation, fabs(axa.w));
        rotation = test_worse(
            rotation, stic_vec3_distance(stic_quat_vector(axa), stic_mat3_mul_vec(scaled, x)));
        rotation =
            test_worse(rotation, stic_vec3_distance(stic_quat_rotate(a, x), stic_quat_vector(axa)));
        const SticVec3 v = stic_quat_vector(a);
        const SticMat3 hat = stic_mat3_skew(v);
        SticMat3 moeller = stic_mat3_add_scaled(stic_mat3_outer(v, v), 2.0 * a.w, hat);
        moeller = stic_mat3_add_scaled(moeller, a.w * a.w, stic_mat3_identity());
        moeller = stic_mat3_add(moeller, stic_mat3_mul(hat, hat));
        rotation = test_worse(rotation, mat_distance(moeller, scaled));
        // psi(a b) = phi(a) psi(b)
        double phi[4][4], psi[4], psi_ab[4];
        stic_quat_left_matrix(a, phi);
        stic_quat_store(b, psi);
        stic_quat_store(ab, psi_ab);
        for (int row = 0; row < 4; ++row) {
            double sum = -psi_ab[row];
            for (int col = 0; col < 4; ++col)
                sum += phi[row][col] * psi[col];
            phi_error = test_worse(phi_error, fabs(sum));
        }
        // matrix and back
        SticQuat unit = stic_quat_normalize(a);
        if (unit.w < 0.0)
            unit = stic_quat_scale(-1.0, unit);
        back = test_worse(back, quat_distance(stic_quat_from_matrix(stic_quat_to_matrix(a)), unit));
    }
    printf("product %.1e, rotation %.1e, phi %.1e, from matrix %.1e\n", product, rotation,
           phi_error, back);
    test_less(product, 2e-15);
    test_less(rotation, 4e-15);
    test_less(phi_error, 2e-15);
    test_less(back, 2e-15);
}

static void quaternion_of_half_turns(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(5);
    double worst = 0.0;
    for (int n = 0; n < CASES; ++n) {
        SticVec3 axis = stic_vec3_normalize(random_vec(&random));
        if (n < 3)
            axis = stic_vec3(n == 0, n == 1, n == 2);
        const SticQuat q = stic_quat_from_matrix(stic_quat_to_matrix(stic_quat(0.0, axis)));
        const double forward = quat_distance(q, stic_quat(0.0, axis));
        const double backward = quat_distance(q, stic_quat(0.0, stic_vec3_neg(axis)));
        worst = test_worse(worst, forward < backward ? forward : backward);
    }
    printf("half turns: %.1e\n", worst);
    test_less(worst, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vector_identities), cmocka_unit_test(matrix_identities),
        cmocka_unit_test(frames), cmocka_unit_test(quaternion_algebra),
        cmocka_unit_test(quaternion_of_half_turns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// Rotation maps: factors against long double, identities, finite differences, drift.
#include "helpers/helpers.h"

#include <math.h>
#include <stdio.h>

#include "math/math.h"
#include "stiction/extend/vec3.h"

enum { CASES = 3000 };

static double mat_distance(SticMat3 a, SticMat3 b)
{
    return stic_mat3_norm(stic_mat3_sub(a, b));
}

static double orthogonality(SticMat3 a)
{
    return mat_distance(stic_mat3_transpose_mul(a, a), stic_mat3_identity());
}

static SticVec3 random_direction(SticRandom* random)
{
    double unit[3];
    test_random_unit(random, 3, unit);
    return stic_vec3_load(unit);
}

// rotation vector with a given angle
static SticVec3 random_psi(SticRandom* random, double angle)
{
    return stic_vec3_scale(angle, random_direction(random));
}

// angles from 1e-12 to below 2 pi, half of them uniform
static double test_angle(SticRandom* random, int i)
{
    return i % 2 == 0 ? stic_random_range(random, 0.0, 6.0)
                      : exp(stic_random_range(random, log(1e-12), log(6.0)));
}

static double relative(double value, long double exact)
{
    return (double)(fabsl((long double)value - exact) / fabsl(exact));
}

static void factors_against_long_double(void** state)
{
    (void)state;
    // reference: closed forms in long double where they do not cancel much, else series in long
    // double
    double worst[4] = {0.0, 0.0, 0.0, 0.0};
    for (int i = 1; i <= 20000; ++i) {
        const double x = ldexp((double)i, -20) * (double)i * 0.0258; // to 9.86 < pi^2
        long double sum[3] = {0.0L, 0.0L, 0.0L}, g = 0.0L, term = 1.0L;
        // term = (-x)^k / (2k)!
        for (int k = 0; k < 30; ++k) {
            const long double n = 2.0L * k;
            sum[0] += term / (n + 1.0L);
            sum[1] += term / ((n + 1.0L) * (n + 2.0L));
            sum[2] += term / ((n + 1.0L) * (n + 2.0L) * (n + 3.0L));
            g -= n * term / ((n + 1.0L) * (n + 2.0L));
            term *= -(long double)x / ((n + 1.0L) * (n + 2.0L));
        }
        const SticRotationFactors f = stic_rotation_factors(x);
        const long double inverse = g / ((long double)x * 2.0L * sum[1]);
        // sin a / a passes through 0 at pi: its error is measured against its value at 0
        worst[0] = test_worse(worst[0], (double)fabsl((long double)f.sinc - sum[0]));
        worst[1] = test_worse(worst[1], relative(f.cosc, sum[1]));
        worst[2] = test_worse(worst[2], relative(f.tanc, sum[2]));
        worst[3] = test_worse(worst[3], relative(f.inverse, inverse));
    }
    for (int k = 0; k < 4; ++k)
        printf("factor %d: relative error %.2f x 2^-53\n", k, worst[k] * 0x1p53);
    for (int k = 0; k < 4; ++k)
        test_less(worst[k], 0x1p-50);
    const SticRotationFactors zero = stic_rotation_factors(0.0);
    test_equal(zero.sinc, 1.0);
    test_equal(zero.cosc, 0.5);
    test_equal(zero.tanc, 1.0 / 6.0);
    test_near(zero.inverse, 1.0 / 12.0, 1e-17);
}

static void identities(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(1);
    double unit = 0.0, fixed = 0.0, tangent = 0.0, inverse = 0.0, quat = 0.0;
    for (int i = 0; i < CASES; ++i) {
        const double angle = test_angle(&random, i);
        const SticVec3 p = random_psi(&random, angle);
        const SticMat3 L = stic_rotation_exp(p), T = stic_rotation_tangent(p);
        const SticMat3 Tt = stic_mat3_transpose(T);
        unit = test_worse(unit, orthogonality(L));
        unit = test_worse(unit, fabs(stic_mat3_det(L) - 1.0));
        // exp[p] p = p, T p = T'p = p
        fixed = test_worse(fixed, stic_vec3_distance(stic_mat3_mul_vec(L, p), p) / angle);
        fixed = test_worse(fixed, stic_vec3_distance(stic_mat3_mul_vec(T, p), p) / angle);
        fixed = test_worse(fixed, stic_vec3_distance(stic_mat3_mul_vec(Tt, p), p) / angle);
        // T' = L'T = T L'
        tangent = test_worse(tangent, mat_distance(Tt, stic_mat3_transpose_mul(L, T)));
        tangent = test_worse(tangent, mat_distance(Tt, stic_mat3_mul_transpose(T, L)));
        const SticMat3 Ti = stic_rotation_tangent_inverse(p);
        inverse = test_worse(inverse, mat_distance(stic_mat3_mul(T, Ti), stic_mat3_identity()) /
                                          stic_mat3_norm(Ti));
        quat = test_worse(quat, mat_distance(stic_quat_to_matrix(stic_rotation_exp_quat(p)), L));
        quat = test_worse(quat, fabs(stic_quat_norm(stic_rotation_exp_quat(p)) - 1.0));
    }
    printf("orthogonal %.1e, fixed axis %.1e, T %.1e, T^-1 %.1e, quaternion %.1e\n", unit, fixed,
           tangent, inverse, quat);
    // R has entries of up to 2 (1 - cos a), six roundings each: 12 x 2^-53 x 3 in the Frobenius
    // norm
    test_less(unit, 36.0 * 0x1p-53);
    test_less(fixed, 2e-15);
    test_less(tangent, 2e-15);
    test_less(inverse, 2e-15);
    test_less(quat, 4e-15);
    test_equal(mat_distance(stic_rotation_exp(stic_vec3_zero()), stic_mat3_identity()), 0.0);
}

static void quarter_turn(void** state)
{
    (void)state;
    // about z: x -> y, y -> -x
    const SticMat3 R = stic_rotation_exp(stic_vec3(0.0, 0.0, 0.5 * STIC_PI));
    const SticMat3 exact = {{{0.0, -1.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}}};
    test_less(mat_distance(R, exact), 4e-16);
}

static void tangent_by_differences(void** state)
{
    (void)state;
    // hat(T d) = (exp[p + e d] - exp[p - e d]) / 2e exp[p]', error e^2 + rounding / e
    SticRandom random = stic_random_create(2);
    double worst = 0.0;
    for (int i = 0; i < CASES; ++i) {
        const SticVec3 p = random_psi(&random, test_angle(&random, i));
        const SticVec3 d = random_direction(&random);
        const double e = 6e-6; // cube root of 2 x rounding
        const SticMat3 ahead = stic_rotation_exp(stic_vec3_add_scaled(p, e, d));
        const SticMat3 behind = stic_rotation_exp(stic_vec3_add_scaled(p, -e, d));
        const SticMat3 rate = stic_mat3_scale(0.5 / e, stic_mat3_sub(ahead, behind));
        const SticMat3 L = stic_rotation_exp(p), T = stic_rotation_tangent(p);
        const SticVec3 spatial = stic_mat3_axial(stic_mat3_mul_transpose(rate, L));
        const SticVec3 body = stic_mat3_axial(stic_mat3_transpose_mul(L, rate));
        worst = test_worse(worst, stic_vec3_distance(spatial, stic_mat3_mul_vec(T, d)));
        worst = test_worse(worst, stic_vec3_distance(body, stic_mat3_transpose_mul_vec(T, d)));
    }
    printf("T against central differences: %.1e\n", worst);
    test_less(worst, 1e-9);
}

static void logarithm(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(3);
    double matrix = 0.0, quat = 0.0, near_pi = 0.0;
    for (int i = 0; i < CASES; ++i) {
        const double angle = fmin(test_angle(&random, i), 3.1);
        const SticVec3 p = random_psi(&random, angle);
        matrix = test_worse(matrix, stic_vec3_distance(stic_rotation_log(stic_rotation_exp(p)), p));
        SticQuat q = stic_rotation_exp_quat(p);
        q = stic_quat_scale(i % 3 == 0 ? -2.5 : 1.0, q);
        quat = test_worse(quat, stic_vec3_distance(stic_rotation_log_quat(q), p) / angle);
        // within 1e-16 .. 1e-1 of pi: the axis may flip, the rotation must not
        const double gap = exp(stic_random_range(&random, log(1e-16), log(0.1)));
        const SticMat3 R = stic_rotation_exp(random_psi(&random, STIC_PI - gap));
        const SticVec3 back = stic_rotation_log(R);
        near_pi = test_worse(near_pi, mat_distance(stic_rotation_exp(back), R));
        test_at_most(stic_vec3_norm(back), STIC_PI * (1.0 + 1e-15));
    }
    printf("log: matrix %.1e, quaternion %.1e relative, near pi %.1e\n", matrix, quat, near_pi);
    test_less(matrix, 2e-14);
    test_less(quat, 2e-15);
    test_less(near_pi, 4e-15);
    // half turns about the axes, no turn, and a turn too small for its square
    test_equal(fabs(stic_rotation_log(stic_mat3_diag(stic_vec3(-1.0, 1.0, -1.0))).y), STIC_PI);
    test_equal(stic_vec3_norm(stic_rotation_log(stic_mat3_identity())), 0.0);
    test_equal(stic_rotation_log_quat((SticQuat){1.0, 1e-200, 0.0, 0.0}).x, 2e-200);
}

static void cayley(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(4);
    double equation = 0.0, norm = 0.0, angle_error = 0.0;
    for (int i = 0; i < CASES; ++i) {
        double four[4];
        test_random_unit(&random, 4, four);
        const SticQuat a = stic_quat_load(four);
        const double h = exp(stic_random_range(&random, log(1e-6), log(10.0)));
        const SticVec3 omega = random_psi(&random, 3.0);
        const SticQuat end = stic_rotation_cayley(a, omega, h);
        // a_E - a = h/4 (a_E + a)(0, omega)
        const SticQuat right =
            stic_quat_scale(0.25 * h, stic_quat_mul(stic_quat_add(end, a), stic_quat(0.0, omega)));
        const SticQuat left = stic_quat_add(end, stic_quat_scale(-1.0, a));
        equation =
            test_worse(equation, stic_quat_norm(stic_quat_add(left, stic_quat_scale(-1.0, right))) /
                                     (1.0 + h));
        norm = test_worse(norm, fabs(stic_quat_norm(end) - 1.0));
        // tan(theta/4) = h |omega| / 4
        const SticQuat turn = stic_quat_mul(stic_quat_conjugate(a), end);
        const double theta = 2.0 * atan2(stic_vec3_norm(stic_quat_vector(turn)), turn.w);
        angle_error = test_worse(angle_error, fabs(theta - 4.0 * atan(0.75 * h)));
    }
    printf("cayley: equation %.1e, norm %.1e, angle %.1e\n", equation, norm, angle_error);
    test_less(equation, 2e-15);
    test_less(norm, 1e-15);
    test_less(angle_error, 4e-15);
}

static void orthogonality_drift(void** state)
{
    (void)state;
    // a tumbling motion: the increment turns and changes size; and the same increment a million
    // times over, where rounding errors repeat
    SticMat3 free = stic_mat3_identity(), steady = free, clean = free;
    SticQuat quat = stic_quat_identity();
    const SticVec3 same = stic_vec3(0.01, -0.02, 0.015);
    for (int i = 0; i < 1000000; ++i) {
        const double t = 1e-3 * (double)i;
        double s1, c1, s2, c2;
        stic_sincos(t, &s1, &c1);
        stic_sincos(1.7 * t, &s2, &c2);
        const SticVec3 psi = stic_vec3(0.1 * s1, 0.08 * c2, 0.05 * c1 * s2);
        const SticMat3 step = stic_rotation_exp(psi);
        free = stic_mat3_mul(free, step);
        clean = stic_mat3_mul(clean, step);
        if (i % 1000 == 0)
            clean = stic_rotation_clean(clean);
        steady = stic_mat3_mul(steady, stic_rotation_exp(same));
        quat = stic_rotation_cayley(quat, psi, 1.0);
    }
    printf("orthogonality after 1e6 steps: %.1e tumbling, %.1e cleaned each 1000, %.1e with one "
           "increment; quaternion norm %.1e\n",
           orthogonality(free), orthogonality(clean), orthogonality(steady),
           fabs(stic_quat_norm(quat) - 1.0));
    test_less(orthogonality(free), 1e-12);
    test_less(orthogonality(clean), 1e-13);
    test_less(orthogonality(steady), 1e-9);
    test_less(fabs(stic_quat_norm(quat) - 1.0), 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(factors_against_long_double),
                                       cmocka_unit_test(identities),
                                       cmocka_unit_test(quarter_turn),
                                       cmocka_unit_test(tangent_by_differences),
                                       cmocka_unit_test(logarithm),
                                       cmocka_unit_test(cayley),
                                       cmocka_unit_test(orthogonality_drift)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

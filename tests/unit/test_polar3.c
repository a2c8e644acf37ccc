// SPDX-License-Identifier: Apache-2.0
// Polar decomposition: factors recovered from products, all condition numbers, reflections,
// singular data.
#include "helpers/helpers.h"

#include <math.h>
#include <stdio.h>

#include "math/math.h"
#include "stiction/extend/vec3.h"

static double mat_distance(SticMat3 a, SticMat3 b)
{
    return stic_mat3_norm(stic_mat3_sub(a, b));
}

// symmetric, with singular values 1, middle, 1/condition
static SticMat3 random_stretch(SticRandom* random, double condition)
{
    const SticMat3 axes = test_random_mat3(random);
    const double middle = pow(condition, -stic_random_uniform(random));
    const SticMat3 values = stic_mat3_diag(stic_vec3(1.0, middle, 1.0 / condition));
    return stic_mat3_symmetric(stic_mat3_mul_transpose(stic_mat3_mul(axes, values), axes));
}

static void factors_recovered(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(1);
    for (double condition = 1.0; condition < 2e14; condition *= 100.0) {
        double unit = 0.0, product = 0.0, rotation_error = 0.0, stretch_error = 0.0;
        for (int i = 0; i < 1000; ++i) {
            const SticMat3 exact = test_random_mat3(&random);
            const SticMat3 stretch = random_stretch(&random, condition);
            const double scale = ldexp(1.0, (int)stic_random_range(&random, -900.0, 900.0));
            const SticMat3 f = stic_mat3_scale(scale, stic_mat3_mul(exact, stretch));
            SticMat3 r, s;
            const SticStatus status = stic_polar3(f, &r, &s);
            assert_int_equal(status, STIC_OK);
            s = stic_mat3_scale(1.0 / scale, s);
            unit =
                test_worse(unit, mat_distance(stic_mat3_transpose_mul(r, r), stic_mat3_identity()));
            product = test_worse(
                product, mat_distance(stic_mat3_mul(r, s), stic_mat3_scale(1.0 / scale, f)));
            rotation_error = test_worse(rotation_error, mat_distance(r, exact));
            stretch_error = test_worse(stretch_error, mat_distance(s, stretch));
        }
        printf("condition %.0e: orthogonality %.1e, |R S - F| %.1e, R %.1e, S %.1e\n", condition,
               unit, product, rotation_error, stretch_error);
        // the condition of R is 2 / (sum of the two smallest singular values) (Kenney and Laub
        // 1991)
        test_less(unit, 2e-15);
        test_less(product, 4e-15);
        test_less(rotation_error, 4e-15 * condition);
        test_less(stretch_error, 4e-15);
    }
}

static void simple_shear(void** state)
{
    (void)state;
    // F = [1 g; 0 1]: R turns by -atan(g/2), S = [c s; s c + g s]... with c = cos, s = sin of that
    // angle
    for (double g = 0.01; g < 100.0; g *= 3.0) {
        SticMat3 f = stic_mat3_identity(), r, s;
        f.m[0][1] = g;
        assert_int_equal(stic_polar3(f, &r, &s), STIC_OK);
        const double c = 2.0 / sqrt(4.0 + g * g), t = g / sqrt(4.0 + g * g);
        const SticMat3 r_exact = {{{c, t, 0.0}, {-t, c, 0.0}, {0.0, 0.0, 1.0}}};
        const SticMat3 s_exact = {{{c, t, 0.0}, {t, c + g * t, 0.0}, {0.0, 0.0, 1.0}}};
        test_less(mat_distance(r, r_exact), 1e-15 * (1.0 + g * g));
        test_less(mat_distance(s, s_exact), 4e-15 * (1.0 + g));
    }
}

static void reflections_and_bad_data(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(2);
    SticMat3 r, s;
    for (int i = 0; i < 1000; ++i) {
        const SticMat3 stretch = random_stretch(&random, 10.0);
        const SticMat3 f = stic_mat3_scale(-1.0, stic_mat3_mul(test_random_mat3(&random), stretch));
        assert_int_equal(stic_polar3(f, &r, &s), STIC_BAD_DATA);
        test_less(fabs(stic_mat3_det(r) + 1.0), 4e-15);
        test_less(mat_distance(s, stretch), 4e-15);
    }
    const SticVec3 a = stic_vec3(1.0, 2.0, 4.0);
    assert_int_equal(stic_polar3(stic_mat3_outer(a, a), &r, &s), STIC_SINGULAR);
    assert_int_equal(stic_polar3(stic_mat3_zero(), &r, &s), STIC_SINGULAR);
    SticMat3 f = stic_mat3_identity();
    f.m[1][2] = NAN;
    assert_int_equal(stic_polar3(f, &r, &s), STIC_NOT_FINITE);
    test_equal(mat_distance(r, stic_mat3_identity()), 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(factors_recovered),
                                       cmocka_unit_test(simple_shear),
                                       cmocka_unit_test(reflections_and_bad_data)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

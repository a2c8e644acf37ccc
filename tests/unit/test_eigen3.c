// SPDX-License-Identifier: Apache-2.0
// Eigenvalues of symmetric 3x3 matrices: known spectra, clusters, scales.
#include "helpers/helpers.h"

#include <math.h>
#include <stdio.h>

#include "math/math.h"
#include "stiction/extend/vec3.h"

enum { CASES = 5000 };

// residual |A V - V D|, distance of V from a rotation, order of the values; relative to |A|
static double defect(SticMat3 a, SticVec3 values, SticMat3 vectors)
{
    const SticMat3 left = stic_mat3_mul(a, vectors);
    const SticMat3 right = stic_mat3_mul(vectors, stic_mat3_diag(values));
    const SticMat3 gram = stic_mat3_transpose_mul(vectors, vectors);
    double worst = stic_mat3_norm(stic_mat3_sub(left, right)) / stic_mat3_norm(a);
    worst = test_worse(worst, stic_mat3_norm(stic_mat3_sub(gram, stic_mat3_identity())));
    worst = test_worse(worst, fabs(stic_mat3_det(vectors) - 1.0));
    return values.x <= values.y && values.y <= values.z ? worst : NAN;
}

static void known_spectra(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(1);
    const SticVec3 spectra[] = {{1.0, 2.0, 3.0},
                                {-3.0, -1.0, 7.0},
                                {1.0, 1.0, 1.0},
                                {1.0, 1.0, 2.0},
                                {0.0, 0.0, 5.0},
                                {-1.0, 0.0, 1.0},
                                {1.0, 1.0 + 1e-9, 1.0 + 2e-9},
                                {1e-8, 1.0, 1e8},
                                {0.0, 1e-14, 1.0}};
    const int kinds = (int)(sizeof spectra / sizeof *spectra);
    double residual = 0.0, error = 0.0;
    for (int i = 0; i < CASES; ++i) {
        SticVec3 exact = spectra[i % kinds];
        // any scale that the products below survive
        exact = stic_vec3_scale(ldexp(1.0, (int)stic_random_range(&random, -900.0, 900.0)), exact);
        const SticMat3 rotation = test_random_mat3(&random);
        const SticMat3 a = stic_mat3_symmetric(
            stic_mat3_mul_transpose(stic_mat3_mul(rotation, stic_mat3_diag(exact)), rotation));
        SticVec3 values;
        SticMat3 vectors;
        stic_eigen3_symmetric(a, &values, &vectors);
        const double size = stic_vec3_norm_max(exact);
        const SticMat3 unit = stic_mat3_scale(1.0 / size, a);
        residual = test_worse(residual, defect(unit, stic_vec3_scale(1.0 / size, values), vectors));
        // the data are rounded: values can be asked for to a few roundings of the largest one
        error = test_worse(error, stic_vec3_norm_max(stic_vec3_sub(values, exact)) / size);
    }
    printf("eigen3: residual and orthogonality %.1e, values %.1e\n", residual, error);
    test_less(residual, 4e-15);
    test_less(error, 4e-15);
}

static void graded_matrix(void** state)
{
    (void)state;
    // D A D with A well conditioned: Jacobi finds the small values to relative accuracy; the
    // product of all three is the determinant, which is 5/8 times that of D^2
    const double d[3] = {1.0, 1e-7, 1e-14};
    SticMat3 a;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            a.m[i][j] = d[i] * d[j] * (i == j ? 1.0 : i + j == 1 ? 0.5 : 0.25);
    const double det = 1.0 + 2.0 * 0.5 * 0.25 * 0.25 - 0.25 - 2.0 * 0.0625;
    SticVec3 values;
    SticMat3 vectors;
    stic_eigen3_symmetric(a, &values, &vectors);
    const double product = values.x * values.y * values.z;
    printf("graded: values %.6e %.6e %.6e, det error %.1e\n", values.x, values.y, values.z,
           fabs(product / (det * 1e-42) - 1.0));
    test_less(fabs(product / (det * 1e-42) - 1.0), 1e-14);
}

static void special_matrices(void** state)
{
    (void)state;
    SticVec3 values;
    SticMat3 vectors;
    stic_eigen3_symmetric(stic_mat3_zero(), &values, &vectors);
    test_equal(stic_vec3_norm(values), 0.0);
    test_equal(stic_mat3_det(vectors), 1.0);
    stic_eigen3_symmetric(stic_mat3_diag(stic_vec3(3.0, 1.0, 2.0)), &values, &vectors);
    assert_true(stic_vec3_is_equal(values, stic_vec3(1.0, 2.0, 3.0)));
    test_equal(stic_mat3_det(vectors), 1.0);
    test_equal(fabs(vectors.m[1][0]), 1.0);
    // only the upper triangle counts
    SticMat3 a = {{{0.0, 1.0, 0.0}, {NAN, 0.0, 0.0}, {NAN, NAN, 5.0}}};
    stic_eigen3_symmetric(a, &values, &vectors);
    test_less(fabs(values.x + 1.0), 1e-15);
    test_near(values.y, 1.0, 1e-15);
    test_equal(values.z, 5.0);
    a.m[0][1] = NAN;
    stic_eigen3_symmetric(a, &values, &vectors);
    assert_true(isnan(values.x) && isnan(values.y) && isnan(values.z));
}

static void largest_of_two(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(2);
    double worst = 0.0;
    for (int i = 0; i < CASES; ++i) {
        // [a b; b c] from its eigenvalues and angle
        const double low = stic_random_range(&random, -2.0, 1.0);
        const double high = low + (i % 4 == 0 ? 0.0 : stic_random_range(&random, 0.0, 2.0));
        const double angle = stic_random_range(&random, 0.0, 2.0 * STIC_PI);
        const double s = sin(angle), c = cos(angle);
        const double value = stic_eigen2_largest(high * c * c + low * s * s, (high - low) * s * c,
                                                 high * s * s + low * c * c);
        worst = test_worse(worst, fabs(value - high));
    }
    printf("eigen2: %.1e\n", worst);
    test_less(worst, 3e-15);
    test_equal(stic_eigen2_largest(0.0, 1e200, 0.0), 1e200);
    test_equal(stic_eigen2_largest(2.0, 0.0, 5.0), 5.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_spectra), cmocka_unit_test(graded_matrix),
        cmocka_unit_test(special_matrices), cmocka_unit_test(largest_of_two)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// St Venant-Kirchhoff material: stress and tangent against differences, uniaxial stress by formula,
// invariance under rotations, critical step of the cube of Koziara's section 5.1, eigenvalues.
#include "helpers/helpers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "body/body.h"
#include "math/math.h"
#include "stiction/extend/vec3.h"

static const SticElastic stone = {15.5e9, 0.2};

static SticMat3 random_gradient(SticRandom* random, double size)
{
    SticMat3 F = stic_mat3_identity();
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            F.m[i][j] += stic_random_range(random, -size, size);
    return F;
}

static void differences(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(3);
    double stress = 0.0, tangent = 0.0, skew = 0.0;
    for (int n = 0; n < 50; ++n) {
        const SticMat3 F = random_gradient(&random, 0.3);
        const SticMat3 P = stic_elastic_stress(&stone, F);
        double K[81];
        stic_elastic_tangent(&stone, F, K);
        const double step = 1e-5;
        for (int c = 0; c < 9; ++c) {
            SticMat3 plus = F, minus = F;
            plus.m[c / 3][c % 3] += step;
            minus.m[c / 3][c % 3] -= step;
            const double slope =
                (stic_elastic_energy(&stone, plus) - stic_elastic_energy(&stone, minus)) /
                (2.0 * step);
            stress = test_worse(stress, fabs(slope - P.m[c / 3][c % 3]) / stone.young);
            const SticMat3 change = stic_mat3_sub(stic_elastic_stress(&stone, plus),
                                                  stic_elastic_stress(&stone, minus));
            for (int r = 0; r < 9; ++r) {
                tangent =
                    test_worse(tangent, fabs(change.m[r / 3][r % 3] / (2.0 * step) - K[9 * r + c]) /
                                            stone.young);
                skew = test_worse(skew, fabs(K[9 * r + c] - K[9 * c + r]) / stone.young);
            }
        }
        const SticMat3 sigma = stic_elastic_cauchy(&stone, F);
        test_less(stic_mat3_norm(stic_mat3_sub(sigma, stic_mat3_transpose(sigma))),
                  1e-13 * stone.young);
    }
    printf("stress against differences %.1e, tangent %.1e, asymmetry %.1e of E\n", stress, tangent,
           skew);
    // second differences of a quartic: step^2, and rounding / step
    test_less(stress, 1e-9);
    test_less(tangent, 1e-9);
    test_less(skew, 1e-15);
}

// a bar pulled to 1 + e: P = E (e + e^2/2)(1 + e) where the sides are free, S = E E_11
static void uniaxial(void** state)
{
    (void)state;
    const double e = 0.01, E11 = e + 0.5 * e * e;
    // free sides: E_22 = -nu E_11
    const double side = sqrt(1.0 - 2.0 * stone.poisson * E11);
    const SticMat3 F = stic_mat3_diag(stic_vec3(1.0 + e, side, side));
    const SticMat3 P = stic_elastic_stress(&stone, F), sigma = stic_elastic_cauchy(&stone, F);
    printf("uniaxial: P11 %.10g (%.10g), P22 %.1e, sigma11 %.10g\n", P.m[0][0],
           stone.young * E11 * (1.0 + e), P.m[1][1], sigma.m[0][0]);
    test_less(fabs(P.m[0][0] / (stone.young * E11 * (1.0 + e)) - 1.0), 1e-13);
    test_less(fabs(P.m[1][1]), 1e-15 * stone.young);
    // true stress: force by the present area
    test_less(fabs(sigma.m[0][0] * side * side / P.m[0][0] - 1.0), 1e-13);
    test_less(fabs(stic_elastic_energy(&stone, F) / (0.5 * stone.young * E11 * E11) - 1.0), 1e-13);
    // turning a body does not strain it
    const SticMat3 R = stic_rotation_exp(stic_vec3(0.3, -1.0, 0.5));
    test_less(stic_mat3_norm(stic_elastic_stress(&stone, R)), 1e-15 * stone.young);
    const SticMat3 turned = stic_elastic_cauchy(&stone, stic_mat3_mul(R, F));
    const SticMat3 expected = stic_mat3_mul_transpose(stic_mat3_mul(R, sigma), R);
    test_less(stic_mat3_norm(stic_mat3_sub(turned, expected)), 1e-14 * stone.young);
}

static void critical_step(void** state)
{
    (void)state;
    // cube of 0.1 m, density 2200: lambda_max = V0 (3 lambda + 2 mu) / (m a^2/12) = 1.409e10 / s2
    const double a = 0.1, m = 2200.0 * a * a * a;
    const double lambda = stone.young * 0.2 / (1.2 * 0.6), mu = stone.young / 2.4;
    const double largest = a * a * a * (3.0 * lambda + 2.0 * mu) / (m * a * a / 12.0);
    const SticMat3 euler = stic_mat3_scale(m * a * a / 12.0, stic_mat3_identity());
    const double step = stic_elastic_step(&stone, a * a * a, euler, stic_mat3_identity());
    printf("critical step %.6g s, lambda_max %.4g\n", step, 4.0 / (step * step));
    test_less(fabs(step / (2.0 / sqrt(largest)) - 1.0), 1e-14);
    test_less(fabs(step - 1.68e-5), 6e-8);
    // it does not depend on the orientation of a body that is longer than wide
    const SticMat3 R = stic_rotation_exp(stic_vec3(0.3, -1.0, 0.5));
    const SticMat3 flat = stic_mat3_diag(stic_vec3(1.0, 4.0, 9.0));
    const double one = stic_elastic_step(&stone, 1.0, flat, stic_mat3_identity());
    const double two = stic_elastic_step(
        &stone, 1.0, stic_mat3_mul_transpose(stic_mat3_mul(R, flat), R), stic_mat3_identity());
    test_less(fabs(one / two - 1.0), 1e-13);
    test_equal(stic_elastic_step(&stone, 1.0, stic_mat3_diag(stic_vec3(1.0, 1.0, 0.0)),
                                 stic_mat3_identity()),
               0.0);
}

// eigenvalues of Q diag Q' are the diagonal
static void eigenvalues(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(5);
    double worst = 0.0;
    for (int n = 1; n <= 12; ++n) {
        double Q[144] = {0.0}, a[144], values[12];
        for (int i = 0; i < n; ++i)
            Q[i * n + i] = 1.0;
        // product of reflections
        for (int k = 0; k < 5; ++k) {
            double v[12], square = 0.0;
            for (int i = 0; i < n; ++i) {
                v[i] = stic_random_range(&random, -1.0, 1.0);
                square += v[i] * v[i];
            }
            for (int i = 0; i < n; ++i) {
                double along = 0.0;
                for (int j = 0; j < n; ++j)
                    along += Q[i * n + j] * v[j];
                for (int j = 0; j < n; ++j)
                    Q[i * n + j] -= 2.0 * along * v[j] / square;
            }
        }
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) {
                a[i * n + j] = 0.0;
                for (int k = 0; k < n; ++k)
                    a[i * n + j] += Q[i * n + k] * (k / 2 - 1.5) * Q[j * n + k]; // double ones too
            }
        stic_dense_eigenvalues(n, a, values);
        for (int k = 0; k < n; ++k)
            worst = test_worse(worst, fabs(values[k] - (k / 2 - 1.5)));
    }
    printf("eigenvalues of 1 to 12 rows: %.1e\n", worst);
    test_less(worst, 1e-14);
}

// the cheap bound is a bound, and near the limit where a body is hardly deformed
static void step_bound(void** state)
{
    (void)state;
    const SticElastic elastic = {1e6, 0.3};
    const SticMat3 euler = {{{0.02, 0.002, 0.0}, {0.002, 0.03, 0.001}, {0.0, 0.001, 0.05}}};
    const double rest = stic_elastic_step(&elastic, 0.5, euler, stic_mat3_identity());
    SticRandom random = stic_random_create(11);
    double least = 1.0, near = 1.0;
    for (int trial = 0; trial < 2000; ++trial) {
        const double size = trial % 2 == 0 ? 0.5 : 1e-3;
        SticMat3 F = stic_mat3_identity();
        for (int k = 0; k < 9; ++k)
            F.m[k / 3][k % 3] += size * (2.0 * stic_random_uniform(&random) - 1.0);
        const double exact = stic_elastic_step(&elastic, 0.5, euler, F);
        const double ratio = stic_elastic_step_bound(&elastic, 0.5, euler, rest, F) / exact;
        test_at_most(ratio, 1.0 + 1e-12);
        least = size > 0.1 && ratio < least ? ratio : least;
        near = size < 0.1 && ratio < near ? ratio : near;
    }
    printf("bound over limit: at least %.3f for F off by 0.5, %.4f for 1e-3\n", least, near);
    test_greater(near, 0.98);
    test_greater(least, 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(differences),   cmocka_unit_test(uniaxial),
        cmocka_unit_test(critical_step), cmocka_unit_test(eigenvalues),
        cmocka_unit_test(step_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

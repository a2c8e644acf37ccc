// SPDX-License-Identifier: Apache-2.0
// Rotation maps, decompositions, dense kernels and roots give the same bits with every compiler and
// optimisation level. (test_elementary does the same for the elementary functions.)
#include "helpers/helpers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/math.h"
#include "stiction/extend/vec3.h"

enum { CASES = 2000 };

// uniform in [-1, 1), without any library function
static double next_number(SticRandom* random)
{
    return 2.0 * stic_random_uniform(random) - 1.0;
}

static void fill(SticRandom* random, int count, double* values)
{
    for (int i = 0; i < count; ++i)
        values[i] = next_number(random);
}

static uint64_t hash_mat(uint64_t hash, SticMat3 a)
{
    return stic_hash_doubles(hash, &a.m[0][0], 9);
}

static uint64_t hash_vec(uint64_t hash, SticVec3 a)
{
    const double v[3] = {a.x, a.y, a.z};
    return stic_hash_doubles(hash, v, 3);
}

static void rotations(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(11);
    uint64_t hash = 0;
    for (int i = 0; i < CASES; ++i) {
        double n[3];
        fill(&random, 3, n);
        const SticVec3 psi = stic_vec3_scale(i % 3 == 0 ? 0.01 : 3.0, stic_vec3_load(n));
        const SticMat3 R = stic_rotation_exp(psi);
        hash = hash_mat(hash, R);
        hash = hash_mat(hash, stic_rotation_tangent(psi));
        hash = hash_mat(hash, stic_rotation_tangent_inverse(psi));
        hash = hash_mat(hash, stic_rotation_clean(R));
        hash = hash_vec(hash, stic_rotation_log(R));
        double q[4];
        stic_quat_store(stic_rotation_cayley(stic_rotation_exp_quat(psi), psi, 0.1), q);
        hash = stic_hash_doubles(hash, q, 4);
    }
    printf("rotations: 0x%016llx\n", (unsigned long long)hash);
    test_equal(hash, 0x6dd14563a09d2ef6u);
}

static void decompositions(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(12);
    uint64_t hash = 0;
    for (int i = 0; i < CASES; ++i) {
        double n[9];
        fill(&random, 9, n);
        SticVec3 values;
        SticMat3 vectors, rotation, stretch;
        stic_eigen3_symmetric(stic_mat3_load(n), &values, &vectors);
        const SticStatus status = stic_polar3(stic_mat3_load(n), &rotation, &stretch);
        assert_true(status == STIC_OK || status == STIC_BAD_DATA);
        hash = hash_vec(hash, values);
        hash = hash_mat(hash, vectors);
        hash = hash_mat(hash, rotation);
        hash = hash_mat(hash, stretch);
    }
    printf("decompositions: 0x%016llx\n", (unsigned long long)hash);
    test_equal(hash, 0x4af3a67b8d186a85u);
}

static void dense_and_roots(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(13);
    uint64_t hash = 0;
    for (int i = 0; i < CASES; ++i) {
        const int32_t n = 1 + i % 9;
        double a[81], spd[81], x[9], work[18], roots[STIC_POLYNOMIAL_DEGREE_MAX];
        int32_t pivot[9];
        fill(&random, n * n, a);
        fill(&random, n, x);
        const int32_t count =
            stic_polynomial_roots(n < 9 ? n - 1 : 4, x, -HUGE_VAL, HUGE_VAL, roots);
        hash = stic_hash_doubles(hash, roots, (size_t)count);
        // a a' + I is positive definite
        for (int32_t k = 0; k < n * n; ++k) {
            spd[k] = k / n == k % n ? 1.0 : 0.0;
            for (int32_t l = 0; l < n; ++l)
                spd[k] += a[k / n * n + l] * a[k % n * n + l];
        }
        assert_int_equal(stic_dense_spd_inverse(n, spd, spd), STIC_OK);
        hash = stic_hash_doubles(hash, spd, (size_t)(n * n));
        const double norm = stic_dense_norm1(n, a);
        assert_int_equal(stic_dense_lu(n, a, pivot), STIC_OK);
        stic_dense_lu_solve(n, a, pivot, x);
        stic_dense_lu_solve_transpose(n, a, pivot, x);
        hash = stic_hash_doubles(hash, x, (size_t)n);
        work[0] = stic_dense_lu_condition(n, a, pivot, norm, work);
        hash = stic_hash_doubles(hash, work, 1);
    }
    printf("dense kernels and roots: 0x%016llx\n", (unsigned long long)hash);
    test_equal(hash, 0xf55e2416bfa313a5u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rotations),
                                       cmocka_unit_test(decompositions),
                                       cmocka_unit_test(dense_and_roots)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

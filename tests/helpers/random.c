// SPDX-License-Identifier: Apache-2.0
// Random vectors, rotations and matrices for tests.
#include "helpers/helpers.h"

#include <math.h>
#include <stdlib.h>

void test_random_vector(SticRandom* random, int32_t count, double low, double high, double* x)
{
    for (int32_t i = 0; i < count; ++i)
        x[i] = stic_random_range(random, low, high);
}

SticVec3 test_random_vec3(SticRandom* random, double size)
{
    double x[3];
    test_random_vector(random, 3, -size, size, x);
    return stic_vec3_load(x);
}

int32_t test_random_index(SticRandom* random, int32_t low, int32_t high)
{
    return low + (int32_t)(stic_random_bits(random) % (uint64_t)(high - low + 1));
}

// Box and Muller 1958
double test_random_normal(SticRandom* random)
{
    const double radius = sqrt(-2.0 * log(1.0 - stic_random_uniform(random)));
    return radius * cos(6.283185307179586 * stic_random_uniform(random));
}

void test_random_unit(SticRandom* random, int32_t count, double* x)
{
    double square = 0.0;
    while (square < 1e-12) {
        square = 0.0;
        for (int32_t i = 0; i < count; ++i) {
            x[i] = test_random_normal(random);
            square += x[i] * x[i];
        }
    }
    for (int32_t i = 0; i < count; ++i)
        x[i] /= sqrt(square);
}

// a uniform unit quaternion gives a uniform rotation (Shoemake 1992)
void test_random_rotation(SticRandom* random, double R[9])
{
    double q[4];
    test_random_unit(random, 4, q);
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    R[0] = 1.0 - 2.0 * (y * y + z * z);
    R[1] = 2.0 * (x * y - w * z);
    R[2] = 2.0 * (x * z + w * y);
    R[3] = 2.0 * (x * y + w * z);
    R[4] = 1.0 - 2.0 * (x * x + z * z);
    R[5] = 2.0 * (y * z - w * x);
    R[6] = 2.0 * (x * z - w * y);
    R[7] = 2.0 * (y * z + w * x);
    R[8] = 1.0 - 2.0 * (x * x + y * y);
}

SticMat3 test_random_mat3(SticRandom* random)
{
    double rotation[9];
    test_random_rotation(random, rotation);
    return stic_mat3_load(rotation);
}

SticMat3 test_random_turn(SticRandom* random)
{
    double a[4];
    test_random_unit(random, 4, a);
    return stic_quat_to_matrix(stic_quat_load(a));
}

// A := (I - 2 p p') A (I - 2 p p'); `work` holds n numbers
static void reflect_both_sides(int32_t n, const double* p, double* A, double* work)
{
    for (int side = 0; side < 2; ++side) {
        const int32_t across = side == 0 ? n : 1, along = side == 0 ? 1 : n;
        for (int32_t j = 0; j < n; ++j) {
            work[j] = 0.0;
            for (int32_t i = 0; i < n; ++i)
                work[j] += p[i] * A[i * across + j * along];
        }
        for (int32_t i = 0; i < n; ++i)
            for (int32_t j = 0; j < n; ++j)
                A[i * across + j * along] -= 2.0 * p[i] * work[j];
    }
}

// a diagonal matrix seen through n random reflections
void test_random_spd(SticRandom* random, int32_t n, double condition, double* A)
{
    double* work = calloc((size_t)n * 2, sizeof *work);
    assert_non_null(work);
    for (int32_t i = 0; i < n; ++i)
        for (int32_t j = 0; j < n; ++j)
            A[i * n + j] = i != j ? 0.0 : n == 1 ? 1.0 : pow(condition, -(double)i / (n - 1));
    for (int32_t k = 0; k < n; ++k) {
        test_random_unit(random, n, work);
        reflect_both_sides(n, work, A, work + n);
    }
    // exactly symmetric, whatever the rounding
    for (int32_t i = 0; i < n; ++i)
        for (int32_t j = 0; j < i; ++j)
            A[i * n + j] = A[j * n + i] = 0.5 * (A[i * n + j] + A[j * n + i]);
    free(work);
}

// SPDX-License-Identifier: Apache-2.0
// Rigid motions that leave functions as they are: their number for a floor, a slope and a spring, and that no wrench works on them, by derivatives written here.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "helpers/helpers.h"
#include "step/symmetry.h"

enum { WIDTH = STIC_SYMMETRY_WIDTH };

static double dot(int32_t n, const double* a, const double* b)
{
    double sum = 0.0;
    for (int32_t c = 0; c < n; ++c)
        sum += a[c] * b[c];
    return sum;
}

static void set_weights(SticMovable* movable, uint64_t seed)
{
    SticRandom random = stic_random_create(seed);
    for (int32_t c = 0; c < movable->size[0] + movable->size[1]; ++c)
        movable->weight[c] = 0.5 + stic_random_uniform(&random);
}

// x, and F near a turn by `angle` about an axis that is not one of the axes, stretched by 1.1
static void place_body(double angle, double* q)
{
    const double s = sin(angle), c = cos(angle);
    const double F[9] = {1.1 * c, -0.6 * s, 0.8 * s, 0.6 * s,        0.36 * c + 0.64,
                         0.48,    -0.8 * s, 0.48,    0.64 * c + 0.36};
    q[0] = 1.0 + angle;
    q[1] = 2.0 - angle;
    q[2] = 0.5;
    memcpy(q + 3, F, sizeof F);
}

// d/dq of n . (x + F Y)
static void push_point(const double n[3], const double Y[3], double* derivative)
{
    for (int r = 0; r < 3; ++r) {
        derivative[r] = n[r];
        for (int c = 0; c < 3; ++c)
            derivative[3 + 3 * r + c] = n[r] * Y[c];
    }
}

// velocities of x and F when the body moves with v and turns with omega about `about`
static void move_body(const double v[3], const double omega[3], const double about[3],
                      const double* q, double* velocity)
{
    for (int column = -1; column < 3; ++column) {
        double a[3];
        for (int r = 0; r < 3; ++r)
            a[r] = column < 0 ? q[r] - about[r] : q[3 + 3 * r + column];
        for (int r = 0; r < 3; ++r) {
            const int next = (r + 1) % 3, last = (r + 2) % 3;
            const double turned = omega[next] * a[last] - omega[last] * a[next];
            velocity[column < 0 ? r : 3 + 3 * r + column] = turned + (column < 0 ? v[r] : 0.0);
        }
    }
}

// what is left of a motion beside the symmetric ones, as a part of it
static double left_of(const SticMovable* movable, const SticSymmetry* symmetry, double* velocity)
{
    const int32_t n = movable->size[0] + movable->size[1];
    const double before = sqrt(dot(n, velocity, velocity));
    stic_symmetry_remove(movable, symmetry, velocity);
    return sqrt(dot(n, velocity, velocity)) / before;
}

// Three corners of one body in turn on a plane: it may be shifted along the plane and turned about
// its normal, and nothing else
static void check_plane(const double n[3])
{
    SticMovable movable = {.size = {12, 0}, .motions = 6};
    SticSlope slope[3];
    SticSymmetry symmetry;
    double velocity[WIDTH], most = 0.0;
    set_weights(&movable, 3);
    for (int s = 0; s < 3; ++s) {
        const double Y[3] = {0.3 + 0.1 * s, -0.2 * s * s, 0.4 - 0.05 * s};
        place_body(s == 0 ? 0.35 : s == 1 ? 0.3 : 0.4, slope[s].q);
        push_point(n, Y, slope[s].derivative);
    }
    stic_symmetry_find(&movable, 3, slope, &symmetry);
    const double about[3] = {5.0, -7.0, 2.0}, none[3] = {0.0, 0.0, 0.0};
    const double along[3] = {n[1], -n[0], 0.0}, across[3] = {n[2], 0.0, -n[0]};
    const double* shift[2] = {n[0] * n[0] + n[1] * n[1] > 0.0 ? along : (double[]){1.0, 0.0, 0.0},
                              n[0] * n[0] + n[2] * n[2] > 0.0 ? across : (double[]){0.0, 0.0, 1.0}};
    for (int k = 0; k < 3; ++k) {
        move_body(k < 2 ? shift[k] : none, k < 2 ? none : n, about, slope[0].q, velocity);
        const double left = left_of(&movable, &symmetry, velocity);
        most = left > most ? left : most;
    }
    move_body(n, none, about, slope[0].q, velocity);
    const double lifted = left_of(&movable, &symmetry, velocity);
    printf("plane (%g, %g, %g): %d motions, left of them %.1e, of a lift %.2f\n", n[0], n[1], n[2],
           symmetry.count, most, lifted);
    assert_int_equal(symmetry.count, 3);
    test_less(most, 1e-13);
    test_greater(lifted, 0.1);
}

static void test_planes(void** state)
{
    (void)state;
    check_plane((const double[]){0.0, 0.0, 1.0});
    check_plane((const double[]){0.48, -0.6, 0.64});
}

// A spring between two bodies is left as it is by all six motions, with turns or without
static void test_spring(void** state)
{
    (void)state;
    for (int32_t motions = 3; motions <= 6; motions += 3) {
        SticMovable movable = {.size = {12, 12}, .motions = motions};
        SticSlope slope;
        SticSymmetry symmetry;
        double n[3], d[WIDTH], force[3], most = 0.0;
        set_weights(&movable, 5);
        place_body(0.3, slope.q);
        place_body(-0.7, slope.q + 12);
        slope.q[12] += 1.5;
        const double Y[2][3] = {{0.1, 0.2, -0.3}, {-0.2, 0.1, 0.25}};
        for (int r = 0; r < 3; ++r) {
            n[r] = 0.0;
            for (int side = 0; side < 2; ++side) {
                const double* q = slope.q + 12 * side;
                n[r] += (side == 0 ? 1.0 : -1.0) * (q[r] + dot(3, q + 3 + 3 * r, Y[side]));
            }
        }
        push_point(n, Y[0], slope.derivative);
        for (int r = 0; r < 3; ++r)
            force[r] = -n[r];
        push_point(force, Y[1], slope.derivative + 12);
        stic_symmetry_find(&movable, 1, &slope, &symmetry);
        assert_int_equal(symmetry.count, motions);
        // forces N e of what is left of any displacement have no sum
        SticRandom random = stic_random_create(6);
        for (int32_t c = 0; c < WIDTH; ++c)
            d[c] = stic_random_uniform(&random) - 0.5;
        stic_symmetry_remove(&movable, &symmetry, d);
        for (int r = 0; r < 3; ++r) {
            const double sum = movable.weight[r] * d[r] + movable.weight[12 + r] * d[12 + r];
            most = fabs(sum) > most ? fabs(sum) : most;
        }
        printf("spring, %d motions: sum of forces %.1e\n", motions, most);
        test_less(most, 1e-14);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_planes),
                                       cmocka_unit_test(test_spring)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

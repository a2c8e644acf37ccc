// SPDX-License-Identifier: Apache-2.0
// Rigid motions that leave a function as it is, see symmetry.h.
//
//   1  velocities X_k of all motions at the middle, scaled to length 1 in the metric of weights
//   2  wrenches j = X(q)'f'(q) at every slope, and an orthonormal basis of their span
//   3  combinations of motions orthogonal to it, as velocities, orthonormal
//
// Up to 6 motions of 24 coordinates: some 2000 operations where turns count, 300 where they do not.
#include "step/symmetry.h"
#include "stiction/extend/base.h"

#include <math.h>

// Wrenches of exact symmetries are rounding; features that the narrow phase finds are known to some
// 1e-10. A body that turns by less than this in a step has a correction of its square.
static const double least_part = 1e-8;

enum { MOTIONS = STIC_SYMMETRY_MOTIONS, WIDTH = STIC_SYMMETRY_WIDTH };

static int32_t width_of(const SticMovable* movable)
{
    int32_t width = 0;
    for (int side = 0; side < STIC_SYMMETRY_BLOCKS; ++side)
        width += movable->size[side];
    return width;
}

// out = e_axis x v for vectors whose components are `stride` apart
static void turn(int axis, const double* v, int32_t stride, double* out)
{
    const int next = (axis + 1) % 3, last = (axis + 2) % 3;
    out[axis * stride] = 0.0;
    out[next * stride] = -v[last * stride];
    out[last * stride] = v[next * stride];
}

// velocities of a motion at coordinates; turns are about a centre
static void move(const SticMovable* movable, int motion, const double* q, const double centre[3],
                 double* velocity)
{
    int32_t at = 0;
    for (int32_t c = 0; c < width_of(movable); ++c)
        velocity[c] = 0.0;
    for (int side = 0; side < STIC_SYMMETRY_BLOCKS; at += movable->size[side++]) {
        if (movable->size[side] == 0)
            continue;
        if (motion < 3) {
            velocity[at + motion] = 1.0;
            continue;
        }
        const double arm[3] = {q[at] - centre[0], q[at + 1] - centre[1], q[at + 2] - centre[2]};
        turn(motion - 3, arm, 1, velocity + at);
        // the columns of F, which is stored by rows
        for (int32_t c = 3; movable->size[side] == 12 && c < 6; ++c)
            turn(motion - 3, q + at + c, 3, velocity + at + c);
    }
}

static double weighed(const SticMovable* movable, const double* a, const double* b)
{
    double sum = 0.0;
    for (int32_t c = 0; c < width_of(movable); ++c)
        sum += movable->weight[c] * a[c] * b[c];
    return sum;
}

static double dot(int32_t n, const double* a, const double* b)
{
    double sum = 0.0;
    for (int32_t i = 0; i < n; ++i)
        sum += a[i] * b[i];
    return sum;
}

// the part of v orthogonal to orthonormal rows; twice, since once loses digits
static void clear(int32_t n, int32_t count, double (*basis)[MOTIONS], double* v)
{
    for (int32_t pass = 0; pass < 2 * count; ++pass) {
        const double* row = basis[pass % count];
        const double part = dot(n, row, v);
        for (int32_t k = 0; k < n; ++k)
            v[k] -= part * row[k];
    }
}

// add v to orthonormal rows unless at most `least` of it is orthogonal to them
static int32_t extend(int32_t n, int32_t count, double (*basis)[MOTIONS], double* v, double least)
{
    clear(n, count, basis, v);
    const double length = sqrt(dot(n, v, v));
    if (!(length > least) || count == n)
        return count;
    for (int32_t k = 0; k < n; ++k)
        basis[count][k] = v[k] / length;
    return count + 1;
}

// motions of the middle
typedef struct Scaled {
    const double* centre; // of turns
    double scale[MOTIONS], velocity[MOTIONS][WIDTH];
} Scaled;

// turns are about the first block, so that places far away do not hide them
static void scale_motions(const SticMovable* movable, const SticSlope* middle, Scaled* scaled)
{
    scaled->centre = middle->q;
    for (int k = 0; k < movable->motions; ++k) {
        move(movable, k, middle->q, scaled->centre, scaled->velocity[k]);
        const double length = sqrt(weighed(movable, scaled->velocity[k], scaled->velocity[k]));
        scaled->scale[k] = length > 0.0 ? 1.0 / length : 0.0;
    }
}

// the basis of all wrenches, those that differ most from the others first
static int32_t span_wrenches(const SticMovable* movable, int32_t count, const SticSlope* slope,
                             const Scaled* scaled, double (*basis)[MOTIONS])
{
    double wrench[3][MOTIONS], size = 0.0;
    int32_t rank = 0;
    for (int32_t s = 0; s < count; ++s)
        for (int k = 0; k < movable->motions; ++k) {
            double velocity[WIDTH], amount = 0.0;
            move(movable, k, slope[s].q, scaled->centre, velocity);
            wrench[s][k] = 0.0;
            for (int32_t c = 0; c < width_of(movable); ++c) {
                const double part = scaled->scale[k] * slope[s].derivative[c] * velocity[c];
                wrench[s][k] += part;
                amount += fabs(part);
            }
            size = amount > size ? amount : size;
        }
    for (int32_t pass = 0; pass < count; ++pass) {
        int32_t most = 0;
        double length = -1.0;
        for (int32_t s = 0; s < count; ++s) {
            clear(movable->motions, rank, basis, wrench[s]);
            const double own = dot(movable->motions, wrench[s], wrench[s]);
            most = own > length ? s : most;
            length = own > length ? own : length;
        }
        rank = extend(movable->motions, rank, basis, wrench[most], least_part * size);
    }
    return rank;
}

// one more row, orthogonal to `count` < n others: of the unit vectors, the one that they miss most
static int32_t complete(int32_t n, int32_t count, double (*basis)[MOTIONS])
{
    int32_t most = 0;
    double missed = -1.0;
    for (int32_t k = 0; k < n; ++k) {
        double left = 1.0;
        for (int32_t row = 0; row < count; ++row)
            left -= basis[row][k] * basis[row][k];
        most = left > missed ? k : most;
        missed = left > missed ? left : missed;
    }
    double unit[MOTIONS] = {0.0};
    unit[most] = 1.0;
    return extend(n, count, basis, unit, 0.0);
}

// The most frequent case by far, two bodies of which only the relative place matters: shifts along
// the axes, which are orthogonal as they are. Returns false if shifts do work.
static bool find_shifts(const SticMovable* movable, const SticSlope* middle, SticSymmetry* symmetry)
{
    const int32_t other = movable->size[0], n = width_of(movable);
    double size = 0.0, sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        const double parts[2] = {middle->derivative[k], middle->derivative[other + k]};
        size += fabs(parts[0]) + fabs(parts[1]);
        sum += fabs(parts[0] + parts[1]);
    }
    if (sum > least_part * size)
        return false;
    symmetry->count = 3;
    for (int k = 0; k < 3; ++k) {
        double* motion = symmetry->motion[k];
        for (int32_t c = 0; c < n; ++c)
            motion[c] = 0.0;
        motion[k] = motion[other + k] = 1.0 / sqrt(movable->weight[k] + movable->weight[other + k]);
    }
    return true;
}

void stic_symmetry_find(const SticMovable* movable, int32_t count, const SticSlope* slope,
                        SticSymmetry* symmetry)
{
    STIC_ASSERT(count >= 0);
    double basis[MOTIONS][MOTIONS];
    const int32_t n = width_of(movable);
    Scaled scaled;
    if (count == 1 && movable->motions == 3 && movable->size[0] > 0 && movable->size[1] > 0 &&
        movable->size[2] == 0 && find_shifts(movable, &slope[0], symmetry))
        return;
    scale_motions(movable, &slope[0], &scaled);
    int32_t rank = span_wrenches(movable, count, slope, &scaled, basis);
    symmetry->count = 0;
    while (rank < movable->motions) {
        rank = complete(movable->motions, rank, basis);
        double* velocity = symmetry->motion[symmetry->count];
        for (int32_t c = 0; c < n; ++c) {
            velocity[c] = 0.0;
            for (int m = 0; m < movable->motions; ++m)
                velocity[c] += basis[rank - 1][m] * scaled.scale[m] * scaled.velocity[m][c];
        }
        stic_symmetry_remove(movable, symmetry, velocity);
        stic_symmetry_remove(movable, symmetry, velocity);
        const double length = sqrt(weighed(movable, velocity, velocity));
        if (!(length > least_part))
            continue;
        for (int32_t c = 0; c < n; ++c)
            velocity[c] /= length;
        ++symmetry->count;
    }
}

void stic_symmetry_remove(const SticMovable* movable, const SticSymmetry* symmetry, double* d)
{
    for (int32_t k = 0; k < symmetry->count; ++k) {
        const double part = weighed(movable, symmetry->motion[k], d);
        for (int32_t c = 0; c < width_of(movable); ++c)
            d[c] -= part * symmetry->motion[k][c];
    }
}

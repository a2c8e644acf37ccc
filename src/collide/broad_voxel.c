// SPDX-License-Identifier: Apache-2.0
// Voxel sizes of the hashing methods (Koziara's thesis, equation 9.3.15).
//
// With s^dim the mean volume of the boxes' enclosing cubes, all boxes together cover O(n) voxels
// whatever their sizes, as the sum of volume / s^dim is n. Volumes are taken relative to the
// region, so that they neither overflow nor vanish; s is at least a 2^20th of the region, so that
// voxel numbers fit an integer (finer voxels would only split boxes that are alone anyway).
#include "collide/broad_voxel.h"

#include <float.h>

// the region of all finite coordinates
static void find_region(const SticBroad* broad, double low[3], double high[3])
{
    const double end = DBL_MAX / 4.0; // so that differences stay finite
    for (int k = 0; k < 3; ++k) {
        low[k] = end;
        high[k] = -end;
        for (int32_t i = 0; i < broad->slots; ++i) {
            if (!(broad->state[i] & STIC_SLOT_LIVE))
                continue;
            const double ends[2] = {broad->box[i].low[k], broad->box[i].high[k]};
            for (int e = 0; e < 2; ++e) {
                if (!isfinite(ends[e]))
                    continue;
                low[k] = ends[e] < low[k] ? ends[e] : low[k];
                high[k] = ends[e] > high[k] ? ends[e] : high[k];
            }
        }
        low[k] = low[k] < -end ? -end : low[k];
        high[k] = high[k] > end ? end : high[k];
        if (low[k] > high[k])
            low[k] = high[k] = 0.0;
    }
}

// cube root to about six digits; a voxel size needs no more
static double cube_root(double a)
{
    int exponent = 0;
    if (a <= 0.0)
        return 0.0;
    (void)frexp(a, &exponent);
    double x = ldexp(1.0, exponent / 3);
    for (int i = 0; i < 8; ++i)
        x = (2.0 * x + a / (x * x)) / 3.0;
    return x;
}

static double clipped_length(const SticBox* box, const SticBoxMeasures* m, int axis)
{
    const double low = box->low[axis] > m->low[axis] ? box->low[axis] : m->low[axis];
    const double high = box->high[axis] < m->high[axis] ? box->high[axis] : m->high[axis];
    return high > low ? high - low : 0.0;
}

static double greater(double a, double b)
{
    return a > b ? a : b;
}

void stic_boxes_measure(const SticBroad* broad, SticBoxMeasures* measures)
{
    SticBoxMeasures m = {.shortest = {DBL_MAX, DBL_MAX, DBL_MAX}};
    find_region(broad, m.low, m.high);
    double side = 0.0;
    for (int k = 0; k < 3; ++k)
        side = greater(side, m.high[k] - m.low[k]);
    const double unit = side > 0.0 ? side : 1.0;

    double cubes = 0.0, squares[3] = {0.0, 0.0, 0.0};
    for (int32_t i = 0; i < broad->slots; ++i) {
        if (!(broad->state[i] & STIC_SLOT_LIVE))
            continue;
        double length[3];
        for (int k = 0; k < 3; ++k) {
            length[k] = clipped_length(&broad->box[i], &m, k) / unit;
            m.mean[k] += length[k];
            m.longest[k] = greater(m.longest[k], length[k]);
            m.shortest[k] = length[k] < m.shortest[k] ? length[k] : m.shortest[k];
        }
        const double largest = greater(greater(length[0], length[1]), length[2]);
        cubes += largest * largest * largest;
        for (int k = 0; k < 3; ++k) {
            const double wide = greater(length[(k + 1) % 3], length[(k + 2) % 3]);
            squares[k] += wide * wide;
        }
    }
    // points: as many voxels as boxes
    const double count = broad->live > 0 ? broad->live : 1;
    m.cube = unit * (cubes > 0.0 ? cube_root(cubes / count) : 1.0 / cube_root(count));
    for (int k = 0; k < 3; ++k) {
        m.square[k] = unit * (squares[k] > 0.0 ? sqrt(squares[k] / count) : 1.0 / sqrt(count));
        m.mean[k] *= unit / count;
        m.longest[k] *= unit;
        m.shortest[k] *= unit;
    }
    *measures = m;
}

SticVoxels stic_voxels_create(const SticBoxMeasures* measures, int axis, double size)
{
    STIC_ASSERT(axis >= 0 && axis < 3);
    const double low = measures->low[axis], high = measures->high[axis];
    const double finest = (high - low) / (STIC_VOXELS - 1);
    const SticVoxels voxels = {
        .low = low, .high = high, .size = greater(greater(size, finest), DBL_MIN)};
    return voxels;
}

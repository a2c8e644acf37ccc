// SPDX-License-Identifier: Apache-2.0
// Measures of a set of boxes and the voxels chosen from them.
#ifndef STIC_COLLIDE_BROAD_VOXEL_H
#define STIC_COLLIDE_BROAD_VOXEL_H

#include "collide/broad_internal.h"

/// Measures of the live boxes. Unbounded boxes are cut at the region of the bounded ones.
typedef struct SticBoxMeasures {
    double low[3], high[3]; ///< region that holds every finite coordinate
    double mean[3];         ///< mean extents
    double longest[3], shortest[3];
    double cube;      ///< voxel size for three dimensions: (mean volume of enclosing cubes)^(1/3)
    double square[3]; ///< for the plane normal to an axis: (mean area of enclosing squares)^(1/2)
} SticBoxMeasures;

/// Measure the boxes, O(n).
void stic_boxes_measure(const SticBroad* broad, SticBoxMeasures* measures);

enum { STIC_VOXELS = 1 << 20 }; ///< most voxels along an axis

/// Voxels along one axis.
typedef struct SticVoxels {
    double low, high, size;
} SticVoxels;

/// Voxels of about `size` over one axis of the region.
SticVoxels stic_voxels_create(const SticBoxMeasures* measures, int axis, double size);

/// Voxel of a coordinate; coordinates outside belong to the first or the last one.
static inline int32_t stic_voxel_at(const SticVoxels* voxels, double x)
{
    const double inside = x < voxels->low ? voxels->low : x > voxels->high ? voxels->high : x;
    return (int32_t)((inside - voxels->low) / voxels->size);
}

/// Multipliers of the hash: large primes that are customary for this purpose.
static inline uint32_t stic_voxel_hash(int32_t i, int32_t j, int32_t k)
{
    uint32_t hash = (uint32_t)i * 73856093u ^ (uint32_t)j * 19349663u ^ (uint32_t)k * 83492791u;
    // the table size is a power of two: bring the upper bits down
    hash ^= hash >> 15;
    return hash;
}

/// Smallest power of two that is at least `count` and 16.
static inline uint32_t stic_voxel_size(int32_t count)
{
    uint32_t size = 16;
    while (size < (uint32_t)count)
        size *= 2;
    return size;
}

#endif

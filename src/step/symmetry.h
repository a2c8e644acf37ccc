// SPDX-License-Identifier: Apache-2.0
// Rigid motions that leave a function of a few bodies as it is.
//
// Translations along the three axes, and turns about them where blocks are linear (points, and
// bodies with x and F as coordinates), move coordinates with velocities X(q) that are linear in q.
// The wrench of f at q, j = X(q)'f'(q), is what f does to the momenta that belong to these motions;
// f is left as it is by the motions that the wrenches at both ends and the middle of a step do no
// work on. A floor leaves two translations and one turn, a spring between two bodies all six.
#ifndef STIC_STEP_SYMMETRY_H
#define STIC_STEP_SYMMETRY_H

#include "stiction/extend/body.h"
#include "stiction/extend/system.h"

#include <stdbool.h>
#include <stdint.h>

/// The widest are two bodies, or one and the nodes of a face.
enum {
    STIC_SYMMETRY_MOTIONS = 6,
    STIC_SYMMETRY_BLOCKS = 2 + STIC_ALSO_BLOCKS,
    STIC_SYMMETRY_WIDTH = 2 * STIC_CHART_MAX_Q
};
_Static_assert(STIC_SYMMETRY_WIDTH >= STIC_CHART_MAX_Q + 3 * (1 + STIC_ALSO_BLOCKS),
               "nodes of a face are blocks of three coordinates");

/// Coordinates of blocks with the derivative of a function there; size 0: no such block.
typedef struct SticSlope {
    double q[STIC_SYMMETRY_WIDTH]; ///< one block after the other
    double derivative[STIC_SYMMETRY_WIDTH];
} SticSlope;

/// Motions of the middle, orthonormal in the metric of the weights.
typedef struct SticSymmetry {
    int32_t count;
    double motion[STIC_SYMMETRY_MOTIONS][STIC_SYMMETRY_WIDTH];
} SticSymmetry;

/// Blocks and weights that motions are about.
typedef struct SticMovable {
    int32_t size[STIC_SYMMETRY_BLOCKS]; ///< coordinates
    int32_t motions;                    ///< 3: translations, 6: turns too
    double weight[STIC_SYMMETRY_WIDTH];
} SticMovable;

/// Motions that no wrench of `count` slopes works on; slope[0] is that of the middle.
void stic_symmetry_find(const SticMovable* movable, int32_t count, const SticSlope* slope,
                        SticSymmetry* symmetry);
/// Remove the part that the motions explain from a displacement d.
void stic_symmetry_remove(const SticMovable* movable, const SticSymmetry* symmetry, double* d);

#endif

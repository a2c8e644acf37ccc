// SPDX-License-Identifier: Apache-2.0
// A bed of spheres between two walls that move differently, ground and the other walls at rest.
#ifndef STIC_TEST_CERTIFY_BED_H
#define STIC_TEST_CERTIFY_BED_H

#include "helpers/scenes.h"

/// Velocities of the walls at x = 0 and at x = width, m/s.
typedef struct BedMotion {
    double left[3], right[3];
} BedMotion;

/// The walls move apart, and up and down.
static const BedMotion bed_opening = {{-1.0, 0.0, 0.3}, {0.5, 0.1, -0.2}};
/// The walls close in on the bed, which has a free surface.
static const BedMotion bed_closing = {{0.5, 0.0, 0.0}, {-0.5, 0.0, 0.0}};

/// w of the contacts with the moving walls: u is the velocity of the sphere less that of the wall.
static inline void bed_move(Scene* scene, const BedMotion* motion)
{
    for (int32_t c = 0; c < scene->contacts; ++c) {
        const SceneContact* contact = &scene->contact[c];
        double axis[3][3];
        if (contact->a >= 0 || fabs(contact->normal[0]) < 0.5)
            continue;
        const double* v = contact->normal[0] > 0.0 ? motion->left : motion->right;
        memcpy(axis[0], contact->normal, sizeof axis[0]);
        scene_tangents(axis[0], axis[1], axis[2]);
        for (int row = 0; row < 3; ++row)
            scene->w[3 * c + row] =
                -(axis[row][0] * v[0] + axis[row][1] * v[1] + axis[row][2] * v[2]);
    }
}

#endif

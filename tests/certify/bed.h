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

/// Face-centred packing of unit spheres, `wide` by `wide` by `high` half cells, every centre moved
/// at random by at most 0.002: spheres closer than 1.01 touch. Ground, four walls, free on top.
static inline void bed_create(Scene* scene, int32_t wide, int32_t high, double mu)
{
    const double half = 0.5 * sqrt(2.0), width = half * (wide - 1) + 1.0;
    const SceneDef def = {.kind = SCENE_SPHERES, .size = 0, .mu = mu};
    const double J = 0.1, inertia[9] = {J, 0.0, 0.0, 0.0, J, 0.0, 0.0, 0.0, J};
    SticRandom random = stic_random_create(19);
    int32_t* at = boxes_memory((size_t)wide * (size_t)wide * (size_t)high, sizeof *at);
    *scene = (Scene){0};
    for (int32_t n = 0; n < wide * wide * high; ++n) {
        const int32_t place[3] = {n % wide, n / wide % wide, n / wide / wide};
        double x[3];
        at[n] = -1;
        if ((place[0] + place[1] + place[2]) % 2 != 0)
            continue;
        for (int k = 0; k < 3; ++k)
            x[k] = 0.5 + half * place[k] + stic_random_range(&random, -0.002, 0.002);
        at[n] = scene_add_body(scene, x, 1.0, inertia);
        for (int side = 0; side < 5; ++side) {
            const int k = side == 0 ? 2 : (side - 1) / 2;
            const bool far = side > 0 && side % 2 == 0;
            double normal[3] = {0.0, 0.0, 0.0}, point[3] = {x[0], x[1], x[2]};
            if (place[k] != (far ? wide - 1 : 0))
                continue;
            normal[k] = far ? -1.0 : 1.0;
            point[k] = far ? width : 0.0;
            scene_add_contact(scene, -1, at[n], point, normal);
        }
    }
    // neighbours before n: those of the same and of the lower layer
    static const int32_t step[6][3] = {{-1, -1, 0}, {1, -1, 0},  {-1, 0, -1},
                                       {1, 0, -1},  {0, -1, -1}, {0, 1, -1}};
    for (int32_t n = 0; n < wide * wide * high; ++n)
        for (int s = 0; s < 6 && at[n] >= 0; ++s) {
            const int32_t i = n % wide + step[s][0], j = n / wide % wide + step[s][1];
            const int32_t k = n / wide / wide + step[s][2];
            if (i < 0 || j < 0 || k < 0 || i >= wide || j >= wide)
                continue;
            const int32_t other = at[(k * wide + j) * wide + i];
            const double *a = scene->body[other].centre, *b = scene->body[at[n]].centre;
            double normal[3], point[3], length = 0.0;
            for (int d = 0; d < 3; ++d)
                length += (b[d] - a[d]) * (b[d] - a[d]);
            for (int d = 0; d < 3; ++d) {
                normal[d] = (b[d] - a[d]) / sqrt(length);
                point[d] = 0.5 * (a[d] + b[d]);
            }
            scene_add_contact(scene, other, at[n], point, normal);
        }
    free(at);
    scene_finish(scene, &def, &(SceneMore){0});
}

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

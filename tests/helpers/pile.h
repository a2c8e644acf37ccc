// SPDX-License-Identifier: Apache-2.0
// Random piles of spheres or capsules in an open box, settled by position relaxation.
//
// A capsule is a sphere swept along the segment centre +- half axis; spheres have half = 0. The
// bodies start on a grid with gaps, with random radii and axes, and come down by ever smaller
// steps, after each of which overlapping pairs are pushed apart along the shortest line between
// their segments; axes do not turn.
#ifndef STIC_TEST_HELPERS_PILE_H
#define STIC_TEST_HELPERS_PILE_H

#include <math.h>
#include <string.h>

#include "helpers/boxes.h"
#include "stiction/extend/base.h"

typedef struct ScenePile {
    int32_t count, cells, pairs;
    double width, edge; // of the box; of a cell, the largest diameter
    double half;        // of all segments
    double (*x)[3], (*axis)[3];
    double* radius;
    int32_t (*pair)[2];
    int32_t *head, *next;
} ScenePile;

static inline int32_t scene_pile_cell(const ScenePile* pile, const double* x, int32_t k)
{
    // the grid is as high as it is wide, tops are clamped
    const int32_t c = (int32_t)(x[k] / pile->edge);
    return c < 0 ? 0 : c >= pile->cells ? pile->cells - 1 : c;
}

static inline double scene_pile_clip(double s, double half)
{
    return s < -half ? -half : s > half ? half : s;
}

/// The vector from the point of segment i next to segment j to the point of j next to it, and where
/// on i (as a distance from its centre).
static inline void scene_pile_shortest(const ScenePile* pile, int32_t i, int32_t j, double d[3],
                                       double* along)
{
    const double *a = pile->axis[i], *b = pile->axis[j];
    double ab = 0.0, ad = 0.0, bd = 0.0;
    for (int k = 0; k < 3; ++k) {
        d[k] = pile->x[j][k] - pile->x[i][k];
        ab += a[k] * b[k];
        ad += a[k] * d[k];
        bd += b[k] * d[k];
    }
    *along = 0.0;
    if (pile->half == 0.0)
        return;
    // minimum of |d + t b - s a|^2 over the square |s|, |t| <= half
    const double det = 1.0 - ab * ab;
    double s = det > 1e-12 ? scene_pile_clip((ad - ab * bd) / det, pile->half) : 0.0;
    const double t = scene_pile_clip(s * ab - bd, pile->half);
    s = scene_pile_clip(t * ab + ad, pile->half);
    for (int k = 0; k < 3; ++k)
        d[k] += t * b[k] - s * a[k];
    *along = s;
}

/// Pairs whose gap is below `reach`, in the order of the bodies.
static inline void scene_pile_pairs(ScenePile* pile, double reach)
{
    const int32_t n = pile->cells;
    memset(pile->head, 0xff, (size_t)n * (size_t)n * (size_t)n * sizeof *pile->head);
    pile->pairs = 0;
    for (int32_t i = 0; i < pile->count; ++i) {
        const double* x = pile->x[i];
        const int32_t cx = scene_pile_cell(pile, x, 0), cy = scene_pile_cell(pile, x, 1),
                      cz = scene_pile_cell(pile, x, 2);
        for (int32_t c = 0; c < 27; ++c) {
            const int32_t px = cx + c % 3 - 1, py = cy + c / 3 % 3 - 1, pz = cz + c / 9 - 1;
            if (px < 0 || py < 0 || pz < 0 || px >= n || py >= n || pz >= n)
                continue;
            for (int32_t j = pile->head[(pz * n + py) * n + px]; j >= 0; j = pile->next[j]) {
                double d[3], along;
                const double s = pile->radius[i] + pile->radius[j] + reach;
                scene_pile_shortest(pile, j, i, d, &along);
                if (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < s * s &&
                    pile->pairs < 24 * pile->count) {
                    pile->pair[pile->pairs][0] = j;
                    pile->pair[pile->pairs++][1] = i;
                }
            }
        }
        int32_t* head = &pile->head[(cz * n + cy) * n + cx];
        pile->next[i] = *head;
        *head = i;
    }
}

/// Push overlapping pairs apart, and everything out of the walls and the ground.
static inline void scene_pile_project(ScenePile* pile)
{
    for (int32_t p = 0; p < pile->pairs; ++p) {
        const int32_t i = pile->pair[p][0], j = pile->pair[p][1];
        double d[3], along, square = 0.0;
        scene_pile_shortest(pile, i, j, d, &along);
        for (int k = 0; k < 3; ++k)
            square += d[k] * d[k];
        const double sum = pile->radius[i] + pile->radius[j];
        if (square >= sum * sum || square == 0.0)
            continue;
        const double move = 0.5 * (sum / sqrt(square) - 1.0);
        for (int k = 0; k < 3; ++k) {
            pile->x[i][k] -= move * d[k];
            pile->x[j][k] += move * d[k];
        }
    }
    for (int32_t i = 0; i < pile->count; ++i)
        for (int k = 0; k < 3; ++k) {
            double* x = &pile->x[i][k];
            const double reach = pile->radius[i] + pile->half * fabs(pile->axis[i][k]);
            *x = *x < reach ? reach : *x;
            if (k < 2 && *x > pile->width - reach)
                *x = pile->width - reach;
        }
}

/// Radii, axes and places on a grid with gaps, so that the bodies find their places on the way
/// down.
static inline void scene_pile_place(ScenePile* pile, int32_t side)
{
    SticRandom random = stic_random_create(11);
    const double wide = pile->half > 0.0 ? 1.3 : 1.1, high = pile->half > 0.0 ? 1.4 : 1.25;
    pile->width = wide * side;
    for (int32_t i = 0; i < pile->count; ++i) {
        const int32_t place[3] = {i % side, i / side % side, i / side / side};
        pile->radius[i] = pile->half > 0.0 ? stic_random_range(&random, 0.25, 0.35)
                                           : stic_random_range(&random, 0.4, 0.6);
        for (int k = 0; k < 3; ++k)
            pile->x[i][k] =
                (k == 2 ? high : wide) * (place[k] + 0.5) + stic_random_range(&random, -0.1, 0.1);
        double square = 0.0;
        while (pile->half > 0.0 && !(square > 0.01 && square <= 1.0)) {
            square = 0.0;
            for (int k = 0; k < 3; ++k) {
                pile->axis[i][k] = stic_random_range(&random, -1.0, 1.0);
                square += pile->axis[i][k] * pile->axis[i][k];
            }
        }
        for (int k = 0; k < 3; ++k)
            pile->axis[i][k] = pile->half > 0.0 ? pile->axis[i][k] / sqrt(square) : k == 2;
    }
}

/// A settled pile of `size` bodies; release it with scene_pile_release.
static inline void scene_pile_fill(ScenePile* pile, int32_t size, double half)
{
    int32_t side = 1;
    while (side * side * side < size)
        side += 1;
    const double edge = half > 0.0 ? 2.0 * (half + 0.35) : 1.2;
    *pile = (ScenePile){
        .count = size, .half = half, .edge = edge, .cells = (int32_t)(1.3 * side / edge) + 2};
    pile->x = boxes_memory((size_t)size, sizeof *pile->x);
    pile->axis = boxes_memory((size_t)size, sizeof *pile->axis);
    pile->radius = boxes_memory((size_t)size, sizeof(double));
    pile->next = boxes_memory((size_t)size, sizeof(int32_t));
    pile->pair = boxes_memory(24 * (size_t)size, sizeof *pile->pair);
    pile->head = boxes_memory((size_t)pile->cells * (size_t)pile->cells * (size_t)pile->cells,
                              sizeof(int32_t));
    scene_pile_place(pile, side);
    // down by ever smaller steps; the higher the pile, the further its top has to come
    const int32_t fall = 20 * (side > 10 ? side : 10) * (half > 0.0 ? 2 : 1);
    for (int32_t step = 0; step < fall + 100; ++step) {
        const double down = step < fall ? 0.03 : 0.03 * (fall + 100 - step) / 100.0 * 0.2;
        for (int32_t i = 0; i < size; ++i)
            pile->x[i][2] -= down;
        if (step % 4 == 0)
            scene_pile_pairs(pile, 0.2);
        for (int pass = 0; pass < (step < fall ? 3 : 8); ++pass)
            scene_pile_project(pile);
    }
}

static inline void scene_pile_release(ScenePile* pile)
{
    free(pile->x);
    free(pile->axis);
    free(pile->radius);
    free(pile->next);
    free(pile->pair);
    free(pile->head);
}

#endif

// SPDX-License-Identifier: Apache-2.0
// Unit boxes that rest on the ground and on each other: stack, pyramid, wall.
//
// Where the boxes are and where they touch, four contact points per pair of faces; scenes.h makes
// problems of it. In a header of its own since benchmarks link no test helpers.
#ifndef STIC_TEST_HELPERS_BOXES_H
#define STIC_TEST_HELPERS_BOXES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef enum BoxScene { BOX_STACK, BOX_PYRAMID, BOX_WALL } BoxScene;

/// Boxes and their contacts.
typedef struct Boxes {
    int32_t bodies, contacts;
    double (*centre)[3]; // [bodies]
    double (*half)[3];   // [bodies]
    int32_t (*pair)[2];  // [contacts] lower and upper body, -1: ground
    double (*point)[3];  // [contacts]
    int32_t* axis;       // [contacts] of the normal
} Boxes;

static inline void* boxes_memory(size_t count, size_t size)
{
    void* memory = calloc(count + 1, size);
    if (memory == NULL) {
        fprintf(stderr, "boxes: out of memory\n");
        exit(1);
    }
    return memory;
}

static inline void boxes_place(Boxes* boxes, double x, double z, double half_x)
{
    double* centre = boxes->centre[boxes->bodies];
    double* half = boxes->half[boxes->bodies];
    centre[0] = x;
    centre[1] = 0.0;
    centre[2] = z;
    half[0] = half_x;
    half[1] = half[2] = 0.5;
    boxes->bodies += 1;
}

/// Bodies of a scene: `size` boxes, base length, or length and courses.
static inline void boxes_fill(Boxes* boxes, BoxScene scene, int32_t size)
{
    for (int32_t k = 0; k < size; ++k) {
        const double z = 0.5 + k;
        if (scene == BOX_STACK)
            boxes_place(boxes, 0.0, z, 0.5);
        for (int32_t i = 0; scene == BOX_PYRAMID && i < size - k; ++i)
            boxes_place(boxes, i + 0.5 * k, z, 0.5);
        for (int32_t i = 0; scene == BOX_WALL && i < size + k % 2; ++i) {
            // every second course starts and ends with a half brick
            const bool cut = k % 2 == 1 && (i == 0 || i == size);
            const double left = k % 2 == 0 ? i : i == 0 ? 0.0 : i - 0.5;
            boxes_place(boxes, left + (cut ? 0.25 : 0.5), z, cut ? 0.25 : 0.5);
        }
    }
}

/// Four corner points of the common part of two faces normal to `axis` (0 or 2).
static inline void boxes_touch(Boxes* boxes, int32_t a, int32_t b, int32_t axis)
{
    const int32_t across = 2 - axis;
    const double* cb = boxes->centre[b];
    const double* hb = boxes->half[b];
    double low = cb[across] - hb[across], high = cb[across] + hb[across];
    if (a >= 0) {
        const double a_low = boxes->centre[a][across] - boxes->half[a][across];
        const double a_high = boxes->centre[a][across] + boxes->half[a][across];
        low = low > a_low ? low : a_low;
        high = high < a_high ? high : a_high;
    }
    for (int32_t k = 0; k < 4; ++k) {
        const int32_t c = boxes->contacts++;
        boxes->pair[c][0] = a;
        boxes->pair[c][1] = b;
        boxes->axis[c] = axis;
        boxes->point[c][axis] = cb[axis] - hb[axis];
        boxes->point[c][across] = k < 2 ? low : high;
        boxes->point[c][1] = k % 2 == 0 ? -0.5 : 0.5;
    }
}

/// Contacts of body b with the ground and with earlier bodies that end where it begins; head joints
/// in walls only.
static inline void boxes_connect(Boxes* boxes, BoxScene scene, int32_t b)
{
    const double* cb = boxes->centre[b];
    const double* hb = boxes->half[b];
    if (cb[2] < 1.0)
        boxes_touch(boxes, -1, b, 2);
    for (int32_t a = b - 1; a >= 0; --a) {
        const double* ca = boxes->centre[a];
        const double* ha = boxes->half[a];
        if (cb[2] - ca[2] > 1.5)
            break;
        const double reach = ha[0] + hb[0], apart = cb[0] - ca[0];
        if (cb[2] - ca[2] > 0.5 && apart < reach - 1e-9 && apart > 1e-9 - reach)
            boxes_touch(boxes, a, b, 2);
        if (scene == BOX_WALL && cb[2] - ca[2] < 0.5 && apart < reach + 1e-9)
            boxes_touch(boxes, a, b, 0);
    }
}

/// Make a scene; release it with boxes_release.
static inline void boxes_create(Boxes* boxes, BoxScene scene, int32_t size)
{
    *boxes = (Boxes){0};
    const size_t bodies = scene == BOX_STACK     ? (size_t)size
                          : scene == BOX_PYRAMID ? (size_t)size * ((size_t)size + 1) / 2
                                                 : (size_t)size * (size_t)(size + 1);
    // at most two below and one beside
    const size_t contacts = 12 * bodies;
    boxes->centre = boxes_memory(bodies, sizeof *boxes->centre);
    boxes->half = boxes_memory(bodies, sizeof *boxes->half);
    boxes->pair = boxes_memory(contacts, sizeof *boxes->pair);
    boxes->point = boxes_memory(contacts, sizeof *boxes->point);
    boxes->axis = boxes_memory(contacts, sizeof *boxes->axis);
    boxes_fill(boxes, scene, size);
    for (int32_t b = 0; b < boxes->bodies; ++b)
        boxes_connect(boxes, scene, b);
}

static inline void boxes_release(Boxes* boxes)
{
    free(boxes->centre);
    free(boxes->half);
    free(boxes->pair);
    free(boxes->point);
    free(boxes->axis);
}

#endif

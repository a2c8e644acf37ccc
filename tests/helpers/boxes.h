// SPDX-License-Identifier: Apache-2.0
// Generated scenes of unit boxes for benchmarks and tests: stack, pyramid, wall.
//
// Boxes of unit mass and size rest on the ground and on each other, four contact points per pair of
// faces. One step of weight: every body would reach the velocity -1 (m/s) downwards; an impact adds
// random velocities and spins in [-1, 1]. The problem is in global form, six velocities per body,
// translation first. In a header of its own since benchmarks link no test helpers.
#ifndef STIC_TEST_HELPERS_BOXES_H
#define STIC_TEST_HELPERS_BOXES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stiction/problem.h"

typedef enum BoxScene { BOX_STACK, BOX_PYRAMID, BOX_WALL } BoxScene;

/// A scene with its memory; `problem` points into it.
typedef struct Boxes {
    SticProblem problem;
    int32_t bodies, contacts;
    double (*centre)[3]; // [bodies]
    double (*half)[3];   // [bodies]
    SticMass mass;
    SticBlockCsr A, inverse, Ht;
    int32_t *row_at, *body_at, *mass_begin, *mass_col, *begin, *col;
    int64_t *mass_value_at, *value_at;
    double *mass_value, *inverse_value, *value, *f, *w;
    double (*coef)[4];
    uint8_t* law;
    int32_t (*pair)[2]; // [contacts] lower and upper body, -1: ground
    double (*point)[3];
    int32_t* axis;
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

/// Rows of H' of one contact and one body, sign s: normal, then the other two axes.
static inline void boxes_rows(const Boxes* boxes, int32_t c, int32_t body, double s, double* to)
{
    double arm[3];
    for (int32_t k = 0; k < 3; ++k)
        arm[k] = boxes->point[c][k] - boxes->centre[body][k];
    for (int32_t row = 0; row < 3; ++row, to += 6) {
        double n[3] = {0.0, 0.0, 0.0};
        n[(boxes->axis[c] + row) % 3] = s;
        memcpy(to, n, sizeof n);
        to[3] = arm[1] * n[2] - arm[2] * n[1];
        to[4] = arm[2] * n[0] - arm[0] * n[2];
        to[5] = arm[0] * n[1] - arm[1] * n[0];
    }
}

static inline void boxes_mass(Boxes* boxes, double impact, SticRandom* random)
{
    for (int32_t k = 0; k < boxes->bodies; ++k) {
        const double* h = boxes->half[k];
        const double m = 2.0 * h[0];
        // box: J_x = m (b^2 + c^2)/12 with edge lengths, that is m (h_y^2 + h_z^2)/3
        const double inertia[6] = {m,
                                   m,
                                   m,
                                   m * (h[1] * h[1] + h[2] * h[2]) / 3.0,
                                   m * (h[0] * h[0] + h[2] * h[2]) / 3.0,
                                   m * (h[0] * h[0] + h[1] * h[1]) / 3.0};
        boxes->body_at[k + 1] = 6 * (k + 1);
        boxes->mass_begin[k + 1] = k + 1;
        boxes->mass_col[k] = k;
        boxes->mass_value_at[k + 1] = 36 * ((int64_t)k + 1);
        for (int32_t d = 0; d < 6; ++d) {
            const double velocity =
                (d == 2 ? -1.0 : 0.0) +
                (impact > 0.0 ? impact * stic_random_range(random, -1.0, 1.0) : 0.0);
            boxes->mass_value[36 * k + 7 * d] = inertia[d];
            boxes->inverse_value[36 * k + 7 * d] = 1.0 / inertia[d];
            boxes->f[6 * k + d] = inertia[d] * velocity;
        }
    }
}

static inline void boxes_jacobian(Boxes* boxes, double mu)
{
    int32_t block = 0;
    for (int32_t c = 0; c < boxes->contacts; ++c) {
        boxes->row_at[c + 1] = 3 * (c + 1);
        boxes->law[c] = STIC_LAW_CONE;
        boxes->coef[c][0] = mu;
        for (int32_t side = 0; side < 2; ++side) {
            const int32_t body = boxes->pair[c][side];
            if (body < 0)
                continue;
            boxes->col[block] = body;
            boxes_rows(boxes, c, body, side == 0 ? -1.0 : 1.0, boxes->value + 18 * (int64_t)block);
            block += 1;
            boxes->value_at[block] = 18 * (int64_t)block;
        }
        boxes->begin[c + 1] = block;
    }
}

/// Make a scene; release it with boxes_release.
static inline void boxes_create(Boxes* boxes, BoxScene scene, int32_t size, double mu,
                                double impact)
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
    boxes->body_at = boxes_memory(bodies, sizeof(int32_t));
    boxes->mass_begin = boxes_memory(bodies, sizeof(int32_t));
    boxes->mass_col = boxes_memory(bodies, sizeof(int32_t));
    boxes->mass_value_at = boxes_memory(bodies, sizeof(int64_t));
    boxes->mass_value = boxes_memory(36 * bodies, sizeof(double));
    boxes->inverse_value = boxes_memory(36 * bodies, sizeof(double));
    boxes->f = boxes_memory(6 * bodies, sizeof(double));
    boxes->row_at = boxes_memory(contacts, sizeof(int32_t));
    boxes->law = boxes_memory(contacts, 1);
    boxes->coef = boxes_memory(contacts, sizeof *boxes->coef);
    boxes->begin = boxes_memory(contacts, sizeof(int32_t));
    boxes->col = boxes_memory(2 * contacts, sizeof(int32_t));
    boxes->value_at = boxes_memory(2 * contacts, sizeof(int64_t));
    boxes->value = boxes_memory(36 * contacts, sizeof(double));
    boxes->w = boxes_memory(3 * contacts, sizeof(double));
    SticRandom random = stic_random_create(7);
    boxes_mass(boxes, impact, &random);
    boxes_jacobian(boxes, mu);
    const int32_t n = boxes->bodies, m = boxes->contacts;
    boxes->A = (SticBlockCsr){n,
                              n,
                              boxes->body_at,
                              boxes->body_at,
                              boxes->mass_begin,
                              boxes->mass_col,
                              boxes->mass_value_at,
                              boxes->mass_value};
    boxes->inverse = boxes->A;
    boxes->inverse.value = boxes->inverse_value;
    boxes->Ht = (SticBlockCsr){
        m,           n, boxes->row_at, boxes->body_at, boxes->begin, boxes->col, boxes->value_at,
        boxes->value};
    boxes->mass = (SticMass){.kind = STIC_MASS_BLOCKS, .A = &boxes->A, .inverse = &boxes->inverse};
    boxes->problem = (SticProblem){.count = m,
                                   .rows = 3 * m,
                                   .dof = 6 * n,
                                   .row_at = boxes->row_at,
                                   .law = boxes->law,
                                   .coef = (const double(*)[4])boxes->coef,
                                   .M = &boxes->mass,
                                   .Ht = &boxes->Ht,
                                   .f = boxes->f,
                                   .w = boxes->w};
}

static inline void boxes_release(Boxes* boxes)
{
    free(boxes->centre);
    free(boxes->half);
    free(boxes->pair);
    free(boxes->point);
    free(boxes->axis);
    free(boxes->body_at);
    free(boxes->mass_begin);
    free(boxes->mass_col);
    free(boxes->mass_value_at);
    free(boxes->mass_value);
    free(boxes->inverse_value);
    free(boxes->f);
    free(boxes->row_at);
    free(boxes->law);
    free(boxes->coef);
    free(boxes->begin);
    free(boxes->col);
    free(boxes->value_at);
    free(boxes->value);
    free(boxes->w);
}

#endif

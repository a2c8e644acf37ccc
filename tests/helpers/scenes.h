// SPDX-License-Identifier: Apache-2.0
// Generated scenes from closed-form geometry, 10 to some 100000 contacts, as one-step problems.
//
//   stack, pyramid, wall   boxes.h: unit boxes, four points per pair of faces
//   arch                   semicircle of voussoirs, thickness 0.2 R
//   spheres, capsules      random pile in a box, settled by position relaxation, gap < 0.01: pile.h
//   chain                  rods on the ground, joined by ball joints
//   bridge                 planks over piers in two layers, eight points per pair of faces:
//                          hyperstatic
//
// One step of weight: every body would reach the velocity -1 (m/s) downwards; `impact` adds random
// velocities and spins in [-impact, impact]; `jitter` moves every contact point at random by this
// length, as a later time step would. SceneMore adds a sideways velocity, so that all slides, and
// gyroscopic terms in the masses, so that W is unsymmetric. The problem is in global form, six
// velocities per body, translation first. In a header of its own since benchmarks link no test
// helpers.
#ifndef STIC_TEST_HELPERS_SCENES_H
#define STIC_TEST_HELPERS_SCENES_H

#include <math.h>
#include <string.h>

#include "helpers/boxes.h"
#include "helpers/pile.h"
#include "stiction/extend/problem.h"

typedef enum SceneKind {
    SCENE_STACK,
    SCENE_PYRAMID,
    SCENE_WALL,
    SCENE_ARCH,
    SCENE_SPHERES,
    SCENE_CHAIN,
    SCENE_BRIDGE,
    SCENE_CAPSULES
} SceneKind;

/// What scene_create makes.
typedef struct SceneDef {
    SceneKind kind;
    int32_t size; ///< boxes, base, courses, voussoirs, spheres, rods or spans
    double mu, impact, jitter;
} SceneDef;

/// What scene_create_more adds.
typedef struct SceneMore {
    double slide; ///< velocity of all bodies along x
    double gyro;  ///< size of the gyroscopic part of the inertia, 0: symmetric
} SceneMore;

typedef struct SceneBody {
    double centre[3], mass, inertia[9]; // about the centre, world axes
} SceneBody;

typedef struct SceneContact {
    int32_t a, b; // b pushes off a along the normal; -1: ground
    bool joint;   // ball joint
    double point[3], normal[3];
} SceneContact;

/// A scene with its memory; `problem` points into it.
typedef struct Scene {
    SticProblem problem;
    int32_t bodies, contacts, body_room, contact_room;
    SceneBody* body;
    SceneContact* contact;
    SticMass mass;
    SticBlockCsr A, inverse, Ht;
    int32_t *row_at, *body_at, *mass_begin, *mass_col, *begin, *col;
    int64_t *mass_value_at, *value_at;
    double *mass_value, *inverse_value, *value, *f, *w;
    double (*coef)[4];
    uint8_t* law;
} Scene;

/// The scenes that benchmarks run.
static const struct {
    const char* name;
    SceneDef def;
} scene_list[] = {
    {"arch9", {SCENE_ARCH, 9, 0.7, 0.0, 0.0}},
    {"chain20", {SCENE_CHAIN, 20, 0.4, 0.0, 0.0}},
    {"arch27", {SCENE_ARCH, 27, 0.7, 0.0, 0.0}},
    {"stack100", {SCENE_STACK, 100, 0.5, 0.0, 0.0}},
    {"bridge10", {SCENE_BRIDGE, 10, 0.5, 0.0, 0.0}},
    {"arch200", {SCENE_ARCH, 200, 0.7, 0.0, 0.0}},
    {"pyramid20", {SCENE_PYRAMID, 20, 0.5, 0.0, 0.0}},
    {"pyramid20-hit", {SCENE_PYRAMID, 20, 0.5, 1.0, 0.0}},
    {"spheres1k", {SCENE_SPHERES, 1000, 0.4, 0.0, 0.0}},
    {"spheres1k-hit", {SCENE_SPHERES, 1000, 0.4, 1.0, 0.0}},
    {"wall20", {SCENE_WALL, 20, 0.6, 0.0, 0.0}},
    {"wall20-hit", {SCENE_WALL, 20, 0.6, 1.0, 0.0}},
    {"pyramid50", {SCENE_PYRAMID, 50, 0.5, 0.0, 0.0}},
    {"bridge200", {SCENE_BRIDGE, 200, 0.5, 0.0, 0.0}},
    {"wall50", {SCENE_WALL, 50, 0.6, 0.0, 0.0}},
    {"spheres10k", {SCENE_SPHERES, 10000, 0.4, 0.0, 0.0}},
    {"pyramid100", {SCENE_PYRAMID, 100, 0.5, 0.0, 0.0}},
    {"wall100", {SCENE_WALL, 100, 0.6, 0.0, 0.0}},
};

/// Scene of a name: kind, size (k: thousands), then -hit, -slide, -gyro in any order ("wall20-hit",
/// "spheres10k"); false if there is none.
static inline bool scene_parse(const char* name, SceneDef* def, SceneMore* more)
{
    static const struct {
        const char* name;
        SceneKind kind;
        double mu;
    } kinds[] = {
        {"stack", SCENE_STACK, 0.5},     {"pyramid", SCENE_PYRAMID, 0.5},
        {"wall", SCENE_WALL, 0.6},       {"arch", SCENE_ARCH, 0.7},
        {"spheres", SCENE_SPHERES, 0.4}, {"chain", SCENE_CHAIN, 0.4},
        {"bridge", SCENE_BRIDGE, 0.5},   {"capsules", SCENE_CAPSULES, 0.4},
    };
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; ++k) {
        const size_t length = strlen(kinds[k].name);
        if (strncmp(name, kinds[k].name, length) != 0)
            continue;
        char* end = NULL;
        const long size = strtol(name + length, &end, 10);
        *def = (SceneDef){kinds[k].kind, (int32_t)(*end == 'k' ? 1000 * size : size), kinds[k].mu,
                          strstr(end, "-hit") != NULL ? 1.0 : 0.0, 0.0};
        *more = (SceneMore){.slide = strstr(end, "-slide") != NULL ? 1.0 : 0.0,
                            .gyro = strstr(end, "-gyro") != NULL ? 0.3 : 0.0};
        return size > 0;
    }
    return false;
}

/* ---- bodies and contacts ---- */

static inline int32_t scene_add_body(Scene* scene, const double centre[3], double mass,
                                     const double inertia[9])
{
    if (scene->bodies == scene->body_room) {
        SceneBody* more = boxes_memory(2 * (size_t)scene->body_room + 64, sizeof *more);
        if (scene->bodies > 0)
            memcpy(more, scene->body, (size_t)scene->bodies * sizeof *more);
        free(scene->body);
        scene->body = more;
        scene->body_room = 2 * scene->body_room + 64;
    }
    SceneBody* body = &scene->body[scene->bodies];
    memcpy(body->centre, centre, sizeof body->centre);
    memcpy(body->inertia, inertia, sizeof body->inertia);
    body->mass = mass;
    return scene->bodies++;
}

static inline void scene_add_contact(Scene* scene, int32_t a, int32_t b, const double point[3],
                                     const double normal[3])
{
    if (scene->contacts == scene->contact_room) {
        SceneContact* more = boxes_memory(2 * (size_t)scene->contact_room + 64, sizeof *more);
        if (scene->contacts > 0)
            memcpy(more, scene->contact, (size_t)scene->contacts * sizeof *more);
        free(scene->contact);
        scene->contact = more;
        scene->contact_room = 2 * scene->contact_room + 64;
    }
    SceneContact* contact = &scene->contact[scene->contacts++];
    *contact = (SceneContact){.a = a, .b = b};
    memcpy(contact->point, point, sizeof contact->point);
    memcpy(contact->normal, normal, sizeof contact->normal);
}

/// A box with edges along the axes.
static inline int32_t scene_add_box(Scene* scene, const double centre[3], const double half[3],
                                    double mass)
{
    const double x = half[0] * half[0], y = half[1] * half[1], z = half[2] * half[2];
    const double inertia[9] = {mass * (y + z) / 3.0, 0.0, 0.0, 0.0,
                               mass * (x + z) / 3.0, 0.0, 0.0, 0.0,
                               mass * (x + y) / 3.0};
    return scene_add_body(scene, centre, mass, inertia);
}

static inline void scene_boxes(Scene* scene, const SceneDef* def)
{
    Boxes boxes;
    boxes_create(&boxes,
                 def->kind == SCENE_STACK     ? BOX_STACK
                 : def->kind == SCENE_PYRAMID ? BOX_PYRAMID
                                              : BOX_WALL,
                 def->size);
    for (int32_t b = 0; b < boxes.bodies; ++b)
        scene_add_box(scene, boxes.centre[b], boxes.half[b], 2.0 * boxes.half[b][0]);
    for (int32_t c = 0; c < boxes.contacts; ++c) {
        double normal[3] = {0.0, 0.0, 0.0};
        normal[boxes.axis[c]] = 1.0;
        scene_add_contact(scene, boxes.pair[c][0], boxes.pair[c][1], boxes.point[c], normal);
    }
    boxes_release(&boxes);
}

/// Semicircle of `size` voussoirs of unit mean length, depth 1, thickness 0.2 R.
static inline void scene_arch(Scene* scene, int32_t size)
{
    const double pi = 3.14159265358979323846, part = pi / size;
    const double radius = size / pi, inner = 0.9 * radius, outer = 1.1 * radius;
    const double area = 0.5 * part * (outer * outer - inner * inner);
    // centroid of a sector of a ring
    const double middle = 4.0 * sin(0.5 * part) / (3.0 * part) *
                          (outer * outer * outer - inner * inner * inner) /
                          (outer * outer - inner * inner);
    for (int32_t k = 0; k < size; ++k) {
        const double angle = (k + 0.5) * part, c = cos(angle), s = sin(angle);
        const double centre[3] = {-middle * c, 0.0, middle * s};
        // box of the same size: along the arch, across it, along the depth
        const double l = 1.0, t = outer - inner;
        const double along = area * (t * t + 1.0) / 12.0, across = area * (l * l + 1.0) / 12.0;
        // unit vectors along the arch (s, 0, c) and across it (-c, 0, s)
        const double inertia[9] = {
            along * s * s + across * c * c, 0.0, (along - across) * s * c, 0.0,
            area * (l * l + t * t) / 12.0,  0.0, (along - across) * s * c, 0.0,
            along * c * c + across * s * s};
        scene_add_body(scene, centre, area, inertia);
    }
    for (int32_t k = 0; k <= size; ++k) {
        const double c = cos(k * part), s = sin(k * part);
        // the last joint pushes the last voussoir off the ground, against the direction of the arch
        const int32_t a = k == size ? -1 : k - 1, b = k == size ? size - 1 : k;
        const double sign = k == size ? -1.0 : 1.0, normal[3] = {sign * s, 0.0, sign * c};
        for (int32_t j = 0; j < 4; ++j) {
            const double r = j < 2 ? inner : outer;
            const double point[3] = {-r * c, j % 2 == 0 ? -0.5 : 0.5, r * s};
            scene_add_contact(scene, a, b, point, normal);
        }
    }
}

/// Rods of unit length on the ground, two contact points each, joined end to end; the first one is
/// held at its free end.
static inline void scene_chain(Scene* scene, int32_t size)
{
    static const double up[3] = {0.0, 0.0, 1.0}, half[3] = {0.5, 0.05, 0.05};
    for (int32_t k = 0; k < size; ++k) {
        const double centre[3] = {k + 0.5, 0.0, 0.05};
        scene_add_box(scene, centre, half, 1.0);
        const double joint[3] = {(double)k, 0.0, 0.05};
        scene_add_contact(scene, k - 1, k, joint, up);
        scene->contact[scene->contacts - 1].joint = true;
        for (int32_t j = 0; j < 4; ++j) {
            const double point[3] = {k + (j < 2 ? 0.1 : 0.9), j % 2 == 0 ? -0.05 : 0.05, 0.0};
            scene_add_contact(scene, -1, k, point, up);
        }
    }
}

/// Eight points of a horizontal face from x = low to high between a and b.
static inline void scene_face(Scene* scene, int32_t a, int32_t b, double low, double high, double z)
{
    static const double up[3] = {0.0, 0.0, 1.0};
    for (int32_t j = 0; j < 8; ++j) {
        const double point[3] = {low + (high - low) * (j / 2) / 3.0, j % 2 == 0 ? -0.5 : 0.5, z};
        scene_add_contact(scene, a, b, point, up);
    }
}

/// `size` spans: piers 4 apart, planks over two spans that lie on three piers (the next one on its
/// end), and a second layer of planks on top of them, shifted by one span.
static inline void scene_bridge(Scene* scene, int32_t size)
{
    static const double pier[3] = {1.0, 0.5, 0.5}, plank[3] = {4.0, 0.5, 0.1};
    for (int32_t k = 0; k <= size; ++k) {
        const double centre[3] = {4.0 * k, 0.0, 0.5};
        scene_face(scene, -1, scene_add_box(scene, centre, pier, 2.0), 4.0 * k - 1.0, 4.0 * k + 1.0,
                   0.0);
    }
    const int32_t first = scene->bodies;
    for (int32_t k = 0; k + 2 <= size; k += 2) {
        const double centre[3] = {4.0 * (k + 1), 0.0, 1.1};
        const int32_t b = scene_add_box(scene, centre, plank, 1.6);
        for (int32_t j = 0; j < 3; ++j) {
            const double at = 4.0 * (k + j);
            // two planks share the piers between them
            scene_face(scene, k + j, b, j == 0 ? at : at - 1.0, j == 2 ? at : at + 1.0, 1.0);
        }
    }
    const int32_t lower = scene->bodies - first;
    for (int32_t k = 0; k + 1 < lower; ++k) {
        const double x = 8.0 * (k + 1), centre[3] = {x, 0.0, 1.3};
        const int32_t b = scene_add_box(scene, centre, plank, 1.6);
        scene_face(scene, first + k, b, x - 4.0, x, 1.2);
        scene_face(scene, first + k + 1, b, x, x + 4.0, 1.2);
    }
}

/* ---- piles ---- */

/// Sphere or capsule i of a pile with unit density of the cube around its sphere.
static inline void scene_add_round(Scene* scene, const ScenePile* pile, int32_t i)
{
    const double r = pile->radius[i], mass = 8.0 * r * r * r, J = 0.4 * mass * r * r;
    const double* a = pile->axis[i];
    // a capsule: the sphere, and a rod of the same density along its axis
    const double rod = pile->half > 0.0 ? 12.0 * r * r * pile->half : 0.0;
    const double along = 0.5 * rod * r * r,
                 across = rod * (0.25 * r * r + pile->half * pile->half / 3.0) +
                          mass * pile->half * pile->half;
    double inertia[9];
    for (int k = 0; k < 3; ++k)
        for (int l = 0; l < 3; ++l)
            inertia[3 * k + l] = (k == l ? J + across : 0.0) + (along - across) * a[k] * a[l];
    scene_add_body(scene, pile->x[i], mass + rod, inertia);
}

/// Contacts of body i with the ground, then with the walls at 0 and at the width; capsules with
/// both of their ends.
static inline void scene_pile_walls(Scene* scene, const ScenePile* pile, int32_t i)
{
    for (int side = 0; side < 5; ++side)
        for (int end = 0; end < (pile->half > 0.0 ? 2 : 1); ++end) {
            const int k = side == 0 ? 2 : (side - 1) / 2;
            const bool high = side > 0 && side % 2 == 0;
            const double wall = high ? pile->width : 0.0, s = end == 0 ? pile->half : -pile->half;
            double normal[3] = {0.0, 0.0, 0.0}, point[3];
            for (int d = 0; d < 3; ++d)
                point[d] = pile->x[i][d] + s * pile->axis[i][d];
            if (fabs(point[k] - wall) - pile->radius[i] > 0.01)
                continue;
            normal[k] = high ? -1.0 : 1.0;
            point[k] = wall;
            scene_add_contact(scene, -1, i, point, normal);
        }
}

static inline void scene_pile(Scene* scene, int32_t size, double half)
{
    ScenePile pile;
    scene_pile_fill(&pile, size, half);
    for (int32_t i = 0; i < size; ++i)
        scene_add_round(scene, &pile, i);
    for (int32_t i = 0; i < size; ++i)
        scene_pile_walls(scene, &pile, i);
    scene_pile_pairs(&pile, 0.01);
    for (int32_t p = 0; p < pile.pairs; ++p) {
        const int32_t i = pile.pair[p][0], j = pile.pair[p][1];
        double normal[3], point[3], along, length = 0.0;
        scene_pile_shortest(&pile, i, j, normal, &along);
        for (int k = 0; k < 3; ++k)
            length += normal[k] * normal[k];
        length = sqrt(length);
        for (int k = 0; k < 3; ++k) {
            normal[k] /= length;
            point[k] = pile.x[i][k] + along * pile.axis[i][k] + pile.radius[i] * normal[k];
        }
        scene_add_contact(scene, i, j, point, normal);
    }
    scene_pile_release(&pile);
}

/* ---- the problem ---- */

/// Two tangents of a unit normal, the first one along the axis it is least aligned with.
static inline void scene_tangents(const double n[3], double t1[3], double t2[3])
{
    const int k = fabs(n[0]) <= fabs(n[1]) && fabs(n[0]) <= fabs(n[2]) ? 0
                  : fabs(n[1]) <= fabs(n[2])                           ? 1
                                                                       : 2;
    double length = 0.0;
    for (int d = 0; d < 3; ++d) {
        t1[d] = (d == k ? 1.0 : 0.0) - n[k] * n[d];
        length += t1[d] * t1[d];
    }
    for (int d = 0; d < 3; ++d)
        t1[d] /= sqrt(length);
    for (int d = 0; d < 3; ++d)
        t2[d] = n[(d + 1) % 3] * t1[(d + 2) % 3] - n[(d + 2) % 3] * t1[(d + 1) % 3];
}

/// Inverse of a 3 x 3 matrix by cofactors; of a diagonal one, value by value.
static inline void scene_inverse(const double A[9], double inverse[9])
{
    double det = 0.0;
    bool diagonal = true;
    for (int k = 0; k < 9; ++k) {
        diagonal = diagonal && (k % 4 == 0 || A[k] == 0.0);
        inverse[k] = k % 4 == 0 ? 1.0 / A[k] : 0.0;
    }
    if (diagonal)
        return;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            inverse[3 * i + j] =
                A[3 * ((j + 1) % 3) + (i + 1) % 3] * A[3 * ((j + 2) % 3) + (i + 2) % 3] -
                A[3 * ((j + 1) % 3) + (i + 2) % 3] * A[3 * ((j + 2) % 3) + (i + 1) % 3];
    for (int j = 0; j < 3; ++j)
        det += A[j] * inverse[3 * j];
    for (int k = 0; k < 9; ++k)
        inverse[k] /= det;
}

static inline void scene_masses(Scene* scene, const SceneDef* def, const SceneMore* more)
{
    SticRandom random = stic_random_create(7);
    for (int32_t k = 0; k < scene->bodies; ++k) {
        const SceneBody* body = &scene->body[k];
        double inertia[9], inverse[9], velocity[6] = {more->slide, 0.0, -1.0, 0.0, 0.0, 0.0};
        double* M = scene->mass_value + 36 * (int64_t)k;
        double* I = scene->inverse_value + 36 * (int64_t)k;
        // the skew part of a spin about (1, 1, 1)
        for (int d = 0; d < 9; ++d)
            inertia[d] = body->inertia[d] + (d % 4 == 0                 ? 0.0
                                             : (d / 3 + 1) % 3 == d % 3 ? -1.0
                                                                        : 1.0) *
                                                more->gyro * body->inertia[0];
        scene_inverse(inertia, inverse);
        for (int d = 0; d < 6 && def->impact > 0.0; ++d)
            velocity[d] += def->impact * stic_random_range(&random, -1.0, 1.0);
        for (int d = 0; d < 3; ++d) {
            M[7 * d] = body->mass;
            I[7 * d] = 1.0 / body->mass;
            for (int e = 0; e < 3; ++e) {
                M[6 * (3 + d) + 3 + e] = inertia[3 * d + e];
                I[6 * (3 + d) + 3 + e] = inverse[3 * d + e];
            }
        }
        for (int d = 0; d < 6; ++d)
            for (int e = 0; e < 6; ++e)
                scene->f[6 * k + d] += M[6 * d + e] * velocity[e];
        scene->body_at[k + 1] = 6 * (k + 1);
        scene->mass_begin[k + 1] = k + 1;
        scene->mass_col[k] = k;
        scene->mass_value_at[k + 1] = 36 * ((int64_t)k + 1);
    }
}

static inline void scene_jacobian(Scene* scene, const SceneDef* def)
{
    SticRandom random = stic_random_create(13);
    int32_t block = 0;
    for (int32_t c = 0; c < scene->contacts; ++c) {
        const SceneContact* contact = &scene->contact[c];
        double axis[3][3], point[3];
        memcpy(axis[0], contact->normal, sizeof axis[0]);
        scene_tangents(axis[0], axis[1], axis[2]);
        for (int d = 0; d < 3; ++d)
            point[d] =
                contact->point[d] +
                (def->jitter > 0.0 ? def->jitter * stic_random_range(&random, -1.0, 1.0) : 0.0);
        scene->row_at[c + 1] = 3 * (c + 1);
        scene->law[c] = contact->joint ? STIC_LAW_FREE : STIC_LAW_CONE;
        scene->coef[c][0] = contact->joint ? 0.0 : def->mu;
        // blocks by ascending body
        const bool swap = contact->a > contact->b;
        for (int32_t side = 0; side < 2; ++side) {
            const bool lower = (side == 0) != swap;
            const int32_t body = lower ? contact->a : contact->b;
            double* to = scene->value + 18 * (int64_t)block;
            if (body < 0)
                continue;
            const double* centre = scene->body[body].centre;
            for (int row = 0; row < 3; ++row, to += 6)
                for (int d = 0; d < 3; ++d) {
                    const int e = (d + 1) % 3, g = (d + 2) % 3;
                    const double s = lower ? -1.0 : 1.0;
                    to[d] = s * axis[row][d];
                    to[3 + d] = s * ((point[e] - centre[e]) * axis[row][g] -
                                     (point[g] - centre[g]) * axis[row][e]);
                }
            scene->col[block++] = body;
            scene->value_at[block] = 18 * (int64_t)block;
        }
        scene->begin[c + 1] = block;
    }
}

static inline void scene_take(Scene* scene)
{
    const size_t n = (size_t)scene->bodies, m = (size_t)scene->contacts;
    scene->body_at = boxes_memory(n, sizeof(int32_t));
    scene->mass_begin = boxes_memory(n, sizeof(int32_t));
    scene->mass_col = boxes_memory(n, sizeof(int32_t));
    scene->mass_value_at = boxes_memory(n, sizeof(int64_t));
    scene->mass_value = boxes_memory(36 * n, sizeof(double));
    scene->inverse_value = boxes_memory(36 * n, sizeof(double));
    scene->f = boxes_memory(6 * n, sizeof(double));
    scene->row_at = boxes_memory(m, sizeof(int32_t));
    scene->law = boxes_memory(m, 1);
    scene->coef = boxes_memory(m, sizeof *scene->coef);
    scene->begin = boxes_memory(m, sizeof(int32_t));
    scene->col = boxes_memory(2 * m, sizeof(int32_t));
    scene->value_at = boxes_memory(2 * m, sizeof(int64_t));
    scene->value = boxes_memory(36 * m, sizeof(double));
    scene->w = boxes_memory(3 * m, sizeof(double));
}

/// Masses, Jacobian and problem of the bodies and contacts that were added.
static inline void scene_finish(Scene* scene, const SceneDef* def, const SceneMore* more)
{
    scene_take(scene);
    scene_masses(scene, def, more);
    scene_jacobian(scene, def);
    const int32_t n = scene->bodies, m = scene->contacts;
    scene->A = (SticBlockCsr){n,
                              n,
                              scene->body_at,
                              scene->body_at,
                              scene->mass_begin,
                              scene->mass_col,
                              scene->mass_value_at,
                              scene->mass_value};
    scene->inverse = scene->A;
    scene->inverse.value = scene->inverse_value;
    scene->Ht = (SticBlockCsr){
        m,           n, scene->row_at, scene->body_at, scene->begin, scene->col, scene->value_at,
        scene->value};
    scene->mass = (SticMass){.kind = STIC_MASS_BLOCKS, .A = &scene->A, .inverse = &scene->inverse};
    scene->problem = (SticProblem){.count = m,
                                   .rows = 3 * m,
                                   .dof = 6 * n,
                                   .row_at = scene->row_at,
                                   .law = scene->law,
                                   .coef = (const double(*)[4])scene->coef,
                                   .M = &scene->mass,
                                   .Ht = &scene->Ht,
                                   .f = scene->f,
                                   .w = scene->w};
}

/// Make a scene; release it with scene_release.
static inline void scene_create_more(Scene* scene, const SceneDef* def, const SceneMore* more)
{
    *scene = (Scene){0};
    switch (def->kind) {
    case SCENE_STACK:
    case SCENE_PYRAMID:
    case SCENE_WALL:
        scene_boxes(scene, def);
        break;
    case SCENE_ARCH:
        scene_arch(scene, def->size);
        break;
    case SCENE_SPHERES:
        scene_pile(scene, def->size, 0.0);
        break;
    case SCENE_CAPSULES:
        scene_pile(scene, def->size, 0.35);
        break;
    case SCENE_CHAIN:
        scene_chain(scene, def->size);
        break;
    case SCENE_BRIDGE:
        scene_bridge(scene, def->size);
        break;
    }
    scene_finish(scene, def, more);
}

/// The bodies and contacts of another scene, which may take long to find, with other velocities,
/// contact points or masses.
static inline void scene_create_like(Scene* scene, const Scene* from, const SceneDef* def,
                                     const SceneMore* more)
{
    *scene = (Scene){.bodies = from->bodies,
                     .contacts = from->contacts,
                     .body_room = from->bodies,
                     .contact_room = from->contacts};
    scene->body = boxes_memory((size_t)from->bodies, sizeof *scene->body);
    scene->contact = boxes_memory((size_t)from->contacts, sizeof *scene->contact);
    memcpy(scene->body, from->body, (size_t)from->bodies * sizeof *scene->body);
    memcpy(scene->contact, from->contact, (size_t)from->contacts * sizeof *scene->contact);
    scene_finish(scene, def, more);
}

/// The same without additions.
static inline void scene_create(Scene* scene, const SceneDef* def)
{
    const SceneMore none = {0};
    scene_create_more(scene, def, &none);
}

static inline void scene_release(Scene* scene)
{
    free(scene->body);
    free(scene->contact);
    free(scene->body_at);
    free(scene->mass_begin);
    free(scene->mass_col);
    free(scene->mass_value_at);
    free(scene->mass_value);
    free(scene->inverse_value);
    free(scene->f);
    free(scene->row_at);
    free(scene->law);
    free(scene->coef);
    free(scene->begin);
    free(scene->col);
    free(scene->value_at);
    free(scene->value);
    free(scene->w);
}

#endif

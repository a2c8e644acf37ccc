// SPDX-License-Identifier: Apache-2.0
// Contacts of spheres and boxes with each other and with half-spaces; two boxes: box_box.c.
//
// A sphere touches one feature of a box: the face, edge or vertex nearest to its centre. A box
// touches a half-space with every vertex within reach. The first look counts, so that room can be
// made for all pairs at once.
#include "world/narrow.h"

static bool is_half_space(const SticBlockShape* shape)
{
    return shape->kind == STIC_SHAPE_HALF_SPACE;
}

/* ---- half-spaces ---- */

static double height(const SticPlaced* plane, SticVec3 point)
{
    return stic_vec3_dot(plane->normal, stic_vec3_sub(point, plane->centre));
}

static SticVec3 placed_corner(const SticNarrow* narrow, int32_t a, int k)
{
    const SticPlaced* placed = &narrow->placed[a];
    const SticVec3 corner = stic_box_corner(narrow->shape[a].half, k);
    return stic_vec3_add(placed->centre, stic_mat3_mul_vec(placed->R, corner));
}

static int32_t count_plane(const SticNarrow* narrow, int32_t a, int32_t b)
{
    const SticPlaced* plane = &narrow->placed[b];
    if (narrow->shape[a].kind == STIC_SHAPE_SPHERE)
        return height(plane, narrow->placed[a].centre) - narrow->shape[a].radius <= narrow->reach;
    int32_t count = 0;
    for (int k = 0; k < 8; ++k)
        count += height(plane, placed_corner(narrow, a, k)) <= narrow->reach;
    return count;
}

static SticFound on_half_space(const SticNarrow* narrow, int32_t a, int32_t b, uint32_t feature)
{
    SticFound found = stic_found_plane(narrow, a, b, feature);
    stic_vec3_store(narrow->shape[b].origin, found.local + 3);
    stic_vec3_store(narrow->shape[b].normal, found.local + 6);
    found.exit = (double)INFINITY;
    return found;
}

static int32_t find_plane(const SticNarrow* narrow, int32_t a, int32_t b, SticFound* found)
{
    const SticBlockShape* shape = &narrow->shape[a];
    if (shape->kind == STIC_SHAPE_SPHERE) {
        found[0] = on_half_space(narrow, a, b, 0);
        stic_vec3_store(shape->origin, found[0].local);
        found[0].local[9] = shape->radius;
        return 1;
    }
    int32_t count = 0;
    for (int k = 0; k < 8; ++k) {
        if (!(height(&narrow->placed[b], placed_corner(narrow, a, k)) <= narrow->reach))
            continue;
        found[count] = on_half_space(narrow, a, b, (uint32_t)k);
        stic_vec3_store(stic_shape_point(shape, stic_box_corner(shape->half, k)),
                        found[count].local);
        count += 1;
    }
    return count;
}

/* ---- spheres ---- */

static int32_t count_spheres(const SticNarrow* narrow, int32_t a, int32_t b)
{
    const double apart = stic_vec3_distance(narrow->placed[a].centre, narrow->placed[b].centre);
    return apart - (narrow->shape[a].radius + narrow->shape[b].radius) <= narrow->reach;
}

static SticFound round_on(const SticNarrow* narrow, int32_t a, int32_t b, SticContactKernel kernel,
                          uint32_t feature)
{
    SticFound found = {.a = a, .b = b, .kernel = (uint8_t)kernel};
    found.id = stic_contact_id(kernel, narrow->shape[a].slot, narrow->shape[b].slot, feature);
    stic_vec3_store(narrow->shape[a].origin, found.local);
    return found;
}

static int32_t find_spheres(const SticNarrow* narrow, int32_t a, int32_t b, SticFound* found)
{
    found[0] = round_on(narrow, a, b, STIC_CONTACT_ROUND, 0);
    stic_vec3_store(narrow->shape[b].origin, found[0].local + 3);
    found[0].local[6] = narrow->shape[a].radius;
    found[0].local[7] = narrow->shape[b].radius;
    found[0].exit = (double)INFINITY;
    return 1;
}

/* ---- sphere and box ---- */

// the centre of a sphere seen from a box
typedef struct Nearest {
    double p[3];     // centre along the axes of the box
    double h[3];     // half edges
    int outside[3];  // -1, 0, 1: beyond a face along each axis
    int count;       // axes beyond
    double distance; // to the box; negative inside: depth below the nearest face
    int face;        // the nearest face's axis, where count is 0 or 1
} Nearest;

static Nearest nearest(const SticNarrow* narrow, int32_t sphere, int32_t box)
{
    const SticPlaced* placed = &narrow->placed[box];
    Nearest near = {.count = 0, .face = -1};
    stic_vec3_store(narrow->shape[box].half, near.h);
    stic_vec3_store(stic_mat3_transpose_mul_vec(
                        placed->R, stic_vec3_sub(narrow->placed[sphere].centre, placed->centre)),
                    near.p);
    double square = 0.0, depth = 0.0;
    for (int k = 0; k < 3; ++k) {
        const double beyond = fabs(near.p[k]) - near.h[k];
        if (beyond > 0.0) {
            near.outside[k] = near.p[k] < 0.0 ? -1 : 1;
            near.count += 1;
            near.face = k;
            square += beyond * beyond;
        }
    }
    for (int k = 0; k < 3 && near.count == 0; ++k)
        if (near.face < 0 || fabs(near.p[k]) - near.h[k] > depth) {
            near.face = k;
            depth = fabs(near.p[k]) - near.h[k];
        }
    near.distance = near.count == 0 ? depth : sqrt(square);
    return near;
}

static void find_on_face(const SticNarrow* narrow, const Nearest* near, int32_t a, int32_t b,
                         SticFound* found)
{
    const SticBlockShape* box = &narrow->shape[b];
    const double sign = near->p[near->face] < 0.0 ? -1.0 : 1.0;
    const SticVec3 normal = stic_vec3_scale(sign, stic_mat3_column(box->R, near->face));
    *found = stic_found_plane(narrow, a, b, (uint32_t)(2 * near->face + (sign > 0.0)));
    stic_vec3_store(narrow->shape[a].origin, found->local);
    stic_vec3_store(stic_vec3_add_scaled(box->origin, near->h[near->face], normal),
                    found->local + 3);
    stic_vec3_store(normal, found->local + 6);
    found->local[9] = narrow->shape[a].radius;
    found->exit = (double)INFINITY;
    for (int k = 0; k < 3; ++k)
        if (k != near->face && near->h[k] - fabs(near->p[k]) < found->exit)
            found->exit = near->h[k] - fabs(near->p[k]);
}

// edge or vertex: the point of the box with the signs of `outside`, 0 in the middle of an edge
static void find_on_border(const SticNarrow* narrow, const Nearest* near, int32_t a, int32_t b,
                           SticFound* found)
{
    const bool edge = near->count == 2;
    double point[3], axis[3] = {0.0, 0.0, 0.0};
    uint32_t feature = 0;
    double exit = (double)INFINITY;
    for (int k = 0; k < 3; ++k) {
        point[k] = near->outside[k] * near->h[k];
        axis[k] = near->outside[k] == 0 ? 1.0 : 0.0;
        feature = 3 * feature + (uint32_t)(near->outside[k] + 1);
        const double left = fabs(fabs(near->p[k]) - near->h[k]);
        exit = left < exit ? left : exit;
    }
    const SticBlockShape* box = &narrow->shape[b];
    *found = round_on(narrow, a, b, edge ? STIC_CONTACT_ROUND_EDGE : STIC_CONTACT_ROUND, feature);
    stic_vec3_store(stic_shape_point(box, stic_vec3_load(point)), found->local + 3);
    if (edge) {
        stic_vec3_store(stic_mat3_mul_vec(box->R, stic_vec3_load(axis)), found->local + 6);
        found->local[9] = narrow->shape[a].radius;
    } else {
        found->local[6] = narrow->shape[a].radius;
        found->local[7] = 0.0;
    }
    found->exit = exit;
}

static int32_t find_sphere_box(const SticNarrow* narrow, int32_t a, int32_t b, SticFound* found)
{
    const Nearest near = nearest(narrow, a, b);
    if (near.count <= 1)
        find_on_face(narrow, &near, a, b, found);
    else
        find_on_border(narrow, &near, a, b, found);
    return 1;
}

/* ---- any pair ---- */

// A is the sphere before the box before the half-space, then the one with the lower number
static void order(const SticNarrow* narrow, int32_t* a, int32_t* b)
{
    if (narrow->shape[*a].kind > narrow->shape[*b].kind) {
        const int32_t other = *a;
        *a = *b;
        *b = other;
    }
}

SticPairLook stic_pair_look(const SticNarrow* narrow, int32_t a, int32_t b)
{
    order(narrow, &a, &b);
    const SticBlockShape *A = &narrow->shape[a], *B = &narrow->shape[b];
    SticPairLook look = {0, 0};
    if (is_half_space(A))
        look.most = 0;
    else if (is_half_space(B))
        look.most = count_plane(narrow, a, b);
    else if (B->kind == STIC_SHAPE_SPHERE)
        look.most = count_spheres(narrow, a, b);
    else if (A->kind == STIC_SHAPE_SPHERE)
        look.most = nearest(narrow, a, b).distance - A->radius <= narrow->reach;
    else
        look = stic_boxes_look(narrow, a, b);
    return look;
}

int32_t stic_pair_find(const SticNarrow* narrow, int32_t a, int32_t b, SticPairLook look,
                       SticFound* found)
{
    order(narrow, &a, &b);
    const SticBlockShape *A = &narrow->shape[a], *B = &narrow->shape[b];
    if (look.most == 0)
        return 0;
    if (is_half_space(B))
        return find_plane(narrow, a, b, found);
    if (B->kind == STIC_SHAPE_SPHERE)
        return find_spheres(narrow, a, b, found);
    if (A->kind == STIC_SHAPE_SPHERE)
        return find_sphere_box(narrow, a, b, found);
    return stic_boxes_find(narrow, a, b, look, found);
}

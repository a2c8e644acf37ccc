// SPDX-License-Identifier: Apache-2.0
// Convex bodies over bumpy meshes and height fields: no contact is nearer than the surface.
//
// Bodies at random poses, with the centre above the whole terrain, against the least distance to
// any of its triangles (GJK with the three corners: no planes, edges or neighbours). Where that is
// positive no gap may be below it, whatever the reach; where a body cuts into the surface there is
// a contact with a negative gap.
#include "collide/gjk.h"
#include "helpers/helpers.h"
#include "helpers/narrow.h"

enum { SIDE = 11, CELLS = SIDE - 1, TRIANGLES = 2 * CELLS * CELLS, POSES = 1500 };

static const double cell = 0.2, top = 0.03;

typedef struct Terrain {
    SticVec3 triangle[TRIANGLES][3];
    SticShape* shape;
} Terrain;

static SticVec3 grid_point(const double* height, int32_t i, int32_t j)
{
    return stic_vec3(i * cell, j * cell, height[j * SIDE + i]);
}

static void make_mesh(const double* height, Terrain* terrain)
{
    const SticContext context = stic_context_default();
    SticVec3 vertex[SIDE * SIDE];
    int32_t corner[3 * TRIANGLES], n = 0;
    for (int32_t j = 0; j < SIDE; ++j)
        for (int32_t i = 0; i < SIDE; ++i)
            vertex[j * SIDE + i] = grid_point(height, i, j);
    for (int32_t j = 0; j < CELLS; ++j)
        for (int32_t i = 0; i < CELLS; ++i) {
            const int32_t o = SIDE * j + i;
            const int32_t list[6] = {o, o + 1, o + SIDE + 1, o, o + SIDE + 1, o + SIDE};
            for (int k = 0; k < 6; ++k)
                corner[n++] = list[k];
        }
    for (int32_t k = 0; k < 3 * TRIANGLES; ++k)
        terrain->triangle[k / 3][k % 3] = vertex[corner[k]];
    SticMeshDef def = stic_mesh_default_def();
    def.vertex = vertex;
    def.vertex_count = SIDE * SIDE;
    def.face_vertex = corner;
    def.face_count = TRIANGLES;
    assert_int_equal(stic_shape_create_mesh(&context, &def, &terrain->shape, NULL), STIC_OK);
}

static void make_field(const double* height, Terrain* terrain)
{
    const SticContext context = stic_context_default();
    const SticHeightFieldDef def = {height, SIDE, SIDE, cell, cell};
    assert_int_equal(stic_shape_create_height_field(&context, &def, &terrain->shape, NULL),
                     STIC_OK);
    for (int32_t t = 0; t < TRIANGLES; ++t)
        stic_height_field_triangle(&terrain->shape->as.field, t, terrain->triangle[t]);
}

// 0 if the body cuts a triangle
static double distance_to(const Terrain* terrain, const SticCollider* body)
{
    const SticCore core = stic_core_of(body->shape, &body->pose, stic_vec3_zero());
    double least = (double)INFINITY;
    for (int32_t t = 0; t < TRIANGLES; ++t) {
        const SticCore triangle = stic_core_points(terrain->triangle[t], 3);
        const SticGjk gjk = stic_gjk(&core, &triangle, (double)INFINITY, STIC_SUBDISTANCE_FACES);
        const double here = gjk.overlap ? 0.0 : stic_vec3_norm(gjk.v) - core.margin;
        least = fmin(least, fmax(here, 0.0));
    }
    return least;
}

enum { HULL = 4, BALL = 8, KINDS = 9 };

static const char* const name[KINDS] = {"plate",    "bar",     "cube",      "block", "hull",
                                        "cylinder", "capsule", "ellipsoid", "ball"};

static SticShape* make_body(int kind, SticRandom* random)
{
    static const double half[4][3] = {
        {0.1, 0.1, 0.002}, {0.15, 0.01, 0.01}, {0.05, 0.05, 0.05}, {0.15, 0.15, 0.05}};
    const SticContext context = stic_context_default();
    SticShape* shape = NULL;
    SticStatus status = STIC_OK;
    if (kind < HULL)
        return narrow_box(half[kind][0], half[kind][1], half[kind][2]);
    if (kind == HULL) {
        SticVec3 point[14];
        for (int k = 0; k < 14; ++k)
            point[k] = narrow_random_vec(random, 0.12);
        return narrow_hull_of(point, 14);
    }
    if (kind == 5)
        status = stic_shape_create_cylinder(&context, 0.12, 0.03, &shape, NULL);
    else if (kind == 6)
        status = stic_shape_create_capsule(&context, 0.02, 0.12, &shape, NULL);
    else if (kind == 7)
        status = stic_shape_create_ellipsoid(&context, stic_vec3(0.15, 0.08, 0.03), &shape, NULL);
    else
        status = stic_shape_create_sphere(&context, 0.08, &shape, NULL);
    assert_int_equal(status, STIC_OK);
    return shape;
}

typedef struct Result {
    int32_t apart, contacts, nearer, cut, lost;
    double worst;
} Result;

static void look(SticCollide* collide, const Terrain* terrain, SticCollider* body, double reach,
                 Result* result)
{
    const SticCollider ground = {terrain->shape,
                                 stic_pose_rigid(stic_mat3_identity(), stic_vec3_zero()), 2};
    const double size = 2.0 * body->shape->radius, distance = distance_to(terrain, body);
    const SticContact* list;
    int32_t count;
    assert_int_equal(stic_collide_pair(collide, body, &ground, reach, &list, &count), STIC_OK);
    double least = (double)INFINITY;
    for (int32_t i = 0; i < count; ++i) {
        least = fmin(least, list[i].gap);
        result->nearer += distance > 0.0 && list[i].gap < distance - 1e-9 * size;
    }
    if (distance > 0.0) {
        result->apart += 1;
        result->contacts += count;
        result->worst = count > 0 ? fmax(result->worst, (distance - least) / size) : result->worst;
        return;
    }
    // what still cuts the surface when it is lifted by a thousandth of its size
    body->pose.origin.z += 1e-3 * size;
    if (distance_to(terrain, body) > 0.0)
        return;
    result->cut += 1;
    result->lost += !(least < 0.0);
}

static void test_terrain(void** state)
{
    (void)state;
    SticCollide* collide = narrow_create();
    SticRandom random = stic_random_create(20);
    static const double reach[3] = {0.0, 0.02, 0.2};
    double height[SIDE * SIDE];
    Terrain terrain[2];
    print_message("%-10s %-6s %6s %9s %7s %9s %6s %5s\n", "body", "on", "apart", "contacts",
                  "nearer", "by sizes", "cuts", "lost");
    for (int kind = 0; kind < KINDS; ++kind) {
        Result result[2] = {{0}, {0}};
        for (int k = 0; k < POSES; ++k) {
            if (k % 50 == 0) {
                for (int i = 0; i < SIDE * SIDE; ++i)
                    height[i] = stic_random_range(&random, -top, top);
                make_mesh(height, &terrain[0]);
                make_field(height, &terrain[1]);
            }
            SticShape* shape = make_body(kind, &random);
            SticCollider body = {shape, stic_pose_identity(), 1};
            const SticVec3 at = stic_vec3(stic_random_range(&random, 0.3, 1.7),
                                          stic_random_range(&random, 0.3, 1.7),
                                          top + stic_random_range(&random, 0.0, 0.15));
            body.pose = stic_pose_rigid(test_random_turn(&random), at);
            body.pose.origin = stic_vec3_sub(at, stic_mat3_mul_vec(body.pose.F, shape->centre));
            for (int g = 0; g < 2; ++g) {
                SticCollider moved = body;
                look(collide, &terrain[g], &moved, reach[k % 3], &result[g]);
            }
            stic_shape_destroy(shape);
            for (int g = 0; g < 2 && k % 50 == 49; ++g)
                stic_shape_destroy(terrain[g].shape);
        }
        for (int g = 0; g < 2; ++g)
            print_message("%-10s %-6s %6d %9d %7d %9.1e %6d %5d\n", name[kind],
                          g == 0 ? "mesh" : "field", result[g].apart, result[g].contacts,
                          result[g].nearer, result[g].worst, result[g].cut, result[g].lost);
        for (int g = 0; g < 2; ++g) {
            test_greater(result[g].apart, 100);
            test_greater(result[g].cut, 100);
            assert_int_equal(result[g].nearer, 0);
            // the deepest direction of what is round and half below may be none of the surface's
            if (kind <= HULL || kind == BALL)
                assert_int_equal(result[g].lost, 0);
        }
    }
    stic_collide_destroy(collide);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_terrain)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

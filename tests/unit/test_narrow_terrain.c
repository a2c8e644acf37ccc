// SPDX-License-Identifier: Apache-2.0
// Convex bodies over bumpy meshes and height fields: no contact is nearer than the surface.
//
// Bodies at random poses, with the centre above the whole terrain, against the least distance to
// any of its triangles (GJK with the three corners: no planes, edges or neighbours). Where that is
// positive no gap may be below it, whatever the reach; where a body cuts into the surface there is
// a contact with a negative gap. On flat to steep terrains with cells from a tenth of a body to
// many bodies, bodies of random forms whose centres are anywhere above the surface leave it if they
// follow their deepest contact again and again, on the side where their centre is.
#include "collide/gjk.h"
#include "helpers/helpers.h"
#include "helpers/narrow.h"

enum { SIDE = 11, CELLS = SIDE - 1, TRIANGLES = 2 * CELLS * CELLS, POSES = 1500 };

static const double top = 0.03;

typedef struct Terrain {
    SticVec3 triangle[TRIANGLES][3];
    SticShape* shape;
} Terrain;

static void make_mesh(const double* height, double cell, Terrain* terrain)
{
    const SticContext context = stic_context_default();
    SticVec3 vertex[SIDE * SIDE];
    int32_t corner[3 * TRIANGLES], n = 0;
    for (int32_t j = 0; j < SIDE; ++j)
        for (int32_t i = 0; i < SIDE; ++i)
            vertex[j * SIDE + i] = stic_vec3(i * cell, j * cell, height[j * SIDE + i]);
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

static void make_field(const double* height, double cell, Terrain* terrain)
{
    const SticContext context = stic_context_default();
    const SticHeightFieldDef def = {height, SIDE, SIDE, cell, cell};
    assert_int_equal(stic_shape_create_height_field(&context, &def, &terrain->shape, NULL),
                     STIC_OK);
    for (int32_t t = 0; t < TRIANGLES; ++t)
        stic_height_field_triangle(&terrain->shape->as.field, t, terrain->triangle[t]);
}

// 0 if the set cuts a triangle
static double distance_of(const Terrain* terrain, const SticCore* core)
{
    double least = (double)INFINITY;
    for (int32_t t = 0; t < TRIANGLES; ++t) {
        const SticCore triangle = stic_core_points(terrain->triangle[t], 3);
        const SticGjk gjk = stic_gjk(core, &triangle, (double)INFINITY, STIC_SUBDISTANCE_FACES);
        const double here = gjk.overlap ? 0.0 : stic_vec3_norm(gjk.v) - core->margin;
        least = fmin(least, fmax(here, 0.0));
    }
    return least;
}

static double distance_to(const Terrain* terrain, const SticCollider* body)
{
    const SticCore core = stic_core_of(body->shape, &body->pose, stic_vec3_zero());
    return distance_of(terrain, &core);
}

enum { HULL = 4, KINDS = 9 };

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
                make_mesh(height, 0.2, &terrain[0]);
                make_field(height, 0.2, &terrain[1]);
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
            assert_int_equal(result[g].lost, 0);
        }
    }
    stic_collide_destroy(collide);
}

/* ---- out of it again ---- */

// height of the surface under a point, or INFINITY beside it
static double ground_at(const Terrain* terrain, double x, double y)
{
    for (int32_t t = 0; t < TRIANGLES; ++t) {
        const SticVec3* v = terrain->triangle[t];
        double part[3], sum = 0.0;
        bool inside = true;
        for (int k = 0; k < 3; ++k) {
            const SticVec3 a = v[(k + 1) % 3], b = v[(k + 2) % 3];
            part[k] = (a.x - x) * (b.y - y) - (a.y - y) * (b.x - x);
            inside = inside && part[k] >= 0.0;
            sum += part[k];
        }
        if (inside)
            return (part[0] * v[0].z + part[1] * v[1].z + part[2] * v[2].z) / sum;
    }
    return (double)INFINITY;
}

enum { FORMS = 6, BATCHES = 24, IN_BATCH = 16, MOST_MOVES = 2000 };

static const char* const form_name[FORMS] = {"box",     "hull",      "cylinder",
                                             "capsule", "ellipsoid", "ball"};

static SticShape* make_form(int form, SticRandom* random)
{
    const SticContext context = stic_context_default();
    double a[3];
    for (int k = 0; k < 3; ++k)
        a[k] = 0.1 * exp(stic_random_range(random, -2.0, 0.5));
    SticShape* shape = NULL;
    SticStatus status = STIC_OK;
    if (form == 0)
        return narrow_box(a[0], a[1], a[2]);
    if (form == 1) {
        SticVec3 point[10];
        for (int k = 0; k < 10; ++k)
            point[k] = stic_vec3_mul(stic_vec3(a[0], a[1], a[2]), narrow_random_vec(random, 1.0));
        return narrow_hull_of(point, 10);
    }
    if (form == 2)
        status = stic_shape_create_cylinder(&context, a[0], a[1], &shape, NULL);
    else if (form == 3)
        status = stic_shape_create_capsule(&context, a[0], a[1], &shape, NULL);
    else if (form == 4)
        status = stic_shape_create_ellipsoid(&context, stic_vec3(a[0], a[1], a[2]), &shape, NULL);
    else
        status = stic_shape_create_sphere(&context, a[0], &shape, NULL);
    assert_int_equal(status, STIC_OK);
    return shape;
}

typedef struct Escape {
    int32_t cut, lost, stuck, through, moves;
} Escape;

static void follow(SticCollide* collide, const Terrain* terrain, SticCollider* body, Escape* escape)
{
    const SticCollider ground = {terrain->shape, stic_pose_identity(), 2};
    const double size = 2.0 * body->shape->radius;
    for (int move = 0; move < MOST_MOVES; ++move) {
        const SticContact *list, *deepest = NULL;
        int32_t count;
        assert_int_equal(stic_collide_pair(collide, body, &ground, 0.0, &list, &count), STIC_OK);
        for (int32_t i = 0; i < count; ++i)
            deepest = deepest == NULL || list[i].gap < deepest->gap ? &list[i] : deepest;
        if (deepest == NULL || deepest->gap > -1e-6 * size) {
            body->pose.origin.z += 1e-3 * size;
            escape->lost += move == 0;
            const SticVec3 at = stic_pose_apply(&body->pose, body->shape->centre);
            const double level = ground_at(terrain, at.x, at.y);
            escape->stuck += move > 0 && distance_to(terrain, body) == 0.0;
            escape->through += isfinite(level) && at.z < level;
            return;
        }
        escape->moves += 1;
        // never so far that its centre might meet the opposite wall of a pit
        const SticVec3 c = stic_pose_apply(&body->pose, body->shape->centre);
        const SticCore centre = stic_core_points(&c, 1);
        const double way = fmin(-deepest->gap, 0.5 * distance_of(terrain, &centre));
        body->pose.origin =
            stic_vec3_add_scaled(body->pose.origin, deepest->swapped ? -way : way, deepest->normal);
    }
    escape->stuck += 1;
}

static void test_escapes(void** state)
{
    (void)state;
    SticCollide* collide = narrow_create();
    SticRandom random = stic_random_create(21);
    double height[SIDE * SIDE];
    Escape escape[2][FORMS] = {{{0}}};
    for (int batch = 0; batch < BATCHES; ++batch) {
        const double cell = 0.02 * pow(2.0, batch % 6), steep = (batch / 6) / 6.0;
        Terrain terrain[2];
        for (int i = 0; i < SIDE * SIDE; ++i)
            height[i] = stic_random_range(&random, -cell * steep, cell * steep);
        make_mesh(height, cell, &terrain[0]);
        make_field(height, cell, &terrain[1]);
        for (int k = 0; k < IN_BATCH * FORMS; ++k) {
            SticShape* shape = make_form(k % FORMS, &random);
            SticCollider body = {shape, stic_pose_identity(), 1};
            const double x = stic_random_range(&random, 0.0, CELLS * cell);
            const double y = stic_random_range(&random, 0.0, CELLS * cell);
            const double above = shape->radius * stic_random_range(&random, 0.01, 0.5);
            const SticVec3 at = stic_vec3(x, y, ground_at(&terrain[0], x, y) + above);
            body.pose = stic_pose_rigid(test_random_turn(&random), at);
            body.pose.origin = stic_vec3_sub(at, stic_mat3_mul_vec(body.pose.F, shape->centre));
            for (int g = 0; g < 2; ++g) {
                SticCollider moved = body;
                moved.pose.origin.z += 1e-3 * 2.0 * shape->radius;
                if (distance_to(&terrain[g], &moved) > 0.0)
                    continue;
                escape[g][k % FORMS].cut += 1;
                moved = body;
                follow(collide, &terrain[g], &moved, &escape[g][k % FORMS]);
            }
            stic_shape_destroy(shape);
        }
        for (int g = 0; g < 2; ++g)
            stic_shape_destroy(terrain[g].shape);
    }
    print_message("%-10s %-6s %6s %5s %6s %8s %6s\n", "body", "on", "cuts", "lost", "stuck",
                  "through", "moves");
    for (int f = 0; f < FORMS; ++f)
        for (int g = 0; g < 2; ++g) {
            const Escape* e = &escape[g][f];
            print_message("%-10s %-6s %6d %5d %6d %8d %6d\n", form_name[f],
                          g == 0 ? "mesh" : "field", e->cut, e->lost, e->stuck, e->through,
                          e->moves);
        }
    for (int f = 0; f < FORMS; ++f)
        for (int g = 0; g < 2; ++g) {
            test_greater(escape[g][f].cut, 200);
            assert_int_equal(escape[g][f].lost, 0);
            assert_int_equal(escape[g][f].stuck, 0);
            assert_int_equal(escape[g][f].through, 0);
        }
    stic_collide_destroy(collide);
}

/* ---- beside it ---- */

// around a small shell, on both sides of it and across its border: what does not touch it has no
// gap below its distance
static void test_beside(void** state)
{
    (void)state;
    SticCollide* collide = narrow_create();
    SticRandom random = stic_random_create(22);
    const double cell = 0.03;
    double height[SIDE * SIDE];
    Result result[FORMS] = {{0}};
    for (int batch = 0; batch < 8; ++batch) {
        Terrain terrain;
        for (int i = 0; i < SIDE * SIDE; ++i)
            height[i] = batch % 4 * stic_random_range(&random, -0.3 * cell, 0.3 * cell);
        make_mesh(height, cell, &terrain);
        const SticVec3 middle = stic_vec3(0.5 * CELLS * cell, 0.5 * CELLS * cell, 0.0);
        for (int k = 0; k < 60 * FORMS; ++k) {
            SticShape* shape = make_form(k % FORMS, &random);
            SticCollider body = {shape, stic_pose_identity(), 1};
            const SticVec3 at = stic_vec3_add(middle, narrow_random_vec(&random, 0.8 * middle.x));
            body.pose = stic_pose_rigid(test_random_turn(&random), at);
            look(collide, &terrain, &body, k / FORMS % 2 == 0 ? 0.0 : 0.05, &result[k % FORMS]);
            stic_shape_destroy(shape);
        }
        stic_shape_destroy(terrain.shape);
    }
    print_message("%-10s %6s %9s %7s\n", "body", "apart", "contacts", "nearer");
    for (int f = 0; f < FORMS; ++f) {
        print_message("%-10s %6d %9d %7d\n", form_name[f], result[f].apart, result[f].contacts,
                      result[f].nearer);
        test_greater(result[f].apart, 50);
    }
    for (int f = 0; f < FORMS; ++f)
        assert_int_equal(result[f].nearer, 0);
    stic_collide_destroy(collide);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_terrain),
                                       cmocka_unit_test(test_beside),
                                       cmocka_unit_test(test_escapes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

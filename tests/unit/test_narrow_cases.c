// SPDX-License-Identifier: Apache-2.0
// Contacts in particular cases: reduced patches, deformed bodies, moving surfaces, edges of meshes,
// seams of compounds, and scenes that are scaled, turned or moved far away.
#include <stdlib.h>

#include "helpers/helpers.h"
#include "helpers/narrow.h"

enum { MOST = 256 };

typedef struct Found {
    SticContact list[MOST];
    int32_t count;
    double area;
} Found;

static SticCollide* create(bool reduce)
{
    const SticContext context = stic_context_default();
    SticCollideSettings settings = stic_collide_default_settings();
    settings.reduce = reduce;
    SticCollide* collide = NULL;
    assert_int_equal(stic_collide_create(&context, &settings, &collide), STIC_OK);
    return collide;
}

static void find(SticCollide* collide, const SticCollider* a, const SticCollider* b, double reach,
                 Found* found)
{
    const SticContact* contacts;
    assert_int_equal(stic_collide_pair(collide, a, b, reach, &contacts, &found->count), STIC_OK);
    test_at_most(found->count, MOST);
    found->area = 0.0;
    for (int32_t i = 0; i < found->count; ++i) {
        found->list[i] = contacts[i];
        found->area += contacts[i].area;
    }
}

static SticCollider at(const SticShape* shape, double x, double y, double z, uint32_t key)
{
    return (SticCollider){shape, stic_pose_rigid(stic_mat3_identity(), stic_vec3(x, y, z)), key};
}

// normals from the second shape of the pair to the first
static SticVec3 outward(const SticContact* c)
{
    return c->swapped ? stic_vec3_neg(c->normal) : c->normal;
}

/* ---- reduced patches ---- */

static SticShape* make_column(int32_t sides)
{
    const SticContext context = stic_context_default();
    SticVec3 point[256];
    for (int32_t i = 0; i < 2 * sides; ++i)
        point[i] = stic_vec3(cos(2 * i * STIC_PI / sides), sin(2 * i * STIC_PI / sides),
                             i < sides ? -0.5 : 0.5);
    SticPolyhedronDef def = stic_polyhedron_default_def();
    def.vertex = point;
    def.vertex_count = 2 * sides;
    SticShape* shape = NULL;
    assert_int_equal(stic_shape_create_polyhedron(&context, &def, &shape, NULL), STIC_OK);
    return shape;
}

static int by_angle(const void* p, const void* q)
{
    const SticContact *a = p, *b = q;
    const double u = atan2(a->point.y, a->point.x), v = atan2(b->point.y, b->point.x);
    return (u > v) - (u < v);
}

// how far a point is outside the polygon of contacts sorted by angle
static double outside(const Found* found, SticVec3 x)
{
    double most = 0.0;
    for (int32_t i = 0; i < found->count; ++i) {
        const SticVec3 a = found->list[i].point;
        const SticVec3 e = stic_vec3_sub(found->list[(i + 1) % found->count].point, a);
        most = fmax(most, ((x.x - a.x) * e.y - (x.y - a.y) * e.x) / stic_vec3_norm(e));
    }
    return most;
}

static void test_reduce(void** state)
{
    (void)state;
    SticCollide *whole = create(false), *reduced = create(true);
    SticShape *column = make_column(96), *slab = narrow_box(3.0, 3.0, 0.5);
    SticShape* cube = narrow_box(0.5, 0.5, 0.5);
    static Found all, few;
    const SticCollider ground = at(slab, 0, 0, -0.5, 9);
    SticCollider top = at(column, 0, 0, 0.5, 1);
    find(whole, &top, &ground, 0.0, &all);
    find(reduced, &top, &ground, 0.0, &few);
    qsort(few.list, (size_t)few.count, sizeof few.list[0], by_angle);
    double lost = 0.0;
    for (int32_t i = 0; i < all.count; ++i)
        lost = fmax(lost, outside(&few, all.list[i].point) / stic_shape_size(column));
    print_message("column of 96 sides: %d points, reduced to %d, hull lost %.2e sizes, area %.15g "
                  "and %.15g\n",
                  all.count, few.count, lost, all.area, few.area);
    assert_int_equal(all.count, 96);
    test_less(few.count, 49);
    test_greater(few.count, 8);
    test_at_most(lost, 1e-3);
    const double area = 48.0 * sin(2.0 * STIC_PI / 96.0);
    test_near(all.area, area, 1e-13);
    test_near(few.area, area, 1e-13);
    // nothing to drop
    top = at(cube, 0.3, 0.2, 0.5, 1);
    find(reduced, &top, &ground, 0.0, &few);
    assert_int_equal(few.count, 4);
    stic_shape_destroy(column);
    stic_shape_destroy(slab);
    stic_shape_destroy(cube);
    stic_collide_destroy(whole);
    stic_collide_destroy(reduced);
}

// a cylinder stands on eight points of its rim, with the area of the disc
static void test_caps(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticCollide* collide = create(false);
    SticShape *cylinder = NULL, *plane = NULL, *slab = narrow_box(3.0, 3.0, 0.5);
    assert_int_equal(stic_shape_create_cylinder(&context, 0.7, 0.4, &cylinder, NULL), STIC_OK);
    assert_int_equal(stic_shape_create_half_space(&context, stic_vec3(0, 0, 1), 0.5, &plane, NULL),
                     STIC_OK);
    static Found found;
    for (int k = 0; k < 2; ++k) {
        const SticCollider b = at(k == 0 ? slab : plane, 0, 0, 0, 9),
                           a = at(cylinder, 0, 0, 0.9, 1);
        find(collide, &a, &b, 0.0, &found);
        double least = (double)INFINITY, mean = 0.0;
        for (int i = 0; i < 1600; ++i) {
            const double c = cos(STIC_PI / 800 * i), s = sin(STIC_PI / 800 * i);
            double arm = 0.0;
            for (int32_t j = 0; j < found.count; ++j)
                arm = fmax(arm, c * found.list[j].point.x + s * found.list[j].point.y);
            least = fmin(least, arm / 0.7);
            mean += arm / 0.7 / 1600;
        }
        print_message("standing cylinder: %d points, area off by %.1e, arm of tipping %.4f of the "
                      "radius at worst, %.4f in the mean\n",
                      found.count, found.area - 0.49 * STIC_PI, least, mean);
        assert_int_equal(found.count, 8);
        test_less(fabs(found.area - 0.49 * STIC_PI), 1e-14);
        test_near(least, cos(STIC_PI / 8), 1e-12);
        test_near(mean, 0.9745, 1e-4);
    }
    stic_shape_destroy(cylinder);
    stic_shape_destroy(plane);
    stic_shape_destroy(slab);
    stic_collide_destroy(collide);
}

/* ---- deformed bodies ---- */

static void same_contacts(const Found* one, const Found* two, double tolerance)
{
    assert_int_equal(one->count, two->count);
    for (int32_t i = 0; i < one->count; ++i) {
        const SticContact *c = &one->list[i], *d = &two->list[i];
        test_equal(c->feature, d->feature);
        test_equal(c->kernel, d->kernel);
        test_less(fabs(c->gap - d->gap), tolerance);
        // so deep that the axis of a capsule is inside, the point is any of those of least depth
        if (c->gap >= -0.3)
            test_less(stic_vec3_distance(c->point, d->point), tolerance);
        test_less(stic_vec3_distance(c->normal, d->normal), tolerance);
        test_less(fabs(c->area - d->area), 1e2 * tolerance);
    }
}

// a stretched box is a box; every partner
static void test_affine_boxes(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticCollide* collide = create(false);
    SticRandom random = stic_random_create(3);
    const SticVec3 half = stic_vec3(0.5, 0.4, 0.3), stretch = stic_vec3(1.5, 0.8, 1.2);
    SticShape* box = narrow_box(half.x, half.y, half.z);
    SticShape* large = narrow_box(half.x * stretch.x, half.y * stretch.y, half.z * stretch.z);
    SticShape* partner[4] = {narrow_box(0.6, 0.7, 0.8), NULL, NULL, NULL};
    assert_int_equal(stic_shape_create_sphere(&context, 0.5, &partner[1], NULL), STIC_OK);
    assert_int_equal(stic_shape_create_capsule(&context, 0.3, 0.4, &partner[2], NULL), STIC_OK);
    assert_int_equal(
        stic_shape_create_half_space(&context, stic_vec3(0, 0, 1), 0.2, &partner[3], NULL),
        STIC_OK);
    static Found one, two;
    int32_t contacts = 0;
    for (int k = 0; k < 1200; ++k) {
        const SticMat3 R = k % 3 == 0 ? stic_mat3_identity() : test_random_turn(&random);
        const SticVec3 x = narrow_random_vec(&random, 0.8);
        const uint32_t key = k % 2 == 0 ? 1 : 9;
        SticCollider a = {large, stic_pose_rigid(R, x), key};
        SticCollider b = {partner[k % 4], stic_pose_identity(), 5};
        find(collide, &a, &b, 0.02, &one);
        a.shape = box;
        a.pose = stic_pose_affine(stic_mat3_mul(R, stic_mat3_diag(stretch)), x);
        find(collide, &a, &b, 0.02, &two);
        same_contacts(&one, &two, 1e-12);
        contacts += one.count;
        // both deformed
        if (k % 4 != 0)
            continue;
        b.pose = stic_pose_affine(stic_mat3_identity(), stic_vec3_zero());
        find(collide, &a, &b, 0.02, &two);
        same_contacts(&one, &two, 1e-12);
    }
    print_message("%d contacts of stretched boxes as of boxes of that size\n", contacts);
    test_greater(contacts, 1000);
    stic_shape_destroy(box);
    stic_shape_destroy(large);
    for (int i = 0; i < 4; ++i)
        stic_shape_destroy(partner[i]);
    stic_collide_destroy(collide);
}

// a sheared box is the polyhedron with its vertices; a stretched ball is an ellipsoid
static void test_affine_shear(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticCollide* collide = create(false);
    SticRandom random = stic_random_create(5);
    SticShape *box = narrow_box(0.5, 0.4, 0.3), *other = narrow_box(0.6, 0.7, 0.8);
    SticShape *ball = NULL, *ellipsoid = NULL;
    const SticVec3 axes = stic_vec3(0.4, 0.6, 0.5);
    assert_int_equal(stic_shape_create_sphere(&context, 1.0, &ball, NULL), STIC_OK);
    assert_int_equal(stic_shape_create_ellipsoid(&context, axes, &ellipsoid, NULL), STIC_OK);
    static Found one, two;
    int32_t contacts = 0;
    double worst = 0.0;
    for (int k = 0; k < 400; ++k) {
        SticMat3 F = test_random_turn(&random);
        const SticVec3 x = narrow_random_vec(&random, 0.8);
        F.m[0][1] += 0.3;
        F.m[2][0] -= 0.2;
        const SticPolyhedron* p = stic_shape_polyhedron(box);
        SticVec3 corner[8];
        for (int i = 0; i < 8; ++i)
            corner[i] = stic_mat3_mul_vec(F, p->vertex[i]);
        SticPolyhedronDef def = stic_polyhedron_default_def();
        def.vertex = corner;
        def.vertex_count = 8;
        def.face_begin = p->face_begin;
        def.face_vertex = p->face_vertex;
        def.face_count = 6;
        SticShape* sheared = NULL;
        if (stic_mat3_det(F) < 0.2)
            continue;
        assert_int_equal(stic_shape_create_polyhedron(&context, &def, &sheared, NULL), STIC_OK);
        const SticCollider b = at(other, 0, 0, 0, 5);
        SticCollider a = {sheared, stic_pose_rigid(stic_mat3_identity(), x), 1};
        find(collide, &a, &b, 0.02, &one);
        a = (SticCollider){box, stic_pose_affine(F, x), 1};
        find(collide, &a, &b, 0.02, &two);
        same_contacts(&one, &two, 1e-12);
        contacts += one.count;
        const SticMat3 R = test_random_turn(&random);
        a = (SticCollider){ellipsoid, stic_pose_rigid(R, x), 1};
        find(collide, &a, &b, 0.02, &one);
        a = (SticCollider){ball, stic_pose_affine(stic_mat3_mul(R, stic_mat3_diag(axes)), x), 1};
        find(collide, &a, &b, 0.02, &two);
        assert_int_equal(one.count, two.count);
        for (int32_t i = 0; i < one.count; ++i)
            worst = fmax(worst, fabs(one.list[i].gap - two.list[i].gap));
        stic_shape_destroy(sheared);
    }
    print_message("%d contacts of sheared boxes; stretched balls off by %.2e\n", contacts, worst);
    test_greater(contacts, 200);
    test_less(worst, 1e-9);
    stic_shape_destroy(box);
    stic_shape_destroy(other);
    stic_shape_destroy(ball);
    stic_shape_destroy(ellipsoid);
    stic_collide_destroy(collide);
}

/* ---- moving surfaces ---- */

enum { SIDE = 12, NODES = (SIDE + 1) * (SIDE + 1) };

static SticMeshDef grid(SticVec3* vertex, int32_t* triangle, double amplitude, double phase)
{
    int32_t n = 0;
    for (int32_t i = 0; i < NODES; ++i) {
        const double x = 0.25 * (i % (SIDE + 1)), y = 0.25 * (double)(i / (SIDE + 1));
        vertex[i] = stic_vec3(x, y, amplitude * sin(2.0 * x + phase) * cos(1.5 * y));
    }
    for (int32_t j = 0; j < SIDE; ++j)
        for (int32_t i = 0; i < SIDE; ++i) {
            const int32_t o = (SIDE + 1) * j + i;
            const int32_t corner[6] = {o, o + 1, o + SIDE + 2, o, o + SIDE + 2, o + SIDE + 1};
            for (int k = 0; k < 6; ++k)
                triangle[n++] = corner[k];
        }
    SticMeshDef def = stic_mesh_default_def();
    def.vertex = vertex;
    def.vertex_count = NODES;
    def.face_vertex = triangle;
    def.face_count = 2 * SIDE * SIDE;
    return def;
}

static SticStatus make_nodes(const SticContext* context, void* self)
{
    SticSurfaceNodes* nodes = NULL;
    const SticStatus status = stic_surface_nodes_create(context, self, &nodes);
    stic_surface_nodes_destroy(nodes);
    return status;
}

// a surface whose nodes have moved is the mesh of the new places
static void test_surface(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticCollide* collide = create(false);
    SticRandom random = stic_random_create(7);
    static SticVec3 flat[NODES], moved[NODES];
    static int32_t triangle[6 * SIDE * SIDE];
    SticShape *surface = NULL, *body[3] = {narrow_box(0.3, 0.4, 0.2), NULL, NULL};
    assert_int_equal(stic_shape_create_sphere(&context, 0.35, &body[1], NULL), STIC_OK);
    assert_int_equal(stic_shape_create_capsule(&context, 0.2, 0.3, &body[2], NULL), STIC_OK);
    SticMeshDef def = grid(flat, triangle, 0.0, 0.0);
    assert_int_equal(stic_shape_create_surface(&context, &def, &surface, NULL), STIC_OK);
    SticSurfaceNodes* nodes = NULL;
    assert_int_equal(test_fail_every_allocation(make_nodes, surface), 3);
    assert_int_equal(stic_surface_nodes_create(&context, surface, &nodes), STIC_OK);
    static Found one, two;
    int32_t contacts = 0;
    for (int frame = 0; frame < 30; ++frame) {
        SticShape* mesh = NULL;
        def = grid(moved, triangle, 0.15, 0.2 * frame);
        assert_int_equal(stic_shape_create_mesh(&context, &def, &mesh, NULL), STIC_OK);
        const SticCollider fixed = {mesh, stic_pose_identity(), 9};
        // boxes fitted for each pair, and once for all of them
        stic_surface_nodes_update(nodes, moved);
        const SticCollider soft = {surface, stic_pose_vertices(moved), 9};
        const SticCollider fitted = {surface, stic_surface_nodes_pose(nodes), 9};
        const SticBounds u = stic_shape_bounds(mesh, &fixed.pose, 0.0);
        const SticBounds v = stic_shape_bounds(surface, &fitted.pose, 0.0);
        assert_true(stic_vec3_is_equal(u.low, v.low) && stic_vec3_is_equal(u.high, v.high));
        for (int k = 0; k < 30; ++k) {
            const double x = stic_random_range(&random, 0.5, 2.5);
            const double y = stic_random_range(&random, 0.5, 2.5);
            const SticPose pose = stic_pose_rigid(test_random_turn(&random), stic_vec3(x, y, 0.35));
            const SticCollider a = {body[k % 3], pose, 1};
            find(collide, &a, &fixed, 0.02, &one);
            find(collide, &a, &soft, 0.02, &two);
            same_contacts(&one, &two, 1e-12);
            find(collide, &a, &fitted, 0.02, &one);
            same_contacts(&one, &two, 0x1p-1022);
            contacts += one.count;
        }
        stic_shape_destroy(mesh);
    }
    print_message("%d contacts of a moving surface as of a mesh\n", contacts);
    test_greater(contacts, 500);
    stic_surface_nodes_destroy(nodes);
    stic_shape_destroy(surface);
    for (int i = 0; i < 3; ++i)
        stic_shape_destroy(body[i]);
    stic_collide_destroy(collide);
}

/* ---- edges of meshes ---- */

// two planes that meet along y: a roof (slope < 0) or a valley, eight triangles
static SticShape* make_fold(double slope)
{
    const SticContext context = stic_context_default();
    SticVec3 vertex[9];
    int32_t triangle[24], n = 0;
    for (int i = 0; i < 9; ++i)
        vertex[i] = stic_vec3(4.0 * (i % 3 - 1), 4.0 * (i / 3 - 1), 4.0 * slope * abs(i % 3 - 1));
    for (int j = 0; j < 2; ++j)
        for (int i = 0; i < 2; ++i) {
            const int32_t o = 3 * j + i, corner[6] = {o, o + 1, o + 4, o, o + 4, o + 3};
            for (int k = 0; k < 6; ++k)
                triangle[n++] = corner[k];
        }
    SticMeshDef def = stic_mesh_default_def();
    def.vertex = vertex;
    def.vertex_count = 9;
    def.face_vertex = triangle;
    def.face_count = 8;
    SticShape* shape = NULL;
    assert_int_equal(stic_shape_create_mesh(&context, &def, &shape, NULL), STIC_OK);
    return shape;
}

static void test_edges(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticCollide* collide = create(false);
    SticShape *roof = make_fold(-0.5), *valley = make_fold(0.5), *ball = NULL;
    assert_int_equal(stic_shape_create_sphere(&context, 1.0, &ball, NULL), STIC_OK);
    const SticVec3 left = stic_vec3_normalize(stic_vec3(-0.5, 0.0, 1.0));
    const SticVec3 right = stic_vec3_normalize(stic_vec3(0.5, 0.0, 1.0));
    static Found found;
    for (int k = 0; k < 200; ++k) {
        // over the ridge the normal turns from one face to the other, and there is one contact,
        // also where the triangles change along y
        const double angle = -0.7 + 0.007 * k, y = -2.0 + 0.0201 * k;
        SticVec3 n = stic_vec3(sin(angle), 0.0, cos(angle));
        SticCollider a = at(ball, 0.99 * n.x, y, 0.99 * n.z, 1);
        const SticCollider b = at(roof, 0, 0, 0, 9);
        find(collide, &a, &b, 0.05, &found);
        n = angle < -atan(0.5) ? left : angle > atan(0.5) ? right : n;
        const double gap = 0.99 * (n.x * sin(angle) + n.z * cos(angle)) - 1.0;
        assert_int_equal(found.count, 1);
        test_less(stic_vec3_distance(outward(&found.list[0]), n), 1e-12);
        test_less(fabs(found.list[0].gap - gap), 1e-12);
        // in the valley two contacts, never the edge between them
        const double height = 0.99 / left.z;
        a = at(ball, 0.0, y, height, 1);
        const SticCollider c = at(valley, 0, 0, 0, 9);
        find(collide, &a, &c, 0.05, &found);
        assert_int_equal(found.count, 2);
        for (int i = 0; i < 2; ++i) {
            const SticVec3 m = outward(&found.list[i]);
            test_less(fmin(stic_vec3_distance(m, left), stic_vec3_distance(m, right)), 1e-12);
            test_less(fabs(found.list[i].gap + 0.01), 1e-12);
        }
    }
    stic_shape_destroy(roof);
    stic_shape_destroy(valley);
    stic_shape_destroy(ball);
    stic_collide_destroy(collide);
}

// a unit cube of twelve triangles; `turned`: the flat edge of each face is the other diagonal
static SticShape* make_cube_mesh(bool turned)
{
    static const int32_t side[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                       {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
    const SticContext context = stic_context_default();
    SticVec3 vertex[8];
    int32_t triangle[36], n = 0;
    for (int i = 0; i < 8; ++i)
        vertex[i] = stic_vec3(i % 4 == 1 || i % 4 == 2, i % 4 >= 2, i / 4);
    for (int f = 0; f < 6; ++f)
        for (int k = 0; k < 6; ++k) {
            static const int32_t corner[6] = {0, 1, 2, 0, 2, 3};
            triangle[n++] = side[f][(corner[k] + (turned ? 1 : 0)) % 4];
        }
    SticMeshDef def = stic_mesh_default_def();
    def.vertex = vertex;
    def.vertex_count = 8;
    def.face_vertex = triangle;
    def.face_count = 12;
    SticShape* shape = NULL;
    assert_int_equal(stic_shape_create_mesh(&context, &def, &shape, NULL), STIC_OK);
    return shape;
}

// a plate on a cube of triangles touches the corners of the common area, however the top is cut
static void test_flat_tops(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticCollide* collide = create(false);
    SticShape* plate = NULL;
    assert_int_equal(stic_shape_create_box(&context, stic_vec3(1.0, 1.0, 0.1), &plate, NULL),
                     STIC_OK);
    static Found found;
    for (int k = 0; k < 20; ++k) {
        SticShape* cube = make_cube_mesh(k % 2 == 1);
        // the plate covers the top up to x = 1 - cut
        const double cut = k < 10 ? 0.0 : 0.07 * (k - 9);
        const double x = k < 10 ? 0.5 + 0.03 * k : -cut;
        const SticCollider a = at(plate, x, 0.45, 1.1, 1), b = at(cube, 0, 0, 0, 9);
        find(collide, &a, &b, 0.01, &found);
        double area = 0.0;
        assert_int_equal(found.count, 4);
        for (int i = 0; i < 4; ++i) {
            const SticVec3 p = found.list[i].point;
            area += found.list[i].area;
            test_less(fabs(p.x * (p.x - (1.0 - cut))), 1e-12);
            test_less(fabs(p.y * (p.y - 1.0)), 1e-12);
            test_less(fabs(found.list[i].gap), 1e-12);
        }
        test_less(fabs(area - (1.0 - cut)), 1e-12);
        stic_shape_destroy(cube);
    }
    stic_shape_destroy(plate);
    stic_collide_destroy(collide);
}

/* ---- seams ---- */

// a beam of three hexahedra that share nodes
static SticShape* make_beam(void)
{
    const SticContext context = stic_context_default();
    SticVec3 node[16];
    uint8_t kind[3];
    int32_t begin[4] = {0, 8, 16, 24}, list[24];
    for (int i = 0; i < 16; ++i)
        node[i] = stic_vec3(i / 4, i % 4 == 1 || i % 4 == 2, i % 4 >= 2);
    for (int e = 0; e < 3; ++e) {
        kind[e] = STIC_ELEMENT_HEXAHEDRON;
        for (int i = 0; i < 8; ++i)
            list[8 * e + i] = 4 * e + i;
    }
    SticElementsDef def = stic_elements_default_def();
    def.node = node;
    def.node_count = 16;
    def.kind = kind;
    def.element_begin = begin;
    def.element_node = list;
    def.element_count = 3;
    SticShape* shape = NULL;
    SticError error;
    if (stic_shape_create_elements(&context, &def, &shape, &error) != STIC_OK)
        fail_msg("%s", error.text);
    return shape;
}

static void test_seams(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticCollide* collide = create(false);
    SticShape *beam = make_beam(), *brick = narrow_box(0.6, 0.3, 0.2), *ball = NULL;
    assert_int_equal(stic_shape_create_sphere(&context, 0.3, &ball, NULL), STIC_OK);
    const SticCollider b = at(beam, 0, 0, 0, 9);
    static Found found;
    for (int k = 0; k < 230; ++k) {
        // a brick slides along the top: no normal but the vertical, the whole area
        SticCollider a = at(brick, 0.65 + 0.00741 * k, 0.5, 1.199, 1);
        find(collide, &a, &b, 0.01, &found);
        test_at_least(found.count, 4);
        test_near(found.area, 1.2 * 0.6, 1e-12);
        for (int32_t i = 0; i < found.count; ++i) {
            test_less(fabs(outward(&found.list[i]).z - 1.0), 1e-12);
            test_less(fabs(found.list[i].gap + 0.001), 1e-12);
        }
        // a ball along a lower edge of the beam: the side alone, then the edge, once
        a = at(ball, 0.3 + 0.01 * k, -0.29, 0.5, 1);
        find(collide, &a, &b, 0.01, &found);
        assert_int_equal(found.count, 1);
        test_less(fabs(outward(&found.list[0]).y + 1.0), 1e-12);
        a = at(ball, 0.3 + 0.01 * k, -0.2, -0.2, 1);
        find(collide, &a, &b, 0.01, &found);
        assert_int_equal(found.count, 1);
        test_less(fabs(found.list[0].gap - (sqrt(0.08) - 0.3)), 1e-12);
    }
    // the end
    const SticCollider a = at(brick, 3.599, 0.5, 0.5, 1);
    find(collide, &a, &b, 0.0, &found);
    assert_int_equal(found.count, 4);
    test_near(outward(&found.list[0]).x, 1.0, 1e-12);
    test_near(found.area, 0.24, 1e-13);
    stic_shape_destroy(beam);
    stic_shape_destroy(brick);
    stic_shape_destroy(ball);
    stic_collide_destroy(collide);
}

/* ---- scale, rotation, translation ---- */

enum { FORMS = 6 };

static SticShape* make_form(int form, double s)
{
    const SticContext context = stic_context_default();
    SticShape* shape = NULL;
    SticRandom random = stic_random_create(19);
    SticVec3 point[12];
    SticPolyhedronDef def = stic_polyhedron_default_def();
    SticStatus status = STIC_OK;
    switch (form) {
    case 0:
        status = stic_shape_create_sphere(&context, 0.6 * s, &shape, NULL);
        break;
    case 1:
        status =
            stic_shape_create_box(&context, stic_vec3(0.8 * s, 0.5 * s, 0.3 * s), &shape, NULL);
        break;
    case 2:
        status = stic_shape_create_capsule(&context, 0.3 * s, 0.7 * s, &shape, NULL);
        break;
    case 3:
        status = stic_shape_create_cylinder(&context, 0.5 * s, 0.4 * s, &shape, NULL);
        break;
    case 4:
        status = stic_shape_create_ellipsoid(&context, stic_vec3(0.4 * s, 0.6 * s, 0.9 * s), &shape,
                                             NULL);
        break;
    default:
        for (int i = 0; i < 12; ++i)
            point[i] = stic_vec3_scale(s, stic_vec3_normalize(narrow_random_vec(&random, 1.0)));
        def.vertex = point;
        def.vertex_count = 12;
        status = stic_shape_create_polyhedron(&context, &def, &shape, NULL);
    }
    assert_int_equal(status, STIC_OK);
    return shape;
}

typedef struct Change {
    double gap, area;
    int32_t contacts, other_features;
} Change;

static void compare(const Found* one, const Found* two, double scale, Change* change)
{
    assert_int_equal(one->count, two->count);
    for (int32_t i = 0; i < one->count; ++i) {
        change->contacts += 1;
        change->other_features += one->list[i].feature != two->list[i].feature;
        change->gap = fmax(change->gap, fabs(one->list[i].gap - two->list[i].gap / scale));
    }
    change->area = fmax(change->area, fabs(one->area - two->area / (scale * scale)));
}

static void test_invariance(void** state)
{
    (void)state;
    SticCollide* collide = create(false);
    SticRandom random = stic_random_create(23);
    SticShape *form[FORMS], *large[FORMS], *small[FORMS];
    for (int i = 0; i < FORMS; ++i) {
        form[i] = make_form(i, 1.0);
        large[i] = make_form(i, 1e3);
        small[i] = make_form(i, 1e-3);
    }
    static Found one, two;
    Change scaled[2] = {{0}}, turned[2] = {{0}}, moved[2] = {{0}};
    for (int k = 0; k < 3600; ++k) {
        const int i = k % FORMS, j = k / FORMS % FORMS;
        // the depth of cylinders and ellipsoids comes from a polytope and Newton's method
        const int smooth = i == 3 || i == 4 || j == 3 || j == 4;
        const SticMat3 R = k % 4 == 0 ? stic_mat3_identity() : test_random_turn(&random);
        const SticVec3 x = narrow_random_vec(&random, 0.9);
        SticCollider a = {form[i], stic_pose_rigid(R, x), 1};
        SticCollider b = {form[j], stic_pose_identity(), 2};
        find(collide, &a, &b, 0.01, &one);
        const double s = k % 2 == 0 ? 1e3 : 1e-3;
        a = (SticCollider){k % 2 == 0 ? large[i] : small[i],
                           stic_pose_rigid(R, stic_vec3_scale(s, x)), 1};
        b.shape = k % 2 == 0 ? large[j] : small[j];
        find(collide, &a, &b, 0.01 * s, &two);
        compare(&one, &two, s, &scaled[smooth]);
        const SticMat3 Q = test_random_turn(&random);
        a = (SticCollider){form[i], stic_pose_rigid(stic_mat3_mul(Q, R), stic_mat3_mul_vec(Q, x)),
                           1};
        b = (SticCollider){form[j], stic_pose_rigid(Q, stic_vec3_zero()), 2};
        find(collide, &a, &b, 0.01, &two);
        compare(&one, &two, 1.0, &turned[smooth]);
        const SticVec3 far = stic_vec3(1.1e6, -1.3e6, 0.7e6);
        a = (SticCollider){form[i], stic_pose_rigid(R, stic_vec3_add(x, far)), 1};
        b = (SticCollider){form[j], stic_pose_rigid(stic_mat3_identity(), far), 2};
        find(collide, &a, &b, 0.01, &two);
        compare(&one, &two, 1.0, &moved[smooth]);
    }
    const Change* all[3] = {scaled, turned, moved};
    const char* name[3] = {"scaled", "turned", "moved by 1e6 sizes"};
    for (int c = 0; c < 6; ++c) {
        const Change* change = &all[c / 2][c % 2];
        print_message("%s, %s: %d contacts, %d other features, gaps off by %.2e, areas by %.2e\n",
                      name[c / 2], c % 2 == 0 ? "flat and round" : "smooth", change->contacts,
                      change->other_features, change->gap, change->area);
        test_greater(change->contacts, 1000);
        test_equal(change->other_features, 0);
        // places 1e6 sizes away are rounded to 1e-10
        test_at_most(change->gap, (c / 2 == 2 ? 1e-9 : 1e-13));
        test_at_most(change->area, 1e-9);
    }
    for (int i = 0; i < FORMS; ++i) {
        stic_shape_destroy(form[i]);
        stic_shape_destroy(large[i]);
        stic_shape_destroy(small[i]);
    }
    stic_collide_destroy(collide);
}

/* ---- beside two edges ---- */

// a bar, turned by 45 degrees about its axis, leans by `tilt` over the edge of a table
static void test_beside(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    const double tilt = 5e-3, above = 2e-4, beyond = 0.05;
    SticCollide* collide = create(false);
    SticShape *table = NULL, *bar = NULL;
    assert_int_equal(stic_shape_create_box(&context, stic_vec3(0.5, 0.5, 0.1), &table, NULL),
                     STIC_OK);
    assert_int_equal(stic_shape_create_box(&context, stic_vec3(0.2, 0.02, 0.02), &bar, NULL),
                     STIC_OK);
    const SticMat3 turn = stic_rotation_exp(stic_vec3(STIC_PI / 4, 0, 0));
    const SticMat3 R = stic_mat3_mul(stic_rotation_exp(stic_vec3(0, tilt, 0)), turn);
    // the lowest side passes over (0, 0), at `beyond` from its middle
    const SticVec3 side = stic_vec3(beyond, 0, -0.02 * sqrt(2)),
                   arm = stic_mat3_mul_vec(stic_rotation_exp(stic_vec3(0, tilt, 0)), side);
    const SticCollider leaning = {bar, stic_pose_rigid(R, stic_vec3(-arm.x, 0, above - arm.z)), 2};
    const SticCollider under = at(table, -0.5, 0, -0.1, 1);
    Found found;
    find(collide, &leaning, &under, 2e-3, &found);
    assert_int_equal(found.count, 1);
    assert_int_equal(found.list[0].kernel, STIC_CONTACT_EDGE_EDGE);
    const uint64_t edges = found.list[0].feature;
    stic_collide_beside(collide, true);
    find(collide, &leaning, &under, 2e-3, &found);
    assert_int_equal(found.count, 2);
    const SticContact *vertex = &found.list[0], *crossing = &found.list[1];
    assert_int_equal(crossing->feature, edges);
    assert_int_equal(vertex->kernel, STIC_CONTACT_PLANE);
    // the end over the table is higher by the length to it times the sine
    test_at_most(fabs(vertex->gap - (above + (0.2 + beyond) * sin(tilt))), 1e-15);
    test_at_most(stic_vec3_distance(outward(vertex), stic_vec3(0, 0, 1)), 1e-15);
    // and is left out where it is too far
    find(collide, &leaning, &under, 1e-3, &found);
    assert_int_equal(found.count, 1);
    stic_shape_destroy(table);
    stic_shape_destroy(bar);
    stic_collide_destroy(collide);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reduce),       cmocka_unit_test(test_caps),
        cmocka_unit_test(test_affine_boxes), cmocka_unit_test(test_affine_shear),
        cmocka_unit_test(test_surface),      cmocka_unit_test(test_edges),
        cmocka_unit_test(test_flat_tops),    cmocka_unit_test(test_seams),
        cmocka_unit_test(test_invariance),   cmocka_unit_test(test_beside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

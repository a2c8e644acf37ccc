// SPDX-License-Identifier: Apache-2.0
// Convex polyhedra: hulls, faces given by the user, topology, invariances, refused input.
#include <math.h>
#include <string.h>

#include "helpers/helpers.h"
#include "math/math.h"
#include "shape/shape.h"

static SticShape* hull_of(const SticVec3* point, int32_t count)
{
    SticError error = {0};
    SticPolyhedronDef def = stic_polyhedron_default_def();
    const SticContext context = stic_context_default();
    SticShape* shape = NULL;
    def.vertex = point;
    def.vertex_count = count;
    if (stic_shape_create_polyhedron(&context, &def, &shape, &error) != STIC_OK)
        fail_msg("%s", error.text);
    return shape;
}

// everything that must hold for any polyhedron, checked without the code that made it
static void check_polyhedron(const SticPolyhedron* p)
{
    assert_int_equal(p->vertex_count - p->edge_count + p->face_count, 2);
    assert_int_equal(p->face_begin[p->face_count], 2 * p->edge_count);
    assert_int_equal(p->vertex_begin[p->vertex_count], 2 * p->edge_count);
    for (int32_t f = 0; f < p->face_count; ++f) {
        const int32_t begin = p->face_begin[f], sides = p->face_begin[f + 1] - begin;
        test_at_least(sides, 3);
        test_less(fabs(stic_vec3_norm(p->plane[f].normal) - 1.0), 1e-15);
        for (int32_t j = 0; j < sides; ++j) {
            const int32_t v = p->face_vertex[begin + j],
                          w = p->face_vertex[begin + (j + 1) % sides];
            const SticEdge* edge = &p->edge[p->face_edge[begin + j]];
            const int side = edge->vertex[0] != v;
            assert_int_equal(edge->vertex[side], v);
            assert_int_equal(edge->vertex[1 - side], w);
            assert_int_equal(edge->face[side], f);
        }
        for (int32_t v = 0; v < p->vertex_count; ++v) {
            const double height =
                stic_vec3_dot(p->plane[f].normal, p->vertex[v]) - p->plane[f].offset;
            test_at_most(height, 1e-9 * 2.0 * p->radius);
        }
    }
    // neighbours: the edge names both ends; turning about the vertex passes from face to face, left
    for (int32_t v = 0; v < p->vertex_count; ++v) {
        const int32_t begin = p->vertex_begin[v], degree = p->vertex_begin[v + 1] - begin;
        test_at_least(degree, 3);
        for (int32_t j = 0; j < degree; ++j) {
            const SticEdge* a = &p->edge[p->vertex_edge[begin + j]];
            const SticEdge* b = &p->edge[p->vertex_edge[begin + (j + 1) % degree]];
            const int at_a = a->vertex[0] != v, at_b = b->vertex[0] != v;
            assert_int_equal(a->vertex[at_a], v);
            assert_int_equal(a->vertex[1 - at_a], p->vertex_neighbour[begin + j]);
            assert_int_equal(a->face[at_a], b->face[1 - at_b]);
        }
    }
}

static void test_box(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticShape* shape = NULL;
    SticError error = {0};
    assert_int_equal(stic_shape_create_box(&context, stic_vec3(1.0, 2.0, 3e-7), &shape, &error),
                     STIC_OK);
    const SticPolyhedron* p = stic_shape_polyhedron(shape);
    check_polyhedron(p);
    assert_int_equal(p->vertex_count, 8);
    assert_int_equal(p->edge_count, 12);
    const double half[3] = {1.0, 2.0, 3e-7};
    for (int32_t f = 0; f < 6; ++f) {
        const double n[3] = {p->plane[f].normal.x, p->plane[f].normal.y, p->plane[f].normal.z};
        for (int i = 0; i < 3; ++i)
            test_equal(n[i], (i != f / 2 ? 0.0 : f % 2 == 0 ? -1.0 : 1.0));
        test_near(p->plane[f].offset, half[f / 2], 1e-16 * 4);
    }
    stic_shape_destroy(shape);
}

// cubes of points: everything coplanar, many points on edges and inside
static void test_grid_points(void** state)
{
    (void)state;
    enum { N = 6 };
    SticVec3 point[N * N * N];
    SticRandom random = stic_random_create(3);
    for (int trial = 0; trial < 40; ++trial) {
        double R[9];
        test_random_rotation(&random, R);
        const SticMat3 turn = trial == 0 ? stic_mat3_identity() : stic_mat3_load(R);
        for (int i = 0; i < N * N * N; ++i)
            point[i] =
                stic_vec3_add(stic_mat3_mul_vec(turn, stic_vec3(i % N, i / N % N, i / N / N)),
                              stic_vec3(trial * 1e4, 7.0, 0.0));
        SticShape* shape = hull_of(point, N * N * N);
        const SticPolyhedron* p = stic_shape_polyhedron(shape);
        check_polyhedron(p);
        assert_int_equal(p->vertex_count, 8);
        assert_int_equal(p->face_count, 6);
        stic_shape_destroy(shape);
    }
}

// prisms with many sides: caps are one face each
static void test_prisms(void** state)
{
    (void)state;
    static SticVec3 point[2 * 1000];
    SticRandom random = stic_random_create(4);
    for (int sides = 3; sides <= 1000; sides = sides * 3 / 2 + 1) {
        double R[9];
        test_random_rotation(&random, R);
        const SticMat3 turn = stic_mat3_load(R);
        for (int i = 0; i < 2 * sides; ++i) {
            const double angle = 2.0 * STIC_PI * (i / 2) / sides;
            point[i] = stic_mat3_mul_vec(turn, stic_vec3(cos(angle), sin(angle), i % 2));
            point[i].x += 1e6;
        }
        SticShape* shape = hull_of(point, 2 * sides);
        const SticPolyhedron* p = stic_shape_polyhedron(shape);
        check_polyhedron(p);
        print_message("prism of %4d sides, 5e5 diameters away: %d faces, %d edges\n", sides,
                      p->face_count, p->edge_count);
        assert_int_equal(p->vertex_count, 2 * sides);
        assert_int_equal(p->face_count, sides + 2);
        stic_shape_destroy(shape);
    }
}

static void random_points(SticRandom* random, int kind, int32_t count, SticVec3* point)
{
    for (int32_t i = 0; i < count; ++i) {
        double x[3];
        if (kind == 0)
            test_random_vector(random, 3, -1.0, 1.0, x);
        else
            test_random_unit(random, 3, x);
        // coarse coordinates: many points coincide or lie in common planes
        if (kind == 2)
            for (int j = 0; j < 3; ++j)
                x[j] = floor(3.0 * x[j]);
        point[i] = stic_vec3_load(x);
    }
}

static void test_random_hulls(void** state)
{
    (void)state;
    enum { N = 300 };
    SticVec3 point[N];
    SticRandom random = stic_random_create(5);
    int64_t faces = 0, vertices = 0, hulls = 0;
    for (int trial = 0; trial < 300; ++trial) {
        const int32_t count = 8 + (int32_t)(stic_random_uniform(&random) * (N - 8));
        random_points(&random, trial % 3, count, point);
        SticShape* shape = hull_of(point, count);
        const SticPolyhedron* p = stic_shape_polyhedron(shape);
        check_polyhedron(p);
        // every point is inside, every vertex is one of the points
        for (int32_t i = 0; i < count; ++i)
            for (int32_t f = 0; f < p->face_count; ++f)
                test_at_most(stic_vec3_dot(p->plane[f].normal, point[i]),
                             p->plane[f].offset + 1e-9 * 2.0 * p->radius);
        for (int32_t v = 0; v < p->vertex_count; ++v)
            assert_true(stic_vec3_is_equal(point[p->node[v]], p->vertex[v]));
        faces += p->face_count;
        vertices += p->vertex_count;
        hulls += 1;
        stic_shape_destroy(shape);
    }
    print_message("%d hulls, %d vertices, %d faces\n", (int)hulls, (int)vertices, (int)faces);
}

// largest relative difference of mass properties
static double difference(const SticMassProperties* a, const SticMassProperties* b, double size)
{
    double worst = fabs(a->mass / b->mass - 1.0);
    const double apart = stic_vec3_distance(a->centre, b->centre) / size;
    worst = apart > worst ? apart : worst;
    const double euler =
        stic_mat3_norm(stic_mat3_sub(a->euler, b->euler)) / stic_mat3_norm(b->euler);
    worst = euler > worst ? euler : worst;
    const double inertia =
        stic_mat3_norm(stic_mat3_sub(a->inertia, b->inertia)) / stic_mat3_norm(b->inertia);
    return inertia > worst ? inertia : worst;
}

static SticMassProperties mass_of(const SticShape* shape)
{
    SticMassProperties mass;
    SticError error = {0};
    if (stic_shape_mass(shape, 2.5, &mass, &error) != STIC_OK)
        fail_msg("%s", error.text);
    return mass;
}

// scale, rotation and translation change nothing but scale, rotation and translation
static void test_invariances(void** state)
{
    (void)state;
    enum { N = 60 };
    SticVec3 point[N], moved[N];
    SticRandom random = stic_random_create(6);
    double worst_scale = 0.0, worst_turn = 0.0, worst_shift = 0.0;
    for (int trial = 0; trial < 100; ++trial) {
        random_points(&random, trial % 2, N, point);
        // coordinates with 30 bits, so that a shift by 2^20 is exact
        for (int i = 0; i < N; ++i)
            point[i] =
                stic_vec3(rint(point[i].x * 0x1p30) * 0x1p-30, rint(point[i].y * 0x1p30) * 0x1p-30,
                          rint(point[i].z * 0x1p30) * 0x1p-30);
        SticShape* shape = hull_of(point, N);
        const SticMassProperties mass = mass_of(shape);
        const SticPolyhedron* p = stic_shape_polyhedron(shape);

        const double scales[3] = {1e-3, 1e3, 1e12};
        for (int s = 0; s < 3; ++s) {
            for (int i = 0; i < N; ++i)
                moved[i] = stic_vec3_scale(scales[s], point[i]);
            SticShape* other = hull_of(moved, N);
            const SticPolyhedron* q = stic_shape_polyhedron(other);
            SticMassProperties back = mass_of(other);
            back.mass /= scales[s] * scales[s] * scales[s];
            back.centre = stic_vec3_scale(1.0 / scales[s], back.centre);
            const double fifth = 1.0 / (scales[s] * scales[s] * scales[s] * scales[s] * scales[s]);
            back.euler = stic_mat3_scale(fifth, back.euler);
            back.inertia = stic_mat3_scale(fifth, back.inertia);
            const double d = difference(&back, &mass, 2.0);
            worst_scale = d > worst_scale ? d : worst_scale;
            assert_int_equal(p->face_count, q->face_count);
            assert_memory_equal(p->node, q->node, (size_t)p->vertex_count * sizeof *p->node);
            stic_shape_destroy(other);
        }

        double R[9];
        test_random_rotation(&random, R);
        const SticPose turn = stic_pose_rigid(stic_mat3_load(R), stic_vec3(0.5, -2.0, 1.0));
        for (int i = 0; i < N; ++i)
            moved[i] = stic_pose_apply(&turn, point[i]);
        SticShape* turned = hull_of(moved, N);
        const SticMassProperties got = mass_of(turned);
        const SticMassProperties expected = stic_inertia_transform(&mass, &turn);
        const double d = difference(&got, &expected, 2.0);
        worst_turn = d > worst_turn ? d : worst_turn;
        assert_int_equal(p->face_count, stic_shape_polyhedron(turned)->face_count);
        test_less(fabs(stic_shape_size(turned) / stic_shape_size(shape) - 1.0), 1e-13);
        stic_shape_destroy(turned);

        const SticVec3 far = stic_vec3(0x1p20, -0x1p21, 0x1p20);
        for (int i = 0; i < N; ++i)
            moved[i] = stic_vec3_add(point[i], far);
        SticShape* shifted = hull_of(moved, N);
        SticMassProperties near = mass_of(shifted);
        near.centre = stic_vec3_sub(near.centre, far);
        // the centre itself is rounded to 2^-32 there
        const double e = difference(&near, &mass, 2.0 * 0x1p20);
        worst_shift = e > worst_shift ? e : worst_shift;
        stic_shape_destroy(shifted);
        stic_shape_destroy(shape);
    }
    print_message("mass properties: scale %.1e, rotation %.1e, shift by 1e6 sizes %.1e\n",
                  worst_scale, worst_turn, worst_shift);
    test_less(worst_scale, 1e-12);
    test_less(worst_turn, 1e-12);
    test_less(worst_shift, 1e-12);
}

// moments against the sum over tetrahedra with an apex in a vertex, by parallel axes
static void test_other_apex(void** state)
{
    (void)state;
    enum { N = 100 };
    SticVec3 point[N];
    SticRandom random = stic_random_create(7);
    double worst = 0.0;
    for (int trial = 0; trial < 50; ++trial) {
        random_points(&random, trial % 2, N, point);
        for (int i = 0; i < N; ++i)
            point[i].x *= trial % 5 == 0 ? 1e-4 : 1.0;
        SticShape* shape = hull_of(point, N);
        const SticPolyhedron* p = stic_shape_polyhedron(shape);
        SticMassProperties sum = {0};
        const SticVec3 apex = p->vertex[p->vertex_count - 1];
        for (int32_t f = 0; f < p->face_count; ++f)
            for (int32_t k = p->face_begin[f] + 1; k + 1 < p->face_begin[f + 1]; ++k) {
                const SticVec3 c[4] = {apex, p->vertex[p->face_vertex[p->face_begin[f]]],
                                       p->vertex[p->face_vertex[k]],
                                       p->vertex[p->face_vertex[k + 1]]};
                SticMassProperties part = {0};
                part.mass = 2.5 / 6.0 *
                            stic_vec3_triple(stic_vec3_sub(c[1], c[0]), stic_vec3_sub(c[2], c[0]),
                                             stic_vec3_sub(c[3], c[0]));
                if (part.mass == 0.0)
                    continue;
                for (int i = 0; i < 4; ++i)
                    part.centre = stic_vec3_add_scaled(part.centre, 0.25, c[i]);
                // about the centroid of a tetrahedron: E = m / 20 sum of (p - centroid)(p -
                // centroid)'
                for (int i = 0; i < 4; ++i) {
                    const SticVec3 y = stic_vec3_sub(c[i], part.centre);
                    part.euler =
                        stic_mat3_add_scaled(part.euler, part.mass / 20.0, stic_mat3_outer(y, y));
                }
                sum = sum.mass == 0.0 ? part : stic_inertia_add(&sum, &part);
            }
        sum.inertia = stic_mat3_sub(
            stic_mat3_scale(stic_mat3_trace(sum.euler), stic_mat3_identity()), sum.euler);
        const SticMassProperties mass = mass_of(shape);
        const double d = difference(&mass, &sum, 2.0);
        worst = d > worst ? d : worst;
        stic_shape_destroy(shape);
    }
    print_message("hull moments, two ways: %.1e\n", worst);
    test_less(worst, 1e-12);
}

static void expect(const SticPolyhedronDef* def, SticStatus status, const char* word)
{
    SticError error = {0};
    const SticContext context = stic_context_default();
    SticShape* shape = (SticShape*)&error;
    assert_int_equal(stic_shape_create_polyhedron(&context, def, &shape, &error), status);
    print_message("%s\n", error.text);
    assert_null(shape);
    if (strstr(error.text, word) == NULL)
        fail_msg("'%s' does not mention '%s'", error.text, word);
}

static const SticVec3 cube[8] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0},
                                 {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
static const int32_t cube_begin[7] = {0, 4, 8, 12, 16, 20, 24};
static const int32_t cube_corner[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4,
                                        2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};

static void test_refused_faces(void** state)
{
    (void)state;
    SticVec3 vertex[8];
    int32_t corner[24], begin[7];
    SticPolyhedronDef def = stic_polyhedron_default_def();
    memcpy(vertex, cube, sizeof cube);
    memcpy(corner, cube_corner, sizeof corner);
    memcpy(begin, cube_begin, sizeof begin);
    def.vertex = vertex;
    def.vertex_count = 8;
    def.face_begin = begin;
    def.face_vertex = corner;
    def.face_count = 5;
    expect(&def, STIC_BAD_DATA, "open");
    def.face_count = 3;
    expect(&def, STIC_BAD_DATA, "at least 4 faces");
    def.face_count = 6;

    // one face turned
    corner[1] = 2, corner[3] = 4;
    expect(&def, STIC_BAD_DATA, "same direction");
    memcpy(corner, cube_corner, sizeof corner);
    // all faces turned
    for (int f = 0; f < 6; ++f) {
        const int32_t swap = corner[4 * f + 1];
        corner[4 * f + 1] = corner[4 * f + 3];
        corner[4 * f + 3] = swap;
    }
    expect(&def, STIC_BAD_DATA, "inverted");
    memcpy(corner, cube_corner, sizeof corner);
    corner[5] = 8;
    expect(&def, STIC_BAD_DATA, "vertex 8");
    corner[5] = 1;
    expect(&def, STIC_BAD_DATA, "twice");
    memcpy(corner, cube_corner, sizeof corner);
    begin[1] = 2;
    expect(&def, STIC_BAD_DATA, "fewer than 3");
    begin[1] = 4;

    vertex[7] = stic_vec3(1.0, 1.0, 1.1);
    expect(&def, STIC_BAD_DATA, "not plane");
    vertex[7] = stic_vec3(1.0, 1.0, (double)NAN);
    expect(&def, STIC_NOT_FINITE, "vertex 7");
    for (int i = 0; i < 8; ++i)
        vertex[i] = stic_vec3(cube[i].x, cube[i].y, cube[i].z * 1e-10);
    expect(&def, STIC_BAD_DATA, "flat");
    def.tolerance = 1.0;
    expect(&def, STIC_BAD_ARGUMENT, "tolerance");
    def.tolerance = (double)NAN;
    expect(&def, STIC_BAD_ARGUMENT, "tolerance");
}

// an L-shaped prism is closed and right way out, but not convex
static void test_refused_bend(void** state)
{
    (void)state;
    const double outline[6][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
    SticVec3 vertex[12];
    int32_t begin[9] = {0, 6, 12, 16, 20, 24, 28, 32, 36}, corner[36];
    for (int i = 0; i < 6; ++i) {
        vertex[i] = stic_vec3(outline[i][0], outline[i][1], 0.0);
        vertex[6 + i] = stic_vec3(outline[i][0], outline[i][1], 1.0);
        corner[i] = 5 - i;
        corner[6 + i] = 6 + i;
        const int side[4] = {i, (i + 1) % 6, 6 + (i + 1) % 6, 6 + i};
        for (int j = 0; j < 4; ++j)
            corner[12 + 4 * i + j] = side[j];
    }
    SticPolyhedronDef def = stic_polyhedron_default_def();
    def.vertex = vertex;
    def.vertex_count = 12;
    def.face_begin = begin;
    def.face_vertex = corner;
    def.face_count = 8;
    expect(&def, STIC_BAD_DATA, "not convex");
    // two separate tetrahedra: each convex, together not
    SticVec3 two[8];
    int32_t tetra[24];
    const int32_t one[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
    for (int i = 0; i < 8; ++i) {
        two[i] = stic_vec3(i % 4 == 1, i % 4 == 2, i % 4 == 3);
        two[i].x += i / 4 * 3.0;
    }
    for (int i = 0; i < 24; ++i)
        tetra[i] = one[i % 12] + i / 12 * 4;
    for (int i = 0; i < 9; ++i)
        begin[i] = 3 * i;
    def.vertex = two;
    def.vertex_count = 8;
    def.face_vertex = tetra;
    expect(&def, STIC_BAD_DATA, "one closed surface");
}

static void test_refused_points(void** state)
{
    (void)state;
    SticVec3 point[20];
    SticPolyhedronDef def = stic_polyhedron_default_def();
    def.vertex = point;
    for (int i = 0; i < 20; ++i)
        point[i] = stic_vec3(i % 5, i / 5, 0.3 * i);
    def.vertex_count = 3;
    expect(&def, STIC_BAD_DATA, "at least 4 points");
    def.vertex_count = 0;
    expect(&def, STIC_BAD_DATA, "at least 4 points");
    def.vertex_count = 20;
    for (int i = 0; i < 20; ++i)
        point[i] = stic_vec3(i % 5, i / 5, 0.3 * (i % 5) - 0.7 * (i / 5));
    expect(&def, STIC_BAD_DATA, "plane");
    for (int i = 0; i < 20; ++i)
        point[i] = stic_vec3(i, 2.0 * i, 3.0 * i);
    expect(&def, STIC_BAD_DATA, "line");
    for (int i = 0; i < 20; ++i)
        point[i] = stic_vec3(1.0, 2.0, 3.0);
    expect(&def, STIC_BAD_DATA, "one place");
    point[13].y = (double)INFINITY;
    expect(&def, STIC_NOT_FINITE, "vertex 13");
}

// a cube whose faces are cut into triangles becomes a cube again, up to the tolerance and no
// further
static void test_merge(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    for (int trial = 0; trial < 2; ++trial) {
        SticVec3 vertex[14];
        int32_t begin[25], corner[72];
        SticError error = {0};
        SticShape* shape = NULL;
        memcpy(vertex, cube, sizeof cube);
        // a fan about the middle of each face, lifted below and above the tolerance
        const double lift = trial == 0 ? 1e-10 : 1e-7;
        for (int f = 0; f < 6; ++f) {
            const double n[3] = {f / 2 == 0, f / 2 == 1, f / 2 == 2};
            const double out = f % 2 == 0 ? -lift : 1.0 + lift;
            vertex[8 + f] =
                stic_vec3(n[0] != 0 ? out : 0.5, n[1] != 0 ? out : 0.5, n[2] != 0 ? out : 0.5);
            for (int j = 0; j < 4; ++j) {
                const int t = 4 * f + j;
                begin[t] = 3 * t;
                corner[3 * t] = cube_corner[4 * f + j];
                corner[3 * t + 1] = cube_corner[4 * f + (j + 1) % 4];
                corner[3 * t + 2] = 8 + f;
            }
        }
        begin[24] = 72;
        SticPolyhedronDef def = stic_polyhedron_default_def();
        def.vertex = vertex;
        def.vertex_count = 14;
        def.face_begin = begin;
        def.face_vertex = corner;
        def.face_count = 24;
        assert_int_equal(stic_shape_create_polyhedron(&context, &def, &shape, &error), STIC_OK);
        const SticPolyhedron* p = stic_shape_polyhedron(shape);
        check_polyhedron(p);
        assert_int_equal(p->vertex_count, trial == 0 ? 8 : 14);
        assert_int_equal(p->face_count, trial == 0 ? 6 : 24);
        stic_shape_destroy(shape);
    }
}

// thin plates and needles keep their form
static void test_thin(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(9);
    SticVec3 point[8];
    double worst = 0.0;
    for (int trial = 0; trial < 60; ++trial) {
        double R[9];
        test_random_rotation(&random, R);
        const double thin = trial % 3 == 0 ? 1e-4 : trial % 3 == 1 ? 1e-6 : 1e-7;
        const bool needle = trial % 2 == 0;
        for (int i = 0; i < 8; ++i)
            point[i] = stic_mat3_mul_vec(
                stic_mat3_load(R),
                stic_vec3(cube[i].x, cube[i].y * (needle ? thin : 1.0), cube[i].z * thin));
        SticShape* shape = hull_of(point, 8);
        const SticPolyhedron* p = stic_shape_polyhedron(shape);
        check_polyhedron(p);
        assert_int_equal(p->face_count, 6);
        // coordinates are rounded by 1e-16
        const double defect = fabs(p->inner_radius / (0.5 * thin) - 1.0);
        worst = defect * thin > worst ? defect * thin : worst;
        stic_shape_destroy(shape);
    }
    print_message("inner radius of plates and needles down to 1:1e7: %.1e lengths off\n", worst);
    test_less(worst, 1e-15);
}

// one point of a set that is nearly flat, thin, clustered, round, on a grid, a prism or a bowl
static SticVec3 awkward_point(SticRandom* random, int kind, int i, double e)
{
    double x[3], y[3];
    test_random_vector(random, 3, -1.0, 1.0, x);
    test_random_unit(random, 3, y);
    switch (kind) {
    case 0:
        return stic_vec3(x[0], x[1], e * x[2]);
    case 1:
        return stic_vec3(x[0], e * x[1], e * x[2]);
    case 2:
        return stic_vec3(rint(2 * x[0]) + e * y[0], rint(2 * x[1]) + e * y[1],
                         rint(2 * x[2]) + e * y[2]);
    case 3:
        return stic_vec3(y[0] * (1 + e * x[0]), y[1], y[2]);
    case 4: {
        const double angle = rint(8 * x[0]) * STIC_PI / 4;
        return stic_vec3(cos(angle), sin(angle), rint(x[1]) + e * x[2]);
    }
    case 5:
        return i == 0 ? stic_vec3(0.0, 0.0, e)
                      : stic_vec3(rint(4 * x[0]), rint(4 * x[1]), -fabs(rint(2 * x[2])));
    case 6:
        return stic_vec3(x[0], x[1], (x[0] * x[0] + x[1] * x[1]) * e - (i < 2));
    default:
        return stic_vec3((i & 1) + e * x[0], (i >> 1 & 1) + e * x[1], (i >> 2 & 1) + e * x[2]);
    }
}

// features near every size of tolerance: a polyhedron that holds all points, or flat
static void test_nearly_degenerate(void** state)
{
    (void)state;
    SticVec3 point[64];
    SticRandom random = stic_random_create(77);
    const SticContext context = stic_context_default();
    int made = 0, flat = 0;
    for (int trial = 0; trial < 4000; ++trial) {
        const int count = 5 + (int)(stic_random_uniform(&random) * 59);
        const double e = pow(10.0, -stic_random_range(&random, 3.0, 15.0));
        double R[9];
        test_random_rotation(&random, R);
        for (int i = 0; i < count; ++i)
            point[i] =
                stic_mat3_mul_vec(stic_mat3_load(R), awkward_point(&random, trial % 8, i, e));
        SticPolyhedronDef def = stic_polyhedron_default_def();
        SticShape* shape = NULL;
        SticError error = {0};
        def.vertex = point;
        def.vertex_count = count;
        if (stic_shape_create_polyhedron(&context, &def, &shape, &error) != STIC_OK) {
            if (strstr(error.text, "flat") == NULL && strstr(error.text, "plane") == NULL)
                fail_msg("%s", error.text);
            flat += 1;
            continue;
        }
        made += 1;
        const SticPolyhedron* p = stic_shape_polyhedron(shape);
        assert_int_equal(p->vertex_count - p->edge_count + p->face_count, 2);
        for (int32_t f = 0; f < p->face_count; ++f)
            for (int i = 0; i < count; ++i)
                test_at_most(stic_vec3_dot(p->plane[f].normal, point[i]),
                             p->plane[f].offset + 1e-9 * 2.0 * p->radius);
        stic_shape_destroy(shape);
    }
    print_message("awkward sets: %d polyhedra, %d flat\n", made, flat);
    test_greater(made, 2500);
}

static SticStatus make_and_drop(const SticContext* context, void* self)
{
    SticVec3* point = self;
    SticPolyhedronDef def = stic_polyhedron_default_def();
    SticShape* shape = NULL;
    SticError error = {0};
    def.vertex = point;
    def.vertex_count = 100;
    const SticStatus status = stic_shape_create_polyhedron(context, &def, &shape, &error);
    assert_int_equal(error.status, status);
    stic_shape_destroy(shape);
    return status;
}

static void test_memory(void** state)
{
    (void)state;
    SticVec3 point[100];
    SticRandom random = stic_random_create(8);
    random_points(&random, 1, 100, point);
    test_fail_every_allocation(make_and_drop, point);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_box),
        cmocka_unit_test(test_grid_points),
        cmocka_unit_test(test_prisms),
        cmocka_unit_test(test_random_hulls),
        cmocka_unit_test(test_invariances),
        cmocka_unit_test(test_other_apex),
        cmocka_unit_test(test_refused_faces),
        cmocka_unit_test(test_refused_bend),
        cmocka_unit_test(test_refused_points),
        cmocka_unit_test(test_merge),
        cmocka_unit_test(test_thin),
        cmocka_unit_test(test_nearly_degenerate),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

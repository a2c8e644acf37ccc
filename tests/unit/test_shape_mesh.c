// SPDX-License-Identifier: Apache-2.0
// Triangle meshes, height fields and static trees.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/helpers.h"
#include "math/math.h"
#include "shape/build.h"
#include "shape/shape.h"

static const SticVec3 cube[8] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0},
                                 {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
static const int32_t quads_begin[7] = {0, 4, 8, 12, 16, 20, 24};
static const int32_t quads[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4,
                                  2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};

static SticMeshDef cube_def(void)
{
    SticMeshDef def = stic_mesh_default_def();
    def.vertex = cube;
    def.vertex_count = 8;
    def.face_begin = quads_begin;
    def.face_vertex = quads;
    def.face_count = 6;
    def.closed = true;
    return def;
}

static SticShape* make_mesh(const SticMeshDef* def)
{
    const SticContext context = stic_context_default();
    SticShape* shape = NULL;
    SticError error = {0};
    if (stic_shape_create_mesh(&context, def, &shape, &error) != STIC_OK)
        fail_msg("%s", error.text);
    return shape;
}

static void check_topology(const SticMesh* mesh)
{
    int32_t sides = 0;
    for (int32_t e = 0; e < mesh->edge_count; ++e) {
        const SticEdge* edge = &mesh->edge[e];
        for (int side = 0; side < 2; ++side) {
            if (edge->face[side] < 0) {
                assert_int_equal(side, 1);
                assert_int_equal(mesh->edge_form[e], STIC_EDGE_BORDER);
                continue;
            }
            ++sides;
            int found = 0;
            for (int j = 0; j < 3; ++j)
                if (mesh->triangle_edge[edge->face[side]][j] == e) {
                    ++found;
                    assert_int_equal(mesh->triangle[edge->face[side]][j], edge->vertex[side]);
                    assert_int_equal(mesh->triangle[edge->face[side]][(j + 1) % 3],
                                     edge->vertex[1 - side]);
                }
            assert_int_equal(found, 1);
        }
    }
    assert_int_equal(sides, 3 * mesh->triangle_count);
}

static void test_cube(void** state)
{
    (void)state;
    const SticMeshDef def = cube_def();
    SticShape* shape = make_mesh(&def);
    const SticMesh* mesh = &shape->as.mesh;
    check_topology(mesh);
    assert_true(mesh->closed);
    assert_int_equal(mesh->triangle_count, 12);
    assert_int_equal(mesh->edge_count, 18);
    int forms[4] = {0, 0, 0, 0};
    for (int32_t e = 0; e < mesh->edge_count; ++e)
        forms[mesh->edge_form[e]] += 1;
    assert_int_equal(forms[STIC_EDGE_CONVEX], 12);
    assert_int_equal(forms[STIC_EDGE_FLAT], 6);
    for (int32_t t = 0; t < 12; ++t) {
        const SticVec3 n = mesh->plane[t].normal;
        const int f = mesh->triangle_face[t];
        test_equal(stic_vec3_get(n, f / 2), (f % 2 == 0 ? -1.0 : 1.0));
    }
    SticMassProperties mass;
    assert_int_equal(stic_shape_mass(shape, 6.0, &mass, NULL), STIC_OK);
    test_less(fabs(mass.mass - 6.0), 1e-15 * 8);
    test_less(stic_vec3_distance(mass.centre, stic_vec3(0.5, 0.5, 0.5)), 1e-15);
    test_less(stic_mat3_norm(stic_mat3_sub(mass.inertia, stic_mat3_identity())), 1e-14);
    stic_shape_destroy(shape);
}

// torus of revolution: V = 2 pi^2 R r^2; the inscribed mesh approaches it at second order, and a
// body with a hole has no trouble. Moments of the mesh itself against the sum over prisms is in the
// hull test.
static void test_torus(void** state)
{
    (void)state;
    static SticVec3 vertex[128 * 64];
    static int32_t face[4 * 128 * 64], begin[128 * 64 + 1];
    const double R = 2.0, r = 0.5, pi = 3.14159265358979323846;
    const double mass_exact = 2.0 * pi * pi * R * r * r;
    const double axial = mass_exact * (R * R + 0.75 * r * r);
    const double across = mass_exact * (0.5 * R * R + 0.625 * r * r);
    double before = 0.0;
    for (int n = 16; n <= 64; n *= 2) {
        for (int i = 0; i < 2 * n; ++i)
            for (int j = 0; j < n; ++j) {
                const double u = pi * i / n, v = 2.0 * pi * j / n;
                const double rho = R + r * cos(v);
                const int k = i * n + j, right = (i + 1) % (2 * n) * n;
                vertex[k] = stic_vec3(1e3 + rho * cos(u), rho * sin(u), r * sin(v));
                face[4 * k] = k;
                face[4 * k + 1] = right + j;
                face[4 * k + 2] = right + (j + 1) % n;
                face[4 * k + 3] = i * n + (j + 1) % n;
                begin[k] = 4 * k;
            }
        begin[2 * n * n] = 8 * n * n;
        SticMeshDef def = stic_mesh_default_def();
        def.vertex = vertex;
        def.vertex_count = 2 * n * n;
        def.face_begin = begin;
        def.face_vertex = face;
        def.face_count = 2 * n * n;
        def.closed = true;
        SticShape* shape = make_mesh(&def);
        check_topology(&shape->as.mesh);
        SticMassProperties mass;
        assert_int_equal(stic_shape_mass(shape, 1.0, &mass, NULL), STIC_OK);
        const double defect = fmax(fabs(mass.mass / mass_exact - 1.0),
                                   fmax(fabs(mass.inertia.m[2][2] / axial - 1.0),
                                        fmax(fabs(mass.inertia.m[0][0] / across - 1.0),
                                             fabs(mass.inertia.m[1][1] / across - 1.0))));
        print_message("torus of %5d triangles: off by %.2e\n", shape->as.mesh.triangle_count,
                      defect);
        test_less(stic_vec3_distance(mass.centre, stic_vec3(1e3, 0.0, 0.0)), 1e-12);
        if (before > 0.0)
            test_less(fabs(log2(before / defect) - 2.0), 0.05);
        before = defect;
        // the inner half is concave around the axis, nothing is flat but the diagonals
        int concave = 0;
        for (int32_t e = 0; e < shape->as.mesh.edge_count; ++e)
            concave += shape->as.mesh.edge_form[e] == STIC_EDGE_CONCAVE;
        test_greater(concave, 0);
        test_less(concave, 2 * n * n);
        stic_shape_destroy(shape);
    }
}

static void expect(const SticMeshDef* def, SticStatus status, const char* word)
{
    const SticContext context = stic_context_default();
    SticShape* shape = NULL;
    SticError error = {0};
    assert_int_equal(stic_shape_create_mesh(&context, def, &shape, &error), status);
    print_message("%s\n", error.text);
    assert_null(shape);
    if (strstr(error.text, word) == NULL)
        fail_msg("'%s' does not mention '%s'", error.text, word);
}

static void test_refused(void** state)
{
    (void)state;
    SticMeshDef def = cube_def();
    int32_t face[24];
    SticVec3 vertex[8];
    memcpy(face, quads, sizeof face);
    memcpy(vertex, cube, sizeof vertex);
    def.face_vertex = face;
    def.vertex = vertex;
    def.face_count = 5;
    expect(&def, STIC_BAD_DATA, "open");
    def.face_count = 0;
    expect(&def, STIC_BAD_DATA, "at least");
    def.face_count = 6;
    face[3] = 9;
    expect(&def, STIC_BAD_DATA, "vertex 9");
    face[3] = -1;
    expect(&def, STIC_BAD_DATA, "vertex -1");
    face[3] = face[2];
    expect(&def, STIC_BAD_DATA, "degenerate");
    memcpy(face, quads, sizeof face);
    face[1] = quads[3], face[3] = quads[1];
    expect(&def, STIC_BAD_DATA, "same direction");
    for (int f = 0; f < 6; ++f)
        face[4 * f + 1] = quads[4 * f + 3], face[4 * f + 3] = quads[4 * f + 1];
    expect(&def, STIC_BAD_DATA, "inverted");
    // inside out is fine where no volume is asked for, but then there is no mass
    def.closed = false;
    SticShape* shape = make_mesh(&def);
    SticMassProperties mass;
    SticError error = {0};
    assert_true(shape->as.mesh.closed);
    assert_int_equal(stic_shape_mass(shape, 1.0, &mass, &error), STIC_BAD_DATA);
    print_message("%s\n", error.text);
    for (int32_t e = 0; e < shape->as.mesh.edge_count; ++e)
        assert_int_not_equal(shape->as.mesh.edge_form[e], STIC_EDGE_CONVEX);
    stic_shape_destroy(shape);
    vertex[4].z = (double)INFINITY;
    expect(&def, STIC_NOT_FINITE, "vertex 4");
    int32_t begin[2] = {0, 2};
    memcpy(vertex, cube, sizeof vertex);
    def.face_begin = begin;
    def.face_count = 1;
    expect(&def, STIC_BAD_DATA, "fewer than 3");
    begin[0] = 1, begin[1] = 4;
    expect(&def, STIC_BAD_DATA, "begin at 0");
    for (int i = 0; i < 5; ++i) {
        vertex[i] = stic_vec3(i % 3, 2.0 * (i % 3), 0.0);
        face[i] = i;
    }
    begin[0] = 0, begin[1] = 5;
    expect(&def, STIC_BAD_DATA, "no area");
}

// three triangles at one edge, a lone triangle, a degenerate one, an unused vertex
static void test_irregular(void** state)
{
    (void)state;
    const SticVec3 vertex[9] = {{0, 0, 0}, {9, 9, 9}, {1, 0, 0}, {0, 1, 0}, {0, -1, 0},
                                {0, 0, 1}, {5, 5, 5}, {5, 6, 5}, {6, 5, 5}};
    const int32_t face[15] = {0, 2, 3, 2, 0, 4, 0, 2, 5, 6, 7, 8, 0, 2, 2};
    SticMeshDef def = stic_mesh_default_def();
    def.vertex = vertex;
    def.vertex_count = 9;
    def.face_vertex = face;
    def.face_count = 5;
    def.drop_degenerate = true;
    SticShape* shape = make_mesh(&def);
    const SticMesh* mesh = &shape->as.mesh;
    check_topology(mesh);
    assert_int_equal(mesh->triangle_count, 4);
    assert_int_equal(mesh->vertex_count, 8);
    assert_int_equal(mesh->edge_count, 12);
    assert_false(mesh->closed);
    assert_false(shape->has_volume);
    test_equal(shape->bounds.high.x, 6.0);
    stic_shape_destroy(shape);

    // a surface keeps its numbers, so it refuses loose vertices
    const SticContext context = stic_context_default();
    SticError error = {0};
    assert_int_equal(stic_shape_create_surface(&context, &def, &shape, &error), STIC_BAD_DATA);
    assert_non_null(strstr(error.text, "vertex 1"));
}

// prisms over random star-shaped outlines: volume and moments of the outline by Green's theorem
static void test_polygons(void** state)
{
    (void)state;
    enum { MOST = 60 };
    SticVec3 vertex[2 * MOST];
    int32_t begin[MOST + 3], face[6 * MOST];
    SticRandom random = stic_random_create(41);
    double worst = 0.0;
    for (int trial = 0; trial < 200; ++trial) {
        const int n = 3 + (int)(stic_random_uniform(&random) * (MOST - 3));
        double R[9], area = 0.0, square = 0.0;
        test_random_rotation(&random, R);
        const SticMat3 turn = stic_mat3_load(R);
        double x[MOST + 1], y[MOST + 1];
        for (int i = 0; i < n; ++i) {
            const double r = stic_random_range(&random, 0.2, 1.0);
            x[i] = r * cos(2.0 * STIC_PI * i / n);
            y[i] = r * sin(2.0 * STIC_PI * i / n);
        }
        x[n] = x[0], y[n] = y[0];
        for (int i = 0; i < n; ++i) {
            const double cross = x[i] * y[i + 1] - x[i + 1] * y[i];
            area += cross / 2.0;
            square += cross / 12.0 *
                      (x[i] * x[i] + x[i] * x[i + 1] + x[i + 1] * x[i + 1] + y[i] * y[i] +
                       y[i] * y[i + 1] + y[i + 1] * y[i + 1]);
            vertex[i] = stic_mat3_mul_vec(turn, stic_vec3(x[i], y[i], 0.0));
            vertex[n + i] = stic_mat3_mul_vec(turn, stic_vec3(x[i], y[i], 2.0));
            face[i] = n - 1 - i;
            face[n + i] = n + i;
            const int side[4] = {i, (i + 1) % n, n + (i + 1) % n, n + i};
            memcpy(face + 2 * n + 4 * i, side, sizeof side);
            begin[2 + i] = 2 * n + 4 * i;
        }
        begin[0] = 0, begin[1] = n, begin[n + 2] = 6 * n;
        SticMeshDef def = stic_mesh_default_def();
        def.vertex = vertex;
        def.vertex_count = 2 * n;
        def.face_begin = begin;
        def.face_vertex = face;
        def.face_count = n + 2;
        def.closed = true;
        SticShape* shape = make_mesh(&def);
        check_topology(&shape->as.mesh);
        assert_int_equal(shape->as.mesh.triangle_count, 2 * (n - 2) + 2 * n);
        SticMassProperties mass;
        assert_int_equal(stic_shape_mass(shape, 1.0, &mass, NULL), STIC_OK);
        // polar moment about the axis of the prism through the origin
        const SticVec3 c = stic_mat3_transpose_mul_vec(turn, mass.centre);
        const SticMat3 J = stic_mat3_mul(stic_mat3_transpose_mul(turn, mass.inertia), turn);
        const double polar = J.m[2][2] + mass.mass * (c.x * c.x + c.y * c.y);
        worst = test_worse(worst, fmax(fabs(mass.mass / (2.0 * area) - 1.0),
                                       fmax(fabs(polar / (2.0 * square) - 1.0), fabs(c.z - 1.0))));
        stic_shape_destroy(shape);
    }
    print_message("prisms over stars: volume, centre and polar moment to %.1e\n", worst);
    test_less(worst, 1e-13);
}

/* ---- trees ---- */

static void test_tree(void** state)
{
    (void)state;
    enum { MOST = 3000 };
    static SticBounds box[MOST];
    static int32_t found[MOST];
    static SticTreeNode nodes[2 * MOST];
    const SticContext context = stic_context_default();
    SticRandom random = stic_random_create(21);
    SticShapeWork work = {.context = &context};
    assert_int_equal(stic_arena_create(&context, 0, &work.arena), STIC_OK);
    for (int32_t count = 1; count <= MOST; count = count * 3 + 1) {
        for (int32_t i = 0; i < count; ++i) {
            double x[6];
            test_random_vector(&random, 6, 0.0, 1.0, x);
            // many equal middles
            if (i % 3 == 0)
                x[0] = x[1] = x[2] = 0.5;
            box[i].low = stic_vec3(x[0] - 0.1 * x[3], x[1] - 0.1 * x[4], x[2] - 0.1 * x[5]);
            box[i].high = stic_vec3(x[0] + 0.1 * x[3], x[1] + 0.1 * x[4], x[2] + 0.1 * x[5]);
        }
        SticTree tree;
        assert_int_equal(stic_tree_build(&work, box, count, &tree), STIC_OK);
        test_at_most(tree.depth, 1 + (int)ceil(log2(count)));
        memcpy(nodes, tree.node, (size_t)tree.node_count * sizeof *nodes);
        for (int round = 0; round < 2; ++round) {
            for (int trial = 0; trial < 50; ++trial) {
                double x[6];
                test_random_vector(&random, 6, 0.0, 1.0, x);
                const SticBounds query = {
                    .low = stic_vec3(x[0] - 0.2 * x[3], x[1] - 0.2 * x[4], x[2] - 0.2 * x[5]),
                    .high = stic_vec3(x[0] + 0.2 * x[3], x[1] + 0.2 * x[4], x[2] + 0.2 * x[5])};
                const int32_t n = stic_tree_query(&tree, nodes, query, MOST, found);
                assert_int_equal(n, stic_tree_query(&tree, nodes, query, 0, NULL));
                // leaves hold several items: none may be missing, none twice
                static uint8_t seen[MOST];
                memset(seen, 0, sizeof seen);
                for (int32_t i = 0; i < n; ++i)
                    assert_int_equal(seen[found[i]]++, 0);
                for (int32_t i = 0; i < count; ++i)
                    assert_true(seen[i] || !stic_bounds_meet(box[i], query));
            }
            // move the items and fit the boxes again
            for (int32_t i = 0; i < count; ++i) {
                box[i].low.x = -box[i].low.x;
                box[i].high.x = box[i].low.x + 0.1;
            }
            stic_tree_refit(&tree, box, nodes);
        }
        stic_tree_release(&context, &tree);
    }
    stic_arena_destroy(work.arena);
}

/* ---- height fields ---- */

static void test_height_field(void** state)
{
    (void)state;
    enum { COLUMNS = 7, ROWS = 5 };
    double height[COLUMNS * ROWS];
    SticRandom random = stic_random_create(31);
    test_random_vector(&random, COLUMNS * ROWS, -1.0, 2.0, height);
    const SticContext context = stic_context_default();
    const SticHeightFieldDef def = {
        .height = height, .columns = COLUMNS, .rows = ROWS, .dx = 0.1, .dy = 0.3};
    SticShape* shape = NULL;
    SticError error = {0};
    assert_int_equal(stic_shape_create_height_field(&context, &def, &shape, &error), STIC_OK);
    const SticHeightField* field = &shape->as.field;
    // projected triangles are turned upwards and tile the grid
    double area = 0.0;
    for (int32_t t = 0; t < 2 * (COLUMNS - 1) * (ROWS - 1); ++t) {
        SticVec3 c[3];
        stic_height_field_triangle(field, t, c);
        const SticVec3 n = stic_vec3_cross(stic_vec3_sub(c[1], c[0]), stic_vec3_sub(c[2], c[0]));
        test_greater(n.z, 0.0);
        area += 0.5 * n.z;
        for (int i = 0; i < 3; ++i) {
            const int x = (int)rint(c[i].x / 0.1), y = (int)rint(c[i].y / 0.3);
            test_equal(c[i].z, height[y * COLUMNS + x]);
        }
    }
    test_less(fabs(area - 0.6 * 1.2), 1e-15);

    // cells against the test of every cell
    for (int trial = 0; trial < 2000; ++trial) {
        double x[4];
        test_random_vector(&random, 4, -0.3, 1.5, x);
        if (trial % 3 == 0)
            for (int i = 0; i < 4; ++i)
                x[i] = rint(x[i] * 10.0) * 0.1;
        const SticBounds box = {.low = stic_vec3(fmin(x[0], x[1]), fmin(x[2], x[3]), -9.0),
                                .high = stic_vec3(fmax(x[0], x[1]), fmax(x[2], x[3]), 9.0)};
        int32_t first[2], last[2];
        stic_height_field_cells(field, box, first, last);
        for (int j = 0; j < ROWS - 1; ++j)
            for (int i = 0; i < COLUMNS - 1; ++i) {
                const bool meets = i * 0.1 <= box.high.x && (i + 1) * 0.1 >= box.low.x &&
                                   j * 0.3 <= box.high.y && (j + 1) * 0.3 >= box.low.y;
                const bool got = i >= first[0] && i < last[0] && j >= first[1] && j < last[1];
                assert_int_equal(meets, got);
            }
    }
    const SticBounds above = {.low = stic_vec3(0, 0, 2.1), .high = stic_vec3(1, 1, 3)};
    int32_t first[2], last[2];
    stic_height_field_cells(field, above, first, last);
    assert_int_equal((last[0] - first[0]) * (last[1] - first[1]), 0);
    // boxes at infinity
    const SticBounds all = {.low = stic_vec3(-(double)INFINITY, -(double)INFINITY, 0),
                            .high = stic_vec3((double)INFINITY, (double)INFINITY, 1)};
    stic_height_field_cells(field, all, first, last);
    assert_int_equal(first[0] + first[1], 0);
    assert_int_equal(last[0], COLUMNS - 1);
    assert_int_equal(last[1], ROWS - 1);

    const SticVec3 top = stic_shape_support(shape, stic_vec3(0, 0, 1));
    test_equal(top.z, shape->bounds.high.z);
    const SticVec3 side = stic_shape_support(shape, stic_vec3(1, 0, 0));
    test_less(fabs(side.x - 0.6), 1e-15);
    stic_shape_destroy(shape);

    SticHeightFieldDef bad = def;
    bad.columns = 1;
    assert_int_equal(stic_shape_create_height_field(&context, &bad, &shape, &error),
                     STIC_BAD_ARGUMENT);
    bad = def;
    bad.dy = 0.0;
    assert_int_equal(stic_shape_create_height_field(&context, &bad, &shape, &error),
                     STIC_BAD_ARGUMENT);
    height[9] = (double)NAN;
    assert_int_equal(stic_shape_create_height_field(&context, &def, &shape, &error),
                     STIC_NOT_FINITE);
    print_message("%s\n", error.text);
    assert_non_null(strstr(error.text, "column 2, row 1"));
}

static SticStatus make_and_drop(const SticContext* context, void* self)
{
    (void)self;
    const SticMeshDef def = cube_def();
    SticShape* shape = NULL;
    STIC_TRY(stic_shape_create_mesh(context, &def, &shape, NULL));
    stic_shape_destroy(shape);
    const double height[4] = {0.0, 1.0, 2.0, 3.0};
    const SticHeightFieldDef field = {.height = height, .columns = 2, .rows = 2, .dx = 1, .dy = 1};
    STIC_TRY(stic_shape_create_height_field(context, &field, &shape, NULL));
    stic_shape_destroy(shape);
    return STIC_OK;
}

static void test_memory(void** state)
{
    (void)state;
    test_fail_every_allocation(make_and_drop, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cube),         cmocka_unit_test(test_torus),
        cmocka_unit_test(test_refused),      cmocka_unit_test(test_irregular),
        cmocka_unit_test(test_tree),         cmocka_unit_test(test_polygons),
        cmocka_unit_test(test_height_field), cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

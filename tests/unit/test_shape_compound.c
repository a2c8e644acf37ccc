// SPDX-License-Identifier: Apache-2.0
// Compounds: finite elements, unions of convex shapes, faces inside.
#include <math.h>
#include <string.h>

#include "file/mesh.h"
#include "helpers/helpers.h"
#include "math/math.h"
#include "shape/shape.h"

// nodes of the unit elements
static const SticVec3 tetra_node[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const SticVec3 pyramid_node[5] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0.5, 0.5, 1}};
static const SticVec3 wedge_node[6] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0},
                                       {0, 0, 1}, {1, 0, 1}, {0, 1, 1}};
static const SticVec3 hexa_node[8] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                      {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
static const int32_t counting[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};

static int32_t internal_faces(const SticPolyhedron* p)
{
    int32_t count = 0;
    for (int32_t f = 0; f < p->face_count; ++f)
        count += (p->face_flag[f] & STIC_FACE_INTERNAL) != 0;
    return count;
}

static SticMassProperties mass_of(const SticShape* shape)
{
    SticMassProperties mass;
    assert_int_equal(stic_shape_mass(shape, 1.0, &mass, NULL), STIC_OK);
    return mass;
}

static void test_each_kind(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    const SticVec3* node[4] = {tetra_node, pyramid_node, wedge_node, hexa_node};
    const double volume[4] = {1.0 / 6.0, 1.0 / 3.0, 0.5, 1.0};
    const int32_t faces[4] = {4, 5, 5, 6};
    for (uint8_t kind = 0; kind < 4; ++kind) {
        const int32_t nodes = stic_element_nodes((SticElementKind)kind);
        const int32_t begin[2] = {0, nodes};
        SticElementsDef def = stic_elements_default_def();
        def.node = node[kind];
        def.node_count = nodes;
        def.kind = &kind;
        def.element_begin = begin;
        def.element_node = counting;
        def.element_count = 1;
        SticShape* shape = NULL;
        SticError error = {0};
        if (stic_shape_create_elements(&context, &def, &shape, &error) != STIC_OK)
            fail_msg("%s", error.text);
        const SticPolyhedron* p = stic_shape_polyhedron(shape->as.compound.element[0].shape);
        assert_int_equal(p->face_count, faces[kind]);
        assert_int_equal(p->vertex_count - p->edge_count + p->face_count, 2);
        assert_int_equal(internal_faces(p), 0);
        test_less(fabs(mass_of(shape).volume / volume[kind] - 1.0), 1e-15 * 4);
        stic_shape_destroy(shape);
    }
    assert_int_equal(stic_element_nodes(STIC_ELEMENT_KIND_COUNT), 0);
}

enum { N = 4, NODES = (N + 1) * (N + 1) * (N + 1) };

static int32_t grid_node(int i, int j, int k)
{
    return (k * (N + 1) + j) * (N + 1) + i;
}

// a block of N^3 hexahedra, each cut into six tetrahedra along its long diagonal or left whole;
// every number follows from counting
static void test_block(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    static SticVec3 node[NODES];
    static uint8_t kind[6 * N * N * N];
    static int32_t begin[6 * N * N * N + 1], element[24 * N * N * N];
    // Kuhn's subdivision: one tetrahedron per order of the axes
    const int order[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    SticRandom random = stic_random_create(1);
    double R[9];
    test_random_rotation(&random, R);
    const SticMat3 turn = stic_mat3_load(R);
    for (int i = 0; i < NODES; ++i)
        node[i] =
            stic_vec3_add(stic_mat3_mul_vec(turn, stic_vec3(i % (N + 1), i / (N + 1) % (N + 1),
                                                            2.0 * (i / (N + 1) / (N + 1)))),
                          stic_vec3(1e6, 0, 0));
    for (int whole = 0; whole < 2; ++whole) {
        int32_t count = 0, at = 0;
        begin[0] = 0;
        for (int c = 0; c < N * N * N; ++c) {
            const int x[3] = {c % N, c / N % N, c / N / N};
            for (int t = 0; t < (whole ? 1 : 6); ++t) {
                int corner[8][3];
                const int steps = whole ? 8 : 4;
                for (int s = 0; s < steps; ++s)
                    for (int a = 0; a < 3; ++a)
                        corner[s][a] = x[a];
                if (whole) {
                    const int unit[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                            {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
                    for (int s = 0; s < 8; ++s)
                        for (int a = 0; a < 3; ++a)
                            corner[s][a] += unit[s][a];
                } else {
                    for (int s = 1; s < 4; ++s)
                        for (int u = 0; u < s; ++u)
                            corner[s][order[t][u]] += 1;
                    // odd orders of the axes turn the tetrahedron inside out
                    if (t >= 3)
                        for (int a = 0; a < 3; ++a) {
                            const int swap = corner[1][a];
                            corner[1][a] = corner[2][a];
                            corner[2][a] = swap;
                        }
                }
                kind[count] = whole ? STIC_ELEMENT_HEXAHEDRON : STIC_ELEMENT_TETRAHEDRON;
                for (int s = 0; s < steps; ++s)
                    element[at++] = grid_node(corner[s][0], corner[s][1], corner[s][2]);
                begin[++count] = at;
            }
        }
        SticElementsDef def = stic_elements_default_def();
        def.node = node;
        def.node_count = NODES;
        def.kind = kind;
        def.element_begin = begin;
        def.element_node = element;
        def.element_count = count;
        SticShape* shape = NULL;
        SticError error = {0};
        if (stic_shape_create_elements(&context, &def, &shape, &error) != STIC_OK)
            fail_msg("%s", error.text);
        const SticCompound* compound = &shape->as.compound;
        int32_t inner = 0, total = 0, surface = 0;
        for (int32_t e = 0; e < compound->count; ++e) {
            const SticPolyhedron* p = stic_shape_polyhedron(compound->element[e].shape);
            inner += internal_faces(p);
            total += p->face_count;
            surface += compound->element[e].surface;
            for (int32_t f = 0; f < p->face_count; ++f)
                if (p->face_neighbour[f] >= 0)
                    assert_true(stic_compound_adjacent(compound, e, p->face_neighbour[f]));
        }
        print_message("%d elements: %d of %d faces inside, %d elements at the surface\n", count,
                      inner, total, surface);
        assert_int_equal(total - inner, 6 * N * N * (whole ? 1 : 2));
        if (whole)
            assert_int_equal(surface, N * N * N - (N - 2) * (N - 2) * (N - 2));
        // far apart: no common node
        assert_false(stic_compound_adjacent(compound, 0, count - 1));

        const SticMassProperties mass = mass_of(shape);
        const double a = N, b = N, c = 2.0 * N, m = a * b * c;
        test_less(fabs(mass.mass / m - 1.0), 1e-9);
        const SticMat3 E = stic_mat3_mul_transpose(
            stic_mat3_mul(
                turn, stic_mat3_diag(stic_vec3(m / 12 * a * a, m / 12 * b * b, m / 12 * c * c))),
            turn);
        const double defect = stic_mat3_norm(stic_mat3_sub(mass.euler, E)) / stic_mat3_norm(E);
        print_message("  Euler tensor 1e6 away: off by %.1e\n", defect);
        test_less(defect, 1e-9);
        stic_shape_destroy(shape);
    }
}

static void expect(const SticElementsDef* def, SticStatus status, const char* word)
{
    const SticContext context = stic_context_default();
    SticShape* shape = NULL;
    SticError error = {0};
    assert_int_equal(stic_shape_create_elements(&context, def, &shape, &error), status);
    print_message("%s\n", error.text);
    assert_null(shape);
    if (strstr(error.text, word) == NULL)
        fail_msg("'%s' does not mention '%s'", error.text, word);
}

static void test_refused_elements(void** state)
{
    (void)state;
    SticVec3 node[8];
    memcpy(node, hexa_node, sizeof node);
    uint8_t kind[3] = {STIC_ELEMENT_TETRAHEDRON, STIC_ELEMENT_TETRAHEDRON,
                       STIC_ELEMENT_TETRAHEDRON};
    int32_t begin[4] = {0, 4, 8, 12};
    int32_t element[12] = {0, 1, 3, 4, 0, 3, 1, 7, 0, 1, 3, 5};
    SticElementsDef def = stic_elements_default_def();
    def.node = node;
    def.node_count = 8;
    def.kind = kind;
    def.element_begin = begin;
    def.element_node = element;
    def.element_count = 2;
    expect(&def, STIC_BAD_DATA, "element 1: the polyhedron is inverted");
    element[5] = 1, element[6] = 3;
    expect(&def, STIC_BAD_DATA, "same side");
    node[7].z = -1.0;
    element[5] = 3, element[6] = 1;
    def.element_count = 3;
    expect(&def, STIC_BAD_DATA, "more than two");
    def.element_count = 1;
    element[3] = 3;
    expect(&def, STIC_BAD_DATA, "twice");
    element[3] = 8;
    expect(&def, STIC_BAD_DATA, "node 8");
    kind[0] = 77;
    expect(&def, STIC_BAD_DATA, "kind 77");
    kind[0] = STIC_ELEMENT_HEXAHEDRON;
    expect(&def, STIC_BAD_DATA, "4 nodes instead of 8");
    def.element_count = 0;
    expect(&def, STIC_BAD_DATA, "too few");
    def.element_count = 1;
    begin[1] = 8;
    def.element_node = counting;
    node[7] = stic_vec3(0.0, 1.0, 1.2);
    expect(&def, STIC_BAD_DATA, "not plane");
    node[7] = stic_vec3(0.0, 1.0, 1.0);
    node[2].y = (double)NAN;
    expect(&def, STIC_NOT_FINITE, "node 2");
}

static SticShape* box_of(double x, double y, double z)
{
    const SticContext context = stic_context_default();
    SticShape* shape = NULL;
    assert_int_equal(stic_shape_create_box(&context, stic_vec3(x / 2, y / 2, z / 2), &shape, NULL),
                     STIC_OK);
    return shape;
}

static SticShape* compound_of(const SticShape* const* shape, const SticPose* pose, int32_t count)
{
    const SticContext context = stic_context_default();
    SticCompoundDef def = stic_compound_default_def();
    SticShape* made = NULL;
    SticError error = {0};
    def.shape = shape;
    def.pose = pose;
    def.count = count;
    if (stic_shape_create_compound(&context, &def, &made, &error) != STIC_OK)
        fail_msg("%s", error.text);
    return made;
}

static SticPose at(SticMat3 turn, double scale, double x, double y, double z)
{
    // the whole compound is turned, scaled and moved far away
    SticPose pose = stic_pose_rigid(
        turn, stic_vec3_add(stic_mat3_mul_vec(turn, stic_vec3_scale(scale, stic_vec3(x, y, z))),
                            stic_vec3_scale(scale, stic_vec3(1e4, -3e3, 0))));
    return pose;
}

static int32_t face_flags(const SticShape* compound, int32_t element)
{
    const SticPolyhedron* p = stic_shape_polyhedron(compound->as.compound.element[element].shape);
    int32_t bits = 0;
    for (int32_t f = 0; f < p->face_count; ++f)
        bits |= (p->face_flag[f] & STIC_FACE_INTERNAL ? 1 : 0) << f;
    return bits;
}

// two equal boxes side by side; a small one on a large one; a large one under two halves; a corner
// touch; in any size, place and direction. Faces -x +x -y +y -z +z are bits 1 2 4 8 16 32
static void test_touching_boxes(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(2);
    const double scales[4] = {1.0, 1e-3, 1e3, 7e5};
    for (int trial = 0; trial < 40; ++trial) {
        double R[9];
        test_random_rotation(&random, R);
        const SticMat3 turn = trial == 0 ? stic_mat3_identity() : stic_mat3_load(R);
        const double s = scales[trial % 4];
        SticShape *cube = box_of(s, s, s), *small = box_of(0.5 * s, 0.5 * s, 0.5 * s),
                  *half = box_of(0.5 * s, s, s);

        const SticShape* const equal[2] = {cube, cube};
        const SticPose beside[2] = {at(turn, s, 0, 0, 0), at(turn, s, 1, 0, 0)};
        SticShape* made = compound_of(equal, beside, 2);
        assert_int_equal(face_flags(made, 0), 2);
        assert_int_equal(face_flags(made, 1), 1);
        assert_true(stic_compound_adjacent(&made->as.compound, 0, 1));
        stic_shape_destroy(made);

        const SticShape* const stack[2] = {cube, small};
        const SticPose on_top[2] = {at(turn, s, 0, 0, 0), at(turn, s, 0.1, 0, 0.75)};
        made = compound_of(stack, on_top, 2);
        assert_int_equal(face_flags(made, 0), 0);
        assert_int_equal(face_flags(made, 1), 16);
        stic_shape_destroy(made);

        const SticShape* const three[3] = {cube, half, half};
        const SticPose halves[3] = {at(turn, s, 0, 0, 0), at(turn, s, -0.25, 0, 1),
                                    at(turn, s, 0.25, 0, 1)};
        made = compound_of(three, halves, 3);
        assert_int_equal(face_flags(made, 0), 32);
        assert_int_equal(face_flags(made, 1), 16 + 2);
        assert_int_equal(face_flags(made, 2), 16 + 1);
        stic_shape_destroy(made);

        // shifted by a part: covered only partly; corner to corner; a gap
        const double shifts[3][3] = {{1, 0.01, 0}, {1, 1, 1}, {1 + 1e-6, 0, 0}};
        for (int i = 0; i < 3; ++i) {
            const SticPose apart[2] = {at(turn, s, 0, 0, 0),
                                       at(turn, s, shifts[i][0], shifts[i][1], shifts[i][2])};
            made = compound_of(equal, apart, 2);
            assert_int_equal(face_flags(made, 0) | face_flags(made, 1), 0);
            stic_shape_destroy(made);
        }
        stic_shape_destroy(cube);
        stic_shape_destroy(small);
        stic_shape_destroy(half);
    }
}

// a wall of bricks as compound: everything inside is found by geometry, and the elements survive
// the destruction of what they were copied from
static void test_wall(void** state)
{
    (void)state;
    enum { SIDE = 5 };
    SticShape* brick = box_of(1.0, 0.5, 0.25);
    const SticShape* shape[SIDE * SIDE * SIDE];
    SticPose pose[SIDE * SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE * SIDE; ++i) {
        shape[i] = brick;
        pose[i] = stic_pose_rigid(stic_mat3_identity(), stic_vec3(i % SIDE, 0.5 * (i / SIDE % SIDE),
                                                                  0.25 * (i / SIDE / SIDE)));
    }
    SticShape* wall = compound_of(shape, pose, SIDE * SIDE * SIDE);
    stic_shape_destroy(brick);
    int32_t outer = 0, surface = 0;
    for (int32_t i = 0; i < wall->as.compound.count; ++i) {
        outer += 6 - internal_faces(stic_shape_polyhedron(wall->as.compound.element[i].shape));
        surface += wall->as.compound.element[i].surface;
    }
    assert_int_equal(outer, 6 * SIDE * SIDE);
    assert_int_equal(surface, SIDE * SIDE * SIDE - 27);
    const SticMassProperties mass = mass_of(wall);
    const double m = SIDE * 0.5 * SIDE * 0.25 * SIDE;
    test_less(fabs(mass.mass / m - 1.0), 1e-14);
    test_less(fabs(mass.inertia.m[0][0] / (m / 12 * SIDE * SIDE * (0.25 + 0.0625)) - 1.0), 1e-13);

    // a compound of compounds is taken apart
    const SticShape* const two[2] = {wall, wall};
    const SticPose place[2] = {stic_pose_identity(),
                               stic_pose_rigid(stic_mat3_identity(), stic_vec3(SIDE, 0, 0))};
    SticShape* row = compound_of(two, place, 2);
    assert_int_equal(row->as.compound.count, 2 * SIDE * SIDE * SIDE);
    outer = 0;
    for (int32_t i = 0; i < row->as.compound.count; ++i)
        outer += 6 - internal_faces(stic_shape_polyhedron(row->as.compound.element[i].shape));
    assert_int_equal(outer, 10 * SIDE * SIDE);
    stic_shape_destroy(row);
    stic_shape_destroy(wall);
}

// dumbbell: masses by Steiner's theorem; stretched elements
static void test_mixed(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticShape *ball = NULL, *rod = NULL;
    assert_int_equal(stic_shape_create_sphere(&context, 0.5, &ball, NULL), STIC_OK);
    assert_int_equal(stic_shape_create_cylinder(&context, 0.1, 1.0, &rod, NULL), STIC_OK);
    const SticShape* const part[3] = {ball, rod, ball};
    const SticPose pose[3] = {
        stic_pose_rigid(stic_mat3_identity(), stic_vec3(0, 0, -1.5)), stic_pose_identity(),
        stic_pose_affine(stic_mat3_diag(stic_vec3(1, 1, 2)), stic_vec3(0, 0, 2.0))};
    SticShape* made = compound_of(part, pose, 3);
    const double pi = 3.14159265358979323846;
    const double mb = pi / 6.0, mr = 0.02 * pi, me = 2.0 * mb;
    const SticMassProperties mass = mass_of(made);
    const double z = (-1.5 * mb + 2.0 * me) / (mb + mr + me);
    test_less(fabs(mass.mass / (mb + mr + me) - 1.0), 1e-15 * 4);
    test_less(fabs(mass.centre.z - z), 1e-15 * 4);
    const double across = 0.4 * mb * 0.25 + mb * (1.5 + z) * (1.5 + z) +
                          mr / 12.0 * (3 * 0.01 + 4.0) + mr * z * z + me / 5.0 * (0.25 + 1.0) +
                          me * (2.0 - z) * (2.0 - z);
    test_less(fabs(mass.inertia.m[0][0] / across - 1.0), 1e-14);
    test_less(fabs(made->bounds.high.z - 3.0), 1e-15);
    test_less(fabs(made->bounds.low.z + 2.0), 1e-15);
    stic_shape_destroy(made);

    // refused: what is not convex, poses that are none
    SticCompoundDef def = stic_compound_default_def();
    SticShape* ground = NULL;
    SticError error = {0};
    assert_int_equal(stic_shape_create_half_space(&context, stic_vec3(0, 0, 1), 0.0, &ground, NULL),
                     STIC_OK);
    const SticShape* const wrong[1] = {ground};
    SticPose bad[1] = {stic_pose_identity()};
    def.shape = wrong;
    def.pose = bad;
    def.count = 1;
    assert_int_equal(stic_shape_create_compound(&context, &def, &made, &error), STIC_UNSUPPORTED);
    print_message("%s\n", error.text);
    def.shape = part;
    bad[0].F.m[0][0] = -1.0;
    assert_int_equal(stic_shape_create_compound(&context, &def, &made, &error), STIC_BAD_ARGUMENT);
    print_message("%s\n", error.text);
    bad[0].F.m[0][0] = 2.0;
    assert_int_equal(stic_shape_create_compound(&context, &def, &made, &error), STIC_BAD_ARGUMENT);
    print_message("%s\n", error.text);
    bad[0].origin.x = (double)NAN;
    assert_int_equal(stic_shape_create_compound(&context, &def, &made, &error), STIC_NOT_FINITE);
    def.count = 0;
    assert_int_equal(stic_shape_create_compound(&context, &def, &made, &error), STIC_BAD_DATA);
    assert_null(made);
    stic_shape_destroy(ball);
    stic_shape_destroy(rod);
    stic_shape_destroy(ground);
}

static SticStatus make_and_drop(const SticContext* context, void* self)
{
    const uint8_t kind[2] = {STIC_ELEMENT_HEXAHEDRON, STIC_ELEMENT_HEXAHEDRON};
    const int32_t begin[3] = {0, 8, 16};
    const int32_t element[16] = {0, 1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 7, 8, 9, 10, 11};
    SticVec3 node[12];
    for (int i = 0; i < 12; ++i) {
        node[i] = hexa_node[i % 4];
        node[i].z = i / 4;
    }
    SticElementsDef def = stic_elements_default_def();
    SticShape *first = NULL, *second = NULL;
    SticError error = {0};
    (void)self;
    def.node = node;
    def.node_count = 12;
    def.kind = kind;
    def.element_begin = begin;
    def.element_node = element;
    def.element_count = 2;
    STIC_TRY(stic_shape_create_elements(context, &def, &first, &error));
    SticCompoundDef compound = stic_compound_default_def();
    const SticShape* const part[1] = {first};
    const SticPose pose[1] = {stic_pose_identity()};
    compound.shape = part;
    compound.pose = pose;
    compound.count = 1;
    const SticStatus status = stic_shape_create_compound(context, &compound, &second, &error);
    assert_int_equal(error.status, status);
    stic_shape_destroy(first);
    stic_shape_destroy(second);
    return status;
}

static void test_memory(void** state)
{
    (void)state;
    test_fail_every_allocation(make_and_drop, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_kind),
        cmocka_unit_test(test_block),
        cmocka_unit_test(test_refused_elements),
        cmocka_unit_test(test_touching_boxes),
        cmocka_unit_test(test_wall),
        cmocka_unit_test(test_mixed),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

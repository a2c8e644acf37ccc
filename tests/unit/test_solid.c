// SPDX-License-Identifier: Apache-2.0
// Materials and cells of solids: derivatives against differences, rotations, shape functions that
// reproduce polynomials, patch test, masses, surfaces, what is refused.
#include "helpers/helpers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stiction/extend/math.h"
#include "stiction/extend/solid.h"
#include "stiction/extend/vec3.h"
#include "system/solid/solid.h"

static SticMat3 random_matrix(SticRandom* random, double size)
{
    SticMat3 D;
    for (int k = 0; k < 9; ++k)
        D.m[k / 3][k % 3] = stic_random_range(random, -size, size);
    return D;
}

/* ---- materials ---- */

static void material_derivatives(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(1);
    for (int kind = 0; kind < STIC_SOLID_MATERIAL_COUNT; ++kind) {
        const SticSolidMaterial material = {(SticSolidMaterialKind)kind, 1.0, 0.3, 1.0};
        double worst[2] = {0.0, 0.0};
        for (int trial = 0; trial < 50; ++trial) {
            const SticMat3 D = random_matrix(&random, 0.2);
            const double h = 1e-5;
            double psi, P[9], K[81];
            assert_int_equal(stic_solid_material_energy(&material, D, &psi, P, K), STIC_OK);
            for (int c = 0; c < 9; ++c) {
                double value[2], slope[2][9];
                for (int side = 0; side < 2; ++side) {
                    SticMat3 moved = D;
                    moved.m[c / 3][c % 3] += side == 0 ? -h : h;
                    assert_int_equal(stic_solid_material_energy(&material, moved, &value[side],
                                                                slope[side], NULL),
                                     STIC_OK);
                }
                worst[0] = fmax(worst[0], fabs((value[1] - value[0]) / (2.0 * h) - P[c]));
                for (int r = 0; r < 9; ++r)
                    worst[1] = fmax(worst[1],
                                    fabs((slope[1][r] - slope[0][r]) / (2.0 * h) - K[9 * r + c]));
            }
        }
        printf("%-10s stress off by %.1e, tangent by %.1e of E\n",
               stic_solid_material_name(material.kind), worst[0], worst[1]);
        // differences of second order: h^2 times third derivatives of about 10
        test_less(worst[0], 1e-8);
        test_less(worst[1], 1e-8);
    }
}

// all agree with Hooke's law for small strains, and all but the linear one ignore rotations
static void material_limits(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(2);
    const SticSolidMaterial hooke = {STIC_SOLID_LINEAR, 210e9, 0.28, 1.0};
    for (int kind = 1; kind < STIC_SOLID_MATERIAL_COUNT; ++kind) {
        SticSolidMaterial material = hooke;
        material.kind = (SticSolidMaterialKind)kind;
        double worst = 0.0, turned = 0.0, small = 0.0, full[2], P[2][9];
        for (int trial = 0; trial < 20; ++trial) {
            const SticMat3 D = random_matrix(&random, 1e-7);
            assert_int_equal(stic_solid_material_energy(&material, D, &full[0], P[0], NULL),
                             STIC_OK);
            assert_int_equal(stic_solid_material_energy(&hooke, D, &full[1], P[1], NULL), STIC_OK);
            for (int k = 0; k < 9; ++k)
                worst = fmax(worst, fabs(P[0][k] - P[1][k]) / (hooke.young * 1e-7));
            // psi(Q F) = psi(F)
            const SticMat3 F = stic_mat3_add(stic_mat3_identity(), random_matrix(&random, 0.2));
            const SticQuat turn = stic_quat_normalize((SticQuat){0.5, 0.3, -0.7, 0.2});
            const SticMat3 QF = stic_mat3_mul(stic_quat_to_matrix(turn), F);
            assert_int_equal(stic_solid_material_energy(&material,
                                                        stic_mat3_sub(F, stic_mat3_identity()),
                                                        &full[0], NULL, NULL),
                             STIC_OK);
            assert_int_equal(stic_solid_material_energy(&material,
                                                        stic_mat3_sub(QF, stic_mat3_identity()),
                                                        &full[1], NULL, NULL),
                             STIC_OK);
            turned = fmax(turned, fabs(full[1] - full[0]) / full[0]);
            // a small strain e of a body that has turned has the energy of Hooke's law
            const SticMat3 e = stic_mat3_symmetric(random_matrix(&random, 1e-7));
            const SticMat3 Q = stic_quat_to_matrix(turn);
            const SticMat3 moved =
                stic_mat3_add(stic_mat3_sub(Q, stic_mat3_identity()), stic_mat3_mul(Q, e));
            assert_int_equal(stic_solid_material_energy(&material, moved, &full[0], NULL, NULL),
                             STIC_OK);
            assert_int_equal(stic_solid_material_energy(&hooke, e, &full[1], NULL, NULL), STIC_OK);
            small = fmax(small, fabs(full[0] - full[1]) / full[1]);
        }
        printf("%-10s small strains off by %.1e, energy after a rotation by %.1e, of small strains "
               "in it by %.1e\n",
               stic_solid_material_name(material.kind), worst, turned, small);
        // the strain of D is rounded by 1e-16, and its energy has terms of third order
        test_less(small, 1e-6);
        // terms of second order are 1e-7 of those of first order; F - R knows 1e-16/1e-7
        test_less(worst, 5e-7);
        test_less(turned, 1e-12);
    }
    double psi;
    const SticSolidMaterial rubber = {STIC_SOLID_NEO_HOOKE, 1e6, 0.45, 1.0};
    const SticMat3 inside_out = stic_mat3_diag(stic_vec3(-2.5, 0.0, 0.0));
    assert_int_equal(stic_solid_material_energy(&rubber, inside_out, &psi, NULL, NULL),
                     STIC_SINGULAR);
}

/* ---- cells ---- */

// sum of N is 1, slopes are those of differences, linear cells reproduce linear functions of the
// place, quadratic ones x y and x^2
static void shape_functions(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(3);
    for (int k = 0; k < STIC_SOLID_CELL_COUNT; ++k) {
        const SticSolidCell kind = (SticSolidCell)k;
        const int32_t nodes = stic_solid_cell_nodes(kind);
        double N[20], dN[20][3], other[2][20], scratch[20][3], worst[3] = {0.0, 0.0, 0.0};
        // places of the nodes in the cell's own coordinates: where one function is 1
        double own[20][3] = {{0.0}};
        const SticSolidTopology* topology = stic_solid_cell_topology(kind);
        const bool tet = topology->corners == 4;
        static const double cube[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                          {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
        for (int a = 0; a < topology->corners; ++a)
            for (int c = 0; c < 3; ++c)
                own[a][c] = tet ? (a == c + 1 ? 1.0 : 0.0) : cube[a][c];
        for (int e = 0; e < nodes - topology->corners; ++e)
            for (int c = 0; c < 3; ++c)
                own[topology->corners + e][c] =
                    0.5 * (own[topology->edge[e][0]][c] + own[topology->edge[e][1]][c]);
        for (int trial = 0; trial < 20; ++trial) {
            double x[3];
            for (int c = 0; c < 3; ++c)
                x[c] = stic_random_range(&random, 0.0, 0.3);
            stic_solid_cell_shape(kind, x, N, dN);
            double sum = 0.0, line = 0.0, square = 0.0;
            for (int a = 0; a < nodes; ++a) {
                sum += N[a];
                line += N[a] * (own[a][0] - 2.0 * own[a][1] + 3.0 * own[a][2]);
                square += N[a] * (own[a][0] * own[a][1] + own[a][2] * own[a][2]);
            }
            worst[0] = fmax(worst[0], fabs(sum - 1.0));
            worst[0] = fmax(worst[0], fabs(line - (x[0] - 2.0 * x[1] + 3.0 * x[2])));
            if (stic_solid_cell_is_quadratic(kind))
                worst[1] = fmax(worst[1], fabs(square - x[0] * x[1] - x[2] * x[2]));
            for (int c = 0; c < 3; ++c) {
                const double h = 1e-5, at = x[c];
                for (int side = 0; side < 2; ++side) {
                    x[c] = at + (side == 0 ? -h : h);
                    stic_solid_cell_shape(kind, x, other[side], scratch);
                }
                x[c] = at;
                for (int a = 0; a < nodes; ++a)
                    worst[2] =
                        fmax(worst[2], fabs((other[1][a] - other[0][a]) / (2.0 * h) - dN[a][c]));
            }
        }
        printf("%-6s linear %.1e, quadratic %.1e, slopes %.1e\n", stic_solid_cell_name(kind),
               worst[0], worst[1], worst[2]);
        test_less(worst[0], 1e-14);
        test_less(worst[1], 1e-14);
        test_less(worst[2], 1e-9);
    }
}

static SticSolidMesh take_box(SticSolidCell kind, int32_t parts, SticVec3 size)
{
    const SticContext context = stic_context_default();
    const SticSolidBox box = {.high = size, .count = {parts, parts, parts}, .kind = kind};
    SticSolidMesh mesh;
    SticError error;
    assert_int_equal(stic_solid_box(&context, &box, &mesh, &error), STIC_OK);
    return mesh;
}

// masses and areas of boxes, which are affine
static void masses_and_areas(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    for (int k = 0; k < STIC_SOLID_CELL_COUNT; ++k) {
        SticError error;
        SticSolidMesh mesh = take_box((SticSolidCell)k, 3, stic_vec3(2.0, 1.0, 0.5));
        const SticSolidDef def = {
            .name = "box", .mesh = &mesh, .material = {STIC_SOLID_LINEAR, 1e9, 0.2, 2500.0}};
        SticSystem* system = NULL;
        assert_int_equal(stic_solid_create(&context, &def, &system, &error), STIC_OK);
        double sum = 0.0, least = INFINITY, *area = NULL, side = 0.0;
        for (int32_t i = 0; i < mesh.nodes; ++i) {
            sum += stic_solid_mass(system, i);
            least = fmin(least, stic_solid_mass(system, i));
        }
        assert_int_equal(STIC_ALLOCATE(&context, &area, (size_t)mesh.nodes), STIC_OK);
        assert_int_equal(stic_solid_areas(&mesh, stic_vec3(1.0, 0.0, 0.0), 2.0, area, &error),
                         STIC_OK);
        SticVec3 first = stic_vec3_zero();
        for (int32_t i = 0; i < mesh.nodes; ++i) {
            side += area[i];
            first = stic_vec3_add_scaled(first, area[i], mesh.node[i]);
            if (mesh.node[i].x < 1.99)
                test_equal(area[i], 0.0);
        }
        printf("%-6s %4d nodes, %3d cells: mass %.12g kg (least %.3g), side %.12g m2, centre "
               "(%.6g %.6g %.6g), stable step %.3g s\n",
               stic_solid_cell_name(mesh.kind), mesh.nodes, mesh.cells, sum, least, side,
               first.x / side, first.y / side, first.z / side, system->step_limit);
        test_near(sum, 2500.0, 1e-10 * 2500.0);
        test_greater(least, 0.0);
        test_near(side, 0.5, 1e-13);
        test_near(first.y / side, 0.5, 1e-13);
        test_near(first.z / side, 0.25, 1e-13);
        STIC_RELEASE(&context, area, (size_t)mesh.nodes);
        stic_solid_destroy(system);
        stic_solid_mesh_release(&mesh);
    }
}

/* ---- patch test ---- */

// inner nodes of a box moved at random, so that no cell is like another
static void distort(SticSolidMesh* mesh, double size)
{
    SticRandom random = stic_random_create(5);
    const int32_t each = stic_solid_cell_nodes(mesh->kind);
    const SticSolidTopology* topology = stic_solid_cell_topology(mesh->kind);
    const double limit = 1e-9;
    for (int32_t i = 0; i < mesh->nodes; ++i) {
        SticVec3* x = &mesh->node[i];
        const SticVec3 move = {stic_random_range(&random, -size, size),
                               stic_random_range(&random, -size, size),
                               stic_random_range(&random, -size, size)};
        const bool inner = x->x > limit && x->x < 1.0 - limit && x->y > limit &&
                           x->y < 1.0 - limit && x->z > limit && x->z < 1.0 - limit;
        if (inner)
            *x = stic_vec3_add(*x, move);
    }
    // edges stay straight
    for (int32_t k = 0; k < mesh->cells; ++k)
        for (int32_t e = 0; e < each - topology->corners; ++e) {
            const int32_t* cell = mesh->cell + k * each;
            mesh->node[cell[topology->corners + e]] =
                stic_vec3_lerp(mesh->node[cell[topology->edge[e][0]]],
                               mesh->node[cell[topology->edge[e][1]]], 0.5);
        }
}

// with all nodes moved by D x, inner forces vanish at inner nodes and every cell has the stress of D
static void patch(SticSolidCell kind, SticSolidMaterialKind material, SticMat3 D)
{
    const SticContext context = stic_context_default();
    SticSolidMesh mesh = take_box(kind, 3, stic_vec3(1.0, 1.0, 1.0));
    distort(&mesh, 0.06);
    const SticSolidDef def = {
        .name = "patch", .mesh = &mesh, .material = {material, 200e9, 0.3, 7800.0}};
    SticSystem* system = NULL;
    SticState* at = NULL;
    SticError error;
    assert_int_equal(stic_solid_create(&context, &def, &system, &error), STIC_OK);
    assert_int_equal(stic_state_create(&context, &system->layout, &at), STIC_OK);
    for (int32_t i = 0; i < mesh.nodes; ++i) {
        const SticVec3 d = stic_mat3_mul_vec(D, mesh.node[i]);
        for (int axis = 0; axis < 3; ++axis)
            at->q[stic_solid_coordinate(system, i, axis)] = stic_vec3_get(d, axis);
    }
    double psi, P[9], worst = 0.0, inner = 0.0;
    assert_int_equal(stic_solid_material_energy(&def.material, D, &psi, P, NULL), STIC_OK);
    const SticMat3 F = stic_mat3_add(stic_mat3_identity(), D);
    const SticMat3 expected = material == STIC_SOLID_LINEAR
                                  ? stic_mat3_load(P)
                                  : stic_mat3_scale(1.0 / stic_mat3_det(F),
                                                    stic_mat3_mul_transpose(stic_mat3_load(P), F));
    const double size = stic_mat3_norm(expected);
    for (int32_t cell = 0; cell < mesh.cells; ++cell) {
        SticMat3 stress;
        assert_int_equal(stic_solid_stress(system, at, cell, &stress), STIC_OK);
        worst = fmax(worst, stic_mat3_norm(stic_mat3_sub(stress, expected)) / size);
    }
    for (int32_t i = 0; i < mesh.nodes; ++i) {
        const SticVec3 x = mesh.node[i];
        if (x.x < 1e-9 || x.x > 1 - 1e-9 || x.y < 1e-9 || x.y > 1 - 1e-9 || x.z < 1e-9 ||
            x.z > 1 - 1e-9)
            continue;
        SticVec3 force;
        assert_int_equal(stic_solid_inner_force(system, at, i, &force), STIC_OK);
        inner = fmax(inner, stic_vec3_norm(force) / (size / 9.0));
    }
    printf("%-6s %-10s stress off by %.1e, forces of inner nodes %.1e\n",
           stic_solid_cell_name(kind), stic_solid_material_name(material), worst, inner);
    test_less(worst, 1e-12);
    test_less(inner, 1e-12);
    stic_state_destroy(at, &system->layout);
    stic_solid_destroy(system);
    stic_solid_mesh_release(&mesh);
}

static void patch_tests(void** state)
{
    (void)state;
    SticRandom random = stic_random_create(7);
    const SticMat3 D = random_matrix(&random, 0.1);
    for (int kind = 0; kind < STIC_SOLID_CELL_COUNT; ++kind)
        for (int material = 0; material < STIC_SOLID_MATERIAL_COUNT; ++material)
            patch((SticSolidCell)kind, (SticSolidMaterialKind)material, D);
}

/* ---- files and refusals ---- */

static void from_gmsh(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticMeshData data;
    SticSolidMesh mesh;
    SticError error;
    const char* const folder = STIC_SOURCE_DIR "/tests/data/";
    char path[TEST_PATH_SIZE];
    // elements of several kinds are refused
    snprintf(path, sizeof path, "%scube_4.1.msh", folder);
    assert_int_equal(stic_mesh_data_read(&context, path, &data, &error), STIC_OK);
    assert_int_equal(stic_solid_mesh_from(&context, &data, false, &mesh, &error), STIC_UNSUPPORTED);
    assert_non_null(strstr(error.text, "tetrahedra alone"));
    stic_mesh_data_release(&data);
    // a cube of six, with a node that none of them has
    snprintf(path, sizeof path, "%stetrahedra_2.2.msh", folder);
    assert_int_equal(stic_mesh_data_read(&context, path, &data, &error), STIC_OK);
    for (int quadratic = 0; quadratic < 2; ++quadratic) {
        assert_int_equal(stic_solid_mesh_from(&context, &data, quadratic == 1, &mesh, &error),
                         STIC_OK);
        const SticSolidDef def = {
            .name = "cube", .mesh = &mesh, .material = {STIC_SOLID_LINEAR, 1e9, 0.2, 1.0}};
        SticSystem* system = NULL;
        assert_int_equal(stic_solid_create(&context, &def, &system, &error), STIC_OK);
        double sum = 0.0;
        for (int32_t i = 0; i < mesh.nodes; ++i)
            sum += stic_solid_mass(system, i);
        printf("Gmsh cube as %s: %d nodes, %d cells, volume %.15g\n",
               stic_solid_cell_name(mesh.kind), mesh.nodes, mesh.cells, sum);
        assert_int_equal(mesh.nodes, quadratic == 1 ? 27 : 8);
        test_near(sum, 1.0, 1e-13);
        stic_solid_destroy(system);
        stic_solid_mesh_release(&mesh);
    }
    stic_mesh_data_release(&data);
}

static void refused(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticError error;
    SticSystem* system = NULL;
    SticSolidMesh mesh = take_box(STIC_SOLID_HEX8, 1, stic_vec3(1.0, 1.0, 1.0));
    SticSolidDef def = {
        .name = "box", .mesh = &mesh, .material = {STIC_SOLID_LINEAR, 1e9, 0.5, 1.0}};
    assert_int_equal(stic_solid_create(&context, &def, &system, &error), STIC_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "Poisson's number 0.5"));
    def.material.poisson = 0.3;
    const SticSolidForce force = {8, {1.0, 0.0, 0.0}};
    def.force = &force;
    def.forces = 1;
    assert_int_equal(stic_solid_create(&context, &def, &system, &error), STIC_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "force 0 is at a node"));
    def.forces = 0;
    const SticVec3 corner = mesh.node[0];
    mesh.node[0] = mesh.node[1];
    mesh.node[1] = corner;
    assert_int_equal(stic_solid_create(&context, &def, &system, &error), STIC_BAD_DATA);
    assert_non_null(strstr(error.text, "cell 0 is flat or turned inside out"));
    stic_solid_mesh_release(&mesh);
    // corners of their faces carry the opposite of a uniform pressure
    mesh = take_box(STIC_SOLID_HEX20, 1, stic_vec3(1.0, 1.0, 1.0));
    const SticSolidObstacle floor = {.normal = {0.0, 0.0, 1.0}};
    def.obstacle = &floor;
    def.obstacles = 1;
    assert_int_equal(stic_solid_create(&context, &def, &system, &error), STIC_UNSUPPORTED);
    assert_non_null(strstr(error.text, "tet10"));
    stic_solid_mesh_release(&mesh);
    const SticSolidBox flat = {.high = {1.0, 0.0, 1.0}, .count = {1, 1, 1}};
    assert_int_equal(stic_solid_box(&context, &flat, &mesh, &error), STIC_BAD_ARGUMENT);
}

// every allocation fails in turn: nothing is lost, nothing crashes
static SticStatus build_and_release(const SticContext* context, void* self)
{
    (void)self;
    SticError error;
    SticSystem* system = NULL;
    SticSolidMesh mesh;
    const SticSolidBox box = {
        .high = {1.0, 1.0, 1.0}, .count = {2, 1, 1}, .kind = STIC_SOLID_TET10};
    STIC_TRY(stic_solid_box(context, &box, &mesh, &error));
    const SticSolidSupport support = {0, STIC_SOLID_X, {0.0, 0.0, 0.0}};
    const SticSolidObstacle floor = {.normal = {0.0, 0.0, 1.0}, .friction = 0.3};
    const SticSolidDef def = {.name = "box",
                              .mesh = &mesh,
                              .material = {STIC_SOLID_NEO_HOOKE, 1e9, 0.2, 1.0},
                              .gravity = {0.0, 0.0, -9.81},
                              .support = &support,
                              .supports = 1,
                              .obstacle = &floor,
                              .obstacles = 1};
    const SticStatus status = stic_solid_create(context, &def, &system, &error);
    stic_solid_destroy(system);
    stic_solid_mesh_release(&mesh);
    return status;
}

static void memory_fails(void** state)
{
    (void)state;
    test_fail_every_allocation(build_and_release, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(material_derivatives),
        cmocka_unit_test(material_limits),
        cmocka_unit_test(shape_functions),
        cmocka_unit_test(masses_and_areas),
        cmocka_unit_test(patch_tests),
        cmocka_unit_test(from_gmsh),
        cmocka_unit_test(refused),
        cmocka_unit_test(memory_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// Mesh files: reading, writing back, what is refused and where, memory.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "file/mesh.h"
#include "helpers/helpers.h"
#include "shape/private.h"
#include "stiction/extend/vec3.h"

static void read_data(const char* name, SticMeshData* mesh)
{
    char path[TEST_PATH_SIZE];
    const SticContext context = stic_context_default();
    SticError error = {0};
    snprintf(path, sizeof path, "%s/tests/data/%s", STIC_SOURCE_DIR, name);
    if (stic_mesh_data_read(&context, path, mesh, &error) != STIC_OK)
        fail_msg("%s:%d:%d: %s", error.file, error.line, error.column, error.text);
}

static void assert_same(const SticMeshData* a, const SticMeshData* b)
{
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_int_equal(a->face_count, b->face_count);
    assert_int_equal(a->element_count, b->element_count);
    for (int32_t v = 0; v < a->vertex_count; ++v)
        if (!stic_vec3_is_equal(a->vertex[v], b->vertex[v]))
            fail_msg("vertex %d: (%a, %a, %a) and (%a, %a, %a)", v, a->vertex[v].x, a->vertex[v].y,
                     a->vertex[v].z, b->vertex[v].x, b->vertex[v].y, b->vertex[v].z);
    for (int32_t f = 0; f <= a->face_count; ++f)
        assert_int_equal(a->face_begin[f], b->face_begin[f]);
    for (int32_t k = 0; k < a->face_begin[a->face_count]; ++k)
        assert_int_equal(a->face_vertex[k], b->face_vertex[k]);
    for (int32_t e = 0; e <= a->element_count; ++e)
        assert_int_equal(a->element_begin[e], b->element_begin[e]);
    for (int32_t k = 0; k < a->element_begin[a->element_count]; ++k)
        assert_int_equal(a->element_node[k], b->element_node[k]);
    for (int32_t e = 0; e < a->element_count; ++e) {
        assert_int_equal(a->element_kind[e], b->element_kind[e]);
        assert_int_equal(a->element_tag[e], b->element_tag[e]);
    }
}

static void test_gmsh(void** state)
{
    (void)state;
    const char* const names[3] = {"cube_2.2.msh", "cube_4.0.msh", "cube_4.1.msh"};
    const uint8_t kinds[4] = {STIC_ELEMENT_HEXAHEDRON, STIC_ELEMENT_PYRAMID, STIC_ELEMENT_WEDGE,
                              STIC_ELEMENT_TETRAHEDRON};
    SticMeshData first = {0};
    for (int i = 0; i < 3; ++i) {
        SticMeshData mesh;
        read_data(names[i], &mesh);
        assert_int_equal(mesh.vertex_count, 12);
        assert_int_equal(mesh.face_count, 2);
        assert_int_equal(mesh.element_count, 4);
        assert_memory_equal(mesh.element_kind, kinds, sizeof kinds);
        assert_int_equal(mesh.face_tag[0], 7);
        assert_int_equal(mesh.face_tag[1], 0);
        assert_int_equal(mesh.element_tag[0], 9);
        assert_int_equal(mesh.element_tag[2], 9);
        assert_int_equal(mesh.element_tag[3], 0);
        assert_true(stic_vec3_is_equal(mesh.vertex[11], stic_vec3(2, 0.5, 0.5)));
        if (i == 0)
            first = mesh;
        else {
            assert_same(&first, &mesh);
            stic_mesh_data_release(&mesh);
        }
    }
    // hexahedron 1, pyramid 1/3, wedge 1/2; the tetrahedron overlaps the rest but has a volume too
    SticElementsDef def = stic_elements_def_from(&first);
    const SticContext context = stic_context_default();
    SticShape* shape = NULL;
    SticError error = {0};
    SticMassProperties mass;
    def.element_count = 3;
    if (stic_shape_create_elements(&context, &def, &shape, &error) != STIC_OK)
        fail_msg("%s", error.text);
    assert_int_equal(stic_shape_mass(shape, 1.0, &mass, NULL), STIC_OK);
    test_less(fabs(mass.mass - (1.0 + 1.0 / 3.0 + 0.5)), 1e-15 * 8);
    stic_shape_destroy(shape);
    stic_mesh_data_release(&first);
}

static double volume_of(const SticMeshData* mesh)
{
    const SticContext context = stic_context_default();
    SticMeshDef def = stic_mesh_def_from(mesh);
    SticShape* shape = NULL;
    SticError error = {0};
    SticMassProperties mass;
    def.closed = true;
    if (stic_shape_create_mesh(&context, &def, &shape, &error) != STIC_OK)
        fail_msg("%s", error.text);
    assert_int_equal(stic_shape_mass(shape, 1.0, &mass, NULL), STIC_OK);
    stic_shape_destroy(shape);
    return mass.mass;
}

static void test_obj(void** state)
{
    (void)state;
    SticMeshData mesh;
    read_data("house.obj", &mesh);
    assert_int_equal(mesh.vertex_count, 10);
    assert_int_equal(mesh.face_count, 7);
    assert_int_equal(mesh.face_begin[7], 2 * 5 + 5 * 4);
    assert_int_equal(mesh.face_vertex[5], 9);
    assert_int_equal(mesh.face_tag[0], 2);
    assert_int_equal(mesh.face_tag[6], 4);
    assert_true(stic_vec3_is_equal(mesh.vertex[8], stic_vec3(1, 3, 2)));
    test_less(fabs(volume_of(&mesh) - 3.0 * (2.0 + 1.0)), 1e-14);

    // the same data are a convex polyhedron too
    const SticContext context = stic_context_default();
    const SticPolyhedronDef def = stic_polyhedron_def_from(&mesh);
    SticShape* shape = NULL;
    SticError error = {0};
    if (stic_shape_create_polyhedron(&context, &def, &shape, &error) != STIC_OK)
        fail_msg("%s", error.text);
    stic_shape_destroy(shape);
    stic_mesh_data_release(&mesh);
}

static void test_stl(void** state)
{
    (void)state;
    SticMeshData text, binary;
    read_data("tetra.stl", &text);
    read_data("tetra_binary.stl", &binary);
    assert_same(&text, &binary);
    assert_int_equal(text.vertex_count, 4);
    assert_int_equal(text.face_count, 4);
    assert_int_equal(text.face_tag[1], 0);
    assert_int_equal(text.face_tag[2], 1);
    test_less(fabs(volume_of(&text) - 1.0 / 6.0), 1e-15);
    stic_mesh_data_release(&text);
    stic_mesh_data_release(&binary);
}

// random mesh with every kind; coordinates with all bits, or single precision for binary STL
static void random_mesh(SticRandom* random, SticMeshFormat format, SticMeshData* mesh)
{
    const SticContext context = stic_context_default();
    enum { VERTICES = 50 };
    assert_int_equal(stic_mesh_data_begin(&context, mesh), STIC_OK);
    for (int v = 0; v < VERTICES; ++v) {
        double x[3], power[3];
        test_random_vector(random, 3, -1.0, 1.0, x);
        test_random_vector(random, 3, -300.0, 300.0, power);
        for (int i = 0; i < 3; ++i) {
            // volatile: gcc 12.2 -O3 drops pairs of conversions to float and back
            volatile float single = (float)x[i];
            x[i] = format == STIC_MESH_STL_BINARY ? (double)single : ldexp(x[i], (int)power[i]);
        }
        assert_int_equal(stic_mesh_data_add_vertex(mesh, stic_vec3_load(x)), STIC_OK);
    }
    const int most = format <= STIC_MESH_STL_TEXT ? 3 : format == STIC_MESH_OBJ ? 9 : 4;
    int32_t list[9];
    for (int f = 0; f < 40; ++f) {
        const int sides = 3 + f % (most - 2);
        for (int i = 0; i < sides; ++i)
            list[i] = (f * 7 + i * 11) % VERTICES;
        assert_int_equal(stic_mesh_data_add_face(mesh, sides, list, f / 8), STIC_OK);
    }
    for (int e = 0; e < 40 && format >= STIC_MESH_GMSH_2; ++e) {
        const SticElementKind kind = (SticElementKind)(e / 3 % 4);
        for (int i = 0; i < stic_element_nodes(kind); ++i)
            list[i] = (e * 3 + i * 13) % VERTICES;
        assert_int_equal(stic_mesh_data_add_element(mesh, kind, list, e / 8), STIC_OK);
    }
}

// vertices and faces as STL sees them: corners, in order of first appearance
static void forget_topology(SticMeshData* mesh)
{
    SticMeshData plain;
    assert_int_equal(stic_mesh_data_begin(&mesh->context, &plain), STIC_OK);
    for (int32_t f = 0; f < mesh->face_count; ++f) {
        const int32_t next[3] = {3 * f, 3 * f + 1, 3 * f + 2};
        for (int i = 0; i < 3; ++i)
            assert_int_equal(
                stic_mesh_data_add_vertex(&plain, mesh->vertex[mesh->face_vertex[3 * f + i]]),
                STIC_OK);
        assert_int_equal(stic_mesh_data_add_face(&plain, 3, next, mesh->face_tag[f]), STIC_OK);
    }
    assert_int_equal(stic_mesh_data_weld(&plain), STIC_OK);
    stic_mesh_data_release(mesh);
    *mesh = plain;
}

static void test_round_trips(void** state)
{
    (void)state;
    const char* const names[STIC_MESH_FORMAT_COUNT] = {"mesh_b.stl", "mesh.STL", "mesh.obj",
                                                       "mesh2.msh", "mesh4.msh"};
    SticRandom random = stic_random_create(51);
    const SticContext context = stic_context_default();
    for (int format = 0; format < STIC_MESH_FORMAT_COUNT; ++format)
        for (int trial = 0; trial < 10; ++trial) {
            char path[TEST_PATH_SIZE];
            SticMeshData mesh, back;
            SticError error = {0};
            random_mesh(&random, (SticMeshFormat)format, &mesh);
            test_scratch_path(names[format], path);
            if (stic_mesh_data_write(&mesh, (SticMeshFormat)format, path, &error) != STIC_OK)
                fail_msg("%s", error.text);
            if (stic_mesh_data_read(&context, path, &back, &error) != STIC_OK)
                fail_msg("%s:%d: %s", error.file, error.line, error.text);
            if (format <= STIC_MESH_STL_TEXT)
                forget_topology(&mesh);
            assert_same(&mesh, &back);
            for (int32_t f = 0; f < mesh.face_count && format != STIC_MESH_STL_BINARY; ++f)
                assert_int_equal(back.face_tag[f],
                                 mesh.face_tag[f] + (format == STIC_MESH_OBJ ? 1 : 0));
            unlink(path);
            stic_mesh_data_release(&mesh);
            stic_mesh_data_release(&back);
        }
}

typedef struct Bad {
    const char* name;
    const char* text;
    SticStatus status;
    int32_t line;
    const char* word;
} Bad;

#define HEAD2  "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define HEAD4  "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define NODES2 "$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n"

static const Bad bad[] = {
    {"a.ply", "ply", STIC_UNSUPPORTED, 0, ".stl"},
    {"a.stl", "", STIC_BAD_FILE, 1, "solid"},
    {"a.stl", "solid x\nendsolid x\n", STIC_BAD_FILE, 0, "no triangle"},
    {"a.stl", "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0\nendloop",
     STIC_BAD_FILE, 6, "coordinate"},
    {"a.stl", "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 inf\n", STIC_NOT_FINITE, 4,
     "finite"},
    {"a.stl", "solid x\nfacet normal 0 0 1\nouterloop\n", STIC_BAD_FILE, 3, "outer loop"},
    {"a.stl", "solid x\nfacet normal 0 0 1\nouter loop\n", STIC_BAD_FILE, 4, "vertex"},
    {"a.stl", "solid x\n", STIC_BAD_FILE, 2, "endsolid"},
    {"a.stl",
     "binary heading without the right size, 84 bytes and more in total, no solid at the start "
     "..................",
     STIC_BAD_FILE, 0, "binary STL"},
    {"a.obj", "# nothing\n", STIC_BAD_FILE, 0, "no face"},
    {"a.obj", "v 0 0 0\nv 1 0\n", STIC_BAD_FILE, 2, "3 coordinates"},
    {"a.obj", "v 0 0 x\n", STIC_BAD_FILE, 1, "'x'"},
    {"a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", STIC_BAD_FILE, 4, "outside"},
    {"a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n\nf 1 2 0\n", STIC_BAD_FILE, 5, "counted from 1"},
    {"a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2\n", STIC_BAD_FILE, 4, "at least 3"},
    {"a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3x\n", STIC_BAD_FILE, 4, "'x'"},
    {"a.obj", "v 0 0 0\nf -2 1 1\n", STIC_BAD_FILE, 2, "outside"},
    {"a.obj", "v 0 0 0\ncurv 0 1 1\n", STIC_UNSUPPORTED, 2, "curv"},
    {"a.obj", "v 0 0 0\nvertex 1 2 3\n", STIC_BAD_FILE, 2, "unknown statement 'vertex'"},
    {"a.obj", "v 0 0 1e999\n", STIC_NOT_FINITE, 1, "finite"},
    {"a.msh", "", STIC_BAD_FILE, 1, "no face"},
    {"a.msh", "hello", STIC_BAD_FILE, 1, "$"},
    {"a.msh", "$Nodes\n", STIC_BAD_FILE, 2, "MeshFormat"},
    {"a.msh", "$MeshFormat\n2.2 1 8\n", STIC_UNSUPPORTED, 2, "binary"},
    {"a.msh", "$MeshFormat\n3.0 0 8\n", STIC_UNSUPPORTED, 2, "version 3"},
    {"a.msh", "$MeshFormat\n5 0 8\n", STIC_UNSUPPORTED, 2, "version 5"},
    {"a.msh", HEAD2 "$Nodes\n2\n1 0 0 0\n1 1 0 0\n", STIC_BAD_FILE, 7, "node 1 appears twice"},
    {"a.msh", HEAD2 "$Nodes\n2\n1 0 0 0\n2 1 0\n", STIC_BAD_FILE, 8, "coordinate"},
    {"a.msh", HEAD2 NODES2 "$Elements\n1\n1 2 2 0 0 1 2 4\n", STIC_BAD_FILE, 12, "no node 4"},
    {"a.msh", HEAD2 NODES2 "$Elements\n1\n1 9 2 0 0 1 2 3\n", STIC_UNSUPPORTED, 12, "type 9"},
    {"a.msh", HEAD2 NODES2 "$Elements\n1\n1 2 0 1 2 3\n$EndNodes\n", STIC_BAD_FILE, 13,
     "EndElements"},
    {"a.msh", HEAD2 "$Elements\n0\n$EndElements\n", STIC_BAD_FILE, 5, "before their nodes"},
    {"a.msh", HEAD2 NODES2 NODES2, STIC_BAD_FILE, 11, "second"},
    {"a.msh", HEAD2 "$Comments\nfor ever\n", STIC_BAD_FILE, 5, "no end"},
    {"a.msh", HEAD4 "$Nodes\n1 3 1 3\n2 1 0 2\n1\n2\n0 0 0\n1 0 0\n$EndNodes\n", STIC_BAD_FILE, 10,
     "3 nodes were announced"},
    {"a.msh", HEAD4 "$Nodes\n1 3 1 3\n9 1 0 2\n", STIC_BAD_FILE, 6, "dimension 9"},
    {"a.msh", HEAD4 "$Nodes\n0 0 0 0\n$EndNodes\n$Elements\n1 1 1 1\n-3 1 2 1\n", STIC_BAD_FILE, 9,
     "dimension -3"},
    {"a.msh", HEAD4 "$Entities\n2 0 0 0\n1 0 0 0 0\n1 0 0 0 0\n", STIC_BAD_FILE, 7, "twice"},
    {"a.msh", HEAD4 "$Nodes\n2000000000 2000000000 1 3\n", STIC_BAD_FILE, 6, "entity"},
};

static void test_refused(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        SticMeshData mesh;
        SticError error = {0};
        const SticMeshSource source = {
            .bytes = bad[i].text, .size = strlen(bad[i].text), .name = bad[i].name};
        const SticStatus status = stic_mesh_data_parse(&context, &source, &mesh, &error);
        print_message("%s:%d:%d: %s\n", error.file, error.line, error.column, error.text);
        assert_int_equal(status, bad[i].status);
        assert_int_equal(error.line, bad[i].line);
        assert_string_equal(error.file, bad[i].name);
        if (strstr(error.text, bad[i].word) == NULL)
            fail_msg("'%s' does not mention '%s'", error.text, bad[i].word);
        assert_null(mesh.vertex);
        assert_int_equal(mesh.face_count, 0);
    }
    SticMeshData mesh;
    SticError error = {0};
    assert_int_equal(stic_mesh_data_read(&context, "/nowhere/a.stl", &mesh, &error),
                     STIC_IO_FAILED);
    stic_mesh_data_release(&mesh);

    // what a format cannot hold
    SticRandom random = stic_random_create(52);
    random_mesh(&random, STIC_MESH_OBJ, &mesh);
    assert_int_equal(stic_mesh_data_write(&mesh, STIC_MESH_STL_TEXT, "/nowhere/a.stl", &error),
                     STIC_UNSUPPORTED);
    print_message("%s\n", error.text);
    assert_int_equal(stic_mesh_data_write(&mesh, STIC_MESH_OBJ, "/nowhere/a.obj", &error),
                     STIC_IO_FAILED);
    stic_mesh_data_release(&mesh);
    random_mesh(&random, STIC_MESH_GMSH_2, &mesh);
    assert_int_equal(stic_mesh_data_write(&mesh, STIC_MESH_OBJ, "/nowhere/a.obj", &error),
                     STIC_UNSUPPORTED);
    print_message("%s\n", error.text);
    stic_mesh_data_release(&mesh);
}

// every cut and every changed byte of small files: a mesh or an error, never more
static void test_damaged(void** state)
{
    (void)state;
    const char* const names[6] = {"cube_2.2.msh", "cube_4.0.msh",     "cube_4.1.msh",
                                  "house.obj",    "tetra_binary.stl", "tetra.stl"};
    static char bytes[4096], copy[4096];
    TestMemory memory;
    const SticContext context = test_memory_context(&memory);
    SticRandom random = stic_random_create(53);
    int read = 0, refused = 0;
    for (int i = 0; i < 6; ++i) {
        char path[TEST_PATH_SIZE];
        snprintf(path, sizeof path, "%s/tests/data/%s", STIC_SOURCE_DIR, names[i]);
        FILE* file = fopen(path, "rb");
        assert_non_null(file);
        const size_t size = fread(bytes, 1, sizeof bytes - 1, file);
        fclose(file);
        for (int trial = 0; trial < 4000; ++trial) {
            SticMeshData mesh;
            SticError error = {0};
            memcpy(copy, bytes, size + 1);
            size_t used = size;
            if (trial < (int)size)
                used = (size_t)trial;
            for (int change = trial % 3; change > 0; --change)
                copy[(size_t)(stic_random_uniform(&random) * (double)size)] =
                    "0123456789-+. \n$/efnv\\#\0\377"[stic_random_bits(&random) % 25];
            copy[used] = '\0';
            const SticMeshSource source = {.bytes = copy, .size = used, .name = names[i]};
            const SticStatus status = stic_mesh_data_parse(&context, &source, &mesh, &error);
            assert_int_equal(status, error.status);
            read += status == STIC_OK;
            refused += status != STIC_OK;
            for (int32_t k = 0; status == STIC_OK && k < mesh.face_begin[mesh.face_count]; ++k)
                assert_in_range(mesh.face_vertex[k], 0, mesh.vertex_count - 1);
            stic_mesh_data_release(&mesh);
        }
        bytes[0] = '\0';
    }
    test_memory_check(&memory);
    print_message("damaged files: %d read, %d refused\n", read, refused);
}

static SticStatus read_and_drop(const SticContext* context, void* self)
{
    char path[TEST_PATH_SIZE];
    SticMeshData mesh;
    SticError error = {0};
    snprintf(path, sizeof path, "%s/tests/data/%s", STIC_SOURCE_DIR, (const char*)self);
    const SticStatus status = stic_mesh_data_read(context, path, &mesh, &error);
    assert_int_equal(status, error.status);
    stic_mesh_data_release(&mesh);
    return status;
}

static SticStatus write_and_drop(const SticContext* context, void* self)
{
    SticMeshData* mesh = self;
    char path[TEST_PATH_SIZE];
    SticError error = {0};
    mesh->context = *context;
    test_scratch_path("memory.msh", path);
    const SticStatus status = stic_mesh_data_write(mesh, STIC_MESH_GMSH_4, path, &error);
    unlink(path);
    return status;
}

static void test_memory(void** state)
{
    (void)state;
    test_fail_every_allocation(read_and_drop, "cube_4.1.msh");
    test_fail_every_allocation(read_and_drop, "tetra.stl");
    test_fail_every_allocation(read_and_drop, "house.obj");
    SticRandom random = stic_random_create(54);
    SticMeshData mesh;
    random_mesh(&random, STIC_MESH_GMSH_4, &mesh);
    const SticContext own = mesh.context;
    test_fail_every_allocation(write_and_drop, &mesh);
    mesh.context = own;
    stic_mesh_data_release(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gmsh),    cmocka_unit_test(test_obj),
        cmocka_unit_test(test_stl),     cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

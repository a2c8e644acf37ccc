// SPDX-License-Identifier: Apache-2.0
// Flaws of meshes: a cube with faces missing, turned and doubled, and a hollow one.
#include <string.h>

#include "stiction/extend/shape.h"

#include "helpers/helpers.h"

enum { CORNERS = 8, FACES = 12, MOST = 64 };

// a cube of two triangles a side, from vertex `first` on
static void cube(SticVec3* vertex, int32_t (*face)[3], int32_t first, double size)
{
    static const int32_t quads[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                        {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    for (int32_t i = 0; i < CORNERS; ++i)
        vertex[first + i] = stic_vec3(i % 2 == 0 ? -size : size, i / 2 % 2 == 0 ? -size : size,
                                      i / 4 == 0 ? -size : size);
    for (int q = 0; q < 6; ++q)
        for (int t = 0; t < 2; ++t) {
            int32_t* to = face[2 * q + t];
            to[0] = first + quads[q][0];
            to[1] = first + quads[q][1 + t];
            to[2] = first + quads[q][2 + t];
        }
}

static void turn(int32_t face[3])
{
    const int32_t swap = face[0];
    face[0] = face[1];
    face[1] = swap;
}

static SticMeshFlaws flaws_of(const SticVec3* vertex, int32_t vertices, int32_t (*face)[3],
                              int32_t faces)
{
    const SticContext context = stic_context_default();
    SticMeshDef def = stic_mesh_default_def();
    SticMeshFlaws flaws;
    def.vertex = vertex;
    def.vertex_count = vertices;
    def.face_vertex = face[0];
    def.face_count = faces;
    assert_int_equal(stic_mesh_flaws(&context, &def, &flaws), STIC_OK);
    assert_int_equal(flaws.faces, faces);
    return flaws;
}

static void expect(SticMeshFlaws flaws, int32_t open, int32_t crowded, int32_t flipped,
                   const char* text)
{
    char said[256];
    stic_mesh_flaws_text(&flaws, said, sizeof said);
    print_message("%d open, %d crowded, %d flipped: %s\n", flaws.open_edges, flaws.crowded_edges,
                  flaws.flipped_faces, said);
    assert_int_equal(flaws.open_edges, open);
    assert_int_equal(flaws.crowded_edges, crowded);
    assert_int_equal(flaws.flipped_faces, flipped);
    assert_string_equal(said, text);
}

static void test_cube(void** state)
{
    (void)state;
    SticVec3 vertex[MOST];
    int32_t face[MOST][3];
    cube(vertex, face, 0, 1.0);
    expect(flaws_of(vertex, CORNERS, face, FACES), 0, 0, 0, "");
    // without its bottom: the four edges of a square
    expect(flaws_of(vertex, CORNERS, face + 2, FACES - 2), 4, 0, 0,
           "it is open: 4 edges belong to one face only");
    // two triangles turned, wherever the walk begins
    for (int32_t first = 0; first < FACES; first += 2) {
        cube(vertex, face, 0, 1.0);
        turn(face[first]);
        turn(face[first + 1]);
        expect(flaws_of(vertex, CORNERS, face, FACES), 0, 0, 2,
               "2 of its 12 faces are flipped, clockwise seen from outside");
    }
    // most of a closed mesh turned: the volume knows better than the majority
    cube(vertex, face, 0, 1.0);
    for (int32_t f = 0; f < FACES - 1; ++f)
        turn(face[f]);
    expect(flaws_of(vertex, CORNERS, face, FACES), 0, 0, FACES - 1,
           "11 of its 12 faces are flipped, clockwise seen from outside");
    turn(face[FACES - 1]);
    expect(flaws_of(vertex, CORNERS, face, FACES), 0, 0, FACES,
           "it is inside out: all 12 faces run clockwise seen from outside");
}

static void test_parts(void** state)
{
    (void)state;
    SticVec3 vertex[MOST];
    int32_t face[MOST][3];
    // a hollow cube: the inner surface is turned, and nothing is wrong with that
    cube(vertex, face, 0, 1.0);
    cube(vertex, face + FACES, CORNERS, 0.5);
    for (int32_t f = 0; f < FACES; ++f)
        turn(face[FACES + f]);
    expect(flaws_of(vertex, 2 * CORNERS, face, 2 * FACES), 0, 0, 0, "");
    // a face of the outer one turned is told, with the hole
    turn(face[3]);
    expect(flaws_of(vertex, 2 * CORNERS, face, 2 * FACES), 0, 0, 1 + FACES,
           "13 of its 24 faces are flipped, clockwise seen from outside");
    // a fin on an edge: three faces there, two open edges, and an open part on either side
    cube(vertex, face, 0, 1.0);
    vertex[CORNERS] = stic_vec3(0.0, 0.0, 3.0);
    memcpy(face[FACES], (int32_t[3]){4, 5, 8}, sizeof face[0]);
    expect(flaws_of(vertex, CORNERS + 1, face, FACES + 1), 2, 1, 0,
           "it is open: 2 edges belong to one face only; 1 edge belongs to more than two faces");
    // two triangles of an open sheet that disagree
    memcpy(face[0], (int32_t[3]){0, 1, 2}, sizeof face[0]);
    memcpy(face[1], (int32_t[3]){1, 2, 3}, sizeof face[0]);
    expect(flaws_of(vertex, CORNERS, face, 2), 4, 0, 1,
           "it is open: 4 edges belong to one face only; 1 of its 2 faces is flipped, against most "
           "of their neighbours");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cube), cmocka_unit_test(test_parts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

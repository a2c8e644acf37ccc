// SPDX-License-Identifier: Apache-2.0
// STL files, binary and text.
//
// Binary: 80 bytes of heading, number of triangles (32 bits, little endian), then per triangle
// normal and three corners in single precision and two unused bytes. A file is binary if its size
// fits its number of triangles, whatever the heading says: many writers start it with "solid" too.
// Normals are not read: the order of corners says which side is outside.
#include <math.h>
#include <string.h>

#include "file/mesh_data.h"

#include "stiction/extend/base.h"
#include "stiction/extend/vec3.h"

enum { HEADING = 84, RECORD = 50, CORNERS_AT = 12 };

static uint32_t read_u32(const unsigned char* b)
{
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double read_f32(const unsigned char* b)
{
    const uint32_t bits = read_u32(b);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static SticStatus add_triangle(SticMeshData* mesh, const SticVec3 corner[3], int32_t tag)
{
    const int32_t first = mesh->vertex_count;
    if (first > INT32_MAX - 3)
        return STIC_OUT_OF_MEMORY;
    const int32_t vertex[3] = {first, first + 1, first + 2};
    for (int i = 0; i < 3; ++i)
        STIC_TRY(stic_mesh_data_add_vertex(mesh, corner[i]));
    return stic_mesh_data_add_face(mesh, 3, vertex, tag);
}

static SticStatus parse_binary(const SticMeshSource* source, SticMeshData* mesh, SticError* error)
{
    const unsigned char* bytes = (const unsigned char*)source->bytes;
    const uint32_t count = read_u32(bytes + HEADING - 4);
    for (uint32_t t = 0; t < count; ++t) {
        const unsigned char* record = bytes + HEADING + (size_t)t * RECORD + CORNERS_AT;
        SticVec3 corner[3];
        for (int i = 0; i < 3; ++i) {
            corner[i] = stic_vec3(read_f32(record + 12 * i), read_f32(record + 12 * i + 4),
                                  read_f32(record + 12 * i + 8));
            if (!stic_vec3_is_finite(corner[i]))
                return stic_error_set_at(error, STIC_NOT_FINITE, source->name, 0, 0,
                                         "corner %d of triangle %u is not finite", i, t);
        }
        STIC_TRY(add_triangle(mesh, corner, 0));
    }
    return STIC_OK;
}

static SticStatus take_words(SticScan* scan, const char* first, const char* second)
{
    if (stic_mesh_data_take_word(scan, first) &&
        (second == NULL || stic_mesh_data_take_word(scan, second)))
        return STIC_OK;
    return stic_scan_fail(scan, STIC_BAD_FILE, "\"%s%s%s\" is expected here", first,
                          second == NULL ? "" : " ", second == NULL ? "" : second);
}

static SticStatus parse_facet(SticScan* scan, SticMeshData* mesh, int32_t solid)
{
    double unused;
    STIC_TRY(take_words(scan, "normal", NULL));
    for (int i = 0; i < 3; ++i) {
        // degenerate triangles have normals such as nan in some files
        if (!stic_mesh_data_take_word(scan, "nan") && !stic_mesh_data_take_word(scan, "-nan"))
            STIC_TRY(stic_scan_real(scan, "a component of the normal", &unused));
    }
    STIC_TRY(take_words(scan, "outer", "loop"));
    SticVec3 corner[3];
    for (int i = 0; i < 3; ++i) {
        double x[3];
        STIC_TRY(take_words(scan, "vertex", NULL));
        for (int j = 0; j < 3; ++j)
            STIC_TRY(stic_scan_real(scan, "a coordinate", &x[j]));
        corner[i] = stic_vec3_load(x);
    }
    STIC_TRY(take_words(scan, "endloop", NULL));
    STIC_TRY(take_words(scan, "endfacet", NULL));
    return add_triangle(mesh, corner, solid);
}

static SticStatus parse_text(const SticMeshSource* source, SticMeshData* mesh, SticError* error)
{
    SticScan scan = stic_scan_begin(source->bytes, source->size, source->name, error);
    const char* name;
    size_t length;
    int32_t solid = 0;
    while (!stic_scan_at_end(&scan)) {
        STIC_TRY(take_words(&scan, "solid", NULL));
        stic_scan_line(&scan, &name, &length);
        while (stic_mesh_data_take_word(&scan, "facet"))
            STIC_TRY(parse_facet(&scan, mesh, solid));
        STIC_TRY(take_words(&scan, "endsolid", NULL));
        stic_scan_line(&scan, &name, &length);
        solid += 1;
    }
    return STIC_OK;
}

SticStatus stic_stl_parse(const SticMeshSource* source, SticMeshData* mesh, SticError* error)
{
    const char* bytes = source->bytes;
    const bool heading = source->size >= HEADING;
    const uint64_t count = heading ? read_u32((const unsigned char*)bytes + HEADING - 4) : 0;
    SticScan start = stic_scan_begin(bytes, source->size, source->name, error);
    if (heading && source->size == HEADING + count * RECORD)
        STIC_TRY(parse_binary(source, mesh, error));
    else if (stic_mesh_data_take_word(&start, "solid"))
        STIC_TRY(parse_text(source, mesh, error));
    else if (heading)
        return stic_error_set_at(error, STIC_BAD_FILE, source->name, 0, 0,
                                 "a binary STL file of %llu triangles has %llu bytes, not %llu",
                                 (unsigned long long)count,
                                 HEADING + (unsigned long long)count * RECORD,
                                 (unsigned long long)source->size);
    else
        return stic_error_set_at(error, STIC_BAD_FILE, source->name, 1, 1,
                                 "neither \"solid\" nor a binary STL heading of 84 bytes");
    if (mesh->face_count == 0)
        return stic_error_set_at(error, STIC_BAD_FILE, source->name, 0, 0,
                                 "the file has no triangle");
    return stic_mesh_data_weld(mesh);
}

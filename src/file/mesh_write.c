// SPDX-License-Identifier: Apache-2.0
// Writing meshes as STL, OBJ and Gmsh text.
//
// Numbers are written so that they read back as the same double (single precision in binary STL).
// Gmsh 4.1 keeps elements in blocks per entity: one entity per kind of element and tag, in order of
// arrival, each run of equal kind and tag being a block.
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "file/mesh_data.h"
#include "stiction/extend/base.h"
#include "stiction/extend/vec3.h"

enum { BUFFER = 1 << 14, LINE = 160 };

// output collected before it is written
typedef struct Writer {
    SticReplace* replace;
    SticError* error;
    SticStatus status; // the first failure; then nothing more is written
    size_t used;
    char buffer[BUFFER];
} Writer;

static void flush(Writer* w)
{
    if (w->status == STIC_OK && w->used > 0)
        w->status = stic_replace_write(w->replace, w->buffer, w->used, w->error);
    w->used = 0;
}

static void put(Writer* w, const void* bytes, size_t count)
{
    if (w->used + count > BUFFER)
        flush(w);
    memcpy(w->buffer + w->used, bytes, count);
    w->used += count;
}

static void put_text(Writer* w, const char* format, ...) STIC_PRINTF(2, 3);

static void put_text(Writer* w, const char* format, ...)
{
    char line[LINE];
    va_list list;
    va_start(list, format);
    const int length = vsnprintf(line, sizeof line, format, list);
    va_end(list);
    STIC_ASSERT(length >= 0 && length < LINE);
    put(w, line, (size_t)length);
}

static void put_point(Writer* w, const char* before, SticVec3 x)
{
    char number[3][32];
    stic_number_format(x.x, number[0], sizeof number[0]);
    stic_number_format(x.y, number[1], sizeof number[1]);
    stic_number_format(x.z, number[2], sizeof number[2]);
    put_text(w, "%s%s %s %s\n", before, number[0], number[1], number[2]);
}

static int32_t face_sides(const SticMeshData* mesh, int32_t f)
{
    return mesh->face_begin[f + 1] - mesh->face_begin[f];
}

/* ---- STL ---- */

static SticVec3 corner_of(const SticMeshData* mesh, int32_t f, int32_t i)
{
    return mesh->vertex[mesh->face_vertex[mesh->face_begin[f] + i]];
}

static SticVec3 normal_of(const SticMeshData* mesh, int32_t f)
{
    const SticVec3 a = corner_of(mesh, f, 0);
    return stic_vec3_normalize(stic_vec3_cross(stic_vec3_sub(corner_of(mesh, f, 1), a),
                                               stic_vec3_sub(corner_of(mesh, f, 2), a)));
}

static void write_stl_text(Writer* w, const SticMeshData* mesh)
{
    // a run of faces with one tag is a solid
    for (int32_t f = 0; f < mesh->face_count; ++f) {
        const bool first = f == 0 || mesh->face_tag[f] != mesh->face_tag[f - 1];
        const bool last = f + 1 == mesh->face_count || mesh->face_tag[f] != mesh->face_tag[f + 1];
        if (first)
            put_text(w, "solid s%d\n", mesh->face_tag[f]);
        put_point(w, "facet normal ", normal_of(mesh, f));
        put_text(w, " outer loop\n");
        for (int32_t i = 0; i < 3; ++i)
            put_point(w, "  vertex ", corner_of(mesh, f, i));
        put_text(w, " endloop\nendfacet\n");
        if (last)
            put_text(w, "endsolid s%d\n", mesh->face_tag[f]);
    }
}

static void put_u32(Writer* w, uint32_t value)
{
    const unsigned char b[4] = {(unsigned char)value, (unsigned char)(value >> 8),
                                (unsigned char)(value >> 16), (unsigned char)(value >> 24)};
    put(w, b, sizeof b);
}

static void put_f32(Writer* w, double value)
{
    const float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    put_u32(w, bits);
}

static void put_f32_point(Writer* w, SticVec3 x)
{
    put_f32(w, x.x);
    put_f32(w, x.y);
    put_f32(w, x.z);
}

static void write_stl_binary(Writer* w, const SticMeshData* mesh)
{
    char heading[80] = "triangles, binary STL";
    put(w, heading, sizeof heading);
    put_u32(w, (uint32_t)mesh->face_count);
    for (int32_t f = 0; f < mesh->face_count; ++f) {
        put_f32_point(w, normal_of(mesh, f));
        for (int32_t i = 0; i < 3; ++i)
            put_f32_point(w, corner_of(mesh, f, i));
        put(w, "\0\0", 2);
    }
}

/* ---- OBJ ---- */

static void write_obj(Writer* w, const SticMeshData* mesh)
{
    for (int32_t v = 0; v < mesh->vertex_count; ++v)
        put_point(w, "v ", mesh->vertex[v]);
    for (int32_t f = 0; f < mesh->face_count; ++f) {
        if (f == 0 || mesh->face_tag[f] != mesh->face_tag[f - 1])
            put_text(w, "g g%d\n", mesh->face_tag[f]);
        put_text(w, "f");
        for (int32_t k = mesh->face_begin[f]; k < mesh->face_begin[f + 1]; ++k)
            put_text(w, " %d", mesh->face_vertex[k] + 1);
        put_text(w, "\n");
    }
}

/* ---- Gmsh ---- */

// faces, then elements, under one number
typedef struct Item {
    int32_t code, dimension, tag, count;
    const int32_t* vertex;
} Item;

static Item item_of(const SticMeshData* mesh, int32_t i)
{
    static const int32_t codes[STIC_ELEMENT_KIND_COUNT] = {4, 7, 6, 5};
    const int32_t e = i - mesh->face_count;
    if (e < 0)
        return (Item){.code = face_sides(mesh, i) == 3 ? 2 : 3,
                      .dimension = 2,
                      .tag = mesh->face_tag[i],
                      .count = face_sides(mesh, i),
                      .vertex = mesh->face_vertex + mesh->face_begin[i]};
    return (Item){.code = codes[mesh->element_kind[e]],
                  .dimension = 3,
                  .tag = mesh->element_tag[e],
                  .count = mesh->element_begin[e + 1] - mesh->element_begin[e],
                  .vertex = mesh->element_node + mesh->element_begin[e]};
}

static void put_nodes(Writer* w, const Item* item)
{
    for (int32_t i = 0; i < item->count; ++i)
        put_text(w, " %d", item->vertex[i] + 1);
    put_text(w, "\n");
}

static void write_gmsh_2(Writer* w, const SticMeshData* mesh)
{
    const int32_t items = mesh->face_count + mesh->element_count;
    put_text(w, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n", mesh->vertex_count);
    for (int32_t v = 0; v < mesh->vertex_count; ++v) {
        put_text(w, "%d ", v + 1);
        put_point(w, "", mesh->vertex[v]);
    }
    put_text(w, "$EndNodes\n$Elements\n%d\n", items);
    for (int32_t i = 0; i < items; ++i) {
        const Item item = item_of(mesh, i);
        put_text(w, "%d %d 2 %d %d", i + 1, item.code, item.tag, item.tag);
        put_nodes(w, &item);
    }
    put_text(w, "$EndElements\n");
}

// number of items from i on with the same type and tag
static int32_t run_length(const SticMeshData* mesh, int32_t i)
{
    const int32_t items = mesh->face_count + mesh->element_count;
    const Item first = item_of(mesh, i);
    int32_t end = i + 1;
    while (end < items) {
        const Item item = item_of(mesh, end);
        if (item.code != first.code || item.tag != first.tag)
            break;
        ++end;
    }
    return end - i;
}

static void write_gmsh_4(Writer* w, const SticMeshData* mesh)
{
    const int32_t items = mesh->face_count + mesh->element_count;
    int32_t blocks = 0, surfaces = 0;
    for (int32_t i = 0; i < items; i += run_length(mesh, i)) {
        surfaces += item_of(mesh, i).dimension == 2;
        ++blocks;
    }
    // an entity per block, with an empty box and its physical group
    put_text(w, "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 %d %d\n", surfaces,
             blocks - surfaces);
    for (int32_t i = 0, block = 1; i < items; i += run_length(mesh, i), ++block)
        put_text(w, "%d 0 0 0 0 0 0 1 %d 0\n", block, item_of(mesh, i).tag);
    put_text(w, "$EndEntities\n$Nodes\n1 %d 1 %d\n3 %d 0 %d\n", mesh->vertex_count,
             mesh->vertex_count, blocks, mesh->vertex_count);
    for (int32_t v = 0; v < mesh->vertex_count; ++v)
        put_text(w, "%d\n", v + 1);
    for (int32_t v = 0; v < mesh->vertex_count; ++v)
        put_point(w, "", mesh->vertex[v]);
    put_text(w, "$EndNodes\n$Elements\n%d %d 1 %d\n", blocks, items, items);
    for (int32_t i = 0, block = 1; i < items; ++block) {
        const int32_t count = run_length(mesh, i);
        const Item first = item_of(mesh, i);
        put_text(w, "%d %d %d %d\n", first.dimension, block, first.code, count);
        for (const int32_t end = i + count; i < end; ++i) {
            const Item item = item_of(mesh, i);
            put_text(w, "%d", i + 1);
            put_nodes(w, &item);
        }
    }
    put_text(w, "$EndElements\n");
}

/* ---- all ---- */

static SticStatus check_content(const SticMeshData* mesh, SticMeshFormat format, const char* path,
                                SticError* error)
{
    static const int32_t most_sides[STIC_MESH_FORMAT_COUNT] = {3, 3, INT32_MAX, 4, 4};
    if (mesh->element_count > 0 && format <= STIC_MESH_OBJ)
        return stic_error_set_at(error, STIC_UNSUPPORTED, path, 0, 0,
                                 "the format holds no volume elements");
    if (mesh->face_count > INT32_MAX - 1 - mesh->element_count)
        return stic_error_set_at(error, STIC_UNSUPPORTED, path, 0, 0, "the mesh is too large");
    for (int32_t f = 0; f < mesh->face_count; ++f)
        if (face_sides(mesh, f) > most_sides[format])
            return stic_error_set_at(error, STIC_UNSUPPORTED, path, 0, 0,
                                     "the format holds no face with %d vertices (face %d)",
                                     face_sides(mesh, f), f);
    return STIC_OK;
}

SticStatus stic_mesh_data_write(const SticMeshData* mesh, SticMeshFormat format, const char* path,
                                SticError* error)
{
    static void (*const writers[STIC_MESH_FORMAT_COUNT])(Writer*, const SticMeshData*) = {
        write_stl_binary, write_stl_text, write_obj, write_gmsh_2, write_gmsh_4};
    STIC_ASSERT(format >= 0 && format < STIC_MESH_FORMAT_COUNT);
    STIC_TRY(check_content(mesh, format, path, error));
    Writer* w = NULL;
    if (STIC_ALLOCATE(&mesh->context, &w, 1) != STIC_OK)
        return stic_error_set_at(error, STIC_OUT_OF_MEMORY, path, 0, 0, "out of memory");
    w->error = error;
    w->status = stic_replace_begin(&mesh->context, path, &w->replace, error);
    if (w->status == STIC_OK) {
        writers[format](w, mesh);
        flush(w);
        if (w->status == STIC_OK)
            w->status = stic_replace_commit(w->replace, error);
        else
            stic_replace_abort(w->replace);
    }
    const SticStatus status = w->status;
    STIC_RELEASE(&mesh->context, w, 1);
    return status;
}

// SPDX-License-Identifier: Apache-2.0
// Mesh arrays that grow, joining of equal vertices, choice of the reader by the name of the file.
#include "file/mesh_data.h"

#include "stiction/extend/base.h"
#include "stiction/extend/vec3.h"

#include <string.h>

enum { VERTEX, FACE_BEGIN, FACE_VERTEX, FACE_TAG, ELEMENT_BEGIN, ELEMENT_NODE, ELEMENT_TAG, KIND };

int32_t stic_element_nodes(SticElementKind kind)
{
    static const int32_t nodes[STIC_ELEMENT_KIND_COUNT] = {4, 5, 6, 8};
    return kind >= 0 && kind < STIC_ELEMENT_KIND_COUNT ? nodes[kind] : 0;
}

/* ---- growing arrays ---- */

SticStatus stic_mesh_data_begin(const SticContext* context, SticMeshData* mesh)
{
    memset(mesh, 0, sizeof *mesh);
    mesh->context = *context;
    SticStatus status = STIC_RESERVE(context, &mesh->face_begin, &mesh->capacity[FACE_BEGIN], 1);
    if (status == STIC_OK)
        status = STIC_RESERVE(context, &mesh->element_begin, &mesh->capacity[ELEMENT_BEGIN], 1);
    if (status != STIC_OK)
        stic_mesh_data_release(mesh);
    return status;
}

void stic_mesh_data_release(SticMeshData* mesh)
{
    STIC_ASSERT(mesh != NULL);
    const SticContext context = mesh->context;
    const size_t* capacity = mesh->capacity;
    STIC_RELEASE(&context, mesh->vertex, capacity[VERTEX]);
    STIC_RELEASE(&context, mesh->face_begin, capacity[FACE_BEGIN]);
    STIC_RELEASE(&context, mesh->face_vertex, capacity[FACE_VERTEX]);
    STIC_RELEASE(&context, mesh->face_tag, capacity[FACE_TAG]);
    STIC_RELEASE(&context, mesh->element_begin, capacity[ELEMENT_BEGIN]);
    STIC_RELEASE(&context, mesh->element_node, capacity[ELEMENT_NODE]);
    STIC_RELEASE(&context, mesh->element_tag, capacity[ELEMENT_TAG]);
    STIC_RELEASE(&context, mesh->element_kind, capacity[KIND]);
    memset(mesh, 0, sizeof *mesh);
}

SticStatus stic_mesh_data_add_vertex(SticMeshData* mesh, SticVec3 x)
{
    if (mesh->vertex_count == INT32_MAX)
        return STIC_OUT_OF_MEMORY;
    STIC_TRY(STIC_RESERVE(&mesh->context, &mesh->vertex, &mesh->capacity[VERTEX],
                          (size_t)mesh->vertex_count + 1));
    mesh->vertex[mesh->vertex_count++] = x;
    return STIC_OK;
}

SticStatus stic_mesh_data_add_face(SticMeshData* mesh, int32_t sides, const int32_t* vertex,
                                   int32_t tag)
{
    const SticContext* context = &mesh->context;
    const int32_t at = mesh->face_begin[mesh->face_count];
    if (at > INT32_MAX - sides)
        return STIC_OUT_OF_MEMORY;
    STIC_TRY(STIC_RESERVE(context, &mesh->face_begin, &mesh->capacity[FACE_BEGIN],
                          (size_t)mesh->face_count + 2));
    STIC_TRY(STIC_RESERVE(context, &mesh->face_vertex, &mesh->capacity[FACE_VERTEX],
                          (size_t)at + (size_t)sides));
    STIC_TRY(STIC_RESERVE(context, &mesh->face_tag, &mesh->capacity[FACE_TAG],
                          (size_t)mesh->face_count + 1));
    memcpy(mesh->face_vertex + at, vertex, (size_t)sides * sizeof *vertex);
    mesh->face_tag[mesh->face_count++] = tag;
    mesh->face_begin[mesh->face_count] = at + sides;
    return STIC_OK;
}

SticStatus stic_mesh_data_add_element(SticMeshData* mesh, SticElementKind kind, const int32_t* node,
                                      int32_t tag)
{
    const SticContext* context = &mesh->context;
    const int32_t at = mesh->element_begin[mesh->element_count];
    const int32_t nodes = stic_element_nodes(kind);
    const size_t count = (size_t)mesh->element_count;
    STIC_ASSERT(nodes > 0);
    if (at > INT32_MAX - nodes)
        return STIC_OUT_OF_MEMORY;
    STIC_TRY(
        STIC_RESERVE(context, &mesh->element_begin, &mesh->capacity[ELEMENT_BEGIN], count + 2));
    STIC_TRY(STIC_RESERVE(context, &mesh->element_node, &mesh->capacity[ELEMENT_NODE],
                          (size_t)at + (size_t)nodes));
    STIC_TRY(STIC_RESERVE(context, &mesh->element_tag, &mesh->capacity[ELEMENT_TAG], count + 1));
    STIC_TRY(STIC_RESERVE(context, &mesh->element_kind, &mesh->capacity[KIND], count + 1));
    memcpy(mesh->element_node + at, node, (size_t)nodes * sizeof *node);
    mesh->element_tag[count] = tag;
    mesh->element_kind[count] = (uint8_t)kind;
    mesh->element_count += 1;
    mesh->element_begin[mesh->element_count] = at + nodes;
    return STIC_OK;
}

/* ---- hashing ---- */

// slots for at most two thirds of full load, a power of two
static size_t slots_for(size_t count)
{
    size_t slots = 16;
    while (slots < count + count / 2 + 1)
        slots *= 2;
    return slots;
}

static size_t hash_point(SticVec3 x, size_t slots)
{
    const double c[3] = {x.x, x.y, x.z};
    return (size_t)stic_hash_doubles(0, c, 3) & (slots - 1);
}

static void renumber(int32_t* list, size_t count, const int32_t* number)
{
    for (size_t i = 0; i < count; ++i)
        list[i] = number[list[i]];
}

SticStatus stic_mesh_data_weld(SticMeshData* mesh)
{
    const size_t given = (size_t)mesh->vertex_count, slots = slots_for(given);
    int32_t *slot = NULL, *number = NULL;
    SticStatus status = STIC_ALLOCATE(&mesh->context, &slot, slots);
    if (status == STIC_OK)
        status = STIC_ALLOCATE(&mesh->context, &number, given);
    if (status == STIC_OK) {
        int32_t kept = 0;
        for (size_t v = 0; v < given; ++v) {
            const SticVec3 x = mesh->vertex[v];
            size_t place = hash_point(x, slots);
            while (slot[place] != 0 && !stic_vec3_is_equal(mesh->vertex[slot[place] - 1], x))
                place = (place + 1) & (slots - 1);
            if (slot[place] == 0) {
                mesh->vertex[kept] = x;
                slot[place] = ++kept;
            }
            number[v] = slot[place] - 1;
        }
        mesh->vertex_count = kept;
        renumber(mesh->face_vertex, (size_t)mesh->face_begin[mesh->face_count], number);
        renumber(mesh->element_node, (size_t)mesh->element_begin[mesh->element_count], number);
    }
    STIC_RELEASE(&mesh->context, slot, slots);
    STIC_RELEASE(&mesh->context, number, given);
    return status;
}

static size_t hash_id(int64_t key, size_t slots)
{
    return (size_t)stic_hash_bytes(0, &key, sizeof key) & (slots - 1);
}

static size_t place_of(const SticIdMap* map, int64_t key)
{
    size_t place = hash_id(key, map->slots);
    while (map->slot[place] != 0 && map->key[map->slot[place] - 1] != key)
        place = (place + 1) & (map->slots - 1);
    return place;
}

static SticStatus grow_slots(SticIdMap* map, size_t slots)
{
    int32_t* slot = NULL;
    STIC_TRY(STIC_ALLOCATE(map->context, &slot, slots));
    STIC_RELEASE(map->context, map->slot, map->slots);
    map->slot = slot;
    map->slots = slots;
    for (int32_t i = 0; i < map->count; ++i)
        map->slot[place_of(map, map->key[i])] = i + 1;
    return STIC_OK;
}

SticStatus stic_id_map_add(SticIdMap* map, int64_t key)
{
    const size_t need = (size_t)map->count + 1;
    if (map->count == INT32_MAX)
        return STIC_OUT_OF_MEMORY;
    if (map->slots < slots_for(need))
        STIC_TRY(grow_slots(map, slots_for(2 * need)));
    STIC_TRY(STIC_RESERVE(map->context, &map->key, &map->capacity, need));
    const size_t place = place_of(map, key);
    if (map->slot[place] != 0)
        return STIC_BAD_DATA;
    map->key[map->count++] = key;
    map->slot[place] = map->count;
    return STIC_OK;
}

int32_t stic_id_map_find(const SticIdMap* map, int64_t key)
{
    return map->slots == 0 ? -1 : map->slot[place_of(map, key)] - 1;
}

void stic_id_map_release(SticIdMap* map)
{
    STIC_RELEASE(map->context, map->key, map->capacity);
    STIC_RELEASE(map->context, map->slot, map->slots);
}

/* ---- reading ---- */

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool stic_mesh_data_take_word(SticScan* scan, const char* word)
{
    if (stic_scan_at_end(scan))
        return false;
    const char* c = scan->at;
    for (; *word != '\0'; ++word, ++c)
        if (c == scan->end || lower(*c) != *word)
            return false;
    if (c<scan->end&& * c> ' ')
        return false;
    scan->at = c;
    return true;
}

// whether name[0 … length) ends with `ending`, in upper or lower case
static bool has_ending(const char* name, size_t length, const char* ending)
{
    const size_t count = strlen(ending);
    if (length < count)
        return false;
    for (size_t i = 0; i < count; ++i)
        if (lower(name[length - count + i]) != ending[i])
            return false;
    return true;
}

static SticStatus no_memory(const char* name, SticError* error)
{
    return stic_error_set_at(error, STIC_OUT_OF_MEMORY, name, 0, 0,
                             "out of memory while reading a mesh");
}

SticStatus stic_mesh_data_parse(const SticContext* context, const SticMeshSource* source,
                                SticMeshData* mesh, SticError* error)
{
    size_t length = strlen(source->name);
    if (has_ending(source->name, length, ".gz"))
        length -= 3;
    SticStatus status = stic_mesh_data_begin(context, mesh);
    if (status == STIC_OK) {
        if (has_ending(source->name, length, ".stl"))
            status = stic_stl_parse(source, mesh, error);
        else if (has_ending(source->name, length, ".obj"))
            status = stic_obj_parse(source, mesh, error);
        else if (has_ending(source->name, length, ".msh"))
            status = stic_gmsh_parse(source, mesh, error);
        else
            status = stic_error_set_at(error, STIC_UNSUPPORTED, source->name, 0, 0,
                                       "meshes are read from .stl, .obj and .msh files");
    }
    if (status != STIC_OK)
        stic_mesh_data_release(mesh);
    return status == STIC_OUT_OF_MEMORY ? no_memory(source->name, error) : status;
}

SticStatus stic_mesh_data_read(const SticContext* context, const char* path, SticMeshData* mesh,
                               SticError* error)
{
    context = stic_context_given(context);
    STIC_ASSERT(mesh != NULL);
    SticText text = {.bytes = NULL};
    memset(mesh, 0, sizeof *mesh);
    SticStatus status = stic_text_load(context, path, STIC_TEXT_LIMIT, &text, error);
    if (status == STIC_OK) {
        const SticMeshSource source = {.bytes = text.bytes, .size = text.size, .name = path};
        status = stic_mesh_data_parse(context, &source, mesh, error);
    }
    stic_text_unload(&text);
    return status == STIC_OUT_OF_MEMORY ? no_memory(path, error) : status;
}

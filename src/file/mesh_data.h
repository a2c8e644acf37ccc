// SPDX-License-Identifier: Apache-2.0
// What the mesh readers share.
#ifndef STIC_FILE_MESH_DATA_H
#define STIC_FILE_MESH_DATA_H

#include "file/file.h"
#include "file/mesh.h"

/// Readers of one format; `mesh` has begun.
SticStatus stic_stl_parse(const SticMeshSource* source, SticMeshData* mesh, SticError* error);
SticStatus stic_obj_parse(const SticMeshSource* source, SticMeshData* mesh, SticError* error);
SticStatus stic_gmsh_parse(const SticMeshSource* source, SticMeshData* mesh, SticError* error);

/// Take a word that may be in upper or lower case; false if something else comes.
bool stic_mesh_data_take_word(SticScan* scan, const char* word);

/// Map from whole numbers to indices, open addressing; keys in order of arrival.
typedef struct SticIdMap {
    const SticContext* context;
    int64_t* key;  ///< [count]
    int32_t* slot; ///< [slots] 1 + index of a key, 0: free
    int32_t count; ///< number of keys
    size_t capacity, slots;
} SticIdMap;

/// Append a key; BAD_DATA if it is there already.
SticStatus stic_id_map_add(SticIdMap* map, int64_t key);
/// Index of a key, or -1.
int32_t stic_id_map_find(const SticIdMap* map, int64_t key);
void stic_id_map_release(SticIdMap* map);

#endif

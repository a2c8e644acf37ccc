// SPDX-License-Identifier: Apache-2.0
// Meshes of solids: boxes, cells read from files, nodes on edges, surfaces.
//
// Boxes are grids of hexahedra; tetrahedra are six per part around the diagonal from its least to
// its most corner (Kuhn 1960), so that the diagonals of neighbours meet. Quadratic meshes are linear
// ones with a node in the middle of each edge, found once per edge by sorting.
#include "system/solid/solid.h"

#include <string.h>

#include "base/sort.h"
#include "stiction/extend/base.h"
#include "stiction/extend/vec3.h"

void stic_solid_mesh_release(SticSolidMesh* mesh)
{
    STIC_ASSERT(mesh != NULL);
    const SticContext context = mesh->context;
    STIC_RELEASE(&context, mesh->node, mesh->nodes);
    STIC_RELEASE(&context, mesh->cell,
                 (size_t)mesh->cells * (size_t)stic_solid_cell_nodes(mesh->kind));
    memset(mesh, 0, sizeof *mesh);
}

static SticStatus take(const SticContext* context, SticSolidCell kind, int64_t nodes, int64_t cells,
                       SticSolidMesh* mesh)
{
    *mesh = (SticSolidMesh){.context = *context, .kind = kind};
    const int32_t each = stic_solid_cell_nodes(kind);
    if (nodes > INT32_MAX / 3 || cells > INT32_MAX / (3 * each))
        return STIC_OUT_OF_MEMORY;
    STIC_TRY(STIC_ALLOCATE(context, &mesh->node, (size_t)nodes));
    mesh->nodes = (int32_t)nodes;
    const SticStatus status = STIC_ALLOCATE(context, &mesh->cell, (size_t)(cells * each));
    if (status == STIC_OK)
        mesh->cells = (int32_t)cells;
    else
        stic_solid_mesh_release(mesh);
    return status;
}

/* ---- nodes on edges ---- */

// edges of all cells as keys (less node, more node), each with its place in the list of cells
static void list_edges(const SticSolidMesh* mesh, uint64_t* key, int32_t* place)
{
    const SticSolidTopology* topology = stic_solid_cell_topology(mesh->kind);
    const int32_t each = topology->corners;
    for (int32_t k = 0; k < mesh->cells * topology->edges; ++k) {
        const uint8_t* edge = topology->edge[k % topology->edges];
        const int32_t* cell = mesh->cell + (int64_t)(k / topology->edges) * each;
        const uint64_t a = (uint64_t)cell[edge[0]], b = (uint64_t)cell[edge[1]];
        key[k] = a < b ? a << 32 | b : b << 32 | a;
        place[k] = k;
    }
}

// the linear mesh with nodes on its edges; `key` ascending
static SticStatus add_edges(const SticSolidMesh* linear, const uint64_t* key, const int32_t* place,
                            SticSolidMesh* mesh)
{
    const SticSolidTopology* topology = stic_solid_cell_topology(linear->kind);
    const int32_t edges = linear->cells * topology->edges;
    int32_t own = 0;
    for (int32_t k = 0; k < edges; ++k)
        own += k == 0 || key[k] != key[k - 1] ? 1 : 0;
    const SticSolidCell kind =
        linear->kind == STIC_SOLID_TET4 ? STIC_SOLID_TET10 : STIC_SOLID_HEX20;
    STIC_TRY(take(&linear->context, kind, (int64_t)linear->nodes + own, linear->cells, mesh));
    memcpy(mesh->node, linear->node, (size_t)linear->nodes * sizeof *mesh->node);
    const int32_t each = stic_solid_cell_nodes(kind);
    for (int32_t i = 0; i < linear->cells; ++i)
        memcpy(mesh->cell + (int64_t)i * each, linear->cell + (int64_t)i * topology->corners,
               (size_t)topology->corners * sizeof *mesh->cell);
    int32_t node = linear->nodes - 1;
    for (int32_t k = 0; k < edges; ++k) {
        if (k == 0 || key[k] != key[k - 1])
            mesh->node[++node] =
                stic_vec3_lerp(linear->node[key[k] >> 32], linear->node[key[k] & 0xffffffffu], 0.5);
        const int32_t cell = place[k] / topology->edges, edge = place[k] % topology->edges;
        mesh->cell[(int64_t)cell * each + topology->corners + edge] = node;
    }
    return STIC_OK;
}

// sorted with two arrays of scratch behind the keys and the values
static SticStatus take_sorted(const SticContext* context, int32_t count, uint64_t** key,
                              int32_t** value)
{
    STIC_TRY(STIC_ALLOCATE(context, key, 2 * (size_t)count));
    const SticStatus status = STIC_ALLOCATE(context, value, 2 * (size_t)count);
    if (status != STIC_OK)
        STIC_RELEASE(context, *key, 2 * (size_t)count);
    return status;
}

static SticStatus add_middles(const SticSolidMesh* linear, SticSolidMesh* mesh)
{
    const int32_t edges = linear->cells * stic_solid_cell_topology(linear->kind)->edges;
    uint64_t* key = NULL;
    int32_t* place = NULL;
    STIC_TRY(take_sorted(&linear->context, edges, &key, &place));
    list_edges(linear, key, place);
    stic_radix_sort_values(edges, key, place, key + edges, place + edges);
    const SticStatus status = add_edges(linear, key, place, mesh);
    STIC_RELEASE(&linear->context, key, 2 * (size_t)edges);
    STIC_RELEASE(&linear->context, place, 2 * (size_t)edges);
    return status;
}

// a linear mesh, made quadratic if that is wanted; the linear one is given back
static SticStatus finish(SticSolidMesh* linear, bool quadratic, SticSolidMesh* mesh)
{
    if (!quadratic) {
        *mesh = *linear;
        return STIC_OK;
    }
    const SticStatus status = add_middles(linear, mesh);
    stic_solid_mesh_release(linear);
    return status;
}

/* ---- boxes ---- */

static void fill_box(const SticSolidBox* box, SticSolidMesh* mesh)
{
    // paths from corner 0 to corner 6 along the axes in every order, of positive volume
    static const uint8_t tetrahedra[6][4] = {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6},
                                             {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}};
    const int32_t *n = box->count, nodes[3] = {n[0] + 1, n[1] + 1, n[2] + 1};
    for (int32_t i = 0; i < mesh->nodes; ++i) {
        const int32_t at[3] = {i % nodes[0], i / nodes[0] % nodes[1], i / (nodes[0] * nodes[1])};
        double x[3];
        for (int axis = 0; axis < 3; ++axis) {
            const double low = stic_vec3_get(box->low, axis), high = stic_vec3_get(box->high, axis);
            x[axis] = at[axis] == n[axis] ? high : low + (high - low) * at[axis] / n[axis];
        }
        mesh->node[i] = stic_vec3_load(x);
    }
    int32_t* cell = mesh->cell;
    for (int32_t i = 0; i < n[0] * n[1] * n[2]; ++i) {
        const int32_t first =
            i % n[0] + nodes[0] * (i / n[0] % n[1] + nodes[1] * (i / (n[0] * n[1])));
        const int32_t up = nodes[0] * nodes[1];
        const int32_t c[8] = {
            first,      first + 1,      first + 1 + nodes[0],      first + nodes[0],
            first + up, first + up + 1, first + up + 1 + nodes[0], first + up + nodes[0]};
        if (mesh->kind == STIC_SOLID_HEX8) {
            memcpy(cell, c, sizeof c);
            cell += 8;
        }
        for (int k = 0; mesh->kind == STIC_SOLID_TET4 && k < 24; ++k)
            *cell++ = c[tetrahedra[k / 4][k % 4]];
    }
}

SticStatus stic_solid_box(const SticContext* context, const SticSolidBox* box, SticSolidMesh* mesh,
                          SticError* error)
{
    context = stic_context_given(context);
    STIC_ASSERT(box != NULL);
    STIC_ASSERT(mesh != NULL);
    memset(mesh, 0, sizeof *mesh);
    int64_t parts = 1, nodes = 1;
    for (int axis = 0; axis < 3; ++axis) {
        const double low = stic_vec3_get(box->low, axis), high = stic_vec3_get(box->high, axis);
        if (!(high > low) || box->count[axis] < 1 || box->count[axis] > 10000)
            return stic_error_set(error, STIC_BAD_ARGUMENT,
                                  "a box from %g to %g m along axis %d cannot have %d parts there",
                                  low, high, axis, box->count[axis]);
        parts *= box->count[axis];
        nodes *= box->count[axis] + 1;
    }
    const bool tetrahedra = box->kind == STIC_SOLID_TET4 || box->kind == STIC_SOLID_TET10;
    SticSolidMesh linear;
    SticStatus status = take(context, tetrahedra ? STIC_SOLID_TET4 : STIC_SOLID_HEX8, nodes,
                             tetrahedra ? 6 * parts : parts, &linear);
    if (status == STIC_OK) {
        fill_box(box, &linear);
        status = finish(&linear, stic_solid_cell_is_quadratic(box->kind), mesh);
    }
    return status == STIC_OK ? STIC_OK
                             : stic_error_set(error, status, "a box of %lld parts: %s",
                                              (long long)parts, stic_status_text(status));
}

/* ---- from files ---- */

// all elements of one kind that there are cells for
static SticStatus check_data(const SticMeshData* data, SticError* error)
{
    if (data->element_count == 0)
        return stic_error_set(error, STIC_BAD_DATA, "the mesh has no volume elements");
    const uint8_t kind = data->element_kind[0];
    for (int32_t i = 0; i < data->element_count; ++i)
        if (data->element_kind[i] != kind ||
            (kind != STIC_ELEMENT_TETRAHEDRON && kind != STIC_ELEMENT_HEXAHEDRON))
            return stic_error_set(error, STIC_UNSUPPORTED,
                                  "solids take meshes of tetrahedra alone or of hexahedra alone; "
                                  "element %d is something else",
                                  i);
    return STIC_OK;
}

static SticStatus copy_cells(const SticContext* context, const SticMeshData* data, int32_t* number,
                             SticSolidMesh* mesh)
{
    const int32_t entries = data->element_begin[data->element_count];
    int32_t nodes = 0;
    for (int32_t k = 0; k < entries; ++k)
        number[data->element_node[k]] = 1;
    for (int32_t i = 0; i < data->vertex_count; ++i)
        number[i] = number[i] == 1 ? nodes++ : -1;
    STIC_TRY(
        take(context,
             data->element_kind[0] == STIC_ELEMENT_TETRAHEDRON ? STIC_SOLID_TET4 : STIC_SOLID_HEX8,
             nodes, data->element_count, mesh));
    for (int32_t i = 0; i < data->vertex_count; ++i)
        if (number[i] >= 0)
            mesh->node[number[i]] = data->vertex[i];
    for (int32_t k = 0; k < entries; ++k)
        mesh->cell[k] = number[data->element_node[k]];
    return STIC_OK;
}

SticStatus stic_solid_mesh_from(const SticContext* context, const SticMeshData* data,
                                bool quadratic, SticSolidMesh* mesh, SticError* error)
{
    context = stic_context_given(context);
    STIC_ASSERT(data != NULL);
    STIC_ASSERT(mesh != NULL);
    memset(mesh, 0, sizeof *mesh);
    STIC_TRY(check_data(data, error));
    SticSolidMesh linear;
    int32_t* number = NULL;
    SticStatus status = STIC_ALLOCATE(context, &number, (size_t)data->vertex_count);
    if (status == STIC_OK)
        status = copy_cells(context, data, number, &linear);
    STIC_RELEASE(context, number, (size_t)data->vertex_count);
    if (status == STIC_OK)
        status = finish(&linear, quadratic, mesh);
    return status == STIC_OK ? STIC_OK
                             : stic_error_set(error, status, "a mesh of %d elements: %s",
                                              data->element_count, stic_status_text(status));
}

SticStatus stic_solid_mesh_read(const SticContext* context, const char* path, bool quadratic,
                                SticSolidMesh* mesh, SticError* error)
{
    STIC_ASSERT(mesh != NULL);
    memset(mesh, 0, sizeof *mesh);
    STIC_GIVEN(path, error);
    context = stic_context_given(context);
    SticMeshData data = {.vertex = NULL};
    STIC_TRY(stic_mesh_data_read(context, path, &data, error));
    const SticStatus status = stic_solid_mesh_from(context, &data, quadratic, mesh, error);
    stic_mesh_data_release(&data);
    return status;
}

SticStatus stic_solid_mesh_append(SticSolidMesh* mesh, const SticSolidMesh* other, SticError* error)
{
    STIC_ASSERT(mesh != NULL);
    STIC_ASSERT(other != NULL);
    if (mesh->kind != other->kind)
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "a mesh of %s cannot be appended to one of %s",
                              stic_solid_cell_name(other->kind), stic_solid_cell_name(mesh->kind));
    SticSolidMesh both;
    const SticStatus status = take(&mesh->context, mesh->kind, (int64_t)mesh->nodes + other->nodes,
                                   (int64_t)mesh->cells + other->cells, &both);
    if (status != STIC_OK)
        return stic_error_set(error, status, "appending a mesh: %s", stic_status_text(status));
    const int32_t each = stic_solid_cell_nodes(mesh->kind);
    memcpy(both.node, mesh->node, (size_t)mesh->nodes * sizeof *both.node);
    memcpy(both.node + mesh->nodes, other->node, (size_t)other->nodes * sizeof *both.node);
    memcpy(both.cell, mesh->cell, (size_t)mesh->cells * (size_t)each * sizeof *both.cell);
    for (int32_t k = 0; k < other->cells * each; ++k)
        both.cell[mesh->cells * each + k] = mesh->nodes + other->cell[k];
    stic_solid_mesh_release(mesh);
    *mesh = both;
    return STIC_OK;
}

/* ---- surfaces ---- */

// corners of a face, ascending; a triangle has a fourth one before all others
static void sorted_corners(const SticSolidMesh* mesh, int32_t face, uint64_t corner[4])
{
    const SticSolidTopology* topology = stic_solid_cell_topology(mesh->kind);
    const uint8_t* local = topology->face[face % STIC_SOLID_FACES];
    const int32_t* cell =
        mesh->cell + (int64_t)(face / STIC_SOLID_FACES) * stic_solid_cell_nodes(mesh->kind);
    corner[3] = 0;
    for (int k = 0; k < topology->face_corners; ++k)
        corner[k] = (uint64_t)cell[local[k]] + 1;
    stic_few_sort(corner, 4, 0);
}

static bool are_equal(const SticSolidMesh* mesh, int32_t a, int32_t b)
{
    uint64_t of_a[4], of_b[4];
    sorted_corners(mesh, a, of_a);
    sorted_corners(mesh, b, of_b);
    return memcmp(of_a, of_b, sizeof of_a) == 0;
}

SticStatus stic_solid_mesh_boundary(const SticSolidMesh* mesh, int32_t** face, int32_t* count)
{
    const SticSolidTopology* topology = stic_solid_cell_topology(mesh->kind);
    const size_t room = (size_t)mesh->cells * STIC_SOLID_FACES;
    const int32_t faces = mesh->cells * topology->faces;
    uint64_t* key = NULL;
    int32_t* list = NULL;
    STIC_TRY(take_sorted(&mesh->context, faces, &key, &list));
    SticStatus status = STIC_ALLOCATE(&mesh->context, face, room);
    for (int32_t k = 0; k < faces; ++k) {
        uint64_t corner[4];
        list[k] = STIC_SOLID_FACES * (k / topology->faces) + k % topology->faces;
        sorted_corners(mesh, list[k], corner);
        key[k] = corner[2] << 32 | corner[3];
    }
    stic_radix_sort_values(faces, key, list, key + faces, list + faces);
    // few faces share two of their corners
    int32_t own = 0;
    for (int32_t k = 0; status == STIC_OK && k < faces; ++k) {
        bool twice = false;
        for (int32_t j = k - 1; !twice && j >= 0 && key[j] == key[k]; --j)
            twice = are_equal(mesh, list[j], list[k]);
        for (int32_t j = k + 1; !twice && j < faces && key[j] == key[k]; ++j)
            twice = are_equal(mesh, list[j], list[k]);
        if (!twice)
            (*face)[own++] = list[k];
    }
    *count = own;
    STIC_RELEASE(&mesh->context, key, 2 * (size_t)faces);
    STIC_RELEASE(&mesh->context, list, 2 * (size_t)faces);
    return status;
}

int32_t stic_solid_mesh_face(const SticSolidMesh* mesh, int32_t face, int32_t node[8])
{
    const SticSolidTopology* topology = stic_solid_cell_topology(mesh->kind);
    const uint8_t* local = topology->face[face % STIC_SOLID_FACES];
    const int32_t* cell =
        mesh->cell + (int64_t)(face / STIC_SOLID_FACES) * stic_solid_cell_nodes(mesh->kind);
    const int32_t n = topology->face_corners;
    for (int k = 0; k < n; ++k)
        node[k] = cell[local[k]];
    if (!stic_solid_cell_is_quadratic(mesh->kind))
        return n;
    for (int k = 0; k < n; ++k)
        for (int e = 0; e < topology->edges; ++e) {
            const uint8_t *edge = topology->edge[e], a = local[k], b = local[(k + 1) % n];
            if ((edge[0] == a && edge[1] == b) || (edge[0] == b && edge[1] == a))
                node[n + k] = cell[topology->corners + e];
        }
    return 2 * n;
}

// shares of the nodes of a face in its area
static void add_face(const SticSolidMesh* mesh, const int32_t node[8], int32_t count, double* area)
{
    const SticVec3* x = mesh->node;
    if (count == 3 || count == 6) {
        const double size =
            0.5 * stic_vec3_norm(stic_vec3_cross(stic_vec3_sub(x[node[1]], x[node[0]]),
                                                 stic_vec3_sub(x[node[2]], x[node[0]])));
        for (int k = count - 3; k < count; ++k)
            area[node[k]] += size / 3.0;
        return;
    }
    // a quadrilateral is the lower side of a hexahedron; the others have no share there
    static const uint8_t own[8] = {0, 1, 2, 3, 8, 11, 13, 9};
    const SticSolidCell kind = count == 8 ? STIC_SOLID_HEX20 : STIC_SOLID_HEX8;
    SticSolidRule rule;
    stic_solid_cell_rule(STIC_SOLID_HEX20, &rule);
    for (int p = 0; p < 9; ++p) {
        const double place[3] = {rule.place[p][0], rule.place[p][1], -1.0};
        double N[STIC_SOLID_CELL_NODES], dN[STIC_SOLID_CELL_NODES][3];
        SticVec3 along[2] = {stic_vec3_zero(), stic_vec3_zero()};
        stic_solid_cell_shape(kind, place, N, dN);
        for (int k = 0; k < count; ++k)
            for (int axis = 0; axis < 2; ++axis)
                along[axis] = stic_vec3_add_scaled(along[axis], dN[own[k]][axis], x[node[k]]);
        // the weight of the point without that of the third direction
        const double size =
            stic_vec3_norm(stic_vec3_cross(along[0], along[1])) * rule.weight[p] / (5.0 / 9.0);
        for (int k = 0; k < count; ++k)
            area[node[k]] += size * N[own[k]];
    }
}

SticStatus stic_solid_areas(const SticSolidMesh* mesh, SticVec3 n, double d, double* area,
                            SticError* error)
{
    STIC_ASSERT(mesh != NULL);
    STIC_ASSERT(area != NULL);
    int32_t *face = NULL, count = 0, found = 0;
    SticVec3 low = mesh->node[0], high = mesh->node[0];
    for (int32_t i = 0; i < mesh->nodes; ++i) {
        low = stic_vec3_min(low, mesh->node[i]);
        high = stic_vec3_max(high, mesh->node[i]);
    }
    const double near = 1e-9 * stic_vec3_distance(low, high) * stic_vec3_norm(n);
    STIC_TRY(stic_solid_mesh_boundary(mesh, &face, &count));
    for (int32_t k = 0; k < count; ++k) {
        int32_t node[8];
        const int32_t nodes = stic_solid_mesh_face(mesh, face[k], node);
        bool inside = true;
        for (int32_t a = 0; a < nodes; ++a)
            inside = inside && stic_vec3_dot(n, mesh->node[node[a]]) >= d - near;
        if (inside)
            add_face(mesh, node, nodes, area);
        found += inside ? 1 : 0;
    }
    STIC_RELEASE(&mesh->context, face, (size_t)mesh->cells * STIC_SOLID_FACES);
    return found > 0 ? STIC_OK
                     : stic_error_set(error, STIC_BAD_ARGUMENT,
                                      "no face of the surface lies beyond the plane");
}

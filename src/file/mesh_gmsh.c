// SPDX-License-Identifier: Apache-2.0
// Gmsh text files (.msh), versions 2.x, 4.0 and 4.1.
//
// Sections in use: $MeshFormat, $Entities (physical groups of version 4), $Nodes, $Elements; others
// are skipped up to their $End line. First-order triangles, quadrilaterals, tetrahedra, hexahedra,
// wedges and pyramids are taken, points and lines left out, anything else is refused: leaving it
// out would lose part of the body. Tags of nodes may have gaps. A physical group is the tag of a
// face or element, 0 if none.
#include <string.h>

#include "file/mesh_data.h"

#include "stiction/extend/base.h"
#include "stiction/extend/vec3.h"

// tags of nodes and groups; Gmsh itself writes them from 1
enum { MAX_NODES = 8, MAX_DIMENSION = 3 };

typedef struct Reader {
    SticScan scan;
    SticMeshData* mesh;
    int32_t major, minor;
    SticIdMap nodes;    // tag of a node to its vertex
    SticIdMap entities; // dimension and tag of an entity to its place in `group`
    int32_t* group;     // physical group of each entity
    size_t capacity;
    bool has_nodes, has_elements;
} Reader;

static SticStatus take_tag(Reader* r, const char* what, int32_t* tag)
{
    return stic_scan_integer(&r->scan, what, 1, INT32_MAX, tag);
}

static SticStatus take_count(Reader* r, const char* what, int32_t* count)
{
    return stic_scan_integer(&r->scan, what, 0, INT32_MAX, count);
}

static SticStatus skip_numbers(Reader* r, int32_t count)
{
    double unused;
    for (int32_t i = 0; i < count; ++i)
        STIC_TRY(stic_scan_real(&r->scan, "a number", &unused));
    return STIC_OK;
}

/* ---- $MeshFormat ---- */

static SticStatus parse_format(Reader* r)
{
    int32_t binary;
    double version;
    STIC_TRY(stic_scan_real(&r->scan, "the version", &version));
    r->major = version >= 2.0 && version < 5.0 ? (int32_t)version : 0;
    r->minor = version >= 4.05 ? 1 : 0;
    if ((r->major != 2 && r->major != 4) || version > 4.15)
        return stic_scan_fail(&r->scan, STIC_UNSUPPORTED,
                              "Gmsh version %g is not read; save as version 2 or 4.1", version);
    STIC_TRY(stic_scan_integer(&r->scan, "the file type", 0, 1, &binary));
    if (binary != 0)
        return stic_scan_fail(&r->scan, STIC_UNSUPPORTED,
                              "binary Gmsh files are not read; save as text (Mesh.Binary = 0)");
    return skip_numbers(r, 1);
}

/* ---- $Entities ---- */

static int64_t entity_key(int32_t dimension, int32_t tag)
{
    return (int64_t)dimension << 32 | (int64_t)(uint32_t)tag;
}

static SticStatus parse_entity(Reader* r, int32_t dimension)
{
    int32_t tag, groups, group = 0, borders = 0;
    STIC_TRY(stic_scan_integer(&r->scan, "the tag of an entity", INT32_MIN, INT32_MAX, &tag));
    // a point has its coordinates, everything else (and points of version 4.0) a box
    STIC_TRY(skip_numbers(r, dimension == 0 && r->minor == 1 ? 3 : 6));
    STIC_TRY(take_count(r, "the number of physical groups", &groups));
    for (int32_t i = 0; i < groups; ++i) {
        int32_t next;
        STIC_TRY(stic_scan_integer(&r->scan, "a physical group", -INT32_MAX, INT32_MAX, &next));
        group = i == 0 ? next : group;
    }
    if (dimension > 0)
        STIC_TRY(take_count(r, "the number of bounding entities", &borders));
    STIC_TRY(skip_numbers(r, borders));
    STIC_TRY(
        STIC_RESERVE(&r->mesh->context, &r->group, &r->capacity, (size_t)r->entities.count + 1));
    const SticStatus status = stic_id_map_add(&r->entities, entity_key(dimension, tag));
    if (status == STIC_BAD_DATA)
        return stic_scan_fail(&r->scan, STIC_BAD_FILE, "entity %d of dimension %d appears twice",
                              tag, dimension);
    STIC_TRY(status);
    // a negative group means the reversed orientation of the same group
    r->group[r->entities.count - 1] = group < 0 ? -group : group;
    return STIC_OK;
}

static SticStatus parse_entities(Reader* r)
{
    int32_t count[MAX_DIMENSION + 1];
    for (int d = 0; d <= MAX_DIMENSION; ++d)
        STIC_TRY(take_count(r, "the number of entities", &count[d]));
    for (int32_t d = 0; d <= MAX_DIMENSION; ++d)
        for (int32_t i = 0; i < count[d]; ++i)
            STIC_TRY(parse_entity(r, d));
    return STIC_OK;
}

/* ---- $Nodes ---- */

static SticStatus add_tag(Reader* r, int32_t tag)
{
    const SticStatus status = stic_id_map_add(&r->nodes, tag);
    if (status == STIC_BAD_DATA)
        return stic_scan_fail(&r->scan, STIC_BAD_FILE, "node %d appears twice", tag);
    return status;
}

static SticStatus parse_point(Reader* r)
{
    double x[3];
    for (int i = 0; i < 3; ++i)
        STIC_TRY(stic_scan_real(&r->scan, "a coordinate", &x[i]));
    return stic_mesh_data_add_vertex(r->mesh, stic_vec3_load(x));
}

// tag and point, one after the other (versions 2 and 4.0)
static SticStatus parse_node(Reader* r)
{
    int32_t tag;
    STIC_TRY(take_tag(r, "the tag of a node", &tag));
    STIC_TRY(add_tag(r, tag));
    return parse_point(r);
}

// dimension and tag of an entity; version 4.0 has the tag first
static SticStatus take_entity(Reader* r, int32_t* dimension, int32_t* tag)
{
    int32_t first, second;
    STIC_TRY(stic_scan_integer(&r->scan, "an entity", INT32_MIN, INT32_MAX, &first));
    STIC_TRY(stic_scan_integer(&r->scan, "an entity", INT32_MIN, INT32_MAX, &second));
    *dimension = r->minor == 1 ? first : second;
    *tag = r->minor == 1 ? second : first;
    if (*dimension < 0 || *dimension > MAX_DIMENSION)
        return stic_scan_fail(&r->scan, STIC_BAD_FILE, "an entity of dimension %d", *dimension);
    return STIC_OK;
}

// version 4: nodes come in blocks, one per entity; a parametric block has as many numbers more per
// node as its entity has dimensions
static SticStatus parse_node_block(Reader* r)
{
    int32_t dimension, entity, parametric, count;
    STIC_TRY(take_entity(r, &dimension, &entity));
    STIC_TRY(stic_scan_integer(&r->scan, "the parametric flag", 0, 1, &parametric));
    STIC_TRY(take_count(r, "the number of nodes", &count));
    for (int32_t i = 0; r->minor == 1 && i < count; ++i) {
        int32_t tag;
        STIC_TRY(take_tag(r, "the tag of a node", &tag));
        STIC_TRY(add_tag(r, tag));
    }
    for (int32_t i = 0; i < count; ++i) {
        STIC_TRY(r->minor == 1 ? parse_point(r) : parse_node(r));
        STIC_TRY(skip_numbers(r, parametric != 0 ? dimension : 0));
    }
    return STIC_OK;
}

static SticStatus parse_nodes(Reader* r)
{
    int32_t blocks, nodes;
    if (r->has_nodes)
        return stic_scan_fail(&r->scan, STIC_BAD_FILE, "a second section of nodes");
    r->has_nodes = true;
    if (r->major == 2) {
        STIC_TRY(take_count(r, "the number of nodes", &nodes));
        for (int32_t i = 0; i < nodes; ++i)
            STIC_TRY(parse_node(r));
        return STIC_OK;
    }
    STIC_TRY(take_count(r, "the number of blocks", &blocks));
    STIC_TRY(take_count(r, "the number of nodes", &nodes));
    STIC_TRY(skip_numbers(r, r->minor == 1 ? 2 : 0));
    for (int32_t i = 0; i < blocks; ++i)
        STIC_TRY(parse_node_block(r));
    if (r->mesh->vertex_count != nodes)
        return stic_scan_fail(&r->scan, STIC_BAD_FILE, "%d nodes were announced, %d came", nodes,
                              r->mesh->vertex_count);
    return STIC_OK;
}

/* ---- $Elements ---- */

// what becomes of an element type: nodes, and faces, elements or nothing
typedef struct Type {
    int32_t code, nodes;
    enum { SKIP, FACE, ELEMENT } use;
    SticElementKind kind;
} Type;

static const Type types[] = {
    {1, 2, SKIP, STIC_ELEMENT_KIND_COUNT},    {2, 3, FACE, STIC_ELEMENT_KIND_COUNT},
    {3, 4, FACE, STIC_ELEMENT_KIND_COUNT},    {4, 4, ELEMENT, STIC_ELEMENT_TETRAHEDRON},
    {5, 8, ELEMENT, STIC_ELEMENT_HEXAHEDRON}, {6, 6, ELEMENT, STIC_ELEMENT_WEDGE},
    {7, 5, ELEMENT, STIC_ELEMENT_PYRAMID},    {15, 1, SKIP, STIC_ELEMENT_KIND_COUNT},
};

static SticStatus take_type(Reader* r, const Type** type)
{
    int32_t code;
    *type = &types[0];
    STIC_TRY(stic_scan_integer(&r->scan, "the type of an element", 1, INT32_MAX, &code));
    for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i)
        if (types[i].code == code) {
            *type = &types[i];
            return STIC_OK;
        }
    return stic_scan_fail(&r->scan, STIC_UNSUPPORTED,
                          "elements of type %d are not read, only first-order triangles, "
                          "quadrilaterals, tetrahedra, hexahedra, wedges and pyramids",
                          code);
}

static SticStatus parse_element_nodes(Reader* r, const Type* type, int32_t group)
{
    int32_t vertex[MAX_NODES];
    for (int32_t i = 0; i < type->nodes; ++i) {
        int32_t tag;
        STIC_TRY(take_tag(r, "the tag of a node", &tag));
        vertex[i] = stic_id_map_find(&r->nodes, tag);
        if (vertex[i] < 0)
            return stic_scan_fail(&r->scan, STIC_BAD_FILE, "there is no node %d", tag);
    }
    if (type->use == FACE)
        return stic_mesh_data_add_face(r->mesh, type->nodes, vertex, group);
    if (type->use == ELEMENT)
        return stic_mesh_data_add_element(r->mesh, type->kind, vertex, group);
    return STIC_OK;
}

// version 2: tag, type, number of further tags (the first is the physical group), nodes
static SticStatus parse_element(Reader* r)
{
    int32_t tag, tags, group = 0;
    const Type* type;
    STIC_TRY(take_tag(r, "the tag of an element", &tag));
    STIC_TRY(take_type(r, &type));
    STIC_TRY(take_count(r, "the number of tags", &tags));
    if (tags > 0)
        STIC_TRY(stic_scan_integer(&r->scan, "a physical group", -INT32_MAX, INT32_MAX, &group));
    STIC_TRY(skip_numbers(r, tags > 0 ? tags - 1 : 0));
    return parse_element_nodes(r, type, group < 0 ? -group : group);
}

static SticStatus parse_element_block(Reader* r)
{
    int32_t dimension, entity, count, tag;
    const Type* type;
    STIC_TRY(take_entity(r, &dimension, &entity));
    STIC_TRY(take_type(r, &type));
    STIC_TRY(take_count(r, "the number of elements", &count));
    const int32_t known = stic_id_map_find(&r->entities, entity_key(dimension, entity));
    for (int32_t i = 0; i < count; ++i) {
        STIC_TRY(take_tag(r, "the tag of an element", &tag));
        STIC_TRY(parse_element_nodes(r, type, known < 0 ? 0 : r->group[known]));
    }
    return STIC_OK;
}

static SticStatus parse_elements(Reader* r)
{
    int32_t blocks, elements;
    if (r->has_elements || !r->has_nodes)
        return stic_scan_fail(&r->scan, STIC_BAD_FILE,
                              r->has_nodes ? "a second section of elements"
                                           : "elements stand before their nodes");
    r->has_elements = true;
    if (r->major == 2) {
        STIC_TRY(take_count(r, "the number of elements", &elements));
        for (int32_t i = 0; i < elements; ++i)
            STIC_TRY(parse_element(r));
        return STIC_OK;
    }
    STIC_TRY(take_count(r, "the number of blocks", &blocks));
    STIC_TRY(take_count(r, "the number of elements", &elements));
    STIC_TRY(skip_numbers(r, r->minor == 1 ? 2 : 0));
    for (int32_t i = 0; i < blocks; ++i)
        STIC_TRY(parse_element_block(r));
    return STIC_OK;
}

/* ---- sections ---- */

// skip everything up to the $End line of a section
static SticStatus skip_section(Reader* r, const char* name, size_t length)
{
    const SticScan start = r->scan;
    while (!stic_scan_at_end(&r->scan)) {
        if (r->scan.at[0] == '$' && (size_t)(r->scan.end - r->scan.at) >= length + 4 &&
            memcmp(r->scan.at, "$End", 4) == 0 && memcmp(r->scan.at + 4, name, length) == 0)
            return STIC_OK;
        const char* unused;
        size_t count;
        stic_scan_line(&r->scan, &unused, &count);
    }
    return stic_scan_fail(&start, STIC_BAD_FILE, "the section %.*s has no end",
                          length > 40 ? 40 : (int)length, name);
}

static SticStatus parse_section(Reader* r)
{
    const char* name;
    size_t length;
    STIC_TRY(stic_scan_literal(&r->scan, "$"));
    stic_scan_line(&r->scan, &name, &length);
    while (length > 0 && (name[length - 1] == '\r' || name[length - 1] == ' '))
        --length;
    const bool format = length == 10 && memcmp(name, "MeshFormat", 10) == 0;
    const bool entities = length == 8 && memcmp(name, "Entities", 8) == 0;
    const bool nodes = length == 5 && memcmp(name, "Nodes", 5) == 0;
    const bool elements = length == 8 && memcmp(name, "Elements", 8) == 0;
    if (length == 0 || (!format && r->major == 0 && (nodes || elements || entities)))
        return stic_scan_fail(&r->scan, STIC_BAD_FILE, "a section $MeshFormat must come first");
    if (format)
        STIC_TRY(parse_format(r));
    else if (entities)
        STIC_TRY(parse_entities(r));
    else if (nodes)
        STIC_TRY(parse_nodes(r));
    else if (elements)
        STIC_TRY(parse_elements(r));
    else
        STIC_TRY(skip_section(r, name, length));
    STIC_TRY(stic_scan_literal(&r->scan, "$End"));
    if ((size_t)(r->scan.end - r->scan.at) < length || memcmp(r->scan.at, name, length) != 0)
        return stic_scan_fail(&r->scan, STIC_BAD_FILE, "$End%.*s is expected here",
                              length > 40 ? 40 : (int)length, name);
    r->scan.at += length;
    return STIC_OK;
}

SticStatus stic_gmsh_parse(const SticMeshSource* source, SticMeshData* mesh, SticError* error)
{
    Reader r = {.scan = stic_scan_begin(source->bytes, source->size, source->name, error),
                .mesh = mesh,
                .nodes = {.context = &mesh->context},
                .entities = {.context = &mesh->context}};
    SticStatus status = STIC_OK;
    while (status == STIC_OK && !stic_scan_at_end(&r.scan))
        status = parse_section(&r);
    if (status == STIC_OK && (mesh->face_count == 0 && mesh->element_count == 0))
        status = stic_scan_fail(&r.scan, STIC_BAD_FILE, "the file has no face and no element");
    stic_id_map_release(&r.nodes);
    stic_id_map_release(&r.entities);
    STIC_RELEASE(&mesh->context, r.group, r.capacity);
    return status;
}

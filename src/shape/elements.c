// SPDX-License-Identifier: Apache-2.0
// Compounds from finite-element meshes of tetrahedra, pyramids, wedges and hexahedra.
//
// Every element becomes a convex polyhedron with its own faces; faces with the same nodes in two
// elements are internal (Koziara 2008, chapter 2). They are found by sorting faces by their two
// lowest nodes. Cost: O(n) and a radix sort.
#include "shape/build.h"

#include <stdio.h>
#include <string.h>

enum { MAX_FACES = 6, MAX_SIDES = 4, MAX_NODES = 8 };

// faces counter-clockwise seen from outside
typedef struct Pattern {
    int32_t nodes, faces;
    int32_t begin[MAX_FACES + 1];
    int32_t corner[MAX_FACES * MAX_SIDES];
} Pattern;

static const Pattern patterns[STIC_ELEMENT_KIND_COUNT] = {
    [STIC_ELEMENT_TETRAHEDRON] = {4, 4, {0, 3, 6, 9, 12}, {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2}},
    [STIC_ELEMENT_PYRAMID] = {5,
                              5,
                              {0, 4, 7, 10, 13, 16},
                              {0, 3, 2, 1, 0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4}},
    [STIC_ELEMENT_WEDGE] = {6,
                            5,
                            {0, 3, 6, 10, 14, 18},
                            {0, 2, 1, 3, 4, 5, 0, 1, 4, 3, 1, 2, 5, 4, 2, 0, 3, 5}},
    [STIC_ELEMENT_HEXAHEDRON] = {8, 6, {0, 4, 8, 12, 16, 20, 24}, {0, 3, 2, 1, 4, 5, 6, 7,
                                                                   0, 1, 5, 4, 1, 2, 6, 5,
                                                                   2, 3, 7, 6, 3, 0, 4, 7}},
};

SticElementsDef stic_elements_default_def(void)
{
    return (SticElementsDef){.tolerance = 1e-9};
}

SticElementsDef stic_elements_def_from(const SticMeshData* mesh)
{
    STIC_ASSERT(mesh != NULL);
    SticElementsDef def = stic_elements_default_def();
    def.node = mesh->vertex;
    def.node_count = mesh->vertex_count;
    def.kind = mesh->element_kind;
    def.element_begin = mesh->element_begin;
    def.element_node = mesh->element_node;
    def.element_count = mesh->element_count;
    return def;
}

static SticStatus check_element(const SticElementsDef* def, int32_t e, SticError* error)
{
    const int32_t* node = def->element_node + def->element_begin[e];
    const int32_t count = def->element_begin[e + 1] - def->element_begin[e];
    if (def->kind[e] >= STIC_ELEMENT_KIND_COUNT)
        return stic_error_set(error, STIC_BAD_DATA, "element %d has the unknown kind %d", e,
                              def->kind[e]);
    if (count != patterns[def->kind[e]].nodes)
        return stic_error_set(error, STIC_BAD_DATA, "element %d has %d nodes instead of %d", e,
                              count, patterns[def->kind[e]].nodes);
    for (int32_t i = 0; i < count; ++i) {
        if (node[i] < 0 || node[i] >= def->node_count)
            return stic_error_set(error, STIC_BAD_DATA,
                                  "element %d refers to node %d, but there are %d nodes", e,
                                  node[i], def->node_count);
        for (int32_t j = 0; j < i; ++j)
            if (node[i] == node[j])
                return stic_error_set(error, STIC_BAD_DATA, "element %d has node %d twice", e,
                                      node[i]);
    }
    return STIC_OK;
}

static SticStatus check_def(const SticElementsDef* def, SticError* error)
{
    STIC_TRY(stic_shape_check_tolerance(def->tolerance, error));
    STIC_TRY(stic_shape_check_points(def->node, def->node_count, "node", error));
    if (def->element_count < 1 || def->element_count > INT32_MAX / MAX_FACES)
        return stic_error_set(error, STIC_BAD_DATA, "%d elements are too few or too many",
                              def->element_count);
    if (def->element_begin[0] != 0)
        return stic_error_set(error, STIC_BAD_DATA, "the first element must begin at 0");
    for (int32_t e = 0; e < def->element_count; ++e)
        STIC_TRY(check_element(def, e, error));
    return STIC_OK;
}

static SticStatus make_element(const SticShapeWork* work, const SticElementsDef* def, int32_t e,
                               SticElement* element)
{
    const Pattern* pattern = &patterns[def->kind[e]];
    const int32_t* node = def->element_node + def->element_begin[e];
    SticVec3 vertex[MAX_NODES];
    for (int32_t i = 0; i < pattern->nodes; ++i)
        vertex[i] = def->node[node[i]];
    char owner[32];
    snprintf(owner, sizeof owner, "element %d: ", e);
    const SticFaces faces = {.vertex = vertex,
                             .vertex_count = pattern->nodes,
                             .begin = pattern->begin,
                             .corner = pattern->corner,
                             .count = pattern->faces};
    const SticPolyhedronOptions options = {
        .tolerance = def->tolerance, .merge = false, .given = true, .node = node, .owner = owner};
    SticMoments moments;
    element->pose = stic_pose_identity();
    STIC_TRY(
        stic_shape_allocate(work->context, STIC_SHAPE_POLYHEDRON, &element->shape, work->error));
    SticPolyhedron* p = &element->shape->as.polyhedron;
    STIC_TRY(stic_polyhedron_build(work, &faces, &options, p, &moments));
    stic_shape_set_polyhedron(element->shape, &moments);
    return STIC_OK;
}

// one face of one element
typedef struct Side {
    int32_t element, face, count;
    int32_t node[MAX_SIDES];   // in the order of the face
    int32_t sorted[MAX_SIDES]; // ascending; the fourth of a triangle is -1
} Side;

static Side make_side(const SticElementsDef* def, int32_t e, int32_t f)
{
    const Pattern* pattern = &patterns[def->kind[e]];
    Side side = {.element = e, .face = f, .count = pattern->begin[f + 1] - pattern->begin[f]};
    side.sorted[MAX_SIDES - 1] = -1;
    for (int32_t i = 0; i < side.count; ++i) {
        side.node[i] =
            def->element_node[def->element_begin[e] + pattern->corner[pattern->begin[f] + i]];
        int32_t j = i;
        for (; j > 0 && side.sorted[j - 1] > side.node[i]; --j)
            side.sorted[j] = side.sorted[j - 1];
        side.sorted[j] = side.node[i];
    }
    return side;
}

// true if the second runs around the other way
static bool runs_against(const Side* a, const Side* b)
{
    int32_t j = 0;
    while (b->node[j] != a->node[0])
        ++j;
    return b->node[(j + 1) % b->count] == a->node[a->count - 1] &&
           b->node[(j + b->count - 1) % b->count] == a->node[1];
}

static SticStatus join_sides(const SticShapeWork* work, SticCompound* compound, const Side* a,
                             const Side* b)
{
    SticPolyhedron* p = &compound->element[a->element].shape->as.polyhedron;
    SticPolyhedron* q = &compound->element[b->element].shape->as.polyhedron;
    if (p->face_neighbour[a->face] >= 0 || q->face_neighbour[b->face] >= 0)
        return stic_error_set(work->error, STIC_BAD_DATA,
                              "the face with nodes %d, %d and %d belongs to more than two elements "
                              "(two of them are %d and %d)",
                              a->node[0], a->node[1], a->node[2], a->element, b->element);
    if (!runs_against(a, b))
        return stic_error_set(work->error, STIC_BAD_DATA,
                              "elements %d and %d lie on the same side of their common face with "
                              "nodes %d, %d and %d",
                              a->element, b->element, a->node[0], a->node[1], a->node[2]);
    stic_polyhedron_mark_face(p, a->face, b->element);
    stic_polyhedron_mark_face(q, b->face, a->element);
    return STIC_OK;
}

static SticStatus find_internal(const SticShapeWork* work, const SticElementsDef* def,
                                SticCompound* compound)
{
    uint64_t *key, *key_scratch;
    int32_t *order, *order_scratch;
    Side* side;
    const size_t most = (size_t)def->element_count * MAX_FACES;
    STIC_TRY(STIC_TAKE(work->arena, &side, most));
    STIC_TRY(STIC_TAKE(work->arena, &key, most));
    STIC_TRY(STIC_TAKE(work->arena, &key_scratch, most));
    STIC_TRY(STIC_TAKE(work->arena, &order, most));
    STIC_TRY(STIC_TAKE(work->arena, &order_scratch, most));
    int32_t count = 0;
    for (int32_t e = 0; e < def->element_count; ++e)
        for (int32_t f = 0; f < patterns[def->kind[e]].faces; ++f) {
            side[count] = make_side(def, e, f);
            key[count] = (uint64_t)side[count].sorted[0] << 32 | (uint64_t)side[count].sorted[1];
            order[count] = count;
            ++count;
        }
    stic_radix_sort_values(count, key, order, key_scratch, order_scratch);

    // few faces share their two lowest nodes
    for (int32_t i = 0; i < count; ++i)
        for (int32_t j = i + 1; j < count && key[j] == key[i]; ++j) {
            const Side *a = &side[order[i]], *b = &side[order[j]];
            if (memcmp(a->sorted, b->sorted, sizeof a->sorted) == 0)
                STIC_TRY(join_sides(work, compound, a, b));
        }
    return STIC_OK;
}

static SticStatus build(const SticShapeWork* work, const void* from, SticShape* shape)
{
    const SticElementsDef* def = from;
    SticCompound* compound = &shape->as.compound;
    STIC_TRY(check_def(def, work->error));
    compound->count = def->element_count;
    compound->shared_nodes = true;
    STIC_TRY(STIC_ALLOCATE(work->context, &compound->element, compound->count));
    for (int32_t e = 0; e < def->element_count; ++e)
        STIC_TRY(make_element(work, def, e, &compound->element[e]));
    STIC_TRY(find_internal(work, def, compound));
    return stic_compound_complete(work, shape);
}

SticStatus stic_shape_create_elements(const SticContext* context, const SticElementsDef* def,
                                      SticShape** shape, SticError* error)
{
    context = stic_context_given(context);
    STIC_ASSERT(def != NULL);
    STIC_ASSERT(shape != NULL);
    return stic_shape_build(context, STIC_SHAPE_COMPOUND, build, def, shape, error);
}

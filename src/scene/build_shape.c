// SPDX-License-Identifier: Apache-2.0
// Shapes of a scene: checked, and kept once however often a script makes them.
#include <stdio.h>
#include <string.h>

#include "scene/scene.h"

#include "stiction/extend/base.h"
#include "stiction/extend/vec3.h"

/* ---- shapes by content ---- */

static bool same(const void* a, const void* b, size_t bytes)
{
    return bytes == 0 || memcmp(a, b, bytes) == 0;
}

// bytes of the list of corners of faces or elements
static size_t corners(const int32_t* begin, int32_t count)
{
    return count > 0 ? (size_t)begin[count] * sizeof(int32_t) : 0;
}

static bool same_parts(const SticScenePart* a, const SticScenePart* b, int32_t count)
{
    for (int32_t i = 0; i < count; ++i)
        if (a[i].shape != b[i].shape || a[i].material != b[i].material ||
            !same(&a[i].position, &b[i].position, sizeof a->position) ||
            !same(&a[i].orientation, &b[i].orientation, sizeof a->orientation))
            return false;
    return true;
}

static bool same_shape(const SticSceneShape* a, const SticSceneShape* b)
{
    const double x[] = {a->radius,   a->length,   a->size.x, a->size.y, a->size.z, a->normal.x,
                        a->normal.y, a->normal.z, a->offset, a->dx,     a->dy};
    const double y[] = {b->radius,   b->length,   b->size.x, b->size.y, b->size.z, b->normal.x,
                        b->normal.y, b->normal.z, b->offset, b->dx,     b->dy};
    for (size_t k = 0; k < sizeof x / sizeof x[0]; ++k)
        if (x[k] != y[k])
            return false;
    return a->kind == b->kind && a->columns == b->columns && a->vertex_count == b->vertex_count &&
           a->face_count == b->face_count && a->element_count == b->element_count &&
           a->part_count == b->part_count && a->height_count == b->height_count &&
           corners(a->face_begin, a->face_count) == corners(b->face_begin, b->face_count) &&
           corners(a->element_begin, a->element_count) ==
               corners(b->element_begin, b->element_count) &&
           same(a->vertex, b->vertex, (size_t)a->vertex_count * sizeof *a->vertex) &&
           same(a->face_begin, b->face_begin, (size_t)a->face_count * sizeof(int32_t)) &&
           same(a->face_vertex, b->face_vertex, corners(a->face_begin, a->face_count)) &&
           same(a->element_node, b->element_node, corners(a->element_begin, a->element_count)) &&
           same(a->element_begin, b->element_begin, (size_t)a->element_count * sizeof(int32_t)) &&
           same_parts(a->part, b->part, a->part_count) &&
           same(a->height, b->height, (size_t)a->height_count * sizeof *a->height);
}

static uint64_t hash_shape(const SticSceneShape* a)
{
    const double x[] = {(double)a->kind, a->radius,   a->length,   a->size.x, a->size.y, a->size.z,
                        a->normal.x,     a->normal.y, a->normal.z, a->offset, a->dx,     a->dy};
    uint64_t hash = stic_hash_doubles(0, x, sizeof x / sizeof x[0]);
    if (a->vertex_count > 0)
        hash = stic_hash_bytes(hash, a->vertex, (size_t)a->vertex_count * sizeof *a->vertex);
    if (a->height_count > 0)
        hash = stic_hash_doubles(hash, a->height, (size_t)a->height_count);
    return hash;
}

// slot of a shape of this content, or the free one where it belongs
static size_t shape_slot(const SticBuilder* builder, const SticSceneShape* shape)
{
    const SticNames* names = &builder->shapes;
    size_t at = hash_shape(shape) & (names->slots - 1);
    while (names->slot[at] != 0 && !same_shape(&builder->scene->shape[names->slot[at] - 1], shape))
        at = (at + 1) & (names->slots - 1);
    return at;
}

static SticStatus grow_shapes(SticBuilder* builder)
{
    const SticContext* context = &builder->scene->context;
    SticNames* names = &builder->shapes;
    SticNames old = *names;
    SticNames grown = {.slots = old.slots == 0 ? 64 : 2 * old.slots, .count = old.count};
    STIC_TRY(STIC_ALLOCATE(context, &grown.slot, grown.slots));
    *names = grown;
    for (size_t k = 0; k < old.slots; ++k)
        if (old.slot[k] != 0)
            names->slot[shape_slot(builder, &builder->scene->shape[old.slot[k] - 1])] = old.slot[k];
    STIC_RELEASE(context, old.slot, old.slots);
    return STIC_OK;
}

static SticStatus check_shape(SticBuilder* builder, const SticValue* value, SticSceneShape* shape)
{
    const int32_t* lists[2] = {shape->face_vertex, shape->element_node};
    const int32_t* begins[2] = {shape->face_begin, shape->element_begin};
    const int32_t counts[2] = {shape->face_count, shape->element_count};
    for (int k = 0; k < 2; ++k)
        for (int32_t i = 0; counts[k] > 0 && i < begins[k][counts[k]]; ++i)
            if (lists[k][i] < 0 || lists[k][i] >= shape->vertex_count)
                return stic_builder_fail(builder, value, "there is no vertex %d, only %d",
                                         lists[k][i] + 1, shape->vertex_count);
    switch (shape->kind) {
    case STIC_SHAPE_SPHERE:
    case STIC_SHAPE_CAPSULE:
    case STIC_SHAPE_CYLINDER:
        if (!(shape->radius > 0.0))
            return stic_builder_fail(builder, value, "radius is missing");
        if (shape->kind == STIC_SHAPE_CYLINDER && !(shape->length > 0.0))
            return stic_builder_fail(builder, value, "height is missing");
        break;
    case STIC_SHAPE_BOX:
    case STIC_SHAPE_ELLIPSOID:
        if (!(shape->size.x > 0.0))
            return stic_builder_fail(builder, value, "%s is missing",
                                     shape->kind == STIC_SHAPE_BOX ? "size" : "semi_axes");
        break;
    case STIC_SHAPE_HALF_SPACE:
        if (!(stic_vec3_norm(shape->normal) > 0.0))
            return stic_builder_fail(builder, value, "the normal has no direction");
        break;
    case STIC_SHAPE_POLYHEDRON:
    case STIC_SHAPE_MESH:
        if (shape->vertex_count == 0)
            return stic_builder_fail(builder, value, "points or a file are missing");
        break;
    case STIC_SHAPE_COMPOUND:
        if (shape->element_count == 0 && shape->part_count == 0)
            return stic_builder_fail(builder, value, "shapes, elements or a file are missing");
        break;
    default:
        if (shape->columns < 2 || shape->height_count < 2 * shape->columns ||
            shape->height_count % shape->columns != 0 || !(shape->dx > 0.0) || !(shape->dy > 0.0))
            return stic_builder_fail(builder, value,
                                     "columns, dx, dy and whole rows of heights are needed");
        break;
    }
    return STIC_OK;
}

SticStatus stic_builder_add_shape(SticBuilder* builder, const SticValue* value, int32_t* index)
{
    static const char* const skip[] = {"kind", NULL};
    SticScene* scene = builder->scene;
    SticSceneShape made;
    memset(&made, 0, sizeof made);
    made.line = stic_builder_line(builder, value);
    STIC_TRY(
        stic_builder_kind(builder, stic_entries_shape, STIC_SHAPE_KIND_COUNT, value, &made.kind));
    snprintf(builder->what, sizeof builder->what, "shape.%s", stic_entries_shape[made.kind].kind);
    if (made.kind == STIC_SHAPE_HALF_SPACE)
        made.normal = stic_vec3(0.0, 0.0, 1.0);
    STIC_TRY(stic_builder_fields(builder, &stic_entries_shape[made.kind], value, skip, &made));
    const SticValue* file = stic_value_get(value, "file");
    if (file != NULL)
        STIC_TRY(stic_builder_file(builder, file, value, &made, false));
    STIC_TRY(check_shape(builder, value, &made));
    if (!builder->share) {
        STIC_TRY(stic_builder_append_shape(builder, &made));
        *index = scene->def.shape_count - 1;
        return STIC_OK;
    }
    // the same shape again is the shape that is there
    SticNames* names = &builder->shapes;
    if ((size_t)names->count * 2 >= names->slots)
        STIC_TRY(grow_shapes(builder));
    const size_t slot = shape_slot(builder, &made);
    if (names->slot[slot] == 0) {
        STIC_TRY(stic_builder_append_shape(builder, &made));
        names->slot[slot] = scene->def.shape_count;
        names->count += 1;
    }
    *index = names->slot[slot] - 1;
    return STIC_OK;
}

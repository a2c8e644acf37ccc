// SPDX-License-Identifier: Apache-2.0
// Fields that are lists: numbers, points, faces, elements, and the shapes of a body.
#include <math.h>
#include <string.h>

#include "scene/scene.h"

#include "stiction/extend/base.h"

static void* member_at(void* target, uint32_t offset)
{
    return (unsigned char*)target + offset;
}

static void store(void* target, const SticEntry* entry, const void* list, int32_t count)
{
    memcpy(member_at(target, entry->offset), &list, sizeof list);
    memcpy(member_at(target, entry->count_offset), &count, sizeof count);
}

static SticStatus read_reals(SticBuilder* builder, const SticEntry* entry, const SticValue* value,
                             void* target)
{
    const int32_t count = stic_value_length(value);
    if (value->type != STIC_VALUE_TABLE || count != value->count || count == 0)
        return stic_builder_refuse(builder, entry, value);
    double* list = NULL;
    STIC_TRY(STIC_TAKE(builder->scene->arena, &list, count));
    for (int32_t i = 0; i < count; ++i) {
        const SticValue* x = &value->item[i].value;
        if (x->type != STIC_VALUE_NUMBER || !isfinite(x->number))
            return stic_builder_refuse(builder, entry, x);
        list[i] = x->number;
    }
    store(target, entry, list, count);
    return STIC_OK;
}

// points as {x, y, z} each, or as one list of numbers
static SticStatus read_points(SticBuilder* builder, const SticEntry* entry, const SticValue* value,
                              void* target)
{
    const int32_t count = stic_value_length(value);
    if (value->type != STIC_VALUE_TABLE || count != value->count || count == 0)
        return stic_builder_refuse(builder, entry, value);
    const bool flat = value->item[0].value.type == STIC_VALUE_NUMBER;
    if (flat && count % 3 != 0)
        return stic_builder_fail(builder, value, "%s: %d numbers are not points of three each",
                                 entry->name, count);
    const int32_t points = flat ? count / 3 : count;
    SticVec3* list = NULL;
    STIC_TRY(STIC_TAKE(builder->scene->arena, &list, points));
    for (int32_t i = 0; i < points; ++i) {
        double x[3];
        const SticValue* point = &value->item[i].value;
        if (!flat && (point->type != STIC_VALUE_TABLE || point->count != 3))
            return stic_builder_refuse(builder, entry, point);
        for (int32_t k = 0; k < 3; ++k) {
            const SticValue* number = flat ? &value->item[3 * i + k].value : &point->item[k].value;
            if (number->type != STIC_VALUE_NUMBER || !isfinite(number->number))
                return stic_builder_refuse(builder, entry, number);
            x[k] = number->number;
        }
        list[i] = stic_vec3(x[0], x[1], x[2]);
    }
    store(target, entry, list, points);
    return STIC_OK;
}

static const int32_t element_sizes[] = {4, 5, 6, 8};

static bool fits(const SticEntry* entry, int32_t sides)
{
    if (entry->type == STIC_ENTRY_FACES)
        return sides >= 3;
    for (int k = 0; k < 4; ++k)
        if (sides == element_sizes[k])
            return true;
    return false;
}

// lists of vertices, counted from 1 in scenes and from 0 in the definition
static SticStatus read_polygons(SticBuilder* builder, const SticEntry* entry,
                                const SticValue* value, SticSceneShape* shape)
{
    const int32_t count = stic_value_length(value);
    if (value->type != STIC_VALUE_TABLE || count != value->count || count == 0)
        return stic_builder_refuse(builder, entry, value);
    int32_t *begin = NULL, *list = NULL;
    uint8_t* kind = NULL;
    int64_t total = 0;
    for (int32_t i = 0; i < count; ++i) {
        const SticValue* face = &value->item[i].value;
        if (face->type != STIC_VALUE_TABLE || !fits(entry, face->count))
            return stic_builder_refuse(builder, entry, face);
        total += face->count;
    }
    if (total > INT32_MAX)
        return stic_builder_fail(builder, value, "%s: too many vertices", entry->name);
    STIC_TRY(STIC_TAKE(builder->scene->arena, &begin, count + 1));
    STIC_TRY(STIC_TAKE(builder->scene->arena, &list, total));
    STIC_TRY(STIC_TAKE(builder->scene->arena, &kind, count));
    int32_t used = 0;
    for (int32_t i = 0; i < count; ++i) {
        const SticValue* face = &value->item[i].value;
        begin[i] = used;
        for (uint8_t k = 0; k < 4; ++k)
            if (face->count == element_sizes[k])
                kind[i] = k;
        for (int32_t k = 0; k < face->count; ++k) {
            const SticValue* x = &face->item[k].value;
            if (x->type != STIC_VALUE_NUMBER || !(x->number >= 1.0 && x->number <= INT32_MAX) ||
                x->number != floor(x->number))
                return stic_builder_refuse(builder, entry, x);
            list[used++] = (int32_t)x->number - 1;
        }
    }
    begin[count] = used;
    if (entry->type == STIC_ENTRY_FACES) {
        shape->face_count = count;
        shape->face_begin = begin;
        shape->face_vertex = list;
    } else {
        shape->element_count = count;
        shape->element_begin = begin;
        shape->element_node = list;
        shape->element_kind = kind;
    }
    return STIC_OK;
}

static SticStatus read_part(SticBuilder* builder, const SticValue* value, SticScenePart* part)
{
    *part = stic_scene_standards().part;
    if (value->type != STIC_VALUE_TABLE)
        return stic_builder_fail(builder, value,
                                 "a shape is made by shape.box{…}, shape.sphere{…}");
    STIC_TRY(stic_builder_fields(builder, &stic_entries_part, value, NULL, part));
    if (part->shape < 0)
        return stic_builder_fail(builder, value, "a part of a body needs a shape");
    // numbers of shapes count from 1 in scenes
    part->shape -= 1;
    if (part->shape >= builder->scene->def.shape_count)
        return stic_builder_fail(builder, value, "there is no shape %d", part->shape + 1);
    return STIC_OK;
}

// one shape, or a list of them
static SticStatus read_parts(SticBuilder* builder, const SticEntry* entry, const SticValue* value,
                             void* target)
{
    const bool single = stic_value_get(value, "shape") != NULL;
    const int32_t count = single ? 1 : stic_value_length(value);
    if (value->type != STIC_VALUE_TABLE || (!single && count != value->count))
        return stic_builder_refuse(builder, entry, value);
    SticScenePart* list = NULL;
    STIC_TRY(STIC_TAKE(builder->scene->arena, &list, count > 0 ? count : 1));
    for (int32_t i = 0; i < count; ++i)
        STIC_TRY(read_part(builder, single ? value : &value->item[i].value, &list[i]));
    store(target, entry, list, count);
    return STIC_OK;
}

SticStatus stic_builder_list(SticBuilder* builder, const SticEntry* entry, const SticValue* value,
                             void* target)
{
    switch ((SticEntryType)entry->type) {
    case STIC_ENTRY_REALS:
        return read_reals(builder, entry, value, target);
    case STIC_ENTRY_POINTS:
        return read_points(builder, entry, value, target);
    case STIC_ENTRY_FACES:
    case STIC_ENTRY_ELEMENTS:
        return read_polygons(builder, entry, value, target);
    default:
        return read_parts(builder, entry, value, target);
    }
}

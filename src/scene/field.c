// SPDX-License-Identifier: Apache-2.0
// Fields of statements: from values into structs, with messages that name field, value and what is
// accepted.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "math/math.h"
#include "scene/scene.h"
#include "stiction/extend/base.h"
#include "stiction/extend/vec3.h"

enum { LONGEST_TEXT = 1000 };

const SticValue* stic_value_get(const SticValue* table, const char* key)
{
    for (int32_t i = 0; table->type == STIC_VALUE_TABLE && i < table->count; ++i)
        if (table->item[i].key != NULL && strcmp(table->item[i].key, key) == 0)
            return &table->item[i].value;
    return NULL;
}

int32_t stic_value_length(const SticValue* table)
{
    int32_t length = 0;
    if (table->type == STIC_VALUE_TABLE)
        while (length < table->count && table->item[length].key == NULL)
            ++length;
    return length;
}

// a short list of numbers as it was written, else how long it is
static void show_list(const SticValue* value, char text[64])
{
    size_t used = (size_t)snprintf(text, 64, "{");
    for (int32_t i = 0; i < value->count && used < 64; ++i) {
        const SticItem* item = &value->item[i];
        char number[32];
        if (item->key != NULL || item->value.type != STIC_VALUE_NUMBER) {
            used = 64;
            break;
        }
        stic_number_format(item->value.number, number, sizeof number);
        used += (size_t)snprintf(text + used, 64 - used, "%s%s", i > 0 ? ", " : "", number);
    }
    if (used < 63)
        snprintf(text + used, 64 - used, "}");
    else
        snprintf(text, 64, "a table of %d", value->count);
}

const char* stic_value_show(const SticValue* value, char text[64])
{
    switch (value->type) {
    case STIC_VALUE_NUMBER:
        stic_number_format(value->number, text, 64);
        break;
    case STIC_VALUE_STRING:
        snprintf(text, 64, "\"%.40s\"", value->string);
        break;
    case STIC_VALUE_FLAG:
        snprintf(text, 64, "%s", value->number != 0.0 ? "true" : "false");
        break;
    case STIC_VALUE_TABLE:
        show_list(value, text);
        break;
    default:
        snprintf(text, 64, "a function");
        break;
    }
    return text;
}

int32_t stic_builder_line(const SticBuilder* builder, const SticValue* at)
{
    return at != NULL && at->line > 0 ? at->line : builder->line;
}

SticStatus stic_builder_fail(SticBuilder* builder, const SticValue* at, const char* format, ...)
{
    char text[sizeof builder->error->text];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return stic_error_set_at(builder->error, STIC_BAD_DATA, builder->file,
                             stic_builder_line(builder, at), 0, "%s%s%s", builder->what,
                             builder->what[0] != '\0' ? ": " : "", text);
}

const char* stic_entry_accepted(const SticEntry* entry, char text[320])
{
    char low[32], high[32];
    stic_number_format(entry->low, low, sizeof low);
    stic_number_format(entry->high, high, sizeof high);
    size_t used = 0;
    switch ((SticEntryType)entry->type) {
    case STIC_ENTRY_REAL:
        if (entry->low <= -1e300 && entry->high >= 1e300)
            return "a finite number";
        snprintf(text, 320, entry->high >= 1e300 ? "a number >= %s" : "a number in [%s, %s]", low,
                 high);
        return text;
    case STIC_ENTRY_POSITIVE:
        return "a finite number > 0";
    case STIC_ENTRY_OPTIONAL:
        return "a number >= 0, or false for 0";
    case STIC_ENTRY_COUNT:
        snprintf(text, 320, "a whole number in [%s, %s]", low, high);
        return text;
    case STIC_ENTRY_FLAG:
    case STIC_ENTRY_TOUCH:
        return "true or false";
    case STIC_ENTRY_PICK:
        text[0] = '\0';
        for (int i = 0; entry->choices[i] != NULL && used < 300; ++i)
            used += (size_t)snprintf(text + used, 320 - used, "%s%s", i == 0 ? "" : ", ",
                                     entry->choices[i]);
        return text;
    case STIC_ENTRY_NAME:
    case STIC_ENTRY_FILE:
        return "a text";
    case STIC_ENTRY_VEC3:
        return entry->low == 0.0 ? "three numbers > 0" : "three finite numbers";
    case STIC_ENTRY_TURN:
        return "four numbers w, x, y, z, or {axis = {x, y, z}, angle = radians}";
    case STIC_ENTRY_MAT3:
        return "three moments, or nine entries of a symmetric matrix";
    case STIC_ENTRY_PAIR:
        return "a number in [0, 1], or two";
    case STIC_ENTRY_RANGE:
        return "two numbers, the lower one first; math.huge for none";
    case STIC_ENTRY_TURNING:
        return "a number, a signal or a function of t";
    case STIC_ENTRY_PATH:
    case STIC_ENTRY_LOAD:
        return "three components, each a number, a signal or a function of t; or one function "
               "that gives three";
    case STIC_ENTRY_BODY:
        return "the name of a body, or \"ground\"";
    case STIC_ENTRY_JOINT:
        return "the name of a joint";
    case STIC_ENTRY_MATERIAL:
        return "the name of a material";
    case STIC_ENTRY_MATERIALS:
        return "the names of two materials";
    case STIC_ENTRY_COLOUR:
        return "a text \"#rrggbb\", or red, green and blue in [0, 1]";
    case STIC_ENTRY_COMPONENT:
        return "\"x\", \"y\", \"z\", \"length\" or a number from 1";
    case STIC_ENTRY_PARTS:
        return "a shape, or a list of shapes";
    case STIC_ENTRY_REALS:
        return "a list of finite numbers";
    case STIC_ENTRY_POINTS:
        return "a list of points {x, y, z}";
    case STIC_ENTRY_FACES:
        return "a list of lists of three or more vertex numbers";
    case STIC_ENTRY_ELEMENTS:
        return "a list of lists of 4, 5, 6 or 8 vertex numbers";
    }
    return "";
}

static SticStatus refuse(SticBuilder* builder, const SticEntry* entry, const SticValue* value)
{
    char shown[64], text[320];
    const char* accepted = stic_entry_accepted(entry, text);
    // "a, b or c"
    const char* comma = entry->type == STIC_ENTRY_PICK ? strrchr(accepted, ',') : NULL;
    const int head = (int)(comma == NULL ? strlen(accepted) : (size_t)(comma - accepted));
    return stic_builder_fail(builder, value, "%s = %s is not accepted; it must be %.*s%s%s",
                             entry->name, stic_value_show(value, shown), head, accepted,
                             comma == NULL ? "" : " or", comma == NULL ? "" : comma + 1);
}

static bool is_real(const SticValue* value)
{
    return value->type == STIC_VALUE_NUMBER && isfinite(value->number);
}

// the positional items of a table as numbers; false unless there are exactly `count`
static bool numbers(const SticValue* value, int32_t count, double* out)
{
    if (value->type != STIC_VALUE_TABLE || value->count != count ||
        stic_value_length(value) != count)
        return false;
    for (int32_t i = 0; i < count; ++i) {
        if (value->item[i].value.type != STIC_VALUE_NUMBER)
            return false;
        out[i] = value->item[i].value.number;
    }
    return true;
}

static bool all_finite(const double* x, int count)
{
    for (int i = 0; i < count; ++i)
        if (!isfinite(x[i]))
            return false;
    return true;
}

static SticStatus read_scalar(SticBuilder* builder, const SticEntry* entry, const SticValue* value,
                              void* member)
{
    const double x = value->number;
    const bool none = entry->type == STIC_ENTRY_OPTIONAL && value->type == STIC_VALUE_FLAG &&
                      value->number == 0.0;
    if ((value->type != STIC_VALUE_NUMBER && !none) || !(x >= entry->low && x <= entry->high))
        return refuse(builder, entry, value);
    if (entry->type == STIC_ENTRY_COUNT) {
        const int32_t whole = (int32_t)x;
        if (x != floor(x))
            return refuse(builder, entry, value);
        memcpy(member, &whole, sizeof whole);
        return STIC_OK;
    }
    if (entry->type == STIC_ENTRY_POSITIVE && !(x > 0.0))
        return refuse(builder, entry, value);
    memcpy(member, &x, sizeof x);
    return STIC_OK;
}

static SticStatus read_pick(SticBuilder* builder, const SticEntry* entry, const SticValue* value,
                            int32_t* member)
{
    if (value->type != STIC_VALUE_STRING)
        return refuse(builder, entry, value);
    for (int32_t i = 0; entry->choices[i] != NULL; ++i)
        if (strcmp(entry->choices[i], value->string) == 0) {
            *member = i;
            return STIC_OK;
        }
    const char* near = stic_suggest(value->string, entry->choices);
    if (near == NULL)
        return refuse(builder, entry, value);
    return stic_builder_fail(builder, value, "%s = \"%.40s\" is not known; did you mean \"%s\"?",
                             entry->name, value->string, near);
}

// the number of a digit of base 16, -1: none
static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    const char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// "#rrggbb", or three numbers in [0, 1]
static SticStatus read_colour(SticBuilder* builder, const SticEntry* entry, const SticValue* value,
                              SticColour* member)
{
    uint8_t byte[3] = {0, 0, 0};
    double x[3] = {0.0, 0.0, 0.0};
    const bool text = value->type == STIC_VALUE_STRING;
    bool good = text ? strlen(value->string) == 7 && value->string[0] == '#' : numbers(value, 3, x);
    for (int k = 0; good && k < 3; ++k) {
        const int high = text ? hex_digit(value->string[1 + 2 * k]) : 0;
        const int low = text ? hex_digit(value->string[2 + 2 * k]) : 0;
        good = high >= 0 && low >= 0 && x[k] >= 0.0 && x[k] <= 1.0;
        if (good)
            byte[k] = (uint8_t)(text ? 16 * high + low : (int)(x[k] * 255.0 + 0.5));
    }
    if (!good)
        return refuse(builder, entry, value);
    *member = (SticColour){byte[0], byte[1], byte[2], 255};
    return STIC_OK;
}

static SticStatus read_vec3(SticBuilder* builder, const SticEntry* entry, const SticValue* value,
                            SticVec3* member)
{
    double x[3];
    if (!numbers(value, 3, x) || !all_finite(x, 3))
        return refuse(builder, entry, value);
    // a range that begins at 0 is that of lengths
    for (int k = 0; k < 3; ++k)
        if (entry->low == 0.0 && !(x[k] > 0.0))
            return refuse(builder, entry, value);
    *member = stic_vec3(x[0], x[1], x[2]);
    return STIC_OK;
}

static SticStatus read_turn(SticBuilder* builder, const SticEntry* entry, const SticValue* value,
                            SticQuat* member)
{
    double x[4] = {0};
    const SticValue* axis = stic_value_get(value, "axis");
    const SticValue* angle = stic_value_get(value, "angle");
    if (axis != NULL && angle != NULL && value->count == 2 && numbers(axis, 3, x) &&
        all_finite(x, 3) && is_real(angle)) {
        const double length = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
        if (!(length > 0.0) || !isfinite(length))
            return stic_builder_fail(builder, axis, "%s: the axis has no direction", entry->name);
        const double s = stic_sin(0.5 * angle->number) / length;
        *member = stic_quat(stic_cos(0.5 * angle->number), stic_vec3(s * x[0], s * x[1], s * x[2]));
        return STIC_OK;
    }
    if (!numbers(value, 4, x) || !all_finite(x, 4))
        return refuse(builder, entry, value);
    *member = stic_quat(x[0], stic_vec3(x[1], x[2], x[3]));
    const double norm = stic_quat_norm(*member);
    if (!(norm > 0.0) || !isfinite(norm))
        return stic_builder_fail(builder, value, "%s: a quaternion must not be 0", entry->name);
    return STIC_OK;
}

static SticStatus read_mat3(SticBuilder* builder, const SticEntry* entry, const SticValue* value,
                            SticMat3* member)
{
    double x[9] = {0};
    if (numbers(value, 3, x) && all_finite(x, 3)) {
        const double d[9] = {x[0], 0.0, 0.0, 0.0, x[1], 0.0, 0.0, 0.0, x[2]};
        *member = stic_mat3_load(d);
        return STIC_OK;
    }
    if (!numbers(value, 9, x) || !all_finite(x, 9) || x[1] != x[3] || x[2] != x[6] || x[5] != x[7])
        return refuse(builder, entry, value);
    *member = stic_mat3_load(x);
    return STIC_OK;
}

static SticStatus read_pair(SticBuilder* builder, const SticEntry* entry, const SticValue* value,
                            double member[2])
{
    double x[2] = {value->number, 0.0};
    const bool range = entry->type == STIC_ENTRY_RANGE;
    if ((range || value->type != STIC_VALUE_NUMBER) && !numbers(value, 2, x))
        return refuse(builder, entry, value);
    for (int k = 0; k < 2; ++k)
        if (!range && !(x[k] >= entry->low && x[k] <= entry->high))
            return refuse(builder, entry, value);
    if (range && !(x[0] <= x[1]))
        return refuse(builder, entry, value);
    memcpy(member, x, sizeof x);
    return STIC_OK;
}

// one component of a load: a number, {signal = n, constant = c} or a function
static SticStatus read_component(SticBuilder* builder, const SticEntry* entry,
                                 const SticValue* value, double* constant, int32_t* signal)
{
    *constant = 0.0;
    *signal = -1;
    if (is_real(value)) {
        *constant = value->number;
        return STIC_OK;
    }
    if (value->type == STIC_VALUE_FUNCTION && builder->sample != NULL)
        return builder->sample(builder, value, 0, entry->type != STIC_ENTRY_LOAD, signal);
    const SticValue* index = stic_value_get(value, "signal");
    const SticValue* base = stic_value_get(value, "constant");
    if (index == NULL || !is_real(index) || (base != NULL && !is_real(base)))
        return refuse(builder, entry, value);
    if (!(index->number >= 1.0 && index->number <= builder->scene->def.signal_count))
        return stic_builder_fail(builder, value, "%s: there is no signal %g", entry->name,
                                 index->number);
    *signal = (int32_t)index->number - 1;
    *constant = base != NULL ? base->number : 0.0;
    return STIC_OK;
}

static SticStatus read_load(SticBuilder* builder, const SticEntry* entry, const SticValue* value,
                            SticSceneLoad* member)
{
    double constant[3] = {0};
    if (value->type == STIC_VALUE_FUNCTION && builder->sample != NULL) {
        for (int32_t k = 0; k < 3; ++k)
            STIC_TRY(builder->sample(builder, value, k, entry->type == STIC_ENTRY_PATH,
                                     &member->signal[k]));
    } else {
        if (stic_value_length(value) != 3 || value->count != 3)
            return refuse(builder, entry, value);
        for (int32_t k = 0; k < 3; ++k)
            STIC_TRY(read_component(builder, entry, &value->item[k].value, &constant[k],
                                    &member->signal[k]));
    }
    member->constant = stic_vec3(constant[0], constant[1], constant[2]);
    return STIC_OK;
}

// a name that must be known: 0 material, 1 body, 2 joint
static SticStatus read_reference(SticBuilder* builder, const SticEntry* entry,
                                 const SticValue* value, int which, int32_t* member)
{
    static const char* const kinds[] = {"material", "body", "joint"};
    if (value->type != STIC_VALUE_STRING)
        return refuse(builder, entry, value);
    if (which == 1 && strcmp(value->string, "ground") == 0) {
        *member = -1;
        return STIC_OK;
    }
    *member = stic_builder_find(builder, which, value->string);
    if (*member >= 0)
        return STIC_OK;
    const char* near = NULL;
    STIC_TRY(stic_builder_near(builder, which, value->string, &near));
    // the two materials of a surface may be written without a field
    const bool named = entry->type != STIC_ENTRY_MATERIALS;
    return stic_builder_fail(builder, value,
                             "%s%s\"%.60s\": there is no such %s before this line%s%.60s%s",
                             named ? entry->name : "", named ? " = " : "", value->string,
                             kinds[which], near != NULL ? "; did you mean \"" : "",
                             near != NULL ? near : "", near != NULL ? "\"?" : "");
}

static SticStatus read_materials(SticBuilder* builder, const SticEntry* entry,
                                 const SticValue* value, int32_t member[2])
{
    if (value->type != STIC_VALUE_TABLE || value->count != 2 || stic_value_length(value) != 2)
        return refuse(builder, entry, value);
    for (int k = 0; k < 2; ++k)
        STIC_TRY(read_reference(builder, entry, &value->item[k].value, 0, &member[k]));
    return STIC_OK;
}

static SticStatus read_axis(SticBuilder* builder, const SticEntry* entry, const SticValue* value,
                            int32_t* member)
{
    static const char* const axes[] = {"x", "y", "z", "length", NULL};
    if (value->type == STIC_VALUE_NUMBER && value->number >= 1.0 && value->number <= 1e6 &&
        value->number == floor(value->number)) {
        *member = (int32_t)value->number - 1;
        return STIC_OK;
    }
    for (int32_t k = 0; value->type == STIC_VALUE_STRING && axes[k] != NULL; ++k)
        if (strcmp(value->string, axes[k]) == 0) {
            *member = k;
            return STIC_OK;
        }
    return refuse(builder, entry, value);
}

static SticStatus read_field(SticBuilder* builder, const SticEntry* entry, const SticValue* value,
                             void* target)
{
    void* member = (unsigned char*)target + entry->offset;
    switch ((SticEntryType)entry->type) {
    case STIC_ENTRY_REAL:
    case STIC_ENTRY_POSITIVE:
    case STIC_ENTRY_COUNT:
    case STIC_ENTRY_OPTIONAL:
        return read_scalar(builder, entry, value, member);
    case STIC_ENTRY_FLAG:
        if (value->type != STIC_VALUE_FLAG)
            return refuse(builder, entry, value);
        *(bool*)member = value->number != 0.0;
        return STIC_OK;
    case STIC_ENTRY_TOUCH:
        if (value->type != STIC_VALUE_FLAG)
            return refuse(builder, entry, value);
        *(int32_t*)member = value->number != 0.0 ? STIC_JOINED_TOUCH : STIC_JOINED_APART;
        return STIC_OK;
    case STIC_ENTRY_PICK:
        return read_pick(builder, entry, value, member);
    case STIC_ENTRY_NAME:
        if (value->type != STIC_VALUE_STRING || value->string[0] == '\0')
            return refuse(builder, entry, value);
        if (strlen(value->string) > LONGEST_TEXT)
            return stic_builder_fail(builder, value, "%s has at most %d bytes, this one has %zu",
                                     entry->name, (int)LONGEST_TEXT, strlen(value->string));
        return stic_scene_keep(builder->scene, value->string, member);
    case STIC_ENTRY_VEC3:
        return read_vec3(builder, entry, value, member);
    case STIC_ENTRY_TURN:
        return read_turn(builder, entry, value, member);
    case STIC_ENTRY_MAT3:
        return read_mat3(builder, entry, value, member);
    case STIC_ENTRY_PAIR:
    case STIC_ENTRY_RANGE:
        return read_pair(builder, entry, value, member);
    case STIC_ENTRY_TURNING:
        return read_component(builder, entry, value, &((SticSceneScalar*)member)->constant,
                              &((SticSceneScalar*)member)->signal);
    case STIC_ENTRY_PATH:
    case STIC_ENTRY_LOAD:
        return read_load(builder, entry, value, member);
    case STIC_ENTRY_BODY:
        return read_reference(builder, entry, value, 1, member);
    case STIC_ENTRY_JOINT:
        return read_reference(builder, entry, value, 2, member);
    case STIC_ENTRY_MATERIAL:
        return read_reference(builder, entry, value, 0, member);
    case STIC_ENTRY_MATERIALS:
        return read_materials(builder, entry, value, member);
    case STIC_ENTRY_COLOUR:
        return read_colour(builder, entry, value, member);
    case STIC_ENTRY_COMPONENT:
        return read_axis(builder, entry, value, member);
    case STIC_ENTRY_FILE:
        return STIC_OK; // read by the statement, with all its other fields known
    default:
        return stic_builder_list(builder, entry, value, target);
    }
}

SticStatus stic_builder_refuse(SticBuilder* builder, const SticEntry* entry, const SticValue* value)
{
    return refuse(builder, entry, value);
}

// what is made of matter has its density and friction from there
static bool is_of_material(const SticEntryTable* table, const char* key)
{
    if (table == &stic_entries_material || table == &stic_entries_surface)
        return false;
    for (int32_t i = 0; i < stic_entries_material.count; ++i)
        if (strcmp(stic_entries_material.entry[i].name, key) == 0)
            return true;
    return false;
}

static SticStatus unknown_field(SticBuilder* builder, const SticEntryTable* table,
                                const SticValue* value, const char* key)
{
    if (is_of_material(table, key))
        return stic_builder_fail(
            builder, value,
            "there is no field '%.40s'; it is one of material{name = \"…\", %.40s "
            "= …}, which a body or a shape names: material = \"…\"",
            key, key);
    enum { MOST = 40 };
    const char* names[MOST + 1] = {NULL};
    for (int32_t i = 0; i < table->count && i < MOST; ++i)
        names[i] = table->entry[i].name;
    const char* near = stic_suggest(key, names);
    if (near != NULL)
        return stic_builder_fail(builder, value, "there is no field '%.40s'; did you mean '%s'?",
                                 key, near);
    char list[300] = "";
    size_t used = 0;
    for (int32_t i = 0; i < table->count && used < sizeof list - 1; ++i)
        used +=
            (size_t)snprintf(list + used, sizeof list - used, "%s%s", i == 0 ? "" : ", ", names[i]);
    return stic_builder_fail(builder, value, "there is no field '%.40s'; there are %s", key, list);
}

static bool is_listed(const char* const* list, const char* word)
{
    for (int i = 0; list != NULL && list[i] != NULL; ++i)
        if (strcmp(list[i], word) == 0)
            return true;
    return false;
}

SticStatus stic_builder_fields(SticBuilder* builder, const SticEntryTable* table,
                               const SticValue* value, const char* const* skip, void* target)
{
    if (value->type != STIC_VALUE_TABLE)
        return stic_builder_fail(builder, value, "a table of fields {name = value, …} is needed");
    const int32_t length = stic_value_length(value);
    if (length > 0 && table->positional == NULL)
        return stic_builder_fail(builder, &value->item[0].value,
                                 "a value without a name: fields are written name = value");
    // items without a key are one field
    if (length > 0) {
        SticValue list = *value;
        list.count = length;
        STIC_TRY(read_field(builder, stic_entry_find(table, table->positional), &list, target));
    }
    for (int32_t i = length; i < value->count; ++i) {
        const SticItem* item = &value->item[i];
        if (is_listed(skip, item->key))
            continue;
        const SticEntry* entry = stic_entry_find(table, item->key);
        if (entry == NULL)
            return unknown_field(builder, table, &item->value, item->key);
        STIC_TRY(read_field(builder, entry, &item->value, target));
    }
    return STIC_OK;
}

// one setting of another module, through its own table
static SticStatus set_setting(SticBuilder* builder, const SticFieldTable* table,
                              const SticItem* item, void* settings)
{
    char shown[64];
    SticError error = {0};
    const SticValue* value = &item->value;
    if (value->type == STIC_VALUE_TABLE || value->type == STIC_VALUE_FUNCTION)
        return stic_builder_fail(builder, value, "%s = %s is not accepted", item->key,
                                 stic_value_show(value, shown));
    stic_value_show(value, shown);
    const char* text = value->type == STIC_VALUE_STRING ? value->string : shown;
    const SticStatus status = stic_fields_set(table, settings, item->key, text, &error);
    if (status == STIC_OK)
        return STIC_OK;
    return stic_builder_fail(builder, value, "%s", error.text);
}

static bool has_setting(const SticFieldTable* table, const char* name)
{
    for (int32_t i = 0; table != NULL && i < table->count; ++i)
        if (strcmp(table->fields[i].name, name) == 0)
            return true;
    return false;
}

// a setting that neither table has, with a suggestion from both
static SticStatus unknown_setting(SticBuilder* builder, const SticFieldTable* table,
                                  const SticFieldTable* second, const SticItem* item)
{
    enum { MOST = 80 };
    const SticFieldTable* tables[2] = {table, second};
    const char* names[MOST + 1] = {NULL};
    int used = 0;
    for (int k = 0; k < 2; ++k)
        for (int32_t i = 0; tables[k] != NULL && i < tables[k]->count && used < MOST; ++i)
            names[used++] = tables[k]->fields[i].name;
    const char* near = stic_suggest(item->key, names);
    char own[320], common[320];
    if (near != NULL)
        return stic_builder_fail(builder, &item->value,
                                 "there is no setting '%.40s'; did you mean '%s'?", item->key,
                                 near);
    stic_fields_names(table, own, sizeof own);
    stic_fields_names(second, common, sizeof common);
    if (used == 0)
        return stic_builder_fail(builder, &item->value,
                                 "there is no setting '%.40s'; there are none here", item->key);
    return stic_builder_fail(builder, &item->value, "there is no setting '%.40s'; there are %s%s%s",
                             item->key, own, own[0] != '\0' && common[0] != '\0' ? ", " : "",
                             common);
}

SticStatus stic_builder_settings(SticBuilder* builder, const SticFieldTable* table,
                                 const SticFieldTable* second, const SticValue* value,
                                 void* const settings[2])
{
    static const char* const own[] = {"name", "second", NULL};
    for (int32_t i = 0; i < value->count; ++i) {
        const SticItem* item = &value->item[i];
        if (item->key == NULL)
            return stic_builder_fail(builder, &item->value,
                                     "a value without a name: settings are written name = value");
        if (is_listed(own, item->key))
            continue;
        const bool in_second = !has_setting(table, item->key) && has_setting(second, item->key);
        if (!in_second && !has_setting(table, item->key))
            return unknown_setting(builder, table, second, item);
        STIC_TRY(
            set_setting(builder, in_second ? second : table, item, settings[in_second ? 1 : 0]));
    }
    return STIC_OK;
}

// SPDX-License-Identifier: Apache-2.0
// The text form of a scene: statements with literal values, a subset of Lua that needs no Lua.
//
//   statement = name ( text | table )
//   table     = "{" [ item { "," item } [ "," ] ] "}"        item = [ name "=" ] value
//   value     = number | [ "-" ] "math.huge" | text | "true" | "false" | table
//   comments run from -- to the end of the line
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "scene/scene.h"
#include "stiction/extend/base.h"

enum { DEEPEST = 32 };

typedef struct Reader {
    SticBuilder* builder;
    const char* at;
    int32_t line;
} Reader;

static SticStatus fail(Reader* reader, const char* expected)
{
    const SticValue at = {.line = reader->line};
    char shown[2] = {*reader->at >= ' ' && *reader->at <= '~' ? *reader->at : '?', '\0'};
    reader->builder->what[0] = '\0';
    return stic_builder_fail(reader->builder, &at, "'%s' stands where %s should be",
                             *reader->at == '\0' ? "the end" : shown, expected);
}

static void skip_blanks(Reader* reader)
{
    for (;; ++reader->at) {
        if (reader->at[0] == '-' && reader->at[1] == '-')
            while (*reader->at != '\0' && *reader->at != '\n')
                ++reader->at;
        if (*reader->at == '\n')
            ++reader->line;
        else if (*reader->at != ' ' && *reader->at != '\t' && *reader->at != '\r')
            return;
    }
}

static bool take(Reader* reader, char c)
{
    skip_blanks(reader);
    if (*reader->at != c)
        return false;
    ++reader->at;
    return true;
}

static size_t word_length(const char* at)
{
    size_t n = 0;
    while ((at[n] >= 'a' && at[n] <= 'z') || (at[n] >= 'A' && at[n] <= 'Z') || at[n] == '_' ||
           (n > 0 && at[n] >= '0' && at[n] <= '9'))
        ++n;
    return n;
}

static SticStatus copy_text(Reader* reader, const char* from, size_t length, char** text)
{
    STIC_TRY(STIC_TAKE(reader->builder->scratch, text, length + 1));
    memcpy(*text, from, length);
    (*text)[length] = '\0';
    return STIC_OK;
}

// a text between quotes; \" \\ and \n are the only escapes
static SticStatus read_text(Reader* reader, const char** text)
{
    const char* start = ++reader->at;
    const char* end = start;
    while (*end != '"' && *end != '\n' && *end != '\0')
        end += end[0] == '\\' && end[1] != '\0' ? 2 : 1;
    if (*end != '"') {
        reader->at = end;
        return fail(reader, "a closing quote");
    }
    char* copy = NULL;
    STIC_TRY(copy_text(reader, start, (size_t)(end - start), &copy));
    size_t used = 0;
    for (const char* c = start; c < end; ++c) {
        if (*c == '\\')
            ++c;
        copy[used++] = c > start && c[-1] == '\\' && *c == 'n' ? '\n' : *c;
    }
    copy[used] = '\0';
    reader->at = end + 1;
    *text = copy;
    return STIC_OK;
}

static SticStatus read_value(Reader* reader, int depth, SticValue* value);

static SticStatus read_item(Reader* reader, int depth, SticItem* item)
{
    const size_t length = word_length(reader->at);
    const char* after = reader->at + length;
    while (*after == ' ')
        ++after;
    item->key = NULL;
    if (length > 0 && *after == '=') {
        char* key = NULL;
        STIC_TRY(copy_text(reader, reader->at, length, &key));
        item->key = key;
        reader->at = after + 1;
    }
    return read_value(reader, depth + 1, &item->value);
}

// items without a key must come first: the writer writes them so
static SticStatus read_table(Reader* reader, int depth, SticValue* value)
{
    size_t capacity = 0;
    SticItem* list = NULL;
    *value = (SticValue){.type = STIC_VALUE_TABLE, .line = reader->line};
    if (depth >= DEEPEST)
        return fail(reader, "a table that is not so deep");
    while (!take(reader, '}')) {
        if ((size_t)value->count == capacity) {
            SticItem* grown = NULL;
            STIC_TRY(STIC_TAKE(reader->builder->scratch, &grown, capacity == 0 ? 8 : 2 * capacity));
            if (capacity > 0)
                memcpy(grown, list, capacity * sizeof *list);
            list = grown;
            capacity = capacity == 0 ? 8 : 2 * capacity;
        }
        STIC_TRY(read_item(reader, depth, &list[value->count]));
        if (value->count > 0 && list[value->count].key == NULL &&
            list[value->count - 1].key != NULL)
            return fail(reader, "a field with a name");
        value->count += 1;
        if (!take(reader, ',')) {
            if (!take(reader, '}'))
                return fail(reader, "',' or '}'");
            break;
        }
    }
    value->item = list;
    return STIC_OK;
}

static bool take_word(Reader* reader, const char* word)
{
    const size_t length = strlen(word);
    if (strncmp(reader->at, word, length) != 0 || word_length(reader->at + length) > 0)
        return false;
    reader->at += length;
    return true;
}

static SticStatus read_value(Reader* reader, int depth, SticValue* value)
{
    skip_blanks(reader);
    *value = (SticValue){.line = reader->line};
    if (take(reader, '{'))
        return read_table(reader, depth, value);
    if (*reader->at == '"') {
        value->type = STIC_VALUE_STRING;
        return read_text(reader, &value->string);
    }
    if (take_word(reader, "true") || take_word(reader, "false")) {
        value->type = STIC_VALUE_FLAG;
        value->number = reader->at[-2] == 'u' ? 1.0 : 0.0; // tr_u_e, fal_s_e
        return STIC_OK;
    }
    value->type = STIC_VALUE_NUMBER;
    const bool negative = reader->at[0] == '-' && reader->at[1] == 'm';
    reader->at += negative ? 1 : 0;
    if (take_word(reader, "math.huge")) {
        value->number = negative ? -HUGE_VAL : HUGE_VAL;
        return STIC_OK;
    }
    const char* end = stic_number_parse(reader->at, &value->number);
    if (negative || end == NULL || !isfinite(value->number))
        return fail(reader, "a value");
    reader->at = end;
    return STIC_OK;
}

SticStatus stic_scene_read(SticBuilder* builder, const SticText* text)
{
    Reader reader = {.builder = builder, .at = text->bytes, .line = 1};
    for (;;) {
        skip_blanks(&reader);
        if (*reader.at == '\0')
            break;
        char name[32];
        const size_t length = word_length(reader.at);
        if (length == 0 || length >= sizeof name)
            return fail(&reader, "a statement");
        memcpy(name, reader.at, length);
        name[length] = '\0';
        reader.at += length;
        builder->line = reader.line;
        SticValue value;
        const SticArenaMark mark = stic_arena_mark(builder->scratch);
        STIC_TRY(read_value(&reader, 0, &value));
        STIC_TRY(stic_builder_apply(builder, name, &value, NULL));
        stic_arena_rewind(builder->scratch, mark);
    }
    if ((size_t)(reader.at - text->bytes) != text->size)
        return fail(&reader, "text without a 0 byte");
    return STIC_OK;
}

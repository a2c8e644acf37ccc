// SPDX-License-Identifier: Apache-2.0
// What is refused in the text of a script before it runs: the operator ^, which calls the machine's
// pow, except for squares, which Lua computes as a product.
#include <string.h>

#include "scene/scene.h"

typedef struct Cursor {
    const char* at;
    int32_t line;
} Cursor;

// move on by `count` bytes
static void skip(Cursor* cursor, size_t count)
{
    for (; count > 0 && *cursor->at != '\0'; --count)
        cursor->line += *cursor->at++ == '\n';
}

// level of a long bracket that opens at a place, -1 if none does
static int long_bracket(const char* at)
{
    if (at[0] != '[')
        return -1;
    const size_t level = strspn(at + 1, "=");
    return at[1 + level] == '[' ? (int)level : -1;
}

// to the end of a long text or comment
static void skip_long(Cursor* cursor, int level)
{
    skip(cursor, (size_t)level + 2);
    while (*cursor->at != '\0') {
        const bool closes = cursor->at[0] == ']' && strspn(cursor->at + 1, "=") >= (size_t)level &&
                            cursor->at[1 + level] == ']';
        if (closes) {
            skip(cursor, (size_t)level + 2);
            return;
        }
        skip(cursor, 1);
    }
}

// bytes that belong together at a place inside a text: a byte, or a backslash with what it escapes
static size_t length_in_text(const char* at)
{
    if (at[0] != '\\')
        return 1;
    if (at[1] == 'z')
        return 2 + strspn(at + 2, " \t\v\f\r\n");
    const bool two = (at[1] == '\r' && at[2] == '\n') || (at[1] == '\n' && at[2] == '\r');
    return two ? 3 : 2;
}

// texts and comments; true if one was there
static bool skip_words(Cursor* cursor)
{
    const char* at = cursor->at;
    const bool comment = at[0] == '-' && at[1] == '-';
    const int level = long_bracket(comment ? at + 2 : at);
    if (level >= 0) {
        skip(cursor, comment ? 2 : 0);
        skip_long(cursor, level);
        return true;
    }
    if (comment) {
        skip(cursor, strcspn(at, "\r\n"));
        return true;
    }
    if (*at != '"' && *at != '\'')
        return false;
    const char quote = *at;
    skip(cursor, 1);
    while (strchr("\r\n", *cursor->at) == NULL && *cursor->at != quote)
        skip(cursor, length_in_text(cursor->at));
    skip(cursor, 1);
    return true;
}

// whether ^ stands before a 2 that is a whole number of its own
static bool is_square(const char* at)
{
    const char* next = at + 1 + strspn(at + 1, " \t");
    return next[0] == '2' && (next[1] == '\0' || strchr("0123456789.xXeEpP", next[1]) == NULL);
}

SticStatus stic_script_check_text(SticBuilder* builder, const char* text)
{
    Cursor cursor = {text, 1};
    while (*cursor.at != '\0') {
        if (skip_words(&cursor))
            continue;
        if (*cursor.at == '^' && !is_square(cursor.at)) {
            const SticValue at = {.line = cursor.line};
            builder->what[0] = '\0';
            return stic_builder_fail(builder, &at,
                                     "the operator ^ depends on the machine's math library, except "
                                     "in x^2: write math.pow(x, y)");
        }
        skip(&cursor, 1);
    }
    return STIC_OK;
}

// SPDX-License-Identifier: Apache-2.0
// Two columns of a text file as the points of a time function.
//
// A line that does not begin with a number is a heading or a comment. One that does is a point, and
// a point that cannot be read is an error: left out, it would change the function without a word.
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "scene/scene.h"
#include "stiction/extend/base.h"

typedef struct Word {
    const char *begin, *end;
} Word;

static const char* skip_blanks(const char* at, const char* end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r'))
        ++at;
    return at;
}

// column k of a line, from 1; empty between two commas, and where the line has fewer
static Word word_of(Word line, int32_t column)
{
    const char* at = skip_blanks(line.begin, line.end);
    for (int32_t k = 1; at < line.end; ++k) {
        Word word = {at, at};
        while (word.end < line.end && strchr(" \t\r,;", *word.end) == NULL)
            ++word.end;
        if (k == column)
            return word;
        at = skip_blanks(word.end, line.end);
        if (at < line.end && (*at == ',' || *at == ';'))
            at = skip_blanks(at + 1, line.end);
    }
    return (Word){line.end, line.end};
}

static bool begins_with_number(Word line)
{
    double value;
    const Word word = word_of(line, 1);
    if (word.begin == word.end)
        return false;
    const char* after = stic_number_parse(word.begin, &value);
    // letters may begin like a number: "information"; a sign may begin a line of dashes
    return after == word.end || isdigit((unsigned char)*word.begin) ||
           (after != NULL && strchr("+-.", *word.begin) != NULL);
}

static SticStatus number_of(Word line, int32_t column, double* value, SticError* error)
{
    const Word word = word_of(line, column);
    if (word.begin == word.end)
        return stic_error_set(error, STIC_BAD_DATA, "there is no column %d", column);
    if (stic_number_parse(word.begin, value) != word.end || !isfinite(*value))
        return stic_error_set(
            error, STIC_BAD_DATA, "column %d holds '%.*s', which is no finite number", column,
            (int)(word.end - word.begin < 40 ? word.end - word.begin : 40), word.begin);
    return STIC_OK;
}

// the next line; false after the last
static bool next_line(const SticText* text, Word* line)
{
    const char* stop = text->bytes + text->size;
    line->begin = line->end == NULL ? text->bytes : line->end + 1;
    if (line->begin >= stop)
        return false;
    const char* end = memchr(line->begin, '\n', (size_t)(stop - line->begin));
    line->end = end == NULL ? stop : end;
    return true;
}

static int32_t count_points(const SticText* text)
{
    int32_t count = 0;
    for (Word line = {NULL, NULL}; next_line(text, &line);)
        count += begins_with_number(line);
    return count;
}

SticStatus stic_signal_read(SticArena* arena, const SticText* text, SticSignalColumns columns,
                            SticSignal* signal, SticError* error)
{
    const int32_t count = count_points(text);
    double *time = NULL, *value = NULL;
    STIC_TRY(STIC_TAKE(arena, &time, count));
    STIC_TRY(STIC_TAKE(arena, &value, count));
    int32_t at = 0;
    Word line = {NULL, NULL};
    for (int32_t number = 1; next_line(text, &line); ++number) {
        if (!begins_with_number(line))
            continue;
        SticStatus status = number_of(line, columns.time, &time[at], error);
        if (status == STIC_OK)
            status = number_of(line, columns.value, &value[at], error);
        if (status != STIC_OK) {
            if (error != NULL)
                error->line = number;
            return status;
        }
        ++at;
    }
    signal->count = count;
    signal->time = time;
    signal->value = value;
    return STIC_OK;
}

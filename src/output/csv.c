// SPDX-License-Identifier: Apache-2.0
// Chosen histories of a result as CSV: one row per frame.
#include "output/reader.h"

#ifdef STIC_HAVE_HDF5

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stiction/file.h"

enum { MOST_COLUMNS = 256, WORD = 128, LINE = 64 };

// what a column shows
typedef enum Quantity {
    QUANTITY_TIME,
    QUANTITY_STEP,
    QUANTITY_ENERGY, // kinetic, potential
    QUANTITY_CONTACTS,
    QUANTITY_POSITION,
    QUANTITY_ORIENTATION,
    QUANTITY_VELOCITY,
    QUANTITY_SPIN,
    QUANTITY_FORCE, // sum of the contact forces on a body
    QUANTITY_Q,
    QUANTITY_U
} Quantity;

typedef struct Column {
    Quantity quantity;
    int32_t index; // body, or number of a coordinate
    char word[WORD];
} Column;

// a word with its quantity and the headings of its numbers; the first NULL: the word itself
typedef struct Word {
    const char* word;
    Quantity quantity;
    const char* heading[4];
} Word;

static const Word whole[] = {{"time", QUANTITY_TIME, {NULL}},
                             {"step", QUANTITY_STEP, {NULL}},
                             {"energy", QUANTITY_ENERGY, {"kinetic", "potential"}},
                             {"contacts", QUANTITY_CONTACTS, {NULL}}};
static const Word of_body[] = {{"position", QUANTITY_POSITION, {"x", "y", "z"}},
                               {"orientation", QUANTITY_ORIENTATION, {"w", "x", "y", "z"}},
                               {"velocity", QUANTITY_VELOCITY, {"x", "y", "z"}},
                               {"spin", QUANTITY_SPIN, {"x", "y", "z"}},
                               {"force", QUANTITY_FORCE, {"x", "y", "z"}}};
enum { WHOLE = sizeof whole / sizeof whole[0], OF_BODY = sizeof of_body / sizeof of_body[0] };

/* ---- words ---- */

// body by name or by number from 0
static int32_t find_body(const SticResult* result, const char* name, size_t length)
{
    char* end = NULL;
    for (int32_t i = 0; i < result->info.bodies; ++i)
        if (strlen(result->body_name[i]) == length &&
            memcmp(result->body_name[i], name, length) == 0)
            return i;
    const long number = strtol(name, &end, 10);
    const bool whole_number = length > 0 && end == name + length;
    return whole_number && number >= 0 && number < result->info.bodies ? (int32_t)number : -1;
}

static bool parse_coordinate(const SticResult* result, const char* word, Column* column)
{
    char* end = NULL;
    if (word[0] != 'q' && word[0] != 'u')
        return false;
    const long number = strtol(word + 1, &end, 10);
    const int32_t count = word[0] == 'q' ? result->info.nq : result->info.nu;
    column->quantity = word[0] == 'q' ? QUANTITY_Q : QUANTITY_U;
    column->index = (int32_t)number;
    return end != word + 1 && *end == '\0' && number >= 0 && number < count;
}

static SticStatus parse_word(const SticResult* result, Column* column, SticError* error)
{
    const char* word = column->word;
    const char* dot = strrchr(word, '.');
    for (int i = 0; i < WHOLE; ++i)
        if (strcmp(word, whole[i].word) == 0) {
            column->quantity = whole[i].quantity;
            return STIC_OK;
        }
    if (parse_coordinate(result, word, column))
        return STIC_OK;
    for (int i = 0; dot != NULL && i < OF_BODY; ++i) {
        if (strcmp(dot + 1, of_body[i].word) != 0)
            continue;
        column->quantity = of_body[i].quantity;
        column->index = find_body(result, word, (size_t)(dot - word));
        if (column->index >= 0)
            return STIC_OK;
        return stic_error_set(error, STIC_BAD_ARGUMENT, "the result has no body '%.*s'",
                              (int)(dot - word), word);
    }
    return stic_error_set(error, STIC_BAD_ARGUMENT,
                          "'%s' is no column; there are time, step, energy, contacts, q0, u0, "
                          "BODY.position, BODY.orientation, BODY.velocity, BODY.spin, BODY.force",
                          word);
}

static SticStatus parse(const SticResult* result, const char* text, Column* column, int32_t* count,
                        SticError* error)
{
    *count = 0;
    while (*text != '\0') {
        const size_t length = strcspn(text, ",");
        if (*count >= MOST_COLUMNS || length >= WORD)
            return stic_error_set(error, STIC_BAD_ARGUMENT, "too many columns, or one too long");
        memcpy(column[*count].word, text, length);
        column[*count].word[length] = '\0';
        STIC_TRY(parse_word(result, &column[*count], error));
        *count += 1;
        text += length + (text[length] == ',' ? 1 : 0);
    }
    return STIC_OK;
}

/* ---- numbers ---- */

static SticVec3 force_on(const SticResultFrame* frame, int32_t body)
{
    SticVec3 sum = stic_vec3(0.0, 0.0, 0.0);
    for (int32_t i = 0; i < frame->contact_count; ++i)
        for (int side = 0; side < 2; ++side)
            if (frame->contact[i].body[side] == body)
                sum = stic_vec3_add(
                    sum, stic_vec3_scale(side == 0 ? 1.0 : -1.0, frame->contact[i].force));
    return sum;
}

// numbers of a column in a frame; how many there are
static int32_t values_of(const Column* column, const SticResultFrame* frame, double values[4])
{
    const int64_t i = column->index;
    const double* from = NULL;
    int32_t count = 3;
    switch (column->quantity) {
    case QUANTITY_TIME:
        values[0] = frame->time;
        return 1;
    case QUANTITY_STEP:
        values[0] = (double)frame->step;
        return 1;
    case QUANTITY_CONTACTS:
        values[0] = frame->contact_count;
        return 1;
    case QUANTITY_ENERGY:
        from = frame->energy;
        count = 2;
        break;
    case QUANTITY_POSITION:
        from = frame->position + 3 * i;
        break;
    case QUANTITY_ORIENTATION:
        from = frame->orientation + 4 * i;
        count = 4;
        break;
    case QUANTITY_VELOCITY:
        from = frame->velocity + 3 * i;
        break;
    case QUANTITY_SPIN:
        from = frame->spin + 3 * i;
        break;
    case QUANTITY_FORCE:
        stic_vec3_store(force_on(frame, column->index), values);
        return 3;
    case QUANTITY_Q:
        from = frame->q + i;
        count = 1;
        break;
    case QUANTITY_U:
        from = frame->u + i;
        count = 1;
        break;
    }
    memcpy(values, from, (size_t)count * sizeof *values);
    return count;
}

/* ---- the file ---- */

static SticStatus put(SticReplace* to, const char* text, SticError* error)
{
    return stic_replace_write(to, text, strlen(text), error);
}

static SticStatus put_heading(SticReplace* to, const Column* column, bool first, SticError* error)
{
    const char* const* heading = NULL;
    char text[2 * WORD];
    for (int i = 0; i < WHOLE; ++i)
        if (whole[i].quantity == column->quantity)
            heading = whole[i].heading;
    for (int i = 0; i < OF_BODY; ++i)
        if (of_body[i].quantity == column->quantity)
            heading = of_body[i].heading;
    if (heading == NULL || heading[0] == NULL) {
        snprintf(text, sizeof text, "%s%s", first ? "" : ",", column->word);
        return put(to, text, error);
    }
    for (int k = 0; k < 4 && heading[k] != NULL; ++k) {
        snprintf(text, sizeof text, "%s%s.%s", first && k == 0 ? "" : ",", column->word,
                 heading[k]);
        STIC_TRY(put(to, text, error));
    }
    return STIC_OK;
}

static SticStatus write_rows(SticResult* result, const Column* column, int32_t count,
                             SticReplace* to, SticError* error)
{
    SticArena* arena = NULL;
    STIC_TRY(stic_arena_create(&result->context, 0, &arena));
    SticStatus status = STIC_OK;
    for (int64_t k = 0; status == STIC_OK && k < result->info.frames; ++k) {
        SticResultFrame frame;
        status = stic_arena_reset(arena);
        if (status == STIC_OK)
            status = stic_result_read(result, k, arena, &frame, error);
        for (int32_t i = 0; status == STIC_OK && i < count; ++i) {
            double values[4];
            const int32_t numbers = values_of(&column[i], &frame, values);
            for (int32_t c = 0; status == STIC_OK && c < numbers; ++c) {
                char text[LINE];
                snprintf(text, sizeof text, "%s%.17g", i + c > 0 ? "," : "", values[c]);
                status = put(to, text, error);
            }
        }
        if (status == STIC_OK)
            status = put(to, "\n", error);
    }
    stic_arena_destroy(arena);
    return status;
}

static SticStatus write_csv(SticResult* result, const Column* column, int32_t count,
                            SticReplace* to, SticError* error)
{
    for (int32_t i = 0; i < count; ++i)
        STIC_TRY(put_heading(to, &column[i], i == 0, error));
    STIC_TRY(put(to, "\n", error));
    return write_rows(result, column, count, to, error);
}

SticStatus stic_result_export_csv(const SticContext* context, const char* path, const char* columns,
                                  const char* csv_path, SticError* error)
{
    SticResult* result = NULL;
    SticReplace* replace = NULL;
    Column* column = NULL;
    int32_t count = 0;
    STIC_TRY(stic_result_open(context, path, &result, error));
    SticStatus status = STIC_TAKE(result->arena, &column, MOST_COLUMNS);
    if (status == STIC_OK)
        status = parse(result, columns, column, &count, error);
    if (status == STIC_OK)
        status = stic_replace_begin(context, csv_path, &replace, error);
    if (status == STIC_OK) {
        status = write_csv(result, column, count, replace, error);
        if (status == STIC_OK)
            status = stic_replace_commit(replace, error);
        else
            stic_replace_abort(replace);
    }
    stic_result_close(result);
    return status;
}

#else

SticStatus stic_result_export_csv(const SticContext* context, const char* path, const char* columns,
                                  const char* csv_path, SticError* error)
{
    (void)context, (void)path, (void)columns, (void)csv_path;
    return stic_error_set(error, STIC_UNSUPPORTED,
                          "this build of stiction has no HDF5: results cannot be read");
}

#endif

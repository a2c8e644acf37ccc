// SPDX-License-Identifier: Apache-2.0
// Chosen histories of a result as CSV: one row per frame.
#include "output/words.h"

#ifdef STIC_HAVE_HDF5

#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "file/file.h"

enum { MOST_COLUMNS = 256, NUMBER = 64 };

static SticStatus parse(const SticResult* result, const char* text, SticWord* column,
                        int32_t* count, SticError* error)
{
    *count = 0;
    while (*text != '\0') {
        const size_t length = strcspn(text, ",");
        if (*count >= MOST_COLUMNS || length >= STIC_WORD_SIZE)
            return stic_error_set(error, STIC_BAD_ARGUMENT, "too many columns, or one too long");
        memcpy(column[*count].word, text, length);
        column[*count].word[length] = '\0';
        static const char* const none[] = {NULL};
        STIC_TRY(stic_word_parse(result, none, &column[*count], error));
        *count += 1;
        text += length + (text[length] == ',' ? 1 : 0);
    }
    return *count > 0 ? STIC_OK : stic_error_set(error, STIC_BAD_ARGUMENT, "no column is named");
}

/* ---- the file ---- */

static SticStatus put(SticReplace* to, const char* text, SticError* error)
{
    return stic_replace_write(to, text, strlen(text), error);
}

static SticStatus put_heading(SticReplace* to, const SticWord* column, bool first, SticError* error)
{
    const char* const* heading = stic_word_headings(column);
    char text[2 * STIC_WORD_SIZE];
    // a spreadsheet must not take the name of a body for a formula
    const char* guard = strchr("=+-@\t", column->word[0]) != NULL ? "'" : "";
    if (heading[0] == NULL) {
        snprintf(text, sizeof text, "%s%s%s", first ? "" : ",", guard, column->word);
        return put(to, text, error);
    }
    for (int k = 0; heading[k] != NULL; ++k) {
        snprintf(text, sizeof text, "%s%s%s.%s", first && k == 0 ? "" : ",", guard, column->word,
                 heading[k]);
        STIC_TRY(put(to, text, error));
    }
    return STIC_OK;
}

static SticStatus write_rows(SticResult* result, const SticWord* column, int32_t count,
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
            double values[STIC_WORD_VALUES];
            const int32_t numbers = stic_word_values(&column[i], &frame, values);
            for (int32_t c = 0; status == STIC_OK && c < numbers; ++c) {
                char text[NUMBER] = ",";
                stic_number_format(values[c], text + 1, sizeof text - 1);
                status = put(to, i + c > 0 ? text : text + 1, error);
            }
        }
        if (status == STIC_OK)
            status = put(to, "\n", error);
    }
    stic_arena_destroy(arena);
    return status;
}

static SticStatus write_csv(SticResult* result, const SticWord* column, int32_t count,
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
    context = stic_context_given(context);
    STIC_GIVEN(path, error);
    STIC_GIVEN(columns, error);
    STIC_GIVEN(csv_path, error);
    SticResult* result = NULL;
    SticReplace* replace = NULL;
    SticWord* column = NULL;
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
    context = stic_context_given(context);
    STIC_GIVEN(path, error);
    STIC_GIVEN(columns, error);
    STIC_GIVEN(csv_path, error);
    (void)context, (void)path, (void)columns, (void)csv_path;
    return stic_error_set(error, STIC_UNSUPPORTED,
                          "this build of stiction has no HDF5: results cannot be read");
}

#endif

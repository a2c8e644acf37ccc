// SPDX-License-Identifier: Apache-2.0
// Settings through their field tables: defaults, range checks, setting by name, suggestions.
#include "stiction/extend/base.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

static void store(const SticField* field, void* settings, double value)
{
    unsigned char* at = (unsigned char*)settings + field->offset;
    const bool flag = value != 0.0;
    int32_t integer = 0;
    switch (field->type) {
    case STIC_FIELD_DOUBLE:
        memcpy(at, &value, sizeof value);
        break;
    case STIC_FIELD_INT:
    case STIC_FIELD_CHOICE:
        // only here: a real number may be outside the range of integers
        integer = (int32_t)value;
        memcpy(at, &integer, sizeof integer);
        break;
    case STIC_FIELD_BOOL:
        memcpy(at, &flag, sizeof flag);
        break;
    }
}

double stic_fields_get(const SticField* field, const void* settings)
{
    STIC_ASSERT(field != NULL);
    const unsigned char* at = (const unsigned char*)settings + field->offset;
    double value = 0.0;
    int32_t integer = 0;
    bool flag = false;
    switch (field->type) {
    case STIC_FIELD_DOUBLE:
        memcpy(&value, at, sizeof value);
        return value;
    case STIC_FIELD_INT:
    case STIC_FIELD_CHOICE:
        memcpy(&integer, at, sizeof integer);
        return (double)integer;
    case STIC_FIELD_BOOL:
        memcpy(&flag, at, sizeof flag);
        return flag ? 1.0 : 0.0;
    }
    return value;
}

void stic_fields_default(const SticFieldTable* table, void* settings)
{
    if (table == NULL || settings == NULL)
        return;
    memset(settings, 0, table->size);
    for (int32_t i = 0; i < table->count; ++i)
        store(&table->fields[i], settings, table->fields[i].initial);
}

// the names of a CHOICE joined for a message
static void list_choices(const SticField* field, char* text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; field->choices[i] != NULL && used < size; ++i)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i == 0 ? "" : ", ",
                                 field->choices[i]);
}

static SticStatus check_field(const SticFieldTable* table, const SticField* field, double value,
                              SticError* error)
{
    if (value >= field->low && value <= field->high)
        return STIC_OK;
    char is[32], low[32], high[32];
    stic_number_format(value, is, sizeof is);
    stic_number_format(field->low, low, sizeof low);
    stic_number_format(field->high, high, sizeof high);
    return stic_error_set(error, STIC_BAD_ARGUMENT, "%s.%s = %s is outside [%s, %s] (%s)",
                          table->name, field->name, is, low, high, field->text);
}

SticStatus stic_fields_check(const SticFieldTable* table, const void* settings, SticError* error)
{
    for (int32_t i = 0; i < table->count; ++i)
        STIC_TRY(check_field(table, &table->fields[i], stic_fields_get(&table->fields[i], settings),
                             error));
    return STIC_OK;
}

static SticStatus parse_choice(const SticFieldTable* table, const SticField* field,
                               const char* text, double* value, SticError* error)
{
    for (int i = 0; field->choices[i] != NULL; ++i)
        if (strcmp(field->choices[i], text) == 0) {
            *value = i;
            return STIC_OK;
        }
    char list[256];
    list_choices(field, list, sizeof list);
    return stic_error_set(error, STIC_BAD_ARGUMENT, "%s.%s: '%s' is not one of %s", table->name,
                          field->name, text, list);
}

static SticStatus parse_value(const SticFieldTable* table, const SticField* field, const char* text,
                              double* value, SticError* error)
{
    if (field->type == STIC_FIELD_CHOICE)
        return parse_choice(table, field, text, value, error);
    if (field->type == STIC_FIELD_BOOL) {
        const bool yes = strcmp(text, "true") == 0 || strcmp(text, "yes") == 0;
        const bool no = strcmp(text, "false") == 0 || strcmp(text, "no") == 0;
        if (yes || no || strcmp(text, "1") == 0 || strcmp(text, "0") == 0) {
            *value = yes || strcmp(text, "1") == 0;
            return STIC_OK;
        }
        return stic_error_set(error, STIC_BAD_ARGUMENT, "%s.%s: '%s' is not true or false",
                              table->name, field->name, text);
    }
    const char* end = stic_number_parse(text, value);
    const bool whole = field->type != STIC_FIELD_INT || *value == floor(*value);
    if (end == NULL || *end != '\0' || !whole)
        return stic_error_set(error, STIC_BAD_ARGUMENT, "%s.%s: '%s' is not a %snumber",
                              table->name, field->name, text,
                              field->type == STIC_FIELD_INT ? "whole " : "");
    return STIC_OK;
}

enum { LONGEST_WORD = 63 };

// Levenshtein distance by one row of the table; words are cut at 63 letters
static int edit_distance(const char* a, const char* b)
{
    int row[LONGEST_WORD + 1];
    const size_t a_all = strlen(a), b_all = strlen(b);
    const int a_length = (int)(a_all < LONGEST_WORD ? a_all : LONGEST_WORD);
    const int b_length = (int)(b_all < LONGEST_WORD ? b_all : LONGEST_WORD);
    for (int j = 0; j <= b_length; ++j)
        row[j] = j;
    for (int i = 1; i <= a_length; ++i) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= b_length; ++j) {
            const int replaced = diagonal + (a[i - 1] != b[j - 1]);
            const int shorter = 1 + (row[j] < row[j - 1] ? row[j] : row[j - 1]);
            diagonal = row[j];
            row[j] = replaced < shorter ? replaced : shorter;
        }
    }
    return row[b_length];
}

// an edit distance below this is near: a third of the letters and one more, but not the whole word
static int near_limit(const char* word)
{
    const int length = (int)strlen(word);
    return length / 3 + 2 < length ? length / 3 + 2 : length;
}

// keep the nearer of the best so far and one candidate
static void consider(const char* word, const char* candidate, const char** best, int* best_distance)
{
    const int distance = edit_distance(word, candidate);
    if (distance < *best_distance) {
        *best = candidate;
        *best_distance = distance;
    }
}

const char* stic_suggest(const char* word, const char* const* candidates)
{
    const char* best = NULL;
    int best_distance = near_limit(word);
    for (int i = 0; candidates[i] != NULL; ++i)
        consider(word, candidates[i], &best, &best_distance);
    // a beginning, such as max_iter for max_iterations
    const size_t length = strlen(word);
    for (int i = 0; best == NULL && length >= 4 && candidates[i] != NULL; ++i)
        if (strncmp(word, candidates[i], length) == 0)
            best = candidates[i];
    return best;
}

static const SticField* find_field(const SticFieldTable* table, const char* name)
{
    for (int32_t i = 0; i < table->count; ++i)
        if (strcmp(table->fields[i].name, name) == 0)
            return &table->fields[i];
    return NULL;
}

const char* stic_fields_names(const SticFieldTable* table, char* text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int32_t i = 0; table != NULL && i < table->count && used < size; ++i)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? ", " : "",
                                 table->fields[i].name);
    return text;
}

static SticStatus unknown_field(const SticFieldTable* table, const char* name, SticError* error)
{
    const char* best = NULL;
    int best_distance = near_limit(name);
    for (int32_t i = 0; i < table->count; ++i)
        consider(name, table->fields[i].name, &best, &best_distance);
    char names[320];
    if (best == NULL)
        return stic_error_set(error, STIC_BAD_ARGUMENT, "%s has no setting '%s'%s%s", table->name,
                              name, table->count > 0 ? "; it has " : "",
                              stic_fields_names(table, names, sizeof names));
    return stic_error_set(error, STIC_BAD_ARGUMENT, "%s has no setting '%s'; did you mean '%s'?",
                          table->name, name, best);
}

SticStatus stic_fields_set(const SticFieldTable* table, void* settings, const char* name,
                           const char* value, SticError* error)
{
    STIC_GIVEN(table, error);
    STIC_GIVEN(settings, error);
    STIC_GIVEN(name, error);
    STIC_GIVEN(value, error);
    const SticField* field = find_field(table, name);
    if (field == NULL)
        return unknown_field(table, name, error);
    double number = 0.0;
    STIC_TRY(parse_value(table, field, value, &number, error));
    STIC_TRY(check_field(table, field, number, error));
    store(field, settings, number);
    return STIC_OK;
}

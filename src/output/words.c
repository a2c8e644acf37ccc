// SPDX-License-Identifier: Apache-2.0
// Words for the numbers of a frame, as CSV files and plots use them.
#include "output/words.h"

#include "stiction/extend/vec3.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef STIC_HAVE_HDF5

// a word with its quantity and the headings of its numbers; the first NULL: the word itself
typedef struct Entry {
    const char* word;
    SticWordKind quantity;
    const char *unit, *heading[STIC_WORD_VALUES + 1];
} Entry;

static const Entry whole[] = {{"time", STIC_WORD_TIME, "s", {NULL}},
                              {"step", STIC_WORD_STEP, "", {NULL}},
                              {"energy", STIC_WORD_ENERGY, "J", {"kinetic", "potential"}},
                              {"contacts", STIC_WORD_CONTACTS, "", {NULL}}};
static const Entry of_body[] = {{"position", STIC_WORD_POSITION, "m", {"x", "y", "z"}},
                                {"orientation", STIC_WORD_ORIENTATION, "", {"w", "x", "y", "z"}},
                                {"velocity", STIC_WORD_VELOCITY, "m/s", {"x", "y", "z"}},
                                {"spin", STIC_WORD_SPIN, "rad/s", {"x", "y", "z"}},
                                {"force", STIC_WORD_FORCE, "N", {"x", "y", "z"}}};
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

static bool parse_coordinate(const SticResult* result, const char* word, SticWord* column)
{
    char* end = NULL;
    if (word[0] != 'q' && word[0] != 'u')
        return false;
    const long number = strtol(word + 1, &end, 10);
    const int32_t count = word[0] == 'q' ? result->info.nq : result->info.nu;
    column->quantity = word[0] == 'q' ? STIC_WORD_Q : STIC_WORD_U;
    column->index = (int32_t)number;
    return end != word + 1 && *end == '\0' && number >= 0 && number < count;
}

// a body that is not there: one whose name is near is named
static SticStatus no_body(const SticResult* result, const char* word, int length, SticError* error)
{
    char name[sizeof((SticWord){0}).word];
    const char** names = NULL;
    const size_t count = (size_t)result->info.bodies + 1;
    snprintf(name, sizeof name, "%.*s", length, word);
    STIC_TRY(STIC_ALLOCATE(&result->context, &names, count));
    for (size_t i = 0; i + 1 < count; ++i)
        names[i] = result->body_name[i];
    const char* near = stic_suggest(name, names);
    const SticStatus status = stic_error_set(
        error, STIC_BAD_ARGUMENT, "the result has no body '%s'%s%s%s", name,
        near != NULL ? "; did you mean '" : "", near != NULL ? near : "", near != NULL ? "'?" : "");
    STIC_RELEASE(&result->context, names, count);
    return status;
}

// a word that is not known: one that is near is named, else all are
static SticStatus no_word(const SticResult* result, const char* word, const char* const* more,
                          SticError* error)
{
    const char* names[WHOLE + OF_BODY + STIC_WORDS_MORE + 1] = {NULL};
    const char* dot = strrchr(word, '.');
    int count = 0;
    for (int i = 0; i < WHOLE && dot == NULL; ++i)
        names[count++] = whole[i].word;
    for (int i = 0; i < STIC_WORDS_MORE && dot == NULL && more[i] != NULL; ++i)
        names[count++] = more[i];
    for (int i = 0; i < OF_BODY && dot != NULL; ++i)
        names[count++] = of_body[i].word;
    const char* near = stic_suggest(dot != NULL ? dot + 1 : word, names);
    if (near != NULL)
        return stic_error_set(error, STIC_BAD_ARGUMENT, "'%s' is unknown; did you mean '%.*s%s'?",
                              word, dot != NULL ? (int)(dot + 1 - word) : 0, word, near);
    char list[128] = "";
    for (int i = 0, used = 0; i < STIC_WORDS_MORE && more[i] != NULL; ++i)
        used += snprintf(list + used, sizeof list - (size_t)used, "%s, ", more[i]);
    return stic_error_set(error, STIC_BAD_ARGUMENT,
                          "'%s' is unknown; there are time, step, energy, %scontacts%s%s", word,
                          list, result->info.nq > 0 ? ", q0, u0" : "",
                          result->info.bodies > 0 ? ", BODY.position, BODY.orientation, "
                                                    "BODY.velocity, BODY.spin, BODY.force"
                                                  : "");
}

SticStatus stic_word_parse(const SticResult* result, const char* const* more, SticWord* column,
                           SticError* error)
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
        if (column->index < 0)
            return no_body(result, word, (int)(dot - word), error);
        if (column->quantity == STIC_WORD_FORCE && !stic_hdf5_has(&result->file, "/contacts/id"))
            return stic_error_set(error, STIC_BAD_ARGUMENT,
                                  "'%s' is the sum of contact forces, and the result was recorded "
                                  "without contacts (contacts = false)",
                                  word);
        return STIC_OK;
    }
    return no_word(result, word, more, error);
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
int32_t stic_word_values(const SticWord* column, const SticResultFrame* frame,
                         double values[STIC_WORD_VALUES])
{
    const int64_t i = column->index;
    const double* from = NULL;
    int32_t count = 3;
    switch (column->quantity) {
    case STIC_WORD_TIME:
        values[0] = frame->time;
        return 1;
    case STIC_WORD_STEP:
        values[0] = (double)frame->step;
        return 1;
    case STIC_WORD_CONTACTS:
        values[0] = frame->contact_count;
        return 1;
    case STIC_WORD_ENERGY:
        from = frame->energy;
        count = 2;
        break;
    case STIC_WORD_POSITION:
        from = frame->position + 3 * i;
        break;
    case STIC_WORD_ORIENTATION:
        from = frame->orientation + 4 * i;
        count = 4;
        break;
    case STIC_WORD_VELOCITY:
        from = frame->velocity + 3 * i;
        break;
    case STIC_WORD_SPIN:
        from = frame->spin + 3 * i;
        break;
    case STIC_WORD_FORCE:
        stic_vec3_store(force_on(frame, column->index), values);
        return 3;
    case STIC_WORD_Q:
        from = frame->q + i;
        count = 1;
        break;
    case STIC_WORD_U:
        from = frame->u + i;
        count = 1;
        break;
    }
    memcpy(values, from, (size_t)count * sizeof *values);
    return count;
}

static const Entry* entry_of(SticWordKind quantity)
{
    for (int i = 0; i < WHOLE; ++i)
        if (whole[i].quantity == quantity)
            return &whole[i];
    for (int i = 0; i < OF_BODY; ++i)
        if (of_body[i].quantity == quantity)
            return &of_body[i];
    return NULL;
}

const char* const* stic_word_headings(const SticWord* word)
{
    static const char* const none[] = {NULL};
    const Entry* entry = entry_of(word->quantity);
    return entry == NULL ? none : entry->heading;
}

const char* stic_word_unit(const SticWord* word)
{
    const Entry* entry = entry_of(word->quantity);
    return entry == NULL ? "" : entry->unit;
}

#else

/// Keeps the file from being empty where HDF5 is left out.
typedef int SticWordsAbsent;

#endif

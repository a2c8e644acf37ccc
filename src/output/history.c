// SPDX-License-Identifier: Apache-2.0
// A quantity of a result over time, as curves with labels and a unit.
//
// Words of the table of steps have one value per step; the time of a step lies between those of the
// frames around it, in proportion to the numbers of steps, which is exact for steps of equal length
// and at every frame. All other words have one value per frame (words.c).
#include "output/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#ifdef STIC_HAVE_HDF5

typedef struct StepWord {
    const char *word, *path, *title, *unit;
    bool logarithmic;
} StepWord;

static const StepWord step_words[] = {
    {"ledger", "/steps/ledger", "energy exchanged since the start", "J", false},
    {"residual", "/steps/error", "residual of the one-step problems", "", true},
    {"iterations", "/steps/iterations", "iterations of the solver", "", false},
    {"contacts", "/steps/contacts", "contacts", "", false},
    {"penetration", "/steps/penetration", "deepest penetration", "m", false},
};

/* ---- words of steps ---- */

// time at the end of step i + 1, for all i; frames and steps are walked together
static void step_times(const SticResultRange* range, double h, double* time)
{
    int64_t k = 0;
    const int64_t last = range->frames - 1;
    for (int64_t i = 0; i < range->steps; ++i) {
        const int64_t step = i + 1;
        while (k < last && range->step[k + 1] < step)
            ++k;
        const int64_t from = range->step[k];
        const int64_t to = k < last ? range->step[k + 1] : from;
        const double part = to > from ? (double)(step - from) / (double)(to - from) : 0.0;
        time[i] = to > from ? range->time[k] + part * (range->time[k + 1] - range->time[k])
                            : range->time[k] + h * (double)(step - from);
    }
}

// from one row per step to one array per curve; the ledger is summed up
static void spread(const double* rows, SticHistory* history)
{
    const int32_t n = history->curves;
    for (int32_t c = 0; c < n; ++c) {
        double sum = 0.0;
        for (int64_t i = 0; i < history->count; ++i) {
            sum += rows[i * n + c];
            history->curve[c].value[i] = n == STIC_LEDGER_TERMS ? sum : rows[i];
        }
    }
}

static SticStatus read_step_word(SticResult* result, const StepWord* word, SticArena* arena,
                                 SticHistory* history)
{
    const int64_t n = result->range.steps;
    const bool ledger = strcmp(word->word, "ledger") == 0;
    double *rows = NULL, *time = NULL;
    history->count = n;
    history->curves = ledger ? STIC_LEDGER_TERMS : 1;
    history->unit = word->unit;
    history->logarithmic = word->logarithmic;
    snprintf(history->title, sizeof history->title, "%s", word->title);
    STIC_TRY(STIC_TAKE(arena, &time, n + 1));
    STIC_TRY(STIC_TAKE(arena, &rows, history->curves * n + 1));
    for (int32_t c = 0; c < history->curves; ++c) {
        STIC_TRY(STIC_TAKE(arena, &history->curve[c].value, n + 1));
        snprintf(history->curve[c].label, STIC_NAME_SIZE, "%s",
                 ledger ? stic_ledger_names[c] : word->word);
    }
    memset(time, 0, (size_t)n * sizeof *time);
    history->time = time;
    if (n == 0)
        return STIC_OK;
    if (result->range.frames > 0)
        step_times(&result->range, result->info.step, time);
    STIC_TRY(stic_slice_reals(&result->file, (SticSlice){word->path, 0, n, history->curves}, rows));
    spread(rows, history);
    return STIC_OK;
}

/* ---- words of frames ---- */

// labels of the curves; kinetic and potential energy are joined by their sum
static int32_t label_curves(const SticWord* word, SticHistory* history)
{
    const char* const* heading = stic_word_headings(word);
    int32_t n = 0;
    for (; heading[n] != NULL; ++n)
        snprintf(history->curve[n].label, STIC_NAME_SIZE, "%s", heading[n]);
    if (n == 0)
        snprintf(history->curve[n++].label, STIC_NAME_SIZE, "%.60s", word->word);
    if (word->quantity == STIC_WORD_ENERGY)
        snprintf(history->curve[n++].label, STIC_NAME_SIZE, "sum");
    return n;
}

static SticStatus read_frames(SticResult* result, const SticWord* word, SticHistory* history,
                              SticArena* scratch, SticError* error)
{
    for (int64_t k = 0; k < history->count; ++k) {
        SticResultFrame frame;
        double values[STIC_WORD_VALUES];
        STIC_TRY(stic_arena_reset(scratch));
        STIC_TRY(stic_result_read(result, k, scratch, &frame, error));
        const int32_t n = stic_word_values(word, &frame, values);
        for (int32_t c = 0; c < n; ++c)
            history->curve[c].value[k] = values[c];
        if (word->quantity == STIC_WORD_ENERGY)
            history->curve[n].value[k] = values[0] + values[1];
    }
    return STIC_OK;
}

static SticStatus read_frame_word(SticResult* result, const SticWord* word, SticArena* arena,
                                  SticHistory* history, SticError* error)
{
    SticArena* scratch = NULL;
    history->count = result->range.frames;
    history->time = result->range.time;
    history->unit = stic_word_unit(word);
    history->curves = label_curves(word, history);
    snprintf(history->title, sizeof history->title, "%s", word->word);
    for (int32_t c = 0; c < history->curves; ++c)
        STIC_TRY(STIC_TAKE(arena, &history->curve[c].value, history->count + 1));
    STIC_TRY(stic_arena_create(&result->context, 0, &scratch));
    const SticStatus status = read_frames(result, word, history, scratch, error);
    stic_arena_destroy(scratch);
    return status;
}

SticStatus stic_result_history(SticResult* result, const char* word, SticArena* arena,
                               SticHistory* history, SticError* error)
{
    STIC_GIVEN(result, error);
    STIC_GIVEN(word, error);
    STIC_GIVEN(arena, error);
    STIC_GIVEN(history, error);
    SticWord found = {0};
    *history = (SticHistory){.unit = ""};
    result->file.error = error;
    // systems written by hand may have steps too, but a file need not hold them
    for (size_t i = 0; i < sizeof step_words / sizeof step_words[0]; ++i)
        if (strcmp(word, step_words[i].word) == 0) {
            if (stic_hdf5_has(&result->file, step_words[i].path))
                return read_step_word(result, &step_words[i], arena, history);
            return stic_error_set(error, STIC_BAD_ARGUMENT,
                                  "the result has no table of steps for '%s': output.solver was "
                                  "off",
                                  word);
        }
    if (strlen(word) >= sizeof found.word)
        return stic_error_set(error, STIC_BAD_ARGUMENT, "'%.40s…' is too long", word);
    memcpy(found.word, word, strlen(word) + 1);
    static const char* const more[STIC_WORDS_MORE] = {"ledger", "residual", "iterations",
                                                      "penetration"};
    STIC_TRY(stic_word_parse(result, more, &found, error));
    return read_frame_word(result, &found, arena, history, error);
}

#else

SticStatus stic_result_history(SticResult* result, const char* word, SticArena* arena,
                               SticHistory* history, SticError* error)
{
    STIC_GIVEN(result, error);
    STIC_GIVEN(word, error);
    STIC_GIVEN(arena, error);
    STIC_GIVEN(history, error);
    (void)result, (void)word, (void)arena, (void)history;
    return stic_error_set(error, STIC_UNSUPPORTED,
                          "this build of stiction has no HDF5: results cannot be read");
}

#endif

// SPDX-License-Identifier: Apache-2.0
// A result as the data of a viewer's page: what is drawn, small enough for a browser.
//
// Records carry the names of the result file (docs/reference/result-format.md) and the same layout,
// with these departures:
//   frames     every k-th one and the last, so that frames x bodies stays below def.most_poses
//   position   16 bits between the least and largest value of each body and axis
//   orientation, velocity   16 bits of their components; scales in motion/velocity_scale
//   contacts   of every m-th chosen frame, so that there are at most def.most_contacts
//   steps      gathered in at most MOST_BINS bins: largest error, penetration and contacts, worst
//              outcome and verdict, ledger summed up since the start
// Rows of 16-bit values are stored as differences to the row before, low and high bytes apart: a
// body at rest costs nothing after deflation.
#include "output/reader.h"

#ifdef STIC_HAVE_HDF5

#include <math.h>
#include <string.h>

#include "file/replace.h"
#include "output/attributes.h"
#include "output/page_sink.h"
#include "output/writer.h"

enum { MOST_EVENTS = 20000, MOST_BINS = 4096, PART_VALUES = 1 << 16, LEDGER = STIC_LEDGER_TERMS };

typedef struct Page {
    SticResult* result;
    const SticHdf5* file;
    SticArena* arena;
    SticSink sink;
    int64_t end;     // of the frames that are looked at
    int64_t frames;  // chosen ones
    int64_t* chosen; // [frames] numbers in the file
    int64_t contact_every;
    bool later; // frames that continue a page: what does not change is known there
} Page;

// rows that are read at once
static int64_t part_rows(int64_t values)
{
    return values > 0 && values < PART_VALUES ? PART_VALUES / values : 1;
}

// how many chosen frames from the k-th on follow each other in the file
static int64_t span_of(const Page* page, int64_t k, int64_t most)
{
    int64_t count = 1;
    while (count < most && k + count < page->frames &&
           page->chosen[k + count] == page->chosen[k] + count)
        count += 1;
    return count;
}

/* ---- rows as they are ---- */

// which rows of a data set become a record
typedef struct Rows {
    const char* path; // in the file; the record's name is the path without its first slash
    SticRecordType type;
    int64_t values;
    int64_t begin, count;
} Rows;

static SticStatus copy_part(Page* page, Rows rows, void* memory)
{
    const SticSlice slice = {rows.path, rows.begin, rows.count, rows.values};
    const int64_t n = rows.count * rows.values;
    size_t size = sizeof(int32_t);
    if (rows.type == STIC_RECORD_BYTES) {
        size = 1;
        STIC_TRY(stic_slice_bytes(page->file, slice, memory));
    } else if (rows.type == STIC_RECORD_INTEGERS) {
        STIC_TRY(stic_slice_int32(page->file, slice, memory));
    } else if (rows.type == STIC_RECORD_IDS) {
        size = sizeof(uint64_t);
        STIC_TRY(stic_slice_ids(page->file, slice, memory));
    } else {
        STIC_TRY(stic_slice_reals(page->file, slice, memory));
        size = rows.type == STIC_RECORD_DOUBLES ? sizeof(double) : sizeof(float);
        const double* wide = memory;
        float* narrow = memory;
        // in place: a float never overtakes the double it is read from
        for (int64_t i = 0; rows.type == STIC_RECORD_FLOATS && i < n; ++i) {
            const float value = (float)wide[i];
            memcpy(narrow + i, &value, sizeof value);
        }
    }
    return stic_sink_bytes(&page->sink, memory, (size_t)n * size);
}

// rows without a head, in parts, so that a long data set needs little memory
static SticStatus copy_rows(Page* page, Rows rows)
{
    const SticArenaMark mark = stic_arena_mark(page->arena);
    double* memory = NULL;
    const int64_t end = rows.begin + rows.count, part = part_rows(rows.values);
    const int64_t most = rows.count < part ? rows.count : part;
    SticStatus status = STIC_TAKE(page->arena, &memory, most * rows.values + 1);
    for (; status == STIC_OK && rows.begin < end; rows.begin += rows.count) {
        rows.count = end - rows.begin < part ? end - rows.begin : part;
        status = copy_part(page, rows, memory);
    }
    stic_arena_rewind(page->arena, mark);
    return status;
}

static SticStatus copy_table(Page* page, const char* path, SticRecordType type, int64_t values)
{
    const int64_t count = stic_slice_rows(page->file, path);
    STIC_TRY(stic_sink_record(&page->sink, path + 1, type, count, values));
    // without rows: whether it is a table at all
    if (count == 0)
        return copy_part(page, (Rows){path, type, values, 0, 0}, page);
    return copy_rows(page, (Rows){path, type, values, 0, count});
}

// a data set with one row per frame, at the chosen frames; nothing if the file does not have it
static SticStatus copy_frames(Page* page, const char* path, SticRecordType type, int64_t values)
{
    if (!stic_hdf5_has(page->file, path) || values == 0)
        return STIC_OK;
    STIC_TRY(stic_sink_record(&page->sink, path + 1, type, page->frames, values));
    for (int64_t k = 0, n; k < page->frames; k += n) {
        n = span_of(page, k, page->frames);
        STIC_TRY(copy_rows(page, (Rows){path, type, values, page->chosen[k], n}));
    }
    return STIC_OK;
}

/* ---- texts and fixed tables ---- */

static SticStatus put_text(Page* page, const char* name, const char* text)
{
    STIC_TRY(stic_sink_record(&page->sink, name, STIC_RECORD_TEXTS, (int64_t)strlen(text) + 1, 1));
    return stic_sink_bytes(&page->sink, text, strlen(text) + 1);
}

// texts of fixed length, each ended by one zero byte
static SticStatus put_names(Page* page, const char* path)
{
    const SticArenaMark mark = stic_arena_mark(page->arena);
    const int64_t count = stic_slice_rows(page->file, path);
    char(*name)[STIC_NAME_SIZE] = NULL;
    size_t bytes = 0;
    STIC_TRY(STIC_TAKE(page->arena, &name, count + 1));
    STIC_TRY(stic_slice_texts(page->file, (SticSlice){path, 0, count, 1}, STIC_NAME_SIZE, name[0]));
    for (int64_t i = 0; i < count; ++i) {
        name[i][STIC_NAME_SIZE - 1] = '\0';
        const size_t length = strlen(name[i]) + 1;
        memmove(name[0] + bytes, name[i], length);
        bytes += length;
    }
    STIC_TRY(stic_sink_record(&page->sink, path + 1, STIC_RECORD_TEXTS, (int64_t)bytes, 1));
    const SticStatus status = stic_sink_bytes(&page->sink, name[0], bytes);
    stic_arena_rewind(page->arena, mark);
    return status;
}

static SticStatus put_facts(Page* page)
{
    const SticResultInfo* info = &page->result->info;
    const char* units = "";
    STIC_TRY(stic_attribute_read(page->file, "units", page->arena, &units));
    const struct {
        const char *name, *text;
    } facts[] = {{"title", info->title},
                 {"program", info->program},
                 {"system", info->system},
                 {"scheme", info->scheme},
                 {"solver", info->solver},
                 {"determinism", info->determinism},
                 {"units", units},
                 {"force_choice", info->force_choice},
                 {"scene/path", info->scene_path},
                 {"scene/source", info->source},
                 {"scene/parameters", info->parameters}};
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; ++i)
        STIC_TRY(put_text(page, facts[i].name, facts[i].text));
    const double numbers[] = {info->step, info->until, (double)page->end, (double)info->steps,
                              (double)page->contact_every};
    STIC_TRY(stic_sink_record(&page->sink, "numbers", STIC_RECORD_DOUBLES, 5, 1));
    return stic_sink_bytes(&page->sink, numbers, sizeof numbers);
}

static SticStatus put_tables(Page* page)
{
    static const struct {
        const char* path;
        SticRecordType type;
        int32_t values;
    } tables[] = {{"/bodies/kind", STIC_RECORD_BYTES, 1},
                  {"/bodies/mass", STIC_RECORD_DOUBLES, 1},
                  {"/bodies/colour", STIC_RECORD_BYTES, 4},
                  {"/bodies/look", STIC_RECORD_BYTES, 2},
                  {"/bodies/deformation", STIC_RECORD_INTEGERS, 1},
                  {"/materials/colour", STIC_RECORD_BYTES, 4},
                  {"/shapes/kind", STIC_RECORD_BYTES, 1},
                  {"/shapes/body", STIC_RECORD_INTEGERS, 1},
                  {"/shapes/material", STIC_RECORD_INTEGERS, 1},
                  {"/shapes/origin", STIC_RECORD_FLOATS, 3},
                  {"/shapes/rotation", STIC_RECORD_FLOATS, 9},
                  {"/shapes/parameter", STIC_RECORD_FLOATS, 4},
                  {"/shapes/moving", STIC_RECORD_INTEGERS, 1},
                  {"/shapes/vertex_begin", STIC_RECORD_INTEGERS, 1},
                  {"/shapes/vertex_count", STIC_RECORD_INTEGERS, 1},
                  {"/shapes/face_begin", STIC_RECORD_INTEGERS, 1},
                  {"/shapes/face_count", STIC_RECORD_INTEGERS, 1},
                  {"/shapes/vertex", STIC_RECORD_FLOATS, 3},
                  {"/shapes/face", STIC_RECORD_INTEGERS, 3},
                  {"/joints/kind", STIC_RECORD_BYTES, 1},
                  {"/joints/body", STIC_RECORD_INTEGERS, 2},
                  {"/joints/point", STIC_RECORD_FLOATS, 6},
                  {"/joints/axis", STIC_RECORD_FLOATS, 6}};
    static const char* const names[] = {"/bodies/name", "/joints/name", "/model/q_label",
                                        "/model/u_label"};
    STIC_TRY(stic_result_check_tables(page->result, page->arena));
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; ++i)
        if (stic_hdf5_has(page->file, tables[i].path))
            STIC_TRY(copy_table(page, tables[i].path, tables[i].type, tables[i].values));
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
        if (stic_hdf5_has(page->file, names[i]))
            STIC_TRY(put_names(page, names[i]));
    return STIC_OK;
}

/* ---- motion in 16 bits ---- */

// a row of 16-bit values as difference to the one before, low bytes first
static SticStatus put_steps(Page* page, const uint16_t* row, uint16_t* before, uint8_t* bytes,
                            int64_t n)
{
    for (int64_t i = 0; i < n; ++i) {
        const uint32_t change = ((uint32_t)row[i] - before[i]) & 0xffffu;
        bytes[i] = (uint8_t)(change & 0xffu);
        bytes[n + i] = (uint8_t)(change >> 8);
        before[i] = row[i];
    }
    return stic_sink_bytes(&page->sink, bytes, 2 * (size_t)n);
}

// scratch of one data set of motions
typedef struct Motion {
    const char* path;
    int64_t n;     // values of a frame
    double* value; // [rows][n] those of the chosen frames from `first` on
    int64_t first, rows;
    uint16_t *row, *before;
    uint8_t* bytes;
} Motion;

static SticStatus take_motion(Page* page, const char* path, int64_t n, Motion* motion)
{
    *motion = (Motion){.path = path, .n = n};
    STIC_TRY(STIC_TAKE(page->arena, &motion->value, part_rows(n) * n + 1));
    STIC_TRY(STIC_TAKE(page->arena, &motion->row, n + 1));
    STIC_TRY(STIC_TAKE(page->arena, &motion->before, n + 1));
    STIC_TRY(STIC_TAKE(page->arena, &motion->bytes, 2 * n + 1));
    memset(motion->before, 0, sizeof(uint16_t) * (size_t)n);
    return STIC_OK;
}

// the values of the k-th chosen frame, read with those that follow it
static SticStatus read_motion(const Page* page, Motion* motion, int64_t k, double** value)
{
    if (k < motion->first || k >= motion->first + motion->rows) {
        const int64_t count = span_of(page, k, part_rows(motion->n));
        motion->rows = 0;
        STIC_TRY(stic_slice_reals(page->file,
                                  (SticSlice){motion->path, page->chosen[k], count, motion->n},
                                  motion->value));
        motion->first = k;
        motion->rows = count;
    }
    *value = motion->value + (k - motion->first) * motion->n;
    return STIC_OK;
}

static SticStatus put_range(Page* page, Motion* motion, double* low, double* high)
{
    const int64_t n = motion->n;
    for (int64_t k = 0; k < page->frames; ++k) {
        double* value = NULL;
        STIC_TRY(read_motion(page, motion, k, &value));
        for (int64_t i = 0; i < n; ++i) {
            low[i] = k == 0 || value[i] < low[i] ? value[i] : low[i];
            high[i] = k == 0 || value[i] > high[i] ? value[i] : high[i];
        }
    }
    STIC_TRY(stic_sink_record(&page->sink, "motion/position_low", STIC_RECORD_DOUBLES, n, 1));
    STIC_TRY(stic_sink_bytes(&page->sink, low, sizeof(double) * (size_t)n));
    STIC_TRY(stic_sink_record(&page->sink, "motion/position_high", STIC_RECORD_DOUBLES, n, 1));
    return stic_sink_bytes(&page->sink, high, sizeof(double) * (size_t)n);
}

static SticStatus put_positions(Page* page)
{
    Motion motion;
    double *low = NULL, *high = NULL;
    const int64_t n = 3 * (int64_t)page->result->info.bodies;
    STIC_TRY(take_motion(page, "/motion/position", n, &motion));
    STIC_TRY(STIC_TAKE(page->arena, &low, n + 1));
    STIC_TRY(STIC_TAKE(page->arena, &high, n + 1));
    STIC_TRY(put_range(page, &motion, low, high));
    STIC_TRY(stic_sink_record(&page->sink, "motion/position", STIC_RECORD_STEPS, page->frames, n));
    for (int64_t k = 0; k < page->frames; ++k) {
        double* value = NULL;
        STIC_TRY(read_motion(page, &motion, k, &value));
        for (int64_t i = 0; i < n; ++i) {
            const double width = high[i] - low[i];
            const double part = width > 0.0 ? (value[i] - low[i]) / width : 0.0;
            // a place that is not finite is drawn at the least value
            motion.row[i] = part >= 0.0 && part <= 1.0 ? (uint16_t)floor(part * 65535.0 + 0.5) : 0;
        }
        STIC_TRY(put_steps(page, motion.row, motion.before, motion.bytes, n));
    }
    return STIC_OK;
}

// a number in [-1, 1]; one that is not a number becomes 0
static uint16_t signed16(double part)
{
    const double finite = isnan(part) ? 0.0 : part;
    const double inside = finite < -1.0 ? -1.0 : finite > 1.0 ? 1.0 : finite;
    return (uint16_t)(int16_t)floor(inside * 32767.0 + 0.5);
}

static SticStatus put_orientations(Page* page)
{
    Motion motion;
    double* before = NULL;
    const int64_t n = 4 * (int64_t)page->result->info.bodies;
    STIC_TRY(take_motion(page, "/motion/orientation", n, &motion));
    STIC_TRY(STIC_TAKE(page->arena, &before, n + 1));
    memset(before, 0, sizeof(double) * (size_t)n);
    STIC_TRY(stic_sink_record(&page->sink, motion.path + 1, STIC_RECORD_STEPS, page->frames, n));
    for (int64_t k = 0; k < page->frames; ++k) {
        double* A = NULL;
        STIC_TRY(read_motion(page, &motion, k, &A));
        for (int64_t i = 0; i < n; i += 4) {
            // of the two quaternions of a rotation the one next to that of the frame before
            double product = 0.0;
            for (int64_t c = i; c < i + 4; ++c)
                product += A[c] * before[c];
            for (int64_t c = i; c < i + 4; ++c) {
                before[c] = product < 0.0 ? -A[c] : A[c];
                motion.row[c] = signed16(before[c]);
            }
        }
        STIC_TRY(put_steps(page, motion.row, motion.before, motion.bytes, n));
    }
    return STIC_OK;
}

static SticStatus put_velocities(Page* page)
{
    Motion motion;
    double largest = 0.0;
    const int64_t n = 3 * (int64_t)page->result->info.bodies;
    STIC_TRY(take_motion(page, "/motion/velocity", n, &motion));
    for (int64_t k = 0; k < page->frames; ++k) {
        double* value = NULL;
        STIC_TRY(read_motion(page, &motion, k, &value));
        for (int64_t i = 0; i < n; ++i)
            largest = fabs(value[i]) > largest ? fabs(value[i]) : largest;
    }
    STIC_TRY(stic_sink_record(&page->sink, "motion/velocity_scale", STIC_RECORD_DOUBLES, 1, 1));
    STIC_TRY(stic_sink_bytes(&page->sink, &largest, sizeof largest));
    STIC_TRY(stic_sink_record(&page->sink, motion.path + 1, STIC_RECORD_STEPS, page->frames, n));
    for (int64_t k = 0; k < page->frames; ++k) {
        double* value = NULL;
        STIC_TRY(read_motion(page, &motion, k, &value));
        for (int64_t i = 0; i < n; ++i)
            motion.row[i] = signed16(largest > 0.0 ? value[i] / largest : 0.0);
        STIC_TRY(put_steps(page, motion.row, motion.before, motion.bytes, n));
    }
    return STIC_OK;
}

static SticStatus put_motion(Page* page)
{
    const SticResultInfo* info = &page->result->info;
    STIC_TRY(copy_frames(page, "/frames/time", STIC_RECORD_DOUBLES, 1));
    STIC_TRY(copy_frames(page, "/frames/step", STIC_RECORD_INTEGERS, 1));
    STIC_TRY(copy_frames(page, "/frames/energy", STIC_RECORD_DOUBLES, 2));
    STIC_TRY(copy_frames(page, "/model/q", STIC_RECORD_FLOATS, info->nq));
    STIC_TRY(copy_frames(page, "/model/u", STIC_RECORD_FLOATS, info->nu));
    if (info->bodies == 0)
        return STIC_OK;
    STIC_TRY(put_positions(page));
    STIC_TRY(put_orientations(page));
    STIC_TRY(put_velocities(page));
    int32_t *deformation = NULL, deformable = 0;
    STIC_TRY(stic_result_deformation(page->result, page->arena, &deformation, &deformable));
    STIC_TRY(copy_frames(page, "/motion/F", STIC_RECORD_FLOATS, 9 * (int64_t)deformable));
    STIC_TRY(copy_frames(page, "/motion/stress", STIC_RECORD_FLOATS, 9 * (int64_t)deformable));
    int32_t *moving = NULL, vertices = 0;
    STIC_TRY(stic_result_moving(page->result, page->arena, &moving, &vertices));
    STIC_TRY(copy_frames(page, "/motion/vertex", STIC_RECORD_FLOATS, 3 * (int64_t)vertices));
    STIC_TRY(copy_frames(page, "/joint_motion/coordinate", STIC_RECORD_FLOATS, info->joints));
    return copy_frames(page, "/joint_motion/force", STIC_RECORD_FLOATS, 3 * (int64_t)info->joints);
}

/* ---- contacts ---- */

static SticStatus put_contacts(Page* page)
{
    static const struct {
        const char* path;
        SticRecordType type;
        int32_t values;
    } columns[] = {
        {"/contacts/body", STIC_RECORD_INTEGERS, 2}, {"/contacts/point", STIC_RECORD_FLOATS, 3},
        {"/contacts/normal", STIC_RECORD_FLOATS, 3}, {"/contacts/force", STIC_RECORD_FLOATS, 3},
        {"/contacts/gap", STIC_RECORD_FLOATS, 1},    {"/contacts/slip", STIC_RECORD_FLOATS, 3},
        {"/contacts/status", STIC_RECORD_BYTES, 1},  {"/contacts/id", STIC_RECORD_IDS, 1}};
    const SticResultRange* range = &page->result->range;
    if (!stic_hdf5_has(page->file, "/contacts/force"))
        return STIC_OK;
    // where the contacts of each chosen frame begin; a frame without any repeats the number
    int32_t* begin = NULL;
    int64_t total = 0;
    STIC_TRY(STIC_TAKE(page->arena, &begin, page->frames + 1));
    for (int64_t k = 0; k < page->frames; ++k) {
        begin[k] = (int32_t)total;
        if (k % page->contact_every != 0)
            continue;
        total += range->contact_count[page->chosen[k]];
    }
    if (total > INT32_MAX)
        return stic_hdf5_fail(page->file, STIC_BAD_FILE, "/frames/contact_count",
                              "has too many contacts");
    begin[page->frames] = (int32_t)total;
    STIC_TRY(
        stic_sink_record(&page->sink, "contacts/begin", STIC_RECORD_INTEGERS, page->frames + 1, 1));
    STIC_TRY(stic_sink_bytes(&page->sink, begin, sizeof *begin * (size_t)(page->frames + 1)));
    for (size_t c = 0; c < sizeof columns / sizeof columns[0]; ++c) {
        Rows rows = {columns[c].path, columns[c].type, columns[c].values, 0, 0};
        STIC_TRY(stic_sink_record(&page->sink, rows.path + 1, rows.type, total, rows.values));
        for (int64_t k = 0; k < page->frames;) {
            rows.begin = range->contact_begin[page->chosen[k]];
            rows.count = 0;
            // as far as the contacts follow each other in the file
            do {
                rows.count += range->contact_count[page->chosen[k]];
                k += page->contact_every;
            } while (k < page->frames &&
                     range->contact_begin[page->chosen[k]] == rows.begin + rows.count);
            if (c == 0)
                STIC_TRY(
                    stic_result_check_bodies(page->result, page->arena, rows.begin, rows.count));
            STIC_TRY(copy_rows(page, rows));
        }
    }
    return STIC_OK;
}

/* ---- steps in bins ---- */

// columns of the table of steps; the bins are gathered in place, since a bin never lies behind the
// steps it is made of
typedef struct Steps {
    int64_t count;
    double *error, *penetration, (*ledger)[LEDGER];
    int32_t *iterations, *contacts;
    uint8_t *outcome, *existence;
} Steps;

static SticStatus read_steps(Page* page, Steps* steps)
{
    const SticHdf5* file = page->file;
    const int64_t n = steps->count;
    STIC_TRY(STIC_TAKE(page->arena, &steps->error, n + 1));
    STIC_TRY(STIC_TAKE(page->arena, &steps->penetration, n + 1));
    STIC_TRY(STIC_TAKE(page->arena, &steps->ledger, n + 1));
    STIC_TRY(STIC_TAKE(page->arena, &steps->iterations, n + 1));
    STIC_TRY(STIC_TAKE(page->arena, &steps->contacts, n + 1));
    STIC_TRY(STIC_TAKE(page->arena, &steps->outcome, n + 1));
    STIC_TRY(STIC_TAKE(page->arena, &steps->existence, n + 1));
    STIC_TRY(stic_slice_reals(file, (SticSlice){"/steps/error", 0, n, 1}, steps->error));
    STIC_TRY(
        stic_slice_reals(file, (SticSlice){"/steps/penetration", 0, n, 1}, steps->penetration));
    STIC_TRY(stic_slice_reals(file, (SticSlice){"/steps/ledger", 0, n, LEDGER}, steps->ledger[0]));
    STIC_TRY(stic_slice_int32(file, (SticSlice){"/steps/iterations", 0, n, 1}, steps->iterations));
    STIC_TRY(stic_slice_int32(file, (SticSlice){"/steps/contacts", 0, n, 1}, steps->contacts));
    STIC_TRY(stic_slice_bytes(file, (SticSlice){"/steps/outcome", 0, n, 1}, steps->outcome));
    return stic_slice_bytes(file, (SticSlice){"/steps/existence", 0, n, 1}, steps->existence);
}

// add step i to bin k, which may be step i itself
static void gather(Steps* s, int64_t k, int64_t i)
{
    // an error that is not a number must stay visible
    if (!(s->error[i] <= s->error[k]))
        s->error[k] = s->error[i];
    if (s->penetration[i] > s->penetration[k])
        s->penetration[k] = s->penetration[i];
    if (s->contacts[i] > s->contacts[k])
        s->contacts[k] = s->contacts[i];
    if (s->iterations[i] > s->iterations[k])
        s->iterations[k] = s->iterations[i];
    if (s->outcome[i] > s->outcome[k])
        s->outcome[k] = s->outcome[i];
    if (s->existence[i] > s->existence[k])
        s->existence[k] = s->existence[i];
}

static int64_t gather_all(Steps* s)
{
    const int64_t width = s->count > MOST_BINS ? (s->count + MOST_BINS - 1) / MOST_BINS : 1;
    double sum[LEDGER] = {0};
    for (int64_t i = 0; i < s->count; ++i) {
        const int64_t k = i / width;
        for (int c = 0; c < LEDGER; ++c)
            sum[c] += s->ledger[i][c];
        memcpy(s->ledger[k], sum, sizeof sum);
        if (i % width == 0) {
            s->error[k] = s->error[i];
            s->penetration[k] = s->penetration[i];
            s->iterations[k] = s->iterations[i];
            s->contacts[k] = s->contacts[i];
            s->outcome[k] = s->outcome[i];
            s->existence[k] = s->existence[i];
        }
        gather(s, k, i);
    }
    return width;
}

static SticStatus put_steps_table(Page* page)
{
    Steps s = {.count = page->result->range.steps};
    if (s.count == 0)
        return STIC_OK;
    STIC_TRY(read_steps(page, &s));
    const int64_t width = gather_all(&s);
    const int64_t bins = (s.count + width - 1) / width;
    const double bin_width = (double)width;
    const struct {
        const char* name;
        SticRecordType type;
        int64_t rows, values;
        const void* bytes;
        size_t size;
    } columns[] = {
        {"steps/width", STIC_RECORD_DOUBLES, 1, 1, &bin_width, sizeof(double)},
        {"steps/error", STIC_RECORD_DOUBLES, bins, 1, s.error, sizeof(double)},
        {"steps/penetration", STIC_RECORD_DOUBLES, bins, 1, s.penetration, sizeof(double)},
        {"steps/ledger", STIC_RECORD_DOUBLES, bins, LEDGER, s.ledger, LEDGER * sizeof(double)},
        {"steps/iterations", STIC_RECORD_INTEGERS, bins, 1, s.iterations, sizeof(int32_t)},
        {"steps/contacts", STIC_RECORD_INTEGERS, bins, 1, s.contacts, sizeof(int32_t)},
        {"steps/outcome", STIC_RECORD_BYTES, bins, 1, s.outcome, 1},
        {"steps/existence", STIC_RECORD_BYTES, bins, 1, s.existence, 1}};
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; ++i) {
        STIC_TRY(stic_sink_record(&page->sink, columns[i].name, columns[i].type, columns[i].rows,
                                  columns[i].values));
        STIC_TRY(stic_sink_bytes(&page->sink, columns[i].bytes,
                                 (size_t)columns[i].rows * columns[i].size));
    }
    return STIC_OK;
}

/* ---- events ---- */

// the first of them, and how many there are
static SticStatus put_events(Page* page)
{
    if (!stic_hdf5_has(page->file, "/events/time"))
        return STIC_OK;
    const int64_t total = stic_slice_rows(page->file, "/events/time");
    const int64_t count = total < MOST_EVENTS ? total : MOST_EVENTS;
    const double number = (double)total;
    const Rows rows[] = {{"/events/time", STIC_RECORD_DOUBLES, 1, 0, count},
                         {"/events/kind", STIC_RECORD_BYTES, 1, 0, count},
                         {"/events/body", STIC_RECORD_INTEGERS, 2, 0, count}};
    STIC_TRY(stic_sink_record(&page->sink, "events/total", STIC_RECORD_DOUBLES, 1, 1));
    STIC_TRY(stic_sink_bytes(&page->sink, &number, sizeof number));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        STIC_TRY(stic_sink_record(&page->sink, rows[i].path + 1, rows[i].type, rows[i].count,
                                  rows[i].values));
        STIC_TRY(copy_rows(page, rows[i]));
    }
    return STIC_OK;
}

/* ---- the page ---- */

// every k-th frame and the last
static SticStatus choose_frames(Page* page, const SticPageDef* def)
{
    const SticResultInfo* info = &page->result->info;
    const int64_t size = info->bodies > 0 ? info->bodies : info->nq + 1;
    const int64_t most = def->most_poses / size > 2 ? def->most_poses / size : 2;
    const int64_t first = def->first_frame, frames = page->end > first ? page->end - first : 0;
    const int64_t every = frames > most ? (frames + most - 1) / most : 1;
    STIC_TRY(STIC_TAKE(page->arena, &page->chosen, frames / every + 2));
    for (int64_t k = first; k < page->end; k += every)
        page->chosen[page->frames++] = k;
    if (frames > 0 && page->chosen[page->frames - 1] != page->end - 1)
        page->chosen[page->frames++] = page->end - 1;
    int64_t contacts = 0;
    for (int64_t k = 0; k < page->frames && info->bodies > 0; ++k)
        contacts += page->result->range.contact_count[page->chosen[k]];
    page->contact_every = 1 + contacts / (def->most_contacts > 0 ? def->most_contacts : 1);
    return STIC_OK;
}

static SticStatus put_all(Page* page)
{
    STIC_TRY(put_facts(page));
    if (!page->later)
        STIC_TRY(put_tables(page));
    STIC_TRY(put_motion(page));
    if (page->result->info.bodies > 0)
        STIC_TRY(put_contacts(page));
    // a part with more to come leaves what is of the whole run to the last one
    if (page->later && page->end < page->result->info.frames)
        return STIC_OK;
    STIC_TRY(put_events(page));
    return put_steps_table(page);
}

static SticStatus write_page(Page* page, const SticPageDef* def, SticReplace* file,
                             SticError* error)
{
    STIC_TRY(stic_replace_write(file, def->before, strlen(def->before), error));
    STIC_TRY(stic_sink_begin(&page->sink, file, error));
    const SticStatus status = put_all(page);
    if (status != STIC_OK) {
        stic_sink_drop(&page->sink);
        return status;
    }
    STIC_TRY(stic_sink_end(&page->sink));
    return stic_replace_write(file, def->after, strlen(def->after), error);
}

// a page that is kept open and has no name, for those who only send it; nothing waits for the disk
static SticStatus keep(SticReplace* file, int* kept, SticError* error)
{
    *kept = stic_replace_share(file);
    stic_replace_abort(file);
    if (*kept < 0)
        return stic_error_set(error, STIC_IO_FAILED, "a page cannot be kept open");
    return STIC_OK;
}

// `kept`: NULL, or what becomes the descriptor of a file without a name
static SticStatus export_page(SticResult* result, const SticPageDef* def, const char* page_path,
                              int* kept, SticError* error)
{
    const SticContext* context = &result->context;
    Page* page = NULL;
    SticArena* arena = NULL;
    SticReplace* file = NULL;
    SticStatus status = stic_arena_create(context, 1 << 20, &arena);
    if (status == STIC_OK)
        status = STIC_TAKE(arena, &page, 1);
    if (status == STIC_OK) {
        result->file.error = error;
        page->result = result;
        page->file = &result->file;
        page->arena = arena;
        page->frames = 0;
        page->later = def->first_frame > 0;
        page->end = def->end_frame > 0 && def->end_frame < result->info.frames
                        ? def->end_frame
                        : result->info.frames;
        status = choose_frames(page, def);
    }
    if (status == STIC_OK)
        status = stic_replace_begin(context, page_path, &file, error);
    if (status == STIC_OK)
        status = write_page(page, def, file, error);
    if (status == STIC_OK)
        status = kept == NULL ? stic_replace_commit(file, error) : keep(file, kept, error);
    else
        stic_replace_abort(file);
    stic_arena_destroy(arena);
    return status;
}

SticStatus stic_result_export_page(const SticContext* context, const char* path,
                                   const SticPageDef* def, const char* page_path, SticError* error)
{
    context = stic_context_given(context);
    STIC_ASSERT(def != NULL);
    SticResult* result = NULL;
    STIC_TRY(stic_result_open(context, path, &result, error));
    const SticStatus status = export_page(result, def, page_path, NULL, error);
    stic_result_close(result);
    return status;
}

static SticStatus export_growing(SticOutput* output, const SticPageDef* def, const char* page_path,
                                 int* kept, SticError* error)
{
    SticResult* result = NULL;
    STIC_TRY(stic_output_flush(output, error));
    STIC_TRY(stic_result_borrow(&output->context, &output->columns.file, &result, error));
    const SticStatus status = export_page(result, def, page_path, kept, error);
    stic_result_close(result);
    return status;
}

SticStatus stic_output_export_page(SticOutput* output, const SticPageDef* def,
                                   const char* page_path, SticError* error)
{
    STIC_ASSERT(output != NULL);
    STIC_ASSERT(def != NULL);
    return export_growing(output, def, page_path, NULL, error);
}

SticStatus stic_output_page_file(SticOutput* output, const SticPageDef* def, const char* beside,
                                 int* file, SticError* error)
{
    *file = -1;
    return export_growing(output, def, beside, file, error);
}

#else

SticStatus stic_result_export_page(const SticContext* context, const char* path,
                                   const SticPageDef* def, const char* page_path, SticError* error)
{
    STIC_ASSERT(def != NULL);
    (void)context, (void)path, (void)def, (void)page_path;
    return stic_error_set(error, STIC_UNSUPPORTED, "this build has no HDF5");
}

SticStatus stic_output_export_page(SticOutput* output, const SticPageDef* def,
                                   const char* page_path, SticError* error)
{
    STIC_ASSERT(output != NULL);
    STIC_ASSERT(def != NULL);
    (void)output, (void)def, (void)page_path;
    return stic_error_set(error, STIC_UNSUPPORTED, "this build has no HDF5");
}

SticStatus stic_output_page_file(SticOutput* output, const SticPageDef* def, const char* beside,
                                 int* file, SticError* error)
{
    *file = -1;
    return stic_output_export_page(output, def, beside, error);
}

#endif

SticPageDef stic_page_default_def(void)
{
    return (SticPageDef){.before = "", .after = "", .most_poses = 3000000, .most_contacts = 400000};
}

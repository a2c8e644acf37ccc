// SPDX-License-Identifier: Apache-2.0
// Reading result files, also those that are being written or were left by a killed run; repair.
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "file/lock.h"
#include "file/replace.h"
#include "file/system.h"
#include "math/math.h"
#include "output/attributes.h"
#include "output/reader.h"
#include "output/writer.h"
#include "stiction/extend/step.h"

#ifdef STIC_HAVE_HDF5

#include <hdf5.h>

/* ---- the table of frames ---- */

// a counter of complete rows, not more than the rows there are
static SticStatus read_counter(const SticHdf5* file, const char* path, int64_t rows,
                               int64_t* complete)
{
    STIC_TRY(stic_slice_int64(file, (SticSlice){path, 0, 1, 1}, complete));
    if (*complete < 0)
        return stic_hdf5_fail(file, STIC_BAD_FILE, path, "is %lld", (long long)*complete);
    *complete = *complete < rows ? *complete : rows;
    return STIC_OK;
}

static bool is_span(int64_t begin, int64_t count)
{
    return begin >= 0 && count >= 0 && count <= INT32_MAX && begin <= INT64_MAX - count;
}

// rows that frames point to are used to index and to add up
static SticStatus check_range(const SticHdf5* file, const SticResultRange* range)
{
    for (int64_t k = 0; k < range->frames; ++k)
        if (range->step[k] < 0 || !is_span(range->contact_begin[k], range->contact_count[k]) ||
            !is_span(range->pair_begin[k], range->pair_count[k]))
            return stic_hdf5_fail(file, STIC_BAD_FILE, "/frames",
                                  "frame %lld is of step %lld, with %lld contacts from %lld and "
                                  "%lld pairs from %lld on",
                                  (long long)k, (long long)range->step[k],
                                  (long long)range->contact_count[k],
                                  (long long)range->contact_begin[k],
                                  (long long)range->pair_count[k], (long long)range->pair_begin[k]);
    return STIC_OK;
}

SticStatus stic_range_read(const SticHdf5* file, SticArena* arena, SticResultRange* range)
{
    *range = (SticResultRange){0};
    STIC_TRY(read_counter(file, "/frames/complete", stic_slice_rows(file, "/frames/time"),
                          &range->frames));
    if (stic_hdf5_has(file, "/steps/complete"))
        STIC_TRY(read_counter(file, "/steps/complete", stic_slice_rows(file, "/steps/outcome"),
                              &range->steps));
    const int64_t n = range->frames;
    const struct {
        const char* path;
        int64_t** values;
    } whole[] = {{"/frames/step", &range->step},
                 {"/frames/contact_begin", &range->contact_begin},
                 {"/frames/contact_count", &range->contact_count},
                 {"/frames/pair_begin", &range->pair_begin},
                 {"/frames/pair_count", &range->pair_count}};
    for (size_t i = 0; i < sizeof whole / sizeof whole[0]; ++i) {
        STIC_TRY(STIC_TAKE(arena, whole[i].values, n + 1));
        STIC_TRY(stic_slice_int64(file, (SticSlice){whole[i].path, 0, n, 1}, *whole[i].values));
    }
    STIC_TRY(STIC_TAKE(arena, &range->time, n + 1));
    STIC_TRY(STIC_TAKE(arena, &range->h, n + 1));
    STIC_TRY(stic_slice_reals(file, (SticSlice){"/frames/time", 0, n, 1}, range->time));
    STIC_TRY(stic_slice_reals(file, (SticSlice){"/frames/h", 0, n, 1}, range->h));
    return check_range(file, range);
}

SticStatus stic_range_events(const SticHdf5* file, int64_t steps, int64_t* events)
{
    *events = 0;
    if (steps == 0 || !stic_hdf5_has(file, "/steps/event_end"))
        return STIC_OK;
    STIC_TRY(stic_slice_int64(file, (SticSlice){"/steps/event_end", steps - 1, 1, 1}, events));
    if (*events < 0 || *events > stic_slice_rows(file, "/events/time"))
        return stic_hdf5_fail(file, STIC_BAD_FILE, "/steps/event_end",
                              "step %lld ends at event %lld, which is not there", (long long)steps,
                              (long long)*events);
    return STIC_OK;
}

/* ---- opening ---- */

static SticStatus check_format(const SticHdf5* file, SticArena* arena)
{
    const char* format = "";
    STIC_TRY(stic_attribute_read(file, "format", arena, &format));
    if (strcmp(format, "stiction-result") != 0)
        return stic_hdf5_fail(file, STIC_BAD_FILE, "", "is not a result of stiction");
    const double version = stic_attribute_number(file, "format_version", 0.0);
    if (!(version >= 1.0 && version < 2.0))
        return stic_hdf5_fail(file, STIC_UNSUPPORTED, "",
                              "has format version %g; this program reads version 1", version);
    return STIC_OK;
}

// without the blanks that keep room for more; empty if there is nothing else
static SticStatus cut_blanks(SticArena* arena, const char** text)
{
    size_t length = strlen(*text);
    char* cut = NULL;
    while (length > 0 && (*text)[length - 1] == ' ')
        --length;
    STIC_TRY(STIC_TAKE(arena, &cut, length + 1));
    memcpy(cut, *text, length);
    cut[length] = '\0';
    *text = cut;
    return STIC_OK;
}

static SticStatus read_texts(SticResult* result)
{
    SticResultInfo* info = &result->info;
    const SticHdf5* file = &result->file;
    const struct {
        const char* name;
        const char** text;
    } facts[] = {{"program", &info->program},
                 {"title", &info->title},
                 {"system", &info->system},
                 {"scheme", &info->scheme},
                 {"solver", &info->solver},
                 {"determinism", &info->determinism},
                 {"force_choice", &info->force_choice}};
    const struct {
        const char* path;
        const char** text;
    } scene[] = {{"/scene/path", &info->scene_path},
                 {"/scene/source", &info->source},
                 {"/scene/definition", &info->definition},
                 {"/scene/parameters", &info->parameters},
                 {"/notices", &info->notices}};
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; ++i)
        STIC_TRY(stic_attribute_read(file, facts[i].name, result->arena, facts[i].text));
    for (size_t i = 0; i < sizeof scene / sizeof scene[0]; ++i) {
        *scene[i].text = NULL;
        if (stic_hdf5_has(file, scene[i].path))
            STIC_TRY(stic_hdf5_read_text(file, scene[i].path, result->arena, scene[i].text));
        if (*scene[i].text == NULL)
            *scene[i].text = "";
    }
    return cut_blanks(result->arena, &info->notices);
}

static SticStatus read_counts(SticResult* result)
{
    SticResultInfo* info = &result->info;
    const struct {
        const char* path;
        int32_t* count;
    } counts[] = {{"/bodies/kind", &info->bodies},
                  {"/shapes/kind", &info->shapes},
                  {"/joints/kind", &info->joints},
                  {"/model/q_label", &info->nq},
                  {"/model/u_label", &info->nu}};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
        const int64_t rows = stic_slice_rows(&result->file, counts[i].path);
        // a row has at most 16 values
        if (rows > INT32_MAX / 16)
            return stic_hdf5_fail(&result->file, STIC_BAD_FILE, counts[i].path, "has %lld rows",
                                  (long long)rows);
        *counts[i].count = (int32_t)rows;
        // a table with impossible sizes is damaged, not empty; labels are texts and read later
        if (rows == 0 && i < 3 && stic_hdf5_has(&result->file, counts[i].path)) {
            uint8_t none = 0;
            STIC_TRY(stic_slice_bytes(&result->file, (SticSlice){counts[i].path, 0, 0, 1}, &none));
        }
    }
    return STIC_OK;
}

static SticStatus read_info(SticResult* result)
{
    SticResultInfo* info = &result->info;
    const SticHdf5* file = &result->file;
    STIC_TRY(check_format(file, result->arena));
    STIC_TRY(read_texts(result));
    STIC_TRY(stic_range_read(file, result->arena, &result->range));
    info->frames = result->range.frames;
    info->steps = result->range.steps;
    STIC_TRY(read_counts(result));
    info->step = stic_attribute_number(file, "step", 0.0);
    info->until = stic_attribute_number(file, "until", 0.0);
    if (info->frames > 0) {
        info->begin = result->range.time[0];
        info->end = result->range.time[info->frames - 1];
    }
    char(*name)[STIC_NAME_SIZE] = NULL;
    STIC_TRY(STIC_TAKE(result->arena, &name, info->bodies + 1));
    if (info->bodies > 0)
        STIC_TRY(stic_slice_texts(file, (SticSlice){"/bodies/name", 0, info->bodies, 1},
                                  STIC_NAME_SIZE, name[0]));
    for (int32_t i = 0; i < info->bodies; ++i)
        name[i][STIC_NAME_SIZE - 1] = '\0';
    result->body_name = (const char(*)[STIC_NAME_SIZE])name;
    return STIC_OK;
}

// read what the file says of itself and hand out the result, or close it
static SticStatus finish_open(SticStatus status, SticResult* made, SticResult** result)
{
    if (status == STIC_OK)
        status = read_info(made);
    if (status == STIC_OK)
        *result = made;
    else
        stic_result_close(made);
    return status;
}

SticStatus stic_result_open(const SticContext* context, const char* path, SticResult** result,
                            SticError* error)
{
    context = stic_context_given(context);
    STIC_GIVEN(path, error);
    STIC_GIVEN(result, error);
    SticResult* made = NULL;
    char* name = NULL;
    *result = NULL;
    STIC_TRY(STIC_ALLOCATE(context, &made, 1));
    made->context = *context;
    made->file.file = -1;
    SticStatus status = stic_arena_create(context, 0, &made->arena);
    if (status == STIC_OK)
        status = STIC_TAKE(made->arena, &name, strlen(path) + 1);
    if (status == STIC_OK) {
        memcpy(name, path, strlen(path) + 1);
        status = stic_hdf5_open_shared(name, error, &made->file, &made->info.in_use);
    }
    return finish_open(status, made, result);
}

SticStatus stic_result_borrow(const SticContext* context, const SticHdf5* file, SticResult** result,
                              SticError* error)
{
    SticResult* made = NULL;
    hsize_t bytes = 0;
    *result = NULL;
    if (H5Fget_filesize(file->file, &bytes) < 0)
        return stic_hdf5_fail(file, STIC_IO_FAILED, "", "has no size");
    STIC_TRY(STIC_ALLOCATE(context, &made, 1));
    made->context = *context;
    made->file = *file;
    made->file.bytes = bytes;
    made->file.error = error;
    made->borrowed = true;
    return finish_open(stic_arena_create(context, 0, &made->arena), made, result);
}

void stic_result_close(SticResult* result)
{
    if (result == NULL)
        return;
    const SticContext context = result->context;
    result->file.error = NULL;
    if (!result->borrowed)
        stic_hdf5_abandon(&result->file);
    stic_arena_destroy(result->arena);
    STIC_RELEASE(&context, result, 1);
}

const SticResultInfo* stic_result_info(const SticResult* result)
{
    return result == NULL ? NULL : &result->info;
}

const char* stic_result_body(const SticResult* result, int32_t body)
{
    const bool known = result != NULL && body >= 0 && body < result->info.bodies;
    return known ? result->body_name[body] : "";
}

bool stic_result_is(const char* path)
{
    SticResult* result = NULL;
    const SticContext context = stic_context_default();
    SticError error = {.status = STIC_OK};
    const SticStatus status = stic_result_open(&context, path, &result, &error);
    stic_result_close(result);
    return status == STIC_OK || status == STIC_UNSUPPORTED;
}

/* ---- frames ---- */

static SticStatus read_motion(SticResult* result, int64_t k, SticArena* arena,
                              SticResultFrame* frame)
{
    const int64_t n = result->info.bodies;
    const struct {
        const char* path;
        int64_t values;
        double** to;
    } part[] = {{"/motion/position", 3, &frame->position},
                {"/motion/orientation", 4, &frame->orientation},
                {"/motion/velocity", 3, &frame->velocity},
                {"/motion/angular_velocity", 3, &frame->spin}};
    for (size_t i = 0; i < sizeof part / sizeof part[0]; ++i) {
        STIC_TRY(STIC_TAKE(arena, part[i].to, n * part[i].values + 1));
        STIC_TRY(stic_slice_reals(
            &result->file, (SticSlice){part[i].path, k, 1, n * part[i].values}, *part[i].to));
    }
    return STIC_OK;
}

static void scatter(void* rows, size_t offset, size_t count, size_t values, const double* from)
{
    for (size_t i = 0; i < count; ++i)
        memcpy((unsigned char*)rows + i * sizeof(SticContactRow) + offset, from + i * values,
               values * sizeof *from);
}

static SticStatus read_contact_integers(const SticHdf5* file, int64_t begin, int64_t n,
                                        SticArena* arena, SticContactRow* contact)
{
    uint64_t* id = NULL;
    int32_t(*body)[2] = NULL, (*shape)[2] = NULL;
    uint8_t* status = NULL;
    STIC_TRY(STIC_TAKE(arena, &id, n + 1));
    STIC_TRY(STIC_TAKE(arena, &body, n + 1));
    STIC_TRY(STIC_TAKE(arena, &shape, n + 1));
    STIC_TRY(STIC_TAKE(arena, &status, n + 1));
    STIC_TRY(stic_slice_ids(file, (SticSlice){"/contacts/id", begin, n, 1}, id));
    STIC_TRY(stic_slice_int32(file, (SticSlice){"/contacts/body", begin, n, 2}, body[0]));
    STIC_TRY(stic_slice_int32(file, (SticSlice){"/contacts/shape", begin, n, 2}, shape[0]));
    STIC_TRY(stic_slice_bytes(file, (SticSlice){"/contacts/status", begin, n, 1}, status));
    for (int64_t i = 0; i < n; ++i) {
        contact[i].id = id[i];
        memcpy(contact[i].body, body[i], sizeof body[i]);
        memcpy(contact[i].shape, shape[i], sizeof shape[i]);
        contact[i].status = status[i];
    }
    return STIC_OK;
}

// bodies and shapes are indices, -1 for none
static SticStatus check_contacts(const SticResult* result, int64_t n, const SticContactRow* contact)
{
    const SticResultInfo* info = &result->info;
    for (int64_t i = 0; i < n; ++i)
        for (int side = 0; side < 2; ++side)
            if (contact[i].body[side] < -1 || contact[i].body[side] >= info->bodies ||
                contact[i].shape[side] < -1 || contact[i].shape[side] >= info->shapes)
                return stic_hdf5_fail(&result->file, STIC_BAD_FILE, "/contacts",
                                      "a contact is of body %d and shape %d",
                                      (int)contact[i].body[side], (int)contact[i].shape[side]);
    return STIC_OK;
}

static SticStatus read_contacts(SticResult* result, int64_t k, SticArena* arena,
                                SticResultFrame* frame)
{
    const int64_t begin = result->range.contact_begin[k], n = result->range.contact_count[k];
    const struct {
        const char* path;
        size_t offset, values;
    } part[] = {
        {"/contacts/point", offsetof(SticContactRow, point), 3},
        {"/contacts/normal", offsetof(SticContactRow, normal), 3},
        {"/contacts/gap", offsetof(SticContactRow, gap), 1},
        {"/contacts/impulse", offsetof(SticContactRow, impulse), 3},
        {"/contacts/force", offsetof(SticContactRow, force), 3},
        {"/contacts/moment", offsetof(SticContactRow, moment), 3},
        {"/contacts/slip", offsetof(SticContactRow, slip), 3},
    };
    double* values = NULL;
    if (stic_slice_rows(&result->file, "/contacts/id") < begin + n)
        return stic_hdf5_fail(&result->file, STIC_BAD_FILE, "/contacts/id", "is too short");
    STIC_TRY(STIC_TAKE(arena, &frame->contact, n + 1));
    STIC_TRY(STIC_TAKE(arena, &values, 3 * n + 1));
    memset(frame->contact, 0, (size_t)(n + 1) * sizeof *frame->contact);
    STIC_TRY(read_contact_integers(&result->file, begin, n, arena, frame->contact));
    STIC_TRY(check_contacts(result, n, frame->contact));
    for (size_t i = 0; i < sizeof part / sizeof part[0]; ++i) {
        // laws without moments store none: they stay zero
        if (part[i].offset == offsetof(SticContactRow, moment) &&
            !stic_hdf5_has(&result->file, part[i].path))
            continue;
        STIC_TRY(stic_slice_reals(
            &result->file, (SticSlice){part[i].path, begin, n, (int64_t)part[i].values}, values));
        scatter(frame->contact, part[i].offset, (size_t)n, part[i].values, values);
    }
    frame->contact_count = (int32_t)n;
    return STIC_OK;
}

SticStatus stic_result_read(SticResult* result, int64_t k, SticArena* arena, SticResultFrame* frame,
                            SticError* error)
{
    STIC_GIVEN(result, error);
    STIC_GIVEN(arena, error);
    STIC_GIVEN(frame, error);
    const SticHdf5* file = &result->file;
    *frame = (SticResultFrame){0};
    result->file.error = error;
    if (k < 0 || k >= result->range.frames)
        return stic_hdf5_fail(file, STIC_BAD_ARGUMENT, "", "has %lld frames, no number %lld",
                              (long long)result->range.frames, (long long)k);
    frame->time = result->range.time[k];
    frame->step = result->range.step[k];
    frame->h = result->range.h[k];
    STIC_TRY(stic_slice_reals(file, (SticSlice){"/frames/energy", k, 1, 2}, frame->energy));
    STIC_TRY(stic_slice_ids(file, (SticSlice){"/frames/hash", k, 1, 1}, &frame->hash));
    if (result->info.bodies > 0)
        STIC_TRY(read_motion(result, k, arena, frame));
    if (result->info.nq > 0) {
        STIC_TRY(STIC_TAKE(arena, &frame->q, result->info.nq));
        STIC_TRY(stic_slice_reals(file, (SticSlice){"/model/q", k, 1, result->info.nq}, frame->q));
    }
    if (result->info.nu > 0) {
        STIC_TRY(STIC_TAKE(arena, &frame->u, result->info.nu));
        STIC_TRY(stic_slice_reals(file, (SticSlice){"/model/u", k, 1, result->info.nu}, frame->u));
    }
    return stic_hdf5_has(file, "/contacts/id") ? read_contacts(result, k, arena, frame) : STIC_OK;
}

SticStatus stic_result_deformation(const SticResult* result, SticArena* arena, int32_t** row,
                                   int32_t* rows)
{
    const int32_t n = result->info.bodies;
    *rows = 0;
    STIC_TRY(STIC_TAKE(arena, row, n + 1));
    STIC_TRY(stic_slice_int32(&result->file, (SticSlice){"/bodies/deformation", 0, n, 1}, *row));
    for (int32_t i = 0; i < n; ++i) {
        if ((*row)[i] >= n)
            return stic_hdf5_fail(&result->file, STIC_BAD_FILE, "/bodies/deformation",
                                  "has a row %d with %d bodies", (int)(*row)[i], (int)n);
        *rows = (*row)[i] >= *rows ? (*row)[i] + 1 : *rows;
    }
    return STIC_OK;
}

SticStatus stic_result_moving(const SticResult* result, SticArena* arena, int32_t** first,
                              int32_t* vertices)
{
    const SticHdf5* file = &result->file;
    const int64_t n = result->info.shapes;
    int32_t* count = NULL;
    int64_t most = 0;
    *vertices = 0;
    STIC_TRY(STIC_TAKE(arena, first, n + 1));
    STIC_TRY(STIC_TAKE(arena, &count, n + 1));
    for (int64_t i = 0; i < n; ++i)
        (*first)[i] = -1;
    if (!stic_hdf5_has(file, "/motion/vertex"))
        return STIC_OK;
    STIC_TRY(stic_slice_int32(file, (SticSlice){"/shapes/moving", 0, n, 1}, *first));
    STIC_TRY(stic_slice_int32(file, (SticSlice){"/shapes/vertex_count", 0, n, 1}, count));
    for (int64_t i = 0; i < n; ++i) {
        if ((*first)[i] < 0)
            continue;
        // one shape behind the other, as they were written
        if ((*first)[i] != most || count[i] < 0 || most + count[i] > INT32_MAX / 3)
            return stic_hdf5_fail(file, STIC_BAD_FILE, "/shapes/moving", "has a row %d behind %lld",
                                  (int)(*first)[i], (long long)most);
        most += count[i];
    }
    *vertices = (int32_t)most;
    return STIC_OK;
}

/* ---- the table of steps ---- */

enum { ROWS_AT_ONCE = 4096 };

typedef struct StepRows {
    double error[ROWS_AT_ONCE], penetration[ROWS_AT_ONCE], seconds[ROWS_AT_ONCE];
    double solving[ROWS_AT_ONCE], ledger[ROWS_AT_ONCE][STIC_LEDGER_TERMS];
    int32_t iterations[ROWS_AT_ONCE], contacts[ROWS_AT_ONCE];
    uint8_t outcome[ROWS_AT_ONCE], verdict[ROWS_AT_ONCE], floor[ROWS_AT_ONCE];
} StepRows;

static SticStatus read_steps(const SticHdf5* file, int64_t begin, int64_t n, StepRows* rows)
{
    STIC_TRY(stic_slice_reals(file, (SticSlice){"/steps/error", begin, n, 1}, rows->error));
    STIC_TRY(stic_slice_bytes(file, (SticSlice){"/steps/at_floor", begin, n, 1}, rows->floor));
    STIC_TRY(
        stic_slice_reals(file, (SticSlice){"/steps/penetration", begin, n, 1}, rows->penetration));
    STIC_TRY(stic_slice_reals(file, (SticSlice){"/steps/seconds", begin, n, 1}, rows->seconds));
    STIC_TRY(
        stic_slice_reals(file, (SticSlice){"/steps/solve_seconds", begin, n, 1}, rows->solving));
    STIC_TRY(stic_slice_reals(file, (SticSlice){"/steps/ledger", begin, n, STIC_LEDGER_TERMS},
                              rows->ledger[0]));
    STIC_TRY(
        stic_slice_int32(file, (SticSlice){"/steps/iterations", begin, n, 1}, rows->iterations));
    STIC_TRY(stic_slice_int32(file, (SticSlice){"/steps/contacts", begin, n, 1}, rows->contacts));
    STIC_TRY(stic_slice_bytes(file, (SticSlice){"/steps/outcome", begin, n, 1}, rows->outcome));
    return stic_slice_bytes(file, (SticSlice){"/steps/existence", begin, n, 1}, rows->verdict);
}

static void add_steps(const StepRows* rows, int64_t n, SticResultSteps* sum)
{
    for (int64_t i = 0; i < n; ++i) {
        const SticLedger ledger = {
#define STIC_LEDGER_READ(name, text)                                                               \
    .name = rows->ledger[i][offsetof(SticLedger, name) / sizeof(double)],
            STIC_LEDGER_LIST(STIC_LEDGER_READ)
#undef STIC_LEDGER_READ
        };
        sum->unsolved += rows->outcome[i] != STIC_OUTCOME_SOLVED ? 1 : 0;
        sum->at_floor += rows->floor[i] != 0 ? 1 : 0;
        if (rows->error[i] > sum->worst_error && rows->floor[i] == 0)
            sum->worst_error = rows->error[i];
        if (rows->penetration[i] > sum->penetration)
            sum->penetration = rows->penetration[i];
        sum->mean_contacts += rows->contacts[i];
        sum->iterations += rows->iterations[i];
        sum->seconds += rows->seconds[i];
        sum->solving += rows->solving[i];
        if (rows->verdict[i] <= STIC_VERDICT_COUNT)
            sum->verdict[rows->verdict[i]] += 1;
        stic_ledger_add(&sum->ledger, &ledger);
    }
}

SticStatus stic_result_steps(SticResult* result, SticResultSteps* steps, SticError* error)
{
    STIC_GIVEN(result, error);
    STIC_GIVEN(steps, error);
    StepRows* rows = NULL;
    const int64_t count = result->range.steps;
    *steps = (SticResultSteps){.count = count};
    result->file.error = error;
    const SticArenaMark mark = stic_arena_mark(result->arena);
    STIC_TRY(STIC_TAKE(result->arena, &rows, 1));
    SticStatus status = STIC_OK;
    for (int64_t begin = 0; status == STIC_OK && begin < count; begin += ROWS_AT_ONCE) {
        const int64_t n = count - begin < ROWS_AT_ONCE ? count - begin : ROWS_AT_ONCE;
        status = read_steps(&result->file, begin, n, rows);
        if (status == STIC_OK)
            add_steps(rows, n, steps);
    }
    stic_arena_rewind(result->arena, mark);
    if (count > 0)
        steps->mean_contacts /= (double)count;
    return status;
}

/* ---- repair ---- */

// rows of a data set behind the complete ones; cut off if `cuts`
static SticStatus trim(const SticHdf5* file, const char* path, int64_t rows, bool cuts,
                       int64_t* behind)
{
    hsize_t extent[4] = {0};
    if (!stic_hdf5_has(file, path))
        return STIC_OK;
    const hid_t set = H5Dopen2(file->file, path, H5P_DEFAULT);
    const hid_t space = set < 0 ? -1 : H5Dget_space(set);
    const int rank = space < 0 ? 0 : H5Sget_simple_extent_ndims(space);
    SticStatus status = STIC_OK;
    if (rank < 1 || rank > 4 || H5Sget_simple_extent_dims(space, extent, NULL) < 0 ||
        (int64_t)extent[0] < rows)
        status = stic_hdf5_fail(file, STIC_BAD_FILE, path, "is shorter than its complete rows");
    else if (stic_slice_rows(file, path) != (int64_t)extent[0])
        status = stic_hdf5_fail(file, STIC_BAD_FILE, path, "declares more than the file can hold");
    if (status == STIC_OK && (int64_t)extent[0] > rows) {
        *behind += (int64_t)extent[0] - rows;
        extent[0] = (hsize_t)rows;
        if (cuts && H5Dset_extent(set, extent) < 0)
            status = stic_hdf5_fail(file, STIC_IO_FAILED, path, "cannot be cut");
    }
    if (space >= 0)
        H5Sclose(space);
    if (set >= 0)
        H5Dclose(set);
    return status;
}

static SticStatus trim_all(const SticHdf5* file, const SticResultRange* range, bool cuts,
                           int64_t* behind)
{
    const int64_t n = range->frames;
    int64_t rows[STIC_TABLE_COUNT] = {n, 0, 0, range->steps};
    *behind = 0;
    STIC_TRY(stic_range_events(file, range->steps, &rows[STIC_TABLE_EVENTS]));
    if (n > 0) {
        rows[STIC_TABLE_CONTACTS] = range->contact_begin[n - 1] + range->contact_count[n - 1];
        rows[STIC_TABLE_PAIRS] = range->pair_begin[n - 1] + range->pair_count[n - 1];
    }
    for (int32_t i = 0; i < STIC_COL_COUNT; ++i)
        STIC_TRY(
            trim(file, stic_column_defs[i].path, rows[stic_column_defs[i].table], cuts, behind));
    return STIC_OK;
}

// what an open file holds, and what is behind its last complete frame, which is cut off if `cuts`
static SticStatus inspect(const SticHdf5* file, bool cuts, SticRepair* repair)
{
    const SticContext context = stic_context_default();
    SticArena* arena = NULL;
    SticResultRange range;
    STIC_TRY(stic_arena_create(&context, 0, &arena));
    SticStatus status = check_format(file, arena);
    if (status == STIC_OK)
        status = stic_range_read(file, arena, &range);
    if (status == STIC_OK) {
        repair->frames = range.frames;
        repair->steps = range.steps;
        status = trim_all(file, &range, cuts, &repair->dropped);
    }
    stic_arena_destroy(arena);
    return status;
}

static SticStatus copy_bytes(const char* path, int from, SticReplace* to, SticError* error)
{
    unsigned char bytes[65536];
    off_t at = 0;
    for (;;) {
        const ssize_t count = pread(from, bytes, sizeof bytes, at);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return stic_file_system_fail(error, path, errno, "cannot be read");
        if (count == 0)
            return STIC_OK;
        STIC_TRY(stic_replace_write(to, bytes, (size_t)count, error));
        at += count;
    }
}

// open and close: its marks are removed with one write
static SticStatus remove_marks(const char* path, int descriptor, SticError* error)
{
    SticHdf5 file;
    STIC_TRY(stic_hdf5_grow(path, descriptor, error, &file));
    return stic_hdf5_close(&file);
}

// cut a copy, which then takes the place of the file that `lock` holds
static SticStatus cut_copy(const char* path, int lock, SticRepair* repair, SticError* error)
{
    const SticContext context = stic_context_default();
    SticReplace* replace = NULL;
    SticHdf5 file;
    STIC_TRY(stic_replace_begin(&context, path, &replace, error));
    SticStatus status = copy_bytes(path, lock, replace, error);
    const int descriptor = status == STIC_OK ? stic_replace_share(replace) : -1;
    if (status == STIC_OK && descriptor < 0)
        status = stic_file_system_fail(error, path, errno, "cannot be copied");
    if (status == STIC_OK)
        status = stic_hdf5_change(path, descriptor, error, &file);
    if (status == STIC_OK) {
        status = inspect(&file, true, repair);
        if (status == STIC_OK)
            status = stic_hdf5_close(&file);
        else
            stic_hdf5_abandon(&file);
    }
    if (status == STIC_OK)
        return stic_replace_publish(replace, lock, error);
    stic_replace_abort(replace);
    return status;
}

SticStatus stic_result_repair(const char* path, SticRepair* repair, SticError* error)
{
    STIC_ASSERT(repair != NULL);
    SticHdf5 file;
    int lock = -1;
    *repair = (SticRepair){0};
    stic_replace_sweep(path);
    STIC_TRY(stic_lock_take(path, &lock, error));
    // look first: a file that is not a result, or is damaged, is not touched
    SticStatus status = stic_hdf5_open_held(path, error, &file, &repair->was_open);
    if (status == STIC_OK) {
        status = inspect(&file, false, repair);
        stic_hdf5_abandon(&file);
    }
    if (status == STIC_OK && repair->dropped > 0)
        status = cut_copy(path, lock, repair, error);
    else if (status == STIC_OK && repair->was_open) {
        const int own = fcntl(lock, F_DUPFD_CLOEXEC, 0);
        status = own < 0 ? stic_file_system_fail(error, path, errno, "cannot be opened")
                         : remove_marks(path, own, error);
    }
    stic_lock_drop(lock);
    return status;
}

#else

static SticStatus no_hdf5(SticError* error)
{
    return stic_error_set(error, STIC_UNSUPPORTED,
                          "this build of stiction has no HDF5: results cannot be read");
}

SticStatus stic_result_open(const SticContext* context, const char* path, SticResult** result,
                            SticError* error)
{
    context = stic_context_given(context);
    STIC_GIVEN(path, error);
    STIC_GIVEN(result, error);
    (void)context, (void)path;
    *result = NULL;
    return no_hdf5(error);
}

void stic_result_close(SticResult* result)
{
    (void)result;
}

const SticResultInfo* stic_result_info(const SticResult* result)
{
    return result == NULL ? NULL : &result->info;
}

const char* stic_result_body(const SticResult* result, int32_t body)
{
    STIC_ASSERT(result != NULL);
    (void)result, (void)body;
    return "";
}

bool stic_result_is(const char* path)
{
    (void)path;
    return false;
}

SticStatus stic_result_read(SticResult* result, int64_t k, SticArena* arena, SticResultFrame* frame,
                            SticError* error)
{
    STIC_GIVEN(result, error);
    STIC_GIVEN(arena, error);
    STIC_GIVEN(frame, error);
    (void)result, (void)k, (void)arena, (void)frame;
    return no_hdf5(error);
}

SticStatus stic_result_steps(SticResult* result, SticResultSteps* steps, SticError* error)
{
    STIC_GIVEN(result, error);
    STIC_GIVEN(steps, error);
    (void)result, (void)steps;
    return no_hdf5(error);
}

SticStatus stic_result_repair(const char* path, SticRepair* repair, SticError* error)
{
    STIC_ASSERT(repair != NULL);
    (void)path, (void)repair;
    return no_hdf5(error);
}

#endif

// SPDX-License-Identifier: Apache-2.0
// Writing a result file: creation, steps, frames, going on after a break.
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "file/lock.h"
#include "file/replace.h"
#include "file/system.h"
#include "output/attributes.h"
#include "output/notices.h"
#include "output/reader.h"
#include "output/writer.h"
#include "stiction/extend/problem.h"
#include "stiction/extend/solver.h"
#include "world/world.h"

#ifdef STIC_HAVE_HDF5

#include <hdf5.h>

enum { PATH_MOST = 4096 };

static const char sign_convention[] =
    "reactions act on body A, their opposites on body B; the normal points from B to A; slip is "
    "the velocity of A relative to B; gaps are positive when open";

/* ---- what does not change ---- */

static const char* determinism_of(const SticRunParts* def)
{
    static const char* const names[] = {"strict", "library", "free"};
    SticDeterminism worst = stic_scheme_determinism(def->scheme, def->scheme_settings);
    if (def->solver->determinism > worst)
        worst = def->solver->determinism;
    if (def->solve.max_seconds > 0.0)
        worst = STIC_FREE;
    return names[worst];
}

static SticStatus write_facts(const SticHdf5* file, const SticOutputDef* def)
{
    const SticRunParts* run = stic_run_parts(def->run);
    char program[64];
    snprintf(program, sizeof program, "stiction %s", stic_version());
    const struct {
        const char *name, *text;
    } facts[] = {
        {"format", "stiction-result"},
        {"program", program},
        {"title", def->title},
        {"units", def->units == NULL ? "SI" : def->units},
        {"determinism", determinism_of(run)},
        {"scheme", run->scheme->name},
        {"solver", run->solver->name},
        {"sign_convention", sign_convention},
        {"force_choice", def->settings.least_norm ? "least-norm" : "solver"},
        {"system", def->world != NULL ? "world" : run->system->name},
    };
    const hid_t root = H5Gopen2(file->file, "/", H5P_DEFAULT);
    SticStatus status = stic_attribute_integer(file, root, "format_version", 1);
    for (size_t i = 0; status == STIC_OK && i < sizeof facts / sizeof facts[0]; ++i)
        status = stic_attribute_text(file, root, facts[i].name, facts[i].text);
    if (status == STIC_OK)
        status = stic_attribute_reals(file, root, "step", &run->step, 1);
    if (status == STIC_OK)
        status = stic_attribute_reals(file, root, "until", &def->until, 1);
    if (status == STIC_OK && def->world != NULL) {
        double gravity[3];
        stic_vec3_store(def->world->gravity, gravity);
        status = stic_attribute_reals(file, root, "gravity", gravity, 3);
    }
    H5Gclose(root);
    return status;
}

static SticStatus write_run_settings(const SticHdf5* file, const SticRunParts* run)
{
    const char* level = stic_accuracy_promise(stic_run_accuracy(run))->name;
    STIC_TRY(stic_hdf5_make_group(file, "/settings/run"));
    const hid_t group = H5Gopen2(file->file, "/settings/run", H5P_DEFAULT);
    SticStatus status = stic_attribute_reals(file, group, "step", &run->step, 1);
    if (status == STIC_OK)
        status = stic_attribute_text(file, group, "policy", stic_policy_name(run->policy));
    if (status == STIC_OK)
        status = stic_attribute_text(file, group, "accuracy", level);
    if (status == STIC_OK)
        status = stic_attribute_text(file, group, "law", stic_contact_law_name((int32_t)run->law));
    if (status == STIC_OK)
        status = stic_attribute_integer(file, group, "projection", run->projection ? 1 : 0);
    if (status == STIC_OK)
        status = stic_attribute_integer(file, group, "max_halvings", run->max_halvings);
    if (status == STIC_OK)
        status = stic_attribute_reals(file, group, "energy_alarm", &run->energy_alarm, 1);
    if (status == STIC_OK)
        status = stic_attribute_integer(file, group, "sleep", run->sleep);
    if (status == STIC_OK)
        status = stic_attribute_text(file, group, "second",
                                     run->second == NULL ? "" : run->second->name);
    H5Gclose(group);
    return status;
}

static SticStatus write_settings(const SticHdf5* file, const SticOutputDef* def)
{
    const SticRunParts* run = stic_run_parts(def->run);
    char path[128];
    STIC_TRY(stic_hdf5_make_group(file, "/settings"));
    STIC_TRY(write_run_settings(file, run));
    STIC_TRY(
        stic_attribute_settings(file, "/settings/output", &stic_output_fields, &def->settings));
    STIC_TRY(stic_attribute_settings(file, "/settings/solve", &stic_solve_fields, &run->solve));
    snprintf(path, sizeof path, "/settings/%s", run->solver->name);
    STIC_TRY(stic_attribute_settings(file, path, run->solver->fields, run->solver_settings));
    snprintf(path, sizeof path, "/settings/%s", run->scheme->name);
    return stic_attribute_settings(file, path, run->scheme->fields, run->scheme_settings);
}

static SticStatus write_scene(const SticHdf5* file, const SticOutputDef* def)
{
    STIC_TRY(stic_hdf5_make_group(file, "/scene"));
    STIC_TRY(stic_hdf5_write_text(file, "/scene/source", def->source));
    STIC_TRY(stic_hdf5_write_text(file, "/scene/definition", def->definition));
    STIC_TRY(stic_hdf5_write_text(file, "/scene/parameters", def->parameters));
    return stic_hdf5_write_text(file, "/scene/path", def->scene_path);
}

// labels as given, or numbered
static SticStatus write_labels(const SticHdf5* file, const char* path, const char* const* label,
                               int32_t count, SticArena* arena)
{
    char(*texts)[STIC_NAME_SIZE] = NULL;
    const char letter = path[strlen("/model/")];
    STIC_TRY(STIC_TAKE(arena, &texts, count + 1));
    memset(texts, 0, ((size_t)count + 1) * sizeof *texts);
    for (int32_t i = 0; i < count; ++i)
        if (label != NULL)
            snprintf(texts[i], sizeof texts[i], "%s", label[i]);
        else
            snprintf(texts[i], sizeof texts[i], "%c%d", letter, (int)i);
    return stic_fixed_set_texts(file, &(SticFixedSet){path, "-", "label", NULL, count, {0, 0}},
                                texts[0], STIC_NAME_SIZE);
}

static SticStatus write_fixed_part(SticOutput* output, const SticOutputDef* def)
{
    const SticHdf5* file = &output->columns.file;
    const SticLayout* layout = &stic_run_parts(def->run)->system->layout;
    STIC_TRY(write_facts(file, def));
    STIC_TRY(stic_notices_make(file));
    STIC_TRY(write_settings(file, def));
    STIC_TRY(write_scene(file, def));
    if (def->world != NULL)
        return stic_table_rows_describe(file, def, &output->rows, output->scratch);
    STIC_TRY(write_labels(file, "/model/q_label", def->q_label, layout->nq, output->scratch));
    return write_labels(file, "/model/u_label", def->u_label, layout->nu, output->scratch);
}

/* ---- opening ---- */

static bool ends_in(const char* name, const char* end)
{
    const size_t length = strlen(name), tail = strlen(end);
    return length >= tail && strcmp(name + length - tail, end) == 0;
}

// snapshot, histories and more get the result's name with other endings: its own must not be theirs
static SticStatus check_def(const SticOutputDef* def, SticError* error)
{
    if (def->path == NULL || def->run == NULL)
        return stic_error_set(error, STIC_BAD_ARGUMENT, "a result needs a path and a run");
    if (!ends_in(def->path, ".h5") && !ends_in(def->path, ".hdf5"))
        return stic_error_set_at(error, STIC_BAD_ARGUMENT, def->path, 0, 0,
                                 "the name of a result must end in .h5 or .hdf5");
    // tables of bodies would have rows without a size
    if (def->world != NULL && stic_run_bodies(def->run, NULL, 0) == 0)
        return stic_error_set(error, STIC_BAD_ARGUMENT,
                              "a result needs a world with at least one body");
    return stic_fields_check(&stic_output_fields, &def->settings, error);
}

// everything but the file
static SticStatus prepare(const SticContext* context, const SticOutputDef* def, SticOutput** made)
{
    const SticLayout* layout = &stic_run_parts(def->run)->system->layout;
    SticOutput* output = NULL;
    *made = NULL;
    STIC_TRY(STIC_ALLOCATE(context, &output, 1));
    *made = output;
    output->context = *context;
    output->settings = def->settings;
    output->world = def->world;
    output->last_step = -1;
    SticColumns* columns = &output->columns;
    columns->context = *context;
    columns->settings = def->settings;
    columns->file.file = -1;
    columns->frames_complete_set = columns->steps_complete_set = -1;
    for (int32_t i = 0; i < STIC_COL_COUNT; ++i)
        columns->column[i].set = -1;
    STIC_TRY(stic_arena_create(context, 0, &output->memory));
    STIC_TRY(stic_arena_create(context, 0, &output->scratch));
    STIC_TRY(STIC_TAKE(output->memory, &output->path, strlen(def->path) + 1));
    memcpy(output->path, def->path, strlen(def->path) + 1);
    columns->extent = (SticExtents){.nq = layout->nq, .nu = layout->nu};
    if (def->world != NULL) {
        STIC_TRY(stic_table_rows_create(def->world, output->memory, &output->rows));
        columns->extent.bodies = output->rows.bodies;
        columns->extent.joints = output->rows.joints;
        columns->extent.deformable = output->rows.deformable;
        columns->extent.vertices = output->rows.vertices;
    }
    columns->conditions = stic_columns_conditions(def->world != NULL, output->rows.moments,
                                                  &columns->extent, &def->settings);
    if (def->settings.solver && stic_run_parts(def->run)->scheme->events)
        columns->conditions |= STIC_IF_EVENTS;
    return STIC_OK;
}

static void destroy(SticOutput* output)
{
    if (output == NULL)
        return;
    const SticContext context = output->context;
    stic_hdf5_divert(&output->columns.file);
    stic_columns_close(&output->columns);
    stic_hdf5_abandon(&output->columns.file);
    stic_arena_destroy(output->memory);
    stic_arena_destroy(output->scratch);
    STIC_RELEASE(&context, output, 1);
}

// everything that does not change, and the first frame, in a file that nobody sees yet
static SticStatus write_begin(SticOutput* output, const SticOutputDef* def,
                              const SticReplace* replace, SticError* error)
{
    SticColumns* columns = &output->columns;
    const int descriptor = stic_replace_share(replace);
    if (descriptor < 0)
        return stic_file_system_fail(error, output->path, errno, "cannot be written");
    STIC_TRY(stic_hdf5_create_growing(output->path, descriptor, error, &columns->file));
    STIC_TRY(stic_columns_create(columns));
    STIC_TRY(write_fixed_part(output, def));
    STIC_TRY(stic_frame_append(output, def->run));
    STIC_TRY(stic_columns_flush(columns));
    stic_columns_close(columns);
    return stic_hdf5_close(&columns->file);
}

// open it to append; the descriptor and its lock stay with the file
static SticStatus open_begun(SticOutput* output, const SticReplace* replace, SticError* error)
{
    int64_t rows[STIC_TABLE_COUNT];
    memcpy(rows, output->columns.rows, sizeof rows);
    const int descriptor = stic_replace_share(replace);
    if (descriptor < 0)
        return stic_file_system_fail(error, output->path, errno, "cannot be written");
    STIC_TRY(stic_hdf5_grow(output->path, descriptor, error, &output->columns.file));
    return stic_columns_open(&output->columns, rows);
}

// the lock of a result that is to be replaced, -1 if there is none
static SticStatus hold_old(const SticOutputDef* def, int* old, SticError* error)
{
    struct stat facts;
    *old = -1;
    if (lstat(def->path, &facts) != 0)
        return STIC_OK;
    if (!def->replace)
        return stic_error_set_at(error, STIC_IO_FAILED, def->path, 0, 0,
                                 "exists, and is not replaced");
    return stic_lock_take(def->path, old, error);
}

static SticStatus create_file(SticOutput* output, const SticOutputDef* def, SticError* error)
{
    SticReplace* replace = NULL;
    int old = -1;
    stic_replace_sweep(output->path);
    STIC_TRY(hold_old(def, &old, error));
    SticStatus status = stic_replace_begin(&output->context, output->path, &replace, error);
    if (status == STIC_OK)
        status = write_begin(output, def, replace, error);
    if (status == STIC_OK)
        status = open_begun(output, replace, error);
    if (status == STIC_OK)
        status = stic_replace_publish(replace, old, error);
    else
        stic_replace_abort(replace);
    stic_lock_drop(old);
    return status;
}

// hand over a file, or say why there is none
static SticStatus finish(SticOutput* made, SticStatus status, SticOutput** output, SticError* error)
{
    if (status == STIC_OK) {
        made->columns.file.error = &made->error;
        made->last_flush = made->last_snapshot = stic_timer_seconds();
        *output = made;
        return STIC_OK;
    }
    destroy(made);
    if (status == STIC_OUT_OF_MEMORY)
        stic_error_set(error, status, "no memory for a result file");
    return status;
}

// a result whose snapshot could not be named could never be resumed
static SticStatus check_name(const char* path, SticError* error)
{
    char name[PATH_MOST];
    STIC_TRY(stic_output_beside(path, ".snapshot", name, sizeof name, error));
    const char* slash = strrchr(name, '/');
    const size_t length = strlen(slash == NULL ? name : slash + 1);
    if (length > NAME_MAX)
        return stic_error_set_at(error, STIC_IO_FAILED, path, 0, 0,
                                 "the name of its snapshot, NAME.snapshot, would have %zu bytes "
                                 "and %d are the most",
                                 length, NAME_MAX);
    return STIC_OK;
}

SticStatus stic_output_create(const SticContext* context, const SticOutputDef* def,
                              SticOutput** output, SticError* error)
{
    context = stic_context_given(context);
    STIC_GIVEN(def, error);
    STIC_GIVEN(output, error);
    SticOutput* made = NULL;
    *output = NULL;
    STIC_TRY(check_def(def, error));
    STIC_TRY(check_name(def->path, error));
    SticStatus status = prepare(context, def, &made);
    if (status == STIC_OK)
        status = create_file(made, def, error);
    return finish(made, status, output, error);
}

/* ---- steps and frames ---- */

// whether the state after a step is a frame: a function of step and time only, so that a resumed
// run stores the same frames
static bool is_due(const SticOutputSettings* settings, int64_t step, double t, double h)
{
    if (settings->interval <= 0.0)
        return step % settings->every == 0;
    // times are sums with rounding errors; a millionth of a step decides nothing
    const double slack = 1e-6 * h;
    return floor((t + slack) / settings->interval) != floor((t - h + slack) / settings->interval);
}

// row of the body on a side of an event
static int32_t body_row(const SticOutput* output, const SticRun* run, const SticEvent* event,
                        int side)
{
    const int32_t block = event->block[side], part = event->part[side];
    if (output->world == NULL)
        return block;
    if (block >= 0)
        return output->rows.body_of[stic_view_of(stic_run_parts(run)->system)->body_of[block]];
    return part < 0
               ? -1
               : output->rows
                     .body_of[output->world->shape[stic_world_part_slot(output->world, part)].body];
}

static SticStatus append_events(SticOutput* output, const SticRun* run)
{
    SticColumns* columns = &output->columns;
    int32_t count = 0;
    if ((STIC_IF_EVENTS & ~columns->conditions) != 0)
        return STIC_OK;
    const SticEvent* event = stic_run_events(run, &count);
    for (int32_t k = 0; k < count; ++k) {
        const int32_t body[2] = {body_row(output, run, &event[k], 0),
                                 body_row(output, run, &event[k], 1)};
        STIC_TRY(stic_columns_reals(columns, STIC_COL_EVENT_TIME, &event[k].t, 1));
        STIC_TRY(stic_columns_bytes(columns, STIC_COL_EVENT_KIND, &event[k].kind, 1));
        STIC_TRY(stic_columns_bytes(columns, STIC_COL_EVENT_BODY, body, sizeof body));
        STIC_TRY(stic_columns_bytes(columns, STIC_COL_EVENT_POINTS, &event[k].points,
                                    sizeof event[k].points));
        STIC_TRY(stic_columns_reals(columns, STIC_COL_EVENT_VALUE, &event[k].value, 1));
    }
    columns->rows[STIC_TABLE_EVENTS] += count;
    return stic_columns_bytes(columns, STIC_COL_EVENT_END, &columns->rows[STIC_TABLE_EVENTS],
                              sizeof(int64_t));
}

static SticStatus append_step(SticOutput* output, const SticRun* run, const SticStepInfo* info,
                              const SticStepExtra* extra)
{
    SticColumns* columns = &output->columns;
    const SticSolveInfo* solve = &info->solve;
    const double error = stic_errors_get(&solve->errors, (SticNorm)stic_run_parts(run)->solve.norm);
    double ledger[STIC_LEDGER_TERMS];
    for (int32_t k = 0; k < STIC_LEDGER_TERMS; ++k)
        ledger[k] = stic_ledger_term(&info->ledger, k);
    const struct {
        SticColumn column;
        int32_t value;
    } counts[] = {{STIC_COL_ITERATIONS, solve->iterations},
                  {STIC_COL_NEWTON, info->newton},
                  {STIC_COL_SUBSTEPS, info->substeps},
                  {STIC_COL_CONTACTS, info->contacts},
                  {STIC_COL_INTERACTIONS, info->interactions}};
    uint8_t outcome = (uint8_t)solve->outcome, method = 0, verdict = (uint8_t)extra->existence,
            certificate = (uint8_t)extra->certificate, floor = solve->at_floor ? 1 : 0;
    // a solver that is not in the table has the number after its last one
    while (solve->method != NULL && stic_solver_table[method].name != NULL &&
           strcmp(stic_solver_table[method].name, solve->method) != 0)
        ++method;
    STIC_TRY(stic_columns_bytes(columns, STIC_COL_OUTCOME, &outcome, 1));
    STIC_TRY(stic_columns_bytes(columns, STIC_COL_METHOD, &method, 1));
    STIC_TRY(stic_columns_bytes(columns, STIC_COL_EXISTENCE, &verdict, 1));
    STIC_TRY(stic_columns_bytes(columns, STIC_COL_CERTIFICATE, &certificate, 1));
    STIC_TRY(stic_columns_reals(columns, STIC_COL_ERROR, &error, 1));
    STIC_TRY(stic_columns_bytes(columns, STIC_COL_AT_FLOOR, &floor, 1));
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i)
        STIC_TRY(stic_columns_bytes(columns, counts[i].column, &counts[i].value, sizeof(int32_t)));
    STIC_TRY(stic_columns_reals(columns, STIC_COL_PENETRATION, &info->penetration, 1));
    STIC_TRY(stic_columns_reals(columns, STIC_COL_LEDGER, ledger, STIC_LEDGER_TERMS));
    STIC_TRY(stic_columns_reals(columns, STIC_COL_SECONDS, &extra->seconds, 1));
    STIC_TRY(stic_columns_reals(columns, STIC_COL_SOLVING, &solve->seconds, 1));
    STIC_TRY(append_events(output, run));
    columns->rows[STIC_TABLE_STEPS] += 1;
    return STIC_OK;
}

// remember the first failure; all later calls report it again
static SticStatus keep_failure(SticOutput* output, SticStatus status, SticError* error)
{
    if (status == STIC_OK)
        return STIC_OK;
    if (output->error.status == STIC_OK)
        stic_error_set_at(&output->error, status, output->path, 0, 0, "%s",
                          status == STIC_OUT_OF_MEMORY ? "no memory for a frame"
                                                       : stic_status_text(status));
    output->failed = true;
    stic_hdf5_divert(&output->columns.file);
    if (error != NULL)
        *error = output->error;
    return status;
}

static SticStatus check_alive(const SticOutput* output, SticError* error)
{
    if (!output->failed)
        return STIC_OK;
    if (error != NULL)
        *error = output->error;
    return output->error.status;
}

// a snapshot is never ahead of the file: what it counts as stored is flushed first
static SticStatus write_snapshot(SticOutput* output, const SticRun* run)
{
    char name[PATH_MOST];
    STIC_TRY(stic_output_beside(output->path, ".snapshot", name, sizeof name, &output->error));
    STIC_TRY(stic_columns_flush(&output->columns));
    output->last_flush = output->last_snapshot = stic_timer_seconds();
    STIC_TRY(stic_notices_write(&output->columns.file, run, output->world));
    return stic_run_save_file(run, name, &output->error);
}

static bool snapshot_due(const SticOutput* output, int64_t step, double now)
{
    const SticOutputSettings* settings = &output->settings;
    if (settings->snapshot_every > 0 && step % settings->snapshot_every == 0)
        return true;
    return settings->snapshot > 0.0 && now - output->last_snapshot >= settings->snapshot;
}

bool stic_output_is_due(const SticOutput* output, const SticRun* run)
{
    STIC_ASSERT(output != NULL);
    STIC_ASSERT(run != NULL);
    return is_due(&output->settings, stic_run_totals(run)->steps, stic_run_now(run)->t,
                  stic_run_parts(run)->step);
}

SticStatus stic_output_step(SticOutput* output, const SticRun* run, const SticStepInfo* info,
                            const SticStepExtra* extra, SticError* error)
{
    STIC_GIVEN(output, error);
    STIC_GIVEN(run, error);
    STIC_GIVEN(info, error);
    const SticStepExtra nothing = {0};
    extra = extra == NULL ? &nothing : extra;
    STIC_TRY(check_alive(output, error));
    const double begin = stic_timer_seconds();
    const int64_t step = stic_run_totals(run)->steps;
    SticStatus status = STIC_OK;
    if (output->settings.solver)
        status = append_step(output, run, info, extra);
    const bool due = stic_output_is_due(output, run);
    if (status == STIC_OK && due)
        status = stic_frame_append(output, run);
    if (status == STIC_OK && snapshot_due(output, step, begin))
        status = write_snapshot(output, run);
    if (status == STIC_OK && (due || output->settings.flush > 0.0) &&
        begin - output->last_flush >= output->settings.flush) {
        status = stic_columns_flush(&output->columns);
        output->last_flush = begin;
    }
    output->seconds += stic_timer_seconds() - begin;
    return keep_failure(output, status, error);
}

SticStatus stic_output_frame(SticOutput* output, const SticRun* run, SticError* error)
{
    STIC_ASSERT(output != NULL);
    STIC_ASSERT(run != NULL);
    STIC_TRY(check_alive(output, error));
    const double begin = stic_timer_seconds();
    SticStatus status = STIC_OK;
    if (output->last_step != stic_run_totals(run)->steps)
        status = stic_frame_append(output, run);
    output->seconds += stic_timer_seconds() - begin;
    return keep_failure(output, status, error);
}

SticStatus stic_output_flush(SticOutput* output, SticError* error)
{
    STIC_ASSERT(output != NULL);
    STIC_TRY(check_alive(output, error));
    const double begin = stic_timer_seconds();
    const SticStatus status = stic_columns_flush(&output->columns);
    output->last_flush = begin;
    output->seconds += stic_timer_seconds() - begin;
    return keep_failure(output, status, error);
}

SticStatus stic_output_snapshot(SticOutput* output, const SticRun* run, SticError* error)
{
    STIC_ASSERT(output != NULL);
    STIC_ASSERT(run != NULL);
    STIC_TRY(check_alive(output, error));
    const double begin = stic_timer_seconds();
    const SticStatus status = write_snapshot(output, run);
    output->seconds += stic_timer_seconds() - begin;
    return keep_failure(output, status, error);
}

int64_t stic_output_frames(const SticOutput* output)
{
    return output->columns.rows[STIC_TABLE_FRAMES];
}

double stic_output_seconds(const SticOutput* output)
{
    return output->seconds;
}

SticStatus stic_output_close(SticOutput* output, SticError* error)
{
    if (output == NULL)
        return STIC_OK;
    SticStatus status = check_alive(output, error);
    if (status == STIC_OK)
        status = keep_failure(output, stic_columns_flush(&output->columns), error);
    stic_columns_close(&output->columns);
    if (status == STIC_OK)
        status = keep_failure(output, stic_hdf5_close(&output->columns.file), error);
    destroy(output);
    return status;
}

/* ---- going on ---- */

// rows that remain of each table when a run goes on after `steps` steps
static SticStatus rows_after(SticOutput* output, const SticRun* run, int64_t rows[STIC_TABLE_COUNT])
{
    const SticHdf5* file = &output->columns.file;
    const SticRunParts* def = stic_run_parts(run);
    const int64_t steps = stic_run_totals(run)->steps;
    SticResultRange range;
    STIC_TRY(stic_range_read(file, output->scratch, &range));
    memset(rows, 0, STIC_TABLE_COUNT * sizeof *rows);
    // an extra frame at the end of an interrupted run does not belong to the schedule
    for (int64_t k = 0; k < range.frames && range.step[k] <= steps; ++k)
        if (range.step[k] == 0 ||
            is_due(&output->settings, range.step[k], range.time[k], def->step))
            rows[STIC_TABLE_FRAMES] = k + 1;
    const int64_t frames = rows[STIC_TABLE_FRAMES];
    if (range.frames > 0 && range.step[0] > 0)
        return stic_hdf5_fail(file, STIC_BAD_DATA, "",
                              "begins in the middle of a run: only results that begin with the "
                              "start of their run can be continued");
    if (frames == 0 || (output->settings.solver && range.steps < steps))
        return stic_hdf5_fail(file, STIC_BAD_FILE, "", "ends before the snapshot does");
    output->last_step = range.step[frames - 1];
    rows[STIC_TABLE_STEPS] = output->settings.solver ? steps : 0;
    rows[STIC_TABLE_CONTACTS] = range.contact_begin[frames - 1] + range.contact_count[frames - 1];
    rows[STIC_TABLE_PAIRS] = range.pair_begin[frames - 1] + range.pair_count[frames - 1];
    return stic_range_events(file, rows[STIC_TABLE_STEPS], &rows[STIC_TABLE_EVENTS]);
}

// the end may have been moved; in a file that others read, a value may change but nothing may be
// added
static SticStatus move_end(const SticHdf5* file, double until)
{
    const hid_t attribute = H5Aopen(file->file, "until", H5P_DEFAULT);
    const bool done = attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_DOUBLE, &until) >= 0;
    if (attribute >= 0)
        H5Aclose(attribute);
    if (!done)
        return stic_hdf5_fail(file, STIC_BAD_FILE, "until", "cannot be changed");
    return stic_hdf5_flush(file);
}

static SticStatus reopen_file(SticOutput* output, const SticOutputDef* def, SticError* error)
{
    int64_t rows[STIC_TABLE_COUNT];
    int descriptor = -1;
    stic_replace_sweep(output->path);
    STIC_TRY(stic_lock_take(output->path, &descriptor, error));
    STIC_TRY(stic_hdf5_grow(output->path, descriptor, error, &output->columns.file));
    const SticStatus status = rows_after(output, def->run, rows);
    if (status != STIC_OK) {
        // nothing was changed: the file ends as it was, and not as that of a killed writer
        stic_hdf5_close(&output->columns.file);
        return status;
    }
    STIC_TRY(stic_columns_open(&output->columns, rows));
    return move_end(&output->columns.file, def->until);
}

SticStatus stic_output_reopen(const SticContext* context, const SticOutputDef* def,
                              SticOutput** output, SticError* error)
{
    context = stic_context_given(context);
    STIC_ASSERT(def != NULL);
    STIC_ASSERT(output != NULL);
    SticOutput* made = NULL;
    *output = NULL;
    STIC_TRY(check_def(def, error));
    SticStatus status = prepare(context, def, &made);
    if (status == STIC_OK)
        status = reopen_file(made, def, error);
    return finish(made, status, output, error);
}

#else

static SticStatus no_hdf5(SticError* error)
{
    return stic_error_set(error, STIC_UNSUPPORTED,
                          "this build of stiction has no HDF5: results cannot be written");
}

SticStatus stic_output_create(const SticContext* context, const SticOutputDef* def,
                              SticOutput** output, SticError* error)
{
    context = stic_context_given(context);
    STIC_GIVEN(def, error);
    STIC_GIVEN(output, error);
    (void)context, (void)def;
    *output = NULL;
    return no_hdf5(error);
}

SticStatus stic_output_reopen(const SticContext* context, const SticOutputDef* def,
                              SticOutput** output, SticError* error)
{
    context = stic_context_given(context);
    STIC_ASSERT(def != NULL);
    STIC_ASSERT(output != NULL);
    return stic_output_create(context, def, output, error);
}

SticStatus stic_output_step(SticOutput* output, const SticRun* run, const SticStepInfo* info,
                            const SticStepExtra* extra, SticError* error)
{
    STIC_GIVEN(output, error);
    STIC_GIVEN(run, error);
    STIC_GIVEN(info, error);
    (void)output, (void)run, (void)info, (void)extra;
    return no_hdf5(error);
}

bool stic_output_is_due(const SticOutput* output, const SticRun* run)
{
    STIC_ASSERT(output != NULL);
    STIC_ASSERT(run != NULL);
    (void)output, (void)run;
    return false;
}

SticStatus stic_output_frame(SticOutput* output, const SticRun* run, SticError* error)
{
    STIC_ASSERT(output != NULL);
    STIC_ASSERT(run != NULL);
    (void)output, (void)run;
    return no_hdf5(error);
}

SticStatus stic_output_flush(SticOutput* output, SticError* error)
{
    STIC_ASSERT(output != NULL);
    (void)output;
    return no_hdf5(error);
}

SticStatus stic_output_snapshot(SticOutput* output, const SticRun* run, SticError* error)
{
    STIC_ASSERT(output != NULL);
    STIC_ASSERT(run != NULL);
    (void)output, (void)run;
    return no_hdf5(error);
}

int64_t stic_output_frames(const SticOutput* output)
{
    (void)output;
    return 0;
}

double stic_output_seconds(const SticOutput* output)
{
    (void)output;
    return 0.0;
}

SticStatus stic_output_close(SticOutput* output, SticError* error)
{
    return output == NULL ? STIC_OK : no_hdf5(error);
}

#endif

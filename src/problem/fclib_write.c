// SPDX-License-Identifier: Apache-2.0
// Writer of FCLIB problems (HDF5 of the friction-contact library).
//
// Matrices are triplets with `i` = row and `p` = column. The global form is written where the
// problem has it. Equal problems give equal bytes. The file is replaced in one go.
#include "problem/store.h"

#ifdef STIC_HAVE_HDF5

#include <stdio.h>
#include <string.h>

#include "file/file.h"
#include "file/hdf5.h"

enum { NAME_ROOM = 96 };

typedef struct Writer {
    SticHdf5 file;
    SticArena* arena;
    const SticExport* made;
    const char* root; // group of the problem
} Writer;

static const char* name_in(const Writer* writer, const char* rest, char name[NAME_ROOM])
{
    snprintf(name, NAME_ROOM, "%s/%s", writer->root, rest);
    return name;
}

static SticStatus make_group(const Writer* writer, const char* which)
{
    char name[NAME_ROOM];
    return stic_hdf5_make_group(&writer->file, name_in(writer, which, name));
}

static SticStatus put_integer(const Writer* writer, const char* group, const char* which,
                              int32_t value)
{
    char name[NAME_ROOM];
    snprintf(name, sizeof name, "%s/%s", group, which);
    return stic_hdf5_write_integers(&writer->file, name, 1, &value);
}

/* ---- matrices ---- */

// rectangle of a matrix whose rows and columns are placed by `row_place`, `col_place` (NULL: as
// they are); it is written as a matrix of its own
typedef struct Window {
    const SticBlockCsr* A;
    const int32_t *row_place, *col_place;
    int32_t row, rows, col, cols;
} Window;

typedef struct Triplets {
    int32_t count;
    int32_t *row, *col;
    double* value;
} Triplets;

// one entry, if it lies in the window
static void add_entry(const Window* window, int32_t row, int32_t col, double value, Triplets* to)
{
    const int32_t i = (window->row_place != NULL ? window->row_place[row] : row) - window->row;
    const int32_t j = (window->col_place != NULL ? window->col_place[col] : col) - window->col;
    if (value == 0.0 || i < 0 || i >= window->rows || j < 0 || j >= window->cols)
        return;
    to->row[to->count] = i;
    to->col[to->count] = j;
    to->value[to->count] = value;
    to->count += 1;
}

static SticStatus gather(SticArena* arena, const Window* window, Triplets* to)
{
    const SticBlockCsr* A = window->A;
    const int64_t values = A->value_at[stic_block_csr_count(A)];
    if (values > INT32_MAX)
        return STIC_OUT_OF_MEMORY;
    STIC_TRY(STIC_TAKE(arena, &to->row, values));
    STIC_TRY(STIC_TAKE(arena, &to->col, values));
    STIC_TRY(STIC_TAKE(arena, &to->value, values));
    for (int32_t i = 0; i < A->rows; ++i)
        for (int32_t k = A->begin[i]; k < A->begin[i + 1]; ++k) {
            const double* value = A->value + A->value_at[k];
            for (int32_t row = A->row_at[i]; row < A->row_at[i + 1]; ++row)
                for (int32_t col = A->col_at[A->col[k]]; col < A->col_at[A->col[k] + 1]; ++col)
                    add_entry(window, row, col, *value++, to);
        }
    return STIC_OK;
}

static SticStatus put_arrays(const Writer* writer, const char* group, const Triplets* triplets)
{
    char name[NAME_ROOM];
    const size_t count = (size_t)triplets->count;
    snprintf(name, sizeof name, "%s/p", group);
    STIC_TRY(stic_hdf5_write_integers(&writer->file, name, count, triplets->col));
    snprintf(name, sizeof name, "%s/i", group);
    STIC_TRY(stic_hdf5_write_integers(&writer->file, name, count, triplets->row));
    snprintf(name, sizeof name, "%s/x", group);
    return stic_hdf5_write_reals(&writer->file, name, count, triplets->value);
}

static SticStatus put_matrix(const Writer* writer, const char* which, const Window* window)
{
    char group[NAME_ROOM / 2];
    snprintf(group, sizeof group, "%s/%s", writer->root, which);
    const SticArenaMark mark = stic_arena_mark(writer->arena);
    Triplets triplets = {0};
    STIC_TRY(gather(writer->arena, window, &triplets));
    STIC_TRY(stic_hdf5_make_group(&writer->file, group));
    STIC_TRY(put_integer(writer, group, "nzmax", triplets.count));
    STIC_TRY(put_integer(writer, group, "m", window->rows));
    STIC_TRY(put_integer(writer, group, "n", window->cols));
    STIC_TRY(put_integer(writer, group, "nz", triplets.count));
    STIC_TRY(put_arrays(writer, group, &triplets));
    stic_arena_rewind(writer->arena, mark);
    return STIC_OK;
}

/* ---- vectors ---- */

static SticStatus put_vector(const Writer* writer, const char* which, const double* x,
                             int32_t count)
{
    char name[NAME_ROOM];
    return stic_hdf5_write_reals(&writer->file, name_in(writer, which, name), (size_t)count, x);
}

// x + shift (which may be NULL) in the order of the file
static SticStatus placed(const Writer* writer, const double* x, const double* shift, double** made)
{
    const SticProblem* problem = writer->made->problem;
    STIC_TRY(STIC_TAKE(writer->arena, made, problem->rows));
    for (int32_t i = 0; i < problem->rows; ++i)
        (*made)[writer->made->place[i]] = x[i] + (shift != NULL ? shift[i] : 0.0);
    return STIC_OK;
}

static SticStatus put_friction(const Writer* writer, const char* which, int coefficient)
{
    const SticProblem* problem = writer->made->problem;
    double* mu = NULL;
    STIC_TRY(STIC_TAKE(writer->arena, &mu, problem->count));
    int32_t count = 0;
    for (int32_t i = 0; i < problem->count; ++i)
        if (problem->law[i] != STIC_LAW_FREE)
            mu[count++] = problem->coef[i][coefficient];
    return put_vector(writer, which, mu, count);
}

/* ---- the two forms ---- */

static SticStatus put_local(const Writer* writer)
{
    const SticExport* made = writer->made;
    const int32_t rows = made->contacts * made->contact_rows, more = made->free_rows;
    Window window = {.A = made->problem->W,
                     .row_place = made->place,
                     .col_place = made->place,
                     .rows = rows,
                     .cols = rows};
    double* b = NULL;
    STIC_TRY(put_matrix(writer, "W", &window));
    STIC_TRY(placed(writer, made->folded.b, NULL, &b));
    STIC_TRY(make_group(writer, "vectors"));
    STIC_TRY(put_vector(writer, "vectors/q", b, rows));
    if (more == 0)
        return STIC_OK;
    window.col = rows;
    window.cols = more;
    STIC_TRY(put_matrix(writer, "V", &window));
    window.row = rows;
    window.rows = more;
    STIC_TRY(put_matrix(writer, "R", &window));
    return put_vector(writer, "vectors/s", b + rows, more);
}

static SticStatus put_global(const Writer* writer)
{
    const SticExport* made = writer->made;
    const SticProblem* problem = made->problem;
    const int32_t rows = made->contacts * made->contact_rows, more = made->free_rows;
    SticBlockCsr H;
    double* w = NULL;
    STIC_TRY(stic_block_csr_transpose(problem->Ht, writer->arena, &H));
    const Window mass = {.A = problem->M->A, .rows = problem->dof, .cols = problem->dof};
    Window window = {.A = &H, .col_place = made->place, .rows = problem->dof, .cols = rows};
    STIC_TRY(put_matrix(writer, "M", &mass));
    STIC_TRY(put_matrix(writer, "H", &window));
    STIC_TRY(placed(writer, made->folded.w, NULL, &w));
    STIC_TRY(make_group(writer, "vectors"));
    STIC_TRY(put_vector(writer, "vectors/f", made->folded.f, problem->dof));
    STIC_TRY(put_vector(writer, "vectors/w", w, rows));
    if (more == 0)
        return STIC_OK;
    window.col = rows;
    window.cols = more;
    STIC_TRY(put_matrix(writer, "G", &window));
    return put_vector(writer, "vectors/b", w + rows, more);
}

/* ---- guesses, solution, texts ---- */

static SticStatus put_part(const Writer* writer, const char* group, const char* which,
                           const double* x, int32_t count)
{
    char name[NAME_ROOM];
    snprintf(name, sizeof name, "%s/%s", group, which);
    return stic_hdf5_write_reals(&writer->file, name, (size_t)count, x);
}

static SticStatus put_guess(const Writer* writer, const char* group, const SticGuess* guess)
{
    const SticExport* made = writer->made;
    const SticProblem* problem = made->problem;
    const int32_t rows = made->contacts * made->contact_rows;
    const SticArenaMark mark = stic_arena_mark(writer->arena);
    double *r = NULL, *u = NULL;
    STIC_TRY(stic_hdf5_make_group(&writer->file, group));
    if (guess->v != NULL && made->global)
        STIC_TRY(put_part(writer, group, "v", guess->v, problem->dof));
    if (guess->r != NULL) {
        STIC_TRY(placed(writer, guess->r, problem->r_shift, &r));
        STIC_TRY(put_part(writer, group, "r", r, rows));
        if (made->free_rows > 0)
            STIC_TRY(put_part(writer, group, "l", r + rows, made->free_rows));
    }
    if (guess->u != NULL) {
        STIC_TRY(placed(writer, guess->u, problem->u_shift, &u));
        STIC_TRY(put_part(writer, group, "u", u, rows));
    }
    stic_arena_rewind(writer->arena, mark);
    return STIC_OK;
}

static SticStatus put_metadata(const Writer* writer, const SticMetadata* metadata)
{
    char name[NAME_ROOM];
    if (metadata->title != NULL || metadata->description != NULL || metadata->math_info != NULL)
        STIC_TRY(make_group(writer, "info"));
    STIC_TRY(
        stic_hdf5_write_text(&writer->file, name_in(writer, "info/title", name), metadata->title));
    STIC_TRY(stic_hdf5_write_text(&writer->file, name_in(writer, "info/description", name),
                                  metadata->description));
    STIC_TRY(stic_hdf5_write_text(&writer->file, name_in(writer, "info/math_info", name),
                                  metadata->math_info));
    if (metadata->solution != NULL)
        STIC_TRY(put_guess(writer, "/solution", metadata->solution));
    if (metadata->guess_count == 0)
        return STIC_OK;
    STIC_TRY(stic_hdf5_make_group(&writer->file, "/guesses"));
    STIC_TRY(put_integer(writer, "/guesses", "number_of_guesses", metadata->guess_count));
    for (int32_t i = 0; i < metadata->guess_count; ++i) {
        snprintf(name, sizeof name, "/guesses/%d", (int)i + 1);
        STIC_TRY(put_guess(writer, name, &metadata->guesses[i]));
    }
    return STIC_OK;
}

/* ---- the whole file ---- */

static SticStatus put_problem(Writer* writer, const SticMetadata* metadata)
{
    const SticExport* made = writer->made;
    const bool rolling = made->law == STIC_LAW_ROLLING;
    writer->root = rolling        ? "/fclib_global_rolling"
                   : made->global ? "/fclib_global"
                                  : "/fclib_local";
    STIC_TRY(stic_hdf5_make_group(&writer->file, writer->root));
    // readers divide the rows by this number: 5 for rolling contacts in space, 3 in the plane
    STIC_TRY(put_integer(writer, writer->root, "spacedim", made->contact_rows));
    STIC_TRY(made->global ? put_global(writer) : put_local(writer));
    STIC_TRY(put_friction(writer, "vectors/mu", 0));
    if (rolling)
        STIC_TRY(put_friction(writer, "vectors/mu_r", 2));
    return put_metadata(writer, metadata);
}

static SticStatus check_expressible(const SticExport* made, SticError* error)
{
    if (made->law == STIC_LAW_NONNEG)
        return stic_error_set(error, STIC_UNSUPPORTED,
                              "FCLIB cannot hold contacts without tangential rows");
    if (made->law == STIC_LAW_ROLLING && !made->global)
        return stic_error_set(error, STIC_UNSUPPORTED,
                              "FCLIB holds rolling friction only in global form");
    return STIC_OK;
}

static SticStatus write_file(Writer* writer, const SticContext* context,
                             const SticMetadata* metadata, const char* path, SticError* error)
{
    SticReplace* replace = NULL;
    STIC_TRY(stic_replace_begin(context, path, &replace, error));
    SticStatus status = stic_hdf5_create(stic_replace_path(replace), error, &writer->file);
    if (status == STIC_OK) {
        writer->file.path = path;
        status = put_problem(writer, metadata);
        const SticStatus closed = stic_hdf5_close(&writer->file);
        status = status != STIC_OK ? status : closed;
    }
    if (status == STIC_OK)
        return stic_replace_commit(replace, error);
    stic_replace_abort(replace);
    return status;
}

SticStatus stic_fclib_write(const SticContext* context, const SticProblem* problem,
                            const SticMetadata* metadata, const char* path, SticError* error)
{
    Writer writer = {0};
    SticExport made;
    STIC_TRY(stic_arena_create(context, 0, &writer.arena));
    writer.made = &made;
    SticStatus status = stic_problem_export(writer.arena, problem, &made, error);
    if (status == STIC_OK)
        status = check_expressible(&made, error);
    if (status == STIC_OK)
        status = write_file(&writer, context, metadata, path, error);
    stic_arena_destroy(writer.arena);
    return status;
}

#else

SticStatus stic_fclib_write(const SticContext* context, const SticProblem* problem,
                            const SticMetadata* metadata, const char* path, SticError* error)
{
    (void)context;
    (void)problem;
    (void)metadata;
    return stic_error_set_at(error, STIC_UNSUPPORTED, path, 0, 0,
                             "would be HDF5, and this library was built without HDF5");
}

#endif

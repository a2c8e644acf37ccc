// SPDX-License-Identifier: Apache-2.0
// Reader of FCLIB problems (HDF5 of the friction-contact library).
//
//   /fclib_local           u = W r + V l + q        V' r + R l + s = 0
//   /fclib_global          M v = H r + G l + f      u = H' v + w       G' v + b = 0
//   /fclib_global_rolling  as global with mu_r and 5 rows per contact
//
// The multipliers l become bilateral interactions (law FREE) behind the contacts. In triplets `i`
// holds rows and `p` columns, as files in use have it; the public header's comment says the
// opposite. `nzmax` is not used: it may exceed the number of entries.
#include "problem/store.h"

#ifdef STIC_HAVE_HDF5

#include <stdio.h>
#include <string.h>

#include "file/hdf5.h"

enum { NAME_ROOM = 96, MOST_GUESSES = 10000, MOST_ROWS = INT32_MAX / 8 };

typedef struct Reader {
    SticHdf5 file;
    SticRaw raw;
    SticArena* arena; // scratch for one matrix, and metadata until the build
    const char* root; // group of the problem
} Reader;

// path below the problem's group
static const char* name_in(const Reader* reader, const char* rest, char name[NAME_ROOM])
{
    snprintf(name, NAME_ROOM, "%s/%s", reader->root, rest);
    return name;
}

/* ---- matrices ---- */

// where the entries of a matrix go inside the matrix that is built
typedef struct Target {
    SticEntries* entries;
    int32_t row, col; // shift
    bool twice;       // also transposed: V in the upper right and lower left
} Target;

typedef struct Matrix {
    char name[NAME_ROOM];
    int32_t m, n, nz;
    size_t pointers, indices;
    int32_t *p, *i;
    double* x;
} Matrix;

static SticStatus read_part(const Reader* reader, const Matrix* matrix, const char* part,
                            int32_t low, int32_t* value)
{
    char name[NAME_ROOM + 8];
    snprintf(name, sizeof name, "%s/%s", matrix->name, part);
    return stic_hdf5_read_integer(&reader->file, name, low, MOST_ROWS, value);
}

// arrays of a matrix, as long as they are in the file
static SticStatus read_arrays(const Reader* reader, Matrix* matrix)
{
    char p[NAME_ROOM + 8], i[NAME_ROOM + 8], x[NAME_ROOM + 8];
    snprintf(p, sizeof p, "%s/p", matrix->name);
    snprintf(i, sizeof i, "%s/i", matrix->name);
    snprintf(x, sizeof x, "%s/x", matrix->name);
    size_t values = 0;
    STIC_TRY(stic_hdf5_length(&reader->file, p, &matrix->pointers));
    STIC_TRY(stic_hdf5_length(&reader->file, i, &matrix->indices));
    STIC_TRY(stic_hdf5_length(&reader->file, x, &values));
    if (values < matrix->indices)
        return stic_hdf5_fail(&reader->file, STIC_BAD_FILE, x, "has %zu values for %zu indices",
                              values, matrix->indices);
    STIC_TRY(STIC_TAKE(reader->arena, &matrix->p, matrix->pointers));
    STIC_TRY(STIC_TAKE(reader->arena, &matrix->i, matrix->indices));
    STIC_TRY(STIC_TAKE(reader->arena, &matrix->x, values));
    STIC_TRY(stic_hdf5_read_integers(&reader->file, p, matrix->pointers, matrix->p));
    STIC_TRY(stic_hdf5_read_integers(&reader->file, i, matrix->indices, matrix->i));
    return stic_hdf5_read_reals(&reader->file, x, values, matrix->x);
}

static SticStatus add_entry(Reader* reader, const Matrix* matrix, const Target* target,
                            const int32_t place[2], double value)
{
    const int32_t row = place[0], col = place[1];
    if (row < 0 || row >= matrix->m || col < 0 || col >= matrix->n)
        return stic_hdf5_fail(&reader->file, STIC_BAD_FILE, matrix->name,
                              "has an entry at (%d, %d) outside its %d x %d", (int)row, (int)col,
                              (int)matrix->m, (int)matrix->n);
    const SticContext* context = &reader->raw.context;
    STIC_TRY(
        stic_entries_add(context, target->entries, target->row + row, target->col + col, value));
    if (target->twice)
        STIC_TRY(stic_entries_add(context, target->entries, target->col + col, target->row + row,
                                  value));
    return STIC_OK;
}

static SticStatus add_triplets(Reader* reader, const Matrix* matrix, const Target* target)
{
    const size_t count = (size_t)matrix->nz;
    if (matrix->pointers < count || matrix->indices < count)
        return stic_hdf5_fail(&reader->file, STIC_BAD_FILE, matrix->name,
                              "declares %zu entries but has %zu rows and %zu columns of them",
                              count, matrix->indices, matrix->pointers);
    for (size_t k = 0; k < count; ++k) {
        const int32_t place[2] = {matrix->i[k], matrix->p[k]};
        STIC_TRY(add_entry(reader, matrix, target, place, matrix->x[k]));
    }
    return STIC_OK;
}

// nz = -1: by columns, nz = -2: by rows
static SticStatus add_compressed(Reader* reader, const Matrix* matrix, const Target* target)
{
    const int32_t lines = matrix->nz == -1 ? matrix->n : matrix->m;
    if (matrix->pointers < (size_t)lines + 1 || matrix->p[0] != 0)
        return stic_hdf5_fail(&reader->file, STIC_BAD_FILE, matrix->name,
                              "has %zu pointers instead of %d, or they do not begin at 0",
                              matrix->pointers, (int)lines + 1);
    for (int32_t line = 0; line < lines; ++line) {
        if (matrix->p[line + 1] < matrix->p[line] || (size_t)matrix->p[line + 1] > matrix->indices)
            return stic_hdf5_fail(&reader->file, STIC_BAD_FILE, matrix->name,
                                  "has the pointer %d after %d with %zu entries",
                                  (int)matrix->p[line + 1], (int)matrix->p[line], matrix->indices);
        for (int32_t k = matrix->p[line]; k < matrix->p[line + 1]; ++k) {
            const int32_t other = matrix->i[k];
            const int32_t place[2] = {matrix->nz == -1 ? other : line,
                                      matrix->nz == -1 ? line : other};
            STIC_TRY(add_entry(reader, matrix, target, place, matrix->x[k]));
        }
    }
    return STIC_OK;
}

// entries of the matrix `which` into `target`; its size must be rows x cols
static SticStatus read_matrix(Reader* reader, const char* which, int32_t rows, int32_t cols,
                              const Target* target)
{
    Matrix matrix = {0};
    name_in(reader, which, matrix.name);
    const SticArenaMark mark = stic_arena_mark(reader->arena);
    STIC_TRY(read_part(reader, &matrix, "m", 0, &matrix.m));
    STIC_TRY(read_part(reader, &matrix, "n", 0, &matrix.n));
    STIC_TRY(read_part(reader, &matrix, "nz", -2, &matrix.nz));
    if (matrix.m != rows || matrix.n != cols)
        return stic_hdf5_fail(&reader->file, STIC_BAD_FILE, matrix.name,
                              "is %d x %d instead of %d x %d", (int)matrix.m, (int)matrix.n,
                              (int)rows, (int)cols);
    STIC_TRY(read_arrays(reader, &matrix));
    if (matrix.nz >= 0)
        STIC_TRY(add_triplets(reader, &matrix, target));
    else
        STIC_TRY(add_compressed(reader, &matrix, target));
    stic_arena_rewind(reader->arena, mark);
    return STIC_OK;
}

/* ---- vectors ---- */

// append a data set of any length; `count` gets its length
static SticStatus read_vector(Reader* reader, const char* which, SticReals* reals, int32_t* count)
{
    char name[NAME_ROOM];
    size_t length = 0;
    STIC_TRY(stic_hdf5_length(&reader->file, name_in(reader, which, name), &length));
    if (length > MOST_ROWS - reals->count)
        return stic_hdf5_fail(&reader->file, STIC_UNSUPPORTED, name, "has %zu values, too many",
                              length);
    STIC_TRY(STIC_RESERVE(&reader->raw.context, &reals->value, &reals->capacity,
                          reals->count + length + 1));
    STIC_TRY(stic_hdf5_read_reals(&reader->file, name, length, reals->value + reals->count));
    reals->count += length;
    *count = (int32_t)length;
    return STIC_OK;
}

static SticStatus read_friction(Reader* reader, const char* which, SticReals* reals)
{
    int32_t count = 0;
    char name[NAME_ROOM];
    STIC_TRY(read_vector(reader, which, reals, &count));
    if (count != reader->raw.contacts)
        return stic_hdf5_fail(&reader->file, STIC_BAD_FILE, name_in(reader, which, name),
                              "has %d values for %d contacts", (int)count,
                              (int)reader->raw.contacts);
    for (int32_t i = 0; i < count; ++i)
        if (reals->value[i] < 0.0)
            return stic_hdf5_fail(&reader->file, STIC_BAD_DATA, name_in(reader, which, name),
                                  "is %g for contact %d, below 0", reals->value[i], (int)i);
    return STIC_OK;
}

// rows per contact: the dimension of the file, which for rolling friction holds 5 (the number of
// rows) or the dimension of space; the number of coefficients decides there
static SticStatus find_contact_rows(Reader* reader, int32_t rows)
{
    SticRaw* raw = &reader->raw;
    char name[NAME_ROOM];
    int32_t dimension = 0;
    const bool rolling = raw->law == STIC_LAW_ROLLING;
    STIC_TRY(stic_hdf5_read_integer(&reader->file, name_in(reader, "spacedim", name), 2,
                                    rolling ? 5 : 3, &dimension));
    raw->contact_rows = dimension;
    if (rolling) {
        size_t contacts = 0;
        char mu[NAME_ROOM];
        STIC_TRY(stic_hdf5_length(&reader->file, name_in(reader, "vectors/mu", mu), &contacts));
        raw->contact_rows = (size_t)rows == 3 * contacts && rows > 0 ? 3 : 5;
    }
    if (dimension == 4 || rows % raw->contact_rows != 0)
        return stic_hdf5_fail(&reader->file, STIC_BAD_FILE, name,
                              "is %d, which does not fit %d rows", (int)dimension, (int)rows);
    return STIC_OK;
}

static SticStatus divide_contacts(Reader* reader, int32_t rows)
{
    SticRaw* raw = &reader->raw;
    STIC_TRY(find_contact_rows(reader, rows));
    raw->contacts = rows / raw->contact_rows;
    STIC_TRY(read_friction(reader, "vectors/mu", &raw->mu));
    if (raw->law == STIC_LAW_ROLLING)
        STIC_TRY(read_friction(reader, "vectors/mu_r", &raw->mu_roll));
    return STIC_OK;
}

/* ---- the two forms ---- */

static bool has(const Reader* reader, const char* which)
{
    char name[NAME_ROOM];
    return stic_hdf5_has(&reader->file, name_in(reader, which, name));
}

static SticStatus read_local(Reader* reader)
{
    SticRaw* raw = &reader->raw;
    int32_t rows = 0;
    STIC_TRY(read_vector(reader, "vectors/q", &raw->b, &rows));
    STIC_TRY(divide_contacts(reader, rows));
    if (has(reader, "V") != has(reader, "R"))
        return stic_hdf5_fail(&reader->file, STIC_BAD_FILE, reader->root,
                              "has only one of V and R; bilateral constraints need both");
    if (has(reader, "V"))
        STIC_TRY(read_vector(reader, "vectors/s", &raw->b, &raw->free_rows));
    raw->W.rows = raw->W.cols = rows + raw->free_rows;
    const Target W = {.entries = &raw->W};
    STIC_TRY(read_matrix(reader, "W", rows, rows, &W));
    if (!has(reader, "V"))
        return STIC_OK;
    const Target V = {.entries = &raw->W, .col = rows, .twice = true};
    const Target R = {.entries = &raw->W, .row = rows, .col = rows};
    STIC_TRY(read_matrix(reader, "V", rows, raw->free_rows, &V));
    return read_matrix(reader, "R", raw->free_rows, raw->free_rows, &R);
}

static SticStatus read_global(Reader* reader)
{
    SticRaw* raw = &reader->raw;
    raw->global = true;
    int32_t rows = 0, dof = 0;
    STIC_TRY(read_vector(reader, "vectors/f", &raw->f, &dof));
    STIC_TRY(read_vector(reader, "vectors/w", &raw->w, &rows));
    STIC_TRY(divide_contacts(reader, rows));
    if (has(reader, "G"))
        STIC_TRY(read_vector(reader, "vectors/b", &raw->w, &raw->free_rows));
    raw->M.rows = raw->M.cols = raw->H.rows = dof;
    raw->H.cols = rows + raw->free_rows;
    const Target M = {.entries = &raw->M};
    const Target H = {.entries = &raw->H};
    const Target G = {.entries = &raw->H, .col = rows};
    STIC_TRY(read_matrix(reader, "M", dof, dof, &M));
    STIC_TRY(read_matrix(reader, "H", dof, rows, &H));
    return has(reader, "G") ? read_matrix(reader, "G", dof, raw->free_rows, &G) : STIC_OK;
}

/* ---- guesses, solution, texts ---- */

// numbers of a guess if they are there: `count` of them into `values`
static SticStatus read_optional(const Reader* reader, const char* group, const char* which,
                                int32_t count, double* values, bool* found)
{
    char name[NAME_ROOM];
    snprintf(name, sizeof name, "%s/%s", group, which);
    *found = count > 0 && stic_hdf5_has(&reader->file, name);
    return *found ? stic_hdf5_read_reals(&reader->file, name, (size_t)count, values) : STIC_OK;
}

static SticStatus read_guess(const Reader* reader, const char* group, SticGuess* guess)
{
    const SticRaw* raw = &reader->raw;
    const int32_t rows = raw->contacts * raw->contact_rows;
    const size_t all = (size_t)rows + (size_t)raw->free_rows;
    double *r = NULL, *u = NULL, *v = NULL;
    bool has_r = false, has_l = false, has_u = false, has_v = false;
    STIC_TRY(STIC_TAKE(reader->arena, &r, all));
    STIC_TRY(STIC_TAKE(reader->arena, &u, all));
    STIC_TRY(STIC_TAKE(reader->arena, &v, raw->M.rows));
    memset(r, 0, all * sizeof *r);
    memset(u, 0, all * sizeof *u);
    STIC_TRY(read_optional(reader, group, "r", rows, r, &has_r));
    STIC_TRY(read_optional(reader, group, "l", raw->free_rows, r + rows, &has_l));
    STIC_TRY(read_optional(reader, group, "u", rows, u, &has_u));
    STIC_TRY(read_optional(reader, group, "v", raw->M.rows, v, &has_v));
    *guess =
        (SticGuess){.r = has_r || has_l ? r : NULL, .u = has_u ? u : NULL, .v = has_v ? v : NULL};
    return STIC_OK;
}

static SticStatus read_guesses(Reader* reader)
{
    int32_t count = 0;
    if (!stic_hdf5_has(&reader->file, "/guesses"))
        return STIC_OK;
    STIC_TRY(stic_hdf5_read_integer(&reader->file, "/guesses/number_of_guesses", 0, MOST_GUESSES,
                                    &count));
    SticGuess* guesses = NULL;
    STIC_TRY(STIC_TAKE(reader->arena, &guesses, count));
    for (int32_t i = 0; i < count; ++i) {
        char group[NAME_ROOM];
        snprintf(group, sizeof group, "/guesses/%d", (int)i + 1);
        if (!stic_hdf5_has(&reader->file, group))
            return stic_hdf5_fail(&reader->file, STIC_BAD_FILE, group, "is missing");
        STIC_TRY(read_guess(reader, group, &guesses[i]));
    }
    reader->raw.metadata.guesses = guesses;
    reader->raw.metadata.guess_count = count;
    return STIC_OK;
}

static SticStatus read_text(Reader* reader, const char* which, const char** text)
{
    char name[NAME_ROOM];
    *text = NULL;
    return has(reader, which) ? stic_hdf5_read_text(&reader->file, name_in(reader, which, name),
                                                    reader->arena, text)
                              : STIC_OK;
}

static SticStatus read_metadata(Reader* reader)
{
    SticMetadata* metadata = &reader->raw.metadata;
    STIC_TRY(read_text(reader, "info/title", &metadata->title));
    STIC_TRY(read_text(reader, "info/description", &metadata->description));
    STIC_TRY(read_text(reader, "info/math_info", &metadata->math_info));
    if (stic_hdf5_has(&reader->file, "/solution")) {
        SticGuess* solution = NULL;
        STIC_TRY(STIC_TAKE(reader->arena, &solution, 1));
        STIC_TRY(read_guess(reader, "/solution", solution));
        metadata->solution = solution;
    }
    return read_guesses(reader);
}

/* ---- the whole file ---- */

static SticStatus read_problem(Reader* reader)
{
    SticRaw* raw = &reader->raw;
    raw->law = STIC_LAW_CONE;
    if (stic_hdf5_has(&reader->file, "/fclib_local")) {
        reader->root = "/fclib_local";
        STIC_TRY(read_local(reader));
    } else if (stic_hdf5_has(&reader->file, "/fclib_global")) {
        reader->root = "/fclib_global";
        STIC_TRY(read_global(reader));
    } else if (stic_hdf5_has(&reader->file, "/fclib_global_rolling")) {
        reader->root = "/fclib_global_rolling";
        raw->law = STIC_LAW_ROLLING;
        STIC_TRY(read_global(reader));
    } else if (stic_hdf5_has(&reader->file, "/settings/run")) {
        return stic_hdf5_fail(&reader->file, STIC_BAD_FILE, "",
                              "is the result of a run, not a problem; see 'stiction info'");
    } else {
        return stic_hdf5_fail(&reader->file, STIC_BAD_FILE, "/",
                              "has no fclib_local, fclib_global or fclib_global_rolling");
    }
    return read_metadata(reader);
}

SticStatus stic_fclib_read(const SticContext* context, const char* path, SticProblemStore** store,
                           SticError* error)
{
    *store = NULL;
    Reader reader = {.raw = {.context = *context}};
    STIC_TRY(stic_arena_create(context, 0, &reader.arena));
    SticStatus status = stic_hdf5_open(path, error, &reader.file);
    if (status == STIC_OK) {
        status = read_problem(&reader);
        stic_hdf5_close(&reader.file);
    }
    if (status == STIC_OK) {
        status = stic_problem_build(&reader.raw, store, error);
        if (status != STIC_OK && error != NULL) {
            const SticError plain = *error;
            stic_error_set_at(error, status, path, 0, 0, "%s", plain.text);
        }
    }
    stic_raw_clear(&reader.raw);
    stic_arena_destroy(reader.arena);
    return status;
}

#else

SticStatus stic_fclib_read(const SticContext* context, const char* path, SticProblemStore** store,
                           SticError* error)
{
    (void)context;
    *store = NULL;
    return stic_error_set_at(error, STIC_UNSUPPORTED, path, 0, 0,
                             "is HDF5, and this library was built without HDF5");
}

#endif

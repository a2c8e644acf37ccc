// SPDX-License-Identifier: Apache-2.0
// The growing data sets of a result file.
//
// Order of writing, on which reading after a kill rests: rows of all columns, a flush, the two
// counters of complete rows, a flush. Writes that a process has handed to the system survive its
// end, so a counter on the disk never counts rows that are not there.
//
// Chunks: a column with at least FRAME_BYTES per row (the motion of many bodies) has one row per
// chunk, or a part of a row, shuffled and deflated. In files with one writer and many readers a
// deflated chunk that grows leaves its old copy behind, so columns of short rows are not deflated
// unless a frame brings many of them (contacts of large worlds).
#include "output/columns.h"

#ifdef STIC_HAVE_HDF5

#include <hdf5.h>
#include <stdio.h>
#include <string.h>

#include "output/attributes.h"
#include "stiction/extend/certify.h"
#include "stiction/extend/law.h"
#include "stiction/extend/solver.h"

enum {
    FRAME_BYTES = 16384,    // rows at least this long are chunks of their own
    CHUNK_BYTES = 8192,     // of columns with short rows
    CHUNK_MOST = 1 << 20,   // of one chunk: what HDF5's chunk cache holds by default
    BUFFER_BYTES = 1 << 18, // rows kept in memory per column
    MANY_BODIES = 1000,     // worlds whose contacts are deflated
    SHUFFLE_ROWS = 4096     // of their chunks, at least
};

const SticColumnDef stic_column_defs[] = {
#define COLUMN_DEF(name, path, table, type, second, third, condition, unit, text, names)           \
    {path, STIC_TABLE_##table, STIC_AS_##type, {second, third}, STIC_##condition, unit, text,      \
     names},
    STIC_COLUMN_LIST(COLUMN_DEF)
#undef COLUMN_DEF
};

static uint32_t extent_of(int32_t code, const SticExtents* extent)
{
    switch (code) {
    case 0:
        return 1;
    case STIC_EXTENT_BODIES:
        return (uint32_t)extent->bodies;
    case STIC_EXTENT_JOINTS:
        return (uint32_t)extent->joints;
    case STIC_EXTENT_NQ:
        return (uint32_t)extent->nq;
    case STIC_EXTENT_NU:
        return (uint32_t)extent->nu;
    case STIC_EXTENT_DEFORMABLE:
        return (uint32_t)extent->deformable;
    case STIC_EXTENT_VERTICES:
        return (uint32_t)extent->vertices;
    default:
        return (uint32_t)code;
    }
}

uint32_t stic_column_values(SticColumn column, const SticExtents* extent)
{
    const SticColumnDef* def = &stic_column_defs[column];
    return extent_of(def->extent[0], extent) * extent_of(def->extent[1], extent);
}

uint32_t stic_columns_conditions(bool world, bool moments, const SticExtents* extent,
                                 const SticOutputSettings* settings)
{
    uint32_t conditions = world ? STIC_IF_WORLD : STIC_IF_MODEL;
    if (settings->contacts)
        conditions |= world ? STIC_IF_CONTACTS : STIC_IF_INTERACTIONS;
    if (settings->pairs && world)
        conditions |= STIC_IF_PAIRS;
    if (settings->solver)
        conditions |= STIC_IF_STEPS;
    if (world && extent->joints > 0 && settings->joints)
        conditions |= STIC_IF_JOINTS;
    if (world && extent->deformable > 0)
        conditions |= STIC_IF_DEFORMABLE;
    if (world && extent->vertices > 0)
        conditions |= STIC_IF_VERTICES;
    if (world && settings->contacts && moments)
        conditions |= STIC_IF_MOMENTS;
    return conditions;
}

static bool is_wanted(const SticColumns* columns, const SticColumnDef* def)
{
    return (def->condition & ~columns->conditions) == 0;
}

static hid_t file_type(const SticColumns* columns, uint8_t type)
{
    switch ((SticColumnType)type) {
    case STIC_AS_REAL:
        return columns->settings.precision == STIC_PRECISION_SINGLE ? H5T_IEEE_F32LE
                                                                    : H5T_IEEE_F64LE;
    case STIC_AS_CONTACT:
        return columns->settings.contact_precision == STIC_PRECISION_SINGLE ? H5T_IEEE_F32LE
                                                                            : H5T_IEEE_F64LE;
    case STIC_AS_INT32:
        return H5T_STD_I32LE;
    case STIC_AS_INT64:
        return H5T_STD_I64LE;
    case STIC_AS_ID:
        return H5T_STD_U64LE;
    case STIC_AS_BYTE:
        return H5T_STD_U8LE;
    default:
        return H5T_IEEE_F64LE;
    }
}

/* ---- creation ---- */

// lists of names that come from tables of the library
static void join_names(const char* names, char* text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    if (strcmp(names, "outcomes") == 0) {
        for (int32_t i = 0; i < STIC_OUTCOME_COUNT && used < size; ++i)
            used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? " " : "",
                                     stic_outcome_name((SticOutcome)i));
    } else if (strcmp(names, "verdicts") == 0) {
        used += (size_t)snprintf(text, size, "not-asked");
        for (int32_t i = 0; i < STIC_VERDICT_COUNT && used < size; ++i)
            used += (size_t)snprintf(text + used, size - used, " %s",
                                     stic_verdict_name((SticVerdict)i));
    } else if (strcmp(names, "certificates") == 0) {
        for (int32_t i = 0; i < STIC_CERTIFICATE_COUNT && used < size; ++i)
            used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? " " : "",
                                     stic_certificate_name((SticCertificate)i));
    } else if (strcmp(names, "laws") == 0) {
        for (int32_t i = 0; i < STIC_LAW_COUNT && used < size; ++i)
            used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? " " : "",
                                     stic_law_name((SticLaw)i));
    } else if (strcmp(names, "solvers") == 0) {
        for (int32_t i = 0; stic_solver_table[i].name != NULL && used < size; ++i)
            used += (size_t)snprintf(text + used, size - used, "%s ", stic_solver_table[i].name);
        if (used < size)
            snprintf(text + used, size - used, "other");
    } else {
        snprintf(text, size, "%s", names);
    }
}

static SticStatus describe(const SticColumns* columns, hid_t set, const SticColumnDef* def)
{
    char names[1024];
    STIC_TRY(stic_attribute_text(&columns->file, set, "unit", def->unit));
    STIC_TRY(stic_attribute_text(&columns->file, set, "text", def->text));
    if (def->names == NULL)
        return STIC_OK;
    join_names(def->names, names, sizeof names);
    return stic_attribute_text(&columns->file, set, "names", names);
}

// extents of a data set and of its chunks; the rank is returned
static int plan_chunks(const SticColumns* columns, const SticColumnDef* def, size_t size,
                       hsize_t extent[3], hsize_t chunk[3], bool* deflate)
{
    int rank = 1;
    size_t row = size;
    for (int k = 0; k < 2; ++k)
        if (def->extent[k] != 0) {
            extent[rank] = chunk[rank] = extent_of(def->extent[k], &columns->extent);
            row *= (size_t)extent[rank++];
        }
    const bool many = def->table != STIC_TABLE_FRAMES && def->table != STIC_TABLE_STEPS &&
                      columns->extent.bodies >= MANY_BODIES;
    *deflate = columns->settings.compression > 0 && (many || row >= FRAME_BYTES);
    chunk[0] = row >= CHUNK_BYTES ? 1 : CHUNK_BYTES / row;
    if (many)
        chunk[0] =
            columns->extent.bodies < SHUFFLE_ROWS ? SHUFFLE_ROWS : (hsize_t)columns->extent.bodies;
    for (; many && chunk[0] * row > CHUNK_MOST;)
        chunk[0] /= 2;
    if (row > CHUNK_MOST && rank > 1)
        chunk[1] = (hsize_t)CHUNK_MOST / (row / extent[1]);
    return rank;
}

// HDF5 keeps a megabyte of chunks per data set by default, full ones too, which are never looked at
// again: enough for the chunk that grows and its neighbour
static hid_t few_chunks(size_t chunk_bytes)
{
    enum { PLACES = 13 }; // a prime number, a few times the chunks held
    const hid_t plan = H5Pcreate(H5P_DATASET_ACCESS);
    if (plan >= 0)
        H5Pset_chunk_cache(plan, PLACES, 2 * chunk_bytes, 1.0);
    return plan;
}

static SticStatus create_column(SticColumns* columns, SticColumn index)
{
    const SticColumnDef* def = &stic_column_defs[index];
    SticColumnData* data = &columns->column[index];
    const hid_t type = file_type(columns, def->type);
    hsize_t extent[3] = {0, 1, 1}, most[3], chunk[3] = {1, 1, 1};
    bool deflate = false;
    data->size = (uint32_t)H5Tget_size(type);
    const int rank = plan_chunks(columns, def, data->size, extent, chunk, &deflate);
    memcpy(most, extent, sizeof most);
    most[0] = H5S_UNLIMITED;
    const hid_t space = H5Screate_simple(rank, extent, most);
    const hid_t plan = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(plan, 0);
    H5Pset_chunk(plan, rank, chunk);
    if (deflate) {
        H5Pset_shuffle(plan);
        H5Pset_deflate(plan, (unsigned)columns->settings.compression);
    }
    data->set =
        H5Dcreate2(columns->file.file, def->path, type, space, H5P_DEFAULT, plan, H5P_DEFAULT);
    H5Pclose(plan);
    H5Sclose(space);
    if (data->set < 0)
        return stic_hdf5_fail(&columns->file, STIC_IO_FAILED, def->path, "cannot be made");
    return describe(columns, data->set, def);
}

static SticStatus create_counter(const SticColumns* columns, const char* path, const char* text,
                                 int64_t* set)
{
    const hsize_t one = 1;
    const hid_t space = H5Screate_simple(1, &one, NULL);
    const hid_t plan = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(plan, 0);
    // its place in the file is fixed before anybody reads
    H5Pset_alloc_time(plan, H5D_ALLOC_TIME_EARLY);
    const int64_t zero = 0;
    *set =
        H5Dcreate2(columns->file.file, path, H5T_STD_I64LE, space, H5P_DEFAULT, plan, H5P_DEFAULT);
    H5Pclose(plan);
    H5Sclose(space);
    if (*set < 0 || H5Dwrite(*set, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &zero) < 0)
        return stic_hdf5_fail(&columns->file, STIC_IO_FAILED, path, "cannot be made");
    STIC_TRY(stic_attribute_text(&columns->file, *set, "unit", "-"));
    return stic_attribute_text(&columns->file, *set, "text", text);
}

static void clear_columns(SticColumns* columns)
{
    for (int32_t i = 0; i < STIC_COL_COUNT; ++i) {
        columns->column[i] = (SticColumnData){.set = -1};
        columns->column[i].values = stic_column_values((SticColumn)i, &columns->extent);
    }
    columns->frames_complete_set = columns->steps_complete_set = -1;
    memset(columns->rows, 0, sizeof columns->rows);
}

SticStatus stic_columns_create(SticColumns* columns)
{
    static const char* const groups[] = {"/frames",   "/motion",       "/joint_motion",
                                         "/contacts", "/interactions", "/pairs",
                                         "/model",    "/steps",        "/events"};
    static const uint32_t conditions[] = {STIC_ALWAYS,      STIC_IF_WORLD,        STIC_IF_JOINTS,
                                          STIC_IF_CONTACTS, STIC_IF_INTERACTIONS, STIC_IF_PAIRS,
                                          STIC_IF_MODEL,    STIC_IF_STEPS,        STIC_IF_EVENTS};
    clear_columns(columns);
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; ++i)
        if ((conditions[i] & ~columns->conditions) == 0)
            STIC_TRY(stic_hdf5_make_group(&columns->file, groups[i]));
    for (int32_t i = 0; i < STIC_COL_COUNT; ++i)
        if (is_wanted(columns, &stic_column_defs[i]))
            STIC_TRY(create_column(columns, (SticColumn)i));
    STIC_TRY(create_counter(columns, "/frames/complete", "number of complete frames",
                            &columns->frames_complete_set));
    if ((columns->conditions & STIC_IF_STEPS) == 0)
        return STIC_OK;
    return create_counter(columns, "/steps/complete", "number of complete rows",
                          &columns->steps_complete_set);
}

/* ---- opening again ---- */

// every part of the list of chunks: a damaged one must be found before rows are appended
static SticStatus check_index(const SticColumns* columns, hid_t set, const SticColumnDef* def)
{
    hsize_t chunks = 0;
    const hid_t space = H5Dget_space(set);
    const bool sound = space >= 0 && H5Dget_num_chunks(set, space, &chunks) >= 0;
    if (space >= 0)
        H5Sclose(space);
    if (!sound)
        return stic_hdf5_fail(&columns->file, STIC_BAD_FILE, def->path,
                              "is damaged: no more rows can be appended");
    return STIC_OK;
}

static SticStatus open_column(SticColumns* columns, SticColumn index, int64_t rows)
{
    const SticColumnDef* def = &stic_column_defs[index];
    SticColumnData* data = &columns->column[index];
    if (!stic_hdf5_has(&columns->file, def->path))
        return stic_hdf5_fail(&columns->file, STIC_BAD_FILE, def->path,
                              "is missing: the file has other settings");
    const hid_t access = few_chunks(CHUNK_MOST / 2);
    data->set = H5Dopen2(columns->file.file, def->path, access);
    H5Pclose(access);
    const hid_t space = data->set < 0 ? -1 : H5Dget_space(data->set);
    const hid_t type = data->set < 0 ? -1 : H5Dget_type(data->set);
    hsize_t extent[8] = {0};
    const int rank = space < 0 ? 0 : H5Sget_simple_extent_ndims(space);
    uint64_t values = 1;
    if (rank >= 1 && rank <= 3)
        H5Sget_simple_extent_dims(space, extent, NULL);
    for (int k = 1; k < rank && rank <= 3; ++k)
        values *= extent[k];
    data->size = type < 0 ? 0 : (uint32_t)H5Tget_size(type);
    const bool fits = type >= 0 && rank >= 1 && rank <= 3 && values == data->values &&
                      H5Tequal(type, file_type(columns, def->type)) > 0 &&
                      extent[0] >= (hsize_t)rows;
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    if (!fits)
        return stic_hdf5_fail(&columns->file, STIC_BAD_FILE, def->path,
                              "has another size or type than this run writes");
    data->written = (uint64_t)rows;
    data->extent = extent[0];
    return check_index(columns, data->set, def);
}

SticStatus stic_columns_open(SticColumns* columns, const int64_t rows[STIC_TABLE_COUNT])
{
    clear_columns(columns);
    memcpy(columns->rows, rows, sizeof columns->rows);
    // the counters first: rows that they no longer count may then be overwritten
    columns->frames_complete_set = H5Dopen2(columns->file.file, "/frames/complete", H5P_DEFAULT);
    if (columns->frames_complete_set < 0)
        return stic_hdf5_fail(&columns->file, STIC_BAD_FILE, "/frames/complete", "is missing");
    if ((columns->conditions & STIC_IF_STEPS) != 0) {
        columns->steps_complete_set = H5Dopen2(columns->file.file, "/steps/complete", H5P_DEFAULT);
        if (columns->steps_complete_set < 0)
            return stic_hdf5_fail(&columns->file, STIC_BAD_FILE, "/steps/complete", "is missing");
    }
    STIC_TRY(stic_columns_flush(columns));
    for (int32_t i = 0; i < STIC_COL_COUNT; ++i)
        if (is_wanted(columns, &stic_column_defs[i]))
            STIC_TRY(open_column(columns, (SticColumn)i, columns->rows[stic_column_defs[i].table]));
    return STIC_OK;
}

/* ---- appending ---- */

static hid_t memory_type(const SticColumnDef* def, uint32_t size)
{
    switch ((SticColumnType)def->type) {
    case STIC_AS_INT32:
        return H5T_NATIVE_INT32;
    case STIC_AS_INT64:
        return H5T_NATIVE_INT64;
    case STIC_AS_ID:
        return H5T_NATIVE_UINT64;
    case STIC_AS_BYTE:
        return H5T_NATIVE_UINT8;
    default:
        return size == sizeof(float) ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
    }
}

// write `bytes` of whole rows behind those in the file
static SticStatus write_rows(SticColumns* columns, SticColumn index, const void* rows, size_t bytes)
{
    SticColumnData* data = &columns->column[index];
    const SticColumnDef* def = &stic_column_defs[index];
    const hsize_t count = bytes / ((size_t)data->values * data->size);
    hsize_t extent[3] = {data->written + count, 1, 1}, start[3] = {data->written, 0, 0};
    hsize_t block[3] = {count, 1, 1};
    int rank = 1;
    for (int k = 0; k < 2; ++k)
        if (def->extent[k] != 0) {
            extent[rank] = block[rank] = extent_of(def->extent[k], &columns->extent);
            ++rank;
        }
    if (count == 0)
        return STIC_OK;
    hid_t space = -1, memory = -1;
    bool done = true;
    if (extent[0] > data->extent)
        done = H5Dset_extent(data->set, extent) >= 0;
    if (done) {
        data->extent = extent[0] > data->extent ? extent[0] : data->extent;
        space = H5Dget_space(data->set);
        memory = H5Screate_simple(rank, block, NULL);
        done = H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, block, NULL) >= 0 &&
               H5Dwrite(data->set, memory_type(def, data->size), memory, space, H5P_DEFAULT,
                        rows) >= 0;
    }
    if (memory >= 0)
        H5Sclose(memory);
    if (space >= 0)
        H5Sclose(space);
    if (!done)
        return stic_hdf5_fail(&columns->file, STIC_IO_FAILED, def->path, "cannot be written");
    data->written += count;
    return STIC_OK;
}

static SticStatus drain(SticColumns* columns, SticColumn index)
{
    SticColumnData* data = &columns->column[index];
    if (data->used == 0)
        return STIC_OK;
    STIC_TRY(write_rows(columns, index, data->buffer, data->used));
    data->used = 0;
    return STIC_OK;
}

// room for some bytes at the end of the buffer
static SticStatus make_room(SticColumns* columns, SticColumn index, size_t bytes)
{
    SticColumnData* data = &columns->column[index];
    if (data->used > 0 && data->used + bytes > BUFFER_BYTES)
        STIC_TRY(drain(columns, index));
    return STIC_RESERVE(&columns->context, &data->buffer, &data->capacity, data->used + bytes);
}

SticStatus stic_columns_reals(SticColumns* columns, SticColumn index, const double* values,
                              size_t count)
{
    SticColumnData* data = &columns->column[index];
    if (data->set < 0 || count == 0)
        return STIC_OK;
    if (data->size == sizeof(double))
        return stic_columns_bytes(columns, index, values, count * sizeof(double));
    STIC_TRY(make_room(columns, index, count * sizeof(float)));
    float* to = (float*)(void*)(data->buffer + data->used);
    for (size_t i = 0; i < count; ++i)
        to[i] = (float)values[i];
    data->used += count * sizeof(float);
    return STIC_OK;
}

SticStatus stic_columns_bytes(SticColumns* columns, SticColumn index, const void* values,
                              size_t bytes)
{
    SticColumnData* data = &columns->column[index];
    if (data->set < 0 || bytes == 0)
        return STIC_OK;
    // data that would fill a buffer are not copied into it
    if (bytes >= BUFFER_BYTES) {
        STIC_TRY(drain(columns, index));
        return write_rows(columns, index, values, bytes);
    }
    STIC_TRY(make_room(columns, index, bytes));
    memcpy(data->buffer + data->used, values, bytes);
    data->used += bytes;
    return STIC_OK;
}

static SticStatus count_complete(const SticColumns* columns, int64_t set, int64_t rows)
{
    if (set >= 0 && H5Dwrite(set, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &rows) < 0)
        return stic_hdf5_fail(&columns->file, STIC_IO_FAILED, "complete", "cannot be written");
    return STIC_OK;
}

SticStatus stic_columns_flush(SticColumns* columns)
{
    for (int32_t i = 0; i < STIC_COL_COUNT; ++i)
        STIC_TRY(drain(columns, (SticColumn)i));
    STIC_TRY(stic_hdf5_flush(&columns->file));
    STIC_TRY(
        count_complete(columns, columns->frames_complete_set, columns->rows[STIC_TABLE_FRAMES]));
    STIC_TRY(count_complete(columns, columns->steps_complete_set, columns->rows[STIC_TABLE_STEPS]));
    return stic_hdf5_flush(&columns->file);
}

void stic_columns_close(SticColumns* columns)
{
    for (int32_t i = 0; i < STIC_COL_COUNT; ++i) {
        SticColumnData* data = &columns->column[i];
        if (data->set >= 0)
            H5Dclose(data->set);
        STIC_RELEASE(&columns->context, data->buffer, data->capacity);
        *data = (SticColumnData){.set = -1};
    }
    if (columns->frames_complete_set >= 0)
        H5Dclose(columns->frames_complete_set);
    if (columns->steps_complete_set >= 0)
        H5Dclose(columns->steps_complete_set);
    columns->frames_complete_set = columns->steps_complete_set = -1;
}

#else

/// Keeps the file from being empty where HDF5 is left out.
typedef int SticColumnsAbsent;

#endif

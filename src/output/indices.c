// SPDX-License-Identifier: Apache-2.0
// Tables of a result whose numbers are rows of other tables: checked before anything uses them as
// indices, here or in a program that the result is handed on to.
#include "output/reader.h"

#ifdef STIC_HAVE_HDF5

// a table of integers, all of it
typedef struct Integers {
    int64_t rows;
    int32_t* value;
} Integers;

static SticStatus read_all(const SticResult* result, SticArena* arena, SticSlice slice,
                           Integers* to)
{
    // memory is taken for rows that exist, not for those that a frame claims to have
    if (stic_slice_rows(&result->file, slice.path) - slice.begin < slice.count)
        return stic_hdf5_fail(&result->file, STIC_BAD_FILE, slice.path, "is too short");
    to->rows = slice.count;
    STIC_TRY(STIC_TAKE(arena, &to->value, slice.count * slice.values + 1));
    return stic_slice_int32(&result->file, slice, to->value);
}

// every number of a table is in [least, most)
static SticStatus check_range(const SticResult* result, SticArena* arena, SticSlice slice,
                              int32_t least, int64_t most)
{
    Integers table;
    STIC_TRY(read_all(result, arena, slice, &table));
    for (int64_t i = 0; i < slice.count * slice.values; ++i)
        if (table.value[i] < least || table.value[i] >= most)
            return stic_hdf5_fail(&result->file, STIC_BAD_FILE, slice.path,
                                  "row %lld is %d, which is not in [%d, %lld)",
                                  (long long)(i / slice.values), (int)table.value[i], (int)least,
                                  (long long)most);
    return STIC_OK;
}

// rows that shapes own in a table: names of the first and of their number, and the table
typedef struct Owned {
    const char *begin, *count, *path;
} Owned;

static SticStatus check_owned(const SticResult* result, SticArena* arena, Owned owned,
                              Integers range[2], int64_t* rows)
{
    const int64_t n = result->info.shapes;
    *rows = stic_slice_rows(&result->file, owned.path);
    STIC_TRY(read_all(result, arena, (SticSlice){owned.begin, 0, n, 1}, &range[0]));
    STIC_TRY(read_all(result, arena, (SticSlice){owned.count, 0, n, 1}, &range[1]));
    for (int64_t i = 0; i < n; ++i) {
        const int32_t begin = range[0].value[i], count = range[1].value[i];
        if (begin < 0 || count < 0 || count > *rows - begin)
            return stic_hdf5_fail(&result->file, STIC_BAD_FILE, owned.begin,
                                  "shape %lld has rows %d to %lld of %lld in %s", (long long)i,
                                  (int)begin, (long long)begin + count, (long long)*rows,
                                  owned.path);
    }
    return STIC_OK;
}

// faces or lines: vertices count from the first one of their shape
static SticStatus check_corners(const SticResult* result, SticArena* arena, Owned owned,
                                int64_t values, const int32_t* vertices)
{
    Integers range[2], table;
    int64_t rows = 0;
    STIC_TRY(check_owned(result, arena, owned, range, &rows));
    STIC_TRY(read_all(result, arena, (SticSlice){owned.path, 0, rows, values}, &table));
    for (int64_t i = 0; i < result->info.shapes; ++i)
        for (int64_t k = 0; k < range[1].value[i] * values; ++k) {
            const int32_t vertex = table.value[range[0].value[i] * values + k];
            if (vertex < 0 || vertex >= vertices[i])
                return stic_hdf5_fail(&result->file, STIC_BAD_FILE, owned.path,
                                      "shape %lld has no vertex %d", (long long)i, (int)vertex);
        }
    return STIC_OK;
}

static SticStatus check_shapes(const SticResult* result, SticArena* arena)
{
    const int64_t n = result->info.shapes;
    Integers vertex[2];
    int64_t vertices = 0;
    if (n == 0)
        return STIC_OK;
    STIC_TRY(
        check_range(result, arena, (SticSlice){"/shapes/body", 0, n, 1}, 0, result->info.bodies));
    STIC_TRY(check_range(result, arena, (SticSlice){"/shapes/material", 0, n, 1}, -1,
                         stic_slice_rows(&result->file, "/materials/name")));
    STIC_TRY(check_owned(result, arena,
                         (Owned){"/shapes/vertex_begin", "/shapes/vertex_count", "/shapes/vertex"},
                         vertex, &vertices));
    STIC_TRY(check_corners(result, arena,
                           (Owned){"/shapes/face_begin", "/shapes/face_count", "/shapes/face"}, 3,
                           vertex[1].value));
    return check_corners(
        result, arena, (Owned){"/shapes/feature_begin", "/shapes/feature_count", "/shapes/feature"},
        2, vertex[1].value);
}

SticStatus stic_result_check_tables(const SticResult* result, SticArena* arena)
{
    const SticArenaMark mark = stic_arena_mark(arena);
    const SticResultInfo* info = &result->info;
    SticStatus status = check_shapes(result, arena);
    if (status == STIC_OK && info->joints > 0)
        status = check_range(result, arena, (SticSlice){"/joints/body", 0, info->joints, 2}, -1,
                             info->bodies);
    stic_arena_rewind(arena, mark);
    return status;
}

SticStatus stic_result_check_bodies(const SticResult* result, SticArena* arena, int64_t begin,
                                    int64_t count)
{
    const SticArenaMark mark = stic_arena_mark(arena);
    const SticStatus status = check_range(
        result, arena, (SticSlice){"/contacts/body", begin, count, 2}, -1, result->info.bodies);
    stic_arena_rewind(arena, mark);
    return status;
}

#endif

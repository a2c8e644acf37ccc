// SPDX-License-Identifier: Apache-2.0
// Reading rows of result files.
#ifndef STIC_OUTPUT_READER_H
#define STIC_OUTPUT_READER_H

#include "file/hdf5.h"
#include "output/columns.h"
#include "output/output.h"

/// The table of frames.
typedef struct SticResultRange {
    int64_t frames; ///< complete ones
    int64_t steps;  ///< complete rows of the table of steps
    int64_t *step, *contact_begin, *contact_count, *pair_begin, *pair_count; ///< [frames]
    double *time, *h;                                                        ///< [frames]
} SticResultRange;

struct SticResult {
    SticContext context;
    SticArena* arena; ///< texts and tables
    SticHdf5 file;
    bool borrowed; ///< the file is a writer's
    SticResultInfo info;
    SticResultRange range;
    const char (*body_name)[STIC_NAME_SIZE]; ///< [bodies] each with a closing zero
};

/// Which rows of a data set, and how many numbers each must have.
typedef struct SticSlice {
    const char* path;
    int64_t begin, count;
    int64_t values; ///< per row
} SticSlice;

/// Read rows as doubles, int32, int64, uint64 or bytes.
SticStatus stic_slice_reals(const SticHdf5* file, SticSlice slice, double* values);
SticStatus stic_slice_int32(const SticHdf5* file, SticSlice slice, int32_t* values);
SticStatus stic_slice_int64(const SticHdf5* file, SticSlice slice, int64_t* values);
SticStatus stic_slice_ids(const SticHdf5* file, SticSlice slice, uint64_t* values);
SticStatus stic_slice_bytes(const SticHdf5* file, SticSlice slice, uint8_t* values);
/// Texts of `width` bytes each, padded with zeros.
SticStatus stic_slice_texts(const SticHdf5* file, SticSlice slice, size_t width, char* values);
/// Rows of a data set, 0 if it is not there or declares more than the file can hold.
int64_t stic_slice_rows(const SticHdf5* file, const char* path);

/// A result from a file that is open already, and stays open when the result is closed. Opening and
/// closing the file a second time would drop the writer's lock.
SticStatus stic_result_borrow(const SticContext* context, const SticHdf5* file, SticResult** result,
                              SticError* error);

/// First vertex of every shape in /motion/vertex, -1 where it moves with its body, and how many
/// vertices there are.
SticStatus stic_result_moving(const SticResult* result, SticArena* arena, int32_t** first,
                              int32_t* vertices);
/// Row of every body among the deformable ones, -1 for rigid bodies, and how many rows there are.
SticStatus stic_result_deformation(const SticResult* result, SticArena* arena, int32_t** row,
                                   int32_t* rows);

/// BAD_FILE if the tables of shapes or joints name bodies, materials, vertices or rows that are not
/// there.
SticStatus stic_result_check_tables(const SticResult* result, SticArena* arena);
/// The same for the bodies of `count` contacts from row `begin` on.
SticStatus stic_result_check_bodies(const SticResult* result, SticArena* arena, int64_t begin,
                                    int64_t count);

/// The table of frames as far as it is complete.
SticStatus stic_range_read(const SticHdf5* file, SticArena* arena, SticResultRange* range);
/// Rows of /events up to the end of that many steps; 0 in files without them.
SticStatus stic_range_events(const SticHdf5* file, int64_t steps, int64_t* events);

#endif

// SPDX-License-Identifier: Apache-2.0
// Small, checked reads and writes of HDF5 files.
//
// HDF5's automatic printing is off while a file is open; its own words go into the SticError. Sizes
// that a file declares are compared with the size of the file before memory is allocated. Links to
// other files are refused. The library must not be used from several threads at once unless it was
// built thread-safe.
#ifndef STIC_FILE_HDF5_H
#define STIC_FILE_HDF5_H

#include "stiction/base.h"

/// An open file. Failures are reported into `error` with the file and the HDF5 path.
typedef struct SticHdf5 {
    int64_t file;
    const char* path; ///< borrowed
    SticError* error; ///< may be NULL
    uint64_t bytes;   ///< size of the file, when reading
    void (*old_print)(void);
    void* old_print_data;
} SticHdf5;

SticStatus stic_hdf5_open(const char* path, SticError* error, SticHdf5* file);
SticStatus stic_hdf5_create(const char* path, SticError* error, SticHdf5* file);
/// Create a file that grows: newest format, times not stored, readable while it is written once
/// stic_hdf5_share was called.
SticStatus stic_hdf5_create_growing(const char* path, SticError* error, SticHdf5* file);
/// From here on data sets are only appended to; others may read, and a kill leaves the file
/// readable.
SticStatus stic_hdf5_share(const SticHdf5* file);
/// Open a growing file to change it, even if a killed writer left its mark in it.
SticStatus stic_hdf5_open_growing(const char* path, SticError* error, SticHdf5* file);
/// Open a file that somebody may be writing; `in_use` tells whether it carries a writer's mark.
SticStatus stic_hdf5_open_shared(const char* path, SticError* error, SticHdf5* file, bool* in_use);
/// Give everything written so far to the system.
SticStatus stic_hdf5_flush(const SticHdf5* file);
/// After a failed write: the file stays as it is, whatever is still to be written goes nowhere.
void stic_hdf5_divert(const SticHdf5* open);
/// Close after a failed write; nothing is reported.
void stic_hdf5_abandon(SticHdf5* file);
/// Close; after writing, a failure to flush is a failure.
SticStatus stic_hdf5_close(SticHdf5* file);
/// Report a failure at an HDF5 path, with HDF5's own reason if there is one.
SticStatus stic_hdf5_fail(const SticHdf5* file, SticStatus status, const char* name,
                          const char* format, ...) STIC_PRINTF(4, 5);

/// Whether a group or data set exists at an absolute path.
bool stic_hdf5_has(const SticHdf5* file, const char* name);
/// BAD_FILE with a sentence if an open data set keeps its values in another file, or declares more
/// than this one can hold; a growing file may hold more than when its size was taken.
SticStatus stic_hdf5_check_storage(const SticHdf5* file, const char* name, int64_t set,
                                   bool growing);
/// Number of values of a data set with at most one dimension.
SticStatus stic_hdf5_length(const SticHdf5* file, const char* name, size_t* count);
/// One whole number.
SticStatus stic_hdf5_read_integer(const SticHdf5* file, const char* name, int32_t low, int32_t high,
                                  int32_t* value);
/// `count` whole numbers, which must be the length; values beyond int32_t are clipped to its ends.
SticStatus stic_hdf5_read_integers(const SticHdf5* file, const char* name, size_t count,
                                   int32_t* values);
/// `count` finite numbers, which must be the length.
SticStatus stic_hdf5_read_reals(const SticHdf5* file, const char* name, size_t count,
                                double* values);
/// Text in memory of `arena`, fixed or variable length; an empty one gives NULL.
SticStatus stic_hdf5_read_text(const SticHdf5* file, const char* name, SticArena* arena,
                               const char** text);

SticStatus stic_hdf5_make_group(const SticHdf5* file, const char* name);
SticStatus stic_hdf5_write_integers(const SticHdf5* file, const char* name, size_t count,
                                    const int32_t* values);
SticStatus stic_hdf5_write_reals(const SticHdf5* file, const char* name, size_t count,
                                 const double* values);
/// Fixed-length text; NULL writes nothing.
SticStatus stic_hdf5_write_text(const SticHdf5* file, const char* name, const char* text);

#endif

// SPDX-License-Identifier: Apache-2.0
// Small, checked reads and writes of HDF5 files.
//
// HDF5's automatic printing is off while a file is open; its own words go into the SticError. Sizes
// that a file declares are compared with the size of the file before memory is allocated. Links to
// other files are refused. The library must not be used from several threads at once unless it was
// built thread-safe.
#ifndef STIC_FILE_HDF5_H
#define STIC_FILE_HDF5_H

#include "file/device.h"
#include "stiction/extend/base.h"

/// An open file. Failures are reported into `error` with the file and the HDF5 path.
typedef struct SticHdf5 {
    int64_t file;
    const char* path; ///< borrowed
    SticError* error; ///< may be NULL
    uint64_t bytes;   ///< size of the file, when reading
    SticDevice* device;
    void (*old_print)(void);
    void* old_print_data;
} SticHdf5;

/// Open a file to read it; one that a writer left marked is refused.
SticStatus stic_hdf5_open(const char* path, SticError* error, SticHdf5* file);
/// Create a file, or empty the one that is there.
SticStatus stic_hdf5_create(const char* path, SticError* error, SticHdf5* file);
/// Create in an empty open file, which becomes that of `file` whatever the status: newest format,
/// times not stored, ready for stic_hdf5_grow.
SticStatus stic_hdf5_create_growing(const char* path, int descriptor, SticError* error,
                                    SticHdf5* file);
/// Open what stic_hdf5_create_growing made, to append to its data sets: others may read meanwhile,
/// and a kill leaves the file readable. The descriptor, for reading and writing, becomes that of
/// `file` whatever the status, and a lock on it lasts until the file is closed.
SticStatus stic_hdf5_grow(const char* path, int descriptor, SticError* error, SticHdf5* file);
/// The same, to change anything; nobody can read meanwhile, and a kill may leave the file
/// unreadable.
SticStatus stic_hdf5_change(const char* path, int descriptor, SticError* error, SticHdf5* file);
/// Open a file that a process may be writing, or was writing when it was killed; `in_use` tells
/// whether the file carries a writer's mark.
SticStatus stic_hdf5_open_shared(const char* path, SticError* error, SticHdf5* file, bool* in_use);
/// The same for a file whose lock this process holds: its writer has ended.
SticStatus stic_hdf5_open_held(const char* path, SticError* error, SticHdf5* file, bool* in_use);
/// Give everything written so far to the system.
SticStatus stic_hdf5_flush(const SticHdf5* file);
/// After a failed write: the file stays as it is, and further writes are discarded.
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

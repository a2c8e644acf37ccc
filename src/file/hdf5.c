// SPDX-License-Identifier: Apache-2.0
// Small, checked reads and writes of HDF5 files.
#include "file/hdf5.h"

#ifdef STIC_HAVE_HDF5

#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file/lock.h"
#include "file/superblock.h"
#include "file/system.h"

enum {
    LONGEST_WORDS = 160,
    DEFLATE_MOST = 1032, // largest ratio of deflation
    GROWTH = 1 << 20,    // so many bytes are always accepted, in a file that grows while it is read
    LONGEST_TEXT = 1 << 26,
    LONGEST_NAME = 256
};

_Static_assert(sizeof(hid_t) <= sizeof(int64_t), "an HDF5 id fits");

/* ---- failures ---- */

// the innermost record of HDF5's error stack tells the cause; of a failed system call, only what
// the system says
static herr_t keep_first(unsigned n, const H5E_error2_t* record, void* words)
{
    static const char mark[] = "error message = '";
    if (n != 0 || record->desc == NULL)
        return 0;
    const char* system = strstr(record->desc, mark);
    if (system == NULL)
        snprintf(words, LONGEST_WORDS, "%s", record->desc);
    else
        snprintf(words, LONGEST_WORDS, "%.*s", (int)strcspn(system + strlen(mark), "'"),
                 system + strlen(mark));
    return 0;
}

SticStatus stic_hdf5_fail(const SticHdf5* file, SticStatus status, const char* name,
                          const char* format, ...)
{
    char text[320], words[LONGEST_WORDS] = "";
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, words);
    H5Eclear2(H5E_DEFAULT);
    return stic_error_set_at(file->error, status, file->path, 0, 0, "%s%s%s%s%s%s", name,
                             name[0] != '\0' ? " " : "", text, words[0] != '\0' ? " (HDF5: " : "",
                             words, words[0] != '\0' ? ")" : "");
}

/* ---- opening and closing ---- */

static void print_off(SticHdf5* file)
{
    H5E_auto2_t print = NULL;
    file->old_print_data = NULL;
    H5Eget_auto2(H5E_DEFAULT, &print, &file->old_print_data);
    file->old_print = (void (*)(void))print;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    H5Eclear2(H5E_DEFAULT);
}

static void print_back(const SticHdf5* file)
{
    H5Eclear2(H5E_DEFAULT);
    H5Eset_auto2(H5E_DEFAULT, (H5E_auto2_t)file->old_print, file->old_print_data);
}

// how a file is opened: the device, and the flags and properties of HDF5
typedef struct Opening {
    int descriptor;
    SticDeviceUse use;
    unsigned flags;    // of H5Fopen; H5F_ACC_TRUNC: H5Fcreate
    bool newest;       // format that files with one writer and many readers need
    unsigned attempts; // to read a part that a writer may be changing
} Opening;

// the cache of headers and indices keeps its size however long a file grows; HDF5's default lets it
// grow to 32 MB
static void bound_cache(hid_t plan)
{
    enum { CACHE = 1 << 17 };
    H5AC_cache_config_t config = {.version = H5AC__CURR_CACHE_CONFIG_VERSION};
    if (H5Pget_mdc_config(plan, &config) < 0)
        return;
    config.set_initial_size = true;
    config.initial_size = config.max_size = CACHE;
    config.min_size = CACHE / 2;
    config.incr_mode = H5C_incr__off;
    config.flash_incr_mode = H5C_flash_incr__off;
    config.decr_mode = H5C_decr__off;
    H5Pset_mdc_config(plan, &config);
}

static hid_t access_of(SticDevice* device, const Opening* how)
{
    const hid_t plan = stic_device_access(device);
    if (plan < 0)
        return plan;
    if (how->newest) {
        H5Pset_libver_bounds(plan, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
        // A writer that is killed leaves a write torn where it crosses a page of memory, and a
        // header with a wrong checksum loses its data set: parts of up to 512 bytes must not cross
        // one.
        H5Pset_alignment(plan, 1, 512);
    }
    H5Pset_metadata_read_attempts(plan, how->attempts);
    if (how->use == STIC_DEVICE_WRITE)
        bound_cache(plan);
    return plan;
}

static hid_t create_file(const char* path, bool grows, hid_t access)
{
    // no times in the file: the same data give the same bytes
    const hid_t plan = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_obj_track_times(plan, 0);
    if (grows)
        H5Pset_file_space_strategy(plan, H5F_FSPACE_STRATEGY_AGGR, false, (hsize_t)1);
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, plan, access);
    H5Pclose(plan);
    return file;
}

// open or create; on failure nothing stays open
static SticStatus open_device(SticHdf5* file, const Opening* how)
{
    const bool creates = (how->flags & H5F_ACC_TRUNC) != 0;
    const SticStatus status = stic_device_create(how->descriptor, how->use, &file->device);
    if (status != STIC_OK) {
        close(how->descriptor);
        return stic_error_set_at(file->error, status, file->path, 0, 0, "no memory to open it");
    }
    print_off(file);
    const hid_t access = access_of(file->device, how);
    if (access >= 0)
        file->file = creates ? create_file(file->path, how->newest, access)
                             : H5Fopen(file->path, how->flags, access);
    // the reason is gone after the next call
    const SticStatus failed =
        file->file >= 0 ? STIC_OK
        : creates       ? stic_hdf5_fail(file, STIC_IO_FAILED, "", "cannot be created")
                        : stic_hdf5_fail(file, STIC_BAD_FILE, "", "cannot be read as HDF5");
    if (access >= 0)
        H5Pclose(access);
    if (failed == STIC_OK)
        return STIC_OK;
    print_back(file);
    // HDF5 holds nothing of a file that it did not open
    stic_device_destroy(file->device, true);
    file->device = NULL;
    return failed;
}

// a plain file for reading, and its size
static SticStatus open_plain(const char* path, SticError* error, uint64_t* bytes, int* descriptor)
{
    struct stat entry;
    // a pipe must not be waited for
    *descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (*descriptor < 0)
        return stic_file_system_fail(error, path, errno, "cannot be opened");
    if (fstat(*descriptor, &entry) == 0 && S_ISREG(entry.st_mode)) {
        *bytes = (uint64_t)entry.st_size;
        return STIC_OK;
    }
    close(*descriptor);
    return stic_error_set_at(error, STIC_IO_FAILED, path, 0, 0, "is not a plain file");
}

SticStatus stic_hdf5_open(const char* path, SticError* error, SticHdf5* file)
{
    Opening how = {.use = STIC_DEVICE_READ, .flags = H5F_ACC_RDONLY, .attempts = 1};
    *file = (SticHdf5){.file = -1, .path = path, .error = error};
    STIC_TRY(open_plain(path, error, &file->bytes, &how.descriptor));
    return open_device(file, &how);
}

SticStatus stic_hdf5_create(const char* path, SticError* error, SticHdf5* file)
{
    const Opening how = {.descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, (mode_t)0666),
                         .use = STIC_DEVICE_WRITE,
                         .flags = H5F_ACC_TRUNC,
                         .attempts = 1};
    *file = (SticHdf5){.file = -1, .path = path, .error = error};
    if (how.descriptor < 0)
        return stic_file_system_fail(error, path, errno, "cannot be created");
    return open_device(file, &how);
}

// what the system said of the first write that failed
static SticStatus check_device(const SticHdf5* file)
{
    const int reason = stic_device_failed(file->device);
    if (reason == 0)
        return STIC_OK;
    return stic_file_system_fail(file->error, file->path, reason, "cannot be written");
}

SticStatus stic_hdf5_flush(const SticHdf5* file)
{
    const bool done = H5Fflush(file->file, H5F_SCOPE_GLOBAL) >= 0;
    STIC_TRY(check_device(file));
    return done ? STIC_OK : stic_hdf5_fail(file, STIC_IO_FAILED, "", "cannot be written");
}

SticStatus stic_hdf5_close(SticHdf5* file)
{
    if (file->file < 0)
        return STIC_OK;
    const bool closed = H5Fclose(file->file) >= 0;
    SticStatus status = check_device(file);
    if (status == STIC_OK && !closed)
        status = stic_hdf5_fail(file, STIC_IO_FAILED, "", "cannot be closed");
    print_back(file);
    stic_device_destroy(file->device, closed);
    file->device = NULL;
    file->file = -1;
    return status;
}

void stic_hdf5_divert(const SticHdf5* open)
{
    if (open->device != NULL)
        stic_device_abandon(open->device);
}

void stic_hdf5_abandon(SticHdf5* file)
{
    if (file->file < 0)
        return;
    stic_device_abandon(file->device);
    file->error = NULL;
    (void)stic_hdf5_close(file);
}

/* ---- files that grow ---- */

SticStatus stic_hdf5_create_growing(const char* path, int descriptor, SticError* error,
                                    SticHdf5* file)
{
    *file = (SticHdf5){.file = -1, .path = path, .error = error};
    return open_device(file, &(Opening){.descriptor = descriptor,
                                        .use = STIC_DEVICE_WRITE,
                                        .flags = H5F_ACC_TRUNC,
                                        .newest = true,
                                        .attempts = 1});
}

// The one writer finds every part whole, or the file is damaged: it never waits. (HDF5's default
// for the writer of a shared file is 100 attempts, each twice as far apart: forever.)
static SticStatus open_writing(SticHdf5* file, int descriptor, unsigned flags)
{
    struct stat entry;
    if (fstat(descriptor, &entry) == 0)
        file->bytes = (uint64_t)entry.st_size;
    return open_device(file, &(Opening){.descriptor = descriptor,
                                        .use = STIC_DEVICE_WRITE,
                                        .flags = flags,
                                        .newest = true,
                                        .attempts = 1});
}

SticStatus stic_hdf5_grow(const char* path, int descriptor, SticError* error, SticHdf5* file)
{
    *file = (SticHdf5){.file = -1, .path = path, .error = error};
    return open_writing(file, descriptor, H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE);
}

SticStatus stic_hdf5_change(const char* path, int descriptor, SticError* error, SticHdf5* file)
{
    *file = (SticHdf5){.file = -1, .path = path, .error = error};
    return open_writing(file, descriptor, H5F_ACC_RDWR);
}

static SticStatus open_marked(const char* path, SticMarks marks, SticError* error, SticHdf5* file)
{
    const SticLock writer = marks == STIC_MARKS_NONE ? STIC_LOCK_FREE : stic_lock_ask(path);
    Opening how = {.use = STIC_DEVICE_READ, .flags = H5F_ACC_RDONLY, .attempts = 1};
    *file = (SticHdf5){.file = -1, .path = path, .error = error};
    if (marks == STIC_MARKS_CHANGE && writer != STIC_LOCK_FREE)
        return stic_error_set_at(error, STIC_IO_FAILED, path, 0, 0,
                                 "is being changed by another process; try again when it is done");
    STIC_TRY(open_plain(path, error, &file->bytes, &how.descriptor));
    if (marks != STIC_MARKS_NONE && writer == STIC_LOCK_FREE) {
        how.use = STIC_DEVICE_SETTLED;
    } else if (marks != STIC_MARKS_NONE) {
        // Readers wait for a writer to finish a part, twice as long with every attempt from 1 ns
        // on; 26 are 0.07 s.
        how.attempts = 26;
        how.newest = true;
        how.flags |= H5F_ACC_SWMR_READ;
    }
    return open_device(file, &how);
}

SticStatus stic_hdf5_open_held(const char* path, SticError* error, SticHdf5* file, bool* in_use)
{
    Opening how = {.use = STIC_DEVICE_SETTLED, .flags = H5F_ACC_RDONLY, .attempts = 1};
    *file = (SticHdf5){.file = -1, .path = path, .error = error};
    *in_use = stic_superblock_look(path) != STIC_MARKS_NONE;
    STIC_TRY(open_plain(path, error, &file->bytes, &how.descriptor));
    return open_device(file, &how);
}

SticStatus stic_hdf5_open_shared(const char* path, SticError* error, SticHdf5* file, bool* in_use)
{
    // A writer may come or go between the look and the opening, or come and go: what looks the same
    // before and after is believed only when it has failed three times in a row.
    enum { MOST_TRIES = 10, SURE = 3 };
    SticStatus status = STIC_OK;
    SticMarks before = STIC_MARKS_NONE;
    int tries = 0, same = 0;
    do {
        before = stic_superblock_look(path);
        status = open_marked(path, before, error, file);
        same = stic_superblock_look(path) == before ? same + 1 : 0;
    } while (status == STIC_BAD_FILE && same < SURE && ++tries < MOST_TRIES);
    *in_use = before != STIC_MARKS_NONE;
    return status;
}

/* ---- looking ---- */

// one part of a path: it must be present, and must not lead out of this file
static bool has_link(const SticHdf5* file, const char* name)
{
    if (H5Lexists(file->file, name, H5P_DEFAULT) <= 0)
        return false;
    H5L_info_t info;
    if (H5Lget_info(file->file, name, &info, H5P_DEFAULT) < 0)
        return false;
    return info.type == H5L_TYPE_HARD || info.type == H5L_TYPE_SOFT;
}

bool stic_hdf5_has(const SticHdf5* file, const char* name)
{
    char part[LONGEST_NAME];
    const size_t length = strlen(name);
    bool found = length < sizeof part;
    // HDF5 wants every part of the path to exist before it answers
    for (size_t i = 1; found && i <= length; ++i) {
        if (name[i] != '/' && name[i] != '\0')
            continue;
        memcpy(part, name, i);
        part[i] = '\0';
        found = has_link(file, part);
    }
    if (found)
        found = H5Oexists_by_name(file->file, name, H5P_DEFAULT) > 0;
    H5Eclear2(H5E_DEFAULT);
    return found;
}

SticStatus stic_hdf5_check_storage(const SticHdf5* file, const char* name, int64_t set,
                                   bool growing)
{
    const hid_t plan = H5Dget_create_plist(set), type = H5Dget_type(set), space = H5Dget_space(set);
    const bool outside =
        plan < 0 || H5Pget_layout(plan) == H5D_VIRTUAL || H5Pget_external_count(plan) != 0;
    const bool filtered = plan >= 0 && H5Pget_nfilters(plan) > 0;
    const size_t size = type < 0 ? 0 : H5Tget_size(type);
    const hssize_t count = space < 0 ? -1 : H5Sget_simple_extent_npoints(space);
    if (plan >= 0)
        H5Pclose(plan);
    if (type >= 0)
        H5Tclose(type);
    if (space >= 0)
        H5Sclose(space);
    if (outside)
        return stic_hdf5_fail(file, STIC_BAD_FILE, name, "keeps its data in another file");
    // compressed data may be larger than the file
    const uint64_t most = file->bytes * (filtered || growing ? DEFLATE_MOST : 1);
    if (size == 0 || count < 0 || (uint64_t)count > (most + (growing ? GROWTH : 0)) / size)
        return stic_hdf5_fail(file, STIC_BAD_FILE, name,
                              "declares %lld values, more than the file can hold",
                              (long long)count);
    return STIC_OK;
}

// open a data set and find its length and class; `set` is open only on success
static SticStatus open_set(const SticHdf5* file, const char* name, hid_t* set, size_t* count,
                           H5T_class_t* kind)
{
    *set = -1;
    if (!stic_hdf5_has(file, name))
        return stic_hdf5_fail(file, STIC_BAD_FILE, name, "is missing");
    const hid_t opened = H5Dopen2(file->file, name, H5P_DEFAULT);
    if (opened < 0)
        return stic_hdf5_fail(file, STIC_BAD_FILE, name, "is not a data set that can be read");
    const hid_t space = H5Dget_space(opened);
    const hid_t type = H5Dget_type(opened);
    SticStatus status = STIC_OK;
    if (space < 0 || type < 0 || H5Sget_simple_extent_ndims(space) > 1)
        status = stic_hdf5_fail(file, STIC_BAD_FILE, name, "has more than one dimension");
    if (status == STIC_OK) {
        const hssize_t points = H5Sget_simple_extent_npoints(space);
        status = stic_hdf5_check_storage(file, name, opened, false);
        *count = status == STIC_OK ? (size_t)points : 0;
        *kind = H5Tget_class(type);
    }
    if (type >= 0)
        H5Tclose(type);
    if (space >= 0)
        H5Sclose(space);
    if (status == STIC_OK)
        *set = opened;
    else
        H5Dclose(opened);
    return status;
}

SticStatus stic_hdf5_length(const SticHdf5* file, const char* name, size_t* count)
{
    hid_t set = -1;
    H5T_class_t kind = H5T_NO_CLASS;
    *count = 0;
    STIC_TRY(open_set(file, name, &set, count, &kind));
    H5Dclose(set);
    return STIC_OK;
}

/* ---- reading ---- */

static SticStatus read_set(const SticHdf5* file, const char* name, hid_t memory_type, size_t count,
                           void* values)
{
    hid_t set = -1;
    size_t length = 0;
    H5T_class_t kind = H5T_NO_CLASS;
    STIC_TRY(open_set(file, name, &set, &length, &kind));
    SticStatus status = STIC_OK;
    const bool whole = H5Tget_class(memory_type) == H5T_INTEGER;
    if (kind != H5T_INTEGER && (whole || kind != H5T_FLOAT))
        status = stic_hdf5_fail(file, STIC_BAD_FILE, name, "does not hold %s",
                                whole ? "whole numbers" : "numbers");
    else if (length != count)
        status = stic_hdf5_fail(file, STIC_BAD_FILE, name, "has %zu values instead of %zu", length,
                                count);
    else if (count > 0 && H5Dread(set, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
        status = stic_hdf5_fail(file, STIC_BAD_FILE, name, "cannot be read");
    H5Dclose(set);
    return status;
}

SticStatus stic_hdf5_read_integer(const SticHdf5* file, const char* name, int32_t low, int32_t high,
                                  int32_t* value)
{
    *value = 0;
    STIC_TRY(read_set(file, name, H5T_NATIVE_INT32, 1, value));
    if (*value < low || *value > high)
        return stic_hdf5_fail(file, STIC_BAD_FILE, name, "is %d, outside %d to %d", (int)*value,
                              (int)low, (int)high);
    return STIC_OK;
}

SticStatus stic_hdf5_read_integers(const SticHdf5* file, const char* name, size_t count,
                                   int32_t* values)
{
    return read_set(file, name, H5T_NATIVE_INT32, count, values);
}

SticStatus stic_hdf5_read_reals(const SticHdf5* file, const char* name, size_t count,
                                double* values)
{
    STIC_TRY(read_set(file, name, H5T_NATIVE_DOUBLE, count, values));
    for (size_t i = 0; i < count; ++i)
        if (!isfinite(values[i]))
            return stic_hdf5_fail(file, STIC_NOT_FINITE, name, "is not finite at index %zu", i);
    return STIC_OK;
}

// text of variable length is HDF5's own memory
static SticStatus read_variable(const SticHdf5* file, const char* name, hid_t set, SticArena* arena,
                                char** text)
{
    char* words = NULL;
    const hid_t type = H5Dget_type(set);
    const hid_t space = H5Dget_space(set);
    SticStatus status = STIC_OK;
    if (type < 0 || space < 0 || H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &words) < 0)
        status = stic_hdf5_fail(file, STIC_BAD_FILE, name, "cannot be read");
    if (status == STIC_OK && words != NULL) {
        const size_t length = strlen(words);
        status = STIC_TAKE(arena, text, length + 1);
        if (status == STIC_OK)
            memcpy(*text, words, length + 1);
        H5Dvlen_reclaim(type, space, H5P_DEFAULT, &words);
    }
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    return status;
}

static SticStatus read_fixed(const SticHdf5* file, const char* name, hid_t set, SticArena* arena,
                             char** text)
{
    const hid_t type = H5Dget_type(set);
    const size_t size = type < 0 ? 0 : H5Tget_size(type);
    SticStatus status = STIC_OK;
    if (size == 0 || size > LONGEST_TEXT)
        status = stic_hdf5_fail(file, STIC_BAD_FILE, name, "is a text of %zu bytes", size);
    else
        status = STIC_TAKE(arena, text, size + 1);
    if (status == STIC_OK) {
        memset(*text, 0, size + 1);
        if (H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *text) < 0)
            status = stic_hdf5_fail(file, STIC_BAD_FILE, name, "cannot be read");
    }
    if (type >= 0)
        H5Tclose(type);
    return status;
}

SticStatus stic_hdf5_read_text(const SticHdf5* file, const char* name, SticArena* arena,
                               const char** text)
{
    *text = NULL;
    hid_t set = -1;
    size_t count = 0;
    H5T_class_t kind = H5T_NO_CLASS;
    STIC_TRY(open_set(file, name, &set, &count, &kind));
    const hid_t type = H5Dget_type(set);
    const bool variable = type >= 0 && H5Tis_variable_str(type) > 0;
    if (type >= 0)
        H5Tclose(type);
    char* read = NULL;
    SticStatus status = STIC_OK;
    if (kind != H5T_STRING || count > 1)
        status = stic_hdf5_fail(file, STIC_BAD_FILE, name, "is not a text");
    else if (count == 1)
        status = variable ? read_variable(file, name, set, arena, &read)
                          : read_fixed(file, name, set, arena, &read);
    H5Dclose(set);
    if (status == STIC_OK && read != NULL && read[0] != '\0')
        *text = read;
    return status;
}

/* ---- writing ---- */

SticStatus stic_hdf5_make_group(const SticHdf5* file, const char* name)
{
    const hid_t plan = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_obj_track_times(plan, 0);
    const hid_t group = H5Gcreate2(file->file, name, H5P_DEFAULT, plan, H5P_DEFAULT);
    H5Pclose(plan);
    if (group < 0)
        return stic_hdf5_fail(file, STIC_IO_FAILED, name, "cannot be made");
    H5Gclose(group);
    return STIC_OK;
}

// what is written: types in the file and in memory, length (-1: a single value without dimension)
typedef struct Shape {
    hid_t file_type, memory_type;
    int64_t count;
} Shape;

static SticStatus write_set(const SticHdf5* file, const char* name, Shape shape, const void* values)
{
    const hsize_t size = shape.count < 0 ? 1 : (hsize_t)shape.count;
    const hid_t space = shape.count < 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &size, NULL);
    const hid_t plan = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(plan, 0);
    const hid_t set =
        H5Dcreate2(file->file, name, shape.file_type, space, H5P_DEFAULT, plan, H5P_DEFAULT);
    const bool failed = set < 0 || (size > 0 && H5Dwrite(set, shape.memory_type, H5S_ALL, H5S_ALL,
                                                         H5P_DEFAULT, values) < 0);
    if (set >= 0)
        H5Dclose(set);
    H5Pclose(plan);
    H5Sclose(space);
    return failed ? stic_hdf5_fail(file, STIC_IO_FAILED, name, "cannot be written") : STIC_OK;
}

SticStatus stic_hdf5_write_integers(const SticHdf5* file, const char* name, size_t count,
                                    const int32_t* values)
{
    const Shape shape = {H5T_STD_I32LE, H5T_NATIVE_INT32, (int64_t)count};
    return write_set(file, name, shape, values);
}

SticStatus stic_hdf5_write_reals(const SticHdf5* file, const char* name, size_t count,
                                 const double* values)
{
    const Shape shape = {H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, (int64_t)count};
    return write_set(file, name, shape, values);
}

SticStatus stic_hdf5_write_text(const SticHdf5* file, const char* name, const char* text)
{
    if (text == NULL)
        return STIC_OK;
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, strlen(text) + 1);
    const SticStatus status = write_set(file, name, (Shape){type, type, -1}, text);
    H5Tclose(type);
    return status;
}

#else

/// Keeps the file from being empty where HDF5 is left out.
typedef int SticHdf5Absent;

#endif

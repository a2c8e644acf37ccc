// SPDX-License-Identifier: Apache-2.0
// How HDF5 reaches a file: through a descriptor of ours, and without ever seeing a write fail.
//
// A driver of HDF5's virtual file layer. It does what HDF5's own POSIX driver does, with the same
// layout of files, and differs in four points: it opens nothing by name, so that a lock on the
// descriptor covers all that happens; it takes no flock(2); it hides the marks of a writer that was
// killed; and after a failed write it keeps writes in memory (see the header).
#include "file/device.h"

#ifdef STIC_HAVE_HDF5

#include <errno.h>
#include <hdf5.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file/superblock.h"

// bytes that were to be written after the failure
typedef struct Late {
    haddr_t at;
    size_t size, bytes; // bytes: of this allocation
    struct Late* next;
    unsigned char data[];
} Late;

struct SticDevice {
    H5FD_t file;  // HDF5's part, first
    hid_t driver; // held until the file is closed, see stic_device_access
    SticContext context;
    int descriptor;
    SticDeviceUse use;
    int reason;     // errno of the first failure
    bool abandoned; // writes go to `late`
    haddr_t end_allocated, end_file;
    Late *late, **last;
};

// HDF5 hands out what it was given
static SticDevice* device_of(H5FD_t* file)
{
    return (SticDevice*)file;
}

static const SticDevice* const_device_of(const H5FD_t* file)
{
    return (const SticDevice*)file;
}

/* ---- bytes ---- */

// read what there is; 0 behind the end
static bool read_bytes(int descriptor, haddr_t at, size_t size, unsigned char* to)
{
    while (size > 0) {
        const ssize_t count = pread(descriptor, to, size, (off_t)at);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return false;
        if (count == 0)
            break;
        to += count;
        at += (haddr_t)count;
        size -= (size_t)count;
    }
    memset(to, 0, size);
    return true;
}

static bool write_bytes(int descriptor, haddr_t at, size_t size, const unsigned char* from)
{
    while (size > 0) {
        const ssize_t count = pwrite(descriptor, from, size, (off_t)at);
        if (count < 0 && errno == EINTR)
            continue;
        if (count == 0)
            errno = ENOSPC;
        if (count <= 0)
            return false;
        from += count;
        at += (haddr_t)count;
        size -= (size_t)count;
    }
    return true;
}

static bool truncate_bytes(int descriptor, haddr_t size)
{
    int result = 0;
    while ((result = ftruncate(descriptor, (off_t)size)) != 0 && errno == EINTR)
        ;
    return result == 0;
}

static void fail(SticDevice* device, int reason)
{
    if (device->reason == 0)
        device->reason = reason;
    device->abandoned = true;
}

// the part of [at, at + size) that a list of late writes covers
static void read_late(const SticDevice* device, haddr_t at, size_t size, unsigned char* to)
{
    for (const Late* late = device->late; late != NULL; late = late->next) {
        const haddr_t begin = late->at > at ? late->at : at;
        const haddr_t late_end = late->at + late->size, own_end = at + size;
        const haddr_t end = late_end < own_end ? late_end : own_end;
        if (begin < end)
            memcpy(to + (begin - at), late->data + (begin - late->at), (size_t)(end - begin));
    }
}

static bool keep_late(SticDevice* device, haddr_t at, size_t size, const void* from)
{
    void* memory = NULL;
    const size_t bytes = sizeof(Late) + size;
    if (stic_allocate(&device->context, bytes, &memory) != STIC_OK)
        return false;
    Late* late = memory;
    *late = (Late){.at = at, .size = size, .bytes = bytes};
    memcpy(late->data, from, size);
    *device->last = late;
    device->last = &late->next;
    return true;
}

/* ---- the driver ---- */

static H5FD_t* open_file(const char* name, unsigned flags, hid_t access, haddr_t most)
{
    (void)name, (void)most;
    // the property holds the address of the device
    SticDevice* const* held = H5Pget_driver_info(access);
    SticDevice* device = held == NULL ? NULL : *held;
    struct stat facts;
    if (device == NULL || ((flags & H5F_ACC_RDWR) != 0 && device->use != STIC_DEVICE_WRITE))
        return NULL;
    if ((flags & H5F_ACC_TRUNC) != 0 && !truncate_bytes(device->descriptor, 0))
        fail(device, errno);
    if (fstat(device->descriptor, &facts) != 0)
        return NULL;
    device->end_file = (haddr_t)facts.st_size;
    device->end_allocated = 0;
    return &device->file;
}

static herr_t close_file(H5FD_t* file)
{
    (void)file;
    return 0;
}

static int compare(const H5FD_t* a, const H5FD_t* b)
{
    return a < b ? -1 : a > b;
}

static herr_t query(const H5FD_t* file, unsigned long* flags)
{
    (void)file;
    // those of the POSIX driver, so that files are laid out alike
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_SUPPORTS_SWMR_IO |
             H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    return 0;
}

static haddr_t get_eoa(const H5FD_t* file, H5FD_mem_t type)
{
    (void)type;
    return const_device_of(file)->end_allocated;
}

static herr_t set_eoa(H5FD_t* file, H5FD_mem_t type, haddr_t end)
{
    (void)type;
    device_of(file)->end_allocated = end;
    return 0;
}

static haddr_t get_eof(const H5FD_t* file, H5FD_mem_t type)
{
    (void)type;
    return const_device_of(file)->end_file;
}

// the first bytes, without the marks of a writer that has ended
static void settle(const SticDevice* device, haddr_t at, size_t size, unsigned char* to)
{
    unsigned char block[STIC_SUPERBLOCK];
    if (at >= STIC_SUPERBLOCK || !read_bytes(device->descriptor, 0, sizeof block, block))
        return;
    stic_superblock_settle(block, device->end_file);
    const size_t count = at + size < STIC_SUPERBLOCK ? size : STIC_SUPERBLOCK - (size_t)at;
    memcpy(to, block + at, count);
}

static herr_t read_file(H5FD_t* file, H5FD_mem_t type, hid_t plan, haddr_t at, size_t size,
                        void* to)
{
    (void)type, (void)plan;
    SticDevice* device = device_of(file);
    if (at > INT64_MAX - size || !read_bytes(device->descriptor, at, size, to))
        return -1;
    if (device->use != STIC_DEVICE_READ)
        settle(device, at, size, to);
    read_late(device, at, size, to);
    return 0;
}

static herr_t write_file(H5FD_t* file, H5FD_mem_t type, hid_t plan, haddr_t at, size_t size,
                         const void* from)
{
    (void)type, (void)plan;
    SticDevice* device = device_of(file);
    if (!device->abandoned && !write_bytes(device->descriptor, at, size, from))
        fail(device, errno);
    // without memory the write is lost, but nobody will read it
    if (device->abandoned)
        (void)keep_late(device, at, size, from);
    if (at + size > device->end_file)
        device->end_file = at + size;
    return 0;
}

static herr_t truncate_file(H5FD_t* file, hid_t plan, hbool_t closing)
{
    (void)plan, (void)closing;
    SticDevice* device = device_of(file);
    if (device->end_allocated == device->end_file)
        return 0;
    if (!device->abandoned && !truncate_bytes(device->descriptor, device->end_allocated))
        fail(device, errno);
    device->end_file = device->end_allocated;
    return 0;
}

static herr_t no_lock(H5FD_t* file, hbool_t writes)
{
    (void)file, (void)writes;
    return 0;
}

static herr_t no_unlock(H5FD_t* file)
{
    (void)file;
    return 0;
}

static const H5FD_class_t driver = {
    .name = "stiction",
    .maxaddr = (haddr_t)INT64_MAX,
    .fc_degree = H5F_CLOSE_STRONG,
    .fapl_size = sizeof(SticDevice*),
    .open = open_file,
    .close = close_file,
    .cmp = compare,
    .query = query,
    .get_eoa = get_eoa,
    .set_eoa = set_eoa,
    .get_eof = get_eof,
    .read = read_file,
    .write = write_file,
    .truncate = truncate_file,
    .lock = no_lock,
    .unlock = no_unlock,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

/* ---- devices ---- */

SticStatus stic_device_create(int descriptor, SticDeviceUse use, SticDevice** device)
{
    const SticContext context = stic_context_default();
    SticDevice* made = NULL;
    *device = NULL;
    STIC_TRY(STIC_ALLOCATE(&context, &made, 1));
    made->context = context;
    made->driver = H5I_INVALID_HID;
    made->descriptor = descriptor;
    made->use = use;
    made->last = &made->late;
    *device = made;
    return STIC_OK;
}

int64_t stic_device_access(SticDevice* device)
{
    const hid_t plan = H5Pcreate(H5P_FILE_ACCESS);
    // HDF5 gives its own reference to a driver back before it calls the driver's close: without
    // ours it would read what it has just freed
    if (device->driver == H5I_INVALID_HID)
        device->driver = H5FDregister(&driver);
    bool done =
        plan >= 0 && device->driver >= 0 && H5Pset_driver(plan, device->driver, &device) >= 0;
    done = done && H5Pset_fclose_degree(plan, H5F_CLOSE_STRONG) >= 0;
    if (!done && plan >= 0)
        H5Pclose(plan);
    return done ? plan : -1;
}

int stic_device_failed(const SticDevice* device)
{
    return device->reason;
}

void stic_device_abandon(SticDevice* device)
{
    device->abandoned = true;
}

void stic_device_destroy(SticDevice* device, bool closed)
{
    if (device == NULL)
        return;
    // at the end of the program HDF5 may come back to what it could not close
    if (!closed) {
        device->abandoned = true;
        return;
    }
    const SticContext context = device->context;
    while (device->late != NULL) {
        Late* late = device->late;
        device->late = late->next;
        stic_release(&context, late, late->bytes);
    }
    if (device->driver >= 0)
        H5FDunregister(device->driver);
    close(device->descriptor);
    STIC_RELEASE(&context, device, 1);
}

#else

/// Keeps the file from being empty where HDF5 is left out.
typedef int SticDeviceAbsent;

#endif

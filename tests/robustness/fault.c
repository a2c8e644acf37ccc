// SPDX-License-Identifier: Apache-2.0
// Loaded before the C library (LD_PRELOAD) to make one call of a program fail or kill it.
//
//     FAULT_CALL  write pwrite ftruncate fsync rename open fflush malloc hdf5
//     FAULT_AT    which of these calls, from 1 on
//     FAULT_HOW   ENOSPC or EIO (this call), FULL (ENOSPC for this and all later ones), EINTR (this
//                 call; the next one works), SHORT (half of the bytes), KILL (SIGKILL before it)
//     FAULT_LOG   file for the number of calls of each kind, one "name count" per line
//
// Calls that the C library makes for itself (stdio) are not seen, but fflush is. `malloc` are
// the allocations of the program and of Lua; those of HDF5 and of the C library, which mostly makes
// them for HDF5, are counted as `hdf5`.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

enum { WRITE, PWRITE, TRUNCATE, SYNC, RENAME, OPEN, FLUSH, MALLOC, HDF5, KINDS };
enum { NOTHING, SPACE, IO, FULL, AGAIN, HALF, KILL };

static const char* const names[KINDS] = {"write", "pwrite", "ftruncate", "fsync", "rename",
                                         "open",  "fflush", "malloc",    "hdf5"};
static atomic_long calls[KINDS];
static int chosen = -1, how = NOTHING;
static long at = -1;
static bool armed, asks; // asks: allocations count

__attribute__((constructor)) static void begin(void)
{
    static const char* const ways[] = {"", "ENOSPC", "EIO", "FULL", "EINTR", "SHORT", "KILL"};
    const char *call = getenv("FAULT_CALL"), *when = getenv("FAULT_AT"), *way = getenv("FAULT_HOW");
    for (int i = 0; call != NULL && i < KINDS; ++i)
        if (strcmp(call, names[i]) == 0)
            chosen = i;
    for (int i = 1; way != NULL && i <= KILL; ++i)
        if (strcmp(way, ways[i]) == 0)
            how = i;
    at = when == NULL ? -1 : atol(when);
    asks = chosen == MALLOC || chosen == HDF5 || getenv("FAULT_LOG") != NULL;
    armed = true;
}

__attribute__((destructor)) static void end(void)
{
    const char* path = getenv("FAULT_LOG");
    armed = false;
    FILE* file = path == NULL ? NULL : fopen(path, "w");
    for (int i = 0; file != NULL && i < KINDS; ++i)
        fprintf(file, "%s %ld\n", names[i], atomic_load(&calls[i]));
    if (file != NULL)
        fclose(file);
}

// what is to happen to this call; errno is set where it is to fail
static int fate(int kind)
{
    if (!armed)
        return NOTHING;
    const long number = atomic_fetch_add(&calls[kind], 1) + 1;
    const bool hit = kind == chosen && (number == at || (how == FULL && number > at));
    if (!hit)
        return NOTHING;
    if (how == KILL)
        kill(getpid(), SIGKILL);
    errno = how == IO ? EIO : how == AGAIN ? EINTR : ENOSPC;
    return how;
}

static void* real(const char* name)
{
    return dlsym(RTLD_NEXT, name);
}

ssize_t write(int file, const void* bytes, size_t count)
{
    // messages must be seen
    const int what = file <= 2 ? NOTHING : fate(WRITE);
    if (what != NOTHING && what != HALF)
        return -1;
    return syscall(SYS_write, file, bytes, what == HALF && count > 1 ? count / 2 : count);
}

ssize_t pwrite(int file, const void* bytes, size_t count, off_t where)
{
    const int what = fate(PWRITE);
    if (what != NOTHING && what != HALF)
        return -1;
    return syscall(SYS_pwrite64, file, bytes, what == HALF && count > 1 ? count / 2 : count, where);
}

ssize_t pwrite64(int file, const void* bytes, size_t count, off_t where)
{
    return pwrite(file, bytes, count, where);
}

int ftruncate(int file, off_t size)
{
    return fate(TRUNCATE) != NOTHING ? -1 : (int)syscall(SYS_ftruncate, file, size);
}

int ftruncate64(int file, off_t size)
{
    return ftruncate(file, size);
}

int fsync(int file)
{
    return fate(SYNC) != NOTHING ? -1 : (int)syscall(SYS_fsync, file);
}

int rename(const char* from, const char* to)
{
    return fate(RENAME) != NOTHING ? -1 : (int)syscall(SYS_rename, from, to);
}

int renameat2(int a, const char* from, int b, const char* to, unsigned flags)
{
    return fate(RENAME) != NOTHING ? -1 : (int)syscall(SYS_renameat2, a, from, b, to, flags);
}

int open(const char* path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(list, mode_t) : 0;
    va_end(list);
    return fate(OPEN) != NOTHING ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open64(const char* path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(list, mode_t) : 0;
    va_end(list);
    return open(path, flags, mode);
}

FILE* fopen(const char* path, const char* mode)
{
    FILE* (*open_stream)(const char*, const char*) = real("fopen");
    return fate(OPEN) != NOTHING ? NULL : open_stream(path, mode);
}

int fflush(FILE* file)
{
    int (*flush)(FILE*) = real("fflush");
    const bool message = file == NULL || file == stdout || file == stderr;
    return !message && fate(FLUSH) != NOTHING ? EOF : flush(file);
}

/* ---- memory ---- */

extern void* __libc_malloc(size_t size);
extern void* __libc_calloc(size_t count, size_t size);
extern void* __libc_realloc(void* old, size_t size);
extern void* __libc_memalign(size_t alignment, size_t size);

static bool no_memory(const void* caller)
{
    Dl_info library;
    // to find the caller takes longer than to allocate
    if (!armed || !asks)
        return false;
    const bool hdf5 = dladdr(caller, &library) != 0 && library.dli_fname != NULL &&
                      (strstr(library.dli_fname, "libhdf5") != NULL ||
                       strstr(library.dli_fname, "libc.so") != NULL);
    if (fate(hdf5 ? HDF5 : MALLOC) == NOTHING)
        return false;
    errno = ENOMEM;
    return true;
}

void* malloc(size_t size)
{
    return no_memory(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void* calloc(size_t count, size_t size)
{
    return no_memory(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

void* realloc(void* old, size_t size)
{
    return no_memory(__builtin_return_address(0)) ? NULL : __libc_realloc(old, size);
}

void* aligned_alloc(size_t alignment, size_t size)
{
    return no_memory(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, size);
}

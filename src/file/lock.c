// SPDX-License-Identifier: Apache-2.0
// One writer of a file at a time, and a way to tell a running writer from one that was killed.
//
// Locks of open file descriptions (fcntl(2), F_OFD_SETLK) on one byte far beyond any data. Record
// locks of a process would be given back whenever the process closes any descriptor of the file,
// and flock(2) is what HDF5 uses for itself.
#define _GNU_SOURCE // F_OFD_SETLK
#include "file/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file/system.h"

enum { TRIES = 100 };

static struct flock byte_lock(void)
{
    struct flock lock = {0};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = (off_t)1 << 60;
    lock.l_len = 1;
    return lock;
}

SticLock stic_lock_try(int descriptor)
{
    struct flock lock = byte_lock();
    if (fcntl(descriptor, F_OFD_SETLK, &lock) == 0)
        return STIC_LOCK_FREE;
    return errno == EACCES || errno == EAGAIN ? STIC_LOCK_BUSY : STIC_LOCK_UNKNOWN;
}

SticLock stic_lock_ask(const char* path)
{
    struct flock lock = byte_lock();
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        return STIC_LOCK_UNKNOWN;
    const bool known = fcntl(descriptor, F_OFD_GETLK, &lock) == 0;
    close(descriptor);
    if (!known)
        return STIC_LOCK_UNKNOWN;
    return lock.l_type == F_UNLCK ? STIC_LOCK_FREE : STIC_LOCK_BUSY;
}

bool stic_lock_is_named(int descriptor, const char* path)
{
    struct stat mine, named;
    return fstat(descriptor, &mine) == 0 && stat(path, &named) == 0 &&
           mine.st_dev == named.st_dev && mine.st_ino == named.st_ino;
}

SticStatus stic_lock_take(const char* path, int* descriptor, SticError* error)
{
    for (int i = 0; i < TRIES; ++i) {
        *descriptor = open(path, O_RDWR | O_CLOEXEC);
        if (*descriptor < 0)
            return stic_file_system_fail(error, path, errno, "cannot be opened for writing");
        const SticLock lock = stic_lock_try(*descriptor);
        // another file may have taken the name between the two calls
        if (lock != STIC_LOCK_BUSY && stic_lock_is_named(*descriptor, path))
            return STIC_OK;
        close(*descriptor);
        *descriptor = -1;
        if (lock == STIC_LOCK_BUSY)
            break;
    }
    return stic_error_set_at(error, STIC_IO_FAILED, path, 0, 0,
                             "is being written by another process");
}

void stic_lock_drop(int descriptor)
{
    if (descriptor >= 0)
        close(descriptor);
}

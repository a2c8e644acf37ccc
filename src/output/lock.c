// SPDX-License-Identifier: Apache-2.0
// One writer at a time, and a way to tell a running writer from one that was killed.
//
// The mark that HDF5 leaves in a file stays after a kill; a record lock of the system does not. It
// covers one byte far behind any data and lasts until the process ends or closes the file.
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "file/system.h"
#include "output/writer.h"

static struct flock byte_lock(void)
{
    struct flock lock = {0};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = (off_t)1 << 60;
    lock.l_len = 1;
    return lock;
}

SticStatus stic_lock_take(const char* path, int* descriptor, SticError* error)
{
    struct flock lock = byte_lock();
    *descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, (mode_t)0666);
    if (*descriptor < 0)
        return stic_system_fail(error, path, errno, "cannot be written");
    if (fcntl(*descriptor, F_SETLK, &lock) == 0)
        return STIC_OK;
    const int reason = errno;
    close(*descriptor);
    *descriptor = -1;
    if (reason == EACCES || reason == EAGAIN)
        return stic_error_set_at(error, STIC_IO_FAILED, path, 0, 0,
                                 "is being written by another process");
    // file systems without locks: go on without one
    *descriptor = open(path, O_RDWR | O_CLOEXEC);
    return STIC_OK;
}

void stic_lock_drop(int descriptor)
{
    if (descriptor >= 0)
        close(descriptor);
}

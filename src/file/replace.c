// SPDX-License-Identifier: Apache-2.0
// Replacing a file at once: temporary file in the same folder, flush, rename.
//
// A reader sees the old or the new contents, never a part, whatever fails in between.
#define _XOPEN_SOURCE 700 // realpath
#include "stiction/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file/system.h"

enum { TRIES = 100, SUFFIX_ROOM = 48 };

struct SticReplace {
    SticContext context;
    int descriptor;
    size_t bytes; // size of this allocation, names included
    char* target; // real name of the file to replace
    char* beside; // temporary file
};

// room for the struct and both names, in one allocation
static SticStatus make_replace(const SticContext* context, const char* target, SticReplace** made)
{
    const size_t length = strlen(target);
    const size_t bytes = sizeof **made + 2 * (length + 1) + SUFFIX_ROOM;
    void* memory = NULL;
    STIC_TRY(stic_allocate(context, bytes, &memory));
    SticReplace* replace = memory;
    replace->context = *context;
    replace->bytes = bytes;
    replace->descriptor = -1;
    replace->target = (char*)memory + sizeof *replace;
    replace->beside = replace->target + length + 1;
    memcpy(replace->target, target, length + 1);
    *made = replace;
    return STIC_OK;
}

// the temporary file gets the permissions of the file it will replace
static SticStatus open_beside(SticReplace* replace, const struct stat* old, const char* path,
                              SticError* error)
{
    const size_t room = strlen(replace->target) + SUFFIX_ROOM;
    for (int i = 0; i < TRIES; ++i) {
        snprintf(replace->beside, room, "%s.part-%ld-%d", replace->target, (long)getpid(), i);
        replace->descriptor =
            open(replace->beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, (mode_t)0666);
        if (replace->descriptor >= 0 || errno != EEXIST)
            break;
    }
    if (replace->descriptor < 0)
        return stic_system_fail(error, path, errno,
                                "cannot be written: no file can be made beside it");
    if (old != NULL && fchmod(replace->descriptor, old->st_mode & (mode_t)07777) != 0)
        return stic_system_fail(error, path, errno, "cannot be written with its old permissions");
    return STIC_OK;
}

SticStatus stic_replace_begin(const SticContext* context, const char* path, SticReplace** replace,
                              SticError* error)
{
    *replace = NULL;
    struct stat old;
    const bool exists = stat(path, &old) == 0;
    if (exists && !S_ISREG(old.st_mode))
        return stic_error_set_at(error, STIC_IO_FAILED, path, 0, 0,
                                 "is not a plain file and cannot be replaced");
    // write through a link to the file it names
    char real[PATH_MAX];
    const char* target = exists && realpath(path, real) != NULL ? real : path;
    SticReplace* made = NULL;
    STIC_TRY(make_replace(context, target, &made));
    const SticStatus status = open_beside(made, exists ? &old : NULL, path, error);
    if (status != STIC_OK) {
        stic_replace_abort(made);
        return status;
    }
    *replace = made;
    return STIC_OK;
}

const char* stic_replace_path(const SticReplace* replace)
{
    return replace->beside;
}

SticStatus stic_replace_write(SticReplace* replace, const void* bytes, size_t count,
                              SticError* error)
{
    const char* next = bytes;
    while (count > 0) {
        const ssize_t written = write(replace->descriptor, next, count);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return stic_system_fail(error, replace->target, errno, "cannot be written");
        next += written;
        count -= (size_t)written;
    }
    return STIC_OK;
}

// the rename itself must reach the disk; folders that cannot be flushed are left to the system
static void flush_folder(const char* target)
{
    char folder[PATH_MAX];
    const char* slash = strrchr(target, '/');
    const size_t length = slash == NULL ? 0 : (size_t)(slash - target) + 1;
    if (length >= sizeof folder)
        return;
    memcpy(folder, target, length);
    folder[length] = '\0';
    const int descriptor = open(length == 0 ? "." : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0)
        return;
    (void)fsync(descriptor);
    close(descriptor);
}

static void destroy(SticReplace* replace)
{
    const SticContext context = replace->context;
    if (replace->descriptor >= 0)
        close(replace->descriptor);
    stic_release(&context, replace, replace->bytes);
}

SticStatus stic_replace_commit(SticReplace* replace, SticError* error)
{
    SticStatus status = STIC_OK;
    if (fsync(replace->descriptor) != 0)
        status = stic_system_fail(error, replace->target, errno, "cannot be flushed to the disk");
    if (status == STIC_OK && rename(replace->beside, replace->target) != 0)
        status = stic_system_fail(error, replace->target, errno, "cannot be replaced");
    if (status != STIC_OK) {
        stic_replace_abort(replace);
        return status;
    }
    flush_folder(replace->target);
    destroy(replace);
    return STIC_OK;
}

void stic_replace_abort(SticReplace* replace)
{
    if (replace == NULL)
        return;
    if (replace->descriptor >= 0)
        unlink(replace->beside);
    destroy(replace);
}

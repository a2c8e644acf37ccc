// SPDX-License-Identifier: Apache-2.0
// Replacing a file in one go: temporary file in the same folder, flush, rename.
//
// A reader sees the old or the new contents, never a part, whatever fails in between. The temporary
// file is locked as long as its writer lives; one that nobody holds was left by a writer that was
// killed, and whoever comes next removes it.
#define _GNU_SOURCE // renameat2
#include "file/replace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file/lock.h"
#include "file/system.h"

enum { TRIES = 100, SUFFIX_ROOM = 48 };
static const char part_mark[] = ".part-";

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

// letters of a file's name that its temporary file shares; a long one would have no room for more
static size_t shared_letters(size_t length)
{
    const size_t most = NAME_MAX - SUFFIX_ROOM;
    return length < most ? length : most;
}

static const char* base_of(const char* path)
{
    const char* slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

// the temporary file gets the permissions of the file it will replace
static SticStatus open_beside(SticReplace* replace, const struct stat* old, const char* path,
                              SticError* error)
{
    const size_t room = strlen(replace->target) + SUFFIX_ROOM;
    const char* base = base_of(replace->target);
    const int letters = (int)((size_t)(base - replace->target) + shared_letters(strlen(base)));
    int reason = EEXIST;
    for (int i = 0; i < TRIES && replace->descriptor < 0 && reason == EEXIST; ++i) {
        snprintf(replace->beside, room, "%.*s%s%ld-%d", letters, replace->target, part_mark,
                 (long)getpid(), i);
        replace->descriptor =
            open(replace->beside, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, (mode_t)0666);
        reason = replace->descriptor < 0 ? errno : 0;
        // a process that cleans up may have been faster than the lock
        if (replace->descriptor >= 0 &&
            (stic_lock_try(replace->descriptor) == STIC_LOCK_BUSY ||
             !stic_lock_is_named(replace->descriptor, replace->beside))) {
            close(replace->descriptor);
            replace->descriptor = -1;
            reason = EEXIST;
        }
    }
    errno = reason;
    if (replace->descriptor < 0)
        return stic_file_system_fail(error, path, errno,
                                     "cannot be written: no file can be made beside it");
    if (old != NULL && fchmod(replace->descriptor, old->st_mode & (mode_t)07777) != 0)
        return stic_file_system_fail(error, path, errno,
                                     "cannot be written with its old permissions");
    return STIC_OK;
}

SticStatus stic_replace_begin(const SticContext* context, const char* path, SticReplace** replace,
                              SticError* error)
{
    context = stic_context_given(context);
    STIC_ASSERT(replace != NULL);
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
    STIC_ASSERT(replace != NULL);
    return replace->beside;
}

SticStatus stic_replace_write(SticReplace* replace, const void* bytes, size_t count,
                              SticError* error)
{
    STIC_ASSERT(replace != NULL);
    const char* next = bytes;
    while (count > 0) {
        const ssize_t written = write(replace->descriptor, next, count);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return stic_file_system_fail(error, replace->target, errno, "cannot be written");
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

static SticStatus flush_file(const SticReplace* replace, SticError* error)
{
    int result = 0;
    while ((result = fsync(replace->descriptor)) != 0 && errno == EINTR)
        ;
    // some file systems cannot flush, and need not
    if (result == 0 || errno == EINVAL || errno == ENOTSUP)
        return STIC_OK;
    return stic_file_system_fail(error, replace->target, errno, "cannot be flushed to the disk");
}

static SticStatus name_file(const SticReplace* replace, SticError* error)
{
    int result = 0;
    while ((result = rename(replace->beside, replace->target)) != 0 && errno == EINTR)
        ;
    if (result == 0)
        return STIC_OK;
    return stic_file_system_fail(error, replace->target, errno, "cannot be replaced");
}

// a name that is not taken
static SticStatus name_new_file(const SticReplace* replace, SticError* error)
{
    int result = 0;
    while ((result = renameat2(AT_FDCWD, replace->beside, AT_FDCWD, replace->target,
                               RENAME_NOREPLACE)) != 0 &&
           errno == EINTR)
        ;
    // file systems that do not know this kind of renaming know links, which do the same in two
    // steps
    if (result != 0 && (errno == EINVAL || errno == ENOSYS)) {
        result = link(replace->beside, replace->target);
        if (result == 0)
            unlink(replace->beside);
    }
    if (result == 0)
        return STIC_OK;
    if (errno == EEXIST)
        return stic_error_set_at(error, STIC_IO_FAILED, replace->target, 0, 0,
                                 "has just been made by another process, and is not replaced");
    return stic_file_system_fail(error, replace->target, errno, "cannot be made");
}

// give the file its name, or remove it; `replace` is gone afterwards
static SticStatus conclude(SticReplace* replace, bool anew, SticError* error)
{
    SticStatus status = flush_file(replace, error);
    if (status == STIC_OK)
        status = anew ? name_new_file(replace, error) : name_file(replace, error);
    if (status != STIC_OK) {
        stic_replace_abort(replace);
        return status;
    }
    flush_folder(replace->target);
    destroy(replace);
    return STIC_OK;
}

SticStatus stic_replace_commit(SticReplace* replace, SticError* error)
{
    STIC_ASSERT(replace != NULL);
    // a growing result stays as it is
    if (stic_lock_ask(replace->target) == STIC_LOCK_BUSY) {
        const SticStatus status = stic_error_set_at(error, STIC_IO_FAILED, replace->target, 0, 0,
                                                    "is being written by another process");
        stic_replace_abort(replace);
        return status;
    }
    return conclude(replace, false, error);
}

int stic_replace_share(const SticReplace* replace)
{
    return fcntl(replace->descriptor, F_DUPFD_CLOEXEC, 0);
}

SticStatus stic_replace_publish(SticReplace* replace, int old, SticError* error)
{
    return conclude(replace, old < 0, error);
}

void stic_replace_abort(SticReplace* replace)
{
    if (replace == NULL)
        return;
    if (replace->descriptor >= 0)
        unlink(replace->beside);
    destroy(replace);
}

/* ---- what killed writers left ---- */

// STEM.….part-NUMBER-NUMBER
static bool is_part(const char* name, const char* stem, size_t length)
{
    if (strncmp(name, stem, length) != 0 || name[length] != '.')
        return false;
    const char* mark = NULL;
    for (const char* at = strstr(name, part_mark); at != NULL; at = strstr(at + 1, part_mark))
        mark = at + strlen(part_mark);
    if (mark == NULL)
        return false;
    const size_t first = strspn(mark, "0123456789");
    const size_t second = mark[first] == '-' ? strspn(mark + first + 1, "0123456789") : 0;
    return first > 0 && second > 0 && mark[first + 1 + second] == '\0';
}

void stic_replace_sweep(const char* path)
{
    char folder[PATH_MAX];
    const char* base = base_of(path);
    const char* dot = strrchr(base, '.');
    const size_t stem =
        shared_letters(dot == NULL || dot == base ? strlen(base) : (size_t)(dot - base));
    const size_t length = (size_t)(base - path);
    if (length >= sizeof folder || stem == 0)
        return;
    memcpy(folder, path, length);
    folder[length] = '\0';
    DIR* listing = opendir(length == 0 ? "." : folder);
    if (listing == NULL)
        return;
    for (const struct dirent* entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
        if (!is_part(entry->d_name, base, stem))
            continue;
        const int part =
            openat(dirfd(listing), entry->d_name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        // removed while it is locked: a writer that has just made it sees that it is gone
        if (part >= 0 && stic_lock_try(part) == STIC_LOCK_FREE)
            unlinkat(dirfd(listing), entry->d_name, 0);
        if (part >= 0)
            close(part);
    }
    closedir(listing);
}

// SPDX-License-Identifier: Apache-2.0
// Reading a whole text file into memory, plain or gzip.
//
// The size in a file's directory entry or gzip trailer is never trusted: the buffer grows by half
// as bytes arrive and stops at the caller's limit, so a small compressed file cannot exhaust
// memory.
#include "file/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "file/system.h"

enum { PIECE = 1 << 16 }; // bytes asked of zlib at once

static SticStatus open_stream(const char* path, gzFile* stream, SticError* error)
{
    *stream = NULL;
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return stic_file_system_fail(error, path, errno, "cannot be opened");
    struct stat entry;
    if (fstat(descriptor, &entry) != 0) {
        const int reason = errno;
        close(descriptor);
        return stic_file_system_fail(error, path, reason, "cannot be examined");
    }
    // pipes are read to their end; a device such as /dev/zero need not have one
    const char* kind = S_ISDIR(entry.st_mode)                             ? "folder"
                       : S_ISCHR(entry.st_mode) || S_ISBLK(entry.st_mode) ? "device"
                                                                          : NULL;
    if (kind != NULL) {
        close(descriptor);
        return stic_error_set_at(error, STIC_IO_FAILED, path, 0, 0, "is a %s, not a file", kind);
    }
    // zlib passes text that is not gzip through unchanged
    *stream = gzdopen(descriptor, "rb");
    if (*stream == NULL) {
        close(descriptor);
        return STIC_OUT_OF_MEMORY;
    }
    return STIC_OK;
}

static SticStatus stream_failed(gzFile stream, const char* path, SticError* error)
{
    const int reason = errno;
    int code = Z_OK;
    const char* words = gzerror(stream, &code);
    if (code == Z_MEM_ERROR)
        return STIC_OUT_OF_MEMORY;
    if (code == Z_ERRNO)
        return stic_file_system_fail(error, path, reason, "cannot be read");
    return stic_error_set_at(error, STIC_BAD_FILE, path, 0, 0,
                             "the compressed data are damaged or cut off (%s)", words);
}

// all bytes of the stream, with room for the final 0
static SticStatus read_stream(SticText* text, gzFile stream, size_t limit, const char* path,
                              SticError* error)
{
    for (;;) {
        STIC_TRY(
            STIC_RESERVE(&text->context, &text->bytes, &text->capacity, text->size + PIECE + 1));
        const int got = gzread(stream, text->bytes + text->size, PIECE);
        if (got < 0)
            return stream_failed(stream, path, error);
        text->size += (size_t)got;
        if (text->size > limit)
            return stic_error_set_at(error, STIC_BAD_FILE, path, 0, 0,
                                     "holds more than %zu bytes of text", limit);
        if (got < PIECE)
            break;
    }
    // a cut-off gzip stream ends without an error from gzread
    int code = Z_OK;
    gzerror(stream, &code);
    if (code != Z_OK && code != Z_STREAM_END)
        return stream_failed(stream, path, error);
    text->bytes[text->size] = '\0';
    return STIC_OK;
}

SticStatus stic_text_load(const SticContext* context, const char* path, size_t limit,
                          SticText* text, SticError* error)
{
    context = stic_context_given(context);
    STIC_ASSERT(text != NULL);
    *text = (SticText){.context = *context};
    gzFile stream = NULL;
    STIC_TRY(open_stream(path, &stream, error));
    const SticStatus status = read_stream(text, stream, limit, path, error);
    gzclose(stream);
    if (status != STIC_OK)
        stic_text_unload(text);
    return status;
}

void stic_text_unload(SticText* text)
{
    STIC_ASSERT(text != NULL);
    if (text->bytes != NULL)
        STIC_RELEASE(&text->context, text->bytes, text->capacity);
    text->bytes = NULL;
    text->size = text->capacity = 0;
}

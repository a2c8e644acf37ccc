// SPDX-License-Identifier: Apache-2.0
// Reading and writing problems: choice of the format.
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "file/file.h"
#include "problem/store.h"
#include "stiction/extend/base.h"

static const char* const format_names[] = {"auto", "fclib", "local", "global", "lcp", "rolling"};

const char* stic_format_name(SticFormat format)
{
    return (unsigned)format < STIC_FORMAT_COUNT ? format_names[format] : "unknown";
}

// HDF5 files begin with this signature (they may also have it after a user block: force the format)
static bool has_hdf5_signature(const char* path)
{
    static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    unsigned char first[8];
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return false;
    const ssize_t got = read(descriptor, first, sizeof first);
    close(descriptor);
    return got == (ssize_t)sizeof first && memcmp(first, signature, sizeof first) == 0;
}

static SticStatus read_ascii(const SticContext* context, const char* path, SticFormat format,
                             SticProblemStore** store, SticError* error)
{
    SticText text;
    STIC_TRY(stic_text_load(context, path, STIC_TEXT_LIMIT, &text, error));
    const SticAscii ascii = {.text = text.bytes, .size = text.size, .file = path, .format = format};
    const SticStatus status = stic_ascii_parse(context, &ascii, store, error);
    stic_text_unload(&text);
    return status;
}

static SticStatus report_memory(SticStatus status, const char* path, SticError* error)
{
    return status != STIC_OUT_OF_MEMORY
               ? status
               : stic_error_set_at(error, status, path, 0, 0, "there is not enough memory for it");
}

SticStatus stic_problem_read(const SticContext* context, const char* path, SticFormat format,
                             SticProblemStore** store, SticError* error)
{
    context = stic_context_given(context);
    STIC_GIVEN(path, error);
    STIC_GIVEN(store, error);
    *store = NULL;
    if ((unsigned)format >= STIC_FORMAT_COUNT)
        return stic_error_set(error, STIC_BAD_ARGUMENT, "there is no problem format %d",
                              (int)format);
    const bool fclib =
        format == STIC_FORMAT_FCLIB || (format == STIC_FORMAT_AUTO && has_hdf5_signature(path));
    const SticStatus status = fclib ? stic_fclib_read(context, path, store, error)
                                    : read_ascii(context, path, format, store, error);
    return report_memory(status, path, error);
}

static bool ends_with(const char* text, const char* end)
{
    const size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

SticStatus stic_problem_write(const SticContext* context, const SticProblem* problem,
                              const SticMetadata* metadata, const char* path, SticError* error)
{
    context = stic_context_given(context);
    STIC_GIVEN(problem, error);
    STIC_GIVEN(path, error);
    static const SticMetadata nothing = {0};
    const SticMetadata* about = metadata != NULL ? metadata : &nothing;
    STIC_TRY(stic_problem_check(problem, error));
    const SticStatus status = ends_with(path, ".dat")
                                  ? stic_ascii_write(context, problem, about, path, error)
                                  : stic_fclib_write(context, problem, about, path, error);
    return report_memory(status, path, error);
}

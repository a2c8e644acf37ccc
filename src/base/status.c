// SPDX-License-Identifier: Apache-2.0
// Status texts, error objects and the assertion hook.
#include "stiction/extend/base.h"

#include <stdio.h>
#include <string.h>

#include "stic_version.h"

static const char* const status_names[] = {
#define STATUS_NAME(name, text) #name,
    STIC_STATUS_LIST(STATUS_NAME)
#undef STATUS_NAME
};

static const char* const status_texts[] = {
#define STATUS_TEXT(name, text) text,
    STIC_STATUS_LIST(STATUS_TEXT)
#undef STATUS_TEXT
};

const char* stic_status_name(SticStatus status)
{
    return (unsigned)status < STIC_STATUS_COUNT ? status_names[status] : "UNKNOWN";
}

const char* stic_status_text(SticStatus status)
{
    return (unsigned)status < STIC_STATUS_COUNT ? status_texts[status] : "unknown status";
}

// first byte of the letter that `at` lies in: a cut must not split a letter of several bytes
// (UTF-8)
static size_t letter_start(const char* text, size_t at)
{
    while (at > 0 && ((unsigned char)text[at] & 0xc0u) == 0x80u)
        --at;
    return at;
}

// copy, or the end of a text that is too long: of a path it tells more than the start
static void copy_end(char* to, size_t size, const char* from)
{
    const size_t length = strlen(from);
    size_t first = length < size ? 0 : length - (size - 1);
    while (first > 0 && ((unsigned char)from[first] & 0xc0u) == 0x80u)
        ++first;
    memmove(to, from + first, length - first + 1);
}

// the arguments may point into `error` itself, as when a caller adds where it was to what went
// wrong
static void fill_error(SticError* error, SticStatus status, const char* format, va_list list)
{
    static const char dots[] = "...";
    char text[sizeof error->text];
    const int length = vsnprintf(text, sizeof text, format, list);
    if (length < 0)
        text[0] = '\0';
    else if ((size_t)length >= sizeof text)
        memcpy(text + letter_start(text, sizeof text - sizeof dots), dots, sizeof dots);
    memcpy(error->text, text, strlen(text) + 1);
    error->status = status;
}

SticStatus stic_error_set(SticError* error, SticStatus status, const char* format, ...)
{
    if (error == NULL)
        return status;
    va_list list;
    va_start(list, format);
    fill_error(error, status, format, list);
    va_end(list);
    error->file[0] = '\0';
    error->line = 0;
    error->column = 0;
    return status;
}

SticStatus stic_error_set_at(SticError* error, SticStatus status, const char* file, int32_t line,
                             int32_t column, const char* format, ...)
{
    if (error == NULL)
        return status;
    va_list list;
    va_start(list, format);
    fill_error(error, status, format, list);
    va_end(list);
    copy_end(error->file, sizeof error->file, file != NULL ? file : "");
    error->line = line;
    error->column = column;
    return status;
}

SticStatus stic_error_missing(SticError* error, const char* function, const char* argument)
{
    // an argument is missing because an earlier call failed: its sentence says more
    if (error != NULL && error->status != STIC_OK)
        return STIC_BAD_ARGUMENT;
    return stic_error_set(error, STIC_BAD_ARGUMENT, "%s: %s is NULL", function, argument);
}

__attribute__((weak)) STIC_NORETURN void stic_assert_failed(const char* expression,
                                                            const char* file, int line)
{
    (void)expression;
    (void)file;
    (void)line;
    __builtin_trap();
}

const char* stic_version(void)
{
    return STIC_VERSION_TEXT;
}

// SPDX-License-Identifier: Apache-2.0
// Status texts, error objects and the assertion hook.
#include "stiction/base.h"

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

static SticStatus set_error(SticError* error, SticStatus status, const char* format, va_list list)
{
    if (error == NULL)
        return status;
    error->status = status;
    vsnprintf(error->text, sizeof error->text, format, list);
    return status;
}

SticStatus stic_error_set(SticError* error, SticStatus status, const char* format, ...)
{
    va_list list;
    va_start(list, format);
    set_error(error, status, format, list);
    va_end(list);
    if (error != NULL) {
        error->file[0] = '\0';
        error->line = 0;
        error->column = 0;
    }
    return status;
}

SticStatus stic_error_set_at(SticError* error, SticStatus status, const char* file, int32_t line,
                             int32_t column, const char* format, ...)
{
    va_list list;
    va_start(list, format);
    set_error(error, status, format, list);
    va_end(list);
    if (error != NULL) {
        // the end of a long path tells more than its start
        const size_t length = strlen(file);
        const size_t room = sizeof error->file - 1;
        snprintf(error->file, sizeof error->file, "%s", length > room ? file + length - room : file);
        error->line = line;
        error->column = column;
    }
    return status;
}

__attribute__((weak)) void stic_assert_failed(const char* expression, const char* file, int line)
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

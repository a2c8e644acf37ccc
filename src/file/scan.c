// SPDX-License-Identifier: Apache-2.0
// Scanner over a text in memory: numbers and words with their line and column.
#include "file/file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "stiction/extend/base.h"

SticScan stic_scan_begin(const char* text, size_t size, const char* file, SticError* error)
{
    STIC_ASSERT(text[size] == '\0');
    return (SticScan){.at = text,
                      .end = text + size,
                      .line_start = text,
                      .line = 1,
                      .file = file,
                      .error = error};
}

SticStatus stic_scan_fail(const SticScan* scan, SticStatus status, const char* format, ...)
{
    char text[sizeof scan->error->text];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    const ptrdiff_t column = scan->at - scan->line_start + 1;
    return stic_error_set_at(scan->error, status, scan->file, scan->line,
                             column > INT32_MAX ? INT32_MAX : (int32_t)column, "%s", text);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f';
}

static void skip_blanks(SticScan* scan)
{
    while (scan->at < scan->end && is_blank(*scan->at)) {
        if (*scan->at == '\n') {
            scan->line += 1;
            scan->line_start = scan->at + 1;
        }
        scan->at += 1;
    }
}

bool stic_scan_at_end(SticScan* scan)
{
    skip_blanks(scan);
    return scan->at == scan->end;
}

bool stic_scan_peek(SticScan* scan, const char* literal)
{
    skip_blanks(scan);
    const size_t length = strlen(literal);
    return (size_t)(scan->end - scan->at) >= length && memcmp(scan->at, literal, length) == 0;
}

bool stic_scan_peek_number(SticScan* scan)
{
    skip_blanks(scan);
    const char* c = scan->at;
    c += *c == '-' || *c == '+';
    c += *c == '.';
    return *c >= '0' && *c <= '9';
}

// the word at the position, shortened and free of control characters, for messages
static const char* shown_word(const SticScan* scan, char word[32])
{
    size_t used = 0;
    for (const char* c = scan->at; c < scan->end && !is_blank(*c) && used < 24; ++c)
        word[used++] = *c >= ' ' && *c <= '~' ? *c : '?';
    word[used] = '\0';
    return word;
}

static SticStatus fail_expected(SticScan* scan, const char* what)
{
    if (stic_scan_at_end(scan))
        return stic_scan_fail(scan, STIC_BAD_FILE, "the file ends where %s should be", what);
    char word[32];
    return stic_scan_fail(scan, STIC_BAD_FILE, "'%s' stands where %s should be",
                          shown_word(scan, word), what);
}

SticStatus stic_scan_literal(SticScan* scan, const char* literal)
{
    if (!stic_scan_peek(scan, literal)) {
        char what[64];
        snprintf(what, sizeof what, "\"%s\"", literal);
        return fail_expected(scan, what);
    }
    scan->at += strlen(literal);
    return STIC_OK;
}

SticStatus stic_scan_integer(SticScan* scan, const char* what, int32_t low, int32_t high,
                             int32_t* value)
{
    *value = 0;
    skip_blanks(scan);
    const char* c = scan->at;
    const bool negative = *c == '-';
    c += negative || *c == '+';
    if (*c < '0' || *c > '9')
        return fail_expected(scan, what);
    // digits beyond any int32_t only need to stay out of range
    int64_t magnitude = 0;
    for (; *c >= '0' && *c <= '9'; ++c)
        magnitude = magnitude > INT32_MAX ? magnitude : 10 * magnitude + (*c - '0');
    if (*c == '.' || *c == 'e' || *c == 'E')
        return fail_expected(scan, what);
    const int64_t number = negative ? -magnitude : magnitude;
    if (number < low || number > high) {
        const int length = c - scan->at > 24 ? 24 : (int)(c - scan->at);
        return stic_scan_fail(scan, STIC_BAD_FILE, "%s is %.*s, outside %d to %d", what, length,
                              scan->at, (int)low, (int)high);
    }
    scan->at = c;
    *value = (int32_t)number;
    return STIC_OK;
}

SticStatus stic_scan_real(SticScan* scan, const char* what, double* value)
{
    *value = 0.0;
    skip_blanks(scan);
    const char* after = stic_number_parse(scan->at, value);
    if (after == NULL || after > scan->end || !(after == scan->end || is_blank(*after))) {
        *value = 0.0;
        return fail_expected(scan, what);
    }
    if (!isfinite(*value))
        return stic_scan_fail(scan, STIC_NOT_FINITE, "%s is not finite", what);
    scan->at = after;
    return STIC_OK;
}

void stic_scan_line(SticScan* scan, const char** start, size_t* length)
{
    *start = scan->at;
    const char* stop = memchr(scan->at, '\n', (size_t)(scan->end - scan->at));
    const char* last = stop != NULL ? stop : scan->end;
    *length = (size_t)(last - scan->at);
    scan->at = last;
    if (stop != NULL) {
        scan->at = stop + 1;
        scan->line += 1;
        scan->line_start = scan->at;
    }
}

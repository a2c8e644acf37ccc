// SPDX-License-Identifier: Apache-2.0
// A scanner for numbers and words in text.
#ifndef STIC_FILE_H
#define STIC_FILE_H

#include "stiction/base.h"
#include "stiction/extend/file.h"

/* ---- scanner ---- */

/// Position in a text. Numbers use '.' whatever the locale; failures carry file, line and column.
typedef struct SticScan {
    const char* at;         ///< next byte
    const char* end;        ///< the 0 byte after the text
    const char* line_start; ///< first byte of the current line
    int32_t line;           ///< 1-based
    const char* file;       ///< name used in errors, borrowed
    SticError* error;       ///< filled on failure; may be NULL
} SticScan;

/// Scanner at the start of `text`, which must end with a 0 byte at text[size].
SticScan stic_scan_begin(const char* text, size_t size, const char* file, SticError* error);
/// Report a failure at the current position.
SticStatus stic_scan_fail(const SticScan* scan, SticStatus status, const char* format, ...)
    STIC_PRINTF(3, 4);
/// Skip blanks and line ends; true if nothing follows.
bool stic_scan_at_end(SticScan* scan);
/// Skip blanks and line ends; whether `literal` comes next.
bool stic_scan_peek(SticScan* scan, const char* literal);
/// Skip blanks and line ends; whether a number comes next.
bool stic_scan_peek_number(SticScan* scan);
/// Take `literal`, or fail.
SticStatus stic_scan_literal(SticScan* scan, const char* literal);
/// Take a whole number in [low, high]; `what` names it in the error.
SticStatus stic_scan_integer(SticScan* scan, const char* what, int32_t low, int32_t high,
                             int32_t* value);
/// Take a finite number; `what` names it in the error.
SticStatus stic_scan_real(SticScan* scan, const char* what, double* value);
/// Take the rest of the line, without its end; the bytes stay in the text.
void stic_scan_line(SticScan* scan, const char** start, size_t* length);

#endif

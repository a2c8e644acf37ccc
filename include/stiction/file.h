// SPDX-License-Identifier: Apache-2.0
// Reading text files (gzip included) with their places, and replacing files atomically.
#ifndef STICTION_FILE_H
#define STICTION_FILE_H

#include "stiction/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- text in memory ---- */

/// Largest text, in bytes after decompression, that is read unless the caller says otherwise; line
/// numbers then fit an int32_t.
#define STIC_TEXT_LIMIT ((size_t)INT32_MAX)

/// A text file in memory, decompressed. Memory grows with what is really read.
typedef struct SticText {
    SticContext context; ///< where the memory comes from
    char* bytes;         ///< [size + 1] ends with a 0 byte that is not counted
    size_t size;         ///< bytes of the text
    size_t capacity;     ///< bytes allocated
} SticText;

/// Read a whole file, plain or gzip; more than `limit` bytes of text are refused.
STIC_API SticStatus stic_text_load(const SticContext* context, const char* path, size_t limit,
                                   SticText* text, SticError* error);
/// Give the memory back; a zeroed or already unloaded text is allowed.
STIC_API void stic_text_unload(SticText* text);

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
STIC_API SticScan stic_scan_begin(const char* text, size_t size, const char* file,
                                  SticError* error);
/// Report a failure at the current position.
STIC_API SticStatus stic_scan_fail(const SticScan* scan, SticStatus status, const char* format, ...)
    STIC_PRINTF(3, 4);
/// Skip blanks and line ends; true if nothing follows.
STIC_API bool stic_scan_at_end(SticScan* scan);
/// Skip blanks and line ends; whether `literal` comes next.
STIC_API bool stic_scan_peek(SticScan* scan, const char* literal);
/// Skip blanks and line ends; whether a number comes next.
STIC_API bool stic_scan_peek_number(SticScan* scan);
/// Take `literal`, or fail.
STIC_API SticStatus stic_scan_literal(SticScan* scan, const char* literal);
/// Take a whole number in [low, high]; `what` names it in the error.
STIC_API SticStatus stic_scan_integer(SticScan* scan, const char* what, int32_t low, int32_t high,
                                      int32_t* value);
/// Take a finite number; `what` names it in the error.
STIC_API SticStatus stic_scan_real(SticScan* scan, const char* what, double* value);
/// Take the rest of the line, without its end; the bytes stay in the text.
STIC_API void stic_scan_line(SticScan* scan, const char** start, size_t* length);

/* ---- replacing a file ---- */

/// A file being written beside its target; the target changes only on commit, and then at once.
typedef struct SticReplace SticReplace;

/// Create the temporary file in the target's folder. A symbolic link is followed, not replaced.
STIC_API SticStatus stic_replace_begin(const SticContext* context, const char* path,
                                       SticReplace** replace, SticError* error);
/// Name of the temporary file, for libraries that write by name.
STIC_API const char* stic_replace_path(const SticReplace* replace);
/// Append bytes to the temporary file.
STIC_API SticStatus stic_replace_write(SticReplace* replace, const void* bytes, size_t count,
                                       SticError* error);
/// Flush to the disk and rename over the target; on failure the target is untouched and the
/// temporary file gone. `replace` is destroyed either way.
STIC_API SticStatus stic_replace_commit(SticReplace* replace, SticError* error);
/// Remove the temporary file and destroy `replace`; NULL is allowed.
STIC_API void stic_replace_abort(SticReplace* replace);
/// Remove the temporary files of writers that were killed while they made NAME.EXT or another file
/// NAME.*; those of writers that live stay.
STIC_API void stic_replace_sweep(const char* path);

#ifdef __cplusplus
}
#endif

#endif

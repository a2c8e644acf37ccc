// SPDX-License-Identifier: Apache-2.0
// Text in memory.
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

#ifdef __cplusplus
}
#endif

#endif

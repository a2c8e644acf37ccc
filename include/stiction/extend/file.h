// SPDX-License-Identifier: Apache-2.0
// Reading text files, plain or gzip, and replacing files atomically.
#ifndef STICTION_EXTEND_FILE_H
#define STICTION_EXTEND_FILE_H

#include "stiction/base.h"
#include "stiction/file.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Read a whole file, plain or gzip; more than `limit` bytes of text are refused.
STIC_API SticStatus stic_text_load(const SticContext* context, const char* path, size_t limit,
                                   SticText* text, SticError* error);
/// Free the memory; a zeroed or already unloaded text is allowed.
STIC_API void stic_text_unload(SticText* text);

/* ---- replacing a file ---- */

/// A file being written beside its target; the target changes only on commit, in one go.
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

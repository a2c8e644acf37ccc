// SPDX-License-Identifier: Apache-2.0
// Internals of replacing files: what writers of results need besides the public functions.
#ifndef STIC_FILE_REPLACE_H
#define STIC_FILE_REPLACE_H

#include "file/file.h"

/// Another descriptor of the temporary file, for reading and writing; it shares the lock. -1 on
/// failure, with errno.
int stic_replace_share(const SticReplace* replace);
/// Give the file its name while a descriptor of stic_replace_share still holds it. A file that has
/// the name already is replaced only if `old` is its lock, and it is an error otherwise. `replace`
/// is destroyed either way.
SticStatus stic_replace_publish(SticReplace* replace, int old, SticError* error);

#endif

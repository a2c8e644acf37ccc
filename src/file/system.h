// SPDX-License-Identifier: Apache-2.0
// Failed system calls as errors.
#ifndef STIC_FILE_SYSTEM_H
#define STIC_FILE_SYSTEM_H

#include "stiction/extend/base.h"

/// IO_FAILED on `path` with the words of errno value `reason`: "cannot be opened (No such file …)".
SticStatus stic_file_system_fail(SticError* error, const char* path, int reason, const char* what);

#endif

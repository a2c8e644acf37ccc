// SPDX-License-Identifier: Apache-2.0
// Failed system calls as errors.
#include "file/system.h"

#include <string.h>

SticStatus stic_file_system_fail(SticError* error, const char* path, int reason, const char* what)
{
    char words[128];
    if (strerror_r(reason, words, sizeof words) != 0)
        words[0] = '\0';
    return stic_error_set_at(error, STIC_IO_FAILED, path, 0, 0, "%s (%s)", what, words);
}

// SPDX-License-Identifier: Apache-2.0
// What fuzz targets share. A target is one function that libFuzzer or the replay program calls.
#ifndef STIC_FUZZ_H
#define STIC_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

/// Run the target on one input. Returns 0; a finding aborts.
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

/// What LeakSanitizer is to overlook: HDF5 gives up on its own lists after a file that it could not
/// close ("infinite loop closing library").
const char* __lsan_default_suppressions(void);

/// Name of a scratch file of this process, in memory where the system has that.
static inline void stic_fuzz_path(char* path, size_t size, const char* name)
{
    const char* folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(path, size, "%s/stiction-fuzz-%ld-%s", folder, (long)getpid(), name);
}

#endif

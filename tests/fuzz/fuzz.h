// SPDX-License-Identifier: Apache-2.0
// What fuzz targets share. A target is one function that libFuzzer or the replay program calls.
#ifndef STIC_FUZZ_H
#define STIC_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/// Run the target on one input. Returns 0; a finding aborts.
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

#endif

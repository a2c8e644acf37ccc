// SPDX-License-Identifier: Apache-2.0
// Reader of FCLIB problems.
#include "problem/store.h"

SticStatus stic_fclib_read(const SticContext* context, const char* path, SticProblemStore** store,
                           SticError* error)
{
    (void)context;
    (void)store;
    return stic_error_set_at(error, STIC_UNSUPPORTED, path, 0, 0, "FCLIB is not read yet");
}

SticStatus stic_fclib_write(const SticContext* context, const SticProblem* problem,
                            const SticMetadata* metadata, const char* path, SticError* error)
{
    (void)context;
    (void)problem;
    (void)metadata;
    return stic_error_set_at(error, STIC_UNSUPPORTED, path, 0, 0, "FCLIB is not written yet");
}

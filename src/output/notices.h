// SPDX-License-Identifier: Apache-2.0
// Notices of a run in its result.
#ifndef STIC_OUTPUT_NOTICES_H
#define STIC_OUTPUT_NOTICES_H

#include "file/hdf5.h"
#include "stiction/extend/run.h"
#include "stiction/extend/world.h"

/// Make room for them in a new result.
SticStatus stic_notices_make(const SticHdf5* file);
/// Write those of a run; results without room for them stay as they are.
SticStatus stic_notices_write(const SticHdf5* file, const SticRun* run, const SticWorld* world);

#endif

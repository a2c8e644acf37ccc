// SPDX-License-Identifier: Apache-2.0
// The memory source behind a context.
#ifndef STIC_BASE_CONTEXT_H
#define STIC_BASE_CONTEXT_H

#include "stiction/extend/base.h"

/// Where the memory of a context comes from: its allocator, or the C library if it names none.
const SticAllocator* stic_context_allocator(const SticContext* context);

#endif

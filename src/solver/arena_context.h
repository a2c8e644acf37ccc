// SPDX-License-Identifier: Apache-2.0
// A context whose memory is an arena: code that allocates and releases on its own then lives in it.
//
// Symbolic analyses and factors made this way are freed by rewinding the arena, and the next solve
// of the same size uses the same memory again.
#ifndef STIC_SOLVER_ARENA_CONTEXT_H
#define STIC_SOLVER_ARENA_CONTEXT_H

#include "stiction/extend/base.h"

static inline void* stic_arena_context_allocate(void* self, size_t bytes)
{
    void* memory = NULL;
    return stic_arena_take(self, bytes, &memory) == STIC_OK ? memory : NULL;
}

static inline void stic_arena_context_release(void* self, void* memory, size_t bytes)
{
    (void)self;
    (void)memory;
    (void)bytes;
}

/// The arena's context with the arena as its allocator.
static inline SticContext stic_arena_context_make(SticArena* arena)
{
    SticContext context = *stic_arena_context(arena);
    context.allocator = (SticAllocator){.self = arena,
                                        .allocate = stic_arena_context_allocate,
                                        .release = stic_arena_context_release};
    return context;
}

#endif

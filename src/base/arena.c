// SPDX-License-Identifier: Apache-2.0
// Bump allocator for the memory of one step.
//
// Blocks are taken from the context's allocator and kept. After the first steps one block holds
// everything a step needs and an eighth more, so that steps that need a little more find room, and a
// step allocates nothing. Small arenas grow twofold, large ones by a quarter: what is held is what is
// in use and not much more. Blocks are not cleared, since pages that nobody writes to cost no memory.
#include "base/context.h"

enum { MAX_BLOCKS = 64, ALIGNMENT = 64, LARGE = 1 << 18 };

typedef struct Block {
    unsigned char* memory;
    size_t size;
    size_t most; // bytes in use at any time since the last reset
} Block;

struct SticArena {
    SticArenaHead head; // first: the inline functions of base.h work on it
    SticContext context;
    Block block[MAX_BLOCKS];
    int32_t count; // blocks held
    size_t wanted; // bytes of the one block of the last reset, which may have failed
};

// what the block being filled has in use at most, before another one is
static void leave_block(SticArena* arena)
{
    const SticArenaHead* head = &arena->head;
    if (head->block >= 0)
        arena->block[head->block].most = head->used > head->most ? head->used : head->most;
}

// without blocks: takes of nothing still need an address
static void enter_block(SticArena* arena, int32_t block, size_t used)
{
    if (block < 0)
        arena->head = (SticArenaHead){.memory = (unsigned char*)arena, .block = -1};
    else
        arena->head = (SticArenaHead){.memory = arena->block[block].memory,
                                      .size = arena->block[block].size,
                                      .used = used,
                                      .most = arena->block[block].most,
                                      .block = block};
}

static size_t rounded_up(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static SticStatus add_block(SticArena* arena, size_t least)
{
    const size_t bytes = rounded_up(least);
    if (arena->count == MAX_BLOCKS || bytes < least)
        return STIC_OUT_OF_MEMORY;
    const SticAllocator* allocator = stic_context_allocator(&arena->context);
    void* memory = allocator->allocate(allocator->self, bytes);
    if (memory == NULL)
        return STIC_OUT_OF_MEMORY;
    arena->block[arena->count++] = (Block){memory, bytes, 0};
    return STIC_OK;
}

SticStatus stic_arena_create(const SticContext* context, size_t first_bytes, SticArena** arena)
{
    context = stic_context_given(context);
    STIC_GIVEN(arena, NULL);
    void* memory = NULL;
    *arena = NULL;
    STIC_TRY(stic_allocate(context, sizeof(SticArena), &memory));
    SticArena* made = memory;
    made->context = *context;
    const SticStatus status = add_block(made, first_bytes < 4096 ? 4096 : first_bytes);
    if (status != STIC_OK) {
        stic_arena_destroy(made);
        return status;
    }
    enter_block(made, 0, 0);
    *arena = made;
    return STIC_OK;
}

static void release_blocks(SticArena* arena)
{
    for (int32_t i = 0; i < arena->count; ++i)
        stic_release(&arena->context, arena->block[i].memory, arena->block[i].size);
    arena->count = 0;
}

void stic_arena_destroy(SticArena* arena)
{
    if (arena == NULL)
        return;
    const SticContext context = arena->context;
    release_blocks(arena);
    stic_release(&context, arena, sizeof *arena);
}

SticStatus stic_arena_take(SticArena* arena, size_t bytes, void** memory)
{
    STIC_ASSERT(arena != NULL);
    *memory = NULL;
    if (bytes > SIZE_MAX / 4)
        return STIC_OUT_OF_MEMORY;
    const size_t rounded = rounded_up(bytes);

    // the next block that has room; the tail that is skipped is unused until the arena is rewound
    while (arena->head.size - arena->head.used < rounded) {
        if (arena->head.block + 1 == arena->count) {
            const size_t held = stic_arena_bytes(arena), more = held < LARGE ? held : held / 4;
            STIC_TRY(add_block(arena, rounded > more ? rounded : more));
        }
        leave_block(arena);
        enter_block(arena, arena->head.block + 1, 0);
    }
    *memory = arena->head.memory + arena->head.used;
    arena->head.used += rounded;
    return STIC_OK;
}

SticStatus stic_arena_take_array(SticArena* arena, size_t count, size_t size, void** memory)
{
    STIC_ASSERT(arena != NULL);
    *memory = NULL;
    if (size != 0 && count > SIZE_MAX / 4 / size)
        return STIC_OUT_OF_MEMORY;
    return stic_arena_take(arena, count * size, memory);
}

void stic_arena_rewind_blocks(SticArena* arena, SticArenaMark mark)
{
    STIC_ASSERT(arena != NULL);
    STIC_ASSERT(mark.block < arena->head.block ||
                (mark.block == arena->head.block && mark.used <= arena->head.used));
    leave_block(arena);
    enter_block(arena, mark.block, mark.used);
}

SticStatus stic_arena_reset(SticArena* arena)
{
    STIC_GIVEN(arena, NULL);
    leave_block(arena);
    if (arena->count > 1) {
        size_t most = 0;
        for (int32_t i = 0; i < arena->count; ++i)
            most += arena->block[i].most;
        arena->wanted = most + most / 8;
        // not beside the old ones: that would be twice the memory
        release_blocks(arena);
        enter_block(arena, -1, 0);
    }
    if (arena->count == 0)
        STIC_TRY(add_block(arena, arena->wanted));
    enter_block(arena, 0, 0);
    return STIC_OK;
}

const SticContext* stic_arena_context(const SticArena* arena)
{
    STIC_ASSERT(arena != NULL);
    return &arena->context;
}

size_t stic_arena_bytes(const SticArena* arena)
{
    STIC_ASSERT(arena != NULL);
    size_t total = 0;
    for (int32_t i = 0; i < arena->count; ++i)
        total += arena->block[i].size;
    return total;
}

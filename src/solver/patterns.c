// SPDX-License-Identifier: Apache-2.0
// Symbolic analyses that outlive a solve.
#include "solver/patterns.h"

#include "solver/arena_context.h"

SticStatus stic_patterns_symbolic(SticPatternCache* cache, const SticContext* context,
                                  SticPatternSlot slot, const SticBlockCsr* A,
                                  SticSymbolic** symbolic, SticError* error)
{
    *symbolic = cache->symbolic[slot];
    if (*symbolic != NULL && stic_symbolic_fits(*symbolic, A)) {
        stic_arena_rewind(cache->arena[slot], cache->mark[slot]);
        return STIC_OK;
    }
    // the old one is freed with the memory it lives in
    cache->symbolic[slot] = NULL;
    if (cache->arena[slot] == NULL)
        STIC_TRY(stic_arena_create(context, 0, &cache->arena[slot]));
    stic_arena_rewind(cache->arena[slot], (SticArenaMark){.block = 0, .used = 0});
    const SticContext own = stic_arena_context_make(cache->arena[slot]);
    STIC_TRY(stic_symbolic_create(&own, A, STIC_ORDERING_AMD, symbolic, error));
    cache->symbolic[slot] = *symbolic;
    cache->mark[slot] = stic_arena_mark(cache->arena[slot]);
    return STIC_OK;
}

void stic_patterns_release(SticPatternCache* cache)
{
    for (int32_t slot = 0; slot < STIC_PATTERNS; ++slot)
        stic_arena_destroy(cache->arena[slot]);
}

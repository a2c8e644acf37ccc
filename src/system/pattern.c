// SPDX-License-Identifier: Apache-2.0
// Block pattern of the directions of a set of interactions.
#include "stiction/extend/base.h"
#include "stiction/extend/system.h"

SticStatus stic_pattern_create(SticArena* arena, const SticSet* set, const SticLayout* layout,
                               const int32_t* at, SticPattern* pattern)
{
    STIC_ASSERT(arena != NULL);
    STIC_ASSERT(set != NULL);
    STIC_ASSERT(layout != NULL);
    STIC_ASSERT(pattern != NULL);
    int32_t *begin = NULL, *col = NULL;
    int64_t *value_at = NULL, (*place)[2] = NULL;
    STIC_TRY(STIC_TAKE(arena, &begin, set->count + 1));
    STIC_TRY(STIC_TAKE(arena, &col, 2 * set->count));
    STIC_TRY(STIC_TAKE(arena, &value_at, 2 * set->count + 1));
    STIC_TRY(STIC_TAKE(arena, &place, set->count));

    // at most two blocks per interaction, in the order of their columns
    int32_t blocks = 0;
    int64_t values = 0;
    for (int32_t i = 0; i < set->count; ++i) {
        const SticInteraction* interaction = &set->interaction[i];
        const int32_t a = interaction->block[0], b = interaction->block[1];
        begin[i] = blocks;
        place[i][0] = place[i][1] = -1;
        const int first = b >= 0 && (a < 0 || b < a) ? 1 : 0;
        for (int k = 0; k < 2; ++k) {
            const int side = k == 0 ? first : 1 - first;
            const int32_t block = interaction->block[side];
            if (block < 0 || (k == 1 && a == b))
                continue;
            place[i][side] = values;
            value_at[blocks] = values;
            col[blocks++] = block;
            values += (int64_t)interaction->rows * (at[block + 1] - at[block]);
        }
    }
    begin[set->count] = blocks;
    value_at[blocks] = values;
    pattern->csr = (SticBlockCsr){.rows = set->count,
                                  .cols = layout->blocks,
                                  .row_at = set->row_at,
                                  .col_at = at,
                                  .begin = begin,
                                  .col = col,
                                  .value_at = value_at,
                                  .value = NULL};
    pattern->at = (const int64_t(*)[2])place;
    pattern->values = values;
    return STIC_OK;
}

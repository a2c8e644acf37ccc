// SPDX-License-Identifier: Apache-2.0
// Block pattern of the directions of a set of interactions.
#include "stiction/extend/base.h"
#include "stiction/extend/system.h"

// blocks of an interaction, where their places in the values are kept
typedef struct Member {
    int32_t block;
    int64_t* place;
} Member;

// at most five, by ascending column; returns their number
static int list_members(const SticInteraction* interaction, int64_t place[2], int64_t* also,
                        Member member[2 + STIC_ALSO_BLOCKS])
{
    int count = 0;
    place[0] = place[1] = -1;
    for (int k = 0; k < 2 + interaction->alsos; ++k) {
        const int32_t block = k < 2 ? interaction->block[k] : interaction->also[k - 2];
        if (block < 0 || (k == 1 && block == interaction->block[0]))
            continue;
        int at = count++;
        for (; at > 0 && member[at - 1].block > block; --at)
            member[at] = member[at - 1];
        member[at] = (Member){block, k < 2 ? &place[k] : &also[k - 2]};
    }
    return count;
}

// entries of the pattern, and whether an interaction has more than two blocks
static int64_t count_blocks(const SticSet* set, bool* more)
{
    int64_t blocks = 2 * (int64_t)set->count;
    for (int32_t i = 0; i < set->count; ++i)
        blocks += set->interaction[i].alsos;
    *more = blocks > 2 * (int64_t)set->count;
    return blocks;
}

SticStatus stic_pattern_create(SticArena* arena, const SticSet* set, const SticLayout* layout,
                               const int32_t* at, SticPattern* pattern)
{
    STIC_ASSERT(arena != NULL);
    STIC_ASSERT(set != NULL);
    STIC_ASSERT(layout != NULL);
    STIC_ASSERT(pattern != NULL);
    int32_t *begin = NULL, *col = NULL;
    int64_t *value_at = NULL, (*place)[2] = NULL, (*also)[STIC_ALSO_BLOCKS] = NULL;
    bool more = false;
    const int64_t room = count_blocks(set, &more);
    STIC_TRY(STIC_TAKE(arena, &begin, set->count + 1));
    STIC_TRY(STIC_TAKE(arena, &col, room));
    STIC_TRY(STIC_TAKE(arena, &value_at, room + 1));
    STIC_TRY(STIC_TAKE(arena, &place, set->count));
    if (more)
        STIC_TRY(STIC_TAKE(arena, &also, set->count));

    int32_t blocks = 0;
    int64_t values = 0;
    for (int32_t i = 0; i < set->count; ++i) {
        const SticInteraction* interaction = &set->interaction[i];
        Member member[2 + STIC_ALSO_BLOCKS];
        const int members = list_members(interaction, place[i], more ? also[i] : NULL, member);
        begin[i] = blocks;
        for (int k = 0; k < members; ++k) {
            const int32_t block = member[k].block;
            *member[k].place = values;
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
    pattern->also_at = (const int64_t(*)[STIC_ALSO_BLOCKS])also;
    pattern->values = values;
    return STIC_OK;
}

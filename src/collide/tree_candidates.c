// SPDX-License-Identifier: Apache-2.0
// Candidates of the default method: pairs whose enlarged boxes overlap, sorted, with two flags.
//
// Each update tests every candidate with its true boxes; the flags of this update and the one
// before give the events. Candidates of boxes that were searched for anew are replaced by merging
// the old list with what was found. A replaced candidate that overlapped before stays once more,
// marked dead, so that its release is reported. The list is kept in segments of low handles, which
// are also the chunks of work; O(candidates) with one random access each.
#include "collide/tree_method.h"

enum {
    AHEAD = 24,  // prefetch distance, in candidates
    BUFFER = 512 // pairs
};

typedef struct Job {
    SticBroad* broad;
    SticTreeMethod* tree;
    const SticSegments* segments; // that the result is written from
    bool full;
} Job;

// keys of a segment; an empty list has no memory behind it
static uint64_t* keys_of(const SticSegments* segments, int32_t s)
{
    return segments->keys.key == NULL ? NULL : segments->keys.key + segments->begin[s];
}

// where the results of a segment go; an empty list has no memory behind it
static SticBoxPair* place_of(const SticPairArray* list, size_t begin)
{
    return list->pair == NULL ? NULL : list->pair + begin;
}

// Renew the flags of sorted keys. A dead one is compared with itself and counts as apart: it costs
// neither a branch nor a random access.
static void test_keys(const Job* job, uint64_t* keys, size_t count, SticSegmentCount* to)
{
    const SticFloatBox* tight = job->tree->tight;
    size_t nows = 0, created = 0, released = 0;
    for (size_t i = 0; i < count; ++i) {
        if (i + AHEAD < count)
            stic_prefetch(&tight[stic_pair_high(keys[i + AHEAD])]);
        const uint64_t key = keys[i], dead = key >> 2 & 1, before = key & STIC_PAIR_NOW;
        const int32_t low = stic_pair_low(key);
        const int32_t high = dead ? low : stic_pair_high(key);
        uint64_t meets = stic_mapped_meet(&tight[low], &tight[high]);
        if (meets > 1)
            meets = stic_box_meets(&job->broad->box[low], &job->broad->box[high]);
        const uint64_t now = meets & ~dead;
        nows += now;
        created += now & ~before;
        released += before & ~now;
        // most do not change: avoid writing to memory
        const uint64_t renewed =
            (key & ~(uint64_t)(STIC_PAIR_NOW | STIC_PAIR_BEFORE)) | before << 1 | now;
        if (renewed != key)
            keys[i] = renewed;
    }
    to->now = nows;
    to->created = created;
    to->released = released;
}

static void test_segments(void* self, int32_t index)
{
    const Job* job = self;
    const int32_t width = stic_segments_chunk(job->segments), first = index * width;
    for (int32_t s = first; s < first + width; ++s)
        if (s < job->tree->candidates.segments)
            test_keys(job, keys_of(&job->tree->candidates, s), job->tree->candidates.count[s],
                      &job->tree->count[s]);
}

// Merge old candidates with found ones: what was found stays or is new; an old one that was not
// found stays if neither of its boxes was searched for; otherwise it dies and is dropped, unless it
// overlapped. Which list is next follows no pattern: no branch depends on it.
static uint64_t* merge_keys(const Job* job, const SticKeyList* old, const SticKeyList* found,
                            uint64_t* out)
{
    const uint64_t flags = STIC_PAIR_FLAGS;
    const uint8_t* state = job->broad->state;
    const uint64_t all = job->full ? STIC_SLOT_TOUCHED : 0;
    size_t i = 0, j = 0;
    while (i < old->count || j < found->count) {
        const uint64_t old_key = i < old->count ? old->key[i] & ~flags : UINT64_MAX;
        const uint64_t found_key = j < found->count ? found->key[j] : UINT64_MAX;
        const bool from_old = old_key <= found_key, from_found = found_key <= old_key;
        const uint64_t key = from_old ? old_key : found_key;
        const uint64_t mark = from_old ? old->key[i] & flags : 0;
        uint64_t touched = all;
        if (!job->full)
            touched = state[stic_pair_low(key)] | state[stic_pair_high(key)];
        const bool dies = !from_found && ((touched & STIC_SLOT_TOUCHED) || (mark & STIC_PAIR_DEAD));
        *out = key | (mark & STIC_PAIR_NOW) | (dies ? STIC_PAIR_DEAD : 0);
        out += !dies || (mark & STIC_PAIR_NOW);
        i += from_old;
        j += from_found;
    }
    return out;
}

static void merge_segment(const Job* job, int32_t s)
{
    SticTreeMethod* tree = job->tree;
    const SticSegments *olds = &tree->candidates, *founds = &tree->found;
    SticKeyList old = {0};
    if (s < olds->segments)
        old = (SticKeyList){.key = keys_of(olds, s), .count = olds->count[s]};
    const SticKeyList found = {.key = keys_of(founds, s), .count = founds->count[s]};
    uint64_t* begin = keys_of(&tree->merged, s);
    tree->merged.count[s] = (size_t)(merge_keys(job, &old, &found, begin) - begin);
    test_keys(job, begin, tree->merged.count[s], &tree->count[s]);
}

static void merge_segments(void* self, int32_t index)
{
    const Job* job = self;
    const int32_t width = stic_segments_chunk(job->segments), first = index * width;
    for (int32_t s = first; s < first + width; ++s)
        if (s < job->tree->merged.segments)
            merge_segment(job, s);
}

// close the gaps and cut the candidates into segments of another width
static void cut_again(SticSegments* segments, int32_t shift)
{
    size_t total = 0;
    for (int32_t s = 0; s < segments->segments; ++s) {
        if (segments->count[s] > 0)
            memmove(segments->keys.key + total, keys_of(segments, s),
                    segments->count[s] * sizeof *segments->keys.key);
        total += segments->count[s];
    }
    // wider segments only, as slots never become fewer: the arrays are large enough
    int32_t count = 0;
    for (size_t i = 0; i < total; ++i) {
        const int32_t s = stic_pair_low(segments->keys.key[i]) >> shift;
        for (; count <= s; ++count) {
            segments->begin[count] = i;
            segments->count[count] = 0;
        }
        segments->count[s] += 1;
    }
    segments->segments = count;
    segments->shift = shift;
}

// room for the merged list: the worst case, old plus found, segment by segment
static SticStatus plan_merge(SticBroad* broad, SticTreeMethod* tree)
{
    const SticContext* context = &broad->context;
    SticSegments *olds = &tree->candidates, *merged = &tree->merged;
    if (olds->shift != tree->found.shift)
        cut_again(olds, tree->found.shift);
    merged->shift = tree->found.shift;
    merged->segments = tree->found.segments;
    const size_t wide = (size_t)merged->segments;
    STIC_TRY(STIC_RESERVE(context, &merged->begin, &merged->begin_capacity, wide));
    STIC_TRY(STIC_RESERVE(context, &merged->count, &merged->count_capacity, wide));
    size_t total = 0;
    for (int32_t s = 0; s < merged->segments; ++s) {
        merged->begin[s] = total;
        total += tree->found.count[s] + (s < olds->segments ? olds->count[s] : 0);
    }
    // the two lists take turns: both get the room that one of them needs
    STIC_TRY(STIC_RESERVE(context, &merged->keys.key, &merged->keys.capacity, total));
    STIC_TRY(STIC_RESERVE(context, &olds->keys.key, &olds->keys.capacity, total));
    merged->keys.count = total;
    return STIC_OK;
}

// flags of the last update again, after a failure
static void undo_flags(SticSegments* segments)
{
    for (int32_t s = 0; s < segments->segments; ++s)
        for (size_t i = 0; i < segments->count[s]; ++i) {
            uint64_t* key = &segments->keys.key[segments->begin[s] + i];
            const uint64_t before = *key >> 1 & STIC_PAIR_NOW;
            *key = (*key & ~(uint64_t)(STIC_PAIR_NOW | STIC_PAIR_BEFORE)) | before;
        }
}

// counts become positions; pairs of a segment without events at an unchanged place stay as they are
static SticStatus place_results(SticBroad* broad, const SticSegments* segments)
{
    SticTreeMethod* tree = broad->tree;
    const bool reusable = tree->written_shift == segments->shift;
    size_t now = 0, created = 0, released = 0;
    for (int32_t s = 0; s < segments->segments; ++s) {
        SticSegmentCount* count = &tree->count[s];
        count->stale =
            !reusable || count->now_begin != now || count->created > 0 || count->released > 0;
        count->now_begin = now;
        count->created_begin = created;
        count->released_begin = released;
        now += count->now;
        created += count->created;
        released += count->released;
    }
    // not reusable until written
    tree->written_shift = -1;
    const SticContext* context = &broad->context;
    STIC_TRY(STIC_RESERVE(context, &broad->pairs.pair, &broad->pairs.capacity, now));
    STIC_TRY(STIC_RESERVE(context, &broad->created.pair, &broad->created.capacity, created));
    STIC_TRY(STIC_RESERVE(context, &broad->released.pair, &broad->released.capacity, released));
    broad->pairs.count = now;
    broad->created.count = created;
    broad->released.count = released;
    return STIC_OK;
}

// Pairs go through a buffer, where the next one may overwrite the last if that was not a pair: no
// branch depends on the overlaps, which follow no pattern.
static void write_segment(const Job* job, int32_t s)
{
    SticBoxPair buffer[BUFFER];
    const SticSegmentCount* count = &job->tree->count[s];
    const uint64_t* keys = keys_of(job->segments, s);
    const size_t key_count = job->segments->count[s];
    SticBoxPair* pair = place_of(&job->broad->pairs, count->now_begin);
    SticBoxPair* created = place_of(&job->broad->created, count->created_begin);
    SticBoxPair* released = place_of(&job->broad->released, count->released_begin);
    for (size_t first = 0; first < key_count; first += BUFFER) {
        const size_t last = key_count - first < BUFFER ? key_count : first + BUFFER;
        size_t filled = 0;
        for (size_t i = first; i < last; ++i) {
            const SticBoxPair found = {stic_pair_low(keys[i]), stic_pair_high(keys[i])};
            const uint64_t flags = keys[i] & (STIC_PAIR_NOW | STIC_PAIR_BEFORE);
            buffer[filled] = found;
            filled += flags & STIC_PAIR_NOW;
            if (flags == STIC_PAIR_NOW)
                *created++ = found;
            else if (flags == STIC_PAIR_BEFORE)
                *released++ = found;
        }
        if (filled > 0) {
            memcpy(pair, buffer, filled * sizeof *pair);
            pair += filled;
        }
    }
}

static void write_segments(void* self, int32_t index)
{
    const Job* job = self;
    const int32_t width = stic_segments_chunk(job->segments), first = index * width;
    for (int32_t s = first; s < first + width; ++s)
        if (s < job->segments->segments && job->tree->count[s].stale)
            write_segment(job, s);
}

SticStatus stic_candidates_update(SticBroad* broad, bool changed, bool full)
{
    SticTreeMethod* tree = broad->tree;
    const SticContext* context = &broad->context;
    if (changed)
        STIC_TRY(plan_merge(broad, tree));
    SticSegments* segments = changed ? &tree->merged : &tree->candidates;
    STIC_TRY(STIC_RESERVE(context, &tree->count, &tree->count_capacity, segments->segments));

    // test; a merge leaves the old list as it is until the result is complete
    Job job = {.broad = broad, .tree = tree, .segments = segments, .full = full};
    const int32_t chunks = stic_chunk_count(segments->segments, stic_segments_chunk(segments));
    stic_pool_run(context->pool, chunks, changed ? merge_segments : test_segments, &job);
    const SticStatus status = place_results(broad, segments);
    if (status != STIC_OK) {
        if (!changed)
            undo_flags(segments);
        return status;
    }
    stic_pool_run(context->pool, chunks, write_segments, &job);
    tree->written_shift = segments->shift;
    if (changed) {
        const SticSegments swapped = tree->candidates;
        tree->candidates = tree->merged;
        tree->merged = swapped;
    }
    return STIC_OK;
}

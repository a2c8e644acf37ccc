// SPDX-License-Identifier: Apache-2.0
// Candidates of the default method: pairs whose enlarged boxes overlap, sorted, with two flags.
//
// Each update tests every candidate with its true boxes; the flags of this update and the one
// before give the events. Candidates of boxes that were searched for anew are replaced by merging
// the old list with what was found. A replaced candidate that overlapped before stays once more,
// marked dead, so that its release is reported. The list is kept in segments of low handles, which
// are also the chunks of work; O(candidates) with one random access each.
#include "collide/tree_method.h"

enum { SEGMENTS_A_CHUNK = 8, AHEAD = 24 }; // prefetch distance, in candidates

typedef struct Job {
    SticBroad* broad;
    SticTreeMethod* tree;
    const SticSegments* segments; // that the result is written from
    bool full;
} Job;

// the key with its flags renewed
static uint64_t tested(const Job* job, uint64_t key, SticSegmentCount* count)
{
    const int32_t low = stic_pair_low(key), high = stic_pair_high(key);
    const SticMeet meet = stic_mapped_meet(&job->tree->tight[low], &job->tree->tight[high]);
    const uint64_t meets = meet == STIC_UNSURE
                               ? stic_box_meets(&job->broad->box[low], &job->broad->box[high])
                               : meet == STIC_MEET;
    const uint64_t now = meets & ~(key >> 2), before = key & STIC_PAIR_NOW;
    count->now += now;
    count->created += now & ~before;
    count->released += before & ~now;
    return (key & ~(uint64_t)(STIC_PAIR_NOW | STIC_PAIR_BEFORE)) | before << 1 | now;
}

static void fetch_ahead(const Job* job, const uint64_t* keys, size_t at, size_t count)
{
#if defined(__GNUC__)
    if (at + AHEAD < count)
        __builtin_prefetch(&job->tree->tight[stic_pair_high(keys[at + AHEAD])]);
#else
    (void)job, (void)keys, (void)at, (void)count;
#endif
}

static void store_count(SticSegmentCount* to, const SticSegmentCount* total)
{
    to->now = total->now;
    to->created = total->created;
    to->released = total->released;
}

static void test_segment(const Job* job, int32_t s)
{
    uint64_t* keys = job->tree->candidates.keys.key + job->tree->candidates.begin[s];
    const size_t count = job->tree->candidates.count[s];
    SticSegmentCount total = {0};
    for (size_t i = 0; i < count; ++i) {
        fetch_ahead(job, keys, i, count);
        keys[i] = tested(job, keys[i], &total);
    }
    store_count(&job->tree->count[s], &total);
}

static void test_segments(void* self, int32_t index)
{
    const Job* job = self;
    const int32_t first = index * SEGMENTS_A_CHUNK;
    for (int32_t s = first; s < first + SEGMENTS_A_CHUNK; ++s)
        if (s < job->tree->candidates.segments)
            test_segment(job, s);
}

// whether an old candidate that was not found again may stay
static bool stays(const Job* job, uint64_t key)
{
    const uint8_t* state = job->broad->state;
    return !job->full && !(key & STIC_PAIR_DEAD) &&
           !((state[stic_pair_low(key)] | state[stic_pair_high(key)]) & STIC_SLOT_TOUCHED);
}

// an old candidate that was not found again: kept, kept for its release, or dropped
static uint64_t* keep_old(const Job* job, uint64_t key, uint64_t* out, SticSegmentCount* total)
{
    if (stays(job, key)) {
        *out++ = tested(job, key, total);
    } else if (key & STIC_PAIR_NOW) {
        *out++ = (key & ~(uint64_t)STIC_PAIR_FLAGS) | STIC_PAIR_BEFORE | STIC_PAIR_DEAD;
        total->released += 1;
    }
    return out;
}

static void merge_segment(const Job* job, int32_t s)
{
    SticTreeMethod* tree = job->tree;
    const SticSegments *olds = &tree->candidates, *founds = &tree->found;
    const size_t old_count = s < olds->segments ? olds->count[s] : 0;
    const size_t found_count = founds->count[s];
    const uint64_t* old = olds->keys.key + (s < olds->segments ? olds->begin[s] : 0);
    const uint64_t* found = founds->keys.key + founds->begin[s];
    uint64_t* out = tree->merged.keys.key + tree->merged.begin[s];
    SticSegmentCount total = {0};
    size_t i = 0, j = 0;
    while (j < found_count) {
        fetch_ahead(job, found, j, found_count);
        while (i < old_count && (old[i] | STIC_PAIR_FLAGS) < found[j])
            out = keep_old(job, old[i++], out, &total);
        uint64_t key = found[j++];
        if (i < old_count && (old[i] & ~(uint64_t)STIC_PAIR_FLAGS) == key)
            key |= old[i++] & STIC_PAIR_NOW;
        *out++ = tested(job, key, &total);
    }
    while (i < old_count)
        out = keep_old(job, old[i++], out, &total);
    tree->merged.count[s] = (size_t)(out - tree->merged.keys.key) - tree->merged.begin[s];
    store_count(&tree->count[s], &total);
}

static void merge_segments(void* self, int32_t index)
{
    const Job* job = self;
    const int32_t first = index * SEGMENTS_A_CHUNK;
    for (int32_t s = first; s < first + SEGMENTS_A_CHUNK; ++s)
        if (s < job->tree->merged.segments)
            merge_segment(job, s);
}

// close the gaps and cut the candidates into segments of another width
static void cut_again(SticSegments* segments, int32_t shift)
{
    size_t total = 0;
    for (int32_t s = 0; s < segments->segments; ++s) {
        memmove(segments->keys.key + total, segments->keys.key + segments->begin[s],
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
    STIC_TRY(STIC_RESERVE(context, &merged->keys.key, &merged->keys.capacity, total));
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

static void write_segment(const Job* job, int32_t s)
{
    const SticSegmentCount* count = &job->tree->count[s];
    const uint64_t* keys = job->segments->keys.key + job->segments->begin[s];
    SticBoxPair* pair = job->broad->pairs.pair + count->now_begin;
    SticBoxPair* created = job->broad->created.pair + count->created_begin;
    SticBoxPair* released = job->broad->released.pair + count->released_begin;
    for (size_t i = 0; i < job->segments->count[s]; ++i) {
        const SticBoxPair found = {stic_pair_low(keys[i]), stic_pair_high(keys[i])};
        const uint64_t flags = keys[i] & (STIC_PAIR_NOW | STIC_PAIR_BEFORE);
        if (flags & STIC_PAIR_NOW)
            *pair++ = found;
        if (flags == STIC_PAIR_NOW)
            *created++ = found;
        else if (flags == STIC_PAIR_BEFORE)
            *released++ = found;
    }
}

static void write_segments(void* self, int32_t index)
{
    const Job* job = self;
    const int32_t first = index * SEGMENTS_A_CHUNK;
    for (int32_t s = first; s < first + SEGMENTS_A_CHUNK; ++s)
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
    const int32_t chunks = stic_chunk_count(segments->segments, SEGMENTS_A_CHUNK);
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

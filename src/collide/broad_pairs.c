// SPDX-License-Identifier: Apache-2.0
// Sorting of pair keys.
//
// Keys come in several lists (one per chunk of the search). They are counted and scattered into
// segments of consecutive low handles, then each segment is sorted by itself in cache: by counting
// on the low handle, then by insertion (short runs) or radix (long ones) on the high handle. Lists
// and segments are functions of the data, so that threads change nothing. O(pairs) for short runs.
#include "collide/broad_internal.h"

enum {
    SEGMENT_BITS = 11, // about 2048 open write positions still fit a second-level cache
    SHIFT_LOW = 6,     // narrower segments cost more bookkeeping than sorting
    SHIFT_HIGH = 12,   // counters of a segment stay on the stack
    TINY = 32          // below this insertion beats counting
};

int32_t stic_segments_shift(int32_t slots)
{
    STIC_ASSERT(slots >= 0);
    int32_t bits = 0;
    while (bits < 31 && (int64_t)1 << bits < slots)
        bits += 1;
    const int32_t shift = bits - SEGMENT_BITS;
    return shift < SHIFT_LOW ? SHIFT_LOW : shift > SHIFT_HIGH ? SHIFT_HIGH : shift;
}

typedef struct Job {
    const SticKeyList* lists;
    SticPairSort* sort;
    SticSegments* segments;
} Job;

static int32_t segment_of(uint64_t key, int32_t shift)
{
    return stic_pair_low(key) >> shift;
}

static void count_list(void* self, int32_t index)
{
    const Job* job = self;
    const SticKeyList* list = &job->lists[index];
    size_t* place = job->sort->place + (size_t)index * (size_t)job->segments->segments;
    memset(place, 0, (size_t)job->segments->segments * sizeof *place);
    for (size_t i = 0; i < list->count; ++i)
        place[segment_of(list->key[i], job->segments->shift)] += 1;
}

// counts become positions: segment by segment, list by list
static void place_lists(const Job* job, int32_t list_count)
{
    const SticSegments* segments = job->segments;
    size_t total = 0;
    for (int32_t s = 0; s < segments->segments; ++s) {
        segments->begin[s] = total;
        for (int32_t l = 0; l < list_count; ++l) {
            size_t* place = &job->sort->place[(size_t)l * (size_t)segments->segments + (size_t)s];
            const size_t count = *place;
            *place = total;
            total += count;
        }
        segments->count[s] = total - segments->begin[s];
    }
}

static void scatter_list(void* self, int32_t index)
{
    const Job* job = self;
    const SticKeyList* list = &job->lists[index];
    size_t* place = job->sort->place + (size_t)index * (size_t)job->segments->segments;
    uint64_t* to = job->sort->scattered.key;
    for (size_t i = 0; i < list->count; ++i)
        to[place[segment_of(list->key[i], job->segments->shift)]++] = list->key[i];
}

// keys of one segment from `from` to `to`, which are both free to overwrite
static void sort_segment(uint64_t* from, uint64_t* to, size_t count, int32_t shift)
{
    uint32_t end[(1 << SHIFT_HIGH) + 1];
    const int32_t width = 1 << shift;
    if (count < TINY) {
        memcpy(to, from, count * sizeof *to);
        stic_few_sort(to, count, 0);
        return;
    }
    // counting sort on the low handle
    memset(end, 0, (size_t)(width + 1) * sizeof *end);
    for (size_t i = 0; i < count; ++i)
        end[(stic_pair_low(from[i]) & (width - 1)) + 1] += 1;
    for (int32_t i = 0; i < width; ++i)
        end[i + 1] += end[i];
    for (size_t i = 0; i < count; ++i)
        to[end[stic_pair_low(from[i]) & (width - 1)]++] = from[i];
    // now end[i] is where the run of low handle i ends
    size_t begin = 0;
    for (int32_t i = 0; i < width; ++i) {
        const size_t length = end[i] - begin;
        if (length < TINY)
            stic_few_sort(to + begin, length, 0);
        else
            stic_radix_sort(to + begin, from + begin, length, STIC_PAIR_HIGH_SHIFT,
                            STIC_HANDLE_BITS);
        begin = end[i];
    }
}

static void sort_segments(void* self, int32_t index)
{
    const Job* job = self;
    const SticSegments* segments = job->segments;
    const int32_t width = stic_segments_chunk(segments), first = index * width;
    for (int32_t s = first; s < first + width && s < segments->segments; ++s)
        if (segments->count[s] > 0)
            sort_segment(job->sort->scattered.key + segments->begin[s],
                         segments->keys.key + segments->begin[s], segments->count[s],
                         segments->shift);
}

SticStatus stic_pairs_sort(const SticContext* context, SticPairSort* sort, const SticKeyList* lists,
                           int32_t list_count, int32_t slots, SticSegments* segments)
{
    STIC_ASSERT(list_count >= 0);
    STIC_ASSERT(slots >= 0);
    segments->shift = stic_segments_shift(slots);
    segments->segments = (slots >> segments->shift) + 1;
    const size_t wide = (size_t)segments->segments;
    size_t total = 0;
    for (int32_t i = 0; i < list_count; ++i)
        total += lists[i].count;
    // positions inside a segment are 32 bits
    if (total > UINT32_MAX)
        return STIC_OUT_OF_MEMORY;
    STIC_TRY(STIC_RESERVE(context, &sort->scattered.key, &sort->scattered.capacity, total));
    STIC_TRY(STIC_RESERVE(context, &sort->place, &sort->place_capacity, (size_t)list_count * wide));
    STIC_TRY(STIC_RESERVE(context, &segments->keys.key, &segments->keys.capacity, total));
    STIC_TRY(STIC_RESERVE(context, &segments->begin, &segments->begin_capacity, wide));
    STIC_TRY(STIC_RESERVE(context, &segments->count, &segments->count_capacity, wide));
    segments->keys.count = total;

    Job job = {.lists = lists, .sort = sort, .segments = segments};
    stic_pool_run(context->pool, list_count, count_list, &job);
    place_lists(&job, list_count);
    stic_pool_run(context->pool, list_count, scatter_list, &job);
    stic_pool_run(context->pool,
                  stic_chunk_count(segments->segments, stic_segments_chunk(segments)),
                  sort_segments, &job);
    return STIC_OK;
}

void stic_pairs_sort_release(const SticContext* context, SticPairSort* sort)
{
    STIC_RELEASE(context, sort->scattered.key, sort->scattered.capacity);
    STIC_RELEASE(context, sort->place, sort->place_capacity);
}

void stic_segments_release(const SticContext* context, SticSegments* segments)
{
    STIC_RELEASE(context, segments->keys.key, segments->keys.capacity);
    STIC_RELEASE(context, segments->begin, segments->begin_capacity);
    STIC_RELEASE(context, segments->count, segments->count_capacity);
}

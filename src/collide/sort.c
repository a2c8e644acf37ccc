// SPDX-License-Identifier: Apache-2.0
// Merge and insertion sort of records.
//
// A bottom-up merge without recursion (Koziara's thesis, algorithm 9.1.8, on arrays instead of
// lists) above runs made by insertion; insertion alone serves data that are nearly sorted from the
// step before (9.1.9), with a bound on its work so that motion without coherence costs O(n log n)
// and not O(n^2).
#include "collide/sort.h"

enum { RUN = 16, MOVES_PER_RECORD = 8 };

// insertion sort that stops after `limit` moves; true if it finished
static bool insert_records(SticSortRecord* records, size_t count, size_t limit)
{
    size_t moves = 0;
    for (size_t i = 1; i < count; ++i) {
        const SticSortRecord record = records[i];
        size_t at = i;
        for (; at > 0 && stic_record_less(&record, &records[at - 1]); --at)
            records[at] = records[at - 1];
        records[at] = record;
        moves += i - at;
        if (moves > limit)
            return false;
    }
    return true;
}

void stic_merge_records(const SticSortRecord* a, size_t a_count, const SticSortRecord* b,
                        size_t b_count, SticSortRecord* out)
{
    STIC_ASSERT((out != a || a_count == 0) && (out != b || b_count == 0));
    size_t i = 0, j = 0;
    while (i < a_count && j < b_count) {
        const bool second = stic_record_less(&b[j], &a[i]);
        *out++ = second ? b[j] : a[i];
        j += second;
        i += !second;
    }
    if (i < a_count)
        memcpy(out, a + i, (a_count - i) * sizeof *a);
    else if (j < b_count)
        memcpy(out, b + j, (b_count - j) * sizeof *b);
}

void stic_sort_records(SticSortRecord* records, SticSortRecord* scratch, size_t count)
{
    STIC_ASSERT(records != scratch || count == 0);
    for (size_t i = 0; i < count; i += RUN)
        insert_records(records + i, count - i < RUN ? count - i : RUN, SIZE_MAX);

    SticSortRecord *from = records, *to = scratch;
    for (size_t run = RUN; run < count; run *= 2) {
        for (size_t i = 0; i < count; i += 2 * run) {
            const size_t left = count - i < run ? count - i : run;
            const size_t rest = count - i - left;
            stic_merge_records(from + i, left, from + i + left, rest < run ? rest : run, to + i);
        }
        SticSortRecord* swapped = from;
        from = to;
        to = swapped;
    }
    if (from != records)
        memcpy(records, from, count * sizeof *records);
}

void stic_sort_coherent(SticSortRecord* records, SticSortRecord* scratch, size_t count)
{
    if (!insert_records(records, count, MOVES_PER_RECORD * count + RUN))
        stic_sort_records(records, scratch, count);
}

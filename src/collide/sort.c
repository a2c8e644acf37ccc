// SPDX-License-Identifier: Apache-2.0
// Radix, merge and insertion sort.
//
// Integer keys are sorted by digits of eight bits from the lowest up (stable; a digit that all keys
// share costs no pass). Records are sorted by a bottom-up merge without recursion (Koziara's
// thesis, algorithm 9.1.8, on arrays instead of lists) above runs made by insertion; insertion
// alone serves data that are nearly sorted from the step before (9.1.9), with a bound on its work
// so that motion without coherence costs O(n log n) and not O(n^2).
#include "collide/sort.h"

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS, SHORT = 48, RUN = 16, MOVES_PER_RECORD = 8 };

// one pass by the digit at `shift`; false if all keys share it
static bool radix_pass(const uint64_t* from, uint64_t* to, size_t count, int shift,
                       const size_t histogram[DIGITS])
{
    size_t place[DIGITS];
    size_t total = 0;
    if (histogram[from[0] >> shift & (DIGITS - 1)] == count)
        return false;
    for (int i = 0; i < DIGITS; ++i) {
        place[i] = total;
        total += histogram[i];
    }
    for (size_t i = 0; i < count; ++i)
        to[place[from[i] >> shift & (DIGITS - 1)]++] = from[i];
    return true;
}

void stic_radix_sort(uint64_t* keys, uint64_t* scratch, size_t count, int first_bit, int bits)
{
    size_t histogram[8][DIGITS];
    const int passes = (bits + DIGIT_BITS - 1) / DIGIT_BITS;
    if (count < SHORT) {
        stic_sort_few(keys, count, first_bit);
        return;
    }
    // all histograms in one reading
    memset(histogram, 0, (size_t)passes * sizeof histogram[0]);
    for (size_t i = 0; i < count; ++i)
        for (int pass = 0; pass < passes; ++pass)
            histogram[pass][keys[i] >> (first_bit + pass * DIGIT_BITS) & (DIGITS - 1)] += 1;

    uint64_t *from = keys, *to = scratch;
    for (int pass = 0; pass < passes; ++pass)
        if (radix_pass(from, to, count, first_bit + pass * DIGIT_BITS, histogram[pass])) {
            uint64_t* swapped = from;
            from = to;
            to = swapped;
        }
    if (from != keys)
        memcpy(keys, from, count * sizeof *keys);
}

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

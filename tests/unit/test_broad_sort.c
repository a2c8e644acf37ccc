// SPDX-License-Identifier: Apache-2.0
// The sorts of the broad phase against the C library's, their stability, keys of doubles.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collide/sort.h"
#include "helpers/helpers.h"

enum { MOST = 5000 };

static int compare_records(const void* a, const void* b)
{
    const SticSortRecord *p = a, *q = b;
    if (p->key != q->key)
        return p->key < q->key ? -1 : 1;
    return p->tag < q->tag ? -1 : p->tag > q->tag;
}

static void radix_sort_matches_the_library(void** state)
{
    (void)state;
    uint64_t *keys = malloc(MOST * sizeof *keys), *scratch = malloc(MOST * sizeof *keys),
             *expected = malloc(MOST * sizeof *keys);
    SticRandom random = stic_random_create(1);
    for (size_t count = 0; count <= MOST; count = count * 3 / 2 + 1)
        for (int bits = 1; bits <= 64; bits += 9) {
            for (size_t i = 0; i < count; ++i)
                expected[i] = keys[i] = stic_random_bits(&random) >> (64 - bits);
            qsort(expected, count, sizeof *keys, test_order_keys);
            stic_radix_sort(keys, scratch, count, 0, bits);
            assert_memory_equal(keys, expected, count * sizeof *keys);
        }
    free(keys);
    free(scratch);
    free(expected);
}

static void values_move_with_their_keys(void** state)
{
    (void)state;
    enum { COUNT = 3000 };
    static uint64_t key[COUNT], key_scratch[COUNT], before[COUNT];
    static int32_t value[COUNT], value_scratch[COUNT];
    SticRandom random = stic_random_create(4);
    for (int shift = 0; shift < 64; shift += 7) {
        for (int32_t i = 0; i < COUNT; ++i) {
            before[i] = key[i] = stic_random_bits(&random) >> shift;
            value[i] = i;
        }
        stic_radix_sort_values(COUNT, key, value, key_scratch, value_scratch);
        for (int32_t i = 0; i < COUNT; ++i) {
            test_equal(key[i], before[value[i]]);
            assert_true(i == 0 || key[i - 1] < key[i] ||
                        (key[i - 1] == key[i] && value[i - 1] < value[i]));
        }
    }
}

static void radix_sort_keeps_the_order_of_equals(void** state)
{
    (void)state;
    uint64_t keys[1000], scratch[1000];
    SticRandom random = stic_random_create(2);
    for (size_t count = 10; count <= 1000; count *= 10) {
        // seven values above the lowest 32 bits, which number the keys backwards
        for (size_t i = 0; i < count; ++i)
            keys[i] = (stic_random_bits(&random) % 7) << 32 | (count - i);
        stic_radix_sort(keys, scratch, count, 32, 30);
        for (size_t i = 1; i < count; ++i) {
            test_at_least(keys[i] >> 32, keys[i - 1] >> 32);
            if (keys[i] >> 32 == keys[i - 1] >> 32)
                test_less((keys[i] & 0xffffffffu), (keys[i - 1] & 0xffffffffu));
        }
    }
}

static void record_sorts_match_the_library(void** state)
{
    (void)state;
    SticSortRecord *records = malloc(MOST * sizeof *records),
                   *scratch = malloc(MOST * sizeof *records),
                   *expected = malloc(MOST * sizeof *records);
    SticRandom random = stic_random_create(3);
    for (size_t count = 0; count <= MOST; count = count * 3 / 2 + 1)
        for (int disorder = 0; disorder < 4; ++disorder) {
            // from sorted to anything; keys repeat, tags decide
            for (size_t i = 0; i < count; ++i) {
                const uint64_t noise = stic_random_bits(&random) % (1u << 6 * disorder);
                records[i] = (SticSortRecord){.key = (i + noise) / 4,
                                              .tag = (uint32_t)stic_random_bits(&random)};
            }
            memcpy(expected, records, count * sizeof *records);
            qsort(expected, count, sizeof *records, compare_records);
            if (disorder % 2 == 0)
                stic_sort_coherent(records, scratch, count);
            else
                stic_sort_records(records, scratch, count);
            for (size_t i = 0; i < count; ++i) {
                test_equal(records[i].key, expected[i].key);
                test_equal(records[i].tag, expected[i].tag);
            }
        }
    free(records);
    free(scratch);
    free(expected);
}

static void keys_order_doubles(void** state)
{
    (void)state;
    const double values[] = {-INFINITY, -1e300, -1.0, -1e-300, -5e-324, 0.0,
                             5e-324,    1e-300, 1.0,  1e300,   INFINITY};
    for (size_t i = 0; i < sizeof values / sizeof *values; ++i) {
        test_equal(stic_sort_value(stic_sort_key(values[i])), values[i]);
        for (size_t j = 0; j < sizeof values / sizeof *values; ++j)
            test_equal((stic_sort_key(values[i]) < stic_sort_key(values[j])),
                       (values[i] < values[j]));
    }
    test_equal(stic_sort_key(-0.0), stic_sort_key(0.0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(radix_sort_matches_the_library),
        cmocka_unit_test(radix_sort_keeps_the_order_of_equals),
        cmocka_unit_test(values_move_with_their_keys),
        cmocka_unit_test(record_sorts_match_the_library),
        cmocka_unit_test(keys_order_doubles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

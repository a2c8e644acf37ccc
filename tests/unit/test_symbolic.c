// SPDX-License-Identifier: Apache-2.0
// Symbolic analysis and orderings against elimination played on a dense pattern.
#include <string.h>

#include "helpers/helpers.h"
#include "sparse/symbolic.h"

enum { MAX_PARTS = 80, MAX_SIZE = MAX_PARTS * 4 };

typedef struct Sample {
    SticArena* arena;
    int32_t parts, at[MAX_PARTS + 1];
    SticBlockCsr A;
    int32_t owner[MAX_SIZE];
    bool link[MAX_PARTS][MAX_PARTS]; // pattern of A + A'
} Sample;

static Sample sample;

static void make_sample(SticRandom* random, int32_t parts, int32_t links, bool arrow)
{
    int32_t row[4 * MAX_PARTS], col[4 * MAX_PARTS], count = 0;
    const SticContext context = stic_context_default();
    memset(&sample, 0, sizeof sample);
    sample.parts = parts;
    for (int32_t i = 0; i < parts; ++i) {
        sample.at[i + 1] = sample.at[i] + test_random_index(random, 1, 4);
        for (int32_t k = sample.at[i]; k < sample.at[i + 1]; ++k)
            sample.owner[k] = i;
    }
    for (int32_t k = 0; k < links && !arrow; ++k) {
        row[count] = test_random_index(random, 0, parts - 1);
        col[count++] = test_random_index(random, 0, parts - 1);
    }
    for (int32_t i = 1; i < parts && arrow; ++i) {
        row[count] = i % 2 ? 0 : i;
        col[count++] = i % 2 ? i : 0;
    }
    for (int32_t k = 0; k < count; ++k)
        sample.link[row[k]][col[k]] = sample.link[col[k]][row[k]] = true;
    assert_int_equal(stic_arena_create(&context, 0, &sample.arena), STIC_OK);
    const SticPartition partition = {parts, parts, sample.at, sample.at};
    const SticBlockTriplets triplets = {count, row, col, NULL};
    assert_int_equal(
        stic_block_csr_from_blocks(&partition, &triplets, sample.arena, &sample.A, NULL), STIC_OK);
}

// scalars of one triangle after eliminating blocks in the order found by the analysis; fill[][] by
// place of elimination
static int64_t eliminate(const SticSymbolic* symbolic, bool fill[MAX_PARTS][MAX_PARTS],
                         int32_t* size)
{
    int32_t order[MAX_PARTS], n = 0;
    for (int32_t p = 0; p < symbolic->size; ++p) {
        const int32_t block = sample.owner[symbolic->scalar_order[p]];
        if (n == 0 || order[n - 1] != block)
            order[n++] = block;
    }
    assert_int_equal(n, sample.parts);
    int64_t values = 0;
    for (int32_t i = 0; i < n; ++i) {
        size[i] = sample.at[order[i] + 1] - sample.at[order[i]];
        for (int32_t j = 0; j < n; ++j)
            fill[i][j] = sample.link[order[i]][order[j]];
    }
    for (int32_t k = 0; k < n; ++k) {
        values += size[k] * (size[k] + 1) / 2;
        for (int32_t i = k + 1; i < n; ++i) {
            values += fill[i][k] ? size[i] * size[k] : 0;
            for (int32_t j = k + 1; j < n && fill[i][k]; ++j)
                fill[i][j] = fill[i][j] || fill[j][k];
        }
    }
    return values;
}

// every entry that elimination fills must have a place in the supernode of its column
static void check_cover(const SticSymbolic* symbolic, bool fill[MAX_PARTS][MAX_PARTS],
                        const int32_t* size)
{
    int32_t place[MAX_SIZE]; // block of each scalar in elimination order
    for (int32_t i = 0, p = 0; i < sample.parts; ++i)
        for (int32_t k = 0; k < size[i]; ++k)
            place[p++] = i;
    for (int32_t s = 0; s < symbolic->supernodes; ++s) {
        bool held[MAX_PARTS] = {false};
        int32_t before = -1;
        for (int32_t r = symbolic->row_begin[s]; r < symbolic->row_begin[s + 1]; ++r) {
            test_greater(symbolic->row[r], before);
            test_at_least(symbolic->row[r], symbolic->first[s + 1]);
            before = symbolic->row[r];
            held[place[before]] = true;
        }
        for (int32_t p = symbolic->first[s]; p < symbolic->first[s + 1]; ++p) {
            held[place[p]] = true;
            for (int32_t i = place[p] + 1; i < sample.parts; ++i)
                assert_true(!fill[i][place[p]] || held[i] ||
                            i <= place[symbolic->first[s + 1] - 1]);
        }
        // positions in the parent's front name the same rows
        const int32_t up = symbolic->parent[s];
        if (up == -1) {
            test_equal(symbolic->row_begin[s], symbolic->row_begin[s + 1]);
        } else {
            test_greater(up, s);
        }
        for (int32_t r = symbolic->row_begin[s]; r < symbolic->row_begin[s + 1]; ++r) {
            const int32_t at = symbolic->relative[r], w = stic_supernode_width(symbolic, up);
            const int32_t named =
                at < w ? symbolic->first[up] + at : symbolic->row[symbolic->row_begin[up] + at - w];
            assert_int_equal(named, symbolic->row[r]);
        }
    }
}

static void all_fill_has_a_place(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticRandom random = stic_random_create(51);
    const TestTable table = test_table_begin("values of one triangle",
                                             "blocks|links|order  |needed |stored |supernodes");
    for (int pass = 0; pass < 24; ++pass) {
        const int32_t parts = test_random_index(&random, 1, MAX_PARTS),
                      links = test_random_index(&random, 0, 2 * parts);
        const SticOrdering ordering = pass % 2 ? STIC_ORDERING_NATURAL : STIC_ORDERING_AMD;
        make_sample(&random, parts, links, false);
        SticSymbolic* symbolic = NULL;
        assert_int_equal(stic_symbolic_create(&context, &sample.A, ordering, &symbolic, NULL),
                         STIC_OK);
        static bool fill[MAX_PARTS][MAX_PARTS];
        int32_t size[MAX_PARTS];
        const int64_t needed = eliminate(symbolic, fill, size);
        const SticSymbolicInfo info = stic_symbolic_info(symbolic);
        test_table_row(&table, "%d|%d|%s|%lld|%lld|%d", parts, links,
                       ordering == STIC_ORDERING_AMD ? "AMD" : "natural", (long long)needed,
                       (long long)info.values, info.supernodes);
        check_cover(symbolic, fill, size);
        test_at_least(info.values, needed);
        assert_true(stic_symbolic_fits(symbolic, &sample.A));
        stic_symbolic_destroy(symbolic);
        stic_arena_destroy(sample.arena);
    }
}

static void minimum_degree_leaves_an_arrow_as_it_is(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticRandom random = stic_random_create(52);
    make_sample(&random, MAX_PARTS, 0, true);
    int64_t values[2], needed[2];
    for (int pass = 0; pass < 2; ++pass) {
        SticSymbolic* symbolic = NULL;
        assert_int_equal(stic_symbolic_create(&context, &sample.A,
                                              pass ? STIC_ORDERING_NATURAL : STIC_ORDERING_AMD,
                                              &symbolic, NULL),
                         STIC_OK);
        static bool fill[MAX_PARTS][MAX_PARTS];
        int32_t size[MAX_PARTS];
        needed[pass] = eliminate(symbolic, fill, size);
        values[pass] = stic_symbolic_info(symbolic).values;
        stic_symbolic_destroy(symbolic);
    }
    const int64_t n = sample.at[sample.parts];
    print_message("arrow: AMD needs %lld of %lld, stores %lld; natural %lld, stores %lld\n",
                  (long long)needed[0], (long long)(n * (n + 1) / 2), (long long)values[0],
                  (long long)needed[1], (long long)values[1]);
    test_equal(needed[1], n * (n + 1) / 2);
    test_equal(values[1], needed[1]);
    test_less(values[0], values[1] / 4);

    // an order is a permutation, and the same one every time
    int32_t order[2][MAX_PARTS];
    bool seen[MAX_PARTS] = {false};
    for (int pass = 0; pass < 2; ++pass)
        assert_int_equal(stic_ordering_compute(&sample.A, STIC_ORDERING_AMD, order[pass], NULL),
                         STIC_OK);
    assert_memory_equal(order[0], order[1], sizeof order[0]);
    for (int32_t i = 0; i < MAX_PARTS; ++i) {
        test_at_least(order[0][i], 0);
        test_less(order[0][i], MAX_PARTS);
        assert_true(!seen[order[0][i]]);
        seen[order[0][i]] = true;
    }
    SticError error = {0};
    SticBlockCsr wide = sample.A;
    wide.cols -= 1;
    assert_int_equal(stic_ordering_compute(&wide, STIC_ORDERING_AMD, order[0], &error),
                     STIC_BAD_ARGUMENT);
    print_message("%s\n", error.text);
    stic_arena_destroy(sample.arena);
}

static void another_pattern_does_not_fit(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticRandom random = stic_random_create(53);
    SticSymbolic* symbolic = NULL;
    make_sample(&random, 20, 30, false);
    assert_int_equal(stic_symbolic_create(&context, &sample.A, STIC_ORDERING_AMD, &symbolic, NULL),
                     STIC_OK);
    SticArena* first = sample.arena;
    const SticBlockCsr kept = sample.A;
    int32_t kept_at[MAX_PARTS + 1];
    memcpy(kept_at, sample.at, sizeof kept_at);
    // one block moved to another column
    int32_t* col = NULL;
    assert_int_equal(STIC_TAKE(first, &col, stic_block_csr_count(&kept)), STIC_OK);
    memcpy(col, kept.col, (size_t)stic_block_csr_count(&kept) * sizeof *col);
    col[0] = (col[0] + 1) % 20;
    SticBlockCsr other = kept;
    other.col = col;
    assert_true(stic_symbolic_fits(symbolic, &kept));
    assert_false(stic_symbolic_fits(symbolic, &other));
    stic_symbolic_destroy(symbolic);
    stic_symbolic_destroy(NULL);
    stic_arena_destroy(first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_fill_has_a_place),
        cmocka_unit_test(minimum_degree_leaves_an_arrow_as_it_is),
        cmocka_unit_test(another_pattern_does_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// The arena: alignment, marks, the high-water promise, sizes that overflow, failing memory.
#include <string.h>

#include "helpers/helpers.h"

static bool is_aligned(const void* memory)
{
    return (uintptr_t)memory % 64 == 0;
}

static void pieces_are_aligned_and_disjoint(void** state)
{
    (void)state;
    TestMemory memory;
    const SticContext context = test_memory_context(&memory);
    SticArena* arena = NULL;
    assert_int_equal(stic_arena_create(&context, 1000, &arena), STIC_OK);

    // write a different byte into every piece, then read all of them back
    enum { PIECES = 200 };
    unsigned char* piece[PIECES];
    SticRandom random = stic_random_create(1);
    size_t size[PIECES];
    for (int i = 0; i < PIECES; ++i) {
        size[i] = 1 + (size_t)(stic_random_bits(&random) % 3000);
        assert_int_equal(stic_arena_take(arena, size[i], (void**)&piece[i]), STIC_OK);
        assert_true(is_aligned(piece[i]));
        memset(piece[i], i, size[i]);
    }
    for (int i = 0; i < PIECES; ++i)
        for (size_t k = 0; k < size[i]; ++k)
            assert_int_equal(piece[i][k], i);
    stic_arena_destroy(arena);
    test_memory_check(&memory);
}

// one step: pieces of the given total, some of them given back in between
static void take_step(SticArena* arena, size_t total)
{
    void* piece = NULL;
    const SticArenaMark mark = stic_arena_mark(arena);
    assert_int_equal(stic_arena_take(arena, total, &piece), STIC_OK);
    stic_arena_rewind(arena, mark);
    for (size_t taken = 0; taken < total; taken += 640)
        assert_int_equal(stic_arena_take(arena, 640, &piece), STIC_OK);
}

static void steps_below_the_high_water_mark_do_not_allocate(void** state)
{
    (void)state;
    TestMemory memory;
    const SticContext context = test_memory_context(&memory);
    SticArena* arena = NULL;
    assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
    for (size_t total = 640; total <= 640 * 1000; total *= 3) {
        take_step(arena, total);
        assert_int_equal(stic_arena_reset(arena), STIC_OK);
    }
    const int64_t calls = memory.calls;
    const size_t bytes = stic_arena_bytes(arena);
    assert_int_equal(memory.live, 2); // the arena and one merged block
    for (size_t total = 640; total <= 640 * 729; total += 6400) {
        take_step(arena, total);
        assert_int_equal(stic_arena_reset(arena), STIC_OK);
    }
    print_message("%zu bytes held after %lld allocations; none in 73 steps below the mark\n", bytes,
                  (long long)calls);
    assert_int_equal(memory.calls, calls);
    assert_int_equal(stic_arena_bytes(arena), bytes);
    stic_arena_destroy(arena);
    test_memory_check(&memory);
}

static void rewinding_gives_the_same_memory_again(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticArena* arena = NULL;
    assert_int_equal(stic_arena_create(&context, 4096, &arena), STIC_OK);
    void *before = NULL, *first = NULL, *second = NULL;
    assert_int_equal(stic_arena_take(arena, 100, &before), STIC_OK);
    const SticArenaMark mark = stic_arena_mark(arena);
    assert_int_equal(stic_arena_take(arena, 100, &first), STIC_OK);
    // far enough to open new blocks, so that the rewind crosses them
    for (int i = 0; i < 10; ++i)
        assert_int_equal(stic_arena_take(arena, 5000, &second), STIC_OK);
    stic_arena_rewind(arena, mark);
    assert_int_equal(stic_arena_take(arena, 100, &second), STIC_OK);
    assert_ptr_equal(first, second);
    assert_ptr_not_equal(before, second);
    stic_arena_destroy(arena);
}

static void impossible_sizes_are_out_of_memory(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticArena* arena = NULL;
    assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
    const size_t bytes = stic_arena_bytes(arena);
    const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX - 63, SIZE_MAX / 2, SIZE_MAX / 4};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        void* piece = arena;
        assert_int_equal(stic_arena_take(arena, sizes[i], &piece), STIC_OUT_OF_MEMORY);
        assert_null(piece);
    }
    // products that wrap around to something small
    const size_t counts[][2] = {{SIZE_MAX / 8 + 2, 8}, {(size_t)1 << 33, (size_t)1 << 31}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
        void* piece = arena;
        assert_int_equal(stic_arena_take_array(arena, counts[i][0], counts[i][1], &piece),
                         STIC_OUT_OF_MEMORY);
        assert_null(piece);
    }
    // a negative count that slipped through a conversion
    const int32_t negative = -1;
    double* values = NULL;
    assert_int_equal(STIC_TAKE(arena, &values, negative), STIC_OUT_OF_MEMORY);
    // the arena still works and has not grown
    assert_int_equal(STIC_TAKE(arena, &values, 8), STIC_OK);
    assert_int_equal(stic_arena_bytes(arena), bytes);
    stic_arena_destroy(arena);
}

// What is held is an eighth more than the most that was in use, also where that was given back
// within the step, and never twice of it.
static void an_arena_holds_what_is_in_use(void** state)
{
    (void)state;
    TestMemory memory;
    const SticContext context = test_memory_context(&memory);
    SticArena* arena = NULL;
    assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
    const size_t kept = 3000 * 640, scratch = 64 * 10000;
    for (int step = 0; step < 3; ++step) {
        void* piece = NULL;
        for (size_t taken = 0; taken < kept; taken += 640) {
            assert_int_equal(stic_arena_take(arena, 640, &piece), STIC_OK);
            const SticArenaMark mark = stic_arena_mark(arena);
            if (taken == kept / 2)
                assert_int_equal(stic_arena_take(arena, scratch, &piece), STIC_OK);
            stic_arena_rewind(arena, mark);
        }
        if (step == 0)
            test_at_most((double)stic_arena_bytes(arena), 1.25 * (double)kept + (double)scratch);
        assert_int_equal(stic_arena_reset(arena), STIC_OK);
        test_at_least((double)stic_arena_bytes(arena), (double)kept);
        test_at_most((double)stic_arena_bytes(arena), 1.125 * (double)(kept + scratch) + 64.0);
        assert_int_equal(memory.live, 2);
    }
    stic_arena_destroy(arena);
    test_memory_check(&memory);
}

static SticStatus use_arena(const SticContext* context, void* self)
{
    (void)self;
    SticArena* arena = NULL;
    STIC_TRY(stic_arena_create(context, 100, &arena));
    SticStatus status = STIC_OK;
    for (int i = 0; i < 20 && status == STIC_OK; ++i) {
        void* piece = NULL;
        status = stic_arena_take(arena, (size_t)1 << i, &piece);
        if (status == STIC_OK)
            memset(piece, 1, (size_t)1 << i);
        if (status == STIC_OK && i % 5 == 4)
            status = stic_arena_reset(arena);
    }
    stic_arena_destroy(arena);
    return status;
}

static void every_failing_allocation_is_reported_and_leaks_nothing(void** state)
{
    (void)state;
    test_greater(test_fail_every_allocation(use_arena, NULL), 6);
}

static void a_failed_take_leaves_the_arena_usable(void** state)
{
    (void)state;
    TestMemory memory;
    const SticContext context = test_memory_context(&memory);
    SticArena* arena = NULL;
    assert_int_equal(stic_arena_create(&context, 4096, &arena), STIC_OK);
    unsigned char* kept = NULL;
    assert_int_equal(stic_arena_take(arena, 64, (void**)&kept), STIC_OK);
    memset(kept, 7, 64);
    void* piece = NULL;
    memory.fail_at = memory.calls + 1;
    assert_int_equal(stic_arena_take(arena, 100000, &piece), STIC_OUT_OF_MEMORY);
    assert_null(piece);
    assert_int_equal(stic_arena_take(arena, 100000, &piece), STIC_OK);
    memset(piece, 9, 100000);
    for (int i = 0; i < 64; ++i)
        assert_int_equal(kept[i], 7);

    // a reset that cannot have its one block says so and holds nothing, not even the old ones;
    // pieces, empty ones too, can be taken as before
    memory.fail_at = memory.calls + 1;
    assert_int_equal(stic_arena_reset(arena), STIC_OUT_OF_MEMORY);
    assert_int_equal(stic_arena_bytes(arena), 0);
    double* empty = NULL;
    assert_int_equal(STIC_TAKE(arena, &empty, 0), STIC_OK);
    const SticArenaMark mark = stic_arena_mark(arena);
    assert_int_equal(stic_arena_take(arena, 100, &piece), STIC_OK);
    stic_arena_rewind(arena, mark);
    assert_int_equal(stic_arena_take(arena, 100000, &piece), STIC_OK);
    assert_int_equal(stic_arena_reset(arena), STIC_OK);
    assert_int_equal(memory.live, 2);
    stic_arena_destroy(arena);
    stic_arena_destroy(NULL);
    test_memory_check(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_aligned_and_disjoint),
        cmocka_unit_test(steps_below_the_high_water_mark_do_not_allocate),
        cmocka_unit_test(an_arena_holds_what_is_in_use),
        cmocka_unit_test(rewinding_gives_the_same_memory_again),
        cmocka_unit_test(impossible_sizes_are_out_of_memory),
        cmocka_unit_test(every_failing_allocation_is_reported_and_leaks_nothing),
        cmocka_unit_test(a_failed_take_leaves_the_arena_usable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// Context: allocation, arrays that grow, log; and the test memory itself, which other tests rely
// on.
#include <string.h>

#include "helpers/helpers.h"
#include "stiction/extend/file.h"
#include "stiction/extend/run.h"
#include "stiction/extend/system.h"
#include "stiction/run.h"

static void memory_is_zeroed_and_aligned(void** state)
{
    (void)state;
    TestMemory memory;
    const SticContext contexts[] = {stic_context_default(), test_memory_context(&memory)};
    for (int c = 0; c < 2; ++c)
        for (size_t bytes = 1; bytes < 10000; bytes += bytes / 3 + 1) {
            unsigned char* block = NULL;
            assert_int_equal(stic_allocate(&contexts[c], bytes, (void**)&block), STIC_OK);
            assert_int_equal((uintptr_t)block % 64, 0);
            for (size_t i = 0; i < bytes; ++i)
                assert_int_equal(block[i], 0);
            memset(block, 0xff, bytes); // so that the next one cannot be zero by chance
            stic_release(&contexts[c], block, bytes);
        }
    test_memory_check(&memory);
}

// SticContext context = {0}: the C library's memory, no log, no threads
static void a_context_of_zeros_is_a_default_one(void** state)
{
    (void)state;
    const SticContext context = {0};
    SticError error = {0};
    SticArena* arena = NULL;
    SticPool* pool = NULL;
    SticShape* shape = NULL;
    SticWorld* world = NULL;
    SticRun* run = NULL;
    void* block = NULL;
    assert_int_equal(stic_allocate(&context, 1000, &block), STIC_OK);
    stic_release(&context, block, 1000);
    stic_log(&context, STIC_LOG_WARNING, "nobody listens");
    assert_int_equal(stic_context_ask(&context, &error), STIC_OK);
    assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
    assert_int_equal(stic_arena_take(arena, 1 << 20, &block), STIC_OK);
    assert_int_equal(stic_arena_reset(arena), STIC_OK);
    stic_arena_destroy(arena);
    assert_int_equal(stic_pool_create(&context, 2, &pool), STIC_OK);
    stic_pool_destroy(pool);
    assert_int_equal(stic_shape_create_sphere(&context, 1.0, &shape, &error), STIC_OK);
    stic_shape_destroy(shape);
    assert_int_equal(stic_world_create(&context, NULL, &world, &error), STIC_OK);
    assert_int_equal(stic_run_create(&context, world, NULL, &run, &error), STIC_OK);
    stic_run_destroy(run);
    stic_world_destroy(world);
}

// no context: the default one, also where systems and runs are put together by hand
static void no_context_is_the_default_one(void** state)
{
    (void)state;
    SticError error = {0};
    SticSystem* system = NULL;
    SticRun* run = NULL;
    SticState* copy = NULL;
    SticText text = {0};
    void* block = NULL;
    const SticModel* model = stic_model_find("point-mass", &error);
    double parameters[64];
    assert_non_null(model);
    assert_in_range(model->fields->size, 1, sizeof parameters);
    stic_fields_default(model->fields, parameters);
    assert_int_equal(stic_allocate(NULL, 1000, &block), STIC_OK);
    stic_release(NULL, block, 1000);
    stic_log(NULL, STIC_LOG_WARNING, "nobody listens");
    assert_int_equal(stic_context_ask(NULL, &error), STIC_OK);
    assert_int_equal(model->create(NULL, parameters, STIC_CHART_LINEAR, &system, &error), STIC_OK);
    assert_int_equal(stic_state_create(NULL, &system->layout, &copy), STIC_OK);
    stic_state_destroy(copy, &system->layout);
    SticRunParts parts = stic_run_default_parts();
    parts.system = system;
    parts.scheme = stic_scheme_find("moreau", &error);
    parts.step = 1e-3;
    assert_int_equal(stic_run_assemble(NULL, &parts, &run, &error), STIC_OK);
    assert_int_equal(stic_run_advance(run, 0.01, &error), STIC_OK);
    stic_run_destroy(run);
    stic_small_destroy(system);
    assert_int_equal(stic_text_load(NULL, "/no such file", 100, &text, &error), STIC_IO_FAILED);
}

static void nothing_asked_is_nothing_given(void** state)
{
    (void)state;
    TestMemory memory;
    const SticContext context = test_memory_context(&memory);
    void* block = &memory;
    assert_int_equal(stic_allocate(&context, 0, &block), STIC_OK);
    assert_null(block);
    stic_release(&context, NULL, 100);
    assert_int_equal(memory.calls, 0);
    test_memory_check(&memory);
}

static void impossible_sizes_are_out_of_memory(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    const size_t sizes[][2] = {
        {SIZE_MAX, 1},
        {SIZE_MAX - 10, 1},
        {1, SIZE_MAX},
        {SIZE_MAX / 8 + 2, 8},              // wraps to 8
        {(size_t)1 << 32, (size_t)1 << 32}, // wraps to 0
    };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        void* block = (void*)&context.seed;
        assert_int_equal(stic_allocate_array(&context, sizes[i][0], sizes[i][1], &block),
                         STIC_OUT_OF_MEMORY);
        assert_null(block);
    }
    double* values = NULL;
    const int32_t negative = -3;
    assert_int_equal(STIC_ALLOCATE(&context, &values, negative), STIC_OUT_OF_MEMORY);
    assert_null(values);
}

static void arrays_grow_and_keep_their_contents(void** state)
{
    (void)state;
    TestMemory memory;
    const SticContext context = test_memory_context(&memory);
    int32_t* data = NULL;
    size_t capacity = 0;
    enum { COUNT = 100000 };
    for (int32_t i = 0; i < COUNT; ++i) {
        assert_int_equal(STIC_RESERVE(&context, &data, &capacity, i + 1), STIC_OK);
        data[i] = -1 - 3 * i; // no byte is zero by chance
    }
    for (int32_t i = 0; i < COUNT; ++i)
        assert_int_equal(data[i], -1 - 3 * i);
    // growth by half: log(1e5 / 8) / log(1.5) = 23 steps, a few less for the constant part
    print_message("%d elements one by one: %lld allocations, capacity %zu\n", COUNT,
                  (long long)memory.calls, capacity);
    assert_in_range(memory.calls, 15, 24);
    test_less(capacity, 3 * COUNT / 2 + 9);

    // a request that cannot be met changes nothing
    const int32_t* before = data;
    const size_t capacity_before = capacity;
    assert_int_equal(STIC_RESERVE(&context, &data, &capacity, SIZE_MAX / 2), STIC_OUT_OF_MEMORY);
    memory.fail_at = memory.calls + 1;
    assert_int_equal(STIC_RESERVE(&context, &data, &capacity, capacity + 1), STIC_OUT_OF_MEMORY);
    assert_ptr_equal(before, data);
    assert_int_equal(capacity, capacity_before);
    assert_int_equal(data[COUNT - 1], -1 - 3 * (COUNT - 1));
    STIC_RELEASE(&context, data, capacity);
    test_memory_check(&memory);
}

typedef struct Lines {
    int count;
    SticLogLevel level;
    char text[600];
} Lines;

static void keep_line(void* self, SticLogLevel level, const char* text)
{
    Lines* lines = self;
    lines->count += 1;
    lines->level = level;
    strncpy(lines->text, text, sizeof lines->text - 1);
}

static void log_lines_reach_the_receiver(void** state)
{
    (void)state;
    Lines lines = {0};
    SticContext context = stic_context_default();
    stic_log(&context, STIC_LOG_WARNING, "nobody %s", "listens");
    context.log = (SticLog){.self = &lines, .write = keep_line};
    stic_log(&context, STIC_LOG_INFO, "%d contacts", 12);
    assert_int_equal(lines.count, 1);
    assert_int_equal(lines.level, STIC_LOG_INFO);
    assert_string_equal(lines.text, "12 contacts");
    char text[2000];
    memset(text, 'y', sizeof text);
    text[sizeof text - 1] = '\0';
    stic_log(&context, STIC_LOG_DEBUG, "%s", text);
    assert_int_equal(lines.count, 2);
    assert_int_equal(strlen(lines.text), 511);
}

// the checks of TestMemory must be able to fail: each misuse is counted

static void test_memory_sees_leaks_and_wrong_sizes(void** state)
{
    (void)state;
    TestMemory memory;
    const SticContext context = test_memory_context(&memory);
    void *a = NULL, *b = NULL;
    assert_int_equal(stic_allocate(&context, 100, &a), STIC_OK);
    assert_int_equal(stic_allocate(&context, 50, &b), STIC_OK);
    assert_int_equal(memory.live, 2);
    assert_int_equal(memory.live_bytes, 150);
    stic_release(&context, a, 99);
    assert_int_equal(memory.wrong_size, 1);
    assert_int_equal(memory.live_bytes, 50);
    stic_release(&context, b, 50);
    assert_int_equal(memory.live, 0);
    assert_int_equal(memory.peak_bytes, 150);
    assert_int_equal(memory.wrong_size, 1);
    assert_int_equal(memory.damaged, 0);
}

static void test_memory_fails_the_call_it_was_told_to(void** state)
{
    (void)state;
    TestMemory memory;
    const SticContext context = test_memory_context(&memory);
    memory.fail_at = 3;
    for (int i = 1; i <= 5; ++i) {
        void* block = NULL;
        assert_int_equal(stic_allocate(&context, 10, &block),
                         i == 3 ? STIC_OUT_OF_MEMORY : STIC_OK);
        stic_release(&context, block, 10);
    }
    assert_int_equal(memory.failed, 1);
    assert_int_equal(memory.calls, 5);
    test_memory_check(&memory);
}

static SticStatus three_blocks(const SticContext* context, void* self)
{
    (void)self;
    void* block[3] = {NULL};
    SticStatus status = STIC_OK;
    for (int i = 0; i < 3 && status == STIC_OK; ++i)
        status = stic_allocate(context, 64, &block[i]);
    for (int i = 0; i < 3; ++i)
        stic_release(context, block[i], 64);
    return status;
}

static void failing_in_turn_counts_the_allocations(void** state)
{
    (void)state;
    assert_int_equal(test_fail_every_allocation(three_blocks, NULL), 3);
}

static void random_matrices_have_the_stated_spectrum(void** state)
{
    (void)state;
    enum { N = 6 };
    SticRandom random = stic_random_create(3);
    double A[N * N], R[9], trace = 0.0, square = 0.0;
    test_random_spd(&random, N, 1e4, A);
    // trace and Frobenius norm are sums over the eigenvalues 10^(-4 i / 5)
    const double eigenvalue[N] = {1.0,
                                  0.15848931924611134,
                                  0.025118864315095794,
                                  0.003981071705534973,
                                  0.000630957344480193,
                                  0.0001};
    double sum = 0.0, sum_square = 0.0;
    for (int i = 0; i < N; ++i) {
        sum += eigenvalue[i];
        sum_square += eigenvalue[i] * eigenvalue[i];
        trace += A[i * N + i];
    }
    for (int i = 0; i < N * N; ++i)
        square += A[i] * A[i];
    test_less(trace - sum, 1e-14);
    test_less(sum - trace, 1e-14);
    test_less(square - sum_square, 1e-14);
    test_less(sum_square - square, 1e-14);

    // rows of a rotation are orthonormal and right-handed
    for (int k = 0; k < 100; ++k) {
        test_random_rotation(&random, R);
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
                const double dot = R[3 * i] * R[3 * j] + R[3 * i + 1] * R[3 * j + 1] +
                                   R[3 * i + 2] * R[3 * j + 2] - (i == j);
                test_less(dot, 1e-15 * 4);
                test_greater(dot, -1e-15 * 4);
            }
        const double det = R[0] * (R[4] * R[8] - R[5] * R[7]) - R[1] * (R[3] * R[8] - R[5] * R[6]) +
                           R[2] * (R[3] * R[7] - R[4] * R[6]);
        test_greater(det, 0.999);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_zeroed_and_aligned),
        cmocka_unit_test(a_context_of_zeros_is_a_default_one),
        cmocka_unit_test(no_context_is_the_default_one),
        cmocka_unit_test(nothing_asked_is_nothing_given),
        cmocka_unit_test(impossible_sizes_are_out_of_memory),
        cmocka_unit_test(arrays_grow_and_keep_their_contents),
        cmocka_unit_test(log_lines_reach_the_receiver),
        cmocka_unit_test(test_memory_sees_leaks_and_wrong_sizes),
        cmocka_unit_test(test_memory_fails_the_call_it_was_told_to),
        cmocka_unit_test(failing_in_turn_counts_the_allocations),
        cmocka_unit_test(random_matrices_have_the_stated_spectrum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

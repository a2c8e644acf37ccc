// SPDX-License-Identifier: Apache-2.0
// labels: threads
// Thread pool: every chunk once, the same bits for any number of threads, nested and shared use,
// failures.
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/helpers.h"

enum { MANY = 1000 };

typedef struct Counts {
    _Atomic int32_t run[MANY];
} Counts;

static void count_chunk(void* self, int32_t index)
{
    Counts* counts = self;
    atomic_fetch_add(&counts->run[index], 1);
}

static void every_chunk_runs_once(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    for (int32_t threads = 1; threads <= 5; ++threads) {
        SticPool* pool = NULL;
        assert_int_equal(stic_pool_create(&context, threads, &pool), STIC_OK);
        assert_int_equal(stic_pool_threads(pool), threads);
        const int32_t sizes[] = {0, 1, 2, 3, 7, 64, MANY, -1};
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
            Counts counts = {0};
            stic_pool_run(pool, sizes[s], count_chunk, &counts);
            for (int32_t i = 0; i < MANY; ++i)
                assert_int_equal(atomic_load(&counts.run[i]), i < sizes[s] ? 1 : 0);
        }
        stic_pool_destroy(pool);
    }
    Counts counts = {0};
    stic_pool_run(NULL, MANY, count_chunk, &counts);
    for (int32_t i = 0; i < MANY; ++i)
        assert_int_equal(atomic_load(&counts.run[i]), 1);
    assert_int_equal(stic_pool_threads(NULL), 1);
}

typedef struct Sum {
    const double* x;
    int32_t count, chunk;
    double part[64];
} Sum;

static void sum_chunk(void* self, int32_t index)
{
    Sum* sum = self;
    const int32_t first = index * sum->chunk;
    const int32_t end = first + sum->chunk < sum->count ? first + sum->chunk : sum->count;
    double total = 0.0;
    for (int32_t i = first; i < end; ++i)
        total += sin(sum->x[i]) * sum->x[i];
    sum->part[index] = total;
}

static double pool_sum(SticPool* pool, const double* x, int32_t count)
{
    Sum sum = {.x = x, .count = count, .chunk = (count + 63) / 64};
    stic_pool_run(pool, 64, sum_chunk, &sum);
    double total = 0.0;
    for (int i = 0; i < 64; ++i)
        total += sum.part[i];
    return total;
}

static void a_sum_in_chunks_has_the_same_bits_for_any_thread_count(void** state)
{
    (void)state;
    enum { COUNT = 20011 };
    const SticContext context = stic_context_default();
    SticRandom random = stic_random_create(2);
    double* x = calloc(COUNT, sizeof *x);
    assert_non_null(x);
    test_random_vector(&random, COUNT, -1e3, 1e3, x);
    const double alone = pool_sum(NULL, x, COUNT);
    for (int32_t threads = 1; threads <= 8; ++threads) {
        SticPool* pool = NULL;
        assert_int_equal(stic_pool_create(&context, threads, &pool), STIC_OK);
        for (int repeat = 0; repeat < 20; ++repeat) {
            const double total = pool_sum(pool, x, COUNT);
            assert_memory_equal(&total, &alone, sizeof total);
        }
        stic_pool_destroy(pool);
    }
    // the order matters in the last bits, else this test shows nothing
    double plain = 0.0;
    for (int i = 0; i < COUNT; ++i)
        plain += sin(x[i]) * x[i];
    print_message("in chunks %.17g, in one go %.17g\n", alone, plain);
    assert_true(plain != alone);
    free(x);
}

static void many_short_calls(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticPool* pool = NULL;
    assert_int_equal(stic_pool_create(&context, 4, &pool), STIC_OK);
    Counts counts = {0};
    enum { CALLS = 5000 };
    for (int i = 0; i < CALLS; ++i)
        stic_pool_run(pool, 2 + i % 5, count_chunk, &counts);
    assert_int_equal(atomic_load(&counts.run[0]), CALLS);
    assert_int_equal(atomic_load(&counts.run[5]), CALLS / 5);
    stic_pool_destroy(pool);
}

typedef struct Nested {
    SticPool* pool;
    Counts inner[8];
} Nested;

static void run_inner(void* self, int32_t index)
{
    Nested* nested = self;
    stic_pool_run(nested->pool, 50, count_chunk, &nested->inner[index]);
}

static void a_chunk_may_use_the_pool(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    Nested* nested = calloc(1, sizeof *nested);
    assert_non_null(nested);
    assert_int_equal(stic_pool_create(&context, 3, &nested->pool), STIC_OK);
    for (int repeat = 0; repeat < 20; ++repeat) {
        memset(nested->inner, 0, sizeof nested->inner);
        stic_pool_run(nested->pool, 8, run_inner, nested);
        for (int k = 0; k < 8; ++k)
            for (int i = 0; i < MANY; ++i)
                assert_int_equal(atomic_load(&nested->inner[k].run[i]), i < 50 ? 1 : 0);
    }
    stic_pool_destroy(nested->pool);
    free(nested);
}

typedef struct User {
    SticPool* pool;
    Counts counts;
} User;

static void* use_pool(void* argument)
{
    User* user = argument;
    for (int i = 0; i < 200; ++i)
        stic_pool_run(user->pool, 20, count_chunk, &user->counts);
    return NULL;
}

static void two_threads_may_share_a_pool(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticPool* pool = NULL;
    assert_int_equal(stic_pool_create(&context, 3, &pool), STIC_OK);
    User users[2] = {{.pool = pool}, {.pool = pool}};
    pthread_t other;
    assert_int_equal(pthread_create(&other, NULL, use_pool, &users[1]), 0);
    use_pool(&users[0]);
    pthread_join(other, NULL);
    for (int k = 0; k < 2; ++k)
        for (int i = 0; i < 20; ++i)
            assert_int_equal(atomic_load(&users[k].counts.run[i]), 200);
    stic_pool_destroy(pool);
}

static SticStatus make_pool(const SticContext* context, void* self)
{
    (void)self;
    SticPool* pool = NULL;
    STIC_TRY(stic_pool_create(context, 3, &pool));
    Counts counts = {0};
    stic_pool_run(pool, 10, count_chunk, &counts);
    stic_pool_destroy(pool);
    return STIC_OK;
}

static void failures(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    SticPool* pool = (SticPool*)state;
    assert_int_equal(stic_pool_create(&context, 0, &pool), STIC_BAD_ARGUMENT);
    assert_null(pool);
    assert_int_equal(stic_pool_create(&context, -4, &pool), STIC_BAD_ARGUMENT);
    stic_pool_destroy(NULL);
    assert_int_equal(test_fail_every_allocation(make_pool, NULL), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_chunk_runs_once),
        cmocka_unit_test(a_sum_in_chunks_has_the_same_bits_for_any_thread_count),
        cmocka_unit_test(many_short_calls),
        cmocka_unit_test(a_chunk_may_use_the_pool),
        cmocka_unit_test(two_threads_may_share_a_pool),
        cmocka_unit_test(failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

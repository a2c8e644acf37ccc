// SPDX-License-Identifier: Apache-2.0
// Thread pool with fixed chunks.
//
// A call hands out chunk numbers 0 … n-1 to whichever thread is free. Since a chunk is a function
// of the data alone and chunks write disjoint memory, the result does not depend on who ran what.
// Numbers are handed out by a counter without a lock; a helper takes the lock once per call, to join
// and leave it. Steps make hundreds of calls of some ten microseconds each, about what it takes to
// wake a thread, so a thread that waits spins for a moment before it blocks; not for longer, since
// spinning collapses when another program needs the core. A call that finds the pool busy (made
// from inside a chunk, or by another thread that shares the pool) runs on its own thread alone.
#include "stiction/extend/base.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

// looks before a wait blocks: 20 to 40 microseconds
enum { LOOKS = 1000 };

struct SticPool {
    SticContext context;
    pthread_mutex_t mutex;
    pthread_cond_t work_ready, work_done;
    pthread_t* thread;
    int32_t threads; // including the caller
    int32_t started; // helpers that run
    // the call being served: written under the mutex while no helper is inside
    SticChunkWork work;
    void* self;
    int32_t chunks;
    _Atomic int32_t next;
    // who takes part: written under the mutex
    _Atomic int32_t inside; // helpers
    _Atomic uint32_t calls; // made so far
    bool open;              // chunks are left to hand out
    bool busy, closing;
};

static void pause_briefly(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

// take chunks until none is left
static void serve(SticPool* pool)
{
    for (;;) {
        const int32_t index = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed);
        if (index >= pool->chunks)
            return;
        pool->work(pool->self, index);
    }
}

// until there is another call; the mutex is held on entry and on return
static void await_call(SticPool* pool)
{
    const uint32_t seen = atomic_load(&pool->calls);
    pthread_mutex_unlock(&pool->mutex);
    for (int32_t k = 0;
         k < LOOKS && atomic_load_explicit(&pool->calls, memory_order_relaxed) == seen; ++k)
        pause_briefly();
    pthread_mutex_lock(&pool->mutex);
    while (!pool->closing && atomic_load(&pool->calls) == seen)
        pthread_cond_wait(&pool->work_ready, &pool->mutex);
}

static void* helper_main(void* argument)
{
    SticPool* pool = argument;
    pthread_mutex_lock(&pool->mutex);
    while (!pool->closing) {
        if (!pool->open) {
            await_call(pool);
            continue;
        }
        atomic_fetch_add(&pool->inside, 1);
        pthread_mutex_unlock(&pool->mutex);
        serve(pool);
        pthread_mutex_lock(&pool->mutex);
        pool->open = false;
        if (atomic_fetch_sub(&pool->inside, 1) == 1)
            pthread_cond_signal(&pool->work_done);
    }
    pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

// helpers take no signals, so that those of the host program reach its own threads
static SticStatus start_helpers(SticPool* pool)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    SticStatus status = STIC_OK;
    while (status == STIC_OK && pool->started + 1 < pool->threads) {
        if (pthread_create(&pool->thread[pool->started], NULL, helper_main, pool) != 0)
            status = STIC_OUT_OF_MEMORY;
        else
            pool->started += 1;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

SticStatus stic_pool_create(const SticContext* context, int32_t threads, SticPool** pool)
{
    context = stic_context_given(context);
    STIC_GIVEN(pool, NULL);
    *pool = NULL;
    if (threads < 1)
        return STIC_BAD_ARGUMENT;
    SticPool* made = NULL;
    STIC_TRY(STIC_ALLOCATE(context, &made, 1));
    made->context = *context;
    made->threads = threads;
    pthread_mutex_init(&made->mutex, NULL);
    pthread_cond_init(&made->work_ready, NULL);
    pthread_cond_init(&made->work_done, NULL);
    SticStatus status = STIC_ALLOCATE(context, &made->thread, threads);
    if (status == STIC_OK)
        status = start_helpers(made);
    if (status != STIC_OK) {
        stic_pool_destroy(made);
        return status;
    }
    *pool = made;
    return STIC_OK;
}

void stic_pool_destroy(SticPool* pool)
{
    if (pool == NULL)
        return;
    pthread_mutex_lock(&pool->mutex);
    pool->closing = true;
    pthread_cond_broadcast(&pool->work_ready);
    pthread_mutex_unlock(&pool->mutex);
    for (int32_t i = 0; i < pool->started; ++i)
        pthread_join(pool->thread[i], NULL);
    pthread_cond_destroy(&pool->work_done);
    pthread_cond_destroy(&pool->work_ready);
    pthread_mutex_destroy(&pool->mutex);
    const SticContext context = pool->context;
    STIC_RELEASE(&context, pool->thread, pool->threads);
    STIC_RELEASE(&context, pool, 1);
}

int32_t stic_pool_threads(const SticPool* pool)
{
    return pool == NULL ? 1 : pool->threads;
}

static void run_alone(int32_t chunks, SticChunkWork work, void* self)
{
    for (int32_t i = 0; i < chunks; ++i)
        work(self, i);
}

void stic_pool_run(SticPool* pool, int32_t chunks, SticChunkWork work, void* self)
{
    if (pool == NULL || pool->threads == 1 || chunks <= 1) {
        run_alone(chunks, work, self);
        return;
    }
    pthread_mutex_lock(&pool->mutex);
    if (pool->busy) {
        pthread_mutex_unlock(&pool->mutex);
        run_alone(chunks, work, self);
        return;
    }
    pool->busy = pool->open = true;
    pool->work = work;
    pool->self = self;
    pool->chunks = chunks;
    atomic_store(&pool->next, 0);
    atomic_fetch_add(&pool->calls, 1);
    pthread_cond_broadcast(&pool->work_ready);
    pthread_mutex_unlock(&pool->mutex);
    serve(pool);
    // chunks that others have taken
    for (int32_t k = 0; k < LOOKS && atomic_load_explicit(&pool->inside, memory_order_relaxed) > 0;
         ++k)
        pause_briefly();
    pthread_mutex_lock(&pool->mutex);
    pool->open = false;
    while (atomic_load(&pool->inside) > 0)
        pthread_cond_wait(&pool->work_done, &pool->mutex);
    pool->busy = false;
    pthread_mutex_unlock(&pool->mutex);
}

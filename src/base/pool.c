// SPDX-License-Identifier: Apache-2.0
// Thread pool with fixed chunks.
//
// A call hands out chunk numbers 0 … n-1 to whichever thread is free. Since a chunk is a function
// of the data alone and chunks write disjoint memory, the result does not depend on who ran what.
// Waits block on a condition: spinning collapses when another program needs the core. A call that
// finds the pool busy (made from inside a chunk, or by another thread that shares the pool) runs on
// its own thread alone.
#include "stiction/extend/base.h"

#include <pthread.h>
#include <signal.h>

struct SticPool {
    SticContext context;
    pthread_mutex_t mutex;
    pthread_cond_t work_ready, work_done;
    pthread_t* thread;
    int32_t threads; // including the caller
    int32_t started; // helpers that run
    // the call being served, all under the mutex
    SticChunkWork work;
    void* self;
    int32_t chunks, next, finished;
    bool busy, closing;
};

// take chunks until none is left; the mutex is held on entry and on return
static void serve(SticPool* pool)
{
    while (pool->next < pool->chunks) {
        const int32_t index = pool->next++;
        pthread_mutex_unlock(&pool->mutex);
        pool->work(pool->self, index);
        pthread_mutex_lock(&pool->mutex);
        pool->finished += 1;
        if (pool->finished == pool->chunks)
            pthread_cond_broadcast(&pool->work_done);
    }
}

static void* helper_main(void* argument)
{
    SticPool* pool = argument;
    pthread_mutex_lock(&pool->mutex);
    while (!pool->closing) {
        serve(pool);
        if (!pool->closing)
            pthread_cond_wait(&pool->work_ready, &pool->mutex);
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
    pool->busy = true;
    pool->work = work;
    pool->self = self;
    pool->chunks = chunks;
    pool->next = 0;
    pool->finished = 0;
    pthread_cond_broadcast(&pool->work_ready);
    serve(pool);
    while (pool->finished < pool->chunks)
        pthread_cond_wait(&pool->work_done, &pool->mutex);
    pool->chunks = 0;
    pool->next = 0;
    pool->busy = false;
    pthread_mutex_unlock(&pool->mutex);
}

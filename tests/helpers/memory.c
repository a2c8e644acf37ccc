// SPDX-License-Identifier: Apache-2.0
// Allocator for tests: counts calls and bytes, checks what is given back, fails the n-th call.
//
// A block carries a header of one cache line in front (its size and a mark) and guard bytes behind.
// Under the address sanitizer there are no guards: the sanitizer sees the first byte beyond the
// block itself.
#include "helpers/helpers.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
enum { GUARD = 0 };
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
enum { GUARD = 0 };
#else
enum { GUARD = 32 };
#endif
#else
enum { GUARD = 32 };
#endif

enum { LINE = 64, GUARD_BYTE = 0xa5, FRESH_BYTE = 0xcd, STALE_BYTE = 0xdd };

static const uint64_t live_mark = 0x6c697665626c6f63u;

typedef struct Header {
    uint64_t mark;
    size_t bytes;
} Header;

// one lock for all counters: allocation is rare in what the tests measure
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* counted_allocate(void* self, size_t bytes)
{
    TestMemory* memory = self;
    pthread_mutex_lock(&lock);
    memory->calls += 1;
    const bool fail = memory->calls == memory->fail_at;
    memory->failed += fail;
    pthread_mutex_unlock(&lock);
    if (fail || bytes > SIZE_MAX - LINE - GUARD)
        return NULL;

    void* block = NULL;
    if (posix_memalign(&block, LINE, LINE + bytes + GUARD) != 0)
        return NULL;
    *(Header*)block = (Header){.mark = live_mark, .bytes = bytes};
    unsigned char* payload = (unsigned char*)block + LINE;
    memset(payload, FRESH_BYTE, bytes);
    memset(payload + bytes, GUARD_BYTE, GUARD);

    pthread_mutex_lock(&lock);
    memory->live += 1;
    memory->live_bytes += bytes;
    if (memory->live_bytes > memory->peak_bytes)
        memory->peak_bytes = memory->live_bytes;
    pthread_mutex_unlock(&lock);
    return payload;
}

static void counted_release(void* self, void* payload, size_t bytes)
{
    TestMemory* memory = self;
    Header* header = (Header*)((unsigned char*)payload - LINE);
    pthread_mutex_lock(&lock);
    if (header->mark != live_mark) {
        // not ours, or released before: leave it alone
        memory->damaged += 1;
        pthread_mutex_unlock(&lock);
        return;
    }
    const size_t asked = header->bytes;
    memory->wrong_size += asked != bytes;
    const unsigned char* guard = (const unsigned char*)payload + asked;
    for (int i = 0; i < GUARD; ++i)
        if (guard[i] != GUARD_BYTE) {
            memory->damaged += 1;
            break;
        }
    memory->live -= 1;
    memory->live_bytes -= asked;
    pthread_mutex_unlock(&lock);
    memset(header, STALE_BYTE, LINE + asked);
    free(header);
}

SticContext test_memory_context(TestMemory* memory)
{
    memset(memory, 0, sizeof *memory);
    SticContext context = stic_context_default();
    context.allocator.self = memory;
    context.allocator.allocate = counted_allocate;
    context.allocator.release = counted_release;
    return context;
}

void test_memory_check(const TestMemory* memory)
{
    if (memory->live != 0 || memory->wrong_size != 0 || memory->damaged != 0)
        fail_msg("memory: %lld blocks (%zu bytes) leaked, %lld released with a wrong size, "
                 "%lld damaged",
                 (long long)memory->live, memory->live_bytes, (long long)memory->wrong_size,
                 (long long)memory->damaged);
}

int64_t test_fail_every_allocation(TestFallible call, void* self)
{
    for (int64_t n = 1;; ++n) {
        TestMemory memory;
        const SticContext context = test_memory_context(&memory);
        memory.fail_at = n;
        const SticStatus status = call(&context, self);
        const SticStatus expected = memory.failed > 0 ? STIC_OUT_OF_MEMORY : STIC_OK;
        if (status != expected)
            fail_msg("with allocation %lld failing the status is %s instead of %s", (long long)n,
                     stic_status_name(status), stic_status_name(expected));
        if (memory.live != 0)
            print_message("with allocation %lld failing:\n", (long long)n);
        test_memory_check(&memory);
        if (memory.failed == 0) {
            print_message("each of %lld allocations failed once\n", (long long)memory.calls);
            return memory.calls;
        }
    }
}

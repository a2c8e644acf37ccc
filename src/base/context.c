// SPDX-License-Identifier: Apache-2.0
// Context, allocation through it, growable arrays.
#include "base/context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64 }; // one cache line; also enough for any vector register

static size_t rounded_up(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static void* libc_allocate(void* self, size_t bytes)
{
    (void)self;
    return bytes > SIZE_MAX - ALIGNMENT ? NULL : aligned_alloc(ALIGNMENT, rounded_up(bytes));
}

static void libc_release(void* self, void* memory, size_t bytes)
{
    (void)self;
    (void)bytes;
    free(memory);
}

static const SticContext standard = {
    .allocator = {.self = NULL, .allocate = libc_allocate, .release = libc_release},
    .log = {.self = NULL, .write = NULL},
    .seed = 1,
    .pool = NULL,
};

SticContext stic_context_default(void)
{
    return standard;
}

const SticContext* stic_context_given(const SticContext* context)
{
    return context != NULL ? context : &standard;
}

const SticAllocator* stic_context_allocator(const SticContext* context)
{
    const SticAllocator* given = &stic_context_given(context)->allocator;
    // memory must go back to where it came from
    STIC_ASSERT((given->allocate == NULL) == (given->release == NULL));
    return given->allocate != NULL && given->release != NULL ? given : &standard.allocator;
}

SticStatus stic_context_ask(const SticContext* context, SticError* error)
{
    const SticInterrupt* interrupt = &stic_context_given(context)->interrupt;
    if (interrupt->asked == NULL || !interrupt->asked(interrupt->self))
        return STIC_OK;
    return stic_error_set(error, STIC_INTERRUPTED, "stopped on request");
}

SticStatus stic_allocate(const SticContext* context, size_t bytes, void** memory)
{
    *memory = NULL;
    if (bytes == 0)
        return STIC_OK;
    const SticAllocator* allocator = stic_context_allocator(context);
    *memory = allocator->allocate(allocator->self, bytes);
    if (*memory == NULL)
        return STIC_OUT_OF_MEMORY;
    memset(*memory, 0, bytes);
    return STIC_OK;
}

SticStatus stic_allocate_array(const SticContext* context, size_t count, size_t size, void** memory)
{
    *memory = NULL;
    if (size != 0 && count > SIZE_MAX / size)
        return STIC_OUT_OF_MEMORY;
    return stic_allocate(context, count * size, memory);
}

void stic_release(const SticContext* context, void* memory, size_t bytes)
{
    if (memory == NULL)
        return;
    const SticAllocator* allocator = stic_context_allocator(context);
    allocator->release(allocator->self, memory, bytes);
}

void stic_log(const SticContext* context, SticLogLevel level, const char* format, ...)
{
    context = stic_context_given(context);
    if (context->log.write == NULL)
        return;
    char text[512];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    context->log.write(context->log.self, level, text);
}

SticStatus stic_array_reserve(const SticContext* context, void** data, size_t* capacity,
                              size_t need, size_t size)
{
    if (need <= *capacity)
        return STIC_OK;
    size_t grown = *capacity + *capacity / 2 + 8;
    if (grown < need)
        grown = need;
    void* memory = NULL;
    STIC_TRY(stic_allocate_array(context, grown, size, &memory));
    if (*data != NULL && memory != NULL)
        memcpy(memory, *data, *capacity * size);
    stic_release(context, *data, *capacity * size);
    *data = memory;
    *capacity = grown;
    return STIC_OK;
}

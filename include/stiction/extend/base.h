// SPDX-License-Identifier: Apache-2.0
// Assertions, memory, arenas, arrays, hash, random numbers, threads and tables of settings.
#ifndef STICTION_EXTEND_BASE_H
#define STICTION_EXTEND_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stiction/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Clear an error: status STIC_OK, empty texts.
static inline void stic_error_clear(SticError* error)
{
    error->status = STIC_OK;
    error->line = error->column = 0;
    error->file[0] = error->text[0] = '\0';
}
/// Short name of a status, such as "BAD_FILE".
STIC_API const char* stic_status_name(SticStatus status);

/* ---- failures of kind 2: bad data, or a system call that failed ---- */

/// Fill `error` (which may be NULL) and return `status`, so that a failure can be reported in one
/// line. The arguments may be parts of `error`.
STIC_API SticStatus stic_error_set(SticError* error, SticStatus status, const char* format, ...)
    STIC_PRINTF(3, 4);
/// As stic_error_set, with the place in a file; line and column may be 0, `file` may be NULL.
STIC_API SticStatus stic_error_set_at(SticError* error, SticStatus status, const char* file,
                                      int32_t line, int32_t column, const char* format, ...)
    STIC_PRINTF(6, 7);

/// Return from the calling function with the status of `call` unless it is STIC_OK.
#define STIC_TRY(call)                                                                             \
    do {                                                                                           \
        const SticStatus stic_try_status = (call);                                                 \
        if (stic_try_status != STIC_OK)                                                            \
            return stic_try_status;                                                                \
    } while (0)

/// Jump to a clean-up label with `status` set unless `call` gives STIC_OK.
#define STIC_TRY_GOTO(status, label, call)                                                         \
    do {                                                                                           \
        (status) = (call);                                                                         \
        if ((status) != STIC_OK)                                                                   \
            goto label;                                                                            \
    } while (0)

/// Say that an argument of a function is NULL; an error that is already filled keeps its sentence.
STIC_API SticStatus stic_error_missing(SticError* error, const char* function,
                                       const char* argument);
/// Refuse a call in which a pointer that the caller must give is NULL: return STIC_BAD_ARGUMENT from
/// the calling function, with its name and the argument's in `error` (which may be NULL).
#define STIC_GIVEN(pointer, error)                                                                 \
    do {                                                                                           \
        if ((pointer) == NULL)                                                                     \
            return stic_error_missing((error), __func__, #pointer);                                \
    } while (0)

/* ---- failures of kind 1: programmer errors ---- */

/// Called when an assertion fails; must not return. The library's own version traps; it is a weak
/// symbol, so that a program can define its own.
STIC_API STIC_NORETURN void stic_assert_failed(const char* expression, const char* file, int line);

/// Check for a programmer error; gone in release builds, kept in the preset `checked`.
#ifdef NDEBUG
#define STIC_ASSERT(expression) ((void)0)
#else
#define STIC_ASSERT(expression)                                                                    \
    ((expression) ? (void)0 : stic_assert_failed(#expression, __FILE__, __LINE__))
#endif

/* ---- context ---- */

/// `context`, or the default one where that is NULL.
STIC_API const SticContext* stic_context_given(const SticContext* context);
/// Zeroed memory aligned to 64 bytes. `bytes` 0 gives NULL and STIC_OK.
STIC_API STIC_MUST_USE SticStatus stic_allocate(const SticContext* context, size_t bytes,
                                                void** memory);
/// Release what stic_allocate gave; NULL is allowed.
STIC_API void stic_release(const SticContext* context, void* memory, size_t bytes);
/// Inside long calls: STIC_INTERRUPTED, with a sentence in `error`, if the call is to stop. Asking
/// may cost as much as a call into Python: leave about a millisecond of work between two.
STIC_API SticStatus stic_context_ask(const SticContext* context, SticError* error);
/// Send one line to the context's log.
STIC_API void stic_log(const SticContext* context, SticLogLevel level, const char* format, ...)
    STIC_PRINTF(3, 4);

/// Allocate `count` zeroed elements of the type `*pointer`; a product that overflows is
/// OUT_OF_MEMORY.
#define STIC_ALLOCATE(context, pointer, count)                                                     \
    stic_allocate_array((context), (size_t)(count), sizeof **(pointer), (void**)(pointer))

/// Counterpart of STIC_ALLOCATE.
#define STIC_RELEASE(context, pointer, count)                                                      \
    stic_release((context), (pointer), (size_t)(count) * sizeof *(pointer))

/// count * size bytes, zeroed and checked for overflow.
STIC_API STIC_MUST_USE SticStatus stic_allocate_array(const SticContext* context, size_t count,
                                                      size_t size, void** memory);

/* ---- arena: memory of one step ---- */

/// First member of an arena, visible so that a take is a few instructions. Not for direct use.
typedef struct SticArenaHead {
    unsigned char* memory; ///< block being filled
    size_t size;           ///< its bytes
    size_t used;           ///< bytes taken of it
    size_t most;           ///< the largest number that rewinding has found there
    int32_t block;         ///< its number, -1: none
} SticArenaHead;

/// Position inside an arena, to rewind to.
typedef struct SticArenaMark {
    int32_t block; ///< number of the block being filled
    size_t used;   ///< bytes used in it
} SticArenaMark;

/// Uninitialised memory aligned to 64 bytes, valid until the arena is rewound before it.
STIC_API STIC_MUST_USE SticStatus stic_arena_take(SticArena* arena, size_t bytes, void** memory);
/// Free everything taken since `mark`, which may be in an earlier block; see stic_arena_rewind.
STIC_API void stic_arena_rewind_blocks(SticArena* arena, SticArenaMark mark);
/// The context the arena was made with: its memory, log and threads.
STIC_API const SticContext* stic_arena_context(const SticArena* arena);
/// Bytes the arena holds from its allocator.
STIC_API size_t stic_arena_bytes(const SticArena* arena);
/// count * size bytes from an arena, checked for overflow.
STIC_API STIC_MUST_USE SticStatus stic_arena_take_array(SticArena* arena, size_t count, size_t size,
                                                        void** memory);

/// Where the arena stands now.
static inline SticArenaMark stic_arena_mark(const SticArena* arena)
{
    const SticArenaHead* head = (const SticArenaHead*)arena;
    const SticArenaMark made = {head->block, head->used};
    return made;
}

/// Free everything taken since `mark`; the memory stays with the arena.
static inline void stic_arena_rewind(SticArena* arena, SticArenaMark mark)
{
    SticArenaHead* head = (SticArenaHead*)arena;
    if (mark.block == head->block && mark.used <= head->used) {
        head->most = head->used > head->most ? head->used : head->most;
        head->used = mark.used;
    } else {
        stic_arena_rewind_blocks(arena, mark);
    }
}

/// count * size bytes from an arena, or NULL when out of memory: STIC_TAKE without a status.
static inline void* stic_arena_get(SticArena* arena, size_t count, size_t size)
{
    SticArenaHead* head = (SticArenaHead*)arena;
    void* memory = NULL;
    // blocks and pieces are whole lines of 64 bytes, so that what fits also fits rounded up; a
    // product that overflows does not fit
    if (count <= (head->size - head->used) / size) {
        memory = head->memory + head->used;
        head->used += (count * size + 63) & ~(size_t)63;
        return memory;
    }
    return stic_arena_take_array(arena, count, size, &memory) == STIC_OK ? memory : NULL;
}

/// Take `count` elements of the type `*pointer` from an arena (uninitialised); `pointer` is
/// evaluated more than once.
#define STIC_TAKE(arena, pointer, count)                                                           \
    ((*(pointer) = stic_arena_get((arena), (size_t)(count), sizeof **(pointer))) != NULL           \
         ? STIC_OK                                                                                 \
         : STIC_OUT_OF_MEMORY)

/* ---- growable arrays ---- */

/// Make room for `need` elements of `size` bytes; capacity grows by half, contents are kept.
STIC_API STIC_MUST_USE SticStatus stic_array_reserve(const SticContext* context, void** data,
                                                     size_t* capacity, size_t need, size_t size);

/// Reserve for a typed pointer and its size_t capacity.
#define STIC_RESERVE(context, data, capacity, need)                                                \
    stic_array_reserve((context), (void**)(data), (capacity), (size_t)(need), sizeof **(data))

/* ---- hash, random numbers, time ---- */

/// 64-bit hash of bytes, chained through `hash` (start with 0). The same on every platform of one
/// byte order.
STIC_API uint64_t stic_hash_bytes(uint64_t hash, const void* bytes, size_t count);
/// Hash of doubles by their bits; -0 counts as 0.
STIC_API uint64_t stic_hash_doubles(uint64_t hash, const double* values, size_t count);

/// State of a small, fast generator (xoshiro256**); never seeded from time.
typedef struct SticRandom {
    uint64_t state[4]; ///< not all zero
} SticRandom;

/// Generator for a seed; every seed is as good as any other.
STIC_API SticRandom stic_random_create(uint64_t seed);
/// The next 64 random bits.
STIC_API uint64_t stic_random_bits(SticRandom* random);
/// Uniform in [0, 1) with 53 bits.
STIC_API double stic_random_uniform(SticRandom* random);
/// Uniform in [low, high).
STIC_API double stic_random_range(SticRandom* random, double low, double high);
/// Seconds of a monotonic clock; only differences mean anything.
STIC_API double stic_timer_seconds(void);

/* ---- threads ---- */

/// One piece of work: chunk `index` of a call. Which thread runs it must not matter.
typedef void (*SticChunkWork)(void* self, int32_t index);

/// Number of threads including the caller; 1 for NULL.
STIC_API int32_t stic_pool_threads(const SticPool* pool);
/// Run `work` for every index in [0, chunks). Chunks are a function of the data only, never of the
/// thread count, so that results are the same bits for any number of threads. `pool` may be NULL. A
/// call made while the pool is busy, from inside a chunk or from another thread, runs on the
/// calling thread alone.
STIC_API void stic_pool_run(SticPool* pool, int32_t chunks, SticChunkWork work, void* self);

/* ---- settings ---- */

/// Table entry of a double.
#define STIC_FIELD_REAL(type, member, initial, low, high, unit, text)                              \
    {                                                                                              \
#member, STIC_FIELD_DOUBLE, (uint32_t)offsetof(type, member), initial, low, high, unit,    \
            text, NULL                                                                             \
    }

/// Table entry of an int32_t.
#define STIC_FIELD_COUNT(type, member, initial, low, high, unit, text)                             \
    {                                                                                              \
#member, STIC_FIELD_INT, (uint32_t)offsetof(type, member), initial, low, high, unit, text, \
            NULL                                                                                   \
    }

/// Table entry of a bool.
#define STIC_FIELD_FLAG(type, member, initial, text)                                               \
    {                                                                                              \
#member, STIC_FIELD_BOOL, (uint32_t)offsetof(type, member), initial, 0, 1, "-", text, NULL \
    }

/// Table entry of an int32_t that is an index into `names`, 0 to `highest`.
#define STIC_FIELD_PICK(type, member, initial, highest, names, text)                               \
    {                                                                                              \
#member, STIC_FIELD_CHOICE, (uint32_t)offsetof(type, member), initial, 0, highest, "-",    \
            text, names                                                                            \
    }

/// The names of all fields of a table (NULL: none), as a list with commas; cut off at `size`.
STIC_API const char* stic_fields_names(const SticFieldTable* table, char* text, size_t size);
/// Check every field's range.
STIC_API SticStatus stic_fields_check(const SticFieldTable* table, const void* settings,
                                      SticError* error);
/// Value of a field as a number (CHOICE: its index, BOOL: 0 or 1).
STIC_API double stic_fields_get(const SticField* field, const void* settings);
/// The candidate closest to `word` in edit distance, or NULL if none is near. `candidates` ends
/// with NULL.
STIC_API const char* stic_suggest(const char* word, const char* const* candidates);

#ifdef __cplusplus
}
#endif

#endif

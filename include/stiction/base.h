// SPDX-License-Identifier: Apache-2.0
// Status, errors, context (allocator, log, seed, threads), arena, arrays, hash, random, timer.
#ifndef STICTION_BASE_H
#define STICTION_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
/// The declaration is exported from the shared library.
#define STIC_API __attribute__((visibility("default")))
/// The arguments from number `b` on are checked against the format in argument `a`.
#define STIC_PRINTF(a, b) __attribute__((format(printf, a, b)))
/// The result must not be ignored.
#define STIC_MUST_USE __attribute__((warn_unused_result))
/// The function does not return.
#define STIC_NORETURN __attribute__((noreturn))
#else
#define STIC_API
#define STIC_PRINTF(a, b)
#define STIC_MUST_USE
#define STIC_NORETURN
#endif

/* ---- failures of kind 2: bad data, or a system call that failed ---- */

/// The one list of status values: name and meaning. A numerical outcome (not converged, …) is not
/// here.
#define STIC_STATUS_LIST(X)                                                                        \
    X(OK, "no error")                                                                              \
    X(OUT_OF_MEMORY, "out of memory")                                                              \
    X(BAD_ARGUMENT, "an argument is outside its documented range")                                 \
    X(BAD_DATA, "the data are malformed or contradictory")                                         \
    X(BAD_FILE, "the file cannot be read as what it claims to be")                                 \
    X(IO_FAILED, "reading or writing failed")                                                      \
    X(UNSUPPORTED, "this combination is not supported")                                            \
    X(NOT_FINITE, "a value is infinite or not a number")                                           \
    X(SINGULAR, "a matrix that must be regular is singular")                                       \
    X(STEP_FAILED, "the step could not be computed")                                               \
    X(INTERRUPTED, "stopped on request")

/// Result of every function that can fail for reasons outside the program's logic.
typedef enum SticStatus {
#define STIC_STATUS_ENUM(name, text) STIC_##name,
    STIC_STATUS_LIST(STIC_STATUS_ENUM)
#undef STIC_STATUS_ENUM
        STIC_STATUS_COUNT
} SticStatus;

/// Caller-owned description of what went wrong. Zero-initialise; filled only on failure.
typedef struct SticError {
    SticStatus status; ///< STIC_OK if nothing was reported
    int32_t line;      ///< 1-based line in `file`, 0 if unknown
    int32_t column;    ///< 1-based column in `file`, 0 if unknown
    char file[256];    ///< file name, empty if none; long names keep their end
    char text[512];    ///< one sentence; "..." at its end if it was longer
} SticError;

/// Make an error say nothing; its texts become empty.
static inline void stic_error_clear(SticError* error)
{
    error->status = STIC_OK;
    error->line = error->column = 0;
    error->file[0] = error->text[0] = '\0';
}

/// Short name of a status, such as "BAD_FILE".
STIC_API const char* stic_status_name(SticStatus status);
/// The sentence that explains a status.
STIC_API const char* stic_status_text(SticStatus status);
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

/* ---- failures of kind 1: programmer errors ---- */

/// Called when an assertion fails; weak, so that a program can define its own. Does not return.
STIC_API STIC_NORETURN void stic_assert_failed(const char* expression, const char* file, int line);

/// Check for a programmer error; gone in release builds, kept in the preset `checked`.
#ifdef NDEBUG
#define STIC_ASSERT(expression) ((void)0)
#else
#define STIC_ASSERT(expression)                                                                    \
    ((expression) ? (void)0 : stic_assert_failed(#expression, __FILE__, __LINE__))
#endif

/* ---- context ---- */

/// Memory source. `release` gets the size that was asked for. Memory is aligned to 64 bytes.
typedef struct SticAllocator {
    void* self;                                  ///< passed to both functions
    void* (*allocate)(void* self, size_t bytes); ///< NULL when out of memory; never called with 0
    void (*release)(void* self, void* memory, size_t bytes); ///< never called with NULL
} SticAllocator;

/// How much a log line matters.
typedef enum SticLogLevel { STIC_LOG_DEBUG, STIC_LOG_INFO, STIC_LOG_WARNING } SticLogLevel;

/// Receiver of log lines; the library itself never prints.
typedef struct SticLog {
    void* self;                                                      ///< passed to `write`
    void (*write)(void* self, SticLogLevel level, const char* text); ///< NULL: silent
} SticLog;

/// Threads that share the work of a call; see stic_pool_run.
typedef struct SticPool SticPool;

/// What every allocating function is handed: memory, log, seed and threads. Plain data, by value
/// from stic_context_default; the pool is borrowed.
typedef struct SticContext {
    SticAllocator allocator; ///< source of all memory
    SticLog log;             ///< receiver of log lines
    uint64_t seed;           ///< seed of every pseudo-random choice the library makes
    SticPool* pool;          ///< NULL: everything runs on the calling thread
} SticContext;

/// C library allocator, no log, seed 1, no threads.
STIC_API SticContext stic_context_default(void);
/// Zeroed memory aligned to 64 bytes. `bytes` 0 gives NULL and STIC_OK.
STIC_API STIC_MUST_USE SticStatus stic_allocate(const SticContext* context, size_t bytes,
                                                void** memory);
/// Give back what stic_allocate gave; NULL is allowed.
STIC_API void stic_release(const SticContext* context, void* memory, size_t bytes);
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

/// Bump allocator: blocks are kept between steps, so a step allocates nothing below the high-water
/// mark.
typedef struct SticArena SticArena;
/// First member of an arena, visible so that a take is a few instructions. Not for direct use.
typedef struct SticArenaHead {
    unsigned char* memory; ///< block being filled
    size_t size;           ///< its bytes
    size_t used;           ///< bytes taken of it
    int32_t block;         ///< its number
} SticArenaHead;
/// Position inside an arena, to rewind to.
typedef struct SticArenaMark {
    int32_t block; ///< number of the block being filled
    size_t used;   ///< bytes used in it
} SticArenaMark;

/// Make an arena whose first block holds `first_bytes` (at least 4096).
STIC_API SticStatus stic_arena_create(const SticContext* context, size_t first_bytes,
                                      SticArena** arena);
/// Give back all memory of an arena; NULL is allowed.
STIC_API void stic_arena_destroy(SticArena* arena);
/// Uninitialised memory aligned to 64 bytes, valid until the arena is rewound before it.
STIC_API STIC_MUST_USE SticStatus stic_arena_take(SticArena* arena, size_t bytes, void** memory);
/// Free everything taken since `mark`, which may be in an earlier block; see stic_arena_rewind.
STIC_API void stic_arena_rewind_blocks(SticArena* arena, SticArenaMark mark);
/// Rewind to the start and merge the blocks into one, so that the next step runs in one block. If
/// that block cannot be had the status says so, and the arena stays usable with the blocks it has.
STIC_API SticStatus stic_arena_reset(SticArena* arena);
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
    if (mark.block == head->block && mark.used <= head->used)
        head->used = mark.used;
    else
        stic_arena_rewind_blocks(arena, mark);
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
/// Hash of doubles by value bits, with -0 counted as 0.
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

/// Pool of `threads` (>= 1) including the caller; waits block, they do not spin.
STIC_API SticStatus stic_pool_create(const SticContext* context, int32_t threads, SticPool** pool);
/// End the threads of a pool; NULL is allowed. No call may be running.
STIC_API void stic_pool_destroy(SticPool* pool);
/// Number of threads including the caller; 1 for NULL.
STIC_API int32_t stic_pool_threads(const SticPool* pool);
/// Run `work` for every index in [0, chunks). Chunks are a function of the data only, never of the
/// thread count, so that results are the same bits for any number of threads. `pool` may be NULL. A
/// call made while the pool is busy, from inside a chunk or from another thread, runs on the
/// calling thread alone.
STIC_API void stic_pool_run(SticPool* pool, int32_t chunks, SticChunkWork work, void* self);

/* ---- settings ---- */

/// Type of a settings member.
typedef enum SticFieldType {
    STIC_FIELD_DOUBLE, ///< double
    STIC_FIELD_INT,    ///< int32_t
    STIC_FIELD_BOOL,   ///< bool
    STIC_FIELD_CHOICE  ///< int32_t index into `choices`
} SticFieldType;

/// One member of a settings struct. The table of a struct drives defaults, validation, the command
/// line, scenes, Python attributes and the reference page.
typedef struct SticField {
    const char* name;           ///< the member's name
    SticFieldType type;         ///< the member's type
    uint32_t offset;            ///< of the member in its struct, bytes
    double initial;             ///< default value
    double low, high;           ///< accepted range, ends included
    const char* unit;           ///< "-" if dimensionless
    const char* text;           ///< one sentence
    const char* const* choices; ///< NULL-terminated, for CHOICE
} SticField;

/// Table of one settings struct, ended by `count`.
typedef struct SticFieldTable {
    const char* name;        ///< first part of `a.b=value`
    const SticField* fields; ///< one per member
    int32_t count;           ///< number of fields
    uint32_t size;           ///< sizeof the struct
} SticFieldTable;

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
/// Table entry of an int32_t that counts the names in `names`, 0 to `highest`.
#define STIC_FIELD_PICK(type, member, initial, highest, names, text)                               \
    {                                                                                              \
#member, STIC_FIELD_CHOICE, (uint32_t)offsetof(type, member), initial, 0, highest, "-",    \
            text, names                                                                            \
    }

/// Write every default into `settings`.
STIC_API void stic_fields_default(const SticFieldTable* table, void* settings);
/// Set one field from text; unknown names get a suggestion, values are checked against the range.
STIC_API SticStatus stic_fields_set(const SticFieldTable* table, void* settings, const char* name,
                                    const char* value, SticError* error);
/// Check every field's range.
STIC_API SticStatus stic_fields_check(const SticFieldTable* table, const void* settings,
                                      SticError* error);
/// Value of a field as a number (CHOICE: its index, BOOL: 0 or 1).
STIC_API double stic_fields_get(const SticField* field, const void* settings);

/// The candidate closest to `word` in edit distance, or NULL if none is near. `candidates` ends
/// with NULL.
STIC_API const char* stic_suggest(const char* word, const char* const* candidates);

/// Version of the library, "major.minor.patch".
STIC_API const char* stic_version(void);

#ifdef __cplusplus
}
#endif

#endif

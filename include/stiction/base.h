// SPDX-License-Identifier: Apache-2.0
// Status and errors, context (memory, log, seed, threads), arenas, settings by name, version.
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

/* ---- pointers that may be NULL ----
 *
 * In all headers of this folder, a NULL `context` is the default context, a NULL `error` asks for
 * no sentence, and a NULL text in a definition stands for its default or for none. What else may be
 * NULL is said where it is declared. A function with a status refuses any other NULL with
 * STIC_BAD_ARGUMENT and names the argument. One without a status answers NULL with NULL, zero or
 * nothing, so that a chain of calls can be checked once, at its end: an error that is already
 * filled keeps the sentence of the call that failed first. */

/* ---- failures of kind 2: bad data, or a system call that failed ---- */

/// All status values: name and meaning. Numerical outcomes (not converged, …) are not among
/// them.
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
    int32_t line;      ///< 1-based line in `file`, 0 if unknown; first, as C++ has no {0} for enums
    int32_t column;    ///< 1-based column in `file`, 0 if unknown
    SticStatus status; ///< STIC_OK if nothing was reported
    char file[256];    ///< file name, empty if none; long names keep their end
    char text[512];    ///< one sentence; "..." at its end if it was longer
} SticError;

/// The sentence that explains a status.
STIC_API const char* stic_status_text(SticStatus status);

/* ---- context ---- */

/// Memory source. `release` gets the size that was asked for. Memory is aligned to 64 bytes. Both
/// functions NULL: the C library's memory; one of them alone is a programming error.
typedef struct SticAllocator {
    void* self;                                  ///< passed to both functions
    void* (*allocate)(void* self, size_t bytes); ///< NULL when out of memory; never called with 0
    void (*release)(void* self, void* memory, size_t bytes); ///< never called with NULL
} SticAllocator;

/// How much a log line matters.
typedef enum SticLogLevel { STIC_LOG_DEBUG, STIC_LOG_INFO, STIC_LOG_WARNING } SticLogLevel;

/// Receiver of log lines. The library itself never prints.
typedef struct SticLog {
    void* self;                                                      ///< passed to `write`
    void (*write)(void* self, SticLogLevel level, const char* text); ///< NULL: silent
} SticLog;

/// Threads that share the work of a call; see stic_pool_run.
typedef struct SticPool SticPool;

/// Lets a caller stop a long call, which asks now and then, on the thread that made it. A call that
/// is stopped ends with STIC_INTERRUPTED and leaves everything as it was.
typedef struct SticInterrupt {
    void* self;                ///< first argument of `asked`
    bool (*asked)(void* self); ///< true: stop; NULL: never
} SticInterrupt;

/// What every allocating function is handed: memory, log, seed, threads and how to stop it. Plain
/// data, by value from stic_context_default; the pool is borrowed. A context of zeros works too: it
/// is the default one with seed 0.
typedef struct SticContext {
    SticAllocator allocator; ///< source of all memory
    SticLog log;             ///< receiver of log lines
    uint64_t seed;           ///< seed of every pseudo-random choice the library makes
    SticPool* pool;          ///< NULL: everything runs on the calling thread
    SticInterrupt interrupt; ///< of calls that take long
} SticContext;

/// C library allocator, no log, seed 1, no threads, never interrupted.
STIC_API SticContext stic_context_default(void);

/* ---- arena: memory of one step ---- */

/// Bump allocator: blocks are kept between steps, so a step allocates nothing below the high-water
/// mark.
typedef struct SticArena SticArena;

/// Make an arena whose first block holds `first_bytes` (at least 4096).
STIC_API SticStatus stic_arena_create(const SticContext* context, size_t first_bytes,
                                      SticArena** arena);
/// Free all memory of an arena; NULL is allowed.
STIC_API void stic_arena_destroy(SticArena* arena);
/// Rewind to the start and replace the blocks by one with room for an eighth more than was in use
/// at any time, so that the next step runs in one block. If that block cannot be allocated the
/// status says so, and the arena stays usable: it takes blocks again as it needs them.
STIC_API SticStatus stic_arena_reset(SticArena* arena);

/* ---- threads ---- */

/// Make a pool of `threads` (>= 1) threads, the caller included; waiting threads block, they do not
/// spin.
STIC_API SticStatus stic_pool_create(const SticContext* context, int32_t threads, SticPool** pool);
/// Stop the threads of a pool; NULL is allowed. No call may be using it.
STIC_API void stic_pool_destroy(SticPool* pool);

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

/// Write every default into `settings`.
STIC_API void stic_fields_default(const SticFieldTable* table, void* settings);
/// Set one field from text; unknown names get a suggestion, values are checked against the range.
STIC_API SticStatus stic_fields_set(const SticFieldTable* table, void* settings, const char* name,
                                    const char* value, SticError* error);
/// Version of the library, "major.minor.patch".
STIC_API const char* stic_version(void);

#ifdef __cplusplus
}
#endif

#endif

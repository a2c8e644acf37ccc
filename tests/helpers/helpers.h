// SPDX-License-Identifier: Apache-2.0
// What every test program may use: failing and counting memory, the public problem collection,
// random data, tables of figures.
//
// Every allocation of a function fails once, in turn (zero bytes must be live after each failure):
//
//     static SticStatus make_and_drop(const SticContext* context, void* self)
//     {
//         SticThing* thing = NULL;
//         STIC_TRY(stic_thing_create(context, &thing));
//         stic_thing_destroy(thing);
//         return STIC_OK;
//     }
//     test_fail_every_allocation(make_and_drop, NULL);
//
// No allocation during a call, no leak at the end:
//
//     TestMemory memory;
//     const SticContext context = test_memory_context(&memory);
//     …
//     const int64_t calls = memory.calls;
//     assert_int_equal(stic_thing_step(thing), STIC_OK);
//     assert_int_equal(memory.calls, calls);
//     …
//     test_memory_check(&memory);
//
// A file of the public collection (the test is skipped with a message where the collection is
// absent):
//
//     char path[TEST_PATH_SIZE];
//     test_problem_path("fc3d-local-dat/FC3D_Example1.dat", path);
#ifndef STIC_TEST_HELPERS_H
#define STIC_TEST_HELPERS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stiction/extend/base.h"
#include "stiction/extend/vec3.h"

enum { TEST_PATH_SIZE = 1024 };

/* ---- memory ---- */

/// Allocator that counts, checks and fails on demand. Safe to use from several threads.
typedef struct TestMemory {
    int64_t calls;      ///< calls of allocate so far, the failed ones too
    int64_t fail_at;    ///< number of the call that fails, counted from 1; 0: none
    int64_t failed;     ///< calls that failed on demand
    int64_t live;       ///< blocks not released yet
    size_t live_bytes;  ///< bytes not released yet
    size_t peak_bytes;  ///< largest live_bytes seen
    int64_t wrong_size; ///< releases with a size other than the one asked for
    int64_t damaged;    ///< blocks whose guard bytes were overwritten, or that are not ours
} TestMemory;

/// Clear `memory` and give a default context that allocates from it. `memory` must outlive the
/// context.
SticContext test_memory_context(TestMemory* memory);
/// Fail the test unless everything was released, with the right sizes and intact guards.
void test_memory_check(const TestMemory* memory);

/// What test_fail_every_allocation calls: do something with `context`, release all of it, give the
/// status.
typedef SticStatus (*TestFallible)(const SticContext* context, void* self);

/// Run `call` with its allocation 1 failing, then 2, … until a run needs fewer. Each failing run
/// must give STIC_OUT_OF_MEMORY and leave nothing behind; the last one must give STIC_OK. Returns
/// how many allocations that last run made.
int64_t test_fail_every_allocation(TestFallible call, void* self);

/* ---- numbers ---- */

/// Which numbers an assertion accepts.
typedef enum TestRelation { TEST_LESS, TEST_AT_MOST, TEST_GREATER, TEST_AT_LEAST } TestRelation;

/// Fail unless `value` is in the relation to `bound`, and tell both numbers with their words; not a
/// number fails.
void test_compare(double value, TestRelation relation, double bound, const char* words,
                  const char* file, int line);
/// Fail unless |value - expected| <= bound, and tell all three.
void test_compare_near(double value, double expected, double bound, const char* words,
                       const char* file, int line);
/// Fail unless both numbers are equal, and tell both.
void test_compare_reals(double value, double expected, const char* words, const char* file,
                        int line);
/// The same for whole numbers of any type.
void test_compare_integers(intmax_t value, intmax_t expected, const char* words, const char* file,
                           int line);

/// value == expected, as doubles if one of them is one, else as whole numbers
#define test_equal(value, expected)                                                                \
    _Generic((value) + (expected), /**/                                                            \
             double                                                                                \
             : test_compare_reals((double)(value), (double)(expected), #value " == " #expected,    \
                                  __FILE__, __LINE__),                                             \
               default                                                                             \
             : test_compare_integers((intmax_t)(value), (intmax_t)(expected),                      \
                                     #value " == " #expected, __FILE__, __LINE__))
/// value < bound
#define test_less(value, bound)                                                                    \
    test_compare((double)(value), TEST_LESS, (double)(bound), #value " < " #bound, __FILE__,       \
                 __LINE__)
/// value <= bound
#define test_at_most(value, bound)                                                                 \
    test_compare((double)(value), TEST_AT_MOST, (double)(bound), #value " <= " #bound, __FILE__,   \
                 __LINE__)
/// value > bound
#define test_greater(value, bound)                                                                 \
    test_compare((double)(value), TEST_GREATER, (double)(bound), #value " > " #bound, __FILE__,    \
                 __LINE__)
/// value >= bound
#define test_at_least(value, bound)                                                                \
    test_compare((double)(value), TEST_AT_LEAST, (double)(bound), #value " >= " #bound, __FILE__,  \
                 __LINE__)
/// |value - expected| <= bound
#define test_near(value, expected, bound)                                                          \
    test_compare_near((double)(value), (double)(expected), (double)(bound),                        \
                      #value " near " #expected, __FILE__, __LINE__)

/// x . y
double test_dot(int32_t n, const double* x, const double* y);
/// Largest |x_k - y_k|.
double test_largest_difference(int32_t n, const double* x, const double* y);
/// Order of two uint64_t, for qsort.
int test_order_keys(const void* a, const void* b);

/* ---- files ---- */

/// Folder of the public problem collection: $STICTION_PROBLEMS, else ../shared/data/problems beside
/// the source folder. False if it is absent.
bool test_problems_folder(char path[TEST_PATH_SIZE]);
/// Path of one file of the collection. Skips the test with a message if there is no collection,
/// fails it if the collection lacks the file.
void test_problem_path(const char* name, char path[TEST_PATH_SIZE]);
/// Path of a scratch file that no other running test uses; the caller removes the file.
void test_scratch_path(const char* name, char path[TEST_PATH_SIZE]);

/* ---- random data ---- */

/// `count` numbers uniform in [low, high).
void test_random_vector(SticRandom* random, int32_t count, double low, double high, double* x);
/// Vector with components uniform in [-size, size).
SticVec3 test_random_vec3(SticRandom* random, double size);
/// Whole number uniform in [low, high].
int32_t test_random_index(SticRandom* random, int32_t low, int32_t high);
/// Standard normal number.
double test_random_normal(SticRandom* random);
/// Uniformly distributed unit vector of `count` entries.
void test_random_unit(SticRandom* random, int32_t count, double* x);
/// Uniformly distributed rotation matrix, by rows.
void test_random_rotation(SticRandom* random, double R[9]);
/// The same as a matrix.
SticMat3 test_random_mat3(SticRandom* random);
/// Uniformly distributed rotation, by way of a quaternion.
SticMat3 test_random_turn(SticRandom* random);
/// Symmetric positive definite n x n matrix with eigenvalues spread geometrically over
/// [1/condition, 1].
void test_random_spd(SticRandom* random, int32_t n, double condition, double* A);

/* ---- figures ---- */

/// The larger of both. What is not a number stays, so that no bound holds for it; fmax would drop
/// it.
static inline double test_worse(double worst, double value)
{
    return value <= worst || isnan(worst) ? worst : value;
}

enum { TEST_TABLE_COLUMNS = 16 };

/// Table printed row by row, so that what was measured before a failure is seen.
typedef struct TestTable {
    int32_t columns;
    int32_t width[TEST_TABLE_COLUMNS];
} TestTable;

/// Print title and heading. `heading` has the cells between bars, "problem         |sweeps|error";
/// blanks in a cell make its column as wide. The first column is flush left, the others flush
/// right.
TestTable test_table_begin(const char* title, const char* heading);
/// Print one row: a format with the same bars, "%s|%d|%.2e".
void test_table_row(const TestTable* table, const char* format, ...) STIC_PRINTF(2, 3);

#endif

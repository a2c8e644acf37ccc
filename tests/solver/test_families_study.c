// SPDX-License-Identifier: Apache-2.0
// auto on the large members of all generated families, to 20 000 contacts, at 1e-6.
#include "families.h"

static const char* const names[] = {
    "stack1000",       "wall20",         "wall40",           "wall10-gyro", "pyramid50",
    "pyramid70",       "pyramid10-gyro", "pyramid20-hit",    "arch2000",    "chain2000",
    "bridge600",       "bridge200-hit",  "bridge200-slide",  "spheres1k",   "spheres3k",
    "spheres300-gyro", "capsules1k",     "capsules300-gyro",
};

static void test_large(void** state)
{
    (void)state;
    const TestTable table = family_table("auto on generated scenes, relative norm 1e-6");
    for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k)
        family_solve(&table, names[k], 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_large)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// auto on the large members of all generated families, to 20 000 contacts, at 1e-6: the scenes of
// the table in docs/theory/solvers.md. A part alone: test_families_study test_hit
#define FAMILIES_EFFORT "effort=high"
#define FAMILIES_EFFORT "effort=high"
#include "families.h"

static const char* const rest[] = {
    "stack1000", "wall20",    "wall40",    "pyramid50", "pyramid70",  "arch2000",
    "chain2000", "bridge600", "spheres1k", "spheres3k", "capsules1k",
};
static const char* const gyro[] = {"wall10-gyro", "pyramid10-gyro", "spheres300-gyro",
                                   "capsules300-gyro"};
static const char* const hit[] = {"stack100-hit", "pyramid20-hit", "bridge200-hit",
                                  "wall20-hit",   "spheres1k-hit", "capsules1k-hit"};
static const char* const slide[] = {"bridge200-slide",  "pyramid20-slide", "spheres300-slide",
                                    "spheres500-slide", "wall20-slide",    "capsules1k-slide",
                                    "spheres900-slide", "spheres1k-slide"};

static void solve_all(const char* title, const char* const* names, size_t count)
{
    const TestTable table = family_table(title);
    for (size_t k = 0; k < count; ++k)
        family_solve(&table, names[k], 1e-6);
}

static void test_rest(void** state)
{
    (void)state;
    solve_all("auto at rest, relative norm 1e-6", rest, sizeof rest / sizeof rest[0]);
}

static void test_gyro(void** state)
{
    (void)state;
    solve_all("auto with unsymmetric W, relative norm 1e-6", gyro, sizeof gyro / sizeof gyro[0]);
}

static void test_hit(void** state)
{
    (void)state;
    solve_all("auto after impacts, relative norm 1e-6", hit, sizeof hit / sizeof hit[0]);
}

static void test_slide(void** state)
{
    (void)state;
    solve_all("auto on what slides, relative norm 1e-6", slide, sizeof slide / sizeof slide[0]);
}

int main(int count, char** argument)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rest), cmocka_unit_test(test_gyro),
                                       cmocka_unit_test(test_hit), cmocka_unit_test(test_slide)};
    if (count > 1)
        cmocka_set_test_filter(argument[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

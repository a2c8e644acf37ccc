// SPDX-License-Identifier: Apache-2.0
// The dynamic limit of the masonry arch by bisection, for several frictions and steps, next to the
// static one.
#include "helpers/helpers.h"
#include "scene/arch.h"

// bisection of the thickness over the static limit between 0.98 and 1.02
static double limit_of(double friction, double limit, const char* step)
{
    double low = 0.98, high = 1.02;
    for (int k = 0; k < 9; ++k) {
        const double middle = 0.5 * (low + high);
        const ArchResult result = arch_run(friction, 10.0 * middle * limit, step, "0.5");
        if (arch_stands(&result))
            high = middle;
        else
            low = middle;
    }
    return 0.5 * (low + high);
}

static void test_limits(void** state)
{
    (void)state;
    static const struct {
        double friction, limit;
        const char* step;
        double margin;
    } cases[] = {{0.4, 0.106721, "0.001", 0.005},  {0.4, 0.106721, "0.002", 0.005},
                 {0.311, 0.194743, "0.001", 0.01}, {0.311, 0.194743, "0.002", 0.01},
                 {0.36, 0.140891, "0.001", 0.01},  {0.33, 0.172649, "0.001", 0.01}};
    const TestTable table =
        test_table_begin("masonry arch, 27 blocks: dynamic limit by bisection, 0.5 s each",
                         "friction|static t/R|   h   |dynamic t/R|dynamic/static");
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        const double ratio = limit_of(cases[k].friction, cases[k].limit, cases[k].step);
        test_table_row(&table, "%.3f|%.6f|%s|%.6f|%.4f", cases[k].friction, cases[k].limit,
                       cases[k].step, ratio * cases[k].limit, ratio);
        test_near(ratio, 1.0, cases[k].margin);
    }
}

int main(void)
{
    if (!stic_scene_has_lua()) {
        printf("left out: built without Lua\n");
        return 0;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_limits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

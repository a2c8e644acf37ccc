// SPDX-License-Identifier: Apache-2.0
// Hertz contact of a rigid ball with an elastic half-space: orders.
#include "physics/hertz.h"

static TestSolid solid;

static void hertz(void** state)
{
    (void)state;
    static const int32_t cells[][2] = {{8, 2}, {12, 4}, {18, 8}};
    TestHertz at[3];
    for (int k = 0; k < 3; ++k)
        at[k] = test_hertz(&solid, cells[k][0], cells[k][1]);
    printf("orders: force %.2f, pressures %.2f\n", 0.5 * log2(fabs(at[0].force / at[2].force)),
           0.5 * log2(at[0].pressure / at[2].pressure));
    test_less(fabs(at[2].force), 0.02);
    test_less(at[2].pressure, at[0].pressure / 2.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(hertz)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

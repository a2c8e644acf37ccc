// SPDX-License-Identifier: Apache-2.0
// Hertz contact of a rigid ball with an elastic half-space; finer meshes: test_solid_hertz_study.
#include "physics/hertz.h"

static TestSolid solid;

static void hertz(void** state)
{
    (void)state;
    const TestHertz coarse = test_hertz(&solid, 7, 2), fine = test_hertz(&solid, 11, 4);
    test_less(fabs(fine.force), 0.02);
    test_less(fabs(fine.peak), 0.02);
    // nodes at the edge of the contact are in it or not: a share 2 h/a of the area, with a fall of
    // sqrt(2 h/a) of the pressure, h = a/3 there
    test_less(fine.pressure, 0.2);
    test_less(fine.pressure, coarse.pressure);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(hertz)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

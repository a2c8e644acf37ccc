// SPDX-License-Identifier: Apache-2.0
// Steps of the pair of order eight: against the exponential function, and where values leave the
// numbers, which must never pass for a small error.
#include "helpers/helpers.h"

#include <math.h>
#include <stdio.h>

#include "step/runge_kutta.h"

// y' = self y
static SticStatus grow(void* self, double t, const double* y, double weight, double* slope)
{
    (void)t, (void)weight;
    slope[0] = *(const double*)self * y[0];
    return STIC_OK;
}

static SticStatus refuse(void* self, double t, const double* y, double weight, double* slope)
{
    (void)self, (void)t, (void)y, (void)weight, (void)slope;
    return STIC_NOT_FINITE;
}

static double error_of(const SticRungeKutta* step)
{
    return stic_runge_kutta_combine(fabs(step->error[0][0]), fabs(step->error[1][0]));
}

static void try_pair(const SticOde* ode, double h, double end[2])
{
    const SticContext context = stic_context_default();
    SticArena* arena = NULL;
    SticRungeKutta* step = NULL;
    assert_int_equal(stic_arena_create(&context, 0, &arena), STIC_OK);
    assert_int_equal(stic_runge_kutta_create(arena, ode, &step), STIC_OK);
    step->begin[0] = 1.0;
    assert_int_equal(stic_runge_kutta_try(step, 0.0, h), STIC_OK);
    end[0] = step->end[0];
    end[1] = error_of(step);
    stic_arena_destroy(arena);
}

static void exponential(void** state)
{
    (void)state;
    double rate = 1.0, end[2];
    try_pair(&(SticOde){1, &rate, grow}, 0.1, end);
    printf("e^0.1 missed by %.1e, estimate %.1e\n", fabs(end[0] - exp(0.1)), end[1]);
    test_near(end[0], exp(0.1), 1e-14);
    test_less(end[1], 1e-12);
}

static void beyond_the_numbers(void** state)
{
    (void)state;
    double rate = 1e200, end[2];
    try_pair(&(SticOde){1, &rate, grow}, 1.0, end);
    assert_true(isnan(end[1]));
    try_pair(&(SticOde){1, &rate, refuse}, 1.0, end);
    assert_true(isnan(end[1]));
    assert_true(isnan(stic_runge_kutta_combine((double)NAN, 0.0)));
    test_equal(stic_runge_kutta_combine(0.0, 0.0), 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(exponential),
                                       cmocka_unit_test(beyond_the_numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

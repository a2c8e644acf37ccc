// SPDX-License-Identifier: Apache-2.0
// Explicit Runge-Kutta steps: Dormand and Prince's pair 8(5,3), and the classical method.
#include "step/runge_kutta.h"

#include <math.h>
#include <string.h>

#include "math/math.h"
#include "step/runge_kutta_table.h"
#include "stiction/extend/base.h"

SticStatus stic_runge_kutta_create(SticArena* arena, const SticOde* ode, SticRungeKutta** made)
{
    SticRungeKutta* step = NULL;
    STIC_TRY(STIC_TAKE(arena, &step, 1));
    *step = (SticRungeKutta){.ode = *ode};
    STIC_TRY(STIC_TAKE(arena, &step->begin, ode->n));
    STIC_TRY(STIC_TAKE(arena, &step->end, ode->n));
    for (int k = 0; k < 2; ++k)
        STIC_TRY(STIC_TAKE(arena, &step->error[k], ode->n));
    STIC_TRY(STIC_TAKE(arena, &step->stage, (int64_t)STIC_RK_ALL * ode->n));
    STIC_TRY(STIC_TAKE(arena, &step->dense, (int64_t)STIC_RK_DENSE * ode->n));
    *made = step;
    return STIC_OK;
}

// y = begin + h sum of the slopes before stage s
static void gather(const SticRungeKutta* step, int s, double* y)
{
    const int32_t n = step->ode.n;
    memset(y, 0, (size_t)n * sizeof *y);
    for (int j = 0; j < s; ++j) {
        const double a = stic_rk_matrix[s][j];
        const double* slope = step->stage + (size_t)j * (size_t)n;
        for (int32_t c = 0; a != 0.0 && c < n; ++c)
            y[c] += a * slope[c];
    }
    for (int32_t c = 0; c < n; ++c)
        y[c] = step->begin[c] + step->h * y[c];
}

static SticStatus evaluate(SticRungeKutta* step, int s, double weight)
{
    return step->ode.slope(step->ode.self, step->t + stic_rk_node[s] * step->h, step->end, weight,
                           step->stage + (size_t)s * (size_t)step->ode.n);
}

double stic_runge_kutta_node(int s)
{
    STIC_ASSERT(s >= 0 && s < STIC_RK_ALL);
    return stic_rk_node[s];
}

void stic_runge_kutta_estimate(const SticRungeKutta* step, int k, int32_t n, const double* value,
                               double* error)
{
    memset(error, 0, (size_t)n * sizeof *error);
    for (int s = 0; s < STIC_RK_STEP; ++s)
        for (int32_t c = 0; stic_rk_error[k][s] != 0.0 && c < n; ++c)
            error[c] += step->h * stic_rk_error[k][s] * value[(size_t)s * (size_t)n + (size_t)c];
}

// a step with values that are not finite: its error is the largest possible
static void give_up(SticRungeKutta* step)
{
    for (int32_t c = 0; c < step->ode.n; ++c)
        step->error[0][c] = step->error[1][c] = (double)NAN;
}

SticStatus stic_runge_kutta_try(SticRungeKutta* step, double t, double h)
{
    STIC_ASSERT(h > 0.0);
    const int32_t n = step->ode.n;
    step->t = t;
    step->h = h;
    step->ready = false;
    for (int s = 0; s < STIC_RK_STEP; ++s) {
        gather(step, s, step->end);
        const SticStatus status = stic_dense_is_finite(n, step->end)
                                      ? evaluate(step, s, h * stic_rk_matrix[STIC_RK_STEP][s])
                                      : STIC_NOT_FINITE;
        if (status == STIC_NOT_FINITE) {
            give_up(step);
            return STIC_OK;
        }
        STIC_TRY(status);
    }
    for (int k = 0; k < 2; ++k)
        stic_runge_kutta_estimate(step, k, n, step->stage, step->error[k]);
    gather(step, STIC_RK_STEP, step->end);
    return STIC_OK;
}

SticStatus stic_runge_kutta_prepare(SticRungeKutta* step)
{
    const size_t n = (size_t)step->ode.n;
    const double h = step->h, *first = step->stage, *last = step->stage + STIC_RK_STEP * n;
    double* F = step->dense;
    if (step->ready)
        return STIC_OK;
    for (int s = STIC_RK_STEP; s < STIC_RK_ALL; ++s) {
        gather(step, s, step->end);
        STIC_TRY(evaluate(step, s, 0.0));
    }
    gather(step, STIC_RK_STEP, step->end);
    for (size_t c = 0; c < n; ++c) {
        const double change = step->end[c] - step->begin[c];
        F[c] = change;
        F[n + c] = h * first[c] - change;
        F[2 * n + c] = 2.0 * change - h * (last[c] + first[c]);
        for (size_t k = 0; k < 4; ++k) {
            double sum = 0.0;
            for (size_t s = 0; s < STIC_RK_ALL; ++s)
                sum += stic_rk_dense[k][s] * step->stage[s * n + c];
            F[(3 + k) * n + c] = h * sum;
        }
    }
    step->ready = true;
    return STIC_OK;
}

void stic_runge_kutta_at(const SticRungeKutta* step, double theta, double* y)
{
    STIC_ASSERT(theta >= 0.0);
    const size_t n = (size_t)step->ode.n;
    for (size_t c = 0; c < n; ++c) {
        double value = 0.0;
        for (int k = STIC_RK_DENSE - 1; k >= 0; --k)
            value = (value + step->dense[(size_t)k * n + c]) * (k % 2 == 0 ? theta : 1.0 - theta);
        y[c] = step->begin[c] + value;
    }
}

double stic_runge_kutta_combine(double fifth, double third)
{
    const double below = sqrt(fifth * fifth + 0.01 * third * third);
    // squares of errors of a step that is far too long overflow
    if (!isfinite(below))
        return isnan(fifth) ? fifth : INFINITY;
    return below == 0.0 ? 0.0 : fifth * (fifth / below);
}

double stic_runge_kutta_factor(double error)
{
    // local errors are of order eight; the limits are Hairer's
    const double factor = error > 0.0 ? 0.9 * stic_pow(error, -1.0 / 8.0) : 6.0;
    return factor > 6.0 ? 6.0 : factor > 0.333 ? factor : 0.333;
}

SticStatus stic_runge_kutta_classic(const SticOde* ode, double t, double h, double* work, double* y)
{
    static const double node[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1.0, 2.0, 2.0, 1.0};
    const int32_t n = ode->n;
    double *slope = work, *sum = work + n, *stage = work + 2 * (size_t)n;
    memset(work, 0, 2 * (size_t)n * sizeof *work);
    for (int s = 0; s < 4; ++s) {
        for (int32_t c = 0; c < n; ++c)
            stage[c] = y[c] + node[s] * h * slope[c];
        STIC_TRY(ode->slope(ode->self, t + node[s] * h, stage, weight[s] * h / 6.0, slope));
        for (int32_t c = 0; c < n; ++c)
            sum[c] += weight[s] * slope[c];
    }
    for (int32_t c = 0; c < n; ++c)
        y[c] += h / 6.0 * sum[c];
    return STIC_OK;
}

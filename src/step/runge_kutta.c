// SPDX-License-Identifier: Apache-2.0
// Classical Runge-Kutta step of order four on (q, u).
#include "step/runge_kutta.h"

#include <string.h>

SticStatus stic_runge_kutta_step(const SticRungeKutta* method, const SticState* from, double h,
                                 SticState* to)
{
    static const double node[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1.0, 2.0, 2.0, 1.0};
    const SticLayout* layout = method->layout;
    const int32_t nq = layout->nq, nu = layout->nu, n = nq + nu;
    double *slope = method->memory, *sum = slope + n, *stage = sum + n;
    const double t = from->t;
    memset(method->memory, 0, 2 * (size_t)n * sizeof *slope);
    for (int s = 0; s < 4; ++s) {
        const double part = node[s] * h;
        for (int32_t c = 0; c < nq; ++c)
            stage[c] = from->q[c] + part * slope[c];
        for (int32_t c = 0; c < nu; ++c)
            stage[nq + c] = from->u[c] + part * slope[nq + c];
        const SticState at = {t + part, stage, stage + nq, from->memory};
        STIC_TRY(method->slope(method->self, &at, weight[s] * h / 6.0, slope));
        for (int32_t c = 0; c < n; ++c)
            sum[c] += weight[s] * slope[c];
    }
    for (int32_t c = 0; c < nq; ++c)
        to->q[c] = from->q[c] + h / 6.0 * sum[c];
    for (int32_t c = 0; c < nu; ++c)
        to->u[c] = from->u[c] + h / 6.0 * sum[nq + c];
    for (int32_t i = 0; i < layout->blocks; ++i)
        stic_chart_normalize((SticChart)layout->chart[i], to->q + layout->q_at[i]);
    to->t = t + h;
    return STIC_OK;
}

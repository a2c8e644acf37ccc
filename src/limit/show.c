// SPDX-License-Identifier: Apache-2.0
// A result of limit analysis as a run: what outputs and viewers understand.
//
// The scheme `collapse` moves every body along the motion of collapse, with its velocities constant
// in body axes, and leaves the forces of equilibrium in its record. It is not in the table of
// schemes: it needs a result.
#include <math.h>
#include <string.h>

#include "limit/limit.h"
#include "stiction/extend/base.h"
#include "stiction/extend/law.h"
#include "stiction/extend/run.h"

// settings of the scheme
typedef struct Collapse {
    const SticLimit* limit;
    double* u; // [nu] of a step of length 1
    double* r; // [rows] impulses of a step
} Collapse;

static SticStatus advance(SticStepper* stepper, const SticSystem* system, const SticState* from,
                          double t_to, SticState* to, SticStepInfo* info)
{
    const Collapse* collapse = stepper->settings;
    const SticLimit* limit = collapse->limit;
    const SticLayout* layout = &system->layout;
    const double h = t_to - from->t;
    STIC_TRY(stic_state_copy(layout, from, to));
    for (int32_t b = 0; b < layout->blocks; ++b) {
        const SticChart chart = (SticChart)layout->chart[b];
        double* q = to->q + layout->q_at[b];
        const int32_t n = layout->u_at[b + 1] - layout->u_at[b];
        stic_chart_drift(chart, n, q, collapse->u + layout->u_at[b], h, q);
        stic_chart_normalize(chart, q);
    }
    memcpy(to->u, collapse->u, (size_t)layout->nu * sizeof *to->u);
    to->t = t_to;
    to->memory->begun = true;
    info->contacts = info->interactions = limit->set.count;
    info->solve.outcome = STIC_OUTCOME_SOLVED;
    if (stepper->record != NULL)
        *stepper->record = (SticStepRecord){.filled = true,
                                            .set = limit->set,
                                            .Ht = limit->Ht,
                                            .chi = limit->zero,
                                            .gap = limit->zero,
                                            .r = collapse->r,
                                            .q = limit->state->q,
                                            .t = limit->state->t,
                                            .h = h};
    return STIC_OK;
}

static const SticScheme scheme = {
    .name = "collapse",
    .text = "Motion of collapse of a limit analysis, with the forces of its equilibrium.",
    .charts = STIC_CHART_BIT(STIC_CHART_QUATERNION) | STIC_CHART_BIT(STIC_CHART_LINEAR),
    .determinism = STIC_STRICT,
    .advance = advance,
    .still = true,
};

// velocities such that contacts move by `way` in a step
static void scale_motion(const Collapse* collapse, const SticLimitResult* result, double way)
{
    const SticLimit* limit = collapse->limit;
    double most = 0.0;
    stic_limit_velocities(limit, result->v, collapse->u);
    for (int32_t i = 0; i < limit->set.count; ++i)
        for (int32_t e = limit->Ht.begin[i]; e < limit->Ht.begin[i + 1]; ++e) {
            // the two sides one by one: what slides over the ground moves, what moves with it too
            const int32_t b = limit->Ht.col[e], at = limit->Ht.col_at[b];
            const int32_t n = limit->Ht.col_at[b + 1] - at;
            double sum = 0.0;
            for (int32_t row = 0; row < limit->set.row_at[i + 1] - limit->set.row_at[i]; ++row) {
                double u = 0.0;
                for (int32_t k = 0; k < n; ++k)
                    u += limit->Ht.value[limit->Ht.value_at[e] + row * n + k] * collapse->u[at + k];
                sum += u * u;
            }
            most = sqrt(sum) > most ? sqrt(sum) : most;
        }
    for (int32_t k = 0; k < limit->system->layout.nu && most > 0.0; ++k)
        collapse->u[k] *= way / most;
}

SticStatus stic_limit_show(const SticLimit* limit, const SticLimitResult* result, double reach,
                           int32_t steps, SticRun** run, SticError* error)
{
    STIC_ASSERT(limit != NULL && result != NULL && run != NULL && steps > 0);
    Collapse* collapse = NULL;
    STIC_TRY(STIC_TAKE(limit->arena, &collapse, 1));
    collapse->limit = limit;
    STIC_TRY(STIC_TAKE(limit->arena, &collapse->u, limit->system->layout.nu + 1));
    STIC_TRY(STIC_TAKE(limit->arena, &collapse->r, limit->set.rows + 1));
    memcpy(collapse->r, result->r, (size_t)limit->set.rows * sizeof *collapse->r);
    scale_motion(collapse, result, reach / steps);
    SticRunParts parts = stic_run_default_parts();
    parts.system = limit->system;
    parts.scheme = &scheme;
    parts.scheme_settings = collapse;
    parts.solver = stic_solver_find("auto", error);
    parts.step = 1.0;
    parts.projection = false;
    parts.correction = (SticCorrection){.rate = 0.0};
    STIC_TRY(stic_run_assemble(&limit->context, &parts, run, error));
    return stic_state_copy(&limit->system->layout, limit->state, stic_run_state(*run));
}

// SPDX-License-Identifier: Apache-2.0
// interior-point: the non-smooth interior point iteration (interior.c), its last digits by
// prox-newton.
//
// An interior point loses digits at contacts where x and y vanish together: its error is then about
// the root of the barrier parameter. It is a fast way to an error of 1e-6, from where one or two
// proximal steps reach rounding. If it ends far from a solution (a fold of the central path) its x
// is thrown away: prox-newton does better from 0.
#include "solver/method/interior.h"
#include "solver/method/prox_newton.h"
#include "solver/methods.h"

typedef struct InteriorPointSettings {
    int32_t steps;    ///< iterations
    double hand_over; ///< error at which prox-newton takes over
    bool polish;      ///< whether it does
} InteriorPointSettings;

static const SticField interior_point_fields[] = {
    STIC_FIELD_COUNT(InteriorPointSettings, steps, 40, 1, 100000, "steps",
                     "interior point iterations"),
    STIC_FIELD_REAL(InteriorPointSettings, hand_over, 1e-6, 0.0, 1.0, "-",
                    "error at which prox-newton takes over; without polish, at which it ends"),
    STIC_FIELD_FLAG(InteriorPointSettings, polish, 1, "finish with prox-newton"),
};

const SticFieldTable stic_interior_point_fields = {
    .name = "interior-point",
    .fields = interior_point_fields,
    .count = sizeof interior_point_fields / sizeof interior_point_fields[0],
    .size = sizeof(InteriorPointSettings),
};

SticStatus stic_interior_point_run(SticSolveTask* task)
{
    const InteriorPointSettings* settings = task->method;
    SticProxNewtonSettings newton;
    SticScaled scaled;
    SticNewtonSystem system;
    SticInterior interior;
    SticProxNewton method;
    double* x = NULL;
    stic_fields_default(&stic_prox_newton_fields, &newton);
    STIC_TRY(stic_scaled_create(task->arena, task->problem, &scaled, &task->info->error));
    STIC_TRY(stic_newton_system_create(task->arena, &scaled, STIC_FACTOR_LU, &system,
                                       &task->info->error));
    STIC_TRY(stic_interior_create(task, &scaled, &system, &interior));
    STIC_TRY(stic_prox_newton_create(task, &scaled, &system, &method));
    STIC_TRY(STIC_TAKE(task->arena, &x, task->problem->rows));
    const SticInteriorLimits limits = {
        .term = STIC_TERM_EXACT, .steps = settings->steps, .error = settings->hand_over};
    if (!stic_interior_run(&interior, &limits))
        return STIC_OK;
    stic_interior_get(&interior, x);
    if (settings->polish &&
        stic_prox_newton_continue(&method, &newton, interior.best_error, x) == STIC_STAGE_STOPPED)
        return STIC_OK;
    stic_task_stop(task, STIC_OUTCOME_STALLED);
    stic_scaled_to(&scaled, x, task->r);
    return STIC_OK;
}

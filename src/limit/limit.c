// SPDX-License-Identifier: Apache-2.0
// Tasks and results of limit analysis.
#include <math.h>
#include <string.h>

#include "limit/limit.h"
#include "stiction/extend/base.h"
#include "stiction/extend/law.h"

SticLimitTask stic_limit_default_task(void)
{
    return (SticLimitTask){.cone = STIC_LIMIT_EXACT, .facets = 8, .tolerance = 1e-9};
}

const char* stic_limit_outcome_name(SticLimitOutcome outcome)
{
    static const char* const names[STIC_LIMIT_OUTCOME_COUNT] = {"found", "unlimited", "none",
                                                                "open"};
    return names[outcome];
}

static SticStatus check_task(const SticLimit* limit, const SticLimitTask* task, SticError* error)
{
    STIC_ASSERT(task->dead != NULL && task->cone >= 0 && task->cone < STIC_LIMIT_CONE_COUNT);
    if (task->facets < 3 || !(task->tolerance > 0.0))
        return stic_error_set(error, STIC_BAD_DATA,
                              "limit: at least 3 facets and a positive tolerance are needed");
    for (int32_t k = 0; k < limit->dof; ++k)
        if (!isfinite(task->dead[k]) || (task->live != NULL && !isfinite(task->live[k])))
            return stic_error_set(error, STIC_NOT_FINITE, "limit: a load is not finite");
    return STIC_OK;
}

SticStatus stic_limit_solve(const SticLimit* limit, const SticLimitTask* task, SticArena* arena,
                            SticLimitResult* result, SticError* error)
{
    STIC_ASSERT(limit != NULL && task != NULL && arena != NULL && result != NULL);
    SticLimitProgram program;
    double *r = NULL, *v = NULL;
    *result = (SticLimitResult){0};
    STIC_TRY(check_task(limit, task, error));
    STIC_TRY(stic_limit_program(limit, task, arena, &program, error));
    STIC_TRY(stic_limit_maximise(&program, task, arena, result, error));
    // from cones to forces of the contacts
    STIC_TRY(STIC_TAKE(arena, &r, limit->set.rows + 1));
    memset(r, 0, (size_t)limit->set.rows * sizeof *r);
    for (int32_t p = 0; p < program.count; ++p) {
        const int32_t i = program.source[p], at = limit->set.row_at[i];
        for (int32_t row = program.row_at[p]; row < program.row_at[p + 1]; ++row)
            for (int32_t k = 0; k < limit->set.row_at[i + 1] - at; ++k)
                r[at + k] += program.force * program.coef[row][k] * result->r[row];
    }
    const double spare =
        task->live == NULL && isfinite(result->factor) ? program.force * result->factor : 0.0;
    for (int32_t i = 0; i < limit->set.count; ++i)
        if (limit->set.interaction[i].law != STIC_LAW_FREE)
            r[limit->set.row_at[i]] += spare - limit->set.interaction[i].cohesion;
    result->r = r;
    STIC_TRY(STIC_TAKE(arena, &v, limit->dof + 1));
    for (int32_t k = 0; k < limit->dof; ++k)
        v[k] = program.size[k] * result->v[k];
    result->v = v;
    return STIC_OK;
}

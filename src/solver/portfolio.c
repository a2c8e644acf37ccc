// SPDX-License-Identifier: Apache-2.0
// The solver `auto`: what it tries on a problem that cannot be taken apart, and in which order.
#include "solver/portfolio.h"

#include "solver/ladder.h"
#include "solver/methods.h"

typedef struct AutoSettings {
    int32_t sweeps;       ///< sweeps with momentum at the start
    double factor_values; ///< largest factor, in numbers
    bool islands;         ///< solve islands on their own
} AutoSettings;

static const SticField auto_fields[] = {
    STIC_FIELD_COUNT(AutoSettings, sweeps, 10000, 0, 1000000, "sweeps",
                     "sweeps with momentum before anything else, at most"),
    STIC_FIELD_REAL(AutoSettings, factor_values, 2e8, 0.0, 1e15, "numbers",
                    "largest factor of a matrix; above it only methods without one are tried"),
    STIC_FIELD_FLAG(AutoSettings, islands, 1, "solve connected groups of interactions apart"),
};

const SticFieldTable stic_auto_fields = {
    .name = "auto",
    .fields = auto_fields,
    .count = sizeof auto_fields / sizeof auto_fields[0],
    .size = sizeof(AutoSettings),
};

SticFlowLimits stic_portfolio_sweeps(const SticSolveTask* task, int32_t contacts, double tolerance)
{
    const AutoSettings* settings = task->method;
    // loose tolerances: whatever the sweeps need, up to what a factor costs on the worst steps seen
    const bool loose = tolerance >= 0.999e-3;
    const int32_t price = loose ? (contacts < 100 ? 600 : 6000) : 200 + contacts;
    return (SticFlowLimits){.tolerance = tolerance,
                            .sweeps = price < settings->sweeps ? price : settings->sweeps,
                            .yields = true,
                            .impatient = !loose};
}

bool stic_portfolio_splits(const SticSolveTask* task)
{
    return ((const AutoSettings*)task->method)->islands;
}

SticStatus stic_auto_run(SticSolveTask* task)
{
    const AutoSettings* settings = task->method;
    SticLadder ladder;
    STIC_TRY(stic_ladder_begin(task, settings->factor_values, task->warm, &ladder));
    return stic_ladder_climb(&ladder);
}

// SPDX-License-Identifier: Apache-2.0
// Facts about a problem, established from its data.
#include "stiction/problem.h"

SticStatus stic_problem_facts(SticArena* scratch, const SticProblem* problem, uint32_t* facts)
{
    (void)scratch;
    (void)problem;
    *facts = 0;
    return STIC_OK;
}

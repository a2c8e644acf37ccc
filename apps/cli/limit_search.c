// SPDX-License-Identifier: Apache-2.0
// The value at which a structure falls.
//
// Loads enter the static theorem linearly: one program is the answer, and its dual the other bound.
// For anything else the structure is built at each value, and a program says what its contacts can
// spare. That number is 0 at the limit: the secant through the ends of the bracket, the older end
// weighted down (Illinois), and a bisection wherever that does not halve it in three steps.
#include "limit_search.h"

#include <math.h>
#include <string.h>

#include "print.h"

enum { MOST_STEPS = 200 };

bool cli_limit_is_direct(const CliLimitSearch* search)
{
    return search->varied.vary == CLI_VARY_LOAD || search->varied.vary == CLI_VARY_ACCELERATION;
}

static CliExit solve(const CliLimitSearch* search, const CliStructure* structure,
                     const SticLimitTask* task, SticLimitResult* result)
{
    SticError error = {0};
    const SticStatus status =
        stic_limit_solve(structure->limit, task, structure->arena, result, &error);
    return status == STIC_OK ? CLI_DONE
                             : cli_report(&error, status, search->varied.call->operand[0]);
}

static SticLimitTask task_of(const CliLimitSearch* search, SticLimitCone cone)
{
    SticLimitTask task = stic_limit_default_task();
    task.cone = (int32_t)cone;
    task.facets = search->facets;
    return task;
}

/* ---- direct ---- */

// loads of the values 0 and 1, as dead and live ones
static CliExit take_loads(const CliLimitSearch* search, CliStructure* structure,
                          SticLimitTask* task)
{
    CliStructure loaded;
    double *dead = NULL, *live = NULL;
    CliExit result = cli_structure_build(&search->varied, 0.0, structure);
    if (result != CLI_DONE)
        return result;
    const int32_t n = stic_limit_dof(structure->limit);
    if (STIC_TAKE(structure->arena, &dead, n + 1) != STIC_OK ||
        STIC_TAKE(structure->arena, &live, n + 1) != STIC_OK)
        return cli_out_of_memory();
    memcpy(dead, stic_limit_load(structure->limit), (size_t)n * sizeof *dead);
    result = cli_structure_build(&search->varied, 1.0, &loaded);
    if (result == CLI_DONE)
        for (int32_t k = 0; k < n; ++k)
            live[k] = stic_limit_load(loaded.limit)[k] - dead[k];
    cli_structure_clear(&loaded);
    task->dead = dead;
    task->live = live;
    return result;
}

static CliExit find_direct(const CliLimitSearch* search, SticLimitCone cone, CliLimit* found)
{
    CliStructure structure = {0};
    SticLimitResult result = {0};
    SticLimitTask task = task_of(search, cone);
    CliExit done = take_loads(search, &structure, &task);
    if (done == CLI_DONE)
        done = solve(search, &structure, &task, &result);
    // the promise is a part of the limit; the program ends at a part of the weight
    const double size = fmax(fabs(result.factor), fabs(result.factor_most));
    if (done == CLI_DONE && result.outcome == STIC_LIMIT_FOUND &&
        !(result.factor_most - result.factor <= search->tolerance * size))
        result.outcome = STIC_LIMIT_OPEN;
    if (done == CLI_DONE)
        *found = (CliLimit){.outcome = result.outcome,
                            .stands = result.factor,
                            .falls = result.factor_most,
                            .residual = result.residual,
                            .programs = 1};
    cli_structure_clear(&structure);
    return done;
}

/* ---- search ---- */

// an end of a bracket
typedef struct End {
    double value, margin, residual;
    bool decided;
} End;

// What a structure can spare. Its sign is known where the bounds agree, and where both are on one
// side of 0; without a bound contacts spare whatever is asked, or nothing holds the structure.
static CliExit look(const CliLimitSearch* search, SticLimitCone cone, End* end, CliLimit* found)
{
    CliStructure structure;
    SticLimitResult result = {0};
    SticLimitTask task = task_of(search, cone);
    CliExit done = cli_structure_build(&search->varied, end->value, &structure);
    if (done == CLI_DONE) {
        task.dead = stic_limit_load(structure.limit);
        done = solve(search, &structure, &task, &result);
    }
    cli_structure_clear(&structure);
    const double low = result.factor, high = result.factor_most;
    end->decided = result.outcome != STIC_LIMIT_OPEN || low > 0.0 || high < 0.0;
    end->margin = result.outcome == STIC_LIMIT_UNLIMITED ? 1.0
                  : result.outcome == STIC_LIMIT_NONE    ? -1.0
                  : result.outcome == STIC_LIMIT_FOUND   ? 0.5 * (low + high)
                  : low > 0.0                            ? low
                                                         : fmax(high, -1.0);
    end->residual = result.residual;
    found->programs += 1;
    if (!end->decided)
        found->outcome = STIC_LIMIT_OPEN;
    return done;
}

static CliExit narrow(const CliLimitSearch* search, SticLimitCone cone, End end[2], CliLimit* found)
{
    double weight[2] = {end[0].margin, end[1].margin}, width = INFINITY;
    for (int32_t step = 0; step < MOST_STEPS; ++step) {
        const double a = end[0].value, b = end[1].value;
        const double size = fmax(fabs(a), fabs(b));
        if (fabs(b - a) <= search->tolerance * size)
            break;
        const bool halve = step % 3 == 2 && fabs(b - a) > 0.5 * width;
        width = step % 3 == 2 ? fabs(b - a) : width;
        double part = halve ? 0.5 : weight[0] / (weight[0] - weight[1]);
        // not so near an end that the other one never moves
        const double least = 0.25 * search->tolerance * size / fabs(b - a);
        part = fmin(fmax(part, least), 1.0 - least);
        End next = {.value = a + part * (b - a)};
        const CliExit done = look(search, cone, &next, found);
        if (done != CLI_DONE || !next.decided)
            return done;
        const int side = (next.margin >= 0.0) == (end[0].margin >= 0.0) ? 0 : 1;
        weight[1 - side] *= 0.5;
        end[side] = next;
        weight[side] = next.margin;
    }
    return CLI_DONE;
}

static CliExit find_by_search(const CliLimitSearch* search, SticLimitCone cone, CliLimit* found)
{
    End end[2] = {{.value = search->between[0]}, {.value = search->between[1]}};
    *found = (CliLimit){.outcome = STIC_LIMIT_FOUND, .stands = NAN, .falls = NAN};
    for (int k = 0; k < 2; ++k) {
        const CliExit done = look(search, cone, &end[k], found);
        if (done != CLI_DONE || !end[k].decided)
            return done;
    }
    if ((end[0].margin >= 0.0) == (end[1].margin >= 0.0)) {
        found->outcome = end[0].margin >= 0.0 ? STIC_LIMIT_UNLIMITED : STIC_LIMIT_NONE;
        return CLI_DONE;
    }
    const CliExit done = narrow(search, cone, end, found);
    const int stands = end[0].margin >= 0.0 ? 0 : 1;
    found->stands = end[stands].value;
    found->falls = end[1 - stands].value;
    found->residual = end[stands].residual;
    return done;
}

bool cli_limit_in_order(const CliLimitSearch* search, const CliLimit limit[STIC_LIMIT_CONE_COUNT])
{
    static const SticLimitCone order[] = {STIC_LIMIT_INSIDE, STIC_LIMIT_EXACT, STIC_LIMIT_OUTSIDE};
    for (int k = 0; k < 2; ++k) {
        const CliLimit *smaller = &limit[order[k]], *larger = &limit[order[k + 1]];
        const bool known =
            smaller->outcome == STIC_LIMIT_FOUND && larger->outcome == STIC_LIMIT_FOUND;
        const double way = larger->stands <= larger->falls ? 1.0 : -1.0;
        const double size = fmax(fabs(smaller->stands), fabs(larger->falls));
        if (known && way * (smaller->stands - larger->falls) > search->tolerance * size)
            return false;
    }
    return true;
}

CliExit cli_limit_find(const CliLimitSearch* search, SticLimitCone cone, CliLimit* found)
{
    return cli_limit_is_direct(search) ? find_direct(search, cone, found)
                                       : find_by_search(search, cone, found);
}

CliExit cli_limit_motion(const CliLimitSearch* search, double value, CliStructure* structure,
                         SticLimitResult* result)
{
    SticLimitTask task = task_of(search, STIC_LIMIT_EXACT);
    CliExit done;
    if (cli_limit_is_direct(search)) {
        done = take_loads(search, structure, &task);
    } else {
        done = cli_structure_build(&search->varied, value, structure);
        if (done == CLI_DONE)
            task.dead = stic_limit_load(structure->limit);
    }
    return done == CLI_DONE ? solve(search, structure, &task, result) : done;
}

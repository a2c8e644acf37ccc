// SPDX-License-Identifier: Apache-2.0
// The value at which a structure falls.
//
// Loads enter the static theorem linearly: one program is the answer, and its dual the other bound.
// Under a tilt they turn, and some programs along tangents follow them (tilt, below).
// For anything else the structure is built at each value, and a program says what its contacts can
// spare. That number is 0 at the limit, where it may have a kink: what slides as a whole has no weakest
// joint there. The ITP method (Oliveira and Takahashi, ACM Trans. Math. Softw. 47, 2021) follows
// chords where they lead to it and takes one step more than bisection where they do not.
#include "limit_search.h"

#include <math.h>
#include <string.h>

#include "print.h"
#include "stiction/extend/math.h"

enum { MOST_STEPS = 200 };

#define PI 3.14159265358979323846
// part of a turn by which an angle may be before the one that it is counted from
#define EARLY 1e-9
// degrees that are rounding of an angle
#define NOTHING 1e-12

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

// where to look next in a bracket, of which `left` more halvings would leave the width asked for:
// the root of the chord, moved towards the middle, and no further from it than makes up for `left`
static double place(const CliLimitSearch* search, const End end[2], double width, double left)
{
    const double a = end[0].value, b = end[1].value, middle = 0.5 * (a + b);
    const double chord = a + end[0].margin / (end[0].margin - end[1].margin) * (b - a);
    const double side = chord < middle ? 1.0 : -1.0;
    const double whole = fabs(search->between[1] - search->between[0]);
    const double moved = 0.2 * (b - a) * (b - a) / whole;
    const double room = fmax(0.5 * width * exp2(left) - 0.5 * fabs(b - a), 0.0);
    const double next = moved < fabs(middle - chord) ? chord + side * moved : middle;
    return fabs(next - middle) <= room ? next : middle - side * room;
}

static CliExit narrow(const CliLimitSearch* search, SticLimitCone cone, End end[2], CliLimit* found)
{
    double left = INFINITY;
    for (int32_t step = 0; step < MOST_STEPS; ++step) {
        const double size = fmax(fabs(end[0].value), fabs(end[1].value));
        const double way = fabs(end[1].value - end[0].value), width = search->tolerance * size;
        if (way <= width)
            break;
        // the width is a part of a limit that is not known before
        left = fmin(left - 1.0, ceil(log2(way / width)) + 1.0);
        left = fmax(left, ceil(log2(way / width)));
        End next = {.value = place(search, end, width, left)};
        const CliExit done = look(search, cone, &next, found);
        if (done != CLI_DONE || !next.decided)
            return done;
        end[(next.margin >= 0.0) == (end[0].margin >= 0.0) ? 0 : 1] = next;
    }
    return CLI_DONE;
}

/* ---- tilt ---- */

// Loads that turn: fixed ones, gravity as it is and gravity a right angle further, all [dof].
typedef struct Turned {
    int32_t dof;
    double *fixed, *down, *across; // [dof]
    double *load, *tangent;        // [dof] at an angle, and by radians of it
} Turned;

// contacts are those of one structure, whose loads at three angles show how they turn
static CliExit take_turned(const CliLimitSearch* search, CliStructure* structure, Turned* turned)
{
    double** const vectors[] = {&turned->down, &turned->across, &turned->fixed, &turned->load,
                                &turned->tangent};
    CliExit done = cli_structure_build(&search->varied, 0.0, structure);
    if (done != CLI_DONE)
        return done;
    const int32_t n = turned->dof = stic_limit_dof(structure->limit);
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; ++k)
        if (STIC_TAKE(structure->arena, vectors[k], n + 1) != STIC_OK)
            return cli_out_of_memory();
    for (int quarter = 0; quarter < 3 && done == CLI_DONE; ++quarter) {
        CliStructure other;
        done = cli_structure_build(&search->varied, 90.0 * quarter, &other);
        if (done == CLI_DONE)
            memcpy(*vectors[quarter], stic_limit_load(other.limit), (size_t)n * sizeof(double));
        cli_structure_clear(&other);
    }
    for (int32_t k = 0; k < n && done == CLI_DONE; ++k) {
        const double fixed = 0.5 * (turned->down[k] + turned->fixed[k]);
        turned->down[k] -= fixed;
        turned->across[k] -= fixed;
        turned->fixed[k] = fixed;
    }
    return done;
}

// loads at an angle and their change with it, towards larger angles or away from them (way)
static void turn(const Turned* turned, double angle, double way, SticLimitTask* task)
{
    double sine, cosine;
    stic_sincos(angle, &sine, &cosine);
    for (int32_t k = 0; k < turned->dof; ++k) {
        turned->load[k] = turned->fixed[k] + cosine * turned->down[k] + sine * turned->across[k];
        turned->tangent[k] = way * (cosine * turned->across[k] - sine * turned->down[k]);
    }
    task->dead = turned->load;
    task->live = turned->tangent;
}

static double dot(int32_t n, const double* a, const double* b)
{
    double sum = 0.0;
    for (int32_t k = 0; k < n; ++k)
        sum += a[k] * b[k];
    return sum;
}

// The first angle after one that stands at which a motion shows that the structure falls: its work
// there is what it is on the tangent at the upper bound.
static double angle_of_motion(const Turned* turned, double stands, double way,
                              const SticLimitResult* result)
{
    const int32_t n = turned->dof;
    const double x = dot(n, turned->down, result->v), y = dot(n, turned->across, result->v);
    const double length = sqrt(x * x + y * y);
    const double work = dot(n, turned->load, result->v) - dot(n, turned->fixed, result->v) +
                        result->factor_most * dot(n, turned->tangent, result->v);
    if (!(length > 0.0) || !(fabs(work) <= length))
        return NAN;
    // length cos(angle - middle) = work, on the side that way leads to first
    const double middle = stic_atan2(y, x), half = stic_acos(work / length);
    double best = INFINITY;
    for (int k = 0; k < 2; ++k) {
        const double root = middle + (k == 0 ? half : -half);
        const double turns = floor(way * (root - stands) / (2.0 * PI) + EARLY);
        best = fmin(best, way * (root - stands) - 2.0 * PI * turns);
    }
    return stands + way * best;
}

// The angle up to which forces in equilibrium are known: they exist at `stands` and on the tangent at
// `angle`, and so on the line between them, which meets the arc of the loads there (loads that have
// forces in equilibrium are a convex set).
static double angle_of_forces(double stands, double angle, double way, double factor)
{
    double at[2], from[2];
    stic_sincos(angle, &at[1], &at[0]);
    stic_sincos(stands, &from[1], &from[0]);
    const double to[2] = {at[0] - way * factor * at[1], at[1] + way * factor * at[0]};
    const double d[2] = {to[0] - from[0], to[1] - from[1]};
    const double part = -2.0 * (from[0] * d[0] + from[1] * d[1]) / (d[0] * d[0] + d[1] * d[1]);
    if (!(part > 0.0))
        return stands;
    const double x = from[0] + part * d[0], y = from[1] + part * d[1];
    // relative to the angle of the tangent, so that no turn is lost
    return angle + stic_atan2(at[0] * y - at[1] * x, at[0] * x + at[1] * y);
}

// Newton's method from outside: the program on the tangent of the loads gives a motion, which shows an
// angle at which the structure falls; there is the next tangent. One step where weights are all that
// acts, and one more for the forces. Leaves the narrowest bracket it finds.
static CliExit tilt(const CliLimitSearch* search, SticLimitCone cone, End end[2], CliLimit* found)
{
    enum { STEPS = 30 };
    const int stands = end[0].margin >= 0.0 ? 0 : 1;
    End *low = &end[stands], *high = &end[1 - stands];
    const double unit = PI / 180.0, way = high->value > low->value ? 1.0 : -1.0;
    CliStructure structure = {0};
    Turned turned = {0};
    double angle = low->value * unit;
    CliExit done = take_turned(search, &structure, &turned);
    for (int step = 0; step < STEPS && done == CLI_DONE; ++step) {
        SticLimitResult result = {0};
        SticLimitTask task = task_of(search, cone);
        turn(&turned, angle, way, &task);
        done = solve(search, &structure, &task, &result);
        found->programs += 1;
        if (done != CLI_DONE || result.outcome != STIC_LIMIT_FOUND)
            break;
        const double falls = angle_of_motion(&turned, low->value * unit, way, &result) / unit;
        const double forces =
            angle_of_forces(low->value * unit, angle, way, fmin(result.factor, 0.0)) / unit;
        const double before = fabs(high->value - low->value);
        if (way * (forces - low->value) > 0.0 && way * (high->value - forces) > 0.0)
            *low = (End){.value = forces, .margin = 1.0, .residual = result.residual};
        if (way * (high->value - falls) > 0.0 && way * (falls - low->value) > 0.0)
            *high = (End){.value = falls, .margin = -1.0};
        // the end that stands is the limit, as without friction
        if (step == 0 && way * (falls - low->value) < NOTHING)
            high->value = low->value;
        const double left = fabs(high->value - low->value);
        if (left <= search->tolerance * fmax(fabs(low->value), fabs(high->value)) ||
            !(left < before))
            break;
        angle = high->value * unit;
    }
    cli_structure_clear(&structure);
    return done;
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
    CliExit done = CLI_DONE;
    if (search->varied.vary == CLI_VARY_TILT)
        done = tilt(search, cone, end, found);
    if (done == CLI_DONE)
        done = narrow(search, cone, end, found);
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
    Turned turned = {0};
    if (cli_limit_is_direct(search)) {
        done = take_loads(search, structure, &task);
    } else if (search->varied.vary == CLI_VARY_TILT) {
        done = take_turned(search, structure, &turned);
        if (done == CLI_DONE)
            turn(&turned, value * (PI / 180.0), 1.0, &task);
    } else {
        done = cli_structure_build(&search->varied, value, structure);
        if (done == CLI_DONE)
            task.dead = stic_limit_load(structure->limit);
    }
    return done == CLI_DONE ? solve(search, structure, &task, result) : done;
}

// SPDX-License-Identifier: Apache-2.0
// Where the time of a step of a world goes.
//
//     bench_world [largest number of bodies] [steps] [threads] [solver] [sweeps]
//
// Boxes and spheres in turn on a grid, a tenth of a millimetre into each other, so that layers are
// in contact from the first step on. Times are the least wall-clock times over the second half of
// the steps; the solver (nsgs if not said) may use so many iterations per step (100) and the run
// accepts what it has then, since the figure of interest is the cost of a step. The phases:
//
//   detect    boxes, pairs, contacts, their order
//   measure   gaps and directions
//   forces    mass, applied forces, potential (also for the ledger)
//   errors    what one full measurement of the errors of the solve costs, made once more
//   solve     all of the solver, with its own measurements of the errors
//   rest      drift, assembly of the problem, ledger, memory of the reactions
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stiction/extend/base.h"
#include "stiction/extend/run.h"
#include "stiction/extend/world.h"

// a system that forwards to another one and keeps the time
typedef struct Timed {
    SticSystem system;
    const SticSystem* inner;
    double* seconds; // by phase
} Timed;

enum { DETECT, MEASURE, FORCES, ERRORS, PHASES };

static SticStatus timed_mass(const SticSystem* system, const SticState* state, SticArena* arena,
                             SticMass* mass)
{
    const Timed* timed = system->self;
    const double start = stic_timer_seconds();
    const SticStatus status = timed->inner->ops->mass(timed->inner, state, arena, mass);
    timed->seconds[FORCES] += stic_timer_seconds() - start;
    return status;
}

static SticStatus timed_force(const SticSystem* system, const SticState* state, double* f)
{
    const Timed* timed = system->self;
    const double start = stic_timer_seconds();
    const SticStatus status = timed->inner->ops->force(timed->inner, state, f);
    timed->seconds[FORCES] += stic_timer_seconds() - start;
    return status;
}

static SticStatus timed_potential(const SticSystem* system, const SticState* state, int order,
                                  SticArena* arena, SticTerms* terms)
{
    const Timed* timed = system->self;
    const double start = stic_timer_seconds();
    const SticStatus status =
        timed->inner->ops->potential(timed->inner, state, order, arena, terms);
    timed->seconds[FORCES] += stic_timer_seconds() - start;
    return status;
}

static SticStatus timed_detect(const SticSystem* system, const SticState* state,
                               const SticReach* reach, SticArena* arena, SticSet* set)
{
    const Timed* timed = system->self;
    const double start = stic_timer_seconds();
    const SticStatus status = timed->inner->ops->detect(timed->inner, state, reach, arena, set);
    timed->seconds[DETECT] += stic_timer_seconds() - start;
    return status;
}

static SticStatus timed_measure(const SticSystem* system, const SticSet* set,
                                const SticState* state, SticMeasures* measures)
{
    const Timed* timed = system->self;
    const double start = stic_timer_seconds();
    const SticStatus status = timed->inner->ops->measure(timed->inner, set, state, measures);
    timed->seconds[MEASURE] += stic_timer_seconds() - start;
    return status;
}

static const SticSystemOps timed_ops = {.mass = timed_mass,
                                        .force = timed_force,
                                        .potential = timed_potential,
                                        .detect = timed_detect,
                                        .measure = timed_measure};

static void check(SticStatus status, const SticError* error)
{
    if (status != STIC_OK) {
        fprintf(stderr, "%s\n", error->text);
        exit(1);
    }
}

static void add(SticWorld* world, const SticShape* shape, const SticBodyDef* def)
{
    SticError error = {0};
    SticBodyId id;
    const SticAttachDef attach = {.shape = shape, .pose = stic_pose_identity()};
    check(stic_body_create(world, def, &id, &error), &error);
    check(stic_body_attach(world, id, &attach, NULL, &error), &error);
}

// a pile about as wide as high
static void fill(SticWorld* world, int bodies, SticShape* const shape[3])
{
    int side = 1;
    while (side * side * side < bodies)
        ++side;
    SticBodyDef def = stic_body_default_def();
    def.kind = STIC_BODY_FIXED;
    add(world, shape[0], &def);
    for (int i = 0; i < bodies; ++i) {
        const int layer = i / (side * side), cell = i % (side * side), row = cell / side;
        def = stic_body_default_def();
        def.position = stic_vec3(0.2005 * (cell % side) + 0.01 * (layer % 3),
                                 0.2005 * row + 0.01 * (layer % 2), 0.1 + 0.1999 * layer);
        add(world, shape[1 + (i + layer) % 2], &def);
    }
}

typedef struct Case {
    SticContext context;
    const SticSolver* solver;
    int bodies, steps, sweeps;
} Case;

// one more measurement of the errors, as the solver makes several of
typedef struct Again {
    SticArena* arena;
    double* u;
    double seconds;
} Again;

static SticStatus see(void* self, const SticProblem* problem, const double* r, SticSolveInfo* info)
{
    Again* again = self;
    SticErrors errors;
    (void)info;
    STIC_TRY(stic_arena_reset(again->arena));
    STIC_TRY(STIC_TAKE(again->arena, &again->u, problem->rows));
    const double start = stic_timer_seconds();
    STIC_TRY(stic_errors_compute(again->arena, problem, r, again->u, &errors));
    again->seconds += stic_timer_seconds() - start;
    return STIC_OK;
}

static void print_case(const Case* c, const SticStepInfo* info, const double part[PHASES + 2],
                       double sweeps)
{
    double step = 0.0;
    for (int k = 0; k < PHASES + 2; ++k)
        step += k == ERRORS ? 0.0 : part[k];
    printf("%8d %9d %7.0f |", c->bodies, info->contacts, sweeps);
    for (int k = 0; k < PHASES + 2; ++k)
        printf(" %9.3f", 1e3 * part[k]);
    printf(" %10.3f ms\n%26s |", 1e3 * step, "");
    for (int k = 0; k < PHASES + 2; ++k)
        printf(" %7.1f %%", 100.0 * part[k] / step);
    printf("\n%26s |", "");
    for (int k = 0; k < PHASES + 2; ++k)
        printf(" %9.0f", 1e9 * part[k] / info->contacts);
    printf(" %10.0f ns a contact\n", 1e9 * step / info->contacts);
}

// least time of every phase over the steps of the second half: other programs disturb single ones
static void advance(const Case* c, SticRun* run, Again* again, double* seconds)
{
    double part[PHASES + 2], sweeps = 0.0;
    SticStepInfo info;
    for (int k = 0; k < PHASES + 2; ++k)
        part[k] = INFINITY;
    for (int k = 0; k < c->steps; ++k) {
        memset(seconds, 0, PHASES * sizeof *seconds);
        again->seconds = 0.0;
        const double start = stic_timer_seconds();
        const SticStatus status = stic_run_step(run, &info);
        double rest = stic_timer_seconds() - start;
        check(status, &info.error);
        if (k < c->steps / 2)
            continue;
        seconds[ERRORS] = again->seconds;
        for (int i = 0; i < PHASES; ++i) {
            rest -= seconds[i];
            part[i] = fmin(part[i], seconds[i]);
        }
        part[PHASES] = fmin(part[PHASES], info.solve.seconds);
        part[PHASES + 1] = fmin(part[PHASES + 1], rest - info.solve.seconds);
        sweeps += info.solve.iterations;
    }
    const int counted = c->steps - c->steps / 2;
    print_case(c, &info, part, sweeps / counted);
}

static void run_case(const Case* c, const char* name)
{
    const SticContext* context = &c->context;
    SticError error = {0};
    SticShape* shape[3];
    SticWorld* world = NULL;
    SticSystem* system = NULL;
    SticRun* run = NULL;
    Again again = {0};
    SticChart chart = STIC_CHART_QUATERNION;
    const SticWorldDef def = stic_world_default_def();
    check(stic_shape_create_half_space(context, stic_vec3(0, 0, 1), 0.0, &shape[0], &error),
          &error);
    check(stic_shape_create_box(context, stic_vec3(0.1, 0.1, 0.1), &shape[1], &error), &error);
    check(stic_shape_create_sphere(context, 0.1, &shape[2], &error), &error);
    check(stic_world_create(context, &def, &world, &error), &error);
    check(stic_arena_create(context, 0, &again.arena), &error);
    fill(world, c->bodies, shape);
    const SticScheme* scheme = stic_scheme_find(name, &error);
    stic_world_chart(scheme->charts, &chart);
    check(stic_world_system(world, chart, &system, &error), &error);

    double seconds[PHASES] = {0.0};
    Timed timed = {.system = *system, .inner = system, .seconds = seconds};
    timed.system.ops = &timed_ops;
    timed.system.self = &timed;
    SticRunParts run_def = stic_run_default_parts();
    run_def.system = &timed.system;
    run_def.scheme = scheme;
    run_def.solver = c->solver;
    run_def.step = 1e-3;
    run_def.policy = STIC_POLICY_CONTINUE;
    run_def.solve.tolerance = 1e-4;
    run_def.solve.max_iterations = c->sweeps;
    check(stic_run_assemble(context, &run_def, &run, &error), &error);
    stic_run_observe(run, (SticObserver){.self = &again, .see = see});
    stic_world_start(world, system, stic_run_state(run));
    printf("%s\n", name);
    advance(c, run, &again, seconds);
    stic_run_destroy(run);
    stic_world_system_destroy(system);
    stic_world_destroy(world);
    stic_arena_destroy(again.arena);
    for (int k = 0; k < 3; ++k)
        stic_shape_destroy(shape[k]);
}

int main(int count, char** argument)
{
    const int largest = count > 1 ? atoi(argument[1]) : 10000;
    const int threads = count > 3 ? atoi(argument[3]) : 1;
    SticError error = {0};
    Case c = {.context = stic_context_default(),
              .solver = stic_solver_find(count > 4 ? argument[4] : "nsgs", &error),
              .steps = count > 2 ? atoi(argument[2]) : 40,
              .sweeps = count > 5 ? atoi(argument[5]) : 100};
    if (c.solver == NULL || stic_pool_create(&c.context, threads, &c.context.pool) != STIC_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    printf("%d threads, %s stopped after %d iterations or at 1e-4\n", threads, c.solver->name,
           c.sweeps);
    printf("%8s %9s %7s | %9s %9s %9s %9s %9s %9s %10s\n", "bodies", "contacts", "sweeps", "detect",
           "measure", "forces", "(errors)", "solve", "rest", "step");
    for (c.bodies = 1000; c.bodies <= largest; c.bodies *= 10) {
        run_case(&c, "koziara");
        run_case(&c, "moreau");
    }
    stic_pool_destroy(c.context.pool);
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Time of a step of a world by phase: detect, measure, assemble (and everything else), solve.
//
//     bench_world [largest number of bodies] [steps] [threads]
//
// Boxes and spheres in turn on a grid, a tenth of a millimetre into each other, so that layers are
// in contact from the first step on. Times are wall-clock means per step over the second half of
// the steps; the solver may use 100 sweeps per step and the run accepts what it has then, since the
// figure of interest is the cost of a step.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stiction/run.h"
#include "stiction/world.h"

// a system that forwards to another one and keeps the time
typedef struct Timed {
    SticSystem system;
    const SticSystem* inner;
    double* seconds; // detect, measure
} Timed;

static SticStatus timed_mass(const SticSystem* system, const SticState* state, SticArena* arena,
                             SticMass* mass)
{
    const SticSystem* inner = ((const Timed*)system->self)->inner;
    return inner->ops->mass(inner, state, arena, mass);
}

static SticStatus timed_force(const SticSystem* system, const SticState* state, double* f)
{
    const SticSystem* inner = ((const Timed*)system->self)->inner;
    return inner->ops->force(inner, state, f);
}

static SticStatus timed_potential(const SticSystem* system, const SticState* state, int order,
                                  SticArena* arena, SticTerms* terms)
{
    const SticSystem* inner = ((const Timed*)system->self)->inner;
    return inner->ops->potential(inner, state, order, arena, terms);
}

static SticStatus timed_detect(const SticSystem* system, const SticState* state, double reach,
                               SticArena* arena, SticSet* set)
{
    const Timed* timed = system->self;
    const double start = stic_timer_seconds();
    const SticStatus status = timed->inner->ops->detect(timed->inner, state, reach, arena, set);
    timed->seconds[0] += stic_timer_seconds() - start;
    return status;
}

static SticStatus timed_measure(const SticSystem* system, const SticSet* set,
                                const SticState* state, SticMeasures* measures)
{
    const Timed* timed = system->self;
    const double start = stic_timer_seconds();
    const SticStatus status = timed->inner->ops->measure(timed->inner, set, state, measures);
    timed->seconds[1] += stic_timer_seconds() - start;
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
        const int layer = i / (side * side), cell = i % (side * side);
        def = stic_body_default_def();
        def.position = stic_vec3(0.2005 * (cell % side) + 0.01 * (layer % 3),
                                 0.2005 * (cell / side) + 0.01 * (layer % 2), 0.1 + 0.1999 * layer);
        add(world, shape[1 + (i + layer) % 2], &def);
    }
}

static void run_case(const SticContext* context, const char* name, int bodies, int steps)
{
    SticError error = {0};
    SticShape* shape[3];
    SticWorld* world = NULL;
    SticSystem* system = NULL;
    SticRun* run = NULL;
    SticStepInfo info;
    SticChart chart = STIC_CHART_QUATERNION;
    const SticWorldDef def = stic_world_default_def();
    check(stic_shape_create_half_space(context, stic_vec3(0, 0, 1), 0.0, &shape[0], &error),
          &error);
    check(stic_shape_create_box(context, stic_vec3(0.1, 0.1, 0.1), &shape[1], &error), &error);
    check(stic_shape_create_sphere(context, 0.1, &shape[2], &error), &error);
    check(stic_world_create(context, &def, &world, &error), &error);
    fill(world, bodies, shape);
    const SticScheme* scheme = stic_scheme_find(name, &error);
    stic_world_chart(scheme->charts, &chart);
    check(stic_world_system(world, chart, &system, &error), &error);

    double seconds[2] = {0.0, 0.0}, total = 0.0, solve = 0.0, sweeps = 0.0;
    Timed timed = {.system = *system, .inner = system, .seconds = seconds};
    timed.system.ops = &timed_ops;
    timed.system.self = &timed;
    SticRunDef run_def = stic_run_default_def();
    run_def.system = &timed.system;
    run_def.scheme = scheme;
    run_def.step = 1e-3;
    run_def.policy = STIC_POLICY_CONTINUE;
    run_def.solve.tolerance = 1e-4;
    run_def.solve.max_iterations = 100;
    check(stic_run_create(context, &run_def, &run, &error), &error);
    stic_world_start(world, system, stic_run_state(run));
    for (int k = 0; k < steps; ++k) {
        if (k == steps / 2)
            seconds[0] = seconds[1] = total = solve = sweeps = 0.0;
        const double start = stic_timer_seconds();
        const SticStatus status = stic_run_step(run, &info);
        total += stic_timer_seconds() - start;
        solve += info.solve.seconds;
        sweeps += info.solve.iterations;
        check(status, &info.error);
    }
    const double scale = 1e3 / (double)(steps - steps / 2);
    const double rest = total - seconds[0] - seconds[1] - solve;
    printf("%-8s %7d %9d %9.3f %9.3f %9.3f %10.3f %7.0f %9.3f\n", name, bodies, info.contacts,
           scale * seconds[0], scale * seconds[1], scale * rest, scale * solve,
           1e-3 * scale * sweeps, scale * total);
    stic_run_destroy(run);
    stic_world_system_destroy(system);
    stic_world_destroy(world);
    for (int k = 0; k < 3; ++k)
        stic_shape_destroy(shape[k]);
}

int main(int count, char** argument)
{
    const int largest = count > 1 ? atoi(argument[1]) : 10000;
    const int steps = count > 2 ? atoi(argument[2]) : 40;
    const int threads = count > 3 ? atoi(argument[3]) : 1;
    SticContext context = stic_context_default();
    if (stic_pool_create(&context, threads, &context.pool) != STIC_OK)
        return 1;
    printf("ms per step, %d threads; solver stopped after 100 sweeps or at 1e-4\n", threads);
    printf("%-8s %7s %9s %9s %9s %9s %10s %7s %9s\n", "scheme", "bodies", "contacts", "detect",
           "measure", "assemble", "solve", "sweeps", "step");
    for (int bodies = 100; bodies <= largest; bodies *= 10) {
        run_case(&context, "koziara", bodies, steps);
        run_case(&context, "moreau", bodies, steps);
    }
    stic_pool_destroy(context.pool);
    return 0;
}

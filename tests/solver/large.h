// SPDX-License-Identifier: Apache-2.0
// What the tests of the solvers for large scenes share: random problems against nsgs, bits for one
// and two threads, memory of repeated solves.
#ifndef STIC_TEST_SOLVER_LARGE_H
#define STIC_TEST_SOLVER_LARGE_H

#include "helpers/scenes.h"
#include "helpers/solve.h"
#include "randoms.h"

#include <stdlib.h>

/// Random problems of several laws in both forms.
static inline void large_random(const char* solver, const char* settings)
{
    static const RandomCase cases[] = {
        {"cones, local", {STIC_LAW_CONE, 30, 3, 0, 0, true}},
        {"cones with joints, local", {STIC_LAW_CONE, 20, 3, 6, 0, true}},
        {"planar cones, local", {STIC_LAW_CONE, 30, 2, 0, 0, true}},
        {"rolling, local", {STIC_LAW_ROLLING, 12, 5, 0, 0, false}},
        {"unilateral, local", {STIC_LAW_NONNEG, 60, 1, 4, 0, true}},
        {"cones, bodies", {STIC_LAW_CONE, 30, 3, 0, 20, false}},
        {"cones with joints, bodies", {STIC_LAW_CONE, 24, 3, 5, 20, true}},
        {0},
    };
    const char* const list[] = {settings, NULL};
    random_solve_all(&(RandomPlan){solver, cases, 23, list});
}

/// A scene: solved, the independent error agrees, and the ground carries the weight if it rests.
static inline int32_t large_rest(const SceneDef* def, const char* solver, const char* settings,
                                 double tolerance)
{
    const SticContext context = stic_context_default();
    static Run run;
    Scene scene;
    scene_create(&scene, def);
    run_solver(&context, &scene.problem, solver, settings, tolerance, &run);
    const double independent = test_residual_relative(&scene.problem, run.r);
    double carried = 0.0, weight = 0.0;
    for (int32_t c = 0; c < scene.contacts; ++c) {
        double t1[3], t2[3];
        const SceneContact* contact = &scene.contact[c];
        scene_tangents(contact->normal, t1, t2);
        if (contact->a < 0)
            carried += run.r[3 * c] * contact->normal[2] + run.r[3 * c + 1] * t1[2] +
                       run.r[3 * c + 2] * t2[2];
    }
    for (int32_t b = 0; b < scene.bodies; ++b)
        weight += scene.body[b].mass;
    print_message("%s %s: %d bodies, %d contacts, %d iterations, %d factorisations, error %.1e, "
                  "independent %.1e, the ground carries %.10f of the weight\n",
                  solver, settings, scene.bodies, scene.contacts, run.info.iterations,
                  run.info.factorisations, run.info.errors.relative, independent, carried / weight);
    assert_int_equal(run.info.outcome, STIC_OUTCOME_SOLVED);
    test_at_most(independent, 1.001 * tolerance + 1e-12);
    // one body may keep a velocity of the size of the error, |b| is about sqrt(contacts); a pile
    // that was settled by positions alone still moves
    if (def->kind != SCENE_SPHERES)
        test_near(carried / weight, 1.0, 10.0 * tolerance * sqrt((double)scene.contacts));
    scene_release(&scene);
    return run.info.iterations;
}

/// Random velocities of all boxes of a pyramid: solved, and the independent error agrees.
static inline void large_impact(const char* solver)
{
    const SticContext context = stic_context_default();
    const SceneDef def = {SCENE_PYRAMID, 12, 0.5, 1.0, 0.0};
    static Run run;
    Scene scene;
    scene_create(&scene, &def);
    run_solver(&context, &scene.problem, solver, "", 1e-6, &run);
    const double independent = test_residual_relative(&scene.problem, run.r);
    print_message("impact of %d boxes: %d iterations, error %.1e, independent %.1e\n", scene.bodies,
                  run.info.iterations, run.info.errors.relative, independent);
    assert_int_equal(run.info.outcome, STIC_OUTCOME_SOLVED);
    test_at_most(independent, 1.001e-6);
    scene_release(&scene);
}

/// The same bits without a pool, for one and for two threads; returns the hash of r.
static inline uint64_t large_threads(const char* solver, const char* settings, double tolerance)
{
    static Run run[3];
    Scene scene;
    const SceneDef def = {SCENE_PYRAMID, 20, 0.5, 0.3, 0.0};
    scene_create(&scene, &def);
    for (int threads = 0; threads < 3; ++threads) {
        SticContext context = stic_context_default();
        if (threads > 0)
            assert_int_equal(stic_pool_create(&context, threads, &context.pool), STIC_OK);
        run_solver(&context, &scene.problem, solver, settings, tolerance, &run[threads]);
        stic_pool_destroy(context.pool);
        assert_int_equal(run[threads].info.iterations, run[0].info.iterations);
        assert_memory_equal(run[threads].r, run[0].r, (size_t)scene.problem.rows * sizeof(double));
    }
    const uint64_t hash = stic_hash_doubles(0, run[0].r, (size_t)scene.problem.rows);
    print_message("%s %s: %d contacts, %d iterations, error %.2e, hash %016llx\n", solver, settings,
                  scene.contacts, run[0].info.iterations, run[0].info.errors.relative,
                  (unsigned long long)hash);
    scene_release(&scene);
    return hash;
}

/// A second solve of the same size allocates nothing, and nothing leaks.
static inline void large_memory(const char* solver)
{
    TestMemory memory;
    const SticContext context = test_memory_context(&memory);
    SticSolveInfo info = {0};
    static double r[RUN_MOST_ROWS], u[RUN_MOST_ROWS];
    int64_t calls = 0;
    Scene scene;
    const SceneDef def = {SCENE_WALL, 6, 0.6, 0.0, 0.0};
    scene_create(&scene, &def);
    SticSolveRequest request = test_request(&context, solver);
    request.settings.tolerance = 1e-3;
    for (int solve = 0; solve < 2; ++solve) {
        calls = memory.calls;
        assert_int_equal(stic_solve(&scene.problem, &request, r, u, &info), STIC_OK);
        assert_int_equal(info.outcome, STIC_OUTCOME_SOLVED);
        print_message("%s, solve %d: %lld allocations\n", solver, solve,
                      (long long)(memory.calls - calls));
    }
    assert_int_equal(memory.calls, calls);
    stic_workspace_destroy(request.workspace);
    test_memory_check(&memory);
    scene_release(&scene);
}

static inline SticStatus large_solve_once(const SticContext* context, void* self)
{
    SticError error = {0};
    SticWorkspace* workspace = NULL;
    SticSolveInfo info = {0};
    static double r[RUN_MOST_ROWS], u[RUN_MOST_ROWS];
    Scene scene;
    STIC_TRY(stic_workspace_create(context, &workspace));
    const SceneDef def = {SCENE_WALL, 6, 0.6, 0.0, 0.0};
    scene_create(&scene, &def);
    SticSolveRequest request = {.solver = stic_solver_find(self, &error),
                                .settings = test_solve_settings(),
                                .workspace = workspace};
    request.settings.tolerance = 1e-2;
    const SticStatus status = stic_solve(&scene.problem, &request, r, u, &info);
    scene_release(&scene);
    stic_workspace_destroy(workspace);
    return status;
}

/// Every allocation of a solve fails once, in turn.
static inline void large_failures(const char* solver)
{
    char name[32];
    snprintf(name, sizeof name, "%s", solver);
    print_message("%s: %lld allocations that may fail\n", solver,
                  (long long)test_fail_every_allocation(large_solve_once, name));
}

#endif

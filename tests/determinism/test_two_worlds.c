// SPDX-License-Identifier: Apache-2.0
// labels: threads
// Worlds that run at the same time in threads of their own know nothing of each other: scenes are
// read, built and run, and end with the bits that they have alone.
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "file/file.h"
#include "helpers/helpers.h"
#include "stiction/extend/scene.h"

enum { WORLDS = 4, STEPS = 150 };

// a heap with a joint, friction and impacts; the number of the world makes them differ
static const char heap[] =
    "material{name = \"m\", density = 1000, friction = 0.4, restitution = 0.2}\n"
    "floor{material = \"m\"}\n"
    "for i = 1, 12 do\n"
    "  body{name = \"b\" .. i, material = \"m\", position = {0.02 * (i %% 3), 0.01 * %d, 0.2 * "
    "i},\n"
    "       orientation = {axis = {1, i, 0}, angle = 0.2 * i}, shape = shape.box{size = {0.3, 0.2, "
    "0.15}}}\n"
    "end\n"
    "body{name = \"bob\", material = \"m\", position = {2, 0, 2}, shape = shape.cylinder{radius = "
    "0.1, height = 0.2}}\n"
    "joint.point{a = \"bob\", point = {1.5, 0, 2}}\n"
    "scheme \"%s\"\n"
    "run{step = 2e-3, duration = 1}\n";

/// A world and how it ended.
typedef struct Job {
    int number;
    const char* scheme;
    SticStatus status;
    uint64_t hash;
    int64_t iterations;
    SticError error;
} Job;

static SticStatus run_job(const SticContext* context, const SticScene* scene, Job* job)
{
    SticSimulation* simulation = NULL;
    STIC_TRY(stic_simulation_create(context, scene, &simulation, &job->error));
    SticStatus status = STIC_OK;
    for (int k = 0; status == STIC_OK && k < STEPS; ++k) {
        SticStepInfo info;
        status = stic_simulation_step(simulation, &info);
        if (status != STIC_OK)
            job->error = info.error;
    }
    job->hash = stic_run_hash(stic_simulation_run(simulation));
    job->iterations = stic_run_totals(stic_simulation_run(simulation))->iterations;
    stic_simulation_destroy(simulation);
    return status;
}

// no assertions here: they belong to the thread of the test
static void* work(void* self)
{
    Job* job = self;
    const SticContext context = stic_context_default();
    const SticSceneOptions options = stic_scene_default_options();
    char text[2048];
    SticScene* scene = NULL;
    snprintf(text, sizeof text, heap, job->number, job->scheme);
    const SticText source = {.context = context, .bytes = text, .size = strlen(text)};
    job->status = stic_scene_parse(&context, &source, "heap.lua", &options, &scene, &job->error);
    if (job->status == STIC_OK)
        job->status = run_job(&context, scene, job);
    stic_scene_destroy(scene);
    return NULL;
}

static void test_together(void** unused)
{
    (void)unused;
    static const char* const schemes[WORLDS] = {"moreau", "koziara", "theta", "moreau"};
    static Job alone[WORLDS], together[WORLDS];
    pthread_t thread[WORLDS];
    for (int i = 0; i < WORLDS; ++i) {
        alone[i] = together[i] = (Job){.number = i + 1, .scheme = schemes[i]};
        work(&alone[i]);
        if (alone[i].status != STIC_OK)
            fail_msg("%s", alone[i].error.text);
    }
    for (int i = 0; i < WORLDS; ++i)
        assert_int_equal(pthread_create(&thread[i], NULL, work, &together[i]), 0);
    for (int i = 0; i < WORLDS; ++i)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    for (int i = 0; i < WORLDS; ++i) {
        print_message("%s: %lld iterations, state %016llx alone, %016llx together\n", schemes[i],
                      (long long)alone[i].iterations, (unsigned long long)alone[i].hash,
                      (unsigned long long)together[i].hash);
        assert_int_equal(together[i].status, STIC_OK);
        test_equal(together[i].hash, alone[i].hash);
        assert_int_equal(together[i].iterations, alone[i].iterations);
        // they are different worlds
        assert_true(i == 0 || alone[i].hash != alone[0].hash);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_together)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// Size and cost of result files.
//
//     bench_output [bodies] [steps] [steps per stored frame] [sweeps] [threads] [seconds]
//                  [compression] [file]
//
// Boxes and spheres in turn on a grid, a tenth of a millimetre into each other, so that everything
// is in contact from the first step on. The solver may use so many sweeps per step (30 if not said)
// and the run accepts what it has then: fewer sweeps make steps cheaper and the share of the
// writing larger. Threads share the steps; frames are written by one. The run ends after so many
// seconds (0: not before its last step), so that the figures can be had from a part of it.
// Compression is the level of deflate, 1 if not said, 0 for none.
//
// 10 000 bodies with a frame at every tenth step, up to 1000 steps in seven minutes on two cores:
//
//     bench_output 10000 1000 10 30 2 420
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "output/output.h"

#include "stiction/extend/base.h"
#include "stiction/extend/body.h"
#include "stiction/extend/run.h"
#include "stiction/extend/world.h"

enum { LAYER = 25 }; // bodies along an edge of a layer

typedef struct Plan {
    int32_t bodies, steps, every, sweeps, threads, compression;
    double seconds;
    const char* path;
} Plan;

typedef struct Pile {
    SticContext context;
    SticWorld* world;
    SticShape* shape[3];
    SticSystem* system;
    SticRun* run;
    SticOutput* output;
    SticError error;
} Pile;

static SticStatus add_body(Pile* pile, int32_t kind, SticVec3 position, const SticShape* shape)
{
    SticBodyDef def = stic_body_default_def();
    SticBodyId id;
    def.kind = kind;
    def.position = position;
    STIC_TRY(stic_body_create(pile->world, &def, &id, &pile->error));
    const SticAttachDef attach = {.shape = shape, .pose = stic_pose_identity()};
    return stic_body_attach(pile->world, id, &attach, NULL, &pile->error);
}

static SticStatus build(Pile* pile, int32_t bodies)
{
    const SticWorldDef def = stic_world_default_def();
    const double pitch = 0.1 - 1e-4;
    SticContext* context = &pile->context;
    STIC_TRY(stic_world_create(context, &def, &pile->world, &pile->error));
    STIC_TRY(stic_shape_create_half_space(context, stic_vec3(0.0, 0.0, 1.0), 0.0, &pile->shape[0],
                                          &pile->error));
    STIC_TRY(stic_shape_create_sphere(context, 0.05, &pile->shape[1], &pile->error));
    STIC_TRY(
        stic_shape_create_box(context, stic_vec3(0.05, 0.05, 0.05), &pile->shape[2], &pile->error));
    STIC_TRY(add_body(pile, STIC_BODY_FIXED, stic_vec3(0.0, 0.0, 0.0), pile->shape[0]));
    for (int32_t i = 0; i < bodies; ++i) {
        const int32_t x = i % LAYER, y = i / LAYER % LAYER, z = i / (LAYER * LAYER);
        const SticVec3 at = stic_vec3(pitch * x, pitch * y, 0.05 - 1e-4 + pitch * z);
        STIC_TRY(add_body(pile, STIC_BODY_RIGID, at, pile->shape[1 + (x + y + z) % 2]));
    }
    return STIC_OK;
}

static SticStatus start(Pile* pile, const Plan* plan)
{
    SticChart chart = STIC_CHART_QUATERNION;
    SticRunParts def = stic_run_default_parts();
    def.scheme = stic_scheme_find("moreau", &pile->error);
    def.solver = stic_solver_find("nsgs", &pile->error);
    def.policy = STIC_POLICY_CONTINUE;
    def.solve.tolerance = 1e-8;
    def.solve.max_iterations = plan->sweeps;
    def.step = 1e-3;
    stic_world_chart(def.scheme->charts, &chart);
    STIC_TRY(stic_world_system(pile->world, chart, &pile->system, &pile->error));
    def.system = pile->system;
    STIC_TRY(stic_run_assemble(&pile->context, &def, &pile->run, &pile->error));
    stic_world_start(pile->world, pile->system, stic_run_state(pile->run));
    SticOutputDef out = stic_output_default_def();
    out.path = plan->path;
    out.world = pile->world;
    out.run = pile->run;
    out.settings.every = plan->every;
    out.settings.compression = plan->compression;
    return stic_output_create(&pile->context, &out, &pile->output, &pile->error);
}

static void print_share(const char* what, double step, double frame, double every)
{
    printf("%s %.1f %% of the time\n", what, 100.0 * frame / (every * step + frame));
}

static SticStatus measure(Pile* pile, const Plan* plan)
{
    SticStepInfo info = {0};
    const double begin = stic_timer_seconds();
    const char* path = plan->path;
    const int32_t bodies = plan->bodies;
    int64_t contacts = 0;
    int32_t steps = 0;
    for (; steps < plan->steps; ++steps) {
        if (plan->seconds > 0.0 && stic_timer_seconds() - begin > plan->seconds)
            break;
        STIC_TRY(stic_run_step(pile->run, &info));
        STIC_TRY(
            stic_output_step(pile->output, pile->run, &info, &(SticStepExtra){0}, &pile->error));
        contacts += info.contacts;
    }
    STIC_TRY(stic_output_flush(pile->output, &pile->error));
    const double all = stic_timer_seconds() - begin, writing = stic_output_seconds(pile->output);
    const int64_t frames = stic_output_frames(pile->output);
    SticOutput* output = pile->output;
    pile->output = NULL;
    STIC_TRY(stic_output_close(output, &pile->error));
    struct stat entry = {0};
    stat(path, &entry);
    printf("%d bodies, %d steps, %lld frames, %.1f contacts a body\n", bodies, steps,
           (long long)frames, (double)contacts / steps / bodies);
    printf("size    %.1f MB, %.0f bytes per body and frame\n", (double)entry.st_size / 1e6,
           (double)entry.st_size / (double)bodies / (double)frames);
    printf("time    %.2f s, of it %.2f s writing: %.1f %%\n", all, writing, 100.0 * writing / all);
    const double step = (all - writing) / steps, frame = writing / (double)frames;
    printf("        %.1f ms a step, %.1f ms a frame with its share of the step rows\n", 1e3 * step,
           1e3 * frame);
    print_share("        a frame at every tenth step would be", step, frame, 10.0);
    print_share("        a frame at every step would be      ", step, frame, 1.0);
    return STIC_OK;
}

static int32_t number(int argc, char** argv, int k, int32_t otherwise)
{
    return argc > k ? atoi(argv[k]) : otherwise;
}

int main(int argc, char** argv)
{
    const Plan plan = {.bodies = number(argc, argv, 1, 10000),
                       .steps = number(argc, argv, 2, 1000),
                       .every = number(argc, argv, 3, 10),
                       .sweeps = number(argc, argv, 4, 30),
                       .threads = number(argc, argv, 5, 1),
                       .seconds = number(argc, argv, 6, 0),
                       .compression = number(argc, argv, 7, 1),
                       .path = argc > 8 ? argv[8] : "bench_output.h5"};
    Pile pile = {.context = stic_context_default()};
    SticStatus status = stic_pool_create(&pile.context, plan.threads, &pile.context.pool);
    if (status == STIC_OK)
        status = build(&pile, plan.bodies);
    if (status == STIC_OK)
        status = start(&pile, &plan);
    if (status == STIC_OK)
        status = measure(&pile, &plan);
    if (status != STIC_OK)
        fprintf(stderr, "%s: %s\n", stic_status_name(status), pile.error.text);
    stic_output_close(pile.output, NULL);
    stic_run_destroy(pile.run);
    stic_world_system_destroy(pile.system);
    stic_world_destroy(pile.world);
    for (int i = 0; i < 3; ++i)
        stic_shape_destroy(pile.shape[i]);
    stic_pool_destroy(pile.context.pool);
    remove(plan.path);
    return status == STIC_OK ? 0 : 1;
}

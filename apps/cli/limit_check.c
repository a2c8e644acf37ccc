// SPDX-License-Identifier: Apache-2.0
// Whether a structure stands in a run from rest.
#include "limit_check.h"

#include <math.h>

#include "print.h"
#include "stiction/extend/run.h"
#include "stiction/extend/vec3.h"

// places of all bodies; gives the diagonal of the box around them
static double places(const CliStructure* structure, SticVec3* at)
{
    const SticSceneDef* def = stic_scene_def(structure->scene);
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    const SticRun* run = stic_simulation_run(structure->simulation);
    for (int32_t i = 0; i < def->body_count; ++i) {
        double x[3];
        at[i] = stic_run_pose(run, stic_simulation_body(structure->simulation, i)).origin;
        stic_vec3_store(at[i], x);
        for (int k = 0; k < 3 && def->body[i].kind != STIC_BODY_FIXED; ++k) {
            low[k] = fmin(low[k], x[k]);
            high[k] = fmax(high[k], x[k]);
        }
    }
    const SticSystem* system = stic_simulation_system(structure->simulation);
    double square = 0.0, size = 0.0;
    for (int k = 0; k < 3; ++k)
        square += high[k] >= low[k] ? (high[k] - low[k]) * (high[k] - low[k]) : 0.0;
    for (int32_t b = 0; system->size != NULL && b < system->layout.blocks; ++b)
        size = fmax(size, system->size[b]);
    return sqrt(square) + size;
}

CliExit cli_limit_check(const CliVaried* varied, double value, CliLimitRun* run)
{
    CliStructure structure;
    SticVec3 *before = NULL, *after = NULL;
    SticStepInfo info;
    SticStatus status = STIC_OK;
    *run = (CliLimitRun){.value = value};
    const CliExit result = cli_structure_build(varied, value, &structure);
    if (result != CLI_DONE) {
        cli_structure_clear(&structure);
        return result;
    }
    const int32_t bodies = stic_scene_def(structure.scene)->body_count;
    if (STIC_TAKE(structure.arena, &before, bodies + 1) != STIC_OK ||
        STIC_TAKE(structure.arena, &after, bodies + 1) != STIC_OK) {
        cli_structure_clear(&structure);
        return cli_out_of_memory();
    }
    run->size = places(&structure, before);
    while (status == STIC_OK && !stic_simulation_is_done(structure.simulation)) {
        status = stic_simulation_step(structure.simulation, &info);
        if (status != STIC_OK)
            run->error = info.error;
    }
    (void)places(&structure, after);
    for (int32_t i = 0; i < bodies; ++i)
        run->moved = fmax(run->moved, stic_vec3_norm(stic_vec3_sub(after[i], before[i])));
    const SticRun* done = stic_simulation_run(structure.simulation);
    run->time = stic_run_time(done);
    run->solved = status == STIC_OK && stic_run_totals(done)->unsolved == 0;
    run->stands = run->moved <= CLI_LIMIT_STILL * run->size;
    cli_structure_clear(&structure);
    return CLI_DONE;
}

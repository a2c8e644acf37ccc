// SPDX-License-Identifier: Apache-2.0
// Whether a structure stands in a run from rest.
#include "limit_check.h"

#include <math.h>

#include "print.h"
#include "stiction/extend/run.h"
#include "stiction/extend/shape.h"
#include "stiction/extend/vec3.h"
#include "stiction/extend/world.h"

// where a body is
typedef struct Place {
    SticVec3 at;
    SticQuat turn;
    double size; // diameter
} Place;

// places of all bodies; gives the diagonal of the box around them
static double places(const CliStructure* structure, Place* place)
{
    const SticSceneDef* def = stic_scene_def(structure->scene);
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    const SticRun* run = stic_simulation_run(structure->simulation);
    const SticSystem* system = stic_simulation_system(structure->simulation);
    for (int32_t i = 0; i < def->body_count; ++i) {
        double x[3];
        const SticBodyId body = stic_simulation_body(structure->simulation, i);
        const SticPose pose = stic_run_pose(run, body);
        const int32_t block = stic_world_block(system, body);
        place[i] = (Place){pose.origin, stic_pose_orientation(&pose),
                           block >= 0 && system->size != NULL ? system->size[block] : 0.0};
        stic_vec3_store(place[i].at, x);
        for (int k = 0; k < 3 && def->body[i].kind != STIC_BODY_FIXED; ++k) {
            low[k] = fmin(low[k], x[k]);
            high[k] = fmax(high[k], x[k]);
        }
    }
    double square = 0.0, size = 0.0;
    for (int k = 0; k < 3; ++k)
        square += high[k] >= low[k] ? (high[k] - low[k]) * (high[k] - low[k]) : 0.0;
    for (int32_t b = 0; system->size != NULL && b < system->layout.blocks; ++b)
        size = fmax(size, system->size[b]);
    return sqrt(square) + size;
}

// the way of the point of a body that moves most: that of its centre and that of its rim about it, a
// chord of 2 sin(angle/2) radii
static double way_of(const Place* a, const Place* b)
{
    const SticQuat p = a->turn, q = b->turn;
    const SticVec3 u = stic_vec3(p.x, p.y, p.z), v = stic_vec3(q.x, q.y, q.z);
    const SticVec3 sine = stic_vec3_sub(
        stic_vec3_sub(stic_vec3_scale(p.w, v), stic_vec3_scale(q.w, u)), stic_vec3_cross(v, u));
    return stic_vec3_norm(stic_vec3_sub(b->at, a->at)) + a->size * stic_vec3_norm(sine);
}

CliExit cli_limit_check(const CliVaried* varied, double value, CliLimitRun* run)
{
    CliStructure structure;
    Place *before = NULL, *after = NULL;
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
        run->moved = fmax(run->moved, way_of(&before[i], &after[i]));
    const SticRun* done = stic_simulation_run(structure.simulation);
    run->time = stic_run_time(done);
    run->solved = status == STIC_OK && stic_run_totals(done)->unsolved == 0;
    run->falls = run->moved > CLI_LIMIT_STILL * run->size;
    run->stands = status == STIC_OK && !run->falls;
    cli_structure_clear(&structure);
    return CLI_DONE;
}

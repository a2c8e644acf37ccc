// SPDX-License-Identifier: Apache-2.0
// A scene in Lua inside a C program: a block on a slope, with the angle as a parameter.
#include <stdio.h>
#include <string.h>

#include "stiction/stiction.h"

static char text[] = "local slope = math.rad(param('slope', 20))\n"
                     "gravity{9.81 * math.sin(slope), 0, -9.81 * math.cos(slope)}\n"
                     "material{name = 'stone', density = 2000, friction = 0.5}\n"
                     "body{name = 'slab', kind = 'fixed',\n"
                     "     shape = shape.half_space{offset = 0, material = 'stone'}}\n"
                     "body{name = 'block', position = {0, 0, 0.1},\n"
                     "     shape = shape.box{size = {0.4, 0.4, 0.2}, material = 'stone'}}\n"
                     "run{step = 1e-3, duration = 1}\n";

static int slide(const char* slope)
{
    const SticContext context = stic_context_default();
    const SticText script = {.bytes = text, .size = strlen(text)};
    const SticSceneAssignment angle = {"slope", slope};
    SticSceneOptions options = stic_scene_default_options();
    SticScene* scene = NULL;
    SticSimulation* simulation = NULL;
    SticStepInfo info = {0};
    SticError error = {0};
    options.param = &angle;
    options.param_count = 1;
    int failed = stic_scene_parse(&context, &script, "slope", &options, &scene, &error) ||
                 stic_simulation_create(&context, scene, &simulation, &error);
    while (!failed && !stic_simulation_is_done(simulation))
        failed = stic_simulation_step(simulation, &info) != STIC_OK;
    const SticRun* run = stic_simulation_run(simulation);
    const SticBodyId block = stic_body_find(stic_simulation_world(simulation), "block");
    if (!failed)
        printf("slope %s degrees: x = %.4f m after %.1f s\n", slope,
               stic_run_pose(run, block).origin.x, stic_run_time(run));
    fputs(error.text, stderr);
    stic_simulation_destroy(simulation);
    stic_scene_destroy(scene);
    return failed;
}

int main(void)
{
    return slide("20") || slide("40");
}

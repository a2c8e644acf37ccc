// SPDX-License-Identifier: Apache-2.0
// The shortest program: a ball falls for a second. Errors are ignored; stack.c shows how not to.
#include <stdio.h>

#include "stiction/stiction.h"

int main(void)
{
    SticWorld* world = NULL;
    SticRun* run = NULL;
    SticBodyId ball = {0};
    SticBodyDef def = stic_body_default_def();
    stic_world_create(NULL, NULL, &world, NULL);
    def.shape = stic_world_sphere(world, 0.1, NULL);
    stic_body_create(world, &def, &ball, NULL);
    stic_run_create(NULL, world, NULL, &run, NULL);
    stic_run_advance(run, 1.0, NULL);
    printf("z = %.4f m\n", stic_run_pose(run, ball).origin.z);
    stic_run_destroy(run);
    stic_world_destroy(world);
}

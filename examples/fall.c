// SPDX-License-Identifier: Apache-2.0
// The shortest program: the scene of the README, advanced by one second.
#include "stiction/stiction.h"
#include <stdio.h>
int main(void)
{
    SticError error = {0};
    SticSimulation* scene = stic_simulation_open(NULL, "ball.lua", &error);
    if (stic_run_advance(stic_simulation_run(scene), 1.0, &error) == STIC_OK)
        printf("z = %.4f m\n", stic_simulation_pose(scene, "ball").origin.z);
    else
        printf("%s %s\n", error.file, error.text);
    stic_simulation_destroy(scene);
}

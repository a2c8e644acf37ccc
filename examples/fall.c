// SPDX-License-Identifier: Apache-2.0
// The shortest program: the scene of the README, advanced by one second.
#include "stiction/stiction.h"
#include <stdio.h>
int main(void)
{
    SticError error = {0};
    SticSimulation* sim = stic_simulation_open(NULL, "ball.lua", &error);
    stic_run_advance(stic_simulation_run(sim), 1.0, &error);
    printf("z = %g m %s %s\n", stic_simulation_pose(sim, "ball").origin.z, error.file, error.text);
    stic_simulation_destroy(sim);
}

// SPDX-License-Identifier: Apache-2.0
// Ten boxes on a fixed one: let them stand for a second, then print all contact forces.
#include <stdio.h>

#include "stiction/stiction.h"

int main(void)
{
    SticError error = {0};
    SticWorld* world = NULL;
    SticRun* run = NULL;
    const SticContactForce* contact = NULL;
    int32_t count = 0, failed = stic_world_create(NULL, NULL, &world, &error) != STIC_OK;
    for (int i = 0; i <= 10 && !failed; ++i) {
        SticBodyDef body = stic_body_default_def();
        body.kind = i == 0 ? STIC_BODY_FIXED : STIC_BODY_RIGID;
        body.shape = stic_world_box(world, stic_vec3(0.5, 0.5, 0.5), &error);
        body.position.z = i - 0.5;
        failed = stic_body_create(world, &body, NULL, &error) != STIC_OK;
    }
    failed = failed || stic_run_create(NULL, world, NULL, &run, &error) ||
             stic_run_advance(run, 1.0, &error) || stic_run_contacts(run, &contact, &count);
    for (int32_t k = 0; k < count; ++k)
        printf("at z = %.3f m: %.1f N\n", contact[k].point.z, contact[k].force.z);
    fputs(error.text, stderr);
    stic_run_destroy(run);
    stic_world_destroy(world);
    return failed;
}

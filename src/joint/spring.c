// SPDX-License-Identifier: Apache-2.0
// Springs, dampers and drives on the coordinate of a joint.
//
//   V = k/2 (c - rest)^2      dV = k (c - rest) dc      ddV = k dc dc' + k (c - rest) ddc
//
// The second derivative ddc comes column by column from C along unit directions.
#include <string.h>

#include "math/math.h"
#include "stiction/extend/base.h"
#include "stiction/extend/joint.h"

double stic_drive_velocity(const SticDrive* drive, double t)
{
    STIC_ASSERT(drive != NULL);
    const double sine = drive->amplitude * stic_sin(drive->frequency * t + drive->phase);
    const double steady = drive->speed + drive->acceleration * t + sine;
    return drive->velocity == NULL ? steady
                                   : steady + drive->velocity(drive->velocity_self, t, NULL);
}

double stic_drive_acceleration(const SticDrive* drive, double t)
{
    STIC_ASSERT(drive != NULL);
    double rate = 0.0;
    if (drive->velocity != NULL)
        (void)drive->velocity(drive->velocity_self, t, &rate);
    return drive->acceleration + rate +
           drive->amplitude * drive->frequency * stic_cos(drive->frequency * t + drive->phase);
}

// ddV over the coordinates of both sides; slope [n] is dc
static void write_hessian(const SticJoint* joint, const SticSpring* spring,
                          const SticJointSide side[2], double force, const double* slope,
                          double* hessian)
{
    SticJointSide along[2] = {side[0], side[1]};
    double y[2 * STIC_CHART_MAX_Q] = {0.0}, column[2 * STIC_CHART_MAX_Q];
    SticJointMeasures out = {.gap = NULL};
    int32_t n = 0;
    for (int k = 0; k < 2; ++k)
        if (side[k].q != NULL) {
            along[k].y = y + n;
            out.C[k] = column + n;
            n += stic_chart_q_size(side[k].chart, side[k].n);
        }
    for (int32_t j = 0; j < n; ++j) {
        y[j] = 1.0;
        stic_joint_measures_coordinate(joint, along, &out);
        y[j] = 0.0;
        for (int32_t i = 0; i < n; ++i)
            hessian[i * n + j] = spring->stiffness * slope[i] * slope[j] + force * column[i];
    }
}

double stic_spring_potential(const SticJoint* joint, const SticSpring* spring,
                             const SticJointSide side[2], double* const gradient[2],
                             double* hessian)
{
    double value = 0.0, slope[2 * STIC_CHART_MAX_Q];
    SticJointMeasures out = {.gap = &value};
    int32_t n = 0;
    for (int k = 0; k < 2 && gradient != NULL; ++k)
        if (side[k].q != NULL) {
            out.G[k] = slope + n;
            n += stic_chart_q_size(side[k].chart, side[k].n);
        }
    stic_joint_measures_coordinate(joint, side, &out);
    const double stretch = value - spring->rest, force = spring->stiffness * stretch;
    for (int k = 0; k < 2 && gradient != NULL; ++k) {
        const int32_t size = side[k].q == NULL ? 0 : stic_chart_q_size(side[k].chart, side[k].n);
        for (int32_t c = 0; c < size; ++c)
            gradient[k][c] = force * out.G[k][c];
    }
    if (hessian != NULL)
        write_hessian(joint, spring, side, force, slope, hessian);
    return 0.5 * force * stretch;
}

void stic_spring_add_damping(const SticJoint* joint, const SticSpring* spring,
                             const SticJointSide side[2], double* const f[2])
{
    STIC_ASSERT(joint != NULL);
    STIC_ASSERT(spring != NULL);
    double H[2][STIC_CHART_MAX_U], rate = 0.0;
    const SticJointMeasures out = {.H = {H[0], H[1]}};
    stic_joint_measures_coordinate(joint, side, &out);
    for (int k = 0; k < 2; ++k)
        for (int32_t c = 0; side[k].q != NULL && c < side[k].n; ++c)
            rate += H[k][c] * side[k].u[c];
    for (int k = 0; k < 2; ++k)
        for (int32_t c = 0; side[k].q != NULL && c < side[k].n; ++c)
            f[k][c] -= spring->damping * rate * H[k][c];
}

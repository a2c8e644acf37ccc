// SPDX-License-Identifier: Apache-2.0
// How the coordinates of one block follow the mean velocity of a step in the energy-consistent
// schemes: dq = h F(q*) w, with q* at the beginning or in the middle of the step.
#ifndef STIC_STEP_KINEMATICS_H
#define STIC_STEP_KINEMATICS_H

#include "body/body.h"

/// One block over a step. `middle`: q* is (q_begin + q_end)/2, quaternions not scaled back; else
/// the beginning. Unit quaternions are always taken in the middle.
typedef struct SticKinematics {
    SticChart chart;
    int32_t n; ///< velocities
    double h;
    bool middle;
    const double* q; ///< coordinates at the beginning
} SticKinematics;

/// q_end for the mean velocity w, in closed form; where stic_kinematics_turns says that there is
/// none, the nearest turn by pi.
void stic_kinematics_move(const SticKinematics* block, const double* w, double* q_end);
/// Whether there is a turn for w: a scalable block in the middle needs h |omega| < 2.
bool stic_kinematics_turns(const SticKinematics* block, const double* w);
/// Whether q* is in the middle, where F(q*) depends on w.
bool stic_kinematics_in_middle(const SticKinematics* block);
/// out [n] = p dq_end/dw for a covector p on the coordinates.
void stic_kinematics_pull(const SticKinematics* block, const double* w, const double* p,
                          double* out);
/// out [n] = p F(q*), q_end as moved.
void stic_kinematics_force(const SticKinematics* block, const double* q_end, const double* p,
                           double* out);
/// A direction of velocities at the beginning, of a scalable block, as the same covector of
/// coordinates at q*: F*' Q_B' direction, in place.
void stic_kinematics_turn(const SticKinematics* block, const double* q_end, double* direction);
/// Add the gyroscopic forces, which do no work on w, to f, and h/2 times minus their derivative by
/// w to `slope` [n x n] (NULL: not wanted). `mass` is the block of the mass; `u` [n] the velocity
/// that scalable blocks at the beginning turn with.
void stic_kinematics_gyro(const SticKinematics* block, const double* mass, const double* u,
                          const double* w, double* f, double* slope);

#endif

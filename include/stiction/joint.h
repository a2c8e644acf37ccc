// SPDX-License-Identifier: Apache-2.0
// Kinds of joints, their drives and springs.
#ifndef STICTION_JOINT_H
#define STICTION_JOINT_H

#include "stiction/base.h"
#include "stiction/vec3.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Kinds of joints.
typedef enum SticJointKind {
    STIC_JOINT_POINT,   ///< fixed point or spherical joint
    STIC_JOINT_LINE,    ///< a point of A stays on a line of B
    STIC_JOINT_PLANE,   ///< a point of A stays in a plane of B
    STIC_JOINT_HINGE,   ///< turning about one axis
    STIC_JOINT_SLIDER,  ///< moving along one axis
    STIC_JOINT_WELD,    ///< no relative motion
    STIC_JOINT_ROD,     ///< massless rod between two points
    STIC_JOINT_AXIAL,   ///< no constraint; the displacement along B's axis is driven or limited
    STIC_JOINT_TURNING, ///< no constraint; the angle about B's axis is driven or limited
    STIC_JOINT_SPAN,    ///< no constraint; the distance of two points: spring, damper, rope
    STIC_JOINT_KIND_COUNT
} SticJointKind;

/// Point and axes of a joint in the frame of one block, or of the surroundings.
typedef struct SticJointFrame {
    SticVec3 point; ///< m
    SticMat3 axes;  ///< columns, orthonormal; the first is the axis of the joint
} SticJointFrame;

/// Velocity that a drive asks for: speed + acceleration t + amplitude sin(frequency t + phase) +
/// velocity(t).
typedef struct SticDrive {
    double speed;        ///< m/s or rad/s
    double acceleration; ///< m/s2 or rad/s2
    double amplitude;    ///< m/s or rad/s
    double frequency;    ///< rad/s
    double phase;        ///< rad
    /// any function of the time alone, m/s or rad/s, and its rate where that is not NULL; NULL:
    /// none. What is not finite fails the step.
    double (*velocity)(const void* velocity_self, double t, double* rate);
    /// the first time after t at which `velocity` or its rate jumps, INFINITY if there is none;
    /// NULL: it never jumps. Schemes that find instants cut their steps there.
    double (*velocity_kink)(const void* velocity_self, double t);
    /// the end, at most `end`, of the stretch from t over which `velocity` is so smooth that a dozen
    /// values show all it does; NULL: all is. Such schemes do not step beyond it.
    double (*velocity_smooth)(const void* velocity_self, double t, double end);
    const void* velocity_self; ///< for `velocity` and these; borrowed, must outlive the world
} SticDrive;

/// Spring and damper on a coordinate: potential stiffness / 2 (c - rest)^2, force -damping c'.
typedef struct SticSpring {
    double stiffness; ///< N/m or N m/rad, >= 0
    double rest;      ///< m or rad
    double damping;   ///< N s/m or N m s/rad, >= 0
} SticSpring;

#ifdef __cplusplus
}
#endif

#endif

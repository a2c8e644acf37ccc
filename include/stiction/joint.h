// SPDX-License-Identifier: Apache-2.0
// Measures of joints between two blocks of coordinates, or a block and the surroundings.
//
// A joint has a frame in each of its two sides A and B: a point and three axes. With d from B's
// point to A's point, b_k the axes of B and a_k those of A, its kinds are lists of rows g(q) = 0:
//
//   point     d = 0                                      3 rows  fixed point, spherical joint
//   line      b_1 . d = b_2 . d = 0                      2       point on a line, along b_0
//   plane     b_0 . d = 0                                1       point in a plane
//   hinge     d = 0, a_0 . b_1 = a_0 . b_2 = 0           5
//   slider    b_1 . d = b_2 . d = 0 and parallel axes    5
//   weld      d = 0 and parallel axes                    6
//   rod       |d| = length                               1
//   axial, turning, span: no rows
//
// Line, slider and axial have a displacement b_0 . d; hinge and turning an angle, from b_1 to a_1
// about b_0, in (-pi, pi]; span has a length |d|. Limits, friction, drives, springs and dampers act
// on that coordinate: limits as unilateral rows, friction and drives on its rate, springs as a
// potential, dampers as a force.
//
// Everything follows from gradients with respect to x and R of the two sides and from how these
// change along a motion; the charts turn them into G = dg/dq, H' = G F, C and bias. In the
// quaternion charts R is the scaled rotation s R, so that d is quadratic in the coordinates.
#ifndef STICTION_JOINT_H
#define STICTION_JOINT_H

#include "stiction/base.h"
#include "stiction/body.h"
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

/// The coordinate that a joint leaves free.
typedef enum SticJointCoordinate {
    STIC_JOINT_NO_COORDINATE,
    STIC_JOINT_DISPLACEMENT, ///< m
    STIC_JOINT_ANGLE,        ///< rad
    STIC_JOINT_LENGTH        ///< m
} SticJointCoordinate;

enum { STIC_JOINT_ROWS = 6 }; ///< most rows of a joint

/// Name of a kind, such as "hinge".
STIC_API const char* stic_joint_kind_name(SticJointKind kind);
/// Rows of the constraint of a kind, 0 to 6.
STIC_API int32_t stic_joint_rows(SticJointKind kind);
/// The coordinate of a kind.
STIC_API SticJointCoordinate stic_joint_coordinate(SticJointKind kind);

/// Point and axes of a joint in the frame of one block, or of the surroundings.
typedef struct SticJointFrame {
    SticVec3 point; ///< m
    SticMat3 axes;  ///< columns, orthonormal; the first is the axis of the joint
} SticJointFrame;

/// A joint's geometry.
typedef struct SticJoint {
    int32_t kind;            ///< SticJointKind
    double length;           ///< of a rod, m
    SticJointFrame frame[2]; ///< in A and in B
} SticJoint;

/// One side of a joint in a state.
typedef struct SticJointSide {
    SticChart
        chart; ///< ROTATION, QUATERNION, SCALABLE, or LINEAR with n = 3 (point) or 12 (affine)
    int32_t n; ///< velocities
    const double* q; ///< coordinates; NULL: the surroundings
    const double* u; ///< velocities; used for the bias only
    const double* y; ///< direction in the coordinates; used for C only
} SticJointSide;

/// Where the measures of one interaction go; NULL: not asked for. The matrices have one row per row
/// of the interaction, for the sides that have coordinates.
typedef struct SticJointMeasures {
    double* gap;  ///< [rows] g
    double* bias; ///< [rows] d/dt(H') u
    double* H[2]; ///< [rows * n] of A and B
    double* G[2]; ///< [rows * nq]
    double* C[2]; ///< [rows * nq] d/dq (G y)
} SticJointMeasures;

/// Measures of the constraint of a joint: stic_joint_rows(kind) rows.
STIC_API void stic_joint_measure(const SticJoint* joint, const SticJointSide side[2],
                                 const SticJointMeasures* out);
/// Measures of the coordinate of a joint, one row; the gap is its value.
STIC_API void stic_joint_measure_coordinate(const SticJoint* joint, const SticJointSide side[2],
                                            const SticJointMeasures* out);

/// Velocity that a drive asks for: speed + acceleration t + amplitude sin(frequency t + phase).
typedef struct SticDrive {
    double speed;        ///< m/s or rad/s
    double acceleration; ///< m/s2 or rad/s2
    double amplitude;    ///< m/s or rad/s
    double frequency;    ///< rad/s
    double phase;        ///< rad
} SticDrive;

/// Velocity of a drive at a time.
STIC_API double stic_drive_velocity(const SticDrive* drive, double t);
/// Its rate.
STIC_API double stic_drive_acceleration(const SticDrive* drive, double t);

/// Spring and damper on a coordinate: potential stiffness / 2 (c - rest)^2, force -damping c'.
typedef struct SticSpring {
    double stiffness; ///< N/m or N m/rad, >= 0
    double rest;      ///< m or rad
    double damping;   ///< N s/m or N m s/rad, >= 0
} SticSpring;

/// Energy of a spring on a joint's coordinate. `gradient` [2], if not NULL, points to dV/dq of each
/// side with coordinates; `hessian`, if not NULL, to the square matrix over both of them, row by
/// row.
STIC_API double stic_joint_potential(const SticJoint* joint, const SticSpring* spring,
                                     const SticJointSide side[2], double* const gradient[2],
                                     double* hessian);
/// Add the force of the damper to f[k], u-based, of each side with coordinates.
STIC_API void stic_joint_add_damping(const SticJoint* joint, const SticSpring* spring,
                                     const SticJointSide side[2], double* const f[2]);

#ifdef __cplusplus
}
#endif

#endif

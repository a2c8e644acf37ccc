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
// about b_0, the one of those that differ by whole turns which is nearest to `about`; where a_0 is
// tilted against b_0 it is the twist about b_0, which has no value at a tilt of half a turn; span has
// a length |d|. Limits, friction, drives, springs and dampers act on that coordinate: limits as
// unilateral rows, friction and drives on its rate, springs as a potential, dampers as a force.
//
// Everything follows from gradients with respect to x and R of the two sides and from how these
// change along a motion; the charts turn them into G = dg/dq, H' = G F, C and bias. In the
// quaternion charts R is the scaled rotation s R, so that d is quadratic in the coordinates.
#ifndef STICTION_EXTEND_JOINT_H
#define STICTION_EXTEND_JOINT_H

#include "stiction/base.h"
#include "stiction/extend/body.h"
#include "stiction/joint.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The coordinate that a joint leaves free.
typedef enum SticJointCoordinate {
    STIC_JOINT_NO_COORDINATE,
    STIC_JOINT_DISPLACEMENT, ///< m
    STIC_JOINT_ANGLE,        ///< rad
    STIC_JOINT_LENGTH        ///< m
} SticJointCoordinate;

/// The coordinate of a kind.
STIC_API SticJointCoordinate stic_joint_kind_coordinate(SticJointKind kind);

enum { STIC_JOINT_ROWS = 6 }; ///< most rows of a joint

/// Rows of the constraint of a kind, 0 to 6.
STIC_API int32_t stic_joint_kind_rows(SticJointKind kind);

/// A joint's geometry.
typedef struct SticJoint {
    int32_t kind;            ///< SticJointKind
    double length;           ///< of a rod, m
    double about;            ///< an angle is the one nearest to this, rad; 0: in [-pi, pi]
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

/// Name of a kind, such as "hinge".
STIC_API const char* stic_joint_kind_name(SticJointKind kind);
/// Measures of the constraint of a joint: stic_joint_kind_rows(kind) rows.
STIC_API void stic_joint_measures_fill(const SticJoint* joint, const SticJointSide side[2],
                                       const SticJointMeasures* out);
/// From where the first of the sides that have coordinates is, its x, to the joint point of A.
STIC_API SticVec3 stic_joint_measures_lever(const SticJoint* joint, const SticJointSide side[2]);
/// Measures of the coordinate of a joint, one row; the gap is its value.
STIC_API void stic_joint_measures_coordinate(const SticJoint* joint, const SticJointSide side[2],
                                             const SticJointMeasures* out);
/// Velocity of a drive at a time.
STIC_API double stic_drive_velocity(const SticDrive* drive, double t);
/// Its rate.
STIC_API double stic_drive_acceleration(const SticDrive* drive, double t);
/// Energy of a spring on a joint's coordinate. `gradient` [2], if not NULL, points to dV/dq of each
/// side with coordinates; `hessian`, if not NULL, to the square matrix over both of them, row by
/// row.
STIC_API double stic_spring_potential(const SticJoint* joint, const SticSpring* spring,
                                      const SticJointSide side[2], double* const gradient[2],
                                      double* hessian);
/// Add the force of the damper to f[k], u-based, of each side with coordinates.
STIC_API void stic_spring_add_damping(const SticJoint* joint, const SticSpring* spring,
                                      const SticJointSide side[2], double* const f[2]);

#ifdef __cplusplus
}
#endif

#endif

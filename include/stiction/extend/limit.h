// SPDX-License-Identifier: Apache-2.0
// Limit analysis: how far the loads of a structure of blocks can grow before it has no equilibrium.
//
//     static theorem      max s    H r + dead + s live = 0,  r + c in K
//     its dual            min -(dead - H c) . v    H'v in K*,  live . v = 1
//
// r are the forces of the contacts that a world has at its start, K the cones of Coulomb friction, c
// their cohesion, v a rigid motion of each body. Reactions that meet the first line bound the limit
// from below, motions that meet the second bound it from above. K* makes contacts that slide open as
// well (associated flow). Coulomb's friction does not: above the limit nothing stands, but a
// structure may also fall below it.
#ifndef STICTION_EXTEND_LIMIT_H
#define STICTION_EXTEND_LIMIT_H

#include "stiction/base.h"
#include "stiction/run.h"
#include "stiction/vec3.h"
#include "stiction/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A structure: contacts, joints and loads of a world at its start.
typedef struct SticLimit SticLimit;

/// Find the contacts of a world. The world is borrowed and must outlive the structure. Contacts with
/// laws other than Coulomb's, drives and friction in joints are refused with a sentence.
STIC_API SticStatus stic_limit_create(const SticContext* context, const SticWorld* world,
                                      SticLimit** limit, SticError* error);
/// Release a structure; NULL is allowed.
STIC_API void stic_limit_destroy(SticLimit* limit);
/// Contacts that touch, and joints.
STIC_API int32_t stic_limit_count(const SticLimit* limit);
/// Velocities of all bodies together: of the centre of mass in world axes, then rotations.
STIC_API int32_t stic_limit_dof(const SticLimit* limit);
/// Forces and torques that belong to these velocities, of gravity, loads and springs: [dof].
STIC_API const double* stic_limit_load(const SticLimit* limit);
/// Twist of a body in a motion; zero for bodies that do not move by forces.
STIC_API SticTwist stic_limit_twist(const SticLimit* limit, const double* motion, SticBodyId body);

/// How cones of friction are taken.
typedef enum SticLimitCone {
    STIC_LIMIT_EXACT,   ///< circular: a second-order cone program
    STIC_LIMIT_INSIDE,  ///< a pyramid inside the cone: a linear program that bounds from below
    STIC_LIMIT_OUTSIDE, ///< a pyramid around the cone: from above
    STIC_LIMIT_CONE_COUNT
} SticLimitCone;

/// What is asked.
typedef struct SticLimitTask {
    const double* dead; ///< [dof] loads that stay
    const double* live; ///< [dof] loads that grow with the factor; NULL: every contact is pressed,
                        ///< and the factor says by how much its force may fall (its sign: whether
                        ///< the structure stands), in units of the largest load of a body
    int32_t cone;       ///< SticLimitCone
    int32_t facets;     ///< of pyramids, 3 or more
    double tolerance;   ///< of bounds and of equilibrium, relative
} SticLimitTask;

/// No loads, exact cones, pyramids of 8 sides, tolerance 1e-9.
STIC_API SticLimitTask stic_limit_default_task(void);

/// What is known of a limit.
typedef enum SticLimitOutcome {
    STIC_LIMIT_FOUND,     ///< both bounds agree to the tolerance
    STIC_LIMIT_UNLIMITED, ///< forces carry the live loads alone: no end to the factor
    STIC_LIMIT_NONE,      ///< a motion shows that there is no equilibrium at any factor
    STIC_LIMIT_OPEN,      ///< the iteration ended early: the bounds hold, but do not agree
    STIC_LIMIT_OUTCOME_COUNT
} SticLimitOutcome;

/// Word of an outcome, such as "found".
STIC_API const char* stic_limit_outcome_name(SticLimitOutcome outcome);

/// Answer. Arrays live in the arena given to stic_limit_solve.
typedef struct SticLimitResult {
    SticLimitOutcome outcome; ///< what the bounds mean
    double factor;            ///< of forces in equilibrium: a lower bound of the limit, -inf: none
    double factor_most;       ///< of a motion: an upper bound, inf: none
    double residual;          ///< largest force without balance over the largest load or cohesion
    int32_t steps;            ///< of the interior point
    const double* r;          ///< [rows] forces of contacts and joints, N
    const double* v; ///< [dof] the motion, with the loads doing work; its size is arbitrary
} SticLimitResult;

/// Solve the program of a structure.
STIC_API SticStatus stic_limit_solve(const SticLimit* limit, const SticLimitTask* task,
                                     SticArena* arena, SticLimitResult* result, SticError* error);

/// A joint of the structure: all contacts of two bodies.
typedef struct SticLimitJoint {
    SticBodyId body[2]; ///< A and B; the force acts on A
    int32_t contacts;   ///< of the pair
    SticVec3 point;     ///< where the resultant acts; middle of the contacts where there is none, m
    SticVec3 force;     ///< resultant, N
    double eccentricity; ///< part of the way from the middle of the joint to its border at which it
                         ///< acts: 0 in the middle, 1 on the border
    double slide;        ///< largest tangential velocity of a contact that carries load
    double open;         ///< difference of normal velocities between its contacts: a hinge
    bool slides;         ///< it takes part in the motion by sliding
    bool hinges;         ///< it takes part by turning
} SticLimitJoint;

/// Joints of a result, sorted by how much they move, the most first; `joint` lives in the arena.
/// What moves by less than `part` of the largest relative velocity counts as still.
STIC_API SticStatus stic_limit_joints(const SticLimit* limit, const SticLimitResult* result,
                                      double part, SticArena* arena, const SticLimitJoint** joint,
                                      int32_t* count);

/// A run that shows a result: steps of length 1 move the bodies along the motion of collapse, until
/// contacts are apart by `reach`, m, after `steps` of them; its contacts carry the forces of the
/// result in the structure as it stands. Both must outlive the run.
STIC_API SticStatus stic_limit_show(const SticLimit* limit, const SticLimitResult* result,
                                    double reach, int32_t steps, SticRun** run, SticError* error);

#ifdef __cplusplus
}
#endif

#endif

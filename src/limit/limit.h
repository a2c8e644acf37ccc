// SPDX-License-Identifier: Apache-2.0
// What the files of limit analysis share.
#ifndef STIC_LIMIT_LIMIT_H
#define STIC_LIMIT_LIMIT_H

#include "stiction/extend/limit.h"
#include "stiction/extend/sparse.h"
#include "stiction/extend/system.h"
#include "stiction/extend/world.h"

enum { STIC_LIMIT_ROWS = 6 }; ///< most rows of an interaction

/// A structure at the start of its world.
struct SticLimit {
    SticContext context;
    const SticWorld* world;
    SticSystem* system;
    SticState* state;
    SticArena* arena; ///< of everything below
    SticSet set;
    int32_t dof;
    int32_t* col_at; ///< [blocks+1] rigid velocities of each block
    SticBlockCsr A;  ///< [rows x dof] relative velocities of the set from rigid velocities
    double* load;    ///< [dof]
    double* scratch; ///< [velocities of the system]
    SticBlockCsr Ht; ///< [rows x velocities of the system] directions as the system gives them
    double* zero;    ///< [rows] no gaps, no velocities of obstacles
};

/// Velocities of the system [nu] in a rigid motion [dof].
void stic_limit_velocities(const SticLimit* limit, const double* motion, double* u);

/// The cones of a task: a contact gives one cone, or one half-line per facet.
typedef struct SticLimitProgram {
    int32_t count, rows, cones;
    int32_t* row_at;                 ///< [count+1]
    uint8_t* equality;               ///< [count] a joint: its motion is 0, its force free
    int32_t* source;                 ///< [count] interaction
    double (*coef)[STIC_LIMIT_ROWS]; ///< [rows] r of the interaction = sum of coef x
    SticBlockCsr A;                  ///< y = A v in the cones
    double* size;                    ///< [dof] velocities are these times the program's
    double* dead;                    ///< [dof] with what cohesion adds
    double* live;                    ///< [dof]
    double force;                    ///< unit of forces, N; 0 where there are no dead loads
    double unit;                     ///< of the factor: the task's is this times the program's
} SticLimitProgram;

/// Cones, scaled to unit loads.
SticStatus stic_limit_program(const SticLimit* limit, const SticLimitTask* task, SticArena* arena,
                              SticLimitProgram* program, SticError* error);
/// Both bounds by an interior point, with reactions x [rows] and motion v [dof] of the program.
SticStatus stic_limit_maximise(const SticLimitProgram* program, const SticLimitTask* task,
                               SticArena* arena, SticLimitResult* result, SticError* error);

#endif

// SPDX-License-Identifier: Apache-2.0
// Inside of a result file being written.
#ifndef STIC_OUTPUT_WRITER_H
#define STIC_OUTPUT_WRITER_H

#include "output/columns.h"
#include "output/rows.h"
#include "stiction/output.h"

struct SticOutput {
    SticContext context;
    SticOutputSettings settings;
    const SticWorld* world; ///< NULL: a system written by hand
    SticArena* memory;      ///< rows and path; lives as long as the file is open
    SticArena* scratch;     ///< of one frame
    SticRows rows;
    SticColumns columns;
    char* path;
    bool failed;          ///< nothing more can be written
    SticError error;      ///< why
    int64_t last_step;    ///< of the last frame, -1: none
    double last_snapshot; ///< clock
    double last_flush;    ///< clock
    double seconds;       ///< spent here
};

/// What acted in the last step, at the state where it was measured.
typedef struct SticActing {
    const SticSystem* system;
    SticSet set;
    SticBlockCsr Ht;
    const double* r;        ///< [rows] impulses
    const double* velocity; ///< [rows] relative velocities at the end of the step
    const double* gap;      ///< [rows]
    SticState at;           ///< where directions were measured
    double h;               ///< length over which the impulses acted
} SticActing;

/// Collect what acted; memory from the arena. Empty before the first step. `world` may be NULL.
SticStatus stic_acting_collect(const SticRun* run, const SticWorld* world, bool least_norm,
                               SticArena* arena, SticActing* acting);
/// Contacts of a world as rows of the table; `contact` in memory of the arena.
SticStatus stic_acting_contacts(const SticActing* acting, const SticWorld* world,
                                const SticRows* rows, SticArena* arena, SticContactRow** contact,
                                int32_t* count);
/// Force and torque of every joint, [joints][3] each.
void stic_acting_joints(const SticActing* acting, const SticWorld* world, const SticRows* rows,
                        double* force, double* torque);
/// Append the present state of a run as a frame.
SticStatus stic_frame_append(SticOutput* output, const SticRun* run);

#endif

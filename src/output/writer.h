// SPDX-License-Identifier: Apache-2.0
// Internals of a result file being written.
#ifndef STIC_OUTPUT_WRITER_H
#define STIC_OUTPUT_WRITER_H

#include "output/columns.h"
#include "output/output.h"
#include "output/rows.h"
#include "world/acting.h"

struct SticOutput {
    SticContext context;
    SticOutputSettings settings;
    const SticWorld* world; ///< NULL: a system written by hand
    SticArena* memory;      ///< rows and path; lives as long as the file is open
    SticArena* scratch;     ///< of one frame
    SticTableRows rows;
    SticColumns columns;
    char* path;
    bool failed;          ///< nothing more can be written
    SticError error;      ///< why
    int64_t last_step;    ///< of the last frame, -1: none
    double last_snapshot; ///< clock
    double last_flush;    ///< clock
    double seconds;       ///< spent here
};

/// What acted in the last step, with forces of least norm if asked; memory from the arena. `world`
/// may be NULL.
SticStatus stic_output_acting(const SticRun* run, const SticWorld* world, bool least_norm,
                              SticArena* arena, SticActing* acting);
/// Contacts of a world as rows of the table; `contact` in memory of the arena.
SticStatus stic_output_contacts(const SticActing* acting, const SticWorld* world,
                                const SticTableRows* rows, SticArena* arena,
                                SticContactRow** contact, int32_t* count);
/// Append the present state of a run as a frame.
SticStatus stic_frame_append(SticOutput* output, const SticRun* run);

/// The data of a page as stic_output_export_page writes them, in a file that is open but has no name
/// any more; it was made beside the path. -1 on failure.
SticStatus stic_output_page_file(SticOutput* output, const SticPageDef* def, const char* beside,
                                 int* file, SticError* error);

#endif

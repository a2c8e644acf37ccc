// SPDX-License-Identifier: Apache-2.0
// More about result files: resuming, snapshots, repair, pages of the viewer.
#ifndef STICTION_EXTEND_RESULT_H
#define STICTION_EXTEND_RESULT_H

#include "stiction/base.h"
#include "stiction/result.h"
#include "stiction/run.h"
#include "stiction/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- settings ---- */

/// Defaults of stic_output_fields.
STIC_API SticOutputSettings stic_output_default_settings(void);

/* ---- writing ---- */

/// Continue a file: everything after the steps that def.run has made is cut off. The file must
/// describe the same bodies and settings.
STIC_API SticStatus stic_output_reopen(const SticContext* context, const SticOutputDef* def,
                                       SticOutput** output, SticError* error);
/// Whether stic_output_step would store a frame for the run's present state.
STIC_API bool stic_output_is_due(const SticOutput* output, const SticRun* run);
/// Store the present state as a frame unless it is stored already.
STIC_API SticStatus stic_output_frame(SticOutput* output, const SticRun* run, SticError* error);
/// Make everything stored so far visible to readers, so that it survives the end of this process.
STIC_API SticStatus stic_output_flush(SticOutput* output, SticError* error);
/// Flush, then replace the snapshot NAME.snapshot beside the file NAME.h5. A step does so by itself
/// every `snapshot` seconds.
STIC_API SticStatus stic_output_snapshot(SticOutput* output, const SticRun* run, SticError* error);
/// Name of a file beside a result: `extension` (with its dot) instead of the last one.
STIC_API SticStatus stic_output_beside(const char* path, const char* extension, char* name,
                                       size_t size, SticError* error);
/// One line about a notice of a run: how often, how bad, which bodies, since when; empty if there
/// was none. `world` NULL: without names.
STIC_API void stic_output_notice_line(const SticRun* run, const SticWorld* world,
                                      SticNoticeKind kind, char* text, size_t size);
/// Frames stored so far.
STIC_API int64_t stic_output_frames(const SticOutput* output);
/// Seconds of wall clock spent in this module.
STIC_API double stic_output_seconds(const SticOutput* output);

/* ---- reading ---- */

/// What a repair did.
typedef struct SticRepair {
    bool was_open;   ///< the file was marked as open for writing
    int64_t frames;  ///< complete ones that remain
    int64_t steps;   ///< rows of the table of steps that remain
    int64_t dropped; ///< rows of incomplete frames that were cut off, over all data sets
} SticRepair;

/// Make the file of a killed run an ordinary file that ends with its last complete frame. Rows
/// behind that frame are cut off in a copy, which then takes the place of the file.
STIC_API SticStatus stic_result_repair(const char* path, SticRepair* repair, SticError* error);
/// Events of a result, in the order of time. Arrays live in the arena given to stic_result_events.
typedef struct SticResultEvents {
    bool stored;        ///< the scheme of the run finds events
    int64_t count;      ///< rows of the arrays
    double* time;       ///< s
    uint8_t* kind;      ///< SticEventKind
    int32_t (*body)[2]; ///< rows of the bodies, blocks of a system written by hand; -1: none
    int32_t* points;    ///< contact points that took part
    double* value;      ///< as SticEvent.value
} SticResultEvents;

/// All events up to the last complete step.
STIC_API SticStatus stic_result_events(SticResult* result, SticArena* arena,
                                       SticResultEvents* events, SticError* error);
/// Whether a file looks like a result at first sight; false also if it cannot be read.
STIC_API bool stic_result_is(const char* path);

/* ---- exports ---- */

/// A page of the viewer: what stands before and after the data, and how much of them it may hold.
typedef struct SticPageDef {
    const char *before, *after; ///< text around the data, which are base64
    int64_t most_poses;         ///< frames x bodies; frames are left out beyond
    int64_t most_contacts;      ///< in all frames; contacts of whole frames are left out beyond
    int64_t first_frame;        ///< 0; else frames from this one on, without what never changes
    int64_t end_frame;          ///< 0: to the last; else only frames before this one
} SticPageDef;

/// No text, 3 million poses, 400 000 contacts.
STIC_API SticPageDef stic_page_default_def(void);
/// Write a result as the data of a page; src/output/page.c says how they are stored.
STIC_API SticStatus stic_result_export_page(const SticContext* context, const char* path,
                                            const SticPageDef* def, const char* page_path,
                                            SticError* error);
/// The same for a result that is being written, after a flush.
STIC_API SticStatus stic_output_export_page(SticOutput* output, const SticPageDef* def,
                                            const char* page_path, SticError* error);

#ifdef __cplusplus
}
#endif

#endif

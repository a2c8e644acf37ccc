// SPDX-License-Identifier: Apache-2.0
// Result files: one HDF5 file per run that describes itself; exports for other programs.
//
//     SticOutputDef def = stic_output_default_def();
//     def.path = "arch.h5"; def.world = world; def.run = run;
//     stic_output_create(&context, &def, &output, &error);      the start becomes frame 0
//     while (…) {
//         stic_run_step(run, &info);
//         stic_output_step(output, run, &info, &extra, &error); a row of the table, a frame if due
//     }
//     stic_output_close(output, &error);
//
// docs/reference/result-format.md describes the layout. A run that was killed leaves a file that can
// be read up to its last complete frame; stic_result_repair of stiction/extend/result.h makes it an
// ordinary file again.
#ifndef STICTION_RESULT_H
#define STICTION_RESULT_H

#include "stiction/base.h"
#include "stiction/certify.h"
#include "stiction/run.h"
#include "stiction/step.h"
#include "stiction/vec3.h"
#include "stiction/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- settings ---- */

/// Precision of stored numbers.
typedef enum SticPrecision {
    STIC_PRECISION_DOUBLE, ///< as computed
    STIC_PRECISION_SINGLE, ///< half the size, seven digits
    STIC_PRECISION_COUNT
} SticPrecision;

/// What is stored, how often and how.
typedef struct SticOutputSettings {
    int32_t every;             ///< steps per stored frame
    double interval;           ///< simulated time between frames instead of `every`, s; 0: unused
    int32_t precision;         ///< SticPrecision of motion and joints
    int32_t contact_precision; ///< SticPrecision of contacts and pairs
    bool contacts;             ///< store contacts
    bool pairs;                ///< store resultants of pairs of bodies
    bool joints;               ///< store motion and forces of joints
    bool solver;               ///< store what every step did
    bool least_norm;           ///< contact forces of least norm among those of the same motion
    bool xdmf;                 ///< write NAME.xdmf for ParaView at the end
    int32_t compression;       ///< level of deflate for large data sets; 0: none
    double flush;              ///< seconds of wall clock between flushes; 0: every frame
    int32_t snapshot_every;    ///< steps between snapshots; 0: by the clock only
    double snapshot;           ///< seconds of wall clock between snapshots; 0: only on request
} SticOutputSettings;

/// Names, ranges and defaults of SticOutputSettings.
STIC_API extern const SticFieldTable stic_output_fields;

/* ---- writing ---- */

/// Colour of a body or a material: red, green, blue, opacity; all 0: none.
typedef struct SticColour {
    uint8_t red, green, blue, opacity;
} SticColour;

/// How much is seen of a body in pictures, besides its colour.
typedef struct SticLook {
    uint8_t opacity; ///< from 0, clear, to 255, solid
    bool visible;    ///< false: hidden until the viewer is asked to show all bodies
} SticLook;

/// What goes into a result file. Everything is borrowed; texts may be NULL.
typedef struct SticOutputDef {
    const char* path;              ///< of the file; it ends in .h5 or .hdf5
    const SticWorld* world;        ///< whose system is run; NULL: a system written by hand
    const SticRun* run;            ///< system, scheme and solver; its state is the start
    SticOutputSettings settings;   ///< what is stored
    double until;                  ///< time at which the run is to end, s
    const char* title;             ///< of the scene
    const char* units;             ///< NULL: "SI"
    const char* source;            ///< the scene as written
    const char* definition;        ///< the scene with everything resolved
    const char* parameters;        ///< one name=value per line
    const char* scene_path;        ///< file of the scene
    const SticColour* body_colour; ///< [slots of the world's bodies] by SticBodyId.index; or NULL
    const SticColour* material_colour; ///< by SticMaterialId.index; or NULL
    const SticLook* body_look;         ///< as body_colour; NULL: all are solid and visible
    const char* const* q_label;        ///< [nq] of a system written by hand; NULL: "q0", "q1", …
    const char* const* u_label;        ///< [nu]
    bool replace;                      ///< an existing file of this name; false: one is an error
} SticOutputDef;

/// Default settings, nothing else.
STIC_API SticOutputDef stic_output_default_def(void);

/// What the caller knows about a step besides its SticStepInfo.
typedef struct SticStepExtra {
    double seconds;              ///< wall clock of the step
    int32_t existence;           ///< 0: nobody asked; else 1 + SticVerdict on the one-step problem
    SticCertificate certificate; ///< what decides that verdict
} SticStepExtra;

/// A result file being written.
typedef struct SticOutput SticOutput;

/// Create the file with everything that does not change, and the start as frame 0. It gets its name
/// once all this is stored; until then an old file of that name stays. Only one process at a time
/// can write a file, until it closes the file or ends.
STIC_API SticStatus stic_output_create(const SticContext* context, const SticOutputDef* def,
                                       SticOutput** output, SticError* error);
/// After a step: a row in the table of steps, and a frame if one is due. After a failure the file
/// keeps its complete frames, and all later calls fail. `extra` may be NULL: nothing is known.
STIC_API SticStatus stic_output_step(SticOutput* output, const SticRun* run,
                                     const SticStepInfo* info, const SticStepExtra* extra,
                                     SticError* error);
/// Flush and close; the memory is given back whatever the status. NULL is allowed.
STIC_API SticStatus stic_output_close(SticOutput* output, SticError* error);

/* ---- forces ---- */

/// Contact as it is stored; world axes.
typedef struct SticContactRow {
    uint64_t id;      ///< of the interaction
    int32_t body[2];  ///< rows of the bodies A and B
    int32_t shape[2]; ///< rows of their shapes
    SticVec3 point;   ///< where the reaction acts, m
    SticVec3 normal;  ///< from B to A
    double gap;       ///< m
    SticVec3 impulse; ///< on A, N s
    SticVec3 force;   ///< on A, N
    SticVec3 moment;  ///< rolling and drilling moment on A, N m
    SticVec3 slip;    ///< tangential velocity of A relative to B, m/s
    uint8_t status;   ///< 0 open, 1 stick, 2 slip
} SticContactRow;

/* ---- reading ---- */

/// A result file open for reading.
typedef struct SticResult SticResult;

/// Sizes and facts of a result. Texts live as long as the result; absent ones are empty.
typedef struct SticResultInfo {
    int64_t frames;           ///< complete ones
    int64_t steps;            ///< rows of the table of steps
    int32_t bodies;           ///< rows of /bodies; 0: a system written by hand
    int32_t shapes;           ///< rows of /shapes
    int32_t joints;           ///< rows of /joints
    int32_t nq, nu;           ///< coordinates and velocities of a system written by hand
    double step;              ///< length of a step, s
    double until;             ///< planned end, s
    double begin, end;        ///< times of the first and the last frame
    bool in_use;              ///< a writer has it open, or was killed
    const char* program;      ///< name and version of the writer
    const char* title;        ///< of the scene
    const char* system;       ///< "world" or the name of a model
    const char* scheme;       ///< how time advanced
    const char* solver;       ///< of the one-step problems
    const char* determinism;  ///< strict, library or free
    const char* force_choice; ///< "solver" or "least-norm"
    const char* scene_path;   ///< file of the scene
    const char* source;       ///< the scene as written
    const char* definition;   ///< the scene resolved
    const char* parameters;   ///< name=value lines
    const char* notices;      ///< lines of stic_output_notice_line at the last snapshot
} SticResultInfo;

/// One frame. Arrays live in the arena given to stic_result_read.
typedef struct SticResultFrame {
    double time;             ///< s
    int64_t step;            ///< steps made
    double h;                ///< length over which the impulses acted
    double energy[2];        ///< kinetic, potential, J
    uint64_t hash;           ///< of the state
    double* position;        ///< [bodies][3]
    double* orientation;     ///< [bodies][4]
    double* velocity;        ///< [bodies][3]
    double* spin;            ///< [bodies][3] angular velocity, world axes
    double *q, *u;           ///< [nq], [nu] of a system written by hand
    int32_t contact_count;   ///< rows below
    SticContactRow* contact; ///< NULL if contacts were not stored
} SticResultFrame;

/// What the table of steps says of a range of steps.
typedef struct SticResultSteps {
    int64_t count;                           ///< rows
    int64_t unsolved;                        ///< outcomes other than solved
    int64_t at_floor;                        ///< solved only to what double precision allows
    double worst_error;                      ///< largest of the other steps
    double penetration;                      ///< deepest, m
    double mean_contacts;                    ///< per step
    int64_t iterations;                      ///< of the solver, all together
    double seconds, solving;                 ///< wall clock, and of it in the solver
    int64_t verdict[1 + STIC_VERDICT_COUNT]; ///< steps nobody asked about, then by SticVerdict
    SticLedger ledger;                       ///< sums
} SticResultSteps;

/// Open a result file, even while it is being written.
STIC_API SticStatus stic_result_open(const SticContext* context, const char* path,
                                     SticResult** result, SticError* error);
/// Close a result; NULL is allowed.
STIC_API void stic_result_close(SticResult* result);
/// Sizes and facts. NULL gives NULL.
STIC_API const SticResultInfo* stic_result_info(const SticResult* result);
/// Frame k.
STIC_API SticStatus stic_result_read(SticResult* result, int64_t k, SticArena* arena,
                                     SticResultFrame* frame, SticError* error);
/// Sums over the table of steps.
STIC_API SticStatus stic_result_steps(SticResult* result, SticResultSteps* steps, SticError* error);
/// Name of a body; empty if it has none or there is no such body.
STIC_API const char* stic_result_body(const SticResult* result, int32_t body);

enum { STIC_HISTORY_CURVES = STIC_LEDGER_TERMS };

/// One curve of a history.
typedef struct SticCurve {
    char label[STIC_NAME_SIZE]; ///< name in a legend
    double* value;              ///< [SticHistory.count]
} SticCurve;

/// A quantity over time.
typedef struct SticHistory {
    char title[160];                      ///< what it is
    const char* unit;                     ///< "" if it has none
    bool logarithmic;                     ///< spans decades: an axis by decades suits it
    int64_t count;                        ///< points of each curve
    const double* time;                   ///< [count] s
    int32_t curves;                       ///< at most STIC_HISTORY_CURVES
    SticCurve curve[STIC_HISTORY_CURVES]; ///< [curves]
} SticHistory;

/// History of a word: "ledger" (sums since the start), "residual", "iterations", "contacts" and
/// "penetration" of every step, or a column of stic_result_export_csv of every frame. Arrays live
/// in the arena, `time` may live in the result.
STIC_API SticStatus stic_result_history(SticResult* result, const char* word, SticArena* arena,
                                        SticHistory* history, SticError* error);

/* ---- exports ---- */

/// Write NAME.xdmf, NAME.contacts.xdmf and their data NAME.xdmf.h5 beside NAME.h5: surfaces in
/// world axes with velocities, contacts with forces. Results of systems written by hand have none.
STIC_API SticStatus stic_result_export_xdmf(const SticContext* context, const char* path,
                                            SticError* error);
/// Write histories as CSV, one row per frame, one column per word of `columns`: "time", "energy",
/// "contacts", "BODY.position", "BODY.velocity", "BODY.spin", "BODY.force" (sum of its contact
/// forces), "q0", "u1"; separated by commas.
STIC_API SticStatus stic_result_export_csv(const SticContext* context, const char* path,
                                           const char* columns, const char* csv_path,
                                           SticError* error);

#ifdef __cplusplus
}
#endif

#endif

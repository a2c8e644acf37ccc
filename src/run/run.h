// SPDX-License-Identifier: Apache-2.0
// Internals of a run.
#ifndef STIC_RUN_RUN_H
#define STIC_RUN_RUN_H

#include "run/sleep.h"
#include "stiction/extend/run.h"
#include "world/acting.h"

/// A step is cut into at most 2^20 parts.
enum { STIC_MAX_HALVINGS = 20 };

/// A contact that carried something in a step.
typedef struct SticLoaded {
    uint64_t id;      ///< as in SticInteraction
    int32_t part[2];  ///< what touches there
    int32_t block[2]; ///< what it belongs to
    double size;      ///< of the smaller one, m
    bool bounces;     ///< it has restitution
} SticLoaded;

/// Contacts that carried something, by ascending id.
typedef struct SticLoadedList {
    SticLoaded* item; ///< [count]
    int32_t count;
    size_t capacity;
} SticLoadedList;

/// Look at the state that a run begins with.
SticStatus stic_watch_begin(SticRun* run);
/// Look at the step from state 0 to state 1, before it is accepted: notices of it, and into
/// run->loaded[1] the contacts that carried something.
SticStatus stic_watch_step(SticRun* run, SticStepInfo* info, SticNotice notice[STIC_NOTICE_COUNT]);
/// Notices of bodies that were set to where they overlap others.
SticStatus stic_watch_placed(SticRun* run);
/// What was set by hand was looked at.
void stic_watch_forget(SticRun* run);
/// Accept what was seen.
void stic_watch_accept(SticRun* run, const SticNotice notice[STIC_NOTICE_COUNT]);

/// What the energy alarm compares with, from the kinetic energy and the loads of the start.
SticStatus stic_alarm_begin(SticRun* run, double kinetic);
/// Look at the sums after a step.
void stic_alarm_step(SticRun* run);

/// What a control of a run replaces in its world.
typedef struct SticControlled {
    SticVec3 force, torque; ///< of a body
    SticDrive drive;        ///< of a joint
    double actuator;        ///< of a joint
} SticControlled;

typedef enum SticControlKind {
    STIC_CONTROL_BODY,
    STIC_CONTROL_DRIVE,
    STIC_CONTROL_ACTUATOR
} SticControlKind;

/// A function that gives a load of a body or a joint.
typedef struct SticControl {
    SticControlKind kind;
    SticBodyId body;           ///< null: of a joint
    SticJointId joint;         ///< null: of a body
    SticBodyControl push;      ///< of a body
    SticJointControl velocity; ///< of a joint's drive, or
    SticJointControl force;    ///< of its actuator
    void* self;
    SticControlled aside; ///< what the world had, or between steps what the control gave last
    bool acted;           ///< `aside` is filled
} SticControl;

/// Before a step, put what the controls of a run gave last into its world; after it, put back what
/// the world had. Runs of one world do not see each other's controls.
void stic_run_exchange(SticRun* run, bool into);

/// Set the loads of a time: those of the definition, then the controls; `from` is what these see.
SticStatus stic_run_load_time(SticRun* run, const SticState* from, double begin, double end,
                              SticError* error);

/// The system of a world in the chart that a scheme wants.
SticStatus stic_run_system(const SticWorld* world, const SticScheme* scheme, SticSystem** system,
                           SticError* error);
/// Run of a world at its start; it owns the system, which is destroyed if this fails.
SticStatus stic_run_adopt(const SticContext* context, SticWorld* world, SticSystem* system,
                          const SticRunParts* parts, SticRun** run, SticError* error);

/// Make the step from state 0 to state 1, by the policy of the run; `pending` gets the work of each
/// class of contacts.
SticStatus stic_run_make(SticRun* run, double t_to, SticStepInfo* info);
/// Keep what acted in a part of the step under way, which ends at `to`, before the next one begins.
SticStatus stic_run_keep_part(SticRun* run, const SticState* to);
/// Whether a step was solved.
bool stic_run_solved(const SticStepInfo* info);
/// By how much a step missed what was asked of it: of its laws, or of Newton's iteration.
double stic_run_missed(const SticSolveInfo* solve);
/// Add the work of classes of contacts to a sum.
SticStatus stic_run_add_classes(const SticClasses* from, SticClasses* to);

struct SticRun {
    SticContext context;
    SticWorld* world;      ///< NULL: the system was not made here
    SticSystem* system;    ///< of that world
    void* settings[2];     ///< of scheme and solver, where read from text
    const SticState* part; ///< where the part of a step under way begins
    const SticState* seen; ///< the state that controls see while they are asked
    SticControl* control;  ///< [controls]
    int32_t controls;
    size_t control_capacity;
    bool exchanged;    ///< the world has what the controls gave
    SticArena* report; ///< contacts and joints of the last step; NULL: not asked for yet
    bool acted;        ///< a step was made, and no attempt or restored snapshot came after it
    bool collected;    ///< `contact` and `joint` are those of the last step
    SticContactForce* contact;
    SticJointForce* joint;
    int32_t contacts, joints;
    SticRunParts def;
    SticStepper* stepper;
    SticState* state[3]; ///< present, next, and one more for split steps
    double t_start;
    uint64_t origin; ///< what it was set up from, 0 where nobody said
    SticRunTotals totals;
    bool projects;             ///< positions are projected after every step
    SticCorrection correction; ///< with its defaults filled in
    double t_end;              ///< time at the end of the step under way
    int32_t level;             ///< halvings of the step under way that its bodies ask for
    double loads_until;        ///< loads of the first step up to here are set, NAN: they are not
    bool brief;                ///< what is dear is made in halves instead
    double after;              ///< length of the part after the one under way, 0: the same
    SticClasses pending;       ///< of the step under way
    SticEvents events;         ///< of its parts before the one under way
    SticActed earlier;         ///< what acted in them
    SticClasses classes;       ///< of all steps
    SticStepRecord record;     ///< of the last step
    uint8_t* placed;           ///< [blocks] set by hand since the last step; NULL: never yet
    bool any_placed;           ///< one of them is
    SticSleep sleep;           ///< of runs that let islands sleep
    SticLoadedList loaded[2];  ///< contacts that carried something in the last step; in the one
                               ///< under way
};

#endif

// SPDX-License-Identifier: Apache-2.0
// A run: a world advanced in time, with a policy on unsolved steps, an energy ledger and
// snapshots.
//
//     SticRunDef def = stic_run_default_def();                 scheme, solver, accuracy by name
//     def.step = 1e-3;
//     stic_run_create(&context, world, &def, &run, &error);
//     stic_run_advance(run, 1.0, &error);                      or stic_run_step, one by one
//     stic_run_contacts(run, &contact, &count);                forces in world axes
//     stic_run_destroy(run);
//
// A run can also be assembled from a system, a scheme and a solver, whether they are those of this
// library or not: stic_run_assemble of stiction/extend/run.h.
#ifndef STICTION_RUN_H
#define STICTION_RUN_H

#include "stiction/base.h"
#include "stiction/shape.h"
#include "stiction/step.h"
#include "stiction/vec3.h"
#include "stiction/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What to do when the one-step problem of a step is not solved to its tolerance. Never silent.
typedef enum SticPolicy {
    STIC_POLICY_STOP,     ///< fail the step; the state stays where it was
    STIC_POLICY_RETRY,    ///< once more with the second solver, then stop
    STIC_POLICY_HALVE,    ///< two steps of half the length, up to `max_halvings` times, then stop
    STIC_POLICY_CONTINUE, ///< accept the best reactions found and count the step as unsolved
    STIC_POLICY_ADAPT ///< as HALVE, and if that fails as CONTINUE; where Newton's iteration of an
                      ///< energy-consistent scheme fails in up to 1024 parts too, as STOP
} SticPolicy;

/// How a world is advanced. Names are those that `stiction list` prints; NULL: those of
/// stic_run_default_def.
typedef struct SticRunDef {
    const char* scheme;   ///< how time advances
    const char* solver;   ///< of the one-step problems
    const char* second;   ///< solver of STIC_POLICY_RETRY; NULL: none
    const char* accuracy; ///< preview, standard or strict: what the run promises
    const char* settings; ///< of scheme and solver, such as "scheme.theta=0.6
                          ///< solver.tolerance=1e-8"; NULL: their defaults
    double step;          ///< length of a step, s
    SticPolicy policy;    ///< on unsolved steps
    int32_t max_halvings; ///< of STIC_POLICY_HALVE and ADAPT
    SticContactLaw law;   ///< of contacts in moreau, koziara and theta; others have their own
    bool projection;      ///< joints are closed and overlaps taken back after every step
    double energy_alarm;  ///< part of the energy exchanged that the integration may create or
                          ///< destroy before there is a notice; 0: no limit
    int32_t sleep;        ///< steps at rest after which bodies that touch each other are left alone
                          ///< until something happens to them; 0: never. Not with strict
    double correction;    ///< part of an overlap beyond `allowance` that is taken back after every
                          ///< step, at most 1; 0: none; -1: 0.2 where `projection` is on and the
                          ///< scheme projects, else none
    double allowance;     ///< overlap that this leaves in any case, m
} SticRunDef;

/// Scheme moreau, solver auto, accuracy standard, steps of 1 ms, policy ADAPT with three halvings,
/// the law on gaps, positions projected, alarm at 1 %.
STIC_API SticRunDef stic_run_default_def(void);

/* ---- notices ---- */

/// What users should hear of besides results: name, word in files, unit of the worst value,
/// sentence.
#define STIC_NOTICE_LIST(X)                                                                        \
    X(OVERLAP, "overlap", "m", "bodies overlap at the start")                                      \
    X(LIMIT, "outside-limit", "m or rad", "joints are outside their limits at the start")          \
    X(PLACED, "placed-overlap", "m", "bodies were set to where they overlap others")               \
    X(LOST, "lost-contact", "m",                                                                   \
      "contacts that carried load were missing in the next step although they closed")             \
    X(FAST, "fast-body", "times its size", "bodies moved further than their size within a step")   \
    X(LEFT, "left-scene", "m", "bodies left the surroundings of the scene")                        \
    X(JOINT, "open-joint", "of a body's size",                                                     \
      "joints stayed open by a thousandth of a body or more")                                      \
    X(ENERGY, "energy-alarm", "of what was exchanged",                                             \
      "energy alarm: steps with more energy made or lost by integration than is allowed")          \
    X(MISSED, "missed-steps", "times the tolerance", "steps missed the accuracy of the run")       \
    X(LOOSE, "loose-steps", "times the tolerance", "steps let bodies at rest creep too fast")      \
    X(PROMISE, "broken-promise", "times what rounding and tolerances explain",                     \
      "steps that were solved broke a promise of their scheme")                                    \
    X(UNSETTLED, "unsettled", "of the forces or their work",                                       \
      "steps ended before equilibrium: more iterations or shorter steps may find it, if there "    \
      "is one")                                                                                    \
    X(BRANCHES, "large-problem", "combinations",                                                   \
      "steps with problems too large for all solutions to be found: the solver's was taken")       \
    X(CONTRADICTION, "contradiction", "m/s or rad/s",                                              \
      "prescribed motions, drives, joints and limits contradicted each other")                     \
    X(RUN, "default-run", "s", "the scene has no run{}: step and duration are the defaults")       \
    X(REMAINDER, "remainder", "s away",                                                            \
      "the duration is not a whole number of steps: the run ends at the nearest one")              \
    X(ROUGH, "rough-function", "s, where the first does",                                          \
      "functions of t jump: give them as signal.steps or signal.table")                            \
    X(DENSITY, "default-density", "kg/m3", "bodies have the default density")                      \
    X(FRICTION, "default-friction", "-", "bodies have the default coefficient of friction")        \
    X(LAW, "unused-law", "-",                                                                      \
      "the scheme has a law of its own for contacts: law = \"velocity\" is left out")              \
    X(RENAMED, "renamed", "-", "the name of the result was taken: it has the next free number")    \
    X(CHECKS, "unchecked", "-", "reference values of the scene were not looked at")

/// Kinds of notices.
typedef enum SticNoticeKind {
#define STIC_NOTICE_ENUM(name, word, unit, text) STIC_NOTICE_##name,
    STIC_NOTICE_LIST(STIC_NOTICE_ENUM)
#undef STIC_NOTICE_ENUM
        STIC_NOTICE_COUNT
} SticNoticeKind;

/// A notice, its repetitions counted.
typedef struct SticNotice {
    int64_t count;    ///< how often; 0: never
    double worst;     ///< largest value
    double first;     ///< time of the first, s
    int32_t block[2]; ///< blocks of the worst, as in SticInteraction; -1: none, or it does not move
    int32_t part[2];  ///< what touches there, as in SticInteraction; -1: not known
} SticNotice;

/// Sums over all steps of a run.
typedef struct SticRunTotals {
    int64_t steps;         ///< steps of length `step` made
    int64_t unsolved;      ///< of these, accepted without being solved
    int64_t newton_missed; ///< of the unsolved ones, because Newton's iteration did not end
    int64_t retried;       ///< solved by the second solver
    int64_t halved;        ///< split
    int64_t iterations;    ///< of the solver
    int64_t uncorrected;   ///< steps whose position correction was not solved and moved nothing
    int64_t at_floor;      ///< solved only to what double precision allows
    int64_t loose;         ///< solved, but bodies at rest may creep by more than the level allows
    double worst_ratio;    ///< largest error over tolerance of the steps that were not solved, of
                           ///< laws or of Newton's iteration
    double worst_error;    ///< largest error of the other accepted steps, in the norm that decides
    double penetration;    ///< deepest penetration, m
    double penetration_part; ///< deepest, as a part of the size of the smaller body
    double energy_start;     ///< kinetic and potential energy at the start, J
    double kinetic_start;    ///< kinetic energy at the start, J
    double idle;             ///< energy that the loads of the start give in one step, J
    SticLedger ledger;       ///< sums of all steps
    SticLedger largest; ///< largest amount that each of these sums has had, and the kinetic energy
                        ///< itself instead of its change
    SticNotice notice[STIC_NOTICE_COUNT]; ///< of all steps and of what was said to stic_run_note
    double box[2][3]; ///< surroundings of the start: bodies that leave them are reported; lower
                      ///< above upper: not known
    double violation[STIC_PROMISE_COUNT]; ///< worst ones of all steps, see SticStepInfo
    double held_gap;                      ///< worst one of all steps, see SticStepInfo
    uint64_t broken_promises;             ///< of all steps, see SticStepInfo
} SticRunTotals;

/// A system under way.
typedef struct SticRun SticRun;

/// Set up a run of a world from the start of its bodies; a combination that cannot work is refused
/// with a sentence. The world is borrowed. If bodies, shapes or joints are added or removed while
/// the run lives, its next step fails and says so. `context` and `def` may be NULL: their defaults.
STIC_API SticStatus stic_run_create(const SticContext* context, SticWorld* world,
                                    const SticRunDef* def, SticRun** run, SticError* error);
/// Destroy a run; NULL is allowed.
STIC_API void stic_run_destroy(SticRun* run);
/// Sums over the steps made so far. NULL gives NULL.
STIC_API const SticRunTotals* stic_run_totals(const SticRun* run);
/// One step. On failure the state is bit for bit what it was, info->error says why, and the run can
/// go on. `info` may be NULL.
STIC_API SticStatus stic_run_step(SticRun* run, SticStepInfo* info);
/// Steps until the time is `until`, to the nearest step. A time that is not finite, or has passed,
/// is a BAD_ARGUMENT.
STIC_API SticStatus stic_run_advance(SticRun* run, double until, SticError* error);
/// Events of the last step, valid until the next one.
STIC_API const SticEvent* stic_run_events(const SticRun* run, int32_t* count);
/// Hash of the present state.
STIC_API uint64_t stic_run_hash(const SticRun* run);

/* ---- bodies, contacts and joints of a world ---- */

/// Time of the present state, s.
STIC_API double stic_run_time(const SticRun* run);
/// Kinetic and potential energy of the present state, J; either may be NULL.
STIC_API SticStatus stic_run_energy(const SticRun* run, double* kinetic, double* potential);
/// Where a body's frame is; the identity if the id is not valid. Inside a control function, this is
/// the state in which the controlled step, or part of a step, begins.
STIC_API SticPose stic_run_pose(const SticRun* run, SticBodyId body);
/// How a body moves; zero if the id is not valid.
STIC_API SticTwist stic_run_twist(const SticRun* run, SticBodyId body);
/// Nodes of an elastic body in world axes: writes at most `room` places into `place` and velocities
/// into `velocity`, each of which may be NULL, and returns how many nodes the body has; 0 for bodies
/// of other kinds.
STIC_API int32_t stic_run_nodes(const SticRun* run, SticBodyId body, SticVec3* place,
                                SticVec3* velocity, int32_t room);
/// Mean Cauchy stress of a cell of an elastic body, Pa, or of the whole body for cell -1, also of a
/// pseudo-rigid one; zero for other bodies and cells that it does not have.
STIC_API SticMat3 stic_run_stress(const SticRun* run, SticBodyId body, int32_t cell);
/// What a joint does; all zero if the id is not valid.
STIC_API SticJointView stic_run_joint(const SticRun* run, SticJointId joint);
/// Move a body to another place, between steps; its velocities stay. Angles of its joints lie in
/// (-pi, pi] again, since a pose says nothing of turns, and an overlap with others is a notice of
/// the next step. Fixed and prescribed bodies are refused.
STIC_API SticStatus stic_run_set_pose(SticRun* run, SticBodyId body, SticVec3 position,
                                      SticQuat orientation, SticError* error);
/// Change the velocities of a body that moves by forces, between steps.
STIC_API SticStatus stic_run_set_twist(SticRun* run, SticBodyId body, const SticTwist* twist,
                                       SticError* error);
/// All bodies of the world in the order of their slots: writes at most `room` of them into `state`,
/// which may be NULL if `room` is 0, and returns how many there are; 0 for a system that is not a
/// world.
STIC_API int32_t stic_run_bodies(const SticRun* run, SticBodyState* state, int32_t room);
/// Contacts of the last step, sorted by id and valid until the next one. There are none before the
/// first step, after a step that failed, and after a snapshot was restored.
STIC_API SticStatus stic_run_contacts(SticRun* run, const SticContactForce** contact,
                                      int32_t* count);
/// The same for joints, in the order in which they were made.
STIC_API SticStatus stic_run_joints(SticRun* run, const SticJointForce** joint, int32_t* count);

/* ---- controls ---- */

// A control belongs to its run: it acts in the steps of that run alone, and what it gave is taken
// out of the world again after each of them. Everything else is shared by the runs of a world: what
// stic_world_set_gravity and the functions stic_body_set_... and stic_joint_set_... change holds for
// all of them, except where a control of theirs takes its place. Such runs must not step at the same
// time.

/// Gives force and torque on a body at the time t, in world axes, N and N m. It is called before
/// every step, or part of a step that was split, with the time at its middle, by quasi-static with
/// that of its end. Schemes that integrate inside a step ask at instants of their own; the bodies are then still seen where the step began.
/// A result that depends on anything but t and the state makes runs that cannot be repeated.
typedef void (*SticBodyControl)(void* self, const SticRun* run, double t, SticVec3* force,
                                SticVec3* torque);

/// The same for a number of a joint: velocity of its drive, or force of its actuator.
typedef double (*SticJointControl)(void* self, const SticRun* run, double t);

/// Let a function give force and torque on a body, instead of SticBodyDef.force and torque; NULL
/// ends that, and force and torque are those of the world again. Only runs of stic_run_create and of
/// scenes have controls.
STIC_API SticStatus stic_run_control_body(SticRun* run, SticBodyId body, SticBodyControl control,
                                          void* self, SticError* error);
/// Let a function give the velocity of the drive of a joint that was made with `driven`;
/// NULL ends that, and the drive is the one of SticJointDef or stic_joint_set_drive again. An answer
/// for the middle of a step holds over that step, so that the speed at the end of the step lags half
/// a step behind a function that changes. Scheme event asks at both ends of a step and changes the
/// speed evenly between them; force and power of the drive then include what accelerates the bodies.
/// If the speed is known as a function of time beforehand, SticDrive is the better place: schemes
/// evaluate it, with its rate, wherever they need it.
STIC_API SticStatus stic_run_control_drive(SticRun* run, SticJointId joint,
                                           SticJointControl velocity, void* self, SticError* error);
/// Let a function give the force or torque of the actuator on a joint's coordinate; NULL ends that.
STIC_API SticStatus stic_run_control_force(SticRun* run, SticJointId joint, SticJointControl force,
                                           void* self, SticError* error);

/* ---- snapshots ---- */

/// Write a snapshot to a file. The file is replaced in one go; on failure the old one stays.
STIC_API SticStatus stic_run_save_file(const SticRun* run, const char* path, SticError* error);
/// Restore a snapshot from a file; it must be of a run with the same bodies and joints, scheme and
/// step.
STIC_API SticStatus stic_run_load_file(SticRun* run, const char* path, SticError* error);

#ifdef __cplusplus
}
#endif

#endif

// SPDX-License-Identifier: Apache-2.0
// Parts of the event-driven scheme: what its files share.
#ifndef STIC_STEP_EVENT_H
#define STIC_STEP_EVENT_H

#include "step/branch.h"
#include "step/cvode.h"
#include "step/parts.h"
#include "step/runge_kutta.h"
#include "step/seen.h"

/// The larger of two numbers; the first if they cannot be compared.
static inline double stic_event_more(double a, double b)
{
    return b > a ? b : a;
}

/// Settings of the scheme `event`.
typedef struct SticEventSettings {
    double tolerance; ///< of the motion between events
    double rest;      ///< flights shorter than this count as rest, s
    double gap;       ///< that counts as closed where the system names none, m
    int32_t impact;   ///< SticImpactOrder
    int32_t burst;    ///< events of one call, at other contacts than the last, before `rest` grows
    int32_t integrator; ///< SticEventIntegrator
    int32_t branch;     ///< SticBranchRule
} SticEventSettings;

/// What integrates the smooth parts.
typedef enum SticEventIntegrator { STIC_EVENT_PAIR, STIC_EVENT_CVODE } SticEventIntegrator;

/// In which order impacts at one instant are resolved.
typedef enum SticImpactOrder { STIC_IMPACT_SIMULTANEOUS, STIC_IMPACT_SEQUENTIAL } SticImpactOrder;

/// Whether an interaction takes part.
typedef enum SticPhase { STIC_PHASE_ALWAYS, STIC_PHASE_OPEN, STIC_PHASE_CLOSED } SticPhase;

enum { STIC_EVENT_GROUPS = 2 };

/// Part of the size of a shape within which borders of features are not distinguished: the narrow
/// phase takes 1e-6 of it.
#define STIC_EVENT_BORDER 4e-6

/// Gap of a contact that has none at an instant: the normal of two edges that are parallel.
#define STIC_EVENT_BLIND 1e300

/// Part of the largest impulse of a step by which an impulse may leave its cone: rounding, and the
/// integrator's error between its stages.
#define STIC_EVENT_BEYOND 1e-7
/// Part of a resultant that is rounding when its shares are computed again: up to it modes hold. A
/// larger part, up to what solvers leave on hard problems, says nothing.
#define STIC_EVENT_SHARED 1e-11

/// What an interaction does between two events, by its id.
typedef struct SticEventContact {
    uint64_t id;
    int32_t block[2], part[2];         ///< the two sides: contacts of a pair come and go
    uint8_t phase;                     ///< SticPhase
    uint8_t slides[STIC_EVENT_GROUPS]; ///< 1: the group of friction rows slides, 0: it sticks
    uint8_t guided[STIC_EVENT_GROUPS]; ///< 1: slides so slowly that its direction is held
    uint8_t phantom;                   ///< 1: open whatever its gap is: it is beside its feature
    uint8_t parted;                    ///< 1: opened at an event and has not moved away yet
    uint8_t idle; ///< 1: closed, but its share of the load is with other points of its patch
    double direction[STIC_EVENT_GROUPS][2]; ///< of slip, where it slides
    double tangent[3];                      ///< first tangent that they belong to
    // what it becomes at the event that was found
    uint8_t opens, slips[STIC_EVENT_GROUPS];
    double toward[STIC_EVENT_GROUPS][2]; ///< direction of the slip then
    double speed[STIC_EVENT_GROUPS];     ///< its share in the slips that begin; 0: not known
} SticEventContact;

/// Rows of a law: a normal row, groups of friction rows with their bounds, or all bilateral.
typedef struct SticEventLaw {
    bool normal;                      ///< row 0 is a unilateral normal
    int32_t groups;                   ///< of friction rows
    int32_t first[STIC_EVENT_GROUPS]; ///< their first rows
    int32_t rows[STIC_EVENT_GROUPS];  ///< 1 or 2
    double mu[STIC_EVENT_GROUPS][2];  ///< semi-axes for a bound of 1
    double bound;                     ///< constant bound, N; with `normal`: lambda_N + pull
    double pull;                      ///< that a bond carries, N
    bool interval;                    ///< mu are the two ends instead
} SticEventLaw;

/// Memory that the scheme keeps between steps: room only, nothing that results depend on; modes
/// are in the state's memory.
typedef struct SticEventOwn {
    SticContext context;
    SticEventContact* mode; ///< by id, of the last list
    int32_t modes;
    size_t mode_capacity;
    SticSeen seen;    ///< impulses of the call
    SticMemory force; ///< forces at the last instant, where the next problem starts
    SticCvode* cvode; ///< for `unknowns` unknowns; NULL: not asked for yet
    int32_t unknowns;
    double* left; ///< [unknowns] end of its last step, as the scheme has it
} SticEventOwn;

/// Gaps, rates and slips at the beginning of a step.
typedef struct SticEventStart {
    double *gap, *rate, (*slip)[STIC_EVENT_GROUPS]; ///< [list.set.count]
} SticEventStart;

/// How far something is broken; positive: it is.
typedef struct SticEventJudgement {
    double geometry; ///< gaps and slips
    double force;    ///< even shares of forces
} SticEventJudgement;

/// Velocities that are held against the conditions of active rows.
typedef struct SticEventAsked {
    const double* u;      ///< [nu]
    const double* gamma;  ///< [all.set.rows] the same along the rows of the list
    const double* target; ///< [active.rows] what rows ask for behind an impact; NULL: zero, as
                          ///< smooth motion keeps it
} SticEventAsked;

/// The motion under way in one call.
typedef struct SticEventMotion {
    SticStepper* stepper;
    const SticSystem* system;
    const SticEventSettings* settings;
    SticStepInfo* info;
    SticEventOwn* own;
    double length;    ///< of the call, s
    double rest;      ///< flights shorter than this count as rest, s
    double push;      ///< largest acceleration of the last instant, m/s2 and rad/s2
    double speed;     ///< largest velocity of the call in the metric of the mass
    double decided;   ///< until when contacts that left their features are left alone, s
    bool planned;     ///< the modes behind the event that was found are known
    bool rootless;    ///< their accelerations have no root: one of several solutions
    bool left;        ///< a closed contact was not found at the last state looked at
    int32_t leaving;  ///< interaction whose border is looked for
    double within;    ///< time ahead of a state in which contacts are of interest, s
    double piece[2];  ///< kinks of loads and prescribed motions before and behind; infinite: none
    bool kink;        ///< the instant under way is one of them
    double smooth[2]; ///< times between which loads and prescribed motions are smooth
    SticDirections list;       ///< interactions within reach, features frozen where detected
    SticEventContact* contact; ///< [list.set.count]
    double (*hold)[STIC_EVENT_GROUPS]; ///< [list.set.count] part of the bound along guided slips
    bool unsettled;  ///< friction of guided slips was not found in one of the last accelerations
    uint8_t* curved; ///< [list.set.count] 1: its point moves over its surface
    bool any_curved;
    double* scale;        ///< [list.set.count] size of its free acceleration
    double* rounding;     ///< [list.set.count] velocity that is rounding
    double* fastest;      ///< [nu] largest velocities of the call
    double scale_mean;    ///< mean of them
    double scale_most;    ///< the largest of them
    SticRungeKutta* step; ///< also where the steps of CVODE are kept
    bool multistep;       ///< the step under way is CVODE's
    bool goes_on;         ///< CVODE has a history that ends at left_t in own->left
    double left_t;
    SticEventStart start; ///< of the step
    bool between;         ///< a stage of the step was behind an event
    // what its stages have seen
    int32_t stage;                   ///< the next one
    double stage_at[STIC_RK_STAGES]; ///< their times, as parts of the step
    double* stage_rate;              ///< [STIC_RK_STAGES list.set.count] rates of gaps
    double* stage_load;              ///< [STIC_RK_STAGES nu] accelerations by applied forces alone
    double* stage_reaction;          ///< [STIC_RK_STAGES list.set.rows] even shares of forces
    // works and impulses of the step on trial
    bool works;
    bool uneven;          ///< even shares of forces left a cone at the last state judged
    bool ends_uneven;     ///< the same at the end of the step
    double least;         ///< shortest step, s
    uint64_t struck;      ///< contacts that the last event had impacts at; 0: none
    uint8_t* hit;         ///< [blocks] whether they are its bodies
    bool told;            ///< modes before the next event are known
    bool carried;         ///< modes are those that the last call left, and not yet looked at
    bool broke;           ///< the last event broke a bond: the list is to be detected again
    SticOutcome unsolved; ///< of an impact that was not solved; SOLVED: none
    bool contradiction;   ///< what is asked of the bodies at this instant no velocity gives
    SticLedger trial;
    double *impulse, *work; ///< [list.set.rows]
    double (*given)[6];     ///< [list.set.count] see SticStepRecord
} SticEventMotion;

/// Everything about one instant.
typedef struct SticEventInstant {
    SticDirections all;  ///< the list, measured
    double* gamma;       ///< [all.set.rows] relative velocities
    SticSet active;      ///< rows that carry force
    const int32_t* of;   ///< [active.count] their interaction in `all`
    int32_t (*row)[8];   ///< [active.count] rows of it; 6 + g: across the slip of group g
    SticPattern pattern; ///< of the active rows
    SticBlockCsr Ht, Pt; ///< directions of forces and conditions
    SticMass mass;
    double* f;            ///< [nu] all forces but those of active rows
    double* w;            ///< [active.rows] bias
    double* lambda;       ///< [active.rows]
    double* relative;     ///< [active.rows] accelerations that the inclusion left
    double* acceleration; ///< [nu]
    double* reaction;     ///< [all.set.rows]
} SticEventInstant;

/// Rows and bounds of a law; UNSUPPORTED where the scheme has none for it.
SticStatus stic_event_law(const SticInteraction* interaction, SticEventLaw* law);
/// Whether an interaction opens and closes: contacts, limits and clutches.
bool stic_event_unilateral(const SticInteraction* interaction);
/// Friction force per unit of the bound against a slip along d.
void stic_event_resistance(const SticEventLaw* law, int32_t group, const double d[2],
                           double force[2]);
/// Length of the friction rows of a group.
double stic_event_size(const SticEventLaw* law, int32_t group, const double* rows);
/// An interaction of which only the phase is known.
SticEventContact stic_event_contact(const SticInteraction* interaction, SticPhase phase);
/// Whether two contacts belong to the same pair of shapes.
bool stic_event_same_pair(const SticEventContact* a, const SticEventContact* b);
/// Interaction of a set by id, -1 if it has none.
int32_t stic_event_find(const SticSet* set, uint64_t id);
/// Gap up to which an interaction counts as closed.
double stic_event_gap(const SticEventMotion* m, const SticInteraction* interaction);
/// h . M^-1 h of a row of interaction i; work: [nu] each.
double stic_event_mobility(const SticEventInstant* now, const SticMass* mass, int32_t i,
                           int32_t row, double* work[2], int32_t nu);
/// Velocity of an interaction that counts as none.
double stic_event_velocity(const SticEventMotion* m, int32_t i);

/// A state whose time is taken inside the current piece: at a kink, loads and velocities of
/// prescribed motions are those of its side.
SticState stic_event_inside(const SticEventMotion* m, const SticState* state);
/// Rounding of a time, within which it is that of a kink.
static inline double stic_event_instant(double t)
{
    return 64.0 * 2.220446049250313e-16 * (t < 0.0 ? -t : t);
}
/// Contacts at a state with gaps of up to `gap`; if pairs of wanted contacts ([list.set.count],
/// NULL: the closed ones) have none at all, with gaps of up to the accuracy of borders.
SticStatus stic_event_find_here(SticEventMotion* m, const SticState* state, double gap,
                                const uint8_t* wanted, SticSet* here);
/// Interactions at a state that could close within h; 0: that touch.
SticStatus stic_event_find_list(SticEventMotion* m, const SticState* state, double h,
                                SticDirections* list);
/// Detect the list at a state and hand over by id what is known; `changed`: a closed interaction is
/// gone or new.
SticStatus stic_event_detect(SticEventMotion* m, const SticState* state, double h, bool* changed);
/// Modes that the last call left in the memory of the state; `event`: there are none, or it ended
/// at an event that is to be handled.
SticStatus stic_event_take_modes(SticEventMotion* m, const SticMemory* memory, bool* event);
/// Leave them for the next call; `pending`: the call ends at an event that is not handled yet.
SticStatus stic_event_leave_modes(const SticEventMotion* m, bool pending, SticMemory* memory);
/// Bodies of modes that were carried over; `changed`: the list no longer has all of them.
SticStatus stic_event_complete_modes(SticEventMotion* m, const SticState* state, bool* changed);
/// Whether the modes of the list fit the velocities of an instant.
bool stic_event_modes_fit(SticEventMotion* m, const SticEventInstant* now);
/// Keep what is known by id at a state.
SticStatus stic_event_keep(SticEventMotion* m, const SticState* state);
/// Turn the known directions of interaction i from the tangents that they were left with to those
/// of a set.
void stic_event_turn_mode(const SticSet* set, int32_t i, SticEventContact* contact);
/// Remaining bonds, where they are now: into the state's memory and the scheme's own.
SticStatus stic_event_keep_bonds(SticEventMotion* m, SticState* state);
/// Measure the list at a state.
SticStatus stic_event_look(SticEventMotion* m, const SticState* state, SticEventInstant* now);
/// Active rows of the present modes with their directions, mass and forces; `candidates`: with
/// idle interactions too.
SticStatus stic_event_activate(SticEventMotion* m, const SticState* state, bool candidates,
                               SticEventInstant* now);
/// Row r of active interaction k of values by the rows of the list.
double stic_event_row(const SticEventMotion* m, const SticEventInstant* now, int32_t k, int32_t r,
                      const double* values);
/// Velocities along all active rows made exactly zero, in the metric of the mass.
SticStatus stic_event_still(SticEventMotion* m, SticState* state, bool candidates,
                            SticEventInstant* now);
/// Accelerations with the active rows as equations.
SticStatus stic_event_accelerate(SticEventMotion* m, const SticState* state, SticEventInstant* now);
/// Friction across a guided slip of group g of interaction i as a part of its bound, between 0 and
/// 1; more than 1: no friction holds its direction.
double stic_event_across(const SticEventMotion* m, const SticEventInstant* now, int32_t i,
                         int32_t g);
/// Slope of (q, u) for the integrator.
SticStatus stic_event_slope(void* self, double t, const double* y, double weight, double* slope);

/// What is violated at an instant whose forces are known.
SticStatus stic_event_judge(SticEventMotion* m, const SticEventInstant* now,
                            SticEventJudgement* judgement);
/// How far even shares of forces leave their cones, as a part of the largest; positive: they do.
double stic_event_judge_forces(const SticEventMotion* m, const SticEventInstant* now);
/// Largest of the forces of a set.
double stic_event_force_size(const SticSet* set, const double* reaction);
/// Whether a closed interaction has a bound in its present mode: that of its normal force (part 0),
/// or of a group of friction rows that sticks (1 + group).
bool stic_event_bound(const SticEventMotion* m, int32_t i, const SticEventLaw* law, int32_t part);
/// How far forces r of an interaction are beyond that bound, as a part of `size` or of a bound of
/// its own.
double stic_event_excess(const SticEventLaw* law, int32_t part, const double* r, double size);
/// What is asked of a state while an event is looked for: positive behind it.
typedef SticStatus SticEventAsk(SticEventMotion* m, const SticState* state, double* value);
/// How far a state is behind an event; negative: none yet.
SticEventAsk stic_event_behind;
/// How far the gap of m->leaving is behind its closing.
SticEventAsk stic_event_gap_behind;
/// value[0]: forces leave their cones; value[1]: contacts without a share of the load move; `part`
/// (NULL: not asked): what forces that leave their cones are short of when they are shared anew.
SticStatus stic_event_force_behind(SticEventMotion* m, const SticState* state, double value[2],
                                   double* part);
/// Prepare states inside the last step.
SticStatus stic_event_prepare_dense(SticEventMotion* m);
/// The state after the part theta of it; y: [nq + nu].
SticStatus stic_event_dense(SticEventMotion* m, double theta, double* y, SticState* state);
/// Where the answer becomes positive between theta[0] and theta[1]; value[1] > 0.
SticStatus stic_event_locate(SticEventMotion* m, SticEventAsk* ask, double theta[2],
                             double value[2]);
/// Gaps that shrank and grew before theta[1]: if one was closed, theta[1] is where, value[1] > 0.
SticStatus stic_event_look_at_turns(SticEventMotion* m, double theta[2], double value[2]);
/// What was violated between the ends of the last step, though its end is not: then value[1] > 0.
SticStatus stic_event_look_between(SticEventMotion* m, const SticState* end, double theta[2],
                                   double value[2]);
/// Whether the force of a closed interaction pulls by more than its bond carries.
bool stic_event_pulls(const SticEventMotion* m, const SticEventInstant* now, int32_t i);
/// The laws on acceleration level: forces and relative accelerations of the active rows; `solved`.
/// `tell`: several solutions are events.
SticStatus stic_event_include(SticEventMotion* m, const SticState* state, bool tell,
                              SticEventInstant* now, bool* solved);
/// Keep the forces of the inclusion as the start of the next one.
SticStatus stic_event_remember(SticEventMotion* m, const SticEventInstant* now);
/// Relative acceleration below which the solver's answer alone changes no mode.
double stic_event_no_acceleration(const SticEventMotion* m);
/// New modes from the accelerations that an inclusion left; `changed`: there are some.
SticStatus stic_event_change(SticEventMotion* m, const SticState* state,
                             const SticEventInstant* now, bool* changed);
/// Change the modes of closed contacts as planned; whether there was anything to change.
bool stic_event_follow_plan(SticEventMotion* m, const SticEventContact* plan);
/// How fast contacts with planned changes move away with their new modes; positive: behind the
/// event.
SticStatus stic_event_plan_rate(SticEventMotion* m, const SticState* state, double* value);
/// Turn planned slips to the directions that they have at a state.
SticStatus stic_event_turn_plan(SticEventMotion* m, const SticState* state);
/// Take planned modes where they are possible.
SticStatus stic_event_take_plan(SticEventMotion* m, const SticState* state,
                                const SticEventContact* plan, bool* taken);
/// Whether planned modes would be taken at a state.
SticStatus stic_event_plan_fits(SticEventMotion* m, const SticState* state, bool* fits);
/// Whether the inclusion keeps all present modes; if not, contacts know what they become.
SticStatus stic_event_holds(SticEventMotion* m, const SticState* state, bool* holds);
/// Where the even shares of redundant points pull at one of them and that changes the motion: let
/// points be idle as the inclusion says.
SticStatus stic_event_share(SticEventMotion* m, const SticState* state);
/// How far impulses r leave the bound of friction group g, N s; h: time in which they were given,
/// 1 for forces.
double stic_event_beyond(const SticEventLaw* law, int32_t g, const double* r, double h);
/// Where even shares of the impulses of a step of length h leave their cones: others with the same
/// resultant.
SticStatus stic_event_share_impulses(SticEventMotion* m, const SticState* state, double h);
/// What is missing from the forces of an instant when they are shared anew inside the cones, as a
/// part of their resultant; INFINITY if bonds must be examined one by one.
SticStatus stic_event_short_of_shares(SticEventMotion* m, const SticState* state,
                                      const SticEventInstant* now, double* part);
/// Report impulses r [all.set.rows] of an instant, and what impulses `given` changed momenta by;
/// both are the same where laws hold for them, else contacts of a pair share what they gave.
SticStatus stic_event_report(SticEventMotion* m, const SticState* state,
                             const SticEventInstant* now, const double* r, const double* given);
/// How far a reported impulse of a contact leaves its law, as a part of the largest.
double stic_event_reported_excess(const SticSeen* seen, double h);
/// Impacts and modes at a state; `solved` is false where no forces were found.
SticStatus stic_event_restart(SticEventMotion* m, SticState* state, bool* solved);
/// Impacts of closed interactions that approach.
SticStatus stic_event_impact(SticEventMotion* m, SticEventInstant* now, const uint8_t* closed,
                             SticState* state);
/// The active row whose condition is left most, as its interaction, and by how much; -1: none is.
SticStatus stic_event_unmet(const SticEventMotion* m, const SticEventInstant* now,
                            const SticEventAsked* asked, int32_t* worst, double* by);
/// The same, noted as a contradiction.
SticStatus stic_event_check(SticEventMotion* m, const SticEventInstant* now,
                            const SticEventAsked* asked);
/// Add an event of interaction i of the list to those of the step.
SticStatus stic_event_tell(SticEventMotion* m, double t, SticEventKind kind, int32_t i,
                           double value);
/// Events that the frozen list does not know: an overlap, or closed contacts that left their
/// features so that the motion is no longer that of the bodies. Positive: there is one.
SticStatus stic_event_afresh(SticEventMotion* m, const SticState* state, double* value);
/// Closed contacts of the pair of interaction i are all gone from a detection at the state:
/// positive; another pair or none: negative.
SticStatus stic_event_left(SticEventMotion* m, const SticState* state, int32_t i, double* value);
/// Time in which closed contacts move by the accuracy of their borders.
SticStatus stic_event_border_time(SticEventMotion* m, const SticState* state, double* dt);
/// Which of the contacts marked in closed [list.set.count] that were open before do not exist: no
/// contact of their pair is found where the bodies are now. They are cleared, and marked in
/// phantom.
SticStatus stic_event_confirm(SticEventMotion* m, const SticState* state,
                              const SticEventInstant* now, uint8_t* closed, uint8_t* phantom);
/// Shorten a step over which other features could become the near ones.
SticStatus stic_event_shorten(SticEventMotion* m, const SticState* state, double* h);
/// Take back the drift of closed gaps and joints.
SticStatus stic_event_project(SticEventMotion* m, SticState* state);

/// One smooth step of at most h; `event`: it ends at one.
SticStatus stic_event_advance_smooth(SticEventMotion* m, double* h, SticState* state, bool* event);

#endif

// SPDX-License-Identifier: Apache-2.0
// The energy-consistent schemes of Möller: one algorithm, parametrised by its stages.
//
//   impact   at q_B, coordinates frozen:  M (uC - uB) = H Lambda + B' Lambda_S,
//            H'(uC + eps uB) obeys the laws, gamma_S(uC) = 0
//   motion   unknowns v, lambda, kappa;  w = (v + uC)/2,  q_E = q_B + h F(q*) w
//     (1)    M (v - uC) - h gyro(w) + h F*'DV(q_B,q_E) - h f(w)
//              - F*'Dg_S' lambda + (B - h/2 Dgamma_S F*)' kappa - H r = 0
//     (2)    uE = v + M^-1 B' kappa
//     (3)    g_S(q_E) = 0        (4)  gamma_S(uE, q_E) = 0        (5)  H' w obeys the laws
//
//   settling at q_E, coordinates frozen: contacts that carried obey their laws for the velocity of
//            the end (consistent_settle.c)
//
// v is the velocity that the mean w would end with; kappa = 0 makes it the velocity uE at the end.
#ifndef STIC_STEP_CONSISTENT_H
#define STIC_STEP_CONSISTENT_H

#include "step/bordered.h"
#include "step/discrete.h"
#include "step/kinematics.h"
#include "step/momentum.h"
#include "step/parts.h"

/// How impacts and motion are put together.
typedef enum SticStages {
    STIC_STAGES_TWO,  ///< impact, then motion (D2, E2)
    STIC_STAGES_ONE,  ///< one problem, dissipation by delta = (1 - eps)/(1 + eps) (D1, E1)
    STIC_STAGES_MIXED ///< one problem, laws on the velocity at the end (Möller 5.9); two stages in
                      ///< steps in which that would give energy
} SticStages;

/// Where directions of friction, drives and other laws of velocities are taken.
typedef enum SticFrictionPlace {
    STIC_FRICTION_MIDDLE, ///< in the middle of the step: second order
    STIC_FRICTION_BEGIN   ///< at its beginning, as in the thesis: first order where they turn
} SticFrictionPlace;

/// Behaviour of the directions of the laws while Newton iterates.
typedef enum SticFollow {
    STIC_DIRECTIONS_FOLLOW, ///< they are those of the middle of the iterate
    STIC_DIRECTIONS_STAY,   ///< they stay as they are
    STIC_DIRECTIONS_BEGIN   ///< they are those of the beginning
} SticFollow;

typedef struct SticConsistentSettings {
    int32_t stages;        ///< SticStages
    int32_t levels;        ///< constraints hold for 0: positions and velocities, 1: positions (B1)
    int32_t friction;      ///< SticFrictionPlace
    bool begin_directions; ///< all directions at the beginning, those of gaps too
    bool linearised;       ///< smooth forces by their linearisation: the step is one inclusion
    bool settle;           ///< two stages: laws hold at the end too for contacts that carried
    int32_t max_newton;    ///< iterations of the motion stage that may pass without progress
    double newton_tolerance; ///< relative change of the velocities that ends them
    double activation;       ///< contacts with a gap at most this take part, and keep it, m
    bool midpoint;           ///< scalable blocks: structure matrices at mid-step
} SticConsistentSettings;

/// Rows of one bilateral interaction, or of |A|^2 = 1 of a scalable block. Matrices are [rows x
/// coordinates] or [rows x velocities] of a block.
typedef struct SticTieRows {
    int32_t block[2];
    int32_t rows, at;                          ///< `at`: first of all rows
    int32_t levels;                            ///< unknowns per row: 2, or 1 for positions alone
    double *Dg[2], *Dgamma[2], *GE[2], *CE[2]; ///< by coordinates: discrete, at the end
    double *B[2], *HE[2];                      ///< by velocities: at the beginning, at the end
} SticTieRows;

/// One step under way.
typedef struct SticMotion {
    SticStepper* stepper;
    const SticSystem* system;
    const SticConsistentSettings* settings;
    SticStages stages; ///< of this step
    bool gives;        ///< STIC_STAGES_MIXED: the laws of the motion give energy
    const SticState* from;
    SticMass mass;
    double h;
    bool moving; ///< interactions depend on time
    /// what takes part; all of it, the laws, and the bilateral conditions
    SticDirections all, laws, joints;
    const double *begin_H, *begin_chi, *begin_gap; ///< of the laws
    SticFollow directions;                         ///< of the laws beside gaps
    bool gaps_stay;                                ///< and gaps keep their rows as well
    int32_t setbacks;                              ///< iterations that came no nearer
    double nearest;                                ///< smallest change of the iterate so far
    double* delta; ///< [law rows] square roots of (1 - eps)/(1 + eps) of one-stage schemes
    double *weight, *u_impact; ///< [nq] of discrete derivatives; [nu] uC
    double place;              ///< of discrete derivatives
    double shaken; ///< rounding of coordinates in a step, as a velocity in the norm of masses
    // ties
    int32_t ties, rows; ///< and their rows
    SticTieRows* tie;
    double *g, *gamma, *tie_chi; ///< [rows] at the end; what time alone does to g
    double *g_begin, *chi_begin; ///< [rows] at the beginning
    // the iterate
    int32_t unknowns;      ///< nu, and those of the ties
    double* x;             ///< v, then lambda and kappa by ties
    SticState end, middle; ///< end.u is uE, middle.u is w
    double *residual, *force, *scratch;
    double* pull; ///< [nu] forces at the beginning, of potentials too
    SticDiscretePotential potential;
    double* chi; ///< [law rows] of the mean motion
    SticProblem problem;
    SticBordered* bordered;
    double *diagonal, *inverse; ///< blocks of J on the pattern of M
    SticBlockCsr J, J_inverse;
    SticMass tangent; ///< where nothing couples bodies
    bool coupled;
    bool bent;                  ///< the tangent has what ties under load add to it
    double change, last_change; ///< of the velocities in the last two iterations, relative
    SticBordered* held;         ///< one-stage schemes: masses with the ties of the beginning
    double* r;                  ///< [law rows] impulses of the motion
    double struck;              ///< work of the impact stage, J
    double gain;                ///< what laws of that stage gave beyond what they may, J
    double idle;                ///< energy that forces give in a step to what rests, J
    double least;               ///< velocity that Newton's tolerance leaves open, m/s
    double noise;        ///< velocity of contacts that is a matter of the solver's tolerance, m/s
    SticOutside outside; ///< momentum that came from what does not move, in instants, N s
    /// [laws], [joints] what each has given, see SticStepRecord; stages have directions of their own
    double (*law_given)[6], (*tie_given)[6];
    double* tie_struck; ///< [rows] impulses of ties in instants
} SticMotion;

/// The largest amount of values.
double stic_motion_largest(int32_t count, const double* values);
/// The block i of a step.
SticKinematics stic_motion_block(const SticMotion* m, int32_t i);
/// Its ends, for discrete derivatives.
SticEnds stic_motion_ends(const SticMotion* m);

/// Ties of a step: room, and rows of the beginning.
SticStatus stic_ties_prepare(SticMotion* m);
/// Measure them at the iterate: g, gamma and all matrices.
SticStatus stic_ties_measure(SticMotion* m);
/// Rows of the residual: momentum [nu] gets forces of lambda and kappa, `conditions` g
/// and gamma of their levels.
void stic_ties_residual(const SticMotion* m, double* momentum, double* conditions);
/// gamma [rows] of velocities u at the beginning or the end.
void stic_ties_rates(const SticMotion* m, const double* u, bool end, double* gamma);
/// M^-1 B' kappa added to uE.
void stic_ties_add_velocity(const SticMotion* m, double* u);
/// Their part of the tangent, in the arena.
SticStatus stic_ties_tangent(const SticMotion* m, SticTie** tie);
/// As ties of an instant: gamma_S = 0 by impulses along `matrix` (B at the beginning, HE at the
/// end).
SticStatus stic_ties_instant(const SticMotion* m, bool end, SticTie** tie);

/// Add what the joints give in the motion.
void stic_ties_push(const SticMotion* m, double (*given)[6]);
/// The same in an instant, by impulses r [rows] along HE (`end`) or B.
void stic_ties_push_instant(const SticMotion* m, bool end, const double* r, double (*given)[6]);

/// lambda and kappa [rows] of all ties, row by row; kappa is 0 where velocities are not held.
void stic_ties_multipliers(const SticMotion* m, double* lambda, double* kappa);

/// Hessian of lambda'g_S of one tie by the coordinates of its blocks, one after the other.
typedef struct SticBend {
    int32_t size, first[2]; ///< coordinates; the first of a side
    double* K;              ///< [size x size]
} SticBend;
/// h omega of the fastest body that is pulled back by its ties, and by its contacts.
SticStatus stic_motion_swing(const SticMotion* m, bool contacts, double* swing);
/// Decide whether the tangent is bent from now on.
SticStatus stic_motion_is_bent(SticMotion* m);
/// Hessians of all ties at the iterate, in the arena.
SticStatus stic_ties_bend(SticMotion* m, SticBend** made);
/// Add the turning of F* under the forces of ties and potentials to the diagonal of the tangent.
SticStatus stic_motion_turn(SticMotion* m);

/// Whether a contact of the laws has a gap at the beginning that it may close in the motion, and no
/// more than that: one that carried before and was opened by the solver's tolerance.
bool stic_motion_is_open(const SticMotion* m, int32_t i);
/// Whether a law has no impacts: drives, the friction of joints, and bonds.
bool stic_motion_is_steady(const SticInteraction* interaction);

/// The coefficient of restitution that all contacts have, 0 where they differ.
double stic_motion_restitution(const SticMotion* m);

/// A linear stage in an instant: M (u - u_before) = H r + ties, laws on H'u + chi + shifts.
typedef struct SticInstant {
    SticDirections* laws;
    SticProblem* problem;   ///< laws with their shifts, without matrices
    const double* u_before; ///< [nu]
    bool end;               ///< ties at the end instead of the beginning
    double kept;            ///< of the velocities of joints that are held for positions alone: part
                            ///< that they have after it
    const SticMemory* start; ///< for the start value of r; NULL: r holds it
    const int32_t* law_of;   ///< [count] which of the laws of the step each one is; NULL: the same
    double* tie_r;           ///< out: [tie rows] impulses of the ties, in the arena
} SticInstant;
/// Masses with the ties of the beginning or the end, factorised in the arena.
SticStatus stic_motion_hold(SticMotion* m, bool end, SticBordered** held);
SticStatus stic_motion_instant(SticMotion* m, SticInstant* instant, double* r, double* u,
                               SticStepInfo* info);
/// Works of a stage in an instant, of laws and ties, and what came from outside; `u` [nu] are the
/// velocities after it.
SticStatus stic_motion_account(SticMotion* m, const SticInstant* instant, const double* r,
                               const double* u, SticStepInfo* info);

/// A stage that gives energy by its laws alone, because they were solved loosely, is solved again
/// as far as rounding allows. This is the largest part that it may give: for impacts, of the
/// kinetic energy and of what forces add to it in a step; for the motion, of |V| as well, since a
/// resting body creeps by as much as the level of accuracy lets it.
#define STIC_GAIN_PART 1e-14
/// Work of laws along velocities that are all their own [rows]: not positive, and zero where none
/// of them dissipates.
double stic_motion_gain(const SticSet* set, const double* r, const double* velocity);
/// The tolerance asked of the solver.
typedef struct SticAsked {
    SticAccuracy accuracy;
    double tolerance;
} SticAsked;
/// Ask for a part of the error that laws were solved to, as far as rounding allows; returns what
/// was asked before. Errors of works are proportional to those of laws, and asking for more than is
/// needed would keep a solver busy where rounding is near.
SticAsked stic_motion_ask_more(SticMotion* m, const SticSolveInfo* info, double part);
/// Ask for what was asked before.
void stic_motion_ask(SticMotion* m, SticAsked asked);

/// Say what the next problem of laws is about, for levels of accuracy (stic_parts_tell).
void stic_motion_tell(SticMotion* m, const SticSet* set, const double* before);

/// The impact stage (Möller 5.106, 5.157): u_impact; its impulses are added to `total` [law rows].
SticStatus stic_motion_impact(SticMotion* m, double* total, SticStepInfo* info);
/// Joints that the velocities of the start do not obey, in schemes without an impact stage: they
/// lock in an instant, as by a plastic impact, which takes energy.
SticStatus stic_motion_seize(SticMotion* m, SticStepInfo* info);
/// Where Newton starts: x.
SticStatus stic_motion_start(SticMotion* m);
/// The motion stage: solves for x and r. `info` says how.
SticStatus stic_motion_solve(SticMotion* m, SticStepInfo* info);
/// The settling stage: changes end.u where it dissipates; its impulses are added to `total` [law
/// rows].
SticStatus stic_motion_settle(SticMotion* m, double* total, SticStepInfo* info);

/// The end of a step: state, works, record and memory. `total` [law rows] are the impulses of all
/// stages.
SticStatus stic_motion_close(SticMotion* m, const double* total, SticState* to, SticStepInfo* info);
/// By how much a solved step misses its promises, see SticStepInfo; in checked builds, a gap that
/// sinks although the equations hold is a fault of the program.
SticStatus stic_motion_judge(SticMotion* m, SticStepInfo* info);

#endif

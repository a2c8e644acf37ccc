// SPDX-License-Identifier: Apache-2.0
// Does a one-step problem have a solution, and how many: verdicts with evidence that is checked by
// substitution.
//
// Condition A (Acary and Cadoux 2013): some velocity v gives u = P' v + w with mu |u_T| <= u_N in
// every contact and u = 0 in every joint. It suffices for a solution. Condition A': u_N >= 0 only.
// It is necessary. The margin s of a velocity is the smallest u_N - mu |u_T| of all contacts.
#ifndef STICTION_CERTIFY_H
#define STICTION_CERTIFY_H

#include "stiction/base.h"
#include "stiction/problem.h"
#include "stiction/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- verdicts ---- */

/// What is known about the existence of a solution.
typedef enum SticVerdict {
    STIC_VERDICT_EXISTS_ROBUST,     ///< A holds with a margin: small changes of the data keep it
    STIC_VERDICT_EXISTS_BORDERLINE, ///< A holds with a margin that is 0 up to rounding
    STIC_VERDICT_UNKNOWN,           ///< A fails or does not apply, and A' was not refuted
    STIC_VERDICT_NONE,              ///< A' is refuted, or every branch of an enumeration is
    STIC_VERDICT_COUNT
} SticVerdict;

/// Token of a verdict, such as "exists-robust".
STIC_API const char* stic_verdict_name(SticVerdict verdict);

/// What decides a verdict.
typedef enum SticCertificate {
    STIC_CERTIFICATE_NOTHING,     ///< it is unknown
    STIC_CERTIFICATE_WITNESS,     ///< a velocity for A
    STIC_CERTIFICATE_SUFFICIENT,  ///< multipliers that refute A: the verdict stays unknown
    STIC_CERTIFICATE_NECESSARY,   ///< multipliers that refute A'
    STIC_CERTIFICATE_ENUMERATION, ///< every combination of contact states is refuted
    STIC_CERTIFICATE_COUNT
} SticCertificate;

/// Which condition a witness or a certificate is about.
typedef enum SticCondition {
    STIC_CONDITION_SUFFICIENT, ///< A
    STIC_CONDITION_NECESSARY   ///< A'
} SticCondition;

/* ---- existence ---- */

/// How hard to look for a proof of existence.
typedef struct SticExistenceSettings {
    double tolerance;        ///< margins within this times max|w| count as 0
    double reach;            ///< certificates hold for velocities up to this times max|w|
    double asymmetry;        ///< asymmetry of W up to which the verdict is about its symmetric part
    int32_t kinematic_steps; ///< conjugate gradient steps for a motion with u = 0
    int32_t search_steps;    ///< steps of the search for a witness
    int32_t program_steps;   ///< steps of the interior point
    int32_t program_most;    ///< largest number of contacts for which it is used
    int32_t dense_most; ///< largest number of rows of a local form whose singular W is factorised
                        ///< densely
    int32_t branches;   ///< where the verdict is unknown, all combinations of contact states are
                        ///< tried if there are at most this many; 0: never
    bool margin;        ///< compute the largest margin, not only a verdict
} SticExistenceSettings;

/// Names, ranges and defaults of SticExistenceSettings.
STIC_API extern const SticFieldTable stic_existence_fields;

/// Where a witness or a certificate comes from.
typedef enum SticEvidence {
    STIC_EVIDENCE_NONE,      ///< there is none
    STIC_EVIDENCE_REST,      ///< v = 0
    STIC_EVIDENCE_KINEMATIC, ///< a motion with u = 0 in the least-squares sense
    STIC_EVIDENCE_SEARCH,    ///< first-order search
    STIC_EVIDENCE_PROGRAM,   ///< linear or second-order cone program
    STIC_EVIDENCE_COUNT
} SticEvidence;

/// Answer to the question of existence. Arrays are in the arena of the call.
typedef struct SticExistence {
    SticVerdict verdict;        ///< decided by the verifier
    SticCertificate decided_by; ///< kind of its evidence
    bool applies;               ///< the theorem covers the problem: laws, symmetric W
    bool symmetrised;           ///< the verdict is about the symmetric part of W, see the settings
    double size;                ///< max|w|, 1 if that is 0: the unit of the tolerance, m/s
    double margin;              ///< verified margin of `witness` for A, m/s; -infinite: none
    double margin_most;         ///< verified upper bound of the margin of A, m/s
    double necessary_most;      ///< the same of A'; negative with verdict NONE
    SticEvidence found_by;      ///< source of the witness
    const double* witness;      ///< [dof] or [rows] as in stic_witness_verify; NULL: none
    SticEvidence refuted_by;    ///< source of the certificate
    SticCondition condition;    ///< what the certificate refutes
    const double* certificate;  ///< [rows] multipliers; NULL: none
    int32_t steps;              ///< of the interior point, all programs together
    double seconds;             ///< wall clock
    size_t bytes;               ///< memory held by the arena at the end
} SticExistence;

/// Decide whether a problem has a solution. Results are in `arena`, which also serves as scratch.
/// `settings` may be NULL: their defaults.
STIC_API SticStatus stic_existence_decide(const SticProblem* problem,
                                          const SticExistenceSettings* settings, SticArena* arena,
                                          SticExistence* result, SticError* error);

/* ---- all solutions of small problems ---- */

/// What a contact does in a solution.
typedef enum SticBranchState {
    STIC_STATE_OPEN,   ///< r = 0, u_N >= 0
    STIC_STATE_CLOSED, ///< u_N = 0, r_N >= 0: contact without friction
    STIC_STATE_STICK,  ///< u = 0, r in the friction cone
    STIC_STATE_SLIDE,  ///< u_N = 0, r_T opposite u_T on the cone; in the plane with u_T > 0
    STIC_STATE_BACK,   ///< the same in the plane with u_T < 0
    STIC_STATE_JOINT,  ///< u = 0, r free
    STIC_STATE_COUNT
} SticBranchState;

/// Limits of an enumeration.
typedef struct SticEnumerateSettings {
    double tolerance;      ///< what counts as equal, relative to the terms that are summed
    double reach;          ///< refutations hold for reactions up to this times their own size
    int32_t most_branches; ///< combinations of states; a larger problem is refused
    int32_t directions;    ///< samples per turn where two contacts slide in space
} SticEnumerateSettings;

/// Names, ranges and defaults of SticEnumerateSettings.
STIC_API extern const SticFieldTable stic_enumerate_fields;

/// One motion that solves the problem, with one of its reactions.
typedef struct SticSolution {
    const double* r;          ///< [rows] reactions, inside their set where there are several
    const double* u;          ///< [rows] relative velocities
    const uint8_t* state;     ///< [count] SticBranchState
    int32_t force_dimension;  ///< of the set of reactions with this motion; 0: unique
    int32_t motion_dimension; ///< 0: isolated; else one of a continuum of motions
    double error;             ///< unit-free residual, recomputed
} SticSolution;

/// All solutions. Arrays are in the arena of the call.
typedef struct SticEnumeration {
    int32_t motions;              ///< solutions with different motion
    const SticSolution* solution; ///< [motions] in the order of the branches that gave them
    int64_t branches;             ///< combinations of states
    int64_t refuted;              ///< of these, by a verified inequality
    int64_t undecided;            ///< of these, neither solved nor refuted for certain
    bool complete;                ///< no branch was undecided: there are no other solutions
    SticVerdict verdict; ///< NONE: every branch is refuted; EXISTS_… never comes from here
    double seconds;      ///< wall clock
} SticEnumeration;

/// Find all solutions of a small problem with joints, unilateral contacts and Coulomb friction,
/// each verified by its residual. UNSUPPORTED for other laws or too many combinations. `settings`
/// may be NULL: their defaults.
STIC_API SticStatus stic_solutions_enumerate(const SticProblem* problem,
                                             const SticEnumerateSettings* settings,
                                             SticArena* arena, SticEnumeration* result,
                                             SticError* error);

#ifdef __cplusplus
}
#endif

#endif

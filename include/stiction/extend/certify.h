// SPDX-License-Identifier: Apache-2.0
// Evidence of verdicts: where it comes from and how it is verified.
#ifndef STICTION_EXTEND_CERTIFY_H
#define STICTION_EXTEND_CERTIFY_H

#include "stiction/base.h"
#include "stiction/certify.h"
#include "stiction/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Token of a certificate, such as "multipliers-necessary".
STIC_API const char* stic_certificate_name(SticCertificate certificate);
/// Name of a state, such as "stick".
STIC_API const char* stic_branch_state_name(SticBranchState state);
/// Apply a verdict to a solve of the same problem: a solve that failed gets the outcome
/// STIC_OUTCOME_NO_SOLUTION if it is proved that there is no solution; otherwise its outcome stays.
STIC_API void stic_existence_conclude(const SticExistence* existence, SticSolveInfo* info);

/* ---- verdicts ---- */

/// What substituting a velocity says, for all data within 16 roundings of the given ones.
typedef struct SticWitnessCheck {
    double margin; ///< least u_N - mu |u_T| (A) or u_N (A') of all contacts, m/s, from below;
                   ///< infinite without contacts
    double joint;  ///< largest |u| of a joint row, m/s
} SticWitnessCheck;

/// What substituting multipliers says: a margin above `most` needs velocities beyond the reach.
typedef struct SticCertificateCheck {
    bool valid;  ///< r is in the dual cones: the numbers below mean something
    double most; ///< upper bound of the margin, m/s, rounding counted; infinite without normal r
    double
        value; ///< w . r plus `defect`, divided by the sum of |r|: negative refutes the condition
    double defect; ///< what P r != 0 can contribute for velocities within the reach
} SticCertificateCheck;

/// Substitute a velocity ([dof] in global form, else [rows], u = W v + b) into a condition, in
/// pairs of doubles. `scratch` is left as it was.
STIC_API SticStatus stic_witness_verify(SticArena* scratch, const SticProblem* problem,
                                        SticCondition condition, const double* v,
                                        SticWitnessCheck* check);
/// Substitute multipliers r [rows] into the dual of a condition, in pairs of doubles. `reach`
/// bounds the velocities the bound is for: |v_k| <= reach max|w| / max_i |P_ki|.
STIC_API SticStatus stic_certificate_verify(SticArena* scratch, const SticProblem* problem,
                                            SticCondition condition, double reach, const double* r,
                                            SticCertificateCheck* check);

/* ---- existence ---- */

/// Defaults of stic_existence_fields.
STIC_API SticExistenceSettings stic_existence_default_settings(void);
/// Defaults of stic_enumerate_fields.
STIC_API SticEnumerateSettings stic_enumerate_default_settings(void);
/// Settings for a verdict after a failed solve, which costs less than that solve did: no margin, a
/// short search, programs up to 2000 contacts, 1000 combinations of states.
STIC_API SticExistenceSettings stic_existence_quick_settings(void);
/// Name of a source of evidence.
STIC_API const char* stic_evidence_name(SticEvidence evidence);

#ifdef __cplusplus
}
#endif

#endif

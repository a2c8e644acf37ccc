// SPDX-License-Identifier: Apache-2.0
// Prepared computation of the three error measures of a problem, for repeated use in one solve.
#ifndef STIC_PROBLEM_GAUGE_H
#define STIC_PROBLEM_GAUGE_H

#include "stiction/extend/law.h"
#include "stiction/extend/problem.h"

typedef struct SticGauge SticGauge;

/// Interactions that are measured by themselves, in arrays of the whole problem.
typedef struct SticGaugePart {
    const int32_t* member; ///< [count] rising; NULL: all interactions
    int32_t count;
    const int32_t* body; ///< [bodies] block columns of H that they move, M of blocks; NULL: all
    int32_t bodies;
    double enough; ///< unit-free errors up to it are not computed again with compensated sums
    // filled by stic_gauge_part
    double b_norm, b_energy;               ///< of b with the shifts folded in
    double rounding_norm, rounding_energy; ///< of what rounding leaves of u, if `rounded`
    bool rounded;
    bool fine; ///< errors are so small that u needs compensated sums from the start
} SticGaugePart;

/// Prepare in `arena`: diagonal blocks (those of `op`, an operator of the same W, if not NULL),
/// step lengths, norms of b. `problem` must outlive it.
SticStatus stic_gauge_create(SticArena* arena, const SticProblem* problem, const SticOperator* op,
                             SticGauge** made, SticError* error);
/// Everything as one part.
SticGaugePart* stic_gauge_whole(SticGauge* gauge);
/// Whether interaction i counts in the energy of b: see stic_gauge_opens.
bool stic_gauge_counts(const SticGauge* gauge, int32_t i);
/// Norms of a part whose members and bodies are given.
void stic_gauge_part(const SticGauge* gauge, SticGaugePart* part);
/// Find out what rounding leaves of u: without it the floors of a part only account for the
/// rounding of r.
SticStatus stic_gauge_round(SticGauge* gauge, SticGaugePart* part);
/// What stic_gauge_round needs of the whole problem; the first call of either makes it. Call this
/// before threads measure parts of their own.
SticStatus stic_gauge_size(SticGauge* gauge);
/// u = W r + b of a part from the problem's own data and the errors of r; allocates nothing. A
/// value that is not finite gives infinite errors.
SticStatus stic_gauge_measure(const SticGauge* gauge, SticGaugePart* part, const double* r,
                              double* u, SticErrors* errors);
/// Multiplications of one measurement of everything, to weigh it against an iteration.
double stic_gauge_work(const SticGauge* gauge);

/* ---- the formulas, shared with the dense path of small problems ---- */

/// One interaction as the measures see it.
typedef struct SticGaugePoint {
    SticLawBlock block;
    const double* rho; ///< [3] step lengths from the diagonal block
    const double* W;   ///< diagonal block, row by row
    bool singular;     ///< the block is not positive definite
} SticGaugePoint;

/// Whether a contact with a gap (`shift`, gap/h, above 0) stays open in the free motion b, so that
/// r = 0 fulfils its law: its gap over the step is not a velocity that anything changes.
static inline bool stic_gauge_opens(SticLaw law, double shift, const double* b)
{
    return shift > 0.0 && b[0] >= 0.0 && (law == STIC_LAW_NONNEG || stic_law_has_normal(law));
}
/// |D|^2 with rho = 1 and the energy of the defect with rho of the point; x = r + r_shift, y = u +
/// u_shift.
void stic_gauge_point(const SticGaugePoint* point, const double* x, const double* y, double* square,
                      double* energy);
/// *energy = <A^-1 b, b> for the symmetric part of A by LDL'; false if A is not positive definite.
bool stic_gauge_inverse_energy(const double* A, int32_t n, const double* b, double* energy);
/// Sum over the groups of a law of rho_g^-1 (divide) or rho_g times |x_g|^2.
double stic_gauge_scaled_square(const SticGaugePoint* point, const double* x, bool divide);
/// <W x, x>, or by rho as above where W is singular.
double stic_gauge_energy(const SticGaugePoint* point, const double* x);

/// Norms that make up the errors.
typedef struct SticErrorParts {
    double defect, energy;                 ///< of D with rho = 1; in the energy norm
    double x_norm, y_norm;                 ///< |r + r_shift|, |u + u_shift|
    double x_energy;                       ///< sqrt of the sum of stic_gauge_energy
    double b_norm, b_energy;               ///< of b with the shifts folded in
    double rounding_norm, rounding_energy; ///< of what rounding leaves of u
} SticErrorParts;
/// The measures from their parts.
SticErrors stic_gauge_errors(const SticErrorParts* parts);

#endif

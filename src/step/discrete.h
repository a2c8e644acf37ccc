// SPDX-License-Identifier: Apache-2.0
// Discrete derivative of Gonzalez: exact along the step, second-order accurate, local to the blocks
// involved.
//
//   Df(a,b) = f'(m) + (f(b) - f(a) - f'(m) d) / (e'N e) (N e)'   m = (a+b)/2, d = b - a
//
// so that Df(a,b) d = f(b) - f(a) (Möller 5.19 with N = I, e = d). Only the coordinates a term
// depends on enter d: directionality still holds and sparsity is kept. N is positive; the masses of
// the coordinates make e'N e a sum of terms of one unit where metres and quaternions meet. e is d
// without the part explained by rigid motions that leave f as it is (step/symmetry.h): the
// correction does not push along these, and momentum that f keeps is kept (equivariant form,
// Gonzalez 1996).
#ifndef STIC_STEP_DISCRETE_H
#define STIC_STEP_DISCRETE_H

#include "step/parts.h"
#include "step/symmetry.h"

/// The two ends of a step: coordinates and times matter.
typedef struct SticEnds {
    const SticState* begin;
    const SticState* middle; ///< (q_begin + q_end) / 2, quaternions not scaled back
    const SticState* end;
    const double* weight; ///< [nq] diagonal of N
    bool bodies;          ///< the first three coordinates of every block are the place of a body
    double place;         ///< the largest of these places, m: gaps are rounded as places are
} SticEnds;

/// Wanted and known values of gaps.
typedef struct SticGapsAsked {
    const double* begin; ///< [rows] gaps at the beginning, NULL where time moves them
    double* chi;         ///< [rows] out, NULL: not wanted
} SticGapsAsked;

/// One row on the blocks it depends on: one or two, or the nodes of a face in place of the second.
typedef struct SticDiscreteRow {
    double* value[STIC_SYMMETRY_BLOCKS];
    const double* begin[STIC_SYMMETRY_BLOCKS]; ///< coordinates of the blocks at the two ends
    const double* end[STIC_SYMMETRY_BLOCKS];
    const double* weight[STIC_SYMMETRY_BLOCKS];
    const double* slope
        [2]
        [STIC_SYMMETRY_BLOCKS]; ///< derivatives at the beginning and the end, by sides; NULL: unknown
    int32_t size[STIC_SYMMETRY_BLOCKS];
    int32_t motions; ///< rigid motions of its blocks that may leave f as it is, see SticSymmetry
    double place;    ///< of a gap: largest place of a body or a pivot, m; else 0
    double products; ///< of rates and energies: sum of the sizes of the products that they are
                     ///< made of beside those of slopes and coordinates; else 0
} SticDiscreteRow;

/// The correction of a row.
typedef struct SticDiscreteChange {
    double factor; ///< of N e; 0 where the difference is rounding
    double square; ///< e'N e
    double Ne[STIC_SYMMETRY_WIDTH];
    SticSymmetry symmetry; ///< what is not in e
} SticDiscreteChange;

/// The row of two blocks (-1: none) whose values are at `value`.
SticDiscreteRow stic_discrete_row(const SticLayout* layout, const SticEnds* ends,
                                  const int32_t block[2], double* const value[2]);
/// Add the correction that makes row . d equal to `change`.
void stic_discrete_correct(SticDiscreteRow* row, double change, SticDiscreteChange* made);

/// Weights N [nq]: masses of coordinates; 2 tr(J) for quaternions, since T = tr(J) |A'|^2 for a
/// body that scales (Möller 4.88).
void stic_discrete_weights(const SticLayout* layout, const SticMass* mass, double* weight);

/// The contacts of a set as they are at a state, with features of that place where the surface of a
/// curved body rolls; the set itself where frozen features are exact.
SticStatus stic_discrete_trace(SticStepper* stepper, const SticSystem* system, const SticSet* set,
                               const SticState* state, SticSet* there);

/// How many rows of an interaction are lengths, gaps or slips of a bond, from the first one on.
int32_t stic_discrete_rows(const SticInteraction* interaction);
/// Rows of dg/dq replaced by discrete derivatives at the time of the middle: all rows of POSITION,
/// the first of CONTACT interactions and those of slips of bonds; the other rows are zero. Contacts
/// that roll are traced. Fills directions->Gt (values in measures.G). chi gets the rate that time
/// alone adds to these rows: Dg d + h chi = g(end) - g(begin).
SticStatus stic_discrete_gaps(SticStepper* stepper, const SticSystem* system, const SticEnds* ends,
                              const SticGapsAsked* asked, SticDirections* directions);

/// Discrete derivative of a potential.
typedef struct SticDiscretePotential {
    double* gradient; ///< [nq] DV/Dq; memory of the caller
    SticTerms terms;  ///< `hessian`: d(DV)/d(q_end) of each term, NULL where the system has none
    double astray[3]; ///< forces on single bodies in directions of no slope of their terms, N
    double size;      ///< mean of |V| of all terms at both ends, J
    double rounding;  ///< energy that V(end) - V(begin) can miss because its terms are doubles
} SticDiscretePotential;
SticStatus stic_discrete_potential(SticStepper* stepper, const SticSystem* system,
                                   const SticEnds* ends, SticDiscretePotential* out);

#endif

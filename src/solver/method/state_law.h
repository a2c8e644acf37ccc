// SPDX-License-Identifier: Apache-2.0
// The states of one interaction - open, closed, sliding - as smooth equations, state_law.c.
#ifndef STIC_SOLVER_METHOD_STATE_LAW_H
#define STIC_SOLVER_METHOD_STATE_LAW_H

#include "solver/scaled.h"

/// State of an interaction.
typedef enum SticPathState {
    STIC_PATH_OPEN,   ///< x = 0
    STIC_PATH_CLOSED, ///< y = 0: sticks, where there is friction
    STIC_PATH_SLIP    ///< y_N = 0, x_T = mu x_N v against the velocity
} SticPathState;

enum {
    STIC_STATE_ROWS = 6,  ///< most rows of an interaction
    STIC_STATE_ORDER = 12 ///< highest power
};

/// One interaction in a state.
typedef struct SticStateContact {
    int32_t at, rows;
    SticLaw law;
    double mu, rho; ///< rho: weight of y against x, any positive number
    SticPathState state;
} SticStateContact;

/// Powers of the arc length: coefficients k of x, y, and of (|d_T|, d_T/|d_T|) with d = x - rho y.
typedef struct SticStateSeries {
    double* x[STIC_STATE_ORDER + 1];
    double* y[STIC_STATE_ORDER + 1];
    double* slide[STIC_STATE_ORDER + 1];
} SticStateSeries;

/// How far a state is from one of its ends: positive inside.
typedef struct SticStateMargin {
    double value, slope; ///< slope along (dx, dy)
    SticPathState next;
} SticStateMargin;

/// Whether its law has these states.
bool stic_state_law_takes(const SticProblem* problem, int32_t i);
/// The state that the map of Alart and Curnier is in at x, y of the interaction.
SticPathState stic_state_law_at(const SticStateContact* contact, const double* x, const double* y);
/// F of the state and dF = A dx + B dy (not where A is NULL) at x, y of the interaction.
void stic_state_law_linearise(const SticStateContact* contact, const double* x, const double* y,
                              double* F, double* A, double* B);
/// |x - rho y|: the size that small numbers of this interaction are compared with.
double stic_state_law_size(const SticStateContact* contact, const double* x, const double* y);
/// Ends of the state, at most two; how many.
int32_t stic_state_law_margins(const SticStateContact* contact, const double* xy[2],
                               const double* dxy[2], SticStateMargin margin[2]);
/// What is left of power k of F without x_k and y_k; needs all powers below.
void stic_state_law_rest(const SticStateContact* contact, const SticStateSeries* series, int32_t k,
                         double* rest);
/// Power k of the slide from those of x and y.
void stic_state_law_slide(const SticStateContact* contact, const SticStateSeries* series,
                          int32_t k);

#endif

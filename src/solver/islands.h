// SPDX-License-Identifier: Apache-2.0
// Islands: groups of interactions that do not see each other, and their problems.
#ifndef STIC_SOLVER_ISLANDS_H
#define STIC_SOLVER_ISLANDS_H

#include "stiction/extend/problem.h"

/// Groups of interactions, numbered by their first member; members are in ascending order.
typedef struct SticIslands {
    int32_t count;
    int32_t* begin;      ///< [count+1]
    int32_t* member;     ///< interactions, island by island
    int32_t* place;      ///< [interactions] number of each in its island
    int32_t* row_place;  ///< [rows] number of each row in its island
    int32_t* body_begin; ///< [count+1] global form: bodies that move
    int32_t* body;       ///< bodies, island by island
    int32_t* body_place; ///< [bodies] number of each in its island, -1 if nothing moves it
} SticIslands;

/// Find the islands of a problem without shifts: two interactions are in one if W has a block
/// between them (global form: if they share a body that moves), or if one bounds the other.
SticStatus stic_islands_find(SticArena* arena, const SticProblem* problem, SticIslands* islands);
/// Everything as one island.
SticStatus stic_islands_all(SticArena* arena, const SticProblem* problem, SticIslands* islands);
/// The problem of island k, in the form of W if W is given; without shifts of r.
SticStatus stic_islands_extract(SticArena* arena, const SticProblem* problem,
                                const SticIslands* islands, int32_t k, SticProblem* made);
/// Copy the rows of island k from a vector of the whole problem.
void stic_islands_gather(const SticProblem* problem, const SticIslands* islands, int32_t k,
                         const double* whole, double* part);
/// Copy them back.
void stic_islands_scatter(const SticProblem* problem, const SticIslands* islands, int32_t k,
                          const double* part, double* whole);
/// Factor on the tolerance of the unit-free measure that makes the velocity of the lightest contact
/// of an island (NULL: of all of them) as accurate as that of the heaviest: sqrt(m_least / m_most),
/// m = 1/W_NN.
double stic_islands_share(const SticProblem* problem, const SticOperator* op,
                          const SticIslands* islands, int32_t k);

#endif

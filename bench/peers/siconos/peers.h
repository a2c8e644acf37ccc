// SPDX-License-Identifier: Apache-2.0
// The table of Siconos solvers and one call of each.
#ifndef STIC_PEER_SICONOS_PEERS_H
#define STIC_PEER_SICONOS_PEERS_H

#include "convert.h"

enum { PEER_KINDS = PEER_OTHER };

/// A solver as we name it; it may have one number per kind of problem.
typedef struct PeerSolver {
    const char* name;       ///< ends the table if NULL
    const char* text;       ///< one sentence
    int32_t id[PEER_KINDS]; ///< number of Siconos by kind; 0: not for this kind
    bool global;            ///< takes M, H, f, w instead of W, b
    PeerStorage storage;    ///< of W
    int32_t dense_most;     ///< contacts up to which W is stored dense instead
    int32_t local_solver;   ///< number of its inner solver; 0: the default
    bool marginal;          ///< left out unless asked for by name or with --all
} PeerSolver;

/// The table.
extern const PeerSolver peer_table[];
/// Entry by name, NULL if there is none.
const PeerSolver* peer_find(const char* name);

/// What a solve is asked to do.
typedef struct PeerRequest {
    const PeerSolver* solver;
    PeerKind kind;
    double tolerance;
    int32_t max_iterations;
    int32_t storage; ///< PeerStorage, -1: the solver's own choice
} PeerRequest;

/// What a solve said; `r` lies behind it in memory that parent and child share.
typedef struct PeerAnswer {
    int32_t runs;       ///< finished
    int32_t status;     ///< as Siconos returns it; 0: it claims success
    int32_t iterations; ///< of the first run
    double seconds;     ///< least of all runs, without the conversion
    double own_error;   ///< its own estimate
    double r[];
} PeerAnswer;

/// Convert, solve once, and note what came out. `local` has W and b (and the rest, if global).
/// `begin` is called when the clock starts. False: out of memory.
bool peer_solve(const SticProblem* local, const PeerRequest* request, void (*begin)(void*),
                void* self, PeerAnswer* answer);

#endif

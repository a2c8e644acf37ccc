// SPDX-License-Identifier: Apache-2.0
// A solve in a process of its own: Siconos may run forever, exit, or crash.
#ifndef STIC_PEER_SICONOS_CHILD_H
#define STIC_PEER_SICONOS_CHILD_H

#include "peers.h"

/// How a child ended.
typedef enum PeerEnd {
    PEER_FINISHED, ///< at least one run is in the answer
    PEER_TIMED_OUT,
    PEER_EXITED,  ///< by itself, without an answer
    PEER_CRASHED, ///< by a signal
    PEER_FAILED   ///< the process could not be made
} PeerEnd;

/// Limits of a child.
typedef struct PeerLimits {
    double seconds;    ///< of one run; 0: none
    double preparing;  ///< of the conversion before a run
    int32_t runs;      ///< repetitions at most; the shortest counts
    double runs_total; ///< seconds after which no further run begins
} PeerLimits;

/// Memory for an answer with `rows` reactions that children can write; NULL when out of memory.
PeerAnswer* peer_answer_create(int32_t rows);
/// Give it back; NULL is allowed.
void peer_answer_destroy(PeerAnswer* answer, int32_t rows);
/// Solve in a child. `code` gets its exit status or signal.
PeerEnd peer_child_run(const SticProblem* local, const PeerRequest* request,
                       const PeerLimits* limits, PeerAnswer* answer, int32_t* code);

#endif

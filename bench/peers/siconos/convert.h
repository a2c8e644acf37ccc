// SPDX-License-Identifier: Apache-2.0
// One-step problems in the structures of Siconos.
//
// Both sides put the normal component first and use u = W r + b, M v = f + H r, u = H' v + w, so
// that data are copied and nothing changes sign. Memory is that of malloc: Siconos gives its
// structures back itself.
#ifndef STIC_PEER_SICONOS_CONVERT_H
#define STIC_PEER_SICONOS_CONVERT_H

#include "stiction/extend/problem.h"

#include "NumericsFwd.h"

/// Kinds of problems that Siconos has drivers for.
typedef enum PeerKind {
    PEER_CONE_3D,    ///< every interaction a cone with 3 rows
    PEER_CONE_2D,    ///< cones with 2 rows
    PEER_ROLLING_3D, ///< rolling friction, 5 rows
    PEER_ROLLING_2D, ///< rolling friction, 3 rows
    PEER_LCP,        ///< unilateral rows only
    PEER_OTHER       ///< mixed laws, joints, bounds: no driver
} PeerKind;

/// How W is stored.
typedef enum PeerStorage { PEER_DENSE, PEER_BLOCK, PEER_SPARSE } PeerStorage;

/// Kind of a problem without shifts.
PeerKind peer_kind(const SticProblem* problem);
/// Rows of one interaction of a kind.
int32_t peer_kind_rows(PeerKind kind);

/// A block matrix in the storage of Siconos; NULL when out of memory.
NumericsMatrix* peer_matrix(const SticBlockCsr* A, PeerStorage storage);
/// The transpose of a block matrix in sparse storage.
NumericsMatrix* peer_transpose(const SticBlockCsr* A);
/// Copy of n numbers.
double* peer_copy(const double* x, int32_t n);
/// Coefficient `which` of every interaction.
double* peer_coefficients(const SticProblem* problem, int32_t which);

#endif

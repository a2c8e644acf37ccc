// SPDX-License-Identifier: Apache-2.0
// Four contacts of rest.c side by side: what does not depend on the order of visits.
#ifndef STIC_SOLVER_REST_PACK_H
#define STIC_SOLVER_REST_PACK_H

#include "math/lanes.h"
#include "stiction/extend/problem.h"

/// Inverse mass of a rigid body.
typedef struct SticRestBody {
    double mass, J[6]; ///< 1/m, lower triangle of the inverse inertia by rows
    int32_t met;       ///< interactions
    bool rigid;
} SticRestBody;

/// Four contacts; a lane without one repeats another.
typedef struct SticRestPack {
    SticLanes W[6];       ///< lower triangle of W_ii by rows
    SticLanes l[3], d[3]; ///< W_ii = L d L'
    SticLanes x[3];       ///< reaction
    SticLanes b;          ///< |b_i|^2
    SticLanes b_energy;   ///< <W_ii^-1 b_i, b_i>, 0 where the contact opens
} SticRestPack;

/// What the packs are made of.
typedef struct SticRestData {
    const SticProblem* problem; ///< two bodies per contact at most
    const SticRestBody* body;   ///< [bodies]
    const double* r;            ///< [rows] start
    double *v, *v_free, *u;     ///< [dof], [dof], [rows]
} SticRestData;

/// Parts of the errors of four contacts, see SticErrorParts.
typedef struct SticRestErrors {
    SticLanes defect, energy, x_norm, y_norm, x_energy;
} SticRestErrors;

/// The two kernels.
typedef struct SticRestLanes {
    /// Fill a pack for contacts of three rows.
    void (*fill)(const SticRestData* data, const int32_t contact[4], SticRestPack* pack);
    /// Errors at the reactions of a pack and the velocities v, and u of its contacts.
    void (*measure)(const SticRestData* data, const int32_t contact[4], const SticRestPack* pack,
                    SticRestErrors* errors);
} SticRestLanes;

/// For this processor; `plain`: for the base instruction set, which gives the same bits.
SticRestLanes stic_rest_lanes(bool plain);
/// Those for AVX2, NULL on other processors; rest_avx2.c.
SticRestLanes stic_rest_lanes_avx2(void);

#endif

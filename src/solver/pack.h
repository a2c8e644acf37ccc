// SPDX-License-Identifier: Apache-2.0
// Four contacts side by side: Gauss-Seidel visits that do not wait for each other.
//
// A visit is a chain of operations in which each waits for the one before: 60 to 100 ns for some
// 300 operations. Contacts that share no body do not touch each other's data, so that four of them
// may be visited at once, each in a lane of a vector. Packs keep the order of the sweep: of two
// contacts that share a body, the one that came first lies in an earlier pack, and each lane does
// the operations of a single visit in their order. The reactions are therefore bit for bit those of
// visiting one contact after the other.
#ifndef STIC_SOLVER_PACK_H
#define STIC_SOLVER_PACK_H

#include "math/lanes.h"
#include "stiction/base.h"

/// Contacts between bodies of six velocities; lanes without a contact are open forever.
typedef struct SticPack {
    int32_t body[2][STIC_LANES]; ///< first velocity of each body; dummy places where there is none
    SticLanes mu, inverse_NN, inverse_det;
    SticLanes root; ///< of inverse_NN
    SticLanes two;  ///< 1 where there are two bodies, else 0
    SticLanes D[6]; ///< NN N1 N2 11 12 22
    SticLanes r[3];
    SticLanes before[3]; ///< r at the last visit, for momentum
    SticLanes idle;      ///< open, with nothing to do before its bodies have travelled this far
    SticLanes w[3];
    SticLanes H[2][18];
} SticPack;

/// One contact as it goes into a lane.
typedef struct SticPackItem {
    int32_t body[2]; ///< first velocity of each body, -1: none
    double mu, inverse_NN, inverse_det;
    double D[6];
    double w[3];
    const double* H[2]; ///< 3 x 6 by rows
} SticPackItem;

/// How packs are visited.
typedef struct SticPackVisit {
    double beta, accuracy, omega;
    bool idles; ///< note how far bodies travel, and skip contacts that have nothing to do
    double* v;
} SticPackVisit;

/// What the visits changed, summed up over the lanes.
typedef struct SticPackChange {
    double square, energy;
    int64_t fallbacks;
} SticPackChange;

/// Visits pack[0], pack[step], …, `count` of them.
typedef void SticPackKernel(SticPack* pack, int32_t count, int32_t step, const SticPackVisit* how,
                            SticPackChange* change);

/// The kernel for this processor; `plain`: that of the base instruction set, which gives the same
/// bits.
SticPackKernel* stic_pack_kernel(bool plain);
/// The one for AVX2, NULL on other processors; pack_avx2.c.
SticPackKernel* stic_pack_kernel_avx2(void);

/// Doubles of v for bodies that are not there; all zero.
enum { STIC_PACK_NOBODY = 8 * STIC_LANES };

/// A pack without contacts; `nobody`: first velocity of bodies that are not there.
void stic_pack_clear(SticPack* pack, int32_t nobody);
/// Put a contact into a lane, with no reaction.
void stic_pack_put(SticPack* pack, int32_t lane, const SticPackItem* item);

/// Lanes for contacts in the order of their visits.
typedef struct SticPackPlan {
    int32_t packs; ///< made so far
    int32_t* last; ///< [places] last pack of a body + 1, by first velocity/8
    int32_t* open; ///< [contacts + 1] first pack from here on with room
    int32_t* used; ///< [contacts + 1] lanes of each pack
} SticPackPlan;

/// Take the memory of a plan for `contacts` between bodies below `velocities`.
SticStatus stic_pack_plan_take(SticArena* arena, int32_t contacts, int32_t velocities,
                               SticPackPlan* plan);
/// Lane (4 pack + lane) of the next contact, at or behind pack `from`.
int32_t stic_pack_plan_next(SticPackPlan* plan, const int32_t body[2], int32_t from);
/// Forget the packs from `from` on.
void stic_pack_plan_drop(SticPackPlan* plan, int32_t from);

#endif

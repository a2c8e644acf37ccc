// SPDX-License-Identifier: Apache-2.0
// Reactions as impulses in world axes.
#ifndef STIC_SYSTEM_PUSH_H
#define STIC_SYSTEM_PUSH_H

#include "stiction/extend/system.h"

/// The block of an interaction that impulses are told of: that of A, or that of B where forces do
/// not move A; negative: they move neither.
static inline int32_t stic_push_block(const SticInteraction* interaction)
{
    return interaction->block[0] >= 0 ? interaction->block[0] : interaction->block[1];
}

/// Add a generalised impulse f on a block, seen on its velocities, to an impulse (N s) and its
/// moment about the block's origin (N m s), both in world axes of a state. Blocks without a place,
/// those of GENERAL charts and of fewer than three velocities, add nothing.
void stic_push_add(const SticLayout* layout, int32_t block, const double* coordinates,
                   const double* f, double push[6]);
/// The same for a generalised impulse on the coordinates of the block themselves.
void stic_push_add_covector(const SticLayout* layout, int32_t block, const double* coordinates,
                            const double* covector, double push[6]);
/// Take the moment of an impulse about the point of SticSystemOps.lever at a state, not about the
/// origin of the block of stic_push_block.
void stic_push_shift(const SticSystem* system, const SticInteraction* interaction,
                     const SticState* at, double push[6]);
/// Directions of a set, and the state at which they act.
typedef struct SticPushRows {
    const SticSystem* system;
    const SticSet* set;
    const SticBlockCsr* Ht;
    const SticState* at;
} SticPushRows;

/// Add the impulses r of interaction i alone, on the side of stic_push_block, and their moment about
/// the point of SticSystemOps.lever; a side of several nodes gets the sum over them, and moments
/// about the origin of each.
void stic_push_add_rows(const SticPushRows* rows, int32_t i, const double* r, double push[6]);
/// The same for impulses r [rows] of all interactions, times `weight`: push [count].
void stic_push_add_all(const SticPushRows* rows, const double* r, double weight, double (*push)[6]);

#endif

// SPDX-License-Identifier: Apache-2.0
// Bullet's btDbvtBroadphase behind a few C functions.
#ifndef STIC_PEER_BULLET_BROAD_H
#define STIC_PEER_BULLET_BROAD_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct PeerBullet PeerBullet;

/// An empty broad phase. Lengths are multiplied by `scale`, so that boxes get the size of about one
/// for which Bullet's margin (0.05) is meant. `deferred`: its option m_deferedcollide.
PeerBullet* peer_bullet_create(double scale, int deferred);
void peer_bullet_destroy(PeerBullet* peer);
/// Add `count` boxes of six doubles, low then high.
void peer_bullet_insert(PeerBullet* peer, const double (*boxes)[6], int32_t count);
/// Set all boxes and find the pairs.
void peer_bullet_update(PeerBullet* peer, const double (*boxes)[6], int32_t count);
/// Number of pairs held: those of the enlarged boxes, of which some may have parted since.
int64_t peer_bullet_pairs(const PeerBullet* peer);

#ifdef __cplusplus
}
#endif

#endif

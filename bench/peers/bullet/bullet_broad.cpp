// SPDX-License-Identifier: Apache-2.0
// Bullet's btDbvtBroadphase behind a few C functions.
#include "bullet_broad.h"

#include <vector>

#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>

struct PeerBullet {
    btDbvtBroadphase broad;
    std::vector<btBroadphaseProxy*> proxy;
    double scale;
};

static btVector3 corner(const double* at, double scale)
{
    return btVector3((btScalar)(at[0] * scale), (btScalar)(at[1] * scale),
                     (btScalar)(at[2] * scale));
}

PeerBullet* peer_bullet_create(double scale, int deferred)
{
    PeerBullet* peer = new PeerBullet;
    peer->scale = scale;
    peer->broad.m_deferedcollide = deferred != 0;
    return peer;
}

void peer_bullet_destroy(PeerBullet* peer)
{
    // destroyProxy would look through all pairs for each proxy
    const std::vector<btBroadphaseProxy*> proxies = peer->proxy;
    delete peer;
    for (btBroadphaseProxy* proxy : proxies)
        btAlignedFree(proxy);
}

void peer_bullet_insert(PeerBullet* peer, const double (*boxes)[6], int32_t count)
{
    for (int32_t i = 0; i < count; ++i)
        peer->proxy.push_back(peer->broad.createProxy(corner(boxes[i], peer->scale),
                                                      corner(boxes[i] + 3, peer->scale), 0, peer, 1,
                                                      1, nullptr));
}

void peer_bullet_update(PeerBullet* peer, const double (*boxes)[6], int32_t count)
{
    for (int32_t i = 0; i < count; ++i)
        peer->broad.setAabb(peer->proxy[(size_t)i], corner(boxes[i], peer->scale),
                            corner(boxes[i] + 3, peer->scale), nullptr);
    peer->broad.calculateOverlappingPairs(nullptr);
}

int64_t peer_bullet_pairs(const PeerBullet* peer)
{
    return peer->broad.getOverlappingPairCache()->getNumOverlappingPairs();
}

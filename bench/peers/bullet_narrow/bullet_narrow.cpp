// SPDX-License-Identifier: Apache-2.0
// Bullet's pair algorithms, called as its dispatcher does, with an empty manifold for each pair.
// Points up to its breaking distance of 0.02 apart are kept, which is the `reach` of the benchmark.
// Hulls have their polyhedral features, so that faces are clipped and a whole manifold results.
#include "narrow_peer.h"

#include <btBulletCollisionCommon.h>

namespace
{

struct Machine {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDispatcherInfo info;
    btCollisionObject object[2];
};

Machine& machine()
{
    static Machine made;
    return made;
}

void* box(const double half[3])
{
    btBoxShape* shape =
        new btBoxShape(btVector3((btScalar)half[0], (btScalar)half[1], (btScalar)half[2]));
    shape->setMargin(0);
    return static_cast<btCollisionShape*>(shape);
}

void* hull(const double (*point)[3], int points, const int*, const int*, int)
{
    btConvexHullShape* shape = new btConvexHullShape;
    for (int i = 0; i < points; ++i)
        shape->addPoint(
            btVector3((btScalar)point[i][0], (btScalar)point[i][1], (btScalar)point[i][2]), false);
    shape->recalcLocalAabb();
    shape->setMargin(0);
    shape->initializePolyhedralFeatures();
    return static_cast<btCollisionShape*>(shape);
}

void* sphere(double radius)
{
    return static_cast<btCollisionShape*>(new btSphereShape((btScalar)radius));
}

void* mesh(const double (*point)[3], int, const int (*triangle)[3], int triangles)
{
    btTriangleMesh* data = new btTriangleMesh;
    for (int i = 0; i < triangles; ++i) {
        btVector3 v[3];
        for (int j = 0; j < 3; ++j)
            v[j] = btVector3((btScalar)point[triangle[i][j]][0], (btScalar)point[triangle[i][j]][1],
                             (btScalar)point[triangle[i][j]][2]);
        data->addTriangle(v[0], v[1], v[2]);
    }
    btBvhTriangleMeshShape* shape = new btBvhTriangleMeshShape(data, true);
    shape->setMargin(0);
    return static_cast<btCollisionShape*>(shape);
}

btTransform transform(const double p[12])
{
    return btTransform(btMatrix3x3((btScalar)p[0], (btScalar)p[1], (btScalar)p[2], (btScalar)p[3],
                                   (btScalar)p[4], (btScalar)p[5], (btScalar)p[6], (btScalar)p[7],
                                   (btScalar)p[8]),
                       btVector3((btScalar)p[9], (btScalar)p[10], (btScalar)p[11]));
}

int collide(void* a, const double pose_a[12], void* b, const double pose_b[12], double)
{
    Machine& m = machine();
    m.object[0].setCollisionShape(static_cast<btCollisionShape*>(a));
    m.object[1].setCollisionShape(static_cast<btCollisionShape*>(b));
    m.object[0].setWorldTransform(transform(pose_a));
    m.object[1].setWorldTransform(transform(pose_b));
    btCollisionObjectWrapper wrap_a(nullptr, m.object[0].getCollisionShape(), &m.object[0],
                                    m.object[0].getWorldTransform(), -1, -1);
    btCollisionObjectWrapper wrap_b(nullptr, m.object[1].getCollisionShape(), &m.object[1],
                                    m.object[1].getWorldTransform(), -1, -1);
    btCollisionAlgorithm* algorithm =
        m.dispatcher.findAlgorithm(&wrap_a, &wrap_b, nullptr, BT_CONTACT_POINT_ALGORITHMS);
    btManifoldResult result(&wrap_a, &wrap_b);
    algorithm->processCollision(&wrap_a, &wrap_b, m.info, &result);
    btManifoldArray manifolds;
    algorithm->getAllContactManifolds(manifolds);
    int count = 0;
    for (int i = 0; i < manifolds.size(); ++i)
        count += manifolds[i]->getNumContacts();
    algorithm->~btCollisionAlgorithm();
    m.dispatcher.freeCollisionAlgorithm(algorithm);
    return count;
}

} // namespace

const NarrowPeer narrow_peer_bullet = {
    "bullet", "up to 4 points, single precision", box, hull, sphere, mesh, collide};

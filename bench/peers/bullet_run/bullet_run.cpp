// SPDX-License-Identifier: Apache-2.0
// Runs of bench/runs with Bullet: sequential impulses, 10 iterations as by default, no sleeping.
#include "../run_peer.h"

#include <btBulletDynamicsCommon.h>
#include <cmath>
#include <unistd.h>

static btVector3 vector_at(const double* x)
{
    return btVector3(x[0], x[1], x[2]);
}

static btTransform pose_at(const double* x)
{
    return btTransform(btQuaternion(x[4], x[5], x[6], x[3]), vector_at(x));
}

static btCollisionShape* make_shape(const PeerShape& shape)
{
    const double* x = shape.number.data();
    if (shape.kind == "sphere")
        return new btSphereShape(x[0]);
    if (shape.kind == "box") {
        btBoxShape* box = new btBoxShape(vector_at(x));
        // the default of 4 cm is larger than some of the boxes
        box->setMargin(std::min(0.04, 0.1 * std::min({x[0], x[1], x[2]})));
        return box;
    }
    if (shape.kind == "hull") {
        btConvexHullShape* hull = new btConvexHullShape;
        for (size_t i = 0; i < shape.number.size(); i += 3)
            hull->addPoint(vector_at(x + i), false);
        hull->recalcLocalAabb();
        hull->setMargin(0.001);
        hull->initializePolyhedralFeatures();
        return hull;
    }
    btCompoundShape* drum = new btCompoundShape;
    for (size_t i = 0; i < shape.number.size(); i += 10)
        drum->addChildShape(pose_at(x + i), new btBoxShape(vector_at(x + i + 7)));
    return drum;
}

static btRigidBody* add_body(btDiscreteDynamicsWorld& world, const PeerBody& body,
                             btCollisionShape* shape, double friction)
{
    const double* x = body.start.data();
    btRigidBody::btRigidBodyConstructionInfo info(
        body.driven ? 0.0 : body.mass, nullptr, shape,
        body.driven ? btVector3(0, 0, 0) : vector_at(body.moment));
    info.m_startWorldTransform = pose_at(x);
    btRigidBody* made = new btRigidBody(info);
    made->setFriction(friction);
    made->setLinearVelocity(vector_at(x + 7));
    made->setAngularVelocity(vector_at(x + 10));
    made->setActivationState(DISABLE_DEACTIVATION);
    if (body.driven)
        made->setCollisionFlags(made->getCollisionFlags() |
                                btCollisionObject::CF_KINEMATIC_OBJECT);
    world.addRigidBody(made);
    return made;
}

// kinematic bodies are put where they belong; their velocity drags others
static void drive(const PeerScene& scene, const std::vector<btRigidBody*>& made, int step)
{
    for (size_t i = 0; i < made.size(); ++i) {
        if (!scene.body[i].driven)
            continue;
        const btVector3 spin = vector_at(scene.body[i].start.data() + 10);
        btTransform pose = pose_at(scene.body[i].start.data());
        pose.setRotation(btQuaternion(spin.normalized(), spin.length() * scene.step * (step + 1)) *
                         pose.getRotation());
        made[i]->setWorldTransform(pose);
        made[i]->setAngularVelocity(spin);
    }
}

// contacts of the last step; bodies have their number as user index, planes -1
static std::vector<PeerContact> touching(const btCollisionDispatcher& dispatcher)
{
    std::vector<PeerContact> contact;
    for (int i = 0; i < dispatcher.getNumManifolds(); ++i) {
        const btPersistentManifold& pair =
            *const_cast<btCollisionDispatcher&>(dispatcher).getManifoldByIndexInternal(i);
        for (int k = 0; k < pair.getNumContacts(); ++k) {
            const btManifoldPoint& at = pair.getContactPoint(k);
            const btVector3 x = at.getPositionWorldOnB(), n = at.m_normalWorldOnB;
            const btVector3 r = n * at.m_appliedImpulse +
                                at.m_lateralFrictionDir1 * at.m_appliedImpulseLateral1 +
                                at.m_lateralFrictionDir2 * at.m_appliedImpulseLateral2;
            contact.push_back({{pair.getBody0()->getUserIndex(), pair.getBody1()->getUserIndex()},
                               {x.x(), x.y(), x.z(), n.x(), n.y(), n.z(), r.x(), r.y(), r.z(),
                                at.getDistance()}});
        }
    }
    return contact;
}

int main(int count, char** word)
{
    if (count < 3)
        return 2;
    const PeerScene scene = peer_read(word[1]);
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher(&configuration);
    btDbvtBroadphase broad;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world(&dispatcher, &broad, &solver, &configuration);
    world.setGravity(btVector3(0, 0, -9.81));
    world.getSolverInfo().m_numIterations = count > 3 ? atoi(word[3]) : 10;
    world.getSolverInfo().m_solverMode |= SOLVER_USE_WARMSTARTING;
    // coefficients are multiplied
    const double friction = std::sqrt(scene.friction);
    std::vector<btCollisionShape*> shape;
    for (const PeerShape& one : scene.shape)
        shape.push_back(make_shape(one));
    for (const auto& plane : scene.plane) {
        btRigidBody* ground = new btRigidBody(btRigidBody::btRigidBodyConstructionInfo(
            0, nullptr, new btStaticPlaneShape(vector_at(plane.data()), plane[3])));
        ground->setFriction(friction);
        world.addRigidBody(ground);
    }
    std::vector<btRigidBody*> made;
    for (const PeerBody& body : scene.body) {
        made.push_back(add_body(world, body, shape[(size_t)body.shape], friction));
        made.back()->setUserIndex((int)made.size() - 1);
    }
    for (const auto& joint : scene.joint) {
        const btVector3 point = vector_at(joint.point);
        btRigidBody& b = *made[(size_t)joint.b];
        const btVector3 in_b = b.getWorldTransform().inverse() * point;
        if (joint.a < 0) {
            world.addConstraint(new btPoint2PointConstraint(b, in_b), true);
            continue;
        }
        btRigidBody& a = *made[(size_t)joint.a];
        world.addConstraint(
            new btPoint2PointConstraint(a, b, a.getWorldTransform().inverse() * point, in_b), true);
    }
    const auto get = [&] {
        std::vector<PeerState> state;
        for (const btRigidBody* body : made) {
            const btVector3 x = body->getWorldTransform().getOrigin();
            const btQuaternion q = body->getWorldTransform().getRotation();
            const btVector3 v = body->getLinearVelocity(), w = body->getAngularVelocity();
            state.push_back({x.x(), x.y(), x.z(), q.w(), q.x(), q.y(), q.z(), v.x(), v.y(), v.z(),
                             w.x(), w.y(), w.z()});
        }
        return state;
    };
    const auto step = [&](int k) {
        drive(scene, made, k);
        world.stepSimulation(scene.step, 0);
    };
    const int result = peer_run(scene, word[2], count > 4 ? atof(word[4]) : 60.0, step, get,
                                [&] { return touching(dispatcher); });
    // objects are left to the end of the process, whose time is nobody's
    fflush(stdout);
    _exit(result);
}

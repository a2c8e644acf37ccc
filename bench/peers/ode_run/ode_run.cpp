// SPDX-License-Identifier: Apache-2.0
// Runs of bench/runs with the Open Dynamics Engine: quick step, 20 iterations as by default. Hulls
// are refused: its own have no contacts with each other worth the name.
#include "../run_peer.h"

#include <cstdint>
#include <deque>
#include <ode/ode.h>
#include <utility>

struct Engine {
    dWorldID world;
    dJointGroupID contacts;
    double friction;
    // contacts of the step and the forces on their first bodies; a deque, since ODE keeps pointers
    std::deque<std::pair<dContactGeom, dJointFeedback>> made;
};

static bool moves(dBodyID body)
{
    return body != nullptr && !dBodyIsKinematic(body);
}

static void meet(void* self, dGeomID a, dGeomID b)
{
    Engine& engine = *(Engine*)self;
    dBodyID x = dGeomGetBody(a), y = dGeomGetBody(b);
    if ((!moves(x) && !moves(y)) ||
        (x != nullptr && y != nullptr && dAreConnectedExcluding(x, y, dJointTypeContact)))
        return;
    dContact contact[8];
    const int count = dCollide(a, b, 8, &contact[0].geom, sizeof contact[0]);
    for (int i = 0; i < count; ++i) {
        contact[i].surface.mode = dContactApprox1;
        contact[i].surface.mu = engine.friction;
        dJointID joint = dJointCreateContact(engine.world, engine.contacts, &contact[i]);
        dJointAttach(joint, x, y);
        engine.made.push_back({contact[i].geom, dJointFeedback()});
        dJointSetFeedback(joint, &engine.made.back().second);
    }
}

static void add_shape(dSpaceID space, const PeerShape& shape, dBodyID body)
{
    const double* x = shape.number.data();
    if (shape.kind == "sphere") {
        dGeomSetBody(dCreateSphere(space, x[0]), body);
    } else if (shape.kind == "box") {
        dGeomSetBody(dCreateBox(space, 2 * x[0], 2 * x[1], 2 * x[2]), body);
    } else if (shape.kind == "drum") {
        for (size_t i = 0; i < shape.number.size(); i += 10, x += 10) {
            dGeomID plate = dCreateBox(space, 2 * x[7], 2 * x[8], 2 * x[9]);
            const dQuaternion turn = {x[3], x[4], x[5], x[6]};
            dGeomSetBody(plate, body);
            dGeomSetOffsetPosition(plate, x[0], x[1], x[2]);
            dGeomSetOffsetQuaternion(plate, turn);
        }
    } else {
        fprintf(stderr, "no hulls\n");
        exit(3);
    }
}

static dBodyID add_body(dWorldID world, const PeerBody& body)
{
    const double* x = body.start.data();
    const dQuaternion turn = {x[3], x[4], x[5], x[6]};
    dBodyID made = dBodyCreate(world);
    dMass mass;
    dMassSetZero(&mass);
    if (body.driven) {
        dBodySetKinematic(made);
    } else {
        dMassSetParameters(&mass, body.mass, 0, 0, 0, body.moment[0], body.moment[1],
                           body.moment[2], 0, 0, 0);
        dBodySetMass(made, &mass);
    }
    dBodySetPosition(made, x[0], x[1], x[2]);
    dBodySetQuaternion(made, turn);
    dBodySetLinearVel(made, x[7], x[8], x[9]);
    dBodySetAngularVel(made, x[10], x[11], x[12]);
    return made;
}

// a body's number is its data; ODE's normals point into the first body
static std::vector<PeerContact> touching(const Engine& engine, double step)
{
    std::vector<PeerContact> contact;
    for (const auto& [at, force] : engine.made) {
        const dBodyID body[2] = {dGeomGetBody(at.g1), dGeomGetBody(at.g2)};
        // where the first geom has no body, ODE swaps the two and turns the force around
        const double side = body[0] == nullptr ? -step : step;
        const dReal* f = force.f1;
        contact.push_back(
            {{body[0] == nullptr ? -1 : (int)(intptr_t)dBodyGetData(body[0]),
              body[1] == nullptr ? -1 : (int)(intptr_t)dBodyGetData(body[1])},
             {at.pos[0], at.pos[1], at.pos[2], at.normal[0], at.normal[1], at.normal[2],
              side * f[0], side * f[1], side * f[2], -at.depth}});
    }
    return contact;
}

int main(int count, char** word)
{
    if (count < 3)
        return 2;
    const PeerScene scene = peer_read(word[1]);
    dInitODE2(0);
    Engine engine = {dWorldCreate(), dJointGroupCreate(0), scene.friction, {}};
    dWorldSetGravity(engine.world, 0, 0, -9.81);
    dWorldSetQuickStepNumIterations(engine.world, count > 3 ? atoi(word[3]) : 20);
    dSpaceID space = dHashSpaceCreate(0);
    dHashSpaceSetLevels(space, -5, 0);
    for (const auto& plane : scene.plane)
        dCreatePlane(space, plane[0], plane[1], plane[2], plane[3]);
    std::vector<dBodyID> made;
    for (const PeerBody& body : scene.body) {
        made.push_back(add_body(engine.world, body));
        dBodySetData(made.back(), (void*)(intptr_t)(made.size() - 1));
        add_shape(space, scene.shape[(size_t)body.shape], made.back());
    }
    for (const auto& joint : scene.joint) {
        dJointID ball = dJointCreateBall(engine.world, nullptr);
        dJointAttach(ball, made[(size_t)joint.b], joint.a < 0 ? nullptr : made[(size_t)joint.a]);
        dJointSetBallAnchor(ball, joint.point[0], joint.point[1], joint.point[2]);
    }
    const auto get = [&] {
        std::vector<PeerState> state;
        for (dBodyID body : made) {
            const dReal *x = dBodyGetPosition(body), *q = dBodyGetQuaternion(body);
            const dReal *v = dBodyGetLinearVel(body), *w = dBodyGetAngularVel(body);
            state.push_back({x[0], x[1], x[2], q[0], q[1], q[2], q[3], v[0], v[1], v[2], w[0], w[1],
                             w[2]});
        }
        return state;
    };
    const auto step = [&](int) {
        engine.made.clear();
        dSpaceCollide(space, &engine, meet);
        dWorldQuickStep(engine.world, scene.step);
        dJointGroupEmpty(engine.contacts);
    };
    return peer_run(scene, word[2], count > 4 ? atof(word[4]) : 60.0, step, get,
                    [&] { return touching(engine, scene.step); });
}

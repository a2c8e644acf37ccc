// SPDX-License-Identifier: Apache-2.0
// Runs of bench/runs with Rapier (its build with vector instructions): 4 iterations as by default, no sleeping. Its tangents are not told, so
// that the judge gets no impulses.
import rapier from "@dimforge/rapier3d-simd-compat";
import {commandLine, planeBlock, run} from "./run_peer.js";

await rapier.init();
const {scene, ...options} = commandLine();
const vector = ([x, y, z]) => ({x, y, z});
const quaternion = ([w, x, y, z]) => ({w, x, y, z});
const world = new rapier.World({x: 0, y: 0, z: -9.81});
world.timestep = scene.step;
if (options.iterations > 0) {
    world.numSolverIterations = options.iterations;
}

function colliders({kind, numbers, plates}) {
    switch (kind) {
    case "sphere":
        return [rapier.ColliderDesc.ball(numbers[0])];
    case "box":
        return [rapier.ColliderDesc.cuboid(...numbers)];
    case "hull":
        return [rapier.ColliderDesc.convexHull(new Float32Array(numbers))];
    default:
        return plates.map((plate) => rapier.ColliderDesc.cuboid(...plate.half).setTranslation(...plate.position)
            .setRotation(quaternion(plate.orientation)));
    }
}

for (const plane of scene.planes) {
    const block = planeBlock(plane, [0, 1, 0]);
    const body = world.createRigidBody(rapier.RigidBodyDesc.fixed().setTranslation(...block.position).setRotation(quaternion(block.orientation)));
    world.createCollider(rapier.ColliderDesc.cuboid(...block.half).setFriction(scene.friction).setRestitution(0), body);
}
const bodies = scene.bodies.map((body) => {
    const kind = body.driven ? rapier.RigidBodyDesc.kinematicVelocityBased() : rapier.RigidBodyDesc.dynamic();
    const made = world.createRigidBody(kind.setTranslation(...body.position).setRotation(quaternion(body.orientation))
        .setLinvel(...body.velocity).setAngvel(vector(body.spin)).setCanSleep(false));
    for (const collider of colliders(scene.shapes[body.shape])) {
        collider.setFriction(scene.friction).setRestitution(0);
        if (!body.driven) {
            collider.setMassProperties(body.mass, vector([0, 0, 0]), vector(body.moments), quaternion([1, 0, 0, 0]));
        }
        if (scene.joints.length > 0) {
            collider.setCollisionGroups(0); // jointed bodies do not touch
        }
        world.createCollider(collider, made);
    }
    return made;
});
const ground = scene.joints.length > 0 ? world.createRigidBody(rapier.RigidBodyDesc.fixed()) : null;
for (const {a, b, point} of scene.joints) {
    const within = (i) => vector(point.map((x, k) => x - (i < 0 ? 0 : scene.bodies[i].position[k])));
    world.createImpulseJoint(rapier.JointData.spherical(within(a), within(b)), a < 0 ? ground : bodies[a], bodies[b], true);
}

run(scene, {
    step: () => world.step(),
    state: () => bodies.map((body) => {
        const [x, q, v, w] = [body.translation(), body.rotation(), body.linvel(), body.angvel()];
        return [x.x, x.y, x.z, q.w, q.x, q.y, q.z, v.x, v.y, v.z, w.x, w.y, w.z];
    }),
}, options);

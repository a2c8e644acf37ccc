// SPDX-License-Identifier: Apache-2.0
// Runs of bench/runs with Jolt: 10 velocity and 2 position iterations as by default, one thread, no sleeping. Impulses cannot be read.
import initJolt from "jolt-physics/wasm-compat";
import {commandLine, planeBlock, run} from "./run_peer.js";

const jolt = await initJolt();
const {scene, ...options} = commandLine();
const FIXED = 0, MOVING = 1; // layers

const vector = (x) => new jolt.Vec3(...x);
const place = (x) => new jolt.RVec3(...x);
const quaternion = ([w, x, y, z]) => new jolt.Quat(x, y, z, w);

function makeWorld() {
    const settings = new jolt.JoltSettings();
    settings.mMaxBodies = scene.bodies.length + 64;
    settings.mMaxBodyPairs = Math.max(65536, 12 * scene.bodies.length);
    settings.mMaxContactConstraints = Math.max(16384, 8 * scene.bodies.length);
    const pairs = new jolt.ObjectLayerPairFilterTable(2);
    pairs.EnableCollision(FIXED, MOVING);
    if (scene.joints.length === 0) {
        pairs.EnableCollision(MOVING, MOVING); // jointed bodies do not touch
    }
    const layers = new jolt.BroadPhaseLayerInterfaceTable(2, 2);
    layers.MapObjectToBroadPhaseLayer(FIXED, new jolt.BroadPhaseLayer(0));
    layers.MapObjectToBroadPhaseLayer(MOVING, new jolt.BroadPhaseLayer(1));
    settings.mObjectLayerPairFilter = pairs;
    settings.mBroadPhaseLayerInterface = layers;
    settings.mObjectVsBroadPhaseLayerFilter = new jolt.ObjectVsBroadPhaseLayerFilterTable(layers, 2, pairs, 2);
    return new jolt.JoltInterface(settings);
}

// rounded corners of Jolt: at most a tenth of the box
const radiusOf = (half) => Math.min(0.05, 0.1 * Math.min(...half));

function makeShape({kind, numbers, plates}) {
    if (kind === "sphere") {
        return new jolt.SphereShape(numbers[0], null);
    }
    if (kind === "box") {
        return new jolt.BoxShape(vector(numbers), radiusOf(numbers), null);
    }
    const settings = kind === "hull" ? new jolt.ConvexHullShapeSettings() : new jolt.StaticCompoundShapeSettings();
    if (kind === "hull") {
        for (let i = 0; i < numbers.length; i += 3) {
            settings.mPoints.push_back(vector(numbers.slice(i, i + 3)));
        }
        settings.mMaxConvexRadius = 0.005;
    }
    for (const plate of plates) {
        settings.AddShape(vector(plate.position), quaternion(plate.orientation), new jolt.BoxShapeSettings(vector(plate.half), radiusOf(plate.half)), 0);
    }
    return settings.Create().Get();
}

const world = makeWorld();
const system = world.GetPhysicsSystem(), all = system.GetBodyInterface();
system.SetGravity(vector([0, 0, -9.81]));
const physics = system.GetPhysicsSettings();
physics.mAllowSleeping = false;
if (options.iterations > 0) {
    physics.mNumVelocitySteps = options.iterations;
}
system.SetPhysicsSettings(physics);

function add(settings, active) {
    settings.mFriction = scene.friction;
    settings.mRestitution = 0;
    settings.mAllowSleeping = false;
    settings.mLinearDamping = 0;
    settings.mAngularDamping = 0;
    const body = all.CreateBody(settings);
    all.AddBody(body.GetID(), active ? jolt.EActivation_Activate : jolt.EActivation_DontActivate);
    jolt.destroy(settings);
    return body;
}

for (const plane of scene.planes) {
    const block = planeBlock(plane, [0, 1, 0]);
    add(new jolt.BodyCreationSettings(new jolt.BoxShape(vector(block.half), 0.01, null), place(block.position), quaternion(block.orientation),
                                      jolt.EMotionType_Static, FIXED), false);
}
const shapes = scene.shapes.map(makeShape);
const bodies = scene.bodies.map((body) => {
    const settings = new jolt.BodyCreationSettings(shapes[body.shape], place(body.position), quaternion(body.orientation),
                                                   body.driven ? jolt.EMotionType_Kinematic : jolt.EMotionType_Dynamic, MOVING);
    // moments follow from the mass and the shape
    settings.mOverrideMassProperties = jolt.EOverrideMassProperties_CalculateInertia;
    settings.mMassPropertiesOverride.mMass = body.driven ? 1 : body.mass;
    const made = add(settings, true);
    all.SetLinearVelocity(made.GetID(), vector(body.velocity));
    all.SetAngularVelocity(made.GetID(), vector(body.spin));
    return made;
});
for (const {a, b, point} of scene.joints) {
    const settings = new jolt.PointConstraintSettings();
    settings.mPoint1 = place(point);
    settings.mPoint2 = place(point);
    system.AddConstraint(settings.Create(a < 0 ? jolt.Body.prototype.sFixedToWorld : bodies[a], bodies[b]));
}
system.OptimizeBroadPhase();

// what a getter returns is overwritten by the next call of its kind
const three = (x) => [x.GetX(), x.GetY(), x.GetZ()];
const four = (q) => [q.GetW(), q.GetX(), q.GetY(), q.GetZ()];
run(scene, {
    step: () => world.Step(scene.step, 1),
    state: () => bodies.map((body) => [...three(body.GetPosition()), ...four(body.GetRotation()), ...three(body.GetLinearVelocity()),
                                       ...three(body.GetAngularVelocity())]),
}, options);

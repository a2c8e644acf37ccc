// SPDX-License-Identifier: Apache-2.0
// Runs of bench/runs with MuJoCo: Newton's method on elliptic cones, softness as by default. Driven bodies are heavy ones on a hinge
// whose velocity is set before every step.
import loadMujoco from "@mujoco/mujoco";
import {commandLine, run, turnOnto} from "./run_peer.js";

const mujoco = await loadMujoco();
const {scene, ...options} = commandLine();
const text = (numbers) => numbers.map((x) => x.toPrecision(17)).join(" ");

function geoms({kind, numbers, plates}, shape) {
    const still = scene.joints.length > 0 ? ' contype="0" conaffinity="0"' : ""; // jointed bodies do not touch
    if (kind === "hull") {
        return `<geom type="mesh" mesh="hull${shape}"${still}/>`;
    }
    if (kind !== "drum") {
        return `<geom type="${kind}" size="${text(numbers)}"${still}/>`;
    }
    return plates.map((plate) => `<geom type="box" size="${text(plate.half)}" pos="${text(plate.position)}" quat="${text(plate.orientation)}"/>`).join("");
}

function bodyText(body, i) {
    const motion = body.driven
        ? '<joint type="hinge" axis="0 1 0"/><inertial pos="0 0 0" mass="1e8" diaginertia="1e8 1e8 1e8"/>'
        : `<freejoint/><inertial pos="0 0 0" mass="${text([body.mass])}" diaginertia="${text(body.moments)}"/>`;
    return `<body name="b${i}" pos="${text(body.position)}" quat="${text(body.orientation)}">${motion}${geoms(scene.shapes[body.shape], body.shape)}</body>`;
}

function modelText() {
    const hulls = scene.shapes.map(({kind, numbers}, i) => kind === "hull" ? `<mesh name="hull${i}" vertex="${text(numbers)}"/>` : "").join("");
    const planes = scene.planes.map(({normal, offset}) =>
        `<geom type="plane" size="0 0 1" pos="${text(normal.map((x) => x * offset))}" quat="${text(turnOnto([0, 0, 1], normal))}"/>`).join("");
    const joints = scene.joints.map(({a, b, point}) => `<connect body1="b${b}" ${a < 0 ? "" : `body2="b${a}"`} anchor="${
        text(point.map((x, k) => x - scene.bodies[b].position[k]))}"/>`).join("");
    const iterations = options.iterations > 0 ? ` iterations="${options.iterations}"` : "";
    return `<mujoco><compiler angle="radian"/><option timestep="${scene.step}" gravity="0 0 -9.81" solver="Newton" cone="elliptic" jacobian="sparse"${
        iterations}/><size memory="${scene.bodies.length > 600 ? 1500 : 600}M"/><default><geom friction="${scene.friction} 0 0" condim="3"/></default>` +
        `<asset>${hulls}</asset><worldbody>${planes}${scene.bodies.map(bodyText).join("")}</worldbody><equality>${joints}</equality></mujoco>`;
}

const model = mujoco.MjModel.from_xml_string(modelText());
const data = new mujoco.MjData(model);

// q w x y z turns v, given in the body's axes, into the world's
function turned([w, x, y, z], v) {
    const t = [2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])];
    return [v[0] + w * t[0] + y * t[2] - z * t[1], v[1] + w * t[1] + z * t[0] - x * t[2], v[2] + w * t[2] + x * t[1] - y * t[0]];
}

function start() {
    const v = data.qvel;
    let at = 0;
    for (const body of scene.bodies) {
        const [w, x, y, z] = body.orientation;
        const own = body.driven ? [body.spin[1]] : [...body.velocity, ...turned([w, -x, -y, -z], body.spin)];
        own.forEach((c, k) => { v[at + k] = c; });
        at += own.length;
    }
    mujoco.mj_forward(model, data);
}

function state() {
    const q = data.qpos, v = data.qvel, rows = [];
    let i = 0, k = 0;
    for (const body of scene.bodies) {
        if (body.driven) {
            rows.push([...body.position, Math.cos(q[i] / 2), 0, Math.sin(q[i] / 2), 0, 0, 0, 0, 0, v[k], 0]);
            i += 1;
            k += 1;
        } else {
            const turn = [q[i + 3], q[i + 4], q[i + 5], q[i + 6]];
            rows.push([q[i], q[i + 1], q[i + 2], ...turn, v[k], v[k + 1], v[k + 2], ...turned(turn, [v[k + 3], v[k + 4], v[k + 5]])]);
            i += 7;
            k += 6;
        }
    }
    return rows;
}

// body A and B, point, normal from B to A, impulse on A, gap; the forces are on the second geom, along a normal from the first
function contacts() {
    // views of the memory end where it grows: a copy
    const rows = [], force = new mujoco.DoubleBuffer(6), body = Array.from(model.geom_bodyid), all = data.contact;
    for (let i = 0; i < data.ncon; ++i) {
        const contact = all.get(i);
        mujoco.mj_contactForce(model, data, i, force);
        const f = force.GetView(), axes = contact.frame, p = contact.pos;
        const impulse = [0, 1, 2].map((k) => scene.step * (f[0] * axes[k] + f[1] * axes[3 + k] + f[2] * axes[6 + k]));
        rows.push([body[contact.geom2] - 1, body[contact.geom1] - 1, p[0], p[1], p[2], axes[0], axes[1], axes[2], ...impulse, contact.dist]);
    }
    return rows;
}

start();
run(scene, {
    step: () => {
        if (scene.bodies[0].driven) {
            data.qvel[0] = scene.bodies[0].spin[1];
        }
        mujoco.mj_step(model, data);
    },
    state,
    contacts,
}, options);

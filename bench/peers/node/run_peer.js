// SPDX-License-Identifier: Apache-2.0
// What the drivers of engines in Node.js share: the scene of bench/runs/scenes.py, CPU times of steps, and states for the judge; the
// counterpart of bench/peers/run_peer.h, which says what the files hold.
//
//     node DRIVER SCENE.txt STATE [iterations] [seconds]
import fs from "node:fs";

export function readScene(path) {
    const scene = {planes: [], shapes: [], bodies: [], joints: []};
    for (const line of fs.readFileSync(path, "ascii").split("\n")) {
        const [key, ...words] = line.split(" ");
        const x = words.map(Number);
        if (key === "step" || key === "steps" || key === "friction") {
            scene[key] = x[0];
        } else if (key === "plane") {
            scene.planes.push({normal: x.slice(0, 3), offset: x[3]});
        } else if (key === "shape") {
            scene.shapes.push(makeShape(words[0], x.slice(2)));
        } else if (key === "body") {
            scene.bodies.push({driven: x[0] === 1, shape: x[1], mass: x[2], moments: x.slice(3, 6), position: x.slice(6, 9),
                               orientation: x.slice(9, 13), velocity: x.slice(13, 16), spin: x.slice(16, 19)});
        } else if (key === "joint") {
            scene.joints.push({a: x[0], b: x[1], point: x.slice(2, 5)});
        }
    }
    if (!scene.steps || scene.bodies.length === 0) {
        throw new Error(`${path} is no scene`);
    }
    return scene;
}

// sphere: radius; box: half sizes; hull: points; drum: plates, each with a place and half sizes
function makeShape(kind, x) {
    const plates = [];
    for (let i = 0; kind === "drum" && i < x.length; i += 10) {
        plates.push({position: x.slice(i, i + 3), orientation: x.slice(i + 3, i + 7), half: x.slice(i + 7, i + 10)});
    }
    return {kind, numbers: x, plates};
}

// the shortest turn of the axis `from` onto the unit vector `to`, as w x y z
export function turnOnto(from, to) {
    const cross = [from[1] * to[2] - from[2] * to[1], from[2] * to[0] - from[0] * to[2], from[0] * to[1] - from[1] * to[0]];
    const w = 1 + from[0] * to[0] + from[1] * to[1] + from[2] * to[2];
    if (w < 1e-9) {
        return Math.abs(from[0]) < 0.5 ? [0, 1, 0, 0] : [0, 0, 0, 1]; // opposite: half a turn about an axis across
    }
    const length = Math.hypot(w, ...cross);
    return [w, ...cross].map((c) => c / length);
}

// engines without half-spaces get blocks of 120 x 120 x 10 m whose face lies in the plane; `axis` of the block is its normal
export function planeBlock(plane, axis) {
    return {position: plane.normal.map((c) => c * (plane.offset - 5)), orientation: turnOnto(axis, plane.normal),
            half: axis.map((c) => c === 0 ? 60 : 5)};
}

const cpu = () => {
    const {user, system} = process.cpuUsage();
    return 1e-6 * (user + system);
};

const store = (path, rows) => fs.writeFileSync(path, rows.map((row) => row.join(" ") + "\n").join(""));

const largestMb = () => Math.floor(Number(/VmHWM:\s+(\d+)/.exec(fs.readFileSync("/proc/self/status", "ascii"))[1]) / 1024);

// the engine has step(k), state(): 13 numbers per body, and contacts() of the last step where its impulses can be read
export function run(scene, engine, {state, seconds}) {
    const ms = [];
    let total = 0;
    while (ms.length < scene.steps && total < 1e3 * seconds) {
        const start = cpu();
        engine.step(ms.length);
        ms.push(1e3 * (cpu() - start));
        total += ms[ms.length - 1];
        if (ms.length === Math.floor(scene.steps * 3 / 4)) {
            store(state + ".75", engine.state());
        }
    }
    store(state, engine.state());
    if (engine.contacts) {
        engine.step(ms.length);
        store(state + ".contacts", engine.contacts());
        store(state + ".after", engine.state());
    }
    const quarter = Math.max(1, Math.floor(ms.length / 4));
    const last = ms.slice(-quarter).reduce((sum, x) => sum + x, 0);
    const sorted = [...ms].sort((a, b) => a - b);
    console.log(JSON.stringify({steps: ms.length, of: scene.steps, ms_mean: total / ms.length, ms_last: last / quarter,
                                ms_median: sorted[Math.floor(ms.length / 2)], ms_worst: sorted[ms.length - 1], mb: largestMb()}));
    process.exit(0); // threads of an engine would keep the process alive
}

// SCENE STATE [iterations] [seconds]; 0 iterations: the engine's own
export function commandLine() {
    const [scene, state, iterations = "0", seconds = "60"] = process.argv.slice(2);
    if (state === undefined) {
        console.error("usage: node DRIVER SCENE.txt STATE [iterations] [seconds]");
        process.exit(2);
    }
    return {scene: readScene(scene), state, iterations: Number(iterations), seconds: Number(seconds)};
}

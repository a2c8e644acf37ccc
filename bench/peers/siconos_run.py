#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs of bench/runs with Siconos: its own runner of mechanical scenes (Moreau-Jean, contacts of Bullet) with nsgs at 1e-4.

    siconos_run.py SCENE.txt STATE [iterations] [seconds]

What the files hold is in bench/peers/run_peer.h. It needs Debian's python3-siconos, which cannot be installed next to python3-paraview (both bring a VTK of
their own): unpacked anywhere, PYTHONPATH and LD_LIBRARY_PATH lead to it. Joints and driven bodies are left out: scenes that have them are refused.
"""

import json
import math
import os
import sys
import tempfile
import time

os.environ["OPENBLAS_NUM_THREADS"] = "1"


def read_scene(path):
    scene = {"planes": [], "shapes": [], "bodies": [], "joints": []}
    with open(path, encoding="ascii") as file:
        for line in file:
            key, *words = line.split()
            if key in ("step", "steps", "friction"):
                scene[key] = float(words[0])
            elif key == "shape":
                scene["shapes"].append((words[0], [float(x) for x in words[2:]]))
            else:
                scene["bodies" if key == "body" else key + "s"].append([float(x) for x in words])
    return scene


def turn_up(normal):
    """The turn of the z axis onto a unit vector, as w x y z."""
    x, y, z = normal
    if z < -1 + 1e-9:
        return [0, 1, 0, 0]
    length = math.sqrt((1 + z) ** 2 + x * x + y * y)
    return [(1 + z) / length, -y / length, x / length, 0]


def turned(quaternion, v):
    """From the body's axes into the world's."""
    w, x, y, z = quaternion
    t = (2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0]))
    return [v[0] + w * t[0] + y * t[2] - z * t[1], v[1] + w * t[1] + z * t[0] - x * t[2], v[2] + w * t[2] + x * t[1] - y * t[0]]


def add_shapes(io, scene):
    for i, (kind, x) in enumerate(scene["shapes"]):
        if kind == "sphere":
            io.add_primitive_shape(f"s{i}", "Sphere", (x[0],))
        elif kind == "box":
            io.add_primitive_shape(f"s{i}", "Box", tuple(2 * c for c in x), insideMargin=0.02 * min(x), outsideMargin=0.0)
        else:
            io.add_convex_shape(f"s{i}", [tuple(x[k:k + 3]) for k in range(0, len(x), 3)], insideMargin=0.002, outsideMargin=0.0)


def write_scene(path, scene, runner, contactor):
    with runner(io_filename=path) as io:
        io.add_Newton_impact_friction_nsl("contact", mu=scene["friction"], e=0.0)
        for i, (x, y, z, offset) in enumerate(scene["planes"]):
            io.add_primitive_shape(f"p{i}", "Box", (80, 80, 2))
            io.add_object(f"plane{i}", [contactor(f"p{i}")], translation=[c * (offset - 1) for c in (x, y, z)], orientation=turn_up((x, y, z)))
        add_shapes(io, scene)
        for i, (_, shape, mass, *x) in enumerate(scene["bodies"]):
            io.add_object(f"b{i}", [contactor(f"s{int(shape)}")], translation=x[3:6], orientation=x[6:10], velocity=x[10:16], mass=mass, inertia=x[:3])


class Watch:
    """Called before every step: its CPU time, the state at three quarters, and the end of the time."""

    def __init__(self, scene, state, seconds):
        self.ms, self.last, self.scene, self.state, self.seconds = [], None, scene, state, seconds

    def initialize(self, io):
        self.io = io

    def step(self):
        now = time.process_time()
        if self.last is not None:
            self.ms.append(1e3 * (now - self.last))
        if len(self.ms) == int(self.scene["steps"] * 3 // 4):
            self.store(".75")
        if sum(self.ms) > 1e3 * self.seconds:
            raise TimeoutError
        self.last = time.process_time()

    def store(self, end):
        import siconos.kernel as kernel
        graph = self.io._nsds.topology().dSG(0)
        with open(self.state + end, "w", encoding="ascii") as file:
            for body in kernel.dynamicalSystems(graph):
                q, v = list(body.q()), list(body.velocity())
                file.write(" ".join(repr(float(x)) for x in [*q, *v[:3], *turned(q[3:7], v[3:6])]) + "\n")


def largest_mb():
    with open("/proc/self/status", encoding="ascii") as file:
        return int(next(line for line in file if line.startswith("VmHWM:")).split()[1]) // 1024


def main():
    scene = read_scene(sys.argv[1])
    iterations = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    if scene["joints"] or any(body[0] for body in scene["bodies"]):
        sys.exit("joints and driven bodies are left out")
    out = os.dup(1)
    os.dup2(2, 1)  # its own messages are none of ours
    import siconos.kernel as kernel
    import siconos.numerics as numerics
    from siconos.io.mechanics_run import MechanicsHdf5Runner
    from siconos.mechanics.collision.bullet import SiconosBulletOptions
    from siconos.mechanics.collision.tools import Contactor
    watch = Watch(scene, sys.argv[2], float(sys.argv[4]) if len(sys.argv) > 4 else 60.0)
    bullet = SiconosBulletOptions()
    bullet.worldScale = 1.0
    bullet.contactBreakingThreshold = 0.005
    options = kernel.solver_options_create(numerics.SICONOS_FRICTION_3D_NSGS)
    options.iparam[numerics.SICONOS_IPARAM_MAX_ITER] = iterations or 10000
    options.dparam[numerics.SICONOS_DPARAM_TOL] = 1e-4
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "scene.hdf5")
        write_scene(path, scene, MechanicsHdf5Runner, Contactor)
        with MechanicsHdf5Runner(mode="r+", io_filename=path) as io:
            try:
                io.run(with_timer=False, bullet_options=bullet, controller=watch, t0=0, T=scene["step"] * (scene["steps"] + 1), h=scene["step"], theta=0.50001,
                       Newton_options=kernel.SICONOS_TS_LINEAR, Newton_max_iter=1, solver_options=options, output_frequency=10**9,
                       numerics_verbose=False, verbose=False, verbose_progress=False)
            except TimeoutError:
                pass
            watch.store("")
    ms = watch.ms[:int(scene["steps"])]
    quarter = max(1, len(ms) // 4)
    ordered = sorted(ms)
    os.write(out, (json.dumps({"steps": len(ms), "of": int(scene["steps"]), "ms_mean": sum(ms) / len(ms), "ms_last": sum(ms[-quarter:]) / quarter,
                               "ms_median": ordered[len(ms) // 2], "ms_worst": ordered[-1], "mb": largest_mb()}) + "\n").encode())


if __name__ == "__main__":
    main()

#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs are as true as their steps: rolling, resting, spinning, bouncing and fast bodies over many steps.

    STICTION_BIN=build/release/bin/stiction tests/cli/test_motion.py [-v] [Class.test]
"""

import json
import math
import os
import subprocess
import sys
import tempfile
import unittest

import h5py
import numpy as np

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BIN = os.path.abspath(os.environ.get("STICTION_BIN",
                                     os.path.join(ROOT, "build/release/bin/stiction")))
SCHEMES = ("moreau", "koziara", "theta")

DISC = """local a, t, al, g = 0.04, 0.002, math.rad(20), 9.81
material{name = "m", density = 7800, friction = 2}
floor{material = "m"}
local m, w = 7800 * math.pi * a * a * t, math.sqrt(4 * g * math.sin(al) / a)
body{name = "disc", mass = m, inertia = {m * a * a / 4, m * a * a / 4, m * a * a / 2}, material = "m",
     position = {0, 0, a * math.sin(al)}, orientation = {axis = {0, 1, 0}, angle = al},
     angular_velocity = {-w * math.cos(al), 0, w * math.sin(al)},
     shape = shape.cylinder{radius = a, height = t, position = {0, 0, t / 2}}}
solver "auto" {tolerance = 1e-12}
"""
ELLIPSOID = """local a, c, th = 0.1, 0.05, 0.2
material{name = "m", density = 1000, friction = 1}
floor{material = "m"}
body{name = "e", material = "m", orientation = {axis = {0, 1, 0}, angle = th},
     position = {0, 0, math.sqrt((c * math.cos(th))^2 + (a * math.sin(th))^2)},
     shape = shape.ellipsoid{semi_axes = {a, c, c}}}
solver "auto" {tolerance = 1e-12}
"""
SPIN = """gravity{0, 0, 0}
material{name = "m", density = 1000}
body{name = "b", material = "m", angular_velocity = {1, 30, 1}, shape = shape.box{size = {0.02, 0.1, 0.4}}}
"""
BOXES = """local s = param("s", 1)
material{name = "m", density = 1000, friction = 0.5}
floor{material = "m"}
body{name = "low", material = "m", position = {0, 0, 0.5 * s}, shape = shape.box{size = {s, s, s}}}
body{name = "high", material = "m", position = {0.2 * s, 0, 1.5 * s}, shape = shape.box{size = {s, s, s}}}
solver "auto" {tolerance = 1e-10}
"""
BALL = """material{name = "m", density = 1000, friction = 0, restitution = 0.8}
floor{material = "m"}
body{name = "ball", material = "m", position = {0, 0, 0.1 + param("height", 1)}, shape = shape.sphere{radius = 0.1}}
solver "auto" {tolerance = 1e-12}
"""
PADS = """material{name = "m", density = 1000, friction = 0.5}
body{name = "box", mass = 1, material = "m", shape = shape.box{size = {0.1, 0.1, 0.1}}}
for k = -1, 1, 2 do
  body{name = "finger"..k, mass = 0.5, material = "m", position = {0.06 * k, 0, 0}, force = {-k * param("force", 10), 0, 0},
       shape = shape.box{size = {0.02, 0.1, 0.1}}}
  joint.slider{name = "s"..k, a = "finger"..k, point = {0.06 * k, 0, 0}, axis = {1, 0, 0}}
end
"""
ROW = """gravity{0, 0, 0}
material{name = "m", density = 1000, friction = 0, restitution = 1}
for i = 1, 5 do
  body{name = "b" .. i, material = "m", position = {i * (0.1 + param("gap", 1e-6)), 0, 0},
       velocity = {i == 1 and 1 or 0, 0, 0}, shape = shape.sphere{radius = 0.05}}
end
solver "auto" {tolerance = 1e-12}
"""
PLATE = """gravity{0, 0, 0}
material{name = "m", density = 1000, friction = 0.5, restitution = param("e", 0)}
body{name = "plate", kind = "fixed", material = "m", shape = shape.box{size = {0.001, 0.2, 0.2}}}
body{name = "ball", material = "m", position = {-1.0321, param("y", 0), 0}, velocity = {param("v", 1000), 0, 0},
     shape = shape.sphere{radius = 0.005}}
solver "auto" {tolerance = 1e-12}
"""
CHAIN = """for i = 1, 20 do
  body{name = "l" .. i, mass = 0.1, inertia = {1e-6, 8.3e-5, 8.3e-5}, position = {0.1 * i - 0.05, 0, 0}}
  joint.point{name = "j" .. i, a = "l" .. i, b = i > 1 and "l" .. (i - 1) or nil, point = {0.1 * (i - 1), 0, 0}}
end
solver "auto" {tolerance = 1e-10}
"""
# links that hit each other
LINKS = """material{name = "m", density = 1000, friction = 0}
local n = param("n", 10)
for i = 1, n do
  body{name = "l" .. i, material = "m", position = {0.1 * i - 0.05, 0, 0}, shape = shape.box{size = {0.08, 0.02, 0.02}}}
  joint.hinge{name = "j" .. i, a = "l" .. i, b = i > 1 and "l" .. (i - 1) or "ground", point = {0.1 * (i - 1), 0, 0}, axis = {0, 1, 0}}
end
"""
# one body in a corner of two walls
CORNER = """material{name = "m", density = 1000, friction = 0, restitution = 1}
for k, n in ipairs{{1, 0, 0}, {-1, 0, 0}, {0, 0, 1}, {0, 0, -1}, {0, 1, 0}, {0, -1, 0}} do
  body{name = "w" .. k, kind = "fixed", material = "m", shape = shape.half_space{normal = n, offset = -0.3}}
end
gravity{0, 0, 0}
body{name = "b", material = "m", orientation = {axis = {1, 2, 3}, angle = 1}, velocity = {2, 1.3, -0.7},
     angular_velocity = {3, -2, 5}, shape = shape.box{size = {0.2, 0.1, 0.15}}}
"""
GRIPPER = """material{name = "rubber", density = 1100, friction = 0.9}
material{name = "tin", density = 1000, friction = 0.6}
floor{material = "tin"}
body{name = "can", material = "tin", position = {0, 0, 0.06}, shape = shape.cylinder{radius = 0.033, height = 0.12}}
body{name = "palm", kind = "prescribed", material = "rubber", position = {0, 0, 0.22},
     displacement = function(t) local s = math.max(0, math.min(1, t - 1)) return 0, 0, 0.2 * s * s * (3 - 2 * s) end,
     shape = shape.box{size = {0.2, 0.05, 0.03}}}
for _, side in ipairs{-1, 1} do
  local n = side < 0 and "left" or "right"
  body{name = n, material = "rubber", mass = 0.1, position = {side * 0.06, 0, 0.13}, shape = shape.box{size = {0.015, 0.04, 0.15}}}
  joint.slider{name = n .. "-slide", a = n, b = "palm", point = {side * 0.06, 0, 0.2}, axis = {-side, 0, 0},
               driven = true, speed = 0.05, drive_force = 20, contacts = false}
end
"""


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="stiction-motion-")
        self.addCleanup(self.folder.cleanup)

    def go(self, scene, step, duration, *words, scheme="koziara", frames=200):
        """The result file of a scene, and the line of JSON that ends the run."""
        source, result = (os.path.join(self.folder.name, name) for name in ("scene.lua", "r.h5"))
        with open(source, "w") as file:
            every = max(1, round(duration / step / frames))
            file.write(scene + f'scheme "{scheme}"\nrun{{step = {step!r}, duration = {duration!r}}}\n'
                       f"output{{every = {every}}}\n")
        said = subprocess.run([BIN, "run", source, "-o", result, "--force", "--json", *words],
                              capture_output=True, text=True, timeout=600)
        self.assertEqual(said.returncode, 0, said.stderr)
        file = h5py.File(result)
        self.addCleanup(file.close)
        return file, json.loads(said.stdout.splitlines()[-1])

    @staticmethod
    def energy(file):
        return file["frames/energy"][()].sum(axis=1)

    def body(self, file, name):
        return [n.decode() for n in file["bodies/name"][()]].index(name)


class Rolling(Case):
    def test_disc(self):
        """A disc that rolls on its rim with its centre at rest neither sinks nor loses energy."""
        for step, overlap in ((1e-3, 1e-8), (1e-2, 2e-5)):
            file, _ = self.go(DISC, step, 2.0)
            energy, deep = self.energy(file), file["steps/penetration"][()].max()
            change = abs(energy[-1] / energy[0] - 1)
            print(f"  disc, h = {step}: overlap {deep:.2e} m, dE/E {change:.1e}")
            self.assertLess(deep, overlap)
            self.assertLess(change, 1e-8)

    def test_ellipsoid(self):
        """A rocking ellipsoid: overlap and energy fall with the square of the step and more."""
        for scheme in SCHEMES:
            deep = {}
            for step in (1e-3, 1e-4):
                file, _ = self.go(ELLIPSOID, step, 5.0, scheme=scheme)
                energy = self.energy(file)
                deep[step] = file["steps/penetration"][()].max()
                change = abs(energy[-1] / energy[0] - 1)
                print(f"  ellipsoid, {scheme}, h = {step}: overlap {deep[step]:.2e} m, dE/E {change:.1e}")
                self.assertLess(change, 2e-6 if step == 1e-3 else 2e-9)
            self.assertLess(deep[1e-3], 4e-7)
            self.assertTrue(70 < deep[1e-3] / deep[1e-4] < 150, deep)


class Rest(Case):
    def test_boxes(self):
        """Two boxes at rest stay where they are, whatever the step and the size."""
        for scheme in SCHEMES:
            for size, step in ((1.0, 0.1), (1.0, 1e-3), (0.01, 0.01), (1e-4, 1e-3), (1e3, 0.1)):
                file, _ = self.go(BOXES, step, 500 * step, "--param", f"s={size}", scheme=scheme)
                place = file["motion/position"][()]
                moved = np.abs(place - place[0]).max()
                bound = 1e-8 * size + 1e-15 * 9.81 * step * 500 * step
                print(f"  boxes of {size} m, {scheme}, h = {step}: moved {moved / size:.1e} sizes")
                self.assertLess(moved, bound)


    def test_loose(self):
        """No tolerance decides whether a contact exists: boxes stay on each other with loose solves and long steps."""
        scene = BOXES.replace('solver "auto" {tolerance = 1e-10}', "")
        for scheme in SCHEMES:
            for tolerance in (1e-2, 1e-3, 1e-4, 1e-6):
                file, _ = self.go(scene, 0.1, 2.0, "--set", f"solver.tolerance={tolerance}", scheme=scheme)
                deep = file["steps/penetration"][()].max()
                print(f"  two boxes, {scheme}, tolerance {tolerance}, h = 0.1: overlap {deep:.1e} m")
                # an error of the velocity g h, in every step
                self.assertLess(deep, tolerance * 9.81 * 0.1 * 2.0)

    def grip(self, scheme, step, level):
        """How far the can moves in the closed grip, m."""
        file, _ = self.go(GRIPPER, step, 2.5, "--accuracy", level, scheme=scheme)
        place, closed = file["motion/position"][()], file["frames/time"][()] >= 0.9
        can = place[:, self.body(file, "can")]
        moved = max(np.abs((can - place[:, self.body(file, name)])[closed]
                           - (can - place[:, self.body(file, name)])[closed][0]).max() for name in ("left", "right"))
        bound = 1e-4 if level == "preview" else 1e-6
        print(f"  gripper, {scheme}, {level}, h = {step}: the can moves {moved:.1e} m of {bound:.0e}")
        self.assertLess(moved, bound)

    def test_gripper(self):
        """A can stays where it is in a closed grip, lifted or not."""
        for scheme in SCHEMES:
            self.grip(scheme, 2e-3, "standard")
        self.grip("koziara", 5e-3, "preview")
        self.grip("moreau", 5e-3, "standard")

    def test_pads(self):
        """Between equal pads a box is held above the limit of friction and falls by what is missing below it, without
        turning: a patch that shares its load unevenly would let it turn and drop."""
        for scheme in SCHEMES + ("consistent", "decomposed"):
            for force, step in ((9.9, 1e-3), (9.7, 1e-3), (9.7, 5e-3)):
                file, _ = self.go(PADS, step, 0.3, "--param", f"force={force}", scheme=scheme)
                moved = file["motion/position"][-1, self.body(file, "box"), 2]
                missing = max(0.0, 9.81 - force)
                # impacts and starts may be one step late: v h
                bound = max(1e-9, missing * 0.3 * step)
                print(f"  pads, {scheme}, {force} N, h = {step}: {moved:.6e} m of {-0.5 * missing * 0.09:.6e}")
                self.assertLess(abs(moved + 0.5 * missing * 0.09), bound)


class Free(Case):
    def test_spin(self):
        """A free box keeps energy and angular momentum at any step."""
        for scheme in ("moreau", "koziara"):
            for step in (1e-3, 5e-3, 1e-2, 2e-2):
                file, _ = self.go(SPIN, step, 100.0, scheme=scheme)
                energy = self.energy(file)
                q, w, J = (file["motion/orientation"][:, 0], file["motion/angular_velocity"][:, 0],
                           file["bodies/inertia"][0])
                back = 2 * (-q[:, 0, None] * np.cross(q[:, 1:], w) + np.cross(q[:, 1:], np.cross(q[:, 1:], w)))
                body = (w + back) @ J.T
                space = body + 2 * (q[:, 0, None] * np.cross(q[:, 1:], body)
                                    + np.cross(q[:, 1:], np.cross(q[:, 1:], body)))
                change = np.abs(energy / energy[0] - 1).max()
                drift = np.linalg.norm(space - space[0], axis=1).max() / np.linalg.norm(space[0])
                print(f"  free box, {scheme}, h = {step}, 100 s: energy {change:.1e}, momentum {drift:.1e}")
                self.assertLess(change, 1e-12)
                self.assertLess(drift, 1e-12)


class Impacts(Case):
    def test_bouncing_ball(self):
        """Place after three bounces by formula: second order. It comes to rest on the floor."""
        g, e, t = 9.81, 0.8, 1.5
        mean = {}
        for step in (1e-2, 1e-3):
            errors = []
            for height in np.linspace(0.9, 1.1, 8):
                clock, speed = math.sqrt(2 * height / g), e * math.sqrt(2 * g * height)
                while clock + 2 * speed / g < t:
                    clock, speed = clock + 2 * speed / g, e * speed
                exact = speed * (t - clock) - g * (t - clock) ** 2 / 2
                file, _ = self.go(BALL, step, t, "--param", f"height={height!r}")
                z = file["motion/position"][-1, self.body(file, "ball"), 2] - 0.1
                errors.append(z - exact)
            mean[step] = np.sqrt(np.mean(np.square(errors)))
            print(f"  bouncing ball, h = {step}: error {mean[step]:.1e} m")
        self.assertTrue(60 < mean[1e-2] / mean[1e-3] < 160, mean)
        file, _ = self.go(BALL, 1e-3, 9.0)
        z = file["motion/position"][-1, self.body(file, "ball"), 2] - 0.1
        print(f"  at rest {z:.1e} m above the floor")
        self.assertLess(abs(z), 1e-12)

    def test_row(self):
        """Five balls with small gaps: the last one leaves alone with all the energy."""
        for gap in (1e-6, 1e-4, 1e-3):
            file, _ = self.go(ROW, 1e-3, 0.1, "--param", f"gap={gap}")
            v = file["motion/velocity"][-1, :, 0]
            print(f"  row of balls, gap {gap}: {v}")
            self.assertLess(np.abs(v - np.array([0, 0, 0, 0, 1])).max(), 1e-12)

    def test_corner(self):
        """A box that hits several walls at once with e = 1 never gains energy."""
        for scheme in ("moreau", "koziara"):
            file, _ = self.go(CORNER, 1e-3, 10.0, scheme=scheme)
            energy = self.energy(file)
            gain = energy.max() / energy[0] - 1
            print(f"  box among six walls, {scheme}: energy {gain:.1e}, contacts {file['steps/contacts'][()].sum()}")
            self.assertLess(gain, 1e-6)

    def test_tilted_plate(self):
        """Nothing passes a thin tilted plate, however it turns when it is hit."""
        bodies = {"ellipsoid": "shape.ellipsoid{semi_axes = {.03, .02, .01}}", "box": "shape.box{size = {.04, .04, .04}}",
                  "capsule": "shape.capsule{radius = .01, length = .05}", "cylinder": "shape.cylinder{radius = .02, height = .03}"}
        normal = np.array([math.cos(0.4), 0, -math.sin(0.4)])
        for scheme, v, e in (("moreau", 100.0, 0.0), ("koziara", 300.0, 0.5), ("theta", 30.0, 0.0), ("theta", 100.0, 0.0)):
            for name, shape in bodies.items():
                scene = f"""gravity{{0, 0, 0}}
material{{name = "m", density = 1000, friction = 0, restitution = {e}}}
body{{name = "plate", kind = "fixed", material = "m", orientation = {{axis = {{0, 1, 0}}, angle = 0.4}}, shape = shape.box{{size = {{0.001, 2, 2}}}}}}
body{{name = "b", material = "m", position = {{-0.677, 0, 0}}, velocity = {{{v}, 0, 0}}, angular_velocity = {{0, 3, 7}}, shape = {shape}}}
"""
                file, _ = self.go(scene, 1e-3, round(1.5 / v, 3), scheme=scheme)
                place = file["motion/position"][-1, self.body(file, "b")] @ normal
                print(f"  {name} at {v} m/s, e = {e}, {scheme}: ends {place:.3f} m from the plate, parts of a step "
                      f"{file['steps/substeps'][()].max()}")
                self.assertLess(place, 0)

    def test_thin_plate(self):
        """What moves many times its size in a step is stopped by a thin plate, or passes beside it."""
        for v in (10.0, 200.0, 3000.0):
            for e in (0.0, 1.0):
                file, _ = self.go(PLATE, 1e-3, max(0.004, 3 / v), "--param", f"v={v}", "--param", f"e={e}")
                ball = self.body(file, "ball")
                x, u = file["motion/position"][-1, ball, 0], file["motion/velocity"][-1, ball, 0]
                print(f"  ball at {v} m/s, e = {e}: ends at {x:.6f} m with {u:.3f} m/s")
                self.assertLess(x, -0.0055 + 1e-8)
                self.assertLess(abs(u + e * v), 1e-9 * v)
            file, _ = self.go(PLATE, 1e-3, 2 / v, "--param", f"v={v}", "--param", "y=0.106")
            u = file["motion/velocity"][-1, self.body(file, "ball"), 0]
            self.assertEqual(u, v)


class Joints(Case):
    def test_load(self):
        """A load on light links swings as it ought to: leapfrog steps are split where the tension of the joints asks for it."""
        links = "".join(f"""body{{name = "l{k}", mass = 0.1, position = {{0, 0, {-0.05 - 0.1 * k!r}}}, shape = shape.capsule{{radius = 0.01, length = 0.08}}}}
joint.point{{name = "j{k}", a = "l{k}", b = "{f'l{k - 1}' if k else 'ground'}", point = {{0, 0, {-0.1 * k!r}}}}}
""" for k in range(2))
        scene = links + """body{name = "load", mass = 100, position = {0, 0, -0.4}, velocity = {0.01, 0, 0}, shape = shape.sphere{radius = 0.2}}
joint.point{name = "hook", a = "load", b = "l1", point = {0, 0, -0.2}}
"""
        for scheme in ("moreau", "koziara"):
            for step in (5e-3, 1e-2):
                file, end = self.go(scene, step, 4.0, scheme=scheme)
                energy = self.energy(file) - file["frames/energy"][0, 1]
                print(f"  load on links, {scheme}, h = {step}: energy {energy[0]:.4e} J at the start, {energy.max():.4e} at most, {energy.min():.4e} at least, "
                      f"{file['steps/substeps'][()].max()} parts of a step")
                self.assertLess(energy.max(), 1.01 * energy[0])
                self.assertGreater(energy.min(), 0.9 * energy[0])

    def test_door(self):
        """A door that fell onto a loose box rests on it: joints keep no velocity of the impact."""
        for scheme in SCHEMES:
            file, _ = self.go("""material{name = "m", friction = 0.4, density = 500}
floor{material = "m"}
body{name = "d", material = "m", position = {0.5, 0, 0.3}, angular_velocity = {0, 8, 0}, velocity = {0, 0, -4}, shape = shape.box{size = {1, 0.5, 0.04}}}
body{name = "b", material = "m", position = {0.8, 0, 0.05}, mass = 0.01, shape = shape.box{size = {0.1, 0.1, 0.1}}}
joint.hinge{name = "h", a = "d", b = "ground", point = {0, 0, 0.3}, axis = {0, 1, 0}}
""", 0.05, 60.0, scheme=scheme)
            place, time = file["motion/position"][()][:, self.body(file, "b")], file["frames/time"][()]
            rested = time >= 10.0
            creep = np.abs(place[-1] - place[rested][0]).max() / (time[-1] - time[rested][0])
            # 1e-9 of the size of the smaller body in a second
            print(f"  door on a box, {scheme}: creep {creep:.1e} m/s")
            self.assertLess(creep, 1e-9 * 0.1 * math.sqrt(3))

    def test_vise(self):
        """A box between jaws with 12 N each at mu = 0.5 holds against 9.81 N."""
        file, _ = self.go("""gravity{0, 0, 0}
material{name = "m", friction = 0.5, density = 1000}
for _, side in ipairs{-1, 1} do
  body{name = "j" .. side, mass = 0.5, material = "m", position = {0.2 * side, 0, 0}, shape = shape.box{size = {0.05, 0.1, 0.2}}}
  joint.slider{name = "s" .. side, a = "j" .. side, b = "ground", point = {0.2 * side, 0, 0}, axis = {-side, 0, 0}, driven = true, speed = 0.2, drive_force = 12}
end
body{name = "box", mass = 1, material = "m", position = {0.01, 0, 0}, shape = shape.box{size = {0.2, 0.1, 0.2}},
     force = function(t) return 0, 0, (t < 2 and 0 or -9.81) end}
""", 0.02, 30.0, scheme="theta")
        fallen = np.abs(file["motion/position"][()][:, self.body(file, "box"), 2]).max()
        print(f"  vise, theta: the box falls by {fallen:.1e} m in 28 s")
        self.assertLess(fallen, 1e-6)

    def test_chain(self):
        """A falling chain stays closed, and what closing it costs is in the ledger."""
        file, _ = self.go(CHAIN, 1e-3, 2.0)
        ledger = dict(zip(file["steps/ledger"].attrs["names"].decode().split(),
                          file["steps/ledger"][()].sum(axis=0)))
        works = ("applied", "impact", "friction", "damping", "constraint", "prescribed", "correction")
        rest = ledger["kinetic"] + ledger["potential"] - sum(ledger[name] for name in works)
        place, q = file["motion/position"][-1], file["motion/orientation"][-1]

        def point(name, arm):
            k = self.body(file, name)
            a, v = q[k, 0], q[k, 1:]
            arm = np.array(arm)
            return place[k] + arm + 2 * (a * np.cross(v, arm) + np.cross(v, np.cross(v, arm)))

        gap = max(np.linalg.norm(point(f"l{i}", (0.05, 0, 0)) - point(f"l{i + 1}", (-0.05, 0, 0)))
                  for i in range(1, 20))
        print(f"  chain: gap {gap:.1e} m, correction {ledger['correction']:.2e} J, joints "
              f"{ledger['constraint']:.1e} J, not explained {rest:.1e} J")
        self.assertLess(gap, 1e-5)
        self.assertLess(abs(ledger["correction"]), 1e-3)
        self.assertLess(abs(ledger["constraint"]), 1e-6)
        self.assertLess(abs(rest), 1e-8)

    def test_start(self):
        """Velocities that contradict a joint are put on it in the first step, and the ledger names the loss."""
        scene = """body{name = "a", mass = 1, inertia = {1, 1, 1}, position = {1, 0, 0}, velocity = {1, 0, 0}}
joint.hinge{name = "h", a = "a", point = {0, 0, 0}, axis = {0, 1, 0}}
gravity{0, 0, 0}
"""
        for scheme in SCHEMES:
            file, _ = self.go(scene, 1e-3, 0.1, scheme=scheme)
            left = np.abs(file["motion/velocity"][-1]).max()
            names = file["steps/ledger"].attrs["names"].decode().split()
            lost = file["steps/ledger"][()].sum(axis=0)[names.index("constraint")]
            print(f"  start off a joint, {scheme}: {left:.1e} m/s left, {lost:.6f} J")
            self.assertLess(left, 1e-9)
            self.assertLess(abs(lost + 0.5), 1e-6)

    def test_links(self):
        """Links of chains that hit each other do not make energy, whatever the step."""
        for scheme in SCHEMES:
            for links, step in ((4, 2e-3), (10, 1e-2)):
                file, _ = self.go(LINKS, step, 5.0, "--param", f"n={links}", scheme=scheme)
                energy = self.energy(file)
                exchanged = np.abs(file["frames/energy"][()][:, 0]).max()
                gain = np.maximum.accumulate(energy).max() - energy[0]
                print(f"  {links} links, {scheme}, h = {step}: kinetic energy up to {exchanged:.3f} J, gain {gain:.1e} J, "
                      f"loss {energy[0] - energy[-1]:.3f} J")
                self.assertLess(gain, 0.02 * exchanged)
                self.assertLess(energy[-1], energy[0])


if __name__ == "__main__":
    unittest.main(verbosity=2)

#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""stiction limit: answers, words, bounds, runs, files and exit codes.

    STICTION_BIN=build/release/bin/stiction tests/cli/test_limit.py [-v] [Class.test]
"""

import json
import math
import os
import subprocess
import sys
import tempfile
import unittest

import h5py

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BIN = os.path.abspath(os.environ.get("STICTION_BIN",
                                     os.path.join(ROOT, "build/release/bin/stiction")))
ARCH = os.path.join(ROOT, "scenes/arch.lua")
WALL = os.path.join(ROOT, "studies", "lourenco.lua")
DONE, UNSOLVED, USAGE, INPUT = 0, 1, 2, 3
# a box that slides at its friction and tips at width over height, with a load of a tenth of its weight
BOX = """local h = param("height", 0.5)
material{name = "m", density = 1000, friction = param("mu", 0.3)}
floor{material = "m"}
body{name = "box", material = "m", position = {0, 0, h / 2}, force = {0.1 * 160 * h * 9.81, 0, 0},
     shape = shape.box{size = {0.4, 0.4, h}}}
run{step = 0.005, duration = 0.2}
"""


def run(*words):
    return subprocess.run([BIN, "limit", *words], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, check=False, timeout=300)


class Limit(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.box = self.write("box.lua", BOX)

    def tearDown(self):
        self.folder.cleanup()

    def write(self, name, text):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def answer(self, *words, code=DONE):
        done = run(*words, "--json")
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def test_load(self):
        # slides when the push is friction times weight
        found = self.answer(self.box, "--vary", "load")
        self.assertAlmostEqual(found["limit"], 3.0, delta=1e-7)
        self.assertEqual(found["mode"], "sliding")
        self.assertEqual([r["stands"] for r in found["runs"]], [True, False])
        self.assertLessEqual(found["inside"]["falls"], found["exact"]["falls"] * (1 + 1e-8))
        self.assertGreaterEqual(found["around"]["stands"], found["exact"]["stands"] * (1 - 1e-8))
        # tips when it is width over height of the weight
        found = self.answer(self.box, "--vary", "load", "--param", "height=2", "--param", "mu=0.5")
        self.assertAlmostEqual(found["limit"], 2.0, delta=1e-7)
        self.assertEqual(found["mode"], "hinging")

    def test_acceleration_and_tilt(self):
        # a push along the load has a tenth of gravity already, across it all of friction is not left
        along = self.answer(self.box, "--vary", "acceleration")["limit"]
        self.assertAlmostEqual(along, 0.2 * 9.81, delta=1e-6)
        across = self.answer(self.box, "--vary", "acceleration", "--direction", "0,1,0")["limit"]
        self.assertAlmostEqual(across, math.sqrt(0.08) * 9.81, delta=1e-6)
        free = self.write("free.lua", BOX.replace("0.1 * 160", "0 * 160"))
        tilt = self.answer(free, "--vary", "tilt")["limit"]
        self.assertAlmostEqual(tilt, math.degrees(math.atan(0.3)), delta=1e-6)

    def test_tilt(self):
        # what slides as a whole: forces inside it are in no way unique where it slides; every joint of a stack at once
        wall = "wall{courses = 3, bricks = 3, brick = {0.2, 0.1, 0.1}, material = 'm'}"
        stack = """for k = 0, 4 do body{name = "b" .. k, material = "m", position = {0, 0, 0.1 + 0.2 * k}, shape = shape.box{size = {0.3, 0.3, 0.2}}} end"""
        held = """body{name = "b", material = "m", position = {0, 0, 0.1}, force = {100, 0, 0}, shape = shape.box{size = {1, 0.5, 0.2}}}"""
        # 100 N beside a weight of 1962 N: sin - 0.5 cos = -100/1962
        pushed = math.atan(0.5) - math.asin(100 / (2000 * 0.1 * 9.81) / math.hypot(1, 0.5))
        for bodies, friction, g, density, ways in (
                (wall, 0.05, 9.81, 2000, {"1,0,0": math.atan(0.05), "0,1,0": math.atan(0.05)}),
                # newtons, kilograms and millimetres
                (wall.replace("0.2, 0.1, 0.1", "200, 100, 100"), 0.3, 9810, 2e-6, {"1,0,0": math.atan(0.3), "0.6,-0.8,0": math.atan(0.3)}),
                (wall, 0.8, 9.81, 2000, {"0,1,0": math.atan(1 / 3)}),
                (stack, 0.05, 9.81, 2000, {"1,0,0": math.atan(0.05)}),
                (stack, 0.6, 9.81, 2000, {"1,0,0": math.atan(0.3), "1,1,0": math.atan(0.3 * math.sqrt(2))}),
                (held, 0.5, 9.81, 2000, {"1,0,0": pushed}),
        ):
            scene = self.write("tilt.lua", f"""gravity{{0, 0, -{g}}}
                material{{name = "m", density = {density}, friction = {friction}}}
                floor{{material = "m"}}
                {bodies}
                run{{step = 1e-3, duration = 0.01}}""")
            for way, angle in ways.items():
                found = self.answer(scene, "--vary", "tilt", "--direction", way, "--no-check")
                for cone in ("exact",) if "0,0" not in way else ("inside", "exact", "around"):
                    self.assertEqual(found[cone]["outcome"], "found")
                    self.assertLessEqual(found[cone]["programs"], 10)
                self.assertAlmostEqual(found["exact"]["stands"] / math.degrees(angle), 1, delta=1e-8)
                self.assertAlmostEqual(found["exact"]["falls"] / math.degrees(angle), 1, delta=1e-8)
        # runs agree: with friction 0.05 the wall slides as one
        scene = self.write("tilt.lua", f"""material{{name = "m", density = 2000, friction = 0.05}}
            floor{{material = "m"}}
            {wall}
            run{{step = 1e-3, duration = 0.3}}""")
        found = self.answer(scene, "--vary", "tilt", "--margin", "0.02")
        self.assertEqual(found["mode"], "sliding")
        self.assertEqual([r["stands"] for r in found["runs"]], [True, False])
        # as does what stands of a stack of four when friction is searched for: gravity of slope 1/3
        found = self.answer(self.write("friction.lua", "\n".join(("gravity{3, 0, -9}", "material{name = 'm', density = 2000, friction = 1}",
                                                                 "floor{material = 'm'}", stack.replace("0.3, 0.3", "0.8, 0.3")))),
                            "--vary", "friction", "--no-check")
        self.assertAlmostEqual(found["exact"]["stands"] * 3, 1, delta=2e-8)
        self.assertAlmostEqual(found["exact"]["falls"] * 3, 1, delta=2e-8)
        # bisection would take 28
        self.assertLessEqual(found["exact"]["programs"], 45)
        # without friction any tilt is too much
        scene = self.write("ice.lua", BOX.replace('param("mu", 0.3)', "0").replace("0.1 * 160", "0 * 160"))
        found = self.answer(scene, "--vary", "tilt", "--no-check")
        self.assertEqual([found["exact"]["stands"], found["exact"]["falls"]], [0, 0])

    def test_friction(self):
        found = self.answer(self.box, "--vary", "friction")
        self.assertAlmostEqual(found["limit"], 0.1, delta=1e-8)
        self.assertEqual([r["stands"] for r in found["runs"]], [True, False])

    def test_parameter(self):
        # 0.106721 and 0.194743 of the radius by plane linear programs
        for friction, limit, mode in ((0.4, 1.06721, "hinging"),
                                      (0.311, 1.94743, "sliding and hinging")):
            found = self.answer(ARCH, "--vary", "thickness", "--between", "0.5:2.5", "--param",
                                f"friction={friction}")
            self.assertAlmostEqual(found["limit"], limit, delta=1e-5)
            self.assertEqual(found["mode"], mode)
            self.assertEqual([r["stands"] for r in found["runs"]], [True, False])
            # the bounds enclose the limit and each other
            self.assertLess(found["exact"]["falls"], found["exact"]["stands"])
            self.assertLess(found["exact"]["stands"] - found["exact"]["falls"], 1e-7)
            self.assertLessEqual(found["around"]["falls"], found["exact"]["stands"])
            # resultants of joints are inside of the stones: the line of thrust
            for joint in found["joints"]:
                radius = math.hypot(joint["point"][0], joint["point"][2])
                self.assertLessEqual(abs(radius - 10), found["limit"] / 2 * (1 + 1e-6))
                # joints lie along the radius, their middle at 10 m
                self.assertAlmostEqual(joint["eccentricity"], abs(radius - 10) / (found["limit"] / 2), delta=1e-5)
                if joint["hinges"] and not joint["slides"]:
                    self.assertAlmostEqual(joint["eccentricity"], 1, delta=1e-4)

    def test_joints_of_a_wall(self):
        # all contacts of two bodies, whichever of them a contact names first: as many pairs as faces share
        found = self.answer(WALL, "--vary", "load", "--no-check", "--param", "control=limit", "--param", "rule=manifold")
        pairs = {frozenset((joint["a"], joint["b"])) for joint in found["joints"]}
        self.assertEqual([len(found["joints"]), len(pairs)], [147, 147])
        # a joint that turns about its border is pressed there (complementary slackness)
        largest = max(math.hypot(*joint["force"]) for joint in found["joints"])
        turning = [joint["eccentricity"] for joint in found["joints"]
                   if joint["hinges"] and not joint["slides"] and math.hypot(*joint["force"]) > 1e-3 * largest]
        self.assertGreater(len(turning), 0)
        for eccentricity in turning:
            self.assertAlmostEqual(eccentricity, 1, delta=1e-3)

    def test_units_and_order(self):
        # loads of 1 N on weights from 1e-9 N to 1e12 N: a push tips the box at weight width / (2 height)
        for size in (1e-3, 1.0, 1e4):
            scene = self.write("size.lua", f"""local s = {size}
                material{{name = "m", density = 2000, friction = 1}}
                floor{{material = "m"}}
                body{{name = "b", position = {{0, 0, 0.25 * s}}, material = "m", shape = shape.box{{size = {{0.2 * s, 0.3 * s, 0.5 * s}}}}}}
                load{{body = "b", point = {{0, 0, 0.5 * s}}, force = {{1, 0, 0}}}}
                run{{step = 0.001, duration = 0.01}}""")
            exact = 2000 * 0.03 * size**3 * 9.81 * 0.2
            found = self.answer(scene, "--vary", "load", "--no-check")
            for cone in ("inside", "exact", "around"):
                self.assertAlmostEqual(found[cone]["stands"] / exact, 1, delta=1e-8)
                self.assertAlmostEqual(found[cone]["falls"] / exact, 1, delta=1e-8)
        # every brick about to tip at once
        stack = self.write("stack.lua", """local f, x = param("f", 0.9), 0
            material{name = "m", density = 2000, friction = 0.6}
            body{name = "table", kind = "fixed", position = {-1, 0, -0.5}, shape = shape.box{size = {2, 1, 1}, material = "m"}}
            for k = 5, 1, -1 do
              x = x + f * 0.1 / k
              body{name = "b" .. k, position = {x - 0.1, 0, (5 - k + 0.5) * 0.1}, shape = shape.box{size = {0.2, 0.1, 0.1}, material = "m"}}
            end
            run{step = 0.001, duration = 0.01}""")
        found = self.answer(stack, "--vary", "f", "--between", "0.5:1.5", "--no-check")
        self.assertAlmostEqual(found["limit"], 1, delta=1e-8)
        self.assertEqual(found["mode"], "hinging")
        for cone in ("inside", "exact", "around"):
            self.assertAlmostEqual(found[cone]["stands"], 1, delta=2e-8)
            self.assertAlmostEqual(found[cone]["falls"], 1, delta=2e-8)

    def test_turning(self):
        # a box spun about the vertical: its centre stays, its corners do not
        spin = self.write("spin.lua", BOX.replace("force = {0.1 * 160 * h * 9.81, 0, 0}", "torque = {0, 0, 1}"))
        found = self.answer(spin, "--vary", "load")
        self.assertAlmostEqual(found["limit"], 0.3 * 80 * 9.81 * math.hypot(0.2, 0.2), delta=1e-6)
        self.assertEqual([r["stands"] for r in found["runs"]], [True, False])
        self.assertGreater(found["runs"][1]["moved"], 1e-3)

    def test_run_that_ends_early(self):
        # a step beyond the stable one of a stiff body: the runs say nothing, neither standing nor falling
        scene = self.write("stiff.lua", """material{name = "m", density = 2000, friction = 0.8}
            floor{material = "m"}
            body{name = "b", kind = "pseudo_rigid", young = 1e9, poisson = 0.2, material = "m", position = {0, 0, 0.5}, shape = shape.box{size = {0.5, 0.5, 1}}}
            run{step = 0.001, duration = 0.3}""")
        found = self.answer(scene, "--vary", "acceleration", "--direction", "1,0,0", code=UNSOLVED)
        self.assertAlmostEqual(found["exact"]["stands"] / (9.81 * 0.5), 1, delta=1e-8)
        self.assertEqual([(r["stands"], r["falls"]) for r in found["runs"]], [(False, False)] * 2)
        self.assertIn("on the standing side: not known", run(scene, "--vary", "acceleration", "--direction", "1,0,0").stdout)

    def test_no_limit(self):
        found = self.answer(self.box, "--vary", "friction", "--between", "0.2:0.5", code=UNSOLVED)
        self.assertEqual(found["outcome"], "unlimited")
        found = self.answer(self.box, "--vary", "friction", "--between", "0.01:0.05", code=UNSOLVED)
        self.assertEqual(found["outcome"], "none")
        done = run(self.box, "--vary", "friction", "--between", "0.2:0.5")
        self.assertIn("stands at both", done.stdout)

    def test_wedge(self):
        # forces that wedge a block between two walls, which no motion has pressed together: it falls
        shaft = self.write("shaft.lua", """material{name = "m", density = 2000, friction = 0.5}
for _, s in ipairs{-1, 1} do
    body{name = "wall" .. s, kind = "fixed", material = "m", position = {s, 0, 0}, shape = shape.box{size = {1, 1, 4}}}
end
body{name = "block", material = "m", position = {0, 0, 0}, shape = shape.box{size = {1, 0.5, 0.5}}}
load{body = "block", point = {0, 0, 0}, force = {0, 0, -100}}
run{step = 1e-3, duration = 0.3}
""")
        found = self.answer(shaft, "--vary", "load", code=UNSOLVED)
        self.assertEqual(found["outcome"], "unlimited")
        self.assertEqual([r["stands"] for r in found["runs"]], [False])
        # free fall under weight and load, all the way
        self.assertAlmostEqual(found["runs"][0]["moved"], 0.5 * (9.81 + 100 / 500 / 2) * 0.3**2, delta=5e-3)
        self.assertIn("motion begins all the same", run(shaft, "--vary", "load").stdout)

    def test_elements(self):
        # one contact in the middle of each pair of elements: joints of 2/3 of the thickness for the line of thrust
        arch = self.write("elements.lua", """contacts{rule = "centroid"}
material{name = "m", density = 2400, friction = param("mu", 0.7)}
arch{blocks = 15, thickness = param("t", 1), material = "m", elements = {2, param("n", 3)}}
run{step = 1e-3, duration = 1e-3}
""")
        for mu in ("0.7", "0.34", "0.31"):
            found = self.answer(arch, "--vary", "t", "--between", "0.5:4", "--no-check", "--param", f"mu={mu}")
            for cone in ("exact", "inside", "around"):
                self.assertLess(found[cone]["stands"] / found[cone]["falls"] - 1, 1e-8)
            self.assertLessEqual(found["around"]["falls"], found["exact"]["stands"] * (1 + 1e-8))
            self.assertLessEqual(found["exact"]["falls"], found["inside"]["stands"] * (1 + 1e-8))
        # many elements come near to whole joints
        found = self.answer(arch, "--vary", "t", "--between", "0.5:4", "--no-check", "--param", "n=12")
        self.assertAlmostEqual(found["limit"] / 10 * 11 / 12, 0.106068, delta=4e-4)

    def test_elements_on_a_plane(self):
        # a brick of two elements with one contact each, in the middle of what stands on the floor: it tips about them
        brick = self.write("brick.lua", """contacts{rule = "centroid"}
material{name = "m", density = 2400, friction = 0.7}
floor{material = "m"}
wall{courses = 1, bricks = 1, brick = {0.3, 0.12, 0.6}, material = "m", elements = {1, 2}}
run{step = 1e-3, duration = 1e-3}
""")
        found = self.answer(brick, "--vary", "tilt", "--direction", "0,1,0", "--no-check")
        self.assertAlmostEqual(found["limit"] / math.degrees(math.atan2(0.03, 0.3)), 1, delta=1e-8)

    def test_file(self):
        path = os.path.join(self.folder.name, "out.h5")
        done = run(self.box, "--vary", "load", "--no-check", "-o", path)
        self.assertEqual(done.returncode, DONE, done.stderr)
        self.assertIn("fails by sliding", done.stdout)
        with h5py.File(path, "r") as file:
            self.assertEqual(len(file["frames/time"]), 41)
            # the ground carries box and push; what slides moves against the ground
            force = file["pairs/force"][-1] * (1 if file["pairs/body"][-1][0] == 1 else -1)
            self.assertAlmostEqual(force[2], 80 * 9.81, delta=1e-3)
            self.assertAlmostEqual(force[0], -0.3 * 80 * 9.81, delta=1e-3)
            self.assertGreater(file["motion/position"][-1][1][0], 0.1)
        again = run(self.box, "--vary", "load", "--no-check", "-o", path)
        self.assertNotEqual(again.returncode, DONE)
        again = run(self.box, "--vary", "load", "--no-check", "-o", path, "-f")
        self.assertEqual(again.returncode, DONE, again.stderr)

    def test_refusals(self):
        for words, code, text in (
                ((self.box,), USAGE, "--vary WHAT is needed"),
                ((self.box, "--vary", "height"), USAGE, "needs --between"),
                ((self.box, "--vary", "load", "--between", "0:1"), USAGE, "is not searched for"),
                ((self.box, "--vary", "tilt", "--between", "3"), USAGE, "is not A:B"),
                ((self.box, "--vary", "tilt", "--direction", "0,0,0"), USAGE, "needs a length"),
                ((self.box, "--vary", "tilt", "--direction", "0,0,1"), USAGE, "along gravity"),
                ((self.box, "--vary", "tilt", "--facets", "2"), USAGE, "from 3 to"),
                ((self.box, "--vary", "heigth", "--between", "1:2"), USAGE, "did you mean 'height'"),
                ((ARCH, "--vary", "load"), USAGE, "no body has a force"),
                ((os.path.join(ROOT, "scenes/elastic-bars.lua"), "--vary", "acceleration"), INPUT,
                 "not elastic ones"),
                ((os.path.join(ROOT, "scenes/woodpecker.lua"), "--vary", "tilt"), INPUT,
                 "needs a world"),
        ):
            done = run(*words)
            self.assertEqual(done.returncode, code, (words, done.stderr))
            self.assertIn(text, done.stderr)
            self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    unittest.main()

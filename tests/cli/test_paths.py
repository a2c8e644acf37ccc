#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Quasi-static paths past the peak: loads whose factor the scheme finds, against closed forms.

    STICTION_BIN=build/release/bin/stiction tests/cli/test_paths.py [-v] [Class.test]
"""

import csv
import math
import os
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BIN = os.path.abspath(os.environ.get("STICTION_BIN", os.path.join(ROOT, "build/release/bin/stiction")))

TRUSS = """
gravity{0, 0, 0}
local soft, L = param("soft", 0), math.sqrt(1.09)
body{name = "apex", kind = "point", mass = 1, position = {0, 0, 0.3}}
for _, to in ipairs{{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}} do
    joint.span{a = "apex", b = "ground", point = {0, 0, 0.3}, to = to, stiffness = 500, rest = L}
end
if soft > 0 then
    body{name = "head", kind = "point", mass = 1, position = {0, 0, 1.3}}
    joint.span{a = "head", b = "apex", point = {0, 0, 1.3}, to = {0, 0, 0.3}, stiffness = soft, rest = 1}
    for _, to in ipairs{{50, 0, 1.3}, {-50, 0, 1.3}, {0, 50, 1.3}, {0, -50, 1.3}} do
        joint.span{a = "head", b = "ground", point = {0, 0, 1.3}, to = to, stiffness = 100, rest = 50}
    end
    load{body = "head", point = {0, 0, 1.3}, force = {0, 0, -1}}
    history{name = "head", quantity = "position", body = "head", component = "z"}
else
    load{body = "apex", point = {0, 0, 0.3}, force = {0, 0, -1}}
end
scheme "quasi-static" {iterations = 60, drop = 0, control = param("control", "way"), speed = 1, inertia = param("inertia", "none")}
solver "auto" {tolerance = 1e-13}
run{step = 0.01, duration = param("duration", 0.8)}
output{every = 1}
history{name = "z", quantity = "position", body = "apex", component = "z"}
history{name = "factor", quantity = "load_factor"}
"""

# pushed by a constant load, without a path
LOADED = TRUSS.replace('control = param("control", "way"), speed = 1, ', "").replace("force = {0, 0, -1}", 'force = {0, 0, -param("load", 9)}').replace(
    "step = 0.01, duration = param(\"duration\", 0.8)", "step = 1, duration = 1").replace('history{name = "factor", quantity = "load_factor"}', "")

# a cube of one cell, nu = 0, pulled at its end
CUBE = """
gravity{0, 0, 0}
material{name = "m", density = 1000}
body{name = "bar", kind = "elastic", material = "m", position = {0.5, 0, 0}, shape = shape.box{size = {1, 1, 1}}, cells = {1, 1, 1}, young = 1e6, poisson = 0, energy = "kirchhoff",
     hold = {{-0.5, -1, -1}, {-0.5, 1, 1}}}
load{body = "bar", face = {1, 0, 0}, traction = {param("traction", 1), 0, 0}}
scheme "quasi-static" {inertia = "none", iterations = param("iterations", 30), control = param("control", "load"), speed = 0.01}
run{step = 1, duration = param("duration", 1)}
output{every = 1}
history{name = "x", quantity = "position", body = "bar", component = "x"}
history{name = "stress", quantity = "stress_x", body = "bar", component = "x"}
history{name = "factor", quantity = "load_factor"}
"""

BLOCK = """
gravity{0, 0, -10}
material{name = "stone", density = 2000, friction = param("friction", 0.8)}
floor{material = "stone"}
body{name = "block", material = "stone", position = {0, 0, 0.5}, shape = shape.box{size = {0.4, 0.4, 1}}}
load{body = "block", point = {-0.2, 0, 1}, force = {1, 0, 0}}
scheme "quasi-static" {iterations = 50, drop = 0, control = "way", speed = 0.01, displacement = 0.1}
solver "auto" {tolerance = 1e-13}
run{step = 1, duration = param("duration", 40)}
output{every = 1}
history{name = "x", quantity = "position", body = "block", component = "x"}
history{name = "lean", quantity = "axis_z", body = "block", component = "x"}
history{name = "factor", quantity = "load_factor"}
history{name = "load", quantity = "load", body = "block", component = "x"}
"""

ARCH = """
material{name = "stone", density = 2400, friction = 0.7}
arch{blocks = 15, radius = 10, thickness = 2, width = 5, material = "stone", name = "arch"}
local a = 4.5 * math.pi / 15
load{body = "arch-5", point = {-10 * math.cos(a), 0, 10 * math.sin(a)}, force = {0, 0, -1e5}}
scheme "quasi-static" {iterations = 40, drop = 0, control = "way", speed = 0.001, displacement = 0.01, reach = 0.1}
solver "auto" {tolerance = 1e-12}
run{step = 1, duration = 6}
output{every = 1}
history{name = "factor", quantity = "load_factor"}
"""


class Paths(unittest.TestCase):
    def path(self, scene, *words, unsettled=False):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "scene.lua"), "w", encoding="utf-8") as file:
                file.write(scene)
            made = subprocess.run([BIN, "run", "scene.lua", *words], cwd=folder, capture_output=True, text=True, check=False, timeout=300)
            self.assertEqual(made.returncode, 0, made.stderr)
            self.assertEqual("note: steps ended before equilibrium" in made.stderr, unsettled, made.stderr)
            with open(os.path.join(folder, "scene.csv"), encoding="utf-8", newline="") as file:
                rows = list(csv.DictReader(file))
        # before the first step there is no factor
        return [{name: float(value) for name, value in row.items()} for row in rows][1:]

    @staticmethod
    def truss(z):
        """Force of the four bars, 500 N/m each, on an apex at z."""
        length = math.hypot(1, z)
        return 2000 * (math.sqrt(1.09) - length) * z / length

    def test_truss(self):
        """Through both limit points of von Mises' truss, by either control, with masses and without."""
        for words in (["control=way"], ["control=arc"], ["control=arc", "inertia=mass"], ["control=way", "inertia=mass"]):
            rows = self.path(TRUSS, *[x for word in words for x in ("--param", word)])
            worst = max(abs(row["factor"] - self.truss(row["z"])) for row in rows)
            print(words, f"factors from {min(row['factor'] for row in rows):.3f} to {max(row['factor'] for row in rows):.3f}, off by {worst:.1e}")
            self.assertLess(worst, 1e-11)
            self.assertLess(min(row["factor"] for row in rows), -9.8)
            # the apex moves at the speed asked for
            self.assertAlmostEqual(rows[-1]["z"], -0.5, delta=1e-9)

    def test_snap_back(self):
        """Pushed through a spring softer than the truss falls, the loaded point comes back: only the arc follows that."""
        rows = self.path(TRUSS, "--param", "control=arc", "--param", "soft=40", "--param", "duration=1.4")
        worst, back = 0.0, 0.0
        for before, row in zip(rows, rows[1:]):
            lean = row["head"] - 1.3
            length = math.hypot(50, lean)
            pushed = 40 * (1 - (row["head"] - row["z"]))
            worst = max(worst, abs(self.truss(row["z"]) - pushed), abs(pushed - 400 * (length - 50) * lean / length - row["factor"]))
            back += max(0.0, row["head"] - before["head"])
        print(f"snap-back by {back:.4f} m, forces off by {worst:.1e}")
        self.assertLess(worst, 1e-11)
        self.assertGreater(back, 0.17)

    def test_tipping(self):
        """A block pushed at its upper edge: H = W (b cos - h sin)/(2 h cos + 2 b sin) about the other lower edge, down to nothing and beyond."""
        weight, b, h, worst = 3200.0, 0.2, 0.5, 0.0
        rows = self.path(BLOCK)
        for row in rows:
            angle = math.asin(row["lean"])
            exact = weight * (b * math.cos(angle) - h * math.sin(angle)) / (2 * h * math.cos(angle) + 2 * b * math.sin(angle))
            worst = max(worst, abs(row["factor"] - exact))
            self.assertEqual(row["factor"], row["load"])
        print(f"tipping: {rows[0]['factor']:.3f} N to {rows[-1]['factor']:.3f} N, off by {worst:.1e} N")
        self.assertLess(worst, 1e-7)
        self.assertLess(rows[-1]["factor"], 0)

    def test_unit_of_loads(self):
        """A unit load of 1e-12 N or 1e12 N on a block of 3200 N gives the path of one of 1 N."""
        usual = self.path(BLOCK, "--param", "duration=3")
        for unit in (1e-12, 1e12):
            with self.subTest(unit):
                rows = self.path(BLOCK.replace("force = {1,", f"force = {{{unit},"), "--param", "duration=3")
                for row, other in zip(rows, usual):
                    self.assertAlmostEqual(row["load"], other["load"], delta=1e-7)
                    self.assertAlmostEqual(row["lean"], other["lean"], delta=1e-12)

    def test_unsettled(self):
        """One iteration is no equilibrium: said in a notice, once settled not."""
        scene = BLOCK.replace("iterations = 50", "iterations = 1").replace("speed = 0.01", "speed = 0.3").replace("step = 1", "step = 0.01")
        rows = self.path(scene, "--param", "duration=0.1", unsettled=True)
        balance = 320 * 10 * 0.2
        print(f"one iteration: first load {rows[0]['load']:.1f} N, of equilibrium below {balance:.1f} N")
        self.assertGreater(rows[0]["load"], 1.01 * balance)

    def test_balance(self):
        """Without masses a step ends in equilibrium, wherever it lies, or what is left without balance is said."""
        # the peak of the truss is 9.95 N; beyond it Newton's method does not find the other side
        for load in (9, 9.8):
            with self.subTest(load):
                rows = self.path(LOADED, "--param", f"load={load}")
                print(f"{load} N: apex at {rows[-1]['z']:.6f} m, bars carry {self.truss(rows[-1]['z']):.12f} N")
                self.assertAlmostEqual(self.truss(rows[-1]["z"]), load, delta=1e-9)
        self.path(LOADED, "--param", "load=11", unsettled=True)
        # P = E A (F^3 - F)/2 has its least at F = 1/sqrt(3), -0.19245 E
        rows = self.path(CUBE, "--param", "traction=3e5")
        self.assertAlmostEqual(rows[-1]["stress"], 3e5, delta=1e-5)
        self.path(CUBE, "--param", "traction=-1.9e5")
        self.path(CUBE, "--param", "traction=3e5", "--param", "iterations=1", unsettled=True)

    def test_refused(self):
        """What cannot be solved is refused for its own reason."""
        column = "floor{}\nmaterial{name = 'm', density = 2000}\nbody{name = 'column', kind = 'pseudo_rigid', material = 'm', position = {0, 0, 0.2}, shape = shape.box{size = {0.5, 0.5, 0.4}}, young = 1e9}\n" \
                 "load{body = 'column', face = {0, 0, 1}, traction = {0, 0, -5e4}}\nscheme 'quasi-static' {iterations = 50, drop = 0, displacement = 0.1}\nrun{step = 1, duration = 20}"
        rigid = "floor{}\nbody{position = {0, 0, 0.5}, shape = shape.box{size = {1, 1, 1}}}\nscheme 'quasi-static' {inertia = 'none'}\nrun{step = 1, duration = 1}"
        for scene, words in ((column, "take a `displacement` smaller than 0.1"), (rigid, "is rigid: without masses")):
            with tempfile.TemporaryDirectory() as folder:
                with open(os.path.join(folder, "scene.lua"), "w", encoding="utf-8") as file:
                    file.write(scene)
                made = subprocess.run([BIN, "run", "scene.lua"], cwd=folder, capture_output=True, text=True, check=False, timeout=300)
            self.assertNotEqual(made.returncode, 0)
            self.assertIn(words, made.stderr)

    def test_converged(self):
        """Iterations beyond convergence of a path: what is left is rounding, and the factor stays (P = E A (F^3 - F)/2)."""
        rows = self.path(CUBE, "--param", "control=way", "--param", "traction=-1", "--param", "duration=40")
        worst = 0.0
        for row in rows:
            stretch = 1 + 2 * (row["x"] - 0.5)
            worst = max(worst, abs(-row["factor"] - 0.5e6 * (stretch**3 - stretch)))
        print(f"cube crushed to {1 + 2 * (rows[-1]['x'] - 0.5):.3f}: factors off by {worst:.1e} N of {max(row['factor'] for row in rows):.1f} N")
        self.assertEqual(len(rows), 40)
        self.assertLess(worst, 1e-6)

    def test_sliding(self):
        """Below mu = b/(2 h) the same block slides instead, at mu W all the way."""
        rows = self.path(BLOCK, "--param", "friction=0.15")
        self.assertLess(max(abs(row["factor"] - 0.15 * 3200) for row in rows), 1e-6)
        self.assertAlmostEqual(rows[-1]["x"], 0.4, delta=1e-9)

    def test_arch(self):
        """The factor of an arch falls from its static limit: the parabola through three displacements meets it."""
        factor = [row["factor"] for row in self.path(ARCH)]
        start = 3 * factor[0] - 3 * factor[1] + factor[2]
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "scene.lua"), "w", encoding="utf-8") as file:
                file.write(ARCH)
            made = subprocess.run([BIN, "limit", "scene.lua", "--vary", "load"], cwd=folder, capture_output=True, text=True, check=False, timeout=300)
        self.assertEqual(made.returncode, 0, made.stdout + made.stderr)
        limit = float(made.stdout.split("limit of load: ")[1].split()[0])
        print(f"arch: {start:.6f} at no displacement, static limit {limit:.6f}; {factor}")
        self.assertLess(abs(start - limit), 1e-5 * limit)
        self.assertTrue(all(a > b for a, b in zip(factor, factor[1:])))
        # the runs of the analysis take loads as they are given
        self.assertIn("on the standing side: stands", made.stdout)

    def test_limit_of_a_push(self):
        """stiction limit on a load along +x at the origin: mu W. Zero times that load, at zero, was no load to the scene."""
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "scene.lua"), "w", encoding="utf-8") as file:
                file.write(BLOCK.replace("point = {-0.2, 0, 1}", "point = {0, 0, 0}"))
            made = subprocess.run([BIN, "limit", "scene.lua", "--vary", "load", "--no-check", "--param", "friction=0.15"], cwd=folder, capture_output=True, text=True, check=False, timeout=300)
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertAlmostEqual(float(made.stdout.split("limit of load: ")[1].split()[0]), 480, delta=1e-5)

    def test_wall(self):
        # Lourenço's wall: at the factor of the first iteration (inertia carries 40 kN) the second one has no equilibrium, and no solution
        with open(os.path.join(ROOT, "studies", "lourenco.lua"), encoding="utf-8") as file:
            scene = file.read()
        for old, new in (('param("control", "load")', '"limit"'),
                         ('scheme "quasi-static" {', 'scheme "quasi-static" {control = "way", speed = 1e-4, '),
                         ('solver "koziara-newton"', 'solver "prox-newton"'), ('param("rule", "centroid")', '"manifold"')):
            self.assertEqual(scene.count(old), 1, old)
            scene = scene.replace(old, new)
        scene += '\nhistory{name = "factor", quantity = "load_factor"}\n'
        rows = self.path(scene, "--param", "iterations=3", "--param", "drop=0", "--param", "duration=1", "--param", "every=1", unsettled=True)
        # kN by a driven joint at 15 mm (studies)
        self.assertAlmostEqual(rows[-1]["factor"] / 19.44, 1, delta=0.01)

    def test_refusals(self):
        for scene, words, wanted in ((BLOCK.replace("load{", "--load{"), [], "multiplies loads"),
                                     (BLOCK.replace("body{name", 'body{kind = "fixed", name = "stop", material = "stone", position = {0.45, 0, 2}, shape = shape.box{size = {0.5, 1, 4}}}\nbody{name'), [], "no factor of the loads")):
            with tempfile.TemporaryDirectory() as folder:
                with open(os.path.join(folder, "scene.lua"), "w", encoding="utf-8") as file:
                    file.write(scene)
                made = subprocess.run([BIN, "run", "scene.lua", *words], cwd=folder, capture_output=True, text=True, check=False, timeout=300)
            self.assertNotEqual(made.returncode, 0)
            self.assertIn(wanted, made.stderr)


if __name__ == "__main__":
    unittest.main()

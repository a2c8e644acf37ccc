#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Event and relaxed without loads: dry joints and drives that stop, bodies that come to rest, no
events of rounding.

    STICTION_BIN=build/release/bin/stiction tests/cli/test_weightless.py [-v] [Class.test]
"""

import re
import subprocess
import unittest
from math import atan, exp, sqrt

import h5py

from test_continuous_time import BALL, BIN, FLOOR, WEIGHTLESS, Folder, body, material

FLYER = ("body{name = 'c', mass = 1, inertia = {0.1, 0.2, 0.3}, material = 'm', "
         "position = {5, 5, 5}, velocity = {0.1, 0.2, 0.3}, angular_velocity = {1, 2, 3}, "
         "shape = shape.sphere{radius = 0.1}}\n")
STICK, LEAP = 4, 5


def slider(name, fields, other=None):
    to = f"b = '{other}', " if other else ""
    return (f"joint.slider{{name = 's', a = '{name}', {to}point = {{0.5, 0, 0}}, axis = {{1, 0, 0}}, "
            f"{fields}}}\n")


def dry(fields):
    """Stops after 1/4 s and 1/8 m."""
    text = WEIGHTLESS + material(0) + body("b", BALL, velocity="{1, 0, 0}") + slider("b", fields)
    return text, 1.0, [("position", "b", "x", 0.125), ("velocity", "b", "x", 0)], 0.25


def series():
    """Two that share their momentum."""
    text = (WEIGHTLESS + material(0) + body("b", BALL, velocity="{1, 0, 0}") +
            body("c", BALL, position="{1, 0, 0}") + slider("b", "friction = 2", "c"))
    return text, 1.0, [("velocity", "b", "x", 0.5), ("velocity", "c", "x", 0.5),
                       ("position", "b", "x", 0.25 * 0.75 + 0.5 * 0.75)], 0.25


def hinge():
    text = (WEIGHTLESS + material(0) + body("b", BALL, inertia="{0.1, 0.1, 0.1}",
                                            angular_velocity="{0, 2, 0}") +
            "joint.hinge{name = 'h', a = 'b', point = {0, 0, 0}, axis = {0, 1, 0}, friction = 0.5}\n")
    return text, 1.0, [("angular_velocity", "b", "y", 0)], 0.4


SCENES = {"dry slider": dry("friction = 4"), "drive": dry("driven = true, speed = 0, drive_force = 4"),
          "two on one slider": series(), "dry hinge": hinge()}


class Weightless(Folder):
    def events(self):
        with h5py.File(self.path("s.h5")) as file:
            return file["events/kind"][:].tolist(), file["events/time"][:].tolist()

    def test_stops(self):
        for name, (text, end, checks, stops) in SCENES.items():
            for step in (0.3, 0.01):
                off = max(self.errors((text, end, checks), "event", step=step))
                kinds, times = self.events()
                print(f"{name:20s} h = {step} s: off by {off:.1e}, sticks at {times[0]:.12f} s")
                self.assertLess(off, 1e-10)
                self.assertEqual(kinds, [STICK])
                self.assertLess(abs(times[0] - stops), 1e-10)

    def test_others(self):
        # a body elsewhere moves as it would alone
        turns = [("angular_velocity", "c", axis, 0) for axis in "xyz"]
        alone = self.errors((WEIGHTLESS + material(0) + FLYER, 1.2, turns), "event", step=0.3)
        text = SCENES["dry slider"][0] + FLYER
        beside = self.errors((text, 1.2, turns), "event", step=0.3)
        apart = max(abs(a - b) for a, b in zip(alone, beside))
        print(f"a body beside one that stops: {apart:.1e} rad/s from what it is alone")
        self.assertLess(apart, 1e-10)

    def test_rest(self):
        # a ball that stays where it hits, at any step; no event but the impact
        text = (WEIGHTLESS + material(0.3) + "floor{material = 'm'}\n" +
                body("b", BALL, position="{0, 0, 0.3}", velocity="{0, 0, -1}"))
        for step in (0.1, 1e-3):
            off = max(self.errors((text, 0.5, [("position", "b", "z", 0.1)]), "event", step=step))
            kinds, times = self.events()
            print(f"inelastic, h = {step} s: off by {off:.1e}, events {kinds} at {times}")
            self.assertLess(off, 1e-12)
            self.assertTrue(all(abs(t - 0.2) < 1e-12 for t in times) and kinds[0] == 0)


class Told(Folder):
    """Events by name: at the start, where a slip turns round, and every one of a sequence."""

    def kinds(self, text, end, settings="", step=0.1):
        self.errors((text, end, [("velocity", "b", "x", 0)]), "event", settings, step)
        with h5py.File(self.path("s.h5")) as file:
            return list(zip(file["events/kind"][:].tolist(), file["events/time"][:].tolist()))

    def test_start(self):
        text = (material(0.3) + FLOOR +
                body("b", "box{size = {0.2, 0.2, 0.1}}", position="{0, 0, 0.05}", force="{5, 0, 0}") +
                body("c", BALL, position="{1, 0, 0.1}", force="{0, 0, 12}"))
        told = self.kinds(text, 0.3)
        print("pushed beyond friction, and lifted:", told)
        self.assertEqual(sorted(told), [(2, 0.0), (3, 0.0)])

    def test_turns(self):
        # a spring pulls a box back as soon as it stops
        text = (material(0.1) + FLOOR + body("b", "box{size = {0.2, 0.2, 0.1}}",
                                             position="{0, 0, 0.05}", velocity="{2, 0, 0}") +
                "joint.span{name = 's', a = 'b', point = {0, 0, 0.05}, to = {-1, 0, 0.05}, "
                "stiffness = 100, rest = 1}\n")
        told = self.kinds(text, 0.4)
        # x'' = -100 x - mu g: stops where tan(10 t) = 20/(mu g)
        exact = atan(20 / (0.1 * 9.81)) / 10
        print(f"turns round: {told}, exact {exact:.12f} s")
        self.assertEqual([kind for kind, _ in told], [3])
        self.assertLess(abs(told[0][1] - exact), 1e-9)

    def test_sequence(self):
        text = WEIGHTLESS + material(0, 1) + "".join(
            body(name, BALL, position=f"{{{x}, 0, 0}}", velocity=f"{{{v}, 0, 0}}")
            for name, x, v in (("a", -0.1, 1), ("b", 0.2, 0), ("c", 0.4, 0)))
        told = self.kinds(text, 0.25, "impact = 'sequential'")
        print("three balls, one after the other:", told)
        # two impacts; the first two lie against each other, the last has left
        self.assertEqual([kind for kind, _ in told], [0, 0, 1, 2])


class Relaxed(Folder):
    def test_rest(self):
        # two boxes that stop each other: velocities are rounding from then on, and so are errors
        text = (WEIGHTLESS + material(0.3) +
                body("b", "box{size = {0.1, 0.1, 0.1}}", velocity="{1, 0, 0}") +
                body("c", "box{size = {0.1, 0.1, 0.1}}", position="{0.3, 0, 0}",
                     velocity="{-1, 0, 0}"))
        scene = (text, 0.5, [("velocity", "b", "x", 0), ("velocity", "c", "x", 0)])
        for delta in (1e-3, 1e-4):
            off = max(self.errors(scene, "relaxed", f"delta = {delta}", step=1e-3))
            with h5py.File(self.path("s.h5")) as file:
                made = int(file["steps/substeps"][:].sum())
            print(f"relaxed, delta = {delta} s: {off:.1e} m/s are left, {made} internal steps")
            self.assertLess(off, 1e-12)
            # four over the fastest decay, and the collision itself
            self.assertLess(made, 2 * 0.5 / (0.5 * delta))


    def summary(self):
        """What a run of the last scene says, and its exit code."""
        done = subprocess.run([BIN, "run", self.path("s.lua"), "-f", "-o", self.path("s.h5")],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
                              timeout=60)
        return done.stdout + done.stderr, done.returncode

    def test_surface(self):
        """From the surface with 1 m/s, with the damping of (104) to the end; deepest where the damped
        oscillator is."""
        for e, zeta in ((0.2, None), (0.5, 0.2552756), (0.8, None)):
            text = (WEIGHTLESS + material(0, e) + FLOOR +
                    body("b", BALL, position="{0, 0, 0.1}", velocity="{0, 0, -1}"))
            for step in (0.05, 1e-3):
                off = self.errors((text, 0.05, [("velocity", "b", "z", e)]), "relaxed", step=step)[0]
                deep = float(re.search(r"penetration ([0-9.e-]+)", self.summary()[0])[1])
                print(f"from the surface, e = {e}, h = {step} s: off by {off:.1e} m/s, {deep:.4e} m deep")
                self.assertLess(off, 1e-7)
                if zeta is not None:
                    c = sqrt(1 - zeta**2)
                    self.assertLess(abs(deep / (1e-3 * exp(-zeta / c * atan(c / zeta))) - 1), 1e-3)

    def test_overlap(self):
        """An overlap d at rest is driven out with d/(e delta), zeta = 1: a correction, no impact."""
        text = WEIGHTLESS + material(0) + FLOOR + body("b", BALL, position="{0, 0, 0.099}")
        for step in (0.01, 2e-4):
            off = self.errors((text, 0.05, [("velocity", "b", "z", exp(-1))]), "relaxed", step=step)[0]
            said = self.summary()[0]
            energy = float(re.search(r"correction ([-+0-9.e]+)", said)[1])
            print(f"from an overlap of 1 mm, h = {step} s: off by {off:.1e} m/s, correction {energy} J")
            self.assertLess(off, 1e-6)
            self.assertLess(abs(energy - 0.5 * exp(-2)), 1e-4)
            self.assertNotIn("impact", said)
            self.assertIn("overlap at the start", said)

    def test_refused(self):
        text = (WEIGHTLESS + "material{name = 'm', friction = 0.3, restitution = {%s}}\n" + FLOOR +
                body("b", BALL, position="{0, 0, 0.2}", velocity="{0, 0, -1}") + "scheme '%s'\n")
        for scheme, values, word in (("relaxed", "0.5, 0.5", "tangential restitution"),
                                     ("penalty", "0.5, 0", "no law for restitution")):
            self.write(text % (values, scheme))
            said, code = self.summary()
            print(said.strip())
            self.assertEqual(code, 3)
            self.assertIn(word, said)


if __name__ == "__main__":
    unittest.main()

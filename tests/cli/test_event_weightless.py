#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Event and relaxed without loads: dry joints and drives that stop, bodies that come to rest, no
events of rounding.

    STICTION_BIN=build/release/bin/stiction tests/cli/test_event_weightless.py [-v] [Class.test]
"""

import unittest

import h5py

from test_continuous_time import BALL, WEIGHTLESS, Folder, body, material

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


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Event: drives with a largest force beside dry friction in the same joint. Where both hold, they
ask for two motions, and where one is at its bound the other has no part of its force.

    STICTION_BIN=build/release/bin/stiction tests/cli/test_event_drives.py [-v] [Class.test]
"""

import unittest
from math import cos, sin

import h5py

from test_continuous_time import BALL, WEIGHTLESS, Folder, body, material

STEPS = (0.2, 0.05, 0.01, 0.001)
SLIP, STICK = 3, 4


def slider(fields):
    return (WEIGHTLESS + material(0) + body("b", BALL, inertia="{0.1, 0.1, 0.1}") +
            "joint.slider{name = 'j', a = 'b', point = {0, 0, 0}, axis = {1, 0, 0}, driven = true, " +
            fields + "}\n")


def hinge(fields):
    """0.3 kg m^2 about the axis."""
    return (WEIGHTLESS + material(0) +
            body("b", BALL, position="{0, 0, -0.5}", inertia="{0.05, 0.05, 0.05}") +
            "joint.hinge{name = 'j', a = 'b', point = {0, 0, 0}, axis = {0, 1, 0}, driven = true, " +
            fields + "}\n")


def catches_up(rate, speed, low, high):
    """When rate t is speed(t)."""
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if rate * middle < speed(middle) else (low, middle)
    return low


class Drives(Folder):
    def check(self, name, scene, ends, limit=1e-11):
        for step in STEPS:
            off = self.errors(scene, "event", step=step)
            with h5py.File(self.path("s.h5")) as file:
                times = file["events/time"][:][file["events/kind"][:] == STICK]
            late = abs(times[-1] - ends) if ends is not None else 0.0
            print(f"{name:34s} h = {step:5g} s: off by {max(off):.1e}, catches up {late:.1e} s late")
            self.assertEqual(len(times), 0 if ends is None else 1)
            self.assertLess(max(off), limit)
            self.assertLess(late, 1e-9)

    def test_start(self):
        """6 N against 0.5 N of dry friction set 1 kg in motion."""
        fields = "speed = 10, drive_force = 6, friction = 0.5"
        self.check("faster than it becomes", (slider(fields), 0.2, [
            ("velocity", "b", "x", 1.1), ("position", "b", "x", 0.11)]), None)
        ends = 0.5 / 5.5
        fields = "speed = 0.5, drive_force = 6, friction = 0.5"
        self.check("until it has the speed", (slider(fields), 0.2, [
            ("velocity", "b", "x", 0.5), ("position", "b", "x", 0.5 * (0.2 - ends / 2))]), ends)

    def test_too_weak(self):
        """Dry friction that carries more than the drive gives holds."""
        self.check("too weak", (slider("speed = 10, drive_force = 6, friction = 6.5"), 0.2, [
            ("velocity", "b", "x", 0), ("position", "b", "x", 0)]), None)

    def test_wave(self):
        """A drive that begins with the speed 0 holds, as friction does; what it asks for is more
        than it has: 18.3 of 20 rad/s^2."""
        rate = 5.5 / 0.3
        ends = catches_up(rate, lambda t: 4 * sin(5 * t), 0.05, 0.3)
        self.check("begins with both at rest", (hinge(
            "speed = signal.wave{amplitude = 4, frequency = 5}, drive_force = 6, friction = 0.5"), 0.2, [
                ("angular_velocity", "b", "y", 4 * sin(1.0)),
                ("position", "b", "x", -0.5 * sin(rate * ends**2 / 2 +
                                                  0.8 * (cos(5 * ends) - cos(1.0))))]), ends)


if __name__ == "__main__":
    unittest.main()

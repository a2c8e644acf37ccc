#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Event: forces of contacts as they are reported obey their laws in every step: none pulls, and none
has friction beyond its bound. Patches of several points at rest and in slow slips, of which the
onset, the direction and the place have closed forms.

    STICTION_BIN=build/release/bin/stiction tests/cli/test_event_bounds.py [-v] [Class.test]
"""

import unittest
from math import atan2, cos, exp, hypot, log, radians, sin

import h5py
import numpy as np

from test_continuous_time import FLOOR, G, Folder, body, material

# stored forces have single precision
STORED = 4e-7
BOX = "box{size = {0.2, 0.2, 0.1}}"


def tilted(degrees):
    angle = radians(degrees)
    return f"gravity{{{G * sin(angle)!r}, 0, {-G * cos(angle)!r}}}\n"


def belt(speed, height):
    """A box on a belt, tied to a wall by a spring that pulls beside its middle."""
    return (material(0.3) +
            "body{name = 'belt', kind = 'prescribed', position = {0, 0, -0.1}, "
            f"velocity = {{{speed}, 0, 0}}, shape = shape.box{{size = {{40, 2, 0.2}}, material = 'm'}}}}\n" +
            body("b", BOX, position="{0, 0, 0.05}", velocity=f"{{{speed}, 0, 0}}") +
            f"joint.span{{name = 's', a = 'b', point = {{0, 0.1, {height}}}, to = {{-1, 0.1, {height}}}, "
            "stiffness = 10000, rest = 1}\n")


def limit_force(friction, half):
    """Greatest pull at the distance `half` beside the middle of a square of four points at the same
    distance: the least over centres of rotation on the line through the middle."""
    def force(y):
        return 0.5 * friction * G * (hypot(half, half - y) + hypot(half, half + y)) / (half - y)

    low, high = -20 * half, 0.0
    for _ in range(200):
        third = (high - low) / 3
        low, high = (low, high - third) if force(low + third) < force(high - third) else (low + third, high)
    return force(low)


def turning(push, friction, start, end):
    """Place and velocity of a point that is pushed along x and slips: s' = F cos th - mu g,
    s th' = -F sin th, over the time measured in s, in which nothing is stiff."""
    def rate(y):
        s, th = exp(y[0]), y[1]
        return np.array([push * cos(th) - friction * G, -push * sin(th), s, s * s * cos(th), s * s * sin(th)])

    def step(y, d):
        a = rate(y)
        b = rate(y + 0.5 * d * a)
        c = rate(y + 0.5 * d * b)
        return y + d / 6 * (a + 2 * b + 2 * c + rate(y + d * c))

    y, d = np.array([log(hypot(*start)), atan2(start[1], start[0]), 0.0, 0.0, 0.0]), 1e-3
    while end - y[2] > 1e-15:
        after = step(y, d)
        # the last steps end where the time is over
        if after[2] > end:
            d = (end - y[2]) / exp(y[0])
            after = step(y, d)
            if after[2] > end + 1e-15:
                d *= 0.5
                continue
        y = after
    return y[3], y[4], exp(y[0]) * cos(y[1]), exp(y[0]) * sin(y[1])


class Bounds(Folder):
    def excess(self, friction, resultant=None):
        """Largest part of the largest force by which one leaves its law, in all frames."""
        worst = 0.0
        with h5py.File(self.path("s.h5")) as file:
            force, normal = (np.array(file["contacts"][key], dtype=float) for key in ("force", "normal"))
            frame = np.repeat(np.arange(len(file["frames/contact_count"])), file["frames/contact_count"])
        along = np.sum(force * normal, axis=1)
        across = np.linalg.norm(force - along[:, None] * normal, axis=1)
        for k in sorted(set(frame)):
            here = frame == k
            most = np.max(np.linalg.norm(force[here], axis=1))
            beyond = max(np.max(-along[here]), np.max(across[here] - friction * along[here]))
            worst = max(worst, beyond / most)
            if resultant is not None:
                self.assertLess(np.max(abs(np.sum(force[here], axis=0) - resultant)), 1e-6 * G)
        return worst

    def test_rest(self):
        """The lower points carry most of the weight, and so they have most of the friction."""
        for degrees in (10, 20, 26, 26.5):
            angle = radians(degrees)
            text = tilted(degrees) + material(0.5) + FLOOR + body(
                "b", "box{size = {0.2, 0.2, 0.2}}", position="{0, 0, 0.1}")
            off = self.errors((text, 0.2, [("position", "b", "x", 0)]), "event", step=0.05)
            worst = self.excess(0.5, [-G * sin(angle), 0, G * cos(angle)])
            print(f"box at rest at {degrees} degrees: friction beyond its bound by {worst:.1e}")
            self.assertLess(worst, STORED)
            self.assertLess(off[0], 1e-14)

    def test_onset(self):
        """A patch slips where no shares of its load hold it any more, whatever the step."""
        slip = limit_force(0.3, 0.1) / (1e4 * 1e-4)
        for step in (0.5, 0.05, 0.01):
            self.errors((belt(1e-4, 0), 2.5, [("position", "b", "z", 0)]), "event", step=step)
            with h5py.File(self.path("s.h5")) as file:
                first = file["events/time"][0]
            worst = self.excess(0.3)
            print(f"turned and pulled, h = {step} s: slips {first - slip:.1e} s late, beyond {worst:.1e}")
            self.assertLess(abs(first - slip), 2e-9)
            self.assertLess(worst, STORED)

    def test_belt(self):
        """The same with a pull above the floor: normal forces shift, and stick and slip alternate."""
        times = []
        for step in (0.05, 0.01):
            self.errors((belt(1e-4, 0.05), 2.4, [("position", "b", "z", 0)]), "event", step=step)
            with h5py.File(self.path("s.h5")) as file:
                times.append(file["events/time"][:])
                self.assertEqual(list(file["events/kind"][:4]), [3, 4, 3, 4])
            self.assertLess(self.excess(0.3), STORED)
        apart = np.max(abs(times[0][:4] - times[1][:4]))
        print(f"stick and slip on a belt: {len(times[0])} events, apart by {apart:.1e} s with another step")
        self.assertLess(apart, 1e-4)

    def test_turn(self):
        """A slow slip turns to where it is pushed, within v/(mu g)."""
        for start, name in (((1e-4, 2e-4), "slow"), ((1e-3, 2e-2), "faster"), ((-1e-4, 1e-3), "back")):
            exact = turning(3.5, 0.3, start, 0.5)
            for step, limit in ((0.1, 2e-7), (0.01, 1e-7), (1e-3, 5e-9)):
                text = material(0.3) + FLOOR + body(
                    "b", BOX, position="{0, 0, 0.05}", velocity=f"{{{start[0]}, {start[1]}, 0}}",
                    force="{3.5, 0, 0}", inertia="{1e9, 1e9, 1e9}")
                off = self.errors((text, 0.5, [("position", "b", "x", exact[0]), ("position", "b", "y", exact[1]),
                                               ("velocity", "b", "x", exact[2])]), "event", step=step)
                print(f"turning slip, {name:6s}, h = {step:5} s: off by {off[0]:.1e} {off[1]:.1e} m, "
                      f"{off[2]:.1e} m/s")
                self.assertLess(max(off), limit)
                self.assertLess(self.excess(0.3), STORED)

    def test_several(self):
        """A box that slides and spins slowly while it is pushed: all points turn together, and the
        place does not depend on the step."""
        seen = []
        for step in (0.05, 0.01, 1e-3):
            text = material(0.3) + FLOOR + body(
                "b", BOX, position="{0, 0, 0.05}", velocity="{1e-4, 2e-4, 0}",
                angular_velocity="{0, 0, 2e-3}", force="{3.2, 0.5, 0}")
            seen.append(self.errors((text, 0.5, [("position", "b", "x", 0), ("position", "b", "y", 0)]),
                                    "event", step=step))
            self.assertLess(self.excess(0.3), STORED)
        # in the end it goes where it is pushed
        share = hypot(3.2, 0.5)
        rate = (share - 0.3 * G) / share
        self.assertLess(abs(seen[2][0] - 0.125 * 3.2 * rate), 1e-3)
        apart = max(abs(a - b) for one in seen for a, b in zip(one, seen[2]))
        print(f"slides and spins slowly: {apart:.1e} m apart with other steps")
        self.assertLess(apart, 5e-8)


if __name__ == "__main__":
    unittest.main()

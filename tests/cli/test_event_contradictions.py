#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Impacts and motions without a solution are said, with bodies and exit code 1; those beside them
that have one are solved.

    STICTION_BIN=build/release/bin/stiction tests/cli/test_event_contradictions.py [-v] [Class.test]
"""

import re
import subprocess
import unittest
from math import cos, pi, sin

import h5py
import numpy as np

from test_continuous_time import BIN, G, WEIGHTLESS, Folder, body, material

CUBE = "box{size = {0.2, 0.2, 0.2}}"
SLIDER = "point = {0, 0, 0}, axis = {1, 0, 0}, driven = true"


def wall(name, place, kind="kind = 'fixed'"):
    return (f"body{{name = '{name}', {kind}, material = 'm', position = {{{place!r}, 0, 0}}, "
            "shape = shape.box{size = {0.2, 1, 1}}}\n")


def pushed(rate):
    return wall("w", -0.2, f"kind = 'prescribed', displacement = {{{rate}, 0, 0}}")


def drive(name, speed, more=""):
    return f"joint.slider{{name = '{name}', a = 'b', {SLIDER}, speed = {speed!r}{more}}}\n"


STEADY = "signal.table{time = {0, 10}, value = {0, 5}}"
# no motion: scene, when it begins, the bodies that may be named
NONE = {
    "wall against wall": (pushed(STEADY) + wall("f", 0.25), 0.1, ("b and f", "b and w")),
    "wall that sets out": (pushed("function(t) return 0.5 * math.max(0, t - 0.2)^2 end") +
                           wall("f", 0.2), 0.2, ("b and f", "b and w")),
    "drive against a wall": (wall("f", 0.25) + drive("s", 1.0), 0.05, ("b and f", "b")),
    "drive against its limit": (drive("s", 1.0, ", limit = {-1, 0.03}"), 0.03, ("b",)),
    "drive against a weld": (drive("s", 1.0) + "joint.weld{name = 'd', a = 'b', point = {0, 0, 0}}\n",
                             0.0, ("b",)),
    "drive against a drive": (drive("s", 1.0) + drive("t", -1.0), 0.0, ("b",)),
}
# a motion: scene, speed of b in the end
SOME = {
    "wall, and another that gives way": (pushed(STEADY) + wall("f", 0.25, "mass = 100"), 0.5),
    "wall, and another that goes as fast": (pushed(STEADY) + wall(
        "f", 0.25, "kind = 'prescribed', displacement = {signal.table{time = {0, 0.1, 10.1}, "
        "value = {0, 0, 5}}, 0, 0}"), 0.5),
    "drive with a largest force": (wall("f", 0.25) + drive("s", 1.0, ", drive_force = 100"), 0.0),
    "two drives that agree": (drive("s", 1.0) + drive("t", 1.0), 1.0),
}


def pendulum(count, steps=20000):
    """Place of the last of equal masses on rods of 0.5 m after 1 s, from rest in a horizontal line:
    angles from the vertical, Lagrange's equations, Runge-Kutta's classical method."""
    def slope(y):
        angle, rate = y[:count], y[count:]
        matrix = [[(count - max(i, j)) * cos(angle[i] - angle[j]) for j in range(count)]
                  for i in range(count)]
        load = [-(count - i) * G / 0.5 * sin(angle[i]) -
                sum((count - max(i, j)) * sin(angle[i] - angle[j]) * rate[j]**2
                    for j in range(count)) for i in range(count)]
        return np.concatenate([rate, np.linalg.solve(matrix, load)])

    y, h = np.array([pi / 2] * count + [0.0] * count), 1 / steps
    for _ in range(steps):
        a = slope(y)
        b = slope(y + h / 2 * a)
        c = slope(y + h / 2 * b)
        d = slope(y + h * c)
        y = y + h / 6 * (a + 2 * b + 2 * c + d)
    return 0.5 * np.sum(np.sin(y[:count])), -0.5 * np.sum(np.cos(y[:count]))


class Contradictions(Folder):
    def run_event(self, text, step):
        scene, result = self.path("s.lua"), self.path("s.h5")
        with open(scene, "w", encoding="utf-8") as file:
            file.write(f"{WEIGHTLESS}{material(0.3)}{text}{body('b', CUBE)}scheme 'event'\n"
                       f"run{{step = {step!r}, duration = 0.3}}\noutput{{every = 1}}\n"
                       if "a = 'b'" not in text else
                       f"{WEIGHTLESS}{material(0.3)}{body('b', CUBE)}{text}scheme 'event'\n"
                       f"run{{step = {step!r}, duration = 0.3}}\noutput{{every = 1}}\n")
        done = subprocess.run([BIN, "run", scene, "-f", "-o", result], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, check=False, timeout=120)
        with h5py.File(result) as file:
            return done, file["motion/velocity"][:][-1]

    def test_none(self):
        """The first step without a solution is the one that it begins in, and bodies are named."""
        for name, (text, begins, bodies) in NONE.items():
            for step in (0.01, 0.025, 0.3):
                done, _ = self.run_event(text, step)
                said = re.findall(r"note: .*contradicted each other: 1, .* \((.*)\), first at t = "
                                  r"(.*) s", done.stderr)
                print(f"{name:26s} h = {step:5g} s: exit code {done.returncode}, {said}")
                self.assertEqual(done.returncode, 1, name)
                self.assertEqual(len(said), 1, done.stderr)
                self.assertIn(said[0][0], bodies)
                first = float(said[0][1])
                self.assertLessEqual(first, begins + 1e-9)
                self.assertGreater(first + 1.001 * step, begins)

    def test_some(self):
        for name, (text, speed) in SOME.items():
            for step in (0.01, 0.3):
                done, velocity = self.run_event(text, step)
                off = min(abs(x[0] - speed) for x in velocity)
                print(f"{name:36s} h = {step:5g} s: exit code {done.returncode}, off by {off:.1e}")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertNotIn("contradicted", done.stderr)
                self.assertLess(off, 1e-12)

    def test_horizontal_rods(self):
        """Masses on rods that start from rest, across to what the rods can carry: no velocity along
        a rod is known from the beginning of a step, and there is a motion."""
        rows = []
        for count in (1, 2):
            text = "".join(f"body{{name = 'p{k}', kind = 'point', mass = 1, position = "
                           f"{{{0.5 * k}, 0, 0}}}}\n" for k in range(1, count + 1))
            for k in range(1, count + 1):
                text += (f"joint.rod{{a = 'p{k}', b = '{f'p{k - 1}' if k > 1 else 'ground'}', "
                         f"point = {{{0.5 * k}, 0, 0}}, to = {{{0.5 * (k - 1)}, 0, 0}}}}\n")
            exact = pendulum(count)
            for step in (0.5, 0.1, 0.01):
                done, result = self.run_rods(text, step)
                with h5py.File(result) as file:
                    place = file["motion/position"][:][-1]
                    events = len(file["events/time"]) if "events" in file else 0
                off = max(abs(place[-1][0] - exact[0]), abs(place[-1][2] - exact[1]))
                rows.append((count, step, off))
                print(f"{count} masses, h = {step:4g} s: exit code {done.returncode}, {events} events, "
                      f"off by {off:.1e} m")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertNotIn("contradicted", done.stderr)
                self.assertEqual(events, 0)
        self.assertLess(max(off for _, _, off in rows), 1e-9)

    def run_rods(self, text, step):
        result = self.path("rods.h5")
        scene = self.write(f"{text}scheme 'event'\nrun{{step = {step!r}, duration = 1}}\n"
                           "output{every = 1}\n")
        done = subprocess.run([BIN, "run", scene, "-f", "-o", result], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, check=False, timeout=120)
        return done, result

    def test_gravity(self):
        """A press that begins to close beside a body at rest hurts nobody; G only loads the table."""
        text = (f"gravity{{0, 0, {-G!r}}}\n" + wall("f", 0.4) + "body{name = 't', kind = 'fixed', "
                "material = 'm', position = {0, 0, -0.2}, shape = shape.box{size = {1, 1, 0.2}}}\n" +
                pushed("function(t) return 0.05 * math.sin(t) end"))
        done, velocity = self.run_event(text, 0.1)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(abs(velocity[-1][0]), 0.04)


if __name__ == "__main__":
    unittest.main()

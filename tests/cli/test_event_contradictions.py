#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Impacts and motions without a solution are said, with bodies and exit code 1; those beside them
that have one are solved.

    STICTION_BIN=build/release/bin/stiction tests/cli/test_event_contradictions.py [-v] [Class.test]
"""

import re
import subprocess
import unittest

import h5py

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

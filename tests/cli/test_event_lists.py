#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Lists of events: the same for any step of the run, slips and take-offs at their instants, and
nothing that passes through anything else, however long the step is.

    STICTION_BIN=build/release/bin/stiction tests/cli/test_event_lists.py [-v] [Class.test]
"""

import subprocess
import unittest
from math import asin, atan, cos, pi, sin, sqrt

import h5py
import numpy as np

from test_continuous_time import BALL, BIN, BOX, FLOOR, G, LYING, WEIGHTLESS, Folder, body, material

STEPS = (0.1, 0.01, 0.001, 0.007)
KINDS = ("impact", "touch", "take-off", "slip", "stick", "leap", "branch")


def prescribed(size, motion):
    return (f"body{{name = 't', kind = 'prescribed', material = 'm', position = {{0, 0, -0.05}}, "
            f"shape = shape.{size}, {motion}}}\n")


def slab(motion):
    return prescribed("box{size = {2, 2, 0.1}}", f"displacement = {{{motion}}}")


def rocking():
    """0.2 by 1, released at half of its critical angle."""
    turn, arm = 0.5 * atan(0.2), 0.5 * sqrt(1.04)
    return (material(0.9) + FLOOR +
            body("b", "box{size = {0.2, 0.3, 1}}", position=f"{{{-arm * sin(turn)!r}, 0, "
                 f"{arm * cos(turn)!r}}}", orientation=f"{{axis = {{0, 1, 0}}, angle = {turn!r}}}"))


def wave(amplitude, frequency, more=""):
    return f"signal.wave{{amplitude = {amplitude}, frequency = {frequency}{more}}}"


# scenes, ends, and kinds of all their events
SCENES = {
    "pushed to and fro": (
        material(0.5) + FLOOR + body("b", BOX, position="{0, 0, 0.05}",
                                     force=f"{{{wave(8, 6)}, 0, 0}}"), 2.0,
        "slip stick slip stick slip stick slip"),
    "ball on a turntable": (
        material(1) + prescribed("cylinder{radius = 5, height = 0.1}",
                                 "axis = {0, 0, 1}, angle = signal.table{time = {0, 10}, "
                                 "value = {0, 30}}") +
        body("b", BALL, position="{1, 0, 0.1}", velocity="{0, 2.5, 0}",
             angular_velocity="{5, 0, 0}"), 2.0, ""),
    "ellipsoid rocks": (
        material(1) + FLOOR + body("b", "ellipsoid{semi_axes = {0.2, 0.15, 0.1}}",
                                   position="{0, 0, 0.12998255810676257}",
                                   orientation="{axis = {0, 1, 0}, angle = 0.5}"), 0.6, ""),
    "cylinder begins to roll": (
        material(0.2) + FLOOR + body("b", "cylinder{radius = 0.1, height = 0.3}",
                                     position="{0, 0, 0.1}", velocity="{2, 0, 0}",
                                     orientation=LYING), 0.6, "stick"),
    "shaken sideways": (
        material(0.3) + slab(f"{wave(0.05, 12)}, 0, 0") + body("b", BOX, position="{0, 0, 0.05}"),
        1.0, "slip slip slip slip"),
    "thrown by its table": (
        material(0.3) + slab("0, 0, " + wave(0.02, 40, ", phase = -math.pi / 2, offset = 0.02")) +
        body("b", BOX, position="{0, 0, 0.05}"), 0.5,
        "take-off impact touch take-off impact touch take-off"),
    "up a slope and back": (
        f"gravity{{{-0.6 * G!r}, 0, {-0.8 * G!r}}}\n" + material(0.3) + FLOOR +
        body("b", BOX, position="{0, 0, 0.05}", velocity="{2, 0, 0}"), 1.0, "slip"),
    "four balls in a row": (
        WEIGHTLESS + material(0, 1) +
        "".join(body(f"b{i}", "sphere{radius = 0.05}", position=f"{{{0.3 * i!r}, 0, 0}}",
                     velocity="{2, 0, 0}" if i == 0 else "{0, 0, 0}") for i in range(4)), 1.0,
        "impact impact impact"),
    "stops at the end of a step": (
        material(0.5) + FLOOR + body("b", BOX, position="{0, 0, 0.05}",
                                     velocity=f"{{{0.25 * G!r}, 0, 0}}"), 1.0, "stick"),
    "hits at the end of a step": (
        WEIGHTLESS + material(0, 1) +
        "body{name = 'w', kind = 'fixed', material = 'm', "
        "shape = shape.half_space{normal = {-1, 0, 0}, offset = -0.6}}\n" +
        body("b", BALL, velocity="{1, 0, 0}"), 1.0, "impact"),
    "rope that gets taut at the end of a step": (
        "gravity{0, 0, -10}\n" + material(0) +
        body("b", "sphere{radius = 0.01}", position="{0.6, 0, 0}") +
        "joint.span{name = 'r', a = 'b', point = {0.6, 0, 0}, to = {0, 0, 0}, limit = {0, 1}}\n",
        0.6, "impact touch"),
    "lands at the end of a step": (
        "gravity{0, 0, -10}\n" + material(0.3) + FLOOR +
        body("b", BALL, position="{0, 0, 0.9}", velocity="{1, 0, 0}"), 0.5, "impact touch"),
    "rocking block": (rocking(), 1.2, "impact take-off impact take-off"),
    "bounces": (material(0, 0.7) + FLOOR + body("b", BALL, position="{0, 0, 0.6}"), 1.7,
                "impact impact impact impact impact impact impact impact"),
}


def faced(shape, height=0.0):
    """Two equal bodies at 100 m/s, in the line of their centres or with an offset."""
    return (WEIGHTLESS + material(0, 1) + body("t", shape, position=f"{{3, {height!r}, 0}}") +
            body("b", shape, velocity="{100, 0, 0}"))


def met(shape, height=0.0, reach=0.2):
    return faced(shape, height), (3 - sqrt(reach**2 - height**2)) / 100


def spun(rod, pin, **fields):
    """A rod of 1 m spins at 50 rad/s against a pin at 0.4 m; both are 0.02 m thick."""
    text = (WEIGHTLESS + material(0, 1) +
            f"body{{name = 'pin', kind = 'fixed', material = 'm', position = {{0, 0.4, 0}}, "
            f"shape = shape.{pin}}}\n" + body("b", rod, angular_velocity="{0, 0, 50}", **fields))
    return text, (pi / 2 - asin(0.02 / 0.4)) / 50


ACROSS = "{axis = {0, 1, 0}, angle = math.pi / 2}"
FAST = {
    "balls": met(BALL), "balls with an offset": met(BALL, 0.15),
    "balls that graze": met(BALL, 0.19999), "boxes": met("box{size = {0.2, 0.2, 0.2}}"),
    "capsules": met("capsule{radius = 0.1, length = 0.3}"),
    "cylinders": met("cylinder{radius = 0.1, height = 0.3}"),
    "ellipsoids": met("ellipsoid{semi_axes = {0.1, 0.2, 0.3}}"),
    "ball and a sheet": (
        WEIGHTLESS + material(0, 1) + "body{name = 't', kind = 'fixed', material = 'm', "
        "position = {3, 0, 0}, shape = shape.box{size = {0.001, 2, 2}}}\n" +
        body("b", "sphere{radius = 0.01}", velocity="{100, 0, 0}"), (3 - 0.0005 - 0.01) / 100),
    "ball that falls on a sheet": (
        material(0, 1) + "body{name = 't', kind = 'fixed', material = 'm', "
        "shape = shape.box{size = {2, 2, 0.001}}}\n" +
        body("b", "sphere{radius = 0.005}", position="{0, 0, 0.05}"),
        sqrt(2 * (0.05 - 0.0055) / G)),
    "rod and a ball": spun("box{size = {1, 0.02, 0.02}}", "sphere{radius = 0.01}"),
    "capsule and a pin": spun("capsule{radius = 0.01, length = 1}",
                              "cylinder{radius = 0.01, height = 0.2}", orientation=ACROSS),
}


class Lists(Folder):
    def events(self, text, step, end):
        """(kind, bodies) and times of all events, and the last velocity of each body."""
        scene, result = self.path("s.lua"), self.path("s.h5")
        with open(scene, "w", encoding="utf-8") as file:
            file.write(f"{text}scheme 'event'\nrun{{step = {step!r}, duration = {end!r}}}\n"
                       "output{every = 1000000}\n")
        done = subprocess.run([BIN, "run", scene, "-f", "-o", result], capture_output=True,
                              text=True, stdin=subprocess.DEVNULL, check=False, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        with h5py.File(result) as file:
            kind = [KINDS[k] for k in file["events/kind"][:]] if "events" in file else []
            bodies = file["events/body"][:].tolist() if kind else []
            time = file["events/time"][:] if kind else np.zeros(0)
            return list(zip(kind, bodies)), time, file["motion/velocity"][:][-1]

    def test_any_step(self):
        """Kinds, bodies and order are the same for any step of the run, and times to 1e-9 s."""
        for name, (text, end, kinds) in SCENES.items():
            lists = [self.events(text, step, end) for step in STEPS]
            apart = max((np.abs(time - lists[0][1]).max() if len(time) and
                         len(time) == len(lists[0][1]) else 0.0) for _, time, _ in lists)
            print(f"{name:28s} {len(lists[0][0]):2d} events, times within {apart:.1e} s")
            for known, _, _ in lists:
                self.assertEqual([kind for kind, _ in known], kinds.split(), name)
                self.assertEqual(known, lists[0][0], name)
            self.assertLess(apart, 1e-9, name)

    def test_slow_ramps(self):
        """A push F0 + c t that reaches the friction of a box on four points at 0.537 s. Forces are
        known to some 1e-15 of the weight: the instant to 1e-14 N/c."""
        for rate in (1.0, 1e-2, 1e-3, 1e-5):
            for step in STEPS[:3]:
                start = 0.5 * G - rate * 0.537
                text = material(0.5) + FLOOR + body(
                    "b", BOX, position="{0, 0, 0.05}",
                    force=f"{{function(t) return {start!r} + {rate!r} * t end, 0, 0}}")
                known, time, speed = self.events(text, step, 1.3)
                exact = 0.5 * rate * (1.3 - 0.537)**2
                late, off = time[0] - 0.537, speed[-1][0] / exact - 1
                print(f"{rate:6g} N/s, h = {step:5g} s: slips {late:8.1e} s late, "
                      f"speed off by {off:.1e}")
                self.assertEqual([kind for kind, _ in known], ["slip"])
                self.assertLess(abs(late), max(1e-12, 1e-14 / rate))
                self.assertLess(abs(off), max(1e-11, 1e-13 / rate))

    def test_just_above(self):
        """A push above the bound by a small part slips at once."""
        for part, limit in ((1e-3, 1e-11), (1e-6, 1e-8), (1e-8, 1e-4)):
            push = 0.5 * G * (1 + part)
            text = material(0.5) + FLOOR + body("b", BOX, position="{0, 0, 0.05}",
                                                force=f"{{{push!r}, 0, 0}}")
            known, time, speed = self.events(text, 0.1, 1.0)
            off = speed[-1][0] / (push - 0.5 * G) - 1
            print(f"above by {part:g}: slips at {time[0]:g} s, speed off by {off:.1e}")
            self.assertEqual([kind for kind, _ in known], ["slip"])
            self.assertEqual(time[0], 0)
            self.assertLess(abs(off), limit)

    def test_take_off(self):
        """A table that goes down faster and faster, z = 0.02 sin 40 t."""
        leaves = asin(G / (0.02 * 40**2)) / 40
        for name, shape, height in (("box", BOX, 0.05), ("ball", BALL, 0.1)):
            for step in STEPS[:3]:
                text = material(0.5) + slab(f"0, 0, {wave(0.02, 40)}") + body(
                    "b", shape, position=f"{{0, 0, {height}}}", velocity="{0, 0, 0.8}")
                known, time, _ = self.events(text, step, 0.1)
                print(f"{name}, h = {step:5g} s: leaves {time[0] - leaves:8.1e} s late")
                self.assertEqual([kind for kind, _ in known], ["take-off"])
                self.assertLess(abs(time[0] - leaves), 1e-12)

    def test_fast(self):
        """Nothing passes anything else in a step, be it fast, thin or spinning."""
        for name, (text, exact) in FAST.items():
            late = []
            for step in (0.12, 0.03, 0.01):
                known, time, _ = self.events(text, step, 0.12)
                self.assertEqual(known[0][0] if known else None, "impact", name)
                late.append(time[0] - exact)
            print(f"{name:28s}", " ".join(f"{t:8.1e}" for t in late))
            self.assertLess(max(map(abs, late)), 1e-12, name)

    def test_masses(self):
        """A ball between a wall and one of 10 000 times its mass: 313 impacts (as pi has it)."""
        text = (WEIGHTLESS + material(0, 1) + "body{name = 'w', kind = 'fixed', material = 'm', "
                "shape = shape.half_space{normal = {1, 0, 0}}}\n" +
                body("a", BALL, position="{1, 0, 0}") +
                "body{name = 'b', material = 'm', mass = 1e4, position = {2, 0, 0}, "
                f"velocity = {{-1, 0, 0}}, shape = shape.{BALL}}}\n")
        v = [0.0, -1.0]
        place, time, count = [0.9, 1.7], 0.0, 0
        while True:
            first = [place[0] / -v[0] if v[0] < 0 else 9.0,
                     (place[1] - place[0]) / (v[0] - v[1]) if v[0] > v[1] else 9.0]
            if time + min(first) > 5:
                break
            time += min(first)
            place = [x + u * min(first) for x, u in zip(place, v)]
            impulse = 2 * (v[0] - v[1]) / (1 + 1e-4)
            v = [-v[0], v[1]] if first[0] < first[1] else [v[0] - impulse, v[1] + impulse / 1e4]
            count += 1
        for step in (0.1, 0.01):
            known, _, speed = self.events(text, step, 5.0)
            off = max(abs(speed[-2][0] - v[0]), abs(speed[-1][0] - v[1]))
            print(f"h = {step} s: {len(known)} impacts of {count}, speeds off by {off:.1e} m/s")
            self.assertEqual([kind for kind, _ in known], ["impact"] * count)
            self.assertLess(off, 1e-9)


if __name__ == "__main__":
    unittest.main()

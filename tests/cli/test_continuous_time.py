#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Schemes in continuous time on scenes with closed forms: event by its pair and by CVODE, relaxed
with its orders in delta; stops, resumes, refusals, notices.

    STICTION_BIN=build/release/bin/stiction tests/cli/test_continuous_time.py [-v] [Class.test]
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from math import acos, cos, exp, pi, radians, sin, sqrt

import h5py
import numpy as np

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from processes import wait_until_caught  # noqa: E402
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BIN = os.path.abspath(os.environ.get("STICTION_BIN",
                                     os.path.join(ROOT, "build/release/bin/stiction")))
G = 9.81
SLOPE = radians(30)


def material(friction, restitution=0):
    return f"material{{name = 'm', friction = {friction}, restitution = {restitution}}}\n"


def body(name, shape, **fields):
    text = "".join(f", {key} = {value}" for key, value in fields.items())
    return f"body{{name = '{name}', material = 'm', mass = 1, shape = shape.{shape}{text}}}\n"


FLOOR = "floor{material = 'm'}\n"
WEIGHTLESS = "gravity{0, 0, 0}\n"
TILTED = f"gravity{{{G * sin(SLOPE)!r}, 0, {-G * cos(SLOPE)!r}}}\n"
BOX = "box{size = {0.2, 0.2, 0.1}}"
BALL = "sphere{radius = 0.1}"
LYING = "{axis = {1, 0, 0}, angle = math.pi / 2}"


def bouncing(friction):
    """A ball with spin falls on the floor at 3 m/s; its slip there is -4 m/s."""
    impulse = min(friction * 1.5 * 3, 4 / 3.5)
    text = (WEIGHTLESS + material(friction, 0.5) + FLOOR +
            body("b", BALL, position="{0, 0, 0.4}", velocity="{1, 0, -3}",
                 angular_velocity="{0, 50, 0}"))
    return text, 0.2, [("velocity", "b", "x", 1 + impulse), ("velocity", "b", "z", 1.5),
                       ("angular_velocity", "b", "y", 50 - 25 * impulse)]


def backspin():
    speed = (5 * 2 - 2 * 0.1 * 30) / 7
    rolls = (2 - speed) / (0.2 * G)
    text = material(0.2) + FLOOR + body("b", BALL, position="{0, 0, 0.1}", velocity="{2, 0, 0}",
                                        angular_velocity="{0, -30, 0}")
    place = 2 * rolls - 0.1 * G * rolls**2 + speed * (1.5 - rolls)
    return text, 1.5, [("velocity", "b", "x", speed), ("position", "b", "x", place)]


def up_the_slope():
    text = TILTED + material(0.7) + FLOOR + body("b", BOX, position="{0, 0, 0.05}",
                                                 velocity="{-1, 0, 0}")
    return text, 0.6, [("position", "b", "x", -0.5 / (G * (sin(SLOPE) + 0.7 * cos(SLOPE))))]


def down_the_slope(friction):
    slides = friction < 1 / 3 * sin(SLOPE) / cos(SLOPE)
    speed = 0.5 * G * (sin(SLOPE) - friction * cos(SLOPE)) if slides else G * sin(SLOPE) / 3
    text = TILTED + material(friction) + FLOOR + body(
        "b", "cylinder{radius = 0.1, height = 0.3}", position="{0, 0, 0.1}", orientation=LYING)
    return text, 0.5, [("velocity", "b", "x", speed)]


def belt():
    """Carried by a belt until the spring is stronger than friction, then an oscillator."""
    rate, place = 10.0, 0.3 * G / 100
    text = (material(0.3) +
            "body{name = 'belt', kind = 'prescribed', position = {0, 0, -0.1}, "
            "velocity = {0.2, 0, 0}, shape = shape.box{size = {40, 2, 0.2}, material = 'm'}}\n" +
            body("b", BOX, position="{0, 0, 0.05}", velocity="{0.2, 0, 0}") +
            "joint.span{name = 's', a = 'b', point = {0, 0, 0.05}, to = {-1, 0, 0.05}, "
            "stiffness = 100, rest = 1}\n")
    return text, place / 0.2 + 0.3, [("position", "b", "x", place + 0.02 * sin(0.3 * rate)),
                                     ("velocity", "b", "x", 0.2 * cos(0.3 * rate))]


def stop():
    text = (material(0) + body("b", BALL, position="{1, 0, 0}", inertia="{0.1, 0.1, 0.1}") +
            "joint.hinge{name = 'h', a = 'b', point = {0, 0, 0}, axis = {0, 1, 0}, "
            "limit = {-3, math.pi / 2}, restitution = 0.5}\n")
    return text, 0.9, [("energy", None, None, -G + 0.25 * G)]


def spinning_box():
    slow = 0.3 * G * sqrt(0.02) / (0.08 / 12)
    text = material(0.3) + FLOOR + body("b", BOX, position="{0, 0, 0.05}",
                                        angular_velocity="{0, 0, 20}")
    return text, 0.2, [("angular_velocity", "b", "z", 20 - 0.2 * slow)]


def drive():
    text = (WEIGHTLESS + material(0) + body("b", BALL) +
            "joint.slider{name = 's', a = 'b', point = {0, 0, 0}, axis = {1, 0, 0}, driven = true, "
            "speed = 1, drive_force = 2}\n")
    return text, 1.0, [("velocity", "b", "x", 1), ("position", "b", "x", 0.75)]


def dry_spring():
    place = 0.1 - 4 * 3 / 200
    text = (WEIGHTLESS + material(0) + body("b", BALL, position="{0.1, 0, 0}") +
            "joint.slider{name = 's', a = 'b', point = {0.1, 0, 0}, axis = {1, 0, 0}, "
            "stiffness = 200, rest = -0.1, friction = 3}\n")
    return text, 2 * pi / sqrt(200), [("position", "b", "x", place)]


def wedge():
    s, c = sin(SLOPE), cos(SLOPE)
    high = 2 * s / c
    text = (material(0) + FLOOR +
            "body{name = 'w', mass = 2, material = 'm', shape = shape.polyhedron{points = "
            f"{{{{-1, -0.5, 0}}, {{1, -0.5, 0}}, {{1, -0.5, {high!r}}}, {{-1, 0.5, 0}}, "
            f"{{1, 0.5, 0}}, {{1, 0.5, {high!r}}}}}}}}}\n" +
            body("b", BOX, position=f"{{{0.3 - 0.05 * s!r}, 0, {1.3 * s / c + 0.05 * c!r}}}",
                 orientation=f"{{axis = {{0, 1, 0}}, angle = {-SLOPE!r}}}"))
    return text, 0.3, [("velocity", "w", "x", 0.3 * G * s * c / (2 + s * s))]


def ladder():
    """Slides down wall and floor without friction and leaves the wall at two thirds of its height."""
    half, tilt = 0.5, radians(20)
    text = (material(0) + FLOOR +
            "body{name = 'w', kind = 'fixed', position = {-0.1, 0, 0}, "
            "shape = shape.box{size = {0.2, 2, 4}, material = 'm'}}\n"
            "body{name = 'b', mass = 1, material = 'm', inertia = {1 / 12, 1 / 12, 1 / 12}, "
            f"position = {{{0.01 + half * sin(tilt)!r}, 0, {0.01 + half * cos(tilt)!r}}}, "
            f"orientation = {{axis = {{0, 1, 0}}, angle = {-tilt!r}}}, "
            "shape = {shape.sphere{radius = 0.01, position = {0, 0, 0.5}}, "
            "shape.sphere{radius = 0.01, position = {0, 0, -0.5}}}}\n")
    speed = 2 / 3 * cos(tilt) * sqrt(G * half * cos(tilt) / 2)
    return text, 0.62, [("velocity", "b", "x", speed)]


def over_a_ball():
    """Slides over a fixed ball and leaves it: its angle by a series of steps of order four."""
    reach, speed, step = 0.6, 0.3, 1e-5
    leaves = acos(2 / 3 + speed**2 / (3 * G * reach))
    angle, rate, at = 0.0, speed / reach, 0.0
    while angle < leaves:
        a1 = G / reach * sin(angle)
        a2 = G / reach * sin(angle + step / 2 * rate)
        a3 = G / reach * sin(angle + step / 2 * (rate + step / 2 * a1))
        a4 = G / reach * sin(angle + step * (rate + step / 2 * a2))
        angle += step * rate + step**2 / 6 * (a1 + a2 + a3)
        rate += step / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        at += step
    at += (leaves - angle) / rate
    fast = sqrt(G * reach * cos(leaves))
    text = (material(0) +
            "body{name = 's', kind = 'fixed', shape = shape.sphere{radius = 0.5, material = 'm'}}\n" +
            body("b", BALL, position="{0, 0, 0.6}", velocity="{0.3, 0, 0}"))
    return text, at + 0.1, [
        ("position", "b", "x", reach * sin(leaves) + 0.1 * fast * cos(leaves)),
        ("position", "b", "z", reach * cos(leaves) - 0.1 * fast * sin(leaves) - 0.005 * G)]


def pendulum_and_wall():
    """A bob on a rod falls against a wall, e = 0.6: its angle by steps of order four."""
    first, meets, length, end = 1.0, -0.2, 1.0, 1.0

    def step(angle, rate, h):
        def turn(a):
            return -G / length * sin(a)
        k1, l1 = rate, turn(angle)
        k2, l2 = rate + h / 2 * l1, turn(angle + h / 2 * k1)
        k3, l3 = rate + h / 2 * l2, turn(angle + h / 2 * k2)
        k4, l4 = rate + h * l3, turn(angle + h * k3)
        return angle + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), rate + h / 6 * (l1 + 2 * l2 + 2 * l3 + l4)

    angle, rate, t, h = first, 0.0, 0.0, 1e-4
    while step(angle, rate, h)[0] > meets:
        (angle, rate), t = step(angle, rate, h), t + h
    low, high = 0.0, h
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if step(angle, rate, middle)[0] > meets else (low, middle)
    (angle, rate), t = step(angle, rate, high), t + high
    rate, left = -0.6 * rate, end - t
    for _ in range(5000):
        angle, rate = step(angle, rate, left / 5000)
    text = (material(0, 0.6) + "body{name = 'b', kind = 'point', mass = 1, material = 'm', "
            "position = {math.sin(1), 0, -math.cos(1)}, shape = shape.sphere{radius = 0.05}}\n"
            "body{name = 'w', kind = 'fixed', material = 'm', shape = shape.half_space{"
            "normal = {1, 0, 0}, offset = -math.sin(0.2) - 0.05}}\n"
            "joint.rod{a = 'b', b = 'ground', point = {math.sin(1), 0, -math.cos(1)}, to = {0, 0, 0}}\n")
    return text, end, [("position", "b", "x", sin(angle)), ("position", "b", "z", -cos(angle))]


def pile():
    text = material(0, 0.5) + FLOOR + body("b", BALL, position="{0, 0, 0.5}") + body(
        "c", BALL, position="{0, 0, 0.9}")
    return text, 2.5, [("position", "b", "z", 0.1), ("position", "c", "z", 0.3)]


def rocking_ellipsoid():
    rate = sqrt(G * 0.3 / (0.05 / 5 + 0.01))
    height = sqrt((0.2 * sin(1e-3))**2 + (0.1 * cos(1e-3))**2)
    text = material(1) + FLOOR + body("b", "ellipsoid{semi_axes = {0.2, 0.2, 0.1}}",
                                      position=f"{{0, 0, {height!r}}}",
                                      orientation="{axis = {0, 1, 0}, angle = 1e-3}")
    return text, pi / 2 / rate, [("angular_velocity", "b", "y", -1e-3 * rate)]


SCENES = {"bounces with spin, slides": bouncing(0.2), "bounces with spin, sticks": bouncing(0.9),
          "backspin": backspin(), "up a slope": up_the_slope(), "rolls": down_the_slope(0.4),
          "slips": down_the_slope(0.1), "belt": belt(), "stop": stop(), "spins": spinning_box(),
          "drive": drive(), "dry spring": dry_spring(), "wedge": wedge(), "ladder": ladder(),
          "over a ball": over_a_ball(), "pile": pile(), "pendulum and wall": pendulum_and_wall(), "ellipsoid": rocking_ellipsoid()}
# the period of an amplitude of 1e-3 is that of none to 1e-6
LIMIT = {"ellipsoid": 1e-8}


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.folder.cleanup()

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, text):
        with open(self.path("s.lua"), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path("s.lua")

    def run_it(self, *words):
        done = subprocess.run([BIN, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              check=False, timeout=300)
        return done.returncode, done.stdout + done.stderr

    def errors(self, scene, scheme, settings="", step=1e-3):
        """Deviations of the values that a scene is expected to reach."""
        text, end, checks = scene
        text += f"scheme '{scheme}' {{{settings}}}\n"
        text += f"run{{step = {end / round(end / step)!r}, duration = {end!r}}}\noutput{{every = 1}}\n"
        for quantity, name, component, _ in checks:
            of = f", body = '{name}'" if name else ""
            along = f", component = '{component}'" if component else ""
            text += f"history{{quantity = '{quantity}'{of}{along}}}\n"
        done = subprocess.run([BIN, "run", self.write(text), "-f", "-o", self.path("s.h5")],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
                              timeout=300)
        if "built without SUNDIALS" in done.stderr:
            self.skipTest(done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("s.csv"), encoding="utf-8") as file:
            last = [float(word) for word in file.read().split("\n")[-2].split(",")]
        return [abs(got - check[3]) for got, check in zip(last[-len(checks):], checks)]


class ClosedForms(Folder):
    def test_event(self):
        for settings in ("", "integrator = 'cvode'"):
            for name, scene in SCENES.items():
                worst = max(self.errors(scene, "event", settings))
                print(f"event {settings:22s} {name:26s} off by {worst:.1e}")
                self.assertLess(worst, LIMIT.get(name, 1e-9))

    def test_rough(self):
        """A ball rolls off a ball: with friction beyond bounds it slips for a moment only before it
        leaves, and its speed there is that of pure rolling, 10 g R (1 - cos)/7 with cos = 10/17 and
        the part of the start, up to 1/friction."""
        reach, speed = 1.1, 0.5
        leaves = (10 + 7 * speed**2 / (G * reach)) / 17
        for friction in (100, 1000, 1e5):
            text = (material(friction) + "body{name = 's', kind = 'fixed', shape = "
                    "shape.sphere{radius = 1, material = 'm'}}\n" +
                    body("b", BALL, position="{0, 0, 1.1}", velocity="{0.5, 0, 0}",
                         angular_velocity="{0, 5, 0}"))
            scene = (text, 1.0, [("velocity", "b", "x", sqrt(G * reach * leaves) * leaves)])
            off = self.errors(scene, "event", step=0.05)[0]
            print(f"friction {friction:g}: off pure rolling by {off:.1e} m/s")
            self.assertLess(off, 0.1 / friction)

    def test_convex(self):
        """Without De Saxce's term a slip throws its body up at mu |u_T| times the largest rate of a
        damped oscillator under a step; friction takes some of the slip away meanwhile."""
        zeta, friction, speed = 0.5, 0.2, 1.4
        thrown = 2 * zeta * friction * speed * exp(-zeta * acos(zeta) / sqrt(1 - zeta**2))
        text = material(friction) + FLOOR + body("b", BOX, position="{0, 0, 0.05}",
                                                 velocity=f"{{{speed}, 0, 0}}")
        for delta in (1e-3, 1e-4):
            self.errors((text, 0.03, [("position", "b", "z", 0.05)]), "relaxed",
                        f"way = 'convex', zeta = {zeta}, delta = {delta}")
            with open(self.path("s.csv"), encoding="utf-8") as file:
                rows = file.read().split("\n")[1:-1]
            most = max(float(row.split(",")[-1]) for row in rows) - 0.05
            print(f"way convex, delta = {delta:g} s: up by {most:.3e} m, formula {thrown**2 / (2 * G):.3e}")
            self.assertLess(abs(most / (thrown**2 / (2 * G)) - 1), 0.1)

    def test_orders(self):
        # slips that stop and friction that turns are of order two; points that wander over a curve
        # are where they are at every stage, and rolling is as exact as the integrator
        for name, order, most in (("up a slope", 1.9, 1e-7), ("spins", 1.9, 3e-5),
                                  ("ellipsoid", None, 1e-7)):
            off = [max(self.errors(SCENES[name], "relaxed", f"delta = {delta}"))
                   for delta in (1e-3, 5e-4)]
            print(f"relaxed {name:26s} {off[0]:.2e} at delta = 1 ms, {off[1]:.2e} at half")
            self.assertLess(max(off), most)
            if order is not None:
                self.assertGreater(np.log2(off[0] / off[1]), order)

    def test_wander(self):
        """Relaxed: a ball that is given as an ellipsoid rolls like one, and does not sink; a flat one
        that slides and spins is where event has it, up to the time in which friction builds up."""
        ball = (material(0.5) + FLOOR + "body{name = 'b', material = 'm', mass = 1, inertia = {0.004, "
                "0.004, 0.004}, position = {0, 0, 0.1}, velocity = {3, 0, 0}, angular_velocity = "
                "{0, 30, 0}, shape = shape.ellipsoid{semi_axes = {0.1, 0.1, 0.1}}}\n")
        off = self.errors((ball, 0.5, [("position", "b", "x", 1.5), ("position", "b", "z", 0.1),
                                       ("velocity", "b", "x", 3)]), "relaxed", step=0.01)
        print("ball as an ellipsoid, relaxed: off by", " ".join(f"{x:.1e}" for x in off))
        self.assertLess(off[0], 1e-9)
        self.assertLess(off[1], 1e-12)
        self.assertLess(off[2], 1e-8)
        flat = (material(0.2) + FLOOR + "body{name = 'b', material = 'm', mass = 1, inertia = {0.00178, "
                "0.0025, 0.00328}, position = {0, 0, 0.05}, velocity = {3, 0.5, 0}, angular_velocity = "
                "{0, 0, 5}, shape = shape.ellipsoid{semi_axes = {0.1, 0.08, 0.05}}}\n")
        scene = [("position", "b", c, 0) for c in "xyz"]
        places = {}
        for scheme, settings in (("event", ""), ("relaxed", "delta = 1e-3"), ("relaxed", "delta = 2e-4")):
            self.errors((flat, 0.5, scene), scheme, settings, step=0.01)
            with open(self.path("s.csv"), encoding="utf-8") as file:
                places[settings] = [float(x) for x in file.read().split("\n")[-2].split(",")[-3:]]
        off = [max(abs(a - b) for a, b in zip(places[""], places[settings]))
               for settings in ("delta = 1e-3", "delta = 2e-4")]
        print(f"flat ellipsoid slides: off by {off[0]:.1e} m at delta = 1 ms, {off[1]:.1e} m at 0.2 ms")
        self.assertLess(off[0], 5e-6)
        self.assertGreater(off[0] / off[1], 5**0.9)

    def test_kinks(self):
        """Relaxed: a load that jumps inside a collision, with steps that do not know it."""
        text = (WEIGHTLESS + material(0, 0.5) + FLOOR +
                body("b", BALL, position="{0, 0, 0.101}", velocity="{0, 0, -1}",
                     force="{0, 0, signal.steps{interval = 0.0013, value = "
                           "{0, -3000, 200, 0, 0, 0, 0, 0}}}"))
        speeds = []
        for step, tolerance in ((0.008, 1e-8), (0.001, 1e-8), (1e-4, 1e-8), (1e-4, 1e-13)):
            self.errors((text, 0.008, [("velocity", "b", "z", 0)]), "relaxed",
                        f"tolerance = {tolerance}", step=step)
            with open(self.path("s.csv"), encoding="utf-8") as file:
                speeds.append(float(file.read().split("\n")[-2].split(",")[-1]))
        apart = max(abs(v - speeds[-1]) for v in speeds)
        print(f"load that jumps in a collision: apart by {apart:.1e} m/s with other steps")
        self.assertLess(apart, 2e-7)

    def test_bounce(self):
        # what sticks within a collision is still at its end, and the rebound is that of e
        for name in ("bounces with spin, slides", "bounces with spin, sticks"):
            off = self.errors(SCENES[name], "relaxed", "tolerance = 1e-11")
            print(f"relaxed {name}: {off[0]:.1e} and {off[1]:.1e} m/s, {off[2]:.1e} rad/s")
            self.assertLess(max(off), 1e-6)

    def test_reversal(self):
        """A rod whose slip turns within its collision: Newton's law at an instant by event, and what
        relaxed tends to, near Routh's."""
        half, friction, slip, fall = 0.5, 0.2, 0.1, -1.0
        inertia = half**2 / 3
        x, z = -half * sin(pi / 4), -half * cos(pi / 4) - 0.01
        w_t, w_n, w_c = 1 + z * z / inertia, 1 + x * x / inertia, -x * z / inertia
        newton = slip - friction * fall / (w_n + friction * w_c)
        first = slip / (friction * w_t - w_c)
        second = -(fall + (w_n - friction * w_c) * first) / (w_n + friction * w_c)
        routh = slip + friction * (second - first)
        text = (WEIGHTLESS + material(friction) + FLOOR + "body{name = 'b', mass = 1, "
                f"inertia = {{{inertia!r}, {inertia!r}, {inertia!r}}}, material = 'm', "
                f"position = {{0, 0, {0.015 + half * cos(pi / 4)!r}}}, velocity = {{0.1, 0, -1}}, "
                "orientation = {axis = {0, 1, 0}, angle = math.pi / 4}, "
                "shape = shape.sphere{radius = 0.01, position = {0, 0, -0.5}}}\n")
        scene = (text, 0.02, [("velocity", "b", "x", newton)])
        off = self.errors(scene, "event")[0]
        soft = [newton - self.errors(scene, "relaxed", f"delta = {delta}", 1e-4)[0]
                for delta in (4e-4, 2e-4, 1e-4)]
        print(f"reversal: Newton {newton:.6f}, event off by {off:.1e}; Routh {routh:.6f}, relaxed",
              " ".join(f"{v:.6f}" for v in soft))
        self.assertLess(off, 1e-9)
        self.assertTrue(all(routh < v < routh + 0.3 * (newton - routh) for v in soft))
        self.assertLess(abs(soft[2] - soft[1]), 0.7 * abs(soft[1] - soft[0]))


BOXES = """material{name = 'm', density = 1000, friction = 0.5}
floor{material = 'm'}
for i = 1, 3 do
    body{name = 'b' .. i, material = 'm', position = {0.02 * i, 0.01 * i * i, 0.13 * i - 0.02},
         angular_velocity = {1.5 - i, 0.7 * i, 0.3},
         orientation = {axis = {1, 0.3 * i, 0.2}, angle = 0.25 * i},
         shape = shape.box{size = {0.1, 0.08, 0.06}}}
end
"""


class Runs(Folder):
    def bits(self, *words):
        code, text = self.run_it(*words)
        self.assertEqual(code, 0, text)
        return re.search(r"state ([0-9a-f]{16})", text)[1]

    def test_resume(self):
        for scheme in ("event", "relaxed"):
            scene = self.write(BOXES + f"scheme '{scheme}'\nrun{{step = 5e-3, duration = 0.2}}\n")
            whole = self.bits("run", scene, "-f", "-o", self.path("whole.h5"))
            self.bits("run", scene, "--until", "0.145", "-f", "-o", self.path("parts.h5"))
            self.assertEqual(self.bits("resume", self.path("parts.h5"), "--until", "0.2"), whole)
            print(f"{scheme}: {whole} in one run and in two")

    def test_stop(self):
        # one step of many days: the request is obeyed inside it
        text = material(0, 0.999) + FLOOR + body("b", BALL, position="{0, 0, 100}")
        scene = self.write(text + "scheme 'event' {rest = 1e-14}\nrun{step = 1e7, duration = 1e7}\n")
        with subprocess.Popen([BIN, "run", scene, "-f", "-o", self.path("a.h5")],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True) as process:
            wait_until_caught(process, signal.SIGTERM)
            time.sleep(0.3)
            running = process.poll() is None
            process.send_signal(signal.SIGTERM)
            asked = time.monotonic()
            text = process.communicate(timeout=60)[0]
            print(f"stopped {time.monotonic() - asked:.2f} s after the request, code "
                  f"{process.returncode}")
        self.assertTrue(running, text)
        self.assertEqual(process.returncode, 1, text)

    def test_dominoes(self):
        """Rows of four that lean on each other: forces between them are not unique, and must not
        blow up; what is symmetric stays so."""
        for friction in (0.1, 0.3, 0.5):
            text = material(friction) + FLOOR + "".join(
                body(f"d{i}", "box{size = {0.02, 0.1, 0.2}}", position=f"{{{0.06 * i}, 0, 0.1}}",
                     **({"velocity": "{0.2, 0, 0}", "angular_velocity": "{0, 2, 0}"} if i == 0
                        else {})) for i in range(4))
            text += "scheme 'event'\nrun{step = 5e-3, duration = 0.8}\n"
            text += "".join(f"history{{quantity = 'position', body = 'd{i}', component = 'y'}}\n"
                            for i in range(4))
            code, said = self.run_it("run", self.write(text), "-f", "-o", self.path("s.h5"))
            self.assertEqual(code, 0, said)
            with open(self.path("s.csv"), encoding="utf-8") as file:
                last = [float(word) for word in file.read().split("\n")[-2].split(",")]
            with h5py.File(self.path("s.h5")) as file:
                events = len(file["events/time"])
            lost = float(re.search(r"integration ([-+0-9.e]+)", said)[1])
            aside = max(abs(y) for y in last[-4:])
            print(f"four dominoes, friction {friction}: {events} events, {aside:.1e} m aside, "
                  f"integration {lost:.1e} J")
            self.assertLess(aside, 1e-9)
            self.assertLess(abs(lost), 1e-6)
            self.assertLess(events, 1000)

    def test_refused(self):
        text = ("material{name = 'm', friction = 0.3, law = 'contensou', patch = 0.01}\n" + FLOOR +
                body("b", BALL, position="{0, 0, 5}"))
        code, text = self.run_it("run", self.write(text + "scheme 'event'\n"), "-f", "-o",
                                 self.path("a.h5"))
        self.assertEqual(code, 3, text)
        self.assertIn("has no rule for the law", text)
        self.assertIn("moreau, koziara and relaxed take it", " ".join(text.split()))
        # before the first step, though nothing touches there
        self.assertFalse(os.path.exists(self.path("a.h5")))

    def test_penalty_refuses(self):
        """Laws with more rows than penalty keeps, before anything touches; Coulomb's falls and lands."""
        for law, code in (("law = 'rolling', rolling = 0.01", 3), ("law = 'contensou', patch = 0.01", 3),
                          ("law = 'coulomb'", 0)):
            text = (f"material{{name = 'm', friction = 0.5, {law}}}\n" + FLOOR +
                    body("b", BALL, position="{0, 0, 0.12}") +
                    "scheme 'penalty'\nrun{step = 1e-4, duration = 0.1, energy_alarm = false}\n")
            said = self.run_it("run", self.write(text), "-f", "-o", self.path(f"{code}.h5"))
            self.assertEqual(said[0], code, said[1])
            self.assertEqual(os.path.exists(self.path(f"{code}.h5")), code == 0, said[1])

    def test_euler_energy(self):
        """Forces of a step of Euler's work over its mean velocity: nothing is left over, and six
        balls that bounce and begin to roll lose 2/7 of their energy along the floor to friction."""
        text = material(0.3, 0.5) + FLOOR + "".join(
            body(f"b{i}", BALL, position=f"{{{0.5 * i}, 0, {0.4 + 0.02 * i}}}", velocity="{1, 0, 0}")
            for i in range(6))
        code, text = self.run_it("run", self.write(text + "scheme 'relaxed' {method = 'euler'}\n"
                                                   "run{step = 0.001, duration = 1}\n"),
                                 "-f", "-o", self.path("a.h5"))
        works = {name: float(re.search(name + r" ([-+0-9.e]+)", text).group(1))
                 for name in ("friction", "integration")}
        print("relaxed by euler, six balls:", works)
        self.assertEqual(code, 0, text)
        self.assertNotIn("energy alarm", text)
        self.assertLess(abs(works["friction"] + 6 * 0.5 * 2 / 7), 1e-3)
        self.assertLess(abs(works["integration"]), 1e-6)

    def test_large(self):
        text = material(0.5) + FLOOR + "".join(
            body(f"b{i}", BOX, position=f"{{{0.3 * i}, 0, 0.05}}") for i in range(4))
        code, text = self.run_it("run", self.write(text + "scheme 'event' {branch = 'stick'}\n"
                                                   "run{step = 0.01, duration = 0.03}\n"),
                                 "-f", "-o", self.path("a.h5"))
        self.assertEqual(code, 0, text)
        self.assertIn("too large for all solutions to be found", text)

    def test_cradle(self):
        # Newton's cradle comes back after the period of its first ball alone
        scene = os.path.join(ROOT, "scenes", "newtons-cradle.lua")
        code, text = self.run_it("run", scene, "--set", "scheme.name=event", "--until", "1.5", "-f",
                                 "-o", self.path("a.h5"))
        self.assertEqual(code, 0, text)
        with h5py.File(self.path("a.h5")) as file:
            times = file["events/time"][:][file["events/kind"][:] == 0]
        a, b = 1.0, cos(pi / 16)
        for _ in range(8):
            a, b = (a + b) / 2, sqrt(a * b)
        period = 2 * pi * sqrt(0.5 / G) / a
        print(f"cradle: hits at {times.min():.9f} and {times.max():.9f} s, period {period:.9f} s")
        # the balls are 1e-10 m apart
        self.assertLess(abs(times.min() - period / 4), 5e-9)
        self.assertLess(abs(times.max() - 3 * period / 4), 5e-9)


if __name__ == "__main__":
    unittest.main()

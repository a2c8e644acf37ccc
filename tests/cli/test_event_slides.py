#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Event: bodies that slide on two points, against their equations of motion. A box that is torn off
its bonds on one side and slides on the other, a plank that rolls and slides on a cylinder, a plate
that nothing turns, an edge on the side of a capsule.

    STICTION_BIN=build/release/bin/stiction tests/cli/test_event_slides.py [-v] [Class.test]
"""

import unittest
from math import asin, cos, sin

import h5py
import numpy as np

from test_continuous_time import G, WEIGHTLESS, Folder, material


def follow(slope, ends, y, t, until, parts=4000):
    """(time, state) where a function of them falls through zero, or at `until`, by the classical
    method of order four; the last part is shortened by the secant rule."""
    def step(t, y, h):
        a = slope(t, y)
        b = slope(t + h / 2, y + h / 2 * a)
        c = slope(t + h / 2, y + h / 2 * b)
        return y + h / 6 * (a + 2 * b + 2 * c + slope(t + h, y + h * c))

    h = (until - t) / parts
    for _ in range(parts):
        after = step(t, y, h)
        if ends is not None and ends(t + h, after) < 0:
            low, high = 0.0, h
            for _ in range(60):
                middle = 0.5 * (low + high)
                if ends(t + middle, step(t, y, middle)) < 0:
                    high = middle
                else:
                    low = middle
            return t + low, step(t, y, low)
        t, y = t + h, after
    return until, y


def torn(friction):
    """2 kg with an edge at (-0.1, -0.05) of its middle that slides on the floor and is held by bonds
    of 200 N, pulled up by 450 sin 3t N at (0.06, 0.05): x, z and the rate of its turning after 0.4
    s, and when the edge is torn off. At 250 N the points of the other edge have carried all they can."""
    mass, inertia, bond = 2.0, 2 * (0.04 + 0.01) / 12, 200.0

    def turned(y, x, z):
        return np.array([cos(y[2]) * x - sin(y[2]) * z, sin(y[2]) * x + cos(y[2]) * z])

    def forces(t, y):
        """Accelerations of x, z and angle, and the normal force, with a slip towards x."""
        e, at, push = turned(y, -0.1, -0.05), turned(y, 0.06, 0.05), 450 * sin(3 * t)
        rows = [[mass, 0, 0, friction], [0, mass, 0, -1],
                [0, 0, inertia, -friction * e[1] - e[0]], [0, 1, e[0], 0]]
        return np.linalg.solve(rows, [-friction * bond, push,
                                      at[0] * push + e[1] * friction * bond, y[5]**2 * e[1]])

    def slope(t, y):
        return np.concatenate([y[3:], forces(t, y)[:3]])

    def flies(t, y):
        push = 450 * sin(3 * t)
        return np.concatenate([y[3:], [0, push / mass, turned(y, 0.06, 0.05)[0] * push / inertia]])

    at, y = follow(slope, lambda t, y: forces(t, y)[3] + bond, np.array([0, 0.05, 0, 0, 0, 0.0]),
                   asin(250 / 450) / 3, 0.4)
    return at, follow(flies, None, y, at, 0.4)[1]


def plank(friction, until):
    """A plank of 3 kg and 2 m that is 0.1 m thick turns at 1.3 rad/s on a cylinder of 0.4 m: it
    rolls, slips and slides back. Its angle, the way of the contact along it, and their rates."""
    radius, half, mass = 0.4, 0.05, 3.0
    inertia = mass * (4 + 0.01) / 12

    def forces(y, slides):
        angle, way, rate, speed = y
        along, up = (radius + half) * rate - speed, way * rate
        rows = [[mass * (radius + half), -mass, -1, 0], [mass * way, 0, 0, -1], [inertia, 0, half, way],
                [0, 0, 1, friction] if slides else [radius, -1, 0, 0]]
        return np.linalg.solve(rows, [mass * (G * sin(angle) - up * rate),
                                      mass * (along * rate - G * cos(angle) - speed * rate), 0, 0])

    def slope(slides):
        return lambda t, y: np.concatenate([y[2:], forces(y, slides)[:2]])

    def holds(t, y):
        a = forces(y, False)
        return friction * a[3] - abs(a[2])

    slips, y = follow(slope(False), holds, np.array([0, 0, 1.3, 1.3 * radius]), 0.0, until)
    y = follow(slope(True), None, y, slips, until)[1]
    along, up = cos(y[0]), sin(y[0])
    return slips, ((radius + half) * up - y[1] * along, (radius + half) * along + y[1] * up)


def turn(w, R):
    """R turned by the rotation vector w."""
    angle = np.linalg.norm(w)
    if angle == 0:
        return R
    K = np.cross(w / angle, np.eye(3)).T
    return (np.eye(3) + sin(angle) * K + (1 - cos(angle)) * K @ K) @ R


class Ridge:
    """A box of 1 kg whose lower edge lies across the side of a capsule along x, without friction: the
    gap of the two lines has a closed form, and its second derivative along the motion gives the
    force. Steps of order four on place, rotation vector and velocities."""
    half, radius, top, inertia = np.array([0.15, 0.1, 0.125]), 0.3, -0.2, None

    def __init__(self):
        self.inertia = np.array([self.half[1]**2 + self.half[2]**2, self.half[0]**2 + self.half[2]**2,
                                 self.half[0]**2 + self.half[1]**2]) / 3
        self.start = turn(np.array([0, 0, 1.0]), turn(np.array([0.8, 0, 0]), np.eye(3)))
        arm = self.start @ np.array([0.03, -0.1, -0.125])
        self.place, self.spin = np.array([0, 0, self.top]) - arm, np.array([1.0, -0.5, 2.0])
        self.speed = np.array([0.3, 0.2, 0])
        self.speed[2] = -np.cross(self.spin, arm)[2]

    def lines(self, x, R):
        """Gap, normal and arm of the nearest point of the edge."""
        edge, corner = R[:, 0], x + R @ np.array([0, -0.1, -0.125])
        n = np.cross([1, 0, 0], edge)
        n /= np.linalg.norm(n) * np.sign(n[2])
        away = corner - np.array([0, 0, self.top - self.radius])
        # the point of the edge that is nearest to the axis: nothing of the rest is across both lines
        rest = away - (n @ away) * n
        at = -rest[1] / edge[1]
        return n @ away - self.radius, n, corner + at * edge - x

    def slope(self, _, y):
        x, R, v, w = y[:3], turn(y[3:6], self.start), y[6:9], y[9:12]
        _, n, arm = self.lines(x, R)
        h, I = 1e-4, R @ np.diag(self.inertia) @ R.T
        bent = sum(c * self.lines(x + k * h * v, turn(k * h * w, R))[0]
                   for k, c in ((-2, -1), (-1, 16), (0, -30), (1, 16), (2, -1))) / (12 * h * h)
        free = np.append([0, 0, -G], np.linalg.solve(I, -np.cross(w, I @ w)))
        row = np.append(n, np.cross(arm, n))
        gives = np.append(n, np.linalg.solve(I, np.cross(arm, n)))
        a = free + gives * (-(bent + row @ free) / (row @ gives))
        # rate of the rotation vector
        p, angle = y[3:6], np.linalg.norm(y[3:6])
        part = 1 / 12 if angle < 1e-3 else (1 - angle / 2 / np.tan(angle / 2)) / angle**2
        rate = w - np.cross(p, w) / 2 + part * np.cross(p, np.cross(p, w))
        return np.concatenate((v, rate, a))

    def end(self, until):
        y = np.concatenate((self.place, np.zeros(3), self.speed, self.spin))
        return follow(self.slope, None, y, 0.0, until, 400)[1]


class Slides(Folder):
    def times(self, kind):
        with h5py.File(self.path("s.h5")) as file:
            return [t for found, t in zip(file["events/kind"][:], file["events/time"][:])
                    if found == kind]

    def test_torn(self):
        for friction in (0.3, 0.6):
            at, exact = torn(friction)
            text = (WEIGHTLESS + f"material{{name = 'm', friction = {friction}, cohesion = 1e4}}\n"
                    "body{name = 'f', kind = 'fixed', position = {0, 0, -0.1}, "
                    "shape = shape.box{size = {1, 1, 0.2}, material = 'm'}}\n"
                    "body{name = 'b', mass = 2, position = {0, 0, 0.05}, "
                    "shape = shape.box{size = {0.2, 0.2, 0.1}, material = 'm'}}\n"
                    "load{body = 'b', point = {0.06, 0, 0.1}, "
                    "force = {0, 0, signal.wave{amplitude = 450, frequency = 3}}}\n")
            for step in (0.1, 0.01):
                off = self.errors((text, 0.4, [("position", "b", "x", exact[0]),
                                               ("position", "b", "z", exact[1]),
                                               ("angular_velocity", "b", "y", -exact[5])]),
                                  "event", step=step)
                late = self.times(2)[-1] - at
                print(f"friction {friction}, h = {step} s: torn off {late:.1e} s late, off by "
                      f"{max(off):.1e}")
                self.assertLess(abs(late), 1e-9)
                self.assertLess(max(off), 1e-8)

    def test_plank(self):
        slips, (x, z) = plank(0.3, 1.2)
        text = (material(0.3) + "body{name = 'c', kind = 'fixed', material = 'm', orientation = "
                "{axis = {1, 0, 0}, angle = math.pi / 2}, "
                "shape = shape.cylinder{radius = 0.4, height = 2}}\n"
                "body{name = 'b', mass = 3, material = 'm', position = {0, 0, 0.45}, "
                "angular_velocity = {0, 1.3, 0}, velocity = {1.3 * 0.05, 0, 0}, "
                "shape = shape.box{size = {2, 0.5, 0.1}}}\n")
        for step in (0.1, 0.03, 0.02, 0.005):
            off = self.errors((text, 1.2, [("position", "b", "x", x), ("position", "b", "z", z)]),
                              "event", step=step)
            late = self.times(3)[0] - slips
            with h5py.File(self.path("s.h5")) as file:
                point, gap = file["contacts/point"][:], file["contacts/gap"][:]
            # contacts are where the two touch, and not where they were when the last part began
            told = max(np.abs(gap).max(), np.abs(np.hypot(point[:, 0], point[:, 2]) - 0.4).max())
            print(f"plank, h = {step} s: slips {late:.1e} s late, off by {max(off):.1e} m, "
                  f"its contacts by {told:.1e} m")
            # points are stored as single numbers
            self.assertLess(told, 1e-7)
            self.assertEqual(self.times(0), [])
            self.assertLess(abs(late), 1e-9)
            self.assertLess(max(off), 1e-9)

    def test_limit(self):
        """A drive with a largest force and dry friction pushes a box against a limit, where it
        bounces until it rests. Another one that slides elsewhere notices nothing."""
        shape = "shape.box{size = {0.2, 0.2, 0.2}}"
        text = (material(0.3, 0.5) +
                "body{name = 'f', kind = 'fixed', shape = shape.half_space{offset = -0.1, material = 'm'}}\n"
                f"body{{name = 'a', mass = 2, material = 'm', position = {{0, 0, 1}}, shape = {shape}}}\n"
                f"body{{name = 'b', mass = 1, material = 'm', position = {{0, 1, 0}}, "
                f"velocity = {{3, 0, 0}}, shape = {shape}}}\n"
                "joint.slider{name = 's', a = 'a', b = 'ground', point = {0, 0, 1}, axis = {1, 0, 0}, "
                "driven = true, speed = 2, drive_force = 25, limit = {-1, 0.6}, restitution = 0.5, "
                "friction = 1}\n")
        # 2 m/s after 1/6 s and 1/6 m
        first = 1 / 6 + (0.6 - 1 / 6) / 2
        for step in (0.1, 0.02, 0.005):
            off = self.errors((text, 0.9, [
                ("position", "a", "x", 0.6), ("velocity", "a", "x", 0),
                ("position", "b", "x", 3 * 0.9 - 0.15 * G * 0.81),
                ("velocity", "b", "x", 3 - 0.3 * G * 0.9)]), "event", step=step)
            hits = self.times(0)
            print(f"limit, h = {step} s: {len(hits)} hits, the first {hits[0] - first:.1e} s late, "
                  f"off by {max(off):.1e}")
            self.assertLess(abs(hits[0] - first), 1e-12)
            self.assertLess(max(off[:2]), 1e-10)
            self.assertLess(max(off[2:]), 1e-12)
            # no leaps
            self.assertEqual(self.times(5), [])

    def test_stiff_plate(self):
        """What has a huge moment of inertia does not turn: it slides, with friction along and across
        a grain, as a point would, and all of its points go on to carry it."""
        along, across = 0.2, 0.5

        def slope(t, y):
            size = np.hypot(along * y[2], across * y[3])
            return np.array([y[2], y[3], -G * along**2 * y[2] / size, -G * across**2 * y[3] / size])

        _, end = follow(slope, None, np.array([0.0, 0.0, 2.0, 1.5]), 0.0, 0.4)
        for inertia in (1e2, 1e6, 3e6, 1e7, 1e9):
            text = (f"material{{name = 'm', friction = {along}, across = {across}, grain = {{1, 0, 0}}, "
                    "law = 'anisotropic'}\nfloor{material = 'm'}\n"
                    "body{name = 'b', material = 'm', mass = 3, position = {0, 0, 0.1}, "
                    f"velocity = {{2, 1.5, 0}}, inertia = {{{inertia}, {inertia}, {inertia}}}, "
                    "shape = shape.box{size = {0.4, 0.4, 0.2}}}\n")
            for step in (0.4, 0.1, 0.01):
                off = self.errors((text, 0.4, [("position", "b", c, end[k]) for k, c in enumerate("xy")] +
                                   [("velocity", "b", c, end[2 + k]) for k, c in enumerate("xy")]),
                                  "event", step=step)
                with h5py.File(self.path("s.h5")) as file:
                    told = len(file["events/kind"][:])
                print(f"inertia {inertia:.0e} kg m2, h = {step} s: off by {max(off):.1e}, {told} events")
                self.assertLess(max(off), 1e-9)
                self.assertEqual(told, 0)

    def test_ridge(self):
        """The edge of a box on the side of a capsule: the point of contact moves along both."""
        ridge = Ridge()
        end = ridge.end(0.12)
        numbers = {name: "{" + ", ".join(repr(float(x)) for x in value) + "}" for name, value in
                   (("position", ridge.place), ("velocity", ridge.speed),
                    ("angular_velocity", ridge.spin))}
        text = (material(0) + "body{name = 'c', kind = 'fixed', position = {0, 0, -0.5}, orientation = "
                "{axis = {0, 1, 0}, angle = math.pi / 2}, "
                "shape = shape.capsule{radius = 0.3, length = 2, material = 'm'}}\n"
                "local z, x = {math.cos(0.5), 0, 0, math.sin(0.5)}, {math.cos(0.4), math.sin(0.4), 0, 0}\n"
                "body{name = 'b', material = 'm', mass = 1, "
                "shape = shape.box{size = {0.3, 0.2, 0.25}}, orientation = "
                "{z[1] * x[1], z[1] * x[2], z[4] * x[2], z[4] * x[1]}" +
                "".join(f", {name} = {value}" for name, value in numbers.items()) + "}\n")
        asked = ([("position", "b", c, end[k]) for k, c in enumerate("xyz")] +
                 [("velocity", "b", c, end[6 + k]) for k, c in enumerate("xyz")] +
                 [("angular_velocity", "b", c, end[9 + k]) for k, c in enumerate("xyz")])
        for scheme, settings, bound in (("event", "", 1e-8), ("relaxed", "delta = 1e-3", 1e-8),
                                        ("relaxed", "delta = 2.5e-4", 1e-8)):
            for step in (0.12, 0.02, 0.002):
                off = self.errors((text, 0.12, asked), scheme, settings, step=step)
                print(f"edge on a capsule, {scheme} {settings}, h = {step} s: off by {max(off):.1e}")
                self.assertLess(max(off), bound)

    def test_edge_lands(self):
        """A box lands with an edge on the side of a capsule, slides over it and strikes it again. The
        narrow phase gives the contact another name where a face comes to lie along the side: there
        it is seen from one side only, and the motion goes on."""
        text = (material(0) + "body{name = 'c', kind = 'fixed', position = {0, 0, -0.5}, orientation = "
                "{axis = {0, 1, 0}, angle = math.pi / 2}, "
                "shape = shape.capsule{radius = 0.3, length = 2, material = 'm'}}\n"
                "body{name = 'b', material = 'm', mass = 1, position = {0.1, 0.1, 0}, "
                "velocity = {0, 0, -2}, orientation = {axis = {1, 0.5, 0.3}, angle = 1.1}, "
                "shape = shape.box{size = {0.3, 0.2, 0.25}}}\n")

        def spins(scheme, step):
            """Its angular velocity after 0.2 s."""
            return np.array(self.errors((text, 0.2, [("angular_velocity", "b", c, 0) for c in "xyz"]),
                                        scheme, step=step))

        stepped = spins("moreau", 1e-5)
        for step in (0.2, 0.02, 0.002):
            off = max(abs(spins("event", step) - stepped))
            with h5py.File(self.path("s.h5")) as file:
                kind = file["events/kind"][:].tolist()
            print(f"edge lands on a capsule, h = {step} s: events {kind}, {off:.1e} rad/s off moreau")
            # an impact and a touch, two more impacts, take-offs
            self.assertEqual(sorted(kind), [0, 0, 0, 1, 2, 2, 2])
            # of first order, 1.6e-3 with ten times longer steps
            self.assertLess(off, 5e-4)


if __name__ == "__main__":
    unittest.main()

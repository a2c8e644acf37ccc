#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Event: bodies that leave features inside a step of the run, whatever its length. Balls and other
round bodies over edges and corners, tables that are pulled away, gaps, a box that tips over an edge.

    STICTION_BIN=build/release/bin/stiction tests/cli/test_event_borders.py [-v] [Class.test]
"""

import unittest
from math import cos, pi, sin, sqrt

import h5py
import numpy as np

from test_continuous_time import BALL, G, LYING, Folder, body, material

TABLE = ("body{name = 't', kind = 'fixed', position = {0, 0, -0.1}, "
         "shape = shape.box{size = {1, 1, 0.2}, material = 'm'}}\n")
# the same as a mesh of twelve triangles
MESH = TABLE.replace("box{size = {1, 1, 0.2}, ", """mesh{points = {
{-0.5, -0.5, 0.1}, {0.5, -0.5, 0.1}, {0.5, 0.5, 0.1}, {-0.5, 0.5, 0.1},
{-0.5, -0.5, -0.1}, {0.5, -0.5, -0.1}, {0.5, 0.5, -0.1}, {-0.5, 0.5, -0.1}}, faces = {
{1, 2, 3}, {1, 3, 4}, {2, 6, 7}, {2, 7, 3}, {5, 7, 6}, {5, 8, 7},
{1, 5, 6}, {1, 6, 2}, {4, 3, 7}, {4, 7, 8}, {1, 4, 8}, {1, 8, 5}}, """)
STEPS = (0.6, 0.1, 0.01)
# borders of sides and of ellipsoids are known to 1e-6 of the size, those of balls to rounding
ROUGH = 2e-6


def thrown(shape, speed, **fields):
    """Leaves the table at x = 0.5."""
    text = material(0) + TABLE + body("b", shape, position="{0, 0, 0.1}",
                                      velocity=f"{{{speed}, 0, 0}}", **fields)
    return text, 0.6, [("position", "b", "z", 0.1 - 0.5 * G * (0.6 - 0.5 / speed)**2),
                       ("position", "b", "x", 0.6 * speed)]


def rolls():
    """Rolls too fast to follow the edge."""
    text = material(0.5) + TABLE + body("b", BALL, position="{0, 0, 0.1}",
                                        velocity="{-1.5, 0, 0}", angular_velocity="{0, -15, 0}")
    return text, 0.6, [("position", "b", "z", 0.1 - 0.5 * G * (0.6 - 0.5 / 1.5)**2),
                       ("angular_velocity", "b", "y", -15)]


def corner():
    text = material(0) + TABLE + body("b", BALL, position="{0, 0, 0.1}", velocity="{1.5, 1.5, 0}")
    return text, 0.6, [("position", "b", "z", 0.1 - 0.5 * G * (0.6 - 0.5 / 1.5)**2)]


def pulled():
    """A table that is pulled away, faster and faster."""
    text = (material(0) + "body{name = 't', kind = 'prescribed', position = {0, 0, -0.1}, "
            "velocity = {-1.5, 0, 0}, shape = shape.box{size = {1, 1, 0.2}, material = 'm'}}\n" +
            body("b", BALL, position="{0, 0, 0.1}"))
    return text, 0.6, [("position", "b", "z", 0.1 - 0.5 * G * (0.6 - 0.5 / 1.5)**2),
                       ("position", "b", "x", 0)]


def free_table():
    text = (material(0) + "floor{material = 'm', height = -2}\n"
            "body{name = 't', mass = 2, material = 'm', position = {0, 0, -1}, "
            "velocity = {-0.5, 0, 0}, shape = shape.box{size = {1, 1, 2}}}\n" +
            body("b", BALL, position="{0, 0, 0.1}", velocity="{1, 0, 0}"))
    return text, 0.6, [("position", "b", "z", 0.1 - 0.5 * G * (0.6 - 0.5 / 1.5)**2),
                       ("position", "t", "x", -0.3)]


def gap():
    """Over the gap between two tables: hits the edge of the second, and lands on it."""
    speed, wide, r = 1.5, 0.05, 0.1

    def apart(t):
        return (speed * t - wide)**2 + (r - 0.5 * G * t * t)**2 - r * r

    low, high = 0.0, wide / speed
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if apart(middle) > 0 else (low, middle)
    x, z, v = speed * high, r - 0.5 * G * high**2, (speed, -G * high)
    n = ((x - wide) / r, z / r)
    hit = v[0] * n[0] + v[1] * n[1]
    v = (v[0] - hit * n[0], v[1] - hit * n[1])
    text = (material(0) + TABLE + "body{name = 't2', kind = 'fixed', position = {1.05, 0, -0.1}, "
            "shape = shape.box{size = {1, 1, 0.2}, material = 'm'}}\n" +
            body("b", BALL, position="{0, 0, 0.1}", velocity="{1.5, 0, 0}"))
    return text, 0.6, [("position", "b", "x", 0.5 + x + v[0] * (0.6 - 0.5 / speed - high)),
                       ("position", "b", "z", r)]


def seam():
    """Two tables side by side: nothing happens."""
    text = (material(0) + TABLE + "body{name = 't2', kind = 'fixed', position = {1, 0, -0.1}, "
            "shape = shape.box{size = {1, 1, 0.2}, material = 'm'}}\n" +
            body("b", BALL, position="{0, 0, 0.1}", velocity="{1.5, 0, 0}"))
    return text, 0.6, [("position", "b", "x", 0.9), ("position", "b", "z", 0.1),
                       ("velocity", "b", "z", 0)]


# as wide as high below their middle, with their moments of inertia for a mass of 1
TIPPING = {"box": ("box{size = {0.2, 0.2, 0.1}}", (0.04 + 0.01) / 12),
           "cylinder": ("cylinder{radius = 0.1, height = 0.1}", (3 * 0.01 + 0.01) / 12)}


def tipping(name, at, end):
    """A body slides over an edge without friction and tips about it; the edge is where its bottom
    is at s from its middle: (s, th) by Lagrange's equations, with steps of order four."""
    (shape, inertia), low, half = TIPPING[name], 0.05, 0.1

    def rate(y):
        s, th, u, w = y
        along = s * w * w + G * sin(th)
        turn = (G * (s * cos(th) + low * sin(th)) - low * along - 2 * s * u * w) / (s * s + inertia)
        return (u, w, along - low * turn, turn)

    def step(y, h):
        k1 = rate(y)
        k2 = rate([a + h / 2 * b for a, b in zip(y, k1)])
        k3 = rate([a + h / 2 * b for a, b in zip(y, k2)])
        k4 = rate([a + h * b for a, b in zip(y, k3)])
        return [a + h / 6 * (p + 2 * q + 2 * r + s)
                for a, p, q, r, s in zip(y, k1, k2, k3, k4)]

    y, t, h = [0.0, 0.0, 1.0, 0.0], 0.5 - at, 1e-4
    while step(y, h)[0] < half:
        y, t = step(y, h), t + h
    below, above = 0.0, h
    for _ in range(60):
        middle = 0.5 * (below + above)
        below, above = (below, middle) if step(y, middle)[0] >= half else (middle, above)
    (s, th, u, w), t = step(y, above), t + above
    x, z = 0.5 + s * cos(th) + low * sin(th), -s * sin(th) + low * cos(th)
    vx = (u + low * w) * cos(th) - s * w * sin(th)
    vz = -(u + low * w) * sin(th) - s * w * cos(th)
    text = material(0) + TABLE + body("b", shape, position=f"{{{at}, 0, 0.05}}",
                                      velocity="{1, 0, 0}",
                                      orientation="{axis = {0, 0, 1}, angle = %s}" %
                                      (0.1 if name == "cylinder" else 0))
    return text, end, [("angular_velocity", "b", "y", w), ("position", "b", "x", x + vx * (end - t)),
                       ("position", "b", "z", z + vz * (end - t) - 0.5 * G * (end - t)**2)]


SCENES = {"ball": (thrown(BALL, 1.5), 1e-12), "ball to the left, rolling": (rolls(), 1e-12),
          "ball over a corner": (corner(), 1e-12), "table pulled away": (pulled(), 1e-12),
          "table of its own": (free_table(), 1e-12), "gap": (gap(), 1e-9), "seam": (seam(), 1e-11),
          "cylinder": (thrown("cylinder{radius = 0.1, height = 0.3}", 1.5, orientation=LYING), ROUGH),
          "capsule": (thrown("capsule{radius = 0.1, length = 0.3}", 1.5, orientation=LYING), ROUGH),
          "ellipsoid": (thrown("ellipsoid{semi_axes = {0.12, 0.12, 0.1}}", 2.5), ROUGH)}


def leaning(table):
    """A bar, turned by 45 degrees about its axis, comes down on a table with its middle 5 cm from the
    edge, which it leans over by 5 mrad: its lowest side meets the edge of the table first, a corner
    of it the face next."""
    low, half, tilt = 0.02 * sqrt(2) * cos(0.005), 0.05, 0.005
    q = [cos(tilt / 2) * cos(pi / 8), cos(tilt / 2) * sin(pi / 8),
         sin(tilt / 2) * cos(pi / 8), -sin(tilt / 2) * sin(pi / 8)]
    # the side crosses the edge 5 mm above the table
    text = ("gravity{0, 0, 0}\nmaterial{name = 'm', density = 1000, friction = 0.3, restitution = 0}\n" +
            table + f"""body{{name = 'b', position = {{{-half * cos(tilt)}, 0,
{0.005 + low + half * sin(tilt)}}}, velocity = {{0, 0, -1}}, orientation = {{{', '.join(map(repr, q))}}},
shape = shape.box{{size = {{0.4, 0.04, 0.04}}, material = 'm'}}}}\n""")
    return text, 0.012, [("angular_velocity", "b", "y", 0), ("velocity", "b", "x", 0),
                         ("velocity", "b", "z", 0)]


UNDER = {"box": TABLE.replace("0, 0, -0.1", "-0.5, 0, -0.1"),
         "mesh": MESH.replace("0, 0, -0.1", "-0.5, 0, -0.1"),
         "floor": "floor{material = 'm'}\n"}


class Borders(Folder):
    def test_edges(self):
        for name, (scene, limit) in SCENES.items():
            off = [max(self.errors(scene, "event", step=step)) for step in STEPS]
            print(f"{name:26s}", " ".join(f"h = {h} s: {e:.1e}" for h, e in zip(STEPS, off)))
            self.assertLess(max(off), limit, name)

    def test_tipping(self):
        for name, at, end in (("box", 0.3, 0.4), ("box", 0.3314, 0.37), ("cylinder", 0.3, 0.4)):
            steps = (end, end / 3, 0.01, 0.001)
            off = [max(self.errors(tipping(name, at, end), "event", step=step)) for step in steps]
            print(f"{name} tips over an edge, from {at:6.4f} m  ",
                  " ".join(f"h = {h:.3g} s: {e:.1e}" for h, e in zip(steps, off)))
            self.assertLess(max(off), 1e-5)

    def test_tipping_relaxed(self):
        """A corner that slides over the edge while its body tips comes to the level of the table just
        where it leaves it. It must not be braked: 20 % of the spin, whatever delta."""
        for name, table in ((name, table) for name in TIPPING for table in (TABLE, MESH)):
            text, end, checks = tipping(name, 0.3, 0.4)
            scene = (text.replace(TABLE, table), end, checks)
            off = [max(self.errors(scene, "relaxed", f"delta = {delta}", step=step))
                   for delta in (1e-3, 2.5e-4) for step in (0.01, 0.0037)]
            print(f"{name} tips over an edge{' of a mesh' if table is MESH else ''}, relaxed, "
                  "delta = 1e-3, 2.5e-4 s, two steps each:", " ".join(f"{e:.1e}" for e in off))
            # the table ends 1e-6 of its size late, at 1 m/s and 117 rad/s^2; without looking for its
            # border inside of steps by 1e-4 to 8e-3, which differed with delta and the step
            self.assertLess(max(off), 1.5e-4)

    def test_leaning(self):
        """What follows beside two edges that meet is braked in time, wherever steps of the run end:
        0.057, 0.086 and 0.056 rad/s came with steps of 1, 0.1 and 0.01 ms."""
        for name, table in UNDER.items():
            scene = leaning(table)
            spin = [np.array(self.errors(scene, "relaxed", "delta = 1e-3, tolerance = 1e-11", step=step))
                    for step in (6e-3, 1e-3, 1e-4)]
            apart = np.ptp(spin, axis=0).max()
            right = np.array(self.errors(scene, "event", step=0.012))
            off = [abs(np.array(self.errors(scene, "relaxed", f"delta = {delta}", step=1e-3)) - right).max()
                   for delta in (4e-5, 1e-5)]
            print(f"bar that leans on a {name}: apart by {apart:.1e} with other steps, from event by "
                  f"{off[0]:.1e} {off[1]:.1e} at delta = 4e-5, 1e-5 s")
            self.assertLess(apart, 1e-7)
            # of first order, or exact: on a floor the second corner comes long after the first
            self.assertLess(off[1], max(0.3 * off[0], 1e-10))
            self.assertLess(off[1], 1e-3)

    def test_tipping_steps(self):
        """Schemes that step must not stop it where it closes either: its impulse did not get less with
        the step, and 3.76 to 4.88 rad/s came instead of 3.63. Wherever steps end on the way."""
        steps = (5e-3, 3.7e-3, 2.3e-3, 1.39e-3, 1e-3, 6.1e-4)
        for scheme in ("moreau", "koziara", "theta"):
            for name in TIPPING:
                off = [max(self.errors(tipping(name, 0.3, 0.4), scheme, step=step)) / step
                       for step in steps]
                print(f"{name} tips over an edge, {scheme:8s} off by",
                      " ".join(f"{e:.1f} h" for e in off))
                self.assertLess(max(off), 20)

    def test_turned(self):
        """The same with boxes that are turned: corners leave one after the other."""
        for turn in (0.3, 0.7, 1.2):
            text = (material(0) + TABLE +
                    body("b", "box{size = {0.2, 0.2, 0.1}}", position="{0.3, 0, 0.05}",
                         velocity="{1, 0, 0}", orientation=f"{{axis = {{0, 0, 1}}, angle = {turn}}}"))
            spin = [np.array(self.errors((text, 0.4, [("angular_velocity", "b", c, 0) for c in "xyz"]),
                                         scheme, settings, step=0.01))
                    for scheme, settings in (("event", ""), ("relaxed", "delta = 1e-3"),
                                             ("relaxed", "delta = 1e-4"))]
            off = [max(abs(one - spin[0])) for one in spin[1:]]
            print(f"box turned by {turn}: relaxed off by", " ".join(f"{e:.1e}" for e in off), "rad/s")
            self.assertLess(max(off), 2e-6)
            for step in (2.9e-3, 1.39e-3, 5e-4):
                stepped = np.array(self.errors(
                    (text, 0.4, [("angular_velocity", "b", c, 0) for c in "xyz"]), "moreau", step=step))
                print(f"box turned by {turn}: moreau off by {max(abs(stepped - spin[0])) / step:.1f} h")
                self.assertLess(max(abs(stepped - spin[0])), 20 * step)

    def test_corner(self):
        """A cylinder slides on its end over the corner of the table. Where a point of its rim passes an
        edge, the end of that edge under it takes the load over, though its gap is open by rounding."""
        text = (material(0) + TABLE +
                body("b", "cylinder{radius = 0.1, height = 0.1}", position="{0.3, 0.3, 0.05}",
                     velocity="{1, 1, 0}", orientation="{axis = {0, 0, 1}, angle = 0.1}"))
        spin = [np.array(self.errors((text, 0.4, [("angular_velocity", "b", c, 0) for c in "xyz"]),
                                     scheme, step=step))
                for scheme, step in (("event", 0.01), ("event", 0.1), ("consistent", 2e-4))]
        off = [max(abs(one - spin[0])) for one in spin[1:]]
        print(f"cylinder over a corner: event in long steps off by {off[0]:.1e}, "
              f"consistent by {off[1]:.1e} rad/s")
        self.assertLess(off[0], 1e-5)
        self.assertLess(off[1], 1e-3)

    def test_take_off(self):
        for step in STEPS:
            self.errors(thrown(BALL, 1.5), "event", step=step)
            with h5py.File(self.path("s.h5")) as file:
                kind, time = file["events/kind"][:], file["events/time"][:]
            print(f"h = {step} s: take-off at {time[0]:.15f} s")
            self.assertEqual(kind.tolist(), [2])
            self.assertLess(abs(time[0] - 1 / 3), 1e-13)

    def test_slow(self):
        """Slower than sqrt(g r) a ball follows the edge and leaves it where cos th = 2/3 + v^2/(3 g r)
        with v the speed at the edge."""
        speed, r = 0.3, 0.1
        leaves = 2 / 3 + speed**2 / (3 * G * r)
        text = material(0) + TABLE + body("b", BALL, position="{0.4, 0, 0.1}",
                                          velocity=f"{{{speed}, 0, 0}}")
        scene = (text, 0.75, [("velocity", "b", "x", sqrt(G * r * leaves) * leaves)])
        off = [max(self.errors(scene, "event", step=step)) for step in (0.75, 0.1, 0.01)]
        print(f"ball follows the edge and leaves it at cos th = {leaves:.6f}: off by",
              " ".join(f"{e:.1e}" for e in off))
        self.assertLess(max(off), 1e-9)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Event: drums that are braked, and wheels that brake each other, in any direction of space. Axes
of friction are a function of the normal for many pairs of shapes, and rows that jump with them
must not be taken for slips that turn round. Grippers that hold not quite enough.

    STICTION_BIN=build/release/bin/stiction tests/cli/test_event_brakes.py [-v] [Class.test]
"""

import unittest
from math import acos, pi

import h5py
import numpy as np

from test_continuous_time import G, WEIGHTLESS, Folder, material

RADIUS, SPEED, FRICTION, LOAD = 0.1, 20.0, 0.3, 10.0
DRUM = "cylinder{radius = 0.1, height = 0.1}"
# shapes of shoes, half of their thickness, and the direction that their axis has
SHOES = {
    "narrow block": ("box{size = {0.06, 0.04, 0.08}}", 0.02, "z"),
    "wide block": ("box{size = {0.06, 0.04, 0.2}}", 0.02, "z"),
    "ball": ("sphere{radius = 0.03}", 0.03, "z"),
    "capsule along": ("capsule{radius = 0.02, length = 0.06}", 0.02, "z"),
    "short cylinder along": ("cylinder{radius = 0.02, height = 0.06}", 0.02, "z"),
    "cylinder across": ("cylinder{radius = 0.02, height = 0.3}", 0.02, "x"),
    "ellipsoid": ("ellipsoid{semi_axes = {0.03, 0.02, 0.04}}", 0.02, "z"),
}


def rotation(*turns):
    """Product of turns about coordinate axes."""
    matrix = np.eye(3)
    for axis, angle in turns:
        k = np.zeros((3, 3))
        i, j = (axis + 1) % 3, (axis + 2) % 3
        k[i, j], k[j, i] = -1.0, 1.0
        matrix = matrix @ (np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k)
    return matrix


# directions of slip, press and drum axis are the columns
PLACES = {
    "axis z, pressed along y": rotation(),
    "axis z, pressed along -x": rotation((2, pi / 2)),
    "axis x, pressed along z": rotation((0, pi / 2), (1, pi / 2)),
    "axis z, aslant": rotation((2, 0.7)),
    "aslant": rotation((0, 0.4), (1, 1.1), (2, -2.3)),
}


def vector(v):
    return "{" + ", ".join(repr(float(x)) for x in v) + "}"


def turned(matrix):
    """Axis and angle of a matrix."""
    cosine = max(-1.0, min(1.0, 0.5 * (np.trace(matrix) - 1)))
    axis = np.array([matrix[2, 1] - matrix[1, 2], matrix[0, 2] - matrix[2, 0], matrix[1, 0] - matrix[0, 1]])
    if np.linalg.norm(axis) < 1e-8:
        if cosine > 0:
            return "{axis = {0, 0, 1}, angle = 0}"
        values, vectors = np.linalg.eigh(0.5 * (matrix + matrix.T))
        axis = vectors[:, np.argmax(values)]
    return f"{{axis = {vector(axis)}, angle = {acos(cosine)!r}}}"


def brake(shoe, place):
    """A drum on a hinge, and a shoe on a slider that is pressed against it."""
    slip, press, axis = place.T
    shape, half, along = SHOES[shoe]
    at = (RADIUS + half) * press
    lies = place if along == "z" else place @ rotation((1, pi / 2))
    return (WEIGHTLESS + material(FRICTION) +
            f"body{{name = 'd', material = 'm', mass = 2, orientation = {turned(place)}, shape = shape.{DRUM}, "
            f"angular_velocity = {vector(SPEED * axis)}}}\n"
            f"joint.hinge{{name = 'h', a = 'd', point = {{0, 0, 0}}, axis = {vector(axis)}}}\n"
            f"body{{name = 's', material = 'm', mass = 1, position = {vector(at)}, orientation = {turned(lies)}, "
            f"force = {vector(-LOAD * press)}, shape = shape.{shape}}}\n"
            f"joint.slider{{name = 'g', a = 's', point = {vector(at)}, axis = {vector(press)}}}\n")


def wheels(place):
    """Two wheels on hinges, the second on a lever that is pressed against the first: they share a
    line of their sides, and brake each other until they roll."""
    slip, press, axis = place.T
    at = 2 * RADIUS * press
    return (WEIGHTLESS + material(FRICTION) +
            f"body{{name = 'd', material = 'm', mass = 2, orientation = {turned(place)}, shape = shape.{DRUM}, "
            f"angular_velocity = {vector(SPEED * axis)}}}\n"
            f"joint.hinge{{name = 'h', a = 'd', point = {{0, 0, 0}}, axis = {vector(axis)}}}\n"
            f"body{{name = 'c', mass = 1, position = {vector(at + 0.2 * axis)}, "
            f"force = {vector(-LOAD * press)}, shape = shape.sphere{{radius = 0.01}}}}\n"
            f"joint.slider{{name = 'g', a = 'c', point = {vector(at)}, axis = {vector(press)}}}\n"
            f"body{{name = 's', material = 'm', mass = 1, position = {vector(at)}, orientation = {turned(place)}, "
            f"shape = shape.cylinder{{radius = 0.1, height = 0.07}}}}\n"
            f"joint.hinge{{name = 'k', a = 's', b = 'c', point = {vector(at)}, axis = {vector(axis)}}}\n")


def gripper(mass, load):
    """A body between two pads on sliders that are pressed against it, wider than they are."""
    text = material(0.45) + "body{name = 'b', material = 'm', mass = 1, shape = shape.box{size = {0.06, 0.06, 0.3}}}\n"
    for side in (-1, 1):
        text += (f"body{{name = 'p{side}', material = 'm', mass = {mass}, position = {{{0.04 * side}, 0, 0}}, "
                 f"force = {{{-side * load}, 0, 0}}, shape = shape.box{{size = {{0.02, 0.05, 0.05}}}}}}\n"
                 f"joint.slider{{name = 's{side}', a = 'p{side}', point = {{{0.04 * side}, 0, 0}}, axis = {{1, 0, 0}}}}\n")
    return text


class Brakes(Folder):
    def friction(self, slip):
        """Friction on the drum in the frames before it stops, along the slip."""
        with h5py.File(self.path("s.h5")) as file:
            force = np.array(file["contacts/force"], dtype=float)
            normal = np.array(file["contacts/normal"], dtype=float)
            frame = np.repeat(np.arange(len(file["frames/contact_count"])), file["frames/contact_count"])
        across = force - np.sum(force * normal, axis=1)[:, None] * normal
        return np.array([np.abs(np.sum(across[frame == k], axis=0) @ slip) for k in (1, 2)])

    def test_brakes(self):
        """Friction is mu N, the torque is constant, and the drum stops at I w/(mu N R). Slips below
        1e-2 mu g h are guided, with up to a twentieth of their friction across (continuous-time.md)."""
        stop = 0.5 * 2 * RADIUS**2 * SPEED / (FRICTION * LOAD * RADIUS)
        step, guided = 0.05, 0.5 * 0.05**2 * 1e-2
        for shoe in SHOES:
            worst = [0.0, 0.0, 0.0]
            for name, place in PLACES.items():
                with self.subTest(shoe=shoe, place=name):
                    asked = [("angular_velocity", "d", c, 0) for c in "xyz"]
                    self.errors((brake(shoe, place), 0.8, asked), "event", step=step)
                    rows = np.genfromtxt(self.path("s.csv"), delimiter=",", names=True)
                    spin = np.array([rows[key] for key in rows.dtype.names[-3:]]).T @ place
                    wanted = np.outer(np.maximum(0, SPEED * (1 - rows["time"] / stop)), [0, 0, 1])
                    off = np.max(np.abs(spin - wanted))
                    beside = np.max(np.abs(self.friction(place.T[0]) - FRICTION * LOAD))
                    with h5py.File(self.path("s.h5")) as file:
                        late = abs(file["events/time"][0] - stop)
                        self.assertEqual(set(file["events/kind"][:]), {4})
                    worst = [max(a, b) for a, b in zip(worst, (off, late, beside))]
                    self.assertLess(off, 1e-9)
                    self.assertLess(late, guided * step)
                    self.assertLess(beside, 1e-6 * LOAD)
            print(f"{shoe:20s}: off by {worst[0]:.1e} rad/s, stops {worst[1]:.1e} s late, friction {worst[2]:.1e} N")

    def test_wheels(self):
        """Angular momenta change by the same impulse until rims have the same speed."""
        inertia = (0.5 * 2 * RADIUS**2, 0.5 * RADIUS**2)
        end = SPEED * inertia[0] / sum(inertia)
        rolls = (SPEED - end) * inertia[0] / (FRICTION * LOAD * RADIUS)
        for name, place in PLACES.items():
            with self.subTest(place=name):
                axis = place.T[2]
                wanted = [("angular_velocity", b, c, s * end * axis[k])
                          for b, s in (("d", 1), ("s", -1)) for k, c in enumerate("xyz")]
                off = self.errors((wheels(place), 0.5, wanted), "event", step=0.1)
                with h5py.File(self.path("s.h5")) as file:
                    late = abs(file["events/time"][0] - rolls)
                print(f"two wheels, {name}: off by {max(off):.1e} rad/s, roll {late:.1e} s late")
                self.assertLess(max(off), 1e-9)
                self.assertLess(late, 1e-9)

    def test_gripper(self):
        """A body slides down between pads that hold almost all of its weight, and does not turn: how
        pads share the load among their points is not determined, and equal ones get equal parts."""
        load = 10.81
        fall = -0.5 * (G - 2 * 0.45 * load)
        for mass in (0.1, 1):
            wanted = [("position", "b", "z", fall), ("angular_velocity", "b", "x", 0)]
            # relaxed: what the solver's 1e-8 of the weight makes in a second
            for scheme, limit in (("event", 1e-11), ("relaxed", 1e-8 * 0.5 * G)):
                off = self.errors((gripper(mass, load), 1.0, wanted), scheme, step=0.05)
                print(f"gripper, pads of {mass} kg, {scheme}: off by {off[0]:.1e} m, turns at {off[1]:.1e} rad/s")
                self.assertLess(off[0], limit)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Bodies that slide, spin and roll over flat meshes and height fields of many triangles, in directions that cross their
edges at all angles, move as on a floor of one large triangle, and what rolls as on a half-space.

    STICTION_BIN=build/release/bin/stiction tests/cli/test_flat_floors.py [-v] [Class.test]
"""

import unittest
from math import cos, pi, sin

import numpy as np

from test_continuous_time import Folder, body, material

CELL, SIDE, OFF = 0.23, 25, 10.37
DURATION = 0.3
SPEED = 2.0
# velocities, m/s and rad/s
SAME = 1e-9


def floor(kind):
    number = range(SIDE)
    if kind == "plane":
        return "floor{material = 'm'}\n"
    if kind == "field":
        return (f"body{{name = 't', kind = 'fixed', position = {{{-OFF * CELL!r}, {-OFF * CELL!r}, 0}}, shape = "
                f"shape.height_field{{columns = {SIDE}, dx = {CELL}, dy = {CELL}, material = 'm', "
                f"heights = {{{', '.join('0' for _ in range(SIDE * SIDE))}}}}}}}\n")
    points, faces = [(-9, -5, 0), (9, -5, 0), (0, 9, 0)], [(1, 2, 3)]
    if kind == "mesh":
        points = [((i - OFF) * CELL, (j - OFF) * CELL, 0) for j in number for i in number]
        cells = [SIDE * j + i + 1 for j in number[:-1] for i in number[:-1]]
        faces = [face for o in cells for face in ((o, o + 1, o + SIDE + 1), (o, o + SIDE + 1, o + SIDE))]

    def text(rows):
        return "{" + ", ".join("{" + ", ".join(repr(x) for x in row) + "}" for row in rows) + "}"

    return (f"body{{name = 't', kind = 'fixed', shape = shape.mesh{{points = {text(points)}, "
            f"faces = {text(faces)}, material = 'm'}}}}\n")


def bodies(angle):
    """Shape, height of the centre, orientation and angular velocity; what rolls moves along x, turned by the angle."""
    c, s = cos(angle), sin(angle)
    level = f"{{axis = {{0, 0, 1}}, angle = {angle + 0.2!r}}}"
    across = f"{{axis = {{{c!r}, {s!r}, 0}}, angle = {pi / 2!r}}}"
    along = f"{{axis = {{{-s!r}, {c!r}, 0}}, angle = {pi / 2!r}}}"
    rolls = f"{{{-SPEED / 0.1 * s!r}, {SPEED / 0.1 * c!r}, 0}}"
    hull = ("polyhedron{points = {{-0.2, -0.2, -0.1}, {0.2, -0.2, -0.1}, {0.25, 0.1, -0.1}, {0, 0.3, -0.1}, "
            "{-0.3, 0.1, -0.1}, {0.1, 0.1, 0.1}, {-0.1, -0.1, 0.1}}}")
    spin = "{0, 0, 0.7}"
    return {"box": ("box{size = {0.5, 0.3, 0.2}}", level, spin),
            "hull": (hull, level, spin),
            "cylinder on its end": ("cylinder{radius = 0.2, height = 0.2}", level, spin),
            "cylinder along": ("cylinder{radius = 0.1, height = 0.5}", along, "{0, 0, 0}"),
            "cylinder that rolls": ("cylinder{radius = 0.1, height = 0.5}", across, rolls),
            "capsule along": ("capsule{radius = 0.1, length = 0.4}", along, spin),
            "capsule that rolls": ("capsule{radius = 0.1, length = 0.4}", across, rolls),
            "ball": ("sphere{radius = 0.1}", level, rolls),
            "ellipsoid": ("ellipsoid{semi_axes = {0.15, 0.2, 0.1}}", level, "{3, -2, 1}")}


# on a plane the points of a patch may share the load in another way
ALONE = ("cylinder along", "cylinder that rolls", "capsule that rolls", "ball", "ellipsoid")


class FlatFloors(Folder):
    def velocities(self, ground, angle, scheme, duration):
        """Of all bodies, side by side: they do not meet."""
        text = material(0.3) + floor(ground)
        names = {}
        for k, (name, (shape, orientation, spin)) in enumerate(bodies(angle).items()):
            place = f"{{{1.3 * (k % 3 - 1)}, {1.3 * (k // 3 - 1)}, 0.1}}"
            text += body(f"b{k}", shape, position=place, orientation=orientation,
                         angular_velocity=spin,
                         velocity=f"{{{SPEED * cos(angle)!r}, {SPEED * sin(angle)!r}, 0}}")
            names[name] = []
            for quantity in ("velocity", "angular_velocity"):
                for c in "xyz":
                    names[name].append(f"b{k}_{quantity}_{c}")
                    text += (f"history{{name = 'b{k}_{quantity}_{c}', quantity = '{quantity}', "
                             f"body = 'b{k}', component = '{c}'}}\n")
        text += (f"solver 'auto' {{tolerance = 1e-13}}\nscheme '{scheme}'\n"
                 f"run{{step = 0.005, duration = {duration}}}\noutput{{every = 1}}\n")
        code, said = self.run_it("run", self.write(text), "-f", "-o", self.path("s.h5"))
        self.assertEqual(code, 0, said)
        table = np.genfromtxt(self.path("s.csv"), delimiter=",", names=True)
        return {name: np.array([table[column] for column in columns])
                for name, columns in names.items()}

    def check(self, scheme, angles, duration=0.15):
        worst = {}
        for angle in angles:
            known = {ground: self.velocities(ground, angle, scheme, duration)
                     for ground in ("one", "plane", "mesh", "field")}
            for name in bodies(angle):
                for ground in ("mesh", "field"):
                    for reference in ("one", "plane") if name in ALONE else ("one",):
                        there, here = known[ground][name], known[reference][name]
                        self.assertEqual(there.shape, here.shape)
                        worst[name] = max(worst.get(name, 0), np.abs(there - here).max())
        print(f"{scheme}: " + ", ".join(f"{name} {error:.1e}" for name, error in worst.items()))
        for name, error in worst.items():
            self.assertLess(error, SAME, name)

    def test_moreau(self):
        self.check("moreau", (0.3,))

    def test_koziara(self):
        self.check("koziara", (pi / 4,))

    def test_theta(self):
        self.check("theta", (1.1,))

    def test_consistent(self):
        self.check("consistent", (0.3,))

    def test_event(self):
        self.check("event", (0.3,), 0.05)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Long runs, see test_motion.py: grips at all levels, rest for 1000 s, rolling of all kinds, chains of 100 links.

    STICTION_BIN=build/release/bin/stiction tests/cli/test_motion_study.py [-v] [Class.test]
"""

import itertools
import math
import os
import re
import sys
import unittest

import numpy as np

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from test_motion import ELLIPSOID, SCHEMES, Case, Rest as Short  # noqa: E402

# what rests, of the size s; g h^2 is the measure of a step
RESTING = {
    "boxes": """body{name = "a", material = "m", position = {0, 0, 0.5 * s}, shape = shape.box{size = {s, s, s}}}
body{name = "b", material = "m", position = {0.2 * s, 0, 1.5 * s}, shape = shape.box{size = {s, s, s}}}
""",
    "stack": """for k = 1, 5 do
  body{name = "b" .. k, material = "m", position = {0, 0, (k - 0.5) * s}, shape = shape.box{size = {s, s, s}}}
end
""",
    "groove": """for k = -1, 1, 2 do
  body{name = "w" .. k, kind = "fixed", material = "m", position = {k * s, 0, s}, orientation = {axis = {0, 1, 0}, angle = -k * math.pi / 4},
       shape = shape.box{size = {4 * s, 4 * s, 0.2 * s}}}
end
body{name = "c", material = "m", position = {0, 0, 0.1 * s * math.sqrt(2) + 0.5 * s * math.sqrt(2)},
     orientation = {axis = {1, 0, 0}, angle = math.pi / 2}, shape = shape.cylinder{radius = 0.5 * s, height = s}}
""",
    "ellipsoid": """body{name = "e", material = "m", position = {0, 0, 0.3 * s}, shape = shape.ellipsoid{semi_axes = {0.5 * s, 0.4 * s, 0.3 * s}}}
""",
}


class Gripper(Short):
    """All steps, levels and schemes; the other tests of the class are in test_motion.py."""

    test_boxes = test_loose = None

    def test_gripper(self):
        for scheme in SCHEMES:
            for level in ("preview", "standard", "strict"):
                for step in (5e-4, 1e-3, 2e-3, 5e-3):
                    self.grip(scheme, step, level)


class Resting(Case):
    def test_rest(self):
        """Creep within the promise of the level, in 1000 s or 1e5 steps, whichever ends first."""
        promise = {"standard": 1e-9, "strict": 1e-12}
        worst = {level: 0.0 for level in promise}
        for name, bodies in RESTING.items():
            for level, speed in promise.items():
                for size, step in ((1.0, 0.1), (1.0, 1e-2), (1.0, 1e-3), (1e-3, 1e-3), (1e-6, 1e-4), (1e4, 0.1)):
                    time = min(1000.0, 1e5 * step)
                    scene = f"local s = {size}\nmaterial{{name = 'm', density = 1000, friction = 0.5}}\nfloor{{material = 'm'}}\n" + bodies
                    file, _ = self.go(scene, step, time, "--accuracy", level)
                    place = file["motion/position"][()]
                    moved = np.abs(place - place[0]).max() / size
                    bound = speed * time + 1e-15 * 9.81 * step * time / size * len(place[0])
                    print(f"  {name} of {size} m, {level}, h = {step}, {time:g} s: moved {moved:.1e} of {bound:.1e} sizes")
                    worst[level] = max(worst[level], moved / bound)
                    self.assertLess(moved, bound)
        print("  worst part of the bound:", worst)


# what rolls: scenes, how long, and whether it goes on for ever
ROLLING = {
    "rattleback": ("""floor{material = "m"}
body{name = "e", material = "m", position = {0, 0, 0.02}, mass = 0.1, inertia = {1e-5, 2.6e-5, 2.8e-5}, orientation = {axis = {0, 0, 1}, angle = 0.05},
     velocity = {0.004, -0.006, 0}, angular_velocity = {0.3, 0.2, 2}, shape = shape.ellipsoid{semi_axes = {0.1, 0.03, 0.02}}}
""", 2.0),
    "ball on a sphere": ("""body{name = "s", kind = "fixed", material = "m", shape = shape.sphere{radius = 0.5}}
body{name = "e", material = "m", position = {0.1 * 0.6, 0, 0.6 * math.sqrt(1 - 0.01)}, shape = shape.sphere{radius = 0.1}}
""", 0.5),
    "ellipsoid on a cylinder": ("""body{name = "s", kind = "fixed", material = "m", orientation = {axis = {1, 0, 0}, angle = math.pi / 2},
     shape = shape.cylinder{radius = 0.5, height = 4}}
body{name = "e", material = "m", position = {0, 0, 0.55}, velocity = {0.025, 0, 0}, angular_velocity = {0, 0.5, 0}, shape = shape.ellipsoid{semi_axes = {0.1, 0.05, 0.05}}}
""", 0.5),
    "cylinder on a free cylinder": ("""floor{material = "m"}
body{name = "s", material = "m", position = {0, 0, 0.2}, orientation = {axis = {1, 0, 0}, angle = math.pi / 2}, shape = shape.cylinder{radius = 0.2, height = 0.4}}
body{name = "e", material = "m", position = {0.02, 0, 0.2 + math.sqrt(0.09 - 0.0004)}, orientation = {axis = {1, 0, 0}, angle = math.pi / 2},
     shape = shape.cylinder{radius = 0.1, height = 0.4}}
""", 0.3),
}


def turned(axis, angle):
    return f"orientation = {{axis = {axis}, angle = {angle!r}}}, "


# how bodies of all kinds lie: shape, orientation, half their height
X, Y = "{1, 0, 0}", "{0, 1, 0}"
PRISM = ", ".join(f"{{{0.4 * math.cos(k * math.pi / 3)!r}, {0.4 * math.sin(k * math.pi / 3)!r}, {z}}}" for z in (-0.4, 0.4) for k in range(6))
BEAM = "shape.box{size = {1, 0.8, 0.8}}"
LIES = {
    "sphere": ("shape.sphere{radius = 0.5}", "", 0.5),
    "box, flat": (BEAM, "", 0.4),
    "box, on an edge": (BEAM, turned(X, math.pi / 4), 0.8 * math.sqrt(0.5)),
    "box, upright": (BEAM, turned(Y, math.pi / 2), 0.5),
    "capsule, lying": ("shape.capsule{radius = 0.3, length = 0.6}", turned(Y, math.pi / 2), 0.3),
    "capsule, standing": ("shape.capsule{radius = 0.3, length = 0.6}", "", 0.6),
    "cylinder, lying": ("shape.cylinder{radius = 0.4, height = 0.9}", turned(Y, math.pi / 2), 0.4),
    "cylinder, standing": ("shape.cylinder{radius = 0.4, height = 0.9}", "", 0.45),
    "ellipsoid, flat": ("shape.ellipsoid{semi_axes = {0.5, 0.4, 0.3}}", "", 0.3),
    "ellipsoid, on its tip": ("shape.ellipsoid{semi_axes = {0.5, 0.4, 0.3}}", turned(Y, math.pi / 2), 0.5),
    "octahedron, on a corner": ("shape.hull{points = {{0.5, 0, 0}, {-0.5, 0, 0}, {0, 0.5, 0}, {0, -0.5, 0}, {0, 0, 0.5}, {0, 0, -0.5}}}", "", 0.5),
    "prism, standing": (f"shape.hull{{points = {{{PRISM}}}}}", "", 0.4),
}
STEPS = int(os.environ.get("STEPS", "100000"))


class Lies(Case):
    """Every kind on every kind, parallel and crossing, led by a slider so that it rests wherever it touches: no loaded contact vanishes."""

    def test_lies(self):
        worst, runs = 0.0, 0
        for (under, (base, base_turn, low)), (over, (top, top_turn, high)) in itertools.product(LIES.items(), repeat=2):
            for cross in (0.0, 0.7):
                axis = "{0, 0, 1}"
                scene = f"""material{{name = "m", density = 1000, friction = 0.5}}
body{{name = "base", kind = "fixed", material = "m", {base_turn}shape = {base}}}
body{{name = "post", kind = "fixed", material = "m", position = {{9, 0, 0}}, shape = shape.sphere{{radius = 0.1}}}}
body{{name = "top", material = "m", position = {{0, 0, {low + high!r}}}, {self.spun(top_turn, cross)}shape = {top}}}
joint.slider{{name = "guide", a = "top", b = "post", point = {{0, 0, {low + high!r}}}, axis = {axis}}}
"""
                file, end = self.go(scene, 1e-3, STEPS * 1e-3, frames=20)
                lost = [n for n in end["notices"] if n["kind"] == "lost-contact"]
                contacts = file["steps/contacts"][()][100:]
                z = file["motion/position"][()][:, self.body(file, "top"), 2]
                sunk = abs(z[-1] - z[0])
                worst, runs = max(worst, sunk), runs + 1
                with self.subTest(under=under, over=over, cross=cross):
                    self.assertEqual(lost, [])
                    self.assertGreaterEqual(contacts.min(), 1)
                    self.assertEqual(contacts.min(), contacts.max())
                    # a corner on a corner and an edge along an edge have no normal until they overlap: they fall for a step
                    degenerate = under == over and cross == 0.0 and under in ("octahedron, on a corner", "box, on an edge")
                    self.assertLess(sunk, 1.01 * 9.81 * 1e-6 if degenerate else 1e-6)
        print(f"  {runs} pairs, {STEPS} steps each: no loaded contact lost, top moves by {worst:.1e} m at most")

    @staticmethod
    def spun(turn, cross):
        """Orientation `turn` followed by a turn about the vertical."""
        if not turn:
            return turned("{0, 0, 1}", cross)
        axis, angle = re.search(r"axis = {(\d), (\d), \d}, angle = (.*?)}", turn).groups()[:2], float(turn.split("angle = ")[1].split("}")[0])
        c, s = math.cos(cross / 2), math.sin(cross / 2)
        w, x, y = math.cos(angle / 2), int(axis[0]) * math.sin(angle / 2), int(axis[1]) * math.sin(angle / 2)
        return f"orientation = {{{c * w!r}, {c * x - s * y!r}, {c * y + s * x!r}, {s * w!r}}}, "


class Rolling(Case):
    def test_orders(self):
        """Overlap and energy of what rolls on curved bodies fall with the square of the step."""
        for name, (bodies, time) in ROLLING.items():
            rows = {}
            for step in (2e-3, 2e-4):
                scene = 'material{name = "m", density = 1000, friction = 2}\n' + bodies + 'solver "auto" {tolerance = 1e-12}\n'
                file, _ = self.go(scene, step, time)
                energy = self.energy(file)
                rows[step] = (file["steps/penetration"][()].max(), np.abs(energy - energy[0]).max() / file["frames/energy"][()][:, 0].max())
            (deep, lost), (less, least) = rows.values()
            print(f"  {name}: overlap {deep:.1e}, {less:.1e} m; energy {lost:.1e}, {least:.1e} of the largest kinetic one")
            self.assertLess(less, max(deep / 50, 1e-11))
            self.assertLess(least, max(lost / 50, 1e-9))

    def test_period(self):
        """Period of a rocking ellipsoid, from its turning points over 20 s; no sinking in 200 s."""
        file, _ = self.go(ELLIPSOID, 1e-3, 20.0)
        self.assertLess(file["steps/penetration"][()].max(), 4e-7)
        file, _ = self.go(ELLIPSOID, 1e-3, 20.0, frames=20000)
        t, w = file["frames/time"][()], file["motion/angular_velocity"][:, self.body(file, "e"), 1]
        k = np.nonzero((w[:-1] < 0) & (w[1:] >= 0))[0]
        cross = t[k] - w[k] * (t[k + 1] - t[k]) / (w[k + 1] - w[k])
        period = (cross[-1] - cross[0]) / (len(cross) - 1)
        print(f"  rocking ellipsoid: period {period:.6f} s (0.397844)")
        self.assertLess(abs(period - 0.397844), 2e-6)
        file, _ = self.go(ELLIPSOID, 1e-3, 200.0)
        deep = file["steps/penetration"][()]
        first, last = deep[:20000].max(), deep[-20000:].max()
        print(f"  overlap in the first and last 20 of 200 s: {first:.2e}, {last:.2e} m")
        # errors of fourth order add up until the correction takes them back, at 1e-5 of the size
        self.assertLess(last, 4e-7)

    def test_edge(self):
        """A ball that rolls off a table gains nothing."""
        scene = """material{name = "m", density = 1000, friction = 1}
body{name = "table", kind = "fixed", material = "m", position = {0, 0, -0.5}, shape = shape.box{size = {1, 1, 1}}}
body{name = "ball", material = "m", position = {0.3, 0, 0.05}, velocity = {0.2, 0, 0}, angular_velocity = {0, 4, 0}, shape = shape.sphere{radius = 0.05}}
"""
        for step in (1e-2, 1e-3, 1e-4):
            file, _ = self.go(scene, step, 1.5)
            energy = self.energy(file)
            gain = (energy - energy[0]).max() / file["frames/energy"][()][:, 0].max()
            print(f"  ball over an edge, h = {step}: gain {gain:.1e}, loss {(energy[0] - energy[-1]) / file['frames/energy'][()][:, 0].max():.1e}")
            self.assertLess(gain, 1e-9)


class Chains(Case):
    @staticmethod
    def widest(file):
        """The largest distance of two ends that a joint holds together, over all frames."""
        place, q = file["motion/position"][()], file["motion/orientation"][()]
        a, v = q[..., :1], q[..., 1:]

        def end(x):
            arm = np.broadcast_to(np.array((x, 0, 0)), v.shape)
            return place + arm + 2 * (a * np.cross(v, arm) + np.cross(v, np.cross(v, arm)))

        names = [n.decode() for n in file["bodies/name"][()]]
        order = [names.index(f"k{i}") for i in range(1, 101)]
        return np.linalg.norm(end(0.05)[:, order[:-1]] - end(-0.05)[:, order[1:]], axis=2).max()

    def test_hundred(self):
        """A chain of 100 links falls for 10 s: gaps, energy, and how often steps are split."""
        scene = """for i = 1, 100 do
  body{name = "k" .. i, mass = 0.1, inertia = {1e-6, 8.333e-5, 8.333e-5}, position = {0.1 * i - 0.05, 0, 0}}
  joint.point{name = "j" .. i, a = "k" .. i, b = i > 1 and "k" .. (i - 1) or "ground", point = {0.1 * (i - 1), 0, 0}}
end
solver "auto" {tolerance = 1e-10}
"""
        for step, gap, gain in ((1e-3, 1e-5, 1e-3), (5e-3, 5e-3, 1e-2)):
            file, end = self.go(scene, step, 10.0)
            names = file["steps/ledger"].attrs["names"].decode().split()
            ledger = dict(zip(names, file["steps/ledger"][()].sum(axis=0)))
            change = ledger["kinetic"] + ledger["potential"]
            parts = file["steps/substeps"][()].sum() - len(file["steps/substeps"])
            wide = self.widest(file)
            print(f"  chain of 100, h = {step}: energy {change:.2e} J, correction {ledger['correction']:.2e}, not explained "
                  f"{change - ledger['correction']:.1e} J, {parts} more parts of steps, gap {wide:.1e} of {gap}")
            self.assertLess(wide, gap)
            self.assertLess(abs(change - ledger["correction"]), 1e-8 if step == 1e-3 else 1e-6)
            self.assertLess(change, gain * 490)


if __name__ == "__main__":
    unittest.main(verbosity=2)

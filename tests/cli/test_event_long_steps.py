#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Event: what happens inside long steps of the run, where the integrator has nothing to resolve.

Impacts that change what is near, gaps that close and open again while something else happens, loads
that go up and down over bodies at rest, features that have no normal at an instant.

    STICTION_BIN=build/release/bin/stiction tests/cli/test_event_long_steps.py [-v] [Class.test]
"""

import random
import unittest
from math import asin, pi, sqrt

import h5py
import numpy

from test_continuous_time import FLOOR, G, Folder, body, material

WEIGHTLESS = "gravity{0, 0, 0}\n"
KINDS = ("impact", "touch", "take-off", "slip", "stick", "leap", "branch")


def discs(place, velocity, radius, end, half, restitution):
    """Places at the end of equal discs in a square, from impact to impact, and how many."""
    place, velocity, time, count = numpy.array(place), numpy.array(velocity), 0.0, 0
    while True:
        first, hit = end - time, None
        for i, (x, v) in enumerate(zip(place, velocity)):
            for axis in (0, 1):
                if v[axis] != 0:
                    wait = (numpy.copysign(half - radius, v[axis]) - x[axis]) / v[axis]
                    first, hit = (wait, (i, None, axis)) if wait < first else (first, hit)
            for j in range(i):
                d, w = x - place[j], v - velocity[j]
                root = (d @ w)**2 - (w @ w) * (d @ d - 4 * radius**2)
                if d @ w < 0 and root > 0:
                    wait = (-(d @ w) - sqrt(root)) / (w @ w)
                    first, hit = (wait, (i, j, 0)) if wait < first else (first, hit)
        place, time = place + first * velocity, time + first
        if hit is None:
            return place, count
        count += 1
        i, j, axis = hit
        if j is None:
            velocity[i][axis] *= -restitution
        else:
            n = (place[i] - place[j]) / (2 * radius)
            jump = 0.5 * (1 + restitution) * ((velocity[i] - velocity[j]) @ n) * n
            velocity[i] -= jump
            velocity[j] += jump


class Scenes(Folder):
    def events(self, text, step, end):
        """(kind, time) of all events, and the last places of all bodies."""
        text = self.write(f"{text}scheme 'event'\nrun{{step = {step!r}, duration = {end!r}}}\n"
                          "output{every = 1}\n")
        code, said = self.run_it("run", text, "-f", "-o", self.path("l.h5"))
        self.assertEqual(code, 0, said)
        with h5py.File(self.path("l.h5")) as file:
            found = "events" in file
            known = list(zip([KINDS[k] for k in file["events/kind"][:]],
                             file["events/time"][:])) if found else []
            return known, file["motion/position"][-1]


class LongSteps(Scenes):
    def test_falls_behind(self):
        """A ball falls 1 mm above another: they meet right after that has hit the floor."""
        text = (material(0, 0.8) + FLOOR +
                "body{name = 'a', mass = 4, material = 'm', position = {0, 0, 0.6}, "
                "shape = shape.sphere{radius = 0.1}}\nbody{name = 'b', mass = 1, material = 'm', "
                "position = {0, 0, 0.751}, shape = shape.sphere{radius = 0.05}}\n")
        hits = sqrt(2 * 0.5 / G)
        meets = hits + 0.001 / (1.8 * G * hits)
        for step in (0.4, 0.2, 0.1, 0.05):
            known, _ = self.events(text, step, 0.4)
            off = max(abs(known[0][1] - hits), abs(known[1][1] - meets))
            print(f"balls that fall, h = {step} s: impacts off by {off:.1e} s")
            self.assertEqual([kind for kind, _ in known[:2]], ["impact", "impact"])
            self.assertLess(off, 1e-9)

    def test_grazes(self):
        """A ball grazes another, which opens the gap again, before a third hits a wall."""
        for depth in (1e-2, 1e-3, 1e-4, 1e-6):
            height = 0.2 - depth
            exact = 0.1 - sqrt(0.2**2 - height**2)
            for hit in (0.12, 0.3, 0.6):
                text = (WEIGHTLESS + material(0, 1) +
                        "body{name = 'a', kind = 'fixed', material = 'm', "
                        "shape = shape.sphere{radius = 0.1}}\n"
                        "body{name = 'w', kind = 'fixed', material = 'm', position = {10, 5, 0}, "
                        "shape = shape.box{size = {1, 1, 1}}}\n" +
                        body("b", "sphere{radius = 0.1}", position=f"{{-0.1, {height!r}, 0}}",
                             velocity="{1, 0, 0}") +
                        body("c", "sphere{radius = 0.1}", position=f"{{{9.4 - hit!r}, 5, 0}}",
                             velocity="{1, 0, 0}"))
                known, _ = self.events(text, 0.7, 0.7)
                self.assertEqual(len(known), 2, (depth, hit, known))
                self.assertLess(abs(known[0][1] - exact), 1e-9)
                self.assertLess(abs(known[1][1] - hit), 1e-9)

    def test_discs(self):
        """Discs in a square, against a simulation from impact to impact."""
        for count, restitution, seed in ((4, 1, 0), (6, 0.7, 1), (10, 1, 2)):
            chance, place = random.Random(seed), []
            while len(place) < count:
                x = [chance.uniform(-0.85, 0.85) for _ in "xy"]
                if all(numpy.hypot(x[0] - y[0], x[1] - y[1]) > 0.25 for y in place):
                    place.append(x)
            velocity = [[chance.uniform(-1, 1) for _ in "xy"] for _ in place]
            exact, impacts = discs(place, velocity, 0.12, 2.0, 1.0, restitution)
            text = WEIGHTLESS + material(0, restitution) + "".join(
                f"body{{name = 'w{k}', kind = 'fixed', material = 'm', position = {{{-x}, {-y}, 0}}"
                f", shape = shape.half_space{{normal = {{{x}, {y}, 0}}}}}}\n"
                for k, (x, y) in enumerate(((1, 0), (-1, 0), (0, 1), (0, -1)))) + "".join(
                f"body{{name = 'b{k}', kind = 'point', mass = 1, material = 'm', position = "
                f"{{{x[0]!r}, {x[1]!r}, 0}}, velocity = {{{v[0]!r}, {v[1]!r}, 0}}, "
                "shape = shape.sphere{radius = 0.12}}\n"
                for k, (x, v) in enumerate(zip(place, velocity)))
            for step in (2.0, 0.5, 0.1, 0.02):
                known, places = self.events(text, step, 2.0)
                off = abs(places[-count:, :2] - exact).max()
                print(f"{count} discs, e = {restitution}, h = {step} s: {len(known)} impacts, "
                      f"places off by {off:.1e} m")
                self.assertEqual(len(known), impacts)
                self.assertLess(off, 1e-7)

    def test_waves(self):
        """A push A mu m g sin w t on a box at rest: it slips whenever that is above mu m g."""
        for size, rate in ((1.02, 6), (1.5, 6), (1.1, 30)):
            push = f"signal.wave{{amplitude = {size * 0.5 * G!r}, frequency = {rate}}}"
            text = material(0.5) + FLOOR + (
                "body{name = 'b', mass = 1, material = 'm', position = {0, 0, 0.05}, "
                f"force = {{{push}, 0, 0}}, shape = shape.box{{size = {{0.1, 0.1, 0.1}}}}}}\n")
            slips = asin(1 / size) / rate
            seen = []
            for step in (2.0, 0.5, 0.25, 0.1, 0.02):
                known, place = self.events(text, step, 2.0)
                seen.append((known, place[-1][0]))
                self.assertEqual([k for k, _ in known], [k for k, _ in seen[0][0]], (size, step))
            apart = max(abs(a[1] - b[1]) for one, _ in seen for a, b in zip(one, seen[0][0]))
            places = max(abs(x - seen[0][1]) for _, x in seen)
            late = max(abs(known[0][1] - slips) for known, _ in seen)
            print(f"push of {size} of the bound, {rate} rad/s: {len(seen[0][0])} events, first "
                  f"off by {late:.1e} s, apart by {apart:.1e} s and {places:.1e} m")
            # it slips in every half period
            self.assertEqual(sum(k == "slip" for k, _ in seen[0][0]),
                             1 + int((2.0 - slips) // (pi / rate)))
            self.assertLess(late, 1e-9)
            self.assertLess(apart, 1e-9)
            self.assertLess(places, 1e-9)

    def test_lift(self):
        """A lift whose acceleration exceeds gravity now and then: what it carries takes off."""
        for size, rate in ((1.02, 6), (1.1, 30)):
            text = (f"gravity{{0, 0, signal.wave{{offset = {-G!r}, amplitude = {size * G!r}, "
                    f"frequency = {rate}}}}}\n" + material(0.5) + FLOOR +
                    body("b", "box{size = {0.1, 0.1, 0.1}}", position="{0, 0, 0.05}"))
            leaves = asin(1 / size) / rate
            for step in (0.4, 0.1, 0.04):
                known, _ = self.events(text, step, 0.4)
                off = abs(known[0][1] - leaves)
                print(f"lift of {size} g, {rate} rad/s, h = {step} s: take-off off by {off:.1e} s")
                self.assertEqual(known[0][0], "take-off")
                self.assertLess(off, 1e-9)

    def test_parallel_edges(self):
        """Two boxes that are parallel at first and spin: crossings of their edges have no normal."""
        text = (WEIGHTLESS + material(0.3, 0.6) +
                body("a", "box{size = {0.3, 0.2, 0.25}}", position="{-0.5, 0, 0}",
                     velocity="{1, -0.046, -0.092}", angular_velocity="{-4.83, 3.13, 4.13}") +
                body("b", "box{size = {0.2, 0.3, 0.2}}",
                     angular_velocity="{1.07, 2.29, 0.44}"))
        seen = [self.events(text, step, 0.4) for step in (0.4, 0.1, 0.02)]
        apart = max(abs(a[1] - b[1]) for one, _ in seen for a, b in zip(one, seen[-1][0]))
        print(f"parallel boxes: {len(seen[0][0])} events, apart by {apart:.1e} s")
        self.assertGreater(len(seen[0][0]), 1)
        for one, _ in seen:
            self.assertEqual(len(one), len(seen[-1][0]))
        self.assertLess(apart, 1e-8)

    def test_over_an_edge(self):
        """A box turned by 45 degrees slides over an edge: it tips where no shares of its load hold it
        any more, which must not be found again and again."""
        text = (material(0.2) + "body{name = 't', kind = 'fixed', material = 'm', position = "
                "{0, 0, -0.1}, shape = shape.box{size = {1, 1, 0.2}}}\n" +
                body("b", "box{size = {0.2, 0.2, 0.1}}", position="{0.35, 0.02, 0.05}",
                     orientation="{axis = {0, 0, 1}, angle = math.pi / 4}", velocity="{1, 0.1, 0}"))
        seen = [self.events(text, step, 0.5) for step in (0.5, 0.25, 0.125, 0.1, 0.0625, 0.05, 0.01)]
        apart = max(abs(a[1] - b[1]) for one, _ in seen for a, b in zip(one, seen[-1][0]))
        places = max(abs(place[-1] - seen[-1][1][-1]).max() for _, place in seen)
        print(f"over an edge: {len(seen[0][0])} events, apart by {apart:.1e} s, {places:.1e} m")
        for one, _ in seen:
            self.assertEqual([kind for kind, _ in one], ["take-off"] * 3)
        self.assertLess(apart, 1e-7)
        self.assertLess(places, 1e-7)


class Ratios(Scenes):
    """Masses that differ by orders of magnitude."""

    def test_heavy_on_light(self):
        """A heavy box on light ones, on a floor and on a slope that friction holds."""
        for count, ratio, slope in ((2, 1e4, 0), (2, 1e6, 0), (3, 1e4, 0), (6, 1e4, 0),
                                    (2, 1e4, 0.35)):
            n = (numpy.sin(slope), 0.0, numpy.cos(slope))
            text = (material(0.5) + "body{name = 'f', kind = 'fixed', material = 'm', shape = "
                    f"shape.half_space{{normal = {{{n[0]!r}, 0, {n[2]!r}}}}}}}\n" + "".join(
                        f"body{{name = 'b{k}', material = 'm', mass = "
                        f"{ratio if k == count - 1 else 1.0}, position = "
                        f"{{{n[0] * (0.05 + 0.1 * k)!r}, 0, {n[2] * (0.05 + 0.1 * k)!r}}}, "
                        f"orientation = {{axis = {{0, 1, 0}}, angle = {slope!r}}}, "
                        "shape = shape.box{size = {0.4, 0.4, 0.1}}}\n" for k in range(count)))
            for step in (0.1, 0.01):
                known, places = self.events(text, step, 1.0)
                exact = numpy.array([[c * (0.05 + 0.1 * k) for c in n] for k in range(count)])
                off = abs(places[-count:] - exact).max()
                print(f"{ratio:g} kg on {count - 1} boxes of 1 kg, slope {slope} rad, h = {step} s:"
                      f" {len(known)} events, moved by {off:.1e} m")
                self.assertEqual(len(known), 0)
                self.assertLess(off, 1e-11)

    def test_rollers(self):
        """A plate that is pushed on two cylinders of 1 kg: F/(M + 2 (m + I/r^2)/4)."""
        for heavy in (10.0, 1e4):
            text = material(0.5) + FLOOR + (
                f"body{{name = 'p', material = 'm', mass = {heavy}, position = {{0, 0, 0.25}}, "
                f"force = {{{0.5 * heavy}, 0, 0}}, shape = shape.box{{size = {{3, 0.5, 0.1}}}}}}\n"
            ) + "".join(
                f"body{{name = 'r{x}', material = 'm', mass = 1, position = {{{x}, 0, 0.1}}, "
                "orientation = {axis = {1, 0, 0}, angle = math.pi / 2}, "
                "shape = shape.cylinder{radius = 0.1, height = 0.4}}\n" for x in (-0.7, 0.7))
            _, places = self.events(text, 0.1, 0.5)
            exact = 0.5 * heavy / (heavy + 2 * 1.5 / 4) * 0.5 * 0.5**2
            off = abs(places[-3] - (exact, 0, 0.25)).max()
            print(f"plate of {heavy} kg on rollers: off by {off:.1e} m")
            self.assertLess(off, 1e-10)

    def test_chain(self):
        """A bob on four light links, whose tension makes them stiff: energy and lengths."""
        for heavy, step in ((1.0, 0.1), (1e3, 0.1), (1e3, 0.02), (1e4, 0.1)):
            text = material(0.3) + "".join(
                f"body{{name = 'c{k}', mass = 1, material = 'm', position = {{{0.1 + 0.2 * k!r}, 0, "
                "1}, orientation = {axis = {0, 1, 0}, angle = math.pi / 2}, "
                "shape = shape.capsule{radius = 0.02, length = 0.15}}\n"
                f"joint.hinge{{name = 'j{k}', a = 'c{k}', b = '{f'c{k - 1}' if k else 'ground'}', "
                f"point = {{{0.2 * k!r}, 0, 1}}, axis = {{0, 1, 0}}, contacts = false}}\n"
                for k in range(4)) + (
                f"body{{name = 'bob', mass = {heavy}, material = 'm', position = {{0.9, 0, 1}}, "
                "shape = shape.sphere{radius = 0.05}}\njoint.hinge{name = 'jb', a = 'bob', "
                "b = 'c3', point = {0.8, 0, 1}, axis = {0, 1, 0}, contacts = false}\n"
                "history{quantity = 'energy'}\n")
            _, places = self.events(text, step, 0.5)
            with open(self.path("l.csv"), encoding="utf-8") as file:
                energy = [float(line.split(",")[-1]) for line in file.read().split("\n")[1:-1]]
            lost = (energy[-1] - energy[0]) / (heavy * G)
            off = abs(numpy.hypot(places[0][0], places[0][2] - 1) - 0.1)
            print(f"bob of {heavy:g} kg, h = {step} s: energy off by {lost:.1e} of M g, "
                  f"link by {off:.1e} m")
            self.assertLess(abs(lost), 1e-10)
            self.assertLess(off, 1e-11)


class Collisions(Folder):
    def test_short_relaxation(self):
        """A ball between a wall and a heavier one that comes, e = 1: collisions that are much shorter
        than steps of the pair keep the energy."""
        for heavy in (10, 100):
            for delta in (1e-4, 2e-5, 1e-5):
                code, said = self.run_it("run", self.write(
                    WEIGHTLESS + material(0, 1) + "body{name = 'w', kind = 'fixed', material = 'm', "
                    "shape = shape.half_space{normal = {1, 0, 0}}}\nbody{name = 'a', mass = 1, "
                    "material = 'm', position = {1, 0, 0}, shape = shape.sphere{radius = 0.1}}\n"
                    f"body{{name = 'b', mass = {heavy}, material = 'm', position = {{2, 0, 0}}, "
                    "velocity = {-1, 0, 0}, shape = shape.sphere{radius = 0.1}}\n"
                    f"scheme 'relaxed' {{delta = {delta}}}\nrun{{step = 0.01, duration = 4}}\n"
                    "output{every = 1}\nhistory{quantity = 'energy'}\n"), "-f", "-o",
                                         self.path("l.h5"))
                self.assertEqual(code, 0, said)
                with open(self.path("l.csv"), encoding="utf-8") as file:
                    energy = [float(line.split(",")[-1]) for line in file.read().split("\n")[1:-1]]
                gain = energy[-1] / energy[0] - 1
                print(f"relaxed, delta = {delta:g} s, {heavy} kg: energy gained {gain:.1e}")
                self.assertLess(abs(gain), 2e-4)


if __name__ == "__main__":
    unittest.main()

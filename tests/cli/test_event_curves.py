#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Event: smooth functions of time that do much within a step of the run. Bumps of loads and of
prescribed motions far shorter than a step, slips that turn under loads that turn, and what is told
of functions that jump.

    STICTION_BIN=build/release/bin/stiction tests/cli/test_event_curves.py [-v] [Class.test]
"""

import json
import unittest
from math import acos, asin, cos, hypot, pi, sin, sqrt

import h5py

from test_continuous_time import BALL, FLOOR, G, WEIGHTLESS, Folder, body, material

BEGIN, LENGTH = 1.0005, 0.02
STEPS = (2, 0.5, 0.1, 0.01)


def bump(value):
    """A function of t that is something else than zero for a hundredth of the longest step."""
    return (f"function(t) if t < {BEGIN} or t > {BEGIN + LENGTH} then return 0 end "
            f"local s = math.sin(math.pi * (t - {BEGIN}) / {LENGTH}) return {value} end")


def sampled(value, interval):
    """The same as values."""
    count = round(2 / interval)
    values = (value(sin(pi * (k * interval - BEGIN) / LENGTH))
              if BEGIN < k * interval < BEGIN + LENGTH else 0 for k in range(count + 1))
    return f"signal.curve{{interval = {interval}, value = {{{', '.join(repr(v) for v in values)}}}}}"


def plate(force, friction):
    return material(friction) + FLOOR + body("b", "box{size = {0.2, 0.2, 0.002}}",
                                             position="{0, 0, 0.001}", force=force)


def pushed():
    """Where a box at rest goes under 15 sin^2 N, and when it slips: mu m g = 7.848 N."""
    bound, rate = 0.8 * G, 2 * pi / LENGTH
    slips = acos(1 - bound / 7.5) / rate

    def speed(t):
        return 7.5 * (t - slips - (sin(rate * t) - sin(rate * slips)) / rate) - bound * (t - slips)

    def place(t):
        d = t - slips
        turn = (cos(rate * t) - cos(rate * slips)) / rate**2 + d * sin(rate * slips) / rate
        return 7.5 * (0.5 * d * d + turn) - bound * d * d / 2

    end = speed(LENGTH)
    return BEGIN + slips, place(LENGTH) + end**2 / (2 * bound), BEGIN + LENGTH + end / bound


def slide(force, friction, end, steps):
    """Place of a point of 1 kg that a force pushes over a floor: implicit Euler, whose every step is
    the projection of Coulomb's law in closed form."""
    dt, bound = end / steps, friction * G * end / steps
    x, y, u, v = 0.0, 0.0, 0.0, 0.0
    for k in range(steps):
        p, q = force((k + 0.5) * dt)
        p, q = u + dt * p, v + dt * q
        size = hypot(p, q)
        part = 1 - bound / size if size > bound else 0.0
        x, y = x + 0.5 * dt * (u + part * p), y + 0.5 * dt * (v + part * q)
        u, v = part * p, part * q
    return x, y


class Curves(Folder):
    def events(self):
        with h5py.File(self.path("s.h5")) as file:
            if "events" not in file:
                return []
            return list(zip(file["events/kind"][:], file["events/time"][:]))

    def test_push(self):
        """15 N for 20 ms in steps of up to 2 s: as a function, and as a curve through values."""
        slips, place, sticks = pushed()
        push = {"function": bump("15 * s * s"), "curve": sampled(lambda s: 15 * s * s, 2.5e-4)}
        for name, force in push.items():
            for step in STEPS:
                scene = (plate(f"{{{force}, 0, 0}}", 0.8), 2, [("position", "b", "x", place)])
                off = self.errors(scene, "event", step=step)[0]
                seen = self.events()
                late = [t - expected for (_, t), expected in zip(seen, (slips, sticks))]
                print(f"{name}, h = {step:4} s: off by {off:.1e} of {place:.1e} m, "
                      f"slips and sticks {late[0]:.1e} and {late[1]:.1e} s late")
                self.assertEqual([kind for kind, _ in seen], [3, 4])
                # curvature jumps where the bump begins and ends: what samples there leave
                self.assertLess(off, 1e-6 * place)
                self.assertLess(max(abs(t) for t in late), 1e-8)

    def test_to_and_fro(self):
        """A plate goes up by 40 mm and back within a step, and hits a ball 30 mm above it, e = 1."""
        part = 0.75**0.25
        hits = BEGIN + LENGTH * asin(part) / pi
        speed = 2 * 0.04 * 4 * part**3 * sqrt(1 - part**2) * pi / LENGTH
        text = (WEIGHTLESS + material(0, 1) + body("b", BALL, position="{0, 0, 0.13}") +
                "body{name = 'p', kind = 'prescribed', position = {0, 0, -0.1}, displacement = {0, 0, "
                f"{bump('0.04 * math.pow(s, 4)')}}}, "
                "shape = shape.box{size = {1, 1, 0.2}, material = 'm'}}\n")
        for step in STEPS:
            off = self.errors((text, 2, [("velocity", "b", "z", speed)]), "event", step=step)[0]
            seen = self.events()
            print(f"plate up and down, h = {step:4} s: {len(seen)} event, {seen[0][1] - hits:.1e} s "
                  f"late, speed off by {off / speed:.1e}")
            self.assertEqual([kind for kind, _ in seen], [0])
            self.assertLess(abs(seen[0][1] - hits), 1e-9)
            self.assertLess(off, 1e-7 * speed)

    def test_turning(self):
        """Slips in two directions under loads that turn many times in a step: in circles just above
        the bound and well above it, and two oscillations across each other."""
        bound = 0.5 * G
        cases = (("circle of 1.02", (1.02, 6, pi / 2), (1.02, 6, 0)),
                 ("circle of 1.2", (1.2, 30, pi / 2), (1.2, 30, 0)),
                 ("crossed", (1.05, 6, 0), (0.8, 9, 0)))
        for name, *load in cases:
            def force(t, load=tuple(load)):
                return [a * bound * sin(rate * t + phase) for a, rate, phase in load]

            parts = ", ".join(f"signal.wave{{amplitude = {a * bound!r}, frequency = {rate}, "
                              f"phase = {phase!r}}}" for a, rate, phase in load)
            coarse, fine = (slide(force, 0.5, 2, steps) for steps in (100000, 200000))
            # errors of the two fall as one to two, and what is left about as four to one
            place = [2 * b - a for a, b in zip(coarse, fine)]
            for step in STEPS:
                scene = (plate(f"{{{parts}, 0}}", 0.5), 2,
                         [("position", "b", "x", place[0]), ("position", "b", "y", place[1])])
                off = max(self.errors(scene, "event", step=step)) / max(abs(x) for x in place)
                print(f"{name}, h = {step:4} s: off by {off:.1e} of its way")
                self.assertLess(off, 2e-7)

    def test_barely(self):
        """Waves that lift a box, or push it along, by a little more than weight and friction for a
        moment of each of their periods, at steps of a fortieth of a period up to all three."""
        for integrator in ("pair", "cvode"):
            for part in (1.005, 1.00002):
                for kind, among in ((2, (0, 1.0)), (3, (1, 0.5))):
                    wave = f"signal.wave{{amplitude = {part * among[1] * G!r}, frequency = 20}}"
                    force = f"{{0, 0, {wave}}}" if kind == 2 else f"{{{wave}, 0, 0}}"
                    begins = [(asin(1 / part) + k * pi) / 20 for k in range(0, 6, 2 - among[0])]
                    late = 0.0
                    for count in (1, 2, 3, 7, 11, 120):
                        end = 6 * pi / 20
                        self.errors((plate(force, 0.5), end, [("position", "b", "x", 0)]), "event",
                                    f"integrator = '{integrator}'", end / count)
                        seen = [t for found, t in self.events() if found == kind]
                        self.assertEqual(len(seen), len(begins), f"{integrator} {part} {count}")
                        late = max(late, *(abs(a - b) for a, b in zip(seen, begins)))
                    print(f"{integrator}, {('lifted', 'pushed')[among[0]]} by {part} of what holds: "
                          f"{len(begins)} times, within {late:.1e} s")
                    self.assertLess(late, 1e-9)

    def test_jump(self):
        """A function that jumps is told; one whose slope jumps is not."""
        for force, told in (("t < 0.5 and 0 or 5", 1), ("math.abs(t - 0.4)", 0)):
            scene = self.write(plate(f"{{function(t) return {force} end, 0, 0}}", 0.8) +
                               "scheme 'event'\nrun{step = 0.1, duration = 1}\n")
            code, text = self.run_it("run", scene, "-f", "-o", self.path("a.h5"))
            self.assertEqual(code, 0, text)
            self.assertEqual(text.count("stiction: note: functions of t jump"), told, text)

    def test_values_at_times(self):
        """A curve through values at times of their own, of which a resolution finds more or less."""
        times = [2 * (k / 400)**2 for k in range(401)]
        curve = (f"signal.curve{{time = {{{', '.join(map(repr, times))}}}, "
                 f"value = {{{', '.join(repr(9 * sin(5 * t)) for t in times)}}}}}")
        wave = "signal.wave{amplitude = 9, frequency = 5}"
        places = []
        for force in (curve, wave):
            self.errors((plate(f"{{{force}, 0, 0}}", 0.8), 2, [("position", "b", "x", 0)]), "event",
                        step=0.5)
            with open(self.path("s.csv"), encoding="utf-8") as file:
                places.append(float(file.read().split("\n")[-2].split(",")[-1]))
        print(f"curve at times: off by {places[0] - places[1]:.1e} of {places[1]:.1e} m")
        self.assertGreater(abs(places[1]), 1e-4)
        self.assertLess(abs(places[0] - places[1]), 1e-7 * abs(places[1]))

    def test_resolution(self):
        """What is shorter than the resolution may be missed, as the reference says."""
        for resolution, seen in ((0.5, 0), (0.005, 2)):
            scene = self.write(plate(f"{{{bump('15 * s * s')}, 0, 0}}", 0.8) + "scheme 'event'\n"
                               f"run{{step = 2, duration = 2, resolution = {resolution}}}\n")
            code, text = self.run_it("run", scene, "--json", "-f", "-o", self.path("s.h5"))
            self.assertEqual(code, 0, text)
            self.assertTrue(json.loads(text.strip().split("\n")[-1]))
            self.assertEqual(len(self.events()), seen)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Event: prescribed motions with kinks inside a step, motions by functions of Lua, bodies that
change modes at the same instant, and events that are the same whatever the step of the run.

    STICTION_BIN=build/release/bin/stiction tests/cli/test_event_kinks.py [-v] [Class.test]
"""

import unittest
from math import asin, sin

import h5py

from test_continuous_time import BALL, BOX, FLOOR, G, Folder, body, material

STEPS = (0.6, 0.1, 0.03, 0.01)
KICK = 0.33
TABLE = "shape = shape.box{size = {8, 1, 0.1}, material = 'm'}}\n"


def kicked(along, shape, place, friction=0.5, restitution=0.0):
    """A table that rests until it moves at 1 m/s along `along`."""
    path = f"signal.table{{time = {{0, {KICK}, 2}}, value = {{0, 0, {2 - KICK}}}}}"
    parts = ", ".join(path if c == "+" else path.replace("value = {0, 0, ", "value = {0, 0, -")
                      if c == "-" else "0" for c in along)
    return (material(friction, restitution) + "body{name = 't', kind = 'prescribed', "
            f"position = {{0, 0, -0.05}}, displacement = {{{parts}}}, " + TABLE +
            body("b", shape, position=place))


def up(shape, place):
    return kicked("00+", shape, f"{{0, 0, {place}}}"), 0.6, [
        ("position", "b", "z", place + 0.6 - KICK), ("penetration", None, None, 0)]


def up_and_off():
    """e = 0.5: leaves at 1.5 m/s, and lands after a relative flight of 2 0.5/g."""
    lands = KICK + 1 / G
    return kicked("00+", BOX, "{0, 0, 0.05}", 0.5, 0.5), 0.48, [
        ("position", "b", "z", 0.05 + lands - KICK + 1.25 * (0.48 - lands) - 0.5 * G *
         (0.48 - lands)**2)]


def aside():
    """Slips until friction has given it the speed of the table."""
    sticks = 1 / (0.5 * G)
    return kicked("+00", BOX, "{0, 0, 0.05}"), 0.6, [
        ("position", "b", "x", 0.6 - KICK - 0.5 * sticks)]


def down():
    """Falls until it meets the table again."""
    return kicked("00-", BALL, "{0, 0, 0.1}"), 0.6, [("position", "b", "z", 0.1 - 0.6 + KICK)]


def lifted():
    """A bob on a rod: the kick goes through the joint."""
    return (material(0) + "body{name = 't', kind = 'prescribed', position = {0, 0, 1}, "
            f"displacement = {{0, 0, signal.table{{time = {{0, {KICK}, 2}}, value = {{0, 0, "
            f"{2 - KICK}}}}}}}, shape = shape.sphere{{radius = 0.01, material = 'm'}}}}\n" +
            body("b", BALL, position="{0, 0, 0}") +
            "joint.rod{name = 'r', a = 'b', b = 't', point = {0, 0, 0}, to = {0, 0, 1}}\n"), 0.6, [
                ("position", "b", "z", 0.6 - KICK), ("velocity", "b", "z", 1)]


def pushed():
    """A force in steps: slips, and comes to rest."""
    force = "signal.steps{interval = 0.1, value = {0, 8, 0, 0, 0, 0}}"
    speed, lasts = 0.1 * (8 - 0.5 * G), 0.1 * (8 - 0.5 * G) / (0.5 * G)
    return (material(0.5) + FLOOR + body("b", BOX, position="{0, 0, 0.05}",
                                         force=f"{{{force}, 0, 0}}")), 0.6, [
        ("position", "b", "x", 0.5 * speed * (0.1 + lasts))]


SCENES = {"kicked up, ball": up(BALL, 0.1), "kicked up, box": up(BOX, 0.05),
          "kicked up, e = 0.5": up_and_off(), "kicked aside": aside(), "kicked down": down(),
          "kicked through a rod": lifted(), "force in steps": pushed()}


class Kinks(Folder):
    def times(self):
        names = ("impact", "touch", "take-off", "slip", "stick", "leap", "branch")
        with h5py.File(self.path("s.h5")) as file:
            return [(names[k], t) for k, t in zip(file["events/kind"][:], file["events/time"][:])]

    def test_kicks(self):
        for name, scene in SCENES.items():
            off = [max(self.errors(scene, "event", step=step)) for step in STEPS
                   if abs(scene[1] / step - round(scene[1] / step)) < 1e-9]
            print(f"{name:22s}", " ".join(f"{e:.1e}" for e in off))
            self.assertLess(max(off), 1e-10, name)

    def test_instant(self):
        self.errors(up(BALL, 0.1), "event", step=0.1)
        self.assertEqual([kind for kind, _ in self.times()], ["impact"])
        self.assertLess(abs(self.times()[0][1] - KICK), 1e-15)

    def test_functions(self):
        """What begins at rest, or with the velocity of the function, stays: no events but the one
        that the acceleration asks for."""
        table = ("body{name = 't', kind = 'prescribed', position = {0, 0, -0.05}, displacement = "
                 "function(t) return %s end, " + TABLE)
        tall = body("b", "box{size = {0.1, 0.1, 0.4}}", position="{0, 0, 0.2}")
        cases = {"tips": (material(2) + table % "t * t * t, 0, 0" + tall, 0.25 * G / 6, "take-off"),
                 "slips": (material(0.4) + table % "0.3 * t * t * t, 0, 0" +
                           body("b", BOX, position="{0, 0, 0.05}"), 0.4 * G / 1.8, "slip"),
                 "takes off": (material(0) + table % "0, 0, 0.05 * math.sin(20 * t)" +
                               body("b", BOX, position="{0, 0, 0.05}", velocity="{0, 0, 1}"),
                               asin(G / 20) / 20, "take-off")}
        for name, (text, instant, kind) in cases.items():
            end = round(1.2 * instant, 2)
            for step in (end / 4, 0.01):
                self.errors((text, end, [("contacts", None, None, 0)]), "event", step=step)
                seen = self.times()
                print(f"{name:10s} h = {step:.3g} s:", seen[0], f"off by {seen[0][1] - instant:.1e} s")
                self.assertEqual([k for k, _ in seen], [kind])
                self.assertLess(abs(seen[0][1] - instant), 1e-9)

    def test_together(self):
        """Two unlike boxes that reach an edge at the same instant do what each does alone."""
        edge = ("body{name = 't', kind = 'fixed', position = {-1, 0, -0.5}, material = 'm', "
                "shape = shape.box{size = {2, 2, 1}}}\n")
        boxes = [body(name, BOX, position=f"{{-0.3, {y}, 0.05}}", velocity="{1.5, 0, 0}", **more)
                 for name, y, more in (("b", 0, {}), ("c", 0.5, {
                     "orientation": "{axis = {0, 0, 1}, angle = 0.3}"}))]
        wanted = ("angular_velocity", "position", "velocity")

        def ends(text, name, step):
            zero = [(q, name, "y" if q == "angular_velocity" else "z", 0.0) for q in wanted]
            return self.errors((material(0.1) + edge + text, 0.45, zero), "event", step=step)

        alone = {name: ends(text, name, 0.05) for name, text in zip("bc", boxes)}
        for step in (0.45, 0.15, 0.05, 0.01):
            off = {name: max(abs(a - b) for a, b in zip(alone[name], ends("".join(boxes), name, step)))
                   for name in "bc"}
            leaps = sum(kind == "leap" for kind, _ in self.times())
            print(f"two boxes over an edge, h = {step} s: off by {off['b']:.1e} and {off['c']:.1e}")
            self.assertEqual(leaps, 0)
            # borders of a box that is turned are known to 1e-6 of its size
            self.assertLess(off["b"], 1e-7)
            self.assertLess(off["c"], 5e-6)

    def test_same_events(self):
        """The list of events does not depend on the step."""
        row = "".join(
            f"body{{name = 'd{i}', position = {{{0.25 * i}, 0, 0.25}}, material = 'm', angular_velocity "
            f"= {{0, {1.6 if i == 0 else 0}, 0}}, velocity = {{{0.4 if i == 0 else 0}, 0, 0}}, "
            "shape = shape.box{size = {0.08, 0.25, 0.5}}}\n" for i in range(3))
        edge = ("body{name = 't', kind = 'fixed', position = {-1, 0, -0.5}, material = 'm', "
                "shape = shape.box{size = {2, 2, 1}}}\n" +
                body("b", BALL, position="{-0.1, 0, 0.1}", velocity="{0.2, 0, 0}",
                     angular_velocity="{0, 2, 0}"))
        cases = {"woodpecker": ("system 'woodpecker'\n", 0.3),
                 "three dominoes": (material(0.4) + FLOOR + row, 0.6),
                 "ball over an edge": (material(0.6) + edge, 0.9)}
        for name, (text, end) in cases.items():
            seen = []
            for step in (0.15, 0.1, 0.05, 0.03, 0.02, 0.01, 0.005):
                if abs(end / step - round(end / step)) > 1e-9:
                    continue
                what = [("kinetic", None, None, 0)]
                self.errors((text, end, what), "event", step=step)
                seen.append(self.times())
            kinds = [[k for k, _ in one] for one in seen]
            apart = max(max(abs(a[1] - b[1]) for a, b in zip(one, seen[0])) for one in seen)
            print(f"{name}: {len(seen[0])} events with {len(seen)} steps, times apart by {apart:.1e} s")
            for one in kinds:
                self.assertEqual(one, kinds[0], name)
            self.assertLess(apart, 1e-9)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Event: loads that cancel at an instant, which may be the end of a step of the run. Bonds hold below
their strength and tear at it, slips go on, and nothing is told that does not happen.

    STICTION_BIN=build/release/bin/stiction tests/cli/test_event_loads.py [-v] [Class.test]
"""

import unittest
from math import sqrt

import h5py

from test_continuous_time import G, WEIGHTLESS, Folder, body

BOX = "box{size = {0.3, 0.2, 0.1}}"
AREA = 0.06
STRENGTH = 1000
TABLE = ("body{name = 't', kind = 'fixed', position = {0, 0, %g}, shape = shape.box{size = {2, 2, 0.2}, "
         "material = 'm'}}\n")


def loaded(force, side=1, cohesion=STRENGTH, along=0):
    """A box on a table, or under it (side = -1), with a force that is a function of time."""
    return (f"material{{name = 'm', friction = 0.5, cohesion = {cohesion}}}\n" + TABLE % (-0.1 * side) +
            body("b", BOX, position=f"{{0, 0, {0.05 * side}}}",
                 force=f"{{{along}, 0, function(t) return {force} end}}"))


class Loads(Folder):
    def events(self):
        names = ("impact", "touch", "take-off", "slip", "stick", "leap", "branch")
        with h5py.File(self.path("s.h5")) as file:
            if "events" not in file:
                return []
            return [(names[k], t) for k, t in zip(file["events/kind"][:], file["events/time"][:])]

    def test_bonds_hold(self):
        """The net load is zero at 0.4 s, the end of a step, and stays below the strength of 60 N."""
        cases = {"lifted": loaded("9.81 + 30 * (t - 0.4)"),
                 "hanging": loaded("9.81 + 30 * (0.4 - t)", side=-1),
                 "shaken": WEIGHTLESS + loaded("40 * math.sin(5 * math.pi * t)"),
                 "shaken from below": WEIGHTLESS + loaded("40 * math.cos(5 * math.pi * t)", side=-1),
                 "pulled aside": loaded("9.81 + 20 * (t - 0.4)", along=3),
                 "pulled": WEIGHTLESS + loaded("50 * (t - 0.2)")}
        for name, text in cases.items():
            side = -1 if name in ("hanging", "shaken from below") else 1
            for step in (0.2, 0.1, 0.05, 0.02):
                off = self.errors((text, 1, [("position", "b", "z", 0.05 * side)]), "event", step=step)
                self.assertLess(off[0], 1e-12, (name, step))
                self.assertEqual(self.events(), [], (name, step))

    def test_bonds_tear(self):
        """Where the pull reaches the strength, whether or not it was zero at the end of a step."""
        torn = 0.4 + STRENGTH * AREA / 100
        for step in (0.2, 0.1, 0.02):
            force = "9.81 + 100 * (t - 0.4)"
            speed = 50 * ((1.2 - 0.4)**2 - (torn - 0.4)**2)
            off = self.errors((loaded(force), 1.2, [("velocity", "b", "z", speed)]), "event", step=step)
            seen = self.events()
            print(f"h = {step} s: torn {seen[0][1] - torn:.1e} s late, speed off by {off[0]:.1e} m/s")
            self.assertEqual([kind for kind, _ in seen], ["take-off"])
            self.assertLess(abs(seen[0][1] - torn), 1e-9)
            self.assertLess(off[0], 1e-9)

    def test_slip_without_load(self):
        """a = 0.3 - 0.5 20 (t - 0.4)^2 from where that is zero: symmetric about 0.4 s up to the root
        of its integral, at twice the first half."""
        half = sqrt(0.03)
        slip, stick = 0.4 - half, 0.4 + 2 * half
        place = 0.15 * (3 * half)**2 - 10 / 12 * ((2 * half)**4 - half**4) - 10 / 3 * half**3 * 3 * half
        for step in (0.2, 0.1, 0.05, 0.02):
            text = loaded(f"{G} - 20 * (t - 0.4)^2", cohesion=0, along=0.3)
            off = self.errors((text, 1, [("position", "b", "x", place), ("position", "b", "z", 0.05),
                                         ("velocity", "b", "y", 0)]), "event", step=step)
            seen = self.events()
            print(f"h = {step} s: off by {max(off):.1e}, {seen}")
            self.assertLess(max(off), 1e-10)
            self.assertEqual([kind for kind, _ in seen], ["slip", "stick"])
            self.assertLess(max(abs(seen[0][1] - slip), abs(seen[1][1] - stick)), 1e-10)

    def test_arch_rests(self):
        """27 blocks that stand: conditions of a long row are met to rounding, and nothing creeps."""
        text = ("material{name = 'stone', density = 2400, friction = 0.4}\n"
                "arch{radius = 10, thickness = 1.0726, width = 5, blocks = 27, material = 'stone'}\n")
        off = self.errors((text, 0.1, [("kinetic", None, None, 0)]), "event", step=0.02)
        print(f"arch: kinetic energy {off[0]:.1e} J")
        self.assertLess(off[0], 1e-18)
        self.assertEqual(self.events(), [])


if __name__ == "__main__":
    unittest.main()

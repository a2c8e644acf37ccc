#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""stiction compare: errors and orders against closed forms, table, CSV and picture.

    STICTION_BIN=build/release/bin/stiction tests/cli/test_compare.py [-v] [Class.test]
"""

import csv
import os
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BIN = os.path.abspath(os.environ.get("STICTION_BIN",
                                     os.path.join(ROOT, "build/release/bin/stiction")))
DONE, UNSOLVED, USAGE = 0, 1, 2
# a box slides to a stop: koziara is exact to second order, the event-driven scheme to rounding
SCENE = """material{name = "m", density = 1000, friction = 0.5}
floor{material = "m"}
body{name = "b", material = "m", position = {0, 0, 0.1}, velocity = {param("v", 1), 0, 0},
     shape = shape.box{size = {0.4, 0.4, 0.2}}}
scheme "moreau"
run{step = 0.01, duration = 0.3}
"""


def run(*words):
    return subprocess.run([BIN, "compare", *words], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, check=False, timeout=300)


class Compare(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.scene = os.path.join(self.folder.name, "slide.lua")
        with open(self.scene, "w", encoding="utf-8") as file:
            file.write(SCENE)

    def tearDown(self):
        self.folder.cleanup()

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def test_names(self):
        # before the first run, once
        for words, name in ((("--schemes", "moreau,evnt"), "evnt"), (("--against", "bla"), "bla")):
            done = run(self.scene, *words)
            self.assertEqual(done.returncode, USAGE)
            self.assertEqual(done.stdout, "")
            self.assertEqual(done.stderr.count(f"there is no scheme '{name}'"), 1, done.stderr)

    def test_rounding(self):
        # errors of rounding have no order
        done = run(self.scene, "--schemes", "event")
        rows = [line.split() for line in done.stdout.split("\n")[1:4]]
        print(rows)
        self.assertTrue(all(row[3] == "-" for row in rows))

    def test_table(self):
        done = run(self.scene, "--schemes", "moreau,event", "--csv", self.path("a.csv"), "--svg",
                   self.path("a.svg"))
        self.assertEqual(done.returncode, DONE, done.stderr)
        with open(self.path("a.csv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["scheme"] for row in rows], ["moreau"] * 3 + ["event"] * 3)
        self.assertEqual([float(row["step"]) for row in rows[:3]], [0.01, 0.005, 0.0025])
        for row in rows:
            print(row["scheme"], row["step"], row["error"], row["order"])
        # the reference is the event-driven scheme: its own errors are rounding
        self.assertTrue(all(float(row["error"]) < 1e-12 for row in rows[3:]))
        self.assertEqual([int(row["events"]) for row in rows[3:]], [1, 1, 1])
        # the stop lies inside a step: second order in its length
        self.assertLess(float(rows[2]["error"]), 0.4 * float(rows[0]["error"]))
        root = ElementTree.parse(self.path("a.svg")).getroot()
        self.assertTrue(root.tag.endswith("svg"))
        self.assertIn("integration", done.stdout)

    def test_self(self):
        done = run(self.scene, "--schemes", "moreau", "--against", "self", "--steps", "0.02,0.01")
        self.assertEqual(done.returncode, DONE, done.stderr)
        self.assertIn("reference", done.stdout)

    def test_refusals(self):
        with open(self.path("bounce.lua"), "w", encoding="utf-8") as file:
            file.write(SCENE.replace("friction = 0.5", "friction = 0.5, restitution = 0.5"))
        done = run(self.path("bounce.lua"), "--schemes", "moreau,penalty", "--steps", "0.01")
        self.assertEqual(done.returncode, UNSOLVED)
        self.assertIn("has no law for restitution", done.stdout)
        self.assertEqual(run(self.scene, "--steps", "0.01,x").returncode, USAGE)
        self.assertEqual(run(self.scene, "--param", "v").returncode, USAGE)
        self.assertEqual(run(self.scene, "--schemes", ",").returncode, USAGE)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""stiction compare: errors and orders against closed forms, table, CSV and picture.

    STICTION_BIN=build/release/bin/stiction tests/cli/test_compare.py [-v] [Class.test]
"""

import csv
import os
import re
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

    def test_missed(self):
        """A run with steps that missed its accuracy is no yardstick: they are counted, and the exit
        code is that of run."""
        with open(self.scene, encoding="utf-8") as file:
            text = file.read()
        with open(self.path("rough.lua"), "w", encoding="utf-8") as file:
            file.write(text.replace("duration = 0.3", "duration = 0.3, policy = 'continue'") +
                       "solver{name = 'nsgs', tolerance = 1e-12, max_iterations = 1}\n")
        for scene, code in ((self.scene, DONE), (self.path("rough.lua"), UNSOLVED)):
            done = run(scene, "--schemes", "moreau", "--steps", "0.01", "--against", "self", "--csv",
                       self.path("t.csv"), "--force")
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
            with open(self.path("t.csv"), encoding="utf-8") as file:
                row = next(csv.DictReader(file))
            self.assertEqual(int(row["missed"]) > 0, code == UNSOLVED, row)

    def test_table_of_the_guide(self):
        """The table of docs/guide/compare.md is what its command gives: two digits, or below a bound."""
        with open(os.path.join(ROOT, "docs/guide/compare.md"), encoding="utf-8") as file:
            page = file.read()
        with open(self.path("edge.lua"), "w", encoding="utf-8") as file:
            file.write(re.search(r"```lua\n(.*?)```", page, re.S).group(1))
        words = re.search(r"stiction compare edge.lua (.*?) --csv", page).group(1).split()
        done = run(self.path("edge.lua"), *words, "--csv", self.path("t.csv"))
        self.assertEqual(done.returncode, DONE, done.stderr)
        with open(self.path("t.csv"), encoding="utf-8") as file:
            found = {(row["scheme"], float(row["step"])): row for row in csv.DictReader(file)}
        checked = 0
        for line in re.findall(r"^\| (\w+(?:, \w+)?) \| (.*) \|$", page, re.M):
            cells = line[1].split(" | ")
            if len(cells) != 5 or line[0] == "scheme":
                continue
            for scheme in line[0].split(", "):
                rows = [found[scheme, step] for step in (2e-3, 1e-3, 5e-4)]
                pairs = [(cell, float(row["error"])) for cell, row in zip(cells, rows)]
                pairs.append((cells[4], abs(float(rows[2]["integration"]))))
                for cell, value in pairs:
                    number = re.match(r"(< )?(\d\S*) ", cell)
                    if number is None:
                        continue
                    if number.group(1):
                        self.assertLess(value, float(number.group(2)), f"{scheme}: {cell}")
                    else:
                        # the second digit, which rounding moves by one at most
                        unit = 0.1 * 10.0 ** int(number.group(2).split("e")[1])
                        self.assertAlmostEqual(value, float(number.group(2)), delta=unit, msg=scheme)
                    checked += 1
        self.assertEqual(checked, 7 * 4 - 1)

    def test_names(self):
        # before the first run, once
        for words, name in ((("--schemes", "moreau,evnt"), "evnt"), (("--against", "bla"), "bla")):
            done = run(self.scene, *words)
            self.assertEqual(done.returncode, USAGE)
            self.assertEqual(done.stdout, "")
            self.assertEqual(done.stderr.count(f"there is no scheme '{name}'"), 1, done.stderr)

    def test_known_names(self):
        # a name that is near no other is answered with all of them
        for option in ("--schemes", "--against"):
            done = run(self.scene, option, "foo")
            self.assertEqual((done.returncode, done.stdout), (USAGE, ""))
            for name in ("moreau", "theta", "quasi-static", "event"):
                self.assertIn(name, done.stderr)

    def errors(self, scene, *words):
        """Error of each scheme at one step."""
        done = run(scene, "--steps", "0.01", "--csv", self.path("e.csv"), "--force", *words)
        self.assertEqual(done.returncode, DONE, done.stderr)
        with open(self.path("e.csv"), encoding="utf-8") as file:
            return {row["scheme"]: float(row["error"]) for row in csv.DictReader(file)}

    def write(self, name, scheme):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(SCENE.replace('scheme "moreau"', scheme))
        return self.path(name)

    def test_settings_of_schemes(self):
        # near the stop the relaxation time is the only time, gravity the only acceleration: the
        # error is proportional to its square
        both = ("--schemes", "relaxed,moreau")
        plain = self.errors(self.scene, *both)
        scene = self.errors(self.write("own.lua", 'scheme "relaxed" {delta = 1e-2}'), *both)
        print("relaxed", plain["relaxed"], "at 1 ms,", scene["relaxed"], "at 10 ms")
        self.assertAlmostEqual(scene["relaxed"] / plain["relaxed"], 100.0, delta=10.0)
        for word in ("relaxed.delta=1e-2", "scheme.delta=0.01"):
            self.assertEqual(self.errors(self.scene, *both, "--set", word), scene)
        # the command line wins over the scene, a later word over an earlier one
        for words in (("scheme.delta=1e-3",), ("relaxed.delta=1", "scheme.delta=1e-3"),
                      ("scheme.delta=1", "relaxed.delta=1e-3")):
            sets = [word for pair in words for word in ("--set", pair)]
            self.assertEqual(self.errors(self.path("own.lua"), *both, *sets), plain)
        # a setting of the scene's scheme does not reach another that has one of the same name:
        # that tolerance would change the error of relaxed by a half
        other = self.errors(self.write("event.lua", 'scheme "event" {tolerance = 1e-3}'), *both)
        self.assertEqual(other["moreau"], plain["moreau"])
        self.assertAlmostEqual(other["relaxed"], plain["relaxed"], delta=1e-12)

    def test_settings_of_the_reference(self):
        # relaxed as the reference of an exact scheme: the same distance, the other way round
        forward = self.errors(self.scene, "--schemes", "relaxed", "--set", "relaxed.delta=1e-2")
        back = self.errors(self.scene, "--schemes", "event", "--against", "relaxed", "--set",
                           "relaxed.delta=1e-2")
        self.assertEqual(forward["relaxed"], back["event"])

    def test_settings_of_none(self):
        for words, text in ((("moreau", "scheme.delta=1e-4"), "has a setting 'delta'"),
                            (("moreau", "relaxed.delta=1e-4"), "relaxed does not run"),
                            (("relaxed", "relaxed.dleta=1"), "did you mean 'delta'"),
                            (("relaxed", "relaxed.delta=-1"), "outside"),
                            (("relaxed", "scheme.delta=x"), "scheme.delta=x: "),
                            (("relaxed", "scheme=event"), "--schemes"),
                            (("relaxed", "relaxed.name=event"), "--schemes")):
            done = run(self.scene, "--schemes", words[0], "--set", words[1])
            self.assertEqual((done.returncode, done.stdout), (USAGE, ""), words)
            self.assertIn(text, done.stderr)

    def test_steps_end_together(self):
        # refused before any run; what is named instead is taken
        for step in ("0.007", "0.2", "0.0333333"):
            done = run(self.scene, "--schemes", "moreau", "--steps", "0.01," + step)
            self.assertEqual((done.returncode, done.stdout), (USAGE, ""), step)
            near = re.search(r"nearest that do are (\S+) and (\S+) s", done.stderr)
            print(step, "->", near.groups())
            self.assertTrue(float(near[2]) < float(step) < float(near[1]))
            steps = round(0.3 / float(near[1]))
            self.assertEqual(steps + 1, round(0.3 / float(near[2])))
            done = run(self.scene, "--schemes", "moreau", "--steps", ",".join(near.groups()))
            self.assertEqual(done.returncode, DONE, done.stderr)
            counts = [line.split()[6] for line in done.stdout.split("\n")[1:3]]
            self.assertEqual(counts, [str(steps), str(steps + 1)])
        for step in ("2", "1e-300"):
            done = run(self.scene, "--schemes", "moreau", "--steps", step)
            self.assertEqual((done.returncode, done.stdout), (USAGE, ""), step)
        # also steps of the scene itself, and a duration of the command line
        self.assertEqual(run(self.scene, "--schemes", "moreau", "--until", "0.305").returncode,
                         USAGE)
        self.assertEqual(run(self.scene, "--schemes", "moreau", "--until", "0.31").returncode, DONE)

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

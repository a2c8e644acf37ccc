#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs as users make them: results that other programs read, interrupts, kills, full disks.

    STICTION_BIN=build/release/bin/stiction tests/cli/test_run.py [-v] [Class.test]

KILLS=200 kills a run at 200 random moments instead of 20.
"""

import csv
import glob
import json
import math
import os
import random
import re
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

import h5py
import numpy as np

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from test_exit_codes import CORNER  # noqa: E402
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BIN = os.path.abspath(os.environ.get("STICTION_BIN",
                                     os.path.join(ROOT, "build/release/bin/stiction")))
KILLS = int(os.environ.get("KILLS", "20"))
DONE, UNSOLVED, USAGE, INPUT, INTERNAL = range(5)

# two stacks, a heavy ball thrown at them, and a pendulum
SCENE = """-- Two stacks of boxes, a ball thrown at one of them, and a pendulum.
title "stacks and a ball"
material{name = "wood", density = 600, friction = param("friction", 0.5), restitution = 0.1}
body{name = "floor", kind = "fixed", material = "wood", shape = shape.half_space{}}
for s = 1, 2 do
  for i = 1, 4 do
    body{name = "box" .. s .. i, position = {1.5 * s, 0, 0.1 + 0.2 * (i - 1)}, material = "wood",
         shape = shape.box{size = {0.3, 0.25, 0.2}}}
  end
end
body{name = "ball", position = {0, 0.02, 0.5}, velocity = {4, 0, 1}, material = "wood",
     shape = shape.sphere{radius = 0.15}}
body{name = "bob", position = {0.5, 2, 2}, material = "wood", shape = shape.sphere{radius = 0.1}}
joint.point{name = "pivot", a = "bob", point = {0, 2, 2}}
scheme{name = "moreau"}
solver{name = "auto", tolerance = 1e-9}
run{step = 0.001, duration = param("duration", 0.4)}
output{every = 4, flush = 0, snapshot_every = 50}
history{quantity = "velocity", body = "ball", component = "x"}
check{quantity = "position", body = "floor", component = "z", value = 0, tolerance = 1e-9,
      source = "it is fixed"}
"""


def run(*words, **options):
    options.setdefault("timeout", 120)
    return subprocess.run([BIN, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False, **options)


def contents(path):
    """Every number of a result but wall clocks, up to the complete rows."""
    found = {}
    with h5py.File(path, "r") as file:
        def visit(name, item):
            if isinstance(item, h5py.Dataset) and "seconds" not in name:
                found[name] = item[()]
        file.visititems(visit)
    return found


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="stiction-run-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.scene = self.path("scene.lua")
        with open(self.scene, "w") as file:
            file.write(SCENE)

    def path(self, name):
        return os.path.join(self.folder, name)

    def call(self, *words, code=DONE, **options):
        options.setdefault("cwd", self.folder)
        result = run(*words, **options)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return result

    def all_bytes(self):
        """Every file of the folder."""
        found = {}
        for name in os.listdir(self.folder):
            with open(self.path(name), "rb") as file:
                found[name] = file.read()
        return found

    def run_scene(self, name="a.h5", *words, **options):
        path = self.path(name)
        self.call("run", self.scene, "-o", path, "--force", *words, **options)
        return path

    def assert_same(self, a, b):
        a, b = contents(a), contents(b)
        self.assertEqual(a.keys(), b.keys())
        for name in a:
            if name.startswith("scene/"):
                continue
            np.testing.assert_array_equal(a[name], b[name], err_msg=name)


class Result(Case):
    def test_contents(self):
        """The file describes itself, and its numbers obey the laws of mechanics."""
        path = self.run_scene()
        with h5py.File(path, "r") as file:
            self.assertEqual(file.attrs["format"].decode(), "stiction-result")
            self.assertEqual(file.attrs["format_version"], 1)
            frames = int(file["frames/complete"][0])
            self.assertEqual(frames, 101)
            self.assertEqual(int(file["steps/complete"][0]), 400)
            missing = []
            file.visititems(lambda name, item: missing.append(name) if isinstance(
                item, h5py.Dataset) and not name.startswith("scene/") and
                ("unit" not in item.attrs or "text" not in item.attrs) else None)
            self.assertEqual(missing, [])
            names = [name.decode() for name in file["bodies/name"][()]]
            self.assertEqual(names[0], "floor")
            mass = file["bodies/mass"][()]
            density = 600.0
            self.assertAlmostEqual(mass[1], density * 0.3 * 0.25 * 0.2, delta=1e-9)
            self.assertAlmostEqual(mass[names.index("ball")],
                                   density * 4 / 3 * np.pi * 0.15 ** 3, delta=1e-9)
            norm = np.linalg.norm(file["motion/orientation"][()], axis=2)
            np.testing.assert_allclose(norm, 1.0, atol=1e-12)
            self.check_cone(file)
            self.check_pairs(file)
            self.check_ledger(file)
            self.check_momentum(file, names, mass)

    def check_cone(self, file):
        """Contact forces push, stay in the friction cone, and oppose slip on its border."""
        f, n = file["contacts/force"][()], file["contacts/normal"][()]
        status, slip = file["contacts/status"][()], file["contacts/slip"][()]
        normal = np.einsum("ij,ij->i", f, n)
        tangent = f - normal[:, None] * n
        size = np.linalg.norm(tangent, axis=1)
        scale = np.abs(normal).max()
        self.assertGreater(normal.min(), -1e-6 * scale)
        self.assertLess((size - 0.5 * normal).max(), 1e-6 * scale)
        slides = (status == 2) & (normal > 1e-6 * scale)
        self.assertGreater(slides.sum(), 10)
        work = np.einsum("ij,ij->i", tangent, slip)[slides]
        opposite = -work / (size * np.linalg.norm(slip, axis=1))[slides]
        self.assertGreater(opposite.min(), 1 - 1e-4)
        print(f"  {len(f)} contacts, {slides.sum()} slide, friction opposes slip to "
              f"{1 - opposite.min():.1e}")

    def check_pairs(self, file):
        """Resultants are the sums of their contacts."""
        for k in (1, 50, 100):
            cb, cc = file["frames/contact_begin"][k], file["frames/contact_count"][k]
            pb, pc = file["frames/pair_begin"][k], file["frames/pair_count"][k]
            body, force = file["contacts/body"][cb:cb + cc], file["contacts/force"][cb:cb + cc]
            point = file["contacts/point"][cb:cb + cc]
            self.assertEqual(file["pairs/contacts"][pb:pb + pc].sum(), cc)
            for p in range(pb, pb + pc):
                a, b = file["pairs/body"][p]
                sign = (np.all(body == (a, b), axis=1) * 1.0 - np.all(body == (b, a), axis=1))
                total = (sign[:, None] * force).sum(axis=0)
                np.testing.assert_allclose(file["pairs/force"][p], total,
                                           atol=1e-5 * (1 + np.abs(force).max()))
                arm = point - file["pairs/point"][p]
                torque = (sign[:, None] * np.cross(arm, force)).sum(axis=0)
                np.testing.assert_allclose(file["pairs/torque"][p], torque,
                                           atol=1e-5 * (1 + np.abs(force).max()))

    def check_ledger(self, file):
        """The ledger's change of energy is that of the frames."""
        energy = file["frames/energy"][()].sum(axis=1)
        ledger = file["steps/ledger"][()]
        change = ledger[:, :2].sum()
        self.assertAlmostEqual(energy[-1] - energy[0], change, delta=1e-9 * abs(energy[0]))
        works = ledger[:, 2:].sum()
        self.assertAlmostEqual(works, change, delta=1e-9 * abs(energy[0]))

    def check_momentum(self, file, names, mass):
        """The pivot's force and gravity move the bob; frames are four steps apart."""
        bob = names.index("bob")
        velocity = file["motion/velocity"][:, bob]
        force = file["joint_motion/force"][:, 0]
        gain = mass[bob] * np.diff(velocity, axis=0) / 0.004
        weight = np.array([0, 0, -9.81 * mass[bob]])
        # the force of the last of four steps against their mean: second differences
        mean = 0.5 * (force[1:-1] + force[2:]) + weight
        error = np.abs(gain[1:] - mean).max() / np.abs(force).max()
        print(f"  pivot: force and momentum agree to {error:.1e} (steps of 1 ms)")
        self.assertLess(error, 5e-3)

    def test_single_precision(self):
        """Single precision halves the size and keeps seven digits."""
        double, single = self.run_scene("d.h5"), self.run_scene("s.h5", "--set",
                                                                "output.precision=single")
        with h5py.File(double) as a, h5py.File(single) as b:
            self.assertEqual(b["motion/position"].dtype, np.float32)
            np.testing.assert_allclose(b["motion/position"], a["motion/position"], rtol=1e-6,
                                       atol=1e-6)
            self.assertEqual(a["frames/hash"][-1], b["frames/hash"][-1])

    def test_summary_and_info(self):
        text = self.call("run", self.scene).stdout
        for word in ("steps       400", "worst error", "friction", "strict", "scene.h5",
                     "check", "passed", "next: stiction view"):
            self.assertIn(word, text)
        info = json.loads(self.call("info", "--json", "scene.h5").stdout)
        self.assertEqual((info["frames"], info["steps"], info["unsolved"]), (101, 400, 0))
        self.assertEqual(info["determinism"], "strict")
        self.assertIn(info["hash"], text)
        self.assertIn("stacks and a ball", self.call("info", "scene.h5").stdout)
        lines = [json.loads(line) for line in
                 self.call("run", self.scene, "--json").stdout.splitlines()]
        self.assertEqual([line["event"] for line in lines], ["progress"] * 9 + ["end"])
        self.assertEqual(lines[-1]["hash"], info["hash"])
        with open(self.path("scene.csv")) as file:
            rows = list(csv.reader(file))
        self.assertEqual(rows[0], ["time", "ball.velocity.x"])
        self.assertEqual(len(rows), 102)

    def test_parameters_and_threads(self):
        a = json.loads(self.call("run", self.scene, "--json", "--param",
                                 "friction=0.2").stdout.splitlines()[-1])
        b = json.loads(self.call("run", self.scene, "--json", "--threads", "2", "--param=friction=0.2"
                                 ).stdout.splitlines()[-1])
        c = json.loads(self.call("run", self.scene, "--json").stdout.splitlines()[-1])
        self.assertEqual(a["hash"], b["hash"])
        self.assertNotEqual(a["hash"], c["hash"])
        short = json.loads(self.call("run", self.scene, "--json", "--until", "0.1"
                                     ).stdout.splitlines()[-1])
        self.assertEqual(short["steps"], 100)

    def texts(self, path):
        """The scene of a result: as written, and resolved."""
        with h5py.File(path, "r") as file:
            return [bytes(file["scene/" + name][()]).decode() for name in ("source", "definition")]

    def test_stored_text_is_the_text_that_ran(self):
        """With parameters, settings and another end; the resolved text alone gives the same bits."""
        words = ["--param", "friction=0.3", "--set", "run.step=0.002", "--set", "solver.tolerance=1e-7", "--until", "0.1"]
        ran = json.loads(self.call("run", self.scene, "-o", "a.h5", "--json", *words).stdout.splitlines()[-1])
        source, definition = self.texts(self.path("a.h5"))
        self.assertEqual(source, SCENE)
        for word in ("0.3", "0.002", "1e-07"):
            self.assertIn(word, definition)
        with open(self.path("resolved.scene"), "w") as file:
            file.write(definition)
        again = json.loads(self.call("run", "resolved.scene", "-o", "b.h5", "--json").stdout.splitlines()[-1])
        self.assertEqual(again["hash"], ran["hash"])
        self.assertEqual(again["steps"], ran["steps"])
        self.assertEqual(self.texts(self.path("b.h5"))[1], definition)

    def test_scene_is_read_once(self):
        """A pipe gives its text once; what a file holds later was not run."""
        pipe = self.path("pipe.lua")
        os.mkfifo(pipe)
        writer = subprocess.Popen(["sh", "-c", 'cat "$0" > "$1"', self.scene, pipe])
        self.call("run", pipe, "-o", "a.h5", "--until", "0.01", timeout=60)
        self.assertEqual(writer.wait(10), 0)
        self.assertEqual(self.texts(self.path("a.h5"))[0], SCENE)

    def test_usage(self):
        for words, part in ((["--set", "run.stepp=1"], "run.stepp=1: run: there is no field"),
                            (["--set", "run.stepp=1"], "did you mean 'step'"),
                            (["--set", "run.step=none"], "run.step=none: run: step"),
                            (["--set", "walk.step=1"], "the first word must be run, output"),
                            # what is chosen comes first, in whatever order it is asked for
                            (["--set", "scheme.rest=-1", "--set", "scheme=event"], "event.rest = -1"),
                            (["--param", "fric=1"], "fric"),
                            (["--param", "fric"], "NAME=VALUE"),
                            (["--existence", "maybe"], "off, on-failure, always"),
                            (["--dump-problems", "now"], "when-hard"),
                            (["--threads", "0"], "from 1 to")):
            self.assertIn(part, self.call("run", self.scene, *words, code=USAGE).stderr)
        self.assertEqual(run("run", "none.lua", cwd=self.folder).returncode, INPUT)

    def test_input_is_never_replaced(self):
        """No command writes over the file it reads, by whatever name it is called."""
        path = self.run_scene("a.h5", "--until", "0.01")
        os.symlink("scene.lua", self.path("link.h5"))
        os.link(self.path("scene.lua"), self.path("twin.h5"))
        os.link(path, self.path("twin.html"))
        before = {name: os.stat(self.path(name)).st_size for name in ("scene.lua", "a.h5")}
        for words in (("run", "scene.lua", "-o", "./twin.h5"), ("run", self.scene, "-o", "link.h5"), ("view", "a.h5", "-o", "./a.h5"),
                      ("view", "a.h5", "-o", "twin.html"),
                      ("export", "a.h5", "--csv", "time", "-o", path)):
            said = self.call(*words, code=USAGE).stderr
            self.assertIn("would replace the file it is made from", said)
        self.assertEqual(before, {name: os.stat(self.path(name)).st_size for name in before})

    def test_exports_do_not_replace_unasked(self):
        path = self.run_scene("a.h5", "--until", "0.01")
        words = ("export", path, "--csv", "time", "-o", "scene.lua")
        before = os.stat(self.path("scene.lua")).st_size
        self.assertIn("exists; --force replaces it", self.call(*words, code=USAGE).stderr)
        self.assertEqual(os.stat(self.path("scene.lua")).st_size, before)
        self.call(*words, "--force")

    def test_no_command_replaces_a_file_unasked(self):
        """Default names, names that are given, and each of several files: all are refused without --force."""
        path = self.run_scene("a.h5", "--until", "0.01")
        commands = [(("export", path), ("a.xdmf", "a.contacts.xdmf", "a.xdmf.h5")),
                    (("export", path, "--csv", "time"), ("a.frames.csv",)),
                    (("plot", path), ("a.svg",)), (("plot", path, "-o", "b.svg"), ("b.svg",)),
                    (("compare", self.scene, "--schemes", "moreau", "--against", "self", "--steps", "0.01,0.005",
                      "--until", "0.02", "--csv", "c.csv", "--svg", "c.svg"), ("c.csv", "c.svg")),
                    (("sweep", self.scene, "--param", "friction=0.1,0.2", "--slurm", "job.sh"), ("job.sh",))]
        if "no viewer" not in run("view", "none.h5").stderr:
            commands += [(("view", path), ("a.html",)), (("view", path, "-o", "b.html"), ("b.html",))]
        for words, files in commands:
            for name in files:
                with self.subTest(words=words[0], file=name):
                    with open(self.path(name), "w") as file:
                        file.write("mine\n")
                    said = self.call(*words, code=USAGE).stderr
                    self.assertIn(f"{name} exists; --force replaces it", said)
                    with open(self.path(name)) as file:
                        self.assertEqual(file.read(), "mine\n")
                    self.call(*words, "--force")
                    with open(self.path(name), "rb") as file:
                        self.assertNotEqual(file.read(), b"mine\n")
                    for made in files:
                        os.unlink(self.path(made))

    def test_results_are_not_replaced_unasked(self):
        """-o needs --force where a file would be replaced; a default name takes the next number."""
        words = ("run", "scene.lua", "--until", "0.01")
        self.call(*words)
        for number in (2, 3):
            said = self.call(*words)
            self.assertIn(f"scene.h5 exists; the result goes to scene-{number}.h5", said.stderr)
            self.assertIn(f"scene-{number}.h5", said.stdout)
        # the histories would be replaced as well
        os.unlink(self.path("scene-2.h5"))
        self.assertIn("goes to scene-4.h5", self.call(*words).stderr)
        before = self.all_bytes()
        for name, taken in (("scene.h5", "scene.h5"), ("./scene.h5", "./scene.h5"),
                            ("scene-2.h5", "scene-2.csv")):
            said = self.call(*words, "-o", name, code=USAGE).stderr
            self.assertIn(f"{taken} exists; --force replaces it, another -o keeps it", said)
        self.assertEqual(before, self.all_bytes())
        self.call(*words, "-o", "scene-2.h5", "--force")
        self.call("run", "scene.lua", "--until", "0.02", "-o", "scene.h5", "-f")
        info = json.loads(self.call("info", "--json", "scene.h5").stdout)
        self.assertEqual(info["steps"], 20)

    def test_wrong_words(self):
        """What is wrong on the command line is said as such, with exit code 2."""
        path = self.run_scene("a.h5", "--until", "0.1")
        before = sorted(os.listdir(self.folder))
        for words, sentence in (
                (("run", "scene.lua", "--until", "soon"), "--until: 'soon' is not a number"),
                (("run", "scene.lua", "--until", "-1"), "--until: '-1' is not a number"),
                (("run", "scene.lua", "--until", "inf"), "--until: 'inf' is not a number"),
                (("run", "scene.lua", "-o", ""), "--output: the name is empty"),
                (("resume", "a.h5", "--until", "1e"), "--until: '1e' is not a number"),
                (("resume", "a.h5", "--until", "0.05"), "the run is at t = 0.1 s already"),
                (("export", "a.h5", "--csv", ""), "no column is named"),
                (("export", "a.h5", "--csv", "residual"), "'residual' is unknown; there are time"),
                (("plot", "a.h5", "--what", "residuals"), "did you mean 'residual'?"),
                (("plot", "a.h5", "--what", "height"), "ledger, residual, iterations"),
                (("plot", "a.h5", "-o", "a.jpg"), "ends neither in .svg, .pdf nor .png")):
            said = self.call(*words, code=USAGE).stderr
            self.assertIn(sentence, said)
            self.assertIn(f"try 'stiction {words[0]} --help'", said)
        self.assertEqual(sorted(os.listdir(self.folder)), before)
        self.call("resume", path, "--until", "0.1")

    def test_titles_do_not_reach_the_terminal(self):
        """Control characters of a result's texts are not obeyed by a terminal."""
        with open(self.scene, "w") as file:
            file.write(SCENE.replace("stacks and a ball", "a\\27[2Jb"))
        result = self.call("run", self.scene, "-o", "a.h5", "--until", "0.01")
        self.assertIn("a?[2Jb", result.stdout)
        self.assertIn("a?[2Jb", self.call("info", "a.h5").stdout)
        self.assertNotIn("\x1b", result.stdout + self.call("info", "a.h5").stdout)

    def test_names_do_not_reach_the_terminal(self):
        """Control characters of file names and bodies are not printed, and headings are no formulas."""
        with open(self.scene, "w") as file:
            file.write(SCENE.replace('"ball"', '"=ball\\27[2J\\u{9b}2J"'))
        name = "a\x1b[2J\u009b2J.h5"
        said = self.call("run", self.scene, "-o", name, "--until", "0.01")
        for text in (said.stdout, said.stderr, self.call("info", name).stdout, self.call("repair", name).stdout):
            self.assertNotIn("\x1b", text)
            self.assertNotIn("\u009b", text)
        with open(self.path(name.replace(".h5", ".csv"))) as file:
            self.assertIn(",'=ball", file.readline())
        self.call("export", name, "--csv", "=ball\x1b[2J\u009b2J.position", "-o", "b.csv")
        with open(self.path("b.csv")) as file:
            self.assertTrue(file.readline().startswith("'=ball"))

    def test_overflow(self):
        """Energies that are not finite are an outcome, with the step and the time, and no matter of files."""
        with open(self.scene, "w") as file:
            file.write(SCENE.replace("velocity = {4, 0, 1}", "velocity = {1e200, 0, 0}"))
        said = self.call("run", self.scene, "-o", "a.h5", code=UNSOLVED).stderr
        self.assertRegex(said, r"step \d+.*t = .*not finite|not finite.*t = ")
        self.assertNotIn("resume", said)
        self.call("info", "a.h5")

    def test_long_title(self):
        with open(self.scene, "w") as file:
            file.write(SCENE.replace('"stacks and a ball"', '(string.rep("x", 1001))'))
        self.assertIn("at most 1000 bytes", self.call("run", self.scene, code=INPUT).stderr)

    def test_names_of_results(self):
        """What is written beside a result never gets its name."""
        before = self.all_bytes()
        for name in ("z.csv", "z.snapshot", "z.xdmf", "z.live", "z", ".h", "h5", "z.h5.gz"):
            for words in ((), ("--force",)):
                said = self.call("run", self.scene, "-o", name, *words, "--until", "0.01", code=USAGE).stderr
                self.assertIn(f"{name}: the name of a result must end in .h5 or .hdf5", said)
        self.assertEqual(before, self.all_bytes())
        self.call("run", self.scene, "-o", "z.hdf5", "--until", "0.01")
        self.call("info", "z.hdf5")
        self.call("resume", "z.hdf5", "--until", "0.02")

    def test_results_are_no_problems(self):
        """Commands for problems say what the file is instead."""
        self.call("run", self.scene, "-o", "a.h5", "--until", "0.01")
        for command in ("solve", "existence", "enumerate"):
            self.assertIn("is the result of a run, not a problem", self.call(command, "a.h5", code=INPUT).stderr)

    def test_loads_of_fixed_bodies(self):
        for word in ("force", "torque"):
            with open(self.scene, "w") as file:
                file.write(SCENE + '\nbody{kind = "fixed", %s = {1, 0, 0}, shape = shape.sphere{radius = 1}}\n' % word)
            self.assertIn("a force or torque on a fixed body does nothing", self.call("run", self.scene, code=INPUT).stderr)

    def test_what_is_next(self):
        """The commands that a run proposes can be given to a shell as they are."""
        for name in ("plain.h5", "it's two words; $HOME.h5"):
            said = self.call("run", self.scene, "-o", name, "--until", "0.01").stdout
            line = re.search(r"^next: stiction view (.*), info .*, or export .* for ParaView$", said, re.M)
            self.assertEqual(shlex.split(line.group(1)), [name])

    def test_until(self):
        """Another end of the run: checks stay where the scene has them."""
        with open(self.scene, "a") as file:
            file.write("""check{name = "end", quantity = "position", body = "floor", component = "x",
      value = 0, tolerance = 1e-9, source = "it is fixed"}
check{name = "late", quantity = "position", body = "floor", component = "x", at = 0.3,
      value = 0, tolerance = 1e-9, source = "it is fixed"}
""")
        def checks(*words):
            text = self.call("run", self.scene, "--json", *words).stdout
            return [c["name"] for c in json.loads(text.splitlines()[-1])["checks"]]
        self.assertEqual(checks(), [None, "end", "late"])
        self.assertEqual(checks("--until", "0.35"), ["late"])
        self.assertEqual(checks("--until", "0.45"), [None, "end", "late"])
        # and so they do when a run is taken up to last longer
        self.call("run", self.scene, "-o", "u.h5", "--until", "0.2")
        text = self.call("resume", "u.h5", "--until", "0.45", "--json").stdout
        self.assertEqual([c["name"] for c in json.loads(text.splitlines()[-1])["checks"]],
                         [None, "end", "late"])

    def test_accuracy(self):
        """A level, a tolerance of the scene, and what the command line says about both."""
        with open(self.scene) as file:
            source = file.read()
        with open(self.scene, "w") as file:
            file.write(source.replace("solver{name = \"auto\", tolerance = 1e-9}\n", ""))
        def end(*words, code=DONE):
            line = json.loads(self.call("run", self.scene, "--json", *words,
                                        code=code).stdout.splitlines()[-1])
            return line["accuracy"], line["tolerance"], line["hash"]
        self.assertEqual(end()[:2], ("standard", 0))
        for level in ("preview", "standard", "strict"):
            self.assertEqual(end("--accuracy", level)[:2], (level, 0))
        self.assertEqual(end("--accuracy", "standard")[2], end()[2])
        self.assertEqual(end("--set", "solver.tolerance=1e-6")[:2], ("tolerance", 1e-6))
        with open(self.scene, "w") as file:
            file.write(source)
        self.assertEqual(end()[:2], ("tolerance", 1e-9))
        self.assertEqual(end("--accuracy", "preview")[:2], ("preview", 0))
        self.assertEqual(end("--accuracy", "preview", "--set", "solver.tolerance=1e-6")[:2],
                         ("tolerance", 1e-6))
        text = self.call("run", self.scene, "--accuracy", "strict").stdout
        self.assertIn("strict: errors of 1e-08 in motion, creep of 1e-12 of the size", text)
        # schemes whose problems do not tell what rests have one tolerance
        for scheme in ("event", "relaxed"):
            text = self.call("run", self.scene, "--accuracy", "standard", "--set", f"scheme={scheme}", "--until", "0.01").stdout
            self.assertIn("standard: a tolerance of 1e-08 in every step", text)
        result = self.call("run", self.scene, "--accuracy", "strickt", code=USAGE)
        self.assertIn("strict", result.stderr)

    def test_print(self):
        """What a scene prints is shown with its line, beside the results."""
        with open(self.scene, "a+") as file:
            file.write('\nprint("mass", 3, 0.5, true)\n')
            file.seek(0)
            line = file.read().count("\n")
        result = self.call("run", self.scene, "--until", "0.01")
        self.assertRegex(result.stderr, rf"scene.lua:{line}: mass 3 0.5 true\n")
        self.assertNotIn("mass 3", result.stdout)

    def test_actuator(self):
        """The force of a joint, constant and over time: m x'' = F on a slider without gravity."""
        text = ('gravity{0, 0, 0}\nbody{name = "b", mass = 2, shape = shape.sphere{radius = 0.1}}\n'
                'joint.slider{name = "s", a = "b", axis = {1, 0, 0}, force = %s}\n'
                'history{name = "x", quantity = "coordinate", joint = "s"}\nrun{step = 1e-3, duration = 0.5}\n')
        for force, end in (("4", 2 * 0.5**2 / 2), ("function(t) return 12 * t end", 0.5**3)):
            with open(self.scene, "w") as file:
                file.write(text % force)
            for scheme in ("moreau", "consistent", "event"):
                self.call("run", self.scene, "-o", "f.h5", "--force", "--set", f"scheme={scheme}")
                with open(self.path("f.csv")) as file:
                    x = float(file.read().splitlines()[-1].split(",")[1])
                # the middle of each step: h^2/24 of the third derivative, over the run
                self.assertAlmostEqual(x, end, delta=1e-6, msg=f"{scheme} {force}")
        with open(self.scene, "w") as file:
            file.write(text.replace("slider", "point").replace("axis = {1, 0, 0}, ", "") % "4")
        self.assertIn("has no coordinate", self.call("run", self.scene, code=INPUT).stderr)

    def test_problems_and_existence(self):
        """Dumped problems are those that were solved; verdicts are stored."""
        path = self.run_scene("p.h5", "--dump-problems", "every 100", "--existence", "always",
                              "--until", "0.2")
        dumps = sorted(glob.glob(self.path("p.step-*.h5")))
        self.assertEqual([os.path.basename(d) for d in dumps],
                         ["p.step-000100.h5", "p.step-000200.h5"])
        for dump in dumps:
            info = json.loads(self.call("info", "--json", dump).stdout)
            self.assertTrue(info["solution"])
            self.assertLess(info["error_unit_free"], 1e-7)
            row = json.loads(self.call("solve", "--json", dump).stdout.splitlines()[0])
            self.assertEqual(row["outcome"], "solved")
        with h5py.File(path) as file:
            names = file["steps/existence"].attrs["names"].decode().split()
            seen = {names[v] for v in file["steps/existence"][()]}
        print("  verdicts:", ", ".join(sorted(seen)))
        self.assertTrue(seen & {"exists-robust", "exists-borderline"})
        self.assertNotIn("none", seen)

    def test_problems_of_elastic_bodies(self):
        """Problems with a sparse M and contacts of a node with the nodes of a face are dumped and solved again."""
        with open(self.path("bars.lua"), "w", encoding="utf-8") as file:
            file.write("""gravity{0, 0, 0}
                for k, v in ipairs{1, 0} do
                    body{name = "bar" .. k, kind = "elastic", position = {k, 0, 0}, velocity = {v, 0, 0},
                         shape = shape.box{size = {1, 0.1, 0.1}}, cells = {4, k, k}, young = 1e9, poisson = 0}
                end
                scheme "theta"
                run{step = 1e-4, duration = 4e-4}""")
        self.call("run", "bars.lua", "--dump-problems", "every 2")
        dump = self.path("bars.step-000002.h5")
        info = json.loads(self.call("info", "--json", dump).stdout)
        self.assertEqual((info["form"], info["contacts"]), ("global", 9))
        with h5py.File(dump) as file:
            H = file["fclib_global/H"]
            row, column, value = (H[name][()] for name in ("i", "p", "x"))
        # a shift of both bodies moves no contact, and a face has more nodes than one
        sums, nodes = {}, {}
        for r, c, x in zip(row, column, value):
            sums[c, r % 3] = sums.get((c, r % 3), 0.0) + x
            nodes.setdefault(c, set()).add(r // 3)
        self.assertLess(max(map(abs, sums.values())), 1e-14)
        self.assertGreater(max(map(len, nodes.values())), 2)
        answer = json.loads(self.call("solve", "--json", dump).stdout.splitlines()[0])
        self.assertEqual(answer["outcome"], "solved")

    def test_unsolved(self):
        """A step that is not solved stops the run with everything before it stored."""
        result = self.call("run", self.scene, "--set", "solver.max_iterations=1", "--set",
                           "solver.tolerance=1e-14", "--set", "run.policy=stop", "--dump-problems",
                           "when-hard",
                           code=UNSOLVED)
        self.assertIn("was not solved", result.stderr)
        self.assertIn("next: stiction resume scene.h5", result.stdout)
        info = json.loads(self.call("info", "--json", "scene.h5").stdout)
        self.assertGreaterEqual(info["frames"], 1)
        self.assertEqual(len(glob.glob(self.path("scene.step-*.h5"))), 1)
        self.assertIn("existence of a solution: exists-", result.stderr)
        end = json.loads(self.call("run", self.scene, "--set", "solver.max_iterations=1", "--set",
                                   "solver.tolerance=1e-14", "--set", "run.policy=stop", "--json",
                                   code=UNSOLVED).stdout.splitlines()[-1])
        self.assertEqual((end["reason"], end["outcome"], end["certificate"]),
                         ("unsolved", "iteration-limit", "witness"))

    def test_no_solution(self):
        """A ball is crushed (Acary and Cadoux 2013, 4.4): the outcome of these steps is no-solution, with
        its certificate, and of no others; without asking it is that of the solver."""
        scene = os.path.join(ROOT, "scenes/crushed-ball.lua")
        for words, outcome, verdict, kind in (((), "no-solution", "none", "multipliers-necessary"),
                                              (("--existence", "off"), None, "not-asked", "nothing")):
            path = self.path("crushed.h5")
            self.call("run", scene, "-o", path, "--force", *words, code=UNSOLVED)
            with h5py.File(path) as file:
                column = {name: [file["steps/" + name].attrs["names"].decode().split()[i]
                                 for i in file["steps/" + name][()]]
                          for name in ("outcome", "existence", "certificate")}
            rows = list(zip(column["outcome"], column["existence"], column["certificate"]))
            print("  ", {row: rows.count(row) for row in set(rows)})
            self.assertEqual(rows[:99], [("solved", "not-asked", "nothing")] * 99)
            outcome = outcome or rows[100][0]
            self.assertEqual(rows[99:], [(outcome, verdict, kind)] * 101)
            self.assertIn(outcome, ("no-solution",) if not words else ("iteration-limit", "diverged", "stalled"))
        result = self.call("run", scene, "-o", self.path("stopped.h5"), "--set", "run.policy=stop", "--json",
                           code=UNSOLVED)
        self.assertIn("it has no solution, as a certificate proves", result.stderr)
        self.assertIn("existence of a solution: none (multipliers-necessary)", result.stderr)
        end = json.loads(result.stdout.splitlines()[-1])
        self.assertEqual((end["reason"], end["outcome"], end["certificate"], end["steps"]),
                         ("unsolved", "no-solution", "multipliers-necessary", 99))


# boxes that overlap where they hit each other
HEAP = """material{name = "stone", density = 2000, friction = 0.4}
body{name = "floor", kind = "fixed", material = "stone", shape = shape.half_space{}}
for i = 1, 6 do
  body{name = "box" .. i, position = {0.04 * (i % 2), 0.02 * (i % 3), 0.15 + 0.3 * (i - 1)},
       orientation = {axis = {1, 1, 0}, angle = 0.3 * i}, material = "stone",
       shape = shape.box{size = {0.3, 0.25, 0.2}}}
end
scheme "koziara"
run{step = 2e-3, duration = 4}
output{every = 100}
"""


class Policies(Case):
    """What happens to a step that is not solved, and that it can be seen in summary and result."""

    def setUp(self):
        super().setUp()
        with open(self.scene, "w") as file:
            file.write(CORNER)

    def try_policy(self, policy, code=DONE):
        words = ("run", self.scene, "-o", "p.h5", "--force", "--set", f"run.policy={policy}")
        text = self.call(*words, code=code)
        end = json.loads(self.call(*words, "--json", code=code).stdout.splitlines()[-1])
        info = json.loads(self.call("info", "--json", "p.h5").stdout)
        with h5py.File(self.path("p.h5")) as file:
            steps = {name: file["steps/" + name][()] for name in
                     ("outcome", "method", "substeps", "error")}
            for name in ("outcome", "method"):
                names = file["steps/" + name].attrs["names"].decode().split()
                steps[name] = [names[k] for k in steps[name]]
        return text, end, info, steps

    def test_stop(self):
        text, end, info, steps = self.try_policy("stop", code=UNSOLVED)
        self.assertIn("the step from t = 0 was not solved: nsgs ended with iteration-limit",
                      text.stderr)
        self.assertEqual((end["reason"], end["steps"]), ("unsolved", 0))
        self.assertEqual((info["frames"], len(steps["outcome"])), (1, 0))

    def test_continue(self):
        text, end, info, steps = self.try_policy("continue", code=UNSOLVED)
        self.assertIn("missed in 1 of 5 steps, by a factor of ", text.stdout)
        self.assertEqual(end["reason"], "done")
        self.assertGreater(end["worst_ratio"], 1.0)
        self.assertEqual((end["unsolved"], end["retried"], end["halved"]), (1, 0, 0))
        self.assertEqual(info["unsolved"], 1)
        self.assertEqual(steps["outcome"], ["iteration-limit"] + ["solved"] * 4)
        self.assertGreater(steps["error"][0], 1e-9)
        self.assertIn("1 of 5", self.call("info", "p.h5").stdout)

    def test_retry(self):
        text, end, info, steps = self.try_policy("retry")
        self.assertIn("repaired: 0 steps by halving, 1 by the second solver", text.stdout)
        self.assertEqual((end["unsolved"], end["retried"], end["halved"]), (0, 1, 0))
        self.assertEqual(steps["outcome"], ["solved"] * 5)
        self.assertEqual(steps["method"][0], "prox-newton")
        self.assertNotIn("prox-newton", steps["method"][1:])
        self.assertLess(steps["error"].max(), 1e-9)

    def test_halve(self):
        text, end, info, steps = self.try_policy("halve")
        self.assertIn("repaired: 1 step by halving, 0 by the second solver", text.stdout)
        self.assertEqual((end["unsolved"], end["retried"], end["halved"]), (0, 0, 1))
        self.assertEqual(list(steps["substeps"]), [4, 1, 1, 1, 1])
        self.assertEqual(steps["outcome"], ["solved"] * 5)
        # no more parts than allowed: then it stops
        result = self.call("run", self.scene, "-o", "q.h5", "--set", "run.policy=halve", "--set",
                           "run.max_halvings=1", code=UNSOLVED)
        self.assertIn("was not solved", result.stderr)

    def test_adapt(self):
        """Halving repairs what it can; what it cannot is accepted and counted."""
        text, end, info, steps = self.try_policy("adapt")
        self.assertEqual((end["unsolved"], end["halved"], end["worst_ratio"]), (0, 1, 0))
        self.assertEqual(steps["outcome"], ["solved"] * 5)
        words = ("run", self.scene, "-f", "-o", "q.h5", "--set", "run.max_halvings=1")
        text = self.call(*words, code=UNSOLVED)
        self.assertIn("missed in 1 of 5 steps", text.stdout)
        end = json.loads(self.call(*words, "--json", code=UNSOLVED).stdout.splitlines()[-1])
        self.assertEqual((end["reason"], end["steps"], end["unsolved"], end["halved"]),
                         ("done", 5, 1, 0))
        # the step is the one that `continue` accepts
        self.call("run", self.scene, "-f", "-o", "p.h5", "--set", "run.policy=continue", code=UNSOLVED)
        with h5py.File(self.path("p.h5")) as p, h5py.File(self.path("q.h5")) as q:
            for name in ("outcome", "error", "substeps"):
                np.testing.assert_array_equal(p["steps/" + name][()], q["steps/" + name][()])

    def test_theta_closes_gaps_once(self):
        """A rod that slides on its tip, whose contact is a little open in most steps: what closes it
        must not add up over the iterations of a step."""
        with open(self.scene, "w") as file:
            file.write("""material{name = "m", density = 1000, friction = 1.5}
floor{material = "m"}
local angle = math.atan(2)
body{name = "rod", material = "m", mass = 1, inertia = {1/12, 1/12, 1e-4}, velocity = {-2, 0, 0},
     position = {math.cos(angle)/2, 0, math.sin(angle)/2 + 1e-3},
     orientation = {axis = {0, 1, 0}, angle = math.pi/2 - angle},
     shape = shape.capsule{radius = 1e-3, length = 1}}
scheme "theta"
solver "auto" {tolerance = 1e-10}
run{step = 1e-4, duration = 0.1, policy = "stop"}
""")
        end = json.loads(self.call("run", self.scene, "--json").stdout.splitlines()[-1])
        self.assertEqual((end["steps"], end["unsolved"]), (1000, 0))

    def test_retry_needs_a_second(self):
        with open(self.scene, "w") as file:
            file.write(CORNER.replace(', second = param("second", "prox-newton")', ""))
        result = self.call("run", self.scene, "--set", "run.policy=retry", code=INPUT)
        self.assertIn("needs a second solver", result.stderr)


class Notices(Case):
    """What a run has to say: once when it happens, folded at the end, in JSON and in the result."""

    ODD = """floor{}
body{name = "a", position = {0, 0, 0.5}, shape = shape.sphere{radius = 0.5}}
body{name = "b", position = {0.85, 0, 0.5}, shape = shape.sphere{radius = 0.5}}
body{name = "fast", position = {0, 5, 1}, velocity = {3000, 0, 0}, mass = 1, inertia = {1, 1, 1},
     shape = shape.sphere{radius = 0.1}}
check{quantity = "position", body = "a", component = "z", at = 5, value = 0, tolerance = 1, source = "none"}
"""
    # two boxes at rest, one on the other, in steps of 0.1 s
    BOXES = """material{name = "m", density = 1000, friction = 0.5}
floor{material = "m"}
body{name = "low", material = "m", position = {0, 0, 0.5}, shape = shape.box{size = {1, 1, 1}}}
body{name = "high", material = "m", position = {0.2, 0, 1.5}, shape = shape.box{size = {1, 1, 1}}}
scheme "koziara"
solver "auto" {tolerance = 1e-3, warm_start = false}
run{step = 0.1, duration = 2, projection = false}
"""
    CHAIN = """material{name = "m", density = 1000, friction = 0.5}
local last = nil
for i = 1, 20 do
  body{name = "k" .. i, material = "m", position = {0.1 * i - 0.05, 0, 0}, shape = shape.box{size = {0.1, 0.02, 0.02}}}
  joint.point{a = "k" .. i, b = last, point = {0.1 * (i - 1), 0, 0}}
  last = "k" .. i
end
run{step = 5e-3, duration = 2}
"""

    def write(self, text):
        with open(self.scene, "w") as file:
            file.write(text)

    def end(self, *words, code=DONE):
        """Notices of a run by their kinds, from its last line of JSON."""
        line = self.call(*words, "--json", code=code).stdout.splitlines()[-1]
        return {n["kind"]: n for n in json.loads(line)["notices"]}

    def notices(self, *words):
        """The same, and that text, JSON and result agree."""
        done = self.call("run", self.scene, "-f", "-o", "n.h5", *words)
        notices = self.end("run", self.scene, "-f", "-o", "n.h5", *words)
        info = json.loads(self.call("info", "--json", "n.h5").stdout)["notices"]
        self.assertEqual(info, [f"{k}: {n['text']}" for k, n in notices.items()])
        shown = self.call("info", "n.h5").stdout
        for notice in notices.values():
            self.assertIn(notice["text"], done.stdout)
            self.assertIn(notice["text"], shown)
        # said once as it comes, but for what is known at the end only
        early = done.stderr.count("stiction: note: ")
        self.assertEqual(early, len([k for k in notices if k != "unchecked"]), done.stderr)
        return notices

    def test_odd(self):
        self.write(self.ODD)
        notices = self.notices("--until", "0.2")
        self.assertEqual({k: n["count"] for k, n in notices.items()},
                         {"overlap": 1, "fast-body": 200, "left-scene": 1, "default-run": 1,
                          "default-density": 2, "default-friction": 3, "unchecked": 1})
        self.assertAlmostEqual(notices["overlap"]["worst"], 0.15, delta=1e-12)
        self.assertIn("(a and b)", notices["overlap"]["text"])
        # 3 m in a step of 1 ms, 0.2 m in diameter
        self.assertAlmostEqual(notices["fast-body"]["worst"], 15.0, delta=1e-3)
        self.assertIn("(fast)", notices["fast-body"]["text"])
        # the box of the start is longest in y, and is left ten times its length away
        extent = (5 + 0.2) - (0 - 1)
        self.assertAlmostEqual(notices["left-scene"]["first"], (0.85 + 1 + 10 * extent) / 3000, delta=1.1e-3)
        self.assertEqual((notices["default-density"]["worst"], notices["default-run"]["worst"]), (1000, 1e-3))

    def test_mended(self):
        """What is named is gone when it is mended."""
        self.write("material{name = \"m\", density = 2000, friction = 0.5}\n" + self.ODD.replace("0.85", "1.5")
                   .replace("radius = 0.5}}", "radius = 0.5}, material = \"m\"}").replace("3000", "30")
                   .replace("radius = 0.1}}", "radius = 0.1}, material = \"m\"}")
                   + "run{step = 1e-3, duration = 5}\n")
        self.assertEqual(list(self.notices("--until", "0.2")), ["unchecked"])
        self.assertEqual(list(self.notices("--set", "run.step=5e-3")), ["left-scene"])
        odd = self.notices("--set", "run.step=3e-3", "--until", "0.2")
        self.assertAlmostEqual(odd["remainder"]["worst"], 0.001, delta=1e-12)

    def test_tall(self):
        """What falls onto a floor far below stays in the scene; without a floor there is none to leave."""
        ball = """material{name = "m", friction = 0.3}
body{name = "ball", material = "m", position = {0, 0, 40}, mass = 1, inertia = {1, 1, 1}, shape = shape.sphere{radius = 0.1}}
run{step = 2e-3, duration = 3}
"""
        for text in ("floor{}\n" + ball, ball):
            self.write(text)
            self.assertEqual(self.notices(), {})

    def test_lost(self):
        """With the law on velocities the error of a solve opens gaps, and what rests falls freely for a step."""
        self.write(self.BOXES)
        lost = self.notices("--set", "run.law=velocity")["lost-contact"]
        fall = 9.81 * 0.1 ** 2 / 2
        print(f"  law on velocities: {lost['count']} lost, {lost['worst']:.3g} m deep; a free fall of a step is {fall:.3g} m")
        self.assertGreater(lost["count"], 0)
        self.assertGreater(lost["worst"], 0.1 * fall)
        # the law on gaps holds them at the accuracy of the default, and has nothing to say
        self.assertEqual(self.notices("--set", "solver.tolerance=0"), {})

    def test_bounced(self):
        """A corner of a soft box bounces, opens, and swings back within the next step: it is struck anew, and was not lost."""
        self.write("""material{name = "m", density = 1000, friction = 0, restitution = param("restitution", 0.8)}
floor{material = "m"}
local s, c = math.sin(0.2), math.cos(0.2)
body{name = "soft", kind = "pseudo_rigid", young = 1e6, poisson = 0.3, material = "m", shape = shape.box{size = {0.2, 0.2, 0.2}},
     position = {0, 0, 0.4}, orientation = {c, s * math.sqrt(0.2), s * math.sqrt(0.8), 0}, velocity = {0.5, 0, 0},
     angular_velocity = {1, 2, 3}}
scheme "consistent"
run{step = 0.005, duration = 0.65}
""")
        self.assertEqual(self.notices(), {})

    def test_open_joint(self):
        self.write(self.CHAIN)
        self.assertEqual(self.notices(), {})
        opened = self.notices("--set", "run.projection=false")["open-joint"]
        print(f"  chain without projection: {opened['text']}")
        self.assertGreater(opened["worst"], 1e-3)
        self.assertRegex(opened["text"], r"\(k\d+( and k\d+)?\)")

    def test_outside_limit(self):
        """A joint that begins outside its limits is named; one at its limit is not."""
        text = """body{name = "door", mass = 1, inertia = {1, 1, 1}}
joint{kind = "hinge", a = "door", b = "ground", point = {0, 0, 0}, axis = {0, 0, 1}, limit = {%s, 2}}
gravity{0, 0, 0}
scheme "moreau"
run{step = 1e-3, duration = 0.01}
"""
        self.write(text % "1")
        said = self.notices()["outside-limit"]
        print(f"  {said['text']}")
        self.assertEqual((said["count"], said["worst"]), (1, 1.0))
        self.assertIn("(door)", said["text"])
        self.write(text % "0")
        self.assertEqual(self.notices(), {})

    def test_renamed(self):
        self.write(self.CHAIN)
        self.call("run", self.scene, "--until", "0.01")
        renamed = self.end("run", self.scene, "--until", "0.01")
        self.assertEqual([k for k in renamed if k != "unchecked"], ["renamed"])
        info = json.loads(self.call("info", "--json", self.path("scene-2.h5")).stdout)["notices"]
        self.assertEqual(len([n for n in info if n.startswith("renamed: ")]), 1)

    def test_names(self):
        """A name cannot make lines of its own."""
        self.write(self.ODD.replace('"a"', '"a\\nfast-body: b"'))
        notices = self.notices("--until", "0.01")
        self.assertIn("(a fast-body: b and b)", notices["overlap"]["text"])

    def test_resumed(self):
        """A run that was taken up says at its end what one in one piece says, and nothing twice as it comes."""
        self.write(self.ODD + "run{step = 1e-3, duration = 0.2}\n"
                   "check{name = \"early\", quantity = \"position\", body = \"a\", component = \"z\", at = 0.05,"
                   " value = 0.5, tolerance = 1, source = \"none\"}\n"
                   "check{name = \"high\", quantity = \"position\", body = \"a\", component = \"z\", reduction = \"most\","
                   " at = 0.15, value = 0.5, tolerance = 1, source = \"none\"}\n")
        whole = self.end("run", self.scene, "-o", "whole.h5")
        part = self.call("run", self.scene, "-o", "part.h5", "--until", "0.1")
        self.assertEqual(part.stdout.count("check  "), 1)
        rest = self.call("resume", "part.h5", "--until", "0.2")
        self.assertIn("early: skipped, its time was before the resume at t = 0.1 s", rest.stdout)
        self.assertIn("high: skipped, its values before the resume at t = 0.1 s are not known", rest.stdout)
        self.assertNotIn("stiction: note: ", rest.stderr)
        a, b = (json.loads(self.call("info", "--json", path).stdout)["notices"]
                for path in ("part.h5", "whole.h5"))
        self.assertEqual([n for n in a if "unchecked" not in n], [n for n in b if "unchecked" not in n])
        # at = 5 in both; the largest value cannot be known of the one that was taken up
        self.assertEqual(whole["unchecked"]["count"], 1)
        self.assertIn(": 2", [n for n in a if "unchecked" in n][0])

    def test_functions_end(self):
        """Whatever a Lua function of time gives ends where it was sampled, and no run goes on beyond that."""
        arm = 'gravity{0, 0, 0}\nlocal f = function(t) return 3 * t end\n' \
              'body{name = "arm", mass = 2, inertia = {0.1, 0.1, 0.1}, position = {9, 0, 0}%s}\n%s\n' \
              'scheme "%s"\nrun{step = 5e-3, duration = 1}\n'
        moved = 'body{kind = "prescribed", shape = shape.sphere{radius = 0.1}, %s}'
        for own, more in ((", force = {f, 0, 0}", ""),
                          ("", 'joint.hinge{a = "arm", axis = {0, 1, 0}, driven = true, speed = f}'),
                          ("", 'joint.slider{a = "arm", axis = {1, 0, 0}, force = f}'),
                          ("", moved % "displacement = {f, 0, 0}"),
                          ("", moved % "axis = {0, 0, 1}, angle = f")):
            for scheme in "consistent", "event":
                self.write(arm % (own, more, scheme))
                self.call("run", self.scene, "-f", "-o", "part.h5", "--until", "0.5")
                result = self.call("resume", "part.h5", "--until", "1", code=INPUT)
                self.assertIn("time function 1 is known until 0.5 s", result.stderr)

    def test_missed(self):
        """Steps that were not solved, in a run that is taken up again too."""
        self.write(CORNER)
        self.call("run", self.scene, "-o", "m.h5", "--set", "run.policy=continue", "--until", "0.03",
                  code=UNSOLVED)
        missed = self.end("resume", "m.h5", "--until", "0.05", code=UNSOLVED)["missed-steps"]
        self.assertEqual((missed["count"], missed["first"]), (1, 0))
        self.assertGreater(missed["worst"], 1)


class Colours(Case):
    SCENE = """material{name = "brick", colour = "#B5523b"}
body{name = "floor", kind = "fixed", shape = shape.half_space{}}
body{name = "a", material = "brick", position = {0, 0, 1}, shape = shape.sphere{radius = 0.1}}
body{name = "b", material = "brick", colour = COLOUR, position = {1, 0, 1},
     shape = shape.sphere{radius = 0.1}}
run{step = 0.01, duration = 0.02}
"""

    def write(self, colour):
        with open(self.scene, "w") as file:
            file.write(self.SCENE.replace("COLOUR", colour))

    def test_stored(self):
        """Colours of a scene are in its result, and in that of its stored definition."""
        none, brick = [0, 0, 0, 0], [0xb5, 0x52, 0x3b, 255]
        for colour, expected in (("{0, 0.5, 1}", [0, 128, 255, 255]), ('"#00ff7F"', [0, 255, 127, 255]),
                                 ('"#000000"', [0, 0, 0, 255]), ("nil", none)):
            self.write(colour)
            path = self.run_scene("a.h5")
            with h5py.File(path) as file:
                np.testing.assert_array_equal(file["bodies/colour"], [none, none, expected])
                np.testing.assert_array_equal(file["materials/colour"], [none, brick])
                text = file["scene/definition"][()]
            with open(self.path("again.lua"), "wb") as file:
                file.write(text)
            self.call("run", "again.lua", "-o", "b.h5", "--force")
            with h5py.File(self.path("b.h5")) as file:
                np.testing.assert_array_equal(file["bodies/colour"], [none, none, expected])
                self.assertEqual(file["scene/definition"][()], text)

    def test_refused(self):
        for colour in ('"red"', '"#12345"', '"#12345g"', '"12345678"', "{0, 1}", "{0, 1, 2}",
                       "{-0.1, 0, 0}", "{0, 0, 0 / 0}", "{0, 0, 0, 1}", "7", "true"):
            self.write(colour)
            said = self.call("run", self.scene, code=INPUT).stderr
            self.assertRegex(said, r"scene.lua:4: body 'b': colour = .* is not accepted; it must be a "
                                   r'text "#rrggbb", or red, green and blue in \[0, 1\]')


class Looks(Case):
    def test_stored(self):
        """Opacity and visibility of a scene are in its result, and in that of its stored definition."""
        with open(self.scene, "w") as file:
            file.write("""body{name = "plain", mass = 1, shape = shape.sphere{radius = 0.1}}
body{name = "glass", mass = 1, opacity = 0.25, position = {1, 0, 0}, shape = shape.sphere{radius = 0.1}}
body{name = "hidden", mass = 1, visible = false, position = {2, 0, 0}, shape = shape.sphere{radius = 0.1}}
run{step = 0.01, duration = 0.02}
""")
        with h5py.File(self.run_scene("a.h5")) as file:
            np.testing.assert_array_equal(file["bodies/look"], [[255, 1], [64, 1], [255, 0]])
            text = file["scene/definition"][()]
        self.assertEqual((text.count(b"opacity"), text.count(b"visible")), (1, 1))
        with open(self.path("again.lua"), "wb") as file:
            file.write(text)
        self.call("run", "again.lua", "-o", "b.h5", "--force")
        with h5py.File(self.path("b.h5")) as file:
            np.testing.assert_array_equal(file["bodies/look"], [[255, 1], [64, 1], [255, 0]])
            self.assertEqual(file["scene/definition"][()], text)

    def test_refused(self):
        """What a scene has in the wrong place is refused with the right one."""
        ball = "shape = shape.sphere{radius = 1}"
        for line, said in (
                ("body{opacity = 1.5, %s}" % ball, r"opacity = 1.5 is not accepted; it must be a number in \[0, 1\]"),
                ("body{visible = 1, %s}" % ball, r"visible = 1 is not accepted; it must be true or false"),
                ("body{density = 900, %s}" % ball, r"there is no field 'density'; it is one of material\{.*material = "),
                ("body{shape = shape.sphere{radius = 1, friction = 0.5}}", r"no field 'friction'; it is one of material"),
                ('scheme("theta", {theta = 0.6})', r'settings follow it in braces: scheme "theta" \{'),
                ("gravity(0, 0, -9.81)", r"gravity takes one table, not 3 values: gravity\{")):
            with open(self.scene, "w") as file:
                file.write(line)
            self.assertRegex(self.call("run", self.scene, code=INPUT).stderr, "scene.lua:1: .*" + said)


# a bar glued to a hub whose angle is a function: it holds until m w^2 r and the moment of the
# acceleration are what the joint carries; velocities that jump at every step would break it at once
HUB = """local w0, alpha = 9.5, 1
local b, l = 0.1, 0.4
local m, r, s = 1000 * b * b * l, 0.5 * (b + l), 0.5 * l
local c = 100
gravity{0, 0, 0}
material{name = "glued", density = 1000, friction = 2, cohesion = c / (b * b)}
body{name = "hub", kind = "prescribed", material = "glued",
     shape = shape.box{size = {b, b, b}}, axis = {0, 0, 1},
     angle = function(t) return (w0 + 0.5 * alpha * t) * t end}
body{name = "bar", material = "glued", position = {r, 0, 0}, velocity = {0, w0 * r, 0},
     angular_velocity = {0, 0, w0}, shape = shape.box{size = {l, b, b}}}
scheme "koziara" {rotation = "new3"}
solver "auto" {tolerance = 1e-10}
run{step = 5e-4, duration = 0.6}
local inertia = m * (l * l + b * b) / 12
local w = math.sqrt((c - 2 * (inertia + m * r * s) * alpha / b) / (m * r))
local flown = 0.6 - (w - w0) / alpha
check{name = "held at first", quantity = "position", body = "bar", component = "length",
      at = 0.2, value = r, tolerance = 1e-5, source = "it turns with the hub"}
check{name = "thrown off at its strength", quantity = "position", body = "bar",
      component = "length", value = math.sqrt(r * r + (w * r * flown) * (w * r * flown)),
      tolerance = 0.01, source = "equilibrium of the joint"}
"""


class Motions(Case):
    def test_function(self):
        with open(self.scene, "w") as file:
            file.write(HUB)
        text = self.call("run", self.scene).stdout
        print("\n".join(line for line in text.splitlines() if "check" in line))
        self.assertEqual(text.count("passed"), 2)


class Correction(Case):
    def test_penetration(self):
        """Overlaps of impacts with the law on velocities stay as they are, or are taken back where that is asked for."""
        with open(self.scene, "w") as file:
            file.write(HEAP)
        depth = {}
        for rate in (0, 0.2):
            words = ("run", self.scene, "-o", "c.h5", "-f", "--set", f"run.correction={rate}",
                     "--set", "run.allowance=1e-4", "--set", "run.law=velocity")
            text = self.call(*words).stdout
            end = json.loads(self.call(*words, "--json").stdout.splitlines()[-1])
            with h5py.File(self.path("c.h5")) as file:
                deep = file["steps/penetration"][()]
                ledger = file["steps/ledger"][()]
                names = file["steps/ledger"].attrs["names"].decode().split()
                work = ledger[:, names.index("correction")].sum()
            depth[rate] = [deep[k:k + 500].max() for k in range(0, 2000, 500)]
            print(f"  rate {rate}: deepest in each second", *(f"{d:.4e}" for d in depth[rate]),
                  f"m, correction {work:.4g} J")
            # at rest nothing sinks: not by more than what the tolerance of the solver lets pass
            self.assertLess(depth[rate][3], depth[rate][2] * (1 + 1e-6))
            np.testing.assert_allclose(end["ledger"]["correction"], work, rtol=1e-12, atol=1e-12)
            self.assertEqual(end["uncorrected"], 0)
            if rate == 0:
                self.assertEqual(work, 0.0)
                self.assertNotIn("correction", text)
            else:
                self.assertGreater(work, 0.0)
                self.assertIn(f"correction  {work:.4g} J put in by position correction "
                              "(0.2 of what is beyond 0.0001 m); not solved in 0 steps", text)
        self.assertLess(depth[0.2][3], 1.0001e-4)
        self.assertGreater(depth[0][3], 100 * depth[0.2][3])
        for value, sentence in (("1.5", "in [-1, 1]"), ("-2", "in [-1, 1]"), ("x", "number")):
            said = self.call("run", self.scene, "--set", f"run.correction={value}", code=USAGE)
            self.assertIn(sentence, said.stderr)


class Peers(Case):
    def test_meshio(self):
        import meshio
        path = self.run_scene("m.h5", "--set", "output.xdmf=true")
        with h5py.File(path) as file:
            times, faces = file["frames/time"][()], file["shapes/face_count"][()].sum()
        with meshio.xdmf.TimeSeriesReader(self.path("m.xdmf")) as reader:
            points, cells = reader.read_points_cells()
            self.assertEqual(reader.num_steps, len(times))
            self.assertEqual(len(cells[0].data), faces + 2)  # and a square for the floor
            t, point_data, cell_data = reader.read_data(60)
            self.assertEqual(t, times[60])
            self.assertEqual(point_data["velocity"].shape, points.shape)
            # the ball's vertices stay on its sphere
            with h5py.File(path) as file:
                ball = [n.decode() for n in file["bodies/name"][()]].index("ball")
                centre = file["motion/position"][60, ball]
            mine = np.unique(cells[0].data[cell_data["body"][0] == ball])
            radius = np.linalg.norm((points + point_data["displacement"])[mine] - centre, axis=1)
            np.testing.assert_allclose(radius, 0.15, atol=1e-5)
        with meshio.xdmf.TimeSeriesReader(self.path("m.contacts.xdmf")) as reader:
            reader.read_points_cells()
            t, point_data, _ = reader.read_data(60)
            with h5py.File(path) as file:
                begin, count = file["frames/contact_begin"][60], file["frames/contact_count"][60]
                np.testing.assert_allclose(point_data["force"],
                                           file["contacts/force"][begin:begin + count], rtol=1e-6)

    def test_deformable(self):
        """Gradients move the vertices of the export, stresses are those of St Venant-Kirchhoff."""
        young, poisson = 1e5, 0.3
        with open(self.scene, "w") as file:
            file.write(f"""material{{name = "rubber", density = 1000, friction = 0.5}}
body{{name = "floor", kind = "fixed", material = "rubber", shape = shape.half_space{{}}}}
body{{name = "soft", kind = "pseudo_rigid", young = {young}, poisson = {poisson},
     position = {{0, 0, 0.12}}, angular_velocity = {{1, 2, 0}}, material = "rubber",
     shape = shape.box{{size = {{0.3, 0.3, 0.2}}}}}}
scheme{{name = "koziara"}}
run{{step = 0.0005, duration = 0.1}}
output{{xdmf = true}}
""")
        path = self.run_scene("soft.h5")
        with h5py.File(path) as file, h5py.File(self.path("soft.xdmf.h5")) as export:
            F = file["motion/F"][()].reshape(-1, 3, 3)
            stress = file["motion/stress"][()].reshape(-1, 3, 3)
            lame = young * poisson / (1 + poisson) / (1 - 2 * poisson)
            E = 0.5 * (np.einsum("kji,kjl->kil", F, F) - np.eye(3))
            S = lame * np.trace(E, axis1=1, axis2=2)[:, None, None] * np.eye(3) \
                + young / (1 + poisson) * E
            expected = F @ S @ F.transpose(0, 2, 1) / np.linalg.det(F)[:, None, None]
            error = np.abs(stress - expected).max() / np.abs(expected).max()
            print(f"  stress up to {np.abs(stress).max():.0f} Pa, formula met to {error:.1e}")
            self.assertLess(error, 1e-10)
            vertex = file["shapes/vertex"][()]
            moved = file["motion/position"][20, 1] + vertex @ F[20].T
            points = export["frame000020/points"][()]
            np.testing.assert_allclose(points[:len(vertex)], moved, atol=1e-6)
            self.assertEqual(export["frame000020/stress"].shape[1], 9)

    def test_elastic(self):
        """A block of finite elements that is held below and pulled above: uniform strain and stress, in the result and in
        the export, for boxes and for elements of a mesh."""
        young, pull, half = 1e6, 1e4, 0.5
        tetrahedra = """shape.compound{points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}},
            elements = {{1, 2, 4, 8}, {1, 4, 3, 8}, {1, 3, 7, 8}, {1, 7, 5, 8}, {1, 5, 6, 8}, {1, 6, 2, 8}}}"""
        for shape, cells, low in (("shape.box{size = {1, 1, 1}}", 'cells = {2, 3, 4}, cell = "hex8",', -half),
                                  ("shape.box{size = {1, 1, 1}}", 'cells = {1, 2, 2}, cell = "tet10",', -half),
                                  (tetrahedra, 'cell = "tet4",', 0.0)):
            with open(self.scene, "w") as file:
                file.write(f"""gravity{{0, 0, 0}}
material{{name = "rubber", density = 1000, friction = 0.5}}
body{{name = "soft", kind = "elastic", young = {young}, poisson = 0, energy = "linear", material = "rubber", {cells}
     position = {{1, 2, 3}}, shape = {shape}, hold = {{{{-1, -1, {low}}}, {{1, 1, {low}}}}}}}
load{{body = "soft", face = {{0, 0, 1}}, traction = {{0, 0, {pull}}}}}
scheme "quasi-static" {{inertia = "none"}}
run{{step = 1, duration = 1}}
output{{xdmf = true}}
""")
            path = self.run_scene("soft.h5")
            with h5py.File(path) as file, h5py.File(self.path("soft.xdmf.h5")) as export:
                self.assertEqual(file["shapes/moving"][0], 0)
                vertex, moved = file["shapes/vertex"][()], file["motion/vertex"][-1]
                expected = np.array([1, 2, 3]) + vertex
                expected[:, 2] += pull / young * (vertex[:, 2] - low)
                error = np.abs(moved - expected).max() / (pull / young)
                stress = file["motion/stress"][-1].reshape(3, 3)
                print(f"  {len(vertex)} vertices, strain met to {error:.1e}, stress to {abs(stress[2, 2] / pull - 1):.1e}")
                self.assertLess(error, 1e-10)
                np.testing.assert_allclose(stress, np.diag([0, 0, pull]), atol=1e-8 * pull)
                np.testing.assert_allclose(export["frame000001/points"][:len(vertex)], moved, atol=1e-6)

    @unittest.skipUnless(shutil.which("pvpython"), "pvpython is absent")
    def test_paraview(self):
        path = self.run_scene("v.h5")
        self.call("export", path)
        script = self.path("open.py")
        with open(script, "w") as file:
            file.write("""
import sys
from paraview.simple import Xdmf3ReaderT, XDMFReader
from paraview import servermanager
for name in sys.argv[1:]:
    for reader in (Xdmf3ReaderT(FileName=[name]), XDMFReader(FileNames=[name])):
        reader.UpdatePipelineInformation()
        times = list(reader.TimestepValues)
        reader.UpdatePipeline(times[60])
        data = servermanager.Fetch(reader)
        arrays = [data.GetPointData().GetArrayName(i)
                  for i in range(data.GetPointData().GetNumberOfArrays())]
        print("SEEN", len(times), data.GetNumberOfPoints(), ",".join(sorted(arrays)))
""")
        result = subprocess.run(["pvpython", script, self.path("v.xdmf"),
                                 self.path("v.contacts.xdmf")], stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, timeout=120, check=False)
        seen = [line.split() for line in result.stdout.splitlines() if line.startswith("SEEN")]
        self.assertEqual(len(seen), 4, result.stdout)
        with h5py.File(path) as file:
            contacts = file["frames/contact_count"][60]
            vertices = file["shapes/vertex_count"][()].sum() + 4
        for k, line in enumerate(seen):
            self.assertEqual(int(line[1]), 101)
            self.assertEqual(int(line[2]), vertices if k < 2 else contacts)
            self.assertIn("velocity" if k < 2 else "force", line[3])

    def test_csv(self):
        path = self.run_scene("c.h5")
        self.call("export", path, "--csv", "time,box11.position,ball.force,energy")
        with open(self.path("c.frames.csv")) as file:
            rows = list(csv.DictReader(file))
        with h5py.File(path) as file:
            row = [n.decode() for n in file["bodies/name"][()]].index("box11")
            x = file["motion/position"][:, row, 2]
        self.assertEqual([float(r["box11.position.z"]) for r in rows], list(x))
        result = self.call("export", path, "--csv", "nothing.position", "--force", code=USAGE)
        self.assertIn("no body 'nothing'", result.stderr)

    def test_names_in_other_formats(self):
        """Names of bodies, histories and files may hold what CSV and XML give a meaning to."""
        name = 'a, "b" <c> & d'
        with open(self.scene, "w") as file:
            file.write(SCENE + f"""
body{{name = [[{name}]], mass = 1, position = {{0, 5, 1}}, shape = shape.sphere{{radius = 0.1}}}}
history{{quantity = "position", body = [[{name}]], component = "z"}}
history{{name = "two\\nlines", quantity = "position", body = "ball", component = "z"}}
""")
        path = self.run_scene("a & b <c>.h5", "--until", "0.1")
        with open(self.path("a & b <c>.csv"), newline="") as file:
            rows = list(csv.reader(file))
        self.assertEqual(rows[0], ["time", "ball.velocity.x", f"{name}.position.z", "two lines"])
        self.assertEqual({len(row) for row in rows}, {4})
        self.assertEqual(len(rows), 27)
        self.call("export", path)
        for ending in (".xdmf", ".contacts.xdmf"):
            root = xml.etree.ElementTree.parse(self.path("a & b <c>" + ending)).getroot()
            items = [item.text.split(":") for item in root.iter("DataItem")]
            self.assertTrue(items)
            with h5py.File(self.path(items[0][0])) as file:
                for data, item in items:
                    self.assertEqual(data, "a & b <c>.xdmf.h5")
                    self.assertIn(item, file)
        # histories are not mixed with what export writes, and not with another table of that name
        self.call("export", path, "--csv", "time,energy")
        with open(self.path("a & b <c>.csv"), newline="") as file:
            self.assertEqual(list(csv.reader(file)), rows)
        self.call("resume", path, "--until", "0.2")
        with open(self.path("a & b <c>.csv"), newline="") as file:
            longer = list(csv.reader(file))
        self.assertEqual(longer[:27], rows)
        self.assertEqual(len(longer), 52)
        self.call("export", path, "--csv", "time,energy", "-o", "a & b <c>.csv", "--force")
        self.call("resume", path, "--until", "0.3")
        with open(self.path("a & b <c>.csv"), newline="") as file:
            self.assertEqual(next(csv.reader(file)), rows[0])


class Gallery(Case):
    def test_resume(self):
        """Every shipped scene can be stopped and resumed with the same bits."""
        scenes = sorted(glob.glob(os.path.join(ROOT, "scenes", "*.lua")))
        self.assertGreater(len(scenes), 20)
        with_world = 0
        for scene in scenes:
            with open(scene) as file:
                steps = re.findall(r"\bstep = ([0-9.e-]+)", file.read())
            step = float(steps[0]) if steps else 1e-3
            half, whole = self.path("half.h5"), self.path("whole.h5")
            self.call("run", scene, "-o", half, "-f", "--until", repr(10 * step), cwd=self.folder)
            self.call("resume", half, "--until", repr(20 * step))
            self.call("run", scene, "-o", whole, "-f", "--until", repr(20 * step))
            a, b = (json.loads(self.call("info", "--json", path).stdout) for path in (half, whole))
            self.assertEqual((a["hash"], a["steps"]), (b["hash"], b["steps"]), scene)
            self.assertEqual(a["notices"], b["notices"], scene)
            with_world += b["bodies"] > 0
        print(f"  {len(scenes)} scenes, {with_world} with bodies")

    def test_quiet(self):
        """Shipped scenes give no notice but these: a ball that is crushed has no solution, and the law on velocities of
        the cradle's paper does not see a contact that is open in the middle of a step."""
        expected = {"crushed-ball": ["missed-steps"], "newtons-cradle": ["lost-contact"]}
        worst = (0.0, "")
        for scene in sorted(glob.glob(os.path.join(ROOT, "scenes", "*.lua"))):
            name = os.path.basename(scene)[:-4]
            end = json.loads(run("run", scene, "-o", self.path("q.h5"), "-f", "--json").stdout.splitlines()[-1])
            self.assertTrue(all(c["passed"] for c in end["checks"]), scene)
            self.assertEqual([n["kind"] for n in end["notices"]], expected.get(name, []), scene)
            # one increment from no load to the whole has no balance of energy
            if name != "elastic-beam":
                worst = max(worst, (end["energy_error"], name))
        print(f"  largest share of energy from integration: {worst[0]:.2g} ({worst[1]})")
        self.assertLess(worst[0], 2e-5)

    def test_existence(self):
        """Acary and Cadoux 2013, 4.4: a crushed ball has no solution, obstacles that move as one
        body leave one in every step."""
        expected = {"crushed-ball": ("0.2", {"exists-robust": 99, "none": 101}),
                    "funnel": ("0.6", None), "vibrating-plate": ("0.25", None),
                    "rotating-drum": ("0.5", None)}
        for name, (until, counts) in expected.items():
            path = self.path(name + ".h5")
            run("run", os.path.join(ROOT, "scenes", name + ".lua"), "-o", path, "--until", until,
                "--existence", "always")
            with h5py.File(path) as file:
                words = file["steps/existence"].attrs["names"].decode().split()
                verdict, interactions = file["steps/existence"][()], file["steps/interactions"][()]
            seen = {w: int((verdict == i).sum()) for i, w in enumerate(words) if i in verdict}
            print(f"  {name} to {until} s: {seen}")
            # who touches nothing is not asked about
            self.assertTrue(((verdict > 0) | (interactions == 0)).all())
            seen.pop("not-asked", None)
            if counts is not None:
                self.assertEqual(seen, counts)
            else:
                self.assertTrue(set(seen) <= {"exists-robust", "exists-borderline"})
                self.assertGreater(sum(seen.values()), 100)


class Breaks(Case):
    def start(self, path, *words):
        return subprocess.Popen([BIN, "run", self.scene, "-o", path, "--force", *words],
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, cwd=self.folder)

    def test_interrupt(self):
        """Ctrl-C finishes the step and says how to go on; the bits are those of an unbroken run."""
        whole, broken = self.run_scene("whole.h5"), self.path("broken.h5")
        for _ in range(5):  # it may end before this process has its turn
            process = self.start(broken)
            while not (os.path.exists(broken) and os.path.exists(self.path("broken.snapshot"))):
                time.sleep(0.001)
            time.sleep(0.02)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=30)
            if process.returncode != DONE:
                break
            os.remove(broken)
            os.remove(self.path("broken.snapshot"))
        self.assertEqual(process.returncode, UNSOLVED, out + err)
        self.assertIn("next: stiction resume", out)
        steps = json.loads(self.call("info", "--json", broken).stdout)["steps"]
        print(f"  interrupted after step {steps}")
        self.assertLess(steps, 400)
        self.call("resume", broken)
        self.assert_same(whole, broken)
        with open(self.path("whole.csv")) as a, open(self.path("broken.csv")) as b:
            self.assertEqual(a.read(), b.read())
        # without a snapshot a run is not begun anew, unless nothing but its start is stored
        start = self.path("start.h5")
        shutil.copy(whole, start)
        self.assertIn("start.snapshot", self.call("resume", start, code=INPUT).stderr)
        with h5py.File(start, "r+") as file:
            file["frames/complete"][0] = 1
            file["steps/complete"][0] = 0
        self.call("resume", start)
        self.assert_same(whole, start)
        # and a later end
        self.call("resume", broken, "--until", "0.5")
        longer = self.run_scene("longer.h5", "--until", "0.5")
        self.assert_same(longer, broken)

    def test_kill(self):
        """kill -9 at random moments: readable to the last complete frame, the same bits resumed."""
        length = math.inf
        for _ in range(3):  # the first one may wait for the disk
            begin = time.time()
            whole = self.run_scene("whole.h5")
            length = min(length, time.time() - begin)
        expected = contents(whole)
        generator = random.Random(7)
        least, most, marked, early = 101, 0, 0, 0
        for k in range(KILLS):
            path = self.path(f"k{k}.h5")
            process = self.start(path)
            time.sleep(generator.uniform(0.0, 1.1 * length))
            process.kill()
            process.communicate()
            if not os.path.exists(self.path(f"k{k}.snapshot")):
                early += 1  # killed before the start was stored: there is nothing to resume
                continue
            info = json.loads(self.call("info", "--json", path).stdout)
            marked += info["in_use"]
            frames = info["frames"]
            least, most = min(least, frames), max(most, frames)
            result = json.loads(self.call("repair", "--json", path).stdout)
            self.assertEqual(result["frames"], frames)
            with h5py.File(path, "r") as file:
                for name in ("frames/hash", "motion/position", "frames/energy"):
                    np.testing.assert_array_equal(file[name][()], expected[name][:frames])
                end = file["frames/contact_begin"][frames - 1] + \
                    file["frames/contact_count"][frames - 1]
                np.testing.assert_array_equal(file["contacts/force"][()],
                                              expected["contacts/force"][:end])
            self.call("resume", path)
            self.assert_same(whole, path)
            for name in glob.glob(self.path(f"k{k}.*")):
                os.remove(name)
        print(f"  {KILLS} kills: {marked} left marked, {early} before the first frame, frames "
              f"{least} to {most} of 101; all resumed to the same bits")
        self.assertGreater(marked, KILLS // 4)

    def test_torn_header(self):
        """Headers lie within 512 bytes, where a kill cannot tear them; a torn one ends at once."""
        path = self.path("torn.h5")
        process = self.start(path, "--until", "1000")
        while not os.path.exists(self.path("torn.snapshot")):
            time.sleep(0.001)
        # steps must be stored: those of a result without any are not looked at
        while json.loads(self.call("info", "--json", path).stdout)["steps"] == 0:
            time.sleep(0.01)
        process.kill()
        process.communicate()
        headers = {}
        with h5py.File(path, "r", swmr=True) as file:
            file.visititems(lambda name, item: headers.update({name: h5py.h5o.get_info(item.id)}))
        for name, header in headers.items():
            self.assertEqual(header.addr % 512, 0, name)
            self.assertLessEqual(header.hdr.space.total, 512, name)
        with open(path, "r+b") as file:
            file.seek(headers["steps/error"].addr + 100)
            byte = file.read(1)[0]
            file.seek(-1, os.SEEK_CUR)
            file.write(bytes([byte ^ 1]))
        begin = time.time()
        result = self.call("info", path, code=INPUT)
        self.assertIn("/steps/error cannot be opened, it is damaged", result.stderr)
        print(f"  {len(headers)} headers; torn one found in {time.time() - begin:.2f} s")
        self.assertLess(time.time() - begin, 30.0)

    def test_kill_without_repair(self):
        """resume alone clears the mark; a file that is being written is left alone."""
        whole, path = self.run_scene("whole.h5"), self.path("r.h5")
        process = self.start(path, "--until", "1000")
        while not os.path.exists(self.path("r.snapshot")):
            time.sleep(0.001)
        time.sleep(0.05)
        for command in ("repair", "resume"):
            result = self.call(command, path, code=INPUT)
            self.assertIn("being written by another process", result.stderr)
        self.call("info", path)
        process.kill()
        process.communicate()
        process = subprocess.Popen([BIN, "resume", path], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, cwd=self.folder)
        # from here on a signal ends it after a step
        self.assertIn(b"resumed at step", process.stderr.readline())
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)
        self.assertEqual(process.returncode, UNSOLVED)
        with h5py.File(whole) as a, h5py.File(path) as b:
            n = min(101, int(b["frames/complete"][0]) - 1)
            self.assertGreater(n, 10)
            np.testing.assert_array_equal(a["frames/hash"][:n], b["frames/hash"][:n])

    def test_unwritable(self):
        if os.geteuid() == 0:
            folder = "/proc"
        else:
            folder = self.path("locked")
            os.mkdir(folder)
            os.chmod(folder, stat.S_IRUSR | stat.S_IXUSR)
        result = self.call("run", self.scene, "-o", os.path.join(folder, "a.h5"), code=INPUT)
        self.assertIn("cannot be written", result.stderr)
        result = self.call("run", self.scene, "-o", self.path("none/a.h5"), code=INPUT)
        self.assertIn("No such file or directory", result.stderr)

    def test_full_disk(self):
        """A disk that fills up: message, a readable file, and the same bits once there is room."""
        disk = self.path("disk")
        os.mkdir(disk)
        if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=700k", "none",
                                                disk], check=False,
                                               stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("a small tmpfs cannot be mounted here")
        try:
            whole = self.run_scene("whole.h5", "--set", "output.every=1")
            path = os.path.join(disk, "f.h5")
            result = self.call("run", self.scene, "-o", path, "--set", "output.every=1",
                               code=INPUT)
            print("  " + result.stderr.strip().splitlines()[-2][-200:])
            self.assertIn("No space left on device", result.stderr)
            self.assertIn("stiction resume", result.stderr)
            self.assertNotIn("HDF5: infinite", result.stderr)
            info = json.loads(self.call("info", "--json", path).stdout)
            self.assertGreater(info["frames"], 2)
            with h5py.File(whole, "r") as file:
                hashes = file["frames/hash"][()]
            self.assertIn(int(info["hash"], 16), hashes)
            print(f"  {info['frames']} of 401 frames on the full disk")
            subprocess.run(["mount", "-o", "remount,size=64m", disk], check=True)
            self.call("resume", path)
            self.assert_same(whole, path)
        finally:
            subprocess.run(["umount", disk], check=False)


if __name__ == "__main__":
    unittest.main()

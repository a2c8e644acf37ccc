#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Exit codes of runs: every row of the table in docs/reference/cli.md has a test of its own.

    STICTION_BIN=build/release/bin/stiction tests/cli/test_exit_codes.py [-v] [Codes.test]
"""

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BIN = os.path.abspath(os.environ.get("STICTION_BIN", os.path.join(ROOT, "build/release/bin/stiction")))
DONE, UNSOLVED, USAGE, INPUT, INTERNAL = range(5)
POLICIES = ("stop", "retry", "halve", "continue", "adapt")

# a ball between a floor and a wall that hangs over: five sweeps do not solve its first step, but those of four parts
CORNER = """gravity{0, 0, 0}
material{name = "steel", density = 600, friction = 0, restitution = 0.9}
body{name = "floor", kind = "fixed", material = "steel", shape = shape.half_space{}}
body{name = "wall", kind = "fixed", material = "steel",
     shape = shape.half_space{normal = {-math.sqrt(3) / 2, 0, -0.5}, offset = -0.18087}}
body{name = "ball", material = "steel", position = {0, 0, 0.131}, velocity = {10, 0, -10},
     shape = shape.sphere{radius = 0.1}}
scheme{name = "moreau"}
solver{name = "nsgs", tolerance = 1e-9, max_iterations = 5, second = param("second", "prox-newton")}
run{step = 0.01, duration = 0.05, law = "velocity"}
"""

# a ball at rest; with the height of a check, the end and more as parameters
REST = """material{name = "m", density = 1000, friction = 0.5}
floor{material = "m"}
body{name = "ball", material = "m", position = {0, 0, 0.1}, velocity = {param("speed", 0), 0, 0},
     shape = shape.sphere{radius = 0.1}}
solver{name = "auto", second = "nsgs"}
run{step = 1e-3, duration = param("duration", 0.05)}
check{quantity = "position", body = "ball", component = "z", at = param("at", 0.05), value = param("height", 0.1),
      tolerance = 1e-9, source = "at rest"}
"""

# a box that spins freely; its energy is constant, and explicit gyroscopic terms make it grow
SPIN = """gravity{0, 0, 0}
material{name = "m", density = 1000, friction = 0.5}
body{name = "box", material = "m", position = {0, 0, 0}, angular_velocity = {0.3, 30, 0.3},
     shape = shape.box{size = {0.1, 0.2, 0.4}}}
scheme{name = "moreau", rotation = param("rotation", "explicit")}
solver{name = "auto", second = "nsgs"}
run{step = 5e-3, duration = 1, energy_alarm = param("alarm", 0.01)}
"""


class Codes(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="stiction-codes-")
        self.addCleanup(shutil.rmtree, self.folder)

    def run_it(self, code, *words, **options):
        done = subprocess.run([BIN, *words], cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=120, check=False, **options)
        self.assertEqual(done.returncode, code, f"{words}\n{done.stdout}\n{done.stderr}")
        return done

    def scene(self, text):
        path = os.path.join(self.folder, "scene.lua")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def both(self, code, text, *words):
        """A run in words and one in JSON: the texts of the first, and the end of the second."""
        scene = self.scene(text)
        said = self.run_it(code, "run", scene, "-f", "-o", "a.h5", *words)
        line = self.run_it(code, "run", scene, "-f", "-o", "a.h5", "--json", *words).stdout.splitlines()[-1]
        self.run_it(DONE, "info", "a.h5")
        return said, json.loads(line)

    @staticmethod
    def kinds(end):
        return [n["kind"] for n in end["notices"]]

    def test_option_values(self):
        """A value on the command line that does not fit is the caller's mistake, whatever it is about."""
        text = REST.replace('"speed", 0', '"speed", 0.5')
        for words, said in ((("run", "--param", "speed=abc"), "the parameter speed = 'abc' must be a number"),
                            (("run", "--param", "sped=3"), "did you mean 'speed'?"),
                            (("limit", "--vary", "load"), "no body has a force"),
                            (("limit", "--vary", "tilt", "--direction", "0,0,1"), "nothing to tilt to"),
                            (("limit", "--vary", "tlt"), "did you mean 'tilt'?"),
                            (("limit", "--vary", "tlt", "--between", "1:2"), "did you mean --vary tilt?")):
            done = self.run_it(USAGE, words[0], self.scene(text), *words[1:])
            self.assertIn(said, done.stderr)
            self.assertNotIn("scene.lua:", done.stderr.replace("scene.lua: ", ""))

    def test_input_before_output(self):
        """The first mistake is reported, not the name that is taken."""
        scene = self.scene(REST)
        self.run_it(DONE, "run", scene, "-o", "a.h5")
        for name in ("a.svg", "a.html", "scene.html", "scene.xdmf"):
            with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
                file.write("kept")
        self.assertIn("did you mean 'energy'", self.run_it(USAGE, "plot", "a.h5", "--what", "enrgy").stderr)
        for name in ("view", "export"):
            done = subprocess.run([BIN, name, scene], cwd=self.folder, capture_output=True, text=True, check=False)
            self.assertNotIn("exists", done.stderr)
            self.assertGreaterEqual(done.returncode, USAGE)
        self.assertIn("a.svg exists", self.run_it(USAGE, "plot", "a.h5").stderr)
        said = self.run_it(DONE, "export", "a.h5").stdout.split()
        self.assertEqual(said, ["a.xdmf", "a.contacts.xdmf", "a.xdmf.h5"])
        for name in said:
            self.assertTrue(os.path.exists(os.path.join(self.folder, name)))

    # every step was solved, reference values were met
    def test_done(self):
        for policy in POLICIES:
            _, end = self.both(DONE, REST, "--set", f"run.policy={policy}")
            self.assertEqual((end["reason"], end["unsolved"], self.kinds(end)), ("done", 0, []))
            self.assertTrue(end["checks"][0]["passed"])

    # a step missed, and its parts were solved
    def test_repaired_by_halving(self):
        for policy in ("adapt", "halve"):
            said, end = self.both(DONE, CORNER, "--set", f"run.policy={policy}")
            self.assertIn("repaired: 1 step by halving", said.stdout)
            self.assertEqual((end["reason"], end["unsolved"], end["halved"]), ("done", 0, 1))

    # a step missed, and the second solver solved it
    def test_repaired_by_second(self):
        said, end = self.both(DONE, CORNER, "--set", "run.policy=retry")
        self.assertIn("1 by the second solver", said.stdout)
        self.assertEqual((end["reason"], end["unsolved"], end["retried"]), ("done", 0, 1))

    # a step missed and was accepted
    def test_accepted(self):
        said, end = self.both(UNSOLVED, CORNER, "--set", "run.policy=continue")
        self.assertIn("missed in 1 of 5 steps", said.stdout)
        self.assertEqual((end["reason"], end["unsolved"], self.kinds(end)), ("done", 1, ["missed-steps"]))

    # a step missed, its parts too, and it was accepted
    def test_accepted_after_halving(self):
        said, end = self.both(UNSOLVED, CORNER, "--set", "run.policy=adapt", "--set", "run.max_halvings=1")
        self.assertIn("missed in 1 of 5 steps", said.stdout)
        self.assertEqual((end["reason"], end["unsolved"], end["steps"]), ("done", 1, 5))

    # the equations of `consistent` or `decomposed` were not solved, in the finest parts too, and the run stopped
    def test_stopped_in_parts(self):
        # 15000 rad in a step are more than two in a 1024th of it
        said, end = self.both(UNSOLVED, SPIN.replace("0.3, 30, 0.3", "0, 3e6, 0"), "--set", "scheme.name=decomposed")
        self.assertIn("has no steps of 2 rad and more", said.stderr)
        # nothing touches, and parts of steps were tried
        self.assertIn("a smaller run.step or another scheme may help", said.stderr)
        self.assertNotIn("run.policy=adapt", said.stderr)
        self.assertEqual((end["reason"], end["steps"]), ("unsolved", 0))

    # a step missed, and the run stopped
    def test_stopped(self):
        said, end = self.both(UNSOLVED, CORNER, "--set", "run.policy=stop")
        self.assertIn("was not solved", said.stderr)
        self.assertEqual((end["reason"], end["outcome"], end["steps"]), ("unsolved", "iteration-limit", 0))

    # a step missed, its parts too, and the run stopped
    def test_stopped_after_halving(self):
        said, end = self.both(UNSOLVED, CORNER, "--set", "run.policy=halve", "--set", "run.max_halvings=1")
        self.assertIn("was not solved", said.stderr)
        self.assertEqual((end["reason"], end["steps"]), ("unsolved", 0))

    # a step missed, for the second solver too, and the run stopped
    def test_stopped_after_second(self):
        said, end = self.both(UNSOLVED, CORNER, "--set", "run.policy=retry", "--param", "second=nsgs")
        self.assertIn("was not solved", said.stderr)
        self.assertEqual((end["reason"], end["steps"]), ("unsolved", 0))

    # a number is not finite
    def test_not_finite(self):
        for policy in POLICIES:
            # 1e160 squared is beyond double precision, 1e300 times the step is not
            for speed in ("1e160", "1e300"):
                said, end = self.both(UNSOLVED, REST, "--set", f"run.policy={policy}", "--param", f"speed={speed}")
                self.assertRegex(said.stderr, r"step 1, t = 0 s, body 'ball': .*not finite")
                self.assertNotIn("resume", said.stdout + said.stderr)
                self.assertEqual((end["reason"], end["steps"]), ("not-finite", 0))

    # a reference value was not met
    def test_check_failed(self):
        for policy in POLICIES:
            said, end = self.both(UNSOLVED, REST, "--param", "height=0.2", "--set", f"run.policy={policy}")
            self.assertIn("FAILED", said.stdout)
            self.assertEqual((end["reason"], [c["passed"] for c in end["checks"]]), ("done", [False]))

    # a reference value could not be judged
    def test_check_ahead(self):
        _, end = self.both(DONE, REST, "--param", "at=1", "--param", "height=0.2")
        self.assertEqual((self.kinds(end), end["checks"]), (["unchecked"], []))

    def interrupted(self, number, policy="adapt"):
        scene = self.scene(REST)
        process = subprocess.Popen([BIN, "run", scene, "-f", "-o", "i.h5", "--param", "duration=60", "--param", "at=60",
                                    "--set", f"run.policy={policy}"], cwd=self.folder, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertIn("step ", process.stderr.readline())
        process.send_signal(number)
        out, _ = process.communicate(timeout=60)
        return process.returncode, out

    # the run was interrupted (SIGINT, SIGTERM)
    def test_interrupted(self):
        for policy in POLICIES:
            for number in (signal.SIGINT, signal.SIGTERM):
                code, out = self.interrupted(number, policy)
                self.assertEqual(code, UNSOLVED)
                self.assertIn("next: stiction resume i.h5", out)
                self.assertIn("were not looked at: 1", out)

    # a run that was interrupted is resumed to its end
    def test_interrupted_then_resumed(self):
        self.assertEqual(self.interrupted(signal.SIGINT)[0], UNSOLVED)
        end = json.loads(self.run_it(DONE, "resume", "i.h5", "--json").stdout.splitlines()[-1])
        self.assertEqual((end["reason"], [c["passed"] for c in end["checks"]], self.kinds(end)), ("done", [True], []))

    # a run with steps that missed is resumed to its end
    def test_missed_then_resumed(self):
        for words in (("run.policy=continue",), ("run.policy=adapt", "run.max_halvings=1")):
            sets = [word for each in words for word in ("--set", each)]
            self.run_it(UNSOLVED, "run", self.scene(CORNER), "-f", "-o", "m.h5", "--until", "0.03", *sets)
            end = json.loads(self.run_it(UNSOLVED, "resume", "m.h5", "--until", "0.05",
                                         "--json").stdout.splitlines()[-1])
            self.assertEqual((end["steps"], end["unsolved"]), (5, 1))

    # energy alarm
    def test_energy_alarm(self):
        for policy in POLICIES:
            said, end = self.both(UNSOLVED, SPIN, "--set", f"run.policy={policy}")
            self.assertIn("energy alarm", said.stdout)
            self.assertEqual((end["reason"], end["unsolved"], self.kinds(end)), ("done", 0, ["energy-alarm"]))
        gain = end["ledger"]["kinetic"]
        # the kinetic energy at the end is the largest there was, and all that came is an error
        m, inertia = 1000 * 0.1 * 0.2 * 0.4, lambda a, b: (a * a + b * b) / 12
        start = m / 2 * (inertia(0.2, 0.4) * 0.3 ** 2 + inertia(0.1, 0.4) * 30 ** 2 + inertia(0.1, 0.2) * 0.3 ** 2)
        print(f"  {start:.4g} J became {start + gain:.4g} J; a share of {end['energy_error']:.4g}")
        self.assertAlmostEqual(end["energy_error"] / (gain / (start + gain)), 1, delta=1e-9)
        # two half turns keep it, and the alarm is silent
        _, end = self.both(DONE, SPIN, "--param", "rotation=halves")
        self.assertEqual((end["energy_error"] < 1e-12, self.kinds(end)), (True, []))

    # a solved step broke a promise of its scheme
    def test_broken_promise(self):
        # Newton is told to be content with anything; the policy adapt would make parts of such a step
        said, end = self.both(UNSOLVED, SPIN, "--set", "scheme.name=consistent", "--set", "scheme.newton_tolerance=1",
                              "--set", "run.energy_alarm=0", "--set", "run.policy=stop")
        self.assertIn("(broken)", said.stdout)
        self.assertEqual((end["reason"], end["unsolved"], end["broken_promises"]), ("done", 0, ["energy"]))
        self.assertEqual(self.kinds(end), ["broken-promise"])
        self.assertGreater(end["violation"]["energy"], 1e-8)

    # the same with `energy_alarm` 0 or false
    def test_energy_alarm_off(self):
        for off in ("0", "false"):
            _, end = self.both(DONE, SPIN, "--set", f"run.energy_alarm={off}")
            self.assertEqual((self.kinds(end), end["energy_alarm"]), ([], 0))
            _, end = self.both(DONE, SPIN.replace('param("alarm", 0.01)', off))
            self.assertEqual(self.kinds(end), [])
        # a share that this run stays below
        share = 2 * end["energy_error"]
        self.both(DONE, SPIN, "--set", f"run.energy_alarm={share}")
        said = self.run_it(INPUT, "run", self.scene(SPIN.replace('param("alarm", 0.01)', "true")))
        self.assertIn("a number >= 0, or false for 0", said.stderr)

    # the command line is wrong
    def test_usage(self):
        scene = self.scene(REST)
        for words in (("run",), ("run", scene, "--until", "-1"), ("run", scene, "--no-such"), ("resume", "a.h5", "b.h5")):
            self.run_it(USAGE, *words)

    # the scene is wrong, or refused by its scheme or solver
    def test_scene(self):
        said = self.run_it(INPUT, "run", self.scene(REST + "body{shape = 3}\n"))
        self.assertRegex(said.stderr, r"scene\.lua:\d+:")
        self.run_it(INPUT, "run", "none.lua")
        os.environ["STICTION_SCENES"] = os.path.join(ROOT, "scenes")
        try:
            self.assertIn("did you mean the scene 'arch'?", self.run_it(INPUT, "run", "arhc").stderr)
        finally:
            del os.environ["STICTION_SCENES"]
        # what the world refuses: the line of the statement, or the name of the body
        for bad, place in (("body{name = \"flat\", shape = shape.hull{points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}}}", r"scene\.lua:\d+: .*no volume"),
                           ("body{name = \"b\", mass = 1, shape = shape.sphere{radius = 1}}\njoint.rod{name = \"r\", a = \"b\", b = \"ground\"}",
                            r"scene\.lua:\d+: .*coincide"),
                           ("body{name = \"no\", mass = 1, inertia = {1, 1, 5}, shape = shape.sphere{radius = 1}}", r"body 'no': .*principal moments")):
            said = self.run_it(INPUT, "run", self.scene(REST + bad + "\n"))
            self.assertRegex(said.stderr, place)
        self.run_it(INPUT, "run", self.scene(CORNER.replace(', second = param("second", "prox-newton")', "")),
                    "--set", "run.policy=retry")

    # a step has a law that the solver does not handle
    def test_refused_in_a_step(self):
        text = REST.replace("check{", "--[[").replace('source = "at rest"}', "]]").replace('name = "auto"', 'name = "interior-point"') + (
            'joint.axial{a = "ball", point = {0, 0, 0.1}, axis = {1, 0, 0}, friction = 1}\n')
        done = self.run_it(INPUT, "run", self.scene(text), "-o", "a.h5")
        self.assertRegex(done.stderr, r"scene.lua: step 1, t = 0 s: interior-point does not handle the law 'interval'")
        self.run_it(DONE, "info", "a.h5")

    # the result cannot be written
    def test_unwritable(self):
        scene = self.scene(REST)
        for name in ("no-such-folder/a.h5", "/proc/a.h5"):
            self.run_it(INPUT, "run", scene, "-o", name)
        # a file may be 100 kB long: also with a reference value that is not met, the larger code counts
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))
        said = self.run_it(INPUT, "run", scene, "-o", "full.h5", "--param", "height=0.2", preexec_fn=limit)
        self.assertIn("full.h5", said.stderr)

    # there is not enough memory
    def test_memory(self):
        text = REST + "for i = 1, 200000 do body{material = \"m\", position = {i, 0, 1}, shape = shape.sphere{radius = 0.1}} end\n"
        limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (150 << 20, 150 << 20))
        if subprocess.run([BIN, "help"], capture_output=True, preexec_fn=limit, check=False).returncode != DONE:
            self.skipTest("a sanitizer needs more address space than that")
        said = self.run_it(INTERNAL, "run", self.scene(text), "-o", "m.h5", preexec_fn=limit)
        self.assertIn("memory", said.stderr)


class Table(unittest.TestCase):
    def test_rows(self):
        """Each row of the table is the heading of a test here, in the same order, and has the code that this test asserts."""
        with open(os.path.join(ROOT, "docs/reference/cli.md"), encoding="utf-8") as file:
            section = file.read().split("## Exit codes")[1].split("## stiction run")[0]
        rows = re.findall(r"^\| ([^|]+) \| [^|]+ \| (\d) \| [^|]*\|$", section, re.M)
        with open(os.path.abspath(__file__), encoding="utf-8") as file:
            text = file.read()
        tests = re.findall(r"^    # (.+)\n    def test_.*\n((?:        .*\n|\n)+)", text, re.M)
        self.assertEqual([what for what, _ in rows], [heading for heading, _ in tests])
        names = ("DONE", "UNSOLVED", "USAGE", "INPUT", "INTERNAL")
        for (what, code), (_, body) in zip(rows, tests):
            self.assertIn(names[int(code)], body, what)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A fault at every call: write, pwrite, ftruncate, fsync, rename, open, fflush, malloc of every command that writes.

    STICTION_BIN=build/release/bin/stiction tests/robustness/test_faults.py [-v] [Faults.test_run]

fault.c, loaded before the C library, fails or kills a command at its n-th call. Then the exit code must be 3 (4: no memory) with a
sentence, or 0 where the call did not matter; no signal but the kill; every file old or new; a result readable, and resumed to the bits of
a run without faults; nothing left beside it. Here every STRIDE-th n, chosen so that all kinds of calls are hit; test_faults_study.py: all.
"""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BIN = os.path.abspath(os.environ.get("STICTION_BIN", os.path.join(ROOT, "build/release/bin/stiction")))
ALL = os.environ.get("FAULTS") == "all"
# seconds for all tests of this file where not all faults are tried
BUDGET = float(os.environ.get("FAULT_SECONDS", "60"))
# of all faults only every n-th, so that n processes share them: FAULT_SHARE=3/16 is the fourth of sixteen
SHARE, SHARES = (int(word) for word in os.environ.get("FAULT_SHARE", "0/1").split("/"))
WAYS = {"write": ("FULL", "EIO", "EINTR", "SHORT", "KILL"), "pwrite": ("FULL", "EIO", "EINTR", "SHORT", "KILL"),
        "ftruncate": ("EIO", "EINTR", "KILL"), "fsync": ("EIO", "EINTR", "KILL"), "rename": ("EIO", "KILL"),
        "open": ("EIO", "KILL"), "fflush": ("EIO", "KILL"), "malloc": ("EIO", "KILL"),
        # HDF5 1.10 does not survive all of its own failed allocations: tried on demand, and only counted
        "hdf5": ("EIO",) if os.environ.get("FAULT_HDF5") else ()}
# the command must succeed all the same
HARMLESS = {"EINTR", "SHORT"}

SCENE = """
floor{}
body{name = "ball", mass = 1, position = {0, 0, 0.1}, velocity = {1, 0, -1}, shape = shape.sphere{radius = 0.1}}
body{name = "box", mass = 2, position = {1, 0, 0.1}, shape = shape.box{size = {0.2, 0.2, 0.2}}}
scheme "moreau"
run{step = 1e-3, duration = 0.02}
output{every = 4, flush = 0, snapshot_every = 8}
history{quantity = "position", body = "ball", component = "z"}
"""


def scratch():
    """A folder in memory: a flush to a disk takes longer than a run."""
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    return tempfile.mkdtemp(prefix="stiction-faults-", dir=base)


class Faults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = scratch()
        cls.shim = os.path.join(cls.folder, "fault.so")
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", cls.shim, os.path.join(HERE, "fault.c"), "-ldl"],
                       check=True)
        cls.base = os.path.join(cls.folder, "base")
        os.mkdir(cls.base)
        cls.write(os.path.join(cls.base, "s.lua"), SCENE)
        cls.good("run", "s.lua", "-o", "whole.h5", cwd=cls.base)
        cls.hash = cls.state_of(os.path.join(cls.base, "whole.h5"))
        with open(os.path.join(cls.base, "whole.csv"), "rb") as file:
            cls.csv = file.read()
        # a run that was killed between two frames, with rows behind the last complete one
        for n in range(400, 2000, 7):
            cls.faulty("pwrite", n, "KILL", "run", "s.lua", "-o", "killed.h5", "-f", cwd=cls.base)
            facts = json.loads(cls.good("info", "--json", "killed.h5", cwd=cls.base))
            copy = os.path.join(cls.base, "copy.h5")
            shutil.copy(os.path.join(cls.base, "killed.h5"), copy)
            fixed = json.loads(cls.good("repair", "--json", "copy.h5", cwd=cls.base))
            if facts["frames"] >= 3 and fixed["dropped"] > 0:
                break
        else:
            raise AssertionError("no kill left incomplete rows")
        cls.tried = 0

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    @staticmethod
    def write(path, text):
        with open(path, "w") as file:
            file.write(text)

    @classmethod
    def good(cls, *words, **options):
        result = subprocess.run([BIN, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, check=False, timeout=60, **options)
        assert result.returncode == 0, (words, result.returncode, result.stderr)
        return result.stdout

    @classmethod
    def state_of(cls, path):
        facts = json.loads(cls.good("info", "--json", path))
        return facts["hash"], facts["frames"], facts["steps"]

    @classmethod
    def faulty(cls, call, n, way, *words, log=None, cwd=None):
        environment = dict(os.environ, LD_PRELOAD=cls.shim, FAULT_CALL=call, FAULT_AT=str(n), FAULT_HOW=way)
        if log is not None:
            environment["FAULT_LOG"] = log
        return subprocess.run([BIN, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, check=False, timeout=20, cwd=cwd, env=environment)

    def counts(self, start, words):
        log = os.path.join(self.folder, "log")
        folder = self.fresh(start)
        result = self.faulty("none", 0, "", *words, log=log, cwd=folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(log) as file:
            return {name: int(count) for name, count in (line.split() for line in file)}, folder

    def fresh(self, names):
        """The folder of a trial, with copies of files; `a=b` copies b under the name a."""
        folder = os.path.join(self.folder, "trial")
        shutil.rmtree(folder, ignore_errors=True)
        os.mkdir(folder)
        for name in names:
            to, _, source = name.partition("=")
            shutil.copy(os.path.join(self.base, source or to), os.path.join(folder, to))
        return folder

    def plan(self, counts, share):
        """Which (call, n, way); the most numerous calls are thinned out so that the budget lasts."""
        trials = [(call, n, way) for call, count in counts.items() for n in range(1, count + 1) for way in WAYS[call]]
        if ALL:
            # a kill at an allocation is a kill between two other calls, where every one of those is tried
            return [t for t in trials if t[0] != "malloc" or t[2] != "KILL"][SHARE::SHARES]
        picked = []
        for call, count in counts.items():
            if count <= 2:  # few: in every way
                picked += [(call, n, way) for n in range(1, count + 1) for way in WAYS[call]]
                continue
            if not WAYS[call]:
                continue
            most = max(2, int(share * {"pwrite": 3, "malloc": 3}.get(call, 1)))
            step = max(1, count // most)
            for k, n in enumerate(range(1 + step // 3, count + 1, step)):
                ways = WAYS[call]
                picked.append((call, n, ways[k % len(ways)]))
        # where time runs out, all kinds have been tried
        random.Random(5).shuffle(picked)
        return picked

    def sweep(self, start, words, after, share=8):
        counts, _ = self.counts(start, words)
        begin, tried, codes = time.time(), 0, {}
        for call, n, way in self.plan(counts, share):
            folder = self.fresh(start)
            result = self.faulty(call, n, way, *words, cwd=folder)
            code = result.returncode
            place = f"{' '.join(words)}: {way} at {call} {n}: exit {code}: {result.stderr[-300:]}"
            if way == "KILL":
                self.assertIn(code, (-9, 0), place)
            elif way in HARMLESS:
                self.assertEqual(code, 0, place)
            else:
                self.assertIn(code, (0, 3, 4), place)
            if code > 0:
                self.assertIn("stiction", result.stderr, place)
                self.assertNotIn("infinite loop", result.stderr, place)
            try:
                after(folder, code)
            except AssertionError as error:
                raise AssertionError(f"{place}\n{error}") from error
            tried += 1
            if ALL and tried % 500 == 0:
                print(f"  {words[0]}: {tried} tried, {time.time() - begin:.0f} s", flush=True)
            codes[code] = codes.get(code, 0) + 1
            if not ALL and time.time() - begin > BUDGET / 8:
                print("  stopped for time")
                break
        type(self).tried += tried
        total = sum(counts.values())
        print(f"  {words[0]}: {tried} faults of {total} calls ({', '.join(f'{k} {v}' for k, v in counts.items())}); exit codes "
              f"{', '.join(f'{k}: {v}' for k, v in sorted(codes.items()))}; {time.time() - begin:.0f} s")

    def no_parts(self, folder):
        left = [name for name in os.listdir(folder) if ".part-" in name]
        self.assertEqual(left, [])

    def check_result(self, folder, name):
        """What is there can be read and goes on to the bits of a run without faults."""
        path = os.path.join(folder, name)
        if not os.path.exists(path):
            self.good("run", "s.lua", "-o", name, "-f", cwd=folder)
        else:
            frames = self.state_of(path)[1]
            self.assertGreaterEqual(frames, 1)
            self.good("resume", name, cwd=folder)
        self.assertEqual(self.state_of(path), self.hash)
        with open(path.replace(".h5", ".csv"), "rb") as file:
            self.assertEqual(file.read(), self.csv)
        self.no_parts(folder)

    def test_run(self):
        self.sweep(["s.lua"], ("run", "s.lua", "-o", "a.h5"), lambda folder, code: self.check_result(folder, "a.h5"), 12)

    def test_run_over_another(self):
        """--force: until the new result has its start, the old one is there."""
        self.sweep(["s.lua", "a.h5=whole.h5", "a.csv=whole.csv", "a.snapshot=whole.snapshot"],
                   ("run", "s.lua", "-o", "a.h5", "--force"), lambda folder, code: self.check_result(folder, "a.h5"), 6)

    def test_resume(self):
        self.sweep(["s.lua", "a.h5=killed.h5", "a.csv=killed.csv", "a.snapshot=killed.snapshot"], ("resume", "a.h5"),
                   lambda folder, code: self.check_result(folder, "a.h5"), 10)

    def test_repair(self):
        self.sweep(["s.lua", "a.h5=killed.h5", "a.csv=killed.csv", "a.snapshot=killed.snapshot"], ("repair", "a.h5"),
                   lambda folder, code: self.check_result(folder, "a.h5"), 8)

    def old_or_new(self, start, words, made):
        """Each file is the old one or the new one, byte by byte, and the command works afterwards."""
        new = {}
        _, folder = self.counts(start, words)
        for name in made:
            with open(os.path.join(folder, name), "rb") as file:
                new[name] = file.read()

        def after(trial, code):
            for name in made:
                with open(os.path.join(trial, name), "rb") as file:
                    found = file.read()
                self.assertIn(found, (b"old\n", new[name]), name)
                if code == 0:
                    self.assertEqual(found, new[name], name)
            self.good(*words, cwd=trial)
            self.no_parts(trial)

        for name in made:
            self.write(os.path.join(self.base, "old-" + name), "old\n")
        self.sweep([*start, *(f"{name}=old-{name}" for name in made)], words, after, 6)

    def test_view(self):
        if "no viewer" in subprocess.run([BIN, "view", "none.h5"], stderr=subprocess.PIPE, text=True, check=False).stderr:
            self.skipTest("built without the viewer")
        self.old_or_new(["a.h5=whole.h5"], ("view", "a.h5", "--force"), ["a.html"])

    def test_export(self):
        self.old_or_new(["a.h5=whole.h5"], ("export", "a.h5", "--force"), ["a.xdmf", "a.contacts.xdmf", "a.xdmf.h5"])

    def test_export_csv(self):
        self.old_or_new(["a.h5=whole.h5"], ("export", "a.h5", "--force", "--csv", "time,energy,ball.position"), ["a.frames.csv"])

    def test_convert(self):
        for name in ("stack.h5", "block-sticks.dat"):
            shutil.copy(os.path.join(ROOT, "problems", name), self.base)
        self.old_or_new(["block-sticks.dat"], ("convert", "block-sticks.dat", "b.h5", "--force"), ["b.h5"])
        self.old_or_new(["block-sticks.dat"], ("convert", "block-sticks.dat", "b.dat", "--force"), ["b.dat"])

    def test_solve(self):
        for name in ("block-sticks.dat",):
            shutil.copy(os.path.join(ROOT, "problems", name), self.base)
        self.old_or_new(["block-sticks.dat"], ("solve", "block-sticks.dat", "-o", "b.h5", "--force"), ["b.h5"])


if __name__ == "__main__":
    unittest.main()

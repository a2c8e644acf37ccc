#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Counted work of whole runs: small scenes of bench/runs must not cost more than bench/results/runs-work.csv says.

    tests/cli/test_runs_work.py              compare
    tests/cli/test_runs_work.py --store      write what is measured now, after a change that is meant to cost more or less

Sweeps, factorisations, checks and multiplications of a run, and the bytes that the library holds at most, are the same on every machine, whatever its
load. A tenth is left for changes that move bodies in other digits; sweeps, factorisations and checks, of which small runs have few, may
change by one a step as well, and bytes come in blocks that may be as large as a quarter of all. Two layers of spheres that hang together are long enough for sweeps in pieces: they must take the
same counts and end in the same bits with two and three threads.
"""

import csv
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.dirname(os.path.dirname(os.path.abspath(os.environ.get("STICTION_BIN", os.path.join(ROOT, "build/release/bin/stiction")))))
BENCH = os.path.join(BUILD, "bench/bench_run")
KEPT = os.path.join(ROOT, "bench/results/runs-work.csv")
sys.path.insert(0, os.path.join(ROOT, "bench/runs"))
from scenes import SCENES, Scene  # noqa: E402  the path comes first

CASES = [(scene, level) for scene in ("pile-60", "wall-8", "pyramid-5", "chain-10", "dominoes-20", "rocks-20") for level in ("preview", "standard")]
COUNTS = ("sweeps", "factors", "checks", "work", "bytes")


def measure_file(path, level, *options):
    command = [BENCH, path, "--set", "solver.tolerance=0", "--set", f"run.accuracy={level}", *options]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def measure(scene, level):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, scene + ".lua")
        with open(path, "w", encoding="ascii") as file:
            file.write(SCENES[scene]().lua())
        return measure_file(path, level)


def layers(across=31):
    """Two layers of spheres, those above in the hollows of those below, which touch: one island."""
    scene, r = Scene(5), 0.05
    scene.walls(across * r)
    sphere = scene.shape("sphere", r)
    for side, height in ((across, r), (across - 1, r + math.sqrt(2) * r)):
        for i in range(side):
            for j in range(side):
                scene.body(sphere, ((2 * i + 1 - side) * r, (2 * j + 1 - side) * r, height - 1e-7))
    return scene


def store():
    with open(KEPT, "w", encoding="ascii") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(("scene", "level", *COUNTS))
        for scene, level in CASES:
            found = measure(scene, level)
            out.writerow((scene, level, *(found[name] for name in COUNTS)))


class Work(unittest.TestCase):
    def test_work(self):
        """No scene takes a tenth more multiplications than it did, and every step is solved."""
        if not os.path.exists(BENCH):
            self.skipTest("bench_run was not built")
        with open(KEPT, encoding="ascii") as file:
            kept = {(row["scene"], row["level"]): row for row in csv.DictReader(file)}
        self.assertEqual(set(kept), set(CASES))
        for case in CASES:
            found = measure(*case)
            print(f"  {case[0]}, {case[1]}: " + ", ".join(f"{name} {found[name]:g} (kept {float(kept[case][name]):g})" for name in COUNTS))
            self.assertEqual(found["unsolved"], 0)
            for name in COUNTS:
                room = 0.0 if name in ("work", "bytes") else 1.0
                most = (1.3 if name == "bytes" else 1.1) * float(kept[case][name]) + room
                self.assertLess(found[name], most, f"{name} of {case[0]}, {case[1]}")

    def test_threads(self):
        """A long island has the same counts and bits for one and for two threads."""
        if not os.path.exists(BENCH):
            self.skipTest("bench_run was not built")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "grid.lua")
            with open(path, "w", encoding="ascii") as file:
                file.write(layers().lua())
            found = [measure_file(path, "preview", "--threads", str(threads)) for threads in (1, 2, 3)]
        print("  " + ", ".join(f"{name} {found[0][name]}" for name in ("contacts", "sweeps", "work", "hash")))
        self.assertGreater(found[0]["contacts"], 4096)
        print(f"  {found[0]['bytes'] / found[0]['contacts']:.0f} bytes per contact")
        self.assertLess(found[0]["bytes"] / found[0]["contacts"], 6000)
        for other in found[1:]:
            for name in ("contacts", "sweeps", "factors", "checks", "work", "hash"):
                self.assertEqual(other[name], found[0][name], name)


if __name__ == "__main__":
    if "--store" in sys.argv:
        store()
    else:
        unittest.main(verbosity=2)

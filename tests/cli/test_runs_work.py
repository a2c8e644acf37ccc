#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Counted work of whole runs: small scenes of bench/runs must not cost more than bench/results/runs-work.csv says.

    tests/cli/test_runs_work.py              compare
    tests/cli/test_runs_work.py --store      write what is measured now, after a change that is meant to cost more or less

Sweeps, factorisations, checks and multiplications of a run are the same on every machine, whatever its load. A tenth is left for changes
that move bodies in other digits.
"""

import csv
import json
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
from scenes import SCENES  # noqa: E402  the path comes first

CASES = [(scene, level) for scene in ("pile-60", "wall-8", "pyramid-5", "chain-10") for level in ("preview", "standard")]
COUNTS = ("sweeps", "factors", "checks", "work")


def measure(scene, level):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, scene + ".lua")
        with open(path, "w", encoding="ascii") as file:
            file.write(SCENES[scene]().lua())
        done = subprocess.run([BENCH, path, "--set", "solver.tolerance=0", "--set", f"run.accuracy={level}"], capture_output=True, text=True, check=True)
        return json.loads(done.stdout)


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
            self.assertLess(found["work"], 1.1 * float(kept[case]["work"]))


if __name__ == "__main__":
    if "--store" in sys.argv:
        store()
    else:
        unittest.main(verbosity=2)

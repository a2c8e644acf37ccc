#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Long runs: memory and descriptors do not grow with steps and stored frames.

    STICTION_BIN=build/release/bin/stiction STEPS=10000000 tests/robustness/test_soak.py [-v]
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BIN = os.path.abspath(os.environ.get("STICTION_BIN", os.path.join(ROOT, "build/release/bin/stiction")))
STEPS = int(os.environ.get("STEPS", "100000"))
# a file of many frames needs 1.2 kB for each: the study stores every 20th step
EVERY = max(1, STEPS // 500000)

SCENE = f"""
floor{{}}
body{{name = "ball", mass = 1, position = {{0, 0, 0.1}}, velocity = {{1, 0, 0}}, shape = shape.sphere{{radius = 0.1}}}}
body{{name = "box", mass = 2, position = {{1, 0, 0.1}}, shape = shape.box{{size = {{0.2, 0.2, 0.2}}}}}}
scheme "moreau"
run{{step = 1e-4, duration = {STEPS * 1e-4}}}
output{{every = {EVERY}, flush = 0.02, snapshot = 1}}
history{{quantity = "position", body = "ball", component = "x"}}
"""


class Soak(unittest.TestCase):
    def test_memory(self):
        folder = tempfile.mkdtemp(prefix="stiction-soak-")
        self.addCleanup(shutil.rmtree, folder)
        with open(os.path.join(folder, "s.lua"), "w") as file:
            file.write(SCENE)
        process = subprocess.Popen([BIN, "run", "s.lua", "--json"], cwd=folder, stdout=subprocess.PIPE, text=True)
        rows = []
        # a line at every tenth of the run
        for line in process.stdout:
            event = json.loads(line)
            if event["event"] != "progress":
                continue
            with open(f"/proc/{process.pid}/status") as file:
                memory = [int(row.split()[1]) for row in file if row.startswith("VmRSS")]
            # on a busy machine the last lines may be read when the run has ended and has no memory any more
            if memory:
                rows.append((event["step"], memory[0], len(os.listdir(f"/proc/{process.pid}/fd"))))
        self.assertEqual(process.wait(timeout=60), 0)
        process.stdout.close()
        self.assertGreaterEqual(len(rows), 7)
        first, last = rows[4], rows[-1]  # until then buffers and caches fill
        frames = (last[0] - first[0]) / EVERY
        print(f"  steps {first[0]} to {last[0]}: {first[1]} to {last[1]} kB, {1024 * (last[1] - first[1]) / frames:.2f} B per stored "
              f"frame; descriptors {sorted({row[2] for row in rows})}")
        # a short run still fills HDF5's cache of indices, which is bounded
        self.assertLessEqual(last[1], 1.01 * first[1] if STEPS >= 1000000 else first[1] + 1500)
        # a snapshot being written has one more
        self.assertLessEqual(max(row[2] for row in rows), min(row[2] for row in rows) + 2)


if __name__ == "__main__":
    unittest.main()

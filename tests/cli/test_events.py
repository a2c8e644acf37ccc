#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Events in result files: times of bounces against their formula, the same after a resume.

    STICTION_BIN=build/release/bin/stiction tests/cli/test_events.py [-v] [Class.test]
"""

import os
import subprocess
import sys
import tempfile
import unittest

import h5py
import numpy as np

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BIN = os.path.abspath(os.environ.get("STICTION_BIN",
                                     os.path.join(ROOT, "build/release/bin/stiction")))
SCENE = """material{name = "m", friction = 0.3, restitution = 0.8}
floor{material = "m"}
body{name = "b", mass = 1, material = "m", position = {0, 0, 1.1}, shape = shape.sphere{radius = 0.1}}
scheme "event"
run{step = 1e-3, duration = 4.5}
output{every = 100}
"""


def run(*words):
    done = subprocess.run([BIN, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          check=False, timeout=120)
    if done.returncode != 0:
        raise AssertionError(done.stderr)


class Events(unittest.TestCase):
    def test_bounces(self):
        with tempfile.TemporaryDirectory() as folder:
            scene, whole, parts = (os.path.join(folder, name)
                                   for name in ("b.lua", "whole.h5", "parts.h5"))
            with open(scene, "w", encoding="utf-8") as file:
                file.write(SCENE)
            run("run", scene, "-o", whole)
            run("run", scene, "--until", "1.7373", "-o", parts)
            run("resume", parts, "--until", "4.5")
            with h5py.File(whole) as a, h5py.File(parts) as b:
                for name in ("time", "kind", "body", "points", "value"):
                    self.assertTrue(np.array_equal(a["events"][name][:], b["events"][name][:]))
                self.assertTrue(np.array_equal(a["steps/event_end"][:], b["steps/event_end"][:]))
                impact = a["events/kind"][:] == 0
                time, speed = a["events/time"][:][impact], a["events/value"][:][impact]
                self.assertEqual(a["bodies/name"][:][a["events/body"][0]].tolist(), [b"b", b"floor"])
        fall = np.sqrt(2 / 9.81)
        exact = fall + 2 * fall * np.cumsum(np.concatenate([[0], 0.8 ** np.arange(1, 20)]))
        worst = np.abs(time[:20] - exact).max()
        print(f"{len(time)} impacts, the first 20 within {worst:.1e} s; {speed[0]:.12f} m/s")
        self.assertLess(worst, 1e-12)
        self.assertLess(abs(speed[0] - np.sqrt(2 * 9.81)), 1e-12)
        self.assertLess(abs(time[-1] - fall * 1.8 / 0.2), 1e-6)


if __name__ == "__main__":
    unittest.main()

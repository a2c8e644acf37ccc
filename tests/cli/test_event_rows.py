#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The gallery's row of twelve dominoes with scheme `event` while it jams: what stands in a plane stays in
it, through hundreds of weak impacts whose problems have further solutions aside of it.

    STICTION_BIN=build/release/bin/stiction tests/cli/test_event_rows.py [-v] [Class.test]
"""

import os
import re
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


class Rows(unittest.TestCase):
    def test_jam(self):
        """0.666 s: the last one was struck at 0.577 s, and the row jams from 0.65 s on."""
        with tempfile.TemporaryDirectory() as folder:
            result = os.path.join(folder, "row.h5")
            done = subprocess.run([BIN, "run", os.path.join(ROOT, "scenes/dominoes.lua"), "--set",
                                   "scheme=event", "--until", "0.666", "-o", result],
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
                                  timeout=300)
            self.assertEqual(done.returncode, 0, done.stderr)
            with h5py.File(result) as file:
                aside = np.max(abs(file["motion/position"][-1][:, 1]))
                kind, body = file["events/kind"][:], file["events/body"][:]
                struck = file["events/time"][:][(kind == 0) & (body.max(axis=1) == 12)][0]
        lost = float(re.search(r"integration ([-+0-9.e]+)", done.stdout)[1])
        print(f"{len(kind)} events, {aside:.1e} m aside, integration {lost:.1e} J, "
              f"the last one is struck at {struck:.7f} s")
        self.assertLess(aside, 1e-10)
        self.assertLess(abs(lost), 1e-12)
        self.assertNotIn(5, kind)  # no leaps
        # moreau: 0.5772, 0.5770 s with steps of 2e-4, 1e-4 s, of first order
        self.assertLess(abs(struck - 0.5768), 1e-4)


if __name__ == "__main__":
    unittest.main()

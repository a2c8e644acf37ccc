#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The energy alarm is silent on every shipped scene with every scheme that runs it and meets its reference values."""

import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BIN = os.path.abspath(os.environ.get("STICTION_BIN", os.path.join(ROOT, "build/release/bin/stiction")))
SCHEMES = ("moreau", "koziara", "theta", "consistent", "decomposed", "event", "relaxed", "quasi-static")
SECONDS = 30


class Alarm(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="stiction-alarm-")
        self.addCleanup(shutil.rmtree, self.folder)

    def end(self, text):
        """The last line of a run, None if it is refused or takes too long."""
        with open(os.path.join(self.folder, "scene.lua"), "w", encoding="utf-8") as file:
            file.write(text)
        try:
            done = subprocess.run([BIN, "run", "scene.lua", "-f", "-o", "a.h5", "--json"], cwd=self.folder, text=True,
                                  capture_output=True, timeout=SECONDS, check=False)
        except subprocess.TimeoutExpired:
            return None
        lines = done.stdout.splitlines()
        return json.loads(lines[-1]) if lines and "reason" in lines[-1] else None

    def test_scenes(self):
        for scheme in SCHEMES:
            ran, worst = 0, (0.0, "")
            for scene in sorted(glob.glob(os.path.join(ROOT, "scenes", "*.lua"))):
                with open(scene, encoding="utf-8") as file:
                    text = re.sub(r"^scheme .*$", "", file.read(), flags=re.M)
                end = self.end(text + f'\nscheme "{scheme}"\n')
                if end is None or end["reason"] != "done" or not all(c["passed"] for c in end["checks"]):
                    continue
                ran += 1
                worst = max(worst, (end["energy_error"], os.path.basename(scene)))
                self.assertNotIn("energy-alarm", [n["kind"] for n in end["notices"]], (scene, scheme))
            print(f"  {scheme}: {ran} scenes, largest share {worst[0]:.2g} {worst[1]}")
            self.assertGreater(ran, 5, scheme)


if __name__ == "__main__":
    unittest.main()

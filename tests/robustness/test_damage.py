#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Damaged results: every command ends soon, says what is wrong, and obeys a signal at any time.

    STICTION_BIN=build/release/bin/stiction tests/robustness/test_damage.py [-v] [Damage.test_bytes]

DAMAGES=2000 tries 2000 damaged files instead of 20.
"""

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests/cli"))
from processes import wait_until_caught  # noqa: E402
BIN = os.path.abspath(os.environ.get("STICTION_BIN", os.path.join(ROOT, "build/release/bin/stiction")))
DAMAGES = int(os.environ.get("DAMAGES", "20"))
LONGEST = 10.0

SCENE = """
floor{}
for i = 1, 4 do
  body{name = "box" .. i, mass = 1, position = {0, 0, 0.2 * i - 0.1}, shape = shape.box{size = {0.2, 0.2, 0.2}}}
end
scheme "moreau"
run{step = 1e-3, duration = 0.1}
output{every = 1, flush = 0, snapshot_every = 20}
"""
COMMANDS = (("info", "a.h5"), ("repair", "a.h5"), ("resume", "a.h5", "--until", "0.12"), ("export", "a.h5", "-f"),
            ("export", "a.h5", "-f", "--csv", "time,energy,box1.position"), ("view", "a.h5", "-f"), ("plot", "a.h5", "-f", "-o", "a.svg"))


class Damage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        cls.folder = tempfile.mkdtemp(prefix="stiction-damage-", dir=base)
        with open(cls.path("s.lua"), "w") as file:
            file.write(SCENE)
        cls.call("run", "s.lua", "-o", "whole.h5")
        # another one that was killed: it carries the marks of its writer
        process = subprocess.Popen([BIN, "run", "s.lua", "-o", "killed.h5", "--until", "100"], cwd=cls.folder,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not os.path.exists(cls.path("killed.snapshot")):
            time.sleep(0.01)
        time.sleep(0.3)
        process.kill()
        process.wait()

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder, name)

    @classmethod
    def call(cls, *words):
        return subprocess.run([BIN, *words], cwd=cls.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False, timeout=60)

    def attempt(self, words, why):
        """One command on the damaged a.h5; its seconds."""
        begin = time.time()
        process = subprocess.Popen([BIN, *words], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        try:
            _, said = process.communicate(timeout=6 * LONGEST)
        except subprocess.TimeoutExpired:
            process.kill()
            raise AssertionError(f"{words[0]} does not end: {why}") from None
        said = said.decode(errors="replace")
        self.assertIn(process.returncode, (0, 1, 2, 3, 4), f"{words}: {why}: {said[-300:]}")
        if process.returncode >= 2:
            self.assertIn("stiction", said, f"{words}: {why}")
        return time.time() - begin, process.returncode

    def try_all(self, name, data, why):
        slowest, refused = (0.0, ""), 0
        for words in COMMANDS:
            for ending in (".snapshot", ".csv"):
                if os.path.exists(self.path(name + ending)):
                    shutil.copy(self.path(name + ending), self.path("a" + ending))
            with open(self.path("a.h5"), "wb") as file:
                file.write(data)
            seconds, code = self.attempt(words, why)
            slowest = max(slowest, (seconds, words[0]))
            refused += code >= 3
        return slowest, refused

    def test_bytes(self):
        """Single bytes of headers and indices, runs of bytes, cut files, swapped pages."""
        generator = random.Random(11)
        slowest, refused = (0.0, ""), 0
        for k in range(DAMAGES):
            name = ("whole", "killed")[k % 2]
            with open(self.path(name + ".h5"), "rb") as file:
                data = bytearray(file.read())
            kind = generator.choice(("byte", "index", "index", "run", "cut", "swap"))
            at = generator.randrange(len(data))
            if kind == "index":
                # signatures of the blocks that HDF5 checks: object headers, extensible arrays, b-trees
                places = [i for mark in (b"OHDR", b"EAHD", b"EAIB", b"EADB", b"EASB", b"FRHP", b"BTHD") for i in
                          self.all_of(data, mark)]
                at = generator.choice(places) + generator.randrange(64)
            if kind in ("byte", "index"):
                data[at] ^= 1 << generator.randrange(8)
            elif kind == "run":
                data[at:at + 64] = bytes(generator.randrange(256) for _ in range(64))
            elif kind == "cut":
                del data[at:]
            else:
                other = generator.randrange(len(data) // 512) * 512
                at = at // 512 * 512
                data[at:at + 512], data[other:other + 512] = data[other:other + 512], data[at:at + 512]
            worst, bad = self.try_all(name, data, f"{name}.h5, {kind} at {at}, seed {k}")
            slowest, refused = max(slowest, worst), refused + bad
        print(f"  {DAMAGES} damaged files, {DAMAGES * len(COMMANDS)} commands: {refused} refused, slowest {slowest[0]:.2f} s "
              f"({slowest[1]})")
        self.assertLess(slowest[0], LONGEST)

    @staticmethod
    def all_of(data, mark):
        places, at = [], data.find(mark)
        while at >= 0:
            places.append(at)
            at = data.find(mark, at + 1)
        return places

    def test_marks(self):
        """Any marks of a killed writer: readable, and resumed."""
        expected = self.call("info", "--json", "whole.h5").stdout
        with open(self.path("whole.h5"), "rb") as file:
            data = bytearray(file.read())
        for marks in (1, 4, 5):
            data[11] = marks
            data[44:48] = checksum(data[:44]).to_bytes(4, "little")
            with open(self.path("a.h5"), "wb") as file:
                file.write(data)
            shutil.copy(self.path("whole.snapshot"), self.path("a.snapshot"))
            found = self.call("info", "--json", "a.h5")
            self.assertEqual(found.returncode, 0, found.stderr)
            self.assertEqual(expected.split(b'"hash":')[1][:20], found.stdout.split(b'"hash":')[1][:20])
            self.assertEqual(self.call("resume", "a.h5", "--until", "0.11").returncode, 0)
            self.assertEqual(self.call("repair", "a.h5").returncode, 0)

    def test_signals(self):
        """SIGTERM and SIGINT end every command, also while a run waits for a browser."""
        for number in (signal.SIGTERM, signal.SIGINT):
            for words in (("run", "s.lua", "-o", "b.h5", "-f", "--until", "1000"),
                          ("run", "s.lua", "-o", "b.h5", "-f", "--until", "1000", "--view"),
                          ("resume", "whole.h5", "--until", "1000")):
                process = subprocess.Popen([BIN, *words], cwd=self.folder, stdout=subprocess.DEVNULL,
                                           stderr=subprocess.DEVNULL)
                wait_until_caught(process, number)
                time.sleep(0.3)
                begin = time.time()
                process.send_signal(number)
                code = process.wait(timeout=LONGEST)
                self.assertIn(code, (1, 2), words)
                self.assertLess(time.time() - begin, 5.0)


def checksum(data):
    """Bob Jenkins's lookup3 of 44 bytes."""
    mask = 0xffffffff

    def turn(x, k):
        return (x << k | x >> (32 - k)) & mask

    a = b = c = (0xdeadbeef + len(data)) & mask
    words = [int.from_bytes(data[i:i + 4], "little") for i in range(0, 44, 4)]
    for i in range(0, 9, 3):
        a, b, c = (a + words[i]) & mask, (b + words[i + 1]) & mask, (c + words[i + 2]) & mask
        a = ((a - c) & mask) ^ turn(c, 4); c = (c + b) & mask
        b = ((b - a) & mask) ^ turn(a, 6); a = (a + c) & mask
        c = ((c - b) & mask) ^ turn(b, 8); b = (b + a) & mask
        a = ((a - c) & mask) ^ turn(c, 16); c = (c + b) & mask
        b = ((b - a) & mask) ^ turn(a, 19); a = (a + c) & mask
        c = ((c - b) & mask) ^ turn(b, 4); b = (b + a) & mask
    a, b = (a + words[9]) & mask, (b + words[10]) & mask
    c = ((c ^ b) - turn(b, 14)) & mask
    a = ((a ^ c) - turn(c, 11)) & mask
    b = ((b ^ a) - turn(a, 25)) & mask
    c = ((c ^ b) - turn(b, 16)) & mask
    a = ((a ^ c) - turn(c, 4)) & mask
    b = ((b ^ a) - turn(a, 14)) & mask
    return ((c ^ b) - turn(b, 24)) & mask


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Results and requests from others: every bad number is refused with a sentence, soon.

    STICTION_BIN=build/release/bin/stiction tests/cli/test_hostile.py [-v] [Class.test]

Results are changed with h5py and given to all commands that read them; the page server of a run
gets requests that no browser sends.
"""

import base64
import os
import random
import re
import resource
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import zlib

import h5py
import numpy as np

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BIN = os.path.abspath(os.environ.get("STICTION_BIN",
                                     os.path.join(ROOT, "build/release/bin/stiction")))
DONE, INPUT = 0, 3
SCENE = """floor{}
body{name = "box", position = {0, 0, 0.1}, shape = shape.box{size = {0.2, 0.2, 0.2}}}
body{name = "ball", position = {1, 0, 0.1}, shape = shape.sphere{radius = 0.1}}
run{step = 0.01, duration = DURATION}
"""
# much to send: balls that fly apart
WIDE = """for i = 1, 300 do
  body{position = {i, 0, 0}, velocity = {0, math.random(), math.random()}, shape = shape.sphere{radius = 0.1}}
end
run{step = 0.01, duration = 1e4}
"""
COMMANDS = {
    "view": ("view", "-o", "x.html", "--force"),
    "xdmf": ("export", "--force"),
    "csv": ("export", "--csv", "time,energy,contacts,box.position,box.force", "-o", "x.csv", "--force"),
    "info": ("info",),
    "plot": ("plot", "--what", "energy,ledger,residual,box.force", "-o", "x.svg", "--force"),
    "repair": ("repair",),
}


def limit_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 28, 1 << 28))


class Folder(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        with open(os.path.join(cls.folder, "scene.lua"), "w", encoding="utf-8") as file:
            file.write(SCENE.replace("DURATION", "0.1"))
        with open(os.path.join(cls.folder, "long.lua"), "w", encoding="utf-8") as file:
            file.write(SCENE.replace("DURATION", "1e4"))
        with open(os.path.join(cls.folder, "wide.lua"), "w", encoding="utf-8") as file:
            file.write(WIDE)
        subprocess.run([BIN, "run", "scene.lua", "-o", "good.h5"], cwd=cls.folder, check=True,
                       stdin=subprocess.DEVNULL, capture_output=True)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)


class Scenes(Folder):
    def answer(self, *words):
        return subprocess.run([BIN, *words], cwd=self.folder, capture_output=True, stdin=subprocess.DEVNULL, text=True,
                              check=False, timeout=60)

    def put(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def refused(self, text, *sentence):
        self.put("bad.lua", text)
        answer = self.answer("run", "bad.lua", "-f")
        self.assertEqual(answer.returncode, INPUT, (text[:100], answer.stderr))
        for part in sentence:
            self.assertIn(part, answer.stderr)

    def test_snapshot_of_another(self):
        """A system of the same size is not the same scene: its snapshot is refused, the result stays."""
        for mass in (1, 2):
            self.put("fall.lua", f'body{{name = "a", mass = {mass}, shape = shape.sphere{{radius = 0.1}}}}\n'
                                 "run{step = 0.01, duration = 0.1}\n")
            self.assertEqual(self.answer("run", "fall.lua", "-f", "-o", f"fall{mass}.h5").returncode, DONE)
        shutil.copy(os.path.join(self.folder, "fall2.snapshot"), os.path.join(self.folder, "fall1.snapshot"))
        with open(os.path.join(self.folder, "fall1.h5"), "rb") as file:
            before = file.read()
        answer = self.answer("resume", "fall1.h5", "--until", "0.2")
        self.assertEqual(answer.returncode, INPUT, answer.stderr)
        self.assertIn("another scene", answer.stderr)
        with open(os.path.join(self.folder, "fall1.h5"), "rb") as file:
            self.assertEqual(file.read(), before)
        self.assertEqual(self.answer("resume", "fall2.h5", "--until", "0.2").returncode, DONE)

    def test_tables(self):
        """A point that cannot be read is an error with its line; headings and other columns may hold anything."""
        scene = ('body{name = "a", mass = 1, shape = shape.sphere{radius = 0.1}, force = {signal.table{file = "t.csv"COLUMNS}, 0, 0}}\n'
                 "run{step = 0.1, duration = 1}\n")
        for row in ("0.2 nan", "0.2 abc", "0.2 1e999", "0.2 -5.5.5", "0.2", "0.2 5x", "0.2 9e9e9", "0.2,,5", "0.2x 5", "nan 5"):
            self.put("t.csv", f"time force\n0 1\n{row}\n1 1\n")
            self.refused(scene.replace("COLUMNS", ""), "bad.lua", "t.csv", "line 3")
        self.put("t.csv", "--- information\ntime;name;force\r\n\n 0 ; a ; 1\r\n1;;2\r\n")
        self.put("good.lua", scene.replace("COLUMNS", ", value_column = 3"))
        answer = self.answer("run", "good.lua", "-f")
        self.assertEqual(answer.returncode, DONE, answer.stderr)

    def test_memory(self):
        """Names and numbers of bodies are bounded, not only what the script itself holds."""
        self.refused('body{name = "a", mass = 1, shape = shape.sphere{radius = 1}}\n'
                     'history{name = string.rep("x", 2000), quantity = "position", body = "a"}\n', "at most 1000 bytes")
        self.put("many.lua", "for i = 1, 1e7 do body{mass = 1, position = {i, 0, 0}} end\n")
        limit = 3 << 30

        def bound():
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        answer = subprocess.run([BIN, "run", "many.lua", "-f"], cwd=self.folder, capture_output=True, stdin=subprocess.DEVNULL,
                                text=True, check=False, timeout=120, preexec_fn=bound)
        self.assertEqual(answer.returncode, INPUT, answer.stderr)
        self.assertIn("MiB", answer.stderr)

    def test_no_step(self):
        body = "body{mass = 1, shape = shape.sphere{radius = 0.1}}\n"
        self.refused(body + "run{step = 1e6, duration = 1e-4}\n", "before its first step")
        for field in ("interval", "flush", "snapshot"):
            self.refused(body + f"output{{{field} = 1e300}}\n", "bad.lua:2", field)

    def test_devices(self):
        """A device without an end is refused at once, a pipe is read."""
        for words in (("info", "/dev/zero"), ("run", "/dev/zero"), ("solve", "/dev/zero")):
            answer = self.answer(*words)
            self.assertEqual(answer.returncode, INPUT, answer.stderr)
            self.assertIn("is a device, not a file", answer.stderr)
        answer = subprocess.run([BIN, "run", "/dev/stdin", "-o", "piped.h5"], cwd=self.folder, capture_output=True,
                                input=SCENE.replace("DURATION", "0.1"), text=True, check=False, timeout=60)
        self.assertEqual(answer.returncode, DONE, answer.stderr)

    def test_long_names(self):
        """Results up to the longest name that its file system takes can be resumed; what a killed run left is swept."""
        most = os.pathconf(self.folder, "PC_NAME_MAX")
        for letters in (most - len(".snapshot") - 20, most - len(".snapshot") - 1, most - len(".snapshot")):
            name = "n" * letters
            left = os.path.join(self.folder, name[:most - 48] + ".part-1-0")
            with open(left, "wb"):
                pass
            answer = self.answer("run", "scene.lua", "-o", name + ".h5")
            self.assertEqual(answer.returncode, DONE, answer.stderr)
            self.assertFalse(os.path.exists(left))
            answer = self.answer("resume", name + ".h5", "--until", "0.2")
            self.assertEqual(answer.returncode, DONE, answer.stderr)

    def test_name_of_the_snapshot(self):
        """A name that fits the result and not its snapshot is refused before anything is made."""
        name = "m" * (os.pathconf(self.folder, "PC_NAME_MAX") - len(".snapshot") + 1) + ".h5"
        answer = self.answer("run", "scene.lua", "-o", name)
        self.assertEqual(answer.returncode, INPUT, answer.stderr)
        self.assertIn("snapshot", answer.stderr)
        self.assertFalse(os.path.exists(os.path.join(self.folder, name)))

    def test_limits_are_said(self):
        """A number beyond a limit is told the limit, not only where it begins."""
        self.refused("pile{count = 1e9, shape = shape.sphere{radius = 1}}\n", "from 1 to 1000000")
        self.refused('body{name = "a", mass = 1, shape = shape.sphere{radius = 1e300}}\n', "body 'a': its inertia is too large")
        self.refused("arch{elements = {100000, 100000}}\n", "from 1 to 1000")

    def test_byte_order_mark(self):
        """A scene from an editor that begins files with a mark is the scene without it; lines count as before."""
        with open(os.path.join(self.folder, "scene.lua"), encoding="utf-8") as file:
            self.put("marked.lua", "\ufeff" + file.read())
        answer = self.answer("run", "marked.lua", "-f")
        self.assertEqual(answer.returncode, DONE, answer.stderr)
        self.refused("\ufeff\nnonsense{}\n", "bad.lua:2")

    def test_dash(self):
        """What is said to come next works for a name that begins with a dash."""
        shutil.copy(os.path.join(self.folder, "scene.lua"), os.path.join(self.folder, "-dash.lua"))
        answer = self.answer("run", "-f", "--", "-dash.lua")
        self.assertEqual(answer.returncode, DONE, answer.stderr)
        found = re.search(r"next: stiction view (\S+), info (\S+), or export (\S+) for", answer.stdout + answer.stderr)
        self.assertIsNotNone(found)
        self.assertEqual(self.answer("info", found[2]).returncode, DONE)

    def test_lost_rows(self):
        """Histories whose earlier rows are gone say where they begin."""
        self.put("rows.lua", SCENE.replace("DURATION", "0.1") + 'history{name = "z", quantity = "position", body = "ball", component = 3}\n')
        self.assertEqual(self.answer("run", "rows.lua", "-f").returncode, DONE)
        os.remove(os.path.join(self.folder, "rows.csv"))
        answer = self.answer("resume", "rows.h5", "--until", "0.2")
        self.assertEqual(answer.returncode, DONE, answer.stderr)
        self.assertIn("rows.csv holds no rows of this run; it begins anew at t = 0.1 s", answer.stderr)
        self.assertNotIn("anew", self.answer("resume", "rows.h5", "--until", "0.3").stderr)
        # a file that lost its tail says how much
        self.put("rows.lua", SCENE.replace("DURATION", "0.1") + 'history{name = "z", quantity = "position", body = "ball", component = 3}\n'
                                                                "output{every = 1}\n")
        self.assertEqual(self.answer("run", "rows.lua", "-f").returncode, DONE)
        for until in ("0.2", "0.3"):
            answer = self.answer("resume", "rows.h5", "--until", until)
            self.assertNotIn("lost", answer.stderr)
        path = os.path.join(self.folder, "rows.csv")
        with open(path, encoding="utf-8") as file:
            lines = file.readlines()
        self.put("rows.csv", "".join(lines[:6]))
        answer = self.answer("resume", "rows.h5", "--until", "0.4")
        self.assertEqual(answer.returncode, DONE, answer.stderr)
        self.assertIn(f"rows.csv has lost rows: 5 of {len(lines) - 1} are there before t = 0.3 s", answer.stderr)


class Results(Folder):
    def judge(self, change, what, refusing, allowed=(DONE, INPUT)):
        """Every command ends soon and by itself; those of `refusing` refuse."""
        path = os.path.join(self.folder, "x.h5")
        for name, words in COMMANDS.items():
            shutil.copy(os.path.join(self.folder, "good.h5"), path)
            with h5py.File(path, "r+") as file:
                change(file)
            answer = subprocess.run([BIN, *words, path], cwd=self.folder, capture_output=True,
                                    stdin=subprocess.DEVNULL, text=True, check=False, timeout=10,
                                    preexec_fn=limit_files)
            with self.subTest(what=what, command=name):
                print(f"{what}: {name}: {answer.returncode} {answer.stderr.strip()[-120:]}")
                self.assertIn(answer.returncode, allowed)
                if name in refusing:
                    self.assertEqual(answer.returncode, INPUT)
                    self.assertIn("x.h5", answer.stderr)

    def test_numbers(self):
        """Counts and indices out of range."""
        low, high = -2**31, 2**31 - 1
        for name, value, refusing in (
                ("frames/contact_count", -400000, COMMANDS),  # a stride of 0 frames
                ("frames/contact_count", -2**62, COMMANDS),
                ("frames/contact_count", 2**62, COMMANDS),
                ("frames/contact_begin", 2**63 - 1, COMMANDS),
                ("frames/contact_begin", -1, COMMANDS),
                ("frames/pair_begin", -5, COMMANDS),
                ("frames/step", -2**63, COMMANDS),
                ("frames/complete", -1, COMMANDS),
                ("contacts/body", high, ("xdmf", "csv", "view")),
                ("contacts/body", -2, ("xdmf", "csv", "view")),
                ("contacts/shape", low, ("xdmf", "csv")),
                ("bodies/deformation", high, ("xdmf", "view")),
                ("bodies/deformation", 3, ("xdmf", "view")),
                ("shapes/body", -1, ("xdmf", "view")),
                ("shapes/body", 3, ("xdmf", "view")),
                ("shapes/material", high, ("xdmf", "view")),
                ("shapes/face", high, ("xdmf", "view")),
                ("shapes/face", -1, ("xdmf", "view")),
                ("shapes/vertex_count", high, ("xdmf", "view")),
                ("shapes/vertex_begin", -1, ("xdmf", "view")),
                ("shapes/feature", high, ("xdmf", "view")),
                ("shapes/feature_count", 2**20, ("xdmf", "view")),
                ("shapes/face_begin", low, ("xdmf", "view")),
                ("steps/existence", 255, ()),
                ("steps/certificate", 255, ()),
                ("steps/outcome", 255, ()),
                ("motion/position", np.nan, ()),
                ("motion/orientation", np.nan, ()),
                ("motion/velocity", np.inf, ())):
            def change(file, name=name, value=value):
                file[name][...] = value
            self.judge(change, f"{name} = {value}", refusing)

    def test_sizes(self):
        """Data sets that say to be larger than the file can be."""
        for name in ("contacts/id", "frames/time", "steps/error", "motion/position"):
            def grow(file, name=name):
                file[name].resize(2**40, axis=0)
            self.judge(grow, f"{name} of 2^40 rows", ("repair",))
        for name, refusing in (("bodies/kind", ("view", "xdmf", "csv", "plot")),
                               ("bodies/colour", ("view",)), ("shapes/vertex", ("view", "xdmf")),
                               ("bodies/name", ("view", "xdmf", "csv", "plot"))):
            def replace(file, name=name):
                old = file[name]
                kind, rest = old.dtype, old.shape[1:]
                del file[name]
                file.create_dataset(name, shape=(2**31 + 5, *rest), chunks=(16, *rest), dtype=kind)
            self.judge(replace, f"{name} of 2^31 + 5 rows", refusing)

        def everything(file):
            for name in file["frames"]:
                if name != "complete":
                    file["frames"][name].resize(2**34, axis=0)
            file["frames/complete"][...] = 2**34
        self.judge(everything, "2^34 frames", ("repair",))

    def test_elsewhere(self):
        """Values that lie in another file."""
        secret = os.path.join(self.folder, "secret")
        with open(secret, "wb") as file:
            file.write(bytes(1 << 12))

        def external(file):
            old = file["bodies/mass"]
            shape, kind = old.shape, old.dtype
            del file["bodies/mass"]
            file.create_dataset("bodies/mass", shape=shape, dtype=kind,
                                external=[(secret, 0, h5py.h5f.UNLIMITED)])
        self.judge(external, "masses in another file", ("view",))

    def test_speeds_alone(self):
        """Labels of velocities without those of coordinates."""
        def change(file):
            file.create_dataset("model/u_label", data=np.array([b"u"], dtype="S64"))
        path = os.path.join(self.folder, "x.h5")
        shutil.copy(os.path.join(self.folder, "good.h5"), path)
        with h5py.File(path, "r+") as file:
            change(file)
        answer = subprocess.run([BIN, "export", "--csv", "u0", path], cwd=self.folder, text=True,
                                capture_output=True, stdin=subprocess.DEVNULL, check=False)
        print(answer.returncode, answer.stderr.strip())
        self.assertEqual(answer.returncode, INPUT)


class Server(Folder):
    def setUp(self):
        self.start("run", "long.lua", "-o", "long.h5", "--force", "--view")

    def start(self, *words):
        self.run = subprocess.Popen([BIN, *words],
                                    cwd=self.folder, stdin=subprocess.DEVNULL,
                                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        found, said = None, ""
        while found is None:
            line = self.run.stderr.readline()
            said += line
            if line == "":
                self.run.wait()
                self.assertIn("no viewer", said)
                self.skipTest("this build has no viewer")
            found = re.search(r"http://127\.0\.0\.1:(\d+)/([0-9a-f]{32})/", line)
        self.port, self.token = int(found[1]), found[2]
        self.host = f"Host: 127.0.0.1:{self.port}\r\n"

    def tearDown(self):
        if self.run.poll() is None:
            self.run.kill()
        self.run.wait()
        self.run.stderr.close()

    def ask(self, request, size=4096):
        """First bytes of the answer; empty where the server hangs up."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=10) as client:
            try:
                client.sendall(request if isinstance(request, bytes) else request.encode())
                return client.recv(size).decode(errors="replace")
            except (ConnectionError, TimeoutError):
                return ""

    def test_refusals(self):
        good = f"/{self.token}/"
        cases = (
            (f"GET {good} HTTP/1.1\r\n\r\n", "403"),
            (f"GET {good} HTTP/1.1\r\nHost: evil.test\r\n\r\n", "403"),
            (f"GET {good} HTTP/1.1\r\n{self.host}Host: evil.test\r\n\r\n", "403"),
            (f"GET {good} HTTP/1.1\r\n{self.host}{self.host}\r\n", "403"),
            (f"GET {good} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", "403"),
            (f"GET {good} HTTP/1.1\r\n{self.host}Origin: http://evil.test\r\n\r\n", "403"),
            (f"GET {good} HTTP/1.1\r\n{self.host}Origin: null\r\n\r\n", "403"),
            (f"GET {good} HTTP/1.1\r\n{self.host}Origin: {'x' * 500}\r\n\r\n", "403"),
            (f"GET / HTTP/1.1\r\n{self.host}\r\n", "403"),
            (f"GET /{self.token[:-1]} HTTP/1.1\r\n{self.host}\r\n", "403"),
            (f"GET /{self.token[:-1]}g/ HTTP/1.1\r\n{self.host}\r\n", "403"),
            (f"GET /{self.token}x HTTP/1.1\r\n{self.host}\r\n", "403"),
            (f"GET {good}../../etc/passwd HTTP/1.1\r\n{self.host}\r\n", "404"),
            (f"GET {good}stop HTTP/1.1\r\n{self.host}\r\n", "404"),
            (f"POST {good}%0d%0aX:y HTTP/1.1\r\n{self.host}\r\n", "404"),
            (f"PUT {good} HTTP/1.1\r\n{self.host}\r\n", "405"),
            (f"GET {good}{'a' * 5000} HTTP/1.1\r\n{self.host}\r\n", "400"),
            ("\r\n\r\n", "400"),
            ("GET\r\n\r\n", "400"),
            ("x" * 9000, "431"),
        )
        for request, status in cases:
            answer = self.ask(request)
            with self.subTest(request=request[:80]):
                # what the server did not read makes the system cut the answer off
                self.assertTrue(answer.startswith(f"HTTP/1.1 {status}") or
                                (status == "431" and answer == ""), answer[:60])
                self.assertNotIn(self.token, answer)
        self.assertIn("200 OK", self.ask(f"GET {good} HTTP/1.1\r\n{self.host}\r\n"))

    def test_noise(self):
        """Random bytes and changed requests: the server goes on."""
        draw = random.Random(1)
        good = f"POST /{self.token}/pause HTTP/1.1\r\n{self.host}\r\n".encode()
        for _ in range(200):
            noise = bytearray(good if draw.random() < 0.7 else draw.randbytes(draw.randrange(9000)))
            for _ in range(draw.randrange(1, 6)):
                if noise:
                    noise[draw.randrange(len(noise))] = draw.choice(b"\0\r\n /:%\xff9")
            if b"\r\n\r\n" not in noise:
                noise += b"\0\r\n\r\n\r\n"
            with socket.create_connection(("127.0.0.1", self.port), timeout=10) as client:
                try:
                    client.sendall(noise)
                except ConnectionError:
                    pass
        for _ in range(40):
            if "200 OK" in self.ask(f"GET /{self.token}/ HTTP/1.1\r\n{self.host}\r\n"):
                break
            time.sleep(0.2)
        else:
            self.fail("no page after the noise")
        self.assertIsNone(self.run.poll())

    def test_crowd(self):
        """Clients that say nothing are dropped, and others are heard again."""
        idle = [socket.create_connection(("127.0.0.1", self.port)) for _ in range(12)]
        begin, answer = time.monotonic(), ""
        while "200 OK" not in answer and time.monotonic() - begin < 15:
            answer = self.ask(f"GET /{self.token}/ HTTP/1.1\r\n{self.host}\r\n")
            time.sleep(0.2)
        print(f"a page after {time.monotonic() - begin:.1f} s beside {len(idle)} silent clients")
        self.assertIn("200 OK", answer)
        for client in idle:
            client.close()

    def listen(self, window=None):
        """A client that asks for events."""
        client = socket.socket()
        self.addCleanup(client.close)
        if window is not None:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, window)
        client.settimeout(20)
        client.connect(("127.0.0.1", self.port))
        client.sendall(f"GET /{self.token}/events?from=0 HTTP/1.1\r\n{self.host}\r\n".encode())
        return client

    def test_resume(self):
        """A run that was stopped in the browser goes on in the browser, with the frames it had."""
        self.listen().recv(4096)
        time.sleep(1)
        self.ask(f"POST /{self.token}/stop HTTP/1.1\r\n{self.host}\r\n")
        self.assertEqual(self.run.wait(timeout=20), 1)
        self.run.stderr.close()
        path = os.path.join(self.folder, "long.h5")
        with h5py.File(path) as file:
            before = int(file["frames/complete"][0])
        self.start("resume", "long.h5", "--view")
        self.assertIn("200 OK", self.ask(f"GET /{self.token}/ HTTP/1.1\r\n{self.host}\r\n"))
        client, text = self.listen(), b""
        while text.count(b"data: ") < 3:
            part = client.recv(1 << 16)
            self.assertNotEqual(part, b"")
            text += part
        self.assertIn("200 OK", self.ask(f"POST /{self.token}/stop HTTP/1.1\r\n{self.host}\r\n"))
        self.assertEqual(self.run.wait(timeout=20), 1)
        with h5py.File(path) as file:
            after = int(file["frames/complete"][0])
            self.assertTrue((np.diff(file["frames/step"][:after]) > 0).all())
        print(f"{before} frames, {after} after resume --view")
        self.assertGreater(after, before)

    def sockets(self):
        """Sockets that the run has open."""
        folder, count = f"/proc/{self.run.pid}/fd", 0
        for name in os.listdir(folder):
            try:
                count += os.readlink(os.path.join(folder, name)).startswith("socket:")
            except OSError:
                pass
        return count

    def test_slow(self):
        """A browser that does not read holds nobody up, and is dropped in the end."""
        self.tearDown()
        self.start("run", "wide.lua", "-o", "wide.h5", "--force", "--view")
        deaf, good = self.listen(4096), self.listen()
        begin = last = time.monotonic()
        longest, size, after, dropped = 0.0, 0, 0, None
        while time.monotonic() - begin < 60 and after < 8:
            part = good.recv(1 << 20)
            self.assertNotEqual(part, b"", "the other browser was dropped too")
            now = time.monotonic()
            longest, last = max(longest, now - last), now
            size += len(part)
            if dropped is not None:
                after += part.count(b"data: ")
            # the server's own, the good one's, and that of the deaf one while it is kept
            elif size > 1 << 16 and self.sockets() == 2:
                dropped = now - begin
        self.assertIsNotNone(dropped, f"a client that does not read is kept at {size} bytes")
        print(f"dropped after {dropped:.1f} s; {size} bytes for the other one, {after} events after "
              f"that, longest silence {longest:.1f} s")
        self.assertGreaterEqual(after, 8)
        self.assertIsNone(self.run.poll())
        # news come four times a second; the rest is the making of pages on a slow machine
        self.assertLess(longest, 2.0)
        self.assertIn("200 OK", self.ask(f"POST /{self.token}/stop HTTP/1.1\r\n{self.host}\r\n"))
        self.assertEqual(self.run.wait(timeout=20), 1)

    def test_late(self):
        """A dozen browsers that ask for all frames of a long run and read nothing: the run goes on, a page
        comes, whoever reads gets everything, and the run ends when it is told to."""
        self.tearDown()
        count = 20
        with open(os.path.join(self.folder, "late.lua"), "w", encoding="utf-8") as file:
            file.write(f"""for i = 1, {count} do body{{position = {{i, 0, 0}}, velocity = {{0, 0, i}}, shape = shape.sphere{{radius = 0.1}}}} end
run{{step = 1e-3, duration = 1e4}}
output{{every = 1, flush = 0, snapshot = 1}}
""")
        path = os.path.join(self.folder, "late.h5")
        self.start("run", "late.lua", "-o", "late.h5", "--force", "--view")
        self.listen().close()

        def steps():
            for _ in range(50):
                try:
                    with h5py.File(path, "r", swmr=True, locking=False) as file:
                        return int(file["frames/complete"][0])
                except (OSError, KeyError):
                    time.sleep(0.02)
            self.fail("the result cannot be read")
        begin = time.monotonic()
        while steps() < 3000 and time.monotonic() - begin < 60:
            time.sleep(0.1)
        before = last = steps()
        self.assertGreaterEqual(before, 3000)
        deaf = [self.listen(1024) for _ in range(12)]
        good = self.listen()
        good.setblocking(False)
        begin = moved = time.monotonic()
        longest, asked, page, text = 0.0, None, None, b""
        while time.monotonic() - begin < 5:
            time.sleep(0.02)
            try:
                text += good.recv(1 << 22)
            except BlockingIOError:
                pass
            now, there = time.monotonic(), steps()
            if there > last:
                longest, last, moved = max(longest, now - moved), there, now
            if asked is None and now - begin > 1:
                asked = now
                other = socket.create_connection(("127.0.0.1", self.port), timeout=10)
                self.addCleanup(other.close)
                other.sendall(f"GET /{self.token}/ HTTP/1.1\r\n{self.host}\r\n".encode())
            if page is None and asked is not None and select.select([other], [], [], 0)[0]:
                self.assertIn(b"200 OK", other.recv(4096))
                page = now - asked
        self.assertIsNotNone(page, "no page in 4 s")
        longest = max(longest, time.monotonic() - moved)
        self.run.terminate()
        begin = time.monotonic()
        good.settimeout(10)
        while (part := good.recv(1 << 22)) != b"":
            text += part
        code = self.run.wait(timeout=20)
        ended = time.monotonic() - begin
        frames = 0
        for line in text.split(b"\n\n"):
            if line.startswith(b"data: "):
                data = zlib.decompress(base64.b64decode(line[6:]))
                at = data.index(b"frames/time\0")
                frames += int.from_bytes(data[at + 40:at + 48], "little")
        stored = steps()
        print(f"{before} frames, {last - before} more beside {len(deaf)} deaf streams in 5 s, longest pause {longest:.2f} s, a page after {page:.2f} s, "
              f"{frames} of {stored} frames read, ended after {ended:.1f} s")
        self.assertEqual(code, 1)
        self.assertEqual(frames, stored)
        self.assertGreater(last, before + 20)
        # parts take 0.02 s and rests four times that; the rest is for a machine that does other things, too
        self.assertLess(longest, 2.0)
        self.assertLess(page, 3.0)
        self.assertLess(ended, 8.0)


if __name__ == "__main__":
    unittest.main()

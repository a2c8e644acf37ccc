#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What people see: the bar of a run, colours, suggestions, meshes that are open or flipped, events.

    STICTION_BIN=build/release/bin/stiction tests/cli/test_terminal.py [-v] [Class.test]

Programs are run in a pseudo-terminal whose screen is kept as a terminal would keep it.
"""

import csv
import fcntl
import io
import json
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
import unittest

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BIN = os.path.abspath(os.environ.get("STICTION_BIN",
                                     os.path.join(ROOT, "build/release/bin/stiction")))
DONE, UNSOLVED, USAGE, INPUT = 0, 1, 2, 3
SCENE = """title "bouncing"
material{name = "stone", density = 2000, friction = 0.4, restitution = 0.5}
floor{material = "stone"}
for i = 1, 12 do
    body{name = "ball" .. i, material = "stone", position = {i, 0, 1}, shape = shape.sphere{radius = 0.2}}
end
scheme "moreau"
run{step = 1e-4, duration = %g}
output{every = 7}
history{name = "height", quantity = "centre", body = "ball1", component = "z"}
"""
EVENTS = """material{name = "m", friction = 0.3, restitution = 0.5}
floor{material = "m"}
body{name = "a, \\"b\\"", mass = 1, material = "m", position = {0, 0, 1.1}, shape = shape.sphere{radius = 0.1}}
scheme "event"
run{step = 1e-2, duration = 1}
"""
ESCAPE = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def run(*words, **options):
    return subprocess.run([BIN, *words], stdin=subprocess.DEVNULL, capture_output=True,
                          encoding="utf-8", check=False, timeout=120, **options)


def in_terminal(words, columns=80, **env):
    """Run in a terminal of a width: everything it was sent, and the exit code."""
    child, screen = pty.fork()
    if child == 0:
        os.environ.pop("NO_COLOR", None)
        os.environ.update({"TERM": "xterm-256color", **env})
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        os.execv(BIN, [BIN, *words])
    sent = b""
    while True:
        try:
            part = os.read(screen, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        sent += part
    os.close(screen)
    return sent.decode(), os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def screen(sent, columns):
    """Lines a terminal shows in the end; a line longer than the terminal goes on in the next one."""
    lines, at, i = [""], 0, 0
    while i < len(sent):
        escape = ESCAPE.match(sent, i)
        if escape:
            if escape.group() == "\x1b[K":
                lines[-1] = lines[-1][:at]
            i = escape.end()
            continue
        letter, i = sent[i], i + 1
        if letter == "\r":
            at = 0
        elif letter == "\n":
            lines.append("")
        else:
            if at == columns:
                lines.append("")
                at = 0
            lines[-1] = lines[-1][:at].ljust(at) + letter + lines[-1][at + 1:]
            at += 1
    return lines


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, name, text):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path


class Progress(Case):
    def run_in_terminal(self, columns, **env):
        scene = self.write("b.lua", SCENE % 5)
        words = ["run", scene, "-o", os.path.join(self.folder.name, "b.h5"), "--force"]
        sent, code = in_terminal(words, columns, **env)
        self.assertEqual(code, DONE, sent)
        return sent

    def test_bar(self):
        for columns in (120, 40, 24):
            sent = self.run_in_terminal(columns)
            drawn = [ESCAPE.sub("", line) for line in sent.split("\n", 1)[0].split("\r") if "%" in line]
            print(f"  {columns} columns: {drawn[-1]}")
            self.assertGreater(len(drawn), 0)
            # one line that fits, goes on, and is removed
            self.assertLess(max(map(len, drawn)), columns)
            parts = [int(re.search(r"(\d+) %", line)[1]) for line in drawn]
            self.assertEqual(parts, sorted(parts))
            self.assertTrue(all(0 <= part <= 100 for part in parts))
            for line in drawn:
                self.assertIn(" left", line)
                bar = re.search(r"\[(#*)(\.*)\]", line)
                if columns >= 40:
                    self.assertIn("steps/s" if columns > 80 else "[", line)
                    full = len(bar[1]) / len(bar[1] + bar[2])
                    self.assertLess(abs(full - int(re.search(r"(\d+) %", line)[1]) / 100),
                                    0.011 + 1 / len(bar[1] + bar[2]))
            left = "\n".join(screen(sent, columns))
            self.assertNotIn("left", left)
            self.assertNotIn("#", left)
            self.assertIn("bouncing", left)

    def test_rate(self):
        """Rate times time left is the number of steps that are left."""
        sent = self.run_in_terminal(120)
        for line in ESCAPE.sub("", sent).split("\r"):
            found = re.search(r"(\d+) %\s+([\d.]+) s left\s+([\d.]+) steps/s\s+t\s+([\d.]+) of 5 s", line)
            if found:
                left, rate, now = (float(found[k]) for k in (2, 3, 4))
                self.assertLess(abs(left * rate - (5 - now) / 1e-4), 0.06 * rate + 0.001 / 1e-4 + 30)

    def test_plain(self):
        """A dumb terminal and a pipe get lines, and no escape sequences."""
        sent = self.run_in_terminal(80, TERM="dumb")
        self.assertNotIn("\x1b", sent)
        self.assertEqual(len(re.findall(r"^step \d+ of 50000, ", sent, re.M)), 9)
        scene = self.write("p.lua", SCENE % 0.1)
        result = run("run", scene, "-o", os.path.join(self.folder.name, "p.h5"))
        self.assertNotIn("\x1b", result.stdout + result.stderr)
        self.assertEqual(len(re.findall(r"^step \d+ of 1000, ", result.stderr, re.M)), 9)

    def test_colours(self):
        scene = self.write("c.lua", SCENE % 0.01 + """
check{name = "met", quantity = "centre", body = "ball1", component = "z", value = 1, tolerance = 1}
check{name = "missed", quantity = "centre", body = "ball1", component = "z", value = 9, tolerance = 1}
""")
        words = ["run", scene, "--force", "-o", os.path.join(self.folder.name, "c.h5")]
        sent, code = in_terminal(words, 100)
        self.assertEqual(code, UNSOLVED)
        self.assertIn("\x1b[32m  check      \x1b[0m met", sent)
        self.assertIn("\x1b[1;31m  check      \x1b[0m missed", sent)
        self.assertIn("\x1b[1;31mstiction: \x1b[0m", in_terminal(["info", "nothing.h5"])[0])
        for env in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            for more in (words, ["info", "nothing.h5"], ["help"], ["list", "schemes"]):
                text = in_terminal(more, 100, **env)[0]
                self.assertNotRegex(text, r"\x1b\[[0-9;]*m")
        # the same words with and without
        coloured = ESCAPE.sub("", in_terminal(["list", "schemes"], 200)[0]).replace("\r\n", "\n")
        self.assertEqual(coloured, run("list", "schemes").stdout)

    def test_width(self):
        """Help, lists and summaries fit into 80 columns."""
        commands = re.findall(r"^  (\w+) ", run("help").stdout.split("exit codes")[0], re.M)
        self.assertIn("events", commands)
        result = os.path.join(self.folder.name, "w.h5")
        run("run", self.write("w.lua", SCENE % 0.01), "-o", result)
        pages = [["help"], *([name, "--help"] for name in commands), ["list", "schemes"],
                 ["list", "settings"], ["list", "statements"], ["info", result]]
        for words in pages:
            text = ESCAPE.sub("", in_terminal(words, 80)[0])
            for line in text.replace("\r", "").split("\n"):
                if result not in line:
                    self.assertLessEqual(len(line), 80, line)


class Histories(Case):
    def test_last_state(self):
        """The CSV ends with the last state, also where no row was due; a resumed run has one end."""
        scene = self.write("h.lua", SCENE % 0.01)
        rows = {}
        for name, ends in (("whole", [0.01]), ("parts", [0.0025, 0.005, 0.01])):
            path = os.path.join(self.folder.name, name + ".h5")
            run("run", scene, "-o", path, "--until", str(ends[0]))
            for end in ends[1:]:
                self.assertEqual(run("resume", path, "--until", str(end)).returncode, DONE)
            with open(os.path.join(self.folder.name, name + ".csv"), encoding="utf-8") as file:
                rows[name] = file.read()
        times = [float(line.split(",")[0]) for line in rows["whole"].splitlines()[1:]]
        self.assertEqual(rows["parts"], rows["whole"])
        self.assertEqual(len(times), 1 + 100 // 7 + 1)
        self.assertLess(abs(times[-1] - 0.01), 1e-12)
        # a ball in free fall: z = 1 - g t^2 / 2, to the order of the scheme
        height = float(rows["whole"].splitlines()[-1].split(",")[1])
        self.assertLess(abs(height - (1 - 0.5 * 9.81 * 0.01**2)), 1e-4 * 9.81 * 0.01)


class WallTime(Case):
    def test_parts(self):
        """What the summary says of solver, rest and output adds up to no more than the whole."""
        scene = self.write("w.lua", SCENE % 0.01)
        for name in ("a", "b", "c"):
            text = run("run", scene, "-o", os.path.join(self.folder.name, name + ".h5")).stdout
            whole, *parts = map(float, re.search(r"wall time +(\S+) s: solver (\S+), rest of the steps (\S+), output ([^;]+);",
                                                 text).groups())
            print(f"  {sum(parts):.4g} of {whole:.4g} s")
            # three digits are printed
            self.assertLessEqual(sum(parts), 1.01 * whole)


class Names(unittest.TestCase):
    def test_list_names(self):
        """Names alone, one per line, for scripts and completion; the settings are those of --set."""
        for topic, some in (("solvers", "auto"), ("schemes", "koziara"), ("settings", "scheme.theta"), ("laws", "cone"),
                            ("scenes", "arch"), ("models", "woodpecker"), ("quantities", "penetration")):
            lines = run("list", topic, "--names", cwd=ROOT).stdout.splitlines()
            self.assertIn(some, lines)
            self.assertEqual([line for line in lines if " " in line], [], topic)
        self.assertEqual(run("list", "laws", "--names", "--json").returncode, 2)


class Suggestions(Case):
    def fails(self, scene, *words, code=INPUT):
        path = self.write("s.lua", scene)
        result = run("run", path, "-o", os.path.join(self.folder.name, "s.h5"), *words)
        self.assertEqual(result.returncode, code, result.stderr)
        return result.stderr

    def test_names(self):
        scene = SCENE % 0.01
        self.assertIn('did you mean "stone"?', self.fails(scene + 'floor{name = "f", material = "stoen"}'))
        self.assertIn("did you mean 'moreau'?", self.fails(scene.replace('"moreau"', '"moraeu"')))
        self.assertIn("did you mean 'nsgs'?", self.fails(scene + 'solver "nsgz"'))
        self.assertIn('did you mean "ball12"?', self.fails(
            scene + 'history{quantity = "speed", body = "bball12"}'))
        for word, meant in (("relaxd.delta", "relaxed"), ("solvr.tolerance", "solver"),
                            ("rum.step", "run"), ("moraeu.rotation", "moreau"),
                            ("scheme.rotatoin", "rotation"), ("solver.tolerence", "tolerance"),
                            ("output.evry", "every")):
            self.assertIn(f"did you mean '{meant}'?", self.fails(scene, "--set", word + "=1", code=USAGE))
        self.assertIn("the scheme of the scene is moreau; scheme=relaxed chooses another",
                      self.fails(scene, "--set", "relaxed.delta=1", code=USAGE))
        self.assertIn("the first word must be run", self.fails(scene, "--set", "qqqqqq=1", code=USAGE))


class Meshes(Case):
    VERTICES = [(x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1)]
    QUADS = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]

    def run_mesh(self, name, faces, kind):
        self.write(name, "".join("v %g %g %g\n" % vertex for vertex in self.VERTICES) +
                   "".join("f " + " ".join(str(i + 1) for i in face) + "\n" for face in faces))
        scene = self.write("m.lua", f"""material{{name = "m", density = 1000, friction = 0.5}}
floor{{material = "m"}}
body{{name = "cube", kind = "{kind}", material = "m", shape = shape.mesh{{file = "{name}"}}}}
body{{name = "ball", material = "m", position = {{0.5, 0.5, 1.5}}, shape = shape.sphere{{radius = 0.1}}}}
run{{step = 1e-3, duration = 0.01}}
""")
        return run("run", scene, "--force", "-o", os.path.join(self.folder.name, "m.h5"))

    def test_flaws(self):
        turned = [face[::-1] for face in self.QUADS]
        for name, faces, said, noted in (
                ("good.obj", self.QUADS, None, None),
                ("open.obj", self.QUADS[1:], "it is open: 4 edges belong to one face only. Close", None),
                ("flip.obj", turned[:1] + self.QUADS[1:], "1 of its 6 faces is flipped, clockwise seen from outside. Turn",
                 "1 of its 6 faces is flipped"),
                ("inside.obj", turned, "it is inside out: all 6 faces", "it is inside out: all 6 faces")):
            moving, fixed = (self.run_mesh(name, faces, kind) for kind in ("rigid", "fixed"))
            self.assertEqual(fixed.returncode, DONE, fixed.stderr)
            if noted:
                self.assertIn(f"note: the mesh {name} (line 3): {noted}", fixed.stderr)
            else:
                self.assertNotIn("mesh", fixed.stderr)
            if said:
                self.assertEqual(moving.returncode, INPUT)
                self.assertIn(f"m.lua:3: body 'cube': its mesh {name} has no volume to take a mass from, "
                              f"since {said}", moving.stderr)
                self.assertIn("or give the body a mass, a centre and an inertia", moving.stderr)
            else:
                self.assertEqual(moving.returncode, DONE, moving.stderr)


class Events(Case):
    def setUp(self):
        super().setUp()
        self.result = os.path.join(self.folder.name, "e.h5")
        run("run", self.write("e.lua", EVENTS), "-o", self.result)

    def test_forms(self):
        objects = [json.loads(line) for line in run("events", self.result, "--json").stdout.splitlines()]
        rows = list(csv.DictReader(io.StringIO(run("events", self.result, "--csv").stdout)))
        lines = run("events", self.result).stdout.splitlines()
        self.assertEqual((len(rows), len(lines) - 1), (len(objects), len(objects)))
        # the fall, then bounces of half the speed each
        fall = (2 / 9.81)**0.5
        impacts = [event for event in objects if event["kind"] == "impact"]
        for event, time, speed in zip(impacts, (fall, 2 * fall), (9.81 * fall, 0.5 * 9.81 * fall)):
            self.assertLess(abs(event["time"] - time), 1e-12)
            self.assertLess(abs(event["value"] - speed), 1e-11)
            self.assertEqual((event["unit"], event["bodies"], event["points"]), ("m/s", ['a, "b"', "floor"], 1))
        for event, row, line in zip(objects, rows, lines[1:]):
            self.assertEqual((float(row["time"]), row["kind"], row["body_a"], row["body_b"]),
                             (event["time"], event["kind"], 'a, "b"', "floor"))
            self.assertTrue(line.split()[0].startswith(f"{event['time']:.9f}"))
            self.assertIn(event["kind"], line)
            self.assertIn('a, "b" and floor', line)
        print(f"  {len(objects)} events, first impact {impacts[0]['time']:.15g} s")

    def test_filters(self):
        text = run("events", self.result, "--kind", "impact", "--body", "floor", "--json").stdout
        self.assertEqual({json.loads(line)["kind"] for line in text.splitlines()}, {"impact"})
        self.assertEqual(run("events", self.result, "--kind", "slip", "--csv").stdout.count("\n"), 1)
        for words, said in ((["--kind", "impct"], "did you mean 'impact'?"), (["--body", "flor"], "did you mean 'floor'?"),
                            (["--csv", "--json"], "either --csv or --json")):
            result = run("events", self.result, *words)
            self.assertEqual(result.returncode, USAGE)
            self.assertIn(said, result.stderr)

    def test_none(self):
        plain = os.path.join(self.folder.name, "plain.h5")
        run("run", self.write("plain.lua", SCENE % 0.001), "-o", plain)
        result = run("events", plain)
        self.assertEqual((result.returncode, result.stdout), (DONE, ""))
        self.assertIn("no events are stored", result.stderr)
        self.assertEqual(run("events", os.path.join(self.folder.name, "none.h5")).returncode, INPUT)


if __name__ == "__main__":
    unittest.main(verbosity=2, testRunner=unittest.TextTestRunner(stream=sys.stdout, verbosity=2))

#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The pages for users do what they say: every block of README.md and docs/guide is run, in the order of the page.

    STICTION_BIN=build/release/bin/stiction tests/cli/test_docs.py [-v] [Class.test]

Runs of scenes are cut short. A block that is neither commands nor a scene nor Python must be named in OTHER below. Commands
anywhere in the documentation use options that the program has.
"""

import functools
import glob
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
import urllib.request

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BIN = os.path.abspath(os.environ.get("STICTION_BIN",
                                     os.path.join(ROOT, "build/release/bin/stiction")))
DONE, UNSOLVED = 0, 1

HAS_VIEWER = "no viewer" not in subprocess.run([BIN, "view", "none.h5"], text=True, check=False,
                                               stdout=subprocess.PIPE, stderr=subprocess.PIPE).stderr

# what the words in capitals stand for
STANDS_FOR = {"FILE…": "problems/block-sticks.dat problems/stack.h5", "FILE": "problems/block-sticks.dat",
              "IN.dat": "problems/block-sticks.dat", "SCENE": "scenes/dominoes.lua",
              "FILE.h5": "dominoes.h5", "T": "0.2"}
# blocks that are not run: their first words
OTHER = {
    "README.md": ["Verdict (the static theorem", "/usr/bin/python3 -m venv", "cc fall.c"],  # what ./demo prints, see test_demo; tests/install builds it
    "docs/guide/forces.md": ["minimise |z|^2"],
    # tests/cli of limit analysis compare these numbers
    "docs/guide/limit.md": ["scenes/arch.lua: 112 contacts"],
    # how to build with an installed library, see tests/install
    "docs/tutorial/first-program.md": ["cc stack.c"],
    "docs/guide/c.md": ["#include \"stiction/stiction.h\"", "cc stack.c", "find_package(stiction"],
}
# fields that a guide leaves out with an ellipsis
LEFT_OUT = "mass = 1, position = {0, 0, 1}, shape = shape.sphere{radius = 0.1}"


def pages(*patterns):
    return [os.path.relpath(path, ROOT) for pattern in patterns
            for path in sorted(glob.glob(os.path.join(ROOT, pattern)))]


def read(page):
    with open(os.path.join(ROOT, page), encoding="utf-8") as file:
        return file.read()


def blocks(page):
    """Fenced blocks as (language, text)."""
    return re.findall(r"^```(\w*)\n(.*?)^```$", read(page), re.M | re.S)


def command(line):
    """The words of a command without prompt and explanation."""
    line = re.sub(r"^\$ ", "", line)
    return re.split(r"\s+#\s|\s{3,}", line)[0].strip()


class Guide(unittest.TestCase):
    """One page in one folder, from its first block to its last."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="stiction-docs-")
        self.addCleanup(shutil.rmtree, self.folder)
        for name in ("scenes", "problems"):
            os.symlink(os.path.join(ROOT, name), os.path.join(self.folder, name))
        self.ran = 0

    def call(self, *words, codes=(DONE, UNSOLVED)):
        result = subprocess.run([BIN, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, check=False, cwd=self.folder, timeout=120)
        self.assertIn(result.returncode, codes, f"{words}\n{result.stdout}{result.stderr}")
        return result

    def watch(self, words):
        """A run with --view waits for a browser: the page is asked for, then the run is interrupted."""
        process = subprocess.Popen([BIN, *words], cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stderr.close)
        address = None
        while address is None:
            address = re.search(r"http://127\.0\.0\.1:\S+", process.stderr.readline())
        address = address.group()
        with urllib.request.urlopen(address, timeout=60) as page:
            self.assertIn(b"<!doctype html>", page.read())
        process.send_signal(signal.SIGINT)
        self.assertIn(process.wait(timeout=60), (DONE, UNSOLVED))

    def one(self, line):
        """One line of a block of commands."""
        words = shlex.split(" ".join(STANDS_FOR.get(word, word) for word in line.split()))
        if words[0] != "stiction":
            # a script of the project
            self.assertTrue(os.access(os.path.join(ROOT, words[0]), os.X_OK), line)
            return
        words = words[1:]
        if words[0] == "run" and "--until" not in words:
            words += ["--until", "0.05"]
        # a dumped problem: any will do
        for i, word in enumerate(words):
            if word.startswith("NAME.step-"):
                found = sorted(glob.glob(os.path.join(self.folder, "*.step-*.h5")))
                words[i] = found[0] if found else "problems/stack.h5"
        if not HAS_VIEWER and (words[0] == "view" or "--view" in words):
            return
        if "--view" in words:
            self.watch(words)
        else:
            self.call(*words, codes=(DONE,) if words[0] in ("view", "plot", "export", "list", "convert", "info")
                      else (DONE, UNSOLVED))
        self.ran += 1

    def scene(self, page, text):
        """A scene, or statements of one."""
        whole = "run{" in text
        text = text.replace("…", LEFT_OUT)
        if not whole:
            with open(os.path.join(self.folder, "record.csv"), "w") as file:
                file.write("0,0\n0.1,0.2\n1,0\n")
            text += "\nscheme \"moreau\"\nrun{step = 0.001, duration = 0.05}\n"
        # the page says later what its scene is called
        names = re.findall(r"stiction (?:run|compare) (\w+\.lua)", read(page))
        name = names[0] if whole else "part.lua"
        with open(os.path.join(self.folder, name), "w") as file:
            file.write(text)
        self.call("run", name, "--until", "0.05", codes=(DONE,))
        self.ran += 1

    def python(self, text):
        """A program that reads a result."""
        for name in re.findall(r"File\(\"(\w+\.h5)\"", text):
            if not os.path.exists(os.path.join(self.folder, name)):
                self.call("run", "scenes/dominoes.lua", "-o", name, "--until", "0.05")
        package = os.path.join(os.path.dirname(BIN), "..", "python")
        if "import stiction" in text and not os.path.isdir(package):
            return
        result = subprocess.run([sys.executable, "-c", text], cwd=self.folder, text=True, check=False,
                                env={**os.environ, "PYTHONPATH": package},
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        self.assertEqual(result.returncode, 0, result.stderr)
        if "print(" in text:
            self.assertTrue(result.stdout.strip())
        self.ran += 1

    def follow(self, page):
        left = list(OTHER.get(page, []))
        for language, text in blocks(page):
            first = text.strip().split("\n")[0]
            other = [start for start in left if first.startswith(start)]
            if other:
                left.remove(other[0])
            elif language == "lua":
                self.scene(page, text)
            elif language == "python":
                self.python(text)
            elif language == "c":
                # programs are quoted whole; tests/install runs them
                self.assertTrue(any(text in read(path) for path in pages("examples/*.c")), text[:80])
            elif first.startswith("$ "):
                self.transcript(text)
            else:
                for line in filter(None, (command(line) for line in text.split("\n"))):
                    self.one(line)
        self.assertEqual(left, [], "blocks that are gone")
        print(f"  {page}: {self.ran} commands, scenes and programs")
        return self.ran

    def transcript(self, text):
        """What the page shows is what the program says, but for times and last digits."""
        lines = text.strip().split("\n")
        words = shlex.split(command(lines[0]))
        self.assertEqual(words[0], "build/release/bin/stiction")
        said = self.call(*words[1:]).stdout.strip().split("\n")

        def facts(line):
            row = line.split()
            return row[:5] if row and re.search(r"\.(dat|h5)$", row[0]) else row
        # an ellipsis stands for any number of lines
        at = 0
        for shown, after in zip(lines[1:], lines[2:] + [None]):
            if shown == "…":
                while at < len(said) and facts(said[at]) != facts(after or ""):
                    at += 1
                continue
            self.assertLess(at, len(said), shown)
            self.assertEqual(facts(shown), facts(said[at]))
            at += 1
        self.assertEqual(at, len(said), "lines that the page does not show")
        self.ran += 1

    def test_readme(self):
        self.assertGreaterEqual(self.follow("README.md"), 15)

    def test_guides(self):
        ran = 0
        # the tutorial of Python is one program: tests/python/test_tutorial.py runs it
        found = [page for page in pages("docs/guide/*.md", "docs/tutorial/*.md") if page != "docs/tutorial/python.md"]
        self.assertGreaterEqual(len(found), 4)
        for page in found:
            with self.subTest(page=page):
                self.setUp()
                ran += self.follow(page)
        self.assertGreaterEqual(ran, 12)

    def test_column(self):
        """The grain of the tutorial comes as far as the page says."""
        page = "docs/tutorial/granular-column.md"
        with open(os.path.join(self.folder, "column.lua"), "w", encoding="utf-8") as file:
            file.write(next(text for language, text in blocks(page) if language == "lua"))
        self.call("run", "column.lua", codes=(DONE,))
        with open(os.path.join(self.folder, "column.csv"), encoding="utf-8") as file:
            rows = file.read().split("\n")
        begin, end = re.search(r"began at x = (\S+) m,.* has come to (\S+) m after a second", read(page)).groups()
        print(f"the front: {rows[1]} … {rows[-2]}; the page: {begin}, {end} m")
        # a grain of a flow is known to two digits: the third changes with the last bits of its solver
        self.assertEqual([f"{float(rows[i].split(',')[1]):.{digits}f}" for i, digits in ((1, 3), (-2, 2))], [begin, end])

    def test_contributing(self):
        self.follow("CONTRIBUTING.md")

    def test_result_format(self):
        """The program in the reference of result files."""
        programs = [text for language, text in blocks("docs/reference/result-format.md") if language == "python"]
        self.assertTrue(programs)
        for text in programs:
            self.python(text)


class Words(unittest.TestCase):
    def test_demo(self):
        """What the README says ./demo prints is in ./demo."""
        with open(os.path.join(ROOT, "demo"), encoding="utf-8") as file:
            demo = file.read()
        shown = next(text for _, text in blocks("README.md") if text.startswith("Verdict"))
        for line in shown.split("\n"):
            # what the script puts together at run time
            for part in re.split(r"\d+\.\d+ m: |crown is \S+ m|; result in |build/demo/|…", line):
                part = re.sub(r"\.(h5|html)$", "", part.strip())
                if part and part not in ("thickness",):
                    self.assertIn(part, demo, line)

    def test_structures(self):
        """The reference of scenes has every field of arch, wall, dome, pile and their like, and no other."""
        lua = "".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', read("src/scene/prelude.c")))
        stated = set(re.findall(r"^\| `(\w+\{\w+)\}` \|", read("docs/reference/scenes.md").split("## Structures")[1], re.M))
        found = set()
        for name, rest in re.findall(r"fields\('(\w+)', t, \{(.*?)\}\)", lua):
            keys = re.findall(r"(\w+) = ", re.sub(r"\{[^{}]*\}", "", rest))
            found |= {f"{name}{{{key}" for key in keys}
        self.assertEqual(found - stated, set())
        self.assertEqual(stated - found, set())
        print(f"{len(found)} fields")

    def test_options(self):
        """Every command of the documentation, in blocks and in sentences, has a name and options that the program knows."""
        count = 0
        for page in pages("*.md", "docs/*.md", "docs/*/*.md", "problems/*.md", "bench/results/*.md"):
            code = [line for _, text in blocks(page) for line in text.split("\n")]
            code += re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```$", "", read(page), flags=re.M | re.S))
            for line in code:
                words = re.match(r"(?:\$ )?(?:build/release/bin/)?stiction ([a-z].*)", line)
                if words is None or line.startswith("stiction 0."):
                    continue
                name, *rest = command(words.group(1)).split()
                for word in rest:
                    if re.match(r"--?[a-z]", word):
                        self.assertIn(word.split("=")[0], self.options(name), f"{page}: {line}")
                self.options(name)
                count += 1
        print(f"  {count} commands with known options")
        self.assertGreater(count, 40)

    @functools.lru_cache(maxsize=None)
    def options(self, name):
        page = subprocess.run([BIN, "help", name], text=True, check=False, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
        self.assertEqual(page.returncode, DONE, page.stderr)
        return set(re.findall(r"--[a-z-]+|(?<= )-[a-z]\b", page.stdout))


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The program stiction, run as users run it: output, files, messages, exit codes.

    STICTION_BIN=build/release/bin/stiction tests/cli/test_cli.py [-v] [Class.test]
"""

import csv
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
ROOT = os.path.dirname(os.path.dirname(HERE))
BIN = os.environ.get("STICTION_BIN", os.path.join(ROOT, "build/release/bin/stiction"))
PROBLEMS = os.path.join(ROOT, "problems")
BLOCKS = [os.path.join(PROBLEMS, f"block-{state}.dat") for state in ("slides", "sticks", "tips")]
STACK = os.path.join(PROBLEMS, "stack.h5")
SHIPPED = BLOCKS + [STACK]
COLLECTION = os.environ.get("STICTION_PROBLEMS",
                            os.path.join(os.path.dirname(ROOT), "shared/data/problems"))

DONE, UNSOLVED, USAGE, INPUT, INTERNAL = range(5)
ERRORS = ("error_relative", "error_siconos", "error_unit_free")


def run(*words, **options):
    """Run the program; output as text unless bytes are asked for."""
    options.setdefault("text", True)
    if options["text"]:
        options.setdefault("encoding", "utf-8")
    return subprocess.run([BIN, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=120, check=False, **options)


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="stiction-cli-")
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return self.path(name)

    def call(self, *words, code=DONE):
        """Standard output of a call that must end with `code` and, if 0, say nothing else."""
        result = run(*words)
        self.assertEqual(result.returncode, code, result.stderr)
        if code == DONE:
            self.assertEqual(result.stderr, "")
        return result.stdout

    def rows(self, *words, code=DONE):
        return [json.loads(line) for line in self.call(*words, "--json", code=code).splitlines()]

    def fails(self, code, *words):
        """What a failing call says; its standard output must be empty."""
        result = run(*words)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertTrue(result.stderr.startswith("stiction"), result.stderr)
        return result.stderr


class Usage(Case):
    def test_no_command(self):
        result = run()
        self.assertEqual((result.returncode, result.stdout), (USAGE, ""))
        self.assertIn("usage: stiction", result.stderr)

    def test_help(self):
        overview = self.call("help")
        self.assertEqual(overview, self.call("--help"))
        self.assertEqual(overview, self.call("-h"))
        for command in ("solve", "info", "existence", "enumerate", "convert", "list", "help", "version"):
            self.assertRegex(overview, rf"(?m)^  {command} ")
            page = self.call(command, "--help")
            self.assertTrue(page.startswith(f"usage: stiction {command}"))
            self.assertEqual(page, self.call("help", command))
            self.assertIn("exit codes:", page)
            self.assertLessEqual(max(map(len, page.splitlines())), 96)
            # help wins over whatever follows it
            self.assertEqual(page, self.call(command, "-h", "--nonsense"))

    def test_version(self):
        self.assertRegex(self.call("version"), r"^stiction \d+\.\d+\.\d+\n$")
        self.assertEqual(self.call("version"), self.call("--version"))

    def test_suggestions(self):
        for words, hint in ((("sovle",), "did you mean 'solve'?"),
                            (("solve", "--sover", "nsgs"), "did you mean '--solver'?"),
                            (("solve", "--tolerence=1"), "there is no option '--tolerence=1'"),
                            (("solve", "--max-second=1"), "did you mean '--max-seconds'?"),
                            (("solve", "--solver", "nsg", STACK), "did you mean 'nsgs'?"),
                            (("solve", "--format", "flib", STACK), "did you mean 'fclib'?"),
                            (("list", "solver"), "did you mean 'solvers'?"),
                            (("help", "inf"), "did you mean 'info'?"),
                            (("solve", "-x", STACK), "there is no option '-x'"),
                            (("solve", "--solver", "zzzzz", STACK), "there is no solver 'zzzzz'"),
                            (("info", "--format", "zzzzz", STACK), "there is no format 'zzzzz'")):
            message = self.fails(USAGE, *words)
            self.assertIn(hint, message)
            self.assertIn("--help'", message)

    def test_operands(self):
        self.assertIn("FILE… is missing", self.fails(USAGE, "solve"))
        self.assertIn("FILE… is missing", self.fails(USAGE, "info", "--json"))
        self.assertIn("IN and OUT are needed", self.fails(USAGE, "convert", STACK))
        self.assertIn("one word too many", self.fails(USAGE, "convert", STACK, "b.h5", "c"))
        self.assertIn("one word too many", self.fails(USAGE, "version", "1"))

    def test_values(self):
        self.assertIn("--tol needs a value", self.fails(USAGE, "solve", STACK, "--tol"))
        self.assertIn("--json takes no value", self.fails(USAGE, "solve", STACK, "--json=1"))
        for option, value in (("--tol", "x"), ("--tol", "-1"), ("--tol", "nan"), ("--tol", ""),
                              ("--norm", "euclid"), ("--max-seconds", "-1"),
                              ("--max-iterations", "1.5"), ("--max-iterations", "1e99"),
                              ("--threads", "0"), ("--threads", "two"), ("--threads", "9999"),
                              ("--threads", "")):
            message = self.fails(USAGE, "solve", STACK, option, value)
            self.assertIn(f"{option} {value}:", message)

    def test_set(self):
        for value, hint in (("nsgs.omga=1", "did you mean 'omega'?"),
                            ("ngs.omega=1", "did you mean 'nsgs'?"),
                            ("solve.tolerence=1", "did you mean 'tolerance'?"),
                            ("zzzzzz.omega=1", "nothing is called 'zzzzzz'"),
                            ("nsgs.omega=7", "outside"),
                            ("nsgs.omega=x", "not a number"),
                            ("nsgs.form=dense", "not one of auto, explicit, factored"),
                            ("nsgs.omega", "table.field=value"),
                            ("omega=1", "table.field=value"),
                            ("sor-prox.omega=1", "has no effect: the solver is")):
            message = self.fails(USAGE, "solve", STACK, "--set", value)
            self.assertIn(hint, message)
            self.assertIn(f"--set {value}", message)

    def test_every_way_to_write_options(self):
        """Long with = or blank, short with and without blank, -- before names with dashes."""
        odd = self.path("-o.dat")
        shutil.copy(BLOCKS[0], odd)
        reference = self.rows("solve", BLOCKS[0], "--tol", "1e-6", "--solver=sor-prox")[0]
        for words in (("--tol=1e-6", "--solver", "sor-prox", BLOCKS[0]),
                      (BLOCKS[0], "--solver=sor-prox", "--tol", "1e-6"),
                      (BLOCKS[0], "--solver=nsgs", "--solver=sor-prox", "--tol=1e-6")):
            row = self.rows("solve", *words)[0]
            self.assertEqual({**row, "seconds": 0}, {**reference, "seconds": 0})
        for words in (("-o", self.path("a.h5")), (f"-o{self.path('b.h5')}",),
                      ("--output", self.path("c.h5")), (f"--output={self.path('d.h5')}",)):
            self.rows("solve", BLOCKS[0], *words)
        for name in "abcd":
            self.assertTrue(os.path.isfile(self.path(name + ".h5")))
        result = subprocess.run([BIN, "solve", "--json", "--", "-o.dat"], cwd=self.folder,
                                stdout=subprocess.PIPE, check=True)
        self.assertEqual(json.loads(result.stdout)["problem"], "-o.dat")

    def test_closed_and_full_output(self):
        """A reader that goes away is no failure; a full disk is."""
        for words in (["list", "settings"], ["solve", "--solver", "all", *SHIPPED],
                      ["help", "solve"]):
            reader, writer = os.pipe()
            os.close(reader)
            result = subprocess.run([BIN, *words], stdout=writer, stderr=subprocess.PIPE,
                                    check=False)
            os.close(writer)
            self.assertIn(result.returncode, (DONE, UNSOLVED))
            self.assertEqual(result.stderr, b"")
            with open("/dev/full", "w", encoding="ascii") as full:
                result = subprocess.run([BIN, *words], stdout=full, stderr=subprocess.PIPE,
                                        check=False)
            self.assertEqual(result.returncode, INPUT)
            self.assertIn(b"standard output cannot be written", result.stderr)


class Solve(Case):
    def test_table(self):
        lines = self.call("solve", *SHIPPED).splitlines()
        self.assertRegex(lines[0], r"^stiction \d.*unit-free error is at most 1e-08; 1 thread$")
        heads = lines[1].split()
        self.assertEqual(heads, ["problem", "contacts", "dim", "solver", "outcome", "iterations",
                                 "seconds", "relative", "siconos", "unit-free"])
        self.assertEqual(lines[-1], "4 of 4 solved")
        self.assertEqual([line.split()[0] for line in lines[2:-1]],
                         [os.path.basename(path) for path in SHIPPED])
        for line in lines[2:-1]:
            cells = line.split()
            self.assertEqual(len(cells), 10)
            self.assertEqual(cells[4], "solved")
            self.assertLessEqual(float(cells[7]), 1e-8)
            # columns are aligned: the last one ends where its heading ends
            self.assertEqual(len(line), len(lines[1]))

    def test_json(self):
        rows = self.rows("solve", *SHIPPED)
        self.assertEqual([row["problem"] for row in rows], SHIPPED)
        self.assertEqual([row["contacts"] for row in rows], [2, 2, 2, 20])
        self.assertEqual([row["dimension"] for row in rows], [2, 2, 2, 3])
        self.assertEqual([row["dof"] for row in rows], [0, 0, 0, 30])
        self.assertEqual([row["density"] for row in rows], [None, None, None, 2])
        for row in rows:
            self.assertEqual(row["outcome"], "solved")
            self.assertGreater(row["iterations"], 0)
            self.assertGreater(row["seconds"], 0.0)
            self.assertGreater(row["work"], 0.0)
            self.assertIs(row["at_floor"], False)
            self.assertTrue(row["method"])
            self.assertLessEqual(row["error_relative"], 1e-8)
            self.assertGreaterEqual(row["error_unit_free"], 0.0)
            self.assertLessEqual(row["error_siconos"], row["error_relative"] * (1 + 1e-12))

    def test_every_solver(self):
        """Outcome by name; what does not solve is named here, everything else must."""
        singular = "refused"
        expected = {(path, name): singular for path in SHIPPED for name in ("gamma-prox", "projection")}
        # the splitting of eqs. 57, 59 contracts only where the contacts are loosely coupled
        expected[(BLOCKS[1], "jacobi-prox")] = "iteration-limit"
        expected[(STACK, "jacobi-prox")] = "diverged"
        # a contact sticks beyond the chords of the facets
        expected[(STACK, "lemke")] = "stalled"
        # the relaxation is Coulomb's law only where nothing slides
        expected[(BLOCKS[0], "convex")] = expected[(STACK, "convex")] = "stalled"
        rows = self.rows("solve", "--solver", "all", *SHIPPED, code=UNSOLVED)
        names = [entry["name"] for entry in self.rows("list", "solvers")]
        self.assertEqual([row["solver"] for row in rows], names * len(SHIPPED))
        for row in rows:
            print(f"  {os.path.basename(row['problem']):18} {row['solver']:15} {row['outcome']:16}"
                  f"{row['iterations']:7d}  {row['error_unit_free']}")
            wanted = expected.get((row["problem"], row["solver"]), "solved")
            self.assertEqual(row["outcome"], wanted, row)
            if wanted == "refused":
                self.assertIn(row["solver"], row["reason"])
                self.assertIsNone(row["error_unit_free"])
            else:
                self.assertEqual(row["error_unit_free"] <= 1e-8, wanted == "solved")
        table = self.call("solve", "--solver", "all", BLOCKS[2])
        self.assertRegex(table, "gamma-prox +refused: gamma-prox needs")
        self.assertTrue(table.endswith(f"\n{len(names) - 2} of {len(names)} solved, 2 refused\n"))
        # a solver that is asked for by name and refuses: not solved
        self.assertIn("refused:", self.call("solve", "--solver", "gamma-prox", STACK, code=UNSOLVED))

    def test_tolerance_and_norm(self):
        norms = {"relative": ERRORS[0], "siconos": ERRORS[1], "unit-free": ERRORS[2]}
        for norm, name in norms.items():
            before = 0
            for tolerance in (1e-3, 1e-6, 1e-10):
                row = self.rows("solve", STACK, "--norm", norm, "--tol", str(tolerance),
                                "--solver=nsgs")[0]
                self.assertEqual((row["norm"], row["tolerance"]), (norm, tolerance))
                self.assertLessEqual(row[name], tolerance)
                self.assertGreater(row["iterations"], before)
                before = row["iterations"]
        same = [self.rows("solve", STACK, *words)[0]["iterations"]
                for words in (("--tol=1e-6",), ("--set", "solve.tolerance=1e-6"),
                              ("--tol=1", "--set=solve.tolerance=1e-6"))]
        self.assertEqual(len(set(same)), 1)

    def test_limits(self):
        nsgs = ("solve", "--solver=nsgs")
        row = self.rows(*nsgs, STACK, "--max-iterations", "3", code=UNSOLVED)[0]
        self.assertEqual((row["outcome"], row["iterations"]), ("iteration-limit", 3))
        self.assertGreater(row["error_unit_free"], 1e-8)
        row = self.rows(*nsgs, STACK, "--tol=0", "--max-seconds=0.05", "--norm=siconos",
                        "--max-iterations=2000000000", code=UNSOLVED)[0]
        self.assertEqual(row["outcome"], "time-limit")
        self.assertLess(row["seconds"], 5.0)
        row = self.rows(*nsgs, BLOCKS[0], "--max-iterations=0", code=UNSOLVED)[0]
        self.assertEqual((row["outcome"], row["iterations"]), ("iteration-limit", 0))

    def test_settings(self):
        """Every field of every table takes its own default, which changes nothing."""
        count = 0
        solvers = {entry["table"]: entry["name"] for entry in self.rows("list", "solvers")}
        for table in self.rows("list", "settings"):
            if table["group"] in ("run", "output", "scheme", "existence", "enumerate"):  # of other commands
                continue
            solver = solvers.get(table["name"], "nsgs")
            words = []
            for field in table["settings"]:
                value = field["default"]
                value = str(value).lower() if isinstance(value, bool) else repr(value).strip("'")
                words += ["--set", f"{table['name']}.{field['name']}={value}"]
                count += 1
            given, default = (run("solve", BLOCKS[2], "--json", "--solver", solver, *more)
                              for more in (words, ()))
            self.assertEqual(given.stderr, "")
            self.assertEqual({**json.loads(given.stdout), "seconds": 0},
                             {**json.loads(default.stdout), "seconds": 0}, table["name"])
        print(f"  {count} settings")
        self.assertGreater(count, 30)
        few = self.rows("solve", BLOCKS[1], "--solver=sor-prox")[0]["iterations"]
        many = self.rows("solve", BLOCKS[1], "--solver=sor-prox",
                         "--set=sor-prox.omega=0.5")[0]["iterations"]
        self.assertGreater(many, few)

    def test_threads(self):
        """The same bits for any number of threads."""
        import h5py
        reactions = []
        for threads in ("1", "2", "5"):
            out = self.path(threads + ".h5")
            row = self.rows("solve", STACK, "--threads", threads, "-o", out)[0]
            self.assertEqual(row["threads"], int(threads))
            with h5py.File(out) as file:
                reactions.append((row["iterations"], file["solution/r"][:].tobytes()))
        self.assertEqual(len(set(reactions)), 1)

    def test_history(self):
        out = self.path("history.csv")
        rows = self.rows("solve", STACK, BLOCKS[0], "--solver", "all", "--history", out,
                         code=UNSOLVED)
        with open(out, encoding="utf-8", newline="") as file:
            lines = list(csv.DictReader(file))
        for row in rows:
            mine = [line for line in lines
                    if (line["problem"], line["solver"]) == (row["problem"], row["solver"])]
            if row["outcome"] == "refused":
                self.assertEqual(mine, [])
                continue
            iterations = [int(line["iteration"]) for line in mine]
            self.assertEqual(iterations, sorted(iterations))
            self.assertEqual(iterations[0], 0)
            if row["outcome"] == "solved":
                self.assertEqual(iterations[-1], row["iterations"])
                self.assertEqual(float(mine[-1]["error"]), row["error_unit_free"])
        # a name with a comma, a quote and a line end is one field
        odd = self.path('a,"b\n.dat')
        shutil.copy(BLOCKS[0], odd)
        said = self.fails(USAGE, "solve", odd, "--history", out)
        self.assertIn("exists; --force replaces it", said)
        self.rows("solve", odd, "--history", out, "--force")
        with open(out, encoding="utf-8", newline="") as file:
            self.assertEqual({line["problem"] for line in csv.DictReader(file)}, {odd})
        self.fails(INPUT, "solve", STACK, "--history", self.path("none/history.csv"))

    def test_stopped(self):
        """Stopped in the middle of its work it leaves no files behind."""
        process = subprocess.Popen(
            [BIN, "solve", BLOCKS[1], "--solver=jacobi-prox", "--max-iterations=2000000000",
             "--history", self.path("h.csv"), "-o", self.path("o.h5")])
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(20), -signal.SIGINT)
        self.assertEqual(os.listdir(self.folder), [])

    def test_little_memory(self):
        """With little memory, from what just loads the program on: a result or a message. ASCII,
        since HDF5 itself crashes without memory."""
        with open(BIN, "rb") as file:
            program = file.read()
        if b"__asan_init" in program or b"__tsan_init" in program:
            self.skipTest("the sanitizers need their own memory")
        n = 300
        rows = "\n".join(" ".join("999" if i == j else "1" for j in range(n)) for i in range(n))
        path = self.write("lcp.dat", f"{n}\n0\n{n}\n{n}\n{n} {n}\n{rows}\n" + "-1 " * n + "\n")

        def limited(limit, *words):
            return run(*words, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS,
                                                                     (limit, limit))).returncode
        least = next(limit for limit in range(8 << 20, 256 << 20, 1 << 18)
                     if limited(limit, "version") == DONE)
        codes = [limited(least + more, "solve", path) for more in range(0, 24 << 20, 1 << 19)]
        print(f"  {least >> 10} KiB load the program, exit codes from there on {codes}")
        self.assertEqual(set(codes), {DONE, INTERNAL})
        self.assertEqual(codes, sorted(codes, reverse=True))

    def test_defaults_in_help(self):
        """The defaults that the help page names are those of the tables."""
        page = " ".join(self.call("help", "solve").split())
        tables = {table["name"]: table for table in self.rows("list", "settings")}
        common = {field["name"]: field["default"] for field in tables["solve"]["settings"]}
        for name, value in re.findall(r"--(tol|norm|max-seconds|max-iterations) .*?"
                                      r"\(default ([^:)]*)", page):
            default = common[name.replace("-", "_").replace("tol", "tolerance")]
            self.assertEqual(type(default)(value), default)

    def test_warm_start(self):
        out = self.path("out.h5")
        row = self.rows("solve", STACK, "-o", out)[0]
        again = self.rows("solve", out, "--set", "solve.warm_start=true")[0]
        self.assertEqual(again["iterations"], 0)
        self.assertEqual(again["error_relative"], row["error_relative"])
        result = run("solve", STACK, "--set", "solve.warm_start=true")
        self.assertEqual(result.returncode, DONE)
        self.assertIn("there is no start value in the file", result.stderr)

    def test_empty_problem(self):
        empty = self.write("empty.dat", "2\n0\n0\n3\n3\n3 3\n1 0 0\n0 1 0\n0 0 1\n"
                                        "0\n3\n0\n3 0\n\n1 2 3\n\n\n")
        row = self.rows("solve", empty)[0]
        self.assertEqual((row["contacts"], row["outcome"], row["error_relative"]),
                         (0, "solved", 0))
        self.call("solve", empty)
        info = self.rows("info", empty)[0]
        self.assertEqual((info["contacts"], info["rows"], info["dof"]), (0, 0, 3))


class Output(Case):
    """The file of -o, judged by code that shares nothing with the program."""

    def check(self, path, *words):
        import contact_errors
        out = self.path("out.h5")
        row = self.rows("solve", path, "-o", out, "--force", *words)[0]
        errors, rounding, velocity = contact_errors.errors(out)
        print(f"  {os.path.basename(path):32} " +
              "  ".join(f"{row[name]:.6e} {mine:.6e}" for name, mine in zip(ERRORS, errors)))
        for name, mine in zip(ERRORS, errors):
            self.assertLess(abs(row[name] - mine), 1e-9 * mine + rounding)
        self.assertLess(velocity, rounding)
        info = self.rows("info", out)[0]
        self.assertTrue(info["solution"])
        for name in ERRORS:
            self.assertLess(abs(info[name] - row[name]), 1e-9 * row[name] + rounding)
        self.assertEqual(info["contacts"], row["contacts"])
        return out

    def test_errors(self):
        for path in SHIPPED:
            self.check(path)
            self.check(path, "--tol=1e-3", "--solver=extragradient")

    def test_errors_of_the_collection(self):
        if not os.path.isdir(COLLECTION):
            self.skipTest("no problem collection")
        for name in ("fc3d-global/Box_Stacks-i0122-82-5.hdf5", "rolling/Chute-ndof-768-nc-4-3.hdf5",
                     "fc2d/FrictionContactProblem00031.dat", "fc3d-local-dat/FC3D_Example1.dat"):
            self.check(os.path.join(COLLECTION, name))

    def test_best_of_all(self):
        import contact_errors
        out = self.path("out.h5")
        rows = self.rows("solve", STACK, "--solver=all", "-o", out, code=UNSOLVED)
        best = min(row["error_relative"] for row in rows if row["outcome"] == "solved")
        # 1e-16: what another order of summation changes
        self.assertLess(abs(contact_errors.errors(out)[0][0] - best), 1e-5 * best + 1e-16)

    def test_unsolved_is_written_too(self):
        import contact_errors
        out = self.path("out.h5")
        row = self.rows("solve", STACK, "--max-iterations=5", "-o", out, code=UNSOLVED)[0]
        self.assertLess(abs(contact_errors.errors(out)[0][0] / row["error_relative"] - 1), 1e-5)

    def test_velocities(self):
        """The global form's v: M v = f + H r."""
        import contact_errors
        import h5py
        import numpy
        out = self.path("out.h5")
        self.rows("solve", STACK, "-o", out)
        with h5py.File(out) as file:
            group = file["fclib_global"]
            M, H = (contact_errors.matrix(group[name]) for name in "MH")
            f, v, r = group["vectors/f"][:], file["solution/v"][:], file["solution/r"][:]
        self.assertLess(numpy.abs(M @ v - f - H @ r).max(), 1e-14)

    def test_where_it_cannot_go(self):
        self.assertIn("one problem, and there are 2 files",
                      self.fails(USAGE, "solve", *BLOCKS[:2], "-o", self.path("a.h5")))
        self.assertIn("cannot hold a solution",
                      self.fails(USAGE, "solve", STACK, "-o", self.path("a.dat")))
        # found out before the work is done
        self.assertIn("cannot be written",
                      self.fails(INPUT, "solve", STACK, "-o", self.path("none/a.h5")))
        self.assertIn("not a plain file", self.fails(INPUT, "solve", STACK, "-o", self.folder))
        self.assertEqual(os.listdir(self.folder), [])

    def test_over_the_input(self):
        copy = self.path("stack.h5")
        shutil.copy(STACK, copy)
        self.assertIn("exists; --force replaces it", self.fails(USAGE, "solve", copy, "-o", copy))
        self.rows("solve", copy, "-o", copy, "--force")
        self.assertLessEqual(self.rows("info", copy)[0]["error_relative"], 1e-8)
        self.assertEqual(os.listdir(self.folder), ["stack.h5"])


class BadInput(Case):
    def test_missing_and_folder(self):
        for command in ("solve", "info"):
            message = self.fails(INPUT, command, self.path("none.h5"))
            self.assertEqual(message, f"stiction: {self.path('none.h5')}: cannot be opened "
                                      "(No such file or directory)\n")
            self.assertIn("is a folder", self.fails(INPUT, command, self.folder))
            self.assertIn("cannot be opened", self.fails(INPUT, command, ""))

    def test_corrupt(self):
        with open(STACK, "rb") as file:
            stack = file.read()
        with open(BLOCKS[0], encoding="ascii") as file:
            block = file.read()
        files = {"empty": b"", "text": b"hello\n", "zeros": bytes(500),
                 "head": stack[:8], "half.h5": stack[:len(stack) // 2],
                 "short.dat": block[:200], "nan.dat": block.replace("-0.0981", "nan"),
                 "mu.dat": block.replace("\n0.4 0.4\n", "\n0.4 -0.4\n"),
                 "count.dat": block.replace("2\n2\n0", "2\n2000000000\n0", 1),
                 "gzip.dat": b"\x1f\x8b\x08\x00garbage"}
        for name, content in files.items():
            path = self.write(name, content)
            for command in ("solve", "info"):
                message = self.fails(INPUT, command, path)
                self.assertTrue(message.startswith(f"stiction: {path}:"), message)
                self.assertEqual(message.count("\n"), 1)
        message = self.fails(INPUT, "solve", self.write("place.dat", "3\n1\n0\n3\n3\n3 3\n1 x"))
        self.assertRegex(message, r"place.dat:7:3: ")
        # bytes changed at random give a result or a message, never a crash
        for seed in range(40):
            damaged = bytearray(stack)
            for k in range(20):
                damaged[(seed * 7919 + k * 104729 + 600) % len(damaged)] ^= 1 << (k % 8)
            result = run("solve", self.write("damaged.h5", bytes(damaged)), "--max-seconds=1")
            self.assertIn(result.returncode, (DONE, UNSOLVED, INPUT))

    def test_the_others_are_solved(self):
        result = run("solve", "--json", self.path("none"), BLOCKS[0], self.path("none"), STACK)
        self.assertEqual(result.returncode, INPUT)
        self.assertEqual([json.loads(line)["problem"] for line in result.stdout.splitlines()],
                         [BLOCKS[0], STACK])
        self.assertEqual(result.stderr.count("cannot be opened"), 2)

    def test_wrong_format(self):
        self.assertIn("stack.h5", self.fails(INPUT, "solve", STACK, "--format=local"))
        self.assertIn("block", self.fails(INPUT, "solve", BLOCKS[0], "--format", "fclib"))
        self.assertEqual(self.rows("solve", BLOCKS[0], "--format", "local")[0]["outcome"], "solved")
        self.assertEqual(self.rows("solve", STACK, "--format=fclib")[0]["outcome"], "solved")


class Names(Case):
    def test_odd_names(self):
        """Blanks, quotes, control characters, letters outside ASCII, bytes that are not UTF-8."""
        folder = os.fsencode(self.folder)
        for name, shown in ((b"a b.dat", "a b.dat"), (b'q"\\.dat', 'q"\\.dat'),
                            (b"line\nend\t\x1b[31m.dat", "line\nend\t\x1b[31m.dat"),
                            ("größe-摩擦.dat".encode(), "größe-摩擦.dat"),
                            (b"bad\xff\xc3.dat", "bad\ufffd\ufffd.dat"),
                            (b"over\xc0\xaf\xed\xa0\x80.dat", "over" + "\ufffd" * 5 + ".dat")):
            path = os.path.join(folder, name)
            shutil.copy(os.fsencode(BLOCKS[0]), path)
            for command in ("solve", "info"):
                result = run(command, "--json", path, text=False)
                self.assertEqual(result.returncode, DONE, result.stderr)
                row = json.loads(result.stdout.decode("utf-8"))
                self.assertEqual(os.path.basename(row["problem"]), shown)
                result = run(command, path, text=False)
                # nothing that a terminal would obey
                self.assertNotIn(b"\x1b", result.stdout)
                self.assertNotIn(b"\t", result.stdout)
            missing = run("solve", path + b"x", text=False)
            self.assertEqual(missing.returncode, INPUT)
            self.assertNotIn(b"\x1b", missing.stderr)
            self.assertEqual(missing.stderr.count(b"\n"), 1)

    def test_long_names(self):
        deep = self.folder
        for _ in range(15):
            deep = os.path.join(deep, "d" * 200)
        os.makedirs(deep)
        path = os.path.join(deep, "n" * 240 + ".dat")
        shutil.copy(BLOCKS[0], path)
        self.assertEqual(self.rows("solve", path)[0]["problem"], path)
        self.assertEqual(self.rows("info", path)[0]["problem"], path)
        self.assertLess(max(map(len, self.call("solve", path).splitlines())), 200)
        out = os.path.join(deep, "out.h5")
        self.rows("solve", path, "-o", out)
        self.call("convert", path, out, "--force")
        # the message has the whole name
        self.assertIn(path + "x: cannot be opened", self.fails(INPUT, "solve", path + "x"))
        self.assertIn("cannot be opened", self.fails(INPUT, "solve", "x" * 5000))
        self.fails(USAGE, "solve", "--" + "x" * 5000, STACK)
        self.fails(USAGE, "solve", "--set", "x" * 5000 + ".y=1", STACK)

    def test_locale(self):
        """The output does not depend on the locale."""
        words = [BIN, "list", "settings", "--json"]
        outputs = {subprocess.run(words, env={"LC_ALL": name}, stdout=subprocess.PIPE,
                                  check=True).stdout
                   for name in ("C", "C.UTF-8", "de_DE.UTF-8", "tr_TR.UTF-8")}
        self.assertEqual(len(outputs), 1)


class Info(Case):
    def test_stack(self):
        import contact_errors
        import numpy
        out = self.path("out.h5")
        self.rows("solve", STACK, "-o", out)
        W = contact_errors.read(out)[0]
        info = self.rows("info", out)[0]
        values = numpy.linalg.eigvalsh(W)
        self.assertEqual(info["format"], "fclib")
        self.assertEqual(info["form"], "global")
        self.assertEqual(info["laws"], {"cone": 20})
        self.assertEqual((info["rows"], info["dof"], info["density"]), (60, 30, 2))
        self.assertEqual(info["rank"], numpy.linalg.matrix_rank(W))
        self.assertLess(abs(info["eigenvalue_most"] / values[-1] - 1), 1e-6)
        self.assertEqual((info["mu_least"], info["mu_most"]), (0.5, 0.5))
        self.assertIsNone(info["condition"])
        self.assertEqual(info["mu_unique"], 0)
        self.assertIn("Stack of 5 boxes", info["description"])

    def test_regular(self):
        """Condition and bound for uniqueness of a known matrix: eigenvalues 1, 2, 4."""
        path = self.write("one.dat", "3\n1\n0\n3\n3\n3 3\n1 0 0\n0 2 0\n0 0 4\n-1 0 0\n0.3\n")
        info = self.rows("info", path)[0]
        self.assertEqual((info["format"], info["rank"]), ("local", 3))
        self.assertLess(abs(info["condition"] - 4), 1e-9)
        self.assertLess(abs(info["mu_unique"] - (1 / 15) ** 0.5), 1e-9)
        self.assertEqual(info["asymmetry"], 0)
        self.assertIs(info["solution"], False)
        self.assertIsNone(info["error_relative"])

    def test_formats(self):
        lcp = self.write("lcp.dat", "2\n0\n2\n2\n2 2\n2 1\n1 2\n-5 -6\n")
        self.assertEqual(self.rows("info", lcp)[0]["format"], "lcp")
        self.assertEqual(self.rows("info", lcp)[0]["dimension"], 1)
        text = self.call("info", *SHIPPED)
        for path in SHIPPED:
            self.assertIn(path + "\n", text)
        self.assertLess(max(map(len, text.splitlines())), 120)


class Convert(Case):
    def test_round_trip(self):
        a, b, c = self.path("a.dat"), self.path("b.h5"), self.path("c.hdf5")
        for path in SHIPPED:
            self.call("convert", path, a, "--force")
            self.call("convert", a, b, "--force")
            self.call("convert", b, c, "--force")
            with open(b, "rb") as first, open(c, "rb") as second:
                self.assertEqual(first.read(), second.read())
            rows = [{**self.rows("solve", name)[0], "problem": 0, "seconds": 0}
                    for name in (path, a, b, c)]
            for row in rows[1:]:
                self.assertEqual(row, rows[0])

    def test_what_is_lost(self):
        out, text = self.path("out.h5"), self.path("out.dat")
        self.rows("solve", STACK, "-o", out)
        result = run("convert", out, text)
        self.assertEqual(result.returncode, DONE)
        self.assertIn("no place for the solution", result.stderr)
        self.call("convert", out, self.path("copy.h5"))
        self.assertTrue(self.rows("info", self.path("copy.h5"))[0]["solution"])

    def test_failures(self):
        self.assertIn("must end in", self.fails(USAGE, "convert", STACK, self.path("out.txt")))
        lcp = self.write("lcp.dat", "2\n0\n2\n2\n2 2\n2 1\n1 2\n-5 -6\n")
        kept = self.write("kept.h5", b"kept")
        self.assertIn("exists; --force replaces it", self.fails(USAGE, "convert", STACK, kept))
        message = self.fails(INPUT, "convert", lcp, kept, "--force")
        self.assertIn("FCLIB cannot hold", message)
        self.assertIn(".dat file can", message)
        # solved and printed, but there is no file that could hold it
        result = run("solve", lcp, "-o", kept, "--force")
        self.assertEqual(result.returncode, INPUT)
        self.assertIn(" solved ", result.stdout)
        self.assertIn("FCLIB cannot hold", result.stderr)
        self.fails(INPUT, "convert", self.path("none"), kept, "--force")
        self.fails(INPUT, "convert", STACK, self.path("none/out.h5"))
        with open(kept, "rb") as file:
            self.assertEqual(file.read(), b"kept")
        self.assertEqual(sorted(os.listdir(self.folder)), ["kept.h5", "lcp.dat"])


class Existence(Case):
    """The bar of Acary and Cadoux with tan theta = 1: W = [1 1; 1 1]/2, b = W-part + (0, u0)."""

    def bar(self, g, u0, mu):
        f = g / 2
        return self.write(f"bar{g}{u0}{mu}.dat",
                          f"2\n1\n0\n2\n2\n2 2\n0.5 0.5\n0.5 0.5\n{f} {f + u0}\n{mu}\n")

    def ball(self, speed):
        """Between ground and a plane that comes down: u1 = v, u2 = -v - speed."""
        return self.write(f"ball{speed}.dat",
                          f"2\n0\n2\n2\n2 2\n1 -1\n-1 1\n-1 {1 - speed}\n")

    def test_verdicts(self):
        for path, verdict, kind in ((self.bar(-1, -1, 2), "exists-robust", "witness"),
                                    (self.bar(-1, 1, 0.5), "exists-robust", "witness"),
                                    (self.bar(-1, 0, 2), "exists-borderline", "witness"),
                                    (self.bar(-1, 1, 2), "unknown", "multipliers-sufficient"),
                                    (self.ball(1), "none", "multipliers-necessary"),
                                    (self.ball(0), "exists-borderline", "witness"),
                                    (self.ball(-1), "exists-robust", "witness")):
            code = DONE if verdict.startswith("exists") else UNSOLVED
            row = self.rows("existence", path, code=code)[0]
            self.assertEqual((row["verdict"], row["certificate"]), (verdict, kind), path)
            self.assertGreaterEqual(row["seconds"], 0)
            text = run("existence", path).stdout
            self.assertIn(verdict, text)
        row = self.rows("existence", self.ball(1), code=UNSOLVED)[0]
        self.assertLess(abs(row["necessary_most"] + 0.5), 1e-6)
        row = self.rows("existence", self.ball(-1))[0]
        self.assertLess(abs(row["margin"] - 0.5), 1e-6)

    def test_enumeration_decides(self):
        path = self.bar(-1, 1, 2)
        row = self.rows("existence", "--enumerate", path, code=UNSOLVED)[0]
        self.assertEqual((row["verdict"], row["certificate"]), ("none", "enumeration"))
        row = self.rows("enumerate", path, code=UNSOLVED)[0]
        self.assertEqual((row["verdict"], row["motions"], row["complete"]), ("none", 0, True))
        self.assertEqual(row["refuted"], row["branches"])
        self.assertIn("no solution", run("enumerate", path).stdout)

    def test_no_solution(self):
        """A failed solve is told apart from a problem without solution, by a certificate only."""
        for path, kind in ((self.ball(1), "multipliers-necessary"), (self.bar(-1, 1, 2), "enumeration")):
            for row in self.rows("solve", "--solver", "all", path, code=UNSOLVED):
                if row["outcome"] != "refused":
                    self.assertEqual((row["outcome"], row["existence"], row["certificate"]),
                                     ("no-solution", "none", kind), row)
            table = self.call("solve", path, code=UNSOLVED)
            self.assertRegex(table, r"  no-solution +\d")
            self.assertIn(f"\n  existence of a solution: none ({kind})\n", table)
            # without a certificate it is one of the other words
            words = set()
            for row in self.rows("solve", "--solver", "all", "--existence", "off", path, code=UNSOLVED):
                self.assertEqual((row["existence"], row["certificate"]), (None, None))
                words.add(row["outcome"])
            print(f"  {kind}: {', '.join(sorted(words))}")
            self.assertTrue({"diverged", "stalled", "iteration-limit"} <= words)
            self.assertFalse(words & {"solved", "no-solution"})

    def test_unsolved_though_there_is_a_solution(self):
        for words, outcome in ((("--solver", "convex"), "stalled"),
                               (("--solver", "jacobi-prox"), "diverged"),
                               (("--solver", "nsgs", "--max-iterations", "3"), "iteration-limit"),
                               (("--solver", "nsgs", "--tol=0", "--max-seconds=0.01", "--norm=siconos",
                                 "--max-iterations=2000000000"), "time-limit")):
            row = self.rows("solve", *words, STACK, code=UNSOLVED)[0]
            self.assertEqual((row["outcome"], row["existence"], row["certificate"]),
                             (outcome, "exists-robust", "witness"), row)
        # neither a solution nor a certificate: unknown, and the outcome stays
        unsymmetric = self.write("u.dat", "2\n0\n2\n2\n2 2\n1 1e-4\n0 1\n-1 -1\n")
        row = self.rows("solve", "--solver", "nsgs", "--max-iterations", "0", unsymmetric, code=UNSOLVED)[0]
        self.assertEqual((row["outcome"], row["existence"], row["certificate"]),
                         ("iteration-limit", "unknown", None))
        # solved problems are asked about only on request
        self.assertIsNone(self.rows("solve", STACK)[0]["existence"])
        row = self.rows("solve", "--existence", "always", STACK)[0]
        self.assertEqual((row["outcome"], row["existence"]), ("solved", "exists-robust"))
        self.assertIn("off, on-failure, always", self.fails(USAGE, "solve", "--existence", "maybe", STACK))

    def test_enumerate(self):
        row = self.rows("enumerate", self.bar(1, 1, 2))[0]
        self.assertEqual((row["motions"], row["complete"]), (2, True))
        self.assertEqual([s["states"] for s in row["solutions"]], [["open"], ["slide"]])
        self.assertLess(abs(row["solutions"][1]["r"][0] - 1), 1e-9)
        text = self.call("enumerate", self.bar(1, 1, 2))
        self.assertIn("exactly 2 solutions, with different motions", text)
        self.assertIn("contact 0: open | slide", text)
        row = self.rows("enumerate", BLOCKS[1])[0]
        self.assertEqual(row["solutions"][0]["force_dimension"], 1)
        self.assertIn("set of dimension 1", self.call("enumerate", BLOCKS[1]))

    def test_shipped(self):
        for row in self.rows("existence", *SHIPPED):
            self.assertEqual(row["verdict"], "exists-robust")

    def test_settings(self):
        unsymmetric = self.write("u.dat", "2\n0\n2\n2\n2 2\n1 1e-4\n0 1\n-1 -1\n")
        row = self.rows("existence", unsymmetric, code=UNSOLVED)[0]
        self.assertEqual((row["verdict"], row["applies"], row["margin"]), ("unknown", False, None))
        row = self.rows("existence", "--set", "existence.asymmetry=0.01", unsymmetric)[0]
        self.assertEqual((row["verdict"], row["symmetrised"]), ("exists-robust", True))
        message = self.fails(USAGE, "existence", "--set", "existence.tolerence=1", STACK)
        self.assertIn("did you mean 'tolerance'", message)
        self.assertIn("write it as existence.field=value",
                      self.fails(USAGE, "existence", "--set", "solve.tolerance=1", STACK))
        self.assertIn("too many combinations", self.fails(INPUT, "enumerate", STACK))


class Lists(Case):
    def test_topics(self):
        for topic, least in (("solvers", 7), ("settings", 8), ("laws", 12), ("schemes", 2),
                             ("models", 10)):
            entries = self.rows("list", topic)
            self.assertGreaterEqual(len(entries), least)
            text = self.call("list", topic)
            for entry in entries:
                self.assertIn(entry["name"], text)
                self.assertTrue(entry["text"])
        solvers = {entry["name"]: entry for entry in self.rows("list", "solvers")}
        self.assertEqual(solvers["nsgs"]["determinism"], "strict")
        self.assertIn("cone", solvers["nsgs"]["laws"])
        self.assertIn("omega", [field["name"] for field in solvers["nsgs"]["settings"]])
        self.assertIn("there are solvers, settings", self.fails(USAGE, "list", "qqqqq"))
        # settings of schemes are in both lists, with default, range and meaning
        parameters = {entry["name"]: entry["default"] for entry in self.rows("list", "parameters", os.path.join(ROOT, "scenes/arch.lua"))}
        self.assertIn("thickness", parameters)
        self.assertGreater(float(parameters["thickness"]), 0)
        self.assertEqual(run("list", "parameters").returncode, USAGE)
        self.assertEqual(run("list", "schemes", "arch").returncode, USAGE)
        schemes = {entry["name"]: entry["settings"] for entry in self.rows("list", "schemes")}
        tables = {entry["name"]: entry["settings"] for entry in self.rows("list", "settings")
                  if entry["group"] == "scheme"}
        self.assertEqual(tables, {name: fields for name, fields in schemes.items() if fields})
        for topic in ("schemes", "settings"):
            text = " ".join(self.call("list", topic).split())
            self.assertIn("scheme.theta = 0.5 weight of the forces of the end, at least 1/2; 0: "
                          "explicit forces (0 to 1)", text)
        self.assertIn("run.step", self.call("list", "settings"))


if __name__ == "__main__":
    unittest.main(verbosity=2, testRunner=unittest.TextTestRunner(stream=sys.stdout, verbosity=2))

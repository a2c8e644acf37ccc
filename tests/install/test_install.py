# SPDX-License-Identifier: Apache-2.0
"""An installed stiction works: program, scenes, manual page, completions, and programs in C and C++ built against it."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.dirname(os.path.dirname(os.path.abspath(os.environ["STICTION_BIN"])))

CXX = """
#include <cstdio>
#include <stiction/stiction.h>
#include <stiction/extend/extend.h>
int main()
{
    SticError error{};
    SticWorld* world = nullptr;
    SticRun* run = nullptr;
    SticBodyId id{};
    if (stic_world_create(nullptr, nullptr, &world, &error) != STIC_OK)
        return 1;
    SticBodyDef body = stic_body_default_def();
    body.shape = stic_world_sphere(world, 0.5, &error);
    if (stic_body_create(world, &body, &id, &error) || stic_run_create(nullptr, world, nullptr, &run, &error) ||
        stic_run_advance(run, 1.0, &error))
        return std::puts(error.text), 1;
    std::printf("%.6f\\n", stic_run_pose(run, id).origin.z);
    stic_run_destroy(run);
    stic_world_destroy(world);
}
"""
CMAKE = """
cmake_minimum_required(VERSION 3.22)
project(consumer LANGUAGES C CXX)
set(CMAKE_CXX_STANDARD 17)
find_package(stiction REQUIRED)
add_executable(shared consumer.cc)
target_link_libraries(shared PRIVATE stiction::stiction)
add_executable(plain stack.c)
target_link_libraries(plain PRIVATE stiction::stiction_static)
"""


def call(*words, **options):
    done = subprocess.run(words, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False, **options)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(words)}:\n{done.stdout}")
    return done.stdout


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = tempfile.mkdtemp(prefix="stiction-install-")
        cls.prefix = os.path.join(cls.work, "prefix")
        # a build may have been made for another folder: the prefix is that of the installation
        call("cmake", "--install", BUILD, "--prefix", cls.prefix)
        cls.bin = os.path.join(cls.prefix, "bin/stiction")
        cls.lib = os.path.dirname(os.path.dirname(cls.find("stiction.pc")))
        cls.environment = dict(os.environ, LD_LIBRARY_PATH=cls.lib,
                               PKG_CONFIG_PATH=os.path.join(cls.lib, "pkgconfig"))

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.work)

    @classmethod
    def find(cls, name):
        for folder, _, names in os.walk(cls.prefix):
            # the site, where it was built before, holds copies of scenes
            if name in names and "/html" not in folder:
                return os.path.join(folder, name)
        raise AssertionError(f"{name} is not installed")

    def flags(self, *words):
        return call("pkg-config", *words, "stiction", env=self.environment).split()

    def test_list_scenes(self):
        """From any folder, without a word about where the scenes are."""
        environment = {key: value for key, value in os.environ.items() if key != "STICTION_SCENES"}
        text = call(self.bin, "list", "scenes", cwd=self.work, env=environment)
        shipped = [name[:-4] for name in os.listdir(os.path.join(ROOT, "scenes")) if name.endswith(".lua")]
        for name in shipped:
            self.assertIn(name, text)
        self.assertIn(os.path.dirname(self.find("dominoes.lua")), text)
        print(f"{len(shipped)} scenes listed")

    def test_run_by_name(self):
        """A shipped scene by its name, with or without its ending; a file of that name comes first."""
        environment = {key: value for key, value in os.environ.items() if key != "STICTION_SCENES"}
        with tempfile.TemporaryDirectory() as folder:
            for name in ("dominoes", "dominoes.lua"):
                text = call(self.bin, "run", name, "--until", "0.01", "-f", cwd=folder, env=environment)
                self.assertIn(self.find("dominoes.lua"), text)
                self.assertTrue(os.path.isfile(os.path.join(folder, "dominoes.h5")))
            with open(os.path.join(folder, "dominoes.lua"), "w", encoding="utf-8") as file:
                file.write('title "mine"\nbody{mass = 1, inertia = {1, 1, 1}}\n')
            text = call(self.bin, "run", "dominoes.lua", "--until", "0.01", "-f", cwd=folder, env=environment)
            self.assertNotIn(self.find("dominoes.lua"), text)

    def test_run(self):
        scene = self.find("dominoes.lua")
        out = os.path.join(self.work, "dominoes.h5")
        call(self.bin, "run", scene, "--until", "0.05", "-o", out)
        self.assertTrue(os.path.isfile(out))

    def test_pkg_config_c(self):
        self.assertEqual(call("pkg-config", "--modversion", "stiction", env=self.environment).strip(),
                         call(self.bin, "version").split()[1])
        source = os.path.join(ROOT, "examples/stack.c")
        # --static is no choice of the archive: stiction-static is
        for kind, package, words in (("shared", "stiction", []), ("words", "stiction", ["--static"]),
                                     ("static", "stiction-static", []), ("archive", "stiction-static", ["--static"])):
            program = os.path.join(self.work, "stack-" + kind)
            flags = call("pkg-config", "--cflags", "--libs", *words, package, env=self.environment).split()
            call("cc", "-std=c17", "-Wall", "-Wpedantic", "-Werror", source, *flags, "-o", program)
            text = call(program, env=self.environment)
            total = sum(float(line.split()[5]) for line in text.splitlines() if abs(float(line.split()[3])) < 1e-3)
            print(f"{kind}: the floor carries {total:.1f} N of 98100 N")
            self.assertLess(abs(total - 98100.0), 0.5)
            needed = call("ldd", program, env=self.environment)
            self.assertEqual("libstiction" in needed, package == "stiction")

    def test_own_solver(self):
        """A solver and a system that are no part of the library, and the program of the README (without its scene), from the installed headers alone."""
        for name, word in (("own_solver", "jacobi: solved"), ("own_system", "height"), ("fall", "cannot be opened")):
            program = os.path.join(self.work, name)
            call("cc", "-std=c17", "-Wall", "-Wpedantic", "-Werror", os.path.join(ROOT, f"examples/{name}.c"),
                 *self.flags("--cflags", "--libs"), "-o", program)
            self.assertIn(word, call(program, env=self.environment))

    def test_examples_as_cxx(self):
        """The first programs, of the README and of the tutorial, are C++ too."""
        for name in ("fall", "stack"):
            call("c++", "-x", "c++", "-std=c++17", "-Wall", "-Wpedantic", "-Werror", "-fsyntax-only", os.path.join(ROOT, f"examples/{name}.c"),
                 *self.flags("--cflags"))

    def test_own_scheme(self):
        """A scheme that is no part of the library: a ball that fell on the floor lies there."""
        program = os.path.join(self.work, "own_scheme")
        call("cc", "-std=c17", "-Wall", "-Wpedantic", "-Werror", os.path.join(ROOT, "tests/install/own_scheme.c"),
             *self.flags("--cflags", "--libs"), "-o", program)
        words = call(program, env=self.environment).split()
        print(f"height {words[1]} m, velocity {words[4]} m/s")
        self.assertLess(abs(float(words[1])), 1e-6)
        self.assertLess(abs(float(words[4])), 1e-6)

    def test_pkg_config_cxx(self):
        source = os.path.join(self.work, "fall.cc")
        with open(source, "w", encoding="utf-8") as file:
            file.write(CXX)
        program = os.path.join(self.work, "fall")
        call("c++", "-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", source,
             *self.flags("--cflags", "--libs"), "-o", program)
        self.assertLess(abs(float(call(program, env=self.environment)) + 4.905), 1e-6)

    def test_find_package(self):
        folder = os.path.join(self.work, "consumer")
        os.mkdir(folder)
        for name, text in (("CMakeLists.txt", CMAKE), ("consumer.cc", CXX)):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        shutil.copy(os.path.join(ROOT, "examples/stack.c"), folder)
        call("cmake", "-S", folder, "-B", folder + "/build", f"-DCMAKE_PREFIX_PATH={self.prefix}")
        call("cmake", "--build", folder + "/build")
        self.assertLess(abs(float(call(folder + "/build/shared")) + 4.905), 1e-6)
        self.assertIn("N", call(folder + "/build/plain"))

    def test_manual(self):
        page = self.find("stiction.1")
        text = call("man", "-l", page, env=dict(os.environ, MANPAGER="cat", MANWIDTH="100", LC_ALL="C.UTF-8")) \
            if shutil.which("man") else read(page)
        for word in ("run", "solve", "existence", "list", "EXIT STATUS"):
            self.assertIn(word, text)
        if shutil.which("groff"):
            self.assertEqual(call("groff", "-k", "-man", "-Tutf8", "-ww", "-z", page), "")

    def complete(self, *words):
        """What bash offers after these words."""
        script = (f"source {self.find_completion()}; COMP_WORDS=({' '.join(words)}); "
                  f"COMP_CWORD={len(words) - 1}; _stiction; printf '%s\\n' \"${{COMPREPLY[@]}}\"")
        return call("bash", "-c", script).split()

    def find_completion(self):
        return os.path.join(self.prefix, "share/bash-completion/completions/stiction")

    def test_completion(self):
        self.assertIn("existence", self.complete("stiction", "ex"))
        self.assertEqual(self.complete("stiction", "exi"), ["existence"])
        self.assertIn("--until", self.complete("stiction", "run", "--un"))
        self.assertNotIn("--until", self.complete("stiction", "solve", "--un"))
        # values: names are asked from the program
        self.assertEqual(self.complete(self.bin, "solve", "--solver", "inter"), ["interior-point"])
        self.assertEqual(self.complete(self.bin, "solve", "--norm", "sic"), ["siconos"])
        self.assertEqual(self.complete(self.bin, "run", "--accuracy", "pre"), ["preview"])
        self.assertEqual(self.complete(self.bin, "run", "domin"), ["dominoes"])
        self.assertIn("scheme.theta=", self.complete(self.bin, "run", "dominoes", "--set", "scheme.th"))
        self.assertEqual(self.complete(self.bin, "compare", "x", "--schemes", "moreau,kozi"), ["moreau,koziara"])
        self.assertEqual(self.complete(self.bin, "compare", "x", "--against", "rel"), ["relaxed"])
        self.assertEqual(self.complete(self.bin, "solve", "--solver", "=", "interi"), ["interior-point"])
        self.assertEqual(self.complete(self.bin, "help", "enum"), ["enumerate"])
        self.assertEqual(self.complete(self.bin, "list", "sche"), ["schemes"])
        self.assertEqual(self.complete(self.bin, "plot", "x.h5", "--what", "energy,resi"), ["energy,residual"])
        # parameters: those of the scene, of this folder or installed
        self.assertEqual(self.complete(self.bin, "run", "arch", "--param", "thick"), ["thickness="])
        self.assertEqual(self.complete(self.bin, "run", os.path.join(ROOT, "scenes/arch.lua"), "--param", "thick"), ["thickness="])
        # settings: names once, then their values, which bash has in words of their own
        names = self.complete(self.bin, "run", "dominoes", "--set", "''")
        self.assertEqual(len(names), len(set(names)))
        for name in ("scheme=moreau", "solver=auto", "run.accuracy=strict", "run.policy=adapt", "run.step=", "output.xdmf=true",
                     "solver.tolerance=", "scheme.theta="):
            self.assertIn(name, names)
        self.assertNotIn("solve.tolerance=", names)
        # a range has no values to choose from
        self.assertIn("run.max_halvings=", names)
        self.assertFalse([name for name in names if re.search(r"[\[\]]", name)])
        # files that can be what is asked for, and folders
        with tempfile.TemporaryDirectory() as folder:
            for name in ("one.lua", "one.h5", "one.txt"):
                with open(os.path.join(folder, name), "w", encoding="utf-8"):
                    pass
            os.mkdir(os.path.join(folder, "one.d"))
            word = os.path.join(folder, "one")
            for command, end in (("run", ".lua"), ("view", ".h5"), ("resume", ".h5")):
                self.assertEqual(sorted(self.complete(self.bin, command, word)), sorted([word + ".d", word + end]))
        self.assertIn("solve.tolerance=", self.complete(self.bin, "solve", "x.h5", "--set", "solve.tol"))
        self.assertEqual(self.complete(self.bin, "run", "dominoes", "--set", "scheme", "=", "mo"), ["moreau"])
        self.assertEqual(self.complete(self.bin, "run", "dominoes", "--set", "=", "scheme", "=", "koz"), ["koziara"])
        self.assertIn("interior-point", self.complete(self.bin, "run", "dominoes", "--set", "solver", "="))
        self.assertEqual(self.complete(self.bin, "run", "dominoes", "--set", "run.accuracy", "=", "str"), ["strict"])
        self.assertEqual(self.complete(self.bin, "run", "--existence", "on"), ["on-failure"])
        self.assertEqual(self.complete(self.bin, "run", "dominoes", "--until", "''"), [])
        for command in ("plot", "view", "export", "compare", "solve"):
            self.assertIn("--force", self.complete(self.bin, command, "--fo"))
        self.assertTrue(read(self.find("_stiction")).startswith("#compdef stiction"))
        if shutil.which("zsh"):
            call("zsh", "-n", self.find("_stiction"))

    def test_documentation(self):
        """Every link of every installed page leads to a file that is installed, and examples are there."""
        root = os.path.dirname(self.find("README.md"))
        pages, links = 0, 0
        for folder, _, names in os.walk(root):
            for name in names:
                if not name.endswith(".md"):
                    continue
                pages += 1
                for target in re.findall(r"\]\(([^)\s]+)\)", read(os.path.join(folder, name))):
                    if re.match(r"[a-z]+:|#", target):
                        continue
                    links += 1
                    path = os.path.normpath(os.path.join(folder, target.split("#")[0]))
                    self.assertTrue(os.path.exists(path), f"{name}: {target}")
                    self.assertTrue(os.path.realpath(path).startswith(os.path.realpath(self.prefix)), f"{name}: {target}")
        print(f"{links} links of {pages} pages lead to installed files")
        self.assertGreater(pages, 40)
        self.assertGreater(links, 200)
        for page in ("CONTRIBUTING.md", "LICENSE", "examples/stack.c", "examples/python/assembly.py", "scenes/arch.lua"):
            self.assertTrue(os.path.isfile(os.path.join(root, page)), page)

    def test_nothing_private(self):
        """No header of src/ is installed, none names the source folder."""
        for folder, _, names in os.walk(os.path.join(self.prefix, "include")):
            for name in names:
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    self.assertNotIn(ROOT, file.read())
        for name in ("stictionTargets.cmake", "stiction.pc", "stiction-static.pc"):
            with open(self.find(name), encoding="utf-8") as file:
                self.assertNotIn(ROOT, file.read())


if __name__ == "__main__":
    unittest.main(verbosity=2)

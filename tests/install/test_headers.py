# SPDX-License-Identifier: Apache-2.0
"""Every public header compiles on its own, in C17 and in C++17, without a warning."""

import glob
import os
import shutil
import subprocess
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
INCLUDE = os.path.join(ROOT, "include")
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror"]


def headers():
    found = glob.glob(os.path.join(INCLUDE, "stiction/**/*.h"), recursive=True)
    return sorted(os.path.relpath(path, INCLUDE) for path in found)


def complaints(compiler, language, header):
    # twice: the guard must hold
    text = f'#include "{header}"\n#include "{header}"\n'
    run = subprocess.run([compiler, "-x", language.split("-")[0], "-std=" + language.split("-")[1],
                          *WARNINGS, "-I", INCLUDE, "-fsyntax-only", "-"],
                         input=text, text=True, stderr=subprocess.PIPE, check=False)
    return "" if run.returncode == 0 else run.stderr


class Headers(unittest.TestCase):
    def check(self, compiler, language):
        if shutil.which(compiler) is None:
            self.skipTest(f"no {compiler}")
        names = headers()
        self.assertGreater(len(names), 10)
        for name in names:
            self.assertEqual(complaints(compiler, language, name), "", name)
        print(f"{len(names)} headers as {language} by {compiler}: no complaint")

    def test_c(self):
        self.check("gcc", "c-c17")

    def test_cxx(self):
        self.check("g++", "c++-c++17")

    def test_clang_cxx(self):
        self.check("clang++", "c++-c++17")

    def test_errors_of_zeros(self):
        """SticError error = {0}, as in every example, is C++ as well."""
        text = '#include "stiction/stiction.h"\nint main(void) { SticError error = {0}; return (int)error.status; }\n'
        for compiler, language, standard in (("gcc", "c", "c17"), ("g++", "c++", "c++17")):
            subprocess.run([compiler, "-x", language, "-std=" + standard, "-Wall", "-Wpedantic", "-Werror", "-I", INCLUDE, "-fsyntax-only", "-"],
                           input=text, text=True, check=True)

    def test_broken_header_is_found(self):
        bad = "static inline int stic_bad(void) { return (int){0}; }"
        run = subprocess.run(["g++", "-x", "c++", "-std=c++17", *WARNINGS, "-fsyntax-only", "-"],
                             input=bad, text=True, stderr=subprocess.DEVNULL, check=False)
        self.assertNotEqual(run.returncode, 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)

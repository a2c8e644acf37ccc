#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The documentation builds as a site, and every link in it leads somewhere."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if importlib.util.find_spec("markdown") is None:
            raise unittest.SkipTest("python3-markdown is not installed")
        cls.folder = tempfile.mkdtemp(prefix="stiction-site-")
        cls.made = subprocess.run([sys.executable, os.path.join(ROOT, "tools/make_site"), "-o", cls.folder], text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def page(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return file.read()

    def test_builds(self):
        print(self.made.stdout.strip())
        self.assertEqual(self.made.returncode, 0, self.made.stdout)

    def test_links_by_a_second_look(self):
        """Files named by the pages themselves exist."""
        looked = 0
        for folder, _, names in os.walk(self.folder):
            for name in names:
                if not name.endswith(".html"):
                    continue
                for address in re.findall(r"(?:href|src)=\"([^\"#:]+)[\"#]", self.page(os.path.join(os.path.relpath(folder, self.folder), name))):
                    path = os.path.normpath(os.path.join(folder, address))
                    self.assertTrue(os.path.exists(path) or os.path.isdir(os.path.join(ROOT, address)), f"{name}: {address}")
                    looked += 1
        print(f"{looked} links")
        self.assertGreater(looked, 500)

    def test_gallery(self):
        """Every scene is in the gallery with a picture; pictures of the repository are small."""
        with open(os.path.join(ROOT, "docs/gallery.md"), encoding="utf-8") as file:
            shown = re.findall(r"^## (.+)$", file.read(), re.M)
        scenes = sorted(name[:-4] for name in os.listdir(os.path.join(ROOT, "scenes")) if name.endswith(".lua"))
        self.assertEqual(shown, scenes)
        sizes = {}
        for folder, _, names in os.walk(os.path.join(ROOT, "docs")):
            for name in names:
                if name.endswith((".png", ".jpg", ".svg")):
                    sizes[name] = os.path.getsize(os.path.join(folder, name))
        print(f"{len(sizes)} pictures, the largest {max(sizes.values()) / 1000:.0f} kB")
        for name in scenes:
            self.assertIn(name + ".jpg", sizes)
        self.assertLess(max(sizes.values()), 100_000, max(sizes, key=sizes.get))

    def test_interface(self):
        """Every function of the headers of applications is on its page."""
        page = self.page("docs/reference/headers.html")
        header = ""
        for name in os.listdir(os.path.join(ROOT, "include/stiction")):
            if name.endswith(".h"):
                with open(os.path.join(ROOT, "include/stiction", name), encoding="utf-8") as file:
                    header += file.read()
        functions = set(re.findall(r"^STIC_API [^;(]*?\b(stic_\w+)\(", header, re.M))
        missing = [name for name in sorted(functions) if f"id=\"{name}\"" not in page]
        print(f"{len(functions)} functions")
        self.assertEqual(missing, [])


if __name__ == "__main__":
    unittest.main(verbosity=2)

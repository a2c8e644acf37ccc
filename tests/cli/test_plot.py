#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Pictures of histories: well-formed, and every curve ends where the result says.

    STICTION_BIN=build/release/bin/stiction tests/cli/test_plot.py [-v] [Class.test]

A curve's last point is read off against the ticks of its axis, as a person with a ruler would.
"""

import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

import h5py
import numpy as np

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BIN = os.path.abspath(os.environ.get("STICTION_BIN",
                                     os.path.join(ROOT, "build/release/bin/stiction")))
DONE, USAGE, INPUT = 0, 2, 3
SVG = "{http://www.w3.org/2000/svg}"
SCENE = """title "a <ball> & a \\"floor\\""
floor{}
body{name = "a<b&c", mass = 1, position = {0, 0, 0.5}, velocity = {0.3, 0, 0},
     shape = shape.sphere{radius = 0.1}}
scheme "moreau"
run{step = 0.0001, duration = 0.5}
output{every = 50}
"""


def run(*words, env=None):
    return subprocess.run([BIN, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          check=False, timeout=120, env=env)


def panels(path):
    """Per panel: the curves' points in the units of the axes, label by label."""
    root = ElementTree.parse(path).getroot()
    items = [e for e in root if e.tag in (SVG + "text", SVG + "path", SVG + "g")]
    found, time = [], []
    for item in items:
        if item.get("class") == "panel":
            found.append({"title": item.text, "ticks": [], "curves": {}})
        elif item.get("class") == "y":
            found[-1]["ticks"].append((float(item.get("y")), float(item.text)))
        elif item.get("class") == "x" and not item.text.startswith("time"):
            time.append((float(item.get("x")), float(item.text)))
        elif item.tag == SVG + "g":
            points = re.findall(r"[ML]([-\d.]+) ([-\d.]+)", item[1].get("d"))
            found[-1]["curves"][item[0].text.split(",")[0]] = np.array(points, float)
    for panel in found:
        panel["log"] = panel["title"].startswith("residual")
        pixels, values = np.array(panel["ticks"]).T
        slope = np.polyfit(pixels, np.log10(values) if panel["log"] else values, 1)
        across = np.polyfit(*np.array(time).T, 1)
        for points in panel["curves"].values():
            points[:, 0] = np.polyval(across, points[:, 0])
            points[:, 1] = np.polyval(slope, points[:, 1])
        # a tenth of a pixel, in units of the axis
        panel["near"] = 0.1 * abs(slope[0])
    return root, found


class Plot(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.result = os.path.join(cls.folder.name, "r.h5")
        scene = os.path.join(cls.folder.name, "r.lua")
        with open(scene, "w") as file:
            file.write(SCENE)
        ran = run("run", scene, "-o", cls.result)
        assert ran.returncode == 0, ran.stderr

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def plot(self, what, code=0, **more):
        out = more.get("out", os.path.join(self.folder.name, "p.svg"))
        made = run("plot", self.result, "--what", what, "-o", out, "--force")
        self.assertEqual(made.returncode, code, made.stderr)
        return out if code == 0 else made.stderr

    def ends(self, panel, label, value):
        end = panel["curves"][label][-1]
        wanted = np.log10(value) if panel["log"] else value
        print(f"  {panel['title']}: {label} ends at {end[1]:.6g}, expected {wanted:.6g} "
              f"within {panel['near']:.2g}")
        self.assertLess(abs(end[1] - wanted), panel["near"])
        self.assertLess(abs(end[0] - 0.5), 1e-3)

    def test_curves(self):
        words = "energy,ledger,residual,iterations,contacts,penetration,a<b&c.position"
        root, found = panels(self.plot(words))
        self.assertEqual([len(p["curves"]) for p in found], [3, 10, 1, 1, 1, 1, 3])
        self.assertEqual(root.find(SVG + "title").text, 'a <ball> & a "floor"')
        with h5py.File(self.result) as file:
            energy, ledger = file["frames/energy"][-1], file["steps/ledger"][()].sum(axis=0)
            names = [n.decode() for n in file["bodies/name"][()]]
            place = file["motion/position"][-1, names.index("a<b&c")]
            steps = {n: file["steps/" + n][()] for n in ("error", "iterations", "contacts",
                                                         "penetration")}
        for label, value in zip(("kinetic", "potential", "sum"), (*energy, energy.sum())):
            self.ends(found[0], label, value)
        for label, value in zip(("kinetic", "potential", "applied", "impact", "friction"), ledger):
            self.ends(found[1], label, value)
        self.ends(found[2], "residual", steps["error"][-1]) if steps["error"][-1] > 0 else None
        for panel, name in zip(found[3:6], ("iterations", "contacts", "penetration")):
            self.ends(panel, name, steps[name][-1])
            # thinned out, but nothing is cut off at the top
            top = panel["curves"][name][:, 1].max()
            self.assertLess(abs(top - steps[name].max()), panel["near"])
        for label, value in zip("xyz", place):
            self.ends(found[6], label, value)
        self.assertIn(", m", found[6]["title"])
        caption = [e.text for e in root if e.get("class") == "caption"]
        self.assertRegex(" ".join(caption), r"moreau.*step 0.0001 s.*5000 steps")

    def test_thin(self):
        """5000 steps: fewer points than steps."""
        _, found = panels(self.plot("contacts"))
        self.assertLess(len(found[0]["curves"]["contacts"]), 4 * 700)

    @unittest.skipUnless(shutil.which("rsvg-convert"), "rsvg-convert is absent")
    def test_pixels(self):
        """A PNG with two pixels per unit of the drawing, and not of one colour."""
        svg, png = (os.path.join(self.folder.name, "pixels." + end) for end in ("svg", "png"))
        for path in (svg, png):
            made = run("plot", self.result, "--what", "energy", "-o", path)
            self.assertEqual((made.returncode, made.stdout.strip()), (DONE, path), made.stderr)
        size = ElementTree.parse(svg).getroot()
        with open(png, "rb") as file:
            data = file.read()
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        width, height = struct.unpack(">II", data[16:24])
        print(f"  {width} x {height} pixels, {len(data)} bytes")
        self.assertEqual((width, height), (round(2 * float(size.get("width"))),
                                           round(2 * float(size.get("height")))))
        self.assertGreater(len(data), 4000)
        self.assertEqual([n for n in os.listdir(self.folder.name) if "pixels" in n and
                          not n.endswith(("svg", "png"))], [])
        # without the program nothing is left behind
        missing = run("plot", self.result, "-o", os.path.join(self.folder.name, "no.png"),
                      env={**os.environ, "PATH": ""})
        self.assertEqual(missing.returncode, INPUT)
        self.assertIn("rsvg-convert", missing.stderr)
        self.assertFalse(os.path.exists(os.path.join(self.folder.name, "no.png")))

    @unittest.skipUnless(shutil.which("rsvg-convert"), "rsvg-convert is absent")
    def test_page(self):
        """PDF of the same drawing; zero curves have no name in the legend; errors are no block."""
        pdf, svg = (os.path.join(self.folder.name, "page." + end) for end in ("pdf", "svg"))
        for path in (pdf, svg):
            self.assertEqual(run("plot", self.result, "--what", "ledger,residual", "-o", path).returncode, DONE)
        with open(pdf, "rb") as file:
            self.assertEqual(file.read(5), b"%PDF-")
        root, found = panels(svg)
        with h5py.File(self.result) as file:
            ledger = np.abs(file["steps/ledger"][()]).sum(axis=0)
        names = ("kinetic", "potential", "applied", "impact", "friction", "damping")
        shown = {e.text for e in root if e.tag == SVG + "text"}
        self.assertEqual({n for n, size in zip(names, ledger) if size > 0}, shown & set(names))
        self.assertLess(len(found[1]["curves"]["residual"]), 700)

    def test_suggestions(self):
        """Misspelt words and bodies, in plots and exports, are answered with the nearest name."""
        picture = os.path.join(self.folder.name, "s.svg")
        for word, near in (("enrgy", "energy"), ("residul", "residual"), ("a<b&c.positon", "a<b&c.position"),
                           ("a<b&d.position", "a<b&c")):
            ran = run("plot", self.result, "--what", word, "-o", picture)
            self.assertIn(f"did you mean '{near}'?", ran.stderr)
            self.assertNotEqual(ran.returncode, DONE)
        ran = run("export", self.result, "--csv", "time,conntacts", "-o", os.path.join(self.folder.name, "s.csv"))
        self.assertIn("did you mean 'contacts'?", ran.stderr)
        ran = run("export", self.result, "--csv", "time,zzz", "-o", os.path.join(self.folder.name, "s.csv"))
        self.assertIn("there are time, step, energy", ran.stderr)

    def test_zero(self):
        """A residual that is zero throughout is said to be so, instead of an axis without a curve."""
        scene, result = os.path.join(self.folder.name, "z.lua"), os.path.join(self.folder.name, "z.h5")
        with open(scene, "w") as file:
            file.write('body{mass = 1, inertia = {1, 1, 1}}\nscheme "moreau"\nrun{step = 0.001, duration = 0.1}\n')
        self.assertEqual(run("run", scene, "-o", result).returncode, DONE)
        picture = os.path.join(self.folder.name, "z.svg")
        self.assertEqual(run("plot", result, "--what", "residual", "-o", picture).returncode, DONE)
        with open(picture, encoding="utf-8") as file:
            text = file.read()
        self.assertIn(">zero throughout<", text)
        self.assertNotIn('class="y"', text)
        self.assertIn(">time, s<", text)

    def test_refusals(self):
        self.assertIn("nothing", self.plot("nothing.position", USAGE))
        self.assertIn(".svg", self.plot("energy", USAGE, out=self.result + ".eps"))
        self.assertIn("names nothing", self.plot("", USAGE))
        missing = run("plot", os.path.join(self.folder.name, "none.h5"))
        self.assertEqual(missing.returncode, INPUT)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""The programs of examples/ do what they say, are as short as promised and stand in docs/guide/c.md."""

import math
import os
import re
import subprocess
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.dirname(os.path.dirname(os.path.abspath(os.environ["STICTION_BIN"])))
GRAVITY = 9.81


def run(name, folder=None):
    path = os.path.join(BUILD, "examples", name)
    done = subprocess.run([path], check=True, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, cwd=folder)
    assert done.stderr == "", done.stderr
    return done.stdout


def numbers(text):
    return [float(word) for word in re.findall(r"-?\d+\.\d+(?:e-?\d+)?", text)]


def source(name):
    with open(os.path.join(ROOT, "examples", name + ".c"), encoding="utf-8") as file:
        return file.read()


class Examples(unittest.TestCase):
    def test_stack(self):
        """Every interface carries the weight of the boxes above it: 1000 kg each."""
        carried = {}
        for line in run("stack").splitlines():
            height, force = numbers(line)
            carried[round(height)] = carried.get(round(height), 0.0) + force
        self.assertEqual(sorted(carried), list(range(10)))
        for height, force in carried.items():
            weight = (10 - height) * 1000 * GRAVITY
            print(f"interface {height}: {force:.1f} N, weight above {weight:.1f} N")
            # printed to 0.1 N, up to four contacts
            self.assertLess(abs(force - weight), 0.5)

    def test_fall(self):
        """The scene of the README: what the program of the README prints is what stiction run computes. Without the scene it says so."""
        with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
            scene = re.search(r"```lua\n(.*?)```", file.read(), re.S).group(1)
        with tempfile.TemporaryDirectory() as folder:
            missing = run("fall", folder)
            self.assertIn("ball.lua cannot be opened (No such file or directory)", missing)
            print(missing.strip())
            with open(os.path.join(folder, "ball.lua"), "w", encoding="utf-8") as file:
                file.write(scene)
            height = numbers(run("fall", folder))[0]
            subprocess.run([os.environ["STICTION_BIN"], "run", "ball.lua", "--until", "1"], cwd=folder, check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            rows = subprocess.run([os.environ["STICTION_BIN"], "export", "ball.h5", "--csv", "ball.position", "-o", "ball.csv"],
                                  cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.assertEqual(rows.returncode, 0)
            with open(os.path.join(folder, "ball.csv"), encoding="utf-8") as file:
                last = float(file.read().strip().splitlines()[-1].split(",")[2])
        print(f"{height} m, stiction run {last:.6f} m")
        self.assertLess(abs(height - last), 1e-4)

    def test_problem(self):
        """A sliding impact: r_N = 3 m/s x 2 kg, friction 0.2 of it, 0.6 m/s of 1 m/s lost."""
        text = run("problem")
        self.assertIn("solved", text)
        self.assertIn("exists-robust", text)
        r, u = numbers(text.splitlines()[1])[:3], numbers(text.splitlines()[1])[3:]
        for got, expected in zip(r + u, [6.0, -1.2, 0.0, 0.0, 0.4, 0.0]):
            self.assertLess(abs(got - expected), 1e-3)

    def test_controlled(self):
        """At rest 200 (angle wanted - c) = m g l sin(c)."""
        angle, torque = numbers(run("controlled"))
        c = 1.0
        for _ in range(100):
            c = 1.0472 - GRAVITY * math.sin(c) / 200
        print(f"angle {angle} rad, formula {c:.6f}; torque {torque}, formula {GRAVITY * math.sin(c):.6f}")
        self.assertLess(abs(angle - c), 1e-4)
        self.assertLess(abs(torque - GRAVITY * math.sin(c)), 2e-3)

    def test_lua_scene(self):
        """Friction 0.5 holds the block at 20 degrees; at 40 it slides g (sin - 0.5 cos) / 2."""
        lines = run("lua_scene").splitlines()
        slope = math.radians(40)
        expected = 0.5 * GRAVITY * (math.sin(slope) - 0.5 * math.cos(slope))
        rest, slid = numbers(lines[0])[0], numbers(lines[1])[0]
        print(f"at 20 degrees {rest} m, at 40 degrees {slid} m, formula {expected:.6f} m")
        self.assertEqual(rest, 0.0)
        # first order in the step of 1 ms
        self.assertLess(abs(slid - expected), 2e-3)

    def test_own_system(self):
        """Impacts at t1 and 2 t1, half of the speed kept at each."""
        height, velocity = numbers(run("own_system"))
        t1 = math.sqrt(2 / GRAVITY)
        speed, late = GRAVITY * t1 / 4, 1 - 2 * t1
        self.assertLess(abs(height - (speed * late - GRAVITY * late**2 / 2)), 1e-6)
        self.assertLess(abs(velocity - (speed - GRAVITY * late)), 1e-6)

    def test_own_solver(self):
        """Two blocks at rest: the floor carries 3 kg, the lower block 1 kg, for a tenth of a second."""
        text = run("own_solver")
        self.assertTrue(text.startswith("jacobi: solved"), text)
        upper, floor = numbers(text)
        print(f"between the blocks {upper} N s, on the floor {floor} N s")
        self.assertLess(abs(upper - 0.1 * GRAVITY), 1e-4)
        self.assertLess(abs(floor - 0.3 * GRAVITY), 1e-4)

    def test_lengths(self):
        limits = {"fall": 10, "stack": 25, "problem": 30}
        names = sorted(name[:-2] for name in os.listdir(os.path.join(ROOT, "examples"))
                       if name.endswith(".c"))
        self.assertGreaterEqual(len(names), 5)
        for name in names:
            code = [line for line in source(name).splitlines()
                    if line.strip() and not line.strip().startswith("//")]
            print(f"examples/{name}.c: {len(code)} lines of code")
            self.assertLessEqual(len(code), limits.get(name, 59), name)
            self.assertLess(len(source(name).splitlines()), 60, name)

    def test_guide_quotes_them(self):
        with open(os.path.join(ROOT, "docs/guide/c.md"), encoding="utf-8") as file:
            guide = file.read()
        for name in ("fall", "stack", "problem", "own_system", "own_solver", "controlled", "lua_scene"):
            code = source(name).split("\n\n", 1)[0]
            body = source(name)[source(name).index("#include"):].strip()
            self.assertIn(body, guide, f"examples/{name}.c {code[:40]}")


if __name__ == "__main__":
    unittest.main(verbosity=2)

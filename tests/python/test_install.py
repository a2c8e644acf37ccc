# SPDX-License-Identifier: Apache-2.0
"""The package that `cmake --install` puts below a prefix is whole: it needs neither the sources nor the build tree."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

BUILD = Path(os.environ["STICTION_BIN"]).resolve().parents[1]

PROGRAM = """
import stiction, pathlib, sys
assert pathlib.Path(stiction.__file__).is_relative_to(sys.argv[1]), stiction.__file__
w = stiction.World()
w.body(shape=stiction.half_space(), kind="fixed")
ball = w.body(shape=stiction.sphere(0.1), position=(0, 0, 0.5))
run = w.run(scheme="moreau", accuracy="standard", step=1e-3)
run.record("fall.h5")
run.until(1.0)
print(run.pose(ball).position[2], run.contacts["force"][0, 2])
run.close()
try:
    print(len(stiction.Result("fall.h5").view().page) > 100000)
except stiction.Unsupported:
    print("no viewer")
s = stiction.sweep(sys.argv[2], {"count": [3, 4]}, until=0.02)
print(stiction.files.program(), len(s), s.done, s.failed)
print(stiction.limit(sys.argv[3], "thickness", (0.5, 2.5), check=False).limit)
"""


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    place = tmp_path_factory.mktemp("install") / "prefix"
    subprocess.run(["cmake", "--install", str(BUILD), "--prefix", str(place)], check=True, stdout=subprocess.DEVNULL)
    return place


def test_import(prefix, tmp_path):
    environment = {key: value for key, value in os.environ.items() if not key.startswith("STICTION")}
    environment |= {"PYTHONPATH": str(prefix / "lib/python3/dist-packages"), "PATH": "/usr/bin:/bin"}
    scenes = prefix / "share/stiction/scenes"
    done = subprocess.run([sys.executable, "-B", "-c", PROGRAM, str(prefix), str(scenes / "dominoes.lua"), str(scenes / "arch.lua")], text=True,
                          cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == 0, done.stderr
    print(done.stdout)
    words = done.stdout.split()
    # a ball of density 1000 kg/m3 on the floor
    assert float(words[0]) == pytest.approx(0.1, abs=1e-6) and float(words[1]) == pytest.approx(4.18879 * 9.81, rel=1e-3)
    assert str(prefix / "bin/stiction") in done.stdout and "2 True []" in done.stdout
    assert float(words[-1]) == pytest.approx(1.06721, abs=1e-5)


def test_nothing_of_the_build_tree(prefix, tmp_path):
    package = prefix / "lib/python3/dist-packages/stiction"
    names = {path.name for path in package.iterdir()}
    built = {path.name for path in (BUILD / "python/stiction").iterdir()} - {"__pycache__", "bin", "share"}
    assert names == built and {"py.typed", "_native.pyi", "_native.abi3.so", "live.py", "limit.py"} <= names
    module = package / "_native.abi3.so"
    wanted = subprocess.run(["readelf", "-d", str(module)], text=True, check=True, stdout=subprocess.PIPE).stdout
    assert "RPATH" not in wanted and "RUNPATH" not in wanted and "libstiction" not in wanted
    # where sources were compiled is told to debuggers only
    subprocess.run(["strip", "--strip-debug", "-o", str(tmp_path / "bare.so"), str(module)], check=True)
    assert str(BUILD).encode() not in (tmp_path / "bare.so").read_bytes()

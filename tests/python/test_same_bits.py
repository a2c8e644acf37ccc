# SPDX-License-Identifier: Apache-2.0
"""The same five worlds in C, in Lua through the program, and in Python end with the same bits."""

import os
import subprocess

import pytest
from five_scenes import LUA, PYTHON

import stiction


@pytest.fixture(scope="module")
def from_c():
    program = os.path.join(os.path.dirname(os.environ["STICTION_BIN"]), "..", "tests", "five_scenes")
    out = subprocess.run([program], check=True, text=True, stdout=subprocess.PIPE).stdout
    return {name: int(value, 16) for name, value in (line.split() for line in out.splitlines())}


@pytest.mark.parametrize("name", list(PYTHON))
def test_c_lua_and_python_agree(name, from_c, tmp_path):
    path = tmp_path / f"{name}.lua"
    path.write_text(LUA[name])
    subprocess.run([os.environ["STICTION_BIN"], "run", str(path), "-o", str(tmp_path / "lua.h5")], check=True,
                   stdout=subprocess.DEVNULL)
    with stiction.Result(tmp_path / "lua.h5") as result:
        lua = result.frame(-1).hash
    run, until = PYTHON[name]()
    start = run.hash
    run.until(until)
    print(f"{name}: C {from_c[name]:016x}, Lua {lua:016x}, Python {run.hash:016x}")
    assert run.hash != start
    assert from_c[name] == lua == run.hash


def test_scene_read_by_python_has_them_too(from_c):
    for name, text in LUA.items():
        run = stiction.Scene.parse(text, name).run()
        run.until_done()
        assert run.hash == from_c[name], name


@pytest.mark.parametrize("threads", [1, 3])
def test_any_number_of_threads(threads):
    hashes = []
    for _ in range(2):
        w = stiction.World(threads=threads)
        w.body(shape=stiction.half_space(), kind="fixed")
        for i in range(24):
            w.body(shape=stiction.box((0.2, 0.2, 0.2)), position=(0.19 * (i % 6), 0.19 * (i // 6 % 2), 0.1 + 0.2 * (i // 12)))
        run = w.run(step=2e-3)
        run.step(10)
        hashes.append(run.hash)
        threads = 1
    assert hashes[0] == hashes[1]

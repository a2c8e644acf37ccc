# SPDX-License-Identifier: Apache-2.0
"""Every public function of the library is used by the package, or excused with a reason; the list is printed."""

import ast
import os
import sys
from pathlib import Path

import stiction

SOURCE = Path(os.environ["STICTION_SOURCE"])
sys.path.insert(0, str(SOURCE / "bindings" / "python"))
import headers  # noqa: E402


def uses():
    """C functions that the package calls, and where."""
    found = {}
    for path in sorted((SOURCE / "bindings" / "python" / "stiction").glob("*.py")):
        tree = ast.parse(path.read_text())
        scopes = [(node, node.name) for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.ClassDef))]
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "lib":
                around = [name for scope, name in scopes if scope.lineno <= node.lineno <= scope.end_lineno]
                found.setdefault(node.attr, f"{path.stem}.{'.'.join(around)}".rstrip("."))
    return found


def excuses():
    """Names, or beginnings of names that end with *, and reasons."""
    rows = []
    for line in (SOURCE / "bindings" / "python" / "excused.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            name, _, reason = line.partition(" ")
            rows.append((name, reason.strip()))
    return rows


def excuse_of(name, header, rows):
    """Functions of the headers for applications are excused by their whole names only."""
    exact = next((reason for key, reason in rows if name == key), None)
    if exact or "extend" not in header:
        return exact
    return next((reason for key, reason in rows if key.endswith("*") and name.startswith(key[:-1])), None)


def test_every_function_is_reachable_or_excused():
    functions, used, rows = headers.functions(SOURCE / "include"), uses(), excuses()
    missing = []
    counts = {"used": 0, "excused": 0}
    for name, header in sorted(functions.items(), key=lambda item: (item[1], item[0])):
        where, reason = used.get(name), excuse_of(name, header, rows)
        kind = "used" if where else "excused" if reason else "missing"
        print(f"{header:32} {name:36} {where or reason or 'MISSING'}")
        if kind == "missing":
            missing.append(name)
        else:
            counts[kind] += 1
    print(f"{len(functions)} public functions: {counts['used']} used, {counts['excused']} excused, {len(missing)} missing")
    assert len(functions) > 400, "the headers were not read"
    assert not missing, f"neither used nor excused in bindings/python/excused.txt: {missing}"


def test_excuses_are_not_stale():
    functions, used = headers.functions(SOURCE / "include"), uses()
    for key, reason in excuses():
        named = [name for name in functions if name == key or (key.endswith("*") and name.startswith(key[:-1]))]
        assert named, f"{key} is no public function"
        assert reason, f"{key} has no reason"
        assert not key.endswith("*") and key not in used or key.endswith("*"), f"{key} is used, and needs no excuse"


def test_first_ring_is_used_but_for_a_few():
    """Applications' headers: what is left out are things that Python has itself."""
    functions, used = headers.functions(SOURCE / "include"), uses()
    first = [name for name, header in functions.items() if "extend" not in header]
    left = sorted(set(first) - set(used))
    print(f"{len(first)} functions for applications, not used by name: {left}")
    assert len(left) <= 45


def test_everything_public_has_a_docstring():
    for name in stiction.__all__:
        thing = getattr(stiction, name)
        if callable(thing):
            assert thing.__doc__, name
            for member, value in vars(thing).items() if isinstance(thing, type) else ():
                if not member.startswith("_") and (callable(value) or isinstance(value, property)):
                    assert getattr(value, "__doc__", None), f"{name}.{member}"


def test_docstrings_come_from_the_headers():
    said = headers.sentences(SOURCE / "include")
    assert said["stic_run_hash"] in stiction.Run.hash.__doc__ and said["stic_run_step"].split(",")[0] in stiction.Run.step.__doc__
    assert said["stic_world_create"].split(" `")[0] in stiction.World.__init__.__doc__
    # what only callers in C need to know is left out
    for kind in (getattr(stiction, name) for name in stiction.__all__):
        for thing in [kind, *vars(kind).values()] if isinstance(kind, type) else [kind]:
            assert "NULL" not in (getattr(thing, "__doc__", None) or ""), thing


PROGRAM = """
import numpy as np
import stiction

w = stiction.World(gravity=(0, 0, -9.81), friction=0.6)
steel = w.material("steel", density=7800, restitution=0.3)
w.body(shape=stiction.half_space(), kind="fixed", name="floor")
ball: stiction.Body = w.body(shape=stiction.sphere(0.1), position=np.array([0, 0, 0.5]), name="ball", material=steel)
arm = w.body(shape=stiction.box((1, 0.1, 0.1)), position=(3, 0, 2))
hinge: stiction.Joint = w.joint.hinge(arm, point=(2.5, 0, 2), axis=(0, 1, 0), limit=(-1, 1), spring=(10.0, 0.0, 1.0))
names: list[str] = [body.name for body in w]
with w.run(scheme="koziara", accuracy="standard", step=1e-3) as run:
    run.control_force(hinge, lambda t: 2.0 - run.joint(hinge)["rate"])
    run.each_step(lambda r: None)
    run.step(10)
    run.until(0.02, progress=False)
    height: float = run.pose(ball).position[2]
    forces = run.contacts["force"]
    state: bytes = run.snapshot()
    run.restore(state)
    run.record("a.h5", every=2, replace=True)
    kinetic, potential = run.energy
with stiction.Result("a.h5") as result:
    frame: stiction.Frame = result[-1]
    frames: list[stiction.Frame] = result[::2]
    curves = result.history("energy").curves
p = stiction.Problem.from_scipy(np.eye(3), np.array([-1.0, 0, 0]), 0.5)
s: stiction.Solution = stiction.solve(p, solver="auto", tol=1e-8, max_iterations=100)
print(s.outcome, s.errors["relative"], stiction.existence(p).verdict)


def drop(height: float) -> dict[str, float]:
    return {"twice": 2.0 * height}


def sweeps() -> stiction.Sweep:
    return stiction.sweep(drop, {"height": [1, 2]})
"""


def test_types_of_a_user_program(tmp_path):
    """It runs, mypy --strict finds nothing, and finds what is wrong."""
    import shutil
    import subprocess

    import pytest
    (tmp_path / "user.py").write_text(PROGRAM)
    subprocess.run([sys.executable, "-B", "user.py"], cwd=tmp_path, check=True)
    if shutil.which("mypy") is None:
        pytest.skip("mypy is not installed")
    (tmp_path / "wrong.py").write_text("import stiction\nw = stiction.World()\nw.joint.hing(None)\nw.joint.hinge(None, limt=3)\nstiction.sphere('1')\nx: int = w.run().time\n")
    words = ["mypy", "--strict", "--cache-dir", os.devnull]
    environment = {**os.environ, "MYPYPATH": str(Path(stiction.__file__).parents[1])}
    done = subprocess.run([*words, "user.py", "wrong.py"], cwd=tmp_path, env=environment, text=True, stdout=subprocess.PIPE)
    print(done.stdout)
    assert [line.split(":")[:2] for line in done.stdout.splitlines()[:-1] if "error" in line] == [["wrong.py", str(k)] for k in (3, 4, 5, 6)]


def test_types():
    """mypy --strict has nothing to say."""
    import shutil
    import subprocess

    import pytest
    if shutil.which("mypy") is None:
        pytest.skip("mypy is not installed")
    package = Path(stiction.__file__).parent
    assert (package / "py.typed").is_file()
    done = subprocess.run(["mypy", "--cache-dir", os.devnull, "--config-file", str(SOURCE / "bindings/python/pyproject.toml"), str(package)],
                          text=True, stdout=subprocess.PIPE, check=False)
    assert done.returncode == 0, done.stdout

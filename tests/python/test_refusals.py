# SPDX-License-Identifier: Apache-2.0
"""What used to be taken in silence: values that convert to numbers and are none, options that nothing uses, names that exist, matrices that
are not symmetric, words of the command line in messages of Python.
"""

import math
import os
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import stiction

I3, B3 = np.eye(3), [-1.0, 0.1, 0.0]


def refused(call, words=""):
    with pytest.raises(stiction.Error, match=words) as caught:
        call()
    assert "--" not in str(caught.value) and " -o" not in str(caught.value)
    print(f"{type(caught.value).__name__}: {caught.value}")


def world():
    w = stiction.World()
    w.body(shape=stiction.half_space(), kind="fixed")
    return w, w.body(shape=stiction.box((1, 1, 1)), position=(0, 0, 0.5), name="box")


@pytest.mark.parametrize("vector", [np.array([1j, 0, 0]), np.array([1 + 0j, 0, 0]), [True, 0, 0], np.array([True, False, True]), ["1", "2", "3"],
                                    np.array(["1", "2", "3"]), [np.array([1.0]), 0, 0], bytearray(b"abc"), np.array(["2020-01-01"] * 3, "M8[D]")])
def test_vectors(vector):
    w, body = world()
    run = w.run()
    for call in (lambda: stiction.World(gravity=vector), lambda: w.set_gravity(vector), lambda: w.body(shape=stiction.sphere(1), position=vector),
                 lambda: body.set_force(vector), lambda: run.set_pose(body, vector), lambda: run.set_twist(body, vector), lambda: stiction.box(vector),
                 lambda: w.joint.hinge(body, point=vector), lambda: stiction.Problem.from_scipy(I3, vector, 0.5)):
        refused(call, "needed")


@pytest.mark.parametrize("number", ["1", True, np.True_, 1j, np.complex128(1), np.array([1.0]), b"1", np.str_("1"), np.timedelta64(3, "s"), 10**400])
def test_numbers(number):
    w, body = world()
    for call in (lambda: stiction.sphere(number), lambda: w.body(mass=number), lambda: stiction.World(friction=number), lambda: w.run(step=number),
                 lambda: w.run().until(number), lambda: w.body(orientation=((0, 0, 1), number)), lambda: w.joint.hinge(body, friction=number),
                 lambda: stiction.solve(stiction.Problem.from_scipy(I3, B3, 0.5), tol=number)):
        refused(call, "needed")
    refused(lambda: w.body(orientation=((0, 0, 1), math.inf)), "finite")


def test_arrays():
    corners = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)])
    for points in (corners == 1, (corners == 1).tolist(), corners.astype(complex), corners.astype(str), [[True, 0, 0], *corners.tolist()[1:]]):
        refused(lambda: stiction.polyhedron(points), "real numbers")
    for faces in ([(0, 1, True)], [(0, 1, "2")]):
        refused(lambda: stiction.mesh(corners, faces), "integers are needed")


def test_numbers_of_all_types():
    """What is a number stays one."""
    for one in (1, 1.0, np.float32(1), np.int8(1), np.array(1.0), Fraction(1)):
        assert stiction.sphere(one).size == 2.0
    assert stiction.box(np.array([1, 2, 3], dtype=object)).mass()["mass"] == pytest.approx(6.0)
    assert stiction.box(range(1, 4)).mass()["mass"] == pytest.approx(6.0)


@pytest.mark.parametrize("value", [True, np.True_, 1.5, "2"])
def test_whole_numbers(value):
    w, _ = world()
    problem = stiction.Problem.from_scipy(I3, B3, 0.5)
    for call in (lambda: stiction.World(threads=value), lambda: stiction.World(seed=value), lambda: w.run().step(value), lambda: w.run(max_halvings=value),
                 lambda: w.run(max_iterations=value), lambda: stiction.solve(problem, max_iterations=value), lambda: w.run().record("never.h5", every=value),
                 lambda: stiction.Problem.from_scipy(I3, B3, 0.5, contact_rows=value)):
        refused(call, "needed|not a whole number")
    assert not Path("never.h5").exists()


@pytest.mark.parametrize("value", ["no", "false", None, 2, []])
def test_flags(value):
    w, body = world()
    triangle = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
    for call in (lambda: w.run(projection=value), lambda: stiction.mesh(triangle, [(0, 1, 2)], closed=value), lambda: w.run().until(0.0, progress=value),
                 lambda: w.run().record("never.h5", replace=value), lambda: stiction.solve(stiction.Problem.from_scipy(I3, B3, 0.5), history=value),
                 lambda: stiction.Problem.from_scipy(I3, B3, 0.5, symmetric=value)):
        refused(call, "True or False is needed")
    if value is not None:
        refused(lambda: w.joint.hinge(body, contacts=value), "True or False is needed")


@pytest.mark.parametrize("kind, options, words", [
    ("rigid", {"elastic": (1e6, 0.3)}, "elastic"), ("fixed", {"volume": 1.0}, "volume"), ("fixed", {"velocity": (1, 0, 0)}, "velocity"),
    ("fixed", {"force": (1, 0, 0)}, "force"), ("prescribed", {"torque": (1, 0, 0)}, "force"), ("point", {"angular_velocity": (1, 0, 0)}, "turn"),
    ("point", {"mass": 1, "inertia": (1, 1, 1)}, "turn"), ("rigid", {"mass": 1, "centre": (1, 0, 0)}, "inertia")])
def test_options_that_a_body_does_not_use(kind, options, words):
    refused(lambda: stiction.World().body(shape=stiction.sphere(1), kind=kind, **options), words)


@pytest.mark.parametrize("kind, options, words", [
    ("hinge", {"length": 2}, "rod"), ("hinge", {"to": (1, 0, 0)}, "rod, span"), ("point", {"axis": (1, 0, 0)}, "axis"), ("weld", {"axis": (1, 0, 0)}, "axis"),
    ("slider", {"drive_force": 2.0}, "drive"), ("slider", {"restitution": 0.5}, "limit"), ("slider", {"spring": {"rest": 1.0}}, "stiffness")])
def test_options_that_a_joint_does_not_use(kind, options, words):
    w, body = world()
    refused(lambda: getattr(w.joint, kind)(body, **options), words)


def test_numbers_of_another_law():
    for key, value, law in (("rolling", 0.1, "rolling"), ("patch", 0.1, "contensou"), ("shear", 1e5, "tresca"), ("across", 0.1, "anisotropic")):
        refused(lambda: stiction.World(**{key: value}), law)
        refused(lambda: stiction.World().material("m", **{key: value}), law)
    assert stiction.World(law="rolling", rolling=0.1)


def test_names():
    w, body = world()
    refused(lambda: w.body(shape=stiction.sphere(1), name="box"), "body 'box' already")
    w.joint.hinge(body, name="pin")
    refused(lambda: w.joint.hinge(body, name="pin"), "joint 'pin' already")
    body.remove()
    assert w.body(shape=stiction.sphere(1), name="box") == w["box"]
    for name in (0, False, []):
        refused(lambda: w.body(name=name), "a text is needed")
    assert w.body(mass=1, inertia=(1, 1, 1), name="").name == ""


def test_matrices_that_are_not_symmetric(tmp_path):
    pytest.importorskip("scipy")
    wrong, nearly = np.eye(3), np.eye(3)
    wrong[0, 1] = 0.2
    nearly[0, 1], nearly[1, 0] = 0.2, 0.2 * (1 + 1e-12)
    refused(lambda: stiction.Problem.from_scipy(wrong, B3, 0.5), r"W\[0, 1\] and W\[1, 0\] differ by 0.2")
    refused(lambda: stiction.Problem.from_global(wrong, I3, B3, B3, 0.5), "M is not symmetric")
    # units do not matter, nor what rounding left
    for scale in (1e-12, 1.0, 1e12):
        refused(lambda: stiction.Problem.from_scipy(scale * wrong, B3, 0.5), "not symmetric")
        assert stiction.solve(stiction.Problem.from_scipy(scale * nearly, B3, 0.5)).solved
    taken = stiction.Problem.from_scipy(wrong, B3, 0.5, symmetric=False)
    assert np.array_equal(taken.W.toarray(), wrong)
    # a file is what it is
    taken.write(tmp_path / "w.h5")
    assert np.array_equal(stiction.Problem.read(tmp_path / "w.h5").W.toarray(), wrong)


def test_things_of_another_kind():
    for call in (lambda: stiction.Run("world"), lambda: stiction.Simulation(3), lambda: stiction.SystemRun(3, "moreau", None, None), lambda: stiction.settings(3),
                 lambda: world()[1].set_point_forces(3, 4), lambda: world()[0].run().record("never.h5", until=-1)):
        refused(call, "needed")


def test_values_of_parameters():
    text = "local a = param('a', 1) body{mass = a} run{duration = 1}"
    for value in ([1], None, 1j, {"a": 1}):
        refused(lambda: stiction.Scene.parse(text, a=value), "a number, a text, True or False")
    refused(lambda: stiction.sweep("arch", {"thickness": {1.0, 1.1}}), "order")
    refused(lambda: stiction.sweep("arch", {"thickness": [None]}), "number")
    refused(lambda: stiction.sweep("arch", {"thickness": 1.0}, set=3), "dictionary")


def test_messages_speak_python(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refused(lambda: stiction.Scene("arch", set={"run.stp": 1}), "run.stp=1: .*did you mean 'step'")
    refused(lambda: stiction.Scene("arch", set={"theta.theta": 1}), "scheme=theta chooses")
    refused(lambda: stiction.limit("arch", "thickness"), r"between=\(A, B\)")
    refused(lambda: stiction.sweep("arch", {"thicknes": [1.0]}), "did you mean 'thickness'")
    Path("taken.h5").write_text("mine")
    refused(lambda: stiction.limit("arch", "thickness", between=(1, 1.2), path="taken.h5", check=False, tolerance=1e-2), "replace=True")
    refused(lambda: world()[0].run().record("taken.h5"), "replace=True replaces it")
    assert Path("taken.h5").read_text() == "mine"


def test_shipped_scenes_by_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shipped = {scene.name: scene.text for scene in stiction.scenes()}
    assert len(shipped) > 20 and shipped["arch"] == "masonry arch" and all(shipped.values())
    assert stiction.Scene("arch").text() == stiction.Scene("arch.lua").text()
    assert stiction.Scene("arch", thickness=1.2).text() != stiction.Scene("arch").text()
    refused(lambda: stiction.Scene("arhc"), "did you mean 'arch'")
    # a file of that name goes first, and another folder may be named
    Path("arch.lua").write_text("title 'mine' body{mass=1} run{duration=1}")
    assert stiction.Scene("arch.lua").title == "mine"
    os.mkdir("own")
    Path("own/stone.lua").write_text('title "a stone"\nbody{mass=1} run{duration=1}')
    monkeypatch.setenv("STICTION_SCENES", "own")
    assert [tuple(scene[:2]) for scene in stiction.scenes()] == [("stone", "a stone")] and stiction.Scene("stone").title == "a stone"


def test_things_given_twice(tmp_path):
    """One of two values would win in silence."""
    p = stiction.Problem.from_scipy(I3, B3, 0.5)
    refused(lambda: stiction.solve(p, tol=1e-10, tolerance=1e-2), "'tolerance' is given twice")
    refused(lambda: stiction.solve(p, "nsgs", r=np.zeros(3), warm_start=False), "contradict")
    w, _ = world()
    refused(lambda: w.run(scheme="theta", settings={"theta": 1.0}, theta=0.5), "'theta'.* twice")
    refused(lambda: w.run(scheme="theta", settings={"scheme.theta": 1.0}, theta=0.5), "'theta' is given twice")
    path = tmp_path / "x.lua"
    path.write_text("floor{}\nlocal mu = param('mu', 0.5)\n")
    refused(lambda: stiction.Scene(path, mu=0.3, params={"mu": 0.4}), "'mu' is given twice")


def test_sentences_name_what_was_given(tmp_path):
    w, _ = world()
    refused(lambda: w.surface(w.material("m"), None, density=1.0), "belongs to one material")
    refused(lambda: stiction.World().body(shape=stiction.sphere(1), mass=1, inertia=[[1, 0, 0], [0.1, 1, 0], [0, 0, 1]]).world.run(), "symmetric")
    refused(lambda: stiction.cylinder(1, -1), "height of a cylinder .*not -1")
    refused(lambda: stiction.capsule(1, -1), "length of a capsule .*not -1")
    path = tmp_path / "x.lua"
    path.write_text("floor{}\nbody{name = 'b', position = {0, 0, 1}, shape = shape.sphere{radius = 0.1}}\nrun{step = 1e-3, duration = 0.01}\n")
    sim = stiction.Scene(path).run()
    bodies = 2  # the floor is one
    refused(lambda: sim.measure("position", body=9), f"no body 9; they count from 0 to {bodies - 1}")
    refused(lambda: sim.measure("contact_force"), "is of a body: say which one")
    refused(lambda: sim.measure("reaction"), "is of a joint: say which one")
    refused(lambda: sim.measure("reaction", joint=0), "no joint 0; it has none")
    run = w.run()
    with run.record(tmp_path / "r.h5"):
        run.step(3)
    with pytest.raises(stiction.BadArgument, match="unknown") as caught:
        stiction.Result(tmp_path / "r.h5").history("q0")
    assert "q0, u0" not in str(caught.value) and "BODY.position" in str(caught.value)

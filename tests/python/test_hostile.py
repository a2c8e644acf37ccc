# SPDX-License-Identifier: Apache-2.0
"""What a careless or a hostile user gives: every wrong thing is an exception with a sentence, never a crash, and what is
unusual but right works. Run under the address sanitizer by test_sanitized_study.py.
"""

import copy
import gc
import math
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import stiction

NAN, INF = math.nan, math.inf


def world():
    w = stiction.World()
    w.body(shape=stiction.half_space(), kind="fixed")
    body = w.body(shape=stiction.box((1, 1, 1)), position=(0, 0, 0.5), name="box")
    return w, body


def ball(**options):
    return stiction.World().body(shape=stiction.sphere(1), **options)


def refused(call, words="", kind=stiction.Error):
    with pytest.raises(kind, match=words) as caught:
        call()
    assert isinstance(caught.value, stiction.Error) and len(str(caught.value)) > 8
    print(f"{type(caught.value).__name__}: {caught.value}")


@pytest.mark.parametrize("options", [
    {"gravity": (0, 0, NAN)}, {"gravity": "abc"}, {"gravity": None}, {"gravity": np.zeros((3, 1))}, {"gravity": (1j, 0, 0)},
    {"gravity": {1: 2, 3: 4, 5: 6}}, {"gravity": np.ma.masked_array([0.0, 0, 1], mask=[0, 0, 1])}, {"threads": 1.5}, {"threads": "2"},
    {"threads": 10**9}, {"seed": -1}, {"seed": 2**70}, {"density": "heavy"}, {"friction": NAN}, {"friction": -1}, {"friction": [1, 2]},
    {"restitution": "x"}, {"restitution": (1,)}, {"friction_mixing": 3}, {"friction_mixing": ["mean"]}])
def test_worlds(options):
    refused(lambda: stiction.World(**options))


@pytest.mark.parametrize("options", [
    {"position": (0, 0, NAN)}, {"position": (0, 0, INF)}, {"position": "abc"}, {"orientation": (0, 0, 0, 0)}, {"orientation": "up"},
    {"orientation": ((0, 0, 1), NAN)}, {"orientation": ((0, 0, 1), "x")}, {"orientation": (1, 2)}, {"mass": "x"}, {"mass": NAN}, {"mass": -1},
    {"inertia": [[1], [1, 2]]}, {"inertia": "x"}, {"mass": 1, "inertia": [NAN] * 3}, {"elastic": (1,)}, {"elastic": "ab"}, {"kind": None},
    {"kind": []}, {"name": 3}, {"name": "a\0b"}, {"name": "\ud800"}, {"name": "x" * 5000}, {"material": "m"},
    {"material": stiction.World().material("theirs")}, {"motion": lambda t: None}, {"kind": "prescribed", "motion": 3}])
def test_bodies(options):
    refused(lambda: ball(**options))


@pytest.mark.parametrize("shape", [["a"], [(stiction.sphere(1), "x")], [(stiction.sphere(1), (0, 0, 0), (1, 0, 0, 0), "m")], 3, "box"])
def test_shapes_of_bodies(shape):
    refused(lambda: stiction.World().body(shape=shape))


TRIANGLE = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]


@pytest.mark.parametrize("make", [
    lambda: stiction.box("abc"), lambda: stiction.box((1, 1, NAN)), lambda: stiction.box((1, 1, 0)), lambda: stiction.sphere("x"),
    lambda: stiction.sphere(None), lambda: stiction.sphere(NAN), lambda: stiction.sphere(INF), lambda: stiction.capsule(1, "l"),
    lambda: stiction.polyhedron(np.full((5, 3), NAN)), lambda: stiction.polyhedron(np.zeros((4, 2))), lambda: stiction.polyhedron([]),
    lambda: stiction.polyhedron("abcd"), lambda: stiction.polyhedron(np.ones((5, 3)) * 1j), lambda: stiction.polyhedron(np.array([[None] * 3] * 4)),
    lambda: stiction.polyhedron(np.ma.masked_array(np.ones((5, 3)), mask=np.eye(5, 3))), lambda: stiction.mesh(TRIANGLE, [(0, 1, 7)]),
    lambda: stiction.mesh(TRIANGLE, [(0, 1, -1)]), lambda: stiction.mesh(TRIANGLE, [(0, 1, 1.5)]), lambda: stiction.mesh(TRIANGLE, 3),
    lambda: stiction.mesh(TRIANGLE, [(0, 1, 2**40)]), lambda: stiction.height_field([1, 2, 3], 1, 1), lambda: stiction.height_field(np.full((3, 3), NAN), 1, 1),
    lambda: stiction.height_field(np.zeros((0, 0)), 1, 1), lambda: stiction.mesh_file(Path("no.obj")), lambda: stiction.mesh_file(3),
    lambda: stiction.mesh_file("/"), lambda: stiction.compound([]), lambda: stiction.compound([3]), lambda: stiction.compound([()]),
    lambda: stiction.half_space((0, 0, 0))])
def test_shapes(make):
    refused(make)


def test_arrays_of_any_kind():
    """Integers, other orders of memory, views with strides and read-only arrays are numbers too."""
    corners = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)])
    wide = np.zeros((16, 6))
    wide[::2, ::2] = corners
    frozen = corners.astype(float)
    frozen.flags.writeable = False
    whole = np.ma.masked_array(corners.astype(float), mask=False)
    for points in (corners, np.asfortranarray(corners.astype(float)), wide[::2, ::2], frozen, whole, corners.astype(np.float32), corners.tolist()):
        assert stiction.polyhedron(points).mass(1.0)["mass"] == pytest.approx(1.0)
    faces = np.array([(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)])
    assert stiction.polyhedron(np.vstack([np.zeros(3), np.eye(3)]), faces=faces).kind == "polyhedron"
    a = stiction.Problem.from_scipy(np.eye(3, dtype=int), np.array([-1, 9, 0, 9, 0, 9])[::2], np.float32(0.5))
    assert stiction.solve(a).r == pytest.approx([1, 0, 0])
    assert ball(name="Gewölbe 石 🪨").name == "Gewölbe 石 🪨"


@pytest.mark.parametrize("call", [
    lambda run: run.step(-1), lambda run: run.step(1.5), lambda run: run.step("x"), lambda run: run.step(None), lambda run: run.step(10**20),
    lambda run: run.until(NAN), lambda run: run.until(INF), lambda run: run.until("1"), lambda run: run.until(None),
    lambda run: run.world.run(step=0), lambda run: run.world.run(step=NAN), lambda run: run.world.run(step="x"), lambda run: run.world.run(step=-1),
    lambda run: run.world.run(max_halvings=-5), lambda run: run.world.run(max_halvings=1.5), lambda run: run.world.run(max_halvings=10**12),
    lambda run: run.world.run(energy_alarm=NAN), lambda run: run.world.run(scheme=3), lambda run: run.world.run(scheme=None),
    lambda run: run.world.run(solver=b"auto"), lambda run: run.world.run(second="xx"), lambda run: run.world.run("theta", theta="0.6 solver.tolerance=1"),
    lambda run: run.world.run("theta", theta=[1]), lambda run: run.world.run("theta", theta="0.6\0"), lambda run: run.world.run(settings=[1]),
    lambda run: run.world.run(**{"a b": 1}), lambda run: run.pose(None), lambda run: run.pose(1), lambda run: run.joint(None),
    lambda run: run.joint(run.world.find("box")), lambda run: run.set_pose(run.world.find("box"), (0, 0, NAN)),
    lambda run: run.set_twist(run.world.find("box"), (INF, 0, 0)), lambda run: run.set_pose(run.world.find("box"), (0, 0, 1), (0, 0, 0, 0)),
    lambda run: run.world.find("box").set_force((NAN, 0, 0)), lambda run: run.world.find(3), lambda run: run.each_step(3),
    lambda run: run.control_body(None, None), lambda run: run.control_force(None, None), lambda run: run.control_drive("x", None),
    lambda run: run.restore(b"junk"), lambda run: run.restore(b""), lambda run: run.restore("x"), lambda run: run.restore(None),
    lambda run: run.restore(run.snapshot()[:-8]), lambda run: run.restore(np.zeros(100)), lambda run: run.load(Path("no-such")),
    lambda run: run.save("no-such-folder/x"), lambda run: run.save(None), lambda run: run.save("a\0b"), lambda run: run.save(""),
    lambda run: run.record("/"), lambda run: run.record("no-such-folder/a.h5"), lambda run: run.record(None), lambda run: run.record("a.h5", every=0),
    lambda run: run.record("a.h5", every="x"), lambda run: run.record("a.h5", precision="doble"), lambda run: run.record("a.h5", title=3),
    lambda run: run.record("a.h5", until="x"), lambda run: run.view(height="x"), lambda run: run.view("no-such-folder/a.h5")])
def test_runs(call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    w, body = world()
    run = w.run()
    run.step(3)
    before = run.hash
    refused(lambda: call(run))
    assert run.hash == before
    run.step()


@pytest.mark.parametrize("options", [
    {"axis": (0, 0, 0)}, {"point": (NAN, 0, 0)}, {"frction": 1}, {"limit": 3}, {"limit": ("a", "b")}, {"limit": (NAN, 1)}, {"limit": (2, 1)},
    {"drive": "x"}, {"drive": {"sped": 1}}, {"spring": ()}, {"spring": (1, 2, 3, 4)}, {"spring": {"stifness": 1}}, {"name": 3}, {"friction": "x"}])
def test_joints(options):
    w, body = world()
    refused(lambda: w.joint.hinge(body, **options))
    for a, b in ((None, None), (body, body), ("b", None)):
        refused(lambda: w.joint.hinge(a, b))
    joint = w.joint.slider(body, axis=(1, 0, 0))
    for wrong in (lambda: joint.set_drive("x"), lambda: joint.set_force(NAN), lambda: joint.set_force("x"),
                  lambda: world()[0].run().control_force(joint, lambda t: 1)):
        refused(wrong)


@pytest.mark.parametrize("answer", [None, "up", 3, (1, 2), (1, 2, 3, 4), [None] * 3, ((1, 2, 3),), {"a": 1}, (INF, 0, 0), object()])
def test_answers_of_controls(answer):
    w, body = world()
    joint = w.joint.slider(body, axis=(1, 0, 0))
    run = w.run()
    before = run.hash
    run.control_body(body, lambda t: answer)
    refused(run.step)
    run.control_body(body, None)
    run.control_force(joint, lambda t: (answer,))
    refused(run.step)
    run.control_force(joint, None)
    assert run.hash == before
    body.set_force()
    run.step()


@pytest.mark.parametrize("answer", [None, 3, "abc", {"position": (0, 0, 0), "spin": 1}, {}, ((0, 0, NAN),), [(0, 0, 0), (0, 0, 0, 0)],
                                    {"position": "abc"}, ((0, 0, 0),) * 9])
def test_answers_of_motions(answer):
    w = stiction.World()
    w.body(shape=stiction.box((1, 1, 1)), kind="prescribed", motion=lambda t: answer)
    w.body(shape=stiction.sphere(0.1), position=(0, 0, 2))
    refused(lambda: w.run().step())


class Ball(stiction.System):
    sizes = [1]
    mass = [[[1.0]]]
    terms = [(0, -1)]
    interactions = [stiction.Interaction()]

    def potential(self, k, q):
        return 9.81 * q[0], [9.81]

    def measure(self, i, t, q, u):
        return {"gap": [q[0]], "H": [[1.0]], "G": [[1.0]]}


@pytest.mark.parametrize("members", [
    {"sizes": [0]}, {"sizes": [13], "mass": [np.eye(13)]}, {"sizes": "a"}, {"sizes": [1.5]}, {"sizes": []}, {"mass": [[[1, 2]]]}, {"mass": [[[NAN]]]},
    {"mass": [[[0.0]]]}, {"mass": [[[-1.0]]]}, {"terms": [(5, -1)]}, {"terms": [(-7, 0)]}, {"interactions": [stiction.Interaction(blocks=(7, -1))]},
    {"interactions": [stiction.Interaction(blocks=(0,))]}, {"interactions": [stiction.Interaction(rows=99)]}, {"interactions": [stiction.Interaction(rows=0)]},
    {"interactions": [stiction.Interaction(law="cone", rows=1)]}, {"interactions": ["x"]}, {"offers": ["al"]},
    {"interactions": [stiction.Interaction(bound_of=9, law="interval", level="rate")]}, {"name": 3},
    {"potential": lambda self, k, q: None}, {"potential": lambda self, k, q: (1, [1, 2])}, {"potential": lambda self, k, q: (NAN, [0.0])},
    {"measure": lambda self, i, t, q, u: None}, {"measure": lambda self, i, t, q, u: {"gap": [1, 2]}},
    {"measure": lambda self, i, t, q, u: {"gp": [1]}}, {"force": lambda self, t, q, u: "x"}, {"force": lambda self, t, q, u: [NAN]}])
def test_systems(members):
    refused(lambda: type("Wrong", (Ball,), members)().run(q=[0.0]).step())


def boom(self, i, t, q, u):
    raise RuntimeError("boom")


@pytest.mark.parametrize("scheme", ["moreau", "theta", "koziara", "event"])
@pytest.mark.parametrize("measure, kind", [
    (boom, RuntimeError), (lambda self, i, t, q, u: {"gp": [1.0]}, stiction.BadArgument), (lambda self, i, t, q, u: {"gap": [1.0, 2.0]}, stiction.BadArgument),
    (lambda self, i, t, q, u: {"gap": [NAN], "H": [[1.0]], "G": [[1.0]]}, stiction.NotFinite),
    (lambda self, i, t, q, u: {"gap": [q[0]], "H": [[NAN]], "G": [[1.0]]}, stiction.NotFinite)])
def test_measure_that_fails_leaves_the_state(scheme, measure, kind):
    run = type("Fails", (Ball,), {"measure": measure})().run(scheme, q=[0.001], u=[0.0])
    before = run.hash
    for _ in range(3):
        with pytest.raises(kind):
            run.step()
        assert (run.time, run.q[0], run.u[0], run.hash) == (0.0, 0.001, 0.0, before)


def test_measure_that_fails_now_and_then_leaves_the_state():
    # every third call: the shorter steps that are tried after it must not succeed
    calls = []

    def measure(self, i, t, q, u):
        calls.append(t)
        if len(calls) % 3 == 0:
            raise RuntimeError("boom")
        return Ball.measure(self, i, t, q, u)

    run = type("Moody", (Ball,), {"measure": measure})().run(q=[0.0])
    raised = 0
    for _ in range(20):
        before = run.time, run.q[0], run.u[0]
        try:
            run.step()
        except RuntimeError:
            raised += 1
            assert (run.time, run.q[0], run.u[0]) == before
    assert raised > 0 and abs(run.q[0]) < 1e-9


def test_states_of_systems():
    for q in ([1, 2], "a", [NAN]):
        refused(lambda: Ball().run(q=q).step())
    # what callbacks were given stays, and is theirs
    kept = []
    run = type("Keeps", (Ball,), {"force": lambda self, t, q, u: (kept.append(q), [0.0])[1]})().run(q=[1.0])
    run.step()
    run.close()
    gc.collect()
    assert all(abs(q[0] - 1.0) < 0.1 for q in kept) and kept
    greedy = type("Greedy", (Ball,), {"force": lambda self, t, q, u: (q.fill(1e9), [0.0])[1]})().run(q=[1.0])
    plain = Ball().run(q=[1.0])
    greedy.step(5)
    plain.step(5)
    assert greedy.q == pytest.approx(plain.q)


I3, B3 = np.eye(3), [-1.0, 0.1, 0.0]


@pytest.mark.parametrize("make", [
    lambda: stiction.Problem.from_scipy(np.full((3, 3), NAN), B3, 0.5), lambda: stiction.Problem.from_scipy(I3, [NAN, 0, 0], 0.5),
    lambda: stiction.Problem.from_scipy(I3, B3, NAN), lambda: stiction.Problem.from_scipy(I3, B3, -1), lambda: stiction.Problem.from_scipy(I3, B3, "a"),
    lambda: stiction.Problem.from_scipy(I3, B3, [1, 2]), lambda: stiction.Problem.from_scipy(I3, np.zeros((3, 1)), 0.5),
    lambda: stiction.Problem.from_scipy(I3, 3, 0.5), lambda: stiction.Problem.from_scipy(I3, "abc", 0.5), lambda: stiction.Problem.from_scipy(np.eye(4), B3, 0.5),
    lambda: stiction.Problem.from_scipy(np.ones(9), B3, 0.5), lambda: stiction.Problem.from_scipy("W", B3, 0.5), lambda: stiction.Problem.from_scipy(None, B3, 0.5),
    lambda: stiction.Problem.from_scipy(I3 * 1j, B3, 0.5), lambda: stiction.Problem.from_scipy(np.eye(4), [1, 2, 3, 4], 0.5),
    lambda: stiction.Problem.from_scipy(I3, B3, 0.5, contact_rows=0), lambda: stiction.Problem.from_scipy(np.ma.masked_array(I3, mask=I3 > 0), B3, 0.5),
    lambda: stiction.Problem.from_scipy(I3, np.ma.masked_array(B3, mask=[1, 0, 0]), 0.5), lambda: stiction.Problem.from_global(I3, I3, [1, 2], B3, 0.5),
    lambda: stiction.Problem.from_global(np.zeros((3, 3)), I3, B3, B3, 0.5), lambda: stiction.Problem.read("/etc/passwd"), lambda: stiction.Problem.read("/"),
    lambda: stiction.Problem.read(None), lambda: stiction.Problem.read("x.h5", format="fclb")])
def test_problems(make):
    pytest.importorskip("scipy")
    refused(make)


def test_solves():
    pytest.importorskip("scipy")
    problem = stiction.Problem.from_scipy(I3, B3, 0.5)
    for wrong in ({"tol": "x"}, {"tol": NAN}, {"r": [1]}, {"r": [NAN] * 3}, {"solver": None}, {"max_iteration": 3}, {"max_iterations": "many"},
                  {"max_iterations": None}, {"threads": -1}):
        refused(lambda: stiction.solve(problem, **wrong))
    for wrong in (lambda: stiction.solve(None), lambda: stiction.existence(3), lambda: stiction.enumerate("x"), lambda: problem.errors([1, 2]),
                  lambda: problem.write("no-such-folder/x.h5"), lambda: problem.write(None), lambda: problem.write("x.h5", title=3),
                  lambda: problem.write("x.h5", u=B3)):
        refused(wrong)
    nothing = stiction.Problem.from_scipy(np.zeros((0, 0)), [], 0.5)
    assert stiction.solve(nothing).solved and nothing.W.shape == (0, 0) and nothing.statistics()


def test_results(tmp_path):
    for wrong in ("/", None, "/etc/passwd", 3, tmp_path / "no.h5"):
        refused(lambda: stiction.Result(wrong))
    refused(lambda: stiction.repair("/etc/passwd"))
    w, body = world()
    path = tmp_path / "Gewölbe 石.h5"
    with w.run() as run, run.record(path, every=1, title="Tïtel 石"):
        run.step(3)
    result = stiction.Result(path)
    assert result.info["title"] == "Tïtel 石" and result[np.int64(1)].time == pytest.approx(1e-3)
    for wrong in (lambda: result.frame("x"), lambda: result[1.5], lambda: result.positions("nobody"), lambda: result.history(3), lambda: result.history("enrgy"),
                  lambda: result.export_csv(None), lambda: result.export_csv(tmp_path / "a.csv", "tme"), lambda: result.page("no-such-folder/p.html"),
                  lambda: result.view(height="x")):
        refused(wrong)


@pytest.mark.parametrize("make", [
    lambda: stiction.Scene(None), lambda: stiction.Scene(3), lambda: stiction.Scene.parse(3), lambda: stiction.Scene.parse("a\0b"),
    lambda: stiction.Scene.parse("body{mass=1}", until="x"), lambda: stiction.Scene.parse("body{mass=1}", set=[1]),
    lambda: stiction.Scene.parse("body{mass=1} run{}", set={"run.stp": 1}), lambda: stiction.Scene.parse("while true do end"),
    lambda: stiction.sweep("no.lua", {"a": [1]}), lambda: stiction.sweep("no.lua", {}), lambda: stiction.sweep("no.lua", [1]),
    lambda: stiction.sweep(None, {"a": 1}), lambda: stiction.sweep("no.lua", {"a": []}), lambda: stiction.sweep("no.lua", {"a": 1}, jobs=0)])
def test_scenes_and_sweeps(make, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refused(make)


def test_simulations():
    scene = stiction.Scene.parse("body{name='b', mass=1, shape=shape.sphere{radius=1}} run{step=0.01, duration=0.1}")
    run = scene.run()
    for wrong in (lambda: run.body("c"), lambda: run.body(3), lambda: run.body_at(7), lambda: run.body_at("b"), lambda: run.joint_at(0),
                  lambda: run.measure("positon"), lambda: run.measure("position", body=9), lambda: run.measure("position", body=0, component=9)):
        refused(wrong)


def test_problems_are_pickled():
    pytest.importorskip("scipy")
    problem = stiction.Problem.from_scipy(np.diag([1.0, 2.0, 3.0]), B3, 0.5)
    for other in (pickle.loads(pickle.dumps(problem)), copy.copy(problem), copy.deepcopy(problem)):
        assert other is not problem and np.array_equal(other.W.toarray(), problem.W.toarray()) and np.array_equal(other.mu, problem.mu)
        assert np.array_equal(stiction.solve(other).r, stiction.solve(problem).r)
    refused(lambda: stiction.Problem.from_scipy(np.eye(3), [1, 2], 0.5), "b: 3 numbers")
    refused(lambda: stiction.World(frictoin=0.5), "did you mean 'friction'")
    refused(lambda: stiction.solve(problem, max_iter=3), "max_iter")


def test_force_after_a_control_that_raised():
    w, body = world()
    run = w.run()
    body.set_force((1, 0, 0))
    run.control_body(body, lambda t: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        run.step()
    run.control_body(body, None)
    run.step(3)
    assert np.isfinite(run.positions).all()


def test_copies_and_pickles():
    w, body = world()
    run = w.run()
    run.step()
    for thing in (w, body, run, stiction.sphere(1), w.material("m"), w.joint.hinge(body)):
        for copying in (copy.copy, copy.deepcopy, pickle.dumps):
            refused(lambda: copying(thing), "cannot be copied or pickled", stiction.Unsupported)
    w, body = world()
    run = w.run()
    run.step()
    assert np.array_equal(pickle.loads(pickle.dumps(run.contacts))["force"], run.contacts["force"])
    error = pickle.loads(pickle.dumps(stiction.BadFile("text", "f.lua", 3, 4)))
    assert isinstance(error, stiction.BadFile) and (error.text, error.line, str(error)) == ("text", 3, "f.lua:3:4: text")


def test_worlds_without_bodies(tmp_path):
    w = stiction.World()
    run = w.run()
    run.step(5)
    assert run.contacts.shape == run.joints.shape == (0,) and run.positions.shape == (0, 3) and run.energy == (0.0, 0.0)
    assert run.q.shape == run.u.shape == (0,) and run.time == pytest.approx(5e-3)
    refused(lambda: run.record(tmp_path / "a.h5"), "at least one body")
    refused(run.view, "at least one body|no viewer")
    w.body(shape=stiction.half_space(), kind="fixed")
    run = w.run()
    with run.record(tmp_path / "b.h5", every=1):
        run.step(2)
    assert run.q.shape == (0,) and stiction.Result(tmp_path / "b.h5")[2].position.shape == (1, 3)


def test_states_are_not_written_behind_a_world():
    w, body = world()
    run = w.run()
    with pytest.raises(ValueError):
        run.q[:] = NAN
    run.step()


# ---- signals, threads, forks

@pytest.mark.parametrize("many", [False, True])
def test_ctrl_c(many):
    """SIGINT during run.until, and inside of one long step: it ends soon, and the run goes on."""
    w, body = world()
    if many:
        shape = stiction.box((1, 1, 1))
        for i in range(300):
            w.body(shape=shape, position=(3 + 1.01 * (i % 10), 1.01 * (i // 10 % 5), 0.5 + i // 50), orientation=(1, 1e-3 * i, 0, 0))
    run = w.run()
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        run.until(1e6)
    print(f"ended after {time.monotonic() - begin:.2f} s at t = {run.time:.3f} s")
    assert time.monotonic() - begin < 30
    before = run.time
    run.step()
    assert run.time > before


def test_many_threads_on_one_run():
    w, body = world()
    run = w.run()
    failures = []

    def often(use):
        try:
            for _ in range(100):
                use()
        except Exception as error:
            failures.append(error)

    uses = (run.step, lambda: run.contacts["force"].sum(), lambda: run.positions, lambda: run.info, run.snapshot, lambda: run.notices,
            lambda: run.set_twist(body), lambda: body.set_force((1, 0, 0)), lambda: run.q.sum(), lambda: run.energy, lambda: run.hash, gc.collect)
    threads = [threading.Thread(target=often, args=(use,)) for use in uses]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures and run.time == pytest.approx(0.1)


@pytest.mark.parametrize("threads", [1, 2])
def test_fork(threads):
    """A child of a process with runs uses them, pools of threads included, or says why not; it never hangs."""
    done = subprocess.run([sys.executable, "-B", "-c", f"""
import os, signal, stiction
w = stiction.World(threads={threads})
w.body(shape=stiction.half_space(), kind="fixed")
shape = stiction.box((1, 1, 1))
for i in range(40):
    w.body(shape=shape, position=(2 * i, 0, 0.5))
run = w.run()
run.step(2)
pid = os.fork()
if pid == 0:
    signal.alarm(60)
    run.step(3)
    os.write(1, b"%016x\\n" % run.hash)
    other = stiction.World(threads={threads}).run()
    other.step()
    os._exit(0)
code = os.waitpid(pid, 0)[1]
run.step(3)
print("%016x" % run.hash, code)
"""], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    assert done.returncode == 0, done.stderr
    child, parent, code = done.stdout.split()
    assert child == parent and code == "0"


@pytest.mark.parametrize("rows, call", [(1800, lambda p: stiction.existence(p)), (1800, lambda p: stiction.existence(p, margin=True)),
                                        (900, lambda p: stiction.solve(p, "nsgs", tol=1e-15, max_iterations=10**6)),
                                        (900, lambda p: stiction.solve(p, tol=1e-15, max_iterations=10**6)),
                                        (900, lambda p: stiction.solve(p, "apgd", tol=1e-15, max_iterations=10**6))])
def test_ctrl_c_inside_of_one_call(rows, call):
    """A dense random problem takes twenty times the wait or more; what was begun is forgotten, and the next call is a new one."""
    rng = np.random.default_rng(0)
    H = rng.normal(size=(2 * rows // 3, rows))
    problem = stiction.Problem.from_scipy(H.T @ H, rng.normal(size=rows) - 1.0, 0.8)
    threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        call(problem)
    print(f"ended after {time.monotonic() - begin:.2f} s")
    assert time.monotonic() - begin < 30
    small = stiction.Problem.from_scipy(np.eye(3), np.array([-1.0, 0, 0]), 0.5)
    assert stiction.solve(small).solved and stiction.existence(small).verdict == "exists-robust"

# SPDX-License-Identifier: Apache-2.0
"""Small programs as users write them, several features at once, each with a closed-form answer."""

import gc
import math
import threading

import numpy as np
import pytest

import stiction

G = 9.81


def floor(w):
    return w.body(shape=stiction.half_space(), kind="fixed")


def test_block_slides_to_rest():
    """v^2 / (2 mu g) with steps, and to rounding with events; then its weight is carried."""
    w = stiction.World(friction=0.4)
    floor(w)
    block = w.body(shape=stiction.box((0.2, 0.2, 0.1)), position=(0, 0, 0.05), velocity=(2, 0, 0), name="block")
    distance = 4 / (2 * 0.4 * G)
    steps, events = w.run(step=1e-3), w.run(scheme="event", step=1e-2)
    steps.until(1.0)
    events.until(1.0)
    print(steps.pose(block).position[0] - distance, events.pose(block).position[0] - distance)
    assert steps.pose("block").position[0] == pytest.approx(distance, abs=1e-5)
    assert events.pose("block").position[0] == pytest.approx(distance, abs=1e-12)
    assert np.abs(steps.velocities).max() < 1e-9
    assert steps.contacts["force"].sum(axis=0) == pytest.approx([0, 0, 4.0 * G], abs=1e-7)


def test_contacts_are_kept():
    """Arrays of every step stay what they were, and outlive their run and world."""
    w = stiction.World()
    floor(w)
    block = w.body(shape=stiction.box((1, 1, 1)), position=(0, 0, 0.5))
    run, kept = w.run(), []
    run.each_step(lambda r: kept.append(r.contacts))
    run.step(30)
    copies = [rows.copy() for rows in kept]
    block.set_force((0, 0, -5000))
    run.step(30)
    weights = [rows["force"][:, 2].sum() for rows in kept]
    del run, w, block
    gc.collect()
    assert all((rows == copy).all() for rows, copy in zip(kept, copies))
    assert weights[10] == pytest.approx(1000 * G, rel=1e-8) and weights[-1] == pytest.approx(1000 * G + 5000, rel=1e-8)


class Ball(stiction.System):
    sizes, mass, terms = [1], [[[1.0]]], [(0, -1)]

    def __init__(self, e):
        self.interactions = [stiction.Interaction(law="nonneg", blocks=(0, -1), restitution=e)]
        super().__init__()

    def potential(self, k, q):
        return G * q[0], [G]

    def measure(self, i, t, q, u):
        return {"gap": [q[0]], "H": [[1.0]], "G": [[1.0]]}


def test_sweep_of_an_own_system(tmp_path):
    """A ball that was dropped from 1 m has the height e^2 one flight and a half later."""
    def height(e):
        fall = math.sqrt(2 / G)
        run = Ball(e).run(scheme="event", step=fall * (1 + e) / 100, q=[1.0])
        run.step(100)
        return {"height": run.q[0], "speed": run.u[0]}

    found = stiction.sweep(height, {"e": [0.5, 0.7, 0.9]}, folder=tmp_path / "s")
    print(found.rows)
    assert found.done
    for row in found.rows:
        assert row["height"] == pytest.approx(row["e"] ** 2, abs=1e-9) and abs(row["speed"]) < 1e-6


def test_problems_with_known_solutions():
    sparse = pytest.importorskip("scipy.sparse")
    rng = np.random.default_rng(1)
    A = rng.standard_normal((40, 40))
    W = A @ A.T + np.eye(40)
    r = np.maximum(rng.standard_normal(40), 0)
    u = np.where(r > 0, 0, np.abs(rng.standard_normal(40)))
    problem = stiction.Problem.from_scipy(sparse.csr_matrix(W), u - W @ r, 0.0, contact_rows=1)
    for solver in ("auto", "nsgs"):
        found = stiction.solve(problem, solver, tol=1e-12, max_iterations=200000)
        assert found.solved and found.r == pytest.approx(r, abs=1e-9) and found.u == pytest.approx(u, abs=1e-9)
    slips = stiction.Problem.from_scipy(sparse.block_diag([np.diag([2.0, 1.0, 1.0])] * 10), np.tile([-2.0, 3.0, 4.0], 10), 0.3)
    assert stiction.solve(slips, tol=1e-13).r.reshape(10, 3) == pytest.approx(np.tile([1, -0.18, -0.24], (10, 1)), abs=1e-12)


def test_worlds_in_threads():
    def drop(n):
        w = stiction.World(restitution=0.3)
        floor(w)
        for i in range(n):
            w.body(shape=stiction.sphere(0.1), position=(0.01 * i, 0, 0.3 + 0.25 * i))
        run = w.run()
        run.step(200)
        return run.hash

    found = {}
    threads = [threading.Thread(target=lambda n=n: found.update({n: drop(n)})) for n in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {n: drop(n) for n in range(1, 5)}


def test_belt():
    """A box on a belt: mu g t while it slips, the belt's speed afterwards."""
    w = stiction.World(friction=0.5)
    w.body(shape=stiction.box((20, 2, 1)), kind="prescribed", position=(0, 0, -0.5), motion=lambda t: {"position": (t, 0, -0.5), "velocity": (1, 0, 0)})
    box = w.body(shape=stiction.box((0.2, 0.2, 0.2)), position=(0, 0, 0.1))
    run = w.run(step=1e-3)
    run.until(0.1)
    assert run.twist(box).velocity[0] == pytest.approx(0.5 * G * 0.1, abs=1e-9)
    run.until(0.4)
    assert run.twist(box).velocity == pytest.approx([1, 0, 0], abs=1e-9)


def test_grip_that_loosens(tmp_path):
    """Two fingers hold a cube until their controllers let go: then it falls at g - 2 mu F / m. The same is in the file."""
    w = stiction.World(friction=0.5)
    cube, fingers = w.body(shape=stiction.box((0.1, 0.1, 0.1)), mass=1.0, position=(0, 0, 1), name="cube"), []
    for side in (-1, 1):
        finger = w.body(shape=stiction.box((0.02, 0.1, 0.1)), mass=0.5, position=(0.06 * side, 0, 1))
        fingers.append(w.joint.slider(finger, point=(0.06 * side, 0, 1), axis=(-side, 0, 0), force=20.0))
    run = w.run(step=1e-3)
    with run.record(tmp_path / "grip.h5", every=10):
        run.until(0.2)
        assert run.pose(cube).position == pytest.approx([0, 0, 1], abs=1e-9)
        for finger in fingers:
            run.control_force(finger, lambda t: 8.0)
        run.until(0.3)
    fall = 0.5 * (G - 2 * 0.5 * 8.0) * 0.1**2
    result = stiction.Result(tmp_path / "grip.h5")
    # one step more or less of the first force
    assert 1 - result.positions("cube")[-1, 2] == pytest.approx(fall, abs=(G - 8.0) * 0.1 * 1e-3)
    assert result.times[-1] == pytest.approx(0.3)


def test_structure_tips():
    """A block twice as high as wide is tipped by half its weight at its middle."""
    w = stiction.World(friction=2.0)
    floor(w)
    w.body(shape=stiction.box((1, 1, 2)), position=(0, 0, 1))
    structure = stiction.Structure(w)
    push = np.zeros(structure.dof)
    push[0] = 1.0
    found = structure.solve(live=push)
    assert found.outcome == "found" and found.factor == pytest.approx(2000 * G / 2, rel=1e-6)


def test_elastic_bounces_keep_energy():
    w = stiction.World(restitution=1.0, friction=0)
    floor(w)
    w.body(shape=stiction.sphere(0.1), position=(0, 0, 1.1))
    run = w.run(scheme="event", step=0.01)
    before = sum(run.energy)
    run.until(2.0)
    assert sum(run.energy) == pytest.approx(before, rel=1e-12)

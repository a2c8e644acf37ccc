# SPDX-License-Identifier: Apache-2.0
"""Nothing that is used after it ended, in whatever order things end, crashes; run under the address sanitizer by test_sanitized_study.py."""

import gc
import threading
import weakref

import numpy as np
import pytest

import stiction


def pile(boxes=8):
    w = stiction.World()
    w.body(shape=stiction.half_space(), kind="fixed")
    bodies = [w.body(shape=stiction.box((1, 1, 1)), position=(0, 0, i + 0.5)) for i in range(boxes)]
    return w, bodies


def test_everything_raises_after_close():
    w, bodies = pile()
    hinge = w.joint.hinge(bodies[0], point=(0, 0, 0.5), axis=(0, 0, 1))
    run = w.run()
    run.step()
    run.close()
    run.close()
    for use in (run.step, lambda: run.time, lambda: run.contacts, lambda: run.joints, lambda: run.bodies, lambda: run.q,
                lambda: run.hash, lambda: run.info, lambda: run.totals, lambda: run.energy, run.snapshot, lambda: run.events,
                lambda: run.pose(bodies[0]), lambda: run.joint(hinge), lambda: run.until(1), lambda: run.ledger,
                lambda: run.notices, lambda: run.set_pose(bodies[0], (0, 0, 0)), lambda: run.control_force(hinge, lambda t: 0)):
        with pytest.raises(stiction.Closed):
            use()
    w.close()
    for use in (w.run, lambda: w.body(), lambda: w.find("x"), lambda: bodies[0].name, lambda: bodies[0].set_force(),
                lambda: w.joint.hinge(bodies[0]), lambda: w.material("m"), lambda: hinge.valid, lambda: hinge.set_force(1)):
        with pytest.raises(stiction.Closed):
            use()
    assert "closed" in repr(w) and "closed" in repr(run)


def test_shapes_closed_before_their_worlds():
    shape = stiction.polyhedron([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)])
    w = stiction.World()
    w.body(shape=shape, position=(0, 0, 1))
    shape.close()
    with pytest.raises(stiction.Closed):
        shape.mass()
    with pytest.raises(stiction.Closed):
        w.body(shape=shape)
    run = w.run()
    w.close()
    run.step(5)
    assert run.time == pytest.approx(5e-3)


def test_arrays_outlive_steps_runs_and_worlds():
    w, bodies = pile()
    run = w.run()
    run.step(5)
    kept = []
    for _ in range(20):
        contacts = run.contacts
        assert not contacts.flags.writeable
        kept.append((contacts, contacts["force"], contacts["force"].copy()))
        run.step()
    q = run.q
    run.close()
    w.close()
    del run, w
    gc.collect()
    for contacts, force, copy in kept:
        assert np.array_equal(force, copy) and np.array_equal(contacts["force"], copy)
    assert len({contacts.ctypes.data for contacts, _, _ in kept}) == 20
    assert np.isfinite(q).all()  # of nobody any more, but still memory
    del kept, q
    gc.collect()


def test_arrays_of_one_step_share_memory():
    w, bodies = pile()
    w.joint.point(bodies[-1], point=(0, 0, 8))
    run = w.run()
    run.step()
    one, two, joints = run.contacts, run.contacts, run.joints
    assert one.ctypes.data == two.ctypes.data
    copy, other = one.copy(), joints.copy()
    del one
    gc.collect()
    run.step()
    three = run.contacts
    assert np.array_equal(two, copy) and np.array_equal(joints, other)
    assert three.ctypes.data != two.ctypes.data


def test_contacts_are_not_copied():
    """10 000 contacts: the array is the library's memory."""
    w = stiction.World()
    w.body(shape=stiction.half_space(), kind="fixed")
    shape = stiction.box((1, 1, 1))
    for i in range(2500):
        w.body(shape=shape, position=(1.5 * (i % 50), 1.5 * (i // 50), 0.5))
    run = w.run(accuracy="preview")
    run.step()
    contacts = run.contacts
    from stiction._native import ffi, lib
    first, count = ffi.new("const SticContactForce**"), ffi.new("int32_t*")
    lib.stic_run_contacts(run._run, first, count)
    print(f"{len(contacts)} contacts, {contacts.nbytes / 1e6:.1f} MB")
    assert len(contacts) == count[0] == 10000
    assert contacts.ctypes.data == int(ffi.cast("uintptr_t", first[0]))
    assert contacts["force"][:, 2].sum() == pytest.approx(2500 * 9810, rel=1e-3)
    assert np.shares_memory(contacts["force"], contacts)


@pytest.mark.parametrize("order", range(6))
def test_any_order_of_ending(order):
    w, bodies = pile(3)
    run = w.run()
    run.step(2)
    things = {"world": w, "run": run, "array": run.contacts, "state": run.q, "body": bodies}
    del w, run, bodies
    names = list(np.random.default_rng(order).permutation(list(things)))
    for name in names:
        del things[name]
        gc.collect()


def test_cycles_are_collected():
    w, bodies = pile(2)
    run = w.run()

    class Robot:
        def __init__(self, run, body):
            self.run, self.body = run, body
            run.control_body(body, self.force)

        def force(self, t):
            return -self.run.twist(self.body).velocity

    robot = Robot(run, bodies[0])
    run.each_step(lambda r: robot.body)
    run.step(3)
    gone = weakref.ref(robot), weakref.ref(run), weakref.ref(w)
    handle = weakref.ref(w._handle)
    del robot, run, w, bodies
    gc.collect()
    assert all(reference() is None for reference in gone) and handle() is None


def test_results_and_frames(tmp_path):
    w, bodies = pile(2)
    run = w.run()
    output = run.record(tmp_path / "a.h5", every=1)
    run.step(5)
    output.close()
    output.close()
    with pytest.raises(stiction.Closed):
        output.flush()
    run.step()
    result = stiction.Result(tmp_path / "a.h5")
    frame = result.frame(3)
    copy = frame.position.copy()
    result.close()
    with pytest.raises(stiction.Closed):
        result.frame(0)
    del result
    gc.collect()
    assert np.array_equal(frame.position, copy)


def test_run_with_an_open_file_is_lost(tmp_path):
    w, bodies = pile(2)
    run = w.run()
    run.record(tmp_path / "a.h5", every=1)
    run.step(3)
    del run
    gc.collect()
    assert len(stiction.Result(tmp_path / "a.h5")) == 4


def test_scenes_in_any_order():
    scene = stiction.Scene.parse("body{mass = 1, shape = shape.sphere{radius = 0.1}} run{step = 0.01, duration = 1}")
    run = scene.run()
    world = run.world
    scene.close()
    run.step(2)
    run.close()
    with pytest.raises(stiction.Closed):
        run.step()
    del run, scene
    gc.collect()
    assert world.find("nobody") is None  # lent by the simulation, which lives as long
    del world
    gc.collect()


def test_two_runs_in_two_threads():
    """Each thread has its own world; results are those of one thread alone."""
    def work(out, k):
        w, bodies = pile(6)
        run = w.run()
        run.set_twist(bodies[k], (0.1, 0, 0))
        run.until(0.05)
        out[k] = run.hash

    alone, together = {}, {}
    for k in range(4):
        work(alone, k)
    threads = [threading.Thread(target=work, args=(together, k)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert alone == together and len(set(alone.values())) == 4


def test_the_interpreter_goes_on_while_c_computes():
    w = stiction.World()
    w.body(shape=stiction.half_space(), kind="fixed")
    shape = stiction.box((1, 1, 1))
    for i in range(400):
        w.body(shape=shape, position=(1.0 * (i % 10), 1.0 * (i // 10 % 4), 0.5 + i // 40))
    run = w.run(accuracy="preview")
    counted = []
    done = threading.Event()

    def step():
        run.step()
        done.set()

    thread = threading.Thread(target=step)
    thread.start()
    while not done.is_set():
        counted.append(1)
        done.wait(1e-4)
    thread.join()
    print(f"{len(counted)} turns of another thread during one step")
    assert len(counted) > 3


def test_one_run_in_two_threads_is_one_after_the_other():
    w, bodies = pile(4)
    run, other = w.run(), w.run()
    run.step(80)
    end = run.hash
    run = w.run()
    threads = [threading.Thread(target=lambda r=r: [r.step(10) for _ in range(4)]) for r in (run, run, other)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert run.hash == end and other.time == pytest.approx(0.04)


def test_closing_while_another_thread_steps():
    w, bodies = pile(4)
    run = w.run()
    failures = []

    def step():
        try:
            for _ in range(10000):
                run.step()
        except stiction.Closed:
            failures.append("closed")

    thread = threading.Thread(target=step)
    thread.start()
    while run.time < 0.01:
        pass
    run.close()
    thread.join()
    assert failures == ["closed"]

# SPDX-License-Identifier: Apache-2.0
"""Errors are exceptions with the library's sentence; what a callback raises comes out where the step was asked for."""

import numpy as np
import pytest

import stiction


def falling():
    w = stiction.World()
    w.body(shape=stiction.half_space(), kind="fixed")
    ball = w.body(shape=stiction.sphere(0.1), position=(0, 0, 1))
    return w, ball


@pytest.mark.parametrize("call, kind, words", [
    (lambda: stiction.sphere(-1), stiction.BadArgument, "radius"),
    (lambda: stiction.box((1, 2)), stiction.BadArgument, "3 numbers"),
    (lambda: stiction.polyhedron([(0, 0, 0), (1, 0, 0), (0, 1, 0)]), stiction.Error, ""),
    (lambda: stiction.World(friction_mixing="geometri"), ValueError, "did you mean 'geometric'"),
    (lambda: stiction.World(threads=0), stiction.BadArgument, "threads"),
    (lambda: stiction.World(fricton=1), stiction.BadArgument, "fricton"),
    (lambda: stiction.World().run("moreu"), stiction.BadArgument, "did you mean 'moreau'"),
    (lambda: stiction.World().run(solver="nsg"), stiction.BadArgument, "did you mean 'nsgs'"),
    (lambda: stiction.World().run(accuracy="strikt"), stiction.BadArgument, "did you mean 'strict'"),
    (lambda: stiction.World().run("theta", theta=7), stiction.BadArgument, "theta"),
    (lambda: stiction.World().run("theta", thetta=0.6), stiction.BadArgument, "did you mean 'theta'"),
    (lambda: stiction.World().body(kind="ridig"), stiction.BadArgument, "did you mean 'rigid'"),
    (lambda: stiction.World().body(shape="box"), stiction.BadArgument, "no shape"),
    (lambda: stiction.World().material("m", restitution=2.0), stiction.BadArgument, "restitution"),
    (lambda: stiction.Scene("no-such-scene.lua"), OSError, "no-such-scene.lua"),
    (lambda: stiction.Scene.parse("body{"), stiction.Error, "line|expected|unexpected"),
    (lambda: stiction.Scene.parse("run{}", friction=1), stiction.Error, "friction"),
    (lambda: stiction.settings("nsgz"), stiction.BadArgument, "did you mean 'nsgs'"),
])
def test_sentences(call, kind, words):
    with pytest.raises(kind, match=words) as caught:
        call()
    print(f"{type(caught.value).__name__}: {caught.value}")
    assert isinstance(caught.value, stiction.Error)


def test_place_in_a_file(tmp_path):
    path = tmp_path / "scene.lua"
    path.write_text("run{step = 1e-3}\nbody{mas = 1}\n")
    with pytest.raises(stiction.Error) as caught:
        stiction.Scene(path)
    assert caught.value.line == 2 and "scene.lua" in caught.value.file
    assert "mass" in str(caught.value)


class Mine(Exception):
    pass


@pytest.mark.parametrize("policy", ["stop", "adapt", "continue"])
def test_exception_of_a_control(policy):
    w, ball = falling()
    run = w.run(policy=policy)
    run.step(10)
    before, count = run.hash, 0

    def control(t):
        nonlocal count
        count += 1
        raise Mine("out of batteries")

    run.control_body(ball, control)
    with pytest.raises(Mine, match="out of batteries"):
        run.step(5)
    # the step failed, and left everything as it was
    assert run.hash == before and count >= 1
    run.control_body(ball, None)
    ball.set_force()
    run.step()
    assert run.hash != before


def test_exception_of_a_motion():
    w = stiction.World()

    def motion(t):
        if t > 0.01:
            raise Mine("derailed")
        return {"position": (0, 0, t), "velocity": (0, 0, 1)}

    w.body(shape=stiction.box((1, 1, 1)), kind="prescribed", motion=motion)
    w.body(shape=stiction.sphere(0.1), position=(0, 0, 1))
    run = w.run()
    with pytest.raises(Mine, match="derailed"):
        run.until(1.0)
    assert 0.005 < run.time < 0.02


@pytest.mark.parametrize("answer, missing", [({"position": (0, 0, 0)}, "its velocity"), (((0, 0, 0), (1, 0, 0, 0), (0, 0, 1)), "its angular_velocity")])
def test_motions_without_velocity_are_refused(answer, missing):
    w = stiction.World()
    w.body(shape=stiction.box((1, 1, 1)), kind="prescribed", motion=lambda t: answer)
    w.body(shape=stiction.sphere(0.1), position=(0, 0, 2))
    with pytest.raises(stiction.BadArgument, match=missing):
        w.run().step()


def test_times_that_have_passed_are_refused():
    run = falling()[0].run()
    run.until(0.01)
    run.until(0.01)
    with pytest.raises(stiction.BadArgument, match="has passed"):
        run.until(0.005)


def test_the_vector_is_blamed_and_not_the_matrix():
    with pytest.raises(stiction.BadArgument, match="f: 2 values"):
        stiction.Problem.from_global(np.eye(3), np.eye(3), [0, 0], [0, 0, 0], [0.5])


def test_wrong_answers_of_callbacks():
    w, ball = falling()
    run = w.run()
    run.control_body(ball, lambda t: "up")
    with pytest.raises((ValueError, TypeError)):
        run.step()
    run.control_body(ball, lambda t: (np.nan, 0, 0))
    with pytest.raises(stiction.NotFinite):
        run.step()
    with pytest.raises(stiction.BadArgument, match="function"):
        run.control_body(ball, 3)


def test_system_that_raises():
    class Broken(stiction.System):
        sizes = [1]
        mass = [[[1.0]]]
        terms = [(0, -1)]
        offers = ("constant_mass", "potential")

        def potential(self, k, q):
            raise Mine("no potential today")

    run = Broken().run("moreau", q=[0.0])
    with pytest.raises(Mine, match="no potential today"):
        run.step()


def test_exception_after_a_step_ends_until():
    w, ball = falling()
    run = w.run()

    def stop(r):
        if r.time > 0.05:
            raise KeyboardInterrupt

    run.each_step(stop)
    with pytest.raises(KeyboardInterrupt):
        run.until(10.0)
    assert run.time == pytest.approx(0.051)


def test_a_control_cannot_step_or_change_the_world():
    w, ball = falling()
    run = w.run()
    for wrong in (run.step, run.close, lambda: w.body(shape=stiction.sphere(1)), lambda: run.set_twist(ball),
                  lambda: run.contacts, ball.remove):
        def control(t, wrong=wrong):
            wrong()
            return (0, 0, 0)
        run.control_body(ball, control)
        with pytest.raises(stiction.BadArgument):
            run.step()
    # what it may do
    run.control_body(ball, lambda t: (run.pose(ball).position * 0, (0, 0, 0)))
    run.step()


def test_world_that_changed():
    w, ball = falling()
    run = w.run()
    run.step()
    w.body(shape=stiction.sphere(0.1), position=(3, 0, 0))
    for wrong in (run.step, lambda: run.positions, lambda: run.contacts, lambda: run.pose(ball), lambda: run.energy, run.snapshot):
        with pytest.raises(stiction.BadData, match="make a new run"):
            wrong()
    w.run().step()


def test_bodies_of_other_worlds():
    w, ball = falling()
    other, theirs = falling()
    run = w.run()
    for wrong in (lambda: run.pose(theirs), lambda: run.set_twist(theirs), lambda: w.joint.hinge(theirs),
                  lambda: run.control_body(theirs, lambda t: (0, 0, 0))):
        with pytest.raises(stiction.BadArgument, match="another world"):
            wrong()


def test_keyboard_interrupt_inside_a_step():
    """Ctrl-C while Python-written code runs inside of a step."""
    import _thread
    w, ball = falling()
    run = w.run()

    def control(t):
        _thread.interrupt_main()
        for _ in range(1000):
            pass
        return (0, 0, 0)

    run.control_body(ball, control)
    with pytest.raises(KeyboardInterrupt):
        run.until(1.0)
    assert run.time < 0.01

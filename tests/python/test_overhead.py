# SPDX-License-Identifier: Apache-2.0
"""What a step from Python does besides C, counted: the microseconds are measured by bench/python_overhead."""

import sys

import stiction


def calls_of(function):
    """Functions of Python, and of C, that are entered."""
    seen = {"call": [], "c_call": []}

    def note(frame, event, argument):
        if event in seen:
            seen[event].append(frame.f_code.co_name if event == "call" else getattr(argument, "__name__", str(argument)))

    sys.setprofile(note)
    try:
        function()
    finally:
        sys.setprofile(None)
    seen["c_call"] = [name for name in seen["c_call"] if name != "setprofile"]
    return seen


def falling():
    w = stiction.World()
    ball = w.body(shape=stiction.sphere(0.1), position=(0, 0, 1e6))
    return ball, w.run(step=1e-6)


def test_step():
    """One frame of Python, one call of the library, the lock there and back: about 1 us."""
    _, run = falling()
    run.step()
    seen = calls_of(run.step)
    print(seen)
    assert seen["call"] == ["step"]
    assert len(seen["c_call"]) <= 4


def test_many_steps():
    """The loop adds the call of the library and nothing else."""
    _, run = falling()
    one, many = calls_of(run.step), calls_of(lambda: run.step(1000))
    assert len(many["call"]) == len(one["call"]) + 1  # the lambda
    assert len(many["c_call"]) - len(one["c_call"]) <= 999


def test_control():
    """A control costs a few frames of Python per question."""
    ball, run = falling()
    asked = []
    run.control_body(ball, lambda t: asked.append(t) or (0, 0, 1))
    run.step()
    asked.clear()
    seen = calls_of(run.step)
    print(seen, len(asked))
    assert len(asked) >= 1 and len(seen["call"]) <= 1 + 16 * len(asked)

# SPDX-License-Identifier: Apache-2.0
"""What a call from Python costs above C, in CPU time; the least of several series, since others use the machine too."""

import time

import stiction
from stiction._native import ffi, lib

STEPS, SERIES = 4000, 9


def falling():
    w = stiction.World()
    w.body(shape=stiction.sphere(0.1), position=(0, 0, 1e6))
    return w.run(step=1e-6)


def least(series):
    return min(series() for _ in range(SERIES)) / STEPS


def test_step():
    run, error = falling(), ffi.new("SticError*")

    def in_c():
        end, begin = run.time + STEPS * 1e-6, time.process_time()
        lib.stic_run_advance(run._run, end, error)
        return time.process_time() - begin

    def one_by_one():
        begin = time.process_time()
        for _ in range(STEPS):
            run.step()
        return time.process_time() - begin

    c, python = least(in_c), least(one_by_one)
    print(f"stic_run_advance {c * 1e6:.2f} us per step, run.step() {python * 1e6:.2f} us: {(python - c) * 1e6:.2f} us above C")
    assert python - c <= 3e-6


def test_control():
    w = stiction.World()
    ball = w.body(shape=stiction.sphere(0.1), position=(0, 0, 1e6))
    run = w.run(step=1e-6)

    def series():
        begin = time.process_time()
        run.step(STEPS)
        return time.process_time() - begin

    alone = least(series)
    run.control_body(ball, lambda t: (0, 0, 1))
    controlled = least(series)
    print(f"a control written in Python: {(controlled - alone) * 1e6:.2f} us per step")
    assert controlled - alone <= 30e-6

# SPDX-License-Identifier: Apache-2.0
"""Sweeps of functions that build and run worlds: on processes, on Dask, with workers and masters killed on the way."""

import os
import functools
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import stiction


def slide(mu, v=1.0):
    """How far a block slides."""
    w = stiction.World(friction=mu)
    w.body(shape=stiction.half_space(), kind="fixed")
    block = w.body(shape=stiction.box((0.2, 0.2, 0.2)), position=(0, 0, 0.1), velocity=(v, 0, 0))
    run = w.run(step=1e-3)
    run.until(0.3)
    return {"x": run.pose(block).position[0], "hash": f"{run.hash:016x}"}


def starts(folder, k):
    return sum(line.startswith("$ ") for line in (Path(folder) / f"point-{k:04d}.log").read_text().splitlines())


def children(pid):
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def test_points_and_physics(tmp_path):
    found = stiction.sweep(slide, {"mu": np.linspace(0.2, 0.6, 3), "v": [0.5, 1.0]}, folder=tmp_path / "s", jobs=2)
    assert found.done and len(found) == 6 and found.failed == []
    for row in found.rows:
        mu, v = row["mu"], row["v"]
        t = min(0.3, v / (mu * 9.81))
        assert row["x"] == pytest.approx(v * t - 0.5 * mu * 9.81 * t * t, abs=2e-3)
        # the same bits as here
        assert row["hash"] == slide(mu, v)["hash"]
    # nothing is run again
    again = stiction.sweep(slide, {"mu": np.linspace(0.2, 0.6, 3), "v": [0.5, 1.0]}, folder=tmp_path / "s")
    assert again.rows == found.rows and all(starts(tmp_path / "s", k) == 1 for k in range(1, 7))
    with pytest.raises(stiction.BadArgument, match="another sweep"):
        stiction.sweep(slide, {"mu": [0.1]}, folder=tmp_path / "s")


def test_closures_results_and_prints(tmp_path):
    """A function of a notebook's cell; `path` is a file of the point's own."""
    scale = 2.0

    def drop(height, path):
        print("drops from", height)
        w = stiction.World()
        ball = w.body(shape=stiction.sphere(0.1), position=(0, 0, scale * height))
        with w.run(step=1e-2) as run:
            run.record(path, every=10)
            run.until(0.1)
            return run.pose(ball).position[2]

    found = stiction.sweep(drop, {"height": [1, 2]}, folder=tmp_path / "s", jobs=1)
    assert [row["value"] for row in found.rows] == pytest.approx([2 - 0.5 * 9.81 * 0.01, 4 - 0.5 * 9.81 * 0.01], abs=1e-9)
    assert len(found.result(2)) == 2 and found.result(2)[-1].time == pytest.approx(0.1)
    assert "drops from 2" in (tmp_path / "s" / "point-0002.log").read_text()


def test_texts_and_flags_come_back_as_given(tmp_path):
    def label(v, n):
        return {"t": v, "twice": 2 * n, "flag": n > 1}

    for _ in range(2):  # made, and found
        rows = stiction.sweep(label, {"v": ["001", "1e3", "nan", "True", ""], "n": [1, 2]}, folder=tmp_path / "s").rows
        assert [row["v"] for row in rows] == [row["t"] for row in rows] == [v for v in ("001", "1e3", "nan", "True", "") for _ in (1, 2)]
        assert [row["flag"] for row in rows] == [False, True] * 5 and [row["twice"] for row in rows] == [2, 4] * 5


def test_values_that_are_no_numbers_or_texts_fail(tmp_path):
    given = {"array": np.zeros(3), "none": None, "nested": {"a": 1}, "list": [1], "complex": 1j}

    def strange(kind):
        return {"x": given[kind]}

    found = stiction.sweep(strange, {"kind": list(given)}, folder=tmp_path / "s")
    assert found.failed == [1, 2, 3, 4, 5]
    assert all("numbers, texts" in row["error"] and "'x'" in row["error"] for row in found.rows)


def test_failed_points_are_listed_and_run_again(tmp_path):
    mended = tmp_path / "mended"  # what a function reads of the world outside is not its own

    def picky(m):
        if m == 2 and not mended.exists():
            raise ValueError("not this one")
        return None if m == 1 else {"twice": 2 * m, "word": "yes", "array": np.float64(m)}

    found = stiction.sweep(picky, {"m": [1, 2, 3]}, folder=tmp_path / "s")
    assert found.failed == [2] and not found.done
    assert [row["state"] for row in found.rows] == ["done", "failed", "done"] and "not this one" in found.rows[1]["error"]
    assert "not this one" in (tmp_path / "s" / "point-0002.log").read_text()
    mended.touch()
    found = stiction.sweep(picky, {"m": [1, 2, 3]}, folder=tmp_path / "s")
    assert found.done and found.rows[1]["twice"] == 4 and found.rows[1]["word"] == "yes"
    assert [starts(tmp_path / "s", k) for k in (1, 2, 3)] == [1, 2, 1]
    assert stiction.sweep(lambda m: object(), {"m": 1}, folder=tmp_path / "o").failed == [1]
    assert stiction.sweep(lambda m: {"m": 1}, {"m": 1}, folder=tmp_path / "n").failed == [1]


def test_columns_stay_numbers_where_points_fail(tmp_path):
    rows = stiction.sweep(lambda m: {"half": 1 / (m - 1), "word": "yes"}, {"m": [1, 2]}, folder=tmp_path / "s").rows
    assert np.isnan(rows[0]["half"]) and rows[1]["half"] == 1.0 and rows[0]["word"] == "" and rows[1]["error"] == ""


def test_edited_functions_are_refused(tmp_path):
    """Points of two editions do not belong together; comments are no edition, and nothing is lost where no point is done."""
    def made(text):
        names = {}
        exec(text, names)
        return names["f"]

    assert stiction.sweep(made("def f(m):\n return m + 1"), {"m": [1]}, folder=tmp_path / "s").rows[0]["value"] == 2
    assert stiction.sweep(made("def f(m):\n # the same\n return m + 1"), {"m": [1]}, folder=tmp_path / "s").done
    for text in ("def f(m):\n return m + 2", "def f(m):\n return m - 1", "def f(m, n=1):\n return m + 1"):
        with pytest.raises(stiction.BadArgument, match="was changed.*Name another folder"):
            stiction.sweep(made(text), {"m": [1]}, folder=tmp_path / "s")
    assert stiction.sweep(made("def f(m):\n return 1 // 0"), {"m": [1]}, folder=tmp_path / "f").failed == [1]
    assert stiction.sweep(made("def f(m):\n return m"), {"m": [1]}, folder=tmp_path / "f").done


def test_runs_left_open_are_stored(tmp_path):
    def drop(a, path):
        w = stiction.World()
        w.body(stiction.sphere(0.1))
        run = w.run()
        run.record(path)
        run.until(0.1)
        return a

    result = stiction.sweep(drop, {"a": [1]}, folder=tmp_path / "s").result(1)
    assert len(result) == 11 and not result.info["in_use"]


@pytest.mark.parametrize("function, params, said", [
    (slide, {"mue": 1}, "did you mean 'mu'"), (slide, {"v": 1}, "needs the parameter 'mu'"), (slide, {"mu": []}, "one or more values"),
    (slide, [("mu", 1)], "a dictionary"), (lambda state: 1, {"state": 1}, "column of its own")])
def test_wrong_words(function, params, said, tmp_path):
    with pytest.raises(stiction.BadArgument, match=said):
        stiction.sweep(function, params, folder=tmp_path / "s")
    assert not (tmp_path / "s").exists()


def test_what_is_for_scenes(tmp_path):
    for options in ({"until": 1.0}, {"set": {}}, {"accuracy": "strict"}):
        with pytest.raises(stiction.BadArgument, match="for scenes"):
            stiction.sweep(slide, {"mu": 1}, folder=tmp_path / "s", **options)
    with pytest.raises(stiction.BadArgument, match="scene"):
        stiction.slurm(slide, {"mu": 1}, tmp_path / "job.sh")


def test_killed_workers(tmp_path):
    """Each point's first process kills itself: it is run again, and ends."""
    def fragile(k):
        mark = tmp_path / f"tried-{k}"
        if not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return k * k

    found = stiction.sweep(fragile, {"k": [1, 2, 3]}, folder=tmp_path / "s", jobs=2)
    assert found.done and [row["value"] for row in found.rows] == [1, 4, 9]
    assert [starts(tmp_path / "s", k) for k in (1, 2, 3)] == [2, 2, 2]
    found = stiction.sweep(lambda k: os.kill(os.getpid(), signal.SIGKILL), {"k": 1}, folder=tmp_path / "t")
    assert found.failed == [1] and "5 times" in found.rows[0]["error"]


MASTER = """
import sys, time, stiction
def slow(k, path):
    w = stiction.World()
    w.body(shape=stiction.half_space(), kind="fixed")
    ball = w.body(shape=stiction.sphere(0.1), position=(0, 0, 0.5))
    with w.run(step=1e-3) as run:
        snapshot = path.with_suffix(".snapshot")
        if snapshot.exists():
            run.load(snapshot)
            print("goes on at", run.time)
        run.record(path, every=100, snapshot_every=100, replace=True)
        while run.time < 1.5 - 5e-4:
            run.step()
            if run.time > 0.5 and not snapshot.with_name("go").exists():
                time.sleep(0.01)
        return {"hash": f"{run.hash:016x}", "z": run.pose(ball).position[2]}
found = stiction.sweep(slow, {"k": [1, 2, 3]}, folder=sys.argv[1], jobs=2)
print(found.done, [row["hash"] for row in found.rows])
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_killed_master(tmp_path, how):
    """Workers of a killed master may end their points; nothing is run twice, and points go on from their snapshots."""
    folder, script = tmp_path / "s", tmp_path / "study.py"
    script.write_text(MASTER)
    master = subprocess.Popen([sys.executable, "-B", str(script), str(folder)], stderr=subprocess.PIPE, text=True)
    while not ((folder / "point-0001.h5").exists() and (folder / "point-0002.h5").exists()):
        time.sleep(0.01)
    time.sleep(0.5)
    workers = children(master.pid)
    master.send_signal(how)
    said = master.communicate(timeout=60)[1]
    assert how == signal.SIGKILL or ("KeyboardInterrupt" in said and not any(Path(f"/proc/{pid}").exists() for pid in workers))
    (folder / "go").touch()
    done = subprocess.run([sys.executable, "-B", str(script), str(folder)], text=True, stdout=subprocess.PIPE, check=True)
    print(done.stdout)
    words = done.stdout.split()
    assert words[0] == "True" and len(set(words[1:])) <= 3
    # all points are the same fall: the ones that went on ended with the bits of the one that did not stop
    assert len({word.strip("[],'") for word in words[1:]}) == 1
    if how == signal.SIGINT:
        assert "goes on at" in (folder / "point-0001.log").read_text()


def test_dask_with_a_worker_killed(tmp_path):
    distributed = pytest.importorskip("distributed")
    import threading
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            pids = list(client.run(os.getpid).values())

            def kill():
                while len(list((tmp_path / "s").glob("*.json"))) < 5:
                    time.sleep(0.01)
                os.kill(pids[0], signal.SIGKILL)

            thread = threading.Thread(target=kill, daemon=True)
            thread.start()
            found = stiction.sweep(slide, {"mu": np.linspace(0.1, 0.5, 10), "v": [0.5, 1.0]}, client=client, folder=tmp_path / "s")
            thread.join()
    began = [starts(tmp_path / "s", k) for k in range(1, 21)]
    print(f"worker {pids[0]} killed; points begun: {began}")
    assert found.done and len(found) == 20
    # only what the killed worker was at is begun again
    assert sum(began) <= 22 and found.rows[7]["hash"] == slide(found.rows[7]["mu"], found.rows[7]["v"])["hash"]


def test_executors(tmp_path):
    from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
    with ThreadPoolExecutor(2) as client:
        assert stiction.sweep(slide, {"mu": [0.3, 0.4]}, client=client, folder=tmp_path / "t").done
    import multiprocessing
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("fork")) as client:
        assert stiction.sweep(slide, {"mu": [0.3, 0.4]}, client=client, folder=tmp_path / "p").done


def test_processes_beside_threads_that_write(tmp_path):
    """A fork while another thread is inside of HDF5 would leave the child with half of its tables."""
    import threading
    ended = threading.Event()

    def write():
        w = stiction.World()
        w.body(shape=stiction.sphere(0.1))
        with w.run() as run:
            run.record(tmp_path / "busy.h5", every=1)
            while not ended.is_set():
                run.step(5)

    def point(x, path):
        w = stiction.World(threads=2)
        ball = w.body(shape=stiction.sphere(0.1))
        with w.run() as run:
            run.record(path, every=5)
            run.step(20)
            return run.pose(ball).position[2]

    thread = threading.Thread(target=write)
    thread.start()
    try:
        found = stiction.sweep(point, {"x": range(12)}, folder=tmp_path / "s", jobs=4)
    finally:
        ended.set()
        thread.join()
    assert found.done and [row["value"] for row in found.rows] == pytest.approx([-0.5 * 9.81 * 0.02**2] * 12)
    assert len(found.result(12)) == 5


def test_what_a_function_uses_is_part_of_it(tmp_path):
    """Values that a function closes over, reads of its module, gets by default or through an object: others are another study."""
    def closed(g, table, helper):
        return lambda m: m * g + float(np.sum(table)) + helper(m)

    class Law:
        def __init__(self, mu):
            self.mu = mu

        def __call__(self, m):
            return self.mu * m

        def other(self, m):
            return -self.mu * m

    def module(value):
        names = {"G": value}
        exec("def inner(m): return G * m\ndef f(m): return inner(m)", names)
        return names["f"]

    twice, thrice = (lambda m: 2 * m), (lambda m: 3 * m)
    pairs = [(closed(1, [1, 2], twice), closed(2, [1, 2], twice)), (closed(1, np.arange(3), twice), closed(1, np.arange(4), twice)),
             (closed(1, [1], twice), closed(1, [1], thrice)), (Law(0.1), Law(0.2)), (Law(0.1).other, Law(0.2).other),
             (functools.partial(closed(1, [1], twice)), functools.partial(closed(2, [1], twice))), (module(1), module(2))]
    for k, (one, two) in enumerate(pairs):
        folder = tmp_path / str(k)
        assert stiction.sweep(one, {"m": [1]}, folder=folder).done and stiction.sweep(one, {"m": [1]}, folder=folder).done
        assert starts(folder, 1) == 1
        with pytest.raises(stiction.BadArgument, match="a value that it uses, was changed"):
            stiction.sweep(two, {"m": [1]}, folder=folder)
    # the same values in another process, and a function that calls itself
    def again(m):
        return 1 if m == 0 else again(m - 1)
    assert stiction.sweep(again, {"m": [2]}, folder=tmp_path / "a").done and stiction.sweep(again, {"m": [2]}, folder=tmp_path / "a").done
    words = "import stiction, numpy as np\nx = {'a': [1, np.ones(2)], 'b': frozenset('pqr')}\ndef f(m): return m + x['a'][0]\n" \
            "from stiction.study import _fingerprint\nprint(_fingerprint(f))"
    prints = {subprocess.run([sys.executable, "-B", "-c", words], text=True, check=True, stdout=subprocess.PIPE).stdout for _ in range(3)}
    assert len(prints) == 1

# SPDX-License-Identifier: Apache-2.0
"""Sweeps with workers and masters killed on the way: nothing is lost, nothing is run twice."""

import csv
import math
import os
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

import stiction

PROGRAM = os.environ["STICTION_BIN"]
SCENE = """
material{name = 'm', density = 1000, friction = param('mu', 0.5)}
body{kind = 'fixed', shape = shape.half_space{offset = 0, material = 'm'}}
body{name = 'b', position = {0, 0, 0.1}, velocity = {param('v', 1), 0, 0}, shape = shape.box{size = {0.2, 0.2, 0.2}, material = 'm'}}
history{name = 'x', quantity = 'position', body = 'b', component = 'x'}
run{step = 1e-3, duration = param('duration', 0.5)}
"""


@pytest.fixture
def scene(tmp_path):
    path = tmp_path / "slide.lua"
    path.write_text(SCENE)
    return path


def words(scene, folder, *more):
    return [PROGRAM, "sweep", str(scene), "-o", str(folder), *more]


def table(folder):
    with open(Path(folder) / "sweep.csv", newline="") as file:
        return list(csv.DictReader(file))


def starts(folder, k):
    """Commands that were started for a point."""
    return [line.split()[2] for line in (Path(folder) / f"point-{k:04d}.log").read_text(errors="replace").splitlines()
            if line.startswith("$ ")]


def children(pid):
    try:
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def hash_of(scene, **params):
    run = stiction.Scene(scene, **params).run()
    run.until_done()
    return f"{run.hash:016x}"


def test_points_and_physics(scene, tmp_path):
    done = subprocess.run(words(scene, tmp_path / "s", "--param", "mu=0.1:0.5:3", "--param", "v=1,2"), text=True, check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert "6 of 6 points done" in done.stderr and "sweep.csv" in done.stdout
    rows = table(tmp_path / "s")
    assert [(float(row["mu"]), float(row["v"])) for row in rows] == [(mu, v) for mu in (0.1, 0.30000000000000004, 0.5) for v in (1, 2)]
    for row in rows:
        # a block slides v^2 / (2 mu g), if it comes to rest within 0.5 s
        mu, v = float(row["mu"]), float(row["v"])
        t = min(0.5, v / (mu * 9.81))
        assert float(row["x"]) == pytest.approx(v * t - 0.5 * mu * 9.81 * t * t, abs=2e-3)
        assert row["state"] == "done" and row["hash"] == hash_of(scene, mu=mu, v=int(v))
    # nothing is run again
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "s").glob("*.h5")}
    subprocess.run(words(scene, tmp_path / "s", "--param", "mu=0.1:0.5:3", "--param", "v=1,2"), check=True, stderr=subprocess.DEVNULL)
    assert before == {path: path.stat().st_mtime_ns for path in (tmp_path / "s").glob("*.h5")}
    assert all(starts(tmp_path / "s", k) == ["run"] for k in range(1, 7))


LONG = ("--param", "mu=0.1:0.4:4", "--param", "duration=20", "--set", "output.snapshot_every=1000", "--set", "output.every=100")


def test_killed_workers(scene, tmp_path):
    folder, killed = tmp_path / "s", 0
    master = subprocess.Popen(words(scene, folder, *LONG, "-j", "2"), stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    while master.poll() is None and killed < 3:
        time.sleep(0.1)
        for child in children(master.pid)[:1]:
            os.kill(child, signal.SIGKILL)
            killed += 1
    assert master.wait(60) == 0
    rows = table(folder)
    began = [len(starts(folder, k)) for k in range(1, 5)]
    print(f"{killed} workers killed; processes started for each point: {began}")
    # a process that was killed before it wrote its first line is not counted
    assert killed == 3 and 4 <= sum(began) <= 4 + killed
    assert [row["state"] for row in rows] == ["done"] * 4
    for row in rows:
        assert row["hash"] == hash_of(scene, mu=float(row["mu"]), duration=20)
        assert int(row["steps"]) == 20000


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_killed_master(scene, tmp_path, how):
    folder = tmp_path / "s"
    master = subprocess.Popen(words(scene, folder, *LONG, "-j", "2"), stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    while not (folder / "point-0002.h5").exists():
        time.sleep(0.01)
    time.sleep(0.1)
    workers = children(master.pid)
    master.send_signal(how)
    said = master.communicate(timeout=30)[1]
    if how != signal.SIGKILL:
        assert master.returncode == 1 and "the same command goes on" in said
    for pid in workers:  # they end with their master
        for _ in range(300):
            if not Path(f"/proc/{pid}").exists() or "Z" in Path(f"/proc/{pid}/stat").read_text().split()[2]:
                break
            time.sleep(0.02)
        else:
            pytest.fail("a worker outlived its master")
    assert subprocess.run(words(scene, folder, *LONG), stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL).returncode == 0
    for row in table(folder):
        assert row["state"] == "done" and row["hash"] == hash_of(scene, mu=float(row["mu"]), duration=20)
    assert all(starts(folder, k)[0] == "run" and set(starts(folder, k)[1:]) <= {"resume"} for k in range(1, 5))


def test_failed_points_are_listed(tmp_path):
    path = tmp_path / "picky.lua"
    path.write_text("local m = param('m', 1)\nif m == 2 then error('not this one') end\nbody{mass = m, shape = shape.sphere{radius = 1}}\n"
                    "run{step = 0.01, duration = 0.1}")
    done = subprocess.run(words(path, tmp_path / "s", "--param", "m=1,2,3"), text=True, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
    assert done.returncode == 1 and "point 2 failed" in done.stderr
    assert [row["state"] for row in table(tmp_path / "s")] == ["done", "failed", "done"]
    assert "not this one" in (tmp_path / "s" / "point-0002.log").read_text()
    # a history is a column of every row
    path.write_text(path.read_text() + "\nhistory{name = 'e', quantity = 'kinetic'}")
    found = stiction.sweep(path, {"m": [1, 2, 3]}, folder=tmp_path / "p")
    assert len({len(line.split(",")) for line in (tmp_path / "p" / "sweep.csv").read_text().splitlines()}) == 1
    assert math.isnan(found.rows[1]["e"]) and float(found.rows[2]["e"]) > 0
    assert found.failed == [2] and not found.done


@pytest.mark.parametrize("more, said", [((), "needs --param"), (("--param", "mu"), "NAME=FROM"), (("--param", "mu=0:1:0"), "0 values"),
                                        (("--param", "mu=1,,2"), "empty"), (("--param", "mu=1", "--param", "mu=2"), "twice"),
                                        (("--param", "mu=1,2", "--only", "3"), "whole number"), (("--param", "mu=1", "-j", "0"), "jobs")])
def test_wrong_words(scene, tmp_path, more, said):
    done = subprocess.run(words(scene, tmp_path / "s", *more), text=True, stderr=subprocess.PIPE)
    assert done.returncode == 2 and said in done.stderr


def test_unknown_parameters_and_settings(scene, tmp_path):
    """Before the first point, and without a folder: from the program, from Python, behind a client."""
    from concurrent.futures import ThreadPoolExecutor
    for more, said in ((("--param", "mue=0.1,0.2"), "did you mean 'mu'"), (("--param", "mu=1", "--set", "run.stp=1"), "stp"),
                       (("--param", "mue=1,2", "--slurm", str(tmp_path / "job.sh")), "did you mean 'mu'")):
        done = subprocess.run(words(scene, tmp_path / "s", *more), text=True, stderr=subprocess.PIPE)
        print(done.stderr)
        assert done.returncode >= 2 and said in done.stderr and not (tmp_path / "s").exists()
    assert not (tmp_path / "job.sh").exists()
    with ThreadPoolExecutor(1) as client:
        for options in ({}, {"client": client}):
            with pytest.raises(stiction.Error, match="did you mean 'mu'"):
                stiction.sweep(scene, {"mue": [0.1, 0.2]}, folder=tmp_path / "s", **options)
    assert not (tmp_path / "s").exists()


def test_another_sweep_in_the_folder(scene, tmp_path):
    subprocess.run(words(scene, tmp_path / "s", "--param", "mu=0.1,0.2"), check=True, stderr=subprocess.DEVNULL)
    done = subprocess.run(words(scene, tmp_path / "s", "--param", "mu=0.1,0.3"), text=True, stderr=subprocess.PIPE)
    assert done.returncode == 2 and "another sweep" in done.stderr


def test_edited_scenes_are_refused(scene, tmp_path):
    stiction.sweep(scene, {"mu": [0.1]}, folder=tmp_path / "s")
    scene.write_text(SCENE.replace("0.2, 0.2, 0.2", "0.2, 0.2, 0.3"))
    with pytest.raises(stiction.Error, match="was edited.*Name another folder"):
        stiction.sweep(scene, {"mu": [0.1]}, folder=tmp_path / "s")
    scene.write_text(SCENE)
    assert stiction.sweep(scene, {"mu": [0.1]}, folder=tmp_path / "s").done


def test_slurm(scene, tmp_path):
    folder, script = tmp_path / "it's", tmp_path / "job.sh"
    subprocess.run(words(scene, folder, "--param", "mu=0.1:0.3:3", "--slurm", str(script)), check=True, stdout=subprocess.DEVNULL)
    assert "#SBATCH --array=1-3" in script.read_text() and not folder.exists()
    tasks = [subprocess.Popen(["sh", str(script)], env={**os.environ, "SLURM_ARRAY_TASK_ID": str(k + 1),
                                                        "PATH": os.path.dirname(PROGRAM) + ":" + os.environ["PATH"]},
                              stderr=subprocess.DEVNULL) for k in (0, 1, 2, 1)]
    assert [task.wait(60) for task in tasks] == [0] * 4
    subprocess.run(words(scene, folder, "--param", "mu=0.1:0.3:3"), check=True, stderr=subprocess.DEVNULL)
    assert [row["state"] for row in table(folder)] == ["done"] * 3
    assert all(starts(folder, k) == ["run"] for k in (1, 2, 3))


def test_slurm_from_python(scene, tmp_path):
    script = stiction.slurm(scene, {"mu": [0.1, 0.2]}, tmp_path / "job.sh", folder=tmp_path / "s")
    assert "#SBATCH --array=1-2" in script.read_text() and os.access(script, os.X_OK)
    # a task finds the program without a PATH, and is heard
    assert "/dev/null" not in script.read_text() and "#SBATCH --output=stiction-sweep-%A.log" in script.read_text()
    for k in (1, 2):
        subprocess.run([script], env={"SLURM_ARRAY_TASK_ID": str(k), "PYTHONPATH": os.environ.get("PYTHONPATH", "")}, check=True, stderr=subprocess.DEVNULL)
    assert stiction.sweep(scene, {"mu": [0.1, 0.2]}, folder=tmp_path / "s").done
    assert starts(tmp_path / "s", 1) == ["run"]
    with pytest.raises(stiction.Error, match="no-such-folder"):
        stiction.slurm(scene, {"mu": 1}, tmp_path / "no-such-folder/job.sh", folder=tmp_path / "s")


def test_a_killed_call_says_what_to_do(scene, tmp_path):
    import threading

    def kill():
        while not (tmp_path / "s" / "point-0001.h5").exists():
            time.sleep(0.01)
        for child in children(os.getpid()):
            os.kill(child, signal.SIGKILL)

    thread = threading.Thread(target=kill, daemon=True)
    thread.start()
    study = {"mu": np.linspace(0.1, 0.4, 4), "duration": 20}
    with pytest.raises(stiction.Error, match="the same call goes on"):
        stiction.sweep(scene, study, folder=tmp_path / "s")
    thread.join()
    assert stiction.sweep(scene, study, folder=tmp_path / "s").done
    with pytest.raises(stiction.Error, match="submit"):
        stiction.sweep(scene, {"mu": 1}, client=3)


def test_processes_from_python(scene, tmp_path):
    found = stiction.sweep(scene, {"mu": np.linspace(0.2, 0.4, 3), "v": 1}, folder=tmp_path / "s", jobs=2, until=0.3)
    assert found.done and len(found) == 3
    assert found.rows[0]["time"] == pytest.approx(0.3)
    assert found.result(1)[-1].time == pytest.approx(0.3)
    pandas = pytest.importorskip("pandas")
    assert isinstance(found.table(), pandas.DataFrame) and list(found.table()["mu"]) == pytest.approx([0.2, 0.3, 0.4])


def test_dask_with_a_worker_killed(scene, tmp_path):
    """100 points on a local cluster; one of its workers is killed on the way."""
    distributed = pytest.importorskip("distributed")
    import threading
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            pids = list(client.run(os.getpid).values())

            def kill():
                while len(list((tmp_path / "s").glob("*.h5"))) < 20:
                    time.sleep(0.01)
                os.kill(pids[0], signal.SIGKILL)

            thread = threading.Thread(target=kill, daemon=True)
            thread.start()
            found = stiction.sweep(scene, {"mu": np.linspace(0.1, 0.5, 25), "v": [0.5, 1.0, 1.5, 2.0]}, client=client, folder=tmp_path / "s")
            thread.join()
            left = list(client.run(os.getpid).values())
    assert pids[0] not in left
    began = [starts(tmp_path / "s", k) for k in range(1, 101)]
    print(f"worker {pids[0]} of {pids} killed; {len(found)} points, {sum(map(len, began))} processes started")
    assert len(found) == 100 and found.done
    assert all(words[0] == "run" and len(words) == 1 for words in began)
    for row in found.rows[::9]:
        assert row["hash"] == hash_of(scene, mu=row["mu"], v=float(row["v"]))


def test_files_that_a_scene_reads(tmp_path, monkeypatch):
    """A table or a mesh that was changed makes other points: done ones are not mixed with them."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.lua").write_text("local mu = param('mu', 0.5) floor{}\ngravity{signal.table{file = 'pull.txt'}, 0, -9.81}\n"
                                    "body{name = 'b', position = {0, 0, 5}, shape = shape.polyhedron{file = 'stone.obj'}}\nrun{step = 0.01, duration = 0.03}\n")
    table, mesh = "0 1\n1 2\n", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
    (tmp_path / "pull.txt").write_text(table)
    (tmp_path / "stone.obj").write_text(mesh)
    options = {"until": 0.02, "accuracy": "preview", "folder": "f"}
    first = stiction.sweep("s.lua", {"mu": [0.1, 0.2]}, **options)
    hashes = [row["hash"] for row in first.rows]
    assert first.done and [row["hash"] for row in stiction.sweep("s.lua", {"mu": [0.1, 0.2]}, **options).rows] == hashes
    for name, old, new in (("pull.txt", table, "0 1\n1 5\n"), ("stone.obj", mesh, mesh + "v 2 2 2\n")):
        (tmp_path / name).write_text(new)
        with pytest.raises(stiction.Error, match="a file that .* reads was changed.*folder="):
            stiction.sweep("s.lua", {"mu": [0.1, 0.2]}, **options)
        (tmp_path / name).write_text(old)
        assert [row["hash"] for row in stiction.sweep("s.lua", {"mu": [0.1, 0.2]}, **options).rows] == hashes


def test_scenes_say_why_a_point_failed_and_keep_texts(tmp_path):
    path = tmp_path / "picky.lua"
    path.write_text(SCENE + "local word = param('word', 'a')\nif word == '002' then error('not this one') end\n")
    for _ in range(2):
        rows = stiction.sweep(path, {"word": ["001", "002"], "duration": 0.01}, folder=tmp_path / "s").rows
        assert [row["word"] for row in rows] == ["001", "002"] and [row["state"] for row in rows] == ["done", "failed"]
        assert rows[0]["error"] == "" and "not this one" in rows[1]["error"]

# SPDX-License-Identifier: Apache-2.0
"""Result files read back: arrays, tables, exports, plots, pages."""

import html
import math
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import stiction


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    w = stiction.World()
    w.body(shape=stiction.half_space(), kind="fixed", name="floor")
    for i in range(3):
        w.body(shape=stiction.box((1, 1, 1)), position=(0, 0, i + 0.5), name=f"b{i}")
    run = w.run()
    path = tmp_path_factory.mktemp("result") / "stack.h5"
    states = [(run.time, run.hash, run.positions.copy())]
    with run.record(path, every=5, title="a stack", contact_precision="double") as output:
        for _ in range(10):
            run.step(5)
            states.append((run.time, run.hash, run.positions.copy()))
        assert output.frames == 11
    return path, states, run.contacts.copy()


def test_frames_are_what_was_stored(stored):
    path, states, contacts = stored
    with stiction.Result(path) as result:
        assert len(result) == 11 and result.info["title"] == "a stack" and result.info["scheme"] == "moreau"
        assert result.body_names == ["floor", "b0", "b1", "b2"]
        for frame, (time, bits, positions) in zip(result, states):
            assert frame.time == time and frame.hash == bits
            assert np.array_equal(frame.position, positions)
        last = result[-1].contacts
        assert len(last) == len(contacts) == 12
        assert last["force"] == pytest.approx(contacts["force"])
        assert result.positions().shape == (11, 4, 3)
        assert result.steps()["count"] == 50 and result.steps()["unsolved"] == 0
        with pytest.raises(IndexError):
            result.frame(11)


def test_tables_and_histories(stored):
    pandas = pytest.importorskip("pandas")
    with stiction.Result(stored[0]) as result:
        energy = result.history("energy")
        assert len(energy.time) == 11 and energy.unit == "J"
        table = result.table("energy", "b2.position")
        assert isinstance(table, pandas.DataFrame) and len(table) == 11
        assert result.contacts_table()["force_z"].sum() == pytest.approx(result[-1].contacts["force"][:, 2].sum())
        assert set(result.history("ledger").curves) >= {"kinetic", "potential", "friction"}
        with pytest.raises(stiction.Error):
            result.history("enrgy")
        with pytest.raises(stiction.BadArgument, match="two tables"):
            result.table("energy", "residual")


def test_moments_of_rolling(tmp_path):
    w = stiction.World(law="rolling", rolling=0.002)
    w.body(stiction.half_space(), kind="fixed")
    w.body(stiction.sphere(0.1), position=(0, 0, 0.1), velocity=(1, 0, 0), angular_velocity=(0, 10, 0))
    run = w.run()
    run.record(tmp_path / "a.h5", every=1, contact_precision="double")
    run.step(3)
    moment = run.contacts["moment"].copy()
    run.close()
    result = stiction.Result(tmp_path / "a.h5")
    assert moment[0][1] < -0.08 and np.array_equal(result.frame(3).contacts["moment"], moment)
    assert np.asarray(result.contacts_table(3)["moment_y"])[0] == moment[0][1]


def test_moments_of_other_laws_are_zero(stored):
    contacts = stiction.Result(stored[0]).frame(-1).contacts
    assert len(contacts) and not contacts["moment"].any()


def test_forces_need_contacts(tmp_path):
    w = stiction.World()
    w.body(stiction.half_space(), kind="fixed")
    w.body(stiction.sphere(0.1), position=(0, 0, 0.1), name="b")
    run = w.run()
    for name, contacts in (("with", True), ("without", False)):
        run.record(tmp_path / f"{name}.h5", contacts=contacts)
    run.step(20)
    run.close()
    assert np.asarray(stiction.Result(tmp_path / "with.h5").table("b.force")["b.force z"])[-1] > 1.0
    with pytest.raises(stiction.BadArgument, match="without contacts"):
        stiction.Result(tmp_path / "without.h5").table("b.force")
    # nor has it the blanks that keep room for notices
    assert stiction.Result(tmp_path / "with.h5").info["notices"] == stiction.Result(tmp_path / "with.h5").info["notices"].rstrip(" ")


def test_exports(stored, tmp_path):
    with stiction.Result(stored[0]) as result:
        result.export_csv(tmp_path / "a.csv", "time", "b2.position")
        rows = np.genfromtxt(tmp_path / "a.csv", delimiter=",", skip_header=1)
        assert rows.shape == (11, 4) and rows[:, 3] == pytest.approx(result.positions()[:, 3, 2])
        result.export_xdmf()
        assert stored[0].with_suffix(".xdmf").is_file()


def test_plot(stored, tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    with stiction.Result(stored[0]) as result:
        axes = result.plot("energy")
        assert axes.lines and axes.get_xlabel() == "time, s"
        axes.figure.savefig(tmp_path / "energy.png")
        logarithmic = result.plot("residual")
        assert logarithmic.get_yscale() == "log"


def test_page(stored, tmp_path):
    with stiction.Result(stored[0]) as result:
        try:
            page = result.page(tmp_path / "page.html")
        except stiction.Error as error:
            if "no viewer" in str(error):
                pytest.skip(str(error))
            raise
        text = page.read_text()
        assert text.lstrip().lower().startswith("<!doctype html")
        shown = result.view(height=333)._repr_html_()
        assert 'height="333"' in shown and html.escape(text[:200], quote=True) in shown


def test_read_while_written(tmp_path):
    """Another process reads the file that this one writes."""
    w = stiction.World()
    w.body(shape=stiction.sphere(0.1), position=(0, 0, 5))
    run = w.run()
    output = run.record(tmp_path / "live.h5", every=1, flush=0)
    run.step(3)
    reader = stiction.Result(tmp_path / "live.h5")
    assert len(reader) == 4 and reader.info["in_use"]
    frame = reader[3]
    run.step(4)
    output.flush()
    assert len(reader.refresh()) == 8 and reader[7].hash == run.hash
    assert frame.time == pytest.approx(0.003)
    out = subprocess.run([os.environ["STICTION_BIN"], "info", str(tmp_path / "live.h5")], text=True, stdout=subprocess.PIPE, check=True)
    assert "8" in out.stdout
    run.close()
    assert not stiction.Result(tmp_path / "live.h5").info["in_use"]


def test_read_in_the_same_process(tmp_path):
    """What was recorded is there, whenever the file was last flushed."""
    w = stiction.World()
    w.body(shape=stiction.sphere(0.1), name="ball")
    run = w.run()
    run.record(tmp_path / "a.h5", every=2)
    run.step(20)
    result = stiction.Result(tmp_path / "a.h5")
    assert len(result) == 11
    run.step(10)
    assert len(result.refresh()) == 16 and len(result[::5]) == 4
    assert result.times == pytest.approx(np.arange(16) * 2e-3)
    assert result.positions("ball")[-1, 2] == pytest.approx(-0.5 * 9.81 * 0.03**2) and result.positions(0).shape == (16, 3)
    with pytest.raises(KeyError, match="did you mean 'ball'"):
        result.positions("bal")
    copy = pickle.loads(pickle.dumps(result))
    assert len(copy) == 16 and copy.path == result.path


def test_result_of_a_scene_goes_on_in_the_program(tmp_path):
    scene = tmp_path / "ball.lua"
    scene.write_text("body{name='ball', mass=1, position={0,0,param('h', 1)}, shape=shape.sphere{radius=0.1}}\n"
                     "body{kind='fixed', shape=shape.half_space{offset=0}}\nrun{step=1e-3, duration=0.4}\n")
    whole = stiction.Scene(scene, h=0.7).run()
    whole.until_done()
    part = stiction.Scene(scene, h=0.7).run()
    output = part.record(tmp_path / "ball.h5", until=0.4)
    part.until(0.2)
    output.snapshot()
    part.close()
    subprocess.run([os.environ["STICTION_BIN"], "resume", str(tmp_path / "ball.h5")], check=True, stdout=subprocess.DEVNULL)
    with stiction.Result(tmp_path / "ball.h5") as result:
        assert result[-1].hash == whole.hash
        assert "h=0.7" in result.info["parameters"]


def test_snapshots_know_their_scene(tmp_path):
    """As those of the program: a scene of the same size but with other numbers refuses them."""
    text = "body{name='ball', mass=1, position={0,0,param('h', 1)}, shape=shape.sphere{radius=0.1}}\nrun{step=1e-3, duration=0.1}\n"
    (tmp_path / "ball.lua").write_text(text)
    run, other = (stiction.Scene(tmp_path / "ball.lua", h=h).run() for h in (0.7, 0.8))
    run.step(10)
    with pytest.raises(stiction.Error, match="another|scene|origin"):
        other.restore(run.snapshot())
    again = stiction.Scene(tmp_path / "ball.lua", h=np.float64(0.7)).run()
    again.restore(run.snapshot())
    assert again.hash == run.hash
    # one that the program wrote is taken up, and the other way round
    for h, good in ((0.7, True), (0.8, False)):
        result = tmp_path / f"ball-{h}.h5"
        subprocess.run([os.environ["STICTION_BIN"], "run", str(tmp_path / "ball.lua"), "--param", f"h={h}", "-o", str(result)],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if good:
            again.load(result.with_suffix(".snapshot"))
            assert again.time == pytest.approx(0.1)
        else:
            with pytest.raises(stiction.Error):
                again.load(result.with_suffix(".snapshot"))
    run = stiction.Scene(tmp_path / "ball.lua", h=0.7).run()
    with run.record(tmp_path / "part.h5", until=0.1):
        run.step(30)
    # closed files end with the present state and its snapshot: nothing is computed again
    said = subprocess.run([os.environ["STICTION_BIN"], "resume", str(tmp_path / "part.h5")], check=True, text=True,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE).stderr
    assert "resumed at step 30" in said
    with stiction.Result(tmp_path / "part.h5") as part:
        assert part[-1].hash == again.hash
    # from the middle on is no whole run: that is said, and the file stays as it is
    run = stiction.Scene(tmp_path / "ball.lua", h=0.7).run()
    run.step(5)
    with run.record(tmp_path / "middle.h5", until=0.1):
        run.step(5)
    done = subprocess.run([os.environ["STICTION_BIN"], "resume", str(tmp_path / "middle.h5")], text=True, stderr=subprocess.PIPE)
    assert done.returncode == 3 and "begins in the middle of a run" in done.stderr
    assert not stiction.Result(tmp_path / "middle.h5").info["in_use"]


def test_results_of_worlds_are_not_resumed(tmp_path):
    w = stiction.World()
    w.body(shape=stiction.sphere(0.1))
    with w.run() as run, run.record(tmp_path / "a.h5"):
        run.step(3)
    done = subprocess.run([os.environ["STICTION_BIN"], "resume", str(tmp_path / "a.h5")], text=True, stderr=subprocess.PIPE)
    assert done.returncode != 0 and "holds no scene" in done.stderr


def test_h5py_in_another_thread(tmp_path):
    """Debian's HDF5 takes one thread at a time: the package and h5py share a lock."""
    h5py = pytest.importorskip("h5py")
    import threading
    stop = threading.Event()
    failures = []

    def read():
        with h5py.File(tmp_path / "other.h5", "w") as file:
            k = 0
            while not stop.is_set():
                file[f"d{k}"] = np.arange(100)
                if not np.array_equal(file[f"d{k}"][:], np.arange(100)):
                    failures.append(k)
                k += 1

    thread = threading.Thread(target=read)
    thread.start()
    w = stiction.World()
    w.body(shape=stiction.sphere(0.1))
    run = w.run()
    run.record(tmp_path / "mine.h5", every=1, flush=0)
    run.step(100)
    run.close()
    stop.set()
    thread.join()
    assert not failures and len(stiction.Result(tmp_path / "mine.h5")) == 101


def test_output_settings(tmp_path):
    w = stiction.World()
    w.body(shape=stiction.sphere(0.1))
    run = w.run()
    with pytest.raises(stiction.BadArgument, match="did you mean 'every'"):
        run.record(tmp_path / "a.h5", evry=3)
    with pytest.raises(stiction.BadArgument, match="must end in .h5"):
        run.record(tmp_path / "a.snapshot")
    run.record(tmp_path / "a.h5")
    with pytest.raises(stiction.IoFailed):
        run.record(tmp_path / "a.h5")


BARE = """
import sys
for name in ("scipy", "scipy.sparse", "pandas", "matplotlib", "matplotlib.pyplot", "tqdm", "tqdm.auto", "h5py", "distributed"):
    sys.modules[name] = None
import numpy as np, stiction
p = stiction.Problem.from_scipy(np.eye(3), [-1, 0, 0], 0.5)
assert abs(stiction.solve(p).r - [1, 0, 0]).max() == 0.0
w = stiction.World()
w.body(shape=stiction.sphere(0.1), name="b")
with w.run() as run:
    run.record("bare.h5", every=10)
    run.until(0.1, progress=True)
result = stiction.Result("bare.h5")
assert set(result.table("energy")) == {"time", "energy kinetic", "energy potential", "energy sum"} and len(result.contacts_table()) > 10
assert stiction.sweep(lambda x: x * x, {"x": [1, 2]}, folder="s").table()[1]["value"] == 4
for call in (lambda: p.W, result.plot):
    try:
        call()
    except stiction.Unsupported as error:
        print(error)
    else:
        raise AssertionError
"""


def test_without_other_packages(tmp_path):
    """cffi and NumPy are enough; what needs more says so."""
    done = subprocess.run([sys.executable, "-B", "-c", BARE], cwd=tmp_path, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == 0, done.stderr
    assert "python3-scipy" in done.stdout and "python3-matplotlib" in done.stdout and "100 %" in done.stderr


def test_times_of_a_file_do_not_run_backwards(tmp_path):
    """A run that goes back while it is recorded would write its times twice: it is refused, and nothing has changed."""
    w = stiction.World(gravity=(0, 0, 0))
    body = w.body(shape=stiction.box((1, 1, 1)), mass=2.0, name="b")
    run = w.run(step=1e-2)
    run.control_body(body, lambda t: (4 * math.cos(3 * t), 0, 0))
    output = run.record(tmp_path / "a.h5", every=10)
    run.until(0.5)
    half = run.snapshot()
    run.until(1.0)
    end = run.hash
    with pytest.raises(stiction.BadArgument, match="recorded up to t = 1 s: close it"):
        run.restore(half)
    assert run.hash == end and run.time == pytest.approx(1.0)
    output.close()
    times = stiction.Result(tmp_path / "a.h5").times
    assert (np.diff(times) > 0).all() and times[-1] == pytest.approx(1.0)
    run.restore(half)
    run.until(1.0)
    # the same bits with a control, and the exact motion to the order of the step
    assert run.hash == end and run.pose("b").position[0] == pytest.approx(4 / 18 * (1 - math.cos(3.0)), abs=1e-4)

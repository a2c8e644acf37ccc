# SPDX-License-Identifier: Apache-2.0
"""Parameter studies: one scene, or one function, at many values of its parameters.

    s = stiction.sweep("arch.lua", {"thickness": np.linspace(0.1, 0.2, 11), "mu": [0.4, 0.6]})
    s.table()                                   one row per point
    stiction.sweep(…, client=Client(…))         on Dask's distributed scheduler, or any executor with submit()
    stiction.sweep(drop, {"height": [1, 2]})    a function that builds and runs a world

Points of scenes are run by the program (`stiction sweep`), and what was done lies in the folder: the same call goes on after a power cut or a killed
worker, and nothing that is there is run again.
"""

from __future__ import annotations

import csv
import math
import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Set
from pathlib import Path
from typing import Any

import numpy as np

from ._convert import flag, integer, path_text, real, text
from .errors import BadArgument, Error
from .files import message_of, program, program_error, scene_file
from .result import Result
from .scene import Scene, _word
from .study import read_values, run_study, write_values


def _values(value: Any) -> str:
    """Values of a parameter as the program takes them."""
    words = [_word(item) for item in value]
    if not words or any("," in word for word in words):
        raise BadArgument(f"a parameter takes one or more values without commas, not {value!r}")
    return ",".join(words)


def _lists(params: Any) -> dict[str, list[Any]]:
    """Parameters with all their values; generators are read once."""
    if not isinstance(params, Mapping):
        raise BadArgument(f"params: a dictionary of names and values is needed, not {params!r}")
    made: dict[str, list[Any]] = {}
    for name, value in params.items():
        text(name, "params")
        if isinstance(value, Set):
            raise BadArgument(f"{name}: a set has no order, in which points are counted; give a list")
        one = isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable) or (isinstance(value, np.ndarray) and value.ndim == 0)
        made[name] = [item.item() if isinstance(item, np.generic) else item for item in ([value] if one else value)]
    if not made:
        raise BadArgument("params: a sweep needs at least one parameter with its values, such as {'mu': [0.3, 0.5]}")
    return made


def _words(scene: str | Path, params: Mapping[str, Any], folder: Path, set: Mapping[str, Any], until: float | None,
           accuracy: str | None) -> list[str]:
    """The command of a sweep."""
    words = ["sweep", str(Path(scene_file(scene)).resolve()), "-o", str(folder)]
    for name, value in params.items():
        words += ["--param", f"{name}={_values(value)}"]
    for name, value in set.items():
        words += ["--set", f"{name}={_word(value)}"]
    if until is not None:
        words += ["--until", _word(real(until, "until"))]
    return words + (["--accuracy", text(accuracy, "accuracy").decode()] if accuracy is not None else [])


def _changes(given: Any) -> Mapping[str, Any]:
    if given is not None and not isinstance(given, Mapping):
        raise BadArgument(f"set: a dictionary such as {{'run.step': 1e-3}} is needed, not {given!r}")
    return given or {}


def _run(words: list[str], progress: bool = False) -> tuple[int, str]:
    """Call the program; its exit code and messages."""
    done = subprocess.run([program(), *words], text=True, stdout=subprocess.DEVNULL, stderr=None if progress else subprocess.PIPE,
                          check=False)
    return done.returncode, done.stderr or ""


def run_point(words: list[str], k: int) -> int:
    """One point, wherever this is called: a worker of a cluster has the folder and the program too."""
    code, said = _run([*words, "--only", str(k)])
    if code >= 2:
        raise program_error(code, f"point {k}: " + message_of(said, output="folder=…"))
    return code


_TEXTS = ("hash", "state", "error")  # digits of a hash may read as a number


class Sweep:
    """What a sweep left in its folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        if not (folder / "sweep.csv").is_file():
            raise Error(f"{folder} holds no table of a sweep yet: the same call of stiction.sweep goes on and writes it")
        with open(folder / "sweep.csv", newline="", encoding="utf-8") as file:
            cells = list(csv.DictReader(file))
        self.rows: list[dict[str, Any]] = [{key: value if key in _TEXTS else _number(value) for key, value in row.items()} for row in cells]
        # the text '001' and the number 1 look the same in the table
        for row, given in zip(self.rows, read_values(folder)):
            row.update((key, value) for key, value in given.items() if key in row)
        for row in self.rows:
            row.setdefault("error", _said(folder, row["point"]) if row["state"] == "failed" else "")
        # a point that failed has no values: no number, where the other points have numbers
        for key in self.rows[0] if self.rows else ():
            values = [row[key] for row in self.rows if row[key] != ""]
            if key not in _TEXTS and values and all(isinstance(value, (int, float)) for value in values):
                for row in self.rows:
                    row[key] = math.nan if row[key] == "" else row[key]

    @property
    def failed(self) -> list[int]:
        """Numbers of the points that failed."""
        return [row["point"] for row in self.rows if row["state"] == "failed"]

    @property
    def done(self) -> bool:
        """Whether all points reached their end."""
        return all(row["state"] == "done" for row in self.rows)

    def result(self, k: int) -> Result:
        """Result of point k, counted from 1."""
        return Result(self.folder / f"point-{k:04d}.h5")

    def table(self) -> Any:
        """One row per point as a pandas DataFrame, or a list of dictionaries where pandas is absent."""
        try:
            import pandas
        except ImportError:
            return self.rows
        return pandas.DataFrame(self.rows).set_index("point")

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"<Sweep {self.folder}, {len(self)} points, {len(self.failed)} failed>"


def _said(folder: Path, k: int) -> str:
    """The last line in the log of a point of a scene: why it failed."""
    try:
        lines = (folder / f"point-{k:04d}.log").read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError:
        return ""
    return next((line.strip() for line in reversed(lines) if line.strip()), "")


def _number(cell: str) -> Any:
    """A cell of the table: a number where it reads as one."""
    for kind in (int, float):
        try:
            return kind(cell)
        except ValueError:
            continue
    return cell


def sweep(scene: str | Path | Callable[..., Any], params: Mapping[str, Any], client: Any = None, *, folder: str | Path | None = None,
          jobs: int | None = None, set: Mapping[str, Any] | None = None, until: float | None = None, accuracy: str | None = None,
          progress: bool = False) -> Sweep:
    """Run a scene, or a function, at every combination of the values of its parameters.

    `client`: None for processes on all cores (`jobs`: so many), else an executor: Dask's distributed.Client, or one of concurrent.futures.
    `folder` of the results: the scene's name with -sweep unless said otherwise. `set`, `until`, `accuracy` as of Scene.

    A function is called with the parameters as keywords, builds and runs its world, and gives a number or a dictionary of numbers, texts, True and False,
    which become columns of the table (None: no columns); a point that gives anything else has failed. If it has a parameter `path`, that is the name of a result file of the point's own, for run.record(path);
    a point that was killed is run again from its start, unless the function finds the snapshot beside that file and loads it.
    What it prints, and where it failed, is in the log of the point; the column `error` says why a point failed, of scenes too.
    """
    values, progress = _lists(params), flag(progress, "progress")
    if client is not None and not hasattr(client, "submit"):
        raise BadArgument(f"client: something with submit() is needed, such as distributed.Client or an executor, not {client!r}")
    if folder is not None:
        path_text(folder, "folder")
    at_a_time = integer(jobs, "jobs", 1) if jobs is not None else len(os.sched_getaffinity(0))
    if callable(scene):
        if set is not None or until is not None or accuracy is not None:
            raise BadArgument("set, until and accuracy are for scenes: a function chooses its own")
        place = Path(folder) if folder is not None else Path(f"{getattr(scene, '__name__', 'function')}-sweep")
        run_study(scene, values, place, client, at_a_time, progress)
        return Sweep(place)
    path_text(scene, "scene")
    place = Path(folder) if folder is not None else Path(Path(scene).stem + "-sweep")
    words = _words(scene, values, place.resolve(), _changes(set), until, accuracy)
    if client is not None:
        _check(scene, values, _changes(set), until)
        _submit(client, words, math.prod(map(len, values.values())))
    # runs what is left, which is nothing behind a client, and writes the table
    code, said = _run([*words, *(["--jobs", str(at_a_time)] if jobs is not None else [])], progress)
    if code < 0:
        raise Error(f"the sweep was ended by signal {-code}; what was done is kept, and the same call goes on")
    if code >= 2:
        raise program_error(code, message_of(said, output="folder=…") or f"the sweep ended with {code}")
    _keep_values(place, values)
    return Sweep(place)


def _keep_values(folder: Path, values: Mapping[str, list[Any]]) -> None:
    """Parameters with their types, each found by the word that the program was given for it."""
    with open(folder / "sweep.csv", newline="", encoding="utf-8") as file:
        cells = list(csv.DictReader(file))
    given = {name: {_word(value): value for value in of} for name, of in values.items()}
    write_values(folder, [{name: of[row[name]] for name, of in given.items() if row.get(name) in of} for row in cells])


def _check(scene: str | Path, params: Mapping[str, Any], set: Mapping[str, Any], until: float | None) -> None:
    """What no point would take, before the first one: a parameter or a setting that does not exist."""
    first = {name: value[0] for name, value in params.items()}
    try:
        Scene(scene, params=first, set=set, until=until or 0.0).close()
    except BadArgument:
        raise
    except Error:  # of this point only, for all that is known
        return


def slurm(scene: str | Path, params: Mapping[str, Any], script: str | Path, *, folder: str | Path | None = None,
          set: Mapping[str, Any] | None = None, until: float | None = None, accuracy: str | None = None, replace: bool = False) -> Path:
    """Write an array script for SLURM of the sweep of a scene, one task per point, instead of running a sweep; `sbatch` takes it. When its tasks are over,
    stiction.sweep with the same words writes the table. Tasks call `python -m stiction` of this interpreter, and what they say goes to
    stiction-sweep-<job>.log in the folder where `sbatch` was called. (A function runs on a cluster through a client of Dask.)
    `replace`: a script that is there already.
    """
    path_text(scene, "scene")
    place = Path(folder) if folder is not None else Path(Path(scene).stem + "-sweep")
    path_text(script, "script")
    code, said = _run([*_words(scene, _lists(params), place.resolve(), _changes(set), until, accuracy), "--slurm", os.fsdecode(script),
                       *(["--force"] if flag(replace, "replace") else [])])
    if code != 0:
        raise program_error(code, message_of(said, output="folder=…", slurm="script") or f"the script was not written: stiction ended with {code}")
    _call_python(Path(script))
    return Path(script)


def _call_python(script: Path) -> None:
    """The program came with this package, and is on no PATH that tasks could have: they ask the interpreter that has the package."""
    lines = script.read_text(encoding="utf-8").splitlines(keepends=True)
    script.write_text("".join(f"{shlex.quote(sys.executable)} -m {line}" if line.startswith("stiction sweep ") else line for line in lines), encoding="utf-8")


def _submit(client: Any, words: list[str], points: int) -> None:
    """All points as tasks; one that failed for good is listed in the table."""
    options = {"pure": False, "retries": 3} if type(client).__module__.startswith("distributed") else {}
    futures = [client.submit(run_point, words, k + 1, **options) for k in range(points)]
    for future in futures:
        try:
            future.result()
        except Error:
            continue

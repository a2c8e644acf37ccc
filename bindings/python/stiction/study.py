# SPDX-License-Identifier: Apache-2.0
"""Parameter studies of functions: stiction.sweep(function, params), with a world built and run at every point.

What was done lies in the folder: point-0001.json has the values of a point that has ended. A lock per point, which ends with the process
that holds it, keeps two workers from the same point; the record takes its name when it is whole. A worker that is killed leaves no record,
and its point is run again.
"""

from __future__ import annotations

import csv
import fcntl
import gc
import hashlib
import inspect
import itertools
import json
import multiprocessing
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np

from ._convert import suggest
from .errors import BadArgument, Error
from .output import closing_outputs

MOST_TRIES = 5  # processes for a point, if they are killed
_OWN = ("point", "state", "error")  # columns that are not the function's


class Study:
    """A function, its points and the folder they are kept in."""

    def __init__(self, function: Callable[..., Any], params: Mapping[str, Any], folder: Path) -> None:
        self.function, self.folder = function, folder
        self.names = list(params)
        self.points = [dict(zip(self.names, values)) for values in itertools.product(*map(_items, params.values()))]
        if not self.points:
            raise BadArgument("params: every parameter takes one or more values")
        self._check_names()

    def _check_names(self) -> None:
        """Before the first point: what the function does not take, or needs and is not given."""
        what = getattr(self.function, "__name__", "the function")
        for name in self.names:
            if name in _OWN:
                raise BadArgument(f"a parameter cannot be called '{name}': the table has a column of its own for that")
        try:
            takes = inspect.signature(self.function)
        except (TypeError, ValueError):
            return
        kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
        known = [name for name, one in takes.parameters.items() if one.kind in kinds]
        if not any(one.kind is inspect.Parameter.VAR_KEYWORD for one in takes.parameters.values()):
            for name in self.names:
                if name not in known:
                    raise BadArgument(f"{what} has no parameter '{name}'{suggest(name, known) or ' (' + ', '.join(known) + ')'}")
        for name in known:
            if takes.parameters[name].default is inspect.Parameter.empty and name not in (*self.names, "path"):
                raise BadArgument(f"{what} needs the parameter '{name}', and the sweep gives none")

    def open(self) -> None:
        """The folder, with the plan that its points belong to."""
        self.folder.mkdir(parents=True, exist_ok=True)
        name = f"{getattr(self.function, '__module__', '')}.{getattr(self.function, '__qualname__', type(self.function).__name__)}"
        plan = f"function={name}\n" + "".join(f"{values!r}\n" for values in self.points)
        whole = f"{plan}code={_fingerprint(self.function)}\n"
        path = self.folder / "sweep.txt"
        try:
            with open(path, "x", encoding="utf-8") as file:
                file.write(whole)
        except FileExistsError:
            old = path.read_text(encoding="utf-8")
            if old == whole:
                return
            if (old.rpartition("code=")[0] or old) != plan:
                raise BadArgument(f"{self.folder} holds another sweep, of another function or other values; {path} says which. "
                                  "Name another folder") from None
            if len(self.left()) < len(self.points):
                raise BadArgument(f"the function {name} was edited since the sweep in {self.folder} began: its points would not belong together. "
                                  "Name another folder, or remove this one to run all points anew") from None
            path.write_text(whole, encoding="utf-8")  # no point is done: none is stale

    def task(self, k: int) -> tuple[Callable[..., Any], str, int, dict[str, Any]]:
        """What run_point needs for point k, counted from 1."""
        return self.function, str(self.folder.resolve()), k, self.points[k - 1]

    def left(self) -> list[int]:
        """Points that are not done."""
        return [k for k in range(1, len(self.points) + 1) if (_read(self.folder, k) or {}).get("state") != "done"]

    def write_table(self) -> None:
        """sweep.csv: one row per point."""
        records = [_read(self.folder, k) or {"state": "open"} for k in range(1, len(self.points) + 1)]
        columns = list(dict.fromkeys(name for record in records for name in record.get("values", {})))
        path = self.folder / "sweep.csv"
        with open(f"{path}.new", "w", newline="", encoding="utf-8") as file:
            table = csv.writer(file)
            table.writerow(["point", *self.names, "state", *columns, "error"])
            for k, (values, record) in enumerate(zip(self.points, records), 1):
                row = [record.get("values", {}).get(name, "") for name in columns]
                table.writerow([k, *values.values(), record["state"], *row, record.get("error", "")])
        os.replace(f"{path}.new", path)


def _plain(value: Any) -> str:
    """A value as a text that is the same in every process; of what has no such text, its type."""
    if isinstance(value, CodeType):
        parts = (value.co_code, value.co_names, value.co_varnames, value.co_freevars, value.co_consts)
        return f"code({', '.join(map(_plain, parts))})"
    if isinstance(value, (tuple, list)):
        return f"({', '.join(map(_plain, value))})"
    if isinstance(value, (set, frozenset)):
        return f"{{{', '.join(sorted(map(_plain, value)))}}}"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_plain(key)}: {_plain(one)}' for key, one in value.items())}}}"
    if isinstance(value, (np.ndarray, np.generic)):
        return _plain(value.tolist())
    if hasattr(value, "__code__"):
        return _plain(value.__code__)
    return repr(value) if value is None or value is ... or isinstance(value, (bool, int, float, complex, str, bytes)) else type(value).__qualname__


def _fingerprint(function: Callable[..., Any]) -> str:
    """Of what a function does: its code with constants and default values."""
    inner = inspect.unwrap(function)
    while hasattr(inner, "func"):  # of functools.partial
        inner = inner.func
    inner = inner if hasattr(inner, "__code__") else getattr(type(inner), "__call__", None)
    parts = [getattr(inner, name, None) for name in ("__code__", "__defaults__", "__kwdefaults__")]
    return hashlib.sha256(_plain([*parts, getattr(function, "args", None), getattr(function, "keywords", None)]).encode()).hexdigest()[:16]


def _items(value: Any) -> list[Any]:
    """Values of a parameter."""
    items = [value] if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable) else list(value)
    return [item.item() if isinstance(item, np.generic) else item for item in items]


def _stem(folder: str | Path, k: int) -> Path:
    return Path(folder) / f"point-{k:04d}"


def _read(folder: str | Path, k: int) -> dict[str, Any] | None:
    """Record of a point that has ended; None: there is none."""
    try:
        made: dict[str, Any] = json.loads(_stem(folder, k).with_suffix(".json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    return made


def _write(folder: str | Path, k: int, record: dict[str, Any]) -> None:
    path = _stem(folder, k).with_suffix(".json")
    with open(f"{path}.new", "w", encoding="utf-8") as file:
        json.dump(record, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(f"{path}.new", path)


def _row(made: Any, names: Iterable[str]) -> dict[str, Any]:
    """What a function gave as columns of the table."""
    given = made._asdict() if hasattr(made, "_asdict") else made
    row = dict(given) if isinstance(given, Mapping) else {} if given is None else {"value": given}
    for name, value in row.items():
        if not isinstance(name, str) or name in (*_OWN, *names):
            raise BadArgument(f"a value of a point cannot be called {name!r}: the table has such a column")
        row[name] = value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value
    try:
        json.dumps(row)
    except (TypeError, ValueError) as error:
        raise BadArgument(f"a point gives a number, or a dictionary of numbers, texts and arrays, not {made!r} ({error})") from None
    return row


def run_point(function: Callable[..., Any], folder: str, k: int, values: dict[str, Any]) -> str:
    """One point, wherever this is called, unless it is done; returns how it ended. A worker of a cluster has the folder too."""
    stem = _stem(folder, k)
    with open(stem.with_suffix(".lock"), "a", encoding="utf-8") as lock, open(stem.with_suffix(".log"), "a", encoding="utf-8") as log:
        # whoever else is at the point ends first
        fcntl.flock(lock, fcntl.LOCK_EX)
        old = _read(folder, k)
        if old is not None and old["state"] == "done":
            return "done"
        log.write(f"$ {values!r}\n")
        log.flush()
        try:
            takes = inspect.signature(function).parameters
            own = {"path": stem.with_suffix(".h5")} if "path" in takes and "path" not in values else {}
            with closing_outputs():
                made = function(**values, **own)
            record = {"state": "done", "values": _row(made, values)}
        except Exception as exception:
            traceback.print_exc(file=log)
            record = {"state": "failed", "error": f"{type(exception).__name__}: {exception}"}
        _write(folder, k, record)
        return str(record["state"])


def _child(function: Callable[..., Any], folder: str, k: int, values: dict[str, Any]) -> None:
    """In a process of its own: what it prints goes to the log of the point, and Ctrl-C is for the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.freeze()  # nothing of the parent's is closed here
    sys.stdout = sys.stderr = open(_stem(folder, k).with_suffix(".log"), "a", buffering=1, encoding="utf-8")
    run_point(function, folder, k, values)


class _Crew:
    """So many processes at a time. They are forked: the function may be a closure, or a cell of a notebook."""

    def __init__(self, study: Study, jobs: int, progress: bool) -> None:
        self.study, self.jobs, self.progress = study, jobs, progress
        self.context = multiprocessing.get_context("fork")
        self.waiting = study.left()
        self.busy: dict[BaseProcess, int] = {}
        self.tries: dict[int, int] = {}
        # records of points that failed before are no records of this call
        for k in self.waiting:
            _stem(study.folder, k).with_suffix(".json").unlink(missing_ok=True)

    def work(self) -> None:
        try:
            while self.waiting or self.busy:
                while self.waiting and len(self.busy) < self.jobs:
                    self._start(self.waiting.pop(0))
                wait([process.sentinel for process in self.busy], timeout=1.0)
                for process in [one for one in self.busy if not one.is_alive()]:
                    self._judge(process)
        finally:
            self._end()

    def _start(self, k: int) -> None:
        process = self.context.Process(target=_child, args=self.study.task(k), daemon=True)
        process.start()
        self.busy[process] = k
        self.tries[k] = self.tries.get(k, 0) + 1

    def _judge(self, process: BaseProcess) -> None:
        """After a process has ended: its point has a record, or is run again."""
        k = self.busy.pop(process)
        process.join()
        if _read(self.study.folder, k) is None:
            if self.tries[k] < MOST_TRIES:
                self.waiting.insert(0, k)
            else:
                _write(self.study.folder, k, {"state": "failed", "error": f"its process ended {MOST_TRIES} times, the last time with {process.exitcode}"})
        if self.progress:
            total = len(self.study.points)
            sys.stderr.write(f"\r{total - len(self.waiting) - len(self.busy)} of {total} points" + ("\n" if not self.waiting and not self.busy else ""))
            sys.stderr.flush()

    def _end(self) -> None:
        """Ctrl-C, or an error: no process is left behind."""
        for process in self.busy:
            process.terminate()
        patience = time.monotonic() + 5.0
        for process in self.busy:
            process.join(max(0.0, patience - time.monotonic()))
            if process.is_alive():
                process.kill()
                process.join()


def run_study(function: Callable[..., Any], params: Mapping[str, Any], folder: Path, client: Any, jobs: int, progress: bool) -> None:
    """Run all points that are not done, and write the table."""
    study = Study(function, params, folder)
    study.open()
    if client is not None:
        _submit(client, study)
    if client is None or any(_read(folder, k) is None for k in study.left()):
        _Crew(study, jobs, progress).work()
    study.write_table()


def _submit(client: Any, study: Study) -> None:
    """All points that are left as tasks of Dask, or of an executor."""
    left = study.left()
    for k in left:
        _stem(study.folder, k).with_suffix(".json").unlink(missing_ok=True)
    options = {"pure": False, "retries": 3} if type(client).__module__.startswith("distributed") else {}
    futures: Sequence[Any] = [client.submit(run_point, *study.task(k), **options) for k in left]
    for k, future in zip(left, futures):
        try:
            future.result()
        except Error:
            raise
        except Exception as exception:  # a broken pool, or a worker that was killed too often: the rest is run here
            with open(_stem(study.folder, k).with_suffix(".log"), "a", encoding="utf-8") as log:
                log.write(f"the client lost this point: {exception}\n")

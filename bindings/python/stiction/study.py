# SPDX-License-Identifier: Apache-2.0
"""Parameter studies of functions: stiction.sweep(function, params), with a world built and run at every point.

What was done lies in the folder: point-0001.json has the values of a point that has ended. A lock per point, which ends with the process
that holds it, keeps two workers from the same point; the record takes its name when it is whole. A worker that is killed leaves no record,
and its point is run again.
"""

from __future__ import annotations

import csv
import fcntl
import functools
import gc
import hashlib
import inspect
import itertools
import json
import multiprocessing
import os
import signal
import sys
import sysconfig
import time
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from ._convert import suggest
from ._handle import Single
from .errors import BadArgument, Error
from .output import closing_outputs

MOST_TRIES = 5  # processes for a point, if they are killed
_VALUES = (bool, int, float, str)
_OWN = ("point", "state", "error")  # columns that are not the function's


class Study:
    """A function, its points and the folder they are kept in."""

    def __init__(self, function: Callable[..., Any], params: Mapping[str, Any], folder: Path) -> None:
        self.function, self.folder = function, folder
        self.names = list(params)
        self.points = [dict(zip(self.names, values)) for values in itertools.product(*params.values())]
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
                raise BadArgument(f"the function {name}, or a value that it uses, was changed since the sweep in {self.folder} began: its points would not belong together. "
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
        plain = [{name: value for name, value in values.items() if isinstance(value, _VALUES)} for values in self.points]
        write_values(self.folder, [{**values, **record.get("values", {})} for values, record in zip(plain, records)])


def write_values(folder: Path, rows: list[dict[str, Any]]) -> None:
    """sweep.json: parameters and values of every point with their types, which the cells of sweep.csv do not have."""
    path = folder / "sweep.json"
    with open(f"{path}.new", "w", encoding="utf-8") as file:
        json.dump(rows, file)
    os.replace(f"{path}.new", path)


def read_values(folder: Path) -> list[dict[str, Any]]:
    """What write_values wrote; nothing of a sweep that was not called from Python."""
    try:
        made: list[dict[str, Any]] = json.loads((folder / "sweep.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return []
    return made


class _Plain:
    """Values as texts that are the same in every process: what a function does depends on its code and on all that the code can see."""

    def __init__(self) -> None:
        self.made: dict[int, tuple[Any, str]] = {}  # with the values, so that no other one gets their place in memory

    def of(self, value: Any) -> str:
        """A value; of what has no such text, its type."""
        if value is None or value is ... or isinstance(value, (bool, int, float, complex, str, bytes)):
            return repr(value)
        if isinstance(value, np.ndarray) and value.dtype != object:
            return f"array({value.dtype}, {value.shape}, {hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()})"
        if isinstance(value, np.generic):
            return repr(value.item())
        if isinstance(value, os.PathLike):
            return repr(os.fspath(value))
        if id(value) not in self.made:
            self.made[id(value)] = value, "itself"  # inside of its own text
            self.made[id(value)] = value, self.parts(value)
        return self.made[id(value)][1]

    def parts(self, value: Any) -> str:
        """What is made of others."""
        if isinstance(value, CodeType):
            return f"code({self.all((value.co_code, value.co_names, value.co_varnames, value.co_freevars, value.co_consts))})"
        if isinstance(value, (tuple, list, np.ndarray)):
            return f"({self.all(value)})"
        if isinstance(value, (set, frozenset)):
            return f"{{{', '.join(sorted(map(repr, value)))}}}"
        if isinstance(value, Mapping):
            return f"{{{', '.join(f'{self.of(key)}: {self.of(one)}' for key, one in value.items())}}}"
        return self.object(value)

    def all(self, values: Iterable[Any]) -> str:
        return ", ".join(map(self.of, values))

    def object(self, value: Any) -> str:
        """A function, a method, a partial function, or an object of the user's."""
        inner = getattr(value, "__wrapped__", None)
        if isinstance(value, functools.partial):
            return f"partial({self.all((value.func, value.args, value.keywords))})"
        if isinstance(value, MethodType):
            return f"method({self.all((value.__func__, value.__self__))})"
        if isinstance(value, FunctionType):
            cells = [_inside(cell) for cell in value.__closure__ or ()]
            parts = (value.__code__, value.__defaults__, value.__kwdefaults__, cells, self.globals(value))
            return f"function({self.all(parts)})"
        if inner is not None:
            return self.of(inner)
        owner = value if isinstance(value, type) else type(value)
        if _is_library(owner) or isinstance(value, (Single, ModuleType)):
            return owner.__qualname__
        members = {name: one for name, one in vars(owner).items() if not name.startswith("__") or name in ("__call__", "__init__")}
        return f"{owner.__qualname__}({self.of(members)}, {self.of({} if isinstance(value, type) else getattr(value, '__dict__', {}))})"

    def globals(self, function: FunctionType) -> dict[str, Any]:
        """Names of its module that a function uses; modules and what libraries hold are taken as they are."""
        used = sorted(_names(function.__code__))
        found = {name: function.__globals__[name] for name in used if name in function.__globals__}
        return {name: one for name, one in found.items() if not isinstance(one, ModuleType) and not _is_library(one)}


def _inside(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not assigned yet
        return None


def _names(code: CodeType) -> set[str]:
    """Names that a code, or a function inside of it, may look up."""
    inner = [_names(one) for one in code.co_consts if isinstance(one, CodeType)]
    return set(code.co_names).union(*inner)


def _is_library(value: Any) -> bool:
    """Whether something belongs to an installed package, which is not edited between two points."""
    if not isinstance(value, (type, FunctionType)):
        return False
    module = value.__module__ or ""  # of what was made by exec()
    file = os.path.realpath(getattr(sys.modules.get(module), "__file__", None) or "")
    folders = (*sysconfig.get_paths().values(), "/usr/lib/python3")
    return (module in sys.builtin_module_names or module.partition(".")[0] == "stiction"
            or any(file.startswith(os.path.join(os.path.realpath(folder), "")) for folder in folders))


def _fingerprint(function: Callable[..., Any]) -> str:
    """Of what a function does: its code with constants, default values, what it closes over and what it uses of its module."""
    return hashlib.sha256(_Plain().of(function).encode()).hexdigest()[:16]


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
        row[name] = value.item() if isinstance(value, (np.ndarray, np.generic)) and np.ndim(value) == 0 else value
        if not isinstance(row[name], _VALUES):
            raise BadArgument(f"a point gives a number, or a dictionary of numbers, texts, True and False; {name!r} is {value!r}")
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

# SPDX-License-Identifier: Apache-2.0
"""Result files: frames as arrays, histories, tables, exports, plots and pages.

    r = stiction.Result("arch.h5")           also while it is being written
    r.frame(-1).position                     n x 3, as the library read it
    r.history("energy"); r.plot("energy"); r.view()
"""

from __future__ import annotations

import html
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, overload

import numpy as np

from ._convert import Array, dtype_of, integer, path_text, suggest, text, told, value_of
from ._handle import Handle, Lent, Owner, array_over
from ._native import ffi, lib
from .context import Context, arena
from .errors import BadArgument, BadName, check, new_error, text_of
from .files import hdf5, needed, page_texts
from .output import flush_here

VERDICTS = {text_of(lib.stic_verdict_name(k)): k for k in range(lib.STIC_VERDICT_COUNT)}


class Frame(NamedTuple):
    """One stored state. Arrays are the library's memory, which lives as long as one of them does."""

    time: float
    step: int
    h: float
    kinetic: float
    potential: float
    hash: int
    position: Array
    orientation: Array
    velocity: Array
    angular_velocity: Array
    q: Array
    u: Array
    contacts: Array


class History(NamedTuple):
    """Quantities over time."""

    title: str
    unit: str
    logarithmic: bool
    time: Array
    curves: dict[str, Array]


def _free(result: Any) -> None:
    with hdf5():
        lib.stic_result_close(result)


class Result(Owner):
    """A result file, open for reading."""

    @told("stic_result_open")
    def __init__(self, path: str | Path) -> None:
        path_text(path)
        self.path = Path(os.fsdecode(path))
        self._context = Context()
        self._open()

    def _open(self) -> None:
        flush_here(self.path)
        made, error = ffi.new("SticResult**"), new_error()
        with hdf5():
            check(lib.stic_result_open(self._context.pointer, path_text(self.path), made, error), error)
        self._handle = Handle("result", made[0], _free)

    def __reduce_ex__(self, protocol: Any) -> Any:
        """A result is a file: it travels as its path."""
        self._handle.use()
        return Result, (self.path.resolve(),)

    def refresh(self) -> Result:
        """Look at the file again: a run may have added frames. Frames read before stay valid."""
        self._handle.use()
        old = self._handle
        self._open()
        old.close()
        return self

    @property
    @told("stic_result_info")
    def info(self) -> dict[str, Any]:
        return dict(value_of(lib.stic_result_info(self._handle.use())))

    def __len__(self) -> int:
        return int(lib.stic_result_info(self._handle.use()).frames)

    @told("stic_result_read")
    def frame(self, k: int) -> Frame:
        """Negative numbers count from the end."""
        count = len(self)
        k = integer(k, "frame", -2**31)
        if not -count <= k < count:
            raise IndexError(f"frame {k} of {count}")
        memory, made, error = arena(self._context), ffi.new("SticResultFrame*"), new_error()
        with hdf5():
            check(lib.stic_result_read(self._handle.use(), k % count, memory.use(), made, error), error)
        info = lib.stic_result_info(self._handle.use())

        def lend(pointer: Any, *shape: int) -> Array:
            size = int(np.prod(shape))
            if pointer == ffi.NULL or size == 0:
                return np.zeros(shape)
            return array_over(Lent(memory, pointer, 8 * size), np.float64).reshape(shape)

        contacts = np.zeros(0, dtype_of("SticContactRow"))
        if made.contact_count > 0 and made.contact != ffi.NULL:
            contacts = array_over(Lent(memory, made.contact, made.contact_count * ffi.sizeof("SticContactRow")),
                                  dtype_of("SticContactRow"))
        n = info.bodies
        return Frame(made.time, made.step, made.h, made.energy[0], made.energy[1], made.hash, lend(made.position, n, 3),
                     lend(made.orientation, n, 4), lend(made.velocity, n, 3), lend(made.spin, n, 3), lend(made.q, info.nq),
                     lend(made.u, info.nu), contacts)

    @overload
    def __getitem__(self, k: int) -> Frame: ...

    @overload
    def __getitem__(self, k: slice) -> list[Frame]: ...

    def __getitem__(self, k: int | slice) -> Frame | list[Frame]:
        return [self.frame(i) for i in range(*k.indices(len(self)))] if isinstance(k, slice) else self.frame(k)

    def __iter__(self) -> Iterator[Frame]:
        return (self.frame(k) for k in range(len(self)))

    @property
    def times(self) -> Array:
        """Times of all frames, s."""
        return np.array([frame.time for frame in self])

    def positions(self, body: int | str | None = None) -> Array:
        """Positions of all bodies in all frames: frames x bodies x 3, m; of one body, by its number or name: frames x 3."""
        if body is None:
            return np.array([frame.position for frame in self]).reshape(len(self), -1, 3)
        names = self.body_names
        if isinstance(body, str):
            if not body or body not in names:
                raise BadName(f"the result has no body '{body}'{suggest(body, [name for name in names if name])}")
            body = names.index(body)
        if not 0 <= integer(body, "body", -2**31) < len(names):
            raise IndexError(f"body {body} of {len(names)}")
        return np.array([frame.position[body] for frame in self]).reshape(-1, 3)

    @property
    def body_names(self) -> list[str]:
        """Names of all bodies, empty where one has none."""
        result = self._handle.use()
        return [text_of(lib.stic_result_body(result, i)) for i in range(lib.stic_result_info(result).bodies)]

    @told("stic_result_steps")
    def steps(self) -> dict[str, Any]:
        made, error = ffi.new("SticResultSteps*"), new_error()
        with hdf5():
            check(lib.stic_result_steps(self._handle.use(), made, error), error)
        return dict(value_of(made))

    @told("stic_result_history")
    def history(self, word: str) -> History:
        memory, made, error = arena(self._context), ffi.new("SticHistory*"), new_error()
        with hdf5():
            check(lib.stic_result_history(self._handle.use(), text(word, "word"), memory.use(), made, error), error)

        def copy(pointer: Any) -> Array:
            return np.frombuffer(ffi.buffer(pointer, 8 * made.count), float).copy() if made.count > 0 else np.zeros(0)

        curves = {text_of(made.curve[k].label): copy(made.curve[k].value) for k in range(made.curves)}
        history = History(text_of(made.title), text_of(made.unit), bool(made.logarithmic), copy(made.time), curves)
        memory.close()
        return history

    def table(self, *words: str) -> Any:
        """Histories as columns over their time: a pandas DataFrame, or a dictionary of arrays where pandas is absent."""
        histories = [self.history(word) for word in words or ("energy",)]
        if any(len(one.time) != len(histories[0].time) for one in histories):
            raise BadArgument("quantities of steps and of frames have different times: ask for them in two tables")
        columns = {f"{word} {label}" if label != word else word: value
                   for word, one in zip(words or ("energy",), histories) for label, value in one.curves.items()}
        try:
            import pandas
        except ImportError:
            return {"time": histories[0].time, **columns}
        return pandas.DataFrame(columns, index=pandas.Index(histories[0].time, name="time"))

    def contacts_table(self, k: int = -1) -> Any:
        """Contacts of a frame as a pandas DataFrame, or a dictionary of arrays where pandas is absent."""
        rows = self.frame(k).contacts
        columns: dict[str, Array] = {"id": rows["id"], "gap": rows["gap"], "status": rows["status"]}
        columns |= {f"body_{side}": rows["body"][:, i] for i, side in enumerate("ab")}
        for name in ("point", "normal", "force", "impulse", "moment", "slip"):
            columns |= {f"{name}_{axis}": rows[name][:, i] for i, axis in enumerate("xyz")}
        try:
            import pandas
        except ImportError:
            return columns
        return pandas.DataFrame({name: np.ascontiguousarray(value) for name, value in columns.items()})

    @told("stic_result_export_csv")
    def export_csv(self, path: str | Path, *columns: str) -> None:
        error = new_error()
        words = ",".join(columns or ("time", "energy"))
        with hdf5():
            check(lib.stic_result_export_csv(self._context.pointer, path_text(self.path), text(words, "columns"), path_text(path),
                                             error), error)

    @told("stic_result_export_xdmf")
    def export_xdmf(self) -> None:
        error = new_error()
        self._handle.use()
        with hdf5():
            check(lib.stic_result_export_xdmf(self._context.pointer, path_text(self.path), error), error)

    def plot(self, word: str = "energy", axes: Any = None) -> Any:
        """Curves of a history with matplotlib; returns the axes."""
        pyplot = needed("matplotlib.pyplot", "plots")
        history = self.history(word)
        axes = axes if axes is not None else pyplot.subplots()[1]
        for label, value in history.curves.items():
            axes.plot(history.time, value, label=label)
        axes.set(xlabel="time, s", ylabel=history.unit or history.title, title=history.title)
        if history.logarithmic:
            axes.set_yscale("log")
        if len(history.curves) > 1:
            axes.legend()
        return axes

    @told("stic_result_export_page")
    def page(self, path: str | Path | None = None) -> Path:
        """Write the viewer's page, with everything inside; beside the result unless said otherwise."""
        target = Path(path) if path is not None else self.path.with_suffix(".html")
        given, error = ffi.new("SticPageDef*", lib.stic_page_default_def()), new_error()
        given.before, given.after = page_texts()
        self._handle.use()
        with hdf5():
            check(lib.stic_result_export_page(self._context.pointer, path_text(self.path), given, path_text(target), error),
                  error)
        return target

    def view(self, height: int = 600) -> View:
        """The page, shown inline in Jupyter."""
        height = integer(height, "height", 1)
        with tempfile.TemporaryDirectory() as folder:
            return View(self.page(Path(folder) / "page.html").read_text(encoding="utf-8"), height)

    def __repr__(self) -> str:
        return "<Result, closed>" if self.closed else f"<Result {self.path}, {len(self)} frames>"


@told("stic_result_repair")
def repair(path: str | Path) -> dict[str, Any]:
    """What was done, as a dictionary of SticRepair's members."""
    made, error = ffi.new("SticRepair*"), new_error()
    with hdf5():
        check(lib.stic_result_repair(path_text(path), made, error), error)
    return dict(value_of(made))


class View:
    """A page that a notebook shows."""

    def __init__(self, page: str, height: int) -> None:
        self.page, self.height = page, height

    def __repr__(self) -> str:
        return f"<View, a page of {len(self.page) // 1024} kB; a notebook shows it where it ends a cell, Result.page(path) writes it>"

    def _repr_html_(self) -> str:
        return (f'<iframe srcdoc="{html.escape(self.page, quote=True)}" width="100%" height="{self.height}" '
                'style="border:0"></iframe>')

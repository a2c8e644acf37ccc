# SPDX-License-Identifier: Apache-2.0
"""Result files being written: run.record("arch.h5", every=10)."""

from __future__ import annotations

import math
import os
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._convert import flag, path_text, real, text, told
from ._handle import Handle, Owner
from ._native import ffi, lib
from .errors import BadArgument, IoFailed, check, new_error, text_of
from .files import hdf5
from .settings import fill

if TYPE_CHECKING:
    from .run import Run


_open: weakref.WeakSet[Output] = weakref.WeakSet()


_made = threading.local()  # .outputs: what this thread has made since closing_outputs()


@contextmanager
def closing_outputs() -> Iterator[None]:
    """Close what is recorded inside and left open: a process that ends, or the collector, would not store the last state."""
    before = getattr(_made, "outputs", None)
    made: list[Output] = []
    _made.outputs = made
    try:
        yield
    finally:
        _made.outputs = before
        for output in made:
            output.close()


def flush_here(path: Path) -> None:
    """Let readers see what a run of this process has stored in a file, unless it is at work in another thread."""
    for output in list(_open):
        if output.closed or os.path.abspath(output.path) != os.path.abspath(path):
            continue
        lock = output._run._lock
        if lock.acquire(blocking=False):
            try:
                if not output.closed and not output._run.world._stepping:
                    output.flush()
            finally:
                lock.release()


def _free(output: Any) -> None:
    with hdf5():
        lib.stic_output_close(output, ffi.NULL)


class Output(Owner):
    """A result file that grows with every step of its run."""

    @told("stic_output_create")
    def __init__(self, run: Run, path: str | Path, *, title: str, replace: bool, until: float, settings: dict[str, Any]) -> None:
        given, made, error = ffi.new("SticOutputDef*", lib.stic_output_default_def()), ffi.new("SticOutput**"), new_error()
        fill({"output": (ffi.addressof(lib, "stic_output_fields"), ffi.addressof(given, "settings"))}, settings, "an output")
        path_text(path)
        if not 0.0 <= real(until, "until") < math.inf:
            raise BadArgument(f"until: a time of 0 or more is needed, not {until!r}")
        self.path = Path(os.fsdecode(path))
        self._run = run
        if any(not output.closed and os.path.realpath(output.path) == os.path.realpath(self.path) for output in list(_open)):
            raise IoFailed(f"{self.path}: is being written by a run of this process: close that output first")
        texts = self._texts(given, title)
        with run._lock, hdf5():
            given.world = run.world._handle._pointer if run._world is not None else ffi.NULL
            given.run, given.until, given.replace = run._use(), real(until, "until"), flag(replace, "replace")
            if hasattr(run, "_simulation"):
                lib.stic_simulation_colours(run._simulation, given)
            status = lib.stic_output_create(run.world._context.pointer, given, made, error)
            if status == lib.STIC_IO_FAILED and not replace and self.path.exists():
                raise IoFailed(f"{self.path}: {text_of(error.text)}; replace=True replaces it")
            check(status, error)
            self._handle = Handle("output", made[0], _free, run._handle)
            check(lib.stic_output_snapshot(made[0], run._run, error), error)
        del texts
        self._extra = ffi.new("SticStepExtra*")
        self._steps = lib.stic_run_totals(run._run).steps
        run._outputs.append(self)
        _open.add(self)
        if getattr(_made, "outputs", None) is not None:
            _made.outputs[:] = [*(output for output in _made.outputs if not output.closed), self]

    def _texts(self, given: Any, title: str) -> list[Any]:
        """Names and the scene's text into the definition; returns their memory."""
        from .scene import _word
        scene = getattr(self._run, "scene", None)
        words = {"title": title or (scene.title if scene is not None else "")}
        if scene is not None:
            words |= {"source": scene.source, "definition": scene.text(), "scene_path": scene.path,
                      "parameters": "".join(f"{name}={_word(value)}\n" for name, value in scene.params.items())}
        kept = []
        for member, value in {"path": path_text(self.path), **{key: text(word, key) for key, word in words.items()}}.items():
            kept.append(ffi.new("char[]", value))
            setattr(given, member, kept[-1])
        return kept

    @told("stic_output_step")
    def _step(self, seconds: float = 0.0) -> None:
        error = new_error()
        self._extra.seconds = seconds
        with hdf5():
            check(lib.stic_output_step(self._handle.use(), self._run._run, self._run._info, self._extra, error), error)
        self._steps = lib.stic_run_totals(self._run._run).steps

    def _catch_up(self) -> None:
        """Store a step that was made and not told, because Ctrl-C came between the two."""
        if lib.stic_run_totals(self._run._run).steps == self._steps + 1:
            self._step()

    @told("stic_output_frame")
    def frame(self) -> None:
        error = new_error()
        with self._run._lock, hdf5():
            check(lib.stic_output_frame(self._handle.use(), self._run._use(), error), error)

    @told("stic_output_flush")
    def flush(self) -> None:
        error = new_error()
        with self._run._lock, hdf5():
            check(lib.stic_output_flush(self._handle.use(), error), error)

    @told("stic_output_snapshot")
    def snapshot(self) -> None:
        error = new_error()
        with self._run._lock, hdf5():
            check(lib.stic_output_snapshot(self._handle.use(), self._run._use(), error), error)

    @property
    @told("stic_output_frames")
    def frames(self) -> int:
        return int(lib.stic_output_frames(self._handle.use()))

    def close(self) -> None:
        """Store the present state and a snapshot of it, and close the file. A second call does nothing."""
        run = self._run
        with run._lock:
            if run.world._stepping:
                raise BadArgument("a file cannot be closed while its run makes a step")
            if not self.closed and self in run._outputs:
                run._outputs.remove(self)
                try:
                    self._finish()
                finally:
                    self._end_live()
                    super().close()

    def _finish(self) -> None:
        """The last state and its snapshot, unless the run can give none any more."""
        if self._run.closed or self._run.world._edition != self._run._edition:
            self.flush()
        else:
            self._catch_up()
            self.frame()
            self.snapshot()

    def _end_live(self) -> None:
        """A page that shows this file ends before it."""
        live = self._run._live
        if live is not None and live.output is self:
            live.close()

    def __repr__(self) -> str:
        return f"<Output {self.path}{', closed' if self.closed else ''}>"

# SPDX-License-Identifier: Apache-2.0
"""A run in the browser while it goes on: run.view().

The library has the server, which answers when it is asked to. A step asks before it begins; between calls of Python a thread asks
under the lock of the run, so that a page opens in a notebook whose cells have ended.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
import threading
import weakref
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._convert import flag, integer, told
from ._handle import Handle, Owner
from ._native import ffi, lib
from .context import log
from .errors import BadArgument, Interrupted, check, new_error, text_of
from .files import hdf5, page_texts
from .output import Output

if TYPE_CHECKING:
    from .run import Run

IDLE, HELD = 0.05, 0.1  # seconds between two looks without steps, and of one look while a page holds the run
_open: weakref.WeakSet[Live] = weakref.WeakSet()


def _free(live: Any) -> None:
    with hdf5():
        lib.stic_live_close(live)


class Live(Owner):
    """The page of a run that goes on."""

    @told("stic_live_open")
    def __init__(self, run: Run, path: str | Path | None, *, wait: bool, open: bool, height: int, settings: dict[str, Any]) -> None:
        self._run, self.height, self._wait = run, integer(height, "height", 1), flag(wait, "wait")
        self._folder: str | None = None
        show = flag(open, "open")
        self._wish = ffi.new("SticLiveWish*")
        given, made, error = ffi.new("SticLiveDef*"), ffi.new("SticLive**"), new_error()
        given.before, given.after = page_texts()
        given.framed = True
        with run._lock:
            if run.world._stepping:
                raise BadArgument("view: not while a step is being made")
            if run._live is not None:
                raise BadArgument(f"the run is shown already, at {run._live.address}")
            self.output = self._find_output(path, settings)
            given.output = self.output._handle.use()
            check(lib.stic_live_open(run.world._context.pointer, given, made, error), error)
            self._handle = Handle("page", made[0], _free, self.output._handle)
            self._address = text_of(lib.stic_live_address(made[0]))
            run._live = self
        _open.add(self)
        threading.Thread(target=_serve, args=(weakref.ref(self), run._lock), name="stiction page", daemon=True).start()
        if show:
            webbrowser.open(self.address)

    def _find_output(self, path: str | Path | None, settings: dict[str, Any]) -> Output:
        """The file that is recorded already, or a new one."""
        outputs = self._run._outputs
        if path is None and outputs:
            if settings:
                raise BadArgument(f"the run records {outputs[-1].path} already, with settings of its own: view() takes none")
            return outputs[-1]
        if path is None:
            self._folder = tempfile.mkdtemp(prefix="stiction-")
            # of a page that is lost; a program that ends closes its pages
            weakref.finalize(self, shutil.rmtree, self._folder, True).atexit = False
            path = Path(self._folder) / "run.h5"
        return self._run.record(path, **settings)

    @property
    @told("stic_live_address")
    def address(self) -> str:
        return self._address

    def _attend(self, wait: float) -> None:
        error = new_error()
        with hdf5():
            status = lib.stic_live_attend(self._handle.use(), wait, self._wish, error)
        if status != 0:
            log.warning("the page of the run cannot be made: %s", text_of(error.text))

    @told("stic_live_attend")
    def _turn(self) -> None:
        """Before a step: answer, wait while the page holds the run, raise if it stops it."""
        wish = self._wish
        self._attend(0.0)
        while (wish.paused or (self._wait and not wish.seen)) and not wish.stop:
            self._attend(HELD)
        if wish.stop:
            lib.stic_live_forget(self._handle.use())
            raise Interrupted("the page of the run asked to stop")

    @property
    def seen(self) -> bool:
        """Whether a page is open, or was."""
        return bool(self._wish.seen)

    @property
    def paused(self) -> bool:
        """Whether the page holds the run."""
        return bool(self._wish.paused)

    def close(self) -> None:
        """Send the last state and end the page; the run goes on without it. A second call does nothing."""
        run = self._run
        with run._lock:
            if self.closed:
                return
            if run.world._stepping:
                raise BadArgument("a page cannot be closed while its run makes a step")
            run._live = None
            if not self.output.closed and not run.closed and run.world._edition == run._edition:
                self.output.frame()
            super().close()
            if self._folder is not None:
                self.output.close()
                shutil.rmtree(self._folder, ignore_errors=True)
        _open.discard(self)

    def _repr_html_(self) -> str:
        return f'<iframe src="{self.address}" width="100%" height="{self.height}" style="border:0"></iframe>'

    def __repr__(self) -> str:
        return f"<Live {self.address}{', closed' if self.closed else ''}>"


def _serve(reference: weakref.ref[Live], lock: Any) -> None:
    """Answer while no step is made, until the page is closed or lost."""
    pause = threading.Event()
    while True:
        live = reference()
        if live is None or live.closed:
            return
        # a thread that makes steps holds the lock, and answers by itself
        if lock.acquire(timeout=IDLE):
            try:
                if not live.closed:
                    live._attend(0.0)
            finally:
                lock.release()
        del live
        pause.wait(IDLE)


@atexit.register
def _goodbye() -> None:
    for live in list(_open):
        try:
            live.close()
        except Exception as exception:  # the interpreter ends: nobody else would hear of it
            log.warning("the page at %s was not closed: %s", live.address, exception)

# SPDX-License-Identifier: Apache-2.0
"""What everything that touches files shares: one lock for HDF5, and the program stiction."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ._native import ffi, lib
from .errors import BadArgument, Unsupported

_lock = threading.RLock()


def _phil() -> Any:
    """The lock of h5py, where that is loaded."""
    return getattr(sys.modules.get("h5py._objects"), "phil", None)


_held: list[Any] = []  # over a fork


def _before_fork() -> None:
    # no other thread may be inside of HDF5: a child would find its tables half written
    for lock in (_lock, _phil()):
        if lock is not None:
            lock.acquire()
            _held.append(lock)


def _after_fork() -> None:
    while _held:
        _held.pop().release()


os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)


@contextmanager
def hdf5() -> Iterator[None]:
    """Debian's HDF5 takes one thread at a time, and C calls release the interpreter's lock; h5py brings a lock of its own."""
    with _lock:
        phil = _phil()
        if phil is None:
            yield
        else:
            with phil:
                yield


def needed(module: str, what: str) -> Any:
    """A package that not everybody has."""
    try:
        return importlib.import_module(module)
    except ImportError:
        name = module.partition(".")[0]
        raise Unsupported(f"{what} need {name}, which is not installed (Debian: python3-{name})") from None


def page_texts() -> tuple[Any, Any]:
    """The viewer's page before and after its data, as C texts."""
    before, after = (ffi.cast("const char*", text) for text in (lib.cli_page_before, lib.cli_page_after))
    if before[0] == b"\0":
        raise Unsupported("this build has no viewer; install Node.js with npm and build the package again")
    return before, after


def program() -> str:
    """Path of the program stiction: STICTION_BIN, the one built with this package, the one beside Python, or on the PATH."""
    given = os.environ.get("STICTION_BIN")
    if given:
        return given
    here = Path(__file__).resolve().parent
    for place in (here / "bin" / "stiction", here.parents[3] / "bin" / "stiction"):
        if place.is_file():
            return str(place)
    found = shutil.which("stiction")
    if found is None:
        raise BadArgument("the program stiction is not there: install it, or name it in STICTION_BIN")
    return found


def message_of(text: str) -> str:
    """What the program said on stderr, without its name and where help is."""
    lines = [line.removeprefix("stiction: ") for line in text.splitlines() if line and not line.startswith("try '")]
    return "\n".join(lines)


def run_program(words: Sequence[str | Path]) -> subprocess.CompletedProcess[str]:
    """Run the program; what it says is kept."""
    return subprocess.run([program(), *map(str, words)], text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False)

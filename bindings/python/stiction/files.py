# SPDX-License-Identifier: Apache-2.0
"""What everything that touches files shares: one lock for HDF5, and the program stiction."""

from __future__ import annotations

import importlib
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ._convert import path_text, suggest
from ._native import ffi, lib
from .errors import BadArgument, Error, IoFailed, OutOfMemory, Unsupported

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


# options of the program, and what they are called here
_OPTIONS = {"--force": "replace=True", "--output": "path", "-o": "path", "--param": "params", "--no-check": "check=False", "--between A:B": "between=(A, B)"}


def message_of(text: str, **own: str) -> str:
    """What the program said on stderr, without its name and where help is, with keywords instead of options; `own`: those that a call names differently."""
    lines = [re.sub(r"^stiction(?: [a-z]+)?: ", "", line) for line in text.splitlines() if line and not line.startswith("try '")]
    names = {**_OPTIONS, **{f"--{option}": word for option, word in own.items()}}
    names |= {"-o": own["output"]} if "output" in own else {}

    def word(found: re.Match[str]) -> str:
        return names.get(found[0], found[0].lstrip("-").replace("-", "_"))

    return re.sub(r"(?<![\w-])(?:--between A:B|--[a-z][a-z-]*|-o\b)", word, "\n".join(lines))


def program_error(code: int, words: str) -> Error:
    """What the program's exit code stands for: 2 wrong words, 3 a bad file, or reading or writing that failed, 4 memory."""
    return {2: BadArgument, 3: IoFailed, 4: OutOfMemory}.get(code, Error)(words)


def scenes_folder() -> Path | None:
    """Where the shipped scenes are: STICTION_SCENES, `scenes` here, or those that came with the package or the library."""
    here = Path(__file__).resolve().parent
    places = [*([Path(os.environ["STICTION_SCENES"])] if os.environ.get("STICTION_SCENES") else []), Path("scenes"), here / "share" / "stiction" / "scenes",
              here.parents[3] / "share" / "stiction" / "scenes"]
    return next((place for place in places if place.is_dir()), None)


def problem_file(path: Any) -> Any:
    """A problem's file as it was given, or that of a shipped problem by its name."""
    name = os.fsdecode(path_text(path))
    here = Path(__file__).resolve().parent
    if "/" not in name and not os.path.exists(name):
        for place in (here / "share" / "stiction" / "problems", here.parents[3] / "share" / "stiction" / "problems"):
            if os.path.isfile(place / name):
                return place / name
    return path


def scene_file(scene: Any) -> Any:
    """A scene's file as it was given, or that of a shipped scene by its name, with or without .lua."""
    name = os.fsdecode(path_text(scene, "scene"))
    folder = scenes_folder()
    if folder is None or "/" in name or os.path.exists(name):
        return scene
    found = folder / (name if name.endswith(".lua") else f"{name}.lua")
    if os.path.isfile(found):  # False for names that are too long, too
        return found
    known = sorted(path.stem for path in folder.glob("*.lua"))
    near = suggest(name.removesuffix(".lua"), known)
    shown = name if len(name) <= 200 else f"{name[:200]}…"
    raise IoFailed(f"{shown} is no file, and no shipped scene (stiction.scenes()){near}")


def run_program(words: Sequence[str | Path]) -> subprocess.CompletedProcess[str]:
    """Run the program; what it says is kept."""
    return subprocess.run([program(), *map(str, words)], text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False)

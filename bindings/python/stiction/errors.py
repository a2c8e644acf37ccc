# SPDX-License-Identifier: Apache-2.0
"""Errors of the library as exceptions. Every one carries the library's own sentence."""

from __future__ import annotations

import threading
from typing import Any

from ._native import ffi, lib


class Error(Exception):
    """Bad data, or a call of the system that failed. Numerical outcomes are not errors: they are in the info of a step or a solve."""

    status = "ERROR"

    def __init__(self, text: str, file: str = "", line: int = 0, column: int = 0) -> None:
        place = ":".join([file, *(str(number) for number in (line, column) if number > 0)]) if file else ""
        super().__init__(f"{place}: {text}" if place else text)
        self.text = text
        self.file = file
        self.line = line
        self.column = column


class OutOfMemory(Error, MemoryError):
    """Out of memory."""


class BadArgument(Error, ValueError):
    """An argument is outside its documented range."""


class BadName(BadArgument, KeyError):
    """There is nothing of this name."""

    __str__ = Exception.__str__  # KeyError shows the sentence in quotes


class BadData(Error, ValueError):
    """The data are malformed or contradictory."""


class BadFile(Error, ValueError):
    """The file cannot be read as what it claims to be."""


class IoFailed(Error, OSError):
    """Reading or writing failed."""


class Unsupported(Error, NotImplementedError):
    """This combination is not supported."""


class NotFinite(Error, ArithmeticError):
    """A value is infinite or not a number."""


class Singular(Error, ArithmeticError):
    """A matrix that must be regular is singular."""


class StepFailed(Error, ArithmeticError):
    """The step could not be computed; the state is what it was."""


class Interrupted(Error):
    """Stopped on request."""


class Closed(Error, ValueError):
    """An object was used after it was closed."""


_CLASSES: dict[int, type[Error]] = {
    lib.STIC_OUT_OF_MEMORY: OutOfMemory,
    lib.STIC_BAD_ARGUMENT: BadArgument,
    lib.STIC_BAD_DATA: BadData,
    lib.STIC_BAD_FILE: BadFile,
    lib.STIC_IO_FAILED: IoFailed,
    lib.STIC_UNSUPPORTED: Unsupported,
    lib.STIC_NOT_FINITE: NotFinite,
    lib.STIC_SINGULAR: Singular,
    lib.STIC_STEP_FAILED: StepFailed,
    lib.STIC_INTERRUPTED: Interrupted,
}
for _status, _class in _CLASSES.items():
    _class.status = ffi.string(lib.stic_status_name(_status)).decode()


_held = threading.local()  # what Ctrl-C raised inside of a call of C, by the thread that made it


def _keep(_kind: Any, exception: BaseException, _traceback: Any) -> bool:
    _held.raised = exception
    return True


@ffi.def_extern(error=True, onerror=_keep)
def stic_python_asked(_self: Any) -> bool:
    # Python looks at its signals before it runs this: Ctrl-C inside of a long call of C is raised here, and kept
    return getattr(_held, "raised", None) is not None


def text_of(pointer: Any) -> str:
    """A C text; empty for NULL."""
    return "" if pointer == ffi.NULL else str(ffi.string(pointer).decode("utf-8", "replace"))


def new_error() -> Any:
    """A SticError to be filled."""
    return ffi.new("SticError*")


def raise_status(status: int, error: Any = None, hint: str = "") -> None:
    """Raise what a status stands for, with the sentence of `error` where there is one."""
    if status == lib.STIC_INTERRUPTED:
        raised, _held.raised = getattr(_held, "raised", None), None
        if raised is not None:
            raise raised
    made = _CLASSES.get(status, Error)
    if error is None or error.text[0] == b"\0":
        raise made(hint or text_of(lib.stic_status_text(status)))
    raise made(text_of(error.text), text_of(error.file), error.line, error.column)


def check(status: int, error: Any = None, hint: str = "") -> None:
    """Raise unless the status is STIC_OK."""
    if status != 0:
        raise_status(status, error, hint)

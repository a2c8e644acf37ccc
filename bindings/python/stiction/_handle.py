# SPDX-License-Identifier: Apache-2.0
"""Who frees what, and when.

A handle owns one C object. C objects borrow from each other (a run from its world), and NumPy arrays look into them. A handle
therefore counts who still uses it, and frees its object when it was closed (by hand, or because Python lost it) and nobody
uses it any more, whatever the order in which Python's garbage collector ends things.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ._native import ffi
from .errors import Closed, Unsupported

_guard = threading.RLock()  # the collector may come back into a handle from inside of one


# a child must not find it held by a thread that it does not have
os.register_at_fork(before=_guard.acquire, after_in_parent=_guard.release, after_in_child=_guard.release)


class Handle:
    """One C object and its users."""

    __slots__ = ("_pointer", "_free", "_parents", "_users", "_closed", "what", "__weakref__")

    def __init__(self, what: str, pointer: Any, free: Callable[[Any], Any], *parents: Handle) -> None:
        self.what = what
        self._pointer = pointer
        self._free = free
        self._parents: tuple[Handle, ...] = parents
        self._users = 0
        self._closed = False
        for parent in parents:
            parent.hold()

    @property
    def closed(self) -> bool:
        return self._closed

    def use(self) -> Any:
        """The C object; raises Closed if it was closed."""
        if self._closed:
            raise Closed(f"the {self.what} is closed")
        return self._pointer

    def hold(self) -> None:
        with _guard:
            self._users += 1

    def borrow(self, parent: Handle) -> None:
        """Keep another object as long as this one."""
        with _guard:
            if parent not in self._parents:
                parent.hold()
                self._parents = (*self._parents, parent)

    def drop(self) -> None:
        with _guard:
            self._users -= 1
            pointer = self._end()
        self._give_back(pointer)

    def close(self) -> None:
        with _guard:
            self._closed = True
            pointer = self._end()
        self._give_back(pointer)

    def _end(self) -> Any:
        """The C object if it is to be freed, by whoever gets it; else None."""
        if not self._closed or self._users > 0:
            return None
        pointer, self._pointer = self._pointer, None
        return pointer

    def _give_back(self, pointer: Any) -> None:
        # without the guard: freeing takes other locks (that of HDF5), whose holders may want the guard
        if pointer is None:
            return
        self._free(pointer)
        parents, self._parents = self._parents, ()
        for parent in parents:
            parent.drop()

    def __del__(self) -> None:
        self.close()


class Single:
    """Base of what stands for one thing in C: a copy would be no second one."""

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise Unsupported(f"a {type(self).__name__} cannot be copied or pickled: it stands for memory of the library. Make it anew from its data; "
                          "run.snapshot() gives the state of a run as bytes")


class Owner(Single):
    """Base of everything that owns a C object: closed by hand, by `with`, or by losing the last reference."""

    _handle: Handle

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the C object back. Further use raises Closed; a second call does nothing."""
        self._handle.close()

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        return self._handle.closed


class Lent:
    """Memory of a C object that NumPy arrays look into; the object lives at least as long."""

    __slots__ = ("__array_interface__", "_handle", "__weakref__")

    def __init__(self, handle: Handle, pointer: Any, size: int, writable: bool = False) -> None:
        self._handle = handle
        handle.hold()
        address = int(ffi.cast("uintptr_t", pointer))
        self.__array_interface__ = {"version": 3, "shape": (size,), "typestr": "|u1", "data": (address, not writable)}

    def __del__(self) -> None:
        self._handle.drop()


def array_over(lent: Any, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """An array over memory that is lent; it keeps it."""
    return np.asarray(lent).view(dtype)

# SPDX-License-Identifier: Apache-2.0
"""Functions that C calls and Python answers.

C knows a function of Python by a handle. What it raises is kept by its keeper and raised again when the C call that asked has
ended: the answer to C is then a number that is not finite, which fails the step and leaves the state as it was.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._convert import numbers, quaternion, real, vec3
from ._native import ffi
from .errors import BadArgument

NAN = float("nan")


class Keeper:
    """What was raised inside of callbacks since the last look."""

    def __init__(self) -> None:
        self.raised: BaseException | None = None

    def keep(self, exception: BaseException) -> None:
        # the first one: later ones follow from what it left
        if self.raised is None:
            self.raised = exception

    def halt(self) -> None:
        """Raise what was kept and keep it: after the first failure no function is asked until C has ended, lest a shorter step succeed."""
        if self.raised is not None:
            raise self.raised

    def look(self) -> None:
        """Raise what was kept."""
        raised, self.raised = self.raised, None
        if raised is not None:
            raise raised


class Callback:
    """A function of Python for C, with who keeps what it raises."""

    def __init__(self, function: Callable[..., Any], keeper: Keeper, owner: Any = None) -> None:
        if not callable(function):
            raise BadArgument(f"a function is needed, not {function!r}")
        self.function = function
        self.keeper = keeper
        self.owner = owner
        self.handle = ffi.new_handle(self)


def _of(pointer: Any) -> Callback:
    made = ffi.from_handle(ffi.cast("void*", pointer))
    assert isinstance(made, Callback)
    return made


@ffi.def_extern()
def stic_python_joint(self: Any, _run: Any, t: float) -> float:
    callback = _of(self)
    try:
        callback.keeper.halt()
        return real(callback.function(t), "what a control of a joint gives")
    except BaseException as exception:
        callback.keeper.keep(exception)
        return NAN


@ffi.def_extern()
def stic_python_body(self: Any, _run: Any, t: float, force: Any, torque: Any) -> None:
    callback = _of(self)
    try:
        callback.keeper.halt()
        given = callback.function(t)
        if not hasattr(given, "__len__"):
            raise BadArgument(f"a control of a body gives a force, or (force, torque), not {given!r}")
        pair = given if len(given) == 2 else (given, (0.0, 0.0, 0.0))
        force[0], torque[0] = vec3(pair[0], "force"), vec3(pair[1], "torque")
    except BaseException as exception:
        callback.keeper.keep(exception)
        force[0] = [NAN, NAN, NAN]


# members of SticBodyMotion, in the order in which a motion may give them
_MOTION = ("position", "orientation", "velocity", "angular_velocity", "acceleration", "angular_acceleration")


@ffi.def_extern()
def stic_python_motion(self: Any, t: float, at: Any) -> None:
    callback = _of(self)
    try:
        callback.keeper.halt()
        given = callback.function(t)
        if not isinstance(given, (dict, tuple, list)) or len(given) > len(_MOTION):
            raise BadArgument(f"a motion gives {', '.join(_MOTION)}, as a tuple or a dictionary, not {given!r}")
        given = given if isinstance(given, dict) else dict(zip(_MOTION, given))
        unknown = set(given) - set(_MOTION)
        if unknown or "position" not in given:
            raise BadArgument(f"a motion gives {', '.join(_MOTION)} (position at least), not {sorted(given)}")
        if "velocity" not in given or ("orientation" in given and "angular_velocity" not in given):
            missing = "velocity" if "velocity" not in given else "angular_velocity"
            raise BadArgument(f"a motion gives its {missing} too, which contacts see, and not only where the body is; (0, 0, 0) if it has none")
        for name in _MOTION:
            default = (1.0, 0.0, 0.0, 0.0) if name == "orientation" else (0.0, 0.0, 0.0)
            value = given.get(name, default)
            setattr(at[0], name, quaternion(value) if name == "orientation" else vec3(value, name))
    except BaseException as exception:
        callback.keeper.keep(exception)
        at[0].position = [NAN, NAN, NAN]
        at[0].orientation = numbers((1, 0, 0, 0), 4, "orientation")

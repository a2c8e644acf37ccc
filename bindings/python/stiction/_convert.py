# SPDX-License-Identifier: Apache-2.0
"""Between Python's values and those of C: vectors, quaternions, matrices, names, structured arrays."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar, Union

import numpy as np
import numpy.typing as npt

from ._native import ffi, lib
from ._sentences import SENTENCES
from .errors import BadArgument, text_of

Vector = Union[Sequence[float], npt.NDArray[Any]]
Array = npt.NDArray[Any]

# structs that are plain arrays of numbers
_PLAIN = {"SticVec3": (3,), "SticQuat": (4,), "SticMat3": (3, 3)}
_NUMBERS = {"double": "f8", "float": "f4", "int32_t": "i4", "uint32_t": "u4", "int64_t": "i8", "uint64_t": "u8",
            "uint8_t": "u1", "int": "i4", "_Bool": "?", "size_t": "u8"}


def numbers(value: Any, count: int, what: str) -> list[float]:
    """`count` finite or infinite numbers."""
    try:
        made = [float(item) for item in value]
    except TypeError:
        made = []
    if len(made) != count:
        raise BadArgument(f"{what}: {count} numbers are needed, not {value!r}")
    return made


def vec3(value: Vector, what: str = "vector") -> list[float]:
    return numbers(value, 3, what)


def quaternion(value: Any, what: str = "orientation") -> list[float]:
    """Unit of rotation from a quaternion (w, x, y, z), or (axis, angle in rad)."""
    if isinstance(value, (tuple, list)) and len(value) == 2:
        axis = vec3(value[0], what)
        length = math.sqrt(sum(x * x for x in axis))
        half = 0.5 * float(value[1])
        if length == 0.0:
            raise BadArgument(f"{what}: the axis of a rotation is not 0")
        return [math.cos(half), *(math.sin(half) * x / length for x in axis)]
    return numbers(value, 4, what)


def mat3(value: Any, what: str) -> dict[str, Any]:
    """A SticMat3 by rows; three numbers are a diagonal."""
    made = np.asarray(value, dtype=float)
    if made.shape == (3,):
        made = np.diag(made)
    if made.shape != (3, 3):
        raise BadArgument(f"{what}: a matrix of 3 x 3 numbers, or its diagonal, is needed")
    return {"m": made.tolist()}


def reals(value: Any, what: str, shape: tuple[int, ...] | None = None) -> Array:
    """A contiguous array of doubles."""
    made = np.ascontiguousarray(value, dtype=np.float64)
    if shape is not None and made.shape != shape:
        raise BadArgument(f"{what}: the shape is {made.shape}, not {shape}")
    return made


def integers(value: Any) -> Array:
    return np.ascontiguousarray(value, dtype=np.int32)


def pointer(array: Array, ctype: str) -> Any:
    """C pointer to an array's data; the array must be kept meanwhile."""
    return ffi.cast(ctype, ffi.from_buffer(array)) if array.size else ffi.cast(ctype, 0)


def suggest(word: str, names: Iterable[str]) -> str:
    """End of a sentence about a wrong word: the closest right one."""
    texts = [ffi.new("char[]", name.encode()) for name in names]
    table = ffi.new("const char*[]", [*texts, ffi.NULL])
    near = lib.stic_suggest(word.encode(), table)
    return "" if near == ffi.NULL else f"; did you mean '{text_of(near)}'?"


def choice(value: str, names: Mapping[str, int], what: str) -> int:
    """Number of a word."""
    found = names.get(value)
    if found is None:
        raise BadArgument(f"there is no {what} '{value}'{suggest(str(value), names) or ' (' + ', '.join(names) + ')'}")
    return found


def words_of(prefix: str, end: str) -> dict[str, int]:
    """Constants of an enumeration by their words: STIC_BODY_PSEUDO_RIGID is 'pseudo-rigid'."""
    count = getattr(lib, end)
    return {name[len(prefix):].lower().replace("_", "-"): getattr(lib, name)
            for name in dir(lib) if name.startswith(prefix) and name != end and getattr(lib, name) < count}


_dtypes: dict[str, np.dtype[Any]] = {}


def dtype_of(name: str) -> np.dtype[Any]:
    """The structured dtype of a C struct: same members, same places."""
    if name not in _dtypes:
        _dtypes[name] = _dtype(ffi.typeof(name))
    return _dtypes[name]


def _dtype(ctype: Any) -> np.dtype[Any]:
    if ctype.kind == "array":
        return np.dtype((_dtype(ctype.item), (ctype.length,)))
    if ctype.kind == "enum":
        return np.dtype("i4")
    if ctype.kind == "primitive":
        return np.dtype(_NUMBERS[ctype.cname])
    if ctype.kind == "pointer":
        return np.dtype("u8")
    word = ctype.cname.removeprefix("struct ")
    if word in _PLAIN:
        return np.dtype((np.float64, _PLAIN[word]))
    fields = ctype.fields
    return np.dtype({"names": [key for key, _ in fields], "formats": [_dtype(field.type) for _, field in fields],
                     "offsets": [field.offset for _, field in fields], "itemsize": ffi.sizeof(ctype)})


def value_of(cdata: Any) -> Any:
    """A C value as Python's: structs become dictionaries, vectors arrays, texts str."""
    ctype = ffi.typeof(cdata)
    if ctype.kind == "pointer" and ctype.item.kind == "struct":
        cdata, ctype = cdata[0], ctype.item
    if ctype.kind == "struct":
        word = ctype.cname.removeprefix("struct ")
        if word in _PLAIN:
            return np.frombuffer(ffi.buffer(ffi.addressof(cdata)), float).reshape(_PLAIN[word]).copy()
        return {key: _member(cdata, key, field) for key, field in ctype.fields}
    return cdata


def _member(cdata: Any, key: str, field: Any) -> Any:
    value = getattr(cdata, key)
    kind = field.type.kind
    if kind == "struct":
        return value_of(value)
    if kind == "array":
        if field.type.item.cname == "char":
            return text_of(value)
        return np.frombuffer(ffi.buffer(value), _dtype(field.type.item)).copy()
    if kind == "pointer":
        return text_of(value) if field.type.cname in ("char *", "char const *") else None
    return value


def sentence(name: str) -> str:
    """What the headers say about a name."""
    return SENTENCES[name]


Function = TypeVar("Function", bound=Callable[..., Any])


def told(*names: str) -> Callable[[Function], Function]:
    """Decorator: the docstring begins with what the headers say about the C functions that do the work."""
    def decorate(function: Function) -> Function:
        text = " ".join(sentence(name) for name in names)
        own = f"\n\n{function.__doc__}" if function.__doc__ else ""
        function.__doc__ = f"{text}{own}\n\nC: {', '.join(names)}"
        return function
    return decorate

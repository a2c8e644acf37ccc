# SPDX-License-Identifier: Apache-2.0
"""Between Python's values and those of C: vectors, quaternions, matrices, names, structured arrays."""

from __future__ import annotations

import inspect
import math
import operator
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
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


_WORDS_OF_KINDS = {"b": "flags", "c": "complex numbers", "U": "texts", "S": "bytes", "M": "dates", "m": "times", "V": "records"}


def is_masked(value: Any) -> bool:
    """Whether values are missing."""
    return isinstance(value, np.ma.MaskedArray) and bool(np.any(value.mask))


def real(value: Any, what: str) -> float:
    """One number. Texts, flags, complex numbers and dates are none, though some of them convert."""
    if isinstance(value, float) or value.__class__ is int or (np.ndim(value) == 0 and np.asarray(value).dtype.kind in "iufO"):
        try:
            return float(value)
        except (TypeError, ValueError, OverflowError):
            pass
    raise BadArgument(f"{what}: a number is needed, not {value!r}")


def flag(value: Any, what: str) -> bool:
    """True or False, or 1 and 0: "no" and None are neither."""
    if isinstance(value, (bool, np.bool_)) or (isinstance(value, (int, np.integer)) and value in (0, 1)):
        return bool(value)
    raise BadArgument(f"{what}: True or False is needed, not {value!r}")


def integer(value: Any, what: str, least: int = 0, most: int = 2**31 - 1) -> int:
    """A whole number; others are refused, not rounded, and flags too."""
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        made = operator.index(value)
    except TypeError:
        raise BadArgument(f"{what}: a whole number is needed, not {value!r}") from None
    if not least <= made <= most:
        raise BadArgument(f"{what}: a whole number from {least} to {most} is needed, not {made}")
    return made


def text(value: Any, what: str) -> bytes:
    """A text for C."""
    if not isinstance(value, str):
        raise BadArgument(f"{what}: a text is needed, not {value!r}")
    if "\0" in value:
        raise BadArgument(f"{what}: {value!r} has a zero character inside")
    try:
        return value.encode()
    except UnicodeEncodeError:
        raise BadArgument(f"{what}: {value!r} is no text that can be stored") from None


def path_text(path: Any, what: str = "path") -> bytes:
    """Name of a file for C."""
    try:
        made = os.fsencode(path)
    except TypeError:
        raise BadArgument(f"{what}: a name or a Path is needed, not {path!r}") from None
    if not made or b"\0" in made:
        raise BadArgument(f"{what}: {path!r} is no name of a file")
    return made


_QUICK = frozenset({float, int})


def numbers(value: Any, count: int, what: str, least: int | None = None) -> list[float]:
    """`count` finite or infinite numbers, or at least `least` of them."""
    made: list[float] = []
    try:
        # controls answer with such tuples in every step: no call of Python per number
        if value.__class__ in (tuple, list) and _QUICK.issuperset(map(type, value)):
            made = [*map(float, value)]
        elif not isinstance(value, (str, bytes, bytearray, Mapping, Set)) and not is_masked(value):
            made = [real(item, what) for item in value]
    except (TypeError, OverflowError, BadArgument):
        made = []
    if not (count if least is None else least) <= len(made) <= count or getattr(value, "ndim", 1) != 1:
        raise BadArgument(f"{what}: {count} numbers are needed, not {value!r}")
    return made


def vec3(value: Vector, what: str = "vector") -> list[float]:
    return numbers(value, 3, what)


def quaternion(value: Any, what: str = "orientation") -> list[float]:
    """Unit of rotation from a quaternion (w, x, y, z), or (axis, angle in rad)."""
    if isinstance(value, (tuple, list)) and len(value) == 2:
        axis = vec3(value[0], what)
        length = math.sqrt(sum(x * x for x in axis))
        half = 0.5 * real(value[1], what)
        if not 0.0 < length < math.inf or not math.isfinite(half):
            raise BadArgument(f"{what}: an axis that is not 0 and an angle are needed, both finite, not {value!r}")
        return [math.cos(half), *(math.sin(half) * x / length for x in axis)]
    made = numbers(value, 4, what)
    if not any(made):
        raise BadArgument(f"{what}: a quaternion is not 0")
    return made


def mat3(value: Any, what: str) -> dict[str, Any]:
    """A SticMat3 by rows; three numbers are a diagonal."""
    made = reals(value, what)
    if made.shape == (3,):
        made = np.diag(made)
    if made.shape != (3, 3):
        raise BadArgument(f"{what}: a matrix of 3 x 3 numbers, or its diagonal, is needed")
    return {"m": made.tolist()}


def _looked_at(value: Any) -> Array:
    """An array of numbers, or of objects; NumPy would also make numbers of flags and bytes."""
    given = np.asarray(value)
    kind = "S" if isinstance(value, (bytes, bytearray)) else given.dtype.kind
    if isinstance(value, (list, tuple)) and kind in "iuf" and any(isinstance(item, (bool, np.bool_)) for item in np.asarray(value, dtype=object).flat):
        kind = "b"
    if kind not in "iufO" and given.size > 0:
        raise TypeError(f"not {_WORDS_OF_KINDS.get(kind, given.dtype.name)}")
    return given


def reals(value: Any, what: str, shape: tuple[int, ...] | None = None) -> Array:
    """A contiguous array of doubles."""
    if is_masked(value):
        raise BadArgument(f"{what}: masked values are no numbers; fill them first")
    try:
        given = _looked_at(value)
        if given.dtype.kind == "O":
            given = np.array([real(item, what) for item in given.ravel()]).reshape(given.shape)
        made = np.ascontiguousarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise BadArgument(f"{what}: an array of real numbers is needed ({error})") from None
    # ascontiguousarray makes a number an array of one
    made = made.reshape(np.shape(value))
    if shape is not None and made.shape != shape:
        raise BadArgument(f"{what}: the shape is {made.shape}, not {shape}")
    return made


def integers(value: Any, what: str = "indices") -> Array:
    """A contiguous array of 32-bit integers; other numbers are refused, not rounded."""
    try:
        given = _looked_at(value)
        made = np.ascontiguousarray(given, dtype=np.int32)
    except (TypeError, ValueError, OverflowError) as error:
        raise BadArgument(f"{what}: integers are needed ({error})") from None
    if given.size and not np.array_equal(made, given):
        raise BadArgument(f"{what}: integers of 32 bits are needed")
    return made


def pointer(array: Array, ctype: str) -> Any:
    """C pointer to an array's data; the array must be kept meanwhile."""
    return ffi.cast(ctype, ffi.from_buffer(array)) if array.size else ffi.cast(ctype, 0)


def suggest(word: str, names: Iterable[str]) -> str:
    """End of a sentence about a wrong word: the closest right one."""
    texts = [ffi.new("char[]", name.encode()) for name in names]
    table = ffi.new("const char*[]", [*texts, ffi.NULL])
    near = lib.stic_suggest(word.encode("utf-8", "replace"), table)
    return "" if near == ffi.NULL else f"; did you mean '{text_of(near)}'?"


def choice(value: str, names: Mapping[str, int], what: str) -> int:
    """Number of a word."""
    found = names.get(value) if isinstance(value, str) else None
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


# what only callers in C need to know, and what systems are from here
_OF_C = re.compile(r"\bNULL\b|\barenas?\b|`scratch`|`error`|\bborrowed\b|\boutlive\b|stic_text_unload|STIC_OUTCOME_COUNT|\bvalid until the next one|half edge lengths")
_WORDS = {"invalidates systems built before": "runs that were made before cannot go on", "systems built before see it too": "runs that were made before see it too",
          "STIC_OK whatever the outcome, see info; otherwise info->error": "Whatever the outcome, it is in the result: an exception",
          "info->error says": "the exception says", "was made with `driven`": "was made with `drive`", "existing systems see it too": "runs that were made before see it too",
          "is a BAD_ARGUMENT": "is refused (BadArgument)",
          "in memory that ends with a 0 byte at text[size]": "", "give it back with stic_text_unload": "",
          "The status is STIC_OK whatever the outcome, which is in `info`; any other status means that the solve could not be tried (law not handled, bad data, out of memory): the outcome is STIC_OUTCOME_COUNT then, and the exception says why.":
          "An exception means that the solve could not be tried (law not handled, bad data, out of memory); any outcome of one that was tried is in the result.",
          "Contacts of the last step, sorted by id and valid until the next one.": "Contacts of the last step, sorted by id.",
          "Events of the last step, valid until the next one.": "Events of the last step.",
          "Box from its half edge lengths, all > 0.": "Box.", "Default def with": "From"}


# a status of C is an exception here
_STATUS = re.compile(r"\b(?:STIC_)?(OUT_OF_MEMORY|BAD_ARGUMENT|BAD_DATA|BAD_FILE|IO_FAILED|UNSUPPORTED|NOT_FINITE|SINGULAR|STEP_FAILED|INTERRUPTED)\b")


def sentence(name: str) -> str:
    """What the headers say about a name, without what is about memory and pointers."""
    text = SENTENCES[name]
    for words, instead in _WORDS.items():
        text = text.replace(words, instead)
    text = _STATUS.sub(lambda found: found[1].title().replace("_", ""), text)
    kept = [part for part in re.split(r"(?<=[.;]) ", text) if not _OF_C.search(part)]
    text = " ".join(kept)
    return text[:-1] + "." if text.endswith(";") else text


Function = TypeVar("Function", bound=Callable[..., Any])


def told(*names: str) -> Callable[[Function], Function]:
    """Decorator: the docstring begins with what the headers say about the C functions that do the work."""
    def decorate(function: Function) -> Function:
        text = " ".join(sentence(name) for name in names)
        own = f"\n\n{inspect.cleandoc(function.__doc__)}" if function.__doc__ else ""
        function.__doc__ = f"{text}{own}\n\nC: {', '.join(names)}"
        return function
    return decorate

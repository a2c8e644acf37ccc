# SPDX-License-Identifier: Apache-2.0
"""Settings of solvers, schemes, models and searches: what there is, and how keywords become structs.

The tables are the library's own (SticFieldTable): names, defaults, ranges and sentences come from there, and so do refusals.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ._convert import flag, real, suggest, text
from ._native import ffi, lib
from .errors import BadArgument, check, new_error, text_of

_TYPES = {lib.STIC_FIELD_DOUBLE: "number", lib.STIC_FIELD_INT: "integer", lib.STIC_FIELD_BOOL: "flag",
          lib.STIC_FIELD_CHOICE: "choice"}


class Setting(NamedTuple):
    """One setting."""

    name: str
    type: str
    default: Any
    low: float
    high: float
    unit: str
    text: str
    choices: tuple[str, ...]


class Described(NamedTuple):
    """A solver, scheme or model with its settings."""

    name: str
    text: str
    settings: tuple[Setting, ...]


def _setting(field: Any) -> Setting:
    kind = _TYPES[field.type]
    choices: list[str] = []
    while field.choices != ffi.NULL and field.choices[len(choices)] != ffi.NULL:
        choices.append(text_of(field.choices[len(choices)]))
    default: Any = field.initial
    if kind == "choice":
        default = choices[int(field.initial)]
    elif kind != "number":
        default = bool(field.initial) if kind == "flag" else int(field.initial)
    return Setting(text_of(field.name), kind, default, field.low, field.high, text_of(field.unit), text_of(field.text),
                   tuple(choices))


def fields_of(table: Any) -> tuple[Setting, ...]:
    """Settings of a SticFieldTable; none for NULL."""
    return () if table == ffi.NULL else tuple(_setting(table.fields[i]) for i in range(table.count))


def setting_text(setting: Setting, value: Any) -> str:
    """A value of a setting as the library reads it; a text is no number, and a number no flag."""
    if setting.type == "flag":
        return "true" if flag(value, setting.name) else "false"
    if setting.type == "choice":
        return text(value, setting.name).decode()
    number = real(value, setting.name)
    return str(int(number)) if setting.type == "integer" and number.is_integer() else repr(number)


def new_struct(table: Any) -> Any:
    """Memory of the struct of a table, with its defaults."""
    made = ffi.new("char[]", max(int(table.size), 1))
    lib.stic_fields_default(table, made)
    return made


def once(named: set[Any], key: Any, what: str) -> None:
    """Refuse what is given by two names, of which one would silently win."""
    if key in named:
        raise BadArgument(f"{what} is given twice")
    named.add(key)


def fill(tables: Mapping[str, tuple[Any, Any]], given: Mapping[str, Any], what: str) -> None:
    """Write keywords into the structs of tables: name of the table -> (table, struct). The first table that knows a name gets it."""
    known = {name: {field.name: field for field in fields_of(table)} for name, (table, _) in tables.items()}
    named: set[tuple[str, str]] = set()
    for key, value in given.items():
        first, _, rest = key.partition(".")
        owners = [first] if rest and first in tables else [name for name in tables if key in known[name]]
        if not owners:
            names = sorted(set().union(*known.values())) if known else []
            raise BadArgument(f"{what} has no setting '{key}'{suggest(rest or key, names)}")
        table, struct = tables[owners[0]]
        error = new_error()
        name = rest if rest and first in tables else key
        once(named, (owners[0], name), f"{what}: '{name}'")
        word = setting_text(known[owners[0]][name], value) if name in known[owners[0]] else ""
        check(lib.stic_fields_set(table, struct, text(name, "setting"), text(word, name), error), error)


def _entries(table: Any) -> list[Any]:
    found: list[Any] = []
    while table[len(found)].name != ffi.NULL:
        found.append(table[len(found)])
    return found


def solvers() -> list[Described]:
    """All solvers of one-step problems, with what they can be set to."""
    return [Described(text_of(entry.name), text_of(entry.text), fields_of(entry.fields))
            for entry in _entries(lib.stic_solver_table)]


def schemes() -> list[Described]:
    """All schemes: how time advances."""
    return [Described(text_of(entry.name), text_of(entry.text), fields_of(entry.fields))
            for entry in _entries(lib.stic_scheme_table)]


def models() -> list[Described]:
    """Small systems that come with the library."""
    found: list[Described] = []
    while lib.stic_model_table[len(found)] != ffi.NULL:
        entry = lib.stic_model_table[len(found)]
        found.append(Described(text_of(entry.name), text_of(entry.text), fields_of(entry.fields)))
    return found


def settings(name: str) -> tuple[Setting, ...]:
    """Settings of a solver, a scheme or a model by its name, or of "solve", "existence", "enumerate" and "output"."""
    text(name, "name")
    tables = {"solve": lib.stic_solve_fields, "existence": lib.stic_existence_fields,
              "enumerate": lib.stic_enumerate_fields, "output": lib.stic_output_fields}
    if name in tables:
        return fields_of(ffi.addressof(lib, f"stic_{name}_fields"))
    described = {entry.name: entry.settings for entry in [*solvers(), *schemes(), *models()]}
    if name not in described:
        raise BadArgument(f"there is no solver, scheme or model '{name}'{suggest(name, [*described, *tables])}")
    return described[name]

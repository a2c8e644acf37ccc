# SPDX-License-Identifier: Apache-2.0
"""What the public headers of stiction declare, for the binding: C declarations and their sentences.

The headers are run through the C preprocessor, so that lists written as X macros become what they stand for; what comes
from system headers is left out by the line marks. The result is a text that cffi parses. Nothing is listed by hand: a new function
of the headers is in the next build of the package, and the check of the package asks where it is used.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

# functions that C has and cffi cannot call: formats with any number of arguments, and functions that never return
UNCALLABLE = re.compile(r"\.\.\.\s*\)|va_list|noreturn")


def preprocess(include: Path) -> str:
    """Both rings of headers after the preprocessor, without what system headers declare."""
    program = '#include "stiction/stiction.h"\n#include "stiction/extend/extend.h"\n'
    out = subprocess.run(["cc", "-E", "-std=c17", "-I", str(include), "-x", "c", "-"], input=program, text=True, check=True,
                         stdout=subprocess.PIPE).stdout
    lines, own = [], False
    for line in out.split("\n"):
        mark = re.match(r'# \d+ "([^"]*)"', line)
        if mark:
            own = str(include) in mark.group(1)
        elif own:
            lines.append(line)
    return "\n".join(lines)


def strip_attributes(text: str) -> str:
    """Drop __attribute__((…)), whatever is inside of its parentheses."""
    out, at = [], 0
    for match in re.finditer(r"__attribute__\s*\(\(", text):
        if match.start() < at:
            continue
        out.append(text[at:match.start()])
        depth, at = 2, match.end()
        while depth > 0:
            depth += {"(": 1, ")": -1}.get(text[at], 0)
            at += 1
    return "".join(out) + text[at:]


def statements(text: str) -> list[str]:
    """Declarations at file scope; the bodies of inline functions become their prototypes."""
    found, start, depth, at = [], 0, 0, 0
    while at < len(text):
        char = text[at]
        depth += {"{": 1, "}": -1}.get(char, 0)
        head = text[start:at].strip()
        if char == "}" and depth == 0 and head.startswith("static inline"):
            found.append(head[:head.index("{")].replace("static inline", "").strip() + ";")
            start = at + 1
        elif char == ";" and depth == 0:
            found.append(text[start:at + 1].strip())
            start = at + 1
        at += 1
    return found


def cdef_of(statement: str) -> str | None:
    """A declaration as cffi takes it; None if it has no use there."""
    if UNCALLABLE.search(statement) or statement.startswith("_Static_assert"):
        return None
    if re.match(r"(typedef )?enum", statement):
        # the compiler knows the values
        head, inside, tail = re.match(r"(.*?\{)(.*)(\}.*)", statement, re.S).groups()
        names = [re.match(r"\s*(\w+)", item).group(1) for item in inside.split(",") if item.strip()]
        return head + ", ".join(f"{name} = ..." for name in names) + tail
    # cffi gives no addresses of constants
    statement = re.sub(r"^extern const (Stic\w+) (?!\*)", r"extern \1 ", statement)
    # cffi writes pointers to constant arrays in a way that C does not read
    statement = re.sub(r"const (\w+)\s*\(\*(\w*)\)\[", r"\1 (*\2)[", statement)
    # lengths of arrays: products of numbers are worked out here, names by the compiler
    statement = re.sub(r"\[(\d+) \* (\d+)\]", lambda match: f"[{int(match[1]) * int(match[2])}]", statement)
    return re.sub(r"\[\s*[A-Za-z(][^\]]*\]", "[...]", statement)


def declarations(include: Path) -> str:
    """The text for ffi.cdef."""
    text = strip_attributes(preprocess(include))
    made = [cdef_of(statement) for statement in statements(text)]
    return "\n".join(line for line in made if line)


def functions(include: Path) -> dict[str, str]:
    """Header of every public function, inline ones too."""
    found = {}
    for path in sorted(include.glob("stiction/**/*.h")):
        text = strip_attributes(re.sub(r"//[^\n]*|/\*.*?\*/", "", path.read_text(), flags=re.S))
        for match in re.finditer(r"^(?:STIC_API|static inline)\s[^;{}#=]*?\b(stic_\w+)\s*\(", text, re.M):
            found.setdefault(match.group(1), str(path.relative_to(include)))
    return found


def sentences(include: Path) -> dict[str, str]:
    """The /// comment of every documented name; members of structs as Struct.member."""
    found: dict[str, str] = {}
    for path in sorted(include.glob("stiction/**/*.h")):
        lines = path.read_text().split("\n")
        above: list[str] = []
        struct = ""
        last = ""
        for line in lines:
            text = line.strip()
            if text.startswith("///<"):
                if last:
                    found[last] += " " + text[4:].strip()
                continue
            if text.startswith("///"):
                above.append(text[3:].strip())
                continue
            code, _, beside = text.partition("///<")
            opened = re.match(r"typedef (?:struct|enum) (\w+) \{", code)
            if opened:
                struct = opened.group(1)
                if above:
                    found[struct] = " ".join(above)
            elif struct and code.startswith("}"):
                struct = ""
            elif struct:
                for name in member_names(code):
                    words = beside.strip() or " ".join(above)
                    if words:
                        last = f"{struct}.{name}"
                        found[last] = words
            elif above:
                name = re.search(r"\b(stic_\w+)\s*[(\[;]|typedef struct \w+ (\w+);|\(\*(\w+)\)\(", code)
                if name:
                    found[next(group for group in name.groups() if group)] = " ".join(above)
            if code or not text:
                above = []
    return found


def member_names(code: str) -> list[str]:
    """Names declared by a line of a struct or an enum."""
    pointer = re.search(r"\(\*(\w+)\)", code)
    if pointer:
        return [pointer.group(1)]
    constant = re.match(r"(STIC_\w+)", code)
    if constant:
        return [constant.group(1)]
    declared = re.match(r"(?:const |struct )*\w+[\s*]+(?:const )?\*?([\w\s,*\[\]]+);", code)
    if not declared:
        return []
    return [re.match(r"[\s*]*(\w+)", part).group(1) for part in declared.group(1).split(",") if part.strip()]

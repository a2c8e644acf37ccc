# SPDX-License-Identifier: Apache-2.0
"""What the checks in this folder share: files of the project, ctags, findings."""

import json
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OBJECTS = os.path.join(ROOT, "build/release/CMakeFiles/stiction_objects.dir/src")
LIBRARY = os.path.join(ROOT, "build/release/lib/libstiction.so")


def run(*command):
    """Standard output of a command that must succeed."""
    return subprocess.run(command, cwd=ROOT, check=True, text=True, stdout=subprocess.PIPE).stdout


def files(*patterns):
    """Files of the project, tracked or about to be, that match git patterns such as 'src/*.c'."""
    # the checkout may belong to another user, as in a container
    names = run("git", "-c", "safe.directory=*", "ls-files", "--cached", "--others",
                "--exclude-standard", "--", *patterns)
    return [name for name in names.split("\n") if name and os.path.isfile(os.path.join(ROOT, name))]


def lines(name):
    with open(os.path.join(ROOT, name), encoding="utf-8", errors="replace") as file:
        return file.read().split("\n")


def without_comments(text):
    """C source with comments and the contents of strings blanked, line numbers kept."""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)

    def blank(match):
        piece = match.group()
        if piece[0] in "\"'":
            return piece[0] + " " * (len(piece) - 2) + piece[0]
        return re.sub(r"[^\n]", " ", piece)

    return pattern.sub(blank, text)


def tags(names, kinds):
    """Tags of C files as dictionaries with name, path, line, kind and, where known, end, signature,
    scope and file (true: not visible outside the file)."""
    if not names:
        return []
    text = run("ctags", "--quiet", "--options=NONE", "-o", "-", "--output-format=json", "--sort=no",
               "--languages=C", "--langmap=C:.c.h", "--fields=+neSfK", "--kinds-C=" + kinds,
               "-I", "STIC_API,STIC_MUST_USE,STIC_PRINTF+", *names)
    return [json.loads(line) for line in text.split("\n") if line.startswith('{"_type": "tag"')]


def parameters(signature):
    """Number of parameters in a C signature such as (int a, void (*f)(int, int))."""
    inner = signature.strip()[1:-1].strip()
    if inner in ("", "void"):
        return 0
    depth = count = 0
    for letter in inner:
        depth += letter in "([{"
        depth -= letter in ")]}"
        count += letter == "," and depth == 0
    return count + 1


def objects():
    """Object files of the library in build/release with their source names."""
    found = []
    for folder, _, names in os.walk(OBJECTS):
        for name in sorted(names):
            if name.endswith(".o"):
                path = os.path.join(folder, name)
                source = "src/" + os.path.relpath(path, OBJECTS)[:-2]
                # an object whose source was removed is a leftover
                if os.path.isfile(os.path.join(ROOT, source)):
                    found.append((path, source))
    if not found:
        finish(["build/release: no objects; run tools/build first"])
    return sorted(found, key=lambda pair: pair[1])


def finish(findings, what=""):
    """Print findings and end: 1 if there are any."""
    for finding in findings:
        print(finding)
    if not findings and what:
        print(what)
    sys.exit(1 if findings else 0)

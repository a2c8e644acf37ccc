# SPDX-License-Identifier: Apache-2.0
"""The compiled part of the package: every function of the public headers, and the callbacks that Python answers.

cffi makes it from the headers (headers.py). It is linked with the static library of a build tree, so that the package
needs no other file; without a build tree (STICTION_BUILD, or the repository around this folder) with an installed library.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from pathlib import Path

import cffi

import headers

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent

# functions that C calls and Python answers; stiction/callbacks.py has them
CALLBACKS = """
extern "Python" {
    double stic_python_joint(void* self, const SticRun* run, double t);
    void stic_python_body(void* self, const SticRun* run, double t, SticVec3* force, SticVec3* torque);
    void stic_python_motion(const void* self, double t, SticBodyMotion* at);
    bool stic_python_asked(void* self);
    void stic_python_log(void* self, SticLogLevel level, const char* text);
    void stic_python_mass(const void* self, const double* q, double* mass);
    void stic_python_force(const void* self, double t, const double* q, const double* u, double* f);
    void stic_python_gyro(const void* self, const double* q, const double* u, double* f);
    double stic_python_potential(const void* self, int32_t k, const double* q, double* gradient, double* hessian);
    void stic_python_measure(const void* self, int32_t i, const SticState* state, uint32_t want, const double* y,
                             SticPointMeasures* out);
}
"""
# Only the main thread of Python hears Ctrl-C, and asking takes the interpreter's lock, which a busy thread gives up every 5 ms:
# ten times a second is often enough.
EAR = """
bool stic_python_ear(void* self);
"""
SOURCE = """
#include <time.h>
#include <unistd.h>
#include "stiction/stiction.h"
#include "stiction/extend/extend.h"
static bool stic_python_asked(void* self);
static bool stic_python_ear(void* self)
{
    static _Thread_local double last;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const double seconds = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
    if (gettid() != getpid() || seconds - last < 0.1)
        return false;
    last = seconds;
    return stic_python_asked(self);
}
#ifdef STIC_HAVE_VIEW
#include "view_page.c"
#else
static const unsigned char cli_page_before[] = "", cli_page_after[] = "";
#endif
"""
# the viewer's page, cut where the data go; empty in a build without Node.js
PAGE = """
extern const unsigned char cli_page_before[];
extern const unsigned char cli_page_after[];
"""


def cmake_build() -> Path:
    """A build tree of the repository: the usual one if it is there, else one made for the package."""
    tree = ROOT / "build" / "release"
    if not (tree / "CMakeCache.txt").is_file():
        tree = ROOT / "build" / "python"
        subprocess.run(["cmake", "-S", str(ROOT), "-B", str(tree), "-G", "Ninja", "-DSTICTION_TESTS=OFF",
                        "-DSTICTION_BENCH=OFF", "-DSTICTION_PYTHON=OFF"], check=True)
    subprocess.run(["cmake", "--build", str(tree), "--target", "stiction_static", "stiction_cli"], check=True)
    return tree


def build_tree() -> Path | None:
    given = os.environ.get("STICTION_BUILD")
    if given:
        return Path(given)
    return cmake_build() if (ROOT / "CMakeLists.txt").is_file() else None


def static_words(tree: Path) -> list[str]:
    """What a link with the static library of a build tree needs, from its pkg-config file."""
    text = (tree / "generated" / "stiction.pc").read_text()
    private = re.search(r"^Libs\.private:(.*)$", text, re.M)
    return [str(tree / "lib" / "libstiction.a"), *shlex.split(private.group(1) if private else "")]


def pkg_config(option: str) -> list[str]:
    return shlex.split(subprocess.run(["pkg-config", option, "stiction"], check=True, text=True,
                                      stdout=subprocess.PIPE).stdout)


def include_of(tree: Path | None) -> Path:
    if tree is not None:
        return ROOT / "include"
    words = pkg_config("--cflags-only-I")
    places = [Path(word[2:]) for word in words] + [Path("/usr/include"), Path("/usr/local/include")]
    return next(place for place in places if (place / "stiction" / "stiction.h").is_file())


def page_of(tree: Path | None) -> Path | None:
    """The viewer's page as C: made by the build, or brought by a source release."""
    places = [tree / "view", ROOT / "apps" / "view"] if tree is not None else []
    return next((place / "view_page.c" for place in places if (place / "view_page.c").is_file()), None)


def make(tree: Path | None) -> cffi.FFI:
    include, page = include_of(tree), page_of(tree)
    ffi = cffi.FFI()
    ffi.cdef(headers.declarations(include) + CALLBACKS + EAR + PAGE)
    words = static_words(tree) if tree is not None else pkg_config("--libs")
    extra = shlex.split(os.environ.get("STICTION_PYTHON_FLAGS", ""))
    folders = [str(include)] if page is None else [str(include), str(page.parent), str(ROOT / "apps" / "cli")]
    ffi.set_source("stiction._native", SOURCE, include_dirs=folders, define_macros=[] if page is None else [("STIC_HAVE_VIEW", None)],
                   extra_compile_args=["-std=c17", "-O1", "-g0", "-w", *extra], extra_link_args=[*words, *extra],
                   depends=[*map(str, (HERE / "build_native.py", HERE / "headers.py")), *(words[:1] if tree is not None else []), *([] if page is None else [str(page)])])
    return ffi


tree = build_tree()
ffi = make(tree)

# SPDX-License-Identifier: Apache-2.0
"""Build of the package; everything that can be said in pyproject.toml is there."""

import os
import shutil
import sys

from setuptools import setup
from setuptools.command.build_py import build_py

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import build_native  # noqa: E402
import headers  # noqa: E402


class Build(build_py):
    """Adds what is made of the headers (sentences), the shipped scenes and problems, and the program."""

    def run(self) -> None:
        super().run()
        place = os.path.join(self.build_lib, "stiction")
        include = build_native.include_of(build_native.tree)
        with open(os.path.join(place, "_sentences.py"), "w", encoding="utf-8") as file:
            file.write('"""Sentences of the public headers; made by setup.py."""\n\nSENTENCES: dict[str, str] = {\n')
            for name, text in sorted(headers.sentences(include).items()):
                file.write(f"    {name!r}: {text!r},\n")
            file.write("}\n")
        for folder in ("scenes", "problems"):
            source = build_native.ROOT / folder
            if build_native.tree is not None and source.is_dir():
                target = os.path.join(place, "share", "stiction", folder)
                shutil.rmtree(target, ignore_errors=True)
                shutil.copytree(source, target)
        program = build_native.tree / "bin" / "stiction" if build_native.tree is not None else None
        if program is not None and program.is_file():
            os.makedirs(os.path.join(place, "bin"), exist_ok=True)
            shutil.copy2(program, os.path.join(place, "bin", "stiction"))


def version() -> str:
    with open(build_native.ROOT / "CMakeLists.txt", encoding="utf-8") as file:
        return file.read().split("VERSION ")[2].split()[0]


setup(version=version(), packages=["stiction"], package_data={"stiction": ["py.typed", "*.pyi"]}, cffi_modules=["build_native.py:ffi"], cmdclass={"build_py": Build}, zip_safe=False)

# SPDX-License-Identifier: Apache-2.0
"""python3 -m stiction …: the program that came with the package."""

import os
import sys

from .files import program

if __name__ == "__main__":
    path = program()
    os.execv(path, [path, *sys.argv[1:]])

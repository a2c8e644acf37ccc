#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""500 random worlds, see test_worlds.py."""

import os
import sys
import unittest

os.environ.setdefault("WORLDS", "500")
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from test_worlds import Worlds  # noqa: E402,F401  (unittest finds it)

if __name__ == "__main__":
    unittest.main()

#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""test_soak.py with ten million steps."""

import os
import sys
import unittest

sys.dont_write_bytecode = True
os.environ["STEPS"] = "10000000"
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from test_soak import Soak  # noqa: E402, F401 (found by unittest)

if __name__ == "__main__":
    unittest.main()

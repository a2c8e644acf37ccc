#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A thousand starts of each kind on one name, ten at a time: one wins each time, and nothing is damaged."""

import os
import sys
import unittest

os.environ.setdefault("STARTS", "1000")
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import test_writers  # noqa: E402


def load_tests(loader, *_):
    return loader.loadTestsFromModule(test_writers)


if __name__ == "__main__":
    unittest.main()

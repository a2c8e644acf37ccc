#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""kill -9 at 200 random moments of a run: readable to the last complete frame, the same bits resumed."""

import os
import sys
import unittest

os.environ.setdefault("KILLS", "200")
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import test_run  # noqa: E402


def load_tests(loader, *_):
    return loader.loadTestsFromName("Breaks.test_kill", test_run)


if __name__ == "__main__":
    unittest.main()

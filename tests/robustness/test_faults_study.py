#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""test_faults.py with a fault at every single call.

    for i in $(seq 0 15); do FAULT_SHARE=$i/16 tests/robustness/test_faults_study.py & done; wait      on sixteen cores
"""

import os
import sys
import unittest

sys.dont_write_bytecode = True
os.environ["FAULTS"] = "all"
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from test_faults import Faults  # noqa: E402, F401 (found by unittest)

if __name__ == "__main__":
    unittest.main()

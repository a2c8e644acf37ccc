# SPDX-License-Identifier: Apache-2.0
"""Waiting for other processes by what they did, not by the clock."""

import time


def wait_until_caught(process, number, longest=30.0):
    """Until the process catches the signal or blocks it to look for it itself, or has ended."""
    end = time.monotonic() + longest
    while process.poll() is None and time.monotonic() < end:
        with open(f"/proc/{process.pid}/status", encoding="ascii", errors="replace") as file:
            masks = [int(line.split()[1], 16) for line in file if line.startswith(("SigCgt:", "SigBlk:"))]
        if any(mask >> (number - 1) & 1 for mask in masks):
            return
        time.sleep(0.01)

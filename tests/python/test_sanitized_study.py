# SPDX-License-Identifier: Apache-2.0
"""The package, and the program that its sweeps run, once more with the address and undefined-behaviour sanitizers:
`tools/build asan stiction_python stiction_cli` before.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(os.environ["STICTION_SOURCE"])
PACKAGE = SOURCE / "build" / "asan" / "python"


@pytest.mark.parametrize("name", ["test_lifetimes", "test_errors", "test_hostile", "test_worlds", "test_problems", "test_results", "test_live",
                                  "test_limit", "test_sweep", "test_study"])
def test_under_the_sanitizers(name, tmp_path):
    if not (PACKAGE / "built").is_file():
        pytest.skip("build/asan has no package: tools/build asan stiction_python stiction_cli")
    asan = subprocess.run(["cc", "-print-file-name=libasan.so"], text=True, stdout=subprocess.PIPE, check=True).stdout.strip()
    log = tmp_path / "asan"
    # Python keeps memory at its end: leaks are not asked for; its own allocator would hide what happens inside of its blocks
    done = subprocess.run([sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", str(Path(__file__).parent / f"{name}.py")],
                          env={**os.environ, "PYTHONPATH": str(PACKAGE), "STICTION_BIN": str(PACKAGE.parent / "bin" / "stiction"), "LD_PRELOAD": asan, "PYTHONMALLOC": "malloc",
                               "ASAN_OPTIONS": f"detect_leaks=0:log_path={log}", "UBSAN_OPTIONS": "print_stacktrace=1"},
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    print(done.stdout[-2000:])
    reports = "".join(path.read_text()[:3000] for path in tmp_path.glob("asan.*"))
    assert done.returncode == 0 and not reports, reports or done.stdout[-3000:]

# SPDX-License-Identifier: Apache-2.0
"""As a new user would: a fresh clone, the commands of the README as they stand, the tutorial to its last picture."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

SOURCE = Path(os.environ["STICTION_SOURCE"])
# Debian's python3, and a compiler cache where there is one: its key knows nothing of this test
ENVIRONMENT = {key: value for key, value in os.environ.items() if not key.startswith(("STICTION", "PYTHON"))} | {
    "PATH": "/usr/bin:/bin:" + os.path.dirname(shutil.which("npm") or "/usr/bin/npm"),
    **({"CMAKE_C_COMPILER_LAUNCHER": "ccache"} if shutil.which("ccache") else {})}


def call(line, folder):
    done = subprocess.run(["bash", "-ec", line], cwd=folder, env=ENVIRONMENT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode == 0, f"{line}\n{done.stdout[-4000:]}"
    return done.stdout


def test_clone_install_tutorial(tmp_path):
    if not (SOURCE / ".git").exists():
        pytest.skip("the sources are no clone")
    subprocess.run(["git", "-c", "safe.directory=*", "clone", "-q", str(SOURCE), str(tmp_path / "stiction")], check=True)
    clone = tmp_path / "stiction"
    commands = re.search(r"```\n((?:/usr/bin/)?python3 -m venv .*?)```", (clone / "README.md").read_text(), re.S)[1]
    print(commands)
    assert "pip install --no-build-isolation ./bindings/python" in commands
    call(commands, clone)
    # what was built lies where git does not look
    assert call("git status --porcelain --ignored=no", clone).replace("?? V/\n", "") == ""
    example = re.search(r"```python\n(import stiction\n.*?)```", (clone / "README.md").read_text(), re.S)[1]
    (tmp_path / "readme.py").write_text(example)
    print(call(f"{clone}/V/bin/python readme.py", tmp_path))
    text = (clone / "docs/tutorial/python.md").read_text()
    (clone / "tutorial.py").write_text("\n".join(re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S)))
    print(call("V/bin/python tutorial.py", clone))
    for picture in ("arch.png", "pile-energy.png", "solvers.png"):
        assert (clone / picture).stat().st_size > 5000, picture
    # the package brings its program
    assert "stiction" in call("V/bin/python -m stiction version", clone)

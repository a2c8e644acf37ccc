# SPDX-License-Identifier: Apache-2.0
"""The tutorial runs from its first block to its last picture; the examples run; the reference is what the docstrings say."""

import os
import re
import subprocess
import sys
from pathlib import Path

SOURCE = Path(os.environ["STICTION_SOURCE"])


def test_tutorial(tmp_path):
    text = (SOURCE / "docs" / "tutorial" / "python.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S)
    assert len(blocks) >= 9
    (tmp_path / "problems").symlink_to(SOURCE / "problems")
    (tmp_path / "tutorial.py").write_text("\n".join(blocks))
    done = subprocess.run([sys.executable, "-B", "tutorial.py"], cwd=tmp_path, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    print(done.stdout)
    assert done.returncode == 0, done.stdout
    for picture in ("arch.png", "pile-energy.png", "solvers.png"):
        assert (tmp_path / picture).stat().st_size > 5000
    keep = os.environ.get("STICTION_PICTURES")
    if keep:
        for picture in tmp_path.glob("*.png"):
            (Path(keep) / picture.name).write_bytes(picture.read_bytes())
    found = re.search(r"weight ([\d.]+) N, carried by the supports ([\d.]+) N", done.stdout)
    assert abs(float(found[1]) - float(found[2])) < 1e-4 * float(found[1])
    crown = float(re.search(r"crown is at ([\d.]+) m", done.stdout)[1])
    assert abs(crown - 10.0) < 0.1  # the middle of the voussoir lies a little below the ring's


def test_examples():
    for path in sorted((SOURCE / "examples" / "python").glob("*.py")):
        done = subprocess.run([sys.executable, "-B", str(path)], text=True, stdout=subprocess.PIPE, check=True)
        print(done.stdout)
        assert "base on left" in done.stdout
        # what rests on the base is what weighs
        up = sum(float(line.split("[")[1].split("]")[0].split()[2]) for line in done.stdout.splitlines() if line.startswith("base on"))
        assert abs(up - 2400 * 9.81 * (2 * 0.6 * 0.8 * 2 + 3.4 * 0.8 * 0.5)) < 1.0


def test_reference_is_up_to_date():
    done = subprocess.run([sys.executable, "-B", str(SOURCE / "tools" / "make_python_reference")], text=True, stdout=subprocess.PIPE, check=True)
    assert done.stdout == (SOURCE / "docs" / "reference" / "python.md").read_text(), "run tools/make_python_reference > docs/reference/python.md"

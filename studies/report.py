# SPDX-License-Identifier: Apache-2.0
"""What the studies share: the program, the folder of a report, tables and pictures."""
import argparse
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def arguments(name, text, full=None):
    """Options that every study has: where the report goes, and whether it is the short one; `full`: what the long form computes."""
    parser = argparse.ArgumentParser(prog=f"studies/{name}", description=text)
    parser.add_argument("-o", "--output", default=os.path.join(ROOT, "build", "studies", name), help="folder of the report")
    parser.add_argument("--short", action="store_true", help="a part of the values, as tests do")
    parser.add_argument("--stiction", default=os.path.join(ROOT, "build", "release", "bin", "stiction"), help="the program")
    if full is not None:
        parser.add_argument("--full", action="store_true", help=full)
    given = parser.parse_args()
    os.makedirs(given.output, exist_ok=True)
    return given


def run_json(given, *words):
    """The JSON object that a command of the program prints; None where it says that there is no result (exit code 1 without output)."""
    made = subprocess.run([given.stiction, *words], capture_output=True, text=True, check=False)
    if made.returncode not in (0, 1):
        sys.exit(f"stiction {' '.join(words)}: {made.stderr.strip()}")
    return json.loads(made.stdout) if made.stdout.strip() else None


class Report:
    """A page in Markdown: report.md in the folder of a study."""

    def __init__(self, given, title):
        self.folder = given.output
        self.lines = [f"# {title}", ""]

    def say(self, text):
        """A paragraph."""
        self.lines += [text, ""]

    def table(self, heads, rows):
        """A table; cells are texts."""
        self.lines += ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
        self.lines += ["| " + " | ".join(row) + " |" for row in rows] + [""]

    def picture(self, name, draw):
        """A picture drawn with matplotlib by draw(axes); a sentence where matplotlib is not there."""
        try:
            import matplotlib
        except ImportError:
            self.say("(no picture: Debian's python3-matplotlib is not installed)")
            return
        matplotlib.use("Agg")
        import matplotlib.pyplot as plt

        figure, axes = plt.subplots(figsize=(7, 4.5))
        draw(axes)
        figure.tight_layout()
        figure.savefig(os.path.join(self.folder, name + ".svg"))
        plt.close(figure)
        self.lines += [f"![{name}]({name}.svg)", ""]

    def close(self):
        """Write the page and tell where it is."""
        path = os.path.join(self.folder, "report.md")
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(self.lines))
        print(path)

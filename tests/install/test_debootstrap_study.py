# SPDX-License-Identifier: Apache-2.0
"""The .deb made by CPack installs and runs in a clean Debian root made by debootstrap.

debootstrap installs the smallest system and the packages that the .deb depends on; dpkg then installs the .deb without any
force. Needs root, and a mirror of the packages that this machine itself uses; skipped with a message where there is none.
"""

import glob
import os
import re
import shutil
import subprocess
import tempfile
import unittest

BUILD = os.path.dirname(os.path.dirname(os.path.abspath(os.environ["STICTION_BIN"])))


def call(*words, **options):
    done = subprocess.run(words, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False, **options)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(words)}:\n{done.stdout[-4000:]}")
    return done.stdout


class CleanRoot(unittest.TestCase):
    def setUp(self):
        for tool in ("cpack", "debootstrap", "dpkg-deb", "dpkg-shlibdeps", "apt-get"):
            if shutil.which(tool) is None:
                self.skipTest(f"no {tool}")
        if os.geteuid() != 0:
            self.skipTest("debootstrap needs root")
        self.work = tempfile.mkdtemp(prefix="stiction-root-")
        self.addCleanup(shutil.rmtree, self.work, ignore_errors=True)
        self.root = os.path.join(self.work, "root")

    def suite(self):
        with open("/etc/os-release", encoding="utf-8") as file:
            match = re.search(r"^VERSION_CODENAME=(\w+)", file.read(), re.M)
        return match.group(1) if match else None

    def mirror(self):
        done = subprocess.run(["apt-get", "indextargets", "--format", "$(SITE)"], text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        sites = [line for line in done.stdout.split("\n") if line.startswith("http")]
        return sites[0] if sites else None

    def test_install(self):
        suite, mirror = self.suite(), self.mirror()
        if not suite or not mirror:
            self.skipTest("no mirror of packages is configured")
        call("cpack", "-G", "DEB", "-B", self.work, "--config", os.path.join(BUILD, "CPackConfig.cmake"))
        package = glob.glob(os.path.join(self.work, "*.deb"))[0]
        depends = re.search(r"^Depends: (.*)$", call("dpkg-deb", "-f", package), re.M).group(1)
        names = [re.split(r"[ (|]", item.strip())[0] for item in depends.split(",")]
        made = subprocess.run(["debootstrap", "--variant=minbase", "--include=" + ",".join(names), suite, self.root, mirror],
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if made.returncode != 0:
            last = made.stdout.strip().split("\n")[-1]
            if re.search(r"Failed getting|Couldn't download|Unable to|not reach|resolve", made.stdout):
                self.skipTest(f"debootstrap cannot reach the mirror: {last}")
            self.fail(made.stdout[-2000:])
        shutil.copy(package, os.path.join(self.root, "tmp/stiction.deb"))
        call("chroot", self.root, "dpkg", "-i", "/tmp/stiction.deb")
        self.assertIn("Status: install ok installed", call("chroot", self.root, "dpkg", "-s", "stiction"))
        version = call("chroot", self.root, "stiction", "version").split()[1]
        scenes = call("chroot", self.root, "stiction", "list", "scenes")
        self.assertIn("arch", scenes)
        call("chroot", self.root, "stiction", "run", "/usr/share/stiction/scenes/dominoes.lua", "--until", "0.1", "-o", "/tmp/d.h5")
        said = call("chroot", self.root, "stiction", "info", "/tmp/d.h5")
        self.assertIn("frames", said)
        print(f"{suite}: stiction {version}, {len(names)} packages it depends on, {os.path.getsize(package) / 1e6:.1f} MB")
        call("chroot", self.root, "dpkg", "-r", "stiction")
        self.assertFalse(os.path.exists(os.path.join(self.root, "usr/bin/stiction")))


if __name__ == "__main__":
    unittest.main(verbosity=2)

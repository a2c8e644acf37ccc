# SPDX-License-Identifier: Apache-2.0
"""A .deb made by CPack installs with dpkg into an empty root and runs there, with nothing but the libraries it names.

The root has no package but this one: what the program links to is copied there from this machine, and the
packages of these libraries must be those that the .deb depends on. Needs root for chroot.
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
        raise AssertionError(f"{' '.join(words)}:\n{done.stdout}")
    return done.stdout


class Deb(unittest.TestCase):
    def setUp(self):
        for tool in ("cpack", "dpkg", "dpkg-deb", "dpkg-shlibdeps"):
            if shutil.which(tool) is None:
                self.skipTest(f"no {tool}")
        if os.geteuid() != 0:
            self.skipTest("chroot needs root")
        self.work = tempfile.mkdtemp(prefix="stiction-deb-")
        self.root = os.path.join(self.work, "root")

    def tearDown(self):
        shutil.rmtree(self.work, ignore_errors=True)

    def make_root(self):
        admin = os.path.join(self.root, "var/lib/dpkg")
        for folder in ("info", "updates", "triggers"):
            os.makedirs(os.path.join(admin, folder))
        open(os.path.join(admin, "status"), "w", encoding="utf-8").close()
        os.makedirs(os.path.join(self.root, "tmp"))

    def copy_libraries(self, program):
        """Copy what the loader needs; return the names of the libraries."""
        names = []
        for path in re.findall(r"(/[^ ]+) \(0x", call("ldd", program)):
            target = self.root + path
            os.makedirs(os.path.dirname(target), exist_ok=True)
            if not os.path.exists(target):
                shutil.copy(os.path.realpath(path), target)
            names.append(os.path.basename(path))
        return names

    def check_python(self, fields):
        """The package of Python is where Debian's Python looks for it, and works with what the .deb recommends."""
        for name in ("python3-cffi-backend", "python3-numpy"):
            self.assertIn(name, re.search(r"^Recommends: (.*)$", fields, re.M).group(1))
        environment = {"PYTHONPATH": os.path.join(self.root, "usr/lib/python3/dist-packages"), "PATH": "/usr/bin:/bin"}
        text = call("/usr/bin/python3", "-B", "-c", "import stiction; w = stiction.World(); b = w.body(shape=stiction.sphere(0.5)); "
                    "run = w.run(); run.until(1.0); print(stiction.__file__, run.pose(b).position[2])", cwd=self.work, env=environment)
        print(text)
        self.assertTrue(text.startswith(self.root))
        self.assertLess(abs(float(text.split()[1]) + 4.905), 1e-6)

    def test_package(self):
        call("cpack", "-G", "DEB", "-B", self.work, "--config", os.path.join(BUILD, "CPackConfig.cmake"))
        package = glob.glob(os.path.join(self.work, "*.deb"))[0]
        fields = call("dpkg-deb", "-f", package)
        print(fields)
        depends = re.search(r"^Depends: (.*)$", fields, re.M).group(1)
        for library in ("libc6", "zlib1g", "libhdf5", "liblua5.4-0"):
            self.assertIn(library, depends)
        self.make_root()
        # the root is empty: dependencies are checked above and copied below
        call("dpkg", f"--root={self.root}", "--force-depends", "--force-script-chrootless", "-i", package)
        listed = call("dpkg", f"--root={self.root}", "-s", "stiction")
        self.assertIn("Status: install ok installed", listed)
        program = os.path.join(self.root, "usr/bin/stiction")
        names = self.copy_libraries(program)
        print(f"{os.path.getsize(package) / 1e6:.1f} MB, {len(names)} shared libraries")
        self.assertIn("stiction", call("chroot", self.root, "/usr/bin/stiction", "version"))
        scenes = call("chroot", self.root, "/usr/bin/stiction", "list", "scenes")
        self.assertIn("arch", scenes)
        call("chroot", self.root, "/usr/bin/stiction", "run", "/usr/share/stiction/scenes/dominoes.lua",
             "--until", "0.1", "-o", "/tmp/dominoes.h5")
        self.assertTrue(os.path.isfile(os.path.join(self.root, "tmp/dominoes.h5")))
        self.check_python(fields)
        call("dpkg", f"--root={self.root}", "--force-depends", "--force-script-chrootless", "-r",
             "stiction")
        self.assertFalse(os.path.exists(program))


if __name__ == "__main__":
    unittest.main(verbosity=2)

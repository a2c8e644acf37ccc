# SPDX-License-Identifier: Apache-2.0
"""Contact, friction and impact as set-valued laws: worlds, problems and results of the library stiction.

    import stiction

    w = stiction.World()
    w.body(shape=stiction.half_space(), kind="fixed")
    ball = w.body(shape=stiction.sphere(0.1), position=(0, 0, 0.5))
    run = w.run(step=1e-3)
    run.until(1.0)
    print(run.pose(ball).position, run.contacts["force"])

Everything is computed by the C library; the package holds no physics.
"""

from ._native import ffi as _ffi
from ._native import lib as _lib
from .errors import (BadArgument, BadData, BadFile, Closed, Error, Interrupted, IoFailed, NotFinite, OutOfMemory, Singular,
                     StepFailed, Unsupported)
from .output import Output
from .result import Frame, History, Result, View
from .run import EVENTS, Pose, Run, Twist
from .scene import QUANTITIES, Scene, Simulation
from .settings import models, schemes, settings, solvers
from .shapes import (MeshFile, Shape, box, capsule, compound, cylinder, ellipsoid, half_space, height_field, mesh, mesh_file,
                     polyhedron, sphere)
from .world import Body, Joint, Material, World

__version__: str = _ffi.string(_lib.stic_version()).decode()

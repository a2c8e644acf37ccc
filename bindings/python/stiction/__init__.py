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

from ._native import ffi, lib
from .errors import (BadArgument, BadData, BadFile, BadName, Closed, Error, Interrupted, IoFailed, NotFinite, OutOfMemory, Singular,
                     StepFailed, Unsupported)
from .limit import CONES, Limit, LimitResult, Structure, StructureJoint, limit
from .live import Live
from .output import Output
from .problem import Enumeration, Existence, OneSolution, Problem, Solution, enumerate_solutions, existence, solve
from .problem import enumerate_solutions as enumerate
from .result import Frame, History, Result, View, repair
from .run import EVENTS, Pose, Run, Twist
from .scene import QUANTITIES, Scene, Simulation, scenes
from .settings import models, schemes, settings, solvers
from .shapes import (MeshFile, Shape, box, capsule, compound, cylinder, ellipsoid, half_space, height_field, mesh, mesh_file,
                     polyhedron, sphere)
from .solids import SolidMesh, solid_box, solid_mesh
from .sweep import Sweep, slurm, sweep
from .system import OFFERS, Interaction, System, SystemRun
from .world import Body, Joint, Joints, Material, World

__all__ = [
    "BadArgument", "BadData", "BadFile", "BadName", "Body", "CONES", "Closed", "EVENTS", "Enumeration", "Error", "Existence", "Frame", "History", "Interaction",
    "Interrupted", "IoFailed", "Joint", "Joints", "Limit", "LimitResult", "Live", "Material", "MeshFile", "NotFinite", "OFFERS", "OneSolution", "OutOfMemory", "Output", "Pose", "Problem",
    "QUANTITIES", "Result", "Run", "Scene", "Shape", "Simulation", "Singular", "SolidMesh", "Solution", "StepFailed", "Structure", "StructureJoint", "Sweep", "System", "SystemRun",
    "Twist", "Unsupported", "View", "World", "box", "capsule", "compound", "cylinder", "ellipsoid", "enumerate_solutions",
    "existence", "half_space", "height_field", "limit", "mesh", "mesh_file", "models", "polyhedron", "repair", "scenes", "schemes", "settings", "slurm", "solid_box", "solid_mesh", "solve", "solvers", "sphere",
    "sweep",
]
__version__: str = ffi.string(lib.stic_version()).decode()

# SPDX-License-Identifier: Apache-2.0
"""Limit analysis: where a structure of blocks stops standing.

    stiction.limit("arch.lua", vary="thickness", between=(0.5, 2.5)).limit        a scene, as `stiction limit` does it

    structure = stiction.Structure(world)                                         a world: contacts, joints and loads at its start
    structure.solve().factor                                                      what its contacts can spare; below 0 it falls
    structure.solve(live=push)                                                    the factor of a load that it carries
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from ._convert import Array, Vector, choice, flag, integer, pointer, real, reals, text, told, value_of, vec3
from ._handle import Handle, Owner
from ._native import ffi, lib
from .context import arena
from .errors import BadArgument, BadData, check, new_error, text_of
from .files import message_of, program_error, run_program, scene_file
from .run import Run, Twist
from .scene import Scene, _word
from .world import Body, World

_CONES = {"exact": lib.STIC_LIMIT_EXACT, "inside": lib.STIC_LIMIT_INSIDE, "outside": lib.STIC_LIMIT_OUTSIDE}
CONES = tuple(_CONES)


class StructureJoint(NamedTuple):
    """All contacts of two bodies: the force acts on the first one."""

    bodies: tuple[Body, Body]
    contacts: int
    point: Array
    force: Array
    eccentricity: float
    slide: float
    open: float
    slides: bool
    hinges: bool


class Structure(Owner):
    """Contacts, joints and loads of a world at its start. A world that is changed afterwards needs a new one."""

    @told("stic_limit_create")
    def __init__(self, world: World) -> None:
        if not isinstance(world, World):
            raise BadArgument(f"a world is needed, not {world!r}")
        made, error = ffi.new("SticLimit**"), new_error()
        with world._lock:
            if world._stepping:
                raise BadArgument("a structure cannot be made while a run of its world makes a step")
            check(lib.stic_limit_create(world._context.pointer, world._handle.use(), made, error), error)
            self._edition = world._edition
        world._keeper.look()
        self.world = world
        self._handle = Handle("structure", made[0], lib.stic_limit_destroy, world._handle)

    def _use(self) -> Any:
        if self.world._edition != self._edition:
            raise BadData("bodies, shapes or joints of the world were added or removed after the structure was made: make a new one")
        return self._handle.use()

    @property
    @told("stic_limit_count")
    def contacts(self) -> int:
        return int(lib.stic_limit_count(self._use()))

    @property
    @told("stic_limit_dof")
    def dof(self) -> int:
        return int(lib.stic_limit_dof(self._use()))

    @property
    @told("stic_limit_load")
    def load(self) -> Array:
        limit = self._use()
        return np.frombuffer(ffi.buffer(lib.stic_limit_load(limit), 8 * lib.stic_limit_dof(limit)), float).copy()

    @told("stic_limit_solve")
    def solve(self, live: Any = None, dead: Any = None, *, cone: str = "exact", facets: int = 8,
              tolerance: float | None = None) -> LimitResult:
        """`live`: loads that grow with the factor; without them the factor is what every contact can spare, in units of the largest
        load of a body, and its sign says whether the structure stands. `dead`: loads that stay, `load` unless said otherwise. `cone`:
        "exact", or pyramids "inside" or "outside" with `facets` sides.
        """
        with self.world._lock:
            limit, count = self._use(), self.dof
            task, made, error = ffi.new("SticLimitTask*", lib.stic_limit_default_task()), ffi.new("SticLimitResult*"), new_error()
            held = [reals(self.load if dead is None else dead, "dead", (count,))]
            task.dead = pointer(held[0], "double*")
            if live is not None:
                held.append(reals(live, "live", (count,)))
                if not held[1].any():
                    raise BadArgument("live: loads that are all 0 have no factor")
                task.live = pointer(held[1], "double*")
            task.cone, task.facets = choice(cone, _CONES, "kind of cones"), integer(facets, "facets")
            task.tolerance = real(tolerance, "tolerance") if tolerance is not None else task.tolerance
            memory = arena(self.world._context)
            check(lib.stic_limit_solve(limit, task, memory.use(), made, error), error)
        return LimitResult(self, made, memory)

    def __repr__(self) -> str:
        return "<Structure, closed>" if self.closed else f"<Structure, {self.contacts} contacts and joints>"


class LimitResult:
    """What is known of a limit: `factor` has forces in equilibrium, `factor_most` a motion that shows that there are none above."""

    def __init__(self, structure: Structure, made: Any, memory: Handle) -> None:
        self.structure, self._made, self._memory = structure, made, memory
        self.outcome = text_of(lib.stic_limit_outcome_name(made.outcome))
        self.factor, self.factor_most, self.residual = float(made.factor), float(made.factor_most), float(made.residual)
        self.steps = int(made.steps)

    @property
    def motion(self) -> Array:
        """The motion of collapse, in the order of Structure.load; its size is arbitrary."""
        return np.frombuffer(ffi.buffer(self._made.v, 8 * self.structure.dof), float).copy()

    @told("stic_limit_twist")
    def twist(self, body: Body) -> Twist:
        made = lib.stic_limit_twist(self.structure._use(), self._made.v, self.structure.world._own(body)._id)
        return Twist(value_of(made.velocity), value_of(made.angular_velocity))

    @told("stic_limit_joints")
    def joints(self, part: float = 1e-4) -> list[StructureJoint]:
        structure = self.structure
        with structure.world._lock:
            memory, first, count = arena(structure.world._context), ffi.new("const SticLimitJoint**"), ffi.new("int32_t*")
            check(lib.stic_limit_joints(structure._use(), self._made, real(part, "part"), memory.use(), first, count))
            rows = []
            for k in range(count[0]):
                row = first[0][k]
                bodies = [Body(structure.world, ffi.new("SticBodyId*", row.body[side])[0]) for side in (0, 1)]
                rows.append(StructureJoint((bodies[0], bodies[1]), row.contacts, value_of(row.point), value_of(row.force), row.eccentricity,
                                           row.slide, row.open, row.slides, row.hinges))
            memory.close()
        return rows

    @told("stic_limit_show")
    def show(self, reach: float, steps: int = 40) -> Run:
        """For instance with run.record(path) before and run.step(steps) after."""
        made: Run = _Collapse(self, reach, steps)
        return made

    def __repr__(self) -> str:
        return f"<LimitResult, {self.outcome}, factor {self.factor:.9g}>"


class _Collapse(Run):
    """The run that shows a motion of collapse."""

    def __init__(self, result: LimitResult, reach: float, steps: int) -> None:
        reach, steps = real(reach, "reach"), integer(steps, "steps", 1)
        if not 0.0 < reach < math.inf:
            raise BadArgument(f"reach: a length above 0 is needed, not {reach}")
        structure, made, error = result.structure, ffi.new("SticRun**"), new_error()
        with structure.world._lock:
            check(lib.stic_limit_show(structure._use(), result._made, reach, steps, made, error), error)
        handle = Handle("run", made[0], lib.stic_run_destroy, structure._handle, result._memory)
        self._begin(structure.world, handle, made[0])
        self._target, self._advance = made[0], lib.stic_run_step


class Limit(NamedTuple):
    """Where a scene stops standing. `exact`, `inside` and `around`: dictionaries of outcome, stands, falls, residual and programs for circular
    cones of friction and for pyramids; `joints`: how each takes part, with its force and where it acts; `runs`: the scene on both sides.
    """

    limit: float
    outcome: str
    mode: str | None
    agrees: bool | None
    exact: dict[str, Any]
    inside: dict[str, Any]
    around: dict[str, Any]
    joints: list[dict[str, Any]]
    runs: list[dict[str, Any]]
    info: dict[str, Any]


def limit(scene: str | Path | Scene, vary: str, between: tuple[float, float] | None = None, *, direction: Vector | None = None, facets: int = 8,
          tolerance: float = 1e-8, margin: float = 0.005, check: bool = True, until: float | None = None,
          set: Mapping[str, Any] | None = None, path: str | Path | None = None, replace: bool = False, **params: Any) -> Limit:
    """Find where a structure of blocks stops standing, as `stiction limit` does.

    `vary`: a parameter of the scene, with `between` two values of which one stands and one falls, or "load", "acceleration" (along `direction`),
    "tilt" (in degrees, towards `direction`) or "friction". `check`: runs of the scene on both sides of the limit, `margin` away from it (relative); `agrees`
    says whether they do what the limit says, None where no runs were made. Where there is no limit, `limit` is nan and `outcome` says why. `path`: a result file with the motion of collapse. Further keywords are parameters of the scene.
    """
    words = ["limit", os.fspath(_scene_path(scene, params)), "--json", "--vary", text(vary, "vary").decode(), "--facets", str(integer(facets, "facets")), "--tolerance",
             _word(real(tolerance, "tolerance")), "--margin", _word(real(margin, "margin"))]
    if between is not None:
        ends = reals(between, "between", (2,)).tolist()
        words += ["--between", ":".join(map(_word, ends))]
    if direction is not None:
        words += ["--direction", ",".join(map(_word, vec3(direction, "direction")))]
    words += [] if flag(check, "check") else ["--no-check"]
    words += ["--until", _word(real(until, "until"))] if until is not None else []
    for option, values in (("--param", params), ("--set", set or {})):
        for name, value in values.items():
            words += [option, f"{name}={_word(value)}"]
    if path is not None:
        words += ["-o", os.fspath(path), *(["--force"] if flag(replace, "replace") else [])]
    done = run_program(words)
    if done.returncode >= 2 or not done.stdout.strip():
        raise program_error(done.returncode, message_of(done.stderr, set="set") or f"stiction limit ended with {done.returncode}")
    found = json.loads(done.stdout)
    # no run says nothing about a limit, and where there is none nothing can agree with it
    runs = found.get("runs") or []
    agrees = all(run["stands"] == (side == 0) for side, run in enumerate(runs)) if runs and found["outcome"] == "found" else None
    return Limit(found["limit"] if found["outcome"] == "found" else math.nan, found["outcome"], found["mode"], agrees, found["exact"], found["inside"], found["around"],
                 found.get("joints") or [], found.get("runs") or [], found)


def _scene_path(scene: str | Path | Scene, params: dict[str, Any]) -> str | Path:
    """File of a scene; one that was read brings its parameters."""
    if not isinstance(scene, Scene):
        return cast("str | Path", scene_file(scene))
    if not scene.path:
        raise BadArgument("limit reads the scene's file, and this one was parsed from a text: save it first")
    params |= {name: value for name, value in scene.params.items() if name not in params}
    return scene.path


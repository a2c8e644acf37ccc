# SPDX-License-Identifier: Apache-2.0
"""Scenes: what a Lua script, or its text form, says about bodies, joints, scheme, solver, run and output.

    scene = stiction.Scene("arch.lua", thickness=0.16)
    run = scene.run()
    run.until_done()
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ._convert import choice, flag, integer, path_text, real, told
from ._convert import text as c_text
from ._handle import Handle, Owner
from ._native import ffi, lib
from .context import Context
from .errors import BadArgument, check, new_error, text_of
from .files import scene_file, scenes_folder
from .run import Run
from .settings import Described
from .world import Body, Joint, World

_OF_JOINTS = ("coordinate", "rate", "reaction", "drive")
_OF_BODIES = ("stress_x", "stress_y", "stress_z", "stress_least", "stress_most", "contact_force", "load")
QUANTITIES = tuple(text_of(lib.stic_quantity_name(k)) for k in range(lib.STIC_QUANTITY_COUNT))


def _word(value: Any) -> str:
    """A value as scenes and the command line take it; numbers of NumPy as Python's."""
    value = value.item() if isinstance(value, (np.generic, np.ndarray)) and np.ndim(value) == 0 else value
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, (int, float, str)):
        raise BadArgument(f"a parameter or a setting of a scene is a number, a text, True or False, not {value!r}")
    return repr(value) if isinstance(value, float) else str(value)


def scenes() -> list[Described]:
    """The scenes that come with the library, by name and title: what Scene, limit and sweep take for a file."""
    folder = scenes_folder()
    found = []
    for path in sorted(folder.glob("*.lua")) if folder is not None else ():
        title = re.search(r'^title\s*\(?\s*"([^"]*)"', path.read_text(encoding="utf-8"), re.M)
        found.append(Described(path.stem, title[1] if title else "", ()))
    return found


def _params(params: Mapping[str, Any] | None, keywords: dict[str, Any]) -> dict[str, Any]:
    if params is not None and not isinstance(params, Mapping):
        raise BadArgument(f"params: a dictionary of names and values is needed, not {params!r}")
    for name in keywords:
        if name in (params or {}):
            raise BadArgument(f"parameter '{name}' is given twice, in params and as a keyword")
    return {**(params or {}), **keywords}


class _Options:
    """SticSceneOptions with the memory it points to."""

    def __init__(self, params: Mapping[str, Any], changes: Mapping[str, Any], until: float) -> None:
        self.given = ffi.new("SticSceneOptions*", lib.stic_scene_default_options())
        self._kept: list[Any] = []
        if not isinstance(changes, Mapping):
            raise BadArgument(f"set: a dictionary such as {{'run.step': 1e-3}} is needed, not {changes!r}")
        self.given.param, self.given.param_count = self._assignments(params), len(params)
        self.given.set, self.given.set_count = self._assignments(changes), len(changes)
        self.given.until = real(until, "until")

    def _assignments(self, values: Mapping[str, Any]) -> Any:
        made = ffi.new("SticSceneAssignment[]", max(len(values), 1))
        self._kept.append(made)
        for k, (name, value) in enumerate(values.items()):
            texts = [ffi.new("char[]", c_text(word, "parameter")) for word in (name, _word(value))]
            self._kept += texts
            made[k].name, made[k].value = texts
        return made


class Scene(Owner):
    """A scene that was read and checked: a file, or a shipped scene by its name (stiction.scenes()).

    Keywords are the parameters that the script asks for; `params` is a dictionary of them, for names that are keywords already. `set` changes fields of the groups run, output, solver and scheme, such as
    {"run.step": 1e-3}; `until` is the end of the run instead of the scene's.
    """

    @told("stic_scene_load")
    def __init__(self, path: str | Path, *, set: Mapping[str, Any] | None = None, until: float = 0.0, threads: int = 1,
                 seed: int = 1, params: Mapping[str, Any] | None = None, **keywords: Any) -> None:
        params = _params(params, keywords)
        options, path = _Options(params, {} if set is None else set, until), scene_file(path)
        context, made, error = Context(threads, seed), ffi.new("SticScene**"), new_error()
        check(lib.stic_scene_load(context.pointer, path_text(path), options.given, made, error), error)
        self._begin(context, made[0], params, os.fsdecode(path))

    @classmethod
    @told("stic_scene_parse")
    def parse(cls, text: str, name: str = "scene", *, set: Mapping[str, Any] | None = None, until: float = 0.0, threads: int = 1,
              seed: int = 1, params: Mapping[str, Any] | None = None, **keywords: Any) -> Scene:
        params = _params(params, keywords)
        options = _Options(params, {} if set is None else set, until)
        context, made, error = Context(threads, seed), ffi.new("SticScene**"), new_error()
        held = ffi.new("char[]", c_text(text, "scene"))
        given = ffi.new("SticText*", {"bytes": held, "size": len(held) - 1})
        check(lib.stic_scene_parse(context.pointer, given, c_text(name, "name"), options.given, made, error), error)
        scene = cls.__new__(cls)
        scene._begin(context, made[0], params, "")
        return scene

    def _begin(self, context: Context, pointer: Any, params: Mapping[str, Any], path: str) -> None:
        self._context = context
        self._handle = Handle("scene", pointer, lib.stic_scene_destroy, *context.handles)
        self.params = dict(params)
        self.path = path

    @property
    @told("stic_scene_source")
    def source(self) -> str:
        return text_of(lib.stic_scene_source(self._handle.use()))

    @property
    def title(self) -> str:
        """Of the scene."""
        return text_of(lib.stic_scene_def(self._handle.use()).title)

    @property
    def until(self) -> float:
        """End of the run, s."""
        return float(lib.stic_scene_def(self._handle.use()).run.until)

    @property
    def parameters(self) -> dict[str, str]:
        """Parameters that the script asked for, in this order: name and default, as texts. C: stic_scene_parameter"""
        found: dict[str, str] = {}
        one = ffi.new("SticSceneAssignment*")
        while lib.stic_scene_parameter(self._handle.use(), len(found), one):
            found[text_of(one.name)] = text_of(one.value)
        return found

    @told("stic_scene_write")
    def text(self) -> str:
        made, error = ffi.new("SticText*"), new_error()
        check(lib.stic_scene_write(self._context.pointer, lib.stic_scene_def(self._handle.use()), made, error), error)
        written = text_of(made.bytes)
        lib.stic_text_unload(made)
        return written

    def run(self) -> Simulation:
        """Build everything the scene asks for."""
        made: Simulation = Simulation(self)
        return made

    def __repr__(self) -> str:
        return "<Scene, closed>" if self.closed else f"<Scene {self.title or self.path}>"


class Simulation(Run):
    """The run of a scene, with its loads and reference values."""

    @told("stic_simulation_create")
    def __init__(self, scene: Scene) -> None:
        if not isinstance(scene, Scene):
            raise BadArgument(f"a scene is needed, not {scene!r}; see stiction.Scene")
        made, error = ffi.new("SticSimulation**"), new_error()
        check(lib.stic_simulation_create(scene._context.pointer, scene._handle.use(), made, error), error)
        handle = Handle("run", made[0], lib.stic_simulation_destroy, scene._handle)
        # the world lives and ends with the simulation
        inner = lib.stic_simulation_world(made[0])
        world = World._lent(Handle("world", inner, lambda _: None, handle), scene._context)
        self.scene = scene
        self._simulation = made[0]
        self._begin(world, handle, lib.stic_simulation_run(made[0]))
        if inner == ffi.NULL:
            self._world = None
        else:
            given = lib.stic_scene_def(scene._handle.use())
            world._bodies = [Body(world, lib.stic_simulation_body(made[0], i)) for i in range(given.body_count)]
            world._joints = [self._joint(world, i) for i in range(given.joint_count)]
        self._target, self._advance = made[0], lib.stic_simulation_step
        # as the program does: its snapshots are refused by other scenes, and `stiction resume` takes them up
        definition = scene.text().encode()
        lib.stic_run_set_origin(self._run, lib.stic_hash_bytes(0, definition, len(definition)))

    @property
    @told("stic_simulation_is_done")
    def done(self) -> bool:
        with self._lock:
            self._handle.use()
            return bool(lib.stic_simulation_is_done(self._simulation))

    @property
    @told("stic_simulation_steps")
    def steps(self) -> int:
        with self._lock:
            self._handle.use()
            return int(lib.stic_simulation_steps(self._simulation))

    def until_done(self, progress: bool = False) -> None:
        """Steps until the end of the scene."""
        if flag(progress, "progress"):
            self.until(self.scene.until, progress=True)
        while not self.done:
            self.step()

    def body(self, name: str) -> Body:
        """A body of the scene by its name."""
        if self._world is None:
            raise BadArgument("the scene has a system without bodies")
        return self._world[name]

    def body_names(self) -> list[str]:
        """Names of all bodies, in the order of `bodies`; empty where one has none."""
        if self._world is None:
            return []
        given = lib.stic_scene_def(self.scene._handle.use())
        return [text_of(given.body[i].name) for i in range(given.body_count)]

    @told("stic_simulation_joint")
    def joint_at(self, i: int) -> Joint:
        given = lib.stic_scene_def(self.scene._handle.use())
        if not 0 <= integer(i, "joint", -2**31) < given.joint_count:
            raise BadArgument(f"the scene has no joint {i}")
        return self.world._joints[i]

    def _joint(self, world: World, i: int) -> Joint:
        given = lib.stic_scene_def(self.scene._handle.use()).joint[i]
        return Joint(world, lib.stic_simulation_joint(self._simulation, i), text_of(given.name), text_of(lib.stic_joint_kind_name(given.kind)))

    @told("stic_simulation_body")
    def body_at(self, i: int) -> Body:
        if not 0 <= integer(i, "body", -2**31) < len(self.body_names()):
            raise BadArgument(f"the scene has no body {i}")
        return self.world._bodies[i]

    @told("stic_simulation_measure")
    def measure(self, quantity: str, body: int = -1, joint: int = -1, component: int = 0, other: int = -1) -> float:
        """`quantity` as in stiction.QUANTITIES, `body` and `joint` by their numbers in the scene, `component` 0 to 2, 3: the length;
        `other`: the body that touches `body`, of contact_force."""
        what = ffi.new("SticSceneHistory*", {"quantity": choice(quantity, {word: k for k, word in enumerate(QUANTITIES)}, "quantity"), "body": integer(body, "body", -1),
                                              "joint": integer(joint, "joint", -1), "other": integer(other, "other", -1), "component": integer(component, "component", 0, 3)})
        value = ffi.new("double*")
        with self._lock:
            self._use()
            self._check_numbers(quantity, body, joint, other)
            check(lib.stic_simulation_measure(self._simulation, what, value))
        return float(value[0])

    def _check_numbers(self, quantity: str, body: int, joint: int, other: int) -> None:
        """Whether there are such a body and such a joint, and what the quantity needs."""
        given = lib.stic_scene_def(self.scene._handle.use())
        for word, number, count in (("body", body, given.body_count), ("other", other, given.body_count), ("joint", joint, given.joint_count)):
            if number >= count:
                there = f"they count from 0 to {count - 1}" if count > 0 else "it has none"
                raise BadArgument(f"{word}: the scene has no {'joint' if word == 'joint' else 'body'} {number}; {there}")
        needed = "joint" if quantity in _OF_JOINTS else "body" if quantity in _OF_BODIES else ""
        if needed and {"joint": joint, "body": body}[needed] < 0:
            raise BadArgument(f"the quantity '{quantity}' is of a {needed}: say which one, {needed}=0 for the first")

    @told("stic_simulation_check")
    def checks(self) -> list[dict[str, Any]]:
        """For each reference value of the scene: done, passed, value, expected, tolerance, source."""
        with self._lock:
            self._use()
            given = lib.stic_scene_def(self.scene._handle.use())
            rows = []
            for i in range(given.check_count):
                seen, check_def = lib.stic_simulation_check(self._simulation, i), given.check[i]
                rows.append({"done": seen.done, "passed": seen.passed, "value": seen.value, "expected": check_def.value,
                             "tolerance": check_def.tolerance, "source": text_of(check_def.source)})
        return rows

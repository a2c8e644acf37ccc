# SPDX-License-Identifier: Apache-2.0
"""Runs: a world advanced in time.

    run = world.run(scheme="koziara", accuracy="standard", step=1e-3)
    run.step(100)
    run.until(2.0, progress=True)
    run.contacts["force"]                    NumPy, without a copy

The interpreter's lock is released while C computes, so that runs of different worlds in different threads go on at the same time. A world
and its runs take one thread after the other.
"""

from __future__ import annotations

import inspect
import math
import sys
import weakref
from collections.abc import Callable, Mapping
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ._convert import Array, Vector, choice, dtype_of, flag, integer, path_text, pointer, quaternion, real, sentence, suggest, text, told, value_of, vec3, words_of
from ._handle import Handle, Lent, Owner, array_over
from ._native import ffi, lib
from .callbacks import Callback
from .context import arena
from .errors import BadArgument, BadData, check, new_error, raise_status, text_of
from .settings import fields_of, once, schemes, setting_text, solvers
from .world import Body, Joint, World

if TYPE_CHECKING:
    from .live import Live
    from .output import Output

POLICIES = {text_of(lib.stic_policy_name(k)): k for k in range(lib.STIC_POLICY_ADAPT + 1)}
LAWS = {text_of(lib.stic_contact_law_name(k)): k for k in (lib.STIC_CONTACT_LAW_GAP, lib.STIC_CONTACT_LAW_VELOCITY)}
STATUS = words_of("STIC_CONTACT_", "STIC_CONTACT_STATUS_COUNT")


class Pose(NamedTuple):
    """Where a body's frame is."""

    position: Array
    orientation: Array


class Twist(NamedTuple):
    """How a body moves: velocity of its centre of mass, angular velocity in world axes."""

    velocity: Array
    angular_velocity: Array


class _Report:
    """Memory of contacts and joints of one step. Arrays look into it; when the run needs it again, it is handed over to them."""

    def __init__(self, handle: Handle) -> None:
        self._handle = handle
        self._arena: Any = None
        handle.hold()

    def take(self, memory: Any) -> None:
        """Own the memory from now on."""
        self._arena = memory

    def __del__(self) -> None:
        if self._arena is not None:
            lib.stic_arena_destroy(self._arena)
        self._handle.drop()


class _Look:
    """What NumPy needs to know of a part of a report."""

    def __init__(self, report: _Report, first: Any, size: int) -> None:
        self._report = report
        address = int(ffi.cast("uintptr_t", first))
        self.__array_interface__ = {"version": 3, "shape": (size,), "typestr": "|u1", "data": (address, True)}


_OPTIONS = ("scheme", "solver", "accuracy", "step", "second", "policy", "max_halvings", "law", "projection", "energy_alarm", "sleep", "correction", "allowance", "settings")


def _owner(name: str) -> str:
    """End of a sentence about a setting that another scheme or solver has."""
    owners = [f"{what} '{entry.name}'" for what, table in (("scheme", schemes()), ("solver", solvers())) for entry in table
              if any(field.name == name for field in entry.settings)]
    return "" if not owners else f"; it belongs to {', '.join(owners[:-1])}{' and ' if owners[1:] else ''}{owners[-1]}"


def keyword_settings(scheme: str, solver: str, given: dict[str, Any]) -> str:
    """Keywords as the text of SticRunDef.settings."""
    error = new_error()
    entry = lib.stic_scheme_find(text(scheme, "scheme"), error)
    if entry == ffi.NULL:
        raise_status(lib.STIC_BAD_ARGUMENT, error)
    method = lib.stic_solver_find(text(solver, "solver"), error)
    if method == ffi.NULL:
        raise_status(lib.STIC_BAD_ARGUMENT, error)
    of_scheme = {field.name: field for field in fields_of(entry.fields)}
    of_solver = {field.name: field for field in (*fields_of(ffi.addressof(lib, "stic_solve_fields")), *fields_of(method.fields))}
    words: list[str] = []
    named: set[tuple[str, str]] = set()
    for key, value in given.items():
        group, dot, name = key.partition(".")
        if not dot:
            group, name = ("scheme" if key in of_scheme else "solver"), key
        once(named, (group, name), f"scheme '{scheme}', solver '{solver}': '{name}'")
        if name not in (of_scheme if group == "scheme" else of_solver):
            known = sorted({*of_scheme, *of_solver, *_OPTIONS})
            raise BadArgument(f"scheme '{scheme}' and solver '{solver}' have no setting '{key}'{_owner(name) or suggest(name, known)}")
        word = setting_text((of_scheme if group == "scheme" else of_solver)[name], value)
        if not word or any(char.isspace() for char in word):
            raise BadArgument(f"{key}: {value!r} is no value of a setting")
        words.append(f"{group}.{name}={word}")
    return " ".join(words)


class Run(Owner):
    """A run of a world from the start of its bodies.

    `scheme`, `solver`, `second`: names as in stiction.schemes() and stiction.solvers(). `accuracy`: "preview", "standard" or
    "strict". `policy` on unsolved steps: "stop", "retry", "halve", "continue", "adapt". `law`: "gap" or "velocity". `correction`: part of
    what overlaps by more than `allowance` (m) that is taken back after each step; 0: none; -1: 0.2 with projection where the scheme projects, else none. Further
    keywords are settings of scheme and solver, such as max_iterations=500,
    or theta=0.6 of the scheme "theta".
    """

    world: World
    _world: World | None
    _target: Any
    _advance: Any

    def __init__(self, world: World, *, scheme: str = "moreau", solver: str = "auto", accuracy: str = "standard",
                 step: float = 1e-3, second: str | None = None, policy: str = "adapt", max_halvings: int = 3, law: str = "gap",
                 projection: bool = True, energy_alarm: float = 0.01, sleep: int = 0, correction: float = -1.0,
                 allowance: float = 0.0, settings: dict[str, Any] | None = None,
                 **keywords: Any) -> None:
        if not isinstance(world, World):
            raise BadArgument(f"a world is needed, not {world!r}")
        given = ffi.new("SticRunDef*", lib.stic_run_default_def())
        if settings is not None and not isinstance(settings, Mapping):
            raise BadArgument(f"settings: a dictionary is needed, not {settings!r}")
        for name in keywords:
            once({*(settings or {})}, name, f"'{name}', in settings and as a keyword,")
        texts = [ffi.new("char[]", text(word, what)) for word, what in
                 ((scheme, "scheme"), (solver, "solver"), (accuracy, "accuracy"), (second or "", "second"),
                  (keyword_settings(scheme, solver, {**(settings or {}), **keywords}), "settings"))]
        given.scheme, given.solver, given.accuracy = texts[0], texts[1], texts[2]
        if second is not None:
            given.second = texts[3]
        given.settings = texts[4]
        given.step, given.energy_alarm = real(step, "step"), real(energy_alarm, "energy_alarm")
        given.policy, given.law = choice(policy, POLICIES, "policy"), choice(law, LAWS, "law of contacts")
        given.max_halvings, given.projection = integer(max_halvings, "max_halvings", -2**31), flag(projection, "projection")
        given.sleep = integer(sleep, "sleep")
        given.correction, given.allowance = real(correction, "correction"), real(allowance, "allowance")
        made, error = ffi.new("SticRun**"), new_error()
        with world._lock:
            check(lib.stic_run_create(world._context.pointer, world._handle.use(), given, made, error), error)
        world._keeper.look()
        self._begin(world, Handle("run", made[0], lib.stic_run_destroy, world._handle), made[0])
        self._target, self._advance = made[0], lib.stic_run_step

    def _begin(self, world: World, handle: Handle, run: Any) -> None:
        self._world = world
        self._handle = handle
        self._run = run
        self._lock = world._lock
        self._keeper = world._keeper
        self._edition = world._edition
        self._info = ffi.new("SticStepInfo*")
        self._controls: dict[tuple[str, int], Callback] = {}
        self._after: list[Callable[[Any], Any]] = []
        self._outputs: list[Output] = []
        self._live: Live | None = None
        self._report: Callable[[], Any] = lambda: None
        self._fresh = False
        self._telling = False
        self.world = world

    def close(self) -> None:
        """Close the run and the files it writes. Further use raises Closed; a second call does nothing."""
        with self._lock:
            if self.world._stepping:
                raise BadArgument("a run cannot be closed while it makes a step")
            for output in list(self._outputs):
                output.close()
            if self._live is not None:
                self._live.close()
            super().close()

    def _use(self) -> Any:
        """The C run, if it is open and its world is still the one it was made of."""
        self._handle.use()
        if self.world._edition != self._edition:
            raise BadData("bodies, shapes or joints of the world were added or removed after the run was made: make a new run")
        return self._run

    # ---- time

    @told("stic_run_step")
    def step(self, n: int = 1) -> None:
        """`n` steps. What the last one did is in `info`; an unsolved step is no error unless the policy says so."""
        world = self.world
        if n.__class__ is not int or not 0 <= n < 2**31:
            n = integer(n, "n")
        with self._lock:
            if self._handle._closed:
                self._handle.use()
            if world._stepping:
                raise BadArgument("a control cannot make steps of its own run, nor of another run of its world")
            if self._telling:
                raise BadArgument("a function of each_step cannot make steps of its own run: it is called after every one of them")
            advance, target, info = self._advance, self._target, self._info
            for _ in range(n):
                if self._live is not None:
                    self._live._turn()
                for output in self._outputs:
                    output._catch_up()
                self._fresh = False
                begin = perf_counter() if self._outputs else 0.0
                world._stepping = True
                try:
                    status = advance(target, info)
                finally:  # Ctrl-C may arrive on the way back from C
                    world._stepping = False
                if status or self._keeper.raised is not None:
                    self._fail(status)
                if self._outputs or self._after:
                    self._tell(begin)

    def _fail(self, status: int) -> None:
        self._keeper.look()
        if self.world._edition != self._edition:
            self._use()
        raise_status(status, self._info.error)

    def _tell(self, begin: float) -> None:
        seconds = perf_counter() - begin
        for output in self._outputs:
            output._step(seconds)
        self._telling = True
        try:
            for function in tuple(self._after):
                function(self)
        finally:
            self._telling = False

    @told("stic_run_advance")
    def until(self, time: float, progress: bool = False) -> None:
        """`progress`: a bar of tqdm where that is installed, else a line on stderr."""
        time = real(time, "time")
        if not math.isfinite(time):
            raise BadArgument(f"time: a finite number is needed, not {time}")
        half = 0.5 * self.step_length
        if time < self.time - half:
            raise BadArgument(f"a run at t = {self.time:g} s cannot be advanced to t = {time:g} s, which has passed")
        if not flag(progress, "progress"):
            while self.time + half < time:
                self.step()
            return
        bar = _Progress(self.time, time)
        try:
            while self.time + half < time:
                self.step()
                bar.at(self.time)
        finally:
            bar.close()

    @property
    def time(self) -> float:
        """Time of the present state, s."""
        self._handle.use()
        return float(lib.stic_run_time(self._run))

    @property
    def step_length(self) -> float:
        """Length of a step, s."""
        self._handle.use()
        return float(lib.stic_run_parts(self._run).step)

    def each_step(self, function: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """Call a function with the run after every step; what it raises ends `step` and `until`. Can be used as a decorator."""
        if not callable(function):
            raise BadArgument(f"a function is needed, not {function!r}")
        self._after.append(function)
        return function

    def no_longer(self, function: Callable[[Any], Any]) -> None:
        """Take back a function that was given to each_step."""
        if function not in self._after:
            raise BadArgument(f"{function!r} is not called after each step")
        self._after.remove(function)

    # ---- what the last steps did

    @property
    def info(self) -> dict[str, Any]:
        """What the last step did, as a dictionary of SticStepInfo's members; solve.outcome as a word."""
        with self._lock:
            self._handle.use()
            made: dict[str, Any] = value_of(self._info)
        made["solve"]["outcome"] = text_of(lib.stic_outcome_name(made["solve"]["outcome"]))
        made["correction"] = text_of(lib.stic_outcome_name(made["correction"]))
        made.pop("error")
        made["solve"].pop("error")
        return made

    @property
    @told("stic_run_totals")
    def totals(self) -> dict[str, Any]:
        with self._lock:
            self._handle.use()
            made: dict[str, Any] = value_of(lib.stic_run_totals(self._run))
        made.pop("notice")
        return made

    @property
    def notices(self) -> list[str]:
        """What users should hear of besides results, one line each."""
        with self._lock:
            self._handle.use()
            world = self.world._handle._pointer if self._world is not None else ffi.NULL
            line = ffi.new("char[512]")
            lines = []
            for kind in range(lib.STIC_NOTICE_COUNT):
                lib.stic_output_notice_line(self._run, world, kind, line, 512)
                lines.append(text_of(line))
        return [words for words in lines if words]

    @property
    def ledger(self) -> dict[str, float]:
        """Energy that all steps exchanged, J, by its terms."""
        with self._lock:
            self._handle.use()
            ledger = ffi.addressof(lib.stic_run_totals(self._run)[0], "ledger")
            return {text_of(lib.stic_ledger_names[k]): lib.stic_ledger_term(ledger, k) for k in range(lib.STIC_LEDGER_TERMS)}

    @property
    @told("stic_run_energy")
    def energy(self) -> tuple[float, float]:
        with self._lock:
            run = self._use()
            kinetic, potential = ffi.new("double*"), ffi.new("double*")
            check(lib.stic_run_energy(run, kinetic, potential))
        self._keeper.look()
        return kinetic[0], potential[0]

    @property
    @told("stic_run_hash")
    def hash(self) -> int:
        with self._lock:
            self._handle.use()
            return int(lib.stic_run_hash(self._run))

    @property
    @told("stic_run_events")
    def events(self) -> Array:
        """A structured array, which is yours; stiction.EVENTS has the words for `kind`: `stiction.EVENTS[row["kind"]]`."""
        with self._lock:
            self._handle.use()
            count = ffi.new("int32_t*")
            first = lib.stic_run_events(self._run, count)
            if count[0] == 0:
                return np.zeros(0, dtype_of("SticEvent"))
            return np.frombuffer(ffi.buffer(first, count[0] * ffi.sizeof("SticEvent")), dtype_of("SticEvent")).copy()

    # ---- bodies

    @property
    @told("stic_run_bodies")
    def bodies(self) -> Array:
        """A structured array: body, position, orientation, velocity, angular_velocity. It is yours: C writes into its memory."""
        with self._lock:
            run = self._use()
            made = np.zeros(lib.stic_run_bodies(run, ffi.NULL, 0), dtype_of("SticBodyState"))
            if len(made):
                lib.stic_run_bodies(run, pointer(made, "SticBodyState*"), len(made))
        return made

    @property
    def positions(self) -> Array:
        """Origins of the frames of all bodies, n x 3, m, in the order of their making."""
        return np.asarray(self.bodies["position"])

    @property
    def orientations(self) -> Array:
        """Quaternions w, x, y, z of all bodies, n x 4."""
        return np.asarray(self.bodies["orientation"])

    @property
    def velocities(self) -> Array:
        """Of the centres of mass of all bodies, n x 3, m/s."""
        return np.asarray(self.bodies["velocity"])

    @property
    def angular_velocities(self) -> Array:
        """Of all bodies in world axes, n x 3, rad/s."""
        return np.asarray(self.bodies["angular_velocity"])

    @told("stic_run_pose")
    def pose(self, body: Body | str) -> Pose:
        with self._lock:
            run = self._use()
            made = ffi.new("SticPose*", lib.stic_run_pose(run, self.world._own(body)._id))
            turn = lib.stic_pose_orientation(made)
        return Pose(np.array([made.origin.x, made.origin.y, made.origin.z]), np.array([turn.w, turn.x, turn.y, turn.z]))

    @told("stic_run_twist")
    def twist(self, body: Body | str) -> Twist:
        with self._lock:
            made = lib.stic_run_twist(self._use(), self.world._own(body)._id)
        return Twist(value_of(made.velocity), value_of(made.angular_velocity))

    @told("stic_run_stress")
    def stress(self, body: Body | str, cell: int = -1) -> Array:
        """3 x 3."""
        number = integer(cell, "cell", -1)
        with self._lock:
            made = lib.stic_run_stress(self._use(), self.world._own(body)._id, number)
        return np.asarray(value_of(made))

    @told("stic_run_nodes")
    def nodes(self, body: Body | str) -> tuple[Array, Array]:
        """Places and velocities, (n, 3) each; no rows for bodies of other kinds."""
        with self._lock:
            run, own = self._use(), self.world._own(body)._id
            count = lib.stic_run_nodes(run, own, ffi.NULL, ffi.NULL, 0)
            places, velocities = np.zeros((count, 3)), np.zeros((count, 3))
            lib.stic_run_nodes(run, own, ffi.cast("SticVec3*", pointer(places, "double*")),
                               ffi.cast("SticVec3*", pointer(velocities, "double*")), count)
        return places, velocities

    @told("stic_run_set_pose")
    def set_pose(self, body: Body | str, position: Vector, orientation: Any = (1, 0, 0, 0)) -> None:
        self._between("set_pose", lambda run, error: lib.stic_run_set_pose(
            run, self.world._own(body)._id, vec3(position, "position"), quaternion(orientation), error))

    @told("stic_run_set_twist")
    def set_twist(self, body: Body | str, velocity: Vector = (0, 0, 0), angular_velocity: Vector = (0, 0, 0)) -> None:
        twist = ffi.new("SticTwist*", [vec3(velocity, "velocity"), vec3(angular_velocity, "angular_velocity")])
        self._between("set_twist", lambda run, error: lib.stic_run_set_twist(run, self.world._own(body)._id, twist, error))

    def _between(self, what: str, call: Callable[[Any, Any], Any]) -> None:
        """Something that only goes between steps."""
        error = new_error()
        with self._lock:
            if self.world._stepping:
                raise BadArgument(f"{what}: not while a step is being made")
            check(call(self._use(), error), error)
        self._keeper.look()

    # ---- contacts and joints

    def _read(self, function: Any, name: str) -> Array:
        with self._lock:
            run = self._use()
            if self.world._stepping:
                raise BadArgument("contacts and joints are those of a whole step: read them between steps")
            old = self._report()
            if not self._fresh and old is not None:
                # arrays still look into what the run is about to use again
                old.take(lib.stic_run_detach(run))
            first, count = ffi.new(f"const {name}**"), ffi.new("int32_t*")
            check(function(run, first, count), None, "the contacts could not be collected")
            if count[0] == 0:
                return np.zeros(0, dtype_of(name))
            report = old if self._fresh and old is not None else _Report(self._handle)
            self._report, self._fresh = weakref.ref(report), True
        return array_over(_Look(report, first[0], count[0] * ffi.sizeof(name)), dtype_of(name))

    @property
    @told("stic_run_contacts")
    def contacts(self) -> Array:
        """A structured array over the library's memory, without a copy, to read: id, body, shape, point, axis, gap, impulse, force,
        moment, slip, status (0 open, 1 stick, 2 slip). It stays as it is whatever the run does next.
        """
        return self._read(lib.stic_run_contacts, "SticContactForce")

    @property
    @told("stic_run_joints")
    def joints(self) -> Array:
        """A structured array as `contacts`: joint, point, force, torque, gap, coordinate, rate, limit, friction, drive."""
        return self._read(lib.stic_run_joints, "SticJointForce")

    @told("stic_run_joint")
    def joint(self, joint: Joint | str) -> dict[str, Any]:
        """A dictionary of SticJointView's members. The angle of a hinge counts turns."""
        with self._lock:
            return dict(value_of(lib.stic_run_joint(self._use(), self.world._own_joint(joint)._id)))

    # ---- controls

    def _control(self, function: Any, answer: Any, key: tuple[str, int], identity: Any, control: Callable[..., Any] | None) -> None:
        callback = None if control is None else Callback(control, self._keeper)
        self._between("control", lambda run, error: function(run, identity, ffi.NULL if callback is None else answer,
                                                             ffi.NULL if callback is None else callback.handle, error))
        if callback is None:
            self._controls.pop(key, None)
        else:
            self._controls[key] = callback

    @told("stic_run_control_body")
    def control_body(self, body: Body | str, control: Callable[[float], Any] | None) -> None:
        """`control(t)` gives a force, or (force, torque). It reads this run for the state: positions, twist(body), joint(joint).

        Schemes with steps of their own ask once in a step, "relaxed" and "event" as often as they look at forces, with times that also go back: what it counts or
        integrates goes by `t`, not by calls.
        """
        own = self.world._own(body)
        self._control(lib.stic_run_control_body, lib.stic_python_body, ("body", own.index), own._id, control)

    @told("stic_run_control_drive")
    def control_drive(self, joint: Joint | str, control: Callable[[float], Any] | None) -> None:
        """`control(t)` gives the velocity."""
        own = self.world._own_joint(joint)
        self._control(lib.stic_run_control_drive, lib.stic_python_joint, ("drive", own.index), own._id, control)

    @told("stic_run_control_force")
    def control_force(self, joint: Joint | str, control: Callable[[float], Any] | None) -> None:
        """`control(t)` gives the force or torque."""
        own = self.world._own_joint(joint)
        self._control(lib.stic_run_control_force, lib.stic_python_joint, ("force", own.index), own._id, control)

    # ---- the state itself

    def _state(self, member: str, count: int) -> Array:
        if count == 0:
            return np.zeros(0)
        state = lib.stic_run_state(self._run)
        lent = Lent(self._handle, getattr(state, member), 8 * count, writable=self._world is None)
        return array_over(lent, np.float64)

    @property
    def q(self) -> Array:
        """Coordinates of the present state, without a copy; ask again after a step. Those of a world are to be read (set_pose and set_twist write them);
        those of a system of Python may be written before the first step.
        """
        with self._lock:
            return self._state("q", lib.stic_run_parts(self._use()).system.layout.nq)

    @property
    def u(self) -> Array:
        """Velocities of the present state; as q."""
        with self._lock:
            return self._state("u", lib.stic_run_parts(self._use()).system.layout.nu)

    # ---- snapshots

    @told("stic_run_save")
    def snapshot(self) -> bytes:
        """All that is needed to go on with the same bits."""
        with self._lock:
            memory = arena(self.world._context)
            start, count = ffi.new("const void**"), ffi.new("size_t*")
            check(lib.stic_run_save(self._use(), memory.use(), start, count))
            made = bytes(ffi.buffer(start[0], count[0]))
            memory.close()
        return made

    @told("stic_run_load")
    def restore(self, snapshot: bytes) -> None:
        """A snapshot of this run, or of another one with the same bodies, masses, shapes and joints; gravity and materials may differ, except in density."""
        try:
            held = memoryview(snapshot).tobytes()
        except TypeError:
            raise BadArgument(f"the bytes of a snapshot are needed, not {type(snapshot).__name__}") from None
        self._go_to("restore", lambda run, error: lib.stic_run_load(run, held, len(held), error))

    @told("stic_run_save_file")
    def save(self, path: str | Path) -> None:
        self._between("save", lambda run, error: lib.stic_run_save_file(run, path_text(path), error))

    @told("stic_run_load_file")
    def load(self, path: str | Path) -> None:
        self._go_to("load", lambda run, error: lib.stic_run_load_file(run, path_text(path), error))

    def _go_to(self, what: str, call: Callable[[Any, Any], Any]) -> None:
        """Take another state; not one from before the last that is recorded, whose times would run backwards."""
        with self._lock:
            before, time = (self.snapshot() if self._outputs else b""), self.time
            self._between(what, call)
            self._stale()
            if self._outputs and self.time < time - 0.5 * self.step_length:
                went = self.time
                self._between(what, lambda run, error: lib.stic_run_load(run, before, len(before), error))
                raise BadArgument(f"{self._outputs[-1].path} is recorded up to t = {time:g} s: close it before the run goes back to t = {went:g} s")

    def _stale(self) -> None:
        self._fresh = False

    # ---- files

    def record(self, path: str | Path, *, title: str = "", replace: bool = False, until: float = 0.0, **settings: Any) -> Output:
        """Store this run in a result file, whose name ends in .h5, from now on: the present state becomes frame 0, steps follow. Keywords are those of
        stiction.settings("output"), such as every=10. The file is closed with the run, or by its own close(). Another process sees what was
        flushed (`flush`: seconds between two, or Output.flush()); stiction.Result of this process sees everything.
        """
        from .output import Output
        return Output(self, path, title=title, replace=replace, until=until, settings=settings)

    def view(self, path: str | Path | None = None, *, wait: bool = False, open: bool = False, height: int = 600,
             **settings: Any) -> Live:
        """This run in the browser while it goes on: the page at `address` of what is returned, which a notebook shows inline, follows
        its steps. The page can pause the run and stop it; that raises Interrupted from `step` and `until`.

        Shown is the file that the run records, else a new one at `path`, or a temporary one; keywords as of `record`. `wait`: no step
        is made before a page is open. `open`: show it in the browser of this machine.
        """
        from .live import Live
        made: Live = Live(self, path, wait=wait, open=open, height=height, settings=settings)
        return made

    def __repr__(self) -> str:
        return "<Run, closed>" if self.closed else f"<{type(self).__name__} at t = {self.time:g} s>"


class _Progress:
    """How far a run is: tqdm's bar, or a line of its own."""

    def __init__(self, begin: float, end: float) -> None:
        self._begin, self._end, self._shown = begin, end, -1
        self._bar: Any = None
        try:
            from tqdm.auto import tqdm
            self._bar = tqdm(total=round(end - begin, 9), unit="s", unit_scale=True)
        except ImportError:
            pass

    def at(self, time: float) -> None:
        if self._bar is not None:
            self._bar.update(min(time - self._begin, self._bar.total) - self._bar.n)
            return
        part = int(100 * (time - self._begin) / max(self._end - self._begin, 1e-300))
        if part > self._shown:
            self._shown = part
            sys.stderr.write(f"\rt = {time:.4g} of {self._end:.4g} s, {part} %")
            sys.stderr.flush()

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
        else:
            sys.stderr.write("\n")


EVENTS = tuple(text_of(lib.stic_event_name(k)) for k in range(lib.STIC_EVENT_COUNT))
Run.__doc__ = f"{inspect.cleandoc(Run.__doc__ or '')}\n\n{sentence('stic_run_create')}"

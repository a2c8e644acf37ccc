# SPDX-License-Identifier: Apache-2.0
"""Worlds: bodies, materials and joints as definitions. A world has no state; its runs have.

    w = stiction.World(gravity=(0, 0, -9.81))
    w.body(shape=stiction.half_space(), kind="fixed")
    ball = w.body(shape=stiction.sphere(0.1), position=(0, 0, 0.5), mass=1.0)
    run = w.run(scheme="moreau", step=1e-3)
    run.until(2.0)
"""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from ._convert import Vector, choice, flag, integer, integers, mat3, numbers, quaternion, real, reals, sentence, suggest, text, told, value_of, vec3, words_of
from ._handle import Handle, Owner, Single
from ._native import ffi, lib
from .callbacks import Callback, Keeper
from .context import Context
from .errors import BadArgument, BadName, NotFinite, check, new_error, text_of
from .shapes import Shape, pose
from .solids import ENERGIES, SolidMesh

if TYPE_CHECKING:
    from .run import Run

KINDS = words_of("STIC_BODY_", "STIC_BODY_KIND_COUNT")
MIXINGS = words_of("STIC_MIXING_", "STIC_MIXING_COUNT")
FRICTIONS = words_of("STIC_FRICTION_", "STIC_FRICTION_COUNT")
INTERSECTIONS = {"clipping": lib.STIC_WORLD_CLIPPING, "polarity": lib.STIC_WORLD_POLARITY}
SEARCHES = {"tree": lib.STIC_SEARCH_TREE, "hash3d": lib.STIC_SEARCH_HASH3D, "sweep-h2d": lib.STIC_SEARCH_SWEEP_H2D,
            "sweep-h2dpst": lib.STIC_SEARCH_SWEEP_H2DPST, "sweep-h1dpst": lib.STIC_SEARCH_SWEEP_H1DPST,
            "sweep-pst2d": lib.STIC_SEARCH_SWEEP_PST2D, "hybrid": lib.STIC_SEARCH_HYBRID, "brute": lib.STIC_SEARCH_BRUTE}
CONTACTS = {"manifold": lib.STIC_WORLD_MANIFOLD, "reduced": lib.STIC_WORLD_REDUCED, "centroid": lib.STIC_WORLD_CENTROID}


class Material(Single):
    """A material of a world."""

    def __init__(self, world: World, identity: Any, name: str) -> None:
        self.world, self._id, self.name = world, identity, name

    def __repr__(self) -> str:
        return f"<Material {self.name or self._id.index}>"


class Body(Single):
    """A body of a world: a definition. Where it is, a run knows: `run.pose(body)`."""

    def __init__(self, world: World, identity: Any) -> None:
        self.world, self._id = world, identity

    @property
    def name(self) -> str:
        """Name of the body; empty if it has none."""
        return text_of(lib.stic_body_name(self.world._handle.use(), self._id))

    @property
    def valid(self) -> bool:
        """Whether it is still a body of its world."""
        return bool(lib.stic_body_is_valid(self.world._handle.use(), self._id))

    @property
    def index(self) -> int:
        """Its slot: what contacts name it by."""
        return int(self._id.index)

    @told("stic_body_set_force")
    def set_force(self, force: Vector = (0, 0, 0), torque: Vector = (0, 0, 0)) -> None:
        error = new_error()
        with self.world._lock:
            check(lib.stic_body_set_force(self.world._handle.use(), self._id, vec3(force, "force"), vec3(torque, "torque"), error),
                  error)

    @told("stic_body_set_point_forces")
    def set_point_forces(self, points: Any = (), forces: Any = ()) -> None:
        error = new_error()
        for given, what in ((points, "points"), (forces, "forces")):
            if not hasattr(given, "__len__"):
                raise BadArgument(f"{what}: a list of vectors is needed, not {given!r}")
        if len(points) != len(forces):
            raise BadArgument(f"{len(points)} points and {len(forces)} forces do not fit")
        at = ffi.new("SticPointForce[]", max(1, len(points)))
        for k, (point, force) in enumerate(zip(points, forces)):
            at[k].point, at[k].force = vec3(point, "point"), vec3(force, "force")
        with self.world._lock:
            check(lib.stic_body_set_point_forces(self.world._handle.use(), self._id, at, len(points), error), error)

    @told("stic_body_attach")
    def attach(self, shape: Shape, position: Vector = (0, 0, 0), orientation: Any = (1, 0, 0, 0),
               material: Material | None = None) -> None:
        self.world._attach(self, shape, position, orientation, material)

    @told("stic_body_destroy")
    def remove(self) -> None:
        self.world._change(lib.stic_body_destroy, self._id)

    def __eq__(self, other: object) -> bool:
        return (isinstance(other, Body) and other.world is self.world and other._id.index == self._id.index
                and other._id.generation == self._id.generation)

    def __hash__(self) -> int:
        return hash((id(self.world), self._id.index, self._id.generation))

    def __repr__(self) -> str:
        return f"<Body {self._id.index}{' ' + self.name if not self.world.closed and self.name else ''}>"


class Joint(Single):
    """A joint of a world: a definition. What it does, a run knows: `run.joint(joint)`. `name` is empty if it has none."""

    def __init__(self, world: World, identity: Any, name: str = "", kind: str = "") -> None:
        self.world, self._id, self.name, self.kind = world, identity, name, kind

    @property
    def valid(self) -> bool:
        """Whether it is still a joint of its world."""
        return bool(lib.stic_joint_is_valid(self.world._handle.use(), self._id))

    @property
    def index(self) -> int:
        """Its slot."""
        return int(self._id.index)

    @told("stic_joint_set_drive")
    def set_drive(self, speed: float = 0.0, acceleration: float = 0.0, amplitude: float = 0.0, frequency: float = 0.0,
                  phase: float = 0.0) -> None:
        error = new_error()
        drive = ffi.new("SticDrive*", numbers([speed, acceleration, amplitude, frequency, phase], 5, "drive"))
        with self.world._lock:
            check(lib.stic_joint_set_drive(self.world._handle.use(), self._id, drive, error), error)

    @told("stic_joint_set_force")
    def set_force(self, force: float) -> None:
        error = new_error()
        with self.world._lock:
            check(lib.stic_joint_set_force(self.world._handle.use(), self._id, real(force, "force"), error), error)

    @told("stic_joint_destroy")
    def remove(self) -> None:
        self.world._change(lib.stic_joint_destroy, self._id)

    def __repr__(self) -> str:
        return f"<Joint {' '.join(filter(None, (str(self._id.index), self.kind, self.name)))}>"

    def __eq__(self, other: object) -> bool:
        return (isinstance(other, Joint) and other.world is self.world and other._id.index == self._id.index
                and other._id.generation == self._id.generation)

    def __hash__(self) -> int:
        return hash((id(self.world), self._id.index, self._id.generation))


_WITH_AXIS = ("line", "plane", "hinge", "slider", "axial", "turning")
_WITH_ENDS = ("rod", "span")
_Kind = TypeVar("_Kind", bound=Callable[..., Any])


def _joint(joints: Joints, a: Body | str | None, b: Body | str | None = None, point: Vector = (0, 0, 0), axis: Vector | None = None, *,
           to: Vector | None = None, name: str | None = None, limit: Vector | None = None, length: float | None = None,
           restitution: float | None = None, friction: float | None = None, drive: float | Mapping[str, float] | None = None,
           drive_force: float | None = None, force: float | None = None, spring: Vector | Mapping[str, float] | None = None,
           contacts: bool | None = None) -> Joint:
    raise NotImplementedError


def _kind(word: str, like: _Kind) -> _Kind:
    """The method of Joints that makes one kind."""
    kind: int = getattr(lib, f"STIC_JOINT_{word.upper()}")

    @functools.wraps(like)
    def make(joints: Joints, a: Body | str | None, b: Body | str | None = None, point: Vector = (0, 0, 0), axis: Vector | None = None,
             **options: Any) -> Joint:
        for name, value, users in (("axis", axis, _WITH_AXIS), ("to", options.get("to"), _WITH_ENDS)):
            if value is not None and word not in users:
                raise BadArgument(f"a joint {word} has no '{name}', which is for {', '.join(users)}")
        return joints._make(kind, a, b, point, (0, 0, 1) if axis is None else axis, options)

    make.__name__, make.__qualname__ = word, f"Joints.{word}"
    make.__doc__ = f"A joint {word}: {sentence(f'SticJointKind.STIC_JOINT_{word.upper()}')}."
    return cast(_Kind, make)


class Joints:
    """Makes the joints of a world: `world.joint.hinge(a, b, point=…, axis=…)`.

    A and B are bodies or their names, None for the ground. `point` and `axis` (z unless given) are in world axes, where the bodies are at the start. `to`: of rods
    and spans, the point on B. `limit`: ends of the coordinate that the joint leaves free, m or rad. `drive`: its speed, or a dictionary of
    speed, acceleration, amplitude, frequency (rad/s), phase (rad); `drive_force`: the largest it may need. `force`: of an actuator. `spring`: (stiffness,
    rest, damping), or a dictionary. `friction`: largest dry friction force or torque. `contacts`: whether A and B can touch each other; unless given, rods, axial, turning and span joints let
    them, others do not.
    """

    def __init__(self, world: World) -> None:
        self._world = world

    point = _kind("point", _joint)
    line = _kind("line", _joint)
    plane = _kind("plane", _joint)
    hinge = _kind("hinge", _joint)
    slider = _kind("slider", _joint)
    weld = _kind("weld", _joint)
    rod = _kind("rod", _joint)
    axial = _kind("axial", _joint)
    turning = _kind("turning", _joint)
    span = _kind("span", _joint)

    def _make(self, kind: int, a: Body | str | None, b: Body | str | None, point: Vector, axis: Vector, options: dict[str, Any]) -> Joint:
        world = self._world
        name = options.get("name")
        if name and isinstance(name, str) and name in world._joint_names and world._joint_names[name].valid:
            raise BadArgument(f"there is a joint '{name}' already")
        error = new_error()
        given = ffi.new("SticJointDef*", lib.stic_joint_default_def())
        given.kind = kind
        for k, body in enumerate((a, b)):
            if body is not None:
                given.body[k] = world._own(body)._id
        with world._lock:
            check(lib.stic_joint_place(world._handle.use(), vec3(point, "point"), vec3(axis, "axis"), given, error), error)
            to = options.pop("to", None)
            if to is not None:
                given.frame[1].point = lib.stic_joint_point(world._handle.use(), given.body[1], vec3(to, "to"))
            kept = _fill_joint(given, options)
            _check_joint(given, options)
            made = ffi.new("SticJointId*")
            world._structure(lambda: check(lib.stic_joint_create(world._handle.use(), given, made, error), error))
        del kept
        joint = Joint(world, made[0], options.get("name") or "", text_of(lib.stic_joint_kind_name(kind)))
        world._joints.append(joint)
        if joint.name:
            world._joint_names[joint.name] = joint
        return joint

    if not TYPE_CHECKING:
        def __getattr__(self, name: str) -> Any:
            raise AttributeError(f"there is no joint '{name}'{suggest(name, JOINTS)}; kinds: {', '.join(JOINTS)}")


JOINTS = tuple(text_of(lib.stic_joint_kind_name(k)) for k in range(lib.STIC_JOINT_KIND_COUNT))
_OPTIONS = ("name", "limit", "drive", "spring", "length", "restitution", "friction", "drive_force", "force", "contacts", "to", "point", "axis")
_OF_LAWS = {"across": "anisotropic", "grain": "anisotropic", "rolling": "rolling", "patch": "contensou", "shear": "tresca"}
_SURFACE = ("restitution", "law", "grain", "friction", "across", "rolling", "patch", "shear", "cohesion", "density")


def _fill_joint(given: Any, options: dict[str, Any]) -> list[Any]:
    """Options of a joint into its definition; returns what must live until it is made."""
    kept: list[Any] = []
    for key, value in options.items():
        if value is None:
            continue
        if key == "name":
            kept.append(ffi.new("char[]", text(value, "name")))
            given.name = kept[-1]
        elif key == "limit":
            given.limit = numbers(value, 2, "limit")
        elif key == "drive":
            given.driven = True
            given.drive = _members(value, "SticDrive", key) if isinstance(value, Mapping) else {"speed": real(value, "drive")}
        elif key == "spring":
            given.spring = _members(value, "SticSpring", key) if isinstance(value, Mapping) else numbers(value, 3, "spring", least=1)
        elif key in ("length", "restitution", "friction", "drive_force", "force"):
            setattr(given, key, real(value, key))
        elif key == "contacts":
            given.contacts = lib.STIC_JOINED_TOUCH if flag(value, "contacts") else lib.STIC_JOINED_APART
        else:
            raise BadArgument(f"a joint has no option '{key}'{suggest(key, _OPTIONS)}")
    return kept


def _check_joint(given: Any, options: dict[str, Any]) -> None:
    """Refuse numbers that belong to something which the joint does not have: they would be dropped in silence."""
    limited = any(map(math.isfinite, given.limit))
    for key, use, words in (("length", given.kind == lib.STIC_JOINT_ROD, "is that of a rod"), ("restitution", limited, "acts at a limit"),
                            ("drive_force", given.driven, "bounds a drive")):
        if options.get(key) is not None and not use:
            raise BadArgument(f"{key}: it {words}, and this joint has none" if key != "length" else f"length: it {words}, and this joint is a {text_of(lib.stic_joint_kind_name(given.kind))} one")
    if given.spring.rest != 0.0 and not given.spring.stiffness > 0.0:
        raise BadArgument(f"spring: one that rests at {given.spring.rest:g} needs a stiffness")


def _check_body(given: Any, kind: str) -> None:
    """The same of a body."""
    def some(*members: str) -> bool:
        return any(value_of(getattr(given, member)).any() for member in members)

    moves = kind not in ("fixed", "prescribed")
    inert = bool(np.any(np.array([list(row) for row in given.inertia.m])))
    for wrong, words in ((kind == "fixed" and some("velocity", "angular_velocity"), "velocity: a fixed body has none; a prescribed one has"),
                         (not moves and some("force", "torque"), f"force: it does not move a {kind} body"),
                         (kind == "point" and (some("angular_velocity", "torque") or inert), "a point does not turn: it has no angular velocity, torque or inertia"),
                         (some("centre") and not inert, "centre: a centre of mass is given together with mass and inertia"),
                         (kind not in ("pseudo-rigid", "elastic") and (given.elastic.young != 0.0 or given.elastic.poisson != 0.0), f"elastic: it is for pseudo-rigid and elastic bodies, not for {kind} ones"),
                         (kind != "pseudo-rigid" and given.volume != 0.0, f"volume: it is for pseudo-rigid bodies, not for {kind} ones")):
        if wrong:
            raise BadArgument(words)


def _fill_solid(given: Any, mesh: SolidMesh | None, energy: str, supports: Any, loads: Any) -> list[Any]:
    """Mesh, supports and loads of an elastic body; what C points to until the world has copied it."""
    given.stored = choice(energy, ENERGIES, "stored energy")
    held = integers(supports, "supports").ravel() if np.size(supports) else np.empty(0, dtype=np.int32)
    rows = [(integer(node, "loads"), vec3(force, "loads")) for node, force in loads]
    if given.kind == lib.STIC_BODY_ELASTIC and mesh is None:
        raise BadArgument("mesh: an elastic body needs one; see stiction.solid_box")
    if given.kind != lib.STIC_BODY_ELASTIC and (mesh is not None or held.size or rows):
        raise BadArgument("mesh, supports, loads: they are for elastic bodies")
    if mesh is None:
        return []
    made, arrays = mesh._lend()
    support = ffi.new("SticSolidSupport[]", [{"node": int(node), "axes": lib.STIC_SOLID_XYZ} for node in held])
    load = ffi.new("SticSolidForce[]", [{"node": node, "force": force} for node, force in rows])
    given.mesh, given.support, given.load, given.supports, given.loads = made, support, load, len(support), len(load)
    return [made, support, load, *arrays]


def _members(value: Mapping[str, Any], struct: str, what: str) -> dict[str, float]:
    """A dictionary as the members of a C struct of numbers."""
    known = [name for name, field in ffi.typeof(struct).fields if field.type.kind == "primitive"]
    for name in value:
        if name not in known:
            raise BadArgument(f"a {what} has no '{name}'{suggest(str(name), known) or ' (' + ', '.join(known) + ')'}")
    return {name: real(number, name) for name, number in value.items()}


def _fill_surface(surface: Any, options: dict[str, Any]) -> None:
    """Numbers of friction and restitution into a SticSurface."""
    if options.get("law") is None:
        for key, law in _OF_LAWS.items():
            if options.get(key) is not None:
                raise BadArgument(f"{key}: it belongs to law={law!r}, and the law is {next(word for word, k in FRICTIONS.items() if k == surface.law)!r}. "
                                  "Say the law too")
    for key, value in options.items():
        if value is None:
            continue
        if key == "restitution":
            surface.restitution = [real(value, key), 0.0] if np.ndim(value) == 0 else numbers(value, 2, key)
        elif key == "law":
            surface.law = choice(value, FRICTIONS, "law of friction")
        elif key == "grain":
            surface.grain = vec3(value, "grain")
        elif key in ("friction", "across", "rolling", "patch", "shear", "cohesion"):
            setattr(surface, key, real(value, key))
        elif key == "density":
            raise BadArgument("density: it belongs to one material (World.material, or a world's own), not to the contact of two")
        else:
            raise BadArgument(f"a surface has no '{key}'{suggest(key, _SURFACE)}")


class World(Owner):
    """A world of bodies, joints and materials.

    Keywords of the world's own material, and of World.material and World.surface:

    * `density`: kg/m3 (a material's own, not of a surface)
    * `friction`: Coulomb's coefficient, 0 or more
    * `restitution`: Newton's coefficient from 0 to 1, or (normal, tangential)
    * `law` of friction: "coulomb", "anisotropic", "rolling", "contensou", "tresca"
    * `across`, `grain` of "anisotropic": the coefficient across the grain; the direction, in the frame of the body, along which `friction` holds
    * `rolling` of "rolling": length by which the normal force can lie off the contact, m
    * `patch` of "contensou": radius of the patch that drills, m
    * `shear` of "tresca": strength, Pa
    * `cohesion`: tensile strength of what touches at the start, Pa; a contact that broke stays broken

    `threads` share the work of its runs; results have the same bits for any number.
    """

    @told("stic_world_default_def", "stic_world_create")
    def __init__(self, gravity: Vector = (0.0, 0.0, -9.81), *, density: float | None = None, friction_mixing: str = "geometric",
                 restitution_mixing: str = "largest", cohesion_mixing: str = "least", contacts: str = "manifold", intersection: str = "clipping",
                 search: str = "tree", threads: int = 1, seed: int = 1, **surface: Any) -> None:
        given = ffi.new("SticWorldDef*", lib.stic_world_default_def())
        given.gravity = vec3(gravity, "gravity")
        given.friction_mixing = choice(friction_mixing, MIXINGS, "mixing")
        given.restitution_mixing = choice(restitution_mixing, MIXINGS, "mixing")
        given.cohesion_mixing = choice(cohesion_mixing, MIXINGS, "mixing")
        given.contact_rule = choice(contacts, CONTACTS, "rule of contacts")
        given.intersection = choice(intersection, INTERSECTIONS, "intersection")
        given.search = choice(search, SEARCHES, "search")
        if density is not None:
            given.material.density = real(density, "density")
        _fill_surface(given.material.surface, surface)
        self._context = Context(threads, seed)
        made, error = ffi.new("SticWorld**"), new_error()
        check(lib.stic_world_create(self._context.pointer, given, made, error), error)
        self._begin(Handle("world", made[0], lib.stic_world_destroy, *self._context.handles))

    def _begin(self, handle: Handle) -> None:
        self._handle = handle
        self._lock = threading.RLock()  # a world and its runs: one thread at a time
        self._stepping = False
        self._edition = 0
        self._keeper = Keeper()
        self._motions: list[Callback] = []
        self._bodies: list[Body] = []
        self._names: dict[str, Body] = {}
        self._joint_names: dict[str, Joint] = {}
        self._joints: list[Joint] = []
        self.joint = Joints(self)

    @classmethod
    def _lent(cls, handle: Handle, context: Context) -> World:
        """The world of a simulation, which owns it."""
        made = cls.__new__(cls)
        made._context = context
        made._begin(handle)
        return made

    def _structure(self, change: Callable[[], None]) -> None:
        """Make a change that ends the runs made before."""
        with self._lock:
            if self._stepping:
                raise BadArgument("bodies, shapes and joints cannot be added or removed while a run makes a step")
            change()
            self._edition += 1

    def _change(self, function: Any, identity: Any) -> None:
        error = new_error()
        self._structure(lambda: check(function(self._handle.use(), identity, error), error))

    def _own(self, body: Body | str) -> Body:
        if isinstance(body, str):
            return self._named(body)
        if not isinstance(body, Body):
            raise BadArgument(f"a body is needed, not {body!r}")
        if body.world is not self:
            raise BadArgument(f"{body!r} belongs to another world")
        if not self.closed and not body.valid:
            raise BadArgument(f"{body!r} was removed from its world")
        return body

    def _own_joint(self, joint: Joint | str) -> Joint:
        if isinstance(joint, str):
            named = {one.name: one for one in self._joints if one.name and (self.closed or one.valid)}
            if joint not in named:
                raise BadName(f"the world has no joint '{joint}'{suggest(joint, named)}")
            return named[joint]
        if not isinstance(joint, Joint):
            raise BadArgument(f"a joint is needed, not {joint!r}")
        if joint.world is not self:
            raise BadArgument(f"{joint!r} belongs to another world")
        if not self.closed and not joint.valid:
            raise BadArgument(f"{joint!r} was removed from its world")
        return joint

    def _own_material(self, material: Material) -> Material:
        if not isinstance(material, Material):
            raise BadArgument(f"a material is needed, not {material!r}; see World.material")
        if material.world is not self:
            raise BadArgument(f"{material!r} belongs to another world")
        return material

    def _lend_shape(self, shape: Shape) -> Any:
        """A shape's C object, which lives as long as this world from now on."""
        if not isinstance(shape, Shape):
            raise BadArgument(f"shape: {shape!r} is no shape; see stiction.box and others")
        pointer = shape._handle.use()
        self._handle.borrow(shape._handle)
        return pointer

    @told("stic_material_create")
    def material(self, name: str | None = None, density: float | None = None, **surface: Any) -> Material:
        """Keywords and their units as of the world: friction, restitution, law, across, grain, rolling, patch, shear, cohesion."""
        given = ffi.new("SticMaterialDef*", lib.stic_material_default_def())
        word = ffi.new("char[]", text(name, "name")) if name is not None else ffi.NULL
        given.name = word
        if density is not None:
            given.density = real(density, "density")
        _fill_surface(given.surface, surface)
        made, error = ffi.new("SticMaterialId*"), new_error()
        with self._lock:
            check(lib.stic_material_create(self._handle.use(), given, made, error), error)
        return Material(self, made[0], name or "")

    @told("stic_world_set_gravity")
    def set_gravity(self, gravity: Vector) -> None:
        given = vec3(gravity, "gravity")
        if not np.isfinite(given).all():
            raise NotFinite(f"gravity: finite numbers are needed, not {gravity!r}")
        with self._lock:
            lib.stic_world_set_gravity(self._handle.use(), given)

    @told("stic_surface_set")
    def surface(self, a: Material | None, b: Material | None, **surface: Any) -> None:
        """None is the world's own material; keywords as of a material."""
        null = ffi.new("SticMaterialId*")[0]
        usual = lib.stic_material_default_def()  # its member below does not keep it
        given = ffi.new("SticSurface*", usual.surface)
        _fill_surface(given, surface)
        error = new_error()
        with self._lock:
            check(lib.stic_surface_set(self._handle.use(), self._own_material(a)._id if a is not None else null, self._own_material(b)._id if b is not None else null, given, error), error)

    @told("stic_body_create")
    def body(self, shape: Shape | Sequence[Any] | None = None, position: Vector = (0, 0, 0), orientation: Any = (1, 0, 0, 0), *,
             kind: str = "rigid", name: str | None = None, velocity: Vector = (0, 0, 0), angular_velocity: Vector = (0, 0, 0),
             mass: float = 0.0, centre: Vector = (0, 0, 0), inertia: Any = None, force: Vector = (0, 0, 0),
             torque: Vector = (0, 0, 0), motion: Callable[[float], Any] | None = None, elastic: Vector | None = None,
             volume: float = 0.0, material: Material | None = None, mesh: SolidMesh | None = None, energy: str = "neo-hooke",
             supports: Any = (), loads: Any = ()) -> Body:
        """`shape`: a shape, or a list of shapes or (shape, position, orientation, material).

        `orientation`: a quaternion (w, x, y, z), or (axis, angle). `motion`: of a prescribed body, a function of the time that
        gives position, orientation, velocity, angular_velocity, acceleration, angular_acceleration (as a tuple in this order, or a dictionary).
        Position and velocity are needed, and angular_velocity where there is an orientation; accelerations are zero unless given. Contacts see the
        velocity: that it is the derivative of the position is up to the function. `elastic`: Young's modulus
        and Poisson's ratio of a pseudo-rigid or elastic body. Of an elastic body: `mesh`, the stored `energy` (linear, kirchhoff, neo-hooke,
        corotated), `supports`: numbers of nodes that are held, `loads`: pairs of a node and a force.
        """
        given = ffi.new("SticBodyDef*", lib.stic_body_default_def())
        word = ffi.new("char[]", text(name, "name")) if name is not None else ffi.NULL
        given.name = word
        if name and self._names.get(name) is not None and self._names[name].valid:
            raise BadArgument(f"there is a body '{name}' already")
        given.kind = choice(kind, KINDS, "kind of body")
        given.position, given.orientation = vec3(position, "position"), quaternion(orientation)
        given.velocity, given.angular_velocity = vec3(velocity, "velocity"), vec3(angular_velocity, "angular_velocity")
        given.mass, given.volume, given.centre = real(mass, "mass"), real(volume, "volume"), vec3(centre, "centre")
        given.force, given.torque = vec3(force, "force"), vec3(torque, "torque")
        if inertia is not None:
            given.inertia = mat3(inertia, "inertia")
            if not np.any(reals(inertia, "inertia")):
                raise BadArgument("inertia: it is not 0; leave it out for that of the shape")
        if elastic is not None:
            given.elastic = numbers(elastic, 2, "elastic")
        if material is not None:
            given.material = self._own_material(material)._id
        kept = _fill_solid(given, mesh, energy, supports, loads)
        _check_body(given, kind)
        callback = None
        if motion is not None:
            if given.kind != lib.STIC_BODY_PRESCRIBED:
                raise BadArgument(f"motion: only bodies of the kind 'prescribed' move by a function, not '{kind}' ones")
            callback = Callback(motion, self._keeper)
            given.motion, given.motion_self = lib.stic_python_motion, callback.handle
        made = self._create(given, shape, callback, material)
        del kept
        return made

    def _create(self, given: Any, shape: Shape | Sequence[Any] | None, callback: Callback | None,
                material: Material | None) -> Body:
        made, error = ffi.new("SticBodyId*"), new_error()
        parts: Sequence[Any] = () if shape is None or isinstance(shape, Shape) else shape
        with self._lock:
            if isinstance(shape, Shape):
                given.shape = self._lend_shape(shape)
            elif shape is not None and not isinstance(shape, (list, tuple)):
                raise BadArgument(f"shape: {shape!r} is no shape; see stiction.box and others")
            self._structure(lambda: check(lib.stic_body_create(self._handle.use(), given, made, error), error))
            if callback is not None:
                self._motions.append(callback)
            body = Body(self, made[0])
            for part in parts:
                row = tuple(part) if isinstance(part, (tuple, list)) else (part,)
                self._attach(body, row[0], row[1] if len(row) > 1 else (0, 0, 0), row[2] if len(row) > 2 else (1, 0, 0, 0),
                             row[3] if len(row) > 3 else material)
        self._bodies.append(body)
        if body.name:
            self._names[body.name] = body
        return body

    def _attach(self, body: Body, shape: Shape, position: Vector, orientation: Any, material: Material | None) -> None:
        given, error = ffi.new("SticAttachDef*"), new_error()
        given.shape = self._lend_shape(shape)
        given.pose = pose(position, orientation)
        if material is not None:
            given.material = self._own_material(material)._id
        self._structure(lambda: check(lib.stic_body_attach(self._handle.use(), body._id, given, ffi.NULL, error), error))

    @told("stic_body_find")
    def find(self, name: str) -> Body | None:
        """None if there is no such body; world[name] raises instead, with the closest name."""
        found = lib.stic_body_find(self._handle.use(), text(name, "name"))
        return Body(self, found) if found.generation > 0 else None

    @property
    def bodies(self) -> list[Body]:
        """All bodies, in the order of their making; a world can be iterated, and `len(world)` counts them."""
        self._handle.use()
        return [body for body in self._bodies if body.valid]

    @property
    def joints(self) -> list[Joint]:
        """All joints, in the order of their making."""
        self._handle.use()
        return [joint for joint in self._joints if joint.valid]

    def __iter__(self) -> Iterator[Body]:
        return iter(self.bodies)

    def __len__(self) -> int:
        return len(self.bodies)

    def __bool__(self) -> bool:
        return True

    def _named(self, name: str) -> Body:
        """The first body of a name; a run that goes on after its world was closed may still ask."""
        pointer = self._handle._pointer or self._handle.use()
        found = lib.stic_body_find(pointer, text(name, "name"))
        if found.generation == 0:
            names = [text_of(lib.stic_body_name(pointer, body._id)) for body in self._bodies]
            raise BadName(f"the world has no body '{name}'{suggest(name, filter(None, names))}")
        return Body(self, found)

    def __getitem__(self, name: str) -> Body:
        """The first body of a name."""
        self._handle.use()
        return self._named(name)

    def run(self, scheme: str = "moreau", *, solver: str = "auto", accuracy: str = "standard", step: float = 1e-3,
            **settings: Any) -> Run:
        """Set up a run of this world; see Run."""
        from .run import Run
        return Run(self, scheme=scheme, solver=solver, accuracy=accuracy, step=step, **settings)

    def __repr__(self) -> str:
        return "<World, closed>" if self.closed else f"<World, {len(self)} bodies, {len(self.joints)} joints>"

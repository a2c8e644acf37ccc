# SPDX-License-Identifier: Apache-2.0
"""Systems written in Python: what moves need not be a world.

    class Ball(stiction.System):
        sizes = [1]
        mass = [[[1.0]]]
        terms = [(0, -1)]
        interactions = [stiction.Interaction(law="nonneg", blocks=(0, -1), restitution=0.5)]

        def potential(self, k, q):
            return 9.81 * q[0], [9.81]

        def measure(self, i, t, q, u):
            return {"gap": [q[0]], "H": [[1.0]]}

    run = Ball().run(scheme="event", step=0.01, q=[1.0])

Blocks have linear coordinates (qdot = u). For prototypes and teaching: every call crosses into Python.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ._convert import Array, choice, integer, integers, numbers, pointer, real, reals, text, told, words_of
from ._handle import Handle, Owner
from ._native import ffi, lib
from .callbacks import NAN, Callback, Keeper
from .context import Context
from .errors import BadArgument, NotFinite, check, new_error, raise_status, text_of
from .run import LAWS, POLICIES, Run
from .settings import fill, new_struct
from .world import World

_OFFERS = {name.removeprefix("STIC_OFFERS_").lower(): getattr(lib, name) for name in dir(lib) if name.startswith("STIC_OFFERS_")}
OFFERS = tuple(sorted(_OFFERS))
LAW_NAMES = {text_of(lib.stic_law_name(k)): k for k in range(lib.STIC_LAW_COUNT)}
LEVELS = {"contact": lib.STIC_LEVEL_CONTACT, "position": lib.STIC_LEVEL_POSITION, "rate": lib.STIC_LEVEL_RATE}
ACCURACIES = words_of("STIC_ACCURACY_", "STIC_ACCURACY_COUNT")
_MEASURES = ("gap", "chi", "bias")
_DIRECTIONS = ("H", "G")


class Interaction(NamedTuple):
    """One interaction of a system.

    `law`: what its reaction r may be, with B the bound: "free" (1 to 6 rows; r free, u = 0), "nonneg" (1 row; a contact without friction), "interval" (1 row;
    -coef[0] B <= r <= coef[1] B), "ball" (2 or 3 rows; |r| <= coef[0] B), "cone" (2 or 3 rows, normal first; Coulomb's friction coef[0]) and the further ones of stiction/law.h. `level`: "contact" acts where the gap is closed, "position" keeps the gap zero, "rate" acts on the velocity alone.
    `rows`: of its local velocity, for which measure() gives as many rows of H and G. `blocks`: those it acts on, -1 for none. `coef`, `bound`:
    numbers of the law, such as friction, and B in N; `bound_of`: the interaction whose first reaction scales the bound, -1 for none. `restitution`: Newton's.
    """

    law: str = "nonneg"
    level: str = "contact"
    rows: int = 1
    blocks: tuple[int, int] = (0, -1)
    coef: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0)
    bound: float = 0.0
    bound_of: int = -1
    restitution: float = 0.0


class System(Owner):
    """Base of systems written in Python: class attributes say what there is, methods what it does.

    `sizes`: coordinates of each block, up to 12. `mass`: a matrix for each block. `terms`: blocks of each term of the potential, -1 for none.
    Methods: potential(k, q), force(t, q, u), measure(i, t, q, u).

    `offers`: what schemes may rely on (stiction.OFFERS). The default is enough for all schemes but "quasistatic", which needs "hessian" too (a third part of what
    potential gives). "scleronomic": nothing depends on t, which saves work.

    A disc that is thrown onto a rough floor, as one block (x, z, angle):

        class Disc(stiction.System):
            sizes = [3]
            mass = [np.diag([1.0, 1.0, 0.005])]
            terms = [(0, -1)]
            interactions = [stiction.Interaction(law="cone", rows=2, coef=(0.3,))]

            def potential(self, k, q):
                return 9.81 * q[1], [0.0, 9.81, 0.0]

            def measure(self, i, t, q, u):
                H = [[0.0, 1.0, 0.0], [1.0, 0.0, -0.1]]
                return {"gap": [q[1] - 0.1, 0.0], "H": H}

        run = Disc().run(step=1e-3, q=[0.0, 0.1, 0.0], u=[1.0, 0.0, 0.0])
    """

    name = "system of Python"
    sizes: Sequence[int] = ()
    mass: Sequence[Any] = ()
    terms: Sequence[tuple[int, int]] = ()
    interactions: Sequence[Interaction] = ()
    offers: Sequence[str] = ("constant_mass", "potential", "bias", "open_gaps", "directions_q", "inertia")

    @told("stic_small_create")
    def __init__(self) -> None:
        self._context = Context()
        self._keeper = Keeper()
        self._callback = Callback(type(self).measure, self._keeper, owner=self)
        sizes = integers(self.sizes, "sizes")
        if sizes.ndim != 1 or (sizes < 1).any():
            raise BadArgument(f"sizes: numbers of coordinates are needed, not {self.sizes!r}")
        self._count = int(sizes.sum())
        self._at = np.concatenate([[0], np.cumsum(self.sizes)]).astype(int)
        kept: list[Any] = [ffi.new("char[]", text(self.name, "name")), ffi.new("void*[1]", [self._callback.handle])]
        given = ffi.new("SticSmallDef*")
        given.name, given.self, given.self_size = kept[0], kept[1], ffi.sizeof("void*")
        given.offers = self._offers()
        self._fill_blocks(given, kept)
        self._fill_interactions(given, kept)
        given.measure = lib.stic_python_measure
        if type(self).force is not System.force:
            given.force = lib.stic_python_force
        made, error = ffi.new("SticSystem**"), new_error()
        check(lib.stic_small_create(self._context.pointer, given, made, error), error)
        self._name = kept[0]  # everything but the name is copied
        self._handle = Handle("system", made[0], lib.stic_small_destroy)

    def _offers(self) -> int:
        mask = 0
        for word in self.offers:
            mask |= choice(word, _OFFERS, "offer")
        return mask

    def _fill_blocks(self, given: Any, kept: list[Any]) -> None:
        blocks = len(self.sizes)
        if blocks == 0 or len(self.mass) != blocks:
            raise BadArgument("a system has blocks (sizes), each with a mass matrix (mass)")
        chart = np.full(blocks, lib.STIC_CHART_LINEAR, dtype=np.uint8)
        size, terms = integers(self.sizes), integers(np.reshape(self.terms, (-1, 2)))
        mass = reals(np.concatenate([reals(one, "mass", (n, n)).ravel() for one, n in zip(self.mass, self.sizes)]), "mass")
        kept += [chart, size, terms, mass]
        given.blocks, given.chart, given.size = blocks, pointer(chart, "uint8_t*"), pointer(size, "int32_t*")
        given.mass = pointer(mass, "double*")
        given.terms = len(terms)
        if len(terms):
            given.term_block, given.potential = ffi.cast("int32_t(*)[2]", ffi.from_buffer(terms)), lib.stic_python_potential

    def _fill_interactions(self, given: Any, kept: list[Any]) -> None:
        table = ffi.new("SticInteraction[]", max(len(self.interactions), 1))
        kept.append(table)
        for i, one in enumerate(self.interactions):
            if not isinstance(one, Interaction):
                raise BadArgument(f"interactions: stiction.Interaction is needed, not {one!r}")
            row = table[i]
            row.id, row.law = i + 1, choice(one.law, LAW_NAMES, "law")
            row.level, row.rows = choice(one.level, LEVELS, "level"), integer(one.rows, "rows", 1, 6)
            row.block = integers(one.blocks, "blocks").reshape(2).tolist() if np.size(one.blocks) == 2 else numbers(one.blocks, 2, "blocks")
            row.bound_of, row.bound, row.surface = integer(one.bound_of, "bound_of", -1), real(one.bound, "bound"), -1
            row.coef = [*numbers(one.coef, 4, "coef", least=0), 0.0, 0.0, 0.0, 0.0][:4]
            row.restitution = [real(one.restitution, "restitution"), 0.0]
            if not 0.0 <= row.restitution[0] <= 1.0:
                raise BadArgument(f"restitution: a number from 0 to 1 is needed, not {one.restitution!r}")
        given.interactions, given.interaction = len(self.interactions), table

    # ---- what a system says; to be written by its author

    def potential(self, k: int, q: Array) -> tuple[Any, ...]:
        """Value and gradient of term k, and its Hessian where the system offers that. `q` holds all coordinates of the system; gradient and Hessian are over those of
        the term's blocks alone, of which the value is a function: with sizes [2, 2], the weight of the second block, term (1, -1), is `m * g * q[3], [0.0, m * g]`. A run
        refuses a start at which the gradient is not that of the value.
        """
        raise NotImplementedError("a system with terms needs potential(k, q)")

    def force(self, t: float, q: Array, u: Array) -> Any:
        """Applied forces that are no potential, one per velocity."""
        raise NotImplementedError

    def measure(self, i: int, t: float, q: Array, u: Array) -> Mapping[str, Any]:
        """Of interaction i, with one entry per row: `gap` (m; 0 for tangents), `chi` (the part of the relative velocity that does not depend on u, such as that of a
        belt, m/s; 0 unless given) and `bias` (d/dt(H) u + d/dt(chi), m/s2, for "event" and "relaxed"; 0 unless given). `H`: rows x size of the first block,
        u_relative = H u + chi, or a pair of them for two blocks; `G`: the same for dgap/dq, H unless given.
        """
        raise NotImplementedError("a system with interactions needs measure(i, t, q, u)")

    def run(self, scheme: str = "moreau", *, q: Any = None, u: Any = None, **options: Any) -> SystemRun:
        """A run from the coordinates `q` and velocities `u`; options as of World.run."""
        made: SystemRun = SystemRun(self, scheme, q, u, **options)
        return made

    def _coordinates(self, k: int) -> Array:
        """Which coordinates term k is about, in the order of its gradient."""
        blocks = [block for block in self.terms[k] if block >= 0]
        return np.concatenate([np.arange(self._at[block], self._at[block + 1]) for block in blocks] or [np.arange(0)])

    def _check_potential(self, q: Array) -> None:
        """Schemes that keep energy correct a gradient until it belongs to the value, so that a wrong one shows in no energy: it is compared once, with differences
        of the value at several distances, from both sides since there may be a kink.
        """
        pattern = np.cos(1.0 + np.arange(q.size))
        size = np.abs(q).max(initial=0.0) or 1.0
        for k in range(len(self.terms)):
            own, slope = self._coordinates(k), np.zeros(q.size)
            try:
                given = self.potential(k, q.copy())
                slope[own] = reals(given[1], "gradient", own.shape)
            except Exception:  # the first step says so
                return
            for inside in True, False:
                along = np.where(np.isin(np.arange(q.size), own) == inside, pattern, 0.0)
                expected = float(slope @ along)
                least = np.inf
                for distance in size * np.array([1e-2, 1e-4, 1e-6, 1e-8]):
                    try:
                        with np.errstate(all="ignore"):
                            sides = [(self.potential(k, q + way * along)[0] - given[0]) / way for way in (-distance, distance)]
                    except Exception:  # out of where it is defined
                        continue
                    if not np.isfinite(sides).all():
                        continue
                    scale = max(np.abs(slope) @ np.abs(along), *np.abs(sides))
                    doubt = 1e-3 * scale + 1e-12 * abs(given[0]) / distance
                    least = min(least, max(min(sides) - expected, expected - max(sides), 0.0) - doubt)
                if 0.0 < least < np.inf:
                    raise BadArgument(f"potential: the gradient of term {k} is not that of its value at the start, along " + (
                        "its own coordinates" if inside else "coordinates of other blocks, which the value must not depend on"))

    # ---- what C asks

    def _look(self, values: Any) -> Array:
        # a copy: C's memory is another's after the call
        return np.frombuffer(ffi.buffer(values, 8 * self._count), float).copy()

    def _write_measures(self, i: int, given: Mapping[str, Any], out: Any) -> None:
        one = self.interactions[i]
        if not isinstance(given, Mapping):
            raise BadArgument(f"measure gives a dictionary of {', '.join((*_MEASURES, *_DIRECTIONS))}, not {given!r}")
        unknown = set(given) - {*_MEASURES, *_DIRECTIONS}
        if unknown:
            raise BadArgument(f"measure gives {', '.join((*_MEASURES, *_DIRECTIONS))}, not {sorted(unknown)}")
        for name in _MEASURES:
            if name in given:
                values = reals(given[name], name, (one.rows,))
                if np.isnan(values).any():
                    raise NotFinite(f"measure gave of interaction {i} a {name} that is not a number: {given[name]!r}")
                getattr(out, name)[0:one.rows] = values.tolist()
        if "H" in given and "G" not in given:  # qdot = u
            given = {**given, "G": given["H"]}
        for name in _DIRECTIONS:
            if name not in given:
                continue
            pair = given[name] if one.blocks[1] >= 0 else (given[name],)
            for side, values in zip((0, 1), pair):
                shape = (one.rows, self.sizes[one.blocks[side]])
                matrix = reals(values, name, shape)
                if not np.isfinite(matrix).all():
                    raise NotFinite(f"measure gave of interaction {i} a matrix {name} that is not finite: {values!r}")
                flat = matrix.ravel().tolist()
                getattr(out, name)[side][0:len(flat)] = flat


def _system(self: Any) -> Any:
    """The system behind the bytes that C copied."""
    callback = ffi.from_handle(ffi.cast("void**", self)[0])
    return callback.owner


@ffi.def_extern()
def stic_python_force(self: Any, t: float, q: Any, u: Any, f: Any) -> None:
    system = _system(self)
    try:
        system._keeper.halt()
        given = reals(system.force(t, system._look(q), system._look(u)), "force", (system._count,))
        f[0:system._count] = given.tolist()
    except BaseException as exception:
        system._keeper.keep(exception)
        f[0] = NAN


@ffi.def_extern()
def stic_python_potential(self: Any, k: int, q: Any, gradient: Any, hessian: Any) -> float:
    system = _system(self)
    try:
        system._keeper.halt()
        given = system.potential(k, system._look(q))
        if not isinstance(given, (tuple, list)) or not 2 <= len(given) <= 3:
            raise BadArgument(f"potential gives (value, gradient) or (value, gradient, Hessian), not {given!r}")
        size = system._coordinates(k).size
        if gradient != ffi.NULL:
            gradient[0:size] = reals(given[1], "gradient", (size,)).tolist()
        if hessian != ffi.NULL and len(given) > 2:
            hessian[0:size * size] = reals(given[2], "Hessian", (size, size)).ravel().tolist()
        return real(given[0], "value of the potential")
    except BaseException as exception:
        system._keeper.keep(exception)
        return NAN


@ffi.def_extern()
def stic_python_measure(self: Any, i: int, state: Any, _want: int, _y: Any, out: Any) -> None:
    system = _system(self)
    try:
        system._keeper.halt()
        given = system.measure(i, state.t, system._look(state.q), system._look(state.u))
        system._write_measures(i, given, out)
    except BaseException as exception:
        system._keeper.keep(exception)
        out.gap[0] = out.chi[0] = NAN


class SystemRun(Run):
    """The run of a system written in Python."""

    @told("stic_run_assemble")
    def __init__(self, system: System, scheme: str, q: Any, u: Any, *, solver: str = "auto", accuracy: str = "standard",
                 step: float = 1e-3, policy: str = "adapt", max_halvings: int = 3, law: str = "gap", energy_alarm: float = 0.01,
                 **settings: Any) -> None:
        if not isinstance(system, System):
            raise BadArgument(f"a system is needed, not {system!r}")
        error = new_error()
        parts = ffi.new("SticRunParts*", lib.stic_run_default_parts())
        parts.system = system._handle.use()
        parts.scheme, parts.solver = lib.stic_scheme_find(text(scheme, "scheme"), error), lib.stic_solver_find(text(solver, "solver"), error)
        if parts.scheme == ffi.NULL or parts.solver == ffi.NULL:
            raise_status(lib.STIC_BAD_ARGUMENT, error)
        self._kept = self._settings(parts, scheme, settings)
        parts.accuracy = choice(accuracy, ACCURACIES, "level of accuracy")
        parts.step, parts.energy_alarm, parts.max_halvings = real(step, "step"), real(energy_alarm, "energy_alarm"), integer(max_halvings, "max_halvings", -2**31)
        parts.policy, parts.law = choice(policy, POLICIES, "policy"), choice(law, LAWS, "law of contacts")
        made = ffi.new("SticRun**")
        check(lib.stic_run_assemble(system._context.pointer, parts, made, error), error)
        self.system = system
        world = World._lent(Handle("world", ffi.NULL, lambda _: None), system._context)
        world._keeper = system._keeper
        self._begin(world, Handle("run", made[0], lib.stic_run_destroy, system._handle), made[0])
        self._world = None
        self._target, self._advance = made[0], lib.stic_run_step
        for values, given in ((self.q, q), (self.u, u)):
            if given is not None:
                values[:] = reals(given, "state", values.shape)
        system._check_potential(self.q.copy())

    @staticmethod
    def _settings(parts: Any, scheme: str, settings: dict[str, Any]) -> list[Any]:
        """Keywords into the structs of scheme and solver, which the run borrows."""
        tables: dict[str, tuple[Any, Any]] = {}
        kept: list[Any] = []
        for word, entry, member in (("scheme", parts.scheme, "scheme_settings"), ("solver", parts.solver, "solver_settings")):
            if entry.fields != ffi.NULL:
                kept.append(new_struct(entry.fields))
                setattr(parts, member, kept[-1])
                tables[word] = (entry.fields, kept[-1])
        tables["solve"] = (ffi.addressof(lib, "stic_solve_fields"), ffi.addressof(parts, "solve"))
        fill(tables, settings, f"scheme '{scheme}'")
        return kept

# SPDX-License-Identifier: Apache-2.0
"""One-step problems without bodies: matrices in, reactions out, and what can be proved about them.

    p = stiction.Problem.from_scipy(W, b, mu)
    s = stiction.solve(p, solver="auto", tol=1e-8)
    s.r, s.outcome, s.errors["unit_free"], s.history
    stiction.existence(p).verdict

Rows are in the order of the contacts, normal first; r in N s, u in m/s, and u = W r + b.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ._convert import Array, choice, flag, integer, integers, path_text, pointer, real, reals, text, told, value_of
from ._handle import Handle, Owner
from ._native import ffi, lib
from .context import Context, arena
from .errors import BadArgument, check, new_error, raise_status, text_of
from .files import hdf5, needed, problem_file
from .settings import fill, new_struct

FORMATS = {text_of(lib.stic_format_name(k)): k for k in range(lib.STIC_FORMAT_COUNT)}


class _Triplets:
    """A matrix of SciPy or NumPy as SticTriplets, with its memory."""

    def __init__(self, matrix: Any, shape: tuple[int, int], what: str) -> None:
        if hasattr(matrix, "tocoo"):
            made = matrix.tocoo()
            shown, row, col, value = made.shape, made.row, made.col, made.data
        else:
            dense = reals(matrix, what)
            shown, (row, col) = dense.shape, np.nonzero(dense) if dense.ndim == 2 else ((), ())
            value = dense[row, col] if dense.ndim == 2 else dense
        if shown != shape:
            raise BadArgument(f"{what}: the shape is {shown}, not {shape}")
        self._row, self._col = integers(row), integers(col)
        self._value = reals(value, what)
        self.given = {"count": len(self._value), "row": pointer(self._row, "int32_t*"), "col": pointer(self._col, "int32_t*"),
                      "value": pointer(self._value, "double*")}

    def check_symmetric(self, what: str) -> None:
        """Refuse what differs from its transpose by more than rounding: half of the digits, relative to the largest value."""
        if len(self._value) == 0:
            return
        low, high = np.minimum(self._row, self._col).astype(np.int64), np.maximum(self._row, self._col)
        pairs, number = np.unique(low * (1 << 31) + high, return_inverse=True)
        differences = np.abs(np.bincount(number, self._value * np.sign(self._col - self._row)))
        worst = int(differences.argmax())
        if differences[worst] > 1.5e-8 * np.abs(self._value).max():
            i, j = divmod(int(pairs[worst]), 1 << 31)
            raise BadArgument(f"{what} is not symmetric: {what}[{i}, {j}] and {what}[{j}, {i}] differ by {differences[worst]:.3g}. "
                              "Give symmetric=False if that is meant, as in linearised problems")


def _scipy(matrix: Any) -> Any:
    """A SticBlockCsr as a matrix of SciPy."""
    csr_matrix = needed("scipy.sparse", "sparse matrices").csr_matrix

    def look(member: Any, count: int, kind: str) -> Array:
        return np.frombuffer(ffi.buffer(member, count * np.dtype(kind).itemsize), kind) if count > 0 else np.zeros(0, kind)

    rows, cols = matrix.rows, matrix.cols
    row_at, col_at, begin = look(matrix.row_at, rows + 1, "i4"), look(matrix.col_at, cols + 1, "i4"), look(matrix.begin, rows + 1, "i4")
    blocks = int(begin[-1]) if rows > 0 else 0
    col, value_at = look(matrix.col, blocks, "i4"), look(matrix.value_at, blocks + 1, "i8")
    row = np.repeat(np.arange(rows), np.diff(begin))
    wide, size = np.diff(col_at)[col], np.diff(value_at)
    # number of each value within its block
    inside = np.arange(int(size.sum())) - np.repeat(np.cumsum(size) - size, size)
    at = np.repeat(value_at[:-1], size) + inside if blocks else np.zeros(0, "i8")
    value = look(matrix.value, int(value_at[-1]) if blocks else 0, "f8")[at]
    return csr_matrix((value, (np.repeat(row_at[row], size) + inside // np.repeat(wide, size),
                               np.repeat(col_at[col], size) + inside % np.repeat(wide, size))),
                      shape=(int(row_at[-1]), int(col_at[-1])))


def _vector(value: Any, what: str) -> Array:
    made = reals(value, what)
    if made.ndim != 1:
        raise BadArgument(f"{what}: a vector is needed, not an array of shape {made.shape}")
    return made


def _unpickle(data: bytes) -> Problem:
    with tempfile.TemporaryDirectory(prefix="stiction-") as folder:
        path = Path(folder) / "problem.h5"
        path.write_bytes(data)
        made: Problem = Problem.read(path)
        return made


def _given(problem: Any) -> Problem:
    if not isinstance(problem, Problem):
        raise BadArgument(f"a stiction.Problem is needed, not {problem!r}")
    return problem


class Problem(Owner):
    """A one-step problem with its own memory."""

    def __init__(self, store: Any, context: Context) -> None:
        self._context = context
        self._handle = Handle("problem", store, lib.stic_problem_destroy)

    def __reduce_ex__(self, protocol: Any) -> Any:
        """A problem is plain data: it travels as the bytes of its file."""
        with tempfile.TemporaryDirectory(prefix="stiction-") as folder:
            path = Path(folder) / "problem.h5"
            self.write(path)
            return _unpickle, (path.read_bytes(),)

    @classmethod
    def _create(cls, contacts: int, contact_rows: int, mu: Any, **parts: Any) -> Problem:
        context, made, error = Context(), ffi.new("SticProblemStore**"), new_error()
        given_mu = reals(mu, "mu")
        if given_mu.shape not in ((), (1,), (contacts,)):
            raise BadArgument(f"mu: one number, or one for each of the {contacts} contacts, is needed, not an array of shape {given_mu.shape}")
        friction = reals(np.broadcast_to(given_mu, (contacts,)), "mu")
        given = ffi.new("SticSparseProblemDef*", {"contacts": contacts, "contact_rows": contact_rows,
                                                   "mu": pointer(friction, "double*"), **parts})
        check(lib.stic_problem_create_sparse(context.pointer, given, made, error), error)
        return cls(made[0], context)

    @staticmethod
    def _count(rows: int, contact_rows: int) -> int:
        if integer(contact_rows, "contact_rows", 1, 3) not in (1, 2, 3) or rows % contact_rows != 0:
            raise BadArgument(f"{rows} rows are no contacts of {contact_rows} rows")
        return rows // contact_rows

    @classmethod
    @told("stic_problem_create_sparse")
    def from_scipy(cls, W: Any, b: Any, mu: Any, contact_rows: int = 3, symmetric: bool = True) -> Problem:
        """The local form u = W r + b; W dense or sparse, mu one number or one per contact. `contact_rows`: 3 in space, 2 in the plane,
        1 without friction. A W that is not symmetric is refused, unless `symmetric` is False: then it is taken as it is (a linearised problem).
        """
        right = _vector(b, "b")
        rows = len(right)
        W = W if hasattr(W, "tocoo") else reals(W, "W")
        if np.ndim(W) == 2 and np.shape(W)[0] == np.shape(W)[1] != rows:
            raise BadArgument(f"b: {np.shape(W)[0]} numbers are needed, as many as W has rows, not {rows}")
        held = _Triplets(W, (rows, rows), "W")
        if flag(symmetric, "symmetric"):
            held.check_symmetric("W")
        return cls._create(cls._count(rows, contact_rows), contact_rows, mu, W=held.given, b=pointer(right, "double*"))

    @classmethod
    @told("stic_problem_create_sparse")
    def from_global(cls, M: Any, H: Any, f: Any, w: Any, mu: Any, contact_rows: int = 3, symmetric: bool = True) -> Problem:
        """The global form M v = f + H r, u = H' v + w; matrices dense or sparse, H is velocities x rows. `symmetric`: of M, as of from_scipy."""
        load, shift = _vector(f, "f"), _vector(w, "w")
        dof, rows = len(load), len(shift)
        shown = np.shape(M) if not hasattr(M, "tocoo") else M.shape
        if len(shown) == 2 and shown[0] == shown[1] != dof:
            raise BadArgument(f"f: {dof} values, and M is {shown[0]} x {shown[1]}: one value per velocity is needed")
        mass, directions = _Triplets(M, (dof, dof), "M"), _Triplets(H, (dof, rows), "H")
        if flag(symmetric, "symmetric"):
            mass.check_symmetric("M")
        return cls._create(cls._count(rows, contact_rows), contact_rows, mu, dof=dof, M=mass.given, H=directions.given,
                           f=pointer(load, "double*"), w=pointer(shift, "double*"))

    @classmethod
    @told("stic_problem_read")
    def read(cls, path: str | Path, format: str = "auto") -> Problem:
        """FCLIB (HDF5) and the ASCII forms of Siconos, plain or gzip. A name that is no file may be that of a problem which comes with the package, such as "stack.h5"."""
        context, made, error = Context(), ffi.new("SticProblemStore**"), new_error()
        with hdf5():
            check(lib.stic_problem_read(context.pointer, path_text(problem_file(path)), choice(format, FORMATS, "format"), made, error), error)
        return cls(made[0], context)

    @told("stic_problem_write")
    def write(self, path: str | Path, title: str = "", description: str = "", r: Any = None, u: Any = None) -> None:
        """`r`, `u`: a solution to be stored with it. Texts are not compressed: gzip a .dat file to get a .dat.gz, which `read` takes."""
        if os.fsdecode(path_text(path)).endswith(".dat.gz"):
            raise BadArgument(f"{path}: problems are written as .dat, which gzip compresses, or as FCLIB; a .dat.gz is not written")
        error, texts = new_error(), [ffi.new("char[]", text(word, "title and description")) for word in (title, description)]
        given = ffi.new("SticMetadata*", {"title": texts[0], "description": texts[1]})
        held = [reals(part, name, (self.rows,)) for part, name in ((r, "r"), (u, "u")) if part is not None]
        guess = ffi.new("SticGuess*")
        if r is None and u is not None:
            raise BadArgument("a solution is stored as r, with or without u")
        if r is not None:
            guess.r = pointer(held[0], "double*")
            guess.u = pointer(held[-1], "double*") if u is not None else ffi.NULL
            given.solution = guess
        with hdf5():
            check(lib.stic_problem_write(self._context.pointer, self._view(), given, path_text(path), error), error)

    @told("stic_problem_view")
    def _view(self) -> Any:
        return lib.stic_problem_view(self._handle.use())

    @property
    def contacts(self) -> int:
        """Interactions, joints included."""
        return int(self._view().count)

    @property
    def rows(self) -> int:
        """Scalar rows of r and u."""
        return int(self._view().rows)

    @property
    def dof(self) -> int:
        """Velocities; 0: the local form only."""
        return int(self._view().dof)

    @property
    def laws(self) -> list[str]:
        """Law of each interaction."""
        view = self._view()
        return [text_of(lib.stic_law_name(view.law[i])) for i in range(view.count)]

    @property
    def mu(self) -> Array:
        """First coefficient of each interaction: the friction of cones."""
        view = self._view()
        return np.array([view.coef[i][0] for i in range(view.count)])

    @property
    def row_at(self) -> Array:
        """First row of each interaction, and the number of rows at the end."""
        view = self._view()
        return np.frombuffer(ffi.buffer(view.row_at, 4 * (view.count + 1)), "i4").copy()

    def _vector(self, member: Any, count: int) -> Array:
        return np.frombuffer(ffi.buffer(member, 8 * count), float).copy() if member != ffi.NULL and count > 0 else np.zeros(count)

    def _local(self, member: str) -> Any:
        """W or b, computed from the global form where they are missing."""
        memory, made, error = arena(self._context), ffi.new("SticProblem*"), new_error()
        check(lib.stic_problem_condense(memory.use(), self._view(), made, error), error)
        found = _scipy(made.W) if member == "W" else self._vector(made.b, made.rows)
        memory.close()
        return found

    @property
    @told("stic_problem_condense")
    def W(self) -> Any:
        """A sparse matrix of SciPy."""
        return self._local("W")

    @property
    def b(self) -> Array:
        """Free velocities of the local form; a copy, as are all arrays of a problem."""
        return np.asarray(self._local("b"))

    @property
    def M(self) -> Any:
        """Mass matrix of the global form as a sparse matrix of SciPy; None without one."""
        view = self._view()
        return _scipy(view.M.A) if view.M != ffi.NULL else None

    @property
    def H(self) -> Any:
        """Directions of the global form, velocities x rows; None without one."""
        view = self._view()
        return _scipy(view.Ht).T.tocsr() if view.Ht != ffi.NULL else None

    @property
    def f(self) -> Array:
        """Impulses of the global form."""
        view = self._view()
        return self._vector(view.f, view.dof)

    @property
    def w(self) -> Array:
        """Relative velocities of the global form that do not depend on v."""
        view = self._view()
        return self._vector(view.w, view.rows)

    @told("stic_problem_statistics")
    def statistics(self) -> dict[str, Any]:
        memory, made, error = arena(self._context), ffi.new("SticProblemStatistics*"), new_error()
        check(lib.stic_problem_statistics(memory.use(), self._view(), made, error), error)
        memory.close()
        found = dict(value_of(made))
        found["law"] = {text_of(lib.stic_law_name(k)): int(count) for k, count in enumerate(found["law"]) if count > 0}
        return found

    @told("stic_errors_compute")
    def errors(self, r: Any) -> dict[str, float]:
        """relative, siconos, unit_free and what double precision allows."""
        memory, made, given = arena(self._context), ffi.new("SticErrors*"), reals(r, "r", (self.rows,))
        u = np.zeros(self.rows)
        check(lib.stic_errors_compute(memory.use(), self._view(), pointer(given, "double*"), pointer(u, "double*"), made))
        memory.close()
        return dict(value_of(made))

    def __repr__(self) -> str:
        return "<Problem, closed>" if self.closed else f"<Problem, {self.contacts} interactions, {self.rows} rows, {self.dof} velocities>"


class Solution(NamedTuple):
    """What a solve did. `solved` is decided by errors recomputed from the problem's data."""

    r: Array
    u: Array
    outcome: str
    solved: bool
    method: str
    iterations: int
    errors: dict[str, float]
    history: Array
    seconds: float
    info: dict[str, Any]


def _history(info: Any) -> Array:
    """Records of a history: iteration, error, seconds."""
    dtype = np.dtype([("iteration", "i4"), ("error", "f8"), ("seconds", "f8")])
    made = np.zeros(info.history_count, dtype)
    for k in range(info.history_count):
        record = info.history[k]
        made[k] = (record.iteration, record.error, record.seconds)
    return made


@told("stic_solve")
def solve(problem: Problem, solver: str = "auto", tol: float | None = None, r: Any = None, history: bool = False, threads: int = 1,
          **settings: Any) -> Solution:
    """`tol`: the tolerance, of the measure that `norm` names. `r`: where to start. Further keywords are settings, common ones
    (stiction.settings("solve")) and those of the solver (stiction.settings("nsgs")); one that does not exist is refused with the closest.
    """
    error, problem = new_error(), _given(problem)
    entry = lib.stic_solver_find(text(solver, "solver"), error)
    if entry == ffi.NULL:
        raise_status(lib.STIC_BAD_ARGUMENT, error)
    request = ffi.new("SticSolveRequest*")
    request.solver, request.settings = entry, lib.stic_solve_default_settings()
    common = ffi.addressof(request, "settings")
    tables = {"solve": (ffi.addressof(lib, "stic_solve_fields"), common)}
    own = None
    if entry.fields != ffi.NULL:
        own = new_struct(entry.fields)
        tables = {solver: (entry.fields, own), **tables}
    fill(tables, {**({} if tol is None else {"solve.tolerance": real(tol, "tol")}), **settings}, f"solver '{solver}'")
    if r is not None and "warm_start" in settings and not common.warm_start:
        raise BadArgument("warm_start=False and a start r contradict each other: leave one of them out")
    common.warm_start, common.keep_history = r is not None or common.warm_start, flag(history, "history") or common.keep_history
    if own is not None:
        request.method_settings = own
    context = Context(threads)
    workspace = ffi.new("SticWorkspace**")
    check(lib.stic_workspace_create(context.pointer, workspace))
    memory = Handle("workspace", workspace[0], lib.stic_workspace_destroy, *context.handles)
    request.workspace = workspace[0]
    start = np.zeros(problem.rows) if r is None else reals(r, "r", (problem.rows,)).copy()
    u, info = np.zeros(problem.rows), ffi.new("SticSolveInfo*")
    check_info(lib.stic_solve(problem._view(), request, pointer(start, "double*"), pointer(u, "double*"), info), info)
    found = dict(value_of(info))
    found.pop("error")
    errors = found.pop("errors")
    made = Solution(start, u, text_of(lib.stic_outcome_name(info.outcome)), info.outcome == lib.STIC_OUTCOME_SOLVED,
                    text_of(info.method), info.iterations, errors, _history(info), info.seconds, found)
    memory.close()
    return made


def check_info(status: int, info: Any) -> None:
    """Raise with the sentence of a solve's info."""
    if status != 0:
        raise_status(status, info.error)


class Existence(NamedTuple):
    """Whether a solution exists, with evidence that was checked by substitution.

    `verdict`: "exists", "none" or "unknown"; `decided_by`: what shows it. `margin`: the least distance, m/s, by which the velocities of the witness are inside the
    cones of the sufficient condition; -inf without one. `margin_most`: no velocities have a larger one; below 0 the condition does not hold.
    `necessary_most`: the same bound for the necessary condition; below 0 there is no solution. `witness`: velocities, None unless a solution exists by them;
    `certificate`: multipliers that show a bound, None without them.
    """

    verdict: str
    decided_by: str
    margin: float
    margin_most: float
    necessary_most: float
    witness: Array | None
    certificate: Array | None
    seconds: float
    info: dict[str, Any]


@told("stic_existence_decide")
def existence(problem: Problem, **settings: Any) -> Existence:
    """Keywords: stiction.settings("existence")."""
    memory, made, error = arena(_given(problem)._context), ffi.new("SticExistence*"), new_error()
    given = ffi.new("SticExistenceSettings*", lib.stic_existence_default_settings())
    fill({"existence": (ffi.addressof(lib, "stic_existence_fields"), given)}, settings, "existence")
    check(lib.stic_existence_decide(problem._view(), given, memory.use(), made, error), error)
    view = problem._view()
    # one that was tried and does not hold is no witness
    holds = made.witness != ffi.NULL and made.verdict in (lib.STIC_VERDICT_EXISTS_ROBUST, lib.STIC_VERDICT_EXISTS_BORDERLINE)
    witness = problem._vector(made.witness, view.dof or view.rows) if holds else None
    certificate = None if made.certificate == ffi.NULL else problem._vector(made.certificate, view.rows)
    found = Existence(text_of(lib.stic_verdict_name(made.verdict)), text_of(lib.stic_certificate_name(made.decided_by)), made.margin,
                      made.margin_most, made.necessary_most, witness, certificate, made.seconds, dict(value_of(made)))
    memory.close()
    return found


class OneSolution(NamedTuple):
    """One motion that solves a problem, with one of its reactions."""

    r: Array
    u: Array
    states: list[str]
    force_dimension: int
    motion_dimension: int
    error: float


class Enumeration(NamedTuple):
    """All solutions of a small problem. `verdict` is "none" where it is proved that there is no solution, else "unknown"."""

    solutions: list[OneSolution]
    branches: int
    refuted: int
    undecided: int
    complete: bool
    verdict: str


@told("stic_solutions_enumerate")
def enumerate_solutions(problem: Problem, **settings: Any) -> Enumeration:
    """Keywords: stiction.settings("enumerate"). Also as stiction.enumerate."""
    memory, made, error = arena(_given(problem)._context), ffi.new("SticEnumeration*"), new_error()
    given = ffi.new("SticEnumerateSettings*", lib.stic_enumerate_default_settings())
    fill({"enumerate": (ffi.addressof(lib, "stic_enumerate_fields"), given)}, settings, "enumerate")
    check(lib.stic_solutions_enumerate(problem._view(), given, memory.use(), made, error), error)
    rows, count = problem.rows, problem.contacts
    solutions = []
    for k in range(made.motions):
        one = made.solution[k]
        solutions.append(OneSolution(problem._vector(one.r, rows), problem._vector(one.u, rows),
                                     [text_of(lib.stic_branch_state_name(one.state[i])) for i in range(count)], one.force_dimension,
                                     one.motion_dimension, one.error))
    found = Enumeration(solutions, made.branches, made.refuted, made.undecided, bool(made.complete),
                        text_of(lib.stic_verdict_name(made.verdict)))
    memory.close()
    return found

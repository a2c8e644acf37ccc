# SPDX-License-Identifier: Apache-2.0
"""Meshes of finite elements, for elastic bodies.

    mesh = stiction.solid_box((1, 0.1, 0.1), (40, 4, 4))
    world.body(kind="elastic", mesh=mesh, elastic=(1e9, 0.3), energy="neo-hooke", supports=mesh.within((-0.5, -1, -1), (-0.5, 1, 1)))
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ._convert import Array, Vector, choice, flag, integer, integers, path_text, pointer, reals, told, vec3
from ._native import ffi, lib
from .errors import BadArgument, check, new_error, text_of

ENERGIES = {text_of(lib.stic_solid_material_name(k)): k for k in range(lib.STIC_SOLID_MATERIAL_COUNT)}
CELLS = {text_of(lib.stic_solid_cell_name(k)): k for k in range(lib.STIC_SOLID_CELL_COUNT)}


class SolidMesh:
    """Nodes and cells of one kind; nodes may be moved before a body is made."""

    def __init__(self, nodes: Any, cells: Any, cell: str = "hex8") -> None:
        """`nodes`: places, (n, 3). `cells`: numbers of their nodes in the order of Gmsh, one row each."""
        self.cell = cell
        self._kind = choice(cell, CELLS, "kind of cell")
        self.nodes = np.array(reals(nodes, "nodes"), dtype=float)
        self.cells = np.array(integers(cells, "cells"), dtype=np.int32)
        each = lib.stic_solid_cell_nodes(self._kind)
        if self.nodes.ndim != 2 or self.nodes.shape[1] != 3:
            raise BadArgument("nodes: they are rows of three numbers")
        if self.cells.ndim != 2 or self.cells.shape[1] != each:
            raise BadArgument(f"cells: those of the kind {cell} are rows of {each} numbers of nodes")
        if self.cells.size and not 0 <= self.cells.min() <= self.cells.max() < len(self.nodes):
            raise BadArgument(f"cells: they name nodes that are not there; there are {len(self.nodes)}, counted from 0")

    def within(self, low: Vector, high: Vector, near: float = 1e-9) -> Array:
        """Numbers of the nodes in a box, with `near` times its diagonal around it."""
        a, b = np.minimum(vec3(low, "low"), vec3(high, "high")), np.maximum(vec3(low, "low"), vec3(high, "high"))
        slack = near * float(np.linalg.norm(b - a))
        return np.asarray(np.flatnonzero(((self.nodes >= a - slack) & (self.nodes <= b + slack)).all(axis=1)))

    def append(self, other: SolidMesh) -> None:
        """Append a mesh of the same kind, whose nodes and cells follow."""
        if other.cell != self.cell:
            raise BadArgument(f"a mesh of {other.cell} cannot be appended to one of {self.cell}")
        self.cells = np.vstack([self.cells, other.cells + np.int32(len(self.nodes))])
        self.nodes = np.vstack([self.nodes, other.nodes])

    def _lend(self) -> tuple[Any, list[Any]]:
        """The C struct, and the arrays that it points to."""
        nodes, cells = np.ascontiguousarray(self.nodes, dtype=float), np.ascontiguousarray(self.cells, dtype=np.int32)
        given = ffi.new("SticSolidMesh*")
        given.kind, given.nodes, given.cells = self._kind, len(nodes), len(cells)
        given.node, given.cell = ffi.cast("SticVec3*", pointer(nodes, "double*")), pointer(cells, "int32_t*")
        return given, [nodes, cells]

    def __repr__(self) -> str:
        return f"<SolidMesh of {len(self.cells)} {self.cell}, {len(self.nodes)} nodes>"


def _take(fill: Callable[[Any, Any], Any]) -> SolidMesh:
    """A mesh that C fills, copied."""
    made, error = ffi.new("SticSolidMesh*"), new_error()
    check(fill(made, error), error)
    try:
        each = lib.stic_solid_cell_nodes(made.kind)
        nodes = np.frombuffer(ffi.buffer(made.node, 24 * made.nodes)).reshape(-1, 3).copy()
        cells = np.frombuffer(ffi.buffer(made.cell, 4 * each * made.cells), dtype=np.int32).reshape(-1, each).copy()
        return SolidMesh(nodes, cells, text_of(lib.stic_solid_cell_name(made.kind)))
    finally:
        lib.stic_solid_mesh_release(made)


@told("stic_solid_box")
def solid_box(size: Vector, cells: Any, cell: str = "hex8") -> SolidMesh:
    """`size`: edge lengths of a box around the origin. `cells`: parts along each of them; tetrahedra are six per part."""
    half = [0.5 * x for x in vec3(size, "size")]
    counts = list(cells)
    if len(counts) != 3:
        raise BadArgument("cells: three numbers are needed")
    box = ffi.new("SticSolidBox*", {"low": [-x for x in half], "high": half, "kind": choice(cell, CELLS, "kind of cell"),
                                    "count": [integer(n, "cells", 1) for n in counts]})
    return _take(lambda made, error: lib.stic_solid_box(ffi.NULL, box, made, error))


@told("stic_solid_mesh_read")
def solid_mesh(path: str | Path, quadratic: bool = False) -> SolidMesh:
    name, more = path_text(path), flag(quadratic, "quadratic")
    return _take(lambda made, error: lib.stic_solid_mesh_read(ffi.NULL, name, more, made, error))

# SPDX-License-Identifier: Apache-2.0
"""Shapes: immutable geometry, used by any number of bodies of any number of worlds.

    stiction.box((0.4, 0.4, 0.2))            edge lengths
    stiction.polyhedron(points)              the hull of points, or given by its faces
    stiction.mesh_file("stone.obj")          a convex polyhedron, or a mesh, from a file
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ._convert import Array, Vector, flag, integers, mat3, path_text, pointer, quaternion, real, reals, told, value_of, vec3
from ._handle import Handle, Owner
from ._native import ffi, lib
from .context import Context
from .errors import BadArgument, check, new_error, text_of


class Shape(Owner):
    """An immutable shape."""

    def __init__(self, handle: Handle) -> None:
        self._handle = handle

    @property
    def kind(self) -> str:
        """Such as "box" or "half-space"."""
        return text_of(lib.stic_shape_kind_name(lib.stic_shape_kind(self._handle.use())))

    @property
    def size(self) -> float:
        """Diameter of the bounding sphere about the centre of mass, m; infinite for a half-space."""
        return float(lib.stic_shape_size(self._handle.use()))

    @told("stic_shape_mass")
    def mass(self, density: float = 1.0) -> dict[str, Any]:
        """A dictionary: mass, centre, inertia and the other members of SticMassProperties."""
        made, error = ffi.new("SticMassProperties*"), new_error()
        check(lib.stic_shape_mass(self._handle.use(), real(density, "density"), made, error), error)
        return dict(value_of(made))

    def __repr__(self) -> str:
        return "<Shape, closed>" if self.closed else f"<Shape {self.kind}>"


def _half(value: Any, name: str, what: str, zero: bool) -> float:
    """Half of a length, which C is given: a refusal names what the user gave."""
    number = real(value, name)
    if not 0.0 <= number < math.inf or (number == 0.0 and not zero):
        raise BadArgument(f"the {name} of a {what} must be {'at least 0' if zero else 'positive'} and finite, not {number:g}")
    return 0.5 * number


def _make(create: Any, *arguments: Any) -> Shape:
    shape, error, context = ffi.new("SticShape**"), new_error(), Context()
    check(create(context.pointer, *arguments, shape, error), error)
    return Shape(Handle("shape", shape[0], lib.stic_shape_destroy))


@told("stic_shape_create_sphere")
def sphere(radius: float) -> Shape:
    """`radius` in m."""
    return _make(lib.stic_shape_create_sphere, real(radius, "radius"))


@told("stic_shape_create_box")
def box(size: Vector) -> Shape:
    """`size`: the three edge lengths, m, as in scenes; the C function takes half of them."""
    edges = vec3(size, "size")
    if min(edges) <= 0.0:
        raise BadArgument(f"size: edge lengths above 0 are needed, not {size!r}")
    return _make(lib.stic_shape_create_box, [0.5 * x for x in edges])


@told("stic_shape_create_capsule")
def capsule(radius: float, length: float) -> Shape:
    """`length` of the whole segment, m, as in scenes."""
    return _make(lib.stic_shape_create_capsule, real(radius, "radius"), _half(length, "length", "capsule", zero=True))


@told("stic_shape_create_cylinder")
def cylinder(radius: float, height: float) -> Shape:
    """The whole `height`, m, as in scenes."""
    return _make(lib.stic_shape_create_cylinder, real(radius, "radius"), _half(height, "height", "cylinder", zero=False))


@told("stic_shape_create_ellipsoid")
def ellipsoid(semi_axes: Vector) -> Shape:
    """Three semi-axes, m."""
    return _make(lib.stic_shape_create_ellipsoid, vec3(semi_axes, "semi_axes"))


@told("stic_shape_create_half_space")
def half_space(normal: Vector = (0.0, 0.0, 1.0), offset: float = 0.0) -> Shape:
    """A floor, unless said otherwise."""
    return _make(lib.stic_shape_create_half_space, vec3(normal, "normal"), real(offset, "offset"))


def _faces(faces: Sequence[Sequence[int]]) -> tuple[Array, Array]:
    try:
        begin = integers(np.concatenate([[0], np.cumsum([len(face) for face in faces])]), "faces")
        corner = [vertex for face in faces for vertex in face]
    except TypeError:
        raise BadArgument(f"faces: lists of vertices are needed, not {faces!r}") from None
    return begin, integers(corner, "faces")


def _points(points: Any) -> Array:
    made = reals(points, "points")
    if made.ndim != 2 or made.shape[1] != 3:
        raise BadArgument(f"points: an array of n x 3 numbers is needed, not of shape {made.shape}")
    return made


@told("stic_shape_create_polyhedron")
def polyhedron(points: Any, faces: Sequence[Sequence[int]] | None = None, tolerance: float | None = None) -> Shape:
    """`points`: n x 3, m. `faces`: lists of vertices, counter-clockwise seen from outside; None: the hull of the points."""
    made = _points(points)
    given = ffi.new("SticPolyhedronDef*", lib.stic_polyhedron_default_def())
    given.vertex = pointer(made, "SticVec3*")
    given.vertex_count = len(made)
    begin, corner = _faces([] if faces is None else faces)
    if faces is not None:
        given.face_begin, given.face_vertex = pointer(begin, "int32_t*"), pointer(corner, "int32_t*")
        given.face_count = len(faces)
    if tolerance is not None:
        given.tolerance = real(tolerance, "tolerance")
    return _make(lib.stic_shape_create_polyhedron, given)


@told("stic_shape_create_mesh")
def mesh(points: Any, faces: Sequence[Sequence[int]], closed: bool = False, drop_degenerate: bool = False,
         tolerance: float | None = None) -> Shape:
    """`points`: n x 3, m; `faces`: lists of three or more vertices. `closed`: refuse a mesh that is open or inside out. Without it such a
    mesh is taken, as ground is; mass from a mesh is right for a closed one only, and is refused where it is not positive.
    """
    made = _points(points)
    given = ffi.new("SticMeshDef*", lib.stic_mesh_default_def())
    begin, corner = _faces(faces)
    given.vertex, given.vertex_count = pointer(made, "SticVec3*"), len(made)
    given.face_begin, given.face_vertex = pointer(begin, "int32_t*"), pointer(corner, "int32_t*")
    given.face_count = len(faces)
    given.closed, given.drop_degenerate = flag(closed, "closed"), flag(drop_degenerate, "drop_degenerate")
    if tolerance is not None:
        given.tolerance = real(tolerance, "tolerance")
    return _make(lib.stic_shape_create_mesh, given)


@told("stic_shape_create_height_field")
def height_field(heights: Any, dx: float, dy: float) -> Shape:
    """`heights`: rows along y of points along x, m. Point heights[j, i] lies at (i dx, j dy, heights[j, i]) in the frame of the shape: its origin is below or above
    the first point, at the corner of the field and not at its centre."""
    made = reals(heights, "heights")
    if made.ndim != 2:
        raise BadArgument("heights: a matrix is needed")
    given = ffi.new("SticHeightFieldDef*", {"height": pointer(made, "double*"), "rows": made.shape[0], "columns": made.shape[1],
                                             "dx": real(dx, "dx"), "dy": real(dy, "dy")})
    return _make(lib.stic_shape_create_height_field, given)


@told("stic_shape_create_compound")
def compound(parts: Sequence[Any], tolerance: float | None = None) -> Shape:
    """`parts`: shapes, or (shape, position) or (shape, position, orientation)."""
    if not isinstance(parts, (tuple, list)):
        raise BadArgument(f"parts: a list of shapes is needed, not {parts!r}")
    rows = [part if isinstance(part, (tuple, list)) else (part,) for part in parts]
    for row in rows:
        if not row or not isinstance(row[0], Shape):
            raise BadArgument(f"parts: {row[0] if row else row!r} is no shape; see stiction.box and others")
    shapes = ffi.new("const SticShape*[]", [row[0]._handle.use() for row in rows])
    poses = ffi.new("SticPose[]", len(rows))
    for k, row in enumerate(rows):
        poses[k] = pose(row[1] if len(row) > 1 else (0, 0, 0), row[2] if len(row) > 2 else (1, 0, 0, 0))
    given = ffi.new("SticCompoundDef*", lib.stic_compound_default_def())
    given.shape, given.pose, given.count = shapes, poses, len(rows)
    if tolerance is not None:
        given.tolerance = real(tolerance, "tolerance")
    return _make(lib.stic_shape_create_compound, given)


def pose(position: Vector, orientation: Any = (1, 0, 0, 0)) -> Any:
    """A rigid SticPose."""
    w, x, y, z = quaternion(orientation)
    size = w * w + x * x + y * y + z * z
    if size == 0.0:
        raise BadArgument("orientation: a quaternion of length 0")
    w, x, y, z = (part / size ** 0.5 for part in (w, x, y, z))
    rotation = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
    return lib.stic_pose_rigid(mat3(rotation, "orientation"), vec3(position, "position"))


class MeshFile:
    """Vertices, faces and elements of an .stl, .obj or .msh file as arrays."""

    @told("stic_mesh_data_read")
    def __init__(self, path: str | Path) -> None:
        data, error, context = ffi.new("SticMeshData*"), new_error(), Context()
        check(lib.stic_mesh_data_read(context.pointer, path_text(path), data, error), error)
        self._handle = Handle("mesh", data, lib.stic_mesh_data_release)

    @property
    def points(self) -> Array:
        """n x 3, m."""
        data = self._handle.use()
        return np.frombuffer(ffi.buffer(data.vertex, data.vertex_count * 24), float).reshape(-1, 3).copy()

    @property
    def faces(self) -> list[list[int]]:
        """Vertices of each face."""
        data = self._handle.use()
        return [[data.face_vertex[k] for k in range(data.face_begin[i], data.face_begin[i + 1])]
                for i in range(data.face_count)]

    @property
    def elements(self) -> int:
        """Number of volume elements."""
        return int(self._handle.use().element_count)

    @told("stic_polyhedron_def_from")
    def polyhedron(self) -> Shape:
        """The file's faces as a convex polyhedron."""
        return _make(lib.stic_shape_create_polyhedron, ffi.new("SticPolyhedronDef*", lib.stic_polyhedron_def_from(self._handle.use())))

    @told("stic_mesh_def_from")
    def mesh(self, closed: bool = False) -> Shape:
        """The file's faces as a mesh."""
        given = ffi.new("SticMeshDef*", lib.stic_mesh_def_from(self._handle.use()))
        given.closed = flag(closed, "closed")
        return _make(lib.stic_shape_create_mesh, given)

    @told("stic_elements_def_from", "stic_shape_create_elements")
    def compound(self) -> Shape:
        """The file's volume elements as one body."""
        return _make(lib.stic_shape_create_elements, ffi.new("SticElementsDef*", lib.stic_elements_def_from(self._handle.use())))


def mesh_file(path: str | Path, convex: bool = True) -> Shape:
    """A shape of an .stl, .obj or .msh file: volume elements if it has any, else a convex polyhedron, or a closed mesh."""
    data = MeshFile(path)
    if data.elements > 0:
        return data.compound()
    return data.polyhedron() if flag(convex, "convex") else data.mesh(closed=True)


__all__ = ["MeshFile", "Shape", "box", "capsule", "compound", "cylinder", "ellipsoid", "half_space", "height_field", "mesh",
           "mesh_file", "polyhedron", "sphere"]

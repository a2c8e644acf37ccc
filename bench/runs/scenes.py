# SPDX-License-Identifier: Apache-2.0
"""The scenes of bench/runs: plain numbers, written as Lua for us and as lines of text for the drivers of other engines."""

import math
import random


class Scene:
    """Bodies of one material on planes, in a common step; shapes and bodies are referred to by their numbers."""

    def __init__(self, steps, density=1000.0, friction=0.5):
        self.step, self.steps, self.density, self.friction = 2e-3, steps, density, friction
        self.planes, self.shapes, self.bodies, self.joints = [], [], [], []
        self.smooth_walls = False  # planes but the first have no friction; for us alone

    def shape(self, kind, *numbers, mass=None):
        """sphere radius | box half sizes | hull points | drum radius, half width, plates; mass: (mass, principal moments)."""
        self.shapes.append((kind, numbers, mass))
        return len(self.shapes) - 1

    def body(self, shape, position, orientation=(1, 0, 0, 0), velocity=(0, 0, 0), spin=(0, 0, 0), driven=False):
        self.bodies.append((shape, tuple(position), tuple(orientation), tuple(velocity), tuple(spin), driven))

    def walls(self, half):
        """A floor and four walls around it."""
        self.planes.append(((0, 0, 1), 0.0))
        for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            self.planes.append(((-x, -y, 0), -half))

    def mass(self, shape):
        kind, numbers, mass = self.shapes[shape]
        if mass is not None:
            return mass
        if kind == "sphere":
            m = self.density * 4 / 3 * math.pi * numbers[0] ** 3
            return m, [0.4 * m * numbers[0] ** 2] * 3
        if kind == "drum":
            return 1.0, [1.0] * 3
        a, b, c = numbers
        m = self.density * 8 * a * b * c
        return m, [m / 3 * (b * b + c * c), m / 3 * (a * a + c * c), m / 3 * (a * a + b * b)]

    def lua(self, state=None, steps=None):
        """The scene for us; `state`: 13 numbers for each body instead of where it begins."""
        out = [f'material{{name = "stone", density = {self.density!r}, friction = {self.friction!r}}}', "local s = {}"]
        if self.smooth_walls:
            out.append('material{name = "smooth", friction = 0}\nsurface{between = {"stone", "smooth"}, friction = 0}')
        for i, (normal, offset) in enumerate(self.planes):
            material = "smooth" if self.smooth_walls and i > 0 else "stone"
            out.append(f'body{{name = "plane{i}", kind = "fixed", shape = shape.half_space{{normal = {braces(normal)}, '
                       f'offset = {offset!r}, material = "{material}"}}}}')
        for i, (kind, numbers, _) in enumerate(self.shapes):
            out.append(f"s[{i}] = {lua_shape(kind, numbers)}")
        for i, (shape, position, orientation, velocity, spin, driven) in enumerate(self.bodies):
            if state is not None:
                position, orientation, velocity, spin = state[i][:3], state[i][3:7], state[i][7:10], state[i][10:13]
            m, moments = self.mass(shape)
            own = f", mass = {m!r}, inertia = {braces(moments)}, centre = {{0, 0, 0}}" if self.shapes[shape][0] == "hull" else ""
            out.append(f'body{{name = "b{i}", kind = "{"prescribed" if driven else "rigid"}", shape = s[{shape}], position = {braces(position)}, '
                       f'orientation = {braces(orientation)}, velocity = {braces(velocity)}, angular_velocity = {braces(spin)}{own}}}')
        for i, (a, b, point) in enumerate(self.joints):
            out.append(f'joint.point{{name = "j{i}", a = "{"ground" if a < 0 else f"b{a}"}", b = "b{b}", point = {braces(point)}, contacts = false}}')
        steps = steps or self.steps
        out.append(f'run{{step = {self.step!r}, duration = {self.step * steps!r}}}')
        return "\n".join(out) + "\n"

    def text(self):
        """The scene for the drivers of other engines (bench/peers/run_peer.h)."""
        out = [f"step {self.step!r}", f"steps {self.steps}", f"friction {self.friction!r}"]
        out += [f"plane {spaces(normal)} {offset!r}" for normal, offset in self.planes]
        for kind, numbers, _ in self.shapes:
            plates = plates_of(*numbers) if kind == "drum" else []
            flat = [x for plate in plates for part in plate for x in part] if plates else list(flatten(numbers))
            out.append(f"shape {kind} {len(flat)} {spaces(flat)}")
        for shape, position, orientation, velocity, spin, driven in self.bodies:
            m, moments = self.mass(shape)
            out.append(f"body {int(driven)} {shape} {m!r} {spaces([*moments, *position, *orientation, *velocity, *spin])}")
        out += [f"joint {a} {b} {spaces(point)}" for a, b, point in self.joints]
        return "\n".join(out) + "\n"


def braces(numbers):
    return "{" + ", ".join(repr(float(x)) for x in numbers) + "}"


def spaces(numbers):
    return " ".join(repr(float(x)) for x in numbers)


def flatten(numbers):
    for x in numbers:
        if isinstance(x, (tuple, list)):
            yield from flatten(x)
        else:
            yield x


def turn(axis, angle):
    return (math.cos(angle / 2), *(math.sin(angle / 2) * x for x in axis))


def plates_of(radius, width, count):
    """Plates of a drum around the y axis: centre, orientation, half sizes."""
    half = (radius + 0.1) * math.tan(math.pi / count)
    return [(((radius + 0.05) * math.sin(a), 0.0, -(radius + 0.05) * math.cos(a)), turn((0, 1, 0), -a), (half, width, 0.05))
            for a in (2 * math.pi * k / count for k in range(count))]


def lua_shape(kind, numbers):
    if kind == "sphere":
        return f'shape.sphere{{radius = {numbers[0]!r}, material = "stone"}}'
    if kind == "box":
        return f'shape.box{{size = {braces([2 * x for x in numbers])}, material = "stone"}}'
    if kind == "hull":
        return f'shape.hull{{points = {{{", ".join(braces(p) for p in numbers)}}}, material = "stone"}}'
    return "{" + ", ".join(f'shape.box{{size = {braces([2 * x for x in h])}, material = "stone", position = {braces(p)}, orientation = {braces(q)}}}'
                           for p, q, h in plates_of(*numbers)) + "}"


# ---- mass of hulls

def centred(points, density):
    """Points about the centre of mass in principal axes, mass and moments of their hull, and where its frame lies."""
    import numpy as np
    from scipy.spatial import ConvexHull
    points = np.asarray(points)
    hull = ConvexHull(points)
    middle, volume, first, second = points[hull.vertices].mean(0), 0.0, np.zeros(3), np.zeros((3, 3))
    for triangle in hull.simplices:
        corners = points[triangle] - middle
        six = abs(np.linalg.det(corners))
        total = corners.sum(0)
        volume, first = volume + six / 6, first + six / 24 * total
        second += six / 120 * (np.outer(total, total) + corners.T @ corners)
    first /= volume
    second -= volume * np.outer(first, first)
    moments, axes = np.linalg.eigh(density * (np.trace(second) * np.eye(3) - second))
    if np.linalg.det(axes) < 0:
        axes[:, 0] *= -1
    local = (points[hull.vertices] - middle - first) @ axes
    return [tuple(map(float, p)) for p in local], (float(density * volume), [float(x) for x in moments]), middle + first, axes


def quaternion(axes):
    """Of a rotation matrix, by its largest component."""
    (a, b, c), (d, e, f), (g, h, i) = axes
    squares = (1 + a + e + i, 1 + a - e - i, 1 - a + e - i, 1 - a - e + i)
    rows = ((squares[0], h - f, c - g, d - b), (h - f, squares[1], b + d, c + g),
            (c - g, b + d, squares[2], f + h), (d - b, c + g, f + h, squares[3]))
    best = max(range(4), key=lambda k: squares[k])
    return tuple(float(x) / (2 * math.sqrt(squares[best])) for x in rows[best])


# ---- the scenes

def pyramid(courses, steps):
    scene, half, into = Scene(steps), 0.1, 1e-6
    scene.planes.append(((0, 0, 1), 0.0))
    box = scene.shape("box", half, half, half)
    for row in range(courses):
        for i in range(courses - row):
            scene.body(box, ((i - (courses - row - 1) / 2) * 0.22, 0, half - into + row * (2 * half - into)))
    return scene


def pile(count, steps, columns=None):
    scene, r, draw = Scene(steps), 0.05, random.Random(1)
    columns = columns or math.ceil(math.sqrt(count / 10))
    scene.walls(columns * 2.2 * r / 2)
    sphere = scene.shape("sphere", r)
    for k in range(count):
        i, j, layer = k % columns, k // columns % columns, k // columns ** 2
        x, y, z = ((n - (columns - 1) / 2) * 2.2 * r for n in (i, j, layer))
        x, y, z = (c + draw.uniform(-0.1 * r, 0.1 * r) for c in (x, y, 1.1 * r + layer * 2.2 * r))
        scene.body(sphere, (x, y, max(z, 1.0001 * r)))
    return scene


def drum(count, steps):
    scene, r, radius, width, draw = Scene(steps), 0.03, 0.8, 0.4, random.Random(2)
    sphere, shell = scene.shape("sphere", r), scene.shape("drum", radius, width / 2 + 0.1, 40)
    scene.planes += [((0, 1, 0), -width / 2), ((0, -1, 0), -width / 2)]
    scene.body(shell, (0, 0, 0), spin=(0, -1.0, 0), driven=True)
    apart, z = 2.15 * r, -radius + 0.1
    while len(scene.bodies) <= count:
        across = int(2 * (math.sqrt((radius - r - 0.04) ** 2 - z * z) - r) / apart)
        along = int(width / apart)
        for i, j in ((i, j) for i in range(across) for j in range(along)):
            if len(scene.bodies) <= count:
                place = ((i - (across - 1) / 2) * apart, (j - (along - 1) / 2) * apart, z)
                scene.body(sphere, [x + draw.uniform(-0.02 * r, 0.02 * r) for x in place])
        z += apart
    return scene


def wall(courses, steps):
    """A wall in running bond, hit in its middle by a ball of half a metre at 12 m/s."""
    scene, length, width, height = Scene(steps), 0.25, 0.12, 0.1
    scene.planes.append(((0, 0, 1), 0.0))
    whole, part = (scene.shape("box", size / 2, width / 2, height / 2) for size in (length, length / 2))
    for row in range(courses):
        z = height / 2 - 1e-6 + row * (height - 1e-6)
        if row % 2 == 1:
            for side in (-1, 1):
                scene.body(part, (side * (courses * length / 2 - length / 4), 0, z))
        across = courses - row % 2
        for i in range(across):
            scene.body(whole, ((i - (across - 1) / 2) * length, 0, z))
    scene.body(scene.shape("sphere", 0.25), (0.03, -1.0, courses * height / 2), velocity=(0, 12, 0))
    return scene


def rocks(count, steps, columns=6):
    scene, draw = Scene(steps, density=2600.0), random.Random(3)
    scene.walls(columns * 0.4 / 2)
    for k in range(count):
        points = []
        for _ in range(14):
            z, a, r = draw.uniform(-1, 1), draw.uniform(0, 2 * math.pi), draw.uniform(0.12, 0.18)
            points.append((r * math.sqrt(1 - z * z) * math.cos(a), r * math.sqrt(1 - z * z) * math.sin(a), r * z))
        local, mass, _, _ = centred(points, scene.density)
        axis = [draw.gauss(0, 1) for _ in range(4)]
        length = math.sqrt(sum(x * x for x in axis))
        place = (k % columns, k // columns % columns, k // columns ** 2)
        scene.body(scene.shape("hull", *local, mass=mass),
                   [(n - (columns - 1) / 2) * 0.4 for n in place[:2]] + [0.25 + place[2] * 0.4], [x / length for x in axis])
    return scene


def chain(links, steps):
    """Hanging from one end, let go where it is level."""
    scene = Scene(steps)
    box = scene.shape("box", 0.1, 0.02, 0.02)
    for i in range(links):
        scene.body(box, (0.1 + 0.2 * i, 0, 0))
        scene.joints.append((i - 1, i, (0.2 * i, 0, 0)))
    return scene


def dominoes(count, steps):
    scene, thick, width, height, apart = Scene(steps), 0.008, 0.024, 0.048, 0.024
    scene.planes.append(((0, 0, 1), 0.0))
    box = scene.shape("box", thick / 2, width / 2, height / 2)
    for i in range(count):
        first = 4.0 if i == 0 else 0.0
        scene.body(box, (i * apart, 0, height / 2 - 1e-7), velocity=(first * height / 2, 0, 0), spin=(0, first, 0))
    return scene


def arch(blocks, steps, radius=10.0, thick=1.5, width=5.0):
    """Half a circle of dry voussoirs on the ground."""
    scene = Scene(steps, density=2400.0)
    scene.planes.append(((0, 0, 1), 0.0))
    for k in range(blocks):
        points = [(r * math.cos(a), y, r * math.sin(a)) for a in (math.pi * k / blocks, math.pi * (k + 1) / blocks)
                  for r in (radius - thick / 2, radius + thick / 2) for y in (-width / 2, width / 2)]
        local, mass, place, axes = centred(points, scene.density)
        scene.body(scene.shape("hull", *local, mass=mass), map(float, place), quaternion(axes))
    return scene


SCENES = {
    "pyramid-10": lambda: pyramid(10, 500), "pyramid-30": lambda: pyramid(30, 300), "pyramid-100": lambda: pyramid(100, 60),
    "arch-27": lambda: arch(27, 300), "pile-300": lambda: pile(300, 1000), "pile-1000": lambda: pile(1000, 1000),
    "pile-5000": lambda: pile(5000, 600, 28), "pile-20000": lambda: pile(20000, 100, 60), "pile-100000": lambda: pile(100000, 60, 130),
    "drum-2000": lambda: drum(2000, 500),
    "wall-20": lambda: wall(20, 300), "rocks-500": lambda: rocks(500, 600), "chain-100": lambda: chain(100, 500),
    "dominoes-200": lambda: dominoes(200, 1000),
    # small ones for counted work
    "pile-60": lambda: pile(60, 300), "wall-8": lambda: wall(8, 150), "pyramid-5": lambda: pyramid(5, 100), "chain-10": lambda: chain(10, 200),
    "dominoes-20": lambda: dominoes(20, 200), "rocks-20": lambda: rocks(20, 200, 2),
}

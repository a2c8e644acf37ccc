# SPDX-License-Identifier: Apache-2.0
"""Blocks of an assembly, as COMPAS and others write them in JSON, become a world: vertices and faces of each block, supports stay.

    python3 examples/python/assembly.py [assembly.json]

    {"blocks": [{"name": "b0", "vertices": [[x, y, z], …], "faces": [[0, 1, 2, 3], …], "is_support": false}, …]}
"""

import json
import sys

import numpy as np

import stiction


def box(name, low, high, support=False):
    """A block as a mesh, for the example without a file."""
    vertices = [[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])]
    faces = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    return {"name": name, "vertices": vertices, "faces": faces, "is_support": support}


def trilith():
    """Two posts on a base and a lintel over them."""
    return {"blocks": [box("base", (-2, -0.5, -0.5), (2, 0.5, 0), True), box("left", (-1.5, -0.4, 0), (-0.9, 0.4, 2)),
                       box("right", (0.9, -0.4, 0), (1.5, 0.4, 2)), box("lintel", (-1.7, -0.4, 2), (1.7, 0.4, 2.5))]}


def load(assembly, density=2400.0, friction=0.6):
    """A world of the blocks; each body's frame is at the mean of its vertices."""
    world = stiction.World(density=density, friction=friction)
    for block in assembly["blocks"]:
        vertices = np.asarray(block["vertices"], dtype=float)
        centre = vertices.mean(axis=0)
        world.body(shape=stiction.polyhedron(vertices - centre, block["faces"]), position=centre, name=block["name"],
                   kind="fixed" if block.get("is_support") else "rigid")
    return world


def main():
    assembly = json.load(open(sys.argv[1], encoding="utf-8")) if len(sys.argv) > 1 else trilith()
    world = load(assembly)
    run = world.run(step=2e-3)
    run.until(0.5)
    names = [block["name"] for block in assembly["blocks"]]
    contacts = run.contacts
    for pair in sorted({tuple(row) for row in contacts["body"]["index"].tolist()}):
        here = (contacts["body"]["index"] == pair).all(axis=1)
        force = contacts["force"][here].sum(axis=0)
        print(f"{names[pair[1]]} on {names[pair[0]]}: {np.round(force, 1) + 0.0} N in {here.sum()} points")
    print(f"largest speed after {run.time:.1f} s: {np.abs(run.velocities).max():.1e} m/s")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""The five worlds of five_scenes.c in Lua and in Python."""

import stiction

CORNERS = [(-0.5, -0.3, 0), (0.5, -0.3, 0), (0.5, 0.3, 0), (-0.5, 0.3, 0), (-0.4, -0.25, 0.4), (0.4, -0.25, 0.5), (0.4, 0.25, 0.5),
           (-0.4, 0.25, 0.4)]

LUA = {
    "stack": """
        body{kind = "fixed", shape = shape.half_space{offset = 0}}
        for i = 0, 4 do
          body{position = {0.01 * i, 0, 0.1 + 0.2 * i}, shape = shape.box{size = {0.4, 0.3, 0.2}}}
        end
        run{step = 1e-3, duration = 0.5}""",
    "crank": """
        body{name = "arm", mass = 2, position = {0.5, 0, 0}, shape = shape.box{size = {1, 0.1, 0.1}}}
        body{name = "bob", mass = 1, position = {1, 0, -1}, shape = shape.sphere{radius = 0.1}}
        joint{kind = "hinge", a = "arm", b = "ground", point = {0, 0, 0}, axis = {0, 1, 0}, driven = true, speed = 3, drive_force = 40}
        joint{kind = "rod", a = "bob", b = "arm", point = {1, 0, -1}, axis = {0, 0, 1}, to = {1, 0, 0}}
        scheme "koziara"
        run{step = 2e-3, duration = 1}""",
    "balls": """
        gravity{0.5, 0, -9.81}
        material{name = "rubber", density = 1200, friction = 0.8, restitution = 0.7}
        body{kind = "fixed", shape = shape.half_space{offset = 0}}
        for i = 0, 3 do
          body{position = {0.05 * i, 0.02 * i, 0.5 + 0.3 * i}, velocity = {1, 0, 0}, angular_velocity = {0, 5, 1},
               shape = shape.sphere{radius = 0.1 + 0.01 * i, material = "rubber"}}
        end
        scheme "theta" {theta = 0.6}
        run{step = 1e-3, duration = 1}""",
    "wedges": """
        local stone = {points = {%s}}
        body{kind = "fixed", shape = shape.half_space{offset = 0}}
        for i = 0, 2 do
          body{position = {0.05 * i, 0, 0.02 + 0.6 * i}, orientation = {0.8, 0, 0, 0.6}, shape = shape.polyhedron(stone)}
        end
        run{step = 2e-3, duration = 1, accuracy = "strict"}""" % ", ".join("{%r, %r, %r}" % corner for corner in CORNERS),
    "rolling": """
        gravity{3, 0, -9}
        material{name = "soft", law = "rolling", rolling = 0.01}
        body{kind = "fixed", shape = shape.half_space{offset = 0, material = "soft"}}
        for i = 0, 2 do
          body{position = {0.5 * i, 0, 0.25}, shape = shape.sphere{radius = 0.25, material = "soft"}}
        end
        solver "nsgs"
        run{step = 1e-3, duration = 0.5}""",
}


def stack():
    w = stiction.World()
    w.body(shape=stiction.half_space(), kind="fixed")
    for i in range(5):
        w.body(shape=stiction.box((0.4, 0.3, 0.2)), position=(0.01 * i, 0, 0.1 + 0.2 * i))
    return w.run(), 0.5


def crank():
    w = stiction.World()
    arm = w.body(mass=2, position=(0.5, 0, 0), shape=stiction.box((1, 0.1, 0.1)))
    bob = w.body(mass=1, position=(1, 0, -1), shape=stiction.sphere(0.1))
    w.joint.hinge(arm, point=(0, 0, 0), axis=(0, 1, 0), drive=3, drive_force=40)
    w.joint.rod(bob, arm, point=(1, 0, -1), to=(1, 0, 0))
    return w.run(scheme="koziara", step=2e-3), 1.0


def balls():
    w = stiction.World(gravity=(0.5, 0, -9.81))
    rubber = w.material("rubber", density=1200, friction=0.8, restitution=0.7)
    w.body(shape=stiction.half_space(), kind="fixed")
    for i in range(4):
        w.body(shape=stiction.sphere(0.1 + 0.01 * i), position=(0.05 * i, 0.02 * i, 0.5 + 0.3 * i), velocity=(1, 0, 0),
               angular_velocity=(0, 5, 1), material=rubber)
    return w.run(scheme="theta", theta=0.6), 1.0


def wedges():
    w = stiction.World()
    stone = stiction.polyhedron(CORNERS)
    w.body(shape=stiction.half_space(), kind="fixed")
    for i in range(3):
        w.body(shape=stone, position=(0.05 * i, 0, 0.02 + 0.6 * i), orientation=(0.8, 0, 0, 0.6))
    return w.run(accuracy="strict", step=2e-3), 1.0


def rolling():
    w = stiction.World(gravity=(3, 0, -9))
    soft = w.material("soft", law="rolling", rolling=0.01)
    w.body(shape=stiction.half_space(), kind="fixed", material=soft)
    for i in range(3):
        w.body(shape=stiction.sphere(0.25), position=(0.5 * i, 0, 0.25), material=soft)
    return w.run(solver="nsgs"), 0.5


PYTHON = {"stack": stack, "crank": crank, "balls": balls, "wedges": wedges, "rolling": rolling}

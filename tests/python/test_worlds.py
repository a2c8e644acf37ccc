# SPDX-License-Identifier: Apache-2.0
"""Worlds, runs, controls, motions and systems written in Python, against formulas."""

import math

import numpy as np
import pytest

import stiction


def stack(boxes=5, **options):
    w = stiction.World()
    w.body(shape=stiction.half_space(), kind="fixed", name="floor")
    bodies = [w.body(shape=stiction.box((1, 1, 1)), position=(0, 0, i + 0.5), name=f"box {i}") for i in range(boxes)]
    return w, bodies, w.run(**options)


def test_forces_of_a_stack():
    w, bodies, run = stack(5)
    run.until(0.2)
    contacts = run.contacts
    up = np.zeros(6)
    np.add.at(up, contacts["body"]["index"][:, 0], contacts["force"][:, 2])
    np.add.at(up, contacts["body"]["index"][:, 1], -contacts["force"][:, 2])
    print("net contact force of each body, N:", up)
    # accuracy `standard`: errors are worth 1e-6 of what gravity gives in a step
    assert up[1:] == pytest.approx(np.full(5, 9810.0), abs=1e-2)
    assert up[0] == pytest.approx(-5 * 9810.0, abs=5e-2)
    assert contacts.dtype["force"].shape == (3,)
    assert set(contacts["status"]) <= {0, 1}
    assert run.info["solve"]["outcome"] == "solved"
    assert run.totals["steps"] == 200
    assert run.notices == []


@pytest.mark.parametrize("scheme", ["consistent", "decomposed", "moreau", "theta", "koziara"])
def test_status_follows_from_slip(scheme):
    """A box that slides and spins: all corners slide, by 0.5 m/s at least, and their status says so."""
    w = stiction.World(friction=0.5)
    w.body(shape=stiction.half_space(), kind="fixed")
    w.body(shape=stiction.box((0.2, 0.2, 0.2)), position=(0, 0, 0.1), velocity=(1, 0.3, 0), angular_velocity=(0, 0, 5))
    run = w.run(scheme, step=1e-3)
    for _ in range(50):
        run.step()
        loaded = run.contacts[run.contacts["force"][:, 2] > 0]
        slip = np.linalg.norm(loaded["slip"], axis=1)
        assert len(loaded) >= 2
        assert (loaded["status"][slip > 1e-2] == 2).all(), (run.time, slip, loaded["status"])
    # below its friction angle it sticks
    w.set_gravity((2.0, 0, -9.0))
    run = w.run(scheme, step=1e-3)
    run.set_twist(w.bodies[1])
    run.step(20)
    loaded = run.contacts[run.contacts["force"][:, 2] > 0]
    assert len(loaded) >= 3 and set(loaded["status"]) == {1}


def test_free_fall_and_names():
    w = stiction.World(gravity=(0, 0, -10))
    ball = w.body(shape=stiction.sphere(0.1), position=(0, 0, 100), velocity=(1, 0, 0), name="ball")
    run = w.run(step=1e-2)
    run.step(100)
    pose, twist = run.pose(ball), run.twist(ball)
    assert run.time == pytest.approx(1.0, abs=1e-12)
    assert pose.position == pytest.approx([1, 0, 95], abs=1e-9)  # the midpoint rule is exact for constant forces
    assert twist.velocity == pytest.approx([1, 0, -10], abs=1e-12)
    assert run.positions == pytest.approx(pose.position[None, :])
    assert w.find("ball") == ball and w.find("nobody") is None
    kinetic, potential = run.energy
    mass = 1000 * 4 / 3 * math.pi * 0.1**3
    assert kinetic == pytest.approx(0.5 * mass * 101, rel=1e-12)


def test_states_and_loads_between_steps():
    w = stiction.World(gravity=(0, 0, 0))
    ball = w.body(shape=stiction.sphere(0.1), mass=2.0)
    run = w.run(step=1e-2)
    run.set_pose(ball, (1, 2, 3), ((0, 0, 1), math.pi / 2))
    run.set_twist(ball, (0, 1, 0))
    assert run.pose(ball).orientation == pytest.approx([math.sqrt(0.5), 0, 0, math.sqrt(0.5)])
    run.step(10)
    assert run.pose(ball).position == pytest.approx([1, 2.1, 3])
    ball.set_force((4, 0, 0))
    run.step(10)
    assert run.twist(ball).velocity == pytest.approx([4 / 2.0 * 0.1, 1, 0])


def test_snapshots_go_on_with_the_same_bits(tmp_path):
    w, bodies, run = stack(3)
    run.set_twist(bodies[2], (0.5, 0, 0))
    run.step(20)
    snapshot = run.snapshot()
    run.save(tmp_path / "state")
    run.step(30)
    end = run.hash
    run.restore(snapshot)
    assert run.time == pytest.approx(0.02)
    assert len(run.contacts) == 0
    run.step(30)
    assert run.hash == end
    other = w.run()
    other.load(tmp_path / "state")
    other.step(30)
    assert other.hash == end


def test_snapshots_of_other_runs_are_refused(tmp_path):
    w, _, run = stack(3)
    run.step(5)
    snapshot, before = run.snapshot(), w.run(step=2e-3).hash
    run.save(tmp_path / "state")
    for options, words in (({"step": 2e-3}, "steps of 0.001 s"), ({"scheme": "koziara"}, "scheme 'moreau'"), ({"scheme": "theta", "theta": 0.6}, "theta")):
        other = w.run(**options)
        for call in (lambda: other.restore(snapshot), lambda: other.load(tmp_path / "state")):
            with pytest.raises(stiction.BadData, match=words):
                call()
        assert other.time == 0.0
        other.step()
    assert w.run(step=2e-3).hash == before
    # bodies of other kinds or names are another world, though of the same size
    for change in ({"name": "other"}, {"kind": "pseudo-rigid", "elastic": (1e9, 0.2), "name": "box 2"}):
        v = stiction.World()
        v.body(shape=stiction.half_space(), kind="fixed", name="floor")
        for i in range(2):
            v.body(shape=stiction.box((1, 1, 1)), position=(0, 0, i + 0.5), name=f"box {i}")
        v.body(shape=stiction.box((1, 1, 1)), position=(0, 0, 2.5), **change)
        with pytest.raises(stiction.BadData):
            v.run().restore(snapshot)
    # and so are bodies of another size, place of a shape, mass or density
    def one(shape=None, density=1000, **options):
        v = stiction.World(density=density)
        v.body(shape=stiction.half_space(), kind="fixed")
        v.body(shape=shape or stiction.sphere(0.1), position=(0, 0, 1), **options)
        return v.run()

    first = one().snapshot()
    one().restore(first)
    for change in ({"shape": stiction.sphere(0.3)}, {"mass": 500.0}, {"density": 2000}, {"shape": [(stiction.sphere(0.1), (0.1, 0, 0))]}):
        with pytest.raises(stiction.BadData, match="masses, shapes"):
            one(**change).restore(first)
    # another friction is a question one may ask
    v = stiction.World(friction=0.1)
    v.body(shape=stiction.half_space(), kind="fixed", name="floor")
    for i in range(3):
        v.body(shape=stiction.box((1, 1, 1)), position=(0, 0, i + 0.5), name=f"box {i}")
    other = v.run()
    other.restore(snapshot)
    assert other.hash == run.hash


def test_bodies_and_joints_of_a_world():
    w, bodies, run = stack(2)
    assert len(w) == 3 and list(w)[1:] == bodies and [body.name for body in w] == ["floor", "box 0", "box 1"]
    assert w["box 1"] == bodies[1] and run.pose("box 1").position == pytest.approx([0, 0, 1.5])
    with pytest.raises(KeyError, match="did you mean 'box 1'"):
        w["box1"]
    with pytest.raises(stiction.BadArgument, match="did you mean 'box 0'"):
        run.twist("box0")
    run.control_body("box 0", lambda t: (0, 0, 0))
    run.step()
    hinge = w.joint.hinge("box 0", bodies[1], point=(0, 0, 1), axis=(0, 1, 0), name="knee")
    assert w.joints == [hinge] and hinge.kind == "hinge" and repr(hinge) == "<Joint 0 hinge knee>"
    bodies[1].remove()
    assert len(w) == 2 and w.joints == [] and repr(w) == "<World, 2 bodies, 0 joints>"
    with pytest.raises(AttributeError, match="did you mean 'hinge'"):
        w.joint.hing
    scene = stiction.Scene.parse("body{name='a', mass=1, shape=shape.sphere{radius=1}}\nbody{name='b', mass=1, position={5,0,0}, shape=shape.sphere{radius=1}}\n"
                                 "joint{kind='rod', name='r', a='a', b='b', point={0,0,0}, to={5,0,0}}\nrun{step=1e-3, duration=1}")
    run = scene.run()
    assert [body.name for body in run.world] == ["a", "b"] == run.body_names() and run.body("b") == run.world["b"] == run.body_at(1)
    assert run.world.joints[0].kind == "rod" and run.world.joints[0].name == "r" and run.joint_at(0) == run.world.joints[0]


def test_materials_have_names_of_their_own():
    w = stiction.World()
    w.material("steel", friction=0.2)
    with pytest.raises(stiction.BadArgument, match="a material 'steel' already"):
        w.material("steel", friction=0.3)
    w.material(), w.material()  # without names


def gripper():
    """Two fingers on sliders close on a block that falls otherwise."""
    w = stiction.World(friction=0.5)
    block = w.body(shape=stiction.box((0.1, 0.1, 0.1)), mass=0.2, position=(0, 0, 1))
    fingers, slides = [], []
    for side in (-1, 1):
        finger = w.body(shape=stiction.box((0.02, 0.06, 0.06)), mass=0.1, position=(side * 0.065, 0, 1))
        slides.append(w.joint.slider(finger, point=(side * 0.065, 0, 1), axis=(-side, 0, 0)))
        fingers.append(finger)
    return w, block, slides


@pytest.mark.parametrize("grip, holds", [(4.0, True), (1.0, False)])
def test_gripper_with_a_controller(grip, holds):
    # two fingers carry 2 mu N: 0.2 kg need N > 1.962 N each
    w, block, slides = gripper()
    run = w.run(step=1e-3)
    asked = []
    for joint in slides:
        def force(t, joint=joint):
            asked.append(t)
            rate = run.joint(joint)["rate"]
            return grip - 5.0 * rate
        run.control_force(joint, force)
    run.until(0.5)
    fallen = 1.0 - run.pose(block).position[2]
    print(f"grip {grip} N: fallen {fallen:.6f} m after 0.5 s; the controllers were asked {len(asked)} times")
    assert len(asked) >= 2 * 500
    # before the fingers touch, 5 mm away, the block falls freely
    assert (fallen < 0.05) == holds
    if holds:
        assert np.linalg.norm(run.twist(block).velocity) < 1e-6
        forces = np.abs(run.contacts["force"] @ np.array([1.0, 0, 0])).sum()
        assert forces == pytest.approx(2 * grip, rel=1e-3)


def test_control_of_a_body_and_a_drive():
    w = stiction.World(gravity=(0, 0, 0))
    cart = w.body(shape=stiction.box((1, 1, 1)), mass=2.0)
    wheel = w.body(shape=stiction.sphere(0.2), mass=1.0, position=(5, 0, 0))
    hinge = w.joint.hinge(wheel, point=(5, 0, 0), axis=(0, 1, 0), drive=0.0)
    run = w.run(step=1e-3)
    run.control_body(cart, lambda t: ((2.0 * t, 0, 0), (0, 0, 0)))
    run.control_drive(hinge, lambda t: 3.0 * t)
    run.until(1.0)
    # loads are those of the middle of each step: exact for a force that grows linearly
    assert run.twist(cart).velocity[0] == pytest.approx(0.5, abs=1e-12)
    assert run.joint(hinge)["rate"] == pytest.approx(3.0 * 0.9995, abs=1e-9)
    run.control_body(cart, None)
    last = run.twist(cart).velocity[0]
    run.step()
    # what the control gave ends with it: the body has its own force again, which is none
    assert run.twist(cart).velocity[0] == last


def test_motion_written_in_python():
    w = stiction.World()
    w.body(shape=stiction.box((2, 2, 0.2)), kind="prescribed", position=(0, 0, -0.1),
           motion=lambda t: {"position": (0, 0, -0.1), "velocity": (0.3, 0, 0)})
    box = w.body(shape=stiction.box((0.2, 0.2, 0.2)), position=(0, 0, 0.1))
    run = w.run(step=1e-3)
    run.until(0.3)
    # a conveyor: friction takes the box along
    assert run.twist(box).velocity == pytest.approx([0.3, 0, 0], abs=1e-6)


class Ball(stiction.System):
    """The ball of docs/guide/c.md."""

    name = "ball"
    sizes = [1]
    mass = [[[1.0]]]
    terms = [(0, -1)]
    interactions = [stiction.Interaction(law="nonneg", restitution=0.5)]

    def potential(self, k, q):
        return 9.81 * q[0], [9.81]

    def measure(self, i, t, q, u):
        return {"gap": [q[0]], "H": [[1.0]], "G": [[1.0]]}


def test_system_written_in_python():
    run = Ball().run("event", step=0.01, q=[1.0])
    run.until(1.0)
    # falls 1 m, then arcs, each with half of the velocity of the one before
    t, up = 1.0 - math.sqrt(2 / 9.81), 0.5 * math.sqrt(2 * 9.81)
    while t > 2 * up / 9.81:
        t, up = t - 2 * up / 9.81, 0.5 * up
    height, velocity = up * t - 0.5 * 9.81 * t * t, up - 9.81 * t
    print(f"height {run.q[0]:.12f} m, expected {height:.12f}")
    assert run.q[0] == pytest.approx(height, abs=1e-9)
    assert run.u[0] == pytest.approx(velocity, abs=1e-9)


class Push(Ball):
    interactions = []
    offers = ("constant_mass", "potential")

    def force(self, t, q, u):
        return [3.0 - 2.0 * u[0]]

    def potential(self, k, q):
        return 0.0, [0.0]


def test_forces_of_a_system():
    run = Push().run("moreau", step=1e-3, q=[0.0])
    run.until(1.0)
    assert run.u[0] == pytest.approx(1.5 * (1 - math.exp(-2.0)), rel=2e-3)


def test_joints_of_all_kinds():
    w = stiction.World()
    made = {}
    kinds = [name for name in dir(w.joint) if not name.startswith("_")]
    assert sorted(kinds) == sorted(stiction.world.JOINTS)  # what C has
    for k, kind in enumerate(kinds):
        body = w.body(shape=stiction.sphere(0.1), position=(k, 0, 0))
        options = {"to": (k, 0, 1)} if kind in ("rod", "span") else {} if kind in ("point", "weld") else {"axis": (0, 0, 1)}
        made[kind] = getattr(w.joint, kind)(body, point=(k, 0, 0), **options)
    run = w.run()
    run.step(10)
    assert len(run.joints) == len(made) == 10
    # hung on what they are, by nothing where they leave the way free
    weight = 1000 * 4 / 3 * math.pi * 0.1**3 * 9.81
    assert run.joints["force"][list(made).index("weld"), 2] == pytest.approx(weight, rel=1e-6)
    with pytest.raises(AttributeError, match="kinds: "):
        w.joint.hinges


def test_shapes():
    assert stiction.box((1, 2, 3)).mass(2.0)["mass"] == pytest.approx(12.0)
    assert stiction.sphere(1.0).mass()["volume"] == pytest.approx(4 / 3 * math.pi)
    assert stiction.cylinder(1.0, 2.0).mass()["volume"] == pytest.approx(2 * math.pi)
    assert stiction.capsule(1.0, 2.0).mass()["volume"] == pytest.approx((2 + 4 / 3) * math.pi)
    assert stiction.ellipsoid((1, 2, 3)).mass()["volume"] == pytest.approx(8 * math.pi)
    cube = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    assert stiction.polyhedron(cube).mass()["inertia"] == pytest.approx(np.eye(3) / 6)
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    assert stiction.polyhedron(cube, faces).mass()["mass"] == pytest.approx(1.0)
    assert stiction.mesh(cube, faces, closed=True).mass()["mass"] == pytest.approx(1.0)
    two = stiction.compound([stiction.box((1, 1, 1)), (stiction.box((1, 1, 1)), (1, 0, 0))])
    assert two.mass()["centre"] == pytest.approx([0.5, 0, 0])
    assert stiction.height_field(np.zeros((3, 4)), 0.5, 0.5).kind == "height field"
    assert stiction.half_space().size == math.inf


def test_bodies_of_several_shapes():
    w = stiction.World()
    iron = w.material("iron", density=7800, friction=0.2)
    w.surface(iron, None, friction=0.9)
    hammer = w.body(shape=[(stiction.box((0.1, 0.1, 0.1)), (0, 0, 1), (1, 0, 0, 0), iron), (stiction.box((0.02, 0.02, 1)), (0, 0, 0.5))])
    run = w.run()
    run.step()
    head, handle = 0.1**3 * 7800, 0.02 * 0.02 * 1000
    assert run.energy[1] == pytest.approx(9.81 * (head * 1.0 + handle * 0.5), rel=1e-3)
    assert hammer.valid
    hammer.remove()
    assert not hammer.valid


def test_mesh_files():
    import os
    folder = os.path.join(os.environ["STICTION_SOURCE"], "tests", "data")
    house = stiction.MeshFile(os.path.join(folder, "house.obj"))
    assert len(house.points) > 4 and len(house.faces) > 4
    assert stiction.mesh_file(os.path.join(folder, "tetra.stl")).mass()["volume"] > 0
    assert stiction.mesh_file(os.path.join(folder, "cube_4.1.msh")).mass()["volume"] > 0
    with pytest.raises(stiction.Error):
        stiction.mesh_file(os.path.join(folder, "nothing.stl"))


def test_progress(capsys, monkeypatch):
    w, bodies, run = stack(1)
    run.until(0.01, progress=True)
    assert "s" in capsys.readouterr().err
    import sys
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    run.until(0.02, progress=True)
    assert "100 %" in capsys.readouterr().err
    seen = []
    run.each_step(lambda r: seen.append(r.time))
    run.step(3)
    assert seen == pytest.approx([0.021, 0.022, 0.023])


def test_events():
    w = stiction.World()
    w.body(shape=stiction.half_space(), kind="fixed")
    w.body(shape=stiction.sphere(0.1), position=(0, 0, 0.2))
    run = w.run("event", step=0.2)
    run.step(1)
    assert "impact" in [stiction.EVENTS[row["kind"]] for row in run.events]
    assert run.events["t"][0] == pytest.approx(math.sqrt(2 * 0.1 / 9.81), abs=1e-9)


def test_elastic_bodies():
    """A bar that is held at one end and pulled at the other: strain and stress of Hooke's law, by nodes and cells."""
    mesh = stiction.solid_box((1.0, 0.2, 0.2), (4, 1, 1))
    assert mesh.nodes.shape == (20, 3) and mesh.cells.shape == (4, 8)
    w = stiction.World(gravity=(0, 0, 0))
    held, end = mesh.within((-0.5, -1, -1), (-0.5, 1, 1)), mesh.within((0.5, -1, -1), (0.5, 1, 1))
    young, pull = 1e6, 400.0
    bar = w.body(kind="elastic", mesh=mesh, elastic=(young, 0.0), energy="linear", supports=held,
                 loads=[(node, (pull / 4, 0, 0)) for node in end], position=(2, 0, 0), name="bar")
    run = w.run("quasi-static", step=1.0, **{"scheme.inertia": "none"})
    run.step()
    places, velocities = run.nodes(bar)
    strain = pull / 0.04 / young
    expected = mesh.nodes + (2, 0, 0)
    expected[:, 0] += strain * (mesh.nodes[:, 0] + 0.5)
    print("largest error of a node over the stretch:", np.abs(places - expected).max() / strain)
    assert places == pytest.approx(expected, abs=1e-12 * strain + 1e-15)
    assert run.stress("bar")[0, 0] == pytest.approx(pull / 0.04, rel=1e-12)
    assert run.stress(bar, cell=2) == pytest.approx(np.diag([pull / 0.04, 0, 0]), abs=1e-8)
    assert velocities.shape == (20, 3)
    with pytest.raises(stiction.BadArgument):
        w.body(kind="elastic", elastic=(young, 0.0))
    with pytest.raises(stiction.BadArgument):
        w.body(kind="rigid", mesh=mesh)
    with pytest.raises(stiction.Error):
        w.body(kind="elastic", mesh=stiction.solid_box((1, 1, 1), (1, 1, 1), cell="hex20"), elastic=(young, 0.0))

# SPDX-License-Identifier: Apache-2.0
"""Words and refusals that users met: what is wrong is said where it was written, in their words."""

import inspect
import os

import numpy as np
import pytest

import stiction

SOURCE = os.environ["STICTION_SOURCE"]


def floor(**options):
    w = stiction.World(**options)
    w.body(shape=stiction.half_space(), kind="fixed", name="floor")
    return w


def test_a_folder_is_no_snapshot(tmp_path):
    with pytest.raises(stiction.IoFailed, match="(?i)directory|folder"):
        floor().run().load(tmp_path)


def test_every_bit_of_a_snapshot_counts():
    w = floor()
    w.body(shape=stiction.box((1, 1, 1)), position=(0, 0, 0.5))
    run = w.run()
    run.step(3)
    whole, before = run.snapshot(), run.hash
    for at in range(120):
        broken = bytearray(whole)
        broken[at] ^= 1
        with pytest.raises(stiction.BadData):
            run.restore(bytes(broken))
        assert run.hash == before
    run.restore(whole)
    assert run.hash == before


def test_a_script_is_replaced_when_asked(tmp_path):
    scene, script = tmp_path / "s.lua", tmp_path / "job.sh"
    scene.write_text("material{name = 'm', density = 1000, friction = param('mu', 0.5)}\n"
                     "body{kind = 'fixed', shape = shape.half_space{offset = 0, material = 'm'}}\n")
    stiction.slurm(scene, {"mu": [0.3]}, script, folder=tmp_path / "f")
    with pytest.raises(stiction.Error, match="replace=True"):
        stiction.slurm(scene, {"mu": [0.3]}, script, folder=tmp_path / "f")
    first = script.read_text()
    stiction.slurm(scene, {"mu": [0.3, 0.4]}, script, folder=tmp_path / "f", replace=True)
    assert script.read_text() != first


@pytest.mark.parametrize("member", ["position", "velocity"])
def test_a_motion_that_breaks_is_named(member):
    w = stiction.World()

    def motion(t):
        given = {"position": (0, 0, 0), "velocity": (0, 0, 0)}
        if t > 0.0105:
            given[member] = (0, np.nan, 0)
        return given

    w.body(shape=stiction.sphere(1), kind="prescribed", name="crank", motion=motion)
    w.body(shape=stiction.sphere(1), position=(0, 0, 3))
    run = w.run(step=1e-3)
    with pytest.raises(stiction.NotFinite, match=f"crank.*{member} is not finite at t = 0.01"):
        run.step(20)


def test_misspelt_options_of_a_run():
    w = floor()
    for given, meant in (("stepp", "step"), ("acuracy", "accuracy"), ("solvr", "solver"), ("polcy", "policy")):
        with pytest.raises(stiction.BadArgument, match=f"did you mean '{meant}'"):
            w.run(**{given: 1})
    with pytest.raises(stiction.BadArgument, match="belongs to scheme 'theta'"):
        w.run(theta=0.6)


@pytest.mark.parametrize("inertia, words", [(np.zeros((3, 3)), "not 0"), (-np.eye(3), "principal moments"), (np.diag([1, 1, 5.0]), "principal moments"),
                                            ([[1, 0.5, 0], [0, 1, 0], [0, 0, 1]], "not symmetric")])
def test_inertia_is_refused_where_it_is_given(inertia, words):
    with pytest.raises(stiction.BadArgument, match=words):
        stiction.World().body(shape=stiction.sphere(1), mass=1.0, inertia=inertia, name="flywheel")


def test_no_solution_has_no_witness():
    found = stiction.existence(stiction.Problem.from_scipy([[1, -1.0], [-1, 1]], [-1.0, -1], 0, contact_rows=1))
    assert found.verdict == "none" and found.witness is None
    found = stiction.existence(stiction.Problem.from_scipy(np.eye(2), [-1.0, -1], 0, contact_rows=1))
    assert found.verdict.startswith("exists") and found.witness is not None


def test_sentences_instead_of_tracebacks(tmp_path):
    with pytest.raises(stiction.IoFailed, match="no shipped scene"):
        stiction.Scene("x" * 5000)
    with pytest.raises(stiction.BadArgument, match="list of shapes"):
        stiction.compound(5)
    run = floor().run()
    run.each_step(lambda q: q.step())
    with pytest.raises(stiction.BadArgument, match="each_step cannot make steps"):
        run.step()
    with pytest.raises(stiction.BadArgument, match="at least one parameter"):
        stiction.sweep("arch", {})
    with pytest.raises(stiction.BadArgument):
        stiction.limit("arch", "nothing-of-this-name", between=(0.1, 0.2))
    with pytest.raises(stiction.BadArgument, match=r"\.dat\.gz"):
        stiction.Problem.read("stack.h5").write(tmp_path / "a.dat.gz")


def test_parameters_of_a_scene():
    text = "local mu = param('mu', 0.5)\nlocal n = param('n', 3)\nmaterial{name = 'm', density = 1000, friction = mu}\n" \
           "body{shape = shape.sphere{radius = 1, material = 'm'}}\n"
    assert stiction.Scene.parse(text, mu=0.7).parameters == {"mu": "0.5", "n": "3"}


def test_functions_of_each_step_can_be_taken_back():
    run, calls = floor().run(), []
    function = run.each_step(lambda q: calls.append(q.time))
    run.step(2)
    run.no_longer(function)
    run.step(2)
    assert len(calls) == 2
    with pytest.raises(stiction.BadArgument, match="not called"):
        run.no_longer(function)


def test_a_file_of_another_run_of_this_process(tmp_path):
    path = tmp_path / "same.h5"
    first, second = floor().run(), floor().run()
    output = first.record(path)
    with pytest.raises(stiction.IoFailed, match="run of this process"):
        second.record(path, replace=True)
    output.close()
    second.record(path, replace=True).close()


def test_meshes_on_meshes_are_named():
    points, faces = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
    w = stiction.World()
    w.body(shape=stiction.height_field(np.zeros((3, 3)), 1, 1), kind="fixed")
    w.body(shape=stiction.mesh(points, faces, closed=True), position=(0, 0, 2))
    with pytest.raises(stiction.Unsupported, match="number 1 and number 0 both have meshes or height fields|1 and .*0 both have meshes or height fields"):
        w.run()


def test_joints_go_by_name_and_removed_things_are_refused():
    w = stiction.World()
    a = w.body(shape=stiction.sphere(0.1), position=(1, 0, 0), name="bob")
    hinge = w.joint.hinge(a, None, axis=(0, 1, 0), name="J")
    run = w.run()
    run.step()
    assert str(run.joint("J")) == str(run.joint(hinge))
    with pytest.raises(stiction.BadName, match="did you mean 'J'"):
        run.joint("Jj")
    hinge.remove()
    later = w.run()
    with pytest.raises(stiction.BadArgument, match="removed"):
        later.joint(hinge)
    a.remove()
    w.body(shape=stiction.sphere(0.1), name="other")
    with pytest.raises(stiction.BadArgument, match="removed"):
        w.run().pose(a)


def test_a_run_outlives_its_world_by_names_too():
    w = floor()
    ball = w.body(shape=stiction.sphere(0.1), position=(0, 0, 1), name="ball")
    run = w.run()
    w.close()
    run.step()
    assert (run.pose("ball").position == run.pose(ball).position).all()
    with pytest.raises(stiction.BadName):
        run.pose("bal")


def test_coordinates_of_a_world_are_read_only():
    w = floor()
    w.body(shape=stiction.sphere(0.1), position=(0, 0, 1))
    with pytest.raises(ValueError):
        w.run().q[0] = 5.0


def test_loads_that_are_zero():
    w = floor(friction=0.5)
    w.body(shape=stiction.box((1, 1, 1)), position=(0, 0, 0.5))
    structure = stiction.Structure(w)
    with pytest.raises(stiction.BadArgument, match="all 0"):
        structure.solve(np.zeros(structure.dof))


def test_words_of_numbers():
    assert stiction.EVENTS.index("impact") >= 0
    for words in (stiction.EVENTS, stiction.CONES, stiction.OFFERS, stiction.QUANTITIES):
        assert isinstance(words, tuple) and all(isinstance(word, str) for word in words)


@pytest.mark.parametrize("scheme", ["moreau", "koziara", "theta", "event", "consistent", "decomposed"])
def test_a_system_offers_what_schemes_need(scheme):
    """The disc of the docstring: sliding friction takes mu g per second, until it rolls with 2/3 of its speed (a solid disc)."""
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

    run = Disc().run(scheme, step=1e-3, q=[0.0, 0.1, 0.0], u=[1.0, 0.0, 0.0])
    run.until(0.05)
    assert run.u[0] == pytest.approx(1.0 - 0.3 * 9.81 * 0.05, abs=2e-3 * 9.81)
    run.until(0.2)
    assert run.u[0] == pytest.approx(2.0 / 3.0, abs=5e-3)


def test_overlaps_are_taken_back_on_request():
    """A ball that overlaps the floor by 1 mm keeps that with "consistent"; a part c of it taken back in each step leaves (1 - c)^n, down to the allowance."""
    for options, left in ({}, 1e-3), ({"correction": 0.2}, 1e-3 * 0.8**10), ({"correction": 0.2, "allowance": 4e-4}, 4e-4 + 6e-4 * 0.8**10):
        w = floor(friction=0.5)
        w.body(shape=stiction.sphere(0.1), position=(0, 0, 0.099))
        run = w.run("consistent", step=1e-3, **options)
        run.step(10)
        assert 0.1 - run.positions[1][2] == pytest.approx(left, abs=1e-9)
    with pytest.raises(stiction.BadArgument, match="correction"):
        w.run("consistent", correction=2)


@pytest.mark.parametrize("value, gradient, fits", [
    (lambda q: 2 * q[1], [0, 2], False),  # the value of the other block
    (lambda q: 2 * q[3], [0, 2], True),
    (lambda q: 2 * q[3] + 1e-2 * q[0], [0, 2], False),
    (lambda q: 2 * q[3], [0, 2.01], False),
    (lambda q: abs(q[2]) + 1e6, [0.3, 0], True),  # a subgradient at a kink
    (lambda q: abs(q[2]), [1.1, 0], False),
    (lambda q: 5e7 * (q[2] - 1) ** 2, [-1e8, 0], True),
    (lambda q: np.log(q[2] + 1e-3), [1e3, 0], True),
])
def test_gradients_belong_to_values(value, gradient, fits):
    class Two(stiction.System):
        sizes = [2, 2]
        mass = [np.eye(2), np.eye(2)]
        terms = [(1, -1)]

        def potential(self, k, q):
            return float(value(q)), gradient

    if fits:
        Two().run("consistent", step=1e-3, q=[0.0] * 4)
    else:
        with pytest.raises(stiction.BadArgument, match="gradient of term 0"):
            Two().run("consistent", step=1e-3, q=[0.0] * 4)


@pytest.mark.parametrize("given", ["force = {f, 0, 0}", "displacement = {f, 0, 0}, kind = 'prescribed', shape = shape.sphere{radius = 1}"])
def test_functions_of_a_scene_end(tmp_path, given):
    script = tmp_path / "pushed.lua"
    script.write_text("gravity{0, 0, 0} local f = function(t) return 3 * t end\n"
                      "body{name = 'still', mass = 1, inertia = {1, 1, 1}, position = {9, 0, 0}}\n"
                      "body{name = 'arm', mass = 2, inertia = {1, 1, 1}, %s}\nscheme 'consistent'\nrun{step = 5e-3, duration = 1}\n" % given)
    run = stiction.Scene(script, until=0.5).run()
    run.until_done()
    with pytest.raises(stiction.BadData, match="known until 0.5 s"):
        run.until(1.0)
    assert run.time == pytest.approx(0.5)


def test_help_speaks_python():
    for name in stiction.__all__:
        thing = getattr(stiction, name)
        docs = [inspect.getdoc(thing)] if callable(thing) else []
        if inspect.isclass(thing):
            docs += [inspect.getdoc(value) for key, value in vars(thing).items() if not key.startswith("_") and (callable(value) or isinstance(value, property))]
        for text in filter(None, docs):
            for word in ("STIC_OK", "STIC_OUTCOME", "BAD_ARGUMENT", "NOT_FINITE", "BAD_DATA", "0 byte", "stic_text_unload", "`driven`", "outlive", "borrowed", "half edge", "valid until"):
                assert word not in text, (name, text)
            # paragraphs of one text begin at one column, examples apart
            lines = [line for line in text.split("\n") if line.strip()]
            assert all(not line.startswith(" ") or line.startswith("    ") for line in lines), (name, text)

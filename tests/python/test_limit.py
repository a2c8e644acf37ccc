# SPDX-License-Identifier: Apache-2.0
"""Limit analysis from Python against closed forms and against plane linear programs that were solved elsewhere."""

import gc
import math
import os
from pathlib import Path

import numpy as np
import pytest

import stiction

SOURCE = Path(os.environ["STICTION_SOURCE"])


def arch(ratio, blocks=15, friction=0.4, radius=10.0, width=5.0):
    """A semicircular arch of straight-sided blocks on the ground."""
    w = stiction.World(density=2400, friction=friction)
    w.body(shape=stiction.half_space(), kind="fixed", name="ground")
    angles = np.linspace(0.0, math.pi, blocks + 1)
    for k in range(blocks):
        points = [(r * math.cos(a), y, r * math.sin(a)) for r in (radius * (1 - ratio / 2), radius * (1 + ratio / 2))
                  for a in angles[k:k + 2] for y in (-width / 2, width / 2)]
        w.body(shape=stiction.polyhedron(points), name=f"stone {k}")
    return w


def box(height=0.5, friction=0.3):
    w = stiction.World(density=1000, friction=friction)
    w.body(shape=stiction.half_space(), kind="fixed", name="ground")
    body = w.body(shape=stiction.box((0.4, 0.4, height)), position=(0, 0, height / 2), name="box")
    return w, body


@pytest.mark.parametrize("blocks, friction, reference", [(15, 0.40, 0.106068), (15, 0.31, 0.192168), (27, 0.40, 0.106721)])
def test_arches(blocks, friction, reference):
    """Least thickness over radius, plane static linear program with six digits; SciPy finds where nothing is left to spare."""
    optimize = pytest.importorskip("scipy.optimize")
    found = optimize.brentq(lambda ratio: stiction.Structure(arch(ratio, blocks, friction)).solve().factor, 0.09, 0.22, xtol=1e-8)
    print(f"{blocks} blocks, friction {friction}: thickness {found:.7f} of the radius, reference {reference}")
    assert found == pytest.approx(reference, abs=1e-6)


def test_loads():
    """A push: sliding at friction times weight, tipping at width over height."""
    for height, friction, factor, slides in ((0.5, 0.3, 0.3, True), (2.0, 0.5, 0.2, False)):
        w, body = box(height, friction)
        structure = stiction.Structure(w)
        assert structure.contacts == 4 and structure.dof == 6
        weight = 1000 * 0.16 * height * 9.81
        assert structure.load == pytest.approx([0, 0, -weight, 0, 0, 0])
        found = structure.solve(live=[weight, 0, 0, 0, 0, 0])
        assert found.outcome == "found" and found.residual < 1e-9
        assert found.factor == pytest.approx(factor, rel=1e-8) and found.factor_most == pytest.approx(factor, rel=1e-8)
        joint, = found.joints()
        assert joint.slides is slides and joint.hinges is not slides and {one.name for one in joint.bodies} == {"box", "ground"}
        assert joint.eccentricity == pytest.approx(factor * height / 2 / 0.2, rel=1e-5)
        up = joint.force * (1 if joint.bodies[0] == body else -1)
        assert up == pytest.approx([-factor * weight, 0, weight], rel=1e-6, abs=1e-6 * weight)
        twist = found.twist(body)
        assert twist.velocity[0] > 0 and (np.abs(twist.angular_velocity).max() > 1e-6 * twist.velocity[0]) is not slides
        inside, outside = (structure.solve(live=[weight, 0, 0, 0, 0, 0], cone=cone, facets=5).factor for cone in ("inside", "outside"))
        assert inside <= factor * (1 + 1e-8) and outside >= factor * (1 - 1e-8)


def test_acceleration():
    """The load of an earthquake is what a turned gravity adds."""
    w, body = box()
    dead = stiction.Structure(w).load
    w.set_gravity((9.81, 0, -9.81))
    live = stiction.Structure(w).load - dead
    assert stiction.Structure(w).solve(live=live, dead=dead).factor == pytest.approx(0.3, rel=1e-8)


def test_motion_of_collapse(tmp_path):
    w = arch(0.10)
    result = stiction.Structure(w).solve()
    assert result.factor < 0 and result.motion.shape == (6 * 15,)
    run = result.show(0.5, 20)
    with run.record(tmp_path / "fall.h5", every=1):
        run.step(20)
        force = run.contacts["force"]
    weight = -stiction.Structure(w).load.reshape(-1, 6)[:, 2].sum()
    assert len(stiction.Result(tmp_path / "fall.h5")) == 21
    crown = stiction.Result(tmp_path / "fall.h5").positions()[:, 8, 2]
    assert crown[-1] < crown[0] - 1e-3 and len(force) == 64 and weight > 0
    run.close()


def test_what_is_refused():
    w, body = box()
    structure = stiction.Structure(w)
    for wrong, words in ((lambda: structure.solve(live=[1, 2]), "shape"), (lambda: structure.solve(cone="roud"), "kind of cones"),
                         (lambda: structure.solve(facets=2), "facets"), (lambda: structure.solve(tolerance=-1), "tolerance"),
                         (lambda: structure.solve(live=[math.nan] * 6), "finite"), (lambda: stiction.Structure(3), "world"),
                         (lambda: structure.solve().show(0.0), "above 0"), (lambda: structure.solve().show(1.0, 0), "steps"),
                         (lambda: structure.solve(live="push"), "live"),
                         (lambda: structure.solve().twist(box()[1]), "another world")):
        with pytest.raises(stiction.Error, match=words):
            wrong()
    w.body(shape=stiction.sphere(0.1), position=(0, 0, 3))
    for wrong in (structure.solve, lambda: structure.load, lambda: structure.contacts):
        with pytest.raises(stiction.BadData, match="make a new one"):
            wrong()
    structure.close()
    with pytest.raises(stiction.Error):
        structure.solve()
    rolling = stiction.World(rolling=0.1, law="rolling")
    rolling.body(shape=stiction.half_space(), kind="fixed")
    rolling.body(shape=stiction.sphere(0.1), position=(0, 0, 0.1))
    with pytest.raises(stiction.Unsupported, match="Coulomb"):
        stiction.Structure(rolling)


def test_any_order_of_ending():
    for order in range(6):
        w = arch(0.12)
        structure = stiction.Structure(w)
        result = structure.solve()
        run = result.show(0.5)
        run.step()
        things = {"world": w, "structure": structure, "result": result, "run": run, "contacts": run.contacts}
        del w, structure, result, run
        for name in np.random.default_rng(order).permutation(list(things)):
            if order % 2 and hasattr(things[name], "close"):
                things[name].close()
            del things[name]
            gc.collect()


def test_worlds_without_contacts():
    w = stiction.World()
    with pytest.raises(stiction.BadData, match="nothing touches"):
        stiction.Structure(w)
    w.body(shape=stiction.sphere(1.0))
    with pytest.raises(stiction.BadData, match="nothing touches"):
        stiction.Structure(w)


# ---- scenes, as the program does it

def test_scene_parameter():
    found = stiction.limit(SOURCE / "scenes" / "arch.lua", "thickness", (0.5, 2.5), friction=0.4, check=False)
    print(f"arch.lua: thickness {found.limit:.8f}, {found.mode}, {found.exact['programs']} programs")
    assert found.limit == pytest.approx(1.06721, abs=1e-5) and found.outcome == "found" and found.mode == "hinging"
    assert found.exact["falls"] < found.exact["stands"] and len(found.joints) == 28 and found.runs == [] and found.agrees is None


def test_scene_load_with_runs(tmp_path):
    path = tmp_path / "box.lua"
    path.write_text("""local h = param("height", 0.5)
material{name = "m", density = 1000, friction = param("mu", 0.3)}
floor{material = "m"}
body{name = "box", material = "m", position = {0, 0, h / 2}, force = {0.1 * 160 * h * 9.81, 0, 0}, shape = shape.box{size = {0.4, 0.4, h}}}
run{step = 0.005, duration = 0.2}
""")
    found = stiction.limit(path, "load", path=tmp_path / "collapse.h5")
    assert found.limit == pytest.approx(3.0, abs=1e-7) and found.mode == "sliding" and found.agrees is True
    assert [run["stands"] for run in found.runs] == [True, False] and len(stiction.Result(tmp_path / "collapse.h5")) == 41
    assert stiction.limit(stiction.Scene(path, height=2, mu=0.5), "load", check=False).limit == pytest.approx(2.0, abs=1e-7)
    across = stiction.limit(path, "acceleration", direction=(0, 1, 0), check=False)
    assert across.limit == pytest.approx(math.sqrt(0.08) * 9.81, abs=1e-6)
    nothing = stiction.limit(path, "friction", (0.2, 0.5), check=False)
    assert nothing.outcome == "unlimited" and math.isnan(nothing.limit) and nothing.agrees is None
    assert stiction.limit(path, "friction", (0.2, 0.5)).agrees is None
    for wrong, words in ((lambda: stiction.limit(path, "hieght", (1, 2)), "hieght"), (lambda: stiction.limit(path, "height"), "between"),
                         (lambda: stiction.limit(tmp_path / "no.lua", "load"), "no.lua"),
                         (lambda: stiction.limit(path, "load", facets=1), "facets"),
                         (lambda: stiction.limit(path, "load", direction=(1, 2)), "3 numbers"),
                         (lambda: stiction.limit(stiction.Scene.parse(path.read_text()), "load"), "save it first")):
        with pytest.raises(stiction.Error, match=words) as caught:
            wrong()
        print(caught.value)

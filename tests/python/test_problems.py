# SPDX-License-Identifier: Apache-2.0
"""One-step problems from matrices and files: solved, proved and enumerated, against formulas and other codes."""

import os

import numpy as np
import pytest
from scipy import sparse

import stiction

SOURCE = os.environ["STICTION_SOURCE"]
PROBLEMS = os.path.join(SOURCE, "problems")


def block(mu=0.2, push=1.0):
    """A point of 2 kg that comes down with 3 m/s and slides with `push`: docs/guide/c.md."""
    M, H = 2.0 * np.eye(3), np.array([[0.0, 1, 0], [0, 0, 1], [1, 0, 0]])
    return stiction.Problem.from_global(M, H, [2 * push, 0, 2 * -3.0], np.zeros(3), mu)


def test_a_block_by_hand():
    for problem in (block(), stiction.Problem.from_scipy(np.eye(3) / 2, [-3.0, 1.0, 0.0], 0.2)):
        s = stiction.solve(problem, tol=1e-10)
        # r_N stops it; friction 0.2 r_N takes 0.6 of 1 m/s
        assert s.solved and s.outcome == "solved" and s.errors["relative"] < 1e-10
        assert s.r == pytest.approx([6.0, -1.2, 0.0], abs=1e-8)
        assert s.u == pytest.approx([0.0, 0.4, 0.0], abs=1e-8)
        assert problem.errors(s.r)["relative"] == s.errors["relative"]


@pytest.mark.parametrize("mass", [1e-9, 1.0, 1e9])
@pytest.mark.parametrize("solver", ["auto", "nsgs", "fixed-point", "convex", "lemke", "koziara-newton", "interior-point"])
def test_units_of_mass(solver, mass):
    """What is called solved does not depend on the unit of mass, and is right."""
    # the second contact feels half of the first one's reactions
    W = np.kron([[1.0, 0.5], [0.5, 1.0]], np.eye(3))
    b = np.array([-1.0, 3, 4, -2, 0.1, 0])
    right = stiction.solve(stiction.Problem.from_scipy(W, b, 0.5), "nsgs", tol=1e-12)
    s = stiction.solve(stiction.Problem.from_scipy(W / mass, b, 0.5), solver)
    assert s.solved == (solver != "convex"), (s.outcome, s.errors)
    if s.solved:
        assert s.r / mass == pytest.approx(right.r, abs=1e-6)
    # measures of other programs: as small as double precision allows is solved, a gross error never
    s = stiction.solve(stiction.Problem.from_scipy(W / mass, b, 0.5), solver, norm="relative")
    if s.solved:
        assert s.errors["unit_free"] < 0.1
    if s.errors["relative"] <= s.errors["floor"] and s.errors["unit_free"] < 0.1:
        assert s.solved and s.info["at_floor"] == (s.errors["relative"] > 1e-8)


def test_matrices_come_back():
    rng = np.random.default_rng(1)
    contacts, dof = 7, 12
    H = sparse.random(dof, 3 * contacts, 0.4, random_state=2).tocsr()
    M = sparse.block_diag([np.eye(6) * 2 + 0.1, np.eye(6) * 3]).tocsr()
    f, w, mu = rng.normal(size=dof), rng.normal(size=3 * contacts), rng.uniform(0.1, 0.9, contacts)
    p = stiction.Problem.from_global(M, H, f, w, mu)
    assert (p.contacts, p.rows, p.dof) == (7, 21, 12)
    assert p.laws == ["cone"] * 7 and p.mu == pytest.approx(mu)
    assert abs(p.M - M).max() < 1e-15 and abs(p.H - H).max() < 1e-15
    assert p.f == pytest.approx(f) and p.w == pytest.approx(w)
    W = H.T @ np.linalg.solve(M.toarray(), H.toarray())
    assert p.W.toarray() == pytest.approx(W, abs=1e-13)
    assert p.b == pytest.approx(H.T @ np.linalg.solve(M.toarray(), f) + w, abs=1e-13)
    local = stiction.Problem.from_scipy(p.W, p.b, mu)
    assert abs(local.W - p.W).max() < 1e-15
    assert local.statistics()["law"] == {"cone": 7}


def test_plane_and_frictionless():
    p = stiction.Problem.from_scipy(np.eye(2), [-1.0, 3.0], 0.5, contact_rows=2)
    assert stiction.solve(p).r == pytest.approx([1.0, -0.5], abs=1e-7)
    p = stiction.Problem.from_scipy([[2.0, 1], [1, 2]], [-5.0, 1.0], 0.0, contact_rows=1)
    assert p.laws == ["nonneg", "nonneg"]
    s = stiction.solve(p)
    assert s.r == pytest.approx([2.5, 0.0], abs=1e-7) and s.u == pytest.approx([0.0, 3.5], abs=1e-7)


def test_files_there_and_back(tmp_path):
    p = stiction.Problem.read(os.path.join(PROBLEMS, "stack.h5"))
    s = stiction.solve(p, tol=1e-10)
    for name in ("copy.h5", "copy.dat"):
        p.write(tmp_path / name, title="a stack", r=s.r, u=s.u)
        again = stiction.Problem.read(tmp_path / name)
        assert again.errors(s.r)["relative"] == pytest.approx(s.errors["relative"], rel=0.1, abs=1e-15)
    with pytest.raises(stiction.Error, match="nothing.dat"):
        stiction.Problem.read(tmp_path / "nothing.dat")
    (tmp_path / "bad.dat").write_text("3\n1\nhello")
    with pytest.raises(stiction.BadFile):
        stiction.Problem.read(tmp_path / "bad.dat")


def test_every_solver_on_a_stack():
    p = stiction.Problem.read(os.path.join(PROBLEMS, "stack.h5"))
    solved = {}
    for solver in stiction.solvers():
        try:
            s = stiction.solve(p, solver.name, tol=1e-8, history=True)
        except stiction.Unsupported as refused:
            print(f"{solver.name}: {refused}")
            continue
        solved[solver.name] = s.solved
        assert s.solved == (p.errors(s.r)["unit_free"] <= 1e-8)
        if s.solved and len(s.history):
            assert s.history["error"][-1] <= 1e-8
        print(f"{solver.name}: {s.outcome} by {s.method} after {s.iterations}, {s.errors['relative']:.2e}")
    # README: 13 of 18 solve it
    assert solved["auto"] and sum(solved.values()) >= 13


def test_settings_as_keywords():
    p = stiction.Problem.read(os.path.join(PROBLEMS, "stack.h5"))
    few = stiction.solve(p, "nsgs", tol=1e-12, max_iterations=3)
    assert few.outcome == "iteration-limit" and few.iterations == 3 and not few.solved
    warm = stiction.solve(p, "nsgs", tol=1e-8, r=stiction.solve(p, "nsgs", tol=1e-9).r)
    assert warm.iterations <= 1
    assert stiction.solve(p, "sor-prox", omega=0.8).solved
    for wrong, words in (({"max_iteration": 3}, "did you mean 'max_iterations'"), ({"omegas": 0.8}, "did you mean .omega"),
                         ({"max_iterations": -3}, "max_iterations"), ({"norm": "euclid"}, "norm")):
        with pytest.raises(stiction.BadArgument, match=words) as caught:
            stiction.solve(p, "nsgs", **wrong)
        print(caught.value)
    with pytest.raises(stiction.BadArgument, match="did you mean 'auto'"):
        stiction.solve(p, "auta")
    for field in stiction.settings("solve"):
        assert field.text and field.low <= field.high


def test_wrong_matrices():
    for call, words in ((lambda: stiction.Problem.from_scipy(np.eye(3), [1.0, 2.0], 0.5), "3"),
                        (lambda: stiction.Problem.from_scipy(np.eye(4), np.ones(4), 0.5), "4 rows"),
                        (lambda: stiction.Problem.from_scipy(np.eye(3) * np.nan, np.ones(3), 0.5), ""),
                        (lambda: stiction.Problem.from_scipy(np.eye(3), np.ones(3), -0.5), "below 0"),
                        (lambda: stiction.Problem.from_global(np.eye(3), np.eye(4), np.ones(3), np.ones(3), 0.5), "H")):
        with pytest.raises(stiction.Error, match=words) as caught:
            call()
        print(f"{type(caught.value).__name__}: {caught.value}")


def test_existence():
    assert stiction.existence(block()).verdict == "exists-robust"
    # a wall that pushes from both sides with no way out: u_N = 1 - 2 < 0 whatever r is
    none = stiction.Problem.from_scipy(np.zeros((1, 1)), [-1.0], 0.0, contact_rows=1)
    found = stiction.existence(none)
    assert found.verdict == "none" and found.certificate is not None
    with pytest.raises(stiction.BadArgument, match="did you mean"):
        stiction.existence(block(), margn=True)


def test_enumeration():
    found = stiction.enumerate(stiction.Problem.from_scipy(np.eye(2), [-1.0, 3.0], 0.5, contact_rows=2))
    assert found.complete and len(found.solutions) == 1
    assert found.solutions[0].r == pytest.approx([1.0, -0.5]) and found.solutions[0].states == ["slide"]
    # Painlevé: W_NN + mu W_NT < 0 with an opening free velocity has three motions or none
    p = stiction.Problem.from_scipy([[1.0, 2.0], [2.0, 5.0]], [0.3, 2.0], 0.9, contact_rows=2)
    several = stiction.enumerate(p)
    print([(s.states, s.r) for s in several.solutions])
    for s in several.solutions:
        assert p.errors(s.r)["unit_free"] < 1e-9
    assert len(several.solutions) >= 2


def test_problems_of_bodies_from_a_file_of_scipy():
    """A large sparse problem never becomes dense."""
    contacts = 3000
    W = sparse.kron(sparse.diags([-0.1, 1.0, -0.1], [-1, 0, 1], (contacts, contacts)), sparse.eye(3)).tocsr()
    b = np.tile([-1.0, 0.3, 0.1], contacts)
    p = stiction.Problem.from_scipy(W, b, 0.4)
    s = stiction.solve(p, tol=1e-9)
    assert s.solved and s.r[0::3].min() > 0.0
    # every contact keeps its law
    friction = np.hypot(s.r[1::3], s.r[2::3])
    assert (friction <= 0.4 * s.r[0::3] * (1 + 1e-6)).all()
    assert W @ s.r + b == pytest.approx(s.u, abs=1e-12)


def test_against_siconos():
    """Siconos' Python on the same matrices: its NSGS and ours find reactions that solve the problem."""
    numerics = pytest.importorskip("siconos.numerics", reason="Debian's python3-siconos is not installed")
    p = stiction.Problem.read(os.path.join(PROBLEMS, "stack.h5"))
    W, b, mu = p.W.toarray(), p.b, p.mu
    theirs = numerics.FrictionContactProblem(3, p.contacts, W, b, mu)
    options = numerics.SolverOptions(numerics.SICONOS_FRICTION_3D_NSGS)
    options.dparam[numerics.SICONOS_DPARAM_TOL] = 1e-10
    options.iparam[numerics.SICONOS_IPARAM_MAX_ITER] = 100000
    r, u = np.zeros(p.rows), np.zeros(p.rows)
    info = numerics.fc3d_nsgs(theirs, r, u, options)
    info = info if isinstance(info, int) else 0
    ours = stiction.solve(p, "nsgs", tol=1e-10)
    print(f"Siconos: info {info}, our error of its r {p.errors(r)['siconos']:.2e}; ours {ours.errors['siconos']:.2e}")
    assert p.errors(r)["siconos"] < 1e-7
    # velocities are unique here, reactions are not
    assert ours.u == pytest.approx(W @ r + b, abs=1e-6)


def test_enumeration_of_a_block_that_slides():
    """A box on its four corners: more directions of sliding than can be enumerated, but its motion is found and obeys Coulomb's law."""
    pytest.importorskip("scipy")
    mass, inertia, mu, weight = 1.0, 1 / 6, 0.5, 0.0981
    H = np.zeros((6, 12))
    for k, (x, y) in enumerate(((-0.5, -0.5), (0.5, -0.5), (-0.5, 0.5), (0.5, 0.5))):
        for row, axis in enumerate(([0, 0, 1], [1, 0, 0], [0, 1, 0])):
            H[:3, 3 * k + row], H[3:, 3 * k + row] = axis, np.cross((x, y, -0.5), axis)
    problem = stiction.Problem.from_global(np.diag([mass] * 3 + [inertia] * 3), H, [1.2, 1.6, -weight, 0, 0, 0], np.zeros(12), mu)
    found = stiction.enumerate(problem)
    assert len(found.solutions) == 1 and found.undecided > 0 and not found.complete
    one = found.solutions[0]
    speed = (2.0 - mu * weight) / mass
    assert one.states == ["slide"] * 4 and one.error < 1e-9
    assert one.u.reshape(4, 3) == pytest.approx(np.tile([0, 0.6 * speed, 0.8 * speed], (4, 1)), abs=1e-9)
    assert one.r.reshape(4, 3).sum(axis=0) == pytest.approx([weight, -0.6 * mu * weight, -0.8 * mu * weight], abs=1e-9)
    # one contact that slides has nothing open
    single = stiction.enumerate(stiction.Problem.from_scipy(np.eye(3), [-1.0, 1.2, 1.6], mu))
    assert single.complete and single.solutions[0].r == pytest.approx([1.0, -0.3, -0.4], abs=1e-12)

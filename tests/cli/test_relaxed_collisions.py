#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Relaxed: what collisions with friction tend to as delta falls. A box strikes the floor with a corner
or an edge; the collision is integrated here on its own, in the time t/delta and with the pose of the
first touch. Event has Newton's law at an instant instead, and both are apart where slips turn.

    STICTION_BIN=build/release/bin/stiction tests/cli/test_relaxed_collisions.py [-v] [Class.test]
"""

import unittest
from math import cos, hypot, log, pi, sin, sqrt

import numpy as np

from test_continuous_time import FLOOR, WEIGHTLESS, Folder, body, material

SIZE = np.array([0.1, 0.12, 0.1])
INERTIA = (SIZE @ SIZE - SIZE**2) / 12
COMPONENTS = [(quantity, component) for quantity in ("velocity", "angular_velocity")
              for component in "xyz"]


def turned(*turns):
    """Quaternion of turns about axes of the world, the first one first."""
    q = np.array([1.0, 0, 0, 0])
    for axis, angle in turns:
        q = after(np.append(cos(angle / 2), sin(angle / 2) * np.eye(3)["xyz".index(axis)]), q)
    return q


def after(first, q):
    """The turn q and then the turn `first`."""
    w, v = first[0], first[1:]
    return np.append(w * q[0] - v @ q[1:], w * q[1:] + q[0] * v + np.cross(v, q[1:]))


def rotation(q):
    w, v = q[0], q[1:]
    cross = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return (w * w - v @ v) * np.eye(3) + 2 * np.outer(v, v) + 2 * w * cross


class Strike:
    """The lowest corners of a box of 1 kg, rows (normal, x, y) of each."""

    def __init__(self, q, u, friction, restitution, corners=1):
        self.q, self.u, self.friction, self.restitution = q, np.array(u, float), friction, restitution
        turn = rotation(q)
        all_corners = [turn @ (np.array([x, y, z]) * SIZE / 2)
                       for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
        low = sorted(all_corners, key=lambda r: r[2])[:corners]
        self.low = low[0][2]
        self.J = np.array([np.append(axis, np.cross(r, axis)) for r in low
                           for axis in np.eye(3)[[2, 0, 1]]])
        self.P = np.linalg.inv(np.block([[np.eye(3), np.zeros((3, 3))], [
            np.zeros((3, 3)), turn @ np.diag(INERTIA) @ turn.T]])) @ self.J.T
        self.W = self.J @ self.P
        self.start = np.zeros(len(self.J))  # forces of the last instant

    def law(self, w):
        """Forces r with W r + w and r by Coulomb's law: Newton's method on Alart and Curnier's function."""
        n, r, rho = len(w), self.start, 1 / np.max(np.diag(self.W))
        if not r.any() and min(w[::3]) >= 0:
            return r

        def function(r):
            a, F, D = r - rho * (self.W @ r + w), r.copy(), np.eye(n)
            for i in range(0, n, 3):
                if a[i] <= 0:
                    continue
                bound, across = self.friction * a[i], hypot(*a[i + 1:i + 3])
                F[i:i + 3], D[i:i + 3] = (r - a)[i:i + 3], rho * self.W[i:i + 3]
                if across > bound:
                    t, s = a[i + 1:i + 3] / across, slice(i + 1, i + 3)
                    E = np.eye(n) - rho * self.W
                    F[s] = r[s] - bound * t
                    D[s] = np.eye(n)[s] - self.friction * np.outer(t, E[i]) \
                        - bound / across * (np.eye(2) - np.outer(t, t)) @ E[s]
            return F, D

        for _ in range(100):
            F, D = function(r)
            if max(abs(F)) <= 1e-13 * max(max(abs(r)), rho * max(abs(w))):
                break
            step, length = np.linalg.lstsq(D, -F, rcond=1e-11)[0], 1.0
            while length > 0.05 and max(abs(function(r + length * step)[0])) >= max(abs(F)):
                length /= 2
            r = r + length * step
        else:
            raise ArithmeticError("Coulomb's law is not solved")
        self.start = r
        return r

    def relaxed(self, step=5e-3):
        """Velocities behind the collision as delta tends to zero; friction decays with 2 zeta = 8."""
        e, n = self.restitution, len(self.J)
        zeta = -log(e) / sqrt(pi**2 + log(e)**2)
        damping = np.array([2 * zeta, 8, 8] * (n // 3))
        fall = max(-(self.J @ self.u)[::3])

        def rate(y):
            slip, gap = self.J @ y[:6], np.zeros(n)
            gap[::3] = y[6:]
            return np.append(self.P @ self.law(damping * slip + gap), slip[::3])

        y = np.append(self.u, np.full(n // 3, 2.1 * fall))
        for _ in range(round(7 / step)):
            a = rate(y)
            b = rate(y + step / 2 * a)
            c = rate(y + step / 2 * b)
            y = y + step / 6 * (a + 2 * b + 2 * c + rate(y + step * c))
        return y[:6]

    def newton(self):
        w = self.J @ self.u
        w[::3] *= 1 + self.restitution
        self.start = np.zeros(len(w))
        return self.u + self.P @ self.law(w)

    def routh(self, parts=20000):
        """One corner, with friction against the slip at every part of the normal impulse, until the
        normal velocity is that of the restitution; slips that stop and can stick do so."""
        u, part = self.u.copy(), -(1 + self.restitution) * (self.J @ self.u)[0] / self.W[0, 0] / parts
        end = -self.restitution * (self.J @ u)[0]
        hold = -np.linalg.solve(self.W[1:, 1:], self.W[1:, 0])
        while (self.J @ u)[0] < end:
            slip = (self.J @ u)[1:]
            push = -self.friction * slip / hypot(*slip) if any(slip) else hold
            stops = slip @ (slip + part * (self.W[1:, 0] + self.W[1:, 1:] @ push)) <= 0
            u = u + part * self.P @ np.append(1, hold if stops and hypot(*hold) <= self.friction else push)
        return u


CORNER = turned(("y", 0.6), ("x", 0.5), ("z", 0.3))
EDGE = turned(("y", 0.6), ("z", 0.3))
STRIKES = {
    "corner, slip stops": (CORNER, (0.8, -0.3, -2, 0, 0, 0), 0.3, 0.3),
    "corner, slip turns": (CORNER, (0.3, -0.2, -2, 1, 3, -2), 0.1, 0.3),
    "edge, both stop": (EDGE, (0.8, -0.3, -2, 0, 0, 0), 0.3, 0.3, 2),
    "edge, one turns": (EDGE, (0.3, -0.2, -2, 0, 3, -2), 0.35, 0.3, 2),
}


def words(values):
    return "{%s}" % ", ".join(map(repr, np.asarray(values, float).tolist()))


def tumbling(first):
    """A box that tumbles strikes the edge of a step with an edge, all of it turned."""
    turn = rotation(first)
    return (f"gravity{words(turn @ [0, 0, -9.81])}\n" + material(0.35, 0.3) +
            f"body{{name = 't', kind = 'fixed', position = {words(turn @ [0.3, 0, -0.2])}, "
            f"orientation = {words(first)}, shape = shape.box{{size = {{0.3, 1, 0.2}}, material = 'm'}}}}\n" +
            body("b", "box{size = {0.1, 0.12, 0.1}}", position=words(turn @ [0.25, -0.2, 0.2]),
                 velocity=words(turn @ [0.8, -0.1, 0]), angular_velocity=words(turn @ [0, 3, 1]),
                 orientation=words(after(first, turned(("y", 0.9636), ("z", 0.3142))))))


class Collisions(Folder):
    def behind(self, strike, scheme, gap, end, settings=""):
        fields = {"position": words([0, 0, gap - strike.low]), "orientation": words(strike.q),
                  "velocity": words(strike.u[:3]), "angular_velocity": words(strike.u[3:])}
        text = WEIGHTLESS + material(strike.friction, strike.restitution) + FLOOR + body(
            "b", "box{size = {0.1, 0.12, 0.1}}", **fields)
        return self.velocities(text, scheme, settings, end, end / 4)

    def velocities(self, text, scheme, settings, end, step):
        self.errors((text, end, [(quantity, "b", component, 0) for quantity, component in COMPONENTS]),
                    scheme, settings, step=step)
        with open(self.path("s.csv"), encoding="utf-8") as file:
            return np.array([float(word) for word in file.read().split("\n")[-2].split(",")[-6:]])

    def test_limit(self):
        for name, case in STRIKES.items():
            strike = Strike(*case)
            limit, newton = strike.relaxed(), strike.newton()
            fall = max(-(strike.J @ strike.u)[::3])
            soft = [self.behind(strike, "relaxed", 2.1 * delta * fall, 7 * delta,
                                f"delta = {delta}, tolerance = 1e-11") for delta in (4e-5, 2e-5)]
            off = [max(abs(u - limit)) for u in (soft[0], soft[1], 2 * soft[1] - soft[0])]
            event = max(abs(self.behind(strike, "event", 1e-9, 2e-9) - newton))
            apart = max(abs(newton - limit))
            routh = max(abs(limit - strike.routh())) if len(case) == 4 else 0
            print(f"{name:18s} relaxed off its limit by {off[0]:.1e} {off[1]:.1e} at delta = 4e-5, 2e-5 s, "
                  f"extrapolated {off[2]:.1e}; event off Newton's law by {event:.1e}; the limit off "
                  f"Newton's law by {apart:.4f}" + (f", off Routh's by {routh:.4f}" if routh else ""))
            self.assertLess(event, 1e-7)
            self.assertLess(off[2], 5e-5)
            self.assertLess(off[1], 0.6 * off[0])
            # where slips stop for good both laws hold, where they turn the limit is near Routh's
            self.assertLess(apart, 1e-3 if "stop" in name else 1)
            self.assertLess(routh, 1e-3 if "stop" in name else 0.3 * apart)

    def test_turned_world(self):
        """The normal of two edges turns with the box. Tangents that turn about it, as those do that are
        functions of the normal, left angular velocities of 19 rad/s apart by 0.18 delta/s^2."""
        first = turned(("z", 0.4), ("x", 1.1), ("y", -0.7))
        for delta in (1e-3, 2.5e-4):
            settings = f"delta = {delta}, tolerance = 1e-11"
            one, other = (self.velocities(tumbling(q), "relaxed", settings, 0.24, 0.01)
                          for q in (turned(), first))
            apart = max(abs(rotation(first) @ one[3:] - other[3:]))
            print(f"delta = {delta} s: {max(abs(one[3:])):.1f} rad/s, apart by {apart:.1e} in a turned world")
            self.assertLess(apart, 1e-7)


if __name__ == "__main__":
    unittest.main()

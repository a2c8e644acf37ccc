# SPDX-License-Identifier: Apache-2.0
"""Errors of the solution stored in an FCLIB file, from the definitions and with dense matrices."""

import h5py
import numpy


def matrix(group):
    """Dense copy of a matrix group: triplets (nz >= 0), compressed columns (-1) or rows (-2)."""
    shape = (int(group["m"][0]), int(group["n"][0]))
    p, i, x = (numpy.array(group[name]) for name in "pix")
    kind = int(group["nz"][0])
    dense = numpy.zeros(shape)
    if kind < 0:
        outer = numpy.repeat(numpy.arange(len(p) - 1), numpy.diff(p))
        row, col = (i, outer) if kind == -1 else (outer, i)
    else:
        row, col = i[:kind], p[:kind]
    numpy.add.at(dense, (row, col), x[:len(row)])
    return dense


def read(path):
    """W, b, mu, mu_roll (None without rolling), rows per contact, the stored r and u, and the sums
    of absolute values behind u = W r + b, which bound its rounding."""
    with h5py.File(path) as file:
        name = next(n for n in ("fclib_local", "fclib_global", "fclib_global_rolling") if n in file)
        group = file[name]
        mu = numpy.array(group["vectors/mu"])
        roll = numpy.array(group["vectors/mu_r"]) if "vectors/mu_r" in group else None
        if name == "fclib_local":
            W, b = matrix(group["W"]), numpy.array(group["vectors/q"])
            W_terms, b_terms = abs(W), abs(b)
        else:
            M, H = matrix(group["M"]), matrix(group["H"])
            V, v = (numpy.linalg.solve(M, x) for x in (H, group["vectors/f"][:]))
            w = group["vectors/w"][:]
            W, b = H.T @ V, H.T @ v + w
            W_terms, b_terms = abs(H.T) @ abs(V), abs(H.T) @ abs(v) + abs(w)
        r, u = (numpy.array(file["solution"][n]) for n in "ru")
        return W, b, mu, roll, len(b) // len(mu), r, u, W_terms @ abs(r) + b_terms


def onto_cones(x, slopes):
    """Nearest point of { |x_k| <= slope_k x_N for each part k }: x = (x_N, part, part, …).

    For given x_N = t the parts are shortened to slope t; the distance is convex in t, and its
    derivative is brought to 0 by bisection."""
    normal, parts = x[0], x[1:]
    sizes = [numpy.linalg.norm(part) for part in parts]

    def derivative(t):
        return t - normal - sum(s * max(0.0, size - s * t) for s, size in zip(slopes, sizes))

    low, high = 0.0, abs(normal) + sum(s * size for s, size in zip(slopes, sizes))
    if derivative(0.0) >= 0.0:
        high = 0.0
    elif derivative(max(normal, 0.0)) == 0.0:
        low = high = normal
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if derivative(middle) < 0.0 else (low, middle)
    t = 0.5 * (low + high)
    return [t] + [part * min(1.0, s * t / size) if size > 0.0 else part
                  for part, s, size in zip(parts, slopes, sizes)]


def split(x, rolling):
    """(normal, tangential part, rolling part)."""
    if not rolling:
        return [x[0], x[1:]]
    half = (len(x) - 1) // 2
    return [x[0], x[1:1 + half], x[1 + half:]]


def natural_map(r, u, slopes, rho):
    """r - P_K(r - rho (u_N + sum mu_k |u_k|, u_T, …)), orthogonal in the metric 1/rho."""
    rolling = len(slopes) == 2
    parts_r, parts_u = split(r, rolling), split(u, rolling)
    shifted = parts_u[0] + sum(s * numpy.linalg.norm(p) for s, p in zip(slopes, parts_u[1:]))
    target = [parts_r[0] - rho[0] * shifted]
    target += [p - g * q for p, q, g in zip(parts_r[1:], parts_u[1:], rho[1:])]
    root = numpy.sqrt(rho)
    scaled = onto_cones([part / g for part, g in zip(target, root)],
                        [s * root[0] / g for s, g in zip(slopes, root[1:])])
    point = [part * g for part, g in zip(scaled, root)]
    return numpy.concatenate([numpy.atleast_1d(a - b) for a, b in zip(parts_r, point)])


def step_lengths(block, rolling):
    half = (len(block) - 1) // 2 if rolling else len(block) - 1
    cuts = [(0, 1), (1, 1 + half)] + ([(1 + half, len(block))] if rolling else [])
    return [1.0 / numpy.linalg.eigvalsh(block[a:b, a:b])[-1] for a, b in cuts]


def errors(path):
    """(relative, siconos, unit-free) of the solution stored in a file, how well this code knows
    them, and |u - (W r + b)| / |b| for the stored u."""
    W, b, mu, roll, d, r, u_stored, terms = read(path)
    u = W @ r + b
    defects, energy, scale = [], 0.0, 0.0
    for i, slope in enumerate(mu):
        rows = slice(d * i, d * i + d)
        slopes = [slope] if roll is None else [slope, roll[i]]
        defects.append(natural_map(r[rows], u[rows], slopes, numpy.ones(1 + len(slopes))))
        block = W[rows, rows]
        rho = numpy.array(step_lengths(block, roll is not None))
        D = natural_map(r[rows], u[rows], slopes, rho)
        energy += D @ block @ D
        scale += b[rows] @ numpy.linalg.solve(block, b[rows])
    size = numpy.linalg.norm(numpy.concatenate(defects))
    b_size = numpy.linalg.norm(b)
    largest = max(b_size, numpy.linalg.norm(r), numpy.linalg.norm(u))
    # products with M^-1, H' and r, each with a few roundings
    rounding = 16 * numpy.finfo(float).eps * numpy.linalg.norm(terms) / b_size
    return ((size / b_size, size / largest, numpy.sqrt(energy / scale)), rounding,
            numpy.linalg.norm(u - u_stored) / b_size)

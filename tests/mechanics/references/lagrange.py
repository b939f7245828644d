# SPDX-License-Identifier: Apache-2.0
"""Lagrange's equations from places and orientations in SymPy, integrated by DOP853 near the last digit."""
import json
import pathlib

import numpy as np
import sympy as sp
from scipy.integrate import solve_ivp

FOLDER = pathlib.Path(__file__).parent
RTOL, ATOL = 2.5e-14, 1e-14


def write(name, derived, degrees, redundant, times, curves, tolerance):
    """tolerance: of every curve, against its largest value."""
    times = np.asarray(times)
    content = {"derived": derived, "degrees": degrees, "redundant": redundant, "stop": times[-1],
               "interval": times[-1] / (len(times) - 1), "tolerance": tolerance,
               "curves": {k: [float(f"{x:.15g}") for x in v] for k, v in curves.items()}}
    text = json.dumps(content, indent=1)
    (FOLDER / f"{name}.json").write_text(text + "\n")


def turn(n, q):
    n = sp.Matrix(n)
    S = sp.Matrix([[0, -n[2], n[1]], [n[2], 0, -n[0]], [-n[1], n[0], 0]])
    return sp.eye(3) + sp.sin(q) * S + (1 - sp.cos(q)) * S * S


def tensor(I):
    return sp.Matrix([[I[0], I[3], I[4]], [I[3], I[1], I[5]], [I[4], I[5], I[2]]])


class Lagrange:
    """bodies: (m, I6 about the centre in axes of the body, place of the centre, orientation)."""

    def __init__(self, q, bodies, g, force=None):
        n = len(q)
        M, V = sp.zeros(n), 0
        for m, I, r, R in bodies:
            Jv = r.jacobian(q)
            Jw = sp.zeros(3, n)
            for k in range(n):
                S = R.T * R.diff(q[k])
                Jw[:, k] = sp.Matrix([S[2, 1], S[0, 2], S[1, 0]])
            M += m * Jv.T * Jv + Jw.T * tensor(I) * Jw
            V -= m * (sp.Matrix(g).T * r)[0]
        u = sp.symbols(f"u:{n}")
        rates = sp.Matrix(u)
        h = sp.Matrix([sum((M[i, j].diff(q[k]) - M[j, k].diff(q[i]) / 2) * u[j] * u[k] for j in range(n) for k in range(n))
                       + sp.diff(V, q[i]) for i in range(n)])
        self.f = sp.lambdify([list(q), list(u)], [M, h], cse=True)
        self.force = force or (lambda t, q, u: np.zeros(n))
        self.energy = sp.lambdify([list(q), list(u)], (rates.T * M * rates)[0] / 2 + V, cse=True)
        self.n = n

    def acceleration(self, t, q, u):
        M, h = self.f(q, u)
        return np.linalg.solve(np.array(M, float), self.force(t, q, u) - np.array(h, float).ravel())

    def run(self, q0, u0, times):
        n = self.n
        s = solve_ivp(lambda t, y: np.concatenate([y[n:], self.acceleration(t, y[:n], y[n:])]), (times[0], times[-1]),
                      np.concatenate([q0, u0]), method="DOP853", rtol=RTOL, atol=ATOL, t_eval=times)
        assert s.success
        E = [self.energy(y[:n], y[n:]) for y in s.y.T]
        print(f"  energy varies by {max(E) - min(E):.2e} (without drives: the error)")
        return s.y[:n], s.y[n:]

# SPDX-License-Identifier: Apache-2.0
"""Rigid bodies in absolute coordinates: a second program for mechanisms, made from no line of cotree.

Every body has six freedoms of its own (place of its centre, quaternion; velocities in axes of the world). Joints are rows J a = gamma; the
multipliers are those of least length (singular values), so that redundant rows do no harm. Integrated by DOP853 near the last digit. The
constraints are not stabilised; at every time of the output the state is put back on them, and the largest drift up to there is returned as a
measure of the error.
"""
import math

import numpy as np
from scipy.integrate import DOP853


def cross(a, b):
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def skew(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def rotation(axis, angle):
    n = np.asarray(axis, float) / np.linalg.norm(axis)
    S = skew(n)
    return np.eye(3) + math.sin(angle) * S + (1 - math.cos(angle)) * S @ S


def rpy(r, p, y):
    return rotation([0, 0, 1], y) @ rotation([0, 1, 0], p) @ rotation([1, 0, 0], r)


def quaternion(R):
    """Of the largest of the four components, so that nothing cancels."""
    K = np.array([[R[0, 0] - R[1, 1] - R[2, 2], R[1, 0] + R[0, 1], R[2, 0] + R[0, 2], R[2, 1] - R[1, 2]],
                  [R[1, 0] + R[0, 1], R[1, 1] - R[0, 0] - R[2, 2], R[2, 1] + R[1, 2], R[0, 2] - R[2, 0]],
                  [R[2, 0] + R[0, 2], R[2, 1] + R[1, 2], R[2, 2] - R[0, 0] - R[1, 1], R[1, 0] - R[0, 1]],
                  [R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1], R[0, 0] + R[1, 1] + R[2, 2]]]) / 3
    v = np.linalg.eigh(K)[1][:, -1]
    return np.array([v[3], v[0], v[1], v[2]])


def matrix(q):
    w, x, y, z = q / math.sqrt(q @ q)
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def across(a):
    a = np.asarray(a, float) / np.linalg.norm(a)
    u = cross(a, np.eye(3)[np.argmin(np.abs(a))])
    u /= np.linalg.norm(u)
    return a, u, cross(a, u)


GROUND = -1


class Mechanism:
    """Points and directions of a body are in axes of its own frame, whose origin need not be its centre."""

    def __init__(self, g=(0, 0, -9.81)):
        self.g = np.array(g, float)
        self.m, self.I, self.c, self.r, self.R = [], [], [], [], []
        self.rows = []  # (kind, i, a, j, b, value)
        self.forces = []  # f(mechanism, t): adds to self.f, self.t
        self.angles = []  # (i, axis of i, zero of i, j, zero of j)
        self.joint_rows = {}
        self.now = 0.0

    def body(self, m, c, I, r, R):
        """c: centre; I: about it, xx yy zz xy xz yz; r, R: where its frame begins (nearly)."""
        c = np.array(c, float)
        self.m.append(m)
        self.I.append(np.array([[I[0], I[3], I[4]], [I[3], I[1], I[5]], [I[4], I[5], I[2]]], float))
        self.c.append(c)
        self.R.append(np.array(R, float))
        self.r.append(np.array(r, float) + self.R[-1] @ c)
        return len(self.m) - 1

    # ---- joints --------------------------------------------------------------------------------------------
    def _offset(self, i, P):
        return np.array(P, float) - (self.c[i] if i >= 0 else 0)

    def _row(self, *row):
        self.rows.append(row)

    def _joint(self, name, before):
        self.joint_rows[name or f"joint{len(self.joint_rows)}"] = (before, len(self.rows))

    def spherical(self, i, Pi, j, Pj, name=None):
        n = len(self.rows)
        for k in range(3):
            self._row("point", i, self._offset(i, Pi), j, self._offset(j, Pj), k)
        self._joint(name, n)

    def revolute(self, i, Pi, ai, j, Pj, aj, name=None):
        n = len(self.rows)
        for k in range(3):
            self._row("point", i, self._offset(i, Pi), j, self._offset(j, Pj), k)
        _, u, v = across(ai)
        for d in (u, v):
            self._row("right", i, d, j, across(aj)[0], 0)
        self._joint(name, n)

    def universal(self, i, Pi, ai, j, Pj, aj, name=None):
        n = len(self.rows)
        for k in range(3):
            self._row("point", i, self._offset(i, Pi), j, self._offset(j, Pj), k)
        self._row("right", i, across(ai)[0], j, across(aj)[0], 0)
        self._joint(name, n)

    def cylindrical(self, i, Pi, ai, j, Pj, aj, name=None):
        n = len(self.rows)
        _, u, v = across(ai)
        for d in (u, v):
            self._row("right", i, d, j, across(aj)[0], 0)
            self._row("plane", i, (d, self._offset(i, Pi)), j, self._offset(j, Pj), 0)
        self._joint(name, n)

    def prismatic(self, i, Pi, ai, j, Pj, C=np.eye(3), name=None):
        """C: axes of j as seen from i."""
        n = len(self.rows)
        _, u, v = across(ai)
        for d in (u, v):
            self._row("plane", i, (d, self._offset(i, Pi)), j, self._offset(j, Pj), 0)
        E = np.eye(3)
        for k in range(3):
            self._row("right", i, C @ E[k], j, E[(k + 1) % 3], 0)
        self._joint(name, n)

    def rod(self, i, Pi, j, Pj, length, name=None):
        """length: a number, or t -> itself and its two rates; its multiplier times the length is the force that drives the ends apart."""
        n = len(self.rows)
        self._row("distance", i, self._offset(i, Pi), j, self._offset(j, Pj), length)
        self._joint(name, n)

    def angle(self, i, ai, j, ei, ej=None):
        """Measured about ai of body i, from direction ei of i to ej of j; its number among the results."""
        self.angles.append((i, across(ai)[0], np.array(ei, float), j, np.array(ei if ej is None else ej, float)))
        return len(self.angles) - 1

    # ---- state ---------------------------------------------------------------------------------------------
    def load(self, y):
        n = len(self.m)
        self.x = y[:3 * n].reshape(n, 3)
        self.q = y[3 * n:7 * n].reshape(n, 4)
        self.v = y[7 * n:10 * n].reshape(n, 3)
        self.w = y[10 * n:13 * n].reshape(n, 3)
        self.A = [matrix(q) for q in self.q]

    def pose(self, i):
        return (self.A[i], self.x[i], self.v[i], self.w[i]) if i >= 0 else (np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3))

    def place(self, i, P):
        A, x, _, _ = self.pose(i)
        return x + A @ self._offset(i, P)

    def velocity(self, i, P):
        A, _, v, w = self.pose(i)
        return v + cross(w, A @ self._offset(i, P))

    def acceleration(self, i, P):
        """At the state that was evaluated last."""
        s, w = self.A[i] @ self._offset(i, P), self.w[i]
        return self.a[i, :3] + cross(self.a[i, 3:], s) + cross(w, cross(w, s))

    def push(self, i, P, force):
        """A force of the world at a point of a body."""
        if i >= 0:
            self.f[i] += force
            self.t[i] += cross(self.A[i] @ self._offset(i, P), force)

    def twist(self, i, torque):
        if i >= 0:
            self.t[i] += torque

    def constraints(self):
        """Values, Jacobian (v and w of the world), gamma with J a = gamma."""
        n = len(self.m)
        J = np.zeros((len(self.rows), 6 * n))
        g, gamma = np.zeros(len(self.rows)), np.zeros(len(self.rows))

        def put(row, i, lin, ang):
            if i >= 0:
                J[row, 6 * i:6 * i + 3] += lin
                J[row, 6 * i + 3:6 * i + 6] += ang

        for k, (kind, i, a, j, b, value) in enumerate(self.rows):
            Ai, xi, vi, wi = self.pose(i)
            Aj, xj, vj, wj = self.pose(j)
            if kind == "right":
                d, e = Ai @ a, Aj @ b
                g[k] = d @ e
                dd, ed = cross(wi, d), cross(wj, e)
                put(k, i, np.zeros(3), cross(d, e))
                put(k, j, np.zeros(3), cross(e, d))
                gamma[k] = -(cross(wi, dd) @ e + 2 * dd @ ed + d @ cross(wj, ed))
                continue
            si, sj = Ai @ (a[1] if kind == "plane" else a), Aj @ b
            gap = xj + sj - xi - si
            rate = vj + cross(wj, sj) - vi - cross(wi, si)
            rest = cross(wj, cross(wj, sj)) - cross(wi, cross(wi, si))
            if kind == "point":
                e = np.zeros(3)
                e[value] = 1
                g[k], gamma[k] = gap @ e, -rest @ e
                put(k, j, e, cross(sj, e))
                put(k, i, -e, -cross(si, e))
            elif kind == "plane":
                d = Ai @ a[0]
                dd = cross(wi, d)
                g[k] = d @ gap
                put(k, j, d, cross(sj, d))
                put(k, i, -d, -cross(si, d) + cross(d, gap))
                gamma[k] = -(cross(wi, dd) @ gap + 2 * dd @ rate + d @ rest)
            else:
                L, rate_L, acc_L = value(self.now) if callable(value) else (value, 0, 0)
                g[k] = (gap @ gap - L * L) / 2
                put(k, j, gap, cross(sj, gap))
                put(k, i, -gap, -cross(si, gap))
                gamma[k] = -(rate @ rate + gap @ rest) + rate_L**2 + L * acc_L
        return g, J, gamma

    def measured(self, k):
        i, a, ei, j, ej = self.angles[k]
        Ai, Aj = self.pose(i)[0], self.pose(j)[0]
        d, e = Ai @ ei, Aj @ ej
        axis = Ai @ a
        return math.atan2(cross(d, e) @ axis, d @ e - (d @ axis) * (e @ axis))

    def rate(self, k):
        i, a, _, j, _ = self.angles[k]
        Ai, _, _, wi = self.pose(i)
        return (Ai @ a) @ (self.pose(j)[3] - wi)

    def angle_row(self, k):
        i, a, _, j, _ = self.angles[k]
        row = np.zeros(6 * len(self.m))
        axis = self.pose(i)[0] @ a
        if i >= 0:
            row[6 * i + 3:6 * i + 6] -= axis
        if j >= 0:
            row[6 * j + 3:6 * j + 6] += axis
        return row

    # ---- begin ---------------------------------------------------------------------------------------------
    def assemble(self, angles=None, rates=None, points=(), point_rates=()):
        """Closes the loops near the given poses with angle k = value, (body, point, axis) = value; rates likewise."""
        n = len(self.m)
        y = np.concatenate([np.array(self.r).ravel(), np.array([quaternion(R) for R in self.R]).ravel(), np.zeros(6 * n)])
        angles, rates = angles or {}, rates or {}

        def point_row(i, P, axis):
            row = np.zeros(6 * n)
            row[6 * i + axis] = 1
            row[6 * i + 3:6 * i + 6] = cross(self.A[i] @ self._offset(i, P), np.eye(3)[axis])
            return row

        for _ in range(100):
            self.load(y)
            g, J, _ = self.constraints()
            g = np.concatenate([g, [math.remainder(self.measured(k) - v, 2 * math.pi) for k, v in angles.items()],
                                [self.place(i, P)[axis] - v for i, P, axis, v in points]])
            J = np.vstack([J] + [self.angle_row(k) for k in angles] + [point_row(i, P, a) for i, P, a, _ in points])
            d = -np.linalg.lstsq(J, g, rcond=1e-9)[0]
            size = np.abs(d).max()
            d *= min(1, 0.3 / size) if size > 0 else 1
            d = d.reshape(n, 6)
            for i in range(n):
                y[3 * i:3 * i + 3] += d[i, :3]
                angle = np.linalg.norm(d[i, 3:])
                turn = rotation(d[i, 3:], angle) if angle > 0 else np.eye(3)
                y[3 * n + 4 * i:3 * n + 4 * i + 4] = quaternion(turn @ self.A[i])
            if size < 1e-15:
                break
        self.load(y)
        g, J, _ = self.constraints()
        if len(g):
            assert np.abs(g).max() < 1e-12, f"not closed: {np.abs(g).max()}"
        left = np.zeros(len(g))
        J = np.vstack([J] + [self.angle_row(k) for k in rates] + [point_row(i, P, a) for i, P, a, _ in point_rates])
        u = np.linalg.lstsq(J, np.concatenate([left, list(rates.values()), [v for *_, v in point_rates]]), rcond=1e-9)[0].reshape(n, 6)
        y[7 * n:10 * n] = u[:, :3].ravel()
        y[10 * n:13 * n] = u[:, 3:].ravel()
        self.y0 = y
        self.load(y)
        return y

    def degrees(self):
        s = np.linalg.svd(self.constraints()[1], compute_uv=False)
        return 6 * len(self.m) - int((s > 1e-7 * s[0]).sum())

    # ---- motion --------------------------------------------------------------------------------------------
    def accelerations(self, t):
        n = len(self.m)
        self.f = np.array(self.m)[:, None] * self.g
        self.t = np.zeros((n, 3))
        for force in self.forces:
            force(self, t)
        half = np.zeros((6 * n, 6 * n))  # square root of the inverse mass matrix
        free = np.zeros(6 * n)
        for i in range(n):
            I = self.A[i] @ self.I[i] @ self.A[i].T
            half[6 * i:6 * i + 3, 6 * i:6 * i + 3] = np.eye(3) / math.sqrt(self.m[i])
            half[6 * i + 3:6 * i + 6, 6 * i + 3:6 * i + 6] = np.linalg.inv(np.linalg.cholesky(I)).T
            free[6 * i:6 * i + 3] = self.f[i] / self.m[i]
            free[6 * i + 3:6 * i + 6] = np.linalg.solve(I, self.t[i] - cross(self.w[i], I @ self.w[i]))
        if not self.rows:
            return free
        g, J, gamma = self.constraints()
        JH = J @ half
        U, s, Vt = np.linalg.svd(JH, full_matrices=False)
        keep = s > 1e-7 * s[0]
        x = (U[:, keep].T @ (gamma - J @ free)) / s[keep]
        self.J, self.lam = J, U[:, keep] @ (x / s[keep])
        return free + half @ (Vt[keep].T @ x)

    def reaction(self, name, j, P):
        """Force and torque (about P) of a joint on body j, in axes of the world."""
        lo, hi = self.joint_rows[name]
        wrench = self.J[lo:hi, 6 * j:6 * j + 6].T @ self.lam[lo:hi]
        return wrench[:3], wrench[3:] - cross(self.A[j] @ self._offset(j, P), wrench[:3])

    def rhs(self, t, y):
        n = len(self.m)
        self.now = t
        self.load(y)
        self.a = a = self.accelerations(t).reshape(n, 6)
        qd = np.empty((n, 4))
        for i in range(n):
            q, w = self.q[i], self.w[i]
            qd[i, 0] = -(w @ q[1:]) / 2
            qd[i, 1:] = (q[0] * w + cross(w, q[1:])) / 2
        return np.concatenate([self.v.ravel(), qd.ravel(), a[:, :3].ravel(), a[:, 3:].ravel(),
                               [self.rate(k) for k in range(len(self.angles))]])

    def project(self, y):
        """The nearest state that satisfies the constraints; the angles counted along stay."""
        n = len(self.m)
        for _ in range(2):
            self.load(y)
            g, J, _ = self.constraints()
            d = -np.linalg.lstsq(J, g, rcond=1e-7)[0].reshape(n, 6)
            y[:3 * n] += d[:, :3].ravel()
            for i in range(n):
                q, w = y[3 * n + 4 * i:3 * n + 4 * i + 4].copy(), d[i, 3:] / 2
                q += np.concatenate([[-(w @ q[1:])], q[0] * w + cross(w, q[1:])])
                y[3 * n + 4 * i:3 * n + 4 * i + 4] = q / math.sqrt(q @ q)
        self.load(y)
        J = self.constraints()[1]
        u = np.hstack([self.v, self.w]).ravel()
        given = np.array([np.prod(row[5](self.now)[:2]) if callable(row[5]) else 0.0 for row in self.rows])
        u = (u - np.linalg.lstsq(J, J @ u - given, rcond=1e-7)[0]).reshape(n, 6)
        y[7 * n:10 * n], y[10 * n:13 * n] = u[:, :3].ravel(), u[:, 3:].ravel()
        return y

    def run(self, times, outputs, rtol=1e-13, atol=1e-13, max_step=np.inf):
        """outputs: name -> f(mechanism, unwrapped angles); dict of lists, and the largest gap of a constraint."""
        y = np.concatenate([self.y0, [self.measured(k) for k in range(len(self.angles))]])
        curves, gap = {name: [] for name in outputs}, 0
        n = len(self.angles)

        def keep(t, y):
            self.rhs(t, y)
            for name, f in outputs.items():
                curves[name].append(float(f(self, y[len(y) - n:])))

        keep(times[0], y)
        for t0, t1 in zip(times, times[1:]):  # ends at every time asked for: no interpolation
            solver = DOP853(self.rhs, t0, y, t1, rtol=rtol, atol=atol, max_step=max_step,
                            first_step=None if t0 == times[0] else min(step, t1 - t0))
            step = None
            while solver.status == "running":
                solver.step()
                if solver.status == "running" or step is None:
                    step = solver.h_abs
            assert solver.status == "finished", f"{solver.status} at {solver.t}"
            y = solver.y.copy()
            self.now = t1
            if self.rows:
                self.load(y)
                gap = max(gap, np.abs(self.constraints()[0]).max())
                y = self.project(y)
            keep(t1, y)
        return curves, gap

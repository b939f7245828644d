#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Random vehicles on rolling discs, beside a reference that derives the conditions of rolling anew at every step.

rolling_wheels.py COTREE [N [SEED]] [--keep FOLDER]

Two wheels on an axle, three with a castor or a steered wheel, four with a turning front axle, trailers; a coin, an axle of two unlike
wheels (a cone), a body that swings on an axle. Driven by torques, pulled by a force, or with a speed at the start; wheels coupled by gears, with springs and
dampers; on an inclined plane, too. The chassis is held by a planar joint, or by its wheels alone. The reference has the chassis' place and quaternion and the angles of joints;
every disc's contact point is at rest, and where conditions follow from others the least multipliers are taken. It is projected after
every step. Each vehicle is started in several ways that say the same motion. Compared are all coordinates and rates at 20 times; the speed of every
contact point is computed from what Cotree prints. Prints what differs, then a line with figures."""
import argparse, csv, math, os, random, subprocess, sys, tempfile, time

import numpy as np
from scipy.integrate import DOP853

RTOL = 1e-8
BOUND = 100 * RTOL  # of the scale of each variable
SLIP = 1e-6         # m/s
ROWS = 20


def skew(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def cross(a, b):
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def turn(axis, angle):
    k = skew(np.asarray(axis, float) / np.linalg.norm(axis))
    return np.eye(3) + math.sin(angle) * k + (1 - math.cos(angle)) * k @ k


def to_rpy(m):
    return [math.atan2(m[2, 1], m[2, 2]), math.asin(max(-1, min(1, -m[2, 0]))), math.atan2(m[1, 0], m[0, 0])]


def of_rpy(rpy):
    return turn([0, 0, 1], rpy[2]) @ turn([0, 1, 0], rpy[1]) @ turn([1, 0, 0], rpy[0])


def of_quaternion(q):
    w, x, y, z = np.asarray(q, float) / math.sqrt(float(np.dot(q, q)))
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def to_quaternion(m):
    p = [1 + m[0, 0] + m[1, 1] + m[2, 2], 1 + m[0, 0] - m[1, 1] - m[2, 2], 1 - m[0, 0] + m[1, 1] - m[2, 2], 1 - m[0, 0] - m[1, 1] + m[2, 2]]
    k = int(np.argmax(p))
    q = [[p[0], m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]], [m[2, 1] - m[1, 2], p[1], m[1, 0] + m[0, 1], m[0, 2] + m[2, 0]],
         [m[0, 2] - m[2, 0], m[1, 0] + m[0, 1], p[2], m[2, 1] + m[1, 2]], [m[1, 0] - m[0, 1], m[0, 2] + m[2, 0], m[2, 1] + m[1, 2], p[3]]][k]
    return np.array(q) / np.linalg.norm(q)


class Link:
    """A body on a joint that turns about n (in both frames), at r of its parent, turned by `m`; its frame is that of the joint."""
    disc = None        # radius; the axis is n of the joint (of link 0: `axis`)
    torque = 0.0
    d = spring = rest = 0.0
    inertia = 0.0      # of one dimension, on the axis


class Vehicle:
    """In axes of the floor: z is its normal, gravity anywhere below."""

    def __init__(self, seed):
        self.seed = seed
        r = self.r = random.Random(seed)
        self.kind = r.choice(["axle", "axle", "axle", "castor", "castor", "steered wheel", "four wheels", "four wheels", "trailer", "coin", "cone",
                              "swinging axle", "straight four"])
        self.links = []
        self.R = R = 10 ** r.uniform(-1, -0.3)   # of a wheel
        self.size = L = R * r.uniform(1.5, 4)    # half a track
        self.alone = self.kind in ("coin", "cone", "swinging axle") or (self.kind in ("castor", "steered wheel", "four wheels", "trailer", "straight four") and r.random() < 0.4)
        self.floor = of_rpy([r.uniform(-3, 3), r.uniform(-1.4, 1.4), r.uniform(-3, 3)]) if r.random() < 0.4 else np.eye(3)
        slope = r.choice([0, 0, 0, r.uniform(0, 0.3)])
        az = r.uniform(-3, 3)
        self.gravity = 9.81 * np.array([math.sin(slope) * math.cos(az), math.sin(slope) * math.sin(az), -math.cos(slope)])
        self.couplings = []  # (k, l, ratio): angle of k = ratio times that of l
        self.force = self.moment = None
        heading = r.uniform(-3, 3)
        self.angle0 = heading
        self.p0 = np.array([r.uniform(-1, 1), r.uniform(-1, 1), R])
        self.R0 = turn([0, 0, 1], heading)
        m = 10 ** r.uniform(0, 1)
        base = self.add(None, [0, 0, 0], m, np.array([r.uniform(-0.3, 0.5) * L, r.uniform(-0.3, 0.3) * L, r.uniform(-0.3, 0.3) * R]),
                        m * L * L * np.diag([r.uniform(0.3, 0.5) for _ in range(3)]))
        draw = getattr(self, "draw_" + self.kind.replace(" ", "_"))
        draw(base, L, R)
        self.dress(L, R)

    def add(self, parent, place, m, c, I):
        k = Link()
        k.parent, k.ra, k.m, k.c, k.I = parent, np.array(place, float), m, np.array(c, float), np.array(I, float)
        k.ma = np.eye(3)
        self.links.append(k)
        return len(self.links) - 1

    def wheel(self, parent, place, R, sign=None):
        """A wheel about y of its parent; its own axes may be others."""
        r = self.r
        m = 10 ** r.uniform(-0.5, 0.5)
        k = self.add(parent, place, m, [0, 0, 0], np.zeros((3, 3)))
        w = self.links[k]
        sign = r.choice([1, 1, 1, -1]) if sign is None else sign
        w.disc = R
        if r.random() < 0.3:  # the axis is x or z of its frame
            axis = r.choice([0, 2])
            w.n = np.eye(3)[axis] * sign
            w.ma = turn([0, 0, 1], math.pi / 2) if axis == 0 else turn([1, 0, 0], -math.pi / 2)
        else:
            w.n = np.array([0, float(sign), 0])
        I = m * R * R * r.uniform(0.3, 0.6)
        a = np.abs(w.n)
        w.I = np.diag(I * a + 0.55 * I * (1 - a))
        if r.random() < 0.15:  # out of balance
            b = R * r.uniform(0.02, 0.2)
            w.c = b * (1 - a) * np.array([r.choice([-1, 1]) for _ in range(3)]) * 0.7
        w.x0 = r.uniform(-2, 2) if r.random() < 0.5 else 0.0
        return k

    def swivel(self, parent, place, mass=None):
        r = self.r
        m = mass or 10 ** r.uniform(-0.5, 0.5)
        L = self.size
        k = self.add(parent, place, m, [r.uniform(-0.2, 0.2) * L, r.uniform(-0.2, 0.2) * L, 0], m * L * L * np.diag([0.1, 0.1, 0.15]))
        self.links[k].n = np.array([0, 0, 1.0])
        self.links[k].x0 = r.uniform(-0.6, 0.6)
        return k

    def draw_axle(self, base, L, R):
        self.wheel(base, [0, L, 0], R)
        self.wheel(base, [0, -L, 0], R)

    def draw_castor(self, base, L, R):
        self.draw_axle(base, L, R)
        small = R * self.r.uniform(0.4, 1)
        fork = self.swivel(base, [2 * L, self.r.uniform(-0.3, 0.3) * L, small - R])
        self.wheel(fork, [-small * self.r.uniform(0.3, 1.0), 0, 0], small)

    def draw_steered_wheel(self, base, L, R):
        self.draw_axle(base, L, R)
        fork = self.swivel(base, [2 * L, 0, 0])
        self.wheel(fork, [self.r.choice([0, R * self.r.uniform(-0.4, 0.4)]), 0, 0], R)

    def draw_four_wheels(self, base, L, R):
        self.draw_axle(base, L, R)
        front = self.swivel(base, [self.r.uniform(1.5, 3) * L, 0, 0])
        small = self.r.uniform(0.5, 1) * R
        self.links[front].ra[2] = small - R
        for s in (1, -1):
            self.wheel(front, [0, s * L * self.r.uniform(0.6, 1), 0], small)

    def draw_straight_four(self, base, L, R):
        self.draw_axle(base, L, R)
        for s in (1, -1):
            self.wheel(base, [2.5 * L, s * L, 0], R)

    def draw_trailer(self, base, L, R):
        self.draw_axle(base, L, R)
        if self.alone:  # a nose wheel, so that it does not fall over
            fork = self.swivel(base, [2 * L, 0, 0])
            self.wheel(fork, [-0.3 * R, 0, 0], R)
        trailer = self.swivel(base, [-self.r.uniform(0, 1) * L, 0, 0], 10 ** self.r.uniform(0, 0.7))
        for s in (1, -1):
            self.wheel(trailer, [-self.r.uniform(1.5, 2.5) * L if s == 1 else self.links[-1].ra[0], s * L, 0], R)

    def draw_coin(self, base, L, R):
        r = self.r
        b = self.links[0]
        b.disc, b.axis, b.c = R, np.array([0, 1.0, 0]), np.zeros(3)
        b.I = b.m * R * R * np.diag([0.25, 0.5, 0.25])
        lean = r.uniform(-0.5, 0.5)
        self.R0 = self.R0 @ turn([1, 0, 0], lean) @ turn([0, 1, 0], r.uniform(-3, 3))
        self.p0[2] = R * math.cos(lean)

    def draw_cone(self, base, L, R):
        r = self.r
        other = R * r.uniform(0.3, 0.85)
        # the base is the axle: wheel 1 at +y (radius R) and wheel 2 at -y; it leans so that both touch
        lean = math.atan((R - other) / (2 * L))
        b = self.links[0]
        b.m = 10 ** r.uniform(-0.5, 0.5)
        b.c = np.array([0, r.uniform(-0.3, 0.3) * L, 0])
        b.I = b.m * L * L * np.diag([0.3, 0.01, 0.3])
        if r.random() < 0.5:
            b.c += np.array([0, 0, -r.uniform(0.1, 0.4) * R])
        self.R0 = self.R0 @ turn([1, 0, 0], lean)
        self.wheel(base, [0, L, 0], R)
        self.wheel(base, [0, -L, 0], other)
        # y of the base points up by sin(lean): its middle is between both middles
        self.p0[2] = math.cos(lean) * R - L * math.sin(lean)
        self.z_check = True

    def draw_swinging_axle(self, base, L, R):
        b = self.links[0]
        b.c = np.array([0, self.r.uniform(-0.2, 0.2) * L, -self.r.uniform(0.2, 0.9) * R])
        b.I = b.m * R * R * np.diag([0.5, 0.4, 0.5])
        self.draw_axle(base, L, R)
        self.R0 = self.R0 @ turn([0, 1, 0], self.r.uniform(-0.8, 0.8))

    def dress(self, L, R):
        r = self.r
        weight = sum(k.m for k in self.links)
        wheels = [i for i, k in enumerate(self.links) if k.disc and i]
        for i, k in enumerate(self.links):
            if not i:
                continue
            if k.disc:
                if r.random() < 0.5:
                    k.torque = weight * R * r.uniform(-1, 1.5)
                if r.random() < 0.2:
                    k.d = weight * R * R * r.uniform(0.01, 0.3)
                if r.random() < 0.25:
                    k.inertia = k.m * R * R * 10 ** r.uniform(-1, 0.5)
            else:
                if r.random() < 0.4:
                    k.spring, k.rest = weight * L * L * r.uniform(0.2, 3), r.uniform(-0.5, 0.5)
                if r.random() < 0.6:
                    k.d = weight * L * L * r.uniform(0.05, 0.6)
        if len(wheels) >= 2 and r.random() < 0.2 and self.kind != "straight four":
            a, b = wheels[:2]
            sign = np.sign((self.links[a].ma @ self.links[a].n)[1] * (self.links[b].ma @ self.links[b].n)[1])
            self.couplings.append((a, b, float(sign) * r.choice([1.0, 0.5, 2.0, 1.3])))
        if r.random() < 0.35:
            self.force = (np.array([r.uniform(0, 1) * L, 0, 0]), weight * np.array([r.uniform(-1, 1), r.uniform(-1, 1), 0]))


class Reference:
    """State: place and quaternion of link 0, angles; speed of its origin and turn rate in axes of the floor, rates."""

    def __init__(self, v):
        self.v = v
        self.nj = len(v.links) - 1
        self.nu = 6 + self.nj
        self.nq = 7 + self.nj
        self.discs = [i for i, k in enumerate(v.links) if k.disc]
        q = list(v.p0) + list(to_quaternion(v.R0)) + [k.x0 for k in v.links[1:]]
        self.q0 = np.array(q)
        self.height = v.p0[2]

    def terms(self, q, u, forces=True):
        v = self.v
        nu = self.nu
        frames = []
        for i, k in enumerate(v.links):
            if i == 0:
                p, R = q[:3], of_quaternion(q[3:7])
                Jv, Jw = np.zeros((3, nu)), np.zeros((3, nu))
                Jv[:, :3], Jw[:, 3:6] = np.eye(3), np.eye(3)
                w, av, aw = u[3:6], np.zeros(3), np.zeros(3)
                axis = R @ k.axis if k.disc else None
            else:
                P, PR, PJv, PJw, Pw, Pav, Paw, _ = frames[k.parent]
                d = PR @ k.ra
                D = skew(d)
                p = P + d
                M = PR @ k.ma
                axis = M @ k.n
                R = M @ turn(k.n, q[6 + i])
                Jv, Jw = PJv - D @ PJw, PJw.copy()
                Jw[:, 5 + i] += axis
                rate = u[5 + i]
                w = Pw + axis * rate
                av = Pav + cross(Paw, d) + cross(Pw, cross(Pw, d))
                aw = Paw + cross(Pw, axis) * rate
            frames.append((p, R, Jv, Jw, w, av, aw, axis))
        J, gam, gap = [], [], []
        N = np.array([0, 0, 1.0])
        for i in self.discs:
            p, R, Jv, Jw, w, av, aw, e = frames[i]
            radius = v.links[i].disc
            s = N - (N @ e) * e
            length = math.sqrt(float(s @ s))
            h = s / length
            c = -radius * h
            de = cross(w, e)
            ds = -(N @ de) * e - (N @ e) * de
            dc = -radius * (ds - h * (h @ ds)) / length
            J.append(Jv - skew(c) @ Jw)
            gam.append(av + cross(aw, c) + cross(w, dc))
            gap.append([0, 0, p[2] + c[2]])
        holonomic = [3 * k + 2 for k in range(len(self.discs))]
        J = np.concatenate(J) if J else np.zeros((0, nu))
        gam, gap = np.concatenate(gam), np.concatenate(gap)
        more, g2, h2 = [], [], []
        if not v.alone:  # a planar joint
            R = frames[0][1]
            for row in (2, 3, 4):
                e = np.zeros(nu)
                e[row] = 1
                more.append(e)
                g2.append(0.0)
            h2 += [q[2] - self.height, R[2, 1], -R[2, 0]]
        for a, b, ratio in v.couplings:
            e = np.zeros(nu)
            e[5 + a], e[5 + b] = 1, -ratio
            more.append(e)
            g2.append(0.0)
            h2.append(q[6 + a] - ratio * q[6 + b])
        if more:
            holonomic += list(range(len(gap), len(gap) + len(more)))
            J, gam, gap = np.concatenate([J, more]), np.concatenate([gam, g2]), np.concatenate([gap, h2])
        if not forces:
            return None, None, J, gam, gap, holonomic, frames
        M, Q = np.zeros((nu, nu)), np.zeros(nu)
        for k, (p, R, Jv, Jw, w, av, aw, _) in zip(v.links, frames):
            d = R @ k.c
            Jc = Jv - skew(d) @ Jw
            ac = av + cross(aw, d) + cross(w, cross(w, d))
            I = R @ k.I @ R.T
            M += k.m * Jc.T @ Jc + Jw.T @ I @ Jw
            Q += Jc.T @ (k.m * (v.gravity - ac)) - Jw.T @ (I @ aw + cross(w, I @ w))
        for i, k in enumerate(v.links):
            if i:
                Q[5 + i] += k.torque - k.d * u[5 + i]
                if k.spring:
                    Q[5 + i] -= k.spring * (q[6 + i] - k.rest)
                M[5 + i, 5 + i] += k.inertia
        if v.force:
            place, f = v.force
            p, R, Jv, Jw, *_ = frames[0]
            Q += (Jv - skew(R @ place) @ Jw).T @ f
        return M, Q, J, gam, gap, holonomic, frames

    def derivative(self, t, y):
        q, u = y[:self.nq], y[self.nq:]
        M, Q, J, gam, *_ = self.terms(q, u)
        S = np.linalg.solve(M, np.concatenate([Q[:, None], J.T], 1))
        free, S = S[:, 0], S[:, 1:]
        acc = free + S @ np.linalg.lstsq(J @ S, -gam - J @ free, rcond=1e-9)[0]
        w0, x, yy, z = q[3:7]
        a, b, c = u[3:6]
        dQ = [0.5 * (-a * x - b * yy - c * z), 0.5 * (a * w0 + b * z - c * yy), 0.5 * (b * w0 + c * x - a * z), 0.5 * (c * w0 + a * yy - b * x)]
        return np.concatenate([u[:3], dQ, u[6:], acc])

    def project(self, y, times=2):
        q, u = y[:self.nq].copy(), y[self.nq:].copy()
        for _ in range(times):
            _, _, J, _, gap, h, _ = self.terms(q, u, False)
            d = -np.linalg.lstsq(J[h], gap[h], rcond=1e-9)[0]
            q[:3] += d[:3]
            angle = np.linalg.norm(d[3:6])
            q[3:7] = to_quaternion(turn(d[3:6], angle) @ of_quaternion(q[3:7])) if angle > 0 else q[3:7] / np.linalg.norm(q[3:7])
            q[7:] += d[6:]
        _, _, J, _, _, _, _ = self.terms(q, u, False)
        u -= np.linalg.lstsq(J, J @ u, rcond=1e-9)[0]
        return np.concatenate([q, u])

    def lean(self, y):
        """How flat the flattest disc lies: 1 is on the floor."""
        *_, frames = self.terms(y[:self.nq], y[self.nq:], False)
        return max(abs(frames[i][7][2]) for i in self.discs)

    def slip(self, q, u):
        _, _, J, _, gap, _, _ = self.terms(q, u, False)
        k = 3 * len(self.discs)
        return np.abs((J @ u)[:k]).max(), np.abs(gap[:k]).max()

    def values(self, y):
        """What Cotree prints, by role: (value, kind)."""
        q, u = y[:self.nq], y[self.nq:]
        v, F = self.v, self.v.floor
        out = {}
        if v.alone:
            R = F @ of_quaternion(q[3:7])
            r, s, w = F @ q[:3], F @ u[:3], R.T @ F @ u[3:6]
            Q = to_quaternion(R)
            for i in range(3):
                out[f"base.r[{i + 1}]"], out[f"base.v[{i + 1}]"], out[f"base.w[{i + 1}]"] = r[i], s[i], w[i]
            for i in range(4):
                out[f"base.Q[{i + 1}]"] = Q[i]
        else:
            R = of_quaternion(q[3:7])
            out["base.x.s"], out["base.y.s"], out["base.x.v"], out["base.y.v"] = q[0], q[1], u[0], u[1]
            out["base.turn.phi"], out["base.turn.w"] = math.atan2(R[1, 0], R[0, 0]), u[5]
        for i in range(1, len(v.links)):
            out[f"joint{i}.phi"], out[f"joint{i}.w"] = q[6 + i], u[5 + i]
        return out


def integrate(ref, y0, stop, rtol=1e-10):
    solver = DOP853(ref.derivative, 0.0, y0, stop, rtol=rtol, atol=rtol * 0.1, max_step=stop / 20)
    times = np.linspace(0, stop, ROWS + 1)
    out, k, steps = [y0], 1, 0
    while solver.status == "running":
        solver.step()
        steps += 1
        if solver.status == "failed" or steps > 1500 or not np.all(np.isfinite(solver.y)) or ref.lean(solver.y) > 0.85:
            return None
        dense = None
        while k <= ROWS and times[k] <= solver.t * (1 + 1e-14):
            dense = dense or solver.dense_output()
            out.append(ref.project(dense(times[k])))
            k += 1
        if solver.status == "running":
            solver.y = ref.project(solver.y, 1)
            solver.f = ref.derivative(solver.t, solver.y)
    return out if len(out) == ROWS + 1 else None


# --- The text of a model ------------------------------------------------------------------------------------------------------------------

def vector(v, unit=""):
    return "[" + ", ".join(repr(float(x)) for x in v) + "]" + (" " + unit if unit else "")


def unit_of(path):
    if ".Q[" in path:
        return ""
    if path.endswith(".phi"):
        return "rad"
    if ".w" in path:
        return "rad/s"
    return "m/s" if ".v" in path else "m"


def write_model(v, starts, names, order, stop, style):
    """`style`: whether the planes are told by a floor's frame or by their normal."""
    n = lambda role: names[role]
    items, links = [], []
    F = v.floor
    items.append(f"{n('gravity')} : Gravity(g = {vector(F @ v.gravity, 'm/s^2')})")
    floor, normal = "mechanics.ground", ""
    level = np.abs(F - np.eye(3)).max() == 0
    if not level:
        items.append(f"{n('floor')} : Arm(r = [0, 0, 0] m, rpy = {vector(to_rpy(F), 'rad')})")
        links.append(f"mechanics.ground -- {n('floor')}.a")
        floor = f"{n('floor')}.b"
    plane = floor
    if style and not level:
        plane, normal = "mechanics.ground", f", normal = {vector(F[:, 2])}"
    if v.alone:
        items.append(f"{n('base')} : Free")
        links += [f"mechanics.ground -- {n('base')}.a", f"{n('base')}.b -- {n('body0')}.a"]
    else:
        items.append(f"{n('lift')} : Arm(r = {vector([0, 0, v.p0[2]], 'm')})")
        items.append(f"{n('base')} : Planar(n = [0, 0, 1], u = [1, 0, 0])")
        links += [f"{floor} -- {n('lift')}.a", f"{n('lift')}.b -- {n('base')}.a", f"{n('base')}.b -- {n('body0')}.a"]
    for i, k in enumerate(v.links):
        I = k.I
        items.append(f"{n(f'body{i}')} : Body(m = {k.m!r} kg, center = {vector(k.c, 'm')}, "
                     f"I = {vector([I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]], 'kg*m^2')})")
        if i:
            rpy = "" if np.abs(k.ma - np.eye(3)).max() < 1e-15 else f", rpy = {vector(to_rpy(k.ma), 'rad')}"
            items.append(f"{n(f'arm{i}')} : Arm(r = {vector(k.ra, 'm')}{rpy})")
            items.append(f"{n(f'joint{i}')} : Revolute(n = {vector(k.n)})")
            links += [f"{n(f'body{k.parent}')}.a -- {n(f'arm{i}')}.a", f"{n(f'arm{i}')}.b -- {n(f'joint{i}')}.a", f"{n(f'joint{i}')}.b -- {n(f'body{i}')}.a"]
            parts = []
            if k.torque:
                items.append(f"{n(f'torque{i}')} : TorqueSource(torque = {-k.torque!r} N*m)")
                parts.append(f"torque{i}")
            if k.d:
                items.append(f"{n(f'damper{i}')} : RotationalDamper(d = {k.d!r} N*m*s/rad)")
                parts.append(f"damper{i}")
            if k.spring:
                items.append(f"{n(f'spring{i}')} : TorsionSpring(k = {k.spring!r} N*m/rad, phi0 = {k.rest!r} rad)")
                parts.append(f"spring{i}")
            links += [f"{n(p)}.a -- {n(f'joint{i}')}.axis" for p in parts] + [f"{n(p)}.b -- rotational.ground" for p in parts]
            coupled = any(i in c[:2] for c in v.couplings)
            if k.inertia:
                items.append(f"{n(f'inertia{i}')} : Inertia(J = {k.inertia!r} kg*m^2)")
                links.append(f"{n(f'inertia{i}')}.a -- {n(f'joint{i}')}.axis")
            if parts or k.inertia or coupled:
                links.append(f"{n(f'joint{i}')}.housing -- rotational.ground")
        if k.disc:
            axis = k.n if i else k.axis
            items.append(f"{n(f'disc{i}')} : RollingDisc(n = {vector(axis)}, radius = {k.disc!r} m{normal})")
            links += [f"{plane} -- {n(f'disc{i}')}.a", f"{n(f'disc{i}')}.b -- {n(f'body{i}')}.a"]
    for c, (a, b, ratio) in enumerate(v.couplings):
        items.append(f"{n(f'gear{c}')} : Gear(ratio = {ratio!r})")
        links += [f"{n(f'gear{c}')}.a -- {n(f'joint{a}')}.axis", f"{n(f'gear{c}')}.b -- {n(f'joint{b}')}.axis"]
    if v.force:
        place, f = v.force
        f = F @ f
        items += [f"{n('hook')} : Arm(r = {vector(place, 'm')})", f"{n('pull')} : WorldForce"]
        links += [f"{n('body0')}.a -- {n('hook')}.a", f"{n('hook')}.b -- {n('pull')}.a"]
        for i in range(3):
            items.append(f"{n(f'part{i}')} : Constant(k = {float(f[i])!r} N)")
            links.append(f"{n(f'part{i}')}.y -> {n('pull')}.u[{i + 1}]")
    lines = []
    for path, value, fixed in starts:
        role, rest = path.split(".", 1)
        lines.append(f"start {n(role)}.{rest} = {float(value)!r} {unit_of(path)}".rstrip() + (" fixed" if fixed else ""))
    if order:
        for x in (items, links, lines):
            order.shuffle(x)
    text = f'system Vehicle "{v.kind}, seed {v.seed}" {{\n' + "".join(f"  {x}\n" for x in items + lines)
    text += "".join(f"  connect {x}\n" for x in links) + "}\n"
    return text + f"experiment Run of Vehicle {{ stop = {stop!r} s  interval = {stop / ROWS!r} s }}\n"


def named(v, seed):
    keys = ["gravity", "floor", "lift", "base", "hook", "pull", "part0", "part1", "part2", "gear0"]
    for i in range(len(v.links)):
        keys += [f"{x}{i}" for x in ("body", "arm", "joint", "torque", "damper", "spring", "inertia", "disc")]
    if not seed:
        return {k: k for k in keys}
    r = random.Random(seed)
    words = r.sample([a + b for a in "abcdefghklmnopqrstuvwxyz" for b in "abcdefghjkloqruvwxyz"], len(keys))
    return dict(zip(keys, ("q" + w for w in words)))


def make(seed):
    v = Vehicle(seed)
    r = v.r
    ref = Reference(v)
    if v.couplings:
        a, b, ratio = v.couplings[0]
        v.links[a].x0 = ratio * v.links[b].x0
        ref = Reference(v)
    y = np.concatenate([ref.q0, np.zeros(ref.nu)])
    _, _, J, _, gap, h, _ = ref.terms(ref.q0, np.zeros(ref.nu), False)
    if np.abs(gap).max() > 1e-9:
        raise RuntimeError(f"seed {seed}: the vehicle does not stand on the floor: {gap}")
    _, s, vt = np.linalg.svd(J)
    rank = int(np.sum(s > 1e-9 * s[0]))
    if s[rank - 1] < 0.02 * s[0]:
        return None
    basis = vt[rank:]
    if not len(basis):
        return None
    u = np.zeros(ref.nu)
    if r.random() < 0.75 or not any(k.torque for k in v.links):
        for b in basis:
            u += b * r.uniform(-1, 1)
        wheel = max([abs(u[5 + i]) for i in ref.discs if i] or [np.abs(u[3:6]).max()])
        u *= r.uniform(1, 12) / max(wheel, 1e-9)
        u = u if np.abs(u[:3]).max() < 30 and np.abs(u).max() < 40 else u / 10
    y = np.concatenate([ref.q0, u])
    # so long that a wheel turns by more than 90 degrees, and some by several turns
    acc = ref.derivative(0, y)[ref.nq:]
    pick = [5 + i for i in ref.discs if i] or [4]
    w, a = max(abs(u[i]) for i in pick), max(abs(acc[i]) for i in pick)
    target = r.choice([4, 8, 20, 40])
    stop = (-w + math.sqrt(w * w + 2 * a * target)) / a if a > 1e-9 else target / max(w, 1e-3)
    stop = min(stop, 6.0)
    for _ in range(6):
        expected = integrate(ref, y, stop)
        if expected is not None:
            more = integrate(ref, ref.project(np.concatenate([ref.q0, u * 1.0001 if np.any(u) else basis[0] * 1e-4]), 0), stop, 1e-7)
            if more is not None:
                grown = max(np.abs(p - q).max() for p, q in zip(expected, more)) / 1e-4 / max(1.0, np.abs(u).max())
                if grown < 50:
                    return v, ref, expected, stop, basis
        stop *= 0.6
    return None


def variants(v, ref, y0, basis):
    """Starts that say the same."""
    r = random.Random(v.seed + 5)
    values = ref.values(y0)
    rates = [k for k in values if k.endswith(".w") or ".w[" in k or k.endswith(".v") or ".v[" in k]
    places = [k for k in values if k not in rates]
    move = np.array([[ref.values(np.concatenate([y0[:ref.nq], b]))[k] for k in rates] for b in basis])  # freedoms x rates
    scale = np.array([v.R if ".v" in k else 1.0 for k in rates])
    move = move / scale
    out = []
    for number in range(4):
        # as many rates as there are freedoms, that tell all others well
        chosen, left = [], list(range(len(rates)))
        project = move.copy()
        while len(chosen) < len(basis):
            size = np.linalg.norm(project, axis=0)
            best = [i for i in left if size[i] > 0.5 * size[left].max()]
            i = r.choice(best)
            chosen.append(i)
            left.remove(i)
            d = project[:, i] / np.linalg.norm(project[:, i])
            project = project - np.outer(d, d @ project)
        fixed = number < 2
        starts = []
        a_coupled = v.couplings[0][0] if v.couplings else None
        for k in places:
            if a_coupled and k == f"joint{a_coupled}.phi" and fixed:
                continue  # follows from the other wheel
            hold = fixed and (not v.alone or k.startswith("joint") or k in ("base.r[1]", "base.r[2]") and np.array_equal(v.floor, np.eye(3)))
            starts.append((k, values[k], hold))
        starts += [(rates[i], values[rates[i]], fixed) for i in chosen]
        if number == 2:  # all of them, plain
            starts += [(rates[i], values[rates[i]], False) for i in range(len(rates)) if i not in chosen]
        out.append((f"{'fixed' if fixed else 'plain'} {', '.join(rates[i] for i in sorted(chosen))}" if number != 2 else "plain, all", starts, number > 0))
    return out


class Differs(Exception):
    pass


def run(cotree, text, folder, only):
    path, table = os.path.join(folder, "m.cot"), os.path.join(folder, "o.csv")
    open(path, "w").write(text)
    if os.path.exists(table):
        os.remove(table)
    try:
        done = subprocess.run([cotree, "simulate", path, "--rtol", repr(RTOL), "--out", table, "--only", ",".join(only)],
                              capture_output=True, text=True, timeout=60)
    except subprocess.TimeoutExpired:
        return 124, "no end within 60 s", None
    if done.returncode != 0:
        return done.returncode, done.stderr, None
    rows = [x for x in csv.reader(open(table)) if x and not x[0].startswith("#")]
    return 0, done.stdout + done.stderr, (rows[0], np.array([[float(x) for x in row] for row in rows[1:]]))


def compare(v, ref, table, names, expected):
    head, rows = table
    col = {c: i for i, c in enumerate(head)}
    if len(rows) != len(expected):
        raise Differs(f"{len(rows)} rows instead of {len(expected)}")
    want = [ref.values(y) for y in expected]
    got = {}
    for k in want[0]:
        role, rest = k.split(".", 1)
        got[k] = rows[:, col[f"{names[role]}.{rest}"]]
    worst = 0.0
    for i in range(len(rows)):  # of what was printed
        q, u = np.zeros(ref.nq), np.zeros(ref.nu)
        if v.alone:
            R = of_quaternion([got[f"base.Q[{k}]"][i] for k in (1, 2, 3, 4)])
            q[:3] = v.floor.T @ [got[f"base.r[{k}]"][i] for k in (1, 2, 3)]
            q[3:7] = to_quaternion(v.floor.T @ R)
            u[:3] = v.floor.T @ [got[f"base.v[{k}]"][i] for k in (1, 2, 3)]
            u[3:6] = v.floor.T @ R @ [got[f"base.w[{k}]"][i] for k in (1, 2, 3)]
        else:
            q[:3] = got["base.x.s"][i], got["base.y.s"][i], ref.height
            q[3:7] = to_quaternion(turn([0, 0, 1], got["base.turn.phi"][i]))
            u[0], u[1], u[5] = got["base.x.v"][i], got["base.y.v"][i], got["base.turn.w"][i]
        for k in range(1, len(v.links)):
            q[6 + k], u[5 + k] = got[f"joint{k}.phi"][i], got[f"joint{k}.w"][i]
        slip, height = ref.slip(q, u)
        worst = max(worst, slip)
        if slip > SLIP or height > SLIP:
            raise Differs(f"at row {i} a contact point moves at {slip:.3g} m/s, is off the plane by {height:.3g} m")
    if v.alone:  # sign and length of a quaternion are free
        G = np.array([got[f"base.Q[{k}]"] for k in (1, 2, 3, 4)]).T
        W = np.array([[w[f"base.Q[{k}]"] for k in (1, 2, 3, 4)] for w in want])
        G = G / np.linalg.norm(G, axis=1)[:, None]
        G = G * np.sign(np.sum(G * W, axis=1))[:, None]
        for k in range(4):
            got[f"base.Q[{k + 1}]"] = G[:, k]
    groups = {}
    for k in want[0]:
        group = ("angle rate" if ".w" in k else "speed" if ".v" in k else "angle" if k.endswith("phi") or ".Q[" in k else "place")
        groups.setdefault(group, []).append(k)
    least = {"angle rate": 0.1, "speed": 0.1 * v.R, "angle": 1.0, "place": v.R}
    for group, keys in groups.items():
        scale = max(least[group], max(abs(w[k]) for w in want for k in keys))
        for k in keys:
            d = got[k] - np.array([w[k] for w in want])
            if k == "base.turn.phi":
                d = (d + math.pi) % (2 * math.pi) - math.pi
            error = np.abs(d)
            if error.max() > BOUND * scale or not np.all(np.isfinite(error)):
                first = int(np.argmax(~(error <= BOUND * scale)))
                raise Differs(f"{k} is off by {error.max():.3g} of {scale:.3g} (first at row {first}, by {error[first]:.3g})")
    return worst


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cotree")
    parser.add_argument("n", nargs="?", type=int, default=100)
    parser.add_argument("seed", nargs="?", type=int, default=1)
    parser.add_argument("--keep")
    a = parser.parse_args()
    begin = time.time()
    done = differ = failed = runs = 0
    worst, turns, by_kind = 0.0, 0.0, {}
    seed = a.seed * 100000
    while done < a.n:
        seed += 1
        made = make(seed)
        if made is None:
            continue
        v, ref, expected, stop, basis = made
        done += 1
        angles = [np.abs(np.array([y[6 + i] - expected[0][6 + i] for y in expected])).max() for i in ref.discs if i]
        turns = max([turns] + angles)
        bad, lost = [], []
        with tempfile.TemporaryDirectory() as folder:
            for number, (what, starts, change) in enumerate(variants(v, ref, expected[0], basis)):
                names = named(v, seed * 17 + number if change else 0)
                text = write_model(v, starts, names, random.Random(seed * 7 + number) if change else None, stop, number % 2)
                only = [f"{names['base']}.*"] + [f"{names[f'joint{i}']}.*" for i in range(1, len(v.links))]
                code, message, table = run(a.cotree, text, folder, only)
                runs += 1
                name = f"{seed}_{number}.cot"
                try:
                    if code:
                        lost.append((what, f"exit {code}: {message.strip()[:300]}", name))
                    else:
                        worst = max(worst, compare(v, ref, table, names, expected))
                        continue
                except Differs as e:
                    notes = " ".join(x for x in message.split("\n") if "note" in x or "warning" in x)
                    bad.append((what, str(e) + (" " + notes[:200] if notes else ""), name))
                if a.keep:
                    os.makedirs(a.keep, exist_ok=True)
                    open(os.path.join(a.keep, name), "w").write(text)
        count = by_kind.setdefault(v.kind + (", held by its wheels alone" if v.alone and v.kind not in ("coin", "cone", "swinging axle") else ""), [0, 0, 0])
        count[0] += 1
        count[1] += bool(bad)
        count[2] += bool(lost)
        differ += bool(bad)
        failed += bool(lost and not bad)
        for what, why, name in bad + lost:
            print(f"seed {seed}, {v.kind}{', alone' if v.alone else ''}: {what}: {why} [{name}]", flush=True)
        if done % 20 == 0:
            print(f"  {done} vehicles, {runs} runs, {time.time() - begin:.0f} s", file=sys.stderr, flush=True)
    for kind, (count, d, f) in sorted(by_kind.items()):
        print(f"  {kind}: {count}, of which {d} differ, {f} have failures")
    print(f"  {runs} runs; wheels turn by up to {turns:.0f} rad; largest speed of a contact point {worst:.1e} m/s")
    print(f"mechanisms {done}: differ {differ}, failed {failed}, seconds {time.time() - begin:.0f}")
    return 0 if differ + failed == 0 else 1


if __name__ == "__main__":
    sys.exit(main())

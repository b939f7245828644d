#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Random mechanisms with closed loops, started in many ways that all say the same position and speed.

random_loops.py COTREE [N [SEED]] [--keep FOLDER]

Four-bars, slider-cranks, six-bars of Watt and Stephenson, five-bars (free or driven), double four-bars, and in space: cranks joined by a
ball and a universal joint, by two balls, by a rod, with a slider, spherical four-bars. Places of the joints are drawn first, so every
mechanism closes. What is said at the start is said by a joint, by an inertia on its axis, by a sensor there, by another joint; as
`fixed` and as a plain start; names are permuted, since they decide which joint closes a loop. Every variant is compared with a reference
that knows nothing of Cotree: places of bodies and multipliers, projected after every step (in the plane, and in space). The gaps of the loops
are computed from the joint coordinates that Cotree prints. One mechanism in twelve is asked for an angle that it cannot reach: every variant has to
refuse it. Prints what differs, then a line with figures."""
import argparse, csv, math, os, random, re, subprocess, sys, tempfile, time

import numpy as np
from scipy.integrate import DOP853

RTOL = 1e-8
BOUND = 100 * RTOL  # of the scale of each variable
GAP = 1e-8          # of loops, m and rad
ROWS = 20


# --- Rotations ------------------------------------------------------------------------------------------------------------------------

def skew(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def turn(axis, angle):
    n = np.asarray(axis, float) / np.linalg.norm(axis)
    k = skew(n)
    return np.eye(3) + math.sin(angle) * k + (1 - math.cos(angle)) * k @ k


def of_rpy(rpy):
    return turn([0, 0, 1], rpy[2]) @ turn([0, 1, 0], rpy[1]) @ turn([1, 0, 0], rpy[0])


def to_rpy(m):
    return [math.atan2(m[2, 1], m[2, 2]), math.asin(max(-1, min(1, -m[2, 0]))), math.atan2(m[1, 0], m[0, 0])]


def of_quaternion(q):
    w, x, y, z = np.asarray(q, float) / np.linalg.norm(q)
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def to_quaternion(m):
    p = np.array([1 + m[0, 0] + m[1, 1] + m[2, 2], 1 + m[0, 0] - m[1, 1] - m[2, 2], 1 - m[0, 0] + m[1, 1] - m[2, 2],
                  1 - m[0, 0] - m[1, 1] + m[2, 2]])
    k = int(np.argmax(p))
    if k == 0:
        q = [p[0], m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]]
    elif k == 1:
        q = [m[2, 1] - m[1, 2], p[1], m[1, 0] + m[0, 1], m[0, 2] + m[2, 0]]
    elif k == 2:
        q = [m[0, 2] - m[2, 0], m[1, 0] + m[0, 1], p[2], m[2, 1] + m[1, 2]]
    else:
        q = [m[1, 0] - m[0, 1], m[0, 2] + m[2, 0], m[2, 1] + m[1, 2], p[3]]
    return np.array(q) / np.linalg.norm(q)


def wrapped(a):
    return (a + math.pi) % (2 * math.pi) - math.pi


# --- A mechanism ----------------------------------------------------------------------------------------------------------------------

class Joint:
    """From body `a` to body `b` (0 is the ground); its frames sit at r, turned by m, of the frames of the bodies."""
    spring = damper = rest = None
    d = 0.0          # the joint's own damping
    inertia = 0.0    # as felt at the axis
    driven = False

    def __init__(self, kind, a, b):
        self.kind, self.a, self.b = kind, a, b

    def motion(self, x):
        """Turn and place of frame b in frame a at coordinates x."""
        if self.kind == "revolute":
            return turn(self.n, x), np.zeros(3)
        if self.kind == "prismatic":
            return np.eye(3), self.n * x
        if self.kind == "universal":
            return turn([1, 0, 0], x[0]) @ turn([0, 1, 0], x[1]), np.zeros(3)
        return of_quaternion(x), np.zeros(3)  # spherical


class Body:
    pass


class Mechanism:
    """Drawn at random: bodies with poses at the start, joints that fit there."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        r = self.r
        self.seed = seed
        self.size = 10 ** r.uniform(-0.7, 0.3)
        k = r.random()
        self.spatial = k > 0.75
        self.springs = []
        self.zero = np.zeros(3)
        if self.spatial:
            self.tilt = [0.0, 0.0, 0.0]
            self.kind = r.choice(["ball and universal", "two balls", "rod", "slider in space", "spherical four-bar", "ball and universal"])
        else:
            self.tilt = [r.uniform(-3, 3), r.uniform(-1.4, 1.4), r.uniform(-3, 3)] if r.random() < 0.4 else [0.0, 0.0, 0.0]
            self.kind = ("four-bar" if k < 0.2 else "slider-crank" if k < 0.32 else "watt" if k < 0.43 else "stephenson" if k < 0.54 else
                         "five-bar" if k < 0.66 else "double four-bar")
        self.gravity = np.array([r.uniform(-10, 10) for _ in range(3)]) if r.random() < 0.8 else np.zeros(3)
        self.R0 = of_rpy(self.tilt)
        self.near = r.random() < 0.6   # joints begin near coordinate 0
        (self.draw_in_space if self.spatial else self.draw_in_the_plane)()

    # -- bodies and joints

    def body(self, place):
        r, b = self.r, Body()
        b.m = 10 ** r.uniform(-0.5, 0.7)
        h = self.size * r.uniform(0.1, 0.4)
        if self.spatial:
            b.R, b.p = of_rpy([r.uniform(-3, 3), r.uniform(-1.4, 1.4), r.uniform(-3, 3)]), np.array(place, float)
            b.c = np.array([r.uniform(-0.3, 0.3) * self.size for _ in range(3)])
            x, y, z = (r.uniform(0.3, 1) for _ in range(3))
            b.I = b.m * h * h * np.diag([y + z, x + z, x + y])
            m = of_rpy([r.uniform(-3, 3), r.uniform(-1.4, 1.4), r.uniform(-3, 3)])
            b.I = m @ b.I @ m.T
        else:
            b.R, b.p = turn([0, 0, 1], r.uniform(-3.1, 3.1)), np.array([place[0], place[1], 0.0])
            b.c = np.array([r.uniform(-0.5, 0.5) * self.size, r.uniform(-0.5, 0.5) * self.size, 0.0])
            b.I = np.diag([b.m * h * h] * 3)
        return b

    def place_joint(self, j, place, axis=None, frame=None):
        """Gives the joint its frames: both at `place`, with axis `axis` of the world, at a start coordinate that is drawn."""
        r = self.r
        a, b = self.bodies[j.a], self.bodies[j.b]
        small = lambda: r.uniform(-0.3, 0.3)
        large = lambda: r.uniform(-2.9, 2.9)
        draw = small if self.near else large
        place = np.asarray(place, float)
        j.ra, ra_place = a.R.T @ (place - a.p), place
        if j.kind == "revolute":
            sign = r.choice([1, -1])
            if self.spatial:
                j.n = np.array([r.uniform(-1, 1) for _ in range(3)])
                j.n /= np.linalg.norm(j.n)
                # a turn that brings n to the axis
                u = np.asarray(axis, float) / np.linalg.norm(axis)
                world = self.bring(j.n, u)
            else:
                j.n = np.array([0, 0, float(sign)])
                world = turn([0, 0, 1], r.uniform(-3, 3)) if r.random() < 0.5 else a.R
            j.x0 = draw()
            if not self.near and not self.spatial and r.random() < 0.6:  # no turns of the arms: the angle is what the bodies make it
                world = a.R
                rel = a.R.T @ b.R
                j.x0 = sign * math.atan2(rel[1, 0], rel[0, 0])
            j.ma = a.R.T @ world
            world_b = world @ turn(j.n, j.x0)
            j.rb, j.mb = b.R.T @ (place - b.p), b.R.T @ world_b
            j.x0 += 2 * math.pi * j.turns if hasattr(j, "turns") else 0
        elif j.kind == "prismatic":
            u = np.asarray(axis, float) / np.linalg.norm(axis)
            if self.spatial:
                j.n = np.array([1.0, 0, 0])
                world = self.bring(j.n, u)
            else:
                angle = r.uniform(-3, 3)
                j.n = turn([0, 0, 1], angle) @ np.array([1.0, 0, 0])
                world = turn([0, 0, 1], math.atan2(u[1], u[0]) - angle)
            j.x0 = draw() * self.size * 0.3
            j.ma = a.R.T @ world
            j.rb, j.mb = b.R.T @ (place + u * j.x0 - b.p), b.R.T @ world
        elif j.kind == "universal":
            j.x0 = [small(), small()] if self.near else [large(), r.uniform(-1, 1)]
            world = of_rpy([r.uniform(-3, 3), r.uniform(-1.4, 1.4), r.uniform(-3, 3)]) if frame is None else frame
            j.ma = a.R.T @ world
            j.rb, j.mb = b.R.T @ (place - b.p), b.R.T @ world @ turn([1, 0, 0], j.x0[0]) @ turn([0, 1, 0], j.x0[1])
        elif j.kind == "spherical":
            world = of_rpy([r.uniform(-3, 3), r.uniform(-1.4, 1.4), r.uniform(-3, 3)])
            j.ma = a.R.T @ world
            if j.b == getattr(self, "spinning", None):  # axes of the coupler: x along it
                world_b = b.R
            elif self.near:
                world_b = world @ of_rpy([small(), small(), small()])
            else:
                world_b = world @ of_rpy([large(), r.uniform(-1, 1), large()])
            j.rb, j.mb = b.R.T @ (place - b.p), b.R.T @ world_b
            j.x0 = to_quaternion(world.T @ world_b)
        return j

    def bring(self, n, u):
        v, c = np.cross(n, u), float(n @ u)
        if np.linalg.norm(v) < 1e-9:
            return np.eye(3) if c > 0 else turn(np.cross(n, [0.3, 0.5, -0.8]), math.pi)
        return turn(u, self.r.uniform(-3, 3)) @ turn(v, math.atan2(np.linalg.norm(v), c))

    def draw_in_the_plane(self):
        r, L = self.r, self.size
        edges = {"four-bar": [(0, 1), (1, 2), (2, 3), (3, 0)],
                 "slider-crank": [(0, 1), (1, 2), (2, 3), (3, 0)],
                 "five-bar": [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)],
                 "watt": [(0, 1), (0, 2), (2, 3), (3, 1), (0, 4), (4, 5), (5, 1)],
                 "stephenson": [(0, 2), (2, 1), (0, 3), (3, 1), (0, 4), (4, 5), (5, 1)],
                 "double four-bar": [(0, 1), (1, 2), (2, 3), (3, 0), (3, 4), (4, 5), (5, 0)]}[self.kind]
        count = max(max(e) for e in edges) + 1
        number = list(range(count))
        if self.kind in ("watt", "stephenson"):
            r.shuffle(number)
        slider = len(edges) - 1 if self.kind == "slider-crank" else r.randrange(len(edges)) if r.random() < 0.15 and self.kind != "five-bar" else -1
        ground = Body()
        ground.R, ground.p, ground.c = np.eye(3), np.zeros(3), np.zeros(3)
        self.bodies = [ground] + [self.body([r.uniform(-L, L), r.uniform(-L, L)]) for _ in range(count - 1)]
        places = []
        for _ in edges:  # not too near one another
            while True:
                p = np.array([r.uniform(-L, L), r.uniform(-L, L), 0.0])
                if all(np.linalg.norm(p - q) > 0.35 * L for q in places):
                    break
            places.append(p)
        self.joints = []
        for k, (a, b) in enumerate(edges):
            a, b = number[a], number[b]
            if b == 0 or (a != 0 and r.random() < 0.3):
                a, b = b, a
            j = Joint("prismatic" if k == slider else "revolute", a, b)
            if j.kind == "revolute" and r.random() < 0.15:
                j.turns = r.choice([-1, 1])
            angle = r.uniform(-3, 3)
            self.joints.append(self.place_joint(j, places[k], [math.cos(angle), math.sin(angle), 0]))
        self.freedoms = 2 if self.kind == "five-bar" else 1

    def draw_in_space(self):
        r, L = self.r, self.size
        ground = Body()
        ground.R, ground.p, ground.c = np.eye(3), np.zeros(3), np.zeros(3)
        spot = lambda s=1.0: np.array([r.uniform(-L, L) * s for _ in range(3)])
        axis = lambda: np.array([r.uniform(-1, 1) for _ in range(3)])
        while True:
            O, A, B, C = spot(), spot(), spot(), spot()
            if min(np.linalg.norm(x - y) for x, y in ((O, A), (A, B), (B, C), (O, C))) > 0.5 * L:
                break
        self.freedoms = 1
        rod = self.kind == "rod"
        self.bodies = [ground, self.body(O), self.body(C)] + ([] if rod else [self.body(A)])
        if self.kind == "spherical four-bar":
            axes = [axis() for _ in range(4)]
            pairs = [(0, 1), (1, 3), (3, 2), (0, 2)]
            centre = spot()
            self.joints = []
            for (a, b), u in zip(pairs, axes):
                u = u / np.linalg.norm(u)
                self.joints.append(self.place_joint(Joint("revolute", a, b), centre + u * r.uniform(0.2, 1) * L, u))
            return
        crank = self.place_joint(Joint("revolute", 0, 1), O, axis())
        slide = self.kind == "slider in space"
        rocker = self.place_joint(Joint("prismatic" if slide else "revolute", 0, 2), C, axis())
        self.joints = [crank, rocker]
        if rod:
            j = Joint("rod", 1, 2)
            j.ra, j.rb = self.bodies[1].R.T @ (A - self.bodies[1].p), self.bodies[2].R.T @ (B - self.bodies[2].p)
            j.ma = j.mb = np.eye(3)
            j.length, j.x0 = float(np.linalg.norm(B - A)), None
            self.joints.append(j)
        elif self.kind == "two balls":
            c = self.bodies[3]  # turns alike about its own line, so how it spins changes nothing else
            c.R, c.p = self.bring(np.array([1.0, 0, 0]), (B - A) / np.linalg.norm(B - A)), A.copy()
            length = float(np.linalg.norm(B - A))
            c.c = np.array([length * r.uniform(0.2, 0.8), 0, 0])
            c.I = c.m * length ** 2 * np.diag([r.uniform(0.005, 0.02), 0.08, 0.08])
            self.spinning = 3
            self.freedoms = 2
            self.joints += [self.place_joint(Joint("spherical", 1, 3), A), self.place_joint(Joint("spherical", 3, 2), B)]
        else:
            self.joints += [self.place_joint(Joint("universal", 1, 3), A), self.place_joint(Joint("spherical", 3, 2), B)]

    def dress(self):
        """Springs, dampers, an inertia, a source."""
        r = self.r
        scale = sum(b.m for b in self.bodies[1:]) * self.size ** 2
        for j in self.joints:
            if j.kind in ("revolute", "prismatic"):
                f = scale if j.kind == "revolute" else scale / self.size ** 2
                if r.random() < 0.15:
                    j.spring, j.rest = f * 10 ** r.uniform(-0.5, 1.3), j.x0 + r.uniform(-1, 1) * (1 if j.kind == "revolute" else self.size * 0.3)
                if r.random() < 0.15:
                    j.damper = f * 10 ** r.uniform(-1.5, 0)
                if r.random() < 0.15:
                    j.d = f * 10 ** r.uniform(-1.5, 0)
        if r.random() < 0.2:  # a spring between two points
            a, b = r.sample(range(len(self.bodies)), 2)
            pa, pb = ([r.uniform(-0.5, 0.5) * self.size, r.uniform(-0.5, 0.5) * self.size, 0.0 if not self.spatial else r.uniform(-0.3, 0.3)] for _ in range(2))
            A, B = self.bodies[a], self.bodies[b]
            length = np.linalg.norm(A.R @ pa + A.p - B.R @ pb - B.p)
            if length > 0.4 * self.size:
                f = scale / self.size ** 2
                self.springs.append((a, np.array(pa), b, np.array(pb), f * 10 ** r.uniform(0, 1), f * 10 ** r.uniform(-1.5, 0), length * r.uniform(0.9, 1.2)))


# --- Reference in the plane: places of the bodies' centres, multipliers, projection ------------------------------------------------------

class PlaneReference:
    def __init__(self, mech):
        self.m = mech
        self.nb = len(mech.bodies) - 1
        n = 3 * self.nb
        self.n = n
        g = mech.R0.T @ mech.gravity
        self.mass = np.zeros((n + 3, n + 3))
        self.weight = np.zeros(n + 3)
        for k, b in enumerate(mech.bodies):
            i = self.at(k)
            if k:
                self.mass[i, i] = self.mass[i + 1, i + 1] = b.m
                self.mass[i + 2, i + 2] = b.I[2, 2]
                self.weight[i:i + 2] = b.m * g[:2]
        self.items = []
        self.rows = 0
        for j in mech.joints:
            a, b = mech.bodies[j.a], mech.bodies[j.b]
            ia, ib = self.at(j.a), self.at(j.b)
            pa, pb = (j.ra - a.c)[:2], (j.rb - b.c)[:2]
            if j.kind == "revolute":
                s = j.n[2]
                row = np.zeros(n + 3)
                row[ib + 2], row[ia + 2] = s, -s
                if j.inertia:
                    self.mass += j.inertia * np.outer(row, row)
                self.items.append((0, ia, ib, pa, pb, s, j))
                self.rows += 2 + (1 if j.driven else 0)
            else:
                e = j.ma @ j.n
                self.items.append((1, ia, ib, pa, pb, math.atan2(e[1], e[0]), j))
                self.rows += 2
        q = np.zeros(n + 3)
        for k, b in enumerate(mech.bodies):
            if k:
                c = b.p + b.R @ b.c
                q[self.at(k):self.at(k) + 3] = c[0], c[1], math.atan2(b.R[1, 0], b.R[0, 0])
        self.q0 = q[:n]
        for it in self.items:  # what the angles count from
            if it[0] == 0:
                j, s = it[6], it[5]
                j.shift = j.x0 - s * (q[it[2] + 2] - q[it[1] + 2])
            else:
                it[6].skew = q[it[2] + 2] - q[it[1] + 2]
        self.speed = {}

    def at(self, k):
        return 3 * (k - 1) if k else 3 * self.nb

    def terms(self, t, q, u, forces=True):
        n = self.n
        x = np.concatenate([q, np.zeros(3)]).tolist()
        v = np.concatenate([u, np.zeros(3)]).tolist()
        J, gam, gap, nu = np.zeros((self.rows, n + 3)), np.zeros(self.rows), np.zeros(self.rows), np.zeros(self.rows)
        Q = self.weight.copy() if forces else None
        M = None
        i = 0
        for kind, ia, ib, pa, pb, s, j in self.items:
            ca, sa, cb, sb = math.cos(x[ia + 2]), math.sin(x[ia + 2]), math.cos(x[ib + 2]), math.sin(x[ib + 2])
            dax, day = ca * pa[0] - sa * pa[1], sa * pa[0] + ca * pa[1]
            dbx, dby = cb * pb[0] - sb * pb[1], sb * pb[0] + cb * pb[1]
            wa, wb = v[ia + 2], v[ib + 2]
            if kind == 0:
                gap[i], gap[i + 1] = x[ib] + dbx - x[ia] - dax, x[ib + 1] + dby - x[ia + 1] - day
                J[i, ib], J[i, ib + 2], J[i, ia], J[i, ia + 2] = 1, -dby, -1, day
                J[i + 1, ib + 1], J[i + 1, ib + 2], J[i + 1, ia + 1], J[i + 1, ia + 2] = 1, dbx, -1, -dax
                gam[i], gam[i + 1] = -dbx * wb * wb + dax * wa * wa, -dby * wb * wb + day * wa * wa
                i += 2
                if forces:
                    f = 0.0
                    if j.spring:
                        f -= j.spring * (s * (x[ib + 2] - x[ia + 2]) + j.shift - j.rest)
                    f -= ((j.damper or 0) + j.d) * s * (wb - wa)
                    Q[ib + 2] += s * f
                    Q[ia + 2] -= s * f
                if j.driven:
                    J[i, ib + 2], J[i, ia + 2] = s, -s
                    gap[i] = s * (x[ib + 2] - x[ia + 2]) + j.shift - j.x0 - j.speed * t
                    nu[i] = j.speed
                    i += 1
            else:
                ex, ey = math.cos(x[ia + 2] + s), math.sin(x[ia + 2] + s)
                nx, ny = -ey, ex
                Dx, Dy = x[ib] + dbx - x[ia] - dax, x[ib + 1] + dby - x[ia + 1] - day
                Vx, Vy = v[ib] - wb * dby - v[ia] + wa * day, v[ib + 1] + wb * dbx - v[ia + 1] - wa * dax
                Bx, By = -dbx * wb * wb + dax * wa * wa, -dby * wb * wb + day * wa * wa
                eD, nD = ex * Dx + ey * Dy, nx * Dx + ny * Dy
                eV, nV = ex * Vx + ey * Vy, nx * Vx + ny * Vy
                gap[i] = nD
                J[i, ib], J[i, ib + 1], J[i, ib + 2] = nx, ny, -nx * dby + ny * dbx
                J[i, ia], J[i, ia + 1], J[i, ia + 2] = -nx, -ny, nx * day - ny * dax - eD
                gam[i] = nx * Bx + ny * By - 2 * wa * eV - wa * wa * nD
                gap[i + 1] = x[ib + 2] - x[ia + 2] - j.skew
                J[i + 1, ib + 2], J[i + 1, ia + 2] = 1, -1
                i += 2
                if forces and (j.spring or j.damper or j.d or j.inertia):
                    row = np.zeros(n + 3)
                    row[ib], row[ib + 1], row[ib + 2] = ex, ey, -ex * dby + ey * dbx
                    row[ia], row[ia + 1], row[ia + 2] = -ex, -ey, ex * day - ey * dax + nD
                    f = -((j.damper or 0) + j.d) * (eV + wa * nD)
                    if j.spring:
                        f -= j.spring * (eD - j.rest)
                    if j.inertia:
                        M = (self.mass if M is None else M) + j.inertia * np.outer(row, row)
                        f -= j.inertia * (ex * Bx + ey * By + 2 * wa * nV - wa * wa * eD)
                    Q += f * row
        if forces:
            for a, pa, b, pb, k, d, l0 in self.m.springs:
                ends = []
                for body, p in ((a, pa), (b, pb)):
                    o = self.at(body)
                    c, s = math.cos(x[o + 2]), math.sin(x[o + 2])
                    px, py = (p - self.m.bodies[body].c)[:2]
                    dx, dy = c * px - s * py, s * px + c * py
                    ends.append((o, dx, dy, x[o] + dx, x[o + 1] + dy, v[o] - v[o + 2] * dy, v[o + 1] + v[o + 2] * dx))
                A, B = ends
                lx, ly = B[3] - A[3], B[4] - A[4]
                length = math.hypot(lx, ly)
                ux, uy = lx / length, ly / length
                f = k * (length - l0) + d * ((B[5] - A[5]) * ux + (B[6] - A[6]) * uy)
                for (o, dx, dy, *_), sign in ((A, 1), (B, -1)):
                    Q[o] += sign * f * ux
                    Q[o + 1] += sign * f * uy
                    Q[o + 2] += sign * f * (dx * uy - dy * ux)
            Q = Q[:n]
        return (self.mass if M is None else M)[:n, :n], Q, J[:, :n], gam, gap, nu

    def derivative(self, t, y):
        n, r = self.n, self.rows
        M, Q, J, gam, _, _ = self.terms(t, y[:n], y[n:])
        K = np.zeros((n + r, n + r))
        K[:n, :n], K[:n, n:], K[n:, :n] = M, J.T, J
        return np.concatenate([y[n:], np.linalg.solve(K, np.concatenate([Q, -gam]))[:n]])

    def project(self, t, y, times=2):
        n = self.n
        q, u = y[:n].copy(), y[n:].copy()
        for _ in range(times):
            _, _, J, _, gap, nu = self.terms(t, q, u, False)
            q -= J.T @ np.linalg.solve(J @ J.T, gap)
        _, _, J, _, gap, nu = self.terms(t, q, u, False)
        u -= J.T @ np.linalg.solve(J @ J.T, J @ u - nu)
        return np.concatenate([q, u])

    def coordinates(self, y):
        """Coordinate and rate of every joint."""
        n = self.n
        x, v = np.concatenate([y[:n], np.zeros(3)]), np.concatenate([y[n:], np.zeros(3)])
        out = []
        for kind, ia, ib, pa, pb, s, j in self.items:
            if kind == 0:
                out.append((s * (x[ib + 2] - x[ia + 2]) + j.shift, s * (v[ib + 2] - v[ia + 2])))
            else:
                ends = []
                for o, p in ((ia, pa), (ib, pb)):
                    c, sn = math.cos(x[o + 2]), math.sin(x[o + 2])
                    d = np.array([c * p[0] - sn * p[1], sn * p[0] + c * p[1]])
                    ends.append((x[o:o + 2] + d, v[o:o + 2] + v[o + 2] * np.array([-d[1], d[0]])))
                e = np.array([math.cos(x[ia + 2] + s), math.sin(x[ia + 2] + s)])
                D, V = ends[1][0] - ends[0][0], ends[1][1] - ends[0][1]
                out.append((float(e @ D), float(e @ V + v[ia + 2] * (-e[1] * D[0] + e[0] * D[1]))))
        return out

    def places(self, y):
        out = []
        for k, b in enumerate(self.m.bodies):
            if k:
                x, z, a = y[self.at(k):self.at(k) + 3]
                out.append(np.array([x, z, 0]) - turn([0, 0, 1], a) @ b.c)
        return out

    def speeds(self):
        """A basis of what may move at the start, without what sources say."""
        rows = [k for k in range(self.rows)]
        _, _, J, _, _, _ = self.terms(0, self.q0, np.zeros(self.n), False)
        drive = []
        i = 0
        for kind, *_, j in self.items:
            i += 2
            if kind == 0 and j.driven:
                drive.append(i)
                i += 1
        J = np.delete(J, drive, 0)
        u, s, vt = np.linalg.svd(J)
        return vt[np.sum(s > 1e-9 * s[0]):], s

    def start(self, u):
        return np.concatenate([self.q0, u])


# --- Reference in space -------------------------------------------------------------------------------------------------------------------

class SpaceReference:
    """Places and quaternions of the bodies' centres; least multipliers where conditions follow from others."""

    def __init__(self, mech):
        self.m = mech
        self.nb = len(mech.bodies) - 1
        self.n = 6 * self.nb
        self.g = mech.gravity
        q = []
        for b in mech.bodies[1:]:
            q += list(b.p + b.R @ b.c) + list(to_quaternion(b.R))
        self.q0 = np.array(q)
        for j in mech.joints:
            if j.kind in ("revolute", "prismatic"):
                e = np.eye(3)[int(np.argmin(abs(j.n)))]
                x = np.cross(j.n, e)
                x /= np.linalg.norm(x)
                j.across = (x, np.cross(j.n, x))

    def poses(self, q):
        out = [(np.zeros(3), np.eye(3))]
        for k in range(self.nb):
            out.append((q[7 * k:7 * k + 3], of_quaternion(q[7 * k + 3:7 * k + 7])))
        return out

    def frames(self, j, poses):
        (xa, Ra), (xb, Rb) = poses[j.a], poses[j.b]
        A, B = self.m.bodies[j.a], self.m.bodies[j.b]
        da, db = Ra @ (j.ra - A.c), Rb @ (j.rb - B.c)
        return da, db, xb + db - xa - da, Ra @ j.ma, Rb @ j.mb

    def terms(self, q, u, forces=True):
        m = self.m
        poses = self.poses(q)
        vel = [(np.zeros(3), np.zeros(3))] + [(u[6 * k:6 * k + 3], u[6 * k + 3:6 * k + 6]) for k in range(self.nb)]
        N = self.n + 6
        at = lambda k: 6 * (k - 1) if k else self.n
        J, gam, gap, nu = [], [], [], []
        M, Q = np.zeros((N, N)), np.zeros(N)
        if forces:
            for k in range(1, self.nb + 1):
                R = poses[k][1]
                I = R @ m.bodies[k].I @ R.T
                w = vel[k][1]
                i = at(k)
                M[i:i + 3, i:i + 3] = m.bodies[k].m * np.eye(3)
                M[i + 3:i + 6, i + 3:i + 6] = I
                Q[i:i + 3] = m.bodies[k].m * self.g
                Q[i + 3:i + 6] = -skew(w) @ (I @ w)
        for j in m.joints:
            da, db, D, Fa, Fb = self.frames(j, poses)
            ia, ib = at(j.a), at(j.b)
            (va, wa), (vb, wb) = vel[j.a], vel[j.b]
            Wa, Wb = skew(wa), skew(wb)
            P = np.zeros((3, N))  # rate of D
            P[:, ib:ib + 3], P[:, ib + 3:ib + 6] = np.eye(3), -skew(db)
            P[:, ia:ia + 3] -= np.eye(3)
            P[:, ia + 3:ia + 6] += skew(da)
            V = vb + Wb @ db - va - Wa @ da
            bias = Wb @ (Wb @ db) - Wa @ (Wa @ da)

            def right_angle(e, f):  # e of a, f of b, in axes of the world
                row = np.zeros(N)
                c = np.cross(e, f)  # d/dt (e.f) = (wa - wb).(e x f)
                row[ia + 3:ia + 6] += c
                row[ib + 3:ib + 6] -= c
                de, df = Wa @ e, Wb @ f
                J.append(row)
                gap.append(float(e @ f))
                gam.append(float((Wa @ de) @ f + 2 * de @ df + e @ (Wb @ df)))
                nu.append(0.0)
            if j.kind in ("revolute", "universal", "spherical"):
                for k in range(3):
                    J.append(P[k])
                    gap.append(D[k])
                    gam.append(bias[k])
                    nu.append(0.0)
            if j.kind == "revolute":
                axis = Fb @ j.n
                for e in j.across:
                    right_angle(Fa @ e, axis)
                row = np.zeros(N)
                axis = Fa @ j.n
                row[ib + 3:ib + 6] += axis
                row[ia + 3:ia + 6] -= axis
                if j.driven:
                    J.append(row)
                    gap.append(0.0)
                    gam.append(0.0)
                    nu.append(j.speed)
                if forces:
                    w = float(axis @ (wb - wa))
                    f = -((j.damper or 0) + j.d) * w
                    if j.spring:
                        f -= j.spring * (self.angle(j, Fa, Fb) - j.rest)
                    Q += f * row
                    if j.inertia:
                        M += j.inertia * np.outer(row, row)
            elif j.kind == "universal":
                right_angle(Fa @ np.array([1.0, 0, 0]), Fb @ np.array([0, 1.0, 0]))
            elif j.kind == "rod":
                J.append(D @ P)
                gap.append((D @ D - j.length ** 2) / 2)
                gam.append(float(V @ V + D @ bias))
                nu.append(0.0)
            elif j.kind == "prismatic":
                for e0 in j.across:
                    e = Fa @ e0
                    row = e @ P
                    row[ia + 3:ia + 6] += np.cross(e, D)  # d/dt e . D = (wa x e) . D = wa . (e x D)
                    de = Wa @ e
                    J.append(row)
                    gap.append(float(e @ D))
                    gam.append(float(e @ bias + 2 * de @ V + (Wa @ de) @ D))
                    nu.append(0.0)
                x, y, z = Fa.T
                X, Y, Z = Fb.T
                right_angle(x, Y)
                right_angle(y, Z)
                right_angle(z, X)
                e = Fa @ j.n
                row = e @ P
                row[ia + 3:ia + 6] += np.cross(e, D)
                de = Wa @ e
                if forces:
                    f = -((j.damper or 0) + j.d) * float(e @ V + de @ D)
                    if j.spring:
                        f -= j.spring * (float(e @ D) - j.rest)
                    if j.inertia:
                        M += j.inertia * np.outer(row, row)
                        f -= j.inertia * float(e @ bias + 2 * de @ V + (Wa @ de) @ D)
                    Q += f * row
        if forces:
            for a, pa, b, pb, k, d, l0 in m.springs:
                da, db = poses[a][1] @ (pa - m.bodies[a].c), poses[b][1] @ (pb - m.bodies[b].c)
                D = poses[b][0] + db - poses[a][0] - da
                V = vel[b][0] + np.cross(vel[b][1], db) - vel[a][0] - np.cross(vel[a][1], da)
                length = np.linalg.norm(D)
                e = D / length
                f = (k * (length - l0) + d * float(e @ V)) * e
                Q[at(a):at(a) + 6] += np.concatenate([f, np.cross(da, f)])
                Q[at(b):at(b) + 6] -= np.concatenate([f, np.cross(db, f)])
        n = self.n
        return M[:n, :n], Q[:n], np.array(J)[:, :n], np.array(gam), np.array(gap), np.array(nu)

    def angle(self, j, Fa, Fb):
        rel = Fa.T @ Fb
        x, y = j.across
        a = math.atan2(y @ rel @ x, x @ rel @ x)
        return a + 2 * math.pi * round((j.last - a) / (2 * math.pi))

    def derivative(self, t, y):
        n, k = self.n, 7 * self.nb
        q, u = y[:k], y[k:]
        M, Q, J, gam, _, _ = self.terms(q, u)
        r = len(gam)
        if self.full:
            K = np.zeros((n + r, n + r))
            K[:n, :n], K[:n, n:], K[n:, :n] = M, J.T, J
            acc = np.linalg.solve(K, np.concatenate([Q, -gam]))[:n]
        else:
            free = np.linalg.solve(M, Q)
            S = np.linalg.solve(M, J.T)
            acc = free + S @ np.linalg.lstsq(J @ S, -gam - J @ free, rcond=1e-10)[0]
        dq = np.empty(k)
        for b in range(self.nb):
            dq[7 * b:7 * b + 3] = u[6 * b:6 * b + 3]
            w0, x, yy, z = q[7 * b + 3:7 * b + 7]
            a, bb, c = u[6 * b + 3:6 * b + 6]
            dq[7 * b + 3:7 * b + 7] = [0.5 * (-a * x - bb * yy - c * z), 0.5 * (a * w0 + bb * z - c * yy), 0.5 * (bb * w0 + c * x - a * z),
                                       0.5 * (c * w0 + a * yy - bb * x)]
        return np.concatenate([dq, acc])

    def project(self, t, y, times=2):
        k = 7 * self.nb
        q, u = y[:k].copy(), y[k:].copy()
        for _ in range(times):
            _, _, J, _, gap, _ = self.terms(q, u, False)
            self.move(q, -np.linalg.lstsq(J, gap, rcond=1e-10)[0])
        _, _, J, _, _, nu = self.terms(q, u, False)
        u -= np.linalg.lstsq(J, J @ u - nu, rcond=1e-10)[0]
        poses = self.poses(q)
        for j in self.m.joints:
            if j.kind == "revolute":
                *_, Fa, Fb = self.frames(j, poses)
                j.last = self.angle(j, Fa, Fb)
        return np.concatenate([q, u])

    def move(self, q, d):
        for b in range(self.nb):
            q[7 * b:7 * b + 3] += d[6 * b:6 * b + 3]
            w = d[6 * b + 3:6 * b + 6]
            length = np.linalg.norm(w)
            if length > 0:
                q[7 * b + 3:7 * b + 7] = to_quaternion(turn(w, length) @ of_quaternion(q[7 * b + 3:7 * b + 7]))

    def coordinates(self, y):
        k = 7 * self.nb
        poses = self.poses(y[:k])
        vel = [(np.zeros(3), np.zeros(3))] + [(y[k + 6 * i:k + 6 * i + 3], y[k + 6 * i + 3:k + 6 * i + 6]) for i in range(self.nb)]
        out = []
        for j in self.m.joints:
            da, db, D, Fa, Fb = self.frames(j, poses)
            (va, wa), (vb, wb) = vel[j.a], vel[j.b]
            if j.kind == "revolute":
                j.last = self.angle(j, Fa, Fb)  # rows are read one after the other
                out.append((j.last, float((Fa @ j.n) @ (wb - wa))))
            elif j.kind == "prismatic":
                e = Fa @ j.n
                V = vb + np.cross(wb, db) - va - np.cross(wa, da)
                out.append((float(e @ D), float(e @ V + np.cross(wa, e) @ D)))
            elif j.kind == "spherical":
                out.append((to_quaternion(Fa.T @ Fb), Fb.T @ (wb - wa)))
            elif j.kind == "universal":
                rel = Fa.T @ Fb
                w = Fa.T @ (wb - wa)  # = rate1 x + rate2 (turned y)
                p = math.atan2(rel[2, 1], rel[1, 1])
                s = math.atan2(rel[0, 2], rel[0, 0])
                out.append(([p, s], [float(w[0]), float(w[1] * math.cos(p) + w[2] * math.sin(p))]))
            else:
                out.append((None, None))
        return out

    def places(self, y):
        return [x - R @ b.c for (x, R), b in zip(self.poses(y[:7 * self.nb])[1:], self.m.bodies[1:])]

    def speeds(self):
        _, _, J, _, _, nu = self.terms(self.q0, np.zeros(self.n), False)
        if any(nu):
            J = J[nu == 0]
        _, s, vt = np.linalg.svd(J)
        rank = int(np.sum(s > 1e-9 * s[0]))
        return vt[rank:], s[:rank]

    def start(self, u):
        for j in self.m.joints:
            j.last = j.x0
        _, _, J, _, _, _ = self.terms(self.q0, u, False)
        self.full = np.linalg.matrix_rank(J, 1e-9) == len(J)
        return np.concatenate([self.q0, u])


def integrate(ref, y0, stop, rtol=1e-10):
    """Values at ROWS + 1 times, or None where it takes too long."""
    solver = DOP853(ref.derivative, 0.0, y0, stop, rtol=rtol, atol=rtol * 0.1, max_step=stop / 12)
    times = np.linspace(0, stop, ROWS + 1)
    out, k, steps = [y0], 1, 0
    while solver.status == "running":
        if solver.step() is not None and solver.status == "failed":
            return None
        steps += 1
        if steps > 600:
            return None
        dense = None
        while k <= ROWS and times[k] <= solver.t * (1 + 1e-14):
            dense = dense or solver.dense_output()
            out.append(ref.project(times[k], dense(times[k])))
            k += 1
        if solver.status == "running":
            solver.y = ref.project(solver.t, solver.y, 1)
            solver.f = ref.derivative(solver.t, solver.y)
    return out if len(out) == ROWS + 1 else None


# --- The text of a model ------------------------------------------------------------------------------------------------------------------

def vector(v, unit=""):
    return "[" + ", ".join(repr(float(x)) for x in v) + "]" + (" " + unit if unit else "")


def write_model(mech, starts, names, order, stop):
    """`starts` are lines (path, value, unit, fixed) with roles for names."""
    n = lambda role: names[role]
    items, links = [], []
    items.append(f"{n('gravity')} : Gravity(g = {vector(mech.gravity, 'm/s^2')})")
    ground = "mechanics.ground"
    if any(mech.tilt):
        items.append(f"{n('tilt')} : Arm(r = [0, 0, 0] m, rpy = {vector(mech.tilt, 'rad')})")
        links.append(f"mechanics.ground -- {n('tilt')}.a")
        ground = n("tilt") + ".b"
    frame = [ground]
    for k, b in enumerate(mech.bodies):
        if k:
            I = b.I
            items.append(f"{n(f'body{k}')} : Body(m = {b.m!r} kg, center = {vector(b.c, 'm')}, "
                         f"I = {vector([I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]], 'kg*m^2')})")
            items.append(f"{n(f'place{k}')} : PlaceSensor")
            frame.append(n(f"body{k}") + ".a")
            links.append(f"{frame[k]} -- {n(f'place{k}')}.a")
    arms = 0

    def arm(k, r, m):
        nonlocal arms
        arms += 1
        a = n(f"arm{arms}")
        rpy = "" if np.abs(m - np.eye(3)).max() < 1e-15 else f", rpy = {vector(to_rpy(m), 'rad')}"
        items.append(f"{a} : Arm(r = {vector(r, 'm')}{rpy})")
        links.append(f"{frame[k]} -- {a}.a")
        return a + ".b"
    for k, j in enumerate(mech.joints):
        name = n(f"joint{k}")
        a, b = arm(j.a, j.ra, j.ma), arm(j.b, j.rb, j.mb)
        if j.kind == "rod":
            items.append(f"{name} : Rod(length = {j.length!r} m)")
        elif j.kind == "spherical":
            items.append(f"{name} : Spherical")
        elif j.kind == "universal":
            items.append(f"{name} : Universal(n1 = [1, 0, 0], n2 = [0, 1, 0])")
        else:
            cls = "Revolute" if j.kind == "revolute" else "Prismatic"
            unit = "N*m*s/rad" if j.kind == "revolute" else "N*s/m"
            items.append(f"{name} : {cls}(n = {vector(j.n)}" + (f", d = {j.d!r} {unit}" if j.d else "") + ")")
        links.append(f"{a} -- {name}.a")
        links.append(f"{b} -- {name}.b")
        if j.kind not in ("revolute", "prismatic"):
            continue
        turning = j.kind == "revolute"
        domain = "rotational" if turning else "translational"
        axis, used = f"{name}.axis", False
        if j.spring:
            items.append(f"{n(f'spring{k}')} : " + (f"TorsionSpring(k = {j.spring!r} N*m/rad, phi0 = {j.rest!r} rad)" if turning else
                                                  f"Spring(k = {j.spring!r} N/m, s0 = {j.rest!r} m)"))
            links += [f"{axis} -- {n(f'spring{k}')}.a", f"{n(f'spring{k}')}.b -- {domain}.ground"]
            used = True
        if j.damper:
            items.append(f"{n(f'damper{k}')} : " + (f"RotationalDamper(d = {j.damper!r} N*m*s/rad)" if turning else f"Damper(d = {j.damper!r} N*s/m)"))
            links += [f"{axis} -- {n(f'damper{k}')}.a", f"{n(f'damper{k}')}.b -- {domain}.ground"]
            used = True
        if j.driven:
            items.append(f"{n(f'source{k}')} : SpeedSource(speed = {j.speed!r} rad/s)")
            links += [f"{axis} -- {n(f'source{k}')}.a", f"{n(f'source{k}')}.b -- {domain}.ground"]
            used = True
        if k == mech.stated:
            used = True
            if mech.inertia:
                end = axis
                if mech.ratio != 1:
                    items.append(f"{n('gear')} : Gear(ratio = {mech.ratio!r})")
                    links += [f"{n('gear')}.b -- {axis}"]
                    end = f"{n('gear')}.a"
                items.append(f"{n('inertia')} : " + (f"Inertia(J = {mech.inertia!r} kg*m^2)" if turning else f"Mass(m = {mech.inertia!r} kg)"))
                links.append(f"{end} -- {n('inertia')}.a")
            sensor = {"plain": "AngleSensor" if turning else "PositionSensor"}.get(mech.sensor, "RelativeAngleSensor" if turning else "RelativePositionSensor")
            for role, quantity in (("sensor", sensor), ("speed", sensor.replace("Angle", "Speed").replace("Position", "Velocity"))):
                items.append(f"{n(role)} : {quantity}")
                links.append(f"{n(role)}.a -- {axis}")
                if mech.sensor == "relative":
                    links.append(f"{n(role)}.b -- {domain}.ground")
                elif mech.sensor == "difference":
                    links.append(f"{n(role)}.b -- {n(f'joint{mech.other}')}.axis")
        if used or (mech.sensor == "difference" and k == mech.other):
            links.append(f"{name}.housing -- {domain}.ground")
    for k, (a, pa, b, pb, ks, d, l0) in enumerate(mech.springs):
        name = n(f"point_spring{k}")
        items.append(f"{name} : PointSpring(k = {ks!r} N/m, d = {d!r} N*s/m, l0 = {l0!r} m)")
        links += [f"{arm(a, pa, np.eye(3))} -- {name}.a", f"{arm(b, pb, np.eye(3))} -- {name}.b"]
    lines = []
    for path, value, unit, fixed in starts:
        role, rest = path.split(".", 1)
        lines.append(f"start {n(role)}.{rest} = {float(value)!r} {unit}".rstrip() + (" fixed" if fixed else ""))
    if order:
        order.shuffle(items)
        order.shuffle(links)
        order.shuffle(lines)
    text = f'system Loop "{mech.kind}, seed {mech.seed}" {{\n'
    text += "".join(f"  {x}\n" for x in items + lines) + "".join(f"  connect {x}\n" for x in links) + "}\n"
    return text + f"experiment Run of Loop {{ stop = {stop!r} s  interval = {stop / ROWS!r} s }}\n"


def roles(mech):
    out = ["gravity", "tilt", "gear", "inertia", "sensor", "speed"]
    out += [f"body{k}" for k in range(len(mech.bodies))] + [f"place{k}" for k in range(len(mech.bodies))]
    for k in range(len(mech.joints)):
        out += [f"joint{k}", f"spring{k}", f"damper{k}", f"source{k}"]
    return out + [f"arm{k}" for k in range(1, 40)] + [f"point_spring{k}" for k in range(3)]


# --- What may be said at the start --------------------------------------------------------------------------------------------------------

def say(mech, k, value, rate, fixed, by="joint", with_rate=True):
    """The position and the speed of joint k, said by the joint itself, the inertia, the sensor, or the source."""
    j = mech.joints[k]
    turning = j.kind == "revolute"
    x, v, ux, uv = ("phi", "w", "rad", "rad/s") if turning else ("s", "v", "m", "m/s")
    factor = mech.ratio if by == "inertia" else 1.0
    out = []
    name = f"joint{k}" if by == "joint" else f"source{k}" if by == "source" else by
    out.append((f"{name}.{x}", value * factor, ux, fixed))
    if with_rate:
        name = "speed" if by == "sensor" else name
        out.append((f"{name}.{v}", rate * factor, uv, fixed))
    return out


def guesses(mech, coordinates, but, noise, r):
    """Plain starts of the positions of the other joints, `noise` off."""
    out = []
    for k, j in enumerate(mech.joints):
        if k in but or j.kind == "rod":
            continue
        x = coordinates[k][0]
        off = lambda: r.uniform(-noise, noise)
        if j.kind == "revolute":
            out.append((f"joint{k}.phi", x + off(), "rad", False))
        elif j.kind == "prismatic":
            out.append((f"joint{k}.s", x + off() * mech.size * 0.3, "m", False))
        elif j.kind == "universal":
            out += [(f"joint{k}.first.phi", x[0] + off(), "rad", False), (f"joint{k}.second.phi", x[1] + off(), "rad", False)]
        else:
            q = to_quaternion(of_quaternion(x) @ of_rpy([off(), off(), off()]))
            out += [(f"joint{k}.Q[{i + 1}]", q[i], "", False) for i in range(4)]
    return out


class Differs(Exception):
    pass


def run(cotree, text, folder, only):
    path = os.path.join(folder, "m.cot")
    table = os.path.join(folder, "o.csv")
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
    head = rows[0]
    return 0, done.stderr, (head, np.array([[float(x) for x in row] for row in rows[1:]]))


def gaps_of(mech, values):
    """The largest gap of all loops, from the joint coordinates that were printed, and the places of the bodies."""
    pose = {0: (np.zeros(3), np.eye(3))}
    left = [(k, j) for k, j in enumerate(mech.joints)]
    worst = 0.0
    while left:
        for k, j in left:
            if j.kind == "rod":
                if j.a in pose and j.b in pose:
                    ends = [pose[b][0] + pose[b][1] @ r for b, r in ((j.a, j.ra), (j.b, j.rb))]
                    worst = max(worst, abs(np.linalg.norm(ends[1] - ends[0]) - j.length))
                    left.remove((k, j))
                    break
                continue
            if j.a not in pose and j.b not in pose:
                continue
            T, s = j.motion(values[k])
            if j.a in pose:
                p, R = pose[j.a]
                F, f = R @ j.ma @ T, p + R @ j.ra + R @ j.ma @ s
                new = (None, F @ j.mb.T)
                new = (f - new[1] @ j.rb, new[1])
                at = j.b
            else:
                p, R = pose[j.b]
                F, f = R @ j.mb @ T.T, p + R @ j.rb
                f = f - F @ s
                new = (None, F @ j.ma.T)
                new = (f - new[1] @ j.ra, new[1])
                at = j.a
            if at in pose:
                worst = max(worst, np.abs(new[1] - pose[at][1]).max(), np.abs(new[0] - pose[at][0]).max())
            else:
                pose[at] = new
            left.remove((k, j))
            break
    return worst, pose


def compare(mech, ref, table, names, expected, exact):
    """Raises Differs; `expected` are states of the reference at the rows."""
    head, rows = table
    col = {c: i for i, c in enumerate(head)}
    if len(rows) != len(expected):
        raise Differs(f"{len(rows)} rows instead of {len(expected)}")
    for j in mech.joints:
        j.last = j.x0
    coordinates = [ref.coordinates(y) for y in expected]
    places = [[mech.R0 @ p for p in ref.places(y)] for y in expected]
    for b in range(1, len(mech.bodies)):
        name = names[f"place{b}"]
        got = rows[:, [col[f"{name}.y[{i}]"] for i in (1, 2, 3)]]
        want = np.array([p[b - 1] for p in places])
        error = np.abs(got - want).max(axis=1)
        scale = max(np.abs(want).max(), mech.size)
        if error.max() > BOUND * scale:
            first = int(np.argmax(error > BOUND * scale))
            raise Differs(f"place of body{b} is off by {error.max():.3g} m (first at row {first}, by {error[first]:.3g} m)")
    for k, j in enumerate(mech.joints):
        if j.kind not in ("revolute", "prismatic"):
            continue
        name = names[f"joint{k}"]
        x, v = ("phi", "w") if j.kind == "revolute" else ("s", "v")
        got, want = rows[:, col[f"{name}.{x}"]], np.array([c[k][0] for c in coordinates])
        off = 0.0
        if j.kind == "revolute" and k not in exact:  # turns are counted from a start that nobody said
            off = 2 * math.pi * round((got[0] - want[0]) / (2 * math.pi))
        scale = max(np.abs(want).max(), 1.0 if j.kind == "revolute" else mech.size)
        error = np.abs(got - want - off)
        if error.max() > BOUND * scale:
            first = int(np.argmax(error > BOUND * scale))
            raise Differs(f"{x} of joint{k} is off by {error.max():.3g} (first at row {first}, by {error[first]:.3g})")
        got, want = rows[:, col[f"{name}.{v}"]], np.array([c[k][1] for c in coordinates])
        scale = max(np.abs(want).max(), 0.1 * max(np.abs(c[i][1]) for c in coordinates for i in range(len(c)) if mech.joints[i].kind == j.kind))
        error = np.abs(got - want)
        if error.max() > BOUND * max(scale, 1e-3):
            raise Differs(f"{v} of joint{k} is off by {error.max():.3g}, of {scale:.3g}")
    worst = 0.0
    for row, y in zip(rows, expected):
        values = []
        for k, j in enumerate(mech.joints):
            name = names[f"joint{k}"]
            values.append({"revolute": lambda: row[col[f"{name}.phi"]], "prismatic": lambda: row[col[f"{name}.s"]], "rod": lambda: None,
                           "universal": lambda: [row[col[f"{name}.first.phi"]], row[col[f"{name}.second.phi"]]],
                           "spherical": lambda: [row[col[f"{name}.Q[{i}]"]] for i in (1, 2, 3, 4)] if f"{name}.Q[1]" in col else None}[j.kind]())
        # A ball that closes a loop has no quaternion of its own: its place alone is checked.
        missing = [k for k, j in enumerate(mech.joints) if j.kind == "spherical" and values[k] is None]
        kept = mech.joints
        if missing:
            mech.joints = [j for k, j in enumerate(kept) if k not in missing]
            values = [x for k, x in enumerate(values) if k not in missing]
        gap, pose = gaps_of(mech, values)
        mech.joints = kept
        for k in missing:
            j = kept[k]
            if j.a in pose and j.b in pose:
                ends = [pose[b][0] + pose[b][1] @ r for b, r in ((j.a, j.ra), (j.b, j.rb))]
                gap = max(gap, np.abs(ends[0] - ends[1]).max())
        worst = max(worst, gap)
    if worst > GAP * max(1, mech.size):
        raise Differs(f"a loop is open by {worst:.3g}")
    return worst


def nearer(mech, table, names, starts):
    """Whether another position, that fits as well, is nearer to 0 than the one that was meant, where joints without a start begin there."""
    said = {path.split(".")[0] for path, *_ in starts}
    total = [0.0, 0.0]
    head, rows = table
    for k, j in enumerate(mech.joints):
        if f"joint{k}" in said or j.kind not in ("revolute", "prismatic"):
            continue
        x = "phi" if j.kind == "revolute" else "s"
        for i, value in enumerate((rows[0][head.index(f"{names[f'joint{k}']}.{x}")], mech.coordinates[k][0])):
            total[i] += wrapped(value) ** 2 if j.kind == "revolute" else (value / mech.size) ** 2
    return total[0] < total[1]


def make(seed):
    """A mechanism with its reference, its start and its stop, or None where it is too near a dead point."""
    mech = Mechanism(seed)
    r = mech.r
    ref = (SpaceReference if mech.spatial else PlaneReference)(mech)
    basis, singular = ref.speeds()
    if len(basis) != mech.freedoms or singular[-1] < 0.05 * min(1, mech.size) * (0.5 if mech.spatial else 1):
        return None
    mech.dress()
    u = np.zeros(ref.n)
    for b in basis:
        u = u + b * r.choice([-1, 1]) * r.uniform(0.3, 1)
    zero = ref.start(u)
    rates = [c[1] for c in ref.coordinates(zero)]
    single = [k for k, j in enumerate(mech.joints) if j.kind in ("revolute", "prismatic")]
    turning = [k for k in single if mech.joints[k].kind == "revolute"]
    fastest = max(abs(rates[k]) for k in turning)
    u *= r.uniform(1, 5) / fastest if r.random() < 0.85 else 0.0
    # How well a joint tells the rest: its own rate beside the fastest.
    tell = {k: np.array([ref.coordinates(ref.start(b))[k][1] / (1 if k in turning else mech.size) for b in basis]) for k in single}
    largest = max(np.linalg.norm(x) for x in tell.values())
    good = [k for k in single if np.linalg.norm(tell[k]) > 0.25 * largest]
    mech.stated = r.choice(good)
    mech.second = None
    if mech.kind == "five-bar":
        fit = [k for k in single if k != mech.stated and abs(np.linalg.det(np.array([tell[k], tell[mech.stated]]))) > 0.15 * largest ** 2]
        if not fit:
            return None
        mech.second = r.choice(fit)
    mech.good = good
    mech.tell, mech.largest = tell, largest
    j = mech.joints[mech.stated]
    scale = sum(b.m for b in mech.bodies[1:]) * mech.size ** 2
    mech.inertia = 0.0 if r.random() < 0.15 else (scale if j.kind == "revolute" else scale / mech.size ** 2) * 10 ** r.uniform(-2, 0.5)
    mech.ratio = r.choice([-3.0, 2.5, 7.0]) if j.kind == "revolute" and mech.inertia and r.random() < 0.2 else 1.0
    if mech.ratio != 1:
        mech.inertia /= mech.ratio ** 2
    j.inertia = mech.inertia * mech.ratio ** 2
    if not mech.spatial:
        ref = PlaneReference(mech)  # it keeps the inertia
    mech.sensor = r.choice(["plain", "relative", "difference"])
    others = [k for k in turning if k != mech.stated]
    mech.other = r.choice(others) if others else None
    if mech.sensor == "difference":
        # the difference has to move, too
        if j.kind != "revolute" or mech.freedoms != 1 or mech.other is None or np.linalg.norm(tell[mech.stated] - tell[mech.other]) < 0.25 * largest:
            mech.sensor = "plain"
    driven = mech.kind != "two balls" and j.kind == "revolute" and np.any(u) and r.random() < (0.4 if mech.kind == "five-bar" else 0.15)
    if driven:
        j.driven, j.speed = True, None
    if mech.spatial:
        zero = ref.start(u)
    if driven:
        j.speed = float(ref.coordinates(np.concatenate([zero[:-ref.n], u]))[mech.stated][1])
        if mech.spatial:
            zero = ref.start(u)
        ref = ref if mech.spatial else PlaneReference(mech)
    zero = ref.start(u)
    mech.driven = driven
    # The end: not so far that a small difference becomes a large one.
    stop = r.uniform(0.5, 1.5) * max(1.0 if np.any(u) else 1.5, math.sqrt(mech.size)) * (0.7 if mech.spatial else 1)
    for _ in range(5):
        expected = integrate(ref, zero, stop)
        if expected is None:
            stop /= 3
            continue
        if mech.driven and mech.freedoms == 1:
            break
        other = integrate(ref, ref.project(0, ref.start(u * 1.001 if np.any(u) else u + 1e-3 * basis[0])), stop, 1e-5)
        if mech.spatial:
            ref.start(u)
        if other is not None:
            grown = max(np.abs(a - b).max() for a, b in zip(expected, other)) / 1e-3 / max(1.0, np.abs(u).max())
            if grown < 20:
                break
        stop /= 2
    else:
        return None
    if expected is None:
        return None
    for j in mech.joints:
        j.last = j.x0
    mech.coordinates = ref.coordinates(zero)
    return mech, ref, expected, stop


def variants(mech, ref):
    """(what it is, starts, joints whose turns are said, changed names)."""
    r = random.Random(mech.seed + 77)
    c = mech.coordinates
    X, Z = mech.stated, mech.second
    base = []  # what has to be said besides
    if Z is not None:
        base = lambda fixed: say(mech, Z, c[Z][0], c[Z][1], fixed)
    else:
        base = lambda fixed: []
    spin = []
    said = [X] + ([Z] if Z is not None else [])
    if mech.kind == "two balls":
        # how the coupler spins against the crank, and all positions: axes are those of the coupler
        spin = [("joint2.w[1]", c[2][1][0], "rad/s", True)]

    def rest(but, kind):
        if mech.kind == "two balls":  # where it spins is of no consequence; which way it is assembled is said by the balls
            return guesses(mech, c, but, 0.0, r) + spin
        if kind == "none":
            return []
        return guesses(mech, c, but, {"exact": 0.0, "noise": 0.04}[kind], r)
    near = "none" if mech.near and not any(hasattr(j, "turns") and k not in said for k, j in enumerate(mech.joints)) else None
    loose = "noise" if mech.spatial else near or "noise"   # what is said of the others where one is fixed
    # and where all are plain: nothing (what is said is the nearest there is), or where they are
    tight = lambda: (near, " alone") if near and r.random() < 0.5 else ("exact", ", as all joints")
    w = not mech.driven
    out = [("joint, fixed", say(mech, X, c[X][0], c[X][1], True, "joint", w) + base(True) + rest(said, loose), said, False)]
    for _ in range(2):
        out.append(("joint, fixed", say(mech, X, c[X][0], c[X][1], True, "joint", w) + base(True) + rest(said, r.choice(["noise", loose])), said, True))
    kind, word = tight()
    out.append(("joint, plain" + word, say(mech, X, c[X][0], c[X][1], False, "joint", w) + base(False) + rest(said, kind), said, True))
    second = Z if mech.second is not None else None
    able = [k for k in mech.good if k not in said]
    if mech.second is not None:
        able = [k for k in able if abs(np.linalg.det(np.array([mech.tell[k], mech.tell[Z]]))) > 0.15 * mech.largest ** 2]
    if able and not mech.driven:
        for Y in r.sample(able, min(2, len(able))):
            these = [Y] + ([Z] if Z is not None else [])
            turned = any(hasattr(j, "turns") and k not in these for k, j in enumerate(mech.joints))  # a spring may count them
            out.append((f"another joint, fixed", say(mech, Y, c[Y][0], c[Y][1], True) + base(True) + rest(these, "noise" if turned else loose), these, True))
            kind, word = ("exact", ", as all joints") if turned else tight()
            out.append((f"another joint, plain{word}", say(mech, Y, c[Y][0], c[Y][1], False) + base(False) + rest(these, kind), these, True))
    if mech.inertia:
        for fixed in (True, False):
            kind, word = (loose, "") if fixed else tight()
            out.append((f"inertia, {'fixed' if fixed else 'plain'}{word}", say(mech, X, c[X][0], c[X][1], fixed, "inertia", w) + base(fixed) +
                        rest(said, kind), said, True))
    if mech.driven:
        for fixed in (True, False):
            kind, word = (loose, "") if fixed else tight()
            out.append((f"source, {'fixed' if fixed else 'plain'}{word}", say(mech, X, c[X][0], c[X][1], fixed, "source", False) + base(fixed) +
                        rest(said, kind), said, True))
    for fixed in (True, False):
        value, rate = c[X]
        these = said
        if mech.sensor == "difference":
            value, rate = value - c[mech.other][0], rate - c[mech.other][1]
            these = said if near is None else []
        if mech.sensor == "difference" and mech.driven:
            continue
        path = "sensor.y" if r.random() < 0.4 else None
        starts = say(mech, X, value, rate, fixed, "sensor", w)
        if path:
            starts[0] = (path,) + starts[0][1:]
            if w:
                starts[1] = ("speed.y",) + starts[1][1:]
        but = said
        if mech.sensor == "difference":
            but = [] if near is None else said
        kind, word = (loose, "") if fixed else tight()
        out.append((f"sensor ({mech.sensor}), {'fixed' if fixed else 'plain'}{word}", starts + base(fixed) + rest(but, kind),
                    [] if mech.sensor == "difference" else these, True))
    return out


def named(mech, change, seed):
    keys = roles(mech)
    if not change:
        return {k: k for k in keys}
    r = random.Random(seed)
    letters = [a + b for a in "abcdefghklmnopqrstuvwxyz" for b in "abcdefghjkloqruvwxyz"]
    words = r.sample([x for x in letters if x not in ("as", "if", "of", "or")], len(keys))
    return dict(zip(keys, ("q" + w for w in words)))


def wanted(mech, names):
    out = []
    for k, j in enumerate(mech.joints):
        name = names[f"joint{k}"]
        out += {"revolute": [f"{name}.phi", f"{name}.w"], "prismatic": [f"{name}.s", f"{name}.v"], "rod": [],
                "universal": [f"{name}.first.phi", f"{name}.second.phi"], "spherical": [f"{name}.Q*"]}[j.kind]
    return out + [f"{names[f'place{b}']}.y*" for b in range(1, len(mech.bodies))]


def said_kind(message, names):
    """A refusal without the names and numbers of the variant."""
    message = message.split("\n")[0]
    code = re.search(r"COT\d+", message)
    if code:
        return code.group(0)
    for role, name in names.items():
        message = re.sub(rf"\b{name}\b", "NAME", message)
    return re.sub(r"-?\d+(\.\d+)?(e-?\d+)?", "#", message)[:60]


def out_of_reach(mech, ref):
    """An angle of a joint that no position of a four-bar has, or None."""
    if mech.kind != "four-bar" or not isinstance(ref, PlaneReference) or any(j.kind != "revolute" for j in mech.joints):
        return None  # of a slide the lengths below say nothing
    places = {}
    for k, j in enumerate(mech.joints):
        a = mech.bodies[j.a]
        places[k] = (a.R @ j.ra + a.p)[:2]
    crank, pin, wrist, rocker = (places[k] for k in range(4))
    l1, l2, l3 = (np.linalg.norm(x - y) for x, y in ((crank, pin), (pin, wrist), (wrist, rocker)))
    # joint 0 holds the crank: turned by delta, the pin has to stay within reach of the rocker's bearing
    best, angle = 0.0, None
    for delta in np.linspace(-math.pi, math.pi, 73):
        p = crank + turn([0, 0, 1], delta)[:2, :2] @ (pin - crank)
        d = np.linalg.norm(p - rocker)
        miss = max(d - (l2 + l3), abs(l2 - l3) - d)
        if miss > best:
            best, angle = miss, delta
    if best < 0.05 * mech.size:
        return None
    return mech.coordinates[0][0] + mech.joints[0].n[2] * angle


def keep(folder, name, text):
    if folder:
        os.makedirs(folder, exist_ok=True)
        open(os.path.join(folder, name), "w").write(text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cotree")
    parser.add_argument("n", nargs="?", type=int, default=200)
    parser.add_argument("seed", nargs="?", type=int, default=1)
    parser.add_argument("--keep")
    parser.add_argument("--verbose", action="store_true")
    a = parser.parse_args()
    begin = time.time()
    done = differ = failed = runs = 0
    worst = 0.0
    seed, by_kind = a.seed * 100000, {}
    unreachable, ambiguous, by_way = 0, 0, {}
    while done < a.n:
        seed += 1
        try:
            made = make(seed)
        except np.linalg.LinAlgError:
            continue
        if made is None:
            continue
        mech, ref, expected, stop = made
        done += 1
        bad, lost = [], []
        with tempfile.TemporaryDirectory() as folder:
            angle = out_of_reach(mech, ref) if seed % 2 == 0 else None
            if angle is not None and not mech.driven:
                # No position has this angle: all must refuse, and for the same reason.
                unreachable += 1
                said = set()
                ways = ["joint"] * 4 + (["sensor"] * (mech.sensor != "difference") + ["inertia"] * (mech.inertia > 0)) * (mech.stated == 0)
                for number, by in enumerate(ways):
                    names = named(mech, number > 0, seed * 31 + number)
                    text = write_model(mech, say(mech, 0, angle, 0, True, by, False), names, random.Random(number) if number else None, stop)
                    code, message, _ = run(a.cotree, text, folder, wanted(mech, names))
                    runs += 1
                    said.add((code, said_kind(message, names)))
                    keep_name = f"{seed}_reach_{number}.cot"
                    if code == 0 or len(said) > 1:
                        keep(a.keep, keep_name, text)
                if len(said) > 1 or any(x[0] == 0 for x in said):
                    bad.append(("out of reach", "answers differ: " + "; ".join(f"exit {x}: {y}" for x, y in sorted(said)), None))
            else:
                for number, (what, starts, exact, change) in enumerate(variants(mech, ref)):
                    names = named(mech, change, seed * 31 + number)
                    text = write_model(mech, starts, names, random.Random(seed * 7 + number) if change else None, stop)
                    code, message, table = run(a.cotree, text, folder, wanted(mech, names))
                    runs += 1
                    way = by_way.setdefault(re.sub(r" \(.*\)", "", what), [0, 0, 0])
                    way[0] += 1
                    name = f"{seed}_{number}.cot"
                    if code != 0:
                        way[2] += 1
                        lost.append((what, f"exit {code}: {message.strip()[:240]}", name))
                        keep(a.keep, name, text)
                        continue
                    try:
                        worst = max(worst, compare(mech, ref, table, names, expected, exact))
                    except Differs as e:
                        if "fixed" in what and not any("Q[" in x[0] or not x[3] for x in starts) and nearer(mech, table, names, starts):
                            ambiguous += 1  # the question's fault
                            continue
                        way[1] += 1
                        bad.append((what, str(e) + (": " + message.strip()[:160] if message.strip() else ""), name))
                        keep(a.keep, name, text)
        kinds = by_kind.setdefault(mech.kind, [0, 0, 0])
        kinds[0] += 1
        kinds[1] += bool(bad)
        kinds[2] += bool(lost)
        differ += bool(bad)
        failed += bool(lost and not bad)
        for what, why, name in bad + lost:
            print(f"seed {seed}, {mech.kind}{', driven' if mech.driven else ''}{', near 0' if mech.near else ''}: {what}: {why}" + (f" [{name}]" if name else ""), flush=True)
        if done % 20 == 0:
            print(f"  {done} mechanisms, {runs} runs, {time.time() - begin:.0f} s", file=sys.stderr, flush=True)
    for kind, (count, d, f) in sorted(by_kind.items()):
        print(f"  {kind}: {count}, of which {d} differ, {f} have failures")
    for way, (count, d, f) in sorted(by_way.items()):
        print(f"  said by {way}: {count} runs, {d} differ, {f} fail")
    print(f"  {runs} runs, {unreachable} mechanisms asked for what they cannot reach, {ambiguous} starts nearer to another position; largest gap of a loop {worst:.1e}")
    print(f"mechanisms {done}: differ {differ}, failed {failed}, seconds {time.time() - begin:.0f}")
    return 0 if differ + failed == 0 else 1


if __name__ == "__main__":
    sys.exit(main())

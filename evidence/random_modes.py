#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Random systems with modes beside a reference of their own: friction, brakes, clutches, lossy gears, diodes, elastic stops.

random_modes.py COTREE [N [SEED]] [--keep FOLDER] [--only KIND] [--verbose]

Between events such a system is linear, its sources included (a sine is two states, the time is one): z' = A z. The reference moves z by
matrix exponentials and finds each event as a root of a linear function of z. At an event it tries every combination of modes of what
stands still (stick, forward, backward), of the loads of gears and of diodes, solves the balance of forces for each, and takes the one
that contradicts nothing: no stuck element bears more than it can, what slides moves the way it slides. Where forces of stuck elements are
not unique (two brakes and a clutch hold two shafts), the question is whether any share of the load holds; the unknown shares are
eliminated from the inequalities (Fourier and Motzkin). A function that is zero is judged by its next derivative. What is ambiguous in
physics (two combinations with different accelerations) is left out, and counted.

Compared are all states on a grid of 256 times and at the end, the torques of what sticks where they are unique, and whether it stands
still. A tenth of the runs are by BDF. Prints what differs (its model goes to FOLDER), how often a run failed and of what, what was left
out, then figures. Exit code 1 where something differs or fails."""
import argparse, csv, itertools, math, os, random, re, subprocess, sys, tempfile, time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # small matrices: threads only wait for each other
import numpy as np
from scipy.linalg import expm

GRID = 256

# With --rtol 1e-8 a run keeps about 1e-8 a step, some 1e-7 at the end, where the system does not amplify. 1e-5 of the largest value of
# the kind (angles, speeds, currents, voltages) is a hundred times that, and a hundred times less than the mildest wrong mode.
TOLERANCE = 1e-5
# An event is late by the error of what it waits for, divided by its rate. On the way, where a stop of 10 kN/m throws a mass back, this
# shift shows as its product with the rate of a state. At the end of the run it is not taken off.
LATE = 1e-7
# What sticks has relative speed 0 exactly; the states are those of the shafts, so their rounding and, with closed loops, the
# integrator's own error may remain.
STANDSTILL = 1e-7


class LeftOut(Exception):
    """The reference cannot decide: the physics is ambiguous, or the system is outside of what it knows."""


# --- Signals ------------------------------------------------------------------------------------------------------------------------

class Signal:
    """Piecewise constant, linear or a sine: text of the model, corners, and coefficients of z."""

    def __init__(self, r, unit, sizes, stop, positive=False):
        self.kind = r.choice(["Constant", "Step", "Ramp", "Sine", "Sine"] if unit != "V" else ["Constant", "Step", "Sine", "Sine", "Sine", "Sine"])
        self.unit = unit
        sign = 1 if positive else r.choice([1, -1])
        self.k = sign * r.choice(sizes)
        self.offset = 0
        self.start = r.choice([0.25, 0.5, 0.75, 1, 1.3])
        self.duration = 0
        if self.kind == "Step":
            self.offset = r.choice([0, 0, sign * r.choice(sizes), -self.k])
        if self.kind == "Ramp":
            self.k = sign * r.choice([0.5, 1, 2, 4]) * r.choice(sizes) / max(sizes)
            self.offset = r.choice([0, 0, sign * r.choice(sizes)])
            self.duration = r.choice([0, 0.5, 1])
            if r.random() < 0.3:
                self.k = -self.k
        if self.kind == "Sine":
            self.frequency = r.choice([0.25, 0.5, 1, 1.5])
            self.phase = r.choice([0, 0, math.pi / 2, 1.0])
            self.offset = r.choice([0, 0, 0, sign * r.choice(sizes)])
            if positive:
                self.offset = r.choice([abs(self.k), abs(self.k), 2 * abs(self.k), 0])
        self.place = None  # of the sine and cosine in z

    def text(self, name):
        u = self.unit
        if self.kind == "Constant":
            return f"  {name} : Constant(k = {self.k!r} {u})\n"
        if self.kind == "Step":
            return f"  {name} : Step(height = {self.k!r} {u}, start = {self.start!r} s, offset = {self.offset!r} {u})\n"
        if self.kind == "Ramp":
            return (f"  {name} : Ramp(slope = {self.k!r} {u}/s, start = {self.start!r} s, duration = {self.duration!r} s, "
                    f"offset = {self.offset!r} {u})\n")
        return (f"  {name} : Sine(amplitude = {self.k!r} {u}, frequency = {self.frequency!r} Hz, phase = {self.phase!r} rad, "
                f"offset = {self.offset!r} {u})\n")

    def corners(self):
        if self.kind == "Step":
            return [self.start]
        if self.kind == "Ramp":
            return [self.start] + ([self.start + self.duration] if self.duration else [])
        return []

    def row(self, size, t, one, clock):
        """Coefficients of z right behind t."""
        h = np.zeros(size)
        if self.kind == "Constant":
            h[one] = self.k
        elif self.kind == "Step":
            h[one] = self.offset + (self.k if t >= self.start - 1e-12 else 0)
        elif self.kind == "Ramp":
            h[one] = self.offset
            if self.duration and t >= self.start + self.duration - 1e-12:
                h[one] += self.k * self.duration
            elif t >= self.start - 1e-12:
                h[clock] = self.k
                h[one] -= self.k * self.start
        else:
            h[one] = self.offset
            h[self.place] = self.k
        return h


# --- Random systems -----------------------------------------------------------------------------------------------------------------

class System:
    """Bodies on axes, what acts between them, and a circuit. Body -1 and node 0 are the reference."""

    def __init__(self, seed, only=None):
        self.seed = seed
        r = self.r = random.Random(seed)
        self.stop = r.choice([2.0, 3.0, 4.0])
        self.kind = only or r.choice(["rotational"] * 4 + ["geared"] * 3 + ["translational"] * 2 + ["electrical"] * 2 + ["drive"] * 2)
        self.inertia, self.start_w, self.start_phi, self.free = [], [], [], []
        self.gears, self.frictions, self.springs, self.stops, self.forces = [], [], [], [], []
        self.nodes, self.parts, self.motor = 0, [], None
        self.rotary = self.kind != "translational"
        if self.kind != "electrical":
            self.mechanics()
        if self.kind in ("electrical", "drive"):
            self.circuit()
        self.signals = [s for s in [f["u"] for f in self.frictions] + [f["u"] for f in self.forces] + [p["u"] for p in self.parts if "u" in p] if s]
        self.places()
        for k, p in enumerate(self.parts):
            p["name"] = f"p{k}"

    def mechanics(self):
        r = self.r
        n = r.choice([1, 1, 2, 2, 2, 3, 3, 4])
        if self.kind == "geared":
            n = max(n, 2)
        equal = r.random() < 0.4
        size = r.choice([0.5, 1, 2, 4])
        for i in range(n):
            self.inertia.append(size if equal else r.choice([0.5, 1, 2, 4]))
            self.start_w.append(r.choice([0, 0, 0, 1, -1, 2, 3, 0.5]))
            self.start_phi.append(r.choice([0, 0, 0.25, -0.5]))
            self.free.append(True)
        linked = set()
        if self.kind == "geared":
            for i in range(1, n):
                if i == 1 or r.random() < 0.6:
                    j = r.randrange(i)
                    ratio = r.choice([1, 2, -1, 0.5, 3, -2])
                    lossy = r.random() < 0.8
                    e = r.choice([0.9, 0.8, 0.5])
                    back = r.choice([e, e, 0.7, 0.4, 0.0])
                    # phi(a) = ratio*phi(b); a is body i or body j
                    a, b = (i, j) if r.random() < 0.5 else (j, i)
                    self.gears.append(dict(a=a, b=b, ratio=ratio, lossy=lossy, e=e, back=back))
                    f = ratio if a == i else 1 / ratio
                    self.start_w[i], self.start_phi[i] = f * self.start_w[j], f * self.start_phi[j]
                    self.free[i] = False
                    linked.add((i, j))
        pairs = [(i, j) for i in range(n) for j in range(i) if (i, j) not in linked]

        def place(share):
            if pairs and r.random() < share:
                i, j = r.choice(pairs)
                return (i, j) if r.random() < 0.5 else (j, i)
            return r.randrange(n), -1

        sizes = [0.5, 1, 1, 2, 3]
        for _ in range(r.choice([1, 1, 2, 2, 3, 4])):
            a, b = place(0.4)
            what = r.choice(["friction", "friction", "clutch"])
            f = dict(a=a, b=b, what=what, d=0, u=None)
            if what == "friction":
                f["cap"], f["d"] = r.choice(sizes), r.choice([0, 0, 0.1, 0.5])
            else:
                f["u"], f["mu"], f["surfaces"] = Signal(r, "N", sizes, self.stop, positive=r.random() < 0.85), r.choice([1, 0.5]), r.choice([1, 2])
            self.frictions.append(f)
        # Static friction above sliding friction makes the balance of several elements ambiguous: of one element only.
        if len(self.frictions) == 1 and self.frictions[0]["u"] and not self.gears:
            self.frictions[0]["static"] = self.frictions[0]["mu"] * r.choice([1.25, 1.5])
        for _ in range(r.choice([0, 0, 1, 1, 2])):
            a, b = place(0.5)
            self.springs.append(dict(a=a, b=b, k=r.choice([0, 1, 10, 50]), d=r.choice([0, 0.1, 1])))
        for _ in range(r.choice([0, 0, 0, 1])):
            a, b = place(0.3)
            phi = self.start_phi[a] - (self.start_phi[b] if b >= 0 else 0)
            if r.random() < 0.4:
                half = r.choice([0.125, 0.25, 0.5])
                self.stops.append(dict(a=a, b=b, low=-half, high=half, k=r.choice([10, 100, 1000, 10000]), d=r.choice([0, 0, 1, 10]), gap=True))
                continue
            self.stops.append(dict(a=a, b=b, low=phi - r.choice([0.25, 0.5, 1]), high=phi + r.choice([0.25, 0.5, 1]),
                                   k=r.choice([10, 100, 1000, 10000]), d=r.choice([0, 1, 10])))
        for _ in range(r.choice([0, 1, 1, 1, 2]) if self.kind != "drive" else r.choice([0, 0, 1])):
            a, b = place(0.2)
            self.forces.append(dict(a=a, b=b, u=Signal(r, "N*m" if self.rotary else "N", [0.5, 1, 2, 3, 4, 6], self.stop)))

        for i in range(n):
            if all(i not in (e["a"], e["b"]) for e in self.gears + self.frictions + self.springs + self.stops + self.forces):
                self.springs.append(dict(a=i, b=-1, k=0, d=0.1))

    def circuit(self):
        r = self.r
        n = self.nodes = r.choice([2, 2, 3, 4])  # 1 .. n, node 0 is ground
        part = lambda **p: self.parts.append(p)
        part(what="source", p=1, n=0, u=Signal(r, "V", [1, 2, 5, 10], self.stop))
        kinds = ["R", "R", "L", "D", "D", "C"]

        def random_part(p, n):
            if r.random() < 0.5:
                p, n = n, p
            what = r.choice(kinds)
            if what == "D" and sum(x["what"] == "D" for x in self.parts) >= 4:
                what = "R"
            if what == "R":
                part(what="R", p=p, n=n, R=r.choice([0.5, 1, 2, 10]))
            elif what == "L":
                part(what="L", p=p, n=n, L=r.choice([0.1, 0.5, 1]), start=r.choice([0, 0, 0, 1, -1]))
            elif what == "C":
                part(what="C", p=p, n=n, C=r.choice([0.01, 0.1, 0.5]), start=r.choice([0, 0, 0, 1, -2]))
            else:
                part(what="D", p=p, n=n, Ron=r.choice([1e-5, 1e-3, 0.1]), Goff=r.choice([1e-5, 1e-3]), knee=r.choice([0, 0, 0.5]))
        for k in range(2, n + 1):
            random_part(k, r.randrange(1, k))
            if r.random() < 0.6:
                random_part(k, 0)
        for _ in range(r.choice([1, 2, 3])):
            p, q = r.sample(range(n + 1), 2)
            random_part(p, q)
        if self.kind == "drive":
            self.motor = dict(what="M", p=r.randrange(1, n + 1), n=0, R=r.choice([0.2, 1]), L=r.choice([0.01, 0.1]), K=r.choice([0.2, 0.5, 1]),
                              shaft=r.randrange(len(self.inertia)), start=0)
            self.parts.append(self.motor)
        # no end is left open
        while True:
            ends = [i for q in self.parts for i in (q["p"], q["n"])]
            lone = [i for i in range(1, n + 1) if ends.count(i) < 2]
            if not lone:
                break
            part(what="R", p=lone[0], n=0, R=r.choice([0.5, 1, 2, 10]))
        # an unused diode or none at all is no use here
        if not any(p["what"] == "D" for p in self.parts) and not self.frictions:
            part(what="D", p=1, n=n, Ron=0.1, Goff=1e-3, knee=0)
        if not any(p["what"] in "LCM" for p in self.parts):
            part(what="L", p=n, n=0, L=0.5, start=0)

    def places(self):
        """z = phi, w of the bodies, states of the circuit, 1, time, sines and cosines."""
        n = len(self.inertia)
        k = 2 * n
        self.start = list(self.start_phi) + list(self.start_w)
        for p in self.parts:
            if p["what"] in "LCM" and p["what"] != "source":
                p["place"] = k
                self.start.append(p["start"])
                k += 1
        self.one, self.clock = k, k + 1
        self.start += [1.0, 0.0]
        k += 2
        for s in self.signals:
            if s.kind == "Sine":
                s.place = k
                self.start += [math.sin(s.phase), math.cos(s.phase)]
                k += 2
        self.size = k

    def text(self):
        rotary = self.rotary
        mass, parameter, unit = ("Inertia", "J", "kg*m^2") if rotary else ("Mass", "m", "kg")
        x, v, ux, uv = ("phi", "w", "rad", "rad/s") if rotary else ("s", "v", "m", "m/s")
        uf = "N*m" if rotary else "N"
        ground = "rotational.ground" if rotary else "translational.ground"
        at = lambda i: ground if i < 0 else f"j{i}.a"
        out, wires, count = "", "", 0
        signals = 0

        def drive(signal, target):
            nonlocal out, wires, signals
            signals += 1
            out += signal.text(f"u{signals}")
            wires += f"  connect u{signals}.y -> {target}\n"
        for i, m in enumerate(self.inertia):
            start = f", start {x} = {self.start_phi[i]!r} {ux} fixed, start {v} = {self.start_w[i]!r} {uv} fixed" if self.free[i] else ""
            out += f"  j{i} : {mass}({parameter} = {m!r} {unit}{start})\n"
        for k, g in enumerate(self.gears):
            loss = f", efficiency = {g['e']!r}, efficiency_back = {g['back']!r}" if g["lossy"] else ""
            out += f"  g{k} : {'LossyGear' if g['lossy'] else 'Gear'}(ratio = {g['ratio']!r}{loss})\n"
            wires += f"  connect g{k}.a -- {at(g['a'])}\n  connect g{k}.b -- {at(g['b'])}\n"
        for k, f in enumerate(self.frictions):
            a, b = "a", "b"
            if f["what"] == "friction":
                cls, cap = ("RotationalFriction", "tau_coulomb") if rotary else ("Friction", "f_coulomb")
                out += f"  f{k} : {cls}({cap} = {f['cap']!r} {uf}, d = {f['d']!r} {uf}/({uv}))\n"
            else:
                radius = "radius = 1 m, " if rotary else ""
                cls, static = "LinearBrake", f", mu_static = {f['static']!r}" if "static" in f else ""
                if rotary:
                    cls = "Brake" if f["b"] < 0 else "Clutch"
                if cls == "Brake":
                    a, b = "shaft", "housing"
                out += f"  f{k} : {cls}({radius}mu = {f['mu']!r}, surfaces = {f['surfaces']!r}{static})\n"
                drive(f["u"], f"f{k}.u")
            wires += f"  connect f{k}.{a} -- {at(f['a'])}\n  connect f{k}.{b} -- {at(f['b'])}\n"
        for k, s in enumerate(self.springs):
            cls = "TorsionSpringDamper" if rotary else "SpringDamper"
            out += f"  s{k} : {cls}(k = {s['k']!r} {uf}/{ux}, d = {s['d']!r} {uf}/({uv}))\n"
            wires += f"  connect s{k}.a -- {at(s['a'])}\n  connect s{k}.b -- {at(s['b'])}\n"
        for k, s in enumerate(self.stops):
            cls = "RotationalEndStop" if rotary else "EndStop"
            if "gap" in s:
                cls = "RotationalBacklash" if rotary else "Backlash"
                out += f"  e{k} : {cls}(gap = {2 * s['high']!r} {ux}, k = {s['k']!r} {uf}/{ux}, d = {s['d']!r} {uf}/({uv}))\n"
            else:
                out += f"  e{k} : {cls}({x}_min = {s['low']!r} {ux}, {x}_max = {s['high']!r} {ux}, k = {s['k']!r} {uf}/{ux}, d = {s['d']!r} {uf}/({uv}))\n"
            wires += f"  connect e{k}.a -- {at(s['a'])}\n  connect e{k}.b -- {at(s['b'])}\n"
        for k, f in enumerate(self.forces):
            out += f"  t{k} : {'SignalTorqueSource' if rotary else 'SignalForceSource'}\n"
            wires += f"  connect t{k}.b -- {at(f['a'])}\n  connect t{k}.a -- {at(f['b'])}\n"
            drive(f["u"], f"t{k}.u")
        node = lambda i: "electrical.ground" if i == 0 else f"n{i}.p"
        for p in self.parts:
            name = p["name"]
            if p["what"] == "source":
                out += f"  {name} : SignalVoltageSource\n"
                drive(p["u"], f"{name}.u")
            elif p["what"] == "R":
                out += f"  {name} : Resistor(R = {p['R']!r} ohm)\n"
            elif p["what"] == "L":
                out += f"  {name} : Inductor(L = {p['L']!r} H, start i = {p['start']!r} A fixed)\n"
            elif p["what"] == "C":
                out += f"  {name} : Capacitor(C = {p['C']!r} F, start v = {p['start']!r} V fixed)\n"
            elif p["what"] == "D":
                out += f"  {name} : IdealDiode(Ron = {p['Ron']!r} ohm, Goff = {p['Goff']!r} S, Vknee = {p['knee']!r} V)\n"
            else:
                out += f"  {name} : DCMotor(R = {p['R']!r} ohm, L = {p['L']!r} H, Kt = {p['K']!r} N*m/A, start armature.i = 0 A fixed)\n"
                wires += f"  connect {name}.shaft -- {at(p['shaft'])}\n  connect {name}.housing -- {ground}\n"
        for i in range(self.nodes + 1):
            ends = [f"{p['name']}.{'p' if p['p'] == i else 'n'}" for p in self.parts if i in (p["p"], p["n"])]
            if i == 0:
                ends.append("electrical.ground")
            if len(ends) > 1:
                wires += "  connect " + " -- ".join(ends) + "\n"
        return f"// seed {self.seed}\nsystem S {{\n{out}{wires}}}\nexperiment E of S {{ stop = {self.stop!r} s }}\n"

    def columns(self):
        """Names of the compared columns: (name, place in z, kind)."""
        n = len(self.inertia)
        x, v = ("phi", "w") if self.rotary else ("s", "v")
        result = [(f"j{i}.{x}", i, "angle") for i in range(n)] + [(f"j{i}.{v}", n + i, "speed") for i in range(n)]
        for p in self.parts:
            if "place" in p:
                result.append((p["name"] + {"L": ".i", "C": ".v", "M": ".armature.i"}[p["what"]], p["place"], "voltage" if p["what"] == "C" else "current"))
        return result


# --- The reference ------------------------------------------------------------------------------------------------------------------

SMALL = 1e-10


def lexicographic(h, a, z, floor):
    """The sign of h z, or of its first derivative that is not zero: 1, -1 or 0."""
    row = h
    weight = np.maximum(np.abs(z), floor)
    for _ in range(4):
        value, size = row @ z, np.abs(row) @ weight
        if abs(value) > SMALL * size:
            return 1 if value > 0 else -1
        row = row @ a
    return 0


def eliminate(rows, shares):
    """Inequalities p s + h z >= 0 without their first entries, the unknown shares s (Fourier and Motzkin)."""
    for k in range(shares):
        plus = [r for r in rows if r[k] > 1e-9]
        minus = [r for r in rows if r[k] < -1e-9]
        rest = [r for r in rows if abs(r[k]) <= 1e-9]
        if len(plus) * len(minus) > 400:
            raise LeftOut("too many shares")
        for p in plus:
            for m in minus:
                rest.append(p / p[k] - m / m[k])
        rows = []
        for r in rest:
            size = np.max(np.abs(r))
            if size > 1e-12:
                r = r / size
                if not any(np.max(np.abs(r - q)) < 1e-12 for q in rows):
                    rows.append(r)
    return [r[shares:] for r in rows]


class Reference:
    def __init__(self, system):
        s = self.s = system
        self.n = len(s.inertia)
        self.z = np.array(s.start, float)
        self.t = 0.0
        # Frictions between the same bodies act as one: whichever way they share.
        groups = {}
        for f in s.frictions:
            key = (f["a"], f["b"]) if (f["b"] < 0 or f["a"] > f["b"]) else (f["b"], f["a"])
            groups.setdefault(key, []).append(f)
        self.groups = list(groups.items())
        ties = np.zeros((len(s.gears), self.n))
        for k, g in enumerate(s.gears):
            ties[k, g["a"]], ties[k, g["b"]] = 1, -g["ratio"]
        for (a, b), _ in self.groups:
            w = np.zeros(self.n)
            w[a] = 1
            if b >= 0:
                w[b] = -1
            if len(ties) and np.linalg.matrix_rank(np.vstack([ties, w])) == np.linalg.matrix_rank(ties):
                raise LeftOut("friction between shafts that gears tie to one speed")
        self.sign = [0] * len(self.groups)      # of what slides; 0 where it stands
        self.gear_sign = [0] * len(s.gears)
        self.pressed = {id(f): None for f in s.frictions}
        self.stop_mode = [0] * len(s.stops)     # 0 free, 1 / 2 upper pushing / cut off, -1 / -2 lower
        self.diodes = [p for p in s.parts if p["what"] == "D"]
        self.diode_mode = None
        self.events, self.torques = 0, {}
        self.shared = False                     # stuck elements once shared a load in more than one way
        self.floor = np.ones(s.size)

    # rows of coefficients of z
    def unit(self, k):
        h = np.zeros(self.s.size)
        h[k] = 1
        return h

    def row(self, signal):
        return signal.row(self.s.size, self.t, self.s.one, self.s.clock)

    def relative(self, a, b, offset):
        h = np.zeros(self.s.size)
        h[offset + a] = 1
        if b >= 0:
            h[offset + b] = -1
        return h

    def cap(self, group, standing=False):
        """What a group of frictions bears when it slides, or can bear when it stands."""
        h = np.zeros(self.s.size)
        for f in group[1]:
            if f["what"] == "friction":
                h[self.s.one] += f["cap"]
            elif self.pressed[id(f)]:
                h += f["static" if standing and "static" in f else "mu"] * f["surfaces"] * self.row(f["u"])
        return h

    def speed(self, k):
        (a, b), _ = self.groups[k]
        return self.relative(a, b, self.n)

    # --- modes that the state alone decides
    def settle_state_modes(self, fired):
        s, z = self.s, self.z
        for f in s.frictions:
            if f["u"]:
                h = self.row(f["u"])
                derivative = self.sources()
                sign = lexicographic(h, derivative, z, self.floor)
                self.pressed[id(f)] = sign > 0
        for k, e in enumerate(s.stops):
            phi, w = self.relative(e["a"], e["b"], 0) @ z, self.relative(e["a"], e["b"], self.n) @ z
            mode = self.stop_mode[k]
            for what, index, new in fired:
                if what == "stop" and index == k:
                    mode = new
            eps = 1e-9
            if mode == 0:
                if phi > e["high"] + eps:
                    mode = 1
                elif phi < e["low"] - eps:
                    mode = -1
            if mode > 0:
                depth = phi - e["high"]
                force = e["k"] * depth + e["d"] * w
                if depth < -eps:
                    mode = 0
                elif mode == 1 and force < -1e-7:
                    mode = 2
                elif mode == 2 and force > 1e-7:
                    mode = 1
            elif mode < 0:
                depth = phi - e["low"]
                force = e["k"] * depth + e["d"] * w
                if depth > eps:
                    mode = 0
                elif mode == -1 and force > 1e-7:
                    mode = -2
                elif mode == -2 and force < -1e-7:
                    mode = -1
            self.stop_mode[k] = mode

    def sources(self):
        """z' of the sources alone."""
        a = np.zeros((self.s.size, self.s.size))
        a[self.s.clock, self.s.one] = 1
        for g in self.s.signals:
            if g.kind == "Sine":
                w = 2 * math.pi * g.frequency
                a[g.place, g.place + 1], a[g.place + 1, g.place] = w, -w
        return a

    def stop_force(self, k):
        """Of the stop upon its a, as coefficients."""
        e, mode, h = self.s.stops[k], self.stop_mode[k], np.zeros(self.s.size)
        if mode in (1, -1):
            h += e["k"] * self.relative(e["a"], e["b"], 0) + e["d"] * self.relative(e["a"], e["b"], self.n)
            h[self.s.one] -= e["k"] * (e["high"] if mode == 1 else e["low"])
        return -h

    def known_forces(self):
        s, n = self.s, self.n
        f = np.zeros((n, s.size))

        def act(a, b, h):
            f[a] += h
            if b >= 0:
                f[b] -= h
        for e in s.springs:
            act(e["a"], e["b"], -e["k"] * self.relative(e["a"], e["b"], 0) - e["d"] * self.relative(e["a"], e["b"], n))
        for k, e in enumerate(s.stops):
            act(e["a"], e["b"], self.stop_force(k))
        for e in s.forces:
            act(e["a"], e["b"], self.row(e["u"]))
        if s.motor:
            f[s.motor["shaft"]] += s.motor["K"] * self.unit(s.motor["place"])
        return f

    # --- one combination of modes of the mechanics
    def balance(self, known, modes, gear_modes, standing, gears_standing):
        """Accelerations and inequalities of a combination, or None where it has none.
        modes: of groups -1, 0, 1; gear_modes: (sign, sign of the load)."""
        s, n = self.s, self.n
        stuck = [k for k, m in enumerate(modes) if m == 0 and self.active[k]]
        g = len(s.gears)
        size = n + 2 * g + len(stuck)
        m, right = np.zeros((size, size)), np.zeros((size, s.size))
        for i in range(n):
            m[i, i] = s.inertia[i]
        right[:n] = known
        limits = []  # p y + h z >= 0
        zero = np.zeros(s.size)

        def limit(h, *entries):
            p = np.zeros(size)
            for place, value in entries:
                p[place] += value
            limits.append((p, h))
        for k, ((a, b), members) in enumerate(self.groups):
            if not self.active[k]:
                continue
            if modes[k] != 0:
                force = modes[k] * self.caps[k] + sum(f["d"] for f in members) * self.speed(k)
                right[a] -= force
                if b >= 0:
                    right[b] += force
                if k in standing:
                    limit(zero, (a, modes[k]), *([(b, -modes[k])] if b >= 0 else []))
        for i, k in enumerate(stuck):
            (a, b), _ = self.groups[k]
            c = n + 2 * g + i
            m[a, c] += 1
            m[c, a] = 1
            if b >= 0:
                m[b, c] -= 1
                m[c, b] = -1
            limit(self.static_caps[k], (c, 1))
            limit(self.static_caps[k], (c, -1))
        for k, gear in enumerate(s.gears):
            load, torque = n + 2 * k, n + 2 * k + 1
            a, b, ratio = gear["a"], gear["b"], gear["ratio"]
            m[a, torque] += 1
            m[b, load] -= ratio
            m[load, a], m[load, b] = 1, -ratio
            sign, side = gear_modes[k]
            if not gear["lossy"]:
                m[torque, torque], m[torque, load] = 1, -1
                continue
            forward = 1 / gear["e"] if side > 0 else gear["back"]
            backward = gear["back"] if side > 0 else 1 / gear["e"]
            if sign == 0:
                m[torque, a] = 1
                limit(zero, (load, forward), (torque, -1))
                limit(zero, (load, -backward), (torque, 1))
            else:
                m[torque, torque], m[torque, load] = 1, -(forward if sign > 0 else backward)
                if k in gears_standing:
                    limit(zero, (a, sign))
            limit(zero, (load, side))
        u, w, v = np.linalg.svd(m)
        rank = int(np.sum(w > 1e-10 * w[0]))
        y = v[:rank].T @ ((u[:, :rank].T @ right) / w[:rank, None])
        y[np.abs(y) < 1e-13 * np.max(np.abs(right), axis=0)] = 0  # rounding, which would be judged as a derivative
        null = v[rank:].T
        if rank < size:
            if np.max(np.abs(m @ y - right)) > 1e-8 * max(1.0, np.max(np.abs(right))) or np.max(np.abs(null[:n])) > 1e-8:
                return None
        rows = [np.concatenate([p @ null, p @ y + h]) for p, h in limits]
        shares = size - rank
        rows = eliminate(rows, shares) if shares else rows
        # A gear that stands may bear another share, also where this combination has it at its limit.
        torques = {k: y[n + 2 * g + i] for i, k in enumerate(stuck)} if not shares and not gears_standing else {}
        return y[:n], rows, torques, len(stuck) + sum(1 for q, gear in zip(gear_modes, s.gears) if gear["lossy"] and q[0] == 0)

    def choose_mechanics(self, base):
        """The consistent combination of what stands still; sets self.sign, self.gear_sign. base: z' of all else."""
        s, n, z = self.s, self.n, self.z
        if not n:
            return np.zeros((0, s.size)), []
        known = self.known_forces()
        self.caps = [self.cap(group) for group in self.groups]
        self.static_caps = [self.cap(group, True) for group in self.groups]
        self.active = [bool(np.any(c)) or any(f["d"] for f in group[1]) for c, group in zip(self.caps, self.groups)]
        scale = max(1.0, np.max(np.abs(z[n:2 * n])))
        # A shaft stands, and so do those that gears tie to it.
        still = [abs(w) < 1e-9 * scale for w in z[n:2 * n]]
        for g in s.gears * len(s.gears):
            still[g["a"]] = still[g["b"]] = still[g["a"]] or still[g["b"]]
        standing = [k for k, ((a, b), _) in enumerate(self.groups)
                    if self.active[k] and (abs(self.speed(k) @ z) < 1e-9 * scale or (still[a] and (b < 0 or still[b])))]
        gears_standing = [k for k, g in enumerate(s.gears) if g["lossy"] and still[g["a"]]]
        # exactly zero
        holds = [self.speed(k)[n:2 * n] for k in standing] + [self.unit(n + s.gears[k]["a"])[n:2 * n] for k in gears_standing]
        if holds:
            for g in s.gears:
                h = np.zeros(n)
                h[g["a"]], h[g["b"]] = 1, -g["ratio"]
                holds.append(h)
            w = np.array(holds)
            z[n:2 * n] -= np.linalg.pinv(w) @ (w @ z[n:2 * n])
            z[n:2 * n][np.abs(z[n:2 * n]) < 1e-13] = 0
        options = []
        for k in range(len(self.groups)):
            if k in standing:
                options.append([0, 1, -1])
            else:
                options.append([1 if self.speed(k) @ z > 0 else -1])
        for k, g in enumerate(s.gears):
            if not g["lossy"]:
                options.append([(1, 1)])
            elif k in gears_standing:
                options.append([(a, b) for a in (0, 1, -1) for b in (1, -1)])
            else:
                options.append([(1 if z[n + g["a"]] > 0 else -1, b) for b in (1, -1)])
        if math.prod(len(o) for o in options) > 4000:
            raise LeftOut("too many combinations")
        found = []
        for combination in itertools.product(*options):
            modes, gear_modes = combination[:len(self.groups)], combination[len(self.groups):]
            result = self.balance(known, modes, gear_modes, standing, gears_standing)
            if result is None:
                continue
            acceleration, rows, torques, stuck = result
            value = acceleration @ z
            # quick: an inequality clearly broken
            weight = np.maximum(np.abs(z), self.floor)
            if any(h @ z < -SMALL * (np.abs(h) @ weight) for h in rows):
                continue
            a = base.copy()
            a[n:2 * n] = acceleration
            if any(lexicographic(h, a, z, self.floor) < 0 for h in rows):
                continue
            found.append((stuck, value, modes, gear_modes, acceleration, rows, torques))
        if not found:
            raise LeftOut("no combination of friction is consistent")
        size = max(1.0, max(np.max(np.abs(f[1])) for f in found))
        static = any("static" in f for f in s.frictions)  # what stands, stays as long as it can
        if not static and any(np.max(np.abs(f[1] - found[0][1])) > 1e-6 * size for f in found):
            raise LeftOut("friction is ambiguous")
        best = max(found, key=lambda f: f[0])
        self.sign, self.gear_sign = list(best[2]), [g[0] for g in best[3]]
        self.torques = best[6]
        self.shared |= not best[6] and best[0] > 1
        self.shared |= any(self.active[k] and best[2][k] == 0 and len(g[1]) > 1 for k, g in enumerate(self.groups))
        rows = [(h, ("reselect", 0, 0)) for h in best[5]]
        for k in range(len(self.groups)):
            if self.active[k] and best[2][k] != 0:
                rows.append((best[2][k] * self.speed(k), ("zero", k, 0)))
        for k, g in enumerate(s.gears):
            if g["lossy"] and best[3][k][0] != 0:
                rows.append((best[3][k][0] * self.unit(n + g["a"]), ("zero", k, 1)))
        return best[4], rows

    # --- the circuit: potentials, currents of sources and capacitors
    def solve_circuit(self, on):
        s = self.s
        held = [p for p in s.parts if p["what"] in ("source", "C")]
        size = s.nodes + len(held)
        m, right = np.zeros((size + 1, size + 1)), np.zeros((size + 1, s.size))  # row and column 0: ground

        def conduct(p, g, source):
            a, b = p["p"], p["n"]
            m[a, a] += g
            m[b, b] += g
            m[a, b] -= g
            m[b, a] -= g
            right[a] -= source
            right[b] += source
        k = 0
        for p in s.parts:
            if p["what"] == "R":
                conduct(p, 1 / p["R"], np.zeros(s.size))
            elif p["what"] in ("L", "M"):
                h = self.unit(p["place"])
                right[p["p"]] -= h
                right[p["n"]] += h
            elif p["what"] == "D":
                if on[k]:  # v = Ron (i - Goff Vknee) + Vknee
                    conduct(p, 1 / p["Ron"], (p["Goff"] - 1 / p["Ron"]) * p["knee"] * self.unit(s.one))
                else:
                    conduct(p, p["Goff"], np.zeros(s.size))
                k += 1
        for i, p in enumerate(held):
            c = s.nodes + 1 + i
            m[p["p"], c] += 1
            m[p["n"], c] -= 1
            m[c, p["p"]] += 1
            m[c, p["n"]] -= 1
            right[c] = self.row(p["u"]) if p["what"] == "source" else self.unit(p["place"])
        m, right = m[1:, 1:], right[1:]
        scale = np.max(np.abs(m), axis=1)
        if np.any(scale == 0) or np.linalg.cond(m / scale[:, None]) > 1e11:
            raise LeftOut("the circuit has a cut of inductors, or a loop of capacitors")
        y = np.vstack([np.zeros(s.size), np.linalg.solve(m / scale[:, None], right / scale[:, None])])
        derivative = np.zeros((s.size, s.size))
        rows, k = [], 0
        for p in s.parts:
            v = y[p["p"]] - y[p["n"]]
            if p["what"] == "L":
                derivative[p["place"]] = v / p["L"]
            elif p["what"] == "M":
                derivative[p["place"]] = (v - p["R"] * self.unit(p["place"]) - p["K"] * self.unit(self.n + p["shaft"])) / p["L"]
            elif p["what"] == "C":
                derivative[p["place"]] = y[s.nodes + 1 + held.index(p)] / p["C"]
            elif p["what"] == "D":
                if on[k]:
                    rows.append((v - p["knee"] * self.unit(s.one)))
                else:
                    rows.append((p["knee"] * self.unit(s.one) - v))
                k += 1
        return derivative, rows

    def choose_circuit(self, base):
        s, z = self.s, self.z
        if not s.nodes:
            return np.zeros((s.size, s.size)), []
        found = []
        for on in itertools.product([False, True], repeat=len(self.diodes)):
            derivative, rows = self.solve_circuit(on)
            a = base + derivative
            if all(lexicographic(h, a, z, self.floor) >= 0 for h in rows):
                found.append((on, derivative, rows))
        if not found:
            raise LeftOut("no combination of diodes is consistent")
        rates = [f[1] @ z for f in found]
        size = max(1.0, max(np.max(np.abs(q)) for q in rates))
        if any(np.max(np.abs(q - rates[0])) > 1e-6 * size for q in rates):
            raise LeftOut("diodes are ambiguous")
        best = next((f for f in found if f[0] == self.diode_mode), found[0])
        self.diode_mode = best[0]
        return best[1], [(h, ("reselect", 0, 0)) for h in best[2]]

    # --- everything
    def settle(self, fired):
        s, n = self.s, self.n
        self.settle_state_modes(fired)
        base = self.sources()
        for i in range(n):
            base[i, n + i] = 1
        circuit, circuit_rows = self.choose_circuit(base)
        base = base + circuit
        acceleration, rows = self.choose_mechanics(base)
        a = base
        a[n:2 * n] = acceleration
        for f in s.frictions:
            if f["u"]:
                h = self.row(f["u"])
                rows.append((h if self.pressed[id(f)] else -h, ("reselect", 0, 0)))
        for k, e in enumerate(s.stops):
            phi = self.relative(e["a"], e["b"], 0)
            high, low = phi - e["high"] * self.unit(s.one), phi - e["low"] * self.unit(s.one)
            mode = self.stop_mode[k]
            if mode == 0:
                rows += [(-high, ("stop", k, 1)), (low, ("stop", k, -1))]
            else:
                depth = high if mode > 0 else low
                force = e["k"] * depth + e["d"] * self.relative(e["a"], e["b"], n)
                up = 1 if mode > 0 else -1
                rows.append((up * depth, ("stop", k, 0)))
                if abs(mode) == 1:
                    rows.append((up * force, ("stop", k, 2 * up)))
                else:
                    rows.append((-up * force, ("stop", k, up)))
        return a, [(h, act) for h, act in rows + circuit_rows if np.any(h)]

    def first_crossing(self, a, rows, times, states):
        """The first sample interval in which a function becomes negative, and where in it: (time, fired) or None."""
        h = np.array([q[0] for q in rows])
        g = h @ states
        slope = (h @ a) @ states
        eps = 1e-11 * (np.abs(h) @ np.maximum(np.max(np.abs(states), axis=1), self.floor))
        below = g < -eps[:, None]
        best = None

        def value(k, j, dt, row):
            return row @ (expm(a * dt) @ states[:, j])

        def root(k, j, right):
            """Between sample j and right behind it."""
            row, low, high = h[k], 0.0, right
            f_low, f_high = g[k, j], value(k, j, right, h[k])
            if f_low <= 0:
                # zero at the left but for rounding: it stays there, or it leaves; halve
                f_low = abs(f_low) + 1e-300
            side = 0
            for turn in range(80):
                if high - low <= 1e-15 * max(1.0, times[j]):
                    break
                middle = (low * f_high - high * f_low) / (f_high - f_low) if turn % 3 else 0.5 * (low + high)
                if not low < middle < high:
                    middle = 0.5 * (low + high)
                f = value(k, j, middle, row)
                if f < 0:
                    high, f_high = middle, f
                    if side == -1:
                        f_low *= 0.5
                    side = -1
                else:
                    low, f_low = middle, max(f, 1e-300)
                    if side == 1:
                        f_high *= 0.5
                    side = 1
            return times[j] + high
        last = len(times) - 1
        for j in range(last):
            candidates = []
            for k in range(len(rows)):
                if below[k, j + 1]:
                    candidates.append((root(k, j, times[j + 1] - times[j]), k))
                elif slope[k, j] < 0 < slope[k, j + 1]:
                    dt = times[j + 1] - times[j]
                    # least value of the cubic through both ends, then of the function itself
                    if min(g[k, j], g[k, j + 1]) < dt * max(-slope[k, j], slope[k, j + 1]):
                        low, high = 0.0, dt
                        row = h[k] @ a
                        for _ in range(40):
                            middle = 0.5 * (low + high)
                            if value(k, j, middle, row) < 0:
                                low = middle
                            else:
                                high = middle
                        if value(k, j, low, h[k]) < -eps[k]:
                            candidates.append((root(k, j, low), k))
            if candidates:
                at = min(candidates)[0]
                fired = [k for t, k in candidates if t <= at + 1e-11]
                return at, j, fired
        return None

    def run(self, grid):
        s = self.s
        borders = sorted({c for g in s.signals for c in g.corners() if 1e-9 < c < s.stop - 1e-9} | {s.stop})
        step = s.stop / grid
        result, rate = np.zeros((grid + 1, s.size)), np.zeros((grid + 1, s.size))
        result[0] = self.z
        stuck = np.zeros((grid + 1, len(self.groups)), bool)
        self.torque = np.full((grid + 1, len(self.groups)), np.nan)
        at_events = []
        fired, still = [], 0
        while True:
            a, rows = self.settle(fired)
            if self.t == 0:
                result[0] = self.z
            end = next(b for b in borders if b > self.t + 1e-12)
            z0, t0 = self.z.copy(), self.t
            whole = expm(a * step)
            # samples: ever coarser from the event on to the first time of the grid, then the grid, some at once
            k = int(math.floor(t0 / step + 1e-9)) + 1
            first = min(k * step, end)
            times = [t0] + [t0 + (first - t0) * 2.0 ** -q for q in range(24, -1, -1)]
            states = np.zeros((s.size, len(times)))
            states[:, 0] = z0
            e = expm(a * (first - t0) * 2.0 ** -24)
            states[:, 1] = e @ z0
            for q in range(2, len(times)):
                e = e @ e if q > 2 else e
                states[:, q] = e @ states[:, q - 1]
            crossing = self.first_crossing(a, rows, times, states) if rows else None
            at_grid = [(k, states[:, -1])] if abs(first - k * step) < 1e-12 else []
            while crossing is None and times[-1] < end - 1e-12:
                z, t, part_t, part = states[:, -1], times[-1], [times[-1]], [states[:, -1]]
                for _ in range(16):
                    if t >= end - 1e-12:
                        break
                    if t + step <= end + 1e-12:
                        k = int(round(t / step)) + 1
                        z, t = whole @ z, k * step
                        at_grid.append((k, z))
                    else:
                        z, t = expm(a * (end - t)) @ z, end
                    part_t.append(t)
                    part.append(z)
                times, states = part_t, np.array(part).T
                crossing = self.first_crossing(a, rows, times, states) if rows else None
            until = end if crossing is None else crossing[0]
            for k, z in at_grid:
                if k * step <= until + 1e-12 and k <= grid:
                    result[k], rate[k] = z, np.abs(a @ z)
                    stuck[k] = [self.active[q] and self.sign[q] == 0 for q in range(len(self.groups))] if self.n else []
                    for q, h in self.torques.items():
                        self.torque[k, q] = h @ z
            if crossing is None:
                self.z, self.t, fired = states[:, -1].copy(), end, []
            else:
                at, j, which = crossing
                self.z, self.t = expm(a * (at - times[j])) @ states[:, j], at
                fired = [rows[q][1] for q in which]
                self.events += 1
            self.z[s.one], self.z[s.clock] = 1.0, self.t
            still = still + 1 if self.t - t0 < 1e-9 else 0
            if still > 20 or self.events > 3000:
                raise LeftOut("events without end")
            # a time of the grid that is the time of the event, or so near that it may be on its other side
            k = round(self.t / step)
            if abs(k * step - self.t) < 1e-12:
                result[k] = self.z
                rate[k] = np.maximum(rate[k], np.abs(a @ self.z))
            if abs(k * step - self.t) < LATE * s.stop:
                at_events.append(k)
            if self.t >= s.stop - 1e-12:
                break
        stuck[at_events] = False
        self.rate = np.maximum(rate, np.maximum(np.roll(rate, 1, axis=0), np.roll(rate, -1, axis=0)))
        return result, stuck


# --- Comparison ---------------------------------------------------------------------------------------------------------------------

def torque_columns(system, groups):
    """Torques of single frictions: (group, column, sign)."""
    result = []
    for q, ((a, _), members) in enumerate(groups):
        if len(members) == 1:
            k = next(k for k, f in enumerate(system.frictions) if f is members[0])
            result.append((q, f"f{k}.{'tau' if system.rotary else 'f'}", 1 if members[0]["a"] == a else -1))
    return result


def simulate(cotree, path, system, groups, rtol, solver, folder):
    out = os.path.join(folder, "o.csv")
    command = [cotree, "simulate", path, "--rtol", rtol, "--interval", repr(system.stop / GRID), "--out", out]
    if solver:
        command += ["--solver", solver]
    columns = [c[0] for c in system.columns()] + [c[1] for c in torque_columns(system, groups)]
    try:
        run = subprocess.run(command + ["--only", ",".join(columns)], capture_output=True, text=True, timeout=5)
    except subprocess.TimeoutExpired:
        return None, subprocess.CompletedProcess(command, -1, "", "no end within 5 s")
    if run.returncode != 0:
        return None, run
    with open(out) as f:
        lines = [x for x in csv.reader(f) if x and not x[0].startswith("#")]
    names = lines[0]
    data = np.array([[float(x) for x in q] for q in lines[1:]])
    got = np.full((GRID + 1, len(columns)), np.nan)
    where = [names.index(c) for c in columns]
    index = np.round(data[:, 0] / system.stop * GRID).astype(int)
    for q, k in zip(data, index):
        if abs(q[0] - k * system.stop / GRID) < 1e-9:
            got[k] = q[where]
    return got, run


def reason(run):
    """What a failed run says, in one line."""
    lines = (run.stderr.strip() or run.stdout.strip()).splitlines()
    return next((x for x in lines if "failed" in x or "error" in x or "no end" in x), lines[0] if lines else "nothing said")


def scales(system, expected):
    columns = system.columns()
    size = {}
    for j, (_, place, kind) in enumerate(columns):
        size[kind] = max(size.get(kind, 1e-3), np.max(np.abs(expected[:, place])))
    return np.array([size[c[2]] for c in columns])


def difference(system, got, expected, stuck, reference):
    """Largest relative difference, and a line about it, or about what creeps."""
    columns = system.columns()
    scale = scales(system, expected)
    places, groups = [c[1] for c in columns], reference.groups
    torques, got = got[:, len(places):], got[:, :len(places)]
    delta = np.abs(got - expected[:, places])
    delta[:-1] = np.maximum(delta[:-1] - LATE * system.stop * reference.rate[:-1, places], 0)  # not at the end
    delta /= scale
    if not np.all(np.isfinite(delta)):
        return math.inf, "a row is missing"
    k, j = np.unravel_index(np.argmax(delta), delta.shape)
    first = np.argmax(np.max(delta, axis=1) > TOLERANCE)
    line = f"{columns[j][0]} {got[k, j]:.9g} instead of {expected[k, columns[j][1]]:.9g} at {k * system.stop / GRID:g} s (begins at {first * system.stop / GRID:g} s)"
    worst = delta[k, j]
    n = len(system.inertia)
    for q, ((a, b), _) in enumerate(groups):
        speed = got[:, n + a] - (got[:, n + b] if b >= 0 else 0)
        inside = stuck[:, q].copy()
        inside[1:] &= stuck[:-1, q]
        inside[:-1] &= stuck[1:, q]
        creep = np.abs(speed[inside]) / scale[n + a] if np.any(inside) else np.zeros(1)
        if np.max(creep) > STANDSTILL and np.max(creep) > 0 and worst <= TOLERANCE:
            return math.inf, f"friction between {a} and {b} sticks, and creeps with {np.max(creep):.1e} of the largest speed"
    # A torque is a derivative: the error of the states times stiffness and damping of springs. A wrong share differs in the first digit.
    for (q, name, sign), column in zip(torque_columns(system, groups), torques.T):
        right = sign * reference.torque[:, q]
        inside = np.isfinite(right) & stuck[:, q]
        inside[1:] &= inside[:-1]
        inside[:-1] &= inside[1:]
        if np.any(inside):
            apart = np.abs(column - right)[inside] / max(0.1, np.max(np.abs(right[inside])))
            if np.max(apart) > 1e-3 and worst <= TOLERANCE:
                return math.inf, f"{name} differs where it sticks, by {np.max(apart):.1e} of its largest value"
    return worst, line


def shaken(seed, only, expected):
    """How much a run changes at most by changes of 1e-7 of starts and sources, relative to both; the largest of three."""
    gain = 0.0
    for turn in range(3):
        s = System(seed, only)
        r = random.Random(seed * 3 + turn)
        shake = lambda: 1 + 1e-7 * r.choice([-1, 1])
        for x in s.signals:
            x.k *= shake()
            x.offset *= shake()
        n, angles, speeds = len(s.inertia), shake(), shake()
        for i in range(n):
            s.start[i] *= angles
            s.start[n + i] *= speeds
            if not s.gears:
                s.start[i] += shake() - 1
                s.start[n + i] += shake() - 1
        try:
            again, _ = Reference(s).run(GRID)
        except LeftOut:
            return math.inf
        places = [c[1] for c in s.columns()]
        gain = max(gain, float(np.max(np.abs(again[:, places] - expected[:, places]) / scales(s, expected))) / 1e-7)
    return gain


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cotree")
    parser.add_argument("n", nargs="?", type=int, default=200)
    parser.add_argument("seed", nargs="?", type=int, default=1)
    parser.add_argument("--keep")
    parser.add_argument("--only")
    parser.add_argument("--verbose", action="store_true")
    o = parser.parse_args()
    differ = failed = done = events = sensitive = 0
    left, reasons, begin, seed = {}, {}, time.time(), o.seed
    in_reference = 0.0
    while done < o.n:
        seed += 1
        system = System(seed, o.only)
        text = system.text()
        before = time.time()
        try:
            reference = Reference(system)
            expected, stuck = reference.run(GRID)
        except LeftOut as e:
            left[str(e)] = left.get(str(e), 0) + 1
            if o.verbose:
                print(f"seed {seed}: left out: {e}")
            continue
        finally:
            in_reference += time.time() - before
        if np.max(np.abs(expected)) > 1e6:
            left["grows"] = left.get("grows", 0) + 1
            continue
        done += 1
        events += reference.events
        solver = "bdf" if seed % 10 == 0 else None
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "m.cot")
            with open(path, "w") as f:
                f.write(text)
            got, run = simulate(o.cotree, path, system, reference.groups, "1e-8", solver, folder)
            note = None
            if got is None:
                failed += 1
                shared = "stuck elements share loads" if reference.shared else "no loads are shared"
                note = f"seed {seed} {system.kind} ({shared}): exit {run.returncode}: {reason(run)[:300]}"
                kind = re.sub(r"`[^`]*`,? ?(of )?|at [-+0-9.e]+ s|\(.*|cotree: the run failed ", "", reason(run)).split(";")[0][:80]
                kind += f" ({shared})"
                reasons[kind] = reasons.get(kind, 0) + 1
            else:
                worst, line = difference(system, got, expected, stuck, reference)
                if o.verbose:
                    print(f"seed {seed} {system.kind}: {reference.events} events, {worst:.1e}")
                if worst > TOLERANCE:
                    gain = shaken(seed, o.only, expected)
                    finer, _ = simulate(o.cotree, path, system, reference.groups, "1e-11", solver, folder)
                    fine = difference(system, finer, expected, stuck, reference)[0] if finer is not None else math.inf
                    # Some 300 steps may add up 300 times rtol, 3e-6, which the system multiplies by its gain; a tighter run must then agree.
                    if worst <= 3e-6 * gain and fine <= TOLERANCE:
                        sensitive += 1
                        if o.verbose:
                            print(f"seed {seed}: sensitive, gain {gain:.1e}: {worst:.1e}, at a tolerance of 1e-11 {fine:.1e}")
                    else:
                        differ += 1
                        note = f"seed {seed} {system.kind} {solver or 'auto'}: {worst:.1e} {line}; at 1e-11 {fine:.1e}, gain {gain:.1e}"
        if note:
            print(note, flush=True)
            if o.keep:
                os.makedirs(o.keep, exist_ok=True)
                with open(os.path.join(o.keep, f"{system.kind}_{seed}.cot"), "w") as f:
                    f.write(text)
        if done % 100 == 0:
            print(f"  {done} systems, {events} events, {time.time() - begin:.0f} s, {in_reference:.0f} s of them the reference", file=sys.stderr, flush=True)
    for k, v in sorted(reasons.items(), key=lambda x: -x[1]):
        print(f"  failed {v} times: {k}")
    print("left out: " + ("; ".join(f"{v} {k}" for k, v in sorted(left.items())) or "none") + f"; sensitive and right with a tighter tolerance: {sensitive}; events {events}")
    print(f"systems {done}: differ {differ}, failed {failed}, seconds {time.time() - begin:.0f}")
    return 0 if differ + failed == 0 else 1


if __name__ == "__main__":
    sys.exit(main())

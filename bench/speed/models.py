#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes one system twice: as a netlist for ngspice and as a model for Cotree.

  models.py rlc_ladder 1000 --folder build/speed            rlc_ladder_1000.cir, .cot
  models.py rlc_ladder 1000 --folder build/speed --spelled  every component of the .cot on a line of its own

Families with a netlist: rlc_ladder, rc_ladder, rc_grid, diode_grid, diode_grid_sparse, buck.
Families of ours alone: drives, drives_dry, heat_exchanger, grid300, mass_chain.
bench/speed/README.md says what they are. The numbers below stand once and go into both texts.
"""
import argparse
import math
import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Model:
    """What a run needs: both texts, times, what to store under which name."""

    def __init__(self, cot, stop, interval, ours, cir=None, theirs=None, states=None, rtol=1e-4):
        self.cot, self.cir = cot, cir
        self.stop, self.interval = stop, interval  # s
        self.ours, self.theirs = ours, theirs      # names of what is stored, in the same order
        self.states = states
        self.rtol = rtol


def netlist(title, lines, model_lines, tran, saved):
    """Without `interp`: with it ngspice 39 writes a broken raw file. So it stores a row for each of its steps."""
    return "\n".join([title, *lines, *model_lines, ".options reltol=1e-4", tran, ".save " + " ".join(saved), ".end", ""])


def places(n):
    """Sections 1, n/4, n/2, n."""
    return sorted({1, max(1, n // 4), max(1, n // 2), n})


# --- RLC ladder: as the issue says -------------------------------------------------------------------------------------

TRAPEZOID = "Trapezoid(low = 0 V, high = 1 V, period = 2 us, rising = 50 ns, width = 1 us, falling = 50 ns)"


def rlc_ladder(n, spelled=False):
    lines = ["V1 n0 0 PULSE(0 1 0 50n 50n 1u 2u)"]
    for k in range(1, n + 1):
        lines.append(f"R{k} n{k - 1} m{k} 0.1")
        lines.append(f"L{k} m{k} n{k} 1u IC=0")
        lines.append(f"C{k} n{k} 0 1n IC={math.sin(0.37 * k)!r}")
    lines.append(f"RL n{n} 0 31.6")
    kept = places(n)
    cir = netlist(f"RLC ladder of {n} sections", lines, [], ".tran 10n 10u uic", [f"v(n{k})" for k in kept])
    head = (f'system Ladder "RLC ladder of {n} sections" {{\n'
            f"  pulse  : {TRAPEZOID}\n  source : SignalVoltageSource\n  load   : Resistor(R = 31.6 ohm)\n")
    feed = "  connect pulse.y -> source.u\n  connect source.n -- load.n -- electrical.ground\n"
    if spelled:
        text = [head]
        for k in range(1, n + 1):
            text.append(f"  r{k} : Resistor(R = 0.1 ohm)\n  l{k} : Inductor(L = 1 uH)\n"
                        f"  c{k} : Capacitor(C = 1 nF, start v = {math.sin(0.37 * k)!r} V fixed)\n")
        text.append(feed + "  connect source.p -- r1.p\n")
        for k in range(1, n + 1):
            text.append(f"  connect r{k}.n -- l{k}.p\n  connect l{k}.n -- c{k}.p -- "
                        + (f"r{k + 1}.p" if k < n else "load.p") + f"\n  connect c{k}.n -- electrical.ground\n")
        cot = "".join(text) + "}\n"
        ours = [f"c{k}.v" for k in kept]
    else:
        cot = (head.replace("{\n", f"{{\n  parameter n : Integer = {n}\n", 1)
               + "  r : Resistor[n](R = 0.1 ohm)\n  l : Inductor[n](L = 1 uH)\n"
               "  c : Capacitor[n](C = 1 nF, start v = [sin(0.37*k) * 1 V for k in 1:n] fixed)\n" + feed
               + "  connect source.p -- r[1].p\n  connect r.n -- l.p\n  connect l.n -- c.p\n"
               "  connect l[1:n-1].n -- r[2:n].p\n  connect l[n].n -- load.p\n  connect c.n -- electrical.ground\n}\n")
        ours = [f"c[{k}].v" for k in kept]
    return Model(cot, 10e-6, 10e-9, ours, cir, [f"v(n{k})" for k in kept], states=2 * n)


# --- Stiff RC ladder ---------------------------------------------------------------------------------------------------
# R = 1 kohm, C from 32 pF to 32 nF over three decades along the ladder, so local time constants from 8 ns to 8 us and, with the
# wave of 628 sections that the capacitors begin with, slow ones of some 50 ms. The run of 10 ms is 1e6 of the shortest.
# Step of 1 V at 1 ms with an edge of 10 us.

def rc_capacity(k):
    return 1e-9 * 10 ** (1.5 * math.sin(0.7 * k))


def rc_start(k):
    return math.sin(0.37 * k) + math.sin(0.01 * k)


RC_STEP = "Trapezoid(low = 0 V, high = 1 V, period = 1 s, rising = 10 us, width = 0.5 s, delay = 1 ms)"
RC_PULSE = "PULSE(0 1 1m 10u 10u 0.5 1)"


def rc_ladder(n, spelled=False):
    lines = [f"V1 n0 0 {RC_PULSE}"]
    for k in range(1, n + 1):
        lines.append(f"R{k} n{k - 1} n{k} 1k")
        lines.append(f"C{k} n{k} 0 {rc_capacity(k)!r} IC={rc_start(k)!r}")
    kept = places(n)
    cir = netlist(f"stiff RC ladder of {n} sections", lines, [], ".tran 10u 10m uic", [f"v(n{k})" for k in kept])
    head = (f'system Ladder "stiff RC ladder of {n} sections" {{\n'
            f"  step   : {RC_STEP}\n  source : SignalVoltageSource\n")
    feed = "  connect step.y -> source.u\n  connect source.n -- electrical.ground\n"
    if spelled:
        text = [head]
        for k in range(1, n + 1):
            text.append(f"  r{k} : Resistor(R = 1 kohm)\n"
                        f"  c{k} : Capacitor(C = {rc_capacity(k)!r} F, start v = {rc_start(k)!r} V fixed)\n")
        text.append(feed + "  connect source.p -- r1.p\n")
        for k in range(1, n + 1):
            text.append(f"  connect r{k}.n -- c{k}.p" + (f" -- r{k + 1}.p" if k < n else "")
                        + f"\n  connect c{k}.n -- electrical.ground\n")
        cot = "".join(text) + "}\n"
        ours = [f"c{k}.v" for k in kept]
    else:
        cot = (head.replace("{\n", f"{{\n  parameter n : Integer = {n}\n", 1)
               + "  r : Resistor[n](R = 1 kohm)\n"
               "  c : Capacitor[n](C = [10^(1.5*sin(0.7*k)) * 1 nF for k in 1:n],\n"
               "                   start v = [(sin(0.37*k) + sin(0.01*k)) * 1 V for k in 1:n] fixed)\n" + feed
               + "  connect source.p -- r[1].p\n  connect r[1:n-1].n -- r[2:n].p\n  connect r.n -- c.p\n"
               "  connect c.n -- electrical.ground\n}\n")
        ours = [f"c[{k}].v" for k in kept]
    return Model(cot, 10e-3, 10e-6, ours, cir, [f"v(n{k})" for k in kept], states=n)


# --- RC grid of n x n nodes --------------------------------------------------------------------------------------------
# 1 kohm between neighbours, to ground at each node a capacitor with the values of the ladder, numbered row by row; the step
# comes into the first corner through 1 kohm.

def grid_numbers(n):
    return sorted({1, n * n // 4, n * n // 2 + n // 2, n * n})


def rc_grid(n, spelled=False):
    number = lambda i, j: (i - 1) * n + j
    lines = [f"V1 in 0 {RC_PULSE}", "RF in n1 1k"]
    for i in range(1, n + 1):
        for j in range(1, n + 1):
            k = number(i, j)
            lines.append(f"C{k} n{k} 0 {rc_capacity(k)!r} IC={rc_start(k)!r}")
            if j < n:
                lines.append(f"RH{k} n{k} n{k + 1} 1k")
            if i < n:
                lines.append(f"RV{k} n{k} n{k + n} 1k")
    kept = grid_numbers(n)
    cir = netlist(f"RC grid of {n} x {n} nodes", lines, [], ".tran 10u 10m uic", [f"v(n{k})" for k in kept])
    head = (f'system Grid "RC grid of {n} x {n} nodes" {{\n'
            f"  step   : {RC_STEP}\n  source : SignalVoltageSource\n  feed   : Resistor(R = 1 kohm)\n")
    feed = "  connect step.y -> source.u\n  connect source.n -- electrical.ground\n  connect source.p -- feed.p\n"
    if spelled:
        text = [head]
        wires = [feed, "  connect feed.n -- c1.p\n"]
        for i in range(1, n + 1):
            for j in range(1, n + 1):
                k = number(i, j)
                text.append(f"  c{k} : Capacitor(C = {rc_capacity(k)!r} F, start v = {rc_start(k)!r} V fixed)\n")
                wires.append(f"  connect c{k}.n -- electrical.ground\n")
                if j < n:
                    text.append(f"  h{k} : Resistor(R = 1 kohm)\n")
                    wires.append(f"  connect h{k}.p -- c{k}.p\n  connect h{k}.n -- c{k + 1}.p\n")
                if i < n:
                    text.append(f"  v{k} : Resistor(R = 1 kohm)\n")
                    wires.append(f"  connect v{k}.p -- c{k}.p\n  connect v{k}.n -- c{k + n}.p\n")
        cot = "".join(text + wires) + "}\n"
        ours = [f"c{k}.v" for k in kept]
    else:
        cot = (head.replace("{\n", f"{{\n  parameter n : Integer = {n}\n", 1)
               + "  c : Capacitor[n*n](C = [10^(1.5*sin(0.7*k)) * 1 nF for k in 1:n*n],\n"
               "                     start v = [(sin(0.37*k) + sin(0.01*k)) * 1 V for k in 1:n*n] fixed)\n"
               "  h : Resistor[n*(n - 1)](R = 1 kohm)   // along a row\n  v : Resistor[n*(n - 1)](R = 1 kohm)   // from row to row\n"
               + feed + "  connect feed.n -- c[1].p\n  connect c.n -- electrical.ground\n"
               "  for i in 1:n {\n    connect c[(i - 1)*n + 1:i*n - 1].p -- h[(i - 1)*(n - 1) + 1:i*(n - 1)].p\n"
               "    connect c[(i - 1)*n + 2:i*n].p -- h[(i - 1)*(n - 1) + 1:i*(n - 1)].n\n  }\n"
               "  connect c[1:n*(n - 1)].p -- v.p\n  connect c[n + 1:n*n].p -- v.n\n}\n")
        ours = [f"c[{k}].v" for k in kept]
    return Model(cot, 10e-3, 10e-6, ours, cir, [f"v(n{k})" for k in kept], states=n * n)


# --- Grid with a diode per node ----------------------------------------------------------------------------------------
# 1 kohm between neighbours; to ground at each node a diode (IS = 1e-12 A, N = 1, RS = 0, no charge) and a capacitor of 100 nF, in
# the "sparse" family at every fifth node only: the other nodes are then one large nonlinear block. 5 V, 100 Hz into the middle
# through 20 ohm, two periods. VT is that of ngspice at its 27 degC, Gmin its gmin.

VT = 1.38064852e-23 * 300.15 / 1.6021766208e-19


def diode_grid(n, spelled=False, every=1):
    has = [k for k in range(1, n * n + 1) if ((k - 1) // n + 2 * ((k - 1) % n)) % every == 0]
    middle = (n // 2) * n + n // 2 + 1
    lines = ["V1 in 0 SIN(0 5 100)", f"RF in n{middle} 20"]
    for k in range(1, n * n + 1):
        lines.append(f"D{k} n{k} 0 DM")
        if k % n:
            lines.append(f"RH{k} n{k} n{k + 1} 1k")
        if k <= n * (n - 1):
            lines.append(f"RV{k} n{k} n{k + n} 1k")
    for k in has:
        lines.append(f"C{k} n{k} 0 100n IC=0")
    kept = sorted({has[0], has[len(has) // 3], middle, has[-1]})
    cir = netlist(f"diode grid of {n} x {n} nodes", lines, [".model DM D(IS=1e-12 N=1)"], ".tran 20u 20m uic",
                  [f"v(n{k})" for k in kept])
    diode = f"Diode%s(Is = 1e-12 A, Vt = {VT!r} V, Gmin = 1e-12 S)"
    head = (f'system Grid "diode grid of {n} x {n} nodes" {{\n'
            "  source : SineVoltageSource(amplitude = 5 V, frequency = 100 Hz)\n  feed   : Resistor(R = 20 ohm)\n")
    feed = "  connect source.n -- electrical.ground\n  connect source.p -- feed.p\n"
    if spelled or every != 1:
        text, wires = [head], [feed, f"  connect feed.n -- d{middle}.p\n"]
        for k in range(1, n * n + 1):
            text.append(f"  d{k} : {diode % ''}\n")
            wires.append(f"  connect d{k}.n -- electrical.ground\n")
            if k % n:
                text.append(f"  h{k} : Resistor(R = 1 kohm)\n")
                wires.append(f"  connect h{k}.p -- d{k}.p\n  connect h{k}.n -- d{k + 1}.p\n")
            if k <= n * (n - 1):
                text.append(f"  v{k} : Resistor(R = 1 kohm)\n")
                wires.append(f"  connect v{k}.p -- d{k}.p\n  connect v{k}.n -- d{k + n}.p\n")
        for k in has:
            text.append(f"  c{k} : Capacitor(C = 100 nF, start v = 0 V fixed)\n")
            wires.append(f"  connect c{k}.p -- d{k}.p\n  connect c{k}.n -- electrical.ground\n")
        cot = "".join(text + wires) + "}\n"
        ours = [f"d{k}.v" for k in kept]
    else:
        cot = (head.replace("{\n", f"{{\n  parameter n : Integer = {n}\n", 1)
               + f"  d : {diode % '[n*n]'}\n  c : Capacitor[n*n](C = 100 nF, start v = 0 V fixed)\n"
               "  h : Resistor[n*(n - 1)](R = 1 kohm)   // along a row\n  v : Resistor[n*(n - 1)](R = 1 kohm)   // from row to row\n"
               + feed + f"  connect feed.n -- d[{middle}].p\n  connect c.p -- d.p\n  connect c.n -- d.n -- electrical.ground\n"
               "  for i in 1:n {\n    connect d[(i - 1)*n + 1:i*n - 1].p -- h[(i - 1)*(n - 1) + 1:i*(n - 1)].p\n"
               "    connect d[(i - 1)*n + 2:i*n].p -- h[(i - 1)*(n - 1) + 1:i*(n - 1)].n\n  }\n"
               "  connect d[1:n*(n - 1)].p -- v.p\n  connect d[n + 1:n*n].p -- v.n\n}\n")
        ours = [f"c[{k}].v" for k in kept]
    return Model(cot, 20e-3, 20e-6, ours, cir, [f"v(n{k})" for k in kept], states=len(has))


# --- Buck converter ----------------------------------------------------------------------------------------------------
# 24 V, 100 kHz, duty 0.5; `size` is the number of periods: 10,000 are 0.1 s and 20,000 switchings. Switch with Ron = 10 mohm and
# Roff = 1 Mohm, 100 uH, 50 mohm, 47 uF, 10 ohm. The diode is two straight lines (10 mohm, 1 Mohm) on both sides: ours is
# IdealDiode, theirs XSPICE's sidiode; in `buck_exponential` it is Shockley's. ngspice's control signal crosses the threshold half
# a nanosecond after its edge begins; so does ours.

def buck(periods, spelled=False, exponential=False):
    stop = periods * 10e-6
    lines = ["V1 in 0 24", "S1 in sw c 0 SM", "Vc c 0 PULSE(0 1 0 1n 1n 5u 10u)", "D1 0 sw DM" if exponential else "A1 0 sw DM",
             "L1 sw x 100u IC=0", "R1 x out 0.05", "C1 out 0 47u IC=0", "R2 out 0 10"]
    interval = stop / 1000
    cir = netlist("buck converter", lines,
                  [".model SM SW(VT=0.5 VH=0 RON=0.01 ROFF=1e6)",
                   ".model DM " + ("D(IS=1e-12 N=1)" if exponential else "sidiode(Roff=1e6 Ron=0.01 Vfwd=0)")],
                  f".tran {interval!r} {stop!r} uic", ["v(out)", "i(l1)"])
    diode = f"Diode(Is = 1e-12 A, Vt = {VT!r} V, Gmin = 1e-12 S)" if exponential else "IdealDiode(Ron = 0.01 ohm, Goff = 1e-6 S)"
    cot = f"""system Buck "buck converter, 100 kHz" {{
  supply  : VoltageSource(V = 24 V)
  control : Pulse(low = 0, high = 1, period = 10 us, width = 5.001 us, delay = 0.5 ns)
  switch  : ThresholdSwitch(threshold = 0.5, Ron = 0.01 ohm, Goff = 1e-6 S)
  diode   : {diode}
  l       : Inductor(L = 100 uH, start i = 0 A fixed)
  r       : Resistor(R = 0.05 ohm)
  c       : Capacitor(C = 47 uF, start v = 0 V fixed)
  load    : Resistor(R = 10 ohm)
  connect control.y -> switch.u
  connect supply.p -- switch.p
  connect switch.n -- diode.n -- l.p
  connect l.n -- r.p
  connect r.n -- c.p -- load.p
  connect supply.n -- diode.p -- c.n -- load.n -- electrical.ground
}}
"""
    return Model(cot, stop, interval, ["c.v", "l.i"], cir, ["v(out)", "i(l1)"], states=2)


# --- Ours alone --------------------------------------------------------------------------------------------------------

def drives(n, spelled=False, dry=False):
    """n different DC drives, each with gear, friction and speed control, run up one after the other within 0.1 s."""
    friction = ("RotationalFriction(tau_coulomb = 0.05 N*m, tau_static = 0.08 N*m, w_stribeck = 0.2 rad/s, d = 0.01 N*m*s/rad)" if dry else
                "RotationalSmoothFriction(tau_coulomb = 0.05 N*m, tau_static = 0.08 N*m, w_stribeck = 0.2 rad/s, "
                "w_small = 0.05 rad/s, d = 0.01 N*m*s/rad)")
    cot = f"""component Drive "DC drive with gear, friction and speed control" {{
  public parameter at : Time = 0.1 s
  public parameter J  : MomentOfInertia = 0.05 kg*m^2
  target   : Step(height = 10 rad/s, start = at)
  speed    : PI(kp = 2 V*s/rad, ki = 8 V/rad, limit = 24 V)
  source   : SignalVoltageSource
  motor    : DCMotor(R = 0.5 ohm, L = 1 mH, Kt = 0.05 N*m/A, J = 1e-4 kg*m^2)
  gear     : Gear(ratio = 20)
  load     : Inertia(J = J)
  friction : {friction}
  tacho    : SpeedSensor
  connect target.y -> speed.target
  connect tacho.y -> speed.measured
  connect speed.y -> source.u
  connect source.p -- motor.p
  connect source.n -- motor.n -- electrical.ground
  connect motor.shaft -- gear.a
  connect gear.b -- load.a -- friction.a -- tacho.a
  connect motor.housing -- friction.b -- rotational.ground
}}
system Drives "{n} drives" {{
"""
    if spelled:
        for k in range(1, n + 1):
            cot += f"  drive{k} : Drive(at = {0.1 * k / n!r} s, J = {0.05 * (1 + k / n)!r} kg*m^2)\n"
    else:
        cot += (f"  parameter n : Integer = {n}\n"
                "  drive : Drive[n](at = [0.1*k/n * 1 s for k in 1:n], J = [0.05*(1 + k/n) * 1 kg*m^2 for k in 1:n])\n")
    names = [f"drive{k}.load.w" if spelled else f"drive[{k}].load.w" for k in places(n)]
    return Model(cot + "}\n", 1.0, 1e-3, names, states=4 * n, rtol=1e-4)


def heat_exchanger(n, spelled=False):
    """examples/heat_exchanger with n cells of 0.5 m: the same water in each cell whatever n is."""
    text = (ROOT / "examples/heat_exchanger/heat_exchanger.cot").read_text()
    text = text[:text.index("system HeatExchanger")]
    cot = text + f"""system HeatExchanger "{n} cells" {{
  pipe      : DoublePipe(n = {n}, length = {0.5 * n!r} m)
  hot_main  : TemperatureSource(temperature = 80 degC)
  cold_main : TemperatureSource(temperature = 15 degC)
  connect hot_main.a -- pipe.hot_in
  connect cold_main.a -- pipe.cold_in
}}
"""
    return Model(cot, 120.0, 0.12, [f"pipe.wall[{k}].T" for k in places(n)], states=3 * n, rtol=1e-4)


def grid300(n, spelled=False):
    model = rc_grid(n, spelled)
    model.cir = model.theirs = None
    return model


def mass_chain(n, spelled=False):
    """n masses of 1 kg and springs of 100 N/m to a wall, set into motion everywhere by v = sin(0.37 k) m/s."""
    if spelled:
        text = ["system Chain {\n"]
        for k in range(1, n + 1):
            text.append(f"  m{k} : Mass(m = 1 kg, start v = {math.sin(0.37 * k)!r} m/s fixed)\n  k{k} : Spring(k = 100 N/m)\n")
        for k in range(1, n + 1):
            text.append(f"  connect m{k}.a -- k{k}.a\n  connect k{k}.b -- "
                        + (f"m{k + 1}.a" if k < n else "translational.ground") + "\n")
        cot = "".join(text) + "}\n"
    else:
        cot = (f"system Chain {{\n  parameter n : Integer = {n}\n"
               "  m : Mass[n](m = 1 kg, start v = [sin(0.37*k) * 1 m/s for k in 1:n] fixed)\n"
               "  k : Spring[n](k = 100 N/m)\n  connect m.a -- k.a\n"
               "  connect k[1:n-1].b -- m[2:n].a\n  connect k[n].b -- translational.ground\n}\n")
    return Model(cot, 2.0, 0.02, [f"m{k}.s" if spelled else f"m[{k}].s" for k in places(n)], states=2 * n, rtol=1e-4)


FAMILIES = {
    "rlc_ladder": rlc_ladder,
    "rc_ladder": rc_ladder,
    "rc_grid": rc_grid,
    "diode_grid": diode_grid,
    "diode_grid_sparse": lambda n, spelled=False: diode_grid(n, spelled, every=5),
    "buck": buck,
    "buck_exponential": lambda n, spelled=False: buck(n, spelled, exponential=True),
    "drives": drives,
    "drives_dry": lambda n, spelled=False: drives(n, spelled, dry=True),
    "heat_exchanger": heat_exchanger,
    "grid300": grid300,
    "mass_chain": mass_chain,
}


def write(family, size, folder, spelled=False):
    """Writes the texts, returns the model with their paths as cot_path and cir_path."""
    model = FAMILIES[family](size, spelled)
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    stem = f"{family}_{size}" + ("_spelled" if spelled else "")
    model.cot_path = folder / f"{stem}.cot"
    model.cot_path.write_text(model.cot)
    model.cir_path = None
    if model.cir:
        model.cir_path = folder / f"{stem}.cir"
        model.cir_path.write_text(model.cir)
    return model


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("family", choices=FAMILIES)
    parser.add_argument("size", type=int)
    parser.add_argument("--folder", default=os.curdir)
    parser.add_argument("--spelled", action="store_true", help="every component on a line of its own")
    options = parser.parse_args()
    model = write(options.family, options.size, options.folder, options.spelled)
    print(model.cot_path, *([model.cir_path] if model.cir_path else []))
    print("cotree simulate", model.cot_path, f"--stop '{model.stop!r} s' --interval '{model.interval!r} s' --rtol {model.rtol!r}",
          "--only", f"'{','.join(model.ours)}'", "--out out.csv")


if __name__ == "__main__":
    main()

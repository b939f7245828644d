#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Emitted C against the interpreter.

Each model is emitted, compiled without a warning by every compiler given, run, and its CSV compared with that of
`cotree simulate` with the same method and step: with SLEEF byte by byte, with the platform's functions within a
tolerance. A model that is refused must be listed in refused.txt beside this file, with words of the reason.

    check_emission.py --cotree build/release/bin/cotree [--table] [MODEL.cot ...]
    check_emission.py --cotree build/release/bin/cotree --random 500

With --defaults: emitted and run without any option, each example's program must agree with `cotree simulate` to 1e-3 of
the largest value of each variable, or be refused as listed.

    check_emission.py --cotree build/release/bin/cotree --defaults [--table] [MODEL.cot ...]
"""
import argparse
import csv
import io
import math
import os
import random
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HERE = os.path.dirname(os.path.abspath(__file__))
FLAGS = ["-std=c99", "-O2", "-ffp-contract=off", "-fno-builtin", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]


def models():
    for folder in ("examples", "tests/textbook", "tests/models", "tests/emission"):
        for path, _, files in sorted(os.walk(os.path.join(ROOT, folder))):
            for name in sorted(files):
                if name.endswith(".cot") and not name.startswith("err_"):
                    yield os.path.relpath(os.path.join(path, name), ROOT)


PARTS = """
component Cap { terminal p, n : electrical  parameter C : Capacitance  edge e : p -> n  equation e.i = C*der(e.v) }
component NonlinearCap { terminal p, n : electrical  parameter C : Capacitance  edge e : p -> n
  equation e.i = C*(1 + (e.v/(5 V))^2)*der(e.v) }
component Coil { terminal p, n : electrical  parameter L : Inductance  edge e : p -> n  equation e.v = L*der(e.i) }
component Res { terminal p, n : electrical  parameter R : Resistance  edge e : p -> n  equation e.v = R*e.i }
component Odd "nonlinear" { terminal p, n : electrical  parameter R : Resistance  edge e : p -> n
  equation e.v = R*(e.i + sinh(e.i/(2 A))*(0.1 A) + e.i^3/(4 A^2)) }
component Src { terminal p, n : electrical  parameter V : Voltage  parameter f : Frequency  parameter R : Resistance
  edge e : p -> n  equation e.v = V*sin(2*pi*f*time) + R*e.i }
component Dio { terminal p, n : electrical  edge e : p -> n  variable on : Boolean
  equation on = e.v + 1 ohm * e.i > 0 V  if on { e.v = 10 mohm * e.i } else { e.i = 1e-3 S * e.v } }
component Swi { terminal p, n : electrical  parameter T : Time  edge e : p -> n  variable on : Boolean
  equation on = mod(time/T, 1) < 0.4  if on { e.v = 10 mohm * e.i } else { e.i = 1e-3 S * e.v } }
component Tra { terminal p1, n1, p2, n2 : electrical  parameter k : Real  edge a : p1 -> n1  edge b : p2 -> n2
  equation a.v = k*b.v  b.i = -k*a.i }
"""


def random_system(seed):
    """A circuit with switches, diodes, transformers and nonlinear elements."""
    pick = random.Random(seed)
    nodes = pick.randint(2, 5)
    declared, connected = [], []

    def node(k):
        return "electrical.ground" if k == 0 else f"n{k}.n"

    def add(kind, a, b):
        name = f"x{len(declared)}"
        declared.append(f"{name} : {kind}")
        connected.append(f"connect {name}.p -- {node(a)}  connect {name}.n -- {node(b)}")

    for k in range(1, nodes + 1):
        declared.append(f"n{k} : Res(R = {pick.randint(1, 9)} kohm)")
        connected.append(f"connect n{k}.p -- electrical.ground")
    add(f"Src(V = {pick.randint(1, 20)} V, f = {pick.randint(10, 200)} Hz, R = 1 ohm)", 1, 0)
    edges = [(pick.randint(0, k - 1), k) for k in range(2, nodes + 1)]
    edges += [tuple(pick.sample(range(nodes + 1), 2)) for _ in range(pick.randint(2, 6))]
    for a, b in edges:
        add(pick.choice([f"Cap(C = {pick.randint(1, 50)} uF)", f"Coil(L = {pick.randint(1, 50)} mH)",
                         f"Res(R = {pick.randint(1, 200)} ohm)", "Dio", f"Swi(T = {pick.randint(2, 9)} ms)",
                         f"NonlinearCap(C = {pick.randint(1, 50)} uF)", f"Odd(R = {pick.randint(1, 50)} ohm)"]), a, b)
    if seed % 2 == 0 and nodes > 2:
        declared.append(f"t1 : Tra(k = {pick.randint(1, 5)})")
        connected.append("connect t1.p1 -- n1.n  connect t1.n1 -- t1.n2 -- electrical.ground  connect t1.p2 -- n2.n")
    return PARTS + "system S {\n  " + "\n  ".join(declared + connected) + "\n}\nexperiment E of S { stop = 20 ms }\n"


def check_random(wanted, given, compiler, folder):
    """Random systems, until so many could be translated; how many differ."""
    bad, seen, seed, whole = 0, 0, 0, 0
    while seen < wanted and seed < 20 * wanted:
        seed += 1
        path = os.path.join(folder, "random.cot")
        open(path, "w").write(random_system(seed))
        method = ["euler", "heun", "rk4"][seed % 3]
        try:  # an explicit method may chatter for ever where it is not stable
            run([given.cotree, "simulate", path, "--solver", method, "--step", "0.00002"], timeout=2)
        except subprocess.TimeoutExpired:
            continue
        verdict, text = check(path, given.cotree, [compiler], folder, method, None, ["--step", "0.00002"])
        if verdict == "refused":  # not well posed
            continue
        seen += 1
        whole += verdict == "equal" and "failed" not in text
        if verdict == "differs" or (verdict == "failed" and "at the start" not in text):
            bad += 1
            print(f"! seed {seed}: {verdict}: {text}", flush=True)
    print(f"{seen} random systems, {whole} of them to the end, {bad} differ", flush=True)
    return bad


def listed(name):
    """Lines of a list beside this file: model, then words."""
    out = {}
    path = os.path.join(HERE, name)
    for line in open(path) if os.path.exists(path) else []:
        if line.strip() and not line.startswith("#"):
            model, _, words = line.strip().partition(":")
            out[model.strip()] = words.strip()
    return out


def run(words, timeout=300, stdout=subprocess.PIPE):
    return subprocess.run(words, stdout=stdout, stderr=subprocess.PIPE, timeout=timeout)


def difference(a, b):
    """The largest difference of two CSV texts, relative to each column's largest value; None: other shapes."""
    rows = [list(csv.reader(io.StringIO(t))) for t in (a, b)]
    if len(rows[0]) != len(rows[1]) or not rows[0] or rows[0][0] != rows[1][0]:
        return None
    worst = 0.0
    for column in range(len(rows[0][0])):
        x, y = ([float(r[column]) for r in table[1:]] for table in rows)
        size = max([abs(v) for v in x + y if math.isfinite(v)] + [1e-9])
        for p, q in zip(x, y):
            if p != q and not (math.isnan(p) and math.isnan(q)):
                worst = max(worst, abs(p - q) / size)
    return worst


def check(model, cotree, compilers, folder, method, tolerance, options=None):
    """(verdict, text) of one model; no tolerance: with SLEEF only."""
    path = os.path.join(ROOT, model)
    source = os.path.join(folder, "model.c")
    words = options or listed("options.txt").get(model, "").split()
    emitted = run([cotree, "emit", path, "-o", source, "--method", method] + words)
    if emitted.returncode != 0:
        text = emitted.stderr.decode().strip().replace(ROOT + "/", "")
        if emitted.returncode == 4 and run([cotree, "simulate", path, "--solver", method] + words).returncode == 4:
            return "equal", "neither begins: " + text
        return ("refused" if emitted.returncode in (1, 2) else "failed"), text
    expected = os.path.join(folder, "expected.csv")
    simulated = run([cotree, "simulate", path, "--solver", method, "--csv"] + words, stdout=open(expected, "wb"))
    # The mark of a run that did not come to its end is none of the program's.
    want = b"".join(l for l in open(expected, "rb").read().splitlines(keepends=True) if not l.startswith(b"#"))
    lines = want.count(b"\n")
    for compiler in compilers:
        for sleef in (True, False) if tolerance is not None else (True,):
            program = os.path.join(folder, "model")
            compiled = run([compiler] + FLAGS + (["-DCOTREE_SLEEF"] if sleef else []) + [source, "-o", program] +
                           (["-lsleef"] if sleef else []) + ["-lm"])
            if compiled.returncode != 0:
                return "failed", f"{compiler}: {compiled.stderr.decode()[:2000]}"
            got = run([program])
            if sleef and (got.stdout != want or (got.returncode == 0) != (simulated.returncode == 0)):
                off = difference(want.decode(), got.stdout.decode())
                a, b = want.split(b"\n"), got.stdout.split(b"\n")
                first = next((k for k in range(min(len(a), len(b))) if a[k] != b[k]), min(len(a), len(b)))
                return "differs", (f"{compiler}: line {first + 1} of {len(a)}/{len(b)}, by {off}; "
                                   f"{got.stderr.decode().strip()} | {simulated.stderr.decode().strip()}")
            if not sleef:
                off = difference(want.decode(), got.stdout.decode())
                if off is None or off > tolerance:
                    return "differs", f"{compiler} without SLEEF: by {off}; {got.stderr.decode().strip()}"
    end = simulated.stderr.decode().strip()
    return "equal", f"{lines - 1} rows, {want.splitlines()[0].count(b',')} columns" + (f" ({end})" if end else "")


def by_time(text):
    """Names, and the rows of each time: two where something happens."""
    rows = list(csv.reader(io.StringIO(text)))
    out = {}
    for row in rows[1:]:
        values = [float(x) for x in row]
        out.setdefault(f"{values[0]:.9g}", []).append(values)
    return rows[0], out


def distance(want, got):
    """The largest difference at the times that both have, against the largest value of each column, and whose it is."""
    names, a = by_time(want)
    other, b = by_time(got)
    if names != other:
        return math.inf, "other columns"
    times = [t for t in a if t in b]
    if len(times) < 0.8 * min(len(a), len(b)) or abs(float(max(a, key=float)) - float(max(b, key=float))) > 1e-3 * float(max(a, key=float)):
        return math.inf, f"{len(times)} common times of {len(a)} and {len(b)}"
    worst = 0.0, ""
    sizes = [max([abs(row[column]) for rows in a.values() for row in rows] + [1e-9]) for column in range(len(names))]
    for column in range(1, len(names)):
        # An element of an array that stays zero has the rounding of the others.
        mates = [k for k in range(len(names)) if names[k].split("[")[0] == names[column].split("[")[0]]
        size = max(sizes[column], *(1e-3 * sizes[k] for k in mates), 0)
        for t in times:
            # At a jump: either side of it.
            off = min(abs(x[column] - y[column]) for x in a[t] for y in b[t]) / size
            if not off <= worst[0]:
                worst = off, f"{names[column]} at {t} s"
    return worst


def check_defaults(model, cotree, compilers, folder, tolerance):
    """(verdict, text) of one model, emitted and run without options."""
    path, source, program = os.path.join(ROOT, model), os.path.join(folder, "model.c"), os.path.join(folder, "model")
    emitted = run([cotree, "emit", path, "-o", source])
    if emitted.returncode != 0:
        text = emitted.stderr.decode().strip().replace(ROOT + "/", "")
        return ("refused" if emitted.returncode in (1, 2) else "failed"), text
    compiled = run([compilers[0], "-std=c99", "-O2", "-Wall", "-Wextra", "-Werror", source, "-o", program, "-lm"])
    if compiled.returncode != 0:
        return "failed", compiled.stderr.decode()[:2000]
    began = time.monotonic()
    got = run([program], timeout=120)
    took = time.monotonic() - began
    simulated = run([cotree, "simulate", path, "--csv"])
    if (got.returncode == 0) != (simulated.returncode == 0):
        return "differs", f"exit {got.returncode} and {simulated.returncode}: {got.stderr.decode().strip()}"
    text = got.stdout.decode()
    off, where = distance(simulated.stdout.decode(), text)
    if tolerance < off < math.inf:  # differences of large values: is it as near to the truth as `simulate` itself?
        truth = run([cotree, "simulate", path, "--csv", "--rtol", "1e-9"]).stdout.decode()
        own, _ = distance(truth, simulated.stdout.decode())
        off, where = distance(truth, text)
        return ("equal" if off <= max(tolerance, 2 * own) else "differs"), (
            f"{off:.1e} ({where}) from a run with --rtol 1e-9, `simulate` {own:.1e}; {took:.2f} s")
    return ("equal" if off <= tolerance else "differs"), f"{off:.1e} ({where}), {took:.2f} s"


SETTINGS_MODEL = """
component Turn { parameter phi : Angle = 10 deg  parameter n : Integer = 2  parameter on : Boolean = true
  parameter share : Real (min = 0, max = 1) = 0.5  parameter m : Mass = 1 kg
  parameter least : Real = 0.1  parameter more : Real (above = least) = 0.9
  output y : Real  equation y = (if on then n else 0)*share*sin(phi)*(m/(1 kg))*(more/more)*(least/least) }
system S { a : Turn  t : Terminator  connect a.y -> t.u
  line : TransportDelay(T = 1 ms)  hold : Sampler(period = 1 ms)  t2, t3 : Terminator
  connect a.y -> line.u, hold.u  connect line.y -> t2.u  connect hold.y -> t3.u  r : Resistor(R = 1 kohm)  c : Capacitor(C = 1 uF)
  v : VoltageSource(V = 5 V)  connect v.p -- r.p  connect r.n -- c.p  connect v.n -- c.n -- electrical.ground }
experiment E of S { stop = 5 ms  plot c.v }
"""
# What is set, the exit code, and words of the message, or (column, value at the end).
SETTINGS = [
    ("r.R=4kohm", 0, ("c.v", 3.5675)), ("r.R = 4 kohm", 0, ("c.v", 3.5675)), ("r.R=4e3", 0, ("c.v", 3.5675)),
    ("a.phi=90deg", 0, ("a.y", 1.0)), ("a.phi=0", 0, ("a.y", 0.0)), ("a.m=500g", 0, ("a.y", 0.08682)),
    ("a.on=false", 0, ("a.y", 0.0)), ("a.share=1", 0, ("a.y", 0.34730)),
    ("r.R=abc", 2, "r.R"), ("r.R=4kV", 2, "r.R"), ("r.R=4,5", 2, "r.R"), ("r.R=nan", 2, "r.R"), ("r.R=", 2, "r.R"),
    ("r.R=0x10", 2, "r.R"), ("a.phi=90", 2, "a.phi"), ("a.n=1.5", 2, "a.n"), ("a.share=2", 2, "a.share"),
    ("r.Q=1", 2, "r.Q"), ("a.least=0.8", 0, ("a.y", 0.17365)), ("a.least=0.95", 4, "a.more"), ("a.more=0.05", 4, "a.more"),
    ("a.on=3", 2, "a.on"), ("line.T=1", 2, "fixed in this program"), ("hold.period=1", 2, "fixed in this program"),
    ("none.R=0", 2, "there is no parameter"),
]


def check_settings(cotree, compiler, folder):
    """What `--set` of an emitted program takes and refuses; how many rows are not as they should be."""
    path, source, program = (os.path.join(folder, name) for name in ("set.cot", "set.c", "set"))
    open(path, "w").write(SETTINGS_MODEL)
    run([cotree, "emit", path, "-o", source])
    run([compiler, "-std=c99", "-O1", source, "-o", program, "-lm"])
    bad = 0
    for text, code, want in SETTINGS:
        got = run([program, "--set", text])
        fine = got.returncode == code
        if fine and code == 0:
            rows = list(csv.reader(io.StringIO(got.stdout.decode())))
            fine = abs(float(rows[-1][rows[0].index(want[0])]) - want[1]) < 1e-3
        elif fine:
            fine = want in got.stderr.decode()
        if not fine:
            bad += 1
            print(f"! --set {text}: exit {got.returncode}: {got.stderr.decode().strip()}", flush=True)
    return bad


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cotree", default=os.path.join(ROOT, "build/release/bin/cotree"))
    parser.add_argument("--compilers", default="gcc,clang")
    parser.add_argument("--method", default="rk4")
    parser.add_argument("--tolerance", type=float, default=1e-6)
    parser.add_argument("--table", action="store_true", help="print a row a model")
    parser.add_argument("--random", type=int, default=0, help="so many random systems instead")
    parser.add_argument("--defaults", action="store_true", help="programs without options against `simulate`")
    parser.add_argument("models", nargs="*")
    given = parser.parse_args()
    compilers = [c for c in given.compilers.split(",") if run(["which", c]).returncode == 0]
    refused = listed("refused.txt")
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        if given.random > 0:
            return 1 if check_random(given.random, given, compilers[0], folder) else 0
        if given.defaults and not given.models:
            bad += check_settings(given.cotree, compilers[0], folder)
        every = [m for m in models() if m.startswith("examples/")] if given.defaults else list(models())
        for model in given.models or every:
            model = os.path.relpath(os.path.abspath(model), ROOT) if given.models else model
            try:
                if given.defaults:
                    verdict, text = check_defaults(model, given.cotree, compilers, folder, 1e-3)
                else:
                    verdict, text = check(model, given.cotree, compilers, folder, given.method, given.tolerance)
            except subprocess.TimeoutExpired as late:
                verdict, text = "failed", f"no end within {late.timeout} s: {late.cmd[0]}"
            if text.endswith("has no system"):
                continue
            fine = verdict == "equal" or (verdict == "refused" and model in refused and refused[model] in text)
            if verdict == "equal" and model in refused:
                fine, text = False, "is emitted now: take it off refused.txt"
            bad += 0 if fine else 1
            if given.table or not fine:
                print(f"{'' if fine else '! '}{model}: {verdict}: {text}", flush=True)
    print(f"{bad} of the models differ from what is expected" if bad else "all models as expected")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

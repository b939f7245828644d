#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Mechanisms with loops by BDF and IDA, beside the explicit method: errors against tolerances.

integrators_on_loops.py COTREE

Twenty mechanisms, --solver bdf and ida, rtol 1e-4 to 1e-11. The reference is the explicit method at rtol 1e-12, itself held against 1e-11
(and, where nothing drives or brakes, against the energy). An error counts against the largest magnitude of its kind over the run (turns,
rates of turn, places, speeds; all other states by themselves). Promised: 100 rtol down to 1e-9; below, 1e-8 or a word about rounding.
Prints what breaks the promise, then a line with figures."""
import csv, io, os, subprocess, sys, tempfile, time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BAR = """component Bar { terminal a, b : mechanics  parameter l : Length  parameter m : Mass
  body : Body(m = m, center = [l/2, 0 m, 0 m], I = [m*l^2/1200, m*l^2/12, m*l^2/12, 0 kg*m^2, 0 kg*m^2, 0 kg*m^2])
  arm : Arm(r = [l, 0 m, 0 m])
  connect a -- body.a -- arm.a
  connect b -- arm.b }
"""
FOUR = BAR + """system S {
  gravity : Gravity(g = [0, -9.81, 0] m/s^2)
  j1, j2, j3, j4 : Revolute(n = [0, 0, 1])
  crank : Bar(l = 200 mm, m = 1 kg)
  coupler : Bar(l = 400 mm, m = 1 kg)
  rocker : Bar(l = 300 mm, m = 1 kg)
  frame : Arm(r = [0.35 m, 0 m, 0 m])
  connect mechanics.ground -- j1.a -- frame.a
  connect j1.b -- crank.a
  connect crank.b -- j2.a
  connect j2.b -- coupler.a
  connect coupler.b -- j3.a
  connect j3.b -- rocker.a
  connect rocker.b -- j4.a
  connect j4.b -- frame.b
  start j1.phi = 1 rad fixed
  start j1.w = 2 rad/s fixed
  %s
}
"""
# name, text or file, system, what is set, stop, whether the energy stays
MODELS = [
    ("four-bar", FOUR % "", None, 1.0),
    # An error at its start is multiplied by 7 until 0.02 s, by 60 until 0.2 s, with any method.
    ("four-bar, stiff spring on the crank", FOUR % """spring : TorsionSpring(k = 20000 N*m/rad)
  connect j1.axis -- spring.b
  connect j1.housing -- spring.a -- rotational.ground""", None, 0.02),
    ("four-bar, motor behind a stiff shaft", FOUR % """supply : VoltageSource(V = 12 V)
  motor : DCMotor(R = 0.5 ohm, L = 1 mH, Kt = 0.05 N*m/A, J = 4e-5 kg*m^2)
  gear : Gear(ratio = 30)
  shaft : TorsionSpring(k = 5000 N*m/rad)
  damper : RotationalDamper(d = 20 N*m*s/rad)
  hub : Inertia(J = 0.01 kg*m^2, start phi = 1 rad, start w = 2 rad/s)
  connect supply.p -- motor.p
  connect supply.n -- motor.n -- electrical.ground
  connect motor.shaft -- gear.a
  connect gear.b -- hub.a -- shaft.a -- damper.a
  connect shaft.b -- damper.b -- j1.axis
  connect motor.housing -- j1.housing -- rotational.ground""", None, 0.3),
    ("four-bar, damped", FOUR % """brake : RotationalDamper(d = 2 N*m*s/rad)
  connect j1.axis -- brake.a
  connect j1.housing -- brake.b -- rotational.ground""", None, 1.0),
]
FILES = [
    ("examples/four_bar/four_bar.cot", "DrivenFourBar", 0.4),
    ("examples/engine/engine.cot", None, 0.1),
    ("examples/stewart/stewart.cot", None, 0.3),
    ("examples/excavator/excavator.cot", None, 0.5),
    ("tests/mechanics/models/five_bar.cot", None, 0.4),  # it multiplies errors by thousands behind that, with any method
    ("tests/mechanics/models/slider_crank_offset.cot", None, 1.0),
    ("tests/mechanics/models/spatial_slider_crank.cot", None, 1.0),
    ("tests/mechanics/models/rssr.cot", None, 1.0),
    ("tests/mechanics/models/rscr.cot", None, 1.0),
    ("tests/mechanics/models/rccc_springs.cot", None, 1.0),
    ("tests/mechanics/models/bennett.cot", None, 1.0),
    ("tests/mechanics/models/bricard.cot", None, 1.0),
    ("tests/mechanics/models/cardan_double.cot", None, 0.5),
    ("tests/mechanics/models/four_bar_springs.cot", None, 1.0),
    ("tests/mechanics/models/scotch_yoke.cot", None, 1.0),
    ("tests/mechanics/models/governor.cot", None, 0.5),
]
KINDS = {"phi": "turn", "Q": "turn", "w": "rate", "s": "place", "r": "place", "v": "speed"}


def run(cotree, folder, path, system, stop, solver, rtol, limit):
    line = [cotree, "simulate", path, "--csv", "--solver", solver, "--rtol", repr(rtol), "--stop", f"{stop} s", "--interval",
            f"{stop / 50} s"]
    if system:
        line += ["--system", system]
    try:
        p = subprocess.run(line, capture_output=True, text=True, timeout=limit, cwd=folder)
    except subprocess.TimeoutExpired:
        return None, f"not done after {limit} s"
    words = p.stderr.strip()
    if p.returncode:
        return None, words.splitlines()[0] if words else f"exit {p.returncode}"
    rows = [r for r in csv.reader(io.StringIO(p.stdout)) if r]
    return {round(float(r[0]) / stop * 50): r for r in rows[1:]}, rows[0]


def states(cotree, path, system):
    line = [cotree, "values", path] + (["--system", system] if system else [])
    p = subprocess.run(line, capture_output=True, text=True)
    return [x.split()[0] for x in p.stdout.splitlines() if x.rstrip().endswith("state")]


def difference(head, a, b, names):
    """The largest, each against the largest of its kind."""
    columns = [k for k, n in enumerate(head) if n in names]
    kind = lambda k: KINDS.get(head[k].rsplit(".", 1)[-1].split("[")[0], head[k])
    size = {}
    for r in a.values():
        for k in columns:
            size[kind(k)] = max(size.get(kind(k), 0), abs(float(r[k])))
    worst, where = 0, ""
    for t in a:
        if t not in b:
            continue
        for k in columns:
            if size[kind(k)] > 0:
                e = abs(float(a[t][k]) - float(b[t][k])) / size[kind(k)]
                if e > worst:
                    worst, where = e, head[k]
    return worst, where


def main():
    cotree, began = os.path.abspath(sys.argv[1]), time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        models = []
        for k, (name, text, system, stop) in enumerate(MODELS):
            path = os.path.join(folder, f"m{k}.cot")
            with open(path, "w") as f:
                f.write(text)
            models.append((name, path, system, stop))
        models += [(f, os.path.join(ROOT, f), s, stop) for f, s, stop in FILES]
        runs = beyond = far = failed = 0
        for name, path, system, stop in models:
            exact, head = run(cotree, folder, path, system, stop, "erk", 1e-12, 60)
            near, other = run(cotree, folder, path, system, stop, "erk", 1e-11, 60)
            if exact is None or near is None:
                print(f"{name}: no reference: {head if exact is None else other}", flush=True)
                failed += 1
                continue
            names = set(states(cotree, path, system))
            doubt, _ = difference(head, exact, near, names)
            if doubt > 1e-8 or not names:
                print(f"{name}: the reference is known to {doubt:.1e} only ({len(names)} states)", flush=True)
            for solver in ("bdf", "ida"):
                for digits in range(4, 12):
                    rtol = 10.0 ** -digits
                    found, words = run(cotree, folder, path, system, stop, solver, rtol, 120)
                    runs += 1
                    what = f"{name}: {solver}, rtol 1e-{digits}"
                    if found is None:
                        if digits > 9 and "round" in words:
                            continue
                        failed += 1
                        print(f"{what}: {words}", flush=True)
                        continue
                    e, where = difference(head, exact, found, names)
                    if digits <= 9 and e > 100 * rtol + doubt:
                        beyond += 1
                        print(f"{what}: {e:.1e} of {where}", flush=True)
                    if digits > 9 and e > 1e-8 + doubt:
                        far += 1
                        print(f"{what}: {e:.1e} of {where}", flush=True)
    print(f"runs {runs}: beyond 100 rtol {beyond}, beyond 1e-8 {far}, failed {failed}, seconds {time.monotonic() - began:.0f}")
    return 1 if beyond or far or failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Whole commands of ours beside ngspice's, interleaved: CPU time, peak memory, errors; see bench/speed/README.md.

  run.py                                    every family at its sizes
  run.py --family rlc_ladder --sizes 100,1000
  run.py --json FILE                        the figures for scripts
  run.py --all                              peers that take over two minutes run, too (else recorded.json)
"""
import argparse
import collections
import datetime
import hashlib
import json
import math
import os
import pathlib
import platform
import re
import select
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

sys.dont_write_bytecode = True
import models

ROOT = models.ROOT
RECORDED = pathlib.Path(__file__).resolve().parent / "recorded.json"

SIZES = {
    "rlc_ladder": [100, 1000, 10000, 100000],
    "rc_ladder": [1000, 10000, 100000],
    "rc_grid": [32, 100],
    "diode_grid": [32],
    "diode_grid_sparse": [32],
    "buck": [10000],
    "buck_exponential": [10000],
    "drives": [10, 100, 1000],
    "drives_dry": [10, 100],
    "heat_exchanger": [1000, 10000, 100000],
    "grid300": [30, 100, 300],
    "mass_chain": [1000, 10000, 100000, 1000000],
}

RUNNING = []

Measured = collections.namedtuple("Measured", "cpu wall peak output")


class Failed(Exception):
    pass


def measure(command, limit=3600):
    """CPU time (user + system) in s, wall time in s, peak resident memory in MB, what it printed."""
    # GNU time stands between us and the command: the peak of a process counts what it was before its exec, and that is us.
    read, write = os.pipe()
    peak = tempfile.NamedTemporaryFile()
    began = time.monotonic()
    child = subprocess.Popen(["/usr/bin/time", "-o", peak.name, "-f", "%M", *(str(part) for part in command)], stdout=write, stderr=write, stdin=subprocess.DEVNULL, start_new_session=True)
    os.close(write)
    os.set_blocking(read, False)
    parts = []
    RUNNING.append(child)
    while True:
        ready, _, _ = select.select([read], [], [], 1)
        if ready:
            got = os.read(read, 1 << 16)
            if not got:
                break
            parts.append(got)
        if time.monotonic() - began > limit:
            os.killpg(child.pid, signal.SIGKILL)
            break
    os.close(read)
    RUNNING.remove(child)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    wall = time.monotonic() - began
    text = b"".join(parts).decode(errors="replace")
    if child.returncode != 0:
        raise Failed(f"exit code {child.returncode} after {wall:.1f} s: {' '.join(map(str, command))}\n{text[-800:]}")
    return Measured(usage.ru_utime + usage.ru_stime, wall, int(peak.read().split()[-1]) * 1024 / 1e6, text)


# --- Results of both -----------------------------------------------------------------------------------------------------

def read_csv(path, names):
    """Times, values (rows x names); rows come twice at events."""
    with open(path) as file:
        head = file.readline().rstrip("\n")
        columns = re.findall(r'"[^"]*"|[^,]+', head)
        columns = [c.strip('"') for c in columns]
        table = np.loadtxt(file, delimiter=",", ndmin=2)
    return table[:, 0], table[:, [columns.index(name) for name in names]]


def read_raw(path, names):
    data = pathlib.Path(path).read_bytes()
    start = data.index(b"Binary:\n") + 8
    head = data[:start].decode()
    count = int(re.search(r"No\. Variables: *(\d+)", head)[1])
    points = int(re.search(r"No\. Points: *(\d+)", head)[1])
    columns = re.findall(r"^\t\d+\t(\S+)\t", head, re.M)
    table = np.frombuffer(data, dtype=float, count=points * count, offset=start).reshape(points, count)
    return table[:, 0], table[:, [columns.index(name) for name in names]]


class Curve:
    """A dense result as a function of time: cubic between the rows, cut where something switches (rows that come twice)."""

    def __init__(self, t, values):
        # Rows nearer than a billionth of the run are the two sides of a switching.
        near = 1e-9 * (t[-1] - t[0])
        cuts = [0, *(np.nonzero(np.diff(t) <= near)[0] + 1), len(t)]
        self.pieces = [(t[a:b], values[a:b]) for a, b in zip(cuts, cuts[1:]) if b - a > 1]
        self.scale = np.abs(values).max()

    def at(self, t):
        from scipy.interpolate import CubicSpline
        out = np.full((len(t), self.pieces[0][1].shape[1]), self.pieces[0][1][0])
        for times, values in self.pieces:
            a, b = np.searchsorted(t, times[0], "left"), np.searchsorted(t, times[-1], "right")
            if a >= b:
                continue
            if len(times) < 4:
                for k in range(values.shape[1]):
                    out[a:b, k] = np.interp(t[a:b], times, values[:, k])
            else:
                out[a:b] = CubicSpline(times, values)(np.clip(t[a:b], times[0], times[-1]))
        last = self.pieces[-1][0][-1]
        out[t > last] = self.pieces[-1][1][-1]
        return out


def error(curve, t, values, since):
    """Largest and root mean square difference, in parts of the largest value; from the first output time on."""
    keep = t >= since * (1 - 1e-9)
    d = np.abs(values[keep] - curve.at(t[keep])) / curve.scale
    return float(d.max()), float(np.sqrt((d**2).mean()))


def ladder_exponential(n, keep, per=4):
    """The RLC ladder by the matrix exponential: its Taylor series over a quarter of an output interval, applied to the state. The
    pulse is piecewise linear with its corners at rows, so input and slope as two further states make it exact."""
    from scipy.sparse import coo_matrix
    h = 10e-9 / per
    R, L, C, load = 0.1, 1e-6, 1e-9, 31.6
    k = np.arange(n)
    rows, cols, vals = [], [], []

    def put(r, c, v):
        rows.append(r), cols.append(c), vals.append(np.broadcast_to(v, np.shape(r)))

    # i_k = 0..n-1, v_k = n..2n-1, u = 2n, slope = 2n + 1; time in units of h
    put(k, k, -R / L * h), put(k, n + k, -h / L)
    put(k[1:], n + k[:-1], h / L), put(np.array([0]), np.array([2 * n]), h / L)
    put(n + k, k, h / C), put(n + k[:-1], k[1:], -h / C)
    put(np.array([2 * n - 1]), np.array([2 * n - 1]), -h / (load * C))
    put(np.array([2 * n]), np.array([2 * n + 1]), h)
    A = coo_matrix((np.concatenate(vals), (np.concatenate(rows), np.concatenate(cols))), shape=(2 * n + 2, 2 * n + 2)).tocsr()
    x = np.zeros(2 * n + 2)
    x[n:2 * n] = np.sin(0.37 * (k + 1))
    steps = 1000 * per
    t = np.arange(steps + 1) * h
    out = np.empty((steps + 1, len(keep)))
    out[0] = [x[n + j - 1] for j in keep]
    for m in range(steps):
        at = round((m % (200 * per)) * h * 1e12)  # ps within the period
        x[2 * n], x[2 * n + 1] = ((at / 50e3, 1 / 50e-9) if at < 50e3 else (1, 0) if at < 1050e3 else
                                  (1 - (at - 1050e3) / 50e3, -1 / 50e-9) if at < 1100e3 else (0, 0))
        term = x
        for j in range(1, 12):  # the largest rate is 0.16 per step: 0.16^12/12! = 6e-19
            term = A @ term / j
            x = x + term
        out[m + 1] = [x[n + j - 1] for j in keep]
    return t, out, A


def check_exponential(n=100):
    """The series against scipy's dense exponential at every step: largest difference."""
    from scipy.linalg import expm
    kept = models.places(n)
    t, out, A = ladder_exponential(n, kept)
    E = expm(A.toarray())
    x = np.zeros(2 * n + 2)
    x[n:2 * n] = np.sin(0.37 * np.arange(1, n + 1))
    worst = 0
    for m in range(len(t) - 1):
        at = t[m] % 2e-6
        at = 0 if 2e-6 - at < 1e-12 else at
        x[2 * n] = np.interp(at, [0, 50e-9, 1.05e-6, 1.1e-6, 2e-6], [0, 1, 1, 0, 0])
        x[2 * n + 1] = (1 if at < 50e-9 - 1e-13 else 0) / 50e-9 - (1 if 1.05e-6 - 1e-13 < at < 1.1e-6 - 1e-13 else 0) / 50e-9
        x = E @ x
        worst = max(worst, np.abs(x[[n + j - 1 for j in kept]] - out[m + 1]).max())
    return worst


# --- One family at one size ----------------------------------------------------------------------------------------------

class Bench:
    def __init__(self, options):
        self.options = options
        self.folder = pathlib.Path(options.folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.cotree = options.cotree
        self.recorded = json.loads(RECORDED.read_text()) if RECORDED.exists() else {}

    def command(self, model, rtol, out, interval=None, extra=()):
        return [self.cotree, "simulate", model.cot_path, "--stop", f"{model.stop!r} s", "--interval", f"{interval or model.interval!r} s",
                "--rtol", repr(rtol), "--only", ",".join(model.ours), "--out", out, *self.options.extra, *extra]

    def reference(self, family, size, model):
        """A curve and what it is: kept in the folder, under the hash of the model."""
        dense = 100 if family.startswith("buck") else 10
        key = hashlib.sha256((model.cot + repr(dense)).encode()).hexdigest()[:16]
        path = self.folder / f"reference_{family}_{size}_{key}.npz"
        if path.exists():
            kept = np.load(path)
            return Curve(kept["t"], kept["values"]), str(kept["what"])
        if family == "rlc_ladder" and size > 1000:
            t, values, _ = ladder_exponential(size, models.places(size))
            # Corners of the pulse are rows: cut there.
            corners = [j for j in range(1, len(t) - 1) if round(t[j] * 1e12) % 2000000 in (0, 50000, 1050000, 1100000)]
            order = np.sort(np.concatenate([np.arange(len(t)), corners])).astype(int)
            t, values, what = t[order], values[order], "matrix exponential"
        else:
            out = self.folder / f"reference_{os.getpid()}.csv"
            measure(self.command(model, 1e-10, out, model.interval / dense))
            t, values = read_csv(out, model.ours)
            what = "ours at rtol 1e-10"
        np.savez(path, t=t, values=values, what=what)
        return Curve(t, values), what

    def spice(self, model, out):
        return ["ngspice", "-b", "-r", out, model.cir_path]

    def programs(self, family):
        """The tiers to compare, where there is no peer and this program has them."""
        if models.FAMILIES[family](2).cir or self.options.extra:
            return [None]
        said = subprocess.run([self.cotree, "simulate", "--help"], capture_output=True, text=True).stdout
        return ["interpreter", "jit", "auto"] if "--program" in said else [None]

    def run(self, family, size, program=None):
        options = self.options
        model = models.write(family, size, self.folder, options.spelled)
        ours_out, their_out = self.folder / f"ours_{os.getpid()}.csv", self.folder / f"theirs_{os.getpid()}.raw"
        row = {"family": family, "size": size, "states": model.states, "spelled": options.spelled}
        if options.free and model.cir:
            # As ours: no step longer than a hundredth of the run.
            model.cir_path.write_text(re.sub(r"(\.tran \S+ \S+) uic", rf"\g<1> 0 {model.stop / 100!r} uic", model.cir))
        if not model.cir:
            row["program"] = program
            return self.alone(model, row, ours_out, ["--program", program] if program else [])
        key = f"{family} {size}" + (" free" if options.free else "")
        recorded = None if options.all or options.record else self.recorded.get(key)
        curve, row["reference"] = self.reference(family, size, model)
        if recorded:
            theirs = [recorded["cpu"]]
            row["their_error"], row["their_rms"] = recorded["error"], recorded["rms"]
            row["their_peak"], row["their_rows"] = recorded["peak"], recorded["rows"]
            row["recorded"] = f"{recorded['machine']}, {recorded['date']}"
        else:
            got = measure(self.spice(model, their_out))
            t, values = read_raw(their_out, model.theirs)
            row["their_error"], row["their_rms"] = error(curve, t, values, model.interval)
            row["their_peak"], row["their_rows"] = got.peak, len(t)
            theirs = [got.cpu]
            if got.cpu > 120 or options.record:
                self.record(key, got, row)
        if options.record:
            return row
        # Tighter until we are as near as they are; if asked, from a loose tolerance on.
        rtol = options.rtol or (1e-2 if options.loosen else model.rtol)
        first = None
        while True:
            got = measure(self.command(model, rtol, ours_out))
            t, values = read_csv(ours_out, model.ours)
            row["our_error"], row["our_rms"] = error(curve, t, values, model.interval)
            first = first or {"rtol": rtol, "cpu": got.cpu, "error": row["our_error"]}
            if row["our_error"] <= row["their_error"] or rtol < 2e-9 or options.rtol:
                break
            rtol /= 10 ** 0.5
        row["rtol"], row["our_rows"], row["our_peak"] = rtol, len(t), got.peak
        row["first"] = first
        row["summary"] = self.summary(got.output)
        ours = [got.cpu]
        for _ in range(options.repeat - 1):
            if theirs[0] < 60 and not recorded:
                theirs.append(measure(self.spice(model, their_out)).cpu)
            if len(ours) < 2 or ours[0] < 60:
                ours.append(measure(self.command(model, rtol, ours_out)).cpu)
        row["ours"], row["theirs"] = statistics.median(ours), statistics.median(theirs)
        row["runs"] = [len(ours), len(theirs)]
        row["ratio"] = row["ours"] / row["theirs"]
        return row

    def alone(self, model, row, out, extra):
        command = self.command(model, self.options.rtol or model.rtol, out, extra=extra)
        got = [measure(command)]
        while len(got) < self.options.repeat and sum(g.cpu for g in got) < 60:
            got.append(measure(command))
        row["ours"], row["our_peak"] = statistics.median(g.cpu for g in got), max(g.peak for g in got)
        row["runs"] = [len(got), 0]
        row["rtol"] = self.options.rtol or model.rtol
        # The time of computing is by the clock on the wall: the least of the runs.
        row["summary"] = min((self.summary(g.output) for g in got), key=lambda s: s.get("computing", 0))
        if row["summary"].get("steps"):
            states = row["summary"].get("states", model.states)
            row["ns"] = row["summary"]["computing"] / states / row["summary"]["steps"] * 1e9
        return row

    @staticmethod
    def summary(text):
        """Of what `cotree simulate` says of the run."""
        found = re.search(r"(\d+) states?, (\d+) unknowns?; .* in (\d+) steps?(?: and (\d+) events?)?, ([0-9.e+-]+) (m?s) of computing", text)
        if not found:
            return {}
        lines = text.splitlines()
        return {"states": int(found[1]), "unknowns": int(found[2]), "steps": int(found[3]), "events": int(found[4] or 0),
                "computing": float(found[5]) * (1e-3 if found[6] == "ms" else 1), "method": lines[1].strip() if len(lines) > 1 else ""}

    def record(self, key, got, row):
        self.recorded[key] = {"cpu": round(got.cpu, 2), "peak": round(got.peak, 1), "error": row["their_error"], "rms": row["their_rms"],
                              "rows": row["their_rows"], "machine": f"{platform.node()}, {processor()}",
                              "date": datetime.date.today().isoformat(), "runs": 1}
        RECORDED.write_text(json.dumps(self.recorded, indent=2, sort_keys=True) + "\n")


def processor():
    for line in open("/proc/cpuinfo"):
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def extent(row):
    return row["size"] if row["family"].startswith("buck") else row["states"]


def exponent(rows, key):
    """Between neighbours in size: log of the times over log of the states."""
    return [math.log(b[key] / a[key]) / math.log(extent(b) / extent(a)) for a, b in zip(rows, rows[1:])]


def show(family, rows):
    peer = "ratio" in rows[0]
    print(f"\n{family}")
    if peer:
        print(f"{'size':>8} {'ours s':>9} {'ngspice s':>10} {'ratio':>7} {'runs':>6} {'error':>9} {'theirs':>9} {'rtol':>8} {'steps':>7} "
              f"{'rows':>6} {'MB':>7} {'theirs':>7} {'exp.':>5} {'theirs':>6}")
    else:
        print(f"{'size':>8} {'states':>8} {'ours s':>9} {'runs':>4} {'rtol':>8} {'steps':>7} {'events':>7} {'computing s':>11} "
              f"{'ns/state/step':>13} {'MB':>7} {'exp.':>5}")
    ours = [None, *exponent(rows, "ours")]
    theirs = [None, *exponent(rows, "theirs")] if peer else []
    text = lambda x, f: "" if x is None else format(x, f)
    for i, r in enumerate(rows):
        s = r["summary"]
        if peer:
            print(f"{r['size']:>8} {r['ours']:>9.3f} {r['theirs']:>10.3f} {r['ratio']:>7.3f} {r['runs'][0]:>3}/{r['runs'][1]:<2} "
                  f"{r['our_error']:>9.2e} {r['their_error']:>9.2e} {r['rtol']:>8.1e} {s.get('steps', ''):>7} {r['their_rows']:>6} "
                  f"{r['our_peak']:>7.1f} {r['their_peak']:>7.1f} {text(ours[i], '.2f'):>5} {text(theirs[i], '.2f'):>6}"
                  + (f"  ngspice recorded ({r['recorded']})" if "recorded" in r else "")
                  + (f"  (at rtol {r['first']['rtol']:g}: {r['first']['cpu']:.3f} s, error {r['first']['error']:.1e})"
                     if r["rtol"] < 0.99 * r["first"]["rtol"] else ""))
        else:
            print(f"{r['size']:>8} {s.get('states', r['states']):>8} {r['ours']:>9.3f} {r['runs'][0]:>4} {r['rtol']:>8.1e} {s.get('steps', ''):>7} "
                  f"{s.get('events', ''):>7} {s.get('computing', float('nan')):>11.3f} {r.get('ns', float('nan')):>13.1f} {r['our_peak']:>7.1f} "
                  f"{text(ours[i], '.2f'):>5}")
    for r in rows:
        if r["summary"].get("method"):
            print(f"  {r['size']}: {r['summary']['method']}")
    if peer:
        print(f"  errors against: {', '.join(sorted({r['reference'] for r in rows}))}; largest, in parts of the largest value")
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--family", action="append", help="of: " + ", ".join(models.FAMILIES) + "; may be repeated")
    parser.add_argument("--sizes", help="as 100,1000")
    parser.add_argument("--json", help="write the figures there")
    parser.add_argument("--all", action="store_true", help="run peers that take over two minutes, and record them")
    parser.add_argument("--record", action="store_true", help="run the peer alone, once, and write recorded.json")
    parser.add_argument("--loosen", action="store_true", help="the loosest tolerance (from 1e-2) with which our error is not larger than theirs")
    parser.add_argument("--free", action="store_true", help="ngspice may take steps of a hundredth of the run instead of the output step")
    parser.add_argument("--spelled", action="store_true", help="our models with every component on a line of its own")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--rtol", type=float, help="this tolerance for us, whatever the error")
    parser.add_argument("--cotree", default=str(ROOT / "build/release/bin/cotree"))
    parser.add_argument("--extra", action="append", default=[], help="a further argument of `cotree simulate`; may be repeated")
    parser.add_argument("--folder", default=str(ROOT / "build/speed"), help="for models, results and references")
    parser.add_argument("--check", action="store_true", help="check the reference: matrix exponential, scipy, ours at rtol 1e-10")
    options = parser.parse_args()
    bench = Bench(options)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what we started ends with us
    try:
        return check(bench) if options.check else tables(bench, options)
    finally:
        for child in RUNNING:
            os.killpg(child.pid, signal.SIGKILL)
        for path in bench.folder.glob(f"*_{os.getpid()}.*"):
            path.unlink()


def tables(bench, options):
    print(f"CPU time of whole commands (user + system), median of the runs told, interleaved; {platform.node()}, {processor()}")
    everything = []
    for family in options.family or list(SIZES):
        sizes = [int(size) for size in options.sizes.split(",")] if options.sizes else SIZES[family]
        for program in bench.programs(family):
            rows = []
            for size in sizes:
                # What would take an hour in a slow tier says nothing more.
                if program and rows and rows[-1]["ours"] * size / rows[-1]["size"] > 300:
                    print(f"\n{family} {size} with --program {program}: left out, some {rows[-1]['ours'] * size / rows[-1]['size']:.0f} s")
                    continue
                try:
                    row = bench.run(family, size, program)
                    if options.record:
                        print(f"{family} {size}: recorded {bench.recorded[f'{family} {size}' + (' free' if options.free else '')]}")
                    else:
                        rows.append(row)
                except Failed as problem:
                    print(f"\n{family} {size}: {problem}")
            if rows:
                show(family + (f", --program {program}" if program else ""), rows)
            everything += rows
            if options.json:
                pathlib.Path(options.json).write_text(json.dumps(everything, indent=1) + "\n")
    return 0


def check(bench):
    print(f"series of the matrix exponential against scipy.linalg.expm, N = 100: {check_exponential():.1e}")
    for n in (100, 1000):
        model = models.write("rlc_ladder", n, bench.folder)
        curve, _ = bench.reference("rlc_ladder", n, model)
        t, values, _ = ladder_exponential(n, models.places(n))
        print(f"our run at rtol 1e-10 against the matrix exponential, N = {n}: {error(curve, t, values, 0)[0]:.1e} of the largest value")
    return 0


if __name__ == "__main__":
    sys.exit(main())

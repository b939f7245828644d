#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Emitted C against the interpreter.

Each model is emitted, compiled without a warning by every compiler given, run, and its CSV compared with that of
`cotree simulate` with the same method and step: with SLEEF byte by byte, with the platform's functions within a
tolerance. A model that is refused must be listed in refused.txt beside this file, with words of the reason.

    check_emission.py --cotree build/release/bin/cotree [--table] [MODEL.cot ...]
"""
import argparse
import csv
import io
import math
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HERE = os.path.dirname(os.path.abspath(__file__))
FLAGS = ["-std=c99", "-O2", "-ffp-contract=off", "-fno-builtin", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]


def models():
    for folder in ("examples", "tests/textbook", "tests/models", "tests/emission"):
        for path, _, files in sorted(os.walk(os.path.join(ROOT, folder))):
            for name in sorted(files):
                if name.endswith(".cot") and not name.startswith("err_"):
                    yield os.path.relpath(os.path.join(path, name), ROOT)


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


def check(model, cotree, compilers, folder, method, tolerance):
    """(verdict, text) of one model."""
    path = os.path.join(ROOT, model)
    source = os.path.join(folder, "model.c")
    words = listed("options.txt").get(model, "").split()
    emitted = run([cotree, "emit", path, "-o", source, "--method", method] + words)
    if emitted.returncode != 0:
        text = emitted.stderr.decode().strip().replace(ROOT + "/", "")
        return ("refused" if emitted.returncode in (1, 2) else "failed"), text
    expected = os.path.join(folder, "expected.csv")
    simulated = run([cotree, "simulate", path, "--solver", method, "--csv"] + words, stdout=open(expected, "wb"))
    want = open(expected, "rb").read()
    lines = want.count(b"\n")
    for compiler in compilers:
        for sleef in (True, False):
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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cotree", default=os.path.join(ROOT, "build/release/bin/cotree"))
    parser.add_argument("--compilers", default="gcc,clang")
    parser.add_argument("--method", default="rk4")
    parser.add_argument("--tolerance", type=float, default=1e-6)
    parser.add_argument("--table", action="store_true", help="print a row a model")
    parser.add_argument("models", nargs="*")
    given = parser.parse_args()
    compilers = [c for c in given.compilers.split(",") if run(["which", c]).returncode == 0]
    refused = listed("refused.txt")
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for model in given.models or list(models()):
            model = os.path.relpath(os.path.abspath(model), ROOT) if given.models else model
            try:
                verdict, text = check(model, given.cotree, compilers, folder, given.method, given.tolerance)
            except subprocess.TimeoutExpired as late:
                verdict, text = "failed", f"no end within {late.timeout} s: {late.cmd[0]}"
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

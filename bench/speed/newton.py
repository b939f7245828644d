#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""ns per Newton iteration and state on the stiff RC ladder: ours beside stock CVODE with KLU, written by hand (cvode_ladder.cc).

  newton.py [--sizes 1000,10000,100000] [--repeat 5] [--cotree PROGRAM] [--json FILE]

Ours is the time of computing (not of translating) that `cotree simulate --solver bdf` tells, over its own count of iterations.
"""
import argparse
import json
import pathlib
import re
import statistics
import subprocess
import sys

sys.dont_write_bytecode = True
import models
import run

HERE = pathlib.Path(__file__).resolve().parent


def build(folder):
    source, program = HERE / "cvode_ladder.cc", folder / "cvode_ladder"
    if not pathlib.Path("/usr/include/cvode/cvode.h").exists():
        return None
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        subprocess.run(["g++", "-std=c++17", "-O2", "-march=native", source, "-o", program, "-I/usr/include/suitesparse", "-lsundials_cvode",
                        "-lsundials_nvecserial", "-lsundials_sunmatrixsparse", "-lsundials_sunlinsolklu", "-lklu"], check=True)
    return program


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--cotree", default=str(models.ROOT / "build/release/bin/cotree"))
    parser.add_argument("--folder", default=str(models.ROOT / "build/speed"))
    parser.add_argument("--json")
    options = parser.parse_args()
    folder = pathlib.Path(options.folder)
    folder.mkdir(parents=True, exist_ok=True)
    program = build(folder)
    rows = []
    print(f"stiff RC ladder, rtol 1e-4, median of {options.repeat}, interleaved; ns per Newton iteration and state (CVODE built with g++ -O2 -march=native)")
    print(f"{'states':>8} {'ours':>8} {'CVODE':>8} {'ours s':>8} {'CVODE s':>8} {'steps':>7} {'CVODE':>6} {'iterations':>10} {'CVODE':>6}")
    for n in map(int, options.sizes.split(",")):
        model = models.write("rc_ladder", n, folder)
        ours, theirs = [], []
        for _ in range(options.repeat):
            got = run.measure([options.cotree, "simulate", model.cot_path, "--stop", "10 ms", "--interval", "10 us", "--rtol", "1e-4", "--solver",
                               "bdf", "--only", ",".join(model.ours), "--out", folder / "newton.csv"])
            summary = run.Bench.summary(got.output)
            found = re.search(r"(\d+) (?:Newton )?iterations", got.output)
            ours.append((summary["computing"], summary["steps"], int(found[1]) if found else None))
            if program:
                theirs.append(json.loads(run.measure([program, n, "1e-4"]).output))
        computing, steps, iterations = statistics.median(o[0] for o in ours), ours[0][1], ours[0][2]
        row = {"states": n, "ours_s": computing, "steps": steps, "iterations": iterations,
               "ours": computing / iterations / n * 1e9 if iterations else None}
        if theirs:
            row |= {"cvode": statistics.median(t["ns_per_iteration_and_state"] for t in theirs), "cvode_s": statistics.median(t["cpu"] for t in theirs),
                    "cvode_steps": theirs[0]["steps"], "cvode_iterations": theirs[0]["iterations"]}
        rows.append(row)
        text = lambda key, form: "-" if row.get(key) is None else format(row[key], form)
        print(f"{n:>8} {text('ours', '.1f'):>8} {text('cvode', '.1f'):>8} {computing:>8.3f} {text('cvode_s', '.3f'):>8} {steps:>7} "
              f"{text('cvode_steps', ''):>6} {text('iterations', ''):>10} {text('cvode_iterations', ''):>6}")
        sys.stdout.flush()
    if any(r["ours"] is None for r in rows):
        print("the summary of `cotree simulate` tells no number of iterations")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()

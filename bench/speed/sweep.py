#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Sweep of 10,000 runs of examples/positioner without its limit: one core, two cores, lanes. Wall time, since cores are compared.

  sweep.py [--runs 10000] [--repeat 3] [--cotree PROGRAM] [--json FILE]
"""
import argparse
import json
import math
import pathlib
import statistics
import subprocess
import sys

sys.dont_write_bytecode = True
import models
import run


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=10000, help="a square number")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--cotree", default=str(models.ROOT / "build/release/bin/cotree"))
    parser.add_argument("--folder", default=str(models.ROOT / "build/speed"))
    parser.add_argument("--json")
    options = parser.parse_args()
    folder = pathlib.Path(options.folder)
    folder.mkdir(parents=True, exist_ok=True)
    text = (models.ROOT / "examples/positioner/positioner.cot").read_text()
    assert ", limit = 24 V" in text
    model = folder / "positioner_unlimited.cot"
    model.write_text(text.replace(", limit = 24 V", ""))
    side = math.isqrt(options.runs)
    table = folder / "sweep.csv"
    base = [options.cotree, "sweep", model, "--vary", f"pid.kp=2 V/rad:6 V/rad:{side}", "--vary",
            f"load.J=5e-4 kg*m^2:2e-3 kg*m^2:{side}", "--keep", "max(load.phi)", "--force", "--out", table]
    # Lanes are an option of the program if its help says so; without them every run goes alone.
    lanes = "--lanes" in subprocess.run([options.cotree, "sweep", "--help"], capture_output=True, text=True).stdout
    alone = ["--lanes", "1"] if lanes else []
    ways = {"one core, no lanes": [*alone, "--threads", "1"], "two cores, no lanes": [*alone, "--threads", "2"]}
    if lanes:
        ways |= {"one core, lanes": ["--threads", "1"], "two cores, lanes": ["--threads", "2"]}
    got = {way: [] for way in ways}
    tables = {}
    for _ in range(options.repeat):
        for way, extra in ways.items():
            got[way].append(run.measure([*base, *extra]))
            tables[way] = [line for line in table.read_text().splitlines() if not line.startswith("#")]
    one = statistics.median(m.wall for m in got["one core, no lanes"])
    print(f"sweep of {side * side} runs of examples/positioner without its limit, wall time, median of {options.repeat}, interleaved")
    print(f"{'':22} {'wall s':>8} {'CPU s':>8} {'us/run':>8} {'speed-up':>8}  table")
    rows = []
    for way, measured in got.items():
        wall = statistics.median(m.wall for m in measured)
        cpu = statistics.median(m.cpu for m in measured)
        same = "same bytes" if tables[way] == tables["one core, no lanes"] else "other bytes"
        rows.append({"way": way, "wall": wall, "cpu": cpu, "runs": side * side, "speedup": one / wall, "table": same})
        print(f"{way:22} {wall:>8.2f} {cpu:>8.2f} {wall / side**2 * 1e6:>8.1f} {one / wall:>8.2f}  {same}")
    if not lanes:
        print("this program has no lanes (no --lanes in `cotree sweep --help`)")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()

#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""`simulate --certify` on every experiment of examples/: the digits on which all repeats agree.

certify_examples.py COTREE [ROOT]

Prints a line an experiment, then a line with figures."""
import os, re, subprocess, sys, time


def experiments(file):
    with open(file, encoding="utf-8") as f:
        return re.findall(r"^experiment\s+(\w+)\s+of\s+(\w+)", f.read(), re.M)


def main():
    program = os.path.abspath(sys.argv[1])
    root = sys.argv[2] if len(sys.argv) > 2 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    began, agree, disagree, failed = time.time(), 0, 0, 0
    least = (99.0, "")
    for folder, _, files in sorted(os.walk(os.path.join(root, "examples"))):
        for name in sorted(f for f in files if f.endswith(".cot")):
            file = os.path.join(folder, name)
            for experiment, _ in experiments(file):
                ran = subprocess.run([program, "simulate", file, "--experiment", experiment, "--certify"], stdin=subprocess.DEVNULL,
                                     capture_output=True, text=True, timeout=900)
                digits = re.findall(r"all agree on ([0-9.]+) digits", ran.stdout)
                what = f"{os.path.relpath(file, root)} {experiment}"
                if digits:
                    agree += 1
                    least = min(least, (float(digits[0]), what))
                    print(f"{what}: {digits[0]} digits", flush=True)
                elif "they do not agree" in ran.stdout:
                    disagree += 1
                    print(f"{what}: {[l for l in ran.stdout.splitlines() if 'do not agree' in l][0]}", flush=True)
                else:
                    failed += 1
                    print(f"{what}: exit {ran.returncode}: {ran.stderr.strip().splitlines()[:1]}", flush=True)
    print(f"experiments {agree + disagree + failed}: agree {agree} (least {least[0]} digits, {least[1]}), disagree {disagree}, "
          f"not run {failed}, seconds {time.time() - began:.0f}")


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tries every class of the library, each of its models, alone and joined to the grounds of its domains, through the
commands of the product. Whatever the model, a command ends by itself with an exit code of its own: never by a signal,
never with 3 (our bug).

  try_every_class.py COTREE [--classes REGEX] [--seconds N] [--keep FOLDER]

Prints one line for each command that ended otherwise, then how many were tried. Exit code 1: there was one."""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

LIBRARY = pathlib.Path(__file__).resolve().parent.parent / "library"
COMMANDS = [["check"], ["graph"], ["tree"], ["order"], ["equations"], ["derive"], ["report", "-o", "out.html"],
            ["simulate", "--stop", "0.01"], ["linearize"], ["emit", "-o", "emitted"]]


def shapes():
    """(class, parameter) -> text of its sizes, from the library's text."""
    out = {}
    for path in sorted(LIBRARY.glob("*.cot")):
        cls = None
        for line in path.read_text().splitlines():
            if m := re.match(r"(?:component|software) (\w+)", line):
                cls = m.group(1)
            if m := re.match(r"\s*(?:final )?parameter ([\w, ]+?)\s*:\s*[^=\"\[]*\[([^\]]*)\]", line):
                for name in m.group(1).split(","):
                    out[cls, name.strip()] = m.group(2)
    return out


def argument(cls, parameter, sizes):
    """A value that such a parameter can have."""
    unit = re.sub(r"\$\w+", "1", parameter["unit"])
    unit = "" if unit in ("", "1") or re.fullmatch(r"[1*/()^]+", unit) else " " + unit
    dims = sizes.get((cls["name"], parameter["name"]))
    if dims is None:
        return "2" + unit
    counts = []
    for d in dims.split(","):
        names = {p["name"]: 2 for p in cls["parameters"]}
        counts.append(int(eval(d, {"__builtins__": {}}, names)))  # sizes of our own library: 3, n, n + 1
    def array(level):
        if level == len(counts):
            return "1"
        return "[" + ", ".join(array(level + 1) if level + 1 < len(counts) else str(k + 1)
                               for k in range(counts[level])) + "]"
    return array(0) + unit


def systems(cls, sizes):
    given = [p for p in cls["parameters"] if p["default"] is None]
    text = ", ".join(f"{p['name']} = {argument(cls, p, sizes)}" for p in given)
    use = f"x : {cls['package']}.{cls['name']}({text})" + (f" as {cls['model']}" if cls["model"] else "")
    yield "alone", f"system S {{\n  {use}\n}}\n"
    joined = "".join(f"  connect x.{t['name']} -- {t['domain']}.ground\n" for t in cls["terminals"])
    yield "grounded", f"system S {{\n  {use}\n{joined}}}\n"
    first = "".join(f"  connect x.{t['name']} -- {t['domain']}.{'ground' if k == 0 else 'open'}\n"
                    for k, t in enumerate(cls["terminals"]))
    yield "half open", f"system S {{\n  {use}\n{first}}}\n"
    body = ("  base : mechanics.Revolute(n = [0, 1, 0])\n  part : mechanics.Body(m = 1 kg, I = [1, 1, 1, 0, 0, 0] kg*m^2)\n"
            "  connect mechanics.ground -- base.a\n  connect base.b -- part.a\n")
    yield "forgotten", f"system S {{\n{body}  {use}\n}}\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cotree")
    parser.add_argument("--classes", default="")
    parser.add_argument("--seconds", type=float, default=20, help="the longest a command may take")
    parser.add_argument("--commands", default="", help="only those, with commas between")
    parser.add_argument("--keep", default="", help="where models that failed are kept")
    options = parser.parse_args()
    cotree = str(pathlib.Path(options.cotree).resolve())
    classes = json.loads(subprocess.run([cotree, "library", "--format", "json"], capture_output=True, check=True).stdout)
    sizes = shapes()
    wanted = options.commands.split(",") if options.commands else [c[0] for c in COMMANDS]
    tried = failed = understood = 0
    begin = time.time()
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "m.cot"
        for cls in classes["classes"]:
            if not re.search(options.classes, cls["name"]):
                continue
            for kind, text in systems(cls, sizes):
                model.write_text(text)
                for command in COMMANDS:
                    if command[0] not in wanted:
                        continue
                    words = [cotree, command[0], "m.cot", *command[1:]]
                    tried += 1
                    try:
                        ran = subprocess.run(words, cwd=folder, capture_output=True, timeout=options.seconds)
                        understood += command[0] == "check" and b"COT20" not in ran.stderr and b"COT22" not in ran.stderr
                        code = ran.returncode
                        bad = code < 0 or code == 3 or (code != 0 and not ran.stderr)
                    except subprocess.TimeoutExpired:
                        code, bad = "more than %g s" % options.seconds, True
                    if bad:
                        failed += 1
                        what = f"{cls['name']}{' as ' + cls['model'] if cls['model'] else ''}"
                        print(f"{what} {kind}: cotree {' '.join(words[1:])}: {code}", flush=True)
                        if options.keep:
                            kept = pathlib.Path(options.keep)
                            kept.mkdir(parents=True, exist_ok=True)
                            name = f"{cls['name']}_{cls['model']}_{kind.replace(' ', '_')}.cot"
                            (kept / name).write_text(text)
    print(f"{tried} commands, {failed} ended by a signal, by 3, without a word or not in time; "
          f"{understood} systems were understood; {time.time() - begin:.0f} s")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tries to break cotree: no command may end by a signal, by our own check (exit 3), or beyond its time.

  try_to_break.py classes             every class of the library, alone and joined to the references, through every command
  try_to_break.py systems N [SEED]    N random systems of classes of the library, through every command
  try_to_break.py mutants N COMMANDS  N mutants of the .cot files of the repository, through the commands named

Two jobs at a time. Prints what failed with the text that did it (kept in build/broken/), then one line of figures.
Options before the mode: --cotree PROGRAM, --seconds S (time of one command, 20)."""
import concurrent.futures
import json
import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
COTREE = str(ROOT / "build/release/bin/cotree")
SECONDS = 20.0
EVERY = ["check", "graph", "tree", "order", "equations", "derive", "linearize", "trim", "simulate", "values", "report", "emit",
         "kinematics", "profile"]
NO_VALUE = {"$a": "1", "$b": "1"}


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def arguments(command, path, folder):
    out = {"report": ["-o", f"{folder}/r.html"], "emit": ["-o", f"{folder}/e.c"],
           "simulate": ["--stop", "0.01 s", "--out", f"{folder}/o.csv"], "profile": ["--stop", "0.01 s"],
           "kinematics": ["--stop", "0.01 s"], "values": []}.get(command, [])
    return [COTREE, command, path] + out


def verdict(command, path, folder):
    """None, or what went wrong."""
    try:
        done = subprocess.run(arguments(command, path, folder), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, timeout=SECONDS, preexec_fn=limit)
    except subprocess.TimeoutExpired as late:
        # A run that its own numbers make long shows how far it is.
        if b" to go" in (late.stderr or b""):
            return f"{command}: a long run, {late.stderr[-60:].decode(errors='replace').split('cotree:')[-1].strip()}"
        return f"{command}: more than {SECONDS:g} s"
    if done.returncode < 0 or done.returncode == 3 or done.returncode > 128:
        return f"{command}: exit {done.returncode} {done.stderr[-200:].decode(errors='replace').strip()}"
    if done.returncode != 0 and not done.stderr.strip() and command != "check":
        return f"{command}: exit {done.returncode} without a word"
    return None


def try_text(name, text, commands):
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/m.cot"
        with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
        found = [v for v in (verdict(c, path, folder) for c in commands) if v]
    if found:
        kept = ROOT / "build/broken"
        kept.mkdir(parents=True, exist_ok=True)
        (kept / f"{name}.cot").write_text(text, encoding="utf-8", errors="surrogateescape")
    return name, found


def run_all(cases, commands, what):
    signals = slow = silent = count = long = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name, found in pool.map(lambda c: try_text(c[0], c[1], commands), cases):
            count += 1
            for f in found:
                print(f"{name}: {f}")
                slow += "more than" in f
                silent += "without a word" in f
                long += "a long run" in f
                signals += not any(w in f for w in ("more than", "without a word", "a long run"))
    print(f"{what} {count}, commands {len(commands)}: signals {signals}, beyond {SECONDS:g} s {slow}, silent {silent}; "
          f"long runs, with progress {long}")
    return 1 if signals or slow or silent else 0


# ---- Systems ------------------------------------------------------------------------------------------------------------

def library():
    text = subprocess.run([COTREE, "library", "--format", "json"], capture_output=True, check=True).stdout
    return json.loads(text)["classes"]


def value(parameter, rng):
    unit = parameter["unit"]
    number = rng.choice(["1", "2", "0.5", "0.1", "10", "1e-3", "3"])
    if unit in ("", "1") or "$" in unit:
        return number
    return f"{number} {unit}"


def instance(cls, name, rng):
    given = [f"{p['name']} = {value(p, rng)}" for p in cls["parameters"] if p["default"] is None]
    model = f" as {cls['model']}" if cls.get("model") and rng.random() < 0.5 else ""
    return f"  {name} : {cls['package']}.{cls['name']}({', '.join(given)}){model}\n"


def reference(domain):
    return f"{domain}.ground"


def alone(cls, grounded):
    rng = random.Random(cls["name"])
    text = "system S {\n" + instance(cls, "x", rng)
    if grounded:
        for t in cls["terminals"]:
            text += f"  connect x.{t['name']} -- {reference(t['domain'])}\n"
    return text + "}\n"


def random_system(classes, seed):
    rng = random.Random(seed)
    domains = rng.sample(["electrical", "rotational", "translational", "hydraulic", "thermal", "mechanics"], rng.randint(1, 2))
    packages = set(domains) | {"signal", "electromechanical"}
    fits = [c for c in classes if c["package"] in packages and all(t["domain"] in domains for t in c["terminals"])]
    picked = [rng.choice(fits) for _ in range(rng.randint(2, 12))]
    text = "system S {\n"
    ends, outputs, inputs = {}, [], []
    for k, cls in enumerate(picked):
        name = f"x{k + 1}"
        text += instance(cls, name, rng)
        for t in cls["terminals"]:
            ends.setdefault(t["domain"], []).append(f"{name}.{t['name']}")
        for v in cls["variables"]:
            if v["role"] == "output":
                outputs.append(f"{name}.{v['name']}")
            if v["role"] == "input":
                inputs.append(f"{name}.{v['name']}")
    for domain, names in sorted(ends.items()):
        rng.shuffle(names)
        while names:
            node = [names.pop() for _ in range(min(len(names), rng.choice([1, 2, 2, 3, 3, 4])))]
            if rng.random() < 0.35 or len(node) == 1:
                node.append(reference(domain))
            if rng.random() < 0.05:
                continue  # forgotten
            text += "  connect " + " -- ".join(node) + "\n"
    for i in inputs:
        if outputs and rng.random() < 0.95:
            text += f"  connect {rng.choice(outputs)} -> {i}\n"
    return text + "}\n"


# ---- Mutants ------------------------------------------------------------------------------------------------------------

def seeds():
    # What names foreign code would have to be allowed first.
    found = sorted(p for folder in ("examples", "library", "tests", "docs") for p in (ROOT / folder).rglob("*.cot"))
    texts = [p.read_text(encoding="utf-8", errors="surrogateescape") for p in found]
    return [t for t in texts if len(t) < 20000]


WORDS = ["connect", "--", "->", "if", "when", "der(", "{", "}", "(", ")", "[", "]", "0", "1e300", "-1", "1e-300", "nan", "time", "as",
         "start", "fixed", "import", "component", "system", "experiment", "parameter", "equation", "for", "sum(", "\"", "/*", "*/", "//",
         "9999999999999999999", "[1:n]", "= 0", "kg*m^2", "Ω", "\x00", "\ufeff", "pre(", "sample(", "true", "."]


def mutant(texts, seed):
    rng = random.Random(seed)
    text = rng.choice(texts)
    for _ in range(rng.choice([1, 1, 1, 2, 3, 5])):
        kind = rng.randrange(7)
        at = rng.randrange(len(text) + 1)
        end = min(len(text), at + rng.choice([1, 1, 2, 5, 20, 100]))
        lines = text.split("\n")
        if kind == 0:
            text = text[:at] + text[end:]
        elif kind == 1:
            text = text[:at] + rng.choice(WORDS) + text[at:]
        elif kind == 2:
            text = text[:at] + text[at:end] * rng.choice([2, 3, 50]) + text[end:]
        elif kind == 3 and len(lines) > 2:
            i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
            lines[i], lines[j] = lines[j], lines[i]
            text = "\n".join(lines)
        elif kind == 4 and len(lines) > 2:
            del lines[rng.randrange(len(lines))]
            text = "\n".join(lines)
        elif kind == 5:
            other = rng.choice(texts)
            a = rng.randrange(len(other) + 1)
            text = text[:at] + other[a:a + rng.choice([10, 50, 300])] + text[at:]
        else:
            digits = [i for i, c in enumerate(text) if c.isdigit()]
            if digits:
                i = rng.choice(digits)
                text = text[:i] + rng.choice(["0", "9", "1e9", "-1", "1e-12", ""]) + text[i + 1:]
    return text


def main():
    global COTREE, SECONDS
    words = sys.argv[1:]
    while words and words[0].startswith("--"):
        if words[0] == "--cotree":
            COTREE = os.path.abspath(words[1])
        elif words[0] == "--seconds":
            SECONDS = float(words[1])
        words = words[2:]
    if not words:
        sys.exit(__doc__)
    if words[0] == "classes":
        classes = library()
        cases = [(f"{c['package']}_{c['name']}_{c['model']}_{g}", alone(c, g)) for c in classes for g in (False, True)]
        return run_all(cases, EVERY, "classes alone and joined")
    if words[0] == "systems":
        classes = library()
        first = int(words[2]) if len(words) > 2 else 1
        return run_all([(f"system_{s}", random_system(classes, s)) for s in range(first, first + int(words[1]))], EVERY,
                       "random systems")
    if words[0] == "mutants":
        texts = seeds()
        return run_all([(f"mutant_{s}", mutant(texts, s)) for s in range(1, int(words[1]) + 1)], words[2:], "mutants")
    sys.exit(__doc__)


if __name__ == "__main__":
    sys.exit(main())

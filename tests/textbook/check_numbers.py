#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Do the textbook's equations (NAME.json) and the model (NAME.cot) speak of the same thing? By numbers.

For each system, with the values of the file and then with random ones of parameters, states and inputs:
  1. `cotree linearize` at these values, inputs left as they are driven: A must be the Jacobian of the book's equations there;
     with the inputs cut (so 0): A and B must be their Jacobians there.
  2. `cotree simulate` from these values: the states on the way and at the end must be those of scipy's integration of the book's equations.
Once for each system, in symbols: the book's transfer function and its equations before they are solved agree with those solved.

    check_numbers.py --cotree PATH [--library DIR] [--trials N] [NAME...]
"""
import argparse
import csv
import io
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import numpy
import scipy.integrate
import sympy

import textbook

FOLDER = pathlib.Path(__file__).resolve().parent
LINEAR_TOLERANCE = 1e-7   # of Jacobians, by the largest term of the row
RUN_TOLERANCE = 2e-6      # of states in a run, by their size


class Mismatch(Exception):
    pass


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        raise Mismatch(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout[-800:]}{done.stderr[-800:]}")
    return done.stdout


def quantity(number, unit):
    return f"{number:.15g}" if unit == "1" else f"{number:.15g} {unit}"


def random_values(book, generator):
    """Every symbol within 0.7 to 1.25 of its value in the file; numbers that nobody may set (no unit) stay."""
    return {symbol: value if unit == "" else value * generator.uniform(0.7, 1.25) for symbol, (value, unit) in book.data["values"].items()}


def write_probe(book, values, file):
    """A file with an experiment that has these values."""
    data = book.data
    lines = [f'import "{FOLDER / (book.name + ".cot")}"', f"experiment Probe of {data['system']} {{", f"  stop = {data['stop']} s"]
    for symbol, path in data["symbols"].items():
        unit = data["values"][symbol][1]
        if symbol in book.states:
            lines.append(f"  start {path} = {quantity(values[symbol], unit)} fixed")
        elif symbol in data["drives"]:
            lines.append(f"  set {data['drives'][symbol]} = {quantity(values[symbol], unit)}")
        elif unit != "" and symbol not in data.get("derived", []):
            lines.append(f"  set {path} = {quantity(values[symbol], unit)}")
    for path, (text, unit) in data.get("set", {}).items():
        lines.append(f"  set {path} = {quantity(float(book.evaluate(book.parse(text), values)), unit)}")
    file.write_text("\n".join(lines) + "\n}\n")


def numbers(book, matrix, values):
    return numpy.array(book.evaluate(matrix, values).tolist(), dtype=float)


def compare_matrices(what, ours, book_matrix):
    ours = numpy.array(ours, dtype=float).reshape(book_matrix.shape)
    size = numpy.maximum(numpy.abs(book_matrix).max(axis=1, keepdims=True), 1e-30)
    worst = float((numpy.abs(ours - book_matrix) / size).max()) if ours.size else 0.0
    if worst > LINEAR_TOLERANCE:
        raise Mismatch(f"{what} differs by {worst:.2g} (relative)\ncotree\n{ours}\nbook\n{book_matrix}")
    return worst


def check_linear(book, values, model, options):
    """Jacobians at the values, with driven inputs and with inputs cut."""
    worst = 0.0
    paths = [book.data["symbols"][state] for state in book.states]
    for cut in (False, True):
        command = [options.cotree, "linearize", *model, "--format", "json", "--library", options.library]
        for path in book.data["inputs"] if cut else []:
            command += ["--input", path]
        system = json.loads(run(command))["system"]
        if sorted(system["states"]) != sorted(paths):
            raise Mismatch(f"states are {system['states']}, the book's {paths}")
        if any(numpy.any(matrix) for matrix in system["input_derivatives"]):
            raise Mismatch("derivatives of inputs appear")
        at = dict(values)
        if cut:
            at.update({symbol: 0.0 for symbol in book.inputs})
        rows = [system["states"].index(path) for path in paths]
        jacobian = numbers(book, book.jacobian(book.states), at)
        A = numpy.array(system["A"], dtype=float)[numpy.ix_(rows, rows)]
        worst = max(worst, compare_matrices("A" + (" with inputs 0" if cut else ""), A, jacobian))
        if cut:
            columns = [system["inputs"].index(book.data["symbols"][symbol]) for symbol in book.inputs]
            B = numpy.array(system["B"], dtype=float)[numpy.ix_(rows, columns)]
            worst = max(worst, compare_matrices("B with inputs 0", B, numbers(book, book.jacobian(book.inputs), at)))
    return worst


def check_run(book, values, model, options):
    """A run against scipy."""
    stop = book.data["stop"]
    text = run([options.cotree, "simulate", *model, "--stop", f"{stop} s", "--rtol", "1e-9", "--interval", f"{stop / 20} s", "--csv", "--library", options.library])
    rows = list(csv.reader(line for line in io.StringIO(text) if not line.startswith("#")))
    header = [name.split(" [")[0].strip() for name in rows[0]]
    table = numpy.array([[float(cell) for cell in row] for row in rows[1:]])
    columns = [header.index(book.data["symbols"][state]) for state in book.states]
    right = sympy.lambdify([sympy.Symbol("t")] + [book.symbol[s] for s in book.states],
                           [book.equation[s].subs({book.symbol[n]: v for n, v in values.items() if n not in book.states}) for s in book.states], "numpy")
    times = table[:, header.index("time")]
    answer = scipy.integrate.solve_ivp(lambda t, x: right(t, *x), (0.0, times[-1]), [values[s] for s in book.states], method="LSODA",
                                       t_eval=times, rtol=1e-11, atol=[1e-13 * max(abs(values[s]), 1e-6) for s in book.states])
    if not answer.success:
        raise Mismatch("scipy: " + answer.message)
    theirs = answer.y.T
    error = numpy.abs(table[:, columns] - theirs) / numpy.abs(theirs).max(axis=0)
    if abs(times[-1] - stop) > 1e-9 * stop or error.max() > RUN_TOLERANCE:
        place = numpy.unravel_index(error.argmax(), error.shape)
        raise Mismatch(f"run: {book.states[place[1]]} at {times[place[0]]:g} s differs by {error.max():.2g} of its largest value")
    return float(error.max())


def check_book_with_itself(book):
    """Transfer function and unsolved equations of the book, in symbols."""
    notes = []
    transfer = book.data.get("transfer")
    if transfer:
        s = sympy.Symbol("s")
        x = sympy.Matrix([book.symbol[n] for n in book.states])
        f = sympy.Matrix([book.equation[n] for n in book.states])
        A, B = f.jacobian(x), f.jacobian([book.symbol[transfer["input"]]])
        X = (s * sympy.eye(len(x)) - A).LUsolve(B)
        H = X[book.states.index(transfer["output"])]
        if sympy.cancel(sympy.together(H - book.parse(transfer["H"], {"s": s}))) != 0:
            raise Mismatch("the book's transfer function is not that of its equations")
        notes.append("transfer function")
    if book.data.get("residuals"):
        if any(textbook.simplify_to_zero(r) != 0 for r in book.residuals(book.equation)):
            raise Mismatch("the book's solved equations do not satisfy its unsolved ones")
        notes.append("residuals")
    return notes


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cotree", required=True)
    parser.add_argument("--library", default=str(FOLDER.parent.parent / "library"))
    parser.add_argument("--trials", type=int, default=3)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    failed = False
    for book in textbook.books(options.names):
        generator = random.Random(book.name)
        try:
            notes = check_book_with_itself(book)
            linear = motion = 0.0
            with tempfile.TemporaryDirectory() as folder:
                probe = pathlib.Path(folder) / "probe.cot"
                for trial in range(options.trials + 1):
                    if trial == 0:
                        values = {symbol: value for symbol, (value, _) in book.data["values"].items()}
                        model = [str(FOLDER / (book.name + ".cot")), "--system", book.data["system"]]
                    else:
                        values = random_values(book, generator)
                        write_probe(book, values, probe)
                        model = [str(probe), "--experiment", "Probe"]
                    linear = max(linear, check_linear(book, values, model, options))
                    motion = max(motion, check_run(book, values, model, options))
            more = "; in symbols, within the book: " + ", ".join(notes) if notes else ""
            print(f"{book.name}: agrees at the file's values and {options.trials} random ones, A and B within {linear:.1e}, run within {motion:.1e}{more}")
        except Mismatch as problem:
            failed = True
            print(f"{book.name}: DIFFERS: {problem}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

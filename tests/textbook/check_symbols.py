#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Are Cotree's equations those of the textbook, in symbols, and as short?

For each system `cotree equations NAME.cot --form state-space --format sympy --symbolic all --input ...` writes a Python text with `names`, `values`,
`states`, `inputs`, `definitions`, `derivatives`. Its definitions are put in, last to first, its symbols are renamed to the book's, and the difference
of each derivative to the book's must become 0. The terms (textbook.count_terms) and the operations of derivatives and of those definitions
that are used must not be more than the book's.

    check_symbols.py --cotree PATH [--library DIR] [--from FOLDER] [--symbolic all|book] [NAME...]

--from reads FOLDER/NAME.py instead of running cotree. --symbolic book asks for the book's parameters by name instead of for all.
Symbols the book does not have are parameters with a value in `values` (a relaxed length 0): their value is put in; but they count as terms if printed.
"""
import argparse
import ast
import pathlib
import random
import subprocess
import sys

import sympy

import textbook

FOLDER = pathlib.Path(__file__).resolve().parent


class Mismatch(Exception):
    pass


def export_of(book, options):
    """The text Cotree writes."""
    if options.folder:
        return (pathlib.Path(options.folder) / (book.name + ".py")).read_text()
    command = [options.cotree, "equations", str(FOLDER / (book.name + ".cot")), "--system", book.data["system"], "--form", book.data.get("form", "state-space"),
               "--format", "sympy", "--library", options.library]
    if options.symbolic == "all":
        command += ["--symbolic", "all"]
    else:
        for symbol, path in book.paths.items():
            if symbol not in book.states and symbol not in book.inputs:
                command += ["--symbolic", path]
    for path in book.data["inputs"]:
        command += ["--input", path]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        raise Mismatch(f"{' '.join(command)} ended with {done.returncode}: {(done.stdout + done.stderr).strip()[-600:]}")
    return done.stdout


class Export:
    """Cotree's text: what it means, and how it is printed."""

    def __init__(self, text):
        space = {}
        try:
            exec(compile(text, "export", "exec"), space)   # what our own program wrote
        except Exception as problem:   # any: the text is wrong Python, or uses what it has not declared
            raise Mismatch(f"the text cannot be run: {type(problem).__name__}: {problem}")
        for name in ("names", "values", "states", "inputs", "definitions", "derivatives"):
            if name not in space:
                raise Mismatch(f"the text has no `{name}`")
        self.path = {space[short]: path for short, path in space["names"].items()}
        self.values, self.states, self.inputs = space["values"], space["states"], space["inputs"]
        self.definitions, self.derivatives = space["definitions"], space["derivatives"]
        missing = [state for state in self.states if state not in self.derivatives]
        if missing:
            raise Mismatch(f"no derivative of {missing}")
        self.definition_texts, self.derivative_texts = self.printed(text)

    @staticmethod
    def printed(text):
        """The right sides as they stand in the text, definitions and derivatives."""
        definitions, derivatives = [], []
        for statement in ast.parse(text).body:
            if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                if statement.targets[0].id == "definitions":
                    definitions = [ast.get_source_segment(text, pair.elts[1]) for pair in statement.value.elts]
                if statement.targets[0].id == "derivatives":
                    derivatives = [ast.get_source_segment(text, value) for value in statement.value.values]
        # A right side over several lines stands in brackets of its own or of the list: one line is the same expression.
        return [" ".join(line.split()) for line in definitions], [" ".join(line.split()) for line in derivatives]

    def resolved(self, state):
        """A derivative with definitions put in, and which were used."""
        expression, used = sympy.sympify(self.derivatives[state]), set()
        for number in range(len(self.definitions) - 1, -1, -1):
            symbol, meaning = self.definitions[number]
            if expression.has(symbol):
                used.add(number)
                expression = expression.subs(symbol, meaning)
        return expression, used


def translation(book, export):
    """What each symbol of the text is in the book."""
    symbol_of_path = {path: symbol for symbol, path in book.paths.items()}
    aliases = book.data.get("aliases", {})
    meaning = {}
    for symbol, path in export.path.items():
        if path in symbol_of_path:
            meaning[symbol] = book.symbol[symbol_of_path[path]]
        elif path in aliases:
            meaning[symbol] = book.parse(aliases[path])
        elif symbol in export.values:
            meaning[symbol] = exact(sympy.sympify(export.values[symbol]))
    return meaning


def exact(expression):
    """Decimal numbers as fractions, so that differences can become 0."""
    return expression.xreplace({number: sympy.Rational(str(number)) for number in expression.atoms(sympy.Float)})


def check_equal(book, what, ours, theirs):
    left = textbook.simplify_to_zero(ours - theirs)
    if left == 0:
        return
    generator = random.Random(1)
    worst = 0.0
    for _ in range(10):   # about the values of the file, states and inputs with either sign
        at = {name: value * generator.uniform(0.7, 1.25) * (generator.choice([-1, 1]) if name in book.states + book.inputs else 1)
              for name, (value, _) in book.data["values"].items()}
        numbers = [complex(book.evaluate(expression, at)) for expression in (ours, theirs)]
        worst = max(worst, abs(numbers[0] - numbers[1]) / max(abs(numbers[0]), abs(numbers[1]), 1e-300))
    kind = f"differs, by {worst:.1e} in numbers" if worst > 1e-12 else "could not be shown equal, though it is so in numbers"
    raise Mismatch(f"{what} {kind}; ours - book = {left}")


def check(book, options):
    export = Export(export_of(book, options))
    meaning = translation(book, export)

    def in_book(symbol):
        return meaning.get(symbol, symbol)

    for what, ours, theirs in (("states", export.states, book.states), ("inputs", export.inputs, book.inputs)):
        if {in_book(s) for s in ours} != {book.symbol[s] for s in theirs} or len(ours) != len(theirs):
            raise Mismatch(f"{what} are {[export.path.get(s, s) for s in ours]}, the book's are {[book.paths[s] for s in theirs]}")

    # A constant of nature may be a number in the text and a letter in the book.
    printed = set(meaning.values())
    constants = {book.symbol[s]: sympy.Rational(str(value)) for s, (value, unit) in book.data["values"].items() if unit == "" and book.symbol[s] not in printed}
    derivative, used = {}, set()
    for state in export.states:
        expression, numbers = export.resolved(state)
        used |= numbers
        derivative[str(in_book(state))] = exact(expression).subs(meaning, simultaneous=True)
    for state in book.states:
        unknown = derivative[state].free_symbols - set(book.symbol.values())
        if unknown:
            raise Mismatch(f"derivative of {book.paths[state]}: {sorted(export.path.get(s, str(s)) for s in unknown)} is neither in the book nor has a value")
        check_equal(book, f"derivative of {book.paths[state]}", derivative[state], book.equation[state].subs(constants))
    for number, residual in enumerate(book.residuals(derivative)):
        check_equal(book, f"unsolved equation {number + 1}", residual.subs(constants), sympy.Integer(0))

    ours = sum(textbook.count_terms(text) for text in export.derivative_texts) + sum(textbook.count_terms(export.definition_texts[n]) for n in used)
    operations = sum(textbook.count_operations(text) for text in [*export.derivative_texts, *(export.definition_texts[n] for n in used)])
    if ours > book.terms() or operations > book.operations():
        raise Mismatch(f"equal, but terms {ours} (book {book.terms()}), operations {operations} (book {book.operations()})")
    every = sum(textbook.count_all_summands(text) for text in [*export.derivative_texts, *(export.definition_texts[n] for n in used)])
    return (f"terms {ours} (book {book.terms()}), operations {operations} (book {book.operations()}), "
            f"with those in brackets {every} (book {book.all_summands()})")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cotree", default="cotree")
    parser.add_argument("--library", default=str(FOLDER.parent.parent / "library"))
    parser.add_argument("--from", dest="folder")
    parser.add_argument("--symbolic", choices=["all", "book"], default="all")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    failed = False
    for book in textbook.books(options.names):
        try:
            print(f"{book.name}: equal, {check(book, options)}", flush=True)
        except Mismatch as problem:
            failed = True
            print(f"{book.name}: NOT AS IN THE BOOK: {problem}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

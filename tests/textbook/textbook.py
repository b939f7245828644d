# SPDX-License-Identifier: Apache-2.0
"""What check_numbers.py and check_symbols.py share: the books' equations, read from NAME.json (README.md says what stands there)."""
import ast
import json
import pathlib
import sys

import sympy
from sympy.parsing.sympy_parser import parse_expr

FOLDER = pathlib.Path(__file__).resolve().parent


class Book:
    """The equations of one system as its book has them."""

    def __init__(self, name):
        self.name = name
        self.data = json.loads((FOLDER / (name + ".json")).read_text())
        self.paths = self.data["symbols"]
        self.states = self.data["states"]
        self.inputs = [next(symbol for symbol, path in self.paths.items() if path == wanted) for wanted in self.data["inputs"]]
        # Parameters are positive in every one of these books; states and inputs are real.
        varying = set(self.states) | set(self.inputs)
        self.symbol = {name_: sympy.Symbol(name_, real=True) if name_ in varying else sympy.Symbol(name_, positive=True) for name_ in self.paths}
        definitions = {}
        for name_, text in self.data.get("definitions", {}).items():
            definitions[name_] = self.parse(text, definitions)
        self.equation = {state: self.parse(self.data["equations"][state], definitions) for state in self.states}

    def parse(self, text, more=None):
        """An expression in the book's symbols, and those in `more`."""
        expression = parse_expr(text, local_dict={**self.symbol, **(more or {})})
        allowed = set(self.symbol.values()).union(*(sympy.sympify(value).free_symbols for value in (more or {}).values()))
        unknown = expression.free_symbols - allowed
        if unknown:
            sys.exit(f"{self.name}.json: {unknown} in `{text}` is none of its symbols")
        return expression

    def evaluate(self, expression, values):
        """A number or matrix at values of symbols, by name."""
        return expression.subs({self.symbol[name]: value for name, value in values.items()}).evalf()

    def jacobian(self, names):
        """Derivatives of the right sides. That of `sign` is 0: it is constant on either side of 0."""
        matrix = sympy.Matrix([self.equation[state] for state in self.states]).jacobian([self.symbol[name] for name in names])
        return matrix.replace(lambda e: isinstance(e, (sympy.Derivative, sympy.DiracDelta)), lambda e: sympy.Integer(0))

    def residuals(self, derivative):
        """The book's unsolved equations with these derivatives of the states put in."""
        names = self.data.get("derivatives", {})
        rates = {name: sympy.Symbol(name, real=True) for name in names}
        put_in = {rates[name]: derivative[state] for name, state in names.items()}
        return [self.parse(text, rates).subs(put_in) for text in self.data.get("residuals", [])]

    def terms(self):
        """The terms of the book's equations as printed, its abbreviations included."""
        return sum(count_terms(text) for text in [*self.data.get("definitions", {}).values(), *self.data["equations"].values()])

    def all_summands(self):
        return sum(count_all_summands(text) for text in [*self.data.get("definitions", {}).values(), *self.data["equations"].values()])

    def operations(self):
        return sum(count_operations(text) for text in [*self.data.get("definitions", {}).values(), *self.data["equations"].values()])


def books(names):
    """Those asked for, or all."""
    known = sorted(file.stem for file in FOLDER.glob("*.json"))
    for name in names:
        if name not in known:
            sys.exit(f"there is no {name}.json; there are {', '.join(known)}")
    return [Book(name) for name in (names or known)]


def remainder_with_trigonometry(difference):
    """The numerator as a polynomial in sines and cosines, less multiples of sin^2 + cos^2 - 1: exact for rational functions of these."""
    expression = sympy.expand_trig(difference)
    circles, generators, put_in = [], [], {}
    for angle in sorted({e.args[0] for e in expression.atoms(sympy.sin, sympy.cos)}, key=str):
        s, c = sympy.Dummy("s"), sympy.Dummy("c")
        put_in.update({sympy.sin(angle): s, sympy.cos(angle): c})
        circles.append(s**2 + c**2 - 1)
        generators += [s, c]
    numerator = sympy.expand(sympy.numer(sympy.together(expression.subs(put_in))))
    if not circles or numerator == 0:
        return numerator
    return sympy.reduced(numerator, circles, *generators)[1]


def simplify_to_zero(difference):
    """0, or what is left of the difference of two expressions after the usual ways to make it 0."""
    left = difference
    if left.has(sympy.nan, sympy.zoo, sympy.oo):
        return left
    for way in (lambda e: e, lambda e: sympy.cancel(sympy.together(e)), remainder_with_trigonometry, sympy.trigsimp, sympy.simplify):
        left = way(difference)
        if left == 0:
            break
    return left


def count_terms(text):
    """The terms of an expression as one reads it: the summands of a sum, of numerator and denominator of a quotient; a bracket that is multiplied by
    something belongs to its term. No sum at all counts 1.

    a*b: 1,  (a + b)/c: 2,  a*(b + c) + d: 2,  a - (b + c): 2,  (a + b)/(c + d): 4.
    """

    def is_sum(node):
        return isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub))

    def count(node):
        if isinstance(node, ast.UnaryOp):
            return count(node.operand)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            return count(node.left) + count(node.right)
        parts = 0
        while is_sum(node):   # a + b - c is ((a + b) - c)
            parts += 1
            node = node.left
        return parts + 1 if parts else 0

    return max(count(ast.parse(text.strip(), mode="eval").body), 1)


def count_operations(text):
    """+ - * / ** and functions, as printed; a sign in front costs nothing."""
    return sum(isinstance(node, (ast.BinOp, ast.Call)) for node in ast.walk(ast.parse(text.strip(), mode="eval")))


def count_all_summands(text):
    """As count_terms, but sums within brackets count too: a*(b + c) + d is 4. The stricter of two measures; not demanded, but shown."""

    def count(node):
        parts = []
        while isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
            parts.append(node.right)
            node = node.left
        if not parts:
            return sum(count(child) for child in ast.iter_child_nodes(node))
        return len(parts) + 1 + sum(count(part) for part in parts + [node])

    return max(count(ast.parse(text.strip(), mode="eval").body), 1)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `cotree equations --form state-space --format sympy` writes, against what Cotree computes.

For every FOLDER/*.json a file of the form

    {"file": path, "system": name, "text": model text or "",
     "points": [{"time": t, "values": {path: value}, "derivatives": {path of a state: value}}]}

the text for SymPy is made and run as the Python module that it is. Parameters are taken from the text itself;
states, inputs, discrete variables and the unknowns of groups are taken from the points, by the path that
`names` gives. What is compared with the numbers of the points:

  - each definition whose variable has a value in the point (others are computed, as the text says),
  - each derivative,
  - each row of each group: M*u - right = 0, or its residual = 0.

Each difference is divided by the sum of the magnitudes of the terms (as SizedValue in printed_equations.h does) and
must not be larger than 1e-12. Of an `if` the terms of the branch that is taken count; only where that fails, those
of all branches, as SizedValue has it, and unknowns of groups count as not smaller than 1e-4 of the largest value of
the same name (v, i, ...): the values of a block are as exact as its largest terms allow (3 uV beside 300 V). The same
1e-4 of the largest holds for definitions, and 1 for accelerations of mechanisms with loops, as in read_back_test.cc.
pre(x) is x; an equation that needs another function with a name (a table, a delay) is skipped and counted. A symbol
with neither a value, a definition nor a number in the point is a failure; so is a variable defined by a condition that
is compared with a number, since SymPy's false is not 0.
"""
import argparse
import glob
import json
import math
import multiprocessing
import os
import subprocess
import sys
import tempfile

import sympy

TOLERANCE = 1e-12
FLOOR = 1e-4  # of the largest value of the same name (v, i, tau ...): what is nothing beside those is rounding


class Tape:
    """Expressions as one list of steps, each evaluated once a point to a value and the size of its terms."""

    def __init__(self):
        self.steps, self.at = [], {}

    def add(self, expr):
        """The place of an expression in the list; without recursion, texts may be deep."""
        stack = [(expr, False)]
        while stack:
            node, ready = stack.pop()
            if node in self.at:
                continue
            args = node.args if not isinstance(node, (sympy.Symbol, sympy.Number)) else ()
            if not ready:
                stack.append((node, True))
                stack.extend((a, False) for a in args if a not in self.at)
                continue
            self.at[node] = len(self.steps)
            self.steps.append((node, kind_of(node), [self.at[a] for a in args]))
        return self.at[expr]


def kind_of(node):
    if isinstance(node, sympy.Symbol):
        return 'symbol'
    if node in (sympy.true, sympy.false) or isinstance(node, (bool,)):
        return 'truth'
    if isinstance(node, (sympy.Number, sympy.NumberSymbol)):
        return 'number'
    if isinstance(node, sympy.core.function.AppliedUndef):
        return 'pre' if node.func.__name__ == 'pre' else 'unknown'
    return type(node).__name__


FUNCTIONS = {
    'sin': math.sin, 'cos': math.cos, 'tan': math.tan, 'asin': math.asin, 'acos': math.acos, 'atan': math.atan,
    'sinh': math.sinh, 'cosh': math.cosh, 'tanh': math.tanh, 'asinh': math.asinh, 'acosh': math.acosh,
    'atanh': math.atanh, 'log': math.log, 'Abs': abs, 'sign': lambda x: (x > 0) - (x < 0),
    'floor': math.floor, 'ceiling': math.ceil, 'atan2': math.atan2,
}
RELATIONS = {
    'StrictLessThan': lambda a, b: a < b, 'LessThan': lambda a, b: a <= b, 'StrictGreaterThan': lambda a, b: a > b,
    'GreaterThan': lambda a, b: a >= b, 'Equality': lambda a, b: a == b, 'Unequality': lambda a, b: a != b,
}


class Missing(Exception):
    """A symbol without a value."""


def step(node, kind, v, s):
    """Value and size of a step from values and sizes of its operands."""
    if kind == 'Add':
        return math.fsum(v), sum(s)
    if kind == 'Mul':
        return math.prod(v), math.prod(s)
    if kind == 'Pow':
        value = math.pow(v[0], v[1])
        size = abs(value)
        if v[0] != 0:
            size *= (s[0] / abs(v[0])) ** max(1.0, abs(v[1]))
        return value, size
    if kind == 'exp':
        value = math.exp(v[0])
        return value, value * (1 + s[0])
    if kind == 'Piecewise':
        for (value, truth), (size, _) in zip(v, s):
            if truth:
                return value, size
        return math.nan, 0.0
    if kind == 'ExprCondPair':
        return (v[0], v[1]), (s[0], 0.0)
    if kind == 'ITE':
        return (v[1], s[1]) if v[0] else (v[2], s[2])
    if kind in RELATIONS:
        return RELATIONS[kind](v[0], v[1]), 1.0
    if kind == 'And':
        return all(v), 1.0
    if kind == 'Or':
        return any(v), 1.0
    if kind == 'Not':
        return not v[0], 1.0
    if kind == 'Max':
        return max(v), sum(s)
    if kind == 'Min':
        return min(v), sum(s)
    if kind == 'Mod':
        return v[0] - v[1] * math.floor(v[0] / v[1]), sum(s)
    if kind == 'pre':
        return v[0], s[0]
    if kind in FUNCTIONS:
        value = FUNCTIONS[kind](*v)
        return value, abs(value) + sum(s)
    raise NotImplementedError('SymPy gives ' + kind)


class Point:
    """The numbers of one point, and what the text makes of them."""

    def __init__(self, tape, known, wide):
        self.tape, self.known, self.wide, self.done = tape, known, wide, {}

    def value(self, expr):
        """(value, size); None if a function that is not known here is needed."""
        return self._value(self.tape.add(expr))

    def _value(self, place):
        done, steps = self.done, self.tape.steps
        stack = [place]
        while stack:
            k = stack[-1]
            if k in done:
                stack.pop()
                continue
            node, kind, operands = steps[k]
            if kind == 'Piecewise':  # only the branch that counts: others may divide by 0
                pending, result = None, None
                for pair in operands:
                    branch, condition = steps[pair][2]
                    if condition not in done:
                        pending = condition
                        break
                    if done[condition] is None:
                        break
                    if done[condition][0]:
                        if branch not in done:
                            pending = branch
                        else:
                            result = done[branch]
                        break
                if pending is not None:
                    stack.append(pending)
                    continue
                if self.wide and result is not None:  # sizes of all branches
                    branches = [steps[pair][2][0] for pair in operands]
                    open_ones = [b for b in branches if b not in done]
                    if open_ones:
                        stack.extend(open_ones)
                        continue
                    sizes = [done[b][1] for b in branches if done[b] is not None]
                    result = (result[0], sum(x for x in sizes if math.isfinite(x)))
                done[k] = result
                stack.pop()
                continue
            open_ones = [o for o in operands if o not in done]
            if open_ones:
                stack.extend(open_ones)
                continue
            stack.pop()
            if kind == 'symbol':
                if node.name not in self.known:
                    raise Missing(node.name)
                done[k] = self.known[node.name]
            elif kind == 'truth':
                done[k] = (bool(node), 1.0)
            elif kind == 'number':
                done[k] = (float(node), abs(float(node)))
            elif kind == 'unknown' or any(done[o] is None for o in operands):
                done[k] = None
            else:
                try:
                    done[k] = step(node, kind, [done[o][0] for o in operands], [done[o][1] for o in operands])
                except (ZeroDivisionError, ValueError, OverflowError):
                    done[k] = (math.nan, math.nan)
        return done[place]


def check_system(job):
    """Checks one file of points: (name, equations, worst, skipped, failures)."""
    cotree, library, path = job
    with open(path, encoding='utf-8') as file:
        given = json.load(file)
    name = '%s %s' % (os.path.basename(given['file']), given['system']) if given['file'] else os.path.basename(path)
    failures, worst, equations, skipped = [], 0.0, 0, 0
    model, temporary = given['file'], None
    if given['text']:
        temporary = tempfile.NamedTemporaryFile('w', suffix='.cot', delete=False, encoding='utf-8')
        temporary.write(given['text'])
        temporary.close()
        model = temporary.name
    command = [cotree, 'equations', model, '--form', 'state-space', '--format', 'sympy']
    if given['system']:
        command += ['--system', given['system']]
    if library:
        command += ['--library', library]
    try:
        made = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    except subprocess.TimeoutExpired:
        return name, 0, 0.0, 0, ['no text within 120 s']
    finally:
        if temporary:
            os.unlink(temporary.name)
    if made.returncode != 0:
        return name, 0, 0.0, 0, ['exit code %d: %s' % (made.returncode, made.stderr.strip()[:300])]
    module = {}
    try:
        exec(compile(made.stdout, name, 'exec'), module)  # pylint: disable=exec-used
    except Exception as error:  # pylint: disable=broad-except
        return name, 0, 0.0, 0, ['the text is no Python that runs: %s: %s' % (type(error).__name__, str(error)[:300])]
    names, tape = module['names'], Tape()
    defined = {symbol for symbol, _ in module['definitions']}
    # Ne(y, 0) with y a truth value is True for ever once the definition of y is put in.
    truths = {symbol for symbol, right in module['definitions'] if isinstance(right, sympy.logic.boolalg.Boolean) and not right.is_Symbol}
    texts = [right for _, right in module['definitions']] + list(module['derivatives'].values()) + list(module['outputs'].values())
    texts += [e for _, m, rights in module['groups'] for e in [*rights, *(m if m is not None else [])]]
    for relation in {r for e in texts for r in sympy.sympify(e).atoms(sympy.core.relational.Relational)} if truths else ():
        if truths & set(relation.args):
            failures.append('`%s` compares a truth value: put in, it is always %s' % (relation, relation.subs({y: sympy.false for y in truths})))
    errors, wrong = {}, {}
    fixed = {str(k): (float(v), abs(float(v))) for k, v in module['values'].items()}

    def compare(what, expected, got, floor=0.0):
        """Notes the outcome under the equation's name: its error, or None if it cannot be compared."""
        if got is None or expected is None or not math.isfinite(expected):
            errors[what] = None
            return
        value, size = float(got[0]), float(got[1])
        error = abs(value - expected) / max(size if math.isfinite(size) else 0, abs(expected), floor, 1e-300)
        errors[what] = error
        if not error <= TOLERANCE:
            wrong[what] = 'text %.17g, computed %.17g, size %.3g, off by %.2e' % (value, expected, size, error)

    def run(at, wide):
        at = {'time': at['time'], 'values': at['values'] or {}, 'derivatives': at['derivatives'] or {}}
        known = dict(fixed)
        known['t'] = (at['time'], abs(at['time']))
        largest = {}
        for path_, value in at['values'].items():
            if value is not None:
                kind = path_.split('.')[-1].split('[')[0]
                largest[kind] = max(largest.get(kind, 0.0), abs(value))
        for symbol, path_ in names.items():
            value = at['values'].get(path_)
            if value is not None:
                known[symbol] = (value, abs(value))
        # x' = a, an unknown of a group that the point does not list: its value is that of x', the rows are the check.
        for symbol, right in module['derivatives'].items():
            value = at['derivatives'].get(names.get(str(symbol)))
            if isinstance(right, sympy.Symbol) and right not in defined and right.name not in known and value is not None:
                known[right.name] = (value, abs(value))
        if wide:
            for symbol in {str(u) for group in module['groups'] for u in group[0]} & set(known):
                floor = FLOOR * largest.get(names.get(symbol, '').split('.')[-1].split('[')[0], 0.0)
                known[symbol] = (known[symbol][0], max(known[symbol][1], floor))
        # Where loops close, accelerations come from one block with the forces of the joints, which balance weights: at rest
        # they are the rounding of those, and 1 (rad/s^2, m/s^2) is the size to compare with, as in read_back_test.cc.
        balanced = 1.0 if any(path_.endswith('.lambda') for path_ in names.values()) else 0.0
        point = Point(tape, known, wide)

        def attempt(what, do):
            try:
                do()
            except Missing as missing:
                wrong[what] = '`%s` (%s) has neither value nor equation' % (missing, names.get(str(missing), '?'))
            except NotImplementedError as strange:
                wrong[what] = str(strange)

        def definition(symbol, right):
            path_ = names.get(str(symbol), '')
            got = point.value(sympy.sympify(right))
            expected = at['values'].get(path_)
            if expected is not None:
                compare(path_, expected, got, FLOOR * largest.get(path_.split('.')[-1].split('[')[0], 0.0))
            elif str(symbol) not in known:
                known[str(symbol)] = got
                point.done.pop(tape.at.get(symbol, -1), None)

        def derivative(symbol, right):
            path_ = names.get(str(symbol), '')
            if path_ not in at['derivatives']:
                raise Missing('derivative of ' + str(symbol))
            compare('der(%s)' % path_, at['derivatives'][path_], point.value(sympy.sympify(right)), balanced)

        def row(what, matrix_row, unknowns, right):
            total = [] if right is None else [point.value(sympy.sympify(right))]
            left = [0.0, 0.0]
            for entry, unknown in zip(matrix_row, unknowns):
                if entry == 0:
                    continue
                m, u = point.value(sympy.sympify(entry)), point.value(sympy.sympify(unknown))
                if m is None or u is None:
                    total = [None]
                    break
                left[0] += m[0] * u[0]
                left[1] += m[1] * abs(u[0])
            if None in total:
                compare(what, None, None)
                return
            expected, size = total[0] if total else (0.0, 0.0)
            compare(what, expected, (left[0], max(left[1], size)), balanced)

        for symbol, right in module['definitions']:
            attempt('definition of %s' % symbol, lambda s=symbol, r=right: definition(s, r))
        for g, (unknowns, matrix, rights) in enumerate(module['groups']):
            for i, right in enumerate(rights):
                what = 'row %d of group %d' % (i + 1, g + 1)
                if matrix is None:
                    attempt(what, lambda w=what, r=right: compare(w, 0.0, point.value(sympy.sympify(r))))
                else:
                    attempt(what, lambda w=what, r=right, m=matrix.row(i), u=unknowns: row(w, m, u, r))
        for symbol, right in module['derivatives'].items():
            attempt('derivative of %s' % symbol, lambda s=symbol, r=right: derivative(s, r))
        for symbol, right in module['outputs'].items():
            attempt('output %s' % symbol, lambda s=symbol, r=right: definition(s, r))

    for number, at in enumerate(given['points']):
        errors, wrong = {}, {}
        run(at, False)
        if wrong:  # once more, with the sizes of branches that are not taken: what a block with switches is solved with
            first_errors, first_wrong = errors, wrong
            errors, wrong = {}, {}
            run(at, True)
            wrong = {k: v for k, v in wrong.items() if k in first_wrong}
            errors = {k: v if k in first_wrong else first_errors.get(k, v) for k, v in errors.items()}
        equations += sum(e is not None for e in errors.values())
        skipped += sum(e is None for e in errors.values())
        worst = max([worst] + [e for e in errors.values() if e is not None and math.isfinite(e)])
        failures += ['%s (point %d): %s' % (k, number, v) for k, v in wrong.items()]
    return name, equations, worst, skipped, failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--cotree', required=True)
    parser.add_argument('--points', required=True)
    parser.add_argument('--library', default='')
    parser.add_argument('--most', type=int, default=0, help='so many files at most; 0: all')
    parser.add_argument('--jobs', type=int, default=min(4, os.cpu_count() or 1))
    options = parser.parse_args()
    files = sorted(glob.glob(os.path.join(options.points, '*.json')), key=lambda f: (len(f), f))
    if options.most > 0:
        files = files[:options.most]
    if not files:
        print('sympy: no points in ' + options.points)
        return 1
    jobs = [(options.cotree, options.library, f) for f in files]
    with multiprocessing.Pool(options.jobs) as pool:
        results = list(pool.imap(check_system, jobs, chunksize=1))
    failed = 0
    for name, _, _, _, failures in results:
        if not failures:
            continue
        failed += 1
        print('FAILED %s: %d' % (name, len(failures)))
        for line in failures[:4]:
            print('    ' + line)
    empty = [r[0] for r in results if r[1] == 0 and not r[4]]
    if empty:
        print('nothing to compare in the points of: ' + ', '.join(empty))
    print('sympy: %d systems, %d equations, worst %.1e, %d skipped' %
          (len(results) - len(empty), sum(r[1] for r in results), max(r[2] for r in results), sum(r[3] for r in results)) +
          (', %d FAILED' % failed if failed else ''))
    return 1 if failed or sum(r[1] for r in results) == 0 else 0


if __name__ == '__main__':
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What Cotree prints, against what papers and a book print. One line for each, exit code 1 if any differs.

seeker       Diaz-Calderon, Paredis, Khosla, equations (18) and (19): the numerators and the denominator of both
             accelerations as `cotree equations seeker_fitted.cot --form accelerations --expand` prints them, coefficient by
             coefficient with the printed ones (misprints corrected: tests/models/expected/seeker_printed_equations.json),
             within 2 units of the last printed digit, without any scaling.
two links    McPhee, Scherrer, equations (5) and (6): the currents of two_link_inverse.cot minus those of the paper are 0 in
             symbols.
positioning  Diaz-Calderon, Paredis, Khosla, equations (1) to (5): the matrices of `cotree derive
             examples/positioning/positioning.cot` with those of tests/models/expected/positioning_incidence.json, rows and columns
             renumbered by the table in the example's README.md; the normal tree is not one of the two forests that the file
             prints, so cut-sets and circuits are compared with what follows from the paper's incidence matrix for this tree, and
             must be orthogonal to the circuits and cut-sets of both printed forests.
arm of 2     Spong, Hutchinson, Vidyasagar: Robot Modeling and Control, planar elbow manipulator: M, V, G in symbols, and not
             more summands than the book has.
arm of 3     M, V, G in symbols with Lagrange's equations, from the absolute places of the centres.
"""
import argparse
import json
import os
import re
import subprocess
import sys

import sympy
from sympy import Matrix, Rational, Symbol, cos, diff, expand, expand_trig, pi, sin

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
EXPECTED = os.path.join(ROOT, 'tests', 'models', 'expected')


class Differs(Exception):
    """What was printed is not what should be."""


def need(condition, message):
    if not condition:
        raise Differs(message)


def run(options, *arguments):
    """What cotree prints."""
    command = [options.cotree, *arguments] + (['--library', options.library] if options.library else [])
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    need(done.returncode == 0, '`%s`: exit code %d: %s' % (' '.join(command), done.returncode, done.stderr.strip()[:300]))
    return done.stdout


def expected(name):
    with open(os.path.join(EXPECTED, name), encoding='utf-8') as file:
        return json.load(file)


def module_of(text):
    module = {}
    exec(compile(text, 'cotree', 'exec'), module)  # pylint: disable=exec-used
    return module


def symbol_of(module, *paths):
    """The symbol for one of these paths that the equations use."""
    used = set()
    for right in module['derivatives'].values():
        used |= sympy.sympify(right).free_symbols
    found = [s for s in used if module['names'].get(s.name) in paths]
    need(len(found) == 1, '%d symbols for %s' % (len(found), ' or '.join(paths)))
    return found[0]


# ---- The seeker ---------------------------------------------------------------------------------------------------


def coefficients(total, symbols):
    """{(trigonometric, state): coefficient} of an expanded sum; `symbols` tells what a factor is called."""
    out = {}
    for term in sympy.Add.make_args(total):
        number, rest = term.as_coeff_Mul()
        trigonometric, state = '', ''
        for factor in sympy.Mul.make_args(rest):
            base, power = factor.as_base_exp()
            if factor == 1:
                continue
            need(base in symbols and power in (1, 2), 'not expanded: ' + str(term))
            name = symbols[base] * int(power)
            if base.is_Symbol:
                state += name
            else:
                trigonometric += name
        trigonometric = ''.join(sorted(trigonometric, reverse=True))
        key = (trigonometric, state if state.startswith('T') else ''.join(sorted(state)))
        need(key not in out, 'a term twice: ' + str(term))
        out[key] = float(number)
    for (trigonometric, state) in [k for k in out if k[0] == 'cc']:  # cos^2 = 1 - sin^2
        number = out.pop(('cc', state))
        out[('', state)] = out.get(('', state), 0) + number
        out[('ss', state)] = out.get(('ss', state), 0) - number
    return out


def check_seeker(options):
    reference = expected('seeker_printed_equations.json')
    with open(os.path.join(HERE, 'seeker_fitted.cot'), encoding='utf-8') as file:
        model = file.read()
    for name in ('I2', 'a', 'b', 'K'):
        given = re.search(r'parameter %s\s*: MomentOfInertia = (\S+)' % name, model).group(1)
        need(float(given) == reference['expected']['parameters_fitted'][name], 'seeker_fitted.cot: %s is not the fitted one' % name)
    module = module_of(run(options, 'equations', os.path.join(HERE, 'seeker_fitted.cot'), '--form', 'accelerations', '--expand',
                           '--symbolic', 'none', '--digits', '0', '--format', 'sympy'))
    by_path = {module['names'][s.name]: s for s in module['states']}
    beta, w1, w2 = by_path['joint_beta.phi'], by_path['joint_alpha.w'], by_path['joint_beta.w']
    # Names as the paper prints them: its beta is the gimbal's angle, its alpha the camera's.
    symbols = {sin(beta): 's', cos(beta): 'c', w1: 'b', w2: 'a',
               symbol_of(module, 'drive_alpha.u', 'torque_alpha'): 'Ta', symbol_of(module, 'drive_beta.u', 'torque_beta'): 'Tb'}
    worst, count, faults = 0.0, 0, []

    def compare(where, ours, printed):
        nonlocal worst, count
        printed = {(t[0], t[1]): (t[2], t[3]) for t in printed}
        for key in sorted(set(ours) | set(printed)):
            like = [u for (_, state), (_, u) in printed.items() if state == key[1]] or [1e-14]
            value, unit = printed.get(key, (0.0, max(like)))
            off = abs(ours.get(key, 0.0) - value) / unit
            worst, count = max(worst, off), count + 1
            if not off <= 2:
                faults.append('%s, term %s: %.10g, printed %.10g' % (where, ' '.join(key), ours.get(key, 0.0), value))

    for number, state in ((18, w1), (19, w2)):
        factors = sympy.Mul.make_args(module['derivatives'][state])
        below = [f for f in factors if f.is_Pow and f.exp == -1]
        need(len(factors) == 2 and len(below) == 1, '(%d) is not one sum over one sum' % number)
        above = [f for f in factors if f is not below[0]][0]
        compare('(%d) denominator' % number, coefficients(below[0].base, symbols), reference['inputs']['printed_denominator'])
        compare('(%d) numerator' % number, coefficients(above, symbols), reference['expected']['corrected_eq%d_numerator' % number])
    need(not faults, '; '.join(faults))
    return '%d coefficients of (18) and (19), no scaling, worst %.2f units of the last printed digit' % (count, worst)


# ---- The two-link robot -------------------------------------------------------------------------------------------


def check_two_links(options):
    module = module_of(run(options, 'equations', os.path.join(HERE, 'two_link_inverse.cot'), '--form', 'state-space', '--symbolic', 'all',
                           '--format', 'sympy', '--output', 'motor7.i', '--output', 'motor8.i'))
    by_path = {path: Symbol(name, real=True) for name, path in module['names'].items()}
    B7, B8, KT7, KT8, g, l3, l4, l5, m1, m2, w0 = (by_path[n] for n in 'B7 B8 KT7 KT8 g l3 l4 l5 m1 m2 w0'.split())
    t = module['t']
    # as printed
    eq5 = 1 / (64 * KT7) * (8 * pi * B7 - 3 * pi**2 * m2 * l5 * (l3 + l4) * sin(pi / 8 * t) + 64 *
                            (m2 * g * (l3 + l4) * cos(pi / 8 * t) + m2 * g * l5 * cos(pi / 4 * t) + m1 * g * l3 * cos(pi / 8 * t)))
    eq6 = 1 / (64 * KT8) * (8 * pi * B8 + pi**2 * m2 * l5 * (l3 + l4) * sin(pi / 8 * t) + 64 * m2 * g * l5 * cos(pi / 4 * t))
    definitions = list(module['definitions'])
    for number, path, printed in ((5, 'motor7.i', eq5), (6, 'motor8.i', eq6)):
        ours = module['outputs'][by_path[path]]
        for symbol, right in reversed(definitions):
            ours = ours.subs(symbol, right)
        need(ours.free_symbols <= {B7, B8, KT7, KT8, g, l3, l4, l5, m1, m2, w0, t}, '(%d) has other letters: %s' % (number, ours.free_symbols))
        rest = sympy.simplify(expand((ours.subs(w0, pi / 8) - printed) * (KT7 if number == 5 else KT8)))
        need(rest == 0, '(%d): the difference is %s' % (number, rest))
    return 'the currents of (5) and (6) in symbols, difference 0'


# ---- The positioning system ---------------------------------------------------------------------------------------

EDGES = {'ring': 1, 'platform': 2, 'torque': 3, 'shaft': 4, 'oil': 5, 'motor.rotor': 6, 'gear.at_b': 7, 'gear.at_a': 8,
         'supply': 9, 'motor.armature': 10, 'amplifier': 11, 'recorder': 12}


def label(of):
    return re.sub(r'\\(?:text|mathrm)\{(.*)\}', r'\1', of['latex']).replace('\\', '')


def matrices(derivation, section):
    """The matrices of a section, those of the domains put together: {name: {(row, column): entry}}."""
    out = {}
    for one in derivation['system']['sections']:
        if one['id'] != section:
            continue
        for item in one['items']:
            if item['kind'] != 'matrix':
                continue
            entries = out.setdefault(re.sub(r'[^A-Za-z1_ \[\]]', '', item['name'].replace('\\mathrm', '')), {})
            for row, values in zip(item['rows'], item['texts']):
                for column, value in zip(item['columns'], values):
                    need((label(row), label(column)) not in entries, 'two entries for %s, %s' % (label(row), label(column)))
                    entries[(label(row), label(column))] = int(value)
    return out


def dense(entries, rows, columns):
    return Matrix([[entries.get((r, c), 0) for c in columns] for r in rows])


def check_positioning(options):
    reference = expected('positioning_incidence.json')
    full, reduced = (Matrix(reference['inputs'][k]) for k in ('incidence_full', 'incidence_reduced'))
    derivation = json.loads(run(options, 'derive', os.path.join(ROOT, 'examples', 'positioning', 'positioning.cot'), '--format', 'json'))
    graph, topology = matrices(derivation, 'graph'), matrices(derivation, 'topology')
    names = sorted(EDGES, key=EDGES.get)
    need({c for _, c in graph['A_full']} == set(names), 'the edges are not those of the README')
    # Vertices are numbered by the edges that leave and reach them: that must be possible in one way only.
    number = {}
    for (vertex, edge), value in graph['A_full'].items():
        if value != 0:
            theirs = [v + 1 for v in range(9) if full[v, EDGES[edge] - 1] == value]
            need(number.setdefault(vertex, theirs) == theirs, 'vertex %s is %s and %s' % (vertex, number[vertex], theirs))
    vertices = sorted(number, key=lambda v: number[v])
    need([number[v] for v in vertices] == [[k + 1] for k in range(9)], 'the vertices do not correspond')
    need(dense(graph['A_full'], vertices, names) == full, 'the incidence matrix (1) differs')
    inner = [v for v in vertices if v in {r for r, _ in graph['A']}]
    need(dense(graph['A'], inner, names) == reduced, 'the reduced incidence matrix (2) differs')
    # The tree, and what follows for it from the paper's matrix.
    name_of = {'C': next(k for k in topology if 'C' in k), 'B': next(k for k in topology if 'B' in k)}
    cutsets, circuits = topology[name_of['C']], topology[name_of['B']]
    branches = sorted({r for r, _ in cutsets}, key=EDGES.get)
    chords = sorted({r for r, _ in circuits}, key=EDGES.get)
    need(len(branches) == 7 and len(chords) == 5 and not set(branches) & set(chords), 'not 7 branches and 5 chords')
    A_T = Matrix.hstack(*[reduced[:, EDGES[b] - 1] for b in branches])
    need(A_T.det() != 0, 'the branches are no tree of the graph of the paper')
    D = A_T.inv() * reduced  # fundamental cut-sets, edges 1 to 12
    need(dense(cutsets, branches, names) == D, 'the cut-set matrix (3) differs')
    A_C = dense(cutsets, branches, chords)
    B_T = dense(circuits, chords, branches)
    B = dense(circuits, chords, names)
    need(dense(cutsets, branches, branches) == sympy.eye(7) and dense(circuits, chords, chords) == sympy.eye(5), 'no unit matrices in (3), (4)')
    need(B_T == -A_C.T, '(5): B_T is not -A_C^T')
    need((reduced * B.T).is_zero_matrix, 'A B^T is not 0')
    for forest in reference['expected']['forests']:
        need((Matrix(forest['cutset_matrix_edge_order_1_12']) * B.T).is_zero_matrix, 'cut-sets of the printed forest and our circuits')
        need((D * Matrix(forest['circuit_matrix_edge_order_1_12']).T).is_zero_matrix, 'our cut-sets and circuits of the printed forest')
        if sorted(forest['tree']) == [EDGES[b] for b in branches]:
            need(Matrix(forest['A_C']) == A_C and Matrix(forest['B_T']) == B_T, 'A_C, B_T are not those of the printed forest')
    return 'matrices (1) and (2) equal, 9 x 12 and 7 x 12; (3) to (5) hold for the tree %s' % ' '.join(str(EDGES[b]) for b in branches)


# ---- Planar arms --------------------------------------------------------------------------------------------------


class Arm:
    """The equations of motion of an arm as `--format json` has them."""

    def __init__(self, options, n):
        text = run(options, 'equations', os.path.join(HERE, 'arm%d.cot' % n), '--form', 'state-space', '--symbolic', 'all', '--format', 'json')
        space = json.loads(text)['system']['state_space']
        symbols = {s['name']: Symbol(s['name'], real=True) for s in space['symbols']}
        path = {s['path']: symbols[s['name']] for s in space['symbols']}
        self.letters = path
        self.q = [path['joint%d.phi' % (k + 1)] for k in range(n)]
        self.w = [path['joint%d.w' % (k + 1)] for k in range(n)]

        def parse(right):
            return sympy.parse_expr(right.replace('^', '**'), local_dict=dict(symbols, der=sympy.Function('der')))

        self.definitions = [(symbols[s['symbol']], parse(s['right'])) for s in space['steps'] if 'symbol' in s]
        motion = [s for s in space['steps'] if s.get('motion')]
        need(len(motion) == 1, '%d groups of equations of motion' % len(motion))
        motion = motion[0]
        rates = {parse('der(%s)' % w.name): k for k, w in enumerate(self.w)}
        rates.update({path['joint%d.alpha' % (k + 1)]: k for k in range(n) if 'joint%d.alpha' % (k + 1) in path})
        need([rates[parse(u)] for u in motion['unknowns']] == list(range(n)), 'the unknowns are not the accelerations in order')
        self.M = Matrix([[parse(e) for e in row] for row in motion['matrix']])
        self.V = Matrix([parse(e) for e in motion['coriolis']])
        self.G = Matrix([parse(e) for e in motion['gravity']])
        drives = [{path.get('drive%d.u' % (k + 1)), path.get('tau%d' % (k + 1))} for k in range(n)]
        need(all(parse(e) in drives[k] for k, e in enumerate(motion['right'])), 'Q is not the torques')

    def put_in(self, expr):
        for symbol, right in reversed(self.definitions):
            expr = expr.subs(symbol, right)
        return expr


def normal(expr):
    """The one form of a polynomial in sin and cos of single angles: no power of a sine above 1."""
    expr = expand(expand_trig(expand(expr)))
    expr = expr.replace(lambda e: e.is_Pow and e.exp.is_Integer and e.exp > 1 and isinstance(e.base, sin),
                        lambda e: (1 - cos(e.base.args[0])**2)**(e.exp // 2) * e.base**(e.exp % 2))
    return expand(expr)


def same(ours, book, what):
    rest = (ours - book).applyfunc(normal)
    need(rest.is_zero_matrix, '%s: the difference is %s' % (what, rest))


def summands(expr):
    """How many products are added up, in sums inside of products as well; not in arguments of sin and cos."""
    expr = sympy.sympify(expr)
    if expr == 0:
        return 0
    if expr.is_Add:
        return sum(summands(a) for a in expr.args)
    if expr.is_Mul or expr.is_Pow:
        return 1 + sum(summands(a) - 1 for a in expr.args if a != 0 and not a.is_Number)
    return 1


def upper(matrix):
    return [matrix[i, j] for i in range(matrix.rows) for j in range(i, matrix.cols)]


def check_arm2(options):
    arm = Arm(options, 2)
    l1, lc1, lc2, m1, m2, I1, I2, g = (arm.letters[n] for n in 'l1 lc1 lc2 m1 m2 I1 I2 g'.split())
    (q1, q2), (w1, w2) = arm.q, arm.w
    h = Symbol('h', real=True)
    d12 = m2 * (lc2**2 + l1 * lc2 * cos(q2)) + I2
    M = Matrix([[m1 * lc1**2 + m2 * (l1**2 + lc2**2 + 2 * l1 * lc2 * cos(q2)) + I1 + I2, d12], [d12, m2 * lc2**2 + I2]])
    V = Matrix([2 * h * w1 * w2 + h * w2**2, -h * w1**2])
    G = Matrix([(m1 * lc1 + m2 * l1) * g * cos(q1) + m2 * lc2 * g * cos(q1 + q2), m2 * lc2 * g * cos(q1 + q2)])
    right_h = -m2 * l1 * lc2 * sin(q2)
    same(arm.put_in(arm.M), M, 'M')
    same(arm.put_in(arm.V), V.subs(h, right_h), 'V')
    same(arm.put_in(arm.G), G, 'G')
    need(arm.M == arm.M.T, 'M is printed in two ways above and below its diagonal')
    count = {'M': (upper(arm.M), upper(M)), 'V': (arm.V, V), 'G': (arm.G, G)}
    count = {k: (sum(map(summands, a)), sum(map(summands, b))) for k, (a, b) in count.items()}
    ours = sum(a for a, _ in count.values()) + sum(summands(right) for _, right in arm.definitions)
    book = sum(b for _, b in count.values()) + summands(right_h)
    text = ', '.join('%s %d (book %d)' % (k, a, b) for k, (a, b) in count.items()) + ', with definitions %d (book %d)' % (ours, book)
    need(all(a <= b for a, b in count.values()) and ours <= book, 'more summands than in the book: ' + text)
    return 'M, V, G in symbols, summands: ' + text


def check_arm3(options):
    n = 3
    arm = Arm(options, n)
    l = [arm.letters['l1'], arm.letters['l2']]
    lc, m, inertia = ([arm.letters['%s%d' % (s, k + 1)] for k in range(n)] for s in ('lc', 'm', 'I'))
    g, q, w = arm.letters['g'], arm.q, arm.w
    kinetic, potential = 0, 0
    for k in range(n):
        place = Matrix([0, 0])
        for j in range(k + 1):
            angle = sum(q[:j + 1])
            place += (l[j] if j < k else lc[k]) * Matrix([cos(angle), sin(angle)])
        speed = place.jacobian(q) * Matrix(w)
        kinetic += m[k] * speed.dot(speed) * Rational(1, 2) + inertia[k] * sum(w[:k + 1])**2 * Rational(1, 2)
        potential += m[k] * g * place[1]
    momenta = Matrix([diff(kinetic, x) for x in w])
    M = momenta.jacobian(w)
    V = momenta.jacobian(q) * Matrix(w) - Matrix([diff(kinetic, x) for x in q])
    G = Matrix([diff(potential, x) for x in q])
    same(arm.put_in(arm.M), M, 'M')
    same(arm.put_in(arm.V), V, 'V')
    same(arm.put_in(arm.G), G, 'G')
    need(arm.M == arm.M.T, 'M is printed in two ways above and below its diagonal')
    return "M, V, G in symbols, as Lagrange's equations; %d summands and %d in definitions" % (
        sum(map(summands, [*upper(arm.M), *arm.V, *arm.G])), sum(summands(r) for _, r in arm.definitions))


CHECKS = (('seeker', check_seeker), ('two links', check_two_links), ('positioning', check_positioning),
          ('arm of 2', check_arm2), ('arm of 3', check_arm3))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--cotree', required=True)
    parser.add_argument('--library', default='')
    options = parser.parse_args()
    failed = False
    for name, check in CHECKS:
        try:
            print('%s: ok, %s' % (name, check(options)), flush=True)
        except Exception as error:  # pylint: disable=broad-except
            failed = True
            kind = '' if isinstance(error, Differs) else type(error).__name__ + ': '
            print('%s: FAILED, %s%s' % (name, kind, str(error)[:2000]), flush=True)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())

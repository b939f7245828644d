#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tests check_symbols.py with texts written by hand, in the shape Cotree writes: right ones are taken, wrong ones are not. Each book's own equations,
brought into that shape, are taken with as many terms as the book has."""
import pathlib
import subprocess
import sys
import tempfile

import textbook

FOLDER = pathlib.Path(__file__).resolve().parent

MOTOR = """# system DCMotorFranklin
from sympy import *
t = Symbol('t', real=True)
phi, w, i, R, L, Kt, Ke, J, d, u, tau, v_R = symbols('phi w i R L Kt Ke J d u tau v_R', real=True)
names = {'phi': 'motor.rotor.phi', 'w': 'motor.rotor.w', 'i': 'motor.armature.i', 'R': 'motor.R', 'L': 'motor.L', 'Kt': 'motor.Kt',
         'Ke': 'motor.Ke', 'J': 'motor.J', 'd': 'bearing.d', 'u': 'source.u', 'tau': 'bearing.tau', 'v_R': 'r.v'}
values = {R: Float('2'), L: Float('0.5'), Kt: Float('0.5'), Ke: Float('0.6'), J: Float('0.02'), d: Float('0.1')}
states = [phi, w, i]
inputs = [u]
definitions = [
    (tau, d*w),
    (v_R, R*i),
]
derivatives = {
    phi: w,
    w: (Kt*i - d*w)/J,
    i: (u - R*i - Ke*w)/L,
}
outputs = {}
"""

PENDULUM = """from sympy import *
t = Symbol('t', real=True)
phi, w, s, v, m, M, d, g, c, I, I1, F, a11, a12, b1, b2, D = symbols('phi w s v m M d g c I I1 F a11 a12 b1 b2 D', real=True)
names = {'phi': 'hinge.phi', 'w': 'hinge.w', 's': 'rail.s', 'v': 'rail.v', 'm': 'mast.m', 'M': 'cart.m', 'd': 'rail.d', 'g': 'gravity.g[3]',
         'c': 'mast.center[3]', 'I': 'mast.I[2]', 'I1': 'mast.I[1]', 'F': 'force.u', 'a11': 'a11', 'a12': 'a12', 'b1': 'b1', 'b2': 'b2', 'D': 'D'}
values = {m: Float('0.8'), M: Float('2'), d: Float('0.5'), g: Float('-9.81'), c: Float('0.5'), I: Float('0.067'), I1: Float('0.067')}
states = [phi, w, s, v]
inputs = [F]
definitions = [
    (a11, I + m*c**2),
    (a12, m*c*cos(phi)),
    (b1, -m*g*c*sin(phi)),
    (b2, F + m*c*w**2*sin(phi)
         - d*v),
    (D, a11*(m + M) - m**2*c**2*(1 + cos(2*phi))/2),
]
derivatives = {phi: w, w: (b1*(m + M) - a12*b2)/D, s: v, v: (a11*b2 - a12*b1)/D}
"""

SPRINGS = """from sympy import *
t = Symbol('t', real=True)
Z, V, Zu, Vu, M, m, ks, ds, kt, s0, zr, fb, fw, f = symbols('Z V Zu Vu M m ks ds kt s0 zr fb fw f', real=True)
names = {'Z': 'body.s', 'V': 'body.v', 'Zu': 'wheel.s', 'Vu': 'wheel.v', 'M': 'body.m', 'm': 'wheel.m', 'ks': 'spring.k', 'ds': 'damper.d',
         'kt': 'tyre.k', 's0': 'tyre.s0', 'zr': 'road.u', 'fb': 'body_force.u', 'fw': 'wheel_force.u', 'f': 'f'}
values = {M: Float('300'), m: Float('40'), ks: Float('18000'), ds: Float('1200'), kt: Float('180000'), s0: Float('0')}
states = [Z, V, Zu, Vu]
inputs = [zr, fb, fw]
definitions = [(f, ds*(V - Vu) + ks*(Z - Zu))]
derivatives = {Z: V, V: (fb - f)/M, Zu: Vu, Vu: (fw + f - kt*(Zu - zr - s0))/m}
"""

TRANSFORMER = """from sympy import *
i1, i2, R1, R2, L1, L2, k, u = symbols('i1 i2 R1 R2 L1 L2 k u', real=True)
names = {'i1': 't.primary.i', 'i2': 't.secondary.i', 'R1': 'r1.R', 'R2': 'r2.R', 'L1': 't.L1', 'L2': 't.L2', 'k': 't.k', 'u': 'source.u'}
values = {R1: Float('2'), R2: Float('10'), L1: Float('0.4'), L2: Float('0.1'), k: Float('0.4')}
states = [i1, i2]
inputs = [u]
definitions = []
derivatives = {i1: (L2*(u - R1*i1) + k*sqrt(L1*L2)*R2*i2)/(L1*L2*(1 - k**2)), i2: (-L1*R2*i2 - k*sqrt(L1*L2)*(u - R1*i1))/(L1*L2*(1 - k**2))}
"""

HEAT = """from sympy import *
T1, T2, T3, C1, C2, C3, R12, R23, h, A, Ar, eps, Ta, Tw, q, q12, q23 = symbols('T1 T2 T3 C1 C2 C3 R12 R23 h A Ar eps Ta Tw q q12 q23', real=True)
names = {'T1': 'first.T', 'T2': 'second.T', 'T3': 'third.T', 'C1': 'first.C', 'C2': 'second.C', 'C3': 'third.C', 'R12': 'r12.R', 'R23': 'r23.R',
         'h': 'convection.h', 'A': 'convection.A', 'Ar': 'radiation.A', 'eps': 'radiation.eps', 'Ta': 'air.temperature', 'Tw': 'walls.temperature',
         'q': 'heater.u', 'q12': 'r12.Q_flow', 'q23': 'r23.Q_flow'}
values = {C1: Float('50'), C2: Float('400'), C3: Float('900'), R12: Float('0.5'), R23: Float('0.2'), h: Float('12'), A: Float('0.3'), Ar: Float('0.3'),
          eps: Float('0.45'), Ta: Float('295'), Tw: Float('285')}
states = [T1, T2, T3]
inputs = [q]
definitions = [(q12, (T1 - T2)/R12), (q23, (T2 - T3)/R23)]
derivatives = {T1: (q - q12)/C1, T2: (q12 - q23)/C2,
               T3: (q23 - h*A*(T3 - Ta) - Float('5.670374419e-8')*eps*Ar*(T3**4 - Tw**4))/C3}
"""

HYDRAULIC = """from sympy import *
s, v, p, Cd, w, rho, Ps, xv, A, Ct, V, beta, m, d, k, s0, F = symbols('s v p Cd w rho Ps xv A Ct V beta m d k s0 F', real=True)
names = {'s': 'mass.s', 'v': 'mass.v', 'p': 'volume.p', 'Cd': 'valve.C_d', 'w': 'valve.w', 'rho': 'valve.rho', 'Ps': 'valve.P_s', 'xv': 'valve.x_v',
         'A': 'cylinder.A', 'Ct': 'leak.C_tp', 'V': 'volume.V_t', 'beta': 'volume.beta_e', 'm': 'mass.m', 'd': 'damper.d', 'k': 'spring.k', 's0': 'spring.s0',
         'F': 'load_force.u'}
values = {s0: Float('0')}
states = [s, v, p]
inputs = [xv, F]
definitions = []
derivatives = {s: v, v: (A*p - F - d*v - k*s)/m, p: 4*beta*(Cd*w*xv*sqrt((Ps - p*sign(xv))/rho) - A*v - Ct*p)/V}
"""

# system, text, what is replaced by what, part of the line that must come (its beginning decides whether the text is taken)
CASES = [
    ("dc_motor", MOTOR, [], "dc_motor: equal, terms 6 (book 6)"),
    ("dc_motor", MOTOR, [("(Kt*i - d*w)/J", "(Kt*i - tau)/J"), ("- R*i -", "- v_R -")], "equal, but terms 8 (book 6)"),
    ("dc_motor", MOTOR, [("- Ke*w", "+ Ke*w")], "derivative of motor.armature.i differs"),
    ("dc_motor", MOTOR, [("Kt*i - d*w", "Ke*i - d*w")], "derivative of motor.rotor.w differs"),
    ("dc_motor", MOTOR, [("(Kt*i - d*w)/J", "Kt*i/J - d*w/J + d*w/J - d*w/J")], "equal, but terms 8 (book 6)"),
    ("dc_motor", MOTOR, [("'bearing.d'", "'bearing.c'"), (", d: Float('0.1')", "")], "['bearing.c'] is neither in the book nor has a value"),
    ("dc_motor", MOTOR, [("'bearing.d'", "'bearing.c'")], "derivative of motor.rotor.w differs"),
    ("dc_motor", MOTOR, [("states = [phi, w, i]", "states = [w, i]")], "states are"),
    ("dc_motor", MOTOR, [("inputs = [u]", "inputs = []")], "inputs are"),
    ("dc_motor", MOTOR, [("    phi: w,\n", "")], "no derivative of [phi]"),
    ("dc_motor", MOTOR, [("Ke*w)/L", "Ke*omega)/L")], "the text cannot be run"),
    ("dc_motor", MOTOR, [("inputs =", "input =")], "the text has no `inputs`"),
    ("inverted_pendulum", PENDULUM, [], "inverted_pendulum: equal, terms 21 (book 22)"),
    ("inverted_pendulum", PENDULUM, [("- a12*b1)", "+ a12*b1)")], "derivative of rail.v differs"),
    ("inverted_pendulum", PENDULUM, [("1 + cos(2*phi)", "1 - cos(2*phi)")], "derivative of hinge.w differs"),
    ("quarter_car", SPRINGS, [(" - s0", "")], "quarter_car: equal, terms 15 (book 15)"),
    ("quarter_car", SPRINGS, [], "equal, but terms 16 (book 15)"),
    ("transformer", TRANSFORMER, [], "transformer: equal, terms 12 (book 12)"),
    ("transformer", TRANSFORMER, [("(1 - k**2)", "(1 - k)")], "derivative of t.primary.i differs"),
    ("thermal_chain", HEAT, [], "thermal_chain: equal, terms 15 (book 20)"),
    ("thermal_chain", HEAT, [("5.670374419e-8", "5.67e-8")], "derivative of third.T differs"),
    ("hydraulic_servo", HYDRAULIC, [], "hydraulic_servo: equal, terms 10 (book 10)"),
    ("hydraulic_servo", HYDRAULIC, [("*sign(xv)", "")], "derivative of volume.p differs"),
]


def book_as_export(book):
    """The book's equations in the shape Cotree writes."""
    data = book.data
    parameters = [symbol for symbol in book.paths if symbol not in book.states + book.inputs]
    words = list(book.paths) + list(data.get("definitions", {}))
    return "\n".join([
        "from sympy import *",
        f"{', '.join(words)} = symbols('{' '.join(words)}', real=True)",
        f"names = {dict(zip(words, [*book.paths.values(), *data.get('definitions', {})]))!r}",
        "values = {" + ", ".join(f"{symbol}: Float('{data['values'][symbol][0]}')" for symbol in parameters) + "}",
        f"states = [{', '.join(book.states)}]",
        f"inputs = [{', '.join(book.inputs)}]",
        "definitions = [" + ", ".join(f"({name}, {text})" for name, text in data.get("definitions", {}).items()) + "]",
        "derivatives = {" + ", ".join(f"{state}: {text}" for state, text in data["equations"].items()) + "}",
    ]) + "\n"


def main():
    cases = CASES + [(book.name, book_as_export(book), [], f"{book.name}: equal, terms {book.terms()} (book {book.terms()})") for book in textbook.books([])]
    wrong = 0
    for name, text, replacements, expected in cases:
        for old, new in replacements:
            assert text.count(old) >= 1, (name, old)
            text = text.replace(old, new)
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / (name + ".py")).write_text(text)
            done = subprocess.run([sys.executable, str(FOLDER / "check_symbols.py"), "--from", folder, name], capture_output=True, text=True)
        taken = expected.startswith(name + ": equal")
        if expected not in done.stdout or (done.returncode == 0) != taken or done.returncode not in (0, 1):
            wrong += 1
            print(f"{name} {replacements}: expected `{expected}`, got {done.returncode}: {done.stdout}{done.stderr}")
    print(f"{len(cases) - wrong} of {len(cases)} cases as expected")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

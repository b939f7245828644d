# SPDX-License-Identifier: Apache-2.0
"""References of open chains: tops, gimbals, carts, arms, a rotating hoop."""
import sys

import numpy as np
import sympy as sp
from scipy.integrate import solve_ivp

from absolute import GROUND, Mechanism, matrix, rotation
from lagrange import ATOL, RTOL, Lagrange, turn, write

X, Y, Z = [1, 0, 0], [0, 1, 0], [0, 0, 1]


def times(stop, n):
    return np.linspace(0, stop, n + 1)


# ---- Tops ----------------------------------------------------------------------------------------------------
def top(name, m, h, It, Ia, tilt, w3, wx, stop, n, tolerance, g=9.81):
    """Symmetric heavy top by its Euler angles z-x-z; wx is the rate of leaning, w3 the turn about its own axis."""
    I1 = It + m * h * h
    p_psi = Ia * w3
    psi0 = 0.0
    p_phi = p_psi * np.cos(tilt)  # no precession at the start

    def rhs(t, y):
        th, dth, phi, psi = y
        dphi = (p_phi - p_psi * np.cos(th)) / (I1 * np.sin(th)**2)
        ddth = (I1 * dphi**2 * np.cos(th) - p_psi * dphi + m * g * h) * np.sin(th) / I1
        return [dth, ddth, dphi, p_psi / Ia - dphi * np.cos(th)]

    s = solve_ivp(rhs, (0, stop), [tilt, wx, 0, psi0], method="DOP853", rtol=RTOL, atol=ATOL, t_eval=times(stop, n))
    th, dth, phi, psi = s.y
    assert np.min(np.abs(np.sin(th))) > 1e-3
    curves = {"tip.y[1]": h * np.sin(th) * np.sin(phi), "tip.y[2]": -h * np.sin(th) * np.cos(phi), "tip.y[3]": h * np.cos(th)}
    dphi = (p_phi - p_psi * np.cos(th)) / (I1 * np.sin(th)**2)
    curves["joint.w[1]"] = dth * np.cos(psi) + dphi * np.sin(th) * np.sin(psi)
    curves["joint.w[2]"] = -dth * np.sin(psi) + dphi * np.sin(th) * np.cos(psi)
    curves["joint.w[3]"] = np.full_like(th, w3)
    write(name, "trees.py, top: Euler angles of the symmetric heavy top, two momenta constant", 3, 0, times(stop, n), curves, tolerance)


def top_nutation():
    top("top_nutation", 0.5, 0.06, 2.5e-4, 4e-4, np.radians(30), 60.0, 0.0, 2.0, 40, 1e-7)


def top_fast():
    top("top_fast", 0.5, 0.06, 2.5e-4, 4e-4, np.radians(60), 1500.0, 0.0, 0.5, 40, 1e-6)


def top_upright():
    """Stands nearly upright and turns too slowly (below 2 sqrt(I1 m g h)/I3): it falls, from an angle where Euler's angles are nearly singular."""
    M = Mechanism(g=(0, 0, -9.81))
    b = M.body(0.5, [0, 0, 0.06], [2.5e-4, 2.5e-4, 4e-4, 0, 0, 0], [0, 0, 0], rotation(X, 1e-4))
    M.spherical(GROUND, [0, 0, 0], b, [0, 0, 0])
    y = M.assemble()
    M.y0[10:13] = M.A[0] @ [0, 0, 40.0]
    T = times(2, 40)
    out = {f"tip.y[{k + 1}]": (lambda k: lambda m, a: m.place(b, [0, 0, 0.06])[k])(k) for k in range(3)}
    out["joint.w[1]"] = lambda m, a: (m.A[b].T @ m.w[b])[0]
    out["joint.w[2]"] = lambda m, a: (m.A[b].T @ m.w[b])[1]
    M.y0[7:10] = np.cross(M.y0[10:13], M.A[0] @ [0, 0, 0.06])
    curves, gap = M.run(T, out)
    print("  gap", gap)
    write("top_upright", "trees.py, top_upright: absolute coordinates", 3, 0, T, curves, 1e-6)


# ---- Gimbals -------------------------------------------------------------------------------------------------
def gimbals():
    """Rings about z, x, y (and z again: the rotor), each with mass off its axes."""
    rings = [(Z, 2.0, [0.02, -0.03, 0.05], [0.03, 0.04, 0.05, 0.002, -0.003, 0.001]),
             (X, 1.5, [-0.04, 0.02, -0.06], [0.02, 0.015, 0.012, -0.001, 0.002, 0.0015]),
             (Y, 0.8, [0.03, 0.05, -0.02], [0.006, 0.007, 0.008, 0.0005, 0.0004, -0.0006]),
             (Z, 0.5, [0.01, 0.02, -0.04], [0.001, 0.0012, 0.0018, 0.0001, -0.0002, 0.0001])]
    shift = [[0.1, 0.05, 0.2], [0.02, 0.01, -0.03], [0.0, 0.03, 0.01], [0.01, 0.0, -0.02]]
    starts = [(0.3, 1.0), (-0.5, 0.7), (0.4, -0.6), (0.2, 8.0)]
    for count, name in ((2, "gimbal_two"), (3, "gimbal_three"), (4, "gimbal_rotor")):
        q = sp.symbols(f"q:{count}")
        R, r, bodies = sp.eye(3), sp.zeros(3, 1), []
        for k in range(count):
            n, m, c, I = rings[k]
            r = r + R * sp.Matrix(shift[k])
            R = R * turn(n, q[k])
            bodies.append((m, I, r + R * sp.Matrix(c), R))
        L = Lagrange(q, bodies, [0, 0, -9.81])
        T = times(2, 20)
        a, w = L.run([s[0] for s in starts[:count]], [s[1] for s in starts[:count]], T)
        names = ["outer", "middle", "inner", "rotor"][:count]
        curves = {}
        for k, j in enumerate(names):
            curves[f"{j}.phi"], curves[f"{j}.w"] = a[k], w[k]
        write(name, "trees.py, gimbals: Lagrange", count, 0, T, curves, 1e-7)


# ---- Carts ---------------------------------------------------------------------------------------------------
def cart_matrices(n, chain, M, m, l, c, I, g):
    """Cart and n pendulums in absolute angles, 0 hanging: x + sum; f(q, u) -> mass matrix, forces. Closed form."""
    def f(q, u):
        s, co = np.sin(q[1:]), np.cos(q[1:])
        A = np.zeros((n + 1, n + 1))
        h = np.zeros(n + 1)
        for b in range(n):  # centre: x + sum_k<b l sin + c sin, z: -(...)cos
            arm = np.zeros(n)
            if chain:
                arm[:b] = l
            arm[b] = c
            jx = np.concatenate([[1], arm * co])
            jz = np.concatenate([[0], arm * s])
            A += m * (np.outer(jx, jx) + np.outer(jz, jz))
            A[b + 1, b + 1] += I
            ax, az = -np.sum(arm * s * u[1:]**2), np.sum(arm * co * u[1:]**2)
            h += m * (jx * ax + jz * (az + g))
        A[0, 0] += M
        return A, h
    return f


def carts():
    M, m, l, c, I, g = 2.0, 0.3, 0.4, 0.22, 0.004, 9.81
    for n, chain, name, stop in ((1, True, "cart_1", 3.0), (3, True, "cart_3", 2.0), (6, True, "cart_6", 1.5), (12, True, "cart_12", 1.0), (30, True, "cart_30", 0.3),
                                 (6, False, "cart_6_abreast", 3.0)):
        f = cart_matrices(n, chain, M, m, l, c, I, g)
        absolute = np.array([0.5 + 0.1 * k for k in range(n)]) if chain else np.array([-0.8 + 0.3 * k for k in range(n)])
        q0 = np.concatenate([[0.1], absolute])
        u0 = np.concatenate([[0.3], np.zeros(n)])

        def rhs(t, y):
            A, h = f(y[:n + 1], y[n + 1:])
            return np.concatenate([y[n + 1:], np.linalg.solve(A, -h)])

        T = times(stop, 20)
        s = solve_ivp(rhs, (0, stop), np.concatenate([q0, u0]), method="DOP853", rtol=RTOL, atol=ATOL, t_eval=T)
        q, u = s.y[:n + 1], s.y[n + 1:]
        curves = {"rail.s": q[0], "rail.v": u[0]}
        for k in range(n):
            before = q[k] if chain and k else 0 * q[0]
            curves[f"j{k + 1}.phi"] = q[k + 1] - before
        curves[f"j{n}.w"] = u[n] - (u[n - 1] if chain and n > 1 else 0)
        write(name, "trees.py, carts: closed form in absolute angles", n + 1, 0, T, curves, 1e-7)


# ---- Arms ----------------------------------------------------------------------------------------------------
def arms():
    q = sp.symbols("q:4")
    E = sp.eye(3)
    # SCARA: two turns about z, a slide along -z, a turn of the tool; torques and a force of time
    R1 = turn(Z, q[0])
    R2 = R1 * turn(Z, q[1])
    R3 = R2 * turn(Z, q[3])
    v = lambda *x: sp.Matrix(x)
    elbow = R1 * v(0.4, 0, 0)
    wrist = elbow + R2 * v(0.3, 0, 0) + v(0, 0, -q[2])
    bodies = [(6.0, [0.02, 0.1, 0.11, 0, 0, 0], R1 * v(0.18, 0.01, 0), R1),
              (4.0, [0.01, 0.05, 0.055, 0, 0.002, 0], elbow + R2 * v(0.14, 0, 0.02), R2),
              (1.0, [0.002, 0.002, 0.001, 0, 0, 0], wrist + R2 * v(0.01, 0, -0.05), R2),
              (0.7, [0.001, 0.0012, 0.0009, 0.0001, 0, 0.0002], wrist + R3 * v(0.03, 0.02, -0.1), R3)]
    force = lambda t, q, u: np.array([3.0, -1.0 - 0.2 * u[1], -14.0, 0.02])  # 0.2: damping of the elbow
    L = Lagrange(q, bodies, [0, 0, -9.81], force)
    T = times(1.5, 20)
    a, w = L.run([0.2, -0.6, 0.1, 0.3], [1, -2, 0.2, 5], T)
    write("scara", "trees.py, arms: Lagrange", 4, 0, T,
          {"j1.phi": a[0], "j2.phi": a[1], "j3.s": a[2], "j4.phi": a[3], "j1.w": w[0], "j3.v": w[2]}, 1e-7)
    # cylindrical robot: turn about z, slide along z on a spring, slide outwards on a spring; mass off its axes
    q = sp.symbols("q:3")
    R = turn(Z, q[0])
    bodies = [(5.0, [0.1, 0.1, 0.05, 0, 0, 0], R * v(0.02, 0, 0.3), R),
              (3.0, [0.02, 0.03, 0.04, 0.001, 0, 0], R * v(0.05, 0.03, 0) + v(0, 0, q[1]), R),
              (2.0, [0.005, 0.02, 0.02, 0, 0.001, 0], R * v(q[2], 0.02, 0.04) + v(0, 0, q[1]), R)]
    force = lambda t, q, u: np.array([0, -400 * (q[1] - 0.5), -150 * (q[2] - 0.3)])
    L = Lagrange(q, bodies, [0, 0, -9.81], force)
    T = times(2, 20)
    a, w = L.run([0.1, 0.6, 0.5], [2, 0, 0.3], T)
    write("cylindrical_robot", "trees.py, arms: Lagrange", 3, 0, T,
          {"turn.phi": a[0], "lift.s": a[1], "reach.s": a[2], "turn.w": w[0], "lift.v": w[1], "reach.v": w[2]}, 1e-7)
    # pendulum whose pivot slides on an incline
    q = sp.symbols("q:2")
    d = v(sp.Rational(4, 5), 0, -sp.Rational(3, 5))
    R = turn(Y, q[1])
    bodies = [(1.2, [0.01, 0.01, 0.01, 0, 0, 0], q[0] * d, E), (0.8, [0.02, 0.03, 0.01, 0, 0, 0], q[0] * d + R * v(0.05, 0.1, -0.4), R)]
    L = Lagrange(q, bodies, [0, 0, -9.81], lambda t, q, u: np.array([-60 * q[0] - 0.5 * u[0], 0]))
    T = times(3, 20)
    a, w = L.run([0.05, 1.2], [0, 0], T)
    write("sliding_pivot", "trees.py, arms: Lagrange", 2, 0, T, {"slope.s": a[0], "pivot.phi": a[1], "slope.v": w[0], "pivot.w": w[1]}, 1e-7)


# ---- Rotating frame ------------------------------------------------------------------------------------------
def hoop():
    """Bead on a hoop that turns about its vertical diameter at a constant rate: th'' = sin th (W^2 cos th - g/r). The torque that keeps
    the rate: d/dt (m r^2 sin^2 th W). Beyond W^2 = g/r the lowest place is unstable; the bead swings about cos th = g/(r W^2)."""
    W, r, g, m = 8.0, 0.3, 9.81, 0.2

    s = solve_ivp(lambda t, y: [y[1], np.sin(y[0]) * (W * W * np.cos(y[0]) - g / r)], (0, 4), [0.2, 0], method="DOP853",
                  rtol=RTOL, atol=ATOL, t_eval=times(4, 40))
    th, w = s.y
    torque = 2 * m * r * r * np.sin(th) * np.cos(th) * w * W
    write("hoop", "trees.py, hoop: th'' = sin th (W^2 cos th - g/r)", 2, 0, s.t,
          {"bead_joint.phi": th, "bead_joint.w": w, "hoop_joint.drive": torque, "hoop_joint.phi": W * s.t,
           "bead.y[3]": -r * np.cos(th)}, 1e-7)


# ---- Governor ------------------------------------------------------------------------------------------------
def governor():
    """Fly-ball governor: a shaft free to turn, two arms with balls, a slider on the shaft, hung from the arms by stiff springs with dampers."""
    q = sp.symbols("q:4")  # shaft, two arms (0 hanging), slider downwards
    R = turn(Z, q[0])
    v = lambda *x: sp.Matrix(x)
    bodies = [(2.0, [0.1, 0.1, 0.02, 0, 0, 0], v(0, 0, 0), R)]
    for side, a in ((1, q[1]), (-1, q[2])):
        A = R * turn([0, -side, 0], a)
        bodies.append((5.3, [0.08, 0.08, 0.01, 0, 0, 0], R * v(side * 0.05, 0, 0) + A * v(0, 0, -0.9), A))
    bodies.append((2.5, [0.01, 0.01, 0.015, 0, 0, 0], v(0, 0, -q[3]), R))
    k, c, l0 = 20000.0, 300.0, 0.5

    def force(t, q, u):
        Q = np.zeros(4)
        for i in (1, 2):  # middle of the arm against the rim of the slider, 0.05 m from the shaft
            d = np.array([0.5 * np.sin(q[i]), q[3] - 0.5 * np.cos(q[i])])
            J = np.array([[0.5 * np.cos(q[i]), 0], [0.5 * np.sin(q[i]), 1]])
            L = np.hypot(*d)
            rate = d @ J @ [u[i], u[3]] / L
            pull = -(k * (L - l0) + c * rate) * (d @ J) / L
            Q[i] += pull[0]
            Q[3] += pull[1]
        return Q

    L = Lagrange(q, bodies, [0, 0, -9.81], force)
    T = times(3, 30)
    a, w = L.run([0, 0.5, 0.5, 0.88], [6.0, 0, 0, 0], T)
    write("governor", "trees.py, governor: Lagrange", 4, 0, T,
          {"shaft.phi": a[0], "shaft.w": w[0], "right.phi": a[1], "left.phi": a[2], "sleeve.s": a[3], "sleeve.v": w[3]}, 1e-6)


# ---- Forces on a free body -----------------------------------------------------------------------------------
def craft():
    """A body in space with a thrust of its own at a point off its centre, a torque of its own, a force and a torque of the world, a spring to
    the ground, and a rotor that it carries: its spin adds a constant angular momentum J w n of the body. The rotor turns at a constant rate
    against the body, so that the torque on its axis is J n.alpha; about the other axes it is a disc of J/2."""
    m, c, I = 3.0, np.array([0.05, -0.02, 0.03]), np.array([[0.05, 0.002, 0.001], [0.002, 0.06, -0.003], [0.001, -0.003, 0.04]])
    n, J, W = np.array([0.6, 0.0, 0.8]), 0.004, 80.0
    P, hook, foot = np.array([0.1, 0.2, -0.1]), np.array([0.3, 0.0, 0.1]), np.array([0.5, 0.5, 1.5])
    disc = J / 2 * (np.eye(3) + np.outer(n, n))
    # about the frame's origin the disc sits at c_rotor = origin; all about the centre of the body: the disc has no mass
    total = I + disc

    def wrench(r, R, v, w):
        """Force and torque about the centre, of the world; r, v: centre."""
        f = m * np.array([0, 0, -9.81]) + R @ [0.5, 0, 30.0] + np.array([1.0, -0.5, 0.2])
        t = np.cross(R @ (P - c), R @ [0.5, 0, 30.0]) + R @ [0.01, -0.02, 0.03] + np.array([0.02, 0.01, -0.015])
        t = t + np.cross(R @ (P - c), np.array([1.0, -0.5, 0.2]))
        s = R @ (hook - c)
        d = r + s - foot
        rate = v + np.cross(w, s)
        L = np.linalg.norm(d)
        pull = -(25.0 * (L - 0.6) + 1.5 * (d @ rate) / L) * d / L
        return f + pull, t + np.cross(s, pull)

    def rhs(t, y):
        r, q, v, w = y[:3], y[3:7], y[7:10], y[10:13]  # w: of the body, in its axes
        R = matrix(q)
        f, torque = wrench(r, R, v, R @ w)
        H = total @ w + J * W * n
        a = np.linalg.solve(total, R.T @ torque - np.cross(w, H))
        qd = np.concatenate([[-(q[1:] @ w)], q[0] * w + np.cross(q[1:], w)]) / 2
        return np.concatenate([v, qd, f / m, a])

    w0 = np.array([1.0, -2.0, 0.5])
    origin = np.array([0.1, 0.0, 1.0])
    q0 = np.array([0.9, 0.1, -0.3, 0.2])
    R0 = matrix(q0)
    start = np.concatenate([origin + R0 @ c, q0 / np.linalg.norm(q0), [0.3, 0, 0] + np.cross(R0 @ w0, R0 @ c), w0])
    T = times(2, 20)
    s = solve_ivp(rhs, (0, 2), start, method="DOP853", rtol=RTOL, atol=ATOL, t_eval=T)
    out = {f"flight.r[{k + 1}]": [] for k in range(3)} | {f"flight.w[{k + 1}]": [] for k in range(3)} | {"rotor.joint.drive": []}
    for t, y in zip(T, s.y.T):
        place = y[:3] - matrix(y[3:7]) @ c
        for k in range(3):
            out[f"flight.r[{k + 1}]"].append(place[k])
            out[f"flight.w[{k + 1}]"].append(y[10 + k])
        out["rotor.joint.drive"].append(J * n @ rhs(t, y)[10:13])
    write("craft", "trees.py, craft: Newton and Euler for one body with a constant spin", 7, 0, T, out, 1e-7)


if __name__ == "__main__":
    for f in sys.argv[1:] or ["top_nutation", "top_fast", "top_upright", "gimbals", "carts", "arms", "hoop", "governor", "craft"]:
        print(f)
        globals()[f]()

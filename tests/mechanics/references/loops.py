# SPDX-License-Identifier: Apache-2.0
"""References of mechanisms with loops, by bodies in absolute coordinates (absolute.py) unless a closed form is said."""
import math
import sys

import numpy as np
from scipy.integrate import solve_ivp

from absolute import GROUND, Mechanism, quaternion, rotation, rpy
from lagrange import ATOL, RTOL, write

X, Y, Z = [1, 0, 0], [0, 1, 0], [0, 0, 1]
O = [0, 0, 0]


def times(stop, n):
    return np.linspace(0, stop, n + 1)


def on_angle(k, rate=False):
    return (lambda m, a: m.rate(k)) if rate else (lambda m, a: a[k])


def on_place(i, P, axis):
    return lambda m, a: m.place(i, P)[axis]


def finish(name, M, T, out, tolerance, coordinates):
    """coordinates: of any spanning tree of the joints, and rows of the others; what is redundant follows from the degrees of freedom."""
    degrees = M.degrees()
    curves, gap = M.run(T, out)
    print(f"  {degrees} degrees of freedom, largest gap {gap:.1e}")
    tree, rows = coordinates
    write(name, f"loops.py, {name}: absolute coordinates", degrees, rows - (tree - degrees), T, curves, tolerance)
    return curves


def bar(M, length, mass, inertia, r, R, along=(1, 0, 0)):
    """A bar from its frame's origin along a direction; inertia about its centre."""
    return M.body(mass, np.array(along, float) * length / 2, inertia, r, R)


# ---- In the plane ----------------------------------------------------------------------------------------------
def planar_chain(M, start, links):
    """Bars one after the other from a point of the ground: (length, mass, inertia, absolute angle)."""
    bodies, at = [], np.array(start, float)
    for length, mass, inertia, angle in links:
        R = rotation(Z, angle)
        bodies.append(bar(M, length, mass, inertia, at, R))
        at = at + R @ [length, 0, 0]
    return bodies, at


def four_bar():
    M = Mechanism(g=(0, -9.81, 0))
    (b1, b2, b3), _ = planar_chain(M, O, [(0.2, 1, [0.001, 0.004, 0.004, 0, 0, 0], 1.0), (0.4, 1, [0.001, 0.014, 0.014, 0, 0, 0], 0.2),
                                          (0.3, 1, [0.001, 0.008, 0.008, 0, 0, 0], -1.8)])
    M.revolute(GROUND, O, Z, b1, O, Z, "j1")
    M.revolute(b1, [0.2, 0, 0], Z, b2, O, Z, "j2")
    M.revolute(b2, [0.4, 0, 0], Z, b3, O, Z, "j3")
    M.revolute(b3, [0.3, 0, 0], Z, GROUND, [0.35, 0, 0], Z, "j4")
    a1, a2, a3 = M.angle(GROUND, Z, b1, X), M.angle(b1, Z, b2, X), M.angle(b2, Z, b3, X)
    M.assemble({a1: 1.0}, {a1: 2.0})
    print("  starts", [M.measured(k) for k in range(3)])
    T = times(2, 40)
    finish("four_bar", M, T, {"j1.phi": on_angle(a1), "j2.phi": on_angle(a2), "j3.phi": on_angle(a3), "j1.w": on_angle(a1, True)}, 1e-7,
           coordinates=(3, 5))


def four_bar_springs():
    """The four-bar with a spring and damping in each of its four joints, so that one acts in the joint that closes the loop."""
    M = Mechanism(g=(0, -9.81, 0))
    (b1, b2, b3), _ = planar_chain(M, O, [(0.2, 1, [0.001, 0.004, 0.004, 0, 0, 0], 1.0), (0.4, 1, [0.001, 0.014, 0.014, 0, 0, 0], 0.2),
                                          (0.3, 1, [0.001, 0.008, 0.008, 0, 0, 0], -1.8)])
    pairs = [(GROUND, O, b1, O), (b1, [0.2, 0, 0], b2, O), (b2, [0.4, 0, 0], b3, O), (b3, [0.3, 0, 0], GROUND, [0.35, 0, 0])]
    for i, P, j, Q in pairs:
        M.revolute(i, P, Z, j, Q, Z)
        M.angle(i, Z, j, X)
    M.assemble({0: 1.0}, {0: 2.0})

    def force(m, t):
        for k, (i, _, j, _) in enumerate(pairs):
            torque = np.array([0, 0, -(3.0 + k) * m.measured(k) - 0.05 * (k + 1) * m.rate(k)])
            m.twist(j, torque)
            m.twist(i, -torque)

    M.forces.append(force)
    T = times(1, 20)
    out = {f"j{k + 1}.phi": on_angle(k) for k in range(4)}
    out.update({f"j{k + 1}.w": on_angle(k, True) for k in range(4)})
    curves = finish("four_bar_springs", M, T, out, 1e-7, coordinates=(3, 5))
    assert all(abs(x) < 3 for k in range(4) for x in curves[f"j{k + 1}.phi"]), "angles that are measured stay within half a turn"


def four_bar_driven():
    """The four-bar with its crank at a constant rate: angles in closed form; what the crank takes from the energy,
    torque = dE/dphi at a constant rate."""
    l1, l2, l3, l4, w, g = 0.2, 0.4, 0.3, 0.35, 5.0, 9.81
    I1, I2, I3 = 0.004, 0.014, 0.008

    def angles(p):
        """Absolute angles of coupler and rocker (from its pin to the ground), rocker's end above the line."""
        d = np.array([l4 - l1 * np.cos(p), -l1 * np.sin(p)])
        L = np.hypot(*d)
        b = np.arctan2(d[1], d[0])
        return b + np.arccos((l2**2 + L**2 - l3**2) / (2 * l2 * L)), b - np.arccos((l3**2 + L**2 - l2**2) / (2 * l3 * L))

    def energy(p):
        c, r = angles(p)
        # rates by the loop: l1 sin p + l2 c' sin c + l3 r' sin r = 0, and with cosines
        A = np.array([[l2 * np.sin(c), l3 * np.sin(r)], [l2 * np.cos(c), l3 * np.cos(r)]])
        kc, kr = np.linalg.solve(A, [-l1 * np.sin(p), -l1 * np.cos(p)])
        v2 = np.array([-l1 * np.sin(p) - l2 / 2 * kc * np.sin(c), l1 * np.cos(p) + l2 / 2 * kc * np.cos(c)]) * w
        v3 = np.array([l3 / 2 * kr * np.sin(r), -l3 / 2 * kr * np.cos(r)]) * w
        T = (I1 + l1**2 / 4) * w * w / 2 + (v2 @ v2 + I2 * (kc * w)**2 + v3 @ v3 + I3 * (kr * w)**2) / 2
        return T + g * (l1 / 2 * np.sin(p) + l1 * np.sin(p) + l2 / 2 * np.sin(c) - l3 / 2 * np.sin(r))

    T = times(2, 40)
    p = 1.0 + w * T
    c, r = np.array([angles(x) for x in p]).T
    e = 2e-3
    torque = [(45 * (energy(x + e) - energy(x - e)) - 9 * (energy(x + 2 * e) - energy(x - 2 * e)) + energy(x + 3 * e) - energy(x - 3 * e)) / (60 * e) for x in p]
    c, r = np.unwrap(c), np.unwrap(r)
    write("four_bar_driven", "loops.py, four_bar_driven: closed form", 1, 3, T,
          {"j1.phi": p, "j2.phi": c - p, "j3.phi": r - c, "j1.drive": torque}, 1e-7)


def slider_crank_offset():
    """With what the bearing, the pin and the guide carry."""
    M = Mechanism(g=(0, -9.81, 0))
    crank = M.body(0.8, [0.06, 0.01, 0], [0.001, 0.002, 0.003, 0, 0, 0], O, rotation(Z, 0.5))
    rod = M.body(1.1, [0.2, 0, 0], [0.001, 0.02, 0.02, 0, 0, 0], [0.13, 0.07, 0], rotation(Z, 0.02))
    slider = M.body(1.5, O, [0.01, 0.01, 0.01, 0, 0, 0], [0.58, 0.08, 0], np.eye(3))
    M.revolute(GROUND, O, Z, crank, O, Z, "bearing")
    M.revolute(crank, [0.15, 0, 0], Z, rod, O, Z, "pin")
    M.revolute(rod, [0.45, 0, 0], Z, slider, O, Z, "wrist")
    M.prismatic(GROUND, [0, 0.08, 0], X, slider, O, name="guide")
    a = M.angle(GROUND, Z, crank, X)
    b = M.angle(crank, Z, rod, X)

    def force(m, t):
        m.twist(crank, np.array([0, 0, 5.0]))
        m.push(slider, O, np.array([-10.0 * m.velocity(slider, O)[0], 0, 0]))

    M.forces.append(force)
    M.assemble({a: 0.5}, {a: 10.0})
    T = times(1, 40)
    finish("slider_crank_offset", M, T,
           {"crank_joint.phi": on_angle(a), "crank_joint.w": on_angle(a, True), "pin.phi": on_angle(b), "guide.s": on_place(slider, O, 0),
            "at_bearing.force[1]": lambda m, _: m.reaction("bearing", crank, O)[0][0],
            "at_bearing.force[2]": lambda m, _: m.reaction("bearing", crank, O)[0][1],
            "at_pin.force[1]": lambda m, _: (m.A[crank].T @ m.reaction("pin", rod, O)[0])[0],
            "at_pin.force[2]": lambda m, _: (m.A[crank].T @ m.reaction("pin", rod, O)[0])[1],
            "at_wrist.force[1]": lambda m, _: (m.A[rod].T @ m.reaction("wrist", slider, O)[0])[0],
            "at_wrist.force[2]": lambda m, _: (m.A[rod].T @ m.reaction("wrist", slider, O)[0])[1],
            "at_guide.force[2]": lambda m, _: m.reaction("guide", slider, O)[0][1],
            "at_guide.torque[3]": lambda m, _: m.reaction("guide", slider, O)[1][2]
            + (m.place(slider, O)[0] * m.reaction("guide", slider, O)[0][1])}, 1e-7, coordinates=(3, 5))


def five_bar():
    M = Mechanism(g=(0, -9.81, 0))
    (l1, l2), _ = planar_chain(M, O, [(0.25, 0.6, [1e-4, 0.003, 0.003, 0, 0, 0], 2.0), (0.3, 0.4, [1e-4, 0.002, 0.002, 0, 0, 0], 0.7)])
    (r1, r2), _ = planar_chain(M, [0.3, 0, 0], [(0.25, 0.6, [1e-4, 0.003, 0.003, 0, 0, 0], 1.2), (0.3, 0.4, [1e-4, 0.002, 0.002, 0, 0, 0], 2.4)])
    M.revolute(GROUND, O, Z, l1, O, Z, "left")
    M.revolute(l1, [0.25, 0, 0], Z, l2, O, Z)
    M.revolute(GROUND, [0.3, 0, 0], Z, r1, O, Z, "right")
    M.revolute(r1, [0.25, 0, 0], Z, r2, O, Z)
    M.revolute(l2, [0.3, 0, 0], Z, r2, [0.3, 0, 0], Z)
    a, b = M.angle(GROUND, Z, l1, X), M.angle(GROUND, Z, r1, X)
    c, d = M.angle(l1, Z, l2, X), M.angle(r1, Z, r2, X)

    def force(m, t):
        m.twist(l1, np.array([0, 0, 1.5 * math.cos(3 * t) - 0.05 * m.rate(a)]))
        m.twist(r1, np.array([0, 0, 1.0 + 0.5 * math.sin(4 * t) - 0.05 * m.rate(b)]))

    M.forces.append(force)
    M.assemble({a: 2.0, b: 1.2}, {a: 0.0, b: 0.0})
    print("  starts", [M.measured(k) for k in range(4)])
    T = times(0.8, 20)
    finish("five_bar", M, T, {"left.phi": on_angle(a), "right.phi": on_angle(b), "left_elbow.phi": on_angle(c), "right_elbow.phi": on_angle(d),
                              "left.w": on_angle(a, True), "tip.y[1]": on_place(l2, [0.3, 0, 0], 0), "tip.y[2]": on_place(l2, [0.3, 0, 0], 1)},
           1e-7, coordinates=(4, 5))


def parallelogram():
    """Three equal cranks and a coupler that never turns: one pendulum, J th'' = -D sin th. Closed form."""
    l, g = 0.2, 9.81
    cranks = [(0.5, 0.1, 0.002), (0.6, 0.08, 0.003), (0.7, 0.12, 0.0025)]
    coupler = 1.4
    J = sum(I + m * c * c for m, c, I in cranks) + coupler * l * l
    D = g * (sum(m * c for m, c, _ in cranks) + coupler * l)
    T = times(3, 30)
    s = solve_ivp(lambda t, y: [y[1], -D / J * math.sin(y[0])], (0, 3), [math.radians(50), 0.0], method="DOP853", rtol=RTOL, atol=ATOL, t_eval=T)
    th, w = s.y
    write("parallelogram", "loops.py, parallelogram: closed form, J th'' = -D sin th", 1, 10 - 3, T,
          {"crank1.phi": th - math.pi / 2, "crank1.w": w, "crank2.phi": th - math.pi / 2, "crank3.phi": th - math.pi / 2,
           "middle.y[1]": 0.35 + l * np.sin(th), "middle.y[2]": -l * np.cos(th)}, 1e-7)


def rod_four_bar():
    """Crank and rocker joined by a rod without mass, whose force is found, too. Closed form: one degree of freedom, E conserved;
    here by absolute coordinates with one distance."""
    M = Mechanism(g=(0, -9.81, 0))
    crank = bar(M, 0.2, 1.0, [0.001, 0.004, 0.004, 0, 0, 0], O, rotation(Z, 1.0))
    rocker = bar(M, 0.3, 1.2, [0.001, 0.009, 0.009, 0, 0, 0], [0.35, 0, 0], rotation(Z, 1.2))
    M.revolute(GROUND, O, Z, crank, O, Z, "bearing")
    M.revolute(GROUND, [0.35, 0, 0], Z, rocker, O, Z)
    M.rod(crank, [0.2, 0, 0], rocker, [0.3, 0, 0], 0.4)
    a, b = M.angle(GROUND, Z, crank, X), M.angle(GROUND, Z, rocker, X)
    M.assemble({a: 1.0}, {a: 2.0})
    print("  starts", M.measured(b))
    T = times(2, 40)
    finish("rod_four_bar", M, T, {"crank_joint.phi": on_angle(a), "rocker_joint.phi": on_angle(b), "crank_joint.w": on_angle(a, True),
                                  "at_bearing.force[1]": lambda m, _: m.reaction("bearing", crank, O)[0][0],
                                  "at_bearing.force[2]": lambda m, _: m.reaction("bearing", crank, O)[0][1]}, 1e-7, coordinates=(2, 1))


# ---- In space --------------------------------------------------------------------------------------------------
def rssr():
    """Crank about z, rocker about x, between them a bar with a ball at each end that also turns about itself."""
    M = Mechanism()
    length, foot = 0.52, np.array([0.4, 0.3, 0])
    crank = bar(M, 0.15, 0.7, [0.0002, 0.0015, 0.0015, 0, 0, 0], O, rotation(Z, 0.4))
    rocker = bar(M, 0.3, 0.9, [0.007, 0.0004, 0.007, 0, 0, 0], foot, rotation(X, 1.3), along=Y)
    start = rotation(Z, 0.4) @ [0.15, 0, 0]
    d = foot + rotation(X, 1.3) @ [0, 0.3, 0] - start
    R = rpy(0, -math.atan2(d[2], math.hypot(d[0], d[1])), math.atan2(d[1], d[0]))
    coupler = bar(M, length, 0.8, [0.003, 0.02, 0.021, 0, 0, 0], start, R)
    M.revolute(GROUND, O, Z, crank, O, Z)
    M.revolute(GROUND, foot, X, rocker, O, X)
    M.spherical(crank, [0.15, 0, 0], coupler, O)
    M.spherical(coupler, [length, 0, 0], rocker, [0, 0.3, 0])
    a, b = M.angle(GROUND, Z, crank, X), M.angle(GROUND, X, rocker, Y)
    M.assemble({a: 0.4}, {a: 5.0})
    # the bar turns about itself at 2 rad/s against the crank; its centre lies on that axis, so its velocity stays
    w = M.w
    along = M.A[coupler][:, 0]
    w[coupler] += (2.0 - along @ (w[coupler] - w[crank])) * along
    q = quaternion(M.A[crank].T @ M.A[coupler])
    print("  ball1.Q", [float(x) for x in q * np.sign(q[0])], "ball1.w", M.A[coupler].T @ (w[coupler] - w[crank]), "rocker", M.measured(b))
    T = times(1.5, 30)
    P = [0.26, 0.1, 0]
    sensors = {"middle": lambda m: m.place(coupler, P), "speed": lambda m: m.velocity(coupler, P), "acceleration": lambda m: m.acceleration(coupler, P),
               "felt": lambda m: m.A[coupler].T @ (m.acceleration(coupler, P) - m.g), "gyro": lambda m: m.A[coupler].T @ m.w[coupler],
               "from_rocker": lambda m: m.A[rocker].T @ (m.place(coupler, P) - m.place(rocker, [0, 0.3, 0]))}
    out = {f"{name}.y[{k + 1}]": (lambda f, k: lambda m, _: f(m)[k])(f, k) for name, f in sensors.items() for k in range(3)}
    out["turned.y[1]"] = lambda m, _: math.atan2(m.A[coupler][2, 1], m.A[coupler][2, 2])
    out["turned.y[2]"] = lambda m, _: math.asin(-m.A[coupler][2, 0])
    out["turned.y[3]"] = lambda m, _: math.atan2(m.A[coupler][1, 0], m.A[coupler][0, 0])
    out.update({"crank_joint.phi": on_angle(a), "crank_joint.w": on_angle(a, True), "rocker_joint.phi": on_angle(b)})
    finish("rssr", M, T, out, 1e-7, coordinates=(5, 3))


def spatial_slider_crank():
    """Crank about y, a bar with a ball at the crank and a Cardan joint at the slider, which moves along x, 0.1 m beside the crank's plane."""
    M = Mechanism()
    crank = bar(M, 0.1, 0.5, [0.0001, 0.0006, 0.0006, 0, 0, 0], O, rotation(Y, -0.7))
    at = rotation(Y, -0.7) @ [0.1, 0, 0]
    target = np.array([0.35, 0.1, 0.02])
    target[0] = at[0] + math.sqrt(0.3**2 - (target[1] - at[1])**2 - (target[2] - at[2])**2)
    d = (target - at) / 0.3
    # universal at the slider: first about z of the slider, then about y of the bar; the bar's x points from crank to slider
    yaw = math.atan2(d[1], d[0])
    pitch = -math.asin(d[2])
    R = rotation(Z, yaw) @ rotation(Y, pitch)
    rod = bar(M, 0.3, 0.4, [0.0004, 0.003, 0.0032, 0, 0, 0], at, R)
    slider = M.body(0.9, [0, 0.01, 0.02], [0.001, 0.001, 0.001, 0, 0, 0], target, np.eye(3))
    M.revolute(GROUND, O, Y, crank, O, Y, "bearing")
    M.spherical(crank, [0.1, 0, 0], rod, O, "ball")
    M.universal(slider, O, Z, rod, [0.3, 0, 0], Y, "cross")
    M.prismatic(GROUND, [0, 0.1, 0.02], X, slider, O, name="guide")
    a = M.angle(GROUND, Y, crank, X)
    M.forces.append(lambda m, t: m.push(slider, O, np.array([-5 * m.velocity(slider, O)[0], 0, 0])))
    M.assemble({a: -0.7}, {a: 8.0})
    print("  starts", yaw, pitch, M.place(slider, O))
    T = times(1, 20)
    out = {"crank_joint.phi": on_angle(a), "crank_joint.w": on_angle(a, True), "guide.s": on_place(slider, O, 0)}
    # nothing is redundant, so every reaction is determined; the damper of the guide acts through it
    force = lambda name, j, R: lambda m: R(m).T @ m.reaction(name, j, O)[0]
    torque = lambda name, j: lambda m: m.reaction(name, j, O)[1]
    world = lambda m: np.eye(3)
    parts = {"at_bearing.force": force("bearing", crank, world), "at_bearing.torque": torque("bearing", crank),
             "at_ball.force": force("ball", rod, lambda m: m.A[crank]), "at_slider.force": lambda m: -m.reaction("cross", rod, O)[0],
             "at_slider.torque": lambda m: -m.reaction("cross", rod, [0.3, 0, 0])[1]}
    for name, f in parts.items():
        for k in range(3):
            if name != "at_bearing.torque" or k != 1:  # about the axis it is 0
                out[f"{name}[{k + 1}]"] = (lambda f, k: lambda m, _: f(m)[k])(f, k)
    del out["at_slider.torque[3]"]  # about the first axis of the Cardan joint it is 0
    finish("spatial_slider_crank", M, T, out, 1e-7, coordinates=(4, 3))


def bennett():
    """Four axes that are neither parallel nor meet: lengths la, lb and twists with la/sin(alpha) = lb/sin(beta). Each link leads along x of its
    frame and twists about it; the fourth is the ground."""
    la, alpha, beta = 0.3, math.radians(40), math.radians(65)
    lb = la * math.sin(beta) / math.sin(alpha)
    th1 = 1.0
    th2 = 2 * math.atan(math.sin((beta + alpha) / 2) / math.sin((beta - alpha) / 2) / math.tan(th1 / 2))
    lengths, twists, turns = [la, lb, la, lb], [alpha, beta, alpha, beta], [th1, th2, -th1, -th2]
    R, r, frames = np.eye(3), np.zeros(3), []
    for length, twist, turn in zip(lengths, twists, turns):
        R = R @ rotation(Z, turn)
        frames.append((R, r))
        r, R = r + R @ [length, 0, 0], R @ rotation(X, twist)
    assert np.abs(r).max() + np.abs(R - np.eye(3)).max() < 1e-14, "the formula closes the loop"
    M = Mechanism(g=(1.0, -4.0, -9.0))
    bodies = [bar(M, lengths[k], (1.0, 1.3, 0.8)[k], [0.002, 0.02, 0.022, 0, 0, 0], frames[k][1], frames[k][0]) for k in range(3)]
    end = lambda k: [lengths[k], 0, 0]
    axis = lambda k: rotation(X, twists[k]) @ Z
    M.revolute(GROUND, O, Z, bodies[0], O, Z)
    M.revolute(bodies[0], end(0), axis(0), bodies[1], O, Z)
    M.revolute(bodies[1], end(1), axis(1), bodies[2], O, Z)
    M.revolute(bodies[2], end(2), axis(2), GROUND, frames[3][1], frames[3][0] @ Z)
    a = M.angle(GROUND, Z, bodies[0], X)
    M.assemble({a: th1}, {a: 3.0})
    T = times(0.5, 20)
    out = {f"tip.y[{k + 1}]": on_place(bodies[1], end(1), k) for k in range(3)}
    out.update({"j1.phi": on_angle(a), "j1.w": on_angle(a, True)})
    finish("bennett", M, T, out, 1e-7, coordinates=(3, 5))


def bricard():
    """Six bars of 1 m along edges of a cube, neighbouring axes at right angles: five bars move, the sixth is the ground."""
    M = Mechanism(g=(0, -9.81, 0))
    P = np.array([[0, 0, 0], [1, 0, 0], [1, -1, 0], [1, -1, 1], [0, -1, 1], [0, 0, 1]], float)
    axes = [Y, Z, X, Y, Z, X]  # at P0 ... P5
    bodies = []
    for k in range(5):
        d = P[k + 1] - P[k]
        I = 1 / 12 * (np.eye(3) - np.outer(d, d)) + 1e-4 * np.outer(d, d)
        bodies.append(M.body(1.0, d / 2, [I[0, 0], I[1, 1], I[2, 2], 0, 0, 0], P[k], np.eye(3)))
    M.revolute(GROUND, P[0], axes[0], bodies[0], O, axes[0])
    for k in range(1, 5):
        M.revolute(bodies[k - 1], P[k] - P[k - 1], axes[k], bodies[k], O, axes[k])
    M.revolute(bodies[4], P[5] - P[4], axes[5], GROUND, P[5], axes[5])
    a = M.angle(GROUND, Y, bodies[0], X)
    M.assemble({a: 0.0}, {a: 0.0})
    T = times(2, 40)
    finish("bricard", M, T, {"j1.phi": on_angle(a), "j1.w": on_angle(a, True), "corner.y[1]": on_place(bodies[2], O, 0),
                             "corner.y[2]": on_place(bodies[2], O, 1), "corner.y[3]": on_place(bodies[2], O, 2)}, 1e-7, coordinates=(5, 5))


def sarrus():
    """A table on two folding legs in planes at a right angle: it only rises and falls. Closed form: lower and upper bar of each leg are
    mirrored, z = 2 l sin th."""
    l, g = 0.4, 9.81
    leg, J, table = 0.5, 0.007, 3.0
    # four bars: lower turns about its foot; upper: centre at 1.5 l sin th high, 0.5 l cos th out of the foot's plane, turns at -th'
    # T = 2*[(J + m l^2/4) w^2/2 + (J w^2 + m (0.25 l^2 s^2 + 2.25 l^2 c^2) w^2)/2] + table (2 l c w)^2/2
    def A(s, c):
        return 2 * (J + leg * l * l / 4 + J + leg * l * l * (0.25 * s * s + 2.25 * c * c)) + table * 4 * l * l * c * c

    def dA(s, c):
        return 2 * leg * l * l * (0.5 - 4.5) * s * c - table * 8 * l * l * s * c

    def dV(s, c):
        return g * c * (2 * leg * (l / 2 + 1.5 * l) + table * 2 * l)

    def rhs(t, y):
        s, c = math.sin(y[0]), math.cos(y[0])
        return [y[1], (-dV(s, c) - dA(s, c) * y[1]**2 / 2) / A(s, c)]

    T = times(0.3, 20)
    s = solve_ivp(rhs, (0, 0.3), [1.0, 0.5], method="DOP853", rtol=RTOL, atol=ATOL, t_eval=T)
    th, w = s.y
    assert th.min() > 0.1
    write("sarrus", "loops.py, sarrus: closed form", 1, 5 - 4, T, {"corner.y[3]": 2 * l * np.sin(th), "corner.y[1]": 0 * th + 0.5, "x_leg.foot.phi": -th}, 1e-7)


def stewart_points():
    on = lambda r, angles: [np.array([r * math.cos(math.radians(d)), r * math.sin(math.radians(d)), 0]) for d in angles]
    return on(0.9, (-10, 10, 110, 130, 230, 250)), on(0.5, (-50, 50, 70, 170, 190, 290))


def stewart_leg(M, plate, B, E, h):
    """Cardan joint (first about y of the stand, then z of the tube), slide, ball."""
    d = E + h - B
    l = np.linalg.norm(d)
    R = rpy(0, -math.asin(d[2] / l), math.atan2(d[1], d[0]))
    tube = M.body(6.0, [0.25, 0, 0], [0.008, 0.13, 0.13, 0, 0, 0], B, R)
    rod = M.body(2.0, [-0.3, 0, 0], [0.0004, 0.06, 0.06, 0, 0, 0], E + h, R)
    M.universal(GROUND, B, R @ Y, tube, O, Z)
    M.prismatic(tube, O, X, rod, O)
    M.spherical(rod, O, plate, E)
    return tube, rod, l


def stewart():
    """Plate on six legs of two parts each: Cardan joint, slide with a spring, ball. Six degrees of freedom, five loops."""
    M = Mechanism(g=(0, 0, -9.81))
    base, eyes = stewart_points()
    h = np.array([0, 0, 0.9])
    plate = M.body(80.0, [0.02, 0.01, 0.1], [5, 6, 9, 0.1, 0, 0.2], h, np.eye(3))
    slides = [stewart_leg(M, plate, B, E, h) for B, E in zip(base, eyes)]

    def force(m, t):
        for k, (tube, rod, l) in enumerate(slides):
            a, b = m.place(tube, O), m.place(rod, O)
            s = np.linalg.norm(b - a)
            n = (b - a) / s
            rate = n @ (m.velocity(rod, O) - m.velocity(tube, O))
            f = (-30000.0 * (s - l - 0.002 * k) - 200.0 * rate) * n
            m.push(rod, O, f)
            m.push(tube, m.A[tube].T @ (b - m.x[tube]) + m.c[tube], -f)

    M.forces.append(force)
    M.assemble()
    T = times(0.5, 20)
    out = {f"place.y[{k + 1}]": on_place(plate, O, k) for k in range(3)}
    out["turn.y[1]"] = lambda m, a: math.atan2(m.A[plate][2, 1], m.A[plate][2, 2])
    out["turn.y[2]"] = lambda m, a: math.asin(-m.A[plate][2, 0])
    out["turn.y[3]"] = lambda m, a: math.atan2(m.A[plate][1, 0], m.A[plate][0, 0])
    for k in (0, 3):
        out[f"leg[{k + 1}].slide.s"] = (lambda tube, rod: lambda m, a: np.linalg.norm(m.place(rod, O) - m.place(tube, O)))(*slides[k][:2])
    finish("stewart_rigid", M, T, out, 1e-6, coordinates=(6 * 3 + 3, 15))


def stewart_driven():
    """The same, its legs as long as a path of the plate demands, which does not lean: the place in closed form; the forces of the slides by
    absolute coordinates, the lengths being rods whose length is given."""
    M = Mechanism(g=(0, 0, -9.81))
    base, eyes = stewart_points()
    at = lambda t: (np.array([0.1 * (1 - math.cos(3 * t)), 0.05 * (1 - math.cos(5 * t)), 0.9 + 0.08 * (1 - math.cos(4 * t))]),
                    np.array([0.3 * math.sin(3 * t), 0.25 * math.sin(5 * t), 0.32 * math.sin(4 * t)]),
                    np.array([0.9 * math.cos(3 * t), 1.25 * math.cos(5 * t), 1.28 * math.cos(4 * t)]))

    def length(B, E):
        def f(t):
            r, v, a = at(t)
            d = r + E - B
            L = math.sqrt(d @ d)
            rate = (d @ v) / L
            return L, rate, (v @ v + d @ a - rate**2) / L
        return f

    h = np.array([0, 0, 0.9])
    plate = M.body(80.0, [0.02, 0.01, 0.1], [5, 6, 9, 0.1, 0, 0.2], h, np.eye(3))
    for k, (B, E) in enumerate(zip(base, eyes)):
        tube, rod, _ = stewart_leg(M, plate, B, E, h)
        M.rod(tube, O, rod, O, length(B, E), f"length{k + 1}")
    M.assemble()
    T = times(1, 20)
    out = {f"place.y[{k + 1}]": on_place(plate, O, k) for k in range(3)}
    for k in range(6):
        out[f"leg[{k + 1}].slide.drive"] = (lambda k: lambda m, a: m.lam[m.joint_rows[f"length{k + 1}"][0]] * length(base[k], eyes[k])(m.now)[0])(k)
    curves, gap = M.run(T, out)
    place = np.array([at(t)[0] for t in T])
    print(f"  largest gap {gap:.1e}, off the path {max(np.abs(place[:, k] - curves[f'place.y[{k + 1}]']).max() for k in range(3)):.1e}")
    write("stewart_driven", "loops.py, stewart_driven: the path in closed form, forces by absolute coordinates", 6, 0, T, curves, 1e-7)


def rscr():
    """Crank about z, ball, bar that turns about and slides along an axis of the rocker, rocker about x."""
    M = Mechanism()
    crank = bar(M, 0.12, 0.6, [0.0002, 0.001, 0.001, 0, 0, 0], O, rotation(Z, 0.3))
    R = rotation(X, 0.4)
    rocker = M.body(0.9, [0.02, 0.05, 0.1], [0.006, 0.005, 0.004, 0, 0, 0.0005], [0.5, 0.2, 0], R)
    # the axis of the sleeve: (1, 0.3, 0.2) of the rocker through its point (0, 0, 0.2); the bar's frame is on it, and leads to the ball
    n, axis = [-0.3, -0.05, -0.15], [1, 0.3, 0.2]
    bar_frame = np.array([0.5, 0.2, 0]) + R @ [-0.1, -0.03, 0.18]
    coupler = M.body(0.5, [-0.12, 0.01, -0.03], [0.002, 0.004, 0.004, 0, 0.0003, 0], bar_frame, R)
    M.revolute(GROUND, O, Z, crank, O, Z)
    M.spherical(crank, [0.12, 0, 0], coupler, n)
    M.cylindrical(rocker, [0, 0, 0.2], axis, coupler, O, axis)
    M.revolute(GROUND, [0.5, 0.2, 0], X, rocker, O, X)
    a, b = M.angle(GROUND, Z, crank, X), M.angle(GROUND, X, rocker, Y)
    c = M.angle(rocker, axis, coupler, np.cross(axis, Z))
    M.forces.append(lambda m, t: m.twist(crank, np.array([0, 0, 0.6])))
    M.assemble({a: 0.3}, {a: 4.0})
    slide = lambda m, _: (m.A[rocker].T @ (m.place(coupler, O) - m.place(rocker, [0, 0, 0.2]))) @ np.array(axis) / np.linalg.norm(axis)
    print("  starts", M.measured(b), M.measured(c), slide(M, 0))
    T = times(1, 20)
    finish("rscr", M, T, {"crank_joint.phi": on_angle(a), "crank_joint.w": on_angle(a, True), "rocker_joint.phi": on_angle(b), "sleeve.turn.phi": on_angle(c),
                          "sleeve.slide.s": slide}, 1e-7, coordinates=(4, 3))


def rccc(springs=False):
    """A turning joint and three that turn and slide, in a loop of four bars: a slide closes it. Bars lead along x of their frame and twist about it.
    With springs there is one on every angle, and one with a damper on every slide."""
    lengths, twists = [0.2, 0.5, 0.4, 0.45], [math.radians(d) for d in (30, 55, 50, 60)]
    turns = [0.5, 1.988, 1.0436]
    M = Mechanism()
    R, r, bodies = np.eye(3), np.zeros(3), []
    for k in range(3):
        R = R @ rotation(Z, turns[k])
        bodies.append(bar(M, lengths[k], (0.6, 1.0, 0.8)[k], [0.002, 0.015, 0.016, 0, 0, 0], r, R))
        r, R = r + R @ [lengths[k], 0, 0], R @ rotation(X, twists[k])
    end, axis = lambda k: [lengths[k], 0, 0], lambda k: rotation(X, twists[k]) @ Z
    # the fourth bar is the ground: its frame leads to that of the first joint
    back = rotation(X, -twists[3])
    point, last = back @ [-lengths[3], 0, 0], back
    M.revolute(GROUND, O, Z, bodies[0], O, Z)
    M.cylindrical(bodies[0], end(0), axis(0), bodies[1], O, Z)
    M.cylindrical(bodies[1], end(1), axis(1), bodies[2], O, Z)
    M.cylindrical(bodies[2], end(2), axis(2), GROUND, point, last @ Z)
    a = M.angle(GROUND, Z, bodies[0], X)
    twist = lambda k: rotation(X, twists[k]) @ X
    b = [M.angle(bodies[k], axis(k), bodies[k + 1] if k < 2 else GROUND, twist(k), X if k < 2 else last @ X) for k in range(3)]
    M.assemble({a: 0.5}, {a: 6.0})
    far = lambda k: (lambda m, _: (m.A[bodies[k]] @ axis(k)) @ ((m.place(bodies[k + 1], O) if k < 2 else point) - m.place(bodies[k], end(k))))
    print("  starts", [M.measured(k) for k in range(4)], [far(k)(M, 0) for k in range(3)])

    def force(m, t):
        m.twist(bodies[0], np.array([0, 0, -3.0 * m.measured(a)]))
        for k in range(3):
            n, j = m.A[bodies[k]] @ axis(k), bodies[k + 1] if k < 2 else GROUND
            tip = m.velocity(j, O if k < 2 else point) - m.velocity(bodies[k], end(k))
            drift = np.cross(m.w[bodies[k]], n) @ ((m.place(j, O) if k < 2 else point) - m.place(bodies[k], end(k)))
            torque, pull = -3.0 * m.measured(b[k]) * n, -(300.0 * far(k)(m, 0) + 5.0 * (n @ tip + drift)) * n
            m.twist(j, torque)
            m.twist(bodies[k], -torque)
            m.push(j, O, pull)
            m.push(bodies[k], end(k), -pull)

    if springs:
        M.forces.append(force)
    T = times(0.12 if springs else 1, 12 if springs else 20)
    out = {"j1.phi": on_angle(a), "j1.w": on_angle(a, True)}
    for k in range(3):
        out[f"j{k + 2}.turn.phi"], out[f"j{k + 2}.slide.s"] = on_angle(b[k]), far(k)
    curves = finish("rccc_springs" if springs else "rccc", M, T, out, 1e-7, coordinates=(5, 4))
    assert not springs or all(abs(x) < 3.1 for name, curve in curves.items() if name.endswith("phi") for x in curve)


def rccc_springs():
    rccc(springs=True)


def trammel():
    """A bar whose ends slide on two axes at a right angle: its middle goes on a circle. Closed form: (I + m l^2/4 + mx l^2 s^2 + mz l^2 c^2) th'' + ..."""
    l, m, I, mx, mz, g = 0.8, 1.2, 0.07, 0.5, 0.7, 9.81
    # x = l cos th, z = l sin th; middle l/2
    A = lambda th: I + m * l * l / 4 + l * l * (mx * math.sin(th)**2 + mz * math.cos(th)**2)
    dA = lambda th: 2 * l * l * (mx - mz) * math.sin(th) * math.cos(th)
    rhs = lambda t, y: [y[1], (-dA(y[0]) * y[1]**2 / 2 - g * l * (m / 2 + mz) * math.cos(y[0])) / A(y[0])]
    T = times(2, 20)
    s = solve_ivp(rhs, (0, 2), [0.6, 0.0], method="DOP853", rtol=RTOL, atol=ATOL, t_eval=T)
    th, w = s.y
    write("trammel", "loops.py, trammel: closed form", 1, 5 - 2, T,
          {"across.s": l * np.cos(th), "down.s": l * np.sin(th), "across.v": -l * np.sin(th) * w, "down.v": l * np.cos(th) * w}, 1e-7)


def scotch_yoke():
    """A block on the crank slides in the slot of a yoke that slides across: x = r cos phi. (J + m r^2 sin^2 phi) phi'' + m r^2 sin phi cos phi phi'^2
    = torque, J with the block. Closed form, with what the slot presses: m x'', all of it along the yoke's way."""
    r, J, block, m, torque = 0.1, 0.004, 0.3, 2.0, 0.5
    J += block * r * r
    acc = lambda p, w: (torque - m * r * r * math.sin(p) * math.cos(p) * w * w) / (J + m * r * r * math.sin(p)**2)
    T = times(2, 40)
    s = solve_ivp(lambda t, y: [y[1], acc(*y)], (0, 2), [0.8, 1.0], method="DOP853", rtol=RTOL, atol=ATOL, t_eval=T)
    p, w = s.y
    a = np.array([acc(*y) for y in s.y.T])
    write("scotch_yoke", "loops.py, scotch_yoke: closed form", 1, 5 - 2, T,
          {"crank.phi": p, "crank.w": w, "way.s": r * np.cos(p), "way.v": -r * np.sin(p) * w, "slot.s": r * np.sin(p), "slot.v": r * np.cos(p) * w,
           "at_yoke.force[1]": -m * r * (np.cos(p) * w**2 + np.sin(p) * a)}, 1e-7)


def wedge():
    """A wedge that slides on the ground lifts a block that slides upwards: three slides in a loop, z = x tan(30 deg). Closed form:
    (m1 + m2 tan^2) x'' = -m2 g tan - d x'."""
    m1, m2, d, g, tan = 2.0, 1.5, 3.0, 9.81, math.tan(math.radians(30))
    m, f = m1 + m2 * tan**2, m2 * g * tan
    T = times(1, 20)
    v = (2.0 + f / d) * np.exp(-d / m * T) - f / d
    x = 0.5 + (2.0 + f / d) * m / d * (1 - np.exp(-d / m * T)) - f / d * T
    write("wedge", "loops.py, wedge: closed form", 1, 5 - 1, T, {"along.s": x, "along.v": v, "up.s": x * tan, "face.s": x / math.cos(math.radians(30))}, 1e-8)


def chain():
    """A chain of 26 bars between two points: more coordinates than the mass matrix is used for. Absolute angles and two conditions."""
    n, l, m, I, g, span = 26, 0.1, 0.2, 0.0003, 9.81, 2.0
    depth = np.arange(n)

    def matrices(q, u):
        s, c = np.sin(q), np.cos(q)
        A, h = np.zeros((n, n)), np.zeros(n)
        for b in range(n):
            arm = np.where(depth < b, l, 0.0)
            arm[b] = l / 2
            jx, jz = -arm * s, arm * c
            A += m * (np.outer(jx, jx) + np.outer(jz, jz))
            A[b, b] += I
            h += m * (jx * -(arm * c * u * u).sum() + jz * (-(arm * s * u * u).sum() + g))
        J = np.array([-l * s, l * c])
        gamma = np.array([(l * c * u * u).sum(), (l * s * u * u).sum()])
        return A, h, J, gamma

    def rhs(t, y):
        q, u = y[:n], y[n:]
        A, h, J, gamma = matrices(q, u)
        K = np.block([[A, J.T], [J, np.zeros((2, 2))]])
        return np.concatenate([u, np.linalg.solve(K, np.concatenate([-h, gamma]))[:n]])

    # begins as a polygon of equal turns: q_k = -a + 2 a k/(n - 1), so that the ends are on one level; a from the span
    lo, hi = 0.1, 3.0
    for _ in range(200):
        a = (lo + hi) / 2
        lo, hi = (a, hi) if l * np.cos(-a + 2 * a * depth / (n - 1)).sum() > span else (lo, a)
    q0 = -a + 2 * a * depth / (n - 1)
    print(f"  first angle {-a!r}, between bars {2 * a / (n - 1)!r}")
    T = times(0.1, 10)
    s = solve_ivp(rhs, (0, 0.1), np.concatenate([q0, np.zeros(n)]), method="DOP853", rtol=1e-12, atol=1e-13, t_eval=T)
    q = s.y[:n]
    gap = max(abs(l * np.cos(q).sum(axis=0) - span).max(), abs(l * np.sin(q).sum(axis=0)).max())
    print(f"  gap {gap:.1e}")
    x, z = l * np.cumsum(np.cos(q), axis=0), l * np.cumsum(np.sin(q), axis=0)
    write("chain_26", "loops.py, chain: absolute angles, two conditions", n - 2, 5 - 2, T,
          {"middle.y[1]": x[12], "middle.y[3]": z[12], "quarter.y[1]": x[5], "quarter.y[3]": z[5]}, 1e-6)


def helix():
    """A nut with a load off its axis on a vertical screw: s = p phi. With the centre at distance c the screw turns about z, which weight does not
    turn: (Jz + m c^2 + m p^2) phi'' = -m g p - d phi'. Closed form."""
    m, c, Jz, pitch, g, d, w0 = 1.4, 0.1, 0.03, 0.4, 9.81, 0.02, 6.0
    p = pitch / (2 * math.pi)
    J = Jz + m * c * c + m * p * p
    T = times(2, 20)
    end = -m * g * p / d
    phi = end * T + (w0 - end) * J / d * (1 - np.exp(-d / J * T))
    w = end + (w0 - end) * np.exp(-d / J * T)
    # what the ground must exert: weight and its motion along z; across: the centre's circle
    acc = -d / J * (w0 - end) * np.exp(-d / J * T)
    write("helix", "loops.py, helix: closed form", 1, 0, T,
          {"screw.phi": phi, "screw.w": w, "nut.y[3]": p * phi, "at_screw.force[3]": m * (g + p * acc),
           "at_screw.force[1]": -m * c * (w**2 * np.cos(phi) + acc * np.sin(phi)), "at_screw.torque[3]": (J - m * p * p) * acc}, 1e-8)


def cardan():
    """Two shafts at 30 deg to each other: tan phi2 = cos(30 deg) tan phi1 or its inverse, by the fork that is driven. Closed form of the angle;
    the torque: I2 phi2'' times the transmission, and I1 is at rest at constant rate."""
    W, bend, I2 = 20.0, math.radians(30), 0.02
    T = times(0.5, 50)
    p = W * T
    # first axis of the cross fixed in shaft 1
    turns = np.floor((p + math.pi / 2) / math.pi) * math.pi
    c = math.cos(bend)
    phi2 = np.arctan(np.tan(p) * c) + turns
    D = 1 + (c * c - 1) * np.sin(p)**2  # cos^2 + c^2 sin^2
    w2 = c * W / D
    a2 = -c * W / D**2 * (c * c - 1) * np.sin(2 * p) * W
    write("cardan", "loops.py, cardan: closed form", 1, 5 - 2, T,
          {"front.phi": p, "rear.phi": phi2, "rear.w": w2, "front.drive": I2 * a2 * w2 / W}, 1e-7)


def cardan_double():
    """Two Cardan joints in a Z: the outer shafts are parallel, the forks of the middle shaft in one plane: phi3 = phi1 at all times; the middle
    one goes back and forth. Free run: the energy gives the rate, (I1 + I3 + I2 (dphi2/dphi1)^2) w^2 = const."""
    bend, I1, I2, I3 = math.radians(35), 0.01, 0.03, 0.02
    c = math.cos(bend)

    def ratio(p):
        return c / (math.cos(p)**2 + (c * math.sin(p))**2)

    E = (I1 + I3 + I2 * ratio(0)**2) * 30.0**2
    T = times(0.6, 30)
    s = solve_ivp(lambda t, y: [math.sqrt(E / (I1 + I3 + I2 * ratio(y[0])**2))], (0, 0.6), [0.0], method="DOP853", rtol=RTOL, atol=ATOL, t_eval=T)
    p = s.y[0]
    w = np.array([math.sqrt(E / (I1 + I3 + I2 * ratio(x)**2)) for x in p])
    write("cardan_double", "loops.py, cardan_double: closed form, by the energy", 1, 5 - 4, T, {"front.phi": p, "front.w": w, "rear.phi": p}, 1e-7)


def three_rods():
    """A plate on three equal parallel rods never leans: every point moves on a sphere; with its centre's turn about the vertical it has
    three degrees of freedom."""
    M = Mechanism(g=(0, 0, -9.81))
    feet = [np.array([math.cos(k * 2 * math.pi / 3), math.sin(k * 2 * math.pi / 3), 0]) * 0.5 for k in range(3)]
    plate = M.body(4.0, [0.05, 0, 0.03], [0.2, 0.25, 0.4, 0.01, 0, 0], [0.3, 0.1, -0.9], np.eye(3))
    for F in feet:
        M.rod(GROUND, F, plate, F, 1.0)
    M.assemble(points=[(plate, O, 0, 0.3), (plate, O, 1, 0.1)], angles={M.angle(GROUND, Z, plate, X): 0.0},
               point_rates=[(plate, O, 0, 0.0), (plate, O, 1, 0.5)], rates={0: 1.0})
    T = times(2, 20)
    finish("three_rods", M, T, {"joint.r[1]": on_place(plate, O, 0), "joint.r[2]": on_place(plate, O, 1), "joint.r[3]": on_place(plate, O, 2)},
           1e-7, coordinates=(6, 3))


ALL = ["four_bar", "four_bar_driven", "four_bar_springs", "slider_crank_offset", "five_bar", "parallelogram", "rod_four_bar", "rssr", "spatial_slider_crank",
       "bennett", "bricard", "sarrus", "stewart", "stewart_driven", "rscr", "rccc", "rccc_springs", "trammel", "scotch_yoke", "wedge", "chain", "helix", "cardan", "cardan_double", "three_rods"]

if __name__ == "__main__":
    for f in sys.argv[1:] or ALL:
        print(f, flush=True)
        globals()[f]()

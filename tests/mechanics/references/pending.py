# SPDX-License-Identifier: Apache-2.0
"""References of mechanisms that cotree did not run rightly when they were made: a crank whose speed is given, linkages that pass positions in
which all bars are in line, a plate that does not turn."""
import math
import sys

import numpy as np
from scipy.integrate import solve_ivp

from absolute import GROUND, Mechanism, rotation
from lagrange import ATOL, RTOL, write
from loops import O, X, Y, Z, finish, on_angle, on_place, times


def four_bar_speed():
    """four_bar_driven of loops.py without a start of the crank's rate, which its source gives."""
    import loops
    loops.write = lambda name, derived, *rest: write("four_bar_speed", derived, *rest)
    loops.four_bar_driven()
    loops.write = write


def bennett_turning():
    """bennett for one second: at 0.55 s all links are in line. That is no singular position: the rank of all rows stays."""
    import loops
    here = loops.times, loops.finish
    loops.times = lambda stop, n: here[0](1.0, 20)
    loops.finish = lambda name, *rest, **more: here[1]("bennett_turning", *rest, **more)
    loops.bennett()
    loops.times, loops.finish = here


def parallelogram_turning():
    """Two equal cranks that turn fully: J th'' = -D cos th, also through the positions in which all bars are in line."""
    l, g = 0.2, 9.81
    J, D = 2 * (0.002 + 0.5 * 0.1**2) + 1.4 * l * l, g * (2 * 0.5 * 0.1 + 1.4 * l)
    T = times(2, 40)
    s = solve_ivp(lambda t, y: [y[1], -D / J * math.cos(y[0])], (0, 2), [math.pi / 3, 20.0], method="DOP853", rtol=RTOL, atol=ATOL, t_eval=T)
    write("parallelogram_turning", "pending.py, parallelogram_turning: closed form", 1, 3, T,
          {"crank1.phi": s.y[0], "crank2.phi": s.y[0], "crank1.w": s.y[1]}, 1e-6)


def double_four_bar():
    """Three equal cranks and two bars that never turn: J th'' = -D cos th. The angle between these two bars stays 0."""
    J, D = 3 / 3 + 2, 9.81 * (3 / 2 + 2)
    T = times(10, 40)
    s = solve_ivp(lambda t, y: [y[1], -D / J * math.cos(y[0])], (0, 10), [math.pi / 2, -1.0], method="DOP853", rtol=RTOL, atol=ATOL, t_eval=T)
    write("double_four_bar", "pending.py, double_four_bar: closed form", 1, 6, T,
          {"j1.phi": s.y[0], "j2.phi": s.y[0], "j3.phi": s.y[0], "j1.w": s.y[1]}, 1e-6)


def delta():
    """Delta robot: three upper arms, six rods without mass, a plate that cannot lean; three degrees of freedom."""
    M = Mechanism(g=(0, 0, -9.81))
    h = 0.75
    plate = M.body(1.5, [0, 0, -0.03], [0.004, 0.004, 0.007, 0, 0, 0], [0, 0, -h], np.eye(3))
    upper = []
    for k in range(3):
        R = rotation(Z, 2 * math.pi * k / 3) @ rotation(Y, 0.2)
        foot = rotation(Z, 2 * math.pi * k / 3) @ [0.2, 0, 0]
        upper.append(M.body(0.8, [0.15, 0, 0], [0.0005, 0.008, 0.008, 0, 0, 0], foot, R))
        M.revolute(GROUND, foot, rotation(Z, 2 * math.pi * k / 3) @ Y, upper[k], O, Y)
        for side in (-0.06, 0.06):
            M.rod(upper[k], [0.35, side, 0], plate, rotation(Z, 2 * math.pi * k / 3) @ [0.06, side, 0], 0.8)
    a = [M.angle(GROUND, rotation(Z, 2 * math.pi * k / 3) @ Y, upper[k], rotation(Z, 2 * math.pi * k / 3) @ X, X) for k in range(3)]
    torque = [-6.0, -7.0, -6.5]

    def force(m, t):
        for k in range(3):
            m.twist(upper[k], rotation(Z, 2 * math.pi * k / 3) @ [0, torque[k] - 0.5 * m.rate(a[k]), 0])

    M.forces.append(force)
    M.assemble({k: 0.2 for k in a}, {k: 0.0 for k in a})
    print("  starts", M.place(plate, O))
    T = times(0.36, 12)
    finish("delta", M, T, {"upper[1].phi": on_angle(0), "upper[2].phi": on_angle(1), "upper[3].phi": on_angle(2), "plate.r[1]": on_place(plate, O, 0),
                           "plate.r[2]": on_place(plate, O, 1), "plate.r[3]": on_place(plate, O, 2)}, 1e-7, coordinates=(9, 6))


if __name__ == "__main__":
    for f in sys.argv[1:] or ["four_bar_speed", "bennett_turning", "parallelogram_turning", "double_four_bar", "delta"]:
        print(f, flush=True)
        globals()[f]()

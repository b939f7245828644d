#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Random conditions on time and states: how often each becomes true, beside a fine scan of its closed form.

random_conditions.py COTREE [N [SEED]]

Sines, squares of them, products with time and states, narrow bells, thresholds near extremes. States have closed forms (an oscillator,
a decay, a rise), so the scan knows nothing of Cotree: values on a fine grid, and the exact extreme wherever three of them turn near the
threshold. Prints what differs, then a line with figures."""
import math, os, random, subprocess, sys, tempfile

import numpy as np


class Maker:
    def __init__(self, seed):
        self.r = random.Random(seed)
        r = self.r
        self.w, self.a, self.b = r.uniform(1, 20), r.uniform(0.1, 3), r.uniform(0.1, 3)
        self.fastest = self.w

    def state(self):
        return self.r.choice([("x", lambda t: np.sin(self.w * t)), ("v", lambda t: np.cos(self.w * t)),
                              ("y", lambda t: np.exp(-self.a * t)), ("z", lambda t: self.b * t)])

    def factor(self, states):
        r, kind = self.r, self.r.randrange(7)
        if kind < 4:
            w = 2 * math.pi * 10 ** r.uniform(0, 3.3)
            p = r.uniform(0, 6.28)
            n = 2 if kind == 3 else 1
            self.fastest = max(self.fastest, n * w)
            f = r.choice(["sin", "cos"])
            text = f"{f}({w!r}*time/T + {p!r})" + ("^2" if n == 2 else "")
            return text, lambda t, g=getattr(np, f): g(w * t + p) ** n
        if kind == 4:
            c, width = r.uniform(0.2, 0.8), 10 ** r.uniform(-4, -1)
            self.fastest = max(self.fastest, 4 / width)
            return f"exp(-((time/T - {c!r})/{width!r})^2)", lambda t: np.exp(-((t - c) / width) ** 2)
        if kind == 5 and states:
            name, f = self.state()
            w = 10 ** r.uniform(0, 2)
            rate = {"x": self.w, "v": self.w, "y": self.a, "z": self.b}[name]
            self.fastest = max(self.fastest, w * rate)
            return f"sin({w!r}*{name})", lambda t: np.sin(w * f(t))
        if states:
            return self.state()
        return "(1 + time/T)", lambda t: 1 + t

    def make(self):
        r = self.r
        states = r.random() < 0.7
        parts = [self.factor(states) for _ in range(r.randint(1, 3))]
        if states and not any(p[0] in "xvyz" for p in parts):
            parts.append(self.state())
        text = "*".join(p[0] for p in parts)

        def f(t):
            out = np.ones_like(t)
            for p in parts:
                out = out * p[1](t)
            return out
        n = int(min(4e6, max(2e5, self.fastest * 60)))
        t = np.linspace(0, 1, n)
        u = f(t)
        low, high = float(u.min()), float(u.max())
        near = r.random() < 0.4
        exponent = r.uniform(1, 4 if states else 6)
        c = high - (high - low) * 10 ** -exponent if near else r.uniform(low + 0.02 * (high - low), high - 0.02 * (high - low))
        return text, f, c, t, u, states


def minimum(f, a, b):
    g = (math.sqrt(5) - 1) / 2
    c, d = b - g * (b - a), a + g * (b - a)
    fc, fd = f(c), f(d)
    for _ in range(60):
        if fc < fd:
            b, d, fd = d, c, fc
            c = b - g * (b - a)
            fc = f(c)
        else:
            a, c, fc = c, d, fd
            d = a + g * (b - a)
            fd = f(d)
    return min((fc, c), (fd, d))


def rises(f, c, t, u):
    """How often u > c becomes true, and the least distance of an extreme from c."""
    above = u > c
    count = int(np.sum(~above[:-1] & above[1:]))
    g = np.abs(u - c)
    scale = float(u.max() - u.min())
    turn = (u[1:-1] - u[:-2]) * (u[2:] - u[1:-1]) < 0
    bend = np.abs(u[2:] - 2 * u[1:-1] + u[:-2])
    closest = 1.0
    for k in np.nonzero(turn & (g[1:-1] < 4 * bend + 1e-3 * scale))[0] + 1:
        sign = 1.0 if u[k] < u[k - 1] else -1.0  # a least, or a largest
        value, at = minimum(lambda s: sign * float(f(np.array([s]))[0]), t[k - 1], t[k + 1])
        extreme = sign * value
        closest = min(closest, abs(extreme - c) / scale)
        three = above[k - 1:k + 2]
        if (extreme > c) != three[1] and three[0] == three[1] == three[2]:
            count += 1
    # an edge at the very ends is not asked for
    closest = min(closest, g[0] / scale, g[-1] / scale)
    return count, closest


def main():
    cotree = sys.argv[1]
    total, seed = int(sys.argv[2]) if len(sys.argv) > 2 else 200, int(sys.argv[3]) if len(sys.argv) > 3 else 1
    missed = invented = failed = done = events = 0
    while done < total:
        seed += 1
        maker = Maker(seed)
        text, f, c, t, u, states = maker.make()
        if not u.max() > u.min():
            continue
        count, closest = rises(f, c, t, u)
        # Nearer than the run's own error nobody can tell.
        if closest < (1e-5 if states else 1e-9) or count > 3000:
            continue
        model = f"""component R {{
  parameter T : Time = 1 s
  variable x : Real (start = 0, fixed)
  variable v : Real (start = 1, fixed)
  variable y : Real (start = 1, fixed)
  variable z : Real (start = 0, fixed)
  discrete variable n : Integer (start = 0)
  equation
    T*der(x) = {maker.w!r}*v
    T*der(v) = -{maker.w!r}*x
    T*der(y) = -{maker.a!r}*y
    T*der(z) = {maker.b!r}
    when {text} > {c!r} {{ n = pre(n) + 1 }}
}}
system S {{ r : R }}
experiment E of S {{ stop = 1 s }}
"""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "m.cot")
            open(path, "w").write(model)
            run = subprocess.run([cotree, "simulate", path, "--rtol", "1e-9", "--out", os.path.join(folder, "o.csv")], capture_output=True, text=True)
            done += 1
            if run.returncode != 0:
                failed += 1
                print(f"seed {seed}: exit {run.returncode}: {text} > {c}: {run.stderr.strip()[:300]}")
                continue
            rows = [r.split(",") for r in open(os.path.join(folder, "o.csv")).read().split("\n") if r and not r.startswith("#")]
            got = int(float(rows[-1][rows[0].index("r.n")]))
        events += count
        if got != count:
            missed += max(0, count - got)
            invented += max(0, got - count)
            print(f"seed {seed}: {got} instead of {count}: {text} > {c} (nearest extreme {closest:.1e})")
        if done % 20 == 0:
            print(f"  {done} conditions, {events} events", file=sys.stderr)
    print(f"{total} conditions, {events} events: missed {missed}, invented {invented}, failed {failed}")
    return 0 if missed + invented + failed == 0 else 1


sys.exit(main())

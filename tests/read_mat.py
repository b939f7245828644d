# SPDX-License-Identifier: Apache-2.0
"""read_mat.py RESULT.mat RESULT.csv: reads a result as the readers of Dymola's and OpenModelica's files do, with SciPy, and
prints how far it is from the CSV. Exit code 77: there is no SciPy."""
import csv
import sys

try:
    import numpy
    import scipy.io
except ImportError:
    sys.exit(77)

mat = scipy.io.loadmat(sys.argv[1], chars_as_strings=False)
kind = ["".join(row).strip() for row in mat["Aclass"]]
assert kind[0] == "Atrajectory" and kind[3] == "binTrans", kind
names = ["".join(column).strip("\0 ") for column in mat["name"].T]
with open(sys.argv[2], newline="") as file:
    rows = list(csv.reader(file))
table = {name: numpy.array([float(row[k]) for row in rows[1:]]) for k, name in enumerate(rows[0])}
assert sorted(names) == sorted(table), (names, list(table))
worst, negated = 0.0, 0
for k, name in enumerate(names):
    block, column = int(mat["dataInfo"][0, k]), int(mat["dataInfo"][1, k])
    values = numpy.sign(column) * mat["data_1" if block == 1 else "data_2"][abs(column) - 1]
    if len(values) != len(table[name]):  # a constant: its first and last value
        values = numpy.full(len(table[name]), values[0])
    negated += column < 0
    worst = max(worst, numpy.max(numpy.abs(values - table[name])))
stored = mat["data_2"].shape[0]
print(f"scipy: {len(names)} variables, {stored} stored, {negated} with the other sign, worst {worst:g}")
sys.exit(0 if worst == 0 and stored < len(names) and negated > 0 else 1)

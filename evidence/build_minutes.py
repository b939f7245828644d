#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""CPU minutes of a build by folder, from ninja's log: build_minutes.py [build/release] (wall time of each step; two at a time on two cores)."""
import collections
import pathlib
import re
import sys

log = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/release") / ".ninja_log"
last = {}
for line in log.read_text().splitlines()[1:]:
    begin, end, _, output, _ = line.split("\t")
    last[output] = (int(end) - int(begin)) / 60000
sums = collections.Counter()
for output, minutes in last.items():
    found = re.search(r"CMakeFiles/([^/]+)\.dir/", output)
    sums[found.group(1) if found else "links and pages"] += minutes
for folder, minutes in sums.most_common():
    if minutes >= 0.05:
        print(f"{minutes:6.2f}  {folder}")
program = sum(m for f, m in sums.items() if not f.startswith(("test_", "component_")))
print(f"{sum(sums.values()):6.2f}  all; {program:.2f} of the program, the rest of tests")

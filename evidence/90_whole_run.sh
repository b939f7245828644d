#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What the issue "Right answers, second part" must show: events, modes, states, loops and integrators along the whole run.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# 1. The faults that were found. The folder is beside the repository, not in a user's clone.
found="$ROOT/../shared/found"
if [[ -f $found/run.py ]]; then
  mine=(011 017 018 020 021 023 028 033 034 036 039 040 043 044 045 047 048 049 050 061 062 116)
  out="$(python3 "$found/run.py" "$COTREE" "${mine[@]}" 2>&1 || true)"
  failed="$(sed -n 's/^FAIL \([0-9]*\).*/\1/p' <<<"$out" | sort -u | tr '\n' ' ')"
  row "the faults of events, modes, states, loops and integrators" "../shared/found/run.py build/release/bin/cotree ${mine[*]}" \
    "$(tail -n 1 <<<"$out"); failing: ${failed:-none}" "all" "$([[ -z $failed ]] && echo ok || echo missed)"
else
  row "the faults of events, modes, states, loops and integrators" "../shared/found/run.py" "" "all" skipped "the folder is not here"
fi

# random WHAT SCRIPT ARGUMENTS...: the last line of a script that exits with 0 where nothing differs.
random() {
  local what=$1 script=$2 code=0 out
  shift 2
  out="$("$ROOT/evidence/$script" "$COTREE" "$@" 2>&1)" || code=$?
  row "$what" "evidence/$script build/release/bin/cotree $*" "$(tail -n 1 <<<"$out")" "none differs, none fails" \
    "$([[ $code == 0 ]] && echo ok || echo missed)"
}

# 2 to 4. Random systems beside references of their own.
if long "random modes" "src/simulation src/program src/model library"; then
  random "1,000 systems with friction, clutches, brakes, diodes, stops, lossy gears" random_modes.py 1000
  long_end
fi
random "200 conditions of time and states beside a fine scan: none missed, none invented" random_conditions.py 200
if long "random mechanisms" "src/simulation src/program src/mechanics src/pipeline"; then
  random "200 mechanisms with loops, started in four ways, names permuted" random_loops.py 200
  random "100 vehicles on rolling wheels" rolling_wheels.py 100
  long_end
fi

# 5. BDF and IDA on mechanisms with loops.
if long "integrators on loops" "src/simulation src/mechanics"; then
  random "BDF and IDA on 20 mechanisms with loops, rtol 1e-4 to 1e-11: at most 100 rtol, or 1e-8, or rounding is said" integrators_on_loops.py
  long_end
fi

# 6. Certificates.
if long "certificates" "src/simulation src/program src/mechanics src/cli examples"; then
  random "--certify on every experiment of examples/: all agree on the digits promised, or it says where not" certify_examples.py
  long_end
fi
row "what is made to disagree is caught: too long a step, chaos twice" "ctest -R Certificate.WhatDisagreesIsCaught" \
  "$(ctest --test-dir "$ROOT/build/release" -R 'Certificate.WhatDisagreesIsCaught' 2>&1 | grep -E 'tests passed' | tail -n 1)" "caught" \
  "$(ctest --test-dir "$ROOT/build/release" -R 'Certificate.WhatDisagreesIsCaught' >/dev/null 2>&1 && echo ok || echo missed)"

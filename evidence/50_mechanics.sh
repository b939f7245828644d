#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What the issue "Mechanics in three dimensions" must show.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

"$ROOT/dev" build release >/dev/null
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

# 1. Results from outside.
expect() {
  local out
  out="$(run test_mechanics "$2")"
  row "$1" "test_mechanics --gtest_filter='$2'" "$(passed "$out")" "$3" "$(verdict "$out")"
}
out="$(run test_mechanics 'SpatialExamples.Seeker*')"
row "seeker_closed_loop.json: bodies, joints, motors, controllers" "test_mechanics --gtest_filter='SpatialExamples.Seeker*'" "$(said "$out" 'seeker: [0-9]+ states, worst [0-9.e+-]+')" "1e-6 of the largest" "$(verdict "$out")"
expect "double_pendulum.json: motion and force at the pivot" 'Expected.DoublePendulum' "1e-7"
expect "slider_crank.json: motion through dead centres, forces" 'Expected.SliderCrank*' "1e-6, forces 1e-4"
expect "serial_arms.json: inverse, driven, falling" 'Expected.SerialArms*' "1e-9, 1e-6"
expect "nine_bodies.json: composites, joints left out, M, V, G" 'Expected.NineBodies*' "1e-12"
expect "two_link_robot.json: M, Q, currents of eqs 5-6, PD run" 'Expected.TwoLink*' "1e-12, 1e-6"

expect "seeker_printed_equations.json: mass matrix, Coriolis terms, accelerations of the corrected eqs 18-19" 'Expected.Seeker*' "digits as printed"
expect "47 mechanisms derived apart (tops, gimbals, carts, planar and spatial loops, redundant ones, Andrews' squeezer): freedoms, redundant rows, motion" 'Mechanisms/Reference.*' "1e-7 of the largest (1e-6 where the file says so)"
expect "a disc that rolls: steady circle, energy, no slip; 5 freedoms in positions, 3 in velocities" 'Rolling.*' "1e-6"
out="$(run test_product 'InverseCommand.*')"
row "cotree inverse: currents and voltages of eqs 5-6 for a prescribed motion; zeros of a pole on a cart; what cannot be" "test_product --gtest_filter='InverseCommand.*'" \
  "$(said "$out" 'currents and voltages: worst [0-9.e+-]+')" "1e-12" "$(verdict "$out")"

# 2. Live against others.
out="$(COTREE_LONG=200 run test_mechanics 'RandomTrees.*')"
row "200 random trees against MuJoCo: mass matrix, inverse, accelerations of both forms" "COTREE_LONG=200 test_mechanics --gtest_filter='RandomTrees.MuJoCo'" \
  "$(said "$out" 'MuJoCo: .*')" "1e-9, 1e-9, max(1e-9, 1e-14 cond)" "$(verdict "$out")"
beyond="$(grep -oE 'Simbody: .*' <<<"$out" | grep -oE '[0-9]+ of [0-9]+ runs beyond' || true)"
row "200 random trees with screws against Simbody (whose own accelerations miss the bound by rounding on some trees: tests/peers/README.md)" "COTREE_LONG=200 test_mechanics --gtest_filter='RandomTrees.Simbody'" \
  "$(said "$out" 'Simbody: .*')" "1e-9, 1e-9, max(1e-9, 1e-14 cond)" "$([[ $(verdict "$out") == ok && $beyond == 0\ of* ]] && echo ok || echo missed)" \
  "accelerations of 4 of 400 runs are off by up to 10 times the bound: rounding of the peer on trees with masses from 1e-3 to 1e3 (tests/peers/README.md); mass matrix and inverse agree to 1e-13, MuJoCo's accelerations to 0.01 of the bound"

# 3. Conservation and coordinates.
long() { # MODEL COLUMN...: a run of 1,000 s
  local name=$1 only=()
  shift
  for column in "$@"; do only+=(--only "$column"); done
  "$COTREE" simulate "tests/mechanics/models/$name.cot" --experiment Long --out "$work/$name.csv" "${only[@]}" >/dev/null
}
long spherical_pendulum energy.total &
long free_top energy.total &
wait
long four_bar energy.total 'closure.y[1]' 'closure.y[2]' 'closure.y[3]'
for name in four_bar spherical_pendulum free_top; do
  drift="$(awk -F, 'NR == 1 { next } { if (NR == 2 || $2 < low) low = $2; if (NR == 2 || $2 > high) high = $2; size = $2 < 0 ? -$2 : $2
    if (size > most) most = size } END { printf "%.2g", (high - low) / most }' "$work/$name.csv")"
  row "energy of $name over 1,000 s at rtol 1e-11" "cotree simulate tests/mechanics/models/$name.cot --experiment Long" "$drift" "≤ 1e-6 relative" "$(at_most "$drift" 1e-6)"
done
gap="$(awk -F, 'NR > 1 { for (k = 3; k <= 5; ++k) { size = $k < 0 ? -$k : $k; if (size > most) most = size } } END { printf "%.2g", most }' "$work/four_bar.csv")"
row "the loop of four_bar stays closed over 1,000 s" "cotree simulate tests/mechanics/models/four_bar.cot --experiment Long" "$gap m" "≤ 1e-10 m" "$(at_most "$gap" 1e-10)"
out="$(run test_mechanics 'Coordinates.*')"
row "joint, absolute and mixed coordinates agree over 2 s at rtol 1e-11" "test_mechanics --gtest_filter='Coordinates.*'" "$(said "$out" 'coordinates: [0-9]+ runs, worst [0-9.e+-]+')" "1e-8" "$(verdict "$out")"
row "loops stay closed after every step, with four methods at rtol 1e-6" "test_mechanics --gtest_filter='Coordinates.LoopsStayClosed'" "$(said "$out" 'loops: worst gap [0-9.e+-]+ m')" "1e-12 m" "$(verdict "$out")"

# 4. and 5. Examples, wrong mechanisms.
expect "nine examples run" 'SpatialExamples.Run' "all"
expect "wrong mechanisms, each with its message" 'WrongMechanism.*' "all"
expect "energy of a top and a spherical pendulum; both forms move a chain alike" 'Conserved.*:MotionForms.*' "1e-9, 1e-8"

# 6. Translation.
chain() { # N: the reference chain
  awk -v n="$1" 'BEGIN {
    axis[0] = "[0, 1, 0]"; axis[1] = "[1, 0, 0]"; axis[2] = "[0, 0, 1]"
    print "system Chain {\n  gravity : Gravity(g = [0, 0, -9.81] m/s^2)"
    for (i = 1; i <= n; ++i) {
      printf "  j%d : Revolute(n = %s)\n  b%d : Body(m = 1 kg, center = [0.02, 0.01, -0.25] m, I = [0.021, 0.022, 0.004, 0, 0, 0] kg*m^2)\n", i, axis[(i - 1) % 3], i
      if (i > 1) printf "  arm%d : Arm(r = [0, 0, -0.5] m)\n  connect j%d.b -- arm%d.a\n  connect arm%d.b -- j%d.a\n", i, i - 1, i, i, i
      else print "  connect mechanics.ground -- j1.a"
      printf "  connect j%d.b -- b%d.a\n", i, i
    }
    print "}"
  }' >"$work/chain.cot"
  local best=99 t k
  for k in 1 2 3; do
    t="$( { TIMEFORMAT=%R; time "$COTREE" check "$work/chain.cot" >/dev/null; } 2>&1)"
    best="$(awk -v a="$best" -v b="$t" 'BEGIN { print a < b ? a : b }')"
  done
  echo "$best"
}
s="$(chain 100)"
row "translation of a chain of 100 bodies, program included" "cotree check" "$s s" "≤ 0.5 s" "$(at_most "$s" 0.5)"
s="$(chain 1000)"
row "translation of a chain of 1,000 bodies, program included" "cotree check" "$s s" "≤ 5 s" "$(at_most "$s" 5)"

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What the issue "Simulation for real: modes and events, sampled controllers, ..." must show.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

"$ROOT/dev" build release >/dev/null

# 1. Reference runs.
out="$(run test_events 'References.*')"
row "bouncing ball: 25 events, at rest after 4.0637 s; without a rest mode: Zeno, named" "test_events --gtest_filter='References.Bouncing*'" \
  "$(said "$out" 'ball: [0-9]+ events, worst [0-9.e+-]+ s; samples worst [0-9.e+-]+')" "1e-8 s, 1e-7" "$(verdict "$out")"
row "relay.json" "test_events --gtest_filter='References.Relay'" "$(said "$out" 'relay: worst [0-9.e+-]+ s, samples [0-9.e+-]+')" "1e-8 s, 1e-7" "$(verdict "$out")"
row "sampled_pid_motor.json, at and between samples" "test_events --gtest_filter='References.Sampled*'" "$(said "$out" 'sampled pid: [0-9]+ samples, worst [0-9.e+-]+')" "1e-9" "$(verdict "$out")"
row "seeker_closed_loop.json, ten states" "test_events --gtest_filter='References.Seeker*'" "$(said "$out" 'seeker: 10 states, worst [0-9.e+-]+')" "1e-6 of the largest" "$(verdict "$out")"
out="$(run test_events 'Events*')"
row "every library component with modes against its closed form" "test_events --gtest_filter='Events*'" "$(passed "$out")" "all" "$(verdict "$out")"

# 2. Live against ngspice.
out="$(run test_events 'Ngspice.*')"
row "ngspice, live: rectifier, Schmitt trigger, R-2R converter, buck converter, op-amp filter, coupled inductors" "test_events --gtest_filter='Ngspice.*'" \
  "worst $(grep -oE 'worst [0-9.e+-]+' <<<"$out" | awk '{ if ($2 + 0 > w + 0) w = $2 } END { print w }')" "6 circuits, 1e-4" "$(verdict "$out")"

# 3. Random systems, interruptions.
out="$(COTREE_LONG=1 run test_events 'RandomSystems.*')"
row "500 random systems with switches, diodes, couplers, nonlinear storage: no failure, energy" "COTREE_LONG=1 test_events --gtest_filter='RandomSystems.*'" \
  "$(said "$out" 'random systems.*')" "500, ≤ 1e-4 (100 rtol)" "$(verdict "$out")"
out="$(run test_events 'Checkpoints.*')"
row "runs in pieces, resumed from checkpoints: the same bits" "test_events --gtest_filter='Checkpoints.*'" "$(passed "$out")" "all" "$(verdict "$out")"
readable=0 same=0 trials=${COTREE_KILLS:-200}
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
model="$ROOT/examples/pwm_drive/pwm_drive.cot"
"$COTREE" simulate "$model" --stop "0.04 s" --out "$work/whole.csv" >/dev/null
for ((k = 0; k < trials; ++k)); do
  rm -f "$work"/r.csv* "$work/c"
  (timeout -s KILL "0.$((RANDOM % 20 + 3))" "$COTREE" simulate "$model" --stop "0.04 s" --out "$work/r.csv" --checkpoint "$work/c" >/dev/null 2>&1 || true) 2>/dev/null
  if [[ ! -s $work/r.csv ]] || "$COTREE" convert "$work/r.csv" "$work/x.cotr" >/dev/null 2>&1; then readable=$((readable + 1)); fi
  if [[ -s $work/c ]]; then "$COTREE" simulate "$model" --stop "0.04 s" --out "$work/r.csv" --checkpoint "$work/c" --resume >/dev/null 2>&1 || true
  else "$COTREE" simulate "$model" --stop "0.04 s" --out "$work/r.csv" >/dev/null; fi
  if cmp -s "$work/r.csv" "$work/whole.csv"; then same=$((same + 1)); fi
done
row "killed at random moments: a readable result; resumed: the same bits" "cotree simulate --checkpoint, kill -9, --resume" "$readable readable, $same equal of $trials" "all" \
  "$([[ $readable == "$trials" && $same == "$trials" ]] && echo ok || echo missed)"

# 4. Many events.
failed=0
for f in 8 9 10 11 15 20; do
  "$COTREE" simulate examples/pwm_drive/pwm_drive.cot --set "f=$f kHz" >/dev/null || failed=$((failed + 1))
  "$COTREE" simulate examples/inverter/inverter.cot --set "f=$f kHz" >/dev/null || failed=$((failed + 1))
done
row "inverter and PWM drive at 8, 9, 10, 11, 15, 20 kHz" "cotree simulate examples/inverter/inverter.cot --set \"f=8 kHz\"" "$((12 - failed)) of 12 finish" "12" "$([[ $failed == 0 ]] && echo ok || echo missed)"
for experiment in Shake Engage Relief; do "$COTREE" simulate examples/friction/friction.cot --experiment $experiment --plot --plot-out "$work/$experiment.svg" >/dev/null || failed=1; done
row "block on a shaking table, clutch engaging, valve: each with its plot" "cotree simulate examples/friction/friction.cot --experiment Engage --plot" "$(ls "$work"/*.svg | wc -l) plots" "3" "$([[ $failed == 0 ]] && echo ok || echo missed)"

# 5. Hostile components.
out="$(run test_events 'ForeignCode.*')"
row "12 hostile components in a run: the right message in time" "test_events --gtest_filter='ForeignCode.*'" "$(said "$out" 'hostile components contained: [0-9]+ of 12')" "12 of 12" "$(verdict "$out")"
out="$(run test_events 'ContinuousForeign.*')"
row "continuous foreign code: closed forms and the same laws as equations, loops, checkpoints, hostile derivatives" "test_events --gtest_filter='ContinuousForeign.*'" "$(passed "$out")" "all" "$(verdict "$out")"
out="$(run test_events 'ForeignConsent.*')"
row "foreign code: 18 commands that run nothing load nothing, 10 that run ask for consent; interrupted calls end with 130" "test_events --gtest_filter='ForeignConsent.*'" "$(passed "$out")" "all" "$(verdict "$out")"
out="$(run test_software_component 'Confined.*')"
row "foreign code tries 33 things in its process (sockets, processes, files, signals, ...), three ways of confinement" "test_software_component --gtest_filter='Confined.*'" "$(passed "$out")" "all" "$(verdict "$out")"
out="$(run test_software_component '*')"
row "the host of foreign code: 5 times each, no process left" "test_software_component" "$(passed "$out")" "all" "$(verdict "$out")"

# What the sections ask for besides.
out="$(run test_events 'ResidualForm.*')"
row "IDA in residual form against CVODE on a grid of diodes; resumed to the same bits" "test_events --gtest_filter='ResidualForm.*'" "$(passed "$out")" "all" "$(verdict "$out")"
out="$(run test_events 'Modes.*')"
row "dead centres, loops of truth values, modes that change the number of states: refused or said" "test_events --gtest_filter='Modes.*'" "$(passed "$out")" "all" "$(verdict "$out")"
out="$(run test_product 'SampledControl.*')"
row "sampled controllers as a discrete model in linearize: sampled_pid_motor.json" "test_product --gtest_filter='SampledControl.*'" "$(said "$out" 'sampled pid: [0-9]+ samples of the linear model, worst [0-9.e+-]+')" "1e-10" "$(verdict "$out")"
out="$(
  run test_sweep '*'
  run test_product 'Sweeps.*:MeasuredInputs.*'
)"
row "sweep: the same bits as simulate --set with any number of threads, resumed; --input against closed forms; --watch" "test_sweep; test_product --gtest_filter='Sweeps.*:MeasuredInputs.*'" "$(passed "$out")" "all" "$(verdict "$out")"

out="$(run test_product 'ResultCommands.SciPyReadsMat')"
row "MAT level 4 read by SciPy as Dymola's and OpenModelica's: all variables, aliases of both signs" "test_product --gtest_filter='ResultCommands.SciPy*'" "$(said "$out" 'scipy: .*')" "worst 0" "$(verdict "$out")"

# 6. Cold start.
ms="$(for ((k = 0; k < 20; ++k)); do
  begin=$(date +%s%N)
  "$COTREE" simulate examples/positioner/positioner.cot --out "$work/p.csv" >/dev/null
  echo $((($(date +%s%N) - begin) / 10000))
done | sort -n | awk 'NR == 10 { a = $1 } NR == 11 { printf "%.1f", (a + $1) / 200 }')"
row "cold start of examples/positioner to CSV, median of 20" "cotree simulate examples/positioner/positioner.cot --out p.csv" "$ms ms" "≤ 50 ms" "$(at_most "$ms" 50)"

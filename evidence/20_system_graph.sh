#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What the issue "The system graph, its diagnoses, and the component library" must show.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

product() { "$ROOT/build/release/test/test_product" --gtest_filter="$1" 2>&1 || true; }
verdict() { grep -q 'FAILED' <<<"$1" || ! grep -q '^\[       OK' <<<"$1" && echo missed || echo ok; }
passed() { echo "$(grep -c '^\[       OK' <<<"$1") tests pass"; }
# The codes that a model gives.
findings() { "$COTREE" check "$1" 2>&1 >/dev/null || true; }
codes() { findings "$1" | grep -oE '^(error|warning)\[COT[0-9]+\]' | grep -oE 'COT[0-9]+' | sort -u | paste -sd ' '; }
says() { grep -qF -- "$2" <<<"$(findings "$1")"; }

"$ROOT/dev" build release >/dev/null

# 1. The positioning system of paper 000.
out="$(product 'Positioning.*')"
row "examples/positioning has the incidence matrices of paper 000, eqs 1-2, up to order and orientation; its README names the edges" \
  "test_product --gtest_filter='Positioning.*'" "$(grep -o 'positioning: .*' <<<"$out" | head -n 1 | cut -d: -f2 | cut -c2-)" "equal" "$(verdict "$out")"

# 2. The networks.
out="$(product 'SystemGraphNetworks.*')"
row "the graphs of networks.json: ends, orientation, kinds, orders; the ill-posed ones diagnosed with the right names" \
  "test_product --gtest_filter='SystemGraphNetworks.*'" "$(passed "$out")" "all" "$(verdict "$out")"
out="$(product 'SystemGraphRandom*.*:SystemGraphOrder*.*')"
row "random netlists against brute force: graph and findings; the same whatever the order of declaration" \
  "test_product --gtest_filter='SystemGraphRandom*:SystemGraphOrder*'" "$(passed "$out")" "all" "$(verdict "$out")"

# 3. The known embarrassments.
embarrassment() {
  local what=$1 model=tests/diagnostics/$2 code=$3 text=$4 found
  found="$(codes "$model")"
  row "$what" "cotree check $model" "$found" "$code, and: $text" "$([[ $found == "$code" ]] && says "$model" "$text" && echo ok || echo missed)"
}
embarrassment "RC loop without ground" 3001_rc_loop_without_ground.cot COT3001 'add `connect source.n -- electrical.ground`'
embarrassment "voltage-source loop through three components" 3002_three_voltage_sources.cot COT3002 '`battery`, `charger` and `solar` form a closed circuit'
embarrassment "a pass-through signal block fed by itself" 3104_pass_through_block.cot COT3104 '`pass` passes its input on: every value would satisfy it'
embarrassment "the same as a composite" 3104_pass_through_composite.cot COT3104 'led back to themselves'
embarrassment "a transformer's floating secondary" 3001_floating_secondary.cot COT3001 '`t` passes power between its sides, but does not connect them'
embarrassment "ohms given for farads" 2201_ohms_for_farads.cot COT2201 '`100 ohm` is in ohm, but `C` of `c` is in F'

# 4. Examples, pictures, library.
n=0
for e in heat_exchanger wind_turbine press battery_vehicle positioning; do
  if [[ -f examples/$e/README.md && -f examples/$e/$e.svg && -z $(findings "examples/$e/$e.cot") ]]; then n=$((n + 1)); fi
done
row "examples heat exchanger, wind turbine, press, battery vehicle, positioning: clean, with README and picture" "cotree check examples/*/*.cot" "$n of 5" "5" \
  "$([[ $n == 5 ]] && echo ok || echo missed)"
out="$(product 'Drawing*.*')"
row "drawings of all examples and of hard cases: labels do not overlap, every edge once, all names there, the same bytes again" "test_product --gtest_filter='Drawing*'" \
  "$(passed "$out")" "all" "$(verdict "$out")"
out="$(product 'LibraryCoverage.*')"
row "every class of the library has a line of documentation, a test on the bench, an icon with its terminals" "test_product --gtest_filter='LibraryCoverage.*'" \
  "$("$COTREE" library --format json | grep -c '"package"') rows; $(passed "$out")" "all" "$(verdict "$out")"
out="$("$ROOT/build/release/test/test_product" --gtest_filter='Electrical*:Electromechanical*:Translational*:Rotational*:Hydraulic*:Thermal*:Signal*:Probe*' 2>&1 || true)"
row "the components against their textbook relations" "test_product --gtest_filter='Electrical*:...:Signal*'" "$(passed "$out")" "all" "$(verdict "$out")"
out="$(product 'LibraryEnergy.*')"
row "energy and loss of every library class account for its power; equations are as many as unknowns" "test_product --gtest_filter='LibraryEnergy.*'" "$(grep -o 'library: .*' <<<"$out" | head -n 1)" "all" "$(verdict "$out")"
out="$(product 'Schema.Graph*')"
row "cotree graph --format json keeps to its schema" "test_product --gtest_filter='Schema.Graph*'" "$(grep -o '[0-9]* systems with [0-9]* edges' <<<"$out" | head -n 1)" "all" "$(verdict "$out")"

out="$(product 'SystemGraphReview.*:SystemGraphArrays.*:SystemGraphSignals.*:SystemGraphKinds.*')"
row "arrays, composites, signals, kinds; what an independent review found" "test_product --gtest_filter='SystemGraph*'" "$(passed "$out")" "all" "$(verdict "$out")"
found="$(awk -F '\t' '$1 == "fuzz_graph" { print $2 " (" $3 ")" }' "$ROOT/evidence/recorded.tsv" | tail -n 1)"
row "fuzz_graph: any text to a graph, under asan+ubsan" "./dev fuzz fuzz_graph 600" "${found:-not run}" "600 s, 0 findings" \
  "$([[ $found == "600 s, 0 findings"* ]] && echo ok || echo missed)"

# 5. Speed.
"$ROOT/dev" build bench system_graph_bench >/dev/null
bench="$(build/bench/bench/system_graph_bench 2>&1)"
figure() { awk -v name="$1" -v n="$2" -v column="$3" '$1 == "result" && $2 == name && $3 == n { print $column }' <<<"$bench"; }
exponent() { awk -v name="$1" '$1 == "exponent" && $2 == name { print $3 }' <<<"$bench"; }
for family in ladder chain motors; do
  s="$(figure "${family}_arrays" 1000000 4)" mb="$(figure "${family}_arrays" 1000000 5)"
  row "$family: 1,000,000 components by arrays, text to system graph" "build/bench/bench/system_graph_bench" "$s s, $mb MB" "≤ 1 s, ≤ 400 MB" \
    "$([[ $(at_most "$s" 1) == ok && $(at_most "$mb" 400) == ok ]] && echo ok || echo missed)"
  s="$(figure "${family}_lines" 100000 4)"
  row "$family: 100,000 spelled-out lines, text to system graph" "build/bench/bench/system_graph_bench" "$s s" "≤ 0.6 s" "$(at_most "$s" 0.6)"
  x="$(exponent "${family}_lines")"
  row "$family: exponent of growth, 10,000 to 1,000,000 lines" "build/bench/bench/system_graph_bench" "$x" "≤ 1.05" "$(at_most "$x" 1.05)"
done

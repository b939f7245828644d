#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What the issue "The house, expressions, the language and the model" must show.
# What takes longer than a few minutes (fuzzing, the fresh chroot) is run by its own command and recorded in evidence/recorded.tsv
# (key, figure, date); COTREE_LONG=1 runs it again here.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

recorded() { awk -F '\t' -v key="$1" '$1 == key { print $2 " (" $3 ")" }' "$ROOT/evidence/recorded.tsv" | tail -n 1; }
test_line() { "$ROOT/build/release/test/test_product" --gtest_filter="$1" 2>&1 || true; }
clean() { local n=0 f; for f in "$@"; do if "$COTREE" check "$f" >/dev/null 2>&1; then n=$((n + 1)); fi; done; echo "$n"; }
# Right in text, names and units, whatever the graph says of them (COT3xxx).
readable() { local n=0 f; for f in "$@"; do if ! "$COTREE" check "$f" 2>&1 | grep -q 'error\[COT[12]'; then n=$((n + 1)); fi; done; echo "$n"; }

"$ROOT/dev" build release >/dev/null

# 1. Networks.
networks=(tests/models/{rc_lowpass,rlc_series,c_loop_vsource,l_cutset_isource,tanks_ideal_pipe,transformer_c_both_sides,gyrator_l_dependent,opamp_integrator,vcvs_bootstrap_k1,bridged_t,hydraulic_cylinder_rigid,motor_gear_flexible,two_mass_free,lever_masses,ccvs_cccs_mix}.cot)
velocity=(tests/models/*_velocity.cot)
n=$(clean "${networks[@]}") v=$(clean "${velocity[@]}") e=$(readable tests/models/err_v_loop.cot tests/models/err_floating.cot)
row "the 15 well-posed networks check clean, the mechanical ones twice; the two ill-posed ones parse and are dimensionally right" \
  "cotree check tests/models/*.cot" "$n + $v + $e clean" "15 + ${#velocity[@]} + 2" \
  "$([[ $n == 15 && $v == "${#velocity[@]}" && $e == 2 ]] && echo ok || echo missed)"
out="$(test_line 'Networks*:*Network*')"
row "each network is the netlist's: partition of terminals and parameter values against networks.json" \
  "test_product --gtest_filter='*Network*'" "$(grep -c '^\[       OK' <<<"$out") tests pass" "all" \
  "$(grep -q 'PASSED' <<<"$out" && ! grep -q 'FAILED' <<<"$out" && grep -q '^\[       OK' <<<"$out" && echo ok || echo missed)"

# 2. Diagnostics.
out="$(test_line '*Diagnostics*')"
line="$(grep -o 'diagnostics: .*' <<<"$out" | tail -n 1)"
files="$(grep -o '[0-9]* files' <<<"$line" | cut -d' ' -f1)"
row "wrong models with their message and code, each with mutations (renamed, reordered, nested)" "test_product --gtest_filter='*Diagnostics*'" \
  "${line#diagnostics: }" "≥ 40 files" "$(grep -q 'FAILED' <<<"$out" && echo missed || at_least "${files:-0}" 40)"
out="$(test_line '*FaultInjection*')"
line="$(grep -o 'fault injection: .*' <<<"$out" | tail -n 1)"
percent="$(grep -oE '[0-9.]+ %' <<<"$line" | cut -d' ' -f1)"
row "500 random single faults: the first message is at the broken line or the one after; none silent" "test_product --gtest_filter='*FaultInjection*'" \
  "${line#fault injection: }" "≥ 95 %, 0 silent" "$(grep -q ' 0 silent' <<<"$line" && ! grep -q FAILED <<<"$out" && at_least "${percent:-0}" 95 || echo missed)"

# 3. Examples.
examples=(examples/{positioner,dc_motor_drive,opamp_filters,hydraulic_servo,quarter_car,seeker_electrics}/*.cot)
row "six examples check clean" "cotree check examples/*/*.cot" "$(clean "${examples[@]}") of ${#examples[@]}" "6" \
  "$([[ $(clean "${examples[@]}") == 6 ]] && echo ok || echo missed)"

# 4. Scale and speed.
"$ROOT/dev" build bench front_end_bench expr_bench >/dev/null
bench="$(build/bench/bench/front_end_bench 2>&1)"
figure() { awk -v name="$1" -v n="$2" -v column="$3" '$1 == "result" && $2 == name && $3 == n { print $column }' <<<"$bench"; }
exponent() { awk -v name="$1" '$1 == "exponent" && $2 == name { print $3 }' <<<"$bench"; }
for family in ladder chain motors; do
  s="$(figure "${family}_arrays" 1000000 4)" mb="$(figure "${family}_arrays" 1000000 5)"
  row "$family: 1,000,000 components by arrays, text to checked model" "build/bench/bench/front_end_bench" "$s s, $mb MB" "≤ 0.4 s, ≤ 200 MB" \
    "$([[ $(at_most "$s" 0.4) == ok && $(at_most "$mb" 200) == ok ]] && echo ok || echo missed)"
  s="$(figure "${family}_lines" 100000 4)"
  row "$family: 100,000 spelled-out lines" "build/bench/bench/front_end_bench" "$s s" "≤ 0.4 s" "$(at_most "$s" 0.4)"
  s="$(figure "${family}_lines" 1000000 4)"
  row "$family: 1,000,000 spelled-out lines" "build/bench/bench/front_end_bench" "$s s" "≤ 4 s" "$(at_most "$s" 4)"
  x="$(exponent "${family}_lines")"
  row "$family: exponent of growth, 10,000 to 1,000,000 lines" "build/bench/bench/front_end_bench" "$x" "≤ 1.05" "$(at_most "$x" 1.05)"
done
ms="$(median_ms 20 "$COTREE" check examples/positioner/positioner.cot)"
row "cotree check examples/positioner, median of 20" "cotree check examples/positioner/positioner.cot" "$ms ms" "≤ 15 ms" "$(at_most "$ms" 15)"
ms="$(median_ms 20 "$COTREE" --version)"
row "cotree --version, median of 20" "cotree --version" "$ms ms" "≤ 5 ms" "$(at_most "$ms" 5)"

# Expressions.
expr="$(build/bench/bench/expr_bench 2>&1)"
rate="$(awk '/^result construct / { print $3 }' <<<"$expr")"
row "node constructions per second (mix of the equations of 100 classes)" "build/bench/bench/expr_bench" "$rate million" "≥ 15 million" "$(at_least "$rate" 15)"
spread="$(awk '/^result derivative_nodes / { print $3 }' <<<"$expr")"
row "differentiation linear in the DAG: new nodes per node at depth 100,000 over depth 1,000" "build/bench/bench/expr_bench" "$spread" "≤ 1.1" "$(at_most "$spread" 1.1)"
out="$("$ROOT/build/release/test/test_expr" --gtest_filter='Deep*:*Rewrite*' 2>&1 || true)"
row "a chain 100,000 deep works in every pass; every rewrite holds at 0, ±1, −x, 1e±300 and random points" "test_expr --gtest_filter='Deep*:*Rewrite*'" \
  "$(grep -c '^\[       OK' <<<"$out") tests pass" "all" "$(grep -q FAILED <<<"$out" || ! grep -q 'OK' <<<"$out" && echo missed || echo ok)"

# 5. Fuzzing.
for target in fuzz_parser fuzz_units fuzz_model fuzz_edit; do
  if [[ ${COTREE_LONG:-} == 1 ]]; then "$ROOT/dev" fuzz "$target" 600 >/dev/null && found="600 s, 0 findings (just now)" || found="a finding, see build/fuzz/artifacts"; else found="$(recorded "$target")"; fi
  row "$target: clean under asan+ubsan; ≤ 64 MB live, ≤ 1 s per input" "./dev fuzz $target 600" "${found:-not run}" "600 s, 0 findings" \
    "$([[ $found == "600 s, 0 findings"* ]] && echo ok || echo missed)"
done
found="$(recorded coverage)"
row "line coverage of language, units, model reached by the corpora" "./dev coverage" "${found:-not run}" "≥ 85 %" "$(at_least "${found%% *}" 85)"

# 6. From a fresh clone.
for key in clone_run clone_test fresh; do
  found="$(recorded "$key")"
  case $key in
    clone_run) demand="./dev run from a fresh clone" command="git clone . DIR && cd DIR && ./dev run" bound="exit 0" ;;
    clone_test) demand="./dev test from a fresh clone, all tests, build included" command="git clone . DIR && cd DIR && ./dev test" bound="≤ 10 min" ;;
    fresh) demand="both commands in a debootstrap minbase chroot" command="./dev fresh" bound="exit 0" ;;
  esac
  row "$demand" "$command" "${found:-not run}" "$bound" "$([[ $found == "ok"* ]] && echo ok || echo missed)"
done

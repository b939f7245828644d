#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What the issue "System equations: the exact normal tree, causal form, index reduction, ..." must show.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

"$ROOT/dev" build release >/dev/null

# 1. networks.json, in velocities and with the standard library.
out="$(run test_equations 'Networks.OrderStates*')"
row "networks.json: order, admissible states, poles (1e-9), frequency responses at the file's points and 20 more" "test_equations --gtest_filter='Networks.Order*'" \
  "$(said "$out" 'networks [0-9]+, response points [0-9]+, worst [0-9.e+-]+')" "19 models, ≤ 1e-8" "$(verdict "$out")"
out="$(run test_equations 'Networks.Step*')"
row "networks.json: step responses" "test_equations --gtest_filter='Networks.Step*'" "$(said "$out" 'step responses [0-9]+, worst [0-9.e+-]+')" "≤ 1e-6 of full scale" "$(verdict "$out")"
out="$(run test_product 'SystemCommands.*:*Linearize*:*Equations*Command*:*OrderCommand*:*TreeCommand*')"
row "cotree tree, order, equations, linearize: every format; the manual shows what is printed" "test_product --gtest_filter='SystemCommands.*:...'" "$(passed "$out")" "all" "$(verdict "$out")"

# 2. The paper's matrices, blt.json.
out="$(run test_equations 'PositioningMatrices.*')"
row "positioning_incidence.json: cut-set and circuit matrices of both forests" "test_equations --gtest_filter='PositioningMatrices.*'" "$(said "$out" 'forests [0-9]+')" "2, equal" "$(verdict "$out")"
out="$(run test_equations 'BlockTriangular.*')"
row "blt.json: blocks as expected, values, each output group once" "test_equations --gtest_filter='BlockTriangular.*'" "$(passed "$out")" "all" "$(verdict "$out")"

out="$(run test_equations 'Beginning.*')"
row "initial equations as their own ordered system: 150 random sets of demands are met exactly where ranks of dense matrices say so; contradictions named; homotopy" "test_equations --gtest_filter='Beginning.*'" "$(passed "$out")" "all" "$(verdict "$out")"
out="$(run test_equations 'Tearing.*')"
row "safe tearing in the solve: values and tangents as by the whole block; a small pivot is not trusted" "test_equations --gtest_filter='Tearing.*'" "$(said "$out" 'systems [0-9]+, solves by tears [0-9]+, refused [0-9]+, worst [0-9.e+-]+')" "≤ 1e-8" "$(verdict "$out")"

# 3. Random networks against exact arithmetic.
out="$(COTREE_LONG=1 run test_oracle 'RandomNetworks.*')"
row "random networks (--long): order = exact degree of det(sE - A) modulo two primes, poles; reordering changes no bit, renaming neither order nor poles" \
  "COTREE_LONG=1 test_oracle --gtest_filter='RandomNetworks.*'" "$(said "$out" 'networks 2000, singular [0-9]+, order mismatches [0-9]+')" "2000, 0 mismatches" "$(verdict "$out")"
out="$(run test_oracle 'AllSmallNetworks.*')"
row "all networks of up to 4 edges" "test_oracle --gtest_filter='AllSmallNetworks.*'" "$(said "$out" 'networks [0-9]+, singular [0-9]+, order mismatches [0-9]+')" "0 mismatches" "$(verdict "$out")"
out="$(run test_oracle 'RandomBlocks.*')"
row "blocks of random networks = those of dense circuit and cut-set matrices" "test_oracle --gtest_filter='RandomBlocks.*'" \
  "$(said "$out" 'blocks compared [0-9]+ .with loops [0-9]+, with couplers [0-9]+., different [0-9]+')" "0 different" "$(verdict "$out")"
out="$(run test_normal_tree '*')"
row "the normal tree against brute force over all pairs of forests; certificates checked" "test_normal_tree" "$(passed "$out")" "all" "$(verdict "$out")"

out="$(run test_equations 'BlockCertificates.*:Networks.OrderStates*'; run test_product 'Diagnostics.WrongModels*')"
row "every implicit block certified in the finite field; dependent ones refused with their equations (tests/diagnostics/4003_*)" "test_equations --gtest_filter='BlockCertificates.*:Networks.Order*'" "$(passed "$out")" "all" "$(verdict "$out")"

# 4. Energy.
out="$(run test_equations 'Energy.*')"
row "energy over 5 of the slowest time constants; a planted sign error is seen" "test_equations --gtest_filter='Energy.*'" "$(said "$out" 'systems [0-9]+, worst [0-9.e+-]+')" "200 systems, ≤ 1e-4 (100 rtol)" "$(verdict "$out")"

# 5. Where other tools fail.
out="$(run test_equations 'SpecialCases.*')"
row "I-R-(C||R2), gears that disagree, gear between drivers, L in series with I, delta, 1:1 gears, L1 = L2 = M" "test_equations --gtest_filter='SpecialCases.*'" "$(passed "$out")" "all" "$(verdict "$out")"

# 6. The library.
out="$(run test_product 'Dynamic*.*')"
row "every library component without modes moves as its closed form says" "test_product --gtest_filter='Dynamic*'" "$(passed "$out"), $(grep -c 'SKIPPED' <<<"$out" || true) lines of skips (delay)" "all" "$(verdict "$out")"

# 7. Speed.
"$ROOT/dev" build bench equations_bench >/dev/null
bench="$(build/bench/bench/equations_bench 2>&1)"
figure() { awk -v name="$1" -v n="$2" -v column="$3" '$1 == "result" && $2 == name && $3 == n { print $column }' <<<"$bench"; }
exponent() { awk -v name="$1" '$1 == "exponent" && $2 == name { print $3 }' <<<"$bench"; }
largest() { awk -v name="$1" '$1 == "result" && $2 == name { n = $3 } END { print n }' <<<"$bench"; }
for kind in arrays lines shuffled tenths; do
  bound=8
  [[ $kind == arrays ]] && bound=4
  for family in ladder chain drives; do
    n="$(largest "${family}_$kind")" s="$(figure "${family}_$kind" "$n" 4)" mb="$(figure "${family}_$kind" "$n" 5)" x="$(exponent "${family}_$kind")"
    row "$family, $kind: $n components, text to ordered equations; exponent from 100 on" "build/bench/bench/equations_bench" "$s s, $mb MB, $x" "≤ $bound s, ≤ 1500 MB, ≤ 1.1" \
      "$([[ $(at_most "$s" "$bound") == ok && $(at_most "$mb" 1500) == ok && $(at_most "$x" 1.1) == ok ]] && echo ok || echo missed)"
  done
done
s="$(awk '$2 == "tree_of_drives" { print $4 }' <<<"$bench")"
row "tree of 100,000 drives" "build/bench/bench/equations_bench" "$s s" "≤ 2 s" "$(at_most "$s" 2)"
work() { awk -v name="$1" -v n="$2" '$1 == "work" && $(NF-1) == name && $NF == n { print $2, $4 }' <<<"$bench"; }
for family in ladder chain; do
  small="$(work "${family}_arrays" 1000)" large="$(work "${family}_arrays" 1000000)"
  row "$family: symbolic operations and kernels at 1,000 and 1,000,000 components" "build/bench/bench/equations_bench" "$small; $large" "equal" "$([[ -n $small && $small == "$large" ]] && echo ok || echo missed)"
  plain="${large#* }" tenths="$(work "${family}_tenths" 1000000)" tenths="${tenths#* }"
  row "$family: kernels when every tenth differs" "build/bench/bench/equations_bench" "$tenths against $plain" "≤ 4 times" \
    "$([[ -n $tenths && -n $plain && $tenths -le $((4 * plain)) ]] && echo ok || echo missed)"
done
row "resistor grid 300×300: one sparse block, no dense matrix" "build/bench/bench/equations_bench" "$(grep -oE 'grid [0-9]+ blocks, largest [0-9]+ unknowns' <<<"$bench"), $(figure grid 300 4) s, $(figure grid 300 5) MB" \
  "1 block" "$(grep -q 'grid 1 blocks' <<<"$bench" && echo ok || echo missed)"
s="$(figure couplers 1000 4)"
row "a chain of 1,000 gears and 1,000 transformers" "build/bench/bench/equations_bench" "$s s" "≤ 1 s" "$(at_most "$s" 1)"

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What the issue "Equations people can read: the derivation, the state space, the report" must show.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

"$ROOT/dev" build release >/dev/null
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
python=/usr/bin/python3

# lines COMMAND...: what a script prints, with its exit code as a last line.
lines() { "$@" 2>&1 && echo "exit 0" || echo "exit $?"; }
ended() { grep -q '^exit 0$' <<<"$1" && echo ok || echo missed; }

# 1. Textbooks.
out="$(lines "$python" tests/textbook/check_symbols.py --cotree "$COTREE")"
row "ten textbook systems: equal in symbols, no more terms (summands as one reads them) and no more operations than the book" "tests/textbook/check_symbols.py" \
  "$(grep -c ': equal, terms' <<<"$out") of 10 equal and no longer" "10" "$(ended "$out")"

strict="$(grep -oE 'brackets [0-9]+ \(book [0-9]+' <<<"$out" | tr -dc '0-9 \n' | awk '$1 <= $2' | wc -l)"
row "... by the stricter count, in which sums within brackets count too" "tests/textbook/check_symbols.py" "$strict of 10" "10" "$([[ $strict == 10 ]] && echo ok || echo missed)" \
  "quarter_car writes k·(s1 - s2) where the book multiplies out, inverted_pendulum nests brackets: fewer operations, more summands (docs/decisions/0007); multiplying out would serve the count and not the reader"

# 2. Numbers.
expect() {
  local out
  out="$(run test_readable "$2")"
  row "$1" "test_readable --gtest_filter='$2'" "$(said "$out" "$3")" "$4" "$(verdict "$out")"
}
expect "printed text of every example, read back, against the program" 'ReadBack.Examples' 'examples: .*worst [0-9.e+-]+' "1e-12"
expect "the same with numbers in the place of letters" 'ReadBack.ExamplesInNumbers' 'examples: .*worst [0-9.e+-]+' "1e-12"
expect "200 random systems" 'ReadBack.RandomSystems' 'random: .*worst [0-9.e+-]+' "1e-12"
expect "a wrong text is found" 'ReadBack.AWrongTextIsFound' 'PASSED.*' "found"
mkdir "$work/points"
COTREE_POINTS="$work/points" run test_readable 'ReadBack.Examples:ReadBack.RandomSystems' >/dev/null
out="$(lines "$python" tests/readable/check_sympy.py --cotree "$COTREE" --points "$work/points")"
row "the same through SymPy: every example and 200 random systems" "tests/readable/check_sympy.py" "$(said "$out" 'sympy: .*')" "1e-12" "$(ended "$out")"

# 3. Papers.
out="$(lines "$python" tests/readable/check_papers.py --cotree "$COTREE")"
paper() { # DEMAND BEGINNING BOUND
  local line
  line="$(grep -E "^$2:" <<<"$out" | head -n 1 || true)"
  row "$1" "tests/readable/check_papers.py" "${line:-nothing said}" "$3" "$(grep -q ': ok' <<<"$line" && echo ok || echo missed)"
}
paper "seeker with --expand: coefficients of the corrected eqs 18-19 of paper 000" "seeker" "≤ 2 units of the last printed digit"
paper "two-link robot: currents of eqs 5-6 of paper 003, in symbols" "two links" "difference 0"
paper "positioning system: derivation shows the matrices of eqs 1-5 of paper 000" "positioning" "equal"
paper "planar arm of 2 links as a textbook prints it" "arm of 2" "equal, no more summands"
paper "planar arm of 3 links" "arm of 3" "equal to Lagrange's equations"
out="$(run test_readable 'MotionOperations.*')"
operations="$(said "$out" '[0-9]+ operations' | grep -oE '^[0-9]+')"
seconds="$(said "$out" 'translated in [0-9.]+' | grep -oE '[0-9.]+$')"
row "mass matrix and forces of 6 pendulums on a cart: operations of the program that runs (goal 600)" "test_readable --gtest_filter='MotionOperations.*'" "$operations" "≤ 831" "$(at_most "$operations" 831)"
row "... translated, all stages" "test_readable --gtest_filter='MotionOperations.*'" "$seconds s" "≤ 0.1 s" "$(at_most "$seconds" 0.1)"

# 4. Reports in a browser.
if command -v chromium >/dev/null; then
  out="$(lines web/report/test/reports.sh "$COTREE" "$work/reports")"
  row "reports of all examples in headless Chromium: no console errors, hovering marks the component, light and dark" "web/report/test/reports.sh COTREE FOLDER" \
    "$(grep -oE '[0-9]+ pages: .*' <<<"$out" | tail -n 1)" "all ok, < 2 MB" "$(ended "$out")"
  # Long: four loads of every page.
  if [[ -n "${COTREE_LONG:-}" ]]; then
    out="$(lines node web/report/test/overflow.mjs "$work"/reports/*.html)"
    row "... at 1280 and 400 pixels, light and dark: nothing outside of the window, what scrolls has a bar, no text cut" "node web/report/test/overflow.mjs PAGE.html..." \
      "$(grep -oE '[0-9]+ of [0-9]+ pages fit' <<<"$out" | tail -n 1)" "all" "$(ended "$out")"
  fi
else
  row "reports of all examples in headless Chromium" "web/report/test/reports.sh" "no chromium here" "all ok" skipped
fi

# 5. Speed.
ms="$(median_ms 5 "$COTREE" report examples/seeker/seeker.cot --out "$work/seeker.html")"
row "report of the seeker, with its run" "cotree report examples/seeker/seeker.cot" "$ms ms" "≤ 500 ms" "$(at_most "$ms" 500)"
awk 'BEGIN { n = 50000; print "system Line {"; print "  v : VoltageSource(V = 1 V)\n  r : Resistor[" n "](R = 1 ohm)\n  c : Capacitor[" n "](C = 1 mF)";
  print "  connect v.p -- r[1].p\n  connect r[1:" n - 1 "].n -- r[2:" n "].p\n  connect r.n -- c.p\n  connect c.n -- electrical.ground\n  connect v.n -- electrical.ground\n}" }' >"$work/line.cot"
seconds="$(elapsed_s "$COTREE" derive "$work/line.cot")"
row "derivation of a line of 100,000 components, class by class" "cotree derive line.cot" "$seconds s" "≤ 5 s" "$(at_most "$seconds" 5)"
"$COTREE" derive "$work/line.cot" | grep -q 'too many to list' || row "... says so" "cotree derive" "no" "yes" missed

# 6. Documents.
out="$(run test_product 'SystemCommands.TheManual*')"
row "manual: first model, a tutorial per domain, how to read a derivation: every output as printed" "test_product --gtest_filter='SystemCommands.TheManual*'" "$(passed "$out")" "all" "$(verdict "$out")"
out="$(lines tests/check_theory_labels.sh "$ROOT")"
row "theory: a chapter a stage; labels exist and are cited from the code" "tests/check_theory_labels.sh" "$(grep -v '^exit' <<<"$out" | tail -n 1)" "all" "$(ended "$out")"
if command -v pdflatex >/dev/null; then
  out="$(lines tests/readable/check_latex.sh "$COTREE")"
  row "LaTeX of state space and derivation of every example compiles" "tests/readable/check_latex.sh" "$(said "$out" 'latex: .*')" "all" "$(ended "$out")"
else
  row "LaTeX of state space and derivation of every example compiles" "tests/readable/check_latex.sh" "no pdflatex here" "all" skipped
fi

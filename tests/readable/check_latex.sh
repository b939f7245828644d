#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# check_latex.sh COTREE [LIBRARY]: what `cotree equations --form state-space --format latex` and `cotree derive --format latex` write for the first
# system of each example, against pdflatex (Debian: texlive-latex-base, texlive-latex-recommended): every file must compile within 30 s.
# Lines that are too wide for the page by more than 20 pt are counted and told, and are no failure.
# Exit code 0 if all do, 1 if any does not, 77 if there is no pdflatex.
set -u
if [ $# -lt 1 ]; then
  echo "usage: check_latex.sh COTREE [LIBRARY]" >&2
  exit 2
fi
cotree=$1
library=()
if [ $# -ge 2 ]; then library=(--library "$2"); fi
if ! command -v pdflatex >/dev/null; then
  echo "latex: not checked, pdflatex is not there (Debian: texlive-latex-base, texlive-latex-recommended)"
  exit 77
fi
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# One text: made, compiled; its name and what is wrong go to standard output.
one() {
  local model=$1 system=$2 what=$3 folder=$4 cotree=$5
  shift 5
  local name
  name=$(basename "$model" .cot)_$what
  local -a command=("$cotree" derive)
  if [ "$what" = state-space ]; then command=("$cotree" equations --form state-space); fi
  command+=("$model" --format latex "$@")
  if [ -n "$system" ]; then command+=(--system "$system"); fi
  mkdir -p "$folder/$name"
  local tex=$folder/$name/$name.tex
  if ! timeout 60 "${command[@]}" >"$tex" 2>"$folder/$name/err"; then
    echo "FAILED $name: cotree: $(head -c 200 "$folder/$name/err" | head -1)"
    return
  fi
  if ! grep -q '\\begin{document}' "$tex"; then  # formulas only: a frame around them
    { printf '%s\n' '\documentclass{article}' '\usepackage{amsmath,amssymb}' '\begin{document}'; cat "$tex"; printf '%s\n' '\end{document}'; } >"$tex.full"
    mv "$tex.full" "$tex"
  fi
  timeout 30 pdflatex -interaction=nonstopmode -halt-on-error -output-directory "$folder/$name" "$tex" >"$folder/$name/out" 2>&1 </dev/null
  local code=$?
  if [ $code -eq 124 ]; then
    echo "FAILED $name: pdflatex does not end within 30 s ($(wc -c <"$tex") bytes)"
  elif [ $code -ne 0 ] || [ ! -s "$folder/$name/$name.pdf" ]; then
    echo "FAILED $name: $(grep -a -m 1 '^!' "$folder/$name/out") $(grep -a -m 1 '^l\.[0-9]' "$folder/$name/out" | head -c 120)"
  else
    echo "ok $name $(sed -n 's/^Overfull .hbox (\([0-9]*\).*/\1/p' "$folder/$name/out" | sort -n | tail -1)"
  fi
}
export -f one

# The first system of each file; `continuous` and the like need foreign code that may not be compiled.
jobs=()
for model in "$root"/examples/*/*.cot; do
  system=$(sed -n 's/^system \([A-Za-z_0-9]*\).*/\1/p' "$model" | head -1)
  if [ -z "$system" ]; then continue; fi
  for what in state-space derive; do jobs+=("$model" "$system" "$what" "$folder" "$cotree"); done
done
if [ ${#library[@]} -gt 0 ]; then
  results=$(printf '%s\0' "${jobs[@]}" | xargs -0 -n 5 -P "$(nproc)" bash -c 'one "$@" '"--library '${library[1]}'" one)
else
  results=$(printf '%s\0' "${jobs[@]}" | xargs -0 -n 5 -P "$(nproc)" bash -c 'one "$@"' one)
fi
good=$(grep -c '^ok ' <<<"$results")
bad=$(grep -c '^FAILED ' <<<"$results")
grep '^FAILED ' <<<"$results" | sort
wide=$(awk '/^ok / && $3 > 20 { n++; if ($3 > most) { most = $3; name = $2 } } END { if (n) printf " (%d have lines too wide for the page, %s by %d pt)", n, name, most }' <<<"$results")
echo "latex: $good files compile$wide$([ "$bad" -gt 0 ] && echo ", $bad do not")"
[ "$bad" -eq 0 ] && [ "$good" -gt 0 ]

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the reports of all examples with the given binary and uses every page in a browser.
#   reports.sh COTREE FOLDER
# Prints a line for each page and at last "N pages: ok, largest K kB"; exit code 1 if a page cannot be made, fails, warns in
# the console, or has 2 MB or more. $JOBS says how many go on at once (2), $LIMIT after how many seconds a report is given up (40),
# $SCRIPT a script to be put into the pages instead of the program's own.
set -uo pipefail
export LC_ALL=C.UTF-8
if (($# != 2)); then
  printf 'usage: reports.sh COTREE FOLDER\n' >&2
  exit 2
fi
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
root="$(cd "$here/../../.." && pwd)"
cotree="$(realpath "$1")"
mkdir -p "$2"
folder="$(realpath "$2")"
jobs="${JOBS:-2}"
export cotree folder root limit="${LIMIT:-40}"

# Exit code 4: the run failed, and the page says so; it is a page all the same.
make_page() {
  local name
  name="$(basename "$1" .cot)"
  rm -f "$folder/$name.html"
  timeout "$limit" "$cotree" report "$1" --library "$root/library" --out "$folder/$name.html" >"$folder/$name.log" 2>&1
  local code=$?
  if ((code == 124)); then
    printf '%s: FAILED, no report within %s s\n' "$name" "$limit"
  elif ((code == 4)) && [[ -s "$folder/$name.html" ]]; then
    printf '%s: the run failed: %s\n' "$name" "$(grep -m1 'cotree:' "$folder/$name.log" | cut -c1-150)"
  elif ((code != 0)); then
    printf '%s: FAILED, exit code %s: %s\n' "$name" "$code" "$(tail -n1 "$folder/$name.log" | cut -c1-150)"
  fi
}
export -f make_page

rm -f "$folder/results.txt"
printf '%s\0' "$root"/examples/*/*.cot | xargs -0 -n1 -P"$jobs" bash -c 'make_page "$1"' - | tee "$folder/results.txt"
mapfile -t pages < <(ls "$folder"/*.html 2>/dev/null)
if ((${#pages[@]} == 0)); then
  printf '0 pages: FAILED\n'
  exit 1
fi
if [[ -n "${SCRIPT:-}" ]]; then
  node "$here/replace_script.mjs" "$SCRIPT" "${pages[@]}" --out "$folder" || exit 1
fi
printf '%s\0' "${pages[@]}" | xargs -0 -n4 -P"$jobs" node "$here/page_test.mjs" --strict | sed -u "s|^$folder/||" | tee -a "$folder/results.txt"

largest=0
for page in "${pages[@]}"; do
  size=$(($(stat -c %s "$page") / 1000))
  if ((size > largest)); then largest=$size; fi
  if ((size >= 2000)); then printf '%s: FAILED, %s kB\n' "$(basename "$page")" "$size" | tee -a "$folder/results.txt"; fi
done
passed=$(grep -c '\.html: ok,' "$folder/results.txt")
failed=$(grep -c 'FAILED' "$folder/results.txt")
if ((failed > 0 || passed < ${#pages[@]})); then
  printf '%s pages: %s ok, %s failures, largest %s kB\n' "${#pages[@]}" "$passed" "$failed" "$largest"
  exit 1
fi
printf '%s pages: ok, largest %s kB\n' "${#pages[@]}" "$largest"

# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What every evidence/NN_topic.sh stands on: `row` records one demand, the rest measures. See evidence/README.md.
set -euo pipefail
export LC_ALL=C.UTF-8

ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
cd "$ROOT"
COTREE="$ROOT/build/release/bin/cotree"
COTREE_EVIDENCE_TSV="${COTREE_EVIDENCE_TSV:-$ROOT/build/evidence.tsv}"
export ROOT COTREE COTREE_EVIDENCE_TSV

evidence_topic="$(basename "$0" .sh | sed 's/^[0-9]*_//')"
evidence_rows=0
evidence_unexpected=0
evidence_bold='' evidence_dim='' evidence_red='' evidence_green='' evidence_plain=''
if [[ -t 1 && -z ${NO_COLOR:-} && ${TERM:-dumb} != dumb ]]; then
  evidence_bold=$'\e[1m' evidence_dim=$'\e[2m' evidence_red=$'\e[31m' evidence_green=$'\e[32m' evidence_plain=$'\e[0m'
fi

# ---- The table ------------------------------------------------------------------------------------------------------

# evidence_cell WIDTH TEXT: pads by characters, not by bytes as printf does.
evidence_cell() { printf '%s%*s  ' "$2" $(($1 > ${#2} ? $1 - ${#2} : 0)) ''; }

# evidence_wrap WIDTH TEXT: breaks TEXT at blanks into the array evidence_wrapped. A longer word stays whole.
evidence_wrap() {
  local word words line=''
  evidence_wrapped=()
  read -ra words <<<"${2//$'\n'/ }"
  for word in ${words[@]+"${words[@]}"}; do
    if [[ -n $line ]] && ((${#line} + 1 + ${#word} > $1)); then
      evidence_wrapped+=("$line")
      line=$word
    else
      line+="${line:+ }$word"
    fi
  done
  evidence_wrapped+=("$line")
}

# evidence_line TOPIC DEMAND FIGURE BOUND VERDICT: one row of the table, each text wrapped within its column.
evidence_line() {
  local first=$1 last=$5 column2 column3 column4 most i
  evidence_wrap 48 "$2" && column2=("${evidence_wrapped[@]}") most=${#evidence_wrapped[@]}
  evidence_wrap 26 "$3" && column3=("${evidence_wrapped[@]}")
  evidence_wrap 18 "$4" && column4=("${evidence_wrapped[@]}")
  if ((${#column3[@]} > most)); then most=${#column3[@]}; fi
  if ((${#column4[@]} > most)); then most=${#column4[@]}; fi
  for ((i = 0; i < most; i++)); do
    evidence_cell 12 "$first"
    evidence_cell 48 "${column2[i]-}"
    evidence_cell 26 "${column3[i]-}"
    evidence_cell 18 "${column4[i]-}"
    printf '%s\n' "$last"
    first='' last=''
  done
}

# The head of the table, above the first row of a run (`./dev evidence` runs many scripts under one head).
evidence_head() {
  [[ -z ${COTREE_EVIDENCE_HEAD:-} ]] || return 0
  COTREE_EVIDENCE_HEAD=shown
  printf '%s' "$evidence_bold"
  evidence_line topic demand figure bound verdict
  printf '%s' "$evidence_plain"
}

# row DEMAND COMMAND FIGURE BOUND ok|missed|skipped [REASON]
# A row that is `missed` with a REASON is known and kept: it shows, for ever, but does not fail the run.
row() {
  if (($# < 5 || $# > 6)); then
    echo "evidence: row takes DEMAND COMMAND FIGURE BOUND VERDICT [REASON], got $# arguments in $0" >&2
    exit 2
  fi
  local demand=$1 command=$2 figure=$3 bound=$4 verdict=$5 reason=${6:-} colour='' field line=''
  evidence_rows=$((evidence_rows + 1))
  case $verdict in
    ok) colour=$evidence_green ;;
    skipped) ;;
    missed)
      colour=$evidence_red
      if [[ -z $reason ]]; then evidence_unexpected=$((evidence_unexpected + 1)); fi
      ;;
    *) echo "evidence: '$verdict' is not ok, missed or skipped (row '$demand' of $0)" >&2 && exit 2 ;;
  esac
  evidence_head
  evidence_line "$evidence_topic" "$demand" "$figure" "$bound" "$colour$verdict$evidence_plain"
  if [[ -n $reason ]]; then printf '%14s%s%s: %s%s\n' '' "$evidence_dim" "$verdict" "$reason" "$evidence_plain"; fi
  printf '%14s%s$ %s%s\n' '' "$evidence_dim" "$command" "$evidence_plain"
  for field in "$evidence_topic" "$demand" "$command" "$figure" "$bound" "$verdict" "$reason"; do
    line+="${line:+$'\t'}${field//[$'\t\n\r']/ }"
  done
  printf '%s\n' "$line" >>"$COTREE_EVIDENCE_TSV"
  if [[ -n $evidence_section ]]; then
    line=''
    for field in "$evidence_topic" "$evidence_section" "$demand" "$command" "$figure" "$bound" "$verdict" "$reason" \
      "$(git -C "$ROOT" rev-parse HEAD)" "$(date -u +%F)" "$evidence_folders"; do
      line+="${field//[$'\t\n\r']/ }"$'\t'
    done
    printf '%s\n' "${line%$'\t'}" >>"$evidence_kept"
  fi
}

# ---- Rows that take long --------------------------------------------------------------------------------------------

# long NAME FOLDERS && { rows; long_end; }   or   if long NAME FOLDERS; then rows; long_end; fi
# With --long the rows are measured, and kept in evidence/long.tsv with the commit and the date. Without, what was kept is
# shown again; "changed since" where one of FOLDERS has changed after that commit: then it is to be run again.
evidence_kept="$ROOT/evidence/long.tsv"
evidence_section=''
long() {
  local name=$1 folders=$2 any=''
  if [[ -n ${COTREE_EVIDENCE_LONG:-} ]]; then
    evidence_section=$name evidence_folders=$folders
    evidence_keep_others "$name"
    return 0
  fi
  local topic section demand command figure bound verdict reason commit day kept changed
  while IFS=$'\x1f' read -r topic section demand command figure bound verdict reason commit day kept; do
    [[ $topic == "$evidence_topic" && $section == "$name" ]] || continue
    any=1 changed=''
    # shellcheck disable=SC2086  # several folders
    if ! git -C "$ROOT" diff --quiet "$commit" -- $kept 2>/dev/null; then changed=', changed since: run it with --long'; fi
    row "$demand" "$command" "$figure [$day, ${commit:0:7}$changed]" "$bound" "$verdict" "$reason"
  done < <(tr '\t' '\037' <"$evidence_kept" 2>/dev/null || true)
  if [[ -z $any ]]; then row "$name" "./dev evidence $evidence_topic --long" "not run yet" "" skipped "takes long"; fi
  return 1
}
long_end() { evidence_section=''; }

# evidence_keep_others SECTION: what was kept of it goes.
evidence_keep_others() {
  local others=''
  if [[ -f $evidence_kept ]]; then
    others="$(awk -F '\t' -v t="$evidence_topic" -v s="$1" '!($1 == t && $2 == s)' "$evidence_kept")"
  fi
  printf '%s' "${others:+$others$'\n'}" >"$evidence_kept"
}

# at_most FIGURE BOUND, at_least FIGURE BOUND: print `ok` or `missed`, for the verdict of a row. No number: missed.
at_most() { awk -v f="$1" -v b="$2" 'BEGIN { print (f ~ /^[-+0-9.]/ && f + 0 <= b + 0) ? "ok" : "missed" }'; }
at_least() { awk -v f="$1" -v b="$2" 'BEGIN { print (f ~ /^[-+0-9.]/ && f + 0 >= b + 0) ? "ok" : "missed" }'; }

# ---- Measuring ------------------------------------------------------------------------------------------------------
# Each runs COMMAND with its output thrown away, prints one number, and fails (with that output) if the command does.

evidence_quietly() {
  local log code=0
  log="$(mktemp)"
  "$@" >"$log" 2>&1 </dev/null || code=$?
  if ((code != 0)); then
    echo "evidence: exit code $code from: $*" >&2
    tail -n 20 "$log" >&2
  fi
  rm -f "$log"
  return "$code"
}

# elapsed_s COMMAND...: wall time of one run, in seconds.
elapsed_s() {
  local began=${EPOCHREALTIME/./}
  evidence_quietly "$@" || return
  awk -v us="$((${EPOCHREALTIME/./} - began))" 'BEGIN { printf "%.3f\n", us / 1e6 }'
}

# median_ms N COMMAND...: median wall time of N runs after one to warm up, in milliseconds, the start of the process
# included.
median_ms() {
  local n=$1 i began times=''
  shift
  evidence_quietly "$@" || return
  for ((i = 0; i < n; i++)); do
    began=${EPOCHREALTIME/./}
    "$@" >/dev/null 2>&1 </dev/null
    times+="$((${EPOCHREALTIME/./} - began))"$'\n'
  done
  printf '%s' "$times" | sort -n |
    awk '{ t[NR] = $1 } END { printf "%.2f\n", (t[int((NR + 1) / 2)] + t[int((NR + 2) / 2)]) / 2000 }'
}

# peak_rss_mb COMMAND...: largest resident memory of the process, in MB (1e6 bytes).
peak_rss_mb() {
  local file kib='' seen pid
  file="$(mktemp)"
  if [[ -x /usr/bin/time ]]; then
    evidence_quietly /usr/bin/time -o "$file" -f %M "$@" || { rm -f "$file" && return 1; }
    kib="$(tail -n 1 "$file")"
  else
    # The kernel's own high-water mark, read until the process is gone; the last milliseconds may escape it.
    "$@" >"$file" 2>&1 </dev/null &
    pid=$!
    while seen="$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$pid/status" 2>/dev/null)" && [[ -n $seen ]]; do
      kib=$seen
      sleep 0.002
    done
    wait "$pid" || { tail -n 20 "$file" >&2 && rm -f "$file" && return 1; }
  fi
  rm -f "$file"
  [[ -n $kib ]] || { echo "evidence: too short to measure: $*" >&2 && return 1; }
  awk -v kib="$kib" 'BEGIN { printf "%.1f\n", kib * 1024 / 1e6 }'
}

# ---- Beginning and end of a script ----------------------------------------------------------------------------------

# Rows of this topic from an earlier run go; those of other topics stay.
evidence_begin() {
  local header=$'topic\tdemand\tcommand\tfigure\tbound\tverdict\treason' others=''
  mkdir -p "$(dirname "$COTREE_EVIDENCE_TSV")"
  if [[ -f $COTREE_EVIDENCE_TSV ]]; then
    others="$(awk -F '\t' -v topic="$evidence_topic" 'NR > 1 && $1 != topic' "$COTREE_EVIDENCE_TSV")"
  fi
  printf '%s\n' "$header" ${others:+"$others"} >"$COTREE_EVIDENCE_TSV"
}

# A script that breaks off, or shows nothing, has not shown what it promised.
evidence_end() {
  local code=$?
  trap - EXIT
  if ((code != 0)); then
    row "the script runs to its end" "$0" "exit code $code" "0" missed
  elif ((evidence_rows == 0)); then
    row "the script has rows" "$0" "0 rows" "≥ 1" missed
  fi
  exit $((evidence_unexpected > 0 ? 1 : 0))
}
trap evidence_end EXIT
evidence_begin

# ---- Rows from test programs ----------------------------------------------------------------------------------------

# run PROGRAM FILTER: what a test program prints. verdict, passed, said PATTERN: what to make of it.
run() { "$ROOT/build/release/test/$1" --gtest_filter="$2" 2>&1 || true; }
verdict() { grep -q 'FAILED' <<<"$1" || ! grep -q '^\[       OK' <<<"$1" && echo missed || echo ok; }
passed() { echo "$(grep -c '^\[       OK' <<<"$1") tests pass"; }
said() { grep -oE "$2" <<<"$1" | head -n 1 || true; }

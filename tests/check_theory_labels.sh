#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The labels of docs/theory and those that the code cites are the same set.
#
#   tests/check_theory_labels.sh [ROOT]      ROOT: the repository, the folder above this file if nothing is said
#
# A statement is `## BT.2 Offsets` or `**EV.3 Three kinds of times.**`, an equation a line that ends with `(BT.2a)`.
# The code (src, include: *.h, *.cc, *.def) cites `BT.2`, `BT.2a`, `EX.1 to EX.9`, `LA.3a to LA.3c`. Fails (1) if
#  - the code cites a label that no chapter has;
#  - a label stands twice in the chapters;
#  - a statement is cited nowhere, neither itself nor one of its equations, nor a range it is in;
#  - an equation is cited nowhere;
#  - a chapter cites a label that no chapter has.
set -eu
root=${1:-$(dirname "$0")/..}
cd "$root"
LC_ALL=C
export LC_ALL
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix='(EX|DM|LA|MO|SG|NT|SE|BT|PR|NU|EV|SC|ME|CF)'

# Labels that the chapters have.
sed -nE "s/^(#+ |\*\*)$prefix\.([0-9]+)( .*|\*\*.*)\$/\2.\3/p" docs/theory/*.md >"$work/statements"
sed -nE "s/^ .*\($prefix\.([0-9]+[a-z])\)\$/\1.\2/p" docs/theory/*.md >"$work/equations"
cat "$work/statements" "$work/equations" | sort >"$work/all"
uniq "$work/all" >"$work/have"
uniq -d "$work/all" >"$work/twice"

# Expands what is cited: one label a line, with the ranges written out.
cited() {
  tr '\n' ' ' | sed -E 's#[ ]*//+##g' | grep -oE "\b$prefix\.[0-9]+[a-z]?( to $prefix\.[0-9]+[a-z]?)?" | awk '
    function number(label) { sub(/^[A-Z]+\./, "", label); return label + 0 }
    function letter(label) { return match(label, /[a-z]$/) ? substr(label, RSTART) : "" }
    NF == 1 { print $1; next }
    { name = substr($1, 1, index($1, "."))
      if (letter($1) == "") { for (n = number($1); n <= number($3); ++n) print name n; next }
      letters = "abcdefghijklmnopqrstuvwxyz"
      for (k = index(letters, letter($1)); k <= index(letters, letter($3)); ++k) print name number($1) substr(letters, k, 1) }' |
    sort -u
}
find src include -name test -prune -o -type f \( -name '*.h' -o -name '*.cc' -o -name '*.def' \) -print | sort | xargs cat |
  cited >"$work/code"
cat docs/theory/*.md | cited >"$work/chapters"

failed=0
say() {
  while read -r label; do
    echo "$label: $1"
    echo x >>"$work/failed"
  done
}
say "stands twice in docs/theory" <"$work/twice"
comm -23 "$work/code" "$work/have" | say "cited in src, but in no chapter of docs/theory"
comm -23 "$work/chapters" "$work/have" | say "cited in docs/theory, but in no chapter of it"
sort -u "$work/equations" | comm -23 - "$work/code" | say "an equation of docs/theory that nothing in src cites"
# A statement counts as cited by its equations, too.
{ cat "$work/code"; sed 's/[a-z]$//' "$work/code"; } | sort -u >"$work/reached"
sort -u "$work/statements" | comm -23 - "$work/reached" | say "a statement of docs/theory that nothing in src cites"
[ -e "$work/failed" ] && failed=1
echo "theory: $(sort -u "$work/statements" | wc -l) statements, $(sort -u "$work/equations" | wc -l) equations, $(wc -l <"$work/code") labels cited in src"
exit $failed

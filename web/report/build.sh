#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes dist/report.js, the script of the report page: it holds the style and KaTeX with its fonts. Called by the build
# of the project.
#   build.sh [OUTPUT]
# Exit code 3: npm is not there, or its packages cannot be had (no network). Cotree is then built without the page.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "${BASH_SOURCE[0]}")"
output="${1:-dist/report.js}"

unavailable() {
  printf 'report: %s\n' "$@" >&2
  exit 3
}

command -v node >/dev/null && command -v npm >/dev/null \
  || unavailable 'node and npm are needed for the report page; on Debian: apt-get install nodejs npm'

mkdir -p dist "$(dirname "$output")"
# Two builds may come here at once.
exec 9>dist/.lock
if command -v flock >/dev/null; then flock 9; fi

if [[ ! -f dist/.installed ]] || ! cmp -s package-lock.json dist/.installed || [[ ! -d node_modules/katex ]]; then
  npm ci --ignore-scripts --no-audit --no-fund --loglevel=error --fetch-retries=2 --fetch-retry-mintimeout=1000 \
    --fetch-retry-maxtimeout=5000 >&2 \
    || unavailable 'npm could not get katex and esbuild (is there a network?); see above'
  cp package-lock.json dist/.installed
fi

node bundle.mjs "$output.new"
mv "$output.new" "$output"

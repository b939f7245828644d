#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes dist/animation.js, the script of the page that `cotree animate` writes. Called by the build of the project.
#   build.sh [OUTPUT]
# Exit code 3: npm is not there, or its packages cannot be had (no network). Cotree is then built without the page.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "${BASH_SOURCE[0]}")"
output="${1:-dist/animation.js}"

unavailable() {
  printf 'animation: %s\n' "$@" >&2
  exit 3
}

command -v node >/dev/null && command -v npm >/dev/null \
  || unavailable 'node and npm are needed for the page of `cotree animate`; on Debian: apt-get install nodejs npm'

mkdir -p dist "$(dirname "$output")"
# Two builds may come here at once.
exec 9>dist/.lock
if command -v flock >/dev/null; then flock 9; fi

if [[ ! -f dist/.installed ]] || ! cmp -s package-lock.json dist/.installed || [[ ! -d node_modules/three ]]; then
  npm ci --ignore-scripts --no-audit --no-fund --loglevel=error --fetch-retries=2 --fetch-retry-mintimeout=1000 \
    --fetch-retry-maxtimeout=5000 >&2 \
    || unavailable 'npm could not get three and esbuild (is there a network?); see above'
  cp package-lock.json dist/.installed
fi

licence="$(printf '/*!\n three.js (threejs.org) is part of this script, under the following licence.\n\n%s\n*/' "$(cat node_modules/three/LICENSE)")"
node node_modules/esbuild/bin/esbuild src/main.js --bundle --minify --format=iife --target=es2020 --charset=ascii \
  --legal-comments=none --loader:.css=text --banner:js="$licence" --log-level=warning --outfile="$output.new"
mv "$output.new" "$output"

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Writes the demo page and uses it in headless Chromium; pictures for people go to OUTPUT, too.
#   run.sh [OUTPUT]        needs: g++, libfmt-dev, nodejs, npm, chromium
set -euo pipefail
web="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
root="$(cd "$web/../.." && pwd)"
output="${1:-$(mktemp -d)}"
mkdir -p "$output"
"$web/build.sh"
g++ -std=c++20 -I "$root/src" "$web/test/demo_page.cc" "$root/src/animation/animation_page.cc" \
  "$root/src/base/xml_text.cc" -lfmt -o "$output/demo_page"
"$output/demo_page" "$web/dist/animation.js" "$output/page.html"
node "$web/test/page_test.mjs" "$output"

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the script and uses the demo page in headless Chromium; pictures for people go to OUTPUT, too.
#   run.sh [OUTPUT]        needs: nodejs, npm, chromium
set -euo pipefail
web="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
output="${1:-$(mktemp -d)}"
mkdir -p "$output"
"$web/build.sh"
node "$web/test/make_page.mjs" "$web/test/demo.json" "$output/demo.html"
node "$web/test/page_test.mjs" "$output/demo.html" --pictures "$output"

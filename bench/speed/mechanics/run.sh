#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Peers on the reference chain, state -> accelerations, as lines of JSON: run.sh [LINKS...] (7 30 100 300 if none is told).
# Built with g++ -O2 -march=native; DART without -march=native, since the alignment of Eigen's types must be that of Debian's
# library. In both the time goes into Debian's libraries, which are built for any x86-64. Neither here: a line on stderr, no figure.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
out="${COTREE_SPEED_FOLDER:-$here/../../../build/speed}/mechanics"
mkdir -p "$out"
links=("$@")
((${#links[@]})) || links=(7 30 100 300)

# build PEER FLAGS...: if the program is older than its text.
build() {
  local peer=$1
  shift
  if [[ ! -x $out/$peer || $here/$peer.cc -nt $out/$peer || $here/chain_states.h -nt $out/$peer ]]; then
    g++ -std=c++17 -O2 "$here/$peer.cc" -o "$out/$peer" "$@" >&2
  fi
}

if [[ -e /usr/include/mujoco/mujoco.h ]]; then
  build mujoco_chain -march=native -lmujoco
  "$out/mujoco_chain" "${links[@]}"
else
  echo "no MuJoCo here (libmujoco-dev)" >&2
fi
if [[ -e /usr/include/dart/dart.hpp ]]; then
  build dart_chain -I/usr/include/eigen3 -ldart
  "$out/dart_chain" "${links[@]}"
else
  echo "no DART here (libdart-dev)" >&2
fi

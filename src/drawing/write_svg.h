// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "drawing/layout.h"
#include "drawing/picture.h"

namespace cotree {

/** The picture at these places as SVG: the same bytes for the same picture and places.

For programs: <g class="edge" data-edge data-component data-name data-kinds>, <g class="vertex" data-vertex>,
<g class="signal" data-component>, <g class="connection" data-from data-to>, <g class="tie">,
<g class="association">; in space <g class="body"> and <g class="branch"|"chord"|"left-out"|"force"
data-component>; with a tree, edges have data-tree and data-storage="dependent"; each has a <title>. No two
texts overlap, no text overlaps another vertex, no two frames overlap. */
std::string WriteSvg(const Picture& picture, const Layout& layout);

}  // namespace cotree

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "drawing/draw_graph.h"
#include "program/program.h"

namespace cotree {

/** The incidence pattern of a system before and after sorting, side by side (paper 001, figure 6): on the
left the equations as they were written by the unknowns in their order, on the right block lower triangular,
each block outlined and shaded by its kind. Places need no Graphviz; the same program gives the same bytes.

For programs: <g class="before">, <g class="after">; in them <rect class="cell"> and, in the second,
<rect class="block" data-block data-kind>; each has a <title>. */
Drawing DrawOrder(const Program& program);

}  // namespace cotree

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "drawing/draw_graph.h"
#include "pipeline/translate.h"

namespace cotree {

/// The system graph with its normal tree: branches, chords, and storage that has no state of its own.
Drawing DrawTree(const Translation& translation);

}  // namespace cotree

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "normal_tree/normal_tree.h"

namespace cotree {

/** A spanning forest by the edges' structural classes alone: what prescribes an across variable first, then
storage in it, then the rest, what prescribes a through variable last. For graphs that have no normal tree by
their elements, though signals may still make them regular (a source that follows a measurement): correctness
never hangs on the tree (design §3.4).

Theory: docs/theory/normal_tree.md, NT.6. */
NormalTree FindPlainTree(const SystemGraph& graph);

}  // namespace cotree

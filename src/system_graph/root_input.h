// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "system_graph/system_graph.h"

namespace cotree {

/// The input slot from which a slot that nothing drives has its value through inputs of composites: that of
/// the system's own input, or itself.
uint32_t RootInput(const Model& model, const SystemGraph& graph, uint32_t slot);

}  // namespace cotree

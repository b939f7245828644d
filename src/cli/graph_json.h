// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/commands.h"
#include "pipeline/load_model.h"
#include "system_graph/system_graph.h"

namespace cotree {

/// What `cotree graph FILE --format json` prints (docs/schema/cotree.graph-1.json).
std::string GraphJson(LoadedModel& loaded, const std::vector<const SystemGraph*>& graphs,
                      const GraphOptions& options);

}  // namespace cotree

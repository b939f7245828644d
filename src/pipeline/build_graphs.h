// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "pipeline/load_model.h"
#include "system_graph/build_system_graph.h"

namespace cotree {

/// As large as memory that is free allows: a message instead of a process that the machine ends.
GraphLimits LimitsOfMemory();

/// The system graphs of a model without errors, in the order of its systems, with all findings of that stage
/// added to `loaded.diagnostics`. Nothing for a model that has errors.
/// `settings` are for `system` alone; with a system given, no other is built. `given`: inputs that need no
/// source in the text.
std::vector<SystemGraph> BuildGraphs(LoadedModel& loaded, const GraphLimits& limits = LimitsOfMemory(),
                                     ClassId system = ClassId::None(),
                                     std::vector<SystemSetting> settings = {},
                                     const std::vector<std::string>& given = {});

}  // namespace cotree

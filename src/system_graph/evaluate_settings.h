// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "base/diagnostics.h"
#include "model/check_sizes.h"
#include "system_graph/system_graph.h"

namespace cotree {

/** Settings in numbers, in their order: of two for one parameter the later counts. Their values may use the
parameters of the system, as the settings leave them. False, with a report at the setting, where one is no
number, out of the bounds of its parameter, or outside its array. */
bool EvaluateSettings(const Model& model, ClassId system, std::span<const Setting* const> settings,
                      std::vector<SystemSetting>& out, Diagnostics& diagnostics);

/// The parameters of a system with these settings.
ParameterValues SystemParameters(const Model& model, ClassId system, std::span<const SystemSetting> settings);

/// Whether each setting means some component of the graph; otherwise false, with a report at the setting.
/// `settings` are those that `graph.settings` was evaluated from.
bool CheckSettings(const Model& model, const SystemGraph& graph, std::span<const Setting* const> settings,
                   Diagnostics& diagnostics);

}  // namespace cotree

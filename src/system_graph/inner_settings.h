// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "system_graph/system_graph.h"

namespace cotree {

/// What an argument of an instance of `cls` says of a parameter further inside: one setting, or, for an
/// array, one for each element; `value` gives the number at its indices, counted from 0.
std::vector<SystemSetting> InnerSettings(
    const Model& model, const ComponentClass& cls, const std::vector<uint32_t>& path, uint32_t parameter,
    const std::function<double(const std::vector<uint32_t>& indices)>& value);

/// A setting, seen from the first instance of its path.
SystemSetting WithoutFirst(SystemSetting setting);

}  // namespace cotree

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "system_graph/system_graph.h"

namespace cotree {

/// What an argument of an instance of `cls`, whose parameters have `values`, says of a parameter further
/// inside: one setting, or, for an array, one for each element; `value` gives the number at its indices,
/// counted from 0, those of instances on the path before those of the parameter.
std::vector<SystemSetting> InnerSettings(
    const Model& model, const ComponentClass& cls, ParameterValues values, const std::vector<uint32_t>& path,
    const Argument& argument, const std::function<double(const std::vector<uint32_t>& indices)>& value);

/// A setting, seen from the first instance of its path.
SystemSetting WithoutFirst(SystemSetting setting);

}  // namespace cotree

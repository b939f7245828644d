// SPDX-License-Identifier: Apache-2.0
// The words of messages, private to this folder.
#pragma once

#include <string>
#include <vector>

#include "system_graph/system_graph.h"

namespace cotree {

/// "`a`", "`a` and `b`", "`a`, `b` and `c`", "`a`, `b`, `c` and 5 more".
std::string ListNames(const std::vector<std::string>& names, size_t most = 4);
/// What people call the across and the through variable of a domain: "voltage", "torque", "volume flow".
std::string AcrossWord(const Model& model, DomainId domain);
std::string ThroughWord(const Model& model, DomainId domain);

}  // namespace cotree

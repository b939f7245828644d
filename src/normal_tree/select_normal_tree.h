// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "normal_tree/group_values.h"
#include "normal_tree/normal_tree.h"

namespace cotree {

/// FindNormalTree with the values of the groups given. They change only in what they remember.
/// Theory: docs/theory/normal_tree.md, NT.3 to NT.6, NT.8.
NormalTree SelectNormalTree(const SystemGraph& graph, std::vector<ElementGroups>& groups,
                            const TreePreferences& preferences = {});

}  // namespace cotree

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "normal_tree/group_values.h"
#include "normal_tree/normal_tree.h"

namespace cotree {

/** What is wrong with a tree, or nothing.

Tested: T and T' are spanning forests; each group can be solved for its primary variables; the degree is the
sum of their values; and it is best, by the potentials p (those of Kruskal where the tree has none):

  p(x_a) >= p(x_b)  a on the path of b in T;       p(y_a) >= p(y_b)  b on the path of a in T';
  value(P) - value(P - u + v) + p(v) - p(u) >= 0   for every exchange in a group.

These suffice (docs/theory/normal_tree.md, NT.4b; exchange.h). Of a singular tree only the forests are tested,
and that there is a blocking set. The cost is that of all fundamental circuits. */
std::string CheckNormalTree(Model& model, const SystemGraph& graph, const std::vector<ScalarElement>& scalars,
                            const NormalTree& tree, const TreePreferences& preferences = {});
/// The same with the values of the groups given.
std::string CheckNormalTree(const SystemGraph& graph, std::vector<ElementGroups>& groups,
                            const NormalTree& tree, const TreePreferences& preferences = {});

}  // namespace cotree

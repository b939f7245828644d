// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/json.h"
#include "cli/console.h"
#include "mechanics/mechanism.h"

namespace cotree {

/// What a system has in space, for those who only look at it: findings are left to `cotree check`. Empty
/// where there is nothing, or where something is wrong.
Mechanism ViewMechanism(Model& model, const SystemGraph& graph);

/// Rigid bodies with what they are made of, joints with their place in the tree, elements that exert forces:
/// tables for people. Empty for a system without frames.
std::string MechanismText(const Model& model, const SystemGraph& graph, const Mechanism& mechanism,
                          const Console& console);
/// The same as JSON ("mechanism" in docs/schema/cotree.graph-1.json and cotree.tree-1.json); null where there
/// is nothing to show.
Json MechanismJson(const Model& model, const SystemGraph& graph, const Mechanism& mechanism);

}  // namespace cotree

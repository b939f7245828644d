// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/linear_model.h"

namespace cotree {

/** Whose storage a state stands for: storage that moves as one (inertias on one shaft, capacitors in
parallel) has one state, which belongs to one of them by chance. By state: components with their share of the
energy that a change of this state stores; a position has those of its speed. A state that stores nothing, and
that of a joint in space, is its owner's alone. Theory: docs/theory/closed_forms.md, CF.10c. */
using StorageShares = std::vector<std::vector<std::pair<std::string, double>>>;
StorageShares FindStorageShares(const Translation& translation, const LinearStart& start);

}  // namespace cotree

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cli/linear_model.h"
#include "cli/storage_shares.h"
#include "document/document.h"
#include "state_space/state_space.h"

namespace cotree {

/// A, B, C, D in symbols and numbers, characteristic polynomial, transfer functions, poles with the
/// components that make them. Empty: the derivatives are not there in symbols. `start`: the numbers.
/// The letter s becomes the document's. `shares`: of the states' storage; may be empty.
std::vector<DocumentSection> DescribeLinear(ExprPool& pool, const StateSpace& space, const LinearStart& start,
                                            const StorageShares& shares, Document* document);
/// The same in numbers alone, where there are no symbols; `note` says why. Empty: there is nothing to show.
std::vector<DocumentSection> DescribeLinearNumbers(ExprPool& pool, const StateSpace& space,
                                                   const LinearStart& start, const std::string& note);

}  // namespace cotree

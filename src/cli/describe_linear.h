// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cli/linear_model.h"
#include "document/document.h"
#include "state_space/state_space.h"

namespace cotree {

/// A, B, C, D in symbols and numbers, characteristic polynomial, transfer functions, poles with the
/// components that make them. Empty: the derivatives are not there in symbols. `start`: the numbers.
/// The letter s becomes the document's.
std::vector<DocumentSection> DescribeLinear(ExprPool& pool, const StateSpace& space, const LinearStart& start,
                                            Document* document);

}  // namespace cotree

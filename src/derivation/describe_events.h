// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "block_triangular/sorted_system.h"
#include "document/document.h"

namespace cotree {

/// What changes at events: every `when` and `sample` with what it does, in the names of the system. No items
/// where nothing does.
DocumentSection DescribeEvents(const SortedSystem& sorted);

}  // namespace cotree

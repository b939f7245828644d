// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace cotree {

/// Bytes that this process may still take: what the machine has free, within the limits of its group and of
/// the process itself. UINT64_MAX where nothing says so.
uint64_t AvailableMemory();

}  // namespace cotree

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>

namespace cotree {

struct FreeMemory {
  void operator()(void* memory) const { std::free(memory); }
};

/// Uninitialised memory of any size. Large blocks are aligned for, and where the system offers it asked to be
/// made of, huge pages: the table and the nodes are read at random, and with small pages every access misses
/// the translation buffer too.
using LargeMemory = std::unique_ptr<std::byte[], FreeMemory>;
LargeMemory AllocateLarge(size_t bytes);

}  // namespace cotree

// SPDX-License-Identifier: Apache-2.0
#include "expr/large_memory.h"

#ifdef __linux__
#include <sys/mman.h>
#endif

#include "base/check.h"

namespace cotree {

LargeMemory AllocateLarge(size_t bytes) {
  constexpr size_t kHugePage = size_t{1} << 21;
  const size_t alignment = bytes >= kHugePage ? kHugePage : size_t{64};
  const size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, rounded);
  COTREE_CHECK(memory != nullptr);
#ifdef __linux__
  if (alignment == kHugePage)
    madvise(memory, rounded, MADV_HUGEPAGE);  // only advice: failing changes nothing but speed
#endif
  return LargeMemory(static_cast<std::byte*>(memory));
}

}  // namespace cotree

// SPDX-License-Identifier: Apache-2.0
#include "base/large_vector.h"

#include <malloc.h>
#include <sys/mman.h>

#include <cstdlib>
#include <limits>
#include <new>

namespace cotree {

void* AllocateLargeBlock(size_t bytes) {
  constexpr size_t kHugePage = size_t{1} << 21, kLarge = size_t{1} << 22;
  void* memory = nullptr;
  if (bytes >= kLarge) {
    const size_t rounded = (bytes + kHugePage - 1) / kHugePage * kHugePage;
    memory = std::aligned_alloc(kHugePage, rounded);
    if (memory != nullptr) madvise(memory, rounded, MADV_HUGEPAGE);
  } else {
    memory = std::malloc(bytes == 0 ? 1 : bytes);
  }
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void FreeLargeBlock(void* memory) {
  std::free(memory);
}

void KeepFreedMemory() {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
}

}  // namespace cotree

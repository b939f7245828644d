// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace cotree {

/// Memory for large arrays that are read at random: from 4 MiB on it is asked to be made of huge pages,
/// without which a system of millions of components misses the translation buffer at every step. Never null.
void* AllocateLargeBlock(size_t bytes);
void FreeLargeBlock(void* memory);

/// For a program that is ours from main() on: memory that was freed stays with the process and is used again,
/// where the C library would give each large block back and have the next one cleared page by page.
void KeepFreedMemory();

template <class T>
struct LargeAllocator {
  using value_type = T;
  LargeAllocator() = default;
  template <class U>
  LargeAllocator(const LargeAllocator<U>&) {}  // NOLINT: allocators convert
  T* allocate(size_t n) { return static_cast<T*>(AllocateLargeBlock(n * sizeof(T))); }
  void deallocate(T* memory, size_t) { FreeLargeBlock(memory); }
  friend bool operator==(const LargeAllocator&, const LargeAllocator&) { return true; }
};

/// A vector for what is counted in millions.
template <class T>
using LargeVector = std::vector<T, LargeAllocator<T>>;

}  // namespace cotree

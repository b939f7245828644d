// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>

// Present where a sanitizer's allocator is linked in (preset `fuzz`), absent in the coverage build.
extern "C" {
__attribute__((weak)) int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void*, size_t),
                                                                    void (*)(const volatile void*));
__attribute__((weak)) size_t __sanitizer_get_allocated_size(const volatile void*);
}

namespace cotree::fuzz {

constexpr int64_t kMostLiveBytes = int64_t{64} << 20;
constexpr double kMostSeconds = 1.0;

/** What one input may cost: at most 64 MiB of live allocations and 1 s of processor time. Put one on the
stack at the top of LLVMFuzzerTestOneInput; beyond the bounds the program aborts, in the allocation that is
too much or at the end of the scope.

Counts every allocation made while the scope is open, ours and the C++ library's, through the sanitizer's
hooks. Without a sanitizer only the time is watched. */
class InputLimits {
 public:
  InputLimits() : begin_(ProcessorSeconds()) {
    static const bool installed = Install();
    static_cast<void>(installed);
    live_ = 0;
    peak_ = 0;
    counting_ = true;
  }
  ~InputLimits() {
    counting_ = false;
    const double seconds = ProcessorSeconds() - begin_;
    if (seconds > kMostSeconds) {
      std::fprintf(stderr, "the input took %.2f s, allowed is %.2f s\n", seconds, kMostSeconds);
      std::abort();
    }
  }
  InputLimits(const InputLimits&) = delete;
  InputLimits& operator=(const InputLimits&) = delete;

  /// The most bytes that were live at once since the scope was opened.
  static int64_t PeakBytes() { return peak_; }

 private:
  static bool Install() {
    if (&__sanitizer_install_malloc_and_free_hooks == nullptr) return false;
    __sanitizer_install_malloc_and_free_hooks(&OnAllocate, &OnFree);
    return true;
  }
  static void OnAllocate(const volatile void*, size_t size) {
    if (!counting_) return;
    const int64_t live = live_ += static_cast<int64_t>(size);
    if (live > peak_) peak_ = live;
    if (live <= kMostLiveBytes) return;
    counting_ = false;
    std::fprintf(stderr, "%lld bytes are allocated, allowed are %lld\n", static_cast<long long>(live),
                 static_cast<long long>(kMostLiveBytes));
    std::abort();
  }
  static void OnFree(const volatile void* block) {
    if (counting_ && block != nullptr) live_ -= static_cast<int64_t>(__sanitizer_get_allocated_size(block));
  }
  static double ProcessorSeconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  }

  // Atomic, because libFuzzer's own threads allocate too.
  static inline std::atomic<bool> counting_{false};
  static inline std::atomic<int64_t> live_{0};
  static inline std::atomic<int64_t> peak_{0};
  double begin_;
};

/// Aborts with the place where a property does not hold.
#define FUZZ_ASSERT(condition)                                                            \
  do {                                                                                    \
    if (!(condition)) {                                                                   \
      std::fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                       \
    }                                                                                     \
  } while (false)

}  // namespace cotree::fuzz

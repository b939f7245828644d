// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace cotree {

/** What foreign code may leave behind in the thread and process that ran it, and which would change our
numbers or texts: the floating-point control word (rounding, flushing of subnormals, traps; a library built
with -ffast-math changes it by being loaded) and the locale. */
class CallEnvironment {
 public:
  /// Bits of what was found changed.
  enum Changed : uint32_t { kNothing = 0, kFloatingPoint = 1, kLocale = 2 };

  /// Remembers the locale of now.
  CallEnvironment();
  /// Sets everything back; says what was not as it should be.
  uint32_t Restore() const;
  /// For people.
  static std::string Describe(Changed what);

 private:
  std::string locale_;
  void* thread_locale_;
};

}  // namespace cotree

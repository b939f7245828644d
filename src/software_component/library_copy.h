// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace cotree {

/** A shared library as it was read once: a private copy in memory that nobody can change any more, and its
hash. What is loaded is this copy, so that it is what was hashed, whatever happens to the file meanwhile.

The descriptor stays open until the process ends; the same bytes have the same descriptor. */
struct LibraryCopy {
  int descriptor = -1;
  std::string sha256;  // as `sha256sum` prints it

  /// What the dynamic linker loads: the descriptor's path in the process that has it.
  static std::string PathOf(int descriptor) { return "/proc/self/fd/" + std::to_string(descriptor); }
};

/// Reads a regular file; what is wrong with it, else empty.
std::string CopyLibrary(const std::string& path, LibraryCopy* copy);

/// The hash alone, as far as it can be read; else empty.
std::string HashLibrary(const std::string& path);

}  // namespace cotree

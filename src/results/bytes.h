// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace cotree {

static_assert(std::endian::native == std::endian::little, "results are written as they stand in memory");

/// The bytes of a number, lowest first.
template <class T>
void AppendBytes(T value, std::string* out) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out->append(bytes, sizeof(T));
}

/// The number that begins at `place`, which must be inside.
template <class T>
T NumberAt(std::string_view bytes, size_t place) {
  T value;
  std::memcpy(&value, bytes.data() + place, sizeof(T));
  return value;
}

}  // namespace cotree

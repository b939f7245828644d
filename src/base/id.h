// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace cotree {

/** A 32-bit index with a type of its own, so that an edge is never taken for a vertex.

Declare one as `using EdgeId = Id<struct EdgeTag>;`. Absence is `std::optional<EdgeId>`, or, inside compact
arrays that are counted in millions, the value `EdgeId::None()`. */
template <class Tag>
struct Id {
  uint32_t value = UINT32_MAX;

  constexpr Id() = default;
  constexpr explicit Id(uint32_t v) : value(v) {}
  constexpr explicit Id(size_t v) : value(static_cast<uint32_t>(v)) {}
  constexpr explicit Id(int v) : value(static_cast<uint32_t>(v)) {}

  static constexpr Id None() { return Id(); }
  constexpr bool IsNone() const { return value == UINT32_MAX; }
  constexpr size_t index() const { return value; }

  friend constexpr auto operator<=>(Id, Id) = default;
};

}  // namespace cotree

template <class Tag>
struct std::hash<cotree::Id<Tag>> {
  size_t operator()(cotree::Id<Tag> id) const noexcept { return id.value * size_t{0x9E3779B97F4A7C15u}; }
};

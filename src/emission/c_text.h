// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cotree {

/// A number as C reads it back, bit by bit: 0.1, (-1.0), NAN.
std::string CNumber(double value);
/// "..." with everything escaped that C does not take as it stands.
std::string CString(std::string_view text);
/// Text that may stand inside a comment.
std::string CComment(std::string_view text);

/// `NAME[] = {...};` in short lines; at least one element. `type`: with everything before the name.
std::string CArray(std::string_view type, std::string_view name, std::span<const std::string> elements,
                   std::string_view empty = "0");
std::string CNumbers(std::string_view type, std::string_view name, std::span<const double> values);
template <class Integers>
std::string CIntegers(std::string_view type, std::string_view name, const Integers& values) {
  std::vector<std::string> elements;
  for (const auto value : values) elements.push_back(std::to_string(static_cast<int64_t>(value)));
  return CArray(type, name, elements);
}

}  // namespace cotree

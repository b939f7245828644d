// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cotree {

/** A variable's path taken apart for typesetting: `motor.armature.Q_flow2[3]` is the letter Q with the
subscripts flow, 2, 3 and motor.armature. */
struct TypesetName {
  std::string_view letter;                   // "Q", "phi", "Jtotal"
  std::vector<std::string_view> subscripts;  // "flow", "2", "3"
  std::string_view path;                     // "motor.armature", or empty
};

TypesetName SplitForTypesetting(std::string_view name);

/// The parts of "[1 A_C]", matrices side by side; none where it is no such name.
std::vector<std::string_view> SplitSideBySide(std::string_view name);

/// The Greek letter of that English name in UTF-8 ("phi" → "φ"), or empty.
std::string_view GreekLetter(std::string_view name);

}  // namespace cotree

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace cotree {

/** The parts of emitted C that are the same for all models: runtime/NAME.c, in the program itself. */
struct RuntimeFile {
  const char* name;
  const char* text;
};
/// The last one is empty.
const RuntimeFile* RuntimeFiles();

/// A part as a model needs it: lines between `/*@if x*/` (or `/*@else*/` of it) and `/*@end*/` stay only
/// where `features` has x.
std::string RuntimeText(std::string_view name, const std::set<std::string>& features);

}  // namespace cotree

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cotree {

/** Bytes [begin, end) of a text give way to another text. */
struct TextEdit {
  uint32_t begin = 0;
  uint32_t end = 0;
  std::string text;

  friend bool operator==(const TextEdit&, const TextEdit&) = default;
};

/** Edits of one text. Always true (CheckTextEdits tests it): ascending, inside the text, not overlapping. All
places are those of the text before the first edit. */
using TextEdits = std::vector<TextEdit>;

/// Aborts (our bug) where an invariant of TextEdits does not hold.
void CheckTextEdits(std::string_view text, const TextEdits& edits);
/// Brings edits into order. Deletions that touch or overlap become one.
void SortTextEdits(TextEdits& edits);
/// The text after the edits.
std::string ApplyEdits(std::string_view text, const TextEdits& edits);
/// What takes the edits back: ApplyEdits(ApplyEdits(text, edits), InvertEdits(text, edits)) == text.
TextEdits InvertEdits(std::string_view text, const TextEdits& edits);

}  // namespace cotree

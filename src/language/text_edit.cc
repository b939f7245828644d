// SPDX-License-Identifier: Apache-2.0
#include "language/text_edit.h"

#include <algorithm>

#include "base/check.h"

namespace cotree {

void CheckTextEdits(std::string_view text, const TextEdits& edits) {
  uint32_t at = 0;
  for (const TextEdit& edit : edits) {
    COTREE_CHECK(edit.begin >= at && edit.begin <= edit.end && edit.end <= text.size());
    at = edit.end;
  }
}

void SortTextEdits(TextEdits& edits) {
  std::stable_sort(edits.begin(), edits.end(), [](const TextEdit& a, const TextEdit& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  TextEdits sorted;
  for (TextEdit& edit : edits) {
    if (edit.begin == edit.end && edit.text.empty()) continue;
    const bool joins =
        !sorted.empty() && edit.begin <= sorted.back().end && edit.text.empty() && sorted.back().text.empty();
    if (joins) {
      sorted.back().end = std::max(sorted.back().end, edit.end);
    } else {
      sorted.push_back(std::move(edit));
    }
  }
  edits = std::move(sorted);
}

std::string ApplyEdits(std::string_view text, const TextEdits& edits) {
  CheckTextEdits(text, edits);
  std::string out;
  uint32_t at = 0;
  for (const TextEdit& edit : edits) {
    out += text.substr(at, edit.begin - at);
    out += edit.text;
    at = edit.end;
  }
  out += text.substr(at);
  return out;
}

TextEdits InvertEdits(std::string_view text, const TextEdits& edits) {
  CheckTextEdits(text, edits);
  TextEdits inverse;
  size_t written = 0;  // of the result
  uint32_t at = 0;
  for (const TextEdit& edit : edits) {
    written += edit.begin - at;
    const auto begin = static_cast<uint32_t>(written);
    written += edit.text.size();
    inverse.push_back(
        {begin, static_cast<uint32_t>(written), std::string(text.substr(edit.begin, edit.end - edit.begin))});
    at = edit.end;
  }
  return inverse;
}

}  // namespace cotree

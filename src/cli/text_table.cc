// SPDX-License-Identifier: Apache-2.0
#include "cli/text_table.h"

#include <fmt/core.h>

#include <algorithm>

namespace cotree {
namespace {

// Characters, not bytes.
size_t Width(const std::string& text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(),
                                           [](char c) { return (static_cast<uint8_t>(c) & 0xC0) != 0x80; }));
}

}  // namespace

std::string TextTable::Text(const std::string& indent, const Console& console) const {
  std::vector<size_t> widths(alignment_.size(), 0);
  for (const auto& row : rows_) {
    for (size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], Width(row[k]));
  }
  std::string text;
  for (size_t r = 0; r < rows_.size(); ++r) {
    std::string line = indent;
    for (size_t k = 0; k < rows_[r].size(); ++k) {
      const std::string room(widths[k] - Width(rows_[r][k]), ' ');
      line += (k == 0 ? "" : "  ") + (alignment_[k] == 'r' ? room + rows_[r][k] : rows_[r][k] + room);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += (r == 0 ? console.Dim(line) : line) + "\n";
  }
  return text;
}

std::string ShortNumber(double value) {
  return fmt::format("{:.6g}", value == 0 ? 0 : value);  // no -0
}

std::string WrapNames(const std::vector<std::string>& names, const std::string& indent) {
  constexpr size_t kLine = 100;
  std::string text, line = indent;
  for (size_t k = 0; k < names.size(); ++k) {
    const std::string word = names[k] + (k + 1 < names.size() ? "," : "");
    if (line.size() > indent.size() && line.size() + 1 + word.size() > kLine) {
      text += line + "\n";
      line = indent;
    }
    line += (line.size() > indent.size() ? " " : "") + word;
  }
  return text + line + "\n";
}

}  // namespace cotree

// SPDX-License-Identifier: Apache-2.0
#include "base/source.h"

#include <algorithm>

namespace cotree {

size_t DisplayWidth(std::string_view text) {
  size_t width = 0;
  for (const char c : text) width += (static_cast<unsigned char>(c) & 0xC0u) != 0x80u;
  return width;
}

void SourceFile::FindLines() const {
  line_starts_.push_back(0);
  for (size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') line_starts_.push_back(static_cast<uint32_t>(i + 1));
  }
}

Position SourceFile::PositionOf(uint32_t offset) const {
  if (line_starts_.empty()) FindLines();
  offset = std::min(offset, static_cast<uint32_t>(text_.size()));
  const auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const auto line = static_cast<uint32_t>(next - line_starts_.begin());
  const uint32_t start = line_starts_[line - 1];
  return {line,
          static_cast<uint32_t>(DisplayWidth(std::string_view(text_).substr(start, offset - start)) + 1)};
}

std::string_view SourceFile::Line(uint32_t line) const {
  if (line_starts_.empty()) FindLines();
  if (line == 0 || line > line_starts_.size()) return {};
  const size_t begin = line_starts_[line - 1];
  size_t end = line < line_starts_.size() ? line_starts_[line] - 1 : text_.size();
  if (end > begin && text_[end - 1] == '\r') --end;
  return std::string_view(text_).substr(begin, end - begin);
}

FileId SourceFiles::Add(std::string path, std::string text) {
  files_.push_back(std::make_unique<SourceFile>(std::move(path), std::move(text)));
  return FileId(files_.size() - 1);
}

}  // namespace cotree

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/id.h"

namespace cotree {

using FileId = Id<struct FileTag>;

/** A stretch of a source text: bytes [begin, end) of a file. A span without a file belongs to no text (a
 * command-line option). */
struct Span {
  FileId file;
  uint32_t begin = 0;
  uint32_t end = 0;

  friend bool operator==(const Span&, const Span&) = default;
};

/** A position people read: line and column count from 1; a column is a Unicode code point. */
struct Position {
  uint32_t line = 1;
  uint32_t column = 1;
};

/** A text with the name it is shown under. The text of an option bears its name, `--set`: it is shown whole,
without lines. */
class SourceFile {
 public:
  SourceFile(std::string path, std::string text) : path_(std::move(path)), text_(std::move(text)) {}

  const std::string& path() const { return path_; }
  const std::string& text() const { return text_; }
  bool is_option() const { return path_.starts_with("--"); }
  Position PositionOf(uint32_t offset) const;
  /// The text of a line, without its line end.
  std::string_view Line(uint32_t line) const;

 private:
  void FindLines() const;

  std::string path_;
  std::string text_;
  mutable std::vector<uint32_t> line_starts_;  // by FindLines, on first use: only diagnostics need it
};

/** All texts of one run. Files are never removed, so a FileId stays valid. */
class SourceFiles {
 public:
  FileId Add(std::string path, std::string text);
  const SourceFile& operator[](FileId id) const { return *files_[id.index()]; }
  size_t size() const { return files_.size(); }

 private:
  std::vector<std::unique_ptr<SourceFile>> files_;
};

/// Columns a text takes on a terminal, counting UTF-8 code points.
size_t DisplayWidth(std::string_view text);

}  // namespace cotree

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "language/format.h"
#include "language/parse.h"

namespace cotree {

/** A text with its tree and its messages. */
struct Parsed {
  explicit Parsed(std::string source)
      : file(files.Add("test.cot", std::move(source))), tree(Parse(files[file].text(), file, diagnostics)) {}

  /// "COT1010 2:7" for each message, in order of place.
  std::vector<std::string> Codes() {
    diagnostics.Sort();
    std::vector<std::string> codes;
    for (const Diagnostic& diagnostic : diagnostics.list()) {
      const Position at = files[file].PositionOf(diagnostic.where.begin);
      codes.push_back(CodeText(*diagnostic.info) + " " + std::to_string(at.line) + ":" +
                      std::to_string(at.column));
    }
    return codes;
  }

  SourceFiles files;
  Diagnostics diagnostics;
  FileId file;
  SyntaxTree tree;
};

inline std::string Formatted(const std::string& text) {
  return Format(Parsed(text).tree);
}

/// Every .cot file of the repository, sorted by path.
inline std::vector<std::filesystem::path> CotreeFiles() {
  std::vector<std::filesystem::path> paths;
  const std::filesystem::path root(COTREE_SOURCE_DIR);
  for (const char* folder : {"library", "examples", "tests", "src/language/test/texts"}) {
    if (!std::filesystem::exists(root / folder)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      if (entry.is_regular_file() && entry.path().extension() == ".cot") paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

inline std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace cotree

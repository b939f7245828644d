// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/plural.h"
#include "cli/console.h"

namespace cotree {

/** Rows of cells in aligned columns. */
class TextTable {
 public:
  /// One letter a column: `l` or `r`.
  explicit TextTable(std::string alignment) : alignment_(std::move(alignment)) {}
  void Add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  size_t rows() const { return rows_.size(); }
  /// The first row is the heading. Nothing is put behind the last cell of a row.
  std::string Text(const std::string& indent, const Console& console) const;

 private:
  std::string alignment_;
  std::vector<std::vector<std::string>> rows_;
};

/// Six digits, for people; JSON has all.
std::string ShortNumber(double value);

/// "a, b, c", in lines of about 100 characters, each behind `indent`.
std::string WrapNames(const std::vector<std::string>& names, const std::string& indent);

}  // namespace cotree

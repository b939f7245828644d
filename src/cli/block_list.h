// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "program/program.h"

namespace cotree {

/// The kind of a block for JSON and tables: "explicit", "linear_constant".
std::string BlockKindWord(BlockKind kind);

/** The blocks of a program as they are shown. */
class BlockList {
 public:
  explicit BlockList(const Program& program);
  bool IsImplicit(size_t block) const { return implicit_[block] != nullptr; }
  bool IsTear(size_t block, uint32_t slot) const;
  /// What joins the lines of a block of several equations: blanks for one of one, nothing where all are such.
  std::string Bracket(size_t block, size_t line) const;

 private:
  const SortedSystem& sorted_;
  std::vector<const ImplicitBlock*> implicit_;  // by block
  bool several_ = false;                        // some block has several equations
};

/// Names of variables that are differentiated though they are no states.
std::vector<std::string> DependentNames(const SortedSystem& sorted);
/// Every state with the name of its derivative.
Json StatesJson(const SortedSystem& sorted);

}  // namespace cotree

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "expr/expr_pool.h"
#include "expr/walk.h"

namespace cotree {

struct PrintOptions {
  /// Characters after which `…` stands for what remains: the text of a shared expression can be exponentially
  /// longer than the expression.
  size_t limit = size_t{1} << 22;
  /// Of numbers that are no integers; 0: as many as it takes to read back the same double.
  int digits = 0;
  /// Terms of sums are written by falling powers of this symbol; none: by name.
  ExprId main_letter{};
  /// Text only: φ, ², ·, x' for der(x), t for time.
  bool unicode = false;
  /// LaTeX only: what a symbol (of order 0) belongs to, put around it as \\htmlData{component=...}.
  const std::unordered_map<uint32_t, std::string>* components = nullptr;
};

/// Shortest decimal that reads back as the same double; no locale. "2", "0.1", "1e-05", "inf". With `digits`,
/// rounded to so many where that is shorter.
std::string FormatNumber(double value, int digits = 0);

/** The order in which operands are shown. The order in which they are stored is a hash's: reproducible, but
nobody wants to read it.

Factors: number, parameters, variables, the rest; each by the name of the first symbol in them. Terms:
positive before negative, number last, lower derivatives before higher, then by name. What is still equal
keeps the structural order. Independent of ids, as everything that can be seen. */
class ReadableOrder {
 public:
  ReadableOrder(const ExprPool& pool, ExprId root, ExprId main_letter = ExprId());
  std::vector<ExprId> Terms(ExprId sum) const;
  std::vector<ExprId> Factors(ExprId product) const;
  /// Operands of and, or, min, max, ==, != likewise by name.
  std::vector<ExprId> Operands(ExprId id) const;

 private:
  struct Key {
    SymbolId lead;          // first symbol by name below; none: no symbol
    uint32_t order = 0;     // highest derivative order below
    bool variable = false;  // something other than parameters below
  };
  const Key& KeyOf(ExprId id) const { return keys_[order_.PositionOf(id)]; }
  int CompareLeads(const Key& a, const Key& b) const;
  int CategoryOfFactor(ExprId id) const;
  double PowerOf(ExprId term) const;

  const ExprPool& pool_;
  ExprId main_letter_;
  ExprOrder order_;
  std::vector<Key> keys_;
};

/** The loop all printers share: a stack of text and expressions still to be written, so that depth costs no
recursion. A notation says in Expand what a node consists of. */
class PrintLoop {
 public:
  virtual ~PrintLoop() = default;
  std::string Run(ExprId root);

 protected:
  PrintLoop(const ExprPool& pool, ExprId root, const PrintOptions& options)
      : pool_(pool), order_(pool, root, options.main_letter), options_(options) {}

  /// Calls Put for each part of the node, in reading order. `context`: how tightly the place binds;
  /// `drop_sign`: print -x for x.
  virtual void Expand(ExprId id, int context, bool drop_sign) = 0;
  /// What stands for a part beyond the limit; text after it is still written, so that brackets and tags
  /// close.
  virtual std::string_view Ellipsis() const { return "…"; }

  void Put(std::string_view text) { parts_.push_back({std::string(text), ExprId(), 0, false}); }
  void Put(ExprId id, int context, bool drop_sign = false) { parts_.push_back({{}, id, context, drop_sign}); }
  void PutList(std::span<const ExprId> ids, std::string_view separator, int context);

  const ExprPool& pool_;
  ReadableOrder order_;
  PrintOptions options_;

 private:
  struct Part {
    std::string text;
    ExprId id;
    int context;
    bool drop_sign;
  };
  std::vector<Part> parts_;
};

}  // namespace cotree

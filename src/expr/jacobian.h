// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "expr/expr_pool.h"

namespace cotree {

/** One entry of a sparse matrix of expressions. */
struct JacobianEntry {
  uint32_t row;
  uint32_t column;
  ExprId value;  // not the number 0
};

/** The partial derivatives of `rows` with respect to `columns` (symbols, time, or array elements), sorted by
row, then column; entries that are the number 0 are left out.

A row is differentiated forwards for each column that occurs in it, which keeps the shape the user wrote and
shares memos between rows; a row in which very many columns occur is swept backwards once, in time linear in
its nodes (EX.13). Which way is decided by counts alone. */
std::vector<JacobianEntry> Jacobian(ExprPool& pool, std::span<const ExprId> rows,
                                    std::span<const ExprId> columns);

/// The same for symbols, one row.
std::vector<JacobianEntry> Gradient(ExprPool& pool, ExprId expr, std::span<const SymbolId> symbols);

}  // namespace cotree

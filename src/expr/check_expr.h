// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "expr/expr_pool.h"

namespace cotree {

/** Tests what ExprPool promises of every node below `expr`: operands older than their users, in structural
order where the operation commutes, at most one numeric coefficient, nothing a rewrite would change
(rebuilding gives the same node). Returns what is wrong, or nothing. */
std::optional<std::string> CheckExpr(ExprPool& pool, ExprId expr);

}  // namespace cotree

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "expr/expr_pool.h"
#include "expr/print_loop.h"

namespace cotree {

/** Python text that SymPy evaluates: ** for powers, Piecewise, Min, Max, integers where numbers are integers,
Rational for quotients of integers. Closed calls are Function('name')(...); time is t. */
std::string PrintSympy(const ExprPool& pool, ExprId expr, const PrintOptions& options = {});

}  // namespace cotree

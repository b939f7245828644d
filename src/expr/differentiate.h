// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "expr/expr_pool.h"
#include "expr/walk.h"

namespace cotree {

/** Derivatives of expressions with respect to one thing, remembered per node (EX.10 to EX.13).

Forward differentiation over the shared nodes: each node is differentiated once however often it is used and
however many expressions are asked for, so the work is linear in the distinct nodes (a product of n factors
counts n times its factors that depend). It is a loop; depth costs heap, not stack.

At a switch the one-sided derivative of the branch taken: abs' = sign, sign' = floor' = ceil' = 0, min and max
as If; relations and logic have derivative 0; indices are integers and count as constant. x^g with a g that
varies needs x > 0 (log x appears).

A Differentiator stays usable while its pool grows. */
class Differentiator {
 public:
  /// With respect to a symbol, time (explicit occurrences only), or an array element `x[i]`. With respect to
  /// an array symbol as a whole: the derivative in the direction in which all elements move together.
  static Differentiator Partial(ExprPool* pool, ExprId with_respect_to);
  /// The total time derivative: der(x) of a variable or input is the symbol of the next order, of all other
  /// kinds 0; time has 1.
  static Differentiator TotalTime(ExprPool* pool);

  ExprId Derivative(ExprId expr);

 private:
  Differentiator(ExprPool* pool, ExprId with_respect_to) : pool_(pool), with_respect_to_(with_respect_to) {}
  ExprId Known(ExprId id) const { return ExprId(*memo_.Find(id)); }
  ExprId OfLeaf(ExprId id) const;
  ExprId OfNode(ExprId id);
  ExprId OfElement(ExprId id);
  ExprId OfCall(ExprId id);

  ExprPool* pool_;
  ExprId with_respect_to_;  // none: total time derivative
  ExprMap memo_;            // node -> derivative
};

/// Whether the pass has to look below: leaves and the discrete have derivatives at once.
bool IsPiecewiseConstant(const ExprPool& pool, ExprId id);

/** t times the partial derivative of a node with respect to its operand k: both the forward and the backward
sweep are made of this one function. For + * / ^ and the functions; not for if, arrays, loops, calls of
built-ins. */
ExprId ScaledPartial(ExprPool& pool, ExprId node, size_t k, ExprId t);

ExprId Differentiate(ExprPool& pool, ExprId expr, ExprId with_respect_to);
ExprId Differentiate(ExprPool& pool, ExprId expr, SymbolId symbol);
/// d^n/dt^n.
ExprId TimeDerivative(ExprPool& pool, ExprId expr, int order = 1);

}  // namespace cotree

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "expr/differentiate.h"
#include "system_equations/equation_system.h"

namespace cotree {

/** An equation of a class, differentiated some times: every variable with every order that occurs. */
struct DerivedEquation {
  ExprId residual;
  std::vector<ScalarUse> uses;  // by variable, then order; discrete variables left out
};

/** Derivatives of the equations of classes, each made once (design §3.1). */
class DerivedEquations {
 public:
  explicit DerivedEquations(const EquationSystem& system)
      : system_(system), rate_(Differentiator::TotalTime(&system.model->expressions)) {
    symbol_variable_.resize(system.scalars.size());
  }
  const DerivedEquation& Get(uint32_t scalar, uint32_t equation, uint32_t times);
  /// The derivative of an expression in time.
  ExprId Rate(ExprId expr) { return rate_.Derivative(expr); }
  /// The local variable a symbol of any order belongs to; UINT32_MAX: none (a parameter).
  uint32_t VariableOf(uint32_t scalar, SymbolId base);

 private:
  const EquationSystem& system_;
  Differentiator rate_;
  std::unordered_map<uint64_t, std::unique_ptr<DerivedEquation>> made_;
  std::vector<std::unordered_map<uint32_t, uint32_t>> symbol_variable_;
};

}  // namespace cotree

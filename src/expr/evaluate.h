// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "expr/run_tape.h"
#include "expr/tape.h"

namespace cotree {

/** A number with one directional derivative: value + tangent*eps, eps^2 = 0 (EX.12). */
struct Dual {
  double value = 0;
  double tangent = 0;
};

Dual operator+(Dual a, Dual b);
Dual operator*(Dual a, Dual b);
Dual operator/(Dual a, Dual b);

/** Numerical values of expressions: the reference against which compiled tiers are tested. + - * / sqrt are
IEEE in the order of the operands, integer powers are multiplication chains (power_chain.h); elementary
functions are the C library's here, so their last bit is not that of the tiers, which use SLEEF (design §6).
What has no value (an unset symbol, an index out of range, a closed call without `call`) is NaN. true is 1,
false is 0; a condition holds when it is not 0.

The tape and the workspace are reusable: after the first run nothing is allocated, except by `call`. */
void EvaluateDouble(const Tape& tape, Environment<double>& environment, Workspace<double>& workspace,
                    std::span<double> results);
void EvaluateDual(const Tape& tape, Environment<Dual>& environment, Workspace<Dual>& workspace,
                  std::span<Dual> results);

/// For single uses: one value a root.
std::vector<double> EvaluateDouble(const ExprPool& pool, std::span<const ExprId> roots,
                                   Environment<double>& environment);
double EvaluateDouble(const ExprPool& pool, ExprId root, Environment<double>& environment);
Dual EvaluateDual(const ExprPool& pool, ExprId root, Environment<Dual>& environment);

void SetValue(Environment<double>& environment, SymbolId symbol, double value);
void SetValue(Environment<Dual>& environment, SymbolId symbol, double value, double tangent = 0);

}  // namespace cotree

// SPDX-License-Identifier: Apache-2.0
#include "expr/solve.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "expr/builtins.h"
#include "expr/dependence.h"
#include "expr/linear.h"
#include "expr/print_text.h"
#include "expr/walk.h"

namespace cotree {

namespace {

using Kind = SolveCondition::Kind;

class Solver {
 public:
  Solver(ExprPool& pool, SymbolId unknown) : p_(pool), unknown_(unknown), x_(pool.Symbol(unknown)) {}

  std::optional<Solution> Run(ExprId residual) {
    MarkDependents(residual);
    left_ = residual;
    right_ = p_.Zero();
    bool cleared = false;
    for (bool first = true; left_ != x_; first = false) {
      if (!Depends(left_)) return std::nullopt;
      // Whether the whole is linear costs a walk, so ask only where peeling cannot go on by itself.
      if (CountDependents(left_) != 1 || first) {
        if (SolveLinear()) {
          solution_.linear = first;
          break;
        }
        if (CountDependents(left_) != 1) {
          if (p_.op(left_) != Op::kDivide || cleared) return std::nullopt;
          cleared = true;
          Require(Kind::kNonzero, p_.operand(left_, 1));
          left_ = p_.Subtract(p_.operand(left_, 0), p_.Multiply(right_, p_.operand(left_, 1)));
          right_ = p_.Zero();
          MarkDependents(left_);
          continue;
        }
      }
      if (!Peel() || impossible_) return std::nullopt;
    }
    if (impossible_) return std::nullopt;
    if (left_ == x_) solution_.value = right_;
    return solution_;
  }

 private:
  void MarkDependents(ExprId root) {
    FindOrder(p_, std::span(&root, 1), &order_);
    for (ExprId id : order_.nodes) {
      bool depends = id == x_;
      for (ExprId operand : p_.operands(id)) depends |= Depends(operand);
      if (p_.op(id) == Op::kCall && IsPastBuiltin(FindBuiltin(p_.FunctionName(p_.FunctionOf(id)))))
        depends = false;
      depends_.Insert(id, depends);
    }
  }
  bool Depends(ExprId id) const {
    const uint32_t* known = depends_.Find(id);
    return known != nullptr && *known != 0;
  }
  size_t CountDependents(ExprId id) const {
    return static_cast<size_t>(
        std::ranges::count_if(p_.operands(id), [&](ExprId operand) { return Depends(operand); }));
  }

  void Require(Kind kind, ExprId expr) {
    if (p_.IsNumber(expr)) {
      const double value = p_.NumberValue(expr);
      const bool holds = kind == Kind::kNonzero    ? value != 0
                         : kind == Kind::kPositive ? value > 0
                                                   : value >= 0;
      impossible_ |= !holds;
      return;
    }
    if (p_.op(expr) == Op::kExp ||
        (kind == Kind::kNonnegative && (p_.op(expr) == Op::kSqrt || p_.op(expr) == Op::kAbs)))
      return;
    if (kind == Kind::kNonzero && p_.IsNegative(expr)) expr = p_.Negate(expr);
    if (required_[static_cast<size_t>(kind)].Insert(expr, 0)) solution_.conditions.push_back({kind, expr});
  }

  bool SolveLinear() {
    const LinearForm form = LinearCoefficients(p_, left_, std::span(&unknown_, 1));
    if (!form.linear || p_.IsZero(form.coefficients[0])) return false;
    const ExprId coefficient = form.coefficients[0];
    Require(Kind::kNonzero, coefficient);
    const ExprId numerator = p_.Subtract(right_, form.remainder);
    if (p_.IsZero(numerator)) {
      solution_.value = numerator;
    } else if (p_.IsNegative(coefficient)) {
      solution_.value = p_.Divide(p_.Negate(numerator), p_.Negate(coefficient));
    } else {
      solution_.value = p_.Divide(numerator, coefficient);
    }
    return true;
  }

  /// Undoes the outermost operation of left_, whose only operand with the unknown becomes the new left_.
  bool Peel() {
    const auto operands = p_.operands(left_);
    const size_t at = static_cast<size_t>(
        std::ranges::find_if(operands, [&](ExprId o) { return Depends(o); }) - operands.begin());
    const ExprId inner = operands[at];
    std::vector<ExprId> others(operands.begin(), operands.end());
    others.erase(others.begin() + static_cast<ptrdiff_t>(at));
    switch (p_.op(left_)) {
      case Op::kAdd:
        right_ = p_.Subtract(right_, p_.Sum(others));
        break;
      case Op::kMultiply: {
        const ExprId rest = p_.Product(others);
        Require(Kind::kNonzero, rest);
        right_ = p_.IsZero(right_) ? right_ : p_.Divide(right_, rest);
        break;
      }
      case Op::kDivide:
        if (at == 0) {
          Require(Kind::kNonzero, others[0]);
          right_ = p_.Multiply(right_, others[0]);
        } else {
          Require(Kind::kNonzero, others[0]);
          Require(Kind::kNonzero, right_);
          if (impossible_) return false;
          right_ = p_.Divide(others[0], right_);
        }
        break;
      case Op::kPower:
        if (!PeelPower(at, others[0])) return false;
        break;
      case Op::kCall: {
        const Builtin builtin = FindBuiltin(p_.FunctionName(p_.FunctionOf(left_)));
        if (builtin != Builtin::kNoEvent && builtin != Builtin::kSmooth) return false;
        break;
      }
      default:
        if (!IsUnaryFunction(p_.op(left_)) || !PeelFunction()) return false;
    }
    left_ = inner;
    return true;
  }

  bool PeelPower(size_t at, ExprId other) {
    if (at == 1) {  // a^g = r
      Require(Kind::kPositive, other);
      Require(Kind::kPositive, right_);
      Require(Kind::kNonzero, p_.Log(other));
      if (impossible_) return false;
      right_ = p_.Divide(p_.Log(right_), p_.Log(other));
      return true;
    }
    if (!p_.IsNumber(other)) return false;
    double n = p_.NumberValue(other);
    if (n < 0) {
      Require(Kind::kNonzero, right_);
      if (impossible_) return false;
      right_ = p_.Divide(p_.One(), right_);
      n = -n;
    }
    const bool integer = n == std::floor(n);
    const ExprId root = p_.Divide(p_.One(), p_.Number(n));
    if (integer && std::fmod(n, 2) == 1) {
      right_ = p_.Multiply(p_.Unary(Op::kSign, right_), p_.Power(p_.Abs(right_), root));
      return true;
    }
    if (integer && !p_.IsZero(right_)) solution_.unique = false;
    Require(Kind::kNonnegative, right_);
    right_ = n == 2 ? p_.Sqrt(right_) : p_.Power(right_, root);
    return true;
  }

  bool PeelFunction() {
    const ExprId r = right_, one = p_.One();
    const auto half_pi = [&] { return p_.Number(std::numbers::pi / 2); };
    const auto log_root = [&](double sign) {  // log(r + sqrt(r^2 +- 1))
      return p_.Log(p_.Add(r, p_.Sqrt(p_.Add(p_.Power(r, 2), p_.Number(sign)))));
    };
    switch (p_.op(left_)) {
      case Op::kExp:
        Require(Kind::kPositive, r);
        if (!impossible_) right_ = p_.Log(r);
        return true;
      case Op::kLog:
        right_ = p_.Exp(r);
        return true;
      case Op::kLog10:
        right_ = p_.Power(p_.Number(10), r);
        return true;
      case Op::kSqrt:
        Require(Kind::kNonnegative, r);
        right_ = p_.Power(r, 2);
        return true;
      case Op::kAbs:
        Require(Kind::kNonnegative, r);
        solution_.unique = solution_.unique && p_.IsZero(r);
        return true;
      case Op::kSin:
      case Op::kCos:
        Require(Kind::kNonnegative, p_.Subtract(one, p_.Abs(r)));
        solution_.unique = false;
        right_ = p_.Unary(p_.op(left_) == Op::kSin ? Op::kAsin : Op::kAcos, r);
        return true;
      case Op::kTan:
        solution_.unique = false;
        right_ = p_.Unary(Op::kAtan, r);
        return true;
      case Op::kAsin:
        Require(Kind::kNonnegative, p_.Subtract(half_pi(), p_.Abs(r)));
        right_ = p_.Sin(r);
        return true;
      case Op::kAcos:
        Require(Kind::kNonnegative, r);
        Require(Kind::kNonnegative, p_.Subtract(p_.Number(std::numbers::pi), r));
        right_ = p_.Cos(r);
        return true;
      case Op::kAtan:
        Require(Kind::kPositive, p_.Subtract(half_pi(), p_.Abs(r)));
        right_ = p_.Unary(Op::kTan, r);
        return true;
      case Op::kSinh:
        right_ = log_root(1);
        return true;
      case Op::kCosh:
        Require(Kind::kNonnegative, p_.Subtract(r, one));
        solution_.unique = solution_.unique && p_.IsOne(r);
        right_ = log_root(-1);
        return true;
      case Op::kTanh:
        Require(Kind::kPositive, p_.Subtract(one, p_.Abs(r)));
        if (!impossible_)
          right_ = p_.Divide(p_.Log(p_.Divide(p_.Add(one, r), p_.Subtract(one, r))), p_.Number(2));
        return true;
      default:
        return false;
    }
  }

  ExprPool& p_;
  SymbolId unknown_;
  ExprId x_;
  ExprId left_, right_;  // left_ = right_; only left_ contains the unknown
  ExprOrder order_;
  ExprMap depends_;
  ExprMap required_[3];  // conditions that are there already, by kind
  Solution solution_;
  bool impossible_ = false;
};

}  // namespace

std::optional<Solution> SolveFor(ExprPool& pool, ExprId residual, SymbolId unknown) {
  ++pool.mutable_statistics().solutions;
  return Solver(pool, unknown).Run(residual);
}

std::string DescribeCondition(const ExprPool& pool, const SolveCondition& condition) {
  std::string text = PrintText(pool, condition.expr);
  switch (condition.kind) {
    case Kind::kNonzero:
      return "coefficient " + text + " must not be zero";
    case Kind::kPositive:
      return "argument " + text + " must be positive";
    case Kind::kNonnegative:
      return "argument " + text + " must not be negative";
  }
  return text;
}

}  // namespace cotree

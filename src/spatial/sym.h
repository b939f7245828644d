// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "expr/expr_pool.h"

namespace cotree {

/** An expression with arithmetic, or a number that no pool has seen yet: what formulas of space are written
in. Numbers fold; nothing expands (ExprPool). */
class Sym {
 public:
  Sym() = default;
  Sym(double number) : number_(number) {}  // NOLINT: numbers are expressions
  Sym(ExprPool* pool, ExprId id) : pool_(pool), id_(id) {
    if (!pool->IsNumber(id)) return;
    number_ = pool->NumberValue(id);
    pool_ = nullptr;
  }

  bool IsNumber() const { return pool_ == nullptr; }
  bool IsZero() const { return IsNumber() && number_ == 0; }
  double number() const { return number_; }
  ExprId In(ExprPool& pool) const { return IsNumber() ? pool.Number(number_) : id_; }

  friend Sym operator+(const Sym& a, const Sym& b) {
    if (a.IsZero()) return b;
    if (b.IsZero()) return a;
    if (a.IsNumber() && b.IsNumber()) return a.number_ + b.number_;
    ExprPool& pool = *(a.IsNumber() ? b : a).pool_;
    return {&pool, pool.Add(a.In(pool), b.In(pool))};
  }
  friend Sym operator-(const Sym& a) {
    return a.IsNumber() ? Sym(0 - a.number_) : Sym(a.pool_, a.pool_->Negate(a.id_));
  }
  friend Sym operator-(const Sym& a, const Sym& b) { return a + (-b); }
  friend Sym operator*(const Sym& a, const Sym& b) {
    if (a.IsZero() || b.IsZero()) return {};
    if (a.IsNumber() && b.IsNumber()) return a.number_ * b.number_;
    ExprPool& pool = *(a.IsNumber() ? b : a).pool_;
    return {&pool, pool.Multiply(a.In(pool), b.In(pool))};
  }
  friend Sym operator/(const Sym& a, const Sym& b) {
    if (a.IsNumber() && b.IsNumber()) return a.number_ / b.number_;
    ExprPool& pool = *(a.IsNumber() ? b : a).pool_;
    return {&pool, pool.Divide(a.In(pool), b.In(pool))};
  }
  friend Sym Sin(const Sym& a) { return a.IsNumber() ? Sym(std::sin(a.number_)) : a.Unary(Op::kSin); }
  friend Sym Cos(const Sym& a) { return a.IsNumber() ? Sym(std::cos(a.number_)) : a.Unary(Op::kCos); }

 private:
  Sym Unary(Op op) const { return {pool_, pool_->Unary(op, id_)}; }

  ExprPool* pool_ = nullptr;  // none: a number
  ExprId id_;
  double number_ = 0;
};

}  // namespace cotree

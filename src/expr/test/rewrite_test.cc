// SPDX-License-Identifier: Apache-2.0
// Every automatic rewrite: the form it gives, and its value against the unsimplified formula at 0, ±1, ±x,
// 1e±300.
#include <gtest/gtest.h>

#include <functional>

#include "expr/check_expr.h"
#include "expr/expr_pool.h"
#include "expr/print_text.h"
#include "expr/test/tree.h"

namespace cotree::test {
namespace {

using Real = long double;

struct Rewrite {
  std::string expected;  // text of the canonical form
  std::function<ExprId(ExprPool&, ExprId x, ExprId y)> build;
  std::function<Real(Real x, Real y)> value;
};

std::vector<Rewrite> Rewrites() {
  const auto n = [](ExprPool& p, double v) { return p.Number(v); };
  using P = ExprPool;
  using E = ExprId;
  return {
      {"0.75", [n](P& p, E, E) { return p.Add(n(p, 0.5), n(p, 0.25)); },
       [](Real, Real) -> Real { return 0.75; }},
      {"x", [](P& p, E x, E) { return p.Add(x, p.Zero()); }, [](Real x, Real) { return x + 0; }},
      {"x", [](P& p, E x, E) { return p.Multiply(x, p.One()); }, [](Real x, Real) { return x * 1; }},
      {"x", [](P& p, E x, E) { return p.Divide(x, p.One()); }, [](Real x, Real) { return x / 1; }},
      {"-x", [n](P& p, E x, E) { return p.Divide(x, n(p, -1)); }, [](Real x, Real) { return x / -1; }},
      {"x", [](P& p, E x, E) { return p.Power(x, 1); }, [](Real x, Real) { return std::pow(x, 1.0L); }},
      {"1", [](P& p, E x, E) { return p.Power(x, 0.0); }, [](Real x, Real) { return std::pow(x, 0.0L); }},
      {"1", [](P& p, E x, E) { return p.Power(p.One(), x); }, [](Real x, Real) { return std::pow(1.0L, x); }},
      {"0", [](P& p, E, E) { return p.Power(p.Zero(), 2.5); },
       [](Real, Real) { return std::pow(0.0L, 2.5L); }},
      {"0", [](P& p, E x, E) { return p.Multiply(p.Zero(), x); }, [](Real x, Real) { return 0 * x; }},
      {"0", [](P& p, E x, E) { return p.Subtract(x, x); }, [](Real x, Real) { return x - x; }},
      {"2*x", [](P& p, E x, E) { return p.Add(x, x); }, [](Real x, Real) { return x + x; }},
      {"5*x", [n](P& p, E x, E) { return p.Add(p.Multiply(n(p, 2), x), p.Multiply(x, n(p, 3))); },
       [](Real x, Real) { return 2 * x + x * 3; }},
      {"x*y",
       [](P& p, E x, E y) { return p.Subtract(p.Add(p.Multiply(x, y), p.Multiply(y, x)), p.Multiply(x, y)); },
       [](Real x, Real y) { return x * y; }},
      {"x^2", [](P& p, E x, E) { return p.Multiply(x, x); }, [](Real x, Real) { return x * x; }},
      {"x^5", [](P& p, E x, E) { return p.Multiply(p.Power(x, 2), p.Power(x, 3)); },
       [](Real x, Real) { return x * x * x * x * x; }},
      {"x^6", [](P& p, E x, E) { return p.Power(p.Power(x, 2), 3); },
       [](Real x, Real) { return std::pow(x * x, 3.0L); }},
      {"x^2", [](P& p, E x, E) { return p.Power(p.Negate(x), 2); }, [](Real x, Real) { return -x * -x; }},
      {"-x^3", [](P& p, E x, E) { return p.Power(p.Negate(x), 3); },
       [](Real x, Real) { return -x * -x * -x; }},
      {"-x^(-3)", [](P& p, E x, E) { return p.Power(p.Negate(x), -3); },
       [](Real x, Real) { return 1 / (-x * -x * -x); }},
      {"1024", [n](P& p, E, E) { return p.Power(n(p, 2), 10); }, [](Real, Real) -> Real { return 1024; }},
      {"0.125", [n](P& p, E, E) { return p.Power(n(p, 2), -3); }, [](Real, Real) -> Real { return 0.125; }},
      {"10^(-3)", [n](P& p, E, E) { return p.Power(n(p, 10), -3); }, [](Real, Real) { return 1 / 1000.0L; }},
      {"x", [](P& p, E x, E) { return p.Negate(p.Negate(x)); }, [](Real x, Real) { return -(-x); }},
      {"x*y", [](P& p, E x, E y) { return p.Multiply(p.Negate(x), p.Negate(y)); },
       [](Real x, Real y) { return -x * -y; }},
      {"y - x", [](P& p, E x, E y) { return p.Negate(p.Subtract(x, y)); },
       [](Real x, Real y) { return -(x - y); }},
      {"-x/y", [](P& p, E x, E y) { return p.Divide(p.Negate(x), y); },
       [](Real x, Real y) { return -x / y; }},
      {"-x/y", [](P& p, E x, E y) { return p.Divide(x, p.Negate(y)); },
       [](Real x, Real y) { return x / -y; }},
      {"x/y", [](P& p, E x, E y) { return p.Divide(p.Negate(x), p.Negate(y)); },
       [](Real x, Real y) { return -x / -y; }},
      {"-2/x", [n](P& p, E x, E) { return p.Divide(n(p, -2), x); }, [](Real x, Real) { return -2 / x; }},
      {"2.5", [n](P& p, E, E) { return p.Divide(n(p, 5), n(p, 2)); }, [](Real, Real) -> Real { return 2.5; }},
      {"1/3", [n](P& p, E, E) { return p.Divide(n(p, 1), n(p, 3)); }, [](Real, Real) { return 1 / 3.0L; }},
      {"-sin(x)", [](P& p, E x, E) { return p.Sin(p.Negate(x)); }, [](Real x, Real) { return std::sin(-x); }},
      {"-tan(x)", [](P& p, E x, E) { return p.Unary(Op::kTan, p.Negate(x)); },
       [](Real x, Real) { return std::tan(-x); }},
      {"-atan(x)", [](P& p, E x, E) { return p.Unary(Op::kAtan, p.Negate(x)); },
       [](Real x, Real) { return std::atan(-x); }},
      {"-asin(x)", [](P& p, E x, E) { return p.Unary(Op::kAsin, p.Negate(x)); },
       [](Real x, Real) { return std::asin(-x); }},
      {"-sinh(x)", [](P& p, E x, E) { return p.Unary(Op::kSinh, p.Negate(x)); },
       [](Real x, Real) { return std::sinh(-x); }},
      {"-tanh(x)", [](P& p, E x, E) { return p.Unary(Op::kTanh, p.Negate(x)); },
       [](Real x, Real) { return std::tanh(-x); }},
      {"-sign(x)", [](P& p, E x, E) { return p.Unary(Op::kSign, p.Negate(x)); },
       [](Real x, Real) -> Real { return x < 0   ? 1
                                         : x > 0 ? -1
                                                 : 0; }},
      {"cos(x)", [](P& p, E x, E) { return p.Cos(p.Negate(x)); }, [](Real x, Real) { return std::cos(-x); }},
      {"cosh(x)", [](P& p, E x, E) { return p.Unary(Op::kCosh, p.Negate(x)); },
       [](Real x, Real) { return std::cosh(-x); }},
      {"abs(x)", [](P& p, E x, E) { return p.Abs(p.Negate(x)); }, [](Real x, Real) { return std::fabs(-x); }},
      {"-sin(2)", [n](P& p, E, E) { return p.Sin(n(p, -2)); }, [](Real, Real) { return std::sin(-2.0L); }},
      {"0", [](P& p, E, E) { return p.Sin(p.Zero()); }, [](Real, Real) { return 0.0L; }},
      {"1", [](P& p, E, E) { return p.Cos(p.Zero()); }, [](Real, Real) { return 1.0L; }},
      {"1", [](P& p, E, E) { return p.Exp(p.Zero()); }, [](Real, Real) { return 1.0L; }},
      {"0", [](P& p, E, E) { return p.Log(p.One()); }, [](Real, Real) { return 0.0L; }},
      {"3", [n](P& p, E, E) { return p.Unary(Op::kLog10, n(p, 1000)); }, [](Real, Real) { return 3.0L; }},
      {"1.5", [n](P& p, E, E) { return p.Sqrt(n(p, 2.25)); }, [](Real, Real) { return 1.5L; }},
      {"sqrt(2)", [n](P& p, E, E) { return p.Sqrt(n(p, 2)); }, [](Real, Real) { return std::sqrt(2.0L); }},
      {"abs(x)", [](P& p, E x, E) { return p.Abs(p.Abs(x)); }, [](Real x, Real) { return std::fabs(x); }},
      {"floor(x)", [](P& p, E x, E) { return p.Unary(Op::kCeil, p.Unary(Op::kFloor, x)); },
       [](Real x, Real) { return std::floor(x); }},
      {"x", [](P& p, E x, E) { return p.Binary(Op::kMin, x, x); }, [](Real x, Real) { return x; }},
      {"-3", [n](P& p, E, E) { return p.Binary(Op::kMin, n(p, 2), n(p, -3)); },
       [](Real, Real) { return -3.0L; }},
      {"2", [n](P& p, E, E) { return p.Binary(Op::kMax, n(p, 2), n(p, -3)); },
       [](Real, Real) { return 2.0L; }},
      {"2", [n](P& p, E, E) { return p.Binary(Op::kMod, n(p, -7), n(p, 3)); },
       [](Real, Real) { return 2.0L; }},
      {"-1", [n](P& p, E, E) { return p.Binary(Op::kMod, n(p, 5), n(p, -3)); },
       [](Real, Real) { return -1.0L; }},
      {"0", [n](P& p, E, E) { return p.Binary(Op::kAtan2, n(p, 0), n(p, 3)); },
       [](Real, Real) { return 0.0L; }},
      {"true", [n](P& p, E, E) { return p.Less(n(p, 2), n(p, 3)); }, [](Real, Real) { return 1.0L; }},
      {"false", [](P& p, E x, E) { return p.Less(x, x); }, [](Real, Real) { return 0.0L; }},
      {"y <= x", [](P& p, E x, E y) { return p.Not(p.Less(x, y)); },
       [](Real x, Real y) -> Real { return !(x < y); }},
      {"x < y", [](P& p, E x, E y) { return p.Not(p.LessEqual(y, x)); },
       [](Real x, Real y) -> Real { return !(y <= x); }},
      {"x != y", [](P& p, E x, E y) { return p.Not(p.Equal(x, y)); },
       [](Real x, Real y) -> Real { return !(x == y); }},
      {"false", [](P& p, E x, E y) { return p.And(p.Less(x, y), p.LessEqual(y, x)); },
       [](Real x, Real y) -> Real { return x < y && y <= x; }},
      {"true", [](P& p, E x, E y) { return p.Or(p.Less(x, y), p.LessEqual(y, x)); },
       [](Real x, Real y) -> Real { return x < y || y <= x; }},
      {"x < y", [](P& p, E x, E y) { return p.And(p.True(), p.And(p.Less(x, y), p.Less(x, y))); },
       [](Real x, Real y) -> Real { return x < y; }},
      {"true", [](P& p, E x, E y) { return p.Or(p.True(), p.Less(x, y)); },
       [](Real, Real) -> Real { return 1; }},
      {"x", [](P& p, E x, E y) { return p.If(p.True(), x, y); }, [](Real x, Real) { return x; }},
      {"x", [](P& p, E x, E y) { return p.If(p.Less(x, y), x, x); }, [](Real x, Real) { return x; }},
      // What must not happen.
      {"x/x", [](P& p, E x, E) { return p.Divide(x, x); }, [](Real x, Real) { return x / x; }},
      {"0/x", [](P& p, E x, E) { return p.Divide(p.Zero(), x); }, [](Real x, Real) { return 0 / x; }},
      {"x*(1/x)", [](P& p, E x, E) { return p.Multiply(x, p.Divide(p.One(), x)); },
       [](Real x, Real) { return x * (1 / x); }},
      {"x*x^(-1)", [](P& p, E x, E) { return p.Multiply(x, p.Power(x, -1)); },
       [](Real x, Real) { return x * (1 / x); }},
      {"sqrt(x^2)", [](P& p, E x, E) { return p.Sqrt(p.Power(x, 2)); },
       [](Real x, Real) { return std::sqrt(x * x); }},
      {"sqrt(x)^2", [](P& p, E x, E) { return p.Power(p.Sqrt(x), 2); },
       [](Real x, Real) { return std::sqrt(x) * std::sqrt(x); }},
      {"(x^2)^0.5", [](P& p, E x, E) { return p.Power(p.Power(x, 2), 0.5); },
       [](Real x, Real) { return std::pow(x * x, 0.5L); }},
      {"x*y/y", [](P& p, E x, E y) { return p.Divide(p.Multiply(x, y), y); },
       [](Real x, Real y) { return x * y / y; }},
      {"log(exp(x))", [](P& p, E x, E) { return p.Log(p.Exp(x)); },
       [](Real x, Real) { return std::log(std::exp(x)); }},
      {"1e+300*(1e+300*x)", [n](P& p, E x, E) { return p.Multiply(p.Multiply(n(p, 1e300), x), n(p, 1e300)); },
       [](Real x, Real) { return 1e300L * x * 1e300L; }},
      {"1e-200*(1e-200*x)",
       [n](P& p, E x, E) { return p.Multiply(n(p, 1e-200), p.Multiply(n(p, 1e-200), x)); },
       [](Real x, Real) { return 1e-200L * x * 1e-200L; }},
      {"1e+308*x + 1.7e+308*x",
       [n](P& p, E x, E) { return p.Add(p.Multiply(n(p, 1e308), x), p.Multiply(n(p, 1.7e308), x)); },
       [](Real x, Real) { return 1e308L * x + 1.7e308L * x; }},
      {"2*(x + y)", [n](P& p, E x, E y) { return p.Multiply(n(p, 2), p.Add(x, y)); },
       [](Real x, Real y) { return 2 * (x + y); }},
      {"2*(x/2)", [n](P& p, E x, E) { return p.Multiply(n(p, 2), p.Divide(x, n(p, 2))); },
       [](Real x, Real) { return x; }},
  };
}

TEST(Rewrite, FormAndValueAtSpecialPoints) {
  ExprPool pool;
  const SymbolId x = pool.DeclareSymbol("x"), y = pool.DeclareSymbol("y");
  const std::vector<Real> points = {0, 1,  -1,    0.5,    -0.5,    0.7,     -0.7,
                                    2, -3, 12.25, 1e300L, -1e300L, 1e-300L, -1e-300L};
  int compared = 0;
  for (const Rewrite& rewrite : Rewrites()) {
    const ExprId id = rewrite.build(pool, pool.Symbol(x), pool.Symbol(y));
    EXPECT_EQ(PrintText(pool, id), rewrite.expected);
    EXPECT_EQ(CheckExpr(pool, id), std::nullopt);
    for (Real a : points) {
      for (Real b : points) {
        const Real direct = rewrite.value(a, b);
        if (!std::isfinite(direct)) continue;
        const Real value = Evaluate(pool, id, {{x, a}, {y, b}});
        // Constants such as 1e-3 are doubles, so 1e-15 is what can be asked.
        EXPECT_NEAR(static_cast<double>(value / (direct == 0 ? 1 : direct)), direct == 0 ? 0 : 1, 1e-15)
            << rewrite.expected << " at " << static_cast<double>(a) << ", " << static_cast<double>(b);
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 10000);
}

TEST(Rewrite, RandomTreesKeepTheirValue) {
  ExprPool pool;
  const std::vector<SymbolId> names = {pool.DeclareSymbol("a"), pool.DeclareSymbol("b"),
                                       pool.DeclareSymbol("c")};
  std::vector<ExprId> symbols;
  for (SymbolId name : names) symbols.push_back(pool.Symbol(name));
  const std::vector<Values> points = {{0, 1, -1},
                                      {0.5L, -0.5L, 2},
                                      {1, 1, 1},
                                      {-1, 0, 3},
                                      {0.3125L, 0.71875L, -1.90625L},
                                      {-2.5L, 0.25L, 0.125L}};
  RandomTree random(12345, 3, false);
  int compared = 0;
  for (int k = 0; k < 6000; ++k) {
    const Tree tree = random.Real(1 + k % 5);
    const ExprId id = Build(pool, tree, symbols);
    ASSERT_EQ(CheckExpr(pool, id), std::nullopt);
    for (const Values& values : points) {
      long double size = 1;
      const long double direct = Evaluate(tree, values, size);
      if (!std::isfinite(size) || size > 1e6L) continue;
      const long double value =
          Evaluate(pool, id, {{names[0], values[0]}, {names[1], values[1]}, {names[2], values[2]}});
      const long double error = std::fabs(value - direct);
      if (error <= 1e-9L * size) {
        ++compared;
        continue;
      }
      // Rounding may decide a comparison or a floor the other way; then a small shift of the point must do so
      // too.
      bool at_a_switch = false;
      for (long double shift : {1e-7L, -1e-7L, 3e-7L}) {
        long double ignored = 1;
        Values moved = values;
        for (size_t v = 0; v < 3; ++v) moved[v] += shift * static_cast<long double>(v + 1);
        const long double there = Evaluate(tree, moved, ignored);
        at_a_switch |= !(std::fabs(there - direct) <= 1e-3L * size);
      }
      EXPECT_TRUE(at_a_switch) << PrintText(pool, id) << ": " << static_cast<double>(value) << " instead of "
                               << static_cast<double>(direct);
    }
  }
  EXPECT_GT(compared, 12000);
}

}  // namespace
}  // namespace cotree::test

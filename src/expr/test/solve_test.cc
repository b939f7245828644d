// SPDX-License-Identifier: Apache-2.0
#include "expr/solve.h"

#include <gtest/gtest.h>

#include <cmath>

#include "expr/dependence.h"
#include "expr/evaluate.h"
#include "expr/evaluate_field.h"
#include "expr/linear.h"
#include "expr/print_text.h"
#include "expr/substitute.h"

namespace cotree {
namespace {

class SolveTest : public ::testing::Test {
 protected:
  /// "value | conditions | flags" of lhs = rhs for x.
  std::string Solve(ExprId lhs, ExprId rhs) {
    const auto solution = SolveFor(pool, pool.Subtract(lhs, rhs), name);
    if (!solution) return "none";
    EXPECT_FALSE(DependsOn(pool, solution->value, name));
    std::string text = PrintText(pool, solution->value);
    for (const SolveCondition& c : solution->conditions) text += " | " + DescribeCondition(pool, c);
    if (!solution->unique) text += " | not unique";
    return text;
  }

  ExprPool pool;
  SymbolId name = pool.DeclareSymbol("x");
  ExprId x = pool.Symbol(name), a = pool.Symbol("a"), b = pool.Symbol("b"), y = pool.Symbol("y");
};

TEST_F(SolveTest, LinearEquations) {
  EXPECT_EQ(Solve(pool.Multiply(a, x), y), "y/a | coefficient a must not be zero");
  EXPECT_EQ(Solve(pool.Add(x, a), y), "y - a");
  EXPECT_EQ(Solve(y, pool.Subtract(a, x)), "a - y");
  EXPECT_EQ(Solve(pool.Multiply(pool.Number(2), x), y), "y/2");
  EXPECT_EQ(Solve(pool.Add(pool.Multiply(a, x), pool.Multiply(b, x)), y),
            "y/(a + b) | coefficient a + b must not be zero");
  EXPECT_EQ(Solve(pool.Multiply(a, pool.Add(x, b)), y), "(y - a*b)/a | coefficient a must not be zero");
  EXPECT_EQ(Solve(pool.Divide(pool.Add(x, b), a), y), "(y - b/a)/(1/a) | coefficient 1/a must not be zero");
  EXPECT_EQ(Solve(pool.Multiply(a, x), pool.Zero()), "0 | coefficient a must not be zero");
  EXPECT_EQ(Solve(a, y), "none");
  EXPECT_EQ(Solve(pool.Subtract(x, x), y), "none");
}

TEST_F(SolveTest, ChainsOfOnePlaceOperations) {
  EXPECT_EQ(Solve(pool.Exp(x), y), "log(y) | argument y must be positive");
  EXPECT_EQ(Solve(pool.Log(pool.Add(x, a)), y), "exp(y) - a");
  EXPECT_EQ(Solve(pool.Sqrt(x), y), "y^2 | argument y must not be negative");
  EXPECT_EQ(Solve(pool.Sqrt(x), pool.Number(-1)), "none");
  EXPECT_EQ(Solve(pool.Sqrt(x), pool.Number(3)), "9");
  EXPECT_EQ(Solve(pool.Power(x, 3), y), "abs(y)^(1/3)*sign(y)");
  EXPECT_EQ(Solve(pool.Power(x, 2), y), "sqrt(y) | argument y must not be negative | not unique");
  EXPECT_EQ(Solve(pool.Divide(a, x), y),
            "a/y | coefficient a must not be zero | coefficient y must not be zero");
  EXPECT_EQ(Solve(pool.Sin(x), y), "asin(y) | argument 1 - abs(y) must not be negative | not unique");
  EXPECT_EQ(Solve(pool.Unary(Op::kTanh, x), y),
            "log((y + 1)/(1 - y))/2 | argument 1 - abs(y) must be positive");
  EXPECT_EQ(Solve(pool.Multiply(a, pool.Exp(pool.Divide(x, b))), y),
            "b*log(y/a) | coefficient a must not be zero | argument y/a must be positive | coefficient b "
            "must not be zero");
  EXPECT_EQ(Solve(pool.Call("noevent", {pool.Exp(x)}), y), "log(y) | argument y must be positive");
  EXPECT_EQ(Solve(pool.Call("table", {x}), y), "none");
  EXPECT_EQ(Solve(pool.Add(x, pool.Sin(x)), y), "none");
}

TEST_F(SolveTest, QuotientWithTheUnknownOnBothSides) {
  const ExprId quotient = pool.Divide(pool.Add(pool.Multiply(a, x), b), pool.Add(x, pool.One()));
  const auto solution = SolveFor(pool, pool.Subtract(quotient, y), name);
  ASSERT_TRUE(solution.has_value());
  const ExprId back = Substitute(pool, pool.Subtract(quotient, y), name, solution->value);
  EXPECT_TRUE(AreProbablyEqual(pool, back, pool.Zero())) << PrintText(pool, solution->value);
  EXPECT_GE(solution->conditions.size(), 2u);
}

TEST_F(SolveTest, RoundTrips) {
  // f(x0) = y0, then the solution of f(x) = y at y0 is x0 again.
  const std::vector<Op> invertible = {Op::kExp,  Op::kLog,  Op::kLog10, Op::kSqrt, Op::kAsin,
                                      Op::kAcos, Op::kAtan, Op::kSinh,  Op::kTanh, Op::kSin,
                                      Op::kTan,  Op::kCosh, Op::kAbs};
  int solved = 0;
  for (Op outer : invertible) {
    for (Op inner : invertible) {
      const ExprId f =
          pool.Add(pool.Multiply(pool.Number(1.5),
                                 pool.Unary(outer, pool.Divide(pool.Unary(inner, x), pool.Number(2)))),
                   a);
      const auto solution = SolveFor(pool, pool.Subtract(f, y), name);
      ASSERT_TRUE(solution.has_value()) << OpName(outer) << OpName(inner);
      Environment<double> e;
      SetValue(e, name, 0.4);
      SetValue(e, pool.SymbolOf(a), -0.3);
      const double value = EvaluateDouble(pool, f, e);
      if (!std::isfinite(value)) continue;
      SetValue(e, pool.SymbolOf(y), value);
      const double root = EvaluateDouble(pool, solution->value, e);
      if (solution->unique) {
        EXPECT_NEAR(root, 0.4, 1e-9) << PrintText(pool, f);
      } else {  // another one may come out, but it must be a solution, if its conditions hold
        SetValue(e, name, root);
        if (std::isfinite(root)) {
          EXPECT_NEAR(EvaluateDouble(pool, f, e), value, 1e-9) << PrintText(pool, f);
        }
      }
      for (const SolveCondition& c : solution->conditions) {
        const double v = EvaluateDouble(pool, c.expr, e);
        if (solution->unique && c.kind == SolveCondition::Kind::kPositive) {
          EXPECT_GT(v, 0) << DescribeCondition(pool, c);
        }
      }
      ++solved;
    }
  }
  EXPECT_GT(solved, 120);
}

TEST_F(SolveTest, LinearCoefficients) {
  const std::vector<SymbolId> unknowns = {name, pool.SymbolOf(y)};
  const auto describe = [&](ExprId f) {
    const LinearForm form = LinearCoefficients(pool, f, unknowns);
    if (!form.linear) return "not in " + std::string(pool.SymbolName(*form.nonlinear));
    return PrintText(pool, form.coefficients[0]) + ", " + PrintText(pool, form.coefficients[1]) + ", " +
           PrintText(pool, form.remainder);
  };
  EXPECT_EQ(describe(pool.Sum({pool.Multiply(a, x), pool.Negate(y), b})), "a, -1, b");
  EXPECT_EQ(describe(pool.Divide(pool.Add(x, pool.Multiply(a, y)), b)), "1/b, a/b, 0");
  EXPECT_EQ(describe(pool.If(pool.Less(a, b), x, pool.Add(y, a))),
            "if a < b then 1 else 0, if a < b then 0 else 1, if a < b then 0 else a");
  EXPECT_EQ(describe(pool.Multiply(x, y)), "not in x");
  EXPECT_EQ(describe(pool.Add(x, pool.Sin(y))), "not in y");
  EXPECT_EQ(describe(pool.Add(x, pool.Unary(Op::kFloor, y))), "not in y");
  EXPECT_EQ(describe(pool.If(pool.Less(x, b), pool.One(), pool.Number(2))), "not in x");
  EXPECT_EQ(describe(pool.Add(y, pool.Call("pre", {x}))), "0, 1, pre(x)");
  EXPECT_EQ(describe(pool.Add(y, pool.Call("delay", {x, a}))), "0, 1, delay(x, a)");
  EXPECT_EQ(describe(pool.Call("noevent", {pool.Multiply(a, x)})), "noevent(a), 0, 0");
  EXPECT_EQ(describe(a), "0, 0, a");
}

}  // namespace
}  // namespace cotree

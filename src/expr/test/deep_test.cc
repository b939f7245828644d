// SPDX-License-Identifier: Apache-2.0
// Depth costs no stack, sharing no time: chains 100,000 deep through every pass, and shared expressions
// counted.
#include <gtest/gtest.h>

#include <cmath>

#include "expr/check_expr.h"
#include "expr/dependence.h"
#include "expr/differentiate.h"
#include "expr/evaluate.h"
#include "expr/evaluate_field.h"
#include "expr/jacobian.h"
#include "expr/linear.h"
#include "expr/print_c.h"
#include "expr/print_latex.h"
#include "expr/print_mathml.h"
#include "expr/print_text.h"
#include "expr/solve.h"
#include "expr/substitute.h"

namespace cotree {
namespace {

constexpr int kDepth = 100000;

/// Several kinds of nodes a level.
ExprId Chain(ExprPool& pool, ExprId f, int depth) {
  for (int k = 0; k < depth; ++k) {
    switch (k % 5) {
      case 0:
        f = pool.Sin(f);
        break;
      case 1:
        f = pool.Add(pool.Multiply(f, pool.Symbol("p")), pool.Number(1));
        break;
      case 2:
        f = pool.Divide(f, pool.Number(3));
        break;
      case 3:
        f = pool.If(pool.Less(f, pool.Symbol("p")), f, pool.Symbol("p"));
        break;
      default:
        f = pool.Unary(Op::kAtan, f);
    }
  }
  return f;
}

TEST(Deep, EveryPassOnAChain) {
  ExprPool pool;
  const SymbolId x = pool.DeclareSymbol("x"), p = pool.DeclareSymbol("p");
  const ExprId f = Chain(pool, pool.Symbol(x), kDepth);
  EXPECT_EQ(CheckExpr(pool, f), std::nullopt);
  const ExprId derivative = Differentiate(pool, f, x);
  const ExprId rate = TimeDerivative(pool, f);
  const ExprId replaced = Substitute(pool, f, x, pool.Symbol("y"));
  EXPECT_EQ(replaced, Chain(pool, pool.Symbol("y"), kDepth));
  EXPECT_EQ(FindDependence(pool, f).size(), 2u);
  EXPECT_FALSE(LinearCoefficients(pool, f, std::span(&x, 1)).linear);
  EXPECT_EQ(Jacobian(pool, std::span(&f, 1), std::vector<ExprId>{pool.Symbol(x)}).at(0).value, derivative);
  Environment<Dual> environment;
  SetValue(environment, x, 0.3, 1);
  SetValue(environment, p, 0.9);
  EXPECT_TRUE(std::isfinite(EvaluateDual(pool, f, environment).value));
  EXPECT_TRUE(EvaluateField(pool, f, 1).defined);
  Environment<double> reals;
  SetValue(reals, x, 0.3);
  SetValue(reals, p, 0.9);
  SetValue(reals, pool.DeclareSymbol("x", 1), 1);
  SetValue(reals, pool.DeclareSymbol("p", 1), 0);
  EXPECT_NEAR(EvaluateDouble(pool, rate, reals), EvaluateDouble(pool, derivative, reals), 1e-12);
  const PrintOptions brief{.limit = 100000};
  EXPECT_LT(PrintText(pool, f, brief).size(), 110000u);
  EXPECT_TRUE(PrintText(pool, f, brief).ends_with("…"));
  EXPECT_GT(PrintLatex(pool, f, brief).size(), 100000u);
  EXPECT_GT(PrintMathml(pool, f, brief).size(), 100000u);
}

TEST(Deep, OneOperandChainsPrintAndSolveWhole) {
  ExprPool pool;
  const SymbolId x = pool.DeclareSymbol("x");
  ExprId f = pool.Symbol(x);
  for (int k = 0; k < kDepth; ++k) f = k % 2 == 0 ? pool.Exp(f) : pool.Unary(Op::kTanh, f);
  EXPECT_EQ(PrintText(pool, f).size(), 1u + kDepth / 2 * (5 + 6));
  EXPECT_EQ(PrintC(pool, f)->size(), 3u + kDepth / 2 * (5 + 6));
  const auto solution = SolveFor(pool, pool.Subtract(f, pool.Symbol("y")), x);
  ASSERT_TRUE(solution.has_value());
  EXPECT_TRUE(solution->unique);
}

TEST(Deep, DerivativeIsLinearInSharedNodes) {
  size_t made[3];
  int at = 0;
  for (int depth : {250, 500, 1000}) {
    ExprPool pool;
    const SymbolId x = pool.DeclareSymbol("x");
    ExprId f = pool.Symbol(x);
    for (int k = 0; k < depth; ++k) f = pool.Multiply(pool.Sin(f), f);
    const size_t before = pool.size();
    Differentiate(pool, f, x);
    made[at++] = pool.size() - before;
    EXPECT_LT(made[at - 1], 10u * before);
    EXPECT_EQ(pool.statistics().derivatives, 2u * static_cast<size_t>(depth));
  }
  EXPECT_LT(made[1], 2.1 * static_cast<double>(made[0]));
  EXPECT_LT(made[2], 2.1 * static_cast<double>(made[1]));
}

TEST(Deep, SquaringIsLinearToo) {
  ExprPool pool;
  const SymbolId x = pool.DeclareSymbol("x");
  ExprId f = pool.Add(pool.Symbol(x), pool.One());
  for (int k = 0; k < 1000; ++k) f = pool.Multiply(f, f);
  const size_t before = pool.size();
  Differentiate(pool, f, x);
  EXPECT_LT(pool.size() - before, 10 * before);
}

TEST(Deep, TextOfAnExponentialExpressionIsBounded) {
  ExprPool pool;
  ExprId f = pool.Symbol("x");
  for (int k = 0; k < 200; ++k) f = pool.Add(pool.Sin(f), pool.Cos(f));
  const std::string text = PrintText(pool, f, {.limit = 1000});
  EXPECT_LT(text.size(), 1100u);
  EXPECT_TRUE(text.ends_with("…"));
  EXPECT_LT(PrintMathml(pool, f, {.limit = 1000}).size(), 60000u);
}

TEST(Deep, LongSumsTwoAtATimeAndAtOnce) {
  ExprPool pool;
  std::vector<ExprId> terms, symbols;
  for (int k = 0; k < kDepth; ++k) {
    symbols.push_back(pool.Symbol("x" + std::to_string(k)));
    terms.push_back(pool.Multiply(pool.Number(k + 2), symbols.back()));
  }
  const size_t before = pool.size();
  const uint64_t calls = pool.statistics().constructed + pool.statistics().hits;
  ExprId chain = pool.Zero();
  for (ExprId term : terms) chain = pool.Add(chain, term);
  EXPECT_LE(pool.size() - before, static_cast<size_t>(kDepth));
  EXPECT_LE(pool.statistics().constructed + pool.statistics().hits - calls, 2u * kDepth);
  const ExprId sum = pool.Sum(terms);
  EXPECT_EQ(pool.operands(sum).size(), static_cast<size_t>(kDepth));
  const auto entries = Jacobian(pool, std::span(&chain, 1), symbols);  // swept backwards
  ASSERT_EQ(entries.size(), symbols.size());
  for (size_t k = 0; k < entries.size(); ++k)
    ASSERT_EQ(entries[k].value, pool.Number(static_cast<double>(k) + 2));
  Environment<double> environment;
  environment.scalars.assign(pool.symbol_count(), 1);
  const double expected = 0.5 * kDepth * (kDepth + 3.0);
  EXPECT_EQ(EvaluateDouble(pool, chain, environment), expected);
  EXPECT_EQ(EvaluateDouble(pool, sum, environment), expected);
}

TEST(Deep, LongProductHasALinearDerivative) {
  ExprPool pool;
  const SymbolId x = pool.DeclareSymbol("x");
  std::vector<ExprId> factors;
  for (int k = 0; k < 2000; ++k) factors.push_back(pool.Add(pool.Symbol(x), pool.Number(k + 1)));
  const ExprId product = pool.Product(factors);
  const size_t before = pool.size();
  const ExprId derivative = Differentiate(pool, product, x);
  EXPECT_LT(pool.size() - before, 8 * factors.size());
  const FieldElement p = EvaluateField(pool, product, 3), d = EvaluateField(pool, derivative, 3);
  FieldElement sum{};
  for (ExprId factor : factors) sum = sum + FieldElement{1, true} / EvaluateField(pool, factor, 3);
  EXPECT_EQ(d, p * sum);
}

}  // namespace
}  // namespace cotree

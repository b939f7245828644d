// SPDX-License-Identifier: Apache-2.0
#include "expr/expr_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "expr/check_expr.h"
#include "expr/differentiate.h"
#include "expr/print_text.h"
#include "expr/test/tree.h"

namespace cotree::test {
namespace {

TEST(ExprPool, EqualStructureIsEqualId) {
  ExprPool pool;
  const ExprId a = pool.Symbol("a"), b = pool.Symbol("b");
  EXPECT_EQ(pool.Add(a, b), pool.Add(b, a));
  EXPECT_EQ(pool.Multiply(a, b), pool.Multiply(b, a));
  EXPECT_NE(pool.Divide(a, b), pool.Divide(b, a));
  EXPECT_NE(pool.Symbol("a"), pool.Symbol("a", 1));
  EXPECT_EQ(pool.Number(0.0), pool.Number(-0.0));
  EXPECT_NE(pool.Boolean(true), pool.Number(1));
  const uint64_t hits = pool.statistics().hits, made = pool.statistics().constructed;
  pool.Sin(a);
  pool.Sin(a);
  EXPECT_EQ(pool.statistics().constructed, made + 1);
  EXPECT_EQ(pool.statistics().hits, hits + 1);
}

TEST(ExprPool, SumAndProductDoNotDependOnTheOrderOfBuilding) {
  for (uint64_t mask :
       {UINT64_MAX, uint64_t{7} << 16, uint64_t{0}}) {  // the last ones leave everything to Compare
    ExprPool pool(mask);
    std::vector<ExprId> parts = {pool.Symbol("a"),
                                 pool.Multiply(pool.Number(2), pool.Symbol("b")),
                                 pool.Sin(pool.Symbol("a")),
                                 pool.Multiply(pool.Symbol("a"), pool.Symbol("c", 1)),
                                 pool.Number(4),
                                 pool.Symbol("x[2]"),
                                 pool.Negate(pool.Symbol("x[10]")),
                                 pool.Power(pool.Symbol("b"), 2),
                                 pool.Divide(pool.Symbol("b"), pool.Symbol("a"))};
    const ExprId sum = pool.Sum(parts), product = pool.Product(parts);
    std::mt19937 random(5);
    for (int k = 0; k < 200; ++k) {
      std::shuffle(parts.begin(), parts.end(), random);
      ExprId s = pool.Zero(), p = pool.One();
      for (ExprId part : parts) {
        s = pool.Add(s, part);
        p = pool.Multiply(part, p);
      }
      ASSERT_EQ(s, sum);
      ASSERT_EQ(p, product);
      // In two groups.
      const std::span<const ExprId> all(parts);
      ASSERT_EQ(pool.Add(pool.Sum(all.first(4)), pool.Sum(all.subspan(4))), sum);
      ASSERT_EQ(pool.Multiply(pool.Product(all.first(5)), pool.Product(all.subspan(5))), product);
    }
    EXPECT_EQ(CheckExpr(pool, sum), std::nullopt);
    EXPECT_EQ(CheckExpr(pool, product), std::nullopt);
  }
}

TEST(ExprPool, CompareIsAStrictOrderThatIdsDoNotDecide) {
  for (int round = 0; round < 2; ++round) {
    ExprPool pool(round == 0 ? UINT64_MAX : 0);
    std::vector<std::string> names = {"a", "b", "c"};
    if (round == 1) std::reverse(names.begin(), names.end());
    for (const std::string& name : names) pool.Symbol(name);
    const std::vector<ExprId> symbols = {pool.Symbol("a"), pool.Symbol("b"), pool.Symbol("c")};
    RandomTree random(77, 3, false);
    std::vector<ExprId> all;
    for (int k = 0; k < 60; ++k) all.push_back(Build(pool, random.Real(2), symbols));
    std::sort(all.begin(), all.end(), [&](ExprId a, ExprId b) { return pool.Compare(a, b) < 0; });
    all.erase(std::unique(all.begin(), all.end()), all.end());
    for (ExprId a : all) {
      for (ExprId b : all) {
        EXPECT_EQ(pool.Compare(a, b) < 0, pool.Compare(b, a) > 0);
        EXPECT_EQ(pool.Compare(a, b) == 0, a == b);
      }
    }
  }
}

TEST(ExprPool, TextIsTheSameWhateverTheIds) {
  std::vector<std::string> texts[2];
  for (int round = 0; round < 2; ++round) {
    ExprPool pool;
    std::vector<std::string> names = {"alpha", "beta", "gamma", "delta"};
    if (round == 1) {
      std::reverse(names.begin(), names.end());
      for (int k = 0; k < 100; ++k) pool.Sin(pool.Symbol("unrelated" + std::to_string(k)));
    }
    for (const std::string& name : names) pool.Symbol(name);
    const std::vector<ExprId> symbols = {pool.Symbol("alpha"), pool.Symbol("beta"), pool.Symbol("gamma")};
    RandomTree random(99, 3, false);
    for (int k = 0; k < 500; ++k) {
      const ExprId id = Build(pool, random.Real(4), symbols);
      texts[round].push_back(PrintText(pool, id) + " | " +
                             PrintText(pool, Differentiate(pool, id, symbols[0])) + " | " +
                             PrintText(pool, TimeDerivative(pool, id)));
      // The stored order too, since it is the order of arithmetic.
      std::string stored;
      for (ExprId operand : pool.operands(id)) stored += PrintText(pool, operand) + ";";
      texts[round].push_back(stored);
    }
  }
  EXPECT_EQ(texts[0], texts[1]);
}

TEST(ExprPool, SymbolsHaveOrdersAndKinds) {
  ExprPool pool;
  const SymbolId x = pool.DeclareSymbol("x", SymbolKind::kInput);
  const SymbolId x2 = pool.SymbolOfOrder(x, 2);
  EXPECT_EQ(pool.symbol(x2).order, 2u);
  EXPECT_EQ(pool.symbol(x2).base, x);
  EXPECT_EQ(pool.kind(x2), SymbolKind::kInput);
  EXPECT_EQ(pool.SymbolName(x2), "x");
  EXPECT_EQ(pool.DeclareSymbol("x", 2), x2);
  EXPECT_EQ(pool.SymbolOfOrder(x2, 0), x);
  EXPECT_EQ(pool.FindSymbol("x", 1), pool.symbol(x).next);
  EXPECT_EQ(pool.FindSymbol("x", 3), std::nullopt);
  EXPECT_EQ(pool.FindSymbol("z"), std::nullopt);
  EXPECT_TRUE(pool.CompareSymbols(pool.DeclareSymbol("a[2]"), pool.DeclareSymbol("a[10]")) < 0);
  EXPECT_TRUE(pool.CompareSymbols(pool.DeclareSymbol("a[2].i"), pool.DeclareSymbol("a[2].v")) < 0);
}

TEST(ExprPool, ExactIntegersAreRecognised) {
  ExprPool pool;
  EXPECT_EQ(pool.AsInteger(pool.Number(-7)), -7);
  EXPECT_EQ(pool.AsInteger(pool.Number(0.5)), std::nullopt);
  EXPECT_EQ(pool.AsInteger(pool.Number(1e300)), std::nullopt);
  EXPECT_EQ(pool.AsInteger(pool.Symbol("x")), std::nullopt);
}

TEST(ExprPool, ExactlyOneOfXAndMinusXIsNegative) {
  ExprPool pool;
  const std::vector<ExprId> symbols = {pool.Symbol("a"), pool.Symbol("b"), pool.Symbol("c")};
  RandomTree random(4, 3, false);
  for (int k = 0; k < 3000; ++k) {
    const ExprId id = Build(pool, random.Real(3), symbols);
    const ExprId minus = pool.Negate(id);
    ASSERT_EQ(pool.Negate(minus), id) << PrintText(pool, id);
    if (!pool.IsZero(id)) {
      ASSERT_NE(pool.IsNegative(id), pool.IsNegative(minus)) << PrintText(pool, id);
    }
    ASSERT_TRUE(pool.IsZero(pool.Add(id, minus)) || pool.op(id) == Op::kAdd) << PrintText(pool, id);
    ASSERT_EQ(pool.Sin(minus), pool.Negate(pool.Sin(id)));
    ASSERT_EQ(pool.Cos(minus), pool.Cos(id));
  }
}

TEST(ExprPool, ElementsAndArrays) {
  ExprPool pool;
  const ExprId a = pool.Symbol("a"), b = pool.Symbol("b"), c = pool.Symbol("c"), d = pool.Symbol("d");
  const ExprId matrix = pool.Array({pool.Array({a, b}), pool.Array({c, d})});
  const ExprId k = pool.Symbol(pool.DeclareSymbol("k", SymbolKind::kIndex));
  EXPECT_EQ(pool.Element(matrix, {pool.Number(2), pool.Number(1)}), c);
  EXPECT_EQ(PrintText(pool, pool.Element(matrix, {k, pool.Number(1)})), "{{a, b}, {c, d}}[k, 1]");
  EXPECT_EQ(PrintText(pool, pool.Element(matrix, {pool.Number(3)})), "{{a, b}, {c, d}}[3]");
  EXPECT_EQ(pool.Element(pool.Number(4), {k}), pool.Number(4));
  EXPECT_EQ(pool.SumOver(pool.SymbolOf(k), pool.Number(2), pool.Number(1), a), pool.Zero());
  EXPECT_EQ(pool.SumOver(pool.SymbolOf(k), pool.Number(1), pool.Symbol("n"), pool.Zero()), pool.Zero());
}

}  // namespace
}  // namespace cotree::test

// SPDX-License-Identifier: Apache-2.0
#include "expr/evaluate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "expr/dependence.h"
#include "expr/evaluate_field.h"
#include "expr/power_chain.h"
#include "expr/print_text.h"
#include "expr/substitute.h"
#include "expr/test/tree.h"

namespace cotree::test {
namespace {

TEST(Evaluate, AgreesWithTheNaiveEvaluator) {
  ExprPool pool;
  const std::vector<SymbolId> names = {pool.DeclareSymbol("a"), pool.DeclareSymbol("b"),
                                       pool.DeclareSymbol("c")};
  const std::vector<ExprId> symbols = {pool.Symbol("a"), pool.Symbol("b"), pool.Symbol("c")};
  RandomTree random(31, 3, true);
  std::vector<Tree> trees;
  std::vector<ExprId> roots;
  for (int k = 0; k < 2000; ++k) {
    trees.push_back(random.Real(4));
    roots.push_back(Build(pool, trees.back(), symbols));
  }
  const Tape tape(pool, roots);  // all in one tape
  Environment<double> e;
  Workspace<double> workspace;
  std::vector<double> results(roots.size());
  int compared = 0;
  for (const Values& at : {Values{0.5L, -1.25L, 2}, Values{1, 0, -1}}) {
    for (size_t v = 0; v < 3; ++v) SetValue(e, names[v], static_cast<double>(at[v]));
    EvaluateDouble(tape, e, workspace, results);
    for (size_t k = 0; k < trees.size(); ++k) {
      long double size = 1;
      const long double direct = Evaluate(trees[k], at, size);
      if (!std::isfinite(size) || size > 1e6L) continue;
      EXPECT_NEAR(results[k], static_cast<double>(direct), 1e-7 * static_cast<double>(size))
          << PrintText(pool, roots[k]);
      ++compared;
    }
  }
  EXPECT_GT(compared, 2500);
}

TEST(Evaluate, MissingValuesAreNaN) {
  ExprPool pool;
  Environment<double> e;
  const ExprId x = pool.Symbol("x");
  EXPECT_TRUE(std::isnan(EvaluateDouble(pool, x, e)));
  EXPECT_TRUE(std::isnan(EvaluateDouble(pool, pool.Call("table", {pool.One()}), e)));
  EXPECT_TRUE(std::isnan(EvaluateDouble(pool, pool.Element(x, {pool.Number(0)}), e)));
  e.arrays.push_back({pool.SymbolOf(x), {2, 3}, {1, 2, 3, 4, 5, 6}});
  EXPECT_EQ(EvaluateDouble(pool, pool.Element(x, {pool.Number(2), pool.Number(1)}), e), 4);
  EXPECT_TRUE(std::isnan(EvaluateDouble(pool, pool.Element(x, {pool.Number(2), pool.Number(4)}), e)));
  e.call = [](std::string_view name, const FunctionInfo&, std::span<const double> a) {
    return name == "twice" ? 2 * a[0] : NAN;
  };
  EXPECT_EQ(EvaluateDouble(pool, pool.Call("twice", {pool.Number(21)}), e), 42);
}

TEST(Evaluate, SymbolicElementsNestedSumsAndTime) {
  ExprPool pool;
  const SymbolId i = pool.DeclareSymbol("i", SymbolKind::kIndex),
                 j = pool.DeclareSymbol("j", SymbolKind::kIndex);
  const ExprId literal = pool.Array({pool.Number(10), pool.Symbol("x"), pool.Time()});
  // sum over i of literal[i] * sum over j = 1..i of j
  const ExprId inner = pool.SumOver(j, pool.One(), pool.Symbol(i), pool.Symbol(j));
  const ExprId outer = pool.SumOver(i, pool.One(), pool.Number(3),
                                    pool.Multiply(pool.Element(literal, {pool.Symbol(i)}), inner));
  Environment<double> e;
  SetValue(e, pool.DeclareSymbol("x"), 7);
  e.time = 100;
  EXPECT_EQ(EvaluateDouble(pool, outer, e), 10 * 1 + 7 * 3 + 100 * 6);
}

TEST(Evaluate, PowerChainMatchesRepeatedMultiplication) {
  for (int n = -6; n <= 12; ++n) {
    double expected = 1;
    for (int k = 0; k < std::abs(n); ++k) expected *= 1.5;
    EXPECT_DOUBLE_EQ(PowerChain(1.5, n, 1.0), n < 0 ? 1 / expected : expected);
  }
}

TEST(Field, ArithmeticIsExact) {
  EXPECT_EQ(FieldOf(0.5) + FieldOf(0.5), FieldOf(1));
  EXPECT_EQ(FieldOf(1e300) * FieldOf(0.5), FieldOf(5e299));
  EXPECT_EQ(FieldOf(-3) + FieldOf(3), FieldOf(0));
  EXPECT_EQ(FieldOf(7) / FieldOf(3) * FieldOf(3), FieldOf(7));
  EXPECT_EQ(FieldOf(5e-324) * FieldOf(std::ldexp(1, 1000)), FieldOf(std::ldexp(1, -74)));
  EXPECT_FALSE((FieldOf(1) / FieldOf(0)).defined);
  EXPECT_NE(FieldOf(0.1) * FieldOf(10), FieldOf(1));  // 0.1 is not a tenth
  EXPECT_FALSE(FieldOf(INFINITY).defined);
}

TEST(Field, CanonicalFormAgreesWithTheUnsimplifiedOne) {
  // Two different ways to the same rational function: the canonical node, and the field operations along the
  // tree.
  ExprPool pool;
  const std::vector<ExprId> symbols = {pool.Symbol("a"), pool.Symbol("b"), pool.Symbol("c")};
  const std::function<FieldElement(const Tree&)> direct = [&](const Tree& tree) -> FieldElement {
    if (tree.op == Op::kNumber) return FieldOf(tree.number);
    if (tree.op == Op::kSymbol) return EvaluateField(pool, symbols[static_cast<size_t>(tree.symbol)], 9);
    std::vector<FieldElement> v;
    for (const Tree& operand : tree.operands) v.push_back(direct(operand));
    FieldElement result = v[0];
    if (tree.op == Op::kPower)
      return PowerChain<FieldElement>(v[0], static_cast<int64_t>(tree.operands[1].number), {1, true});
    for (size_t k = 1; k < v.size(); ++k)
      result = tree.op == Op::kAdd ? result + v[k] : tree.op == Op::kMultiply ? result * v[k] : result / v[k];
    return result;
  };
  const std::function<bool(const Tree&)> rational = [&](const Tree& tree) {
    if (IsUnaryFunction(tree.op)) return false;
    for (const Tree& operand : tree.operands)
      if (!rational(operand)) return false;
    return true;
  };
  RandomTree random(8, 3, true);
  int compared = 0;
  for (int k = 0; k < 5000; ++k) {
    const Tree tree = random.Real(4);
    if (!rational(tree)) continue;
    const ExprId id = Build(pool, tree, symbols);
    const FieldElement expected = direct(tree);
    if (!expected.defined) continue;
    EXPECT_EQ(EvaluateField(pool, id, 9), expected) << PrintText(pool, id);
    ++compared;
  }
  EXPECT_GT(compared, 500);
}

TEST(Substitute, IsSimultaneousAndKeepsWhatItDoesNotTouch) {
  ExprPool pool;
  const SymbolId x = pool.DeclareSymbol("x"), y = pool.DeclareSymbol("y");
  const ExprId f = pool.Subtract(pool.Symbol(x), pool.Sin(pool.Symbol(y)));
  const std::vector<Replacement> swap = {{x, pool.Symbol(y)}, {y, pool.Symbol(x)}};
  EXPECT_EQ(PrintText(pool, Substitute(pool, f, swap)), "y - sin(x)");
  const uint64_t before = pool.statistics().substitutions;
  EXPECT_EQ(Substitute(pool, f, pool.DeclareSymbol("z"), pool.One()), f);
  EXPECT_EQ(pool.statistics().substitutions, before);
  EXPECT_EQ(Substitute(pool, f, y, pool.Zero()), pool.Symbol(x));
  // der(x) is another symbol.
  EXPECT_EQ(Substitute(pool, pool.Symbol(x, 1), x, pool.One()), pool.Symbol(x, 1));
}

TEST(Substitute, DoesNotCaptureLoopVariables) {
  ExprPool pool;
  const SymbolId k = pool.DeclareSymbol("k", SymbolKind::kIndex), x = pool.DeclareSymbol("x");
  const ExprId sum =
      pool.SumOver(k, pool.One(), pool.Number(3), pool.Multiply(pool.Symbol(k), pool.Symbol(x)));
  EXPECT_EQ(Substitute(pool, sum, k, pool.Number(9)), sum);          // bound
  const ExprId replaced = Substitute(pool, sum, x, pool.Symbol(k));  // the k outside
  EXPECT_EQ(PrintText(pool, replaced), "sum(k*k_ for k_ in 1:3)");
  Environment<double> e;
  SetValue(e, k, 10);
  EXPECT_EQ(EvaluateDouble(pool, replaced, e), 60);
}

TEST(Dependence, HighestOrdersByName) {
  ExprPool pool;
  const SymbolId k = pool.DeclareSymbol("k", SymbolKind::kIndex);
  const ExprId f =
      pool.Sum({pool.Symbol("x[10]", 2), pool.Symbol("x[10]"), pool.Sin(pool.Symbol("x[2]", 1)),
                pool.Call("pre", {pool.Symbol("n")}), pool.Element(pool.Symbol("a"), {pool.Symbol(k)})});
  std::string text;
  for (const Dependence& d : FindDependence(pool, f))
    text += std::string(pool.SymbolName(d.base)) + ":" + std::to_string(d.order) + " ";
  EXPECT_EQ(text, "a:0 x[2]:1 x[10]:2 ");
  EXPECT_TRUE(DependsOn(pool, f, pool.DeclareSymbol("x[2]", 1)));
  EXPECT_FALSE(DependsOn(pool, f, pool.DeclareSymbol("x[2]")));
  EXPECT_FALSE(DependsOn(pool, f, pool.DeclareSymbol("n")));
}

}  // namespace
}  // namespace cotree::test

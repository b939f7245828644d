// SPDX-License-Identifier: Apache-2.0
#include "expr/differentiate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "expr/evaluate.h"
#include "expr/evaluate_field.h"
#include "expr/jacobian.h"
#include "expr/print_text.h"
#include "expr/test/tree.h"

namespace cotree::test {
namespace {

class DifferentiateTest : public ::testing::Test {
 protected:
  std::string Partial(ExprId f, std::string_view name) {
    return PrintText(pool, Differentiate(pool, f, pool.Symbol(name)));
  }
  std::string Rate(ExprId f) { return PrintText(pool, TimeDerivative(pool, f)); }

  ExprPool pool;
  ExprId x = pool.Symbol("x"), y = pool.Symbol("y"), z = pool.Symbol("z");
};

TEST_F(DifferentiateTest, KnownForms) {
  EXPECT_EQ(Partial(pool.Power(x, 3), "x"), "3*x^2");
  EXPECT_EQ(Partial(pool.Multiply(x, y), "x"), "y");
  EXPECT_EQ(Partial(pool.Divide(x, y), "x"), "1/y");
  EXPECT_EQ(Partial(pool.Divide(x, y), "y"), "-x/y^2");
  EXPECT_EQ(Partial(pool.Sin(pool.Power(x, 2)), "x"), "2*x*cos(x^2)");
  EXPECT_EQ(Partial(pool.Sqrt(x), "x"), "1/(2*sqrt(x))");
  EXPECT_EQ(Partial(pool.Power(x, y), "y"), "x^y*log(x)");
  EXPECT_EQ(Partial(pool.Power(x, y), "x"), "x^(y - 1)*y");
  EXPECT_EQ(Partial(pool.Abs(x), "x"), "sign(x)");
  EXPECT_EQ(Partial(pool.If(pool.Less(x, y), pool.Power(x, 2), y), "x"), "if x < y then 2*x else 0");
  EXPECT_EQ(Partial(pool.Binary(Op::kMax, x, y), "y"), "if y < x then 0 else 1");
  EXPECT_EQ(Partial(pool.Call("table", {x, y}), "y"), "partial(table(x, y), 0, 1)");
  EXPECT_EQ(Partial(pool.Unary(Op::kFloor, x), "x"), "0");
}

TEST_F(DifferentiateTest, TimeDerivativesRaiseTheOrderOfWhatVaries) {
  const ExprId r = pool.Symbol(pool.DeclareSymbol("R", SymbolKind::kParameter));
  const ExprId l = pool.Symbol(pool.DeclareSymbol("L", SymbolKind::kParameter));
  const ExprId i = pool.Symbol("i"), di = pool.Symbol("i", 1);
  const ExprId v = pool.Add(pool.Multiply(r, i), pool.Multiply(l, di));
  EXPECT_EQ(PrintText(pool, v), "R*i + L*der(i)");
  EXPECT_EQ(Rate(v), "R*der(i) + L*der(der(i))");
  EXPECT_EQ(PrintText(pool, TimeDerivative(pool, i, 3)), "der(der(der(i)))");
  EXPECT_EQ(Rate(pool.Multiply(pool.Time(), x)), "x + der(x)*time");
  EXPECT_EQ(Rate(pool.Symbol(pool.DeclareSymbol("u", SymbolKind::kInput))), "der(u)");
  EXPECT_EQ(Rate(pool.Symbol(pool.DeclareSymbol("n", SymbolKind::kDiscrete))), "0");
  EXPECT_EQ(Rate(pool.Call("pre", {x})), "0");
  EXPECT_EQ(Rate(pool.Call("delay", {pool.Power(x, 2), r})), "delay(2*x*der(x), R, 0)");
  EXPECT_EQ(Rate(pool.Call("delay", {r, l})), "0");
  EXPECT_EQ(PrintText(pool, Differentiate(pool, pool.Call("delay", {x, r}), pool.SymbolOf(x))), "0");
  EXPECT_EQ(Rate(pool.Call("noevent", {pool.Sin(x)})), "noevent(der(x)*cos(x))");
  EXPECT_EQ(Rate(pool.Call("smooth", {pool.Number(2), pool.Power(x, 2)})), "smooth(1, 2*x*der(x))");
}

TEST_F(DifferentiateTest, ArraysAndLoopsAreNotUnrolled) {
  const SymbolId k = pool.DeclareSymbol("k", SymbolKind::kIndex);
  const ExprId a = pool.Symbol(pool.DeclareSymbol("a", SymbolKind::kParameter)),
               n = pool.Symbol(pool.DeclareSymbol("n", SymbolKind::kParameter));
  const ExprId xk = pool.Element(x, {pool.Symbol(k)});
  const ExprId sum =
      pool.SumOver(k, pool.One(), n, pool.Multiply(pool.Element(a, {pool.Symbol(k)}), pool.Power(xk, 2)));
  EXPECT_EQ(PrintText(pool, sum), "sum(a[k]*x[k]^2 for k in 1:n)");
  EXPECT_EQ(Rate(sum), "sum(2*a[k]*x[k]*der(x[k]) for k in 1:n)");
  const ExprId x3 = pool.Element(x, {pool.Number(3)});
  EXPECT_EQ(PrintText(pool, Differentiate(pool, x3, x3)), "1");
  EXPECT_EQ(PrintText(pool, Differentiate(pool, pool.Element(x, {pool.Number(4)}), x3)), "0");
  const ExprId d = Differentiate(pool, sum, x3);
  EXPECT_EQ(PrintText(pool, d), "sum(2*a[k]*x[k]*(if k == 3 then 1 else 0) for k in 1:n)");
  Environment<double> e;
  SetValue(e, pool.SymbolOf(n), 4);
  e.arrays.push_back({pool.SymbolOf(a), {4}, {1, 2, 3, 4}});
  e.arrays.push_back({pool.SymbolOf(x), {4}, {5, 6, 7, 8}});
  EXPECT_EQ(EvaluateDouble(pool, sum, e), 25 + 2 * 36 + 3 * 49 + 4 * 64);
  EXPECT_EQ(EvaluateDouble(pool, d, e), 2 * 3 * 7);
  const auto entries = Jacobian(pool, std::span(&sum, 1), std::span(&x3, 1));
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].value, d);
}

TEST_F(DifferentiateTest, AgreesWithDualNumbersAndFiniteDifferences) {
  const std::vector<SymbolId> names = {pool.DeclareSymbol("x"), pool.DeclareSymbol("y"),
                                       pool.DeclareSymbol("z")};
  const std::vector<ExprId> symbols = {x, y, z};
  RandomTree random(2024, 3, true);
  int compared = 0;
  for (int k = 0; k < 3000; ++k) {
    const Tree tree = random.Real(1 + k % 5);
    const ExprId f = Build(pool, tree, symbols);
    const double at[3] = {0.7, -1.3, 0.4};
    for (size_t s = 0; s < 3; ++s) {
      const ExprId df = Differentiate(pool, f, names[s]);
      Environment<Dual> duals;
      Environment<double> reals;
      for (size_t v = 0; v < 3; ++v) {
        SetValue(duals, names[v], at[v], v == s ? 1 : 0);
        SetValue(reals, names[v], at[v]);
      }
      const double symbolic = EvaluateDouble(pool, df, reals);
      const Dual dual = EvaluateDual(pool, f, duals);
      long double size = 1;
      Values values = {at[0], at[1], at[2]};
      const long double h = 1e-6L;
      values[s] += h;
      const long double above = Evaluate(tree, values, size);
      values[s] -= 2 * h;
      const long double below = Evaluate(tree, values, size);
      if (!std::isfinite(size) || size > 1e3L) continue;
      const double difference = static_cast<double>((above - below) / (2 * h));
      const double tolerance = 1e-4 * (1 + std::fabs(difference)) * static_cast<double>(size);
      EXPECT_NEAR(symbolic, dual.tangent, 1e-9 * (1 + std::fabs(symbolic))) << PrintText(pool, f);
      EXPECT_NEAR(symbolic, difference, tolerance) << PrintText(pool, f);
      ++compared;
    }
  }
  EXPECT_GT(compared, 5000);
}

TEST_F(DifferentiateTest, EveryFunctionAgreesWithItsFiniteDifference) {
  for (int op = static_cast<int>(Op::kSin); op <= static_cast<int>(Op::kMod); ++op) {
    const Op kind = static_cast<Op>(op);
    for (double at : {0.3, 0.45, 0.8}) {
      const ExprId f = IsUnaryFunction(kind) ? pool.Unary(kind, x)
                                             : pool.Binary(kind, x, pool.Subtract(pool.Number(0.61), x));
      Environment<double> e;
      const SymbolId name = pool.SymbolOf(x);
      SetValue(e, name, at + 1e-6);
      const double above = EvaluateDouble(pool, f, e);
      SetValue(e, name, at - 1e-6);
      const double below = EvaluateDouble(pool, f, e);
      SetValue(e, name, at);
      const double symbolic = EvaluateDouble(pool, Differentiate(pool, f, x), e);
      Environment<Dual> d;
      SetValue(d, name, at, 1);
      EXPECT_NEAR(symbolic, (above - below) / 2e-6, 1e-7 * (1 + std::fabs(symbolic)))
          << OpName(kind) << " at " << at;
      EXPECT_NEAR(symbolic, EvaluateDual(pool, f, d).tangent, 1e-12) << OpName(kind) << " at " << at;
    }
  }
}

TEST_F(DifferentiateTest, BothSweepsOfTheJacobianAgree) {
  // One row with very many columns is swept backwards; the same row cut up goes forwards.
  std::vector<ExprId> columns, terms;
  for (int k = 0; k < 300; ++k) columns.push_back(pool.Symbol("q" + std::to_string(k)));
  for (size_t k = 0; k + 2 < columns.size(); ++k) {
    const ExprId a = columns[k], b = columns[k + 1], c = columns[k + 2];
    terms.push_back(
        pool.Divide(pool.Multiply(a, pool.Sin(pool.Multiply(b, c))), pool.Add(pool.Power(c, 2), pool.One())));
    terms.push_back(pool.If(pool.Less(a, b), pool.Exp(c), pool.Binary(Op::kAtan2, a, c)));
  }
  const ExprId row = pool.Sum(terms);
  const auto entries = Jacobian(pool, std::span(&row, 1), columns);
  ASSERT_EQ(entries.size(), columns.size());
  Environment<double> e;
  for (size_t k = 0; k < columns.size(); ++k)
    SetValue(e, pool.SymbolOf(columns[k]), 0.1 + 0.7 * static_cast<double>(k % 7));
  for (const JacobianEntry& entry : entries) {
    const double forward = EvaluateDouble(pool, Differentiate(pool, row, columns[entry.column]), e);
    EXPECT_NEAR(EvaluateDouble(pool, entry.value, e), forward, 1e-12 * (1 + std::fabs(forward)));
  }
}

TEST_F(DifferentiateTest, SparseJacobianIsSortedAndHoldsNoZero) {
  const std::vector<ExprId> rows = {pool.Multiply(x, y), pool.Number(3), pool.Subtract(z, pool.Power(x, 2))};
  const std::vector<ExprId> columns = {z, x, y};
  std::string text;
  for (const JacobianEntry& e : Jacobian(pool, rows, columns))
    text += std::to_string(e.row) + "," + std::to_string(e.column) + ":" + PrintText(pool, e.value) + " ";
  EXPECT_EQ(text, "0,1:y 0,2:x 2,0:1 2,1:-2*x ");
}

TEST_F(DifferentiateTest, ProductRuleHoldsInTheField) {
  const ExprId f = pool.Divide(pool.Add(pool.Power(x, 3), y), pool.Subtract(x, z)),
               g = pool.Sin(pool.Multiply(x, y));
  const ExprId direct = Differentiate(pool, pool.Multiply(f, g), x);
  const ExprId rule =
      pool.Add(pool.Multiply(Differentiate(pool, f, x), g), pool.Multiply(f, Differentiate(pool, g, x)));
  EXPECT_TRUE(AreProbablyEqual(pool, direct, rule));
  EXPECT_FALSE(AreProbablyEqual(pool, direct, pool.Add(rule, pool.Number(1e-9))));
  const ExprId expanded =
      pool.Add(pool.Add(pool.Power(x, 2), pool.Product({pool.Number(2), x, y})), pool.Power(y, 2));
  EXPECT_TRUE(AreProbablyEqual(pool, pool.Power(pool.Add(x, y), 2), expanded));
}

}  // namespace
}  // namespace cotree::test

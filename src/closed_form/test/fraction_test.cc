// SPDX-License-Identifier: Apache-2.0
#include "closed_form/fraction.h"

#include <gtest/gtest.h>

#include <random>

#include "expr/evaluate.h"
#include "expr/print_text.h"
#include "expr/substitute.h"

namespace cotree {
namespace {

class Fractions : public testing::Test {
 protected:
  ExprId Parameter(const char* name) { return pool.Symbol(pool.DeclareSymbol(name, SymbolKind::kParameter)); }
  std::string Short(ExprId e) { return PrintText(pool, Shorten(pool, e)); }
  bool Equal(ExprId one, ExprId other) {
    const ExprId difference = pool.Subtract(one, other);
    FractionField field(pool, std::span(&difference, 1));
    const auto fraction = field.Convert(difference);
    return fraction && fraction->numerator.IsZero();
  }

  ExprPool pool;
  ExprId x = pool.Symbol("x"), y = pool.Symbol("y");
  ExprId a = Parameter("a"), b = Parameter("b"), c = Parameter("c");
};

TEST_F(Fractions, IdentitiesOfSinesAndCosines) {
  const ExprId sx = pool.Sin(x), cx = pool.Cos(x), sy = pool.Sin(y), cy = pool.Cos(y);
  EXPECT_TRUE(Equal(pool.Add(pool.Power(sx, 2), pool.Power(cx, 2)), pool.One()));
  EXPECT_TRUE(Equal(pool.Cos(pool.Add(x, y)), pool.Subtract(pool.Multiply(cx, cy), pool.Multiply(sx, sy))));
  EXPECT_TRUE(Equal(
      pool.Sin(pool.Multiply(pool.Number(3), x)),
      pool.Subtract(pool.Multiply(pool.Number(3), sx), pool.Multiply(pool.Number(4), pool.Power(sx, 3)))));
  EXPECT_FALSE(Equal(pool.Cos(pool.Add(x, y)), pool.Add(pool.Multiply(cx, cy), pool.Multiply(sx, sy))));
  // Written as one would: the sum of the angles.
  EXPECT_EQ(Short(pool.Subtract(pool.Multiply(cx, cy), pool.Multiply(sx, sy))), "cos(x + y)");
  EXPECT_EQ(Short(pool.Subtract(pool.One(), pool.Power(sx, 2))), "cos(x)^2");
}

TEST_F(Fractions, CommonFactorsGo) {
  // (a x + b x)/(a + b) is x; a parameter that may be zero is cancelled, for people.
  EXPECT_EQ(Short(pool.Divide(pool.Add(pool.Multiply(a, x), pool.Multiply(b, x)), pool.Add(a, b))), "x");
  EXPECT_EQ(Short(pool.Divide(pool.Divide(a, b), pool.Divide(c, b))), "a/c");
  EXPECT_EQ(Short(pool.Add(pool.Multiply(a, pool.Multiply(b, x)), pool.Multiply(a, pool.Multiply(b, y)))),
            "a*b*(x + y)");
  // Signs that cancel.
  EXPECT_EQ(Short(pool.Negate(pool.Multiply(a, pool.Divide(b, pool.Subtract(pool.Negate(a), c))))),
            "a*b/(a + c)");
}

TEST_F(Fractions, NumbersAreDecimals) {
  // 0.1 + 0.2 - 0.3 is nothing.
  const ExprId sum = pool.Sum({pool.Multiply(pool.Number(0.1), x), pool.Multiply(pool.Number(0.2), y),
                               pool.Multiply(pool.Number(-0.3), pool.Symbol("z"))});
  const ExprId put = Substitute(pool, sum, {{{pool.SymbolOf(y), x}, {*pool.FindSymbol("z"), x}}});
  FractionField field(pool, std::span(&put, 1));
  EXPECT_TRUE(pool.IsZero(put) || field.Convert(put)->numerator.IsZero() ||
              std::fabs(pool.NumberValue(pool.operand(put, 0))) < 1e-16);
  const Ring ring(1);
  for (const double v : {0.1, 1e-300, 123456.789, -2.5e7, 3.0}) {
    const auto p = Polynomial::Decimal(ring, v);
    EXPECT_EQ(p->Terms()[0].coefficient, v);
  }
  EXPECT_EQ(Polynomial::Decimal(ring, HUGE_VAL), nullptr);
}

TEST_F(Fractions, CramersRule) {
  // A x = r for random 4x4 of letters: A times the solution is r.
  std::vector<std::vector<ExprId>> m(4);
  std::vector<ExprId> right, all;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      m[static_cast<size_t>(i)].push_back(i == j || (i + j) % 3 == 0
                                              ? Parameter(("m" + std::to_string(4 * i + j)).c_str())
                                              : pool.Number(i - j));
      all.push_back(m[static_cast<size_t>(i)].back());
    }
    right.push_back(pool.Symbol("r" + std::to_string(i)));
    all.push_back(right.back());
  }
  FractionField field(pool, all);
  std::vector<std::vector<Fraction>> matrix(4);
  std::vector<Fraction> r;
  for (size_t i = 0; i < 4; ++i) {
    for (const ExprId entry : m[i]) matrix[i].push_back(*field.Convert(entry));
    r.push_back(*field.Convert(right[i]));
  }
  const std::vector<Fraction> solution = field.Solve(matrix, r);
  ASSERT_EQ(solution.size(), 4u);
  for (size_t i = 0; i < 4; ++i) {
    Fraction sum = field.Negate(r[i]);
    for (size_t j = 0; j < 4; ++j) sum = *field.Add(sum, *field.Multiply(matrix[i][j], solution[j]));
    EXPECT_TRUE(sum.numerator.IsZero()) << i;
  }
  // A singular matrix has none.
  matrix[1] = matrix[0];
  EXPECT_TRUE(field.Solve(matrix, r).empty());
}

// Whatever way is taken to write it, an expression keeps its value.
TEST_F(Fractions, ShorteningKeepsTheValue) {
  std::mt19937 random(3);
  const std::vector<ExprId> leaves{
      x, y, a, b, c, pool.Sin(x), pool.Cos(x), pool.Cos(pool.Add(x, y)), pool.Number(2), pool.Number(0.25)};
  for (int round = 0; round < 300; ++round) {
    std::vector<ExprId> made = leaves;
    for (int k = 0; k < 9; ++k) {
      const ExprId l = made[random() % made.size()], r = made[random() % made.size()];
      switch (random() % 4) {
        case 0:
          made.push_back(pool.Add(l, r));
          break;
        case 1:
          made.push_back(pool.Subtract(l, r));
          break;
        case 2:
          made.push_back(pool.Multiply(l, r));
          break;
        default:
          made.push_back(pool.Divide(l, pool.Add(pool.Number(3), pool.Power(r, 2))));
      }
    }
    const ExprId before = made.back(), after = Shorten(pool, before);
    EXPECT_LE(CostOf(pool, after), CostOf(pool, before));
    Environment<double> environment;
    for (const auto& [symbol, value] : {std::pair(x, 0.3), {y, -1.1}, {a, 1.7}, {b, 0.6}, {c, 2.3}})
      SetValue(environment, pool.SymbolOf(symbol), value);
    const double u = EvaluateDouble(pool, before, environment), v = EvaluateDouble(pool, after, environment);
    EXPECT_NEAR(u, v, 1e-10 * (1 + std::fabs(u))) << PrintText(pool, before) << "\n"
                                                  << PrintText(pool, after);
  }
}

TEST_F(Fractions, TooLargeIsSaid) {
  // (a + b + c + x + y)^24 has 20475 terms.
  const ExprId big = pool.Power(pool.Sum({a, b, c, x, y}), 24);
  FractionField field(pool, std::span(&big, 1));
  EXPECT_FALSE(field.Convert(big).has_value());
  EXPECT_EQ(Shorten(pool, big), big);
}

}  // namespace
}  // namespace cotree

// SPDX-License-Identifier: Apache-2.0
#include "units/rational.h"

#include <gtest/gtest.h>

#include <random>

namespace cotree {
namespace {

TEST(Rational, IsAlwaysInLowestTerms) {
  EXPECT_EQ(Rational::Make(6, -4)->num, -3);
  EXPECT_EQ(Rational::Make(6, -4)->den, 2);
  EXPECT_EQ(*Rational::Make(0, -7), Rational(0));
  EXPECT_EQ(Rational::Make(0, -7)->den, 1);
  EXPECT_FALSE(Rational::Make(1, 0));
}

TEST(Rational, ReportsWhatDoesNotFit) {
  EXPECT_TRUE(Rational::Make(32767, 1));
  EXPECT_FALSE(Rational::Make(32768, 1));
  EXPECT_FALSE(Rational::Make(-32768, 1)) << "else negation would overflow";
  EXPECT_TRUE(Rational::Make(1000000, 500000));
  EXPECT_FALSE(Add(Rational(32767), Rational(1)));
  EXPECT_FALSE(Multiply(*Rational::Make(1, 200), *Rational::Make(1, 201)));
  EXPECT_FALSE(Divide(Rational(1), Rational(0)));
  WideRational largest;
  largest.num = INT64_MAX;
  EXPECT_FALSE(Add(largest, largest));
  EXPECT_FALSE(Multiply(largest, largest));
  EXPECT_EQ(*Divide(largest, largest), WideRational(1));
  EXPECT_FALSE(WideRational::Make(INT64_MIN, 1));
  EXPECT_EQ(*WideRational::Make(INT64_MIN, INT64_MIN), WideRational(1));
  EXPECT_FALSE(WideRational::Make(INT64_MIN, -1));
}

TEST(Rational, IsAField) {
  std::mt19937 random(1);
  const auto draw = [&] {
    return *Rational::Make(static_cast<int>(random() % 41) - 20, static_cast<int>(random() % 12) + 1);
  };
  for (int i = 0; i < 20000; ++i) {
    const Rational a = draw(), b = draw(), c = draw();
    EXPECT_EQ(*Add(a, b), *Add(b, a));
    EXPECT_EQ(*Subtract(*Add(a, b), b), a);
    EXPECT_EQ(*Multiply(a, *Add(b, c)), *Add(*Multiply(a, b), *Multiply(a, c)));
    if (!b.IsZero()) {
      EXPECT_EQ(*Multiply(*Divide(a, b), b), a);
    }
    EXPECT_EQ(a < b, a.ToDouble() < b.ToDouble());
    EXPECT_NEAR(Add(a, b)->ToDouble(), a.ToDouble() + b.ToDouble(), 1e-12);
  }
}

}  // namespace
}  // namespace cotree

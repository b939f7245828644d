// SPDX-License-Identifier: Apache-2.0
#include "units/dimension.h"

#include <gtest/gtest.h>

namespace cotree {
namespace {

constexpr Dimension kVolt = Dimension::Of(2, 1, -3, -1);
constexpr Dimension kAmpere = Dimension::Of(0, 0, 0, 1);

TEST(Dimension, MultipliesAndDivides) {
  EXPECT_EQ(Multiply(kVolt, kAmpere), Dimension::Of(2, 1, -3));
  EXPECT_EQ(Divide(kVolt, kAmpere), Dimension::Of(2, 1, -3, -2));
  EXPECT_TRUE(Divide(kVolt, kVolt)->IsOne());
  EXPECT_FALSE(kVolt.IsOne());
  EXPECT_EQ(sizeof(Dimension), 28u);
}

TEST(Dimension, RaisesToFractions) {
  const auto root = Power(kVolt, *Rational::Make(1, 2));
  ASSERT_TRUE(root);
  EXPECT_EQ((*root)[BaseUnit::kSecond], *Rational::Make(-3, 2));
  EXPECT_EQ(Multiply(*root, *root), kVolt);
  EXPECT_TRUE(Power(kVolt, 0)->IsOne());
}

TEST(Dimension, ReportsOverflow) {
  EXPECT_FALSE(Power(kVolt, 20000));
  EXPECT_TRUE(Power(Dimension::One(), 20000)->IsOne());
  const auto large = Power(kAmpere, 32767);
  ASSERT_TRUE(large);
  EXPECT_FALSE(Multiply(*large, kAmpere));
  EXPECT_TRUE(Divide(*large, kAmpere));
}

TEST(DimensionVector, KeepsGenericsSortedAndWithoutZeros) {
  const GenericId a(0), b(1), c(2);
  const auto ab = Multiply(DimensionVector::Generic(b), DimensionVector::Generic(a, 2));
  ASSERT_TRUE(ab);
  ASSERT_EQ(ab->generics.size(), 2u);
  EXPECT_EQ(ab->generics[0].id, a);
  EXPECT_EQ(ab->generics[1].id, b);
  EXPECT_EQ(*Divide(*ab, DimensionVector::Generic(b)), DimensionVector::Generic(a, 2));
  EXPECT_TRUE(Divide(*ab, *ab)->IsOne());
  EXPECT_TRUE(Power(*ab, 0)->IsOne());
  EXPECT_FALSE(Power(*ab, 30000));
  const auto abc = Multiply(*ab, *Multiply(DimensionVector(kVolt), DimensionVector::Generic(c)));
  EXPECT_EQ(abc->generics.size(), 3u);
  EXPECT_EQ(*Power(*Power(*abc, 3), *Rational::Make(1, 3)), *abc);
  EXPECT_NE(*abc, *ab);
}

}  // namespace
}  // namespace cotree

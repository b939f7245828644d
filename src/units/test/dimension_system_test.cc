// SPDX-License-Identifier: Apache-2.0
#include "units/dimension_system.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <random>

namespace cotree {
namespace {

using Status = DimensionSystem::Status;
using Term = DimensionSystem::Term;

constexpr Dimension kVolt = Dimension::Of(2, 1, -3, -1);
constexpr Dimension kMetre = Dimension::Of(1, 0, 0);
constexpr Dimension kSecond = Dimension::Of(0, 0, 1);

std::vector<DimVarId> AddVariables(DimensionSystem& system, int count) {
  std::vector<DimVarId> variables;
  for (int i = 0; i < count; ++i) variables.push_back(system.AddVariable());
  return variables;
}

TEST(DimensionSystem, PassesValuesThroughEqualities) {
  DimensionSystem system;
  const auto v = AddVariables(system, 4);
  EXPECT_EQ(system.AddEqual(v[0], v[1], 0).status, Status::kNew);
  EXPECT_EQ(system.AddEqual(v[2], v[1], 1).status, Status::kNew);
  EXPECT_EQ(system.AddEqual(v[2], v[0], 2).status, Status::kImplied);
  EXPECT_EQ(system.AddValue(v[1], kVolt, 3).status, Status::kNew);
  EXPECT_EQ(system.AddValue(v[2], kVolt, 4).status, Status::kImplied);
  EXPECT_EQ(system.FindValue(v[0]), DimensionVector(kVolt));
  EXPECT_EQ(system.Find(v[2]).tag, 3u);
  EXPECT_FALSE(system.FindValue(v[3]));
  const auto free = system.Find(v[3]);
  ASSERT_EQ(free.free.size(), 1u);
  EXPECT_EQ(free.free[0].variable, v[3]);
  EXPECT_TRUE(free.value.IsOne());
  EXPECT_FALSE(free.tag);
}

TEST(DimensionSystem, NamesTheContradictedEquation) {
  DimensionSystem system;
  const auto v = AddVariables(system, 4);
  system.AddValue(v[0], kVolt, 10);
  system.AddEqual(v[0], v[1], 11);
  system.AddEqual(v[1], v[2], 12);
  const auto outcome = system.AddValue(v[2], kMetre, 13);
  EXPECT_EQ(outcome.status, Status::kContradiction);
  EXPECT_EQ(outcome.implied, DimensionVector(kVolt));
  EXPECT_EQ(outcome.stated, DimensionVector(kMetre));
  ASSERT_EQ(outcome.causes.size(), 1u);
  EXPECT_EQ(outcome.causes[0].variable, v[2]);
  EXPECT_EQ(outcome.causes[0].tag, 10u);
  // Left out: the old value stays.
  EXPECT_EQ(system.FindValue(v[2]), DimensionVector(kVolt));
  // Two determined classes that should be equal.
  system.AddValue(v[3], kMetre, 14);
  const auto clash = system.AddEqual(v[2], v[3], 15);
  EXPECT_EQ(clash.status, Status::kContradiction);
  EXPECT_EQ(clash.implied, Divide(DimensionVector(kVolt), DimensionVector(kMetre)));
  EXPECT_TRUE(clash.stated.IsOne());
  ASSERT_EQ(clash.causes.size(), 2u);
  EXPECT_EQ(clash.causes[0].tag, 10u);
  EXPECT_EQ(clash.causes[1].tag, 14u);
}

TEST(DimensionSystem, FindsContradictionsAmongUnknowns) {
  DimensionSystem system;
  const auto v = AddVariables(system, 3);
  const Term product[] = {{v[0], 1}, {v[1], 1}, {v[2], -1}};
  EXPECT_EQ(system.AddEquation(product, Dimension::One(), 1).status, Status::kNew);
  EXPECT_EQ(system.AddEquation(product, Dimension::One(), 2).status, Status::kImplied);
  const auto outcome = system.AddEquation(product, kMetre, 3);
  EXPECT_EQ(outcome.status, Status::kContradiction);
  EXPECT_TRUE(outcome.implied.IsOne());
  ASSERT_FALSE(outcome.causes.empty());
  EXPECT_EQ(outcome.causes[0].tag, 1u);
  const Term itself[] = {{v[0], 1}, {v[0], -1}};
  EXPECT_EQ(system.AddEquation(itself, kMetre, 4).status, Status::kContradiction);
  EXPECT_EQ(system.AddEquation(itself, Dimension::One(), 5).status, Status::kImplied);
  EXPECT_EQ(system.AddEquation({}, kMetre, 6).status, Status::kContradiction);
  EXPECT_EQ(system.AddEquation({}, Dimension::One(), 6).status, Status::kImplied);
}

// design §2: input $a, output $b, kp : $b/$a = V/rad, ki : $b/($a*s) = V/(rad*s).
TEST(DimensionSystem, SolvesTheController) {
  DimensionSystem system;
  const auto a = system.AddVariable(), b = system.AddVariable();
  const Term ratio[] = {{b, 1}, {a, -1}};
  EXPECT_EQ(system.AddEquation(ratio, kVolt, 0).status, Status::kNew);
  EXPECT_EQ(system.AddEquation(ratio, *Multiply(*Divide(kVolt, kSecond), kSecond), 1).status,
            Status::kImplied);
  const auto wrong = system.AddEquation(ratio, *Divide(kVolt, kSecond), 2);
  EXPECT_EQ(wrong.status, Status::kContradiction);
  EXPECT_EQ(wrong.implied, DimensionVector(kVolt));
  const auto answer = system.Find(b);
  ASSERT_EQ(answer.free.size(), 1u);
  EXPECT_FALSE(answer.determined());
  EXPECT_EQ(system.AddValue(b, kVolt, 3).status, Status::kNew);
  EXPECT_EQ(system.FindValue(a), DimensionVector());
  const auto metre = system.AddValue(a, kMetre, 4);
  EXPECT_EQ(metre.status, Status::kContradiction);
  ASSERT_EQ(metre.causes.size(), 1u);
  EXPECT_EQ(metre.causes[0].tag, 3u);
}

TEST(DimensionSystem, CarriesGenerics) {
  DimensionSystem system;
  const auto v = AddVariables(system, 3);
  const DimensionVector a = DimensionVector::Generic(GenericId(0)),
                        b = DimensionVector::Generic(GenericId(1));
  system.AddValue(v[0], a, 0);
  system.AddValue(v[1], b, 1);
  const Term gain[] = {{v[2], 1}, {v[0], 1}, {v[1], -1}};
  EXPECT_EQ(system.AddEquation(gain, Dimension::One(), 2).status, Status::kNew);
  EXPECT_EQ(system.FindValue(v[2]), Divide(b, a));
  const auto outcome = system.AddEqual(v[0], v[1], 3);
  EXPECT_EQ(outcome.status, Status::kContradiction) << "a and b are not the same";
  EXPECT_EQ(outcome.implied, Divide(a, b));
}

TEST(DimensionSystem, TakesRoots) {
  DimensionSystem system;
  const auto x = system.AddVariable(), y = system.AddVariable();
  const Term square[] = {{x, 2}, {y, -1}};
  system.AddEquation(square, Dimension::One(), 0);
  system.AddValue(y, kMetre, 1);
  EXPECT_EQ(system.FindValue(x), Power(DimensionVector(kMetre), *Rational::Make(1, 2)));
}

TEST(DimensionSystem, ReportsWhatDoesNotFit) {
  DimensionSystem system;
  const auto v = AddVariables(system, 30);
  bool reported = false;
  for (size_t i = 0; i + 1 < v.size(); ++i) {
    const Term power[] = {{v[i + 1], 1}, {v[i], -30000}};
    reported = reported || system.AddEquation(power, Dimension::One(), 0).status == Status::kTooLarge;
  }
  EXPECT_EQ(system.AddValue(v[0], kMetre, 1).status, Status::kNew);
  for (const DimVarId variable : v) {
    const auto answer = system.Find(variable);
    reported = reported || answer.too_large;
    EXPECT_EQ(answer.too_large && answer.determined(), false);
  }
  EXPECT_TRUE(reported);
  EXPECT_EQ(system.FindValue(v[1]), Power(DimensionVector(kMetre), 30000));
}

// ---- against a naive dense elimination ----

struct DenseRow {
  std::vector<WideRational> left;
  std::vector<WideRational> right;  // 7 base units, then generics
};

class DenseSystem {
 public:
  DenseSystem(size_t variables, size_t generics) : variables_(variables), generics_(generics) {}

  DenseRow MakeRow(std::span<const Term> terms, const DimensionVector& constant) const {
    DenseRow row{std::vector<WideRational>(variables_), std::vector<WideRational>(kBaseUnits + generics_)};
    for (const Term& t : terms)
      row.left[t.variable.index()] = *Add(row.left[t.variable.index()], Widen(t.exponent));
    for (size_t i = 0; i < kBaseUnits; ++i) row.right[i] = Widen(constant.si.exponents[i]);
    for (const auto& g : constant.generics) row.right[kBaseUnits + g.id.index()] = Widen(g.exponent);
    return row;
  }
  void Reduce(DenseRow& row) const {
    for (const auto& [pivot, known] : rows_) Eliminate(row, known, pivot);
  }
  Status AddRow(DenseRow row) {
    Reduce(row);
    for (size_t k = 0; k < variables_; ++k) {
      if (row.left[k].IsZero()) continue;
      const WideRational inverse = *Divide(WideRational(1), row.left[k]);
      for (auto& e : row.left) e = *Multiply(e, inverse);
      for (auto& e : row.right) e = *Multiply(e, inverse);
      for (auto& [pivot, known] : rows_) Eliminate(known, row, k);
      rows_.emplace_back(k, row);
      return Status::kNew;
    }
    for (const auto& e : row.right) {
      if (!e.IsZero()) return Status::kContradiction;
    }
    return Status::kImplied;
  }

 private:
  static void Eliminate(DenseRow& row, const DenseRow& by, size_t pivot) {
    const WideRational c = -row.left[pivot];
    if (c.IsZero()) return;
    for (size_t i = 0; i < row.left.size(); ++i) row.left[i] = *Add(row.left[i], *Multiply(c, by.left[i]));
    for (size_t i = 0; i < row.right.size(); ++i)
      row.right[i] = *Add(row.right[i], *Multiply(c, by.right[i]));
  }

  size_t variables_, generics_;
  std::vector<std::pair<size_t, DenseRow>> rows_;  // reduced: each pivot stands in its own row only
};

struct Shape {
  int variables, equations, most_terms, generics, largest;
  bool consistent;  // right sides from a hidden solution: contradictions only where we disturb them
};

void CompareWithDense(const Shape& shape, unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const auto draw_dimension = [&] {
    DimensionVector d;
    for (size_t i = 0; i < 4; ++i) d.si.exponents[i] = Rational(static_cast<int16_t>(below(5) - 2));
    for (int g = 0; g < shape.generics; ++g) {
      if (const int e = below(3) - 1; e != 0)
        d.generics.push_back({GenericId(g), Rational(static_cast<int16_t>(e))});
    }
    return d;
  };
  DimensionSystem system;
  const auto v = AddVariables(system, shape.variables);
  DenseSystem dense(v.size(), static_cast<size_t>(shape.generics));
  std::vector<DimensionVector> hidden;
  for (size_t i = 0; i < v.size(); ++i) hidden.push_back(draw_dimension());
  for (int e = 0; e < shape.equations; ++e) {
    std::vector<Term> terms;
    const int count = below(shape.most_terms) + 1;
    for (int k = 0; k < count; ++k) {
      const int c = below(2 * shape.largest + 1) - shape.largest;
      const int den = below(8) == 0 ? 2 : 1;
      terms.push_back({v[static_cast<size_t>(below(shape.variables))], *Rational::Make(c, den)});
    }
    if (below(3) == 0 && terms.size() >= 2) {  // a plain equality
      terms.resize(2);
      terms[0].exponent = 1;
      terms[1].exponent = -1;
    }
    DimensionVector constant;
    if (shape.consistent) {
      for (const Term& t : terms)
        constant = *Multiply(constant, *Power(hidden[t.variable.index()], t.exponent));
      if (below(10) == 0) constant = *Multiply(constant, draw_dimension());
    } else if (below(2) == 0) {
      constant = draw_dimension();
    }
    const Status expected = dense.AddRow(dense.MakeRow(terms, constant));
    const auto outcome = system.AddEquation(terms, constant, static_cast<uint32_t>(e));
    ASSERT_EQ(static_cast<int>(outcome.status), static_cast<int>(expected))
        << "seed " << seed << " equation " << e;
    if (expected == Status::kContradiction) {
      EXPECT_NE(outcome.implied, outcome.stated);
      EXPECT_EQ(outcome.stated, constant);
      DenseRow row = dense.MakeRow(terms, outcome.implied);  // with the implied value the equation holds
      dense.Reduce(row);
      for (const auto& x : row.right) EXPECT_TRUE(x.IsZero()) << "seed " << seed << " equation " << e;
      for (const auto& cause : outcome.causes) EXPECT_LT(cause.tag, static_cast<uint32_t>(e));
    }
  }
  for (const DimVarId x : v) {
    const auto answer = system.Find(x);
    ASSERT_FALSE(answer.too_large);
    // x = value * Π free^c must follow from the equations, and the free ones must be free.
    std::vector<Term> terms{{x, 1}};
    for (const Term& t : answer.free) terms.push_back({t.variable, -t.exponent});
    DenseRow row = dense.MakeRow(terms, answer.value);
    dense.Reduce(row);
    for (const auto& c : row.left) ASSERT_TRUE(c.IsZero()) << "seed " << seed << " variable " << x.value;
    for (const auto& c : row.right) ASSERT_TRUE(c.IsZero()) << "seed " << seed << " variable " << x.value;
    DenseRow alone = dense.MakeRow(std::vector<Term>{{x, 1}}, DimensionVector());
    dense.Reduce(alone);
    bool determined = true;
    for (const auto& c : alone.left) determined = determined && c.IsZero();
    EXPECT_EQ(answer.determined(), determined) << "seed " << seed << " variable " << x.value;
    EXPECT_EQ(system.FindValue(x).has_value(), determined);
    for (const Term& t : answer.free) {
      const auto itself = system.Find(t.variable);
      ASSERT_EQ(itself.free.size(), 1u);
      EXPECT_EQ(itself.free[0].variable, t.variable);
      EXPECT_TRUE(itself.value.IsOne());
    }
  }
}

TEST(DimensionSystem, AgreesWithDenseElimination) {
  const Shape shapes[] = {
      {3, 6, 3, 0, 1, false},  {5, 8, 3, 1, 2, true},  {8, 10, 3, 0, 1, true},  {8, 6, 4, 2, 2, true},
      {12, 14, 3, 1, 1, true}, {12, 9, 5, 0, 1, true}, {20, 22, 3, 0, 1, true}, {20, 15, 3, 2, 1, false},
  };
  for (const Shape& shape : shapes) {
    for (unsigned seed = 0; seed < 400; ++seed) {
      CompareWithDense(shape, seed);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

// ---- scale ----

double Seconds(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

TEST(DimensionSystem, TakesAMillionEqualities) {
  constexpr int kCount = 1000000;
  DimensionSystem system;
  std::vector<DimVarId> v;
  const double seconds = Seconds([&] {
    v = AddVariables(system, kCount);
    for (size_t i = 1; i < v.size(); ++i) system.AddEqual(v[i], v[i - (i % 1000 == 0 ? 1000 : 1)], 0);
    system.AddValue(v[kCount / 2], kVolt, 1);
    for (size_t i = 0; i < v.size(); i += 2)
      EXPECT_EQ(system.AddValue(v[i], kVolt, 2).status, Status::kImplied);
  });
  std::printf("[          ] %.3f s for a million equalities and half a million values\n", seconds);
  EXPECT_EQ(system.FindValue(v.back()), DimensionVector(kVolt));
  EXPECT_LT(seconds, 20);
}

// Chains that naive substitution makes quadratic: y[k+1] = gain[k]*y[k], der, products, in both orders of the
// variables.
TEST(DimensionSystem, DoesNotFillInOnChains) {
  constexpr int kCount = 100000;
  for (const int order : {0, 1, 2}) {
    DimensionSystem system;
    std::vector<DimVarId> y, gain;
    if (order == 0) {
      y = AddVariables(system, kCount + 1);
      gain = AddVariables(system, kCount);
    } else if (order == 1) {
      gain = AddVariables(system, kCount);
      y = AddVariables(system, kCount + 1);
    } else {
      for (int i = 0; i < kCount; ++i) {
        y.push_back(system.AddVariable());
        gain.push_back(system.AddVariable());
      }
      y.push_back(system.AddVariable());
    }
    const double seconds = Seconds([&] {
      for (size_t k = 0; k < gain.size(); ++k) {
        const Term terms[] = {{y[k + 1], 1}, {gain[k], -1}, {y[k], -1}};
        EXPECT_EQ(system.AddEquation(terms, Dimension::One(), 0).status, Status::kNew);
      }
      for (size_t k = 0; k < gain.size(); ++k)
        EXPECT_EQ(system.AddValue(gain[k], k % 2 == 0 ? kMetre : *Power(kMetre, -1), 1).status, Status::kNew);
      EXPECT_EQ(system.AddValue(y.back(), kVolt, 2).status, Status::kNew);
      for (const DimVarId x : y) EXPECT_TRUE(system.FindValue(x));
    });
    std::printf("[          ] %.3f s for a chain of %d gains (order %d)\n", seconds, kCount, order);
    EXPECT_EQ(system.FindValue(y[0]), DimensionVector(kVolt));
    EXPECT_EQ(system.FindValue(y[1]), Multiply(DimensionVector(kVolt), DimensionVector(kMetre)));
    EXPECT_LT(seconds, 20);
  }
  DimensionSystem system;  // x[k+1] = x[k] / s * s, alternating: weights of the union-find
  const auto x = AddVariables(system, kCount);
  const double seconds = Seconds([&] {
    for (size_t k = 1; k < x.size(); ++k) {
      const Term terms[] = {{x[k], 1}, {x[k - 1], -1}};
      system.AddEquation(terms, *Power(kSecond, k % 2 == 0 ? 1 : -1), 0);
    }
    system.AddValue(x[0], kMetre, 1);
    for (const DimVarId y : x) EXPECT_TRUE(system.FindValue(y));
  });
  std::printf("[          ] %.3f s for a chain of %d derivatives\n", seconds, kCount);
  EXPECT_EQ(system.FindValue(x.back()), Divide(DimensionVector(kMetre), DimensionVector(kSecond)));
  EXPECT_LT(seconds, 20);
}

}  // namespace
}  // namespace cotree

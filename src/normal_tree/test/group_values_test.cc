// SPDX-License-Identifier: Apache-2.0
// Values of choices: by the table, by elimination, and by expanding the determinant as a polynomial.
#include "normal_tree/group_values.h"

#include <gtest/gtest.h>

#include <random>

#include "normal_tree/modular.h"
#include "normal_tree/test/networks.h"

namespace cotree {
namespace {

using namespace testing_networks;  // NOLINT
using Polynomial = std::vector<uint64_t>;

void AddProduct(const Polynomial& a, const Polynomial& b, bool minus, Polynomial* sum) {
  if (a.empty() || b.empty()) return;
  sum->resize(std::max(sum->size(), a.size() + b.size() - 1), 0);
  for (size_t i = 0; i < a.size(); ++i) {
    for (size_t j = 0; j < b.size(); ++j) {
      const uint64_t term = modular::Multiply(a[i], b[j]);
      (*sum)[i + j] = modular::Add((*sum)[i + j], minus ? modular::Negate(term) : term);
    }
  }
}

using PolynomialMatrix = std::vector<std::vector<Polynomial>>;

Polynomial Determinant(const PolynomialMatrix& m) {
  if (m.empty()) return {1};
  Polynomial out;
  for (size_t c = 0; c < m.size(); ++c) {
    PolynomialMatrix minor(m.begin() + 1, m.end());
    for (auto& row : minor) row.erase(row.begin() + static_cast<long>(c));
    AddProduct(m[0][c], Determinant(minor), c % 2 == 1, &out);
  }
  return out;
}

int32_t DegreeByExpansion(const GroupEquations& equations, const GroupValues::Choice& choice) {
  std::vector<uint32_t> columns(choice);
  for (uint32_t i = 0; i < equations.internals; ++i) columns.push_back(2 * equations.edges + i);
  PolynomialMatrix m(equations.rows, std::vector<Polynomial>(columns.size()));
  for (const Term& term : equations.terms) {
    for (size_t c = 0; c < columns.size(); ++c) {
      if (columns[c] != term.column) continue;
      Polynomial& entry = m[term.row][c];
      entry.resize(std::max<size_t>(entry.size(), term.order + 1), 0);
      entry[term.order] = modular::Add(entry[term.order], term.coefficient);
    }
  }
  const Polynomial determinant = Determinant(m);
  for (size_t k = determinant.size(); k-- > 0;) {
    if (determinant[k] != 0) return static_cast<int32_t>(k);
  }
  return GroupValues::kNone;
}

std::vector<GroupValues::Choice> AllChoices(uint32_t edges) {
  std::vector<GroupValues::Choice> out;
  for (uint32_t set = 0; set < 1u << (2 * edges); ++set) {
    GroupValues::Choice choice;
    for (uint32_t v = 0; v < 2 * edges; ++v) {
      if ((set >> v) & 1) choice.push_back(v);
    }
    if (choice.size() == edges) out.push_back(choice);
  }
  return out;
}

TEST(GroupValues, KnownElements) {
  const auto groups = GroupsOf(AllKinds());
  const auto value = [&](uint32_t kind, GroupValues::Choice choice) {
    GroupValues values = groups[kind].values[0];
    return values.Value(choice);
  };
  constexpr int32_t kNone = GroupValues::kNone;
  EXPECT_EQ(value(kR, {0}), 0);
  EXPECT_EQ(value(kR, {1}), 0);
  EXPECT_EQ(value(kC, {0}), 1);
  EXPECT_EQ(value(kC, {1}), 0);
  EXPECT_EQ(value(kL, {0}), 0);
  EXPECT_EQ(value(kL, {1}), 1);
  EXPECT_EQ(value(kV, {0}), 0);
  EXPECT_EQ(value(kV, {1}), kNone);
  EXPECT_EQ(value(kMass, {0}), 2);
  EXPECT_EQ(value(kTransformer, {0, 3}), 0);
  EXPECT_EQ(value(kTransformer, {1, 2}), 0);
  EXPECT_EQ(value(kTransformer, {0, 1}), 0);
  EXPECT_EQ(value(kTransformer, {0, 2}), kNone);
  EXPECT_EQ(value(kGyrator, {0, 2}), 0);
  EXPECT_EQ(value(kGyrator, {0, 3}), kNone);
  EXPECT_EQ(value(kNullor, {0, 1}), 0);
  EXPECT_EQ(value(kNullor, {0, 3}), kNone);
  EXPECT_EQ(value(kCoupledInductors, {1, 3}), 2);
  EXPECT_EQ(value(kMotor, {1, 2}), 3);  // current, angle and its rate
}

// Random equations with many zeros: table and elimination agree with the expansion, also on neighbours.
TEST(GroupValues, RandomEquations) {
  std::mt19937 random(4);
  const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  int solvable = 0;
  for (int round = 0; round < 300; ++round) {
    GroupEquations equations;
    equations.edges = 1 + below(3);
    equations.internals = below(3);
    equations.rows = equations.edges + equations.internals;
    for (uint32_t r = 0; r < equations.rows; ++r) {
      for (uint32_t c = 0; c < equations.columns(); ++c) {
        // Small numbers, so that determinants vanish by cancelling too.
        if (below(2) == 0) equations.terms.push_back({r, c, below(3), 1 + below(2)});
      }
    }
    GroupValues table(equations), lazy(equations, 0);
    EXPECT_EQ(table.solvable(), lazy.solvable());
    int32_t best = GroupValues::kNone;
    for (const auto& choice : AllChoices(equations.edges)) {
      const int32_t expected = DegreeByExpansion(equations, choice);
      ASSERT_EQ(table.Value(choice), expected);
      ASSERT_EQ(lazy.Value(choice), expected);
      best = std::max(best, expected);
      if (expected == GroupValues::kNone) continue;
      const auto &a = table.ExchangesOf(choice), &b = lazy.ExchangesOf(choice);
      EXPECT_EQ(a.values, b.values);
    }
    if (best == GroupValues::kNone) continue;
    ++solvable;
    EXPECT_EQ(table.Value(table.best()), best);
    EXPECT_EQ(lazy.Value(lazy.best()), best);
  }
  EXPECT_GT(solvable, 100);
}

// Maximise against all choices, with weights.
TEST(GroupValues, ClimbingFindsTheBest) {
  std::mt19937 random(9);
  auto groups = GroupsOf(AllKinds());
  for (auto& group : groups) {
    GroupValues& values = group.values[0];
    for (int round = 0; round < 50; ++round) {
      std::vector<int64_t> weights(2 * values.edges());
      for (int64_t& w : weights) w = static_cast<int64_t>(random() % 11) - 5;
      const auto total = [&](const GroupValues::Choice& choice) {
        int64_t sum = 3 * int64_t{values.Value(choice)};
        for (const uint32_t v : choice) sum += weights[v];
        return sum;
      };
      int64_t best = INT64_MIN;
      for (const auto& choice : AllChoices(values.edges())) {
        if (values.Value(choice) != GroupValues::kNone) best = std::max(best, total(choice));
      }
      EXPECT_EQ(total(values.Maximise(weights, 3).inside), best);
    }
  }
}

TEST(GroupValues, WithoutEquationsEverythingIsAllowed) {
  GroupValues values(GroupEquations{2, 0, 1, {{0, 0, 0, 1}}});
  EXPECT_TRUE(values.free());
  for (const auto& choice : AllChoices(2)) EXPECT_EQ(values.Value(choice), 0);
  GroupValues contradiction(GroupEquations{1, 0, 1, {}});
  EXPECT_FALSE(contradiction.solvable());
}

}  // namespace
}  // namespace cotree

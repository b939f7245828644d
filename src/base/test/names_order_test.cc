// SPDX-License-Identifier: Apache-2.0
// The order of names against plain sorts by what the header documents.
#include <gtest/gtest.h>

#include <algorithm>
#include <compare>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/names.h"

namespace cotree {
namespace {

size_t Below(std::mt19937& random, size_t n) {
  return std::uniform_int_distribution<size_t>(0, n - 1)(random);
}

bool Digit(char c) {
  return c >= '0' && c <= '9';
}

// A name cut into characters and numbers; a number compares with a character by its first digit, as text
// would.
struct Piece {
  char first;
  bool number = false;
  std::string digits;  // without leading zeros
};
std::vector<Piece> Cut(const std::string& name) {
  std::vector<Piece> pieces;
  for (size_t i = 0; i < name.size();) {
    if (!Digit(name[i])) {
      pieces.push_back({name[i++], false, {}});
      continue;
    }
    size_t end = i;
    while (end < name.size() && Digit(name[end])) ++end;
    size_t begin = i;
    while (begin + 1 < end && name[begin] == '0') ++begin;
    pieces.push_back({name[i], true, name.substr(begin, end - begin)});
    i = end;
  }
  return pieces;
}

// Digits compare as numbers, everything else as characters; the shorter name first; equal numbers by their
// text.
int ReferenceCompare(const std::string& a, const std::string& b) {
  const auto x = Cut(a), y = Cut(b);
  for (size_t i = 0; i < x.size() && i < y.size(); ++i) {
    if (x[i].number && y[i].number) {
      if (x[i].digits.size() != y[i].digits.size()) return x[i].digits.size() < y[i].digits.size() ? -1 : 1;
      if (x[i].digits != y[i].digits) return x[i].digits < y[i].digits ? -1 : 1;
    } else if (x[i].first != y[i].first) {
      return static_cast<unsigned char>(x[i].first) < static_cast<unsigned char>(y[i].first) ? -1 : 1;
    }
  }
  if (x.size() != y.size()) return x.size() < y.size() ? -1 : 1;
  return a == b ? 0 : a < b ? -1 : 1;
}

int Sign(std::strong_ordering order) {
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

std::string RandomName(std::mt19937& random, bool zeros) {
  static const std::string letters = "ab_R[].";
  std::string name;
  for (size_t k = 0, pieces = Below(random, 4); k < pieces; ++k) {
    name += letters[Below(random, letters.size())];
    if (Below(random, 2) == 0) {
      if (zeros && Below(random, 3) == 0) name += std::string(Below(random, 3), '0');
      name += std::to_string(Below(random, Below(random, 3) == 0 ? 1'000'000'000 : 25));
    }
  }
  return name;
}

TEST(CompareNames, AgreesWithComparingPieces) {
  std::mt19937 random(1);
  std::vector<std::string> names{"",      "0",     "00",   "1", "01", "x[2]", "x[10]",
                                 "x[02]", "x2y10", "x2y9", "x", "x_", "x1",   "X1"};
  for (int k = 0; k < 200; ++k) names.push_back(RandomName(random, true));
  names.push_back("a" + std::string(40, '9'));
  names.push_back("a1" + std::string(40, '0'));
  for (const std::string& a : names) {
    for (const std::string& b : names) {
      ASSERT_EQ(Sign(CompareNames(a, b)), ReferenceCompare(a, b)) << a << " and " << b;
      ASSERT_EQ(Sign(CompareNames(a, b)), -Sign(CompareNames(b, a))) << a << " and " << b;
      ASSERT_EQ(CompareNames(a, b) == 0, a == b);
    }
  }
}

// The number at the end and what stands before it. Numbers with leading zeros are no such numbers.
std::pair<std::string, long long> StemAndNumber(const std::string& name) {
  size_t begin = name.size();
  while (begin > 0 && Digit(name[begin - 1])) --begin;
  const std::string digits = name.substr(begin);
  if (digits.empty() || (digits.size() > 1 && digits[0] == '0')) return {name, -1};
  return {name.substr(0, begin), std::stoll(digits)};
}

std::vector<std::string> Ordered(NamePool& pool, const std::vector<std::string>& names) {
  std::vector<NameId> ids;
  for (const std::string& name : names) ids.push_back(pool.Intern(name));
  std::vector<std::string> out;
  std::set<uint32_t> seen;
  for (const uint32_t i : OrderOfNames(pool, ids)) {
    EXPECT_TRUE(seen.insert(i).second);
    out.push_back(names.at(i));
  }
  EXPECT_EQ(out.size(), names.size());
  return out;
}

TEST(OrderOfNames, AgreesWithAPlainSort) {
  std::mt19937 random(2);
  for (int round = 0; round < 300; ++round) {
    std::set<std::string> distinct;
    for (size_t k = 0, n = Below(random, 60); k < n; ++k) distinct.insert(RandomName(random, round % 2 == 0));
    std::vector<std::string> names(distinct.begin(), distinct.end());
    std::vector<std::string> expected = names;
    std::sort(expected.begin(), expected.end(), [](const std::string& a, const std::string& b) {
      const auto [stem_a, number_a] = StemAndNumber(a);
      const auto [stem_b, number_b] = StemAndNumber(b);
      const int c = ReferenceCompare(stem_a, stem_b);
      return c != 0 ? c < 0 : number_a < number_b;
    });
    for (int shuffle = 0; shuffle < 3; ++shuffle) {
      std::shuffle(names.begin(), names.end(), random);
      NamePool pool;
      ASSERT_EQ(Ordered(pool, names), expected);
    }
  }
}

TEST(OrderOfNames, CountedUpInAnyOrder) {
  std::mt19937 random(3);
  std::vector<std::string> names;
  for (int i = 1; i <= 20'000; ++i) names.push_back((i % 2 == 0 ? "r" : "c") + std::to_string(i));
  std::vector<std::string> expected;
  for (int i = 1; i <= 20'000; i += 2) expected.push_back("c" + std::to_string(i));
  for (int i = 2; i <= 20'000; i += 2) expected.push_back("r" + std::to_string(i));
  NamePool pool;
  EXPECT_EQ(Ordered(pool, names), expected);
  std::shuffle(names.begin(), names.end(), random);
  EXPECT_EQ(Ordered(pool, names), expected);
}

TEST(OrderOfNames, VeryLongNumbersDependOnTheirTextsOnly) {
  std::mt19937 random(4);
  std::vector<std::string> names{"a",
                                 "a0",
                                 "a00",
                                 "a1",
                                 "a01",
                                 "a9999999999",
                                 "a10000000000",
                                 "a99999999999",
                                 "a" + std::string(30, '1'),
                                 "b1",
                                 "",
                                 "7",
                                 "07"};
  NamePool first_pool;
  const auto expected = Ordered(first_pool, names);
  for (int shuffle = 0; shuffle < 20; ++shuffle) {
    std::shuffle(names.begin(), names.end(), random);
    NamePool pool;
    EXPECT_EQ(Ordered(pool, names), expected);
  }
}

}  // namespace
}  // namespace cotree

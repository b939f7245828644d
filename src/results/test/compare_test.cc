// SPDX-License-Identifier: Apache-2.0
#include "results/compare_results.h"
#include "results/select_columns.h"
#include "results/test/results_support.h"

namespace cotree {
namespace {

Result Curve(std::vector<double> times, std::vector<double> values, bool stepwise = false) {
  Result result;
  result.header.columns = {{"x", "V", "", stepwise}};
  result.times = std::move(times);
  result.columns = {std::move(values)};
  result.status = kComplete;
  return result;
}

Deviation Worst(const Result& a, const Result& b) {
  const Comparison comparison = CompareResults(a, b, {});
  return comparison.deviations.at(0);
}

TEST(CompareResults, OtherRowsOfTheSameLineAreEqual) {
  const Result coarse = Curve({0, 1}, {0, 10}), fine = Curve({0, 0.25, 0.5, 1}, {0, 2.5, 5, 10});
  EXPECT_EQ(Worst(coarse, fine).worst, 0);
  EXPECT_EQ(Worst(fine, coarse).worst, 0);
  EXPECT_TRUE(CompareResults(fine, coarse, {}).same_range);
}

TEST(CompareResults, TheWorstPlaceIsFound) {
  const Deviation worst = Worst(Curve({0, 1, 2}, {0, 0, 0}), Curve({0, 0.5, 1.5, 2}, {0, 0, 3, 0}));
  EXPECT_EQ(worst.worst, 3);
  EXPECT_EQ(worst.time, 1.5);
  EXPECT_EQ(worst.b, 3);
  EXPECT_TRUE(worst.beyond());
}

TEST(CompareResults, JumpsAtTheSameTimeAreNoDeviation) {
  const Result a = Curve({0, 1, 1, 2}, {0, 0, 5, 5}), b = Curve({0, 0.5, 1, 1, 2}, {0, 0, 0, 5, 5});
  EXPECT_EQ(Worst(a, b).worst, 0);
  EXPECT_EQ(Worst(a, Curve({0, 1.1, 1.1, 2}, {0, 0, 5, 5})).worst, 5);
}

TEST(CompareResults, StepsHoldTheirValue) {
  const Result one_row = Curve({0, 1, 2}, {0, 5, 5}, true),
               two_rows = Curve({0, 1, 1, 2}, {0, 0, 5, 5}, true);
  EXPECT_EQ(Worst(one_row, two_rows).worst, 0);
  EXPECT_EQ(Worst(one_row, Curve({0, 0.5, 1, 2}, {0, 0, 5, 5}, true)).worst, 0);
  EXPECT_GT(Worst(Curve({0, 1, 2}, {0, 5, 5}), Curve({0, 0.5, 1, 2}, {0, 0, 5, 5})).worst, 2);
}

TEST(CompareResults, RangesNamesAndNumbersThatAreNone) {
  Result a = Curve({0, 1, 2}, {0, 1, NAN}), b = Curve({0, 1}, {0, 1});
  Comparison comparison = CompareResults(a, b, {});
  EXPECT_FALSE(comparison.same_range);
  EXPECT_EQ(comparison.end, 1);
  EXPECT_EQ(comparison.Beyond(), 0u);
  EXPECT_EQ(Worst(a, a).worst, 0);
  EXPECT_TRUE(std::isinf(Worst(a, Curve({0, 1, 2}, {0, 1, 2})).worst));
  b.header.columns[0].name = "y";
  comparison = CompareResults(a, b, {});
  EXPECT_TRUE(comparison.deviations.empty());
  EXPECT_EQ(comparison.only_a, std::vector<std::string>{"x"});
  EXPECT_EQ(comparison.only_b, std::vector<std::string>{"y"});
  EXPECT_FALSE(CompareResults(a, Curve({}, {}), {}).same_range);
}

TEST(SelectColumns, Patterns) {
  EXPECT_TRUE(MatchesPattern("rack.drive[*].i", "rack.drive[3].i"));
  EXPECT_FALSE(MatchesPattern("rack.drive[3].i", "rack.drive3.i"));
  EXPECT_TRUE(MatchesPattern("*", ""));
  EXPECT_TRUE(MatchesPattern("*.w", "load.w"));
  EXPECT_FALSE(MatchesPattern("?.w", "load.w"));
  EXPECT_FALSE(MatchesPattern(std::string(40, '*') + "b", std::string(5000, 'a')));
  EXPECT_EQ(SplitNames("a, m[1,2].x ,f(b,c),"), (std::vector<std::string>{"a", "m[1,2].x", "f(b,c)"}));
}

TEST(SelectColumns, AliasesSurviveTheirSource) {
  Result all = test::Example(5);
  all.header.columns.push_back({"other.w", "", "", false, "load.w", 1});
  all.columns.emplace_back();
  const Result some = SelectColumns(all, {2, 4});
  ASSERT_EQ(some.header.columns.size(), 2u);
  EXPECT_TRUE(some.header.columns[0].stored());
  EXPECT_EQ(some.header.columns[1].alias_of, "motor.w");
  EXPECT_EQ(some.Values(0), all.Values(2));
  EXPECT_EQ(some.Values(1), all.Values(4));
  EXPECT_TRUE(some.header.plots.empty());
  EXPECT_EQ(SimilarNames(all.header, "load.v", 3)[0], "load.w");
}

}  // namespace
}  // namespace cotree

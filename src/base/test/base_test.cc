// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/diagnostics.h"
#include "base/large_vector.h"
#include "base/names.h"
#include "base/source.h"

namespace cotree {
namespace {

constexpr DiagnosticInfo kWrong{7001, Severity::kError, "kWrong", "`{0}` is wrong, {1}", "write `{0}`"};
constexpr DiagnosticInfo kOdd{42, Severity::kWarning, "kOdd", "odd", ""};

TEST(NamePool, NumbersInOrderAndNeverMoves) {
  NamePool pool;
  std::vector<std::string_view> first;
  for (int i = 0; i < 100000; ++i) {
    const NameId id = pool.Intern("name" + std::to_string(i));
    EXPECT_EQ(id.index(), static_cast<size_t>(i));
    if (i < 100) first.push_back(pool.Text(id));
  }
  for (int i = 0; i < 100; ++i) EXPECT_EQ(first[static_cast<size_t>(i)].data(), pool.Text(NameId(i)).data());
  EXPECT_EQ(pool.Find("name99999"), NameId(99999));
  EXPECT_TRUE(pool.Find("name100000").IsNone());
  EXPECT_EQ(pool.Intern("").index(), 100000u);
  EXPECT_EQ(pool.Intern(std::string(1 << 20, 'x')), pool.Intern(std::string(1 << 20, 'x')));
}

TEST(Source, PositionsCountCodePoints) {
  const SourceFile file("f", "ab\ncΩd\r\n\nlast");
  EXPECT_EQ(file.PositionOf(0).line, 1u);
  EXPECT_EQ(file.PositionOf(3).line, 2u);
  const Position after_omega = file.PositionOf(6);
  EXPECT_EQ(after_omega.line, 2u);
  EXPECT_EQ(after_omega.column, 3u);
  EXPECT_EQ(file.Line(2), "cΩd");
  EXPECT_EQ(file.Line(3), "");
  EXPECT_EQ(file.Line(4), "last");
  EXPECT_EQ(file.Line(5), "");
  EXPECT_EQ(file.PositionOf(1000).line, 4u);
}

TEST(Diagnostics, RenderAsTheManualSays) {
  SourceFiles files;
  const FileId file = files.Add("drive.cot", "one\n  two : Three\n");
  Diagnostics diagnostics;
  diagnostics.Report(kWrong, {file, 6, 9}, {"two", "really"}).Label("here").Note("a reason");
  EXPECT_EQ(RenderText(diagnostics.list()[0], files, false),
            "error[COT7001]: `two` is wrong, really\n"
            " --> drive.cot:2:3\n"
            "  |\n"
            "2 |   two : Three\n"
            "  |   ^^^ here\n"
            "  |\n"
            "  = a reason\n"
            "  = help: write `two`\n");
  EXPECT_NE(RenderText(diagnostics.list()[0], files, true).find("\x1b["), std::string::npos);
  EXPECT_EQ(CodeText(kOdd), "COT0042");
}

TEST(Diagnostics, SortByPlaceAndDropRepetitions) {
  Diagnostics diagnostics;
  const FileId file(0);
  diagnostics.Report(kWrong, {file, 9, 10}, {"b", ""});
  diagnostics.Report(kOdd, {file, 5, 6});
  diagnostics.Report(kWrong, {file, 9, 10}, {"b", ""});
  diagnostics.Report(kWrong, {file, 9, 10}, {"a", ""});
  EXPECT_EQ(diagnostics.errors(), 3u);
  diagnostics.Sort();
  ASSERT_EQ(diagnostics.list().size(), 3u);
  EXPECT_EQ(diagnostics.errors(), 2u);
  EXPECT_EQ(diagnostics.warnings(), 1u);
  EXPECT_EQ(diagnostics.list()[0].info, &kOdd);
  EXPECT_EQ(diagnostics.list()[1].message, "`a` is wrong, ");
}

TEST(Diagnostics, KeepOnlySoMany) {
  Diagnostics diagnostics;
  for (uint32_t i = 0; i < 2000; ++i) diagnostics.Report(kWrong, {FileId(0), i, i}, {"x", ""}).Note("n");
  EXPECT_EQ(diagnostics.list().size(), Diagnostics::kMost);
  EXPECT_EQ(diagnostics.errors(), 2000u);
  EXPECT_EQ(diagnostics.left_out(), 2000 - Diagnostics::kMost);
}

TEST(Nearest, MeansWhatWasMeant) {
  EXPECT_EQ(Nearest("Resistr", {"Resistor", "Capacitor"}), "Resistor");
  EXPECT_EQ(Nearest("housng", {"shaft", "housing"}), "housing");
  EXPECT_EQ(Nearest("pahse", {"phase", "pulse"}), "phase");
  EXPECT_EQ(Nearest("VOLTAGE", {"voltage"}), "voltage");
  EXPECT_EQ(Nearest("xyz", {"Resistor", "abc"}), "");
  EXPECT_EQ(Nearest("ab", {"ac", "aa"}), "aa");  // a tie: the alphabet
}

TEST(LargeVector, HoldsWhatIsPutIn) {
  LargeVector<int> v;
  for (int i = 0; i < 3000000; ++i) v.push_back(i);
  EXPECT_EQ(v[2999999], 2999999);
  EXPECT_EQ(v[1234567], 1234567);
}

}  // namespace
}  // namespace cotree

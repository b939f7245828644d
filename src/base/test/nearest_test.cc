// SPDX-License-Identifier: Apache-2.0
// Suggestions by parts of names, and what is a text in UTF-8.
#include <gtest/gtest.h>

#include "base/diagnostics.h"
#include "base/name_parts.h"
#include "base/text_encoding.h"

namespace cotree {
namespace {

TEST(Nearest, KnowsPartsOfNames) {
  const std::vector<std::string_view> names = {"Ramp",    "FixedPump", "VariablePump", "Not",       "DCMotor",
                                               "Stepper", "Resistor",  "PI",           "SampledPI", "Gear"};
  const std::pair<const char*, const char*> rows[] = {
      {"Pump", "FixedPump"},  // a part; Ramp has two wrong letters of four
      {"Motr", "DCMotor"},    // a part with a wrong letter
      {"motor", "DCMotor"},
      {"Resistr", "Resistor"},
      {"resistor", "Resistor"},
      {"Gaer", "Gear"},
      {"pump_fixed", ""},
      {"Sampled", "SampledPI"},
      {"pi", "PI"},
      {"X", ""},
      {"Qx", ""},
  };
  for (const auto& [word, meant] : rows) EXPECT_EQ(Nearest(word, names), meant) << word;
  // One letter says nothing about another.
  EXPECT_EQ(Nearest("r", {"c", "v"}), "");
  EXPECT_EQ(Nearest("R", {"r", "v"}), "r");
  EXPECT_EQ(Nearest("--stopp", {"--step", "--stop", "--set"}), "--stop");
  EXPECT_EQ(Nearest("invers", {"convert", "inverse"}), "inverse");
}

TEST(NameParts, AreWords) {
  using Parts = std::vector<std::string>;
  EXPECT_EQ(PartsOf("FixedPump"), (Parts{"fixed", "pump"}));
  EXPECT_EQ(PartsOf("DCMotorThermal"), (Parts{"dc", "motor", "thermal"}));
  EXPECT_EQ(PartsOf("SampledPI"), (Parts{"sampled", "pi"}));
  EXPECT_EQ(PartsOf("max_step"), (Parts{"max", "step"}));
  EXPECT_EQ(PartsOf("--max-step"), (Parts{"max", "step"}));
  EXPECT_EQ(PartsOf(""), Parts{});
}

TEST(TextEncoding, TellsWhatIsNoUtf8) {
  using std::string;
  EXPECT_EQ(ByteOrderMark("\xEF\xBB\xBFx"), 3u);
  EXPECT_EQ(ByteOrderMark("x"), 0u);
  EXPECT_EQ(ForeignEncoding("plain \xC2\xB5"), "");
  EXPECT_NE(ForeignEncoding("\xFF\xFEs").find("UTF-16"), string::npos);
  EXPECT_NE(ForeignEncoding("\xFE\xFFs").find("UTF-16"), string::npos);
  EXPECT_NE(ForeignEncoding(string("\xFF\xFE\0\0", 4)).find("UTF-32"), string::npos);
  EXPECT_NE(ForeignEncoding(string("a\0b\0c\0", 6)).find("UTF-16"), string::npos);
  EXPECT_NE(ForeignEncoding(string("ELF\0\0\0\1\2\3\4", 10)).find("zero bytes"), string::npos);
  EXPECT_EQ(CharacterBytes("a", 0), 1u);
  EXPECT_EQ(CharacterBytes("\xC2\xB5", 0), 2u);
  EXPECT_EQ(CharacterBytes("\xE2\x84\xA6", 0), 3u);
  EXPECT_EQ(CharacterBytes("\xF0\x9F\x98\x80", 0), 4u);
  for (const char* bad : {"\xB5", "\xC2", "\xC0\x80", "\xED\xA0\x80", "\xF5\x80\x80\x80", "\xE2\x84"})
    EXPECT_EQ(CharacterBytes(bad, 0), 0u) << bad;
}

}  // namespace
}  // namespace cotree

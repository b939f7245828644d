// SPDX-License-Identifier: Apache-2.0
// What the command line suggests: commands and options that are nearly right, and the library by words.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "product_support.h"

namespace cotree {
namespace {

using test::Ran;
using test::TemporaryFolder;
using test::WriteText;

struct Row {
  std::vector<std::string> words;
  int exit_code;
  std::vector<std::string> said;  // on either stream
  std::string unsaid = {};
};

void Expect(const std::vector<Row>& rows) {
  const TemporaryFolder folder;
  WriteText(folder / "m.cot",
            "system RC { v : VoltageSource(V = 5 V)  r : Resistor(R = 1 kohm)  connect v.p -- r.p  connect "
            "v.n -- r.n "
            "-- electrical.ground }\nexperiment E of RC { stop = 1 ms }\n");
  for (const Row& row : rows) {
    const Ran ran = test::RunCotree(row.words, folder.path());
    const std::string all = ran.out + ran.err;
    EXPECT_EQ(ran.exit_code, row.exit_code) << row.words[0] << "\n" << all;
    for (const std::string& said : row.said)
      EXPECT_NE(all.find(said), std::string::npos) << said << "\n" << all;
    if (!row.unsaid.empty()) {
      EXPECT_EQ(all.find(row.unsaid), std::string::npos) << all;
    }
  }
}

TEST(Suggestions, OfCommandsAndOptions) {
  Expect({
      {{"animat", "m.cot"}, 2, {"did you mean `animate`?"}},
      {{"kinematic", "m.cot"}, 2, {"did you mean `kinematics`?"}},
      {{"invers", "m.cot"}, 2, {"did you mean `inverse`?"}},
      {{"simulat", "m.cot"}, 2, {"did you mean `simulate`?"}},
      {{"xyzzy", "m.cot"}, 2, {"not a command"}, "did you mean"},
      {{"simulate", "m.cot", "--stopp", "3"}, 2, {"did you mean `--stop`?"}},
      {{"simulate", "m.cot", "--sett=r.R=1"}, 2, {"did you mean `--set`?"}},
      {{"check", "m.cot", "--unit"}, 2, {"did you mean `--units`?"}},
  });
}

TEST(Library, IsSearchedByWord) {
  Expect({
      {{"library", "motor"}, 0, {"DCMotor", "Stepper", "HydraulicMotor"}, "Resistor"},
      {{"library", "pi controller"}, 0, {"PI controller"}, "PID"},
      {{"library", "pi", "controller"}, 0, {"SampledPI"}},
      {{"library", "Pump"}, 0, {"FixedPump", "VariablePump"}},
      {{"library", "temperature", "sensor"}, 0, {"TemperatureSensor"}, "PressureSensor"},
      {{"library", "Gear"}, 0, {"rotational.Gear", "equations"}},
      {{"library", "thermal"}, 0, {"HeatCapacity"}},
      {{"library", "Resistr"}, 2, {"did you mean `Resistor`?"}},
      {{"library", "xyzzy"}, 2, {"`cotree library` lists all"}},
      {{"library", "motor", "--format", "json"}, 0, {"\"DCMotor\""}},
  });
}

}  // namespace
}  // namespace cotree

// SPDX-License-Identifier: Apache-2.0
// The order of a text changes no bit of the graph and no finding: examples, models, wrong models, all turned
// round.

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "diagnostics_mutations.h"
#include "system_graph_support.h"

namespace cotree::test {
namespace {

// Systems are numbered in the order of the file; beyond that nothing may depend on it.
std::string BySystems(const Built& built, bool groups = true) {
  auto json = nlohmann::ordered_json::parse(built.Json());
  std::vector<std::string> systems;
  for (auto& system : json.at("systems")) {
    for (auto& edge : system.at("edges")) {
      if (!groups) edge.erase("group");
    }
    systems.push_back(system.dump(1));
  }
  std::sort(systems.begin(), systems.end());
  json.erase("systems");
  std::string text = json.dump(1);
  for (const std::string& system : systems) text += "\n" + system;
  return text;
}

std::multiset<std::string> Messages(const Built& built) {
  std::multiset<std::string> all;
  for (const Diagnostic& d : built.findings().list()) all.insert(CodeText(*d.info) + " " + d.message);
  return all;
}

TEST(SystemGraphOrder, ExamplesAndModelsTurnedRound) {
  size_t compared = 0;
  for (const std::string folder : {"examples", "tests/models"}) {
    for (const fs::path& path : FilesBelow(folder, ".cot")) {
      SCOPED_TRACE(path);
      const std::string text = ReadText(path), reordered = Reordered(text);
      if (reordered.empty()) continue;
      EXPECT_NE(reordered, text);
      const Built a = BuildText(text, path.string()), b = BuildText(reordered, path.string());
      EXPECT_EQ(BySystems(a, false), BySystems(b, false));
      EXPECT_EQ(Messages(a), Messages(b));
      ++compared;
    }
  }
  EXPECT_GE(compared, 25u);
  std::printf("order: %zu files turned round\n", compared);
}

TEST(SystemGraphOrder, GroupsAreNumberedByNames) {
  const std::string rest = R"( equation a.v = 1 ohm*a.i   b.v = 2 ohm*b.i }
    system S { x : Two   v : VoltageSource(V = 1 V)   connect v.p -- x.p   connect x.q -- x.p
      connect x.n -- v.n -- electrical.ground })";
  const std::string head = "component Two { terminal p, q, n : electrical ";
  EXPECT_EQ(BuildClean(head + "edge a : p -> n   edge b : q -> n" + rest).Json(),
            BuildClean(head + "edge b : q -> n   edge a : p -> n" + rest).Json());
}

TEST(SystemGraphOrder, FindingsOfWrongModelsTurnedRound) {
  size_t compared = 0;
  for (const fs::path& path : FilesBelow("tests/diagnostics", ".cot")) {
    if (path.stem().string()[0] != '3') continue;
    SCOPED_TRACE(path);
    const WrongModel wrong = ReadWrongModel(path.stem().string(), ReadText(path));
    const std::string reordered = Reordered(wrong.text);
    if (!wrong.mutations.contains("reordered") || reordered.empty()) continue;
    const Built a = BuildText(wrong.text, path.string()), b = BuildText(reordered, path.string());
    EXPECT_EQ(BySystems(a), BySystems(b));
    EXPECT_EQ(Messages(a), Messages(b));
    ++compared;
  }
  EXPECT_GE(compared, 15u);
}

/** A system of many kinds of members, one a line, and components alike; equal however the lines are shuffled.
 */
struct Lines {
  std::string head;
  std::vector<std::string> lines;
  std::string Text() const {
    std::string text = head + "{\n";
    for (const std::string& line : lines) text += "  " + line + "\n";
    return text + "}\n";
  }
};

TEST(SystemGraphOrder, ShufflesOfCompositesArraysAndSignals) {
  std::vector<Lines> parts{
      {"component Cell",
       {"terminal p, n : electrical", "public parameter R : Resistance = 1 ohm", "r : Resistor(R = R)",
        "c : Capacitor(C = 1 F)", "connect p -- r.p", "connect r.n -- c.p", "connect c.n -- n"}},
      {"component Motor",
       {"terminal q, p : electrical", "terminal housing, shaft : rotational",
        "parameter L : Inductance = 1 H", "parameter J : MomentOfInertia = 0", "input brake : Torque",
        "output speed : AngularVelocity", "variable back : Voltage", "edge rotor : shaft -> housing",
        "edge coil : p -> q", "equation back = 0.1 V*s/rad * rotor.w",
        "equation coil.v = L*der(coil.i) + back",
        "equation rotor.tau = J*rotor.alpha - 0.1 N*m/A * coil.i + brake", "equation speed = rotor.w"}},
      {"component Axis",
       {"terminal p, n : electrical", "terminal shaft : rotational", "parameter cells : Integer = 2",
        "input brake : Torque", "output w : AngularVelocity", "motor : Motor", "cell : Cell[cells]",
        "connect p -- cell.p", "connect cell.n -- motor.p", "connect motor.q -- n",
        "connect motor.shaft -- shaft", "connect motor.housing -- rotational.ground",
        "connect brake -> motor.brake", "connect motor.speed -> w"}},
      {"system S",
       {"z : VoltageSource(V = 1 V)", "axis : Axis[3](cells = [i for i in 1:3])",
        "load : Inertia[3](J = 1 kg*m^2)", "zero : Constant[3](k = 0 N*m)", "r10, r9 : Resistor(R = 1 ohm)",
        "gain : Gain[3](k = 1)", "connect z.p -- axis.p", "connect z.n -- axis.n -- electrical.ground",
        "connect r10.p -- r9.p -- z.p", "connect r9.n -- r10.n -- electrical.ground",
        "connect axis.shaft -- load.a", "for i in 1:3 { connect zero[4 - i].y -> axis[i].brake }",
        "connect axis.w -> gain.u"}},
      {"system T",
       {"a : CurrentSource(I = 1 A)", "b : CurrentSource(I = 1 A)", "c : Capacitor(C = 1 F)",
        "connect a.n -- b.p", "connect b.n -- c.p", "connect c.n -- a.p", "g : Gain(k = 1)"}},
      {"system U",
       {"a : Resistor[2](R = 1 ohm)", "b : VoltageSource[2](V = 1 V)", "d : VoltageSource(V = 2 V)",
        "connect a.p -- b.p", "connect a.n -- b.n", "connect d.p -- b[1].p", "connect d.n -- b[1].n",
        "connect b[2].n -- electrical.ground", "m : Mass(m = 1 kg)"}}};
  const auto whole = [&] {
    std::string text;
    for (const Lines& part : parts) text += part.Text();
    return text;
  };
  const Built built = BuildText(whole());
  ASSERT_EQ(built.graphs.size(), 3u) << built.Text();
  EXPECT_EQ(built.graph().edges.size(), 1u + 3 * 2 + 2 * (1 + 2 + 3) + 3 + 2);
  EXPECT_EQ(Codes(built), (std::multiset<int>{3001, 3001, 3002, 3007, 3101})) << built.Text();
  const std::string json = BySystems(built);
  const auto findings = Findings(built);
  std::mt19937 random(7);
  for (int k = 0; k < 60; ++k) {
    for (Lines& part : parts) std::shuffle(part.lines.begin(), part.lines.end(), random);
    std::shuffle(parts.begin(), parts.end(), random);
    const Built other = BuildText(whole());
    ASSERT_EQ(BySystems(other), json) << whole();
    ASSERT_EQ(Findings(other), findings) << whole();
  }
}

// The command itself, on files.
TEST(SystemGraphOrder, TheCommandPrintsTheSame) {
  const TemporaryFolder folder;
  for (const std::string name : {"rlc_series", "err_floating", "ccvs_cccs_mix"}) {
    const std::string text = ReadText(kRoot / "tests/models" / (name + ".cot"));
    WriteText(folder / "a.cot", text);
    const Ran first = RunCotree({"graph", "a.cot", "--format", "json"}, folder.path());
    WriteText(folder / "a.cot", Reordered(text));
    const Ran second = RunCotree({"graph", "a.cot", "--format", "json"}, folder.path());
    EXPECT_EQ(first.exit_code, name == "err_floating" ? 1 : 0);
    EXPECT_EQ(second.exit_code, first.exit_code);
    auto a = nlohmann::ordered_json::parse(first.out), b = nlohmann::ordered_json::parse(second.out);
    a.erase("diagnostics");
    b.erase("diagnostics");
    EXPECT_EQ(a.dump(1), b.dump(1));
    // And what the command prints is what the graph built here says.
    a.erase("file");
    EXPECT_EQ(a.dump(1), BuildText(text).Json());
  }
}

}  // namespace
}  // namespace cotree::test

// SPDX-License-Identifier: Apache-2.0
// Block lower triangular form with software components: blt.json (a copy of the reference results), paper 001
// III.B.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "product_support.h"
#include "run_support.h"

namespace cotree::test {
namespace {

using Json = nlohmann::json;
using Names = std::set<std::string>;

Json Expected(const std::string& id) {
  const Json all = Json::parse(ReadText(kRoot / "tests/models/expected/blt.json"));
  for (const Json& c : all["cases"]) {
    if (c["id"] == id) return c;
  }
  ADD_FAILURE() << id;
  return {};
}

/// The blocks as sets of unknowns, in order, in the names of the file.
std::vector<Names> Blocks(const RunOf& run, const std::map<std::string, std::string>& of_ours) {
  std::vector<Names> out;
  const SortedSystem& sorted = *run.translation->sorted;
  for (size_t b = 0; b < sorted.blocks(); ++b) {
    Names block;
    for (const uint32_t k : sorted.Block(b)) {
      const auto at = of_ours.find(sorted.SlotName(sorted.slot_of_equation[k]));
      if (at != of_ours.end()) block.insert(at->second);
    }
    if (!block.empty()) out.push_back(block);
  }
  return out;
}

void Compare(const Json& expected, const std::vector<Names>& got) {
  std::multiset<Names> wanted, have(got.begin(), got.end());
  std::vector<Names> in_order;
  for (const Json& block : expected["expected"]["blocks_in_one_admissible_order"]) {
    wanted.insert(Names(block["unknowns"].begin(), block["unknowns"].end()));
    in_order.emplace_back(block["unknowns"].begin(), block["unknowns"].end());
  }
  EXPECT_EQ(wanted, have);
  for (const Json& pair : expected["expected"]["precedence_pairs_block_index"]) {
    const auto place = [&](size_t k) { return std::find(got.begin(), got.end(), in_order[k]) - got.begin(); };
    EXPECT_LT(place(pair[0]), place(pair[1]));
  }
}

const char* const kPlant = R"(
component Plant {
  parameter a : Real = 2  parameter b : Real = 3  parameter c : Real = 1.5  parameter d : Real = 0.5  parameter r : Real = 1
  input y : Real  output e : Real  variable w : Real  variable v : Real
  variable x : Real (start = 0.4)
  equation
    e = r - w
    w = c*x + d*v
    v = y
    der(x) = (-a*x + b*v)*1 1/s
}
)";

TEST(BlockTriangular, NonAlgebraicControllerBreaksTheLoop) {
  const Json c = Expected("nonalgebraic_feedback");
  RunOf run(std::string(kPlant) + R"(
software Ctrl { parameter Ki : Real = 4  input e : Real  output y : Real  state xc : Real (start = -0.2)
  equation y = Ki*xc   der(xc) = e*1 1/s }
system S { p : Plant  ctrl : Ctrl  connect p.e -> ctrl.e  connect ctrl.y -> p.y }
)");
  Compare(c, Blocks(run, {{"p.e", "e"}, {"p.w", "w"}, {"p.v", "v"}, {"ctrl.y", "y"}, {"der(p.x)", "dx"}}));
  run.Simulate(1e-6);
  const Json& values = c["expected"]["values"];
  for (const auto& [ours, theirs] : std::map<std::string, std::string>{{"ctrl.y", "y"},
                                                                       {"p.v", "v"},
                                                                       {"p.w", "w"},
                                                                       {"p.e", "e"},
                                                                       {"der(p.x)", "dx"},
                                                                       {"der(ctrl.xc)", "dxc"}})
    EXPECT_NEAR(run[ours].front(), values[theirs].get<double>(), 1e-12) << ours;
}

TEST(BlockTriangular, AlgebraicControllerClosesOne) {
  const Json c = Expected("algebraic_feedback");
  RunOf run(std::string(kPlant) + R"(
software Ctrl { parameter Kp : Real = 2  input e : Real  output y : Real  equation y = Kp*e }
system S { p : Plant  ctrl : Ctrl  connect p.e -> ctrl.e  connect ctrl.y -> p.y }
)");
  Compare(c, Blocks(run, {{"p.e", "e"}, {"p.w", "w"}, {"p.v", "v"}, {"ctrl.y", "y"}, {"der(p.x)", "dx"}}));
  run.Simulate(1e-6);
  const Json& values = c["expected"]["values"];
  for (const auto& [ours, theirs] : std::map<std::string, std::string>{
           {"ctrl.y", "y"}, {"p.v", "v"}, {"p.w", "w"}, {"p.e", "e"}, {"der(p.x)", "dx"}})
    EXPECT_NEAR(run[ours].front(), values[theirs].get<double>(), 1e-12) << ours;
  ASSERT_EQ(run.translation->program->eliminated.size(), 1u);
  EXPECT_EQ(run.translation->program->eliminated[0].tearing.tears.size(),
            c["expected"]["minimal_tearing_size"].get<size_t>());
}

TEST(BlockTriangular, ChainOfComponents) {
  RunOf run(R"(
software F1 { input s : Real  output y1 : Real  equation y1 = 2*s }
software F2 { input y1 : Real  output y2 : Real  state z : Real  equation y2 = z   der(z) = (y1 - z)*1 1/s }
software F3 { input y1 : Real  input y2 : Real  output y3 : Real  equation y3 = y1 + 3*y2 }
component Plant { input y3 : Real  output s : Real  variable v : Real  variable x : Real (start = 1)
  equation s = x   v = y3   der(x) = -v*1 1/s }
system S { p : Plant  f1 : F1  f2 : F2  f3 : F3
  connect p.s -> f1.s  connect f1.y1 -> f2.y1, f3.y1  connect f2.y2 -> f3.y2  connect f3.y3 -> p.y3 }
)");
  Compare(Expected("component_chain"), Blocks(run, {{"p.s", "s"},
                                                    {"f1.y1", "y1"},
                                                    {"f2.y2", "y2"},
                                                    {"f3.y3", "y3"},
                                                    {"p.v", "v"},
                                                    {"der(p.x)", "dx"}}));
}

TEST(BlockTriangular, SeekerWithImplicitMotion) {
  RunOf run(R"(
software Pid { input target : Real  input angle : Real  output y : Real  equation y = 3*(target - angle) }
component Seeker {
  input ya : Real  input yb : Real
  output al : Real  output be : Real
  variable wa : Real  variable wb : Real  variable ia : Real  variable ib : Real
  variable Ta : Real  variable Tb : Real  variable Ea : Real  variable Eb : Real
  equation
    der(al) = wa*1 1/s
    der(be) = wb*1 1/s
    (3 + cos(be))*der(wa) + (1 + cos(be))*der(wb) = Ta*1 1/s
    (1 + cos(be))*der(wa) + 2*der(wb) = Tb*1 1/s
    der(ia) = (Ea - ia)*1 1/s
    der(ib) = (Eb - ib)*1 1/s
    Ta = 2*ia
    Tb = 2*ib
    Ea = ya
    Eb = yb
}
system S { k : Seeker  pid_a : Pid  pid_b : Pid  ua : Constant(k = 1)  ub : Constant(k = 1)
  connect ua.y -> pid_a.target  connect ub.y -> pid_b.target  connect k.al -> pid_a.angle  connect k.be -> pid_b.angle
  connect pid_a.y -> k.ya  connect pid_b.y -> k.yb }
)");
  Compare(Expected("seeker_implicit"), Blocks(run, {{"der(k.al)", "dal"},
                                                    {"der(k.be)", "dbe"},
                                                    {"der(k.wa)", "dal2"},
                                                    {"der(k.wb)", "dbe2"},
                                                    {"der(k.ia)", "dia"},
                                                    {"der(k.ib)", "dib"},
                                                    {"k.Ta", "Ta"},
                                                    {"k.Tb", "Tb"},
                                                    {"k.Ea", "Ea"},
                                                    {"k.Eb", "Eb"},
                                                    {"pid_a.y", "ya"},
                                                    {"pid_b.y", "yb"}}));
}

TEST(BlockTriangular, StructurallySingular) {
  NoReader reader;
  const auto loaded = LoadModelText("t.cot", R"(
component C { variable v : Real  variable z : Real  variable x : Real
  equation  v = 1   v = 2   der(x) = (v + z)*1 1/s }
system S { c : C }
)",
                                    reader);
  const auto translation = Translate(*loaded);
  EXPECT_FALSE(translation->ok);
  EXPECT_FALSE(loaded->diagnostics.ok());
  const Json expected = Expected("structurally_singular")["expected"];
  if (translation->sorted != nullptr) {
    const Offsets& offsets = translation->sorted->offsets;
    EXPECT_EQ(offsets.over_equations.size(), expected["overdetermined_part"]["equations"].size());
    EXPECT_EQ(offsets.over_variables.size(), expected["overdetermined_part"]["unknowns"].size());
    EXPECT_EQ(offsets.under_equations.size(), expected["underdetermined_part"]["equations"].size());
    EXPECT_EQ(offsets.under_variables.size(), expected["underdetermined_part"]["unknowns"].size());
  }
}

// An output group is one step of the program, evaluated once.
TEST(BlockTriangular, EachOutputGroupOnce) {
  RunOf run(R"(
software Two { input u : Real  input w : Real  output a : Real  output b : Real  output c : Real
  equation a = 2*u   b = u^2   c = w }
system S { t : Two  u : Constant(k = 3)  w : Constant(k = 5)  connect u.y -> t.u  connect w.y -> t.w }
)");
  const SortedSystem& sorted = *run.translation->sorted;
  const Program& program = *run.translation->program;
  size_t groups = 0;
  for (size_t b = 0; b < sorted.blocks(); ++b) {
    if (program.kind_of_block[b] != BlockKind::kSoftware) continue;
    ++groups;
    EXPECT_EQ(sorted.Block(b).size(), 2u);
  }
  EXPECT_EQ(groups, 1u);
  run.Simulate(0.1);
  EXPECT_EQ(run.End("t.a"), 6);
  EXPECT_EQ(run.End("t.b"), 9);
  EXPECT_EQ(run.End("t.c"), 5);
}

}  // namespace
}  // namespace cotree::test

// SPDX-License-Identifier: Apache-2.0
// `cotree tree`, `order`, `equations`, `linearize` as a user meets them; what they print is held against laws
// of graphs, against networks solved elsewhere, and against the manual.

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "pipeline/load_model.h"
#include "product_support.h"

namespace cotree {
namespace {

namespace fs = std::filesystem;
using Complex = std::complex<double>;
using Json = nlohmann::json;
using test::Contains;
using test::Ran;
using test::ReadText;
using test::RunCotree;
using test::TemporaryFolder;
using test::WriteText;

const std::vector<std::string> kCommands{"tree", "order", "equations", "linearize"};

size_t Count(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

// What the command says about a system that it can translate.
Json SystemOf(std::vector<std::string> words, const fs::path& folder = test::kRoot) {
  words.insert(words.end(), {"--format", "json"});
  const Ran run = RunCotree(words, folder);
  EXPECT_EQ(run.exit_code, 0) << words[1] << "\n" << run.err;
  EXPECT_EQ(run.err, "");
  return Json::parse(run.out).at("system");
}

std::string Model(const std::string& name) {
  return "tests/models/" + name + ".cot";
}

// A file and a system of it.
std::vector<std::vector<std::string>> EverySystem() {
  std::vector<std::vector<std::string>> out;
  for (const char* folder : {"examples", "tests/models"}) {
    for (const fs::path& path : test::FilesBelow(folder, ".cot")) {
      DiskReader reader;
      const auto loaded = LoadModel(path.string(), reader);
      for (const ClassId id : loaded->model.systems)
        out.push_back({path.string(), "--system", loaded->model.Text(loaded->model[id].name)});
    }
  }
  return out;
}

// --- tree -------------------------------------------------------------------------------------------------

TEST(TreeCommand, TextShowsBranchesChordsMatricesAndReasons) {
  const Ran run = RunCotree({"tree", Model("transformer_c_both_sides"), "--statistics"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  for (const char* part : {"system TransformerCBothSides: 7 edges, 3 branches, 4 chords; order 1 by the tree",
                           "C2           branch       C2.v           C2.i           stores",
                           "R            chord        R.i            R.v            dissipates",
                           "      C1            .         -1   .  |  +1   .   .            .",
                           "      V           .          .  +1  |   .  +1   .            .",
                           "C1 closes a circuit with T.primary", "statistics\n  islands 1 (coupled 1"})
    EXPECT_TRUE(Contains(run.out, part)) << part << "\n" << run.out;
}

TEST(TreeCommand, SaysWhereTheTreesDiffer) {
  const Ran run = RunCotree({"tree", Model("opamp_integrator")});
  EXPECT_TRUE(Contains(run.out, "The trees differ")) << run.out;
  EXPECT_TRUE(Contains(run.out, "branch across")) << run.out;
  EXPECT_TRUE(Contains(run.out, "branch through")) << run.out;
}

// Every circuit is orthogonal to every cut-set where the trees are the same; as many primary variables as
// edges.
TEST(TreeCommand, MatricesAreThoseOfATree) {
  size_t products = 0;
  for (std::vector<std::string> words : EverySystem()) {
    words.insert(words.begin(), "tree");
    words.insert(words.end(), {"--format", "json"});
    const Ran run = RunCotree(words);
    if (run.exit_code != 0) continue;
    const Json system = Json::parse(run.out).at("system");
    size_t primary = 0, different = 0;
    for (const Json& edge : system.at("edges")) {
      const bool across = edge.at("across_primary"), through = edge.at("through_primary");
      primary += (across ? 1u : 0u) + (through ? 1u : 0u);
      different += across == through ? 1 : 0;
    }
    EXPECT_EQ(primary, system.at("edges").size()) << words[1];
    if (different > 0) continue;
    const auto rows = [&](const char* name) {
      std::vector<std::map<size_t, int>> out(system.at(name).at("rows").size());
      for (const Json& entry : system.at(name).at("entries")) out[entry[0]][entry[1]] = entry[2];
      return out;
    };
    const auto circuits = rows("circuits"), cut_sets = rows("cut_sets");
    EXPECT_EQ(circuits.size() + cut_sets.size(), system.at("edges").size());
    for (const auto& circuit : circuits) {
      for (const auto& cut_set : cut_sets) {
        int product = 0;
        for (const auto& [edge, sign] : circuit)
          product += cut_set.count(edge) > 0 ? sign * cut_set.at(edge) : 0;
        EXPECT_EQ(product, 0) << words[1];
        ++products;
      }
    }
  }
  std::printf("tree: %zu products of circuits and cut-sets are 0\n", products);
  EXPECT_GE(products, 500u);
}

// --- order ------------------------------------------------------------------------------------------------

TEST(OrderCommand, TextShowsStatesBlocksAndTears) {
  const Ran run = RunCotree({"order", Model("lever_masses"), "--statistics"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  for (const char* part : {"22 equations in 15 blocks, 2 states; the largest block has 8 equations",
                           "m2.s   <-  m2.v", "differentiated, but no states", "1  explicit           F_u.y ",
                           "linear_constant  ┌ ", "m2.f = -d.f - k.f - lev.at_b.f", "cut-set of m2",
                           "* torn:", "blocks: explicit 6, linear_constant 1, sum 8"})
    EXPECT_TRUE(Contains(run.out, part)) << part << "\n" << run.out;
}

TEST(OrderCommand, EveryUnknownIsComputedOnceAndNoneIsAState) {
  size_t systems = 0;
  for (std::vector<std::string> words : EverySystem()) {
    words.insert(words.begin(), "order");
    words.insert(words.end(), {"--format", "json", "--statistics"});
    const Ran run = RunCotree(words);
    if (run.exit_code != 0) continue;
    const Json system = Json::parse(run.out).at("system");
    std::set<std::string> unknowns, states;
    for (const Json& state : system.at("states")) states.insert(state.at("name"));
    size_t equations = 0, number = 0;
    for (const Json& block : system.at("blocks")) {
      EXPECT_EQ(block.at("number").get<size_t>(), ++number);
      EXPECT_EQ(block.at("unknowns").size(), block.at("equations").size());
      equations += block.at("equations").size();
      std::set<std::string> own;
      for (const Json& unknown : block.at("unknowns")) own.insert(unknown.get<std::string>());
      for (const Json& tear : block.at("tears")) EXPECT_TRUE(own.contains(tear.get<std::string>()));
      EXPECT_TRUE(block.at("tears").empty() || block.at("tears").size() < own.size());
      for (const std::string& name : own) {
        // An output of the heat exchanger's own component has the name of its only edge's variable.
        EXPECT_TRUE(unknowns.insert(name).second || name.ends_with("_out.T")) << name;
        EXPECT_FALSE(states.contains(name)) << name;
      }
    }
    EXPECT_EQ(equations, system.at("equations").get<size_t>());
    // A derivative is a state itself, or computed.
    for (const Json& state : system.at("states")) {
      const std::string rate = state.at("derivative");
      EXPECT_NE(states.contains(rate), unknowns.contains(rate)) << rate;
    }
    for (const Json& name : system.at("dependent")) EXPECT_TRUE(unknowns.contains(name.get<std::string>()));
    ++systems;
  }
  EXPECT_GE(systems, 35u);
}

TEST(OrderCommand, TheDrawingHasEveryEntryTwice) {
  for (const std::string& file :
       {std::string("examples/positioner/positioner.cot"),
        std::string("examples/battery_vehicle/battery_vehicle.cot"), Model("lever_masses")}) {
    const Ran run = RunCotree({"order", file, "--format", "svg"});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const Json system = SystemOf({"order", file});
    const size_t half = run.out.find("<g class=\"after\">");
    ASSERT_NE(half, std::string::npos);
    const std::string before = run.out.substr(0, half), after = run.out.substr(half);
    EXPECT_EQ(Count(before, "class=\"cell"), Count(after, "class=\"cell"));
    EXPECT_EQ(Count(before, "class=\"cell own\""), system.at("equations").get<size_t>());
    EXPECT_EQ(Count(after, "class=\"cell own\""), system.at("equations").get<size_t>());
    EXPECT_EQ(Count(after, "class=\"block\""), system.at("blocks").size());
    size_t tears = 0;
    for (const Json& block : system.at("blocks")) tears += block.at("tears").size();
    EXPECT_EQ(Count(after, "class=\"tear\""), tears);
    EXPECT_EQ(Count(run.out, "<g"), Count(run.out, "</g>"));
    EXPECT_TRUE(run.out.starts_with("<svg ") && run.out.ends_with("</svg>\n"));
  }
}

// Below the diagonal of blocks only: that is what sorting is for.
TEST(OrderCommand, NothingStandsAboveTheBlocks) {
  const Ran run = RunCotree({"order", "examples/wind_turbine/wind_turbine.cot", "--format", "svg"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  struct Square {
    double x, y, size;
  };
  std::vector<Square> blocks, cells;
  std::istringstream lines(run.out.substr(run.out.find("<g class=\"after\">")));
  for (std::string line; std::getline(lines, line);) {
    const auto number = [&](const std::string& name) {
      return std::stod(line.substr(line.find(" " + name + "=\"") + name.size() + 3));
    };
    if (Contains(line, "class=\"block\"")) blocks.push_back({number("x"), number("y"), number("width")});
    if (Contains(line, "class=\"cell")) cells.push_back({number("x"), number("y"), number("width")});
  }
  EXPECT_GE(cells.size(), 150u);
  for (const Square& cell : cells) {
    for (const Square& block : blocks) {
      if (cell.y < block.y - 0.2 || cell.y > block.y + block.size) continue;
      EXPECT_LT(cell.x, block.x + block.size) << cell.y;
    }
  }
}

TEST(OrderCommand, LargeSystemsAreCut) {
  const TemporaryFolder folder;
  WriteText(folder / "ladder.cot",
            "system Ladder {\n  v : VoltageSource(V = 1 V)\n  r : Resistor[400](R = 1 ohm)\n"
            "  c : Capacitor[400](C = 1 F)\n  connect v.p -- r[1].p\n  connect r[1:399].n -- r[2:400].p\n"
            "  connect r.n -- c.p\n  for k in 1:400 { connect c[k].n -- electrical.ground }\n"
            "  connect v.n -- electrical.ground\n}\n");
  const Ran run = RunCotree({"order", "ladder.cot"}, folder.path());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_LT(Count(run.out, "\n"), 800u);
  EXPECT_TRUE(Contains(run.out, "more equations; --format json has all"));
  EXPECT_TRUE(
      Contains(RunCotree({"equations", "ladder.cot"}, folder.path()).out, "more equations; --format json"));
  EXPECT_TRUE(
      Contains(RunCotree({"linearize", "ladder.cot"}, folder.path()).out, "A is 400 x 400; --format json"));
  EXPECT_TRUE(Contains(RunCotree({"tree", "ladder.cot"}, folder.path()).out, "more; --format json has all"));
  const Ran picture = RunCotree({"order", "ladder.cot", "--format", "svg"}, folder.path());
  EXPECT_EQ(picture.exit_code, 5);
  EXPECT_TRUE(Contains(picture.err, "too many for a drawing")) << picture.err;
}

// --- equations --------------------------------------------------------------------------------------------

TEST(EquationsCommand, CausalFormIsSolved) {
  const Ran run = RunCotree({"equations", Model("rc_lowpass")});
  EXPECT_EQ(run.out,
            "system RcLowpass: 1 state, 7 equations in the order of computation\n\n"
            "    V_u.y    = if time < V_u.start then V_u.offset else V_u.height + V_u.offset\n"
            "    V.v      = V_u.y\n"
            "    R.v      = V.v - C.v\n"
            "    R.i      = R.v/R.R\n"
            "    C.i      = R.i\n"
            "    der(C.v) = C.i/C.C\n"
            "    V.i      = -R.i\n");
  const Ran block = RunCotree({"equations", Model("lever_masses")});
  EXPECT_TRUE(Contains(block.out, "(linear, constant matrix):\n    ┌ ")) << block.out;
}

TEST(EquationsCommand, SystemFormIsGroupedByOrigin) {
  const Ran run = RunCotree({"equations", Model("rc_lowpass"), "--form", "system"});
  EXPECT_TRUE(
      Contains(run.out,
               "\n  R\n    R.v = R.R*R.i\n\n  V\n    V.v = V_u.y\n"
               "\n  V_u\n    V_u.y = if time < V_u.start then V_u.offset else V_u.height + V_u.offset\n"
               "\n  circuits\n    R.v = V.v - C.v\n"
               "\n  cut-sets\n    C.i = R.i\n    V.i = -R.i\n"))
      << run.out;
  const Json system = SystemOf({"equations", Model("rc_lowpass"), "--form", "system"});
  EXPECT_EQ(system.at("groups").size(), 6u);
}

TEST(EquationsCommand, StateSpaceAsOneWouldWriteIt) {
  const Ran run = RunCotree({"equations", Model("two_mass_free"), "--form", "state-space"});
  EXPECT_TRUE(Contains(run.out, "  v_m1' = (F - d·(v_m1 - v_m2) - k·(s_m1 - s_m2))/m_m1\n") ||
              Contains(run.out, "v_m1' = "))
      << run.out;
  const Ran free = RunCotree({"equations", Model("two_mass_free"), "--form", "state-space", "--input",
                              "F_u.y", "--output", "k.f", "--symbolic", "none"});
  EXPECT_TRUE(Contains(free.out, "  f = 10·(s_m1 - s_m2)\n") ||
              Contains(free.out, "  f     = 10·s_m1 - 10·s_m2\n"))
      << free.out;
  const Json system =
      SystemOf({"equations", Model("two_mass_free"), "--form", "state-space", "--input", "F_u.y"});
  EXPECT_TRUE(system.at("linear").get<bool>());
  const Json& space = system.at("state_space");
  EXPECT_EQ(space.at("derivatives").size(), 4u);
  EXPECT_TRUE(space.at("steps").empty());
}

TEST(EquationsCommand, NumbersInThePlaceOfLetters) {
  const TemporaryFolder folder;
  WriteText(folder / "c.cot",
            "system C {\n  v : VoltageSource(V = 6 V)\n  r : Resistor(R = 2 ohm)\n  c : Capacitor(C = 1 F)\n"
            "  connect v.p -- r.p\n  connect r.n -- c.p\n  connect v.n -- c.n -- electrical.ground\n}\n");
  const auto line = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"equations", "c.cot", "--form", "state-space"});
    const Ran run = RunCotree(words, folder.path());
    EXPECT_EQ(run.exit_code, 0) << run.err;
    const size_t at = run.out.find("  v' = ");
    return at == std::string::npos ? run.out : run.out.substr(at + 2, run.out.find('\n', at) - at - 2);
  };
  EXPECT_EQ(line({}), "v' = (V - v)/(C·R)");
  EXPECT_EQ(line({"--symbolic", "none"}), "v' = (6 - v)/2");
  EXPECT_EQ(line({"--symbolic", "none", "--set", "r.R = 4 ohm", "--set", "c.C=2 F"}), "v' = (6 - v)/8");
  EXPECT_EQ(line({"--symbolic", "r.R"}), "v' = (6 - v)/R");
  EXPECT_EQ(line({"--symbolic", "r", "--symbolic", "v"}), "v' = (V - v)/R");
  const Ran wrong =
      RunCotree({"equations", "c.cot", "--form", "state-space", "--symbolic", "r.Q"}, folder.path());
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_TRUE(Contains(wrong.err, "there is no parameter or component `r.Q`; did you mean `r.R`?"))
      << wrong.err;
}

TEST(EquationsCommand, FormsThatDoNotGoTogetherAreRefused) {
  const std::string file = Model("rc_lowpass");
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"--form", "causal", "--format", "latex"},
                                             {"--form", "causal", "--expand"},
                                             {"--form", "system", "--symbolic", "all"},
                                             {"--form", "linear", "--format", "sympy"},
                                             {"--form", "state-space", "--prefer", "R.x"}}) {
    std::vector<std::string> all{"equations", file};
    all.insert(all.end(), words.begin(), words.end());
    const Ran run = RunCotree(all);
    EXPECT_EQ(run.exit_code, 2) << run.out;
    EXPECT_TRUE(Contains(run.err, "cotree: ")) << run.err;
  }
  EXPECT_TRUE(Contains(RunCotree({"equations", file, "--format", "latex"}).out, "\\end{document}"));
}

TEST(EquationsCommand, TransferFunctionWithTheDerivativeOfTheInput) {
  // The tyre's damper needs the rate of the road.
  const Ran run =
      RunCotree({"equations", "examples/quarter_car/quarter_car.cot", "--system", "QuarterCar", "--form",
                 "linear", "--input", "road.u", "--output", "body.s", "--symbolic", "none"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(Contains(run.out, "B_du1")) << run.out;
  EXPECT_FALSE(Contains(run.out, "/du")) << run.out;
}

// An input of the system is what its parts read, not a second input beside theirs.
TEST(EquationsCommand, AnInputOfTheSystemIsOne) {
  const TemporaryFolder folder;
  WriteText(folder / "r.cot",
            "system S {\n  input u : Voltage\n  a : SignalVoltageSource\n  b : SignalVoltageSource\n  r : "
            "Resistor(R = 2 ohm)\n"
            "  l : Inductor(L = 3 mH)\n  connect u -> a.u, b.u\n  connect a.p -- r.p\n  connect r.n -- l.p\n "
            " connect l.n -- b.p\n"
            "  connect a.n -- b.n -- electrical.ground\n}\n");
  const Json system = SystemOf({"linearize", (folder / "r.cot").string(), "--output", "r.v"});
  EXPECT_EQ(system.at("inputs"), Json::array({"u"}));
}

TEST(EquationsCommand, DerivationOfALargeSystemIsToldByClass) {
  const TemporaryFolder folder;
  WriteText(folder / "line.cot",
            "system Line {\n  parameter n : Integer = 500\n  v : VoltageSource(V = 1 V)\n  r : Resistor[n](R "
            "= 1 ohm)\n"
            "  c : Capacitor[n](C = 1 mF)\n  connect v.p -- r[1].p\n  connect r[1:n-1].n -- r[2:n].p\n  "
            "connect r.n -- c.p\n"
            "  connect c.n -- electrical.ground\n  connect v.n -- electrical.ground\n}\n");
  const Ran run = RunCotree({"derive", "line.cot"}, folder.path());
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(Contains(run.out, "too many to list")) << run.out;
  EXPECT_TRUE(Contains(run.out, "500")) << run.out;
}

// --- linearize --------------------------------------------------------------------------------------------

/** x' = A x + sum of B_k u^(k), y = C x + sum of D_k u^(k), read from what the command prints. */
class Response {
 public:
  explicit Response(const Json& system)
      : a_(system.at("A")), c_(system.at("C")), b_{system.at("B")}, d_{system.at("D")} {
    for (const Json& more : system.at("input_derivatives")) {
      b_.push_back(more.at("B_du"));
      d_.push_back(more.at("D_du"));
      EXPECT_EQ(more.at("order").get<size_t>() + 1, b_.size());
    }
  }
  Complex At(size_t output, size_t input, double omega) const {
    const size_t n = a_.size();
    const Complex s(0, omega);
    std::vector<std::vector<Complex>> m(n, std::vector<Complex>(n + 1));
    const auto total = [&](const std::vector<Json>& matrices, size_t row) {
      Complex sum = 0, power = 1;
      for (const Json& matrix : matrices) {
        sum += matrix[row][input].get<double>() * power;
        power *= s;
      }
      return sum;
    };
    for (size_t i = 0; i < n; ++i) {
      for (size_t j = 0; j < n; ++j) m[i][j] = (i == j ? s : 0) - a_[i][j].get<double>();
      m[i][n] = total(b_, i);
    }
    for (size_t k = 0; k < n; ++k) {
      size_t pivot = k;
      for (size_t i = k; i < n; ++i) pivot = std::abs(m[i][k]) > std::abs(m[pivot][k]) ? i : pivot;
      std::swap(m[k], m[pivot]);
      for (size_t i = 0; i < n; ++i) {
        if (i == k) continue;
        const Complex factor = m[i][k] / m[k][k];
        for (size_t j = k; j <= n; ++j) m[i][j] -= factor * m[k][j];
      }
    }
    Complex y = total(d_, output);
    for (size_t j = 0; j < n; ++j) y += c_[output][j].get<double>() * m[j][n] / m[j][j];
    return y;
  }

 private:
  Json a_, c_;
  std::vector<Json> b_, d_;
};

TEST(LinearizeCommand, FrequencyResponsesOfNetworksSolvedElsewhere) {
  const Json networks = Json::parse(ReadText(test::kRoot / "tests/models/expected/networks.json"));
  size_t values = 0, derivatives = 0;
  for (const Json& network : networks.at("cases")) {
    if (!network.at("expected").contains("frequency_response")) continue;
    const std::string id = network.at("id");
    SCOPED_TRACE(id);
    std::vector<std::string> words{"linearize", Model(id)};
    for (const Json& input : network.at("netlist").at("inputs"))
      words.insert(words.end(), {"--input", input.get<std::string>() + ".u"});
    DiskReader reader;
    const auto loaded = LoadModel((test::kRoot / Model(id)).string(), reader);
    for (const std::string& plot : loaded->model.experiments.at(0).plot_texts)
      words.insert(words.end(), {"--output", plot});
    const Json system = SystemOf(words);
    derivatives += system.at("input_derivatives").size();
    const Response response(system);
    for (const Json& point : network.at("expected").at("frequency_response")) {
      for (size_t i = 0; i < point.at("H_re").size(); ++i) {
        for (size_t j = 0; j < point.at("H_re")[i].size(); ++j) {
          const Complex expected(point.at("H_re")[i][j], point.at("H_im")[i][j]);
          const Complex found = response.At(i, j, point.at("omega"));
          EXPECT_LE(std::abs(found - expected), 1e-9 * (1 + std::abs(expected)))
              << found << " instead of " << expected;
          ++values;
        }
      }
    }
  }
  std::printf(
      "linearize: %zu values of frequency responses agree, with %zu matrices for derivatives of inputs\n",
      values, derivatives);
  EXPECT_GE(values, 100u);
  EXPECT_GE(derivatives, 2u);
}

TEST(LinearizeCommand, TextHasMatricesDerivativesAndPoles) {
  const Ran run = RunCotree(
      {"linearize", Model("c_loop_vsource"), "--input", "V.u", "--output", "R.v", "--output", "V.i"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  for (const char* part : {"1 state, 1 input, 2 outputs", "\n  A ", "\n  B ", "\n  C ", "\n  D ",
                           "\n  D_du1  V.u'\n", "  V.i    -1.2\n", "real  imaginary", "-0.05"})
    EXPECT_TRUE(Contains(run.out, part)) << part << "\n" << run.out;
  const Ran oscillator = RunCotree({"linearize", Model("rlc_series")});
  EXPECT_TRUE(Contains(oscillator.out, "-1  +-4.3589i  4.47214  0.711763  0.223607            1 s\n"))
      << oscillator.out;
  EXPECT_FALSE(Contains(oscillator.out, "_du")) << oscillator.out;
}

TEST(LinearizeCommand, JsonNumbersAreExact) {
  const Json system = SystemOf({"linearize", Model("lever_masses")});
  EXPECT_NEAR(system.at("A").at(1).at(0).get<double>(), -200.0 / 3, 1e-12);
  EXPECT_NEAR(system.at("poles").at(0).at("natural_frequency").get<double>(), std::sqrt(200.0 / 3), 1e-12);
}

TEST(LinearizeCommand, UnknownNamesGetASuggestion) {
  const std::string file = "examples/positioner/positioner.cot";
  const Ran input = RunCotree({"linearize", file, "--input", "drve.u"});
  EXPECT_EQ(input.exit_code, 2);
  EXPECT_TRUE(Contains(input.err, "no input or output `drve.u`")) << input.err;
  EXPECT_TRUE(Contains(input.err, "did you mean `drive.u`?")) << input.err;
  const Ran output = RunCotree({"linearize", file, "--output", "load.fi"});
  EXPECT_EQ(output.exit_code, 2);
  EXPECT_TRUE(Contains(output.err, "did you mean `load.phi`?")) << output.err;
  EXPECT_EQ(output.out, "");
  const Ran high = RunCotree({"linearize", file, "--output", "der(load.alpha)"});
  EXPECT_EQ(high.exit_code, 2);
  EXPECT_TRUE(Contains(high.err, "is not computed")) << high.err;
  EXPECT_EQ(RunCotree({"equations", file, "--form", "state-space", "--input", "drve.u"}).exit_code, 2);
}

TEST(LinearizeCommand, AStartThatCannotBeComputedIsANumericalFailure) {
  const TemporaryFolder folder;
  WriteText(folder / "c.cot",
            "component Impossible {\n  terminal p, n : electrical\n  edge e : p -> n\n"
            "  equation (e.v/1 V)^2 + (e.i/1 A)^2 + 1 = 0\n}\n"
            "system S {\n  x : Impossible\n  r : Resistor(R = 1 ohm)\n  connect x.p -- r.p\n"
            "  connect x.n -- r.n -- electrical.ground\n}\n");
  const Ran run = RunCotree({"linearize", "c.cot"}, folder.path());
  EXPECT_EQ(run.exit_code, 4) << run.err;
  EXPECT_TRUE(Contains(run.err, "at the start")) << run.err;
  EXPECT_EQ(run.out, "");
}

// --- All of them ------------------------------------------------------------------------------------------

TEST(SystemCommands, ABrokenModelIsRefusedWithItsFindings) {
  for (const std::string& command : kCommands) {
    for (const char* file : {"tests/demo/positioner_broken.cot", "tests/models/err_v_loop.cot"}) {
      const Ran run = RunCotree({command, file});
      EXPECT_EQ(run.exit_code, 1) << command;
      EXPECT_EQ(run.out, "") << command;
      EXPECT_TRUE(Contains(run.err, "error[COT")) << run.err;
      const Ran json = RunCotree({command, file, "--format", "json"});
      EXPECT_EQ(json.exit_code, 1) << command;
      EXPECT_EQ(json.err, "") << command;
      const Json output = Json::parse(json.out);
      EXPECT_EQ(output.at("schema"), "cotree." + command + (command == "equations" ? "/2" : "/1"));
      EXPECT_FALSE(output.at("ok").get<bool>());
      EXPECT_TRUE(output.at("system").is_null());
      EXPECT_FALSE(output.at("diagnostics").empty());
    }
  }
}

TEST(SystemCommands, UsageAndFiles) {
  const TemporaryFolder folder;
  WriteText(folder / "empty.cot", "// nothing\n");
  const std::string several = "examples/opamp_filters/opamp_filters.cot", one = Model("rc_lowpass");
  for (const std::string& command : kCommands) {
    SCOPED_TRACE(command);
    const Ran choose = RunCotree({command, several});
    EXPECT_EQ(choose.exit_code, 2);
    EXPECT_TRUE(Contains(choose.err, "choose one with --system")) << choose.err;
    const Ran wrong = RunCotree({command, several, "--system", "SallenKex"});
    EXPECT_EQ(wrong.exit_code, 2);
    EXPECT_TRUE(Contains(wrong.err, "did you mean `SallenKey`?")) << wrong.err;
    const Ran chosen = RunCotree({command, several, "--system", "SallenKey"});
    EXPECT_EQ(chosen.exit_code, 0) << chosen.err;
    EXPECT_TRUE(Contains(chosen.out, "system SallenKey")) << chosen.out;
    EXPECT_EQ(RunCotree({command, (folder / "empty.cot").string()}).exit_code, 2);
    EXPECT_EQ(RunCotree({command, "missing.cot"}).exit_code, 5);
    EXPECT_EQ(RunCotree({command, one, "--format", "png"}).exit_code, 2);
    EXPECT_EQ(RunCotree({command, one, "--set", "R.R"}).exit_code, 2);
    EXPECT_EQ(RunCotree({command, one, "--set", "R.R = 3 V"}).exit_code, 1) << "a voltage for a resistance";
    EXPECT_EQ(RunCotree({command, one, "--set", "Q.R = 3 ohm"}).exit_code, 1);
    EXPECT_EQ(RunCotree({command, one, "-o", "nowhere/c.txt"}).exit_code, 5);
    const Ran file = RunCotree({command, one, "-o", (folder / "out.txt").string()});
    EXPECT_EQ(file.out, "");
    EXPECT_EQ(ReadText(folder / "out.txt"), RunCotree({command, one}).out);
  }
}

TEST(SystemCommands, SameInputSameOutput) {
  for (const std::string& command : kCommands) {
    for (const char* format : {"text", "json"}) {
      const std::vector<std::string> words{command, "examples/wind_turbine/wind_turbine.cot", "--format",
                                           format};
      EXPECT_EQ(RunCotree(words).out, RunCotree(words).out) << command;
    }
  }
}

// Every block of the manual that begins with `$ cotree` shows what is printed; a line `...` leaves some out.
// The first model is `file`, further ones are introduced by "In `NAME.cot`".
void CheckPage(const char* name, const char* file, size_t least) {
  const std::string page = ReadText(test::kRoot / "docs/manual" / name);
  const TemporaryFolder folder;
  const auto block_after = [&](const std::string& mark, size_t* at) -> std::string {
    const size_t begin = page.find("```" + mark + "\n", *at);
    if (begin == std::string::npos) return {};
    const size_t first = page.find('\n', begin) + 1, end = page.find("```", first);
    *at = end + 3;
    return page.substr(first, end - first);
  };
  size_t at = 0, shown = 0;
  WriteText(folder / file, block_after("cot", &at));
  for (size_t in = page.find("In `", at); in != std::string::npos; in = page.find("In `", in + 1)) {
    const std::string model = page.substr(in + 4, page.find('`', in + 4) - in - 4);
    size_t behind = in;
    if (model.ends_with(".cot")) WriteText(folder / model, block_after("cot", &behind));
  }
  for (std::string block = block_after("text", &at); !block.empty(); block = block_after("text", &at)) {
    ASSERT_TRUE(block.starts_with("$ cotree ")) << block;
    std::istringstream lines(block);
    std::string line, chunk;
    std::getline(lines, line);
    std::istringstream command(line.substr(9));
    std::vector<std::string> words;
    for (std::string word; command >> word;) words.push_back(word);
    const std::string printed = RunCotree(words, folder.path()).out;
    size_t place = 0;
    const auto expect = [&] {
      const size_t found = printed.find(chunk, place);
      EXPECT_NE(found, std::string::npos) << line << "\n" << chunk << "\nis not in\n" << printed;
      place = found == std::string::npos ? place : found + chunk.size();
      chunk.clear();
    };
    const bool whole = !Contains(block, "\n...\n");
    for (std::string text; std::getline(lines, text);) {
      if (text == "...")
        expect();
      else
        chunk += text + "\n";
    }
    if (whole) {
      EXPECT_EQ(chunk, printed) << block;
    }
    expect();
    ++shown;
  }
  EXPECT_GE(shown, least);
}

TEST(SystemCommands, TheManualShowsWhatIsPrinted) {
  CheckPage("equations.md", "drive.cot", 18);
  CheckPage("derivation.md", "drive.cot", 10);
  CheckPage("first_model.md", "lamp.cot", 4);
  CheckPage("tutorial_electrical.md", "buck.cot", 6);
  CheckPage("tutorial_mechanics_1d.md", "hoist.cot", 6);
  CheckPage("tutorial_hydraulic.md", "lift.cot", 6);
  CheckPage("tutorial_thermal.md", "oven.cot", 5);
  CheckPage("tutorial_signals.md", "servo.cot", 8);
  CheckPage("tutorial_mechanics_3d.md", "governor.cot", 7);
  CheckPage("tutorial_multidomain.md", "conveyor.cot", 8);
  CheckPage("control.md", "drive.cot", 4);
  CheckPage("simulate.md", "low_pass.cot", 3);
  CheckPage("results.md", "low_pass.cot", 6);
  CheckPage("sweep.md", "drive.cot", 2);
  CheckPage("emit.md", "drive.cot", 2);
}

}  // namespace
}  // namespace cotree

// SPDX-License-Identifier: Apache-2.0
// `cotree plot`, `convert`, `compare` and what `simulate` writes and draws, as a user meets them.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "product_support.h"
#include "results/result.h"

namespace cotree {
namespace {

using test::Contains;
using test::Ran;
using test::ReadText;
using test::RunCotree;
using test::TemporaryFolder;
using test::WriteText;

constexpr const char* kModel = R"(
system LowPass {
  step   : Step(height = 5 V, start = 1 ms)
  source : SignalVoltageSource
  r      : Resistor(R = 1 kohm)
  c      : Capacitor(C = 1 uF)
  connect step.y -> source.u
  connect source.p -- r.p
  connect r.n -- c.p
  connect source.n -- c.n -- electrical.ground
}
experiment Charge of LowPass { stop = 5 ms   plot c.v, r.i }
)";

/* A folder with a model, and runs of it. */
class ResultCommands : public testing::Test {
 protected:
  ResultCommands() { WriteText(folder / "m.cot", kModel); }

  Ran Run(const std::vector<std::string>& words) const { return RunCotree(words, folder.path()); }
  void Simulate(const std::string& out, std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"simulate", "m.cot", "--out", out});
    const Ran run = Run(more);
    ASSERT_EQ(run.exit_code, 0) << run.err;
  }
  bool Exists(const std::string& name) const { return test::fs::exists(folder / name); }
  void ExpectRefused(const std::vector<std::string>& words, int code, const std::string& message) const {
    const Ran run = Run(words);
    EXPECT_EQ(run.exit_code, code) << run.err;
    EXPECT_TRUE(Contains(run.err, message)) << run.err;
  }

  const TemporaryFolder folder;
};

// A component's own variable, and the one of its only edge, whose name may be left out.
TEST_F(ResultCommands, NoTwoColumnsHaveOneName) {
  for (const char* own : {"v", "f", "s", "w"}) {
    WriteText(
        folder / "twice.cot",
        std::string("component Block { terminal a : translational  parameter m : Mass = 1 kg\n  variable ") +
            own + " : Real  edge e : a -> reference  equation e.f = m*der(e.v)  " + own +
            " = 7 }\nsystem S { block : Block  push : ForceSource(force = 1 N)\n"
            "  connect push.b -- block.a  connect push.a -- translational.ground }\n"
            "experiment E of S { stop = 1 s }\n");
    for (const char* command : {"simulate", "report"}) {
      const Ran run = Run({command, "twice.cot", "--out", "twice.csv"});
      EXPECT_EQ(run.exit_code, 0) << command << own << run.err;
    }
    const Ran run = Run({"simulate", "twice.cot", "--csv"});
    std::istringstream names(run.out.substr(0, run.out.find('\n')));
    std::set<std::string> seen;
    for (std::string name; std::getline(names, name, ',');) EXPECT_TRUE(seen.insert(name).second) << name;
    EXPECT_TRUE(seen.contains(std::string("block.") + own));
  }
}

TEST_F(ResultCommands, SimulateWritesEveryFormatAndTheyAgree) {
  for (const char* name : {"r.cotr", "r.csv", "r.mat", "r.h5", "r.txt"}) Simulate(name);
  EXPECT_EQ(ReadText(folder / "r.csv"), ReadText(folder / "r.txt")) << "an unknown ending means CSV";
  EXPECT_EQ(ReadText(folder / "r.csv"), Run({"simulate", "m.cot", "--csv"}).out);
  for (const char* name : {"r.csv", "r.mat", "r.h5"}) {
    const Ran run = Run({"compare", "r.cotr", name, "--rtol", "0", "--atol", "0"});
    EXPECT_EQ(run.exit_code, 0) << name << run.out << run.err;
    EXPECT_TRUE(Contains(run.out, "8 variables at 501 times from 0 to 0.005 s")) << run.out;
  }
  std::string problem;
  const auto result = ReadResult((folder / "r.cotr").string(), &problem);
  ASSERT_TRUE(result.has_value());
  EXPECT_TRUE(result->complete());
  EXPECT_EQ(result->header.model, "LowPass");
  EXPECT_EQ(result->header.experiment, "Charge");
  EXPECT_EQ(result->header.model_hash.size(), 16u);
  EXPECT_EQ(result->header.plots, (std::vector<std::string>{"c.v", "r.i"}));
  EXPECT_EQ(result->header.columns[*result->header.Find("c.v")].unit, "V");
  ASSERT_EQ(result->events.size(), 1u);
  EXPECT_EQ(result->events[0].time, 1e-3);
}

TEST_F(ResultCommands, EqualVariablesAreStoredOnce) {
  for (const char* name : {"r.cotr", "r.mat", "r.h5"}) {
    Simulate(name);
    std::string problem;
    const auto result = ReadResult((folder / name).string(), &problem);
    ASSERT_TRUE(result.has_value()) << problem;
    const auto column = [&](const char* variable) { return *result->header.Find(variable); };
    size_t stored = 0;
    for (const char* current : {"r.i", "c.i", "source.i"})
      stored += result->header.columns[column(current)].stored();
    EXPECT_EQ(stored, 1u) << name << ": one current flows through all three";
    const auto r = result->Values(column("r.i")), c = result->Values(column("c.i")),
               source = result->Values(column("source.i"));
    const auto v = result->Values(column("r.v")), step = result->Values(column("step.y")),
               u = result->Values(column("source.v"));
    ASSERT_EQ(r.size(), result->times.size());
    double largest = 0;
    for (size_t k = 0; k < r.size(); ++k) {
      EXPECT_EQ(c[k], r[k]);
      EXPECT_EQ(source[k], -r[k]);
      EXPECT_EQ(u[k], step[k]);
      EXPECT_NEAR(1000 * r[k], v[k], 1e-12);  // Ohm
      largest = std::max(largest, r[k]);
    }
    EXPECT_NEAR(largest, 5e-3, 1e-9);
    EXPECT_EQ(result->header.columns[column("source.i")].unit, "A");
  }
  // By its own name for every command, stored or not.
  EXPECT_EQ(Run({"plot", "r.cotr", "source.i", "--out", "i.svg"}).exit_code, 0);
  EXPECT_TRUE(Contains(ReadText(folder / "i.svg"), "source.i"));
  ASSERT_EQ(Run({"convert", "r.mat", "i.csv", "--filter", "source.i,r.i"}).exit_code, 0);
  EXPECT_TRUE(ReadText(folder / "i.csv").starts_with("time,source.i,r.i\n"));
  // What came before an interruption is taken over under every name.
  Simulate("whole.cotr");
  Simulate("part.cotr", {"--checkpoint", "part.ckp"});
  const Ran resumed =
      Run({"simulate", "m.cot", "--out", "part.cotr", "--checkpoint", "part.ckp", "--resume"});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_EQ(Run({"compare", "whole.cotr", "part.cotr", "--rtol", "0", "--atol", "0"}).exit_code, 0);
}

TEST_F(ResultCommands, DescriptionsAndSomeVariablesOnly) {
  WriteText(folder / "m.cot", R"(
component Lag "first-order lag" {
  input u : Real   output y : Real "what comes out"
  variable twice : Real
  equation
    der(y) = (u - y)/(1 s)
    twice = 2*y
}
system S { one : Constant(k = 1)   lag : Lag   connect one.y -> lag.u }
)");
  Simulate("all.cotr");
  std::string problem;
  const auto all = ReadResult((folder / "all.cotr").string(), &problem);
  ASSERT_TRUE(all.has_value()) << problem;
  EXPECT_EQ(all->header.columns[*all->header.Find("lag.y")].description, "what comes out");
  EXPECT_EQ(all->header.columns[*all->header.Find("lag.twice")].description, "first-order lag");
  Simulate("some.cotr", {"--only", "lag.t*", "--only", "lag.y"});
  const auto some = ReadResult((folder / "some.cotr").string(), &problem);
  ASSERT_TRUE(some.has_value()) << problem;
  ASSERT_EQ(some->header.columns.size(), 2u);
  EXPECT_EQ(some->header.columns[0].name, "lag.twice");
  EXPECT_NEAR(some->columns[0].back(), 2 * (1 - std::exp(-1)), 1e-5);
  EXPECT_TRUE(Run({"simulate", "m.cot", "--csv", "--only", "lag.y"}).out.starts_with("time,lag.y\n0,0\n"));
  ExpectRefused({"simulate", "m.cot", "--only", "lag.z"}, 2, "there is no variable `lag.z`");
}

TEST_F(ResultCommands, TheHashFollowsTheModelAndItsSettings) {
  const auto hash = [&](const char* name) {
    std::string problem;
    return ReadResult((folder / name).string(), &problem)->header.model_hash;
  };
  Simulate("a.cotr");
  Simulate("b.cotr");
  Simulate("c.cotr", {"--set", "r.R=2kohm"});
  EXPECT_EQ(hash("a.cotr"), hash("b.cotr"));
  EXPECT_NE(hash("a.cotr"), hash("c.cotr"));
}

TEST_F(ResultCommands, AScaleIsTheSizeOfAState) {
  Simulate("scaled.csv", {"--scale", "c.v = 1 mV"});
  ExpectRefused({"simulate", "m.cot", "--scale", "r.v = 1 V"}, 2, "it is no state");
  ExpectRefused({"simulate", "m.cot", "--scale", "c.v = 1 kg"}, 2, "does not fit; it is measured in V");
  ExpectRefused({"simulate", "m.cot", "--scale", "c.v"}, 2, "--scale wants `state = size`");
}

// By another's reader: names, rows, constants, aliases of both signs.
TEST_F(ResultCommands, SciPyReadsMat) {
  const std::string model = (test::kRoot / "examples/positioner/positioner.cot").string();
  for (const char* out : {"p.mat", "p.csv"}) {
    const Ran run = Run({"simulate", model, "--out", out});
    ASSERT_EQ(run.exit_code, 0) << run.err;
  }
  const std::string script = (test::kRoot / "tests/read_mat.py").string();
  const int status = std::system(("/usr/bin/python3 " + test::Quoted(script) + " " +
                                  test::Quoted((folder / "p.mat").string()) + " " +
                                  test::Quoted((folder / "p.csv").string()))
                                     .c_str());
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77 || WEXITSTATUS(status) == 127) GTEST_SKIP() << "there is no SciPy here";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(ResultCommands, SimulateDraws) {
  const Ran run = Run({"simulate", "m.cot", "--plot"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(Contains(run.out, "\nm_plot.svg\n")) << run.out;
  const std::string svg = ReadText(folder / "m_plot.svg");
  for (const char* part : {"LowPass: Charge", "c.v [V]", "r.i [mA]", "time [ms]", "<title>switch</title>"})
    EXPECT_TRUE(Contains(svg, part)) << part;
  EXPECT_EQ(Run({"simulate", "m.cot", "--plot", "r.v,der(c.v)", "--plot-out", "p.png"}).exit_code, 0);
  EXPECT_EQ(ReadText(folder / "p.png").substr(1, 3), "PNG");
  ExpectRefused({"simulate", "m.cot", "--plot", "c.vv"}, 2, "did you mean `c.v`");
  ExpectRefused({"simulate", "m.cot", "--plot-out", "p.pdf"}, 2, ".svg or .png");
  ExpectRefused({"simulate", "m.cot", "--plot", "--plot-out", "nowhere/p.svg"}, 5, "nowhere/p.svg");
}

TEST_F(ResultCommands, PlotDrawsAndCompares) {
  Simulate("a.cotr");
  Simulate("b.csv", {"--set", "r.R=2kohm"});
  Ran run = Run({"plot", "a.cotr"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out, "a.svg\n");
  run =
      Run({"plot", "a.cotr", "c.*,r.v", "r.i", "--with", "b.csv", "--out", "both.svg", "--title", "R & 2R"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const std::string svg = ReadText(folder / "both.svg");
  for (const char* part : {"c.v (a)", "c.v (b)", "r.v (b)", "R &amp; 2R"})
    EXPECT_TRUE(Contains(svg, part)) << part;
}

TEST_F(ResultCommands, ConvertFilters) {
  Simulate("a.cotr");
  const Ran run = Run({"convert", "a.cotr", "c.csv", "--filter", "c.*", "--filter", "r.i"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out, "502 rows of 3 variables in c.csv\n");
  EXPECT_TRUE(ReadText(folder / "c.csv").starts_with("time,c.v,c.i,r.i\n"));
}

TEST_F(ResultCommands, CompareFindsTheWorst) {
  Simulate("a.cotr");
  Simulate("b.mat", {"--set", "r.R=1.1kohm"});
  Simulate("short.cotr", {"--stop", "4 ms", "--interval", "10 us"});
  Ran run = Run({"compare", "a.cotr", "b.mat"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(Contains(run.out, "6 deviate")) << run.out;
  EXPECT_EQ(Run({"compare", "a.cotr", "b.mat", "--rtol", "0.2"}).exit_code, 0);
  run = Run({"compare", "a.cotr", "short.cotr"});
  EXPECT_EQ(run.exit_code, 1) << "a run that ended early is not the same";
  EXPECT_TRUE(Contains(run.out, "they do not cover the same time")) << run.out;
}

TEST_F(ResultCommands, WrongInputIsSaid) {
  Simulate("a.cotr");
  WriteText(folder / "empty.csv", "");
  WriteText(folder / "other.csv", "time,x\n0,1\n1,2\n");
  WriteText(folder / "text.csv", "hello\n");
  ExpectRefused({"plot", "a.cotr", "c.u"}, 2, "did you mean");
  ExpectRefused({"plot", "a.cotr", "x.*"}, 2, "no variable in a.cotr fits `x.*`");
  ExpectRefused({"plot", "a.cotr", "--with", "other.csv"}, 2, "none of c.v, r.i");
  ExpectRefused({"plot", "a.cotr", "-o", "a.pdf"}, 2, ".svg or .png");
  ExpectRefused({"plot", "missing.cotr"}, 5, "No such file");
  ExpectRefused({"plot", "empty.csv"}, 5, "is empty");
  ExpectRefused({"plot", "text.csv"}, 5, "no table");
  ExpectRefused({"compare", "a.cotr", "other.csv"}, 2, "no variable in common");
  ExpectRefused({"compare", "a.cotr", "a.cotr", "--rtol", "-1"}, 2, "negative");
  ExpectRefused({"convert", "a.cotr", "a.txt"}, 2, ".cotr, .csv, .mat or .h5");
  ExpectRefused({"convert", "a.cotr", "a.cotr"}, 2, "would be lost");
  ExpectRefused({"convert", "a.cotr", "nowhere/a.mat"}, 5, "nowhere/a.mat");
  ExpectRefused({"convert", "a.cotr", "nowhere/a.h5"}, 5, "nowhere/a.h5");
  std::string names = "time", row = "0";
  for (int k = 0; k < 20; ++k) {
    names += ",x" + std::to_string(k);
    row += ",0";
  }
  WriteText(folder / "many.csv", names + "\n" + row + "\n");
  ExpectRefused({"plot", "many.csv"}, 2, "has 20 variables; name those to draw");
}

TEST_F(ResultCommands, ACutFileIsUsedAsFarAsItGoes) {
  Simulate("a.cotr", {"--interval", "1 us"});
  const std::string bytes = ReadText(folder / "a.cotr");
  WriteText(folder / "cut.cotr", bytes.substr(0, bytes.size() * 2 / 3));
  const Ran run = Run({"plot", "cut.cotr", "c.v"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(Contains(run.err, "the file was cut")) << run.err;
  EXPECT_TRUE(Contains(run.err, "interrupted")) << run.err;
  EXPECT_EQ(Run({"compare", "a.cotr", "cut.cotr"}).exit_code, 1);
}

// Files of others have columns in their own units: what is compared, drawn together or written as CSV is SI.
TEST_F(ResultCommands, ColumnsInOtherUnits) {
  WriteText(folder / "mv.csv", "time [ms],a [mV],T [degC],w [rpm]\n0,1000,20,60\n1000,2000,30,120\n");
  WriteText(folder / "si.csv", "time,a,T,w\n0,1,293.15,6.283185307179586\n1,2,303.15,12.566370614359172\n");
  WriteText(folder / "ampere.csv", "time,a [A]\n0,1\n1,2\n");
  WriteText(folder / "volt.csv", "time,a [V]\n0,1\n1,2\n");
  EXPECT_EQ(Run({"convert", "mv.csv", "out.csv"}).exit_code, 0);
  EXPECT_EQ(Run({"compare", "out.csv", "si.csv", "--rtol", "1e-12"}).exit_code, 0);
  EXPECT_EQ(Run({"compare", "mv.csv", "volt.csv", "--rtol", "1e-12"}).exit_code, 0);
  EXPECT_EQ(Run({"convert", "mv.csv", "out.cotr"}).exit_code, 0);
  EXPECT_EQ(Run({"compare", "out.cotr", "si.csv", "--rtol", "1e-12"}).exit_code, 0);
  const Ran other = Run({"compare", "ampere.csv", "volt.csv"});
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_NE(other.err.find("`a` is in A in ampere.csv and in V in volt.csv"), std::string::npos) << other.err;
}

}  // namespace
}  // namespace cotree

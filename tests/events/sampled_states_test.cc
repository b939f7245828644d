// SPDX-License-Identifier: Apache-2.0
// Foreign code that is sampled and has continuous states: integrated between its samples, stepped at them.
// Against a closed form, and against the same law written with `when sample`.
#include <gtest/gtest.h>

#include <cmath>

#include "foreign_support.h"
#include "simulation/events.h"

namespace cotree::test {
namespace {

bool CompileFilteredPi(const TemporaryFolder& folder) {
  return Compile(kRoot / "tests/events/filtered_pi.c", folder / "libfiltered_pi.so");
}

constexpr const char* kForeign =
    R"(software Controller { input w, y : Real  output u, count : Real  state x : Real
      parameter kp : Real  parameter ki : 1/Time  parameter Tf : Time  parameter T : Time  sample = T
      feedthrough u : w  feedthrough count : none  external "FOLDER/libfiltered_pi.so" "filtered_pi" })";
constexpr const char* kOwn =
    R"(component Controller { input w, y : Real  output u, count : Real  variable x : Real(start = 0.25, fixed)
      discrete variable i : Real  discrete variable n : Real
      parameter kp : Real  parameter ki : 1/Time  parameter Tf : Time  parameter T : Time
      equation Tf*der(x) = y - x  u = kp*(w - x) + i  count = n
      when sample(0 s, T) { i = pre(i) + ki*T*(w - x)  n = pre(n) + 1 } })";
// Events of its own: a condition that changes every half second, at no sample.
constexpr const char* kLoop =
    R"( component Swing { output y : Real  variable a : Real(start = 0.1, fixed)  variable b : Real(start = 1, fixed)
        equation der(a) = 2*pi*1 Hz * b  der(b) = -2*pi*1 Hz * a  y = if a > 0 then 1 else 0.5 }
      system S { target : Swing  c : Controller(kp = 1.5, ki = 4 1/s, Tf = 30 ms, T = 20 ms)
        plant : FirstOrder(k = 2, T = 0.3 s)  g : Gain(k = 1)
        connect target.y -> c.w  connect plant.y -> c.y  connect c.u -> plant.u  connect c.count -> g.u })";

TEST(SampledStates, TheSameLawOfTheLanguageWithEveryMethod) {
  const TemporaryFolder folder;
  ASSERT_TRUE(CompileFilteredPi(folder));
  for (const Method method :
       {Method::kAutomatic, Method::kBdf, Method::kExplicit, Method::kRungeKutta4, Method::kImplicitEuler}) {
    RunOf foreign = Translated(std::string(kForeign) + kLoop, folder),
          own = Translated(std::string(kOwn) + kLoop, folder);
    SimulationOptions options = Until(1.99, 1e-11, method);
    options.step = 1e-3;
    Go(own, options);
    for (const bool in_process : {false, true}) {
      options.components.in_process = in_process;
      Go(foreign, options);
      ASSERT_EQ(foreign.times().size(), own.times().size()) << MethodName(method);
      double worst = 0;
      for (const char* name : {"plant.y", "c.x", "c.u", "c.count"})
        worst = std::max(worst, Difference(foreign[name], own[name]));
      EXPECT_LT(worst, 1e-9) << MethodName(method);
      std::printf("%s, %s: %.2g\n", std::string(MethodName(method)).c_str(),
                  in_process ? "in process" : "own process", worst);
      EXPECT_EQ(foreign.End("g.y"), 100) << "at 0 s, 20 ms, ..., 1.98 s, not at other events";
    }
  }
}

TEST(SampledStates, AConstantInputGivesItsClosedForm) {
  const TemporaryFolder folder;
  ASSERT_TRUE(CompileFilteredPi(folder));
  RunOf run = Translated(std::string(kForeign) + R"( system S { one : Constant(k = 1)  two : Constant(k = 2)
      c : Controller(kp = 1.5, ki = 4 1/s, Tf = 0.2 s, T = 50 ms)  g : Gain(k = 1)
      connect two.y -> c.w  connect one.y -> c.y  connect c.u -> g.u })",
                         folder);
  const auto x = [](double t) { return 1 - 0.75 * std::exp(-t / 0.2); };
  for (const double stop : {0.02, 0.93}) {
    Go(run, Until(stop, 1e-11));
    double u = 1.5 * (2 - x(stop));
    for (int k = 0; 0.05 * k < stop; ++k) u += 4 * 0.05 * (2 - x(0.05 * k));
    EXPECT_NEAR(run.End("c.x"), x(stop), 1e-9);
    EXPECT_NEAR(run.End("g.y"), u, 1e-9);
  }
}

TEST(SampledStates, StatesNeedNotBeDeclared) {
  const TemporaryFolder folder;
  ASSERT_TRUE(CompileFilteredPi(folder));
  std::string bare = kForeign;
  bare.erase(bare.find("state x : Real"), 14);
  RunOf declared = Translated(std::string(kForeign) + kLoop, folder),
        taken = Translated(bare + kLoop, folder);
  Go(declared, Until(0.5));
  Go(taken, Until(0.5));
  EXPECT_EQ(declared["c.x"], taken["c.x"]);
  EXPECT_EQ(declared["plant.y"], taken["plant.y"]);
}

TEST(SampledStates, ACheckpointGoesOnToTheSameBits) {
  const TemporaryFolder folder;
  ASSERT_TRUE(CompileFilteredPi(folder));
  const RunOf run = Translated(std::string(kForeign) + kLoop, folder);
  std::vector<std::pair<uint64_t, std::string>> checkpoints;
  SimulationOptions options = Until(0.99);
  options.checkpoint = [&](double, uint64_t rows, const std::string& state) {
    checkpoints.emplace_back(rows, state);
  };
  const Trajectory whole = Simulate(*run.translation->program, run.translation->starts, options);
  ASSERT_TRUE(whole.ok) << whole.problem;
  ASSERT_GT(checkpoints.size(), 12u);
  SimulationOptions later = Until(0.99);
  later.resume = checkpoints[11].second;
  const Trajectory rest = Simulate(*run.translation->program, run.translation->starts, later);
  ASSERT_TRUE(rest.ok) << rest.problem;
  const auto from = static_cast<std::ptrdiff_t>(checkpoints[11].first);
  EXPECT_EQ(rest.times, std::vector<double>(whole.times.begin() + from, whole.times.end()));
  for (size_t c = 0; c < whole.columns.size(); ++c)
    EXPECT_EQ(rest.columns[c], std::vector<double>(whole.columns[c].begin() + from, whole.columns[c].end()));
}

TEST(SampledStates, CommandsTakeIt) {
  const TemporaryFolder folder;
  ASSERT_TRUE(CompileFilteredPi(folder));
  std::string text = std::string(kForeign) + kLoop;
  text.erase(text.find("FOLDER/"), 7);
  WriteText(folder / "loop.cot", text);
  const Ran values = RunCotree({"values", "loop.cot", "--at", "0.5 s", "--allow-foreign"}, folder.path());
  EXPECT_EQ(values.exit_code, 0) << values.err;
  EXPECT_TRUE(Contains(values.out, "c.x")) << values.out;
  const Ran order = RunCotree({"order", "loop.cot"}, folder.path());
  EXPECT_TRUE(Contains(order.out, "software")) << order.out;
  const Ran sampled = RunCotree({"linearize", "loop.cot", "--allow-foreign"}, folder.path());
  EXPECT_EQ(sampled.exit_code, 1) << sampled.out;
  EXPECT_TRUE(Contains(sampled.err, "`c` is foreign code")) << sampled.err;
  const Ran continuous =
      RunCotree({"linearize", "loop.cot", "--continuous", "--allow-foreign"}, folder.path());
  EXPECT_EQ(continuous.exit_code, 0) << continuous.err;
  EXPECT_TRUE(Contains(continuous.out, "c.x")) << continuous.out;
}

// x' = -n x, where n counts the samples.
TEST(SampledStates, ALinearModelOnTheMotionSeesWhatIsKept) {
  const TemporaryFolder folder;
  WriteText(folder / "decay.cc", R"(#include <cotree/component.hpp>
class Decay : public cotree::Component {
 public:
  explicit Decay(const double*) {
    AddInput("u"); AddOutput("y"); AddState("x", 1.0); AddGroup({0}, {}); SetSamplePeriod(0.1);
    SetDiscreteState(&count_);
  }
  void Outputs(uint32_t, double, const double* x, const double*, double* y) override { y[0] = x[0]; }
  void Derivatives(double, const double* x, const double* u, double* dx) override { dx[0] = u[0] - count_*x[0]; }
  void Update(double, const double*, const double*) override { count_ += 1; }
 private:
  double count_ = 0;
};
COTREE_COMPONENT(decay, Decay)
)");
  ASSERT_TRUE(Compile(folder / "decay.cc", folder / "libdecay.so"));
  WriteText(folder / "decay.cot", R"(software Decay { input u : Real  output y : Real  state x : Real
      sample = 0.1 s  feedthrough y : none  external "libdecay.so" "decay" }
    system S { zero : Constant(k = 0)  d : Decay  g : Gain(k = 1)
      connect zero.y -> d.u  connect d.y -> g.u })");
  for (const auto& [time, count] : {std::pair("0 s", 1), std::pair("0.35 s", 4)}) {
    const Ran run = RunCotree(
        {"linearize", "decay.cot", "--continuous", "--at", time, "--format", "json", "--allow-foreign"},
        folder.path());
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const size_t a = run.out.find("\"A\"");
    ASSERT_NE(a, std::string::npos) << run.out;
    const size_t number = run.out.find_first_of("-0123456789", a);
    EXPECT_NEAR(std::stod(run.out.substr(number, 30)), -count, 1e-9) << time << "\n" << run.out;
  }
}

}  // namespace
}  // namespace cotree::test

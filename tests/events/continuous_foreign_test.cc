// SPDX-License-Identifier: Apache-2.0
// Continuous foreign code in a run: its states are integrated with those of the model, its output groups
// stand in the order of computation. Against closed forms, and against the same laws written as equations.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

#include "foreign_support.h"
#include "simulation/events.h"

namespace cotree::test {
namespace {

const fs::path kExamples = kRoot / "examples/software_components";

LinearModel Linear(const RunOf& run) {
  const Program& program = *run.translation->program;
  ProgramRun at(program);
  at.switch_time = 1e-9;
  ExternalComponents external(at, program, WithHost());
  EXPECT_TRUE(external.Load()) << external.problem();
  Events events(at, program, &external);
  EXPECT_TRUE(events.Begin(run.translation->starts, {}).ok);
  return Linearize(at, program, {}, 0);
}

double PoleDifference(const LinearModel& a, const LinearModel& b) {
  EXPECT_EQ(a.poles.size(), b.poles.size());
  double worst = 0;
  for (size_t k = 0; k < std::min(a.poles.size(), b.poles.size()); ++k)
    worst = std::max(worst, std::abs(a.poles[k] - b.poles[k]) / std::max(1.0, std::abs(b.poles[k])));
  return worst;
}

constexpr const char* kFilter =
    R"(software Filter { input u : Real  output y : Real  parameter Tf : Time = 0.2 s  feedthrough y : none
         external "FOLDER/libfilter.so" "filter" }
       system S { s : Step(height = 2, start = 0.1 s)  f : Filter  g : Gain(k = 1)
         connect s.y -> f.u  connect f.y -> g.u })";

TEST(ContinuousForeign, FilterFollowsItsStepResponseWithEveryMethod) {
  const TemporaryFolder folder;
  ASSERT_TRUE(Compile(kExamples / "filter.c", folder / "libfilter.so"));
  const auto step = [](double t) { return t < 0.1 ? 0 : 2 * (1 - std::exp(-(t - 0.1) / 0.2)); };
  for (const Method method : {Method::kAutomatic, Method::kBdf, Method::kExplicit}) {
    RunOf run = Translated(kFilter, folder);
    Go(run, Until(1, 1e-8, method));
    EXPECT_LT(run.Error("g.y", step), 1e-6) << MethodName(method);
    EXPECT_LT(run.Error("f.x", step), 1e-6) << MethodName(method);
  }
  // Fixed steps: their error is that of the method, h (first order), h^2, h^4.
  const std::pair<Method, double> fixed[] = {{Method::kEuler, 2e-6},
                                             {Method::kImplicitEuler, 2e-6},
                                             {Method::kHeun, 1e-4},
                                             {Method::kRungeKutta4, 1e-3}};
  for (const auto& [method, h] : fixed) {
    RunOf run = Translated(kFilter, folder);
    SimulationOptions options = Until(0.4, 1e-6, method);
    options.step = h;
    options.interval = 0.01;
    options.components.in_process = true;
    Go(run, options);
    EXPECT_LT(run.Error("g.y", step), 5e-6 * (h < 1e-5 ? 1 : 0.2)) << MethodName(method);
  }
}

constexpr const char* kMotor =
    R"( system S { target : Step(height = 100 rad/s, start = 0.1 s)
      pi : Controller(kp = 0.2 V*s/rad, ki = 4 V/rad)  drive : SignalVoltageSource
      motor : DCMotor(R = 0.5 ohm, L = 1 mH, Kt = 0.05 N*m/A)  load : Inertia(J = 4e-4 kg*m^2)  tacho : SpeedSensor
      connect drive.p -- motor.p  connect drive.n -- motor.n -- electrical.ground
      connect motor.shaft -- load.a -- tacho.a  connect motor.housing -- rotational.ground
      connect target.y -> pi.w  connect tacho.y -> pi.y  connect pi.u -> drive.u })";
constexpr const char* kHead =
    R"(software Controller { input w, y : AngularVelocity  output u : Voltage  state z : Voltage
      parameter kp : Voltage/AngularVelocity  parameter ki : Voltage/Angle )";

std::string ForeignPi() {
  return std::string(kHead) + R"(feedthrough u : w, y  external "FOLDER/libpi.so" "pi" })";
}
std::string OwnPi() {
  return std::string(kHead) + "equation u = kp*(w - y) + z  der(z) = ki*(w - y) }";
}

TEST(ContinuousForeign, PiInCAroundAMotorIsThePiOfTheLanguage) {
  const TemporaryFolder folder;
  ASSERT_TRUE(Compile(kExamples / "pi.c", folder / "libpi.so"));
  for (const Method method : {Method::kAutomatic, Method::kBdf, Method::kExplicit, Method::kRungeKutta4}) {
    RunOf foreign = Translated(ForeignPi() + kMotor, folder), own = Translated(OwnPi() + kMotor, folder);
    SimulationOptions options = Until(0.5, 1e-10, method);
    options.step = 1e-4;
    Go(foreign, options);
    Go(own, options);
    EXPECT_LT(Difference(foreign["load.w"], own["load.w"]), 1e-7) << MethodName(method);
    EXPECT_LT(Difference(foreign["pi.z"], own["pi.z"]), 1e-7) << MethodName(method);
    EXPECT_NEAR(foreign.End("load.w"), 100, 0.1);
  }
  const RunOf foreign = Translated(ForeignPi() + kMotor, folder), own = Translated(OwnPi() + kMotor, folder);
  const LinearModel linear = Linear(foreign);
  EXPECT_EQ(linear.n(), 4u);
  EXPECT_LT(PoleDifference(linear, Linear(own)), 1e-9);
}

TEST(ContinuousForeign, AStateOfRestIsFound) {
  const TemporaryFolder folder;
  ASSERT_TRUE(Compile(kExamples / "pi.c", folder / "libpi.so"));
  RunOf run = Translated(R"(software Controller { input w, y : Real  output u : Real  parameter kp : Real = 2
      parameter ki : 1/Time = 3 1/s  feedthrough u : w, y  external "FOLDER/libpi.so" "pi" }
    system S { target : Constant(k = 1)  pi : Controller  plant : FirstOrder(k = 2, T = 0.3 s)
      connect target.y -> pi.w  connect plant.y -> pi.y  connect pi.u -> plant.u })",
                         folder);
  SimulationOptions options = Until(0.1);
  options.steady = true;
  Go(run, options);
  EXPECT_LT(run.Error("plant.y", [](double) { return 1; }), 1e-9);
  EXPECT_LT(run.Error("pi.z", [](double) { return 0.5; }), 1e-9);
}

// y = s + d force: the force is known before y, the innovation after it.
constexpr const char* kObserved =
    R"( component Plant { input f : Force  output y : Length  variable s : Length  variable v : Velocity
        equation der(s) = v  2 kg * der(v) = f  y = s + 1e-3 m/N * f }
      system S { observer : Observer(m = 2 kg, k1 = 50 N/m, k2 = 20 N*s/m, l1 = 40 1/s, l2 = 400 1/s^2,
          target = 0.3 m)  plant : Plant  g : Gain(k = 1)
        connect observer.force -> plant.f  connect plant.y -> observer.y  connect observer.innovation -> g.u
        start plant.s = 0.05 m })";
constexpr const char* kObserverHead =
    R"(software Observer { input y : Length  output force : Force  output innovation : Length
      state s : Length  state v : Velocity  parameter m : Mass  parameter k1 : Force/Length
      parameter k2 : Force/Velocity  parameter l1 : 1/Time  parameter l2 : 1/Time^2  parameter target : Length )";

std::string ForeignObserver() {
  return std::string(kObserverHead) + R"(feedthrough force : none  feedthrough innovation : y
    external "FOLDER/libobserver.so" "observer" })" +
         kObserved;
}

/* Counts how often each group is computed. */
class Counting : public ForeignCode {
 public:
  Counting(ProgramRun& run, size_t groups) : inner_(run.foreign), first_(nullptr), counts_(groups, 0) {
    run.foreign = this;
  }
  bool Compute(const Program::ForeignGroup& group, double time, std::span<const double> values,
               std::span<double> results) override {
    if (first_ == nullptr) return false;
    ++counts_[static_cast<size_t>(&group - first_)];
    return inner_->Compute(group, time, values, results);
  }
  bool Partials(const Program::ForeignGroup& group, double time, std::span<const double> values,
                std::span<double> matrix) override {
    return inner_->Partials(group, time, values, matrix);
  }
  const std::string& problem() const override { return inner_->problem(); }
  bool may_go_on() const override { return inner_->may_go_on(); }
  const std::vector<int>& Of(const Program& program, ProgramRun& run) {
    first_ = program.foreign.data();
    EXPECT_TRUE(run.Run(0)) << run.FailureText();
    return counts_;
  }

 private:
  ForeignCode* inner_;
  const Program::ForeignGroup* first_;
  std::vector<int> counts_;
};

TEST(ContinuousForeign, GroupsStandBeforeAndBehindThePlant) {
  const TemporaryFolder folder;
  ASSERT_TRUE(Compile(kExamples / "observer.cc", folder / "libobserver.so"));
  RunOf foreign = Translated(ForeignObserver(), folder);
  const SortedSystem& sorted = *foreign.translation->sorted;
  const Program& program = *foreign.translation->program;
  const auto block_of = [&](const std::string& name) {
    for (size_t b = 0; b < sorted.blocks(); ++b) {
      for (const uint32_t k : sorted.Block(b)) {
        if (sorted.SlotName(sorted.slot_of_equation[k]) == name) return b;
      }
    }
    ADD_FAILURE() << name;
    return size_t{0};
  };
  EXPECT_LT(block_of("observer.force"), block_of("plant.y"));
  EXPECT_LT(block_of("plant.y"), block_of("observer.innovation"));
  EXPECT_EQ(block_of("der(observer.s)"), block_of("der(observer.v)"));
  for (const char* name : {"observer.force", "observer.innovation", "der(observer.v)"})
    EXPECT_EQ(program.kind_of_block[block_of(name)], BlockKind::kSoftware) << name;
  {
    ProgramRun run(program);
    ExternalComponents external(run, program, WithHost());
    ASSERT_TRUE(external.Load()) << external.problem();
    Counting counting(run, program.foreign.size());
    EXPECT_EQ(counting.Of(program, run), (std::vector<int>{1, 1, 1}));
  }
  RunOf own = Translated(std::string(kObserverHead) +
                             R"(variable e : Length  equation e = y - s  innovation = e
        force = k1*(target - s) - k2*v  der(s) = v + l1*e  der(v) = (k1*(target - s) - k2*v)/m + l2*e })" +
                             kObserved,
                         folder);
  Go(foreign, Until(2, 1e-10));
  Go(own, Until(2, 1e-10));
  for (const char* name : {"plant.s", "observer.v", "g.y"})
    EXPECT_LT(Difference(foreign[name], own[name]), 1e-7) << name;
  // No Jacobian of its own: by differences.
  EXPECT_LT(PoleDifference(Linear(foreign), Linear(own)), 1e-9);
}

TEST(ContinuousForeign, AnAlgebraicLoopThroughThePlantIsSolved) {
  const TemporaryFolder folder;
  ASSERT_TRUE(Compile(kExamples / "pi.c", folder / "libpi.so"));
  const std::string plant =
      R"( component Plant { input u : Real  output y : Real  variable x : Real
          equation 0.3 s*der(x) = u - x  y = x + 0.5*u + 0.1*u^3 }
        system S { target : Step(height = 1, start = 0.1 s)  pi : Controller(kp = 2, ki = 3 1/s)  plant : Plant
          connect target.y -> pi.w  connect plant.y -> pi.y  connect pi.u -> plant.u })";
  const std::string head =
      "software Controller { input w, y : Real  output u : Real  state z : Real  parameter kp : Real "
      "parameter ki : 1/Time ";
  RunOf foreign =
      Translated(head + R"(feedthrough u : w, y  external "FOLDER/libpi.so" "pi" })" + plant, folder);
  RunOf own = Translated(head + "equation u = kp*(w - y) + z  der(z) = ki*(w - y) }" + plant, folder);
  Go(foreign, Until(2, 1e-10, Method::kBdf));
  Go(own, Until(2, 1e-10, Method::kBdf));
  EXPECT_LT(Difference(foreign["pi.u"], own["pi.u"]), 1e-7);
  EXPECT_LT(PoleDifference(Linear(foreign), Linear(own)), 1e-9);
  // Two foreign components that need each other, without a Jacobian: u = 2 - u^3 has the root 1.
  WriteText(folder / "cube.cc", R"(#include <cotree/component.hpp>
class Cube : public cotree::Component {
 public:
  explicit Cube(const double*) { AddInput("u"); AddOutput("y"); }
  void Outputs(uint32_t, double, const double*, const double* u, double* y) override { y[0] = u[0]*u[0]*u[0]; }
};
COTREE_COMPONENT(cube, Cube)
)");
  ASSERT_TRUE(Compile(folder / "cube.cc", folder / "libcube.so"));
  RunOf loop = Translated(R"(software Cube { input u : Real  output y : Real  feedthrough y : u
      external "FOLDER/libcube.so" "cube" }
    system S { two : Constant(k = 2)  f : Feedback  cube : Cube
      connect two.y -> f.u1  connect cube.y -> f.u2  connect f.y -> cube.u })",
                          folder);
  Go(loop, Until(0.1));
  EXPECT_LT(loop.Error("cube.y", [](double) { return 1; }), 1e-12);
}

TEST(ContinuousForeign, ACheckpointGoesOnToTheSameBits) {
  const TemporaryFolder folder;
  ASSERT_TRUE(Compile(kExamples / "pi.c", folder / "libpi.so"));
  const RunOf run = Translated(ForeignPi() + kMotor, folder);
  for (const Method method : {Method::kAutomatic, Method::kBdf, Method::kRungeKutta4}) {
    std::vector<std::pair<uint64_t, std::string>> checkpoints;
    SimulationOptions options = Until(0.5, 1e-6, method);
    options.checkpoint = [&](double, uint64_t rows, const std::string& state) {
      checkpoints.emplace_back(rows, state);
    };
    const Trajectory whole = Simulate(*run.translation->program, run.translation->starts, options);
    ASSERT_TRUE(whole.ok) << whole.problem;
    ASSERT_GT(checkpoints.size(), 12u);
    SimulationOptions later = Until(0.5, 1e-6, method);
    later.resume = checkpoints[11].second;
    const Trajectory rest = Simulate(*run.translation->program, run.translation->starts, later);
    ASSERT_TRUE(rest.ok) << rest.problem;
    const auto from = static_cast<std::ptrdiff_t>(checkpoints[11].first);
    EXPECT_EQ(rest.times, std::vector<double>(whole.times.begin() + from, whole.times.end()));
    for (size_t c = 0; c < whole.columns.size(); ++c)
      EXPECT_EQ(rest.columns[c],
                std::vector<double>(whole.columns[c].begin() + from, whole.columns[c].end()));
  }
}

TEST(ContinuousForeign, WhatItKeepsIsSteppedAtEvents) {
  const TemporaryFolder folder;
  WriteText(folder / "turns.cc", R"(#include <cotree/component.hpp>
class Turns : public cotree::Component {
 public:
  explicit Turns(const double*) { AddInput("u"); AddOutput("y"); SetDiscreteState(&count_); }
  void Outputs(uint32_t, double, const double*, const double*, double* y) override { y[0] = count_; }
  void Update(double, const double*, const double*) override { count_ += 1; }
 private:
  double count_ = 0;
};
COTREE_COMPONENT(turns, Turns)
)");
  ASSERT_TRUE(Compile(folder / "turns.cc", folder / "libturns.so"));
  // The sign of sin(2 pi t) changes at 0.5, 1, 1.5, ... s: 5 events in 2.7 s, and the beginning.
  RunOf run =
      Translated(R"(software Turns { input u : Real  output y : Real  external "FOLDER/libturns.so" "turns" }
    component Swing { output y : Real  variable a : Real(start = 0.0, fixed)  variable b : Real(start = 1, fixed)
      equation der(a) = 2*pi*1 Hz * b  der(b) = -2*pi*1 Hz * a  y = if a > 0 then 1 else 0 }
    system S { s : Swing  t : Turns  g : Gain(k = 1)  connect s.y -> t.u  connect t.y -> g.u })",
                 folder);
  Go(run, Until(2.7));
  EXPECT_GE(run.End("g.y"), 6);
  EXPECT_LE(run.End("g.y"), 7);  // a > 0 at the beginning itself is an event or not, by rounding
}

struct Trouble {
  const char* name;
  const char* code;
  const char* said;
};

TEST(ContinuousForeign, TroubleInDerivativesEndsTheRunWithItsReason) {
  const Trouble all[] = {{"nan", "dx[0] = NAN", "NaN in the derivative of state `x`"},
                         {"crash", "*(volatile double*)8 = 1.0", "SIGSEGV"},
                         {"hang", "for (volatile int k = 1; k;) continue", "no answer within"},
                         {"size", "dx[1] = 1.0", "beyond"},
                         {"error", "return COTREE_ERROR", "the table ends here"},
                         {"reject", "return COTREE_REJECT", "rejected this point"}};
  const TemporaryFolder folder;
  for (const Trouble& trouble : all) {
    ASSERT_TRUE(Compile(kRoot / "tests/events/trouble.c", folder / "libtrouble.so",
                        "-w '-DTROUBLE=" + std::string(trouble.code) + "'"))
        << trouble.name;
    const RunOf run = Translated(R"(software Filter { input u : Real  output y : Real  state x : Real
        feedthrough y : none  external "FOLDER/libtrouble.so" "trouble" }
      system S { c : Constant(k = 3)  f : Filter  g : Gain(k = 1)  connect c.y -> f.u  connect f.y -> g.u })",
                                 folder);
    for (const Method method : {Method::kAutomatic, Method::kBdf, Method::kRungeKutta4}) {
      SimulationOptions options = Until(1, 1e-6, method);
      options.components.call_limit = 1;
      const auto begin = std::chrono::steady_clock::now();
      const Trajectory t = Simulate(*run.translation->program, run.translation->starts, options);
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      EXPECT_LT(seconds, 2.5) << trouble.name;
      EXPECT_FALSE(t.ok) << trouble.name;
      EXPECT_TRUE(t.foreign) << trouble.name << ": " << t.problem;
      for (const char* said : {trouble.said, "`f`", "`derivatives`"})
        EXPECT_NE(t.problem.find(said), std::string::npos) << trouble.name << ": " << t.problem;
      EXPECT_GT(t.times.size(), 100u) << "what was computed so far is kept";
    }
  }
}

TEST(ContinuousForeign, HostileOutputsAreContained) {
  const TemporaryFolder folder;
  for (const auto& [name, said] : {std::pair("crash.c", "SIGSEGV"), std::pair("nan.c", "NaN"),
                                   std::pair("hang.c", "no answer within"), std::pair("exits.c", "exit")}) {
    ASSERT_TRUE(Compile(kRoot / "src/software_component/test/hostile" / name, folder / "libhostile.so"))
        << name;
    const RunOf run = Translated(R"(software Strange { input u : Real  output y : Real  feedthrough y : u
        external "FOLDER/libhostile.so" "hostile" }
      system S { s : Strange  c : Constant(k = 3)  f : FirstOrder(k = 1, T = 0.1 s)
        connect c.y -> s.u  connect s.y -> f.u })",
                                 folder);
    SimulationOptions options = Until(2);
    options.components.call_limit = 1;
    const Trajectory t = Simulate(*run.translation->program, run.translation->starts, options);
    EXPECT_FALSE(t.ok) << name;
    EXPECT_TRUE(t.foreign) << name;
    EXPECT_NE(t.problem.find(said), std::string::npos) << name << ": " << t.problem;
  }
}

TEST(ContinuousForeign, StatesThatDoNotFitAreSaid) {
  const TemporaryFolder folder;
  ASSERT_TRUE(Compile(kExamples / "pi.c", folder / "libpi.so"));
  std::string text = ForeignPi() + kMotor;
  text.replace(text.find("state z"), 7, "state q");
  const RunOf run = Translated(text, folder);
  const Trajectory t = Simulate(*run.translation->program, run.translation->starts, Until(1));
  EXPECT_FALSE(t.ok);
  EXPECT_TRUE(t.foreign);
  EXPECT_NE(t.problem.find("the library has state `z`"), std::string::npos) << t.problem;
}

// A jump of what it gives cannot be differentiated.
TEST(ContinuousForeign, ItsOutputsHaveNoDerivatives) {
  NoReader reader;
  const auto loaded = LoadModelText("test.cot", R"(software F { input u : Real  output y : Angle
      feedthrough y : u  external "libf.so" "f" }
    system S { c : Constant(k = 1)  f : F  drive : SignalAngleSource  load : Inertia(J = 1 kg*m^2)
      connect c.y -> f.u  connect f.y -> drive.u  connect drive.a -- load.a  connect drive.b -- rotational.ground })",
                                    reader);
  const auto translation = Translate(*loaded);
  EXPECT_FALSE(translation->ok);
  const std::string text = Render(loaded->diagnostics, loaded->model.files);
  EXPECT_NE(text.find("foreign code gives values, not their derivatives"), std::string::npos) << text;
}

TEST(ContinuousForeign, CommandsRunTheExample) {
  const TemporaryFolder folder;
  ASSERT_TRUE(Compile(kExamples / "pi.c", folder / "libpi.so"));
  ASSERT_TRUE(Compile(kExamples / "observer.cc", folder / "libobserver.so"));
  ASSERT_TRUE(Compile(kExamples / "pid.c", folder / "libpid.so"));
  fs::copy_file(kExamples / "continuous.cot", folder / "continuous.cot");
  const auto ran = [&](std::vector<std::string> words, const std::string& part) {
    if (words[0] != "order") words.emplace_back("--allow-foreign");
    const Ran run = RunCotree(words, folder.path());
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_NE(run.out.find(part), std::string::npos) << words[0] << "\n" << run.out;
  };
  ran({"values", "continuous.cot", "--system", "MotorSpeed", "--at", "0.5 s"}, "pi.z");
  ran({"values", "continuous.cot", "--system", "ObservedMass"}, "observer.innovation");
  ran({"order", "continuous.cot", "--system", "ObservedMass"}, "software");
  ran({"linearize", "continuous.cot", "--system", "MotorSpeed"}, "pi.z");
  ran({"simulate", "continuous.cot", "--experiment", "Move"}, "observer.innovation");
  WriteText(folder / "sampled.cot", R"(software Pid { input w, y : Real  output u : Real  parameter kp : Real
    parameter T : Time = 10 ms  sample = T  feedthrough u : w, y  external "libpid.so" "pid" }
    system S { pid : Pid(kp = 3)  c : Constant(k = 2)  p : FirstOrder(k = 1, T = 1 s)
      connect c.y -> pid.w  connect p.y -> pid.y  connect pid.u -> p.u })");
  ran({"values", "sampled.cot"}, "6");
  fs::remove(folder / "libpid.so");
  const Ran missing = RunCotree({"values", "sampled.cot", "--allow-foreign"}, folder.path());
  EXPECT_EQ(missing.exit_code, 5);
  EXPECT_NE(missing.err.find("libpid.so"), std::string::npos) << missing.err;
}

}  // namespace
}  // namespace cotree::test

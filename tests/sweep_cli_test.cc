// SPDX-License-Identifier: Apache-2.0
// `cotree sweep`, `simulate --input` and `simulate --watch`, as a user meets them.

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/types.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "product_support.h"
#include "results/csv_format.h"

namespace cotree {
namespace {

using test::Contains;
using test::Ran;
using test::ReadText;
using test::RunCotree;
using test::TemporaryFolder;
using test::WriteText;

using Cells = std::vector<std::vector<std::string>>;

// All lines but comments, taken apart.
Cells CellsOf(const std::string& text) {
  Cells cells;
  std::string_view rest = text;
  while (!rest.empty()) {
    const bool comment = rest.front() == '#';
    auto fields = TakeCsvFields(&rest);
    if (!comment) cells.push_back(std::move(fields));
  }
  return cells;
}

constexpr const char* kModel = R"(
system Drive {
  parameter tau : Time = 2 ms
  parameter w0 : AngularVelocity = 3 rad/s
  parameter n : Integer = 1
  v     : VoltageSource(V = 12 V)
  r     : Resistor[n](R = 0.1 ohm)
  motor : DCMotor(Kt = 0.05 N*m/A, R = 0.5 ohm, L = tau*0.5 ohm)
  load  : Inertia(J = 1e-3 kg*m^2, start w = w0)
  connect v.p -- r[1].p
  connect r[1:n-1].n -- r[2:n].p
  connect r[n].n -- motor.p
  connect v.n -- motor.n -- electrical.ground
  connect motor.shaft -- load.a
  connect motor.housing -- rotational.ground
}
experiment Start of Drive { stop = 300 ms   plot load.w, motor.armature.i }
)";

class Sweeps : public testing::Test {
 protected:
  Sweeps() { WriteText(folder / "m.cot", kModel); }
  Ran Run(const std::vector<std::string>& words) const { return RunCotree(words, folder.path()); }
  Ran Sweep(std::vector<std::string> words) const {
    words.insert(words.begin(), {"sweep", "m.cot"});
    return Run(words);
  }
  void ExpectRefused(const std::vector<std::string>& words, int code, const std::string& message) const {
    const Ran run = Sweep(words);
    EXPECT_EQ(run.exit_code, code) << run.err;
    EXPECT_TRUE(Contains(run.err, message)) << run.err;
  }
  // The last value of a variable in a run of its own.
  std::string Final(const std::string& file, std::vector<std::string> words, const std::string& name) const {
    words.insert(words.begin(), {"simulate", file, "--csv"});
    const Ran run = Run(words);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    const Cells cells = CellsOf(run.out);
    for (size_t k = 0; k < cells[0].size(); ++k) {
      if (cells[0][k] == name) return cells.back()[k];
    }
    ADD_FAILURE() << "no " << name;
    return {};
  }
  // Every row of a sweep is the run with that setting, to the last digit.
  void ExpectLikeSimulate(const std::string& file, const std::vector<std::string>& more,
                          const std::string& vary, const std::string& name) const {
    SCOPED_TRACE(file + " " + vary);
    const std::string unit = vary.substr(vary.find('|') + 1);
    const std::string axis = vary.substr(0, vary.find('|'));
    std::vector<std::string> words{"sweep", file,    "--vary", axis,     "--keep",
                                   name,    "--out", "s.csv",  "--force"};
    words.insert(words.end(), more.begin(), more.end());
    const Ran run = Run(words);
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const Cells cells = CellsOf(ReadText(folder / "s.csv"));
    ASSERT_GE(cells.size(), 3u);
    EXPECT_NE(cells[1][1], cells[2][1]) << "the parameter has no effect";
    for (size_t k = 1; k < cells.size(); ++k) {
      std::vector<std::string> set = more;
      set.insert(set.end(), {"--set", axis.substr(0, axis.find('=')) + "=" + cells[k][0] + " " + unit});
      EXPECT_EQ(cells[k][1], Final(file, set, name)) << set.back();
      EXPECT_EQ(cells[k][2], "ok");
    }
  }

  const TemporaryFolder folder;
};

TEST_F(Sweeps, EveryRowIsARunWithThatSetting) {
  ExpectLikeSimulate("m.cot", {}, "motor.R=0.1 ohm:0.9 ohm:4|ohm", "load.w");
  ExpectLikeSimulate("m.cot", {}, "tau=1 ms:3 ms:3|ms", "motor.armature.i");
  ExpectLikeSimulate("m.cot", {}, "w0=-5 rad/s,0 rad/s,100 rad/s|rad/s", "load.w");
  ExpectLikeSimulate("m.cot", {}, "n=1,3,2|", "load.w");
  ExpectLikeSimulate("m.cot", {}, "tau=2 ms,0 ms,1 ms|ms", "load.w");
}

TEST_F(Sweeps, OfTheExamples) {
  const std::string examples = (test::kRoot / "examples").string() + "/";
  ExpectLikeSimulate(examples + "positioner/positioner.cot", {}, "pid.kp=2:8 V/rad:3|V/rad", "load.phi");
  ExpectLikeSimulate(examples + "positioner/positioner.cot", {"--set", "pid.ki=4 V/(rad*s)"},
                     "load.J=1e-3 kg*m^2,2e-3 kg*m^2|kg*m^2", "load.phi");
  ExpectLikeSimulate(examples + "friction/friction.cot", {"--system", "ClutchStart"}, "clutch.mu=0.2:0.4:3|",
                     "load.w");
  ExpectLikeSimulate(examples + "quarter_car/quarter_car.cot", {}, "body.m=200 kg,300 kg|kg", "body.s");
  ExpectLikeSimulate(examples + "pwm_drive/pwm_drive.cot", {"--stop", "5 ms"}, "motor.R=0.3 ohm,0.6 ohm|ohm",
                     "motor.armature.i");
}

// The file has the same bytes whatever the number of threads.
TEST_F(Sweeps, ThreadsChangeNothing) {
  std::vector<std::string> texts;
  for (const char* threads : {"1", "2", "5"}) {
    const Ran run =
        Sweep({"--vary", "n=1,2", "--vary", "motor.R=0.1 ohm:0.9 ohm:9", "--keep", "load.w", "--keep",
               "max(motor.armature.i)", "--threads", threads, "--out", "t.csv", "--force"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_TRUE(Contains(run.out, "18 runs of 18")) << run.out;
    if (texts.empty()) {
      EXPECT_TRUE(Contains(run.out, "translated 2 times, since `n` changes the structure")) << run.out;
    }
    texts.push_back(ReadText(folder / "t.csv"));
  }
  EXPECT_EQ(texts[0], texts[1]);
  EXPECT_EQ(texts[0], texts[2]);
  EXPECT_TRUE(Contains(texts[0], "\nn,motor.R [ohm],load.w [rad/s],max(motor.armature.i) [A],status\n1,0.1,"))
      << texts[0];
}

// Nor the number of runs that go together in lanes: with events, tables, functions, blocks and other
// structures.
TEST_F(Sweeps, LanesChangeNothing) {
  WriteText(folder / "many.cot", R"(
table bend(x : Real) : Real { interpolation = spline  extrapolation = hold  data = [[-1, 2], [0, 0.5], [1, -1], [2, 3]] }
component Smooth {
  parameter k : Real = 1
  variable x : Real (start = 1)
  variable y : Real (start = 0)
  equation
    der(x) = (-k*sin(3*y) + bend(y) - x^3)/(1 s)
    der(y) = (sqrt(abs(x) + 1) + tanh(x*y)*cos(time/(1 s)) - atan2(y, x^2 + 2) - y)/(1 s)
}
component Relay {
  parameter k : Real = 1
  variable x : Real (start = 0)
  discrete variable up : Boolean (start = true)
  equation
    der(x) = (if up then k else -k)/(0.1 s)
    when x > 1 { up = false } elsewhen x < -1 { up = true }
}
system Many {
  parameter k : Real = 1
  s : Smooth(k = k)
  r : Relay(k = k)
}
)");
  const std::string examples = (test::kRoot / "examples").string() + "/";
  const std::vector<std::vector<std::string>> sweeps = {
      {"m.cot", "--vary", "n=1,2", "--vary", "motor.R=0.1 ohm:0.9 ohm:17", "--keep", "load.w"},
      {"many.cot", "--stop", "2 s", "--vary", "k=0.5:2:33", "--keep", "s.x + s.y + r.x"},
      {examples + "positioner/positioner.cot", "--vary", "pid.kp=2 V/rad:8 V/rad:19", "--keep",
       "max(load.phi)"},
      {examples + "friction/friction.cot", "--system", "ClutchStart", "--vary", "clutch.mu=0.2:0.4:9",
       "--keep", "load.w"},
      {examples + "quarter_car/quarter_car.cot", "--vary", "body.m=200 kg:300 kg:18", "--keep",
       "rms(body.s)"},
      {examples + "pwm_drive/pwm_drive.cot", "--stop", "5 ms", "--vary", "motor.R=0.3 ohm:0.6 ohm:5",
       "--keep", "motor.armature.i"},
  };
  for (const std::vector<std::string>& sweep : sweeps) {
    std::vector<std::string> texts;
    for (const char* lanes : {"1", "3", "16", "20"}) {
      for (const char* tier : {"jit", "interpreter"}) {
        std::vector<std::string> words{"sweep"};
        words.insert(words.end(), sweep.begin(), sweep.end());
        words.insert(words.end(),
                     {"--threads", "1", "--lanes", lanes, "--program", tier, "--out", "t.csv", "--force"});
        const Ran run = Run(words);
        EXPECT_EQ(run.exit_code, 0) << run.err;
        texts.push_back(ReadText(folder / "t.csv"));
      }
    }
    for (const std::string& text : texts) EXPECT_EQ(text, texts[0]) << sweep[0];
  }
}

// Against the closed form: an RC circuit charges to V(1 - exp(-t/(RC))).
TEST_F(Sweeps, AgainstTheClosedForm) {
  WriteText(folder / "rc.cot", R"(
system Rc {
  v : VoltageSource(V = 10 V)
  r : Resistor(R = 1 kohm)
  c : Capacitor(C = 1 uF, start v = 0 V fixed)
  connect v.p -- r.p
  connect r.n -- c.p
  connect v.n -- c.n -- electrical.ground
}
)");
  const Ran run = Run({"sweep",      "rc.cot",        "--stop", "2 ms",
                       "--interval", "2 us",          "--vary", "r.R=500 ohm:2000 ohm:4",
                       "--vary",     "c.C=1 uF,2 uF", "--keep", "c.v",
                       "--keep",     "c.v@1ms/10",    "--keep", "mean(c.v)",
                       "--keep",     "rms(r.i)",      "--rtol", "1e-9",
                       "--out",      "rc.csv"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Cells cells = CellsOf(ReadText(folder / "rc.csv"));
  ASSERT_EQ(cells.size(), 9u);
  for (size_t k = 1; k < cells.size(); ++k) {
    const double R = std::stod(cells[k][0]), tau = R * std::stod(cells[k][1]) * 1e-6, T = 2e-3;
    EXPECT_NEAR(std::stod(cells[k][2]), 10 * (1 - std::exp(-T / tau)), 1e-6);
    EXPECT_NEAR(std::stod(cells[k][3]), 1 - std::exp(-1e-3 / tau), 1e-6);
    EXPECT_NEAR(std::stod(cells[k][4]), 10 * (1 - tau / T * (1 - std::exp(-T / tau))), 1e-4);
    EXPECT_NEAR(std::stod(cells[k][5]), 10 / R * std::sqrt(tau / (2 * T) * (1 - std::exp(-2 * T / tau))),
                1e-5 * 10 / R);
  }
}

TEST_F(Sweeps, GoesOnWithWhatIsThere) {
  const std::vector<std::string> words{"--vary", "motor.R=0.1 ohm:0.9 ohm:9", "--keep", "load.w", "--out",
                                       "g.csv"};
  EXPECT_EQ(Sweep(words).exit_code, 0);
  const std::string whole = ReadText(folder / "g.csv");
  size_t at = 0;
  for (int line = 0; line < 6; ++line) at = whole.find('\n', at) + 1;
  WriteText(folder / "g.csv", whole.substr(0, at + 3));
  const Ran again = Sweep(words);
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_TRUE(Contains(again.out, "4 were in g.csv already")) << again.out;
  EXPECT_EQ(ReadText(folder / "g.csv"), whole);
  // Another grid, another figure, another model: nothing is lost.
  ExpectRefused({"--vary", "motor.R=0.1 ohm:0.8 ohm:9", "--keep", "load.w", "--out", "g.csv"}, 2, "--force");
  ExpectRefused({"--vary", "motor.R=0.1 ohm:0.9 ohm:9", "--keep", "load.phi", "--out", "g.csv"}, 2,
                "other figures kept");
  ExpectRefused({"--vary", "motor.R=0.1 ohm:0.9 ohm:9", "--keep", "load.w", "--stop", "1", "--out", "g.csv"},
                2, "other settings");
  WriteText(folder / "m.cot", std::string(kModel) + "\n// changed\n");
  ExpectRefused(words, 2, "another model");
  EXPECT_EQ(ReadText(folder / "g.csv"), whole);
}

// A resistance that drives itself is none.
TEST_F(Sweeps, OneFailureStopsNothing) {
  const Ran run = Sweep({"--vary", "motor.R=0.5 ohm,-1e9 ohm,0.6 ohm", "--keep", "load.w", "--out", "f.csv"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(Contains(run.out, "3 runs of 3, 1 failed")) << run.out;
  EXPECT_TRUE(Contains(run.err, "motor.R = -1e9 ohm: COT2120: `motor.R` is ")) << run.err;
  const Cells cells = CellsOf(ReadText(folder / "f.csv"));
  ASSERT_EQ(cells.size(), 4u);
  EXPECT_EQ(cells[1][2], "ok");
  EXPECT_EQ(cells[2][1], "");
  EXPECT_TRUE(Contains(cells[2][2], "must be at least 0 ohm")) << cells[2][2];
  EXPECT_EQ(cells[3][2], "ok");
  EXPECT_EQ(Sweep({"--vary", "motor.R=-1e9 ohm,-2e9 ohm", "--keep", "load.w"}).exit_code, 4);
}

TEST_F(Sweeps, RefusesWithARemedy) {
  const auto with = [&](const char* vary) {
    return std::vector<std::string>{"--vary", vary, "--keep", "load.w"};
  };
  ExpectRefused({"--keep", "load.w"}, 2, "--vary is required");
  ExpectRefused({"--vary", "motor.R=1 ohm,2 ohm"}, 2, "--keep is required");
  ExpectRefused(with("motor.R=1 ohm:2 ohm"), 2, "from:to:count");
  ExpectRefused(with("motor.R=1 V:2 V:3"), 1, "motor.R");
  ExpectRefused(with("motor.R=1,2"), 1, "motor.R");
  ExpectRefused(with("motor.Q=1 ohm:2 ohm:3"), 1, "motor.Q");
  ExpectRefused(with("motor.R=1 ohm,2 V"), 1, "motor.R");
  ExpectRefused(with("stop=1 kg,2 kg"), 2, "is no time");
  ExpectRefused(with("tolerance=2,3"), 2, "between 1e-13 and 0.1");
  ExpectRefused({"--vary", "n=1,2", "--keep", "load.ww"}, 2, "did you mean `load.w`?");
  ExpectRefused({"--vary", "n=1,2", "--keep", "load.w@1s"}, 2, "not within the run");
  ExpectRefused({"--vary", "n=1,2", "--keep", "median(load.w)"}, 2, "there are final, max, min, mean, rms");
  ExpectRefused({"--vary", "n=1,2", "--keep", "load.w", "--plot", "p.pdf"}, 2, ".svg or .png");
  ExpectRefused({"--vary", "n=1,2", "--keep", "load.w", "--out", "nowhere/p.csv"}, 5, "nowhere/p.csv");
  ExpectRefused(
      {"--vary", "n=1,2", "--vary", "motor.R=1 ohm:2 ohm:13", "--keep", "load.w", "--plot", "p.svg"}, 2,
      "too many");
  EXPECT_EQ(Run({"sweep", "missing.cot", "--vary", "a=1,2", "--keep", "x"}).exit_code, 5);
}

TEST_F(Sweeps, Draws) {
  const Ran run = Sweep({"--vary", "motor.R=0.1 ohm:10 ohm:5:log", "--vary", "n=1,2", "--keep", "load.w",
                         "--keep", "max(motor.armature.i)", "--plot", "p.svg"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const std::string svg = ReadText(folder / "p.svg");
  for (const char* part : {"motor.R [Ω]", "load.w [rad/s]", "max(motor.armature.i) [A]", "n = 2", ">Drive<"})
    EXPECT_TRUE(Contains(svg, part)) << part;
  EXPECT_TRUE(Contains(run.out, "p.svg\n")) << run.out;
}

TEST_F(Sweeps, SettingsOfTheRun) {
  const Ran run = Sweep({"--vary", "stop=100 ms,200 ms", "--vary", "tolerance=1e-4,1e-9", "--keep",
                         "load.phi", "--out", "e.csv"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Cells cells = CellsOf(ReadText(folder / "e.csv"));
  for (size_t k = 1; k < cells.size(); ++k)
    EXPECT_EQ(cells[k][2], Final("m.cot", {"--stop", cells[k][0] + "ms", "--rtol", cells[k][1]}, "load.phi"));
}

/* The binary as a process of its own, that is still running. */
class Running {
 public:
  Running(const std::vector<std::string>& words, const test::fs::path& folder, const test::fs::path& out) {
    pid_ = fork();
    if (pid_ != 0) return;
    if (chdir(folder.c_str()) != 0) _exit(126);
    if (std::freopen(out.c_str(), "w", stdout) == nullptr || dup2(1, 2) < 0) _exit(126);
    std::vector<char*> arguments{const_cast<char*>(COTREE_BINARY)};
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execv(COTREE_BINARY, arguments.data());
    _exit(127);
  }
  ~Running() {
    if (pid_ > 0) kill(pid_, SIGKILL), waitpid(pid_, nullptr, 0);
  }
  int Interrupt() {
    kill(pid_, SIGINT);
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  pid_t pid_ = -1;
};

bool WaitFor(const std::function<bool()>& condition) {
  for (int k = 0; k < 600; ++k) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return false;
}

TEST_F(Sweeps, CtrlCLeavesAValidTable) {
  const std::vector<std::string> words{"sweep",  "m.cot",  "--stop", "20 s",   "--solver",
                                       "rk4",    "--step", "1 ms",   "--vary", "motor.R=0.1 ohm:0.9 ohm:200",
                                       "--keep", "load.w", "--out",  "c.csv"};
  Running running(words, folder.path(), folder / "log");
  const auto rows = [&] {
    const std::string text = test::fs::exists(folder / "c.csv") ? ReadText(folder / "c.csv") : "";
    return std::count(text.begin(), text.end(), '\n');
  };
  ASSERT_TRUE(WaitFor([&] { return rows() > 4; }));
  EXPECT_EQ(running.Interrupt(), 130) << ReadText(folder / "log");
  EXPECT_TRUE(Contains(ReadText(folder / "log"), "the same command goes on from there"));
  const std::string text = ReadText(folder / "c.csv");
  EXPECT_EQ(text.back(), '\n');
  EXPECT_LT(rows(), 202);
}

// --- Data for an input -------------------------------------------------------------------------------------

constexpr const char* kRc = R"(
system Rc {
  step   : Step(height = 1 V, start = 0 s)
  source : SignalVoltageSource
  r : Resistor(R = 1 kohm)
  c : Capacitor(C = 1 uF, start v = 0 V fixed)
  connect step.y -> source.u
  connect source.p -- r.p
  connect r.n -- c.p
  connect source.n -- c.n -- electrical.ground
}
experiment E of Rc { stop = 5 ms }
)";

class MeasuredInputs : public Sweeps {
 protected:
  MeasuredInputs() { WriteText(folder / "rc.cot", kRc); }
  std::map<std::string, std::vector<double>> Curves(const std::vector<std::string>& more,
                                                    const char* file = "rc.cot") const {
    std::vector<std::string> words{"simulate", file, "--csv", "--rtol", "1e-10"};
    words.insert(words.end(), more.begin(), more.end());
    const Ran run = Run(words);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    const Cells cells = CellsOf(run.out);
    std::map<std::string, std::vector<double>> out;
    for (size_t k = 1; k < cells.size(); ++k) {
      for (size_t c = 0; c < cells[k].size(); ++c) out[cells[0][c]].push_back(std::stod(cells[k][c]));
    }
    return out;
  }
  void ExpectInputRefused(const std::string& input, int code, const std::string& message) const {
    const Ran run = Run({"simulate", "rc.cot", "--input", input});
    EXPECT_EQ(run.exit_code, code) << run.err;
    EXPECT_TRUE(Contains(run.err, message)) << run.err;
  }
  // Of a line a + b*t from t0 on: v' = (u - v)/tau, exactly.
  static double Charged(double v0, double a, double b, double t) {
    const double tau = 1e-3;
    return a + b * (t - tau) + (v0 - a + b * tau) * std::exp(-t / tau);
  }
};

// Piecewise linear: 0 to 10 V in 2 ms, down to 4 V at 3 ms, then held.
TEST_F(MeasuredInputs, LinearAgainstTheClosedForm) {
  WriteText(folder / "log.csv", "time [ms],u [V]\n0,0\n2,10\n3,4\n4,4\n");
  const auto curves = Curves({"--input", "source.u=log.csv:u"});
  const double v2 = Charged(0, 0, 5000, 2e-3), v3 = Charged(v2, 10, -6000, 1e-3);
  for (size_t k = 0; k < curves.at("time").size(); ++k) {
    const double t = curves.at("time")[k];
    const double exact = t <= 2e-3   ? Charged(0, 0, 5000, t)
                         : t <= 3e-3 ? Charged(v2, 10, -6000, t - 2e-3)
                                     : Charged(v3, 4, 0, t - 3e-3);
    EXPECT_NEAR(curves.at("c.v")[k], exact, 1e-8) << t;
  }
}

TEST_F(MeasuredInputs, StepsAgainstTheClosedForm) {
  WriteText(folder / "log.csv", "t,i,u\n0,7,0\n0.0013,7,3000\n0.0032,7,-1000\n");
  const auto curves = Curves({"--input", "step.y=log.csv:u,mV,hold"});
  const double v1 = Charged(0, 3, 0, 1.9e-3);
  size_t jumps = 0;
  for (size_t k = 0; k < curves.at("time").size(); ++k) {
    const double t = curves.at("time")[k];
    const double exact = t <= 1.3e-3   ? 0
                         : t <= 3.2e-3 ? Charged(0, 3, 0, t - 1.3e-3)
                                       : Charged(v1, -1, 0, t - 3.2e-3);
    EXPECT_NEAR(curves.at("c.v")[k], exact, 1e-8) << t;
    if (k > 0 && t == curves.at("time")[k - 1] && curves.at("source.v")[k] != curves.at("source.v")[k - 1])
      ++jumps;
  }
  EXPECT_EQ(jumps, 2u) << "both sides of each jump, at one time";
}

// The same data as a table of the model: the same motion.
TEST_F(MeasuredInputs, LikeATableOfTheModel) {
  std::string text = "time,u\n";
  std::string rows;
  for (int k = 0; k <= 50; ++k) {
    const double t = k * 1e-4, u = std::round(1e3 * std::sin(700 * t) * 5) / 1e3;
    std::ostringstream pair;
    pair.precision(17);
    pair << t << "," << u;
    text += pair.str() + "\n";
    std::ostringstream row;
    row.precision(17);
    row << (k == 0 ? "" : ", ") << "[" << t << " s, " << u << " V]";
    rows += row.str();
  }
  WriteText(folder / "log.csv", text);
  std::string model = kRc;
  model.replace(model.find("Step(height = 1 V, start = 0 s)"), 31, "Logged");
  WriteText(folder / "table.cot",
            "table curve(t : Time) : Voltage { data = [" + rows +
                "] }\ncomponent Logged { output y : Voltage\n  equation y = curve(time) }\n" + model);
  const auto data = Curves({"--input", "source.u=log.csv"}), table = Curves({}, "table.cot");
  ASSERT_EQ(data.at("time").size(), table.at("time").size());
  for (size_t k = 0; k < data.at("time").size(); ++k)
    EXPECT_NEAR(data.at("c.v")[k], table.at("c.v")[k], 1e-12);
}

// A run's own result as data: jumps at events are met on both sides.
TEST_F(MeasuredInputs, OurOwnResultsAreData) {
  for (const char* name : {"first.csv", "first.cotr", "first.mat"}) {
    EXPECT_EQ(Run({"simulate", "rc.cot", "--set", "step.start=1 ms", "--out", name}).exit_code, 0);
    const auto direct = Curves({"--set", "step.start=1 ms"});
    const auto data = Curves({"--input", std::string("source.u=") + name + ":source.v"});
    EXPECT_NEAR(data.at("c.v").back(), direct.at("c.v").back(), 1e-8) << name;
    EXPECT_NEAR(data.at("c.v").back(), 1 - std::exp(-4.0), 1e-8);
  }
}

// Inputs that nothing drives: of a component, and of the system.
TEST_F(MeasuredInputs, InputsWithoutASource) {
  std::string text = kRc;
  text.replace(text.find("connect step.y -> source.u"), 26, "");
  WriteText(folder / "open.cot", text);
  WriteText(folder / "log.csv", "time,u [V]\n0,1\n1,1\n");
  EXPECT_EQ(Run({"simulate", "open.cot"}).exit_code, 1);
  EXPECT_NEAR(Curves({"--input", "source.u=log.csv"}, "open.cot").at("c.v").back(), 1 - std::exp(-5.0), 1e-8);
  text.replace(text.find("step   : Step(height = 1 V, start = 0 s)"), 40,
               "input u : Voltage\n  connect u -> source.u");
  WriteText(folder / "system.cot", text);
  EXPECT_NEAR(Curves({"--input", "u=log.csv"}, "system.cot").at("c.v").back(), 1 - std::exp(-5.0), 1e-8);
}

TEST_F(MeasuredInputs, RefusesWithFileAndLine) {
  WriteText(folder / "log.csv", "time,u,w [rpm]\n0,0,1\n1,1,1\n");
  WriteText(folder / "back.csv", "time,u\n0,0\n2,1\n1,1\n");
  WriteText(folder / "word.csv", "time,u\n0,0\n1,one\n");
  WriteText(folder / "gap.csv", "time,u\n0,0\n1,\n");
  WriteText(folder / "none.csv", "time,u\n");
  WriteText(folder / "empty.csv", "");
  WriteText(folder / "kg.csv", "t [kg],u\n0,1\n");
  ExpectInputRefused("source.u", 2, "--input drive.u=log.csv:voltage");
  ExpectInputRefused("source.u=missing.csv:u", 5, "missing.csv");
  ExpectInputRefused("source.u=log.csv:v", 2, "there are `u`, `w`");
  ExpectInputRefused("source.u=log.csv:w", 2, "is in rpm, but the input is measured in V");
  ExpectInputRefused("source.u=log.csv:u,blub", 2, "`blub` is not a unit");
  ExpectInputRefused("source.u=log.csv:u,V,A", 2, "one word too many");
  ExpectInputRefused("sorce.u=log.csv:u", 2, "did you mean `source.u`?");
  ExpectInputRefused("source.u=back.csv:u", 5, "line 4: the time goes back");
  ExpectInputRefused("source.u=word.csv:u", 5, "line 3: `one` is not a number");
  ExpectInputRefused("source.u=gap.csv:u", 5, "no number for `u` at 1 s");
  ExpectInputRefused("source.u=none.csv:u", 5, "has no rows");
  ExpectInputRefused("source.u=empty.csv:u", 5, "is empty");
  ExpectInputRefused("source.u=kg.csv:u", 5, "no unit of time");
  WriteText(folder / "short.csv", "time,u\n0,0\n0.001,1\n");
  const Ran note = Run({"simulate", "rc.cot", "--input", "source.u=short.csv"});
  EXPECT_EQ(note.exit_code, 0) << note.err;
  EXPECT_TRUE(Contains(note.err, "note: `u` of short.csv goes from 0 s to 0.001 s")) << note.err;
}

// --- Again on save -----------------------------------------------------------------------------------------

TEST_F(MeasuredInputs, WatchRunsAgainOnSave) {
  WriteText(folder / "part.cot",
            "component Half { input u : Voltage  output y : Voltage\n  equation y = u/2 }\n");
  WriteText(folder / "main.cot",
            "import \"part.cot\"\nsystem S { a : Constant(k = 1 V)  h : Half  i : Integrator(k = 1)\n  "
            "connect a.y -> h.u\n  connect h.y -> i.u }\nexperiment E of S { stop = 2 s  plot i.y }\n");
  Running running({"simulate", "main.cot", "--watch", "--out", "w.csv"}, folder.path(), folder / "log");
  const auto log = [&] { return test::fs::exists(folder / "log") ? ReadText(folder / "log") : ""; };
  const auto waits = [&](size_t times) {
    return WaitFor([&] {
      const std::string text = log();
      size_t found = 0;
      for (size_t at = 0; (at = text.find("waiting for a change", at)) != std::string::npos; ++at) ++found;
      return found >= times;
    });
  };
  ASSERT_TRUE(waits(1)) << log();
  const auto last = [&] { return CellsOf(ReadText(folder / "w.csv")).back(); };
  const auto first = last();
  // A file that is imported; then a mistake; then its remedy.
  WriteText(folder / "part.cot",
            "component Half { input u : Voltage  output y : Voltage\n  equation y = u/4 }\n");
  ASSERT_TRUE(waits(2)) << log();
  EXPECT_NE(last(), first);
  EXPECT_TRUE(Contains(log(), "part.cot ----")) << log();
  WriteText(folder / "part.cot",
            "component Half { input u : Voltage  output y : Voltage\n  equation y = z/4 }\n");
  ASSERT_TRUE(waits(3)) << log();
  EXPECT_TRUE(Contains(log(), "`z`")) << log();
  WriteText(folder / "part.cot",
            "component Half { input u : Voltage  output y : Voltage\n  equation y = u/2 }\n");
  ASSERT_TRUE(waits(4)) << log();
  EXPECT_EQ(last(), first);
  EXPECT_EQ(running.Interrupt(), 130) << log();
}

}  // namespace
}  // namespace cotree

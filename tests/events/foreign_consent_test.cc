// SPDX-License-Identifier: Apache-2.0
// Foreign code runs in commands that run a model, and only with consent; what runs nothing takes states from
// the class or from what is remembered; Ctrl-C in the middle of a call is exit code 130.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>

#include "foreign_support.h"
#include "software_component/library_copy.h"

namespace cotree::test {
namespace {

/// Leaves the file `ran` behind as soon as it is loaded, where it may; its process and its state say so, too.
constexpr const char* kMarker = R"(
#include <cotree/component.hpp>
#include <cstdio>
#include <cstdlib>
namespace {
struct Mark {
  Mark() {
    const char* path = std::getenv("COTREE_MARK");
    std::FILE* file = path == nullptr ? nullptr : std::fopen(path, "w");
    if (file != nullptr) std::fclose(file);
  }
} mark;
}
class Lag : public cotree::Component {
 public:
  static constexpr cotree::Parameter kParameters[] = {{"T", 1.0}};
  explicit Lag(const double* p) : T_(p[0]) { AddInput("u"); AddOutput("y"); AddState("x", 0.0); AddGroup({0}, {}); }
  void Outputs(uint32_t, double, const double* x, const double*, double* y) override { y[0] = x[0]; }
  void Derivatives(double, const double* x, const double* u, double* dx) override { dx[0] = (u[0] - x[0])/T_; }
 private:
  double T_;
};
COTREE_COMPONENT(lag, Lag)
)";

std::string ModelWith(const std::string& states) {
  return "software Lag { input u : Real  output y : Real  " + states +
         "  parameter T : Time = 0.5 s  feedthrough y : none\n  external \"liblag.so\" \"lag\" }\n"
         "system S { c : Constant(k = 2)  lag : Lag  t : Terminator  connect c.y -> lag.u  connect lag.y -> "
         "t.u }\n";
}

class ForeignConsent : public ::testing::Test {
 protected:
  void SetUp() override {
    WriteText(folder_ / "lag.cc", kMarker);
    ASSERT_TRUE(Compile(folder_ / "lag.cc", folder_ / "liblag.so"));
    setenv("XDG_CONFIG_HOME", (folder_ / "config").c_str(), 1);
    setenv("XDG_CACHE_HOME", (folder_ / "cache").c_str(), 1);
    setenv("COTREE_MARK", (folder_ / "ran").c_str(), 1);
    WriteText(folder_ / "m.cot", ModelWith(""));
  }
  void TearDown() override {
    for (const char* name : {"XDG_CONFIG_HOME", "XDG_CACHE_HOME", "COTREE_MARK"}) unsetenv(name);
  }
  Ran Command(const std::vector<std::string>& words) const { return RunCotree(words, folder_.path()); }
  bool HasRun() const { return fs::exists(folder_ / "ran"); }

  const TemporaryFolder folder_;
};

const std::vector<std::vector<std::string>>& Reading() {
  static const std::vector<std::vector<std::string>> all = {
      {"check", "m.cot"},
      {"check", "m.cot", "--notes", "--units", "--parameters"},
      {"graph", "m.cot"},
      {"graph", "m.cot", "--format", "json"},
      {"tree", "m.cot"},
      {"order", "m.cot"},
      {"order", "m.cot", "--initial"},
      {"equations", "m.cot"},
      {"equations", "m.cot", "--form", "system"},
      {"equations", "m.cot", "--form", "state-space"},
      {"equations", "m.cot", "--form", "accelerations"},
      {"equations", "m.cot", "--form", "linear"},
      {"equations", "m.cot", "--form", "state-space", "--format", "modelica"},
      {"equations", "m.cot", "--form", "state-space", "--format", "sympy"},
      {"derive", "m.cot"},
      {"derive", "m.cot", "--format", "html", "-o", "d.html"},
      {"emit", "m.cot"},
      {"fmt", "--check", "m.cot"}};
  return all;
}

std::vector<std::vector<std::string>> Running() {
  return {{"simulate", "m.cot", "--stop", "0.1 s"},
          {"simulate", "m.cot", "--stop", "0.1 s", "--csv"},
          {"values", "m.cot"},
          {"values", "m.cot", "--at", "0.1 s"},
          {"linearize", "m.cot"},
          {"linearize", "m.cot", "--at", "0.1 s"},
          {"trim", "m.cot"},
          {"profile", "m.cot", "--stop", "0.1 s"},
          {"report", "m.cot", "--stop", "0.1 s", "--out", "r.html"},
          {"sweep", "m.cot", "--stop", "0.1 s", "--vary", "lag.T=1 s:2 s:2", "--keep", "lag.y", "--out",
           "s.csv", "--force"}};
}

TEST_F(ForeignConsent, CommandsThatRunNothingLoadNothing) {
  // Neither declared, nor remembered; then declared; then consented, so that a slip would run it.
  fs::create_directories(folder_ / "config/cotree");
  for (const std::string states : {"", "state x : Real", "state none"}) {
    WriteText(folder_ / "m.cot", ModelWith(states));
    for (const bool consent : {false, true}) {
      WriteText(folder_ / "config/cotree/foreign",
                consent ? HashLibrary((folder_ / "liblag.so").string()) + "  liblag.so\n" : "");
      for (const auto& words : Reading()) {
        const Ran run = Command(words);
        EXPECT_FALSE(HasRun()) << words[0];
        const bool needs =
            words[0] == "tree" || words[0] == "order" || words[0] == "equations" || words[0] == "derive";
        if (needs && states.empty()) {
          EXPECT_EQ(run.exit_code, 1) << words[0] << run.err;
          for (const char* part :
               {"COT4270", "`lag`", "`Lag`", "liblag.so", "state NAME : QUANTITY", "state none"})
            EXPECT_TRUE(Contains(run.err, part)) << words[0] << "\n" << run.err;
        } else {
          EXPECT_FALSE(Contains(run.err, "COT4270")) << words[0];
        }
        if (words[0] == "order" && !states.empty()) {
          EXPECT_EQ(run.exit_code, 0) << run.err;
        }
      }
    }
  }
}

TEST_F(ForeignConsent, RunsOnlyWithConsent) {
  const std::string hash = HashLibrary((folder_ / "liblag.so").string());
  const std::vector<std::vector<std::string>> ways = {{}, {"--in-process"}, {"--foreign-network"}};
  for (const std::string states : {"", "state x : Real"}) {
    WriteText(folder_ / "m.cot", ModelWith(states));
    for (const auto& words : Running()) {
      for (const auto& way : ways) {
        std::vector<std::string> all = words;
        all.insert(all.end(), way.begin(), way.end());
        const Ran run = Command(all);
        EXPECT_EQ(run.exit_code, 5) << words[0] << "\n" << run.err;
        EXPECT_FALSE(HasRun()) << words[0];
        for (const std::string& part :
             {std::string("COT4271"), std::string("`lag`"), std::string("liblag.so"), hash,
              std::string("--allow-foreign"), (folder_ / "config/cotree/foreign").string()})
          EXPECT_TRUE(Contains(run.err, part)) << part << "\n" << run.err;
      }
    }
  }
}

TEST_F(ForeignConsent, RunsWithConsent) {
  const std::string hash = HashLibrary((folder_ / "liblag.so").string());
  for (std::vector<std::string> words : Running()) {
    words.emplace_back("--allow-foreign");
    const Ran run = Command(words);
    EXPECT_EQ(run.exit_code, 0) << words[0] << "\n" << run.err;
    EXPECT_FALSE(HasRun()) << "it may not write";
  }
  fs::create_directories(folder_ / "config/cotree");
  WriteText(folder_ / "config/cotree/foreign", "# mine\n" + hash + "  liblag.so\n");
  for (const auto& words : Running()) EXPECT_EQ(Command(words).exit_code, 0) << words[0];
  EXPECT_EQ(Command({"simulate", "m.cot", "--foreign-write", "."}).exit_code, 0);
  EXPECT_TRUE(HasRun()) << "now it may";
  fs::remove(folder_ / "ran");
  EXPECT_EQ(Command({"simulate", "m.cot", "--in-process"}).exit_code, 0);
  EXPECT_TRUE(HasRun());
}

TEST_F(ForeignConsent, StatesAreRememberedByTheBytes) {
  EXPECT_EQ(Command({"order", "m.cot"}).exit_code, 1);
  EXPECT_EQ(Command({"simulate", "m.cot", "--allow-foreign"}).exit_code, 0);
  const Ran order = Command({"order", "m.cot"});
  EXPECT_EQ(order.exit_code, 0) << order.err;
  EXPECT_TRUE(Contains(order.out, "lag.x")) << order.out;
  EXPECT_EQ(Command({"tree", "m.cot"}).exit_code, 0);
  EXPECT_EQ(Command({"order", "m.cot", "--set", "lag.T = 2 s"}).exit_code, 1)
      << "states may hang on parameters";
  WriteText(folder_ / "lag.cc", std::string(kMarker) + "// another\nint another() { return 1; }\n");
  ASSERT_TRUE(Compile(folder_ / "lag.cc", folder_ / "liblag.so"));
  EXPECT_EQ(Command({"order", "m.cot"}).exit_code, 1) << "another library";
}

TEST_F(ForeignConsent, DeclarationsAreHeldAgainstTheLibrary) {
  WriteText(folder_ / "m.cot", ModelWith("state none"));
  const Ran none = Command({"simulate", "m.cot", "--allow-foreign"});
  EXPECT_EQ(none.exit_code, 5);
  EXPECT_TRUE(Contains(none.err, "the library has state `x`")) << none.err;
  WriteText(folder_ / "m.cot", ModelWith("state none  state x : Real"));
  const Ran both = Command({"check", "m.cot"});
  EXPECT_EQ(both.exit_code, 1);
  EXPECT_TRUE(Contains(both.err, "COT2609")) << both.err;
}

TEST_F(ForeignConsent, WhatIsNoFileIsRefusedAtOnce) {
  fs::remove(folder_ / "liblag.so");
  const auto began = std::chrono::steady_clock::now();
  ASSERT_EQ(mkfifo((folder_ / "liblag.so").c_str(), 0600), 0);
  for (const std::string states : {"", "state x : Real"}) {
    WriteText(folder_ / "m.cot", ModelWith(states));
    for (const char* command : {"simulate", "values", "linearize", "trim"}) {
      const Ran run = Command({command, "m.cot", "--allow-foreign"});
      EXPECT_EQ(run.exit_code, 5) << command;
      EXPECT_TRUE(Contains(run.err, "is not a regular file")) << run.err;
    }
    Command({"order", "m.cot"});
  }
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count(), 20);
}

// A library that hangs when it is loaded is waited for once.
TEST_F(ForeignConsent, WaitsOnceForALibraryThatHangs) {
  ASSERT_TRUE(Compile(kRoot / "src/software_component/test/hostile/hangs_at_load.c", folder_ / "liblag.so"));
  NoReader reader;
  const auto loaded = LoadModelText((folder_ / "m.cot").string(), ReadText(folder_ / "m.cot"), reader);
  TranslateOptions options = Asking();
  options.components.load_limit = 1;
  const auto began = std::chrono::steady_clock::now();
  const auto translation = Translate(*loaded, options);
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count(), 2.5);
  EXPECT_FALSE(translation->ok);
  EXPECT_TRUE(translation->foreign);
  EXPECT_TRUE(Contains(translation->foreign_problem, "no answer within 1 s")) << translation->foreign_problem;
}

TEST_F(ForeignConsent, InterruptedCallsEndWith130) {
  ASSERT_TRUE(Compile(kRoot / "src/software_component/test/hostile/hang.c", folder_ / "libhang.so"));
  WriteText(folder_ / "h.cot",
            R"(software Hang { input u : Real  output y : Real  state none  feedthrough y : u
      external "libhang.so" "hostile" }
    system S { c : Constant(k = 3)  h : Hang  f : FirstOrder(k = 1, T = 0.1 s)
      connect c.y -> h.u  connect h.y -> f.u }
    experiment E of S { stop = 2 s })");
  for (const std::string words :
       {"simulate h.cot", "simulate h.cot --out h.csv", "profile h.cot", "report h.cot --out h.html",
        "values h.cot --at 2", "sweep h.cot --vary 'c.k=1:2:2' --keep f.y --threads 1"}) {
    const auto began = std::chrono::steady_clock::now();
    const std::string command = "cd " + Quoted(folder_.path().string()) +
                                " && timeout --preserve-status -s INT 2 " + Quoted(COTREE_BINARY) + " " +
                                words + " --allow-foreign > out 2> err";
    const int status = std::system(command.c_str());
    EXPECT_EQ(WEXITSTATUS(status), 130) << words << "\n" << ReadText(folder_ / "err");
    EXPECT_FALSE(Contains(ReadText(folder_ / "err"), "no answer within")) << words;
    EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count(), 8) << words;
  }
}

}  // namespace
}  // namespace cotree::test

// SPDX-License-Identifier: Apache-2.0
// Settings from outside reach the system that is meant, whatever surrounds it in the text; what does not fit
// is an error that shows the option.

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "pipeline/choose_system.h"
#include "pipeline/translate.h"
#include "simulation/simulate.h"

namespace cotree {
namespace {

/* Texts in memory. */
class MapReader : public TextReader {
 public:
  explicit MapReader(std::map<std::string, std::string> files) : files_(std::move(files)) {}
  std::optional<std::string> Read(const std::string& path) override {
    const auto at = files_.find(path);
    return at == files_.end() ? std::nullopt : std::optional(at->second);
  }

 private:
  std::map<std::string, std::string> files_;
};

struct Tried {
  std::unique_ptr<LoadedModel> loaded;
  std::unique_ptr<Translation> translation;
  std::string findings;
  double value = NAN;
};

Tried Try(const std::map<std::string, std::string>& files, const SystemRequest& request,
          const std::string& variable) {
  Tried out;
  MapReader reader(files);
  out.loaded = LoadModel("main.cot", reader);
  ChooseSystem(*out.loaded, request, "main.cot");
  if (out.loaded->choice.problem.empty()) {
    out.translation = Translate(*out.loaded);
    if (out.translation->ok) {
      SimulationOptions options;
      options.stop = 1e-3;
      const Trajectory run = Simulate(*out.translation->program, out.translation->starts, options);
      EXPECT_TRUE(run.ok) << run.problem;
      const VariableRef ref = FindVariable(*out.translation->equations,
                                           NameFinder(out.loaded->model, *out.translation->graph), variable);
      for (size_t k = 0; k < run.slots.size(); ++k) {
        if (out.translation->sorted->HasSlot(ref) && run.slots[k] == out.translation->sorted->Slot(ref))
          out.value = run.columns[k].back();
      }
    }
  }
  for (const Diagnostic& d : out.loaded->diagnostics.list()) {
    if (d.info->severity == Severity::kError) out.findings += RenderText(d, out.loaded->model.files, false);
  }
  return out;
}

const std::string kOhm = R"(
  s : VoltageSource(V = 6 V)  r : Resistor(R = 2 ohm)
  connect s.p -- r.p   connect s.n -- r.n -- electrical.ground
)";

// An element, a slice, or all of an array; numbers, models and composites. `y` adds up what it is made of.
const std::string kParts = R"(
component Digits {
  parameter a : Length[3] = [1, 2, 3] m
  output y : Length
  equation y = a[1] + 10*a[2] + 100*a[3]
}
component Disc {
  parameter m : Mass = 2 kg
  parameter r : Length = 3 m
  parameter J : MomentOfInertia = m*r^2/2
  output y : MomentOfInertia
  equation y = J
}
component Motor {
  parameter k : Real = 7
  output y : Real
  equation y = f
  variable f : Real
  model full { parameter loss : Real = 2  equation f = k - loss }
  model ideal { equation f = k }
  model half { parameter part : Real = 0.5  equation f = part*k }
}
component Drive {
  parameter gain : Real = 1
  output y : Real
  motor : Motor(k = 7*gain, loss = 3)
  connect motor.y -> y
}
component Rack {
  parameter n : Integer = 3
  output y : Real
  drive : Drive[n]
  equation y = sum(drive[i].y*10^(i - 1) for i in 1:n)
}
component OnlyOne { output y : Real  drive : Drive(motor as ideal)  connect drive.y -> y }
)";

struct Reach {
  const char* what;
  std::string text;
  SystemRequest request;
  const char* variable;
  double value;
};

SystemRequest Set(std::vector<std::string> settings, std::string system = "", std::string experiment = "") {
  SystemRequest out;
  out.system = std::move(system);
  out.experiment = std::move(experiment);
  out.options.settings = std::move(settings);
  return out;
}

TEST(Settings, ReachTheirSystem) {
  const std::string two = "system B {" + kOhm + "}\nsystem A {" + kOhm + "}";
  const std::string experiments = two +
                                  "\nexperiment EB of B { stop = 1 s }\n"
                                  "experiment EA of A { stop = 1 s  set r.R = 3 ohm }\n";
  const std::string rack = kParts + "system S { rack : Rack  parameter g : Real = 1  d : Digits }";
  const std::string row =
      "system Row {\n  parameter n : Integer = 3\n  parameter R0 : Resistance = 2 ohm\n"
      "  v : VoltageSource(V = 6 V)\n  r : Resistor[n](R = R0)\n"
      "  connect v.p -- r.p   connect v.n -- r.n -- electrical.ground\n}\n";
  const std::vector<Reach> rows = {
      {"a comment names another experiment",
       "/* experiment Old of Bridge { stop = 1 s }\n*/\nsystem B {" + kOhm +
           "}\nexperiment E of B { stop = 1 s }",
       Set({"r.R=4 ohm"}), "r.i", 1.5},
      {"the experiment stands behind a brace", two + " experiment E of A { stop = 1 s }", Set({"r.R=4ohm"}),
       "r.i", 1.5},
      {"the experiment stands behind a comment", two + " /**/ experiment E of A { stop = 1 s }",
       Set({"r.R = 4 ohm"}), "r.i", 1.5},
      {"an experiment is named", experiments, Set({"r.R=4ohm"}, "", "EA"), "r.i", 1.5},
      {"a system is named", experiments, Set({"s.V=8V"}, "A"), "r.i", 8.0 / 3},
      {"the experiment sets, too", experiments, Set({}, "A"), "r.i", 2},
      {"many blank lines", std::string(50000, '\n') + "system B {" + kOhm + "}", Set({"r.R=4ohm"}), "r.i",
       1.5},
      {"the later counts", "system B {" + kOhm + "}", Set({"r.R=4ohm", "r.R=3ohm"}), "r.i", 2},
      {"an expression", "system B {" + kOhm + "}", Set({"r.R = 2*(1 ohm + 500 mohm)"}), "r.i", 2},
      {"a function", "system B {" + kOhm + "}", Set({"r.R = sqrt(9)*1 ohm"}), "r.i", 2},
      {"a parameter of the system", row, Set({"R0=3ohm"}), "r[2].i", 2},
      {"in terms of one", row, Set({"r[2].R=2*R0", "R0=1ohm"}), "r[2].i", 3},
      {"an element", row, Set({"r[2].R=3ohm"}), "r[2].i", 2},
      {"its neighbour stays", row, Set({"r[2].R=3ohm"}), "r[3].i", 3},
      {"a slice", row, Set({"r[2:3].R=3ohm"}), "r[3].i", 2},
      {"beside a slice", row, Set({"r[2:3].R=3ohm"}), "r[1].i", 3},
      {"a slice with its values", row, Set({"r[2:3].R=[6, 3] ohm"}), "r[3].i", 2},
      {"a slice backwards", row, Set({"r[3:-1:2].R=[6, 3] ohm"}), "r[2].i", 2},
      {"all of an array", row, Set({"r.R=[1, 2, 3] ohm"}), "r[3].i", 2},
      {"one for all", row, Set({"r[:].R=3 ohm"}), "r[1].i", 2},
      {"an element that only the setting makes", row, Set({"n=5", "r[5].R=3ohm"}), "r[5].i", 2},
      {"an element of a parameter", rack, Set({"d.a[3]=5m"}), "d.y", 521},
      {"a slice of one", rack, Set({"d.a[1:2]=[7, 8] m"}), "d.y", 387},
      {"all of one", rack, Set({"d.a=[4, 5, 6] m"}), "d.y", 654},
      {"a number for all of one", rack, Set({"d.a=1m"}), "d.y", 111},
      {"what follows from a parameter", kParts + "system S { d : Disc }", Set({"d.m=4kg"}), "d.y", 18},
      {"what would follow", kParts + "system S { d : Disc }", Set({"d.J=5kg*m^2"}), "d.y", 5},
      {"a parameter of a composite", rack, Set({"rack.drive[2].gain=2"}), "rack.y", 4 + 110 + 400},
      {"inside a composite", rack, Set({"rack.drive[1:2].motor.loss=0"}), "rack.y", 7 + 70 + 400},
      {"a size of a composite", rack, Set({"rack.n=2"}), "rack.y", 44},
      {"a size of a composite, and an element of it", rack, Set({"rack.n=4", "rack.drive[4].motor.k=4"}),
       "rack.y", 1444},
      {"all of an array, by an argument of a composite",
       kParts + "component Box { public d : Digits  output y : Length  connect d.y -> y }\n"
                "system S { b : Box(d.a = [4, 5, 6] m) }",
       Set({}), "b.y", 654},
      {"which counts less than a setting",
       kParts + "component Box { public d : Digits  output y : Length  connect d.y -> y }\n"
                "system S { b : Box[2](d.a = [4, 5, 6] m) }",
       Set({"b[2].d.a[2]=1 m"}), "b[2].y", 614},
      {"a model", kParts + "system S { m : Motor(loss = 1) }", Set({"m as ideal"}), "m.y", 7},
      {"a model with a value of its own", kParts + "system S { m : Motor }",
       Set({"m as half", "m.part=0.25"}), "m.y", 1.75},
      {"a model in a composite", kParts + "system S { d : Drive }", Set({"d.motor as ideal"}), "d.y", 7},
      {"a model in an array", rack, Set({"rack.drive.motor as ideal"}), "rack.y", 777},
      {"a model by an argument", kParts + "system S { d : Drive(motor as ideal) }", Set({}), "d.y", 7},
      {"a model by an argument further in", kParts + "system S { o : OnlyOne }", Set({}), "o.y", 7},
      {"which counts less than a setting", kParts + "system S { o : OnlyOne }",
       Set({"o.drive.motor as full"}), "o.y", 4},
      {"a model by the experiment",
       kParts + "system S { d : Drive }\nexperiment E of S { set d.motor as ideal }", Set({}), "d.y", 7},
      {"arguments of the model in the text are left out",
       kParts + "component Gear { public motor : Motor  output y : Real  connect motor.y -> y }\n"
                "system S { g : Gear(motor.loss = 1, motor.k = 5) }",
       Set({"g.motor as ideal"}), "g.y", 5},
      {"which counts less than an option",
       kParts + "system S { d : Drive }\nexperiment E of S { set d.motor as ideal }",
       Set({"d.motor as half"}), "d.y", 3.5},
      {"the model of one of two", kParts + "system S { a, b : Drive }", Set({"b.motor as ideal"}), "a.y", 4},
      {"the model of the other", kParts + "system S { a, b : Drive }", Set({"b.motor as ideal"}), "b.y", 7},
  };
  for (const Reach& reach : rows) {
    SCOPED_TRACE(reach.what);
    const Tried run = Try({{"main.cot", reach.text}}, reach.request, reach.variable);
    EXPECT_EQ(run.findings + run.loaded->choice.problem, "");
    EXPECT_NEAR(run.value, reach.value, 1e-9 * std::fabs(reach.value));
  }
}

TEST(Settings, ReachImportedSystems) {
  const std::map<std::string, std::string> files = {
      {"main.cot", "import \"parts.cot\"\nsystem B {" + kOhm + "}"},
      {"parts.cot",
       "enumeration Way { near, far }\nsystem A {" + kOhm + "}\nexperiment E of A { stop = 1 s }"}};
  for (const auto& [system, experiment] :
       {std::pair("", ""), std::pair("A", ""), std::pair("", "E"), std::pair("B", "")}) {
    const Tried run = Try(files, Set({"r.R=4ohm"}, system, experiment), "r.i");
    EXPECT_NEAR(run.value, 1.5, 1e-9) << system << experiment << run.findings << run.loaded->choice.problem;
  }
}

// What a plain number means: the same as in the text.
TEST(Settings, PlainNumbers) {
  const std::string loop = R"(
system C {
  target : Step(height = 1 rad/s)
  pi     : PI(kp = 2, ki = 3)
  amp    : SignalVoltageSource
  motor  : DCMotor(Kt = 0.05 N*m/A)
  load   : Inertia(J = 1e-3 kg*m^2)
  connect amp.p -- motor.p
  connect amp.n -- motor.n -- electrical.ground
  connect motor.housing -- rotational.ground
  connect motor.shaft -- load.a
  connect target.y -> pi.target
  connect load.w -> pi.measured
  connect pi.y -> amp.u
})";
  for (const char* good : {"pi.kp=1", "pi.kp=1 V*s/rad", "pi.ki=0", "load.J=0.002 kg*m^2", "motor.J=0"})
    EXPECT_EQ(Try({{"main.cot", loop}}, Set({good}), "load.w").findings, "") << good;
  for (const char* bad : {"motor.R=1", "load.J=2", "pi.kp=1 ohm", "target.height=3 m"}) {
    const std::string findings = Try({{"main.cot", loop}}, Set({bad}), "load.w").findings;
    EXPECT_NE(findings.find("--> --set"), std::string::npos) << bad << findings;
    EXPECT_EQ(findings.find("Wb"), std::string::npos) << findings;
  }
}

struct Wrong {
  const char* setting;
  const char* code;
  const char* says;
};

TEST(Settings, WhatDoesNotFitShowsTheOption) {
  const std::string text =
      kParts +
      "component Fixed { final parameter q : Real = 1  output y : Real  equation y = q }\n"
      "system S {\n  rack : Rack  d : Digits  f : Fixed  r : Resistor(R = 1 ohm)\n"
      "  v : VoltageSource(V = 1 V)  connect v.p -- r.p\n"
      "  connect v.n -- r.n -- electrical.ground\n}\n";
  for (const Wrong& w : std::vector<Wrong>{
           {"r.R=2 ohm } system T {", "COT1010", "the end"},
           {"r.R=", "COT10", ""},
           {"r.R", "COT1010", "`=`"},
           {"=3", "COT1010", "a path"},
           {"", "COT1010", "a path"},
           {"r.R=1 ohm, 2 ohm", "COT1010", "the end"},
           {"r.R=1 V", "COT2201", "ohm"},
           {"r.R=1", "COT2202", "needs a unit"},
           {"r.Q=1 ohm", "COT2003", "`Q`"},
           {"q.R=1 ohm", "COT2003", "it has rack"},
           {"rakc.n=2", "COT2003", "did you mean `rack`?"},
           {"whatever.R=1 ohm", "COT2003", "it has rack, d, f"},
           {"r=1 ohm", "COT2703", "r.R"},
           {"r.i=1 A", "COT2703", "not a parameter"},
           {"f.q=2", "COT2703", "final"},
           {"r.R=(time/(1 s))*(1 ohm)", "COT2703", "no number"},
           {"r.R=1 ohm/0", "COT", ""},
           {"d.a[4]=1 m", "COT2303", "from 1 to 3"},
           {"d.a[0]=1 m", "COT2303", ""},
           {"d.a[1.5]=1 m", "COT2310", ""},
           {"d.a[1][2]=1 m", "COT", ""},
           {"d.a[2:1]=1 m", "COT2703", "empty"},
           {"d.a=[1, 2] m", "COT2304", "2 elements where 3 are wanted"},
           {"d.a[1]=[1, 2] m", "COT2307", ""},
           {"rack.drive[4].gain=2", "COT2303", "from 1 to 3"},
           {"rack.drive[2].gain=[1, 2]", "COT2307", ""},
           {"rack.n=2.5", "COT2116", "whole number"},
           {"rack.drive.motor as idael", "COT2007", "did you mean `ideal`?"},
           {"rack.drive[1].motor as ideal", "COT2703", "have one model"},
           {"rack.drive.moter as ideal", "COT2003", "did you mean `motor`?"},
           {"d as ideal", "COT2007", "one model only"},
           {"rack.drive.motor as", "COT1025", ""},
           {"rack.drive.motor.k as ideal", "COT2003", ""},
       }) {
    SCOPED_TRACE(w.setting);
    const Tried run = Try({{"main.cot", text}}, Set({w.setting}), "d.y");
    EXPECT_TRUE(run.translation == nullptr || !run.translation->ok);
    EXPECT_NE(run.findings.find(w.code), std::string::npos) << run.findings;
    EXPECT_NE(run.findings.find(w.says), std::string::npos) << run.findings;
    EXPECT_NE(run.findings.find("--> --set\n"), std::string::npos) << run.findings;
    EXPECT_EQ(run.findings.find("--> main.cot"), std::string::npos) << run.findings;
  }
}

struct Choice {
  const char* system;
  const char* experiment;
  bool runs;
  const char* chosen;   // system, and behind a blank the experiment; empty: refused
  const char* problem;  // or a part of the note
};

TEST(Settings, OneChoiceForAll) {
  const std::string text = "system A {" + kOhm + "}\nsystem B {" + kOhm + "}\nsystem C {" + kOhm + "}\n" +
                           "experiment EB of B { stop = 1 s }\nexperiment EA of A { stop = 1 s }\n"
                           "experiment EC of C { stop = 1 s }\nexperiment FC of C { stop = 1 s }\n";
  for (const Choice& c : std::vector<Choice>{
           {"", "", true, "B EB", ""},
           {"", "", false, "", "several systems; choose one with --system: A, B, C"},
           {"A", "", true, "A EA", ""},
           {"A", "", false, "A", ""},
           {"C", "", true, "C EC", "EC, FC"},
           {"", "FC", true, "C FC", ""},
           {"", "FC", false, "C FC", ""},
           {"C", "FC", false, "C FC", ""},
           {"A", "EC", true, "", "one of `C`, not of `A`, which has EA"},
           {"Foo", "EC", true, "", "there is no system `Foo`"},
           {"Foo", "", true, "", "there is no system `Foo` in main.cot; it has A, B, C"},
           {"Foo", "", false, "", "it has A, B, C"},
           {"", "EX", true, "", "it has EB, EA, EC, FC; did you mean"},
           {"", "(", false, "", "there is no experiment `(`"},
       }) {
    SCOPED_TRACE(std::string(c.system) + " " + c.experiment);
    MapReader reader({{"main.cot", text}});
    const auto loaded = LoadModel("main.cot", reader);
    SystemRequest request = Set({"r.R=4ohm"}, c.system, c.experiment);
    request.runs = c.runs;
    const SystemChoice& choice = ChooseSystem(*loaded, request, "main.cot");
    std::string chosen = choice.system.IsNone() ? "" : loaded->model.Text(loaded->model[choice.system].name);
    if (choice.experiment != nullptr && !chosen.empty())
      chosen += " " + loaded->model.Text(choice.experiment->name);
    EXPECT_EQ(chosen, c.chosen);
    EXPECT_NE((choice.problem + choice.note).find(c.problem), std::string::npos)
        << choice.problem << choice.note;
    EXPECT_EQ(choice.usage, chosen.empty());
  }
}

TEST(Settings, MotionsAreEquations) {
  const std::string text = R"(
system P {
  hinge : Revolute(n = [0, 1, 0])
  rod   : Body(m = 2 kg, center = [0, 0, -0.5] m, I = [0.17, 0.17, 0.001, 0, 0, 0] kg*m^2)
  connect mechanics.ground -- hinge.a
  connect hinge.b -- rod.a
})";
  for (const auto& [motion, code] :
       {std::pair("hinge.phi = 0.5 rad*sin(time/(1 s))", ""),
        std::pair("hinge.phi = 0.5 m*sin(time/(1 s))", "COT2201"), std::pair("hinge.fi = 0.5 rad", "COT2003"),
        std::pair("hinge.phi", "COT1010"), std::pair("rod.m = 2 kg", "COT2703"),
        std::pair("hinge.phi = 1 rad } system Q {", "COT1010")}) {
    MapReader reader({{"main.cot", text}});
    const auto loaded = LoadModel("main.cot", reader);
    SystemRequest request;
    request.options.motions = {motion};
    ChooseSystem(*loaded, request, "main.cot");
    std::string findings;
    for (const Diagnostic& d : loaded->diagnostics.list())
      findings += RenderText(d, loaded->model.files, false);
    EXPECT_EQ(findings.empty(), *code == '\0') << findings;
    EXPECT_NE(findings.find(code), std::string::npos) << findings;
    if (*code != '\0') {
      EXPECT_NE(findings.find("--> --motion\n"), std::string::npos) << findings;
    }
  }
}

}  // namespace
}  // namespace cotree

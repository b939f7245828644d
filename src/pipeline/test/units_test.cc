// SPDX-License-Identifier: Apache-2.0
// What units, kinds and names of the text mean: rows of a model and the messages that it gives, none for a
// right one.
#include <gtest/gtest.h>

#include "pipeline/load_model.h"

namespace cotree {
namespace {

/** Text that stands for a file of this name. */
class OneFile : public TextReader {
 public:
  OneFile(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {}
  std::optional<std::string> Read(const std::string& path) override {
    return path == name_ ? std::optional(text_) : std::nullopt;
  }

 private:
  std::string name_, text_;
};

struct Row {
  const char* what;
  std::string text;
  std::string codes;      // "COT2203 COT2230"; empty: no message
  std::string said = {};  // in the messages
};

std::string Said(const LoadedModel& loaded) {
  std::string out;
  for (const Diagnostic& d : loaded.diagnostics.list()) out += RenderText(d, loaded.model.files, false);
  return out;
}

void Expect(const Row& row, TextReader& reader) {
  const auto loaded = LoadModelText("test.cot", row.text, reader);
  std::string codes;
  for (const Diagnostic& d : loaded->diagnostics.list())
    codes += (codes.empty() ? "" : " ") + CodeText(*d.info);
  EXPECT_EQ(codes, row.codes) << row.what << "\n" << row.text << "\n" << Said(*loaded);
  EXPECT_NE(Said(*loaded).find(row.said), std::string::npos) << row.what << "\n" << Said(*loaded);
}

void Expect(std::initializer_list<Row> rows) {
  NoReader reader;
  for (const Row& row : rows) Expect(row, reader);
}

// A source, what stands between, and a drive.
std::string Drive(const std::string& source, const std::string& between,
                  const std::string& drive = "SignalSpeedSource") {
  const bool speed = drive == "SignalSpeedSource" || drive == "SignalTorqueSource";
  return "system S { source : " + source + "  drive : " + drive + "  " + between +
         (speed ? "  load : Inertia(J = 1 kg*m^2)  connect drive.a -- load.a  connect drive.b -- "
                  "rotational.ground }"
                : "}");
}

TEST(Kinds, FrequencyAndAngularVelocityDoNotMixThroughSignals) {
  const std::string direct = "connect source.y -> drive.u";
  const auto through = [](const std::string& part) {
    return "part : " + part + "  connect source.y -> part.u  connect part.y -> drive.u";
  };
  Expect({
      {"at once", Drive("Constant(k = 20 Hz)", direct), "COT2203",
       "`source.y` is a frequency, but `drive.u`"},
      {"a step", Drive("Step(height = 20 Hz)", direct), "COT2203"},
      {"a table", Drive("TimeTable(n = 2, t = [0, 1] s, values = [0, 20] Hz)", direct), "COT2203"},
      {"a sine", Drive("Sine(amplitude = 3 Hz, frequency = 1 Hz)", direct), "COT2203"},
      {"a limiter", Drive("Constant(k = 20 Hz)", through("Limiter(upper = 30 Hz)")), "COT2203"},
      {"a limit in rad/s", Drive("Constant(k = 20 Hz)", through("Limiter(upper = 30 rad/s)")), "COT2203"},
      {"a delay", Drive("Constant(k = 20 Hz)", through("TransportDelay(T = 1 s)")), "COT2203"},
      {"a plain gain", Drive("Constant(k = 20 Hz)", through("Gain(k = 2)")), "COT2231", "2 rad/s/Hz"},
      {"a filter with a plain gain", Drive("Constant(k = 20 Hz)", through("FirstOrder(k = 1, T = 1 s)")),
       "COT2231"},
      {"a gain by default",
       Drive("Constant(k = 20 Hz)", through("TransferFunction(n = 1, num = [0, 1], den = [1, 1])")),
       "COT2231", "`k` of `part`"},
      {"two plain gains",
       Drive("Constant(k = 20 Hz)",
             "a : Gain(k = 2)  b : Gain(k = 3)  connect source.y -> a.u  connect a.y -> b.u  connect b.y -> "
             "drive.u"),
       "COT2231"},
      {"a sum of the two",
       Drive(
           "Constant(k = 20 Hz)",
           "sum : Add  w : Constant(k = 3 rad/s)  connect source.y -> sum.u1  connect w.y -> sum.u2  connect "
           "sum.y -> drive.u"),
       "COT2203"},
      {"an array",
       Drive("Constant(k = 20 Hz)",
             "sum : Sum(n = 2)  w : Constant(k = 3 rad/s)  connect source.y -> sum.u[1]  connect w.y -> "
             "sum.u[2]  connect sum.y -> drive.u"),
       "COT2203"},
      {"a feedback of the speed",
       Drive("Constant(k = 20 Hz)",
             "pi : PI(kp = 2 N*m*s/rad)  connect source.y -> pi.target  connect load.w -> pi.measured  "
             "connect pi.y -> drive.u",
             "SignalTorqueSource"),
       "COT2203", "`load.w` is an angular velocity, but `pi.measured` is a frequency"},
      {"an array of components",
       Drive("Constant(k = 20 Hz)",
             "g : Abs[2]  connect source.y -> g[1].u  connect g[1].y -> g[2].u  connect g[2].y -> drive.u"),
       "COT2203"},
      {"torque and energy", Drive("Constant(k = 5 J)", direct, "SignalTorqueSource"), "COT2203", "an energy"},
      {"torque as a signal", Drive("Constant(k = 5 N*m)", direct, "SignalTorqueSource"), ""},
      {"rad/s", Drive("Constant(k = 20 rad/s)", through("Gain(k = 2)")), ""},
      {"rpm", Drive("Constant(k = 20 rpm)", direct), ""},
      {"1/s, of no kind", Drive("Constant(k = 20 1/s)", direct), ""},
      {"a plain number", Drive("Constant(k = 20)", direct), ""},
      {"2*pi", Drive("Constant(k = 20 Hz)", through("Gain(k = 2*pi)")), ""},
      {"a turn", Drive("Constant(k = 20 Hz)", through("Gain(k = 1 rev)")), ""},
      {"a gain with its unit", Drive("Constant(k = 20 Hz)", through("Gain(k = 2 rad/s/Hz)")), ""},
      {"from volts", Drive("Constant(k = 2 V)", through("Gain(k = 10 rad/s/V)")), ""},
      {"a product",
       Drive("Constant(k = 20 Hz)",
             "p : Product  turn : Constant(k = 1 rev)  connect source.y -> p.u1  connect turn.y -> p.u2  "
             "connect p.y -> drive.u"),
       ""},
  });
}

TEST(Kinds, GoThroughCompositesFunctionsAndExpressions) {
  const std::string filter =
      "component Filter { input u : $a  output y : $b  g : Gain(k = 2)  connect u -> g.u  connect g.y -> y "
      "}\n";
  const std::string same = "component Same { input u : $a  output y : $a  equation y = 0.5*u }\n";
  const std::string through = "part : PART  connect source.y -> part.u  connect part.y -> drive.u";
  const auto with = [&](const std::string& part) {
    std::string text = through;
    return text.replace(text.find("PART"), 4, part);
  };
  const auto tone = [](const std::string& body) {
    return "component T { input f : Frequency  input w : AngularVelocity  output y : Real  equation " + body +
           " }";
  };
  const std::string twice = "function twice(x : $a) : $a = 2*x\n";
  Expect({
      {"a composite with a plain gain", filter + Drive("Constant(k = 20 Hz)", with("Filter")), "COT2231"},
      {"the same in V", filter + Drive("Constant(k = 20 V)", with("Filter")), ""},
      {"an equation", same + Drive("Constant(k = 20 Hz)", with("Same")), "COT2203"},
      {"what is read inside",
       filter +
           Drive("Constant(k = 20 Hz)",
                 "f : Filter  connect source.y -> f.u  connect f.g.u -> drive.u  t : Terminator  connect "
                 "f.y -> t.u"),
       "COT2203"},
      {"a function", twice + tone("y = if twice(f) > w then 1 else 0"), "COT2203"},
      {"a function of one kind", twice + tone("y = if twice(f) > 3 Hz then 1 else 0"), ""},
      {"a comparison", tone("y = if f > w then 1 else 0"), "COT2203"},
      {"a sum", tone("y = (f + w)*1 s"), "COT2203"},
      {"the greater", tone("y = max(f, w)*1 s"), "COT2203"},
      {"2*pi in an equation", tone("y = (2*pi*f + w)*1 s"), ""},
      {"a quotient", tone("y = w/f"), ""},
      {"a quantity of the user",
       "quantity Pace = rad/s\ncomponent T { parameter w : Pace = 5 Hz  output y : "
       "Real = w*1 s }",
       "COT2203"},
      {"a table", "table t(f : Frequency) : Real { data = [[0 Hz, 1], [2 rad/s, 3]] }", "COT2203"},
      {"a table of two arguments",
       "table t(f : Frequency, x : Length) : Real { rows = [0, 1] rad/s  columns = [0, 1] m  data = [[1, 2], "
       "[3, "
       "4]] }",
       "COT2203"},
  });
}

TEST(Units, WhatATurnMovesIsPerAngle) {
  const auto screw = [](const std::string& lead) {
    return "system S { parameter p : Length = 5 mm  screw : Screw(lead = " + lead +
           ")  m : Mass(m = 1 kg)  connect screw.a -- rotational.ground  connect screw.b -- m.a }";
  };
  const auto pump = [](const std::string& displacement) {
    return "system S { pump : FixedPump(D = " + displacement + ") }";
  };
  Expect({
      {"a length", screw("5 mm"), "COT2230", "`5 mm/rev`"},
      {"twice a length", screw("2*5 mm"), "COT2230"},
      {"a parameter", screw("p"), "COT2230", "(p)/(1 rev)"},
      {"per turn", screw("5 mm/rev"), ""},
      {"per radian", screw("5 mm/rad"), ""},
      {"per degree", screw("5 um/deg"), ""},
      {"a quotient", screw("p/(2*pi)"), ""},
      {"by a turn", screw("p/(1 rev)"), ""},
      {"a plain number", screw("5"), "COT2202", "mm/rev"},
      {"zero needs no unit, but no screw has it", screw("0"), "COT2120", "other than 0"},
      {"a volume", pump("28 cm^3"), "COT2230", "`28 cm^3/rev`"},
      {"litres", pump("0.028 L"), "COT2230"},
      {"a volume per turn", pump("28 cm^3/rev"), ""},
      {"a pitch",
       "system S { g : Gravity  j : ScrewJoint(pitch = 5 mm, n = [0, 0, 1])  connect mechanics.ground -- j.a "
       "}",
       "COT2230"},
      {"a stiffness in N*m",
       "system S { s : TorsionSpring(k = 3 N*m)  connect s.a -- s.b -- rotational.ground }", ""},
      {"a motor constant in V*s", "component C { parameter Ke : BackEmfConstant = 0.1 V*s }", ""},
      {"a radius", "component C { parameter r : Length = 5 mm/rad }", ""},
  });
}

TEST(Units, AnglesHaveAUnit) {
  const auto wheel = [](const std::string& arguments, const std::string& experiment = "") {
    return "system S { wheel : Inertia(J = 1 kg*m^2" + arguments +
           ")  s : TorsionSpring(k = 3 N*m/rad)  t : Constant(k = 60)  a : SignalAngleSource  connect t.y -> "
           "a.u  connect a.a -- s.a  connect a.b -- rotational.ground  connect s.b -- wheel.a }\n" +
           experiment;
  };
  Expect({
      {"a start", wheel(", start phi = 60"), "COT2202", "write `60 deg` or `60 rad`"},
      {"a negative start", wheel(", start phi = -60 fixed"), "COT2202", "`-60 deg`"},
      {"degrees", wheel(", start phi = 60 deg"), ""},
      {"zero", wheel(", start phi = 0 fixed"), ""},
      {"pi", wheel(", start phi = pi/3 fixed"), ""},
      {"a signal of inferred dimension", wheel(""), ""},
      {"an experiment", wheel("", "experiment E of S { stop = 1 s  start wheel.phi = 1 }"), "COT2202"},
      {"a parameter", "component C { parameter a : Angle = 1.5 }", "COT2202"},
      {"a parameter in rad", "component C { parameter a : rad = 1.5 }", "COT2202"},
      {"a bound", "component C { parameter a : Angle (max = 3) = 1 deg }", "COT2202"},
      {"an argument",
       "system S { s : Sine(amplitude = 1 V, frequency = 1 Hz, phase = 90)  t : Terminator  connect "
       "s.y -> t.u }",
       "COT2202"},
      {"an array", "component C { parameter a : Angle[3] = [0, 90, 0] }", "COT2202", "`[0, 90, 0] deg`"},
      {"an array of zeros", "component C { parameter a : Angle[3] = [0, 0, 0] }", ""},
      {"a function", "function f(a : Angle) : Real = sin(a)\ncomponent C { output y : Real = f(60) }",
       "COT2202"},
      {"an angle in arithmetic", "component C { input a : Angle  output y : Real = 1 - a^2/2 }", ""},
  });
}

TEST(Units, EndAtTheFirstThingThatIsNone) {
  const auto volume = [](const std::string& value) {
    return "component V { parameter R, k, width : Real = 2  parameter len, d : Length = 1 m  input u : "
           "Volume[2]  "
           "variable rod : Length = 1 m  output y : Volume = " +
           value + " }";
  };
  Expect({
      {"a bracket with a number", volume("0.2 m*(0.1 m)^2"), ""},
      {"a bracket with a unit alone", volume("0.2 m*(m*m)"), ""},
      {"a variable", volume("0.2 m^3*k"), ""},
      {"divided by a variable", volume("5 m^3/R"), ""},
      {"a power of a variable", volume("5 m*len^2"), ""},
      {"several", volume("2 m*len*k/R*width*len"), ""},
      {"a variable that UDUNITS has as a unit", volume("2 m^2*rod"), ""},
      {"the time", volume("3 m^3/s*time"), ""},
      {"pi", volume("3 m^3*pi"), ""},
      {"a call", volume("3 m^3*sin(2 rad/s*time)"), ""},
      {"an element", volume("3 m^3*k + u[1]"), ""},
      {"left to right", volume("8 m^3/R*k"), ""},
      {"units go on", volume("3 L/min*s"), ""},
      {"a unit of UDUNITS", volume("3 meter^2*furlong"), ""},
      {"a variable named like a unit", volume("5 m^2*d"), "COT2201", "`d` is read as a unit here"},
      {"the same with blanks", volume("5 m^2 * d"), ""},
      {"nothing of that name", volume("3 m^3*kk"), "COT2003"},
      {"nearly a unit", volume("3 m*mm2"), "COT2003", "write `mm^2`"},
      {"a blank behind the prefix",
       "system S { r : Resistor(R = 10 k ohm)  connect r.p -- r.n -- "
       "electrical.ground }",
       "COT1037", "write `kohm`"},
  });
}

TEST(Units, InMessagesAreThoseOfTheConnection) {
  const auto loop = [](const std::string& kp) {
    return "system S { target : Step(height = 1 rad/s)  pi : PI(kp = " + kp +
           ", ki = 3)  amp : SignalVoltageSource  motor : DCMotor(Kt = 0.05 N*m/A)  load : Inertia(J = 1e-3 "
           "kg*m^2)  connect amp.p -- motor.p  connect amp.n -- motor.n -- electrical.ground  connect "
           "motor.housing -- rotational.ground  connect motor.shaft -- load.a  connect target.y -> pi.target "
           " "
           "connect load.w -> pi.measured  connect pi.y -> amp.u }\n";
  };
  Expect({
      {"a plain number", loop("2"), ""},
      {"set to a plain number", loop("2") + "experiment E of S { stop = 1 s  set pi.kp = 1 }", ""},
      {"set in another unit", loop("2") + "experiment E of S { stop = 1 s  set pi.kp = 1 ohm }", "COT2201",
       "V*s/rad"},
      {"the integral part", loop("2") + "experiment E of S { stop = 1 s  set pi.ki = 1 ohm }", "COT2201",
       "V/rad"},
  });
}

TEST(Names, ASystemHidesNoComponentAndIsCalledOne) {
  const std::string ramp =
      " { push : Ramp(slope = 1 N/s)  f : SignalForceSource  m : Mass(m = 1 kg)  connect push.y -> f.u  "
      "connect f.b "
      "-- m.a  connect f.a -- translational.ground }\n";
  Expect({
      {"a system named like its part", "system Ramp" + ramp, ""},
      {"a component named like its part",
       "component Ramp { output y : Force  push : Ramp(slope = 1 N/s)  connect push.y -> y }", "COT2106",
       "signal.Ramp"},
      {"a system in a system", "system Inner { }\nsystem Outer { i : Inner }", "COT2014", "a system"},
      {"two systems", "system A { }\nsystem A { }", "COT2009", "system `A` is declared twice"},
      {"two tables",
       "table t(x : Real) : Real { data = [[0, 1], [1, 2]] }\ntable t(x : Real) : Real { data = [[0, "
       "1], [1, 2]] }",
       "COT2009", "table `t`"},
      {"two kinds of software", "software A { output y : Real  equation y = time/(1 s) }\nsystem A { }",
       "COT2009", "system `A`"},
  });
}

TEST(Names, AnInstanceWithAnEqualSignIsStillOne) {
  const auto circuit = [](const std::string& r) {
    return "system S {\n v : VoltageSource(V = 5 V)\n " + r +
           "\n connect v.p -- r.p\n connect r.n -- v.n -- electrical.ground\n}";
  };
  Expect({
      {"with arguments", circuit("r = Resistor(R = 1 kohm)"), "COT1038", "write `r : Resistor(...)`"},
      {"of a package", circuit("r = electrical.Resistor(R = 1 kohm)"), "COT1038"},
      {"without arguments", circuit("r = Short"), "COT1038 COT2001"},
      {"an equation", "component C { output y : Real  y = 2*time/(1 s) }", "COT1014"},
  });
}

TEST(Text, MarksAreSkippedAndWhatIsNoTextIsSaidOnce) {
  const std::string mark = "\xEF\xBB\xBF";
  const std::string part = "component Part { parameter R : Resistance = 1 ohm }\n";
  std::string wide(1, '\xFF');
  wide += '\xFE';
  for (const char c : part) wide += c, wide += '\0';
  Expect({
      {"a mark", mark + part, ""},
      {"UTF-16", wide, "COT1036", "it is in UTF-16"},
      {"UTF-16 without a mark", wide.substr(2), "COT1036", "UTF-16"},
      {"UTF-32", std::string("\xFF\xFE\0\0s\0\0\0", 8), "COT1036", "UTF-32"},
      {"a zero byte", part + std::string(1, '\0') + "garbage garbage", "COT1036", "zero bytes"},
      {"control characters", "\x01\x02\x03\x04 system { } } ) \x01", "COT1036"},
      {"no character", part + "system S { r : Part(R = 1 \xB5ohm) }", "COT1036", "Latin-1"},
      {"Latin-1 in a comment",
       part + "// 20 \xB0"
              "C\n",
       ""},
  });
  const std::string user = "import \"part.cot\"\nsystem S { p : Part }\n";
  OneFile marked("part.cot", mark + part), foreign("part.cot", wide);
  Expect({"a mark in an import", user, ""}, marked);
  Expect({"UTF-16 in an import", user, "COT1036"}, foreign);
  const std::string table = "table t(x : Length) : Force { file = \"pull.csv\" }\n";
  OneFile data("pull.csv", mark + "x [mm], F [N]\n0, 1\n1, 2\n"), binary("pull.csv", wide);
  Expect({"a mark in a table", table, ""}, data);
  Expect({"UTF-16 in a table", table, "COT2606", "UTF-16"}, binary);
  Expect({{"a file given as data", "table t(x : Length) : Force { data = \"pull.csv\" }", "COT2605",
           "file = \"pull.csv\""}});
}

}  // namespace
}  // namespace cotree

// SPDX-License-Identifier: Apache-2.0
#include "language/format.h"

#include <gtest/gtest.h>

#include "language/test/text_support.h"

namespace cotree {
namespace {

// Formats, and formats again.
std::string Twice(const std::string& text) {
  const std::string once = Formatted(text);
  EXPECT_EQ(Formatted(once), once);
  return once;
}

TEST(Format, IndentsByBracesAndSections) {
  EXPECT_EQ(Twice(R"(
component  Motor   "DC motor"{
terminal p,n:electrical
    parameter R:Resistance=0.2ohm
edge e:p->n
equation
e.v=R*e.i
when e.i>3 A{
reinit(x,0)
}
elsewhen e.i<0 A {
reinit( x , 1 )
}
energy=L*e.i^2/2
model cold{
terminal q : thermal
}
}
)"),
            R"(component Motor   "DC motor" {
  terminal p, n : electrical
  parameter R : Resistance = 0.2 ohm
  edge e : p -> n
  equation
    e.v = R*e.i
    when e.i > 3 A {
      reinit(x, 0)
    }
    elsewhen e.i < 0 A {
      reinit(x, 1)
    }
  energy = L*e.i^2/2
  model cold {
    terminal q : thermal
  }
}
)");
}

TEST(Format, KeepsAlignment) {
  const std::string text = R"(system A {
  source : SineVoltageSource(amplitude = 1 V, frequency = 50 Hz)
  r      : Resistor(R   = 1 kohm)     "load"
  c      : Capacitor                  // aligned
  A      : Matrix(m = [[ 0,  1],
                       [-1, 10]])
}

quantity Angle           = rad        (display = deg)
quantity AngularVelocity = rad/s      (display = rpm)
experiment Ripple of LowPass { stop = 0.1 s   plot c.v, r.i }
)";
  std::string expected = text;
  expected.replace(expected.find("[[ 0"), 4, "[[0");
  EXPECT_EQ(Twice(text), expected);
}

TEST(Format, NeverChangesUnits) {
  const auto equation = [](const std::string& right) {
    const std::string out = Twice("component A { equation x = " + right + " }");
    return out.substr(27, out.size() - 30);
  };
  EXPECT_EQ(equation("2 m * width"), "2 m * width");
  EXPECT_EQ(equation("2 m *width"), "2 m * width");
  EXPECT_EQ(equation("2 m* width"), "2 m * width");
  EXPECT_EQ(equation("2 m*width"), "2 m * width");  // no unit
  EXPECT_EQ(equation("2 N*m"), "2 N*m");
  EXPECT_EQ(equation("2 m ^ k"), "2 m ^ k");
  EXPECT_EQ(equation("2 m*2"), "2 m * 2");
  EXPECT_EQ(equation("a * b / c ^ 2"), "a*b/c^2");
  EXPECT_EQ(equation("i * 1 nF"), "i * 1 nF");
  EXPECT_EQ(equation("i*1 nF"), "i*1 nF");
  EXPECT_EQ(equation("4 V/( rad* s )"), "4 V/(rad*s)");
  EXPECT_EQ(equation("10   1/s"), "10 1/s");
  EXPECT_EQ(equation("[1,2]ohm"), "[1, 2] ohm");
}

TEST(Format, Operators) {
  const auto equation = [](const std::string& right) {
    const std::string out = Twice("component A { equation x = " + right + " }");
    return out.substr(27, out.size() - 30);
  };
  EXPECT_EQ(equation("a+b-c"), "a + b - c");
  EXPECT_EQ(equation("a - - b"), "a - -b");
  EXPECT_EQ(equation("- - b"), "- -b");
  EXPECT_EQ(equation("a* - b^- 2"), "a*-b^-2");
  EXPECT_EQ(equation("( a+b )*( c )"), "(a + b)*(c)");
  EXPECT_EQ(equation("f( a,b )[ 1 ]"), "f(a, b) [1]");  // no call is indexed: two items
  EXPECT_EQ(equation("r [ 1 : n-1 ] . p"), "r[1:n-1].p");
  EXPECT_EQ(equation("r[1:n - 1].p"), "r[1:n - 1].p");
  EXPECT_EQ(equation("a[ : , 2]"), "a[:, 2]");
  EXPECT_EQ(equation("if a<b and not(c) then 1 else 2"), "if a < b and not (c) then 1 else 2");
  EXPECT_EQ(equation("[i*2 for i in 1 : n]"), "[i*2 for i in 1:n]");
}

TEST(Format, Comments) {
  EXPECT_EQ(Twice("\n\n// head   \n\n\n\nsystem A{ // opens\n// inside\n  /* block\n     kept "
                  "*/\nr:R(a=1,/*why*/b=2)// end\n"
                  "connect a.p--/* x */b.p\n\n\n// last\n}\n// tail\n\n\n"),
            "// head\n\nsystem A { // opens\n  // inside\n  /* block\n     kept */\n  r : R(a = 1, /*why*/ b "
            "= 2) // end\n"
            "  connect a.p -- /* x */ b.p\n\n  // last\n}\n// tail\n");
}

TEST(Format, ContinuationLinesKeepTheirDistance) {
  EXPECT_EQ(Twice("system A {\n    pid : PID(kp = 1,\n              ki = 2,\n    kd = 3\n    )\n}\n"),
            "system A {\n  pid : PID(kp = 1,\n            ki = 2,\n      kd = 3\n  )\n}\n");
  EXPECT_EQ(Twice("component A {\nequation\nx = a\n+ b\n}\n"),
            "component A {\n  equation\n    x = a\n        + b\n}\n");
}

TEST(Format, ConnectionsBehindEquationsAreMembers) {
  EXPECT_EQ(Twice("component A {\nequation\nx = a\nconnect p -- q\n}\n"),
            "component A {\n  equation\n    x = a\n  connect p -- q\n}\n");
}

TEST(Format, LineEnds) {
  EXPECT_EQ(Twice("system A {\r\n\tr:R\t\r\n}"), "system A {\r\n  r : R\r\n}\r\n");
  EXPECT_EQ(Twice("system A {\n}"), "system A {\n}\n");
  EXPECT_EQ(Twice(""), "");
  EXPECT_EQ(Twice(" \n\n "), "");
  EXPECT_EQ(Twice("  // only"), "// only\n");
  EXPECT_EQ(Twice("\xEF\xBB\xBF  system A { }"), "\xEF\xBB\xBFsystem A { }\n");
  EXPECT_EQ(Twice("\xEF\xBB\xBF// x\nsystem A { }"), "\xEF\xBB\xBF// x\nsystem A { }\n");
}

TEST(Format, BrokenTextsKeepTokensAndIndentation) {
  EXPECT_EQ(Twice("system A {\n      r:R\n   model m {\n}\n"), "system A {\n      r : R\n   model m {\n}\n");
  EXPECT_EQ(Twice("2.m:A"), "2.m : A\n");
  EXPECT_EQ(Twice("2. . 5"), "2. . 5\n");
  EXPECT_EQ(Twice("a \"open"), "a \"open\n");
  EXPECT_EQ(Twice("a /* open  \n"), "a /* open  \n");
  EXPECT_EQ(Twice("! = < = - - / /"), "! = < = - - / /\n");
}

TEST(Format, DeepNestingStaysLinear) {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += "{\n";
  for (int i = 0; i < 20000; ++i) text += "}\n";
  EXPECT_LT(Twice(text).size(), 100 * text.size());
}

}  // namespace
}  // namespace cotree

// SPDX-License-Identifier: Apache-2.0
// Each operation of the edit API with the exact bytes it gives; every one is taken back again.
#include "language/edit.h"

#include <gtest/gtest.h>

#include <functional>

#include "language/test/text_support.h"

namespace cotree {
namespace {

using Operation = std::function<std::optional<TextEdits>(const SourceEditor&)>;

/// The text after an operation, or the code and message of its refusal.
std::string Edited(const std::string& text, const Operation& operation) {
  SourceFiles files;
  const FileId file = files.Add("test.cot", text);
  Diagnostics diagnostics;
  const SourceEditor editor(files[file].text(), file, diagnostics);
  const auto edits = operation(editor);
  EXPECT_EQ(edits.has_value(), diagnostics.ok());
  if (!edits) {
    const Diagnostic& first = diagnostics.list().front();
    EXPECT_EQ(diagnostics.list().size(), 1u);
    return CodeText(*first.info) + " " + first.message;
  }
  std::string result = ApplyEdits(text, *edits);
  EXPECT_TRUE(Parsed(result).diagnostics.ok()) << result;
  EXPECT_EQ(ApplyEdits(result, InvertEdits(text, *edits)), text);
  return result;
}

std::string Set(const std::string& text, const char* instance, const char* parameter, const char* value) {
  return Edited(text, [&](const SourceEditor& e) { return e.SetParameter("A", instance, parameter, value); });
}
std::string Add(const std::string& text, const char* name, const char* declaration, const char* body = "A") {
  return Edited(text, [&](const SourceEditor& e) { return e.AddInstance(body, name, declaration); });
}
std::string Remove(const std::string& text, const char* name, const char* body = "A") {
  return Edited(text, [&](const SourceEditor& e) { return e.RemoveInstance(body, name); });
}
std::string Rename(const std::string& text, const char* from, const char* to, const char* body = "A") {
  return Edited(text, [&](const SourceEditor& e) { return e.RenameInstance(body, from, to); });
}
std::string Connect(const std::string& text, const char* from, const char* to,
                    ConnectionKind kind = ConnectionKind::kPhysical) {
  return Edited(text, [&](const SourceEditor& e) { return e.AddConnection("A", from, to, kind); });
}
std::string Disconnect(const std::string& text, const char* from, const char* to) {
  return Edited(text, [&](const SourceEditor& e) { return e.RemoveConnection("A", from, to); });
}
std::string Place(const std::string& text, const char* instance, std::optional<Layout> layout) {
  return Edited(text, [&](const SourceEditor& e) { return e.SetLayout("A", instance, layout); });
}

const std::string kCircuit = R"(// An RC filter.
system A "filter" {
  source : VoltageSource(V = 1 V)  // the source
  // the load
  r      : Resistor(R = 1 kohm)
  c      : Capacitor(C = 1 uF, start v = 0 V fixed)

  connect source.p -- r.p
  connect r.n -- c.p   // middle
  connect source.n -- c.n -- electrical.ground
}
)";

// `kCircuit` with one stretch replaced.
std::string With(const std::string& from, const std::string& to, std::string text = kCircuit) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(SetParameter, ReplacesAddsRemoves) {
  EXPECT_EQ(Set(kCircuit, "r", "R", "2 kohm"), With("1 kohm", "2 kohm"));
  EXPECT_EQ(Set(kCircuit, "r", "R", " 1 kohm "), kCircuit);
  EXPECT_EQ(Set(kCircuit, "r", "T", "300 K"), With("R = 1 kohm", "R = 1 kohm, T = 300 K"));
  EXPECT_EQ(Set(kCircuit, "r", "R", ""), With("(R = 1 kohm)", ""));
  EXPECT_EQ(Set(With("(R = 1 kohm)", ""), "r", "R", "1 kohm"), kCircuit);
  EXPECT_EQ(Set(kCircuit, "c", "C", ""), With("C = 1 uF, ", ""));
  EXPECT_EQ(Set(kCircuit, "c", "start v", ""), With(", start v = 0 V fixed", ""));
  EXPECT_EQ(Set(kCircuit, "c", "start v", "1 V"), With("0 V fixed", "1 V"));
  EXPECT_EQ(Set(kCircuit, "r", "start i", "1 A guess"), With("1 kohm", "1 kohm, start i = 1 A guess"));
}

TEST(SetParameter, InEveryFormOfDeclaration) {
  EXPECT_EQ(Set("system A { r : e.R[3] as m }", "r", "a", "1"), "system A { r : e.R[3](a = 1) as m }");
  EXPECT_EQ(Set("system A { r : R() }", "r", "m.a", "1"), "system A { r : R(m.a = 1) }");
  EXPECT_EQ(Set("system A { r : R(m . a = 1) }", "r", "m.a", "2"), "system A { r : R(m . a = 2) }");
  EXPECT_EQ(Set("system A {\n  r : R(\n    a = 1,\n    b = 2\n  )\n}", "r", "c", "3"),
            "system A {\n  r : R(\n    a = 1,\n    b = 2,\n    c = 3\n  )\n}");
  EXPECT_EQ(Set("system A {\n  r : R(\n    a = 1,  // one\n    b = 2\n  )\n}", "r", "b", ""),
            "system A {\n  r : R(\n    a = 1  // one\n    \n  )\n}");
  EXPECT_EQ(Set("system A { r : R(a = 1, b = 2) }", "r", "a", "if x then 1 else 2"),
            "system A { r : R(a = if x then 1 else 2, b = 2) }");
}

TEST(SetParameter, GivesAnInstanceOfAListItsOwnDeclaration) {
  EXPECT_EQ(Set("system A {\n  a, b : R(x = 1) \"d\"  // both\n  c : C\n}", "a", "x", "2"),
            "system A {\n  b : R(x = 1) \"d\"  // both\n  a : R(x = 2) \"d\"\n  c : C\n}");
  EXPECT_EQ(Set("system A {\n  a, b : R(x = 1)\n}", "b", "x", "1"), "system A {\n  a, b : R(x = 1)\n}");
  EXPECT_EQ(Set("component A { public a, b, c : R   d : R }", "b", "x", "2"),
            "component A { public a, c : R   public b : R(x = 2)   d : R }");
}

TEST(SetParameter, Refuses) {
  EXPECT_EQ(Set(kCircuit, "r", "R", "1 +"), "COT1032 `1 +` is not an expression");
  EXPECT_EQ(Set(kCircuit, "r", "R", "1) // "), "COT1032 `1) //` is not an expression");
  EXPECT_EQ(Set(kCircuit, "r", "R", "1 // x"), "COT1032 `1 // x` is not an expression");
  EXPECT_EQ(Set(kCircuit, "r", "R", "/* x */ 1"), "COT1032 `/* x */ 1` is not an expression");
  EXPECT_EQ(Set(kCircuit, "r", "R = 3", "1"), "COT1032 `R = 3` is not the name of a parameter");
  EXPECT_EQ(Set(kCircuit, "c", "start v", "1 V fixed fixed"),
            "COT1032 `1 V fixed fixed` is not an expression");
  EXPECT_EQ(Set(kCircuit, "q", "R", "1"), "COT1030 there is no instance `q` in `A`");
  EXPECT_EQ(Set(kCircuit, "r", "T", ""), "COT1030 there is no argument `T` in `r`");
  EXPECT_EQ(Set("system B { }", "r", "T", "1"), "COT1030 there is no system or component `A` in this file");
  EXPECT_EQ(Set("system A { r : }", "r", "T", "1"),
            "COT1033 the file has syntax errors, so it cannot be edited safely");
}

TEST(AddInstance, StandsBehindTheLastInstance) {
  const std::string last = "  c      : Capacitor(C = 1 uF, start v = 0 V fixed)\n";
  const std::string added = With(last, last + "  l : Inductor(L = 1 mH) \"coil\"\n");
  EXPECT_EQ(Add(kCircuit, "l", "Inductor(L = 1 mH) \"coil\""), added);
  EXPECT_EQ(Remove(added, "l"), kCircuit);
  EXPECT_EQ(Add("system A {\n  a : B // c\n}", "x", "C"), "system A {\n  a : B // c\n  x : C\n}");
  EXPECT_EQ(Add("system A {\r\n\ta : B\r\n}\r\n", "x", "C"), "system A {\r\n\ta : B\r\n\tx : C\r\n}\r\n");
  EXPECT_EQ(Add("component A {\n  terminal p : e\n  equation\n    x = 1\n}", "x", "C"),
            "component A {\n  terminal p : e\n  x : C\n  equation\n    x = 1\n}");
  EXPECT_EQ(Add("component A { model m {\n  } }", "x", "C", "A.m"),
            "component A { model m {\n  x : C\n  } }");
}

TEST(AddInstance, AndRemoveItGivesTheTextBack) {
  for (const std::string& text : {
           std::string("system A { }"),
           std::string("system A {}"),
           std::string("system A {\n}\n"),
           std::string("system A { // c\n}\n"),
           std::string("system A \"d\"\n{\n\n}\n"),
           std::string("system A { a : B }"),
           std::string("system A { a : B; }"),
           std::string("system A { a : B   connect a.p -- a.n }"),
           std::string("system A { connect a.p -- a.n }"),
           std::string("system A { a : B\n  b : B }"),
           std::string("system A {\n  connect a.p -- a.n\n}"),
           std::string("system A { /* c */ connect a.p -- a.n }"),
           std::string("system A {\n  a : B /* c\n  d */\n}"),
           std::string("system A {\r\n  a : B\r\n}\r\n"),
           std::string("component A { parameter n : Integer = 3   connect a.p -- a.n }"),
           kCircuit,
       }) {
    const std::string added = Add(text, "x", "Thing(a = 1 V) @layout(x = 1, y = 2)");
    EXPECT_NE(added.find("x : Thing(a = 1 V) @layout(x = 1, y = 2)"), std::string::npos) << added;
    EXPECT_EQ(Remove(added, "x"), text) << added;
  }
}

TEST(AddInstance, Refuses) {
  EXPECT_EQ(Add(kCircuit, "r", "R"), "COT1031 the name `r` is already taken in `A`");
  EXPECT_EQ(Add("component A { model m { terminal q : e } }", "q", "R"),
            "COT1031 the name `q` is already taken in `A`");
  EXPECT_EQ(Add(kCircuit, "2x", "R"), "COT1032 `2x` is not a name");
  EXPECT_EQ(Add(kCircuit, "system", "R"), "COT1032 `system` is not a name");
  EXPECT_EQ(Add(kCircuit, "x", "R y : Q"), "COT1032 `R y : Q` is not a component with its arguments");
  EXPECT_EQ(Add(kCircuit, "x", "R // c"), "COT1032 `R // c` is not a component with its arguments");
  EXPECT_EQ(Add(kCircuit, "x", ""), "COT1032 `` is not a component with its arguments");
  EXPECT_EQ(Add("component A { model m { } }", "x", "R", "A.q"), "COT1030 there is no model `q` in `A`");
}

TEST(RemoveInstance, TakesItsConnectionsAlong) {
  EXPECT_EQ(Remove(kCircuit, "r"), R"(// An RC filter.
system A "filter" {
  source : VoltageSource(V = 1 V)  // the source
  // the load
  c      : Capacitor(C = 1 uF, start v = 0 V fixed)

  connect source.n -- c.n -- electrical.ground
}
)");
  EXPECT_EQ(Remove(kCircuit, "source"), R"(// An RC filter.
system A "filter" {
  // the load
  r      : Resistor(R = 1 kohm)
  c      : Capacitor(C = 1 uF, start v = 0 V fixed)

  connect r.n -- c.p   // middle
  connect c.n -- electrical.ground
}
)");
}

TEST(RemoveInstance, FromChainsSignalsAndLists) {
  EXPECT_EQ(Remove("system A { a, x, b : R   connect a.p -- x.p -- b.p -- x.n }", "x"),
            "system A { a, b : R   connect a.p -- b.p }");
  EXPECT_EQ(Remove("system A { x, a : R   connect x.p -- x.n -- a.p -- a.n }", "x"),
            "system A { a : R   connect a.p -- a.n }");
  EXPECT_EQ(
      Remove("system A { x : R   connect a.y -> x.u, b.u   connect a.y -> x.u   connect x.y -> a.u }", "x"),
      "system A { connect a.y -> b.u }");
  EXPECT_EQ(Remove("system A { x : R   connect a.y -> b.u, x.u, c.u }", "x"),
            "system A { connect a.y -> b.u, c.u }");
  EXPECT_EQ(Remove("system A {\n  x : R\n  associate x.theta = b.phi\n  associate c.theta = d.phi\n}", "x"),
            "system A {\n  associate c.theta = d.phi\n}");
  EXPECT_EQ(Remove("system A {\n  x : R[3]\n  for i in 1:3 {\n    connect x[i].p -- a[i].p\n    connect "
                   "a[i].p -- b.p\n  }\n}",
                   "x"),
            "system A {\n  for i in 1:3 {\n    connect a[i].p -- b.p\n  }\n}");
  EXPECT_EQ(Remove("system A { x : R   connect a.p /* 1 */ -- x.p /* 2 */ -- b.p }", "x"),
            "system A { connect a.p /* 1 */  /* 2 */ -- b.p }");
  EXPECT_EQ(Remove("system A { x : R; connect x.p -- b.p; y : Q }", "x"), "system A {  y : Q }");
}

TEST(RenameInstance, FollowsPaths) {
  EXPECT_EQ(Rename(R"(system A {
  m : Motor(R = 1 ohm)
  g : Gear(m.x = m.R, start m = 0)  // m stays
  connect m.p -- g.m -- m[2].n
  start m.phi = 1 rad
  equation
    g.m = m.R*sum(m.x[i] for i in 1:m.n) + [m for m in 1:3]*f(m)
}
experiment E of A { stop = 1 s   plot m.phi, g.m + m.w   set m.R = 2 ohm   start m.w = 0 }
experiment F of B { plot m.phi }
)",
                   "m", "motor"),
            R"(system A {
  motor : Motor(R = 1 ohm)
  g : Gear(m.x = motor.R, start m = 0)  // m stays
  connect motor.p -- g.m -- motor[2].n
  start motor.phi = 1 rad
  equation
    g.m = motor.R*sum(motor.x[i] for i in 1:motor.n) + [m for m in 1:3]*f(motor)
}
experiment E of A { stop = 1 s   plot motor.phi, g.m + motor.w   set motor.R = 2 ohm   start motor.w = 0 }
experiment F of B { plot m.phi }
)");
}

TEST(RenameInstance, ReachesIntoComposites) {
  EXPECT_EQ(Rename(R"(component A { public m : Motor }
system S {
  m : Other
  d : A(m.R = 1 ohm, start m.w = 0)
  e : Other(m.R = m.R)
  connect d.m.p -- m.p
}
experiment E of S { plot d.m.phi, m.phi }
)",
                   "m", "motor"),
            R"(component A { public motor : Motor }
system S {
  m : Other
  d : A(motor.R = 1 ohm, start motor.w = 0)
  e : Other(m.R = m.R)
  connect d.motor.p -- m.p
}
experiment E of S { plot d.motor.phi, m.phi }
)");
}

TEST(RenameInstance, Refuses) {
  EXPECT_EQ(Rename(kCircuit, "r", "c"), "COT1031 the name `c` is already taken in `A`");
  EXPECT_EQ(Rename(kCircuit, "r", "r"), kCircuit);
  EXPECT_EQ(Rename(kCircuit, "r", "a.b"), "COT1032 `a.b` is not a name");
  EXPECT_EQ(Rename(kCircuit, "q", "x"), "COT1030 there is no instance `q` in `A`");
  EXPECT_EQ(Rename(kCircuit, "r", "electrical"), "COT1031 the name `electrical` is already taken in `A`");
  EXPECT_EQ(Rename("system A { r : R   for i in 1:3 { connect r.p -- q[i].p } }", "r", "i"),
            "COT1031 the name `i` is already taken in `A`");
}

TEST(AddConnection, StandsBehindTheLastConnection) {
  const std::string last = "  connect source.n -- c.n -- electrical.ground\n";
  const std::string added = With(last, last + "  connect r.n -- electrical.ground\n");
  EXPECT_EQ(Connect(kCircuit, "r.n", "electrical.ground"), added);
  EXPECT_EQ(Disconnect(added, "electrical.ground", "r.n"), kCircuit);
  EXPECT_EQ(Connect("system A { a : B }", "a.y", "a . u", ConnectionKind::kSignal),
            "system A { a : B   connect a.y -> a.u }");
  EXPECT_EQ(Connect("component A { terminal p, n : e }", "p", "n"),
            "component A { connect p -- n   terminal p, n : e }");
}

TEST(AddConnection, AndRemoveItGivesTheTextBack) {
  for (const std::string& text :
       {std::string("system A { a, b : R }"), std::string("system A {\n  a, b : R // c\n}\n"),
        std::string("system A { a, b : R   connect a.x -- b.x }"),
        std::string("component A { terminal a, b : e }"),
        std::string("component A {\n  terminal a, b : e\n  equation\n    x = 1\n}\n")}) {
    const std::string added = Connect(text, "a.p", "b.p");
    EXPECT_NE(added.find("connect a.p -- b.p"), std::string::npos);
    EXPECT_EQ(Disconnect(added, "a.p", "b.p"), text);
  }
}

TEST(AddConnection, Refuses) {
  EXPECT_EQ(Connect(kCircuit, "r.n", "q.p"), "COT1030 there is no instance or terminal `q` in `A`");
  EXPECT_EQ(Connect(kCircuit, "r.n", "1"), "COT1032 `1` is not a terminal");
  EXPECT_EQ(Connect(kCircuit, "r.n", "r.n"), "COT1032 `r.n` is not another terminal");
  EXPECT_EQ(Connect(kCircuit, "c.p", "r.n"), "COT1034 `c.p` and `r.n` are already connected");
}

TEST(RemoveConnection, FromChains) {
  const auto chain = [](const char* from, const char* to) {
    return Disconnect("system A {\n  connect a -- b -- c -- d\n}", from, to);
  };
  EXPECT_EQ(chain("a", "b"), "system A {\n  connect b -- c -- d\n}");
  EXPECT_EQ(chain("d", "c"), "system A {\n  connect a -- b -- c\n}");
  EXPECT_EQ(chain("b", "c"), "system A {\n  connect a -- b\n  connect c -- d\n}");
  EXPECT_EQ(chain("a", "c"), "COT1035 `a` and `c` are joined through `b`, not directly");
  EXPECT_EQ(chain("b", "b"), "COT1030 there is no connection `b -- b` in `A`");
  EXPECT_EQ(chain("a", "x"), "COT1030 there is no connection `a -- x` in `A`");
  EXPECT_EQ(Disconnect("system A { connect a -- b /* x */ -- c -- d }", "b", "c"),
            "system A { connect a -- b /* x */    connect c -- d }");
  EXPECT_EQ(Disconnect("system A { connect y -> u, v, w }", "y", "v"), "system A { connect y -> u, w }");
  EXPECT_EQ(Disconnect("system A { connect y -> u, v, w }", "y", "u"), "system A { connect y -> v, w }");
  EXPECT_EQ(Disconnect("system A { connect y -> u }", "u", "y"), "system A { }");
}

TEST(SetLayout, AddsChangesRemoves) {
  const std::string placed = With("1 kohm)", "1 kohm) @layout(x = 10, y = -2.5)");
  EXPECT_EQ(Place(kCircuit, "r", Layout{10, -2.5, {}}), placed);
  EXPECT_EQ(Place(placed, "r", std::nullopt), kCircuit);
  EXPECT_EQ(Place(placed, "r", Layout{10, -2.5, {}}), placed);
  EXPECT_EQ(Place(placed, "r", Layout{11, -2.5, 90}),
            With("x = 10, y = -2.5", "x = 11, y = -2.5, rotate = 90", placed));
  EXPECT_EQ(Place(kCircuit, "r", std::nullopt), kCircuit);
  EXPECT_EQ(Place("system A { r : R as m \"d\" @layout @other(a = 1) }", "r", Layout{0.1, 1e300, {}}),
            "system A { r : R as m \"d\" @layout(x = 0.1, y = 1e+300) @other(a = 1) }");
  EXPECT_EQ(Place("system A { a, b : R }", "b", Layout{1, 2, {}}),
            "system A { a : R   b : R @layout(x = 1, y = 2) }");
  EXPECT_EQ(Place(kCircuit, "r", Layout{std::numeric_limits<double>::infinity(), 0, {}}),
            "COT1032 `inf` is not a place");
  EXPECT_EQ(Place(kCircuit, "q", Layout{}), "COT1030 there is no instance `q` in `A`");
}

TEST(SourceEditor, Suggests) {
  const std::string text = kCircuit;
  Diagnostics diagnostics;
  const SourceEditor editor(text, FileId(), diagnostics);
  EXPECT_FALSE(editor.RemoveInstance("A", "sorce"));
  EXPECT_EQ(diagnostics.list().front().helps.front(), "did you mean `source`?");
}

TEST(TextEdits, DeletionsThatTouchBecomeOne) {
  TextEdits edits{{4, 6, ""}, {0, 2, ""}, {1, 4, ""}, {7, 7, "x"}, {8, 8, ""}};
  SortTextEdits(edits);
  EXPECT_EQ(edits, (TextEdits{{0, 6, ""}, {7, 7, "x"}}));
  EXPECT_EQ(ApplyEdits("01234567", edits), "6x7");
}

}  // namespace
}  // namespace cotree

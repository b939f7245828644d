// SPDX-License-Identifier: Apache-2.0
// Every syntax message (COT1001 to COT1025), with its place; recovery; what the grammar's finer rules mean.
#include "language/parse.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include "language/lex.h"
#include "language/release_syntax.h"
#include "language/test/text_support.h"

namespace cotree {
namespace {

struct Wrong {
  const char* text;
  std::vector<std::string> codes;
  const char* message;  // of the first
};

class WrongText : public testing::TestWithParam<Wrong> {};

TEST_P(WrongText, GivesItsMessages) {
  Parsed parsed(GetParam().text);
  CheckSyntaxTree(parsed.tree);
  EXPECT_EQ(PrintSyntaxTree(parsed.tree), GetParam().text);
  EXPECT_EQ(parsed.Codes(), GetParam().codes);
  ASSERT_FALSE(parsed.diagnostics.list().empty());
  EXPECT_EQ(parsed.diagnostics.list().front().message, GetParam().message);
}

const Wrong kCharacters[] = {
    {"system A { r : R # }", {"COT1001 1:18"}, "`#` has no meaning here"},
    {"system A { r : R \x01 }",
     {"COT1036 1:18"},
     "this is not a text in UTF-8: there is a control character here"},
    {"system A { r : R \xF0\x9F\x98\x80 }", {"COT1001 1:18"}, "`\xF0\x9F\x98\x80` has no meaning here"},
    {"system A {\n  r : R \"open\n}", {"COT1002 2:9"}, "this string is not closed"},
    {"system A { }\n/* open", {"COT1003 2:1"}, "this comment is not closed"},
    {"system A { parameter a : Real = 1.2.3 }", {"COT1004 1:33"}, "`1.2.3` is not a number"},
};
INSTANTIATE_TEST_SUITE_P(Characters, WrongText, testing::ValuesIn(kCharacters));

const Wrong kExpectedSomething[] = {
    {"experiment E { }", {"COT1010 1:14"}, "expected `of` and the name of a system, found `{`"},
    {"system A { r : R(10 ohm) }", {"COT1010 1:18"}, "expected the name of a parameter, found `10`"},
    {"system A { r : R(a) }", {"COT1010 1:19"}, "expected `=` and a value, found `)`"},
    {"system A { r : R(a = 1 b = 2) }", {"COT1010 1:24"}, "expected `,`, found `b`"},
    {"system A { connect a.p }", {"COT1010 1:24"}, "expected `--` or `->`, found `}`"},
    {"system A { connect a.p -- 3 }", {"COT1010 1:27"}, "expected a terminal, found `3`"},
    {"domain d { across v : Voltage, speed w }",
     {"COT1010 1:32"},
     "expected `rate` or `acceleration`, found `speed`"},
    {"domain d { flow v }", {"COT1010 1:12"}, "expected `across`, `through` or `power =`, found `flow`"},
    {"enumeration E { a b }", {"COT1010 1:19"}, "expected a name, found `b`"},
    {"table t(x) { 3 }", {"COT1010 1:14"}, "expected a setting such as `name = value`, found `3`"},
    {"function f(x = 3", {"COT1010 1:14"}, "expected `)`, found `=`"},
    {"component A { terminal p }", {"COT1010 1:26"}, "expected `:`, found `}`"},
    {"component A { edge e : p }", {"COT1010 1:26"}, "expected `->`, found `}`"},
    {"component A { output y : + }",
     {"COT1010 1:26"},
     "expected a quantity such as Voltage, or a unit, found `+`"},
    {"component A { equation x = 2 V/(m*s }", {"COT1010 1:37"}, "expected `)` of the unit, found `}`"},
    {"component A { equation x = 2 m^a }", {"COT1010 1:32"}, "expected an exponent, found `a`"},
    {"component A { equation x = 2 V/(*) }", {"COT1010 1:33", "COT1015 1:34"}, "expected a unit, found `*`"},
    {"system A { r : R @3 }", {"COT1010 1:19"}, "expected the name of an annotation, found `3`"},
    {"component A { feedthrough y : 3 }",
     {"COT1010 1:31"},
     "expected the name of an input, or `none`, found `3`"},
    {"system A { r : $a }", {"COT1010 1:16"}, "expected the name of a component, found `$a`"},
    {"component A { equation a = b. }", {"COT1010 1:31"}, "expected a name, found `}`"},
    {"component A { variable x, : Real }", {"COT1010 1:27"}, "expected a name, found `:`"},
    {"component A { equation when a > b { reinit(, 3) } }", {"COT1010 1:44"}, "expected a name, found `,`"},
    {"component A {\n  equation\n    for i in 1:n { = 3 }\n}",
     {"COT1010 3:20"},
     "expected an equation or a connection, found `=`"},
    {"system A\nr : R\n}", {"COT1010 1:9"}, "expected `{`, found `r`"},
};
INSTANTIATE_TEST_SUITE_P(Expected, WrongText, testing::ValuesIn(kExpectedSomething));

const Wrong kBrackets[] = {
    {"system A {\n  r : Resistor(R = 1 ohm\n}", {"COT1011 2:25"}, "`(` is never closed: `)` is missing"},
    {"component A { equation x = a[1 }", {"COT1011 1:32"}, "`[` is never closed: `]` is missing"},
    {"component A { equation x = [1, 2 }", {"COT1011 1:34"}, "`[` is never closed: `]` is missing"},
    {"component A { equation x = f(1, 2 }", {"COT1011 1:35"}, "`(` is never closed: `)` is missing"},
    {"component A { equation x = (1 + 2 }", {"COT1011 1:35"}, "`(` is never closed: `)` is missing"},
    {"system A {\n  r : R\n", {"COT1011 3:1"}, "`{` is never closed: `}` is missing"},
    {"component A {\n  model m {\n    terminal p : electrical\n}\nsystem B { }",
     {"COT1011 4:1"},
     "`{` is never closed: `}` is missing"},
    {"component A {\n  r : R\nsystem B { }", {"COT1011 3:1"}, "`{` is never closed: `}` is missing"},
    {"system A { }\n}", {"COT1012 2:1"}, "`}` closes nothing"},
};
INSTANTIATE_TEST_SUITE_P(Brackets, WrongText, testing::ValuesIn(kBrackets));

const Wrong kMisplaced[] = {
    {"Resistor", {"COT1013 1:1"}, "expected a declaration, found `Resistor`"},
    {"terminal p : electrical", {"COT1013 1:1"}, "expected a declaration, found the word `terminal`"},
    {"system A { r Resistor }", {"COT1014 1:12"}, "expected a part of a system, found `r`"},
    {"system A {\n  )\n}", {"COT1014 2:3"}, "expected a part of a system, found `)`"},
    {"system A { r : R = 3 }", {"COT1014 1:18"}, "expected a part of an instance, found `=`"},
    {"system A { r : p -> n }", {"COT1014 1:18"}, "expected a part of an instance, found `->`"},
    {"component A { equation\n  a = \n}", {"COT1015 2:6"}, "expected an expression, found `}`"},
    {"component A { equation a = * b }", {"COT1015 1:28"}, "expected an expression, found `*`"},
    {"component A { parameter system : Real }",
     {"COT1016 1:25"},
     "`system` is a word of the language and cannot be a name"},
    {"component A { equation a = output + 1 }",
     {"COT1016 1:28"},
     "`output` is a word of the language and cannot be a name"},
    {"component A { equation a.in = 1 }",
     {"COT1016 1:26"},
     "`in` is a word of the language and cannot be a name"},
};
INSTANTIATE_TEST_SUITE_P(Misplaced, WrongText, testing::ValuesIn(kMisplaced));

const Wrong kEquations[] = {
    {"component A { equation a = b = c }", {"COT1018 1:30"}, "a second `=` in one equation"},
    {"component A { equation\n  a = b\n  - c = d\n}", {"COT1018 3:7"}, "a second `=` in one equation"},
    {"component A { equation\n  a + b\n}",
     {"COT1019 2:3"},
     "this is an expression, not an equation: `=` is missing"},
    {"component A { equation\n  a == b\n}",
     {"COT1019 2:3"},
     "this is an expression, not an equation: `=` is missing"},
    {"component A { equation a = if b < c < d then 1 else 2 }",
     {"COT1020 1:37"},
     "comparisons cannot be chained"},
    {"system A {\n  connect a.p -- b.p -> c.u\n}",
     {"COT1022 2:3"},
     "`--` joins terminals and `->` carries signals: they cannot stand in one `connect`"},
    {"system A {\n  connect a.p - b.p\n}", {"COT1023 2:15"}, "`-` is not an operator here"},
    {"component A { edge e : p -- n }", {"COT1023 1:26"}, "`--` is not an operator here"},
    {"component A { equation a = --b }", {"COT1023 1:28"}, "`--` is not an operator here"},
    {"component A { equation a = if b < = c then 1 else 2 }",
     {"COT1023 1:35"},
     "`=` is not an operator here"},
    {"system A { r : R(a : 3) }", {"COT1023 1:20"}, "`:` is not an operator here"},
    {"import\nsystem A { }",
     {"COT1025 1:7"},
     "`import` needs a file in quotes, or a package such as `rotational.*` behind it"},
    {"package \"x\"", {"COT1025 1:9"}, "`package` needs a name behind it"},
    {"system A {\n  connect\n}",
     {"COT1025 2:10"},
     "`connect` needs two terminals joined by `--`, or an output and an input joined by `->` behind it"},
    {"system A { associate }",
     {"COT1025 1:22"},
     "`associate` needs an exogenous variable, `=` and the variable that gives it behind it"},
    {"system A { r : R as 3 }", {"COT1025 1:21"}, "`as` needs the name of a model behind it"},
    {"experiment E of { }", {"COT1025 1:17"}, "`of` needs the name of a system behind it"},
};
INSTANTIATE_TEST_SUITE_P(Equations, WrongText, testing::ValuesIn(kEquations));

TEST(Parse, SuggestsWhatWasMeant) {
  const auto help = [](const char* text) {
    Parsed parsed(text);
    const auto& helps = parsed.diagnostics.list().front().helps;
    return helps.empty() ? std::string() : helps.back();
  };
  EXPECT_EQ(help("sistem A { }"), "did you mean `system`?");
  EXPECT_EQ(help("terminal p : e"), "this belongs inside `system Name { ... }` or `component Name { ... }`");
  EXPECT_EQ(help("system A {\n  parametr a : Real\n}"), "did you mean `parameter`?");
  EXPECT_EQ(help("system A {\n  a.p -- b.p\n}"), "a connection begins with `connect`");
  EXPECT_EQ(help("system A {\n  a = 3\n}"), "equations stand behind the word `equation`");
  EXPECT_EQ(help("component A { equation a == b }"), "`==` compares; an equation has one `=`");
  EXPECT_EQ(help("component A { equation a = b ** c }"), "a power is written x^2");
}

TEST(Parse, ReportsDeepNestingOnce) {
  for (const std::string& text :
       {"component A { equation x = " + std::string(5000, '(') + "1" + std::string(5000, ')') + " }",
        "component A { equation x = " + std::string(5000, '-') + "1 }",
        "component A { equation x = 1" +
            [] {
              std::string s;
              for (int i = 0; i < 5000; ++i) s += "^1";
              return s;
            }() +
            " }",
        "component A " +
            [] {
              std::string s;
              for (int i = 0; i < 5000; ++i) s += "{ model m ";
              return s;
            }(),
        "component A { " +
            [] {
              std::string s;
              for (int i = 0; i < 5000; ++i) s += "for i in a { ";
              return s;
            }()}) {
    Parsed parsed(text);
    CheckSyntaxTree(parsed.tree);
    const auto codes = parsed.Codes();
    const auto deep =
        std::count_if(codes.begin(), codes.end(), [](const auto& c) { return c.starts_with("COT1017"); });
    EXPECT_EQ(deep, 1) << text.substr(0, 60);
  }
}

TEST(Parse, RefusesWhatIsTooLarge) {
  // 2 GiB of address space, never touched.
  const size_t size = size_t{1} << 31;
  void* memory = mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  Diagnostics diagnostics;
  const auto tokens = Lex({static_cast<const char*>(memory), size}, FileId(), diagnostics);
  munmap(memory, size);
  EXPECT_EQ(tokens.size(), 1u);
  ASSERT_EQ(diagnostics.list().size(), 1u);
  EXPECT_EQ(diagnostics.list().front().message, "the file is larger than 2 GiB");

  Parsed word("system " + std::string(size_t{9} << 20, 'a') + " { }");
  EXPECT_EQ(word.Codes().front(), "COT1005 1:8");
  EXPECT_EQ(PrintSyntaxTree(word.tree), word.tree.text);
}

TEST(Parse, ReleasedSyntaxComesBack) {
  Parsed parsed("// a file\nsystem A {\n  r : R(a = 1 ohm)  // two\n  connect r.p -- r.n\n}\n");
  SyntaxTree& tree = parsed.tree;
  std::vector<Span> spans;
  for (uint32_t k = 0; k < tree.nodes.size(); ++k) spans.push_back(tree.SpanOf(NodeId(k)));
  const size_t tokens = tree.tokens.size();
  ReleaseSyntax(tree);
  EXPECT_EQ(tree.nodes.capacity() + tree.tokens.capacity(), 0u);
  for (uint32_t k = 0; k < spans.size(); ++k) {
    const Span span = tree.SpanOf(NodeId(k));
    EXPECT_EQ(span.begin, spans[k].begin);
    EXPECT_EQ(span.end, spans[k].end);
  }
  EXPECT_EQ(tree.tokens.size(), tokens);
  EXPECT_EQ(tree.nodes.size(), spans.size());
  CheckSyntaxTree(tree);
}

TEST(Parse, AllErrorsInOneGo) {
  Parsed parsed(
      "system A {\n  r : Resistor(R = )\n  connect r.p\n  c : Capacitor\n}\nsystem B {\n  x = 3\n  d : D "
      "as\n}\n");
  const std::vector<std::string> expected = {"COT1015 2:20", "COT1010 3:14", "COT1014 7:3", "COT1025 8:11"};
  EXPECT_EQ(parsed.Codes(), expected);
}

TEST(Parse, IndentationNeverDecidesACorrectFile) {
  Parsed parsed(
      "    system A {\n  component_1 : B\n}\n    component B {\n model m {\nequation\nx = 1\n}\n}\n");
  EXPECT_TRUE(parsed.Codes().empty());
}

// The text of the first node of a kind.
std::string First(const Parsed& parsed, NodeKind kind) {
  std::vector<NodeId> open{parsed.tree.root};
  while (!open.empty()) {
    const NodeId node = open.back();
    open.pop_back();
    if (parsed.tree.kind(node) == kind) return std::string(parsed.tree.Text(node));
    std::vector<NodeId> children;
    for (const NodeId child : parsed.tree.Children(node)) children.push_back(child);
    open.insert(open.end(), children.rbegin(), children.rend());
  }
  return "none";
}

TEST(Parse, Units) {
  const auto unit = [](const std::string& value) {
    Parsed parsed("component A { equation x = " + value + " }");
    EXPECT_TRUE(parsed.Codes().empty()) << value;
    return First(parsed, NodeKind::kUnit);
  };
  EXPECT_EQ(unit("0.05 N*m/A"), "N*m/A");
  EXPECT_EQ(unit("9.81m/s^2"), "m/s^2");
  EXPECT_EQ(unit("4 V/(rad*s)"), "V/(rad*s)");
  EXPECT_EQ(unit("10 1/s"), "1/s");
  EXPECT_EQ(unit("2 m * width"), "m");
  EXPECT_EQ(unit("2 m* width"), "m");
  EXPECT_EQ(unit("2 m^(1/2)*width"), "m^(1/2)");
  EXPECT_EQ(unit("2 m^(1/2)*kg"), "m^(1/2)*kg");
  EXPECT_EQ(unit("3 rad/s*time"), "rad/s");
  EXPECT_EQ(unit("0.2 m*(0.1 m)^2"), "m");
  EXPECT_EQ(unit("5 V/R"), "V");
  EXPECT_EQ(unit("2 N*m*k"), "N*m");
  EXPECT_EQ(unit("3 in"), "in");
  EXPECT_EQ(unit("[1, 2, 3] ohm"), "ohm");
  EXPECT_EQ(unit("5 \xC2\xB5m"), "\xC2\xB5m");
  EXPECT_EQ(unit("2\n  + y"), "none");
}

TEST(Parse, TheNextItemIsNoUnit) {
  for (const char* text : {
           "component A { equation e.v = 0   y = e.i }",
           "component A { equation e.v = 0   der(y) = e.i }",
           "component A { equation e.v = 0   y[1] = e.i }",
           "component A { equation e.v = 0   y.v = e.i   loss = 3 }",
           "system A { parameter n : Integer = 3   a, b : Resistor   c : Capacitor }",
       }) {
    Parsed parsed(text);
    EXPECT_TRUE(parsed.Codes().empty()) << text;
    EXPECT_EQ(First(parsed, NodeKind::kUnit), "none") << text;
  }
}

TEST(Parse, ReservedWordsThatAreFunctions) {
  Parsed parsed("component A { equation when terminal() or edge(b) { assert(x < 1, \"m\") } }");
  EXPECT_TRUE(parsed.Codes().empty());
  EXPECT_EQ(First(parsed, NodeKind::kOr), "terminal() or edge(b)");
}

TEST(Parse, AnEquationMayBeginWithIf) {
  Parsed parsed(
      "component A { equation\n  if a then b else c = d\n  if a { x = 1 } elseif b { x = 2 } else { x = 3 "
      "}\n}");
  EXPECT_TRUE(parsed.Codes().empty());
  EXPECT_EQ(First(parsed, NodeKind::kEquation), "if a then b else c = d");
  EXPECT_EQ(First(parsed, NodeKind::kConditional), "if a then b else c");
  EXPECT_EQ(First(parsed, NodeKind::kIf), "if a { x = 1 } elseif b { x = 2 } else { x = 3 }");
}

TEST(Parse, PiecesOfText) {
  Diagnostics diagnostics;
  const SyntaxTree expression = ParseExpressionText("2 m * width", FileId(), diagnostics);
  EXPECT_EQ(expression.kind(expression.root), NodeKind::kMultiply);
  const SyntaxTree member = ParseMemberText("a, b : R(x = 1) as m", FileId(), diagnostics);
  EXPECT_EQ(member.kind(member[member.root].first_child), NodeKind::kInstance);
  EXPECT_TRUE(diagnostics.ok());
  for (const char* wrong : {"", "1 +", "1 2", ")"}) {
    Diagnostics found;
    CheckSyntaxTree(ParseExpressionText(wrong, FileId(), found));
    EXPECT_EQ(found.errors(), 1u) << wrong;
    CheckSyntaxTree(ParseSettingText(wrong, FileId(), found));
    EXPECT_EQ(found.errors(), 2u) << wrong;
  }
}

TEST(Lex, ValuesOfLiterals) {
  EXPECT_EQ(NumberValue("0.5"), 0.5);
  EXPECT_EQ(NumberValue("1e-3"), 1e-3);
  EXPECT_EQ(NumberValue("1e-999"), 0.0);
  EXPECT_GT(NumberValue("1e999"), 1e308);
  EXPECT_EQ(StringValue("\"a\\\"b\\n\\\\\""), "a\"b\n\\");
}

// Time is linear in the text: what would be quadratic takes minutes here.
TEST(Parse, HostileTextsTakeLinearTime) {
  const auto repeat = [](const std::string& head, const std::string& part) {
    std::string text = head;
    while (text.size() < 1'000'000) text += part;
    return text;
  };
  for (const std::string& text : {
           repeat("system A { + ", "a, "),
           repeat("component A { equation\n", "if x\n"),
           repeat("system A { ", "x : A(b "),
           repeat("system A { ", "a = x: "),
           repeat("component A { equation x = 1", " elseif x then 1"),
           repeat("component A { equation x = ", "1 a, "),
           repeat("", "{ "),
           repeat("", "//\n"),
       }) {
    Parsed parsed(text);
    CheckSyntaxTree(parsed.tree);
    EXPECT_LT(Format(parsed.tree).size(), 4 * text.size());
  }
}

// Texts are in any language.
TEST(Parse, StringsHoldEveryCharacter) {
  for (const char* text : {"µm", "Größe in °C", "Ω", "回路", "\xF0\x9F\x98\x80", "\\\"é\\\""}) {
    Parsed parsed("component C \"" + std::string(text) + "\" { parameter a : Real = 1 }\n");
    EXPECT_TRUE(parsed.diagnostics.list().empty()) << text;
  }
}

}  // namespace
}  // namespace cotree

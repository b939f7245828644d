// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "expr/differentiate.h"
#include "expr/evaluate.h"
#include "expr/print_c.h"
#include "expr/print_latex.h"
#include "expr/print_mathml.h"
#include "expr/print_text.h"
#include "expr/test/text_parser.h"
#include "expr/test/tree.h"

namespace cotree::test {
namespace {

class PrintTest : public ::testing::Test {
 protected:
  ExprId Read(std::string_view text) {
    TextParser parser(pool, text);
    const ExprId id = parser.Parse();
    EXPECT_TRUE(parser.ok) << text;
    return id;
  }
  std::string Latex(std::string_view text) { return PrintLatex(pool, Read(text)); }

  ExprPool pool;
};

TEST_F(PrintTest, GoldenText) {
  pool.DeclareSymbol("R", SymbolKind::kParameter);
  pool.DeclareSymbol("L", SymbolKind::kParameter);
  pool.DeclareSymbol("k", SymbolKind::kIndex);
  // Printed as it was read: minimal parentheses, readable order.
  for (const char* text : {"R*i + L*der(i)",
                           "L*der(der(i)) - R*i",
                           "a/b",
                           "x^2",
                           "-x^2",
                           "(-2)^x",
                           "x^(-1)",
                           "x^(y + 1)",
                           "(x^y)^z",
                           "x^(y^z)",
                           "c*(a + b)",
                           "a*(b/c)",
                           "c*(a/b)",
                           "a/b/c",
                           "a/(b/c)",
                           "a*b/c",
                           "a/(b*c)",
                           "-a/b",
                           "-(a + b)/c",
                           "a - b",
                           "b - 2*a",
                           "-a - b",
                           "a - 2",
                           "a - (b + c)^2",
                           "2*a*b",
                           "0.1*x",
                           "1e-05*x",
                           "1e+300",
                           "sin(x)*cos(y)",
                           "atan2(y, x)",
                           "if a < b then x else y",
                           "z*(if a < b then x else y)",
                           "if a < b and c == d then 1 else if a <= 3 then 2 else 3",
                           "(a < b or c < d) and e < f",
                           "a < b or c < d and e < f",
                           "not f(x)",
                           "x[k, 2]",
                           "der(x[k + 1])",
                           "{a, b}[k]",
                           "sum(x[k]^2 for k in 1:n - 1)",
                           "partial(f(x, y), 1, 0)",
                           "initial()",
                           "true",
                           "motor.armature.i*rack.drive_2.w"}) {
    EXPECT_EQ(PrintText(pool, Read(text)), text);
  }
  EXPECT_EQ(Read("a/b*c"), Read("c*(a/b)"));
  EXPECT_EQ(PrintText(pool, Read("time*x - 0*y")), "x*time");
  EXPECT_EQ(PrintText(pool, Read("if not c == d then 1 else 2")), "if c != d then 1 else 2");
}

TEST_F(PrintTest, ReadingBackGivesTheSameNode) {
  const std::vector<ExprId> symbols = {pool.Symbol("a"), pool.Symbol("b", 1), pool.Symbol("c.d_e")};
  RandomTree random(6, 3, false);
  for (int k = 0; k < 10000; ++k) {
    const ExprId id = Build(pool, random.Real(1 + k % 5), symbols);
    const std::string text = PrintText(pool, id);
    ASSERT_EQ(Read(text), id) << text << "\n" << PrintText(pool, Read(text));
    const ExprId d = TimeDerivative(pool, id);
    const std::string rate = PrintText(pool, d);
    if (rate.size() < 5000) {
      ASSERT_EQ(PrintText(pool, Read(rate)), rate);
    }
  }
}

TEST_F(PrintTest, ParenthesesAreNeeded) {
  // Dropping any one pair of parentheses that is not a call's changes the expression or does not parse.
  const std::vector<ExprId> symbols = {pool.Symbol("a"), pool.Symbol("b"), pool.Symbol("c")};
  RandomTree random(61, 3, false);
  int pairs = 0;
  for (int k = 0; k < 1500; ++k) {
    const ExprId id = Build(pool, random.Real(4), symbols);
    const std::string text = PrintText(pool, id);
    std::vector<size_t> open;
    for (size_t at = 0; at < text.size(); ++at) {
      if (text[at] == '(') open.push_back(at);
      if (text[at] != ')') continue;
      const size_t from = open.back();
      open.pop_back();
      if (from > 0 && std::isalnum(static_cast<unsigned char>(text[from - 1])) != 0) continue;  // a call
      std::string without = text;
      without[at] = ' ';
      without[from] = ' ';
      TextParser parser(pool, without);
      const ExprId other = parser.Parse();
      if (parser.ok && other == id) {
        // Only a nested sum or product (kept apart by a coefficient, a length) may come out the same after
        // merging.
        ADD_FAILURE() << text << " needs no parentheses at " << from;
      }
      ++pairs;
    }
  }
  EXPECT_GT(pairs, 1000);
}

TEST_F(PrintTest, Latex) {
  EXPECT_EQ(Latex("a/b"), "\\frac{a}{b}");
  EXPECT_EQ(Latex("motor.armature.i"), "i_{\\mathrm{motor.armature}}");
  EXPECT_EQ(Latex("load.phi"), "\\phi_{\\mathrm{load}}");
  EXPECT_EQ(Latex("R1*Q_flow"), "Q_{\\mathrm{flow}} \\, R_{1}");
  EXPECT_EQ(Latex("der(x) + der(der(x))"), "\\dot{x} + \\ddot{x}");
  EXPECT_EQ(Latex("sin(x)^2"), "{\\sin\\left(x\\right)}^{2}");
  EXPECT_EQ(Latex("sqrt(x) - (a + b)*c"), "\\sqrt{x} - c \\, \\left(a + b\\right)");
  EXPECT_EQ(Latex("2.5e-07*x"), "2.5 \\cdot 10^{-7} \\, x");
  EXPECT_EQ(Latex("if a <= b then 1 else 0"),
            "\\begin{cases} 1 & \\text{if } a \\le b \\\\ 0 & \\text{otherwise} \\end{cases}");
}

TEST_F(PrintTest, MathmlIsWellFormed) {
  EXPECT_EQ(PrintMathml(pool, Read("a/b")),
            "<math><mrow><mfrac><mrow><mi>a</mi></mrow><mrow><mi>b</mi></mrow></mfrac></mrow></math>");
  const std::vector<ExprId> symbols = {pool.Symbol("a.b"), pool.Symbol("phi", 1), pool.Symbol("c3")};
  RandomTree random(5, 3, false);
  for (int k = 0; k < 300; ++k) {
    const ExprId id = Build(pool, random.Real(5), symbols);
    for (size_t limit : {size_t{1} << 22, size_t{200}}) {
      const std::string text = PrintMathml(pool, id, {.limit = limit});
      std::vector<std::string> open;
      for (size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at + 1)) {
        const size_t end = text.find('>', at);
        ASSERT_NE(end, std::string::npos);
        const std::string tag = text.substr(at + 1, end - at - 1);
        if (tag[0] != '/') {
          open.push_back(tag);
        } else {
          ASSERT_FALSE(open.empty());
          ASSERT_EQ(tag.substr(1), open.back()) << text;
          open.pop_back();
        }
      }
      ASSERT_TRUE(open.empty());
    }
  }
}

TEST_F(PrintTest, CGolden) {
  EXPECT_EQ(PrintC(pool, Read("x^3")), "cotree_power(v_x, 3)");
  EXPECT_EQ(PrintC(pool, Read("x^y")), "pow(v_x, v_y)");
  EXPECT_EQ(PrintC(pool, Read("a.b/2")), "v_a_p_b/2.0");
  EXPECT_EQ(PrintC(pool, Read("der(x_1)")), "der1_x__1");
  EXPECT_EQ(PrintC(pool, Read("a/(b/c)")), "v_a/(v_b/v_c)");
  EXPECT_EQ(PrintC(pool, Read("if a < b then 1 else x[3]")),
            "(((double)(v_a < v_b)) != 0.0 ? 1.0 : v_x[(int)(3.0) - 1])");
  EXPECT_EQ(PrintC(pool, Read("a + {1, x}[y]")), std::nullopt);
}

/// Compiles the text with the system's C compiler, if there is one, and compares bits with EvaluateDouble.
TEST_F(PrintTest, CComputesTheSameBits) {
  if (std::system("cc --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "no C compiler";
  const std::vector<ExprId> symbols = {pool.Symbol("a"), pool.Symbol("b"), pool.Symbol("c")};
  RandomTree random(17, 3, false);
  std::vector<ExprId> roots;
  // With SLEEF in the place of libm emitted C has the bits of the evaluator (design §6).
  std::string sleef = "#include <sleef.h>\n";
  for (const char* name : {"sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log",
                           "log10", "pow", "atan2"})
    sleef += std::string("#define ") + name + " Sleef_cinz_" + name + "d1_u10purec\n";
  std::string program =
      CPrelude() + sleef +
      "#include <stdio.h>\nint main(void) {\n  const double v_a = 0.75, v_b = -1.5, v_c = 2.125;\n";
  for (int k = 0; k < 400; ++k) {
    const ExprId id = Build(pool, random.Real(4), symbols);
    if (pool.operands(id).empty()) continue;
    roots.push_back(id);
    program += "  printf(\"%a\\n\", " + *PrintC(pool, id) + ");\n";
  }
  program += "  return 0;\n}\n";
  const std::string base = ::testing::TempDir() + "/cotree_print_c_test";
  std::ofstream(base + ".c") << program;
  ASSERT_EQ(std::system(("cc -std=c99 -O1 -ffp-contract=off -fno-builtin -o " + base + " " + base +
                         ".c -lm -lsleef && " + base + " > " + base + ".txt")
                            .c_str()),
            0);
  std::ifstream output(base + ".txt");
  Environment<double> e;
  SetValue(e, pool.DeclareSymbol("a"), 0.75);
  SetValue(e, pool.DeclareSymbol("b"), -1.5);
  SetValue(e, pool.DeclareSymbol("c"), 2.125);
  for (ExprId id : roots) {
    std::string line;
    ASSERT_TRUE(std::getline(output, line));
    const double there = std::strtod(line.c_str(), nullptr), here = EvaluateDouble(pool, id, e);
    // What compares NaN has no value here (evaluate.cc), and some value in C.
    if (!std::isnan(here)) {
      EXPECT_EQ(there, here) << PrintText(pool, id);
    }
  }
}

TEST(FormatNumber, IsTheShortestThatReadsBack) {
  EXPECT_EQ(FormatNumber(0.1), "0.1");
  EXPECT_EQ(FormatNumber(-2), "-2");
  EXPECT_EQ(FormatNumber(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(FormatNumber(1e22), "1e+22");
}

}  // namespace
}  // namespace cotree::test

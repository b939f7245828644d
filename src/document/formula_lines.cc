// SPDX-License-Identifier: Apache-2.0
#include "document/formula_lines.h"

#include <algorithm>
#include <cmath>

#include "expr/print_latex.h"

namespace cotree {
namespace {

/* The width of LaTeX as it is set, about, in letters: a fraction is as wide as the wider of its sides, what
is raised or lowered is smaller, signs have room around them. */
class LatexWidth {
 public:
  explicit LatexWidth(std::string_view text) : text_(text) {}
  double Run() { return Until('\0'); }

 private:
  std::string Command() {
    size_t end = at_;
    while (end < text_.size() && std::isalpha(static_cast<unsigned char>(text_[end])) != 0) ++end;
    if (end == at_) ++end;
    const std::string out(text_.substr(at_, end - at_));
    at_ = end;
    return out;
  }
  // The next group in braces, or the next thing.
  double Group() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    if (at_ < text_.size() && text_[at_] == '{') {
      ++at_;
      return Until('}');
    }
    return One();
  }
  double One() {
    const char c = text_[at_++];
    if (c == '{') return Until('}');
    if (c == '_' || c == '^') {
      // What stands below and above one letter takes its room once.
      const double first = 0.75 * Group();
      if (at_ < text_.size() && (text_[at_] == '_' || text_[at_] == '^') && text_[at_] != c) {
        ++at_;
        return std::max(first, 0.75 * Group());
      }
      return first;
    }
    if (c == '+' || c == '=' || c == '<' || c == '>') return 2.6;
    if (c == '-') return 2.2;
    if (c == ' ' || c == '&') return 0;
    if (c != '\\') return c == ',' || c == '.' ? 0.6 : c == '(' || c == ')' ? 0.8 : 1;
    const std::string name = Command();
    if (name == "frac") {
      const double above = Group();
      return std::max(above, Group()) + 0.5;
    }
    if (name == "mathrm" || name == "text" || name == "operatorname") return 0.95 * Group();
    if (name == "htmlData") {
      Group();
      return Group();
    }
    if (name == "begin" || name == "end") {
      Group();
      return 1;
    }
    if (name == "sqrt") return 1.6 + Group();
    if (name == "dot" || name == "ddot") return Group();
    if (name == "sin" || name == "cos" || name == "tan" || name == "exp" || name == "log" || name == "min" ||
        name == "max" || name == "arctan" || name == "arcsin" || name == "arccos")
      return static_cast<double>(name.size()) + 0.3;
    if (name == "," || name == " ") return 0.4;
    if (name == "quad") return 2;
    if (name == "cdot" || name == "le" || name == "ne" || name == "land" || name == "lor") return 2;
    if (name == "left" || name == "right" || name == "bigl" || name == "bigr" || name == "displaystyle")
      return 0.3;
    return 1.1;  // a Greek letter, say
  }
  double Until(char close) {
    double sum = 0, widest = 0;
    while (at_ < text_.size() && text_[at_] != close) {
      if (text_.substr(at_).starts_with("\\\\")) {  // a new line
        widest = std::max(widest, sum);
        sum = 0;
        at_ += 2;
        continue;
      }
      sum += One();
    }
    if (at_ < text_.size()) ++at_;
    return std::max(widest, sum);
  }

  std::string_view text_;
  size_t at_ = 0;
};

class LineBreaker {
 public:
  LineBreaker(const ExprPool& pool, const PrintOptions& print) : pool_(pool), print_(print) {}

  std::vector<std::string> Lines(ExprId expr, double room) const {
    const std::string whole = Print(expr);
    const Op op = pool_.op(expr);
    const bool breaks = op == Op::kAdd || op == Op::kMultiply || op == Op::kDivide || op == Op::kPower ||
                        op == Op::kIf || op == Op::kMin || op == Op::kMax || IsUnaryFunction(op);
    room = std::max(room, kNarrowest);
    if (!breaks || LatexWidth(whole).Run() <= room) return {whole};
    if (op == Op::kAdd) return OfSum(expr, room);
    if (op == Op::kMultiply) return OfProduct(expr, room);
    if (op == Op::kMin || op == Op::kMax) {  // an argument a line
      const std::string name = op == Op::kMin ? "\\min\\left(" : "\\max\\left(";
      const std::vector<std::string> arguments{Stacked(pool_.operand(expr, 0), room - 6) + ",",
                                               Stacked(pool_.operand(expr, 1), room - 6)};
      return {name + Aligned(arguments) + "\\right)"};
    }
    if (IsUnaryFunction(op)) {  // a root, a sine: what it is of in lines
      const std::string inside = Print(pool_.operand(expr, 0));
      const size_t at = whole.rfind(inside);
      if (at == std::string::npos) return {whole};
      return {whole.substr(0, at) + Stacked(pool_.operand(expr, 0), room - 5) +
              whole.substr(at + inside.size())};
    }
    if (op == Op::kDivide)
      return {"\\frac{" + Stacked(pool_.operand(expr, 0), room) + "}{" +
              Stacked(pool_.operand(expr, 1), room) + "}"};
    if (op == Op::kPower)
      return {"{\\left(" + Stacked(pool_.operand(expr, 0), room - 4) + "\\right)}^{" +
              Print(pool_.operand(expr, 1)) + "}"};
    std::string cases;
    ExprId rest = expr;
    for (; pool_.op(rest) == Op::kIf; rest = pool_.operand(rest, 2)) {
      const double condition = LatexWidth(Print(pool_.operand(rest, 0))).Run();
      cases += Stacked(pool_.operand(rest, 1), std::max(room / 2, room - condition - 6)) + " & \\text{if } " +
               Stacked(pool_.operand(rest, 0), room / 2) + " \\\\ ";
    }
    return {"\\begin{cases} " + cases + Stacked(rest, room - 12) + " & \\text{otherwise} \\end{cases}"};
  }

 private:
  static constexpr double kNarrowest = 24;

  std::string Print(ExprId expr) const { return PrintLatex(pool_, expr, print_); }
  static std::string Aligned(const std::vector<std::string>& lines) {
    if (lines.size() == 1) return lines[0];
    std::string text;
    for (const std::string& line : lines) text += (text.empty() ? "&" : " \\\\ &\\quad ") + line;
    return "\\begin{aligned} " + text + " \\end{aligned}";
  }
  // In lines that are one thing.
  std::string Stacked(ExprId expr, double room) const { return Aligned(Lines(expr, room)); }

  std::vector<std::string> OfSum(ExprId expr, double room) const {
    std::vector<std::string> lines{""};
    double used = 0;
    for (const ExprId term : ReadableOrder(pool_, expr, print_.main_letter).Terms(expr)) {
      std::vector<std::string> own = Lines(term, room);
      if (!lines.back().empty() || lines.size() > 1)
        own[0] = own[0].starts_with('-') ? " - " + own[0].substr(1) : " + " + own[0];
      const double width = LatexWidth(own[0]).Run();
      if (!lines.back().empty() && used + width > room) {
        lines.emplace_back();
        used = 0;
      }
      lines.back() += own[0];
      used += width;
      for (size_t k = 1; k < own.size(); ++k) {
        lines.push_back(own[k]);
        used = LatexWidth(own[k]).Run();
      }
    }
    return lines;
  }

  // Factor after factor; a bracket that is too wide is opened on one line and closed on another.
  std::vector<std::string> OfProduct(ExprId expr, double room) const {
    std::vector<std::string> lines{""};
    double used = 0;
    bool first = true;
    for (const ExprId factor : ReadableOrder(pool_, expr, print_.main_letter).Factors(expr)) {
      if (first && pool_.IsNumber(factor, -1)) {
        lines.back() = "-";
        used = 2;
        continue;
      }
      const bool sum = pool_.op(factor) == Op::kAdd;
      std::vector<std::string> own{sum ? "\\left(" + Print(factor) + "\\right)" : Print(factor)};
      if (LatexWidth(own[0]).Run() > room - 4) {
        own = Lines(factor, room - 4);
        if (sum && own.size() > 1) {
          own.front() = "\\bigl(" + own.front();
          own.back() += "\\bigr)";
        }
        if (!sum && own.size() > 1) own = {Aligned(own)};
      }
      const double width = LatexWidth(own[0]).Run();
      if (!first && used + width > room) {
        lines.push_back("{} \\cdot ");
        used = 2;
      } else if (!first) {
        lines.back() += " \\, ";
      }
      lines.back() += own[0];
      used += width;
      for (size_t k = 1; k < own.size(); ++k) {
        lines.push_back(own[k]);
        used = LatexWidth(own[k]).Run();
      }
      first = false;
    }
    return lines;
  }

  const ExprPool& pool_;
  const PrintOptions& print_;
};

}  // namespace

double WidthOfLatex(std::string_view latex) {
  return LatexWidth(latex).Run();
}

std::vector<std::string> LatexLines(const ExprPool& pool, ExprId expr, const PrintOptions& print, size_t most,
                                    double room) {
  // Marks of components are no text.
  PrintOptions plain = print;
  plain.components = nullptr;
  plain.limit = 2 * most;
  if (PrintLatex(pool, expr, plain).size() > most)
    return {"\\text{(longer than " + std::to_string(most) + " characters: too long to be shown)}"};
  PrintOptions limited = print;
  limited.limit = 8 * most;  // marks of components count there
  return LineBreaker(pool, limited).Lines(expr, room);
}

}  // namespace cotree

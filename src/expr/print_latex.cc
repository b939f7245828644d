// SPDX-License-Identifier: Apache-2.0
#include "expr/print_latex.h"

#include <cmath>
#include <numbers>

#include "expr/exact_number.h"
#include "expr/print_names.h"

namespace cotree {

namespace {

enum Binding { kLoose, kLogic, kRelation, kSum, kTerm, kFactor, kPrimary };

/// Text inside \mathrm.
std::string Escape(std::string_view text) {
  std::string result;
  for (char c : text) {
    if (c == '_' || c == '#' || c == '%' || c == '&' || c == '$' || c == '{' || c == '}') result += '\\';
    result += c;
  }
  return result;
}

bool IsNumeral(std::string_view text) {
  return text.find_first_not_of("0123456789,") == std::string_view::npos;
}

std::string LatexOfNumber(double value, int digits) {
  if (std::isinf(value)) return value < 0 ? "-\\infty" : "\\infty";
  if (const auto exact = FindExact(value)) {
    const ExactText text = TextOfExact(*exact, " ", "\\pi", "^{2}", "^{3}");
    const std::string above = text.above.empty() ? "1" : text.above;
    return (value < 0 ? "-" : "") +
           (text.below.empty() ? above : "\\frac{" + above + "}{" + text.below + "}");
  }
  std::string text = FormatNumber(value, digits);
  const size_t e = text.find('e');
  if (e == std::string::npos) return text;
  const std::string mantissa = text.substr(0, e);
  return (mantissa == "1" ? "" : mantissa + " \\cdot ") + "10^{" +
         std::to_string(std::stoi(text.substr(e + 1))) + "}";
}

std::string LatexOfOp(Op op) {
  switch (op) {
    case Op::kAsin:
      return "\\arcsin";
    case Op::kAcos:
      return "\\arccos";
    case Op::kAtan:
      return "\\arctan";
    case Op::kLog:
      return "\\ln";
    case Op::kLog10:
      return "\\log_{10}";
    case Op::kSign:
    case Op::kAtan2:
    case Op::kMod:
      return "\\operatorname{" + std::string(OpName(op)) + "}";
    default:
      return "\\" + std::string(OpName(op));
  }
}

class LatexPrinter : public PrintLoop {
 public:
  LatexPrinter(const ExprPool& pool, ExprId root, const PrintOptions& options)
      : PrintLoop(pool, root, options) {}

 private:
  std::string_view Ellipsis() const override { return "\\ldots "; }

  int BindingOf(ExprId id, bool drop_sign) const {
    switch (pool_.op(id)) {
      case Op::kNumber:
        if (pool_.NumberValue(id) == std::numbers::pi) return kPrimary;
        return pool_.NumberValue(id) < 0 && !drop_sign ? kSum
               : FormatNumber(pool_.NumberValue(id), options_.digits).find('e') != std::string::npos ||
                       FindExact(pool_.NumberValue(id))
                   ? kFactor
                   : kPrimary;
      case Op::kAdd:
        return kSum;
      case Op::kMultiply:
        return pool_.IsNegative(id) && !drop_sign ? kSum : kTerm;
      case Op::kDivide:
      case Op::kPower:
      case Op::kExp:
        return kFactor;
      case Op::kSumOver:
        return kSum;
      case Op::kIf:
        return kLoose;
      default:
        return IsRelation(pool_.op(id))                                  ? kRelation
               : IsLogical(pool_.op(id)) && pool_.op(id) != Op::kBoolean ? kLogic
                                                                         : kPrimary;
    }
  }

  void Expand(ExprId id, int context, bool drop_sign) override {
    const bool parentheses = BindingOf(id, drop_sign) < context;
    if (parentheses) Put("\\left(");
    PutNode(id, drop_sign);
    if (parentheses) Put("\\right)");
  }

  void Enclosed(std::string_view open, std::span<const ExprId> ids, std::string_view separator,
                std::string_view close) {
    Put(open);
    PutList(ids, separator, kLoose);
    Put(close);
  }

  // With what it belongs to, so that a page can mark it.
  std::string Marked(SymbolId symbol) const {
    std::string text = LatexOfSymbol(pool_, symbol);
    if (options_.components == nullptr) return text;
    const auto at = options_.components->find(pool_.symbol(symbol).base.value);
    if (at == options_.components->end() || at->second.empty()) return text;
    if (at->second.find_first_of(",=") != std::string::npos) return text;  // a list of marks to KaTeX
    return "\\htmlData{component=" + at->second + "}{" + text + "}";
  }

  void PutSum(ExprId id) {
    bool first = true;
    for (ExprId term : order_.Terms(id)) {
      const bool negative = pool_.op(term) != Op::kAdd && pool_.IsNegative(term);
      Put(negative ? (first ? "-" : " - ") : (first ? "" : " + "));
      Put(term, kTerm, negative);
      first = false;
    }
  }

  void PutProduct(ExprId id, bool drop_sign) {
    bool first = true, after_number = false;
    for (ExprId factor : order_.Factors(id)) {
      if (first && pool_.IsNumber(factor)) {
        const double value = pool_.NumberValue(factor);
        if (value < 0 && !drop_sign) Put("-");
        const std::string text = LatexOfNumber(std::fabs(value), options_.digits);
        if (text == "1") continue;
        Put(text);
        after_number = true;
      } else {
        const ExprId start = pool_.op(factor) == Op::kPower ? pool_.operand(factor, 0) : factor;
        if (!first)
          Put(after_number && (pool_.IsNumber(start) || pool_.op(start) == Op::kDivide) ? " \\cdot "
                                                                                        : " \\, ");
        Put(factor, kFactor);
        after_number = false;
      }
      first = false;
    }
  }

  void PutNode(ExprId id, bool drop_sign) {
    const auto operands = pool_.operands(id);
    const Op op = pool_.op(id);
    switch (op) {
      case Op::kNumber:
        return Put(LatexOfNumber(drop_sign ? std::fabs(pool_.NumberValue(id)) : pool_.NumberValue(id),
                                 options_.digits));
      case Op::kBoolean:
        return Put(pool_.BooleanValue(id) ? "\\mathrm{true}" : "\\mathrm{false}");
      case Op::kSymbol:
        return Put(Marked(pool_.SymbolOf(id)));
      case Op::kTime:
        return Put("t");
      case Op::kAdd:
        return PutSum(id);
      case Op::kMultiply:
        return PutProduct(id, drop_sign);
      case Op::kDivide:
        Put("\\frac{");
        Put(operands[0], kLoose);
        Put("}{");
        Put(operands[1], kLoose);
        return Put("}");
      case Op::kPower:
        Put("{");
        Put(operands[0], kPrimary);
        Put("}^{");
        Put(operands[1], kLoose);
        return Put("}");
      case Op::kExp:
        return Enclosed("e^{", operands, "", "}");
      case Op::kSqrt:
        return Enclosed("\\sqrt{", operands, "", "}");
      case Op::kAbs:
        return Enclosed("\\left|", operands, "", "\\right|");
      case Op::kFloor:
        return Enclosed("\\left\\lfloor ", operands, "", "\\right\\rfloor ");
      case Op::kCeil:
        return Enclosed("\\left\\lceil ", operands, "", "\\right\\rceil ");
      case Op::kLess:
        return PutList(operands, " < ", kSum);
      case Op::kLessEqual:
        return PutList(operands, " \\le ", kSum);
      case Op::kEqual:
        return PutList(order_.Operands(id), " = ", kSum);
      case Op::kNotEqual:
        return PutList(order_.Operands(id), " \\ne ", kSum);
      case Op::kAnd:
        return PutList(order_.Operands(id), " \\land ", kRelation);
      case Op::kOr:
        return PutList(order_.Operands(id), " \\lor ", kRelation);
      case Op::kNot:
        Put("\\lnot ");
        return Put(operands[0], kPrimary);
      case Op::kIf: {
        Put("\\begin{cases} ");
        ExprId rest = id;
        for (; pool_.op(rest) == Op::kIf; rest = pool_.operand(rest, 2)) {
          Put(pool_.operand(rest, 1), kLoose);
          Put(" & \\text{if } ");
          Put(pool_.operand(rest, 0), kLoose);
          Put(" \\\\ ");
        }
        Put(rest, kLoose);
        return Put(" & \\text{otherwise} \\end{cases}");
      }
      case Op::kElement:
        Put("{");
        Put(operands[0], kPrimary);
        return Enclosed("}_{", operands.subspan(1), ", ", "}");
      case Op::kSumOver:
        Put("\\sum_{" + LatexOfSymbol(pool_, pool_.SymbolOf(id)) + "=");
        Put(operands[0], kLoose);
        Put("}^{");
        Put(operands[1], kLoose);
        Put("} ");
        return Put(operands[2], kTerm);
      case Op::kArray:
        return Enclosed("\\left\\{", operands, ", ", "\\right\\}");
      case Op::kCall: {
        const FunctionInfo& function = pool_.function(pool_.FunctionOf(id));
        const std::string_view own = pool_.FunctionName(pool_.FunctionOf(id));
        std::string name =
            GreekLetter(own).empty() ? "\\operatorname{" + Escape(own) + "}" : "\\" + std::string(own);
        if (!function.orders.empty()) {
          name += "^{(";
          for (size_t k = 0; k < function.orders.size(); ++k)
            name += (k > 0 ? "," : "") + std::to_string(function.orders[k]);
          name += ")}";
        }
        return Enclosed(name + "\\left(", operands, ", ", "\\right)");
      }
      default:
        return Enclosed(LatexOfOp(op) + "\\left(", operands, ", ", "\\right)");
    }
  }
};

}  // namespace

std::string LatexOfSymbol(const ExprPool& pool, SymbolId symbol) {
  return LatexOfName(pool.SymbolName(symbol), pool.symbol(symbol).order);
}

std::string LatexOfName(std::string_view whole, uint32_t order) {
  if (const std::vector<std::string_view> parts = SplitSideBySide(whole); !parts.empty()) {
    std::string out;
    for (const std::string_view part : parts) out += (out.empty() ? "" : " \\; ") + LatexOfName(part);
    return "\\left[" + out + "\\right]";
  }
  const TypesetName name = SplitForTypesetting(whole);
  std::string text;
  if (!GreekLetter(name.letter).empty()) {
    text = "\\" + std::string(name.letter);
  } else {
    text = name.letter.size() == 1 ? std::string(name.letter) : "\\mathrm{" + Escape(name.letter) + "}";
  }
  if (order == 1) text = "\\dot{" + text + "}";
  if (order == 2) text = "\\ddot{" + text + "}";
  std::string subscripts;
  for (std::string_view subscript : name.subscripts) {
    if (!subscripts.empty()) subscripts += ",";
    subscripts += IsNumeral(subscript) ? std::string(subscript) : "\\mathrm{" + Escape(subscript) + "}";
  }
  if (!name.path.empty())
    subscripts += (subscripts.empty() ? "" : ",") + ("\\mathrm{" + Escape(name.path) + "}");
  if (!subscripts.empty()) text += "_{" + subscripts + "}";
  if (order > 2) text += "^{(" + std::to_string(order) + ")}";
  return text;
}

std::string PrintLatex(const ExprPool& pool, ExprId expr, const PrintOptions& options) {
  return LatexPrinter(pool, expr, options).Run(expr);
}

}  // namespace cotree

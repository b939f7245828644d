// SPDX-License-Identifier: Apache-2.0
#include "expr/print_mathml.h"

#include <cmath>
#include <numbers>

#include "expr/exact_number.h"
#include "expr/print_names.h"

namespace cotree {

namespace {

enum Binding { kLoose, kLogic, kRelation, kSum, kTerm, kFactor, kPrimary };

std::string Escape(std::string_view text) {
  std::string result;
  for (char c : text) {
    if (c == '<') {
      result += "&lt;";
    } else if (c == '>') {
      result += "&gt;";
    } else if (c == '&') {
      result += "&amp;";
    } else {
      result += c;
    }
  }
  return result;
}

std::string Tag(std::string_view tag, std::string_view text) {
  return "<" + std::string(tag) + ">" + std::string(text) + "</" + std::string(tag) + ">";
}

std::string MathmlOfNumber(double value, int digits) {
  if (std::isinf(value)) return Tag("mn", "∞");
  if (const auto exact = FindExact(value)) {
    const std::string times = "</mn><mo>&#x2062;</mo><mn>";
    const ExactText text = TextOfExact(*exact, times, "π", "²", "³");
    const std::string above = Tag("mn", text.above.empty() ? "1" : text.above);
    if (text.below.empty()) return "<mrow>" + above + "</mrow>";
    return "<mfrac><mrow>" + above + "</mrow><mrow>" + Tag("mn", text.below) + "</mrow></mfrac>";
  }
  const std::string text = FormatNumber(value, digits);
  const size_t e = text.find('e');
  if (e == std::string::npos) return Tag("mn", text);
  const std::string power =
      "<msup><mn>10</mn>" + Tag("mn", std::to_string(std::stoi(text.substr(e + 1)))) + "</msup>";
  const std::string mantissa = text.substr(0, e);
  return mantissa == "1" ? power : "<mrow>" + Tag("mn", mantissa) + "<mo>·</mo>" + power + "</mrow>";
}

std::string MathmlOfSymbol(const ExprPool& pool, SymbolId symbol) {
  return MathmlOfName(pool.SymbolName(symbol), pool.symbol(symbol).order);
}

class MathmlPrinter : public PrintLoop {
 public:
  MathmlPrinter(const ExprPool& pool, ExprId root, const PrintOptions& options)
      : PrintLoop(pool, root, options) {}

 private:
  std::string_view Ellipsis() const override { return "<mo>…</mo>"; }

  int BindingOf(ExprId id, bool drop_sign) const {
    switch (pool_.op(id)) {
      case Op::kNumber:
        return pool_.NumberValue(id) < 0 && !drop_sign     ? kSum
               : pool_.NumberValue(id) == std::numbers::pi ? kPrimary
               : FindExact(pool_.NumberValue(id))          ? kFactor
                                                           : kPrimary;
      case Op::kAdd:
      case Op::kSumOver:
        return kSum;
      case Op::kIf:
        return kLoose;
      case Op::kMultiply:
        return pool_.IsNegative(id) && !drop_sign ? kSum : kTerm;
      case Op::kDivide:
      case Op::kPower:
      case Op::kExp:
        return kFactor;
      default:
        return IsRelation(pool_.op(id))                                  ? kRelation
               : IsLogical(pool_.op(id)) && pool_.op(id) != Op::kBoolean ? kLogic
                                                                         : kPrimary;
    }
  }

  void Expand(ExprId id, int context, bool drop_sign) override {
    const bool parentheses = BindingOf(id, drop_sign) < context;
    if (parentheses) Put("<mrow><mo>(</mo>");
    PutNode(id, drop_sign);
    if (parentheses) Put("<mo>)</mo></mrow>");
  }

  void Row(std::span<const ExprId> ids, std::string_view separator, int context) {
    Put("<mrow>");
    PutList(ids, separator, context);
    Put("</mrow>");
  }

  void Function(std::string_view name, std::span<const ExprId> ids) {
    Put("<mrow>" + std::string(name) + "<mo>&#x2061;</mo><mrow><mo>(</mo>");
    PutList(ids, "<mo>,</mo>", kLoose);
    Put("<mo>)</mo></mrow></mrow>");
  }

  void Fence(std::string_view open, ExprId id, std::string_view close) {
    Put("<mrow>" + Tag("mo", open));
    Put(id, kLoose);
    Put(Tag("mo", close) + "</mrow>");
  }

  void PutSum(ExprId id) {
    Put("<mrow>");
    bool first = true;
    for (ExprId term : order_.Terms(id)) {
      const bool negative = pool_.op(term) != Op::kAdd && pool_.IsNegative(term);
      if (negative || !first) Put(negative ? "<mo>-</mo>" : "<mo>+</mo>");
      Put(term, kTerm, negative);
      first = false;
    }
    Put("</mrow>");
  }

  void PutProduct(ExprId id, bool drop_sign) {
    Put("<mrow>");
    bool first = true;
    for (ExprId factor : order_.Factors(id)) {
      if (first && pool_.IsNumber(factor)) {
        const double value = pool_.NumberValue(factor);
        if (value < 0 && !drop_sign) Put("<mo>-</mo>");
        const std::string text = MathmlOfNumber(std::fabs(value), options_.digits);
        if (text == Tag("mn", "1")) continue;
        Put(text);
      } else {
        if (!first) Put("<mo>·</mo>");
        Put(factor, kFactor);
      }
      first = false;
    }
    Put("</mrow>");
  }

  /// A tag with one row for each child.
  void Children(std::string_view tag, std::initializer_list<std::pair<ExprId, int>> children) {
    Put("<" + std::string(tag) + ">");
    for (const auto& [id, context] : children) {
      Put("<mrow>");
      Put(id, context);
      Put("</mrow>");
    }
    Put("</" + std::string(tag) + ">");
  }

  void PutNode(ExprId id, bool drop_sign) {
    const auto operands = pool_.operands(id);
    const Op op = pool_.op(id);
    switch (op) {
      case Op::kNumber: {
        const double value = pool_.NumberValue(id);
        if (value < 0 && !drop_sign) Put("<mo>-</mo>");
        return Put(MathmlOfNumber(std::fabs(value), options_.digits));
      }
      case Op::kBoolean:
        return Put(Tag("mi", pool_.BooleanValue(id) ? "true" : "false"));
      case Op::kSymbol:
        return Put(MathmlOfSymbol(pool_, pool_.SymbolOf(id)));
      case Op::kTime:
        return Put("<mi>t</mi>");
      case Op::kAdd:
        return PutSum(id);
      case Op::kMultiply:
        return PutProduct(id, drop_sign);
      case Op::kDivide:
        return Children("mfrac", {{operands[0], kLoose}, {operands[1], kLoose}});
      case Op::kPower:
        return Children("msup", {{operands[0], kPrimary}, {operands[1], kLoose}});
      case Op::kExp:
        Put("<msup><mi>e</mi><mrow>");
        Put(operands[0], kLoose);
        return Put("</mrow></msup>");
      case Op::kSqrt:
        return Children("msqrt", {{operands[0], kLoose}});
      case Op::kAbs:
        return Fence("|", operands[0], "|");
      case Op::kFloor:
        return Fence("⌊", operands[0], "⌋");
      case Op::kCeil:
        return Fence("⌈", operands[0], "⌉");
      case Op::kLess:
        return Row(operands, "<mo>&lt;</mo>", kSum);
      case Op::kLessEqual:
        return Row(operands, "<mo>≤</mo>", kSum);
      case Op::kEqual:
        return Row(order_.Operands(id), "<mo>=</mo>", kSum);
      case Op::kNotEqual:
        return Row(order_.Operands(id), "<mo>≠</mo>", kSum);
      case Op::kAnd:
        return Row(order_.Operands(id), "<mo>∧</mo>", kRelation);
      case Op::kOr:
        return Row(order_.Operands(id), "<mo>∨</mo>", kRelation);
      case Op::kNot:
        Put("<mrow><mo>¬</mo>");
        Put(operands[0], kPrimary);
        return Put("</mrow>");
      case Op::kIf:
        Put("<mrow><mo>{</mo><mtable><mtr><mtd>");
        Put(operands[1], kLoose);
        Put("</mtd><mtd><mtext>if </mtext>");
        Put(operands[0], kLoose);
        Put("</mtd></mtr><mtr><mtd>");
        Put(operands[2], kLoose);
        return Put("</mtd><mtd><mtext>otherwise</mtext></mtd></mtr></mtable></mrow>");
      case Op::kElement:
        Put("<msub><mrow>");
        Put(operands[0], kPrimary);
        Put("</mrow>");
        Row(operands.subspan(1), "<mo>,</mo>", kLoose);
        return Put("</msub>");
      case Op::kSumOver:
        Put("<mrow><munderover><mo>∑</mo><mrow>" + MathmlOfSymbol(pool_, pool_.SymbolOf(id)) + "<mo>=</mo>");
        Put(operands[0], kLoose);
        Put("</mrow><mrow>");
        Put(operands[1], kLoose);
        Put("</mrow></munderover>");
        Put(operands[2], kTerm);
        return Put("</mrow>");
      case Op::kArray:
        Put("<mrow><mo>{</mo>");
        PutList(operands, "<mo>,</mo>", kLoose);
        return Put("<mo>}</mo></mrow>");
      case Op::kCall: {
        std::string name = Tag("mi", Escape(pool_.FunctionName(pool_.FunctionOf(id))));
        const FunctionInfo& function = pool_.function(pool_.FunctionOf(id));
        if (!function.orders.empty()) {
          std::string orders;
          for (uint32_t order : function.orders)
            orders += (orders.empty() ? "" : ",") + std::to_string(order);
          name = "<msup>" + name + Tag("mtext", "(" + orders + ")") + "</msup>";
        }
        return Function(name, operands);
      }
      case Op::kLog:
        return Function("<mi>ln</mi>", operands);
      case Op::kLog10:
        return Function("<msub><mi>log</mi><mn>10</mn></msub>", operands);
      default:
        return Function(Tag("mi", OpName(op)), operands);
    }
  }
};

}  // namespace

std::string MathmlOfName(std::string_view whole, uint32_t order) {
  if (const std::vector<std::string_view> parts = SplitSideBySide(whole); !parts.empty()) {
    std::string out;
    for (const std::string_view part : parts)
      out += (out.empty() ? "" : "<mspace width=\"0.4em\"/>") + MathmlOfName(part);
    return "<mrow><mo>[</mo>" + out + "<mo>]</mo></mrow>";
  }
  const TypesetName name = SplitForTypesetting(whole);
  const std::string_view greek = GreekLetter(name.letter);
  std::string text = Tag("mi", greek.empty() ? Escape(name.letter) : std::string(greek));
  if (order == 1 || order == 2) text = "<mover>" + text + Tag("mo", order == 1 ? "˙" : "¨") + "</mover>";
  std::string below;
  for (std::string_view subscript : name.subscripts) {
    if (!below.empty()) below += ",";
    below += subscript;
  }
  if (!name.path.empty()) below += (below.empty() ? "" : ",") + std::string(name.path);
  const std::string sub = below.empty() ? "" : Tag("mtext", Escape(below));
  const std::string super = order > 2 ? Tag("mtext", "(" + std::to_string(order) + ")") : "";
  if (!sub.empty() && !super.empty()) return "<msubsup>" + text + sub + super + "</msubsup>";
  if (!sub.empty()) return "<msub>" + text + sub + "</msub>";
  if (!super.empty()) return "<msup>" + text + super + "</msup>";
  return text;
}

std::string PrintMathml(const ExprPool& pool, ExprId expr, const PrintOptions& options) {
  return "<math><mrow>" + MathmlPrinter(pool, expr, options).Run(expr) + "</mrow></math>";
}

}  // namespace cotree
